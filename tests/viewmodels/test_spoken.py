"""The status bar's words: what is under the cursor, with the values that the evaluation has there; steps to misses."""

import time
from dataclasses import replace

import numpy as np
import pytest
from menagerie import write_menagerie
from sessions import open_in, settle
from tiny_benchmark import write_tiny

from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.metrics import find_measure
from shrec_viewer.numerals import listed
from shrec_viewer.viewmodels.list_facts import relevant_size, tie_ranks, values_along
from shrec_viewer.viewmodels.movers import mover_ranks, step_mover
from shrec_viewer.viewmodels.spoken import Spoken, measure_words
from shrec_viewer.viewmodels.steps import misses, step_to
from shrec_viewer.viewmodels.words import is_counted


@pytest.fixture
def opened(session, tmp_path, qtbot):
    open_in(session, write_menagerie(tmp_path / "menagerie"), qtbot)
    session.select(run=1)  # levels 0 2 0 2 1 0 0 1
    settle(session, qtbot)
    return session


@pytest.fixture
def spoken(opened):
    found = Spoken(opened)
    found.renew()
    return found


def test_the_cursor_is_spelled_out(opened, spoken):
    assert spoken.cursor_words() == "q1 cat  ·  run A2"
    opened.pointing.point(4)
    said = "q1 cat  ·  run A2  ·  rank 4 of 8  ·  m2  ·  class cat  ·  highly relevant (2)  ·  distance 0.3000"
    assert spoken.cursor_words() == said
    opened.pointing.point(1)
    assert spoken.cursor_words().endswith("rank 1 of 8  ·  m5  ·  class chair  ·  not relevant  ·  distance 0.1000")
    opened.pointing.point(99)
    assert spoken.cursor_words() == "q1 cat  ·  run A2"


def test_values_at_the_cursor_are_those_of_the_evaluation(opened, spoken):
    table = opened.scores.hits[opened.scores.run_index("A2")].rows(0, 1)
    for rank in range(1, 9):
        opened.pointing.point(rank)
        wanted = [
            float(find_measure(f"{name}@{rank}").evaluate(table, opened.profile)[0]) for name in ("P", "R", "NDCG")
        ]
        shares = [listed(value) for value in wanted]
        assert spoken.value_words() == f"P {shares[0]}  R {shares[1]}  NDCG {shares[2]} at {rank}"
    opened.pointing.point(4)
    assert spoken.value_words().startswith("P 0.500  R 0.500  NDCG ")


def test_without_a_cursor_the_measure_is_said(opened, spoken):
    value = opened.scores.values[opened.scores.run_index("A2"), 0, opened.scores.column(opened.measure)]
    assert spoken.value_words() == f"{opened.measure} {value:.3f}"


def test_a_missing_list_is_said_and_an_undefined_value_is_a_dash(opened, qtbot):
    opened.select(run=2, query=2)
    settle(opened, qtbot)
    assert measure_words(opened) == f"{opened.measure}: no list"
    found = Spoken(opened)
    found.renew()
    opened.pointing.point(1)
    assert found.value_words() == f"{opened.measure}: no list"


def test_scores_of_other_conventions_are_not_mixed_with_the_list(opened, spoken, qtbot):
    opened.pointing.point(2)
    opened.set_conventions(replace(opened.profile, discount="log2(i+1)"))
    spoken.renew()
    assert not spoken.value_words().endswith("at 2")
    settle(opened, qtbot)
    spoken.renew()
    assert spoken.value_words().endswith("at 2")


def test_a_move_takes_less_than_a_millisecond(opened, spoken):
    opened.pointing.point(1)
    spoken.value_words()
    start = time.perf_counter()
    for rank in range(1, 401):
        opened.pointing.point(rank % 8 + 1)
        spoken.cursor_words()
        spoken.value_words()
    assert (time.perf_counter() - start) / 400 < 0.001


def test_values_along_are_made_for_51000_ranks_in_a_moment(opened):
    start = time.perf_counter()
    along = values_along(opened.scores, 0, 0, 51_000)
    assert time.perf_counter() - start < 0.1
    assert along.shape == (3, 51_000)


def test_counts_have_no_decimals_and_shares_do(opened):
    assert is_counted(find_measure("TP"), np.array([1.0, np.nan, 18.0]))
    assert not is_counted(find_measure("DCG"), np.array([1.5, 2.0]))
    assert not is_counted(find_measure("AP"), np.array([1.0, 0.0]))


def test_relevant_size_counts_what_was_not_retrieved_too(opened, qtbot):
    opened.select(run=2)  # m5 m6 m1: one of two cats, no dog
    settle(opened, qtbot)
    shown = opened.ranked_list
    assert relevant_size(opened.benchmark, 0, shown, opened.profile) == 4
    strict = replace(opened.profile, relevant_from=2)
    assert relevant_size(opened.benchmark, 0, shown, strict) == 2


def test_groups_of_ties_have_first_and_last_rank(opened):
    assert [tie_ranks(opened.ranked_list, row) for row in range(5)] == [(0, 0), (0, 0), (3, 4), (3, 4), (0, 0)]


# -- misses and movers ------------------------------------------------------------------------------------------------


def test_a_miss_is_relevant_and_beyond_rank_c(opened):
    found = misses(opened)
    assert found.tolist() == [5, 8]  # C is 4
    walked = [(step_to(opened, found, by), opened.selection.rank) for by in (1, 1, 1, -1, -1)]
    assert walked == [(True, 5), (True, 8), (False, 8), (True, 5), (False, 5)]


def test_a_perfect_list_has_no_miss(opened, qtbot):
    opened.select(run=0)
    settle(opened, qtbot)
    assert not len(misses(opened))
    assert not step_to(opened, misses(opened), 1)
    assert opened.selection.rank is None


def test_movers_are_ordered_by_how_far_they_moved(opened):
    benchmark, profile = opened.benchmark, opened.profile
    one, other = (ranked_list(benchmark, benchmark.runs[run], 0, profile) for run in (1, 0))
    # A2: m5 m1 m6 m2 m3 m7 m8 m4; A1: m1 m2 m3 m4 …: m4 moved by 4, m2 and m3 by 2, m1 by 1
    assert mover_ranks(one, other, one.levels > 0).tolist() == [8, 4, 5, 2]
    assert mover_ranks(one, one, one.levels > 0).tolist() == []
    short = ranked_list(benchmark, benchmark.runs[2], 0, profile)  # m5 m6 m1
    assert mover_ranks(one, short, one.levels > 0).tolist() == [8, 2, 5]  # m4 8-4, m1 2-3, m3 5-4; m2 stays at 4


def test_steps_go_to_the_next_mover(opened, qtbot):
    said = []
    step_mover(opened, 1, said.append)
    assert said[0].startswith("Choose a second run")
    opened.select(compared=0)
    ranks = []
    for by in (1, 1, 1, -1):
        step_mover(opened, by, said.append)
        settle(opened, qtbot)
        ranks.append(opened.selection.rank)
    assert ranks == [8, 4, 5, 4]
    assert len(said) == 1


def test_where_nothing_moved_it_is_said(session, tmp_path, qtbot):
    open_in(session, write_tiny(tmp_path / "tiny"), qtbot)
    session.select(run=0, compared=1, query=0)
    settle(session, qtbot)
    said = []
    session._selection = replace(session.selection, compared=1)
    session._benchmark = replace(session.benchmark, runs=(session.benchmark.runs[0], session.benchmark.runs[0]))
    step_mover(session, 1, said.append)
    settle(session, qtbot)
    assert said == ["No relevant model stands at another rank in the run compared with."]
