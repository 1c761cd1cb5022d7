"""The records Panel and Perspective, and the base widget of the panels."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from shrec_viewer.panels.export.content import ExportContent
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import EmptyState
from shrec_viewer.widgets.style.theme import SPACE

#: Width in pixels from which a window has space for `Perspective.wide`.
WIDE_WINDOW = 1600


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
    is_all_queries : whether they are always means, as the perspective shows no single query.
    wide : keys of panels that are tabs at the right in the default layout of a window of at least `WIDE_WINDOW` pixels.
    """

    key: str
    title: str
    tip: str
    shortcut: str
    means: bool = False
    is_all_queries: bool = False
    wide: tuple[str, ...] = ()


#: The three page families of the SHREC 2006 site (query, participant, all), what explains a run's scores, and the
#: review of the assessment.
PERSPECTIVES = (
    Perspective("query", "&Query", "One query: its ranked list, its curves and its models", "Ctrl+1"),
    Perspective("compare", "&Compare", "Two runs side by side for one query, and their largest differences", "Ctrl+2"),
    Perspective(
        "campaign",
        "C&ampaign",
        "All runs and all queries: mean curves, heat map, confusion",
        "Ctrl+3",
        means=True,
        is_all_queries=True,
    ),
    Perspective(
        "diagnose",
        "&Diagnose",
        "Why a run is weak: its error budget, false positives and confused classes",
        "Ctrl+4",
        means=True,
    ),
    Perspective(
        "assess",
        "A&ssess",
        "Doubtful relevance levels or labels, one after the other, and their edits",
        "Ctrl+5",
        wide=("robustness", "mesh_view", "model"),
    ),
)


Area = Literal["left", "centre", "right", "bottom"]

#: Groups of single-letter shortcuts: of lists (ranked list, queries), of everything that shows ranks, and of lists of
#: models whose relevance levels can be changed.
ShortcutScope = Literal["list", "rank", "level"]

#: Scopes of a panel that shows ranks of the selected list and in which letters have no other meaning.
RANK_SCOPE: tuple[ShortcutScope, ...] = ("rank",)

#: Scopes of a panel that is itself a list of models or queries.
LIST_SCOPES: tuple[ShortcutScope, ...] = ("list", "rank")


@dataclass(frozen=True)
class Panel:
    """A dock panel: one row of `PANELS`, or of a package with the entry point group ``shrec_viewer.panels``.

    There are two kinds. A panel of a `Content` has a `RequestPanel`, by default that of `ChartPanelFactory`: its
    controls, its state in projects, *Copy*, *Export…* and *Copy as command* follow from the request. Any other widget
    has no state, and is exported as it is drawn, as vectors except for images.

    Each widget may define the following, which is used where it exists:

    - ``set_theme(theme)``: repaint after the theme changed;
    - ``height_hint() -> tuple[int, int]``: minimum and preferred height in pixels, for the default sizes of the docks;
    - ``width_hint() -> int``: preferred width in pixels, for the default width of the left area.

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
    description : what the panel shows, in other words than `title`; searched and shown by the command palette.
    group : submenu of *View, Panels*.
    view_of : key of the panel whose dock shows this panel as a view; "" for a panel with a separate dock. The dock
        defines `area` and `group` of a view; `perspectives` are those in which the dock shows the view at first. The
        views of a central panel have no names: a button in each shows the other.
    view_title : name among the views of the dock; "" for `title`.
    dock_title : title of the dock, where it has several views; "" for `title`.
    """

    key: str
    title: str
    area: Area
    factory: Callable[[Session], QWidget]
    perspectives: tuple[str, ...] = ("query", "compare", "campaign")
    shortcut_scopes: tuple[ShortcutScope, ...] = ()
    is_plot: bool = False
    shortcuts: tuple[tuple[str, str, str], ...] = ()
    description: str = ""
    group: str = "Other"
    view_of: str = ""
    view_title: str = ""
    dock_title: str = ""

    @property
    def dock(self) -> str:
        """Key of the dock that the panel is in; that of a central panel is its own."""
        return self.view_of or self.key


class EmptyReason(NamedTuple):
    """Title and text of an `EmptyState`."""

    title: str
    text: str = ""


def missing_scores_reason(session: Session, *, runs: int = 1, waiting: str = "Evaluating…") -> EmptyReason:
    """Why a panel of scores is empty; where nothing is missing, the scores are still being computed.

    Parameters
    ----------
    runs : number of runs that the panel requires.
    waiting : title while the panel's own computation is running.
    """
    benchmark = session.benchmark
    if not session.is_open:
        return EmptyReason("No benchmark is open")
    if benchmark.assessment is None:
        return EmptyReason("No scores", "The benchmark has no relevance assessment.")
    if not len(benchmark.queries):
        return EmptyReason("No scores", "The benchmark has no queries.")
    if not benchmark.runs:
        return EmptyReason("No scores", "The benchmark has no runs.")
    if len(benchmark.runs) < runs:
        return EmptyReason("No comparison", "A comparison requires two runs; the benchmark has one.")
    return EmptyReason("Evaluating…" if session.scores is None else waiting)


def row_layout(top: int = SPACE, bottom: int = SPACE, spacing: int = 2 * SPACE) -> QHBoxLayout:
    """Layout of a header or footer row: margins of `2 * SPACE` at the sides."""
    layout = QHBoxLayout()
    layout.setContentsMargins(2 * SPACE, top, 2 * SPACE, bottom)
    layout.setSpacing(spacing)
    return layout


#: Width in average characters that a `WrappingRow` reserves for a text that takes the remaining width.
MIN_TEXT_CHARS = 6


class WrappingRow(QWidget):
    """Two groups of controls next to each other, or below each other where the row is too narrow for both.

    Parameters
    ----------
    first, second : controls; those with the size policy "ignored" get the remaining width.
    """

    def __init__(self, first: Sequence[QWidget], second: Sequence[QWidget], top: int = SPACE) -> None:
        super().__init__()
        ignored = QSizePolicy.Policy.Ignored
        self._growing = [one for one in (*first, *second) if one.sizePolicy().horizontalPolicy() == ignored]
        self._groups = row_layout(0, 0), row_layout(0, 0)
        self._box = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._box.setContentsMargins(2 * SPACE, top, 2 * SPACE, SPACE)
        self._box.setSpacing(2 * SPACE)
        for group, widgets in zip(self._groups, (first, second), strict=True):
            group.setContentsMargins(0, 0, 0, 0)
            for widget in widgets:
                group.addWidget(widget, 1 if widget in self._growing else 0)
        grows = [any(widget in self._growing for widget in widgets) for widgets in (first, second)]
        self._groups[1].addStretch(0 if any(grows) else 1)
        self._groups[0].addStretch(0)
        self._box.addLayout(self._groups[0], 1 if grows[0] else 0)
        self._box.addLayout(self._groups[1], 0 if grows[0] else 1)

    def event(self, event: QEvent) -> bool:
        """Qt override; a control has another size, or is shown or hidden."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._fit()

    def minimumSizeHint(self) -> QSize:
        """Width of the wider group, so that the panel can be made narrow."""
        margins = self._box.contentsMargins()
        width = max(group.minimumSize().width() for group in self._groups)
        return QSize(width + margins.left() + margins.right(), super().minimumSizeHint().height())

    def _fit(self) -> None:
        first, second = (group.sizeHint().width() for group in self._groups)
        margins, text_width = self._box.contentsMargins(), MIN_TEXT_CHARS * self.fontMetrics().averageCharWidth()
        shown = [text for text in self._growing if not text.isHidden()]
        texts_width = sum(max(text_width - text.minimumWidth(), 0) for text in shown)
        needed = first + second + texts_width + self._box.spacing() + margins.left() + margins.right()
        directions = QBoxLayout.Direction
        direction = directions.LeftToRight if needed <= self.width() else directions.TopToBottom
        if direction != self._box.direction():
            self._box.setDirection(direction)


class BasePanel(QWidget):
    """Base class of the panels: shows `content`, or an `EmptyState` in its place.

    Parameters
    ----------
    icon : of the `EmptyState`, a key of `GLYPHS` in `widgets.style.theme`; "" for none.
    """

    def __init__(self, icon: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = QWidget()
        self.empty = EmptyState(icon)
        self._stack = QStackedLayout(self)
        self._stack.setContentsMargins(0, 0, 0, 0)
        self._stack.addWidget(self.content)
        self._stack.addWidget(self.empty)

    def set_body(self, *parts: QWidget | QLayout, stretch: QWidget) -> QVBoxLayout:
        """Fill the content with parts below each other, without margins; `stretch` is the part that grows."""
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in parts:
            if isinstance(part, QLayout):
                layout.addLayout(part)
            else:
                layout.addWidget(part, 1 if part is stretch else 0)
        return layout

    @property
    def is_empty(self) -> bool:
        """Whether the reason is shown instead of the content."""
        return self._stack.currentWidget() is self.empty

    def shown_scope(self) -> tuple[str, ...]:
        """What is shown, for the right end of the title: the longest text and shorter ones, see `scope_texts`."""
        return ("",)

    def export(self) -> ExportContent:
        """What *Copy*, *Export…* and *Copy as command* export; nothing for a panel that is exported as it is drawn."""
        return ExportContent()

    def show_content(self) -> None:
        """Show the content."""
        self._stack.setCurrentWidget(self.content)

    def show_empty(self, title: str, text: str = "", action: str = "") -> None:
        """Show why there is no content, with the text of a button that helps, if any."""
        self.empty.set_message(title, text, action)
        self._stack.setCurrentWidget(self.empty)
