"""Panels of distances, classification, similarity, headroom, variance and slices follow session and options."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton

from shrec_viewer.app.docking.dock_layout import LEFT_WIDTH
from shrec_viewer.diagnosis.slices import query_slices
from shrec_viewer.evaluation.evaluate import never_cancelled
from shrec_viewer.panels import panels_by_key
from shrec_viewer.panels.chart_panel import TableView
from shrec_viewer.panels.export.content import built_table
from shrec_viewer.panels.plots.curves import PrecisionRecallPanel
from shrec_viewer.viewmodels.content.data import content_data

KEYS = ("distances", "classification", "run_similarity", "run_groups", "headroom", "missed", "variance", "slices")


@pytest.fixture
def panel_of(opened, show, settled):
    def shown(key):
        panel = show(panels_by_key()[key].factory(opened), 800, 500)
        settled()
        return panel

    return shown


def click(panel, text, qtbot):
    """Click the button of a choice."""
    button = next(one for one in panel.findChildren(QAbstractButton) if one.text().replace("&", "") == text)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("key", KEYS)
def test_a_panel_shows_its_content_and_exports_it_as_a_table(key, panel_of, opened):
    panel = panel_of(key)
    assert not panel.is_empty
    table = built_table(panel.export().table, content_data(opened), never_cancelled)
    assert table.rows
    assert panel.export().table.arguments("table")[0] == key


def test_a_row_of_the_slices_shows_its_curves(panel_of, opened, show, qtbot, settled):
    panel, plot = panel_of("slices"), show(PrecisionRecallPanel(opened))
    opened.select(means=False)
    row = next(row for row in range(panel.table.records.rowCount()) if panel.table.records.index(row, 2).data() == "2")
    spot = panel.table.visualRect(panel.table.records.index(row, 1)).center()
    qtbot.mouseClick(panel.table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    settled()
    name = panel.table.records.index(row, 1).data()
    assert (opened.selection.slice, opened.selection.means) == (name, True)
    (part,) = (one for one in query_slices(opened.scores, opened.scores.column(opened.measure)) if one.name == name)
    curve = plot.computed.curve_of(0)
    expected = opened.scores.select_queries(part.queries).curve(plot.kind.key, 0, None)
    np.testing.assert_array_equal(curve.y, expected.y)
    assert f"--slice={name}" in plot.request().arguments("figure")
    assert name in plot.shown_plot.axes.x_label
    plot.slices.aboutToShow.emit()
    every = next(action for action in plot.slices.actions() if action.text() == "All queries")
    assert [action.data() for action in plot.slices.actions() if action.isChecked()] == [name]
    every.trigger()
    settled()
    assert opened.selection.slice == ""
    np.testing.assert_array_equal(plot.computed.curve_of(0).y, opened.scores.curve(plot.kind.key, 0, None).y)


@pytest.mark.parametrize("key", ["missed", "relevant"])
def test_a_row_of_missed_or_relevant_models_shows_the_model_in_the_list(key, panel_of, opened, qtbot, settled):
    panel = panel_of(key)
    (table,) = panel.findChildren(TableView)
    records = table.records
    query = opened.benchmark.queries.ids[opened.selection.query]
    if key == "missed":
        query, _, model, _ = records.table.rows[1]
    else:
        model = records.table.rows[1][0]
    spot = table.visualRect(records.index(1, 0)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    settled()
    selection, benchmark = opened.selection, opened.benchmark
    assert benchmark.queries.ids[selection.query] == query
    item = opened.ranked_list.items[selection.rank - 1] if selection.rank is not None else -1
    listed = benchmark.collection.index[model] in opened.ranked_list.items
    assert (item == benchmark.collection.index[model]) == listed


def test_the_plot_of_distances_follows_the_selection(panel_of, opened, qtbot, settled):
    panel = panel_of("distances")
    opened.select(run=3, query=2)
    settled()
    assert panel.request().highlight == opened.benchmark.runs[3].name
    chart = panel.computation.result
    assert chart.curves[0].label == opened.benchmark.runs[3].name
    assert any(line.label.startswith(opened.benchmark.queries.ids[2]) for line in chart.references.lines)
    panel.set_option("view", "roc")
    settled()
    every = [curve.label for curve in panel.computation.result.curves]
    assert set(every) <= {run.name for run in opened.benchmark.runs}
    opened.select(shown_runs=[3])
    settled()
    assert [curve.label for curve in panel.computation.result.curves] == [opened.benchmark.runs[3].name]
    assert len(every) > 1


def test_rows_of_the_classification_are_classes_or_runs(panel_of, opened, qtbot, settled):
    panel = panel_of("classification")
    assert panel.computation.result.columns[0].key == "class"
    click(panel, "Runs", qtbot)
    settled()
    assert [row[0] for row in panel.computation.result.rows] == [run.name for run in opened.benchmark.runs]


def test_another_similarity_is_computed(panel_of, qtbot, settled):
    panel = panel_of("run_similarity")
    before = panel.computation.result
    click(panel, "Jaccard", qtbot)
    settled()
    assert panel.request().by == "jaccard"
    assert panel.computation.result.value_label == "Common models in the first 10"
    assert (panel.computation.result.values != before.values).any()


def test_means_of_slices_are_those_of_the_selected_run(panel_of, opened, settled):
    panel = panel_of("slices")
    opened.select(run=2)
    settled()
    assert {row[0] for row in panel.computation.result.rows} == {opened.benchmark.runs[2].name}


def test_the_means_of_slices_are_in_sight_in_the_width_of_the_list_of_queries(opened, show, settled):
    panel = show(panels_by_key()["slices"].factory(opened), LEFT_WIDTH, 500)
    settled()
    for measure in ("AP", "ADR"):  # the columns stay when the table is filled again
        opened.select(measure=measure)
        settled()
        keys = [column.key for column in panel.table.records.table.columns]
        assert panel.table.isColumnHidden(keys.index("run"))
        mean, name = (
            panel.table.visualRect(panel.table.records.index(0, keys.index(key))) for key in ("mean", "slice")
        )
        assert not mean.isEmpty()
        assert panel.table.viewport().rect().contains(mean)
        assert mean.right() < name.left() < LEFT_WIDTH / 2
