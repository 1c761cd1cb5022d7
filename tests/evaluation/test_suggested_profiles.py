"""Profiles are suggested by the structure of a benchmark that states none."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from independent_loaders import collection_of, data_folder, queries_of
from small_benchmarks import external, itself

from shrec_viewer.domain import Benchmark, ClassAssessment, Classification, DistanceMatrix, Run
from shrec_viewer.evaluation.evaluate import suggest_profile
from shrec_viewer.formats.discovery.benchmark import read_benchmark


def key(benchmark):
    found = suggest_profile(benchmark)
    return None if found is None else found.key


def equal_classes(size, n_classes=3):
    """Every model a query, flat classes of `size` models, one square matrix."""
    labels = np.repeat(np.arange(n_classes, dtype=np.int32), size)
    n = len(labels)
    tree = Classification(labels, tuple(f"c{i}" for i in range(n_classes)), np.full(n_classes, -1, np.int32))
    ids, own = tuple(f"m{i}" for i in range(n)), np.arange(n, dtype=np.int32)
    run = Run("r", "R", Path("r"), DistanceMatrix(np.zeros((n, n), np.float32), own, own))
    truth = ClassAssessment(tree, labels)
    return Benchmark("b", Path("b"), collection_of(ids), queries_of(ids, labels, own), truth, tree, (run,))


def test_contests_are_suggested_by_structure():
    assert key(external()) == "shrec2006"
    assert key(itself()) == "psb"
    assert key(equal_classes(20)) == "shrec2012"
    assert key(equal_classes(19)) == "psb"


def test_stated_profile_is_not_questioned():
    for benchmark in (external(), itself(), equal_classes(20)):
        assert key(replace(benchmark, profile="trec")) is None
        assert key(replace(benchmark, profile="shrec2006")) is None


def test_unclassified_models_exclude_2012():
    benchmark = equal_classes(20)
    labels = benchmark.classification.labels.copy()
    labels[:20] = -1
    assert key(replace(benchmark, classification=replace(benchmark.classification, labels=labels))) == "psb"


@pytest.mark.parametrize("spoil", ["truth", "levels", "classes", "runs", "lists", "part"])
def test_other_structures_give_no_suggestion(spoil):
    benchmark = itself()
    if spoil == "truth":
        benchmark = replace(benchmark, assessment=None)
    elif spoil == "levels":
        benchmark = itself(graded=True)
    elif spoil == "classes":
        benchmark = replace(benchmark, classification=None)
    elif spoil == "runs":
        benchmark = replace(benchmark, runs=())
    elif spoil == "lists":
        benchmark = replace(benchmark, runs=(*benchmark.runs, external().runs[0]))
    else:
        ranking = benchmark.runs[0].ranking
        part = DistanceMatrix(ranking.values[:4], ranking.rows, ranking.columns)
        benchmark = replace(benchmark, runs=(replace(benchmark.runs[0], ranking=part),))
    assert key(benchmark) is None


def test_member_queries_exclude_2006():
    benchmark = external()
    member = np.array([-1, 2, -1, -1], np.int32)
    assert key(replace(benchmark, queries=replace(benchmark.queries, member=member))) is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("shrec06", "shrec2006"),
        ("psb_d2", "psb"),
        ("shrec2021_culture", None),
        ("shrec2017_rgbd", None),
        ("shrec2018_rgbd", None),
        ("shrec2023_animar", None),
        ("meshes_odd", None),
    ],
)
def test_contest_folders(name, expected):
    assert key(read_benchmark(data_folder(name))) == expected
