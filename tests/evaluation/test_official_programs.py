"""Profiles equal independent implementations of the programs of SHREC'17 RGB-D and of the sketch toolkits."""

import csv
from dataclasses import replace
from math import log2

import numpy as np
import pytest
from independent_loaders import data_folder, lists_of
from small_benchmarks import external

from shrec_viewer.domain import ClassAssessment, Run
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile

RGBD = ("P", "R", "F1", "AP", "NDCG", "FT", "ST")


def loop_off_by_one(gains: list[float]) -> float:
    """The first gain, and then those from the first to the last but one."""
    return gains[0] + sum(gains[i] / log2(i + 2) for i in range(len(gains) - 1))


def by_rgbd_program(gains: list[float], size: int) -> list[float]:
    precision, recall = sum(gains) / len(gains), sum(gains) / size
    ideal = loop_off_by_one(sorted(gains, reverse=True))
    return [
        precision,
        recall,
        2 * precision * recall / (precision + recall) if precision + recall else 0.0,
        sum(sum(gains[: rank + 1]) / (rank + 1) for rank, gain in enumerate(gains) if gain) / size,
        loop_off_by_one(gains) / ideal if ideal else 0.0,
        sum(gains[:size]) / size,
        sum(gains[: 2 * size]) / min(len(gains), 2 * size),
    ]


def test_rgbd_on_the_lists_of_the_organisers():
    folder = data_folder("shrec2017_rgbd")
    targets = {row[0]: row[1] for row in csv.reader((folder / "targets.csv").read_text().splitlines())}
    categories = {row[0]: row[1] for row in csv.reader((folder / "queries.csv").read_text().splitlines())}
    benchmark = read_benchmark(folder)
    scores = evaluate(benchmark, find_profile("shrec2017rgbd"))
    assert [measure.key for measure in scores.measures] == list(RGBD)
    expected = []
    for path in sorted((folder / "examples").iterdir()):
        lines = [line for line in path.read_text().splitlines()[:1000] if line.strip() and not line.startswith("#")]
        known = [targets[line.split()[0]] for line in lines if line.split()[0] in targets]
        wanted = categories[path.name]
        gains = [float(category == wanted) for category in known]
        expected.append(by_rgbd_program(gains, list(targets.values()).count(wanted)))
        values = scores.values[0, benchmark.queries.index[path.name]]
        np.testing.assert_allclose(values, expected[-1], rtol=0, atol=1e-12, err_msg=path.name)
    assert len(expected) == 3
    np.testing.assert_allclose(scores.mean()[0], np.mean(expected, axis=0), rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_rgbd_on_short_lists(seed):
    """Lists shorter than the class, with one model, or without relevant models."""
    random = np.random.default_rng(seed)
    benchmark = external()
    labels = np.array([1, 2, 3, 1], np.int32)
    truth = ClassAssessment(benchmark.classification, labels, graded=True)
    rows = [random.permutation(6)[: random.integers(1, 7)].tolist() for _ in range(4)]
    run = Run("short", "made up", benchmark.root, lists_of(rows))
    scores = evaluate(replace(benchmark, assessment=truth, runs=(run,)), find_profile("shrec2017rgbd"))
    for query, row in enumerate(rows):
        levels = truth.gains(query, 6)
        expected = by_rgbd_program([float(levels[item] > 0) for item in row], int((levels > 0).sum()))
        np.testing.assert_allclose(scores.values[0, query], expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_sketch_toolkit_divides_by_the_largest_class(seed):
    """Precisions of a query in a row as long as the largest class, padded with zeros; the mean is over the row."""
    random = np.random.default_rng(seed)
    benchmark = external()
    labels = np.array([1, 2, 3, 1], np.int32)
    truth = ClassAssessment(benchmark.classification, labels)
    rows = [random.permutation(6).tolist() for _ in range(4)]
    run = Run("full", "made up", benchmark.root, lists_of(rows))
    made_up = replace(benchmark, assessment=truth, runs=(run,))
    scores = evaluate(made_up, find_profile("shrec2013sketch"), measures=["AP", "FT", "NDCG"])
    sizes = [len(truth.relevant(query)[0]) for query in range(4)]
    table = np.zeros((4, max(sizes)))
    for query, row in enumerate(rows):
        ranks = [rank for rank, item in enumerate(row, 1) if truth.gains(query, 6)[item]]
        table[query, : len(ranks)] = np.arange(1, len(ranks) + 1) / ranks
    np.testing.assert_allclose(scores.values[0, :, 0], table.mean(axis=1), rtol=0, atol=1e-12)
    textbook = [row[:size].mean() for row, size in zip(table, sizes, strict=True)]
    np.testing.assert_allclose(scores.textbook().values[0, :, 0], textbook, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(scores.textbook().values[0, :, 1:], scores.values[0, :, 1:])
