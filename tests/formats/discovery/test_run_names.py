"""Runs are called what the description says, else by files and folders inside the benchmark, wherever it lies."""

import shutil
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_folders import NATURAL, QUERIES, benchmark_files, distances, list_files, npy, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.discovery.run_selection import (
    RunName,
    find_participants,
    guess_participants,
    unique_run_names,
)
from shrec_viewer.formats.manifest.manifest import RunEntry
from shrec_viewer.formats.manifest.parts import BenchmarkParts

MATRIX = npy(distances(QUERIES, NATURAL))


def runs_of(path, parts=None):
    benchmark = read_benchmark(path, parts) if parts is not None else read_benchmark(path)
    return {run.name: run.participant for run in benchmark.runs}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (["nan.txt", "nan.npy"], {"nan.npy": "nan", "nan.txt": "nan"}),
        (["Kim/run2.npy", "Lee/run1.npy", "Lee/VGG16.npy"], {"run2": "Kim", "run1": "Lee", "VGG16": "Lee"}),
        (["all/Kim/run1.npy", "all/Lee/run1.npy"], {"Kim/run1": "Kim", "Lee/run1": "Lee"}),
        (["Kim/matrices/a.npy", "Lee/matrices/a.npy"], {"Kim/matrices/a": "Kim", "Lee/matrices/a": "Lee"}),
        (["runs/run1.npy", "runs/run2.npy"], {"run1": "run1", "run2": "run2"}),
        (["Kim/run1.npy"], {"run1": "Kim"}),
        (["VGG16.npy", "VGG19.npy", "ResNet50.npy"], {"VGG16": "VGG16", "VGG19": "VGG19", "ResNet50": "ResNet50"}),
        (["M1.npy", "M2.npy", "S1.npy"], {"M1": "M", "M2": "M", "S1": "S"}),
        (["R1.npy", "VGG16.npy", "LFD.npy"], {"R1": "R1", "VGG16": "VGG16", "LFD": "LFD"}),
        (["TL.run3.npy", "TL.run1.npy"], {"TL.run1": "TL", "TL.run3": "TL"}),
    ],
)
def test_names_and_participants_stay_when_the_benchmark_moves(files, expected, tmp_path):
    reported = "\n".join(f'[[runs]]\npath = "{name}"\norder = "names"' for name in files if name.endswith(".txt"))
    content = {name: MATRIX if name.endswith(".npy") else _text() for name in files}
    here = write(tmp_path / "SHREC 2019/here", {**benchmark_files(), **content})
    assert not reported or read_benchmark(here).runs
    assert runs_of(here) == expected
    there = tmp_path / "M/VGG16/elsewhere"
    shutil.copytree(here, there)
    assert runs_of(there) == expected


def packed(path: Path, files: dict[str, bytes]) -> None:
    """Write a zip file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("inside", "expected"),
    [
        (["matrix.npy"], {"Kim_v2"}),
        (["results/dist.npy"], {"Kim_v2"}),
        (["VGG16.npy"], {"VGG16"}),
        (["Lee/matrix.npy"], {"Kim_v2"}),  # the only folder of an archive is the archive
        (["a/x.txt", "VGG16/matrix.npy"], {"matrix"}),
        (["run1.npy"], {"run1"}),
        (["matrix.npy", "results.npy"], {"matrix", "results"}),
    ],
)
def test_a_run_whose_name_says_nothing_is_named_after_its_archive(inside, expected, tmp_path):
    write(tmp_path, benchmark_files())
    packed(tmp_path / "runs/Kim_v2.zip", {name: MATRIX if name.endswith(".npy") else b"words\n" for name in inside})
    assert set(runs_of(tmp_path)) == expected


def _text():
    return "".join(" ".join(f"{value:.6f}" for value in row) + "\n" for row in distances(QUERIES, NATURAL))


def test_folders_of_runs_elsewhere_count_from_the_one_that_was_named(tmp_path):
    here = write(tmp_path / "here", benchmark_files())
    for place in ("x", "y/z"):
        runs = write(tmp_path / place / "T", {"Kim/a.npy": MATRIX, "Lee/a.npy": MATRIX})
        assert runs_of(here, BenchmarkParts(runs=runs)) == {"Kim/a": "Kim", "Lee/a": "Lee"}


def test_duplicate_name_in_manifest_is_renamed_with_finding(tmp_path):
    manifest = """[[runs]]
name = "A"
path = "a.npy"
[[runs]]
name = "A"
participant = "Z"
path = "b.npy"
[[runs]]
name = "A"
path = "c.npy"
"""
    files = {"a.npy": MATRIX, "b.npy": MATRIX, "c.npy": MATRIX, "A.npy": MATRIX, "benchmark.toml": manifest}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    assert [run.name for run in benchmark.runs] == ["A", "Z/A", "A (2)", "A.npy"]
    reported = [(f.file, f.line, f.message, f.action) for f in benchmark.findings if "duplicate run name" in f.message]
    reported_findings = "duplicate run name 'A'"
    assert reported == [
        ("benchmark.toml", 4, reported_findings, "renamed to 'Z/A'"),
        ("benchmark.toml", 8, reported_findings, "renamed to 'A (2)'"),
        ("A.npy", None, "duplicate run name 'A'", "renamed to 'A.npy'"),
    ]


def test_archives_are_those_of_participants(tmp_path):
    write(tmp_path / "here", benchmark_files())
    for who, names in (("Kim", ("run1", "run2")), ("Lee", ("run1",))):
        for name in names:
            write(tmp_path / who, list_files(name))
        shutil.make_archive(str(tmp_path / "here" / who), "zip", tmp_path / who)
    assert runs_of(tmp_path / "here") == {"Kim/run1": "Kim", "Lee/run1": "Lee", "run2": "Kim"}


def test_lists_and_matrices_of_one_name(tmp_path):
    files = {**benchmark_files(), **list_files("runs/A1"), "runs/A1.npy": MATRIX}
    benchmark = read_benchmark(write(tmp_path, files))
    assert {run.name for run in benchmark.runs} == {"A1", "A1.npy"}
    assert not [f for f in benchmark.findings if f.severity is Severity.ERROR]


WORDS = st.sampled_from(["a", "b", "a.npy", "a.txt", "run1", "run2", "M1", "VGG16", "x_1"])


def place_of(run):
    return (*run[0], "/", run[1])


@given(st.lists(st.tuples(st.lists(WORDS, max_size=3), WORDS, st.booleans()), unique_by=place_of))
def test_names_are_distinct_and_manifest_names_kept(runs):
    root = Path("/benchmark")
    named = [
        RunName(
            root.joinpath(*inside, file), False, tuple(inside), RunEntry(root, name=file) if reported_findings else None
        )
        for inside, file, reported_findings in runs
    ]
    names = unique_run_names(named, FindingsLog(root))
    assert len(set(names)) == len(names)
    for run, name in zip(named, names, strict=True):
        if run.entry is not None:
            assert name == run.entry.name or any(other.entry and other.entry.name == run.entry.name for other in named)
    assert set(names) >= {run.entry.name for run in named if run.entry is not None}
    assert all(find_participants(named, names))
    assert "run" not in guess_participants(names)
