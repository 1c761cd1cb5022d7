"""Evaluation: selection of runs and measures, equivalent assessments, progress, cancellation, errors."""

from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import load_psb, load_shrec06, pairs_of
from small_benchmarks import external, hit_table, itself

from shrec_viewer.domain import Cancelled, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.io.array_files import FileMatrix
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix import read_matrix
from shrec_viewer.metrics import PROFILES, UnknownKeyError, find_profile

DEFAULT = find_profile("default")


@pytest.mark.parametrize("profile", PROFILES, ids=lambda profile: profile.key)
@pytest.mark.parametrize("benchmark", [external(), itself(), itself(graded=True)], ids=["external", "self", "graded"])
def test_every_profile_evaluates_every_kind_of_benchmark(profile, benchmark):
    scores = evaluate(benchmark, profile)
    assert scores.values.shape == (len(benchmark.runs), len(benchmark.queries), len(scores.measures))
    assert scores.runs == tuple(run.name for run in benchmark.runs)
    assert scores.participants == tuple(run.participant for run in benchmark.runs)
    assert scores.profile is profile
    for key in profile.curves:
        assert scores.curve(key, 0, None).y.ndim == 1


def test_measures_of_absent_levels_are_excluded():
    binary = [measure.key for measure in evaluate(itself(), DEFAULT).measures]
    graded = [measure.key for measure in evaluate(itself(graded=True), DEFAULT).measures]
    assert "AP(rel=2)" not in binary
    assert "AP(rel=2)" in graded
    scores = evaluate(itself(), DEFAULT, measures=["AP(rel=2)"])
    assert np.isnan(scores.values).all()


def test_runs_and_measures_in_the_given_order():
    scores = evaluate(external(), DEFAULT, runs=["gaps", "full"], measures=["R@5", "NN"])
    assert scores.runs == ("gaps", "full")
    assert [measure.key for measure in scores.measures] == ["R@5", "NN"]
    np.testing.assert_array_equal(scores.values[1, :, 1], evaluate(external(), DEFAULT).values[0, :, 0])


@pytest.mark.parametrize("graded", [False, True])
def test_classes_and_pairs_give_equal_scores(graded):
    benchmark = itself(graded)
    rows = []
    for query in range(len(benchmark.queries)):
        items, levels = benchmark.assessment.relevant(query)
        rows.append({int(item): int(level) for item, level in zip(items, levels, strict=True)})
    pairs = replace(benchmark, assessment=pairs_of(rows))
    for profile in PROFILES:
        np.testing.assert_array_equal(
            evaluate(benchmark, profile, measures=["AP", "ADR", "NDCG", "TN"]).raw_values,
            evaluate(pairs, profile, measures=["AP", "ADR", "NDCG", "TN"]).raw_values,
        )


def test_self_retrieval_by_hand():
    """The list of model b (1) has a and c at distance 1, then d, e, f; columns are reversed, so c precedes a."""
    hits = hit_table(itself(graded=True).runs[0], itself(graded=True), DEFAULT)
    first, last = hits.indptr[1], hits.indptr[2]
    assert hits.ranks[first:last].tolist() == [1, 2, 3, 4]
    assert hits.levels[first:last].tolist() == [2, 2, 1, 1]
    assert hits.class_sizes[1].tolist() == [2, 2]
    assert hits.collection_size.tolist() == [5] * 6
    kept = hit_table(itself().runs[0], itself(), replace(DEFAULT, self_match="keep"))
    assert kept.ranks[kept.indptr[1] : kept.indptr[2]].tolist() == [1, 2, 3]


def test_classes_are_not_expanded_to_pairs():
    """A hundred queries of one class ask the assessment once."""
    benchmark = load_psb()
    assessment = benchmark.assessment
    ranked = []
    original = type(assessment)._levels_for_class

    class Counting(type(assessment)):
        def relevant(self, query):
            ranked.append(query)
            return original(self, int(self.query_labels[query]))

    counting = Counting(assessment.classification, assessment.query_labels)
    evaluate(replace(benchmark, assessment=counting), find_profile("psb"), measures=["NN"])
    assert len(ranked) == 92


def test_progress_reports_runs():
    reported = []
    evaluate(external(), DEFAULT, progress=lambda done, total, text: reported.append((done, total, text)))
    assert reported == [(done, 2, "run") for done in range(3)]


@pytest.mark.parametrize("after", range(0, 40, 3))
def test_evaluation_can_be_cancelled(after):
    calls = []

    def cancelled() -> bool:
        calls.append(1)
        return len(calls) > after

    with pytest.raises(Cancelled):
        evaluate(external(), find_profile("shrec2006"), cancelled=cancelled)
    assert len(calls) == after + 1


def test_unusable_input_raises_with_a_message():
    with pytest.raises(ShrecViewerError, match="'external' has no relevance assessment: runs cannot be evaluated"):
        evaluate(replace(external(), assessment=None), DEFAULT)
    with pytest.raises(ShrecViewerError, match="there is no run 'M2'; there are: full, gaps"):
        evaluate(external(), DEFAULT, runs=["M2"])
    with pytest.raises(UnknownKeyError, match="there is no measure 'MAPS'"):
        evaluate(external(), DEFAULT, measures=["MAPS"])
    short = replace(external().runs[0], ranking=itself().runs[0].ranking)
    with pytest.raises(ShrecViewerError, match="run 'full' has 6 queries, but the benchmark has 4"):
        evaluate(replace(external(), runs=(short,)), DEFAULT)
    with pytest.raises(ShrecViewerError, match="the relevance assessment has 6 queries, but the benchmark has 4"):
        evaluate(replace(external(), assessment=itself().assessment), DEFAULT)


def test_a_matrix_is_not_read_into_memory_at_once(monkeypatch):
    """H1 of 2006 is read from its file by rows; the values that come out are those of a copy in memory."""
    benchmark = load_shrec06()
    run = benchmark.run("H1")
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    values = read_matrix(run.source).values
    assert isinstance(values, FileMatrix)
    run = replace(run, ranking=replace(run.ranking, values=values))
    benchmark = replace(benchmark, runs=(run,))
    copied = replace(run, ranking=replace(run.ranking, values=np.array(run.ranking.values)))
    profile = find_profile("shrec2006")
    np.testing.assert_array_equal(
        evaluate(benchmark, profile, runs=["H1"]).raw_values,
        evaluate(replace(benchmark, runs=(copied,)), profile).raw_values,
    )
