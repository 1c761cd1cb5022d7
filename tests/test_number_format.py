"""Numbers in the interface have one format: digits, signs, and no module that formats shares itself."""

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
    format_percent,
    format_value,
)

ROOT = Path(__file__).parents[1] / "shrec_viewer"
LAYERS = ("viewmodels", "widgets", "panels", "app")

OTHER_FORMATS = {
    "app/dialogs/preferences.py": "megabytes",
    "panels/mesh_view/mesh_view.py": "coordinates in a command",
    "panels/plots/curves.py": "scopes in class sizes",
    "panels/plots/generality.py": "generality, 1/18.1",
    "panels/plots/plot_panel.py": "millimetres",
    "panels/scores/calculation.py": "the highest possible value, 1 or 0.25",
    "panels/scores/run_intervals.py": "percent of confidence",
    "viewmodels/files/virtual_runs.py": "weights in expressions",
    "viewmodels/tasks/task_table.py": "seconds",
    "widgets/plots/canvas.py": "powers of one half, 1/4.76",
    "widgets/plots/curve_plot.py": "positions on an axis, 0.35",
}
"""Modules that format other numbers with decimals, and which."""


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
def test_format_value(value, text):
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


def test_numbers_in_maps_have_one_width():
    values = (0.25, -0.25, 1.0, 12.345, 999.95, math.nan)
    assert [format_compact(value) for value in values] == ["0.250", "−0.250", "1.000", "12.35", "1,000", ""]
    assert (format_compact(0.25, 2), format_compact(1.0, 2), format_compact(0.9996)) == ("0.25", "1.00", "1.000")
    assert format_compact(-1.5, signed=True) == "−1.500"
    assert [format_compact(value, 0) for value in (0.0, 17.0, -3.0)] == ["0", "17", "−3"]


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0.0000"), (0.5, "0.5000"), (-0.25, "−0.2500"), (math.nan, ""), (1e9, "1.0e+09"), (math.inf, "inf")],
)
def test_distances(value, text):
    assert format_distance(value) == text


def test_changes_and_p_values():
    assert format_change(0.412, 0.437) == "0.412 → 0.437 (+0.025)"
    assert format_change(0.412, math.nan) == "0.412 → –"
    assert [format_p_value(p) for p in (0.0499, 0.00099, math.nan)] == ["p = 0.050", "p < 0.001", ""]


def test_no_other_module_formats_decimals():
    """A format specification elsewhere would bypass the rule for zero, minus sign and digits."""
    found = {}
    for layer in LAYERS:
        for path in sorted((ROOT / layer).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                    spec = ast.unparse(node.format_spec)
                    if "." in spec or "+" in spec:
                        found.setdefault(path.relative_to(ROOT).as_posix(), []).append(node.lineno)
    assert {path: lines for path, lines in found.items() if path not in OTHER_FORMATS} == {}


def test_percentages_have_a_space_before_the_sign():
    """`format_percent`, and no `:.1%`, of which the output has none."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
                spec = "".join(part.value for part in node.format_spec.values if isinstance(part, ast.Constant))
                found += [f"{path.relative_to(ROOT)}:{node.lineno}"] if spec.endswith("%") else []
    assert found == []
    assert (format_percent(0.05), format_percent(0.9821, 1), format_percent(math.nan)) == ("5 %", "98.2 %", "–")
