"""Points on curves lie on their polyline, for all kinds, runs, queries and means."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sample_benchmark import write_sample_benchmark

import shrec_viewer as sv
from shrec_viewer.content.curves import (
    ComputedCurves,
    GainRequest,
    PrecisionRecallRequest,
    computed_curves,
    curve_set,
    curves_of,
    gain,
    precision_recall,
)
from shrec_viewer.content.data import ContentData, query_number
from shrec_viewer.content.generality import GeneralityPanelRequest
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.plots.curves import (
    MEETING_TOLERANCE,
    RANK,
    RECALL,
    CurveRequest,
    interpolate_at,
    intersect_level,
    intersect_ray,
)
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import CURVES, UnknownKeyError, find_profile
from shrec_viewer.metrics.profiles.contests import DEFAULT
from shrec_viewer.resources import resource

SHREC06 = Path(__file__).parents[2] / "../shared/data/shrec06"


def distance_to_line(x, y, place):
    """Distance of a point from the polyline of the finite samples; infinite without segments."""
    kept = np.isfinite(x) & np.isfinite(y)
    points = np.stack([x, y], axis=1)
    found = [np.abs(points[kept] - place).max(axis=1).min()] if kept.any() else [np.inf]
    is_segment = kept[:-1] & kept[1:]
    starts, pieces = points[:-1][is_segment], np.diff(points, axis=0)[is_segment]
    lengths = (pieces**2).sum(axis=1)
    shares = np.clip(((place - starts) * pieces).sum(axis=1) / np.where(lengths == 0, 1.0, lengths), 0, 1)
    found.append(np.abs(starts + shares[:, np.newaxis] * pieces - place).max(axis=1).min(initial=np.inf))
    return min(found)


@given(
    st.lists(st.floats(0, 1) | st.just(float("nan")), min_size=1, max_size=12),
    st.floats(0.01, 20),
    st.floats(0, 1),
)
def test_interpolated_points_are_on_polyline(curve_values, slope, at):
    y = np.array(curve_values)
    x = np.linspace(0.1, 1.0, len(y))
    for place in (intersect_ray(x, y, slope, at), intersect_level(x, y, at), (at, interpolate_at(x, y, at))):
        if not np.isnan(place).any():
            assert distance_to_line(x, y, np.array(place)) < 1e-9
    ray, level = intersect_ray(x, y, slope, at), intersect_level(x, y, at)
    assert np.isnan(ray).any() or ray[1] == pytest.approx(slope * ray[0], abs=1e-9)
    assert np.isnan(level).any() or level[1] == pytest.approx(at, abs=1e-9)
    assert np.isnan(ray).any() != crosses(y - slope * x)
    assert np.isnan(level).any() != crosses(y - at)


def crosses(above):
    """Whether a polyline is 0 at a sample or between two neighbouring samples."""
    if any(abs(value) <= MEETING_TOLERANCE for value in above):
        return True
    return any(min(pair) < 0 < max(pair) for pair in pairwise(above) if not np.isnan(pair).any())


@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.floats(0.1, 1))
def test_line_without_gaps_has_values_everywhere(curve_values, at):
    x = np.linspace(0.1, 1.0, len(curve_values))
    assert interpolate_at(x, np.array(curve_values), at) == pytest.approx(np.interp(at, x, curve_values), abs=1e-9)
    assert np.isnan(interpolate_at(x, np.array(curve_values), 1.0 + at))


def test_gap_has_no_value_and_no_crossing():
    x, y = np.array([0.0, 0.5, 1.0]), np.array([1.0, np.nan, 0.0])
    assert np.isnan(interpolate_at(x, y, 0.25))
    assert np.isnan(intersect_level(x, y, 0.5)).all()


@pytest.fixture(scope="module", params=["demo", "shrec06"])
def data(request):
    folder = resource("demo") if request.param == "demo" else SHREC06
    if not folder.exists():
        pytest.skip("the data of SHREC 2006 are not here")
    return data_of(folder)


def data_of(folder):
    benchmark = read_benchmark(folder)
    profile = find_profile(benchmark.profile or "default")
    return ContentData(benchmark, profile, evaluate(benchmark, profile))


ONLY_IN_DEMO = ("GRiP", "GR2P", "GR4P", "GR8P", "E(generality)")
"""Curves over generality that take seconds for SHREC 2006; GR16P and GR32P differ from them by a parameter."""


def computed(data, kind, over=RANK, *, query="", ranks=100):
    """The curves of all runs for any curve type, also those over the generality, which no plot of this kind offers."""
    number = query_number(data, query) if query else None
    runs = tuple((run, one.name) for run, one in enumerate(data.benchmark.runs))
    wanted = CurveRequest(kind, runs, number, ranks, over if kind.x == "rank" else RANK)
    return ComputedCurves("", wanted, curve_set(data, GainRequest(), wanted))


@pytest.mark.parametrize("means", [False, True], ids=["query", "means"])
def test_ranks_are_on_curves_of_all_runs_and_kinds(data, means, request):
    query = "" if means else data.benchmark.queries.ids[0]
    without_lines, positions = 0, Counter()
    is_demo = request.node.callspec.params["data"] == "demo"
    assert {kind.key for kind in CURVES} > set(ONLY_IN_DEMO)
    for kind in (kind for kind in CURVES if is_demo or kind.key not in ONLY_IN_DEMO):
        for over in (RANK, RECALL):
            found = computed(data, kind, over, query=query)
            assert len(found.found.curves) == len(data.benchmark.runs)
            for rank in (1, 3, 10, 40, 100, 1500):
                slope = found.slope_at(rank)
                without_lines += slope is None
                for curve in found.found.curves:
                    place = np.array(found.point_at(curve, rank))
                    if not np.isnan(place).any():
                        positions[kind.key, over] += 1
                        assert distance_to_line(curve.x, curve.y, place) < 1e-9, (kind.key, over, curve.run, rank)
                        if kind.x != "rank" and slope is not None:
                            assert place[1] == pytest.approx(slope * place[0])
    assert without_lines
    for kind in (kind for kind in CURVES if kind.x != "generality"):  # those are in the Generality panel
        for over in (RANK, RECALL):
            assert positions[kind.key, over] >= len(data.benchmark.runs), "at least one rank on every run"


def test_curves_of_query_and_of_mean(tmp_path):
    data = data_of(write_sample_benchmark(tmp_path / "sample_benchmark"))
    queries = data.benchmark.queries.ids
    for query, ranks in ((queries[0], 100), ("", 100), ("", 5)):
        found = computed_curves(data, GainRequest(curve="NDCG", query=query, ranks=ranks)).found.curves
        assert [curve.run for curve in found] == [0, 1, 2]
        expected = data.scores.curve("NDCG", 1, queries.index(query) if query else None, ranks)
        np.testing.assert_array_equal(found[1].x, expected.x)
        np.testing.assert_array_equal(found[1].y, expected.y)
        assert len(found[1].x) == ranks
    missing = computed_curves(data, GainRequest(curve="NDCG", query=queries[2]))
    assert [curve.is_defined for curve in missing.found.curves] == [True, True, False]


@pytest.mark.parametrize(
    ("request_type", "former", "expected"),
    [
        (
            PrecisionRecallRequest,
            {
                "kind": "PR",
                "values": True,
                "options": {"ideal": False, "random": True, "scopes": True, "labels": False, "mean_rank": True},
            },
            {"curve": "PR", "values": True, "show": ["random", "scopes"], "labels": False, "average": "rank"},
        ),
        (
            GainRequest,
            {
                "values": False,
                "options": {"ideal": True, "labels": True, "mean_class": True, "25": True, "100": False,
                            "rank": False, "recall": True},
            },
            {"show": ["ideal"], "average": "class", "ranks": 25, "over": "recall"},
        ),
        (
            GeneralityPanelRequest,
            {
                "kind": "GReP",
                "values": False,
                "options": {"growing": False, "classes": True, "random": False, "ideal": True, "scopes": False,
                            "tris": False, "labels": True},
                "level": 2.5,
            },
            {"graph": "GReP", "show": ["ideal"], "vary": "classes", "level": 2.5},
        ),
    ],
)  # fmt: skip
def test_states_of_former_versions_are_read(request_type, former, expected):
    read, wrong = request_type().with_state(former)
    assert wrong == {}
    assert read.state() == expected
    assert request_type().with_state(read.state()) == (read, {})


def three_queries():
    """Relevant ranks 1 2, 1 4 and 3 8 of eight models, and a query with three relevant models."""
    models = [f"m{number}" for number in range(8)]
    ranks = {"q1": (1, 2), "q2": (1, 4), "q3": (3, 8), "q4": (1, 2, 3)}
    qrels = {query: {models[rank - 1]: 1 for rank in of} for query, of in ranks.items()}
    contest = sv.Contest(models=models, queries=list(ranks), qrels=qrels)
    contest.add("A", rankings=dict.fromkeys(ranks, models))
    benchmark = contest.benchmark
    return ContentData(benchmark, DEFAULT, evaluate(benchmark, DEFAULT))


@pytest.mark.parametrize("chosen", [{"mean_of": ("q1", "q2", "q3")}, {"slice": "relevant models: 2"}])
def test_single_queries_and_their_mean_along_lines_of_constant_scope(chosen):
    """Figure 3a of Sebe et al., worked by hand: at s = c/2, c, 2c, 4c the queries find 1 2 2 2, 1 1 2 2 and 0 0 1 2."""
    request = PrecisionRecallRequest(curve="PR", average="generality", show=("queries",), **chosen)
    plot = precision_recall(three_queries(), request)
    lines = {line.label: line for line in plot.references.lines}
    assert list(lines) == ["q1", "q2", "q3"]
    found = {(round(point.x, 9), round(point.y, 9)) for point in plot.references.points}
    assert found == {(0.5, 1), (1, 1), (1, 0.5), (1, 0.25), (0.5, 0.5), (0.5, 0.25)}
    (mean,) = plot.curves
    for scope, recall in ((0.5, 1 / 3), (1, 1 / 2), (2, 5 / 6), (4, 1)):
        at = int(np.argmin(np.abs(mean.x / mean.y - scope)))
        assert (mean.x[at], mean.y[at]) == (pytest.approx(recall), pytest.approx(recall / scope))
    assert plot.axes.x_label.endswith("at equal relevant scope and generality, g = 1/4)")


def test_curves_of_several_queries_need_one_run():
    data = three_queries()
    request = PrecisionRecallRequest(curve="PR20", show=("queries",), mean_of=("q1",))
    assert [line.label for line in precision_recall(data, request).references.lines] == ["q1"]
    assert precision_recall(data, replace(request, query="q1", mean_of=())).references.lines == ()
    with pytest.raises(UnknownKeyError, match="q9"):
        precision_recall(data, replace(request, mean_of=("q9",)))


def test_ranks_start_at_1_and_recall_of_gain_is_per_cent():
    data = three_queries()
    axes = {key: gain(data, GainRequest(curve=key)).axes for key in ("DCG", "P", "CG(recall)", "F1(recall)")}
    assert {key: one.x_ticks for key, one in axes.items()} == {
        "DCG": "ranks", "P": "ranks", "CG(recall)": "percent", "F1(recall)": "number",
    }  # fmt: skip
    assert axes["DCG"].x_range == (1.0, 100.0)
    assert {curve.key for curve in curves_of("scope")} == {"P", "R", "ADR", "F1(recall)"}
