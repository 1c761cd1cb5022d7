"""Layouts are restored on the next start; default sizes in several window sizes."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QStyleOptionComboBox, QTabBar
from sample_benchmark import write_sample_benchmark
from shared_windows import a_shared_window
from windows import a_window, open_in_window, wait_for_layout

from shrec_viewer.app.docking.dock_layout import LEFT_WIDTH
from shrec_viewer.app.startup.settings import LAYOUT_VERSION, Settings, SettingsFile

DOCKS = ("queries", "precision_recall", "gain", "leaderboard")


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture(scope="module")
def sample_benchmark(tmp_path_factory):
    return write_sample_benchmark(tmp_path_factory.mktemp("layouts") / "sample_benchmark")


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, sample_benchmark):
    yield from a_shared_window(qapp, module_qtbot, sample_benchmark)


def rects(window):
    return {key: window.workspace.dock(key).geometry().getRect() for key in DOCKS}


def shown_text(field):
    option = QStyleOptionComboBox()
    field.initStyleOption(option)
    return option.currentText


def rows_in_sight(window):
    table = window.workspace.panel("leaderboard").table
    return table.viewport().height() / table.verticalHeader().defaultSectionSize()


def test_quitting_on_the_welcome_page_stores_no_layout(opened, qapp, qtbot, memory, sample_benchmark):
    expected = rects(opened)
    for window in a_window(qapp, qtbot, memory):
        window.close()
    assert SettingsFile(memory).read().layouts == {}
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        workspace = window.workspace
        for key, rect in rects(window).items():  # only one of them has a scroll bar
            assert all(abs(a - b) <= 16 for a, b in zip(rect, expected[key], strict=True)), key
        assert workspace.dock("findings") in workspace.perspective_window.tabifiedDockWidgets(
            workspace.dock("leaderboard")
        )


def test_quitting_while_reading_stores_no_layout(qapp, qtbot, memory, sample_benchmark):
    for window in a_window(qapp, qtbot, memory):
        window.open_path(sample_benchmark)
        window.close()
    assert SettingsFile(memory).read().layouts == {}


def test_quitting_on_the_welcome_page_keeps_the_stored_layouts(qapp, qtbot, memory, sample_benchmark):
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
    left = SettingsFile(memory).read().layouts
    assert left
    for window in a_window(qapp, qtbot, memory):
        window.close()
    assert SettingsFile(memory).read().layouts == left


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_restart_restores_all_dock_sizes(opened, qapp, qtbot, memory, sample_benchmark, size):
    """Not in `opened`: the menu bar of the first window of a process is 1 px lower than those of later ones."""
    for window in a_window(qapp, qtbot, memory, size):
        open_in_window(window, sample_benchmark, qtbot)
        docks = [window.workspace.dock(key) for key in ("queries", "gain")]
        window.workspace.perspective_window.sizes.keep()  # as when a separator is dragged
        window.workspace.perspective_window.resizeDocks(docks, [301, 377], Qt.Orientation.Horizontal)
        window.workspace.perspective_window.resizeDocks(
            [window.workspace.dock("leaderboard")], [205], Qt.Orientation.Vertical
        )
        qtbot.wait(50)
        expected = rects(window)
    for _ in range(2):
        for window in a_window(qapp, qtbot, memory, size):
            open_in_window(window, sample_benchmark, qtbot)
            assert rects(window) == expected


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_restored_floating_dock_is_painted(qapp, qtbot, memory, sample_benchmark):
    """Qt does not enable the updates of a window with those of its parent."""
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        window.workspace.dock("gain").setFloating(True)
        qtbot.wait(30)
        window.close()
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        dock = window.workspace.dock("gain")
        assert dock.isFloating()
        assert dock.isVisible()
        qtbot.waitUntil(lambda: all(part.updatesEnabled() for part in (dock, dock.panel)))  # noqa: B023


def test_docks_squeezed_by_a_small_window_have_their_sizes_in_a_large_one(qapp, qtbot, memory, sample_benchmark):
    for window in a_window(qapp, qtbot, memory, size=(640, 480)):
        open_in_window(window, sample_benchmark, qtbot)
        wait_for_layout(qtbot)
        assert window.workspace.dock("queries").width() < LEFT_WIDTH
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        assert window.workspace.dock("queries").width() == LEFT_WIDTH
        assert window.workspace.perspective_window.sizes.are_met()


def test_layouts_are_stored_with_the_current_version(qapp, qtbot, memory, sample_benchmark):
    SettingsFile(memory).write(Settings(layouts={"query": "b2xk"}, layout_version=LAYOUT_VERSION - 1))
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        window.workspace.dock("gain").close()
    assert SettingsFile(memory).read().layout_version == LAYOUT_VERSION
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, sample_benchmark, qtbot)
        assert not window.workspace.dock("gain").isVisible()


@pytest.mark.parametrize(
    ("size", "n_runs", "rows"), [((1280, 800), 13, 4), ((1920, 1080), 13, 8), ((1920, 1080), 3, 4)]
)
def test_table_of_runs_shows_enough_rows(qapp, qtbot, tmp_path, size, n_runs, rows):
    sample_benchmark = write_sample_benchmark(tmp_path / "sample_benchmark")
    names = [f"R{number}" for number in range(4, n_runs + 1)]
    text = (sample_benchmark / "benchmark.toml").read_text()
    text += "".join(f'\n[[runs]]\nname = "{name}"\npath = "runs/A2"\n' for name in names)
    (sample_benchmark / "benchmark.toml").write_text(text)
    for window in a_window(qapp, qtbot, size=size):
        open_in_window(window, sample_benchmark, qtbot)
        assert len(window.session.benchmark.runs) == n_runs
        assert rows <= rows_in_sight(window) < rows + 5
        assert window.workspace.ranked_list.height() >= window.workspace.height() * 0.6


def test_all_fields_are_visible_in_a_narrow_window(opened, qtbot):
    opened.resize(900, 600)
    wait_for_layout(qtbot)
    bar = opened.tool_bar
    fields = (bar.query, bar.run, bar.measure)
    for widget in (*fields, bar.conventions.button):
        assert widget.isVisible()
        assert widget.geometry().right() <= widget.parentWidget().width()
    assert all(shown_text(field) == field.currentText() for field in fields)
    bar.run.setItemText(bar.run.currentIndex(), "a run with a name that is too long for any field of the tool bar")
    assert shown_text(bar.run).endswith("…")


@pytest.mark.parametrize("size", [(1280, 800), (1920, 1080)])
def test_campaign_layout_fits_confusion_and_heat_map(opened, qtbot, size):
    window = opened
    window.resize(*size)
    wait_for_layout(qtbot)
    window.workspace.show_perspective("campaign")
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    window.workspace.show_panel("confusion")
    qtbot.wait(50)
    workspace = window.workspace
    assert workspace.height() * 0.5 <= workspace.dock("confusion").height() <= workspace.height() * 0.6
    assert workspace.panel("heat_map").height() >= workspace.height() * 0.38
    assert workspace.panel("heat_map").grid.verticalScrollBar().maximum() == 0


def elided_tabs(window):
    """Tabs that are narrower than their text, or those of docks outside their tab bar; names of views are scrolled."""
    perspective_window = window.workspace.perspective_window
    bars = [bar for bar in perspective_window.findChildren(QTabBar) if bar.isVisible()]
    assert bars
    return [
        bar.tabText(tab)
        for bar in bars
        for tab in range(bar.count())
        if bar.tabRect(tab).width() < bar.fontMetrics().horizontalAdvance(bar.tabText(tab)) + 12
        or (bar.parent() is perspective_window and bar.tabRect(tab).right() > bar.width())
    ]


def test_no_tab_is_elided_with_large_text(opened, qtbot, subtests):
    window = opened
    for percent in (125, 150):
        window.change_settings(replace(window.settings, text_size=percent))
        for perspective in ("query", "compare", "campaign", "diagnose", "assess"):
            with subtests.test(percent=percent, perspective=perspective):
                window.workspace.show_perspective(perspective)
                qtbot.wait(150)
                qtbot.waitUntil(lambda: elided_tabs(window) == [])


def test_right_area_keeps_its_width_with_every_tab(opened, qtbot):
    window = opened
    window.session.select(run=0, compared=1, rank=1)
    workspace = window.workspace
    width = workspace.dock("precision_recall").width()
    for key in ("mesh_view", "calculation", "contingency", "gain"):
        workspace.show_panel(key)
        qtbot.waitUntil(lambda key=key: workspace.is_shown(key))
        qtbot.wait(30)
        assert workspace.dock("precision_recall").width() == width, key
