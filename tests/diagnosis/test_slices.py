"""Slices of queries and sources of variance against loops, and the table of slices in benchmark.toml."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from independent_loaders import lists_of
from sample_benchmark import write_sample_benchmark
from small_benchmarks import external
from tiny_benchmark import MANIFEST, write_tiny

from shrec_viewer.content.contents import content_of
from shrec_viewer.content.curves import PrecisionRecallRequest
from shrec_viewer.content.data import ContentData, slices_of
from shrec_viewer.content.generality import (
    ExpectedRequest,
    FamilyRequest,
    GeneralityPlotRequest,
    SurfaceRequest,
    expected,
    generality,
    surface,
)
from shrec_viewer.content.scores import RunsRequest, runs_table
from shrec_viewer.diagnosis.slices import (
    QuerySlice,
    queries_of_models,
    query_slices,
    select_slices,
    slice_means,
    slice_scores,
)
from shrec_viewer.diagnosis.variance import variance_sources
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.query_subset import query_subset
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import UnknownKeyError, find_profile
from shrec_viewer.metrics.statistics.bootstrap import difference_intervals

DEFAULT = find_profile("default")
DEMO = Path(__file__).parents[2] / "resources" / "demo"


@pytest.mark.parametrize(
    ("name", "of_class", "run", "run_x_class"),
    [("shrec2021_culture", 0.601, 0.086, None), ("shrec06", 0.443, 0.148, 0.321)],
)
def test_variance_of_contests_equals_effects_by_loops(scores_of, name, of_class, run, run_x_class):
    scores = scores_of(name)
    found = variance_sources(scores)
    assert (round(found.of_class, 3), round(found.run, 3)) == (of_class, run)
    assert run_x_class is None or round(found.run_x_class, 3) == run_x_class
    values = np.nan_to_num(scores.raw_values[:, :, 0]) * ~scores.missing
    labels = scores.benchmark.queries.labels
    sums = np.zeros(5)
    grand = values.mean()
    for r in range(len(scores.runs)):
        for q in range(len(labels)):
            same = labels == labels[q]
            of_run, of_query, a, b = (
                values[r].mean(),
                values[:, q].mean(),
                values[:, same].mean(),
                values[r, same].mean(),
            )
            effects = a - grand, of_run - grand, b - a - of_run + grand, of_query - a, values[r, q] - b - of_query + a
            assert sum(effects) + grand == pytest.approx(values[r, q])
            sums += np.square(effects)
    shares = found.of_class, found.run, found.run_x_class, found.query_within_class, found.rest
    np.testing.assert_allclose(shares, sums / np.square(values - grand).sum(), rtol=0, atol=1e-9)
    assert sum(shares) == pytest.approx(1, abs=1e-9)  # orthogonal


def test_variance_needs_runs_classes_and_differences():
    scores = evaluate(external(), DEFAULT, measures=["AP"])
    assert variance_sources(scores).n_queries == 3  # q2 has no relevant models
    assert variance_sources(scores.select_runs([0])) == "there are fewer than two submitted runs"
    one = replace(
        scores.benchmark, classification=None, queries=replace(scores.benchmark.queries, labels=np.full(4, -1))
    )
    assert "fewer than two classes" in variance_sources(evaluate(one, DEFAULT, measures=["AP"]))
    full = scores.benchmark.runs[0]
    twice = replace(scores.benchmark, runs=tuple(replace(full, name=n, ranking=lists_of([[]] * 4)) for n in "ab"))
    assert variance_sources(evaluate(twice, DEFAULT, measures=["AP"])) == "all scores are equal"


def test_built_in_slices_of_a_contest(scores_of):
    scores = scores_of("shrec06")
    slices = {one.name: set(one.queries.tolist()) for one in query_slices(scores)}
    tree, labels = scores.benchmark.classification, scores.benchmark.queries.labels
    for label in np.unique(labels).tolist():
        assert slices.pop(f"class: {tree.names[label]}") == set(np.flatnonzero(labels == label).tolist())
    tops = {name for name in slices if name.startswith("top class: ")}
    assert set().union(*(slices[name] for name in tops)) == set(range(30))
    sizes = scores.hits[0].relevant_size(1)
    several = sizes[np.bincount(sizes)[sizes] > 1].tolist()  # queries of one generality, as Sebe et al. average
    single = {f"relevant models: {size}": set(np.flatnonzero(sizes == size).tolist()) for size in several}
    assert {name: slices[name] for name in slices if "relevant" in name and " to " not in name} == single
    few, middle, many = (slices[name] for name in slices if name.startswith("relevant models: ") and " to " in name)
    assert max(sizes[list(few)]) < min(sizes[list(middle)]) <= max(sizes[list(middle)]) < min(sizes[list(many)])
    easiness = scores.values_in_mean[:, :, 0].mean(axis=0)
    hard, easy = slices["difficulty: hard"], slices["difficulty: easy"]
    assert hard == set(np.argsort(easiness)[:10].tolist())
    assert easy == set(np.argsort(easiness)[-10:].tolist())
    assert not any(name.startswith("kind: ") for name in slices)  # all are models


def test_means_differences_and_intervals(scores_of):
    scores = scores_of("shrec06")
    slices = (*query_slices(scores), QuerySlice("all", np.arange(30)))
    found = slice_scores(scores, slices)
    values = np.nan_to_num(scores.values_in_mean[:, :, 0])  # missing lists count 0
    for row, one in enumerate(slices):
        rest = np.setdiff1d(np.arange(30), one.queries)
        np.testing.assert_allclose(found.mean[row], values[:, one.queries].mean(axis=1), rtol=0, atol=1e-12)
        assert found.n[row].tolist() == [len(one.queries)] * 13
        if not len(rest):
            assert np.isnan(found.difference[row]).all()
            assert np.isnan(found.low[row]).all()
            continue
        expected = values[:, one.queries].mean(axis=1) - values[:, rest].mean(axis=1)
        np.testing.assert_allclose(found.difference[row], expected, rtol=0, atol=1e-12)
        assert np.isnan(found.low[row]).all() == (len(one.queries) < 5) == np.isnan(found.high[row]).all()
        if len(one.queries) >= 5:
            assert np.all((found.low[row] <= expected) & (expected <= found.high[row]))
    again = slice_scores(scores, slices)
    np.testing.assert_array_equal(found.low, again.low)


def test_scores_of_a_slice_are_those_of_a_benchmark_with_its_queries_only(scores_of):
    scores = scores_of("shrec06")
    slices = select_slices(query_slices(scores), ["difficulty: hard"])
    (hard,) = slices
    part, alone = scores.select_queries(hard.queries), evaluate(query_subset(scores.benchmark, hard.queries), DEFAULT)
    np.testing.assert_array_equal(part.mean()[:, 0], alone.mean()[:, alone.column("AP")])
    np.testing.assert_array_equal(slice_means(scores, slices), part.mean())
    np.testing.assert_array_equal(part.class_mean()[:, 0], alone.class_mean()[:, alone.column("AP")])
    np.testing.assert_array_equal(part.values, scores.values)  # those of single queries
    for key in ("PR11", "NDCG", "GRiP"):
        mine, theirs = part.curve(key, 3, None), alone.curve(key, 3, None)
        np.testing.assert_array_equal(mine.x, theirs.x)
        np.testing.assert_array_equal(mine.y, theirs.y)


def test_queries_that_the_profile_excludes_stay_excluded():
    scores = evaluate(external(), DEFAULT, measures=["AP"])
    without = replace(scores, excluded=np.array([True, False, False, False]))
    assert without.select_queries(np.array([0, 3])).counted[0].tolist() == [False, False, False, True]


def test_names_of_slices_are_one_namespace(tmp_path):
    scores = evaluate(with_slices(tmp_path, '\n[slices]\n"class: cat" = ["b1"]\n'), DEFAULT, measures=["AP"])
    names = [one.name for one in query_slices(scores)]
    assert len(set(names)) == len(names)
    (cat,) = select_slices(query_slices(scores), ["class: cat"])
    assert cat.queries.tolist() == [0]  # that of benchmark.toml
    with pytest.raises(UnknownKeyError, match="no slice 'class: cot'; do you mean 'class: cat'"):
        select_slices(query_slices(scores), ["class: cot"])


def test_intervals_equal_resampling_by_loops():
    random = np.random.default_rng(1)
    values, inside = random.random((3, 12)), np.arange(12) < 5
    values[1, 2] = values[2, 8] = np.nan
    found = difference_intervals(values, inside, resamples=300, seed=7)
    draws = np.random.default_rng(7)
    first, second = ((draws.random((300, n)) * n).astype(int) for n in (5, 7))
    for run in range(3):
        a, b = values[run, :5][first], values[run, 5:][second]
        expected = np.quantile(np.nanmean(a, axis=1) - np.nanmean(b, axis=1), [0.025, 0.975])
        np.testing.assert_allclose(found[:, run], expected, rtol=0, atol=1e-12)


SLICES = """
[slices]
few = ["b1", "c2"]
cats = { class = ["cat"] }
colour = { column = "colour" }
"""


def with_slices(tmp_path, slices: str):
    folder = write_tiny(tmp_path / "tiny")
    (folder / "benchmark.toml").write_text(MANIFEST + slices, encoding="utf-8")
    (folder / "looks.csv").write_text("id,colour\nb1,red\nb2,red\nb3,blue\nc1,\n", encoding="utf-8")
    return read_benchmark(folder)


def test_slices_of_a_manifest(tmp_path):
    benchmark = with_slices(tmp_path, SLICES)
    expected = {"few": [0, 4], "cats": [3, 4], "colour: red": [0, 1], "colour: blue": [2]}
    assert {name: queries.tolist() for name, queries in benchmark.slices.items()} == expected
    scores = evaluate(benchmark, DEFAULT, measures=["AP"])
    names = [one.name for one in query_slices(scores)]
    assert (names[:4], names[-2:]) == ([*expected], ["class: bird", "class: cat"])
    assert slice_scores(scores, query_slices(scores)).mean[1].tolist() == pytest.approx([1, 0.25])


def test_a_slice_of_a_file_is_the_subset_that_shrec_2023_scores(tmp_path):
    """The list of a subset, with the header of the contest, is no list of the queries or models."""
    whole = with_slices(tmp_path, "")
    (tmp_path / "tiny" / "public.csv").write_text("ID\nb1\nc1\n", encoding="utf-8")
    manifest = MANIFEST + '\n[slices]\npublic = { file = "public.csv" }\n'
    (tmp_path / "tiny" / "benchmark.toml").write_text(manifest, encoding="utf-8")
    benchmark = read_benchmark(tmp_path / "tiny")
    assert {name: queries.tolist() for name, queries in benchmark.slices.items()} == {"public": [0, 3]}
    assert (benchmark.queries.ids, benchmark.collection.ids) == (whole.queries.ids, whole.collection.ids)
    assert tmp_path / "tiny" / "public.csv" in benchmark.sources  # it is watched
    scores = evaluate(benchmark, find_profile("shrec2023"), measures=["AP"])
    (public,) = select_slices(query_slices(scores), ["public"])
    alone = evaluate(query_subset(benchmark, np.array([0, 3])), find_profile("shrec2023"), measures=["AP"])
    np.testing.assert_array_equal(slice_means(scores, (public,), 0)[:, 0], alone.mean()[:, 0])
    (tmp_path / "tiny" / "public.csv").write_text("b1 c1\n", encoding="utf-8")
    wrong = read_benchmark(tmp_path / "tiny")
    assert any("the slice 'public' names a file that is no list of ids" in one.message for one in wrong.findings)


def test_a_class_has_the_classes_below_it(tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    manifest = folder / "benchmark.toml"
    manifest.write_text(
        manifest.read_text() + '\n[slices]\nbeasts = { class = ["animal"] }\ncats = { class = ["cat"] }\n'
    )
    assert {name: rows.tolist() for name, rows in read_benchmark(folder).slices.items()} == {
        "beasts": [0, 1],
        "cats": [0],
    }


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('a = ["b1", "b9"]', "the slice 'a' names 1 unknown query: b9"),
        ('a = { class = ["dog"] }', "the slice 'a' names 1 unknown class: dog"),
        ('a = { class = ["catt"] }', "(did you mean 'cat'?)"),
        ('a = { column = "color" }', "the slice 'a' names the column 'color', which no table of the queries has"),
        ('a = { classes = ["cat"] }', "unknown key 'classes' in [slices.a] (did you mean 'class'?)"),
        ("a = 3", "'a' is not a table"),
        ("a = [1]", "entry 1 of 'ids' is not text"),
        ("a = []", "the slice 'a' has no queries"),
    ],
)
def test_faults_of_slices_are_findings_with_their_line(tmp_path, line, message):
    benchmark = with_slices(tmp_path, f"\n[slices]\n{line}\n")
    found = [finding for finding in benchmark.findings if message in finding.message]
    assert [finding.line for finding in found] == [len(MANIFEST.splitlines()) + 3]
    assert found[0].severity != "info"
    assert set(benchmark.slices) <= {"a"}


def test_queries_of_models_are_these_models_or_those_with_most_relevant_ones_among_them():
    benchmark = external()
    relevant = [benchmark.assessment.relevant(query) for query in range(4)]
    for models in ([], [0], [0, 1, 2], list(range(len(benchmark.collection)))):
        expected = [
            query
            for query, (items, _) in enumerate(relevant)
            if len(items) and 2 * len({*items.tolist()} & {*models}) > len(items)
        ]
        assert queries_of_models(benchmark, models).tolist() == expected
        highest = [
            query for query, (items, levels) in enumerate(relevant)
            if (levels > 1).any() and 2 * len({*items[levels > 1].tolist()} & {*models}) > (levels > 1).sum()
        ]  # fmt: skip
        assert queries_of_models(benchmark, models, 2).tolist() == highest
    own = replace(benchmark, queries=replace(benchmark.queries, member=np.array([2, 0, 1, 2], np.int32)))
    assert queries_of_models(own, [2]).tolist() == [0, 3]


@pytest.mark.parametrize("name", ["difficulty: hard", "class: chair"])
def test_means_within_a_slice_are_those_of_a_benchmark_with_its_queries_only(name):
    benchmark = read_benchmark(DEMO)
    scores = evaluate(benchmark, find_profile(benchmark.profile), measures=["AP", "NN"])
    data = ContentData(benchmark, scores.profile, scores)
    (one,) = slices_of(data, (name,))
    part = query_subset(benchmark, one.queries)
    alone = ContentData(part, scores.profile, evaluate(part, scores.profile, measures=["AP", "NN"]))
    run = benchmark.runs[0].name
    for kind in (GeneralityPlotRequest, FamilyRequest, PrecisionRecallRequest):
        asked = ((data, kind(runs=(run,), slice=name)), (alone, kind(runs=(run,))))
        found, separate = (content_of(request).chart(of, request) for of, request in asked)
        assert name in found.title
        np.testing.assert_array_equal(found.curves[0].y, separate.curves[0].y)
    surfaces = surface(data, SurfaceRequest((run,), slice=name)), surface(alone, SurfaceRequest((run,)))
    np.testing.assert_array_equal(surfaces[0].precision, surfaces[1].precision)
    values = expected(data, ExpectedRequest(run, slice=name)), expected(alone, ExpectedRequest(run))
    for part_of_all, separate in zip(vars(values[0]).values(), vars(values[1]).values(), strict=True):
        np.testing.assert_array_equal(part_of_all, separate)
    found, separate = runs_table(data, RunsRequest(within=name, slices=(name,))), runs_table(alone, RunsRequest())
    assert [row[:-1] for row in found.rows] == list(separate.rows)
    assert f"means over queries of {name}" in found.title
    assert [row[-1] for row in found.rows] == pytest.approx([row[-3] for row in found.rows])
    query = benchmark.queries.ids[int(one.queries[0])]
    assert generality(data, GeneralityPlotRequest(query=query, slice=name)).title.endswith(query)  # no mean
