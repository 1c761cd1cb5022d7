"""Numbers are written by one rule wherever people read them: digits, signs, and who may decide about them."""

import ast
import math
from pathlib import Path

import pytest

from shrec_viewer.number_format import (
    format_change,
    format_compact,
    format_distance,
    format_fixed,
    format_p_value,
    format_value,
)

ROOT = Path(__file__).parents[1] / "shrec_viewer"
FLOORS = ("viewmodels", "widgets", "panels", "app")

OTHERS = {
    "app/preference_caches.py": "megabytes",
    "viewmodels/tasks_model.py": "seconds",
    "panels/curve_print.py": "millimetres",
    "viewmodels/import_rows.py": "lines of a file",
    "panels/confusion.py": "percent of a sentence",
    "viewmodels/comparison_words.py": "percent of confidence",
    "panels/standings.py": "percent of confidence",
    "panels/explanation_words.py": "the highest value possible, 1 or 0.25",
    "widgets/plot_readout.py": "places on an axis, 0.35",
    "widgets/plot_axis.py": "halves, 1/4.76",
    "panels/curve_words.py": "class sizes, c/3.2",
    "panels/generality_words.py": "generality, 1/18.1",
}
"""What else is written with decimals or letters of a format, and what it is."""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.500"),
        (-0.5, "−0.500"),
        (-0.0, "0.000"),
        (-0.0004, "0.000"),
        (math.nan, "–"),
        (99.5, "99.50"),
        (1814.0, "1,814.0"),
    ],
)
def test_lists(value, text):
    assert format_value(value) == text


def test_counts_have_no_decimals():
    assert (format_value(18.0, counted=True), format_value(-3.0, counted=True, signed=True)) == ("18", "−3")


@pytest.mark.parametrize(
    "write", [format_value, format_compact, lambda value, signed: format_fixed(value, 4, signed=signed)]
)
def test_a_difference_has_its_sign_unless_it_prints_as_zero(write):
    texts = [write(value, signed=True) for value in (0.25, -0.25, 0.00001, -0.00001, 0.0)]
    assert [text[0] for text in texts[:2]] == ["+", "−"]
    assert len({text.lstrip("+−") for text in texts[:2]}) == 1
    assert len(set(texts[2:])) == 1
    assert not set("+−-") & set(texts[2])


def test_maps_alone_leave_the_zero_out():
    assert [format_compact(value) for value in (0.25, -0.25, 1.0, 10.0, math.nan)] == [
        ".250",
        "−.250",
        "1.00",
        "10.0",
        "",
    ]
    assert (
        format_compact(0.25, 2),
        format_compact(1.0, 2),
        format_compact(0.9996),
        format_compact(-1.5, signed=True),
    ) == (".25", "1.0", "1.00", "−1.50")
    assert [format_compact(value, 0) for value in (0.0, 17.0, -3.0)] == ["0", "17", "−3"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0000"), (0.5, "0.5000"), (-0.25, "−0.2500"), (math.nan, ""), (1e9, "1.0e+09"), (math.inf, "inf")],
)
def test_distances(value, text):
    assert format_distance(value) == text


def test_steps_and_chances():
    assert format_change(0.412, 0.437) == "0.412 → 0.437 (+0.025)"
    assert format_change(0.412, math.nan) == "0.412 → –"
    assert [format_p_value(p) for p in (0.0499, 0.00099, math.nan)] == ["p = 0.050", "p < 0.001", ""]


def test_nothing_else_decides_about_decimals():
    """A number with a format of its own would not follow the rule: its zero, its minus, its digits."""
    found = {}
    for floor in FLOORS:
        for path in sorted((ROOT / floor).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                    spec = ast.unparse(node.format_spec)
                    if "." in spec or "+" in spec:
                        found.setdefault(path.relative_to(ROOT).as_posix(), []).append(node.lineno)
    assert {path: lines for path, lines in found.items() if path not in OTHERS} == {}
