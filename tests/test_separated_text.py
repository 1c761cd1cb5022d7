"""Separated text: read back as it was by a CSV reader, and without formulas for spreadsheets."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shrec_viewer.separated_text import separated_text

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
                assert cell.removeprefix("'") == (value or "").removeprefix("'")


@given(st.sampled_from("=+-@\t\r"), st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_no_text_begins_like_a_formula(start, rest):
    ((cell,),) = csv.reader(io.StringIO(separated_text([[start + rest]]), newline=""))
    try:
        float(start + rest)
    except ValueError:
        assert cell == f"'{start}{rest}"
    else:
        assert cell == start + rest


@pytest.mark.parametrize("number", [-0.5, -1, float("-inf"), "-0.25", "+1e5"])
def test_numbers_are_unchanged(number):
    assert separated_text([[number]]) == f"{number}\n"
