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
    closes dialogs and menus. Tests undo everything else that they change, such as options of a plot. Panels that were
    created stay.
    """

    def __init__(self, window: MainWindow, qtbot) -> None:
        settle(window.session, qtbot)
        session, workspace = window.session, window.workspace
        self.window = window
        self._path = session.path
        self._size, self._settings, self._layouts = window.size(), window.settings, workspace.layout_states()
        self._profile = session.profile
        self._selection, self._means = session.selection, dict(workspace._means)
        self._measures = session.added_measures

    def reset(self, qtbot) -> MainWindow:
        """The window as after opening the benchmark."""
        window, session, workspace = self.window, self.window.session, self.window.workspace
        while (popup := QApplication.activePopupWidget()) is not None and popup.close():
            pass
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
        window.history._clear()
        window.message_bar.dismiss()
        workspace.queries.findChild(FilterField).clear()
        workspace.results.grid.scrollToTop()
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
        session.select(query=start.query, run=start.run, compared=compared, measure=start.measure, means=start.means)
        session.deselect_rank()

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
