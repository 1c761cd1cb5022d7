"""Default sizes of docks follow the window until a separator is dragged."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from sample_benchmark import write_menagerie
from windows import a_window, open_in_window, wait_for_layout

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


@pytest.mark.parametrize(("first", "then"), [(LARGE, SMALL), (SMALL, LARGE)])
def test_default_sizes_follow_the_window(qapp, qtbot, sample_benchmark, first, then):
    for window in a_window(qapp, qtbot, size=then):
        open_in_window(window, sample_benchmark, qtbot)
        wait_for_layout(qtbot)
        wanted = rects(window)
        become(window, first, qtbot)
        window.menus.actions["reset_layout"].trigger()
        wait_for_layout(qtbot)
        become(window, then, qtbot)
        qtbot.waitUntil(lambda: rects(window) == wanted)  # noqa: B023 - within the loop


def test_enlarging_and_restoring_the_window_restores_all_perspectives(qapp, qtbot, sample_benchmark):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, sample_benchmark, qtbot)
        workspace = window.workspace

        def visit():
            sizes = {}
            for key in ("compare", "campaign", "query"):
                workspace.show_perspective(key)  # noqa: B023 - within the loop
                qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)  # noqa: B023 - within the loop
                wait_for_layout(qtbot)
                docks = workspace.perspective_window.docks()  # noqa: B023 - within the loop
                sizes[key] = {k: d.size().toTuple() for k, d in docks.items() if not d.visibleRegion().isEmpty()}
            return sizes

        visit()
        before = visit()
        become(window, LARGE, qtbot)
        assert visit() != before
        workspace.show_perspective("campaign")
        become(window, SMALL, qtbot)
        assert visit() == before


def test_bottom_panels_are_usable_in_a_small_window(qapp, qtbot, subtests):
    """1280 x 743 is what a title bar and a desktop panel leave of a screen of 1280 x 800."""
    for window in a_window(qapp, qtbot, size=(1280, 743)):
        open_in_window(window, resource("demo"), qtbot)
        for perspective in ("query", "compare", "campaign"):
            with subtests.test(perspective=perspective):
                window.workspace.show_perspective(perspective)
                qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)  # noqa: B023 - in the loop
                for key in ("generality", "standings", "gain_loss"):
                    window.workspace.show_panel(key)
                    wait_for_layout(qtbot)
                    panel = window.workspace.panel(key)
                    assert panel.height() >= panel.height_hint()[0] - 40, key
                    assert window.workspace.panel(window.workspace.perspective_window.centre).height() >= 200
                assert window.statusBar().geometry().bottom() < window.height()


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_reset_layout_resets_all_perspectives(qapp, qtbot, sample_benchmark):
    for window in a_window(qapp, qtbot, size=SMALL):
        open_in_window(window, sample_benchmark, qtbot)
        workspace = window.workspace
        wait_for_layout(qtbot)
        before = rects(window)
        workspace.show_perspective("compare")
        qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)  # noqa: B023 - within the loop
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
        qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)  # noqa: B023 - within the loop
        assert workspace.dock("gain_loss").isVisible()
        assert not workspace.dock("queries").isFloating()
        assert all(workspace.is_shown(key) for key in ("queries", "gain_loss"))


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
        wait_for_layout(qtbot)
        become(window, SMALL, qtbot)
        qtbot.waitUntil(lambda: window.workspace.dock("gain").width() == usual)  # noqa: B023


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


@pytest.mark.parametrize("percent", [100, 150, 175])
def test_plots_are_readable_and_nothing_is_cut_off_at_large_text_sizes(qapp, qtbot, percent):
    """Docks at the right are tabs where stacked plots would be too low, and stacked again afterwards."""
    for window in a_window(qapp, qtbot, size=(1278, 743)):
        open_in_window(window, resource("demo"), qtbot)
        window.change_settings(replace(window.settings, text_size=percent))
        workspace = window.workspace
        for perspective in ("query", "campaign", "compare", "query"):
            workspace.show_perspective(perspective)
            qtbot.waitUntil(lambda: workspace.perspective_window.is_complete)  # noqa: B023 - within the loop
            wait_for_layout(qtbot)
            docks = [dock for dock in workspace.perspective_window.docks().values() if dock.isVisible()]
            for key in ("precision_recall", "gain"):
                if workspace.is_shown(key):
                    assert workspace.panel(key).plot.height() >= 9 * window.fontMetrics().height(), perspective
            assert workspace.width() <= 1278
            assert all(dock.geometry().right() <= workspace.width() for dock in docks), perspective
        window.change_settings(replace(window.settings, text_size=100))
        qtbot.waitUntil(lambda: workspace.dock("gain").y() > workspace.dock("precision_recall").y() > -1)  # noqa: B023
        assert workspace.is_shown("precision_recall")


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_a_dock_that_would_be_a_slice_becomes_a_tab(qapp, qtbot):
    for window in a_window(qapp, qtbot, size=(1278, 743)):
        open_in_window(window, resource("demo"), qtbot)
        workspace, perspective_window = window.workspace, window.workspace.perspective_window
        wait_for_layout(qtbot)
        # A third dock at the right, as by dragging its tab to the edge of the window.
        dock = workspace.dock("leaderboard")
        perspective_window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        perspective_window.tabs.dropped.emit(dock)
        qtbot.wait(100)
        assert perspective_window.tabifiedDockWidgets(dock)
        # One that was closed where there is no height for it any more.
        generality = workspace.dock("generality")
        perspective_window.splitDockWidget(workspace.dock("queries"), generality, Qt.Orientation.Vertical)
        generality.close()
        perspective_window.resizeDocks([workspace.dock("queries")], [600], Qt.Orientation.Vertical)
        workspace.show_panel("generality")
        qtbot.wait(100)
        assert workspace.dock("queries") in perspective_window.tabifiedDockWidgets(generality)
        assert workspace.is_shown("generality")


def test_numbers_of_the_generality_panel_are_not_cut_off(qapp, qtbot, subtests):
    for window in a_window(qapp, qtbot, size=(1278, 743)):
        open_in_window(window, resource("demo"), qtbot)
        window.workspace.show_panel("generality")
        panel = window.workspace.panel("generality")
        qtbot.waitUntil(lambda: any(label.text() for label in panel.footer._cells[1]))  # noqa: B023 - within the loop

        def is_cut_off():
            numbers = [label for row in panel.footer._cells for label in row if label.isVisible()]  # noqa: B023
            edge = panel.footer._area.viewport().width()  # noqa: B023 - within the loop
            return any(label.geometry().right() > edge or label.width() < label.sizeHint().width() for label in numbers)

        for percent in (100, 150):
            with subtests.test(percent=percent):
                window.change_settings(replace(window.settings, text_size=percent))
                qtbot.waitUntil(lambda: not is_cut_off())
        window.change_settings(replace(window.settings, text_size=100))
