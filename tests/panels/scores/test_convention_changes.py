"""Differences and changes of rank in the table of runs after a change, until they are dismissed."""

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
    opened.select(means=True)
    panel = show(LeaderboardPanel(opened), 900, 300)
    settled()
    return panel


def cells(panel, measure, role):
    column = panel.model.column_of(measure)
    return [panel.model.index(row, column).data(role) for row in range(panel.model.rowCount())]


def ranks(values):
    return np.array([1 + int((values > value).sum()) for value in values])


def test_a_changed_convention_shows_differences_until_dismissed(panel, opened, settled):
    former, measure = opened.profile, "AP"
    assert cells(panel, measure, ScoreRole.DIFFERENCE) == [None] * len(opened.benchmark.runs)
    opened.set_conventions(with_convention(former, "list_cut", 10))
    settled()
    before, after = (
        evaluate(opened.benchmark, profile, measures=[measure]).mean()[:, 0] for profile in (former, opened.profile)
    )
    np.testing.assert_allclose(cells(panel, measure, ScoreRole.DIFFERENCE), after - before, atol=1e-15)
    assert cells(panel, measure, ScoreRole.RANK_CHANGE) == (ranks(before) - ranks(after)).tolist()
    tips = cells(panel, measure, Qt.ItemDataRole.ToolTipRole)
    assert all("List cutoff: None → 10" in tip for tip in tips)
    # The values of one query are compared with those of the same query.
    opened.select(means=False)
    query = opened.selection.query
    old = evaluate(opened.benchmark, former, measures=[measure]).values[:, query, 0]
    new = opened.scores.values[:, query, opened.scores.column(measure)]
    np.testing.assert_allclose(cells(panel, measure, ScoreRole.DIFFERENCE), new - old, atol=1e-15)
    opened.select(means=True)
    opened.dismiss_changes()
    assert cells(panel, measure, ScoreRole.DIFFERENCE) == [None] * len(opened.benchmark.runs)
    assert cells(panel, measure, ScoreRole.RANK_CHANGE) == [None] * len(opened.benchmark.runs)


def test_an_edit_shows_differences_until_it_is_undone(panel, opened, settled):
    """From before this edit, not from before an earlier change."""
    opened.set_conventions(with_convention(opened.profile, "list_cut", 10))
    settled()
    before = opened.mean("queries").copy()
    opened.edits.set_level(0, [int(opened.ranked_list.items[0])], 1)
    settled()
    for column, measure in enumerate(opened.scores.measures):
        expected = opened.mean("queries")[:, column] - before[:, column]
        np.testing.assert_allclose(cells(panel, measure.key, ScoreRole.DIFFERENCE), expected, atol=1e-15)
    assert np.any(opened.mean("queries") != before)
    assert "before the last change" in cells(panel, "AP", Qt.ItemDataRole.ToolTipRole)[0]
    opened.add_measure("E@16")  # no change of the others
    settled()
    assert cells(panel, "AP", ScoreRole.DIFFERENCE) != [None] * len(opened.benchmark.runs)
    opened.edits.stack.undo()
    settled()
    assert cells(panel, "AP", ScoreRole.DIFFERENCE) == [None] * len(opened.benchmark.runs)


def test_another_profile_shows_differences_of_the_measures_of_both(panel, opened, settled):
    former = opened.scores
    opened.set_profile("psb")
    settled()
    keys = [measure.key for measure in former.measures]
    for measure in opened.scores.measures:
        found = cells(panel, measure.key, ScoreRole.DIFFERENCE)
        if measure.key in keys:
            expected = opened.mean("queries")[:, opened.scores.column(measure.key)]
            expected = expected - former.mean()[:, keys.index(measure.key)]
            np.testing.assert_allclose(found, expected, atol=1e-15)
        else:
            assert np.isnan(found).all()


def test_label_of_differences():
    assert difference_label(0.025, 2) == "+0.025 ▲2"
    assert difference_label(-0.025, -13) == "−0.025 ▼13"
    assert difference_label(0.0) == "="
    assert difference_label(0.0, -1) == "= ▼1"
    assert difference_label(float("nan"), 3) == ""


def test_roles_have_distinct_numbers_and_names(panel):
    """Two roles of one number are one role, whose second name is missing."""
    members = ScoreRole.__members__
    assert len({role.value for role in members.values()}) == len(members)
    names = {bytes(name.data()).decode() for name in panel.model.roleNames().values()}
    assert names == {name.lower() for name in members}
