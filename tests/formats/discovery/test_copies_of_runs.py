"""Copies beside runs and truth, as editors and people make them, are warnings and never read."""

import pytest
from made_folders import cla, qrels, write
from run_samples import VALUES, id_lists, labelled, long_table, matrix_words, npy, submission, trec

from shrec_viewer.cli import main
from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark

TRUTH = {"classes.cla": cla(), "truth.txt": qrels()}
RUNS = {
    "A.npy": npy(VALUES),
    "A.txt": matrix_words(),
    "A.run": trec(),
    "A.csv": submission(),
    "A.tsv": labelled(separator="\t"),
    "A.json": id_lists(),
    "A": trec(),
    "A.pairs.csv": long_table(),
}
ENDINGS = (".bak", ".BAK", ".old", ".orig", ".save", ".tmp", "~")


def _names(name):
    instead = [name.rsplit(".", 1)[0] + ending for ending in ENDINGS[:-1]] if "." in name else []
    return [*(name + ending for ending in ENDINGS), *instead]


COPIES = [(name, copy) for name in RUNS for copy in _names(name)]


@pytest.mark.parametrize(("name", "copy"), COPIES)
def test_a_copy_of_a_run_is_a_warning_and_never_read(tmp_path, name, copy):
    write(tmp_path, {**TRUTH, f"runs/{name}": RUNS[name], f"runs/{copy}": RUNS[name]})
    benchmark = read_benchmark(tmp_path)
    assert [run.source.name for run in benchmark.runs] == [name]
    (finding,) = [finding for finding in benchmark.findings if finding.file == f"runs/{copy}"]
    assert (finding.severity, finding.message) == (Severity.WARNING, f"is a copy of '{name}', by its name")
    assert main(["check", str(tmp_path)]) == 0


@pytest.mark.parametrize("copy", ["classes.bak", "classes.cla.bak", "truth.old", "truth.txt~"])
def test_a_copy_of_truth_is_never_read(tmp_path, copy):
    write(
        tmp_path, {**TRUTH, "A.run": trec(), copy: cla().replace("N9\n", "N99\n") if "cla" in copy else qrels()[:-20]}
    )
    benchmark = read_benchmark(tmp_path)
    assert "N9" in benchmark.collection.ids
    assert [finding.file for finding in benchmark.findings if "is a copy" in finding.message] == [copy]
    assert not [
        finding for finding in benchmark.findings if "second" in finding.message or "other list" in finding.message
    ]


@pytest.mark.parametrize("name", ["A.npy.bak", "B.bak", "A_old.npy", "A2.old"])
def test_without_an_original_it_is_a_run(tmp_path, name):
    write(tmp_path, {**TRUTH, f"runs/{name}": npy(VALUES), "runs/C.npy": npy(VALUES)})
    benchmark = read_benchmark(tmp_path)
    assert [run.source.name for run in benchmark.runs] == sorted([name, "C.npy"])
    warnings = [finding.message for finding in benchmark.findings if finding.severity is Severity.WARNING]
    assert all("has the same bytes as the run" in message for message in warnings)


def test_a_copy_that_is_named_is_read(tmp_path):
    write(tmp_path, {**TRUTH, "A.npy": npy(VALUES), "A.npy.bak": npy(VALUES)})
    (run,) = read_benchmark(tmp_path, BenchmarkParts(runs=tmp_path / "A.npy.bak")).runs
    assert run.source.name == "A.npy.bak"
    write(tmp_path, {"benchmark.toml": '[[runs]]\npath = "A.npy.bak"\n'})
    assert {run.source.name for run in read_benchmark(tmp_path).runs} == {"A.npy", "A.npy.bak"}
