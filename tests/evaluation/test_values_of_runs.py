"""Measures whose value of a run is no mean over queries: means, classes, subsets, edits, comparison, calculation."""

from dataclasses import replace

import numpy as np
import pytest
from small_benchmarks import external, itself

from shrec_viewer.diagnosis.classification import nearest_neighbour
from shrec_viewer.domain import EditedAssessment, ShrecViewerError
from shrec_viewer.evaluation.calculation import calculation_of_mean
from shrec_viewer.evaluation.comparison.comparison import compare
from shrec_viewer.evaluation.comparison.significance import run_significance
from shrec_viewer.evaluation.consequences import edit_consequences
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.query_subset import means_with, rescored
from shrec_viewer.metrics import find_profile

DEFAULT = find_profile("default")


def test_mean_is_the_value_of_the_run_and_missing_queries_count():
    scores = evaluate(external(), DEFAULT, measures=["GMAP", "AP"])
    for run in range(len(scores.runs)):
        values = scores.values_in_mean[run, :, 1]
        expected = np.exp(np.log(np.maximum(values[~np.isnan(values)], 1e-5)).mean())
        assert scores.mean()[run, 0] == pytest.approx(expected, abs=1e-15)
    np.testing.assert_array_equal(scores.values[:, :, 0], scores.values[:, :, 1])
    assert scores.missing.any()
    assert np.isnan(scores.class_mean()[:, 0]).all()


@pytest.mark.parametrize("key", ["GMAP", "ANMRR", "Bpref", "AUC(PR20)", "MCC"])
def test_edits_give_the_values_of_a_full_evaluation(key):
    before = external()
    edited = replace(before, assessment=EditedAssessment(before.assessment, {0: {0: 2, 3: 0}}))
    scores = evaluate(before, DEFAULT, measures=[key, "AP"])
    expected = evaluate(edited, DEFAULT, measures=[key, "AP"])
    found = rescored(scores, edited, np.array([0]))
    np.testing.assert_array_equal(found.raw_values, expected.raw_values)
    np.testing.assert_array_equal(found.mean(), expected.mean())
    np.testing.assert_array_equal(means_with(scores, edited, np.array([0])), expected.mean())


@pytest.mark.parametrize(
    ("key", "figure"),
    [("Accuracy", "accuracy"), ("BalancedAccuracy", "balanced_accuracy"), ("MacroF1", "macro_f1"), ("MCC", "mcc")],
)
def test_figures_of_the_first_model_equal_those_of_the_diagnosis(key, figure):
    """Of runs that answer all queries, where a query without other models of its class counts, too."""
    profile = find_profile("default+no_relevant=zero")
    before = evaluate(itself(), profile, measures=["AP"])
    scores = evaluate(itself(), profile, measures=[key, "AP"], previous=before)
    compared = 0
    for run in range(len(scores.runs)):
        found = nearest_neighbour(scores, run)
        if not scores.missing[run].any():
            compared += 1
            assert scores.mean()[run, 0] == getattr(found, figure)
        right = scores.values[run, :, 0]
        assert set(right[~np.isnan(right)]) <= {0.0, 1.0}
        assert scores.ceiling().mean()[run, 0] >= scores.mean()[run, 0]
    assert compared
    assert np.isnan(scores.class_mean()[:, 0]).all()


def test_figures_without_a_classification_are_undefined():
    scores = evaluate(replace(external(), classification=None), DEFAULT, measures=["MCC"])
    assert np.isnan(scores.mean()).all()


def test_runs_are_not_compared_query_by_query():
    scores = evaluate(external(), DEFAULT, measures=["GMAP", "AP"])
    for call in (lambda: compare(scores, *scores.runs[:2], "GMAP"), lambda: run_significance(scores, "GMAP")):
        with pytest.raises(ShrecViewerError, match="GMAP is computed from all queries together"):
            call()
    found = edit_consequences(scores, scores, "GMAP")
    np.testing.assert_array_equal(found.before, scores.mean()[:, 0])


def test_calculation_names_what_it_is():
    scores = evaluate(external(), DEFAULT, measures=["GMAP"])
    found = calculation_of_mean(scores, "GMAP", 0)
    assert found.value == scores.mean()[0, 0]
    assert found.calculation_steps is None
    assert found.note.startswith("Computed from all queries together")
    assert len(found.parts) == int((~np.isnan(scores.values_in_mean[0, :, 0])).sum())
