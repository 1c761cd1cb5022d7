"""The three arrangements of the window: one query, two runs, the whole campaign."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Perspective:
    """One arrangement of panels over the one selection.

    Attributes
    ----------
    key : name in settings and in `Panel.perspectives`.
    title : in menus and tabs, with its mnemonic.
    tip : what it is for.
    shortcut : its key.
    """

    key: str
    title: str
    tip: str
    shortcut: str


PERSPECTIVES = (
    Perspective("query", "&Query", "One query: its ranked list, its graphs, its models", "Ctrl+1"),
    Perspective("compare", "&Compare", "Two runs side by side for one query, and where they differ most", "Ctrl+2"),
    Perspective("campaign", "C&ampaign", "All runs and all queries: mean curves, heat map, confusion", "Ctrl+3"),
)
"""The three page families of the site of SHREC 2006: query, participant, all."""
