"""What the import dialog writes into `benchmark.toml`: read back it says what was settled, and nothing else is lost."""

import os

import pytest
from made_folders import benchmark_files, distances, matrix_text, write

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.manifest.manifest import ManifestEdit, edits_of_options, read_manifest, write_manifest

WRITTEN = """# our contest
[benchmark]
name = "Ours"   # the short name

[[runs]]
path = "runs/A.txt"  # first
participant = "Team A"

[[runs]]
path = 'runs/B.txt'
order = "names"
"""


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path, {"runs/A.txt": "1", "runs/B.txt": "2", "runs/C.txt": "3", "truth.txt": "Q1 0 N1 1\n"})


def test_new_manifest_contains_the_edits(folder):
    reported_findings = ReadOptions(order="names", similarity=True)
    write_manifest(
        folder,
        [
            *edits_of_options(folder / "runs/C.txt", reported_findings),
            ManifestEdit("assessment", "qrels", folder / "truth.txt"),
        ],
    )
    found = read_manifest(folder / "benchmark.toml")
    assert found.qrels == folder / "truth.txt"
    assert [(run.path, run.read_options) for run in found.runs] == [(folder / "runs/C.txt", reported_findings)]
    assert found.findings == ()
    assert 'path = "runs/C.txt"' in (folder / "benchmark.toml").read_text()


def test_comments_and_order_are_preserved(folder):
    (folder / "benchmark.toml").write_text(WRITTEN)
    choices = [
        *edits_of_options(folder / "runs/B.txt", ReadOptions(order="numbers")),
        *edits_of_options(folder / "runs/A.txt", ReadOptions(similarity=False)),
        *edits_of_options(folder / "runs/C.txt", ReadOptions(format="matrix")),
    ]
    write_manifest(folder, choices)
    write_manifest(folder / "benchmark.toml", choices)
    text = (folder / "benchmark.toml").read_text()
    for line in WRITTEN.splitlines():
        assert line.replace('"names"', '"numbers"') in text.splitlines()
    found = read_manifest(folder / "benchmark.toml")
    assert [run.path.name for run in found.runs] == ["A.txt", "B.txt", "C.txt"]
    assert [run.read_options for run in found.runs] == [
        ReadOptions(similarity=False),
        ReadOptions(order="numbers"),
        ReadOptions(format="matrix"),
    ]
    assert found.name == "Ours"
    assert found.runs[0].participant == "Team A"


def test_none_removes_the_line(folder):
    (folder / "benchmark.toml").write_text(WRITTEN)
    write_manifest(
        folder, [ManifestEdit("runs", "order", None, folder / "runs/B.txt"), ManifestEdit("benchmark", "name", None)]
    )
    found = read_manifest(folder / "benchmark.toml")
    assert found.name is None
    assert found.runs[1].read_options == ReadOptions()


@pytest.mark.parametrize("text", ["[benchmark\n", "runs = 3\n", "benchmark = 1\n"])
def test_manifest_that_cannot_be_extended_is_an_error(folder, text):
    (folder / "benchmark.toml").write_text(text)
    choices = [
        ManifestEdit("benchmark", "name", "X"),
        *edits_of_options(folder / "runs/A.txt", ReadOptions(order="names")),
    ]
    with pytest.raises(FormatError) as caught:
        write_manifest(folder, choices)
    assert "\n" not in str(caught.value)
    assert (folder / "benchmark.toml").read_text() == text
    assert sorted(os.listdir(folder)) == ["benchmark.toml", "runs", "truth.txt"]


@pytest.mark.parametrize(
    "answer", [ManifestEdit("runs", "order", "names"), ManifestEdit("collection", "colour", "red")]
)
def test_invalid_edits_are_refused(folder, answer):
    with pytest.raises(ValueError, match="cannot be set"):
        write_manifest(folder, [answer])
    assert not (folder / "benchmark.toml").exists()


def test_written_manifest_applies_on_reopening(tmp_path):
    folder = write(tmp_path, {**benchmark_files(), "runs/M.txt": matrix_text(-distances())})
    before = read_benchmark(folder)
    write_manifest(
        folder, edits_of_options(before.runs[0].source, ReadOptions(similarity=True, order="classification"))
    )
    after = read_benchmark(folder)
    assert after.runs[0].ranking.similarity
    assert after.runs[0].ranking.columns.tolist() == list(range(24))
    assert before.runs[0].ranking.columns.tolist() != list(range(24))
    assert not any("doubt" in finding.message or "to fix it" in finding.action for finding in after.findings)
