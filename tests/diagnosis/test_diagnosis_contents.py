"""Charts and tables of distances, classification, similarity, headroom, variance and slices: numbers, reasons."""

from dataclasses import replace
from statistics import NormalDist

import numpy as np
import pytest
from small_benchmarks import external, itself

from shrec_viewer.content.contents import FIGURES, TABLES, build_chart, build_table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.classification import ClassificationRequest
from shrec_viewer.content.diagnosis.distances import DistancesRequest
from shrec_viewer.content.diagnosis.missed import MissedRequest
from shrec_viewer.content.diagnosis.similarity import HeadroomRequest, RunSimilarityRequest
from shrec_viewer.content.diagnosis.slices import SlicesRequest, VarianceRequest
from shrec_viewer.diagnosis.classification import nearest_neighbour
from shrec_viewer.diagnosis.distances import query_distances, run_distances
from shrec_viewer.diagnosis.headroom import headroom
from shrec_viewer.diagnosis.similarity import run_similarity
from shrec_viewer.diagnosis.slices import query_slices, slice_scores
from shrec_viewer.diagnosis.variance import variance_sources
from shrec_viewer.domain import Benchmark, ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.resources import resource

DEFAULT = find_profile("default")


def data_of(benchmark: Benchmark) -> ContentData:
    return ContentData(benchmark, DEFAULT, evaluate(benchmark, DEFAULT))


@pytest.fixture(scope="module")
def data():
    return data_of(read_benchmark(resource("demo")))


@pytest.fixture(scope="module")
def with_numbers(data) -> list[str]:
    """Runs of the demo that have distances."""
    scores = data.evaluated
    return [name for row, name in enumerate(scores.runs) if run_distances(scores, row) is not None]


def columns_of(table) -> dict[str, list]:
    return {column.key: [row[index] for row in table.rows] for index, column in enumerate(table.columns)}


def test_curves_are_those_of_the_distances(data, with_numbers):
    name, query = with_numbers[-1], data.benchmark.queries.ids[3]
    found = run_distances(data.evaluated, data.evaluated.run_index(name))
    roc = build_chart(data, DistancesRequest(view="roc", highlight=name))
    assert [curve.label for curve in roc.curves] == with_numbers
    assert roc.selected == name
    curve = next(curve for curve in roc.curves if curve.key == name)
    assert np.sum(np.diff(curve.x) * (curve.y[1:] + curve.y[:-1]) / 2) == pytest.approx(found.auc, abs=0.01)
    det = next(curve for curve in build_chart(data, DistancesRequest(view="det")).curves if curve.key == name)
    at = np.argmin(np.abs(det.x - det.y))  # where both rates are equal
    assert NormalDist().cdf(det.x[at]) == pytest.approx(found.eer, abs=0.03)
    density = build_chart(data, DistancesRequest(highlight=name, query=query))
    np.testing.assert_array_equal(density.curves[0].y, found.relevant)
    assert [line.label for line in density.references.lines] == [
        "Relevant", "Not relevant", f"{query}, relevant", f"{query}, not relevant",
    ]  # fmt: skip
    assert f"EER {found.eer:.3f}, AUC {found.auc:.3f}" in density.axes.x_label
    by_rank = build_chart(data, DistancesRequest(view="rank", highlight=name, query=query))
    run = data.benchmark.run(name)
    one = query_distances(data.benchmark, DEFAULT, run, 3)
    np.testing.assert_array_equal(by_rank.references.lines[0].y, one.values)
    points = sum(len(curve.x) for curve in by_rank.curves)
    assert points == np.count_nonzero(one.levels) > 0
    for curve in by_rank.curves:
        np.testing.assert_array_equal(one.levels[curve.x.astype(int) - 1], int(curve.label[-1]))


def test_table_of_distances(data, with_numbers):
    columns = columns_of(build_table(data, DistancesRequest()))
    for row, name in enumerate(columns["run"]):
        found = run_distances(data.evaluated, row)
        assert (found is None) == (columns["eer"][row] is None) == (name not in with_numbers)
        if found is not None:
            figures = found.eer, found.auc, found.auc_within, found.d_prime, found.n_relevant, found.n_irrelevant
            shown = [columns[key][row] for key in ("eer", "auc", "auc of queries", "d'", "relevant", "irrelevant")]
            assert shown == pytest.approx(figures, abs=1e-12)


def test_laws_of_a_metric_in_the_table():
    data = data_of(itself())
    columns = columns_of(build_table(data, DistancesRequest()))
    assert [columns[key] for key in ("asymmetric", "nonzero", "triangles")] == [[0], [0], [0]]
    bent = itself()
    values = np.square(bent.runs[0].ranking.values)  # squares of distances violate the triangle inequality
    run = replace(bent.runs[0], ranking=replace(bent.runs[0].ranking, values=values))
    data = data_of(replace(bent, runs=(run,)))
    pairs = [(i, j, k) for i in range(6) for j in range(6) for k in range(6) if len({i, j, k}) == 3]
    broken = [(i - k) ** 2 > (i - j) ** 2 + (j - k) ** 2 for i, j, k in pairs]
    assert columns_of(build_table(data, DistancesRequest()))["triangles"] == [pytest.approx(np.mean(broken))]
    of_query = [is_broken for (i, _, _), is_broken in zip(pairs, broken, strict=True) if i == 0]
    found = columns_of(build_table(data, DistancesRequest(query="a")))["triangles"]
    assert found == [pytest.approx(np.mean(of_query))]


def test_classification_by_class_and_by_run(data):
    scores, name = data.evaluated, data.evaluated.runs[2]
    found = nearest_neighbour(scores, 2)
    table = build_table(data, ClassificationRequest(runs=(name,)))
    columns = columns_of(table)
    assert columns["queries"] == found.support.tolist()
    assert columns["F1"] == found.f1.tolist()
    assert table.notes[0].startswith(f"Of {found.n} queries with a list: ")
    assert f"macro F1 {found.macro_f1:.3f}".casefold() in table.notes[0].casefold()
    columns = columns_of(build_table(data, ClassificationRequest(rows="runs")))
    assert columns["run"] == list(scores.runs)
    assert columns["MCC"][2] == found.mcc


@pytest.mark.parametrize("by", ["rbo", "tau_ap", "jaccard"])
def test_similarity_of_all_and_of_some_runs(data, by):
    found = run_similarity(data.evaluated, by, 10)
    chart = build_chart(data, RunSimilarityRequest(by=by))
    assert chart.rows == chart.columns == tuple(found.runs[row] for row in found.order)
    columns = columns_of(build_table(data, RunSimilarityRequest(by=by)))
    for a, one in enumerate(found.runs):
        for b, other in enumerate(found.runs):
            value = pytest.approx(found.values[a, b], abs=1e-12, nan_ok=True)
            assert chart.values[chart.rows.index(one), chart.columns.index(other)] == value
            assert columns[other][columns["run"].index(one)] == value
    three = found.runs[:3]
    some = build_chart(data, RunSimilarityRequest(runs=three, by=by))
    expected = run_similarity(data.evaluated.select_runs([0, 1, 2]), by, 10)
    assert some.rows == tuple(expected.runs[row] for row in expected.order)
    np.testing.assert_allclose(some.values, expected.values[np.ix_(expected.order, expected.order)], rtol=0, atol=1e-12)


def test_headroom_sets(data):
    scores = data.evaluated
    found = headroom(scores, scores.column("AP"))
    chart = build_chart(data, HeadroomRequest(measure="AP", sets=5))
    np.testing.assert_array_equal([bar.members for bar in chart.bars[1:]], found.sets[:5])
    assert [bar.value for bar in chart.bars] == [found.found_by_none, *found.counts[:5].tolist()]
    assert (chart.bars[0].name, chart.columns) == ("none", found.runs)
    table = build_table(data, HeadroomRequest(measure="AP", sets=1000))
    columns = columns_of(table)
    assert sum(columns["models"]) == found.n_relevant
    assert columns["models"][0] == found.found_by_none
    assert f"{found.best:.3f} of the best run, {found.best_run}; {found.oracle:.3f}" in table.notes[0]
    two = scores.runs[:2]
    assert build_chart(data, HeadroomRequest(runs=two)).columns == two


def test_missed_models_are_relevant_and_behind_rank_c_in_every_run(data):
    scores, benchmark = data.evaluated, data.benchmark
    rows = build_table(data, MissedRequest()).rows
    assert len(rows) == headroom(scores).found_by_none > 0
    for name, _, model, _ in rows:
        query, item = benchmark.queries.index[name], benchmark.collection.index[model]
        size = int(scores.hits[0].relevant_size(1)[query])
        for run in benchmark.runs:
            items = ranked_list(benchmark, run, query, scores.profile).items[:size].tolist()
            assert item not in items
    query = rows[-1][0]
    some = build_table(data, MissedRequest(queries=(query,))).rows
    assert some == tuple(row for row in rows if row[0] == query)
    chart = build_chart(data, MissedRequest(queries=(query,), images=2))
    assert [tile.caption for tile in chart.tiles] == [row[2] for row in some[:2]]


def test_variance_and_slices(data):
    scores = data.evaluated
    column = scores.column("AP")
    found = variance_sources(scores, column)
    expected = [found.of_class, found.run, found.run_x_class, found.query_within_class, found.rest]
    assert [bar.value for bar in build_chart(data, VarianceRequest(measure="AP")).bars] == expected
    assert columns_of(build_table(data, VarianceRequest(measure="AP")))["share"] == expected
    slices = query_slices(scores, column)
    means = slice_scores(scores, slices, column)
    columns = columns_of(build_table(data, SlicesRequest(measure="AP")))
    assert columns["slice"][: len(slices)] == [one.name for one in slices]
    assert columns["mean"] == [float(value) for value in means.mean.T.ravel()]
    low = [None if np.isnan(value) else value for value in means.low.T.ravel()]
    assert columns["low"] == low
    assert None in low or len(set(low)) > 1


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (DistancesRequest(), "no run has distances to relevant and to irrelevant models"),
        (DistancesRequest(view="roc"), "no run has distances to relevant and to irrelevant models"),
        (DistancesRequest(view="rank"), "the list of full for q0 has no distances"),
        (VarianceRequest(), "the variance cannot be divided: the queries have fewer than two classes"),
        (ClassificationRequest(), "'external' has no lists of queries with a class"),
    ],
)
def test_what_cannot_be_said_has_a_reason(request_, reason):
    benchmark = external()
    labels = np.full(4, -1, np.int32)
    bare = replace(benchmark, classification=None, queries=replace(benchmark.queries, labels=labels))
    build = build_chart if request_.kind in FIGURES else build_table
    with pytest.raises(ShrecViewerError, match=reason):
        build(data_of(bare), request_)
    table = build_table(data_of(bare), DistancesRequest())
    assert {row[1:] for row in table.rows} == {(None,) * 11}
    assert table.notes == tuple(
        f"{name} has no distances to relevant and to irrelevant models." for name in ("full", "gaps")
    )


def test_all_kinds_are_known():
    kinds = {"distances", "run_similarity", "headroom", "variance"}
    assert kinds <= set(FIGURES)
    assert kinds | {"classification", "slices"} <= set(TABLES)
