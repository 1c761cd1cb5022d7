"""Means with undefined, missing and excluded queries, computed by hand."""

import functools
import operator
from dataclasses import replace

import numpy as np
import pytest
from small_benchmarks import external, itself, two_sizes

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import MIN_ROW, mean_of_defined
from shrec_viewer.metrics import UnknownKeyError, find_profile

NAN = np.nan
DEFAULT = find_profile("default")


def scores_under(**conventions):
    measures = ["NN", "AP(rel=2)", "R", "FN", "CG"]
    return evaluate(external(), replace(DEFAULT, **conventions), measures=measures)


def test_values_are_undefined_without_relevant_models_and_for_missing_queries():
    scores = scores_under()
    full, gaps = scores.values
    np.testing.assert_allclose(full[:, 0], [1, 1, NAN, 0])
    np.testing.assert_allclose(full[:, 1], [1, NAN, NAN, 1 / 2])
    np.testing.assert_allclose(full[:, 2], [1, 1, NAN, 1])
    np.testing.assert_allclose(full[:, 4], [5, 1, 0, 2])
    np.testing.assert_allclose(gaps[:, 0], [1, NAN, NAN, 0])
    np.testing.assert_allclose(gaps[:, 1], [1 / 4, NAN, NAN, 0])
    np.testing.assert_allclose(gaps[:, 3], [1, NAN, 0, 1])
    np.testing.assert_array_equal(scores.missing, [[False] * 4, [False, True, False, False]])


def test_a_missing_query_counts_as_an_empty_list():
    """Of q0 q1 q3 (q2 has no relevant models): q1 is missing from `gaps`, retrieves nothing, and lacks one model."""
    scores = scores_under(missing_query="zero")
    np.testing.assert_array_equal(scores.counted, [[True, True, False, True]] * 2)
    np.testing.assert_allclose(scores.mean()[0], [2 / 3, 3 / 4, 1, 0, 8 / 3])
    # AP(rel=2) is undefined for q1, missing or not: there is nothing of that level to find.
    np.testing.assert_allclose(scores.mean()[1], [1 / 3, 1 / 8, (2 / 3) / 3, 3 / 3, 3 / 3])


def test_a_missing_query_is_skipped():
    scores = scores_under(missing_query="skip")
    np.testing.assert_array_equal(scores.counted, [[True, True, False, True], [True, False, False, True]])
    np.testing.assert_allclose(scores.mean()[1], [1 / 2, 1 / 8, (2 / 3) / 2, 2 / 2, 3 / 2])


def test_queries_that_a_run_lacks_are_in_the_mean_of_no_run():
    """`gaps` lacks q1: q0 and q3 are common. `full` has the first-rank values 1 and 0, AP(rel=2) 1 and 1/2."""
    scores = scores_under(missing_query="common")
    np.testing.assert_array_equal(scores.benchmark.common_queries, [True, False, True, True])
    np.testing.assert_array_equal(scores.counted, [[True, False, False, True]] * 2)
    np.testing.assert_allclose(scores.mean()[0], [1 / 2, 3 / 4, 1, 0, 7 / 2])
    np.testing.assert_array_equal(scores.mean()[1], scores_under(missing_query="skip").mean()[1])
    alone = evaluate(external(), scores.profile, runs=["full"], measures=[m.key for m in scores.measures])
    np.testing.assert_array_equal(alone.mean()[0], scores.mean()[0])


def test_queries_without_relevant_models_count_zero():
    scores = scores_under(no_relevant="zero")
    assert scores.counted.all()
    np.testing.assert_allclose(scores.mean()[0], [2 / 4, (3 / 2) / 4, 3 / 4, 0, 8 / 4])


def test_class_means_are_means_of_means():
    """Classes dog (q0, q1), cat (q2, no relevant models) and cup (q3)."""
    scores = scores_under()
    labels, means = scores.by_class()
    assert labels.tolist() == [1, 2, 3]
    np.testing.assert_allclose(means[0, :, 0], [1, NAN, 0])
    np.testing.assert_allclose(scores.class_mean()[0], [1 / 2, 3 / 4, 1, 0, (3 + 2) / 2])
    np.testing.assert_allclose(scores.class_mean()[1], [1 / 4, 1 / 8, 1 / 6, (1 / 1 + 1) / 2, (3 / 2) / 2])


def test_means_of_nothing_are_undefined():
    scores = evaluate(external(), replace(DEFAULT, min_class_size=99), measures=["AP"])
    assert not scores.counted.any()
    assert np.isnan(scores.mean()).all()
    assert np.isnan(scores.class_mean()).all()
    assert np.isnan(scores.curve("NDCG", 0, None).y).all()
    no_runs = evaluate(external(), DEFAULT, runs=[])
    assert no_runs.values.shape == (0, 4, len(no_runs.measures))
    assert no_runs.mean().shape == (0, len(no_runs.measures))
    assert no_runs.class_mean().shape == (0, len(no_runs.measures))


@pytest.mark.parametrize("shape", [(1, 300, MIN_ROW), (2, 300, MIN_ROW // 2 - 1), (1, 40, 1), (1, 1, 50), (2, 0, 40)])
def test_means_are_those_of_adding_one_after_the_other(shape):
    """To the last bit, also where rows are added as a whole, and in any layout of the array."""
    random = np.random.default_rng(8)
    values = np.where(random.random(shape) < 0.1, np.nan, random.random(shape) * 10.0 ** random.integers(-9, 9, shape))
    expected = np.full((shape[0], shape[2]), np.nan)
    for cell in np.ndindex(*expected.shape):
        defined = [value for value in values[cell[0], :, cell[1]].tolist() if value == value]
        if defined:
            expected[cell] = functools.reduce(operator.add, defined) / len(defined)
    for layout in "CF":
        np.testing.assert_array_equal(mean_of_defined(np.array(values, order=layout), axis=1), expected)


def test_means_of_classes_of_several_sizes_are_those_of_each_class():
    scores = evaluate(itself(), find_profile("default"))
    labels, means = scores.by_class()
    assert len({*np.bincount(scores.query_labels).tolist()}) > 1
    for label, found in zip(labels, means[0], strict=True):
        np.testing.assert_array_equal(
            found, mean_of_defined(scores.values_in_mean[0, scores.query_labels == label], axis=0)
        )


def test_minimum_class_size_counts_the_query_itself():
    """Classes of one or two models are excluded: two cats with one relevant model each, and a cup with none."""
    scores = evaluate(itself(), find_profile("psb"))
    assert scores.counted[0].tolist() == [True, True, True, False, False, False]
    assert evaluate(itself(), find_profile("shrec2012")).counted[0].tolist() == [True] * 5 + [False]


def test_a_curve_of_one_query():
    scores = scores_under()
    curve = scores.curve("CG", 0, 0, points=4)
    np.testing.assert_array_equal(curve.x, [1, 2, 3, 4])
    np.testing.assert_array_equal(curve.y, [2, 4, 5, 5])
    raw = scores.curve("PR", 0, 3)
    np.testing.assert_allclose(raw.x, [1])
    np.testing.assert_allclose(raw.y, [1 / 2])
    missing = scores.curve("CG", 1, 1, points=4)
    assert np.isnan(missing.y).all()
    assert missing.x.shape == (4,)


def test_a_mean_curve_treats_missing_and_undefined_as_means_do():
    scores = scores_under()
    np.testing.assert_allclose(scores.curve("CG", 1, None, points=2).y, [1 / 3, (3 + 0 + 0) / 3])
    np.testing.assert_allclose(scores.curve("CG", 1, None, points=2, average="class").y, [1 / 4, 3 / 4])
    skipping = scores_under(missing_query="skip")
    np.testing.assert_allclose(skipping.curve("CG", 1, None, points=2).y, [1 / 2, 3 / 2])


def test_mean_curves_agree_with_mean_measures():
    keys = ["CG@3", "DCG@3", "NCG@3", "NDCG@3"]
    scores = evaluate(external(), DEFAULT, measures=keys)
    for column, key in enumerate(keys):
        for run in range(2):
            curve = scores.curve(key.split("@")[0], run, None, points=3)
            assert curve.y[2] == pytest.approx(scores.mean()[run, column], abs=1e-14)


def test_the_mean_of_raw_precision_recall_at_equal_rank():
    """Within one rank: precision 1, 1, 0, recall 1/3, 1, 0; within all six: precision 3/6, 1/6, 1/6, recall 1."""
    curve = scores_under().curve("PR", 0, None, average="rank")
    assert curve.x.shape == curve.y.shape
    np.testing.assert_allclose([curve.x[0], curve.y[0]], [4 / 9, 2 / 3])
    np.testing.assert_allclose([curve.x[-1], curve.y[-1]], [1, 5 / 18])


def test_the_mean_at_equal_recall_is_that_of_twenty_points():
    scores = scores_under()
    for way in (None, "recall"):
        mean, twenty = scores.curve("PR", 0, None, average=way), scores.curve("PR20", 0, None)
        np.testing.assert_array_equal(mean.x, twenty.x)
        np.testing.assert_array_equal(mean.y, twenty.y)


def test_the_mean_at_equal_scope_and_generality_by_hand():
    """Two classes: 1 of 4 models (list 0 1 0 0) and 2 of 4 (1 0 1 0); both have g = 1/2 where one irrelevant is left.

    Of the first list each irrelevant model is left with 1/3: recall at rank 1 is 2/3 (unless the one ahead is left).
    Of the second list nothing is left out: within 2 ranks 1 of 2.
    """
    scores = evaluate(two_sizes(), DEFAULT, measures=[])
    curve = scores.curve("PR", 0, None, average="generality")
    assert curve.doublings == 1.0
    assert curve.relevant_scopes[0] == 1.0, "one rank of the class of one"
    assert curve.relevant_scopes[-1] == 2.0, "the whole collection at g = 1/2"
    np.testing.assert_allclose([curve.x[0], curve.y[0]], [(2 / 3 + 1 / 2) / 2] * 2)
    np.testing.assert_allclose([curve.x[-1], curve.y[-1]], [1, 1 / 2])
    np.testing.assert_allclose(curve.x, curve.relevant_scopes * curve.y)
    np.testing.assert_allclose(scores.curve("PR", 0, None, average="generality", doublings=0.0).y, 1.0)


def test_excluded_queries_do_not_limit_the_generality():
    scores = evaluate(two_sizes(), DEFAULT, measures=[])
    alone = replace(scores, excluded=np.array([False, True]))
    curve = alone.curve("PR", 0, None, average="generality")
    assert curve.doublings == 2.0
    np.testing.assert_allclose([curve.x[0], curve.y[0]], [0, 0])


def test_columns_and_runs_by_name():
    scores = scores_under()
    assert scores.column("R") == 2
    assert scores.run_index("gaps") == 1
    with pytest.raises(UnknownKeyError, match="'AP' was not evaluated; there are NN, AP"):
        scores.column("AP")
    with pytest.raises(UnknownKeyError, match="there is no run 'gap'; do you mean 'gaps'"):
        scores.run_index("gap")
    with pytest.raises(UnknownKeyError, match="there is no curve"):
        scores.curve("ROC", 0, None)
