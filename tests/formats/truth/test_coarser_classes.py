"""A table of classes and coarser ones merges the classes, unless benchmark.toml derives the relevance otherwise."""

import numpy as np
import pytest

from shrec_viewer.formats.discovery.benchmark import read_benchmark

CLASSES = "PSB 1\n4 8\n" + "".join(f"\n{name} 0 2\n{name}1\n{name}2\n" for name in ("cat", "lion", "cup", "mug"))
COARSER = {"cat": "animal", "lion": "animal", "cup": "ware", "mug": "ware"}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "classes.cla").write_text(CLASSES)
    np.savetxt(tmp_path / "A.txt", np.random.default_rng(0).random((8, 8)) * (1 - np.eye(8)))
    rows = "".join(f"{name},{coarse}\n" for name, coarse in COARSER.items())
    (tmp_path / "coarser.csv").write_text("class,superclass\n" + rows)
    return tmp_path


def levels_of(benchmark, query):
    names = benchmark.collection.ids
    items, levels = benchmark.assessment.relevant(benchmark.queries.index[query])
    return dict(zip([names[item] for item in items.tolist()], levels.tolist(), strict=True))


def derived(folder, rule):
    (folder / "benchmark.toml").write_text(f'[assessment]\nderive = "{rule}"\n')
    return read_benchmark(folder)


def test_classes_are_merged_with_a_finding_that_names_the_other_reading(folder):
    benchmark = read_benchmark(folder)
    assert levels_of(benchmark, "cat1") == dict.fromkeys(("cat1", "cat2", "lion1", "lion2"), 1)
    assert set(benchmark.classification.names) == {"animal", "ware"}
    (found,) = [finding for finding in benchmark.findings if finding.file == "coarser.csv"]
    assert found.message == "puts 4 classes into 2 coarser ones"
    assert found.severity == "warning"
    assert found.setting.lines == ("[assessment]", 'derive = "classes"')
    assert levels_of(derived(folder, "classes"), "cat1") == {"cat1": 1, "cat2": 1}


def test_coarser_classes_have_sisters(folder):
    expected = {"cat1": 2, "cat2": 2, "lion1": 1, "lion2": 1}
    assert levels_of(derived(folder, "sister-classes"), "cat1") == expected


def test_table_of_some_classes_or_of_models_merges_nothing(folder):
    (folder / "coarser.csv").write_text("class,superclass\ncat,animal\nlion,animal\n")
    assert levels_of(read_benchmark(folder), "cat1") == {"cat1": 1, "cat2": 1}
