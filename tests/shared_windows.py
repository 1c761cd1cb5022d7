"""Windows that the tests of a module share: opening one takes 0.5 s of processor time, a reset 0.05 s."""

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDockWidget
from sessions import settle
from windows import a_window, open_in_window, wait_for_layout

from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.widgets.controls.controls import FilterField


class SharedWindow:
    """A window with a benchmark open, and its state to return to.

    `reset` restores the settings, the benchmark and its edits, profile, selection, layout, focus and messages, and
    closes dialogs and menus. Tests undo everything else that they change. Panels that were created stay. Tests that
    change files, the focus order or what is stored before a start need a window of their own.
    """

    def __init__(self, window: MainWindow, qtbot) -> None:
        settle(window.session, qtbot)
        session, workspace = window.session, window.workspace
        self.window = window
        self._path = session.path
        self._size, self._settings, self._layouts = window.size(), window.settings, workspace.layout_states()
        self._profile = session.profile
        self._selection, self._means = session.selection, dict(workspace._means)
        self._measures, self._panels = session.added_measures, window.projects._states.states()

    def reset(self, qtbot) -> MainWindow:
        """The window as after opening the benchmark."""
        window, session, workspace = self.window, self.window.session, self.window.workspace
        popup = QApplication.activePopupWidget()
        while popup is not None and popup.close():
            popup = QApplication.activePopupWidget()
        for widget in QApplication.topLevelWidgets():
            if widget is not window and widget.isVisible() and not isinstance(widget, QDockWidget):
                widget.close()
        self._reset_size(qtbot)
        kept = {name: getattr(window.settings, name) for name in ("recent", "profiles", "version", "previous_version")}
        window.change_settings(replace(self._settings, **kept))
        self._reset_benchmark(qtbot)
        if workspace.perspective != next(iter(self._layouts)) or workspace.layout_states() != self._layouts:
            workspace.show_perspective(next(iter(self._layouts)))
            workspace.reset_layout()
            qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
            qtbot.waitUntil(workspace.perspective_window.sizes.are_met)
        workspace._means.update(self._means)
        self._reset_selection()
        panels = {key: shown for key, shown in window.projects._states.states().items() if key in self._panels}
        if panels != self._panels:
            window.projects._states.restore(self._panels)
        session.cursor_state.hover(None)
        window.history.clear()
        window.message_bar.dismiss()
        workspace.queries.findChild(FilterField).clear()
        workspace.ranked_list.grid.scrollToTop()
        settle(session, qtbot)
        window.activateWindow()
        qtbot.waitUntil(window.isActiveWindow)
        workspace.focus_centre()
        window.update_commands()
        return window

    def _reset_size(self, qtbot) -> None:
        window = self.window
        if window.windowState() != Qt.WindowState.WindowNoState or window.size() != self._size:
            window.setWindowState(Qt.WindowState.WindowNoState)
            window.resize(self._size)
            wait_for_layout(qtbot)

    def _reset_selection(self) -> None:
        session, start = self.window.session, self._selection
        compared = NOTHING if start.compared is None else start.compared
        session.deselect_rank()
        session.select(query=start.query, run=start.run, compared=compared, shown_runs=start.shown_runs)
        session.select(measure=start.measure, means=start.means, **({} if start.rank is None else {"rank": start.rank}))

    def _reset_benchmark(self, qtbot) -> None:
        session, stack = self.window.session, self.window.session.edits.stack
        settle(session, qtbot)
        stack.setIndex(0)
        stack.clear()
        if session.path != self._path or self.window.projects.path is not None:
            open_in_window(self.window, self._path, qtbot)
        session.set_added_measures(self._measures)
        session.set_conventions(self._profile)


def a_shared_window(app, qtbot, path, settings=None, **options) -> Iterator[SharedWindow]:
    """A window of the tests of a module, with the benchmark at `path` open; `options` as of `a_window`."""
    for window in a_window(app, qtbot, settings, **options):
        open_in_window(window, path, qtbot)
        yield SharedWindow(window, qtbot)
