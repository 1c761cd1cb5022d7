"""Default sizes of docks follow the window until a separator is dragged."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from sample_benchmark import write_sample_benchmark
from shared_windows import a_shared_window
from windows import a_window, open_in_window, wait_for_layout

LARGE, SMALL = (1920, 1080), (1280, 800)

DOCKS = ("queries", "precision_recall", "gain", "leaderboard")


@pytest.fixture(scope="module")
def sample_benchmark(tmp_path_factory):
    return write_sample_benchmark(tmp_path_factory.mktemp("sizes") / "sample_benchmark")


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, sample_benchmark):
    yield from a_shared_window(qapp, module_qtbot, sample_benchmark, size=SMALL)


@pytest.fixture
def window(shared, qtbot):
    return shared.reset(qtbot)


def rects(window):
    return {key: window.workspace.dock(key).geometry().getRect() for key in DOCKS}


def become(window, size, qtbot):
    window.resize(*size)
    wait_for_layout(qtbot)


def drag_separator(window, by, qtbot):
    """Drag the separator between the ranked list and the plots to its right."""
    perspective_window = window.workspace.perspective_window
    corner = window.workspace.dock("precision_recall").geometry().topLeft()
    place = next(
        QPoint(corner.x() - x, 100) for x in range(3, 12) if perspective_window.isSeparator(QPoint(corner.x() - x, 100))
    )
    QTest.mousePress(perspective_window, Qt.MouseButton.LeftButton, pos=place)
    QTest.mouseMove(perspective_window, place - QPoint(by, 0))
    dock = window.workspace.dock("precision_recall")
    qtbot.waitUntil(lambda: dock.geometry().topLeft() != corner)  # Qt forgets a move that was not applied
    QTest.mouseRelease(perspective_window, Qt.MouseButton.LeftButton, pos=place - QPoint(by, 0))


def test_default_sizes_follow_the_window(window, qtbot):
    expected = {}
    for size in (SMALL, LARGE):
        become(window, size, qtbot)
        window.menus.actions["reset_layout"].trigger()
        wait_for_layout(qtbot)
        expected[size] = rects(window)
    for size in (SMALL, LARGE):
        become(window, size, qtbot)
        qtbot.waitUntil(lambda size=size: rects(window) == expected[size])


def test_enlarging_and_restoring_the_window_restores_all_perspectives(window, qtbot):
    workspace = window.workspace

    def visit():
        sizes = {}
        for key in ("compare", "campaign", "diagnose", "query"):
            workspace.show_perspective(key)
            qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
            wait_for_layout(qtbot)
            docks = workspace.perspective_window.docks()
            sizes[key] = {k: d.size().toTuple() for k, d in docks.items() if not d.visibleRegion().isEmpty()}
        return sizes

    visit()
    before = visit()
    become(window, LARGE, qtbot)
    assert visit() != before
    workspace.show_perspective("campaign")
    become(window, SMALL, qtbot)
    assert visit() == before


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_reset_layout_resets_all_perspectives(window, qtbot):
    workspace = window.workspace
    wait_for_layout(qtbot)
    before = rects(window)
    workspace.show_perspective("compare")
    qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
    workspace.dock("gain_loss").close()
    workspace.dock("queries").setFloating(True)
    workspace.show_perspective("query")
    wait_for_layout(qtbot)
    drag_separator(window, 60, qtbot)
    workspace.dock("gain").setFloating(True)
    qtbot.wait(50)
    window.menus.actions["reset_layout"].trigger()
    wait_for_layout(qtbot)
    assert rects(window) == before
    assert not workspace.dock("gain").isFloating()
    workspace.show_perspective("compare")
    qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)
    assert workspace.dock("gain_loss").isVisible()
    assert not workspace.dock("queries").isFloating()
    assert all(workspace.is_shown(key) for key in ("queries", "gain_loss"))


def test_dragged_sizes_are_kept_until_the_layout_is_reset(window, qtbot):
    become(window, SMALL, qtbot)
    usual = window.workspace.dock("gain").width()
    drag_separator(window, 60, qtbot)
    qtbot.waitUntil(lambda: window.workspace.dock("gain").width() > usual + 40)
    chosen = window.workspace.dock("gain").width()
    become(window, (1300, 820), qtbot)
    qtbot.waitUntil(lambda: window.workspace.dock("gain").width() == chosen)
    window.menus.actions["reset_layout"].trigger()
    wait_for_layout(qtbot)
    become(window, SMALL, qtbot)
    qtbot.waitUntil(lambda: window.workspace.dock("gain").width() == usual)


@pytest.mark.parametrize("moved", [0, 60])
def test_default_sizes_are_recognised_after_a_restart(qapp, qtbot, sample_benchmark, tmp_path, moved):
    memory = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        wait_for_layout(qtbot)
        if moved:
            drag_separator(window, moved, qtbot)
            qtbot.wait(50)
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        assert window.workspace.perspective_window.sizes.is_active == (not moved)
