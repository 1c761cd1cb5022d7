"""Status bar text at the cursor, with the values of the evaluation; steps to misses and rank changes."""

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle
from tiny_benchmark import write_tiny

from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.score_tables import is_count
from shrec_viewer.metrics import find_measure, with_convention
from shrec_viewer.number_format import format_value
from shrec_viewer.viewmodels.ranking.query_list import QueryListModel
from shrec_viewer.viewmodels.ranking.ranked_list import (
    cursor_curve_keys,
    cursor_curves,
    missed_ranks,
    ranks_by_change,
    relevant_count,
    step_rank_change,
    step_to,
    tie_ranks,
)
from shrec_viewer.viewmodels.text.status_text import StatusText, measure_text


@pytest.fixture
def opened(session, tmp_path, qtbot):
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.select(run=1)  # levels 0 2 0 2 1 0 0 1
    settle(session, qtbot)
    return session


@pytest.fixture
def description(opened):
    found = StatusText(opened)
    found.update()
    return found


def test_text_at_cursor(opened, description):
    assert description.cursor_text() == "q1 cat  ·  run A2"
    opened.cursor_state.hover(4)
    said = "q1 cat  ·  run A2  ·  rank 4 of 8  ·  m2  ·  class cat  ·  highly relevant (2)  ·  distance 0.3000"
    assert description.cursor_text() == said
    opened.cursor_state.hover(1)
    assert description.cursor_text().endswith("rank 1 of 8  ·  m5  ·  class chair  ·  not relevant  ·  distance 0.1000")
    opened.cursor_state.hover(99)
    assert description.cursor_text() == "q1 cat  ·  run A2"


def test_a_list_with_a_level_that_was_just_restored_is_described(opened, description, qtbot):
    """The list is ranked again after the event in which the edits are removed; the status bar is updated in it."""
    opened.cursor_state.hover(4)
    opened.edits.set_level(0, [int(opened.ranked_list.items[3])], 3)
    settle(opened, qtbot)
    assert "relevance level 3" in description.cursor_text()
    opened.edits.remove_levels([edit.pair for edit in opened.edits.levels])
    assert (opened.benchmark.assessment.levels, int(opened.ranked_list.levels[3])) == ((1, 2), 3)
    assert "relevance level 3" in description.cursor_text()
    settle(opened, qtbot)
    assert "highly relevant (2)" in description.cursor_text()


def test_values_at_cursor_are_those_of_evaluation(opened, description):
    table = opened.scores.hits[opened.scores.run_index("A2")].rows(0, 1)
    for rank in range(1, 9):
        opened.cursor_state.hover(rank)
        expected = [
            float(find_measure(f"{name}@{rank}").evaluate(table, opened.profile)[0]) for name in ("P", "R", "NDCG")
        ]
        shares = [format_value(value) for value in expected]
        assert description.values_text() == f"P {shares[0]}  R {shares[1]}  NDCG {shares[2]} at {rank}"
    opened.cursor_state.hover(4)
    assert description.values_text().startswith("P 0.500  R 0.500  NDCG ")


def test_without_cursor_measure_is_shown(opened, description):
    value = opened.scores.values[opened.scores.run_index("A2"), 0, opened.scores.column(opened.measure)]
    assert description.values_text() == f"{opened.measure} {value:.3f}"


def test_texts_of_missing_lists_and_undefined_values(opened, qtbot):
    opened.select(run=2, query=2)
    settle(opened, qtbot)
    assert measure_text(opened) == f"{opened.measure}: no results"
    found = StatusText(opened)
    found.update()
    opened.cursor_state.hover(1)
    assert found.values_text() == f"{opened.measure}: no results"


def test_queries_that_the_conventions_exclude_are_named(opened, qtbot):
    """A minimum class size above that of every class excludes all queries from the means."""
    assert "not in the means" not in measure_text(opened)
    opened.set_conventions(with_convention(opened.profile, "min_class_size", 99))
    settle(opened, qtbot)
    assert measure_text(opened).endswith(" (not in the means)")
    model = QueryListModel(opened)
    tip = model.index(0).data(Qt.ItemDataRole.ToolTipRole)
    assert f"excluded from the means of {opened.profile.title}: classes of fewer than 99 models" in tip


def test_scores_of_other_conventions_are_not_mixed_with_list(opened, description, qtbot):
    opened.cursor_state.hover(2)
    opened.set_conventions(replace(opened.profile, discount="log2(i+1)"))
    description.update()
    assert not description.values_text().endswith("at 2")
    settle(opened, qtbot)
    description.update()
    assert description.values_text().endswith("at 2")


@pytest.mark.parametrize("ranks", [(1, 2, 3, 4, 5), (5, 4, 3, 2, 1), (3, 6, 2, 5)])
def test_cursor_values_do_not_depend_on_the_ranks_computed(opened, description, monkeypatch, ranks):
    """The curves are computed to the next power of two of the ranks that were under the cursor."""
    monkeypatch.setattr("shrec_viewer.viewmodels.text.status_text.MIN_CURVE_RANKS", 1)
    length = len(opened.ranked_list)
    run = opened.scores.run_index(opened.run.name)
    along = cursor_curves(opened.scores, run, opened.selection.query, length)
    for rank in ranks:
        opened.cursor_state.hover(rank)
        values = along[:, rank - 1].tolist() if rank <= length else []
        expected = [f"{key} {format_value(value)}" for key, value in zip(cursor_curve_keys(), values, strict=False)]
        text = description.values_text()
        assert all(part in text for part in expected)
        assert text.endswith(f" at {rank}") == (rank <= length)


def test_cursor_values_of_51000_ranks(opened):
    along = cursor_curves(opened.scores, 0, 0, 51_000)
    assert along.shape == (3, 51_000)


def test_counts_have_no_decimals_and_shares_do():
    for key, values, expected in (("TP", (1, np.nan, 18), True), ("DCG", (1.5, 2), False), ("AP", (1, 0), False)):
        assert is_count(find_measure(key), np.array(values, float)) == expected


def test_relevant_count_includes_models_not_retrieved(opened, qtbot):
    opened.select(run=2)  # m5 m6 m1: one of two cats, no dog
    settle(opened, qtbot)
    shown = opened.ranked_list
    assert relevant_count(opened.benchmark, 0, shown, opened.profile) == 4
    strict = replace(opened.profile, relevant_from=2)
    assert relevant_count(opened.benchmark, 0, shown, strict) == 2


def test_groups_of_ties_have_first_and_last_rank(opened):
    assert [tie_ranks(opened.ranked_list, row) for row in range(5)] == [(0, 0), (0, 0), (3, 4), (3, 4), (0, 0)]


# Misses and rank changes.


def test_misses_are_relevant_models_beyond_rank_c(opened):
    found = missed_ranks(opened)
    assert found.tolist() == [5, 8]  # C is 4
    ranks_visited = [(step_to(opened, found, by), opened.selection.rank) for by in (1, 1, 1, -1, -1)]
    assert ranks_visited == [(True, 5), (True, 8), (False, 8), (True, 5), (False, 5)]


def test_perfect_list_has_no_miss(opened, qtbot):
    opened.select(run=0)
    settle(opened, qtbot)
    assert not len(missed_ranks(opened))
    assert not step_to(opened, missed_ranks(opened), 1)
    assert opened.selection.rank is None


def test_rank_changes_are_sorted_by_size(opened):
    benchmark, profile = opened.benchmark, opened.profile
    one, other = (ranked_list(benchmark, benchmark.runs[run], 0, profile) for run in (1, 0))
    # A2: m5 m1 m6 m2 m3 m7 m8 m4; A1: m1 m2 m3 m4 …: m4 moved by 4, m2 and m3 by 2, m1 by 1
    assert ranks_by_change(one, other, one.levels > 0).tolist() == [8, 4, 5, 2]
    assert ranks_by_change(one, one, one.levels > 0).tolist() == []
    short = ranked_list(benchmark, benchmark.runs[2], 0, profile)  # m5 m6 m1
    assert ranks_by_change(one, short, one.levels > 0).tolist() == [8, 2, 5]  # m4 8-4, m1 2-3, m3 5-4; m2 stays at 4


def test_steps_go_to_next_rank_change(opened, qtbot):
    said = []
    step_rank_change(opened, 1, said.append)
    assert said[0].startswith("Select a run to compare with")
    opened.select(compared=0)
    ranks = []
    for by in (1, 1, 1, -1):
        step_rank_change(opened, by, said.append)
        settle(opened, qtbot)
        ranks.append(opened.selection.rank)
    assert ranks == [8, 4, 5, 4]
    assert len(said) == 1


def test_message_without_rank_changes(session, tmp_path, qtbot):
    open_in(session, write_tiny(tmp_path / "tiny"), qtbot)
    session.select(run=0, compared=1, query=0)
    settle(session, qtbot)
    said = []
    runs = (session.benchmark.runs[0], session.benchmark.runs[0])
    session.apply(replace(session.document, benchmark=replace(session.benchmark, runs=runs)))
    session.select(compared=1)
    step_rank_change(session, 1, said.append)
    settle(session, qtbot)
    assert said == ["All relevant models have the same rank in both runs."]
