"""Values of the heat map equal the scores in every order and comparison."""

import numpy as np
import pytest

from shrec_viewer.diagnosis.slices import query_slices
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.plots.heat_map import heat_map, spread_over_runs
from shrec_viewer.evaluation.virtual_runs import with_virtual_runs
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.resources import resource

ORDERS = [(q, r) for q in ("given", "class", "mean", "hard", "spread", "agreement") for r in ("given", "mean", "worst")]


@pytest.fixture(scope="module")
def scores():
    return evaluate(read_benchmark(resource("demo")), find_profile("shrec2006"))


@pytest.mark.parametrize(("queries_by", "runs_by"), ORDERS)
@pytest.mark.parametrize("against", ["nothing", "mean", "run"])
def test_values_equal_scores(scores, queries_by, runs_by, against):
    key = scores.measures[0].key
    found = heat_map(scores, key, reference=against, baseline=2, query_order=queries_by, run_order=runs_by)
    assert sorted(found.runs) == list(range(len(scores.runs)))
    assert sorted(found.queries) == list(range(len(scores.queries)))
    values = scores.values[:, :, 0]
    for i, run in enumerate(found.runs):
        for j, query in enumerate(found.queries):
            column = values[:, query]
            with np.errstate(invalid="ignore"):
                reference = {"nothing": 0.0, "mean": column[~np.isnan(column)].mean(), "run": column[2]}[against]
            np.testing.assert_allclose(found.values[i, j], values[run, query] - reference, atol=1e-15)
            assert found.missing[i, j] == scores.missing[run, query]
    finite = found.values[np.isfinite(found.values)]
    assert found.low <= finite.min()
    assert finite.max() <= found.high
    if against != "nothing":
        assert found.low == -found.high


@pytest.mark.parametrize("measure", ["AP", "E@32"])
def test_sort_orders(scores, measure):
    keys = [entry.key for entry in scores.measures]
    measure = measure if measure in keys else keys[0]
    column = scores.values[:, :, scores.column(measure)]
    means = heat_map(scores, measure, run_order="mean").means
    assert np.all(np.diff(means) <= 0)
    in_mean = np.nan_to_num(column)  # a query without a list scores 0
    by_mean = heat_map(scores, measure, query_order="mean").queries
    assert np.all(np.diff(in_mean.mean(axis=0)[by_mean]) <= 1e-15)
    by_spread = heat_map(scores, measure, query_order="spread").queries
    assert np.all(np.diff(np.nanstd(column, axis=0)[by_spread]) <= 1e-15)
    rotated = heat_map(scores, measure, run_order="worst", query_order="hard")
    assert np.all(np.diff(rotated.means) >= 0)
    assert np.all(np.diff(in_mean.mean(axis=0)[rotated.queries]) >= -1e-15)
    equal_values = heat_map(scores, measure, query_order="agreement").queries
    assert np.all(np.diff(np.nanstd(column, axis=0)[equal_values]) >= -1e-15)
    by_class = heat_map(scores, measure, query_order="class").queries
    assert np.all(np.diff(scores.query_labels[by_class]) >= 0)


@pytest.mark.parametrize("measure", ["AP", "ANMRR"])
def test_hardest_queries_are_those_of_the_slice(measure):
    """One difficulty: of the submitted runs, virtual ones left out, and with 0 for a query without a list."""
    benchmark = read_benchmark(resource("demo"))
    benchmark = with_virtual_runs(benchmark, ["ideal()", "rrf(A1,B2)"], find_profile("shrec2006"))
    scores = evaluate(benchmark, find_profile("shrec2006"), measures=[measure])
    thirds = {one.name: set(one.queries.tolist()) for one in query_slices(scores) if "difficulty" in one.name}
    hardest = heat_map(scores, measure, query_order="hard").queries.tolist()
    hard, easy = thirds["difficulty: hard"], thirds["difficulty: easy"]
    assert set(hardest[: len(hard)]) == hard
    assert set(hardest[-len(easy) :]) == easy
    assert hardest[::-1] == heat_map(scores, measure, query_order="mean").queries.tolist()
    submitted = np.nan_to_num(scores.raw_values[:-2, :, 0]).mean(axis=0)
    np.testing.assert_allclose(np.abs(scores.difficulty(0)), submitted, atol=1e-15)


def test_spread_of_one_run_is_nan():
    assert np.isnan(spread_over_runs(np.array([[0.5, np.nan]]))).all()
    np.testing.assert_allclose(
        spread_over_runs(np.array([[0.0, np.nan, 1.0], [1.0, 0.3, np.nan]])), [0.5, np.nan, np.nan]
    )


def test_sort_by_one_run_or_one_query(scores):
    key = scores.measures[0].key
    values = scores.values[:, :, 0] * (-1.0 if scores.measures[0].better == "lower" else 1.0)
    by_run = heat_map(scores, key, query_order="run", sort_run=2).queries
    np.testing.assert_array_equal(by_run, np.argsort(np.nan_to_num(-values[2], nan=np.inf), kind="stable"))
    by_query = heat_map(scores, key, run_order="query", sort_query=1).runs
    np.testing.assert_array_equal(by_query, np.argsort(np.nan_to_num(-values[:, 1], nan=np.inf), kind="stable"))


@pytest.mark.parametrize("runs_by", ["given", "mean"])
def test_the_colour_scale_is_the_range_of_the_measure(scores, runs_by):
    for measure in scores.measures:
        found = heat_map(scores, measure.key, run_order=runs_by)
        largest = np.nanmax(scores.values[:, :, scores.column(measure.key)], initial=0.0)
        expected = measure.range if np.isfinite(measure.range[1]) else (measure.range[0], max(largest, 0.1))
        assert (found.low, found.high) == pytest.approx(expected), measure.key
