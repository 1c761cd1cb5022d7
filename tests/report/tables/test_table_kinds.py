"""Kinds of tables: values of the scores, order as requested, and the command that repeats a request byte for byte."""

import csv
import io
import json

import numpy as np
import pytest
from sample_benchmark import write_sample_benchmark

from shrec_viewer.cli import main
from shrec_viewer.cli.results import FORMATS
from shrec_viewer.content.confusion import ConfusionRequest
from shrec_viewer.content.contents import TABLES, build_table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.shape_difference import ShapeDifferenceRequest
from shrec_viewer.content.edits import EditedMeansRequest, EditsRequest
from shrec_viewer.content.gain_loss import GainLossRequest
from shrec_viewer.content.heat_map import HeatMapRequest
from shrec_viewer.content.lists import ContingencyRequest, RankedListRequest
from shrec_viewer.content.models import ModelRequest
from shrec_viewer.content.practical import PracticalRequest
from shrec_viewer.content.robustness import UnsettledRequest
from shrec_viewer.content.scores import CalculationRequest, RunScoresRequest, RunsRequest
from shrec_viewer.content.suspects import SuspectsRequest
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.edits import AssessmentEdit, edits_file, level_of, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.scores import UnknownKeyError
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.report.tables.formats import TABLE_FORMATS, table_bytes

NEEDY = ("model", "history", "edits", "edited_means", "difference")
"""Tables that need an option, a project or edits."""

REQUESTS = (
    *(TABLES[kind].request() for kind in TABLES if kind not in NEEDY),
    CalculationRequest(runs=("B1",), queries=("q2",), measure="AP"),
    CalculationRequest(measure="FT", over="classes"),
    ModelRequest(models=("m1",)),
    ModelRequest(models=("m1",), by="false"),
    ShapeDifferenceRequest(models=("m1", "m2")),
    ShapeDifferenceRequest(models=("m3",), queries=("q1", "q2"), mirror=False),
    SuspectsRequest(limit=3, sort="random"),
    UnsettledRequest(by="ties=trec"),
    RunsRequest(sort="-AP", containing="1"),
    RunsRequest(measures=("FT", "AP"), letters=True),
    RunsRequest(over="classes"),
    RunsRequest(over="query", queries=("q2",)),
    RunScoresRequest(over="classes"),
    RunScoresRequest(queries=("q3", "q1"), measures=("AP",)),
    HeatMapRequest(queries=("q2", "q1"), measure="AP", baseline="mean"),
    RankedListRequest(queries=("q3",), scope=3),
    ContingencyRequest(queries=("q1",), scope=2, level=2),
    ConfusionRequest(tier=2),
    PracticalRequest(judged=2, sample=10),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_sample_benchmark(tmp_path_factory.mktemp("tables") / "sample_benchmark")


@pytest.fixture(scope="module")
def data(folder):
    benchmark = read_benchmark(folder)
    profile = find_profile("shrec2006")
    return ContentData(benchmark, profile, evaluate(benchmark, profile))


def cells_of(table):
    return list(csv.reader(io.StringIO(table_bytes(table, "csv").decode())))


def test_choices_of_the_command_are_the_tables():
    assert set(TABLE_FORMATS) == set(FORMATS)


@pytest.mark.parametrize("request_", REQUESTS, ids=lambda request: "-".join(request.arguments("table")))
def test_the_command_of_a_request_writes_the_same_bytes(request_, data, folder, tmp_path):
    form = list(TABLE_FORMATS)[len(request_.arguments("table")) % len(TABLE_FORMATS)]
    output = tmp_path / "table"
    arguments = ["table", str(folder), *request_.arguments("table"), f"--format={form}", f"--output={output}"]
    assert main(arguments) == 0
    assert output.read_bytes() == table_bytes(build_table(data, request_), form)


def test_values_are_those_of_evaluate(data, folder, tmp_path):
    main(["evaluate", str(folder), "--per-query", "--output", str(tmp_path / "scores.json")])
    document = json.loads((tmp_path / "scores.json").read_text())
    runs = json.loads(table_bytes(build_table(data, RunsRequest()), "json"))
    keys = [column["key"] for column in runs["columns"]]
    for row, run in zip(runs["rows"], document["runs"], strict=True):
        assert dict(zip(keys, row, strict=True)) | {"run": run["name"]} == dict(zip(keys, row, strict=True))
        for key, value in run["mean"].items():
            assert row[keys.index(key)] == value
    name = document["runs"][1]["name"]
    one = json.loads(table_bytes(build_table(data, RunScoresRequest(runs=(name,))), "json"))
    keys = [column["key"] for column in one["columns"]]
    for row in one["rows"]:
        for key, value in document["runs"][1]["queries"][row[0]].items():
            assert row[keys.index(key)] == value


def test_rows_and_columns_are_in_the_order_requested(data):
    runs = data.evaluated.runs[::-1]
    rows = cells_of(build_table(data, RunsRequest(runs=runs, measures=("FT", "AP"))))
    assert [row[0] for row in rows[1:]] == list(runs)
    assert rows[0][-2:] == ["FT", "AP"]
    rows = cells_of(build_table(data, HeatMapRequest(runs=runs[:1], queries=("q3", "q1"))))
    assert rows[0] == ["run", "q3", "q1", "mean"]
    assert [row[0] for row in rows[1:]] == [runs[0]]


def test_a_heat_map_of_differences_subtracts_the_baseline(data):
    scores = data.evaluated
    values = scores.values[:, :, scores.column("AP")]
    rows = cells_of(build_table(data, HeatMapRequest(measure="AP", baseline="mean")))
    shown = np.array([[float(cell or "nan") for cell in row[1:-1]] for row in rows[1:]])
    assert shown == pytest.approx(values - np.nanmean(values, axis=0), abs=1e-15, nan_ok=True)
    rows = cells_of(build_table(data, HeatMapRequest(measure="AP", baseline=scores.runs[1])))
    assert {float(cell) for cell in rows[2][1:] if cell} == {0.0}


def test_missed_models_of_a_ranked_list_have_no_rank(data):
    rows = cells_of(build_table(data, RankedListRequest()))
    ranks = [row[0] for row in rows[1:]]
    known = [rank for rank in ranks if rank]
    assert known == [str(rank) for rank in range(1, len(known) + 1)]
    assert ranks == known + [""] * (len(ranks) - len(known))


@pytest.mark.parametrize(
    "request_",
    [
        RunScoresRequest(queries=("absent",)),
        RankedListRequest(runs=("absent",)),
        GainLossRequest(runs=("A1",)),
    ],
)
def test_unknown_names_are_errors(request_, data):
    with pytest.raises((ShrecViewerError, UnknownKeyError)):
        build_table(data, request_)


def test_rows_are_sorted_and_filtered_as_requested(data):
    shown = cells_of(build_table(data, RunsRequest(measures=("AP",), sort="AP")))
    values = [float(row[-1]) for row in shown[1:]]
    assert values == sorted(values)
    name = data.evaluated.runs[1]
    assert [row[0] for row in cells_of(build_table(data, RunsRequest(containing=name.lower())))[1:]] == [name]
    letters = build_table(data, RunsRequest(measures=("AP",), letters=True, sort="-run"))
    plain = build_table(data, RunsRequest(measures=("AP",), letters=True))
    (column,) = letters.letters
    assert list(letters.letters[column]) == list(plain.letters[column])[::-1]
    with pytest.raises(ShrecViewerError, match="no column 'absent'"):
        build_table(data, RunsRequest(sort="absent"))


def test_the_ranks_of_a_model_are_those_of_the_lists(data):
    benchmark = data.benchmark
    table = build_table(data, ModelRequest(models=("m1",)))
    for query, _class, level, *ranks in table.rows:
        index = benchmark.queries.index[query]
        for run, rank in zip(benchmark.runs, ranks, strict=True):
            items = ranked_list(benchmark, run, index, data.profile).items.tolist()
            item = benchmark.collection.index["m1"]
            assert rank == (items.index(item) + 1 if item in items else None)
        assert level == level_of(benchmark, index, benchmark.collection.index["m1"])


def test_the_first_row_of_a_calculation_is_the_score(data):
    scores = data.evaluated
    for query in (*scores.queries, ""):
        queries = (query,) if query else ()
        table = build_table(data, CalculationRequest(runs=("B1",), queries=queries, measure="AP"))
        run, column = scores.run_index("B1"), scores.column("AP")
        expected = scores.values[run, scores.queries.index(query), column] if query else scores.mean()[run, column]
        assert table.rows[0][-1] == pytest.approx(expected, nan_ok=True) or np.isnan(expected)
        parts = [row[-1] for row in table.rows[1:] if row[0].startswith("rank ") or not query]
        if query and not np.isnan(expected):
            assert sum(parts) == pytest.approx(expected)  # average precision is the sum of its contributions


def test_means_before_edits_are_those_without_them(data, folder, tmp_path):
    edits = (AssessmentEdit("q1", "m3", 1, 0, "A. B.", "2026-11-23T10:00:00Z", "no cat"),)
    edited = with_edits(data.benchmark, edits)
    profile = data.profile
    changed = ContentData(edited, profile, evaluate(edited, profile), edits=edits)
    table = build_table(changed, EditedMeansRequest(measure="AP"))
    scores = data.evaluated
    for run, before, after, change, _old, _new in table.rows:
        assert before == scores.mean()[scores.run_index(run), scores.column("AP")]
        assert after == changed.evaluated.mean()[scores.run_index(run), changed.evaluated.column("AP")]
        assert change == after - before
    path = tmp_path / "edits.json"
    path.write_text(edits_file(edits), encoding="utf-8")
    for request in (EditsRequest(), EditedMeansRequest(measure="AP")):
        output = tmp_path / f"{request.kind}.csv"
        arguments = [*request.arguments("table"), f"--edits={path}", f"--output={output}"]
        assert main(["table", str(folder), *arguments]) == 0
        assert output.read_bytes() == table_bytes(build_table(changed, request), "csv")


def test_tables_that_need_something_else_are_one_message(folder, capsys):
    for arguments, message in (
        (("model",), "choose a model"),
        (("model", "--model", "absent"), "no model 'absent'"),
        (("edited_means",), "has no edits"),
        (("model", "--model", "m1", "--by", "absent"), "'absent' is none of relevant, false"),
        (("unsettled", "--by", "absent"), "no change 'absent'"),
    ):
        assert main(["table", str(folder), *arguments]) in (1, 2), arguments
        error = capsys.readouterr().err
        assert message in error
        assert "Traceback" not in error
