"""Heat map and confusion panels: clicks select, and the selection is marked."""

import numpy as np
from PySide6.QtCore import QPoint, Qt

from shrec_viewer.panels.scores.confusion import ConfusionPanel
from shrec_viewer.panels.scores.heat_map import HeatMapPanel
from shrec_viewer.viewmodels.session.selection import NOTHING


def click(qtbot, grid, row, column):
    qtbot.mouseClick(grid.viewport(), Qt.MouseButton.LeftButton, pos=grid.cell_rect(row, column).center())


def in_file_order(panel):
    """Show the runs in file order instead of best first."""
    panel.runs_by.setCurrentIndex(panel.runs_by.findData("given"))
    panel.runs_by.activated.emit(panel.runs_by.currentIndex())
    return panel


def choose(box, value):
    """Choose an entry of a list as by a click."""
    box.setCurrentIndex(box.findData(value))
    box.activated.emit(box.currentIndex())


def test_heat_map_cell_selects_query_and_run(opened, show, qtbot):
    panel = show(HeatMapPanel(opened))
    panel.queries_by.setCurrentIndex(panel.queries_by.findData("spread"))
    panel.queries_by.activated.emit(panel.queries_by.currentIndex())
    panel.runs_by.setCurrentIndex(panel.runs_by.findData("mean"))
    panel.runs_by.activated.emit(panel.runs_by.currentIndex())
    cells = panel.grid.cells
    click(qtbot, panel.grid, 1, 3)
    selection = opened.selection
    assert opened.benchmark.runs[selection.run].name == cells.rows[1]
    assert opened.benchmark.queries.ids[selection.query] == cells.columns[3]
    value = opened.scores.values[selection.run, selection.query, opened.scores.column(opened.measure)]
    np.testing.assert_equal(cells.values[1, 3], value)
    assert f"{value:.3f}" in panel.cell_text.text()
    assert panel.grid.current == (1, 3)


def test_heat_map_marks_the_selection(opened, show):
    panel = in_file_order(show(HeatMapPanel(opened)))
    opened.select(query=5, run=2)
    assert panel.grid.current == (2, 5)
    other = next(key.key for key in opened.scores.measures if key.key != opened.measure)
    opened.select(measure=other)
    assert panel.scale.description().startswith(f"{other}: ")
    column = opened.scores.column(other)
    np.testing.assert_array_equal(panel.grid.cells.values, opened.scores.values[:, :, column])


def test_differences_are_from_run_b(opened, show, qtbot):
    panel = in_file_order(show(HeatMapPanel(opened)))
    entry = panel.values.model().item(2)
    assert not entry.isEnabled()
    assert entry.toolTip().startswith("Compare with a run")
    opened.select(compared=3)
    assert entry.isEnabled()
    assert entry.text() == f"Difference from {opened.scores.runs[3]}"
    qtbot.keyClick(panel.values, Qt.Key.Key_End)
    values = opened.scores.values[:, :, opened.scores.column(opened.measure)]
    np.testing.assert_array_equal(panel.grid.cells.values, values - values[3])
    assert panel.grid.cells.diverging
    assert np.nanmax(np.abs(panel.grid.cells.values[3])) == 0
    means = opened.scores.mean()[:, opened.scores.column(opened.measure)]
    np.testing.assert_array_equal(panel.grid.cells.totals, means - means[3])
    said = panel.grid.description(1, 4)
    assert said.index("difference") < said.index(f"{opened.scores.runs[3]} "), "a narrow window cuts the end"
    assert f"{opened.scores.runs[3]} {values[3, 4]:.3f}" in said
    assert f"difference {values[1, 4] - values[3, 4]:+.3f}".replace("-", "−") in said
    opened.select(compared=NOTHING)
    assert panel.values.currentData() == ""
    np.testing.assert_array_equal(panel.grid.cells.values, values)


def test_hidden_confusion_panel_releases_the_closed_benchmark(opened, sample_benchmark, show, settled):
    """Regression: a hidden panel combined the tiers of 16 queries with 30 other queries."""
    panel = show(ConfusionPanel(opened))
    settled()
    assert panel.grid.cells.shape[0]
    panel.hide()
    opened.open(sample_benchmark)
    settled()
    assert opened.benchmark.name != "demo"
    panel.show()
    settled()
    names = opened.benchmark.classification.names
    assert set(panel.grid.cells.rows) <= set(names)


def test_opening_a_cell_requests_the_query_perspective(opened, show, qtbot):
    panel = in_file_order(show(HeatMapPanel(opened)))
    with qtbot.waitSignal(opened.cursor_state.view_requested) as reported:
        qtbot.mouseDClick(panel.grid.viewport(), Qt.MouseButton.LeftButton, pos=panel.grid.cell_rect(2, 4).center())
    assert reported.args == ["query"]
    assert (opened.selection.run, opened.selection.query) == (2, 4)


def test_cell_of_two_classes_lists_its_ranks_and_a_rank_is_selected(opened, show, settled, qtbot):
    panel = show(ConfusionPanel(opened))
    settled()
    cells = panel.grid.cells
    row, column = (int(place) for place in np.argwhere((cells.values > 0) & (cells.values < 1))[0])
    click(qtbot, panel.grid, row, column)
    assert panel.hit_list.count() > 0
    entry = panel.hit_list.item(panel.hit_list.count() - 1)
    qtbot.mouseClick(
        panel.hit_list.viewport(), Qt.MouseButton.LeftButton, pos=panel.hit_list.visualItemRect(entry).center()
    )
    settled()
    selection, benchmark = opened.selection, opened.benchmark
    item = opened.ranked_list.items[selection.rank - 1]
    names = benchmark.classification.names
    assert names[benchmark.classification.labels[item]] == cells.columns[column]
    assert names[benchmark.queries.labels[selection.query]] == cells.rows[row]


def test_tiers_follow_run_and_level(opened, show, settled, qtbot):
    panel = show(ConfusionPanel(opened))
    settled()
    first = panel.grid.cells.values
    qtbot.mouseClick(panel.kind.button("2"), Qt.MouseButton.LeftButton)
    second = panel.grid.cells.values
    assert not np.array_equal(first, second)
    opened.select(run=(opened.selection.run + 1) % len(opened.benchmark.runs))
    settled()
    assert not np.array_equal(second, panel.grid.cells.values)
    assert opened.run.name in panel.title.text()


def test_pixel_of_the_tier_image_is_a_model_of_a_list(opened, show, settled, qtbot):
    panel = show(ConfusionPanel(opened), 600, 500)
    settled()
    qtbot.mouseClick(panel.kind.button("image"), Qt.MouseButton.LeftButton)
    settled()  # the image replaces the list of ranks
    tiers = panel.computation.result.tiers
    queries, models = panel._image_controller._queries, panel._image_controller._models
    query, model = 3, int(tiers.items[tiers.indptr[3] + 2])
    down = (list(queries).index(query) + 0.5) / len(queries)
    right = (list(models).index(model) + 0.5) / len(models)
    box = panel.image._box()
    spot = QPoint(round(box.left() + right * box.width()), round(box.top() + down * box.height()))
    qtbot.mouseMove(panel.image, spot)
    qtbot.mouseClick(panel.image, Qt.MouseButton.LeftButton, pos=spot)
    assert (opened.selection.query, opened.selection.rank) == (query, 3)
    assert "rank 3" in panel.image._tooltip_text


def test_keys_step_through_the_tier_image(opened, show, settled, qtbot):
    panel = show(ConfusionPanel(opened), 600, 500)
    settled()
    qtbot.mouseClick(panel.kind.button("image"), Qt.MouseButton.LeftButton)
    settled()
    tiers, queries, models = (
        panel.computation.result.tiers,
        list(panel._image_controller._queries),
        list(panel._image_controller._models),
    )
    panel.image.setFocus()
    seen = []
    qtbot.keyClick(panel.image, Qt.Key.Key_Home)
    for _ in range(60):
        seen.append((opened.selection.query, opened.selection.rank))
        qtbot.keyClick(panel.image, Qt.Key.Key_Right)
    length = int(tiers.indptr[queries[0] + 1] - tiers.indptr[queries[0]])
    assert {query for query, _ in seen} == {queries[0]}
    assert sorted({rank for _, rank in seen}) == list(range(1, length + 1))
    columns = [models.index(int(tiers.items[tiers.indptr[queries[0]] + rank - 1])) for _, rank in seen]
    assert columns == sorted(columns), "from the left to the right"
    assert f"rank {seen[-1][1]}" in panel.image.accessibleDescription()
    qtbot.keyClick(panel.image, Qt.Key.Key_Home)
    assert (opened.selection.query, opened.selection.rank) == seen[0]
    qtbot.keyClick(panel.image, Qt.Key.Key_End)
    qtbot.keyClick(panel.image, Qt.Key.Key_Left)
    assert (opened.selection.query, opened.selection.rank) == seen[length - 2]
    for _ in range(30):
        qtbot.keyClick(panel.image, Qt.Key.Key_Down)
    assert opened.selection.query == queries[-1]
    qtbot.keyClick(panel.image, Qt.Key.Key_Up)
    assert opened.selection.query == queries[-2]


def test_tiers_are_not_computed_while_hidden(opened, settled, qtbot):
    panel = ConfusionPanel(opened)
    qtbot.addWidget(panel)
    opened.select(run=1)
    settled()
    assert panel.computation.result is None


def test_colour_names_are_shown(opened, show, settled):
    panel = show(ConfusionPanel(opened), 900, 500)
    settled()
    assert panel.scale.isVisible()
    assert not panel.key.isVisible()
    assert panel.scale.description().startswith("share: 0.00 … 1.00")
    assert "first tier" in panel.scale.toolTip()
    panel.kind.button("2").click()
    assert "second tier" in panel.scale.toolTip()
    panel.kind.button("image").click()
    assert panel.key.isVisible()
    assert not panel.scale.isVisible()
    heat = show(HeatMapPanel(opened))
    values = heat.grid.cells.values
    low, high = (f"{value:.3f}" for value in (np.nanmin(values), np.nanmax(values)))
    assert heat.scale.description() == f"{opened.measure}: {low} … {high}, hatched: no ranked list"
    heat.set_option("limits", "measure")
    assert heat.scale.description().startswith(f"{opened.measure}: 0.000 … ")
    opened.select(run=0, compared=2)
    choose(heat.values, "run")
    assert heat.scale.description().startswith(f"{opened.measure} − {opened.benchmark.runs[2].name}: −0.")


def test_counts_are_integers_in_the_heat_map_and_their_means_are_not(opened, show):
    panel = show(HeatMapPanel(opened))
    opened.select(measure="FN")
    cells = panel.grid.cells
    assert {cells.text(row, 0) for row in range(len(cells.rows))} <= {str(count) for count in range(200)} | {""}
    assert "." in cells.total(4)
    assert panel.scale.limits()[0] == "0"
    opened.select(measure="ADR")
    assert all(
        text == "" or len(text) == 5 for text in (cells.text(0, c) for cells in [panel.grid.cells] for c in range(9))
    )


def test_focus_stays_in_the_panel_when_the_tier_image_replaces_the_cells(opened, show, settled, qtbot):
    panel = show(ConfusionPanel(opened), 600, 500)
    settled()
    for holder in (panel.grid, panel.hit_list):
        qtbot.mouseClick(panel.kind.button("1"), Qt.MouseButton.LeftButton)
        holder.setFocus()
        assert holder.hasFocus()
        qtbot.mouseClick(panel.kind.button("image"), Qt.MouseButton.LeftButton)
        settled()
        assert panel.kind.button("image").hasFocus()


def test_locations_are_complete_and_fit_their_column(opened, show, settled, qtbot):
    panel = show(ConfusionPanel(opened), 700, 330)
    settled()
    row, column = (int(place) for place in np.argwhere(panel.grid.cells.values > 0)[0])
    click(qtbot, panel.grid, row, column)
    entry = panel.hit_list.item(0)
    assert entry.toolTip() == entry.text()
    assert not panel.hit_list.horizontalScrollBar().isVisible()
    assert panel.hit_list.fontMetrics().horizontalAdvance(entry.text()) < panel.hit_list.viewport().width()
    assert panel.hit_list.width() < panel.width() * 0.36
    before = panel.hit_list.width()
    panel.resize(1200, 400)
    settled()
    assert abs(panel.hit_list.width() - before) < 4, "what is won is for the cells"
