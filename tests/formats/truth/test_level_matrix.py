"""Levels as a matrix with ids: query by model, class by class."""

import numpy as np
import pytest

from shrec_viewer.formats.discovery.benchmark import read_benchmark

MODELS = ("m1", "m2", "m3", "m4", "m5")
LEVELS = {"q1": (2, 0, 1, -1, 0), "q2": (0, 1, 0, 0, 2), "q3": (0, 0, 0, 0, 1)}


def table(rows, columns):
    lines = [",".join(["", *columns]), *(",".join([name, *map(str, cells)]) for name, cells in rows.items())]
    return "\n".join(lines) + "\n"


def levels_of(benchmark):
    names = benchmark.collection.ids
    return {
        query: {
            names[m]: level for m, level in zip(*(a.tolist() for a in benchmark.assessment.relevant(row)), strict=True)
        }
        for row, query in enumerate(benchmark.queries.ids)
    }


@pytest.fixture
def folder(tmp_path):
    run = "".join(f"{query} Q0 {model} {n} {9 - n} one\n" for query in LEVELS for n, model in enumerate(MODELS, 1))
    (tmp_path / "one.run").write_text(run)
    return tmp_path


def test_query_by_model(folder):
    (folder / "gt.csv").write_text(table(LEVELS, MODELS))
    benchmark = read_benchmark(folder)
    expected = {
        query: {model: level for model, level in zip(MODELS, row, strict=True) if level > 0}
        for query, row in LEVELS.items()
    }
    assert levels_of(benchmark) == expected
    assert benchmark.assessment.junk(0).tolist() == [3]
    assert [run.name for run in benchmark.runs] == ["one"]


def test_matrix_of_another_name_is_no_truth(folder):
    (folder / "two.csv").write_text(table(LEVELS, MODELS))
    benchmark = read_benchmark(folder)
    assert benchmark.assessment is None
    assert [run.name for run in benchmark.runs] == ["one"]


def test_class_by_class(tmp_path):
    (tmp_path / "classes.cla").write_text("PSB 1\n3 5\n\ncat 0 2\nm1\nm2\n\nlion 0 2\nm3\nm4\n\ncup 0 1\nm5\n")
    np.savetxt(tmp_path / "A.txt", np.random.default_rng(0).random((5, 5)) * (1 - np.eye(5)))
    of_classes = {"cat": (2, 1, 0), "lion": (1, 2, 0), "cup": (0, 0, 2)}
    (tmp_path / "relevance_levels.csv").write_text(table(of_classes, ("cat", "lion", "cup")))
    benchmark = read_benchmark(tmp_path)
    cats, lions = ("m1", "m2"), ("m3", "m4")
    of_cat = dict.fromkeys(cats, 2) | dict.fromkeys(lions, 1)
    of_lion = dict.fromkeys(cats, 1) | dict.fromkeys(lions, 2)
    assert levels_of(benchmark) == {"m1": of_cat, "m2": of_cat, "m3": of_lion, "m4": of_lion, "m5": {"m5": 2}}
    assert [run.name for run in benchmark.runs] == ["A"]
