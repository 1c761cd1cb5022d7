"""Default sizes of docks follow the window until a separator is dragged."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from sample_benchmark import write_menagerie
from windows import a_window, open_in_window

from shrec_viewer.panels import PANELS
from shrec_viewer.resources import resource

LARGE, SMALL = (1920, 1080), (1280, 800)

DOCKS = ("queries", "precision_recall", "gain", "leaderboard")


@pytest.fixture
def sample_benchmark(tmp_path):
    return write_menagerie(tmp_path / "sample_benchmark")


def rects(window):
    return {key: window.workspace.dock(key).geometry().getRect() for key in DOCKS}


def become(window, size, qtbot):
    window.resize(*size)
    qtbot.wait(250)


def drag_separator(window, by, qtbot):
    """Drag the separator between the ranked list and the plots to its right."""
    perspective_window = window.workspace.perspective_window
    corner = window.workspace.dock("precision_recall").geometry().topLeft()
    place = next(
        QPoint(corner.x() - x, 100) for x in range(12) if perspective_window.isSeparator(QPoint(corner.x() - x, 100))
    )
    QTest.mousePress(perspective_window, Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseMove(perspective_window, place - QPoint(by, 0))
    qtbot.wait(20)  # Qt moves it in the next event-loop iteration
    QTest.mouseRelease(perspective_window, Qt.MouseButton.LeftButton, pos=place - QPoint(by, 0))


@pytest.mark.parametrize(("first", "then"), [(LARGE, SMALL), (SMALL, LARGE)])
def test_default_sizes_follow_the_window(qapp, qtbot, sample_benchmark, first, then):
    for window in a_window(qapp, qtbot, size=then):
        open_in_window(window, sample_benchmark, qtbot)
        qtbot.wait(250)
        wanted = rects(window)
        become(window, first, qtbot)
        window.menus.actions["reset_layout"].trigger()
        qtbot.wait(250)
        become(window, then, qtbot)
        qtbot.waitUntil(lambda: rects(window) == wanted)  # noqa: B023 - within the loop


def test_dragged_sizes_are_kept_until_the_layout_is_reset(qapp, qtbot, sample_benchmark):
    for window in a_window(qapp, qtbot, size=LARGE):
        open_in_window(window, sample_benchmark, qtbot)
        become(window, SMALL, qtbot)
        usual = window.workspace.dock("gain").width()
        drag_separator(window, 60, qtbot)
        qtbot.waitUntil(lambda: window.workspace.dock("gain").width() > usual + 40)  # noqa: B023 - within the loop
        chosen = window.workspace.dock("gain").width()
        become(window, (1300, 820), qtbot)
        qtbot.waitUntil(lambda: window.workspace.dock("gain").width() == chosen)  # noqa: B023
        window.menus.actions["reset_layout"].trigger()
        qtbot.wait(250)
        become(window, SMALL, qtbot)
        qtbot.waitUntil(lambda: window.workspace.dock("gain").width() == usual)  # noqa: B023


@pytest.mark.parametrize("moved", [0, 60])
def test_default_sizes_are_recognised_after_a_restart(qapp, qtbot, sample_benchmark, tmp_path, moved):
    memory = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        qtbot.wait(250)
        if moved:
            drag_separator(window, moved, qtbot)
            qtbot.wait(50)
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        assert window.workspace.perspective_window.sizes.is_active == (not moved)


def test_no_panel_of_the_right_area_widens_it(qapp, qtbot):
    for window in a_window(qapp, qtbot):
        open_in_window(window, resource("demo"), qtbot)
        usual = window.workspace.dock("gain").width()
        for panel in PANELS:
            if panel.area in ("left", "right") and "query" in panel.perspectives:
                window.workspace.show_panel(panel.key)
                qtbot.wait(20)
                assert window.workspace.panel(panel.key).minimumSizeHint().width() <= 320, panel.key
                assert window.workspace.dock("precision_recall").width() == usual, panel.key
