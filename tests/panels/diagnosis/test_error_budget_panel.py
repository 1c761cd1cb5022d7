"""The panels of the error budget: what they show, and what clicks on them select."""

from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt

from shrec_viewer.content.contents import build_table
from shrec_viewer.content.diagnosis.error_budget import CAUSE_NAMES, FalsePositivesRequest
from shrec_viewer.diagnosis.error_budget import BudgetWork
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.panels.diagnosis.error_budget import ErrorBudgetPanel, QueryCausesPanel
from shrec_viewer.viewmodels.content.data import content_data


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
    assert panel.title.text().startswith(f"{budget.run} loses")


def test_a_click_on_a_cause_lists_the_models_that_carry_it(panel, opened, budget, qtbot):
    everything = panel.model.rowCount()
    click(qtbot, panel, "hubs")
    carried = np.flatnonzero(budget.costs_by_cause[1] > 0)
    ids = [opened.benchmark.collection.ids[model] for model in carried]
    assert sorted(panel.model.keys) == sorted(ids)
    assert 0 < len(ids) < everything
    assert panel.requests()[1].cause == "hubs"
    exported = build_table(content_data(opened), panel.requests()[1])
    assert [row[0] for row in exported.rows] == panel.model.keys
    click(qtbot, panel, "hubs")
    assert panel.model.rowCount() == everything
    click(qtbot, panel, "hubs")
    qtbot.keyClick(panel.bars, Qt.Key.Key_Down)
    assert panel.requests()[1].cause == panel.bars._chart.bars[row_of(panel, "hubs") + 1].key


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
    assert panel.title.text() == f"{name}: {budget.sentences[3]}"
    request = FalsePositivesRequest(runs=(opened.run.name,), query=name)
    expected = build_table(content_data(opened), request)
    assert [row[0] for row in expected.rows] == panel.model.keys
    assert sum(row[2] for row in expected.rows) == pytest.approx(np.nansum(budget.shares[3, 2:]))


def test_queries_have_their_sentences(opened, budget, show, settled):
    panel = show(QueryCausesPanel(opened), 1000, 300)
    settled()
    rows = {row[0]: row for row in panel.model.table.rows}
    for query, name in enumerate(opened.benchmark.queries.ids):
        assert rows[name][-1] == budget.sentences[query]
        assert rows[name][1] == pytest.approx(budget.values[query])
    panel.table.selectRow(2)
    assert opened.benchmark.queries.ids[opened.selection.query] == panel.model.key(2)


def test_another_run_and_measure(panel, opened, settled):
    opened.select(run=2)
    settled()
    assert panel.title.text().startswith(opened.run.name)
    panel.set_option("measure", "NDCG")
    settled()
    assert panel.bars._chart.bars[0].name == f"NDCG of {opened.run.name}"
