"""The records Panel (key, title, area and factory of a dock) and Perspective (a window layout)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from PySide6.QtWidgets import QWidget

from shrec_viewer.viewmodels.session.session import Session


@dataclass(frozen=True)
class Perspective:
    """A window layout: one arrangement of the panels. All perspectives share the session's selection.

    Attributes
    ----------
    key : name in settings, projects and `Panel.perspectives`.
    title : text in menus and tabs, with its mnemonic.
    tip : what the perspective is for.
    shortcut : its key sequence.
    means : whether curves and scores are means over the queries until the user changes that.
    """

    key: str
    title: str
    tip: str
    shortcut: str
    means: bool = False


PERSPECTIVES = (
    Perspective("query", "&Query", "One query: its ranked list, its curves and its models", "Ctrl+1"),
    Perspective("compare", "&Compare", "Two runs side by side for one query, and their largest differences", "Ctrl+2"),
    Perspective(
        "campaign", "C&ampaign", "All runs and all queries: mean curves, heat map, confusion", "Ctrl+3", means=True
    ),
)
"""The three page families of the SHREC 2006 site: query, participant, all."""


Area = Literal["left", "centre", "right", "bottom"]

ShortcutScope = Literal["list", "rank"]
"""Groups of single-letter shortcuts: of lists (ranked list, queries), and of everything that shows ranks."""

RANK_SCOPE: tuple[ShortcutScope, ...] = ("rank",)
"""Scopes of a panel that shows ranks of the selected list and in which letters have no other meaning."""

LIST_SCOPES: tuple[ShortcutScope, ...] = ("list", "rank")
"""Scopes of a panel that is itself a list of models or queries."""


@dataclass(frozen=True)
class Panel:
    """A dock panel: one row of `PANELS`, or of a package with the entry point group ``shrec_viewer.panels``.

    The widget may define the following; each is used where it exists:

    - ``view_state() -> dict`` and ``restore_view_state(state)``: its settings as plain values, stored in projects;
    - ``set_theme(theme)``: repaint after the theme changed.

    Attributes
    ----------
    key : name in settings, projects and tests; not shown.
    title : title of the dock.
    area : default position; ``"centre"`` is the central panel of a perspective, which has no dock.
    factory : creates the widget; it follows the session's signals until it is deleted.
    perspectives : keys of the `PERSPECTIVES` whose default layout contains the panel; in the others it can be opened
        from the menu.
    shortcut_scopes : groups of single-letter shortcuts that work while the panel has the focus.
    is_plot : the widget is a `PlotPanel`; the commands of plots (copy, values, zoom) apply to it.
    shortcuts : keys that the widget handles itself, for the list of shortcuts: group, text, keys.
    """

    key: str
    title: str
    area: Area
    factory: Callable[[Session], QWidget]
    perspectives: tuple[str, ...] = ("query", "compare", "campaign")
    shortcut_scopes: tuple[ShortcutScope, ...] = ()
    is_plot: bool = False
    shortcuts: tuple[tuple[str, str, str], ...] = ()
