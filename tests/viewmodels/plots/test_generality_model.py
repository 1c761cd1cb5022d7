"""Model of the generality graph: values of the metrics, computed only while active."""

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle

from shrec_viewer.charts.plot import PlotCurve
from shrec_viewer.evaluation.plots.curves import compute_baselines
from shrec_viewer.evaluation.plots.generality import ADD_IRRELEVANT, CLASS_SIZES, GeneralityRequest, generality_curves
from shrec_viewer.metrics import CURVES, with_convention
from shrec_viewer.metrics.generality.expected_measures import expected_by_generality, loss_per_doubling
from shrec_viewer.metrics.generality.scope_graph import by_class_size
from shrec_viewer.panels.plots.generality import generality_columns
from shrec_viewer.viewmodels.plots.generality import GeneralityModel


def no_check() -> None:
    return None


@pytest.fixture
def session(qtbot):
    yield from a_session()


@pytest.fixture
def opened(session, qtbot, tmp_path):
    return open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)


@pytest.fixture
def graph(opened, qtbot):
    created = GeneralityModel(opened)
    created.set_active(True)
    wait(created, opened, qtbot)
    return created


def wait(graph, session, qtbot):
    qtbot.waitUntil(lambda: not session.tasks.is_busy())
    settle(session, qtbot)


def hits_of(session, run, query):
    hits = session.scores.hits[run]
    return hits.rows(query, query + 1)


def test_curves_equal_generality_curves_of_query(graph, opened):
    assert graph.curves.complete
    assert [curve.run for curve in graph.curves.curves] == [0, 1, 2]
    for curve in graph.curves.curves:
        grown = expected_by_generality(hits_of(opened, curve.run, 0), opened.scores.profile)
        np.testing.assert_array_equal(curve.x, grown.doublings)
        np.testing.assert_array_equal(curve.y, grown.value[0])
        assert curve.loss == loss_per_doubling(curve.x, curve.y)
    assert graph.curves.low == graph.curves.high == 1.0  # 4 of 8 are relevant
    assert (graph.curves.class_size, graph.curves.irrelevant) == (4, 4)


def test_last_point_equals_list(graph, opened):
    column = opened.scores.column("GR1") if "GR1" in [m.key for m in opened.scores.measures] else None
    for curve in graph.curves.curves:
        listed = curve.y if curve.spread is None else curve.spread[0]
        assert listed[-1] == pytest.approx(curve.reached.at(4)[0])
        if column is not None:
            assert listed[-1] == opened.scores.values[curve.run, 0, column]


def test_means_follow_selection(graph, opened, qtbot):
    opened.select(means=True)
    wait(graph, opened, qtbot)
    for curve in graph.curves.curves:
        expected = expected_by_generality(opened.scores.hits[curve.run], opened.scores.profile).mean(
            opened.scores.counted[curve.run]
        )
        np.testing.assert_array_equal(curve.y, expected[0])


def test_scope_and_class_sizes(graph, opened, qtbot):
    graph.set_scope(2)
    wait(graph, opened, qtbot)
    grown = expected_by_generality(hits_of(opened, 0, 0), opened.scores.profile, relevant_scope=2.0)
    np.testing.assert_array_equal(graph.curves.curves[0].y, grown.value[0])
    graph.set_variation(CLASS_SIZES)
    wait(graph, opened, qtbot)
    hits = opened.scores.hits[1]
    points = by_class_size(hits, relevant_scope=2.0, counted=opened.scores.counted[1])
    np.testing.assert_array_equal(graph.curves.curves[1].y, [point.recall.mean for point in points])


@pytest.mark.parametrize("level", [None, 0.0, 0.5])
def test_expected_values_equal_those_of_metrics(graph, opened, qtbot, level):
    opened.select(run=1)
    graph.set_doublings(level)
    wait(graph, opened, qtbot)
    found = graph.expected
    assert found.run == 1
    where = [graph.curves.low if level is None else level, graph.curves.low]
    measures = {"recall": found.recall, "E": found.e_measure, "AP": found.average_precision, "NDCG": found.gain}
    for measure, values in measures.items():
        exact = expected_by_generality(hits_of(opened, 1, 0), opened.scores.profile, measure, doublings=where)
        np.testing.assert_array_equal(values, [exact.value[0], exact.lower[0], exact.upper[0]])
    assert graph.irrelevant_count() == (None if level is None else round(4 * (2**level - 1)))


def test_inactive_model_computes_nothing(opened, qtbot):
    graph = GeneralityModel(opened)
    recorded = []
    graph.changed.connect(lambda: recorded.append(1))
    opened.select(query=1)
    settle(opened, qtbot)
    assert recorded == []
    assert "generality" not in [task.status.key for task in opened.tasks.finished]
    graph.set_active(True)
    wait(graph, opened, qtbot)
    assert recorded
    graph.set_active(False)
    recorded.clear()
    opened.select(query=0)
    settle(opened, qtbot)
    assert recorded == []
    graph.set_active(True)
    wait(graph, opened, qtbot)
    assert graph.curves.request.query == 0


def test_fast_query_switches_show_last_query(graph, opened, qtbot):
    for query in (1, 2, 0, 1):
        opened.select(query=query)
    wait(graph, opened, qtbot)
    assert graph.curves.request.query == 1
    opened.close()
    assert graph.curves.curves == ()
    assert graph.expected is None


def test_missing_query_has_no_curve(graph, opened, qtbot):
    opened.select(query=2, run=2)
    wait(graph, opened, qtbot)
    by_run = {curve.run: curve for curve in graph.curves.curves}
    assert np.isnan(by_run[2].y).all()
    assert np.isfinite(by_run[0].y).all()
    assert np.isnan(graph.expected.recall.value).all()


def test_point_of_graph_maps_to_rank(graph, opened):
    curve = graph.curve_of(0)
    for x in np.linspace(0, 1, 5):
        rank = graph.rank_at(float(x), 0)
        assert curve.reached.at(rank)[0] >= np.interp(x, curve.x, curve.y) - 1e-9
    assert graph.rank_at(float("nan"), 0) is None
    assert graph.rank_at(0.5, 77) is None


def test_reference_lines_with_empty_first_run(session, qtbot, tmp_path):
    """The generality of the collection and the random baseline are averaged over the queries with relevant models."""
    folder = without_class_of_q1(tmp_path)
    for query in ("q2", "q3"):
        (folder / "runs" / "A1" / query).unlink()
    open_in(session, folder, qtbot)
    session.set_conventions(with_convention(session.profile, "missing_query", "skip"))
    settle(session, qtbot)
    scores = session.scores
    runs = tuple(enumerate(scores.runs))
    result = generality_curves(scores, GeneralityRequest(runs, None, 1, ADD_IRRELEVANT), no_check)
    assert not any(scores.counted[0] & (scores.hits[0].relevant_size(1) > 0))
    assert [bool(np.isfinite(curve.y).any()) for curve in result.curves] == [False, True, True]
    assert (result.low, result.high, result.class_size, result.irrelevant) == (1.0, 1.0, 4, 4)
    assert np.isfinite(result.random).all()
    assert len(result.random) > 1
    assert compute_baselines(scores, CURVES[0], None, 11).class_size == 4


def test_table_of_query_without_relevant_models(session, qtbot, tmp_path):
    """Also while the runs are computed one by one."""
    open_in(session, without_class_of_q1(tmp_path), qtbot)
    requested = GeneralityRequest(tuple(enumerate(session.scores.runs)), 0, 1, ADD_IRRELEVANT)
    result = generality_curves(session.scores, requested, no_check)
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
