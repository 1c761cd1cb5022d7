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
                assert cell.removeprefix("'") == printable_lines(value or "").removeprefix("'")


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
    assert cell == ("" if number else "'") + printable_lines(start + rest)


@pytest.mark.parametrize("number", [-0.5, -1, float("-inf"), "-0.25", "+1e5"])
def test_numbers_are_unchanged(number):
    assert separated_text([[number]]) == f"{number}\n"


@pytest.mark.parametrize("text", ["-1_0", "+1e", "-٣", "＝1", "\n=1", "-", "+"])
def test_what_only_resembles_a_number_is_no_formula(text):
    ((cell,),) = csv.reader(io.StringIO(separated_text([[text]]), newline=""))
    assert cell == f"'{text}"


@pytest.mark.parametrize("text", ["a;=1+1", "a\t=1+1", "a,=1+1", 'a"=1+1', "a\n=1+1"])
def test_text_with_a_separator_of_any_spreadsheet_is_quoted(text):
    written = separated_text([[text]])
    assert written.startswith('"')
    for separator in ",;\t":
        assert list(csv.reader(io.StringIO(written, newline=""), delimiter=separator)) == [[text]]
