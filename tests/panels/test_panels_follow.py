"""Selecting a query, run or rank in one panel, by mouse or keys, updates all others."""

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QStyleOptionComboBox, QWidget
from sample_benchmark import only_meshes, write_sample_benchmark
from sessions import open_in

from shrec_viewer.panels.files.findings import FindingsPanel
from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.ranking.ranked_list import RankedListPanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel
from shrec_viewer.viewmodels.ranking.ranked_list import list_summaries, tier_cuts
from shrec_viewer.widgets.plots.canvas import PlotCanvas
from shrec_viewer.widgets.plots.overlays import NO_CURSOR


@pytest.fixture
def opened(session, sample_benchmark, qtbot):
    """The sample benchmark, opened and evaluated."""
    return open_in(session, sample_benchmark, qtbot)


LEFT = Qt.MouseButton.LeftButton


class Desk(QWidget):
    """All panels in one widget."""

    def __init__(self, session):
        super().__init__()
        self.queries = QueriesPanel(session)
        self.results = RankedListPanel(session)
        self.curves = PrecisionRecallPanel(session)
        self.gain = GainPanel(session)
        self.table = LeaderboardPanel(session)
        self.findings = FindingsPanel(session)
        layout = QHBoxLayout(self)
        for panel in (self.queries, self.results, self.curves, self.gain, self.table, self.findings):
            layout.addWidget(panel)

    def cards(self):
        model = self.results.model
        return [model.index(row, 0).data() for row in range(model.rowCount())]


@pytest.fixture
def desk(opened, show, settled):
    """The panels; not painted, which takes a third of the time."""
    desk = Desk(opened)
    desk.setUpdatesEnabled(False)
    show(desk, 2400, 700)
    settled()
    return desk


def click_row(qtbot, view, row, column=0):
    rect = view.visualRect(view.model().index(row, column))
    # Right of the centre: the line sample left of a run's name toggles the run.
    qtbot.mouseClick(view.viewport(), LEFT, pos=QPoint(rect.left() + round(rect.width() * 0.7), rect.center().y()))


def row_of_run(desk, name):
    model = desk.table.table.model()
    return next(row for row in range(model.rowCount()) if model.index(row, 0).data() == name)


def test_query_selected_by_mouse_updates_all_panels(desk, opened, settled, qtbot):
    click_row(qtbot, desk.queries.list, 2)
    settled()
    assert opened.selection.query == 2
    assert desk.cards()[0] == "m5"
    assert desk.results.header.accessibleName().startswith("q3, chair, A1 (Ada)")
    drawn = {curve.run: curve for curve in desk.gain._curves.curves}
    assert drawn[0].is_defined
    assert not drawn[2].is_defined  # B1 has no list for q3


def test_query_selected_by_key_updates_all_panels(desk, opened, settled, qtbot):
    desk.queries.list.setFocus()
    qtbot.keyClick(desk.queries.list, Qt.Key.Key_Down)
    settled()
    assert opened.selection.query == 1
    assert desk.cards()[0] == "m3"
    qtbot.keyClick(desk.queries.list, Qt.Key.Key_End)
    settled()
    assert opened.selection.query == 2
    assert desk.cards()[0] == "m5"


def test_run_selected_in_the_table_updates_all_panels(desk, opened, settled, qtbot):
    click_row(qtbot, desk.table.table, row_of_run(desk, "B1"))
    settled()
    assert opened.run.name == "B1"
    assert desk.cards() == ["m5", "m6", "m1"]
    assert desk.results.header.accessibleName().startswith("q1, cat, B1 (Ben)")
    assert desk.gain.plot._selected_key == "2"
    queries = desk.queries._queries
    assert [queries.index(row, 0).data(_role(queries, "missing")) for row in range(3)] == [False, False, True]


def test_run_selected_by_key_in_the_table_updates_all_panels(desk, opened, settled, qtbot):
    table = desk.table.table
    click_row(qtbot, table, 0)
    first = opened.run.name
    qtbot.keyClick(table, Qt.Key.Key_Down)
    settled()
    assert opened.run.name != first
    assert opened.run.name == table.model().index(1, 0).data()


def test_clicked_score_selects_its_measure_in_all_panels(desk, opened, settled, qtbot):
    column = desk.table.model.column_of("FT")
    click_row(qtbot, desk.table.table, row_of_run(desk, "A2"), column)
    settled()
    assert opened.measure == "FT"
    assert opened.run.name == "A2"
    assert desk.queries.header._caption.text().startswith("FT of A2")


def test_clicked_card_selects_the_rank_in_all_panels(desk, opened, settled, qtbot):
    grid = desk.results.grid
    qtbot.mouseClick(grid.viewport(), LEFT, pos=grid.visualRect(grid.model().index(2, 0)).center())
    assert opened.selection.rank == 3
    assert desk.gain.plot.current_cursor.x == 3.0
    # Three of four relevant models are retrieved: the line of rank 3 is p = 4/3 r, the marker is at recall 3/4.
    assert desk.curves.plot.current_cursor.slope == pytest.approx(4 / 3)
    assert dot_of(desk.curves, opened.selection.run).x == pytest.approx(3 / 4)


def test_arrow_keys_step_through_the_ranks(desk, opened, qtbot):
    grid = desk.results.grid
    grid.setFocus()
    opened.select(rank=1)
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert opened.selection.rank == 2
    qtbot.keyClick(grid, Qt.Key.Key_End)
    assert opened.selection.rank == 8
    qtbot.keyClick(grid, Qt.Key.Key_Home)
    assert opened.selection.rank == 1


def test_rank_selected_elsewhere_is_current_in_the_grid(desk, opened):
    opened.select(rank=4)
    assert desk.results.grid.currentIndex().row() == 3
    opened.deselect_rank()
    assert not desk.results.grid.currentIndex().isValid()


def test_click_in_a_plot_selects_the_rank(desk, opened, settled, qtbot):
    canvas = desk.gain.plot.findChild(PlotCanvas)
    point = canvas.widget_point(5.0, 0.5)
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=QPoint(round(point.x()), round(point.y())))
    qtbot.waitUntil(lambda: opened.selection.rank is not None)
    assert opened.selection.rank in (4, 5, 6)


def test_clicked_curve_selects_its_run(desk, opened, settled, qtbot):
    canvas = desk.gain.plot.findChild(PlotCanvas)
    curve = desk.gain._curves.curves[2]
    point = canvas.widget_point(60.0, float(curve.y[59]))
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=QPoint(round(point.x()), round(point.y())))
    qtbot.waitUntil(lambda: opened.run.name == "B1")


def test_filter_matches_classes_and_keeps_the_selection(desk, opened, settled, qtbot):
    desk.queries.focus_filter()
    qtbot.keyClicks(desk.queries.header._filter, "chai")
    assert desk.queries.list.model().rowCount() == 1
    assert opened.selection.query == 0
    click_row(qtbot, desk.queries.list, 0)
    settled()
    assert opened.selection.query == 2
    desk.queries.step(1)
    assert opened.selection.query == 2


def test_filter_without_match_shows_a_message_and_can_be_cleared(desk, opened, qtbot):
    desk.queries.focus_filter()
    qtbot.keyClicks(desk.queries.header._filter, "zebra")
    assert desk.queries._no_match.isVisible()
    assert desk.queries._no_match.accessibleName().startswith("No query contains “zebra”")
    assert desk.queries.is_empty
    qtbot.mouseClick(desk.queries._no_match.findChild(QPushButton), LEFT)
    assert desk.queries.header._filter.text() == ""
    assert desk.queries.list.isVisible()
    assert desk.queries.list.model().rowCount() == 3


def test_escape_clears_the_filter_and_then_leaves_it(desk, opened, qtbot):
    desk.activateWindow()
    desk.queries.focus_filter()
    qtbot.keyClicks(desk.queries.header._filter, "cat")
    qtbot.keyClick(desk.queries.header._filter, Qt.Key.Key_Escape)
    assert desk.queries.header._filter.text() == ""
    assert desk.queries.header._filter.hasFocus()
    qtbot.keyClick(desk.queries.header._filter, Qt.Key.Key_Escape)
    assert desk.queries.list.hasFocus()


def test_missed_models_take_a_third_or_one_row_of_cards(desk, opened, settled, qtbot):
    opened.select(run=2)
    settled()
    qtbot.mouseClick(desk.results.footer.switch, LEFT)
    for height in (700, 400, 300):
        desk.resize(2400, height)
        qtbot.wait(20)
        grid = desk.results.missed_grid
        line = grid.full_card_height() + 12
        assert grid.height() <= max(desk.results.height() / 3, min(line, 0.45 * desk.results.height()))
        assert grid.height() >= min(line - 12, int(0.45 * desk.results.height()))


def test_cards_are_small_without_model_files(session, tmp_path, show, settled, qtbot):
    panel = show(RankedListPanel(session))
    panel.set_card_size("L")
    bare = write_sample_benchmark(tmp_path / "bare")
    for mesh in (*bare.glob("models/*"), *bare.glob("queries/*")):
        mesh.unlink()
    session.open(bare)
    settled()
    assert not panel.has_files
    assert panel.grid.card_size_name() == "T"
    panel.set_card_size("M")
    assert panel.grid.card_size_name() == "T"
    session.open(write_sample_benchmark(tmp_path / "full"))
    settled()
    assert panel.has_files
    assert panel.grid.card_size_name() == "M"


def test_collection_without_runs_shows_its_models(session, tmp_path, show, settled, qtbot):
    panel = show(RankedListPanel(session))
    session.open(only_meshes(tmp_path / "meshes"))
    settled()
    assert not panel.is_empty
    assert panel.grid.model().rowCount() == 8
    assert panel.header.accessibleName() == "8 models, no queries"
    assert panel.shown_thumbnails == 8
    qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=panel.grid.visualRect(panel.grid.model().index(2, 0)).center())
    assert session.selection.model == 2
    assert panel.grid.currentIndex().row() == 2
    session.deselect_rank()
    assert not panel.grid.currentIndex().isValid()


def test_steps_follow_the_order_shown(desk, opened, settled):
    opened.select(run=1, measure="AP")
    settled()
    desk.queries.header.order_selected.emit("worst")
    assert desk.queries.header._order.currentText() == "Lowest first"
    order = [desk.queries._shown.query_of(row) for row in range(3)]
    opened.select(query=order[0])
    desk.queries.step(1)
    assert opened.selection.query == order[1]
    desk.queries.step(-1)
    assert opened.selection.query == order[0]


def test_missing_list_is_named_as_missing(desk, opened, settled):
    opened.select(query=2, run=2)
    settled()
    assert desk.results.is_empty
    assert desk.results._no_results.isVisible()
    assert desk.results._no_results.accessibleName() == (
        "B1 has no results for q3. SHREC 2006: missing queries score 0."
    )
    assert desk.results.header.isVisible()
    assert desk.results.header.accessibleName().startswith("q3, chair, B1 (Ben)")
    opened.set_profile("trec")
    settled()
    assert desk.results._no_results.accessibleName().endswith("excluded from the means of this run.")
    opened.select(query=1)
    settled()
    assert not desk.results.is_empty


def test_relevant_models_that_were_not_retrieved_can_be_shown(desk, opened, settled, qtbot):
    assert not desk.results.footer.switch.isVisible()
    opened.select(run=2)
    settled()
    switch = desk.results.footer.switch
    assert switch.accessibleName() == "3 relevant models not retrieved"
    assert switch.text() in (switch.accessibleName(), "3 not retrieved")  # shorter in a narrow panel
    assert not desk.results.missed_grid.isVisible()
    qtbot.mouseClick(desk.results.footer.switch, LEFT)
    assert desk.results.missed_grid.isVisible()
    assert desk.results.missed_model.rowCount() == 3
    opened.select(run=0)
    settled()
    assert not desk.results.missed_grid.isVisible()


def test_means_can_be_shown(desk, opened, settled, qtbot):
    qtbot.mouseClick(desk.gain.header.aggregation.button("mean"), LEFT)
    settled()
    assert opened.selection.means
    qtbot.mouseClick(desk.table.aggregation.button("query"), LEFT)
    assert desk.table.model.of == "query"
    opened.select(rank=2)
    assert desk.gain.plot.current_cursor.x == 2.0  # the current rank, on the mean curves
    qtbot.mouseClick(desk.curves.header.aggregation.button("query"), LEFT)
    assert desk.gain.plot.current_cursor.x == 2.0


def test_mean_is_chosen_for_both_plots(desk, opened, settled, qtbot):
    assert (desk.gain.header.aggregation.current, desk.curves.header.aggregation.current) == ("query", "query")
    qtbot.mouseClick(desk.gain.header.aggregation.button("mean"), LEFT)
    settled()
    assert (desk.gain.header.aggregation.current, desk.curves.header.aggregation.current) == ("mean", "mean")
    mean = opened.scores.curve(desk.curves.kind.key, 0, None, 100)
    assert desk.curves._curves.curves[0].y == pytest.approx(mean.y, nan_ok=True)
    desk.curves._set_kind("PR")
    assert "mean at equal recall, 20 points" in desk.curves.header.kinds.toolTip()
    opened.select(means=False)
    assert "mean precision" not in desk.curves.header.kinds.toolTip()
    assert desk.curves.header.aggregation.current == "query"


def dot_of(panel, run):
    """Point of the current rank on the curve of a run."""
    return next(dot for dot in panel.plot.current_cursor.dots if dot.key == str(run))


def test_stepping_through_ranks_moves_the_cursor_of_both_plots(desk, opened, settled, qtbot):
    opened.select(run=1)  # levels 0 2 0 2 1 0 0 1
    settled()
    grid = desk.results.grid
    grid.setFocus()
    opened.select(rank=1)
    places = []
    for _ in range(5):
        places.append((desk.gain.plot.current_cursor.x, dot_of(desk.curves, 1).x))
        qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert math.isnan(places[0][1]), "before the first hit there is no curve"
    expected = [
        (2.0, 0.25),
        (3.0, 0.375),
        (4.0, 0.5),
        (5.0, 0.75),
    ]  # at rank 3 between two hits, on the line of the rank
    assert places[1:] == [pytest.approx(place) for place in expected]
    opened.deselect_rank()
    assert desk.gain.plot.current_cursor == desk.curves.plot.current_cursor == NO_CURSOR


def test_run_hidden_in_the_table_disappears_from_plots(desk, opened, settled, qtbot):
    table = desk.table.table
    row = row_of_run(desk, "B1")
    rect = table.visualRect(table.model().index(row, 0))
    qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(rect.left() + 12, rect.center().y()))
    settled()
    assert opened.selection.shown_runs == (0, 1)
    assert [curve.key for curve in desk.gain.plot.visible_curves()] == ["0", "1"]


def test_list_summaries_text(opened):
    shown = opened.ranked_list
    assert list_summaries(shown, opened.profile, 4, judged=True) == (
        "8 models listed · 4 of 4 relevant retrieved · first at rank 1",
        "8 models listed · 4 of 4 relevant retrieved",
        "8 listed · 4/4 relevant",
        "4/4 relevant",
    )
    assert list_summaries(shown, opened.profile, 0, judged=False)[0] == "8 models listed"
    assert tier_cuts(4) == [(4, "1st tier"), (8, "2nd tier")]
    assert tier_cuts(0) == []


def test_findings_show_errors_first(desk):
    model = desk.findings.table.model()
    words = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert words[0] == "warning"
    assert set(words[1:]) == {"note"}


def _role(model, name):
    return next(number for number, found in model.roleNames().items() if found == name.encode())


def test_axis_label_is_the_key_where_the_name_does_not_fit(opened, show, settled, qtbot):
    panel = show(GainPanel(opened), 700, 900)
    settled()
    words, choice = [], []
    for width, height in ((700, 900), (330, 350), (330, 200)):
        panel.resize(width, height)
        qtbot.wait(20)
        words.append(panel.plot.findChild(PlotCanvas)._left.labelText)
        option = QStyleOptionComboBox()
        panel.header.kinds.initStyleOption(option)
        choice.append(option.currentText)
    assert words == [panel.kind.y_label, panel.kind.y_label, "NDCG"]
    assert choice == ["NDCG  Normalised discounted cumulated gain", "NDCG", "NDCG"]


def test_measure_is_shared_by_all_panels(desk):
    """The measure is selected in the tool bar of all perspectives."""
    measures = {measure.key for measure in desk.queries._session.scores.measures}
    for panel in (desk.queries, desk.results, desk.table):
        for field in panel.findChildren(QComboBox):
            assert not measures & {str(field.itemData(place)) for place in range(field.count())}
