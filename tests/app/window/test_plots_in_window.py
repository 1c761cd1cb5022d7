"""Plots in the window: hidden runs, means in the campaign perspective."""

import pytest
from PySide6.QtCore import QPoint, Qt
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.panels.ranking.ranked_list import RankedListCursor
from shrec_viewer.resources import resource

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


def graphs(window):
    return [window.workspace.panel(key) for key in ("precision_recall", "gain")]


def drawn(window):
    return [{curve.label for curve in panel.plot.visible_curves()} for panel in graphs(window)]


def marked(window):
    """Names of the runs that the leaderboard marks as shown."""
    table = window.workspace.panel("leaderboard").model
    role = next(role for role, name in table.roleNames().items() if bytes(name.data()) == b"shown")
    return {table.index(row, 0).data() for row in range(table.rowCount()) if table.index(row, 0).data(role)}


@pytest.mark.parametrize("way", ["menu", "space", "legend"])
def test_selected_run_is_hidden_everywhere_and_can_be_undone(opened, qtbot, way):
    session = opened.session
    session.select(run=1, means=True)
    settle(session, qtbot)
    qtbot.wait(50)
    every = [{"A1", "A2", "B1"}] * 2
    assert drawn(opened) == every
    if way == "menu":
        opened.menus.actions["hide_run"].trigger()
    elif way == "space":
        table = opened.workspace.panel("leaderboard").table
        table.setFocus()
        qtbot.keyClick(table, Qt.Key.Key_Space)
    else:
        legend = graphs(opened)[1].plot._legend
        spot = legend.boxes()[[curve.key for curve, _ in legend._laid_out()[0]].index("1")].center()
        qtbot.mouseClick(legend, Qt.MouseButton.LeftButton, pos=spot)
    assert drawn(opened) == [{"A1", "B1"}] * 2
    assert marked(opened) == {"A1", "B1"}
    assert all(panel.header.hidden_button.text() == "1 hidden · Show" for panel in graphs(opened))
    assert opened.isWindowModified()
    assert opened.menus.actions["undo"].text() == "&Undo hide A2"
    opened.menus.actions["undo"].trigger()
    settle(session, qtbot)
    assert drawn(opened) == every
    assert marked(opened) == {"A1", "A2", "B1"}


def test_isolated_run_is_stored_and_show_all_restores_all_runs(opened, qtbot, tmp_path):
    session = opened.session
    session.select(run=2)
    opened.menus.actions["isolate_run"].trigger()
    settle(session, qtbot)
    assert drawn(opened) == [{"B1"}] * 2
    path = tmp_path / "one.shrec"
    opened.projects.write(path)
    open_in_window(opened, resource("demo"), qtbot)
    open_in_window(opened, path, qtbot)
    assert drawn(opened) == [{"B1"}] * 2
    assert opened.menus.actions["show_all_runs"].isEnabled()
    opened.menus.actions["show_all_runs"].trigger()
    settle(session, qtbot)
    assert drawn(opened) == [{"A1", "A2", "B1"}] * 2
    assert not opened.menus.actions["show_all_runs"].isEnabled()


def scopes(window):
    return [panel.shown_scope()[0].partition(" ")[0] for panel in graphs(window)]


def test_start_in_the_campaign_perspective_shows_means(qapp, qtbot, memory, tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, folder, qtbot)
        window.workspace.show_perspective("campaign")
        qtbot.wait(50)
    for window in a_window(qapp, qtbot, memory):
        assert window.workspace.perspective == "campaign"
        open_in_window(window, folder, qtbot)
        assert window.session.selection.means
        assert scopes(window) == ["mean", "mean"]
        best = window.session.selection.run
        window.menus.actions["perspective_query"].trigger()
        assert window.workspace.perspective == "query"
        assert scopes(window) == ["q1", "q1"]
        window.menus.actions["perspective_campaign"].trigger()
        assert window.workspace.perspective == "campaign"
        assert scopes(window) == ["mean", "mean"]
        assert window.session.selection.run == best == 0, "looking at means is no choice of a run"


def test_folder_opened_in_the_campaign_perspective_shows_means(opened, qtbot, tmp_path):
    opened.workspace.show_perspective("campaign")
    open_in_window(opened, resource("demo"), qtbot)
    assert scopes(opened) == ["mean", "mean"]


@pytest.fixture
def long_list(opened, qtbot):
    open_in_window(opened, resource("demo"), qtbot)
    qtbot.wait(60)
    return opened


def point(window, qtbot, rank):
    """Move the mouse to a rank of the gain plot."""
    canvas = window.workspace.panel("gain").plot._canvas
    spot = canvas.widget_point(rank, 0.97).toPoint()
    qtbot.mouseMove(canvas.viewport(), spot + QPoint(1, 1))
    qtbot.wait(15)
    qtbot.mouseMove(canvas.viewport(), spot)
    qtbot.wait(15)
    return canvas.viewport(), spot


def test_list_follows_the_hovered_rank_of_a_plot_and_scrolls_back(long_list, qtbot):
    session, grid = long_list.session, long_list.workspace.ranked_list.grid
    before = grid.verticalScrollBar().value()
    scroll_timer = grid.findChild(RankedListCursor)._scroll_timer
    delay = scroll_timer.interval()
    scroll_timer.setInterval(3_600_000)
    point(long_list, qtbot, 80)
    rank = session.cursor_state.cursor
    assert 75 <= rank <= 85
    assert not grid.shows_row(rank - 1)
    assert grid.verticalScrollBar().value() == before, "not at once: the mouse may only cross the graph"
    scroll_timer.start(delay)
    qtbot.waitUntil(lambda: grid.shows_row(rank - 1))
    point(long_list, qtbot, 40)
    qtbot.waitUntil(lambda: grid.shows_row(session.cursor_state.cursor - 1))
    qtbot.mouseMove(long_list.workspace.panel("gain").plot._canvas.viewport(), QPoint(2, 2))
    qtbot.waitUntil(lambda: session.cursor_state.cursor is None)
    assert grid.verticalScrollBar().value() == before


def test_click_in_a_plot_keeps_the_list_at_that_rank(long_list, qtbot):
    session, grid = long_list.session, long_list.workspace.ranked_list.grid
    port, spot = point(long_list, qtbot, 80)
    qtbot.waitUntil(lambda: grid.shows_row(session.cursor_state.cursor - 1))
    qtbot.mouseClick(port, Qt.MouseButton.LeftButton, pos=spot)
    picked = session.selection.rank
    assert 75 <= picked <= 85
    qtbot.mouseMove(port, QPoint(2, 2))
    qtbot.wait(250)
    assert grid.shows_row(picked - 1)
