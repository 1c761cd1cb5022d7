"""The window for tests: assembled, without thumbnails and 3D views, with separate settings."""

from collections.abc import Iterator
from functools import cache

from PySide6.QtWidgets import QStyleOptionComboBox
from sessions import settle

from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.app.startup.theme import ThemeSelector
from shrec_viewer.app.window.main_window import MainWindow
from shrec_viewer.widgets.controls.controls import ComboField


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
    if window.session.is_open:
        qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    settle(window.session, qtbot)


def wait_for_layout(qtbot) -> None:
    """Wait until docks have their sizes: one timer of the window starts another."""
    qtbot.wait(300)


def elided_bar_fields(window: MainWindow) -> list[str]:
    """Names of the visible fields of the bars that are elided or outside the window."""
    names = []
    for field in window.findChildren(ComboField):
        option = QStyleOptionComboBox()
        field.initStyleOption(option)
        is_outside = field.mapTo(window, field.rect().topRight()).x() >= window.width()
        if field.isVisible() and (option.currentText != field.currentText() or is_outside):
            names.append(field.accessibleName())
    return names
