"""The views of an open benchmark: perspectives, panels and keyboard focus."""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDockWidget, QStackedWidget, QWidget

from shrec_viewer.app.docking.panel_store import PanelStore
from shrec_viewer.app.docking.perspective_window import PanelDock, PerspectiveWindow
from shrec_viewer.app.docking.saved_layout import DockLayout, LayoutError, layout_from_data
from shrec_viewer.app.docking.tab_order import CENTRE, dock_place
from shrec_viewer.formats.io.schema import to_data
from shrec_viewer.panels import PERSPECTIVES, Panel, all_panels, dock_of, docked_panels, panels_by_key, views_of
from shrec_viewer.panels.export.panel_export import PanelExport
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.ranking.ranked_list import RankedListPanel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.controls import area_on_screen
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic

#: Key of the perspective shown at the first start.
FIRST_PERSPECTIVE = PERSPECTIVES[0].key


class Workspace(QStackedWidget):
    """The perspectives and their panels, each created on first use.

    Attributes
    ----------
    perspective : key of the current row of `PERSPECTIVES`.

    Signals
    -------
    perspective_changed(key)
        Another perspective is shown.
    docks_changed()
        A dock of the current perspective was opened or closed.
    panel_created(key, widget)
        A panel was created.
    """

    perspective_changed = Signal(str)
    docks_changed = Signal()
    panel_created = Signal(str, QWidget)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._store = PanelStore(session, self)
        self._store.created.connect(self.panel_created)
        self._perspective_windows: dict[str, PerspectiveWindow] = {}
        self._layouts: dict[str, DockLayout] = {}
        self.perspective = ""
        self._means = {perspective.key: perspective.means for perspective in PERSPECTIVES}
        self._actions = {panel.key: self._dock_action(panel) for panel in docked_panels()}
        session.changed.connect(self._show_scopes)
        session.cursor_state.view_requested.connect(self.show_requested)
        session.mesh_view_state.open_requested.connect(self._show_mesh_view)
        self.setObjectName("workspace")
        self.setAccessibleName("Workspace")

    @Slot()
    def _show_scopes(self, *_: object) -> None:
        if self.perspective:
            self.perspective_window.show_scopes()

    # Perspectives and layouts.

    @property
    def perspective_window(self) -> PerspectiveWindow:
        """The current perspective with its docks."""
        return self._perspective_windows[self.perspective]

    @property
    def is_all_queries(self) -> bool:
        """Whether the current perspective always shows means."""
        return any(one.key == self.perspective and one.is_all_queries for one in PERSPECTIVES)

    def show_perspective(self, key: str) -> None:
        """Switch to a perspective; unknown keys are ignored.

        The selection is kept except for `Selection.means`, which each perspective has its own value of.
        """
        if key == self.perspective or all(perspective.key != key for perspective in PERSPECTIVES):
            return
        if self.perspective:
            self.perspective_window.leave()
            self._means[self.perspective] = self._session.selection.means
        self._session.select(
            means=self._means[key]
        )  # also without a benchmark: then it applies to the first one opened
        self.perspective = key
        if key not in self._perspective_windows:
            self._create_perspective(key)
        self.perspective_window.enter()
        self.setCurrentWidget(self.perspective_window)
        self._update_dock_actions()
        self.perspective_changed.emit(key)

    def _create_perspective(self, key: str) -> None:
        perspective = next(perspective for perspective in PERSPECTIVES if perspective.key == key)
        window = self._perspective_windows[key] = PerspectiveWindow(perspective, self._store, self)
        window.restore(self._layouts.get(key))
        window.docks_changed.connect(self._update_dock_actions)
        self.addWidget(window)

    def restore(self, layouts: object, perspective: str = FIRST_PERSPECTIVE) -> str:
        """Set the layouts of the last session; called once, before the first `show`.

        Parameters
        ----------
        layouts : what `layout_states` returned, read from a file; see `checked_layouts`.

        Returns
        -------
        str
            Why layouts are not used; "" if all are.
        """
        self._layouts, problem = checked_layouts(layouts)
        self.show_perspective(perspective)
        self.show_perspective(self.perspective or FIRST_PERSPECTIVE)
        return problem

    def apply_layouts(self, layouts: object, perspective: str = "") -> str:
        """Replace all layouts by those of a project, and switch to its perspective ("" keeps the current one).

        Perspectives are created again when they are shown, and the old ones deleted: each has about 290 widgets.

        Returns
        -------
        str
            Why layouts are not used; "" if all are.
        """
        checked, problem = checked_layouts(layouts)
        if checked == self._current_layouts():
            return problem
        previous, self.perspective = self.perspective, ""
        self._means[previous or FIRST_PERSPECTIVE] = self._session.selection.means
        old_windows, self._perspective_windows = self._perspective_windows, {}
        # The current one last: removing it first would show the next one for a moment.
        for key in sorted(old_windows, key=previous.__eq__):
            self._delete_perspective(old_windows[key])
        self._layouts = checked
        self.show_perspective(perspective)
        self.show_perspective(self.perspective or previous or FIRST_PERSPECTIVE)
        return problem

    def _delete_perspective(self, window: PerspectiveWindow) -> None:
        window.discard()
        self.removeWidget(window)
        window.deleteLater()

    def layout_states(self) -> dict[str, Any]:
        """The layout of each perspective that was ever shown as plain data, for `restore` and `apply_layouts`."""
        return {key: to_data(layout) for key, layout in self._current_layouts().items()}

    def _current_layouts(self) -> dict[str, DockLayout]:
        layouts = dict(self._layouts)
        for key, window in self._perspective_windows.items():
            if (layout := window.layout_state()) is not None:
                layouts[key] = layout
        return layouts

    def reset_layout(self) -> None:
        """Arrange the docks of all perspectives in the default layout; the hidden ones are created again when shown."""
        for key in [key for key in self._perspective_windows if key != self.perspective]:
            self._delete_perspective(self._perspective_windows.pop(key))
        self._layouts = {}
        self.perspective_window.reset_layout()

    # Panels and docks.

    @property
    def queries(self) -> QueriesPanel:
        """The panel of the queries."""
        panel = self.panel("queries")
        assert isinstance(panel, QueriesPanel)
        return panel

    @property
    def ranked_list(self) -> RankedListPanel:
        """The panel of the ranked list."""
        panel = self.panel("ranked_list")
        assert isinstance(panel, RankedListPanel)
        return panel

    def panel(self, key: str) -> QWidget:
        """The widget of a row of `PANELS`, created on the first call."""
        return self._store.widget(key)

    def panel_export(self) -> PanelExport | None:
        """The export of the focused panel, else of the central one; None if the perspective has none."""
        key = focused_panel(self.perspective_window) or self.perspective_window.shown_centre
        return self._store.export(key) if key else None

    def existing_panel(self, key: str) -> QWidget | None:
        """The widget of a row of `PANELS` if it was created, else None."""
        return self._store.existing(key)

    def panels(self) -> dict[str, QWidget]:
        """All panels created so far, by their keys."""
        return self._store.all_existing()

    def show_panel(self, key: str) -> None:
        """Open the dock of a panel, or switch to the perspective whose centre it is, or is a view of."""
        host = panels_by_key()[dock_of(key)]
        if host.area != "centre":
            self.perspective_window.open_dock(key)
            return
        if self.perspective_window.centre != host.key:
            self.show_perspective(host.perspectives[0])
        self.perspective_window.show_central_view(key)

    @Slot(str)
    def show_requested(self, key: str) -> None:
        """Show the panel or perspective that a panel requested; unknown keys are ignored."""
        if key in panels_by_key():
            self.show_panel(key)
        else:
            self.show_perspective(key)

    @Slot()
    def _show_mesh_view(self) -> None:
        self.show_panel("mesh_view")

    def is_shown(self, key: str) -> bool:
        """Whether a panel is visible: not closed and not covered by another tab."""
        panel = self._store.existing(key)
        return panel is not None and not area_on_screen(panel).isEmpty()

    def dock(self, key: str) -> PanelDock:
        """The dock of a row of `PANELS` in the current perspective."""
        return self.perspective_window.dock(key)

    def dock_actions(self) -> list[QAction]:
        """Checkable actions that open and close each dock of the current perspective."""
        return list(self._actions.values())

    def _dock_action(self, panel: Panel) -> QAction:
        action = QAction(escape_mnemonic(panel.dock_title or panel.title), self, checkable=True)
        action.setData(panel.key)
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
            self._update_dock_actions()

    @Slot()
    def _update_dock_actions(self) -> None:
        for key, action in self._actions.items():
            action.setChecked(self.perspective_window.is_open(key))
        self.docks_changed.emit()

    # Keyboard focus.

    def focus_centre(self) -> None:
        """Give the central panel the focus, so that arrow keys and single-letter shortcuts work."""
        centre = self.perspective_window.shown_centre
        if centre == "ranked_list":
            self.ranked_list.grid.setFocus()
        elif centre:
            self.panel(centre).setFocus()

    def step_panel(self, by: int) -> None:
        """Give the next visible panel the focus (`by` = -1: the previous one); panels that accept none are skipped."""
        keys, focused = visible_panels(self.perspective_window), focused_panel(self.perspective_window)
        if by < 0:
            keys.reverse()
        start = keys.index(focused) + 1 if focused in keys else 0
        for key in keys[start:] + keys[:start]:
            if key != focused and focus_panel(self.panel(key)):
                return

    def go_to_panel(self, key: str) -> None:
        """Show a panel and give it the focus."""
        self.show_panel(key)
        panel = self.panel(key)
        if not focus_panel(panel):  # such as a label of a plug-in, whose commands are those of the focused panel too
            panel.window().activateWindow()
            panel.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def float_panel(self) -> bool:
        """Float the focused dock, or dock it again; False if no dock has the focus."""
        if key := self._focused_dock():
            self.dock(key).toggle_floating()
            focus_panel(self.panel(key))
        return bool(key)

    def close_panel(self) -> bool:
        """Close the focused dock; False if no dock has the focus."""
        if key := self._focused_dock():
            self.dock(key).close()
            self.focus_centre()
        return bool(key)

    def _focused_dock(self) -> str:
        key = focused_panel(self.perspective_window)
        return "" if key == self.perspective_window.shown_centre else key


def checked_layouts(layouts: object) -> tuple[dict[str, DockLayout], str]:
    """The valid ones of the layouts read from a file, and what is wrong with the others ("" if nothing)."""
    if not isinstance(layouts, Mapping):
        return {}, "they are not a table"
    central = {panel.key for panel in all_panels() if panel.area == "centre" and len(views_of(panel.dock)) > 1}
    docks = {panel.key: panel.dock for panel in all_panels() if panel.area != "centre" or panel.key in central}
    titles = {perspective.key: perspective.title.replace("&", "") for perspective in PERSPECTIVES}
    valid, problems = {}, []
    for key, data in layouts.items():
        try:
            if key not in titles:
                raise LayoutError(f"there is no perspective {str(key)[:40]!r}")
            valid[key] = layout_from_data(data, docks, central)
        except LayoutError as error:
            problems.append(f"{titles.get(key, 'layouts')}: {error}")
    return valid, "; ".join(problems[:3]) + (f"; and {len(problems) - 3} more" if len(problems) > 3 else "")


def visible_panels(window: PerspectiveWindow) -> list[str]:
    """Keys of visible panels: docks at the left, the central panel, docks at the right and below, floating docks."""
    docks = {key: dock for key, dock in window.docks().items() if not area_on_screen(dock).isEmpty()}
    places = {key: (dock.isFloating(), *dock_place(dock, window)) for key, dock in docks.items()}
    if window.centre:
        places[window.centre] = (False, CENTRE, 0, 0)
    order = sorted(places, key=places.__getitem__)
    return [window.shown_panel(key) for key in order]


def focused_panel(window: PerspectiveWindow) -> str:
    """Key of the panel that has the keyboard focus; "" if none has it."""
    widget = QApplication.focusWidget()
    names = {dock: key for key, dock in window.docks().items()}
    while widget is not None:
        if isinstance(widget, QDockWidget) and widget in names:
            return window.shown_panel(names[widget])
        if widget is window.centralWidget():
            return window.shown_centre
        widget = widget.parentWidget()
    return ""


def focus_panel(panel: QWidget) -> bool:
    """Give the focus to the largest child of a panel that accepts it by Tab; False if there is none."""
    candidates = [
        child
        for child in panel.findChildren(QWidget)
        if child.isVisible() and child.isEnabled() and child.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    if not candidates:
        return False
    largest = max(candidates, key=lambda child: child.width() * child.height())
    largest.window().activateWindow()
    largest.setFocus(Qt.FocusReason.ShortcutFocusReason)
    return True
