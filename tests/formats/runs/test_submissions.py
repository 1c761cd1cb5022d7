"""A submission in one table is the same run as the folder of its lists; what is odd in it is said with its line."""

import json

import numpy as np
import pytest
from made_folders import IDS, NATURAL, QUERIES, benchmark_files, distances, list_files, order, write

from shrec_viewer.domain import Severity
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.formats.discovery.recognition import recognise_format
from shrec_viewer.formats.io.text import read_file_head


def table(separator=",", head="", word=str, end="\n", queries=QUERIES, *, cell=False):
    """Text of a submission; `cell`: the models of a query are in one cell."""
    lines = [f"{query}{separator}{(' ' if cell else separator).join(map(word, order(query)))}" for query in queries]
    return end.join([*([head] if head else []), *lines]) + end


DIALECTS = {
    "commas": {},
    "semicolons": {"separator": ";"},
    "tabs": {"separator": "\t"},
    "commas and blanks": {"separator": ", "},
    "CR LF": {"end": "\r\n"},
    "a header": {"head": "queryid," + ",".join(f"rank{place}id" for place in range(1, 25))},
    "file names": {"word": lambda name: f"{name}.obj"},
    "other zeros": {"word": lambda name: f"N00{name[1:]}"},
    "bare numbers": {"word": lambda name: name[1:]},
    "commas at the end": {"end": ",\n"},
    "padding": {"end": ",-1,-1\n"},
    "blanks": {"separator": " "},
    "blanks with a header": {"separator": " ", "head": "query " + " ".join(f"rank{place}" for place in range(1, 25))},
    "bare numbers after blanks": {"separator": "  ", "word": lambda name: name[1:]},
    "padding after blanks": {"separator": " ", "end": " -1 -1\n"},
    "models in one cell": {"cell": True},
    "models in one cell with a header": {"cell": True, "head": "id,images"},
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_table_equals_run_of_lists(dialect, tmp_path):
    lists = read_benchmark(write(tmp_path / "lists", {**benchmark_files(), **list_files("runs/S", line="{id}")}))
    files = {**benchmark_files(), "runs/S.csv": table(**DIALECTS[dialect])}
    benchmark = read_benchmark(write(tmp_path / "table", files))
    (run,) = benchmark.runs
    assert run.name == "S"
    for attribute, value in vars(lists.runs[0].ranking).items():
        np.testing.assert_array_equal(getattr(run.ranking, attribute), value, attribute)
    assert not [finding for finding in benchmark.findings if finding.severity is not Severity.INFO]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("{query} Q0 {model} {rank} {score} tag", "trec"),
        ("{query} {model} {score}", "long"),
        ("{query} {model} {rank} {score}", "long"),
        ("{query} 0 {model} {level}", "qrels"),
        ("{model} C1 S2 T3", "rank_list"),
    ],
)
def test_other_lines_of_blanks_are_no_submission(line, key, tmp_path):
    rows = [(query, rank, model) for query in QUERIES for rank, model in enumerate(order(query), 1)]
    text = "".join(
        line.format(query=query, model=model, rank=rank, score=1.5 / rank, level=rank % 2) + "\n"
        for query, rank, model in rows
    )
    (tmp_path / "a.txt").write_text(text)
    found = recognise_format(read_file_head(tmp_path / "a.txt"))
    assert found != "submission"
    assert key in (found, "rank_list")


def test_lists_of_few_common_models_are_read_if_they_are_named(tmp_path):
    text = "".join(f"{query} {' '.join(order(query)[:4])}\n" for query in QUERIES[:3])
    root = write(tmp_path, {**benchmark_files(), "S.txt": text})
    (run,) = read_benchmark(root, BenchmarkParts(runs=root / "S.txt")).runs
    assert run.present[:3].all()
    assert np.diff(run.ranking.indptr)[:3].tolist() == [4, 4, 4]


def test_table_alone_defines_queries_and_models(tmp_path):
    benchmark = read_benchmark(write(tmp_path, {"S.csv": table()}))
    assert set(benchmark.queries.ids) == set(QUERIES)
    assert set(benchmark.collection.ids) == set(IDS)
    assert benchmark.runs[0].present.all()


def test_a_first_row_that_names_no_query_is_a_header(tmp_path):
    text = "scene_id,1st,2nd\n" + table()
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "S.csv": text}))
    found = [(f.line, f.message, f.action) for f in benchmark.findings if f.severity is Severity.WARNING]
    assert found == [(1, "1 row of unknown queries: scene_id", "left out; probably a header")]


def test_faults_are_findings_with_line(tmp_path):
    lines = table().splitlines()
    lines[2] = lines[2].replace("Q3,", "Q99,")
    lines[4] = ",".join(lines[4].split(",")[:5])
    words = lines[6].split(",")
    lines[6] = ",".join([*words[:5], words[1], "N777", *words[5:]])
    lines.append(lines[0])
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "S.csv": "\n".join(lines)}))
    reported_findings = {
        (f.severity.value, f.line, f.message) for f in benchmark.findings if f.severity is not Severity.INFO
    }
    assert ("error", 13, "duplicate list of 'Q1' (first in line 1)") in reported_findings
    assert ("warning", 3, "1 row of unknown queries: Q99") in reported_findings
    assert ("warning", None, "1 query has no list: Q3") in reported_findings
    assert any(line == 7 and "N777" in message for _, line, message in reported_findings)
    assert any(line == 7 and f"'{words[1]}'" in message for _, line, message in reported_findings)
    assert ("warning", 5, "1 list is shorter than the others (24 models), and may be truncated: 'Q5' (4)") in (
        reported_findings
    )
    assert len(reported_findings) == 6


def test_other_tables_are_no_submissions(tmp_path):
    files = {
        **benchmark_files(),
        "scores.csv": "run,NN,FT,ST,DCG\nA1,0.5,0.25,0.75,0.125\nB2,0.4,0.3,0.2,0.1\n",
        "people.csv": "team,name,mail,city,year\nA,Ann,ann@x,Rome,2019\nB,Bob,bob@x,Oslo,2020\n",
        "ranks.csv": "1,3,2,4,5\n2,1,3,5,4\n3,2,1,4,5\n",
    }
    benchmark = read_benchmark(write(tmp_path, files))
    assert benchmark.runs == ()
    assert not [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]


LONG = {
    "distances": ("query,model,distance\n", "{query},{model},{distance:.6f}\n", "info"),
    "similarities": ("qid;docid;score\n", "{query};{model};-{distance:.6f}\n", "info"),
    "ranks": ("query\tmodel\trank\n", "{query}\t{model}\t{rank}\n", "info"),
    "no header": ("", "{query},{model},{distance:.6f}\n", "warning"),
}


@pytest.mark.parametrize("dialect", LONG)
def test_table_of_pairs_in_any_row_order_is_a_run(dialect, tmp_path):
    header, line, severity = LONG[dialect]
    rows = []
    for query in QUERIES:
        for model in NATURAL:
            value = distances((query,), (model,))[0, 0]
            rows.append(line.format(query=query, model=model, distance=value, rank=1 + order(query).index(model)))
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "A1.csv": header + "".join(rows)}))
    if not header:  # used once it is named
        assert benchmark.runs == ()
        (found,) = [finding for finding in benchmark.findings if finding.file == "A1.csv"]
        assert found.message.startswith("rows of a query, a model and a number, such as 'Q1, N1, ")
        assert 'format = "long"' in found.setting.lines
        write(tmp_path, {"benchmark.toml": '[[runs]]\npath = "A1.csv"\nformat = "long"\n'})
        benchmark = read_benchmark(tmp_path)
    (run,) = benchmark.runs
    for query, name in enumerate(benchmark.queries.ids):
        listed = [benchmark.collection.ids[item] for item in run.ranking.items[run.ranking.rows(query)]]
        assert listed == order(name)
    reported_findings = [finding for finding in benchmark.findings if finding.file == "A1.csv"]
    assert [finding.severity for finding in reported_findings] == [severity]
    assert reported_findings[0].message.startswith("table of 288 pairs of a query and a model")


@pytest.mark.parametrize("name", ["A1.json", "A1.txt"])
def test_lists_keyed_by_query_are_a_run(name, tmp_path):
    lists = {query: order(query) for query in QUERIES}
    text = "".join(f"{query}: {' '.join(ids)}\n" for query, ids in lists.items())
    text = json.dumps(lists) if name.endswith("json") else text
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), name: text}))
    (run,) = benchmark.runs
    assert run.name == "A1"
    for query, query_names in enumerate(benchmark.queries.ids):
        listed = [benchmark.collection.ids[item] for item in run.ranking.items[run.ranking.rows(query)]]
        assert listed == order(query_names)


def test_a_table_of_one_query_in_a_folder_of_lists_stays_a_list(tmp_path):
    files = {
        f"runs/A1/{query}": "".join(f"{query},{model},{place / 7:.4f}\n" for place, model in enumerate(order(query)))
        for query in QUERIES
    }
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    assert [run.name for run in benchmark.runs] == ["A1"]
    assert benchmark.runs[0].ranking.present.all()


def test_rows_without_query_are_reported(tmp_path):
    rows = "".join(",".join(order(query)) + "\n" for query in QUERIES)
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **list_files(), "rows.csv": rows}))
    assert [run.name for run in benchmark.runs] == ["A1"]
    reported_findings = [finding for finding in benchmark.findings if finding.file == "rows.csv"]
    assert any("no query" in f.message or "begins with a query" in f.message for f in reported_findings), (
        reported_findings
    )
    assert all(finding.severity is not Severity.INFO for finding in reported_findings)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("query,model,distance\nx1,N1,0.5\nx1,N2,1.5\n", "queries is known, for example 'x1', while 'Q1' is a query"),
        (
            "Q1 Q0 y1 1 0.5 t\nQ2 Q0 y2 1 0.5 t\n",
            "ids is a model of the collection, for example 'y1', while 'N9' is a model; by the number in it 'y1' would "
            "be 'N1'",
        ),
        (
            "x1,N1,N2,N3\nx2,N3,N2,N1\n",
            "rows begins with a query, for example 'x1', while 'Q1' is a query; by the number in it 'x1' would be 'Q1'",
        ),
        (
            "Q1,y91,y92,y3\nQ2,y3,y92,y91\n",
            "ids is a model of the collection, for example 'y91', while 'N9' is a model",
        ),
    ],
)
def test_unknown_ids_are_quoted_with_known_ones(text, message, tmp_path):
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "A1.csv": text}))
    assert [f.message for f in benchmark.findings if f.severity is Severity.ERROR] == [f"none of its {message}"]


def test_json_integer_beyond_float_is_infinite(tmp_path):
    huge = "9" * 400
    scores = ", ".join(f'"N{k}": {huge if k == 1 else f"-{huge}" if k == 2 else k}' for k in range(1, 25))
    text = "{" + ", ".join(f'"Q{k}": {{{scores}}}' for k in range(1, 13)) + "}"
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "S.json": text}))
    assert [run.name for run in benchmark.runs] == ["S"]
    assert any("infinite" in finding.message for finding in benchmark.findings)
