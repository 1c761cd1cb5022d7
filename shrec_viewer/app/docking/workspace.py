"""The views of an open benchmark: perspectives, panels and keyboard focus."""

from collections.abc import Mapping

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDockWidget, QStackedWidget, QWidget

from shrec_viewer.app.docking.panel_store import PANELS_BY_KEY, PanelStore
from shrec_viewer.app.docking.perspective_window import PerspectiveWindow
from shrec_viewer.app.docking.retired_windows import RetiredPerspectiveWindows
from shrec_viewer.app.startup.settings import LAYOUT_VERSION
from shrec_viewer.panels import PANELS, PERSPECTIVES
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.ranking.ranked_list import RankedListPanel
from shrec_viewer.viewmodels.ranking.rank_steps import step_rank, step_run
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.rendered import open_rendered_thumbnails
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails


def make_session(parent: QObject, *, pictures: bool) -> Session:
    """A session with nothing open; `pictures` has its models drawn and keeps the drawings between two starts."""
    thumbnails = Thumbnails(open_rendered_thumbnails if pictures else None)
    session = Session(thumbnails, parent)
    thumbnails.setParent(session)
    return session


def visible_panels(perspective_window: PerspectiveWindow) -> list[str]:
    """Keys of the panels in sight: the middle first, then as one reads, from the top left, windows last."""
    docks = {key: dock for key, dock in perspective_window.docks().items() if _is_dock_visible(dock)}
    order = sorted(docks, key=lambda key: (docks[key].isFloating(), *_dock_position(perspective_window, docks[key])))
    return ([perspective_window.centre] if perspective_window.centre else []) + order


def focused_panel(perspective_window: PerspectiveWindow) -> str:
    """Key of the panel that has the keyboard; "" where none has it."""
    widget = QApplication.focusWidget()
    names = {dock: key for key, dock in perspective_window.docks().items()}
    while widget is not None:
        if isinstance(widget, QDockWidget) and widget in names:
            return names[widget]
        if widget is perspective_window.centralWidget():
            return perspective_window.centre
        widget = widget.parentWidget()
    return ""


def next_panels(perspective_window: PerspectiveWindow, by: int) -> list[str]:
    """Keys of the other panels in sight, beginning after the one that has the keyboard, or before it for `by` -1."""
    keys, now = visible_panels(perspective_window), focused_panel(perspective_window)
    if by < 0:
        keys.reverse()
    place = keys.index(now) + 1 if now in keys else 0
    return [key for key in keys[place:] + keys[:place] if key != now]


def focus_panel(panel: QWidget) -> bool:
    """Let a panel have the keyboard: the largest of its views that takes keys; False where nothing in it does."""
    takers = [
        child
        for child in panel.findChildren(QWidget)
        if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    if not takers:
        return False
    largest = max(takers, key=lambda child: child.width() * child.height())
    largest.window().activateWindow()
    largest.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return True


def _is_dock_visible(dock: QDockWidget) -> bool:
    return dock.isVisible() and not dock.visibleRegion().isEmpty()


def _dock_position(perspective_window: PerspectiveWindow, dock: QDockWidget) -> tuple[int, int]:
    place = dock.mapTo(perspective_window, QPoint()) if not dock.isFloating() else dock.pos()
    return place.x(), place.y()


FIRST_PERSPECTIVE = PERSPECTIVES[0].key
"""The perspective of the first start."""


class Workspace(QStackedWidget):
    """The perspectives, each made when it is first shown; panels are made when they are first seen.

    Signals
    -------
    perspective_changed(key)
        Another perspective is in sight.
    docks_changed()
        A dock of the perspective in sight was opened or closed.
    panel_made(key, widget)
        A panel was made; keys that work in it can be given to it.
    """

    perspective_changed = Signal(str)
    docks_changed = Signal()
    panel_made = Signal(str, QWidget)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._store = PanelStore(session, self)
        self._store.made.connect(self.panel_made)
        self._former = RetiredPerspectiveWindows(self)
        self._perspective_windows: dict[str, PerspectiveWindow] = {}
        self._layouts: dict[str, bytes] = {}
        self._perspective = ""
        self._means = {perspective.key: perspective.key == "campaign" for perspective in PERSPECTIVES}
        self._actions = {panel.key: self._dock_action(panel.key) for panel in PANELS if panel.area != "centre"}
        session.cursor_state.view_requested.connect(self.show_requested)
        session.mesh_view_state.opened.connect(self._show_mesh_view)
        self.setObjectName("workspace")
        self.setAccessibleName("Workspace")

    # Perspectives.

    @property
    def perspective(self) -> str:
        """Key of the row of `PERSPECTIVES` in sight."""
        return self._perspective

    def show_perspective(self, key: str) -> None:
        """Bring a perspective into sight; the selection stays. What is no key of one is ignored."""
        if key == self._perspective or all(perspective.key != key for perspective in PERSPECTIVES):
            return
        if self._perspective:
            self.perspective_window.leave()
            self._means[self._perspective] = self._session.selection.means
        self._former.pause()
        self._session.select(means=self._means[key])  # at the start too, for what will be opened
        self._perspective = key
        if key not in self._perspective_windows:
            self._make(key)
        perspective_window = self.perspective_window
        perspective_window.enter()
        self.setCurrentWidget(perspective_window)
        self._show_docks()
        self.perspective_changed.emit(key)

    def restore(self, layouts: Mapping[str, bytes], version: int, perspective: str = FIRST_PERSPECTIVE) -> None:
        """Put everything where the person left it, as soon as it is shown; called once, before the first `show`.

        What cannot be read, or was left by another version, is passed over: then the arrangement of the house holds.
        """
        if version == LAYOUT_VERSION:
            self._layouts = dict(layouts)
        self.show_perspective(perspective)
        self.show_perspective(self._perspective or FIRST_PERSPECTIVE)

    def apply_layouts(self, layouts: Mapping[str, bytes], perspective: str = "") -> None:
        """Put everything where a project had it, now, and bring its perspective into sight, or leave this one there.

        Qt restores a window once only, so arrangements are made anew. The former ones go: 290 widgets for each project
        that is opened would be left behind.
        """
        if dict(layouts) == self.layout_states():
            return
        former, self._perspective = self._perspective, ""
        self._means[former or FIRST_PERSPECTIVE] = self._session.selection.means
        retired, self._perspective_windows = self._perspective_windows, {}
        self._former.take(retired.values())
        for key in sorted(retired, key=former.__eq__):  # the one in sight last: else the next one is shown in its place
            self.removeWidget(retired[key])
        self._layouts = dict(layouts)
        self.show_perspective(perspective)  # at once: to make docks of another one before takes 30 ms
        self.show_perspective(self._perspective or former or FIRST_PERSPECTIVE)

    def layout_states(self) -> dict[str, bytes]:
        """Where everything stands in each perspective, as far as they were ever shown."""
        states = dict(self._layouts)
        for key, perspective_window in self._perspective_windows.items():
            if (state := perspective_window.layout_state()) is not None:
                states[key] = state
        return states

    def arrange(self) -> None:
        """Put everything of this perspective where it belongs: the arrangement of the house."""
        self.perspective_window.arrange()

    @property
    def perspective_window(self) -> PerspectiveWindow:
        """The perspective in sight with its docks."""
        return self._perspective_windows[self._perspective]

    # Panels.

    @property
    def queries(self) -> QueriesPanel:
        """The panel of the queries."""
        panel = self.panel("queries")
        assert isinstance(panel, QueriesPanel)
        return panel

    @property
    def results(self) -> RankedListPanel:
        """The panel of the ranked list."""
        panel = self.panel("results")
        assert isinstance(panel, RankedListPanel)
        return panel

    def panel(self, key: str) -> QWidget:
        """The widget of a row of `PANELS`, made if nobody has seen it yet."""
        return self._store.widget(key)

    def made(self, key: str) -> QWidget | None:
        """The widget of a row of `PANELS` if somebody has seen it, else None."""
        return self._store.peek(key)

    def panels(self) -> dict[str, QWidget]:
        """All panels that were made, by their keys."""
        return self._store.all_made()

    def show_panel(self, key: str) -> None:
        """Bring a panel into sight: make it, open its dock, or go to the perspective it is the centre of."""
        row = PANELS_BY_KEY[key]
        if row.area != "centre":
            self.perspective_window.open_dock(key)
        elif self.perspective_window.centre != key:
            self.show_perspective(row.perspectives[0])

    @Slot(str)
    def show_requested(self, key: str) -> None:
        """Bring what a panel asked for into sight: a panel, or a perspective; what is neither is ignored."""
        if key in PANELS_BY_KEY:
            self.show_panel(key)
        else:
            self.show_perspective(key)

    @Slot()
    def _show_mesh_view(self) -> None:
        self.show_panel("model_view")

    def is_shown(self, key: str) -> bool:
        """Whether a panel is in sight, not closed and not behind a tab."""
        panel = self._store.peek(key)
        return panel is not None and panel.isVisible() and not panel.visibleRegion().isEmpty()

    def dock(self, key: str) -> QDockWidget:
        """The dock of a row of `PANELS` in this perspective."""
        return self.perspective_window.dock(key)

    def dock_actions(self) -> list[QAction]:
        """One a dock, which opens and closes it in this perspective."""
        return list(self._actions.values())

    # Verbs of commands.

    def find_query(self) -> None:
        """Put the cursor where queries are looked for."""
        self.show_panel("queries")
        self.queries.focus_filter()

    def focus_centre(self) -> None:
        """Give the keys to what is in the middle, so that arrows and letters work at once."""
        centre = self.perspective_window.centre
        if centre == "results":
            self.results.grid.setFocus()
        elif centre:
            self.panel(centre).setFocus()

    def step_panel(self, by: int) -> None:
        """Give the keys to the next panel in sight that takes any."""
        for key in next_panels(self.perspective_window, by):
            if focus_panel(self.panel(key)):
                return

    def go_to_panel(self, key: str) -> None:
        """Bring a panel into sight and give it the keys."""
        self.show_panel(key)
        focus_panel(self.panel(key))

    def float_panel(self) -> bool:
        """Make a window of the panel that has the keys, or put it back; False where no dock has them."""
        key = focused_panel(self.perspective_window)
        if key in ("", self.perspective_window.centre):
            return False
        dock = self.dock(key)
        if dock.isFloating():
            dock.setFloating(False)
        else:
            self.perspective_window.tabs.float_dock(dock)
        focus_panel(self.panel(key))
        return True

    def close_panel(self) -> bool:
        """Close the panel that has the keys; False where no dock has them."""
        key = focused_panel(self.perspective_window)
        if key in ("", self.perspective_window.centre):
            return False
        self.dock(key).close()
        self.focus_centre()
        return True

    def step_query(self, by: int) -> None:
        """Select the next query in the order shown."""
        self.queries.step(by)

    def step_run(self, by: int) -> None:
        """Select the next run."""
        step_run(self._session, by)

    def step_rank(self, by: int, *, relevant: bool) -> bool:
        """Select the next relevant model of the list, or the next that is not; False where there is no further one."""
        return step_rank(self._session, by, relevant=relevant)

    # The inside.

    def _make(self, key: str) -> None:
        perspective = next(perspective for perspective in PERSPECTIVES if perspective.key == key)
        perspective_window = self._perspective_windows[key] = PerspectiveWindow(perspective, self._store)
        perspective_window.restore(self._layouts.get(key, b""))
        perspective_window.docks_changed.connect(self._show_docks)
        self.addWidget(perspective_window)

    def _dock_action(self, key: str) -> QAction:
        action = QAction(PANELS_BY_KEY[key].title, self)
        action.setCheckable(True)
        action.setData(key)
        action.triggered.connect(self._toggle_dock)
        return action

    @Slot(bool)
    def _toggle_dock(self, opened: bool) -> None:
        action = self.sender()
        if isinstance(action, QAction):
            if opened:
                self.perspective_window.open_dock(action.data())
            else:
                self.dock(action.data()).close()
            self._show_docks()

    @Slot()
    def _show_docks(self) -> None:
        for key, action in self._actions.items():
            action.setChecked(self.perspective_window.is_open(key))
        if self.perspective_window.is_complete:
            self._former.clear_soon()
        self.docks_changed.emit()
