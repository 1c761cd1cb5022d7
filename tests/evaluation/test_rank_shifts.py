"""Rank changes between two lists, against a slow search, and texts about comparisons."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.content.lists import query_difference_texts
from shrec_viewer.evaluation.comparison.comparison import compare, entering_top, rank_shifts, ranks_in
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.comparison.comparison import (
    comparison_details,
    comparison_texts,
)


def a_list(items, relevant):
    items = np.array(items, np.int32)
    levels = np.array([relevant.get(int(item), 0) for item in items], np.uint8)
    n = len(items)
    return RankedList(
        items, np.full(n, np.nan), levels, np.zeros(n, bool), np.arange(n, dtype=np.int32), False, items[:0]
    )


lists = st.lists(st.integers(0, 15), unique=True, max_size=16)
truths = st.dictionaries(st.integers(0, 15), st.integers(1, 2), max_size=8)


@given(lists, lists, truths)
def test_shifts_equal_a_slow_search(one, other, truth):
    a, b = a_list(one, truth), a_list(other, truth)
    expected = {}
    for item, level in truth.items():
        if item in one or item in other:
            expected[item] = (
                level,
                one.index(item) + 1 if item in one else 0,
                other.index(item) + 1 if item in other else 0,
            )
    found = rank_shifts(a, b)
    assert {move.item: (move.level, move.rank_a, move.rank_b) for move in found} == expected
    weights = [
        move.level * abs((1 / move.rank_a if move.rank_a else 0) - (1 / move.rank_b if move.rank_b else 0))
        for move in found
    ]
    assert all(first >= second - 1e-12 for first, second in pairwise(weights))
    backward = {move.item: (move.level, move.rank_b, move.rank_a) for move in rank_shifts(b, a)}
    assert backward == expected
    np.testing.assert_array_equal(
        ranks_in(a, np.arange(16, dtype=np.int32)), [one.index(i) + 1 if i in one else 0 for i in range(16)]
    )
    top_a = {item for item in one[:10] if item in truth}
    top_b = {item for item in other[:10] if item in truth}
    assert entering_top(a, b) == (len(top_b - top_a), len(top_a - top_b))


@pytest.fixture(scope="module")
def demo():
    return read_benchmark(resource("demo"))


@pytest.fixture(scope="module")
def scores(demo):
    return evaluate(demo, find_profile("default"))


def test_query_summary_has_the_numbers(demo, scores):
    profile = find_profile("default")
    a, b = demo.runs[0], demo.runs[3]
    column = scores.column("AP")
    summaries = []
    for query in range(len(demo.queries)):
        shown = tuple(ranked_list(demo, run, query, profile) for run in (a, b))
        values = tuple(float(scores.values[place, query, column]) for place in (0, 3))
        verdict, ends, moves = query_difference_texts(demo, (a.name, b.name), "AP", values, shown)
        summaries.append(verdict + ends + moves)
        assert not moves or moves.endswith(".")
        if values[1] > values[0]:
            gain = values[1] - values[0]
            assert verdict == f"{b.name} is {gain:.3f} AP above {a.name}"
            assert ends == f": {values[0]:.3f} → {values[1]:.3f}"
        moved = [move for move in rank_shifts(*shown) if move.rank_a != move.rank_b]
        if moved:
            risen = values[1] >= values[0]
            first = next((move for move in moved if move.moved_up == risen), moved[0])
            assert moves.startswith(f"{demo.collection.ids[first.item]} {first.rank_a or 'not listed'} → ")
    assert len(set(summaries)) > len(summaries) / 2


def test_run_summary_has_the_numbers_of_the_comparison(demo, scores):
    for other in range(1, len(demo.runs)):
        found = compare(scores, demo.runs[0].name, demo.runs[other].name, "AP")
        verdict, words = comparison_texts(found)
        change = found.difference.mean
        assert verdict.startswith(
            f"Over {found.n} queries, {found.run_b} is {abs(change):.3f} AP {'above' if change > 0 else 'below'} "
            f"{found.run_a}"
        )
        won = found.win_tie_loss
        assert f"better, {won.equal} equal, {won.worse} worse" in words
        assert verdict.endswith(", not significant." if found.test.p >= 0.05 else f"{found.run_a}.")
        assert f"{found.difference.low:+.3f} to {found.difference.high:+.3f}".replace("-", "−") in words
        agree = (found.difference.low <= 0 <= found.difference.high) == (found.test.p >= 0.05)
        assert ("The test decides" in words) != agree
        assert "Tukey" not in words, "the test of all pairs is unknown"
        for p_of_all_pairs in (0.01, 0.5):
            named = "Tukey HSD" in comparison_texts(found, p_of_all_pairs)[1]
            assert named == ((found.test.p < 0.05) != (p_of_all_pairs < 0.05))
    same = compare(scores, demo.runs[0].name, demo.runs[0].name, "AP")
    name = demo.runs[0].name
    assert comparison_texts(same)[0] == f"Over {same.n} queries, {name} and {name} are equal in AP."


@pytest.mark.parametrize(
    ("low", "high", "p", "decision"),
    [
        (-0.117, -0.006, 0.098, "excludes 0"),
        (-0.1, 0.01, 0.03, "includes 0"),
        (-0.1, 0.01, 0.2, ""),
        (-0.2, -0.1, 0, ""),
    ],
)
def test_summary_states_which_decides_if_test_and_interval_differ(demo, scores, low, high, p, decision):
    found = compare(scores, demo.runs[0].name, demo.runs[1].name, "AP")
    interval = replace(found.difference, mean=(low + high) / 2, low=low, high=high)
    _, words = comparison_texts(replace(found, difference=interval, test=replace(found.test, p=p)))
    assert ("The test decides" in words) == bool(decision)
    assert decision in words
    assert "(paired randomisation)" in words
    details = comparison_details(found)
    assert "paired randomisation test of this pair alone" in details
    assert "exchanges of the two runs" in details
    assert "The Significance panel corrects for all pairs of runs (randomised Tukey HSD)" in details
    assert "resamples the classes" in comparison_details(replace(found, unit="class"))
