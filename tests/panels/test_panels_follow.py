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


class LinkedPanels(QWidget):
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
def panels(opened, show, settled):
    """The panels; not painted, which takes a third of the time."""
    panels = LinkedPanels(opened)
    panels.setUpdatesEnabled(False)
    show(panels, 2400, 700)
    settled()
    return panels


def click_row(qtbot, view, row, column=0):
    rect = view.visualRect(view.model().index(row, column))
    # Right of the centre: the line sample left of a run's name toggles the run.
    qtbot.mouseClick(view.viewport(), LEFT, pos=QPoint(rect.left() + round(rect.width() * 0.7), rect.center().y()))


def row_of_run(panels, name):
    model = panels.table.table.model()
    return next(row for row in range(model.rowCount()) if model.index(row, 0).data() == name)


def test_query_selected_by_mouse_updates_all_panels(panels, opened, settled, qtbot):
    click_row(qtbot, panels.queries.list, 2)
    settled()
    assert opened.selection.query == 2
    assert panels.cards()[0] == "m5"
    assert panels.results.header.accessibleName().startswith("q3, chair, A1 (Ada)")
    drawn = {curve.run: curve for curve in panels.gain.computed.found.curves}
    assert drawn[0].is_defined
    assert not drawn[2].is_defined  # B1 has no list for q3


def test_query_selected_by_key_updates_all_panels(panels, opened, settled, qtbot):
    panels.queries.list.setFocus()
    qtbot.keyClick(panels.queries.list, Qt.Key.Key_Down)
    settled()
    assert opened.selection.query == 1
    assert panels.cards()[0] == "m3"
    qtbot.keyClick(panels.queries.list, Qt.Key.Key_End)
    settled()
    assert opened.selection.query == 2
    assert panels.cards()[0] == "m5"


def test_run_selected_in_the_table_updates_all_panels(panels, opened, settled, qtbot):
    click_row(qtbot, panels.table.table, row_of_run(panels, "B1"))
    settled()
    assert opened.run.name == "B1"
    assert panels.cards() == ["m5", "m6", "m1"]
    assert panels.results.header.accessibleName().startswith("q1, cat, B1 (Ben)")
    assert panels.gain.plot._selected_key == "2"
    queries = panels.queries.model
    assert [queries.index(row, 0).data(_role(queries, "missing")) for row in range(3)] == [False, False, True]


def test_run_selected_by_key_in_the_table_updates_all_panels(panels, opened, settled, qtbot):
    table = panels.table.table
    click_row(qtbot, table, 0)
    first = opened.run.name
    qtbot.keyClick(table, Qt.Key.Key_Down)
    settled()
    assert opened.run.name != first
    assert opened.run.name == table.model().index(1, 0).data()


def test_clicked_score_selects_its_measure_in_all_panels(panels, opened, settled, qtbot):
    column = panels.table.model.column_of("FT")
    click_row(qtbot, panels.table.table, row_of_run(panels, "A2"), column)
    settled()
    assert opened.measure == "FT"
    assert opened.run.name == "A2"
    assert any("A2" in text and "FT" in text for text in panels.queries.shown_scope())


def test_clicked_card_selects_the_rank_in_all_panels(panels, opened, settled, qtbot):
    grid = panels.results.grid
    qtbot.mouseClick(grid.viewport(), LEFT, pos=grid.visualRect(grid.model().index(2, 0)).center())
    assert opened.selection.rank == 3
    assert panels.gain.plot.current_cursor.x == 3.0
    # Three of four relevant models are retrieved: the line of rank 3 is p = 4/3 r, the marker is at recall 3/4.
    assert panels.curves.plot.current_cursor.slope == pytest.approx(4 / 3)
    assert dot_of(panels.curves, opened.selection.run).x == pytest.approx(3 / 4)


def test_arrow_keys_step_through_the_ranks(panels, opened, qtbot):
    grid = panels.results.grid
    grid.setFocus()
    opened.select(rank=1)
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert opened.selection.rank == 2
    qtbot.keyClick(grid, Qt.Key.Key_End)
    assert opened.selection.rank == 8
    qtbot.keyClick(grid, Qt.Key.Key_Home)
    assert opened.selection.rank == 1


def test_rank_selected_elsewhere_is_current_in_the_grid(panels, opened):
    opened.select(rank=4)
    assert panels.results.grid.currentIndex().row() == 3
    opened.deselect_rank()
    assert not panels.results.grid.currentIndex().isValid()


def test_click_in_a_plot_selects_the_rank(panels, opened, settled, qtbot):
    canvas = panels.gain.plot.findChild(PlotCanvas)
    point = canvas.widget_point(5.0, 0.5)
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=QPoint(round(point.x()), round(point.y())))
    qtbot.waitUntil(lambda: opened.selection.rank is not None)
    assert opened.selection.rank in (4, 5, 6)


def test_clicked_curve_selects_its_run(panels, opened, settled, qtbot):
    canvas = panels.gain.plot.findChild(PlotCanvas)
    curve = panels.gain.computed.found.curves[2]
    point = canvas.widget_point(60.0, float(curve.y[59]))
    qtbot.mouseClick(canvas.viewport(), LEFT, pos=QPoint(round(point.x()), round(point.y())))
    qtbot.waitUntil(lambda: opened.run.name == "B1")


def test_filter_matches_classes_and_keeps_the_selection(panels, opened, settled, qtbot):
    panels.queries.focus_filter()
    qtbot.keyClicks(panels.queries.header._filter, "chai")
    assert panels.queries.list.model().rowCount() == 1
    assert opened.selection.query == 0
    click_row(qtbot, panels.queries.list, 0)
    settled()
    assert opened.selection.query == 2
    panels.queries.step(1)
    assert opened.selection.query == 2


def test_filter_without_match_shows_a_message_and_can_be_cleared(panels, opened, qtbot):
    panels.queries.focus_filter()
    qtbot.keyClicks(panels.queries.header._filter, "zebra")
    assert panels.queries._no_match.isVisible()
    assert panels.queries._no_match.accessibleName().startswith("No query contains “zebra”")
    assert panels.queries.is_empty
    qtbot.mouseClick(panels.queries._no_match.findChild(QPushButton), LEFT)
    assert panels.queries.header._filter.text() == ""
    assert panels.queries.list.isVisible()
    assert panels.queries.list.model().rowCount() == 3


def test_escape_clears_the_filter_and_then_leaves_it(panels, opened, qtbot):
    panels.activateWindow()
    panels.queries.focus_filter()
    qtbot.keyClicks(panels.queries.header._filter, "cat")
    qtbot.keyClick(panels.queries.header._filter, Qt.Key.Key_Escape)
    assert panels.queries.header._filter.text() == ""
    assert panels.queries.header._filter.hasFocus()
    qtbot.keyClick(panels.queries.header._filter, Qt.Key.Key_Escape)
    assert panels.queries.list.hasFocus()


def test_missed_models_take_a_third_or_one_row_of_cards(panels, opened, settled, qtbot):
    opened.select(run=2)
    settled()
    qtbot.mouseClick(panels.results.missed_button, LEFT)
    for height in (700, 400, 300):
        panels.resize(2400, height)
        qtbot.wait(20)
        grid = panels.results.missed_grid
        line = grid.full_card_height() + 12
        assert grid.height() <= max(panels.results.height() / 3, min(line, 0.45 * panels.results.height()))
        assert grid.height() >= min(line - 12, int(0.45 * panels.results.height()))


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
    assert len(panel.model.visible_thumbnails.visible) == 8
    qtbot.mouseClick(panel.grid.viewport(), LEFT, pos=panel.grid.visualRect(panel.grid.model().index(2, 0)).center())
    assert session.selection.model == 2
    assert panel.grid.currentIndex().row() == 2
    session.deselect_rank()
    assert not panel.grid.currentIndex().isValid()


def test_steps_follow_the_order_shown(panels, opened, settled):
    opened.select(run=1, measure="AP")
    settled()
    panels.queries.set_option("order", "worst")
    assert panels.queries.header._order.currentText() == "Lowest first"
    order = [panels.queries.model.query_of(row) for row in range(3)]
    opened.select(query=order[0])
    panels.queries.step(1)
    assert opened.selection.query == order[1]
    panels.queries.step(-1)
    assert opened.selection.query == order[0]


def test_missing_list_is_named_as_missing(panels, opened, settled):
    opened.select(query=2, run=2)
    settled()
    assert panels.results.is_empty
    assert panels.results._no_results.isVisible()
    assert panels.results._no_results.accessibleName() == (
        "B1 has no results for q3. SHREC 2006: missing queries score 0."
    )
    assert panels.results.header.isVisible()
    assert panels.results.header.accessibleName().startswith("q3, chair, B1 (Ben)")
    opened.set_profile("trec")
    settled()
    assert panels.results._no_results.accessibleName().endswith("excluded from the means of this run.")
    opened.select(query=1)
    settled()
    assert not panels.results.is_empty


def test_relevant_models_that_were_not_retrieved_can_be_shown(panels, opened, settled, qtbot):
    assert not panels.results.missed_button.isVisible()
    opened.select(run=2)
    settled()
    switch = panels.results.missed_button
    assert switch.accessibleName() == "3 relevant models not retrieved"
    assert switch.text() in (switch.accessibleName(), "3 not retrieved")  # shorter in a narrow panel
    assert not panels.results.missed_grid.isVisible()
    qtbot.mouseClick(panels.results.missed_button, LEFT)
    assert panels.results.missed_grid.isVisible()
    assert panels.results.missed_model.rowCount() == 3
    opened.select(run=0)
    settled()
    assert not panels.results.missed_grid.isVisible()


def test_means_can_be_shown(panels, opened, settled, qtbot):
    opened.select(means=True)
    settled()
    assert panels.table.model.of == "queries"
    opened.select(rank=2)
    assert panels.gain.plot.current_cursor.x == 2.0  # the current rank, on the mean curves
    opened.select(means=False)
    assert panels.table.model.of == "query"
    assert panels.gain.plot.current_cursor.x == 2.0


def test_mean_is_chosen_for_both_plots(panels, opened, settled, qtbot):
    assert {panels.gain.shown_scope()[0], panels.curves.shown_scope()[0]} == {opened.benchmark.queries.ids[0]}
    opened.select(means=True)
    settled()
    scope = f"mean of {len(opened.benchmark.queries)} queries"
    assert {panels.gain.shown_scope()[0], panels.curves.shown_scope()[0]} == {scope}
    mean = opened.scores.curve(panels.curves.kind.key, 0, None, 100)
    assert panels.curves.computed.found.curves[0].y == pytest.approx(mean.y, nan_ok=True)
    panels.curves.select_kind("PR")
    assert "mean at equal recall, 20 points" in panels.curves.header.kinds.toolTip()
    opened.select(means=False)
    assert "mean precision" not in panels.curves.header.kinds.toolTip()
    assert panels.curves.shown_scope()[0] == opened.benchmark.queries.ids[opened.selection.query]


def dot_of(panel, run):
    """Point of the current rank on the curve of a run."""
    return next(dot for dot in panel.plot.current_cursor.dots if dot.key == str(run))


def test_stepping_through_ranks_moves_the_cursor_of_both_plots(panels, opened, settled, qtbot):
    opened.select(run=1)  # levels 0 2 0 2 1 0 0 1
    settled()
    grid = panels.results.grid
    grid.setFocus()
    opened.select(rank=1)
    places = []
    for _ in range(5):
        places.append((panels.gain.plot.current_cursor.x, dot_of(panels.curves, 1).x))
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
    assert panels.gain.plot.current_cursor == panels.curves.plot.current_cursor == NO_CURSOR


def test_run_hidden_in_the_table_disappears_from_plots(panels, opened, settled, qtbot):
    table = panels.table.table
    row = row_of_run(panels, "B1")
    rect = table.visualRect(table.model().index(row, 0))
    qtbot.mouseClick(table.viewport(), LEFT, pos=QPoint(rect.left() + 12, rect.center().y()))
    settled()
    assert opened.selection.shown_runs == (0, 1)
    assert [curve.key for curve in panels.gain.plot.visible_curves()] == ["0", "1"]


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


def test_findings_show_errors_first(panels):
    model = panels.findings.table.model()
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
    assert choice == ["NDCG"] * 3, "the list and the tooltip have the name"


def test_measure_is_shared_by_all_panels(panels):
    """The measure is selected in the tool bar of all perspectives."""
    measures = {measure.key for measure in panels.queries._session.scores.measures}
    for panel in (panels.queries, panels.results, panels.table):
        for field in panel.findChildren(QComboBox):
            assert not measures & {str(field.itemData(place)) for place in range(field.count())}
