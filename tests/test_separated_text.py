"""Separated text: read back as it was by a CSV reader, without formulas for spreadsheets and codes for terminals."""

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.printable import printable_lines, separated_text

CELLS = st.one_of(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.floats(allow_nan=False), st.none())


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=5), st.sampled_from(",\t"))
def test_cells_are_read_back(rows, separator):
    read = list(csv.reader(io.StringIO(separated_text(rows, separator), newline=""), delimiter=separator))
    assert len(read) == len(rows)
    for cells, row in zip(read, rows, strict=True):
        for cell, value in zip(cells, row, strict=True):
            if isinstance(value, float):
                assert float(cell) == value
            else:
                assert cell.replace("'", "") == printable_lines(value or "").replace("'", "")


def is_float(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


@given(st.sampled_from("=+-@\t\r\n＝＋－＠"), st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_no_text_begins_like_a_formula(start, rest):
    ((cell,),) = csv.reader(io.StringIO(separated_text([[start + rest]]), newline=""))
    number = re.fullmatch(r"[+-]([0-9.]+([eE][+-]?[0-9]+)?|inf|nan)", start + rest) and is_float(start + rest)
    assert cell.startswith(start if number else "'")
    assert cell.replace("'", "") == printable_lines(start + rest).replace("'", "")


@pytest.mark.parametrize("number", [-0.5, -1, float("-inf"), "-0.25", "+1e5"])
def test_numbers_are_unchanged(number):
    assert separated_text([[number]]) == f"{number}\n"


@pytest.mark.parametrize("text", ["-1_0", "+1e", "-٣", "＝1", "\n=1", "-", "+"])
def test_what_only_resembles_a_number_is_no_formula(text):
    ((cell,),) = csv.reader(io.StringIO(separated_text([[text]]), newline=""))
    assert cell.startswith("'")
    assert cell.replace("'", "") == text


@pytest.mark.parametrize("text", ["a;=1+1", "a\t=1+1", "a,=1+1", 'a"=1+1', "a\n=1+1"])
def test_text_with_a_separator_of_any_spreadsheet_is_quoted(text):
    written = separated_text([[text]])
    assert written.startswith('"')
    for separator in ",;\t":
        ((cell,),) = csv.reader(io.StringIO(written, newline=""), delimiter=separator)
        assert cell.replace("'", "") == text


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), max_size=3), st.sampled_from(",\t"))
def test_no_cell_is_a_formula_with_any_separator(rows, separator):
    for row in rows:
        # A spreadsheet that separates elsewhere ignores quotation marks within its cells.
        parts = re.split(r"[,;\t\r\n]", separated_text([["a", *row[1:]]], separator))[1:]
        for part in parts:
            assert not part.removeprefix('"').startswith(tuple("=+-@＝＋－＠")) or is_float(part.strip('"'))


def test_formula_after_the_separator_of_a_spreadsheet_is_a_text():
    written = separated_text([("run", "AP"), ("A", "b;=1+1;2"), ("B", "c;-0.5;+x"), ("C", "d\n=1+1"), ("D", 'e;"=1')])
    read = list(csv.reader(io.StringIO(written, newline=""), delimiter=";"))
    assert [cell for row in read for cell in row if cell.startswith(("=", "+", "@"))] == []
    assert written == 'run,AP\nA,"b;\'=1+1;2"\nB,"c;-0.5;\'+x"\nC,"d\n\'=1+1"\nD,"e;\'""=1"\n'


def test_numbers_after_a_separator_are_unchanged():
    assert separated_text([["at 0.5;-0.25;+1e5"]]) == '"at 0.5;-0.25;+1e5"\n'
