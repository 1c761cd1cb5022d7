"""Nearest-neighbour classification against definitions written out, and scikit-learn where it is installed."""

from dataclasses import replace

import numpy as np
import pytest
from independent_loaders import lists_of
from small_benchmarks import external

from shrec_viewer.diagnosis.classification import nearest_neighbour
from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import classes_of_queries
from shrec_viewer.metrics import find_profile, with_convention
from shrec_viewer.metrics.measures.classification import classified

DEFAULT = find_profile("default")


def figures(truth: list[int], found: list[int]) -> tuple[float, ...]:
    """Accuracy, balanced accuracy, MCC (as a correlation of indicator vectors) and macro F1."""
    t, f = np.array(truth), np.array(found)
    labels = sorted({*truth, *found})
    recalls = [float(np.mean(f[t == c] == c)) for c in labels if np.any(t == c)]
    f1 = [2 * np.sum((t == c) & (f == c)) / (np.sum(t == c) + np.sum(f == c)) for c in labels if c >= 0]
    x, y = (np.array([values == c for c in labels], float) for values in (t, f))
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    spread = np.sqrt(np.sum(x * x) * np.sum(y * y))
    return float(np.mean(t == f)), float(np.mean(recalls)), np.sum(x * y) / spread if spread else 0.0, np.mean(f1)


@pytest.mark.parametrize("seed", range(30))
def test_figures_equal_their_definitions(seed):
    random = np.random.default_rng(seed)
    truth = random.integers(0, 5, 40)
    found = np.where(random.random(40) < 0.4, truth, random.integers(-1, 7, 40))
    one = classified("run", truth.astype(np.int32), found.astype(np.int32))
    values = one.accuracy, one.balanced_accuracy, one.mcc, one.macro_f1
    np.testing.assert_allclose(values, figures(truth.tolist(), found.tolist()), rtol=0, atol=1e-12)
    assert one.support.sum() == one.n == 40


@pytest.mark.parametrize("seed", range(10))
def test_figures_equal_those_of_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    random = np.random.default_rng(seed)
    truth, found = random.integers(0, 6, 50), random.integers(0, 6, 50)
    one = classified("run", truth.astype(np.int32), found.astype(np.int32))
    expected = metrics.precision_recall_fscore_support(truth, found, labels=one.classes, zero_division=np.nan)
    for mine, theirs in zip((one.precision, one.recall, one.f1, one.support), expected, strict=True):
        np.testing.assert_allclose(mine, np.nan_to_num(theirs) if mine is one.f1 else theirs, rtol=0, atol=1e-12)
    assert one.mcc == pytest.approx(metrics.matthews_corrcoef(truth, found), abs=1e-12)
    assert one.macro_f1 == pytest.approx(metrics.f1_score(truth, found, average="macro"), abs=1e-12)
    assert one.balanced_accuracy == pytest.approx(metrics.balanced_accuracy_score(truth, found), abs=1e-12)


def test_known_figures_of_contests(scores_of):
    scores = scores_of("shrec2021_culture")
    found = [nearest_neighbour(scores, run) for run in range(len(scores.runs))]
    accuracies, coefficients = [one.accuracy for one in found], [one.mcc for one in found]
    assert (round(min(accuracies), 3), round(max(accuracies), 3)) == (0.185, 0.836)
    assert (round(min(coefficients), 3), round(max(coefficients), 3)) == (0.050, 0.618)
    assert {one.n for one in found} == {189}
    shrec06 = scores_of("shrec06")
    assert nearest_neighbour(shrec06, shrec06.runs.index("K2")).n == 28  # two lists are missing


def test_first_models_of_a_small_benchmark():
    benchmark = external()  # dog, dog, cat, cup; the first models of "gaps" are a cat, -, a dog, and an empty list
    scores = evaluate(benchmark, with_convention(DEFAULT, "no_relevant", "zero"), measures=["AP"])
    full, gaps = (nearest_neighbour(scores, run) for run in range(2))
    assert (full.n, full.accuracy, full.classes.tolist()) == (4, 0.5, [1, 2, 3])  # a c a a
    assert full.recall.tolist() == [1, 0, 0]
    assert (gaps.n, gaps.accuracy, gaps.mcc) == (3, 0, pytest.approx(-1 / 3))
    np.testing.assert_array_equal(gaps.precision, [0, 0, np.nan])
    assert gaps.support.tolist() == [1, 1, 1]


def test_without_classes_there_is_no_classification_and_one_class_has_no_correlation():
    benchmark = external()
    nothing = replace(benchmark, classification=None)
    assert nearest_neighbour(evaluate(nothing, DEFAULT, measures=["AP"]), 0) is None
    one = classified("run", np.zeros(3, np.int32), np.zeros(3, np.int32))
    assert (one.accuracy, one.mcc, one.macro_f1) == (1, 0, 1)
    with pytest.raises(Cancelled):
        nearest_neighbour(evaluate(benchmark, DEFAULT, measures=["AP"]), 0, cancelled=lambda: True)


def test_class_of_a_query_without_label_is_that_of_most_of_its_best_models():
    benchmark = external()
    labels = np.array([-1, -1, -1, 3], np.int32)
    unlabelled = replace(benchmark, queries=replace(benchmark.queries, labels=labels))
    assert classes_of_queries(unlabelled).tolist() == [1, 1, -1, 3]  # q2 has no relevant models
    run = replace(benchmark.runs[0], ranking=lists_of([[3], [2], [0], [5]]))
    found = nearest_neighbour(evaluate(replace(unlabelled, runs=(run,)), DEFAULT, measures=["AP"]), 0)
    assert (found.n, found.accuracy) == (3, 2 / 3)
