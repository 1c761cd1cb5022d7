"""Docks of a small window: dragged docks never become slices, and large text leaves no trace in the layout."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication, QTabBar, QWidget
from shared_windows import a_shared_window
from windows import a_window, open_in_window

from shrec_viewer.panels import PANELS
from shrec_viewer.resources import resource

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

SMALL = (1278, 743)
"""What a title bar and a desktop panel leave of a screen of 1280 x 800."""

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"), size=SMALL)


def set_text_size(window, percent, qtbot):
    window.change_settings(replace(window.settings, text_size=percent))
    qtbot.wait(300)


def show_perspective(window, key, qtbot):
    window.workspace.show_perspective(key)
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    qtbot.wait(200)


def tab_bars(window):
    bars = window.workspace.perspective_window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return [bar for bar in bars if bar.isVisible()]


def test_text_size_chosen_on_the_welcome_page_applies_to_all_panels(qapp, qtbot):
    """Widgets that were not shown yet kept the former font: the head of the ranked list was small."""
    for window in a_window(qapp, qtbot, size=SMALL):
        set_text_size(window, 175, qtbot)
        open_in_window(window, resource("demo"), qtbot)
        points = QApplication.font().pointSizeF()
        inherits = [one for one in window.findChildren(QWidget) if not one.testAttribute(Qt.WidgetAttribute.WA_SetFont)]
        assert [type(one).__name__ for one in inherits if abs(one.font().pointSizeF() - points) > 0.01] == []
        set_text_size(window, 100, qtbot)


def stacked(window):
    docks = [window.workspace.dock(key) for key in ("precision_recall", "gain")]
    return docks[1] not in window.workspace.perspective_window.tabifiedDockWidgets(docks[0])


def test_docks_merged_by_large_text_are_stacked_after_a_restart_with_normal_text(qapp, qtbot, tmp_path):
    memory = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        show_perspective(window, "query", qtbot)
        qtbot.waitUntil(lambda: stacked(window))  # noqa: B023 - within the loop
        set_text_size(window, 175, qtbot)
        qtbot.waitUntil(lambda: not stacked(window))  # noqa: B023 - within the loop
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        qtbot.waitUntil(lambda: not stacked(window))  # noqa: B023 - within the loop
        window.workspace.show_panel("gain")
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        window.change_settings(replace(window.settings, text_size=100))
        open_in_window(window, resource("demo"), qtbot)
        qtbot.waitUntil(lambda: stacked(window))  # noqa: B023 - within the loop
        shown = window.workspace.is_shown
        qtbot.waitUntil(lambda: shown("precision_recall") and shown("gain"))  # noqa: B023
        assert window.workspace.perspective_window.is_complete


def test_docks_that_the_user_tabbed_remain_tabs(qapp, qtbot, tmp_path):
    memory = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        workspace = window.workspace
        show_perspective(window, "query", qtbot)
        for key in ("gain", "mesh_view", "calculation"):
            workspace.perspective_window.tabifyDockWidget(workspace.dock("precision_recall"), workspace.dock(key))
        window.resize(1278, 900)
        qtbot.wait(300)
        assert not stacked(window)
    for window in a_window(qapp, qtbot, memory, size=SMALL):
        open_in_window(window, resource("demo"), qtbot)
        qtbot.wait(300)
        assert not stacked(window)


def drag_title(dock, target, qtbot):
    """Drag a dock by its title bar to a global position, as Qt does it: press, moves and release on the dock."""
    title = dock.titleBarWidget()
    start = title.mapToGlobal(QPoint(60, 10))

    def send(kind, position, buttons):
        local = QPointF(title.mapFromGlobal(position))
        button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else LEFT
        QApplication.sendEvent(
            title, QMouseEvent(kind, local, QPointF(position), button, buttons, Qt.KeyboardModifier.NoModifier)
        )

    send(QEvent.Type.MouseButtonPress, start, LEFT)
    for step in range(1, 11):
        send(QEvent.Type.MouseMove, start + (target - start) * step / 10, LEFT)
        qtbot.wait(10)
    qtbot.wait(300)  # the animated gap
    send(QEvent.Type.MouseMove, target + QPoint(1, 0), LEFT)
    qtbot.wait(300)
    send(QEvent.Type.MouseButtonRelease, target + QPoint(1, 0), Qt.MouseButton.NoButton)
    qtbot.waitUntil(lambda: not dock.isFloating())


@pytest.mark.parametrize(
    ("perspective", "panel", "target"),
    [("campaign", "precision_recall", "leaderboard"), ("compare", "queries", "gain_loss")],
)
def test_dock_dragged_by_its_title_bar_becomes_no_slice(opened, qtbot, perspective, panel, target):
    window = opened
    show_perspective(window, perspective, qtbot)
    workspace, perspective_window = window.workspace, window.workspace.perspective_window
    below = workspace.dock(target).geometry()
    place = perspective_window.mapToGlobal(QPoint(below.center().x(), below.bottom() - 12))
    dock = workspace.dock(panel)
    drag_title(dock, place, qtbot)
    qtbot.waitUntil(lambda: perspective_window.tabifiedDockWidgets(dock) != [])
    qtbot.waitUntil(lambda: workspace.is_shown(panel))
    qtbot.waitUntil(lambda: dock.height() >= 200)


def test_opening_a_tabbed_panel_keeps_the_order_of_the_tabs(opened, qtbot):
    window = opened
    show_perspective(window, "campaign", qtbot)
    before = [[bar.tabText(tab) for tab in range(bar.count())] for bar in tab_bars(window)]
    for key in ("confusion", "significance", "calculation", "generality", "leaderboard"):
        window.workspace.show_panel(key)
        qtbot.wait(50)
        assert window.workspace.is_shown(key)
        assert [[bar.tabText(tab) for tab in range(bar.count())] for bar in tab_bars(window)] == before


def test_bottom_panels_are_usable(opened, qtbot, subtests):
    window = opened
    for perspective in ("query", "compare", "campaign", "diagnose", "assess"):
        with subtests.test(perspective=perspective):
            window.workspace.show_perspective(perspective)
            qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
            for key in ("leaderboard", "significance", "gain_loss"):
                window.workspace.show_panel(key)
                qtbot.wait(300)
                panel = window.workspace.panel(key)
                assert panel.height() >= panel.height_hint()[0] - 40, key
                assert window.workspace.panel(window.workspace.perspective_window.centre).height() >= 200
            assert window.statusBar().geometry().bottom() < window.height()


def test_a_dock_that_would_be_a_slice_becomes_a_tab(opened, qtbot):
    window = opened
    workspace, perspective_window = window.workspace, window.workspace.perspective_window
    # A third dock at the right, as by dragging its tab to the edge of the window.
    dock = workspace.dock("leaderboard")
    perspective_window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
    perspective_window.tabs.dropped.emit(dock)
    qtbot.wait(100)
    assert perspective_window.tabifiedDockWidgets(dock)
    # One that was closed where there is no height for it any more.
    significance = workspace.dock("significance")
    perspective_window.splitDockWidget(workspace.dock("queries"), significance, Qt.Orientation.Vertical)
    significance.close()
    perspective_window.resizeDocks([workspace.dock("queries")], [600], Qt.Orientation.Vertical)
    workspace.show_panel("significance")
    qtbot.wait(100)
    assert workspace.dock("queries") in perspective_window.tabifiedDockWidgets(significance)
    assert workspace.is_shown("significance")


def test_no_panel_of_the_right_area_widens_it(opened, qtbot):
    window = opened
    usual = window.workspace.dock("gain").width()
    for panel in PANELS:
        if panel.area in ("left", "right") and "query" in panel.perspectives:
            window.workspace.show_panel(panel.key)
            qtbot.wait(20)
            assert window.workspace.panel(panel.key).minimumSizeHint().width() <= 320, panel.key
            assert window.workspace.dock("precision_recall").width() == usual, panel.key
