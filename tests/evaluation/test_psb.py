"""Agreement with psbTable and psbPlot on a D2 matrix of the base test set, to all printed digits."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from independent_loaders import data_folder, load_psb

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import find_profile

COLUMNS = ["NN", "FT", "ST", "E@32", "NDCG"]
"""In psbTable's order; its DCG is the normalised one."""


@pytest.fixture(scope="module")
def folder() -> Path:
    return data_folder("psb_d2")


@pytest.fixture(scope="module")
def benchmark() -> Benchmark:
    return load_psb()


@pytest.fixture(scope="module")
def scores(benchmark: Benchmark) -> Scores:
    return evaluate(benchmark, find_profile("psb"), measures=COLUMNS)


def printed(values: np.ndarray) -> list[str]:
    return [f"{value:.3f}" for value in values]


def lines(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


def plot(path: Path) -> np.ndarray:
    return np.array([[float(number) for number in line] for line in lines(path)])


def test_micro_average(folder, scores):
    assert printed(scores.mean()[0]) == lines(folder / "d2_l1_test.psbTable.micro.txt")[0]


def test_macro_average(folder, scores):
    assert printed(scores.class_mean()[0]) == lines(folder / "d2_l1_test.psbTable.macro.txt")[0]


def test_every_class(folder, benchmark, scores):
    labels, means = scores.by_class()
    names = [benchmark.classification.path(int(label)) for label in labels]
    expected = {name: values for name, *values in lines(folder / "d2_l1_test.psbTable.class.txt")}
    assert sorted(names) == sorted(expected)
    assert len(names) == 92
    digits = np.array([[float(value) for value in expected[name]] for name in names])
    # Half a unit of the last digit: the first tier of the swords is 0.3375, which may be rounded either way.
    np.testing.assert_allclose(means[0], digits, rtol=0, atol=5e-4 + 1e-9)


def test_every_model(folder, benchmark, scores):
    expected = lines(folder / "d2_l1_test.psbTable.model.txt")
    assert len(expected) == 907
    for name, model, *values in expected:
        query = benchmark.queries.index[model]
        assert benchmark.classification.path(int(scores.query_labels[query])) == name
        assert printed(scores.values[0, query]) == values, model


@pytest.mark.parametrize(("printed_average", "average"), [("micro", None), ("macro", "class")])
def test_precision_recall_of_the_released_program_counts_the_query(folder, scores, printed_average, average):
    expected = plot(folder / f"d2_l1_test.psbPlot.{printed_average}.plot")
    curve = scores.curve("PR20(self)", 0, None, average=average)
    np.testing.assert_allclose(curve.x, expected[:, 0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(curve.y, expected[:, 1], rtol=0, atol=1e-6)  # one unit of the last printed digit


@pytest.mark.parametrize(("printed_average", "average"), [("micro", None), ("macro", "class")])
def test_the_same_by_ranking_the_query_with_the_others(folder, benchmark, printed_average, average):
    """The other way to the same curve, which proves that the query is put back where it stood, ties included."""
    kept = evaluate(benchmark, replace(find_profile("psb"), self_match="keep"), measures=[])
    expected = plot(folder / f"d2_l1_test.psbPlot.{printed_average}.plot")
    curve = kept.curve("PR20", 0, None, average=average)
    np.testing.assert_allclose(curve.y, expected[:, 1], rtol=0, atol=1e-6)


def test_inserting_the_query_equals_keeping_it(benchmark, scores):
    kept = evaluate(benchmark, replace(find_profile("psb"), self_match="keep"), measures=[])
    for query in range(0, 907, 7):
        there = scores.curve("PR20(self)", 0, query).y
        np.testing.assert_array_equal(there, kept.curve("PR20", 0, query).y)


def test_models_without_descriptor_keep_the_order_of_the_matrix(benchmark, scores):
    """Models 303 and 1377 have distance 0 to each other and to themselves: the later one is second in its own."""
    own = scores.hits[0].own_rank
    places = [benchmark.queries.index["303"], benchmark.queries.index["1377"]]
    assert own[min(places)] == 1
    assert own[max(places)] == 2
    assert np.count_nonzero(own != 1) == 1


def test_small_and_unclassified_classes_are_excluded_from_the_means(benchmark):
    tree = benchmark.classification
    larger = evaluate(benchmark, replace(find_profile("psb"), min_class_size=21), measures=COLUMNS)
    sizes = tree.sizes[benchmark.queries.labels]
    np.testing.assert_array_equal(larger.counted[0], sizes >= 21)
    everything = evaluate(benchmark, replace(find_profile("psb"), min_class_size=0), measures=COLUMNS)
    np.testing.assert_allclose(larger.mean()[0], everything.values[0][sizes >= 21].mean(axis=0), rtol=0, atol=1e-12)
    renamed = replace(tree, names=tuple("-1" if name == "human" else name for name in tree.names))
    misc = evaluate(replace(benchmark, classification=renamed), find_profile("psb"), measures=COLUMNS)
    np.testing.assert_array_equal(misc.counted[0], benchmark.queries.labels != tree.names.index("human"))
