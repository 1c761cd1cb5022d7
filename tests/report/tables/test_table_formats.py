"""File formats of tables: values, best and second best, letters, digits, and names that mean something in a format."""

import csv
import io
import json
import re
import shutil
import subprocess

import pytest

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.printable import printable
from shrec_viewer.report.tables.formats import TABLE_FORMATS, table_bytes

HOSTILE = (
    "<script>alert(1)</script>", "a & b", "100%", "under_score", "back\\slash", "\\input{/etc/passwd}", 'quo"te',
    "it's", "comma, name", "semi;colon", "line\nbreak", "tab\tname", "עברית", "\u202egnp.exe", "😀 shape", "=1+1",
    "+1+1",
    "@SUM(A1)", "-1+1", "|pipe|", "**bold**", "[link](http://x)", "$x^2$", "#1", "~tilde", "{brace}",
    "`code`", "--", "",
)  # fmt: skip
"""Names that files of participants may contain."""

VALUES = (0.25, 0.5, 0.5, 0.125, float("nan"))


def small_table(names=("A", "B", "C", "D", "E")):
    """Five runs with values by hand: B and C are best, A is second."""
    columns = (TableColumn("run"), TableColumn("AP", "AP", True, "higher"), TableColumn("hits", is_number=True))
    rows = tuple((name, value, number) for number, (name, value) in enumerate(zip(names, VALUES, strict=True)))
    return Table("runs", "Means", columns, rows, letters={1: ("b", "a", "a", "b", "")}, notes=("Tukey HSD, 5 %.",))


def hostile_table():
    """A row for each name, which is also a heading, the caption and a note."""
    columns = (TableColumn("run"), TableColumn("AP", "", True, "higher"), *(TableColumn(name) for name in HOSTILE))
    rows = tuple((name, index / 64, *HOSTILE) for index, name in enumerate(HOSTILE))
    return Table("runs", " ".join(HOSTILE), columns, rows, notes=HOSTILE)


def test_best_and_second_best_values_are_marked_in_latex():
    text = table_bytes(small_table(), "latex").decode()
    rows = re.findall(r"^    (\w) & (\S+) &", text, re.MULTILINE)
    assert rows == [
        ("A", r"\underline{0.250}\textsuperscript{b}"),
        ("B", r"\textbf{0.500}\textsuperscript{a}"),
        ("C", r"\textbf{0.500}\textsuperscript{a}"),
        ("D", r"0.125\textsuperscript{b}"),
        ("E", "-"),
    ]
    assert r"\footnotesize Tukey HSD, 5 \%." in text


@pytest.mark.parametrize(
    ("better", "contests", "best", "second"),
    [
        ("higher", None, {1, 2}, {0}),
        ("lower", None, {3}, {0}),
        ("none", None, set(), set()),
        ("higher", ((0, 3), (1, 4)), {0}, {3}),  # a single value is not the best of several
        ("lower", ((0, 3), (1, 2)), {3, 1, 2}, {0}),
    ],
)
def test_best_values_of_each_contest(better, contests, best, second):
    table = Table("t", "", (TableColumn("AP", "", True, better),), tuple((v,) for v in VALUES), contests=contests)
    assert table.best(0) == best
    assert table.best(0, 2) == second


def test_csv_has_full_precision_and_a_column_of_letters():
    rows = list(csv.reader(io.StringIO(table_bytes(small_table(), "csv").decode())))
    assert rows[0] == ["run", "AP", "AP letters", "hits"]
    assert rows[1] == ["A", "0.25", "b", "0"]
    assert rows[5] == ["E", "", "", "4"]
    third = Table("t", "", (TableColumn("AP", "", True),), ((1 / 3,),))
    assert table_bytes(third, "csv") == b"AP\n0.3333333333333333\n"
    assert table_bytes(third, "csv", 2) == b"AP\n0.33\n"


def test_tabs_are_csv_with_another_separator():
    text = table_bytes(small_table(), "tabs").decode()
    assert text == table_bytes(small_table(), "csv").decode().replace(",", "\t")


@pytest.mark.parametrize("digits", [0, 1, 4, None])
def test_digits_of_typeset_tables(digits):
    shown = f"{0.125:.{3 if digits is None else digits}f}"
    for form in ("latex", "markdown", "table"):
        assert re.search(rf"\bD\b.*{re.escape(shown)}(?!\d)", table_bytes(small_table(), form, digits).decode())


def test_json_keeps_all_names_and_values():
    document = json.loads(table_bytes(hostile_table(), "json"))
    assert document["schema"] == "shrec-viewer/table/1"
    assert [column["key"] for column in document["columns"]][2:] == list(HOSTILE)
    assert [row[0] for row in document["rows"]] == list(HOSTILE)
    assert document["notes"] == list(HOSTILE)
    small = json.loads(table_bytes(small_table(), "json"))
    assert [row[1] for row in small["rows"]] == [0.25, 0.5, 0.5, 0.125, None]
    assert small["letters"] == {"1": ["b", "a", "a", "b", ""]}


@pytest.mark.parametrize("form", ["csv", "tabs"])
def test_spreadsheets_read_names_as_text(form):
    text = table_bytes(hostile_table(), form).decode()
    rows = list(csv.reader(io.StringIO(text), delimiter="\t" if form == "tabs" else ","))
    assert {len(row) for row in rows} == {len(HOSTILE) + 2}
    for row, name in zip(rows[1:], HOSTILE, strict=True):
        assert row[0].lstrip("'") in (name, name.replace("\u202e", r"\u202e"))
        assert not row[0].startswith(("=", "+", "@", "-1+"))


@pytest.mark.parametrize("form", ["markdown", "latex", "table"])
def test_names_add_no_rows(form):
    lines = table_bytes(hostile_table(), form).decode().splitlines()
    assert (
        len(lines)
        == {"markdown": 4 + 3 * len(HOSTILE), "latex": 12 + 2 * len(HOSTILE), "table": 2 + 2 * len(HOSTILE)}[form]
    )
    assert not any("<script>" in line for line in lines) or form == "table"


@pytest.mark.parametrize("form", list(TABLE_FORMATS))
def test_the_same_table_gives_the_same_bytes(form):
    assert table_bytes(hostile_table(), form) == table_bytes(hostile_table(), form)


@pytest.mark.parametrize("form", list(TABLE_FORMATS))
def test_empty_tables_are_written(form):
    assert table_bytes(Table("t", "Nothing", (TableColumn("run"), TableColumn("AP", "", True, "higher")), ()), form)


def compile_latex(engine, table, folder):
    """Typeset a table in an article; the lines of the log."""
    body = table_bytes(table, "latex").decode()
    document = f"\\documentclass{{article}}\n\\usepackage{{booktabs}}\n\\begin{{document}}\n{body}\\end{{document}}\n"
    (folder / "table.tex").write_text(document, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "table.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]


@pytest.mark.skipif(shutil.which("xelatex") is None, reason="needs xelatex")
def test_hostile_names_compile_with_xelatex(tmp_path):
    compile_latex("xelatex", hostile_table(), tmp_path)


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs pdflatex")
def test_latin_names_compile_with_pdflatex(tmp_path):
    latin = (*tuple(name for name in HOSTILE if printable(name).isascii()), "Zürich", "Łódź", "“quoted” – dash…")
    rows = tuple((name, 0.5) for name in latin)
    text = table_bytes(hostile_table(), "latex").decode()
    assert "% compile with XeLaTeX or LuaLaTeX" in text
    columns = (TableColumn("run"), TableColumn("AP", "", True, "higher"))
    table = Table("runs", "Zürich", columns, rows, notes=latin)
    assert "XeLaTeX" not in table_bytes(table, "latex").decode()
    compile_latex("pdflatex", table, tmp_path)
