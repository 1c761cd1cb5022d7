"""Folders of models are classes where nothing else tells any, and where they look like classes."""

import numpy as np
import pytest
from made_folders import benchmark_files, mesh_files, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark


def layout(pattern, sizes):
    files = {}
    for name, size in sizes.items():
        for number in range(1, size + 1):
            split = "train" if number < size else "test"
            path = pattern.format(name=name, number=number, split=split)
            files |= mesh_files(path.rsplit("/", 1)[0] if "/" in path else ".", [path.rsplit("/", 1)[-1]])
    return files


@pytest.mark.parametrize(
    "pattern", ["{name}/{name}_{number:04}", "models/{name}/{name}_{number:04}", "{name}/{split}/{name}_{number:04}"]
)
def test_the_folder_of_a_model_is_its_class(pattern, tmp_path):
    benchmark = read_benchmark(write(tmp_path, layout(pattern, {"chair": 4, "lamp": 3, "desk": 2})))
    assert set(benchmark.classification.names) == {"chair", "lamp", "desk"}
    names = [benchmark.classification.names[label] for label in benchmark.classification.labels]
    assert [name.rsplit("_", 1)[0] for name in benchmark.collection.ids] == names
    assert None not in benchmark.collection.paths
    assert benchmark.queries.are_members
    items, levels = benchmark.assessment.relevant(benchmark.collection.ids.index("lamp_0001"))
    assert {benchmark.collection.ids[item] for item in items} == {f"lamp_000{number}" for number in (1, 2, 3)}
    assert np.all(levels == 1)
    (finding,) = [finding for finding in benchmark.findings if " folders as classes" in finding.message]
    assert finding.severity is Severity.WARNING


def test_equal_names_in_two_folders_are_two_models(tmp_path):
    benchmark = read_benchmark(write(tmp_path, layout("{name}/{number}", {"chair": 3, "lamp": 2})))
    assert benchmark.collection.ids == ("chair/1.off", "chair/2.off", "3", "lamp/1.off", "lamp/2.off")
    assert np.bincount(benchmark.classification.labels).tolist() == [3, 2]


@pytest.mark.parametrize(
    ("pattern", "sizes"),
    [
        ("models/{name}_{number}", {"chair": 4, "lamp": 3}),  # one folder
        ("db/m{name}{number}/m{name}{number}", {"1": 4, "2": 3}),  # a folder for each model
        ("{name}", {"a": 1, "b": 1}),
    ],
)
def test_other_folders_are_no_classes(pattern, sizes, tmp_path):
    benchmark = read_benchmark(write(tmp_path, layout(pattern, sizes)))
    assert benchmark.classification is None
    assert benchmark.assessment is None


def test_class_files_precede_folders(tmp_path):
    files = {name: text for name, text in benchmark_files().items() if name != "classes.cla"}
    benchmark = read_benchmark(write(tmp_path, {**files, **layout("more/{name}/{name}_{number}", {"a": 3, "b": 3})}))
    assert benchmark.classification is None
