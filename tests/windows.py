"""The window for tests: assembled, without thumbnails and 3D views, with separate settings."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from PySide6.QtWidgets import QApplication, QMenu
from sessions import settle

from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection


@cache
def theme_selector(app) -> ThemeSelector:
    """The theme selector of all windows: it applies the style sheet, which takes 0.13 s, only after a change."""
    return ThemeSelector(app)


def a_window(app, qtbot, settings=None, size=(1280, 800), *, pictures=False, meshes=False) -> Iterator[MainWindow]:
    """An assembled window with nothing open.

    Parameters
    ----------
    settings : file of the settings; None for none.
    pictures, meshes : whether thumbnails and 3D views are rendered; their processes take 0.7 s of processor time.
    """
    window = MainWindow(theme_selector(app), SettingsFile(settings), thumbnails=pictures)
    qtbot.addWidget(window)
    window.painted.connect(window.assemble)
    with qtbot.waitSignal(window.assembled):
        window.resize(*size)
        window.show()
    if not (pictures or meshes):
        window.session.mesh_view_state.source._start = lambda: None  # requests stay in the queue
    window.activateWindow()  # where no window manager gives it the keys
    qtbot.waitUntil(window.isActiveWindow)
    yield window
    window.close_now()


def open_in_window(window, path, qtbot) -> None:
    """Open `path` and wait until it is shown, or until the strip says why not."""
    window.open_path(path)
    qtbot.waitUntil(lambda: not window.session.tasks.is_busy())
    if window.session.benchmark is not None:
        qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    settle(window.session, qtbot)


@dataclass(frozen=True)
class WindowState:
    """What tests change in a window that they share; see `reset_window`."""

    size: Any
    path: Any
    profile: Any
    selection: Selection
    settings: Any
    added_measures: tuple[str, ...]
    perspective: str
    layouts: dict[str, Any]
    panels: dict[str, Any]


def window_state(window) -> WindowState:
    """The present state of a window with a benchmark open."""
    session, workspace = window.session, window.workspace
    return WindowState(
        window.size(),
        session.path,
        session.profile,
        session.selection,
        window.settings,
        session.added_measures,
        workspace.perspective,
        workspace.layout_states(),
        window.projects._states.states(),
    )


def reset_window(window, state: WindowState, qtbot) -> None:
    """Undo what a test changed in a window that tests share, instead of opening another one, which takes 0.5 s.

    Tests that change files, the focus order or what is stored before a start need a window of their own.
    """
    session, workspace = window.session, window.workspace
    close_dialogs(window)
    while session.edits.stack.canUndo():
        session.edits.stack.undo()
    if session.path != state.path:
        open_in_window(window, state.path, qtbot)
    session.edits.stack.clear()
    session.set_added_measures(state.added_measures)
    session.set_conventions(state.profile)
    window.change_settings(replace(state.settings, recent=window.settings.recent))
    if window.size() != state.size:
        window.resize(state.size)
    current = {key: layout for key, layout in workspace.layout_states().items() if key in state.layouts}
    if workspace.perspective != state.perspective or current != state.layouts:
        workspace.apply_layouts(state.layouts, state.perspective)
        qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
    select(session, state.selection)
    panels = {key: shown for key, shown in window.projects._states.states().items() if key in state.panels}
    if panels != state.panels:
        window.projects._states.restore(state.panels)
    session.cursor_state.hover(None)
    window.history._clear()
    window.message_bar.dismiss()
    window.activateWindow()
    workspace.focus_centre()
    settle(session, qtbot)


def select(session, selection: Selection) -> None:
    """Select what is selected in `selection`, and nothing else."""
    session.deselect_rank()
    session.select(
        query=selection.query,
        run=selection.run,
        compared=NOTHING if selection.compared is None else selection.compared,
        shown_runs=selection.shown_runs,
        measure=selection.measure,
        means=selection.means,
    )
    if selection.rank is not None:
        session.select(rank=selection.rank)


def close_dialogs(window) -> None:
    """Close the menus and the other windows."""
    while isinstance(popup := QApplication.activePopupWidget(), QMenu) and popup.isVisible():
        popup.close()
    for top in QApplication.topLevelWidgets():
        if top is not window and top.isVisible() and top.parentWidget() is not None:
            top.close()


def wait_for_layout(qtbot) -> None:
    """Wait until docks have their sizes: one timer of the window starts another."""
    qtbot.wait(300)
