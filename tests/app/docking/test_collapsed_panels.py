"""The panels at the bottom collapse to their titles: by the tab of the current one, by a key, in low windows."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar
from sample_benchmark import write_sample_benchmark
from windows import a_window, open_in_window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


def settled(window, qtbot):
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    qtbot.wait(200)


def bar_of(window):
    """The tab bar of the panels at the bottom."""
    bars = window.workspace.perspective_window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return next(bar for bar in bars if "Runs" in [bar.tabText(tab) for tab in range(bar.count())])


def click(window, qtbot, title):
    bar = bar_of(window)
    tab = next(tab for tab in range(bar.count()) if bar.tabText(tab) == title)
    qtbot.mouseClick(bar, LEFT, pos=bar.tabRect(tab).center())
    settled(window, qtbot)


def height(window):
    """Height of the ranked list and of the table of runs."""
    return window.workspace.ranked_list.height(), window.workspace.panel("leaderboard").isVisible()


def test_tab_and_key_collapse_and_expand(qapp, qtbot, folder):
    for window in a_window(qapp, qtbot):
        open_in_window(window, folder, qtbot)
        settled(window, qtbot)
        workspace = window.workspace
        list_height, _ = before = height(window)
        widths = workspace.ranked_list.width()
        click(window, qtbot, "Runs")
        assert workspace.perspective_window.is_collapsed
        collapsed = height(window)
        assert collapsed[0] > list_height + 100
        assert not collapsed[1], "it computes nothing, and the keyboard does not reach it"
        assert bar_of(window).isVisible()
        assert workspace.ranked_list.width() == widths
        click(window, qtbot, "Runs")
        assert height(window) == before
        window.menus.actions["collapse_bottom"].trigger()
        settled(window, qtbot)
        assert height(window) == collapsed
        click(window, qtbot, "Files")
        assert height(window)[0] == list_height
        assert workspace.is_shown("findings")
        assert not workspace.perspective_window.is_collapsed
        window.menus.actions["collapse_bottom"].trigger()
        settled(window, qtbot)
        workspace.show_panel("leaderboard")
        settled(window, qtbot)
        assert workspace.is_shown("leaderboard"), "a panel that is opened by a command is seen"


def test_collapsed_panels_are_part_of_the_layout(qapp, qtbot, folder, tmp_path):
    memory = tmp_path / "settings.json"
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, folder, qtbot)
        settled(window, qtbot)
        before = height(window)
        click(window, qtbot, "Runs")
        collapsed = height(window)
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, folder, qtbot)
        settled(window, qtbot)
        assert window.workspace.perspective_window.is_collapsed
        assert height(window) == collapsed
        window.workspace.show_perspective("campaign")
        settled(window, qtbot)
        assert not window.workspace.perspective_window.is_collapsed, "each perspective has its own layout"
        assert window.workspace.panel("leaderboard").isVisible()
        window.workspace.show_perspective("query")
        settled(window, qtbot)
        assert height(window) == collapsed
        click(window, qtbot, "Runs")
        assert height(window) == before


def test_low_windows_start_collapsed_and_leave_larger_ones_open(qapp, qtbot, folder, tmp_path):
    for size, expected in (((1280, 700), True), ((1280, 720), False)):
        for window in a_window(qapp, qtbot, tmp_path / "settings.json", size=size):
            open_in_window(window, folder, qtbot)
            settled(window, qtbot)
            assert window.workspace.perspective_window.is_collapsed == expected
