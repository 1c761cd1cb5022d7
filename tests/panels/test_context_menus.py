"""Context menus of runs, queries and heat map, by right click and menu key."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from shrec_viewer.panels.comparison.gain_loss import GainLossPanel
from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.scores.confusion import ConfusionPanel, cell_hits
from shrec_viewer.panels.scores.heat_map import HeatMapPanel
from shrec_viewer.panels.scores.run_intervals import PracticalPanel, SignificancePanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel, RunScoresPanel
from shrec_viewer.viewmodels.session.selection import CalculationTarget

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support (raise|grabbing)", extend=True)

MOUSE, KEYBOARD = QContextMenuEvent.Reason.Mouse, QContextMenuEvent.Reason.Keyboard


def menu_at(widget, place, reason=MOUSE):
    """The context menu at a position of a widget, opened by QContextMenuEvent."""
    QApplication.sendEvent(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))
    menus = [top for top in QApplication.topLevelWidgets() if isinstance(top, QMenu) and top.isVisible()]
    assert len(menus) == 1
    return menus[0]


def texts(menu):
    return [action.text().partition("\t")[0].replace("&", "") for action in menu.actions() if action.text()]


def choose(menu, words):
    """Trigger the entry of the menu or a submenu that starts with this text, and close the menu."""
    entries = [*menu.actions(), *(action for part in menu.findChildren(QMenu) for action in part.actions())]
    entry = next(action for action in entries if action.text().replace("&", "").startswith(words))
    assert entry.isEnabled()
    entry.trigger()
    menu.close()


def test_run_menu_selects_compares_and_hides(opened, show, qtbot):
    panel = show(LeaderboardPanel(opened))
    table, name = panel.table, opened.benchmark.runs[1].name
    row = next(row for row in range(table.model().rowCount()) if table.model().index(row, 0).data() == name)
    at = table.visualRect(table.model().index(row, 0)).center()
    opened.select(run=0)
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.RightButton, pos=at)
    assert table.currentIndex().row() != row, "asking for a menu selects nothing"
    menu = menu_at(table.viewport(), at)
    assert texts(menu)[:5] == [
        f"Select {name} as run A", f"Compare with {name} (run B)", "Hide in plots", "Show only this run", "Colour…",
    ]  # fmt: skip
    choose(menu, "Compare with")
    assert (opened.selection.run, opened.selection.compared) == (0, 1)
    choose(menu_at(table.viewport(), at), "Stop comparing")
    assert opened.selection.compared is None
    choose(menu_at(table.viewport(), at), "Hide")
    assert 1 not in opened.selection.visible_runs
    choose(menu_at(table.viewport(), at), "Show in plots")
    choose(menu_at(table.viewport(), at), "Select")
    assert opened.selection.run == 1
    requested_runs = []
    opened.cursor_state.colour_requested.connect(requested_runs.append)
    choose(menu_at(table.viewport(), QPoint(), KEYBOARD), "Colour")
    assert requested_runs == [1]
    choose(menu_at(table.viewport(), at), "Copy run name")
    assert QGuiApplication.clipboard().text() == name


@pytest.mark.parametrize("kind", [PrecisionRecallPanel, GainPanel])
def test_curve_legend_entry_and_plot_have_context_menus(opened, show, settled, qtbot, kind):
    panel = show(kind(opened))
    panel.resize(420, 420)
    settled()
    opened.select(run=0)
    legend = panel.plot._legend
    entry, box = next((c, b) for c, b in legend._laid_out()[0] if c.key == "1")
    menu = menu_at(legend, box.center())
    assert f"Select {entry.label} as run A" in texts(menu)
    assert "Random baseline" not in texts(menu), "the menu of a curve has no options of the graph"
    choose(menu, "Random baseline")
    assert panel.header.is_on("show", "random")
    choose(menu_at(legend, box.center()), "Select")
    assert opened.selection.run == 1
    curve = next(curve for curve in panel.plot.visible_curves() if curve.key == "0")
    middle = len(curve.x) // 2
    at = panel.plot._canvas.widget_point(curve.x[middle], curve.y[middle]).toPoint()
    menu = menu_at(panel.plot._canvas.viewport(), at)
    assert texts(menu)[0].startswith("Select")
    menu.close()
    menu = menu_at(panel.plot._canvas.viewport(), QPoint(2, panel.plot._canvas.height() - 3))
    assert not any(words.startswith("Select") for words in texts(menu))
    assert "Show all runs" in texts(menu)
    menu.close()


def test_query_list_menu_writes_a_note_and_copies_the_id(opened, show, settled, qtbot):
    panel = show(QueriesPanel(opened))
    settled()
    opened.select(query=0)
    at = panel.list.visualRect(panel.list.model().index(1, 0)).center()
    qtbot.mouseClick(panel.list.viewport(), Qt.MouseButton.RightButton, pos=at)
    assert panel.list.currentIndex().row() == 0, "asking for a menu selects nothing"
    expected = []
    opened.cursor_state.view_requested.connect(expected.append)
    opened.cursor_state.note_requested.connect(lambda: expected.append("note"))
    name = opened.benchmark.queries.ids[1]
    offered = ["Open in 3D", "Lists of all runs", "Edit note…", "Copy query id"]
    menu = menu_at(panel.list.viewport(), at)
    assert texts(menu) == [f"Show ranked list of {name}", *offered]
    choose(menu, "Copy query id")
    assert QGuiApplication.clipboard().text() == name
    choose(menu_at(panel.list.viewport(), at), "Open in 3D")
    choose(menu_at(panel.list.viewport(), at), "Edit note")
    assert expected == ["mesh_view", "note"]
    assert opened.selection.query == 1
    menu = menu_at(panel.list.viewport(), QPoint(-5, -5), KEYBOARD)
    assert texts(menu)[0] == f"Show ranked list of {name}"
    menu.close()


def test_query_rows_have_the_menu_of_queries(opened, show, settled):
    panel = show(RunScoresPanel(opened))
    settled()
    at = panel.table.visualRect(panel.table.model().index(0, 0)).center()
    menu = menu_at(panel.table.viewport(), at)
    assert "Edit note…" in texts(menu)
    menu.close()


def test_heat_map_has_menus_for_cells_runs_and_queries(opened, show, settled):
    panel = show(HeatMapPanel(opened))
    settled()
    grid, benchmark = panel.grid, opened.benchmark
    runs, queries = [run.name for run in benchmark.runs], benchmark.queries.index
    expected = []
    opened.cursor_state.view_requested.connect(expected.append)
    run, query = runs.index(grid.cells.rows[1]), queries[grid.cells.columns[0]]
    at = grid.cell_rect(1, 0).center()
    choose(menu_at(grid.viewport(), at), "Show ranked list")
    assert (opened.selection.run, opened.selection.query, expected) == (run, query, ["query"])
    choose(menu_at(grid.viewport(), QPoint(), KEYBOARD), "Show calculation")
    assert opened.cursor_state.calculation_target == CalculationTarget(opened.measure, run, query)
    side = QPoint(6, grid.cell_rect(1, 0).center().y())
    choose(menu_at(grid.viewport(), side), "Sort queries by this run")
    values = opened.scores.values[run][:, opened.scores.column(opened.measure)][
        [queries[name] for name in grid.cells.columns]
    ]
    known = values[values == values]
    assert (known[:-1] >= known[1:]).all()
    assert panel.queries_by.currentText() == f"by {opened.benchmark.runs[run].name}"
    top = QPoint(grid.cell_rect(0, 1).center().x(), grid._layout.top - 4)
    chosen = queries[grid.cells.columns[1]]
    choose(menu_at(grid.viewport(), top), "Sort runs by this query")
    values = opened.scores.values[:, chosen, opened.scores.column(opened.measure)][
        [runs.index(name) for name in grid.cells.rows]
    ]
    known = values[values == values]
    assert (known[:-1] >= known[1:]).all()
    state = panel.options.state()
    panel.set_state({})
    assert panel.options.state() != state
    panel.set_state(state)
    assert panel.options.state() == state
    assert panel.runs_by.currentText() == f"by {opened.benchmark.queries.ids[chosen]}"


def test_difference_bars_have_a_menu(opened, show, settled):
    opened.select(run=0, compared=1)
    bars = show(GainLossPanel(opened))
    settled()
    query = int(bars._order[2])
    menu = menu_at(bars.bars.viewport(), bars.bars.column(2).center().toPoint())
    choose(menu, "Copy query id")
    assert QGuiApplication.clipboard().text() == opened.benchmark.queries.ids[query]


@pytest.mark.parametrize("kind", [SignificancePanel, PracticalPanel])
def test_rows_of_intervals_have_the_menu_of_their_run(kind, opened, show, settled):
    panel = show(kind(opened))
    settled()
    name = panel.chart.rows[1].name
    menu = menu_at(panel.chart.viewport(), panel.chart.row_rect(1).center().toPoint())
    choose(menu, "Copy run name")
    assert QGuiApplication.clipboard().text() == name


def test_confusion_cell_has_a_context_menu(opened, show, settled, qtbot):
    panel = show(ConfusionPanel(opened), 700, 500)
    settled()
    row, column = (int(place) for place in np.argwhere(panel.grid.cells.values > 0)[0])
    at, viewport = panel.grid.cell_rect(row, column).center(), panel.grid.viewport()
    places = cell_hits(panel.computation.result, panel.tier, row, column)
    choose(menu_at(viewport, at), "Copy query ids")
    assert QGuiApplication.clipboard().text().split("\n") == list(dict.fromkeys(query for query, *_ in places))
    choose(menu_at(viewport, at), "Copy model ids")
    assert set(QGuiApplication.clipboard().text().split("\n")) == {model for _, _, model, _ in places}
    choose(menu_at(viewport, at), "Copy cell text")
    assert "of the first tier, mean of" in QGuiApplication.clipboard().text()
    with qtbot.waitSignal(opened.cursor_state.view_requested) as expected:
        choose(menu_at(viewport, at), "Go to")
    assert expected.args == ["query"]
    _, rank, _, place = places[0]
    assert (opened.selection.query, opened.selection.rank) == (place, rank)
    empty = next((int(r), int(c)) for r, c in np.argwhere(panel.grid.cells.values == 0))
    menu = menu_at(viewport, panel.grid.cell_rect(*empty).center())
    assert texts(menu)[0] == "No models in this cell"
    menu.close()
