"""The panel of certainty and the line about the order in other panels: what an independent examination says."""

import pytest
from PySide6.QtCore import Qt

from shrec_viewer.charts.table import Table
from shrec_viewer.content.diagnosis import certainty
from shrec_viewer.content.scores import RankingsRequest
from shrec_viewer.evaluation.comparison.certainty import leader_sentence, order_certainty, order_sentence
from shrec_viewer.panels.chart_panel import ChartPanelFactory
from shrec_viewer.panels.controls import ChoiceBox
from shrec_viewer.panels.diagnosis.assessments import AssessmentsPanel
from shrec_viewer.panels.diagnosis.edits import EditsPanel
from shrec_viewer.panels.diagnosis.robustness import RobustnessPanel
from shrec_viewer.panels.scores.certainty import CertaintyPanel
from shrec_viewer.panels.scores.heat_map import HeatMapPanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.panels.scores.run_intervals import SignificancePanel
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel


def shown(kind, opened, qtbot, settled):
    panel = kind(opened)
    qtbot.addWidget(panel)
    panel.resize(1000, 360)
    panel.show()
    settled()
    return panel


@pytest.fixture
def panel(opened, qtbot, settled):
    return shown(CertaintyPanel, opened, qtbot, settled)


def show(panel, name, qtbot, settled):
    """Choose what is shown with the keyboard."""
    (box,) = [one for one in panel.findChildren(ChoiceBox) if one.findData(name) >= 0]
    row = box.findData(name)
    box.setFocus()
    while box.currentIndex() != row:
        qtbot.keyClick(box, Qt.Key.Key_Down if box.currentIndex() < row else Qt.Key.Key_Up)
    settled()


def test_places_are_those_of_the_resamples(panel, opened):
    expected = order_certainty(opened.scores, opened.measure)
    rows = panel.chart.rows
    assert [row.name for row in rows] == list(expected.family)
    assert [(row.low, row.high) for row in rows] == [tuple(ends) for ends in expected.intervals.tolist()]
    assert [row.outer for row in rows] == [tuple(ends) for ends in expected.bounds.tolist()]
    for row, places in zip(rows, expected.places.T, strict=True):
        assert sum(row.shares) == pytest.approx(1)
        assert [share > 0 for share in row.shares] == [bool((places == n).any()) for n in range(1, len(rows) + 1)]
    assert panel.order.text().startswith(f"{leader_sentence(expected)} {order_sentence(expected)}")


def test_other_panels_of_a_large_contest_name_the_panel(panel, opened, qtbot, settled, monkeypatch):
    monkeypatch.setattr(certainty, "MAX_ORDERED_SCORES", 6 * 16 - 1)
    other = shown(LeaderboardPanel, opened, qtbot, settled)
    assert other.order.text() == "How sure the order is: see the panel Certainty."
    assert "share places" in panel.order.text()


@pytest.mark.parametrize(
    "kind",
    [
        *(LeaderboardPanel, SignificancePanel, RobustnessPanel, AssessmentsPanel, CertaintyPanel),
        ChartPanelFactory(RankingsRequest, shows_order=True),
    ],
)
def test_every_panel_with_an_order_says_how_sure_it_is(kind, opened, qtbot, settled):
    panel = shown(kind, opened, qtbot, settled)
    sentence = leader_sentence(order_certainty(opened.scores, opened.measure))
    assert panel.order.isVisible()
    assert panel.order.shown_text.startswith(sentence.rstrip("."))
    opened.select(measure="FT")
    settled()
    other = leader_sentence(order_certainty(opened.scores, "FT"))
    assert panel.order.text().startswith(other)
    assert other != sentence


def test_heat_map_leaves_the_order_to_the_table_of_runs_above_it(opened, qtbot, settled):
    assert not shown(HeatMapPanel, opened, qtbot, settled).findChildren(OrderLine)


def test_ranks_after_edits_are_said_to_be_as_sure_as_those_of_the_edited_assessment(opened, qtbot, settled):
    panel = shown(EditsPanel, opened, qtbot, settled)
    assert not panel.order.isVisible()  # no ranks are shown
    before = leader_sentence(order_certainty(opened.scores, opened.measure))
    items, levels = opened.ranked_list.items.tolist(), opened.ranked_list.levels.tolist()
    for model, level in list(zip(items, levels, strict=True))[:8]:
        opened.edits.set_level(opened.selection.query, [model], 0 if level else 2)
    settled()
    sentence = leader_sentence(order_certainty(opened.scores, opened.measure))
    assert sentence != before
    assert panel.order.isVisible()
    assert panel.order.text().startswith(sentence)


def test_bars_join_the_groups_of_the_test(panel, opened, qtbot, settled):
    show(panel, "mean", qtbot, settled)
    expected = order_certainty(opened.scores, opened.measure)
    groups = [members for members in expected.groups.members if len(members) > 1]
    bars = [row for row in panel.chart.rows if row.is_bar]
    assert [(bar.low, bar.high) for bar in bars] == [
        (min(expected.means[list(one)]), max(expected.means[list(one)])) for one in groups
    ]
    runs = [row for row in panel.chart.rows if not row.is_bar]
    assert [row.value for row in runs] == expected.means.tolist()
    panel.chart.row_selected.emit(len(panel.chart.rows) - 1)  # a bar is no run
    assert opened.run is not None


def test_pairs_select_runs_a_and_b(panel, opened, qtbot, settled):
    show(panel, "pairs", qtbot, settled)
    assert len(panel.records.table.rows) == len(opened.scores.runs) * (len(opened.scores.runs) - 1) // 2
    panel.table.selectRow(1)
    first, second = panel.records.key(1)
    names = [run.name for run in opened.benchmark.runs]
    assert (opened.run.name, names[opened.selection.compared]) == (first, second)
    request = panel.requests()[0]
    assert (request.kind, request.show) == ("certainty_pairs", "pairs")


def test_a_wider_rope_makes_runs_equivalent(panel, qtbot, settled):
    show(panel, "pairs", qtbot, settled)
    assert "equivalent" not in {row[-1] for row in panel.records.table.rows}
    panel.set_option("rope", 1.0)
    settled()
    verdicts = {row[-1] for row in panel.records.table.rows}
    assert verdicts <= {"differ", "equivalent", "not comparable"}
    assert "equivalent" in verdicts


def test_what_the_order_depends_on_is_a_table(panel, opened, qtbot, settled):
    show(panel, "order", qtbot, settled)
    table = panel.computation.result
    assert isinstance(table, Table)
    assert [column.key for column in table.columns] == ["run", "rank", "queries", "sure", "conventions", "labels"]
    for row in table.rows:
        for cell in row[2:]:
            ends = [int(word) for word in cell.split(" to ")]
            assert ends[0] <= row[1] <= ends[-1]


def test_a_measure_that_is_no_mean_has_no_order(panel, opened, settled):
    opened.add_measure("MCC")
    opened.select(measure="MCC")
    settled()
    assert panel.order.text() == ""
    assert panel.is_empty
