"""A run format or truth format is one row: it works from folder, file, benchmark.toml, preview, reload and drop."""

import json

import numpy as np
import pytest
from made_folders import IDS, QUERIES, benchmark_files, cla, labels, list_files, order, query_classes, write

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.formats.core.findings_log import RUN_IGNORED
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.core.reader import Match, TruthReader
from shrec_viewer.formats.discovery import reader_table
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark, reload_run
from shrec_viewer.formats.discovery.recognition import is_run
from shrec_viewer.formats.preview.preview import preview
from shrec_viewer.formats.runs.list_run import ranked_list_reader
from shrec_viewer.formats.truth.class_tables import label_table_of


def read_jsonl(path):
    """Lists of a file with one JSON object per line."""
    rows = map(json.loads, path.read_text().splitlines())
    return {row["query"]: row["results"] for row in rows}


def recognise_jsonl(data, name):
    return data.lstrip().startswith(b'{"query":')


JSONL = ranked_list_reader("jsonl", "JSON lines", recognise_jsonl, read_jsonl, (".jsonl",))


@pytest.fixture
def jsonl(monkeypatch):
    monkeypatch.setattr(reader_table, "READERS", (JSONL, *reader_table.READERS))


def jsonl_text(*, distances=False):
    lines = []
    for query in QUERIES:
        names = order(query)
        results = [[name, 0.5 * rank] for rank, name in enumerate(names)] if distances else names
        lines.append(json.dumps({"query": query, "results": results}) + "\n")
    return "".join(lines)


def check_lists(benchmark, run):
    assert run.present.all()
    for query, name in enumerate(benchmark.queries.ids):
        items = run.ranking.items[run.ranking.rows(query)]
        assert [benchmark.collection.ids[item] for item in items] == order(name)


@pytest.mark.parametrize("distances", [False, True])
def test_a_run_of_a_new_format_is_found_in_a_folder(distances, jsonl, tmp_path):
    write(tmp_path, {**benchmark_files(), "runs/A1.jsonl": jsonl_text(distances=distances)})
    benchmark = read_benchmark(tmp_path)
    (run,) = benchmark.runs
    assert run.source == tmp_path / "runs/A1.jsonl"
    assert run.name == "A1"
    check_lists(benchmark, run)
    assert (run.ranking.distances is not None) == distances
    (finding,) = [found for found in benchmark.findings if found.file == "runs/A1.jsonl"]
    assert (finding.severity, finding.message) == (Severity.INFO, "JSON lines: 12 ranked lists")


def test_a_single_file_of_a_new_format_is_a_benchmark(jsonl, tmp_path):
    write(tmp_path, {"A1.jsonl": jsonl_text()})
    benchmark = read_benchmark(tmp_path / "A1.jsonl")
    assert set(benchmark.queries.ids) == set(QUERIES)
    assert set(benchmark.collection.ids) == set(IDS)
    check_lists(benchmark, benchmark.runs[0])


def test_a_missing_file_and_a_folder_have_the_messages_of_other_formats(tmp_path):
    with pytest.raises(FormatError, match=r"absent\.jsonl: does not exist$"):
        JSONL.read(tmp_path / "absent.jsonl")
    with pytest.raises(FormatError, match=r"is a folder, not a file$"):
        JSONL.read(tmp_path)


def test_a_new_format_can_be_named(jsonl, tmp_path):
    write(tmp_path / "b", {**benchmark_files(), "benchmark.toml": '[[runs]]\npath = "../A1"\nformat = "jsonl"\n'})
    write(tmp_path, {"A1": "\n" + jsonl_text()})
    with pytest.raises(FormatError, match="cannot be read as JSON lines: Expecting value"):
        JSONL.read(tmp_path / "A1")
    write(tmp_path, {"A1": jsonl_text()})
    benchmark = read_benchmark(tmp_path / "b")
    check_lists(benchmark, benchmark.runs[0])
    (tmp_path / "b" / "benchmark.toml").unlink()
    benchmark = read_benchmark(tmp_path / "b", BenchmarkParts(runs=tmp_path / "A1"))
    check_lists(benchmark, benchmark.runs[0])


def test_a_new_format_is_previewed_reloaded_and_dropped(jsonl, tmp_path):
    write(tmp_path, {**benchmark_files(), "runs/A1.jsonl": jsonl_text()})
    benchmark = read_benchmark(tmp_path)
    path = tmp_path / "runs/A1.jsonl"
    shown = preview(path, ReadOptions(), benchmark)
    assert (shown.format, shown.label, shown.problem) == ("jsonl", "JSON lines", "")
    assert shown.summary == "12 queries with up to 24 models"
    assert [row.cells[0] for row in shown.rows] == list(QUERIES)
    assert [column.meaning for column in shown.columns[:2]] == ["query", "id"]
    assert "jsonl" in [option.key for option in shown.questions[0].alternatives]
    assert is_run(path)
    write(tmp_path, {"runs/A1.jsonl": jsonl_text(distances=True)})
    assert reload_run(benchmark, 0).run.ranking.distances is not None
    write(tmp_path, {"runs/A1.jsonl": '{"query": "Q1", "results": ["N1"]}\n{"query": "Q2"}\n'})
    with pytest.raises(FormatError, match=r"A1\.jsonl: cannot be read as JSON lines: 'results'"):
        reload_run(benchmark, 0)


def test_a_faulty_run_of_a_new_format_is_a_finding(jsonl, tmp_path):
    unknown = json.dumps({"query": "Q1", "results": ["x", "y"]})
    files = {"runs/A1.jsonl": unknown + "\n", "runs/A2.jsonl": '{"query": 1}\n'}
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), **files}))
    assert benchmark.runs == ()
    errors = {finding.file: finding for finding in benchmark.findings if finding.severity is Severity.ERROR}
    assert set(errors) == set(files)
    assert errors["runs/A1.jsonl"].key == RUN_IGNORED
    assert errors["runs/A2.jsonl"].message == "cannot be read as JSON lines: 'results'"


def _match_name(data, name):
    return Match.IF_IDS_KNOWN if name.endswith(".jsonl") else Match.NO


def test_a_format_that_is_not_certain_is_a_run_only_with_known_queries(monkeypatch, tmp_path):
    row = ranked_list_reader("jsonl", "JSON lines", _match_name, read_jsonl, (".jsonl",))
    monkeypatch.setattr(reader_table, "READERS", (row, *reader_table.READERS))
    log = json.dumps({"query": "select", "results": ["a", "b"]}) + "\n"
    files = {**benchmark_files(), **list_files(), "runs/B.jsonl": jsonl_text(), "log.jsonl": log}
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["A1", "B"]
    assert not benchmark.has_errors


def test_a_truth_format_is_one_row(monkeypatch, tmp_path):
    def read(path):
        classes = json.loads(path.read_text())["classes"]
        return label_table_of(path, list(classes), list(classes.values()))

    row = TruthReader("jsontruth", "JSON", (".json",), lambda head: head.data.startswith(b'{"classes"'), read)
    monkeypatch.setattr(reader_table, "READERS", (row, *reader_table.READERS))
    files = {"models.json": json.dumps({"classes": labels()}), "queries.json": json.dumps({"classes": query_classes()})}
    benchmark = read_benchmark(write(tmp_path, {**files, **list_files()}))
    reference = read_benchmark(write(tmp_path / "other", {**benchmark_files(), **list_files(), "models.cla": cla()}))
    assert set(benchmark.collection.ids) == set(IDS)
    assert benchmark.assessment is not None
    assert reference.assessment is not None
    tree = benchmark.classification
    assert {name: tree.names[at] for name, at in zip(benchmark.collection.ids, tree.labels, strict=True)} == labels()
    assert np.all(benchmark.queries.labels >= 0)
    parts = BenchmarkParts(classification=tmp_path / "models.json", queries=tmp_path / "queries.json")
    write(tmp_path / "runs_only", list_files())
    named = read_benchmark(tmp_path / "runs_only", parts)
    assert named.collection.ids == benchmark.collection.ids


def test_rows_of_other_packages_come_first():
    """`shrec_viewer.plugins` loads them; see tests/test_plugins.py."""
    reader_table.set_extra_readers([JSONL])
    try:
        assert reader_table.all_readers() == (JSONL, *reader_table.READERS)
        assert reader_table.find_reader("jsonl") is JSONL
        assert JSONL in reader_table.run_readers()
    finally:
        reader_table.set_extra_readers([])
