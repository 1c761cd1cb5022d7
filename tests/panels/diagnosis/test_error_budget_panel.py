"""The panels of the error budget: what they show, and what clicks on them select."""

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from shrec_viewer.content.contents import build_table
from shrec_viewer.content.curves import curves_of, default_curve
from shrec_viewer.content.diagnosis.error_budget import CAUSE_NAMES, FalsePositivesRequest, RepairRequest
from shrec_viewer.diagnosis.error_budget import REPAIRED, BudgetWork
from shrec_viewer.evaluation import rigid_distances
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.geometry_evidence import GEOMETRY
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.panels import panels_by_key
from shrec_viewer.panels.diagnosis.confusions import ClassCostsPanel
from shrec_viewer.panels.diagnosis.error_budget import ErrorBudgetPanel
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.files.virtual_runs import remove_virtual_run
from shrec_viewer.widgets.tables.record_view import RecordView


@pytest.fixture
def panel(opened, show, settled):
    opened.select(means=True)
    panel = show(ErrorBudgetPanel(opened), 1000, 460)
    settled()
    return panel


@pytest.fixture
def budget(opened):
    """The budget of the selected run, computed apart from the window."""
    scores = evaluate(opened.benchmark, opened.profile, measures=["AP"])
    return BudgetWork(scores, "AP").budget(scores.run_index(opened.run.name))


def row_of(panel, key):
    return [bar.key for bar in panel.bars._chart.bars].index(key)


def click(qtbot, panel, key):
    height = panel.bars._row_height()
    place = QPoint(60, round((row_of(panel, key) + 0.5) * height))
    qtbot.mouseClick(panel.bars.viewport(), Qt.MouseButton.LeftButton, pos=place)


def sentence(panel):
    return panel.lead.text() + panel.title.text() if panel.lead.isVisibleTo(panel) else panel.title.text()


def test_bars_lead_from_the_value_to_the_ideal(panel, budget):
    bars = panel.bars._chart.bars
    assert bars[0].value == pytest.approx(budget.value)
    assert bars[-1].value == pytest.approx(1.0)
    for before, after in pairwise(bars[:-1]):
        assert after.start == pytest.approx(before.start + before.value)
    shown = {bar.key: bar.value for bar in bars[1:-1]}
    assert shown == pytest.approx({one.cause: one.share for one in budget.causes if one.share})
    assert [bar.name for bar in bars[1:-1]] == [CAUSE_NAMES[one.cause] for one in budget.causes if one.share]
    for bar in bars[1:-1]:
        assert sum(bar.parts) == pytest.approx(bar.value) or not bar.parts
    assert sentence(panel).startswith(f"{budget.run} loses")


def test_a_click_on_a_cause_lists_the_models_that_carry_it(panel, opened, budget, qtbot, settled):
    everything = panel.model.rowCount()
    click(qtbot, panel, "hubs")
    settled()
    carried = np.flatnonzero(budget.costs_by_cause[1] > 0)
    ids = [opened.benchmark.collection.ids[model] for model in carried]
    assert opened.selection.cause == "hubs"
    assert sorted(panel.model.keys) == sorted(ids)
    assert 0 < len(ids) < everything
    assert [one.kind for one in panel.requests()] == ["error_budget", "false_positives", "repair"]
    assert panel.requests()[1].cause == "hubs"
    exported = build_table(content_data(opened), panel.requests()[1])
    assert [row[0] for row in exported.rows] == panel.model.keys
    assert panel.restriction.isVisible()
    assert panel.restriction.text() == "Hubs"
    click(qtbot, panel, "hubs")
    settled()
    assert (opened.selection.cause, panel.model.rowCount()) == ("", everything)
    assert not panel.restriction.isVisible()
    click(qtbot, panel, "hubs")
    qtbot.keyClick(panel.bars, Qt.Key.Key_Down)
    assert opened.selection.cause == panel.bars._chart.bars[row_of(panel, "hubs") + 1].key
    qtbot.keyClick(panel.bars, Qt.Key.Key_Escape)
    assert opened.selection.cause == ""
    click(qtbot, panel, "hubs")
    settled()
    qtbot.mouseClick(panel.restriction, Qt.MouseButton.LeftButton)
    assert opened.selection.cause == ""


def test_the_curve_of_a_repair_is_beside_that_of_the_run(panel, opened, budget, qtbot, settled):
    causes = {one.cause: one.share or 0.0 for one in budget.causes if one.cause in REPAIRED}
    largest = max(causes, key=causes.get)  # without a chosen cause; nothing is restricted by it
    assert panel.requests()[-1] == RepairRequest(runs=(opened.run.name,), cause=largest)
    assert (panel.curve.isVisible(), opened.selection.cause) == (True, "")
    click(qtbot, panel, "confusions")
    settled()
    assert panel.curve.isVisible()
    (run,), (repaired,) = panel.computation.result.curve.curves, panel.computation.result.curve.references.lines
    scores = evaluate(opened.benchmark, opened.profile, measures=["AP"])
    kind = default_curve(curves_of("precision_recall"), opened.profile)
    expected = scores.curve(kind.key, scores.run_index(opened.run.name), None)
    np.testing.assert_allclose(run.y, expected.y)
    assert (repaired.y >= run.y - 1e-12).all()
    assert repaired.y.mean() > run.y.mean()
    assert (run.label, repaired.label) == (opened.run.name, "without confusions")
    click(qtbot, panel, "single")  # nothing repairs what has no cause
    settled()
    assert not panel.curve.isVisible()


def test_pictures_are_those_of_the_costliest_models_and_their_victims(panel, opened, budget, qtbot, settled):
    rows = panel.computation.result.strips.rows
    assert [row.query.caption for row in rows] == panel.model.keys[: len(rows)]
    view, scores = panel.strips, evaluate(opened.benchmark, opened.profile, measures=["AP"])
    work, row = BudgetWork(scores, "AP"), scores.run_index(opened.run.name)
    costs = {}
    for query in range(len(opened.benchmark.queries)):
        one = work.false_positives(row, query)
        costs[query] = float(one.costs[one.models == rows[0].query.index].sum())
    victims = [tile.index for tile in rows[0].strips[0].tiles]
    assert victims == sorted((query for query in costs if costs[query] > 0), key=lambda query: -costs[query])[:12]
    asked = []
    opened.cursor_state.view_requested.connect(asked.append)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cell_rect(0, 2).center().toPoint())
    assert (opened.selection.query, asked) == (victims[0], [])
    found = ranked_list(opened.benchmark, opened.run, victims[0], opened.profile)
    assert found.items[opened.selection.rank - 1] == rows[0].query.index
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.cell_rect(1, 1).center().toPoint())
    assert asked == ["model"]
    assert opened.selection.query == budget.costliest_queries[rows[1].query.index]


def test_a_slice_and_the_difference_to_run_b(panel, opened, budget, settled):
    index = panel.slices.findText("class: chair")
    panel.slices.setCurrentIndex(index)
    panel.slices.activated.emit(index)
    settled()
    assert panel.request().slice == "class: chair"
    assert sentence(panel).startswith("class: chair: ")
    queries = [query for query, label in enumerate(opened.scores.query_labels.tolist()) if budget.values[query] >= 0 and
               opened.benchmark.classification.names[label] == "chair"]  # fmt: skip
    assert panel.bars._chart.bars[0].value == pytest.approx(np.mean(budget.values[queries]))
    assert opened.selection.slice == "class: chair"
    opened.select(slice="")
    assert panel.slices.currentText() == "All queries"
    other = 1 if opened.selection.run != 1 else 2
    opened.select(compared=other)
    panel.set_option("difference", True)
    settled()
    bars = panel.bars._chart.bars
    means = evaluate(opened.benchmark, opened.profile, measures=["AP"]).mean()[:, 0]
    assert sum(bar.value for bar in bars[:-1]) == pytest.approx(means[opened.selection.run] - means[other], abs=1e-12)
    assert bars[-1].value == pytest.approx(means[opened.selection.run] - means[other], abs=1e-12)
    assert sentence(panel).startswith(f"{opened.run.name} is ")
    opened.select(query=3, means=False)
    settled()
    values = evaluate(opened.benchmark, opened.profile, measures=["AP"]).values_in_mean[:, 3, 0]
    assert panel.bars._chart.bars[-1].value == pytest.approx(values[opened.selection.run] - values[other], abs=1e-12)


def test_models_of_a_lasso_have_what_they_carry(panel, opened, budget, settled):
    opened.select(within=[5, 3, 40, 41])
    settled()
    expected = budget.costs_by_cause[:, [3, 5, 40, 41]].sum(axis=1)
    bars = panel.bars._chart.bars
    assert [bar.value for bar in bars] == pytest.approx([*expected[expected > 0], expected.sum()])
    assert {opened.benchmark.collection.index[name] for name in panel.model.keys} <= {3, 5, 40, 41}
    assert panel.restriction.text() == f"4 of {len(opened.benchmark.collection)}"
    assert sentence(panel).startswith(f"4 of {len(opened.benchmark.collection)} models carry ")


def test_a_model_selects_the_list_that_it_costs_most(panel, opened, budget, qtbot):
    panel.table.selectRow(0)
    model = opened.benchmark.collection.index[panel.model.key(0)]
    assert opened.selection.query == budget.costliest_queries[model]
    found = ranked_list(opened.benchmark, opened.run, opened.selection.query, opened.profile)
    assert found.items[opened.selection.rank - 1] == model


def test_one_query_has_its_own_budget(panel, opened, budget, qtbot, settled):
    opened.select(means=False, query=3)
    settled()
    name = opened.benchmark.queries.ids[3]
    assert panel.request().query == name
    assert panel.bars._chart.bars[0].value == pytest.approx(budget.values[3])
    assert sentence(panel) == f"{name}: {budget.sentences[3]}"
    request = FalsePositivesRequest(runs=(opened.run.name,), query=name)
    expected = build_table(content_data(opened), request)
    assert [row[0] for row in expected.rows] == panel.model.keys
    assert sum(row[2] for row in expected.rows) == pytest.approx(np.nansum(budget.shares[3, 2:]))


def test_queries_have_their_sentences(opened, budget, show, settled):
    panel = show(panels_by_key()["query_causes"].factory(opened), 1000, 300)
    settled()
    table = panel.findChild(RecordView)
    rows = {row[0]: row for row in table.model().table.rows}
    for query, name in enumerate(opened.benchmark.queries.ids):
        assert rows[name][-1] == budget.sentences[query]
        assert rows[name][1] == pytest.approx(budget.values[query])
    table.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    table.selectRow(2)
    assert opened.benchmark.queries.ids[opened.selection.query] == table.model().key(2)
    exported = build_table(content_data(opened), panel.requests()[0])
    assert [row[0] for row in exported.rows] == table.model().keys


def test_another_run_and_measure(panel, opened, settled):
    opened.select(run=2)
    settled()
    assert sentence(panel).startswith(opened.run.name)
    panel.set_option("measure", "NDCG")
    settled()
    assert panel.bars._chart.bars[0].name == f"NDCG of {opened.run.name}"


def test_confusions_have_pictures_of_both_runs(opened, budget, show, qtbot, settled):
    tree, queries = opened.benchmark.classification, opened.benchmark.queries
    opened.select(query=queries.ids.index("Q01"))
    panel = show(ClassCostsPanel(opened), 900, 300)
    settled()
    bars = panel.bars._chart.bars
    named = {
        f"{tree.names[one.query_class]} → {tree.names[one.model_class]}": one.cost for one in budget.confusions[:20]
    }
    assert {bar.name: bar.value for bar in bars} == pytest.approx(named)
    first = next(bar for bar in bars if bar.name.startswith("chair → "))  # the class of the selected query
    assert panel.bars._selected == first.key
    index = next(index for index, bar in enumerate(bars) if not bar.name.startswith("chair → "))
    place = QPoint(60, round((index + 0.5) * panel.bars._row_height()))
    qtbot.mouseClick(panel.bars.viewport(), Qt.MouseButton.LeftButton, pos=place)
    other = 1 if opened.selection.run != 1 else 2
    opened.select(compared=other)
    settled()
    query_class, model_class = (tree.names.index(name) for name in bars[index].name.split(" → "))
    runs = {run.name: run for run in opened.benchmark.runs}
    rows, seen = panel.examples.result.rows, set()
    for row in rows:
        name, query = row.query.caption.split(": ")
        one = ranked_list(opened.benchmark, runs[name], queries.ids.index(query), opened.profile)
        of_query, shown = queries.labels[queries.ids.index(query)], [tile.index for tile in row.strips[0].tiles]
        wanted = model_class if of_query == query_class else query_class
        assert of_query in (query_class, model_class)
        assert shown == [item for item in one.items.tolist() if item >= 0 and tree.labels[item] == wanted][:10]
        assert [one.items[tile.rank - 1] for tile in row.strips[0].tiles] == shown
        seen.add(name)
    assert seen == {opened.run.name, opened.benchmark.runs[other].name}
    tile = panel.strips.cell_rect(1, 2).center().toPoint()
    qtbot.mouseClick(panel.strips.viewport(), Qt.MouseButton.LeftButton, pos=tile)
    assert opened.run.name == rows[1].query.caption.split(": ")[0]
    assert opened.selection.rank == rows[1].strips[0].tiles[0].rank


def test_differences_between_classes_and_costs_of_a_cause(opened, budget, show, settled):
    other = 1 if opened.selection.run != 1 else 2
    opened.select(compared=other)
    panel = show(ClassCostsPanel(opened), 900, 300)
    panel.set_option("difference", True)
    settled()
    scores = evaluate(opened.benchmark, opened.profile, measures=["AP"])
    found = BudgetWork(scores, "AP").difference(opened.selection.run, other)
    expected = [one.cost for one in found.confusions if one.query_class >= 0][:20]
    assert [bar.value for bar in panel.bars._chart.bars] == pytest.approx(expected)
    assert any(share < 0 for share in expected)
    panel.set_option("difference", False)
    opened.select(cause="hubs")
    settled()
    costs = [bar.value for bar in panel.bars._chart.bars]
    of_cause = BudgetWork(scores, "AP").class_costs(opened.selection.run, "hubs")
    assert costs == pytest.approx([one.cost for one in of_cause[:20]])
    assert sum(one.cost for one in of_cause) <= budget.cause("hubs").share + 1e-12


def test_the_bars_stay_under_the_mouse_when_a_cause_is_chosen(opened, show, qtbot, settled):
    opened.select(means=True)
    panel = show(ErrorBudgetPanel(opened), 676, 450)  # as in a small window
    settled()
    before = panel.bars.mapTo(panel, QPoint())
    opened.select(cause="confusions")
    settled()
    assert panel.restriction.isVisible()
    after = panel.bars.mapTo(panel, QPoint())
    assert (after - before).manhattanLength() <= 2  # rows are 23 pixels high


def test_a_narrow_panel_has_its_parts_below_each_other(panel, qtbot, settled):
    parts = panel.bars, panel.curve, panel.strips, panel.table

    def lefts():
        return {part.mapTo(panel, QPoint(0, 0)).x() for part in parts}

    assert len(lefts()) == 2
    panel.resize(300, 460)
    qtbot.waitUntil(lambda: len(lefts()) == 1)
    tops = [part.mapTo(panel, QPoint(0, 0)).y() for part in parts]
    assert tops == sorted(tops)
    assert {part.width() for part in parts} == {panel.bars.width()}
    assert min(part.height() for part in parts) >= 6 * panel.bars._row_height()  # the causes with their scale
    panel.resize(1000, 460)
    qtbot.waitUntil(lambda: len(lefts()) == 2)


def test_columns_of_the_first_ranks_say_so(panel):
    titles = [panel.model.headerData(column, Qt.Orientation.Horizontal) for column in range(panel.model.columnCount())]
    assert {"In first 10", "Wrong in first 10"} <= {*titles}


def test_a_button_adds_what_looks_alike(panel, opened, qtbot, settled, monkeypatch):
    """The button says what it costs, adds the virtual run, and is hidden while that is there."""

    def distances(benchmark, *_):
        return np.random.default_rng(0).random((len(benchmark.queries), len(benchmark.collection)), np.float32)

    monkeypatch.setattr(rigid_distances, "rigid_distances", distances)  # of files: see test_rigid_geometry
    button, n_runs = panel.compare, len(opened.benchmark.runs)
    assert button.text().startswith("Compare shapes, ")
    assert "unless it is cached" in button.toolTip()
    assert "evidence, not truth" in button.toolTip()
    headers = [panel.model.headerData(column, Qt.Orientation.Horizontal) for column in range(panel.model.columnCount())]
    assert "Looks alike" not in headers
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert button.text() == "Comparing shapes…"
    assert not button.isEnabled()
    qtbot.waitUntil(lambda: len(opened.benchmark.runs) == n_runs + 1)
    settled()
    assert button.isHidden()
    headers = [panel.model.headerData(column, Qt.Orientation.Horizontal) for column in range(panel.model.columnCount())]
    assert "Looks alike" in headers
    remove_virtual_run(opened, GEOMETRY)
    settled()
    assert not button.isHidden()
    assert button.isEnabled()
