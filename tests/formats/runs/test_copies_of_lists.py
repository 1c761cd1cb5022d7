"""Copies beside the lists of a run never win over the list with the query's name and the usual extension."""

import pytest
from made_folders import QUERIES, benchmark_files, list_files, order, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark

REVERSED = "\n".join(reversed(order("Q1"))) + "\n"
COPIES = ["Q1.bak", "Q1.BAK", "Q1.old", "Q1.orig", "Q1.aaa", "Q1.zzz", "Q1", "Q1.txt.gz", "q1.txt", "Q01.txt", "1.txt"]


def _read(tmp_path, copies, suffix=".txt", text=REVERSED):
    files = {**benchmark_files(), **list_files(suffix=suffix), **{f"runs/A1/{name}": text for name in copies}}
    benchmark = read_benchmark(write(tmp_path, files))
    lists = benchmark.runs[0].ranking
    listed = [[benchmark.collection.ids[item] for item in lists.items[lists.rows(row)]] for row in range(len(QUERIES))]
    found = [finding for finding in benchmark.findings if finding.message.startswith("duplicate")]
    return listed, found, benchmark.findings


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_is_a_warning_and_never_read(tmp_path, name):
    listed, (finding,), findings = _read(tmp_path, [name])
    assert listed == [order(query) for query in QUERIES]
    assert (finding.severity, finding.file, finding.message) == (
        Severity.WARNING,
        f"runs/A1/{name}",
        "duplicate list for 'Q1'",
    )
    assert "'Q1.txt' is used" in finding.action
    assert not [found for found in findings if found.severity is Severity.ERROR]


@pytest.mark.parametrize("name", ["Q1.txt~", "Q1.txt.bak", "Q1 (copy).txt", "Q1_old.txt"])
def test_a_copy_with_another_name_is_named_and_never_read(tmp_path, name):
    listed, _, findings = _read(tmp_path, [name])
    assert listed == [order(query) for query in QUERIES]
    assert any(name in (found.file + found.message) and found.severity is Severity.WARNING for found in findings)


@pytest.mark.parametrize("ending", [".bak", ".old", ".orig", ".aaa.gz"])
def test_a_copy_of_lists_without_extension(tmp_path, ending):
    listed, (finding,), _ = _read(tmp_path, [f"Q1{ending}"], suffix="")
    assert listed[0] == order("Q1")
    assert finding.severity is Severity.WARNING


def test_copies_of_all_lists_are_one_warning(tmp_path):
    listed, (finding,), _ = _read(tmp_path, [f"{query}.bak" for query in QUERIES])
    assert listed == [order(query) for query in QUERIES]
    assert (finding.severity, finding.file) == (Severity.WARNING, "runs/A1/Q1.bak")
    assert finding.message == "duplicate list for 'Q1' (12 such files, this is the first)"


def test_two_complete_sets_of_lists_are_one_error(tmp_path):
    _, (finding,), _ = _read(tmp_path, [f"{query}.dat" for query in QUERIES])
    assert finding.severity is Severity.ERROR
    assert "the first of equals" in finding.action


def test_no_list_with_the_exact_name_is_an_error(tmp_path):
    files = {**benchmark_files(), **list_files(suffix=".txt")}
    files["runs/A1/q1.txt"] = files.pop("runs/A1/Q1.txt")
    files["runs/A1/Q01.txt"] = REVERSED
    benchmark = read_benchmark(write(tmp_path, files))
    (finding,) = [finding for finding in benchmark.findings if finding.message.startswith("duplicate")]
    assert finding.severity is Severity.ERROR
