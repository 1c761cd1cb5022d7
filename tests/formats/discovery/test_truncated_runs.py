"""Every format of runs truncated anywhere: an error, the same numbers, or a finding about what is missing."""

import os
from contextlib import suppress

import numpy as np
import pytest
from made_folders import cla, distances, list_files, npy, qrels, write
from run_samples import SAMPLE_RUNS, rank_lists, zipped

from shrec_viewer.cli import main
from shrec_viewer.domain import FormatError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.formats.discovery.file_findings import cut_number
from shrec_viewer.metrics import find_profile

N_CUTS = int(os.environ.get("SHREC_VIEWER_CUTS", "8"))

MISSING_DATA = (
    *("no list", "shorter than the others", "is empty", "no line end", "unknown id", "duplicate", "(NaN)"),
    *("fewer models", "not in ascending order", "no column", "lists name"),
)
"""Parts of findings about data that a truncated file lacks, or about what is left of its last word."""


def benchmark_with(folder, name, data):
    """Truth, a good run B, and one file."""
    files = {"classes.cla": cla(), "truth.txt": qrels(), "runs/B.npy": npy(distances())}
    return write(folder, {**files, f"runs/{name}": data})


def outcome(folder, name):
    """Findings, and the values of run A; None for an error."""
    options = ReadOptions() if name.startswith("ids") else ReadOptions(order="names")
    benchmark = read_benchmark(folder, BenchmarkParts(read_options=options))
    assert "B" in [run.name for run in benchmark.runs], "the complete run is evaluated despite the broken one"
    if benchmark.has_errors:
        return set(), None
    runs = [run.name for run in benchmark.runs if run.name != "B"]
    assert runs, "a file that is no run any more is an error"
    scores = evaluate(benchmark, find_profile("default"), runs=runs, measures=["AP", "NDCG", "R"])
    values = np.nan_to_num(scores.values, nan=-1.0).tobytes() + scores.missing.tobytes()
    return {finding.message for finding in benchmark.findings}, values


def cuts(size, step=1):
    """Sampled lengths: the first and last bytes, and some between."""
    middle = np.linspace(0, size - 1, N_CUTS).astype(int).tolist()
    return sorted({*range(0, min(40, size), 5), *middle, *range(max(0, size - 24), size, step)})


@pytest.mark.parametrize("name", SAMPLE_RUNS)
def test_truncated_file_is_an_error_or_changes_nothing_silently(name, tmp_path):
    suffix, content = SAMPLE_RUNS[name]
    data = content.encode() if isinstance(content, str) else content
    path = benchmark_with(tmp_path, f"A{suffix}", data) / "runs" / f"A{suffix}"
    known, expected = outcome(tmp_path, name)
    assert expected is not None
    for size in cuts(len(data), 3):
        path.write_bytes(data[:size])
        messages, values = outcome(tmp_path, name)
        new = [message for message in messages - known if any(part in message for part in MISSING_DATA)]
        assert values is None or values == expected or new, f"{size} of {len(data)} bytes"


@pytest.mark.parametrize("query", ["Q1", "Q12"])
def test_truncated_list_is_shorter_than_the_others(query, tmp_path):
    files = {f"runs/{name}": text for name, text in rank_lists().items()}
    data = files[f"runs/A/{query}"].encode()
    benchmark_with(tmp_path, "A/Q1", b"")
    path = write(tmp_path, files) / "runs" / "A" / query
    known, expected = outcome(tmp_path, "lists")
    for size in cuts(len(data), 3):
        path.write_bytes(data[:size])
        messages, values = outcome(tmp_path, "lists")
        new = [message for message in messages - known if any(part in message for part in MISSING_DATA)]
        assert values in (None, expected) or new, f"{size} of {len(data)} bytes"


BROKEN = {
    "json": ("A.json", SAMPLE_RUNS["json scores"][1].encode()[:-9]),
    "odd matrix": ("A.matrix", SAMPLE_RUNS["float32"][1][:-1]),
    "matrix cut to a third": ("A.matrix", SAMPLE_RUNS["float32"][1][:200]),
    "empty": ("A.run", b""),
    "not text": ("A.txt", bytes(range(256)) * 3),
    "matrix with ids": ("A.csv", SAMPLE_RUNS["ids"][1].encode()[:1200]),
    "text": ("A.txt", SAMPLE_RUNS["text"][1].encode()[:100]),
    "npy": ("A.npy", SAMPLE_RUNS["npy"][1][:900]),
    "archive": ("A.zip", SAMPLE_RUNS["zip"][1][:-40]),
}


@pytest.mark.parametrize("kind", BROKEN)
@pytest.mark.parametrize("command", ["check", "evaluate"])
def test_broken_run_is_an_error_with_status_1_beside_a_good_one(kind, command, tmp_path, capsys):
    name, data = BROKEN[kind]
    folder = benchmark_with(tmp_path, name, data)
    assert main([command, str(folder), "--order", "names"]) == 1
    shown = capsys.readouterr()
    errors = [line for line in (shown.out + shown.err).splitlines() if ": error: " in line]
    assert any(f"runs/{name}" in line for line in errors), shown
    assert command == "check" or "\nB " in shown.out


@pytest.mark.parametrize("kind", BROKEN)
def test_broken_run_alone_is_an_error(kind, tmp_path):
    name, data = BROKEN[kind]
    folder = write(tmp_path, {"classes.cla": cla(), "truth.txt": qrels(), f"runs/{name}": data})
    with suppress(FormatError):
        assert read_benchmark(folder).has_errors


def first_lines(sample, n_lines):
    """A file of a run in text, cut after some lines."""
    suffix, content = SAMPLE_RUNS[sample]
    return {f"A{suffix}": "".join(content.splitlines(keepends=True)[:n_lines])}


LISTS = {f"{name}": text for name, text in rank_lists().items()}

WITHOUT_LAST = "1 query has no list: Q12; the file ends after 'Q11' and is probably truncated"
SHORT_LAST = "1 list is shorter than the others (24 models), and may be truncated: 'Q12' (23)"

CUT_AT_LINE = {
    "pairs, header": (first_lines("long", 1), "it begins with 'query,model,distance'"),
    "pairs, header, elsewhere": ({"../pairs.csv": "query,model,distance\n"}, "it begins with 'query,model,distance'"),
    "pairs, similarities, tabs": ({"A.tsv": "query\tmodel\tscore\n"}, "it begins with 'query"),
    "pairs, ranks, semicolons": ({"A.txt": "Query;Model;Rank\n"}, "it begins with 'Query;Model;Rank'"),
    "pairs, a row": (first_lines("long", 2), "the file ends after 'Q1' and is probably truncated"),
    "pairs, a query": (first_lines("long", 25), "the file ends after 'Q1' and is probably truncated"),
    "pairs, most": (first_lines("long", 265), WITHOUT_LAST),
    "pairs, all but a row": (first_lines("long", 288), SHORT_LAST),
    "trec, a line": (first_lines("trec", 1), "the file ends after 'Q1' and is probably truncated"),
    "trec, most": (first_lines("trec", 264), WITHOUT_LAST),
    "trec, all but a line": (first_lines("trec", 287), SHORT_LAST),
    "trec, blank": ({"A.run": "\n"}, "is of no format of runs"),
    "submission, a row": (first_lines("submission", 1), "the file ends after 'Q1' and is probably truncated"),
    "submission, most": (first_lines("submission", 11), WITHOUT_LAST),
    "short submission, most": (first_lines("short submission", 11), WITHOUT_LAST),
    "submission, no models": ({"A.csv": "".join(f"Q{k},\n" for k in range(1, 13))}, "it begins with 'Q1,'"),
    "keyed lists, two": (first_lines("keyed lists", 2), "it begins with 'Q1: "),
    "keyed lists, most": (first_lines("keyed lists", 11), WITHOUT_LAST),
    "keyed lists, no models": ({"A.txt": "".join(f"Q{k}:\n" for k in range(1, 13))}, "it begins with 'Q1:'"),
    "json, a line": (first_lines("json lists in lines", 1), "it begins with '{'"),
    "json, array": ({"A.json": "[\n"}, "it begins with '['"),
    "json, no queries": ({"A.json": "{}"}, "it begins with '{}'"),
    "json, no models": ({"A.json": '{"Q1": [], "Q2": []}'}, 'it begins with \'{"Q1": []'),
    "json, half": (first_lines("json scores in lines", 157), "is not valid JSON"),
    "matrix, a row": (first_lines("text", 1), "a matrix of 1 x 24, but 12 x 24 is expected"),
    "matrix, most": (first_lines("text", 11), "a matrix of 11 x 24, but 12 x 24 is expected"),
    "matrix with ids, header": (first_lines("ids", 1), "none of its rows begins with a query"),
    "matrix with ids, a row": (first_lines("ids", 2), "the file ends after 'Q1' and is probably truncated"),
    "matrix with ids, most": (first_lines("ids", 12), WITHOUT_LAST),
    "npy, no rows": ({"A.npy": npy(distances()[:0])}, ""),
    "npy, most": ({"A.npy": npy(distances()[:11])}, "a matrix of 11 x 24, but 12 x 24 is expected"),
    "float32, most": ({"A.matrix": distances()[:11].astype("<f4").tobytes()}, "contains 264 numbers of type float32"),
    "archive, no files": ({"A.zip": zipped({})}, "is an archive without files"),
    "lists, one of a line": ({**LISTS, "A/Q7": "N1 0.5\n"}, "and may be truncated: 'Q7' (1)"),
    "lists, all empty": (dict.fromkeys(LISTS, ""), "and all are empty"),
}
"""Files of run A that are cut between two lines or records, and a part of the error.

A folder that lacks a list or has an empty one, a run whose lists all name few models, and JSON with a single empty
list cannot be distinguished from what a participant intended: they are warnings or notes.
"""


@pytest.mark.parametrize("kind", CUT_AT_LINE)
def test_run_cut_between_two_lines_is_an_error(kind, tmp_path, capsys):
    files, expected = CUT_AT_LINE[kind]
    folder = write(tmp_path, {"classes.cla": cla(), "truth.txt": qrels(), "runs/B.npy": npy(distances())})
    write(tmp_path / "runs", files)
    order = [] if kind.startswith("matrix with ids") else ["--order", "names"]
    for command in ("check", "evaluate"):
        assert main([command, str(folder), *order]) == 1
        shown = capsys.readouterr()
        errors = [line for line in (shown.out + shown.err).splitlines() if ": error: " in line]
        assert any(expected in line for line in errors), shown
        assert command == "check" or "\nB " in shown.out


def test_an_empty_list_is_a_warning_and_retrieves_nothing(tmp_path, capsys):
    folder = write(tmp_path, {"classes.cla": cla(), "truth.txt": qrels(), "runs/B.npy": npy(distances())})
    write(tmp_path / "runs", {**LISTS, "A/Q7": ""})
    for command in ("check", "evaluate"):
        assert main([command, str(folder), "--order", "names"]) == 0
        shown = capsys.readouterr()
        (line,) = [line for line in (shown.out + shown.err).splitlines() if "Q7" in line]
        assert line.endswith("runs/A/Q7: warning: the list is empty; nothing counts as retrieved")


def test_other_files_next_to_runs_are_no_error(tmp_path):
    files = {
        "runs/README.txt": "Two runs of method A with 2 descriptors each.\nContact us for the code.\n",
        "runs/A.txt": SAMPLE_RUNS["text"][1],
        "runs/times.csv": "run,seconds,memory\nA,12.5,300\nB,10.25,280\n",
        "runs/paper.pdf": b"%PDF-1.4\x00\x01\x02" * 30,
        "settings.json": '{"sizes": [1, 2, 3], "names": ["a", "b"',
        "notes.txt": "0.1 was the threshold\n",
        "empty.log": "",
    }
    folder = benchmark_with(tmp_path, "B.npy", npy(distances()))
    benchmark = read_benchmark(write(folder, files), BenchmarkParts(read_options=ReadOptions(order="names")))
    assert not [str(finding) for finding in benchmark.findings if finding.severity == "error"]
    assert [run.name for run in benchmark.runs] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("0.125 0.250 0.375\n0.500 0.625 0.7", "0.7"),
        ("0.125 0.250 0.375\n0.500 0.625 7", "7"),
        ("1.5e-05 2.5e-06 3.5e-07 4.5e-0", "4.5e-0"),
        ("a,b,0.125\nc,d,0.250\ne,f,0.375\ng,h,0.1", "0.1"),
        ("0.125 0.250 0.375 0", ""),
        ("0.125 0.25 0.5 0.5", ""),
        ("1 2 3 4 5", ""),
        ("Q1 Q0 N1 1 0.25 A\nQ1 Q0 N2 2 0.125 1", ""),
    ],
)
def test_last_number_with_fewer_digits_is_cut(text, cut):
    assert cut_number(text) == cut


@pytest.mark.parametrize("name", ["text", "ids", "long"])
def test_file_that_ends_within_a_number_is_an_error(name, tmp_path):
    suffix, content = SAMPLE_RUNS[name]
    folder = benchmark_with(tmp_path, f"A{suffix}", content.encode()[:-4])
    benchmark = read_benchmark(
        folder, BenchmarkParts(read_options=ReadOptions(order=None if name == "ids" else "names"))
    )
    (error,) = [finding for finding in benchmark.findings if finding.severity == "error"]
    assert error.file == f"runs/A{suffix}"
    assert "has fewer digits than the others, and no line end follows" in error.message


def test_file_without_final_line_end_is_a_note(tmp_path):
    folder = benchmark_with(tmp_path, "A.txt", SAMPLE_RUNS["text"][1].rstrip().encode())
    benchmark = read_benchmark(folder, BenchmarkParts(read_options=ReadOptions(order="names")))
    assert not benchmark.has_errors
    assert "no line end after the last line: runs/A.txt" in [finding.message for finding in benchmark.findings]


def test_run_that_names_fewer_models_than_the_others_is_a_finding(tmp_path):
    files = {
        "classes.cla": cla(),
        "truth.txt": qrels(),
        "runs/A.csv": SAMPLE_RUNS["submission"][1],
        "runs/B.npy": npy(distances()),
        "runs/C.csv": SAMPLE_RUNS["short submission"][1],
    }
    benchmark = read_benchmark(write(tmp_path, files), BenchmarkParts(read_options=ReadOptions(order="names")))
    messages = [finding.message for finding in benchmark.findings]
    assert "1 run names fewer models than the others (24): C (10)" in messages


def test_relevance_file_that_ends_within_a_query_is_a_finding(tmp_path):
    lines = qrels().splitlines(keepends=True)
    folder = benchmark_with(tmp_path, "A.npy", npy(distances()))
    (folder / "truth.txt").write_text("".join(lines[:-7]))
    messages = [finding.message for finding in read_benchmark(folder).findings]
    expected = "the last query, 'Q12', has 17 assessed models, each other has 24: the file may be truncated"
    assert expected in messages


def test_matrix_with_more_rows_than_queries_is_a_finding(tmp_path):
    """12 rows for 11 queries, whose numbers could also be counted from 0."""
    lines = qrels().splitlines(keepends=True)
    folder = benchmark_with(tmp_path, "A.npy", npy(distances()))
    (folder / "truth.txt").write_text("".join(lines[:-24]))
    messages = [finding.message for finding in read_benchmark(folder).findings]
    assert "1 row is of no query, the first is row 1" in messages


def test_folder_of_undecodable_lists_next_to_runs_is_an_error(tmp_path):
    files = {name: bytes(range(256)) for name in list_files("runs/A")}
    files |= {"classes.cla": cla(), "truth.txt": qrels(), **list_files("runs/B")}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["B"]
    assert any(finding.file == "runs/A" and finding.severity == "error" for finding in benchmark.findings)
