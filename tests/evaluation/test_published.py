"""Published scores beside ours: printed numbers, headings, per cent, differences, agreement, runs without a row."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from independent_loaders import load_shrec06

from shrec_viewer.charts.table import Table
from shrec_viewer.content.contents import build_table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.scores import LeaderboardRequest, RunsRequest, leaderboard
from shrec_viewer.domain import FormatError, PublishedTable, Severity
from shrec_viewer.evaluation.comparison.published import (
    measure_of_title,
    printed_number,
    published_columns,
    published_findings,
    published_rows,
)
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.score_tables import published_records, scores_document, scores_rows, with_published_rows
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.truth.published import read_published
from shrec_viewer.metrics import UnknownKeyError, find_measure, find_profile
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.report.tables.formats import table_bytes
from shrec_viewer.resources import resource

MADR = """Rank,Run code,MADR value
1,M2,0.5498626
2,M1,0.54084843
3,D1,0.5242406
4,C1,0.50018275
5,P1,0.49523294
"""


def table(text, tmp_path, name="table.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return read_published(path)


def made(titles, rows):
    """A table of rows (name, *cells)."""
    names = tuple(row[0] for row in rows)
    return PublishedTable(
        "t.csv", tuple(titles), names, tuple(tuple(row[1:]) for row in rows), (*range(1, len(rows) + 2),)
    )


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("0.364", 0.364, 1e-3),
        ("0,364", 0.364, 1e-3),
        (".5", 0.5, 0.1),
        ("64.28%", 64.28, 0.01),
        ("64.28 %", 64.28, 0.01),
        ("12", 12, 1),
        ("-0.5", -0.5, 0.1),
        ("−0.5", -0.5, 0.1),
        ("1.5e-3", 0.0015, 1e-4),
        ("**0.512**", 0.512, 1e-3),
        ("0.512†", 0.512, 1e-3),
        ("0.512 ± 0.01", 0.512, 1e-3),
        ("0.512 (2)", 0.512, 1e-3),
    ],
)
def test_printed_numbers(cell, value, unit):
    assert printed_number(cell) == pytest.approx((value, unit))


@pytest.mark.parametrize("cell", ["", "-", "–", "—", "n/a", "NaN"])
def test_empty_cells_are_undefined(cell):
    assert all(map(math.isnan, printed_number(cell)))


@pytest.mark.parametrize("cell", ["late", "1.2.3", "0x10", "1_000", "5 of 7", "±", "inf"])
def test_other_cells_are_no_numbers(cell):
    assert printed_number(cell) is None


@given(value=st.floats(0, 1), digits=st.integers(0, 9))
def test_a_rounded_value_always_agrees_and_another_one_never(value, digits):
    """The law of rounding: text printed from a value agrees with it, and one unit away it does not."""
    measures = [find_measure("AP")]
    for shift, agrees in ((0.0, True), (1.01 * 10.0**-digits, False)):
        rows = published_rows(
            [made(["AP"], [("A", f"{value:.{digits}f}")])], ["A"], measures, np.array([[value + shift]])
        )
        assert bool(rows[0].agrees[0]) is agrees
        assert (rows[0].mark(0) == "=") is agrees


def test_decimals_are_those_of_the_file():
    """Values of seven decimals, of one, and in per cent, beside computed ones with three; differences likewise."""
    measures, ours = [find_measure("FT")], np.array([[0.5498620], [0.56], [0.64]])
    cells = [("A", "0.5498626"), ("B", "0.5"), ("C", "64.28 %")]
    rows = published_rows([made(["FT"], cells)], ["A", "B", "C"], measures, ours)
    assert [int(row.decimals[0]) for row in rows] == [7, 1, 4]
    assert [row.mark(0) for row in rows] == ["+0.0000006", "-0.060", "+0.0028"]


def lines_of(table, form="table"):
    return [" ".join(line.split()) for line in table_bytes(table, form).decode().splitlines()]


def test_tables_print_published_values_as_the_file(tmp_path):
    """In text with the decimals of the file, whatever those of the table; in per cent with two fewer; in data all."""
    benchmark, profile = read_benchmark(resource("demo")), find_profile("shrec2006")
    published = table("run,FT,AP\nA1,0.38196,0.4\nNew,12.5 %,\n", tmp_path)
    data = ContentData(replace(benchmark, published=(published,)), profile, evaluate(benchmark, profile))
    shown = lines_of(build_table(data, RunsRequest(measures=("FT", "AP"))).with_digits(2))
    assert [line for line in shown if "table.csv" in line] == [
        "A1 (table.csv) - 0.38196 +0.07169 0.4 =", "New (table.csv) - 0.125 -"
    ]  # fmt: skip
    shown = lines_of(build_table(data, RunsRequest(measures=("FT",), percent=True)))
    assert [line.split()[3] for line in shown if "table.csv" in line] == ["38.196", "12.5"]
    assert (
        "New (table.csv),,0.125,,,"
        in table_bytes(build_table(data, RunsRequest(measures=("FT", "AP"))), "csv").decode()
    )


def test_bars_of_published_values(tmp_path):
    """Below the bar of their run, in the order of the runs; those of other methods last, on the same scale."""
    benchmark, profile = read_benchmark(resource("demo")), find_profile("shrec2006")
    published = table("run,AP\nA1,0.41234\nNew,0.99\nB2,0.7\n", tmp_path)
    data = ContentData(replace(benchmark, published=(published,)), profile, evaluate(benchmark, profile))
    chart = leaderboard(data, LeaderboardRequest(measure="AP"))
    names = [bar.name for bar in chart.bars]
    own = [name for name in names if "table.csv" not in name]
    assert own == [data.scores.runs[row] for row in data.scores.order_by("AP")]
    assert names[names.index("A1") + 1] == "A1 (table.csv)"
    assert names[names.index("B2") + 1] == "B2 (table.csv)"
    assert names[-1] == "New (table.csv)"
    values = {bar.name: bar for bar in chart.bars}
    assert (values["A1 (table.csv)"].value, values["A1 (table.csv)"].decimals) == (0.41234, 5)
    assert values["A1"].decimals is None
    assert chart.limits[1] == 0.99
    assert "0.41234" in figure_bytes(chart, "svg", 174.0, dpi=40).decode()


def test_half_a_unit_of_the_last_digit_by_hand():
    """0.36 stands for [0.355, 0.365]; 36 % for the same; 0.364 and 36.4 % for [0.3635, 0.3645]."""
    measures, ours = [find_measure("AP")], np.array([[0.365], [0.3651], [0.3645], [0.3646]])
    names = ["A", "B", "C", "D"]
    cells = [("A", "0.36"), ("B", "36 %"), ("C", "36.4%"), ("D", "0.364")]
    rows = published_rows([made(["AP"], cells)], names, measures, ours)
    assert [bool(row.agrees[0]) for row in rows] == [True, False, True, False]
    assert [row.mark(0) for row in rows] == ["=", "-0.005", "=", "-6e-04"]


@pytest.mark.parametrize(
    ("title", "key"),
    [
        ("MADR value", "ADR"),
        ("MAP", "AP"),
        ("mAP [%]", "AP"),
        ("First Tier (%)", "FT"),
        ("First Tier(highly relevant)", "FT(rel=2)"),
        ("First Tier (relevant)", "FT"),
        ("Mean First Tier", "FT"),
        ("Mean Average Precision (highly relevant)", "AP(rel=2)"),
        ("Average precision", "AP"),
        ("nDCG@5 ↑", "NDCG@5"),
        ("ndcg_cut_100", "NDCG@100"),
        ("E-measure", "E@32"),
        ("Nearest Neighbor", "NN"),
    ],
)
def test_headings_are_found_as_everywhere(title, key):
    assert measure_of_title(title).key == key


def test_a_heading_without_a_measure_is_a_finding_with_the_nearest_name():
    with pytest.raises(UnknownKeyError):
        measure_of_title("Votes")
    columns, findings = published_columns(made(["nDGC@5", "Votes"], [("A", "0.5", "3")]))
    assert [column.measure for column in columns] == [None, None]
    assert [str(finding) for finding in findings] == [
        "t.csv:1: warning: the column 'nDGC@5' is named after no measure; do you mean 'NDCG'?; ignored",
        "t.csv:1: warning: the column 'Votes' is named after no measure; ignored",
    ]


@pytest.mark.parametrize(
    ("title", "cells", "values", "line", "message", "action"),
    [
        ("AP", ("41", "73"), (0.41, 0.73), 2, "'41' in {} of a measure up to 1", "the column is read as per cent"),
        ("AP (%)", ("41.1", "0.5"), (0.411, 0.005), 1, "per cent in {}", "read as shares"),
        ("AP", ("41.1 %", "0.5"), (0.411, 0.5), 1, "per cent in {}", "read as shares"),
        ("AP", ("0,411", "1"), (0.411, 1.0), 1, "decimal commas in {}", "read as decimal points"),
        ("FP", ("41.1", "73"), (41.1, 73), None, "", ""),
        ("AP", ("late", "0.5"), (math.nan, 0.5), 2, "'late' in {} is not a number", "read as undefined"),
        ("AP", ("-0.2", "0.5"), (math.nan, 0.5), 2, "'-0.2' in {} is outside the range of AP", "read as undefined"),
        ("AP", ("1e400", "0.5"), (math.nan, 0.5), 2, "'1e400' in {} is outside the range of AP", "read as undefined"),
        ("AP", ("841", "0.5"), (math.nan, 0.5), 2, "'841' in {} is outside the range of AP", "read as undefined"),
        ("AP", ("62.9", "0.5"), (0.629, 0.005), 2, "'62.9' in {} of a measure up to 1",
         "the column is read as per cent, also 1 value up to 1"),
        ("AP", ("late", "?!"), (math.nan, math.nan), 2, "'late' (and 1 other cell) in {} is not a number",
         "read as undefined"),
        ("AP", ("-3", "-2"), (math.nan, math.nan), 2, "'-3' (and 1 other cell) in {} is outside the range of AP",
         "read as undefined"),
        ("AP", ("841", "5"), (math.nan, 0.05), 2, "'841' in {} is outside the range of AP", "read as undefined"),
    ],
)  # fmt: skip
def test_scales_and_wrong_cells_are_said(title, cells, values, line, message, action):
    columns, findings = published_columns(made([title], [("A", cells[0]), ("B", cells[1])]))
    np.testing.assert_allclose(columns[0].values, values)
    said = [(finding.line, finding.message, finding.action) for finding in findings]
    assert said[-1:] == ([] if line is None else [(line, message.format(f"the column '{title}'"), action)])


def test_a_second_column_of_a_measure_is_not_used():
    columns, findings = published_columns(made(["MAP", "AP"], [("A", "0.4", "0.5")]))
    assert [str(finding) for finding in findings] == [
        "t.csv:1: warning: the column 'AP' is another one of AP; the first one is used"
    ]
    (row,) = published_rows(
        [made(["MAP", "AP"], [("A", "0.4", "0.5")])], ["A"], [columns[0].measure], np.array([[0.4]])
    )
    assert row.values.tolist() == [0.4]


def test_the_printed_table_of_2006(tmp_path):
    """The runs are in the column of codes, not in that of ranks; the ranks are no scores."""
    found = table(MADR, tmp_path)
    assert (found.titles, found.names) == (("MADR value",), ("M2", "M1", "D1", "C1", "P1"))
    assert found.lines == (1, 2, 3, 4, 5, 6)
    columns, findings = published_columns(found)
    assert (columns[0].measure.key, findings) == ("ADR", [])
    np.testing.assert_allclose(columns[0].units, [1e-7, 1e-8, 1e-7, 1e-8, 1e-8])


def test_names_without_a_heading_are_the_first_texts(tmp_path):
    assert table("no;Team entry;NN\n1;A1;0.5\n2;B2;0.4\n", tmp_path).names == ("A1", "B2")
    assert table("Method\tRun\tNN\nD2\tA1\t0.5\nSH\tB2\t0.4\n", tmp_path).names == ("A1", "B2")  # runs before methods
    assert table("Method,NN,remark\nD2,0.5,good\nSH,0.4,\n", tmp_path).titles == ("NN",)


def test_runs_are_matched_without_case_if_not_exactly():
    measures, values = [find_measure("AP")], np.array([[0.1], [0.2], [0.3]])
    rows = published_rows(
        [made(["AP"], [("a", "0.1"), ("A", "0.1"), ("b2", "0.1"), ("x", "0.1")])], ["A", "a", "B2"], measures, values
    )
    assert [row.run for row in rows] == [1, 0, 2, -1]
    assert [row.mark(0) for row in rows] == ["-0.100", "=", "-0.200", ""]


@pytest.fixture(scope="module")
def scores(tmp_path_factory):
    """Scores of three runs of SHREC 2006 beside a table with two of them and another method."""
    path = tmp_path_factory.mktemp("published") / "my table.csv"
    path.write_text("Run,MADR,MAP (highly relevant),NN\nA1,0.2332,15.00 %,\nB2,0.3700,,\nDaras,0.5242,,\n")
    benchmark = replace(load_shrec06(), published=(read_published(path),))
    return evaluate(benchmark, find_profile("shrec2006"), runs=["A1", "B2", "G1"], measures=["ADR", "AP(rel=2)", "AP"])


def test_the_reference_values_agree(scores):
    """0.2332 and 0.1500 are printed in the description of the data; 0.3700 is not 0.3641."""
    records = {record["name"]: record for record in published_records(scores)}
    assert {name: record["run"] for name, record in records.items()} == {"A1": "A1", "B2": "B2", "Daras": None}
    a1, b2, daras = (records[name]["values"] for name in ("A1", "B2", "Daras"))
    assert (a1["ADR"]["agrees"], a1["AP(rel=2)"]["agrees"]) == (True, True)
    assert a1["AP(rel=2)"]["value"] == 0.15
    assert (b2["ADR"]["agrees"], set(b2)) == (False, {"ADR"})
    assert b2["ADR"]["difference"] == pytest.approx(0.37 - scores.mean()[1, 0])
    assert daras == {"ADR": {"value": 0.5242, "difference": None, "agrees": None}}
    document = scores_document(scores, scores.benchmark)
    assert json.loads(json.dumps(document, allow_nan=False))["published"] == list(records.values())


def test_rows_beside_the_runs(scores):
    data = with_published_rows(scores_rows(scores), scores, in_data=True)
    beside = [f"{mark}:my_table.csv" for mark in ("published", "difference", "agrees")]
    expected = {"A1": ["mean", *beside], "B2": ["mean", *beside], "G1": ["mean"], "Daras": beside}
    assert [(row[0], row[2]) for row in data.rows] == [(run, kind) for run, kinds in expected.items() for kind in kinds]
    assert data.rows[1][5:] == (0.2332, 0.15, None)
    assert data.rows[3][5:] == (1.0, 1.0, None)
    shown = with_published_rows(scores_rows(scores), scores, in_data=False)
    assert [row[0] for row in shown.rows] == [
        "A1",
        "A1 (my table.csv)",
        "B2",
        "B2 (my table.csv)",
        "G1",
        "Daras (my table.csv)",
    ]
    assert [shown.published["A1 (my table.csv)"].mark(column) for column in range(3)] == ["=", "=", ""]


def test_the_table_of_runs_has_them_too(scores):
    built = build_table(ContentData(scores.benchmark, scores.profile, scores), RunsRequest(measures=("ADR",)))
    assert isinstance(built, Table)
    names = [row[0] for row in built.rows]
    assert names == ["A1", "A1 (my table.csv)", "B2", "B2 (my table.csv)", "G1", "Daras (my table.csv)"]
    column = len(built.columns) - 1
    assert built.letters[column][:4] == ("", "=", "", f"{0.37 - scores.mean()[1, 0]:+.4f}")
    best = {names[row] for row in built.best(column)}
    assert best == {"B2"}  # 0.5242 of Daras is no result of a run
    assert "publish" in built.notes[-1]
    per_query = build_table(
        ContentData(scores.benchmark, scores.profile, scores),
        RunsRequest(measures=("ADR",), over="query", queries=("Q01",)),
    )
    assert [row[0] for row in per_query.rows] == ["A1", "B2", "G1"]


def test_findings_name_methods_without_a_run(scores):
    found = published_findings(scores.benchmark)
    assert found[0].severity is Severity.INFO
    assert found[0].message == "published scores of 3 runs by ADR, AP(rel=2)"  # the column NN is empty
    assert found[0].action == "without a run here: Daras"
    votes = made(["Votes"], [("A1", "3")])
    without = published_findings(replace(scores.benchmark, published=(votes,)))
    assert (without[0].severity, without[0].message) == (Severity.ERROR, "published scores of 1 run by no measure")


@pytest.mark.parametrize("text", ["", "\n", " \n\n", ",\n;;\n"])
def test_a_file_without_rows_says_so(text, tmp_path):
    with pytest.raises(FormatError, match="has no rows"):
        table(text, tmp_path)
