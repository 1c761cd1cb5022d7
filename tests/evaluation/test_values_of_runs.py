"""Measures whose value of a run is no mean over queries: means, classes, subsets, edits, comparison, calculation."""

from dataclasses import replace

import numpy as np
import pytest
from small_benchmarks import external, itself

from shrec_viewer.content.data import ContentData
from shrec_viewer.content.heat_map import HeatMapRequest, heat_map, heat_map_table
from shrec_viewer.content.scores import RunScoresRequest, RunsRequest, run_scores_table, runs_table
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
@pytest.mark.parametrize("no_relevant", ["skip", "zero"])
@pytest.mark.parametrize("missing_query", ["zero", "skip", "common"])
@pytest.mark.parametrize("case", [external, itself])
def test_figures_of_the_first_model_equal_those_of_the_diagnosis(case, missing_query, no_relevant, key, figure):
    """Queries without a list are left out by both, whatever the convention for missing queries is."""
    profile = find_profile(f"default+no_relevant={no_relevant}+missing_query={missing_query}")
    before = evaluate(case(), profile, measures=["AP"])
    scores = evaluate(case(), profile, measures=[key, "AP"], previous=before)
    for run in range(len(scores.runs)):
        found = nearest_neighbour(scores, run)
        assert scores.mean()[run, 0] == getattr(found, figure)
        if no_relevant == "skip":  # else undefined values are shown as 0
            calculation = calculation_of_mean(scores, key, run)
            assert len(calculation.parts) == found.n
            assert calculation.note.startswith(f"Computed from {found.n} queries together")
        right = scores.values[run, :, 0]
        assert set(right[~np.isnan(right)]) <= {0.0, 1.0}
        assert scores.ceiling().mean()[run, 0] >= scores.mean()[run, 0]
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
    assert found.note.startswith(f"Computed from {len(found.parts)} queries together")
    assert len(found.parts) == int((~np.isnan(scores.values_in_mean[0, :, 0])).sum())


def test_figures_and_tables_say_what_values_of_queries_are():
    scores = evaluate(external(), DEFAULT, measures=["GMAP", "MCC", "AP"])
    data = ContentData(scores.benchmark, DEFAULT, scores)
    notes = "Values of queries for GMAP: AP.", "Values of queries for MCC: 1 if its class is right, else 0."
    assert run_scores_table(data, RunScoresRequest()).notes == notes
    assert run_scores_table(data, RunScoresRequest(over="classes")).notes == ()
    assert runs_table(data, RunsRequest(over="query")).notes == notes
    assert runs_table(data, RunsRequest()).notes == ()
    for key, note in zip(("GMAP", "MCC"), notes, strict=True):
        assert heat_map_table(data, HeatMapRequest(measure=key)).notes == (note,)
        chart = heat_map(data, HeatMapRequest(measure=key))
        assert chart.value_label == f"{key} (queries: {note.partition(': ')[2].rstrip('.')})"
        assert chart.total_label == "run"
    plain = heat_map(data, HeatMapRequest(measure="AP"))
    assert (plain.value_label, plain.total_label) == ("AP", "mean")
