"""SHREC'17 and '16 for ShapeNet Core55 against an independent evaluator: cutoff, clean-up, gains, means."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from independent_loaders import collection_of, lists_of, queries_of
from shapenet_program import Model, along, cleaned, evaluated, gains

from shrec_viewer.domain import Benchmark, ClassAssessment, Classification, Run
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile

MEASURES = ("P", "R", "F1", "AP", "NDCG")


def contest(seed: int) -> tuple[dict[str, Model], dict[str, list[str]]]:
    """Six synsets of 1 to 40 models in two splits, and lists with repetitions, strangers and models of other splits."""
    random = np.random.default_rng(seed)
    truth: dict[str, Model] = {}
    for number, size in enumerate((1, 4, 9, 16, 25, 40)):
        synset = f"0{number}691156"
        for _ in range(size):
            sub = random.choice([synset, f"{synset}a", f"{synset}b"])
            split = "test" if random.random() < 0.8 or not truth else "val"
            truth[f"{len(truth):06d}"] = Model(synset, str(sub), split)
    tested = [name for name, model in truth.items() if model.split == "test"]
    lists = {}
    for query in tested:
        if random.random() < 0.1:
            continue  # a query without a list is not averaged
        nearness = {
            name: random.random() - 0.5 * (model.synset == truth[query].synset) for name, model in truth.items()
        }
        order = sorted(nearness, key=nearness.get)[: int(random.integers(1, 60))]
        order += [str(name) for name in random.choice(order, 5)] + ["999999", "888888"]
        lists[query] = [f"{name} {rank}.0" for rank, name in enumerate(random.permutation(order))]
    lists[tested[-1]] = ["999999 0.0"]  # nothing that is known
    return truth, lists


def as_benchmark(truth: dict[str, Model], lists: dict[str, list[str]]) -> Benchmark:
    ids = tuple(name for name, model in truth.items() if model.split == "test")
    classes: dict[str, tuple[str, str]] = {}
    for name in ids:
        model = truth[name]
        classes.setdefault(model.synset, (model.synset, ""))
        if model.subsynset != model.synset:
            classes.setdefault(f"{model.synset}/{model.subsynset}", (model.synset, model.subsynset))
    names = sorted(classes)
    parents = [-1 if "/" not in name else names.index(name.split("/")[0]) for name in names]
    own = [m.synset if m.subsynset == m.synset else f"{m.synset}/{m.subsynset}" for m in map(truth.get, ids)]
    labels = np.array([names.index(name) for name in own], np.int32)
    tree = Classification(labels, tuple(names), np.array(parents, np.int32))
    place = {name: at for at, name in enumerate(ids)}
    rows = [[place.get(line.split()[0], -1) for line in lists[name]] if name in lists else None for name in ids]
    return Benchmark(
        name="core",
        root=Path("core"),
        collection=collection_of(ids),
        queries=queries_of(ids, labels, np.arange(len(ids))),
        assessment=ClassAssessment(tree, labels, "synsets"),
        classification=tree,
        runs=(Run("method", "made up", Path("method"), lists_of(rows)),),
    )


def assert_equals(scores, expected) -> None:
    columns = [scores.column(key) for key in MEASURES]
    for query, name in enumerate(scores.queries):
        found = dict(zip(MEASURES, scores.values[0, query, columns], strict=True))
        if name in expected:
            assert found == pytest.approx(expected[name], abs=1e-12), name
        else:
            assert scores.missing[0, query]
    micro, macro = scores.mean()[0, columns], scores.class_mean()[0, columns]
    assert dict(zip(MEASURES, micro, strict=True)) == pytest.approx(expected["micro"], abs=1e-12)
    assert dict(zip(MEASURES, macro, strict=True)) == pytest.approx(expected["macro"], abs=1e-12)


@pytest.mark.parametrize("cut", [1000, 12, 3])
@pytest.mark.parametrize(("key", "year"), [("shrec2017", 2017), ("shrec2016shapenet", 2016)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_query_and_both_means(seed, key, year, cut):
    truth, lists = contest(seed)
    scores = evaluate(as_benchmark(truth, lists), replace(find_profile(key), list_cut=cut))
    assert [measure.key for measure in scores.measures] == list(MEASURES)
    assert_equals(scores, evaluated(lists, truth, "test", cut, year))


def test_published_numbers_of_2016_and_textbook_means():
    truth, lists = contest(4)
    scores = evaluate(as_benchmark(truth, lists), find_profile("shrec2016shapenet"))
    assert_equals(scores, evaluated(lists, truth, "test", 1000, 2016))
    assert_equals(scores.textbook(), evaluated(lists, truth, "test", 1000, 2017))


@pytest.mark.parametrize("cut", [1000, 9])
def test_precision_and_recall_by_rank_padded_with_zeros(cut):
    truth, lists = contest(5)
    benchmark = as_benchmark(truth, lists)
    scores = evaluate(benchmark, replace(find_profile("shrec2017"), list_cut=cut))
    curves = []
    for query, lines in lists.items():
        synset = truth[query].synset
        oracle = gains(query, [i for i, m in truth.items() if m.synset == synset and m.split == "test"], truth)
        curves.append(along(gains(query, cleaned(lines, cut), truth), oracle, cut, 70))
        place = benchmark.queries.index[query]
        for key, expected in zip(("P", "R"), curves[-1], strict=True):
            np.testing.assert_allclose(scores.curve(key, 0, place, 70).y, expected, rtol=0, atol=1e-12)
    for place, key in enumerate(("P", "R")):
        expected = np.mean([curve[place] for curve in curves], axis=0)
        np.testing.assert_allclose(scores.curve(key, 0, None, 70).y, expected, rtol=0, atol=1e-12)


def test_the_same_from_a_folder_of_files(tmp_path):
    """The program reads the split of a query and the relevance levels."""
    truth, lists = contest(6)
    rows = [f"{name},{m.synset},{m.subsynset},x,{m.split}" for name, m in truth.items() if m.split == "test"]
    (tmp_path / "test.csv").write_text("\n".join(["id,synsetId,subSynsetId,modelId,split", *rows]) + "\n")
    folder = tmp_path / "method" / "test_normal"
    folder.mkdir(parents=True)
    for query, lines in lists.items():
        (folder / query).write_text("\n".join(lines) + "\n")
    benchmark = read_benchmark(tmp_path)
    assert len(benchmark.runs) == 1, [str(finding) for finding in benchmark.findings]
    assert_equals(evaluate(benchmark, find_profile("shrec2017")), evaluated(lists, truth, "test", 1000, 2017))


def test_levels_follow_from_classes_without_expansion_to_pairs():
    """Two hundred queries of one class share one answer."""
    labels = np.zeros(200, np.int32)
    tree = Classification(labels, ("plane", "plane/jet"), np.array([-1, 0], np.int32))
    used = []

    class Counting(ClassAssessment):
        def relevant(self, query):
            used.append(query)
            return super().relevant(query)

    ids = tuple(f"{i:06d}" for i in range(200))
    benchmark = Benchmark(
        name="one class",
        root=Path(),
        collection=collection_of(ids),
        queries=queries_of(ids, labels, np.arange(200)),
        assessment=Counting(tree, labels, "synsets"),
        classification=tree,
        runs=(Run("method", "made up", Path(), lists_of([[query, 0] for query in range(200)])),),
    )
    scores = evaluate(benchmark, find_profile("shrec2017"))
    assert len(used) == 1
    assert scores.mean()[0, scores.column("P")] == 1
