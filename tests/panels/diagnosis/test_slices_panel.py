"""Slices in the window: from a lasso and a filter, and the tables and plots that they restrict."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from shrec_viewer.content.contents import build_table
from shrec_viewer.content.data import slices_of
from shrec_viewer.diagnosis.slices import queries_of_models
from shrec_viewer.panels.diagnosis.confusions import ClassCostsPanel
from shrec_viewer.panels.diagnosis.map import NO_QUERIES, MapPanel
from shrec_viewer.panels.diagnosis.slices import SliceDialog, SlicesPanel
from shrec_viewer.panels.export.content import NoCommandError, benchmark_arguments
from shrec_viewer.panels.plots.generality import GeneralityPanel
from shrec_viewer.panels.ranking.queries import QueriesPanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel
from shrec_viewer.viewmodels.content.data import content_data

LEFT = Qt.MouseButton.LeftButton


def models_of_class(session, name):
    tree = session.benchmark.classification
    return np.flatnonzero(tree.labels == tree.names.index(name)).tolist()


def test_a_lasso_kept_as_a_slice_restricts_the_means(opened, show, settled, qtbot):
    panel = show(MapPanel(opened), 400, 420)
    settled()
    assert not panel.keep.isVisible()
    chairs = models_of_class(opened, "chair")
    opened.select(within=chairs[:1])
    settled()
    said = []
    opened.done.connect(said.append)
    qtbot.mouseClick(panel.keep, LEFT)
    assert said == [NO_QUERIES]
    opened.select(within=chairs)
    settled()
    expected = queries_of_models(opened.benchmark, chairs)
    assert len(expected)
    row = opened.scores.values[opened.selection.run, :, opened.scores.column("AP")]
    number = "1 query" if len(expected) == 1 else f"{len(expected)} queries"
    assert panel.text.text().split(" · ")[-2] == f"AP {np.nanmean(row[expected]):.3f} of {number}"
    qtbot.mouseClick(panel.keep, LEFT)
    (dialog,) = panel.findChildren(SliceDialog)
    assert dialog.field.text() == "lasso"
    ok = dialog.buttons.button(dialog.buttons.StandardButton.Ok)
    for name, problem in (("class: chair", "There is a slice class: chair already"), (" ", "Give it a name")):
        dialog.field.setText(name)
        assert (dialog.problem.text(), ok.isEnabled()) == (problem, False)
        qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
        assert not opened.edits.edited.slices
    dialog.field.setText(" my chairs ")
    qtbot.mouseClick(ok, LEFT)
    assert (opened.selection.slice, opened.selection.means) == ("my chairs", True)
    with pytest.raises(NoCommandError, match="the slice my chairs was named in the window: save the project"):
        benchmark_arguments(opened)
    (one,) = slices_of(content_data(opened), ["my chairs"])
    np.testing.assert_array_equal(one.queries, expected)
    opened.edits.stack.undo()
    assert opened.selection.slice == ""
    assert benchmark_arguments(opened)[0] == "demo"


def test_the_table_of_runs_has_means_within_the_selected_slice(opened, show, settled, qtbot):
    opened.select(means=True)
    panel = show(LeaderboardPanel(opened), 900, 300)
    assert not panel.restriction.isVisible()
    whole = panel.model._values.copy()
    opened.select(slice="class: chair")
    (one,) = slices_of(content_data(opened), ["class: chair"])
    part = opened.scores.select_queries(one.queries)
    np.testing.assert_array_equal(panel.model._values, part.mean())
    assert not np.array_equal(panel.model._values, whole, equal_nan=True)
    assert panel.shown_scope()[0] == f"mean of class: chair · by {opened.measure}"
    assert (panel.restriction.isVisible(), panel.restriction.text()) == (True, "class: chair")
    table = build_table(content_data(opened), panel.request())
    measure = [column.key for column in table.columns].index("AP")
    names = [row[0] for row in table.rows]
    means = dict(zip(part.runs, part.mean()[:, part.column("AP")], strict=True))
    assert [row[measure] for row in table.rows] == pytest.approx([means[name] for name in names])
    opened.select(mean_over="classes")
    np.testing.assert_array_equal(panel.model._values, part.class_mean())
    opened.select(means=False)
    np.testing.assert_array_equal(panel.model._values, opened.scores.values[:, opened.selection.query])
    opened.select(means=True, mean_over="queries")
    qtbot.mouseClick(panel.restriction, LEFT)
    assert opened.selection.slice == ""
    np.testing.assert_array_equal(panel.model._values, whole)


def test_the_queries_that_a_filter_leaves_are_kept_as_a_slice(opened, show, settled, qtbot, monkeypatch):
    monkeypatch.setattr(QMenu, "popup", lambda menu, at: None)  # the platform has no popups
    panel = show(QueriesPanel(opened), 300, 500)

    def actions():
        panel._show_context_menu(QPoint(5, 5))
        menu = panel.list.findChildren(QMenu)[-1]
        return {action.text(): action for action in menu.actions()}

    text = "&Keep the listed queries as slice…"
    assert text not in actions()
    panel.header.set_filter("", "chair")
    panel._set_filter()
    listed = sorted(panel.model.query_of(row) for row in range(panel.model.rowCount()))
    actions()[text].trigger()
    (dialog,) = panel.findChildren(SliceDialog)
    assert dialog.field.text() == "chair"
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    (one,) = slices_of(content_data(opened), ["chair"])
    assert one.queries.tolist() == listed
    slices = show(SlicesPanel(opened), 600, 300)
    settled()
    opened.select(slice="class: chair")
    with qtbot.waitSignal(opened.done, check_params_cb=lambda text: "that was named here" in text):
        slices.table.delete_requested.emit()
    assert tuple(opened.edits.edited.slices) == ("chair",)
    opened.select(slice="chair")
    qtbot.mouseClick(slices.remove, LEFT)
    assert not opened.edits.edited.slices
    assert opened.selection.slice == ""


def test_confusions_and_curves_of_generality_follow_lasso_and_slice(opened, show, settled):
    opened.select(means=True)
    confusions, curves = show(ClassCostsPanel(opened), 800, 300), show(GeneralityPanel(opened), 500, 500)
    settled()
    before = curves.computed.curve_of(opened.selection.run).y
    opened.select(slice="class: chair")
    settled()
    names = [bar.name.split(" → ") for bar in confusions.computation.result.bars]
    assert {name for name, _ in names} == {"chair"}
    opened.select(within=models_of_class(opened, names[1][1]))
    settled()
    assert [bar.name.split(" → ") for bar in confusions.computation.result.bars] == [names[1]]
    assert "class: chair" in confusions.computation.result.x_label
    after = curves.computed.curve_of(opened.selection.run)
    (one,) = slices_of(content_data(opened), ["class: chair"])
    part = opened.scores.select_queries(one.queries)
    # At the generality of the collection, the curve is the recall at the rank of the class size.
    assert after.y[-1] == pytest.approx(part.mean()[opened.selection.run, part.column("FT")])
    assert not np.array_equal(after.y, before)
