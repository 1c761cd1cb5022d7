"""Numbers that count from 0 what ids count from 1 are read so, with a warning; others are not moved."""

import pytest
from made_folders import CLASSES, QUERIES, cla, order, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import read_benchmark

COUNT = 24
ZERO = "{}"


def benchmark_of(tmp_path, write_id, name_id="D{:03d}", query=ZERO, skip=(), run=None):
    """The run in which model N<k> is written as `write_id` says, over ids as `name_id` says."""
    names = [name_id.format(number) for number in range(1, COUNT + 1)]
    files = {"classes.cla": cla(ids=names)}
    queries = "id,category\n" + "".join(f"Q{place:02d},cat\n" for place in range(1, 13))
    files["queries.csv"] = queries
    for place, name in enumerate(QUERIES):
        words = [write_id(int(model[1:])) for model in order(name) if int(model[1:]) not in skip]
        files[f"runs/A1/{query.format(place + (query != ZERO))}"] = "".join(
            f"{word} {rank / 4}\n" for rank, word in enumerate(words)
        )
    manifest = '[collection]\nclassification = "classes.cla"\n[queries]\nclassification = "queries.csv"\n'
    files["benchmark.toml"] = manifest
    if run is not None:
        files = {name: text for name, text in files.items() if "A1" not in name} | run(write_id)
    benchmark = read_benchmark(write(tmp_path, files))
    (found,) = benchmark.runs
    lists = [
        [found.ranking.items[place] + 1 for place in range(*found.ranking.indptr[query : query + 2])]
        for query in range(12)
    ]
    unusual = [f for f in benchmark.findings if f.severity is not Severity.INFO and "by chance" not in f.message]
    return lists, unusual, benchmark


def expected(skip=()):
    return [[int(model[1:]) for model in order(name) if int(model[1:]) not in skip] for name in QUERIES]


@pytest.mark.parametrize("name_id", ["D{:03d}", "{}", "T{}"])
def test_numbers_from_0(name_id, tmp_path):
    lists, findings, _ = benchmark_of(tmp_path, lambda number: str(number - 1), name_id, "Q{:02d}")
    assert lists == expected()
    ((message, action, count),) = {(f.message, f.action, f.count) for f in findings}
    assert message == "the numbers of the lists go from 0 to 23, those of the ids from 1 to 24"
    assert action == f"read as counted from 0: '0' is '{name_id.format(1)}'"
    assert count == 12


@pytest.mark.parametrize("name_id", ["D{:03d}", "{}"])
@pytest.mark.parametrize("first", [0, 1])
def test_numbers_from_1_are_said(name_id, first, tmp_path):
    """They are read as written, as the ids are: only the number past the last one is unknown, and 0 is in no list."""
    files = {"classes.cla": cla(ids=[name_id.format(number) for number in range(COUNT)])}
    files["queries.csv"] = "id,category\n" + "".join(f"Q{place:02d},cat\n" for place in range(1, 13))
    for place, name in enumerate(QUERIES, 1):
        numbers = [int(model[1:]) for model in order(name)]
        files[f"runs/A1/Q{place:02d}"] = "".join(f"{name_id.format(number - 1 + first)}\n" for number in numbers)
    files["benchmark.toml"] = (
        '[collection]\nclassification = "classes.cla"\n[queries]\nclassification = "queries.csv"\n'
    )
    benchmark = read_benchmark(write(tmp_path, files))
    found = [finding for finding in benchmark.findings if "unknown id" in finding.message]
    assert len(found) == first
    if found:
        last, zero = name_id.format(COUNT), name_id.format(0)
        assert found[0].message.startswith(f"in 12 of 12 lists, first here: unknown id '{last}' at rank ")
        assert found[0].message.endswith(
            f"; '{zero}' is in no list: the run probably counts from 1, and each id has to be one less"
        )
        assert found[0].count == 12


def test_files_numbered_from_0(tmp_path):
    lists, findings, _ = benchmark_of(tmp_path, lambda number: f"D{number:03d}")
    assert lists == expected()
    ((message, action),) = {(f.message, f.action) for f in findings}
    assert message == "the numbers of the files go from 0 to 11, those of the ids from 1 to 12"
    assert action == "read as counted from 0: '0' is 'Q01'"


def test_short_lists_count_from_0_all_the_same(tmp_path):
    skip = set(range(9, COUNT + 1))
    lists, findings, _ = benchmark_of(tmp_path, lambda number: str(number - 1), skip=skip, query="Q{:02d}")
    assert lists == expected(skip)
    assert any("go from 0 to 23" in finding.message for finding in findings)


def test_a_number_too_many_moves_nothing(tmp_path):
    """A 0 where the last number comes too is an unknown id."""

    def odd(number):
        return "0" if number == 5 else str(number)

    _, findings, _ = benchmark_of(tmp_path, odd, query="Q{:02d}")
    assert any("unknown id '0'" in finding.message for finding in findings)
    assert not any("counted from 0" in finding.action for finding in findings)


def test_a_submission_and_a_trec_run_count_from_0(tmp_path):
    def table(write_id):
        rows = [
            ",".join([f"Q{place:02d}", *(write_id(int(model[1:])) for model in order(name))])
            for place, name in enumerate(QUERIES, 1)
        ]
        return {"one.csv": "\n".join(rows) + "\n"}

    def trec(write_id):
        lines = [
            f"Q{place:02d} Q0 {write_id(int(model[1:]))} {rank} {100 - rank} tag"
            for place, name in enumerate(QUERIES, 1)
            for rank, model in enumerate(order(name), 1)
        ]
        return {"one.run": "\n".join(lines) + "\n"}

    for place, run in enumerate((table, trec)):
        lists, findings, _ = benchmark_of(tmp_path / str(place), lambda number: str(number - 1), run=run)
        assert lists == expected()
        assert any("read as counted from 0: '0' is 'D001'" in finding.action for finding in findings)


assert sum(count for _, _, count in CLASSES) == COUNT
