"""Runs without complete ground truth: bounds and estimates agree with hand-worked values, brute force and the truth."""

import json
import math
from dataclasses import astuple, replace
from fractions import Fraction
from itertools import combinations
from math import comb
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from independent_loaders import lists_of, load_shrec06, pairs_of
from small_benchmarks import external, itself

from shrec_viewer.domain import PairAssessment, ShrecViewerError
from shrec_viewer.evaluation import practical as module
from shrec_viewer.evaluation.practical import (
    Pairs,
    is_complete,
    pairs_to_judge,
    practical,
    practical_document,
    practical_rows,
    random_pairs,
)
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.metrics.generality.practical import ValueRange, bounds, estimate

DEFAULT = find_profile("default")


def judged_of(rows: list[dict[int, int]]) -> PairAssessment:
    """From one dict {model: level} a query; level 0 is a judgement too."""
    relevant = pairs_of([{model: level for model, level in row.items() if level} for row in rows])
    zeros = [sorted(model for model, level in row.items() if not level) for row in rows]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in zeros])]).astype(np.int64)
    items = np.array([model for row in zeros for model in row], np.int32)
    return replace(relevant, zero_indptr=indptr, zero_items=items)


def test_complete_truth_by_hand():
    """Run full: the first two ranks hold a b, c a, a b and a f; b a, c and f of them are relevant: 4 of 8.

    In all 24 pairs 5 are relevant, so one is outside the scope.
    """
    full, gaps = practical(external(), DEFAULT, scope=2, sample_size=24).runs
    assert (full.queries, full.judged, full.found, full.pairs) == (4, 8, 4, 24)
    assert (full.sampled, full.sampled_relevant) == (16, 1)
    assert full.precision == 0.5
    assert full.recall.bounds == ValueRange(4 / 20, 1.0)
    assert full.generality.bounds == ValueRange(4 / 24, 20 / 24)
    assert full.class_size.bounds == ValueRange(1.0, 5.0)
    # All pairs are in the sample: nothing is left to estimate.
    assert full.recall.estimate == full.recall.actual == 4 / 5
    assert full.recall.interval == ValueRange(4 / 5, 4 / 5)
    assert full.generality.estimate == full.generality.actual == 5 / 24
    assert full.class_size.interval == ValueRange(5 / 4, 5 / 4)
    # Run gaps has d a for q0, nothing for q1, a for q2 and an empty list for q3.
    assert (gaps.judged, gaps.found, gaps.pairs, gaps.sampled, gaps.sampled_relevant) == (3, 2, 24, 21, 3)
    assert gaps.recall.bounds == ValueRange(2 / 23, 1.0)


def test_values_of_single_queries_by_hand():
    """Run full finds 2, 1, 0 and 1 relevant models at the first two ranks of six (Sebe et al., section 5)."""
    found = practical(external(), DEFAULT, runs=["full"], scope=2, sample_size=0, by_query=True)
    assert [(one.query, one.queries, one.judged, one.found, one.pairs) for one in found.runs] == [
        ("q0", 1, 2, 2, 6), ("q1", 1, 2, 1, 6), ("q2", 1, 2, 0, 6), ("q3", 1, 2, 1, 6),
    ]  # fmt: skip
    assert [one.recall.bounds.low for one in found.runs] == [2 / 6, 1 / 5, 0.0, 1 / 5]
    assert [one.generality.bounds.low for one in found.runs] == [2 / 6, 1 / 6, 0.0, 1 / 6]
    assert [one.ranks_per_relevant for one in found.runs if one.found] == [1.0, 2.0, 2.0]
    table = practical_rows(found)
    assert table.header[:4] == ("run", "participant", "query", "profile")
    assert [row[2] for row in table.rows] == ["q0", "q1", "q2", "q3"]
    assert table.rows[2][table.header.index("ranks_per_relevant")] is None


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_bounds_contain_the_truth_and_judging_all_pairs_gives_it(data):
    """Random truths, truncated lists, scopes and samples; a part of the judgements never leads to other bounds."""
    models = list(range(6))
    truth = [dict.fromkeys(data.draw(st.sets(st.sampled_from(models))), 1) for _ in range(4)]
    lists = lists_of([data.draw(st.permutations(models))[: data.draw(st.integers(0, 6))] for _ in range(4)])
    runs = (replace(external().runs[0], ranking=lists),)
    scope, size = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 24))
    complete = replace(external(), runs=runs, assessment=pairs_of(truth))
    run = practical(complete, DEFAULT, scope=scope, sample_size=size).runs[0]
    whole = practical(complete, DEFAULT, scope=scope, sample_size=24).runs[0]
    for key in ("recall", "generality", "class_size"):
        value = getattr(run, key)
        if not math.isnan(value.actual):
            assert value.bounds.low - 1e-12 <= value.actual <= value.bounds.high + 1e-12
        assert not value.interval.low < value.bounds.low - 1e-12
        assert not value.interval.high > value.bounds.high + 1e-12
        assert getattr(whole, key).estimate == pytest.approx(getattr(whole, key).actual, nan_ok=True)
        assert getattr(whole, key).actual == pytest.approx(value.actual, nan_ok=True)
    every = [{m: row.get(m, 0) for m in models} for row in truth]
    judged = practical(replace(complete, assessment=judged_of(every)), DEFAULT, scope=scope, sample_size=size).runs[0]
    if any(not level for row in every for level in row.values()):
        for name in ("bounds", "interval"):  # NaN where no model is relevant
            np.testing.assert_equal(astuple(getattr(judged.recall, name)), astuple(getattr(run.recall, name)))


def test_missing_lists_are_excluded_where_the_profile_says_so():
    gaps = practical(external(), replace(DEFAULT, missing_query="skip"), runs=["gaps"], scope=2, sample_size=24).runs[0]
    assert (gaps.queries, gaps.judged, gaps.found, gaps.pairs) == (3, 3, 2, 18)
    assert (gaps.sampled, gaps.sampled_relevant) == (15, 2)  # c of q1 is no longer among the relevant ones
    assert gaps.recall.actual == 2 / 4


def test_relevance_threshold_and_self_matches():
    full = practical(external(), replace(DEFAULT, relevant_from=2), runs=["full"], scope=2, sample_size=24).runs[0]
    assert (full.found, full.sampled_relevant, full.recall.actual) == (3, 0, 1.0)  # a, b and f
    line = practical(itself(), DEFAULT, scope=2, sample_size=100).runs[0]
    assert line.pairs == 6 * 5  # without the queries themselves
    assert line.sampled == 30 - 12
    assert line.generality.actual == (3 * 2 + 2 * 1) / 30


def test_only_the_judged_first_ranks_are_the_scope():
    """Run full, q0: a b d c e f. c is not judged, so the scope ends after d, though e was judged as well."""
    judged = judged_of([{0: 2, 1: 2, 3: 1, 4: 0}, {2: 1, 0: 0}, {1: 0}, {0: 0, 5: 2}])
    found = practical(replace(external(), assessment=judged), DEFAULT, runs=["full"], scope=6, sample_size=0)
    assert not found.is_complete
    full = found.runs[0]
    assert (full.judged, full.found) == (3 + 2 + 0 + 2, 3 + 1 + 0 + 1)
    assert full.precision == 5 / 7
    assert full.recall.bounds == ValueRange(5 / (24 - 7 + 5), 1.0)
    assert math.isnan(full.recall.estimate)
    assert math.isnan(full.recall.actual)
    assert full.recall.interval == full.recall.bounds
    assert practical(replace(external(), assessment=judged), DEFAULT, runs=["full"], scope=1).runs[0].judged == 3


def test_the_sample_ends_at_the_first_pair_that_was_not_judged():
    order = random_pairs(np.full(4, -1), 6, 24)
    rows: list[dict[int, int]] = [{} for _ in range(4)]
    for place in (*range(7), *range(8, 24)):
        rows[order.query[place]][int(order.model[place])] = 0
    benchmark = replace(external(), assessment=judged_of(rows))
    assert practical(benchmark, DEFAULT, sample_size=24).sampled == 7
    assert practical(benchmark, DEFAULT, sample_size=5).sampled == 5
    assert practical(benchmark, DEFAULT, sample_size=0).sampled == 0


@pytest.mark.parametrize("name", ["A1", "K2", "R1"])  # K2 has no list for two queries
def test_counts_are_those_of_the_lists_themselves(name):
    """SHREC 2006, counted one ranked list at a time without the hit table."""
    benchmark, profile = load_shrec06(), find_profile("shrec2006")
    found = practical(benchmark, profile, runs=[name], scope=20, sample_size=400)
    own = np.full(len(benchmark.queries), -1)
    drawn = random_pairs(own, len(benchmark.collection), 400)
    sampled = set(zip(drawn.query.tolist(), drawn.model.tolist(), strict=True))
    judged = relevant = n_sampled = sampled_relevant = 0
    for query in range(len(benchmark.queries)):
        first = ranked_list(benchmark, benchmark.run(name), query, profile).items[:20].tolist()
        truth = set(benchmark.assessment.relevant(query)[0].tolist())
        judged += len(first)
        relevant += len(truth & set(first))
        outside = {model for q, model in sampled if q == query} - set(first)
        n_sampled += len(outside)
        sampled_relevant += len(outside & truth)
    run = found.runs[0]
    assert (run.judged, run.found, run.sampled, run.sampled_relevant) == (judged, relevant, n_sampled, sampled_relevant)
    expected = estimate(relevant, judged, run.pairs, judged=n_sampled, relevant=sampled_relevant)
    assert (run.recall.estimate, run.recall.interval) == (expected.recall, expected.recall_range)
    assert run.generality.bounds == bounds(relevant, judged, run.pairs).generality


def test_intervals_contain_the_truth_for_nearly_all_samples():
    """200 samples of the demo-sized truth: at least 95 % of the exact intervals contain it (binomial, 4 sigma)."""
    benchmark, profile = load_shrec06(), find_profile("shrec2006")
    inside = widths = 0.0
    estimates = []
    for seed in range(200):
        run = practical(benchmark, profile, runs=["A1"], scope=32, sample_size=800, seed=seed).runs[0]
        inside += run.recall.interval.low <= run.recall.actual <= run.recall.interval.high
        widths += run.recall.interval.high - run.recall.interval.low
        estimates.append(run.class_size.estimate)
    assert inside >= 200 * 0.95 - 4 * math.sqrt(200 * 0.95 * 0.05)
    assert widths / 200 < 0.1, "narrower by far than the bounds, 0.004 to 1"
    error = np.mean(estimates) - run.class_size.actual
    assert abs(error) < 4 * np.std(estimates) / math.sqrt(200)


@pytest.mark.parametrize("permuted", [1 << 22, 0])
def test_every_sample_is_equally_likely_and_begins_with_the_smaller_ones(monkeypatch, permuted):
    monkeypatch.setattr(module, "MAX_PERMUTED", permuted)
    monkeypatch.setattr(module, "DRAWN_AT_ONCE", 8)
    own = np.array([-1, 1])
    every = {(0, 0), (0, 1), (0, 2), (1, 0), (1, 2)}
    counts = dict.fromkeys([frozenset(pair) for pair in combinations(every, 2)], 0)
    for seed in range(2000):
        few, many = random_pairs(own, 3, 2, seed), random_pairs(own, 3, 99, seed)
        order = list(zip(many.query.tolist(), many.model.tolist(), strict=True))
        assert set(order) == every
        assert len(order) == 5
        assert list(zip(few.query.tolist(), few.model.tolist(), strict=True)) == order[:2]
        counts[frozenset(order[:2])] += 1
    assert len(counts) == comb(5, 2)
    assert max(abs(count - 200) for count in counts.values()) < 4 * math.sqrt(2000 * 0.1 * 0.9)
    assert len(random_pairs(np.zeros(0, np.int64), 3, 5)) == 0
    assert isinstance(random_pairs(own, 3, 0), Pairs)


def test_judging_the_listed_pairs_gives_what_the_complete_truth_gives():
    """The whole procedure: list the pairs, judge them, and nothing else, and evaluate."""
    truth = external()
    blank = replace(truth, assessment=None)
    lines = [line.split() for line in pairs_to_judge(blank, DEFAULT, scope=2, sample_size=10).splitlines()]
    pairs = [(truth.queries.index[q], truth.collection.index[m]) for q, _, m, level in
             (line for line in lines if line[0] != "#")]  # fmt: skip
    assert len(pairs) == len(set(pairs))
    rows: list[dict[int, int]] = [{} for _ in range(4)]
    for query, model in pairs:
        rows[query][model] = int(truth.assessment.gains(query, 6)[model])
    judged = replace(truth, assessment=judged_of(rows))
    assert not is_complete(judged.assessment)
    assert is_complete(truth.assessment)
    full = practical(truth, DEFAULT, scope=2, sample_size=10)
    part = practical(judged, DEFAULT, scope=2, sample_size=10)
    assert part.sampled == 10
    for known, guessed in zip(full.runs, part.runs, strict=True):
        for field in ("queries", "judged", "found", "pairs", "sampled", "sampled_relevant", "precision"):
            assert getattr(known, field) == getattr(guessed, field)
        assert known.recall.estimate == guessed.recall.estimate
        assert known.recall.interval == guessed.recall.interval
        assert not math.isnan(known.recall.actual)
        assert math.isnan(guessed.recall.actual)
    assert "?" not in "".join(pairs_to_judge(judged, DEFAULT, scope=2, sample_size=10).splitlines()[1:])


def test_unknown_ids_are_never_part_of_the_scope():
    """The profile trec keeps unknown ids at their rank; a scope is a part of the collection."""
    lists = external().runs[0].ranking
    items = lists.items.copy()
    items[1] = -1  # q0: a, unknown, d, c, e, f
    runs = (replace(external().runs[0], ranking=replace(lists, items=items)),)
    trec = replace(find_profile("trec"), ties="file")
    full = practical(replace(external(), runs=runs), trec, scope=2, sample_size=24).runs[0]
    assert (full.judged, full.found) == (8, 4)  # a and d of q0


def test_unknown_runs_and_missing_assessments_are_refused():
    with pytest.raises(ShrecViewerError, match="no run 'other'"):
        practical(external(), DEFAULT, runs=["other"])
    with pytest.raises(ShrecViewerError, match="no relevance assessment"):
        practical(replace(external(), assessment=None), DEFAULT)


def test_rows_and_document_hold_the_same_values():
    found = practical(external(), replace(DEFAULT, missing_query="skip"), scope=2, sample_size=10)
    document = json.loads(json.dumps(practical_document(found, external()), allow_nan=False))
    assert document["schema"] == "shrec-viewer/practical/1"
    assert list(document)[4:] == ["scope", "sample", "confidence", "complete", "runs"]
    table = practical_rows(found)
    for record, row in zip(document["runs"], table.rows, strict=True):
        cells = dict(zip(table.header, row, strict=True))
        for key in ("recall", "generality", "class_size"):
            value = record[key]
            ends = [*value["bounds"], value["estimate"], *value["interval"], value["actual"]]
            assert [cells[f"{key}_{part}"] for part in ("least", "most", "estimate", "low", "high", "actual")] == ends
        assert Fraction(cells["found"], cells["judged"]) == Fraction(record["precision"]).limit_denominator(100)
    judged = practical(replace(external(), assessment=judged_of([{0: 1}, {}, {0: 0}, {}])), DEFAULT, sample_size=0)
    assert "actual" not in practical_document(judged, external())["runs"][0]["recall"]
    assert practical_document(judged, external())["runs"][0]["recall"]["estimate"] is None


# ------------------------------------------------------------------ judgements in files


def contest(folder: Path, qrels: str) -> Path:
    folder.mkdir()
    (folder / "models.cla").write_text("PSB 1\n1 3\n\nx 0 3\na\nb\nc\n")
    (folder / "qrels.txt").write_text(qrels)
    (folder / "T.run").write_text("q1 Q0 b 1 0.9 T\nq1 Q0 a 2 0.8 T\nq1 Q0 c 3 0.7 T\nq2 Q0 c 1 0.9 T\n")
    return folder


def test_level_0_of_qrels_is_a_judgement(tmp_path):
    benchmark = read_benchmark(contest(tmp_path / "part", "q1 0 a 2\nq1 0 b 0\nq2 0 c 1\nq2 0 zz 0\nq2 0 a -1\n"))
    assert benchmark.assessment.judged(0).tolist() == [0, 1]
    assert benchmark.assessment.judged(1).tolist() == [0, 2]  # zz is not in the collection
    assert benchmark.assessment.relevant(1)[0].tolist() == [2]
    run = practical(benchmark, DEFAULT, sample_size=0).runs[0]
    assert (run.judged, run.found) == (3, 2)


def test_qrels_without_level_0_are_complete(tmp_path):
    benchmark = read_benchmark(contest(tmp_path / "whole", "q1 0 a 2\nq2 0 c 1\n"))
    assert benchmark.assessment.judged(0) is None
    assert practical(benchmark, DEFAULT).is_complete


def test_a_table_of_pairs_may_contain_level_0(tmp_path):
    folder = contest(tmp_path / "table", "")
    (folder / "qrels.txt").unlink()
    (folder / "truth.csv").write_text("query,model,relevance\nq1,a,2\nq1,b,0\nq2,c,1\n")
    assert read_benchmark(folder).assessment.judged(0).tolist() == [0, 1]
