"""Curves over the generality, and expected values: those of the metrics."""

import itertools

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.generality import (
    ExpectedRequest,
    GeneralityLossRequest,
    GeneralityPlotRequest,
    computed_generality,
    expected,
    generality_loss_table,
    recall_loss,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.plots.curves import RunCurve, compute_baselines
from shrec_viewer.evaluation.plots.generality import ADD_IRRELEVANT, CLASS_SIZES, GeneralityRequest, generality_curves
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import CURVES, find_profile, with_convention
from shrec_viewer.metrics.generality.expected_measures import expected_by_generality
from shrec_viewer.metrics.generality.scope_graph import by_class_size
from shrec_viewer.panels.plots.generality import generality_columns
from shrec_viewer.resources import resource


def no_check() -> None:
    return None


def data_of(folder, **conventions):
    benchmark = read_benchmark(folder)
    profile = find_profile(benchmark.profile or "default")
    for name, value in conventions.items():
        profile = with_convention(profile, name, value)
    return ContentData(benchmark, profile, evaluate(benchmark, profile))


@pytest.fixture
def data(tmp_path):
    return data_of(write_sample_benchmark(tmp_path / "sample_benchmark"))


def curves_of(data, query="q1", **options):
    return computed_generality(data, GeneralityPlotRequest(query=query, **options))


def hits_of(data, run, query):
    hits = data.scores.hits[run]
    return hits.rows(query, query + 1)


def test_curves_equal_generality_curves_of_query(data):
    found = curves_of(data).found
    assert found.complete
    assert [curve.run for curve in found.curves] == [0, 1, 2]
    for curve in found.curves:
        grown = expected_by_generality(hits_of(data, curve.run, 0), data.scores.profile)
        np.testing.assert_array_equal(curve.x, grown.doublings)
        np.testing.assert_array_equal(curve.y, grown.value[0])
    assert found.low == found.high == 1.0  # 4 of 8 are relevant
    assert (found.class_size, found.irrelevant) == (4, 4)


@pytest.mark.parametrize("query", ["", "q1"])
def test_loss_per_doubling_of_all_runs(data, query):
    """The slope of the least-squares line by numpy, the drop over the last doubling, and the last recall."""
    table = generality_loss_table(data, GeneralityLossRequest(query=query))
    curves = curves_of(data, query).found.curves
    assert [row[0] for row in table.rows] == list(data.scores.runs)
    for row, curve in zip(table.rows, curves, strict=True):
        x, y = curve.x, curve.y
        assert row[1] == y[-1]
        assert row[2] == pytest.approx(-np.polyfit(x, y, 1)[0])
        assert row[3] == pytest.approx(np.interp(x[-1] - 1, x, y) - y[-1])
        assert row[4] - 1e-12 <= row[2] <= row[5] + 1e-12
        assert (row[4] == row[5]) == (curve.bounds is None)
    assert "narrow domain" in table.notes[0]


def test_range_of_the_loss_is_that_of_all_curves_between_the_bounds():
    """By brute force over the corners of the box of bounds, where a linear function has its extremes."""
    x, lower = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.5, 0.2, 0.1])
    upper = np.array([1.0, 0.9, 0.8, 0.1])
    curve = RunCurve(0, x, (lower + upper) / 2, bounds=np.array([[x, lower], [x, upper]]))
    losses = [-np.polyfit(x, corner, 1)[0] for corner in itertools.product(*zip(lower, upper, strict=True))]
    found = recall_loss(curve)
    assert (found.low, found.high) == pytest.approx((min(losses), max(losses)))
    assert found.low < found.mean < found.high


def test_lists_of_a_query_that_are_computed_together_have_the_values_of_each_alone():
    """Of the bundled benchmark: complete, truncated and missing lists."""
    data = data_of(resource("demo"))
    for query in range(len(data.scores.queries)):
        for measure, scope in (("recall", 1), ("recall", 3), ("E", 1)):
            wanted = GeneralityRequest(tuple(enumerate(data.scores.runs)), query, scope, ADD_IRRELEVANT, measure)
            for run, curve in enumerate(generality_curves(data.scores, wanted, no_check).curves):
                if data.scores.missing[run, query]:
                    assert np.isnan(curve.y).all()
                    continue
                hits, one = hits_of(data, run, query), float(scope)
                alone = expected_by_generality(hits, data.scores.profile, measure, relevant_scope=one)
                np.testing.assert_array_equal(curve.x, alone.doublings)
                np.testing.assert_array_equal(curve.y, alone.value[0])
                if curve.bounds is not None:
                    np.testing.assert_array_equal(curve.bounds[:, 1], [alone.lower[0], alone.upper[0]])


def test_ideal_recall_is_one_at_every_generality(data):
    found = curves_of(data, "q1").found
    hits = hits_of(data, 0, 0).ideal()
    ideal = expected_by_generality(hits, data.scores.profile, doublings=found.ideal_x)
    np.testing.assert_array_equal(found.ideal, ideal.mean().value)


def test_curves_are_sent_run_by_run(data):
    sent = []
    sending = ContentData(data.benchmark, data.profile, data.scores, send=sent.append)
    curves_of(sending)
    assert sent == [], "those of one query are found together"
    last = curves_of(sending, "")
    assert [[curve.run for curve in one.found.curves] for one in sent] == [[0], [0, 1], [0, 1, 2]]
    assert not any(one.found.complete for one in sent)
    assert (last.name, last.query_text) == (sent[0].name, sent[0].query_text)


def test_last_point_equals_list(data):
    column = data.scores.column("GR1") if "GR1" in [m.key for m in data.scores.measures] else None
    for curve in curves_of(data).found.curves:
        listed = curve.y if curve.bounds is None else curve.bounds[0, 1]
        assert listed[-1] == pytest.approx(curve.reached.at(4)[0])
        if column is not None:
            assert listed[-1] == data.scores.values[curve.run, 0, column]


def test_means(data):
    for curve in curves_of(data, "").found.curves:
        mean = expected_by_generality(data.scores.hits[curve.run], data.scores.profile).mean(
            data.scores.counted[curve.run]
        )
        np.testing.assert_array_equal(curve.y, mean[0])


def test_scope_and_class_sizes(data):
    grown = expected_by_generality(hits_of(data, 0, 0), data.scores.profile, relevant_scope=2.0)
    np.testing.assert_array_equal(curves_of(data, scope=2).found.curves[0].y, grown.value[0])
    points = by_class_size(data.scores.hits[1], relevant_scope=2.0, counted=data.scores.counted[1])
    found = curves_of(data, scope=2, vary=CLASS_SIZES).found.curves[1]
    np.testing.assert_array_equal(found.y, [point.recall.mean for point in points])


@pytest.mark.parametrize("level", [None, 0.0, 0.5])
def test_expected_values_equal_those_of_metrics(data, level):
    found = expected(data, ExpectedRequest(data.benchmark.runs[1].name, "q1", doublings=level))
    assert found.run == 1
    curves = curves_of(data)
    where = [curves.found.low if level is None else level, curves.found.low]
    measures = {"recall": found.recall, "E": found.e_measure, "AP": found.average_precision, "NDCG": found.gain}
    for measure, values in measures.items():
        exact = expected_by_generality(hits_of(data, 1, 0), data.scores.profile, measure, doublings=where)
        np.testing.assert_array_equal(values, [exact.value[0], exact.lower[0], exact.upper[0]])
    assert curves.irrelevant_count(level) == (4 if level is None else round(4 * (2**level - 1)))


def test_missing_query_has_no_curve(data):
    by_run = {curve.run: curve for curve in curves_of(data, "q3").found.curves}
    assert np.isnan(by_run[2].y).all()
    assert np.isfinite(by_run[0].y).all()
    assert np.isnan(expected(data, ExpectedRequest(data.benchmark.runs[2].name, "q3")).recall.value).all()


def test_point_of_graph_maps_to_rank(data):
    graph = curves_of(data)
    curve = graph.curve_of(0)
    for x in np.linspace(0, 1, 5):
        rank = graph.rank_at(float(x), 0)
        assert curve.reached.at(rank)[0] >= np.interp(x, curve.x, curve.y) - 1e-9
    assert graph.rank_at(float("nan"), 0) is None
    assert graph.rank_at(0.5, 77) is None


def test_reference_lines_with_empty_first_run(tmp_path):
    """The generality of the collection and the random baseline are averaged over the queries with relevant models."""
    folder = without_class_of_q1(tmp_path)
    for query in ("q2", "q3"):
        (folder / "runs" / "A1" / query).unlink()
    scores = data_of(folder, missing_query="skip").scores
    runs = tuple(enumerate(scores.runs))
    result = generality_curves(scores, GeneralityRequest(runs, None, 1, ADD_IRRELEVANT), no_check)
    assert not any(scores.counted[0] & (scores.hits[0].relevant_size(1) > 0))
    assert [bool(np.isfinite(curve.y).any()) for curve in result.curves] == [False, True, True]
    assert (result.low, result.high, result.class_size, result.irrelevant) == (1.0, 1.0, 4, 4)
    assert np.isfinite(result.random).all()
    assert len(result.random) > 1
    assert compute_baselines(scores, CURVES[0], None, 11).class_size == 4


def test_table_of_query_without_relevant_models(tmp_path):
    """Also while the runs are computed one by one."""
    scores = data_of(without_class_of_q1(tmp_path)).scores
    requested = GeneralityRequest(tuple(enumerate(scores.runs)), 0, 1, ADD_IRRELEVANT)
    result = generality_curves(scores, requested, no_check)
    assert not len(result.random_x)
    lines = [PlotCurve(str(curve.run), "A1", curve.x, curve.y, "#000000", "solid") for curve in result.curves]
    columns = generality_columns(lines, result, chance=True)
    assert [len(column.values) for column in columns] == [0] * 5


def without_class_of_q1(tmp_path):
    """A benchmark in which the first query is of a class that the collection lacks."""
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    classes = folder / "queries.cla"
    classes.write_text(classes.read_text().replace("cat animal 1", "fish 0 1"))
    return folder
