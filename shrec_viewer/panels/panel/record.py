"""The Panel and Perspective records: a dock's key, title, area and factory, and the three window layouts."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtWidgets import QWidget

from shrec_viewer.viewmodels.session.session import Session


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


Area = Literal["left", "centre", "right", "bottom"]


@dataclass(frozen=True)
class Panel:
    """A piece of the window that shows one side of the session.

    Attributes
    ----------
    key : name in settings and tests, never shown.
    title : of the dock.
    area : where it stands until the person moves it; ``"centre"`` is for the one panel of a perspective that everything
        surrounds.
    factory : makes the widget; it follows the session from then on and lets go of it when it is deleted.
    perspectives : keys of `PERSPECTIVES` in whose arrangement it stands from the start; elsewhere it can be called up.
    """

    key: str
    title: str
    area: Area
    factory: Callable[[Session], QWidget]
    perspectives: tuple[str, ...] = ("query", "compare", "campaign")
