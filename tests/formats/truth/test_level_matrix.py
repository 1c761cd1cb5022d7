"""Levels as a matrix, with ids and without: query by model, class by class."""

import numpy as np
import pytest

from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark

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


@pytest.mark.parametrize("separator", [" ", ",", "\t"])
@pytest.mark.parametrize("name", ["gt.txt", "levels.txt"])
def test_matrix_without_ids_has_the_order_of_queries_and_models(name, separator, folder):
    bare = "\n".join(separator.join(map(str, row)) for row in LEVELS.values())
    (folder / name).write_text(bare + "\n")
    (folder / "list.csv").write_text("ID\n" + "\n".join(MODELS) + "\n")
    is_named = name == "gt.txt"
    benchmark = read_benchmark(folder, BenchmarkParts(assessment=None if is_named else folder / name))
    expected = {q: {m: level for m, level in zip(MODELS, row, strict=True) if level > 0} for q, row in LEVELS.items()}
    assert levels_of(benchmark) == expected
    assert benchmark.assessment.junk(0).tolist() == [3]
    assert [run.name for run in benchmark.runs] == ["one"]
    assert any(
        "rows are the queries in their order, columns models as in the list" in found.action
        for found in benchmark.findings
    )


def test_matrix_without_ids_of_another_shape_is_an_error_at_the_truth(folder):
    (folder / "gt.txt").write_text("1 0 0 0 0\n0 1 0 0 0\n")
    (found,) = [found for found in read_benchmark(folder).findings if found.file == "gt.txt"]
    assert (str(found.severity), found.message) == (
        "error", "levels of 2 x 5 without ids, but 3 x 5 is expected (queries x models)"
    )  # fmt: skip


def test_class_by_class_without_ids(tmp_path):
    classes = [f"c{number}" for number in range(6)]
    blocks = "".join(f"{name} 0 2\n{name}a\n{name}b\n" for name in classes)
    (tmp_path / "classes.cla").write_text(f"PSB 1\n6 12\n\n{blocks}")
    np.savetxt(tmp_path / "A.txt", np.random.default_rng(0).random((12, 12)) * (1 - np.eye(12)))
    levels = 2 * np.eye(6, dtype=int)
    levels[0, 3] = levels[3, 0] = 1
    (tmp_path / "truth.txt").write_text("\n".join(" ".join(map(str, row)) for row in levels.tolist()))
    found = levels_of(read_benchmark(tmp_path))
    assert found["c0a"] == {"c0a": 2, "c0b": 2, "c3a": 1, "c3b": 1}
    assert found["c1b"] == {"c1a": 2, "c1b": 2}
