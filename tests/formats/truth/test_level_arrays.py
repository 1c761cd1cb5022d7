"""Levels in files of arrays: a row for each query, a column for each model; no levels are a fault of the file."""

import numpy as np
import pytest
from made_folders import QUERIES, benchmark_files, distances, labels, query_classes, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark

LEVELS = np.array([[2 * (own == name) for name in labels().values()] for own in query_classes().values()], np.int16)


def save(path, levels):
    if path.suffix == ".npy":
        np.save(path, levels)
    else:
        np.savez(path, distances=distances(), relevance_levels=levels, classes=levels // 2)


@pytest.mark.parametrize("name", ["other.npy", "other.npz", "relevance.npy", "qrels.npz"])
def test_levels_of_an_array_are_those_of_its_cells(tmp_path, name):
    root = write(tmp_path, {**benchmark_files(), "queries.txt": "\n".join(QUERIES) + "\n"})
    (root / "truth.txt").unlink()
    save(root / name, LEVELS)
    named = BenchmarkParts(assessment=root / name, queries=root / "queries.txt")
    benchmark = read_benchmark(
        root, named if name.startswith("other") else BenchmarkParts(queries=root / "queries.txt")
    )
    found = np.array([benchmark.assessment.gains(query, LEVELS.shape[1]) for query in range(len(QUERIES))])
    columns = [list(labels()).index(model) for model in benchmark.collection.ids]
    np.testing.assert_array_equal(found, LEVELS[:, columns])


@pytest.mark.parametrize(("levels", "reason"), [(LEVELS / 4, "no relevance levels"), (LEVELS[0], "no rows")])
def test_an_array_without_levels_is_a_fault_of_the_file(tmp_path, levels, reason):
    root = write(tmp_path, benchmark_files())
    np.save(root / "other.npy", levels)
    findings = read_benchmark(root, BenchmarkParts(assessment=root / "other.npy")).findings
    assert [(one.file, reason in one.message) for one in findings if one.severity is Severity.ERROR] == [
        ("other.npy", True)
    ]
