"""Differences and changes of rank in the leaderboard after a change of conventions, until they are dismissed."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import with_convention
from shrec_viewer.panels.scores.score_tables import LeaderboardPanel
from shrec_viewer.viewmodels.scores.score_tables import ScoreRole
from shrec_viewer.widgets.tables.score_table import difference_label


@pytest.fixture
def panel(opened, show, settled):
    panel = show(LeaderboardPanel(opened), 900, 300)
    settled()
    return panel


def cells(panel, measure, role):
    column = panel.model.column_of(measure)
    return [panel.model.index(row, column).data(role) for row in range(panel.model.rowCount())]


def ranks(values):
    return np.array([1 + int((values > value).sum()) for value in values])


def test_a_changed_convention_shows_differences_until_dismissed(panel, opened, settled, qtbot):
    former, measure = opened.profile, "AP"
    assert not panel.changes.isVisible()
    assert cells(panel, measure, ScoreRole.DIFFERENCE) == [None] * len(opened.benchmark.runs)
    opened.set_conventions(with_convention(former, "list_cut", 10))
    settled()
    before, after = (
        evaluate(opened.benchmark, profile, measures=[measure]).mean()[:, 0] for profile in (former, opened.profile)
    )
    np.testing.assert_allclose(cells(panel, measure, ScoreRole.DIFFERENCE), after - before, atol=1e-15)
    assert cells(panel, measure, ScoreRole.RANK_CHANGE) == (ranks(before) - ranks(after)).tolist()
    assert panel.changes.isVisible()
    assert "List cutoff: None → 10" in panel.changes.text()
    tips = cells(panel, measure, Qt.ItemDataRole.ToolTipRole)
    assert all("List cutoff" in tip for tip in tips)
    # The values of one query are compared with those of the same query.
    panel.set_option("shown", "query")
    query = opened.selection.query
    old = evaluate(opened.benchmark, former, measures=[measure]).values[:, query, 0]
    new = opened.scores.values[:, query, opened.scores.column(measure)]
    np.testing.assert_allclose(cells(panel, measure, ScoreRole.DIFFERENCE), new - old, atol=1e-15)
    panel.set_option("shown", "queries")
    qtbot.mouseClick(panel.dismiss, Qt.MouseButton.LeftButton)
    assert not panel.changes.isVisible()
    assert cells(panel, measure, ScoreRole.DIFFERENCE) == [None] * len(opened.benchmark.runs)
    assert cells(panel, measure, ScoreRole.RANK_CHANGE) == [None] * len(opened.benchmark.runs)


def test_other_changes_show_no_differences(panel, opened, settled):
    opened.set_conventions(with_convention(opened.profile, "list_cut", 10))
    settled()
    assert panel.model.former is not None
    opened.edits.set_level(0, [int(opened.ranked_list.items[0])], 1)  # the values change for another reason
    settled()
    assert panel.model.former is None
    opened.set_profile("psb")
    settled()
    assert panel.model.former is None
    assert not panel.changes.isVisible()


def test_label_of_differences():
    assert difference_label(0.025, 2) == "+0.025 ▲2"
    assert difference_label(-0.025, -13) == "−0.025 ▼13"
    assert difference_label(0.0) == "0.000"
    assert difference_label(float("nan"), 3) == ""


def test_roles_have_distinct_numbers_and_names(panel):
    """Two roles of one number are one role, whose second name is missing."""
    members = ScoreRole.__members__
    assert len({role.value for role in members.values()}) == len(members)
    names = {bytes(name.data()).decode() for name in panel.model.roleNames().values()}
    assert names == {name.lower() for name in members}
