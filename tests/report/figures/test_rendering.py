"""Figures in SVG, PDF and PNG: data, text, fonts, size, determinism."""

import base64
import re
import shutil
import zlib
from dataclasses import replace
from functools import lru_cache
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pytest

from shrec_viewer.charts.plot import (
    Axes,
    Plot,
    PlotCurve,
    ReferenceArea,
    ReferenceLine,
    ReferencePoint,
    References,
)
from shrec_viewer.report.figures.drawing.style import COLUMN_MM, PAGE_MM
from shrec_viewer.report.figures.rendering import FigureFormat, figure_bytes

FORMATS = [form for form in get_args(FigureFormat) if form != "pgf" or shutil.which("xelatex")]
X = np.arange(1.0, 21.0)
FALLING = PlotCurve("A 1", "A 1", X, 1 / X, "#D57404")
BROKEN = PlotCurve("B1", "B1", X, np.where((X > 5) & (X < 9), np.nan, 0.3 + X / 50), "#9B066F", "dash", "square")
ALONE = PlotCurve("C1", "C1", np.array([10.0]), np.array([0.5]), "#2F8EF9")
AXES = Axes("Rank", "Precision", (1, 20), (0, 1))
REFERENCES = References(
    (ReferenceArea("area", X[[0, -1, -1]], np.array([0.0, 0.0, 0.2])),),
    (ReferenceLine("Random", X, X / 30, dash="dot", mark="random", at=10),),
    (ReferencePoint("TRIS", 1.0, 1.0),),
)
GRAPH = Plot("Test & more", AXES, (FALLING, BROKEN, ALONE), "A 1", REFERENCES)
SVG = "{http://www.w3.org/2000/svg}"


def curve_of(name, y):
    return PlotCurve(name, name, X, y, "#D57404")


def reference(x, y, **options):
    return ReferenceLine("line", x, y, "line_strong", **options)


@lru_cache
def bytes_of_graph(form):
    return figure_bytes(GRAPH, form)


def svg_of(graph=GRAPH):
    return ElementTree.fromstring(bytes_of_graph("svg") if graph is GRAPH else figure_bytes(graph, "svg"))


def points_of(root, name):
    """Corners of the path of a curve, in points of the page; one array a piece."""
    group = next(element for element in root.iter(f"{SVG}g") if element.get("id") == name)
    path = group.find(f"{SVG}path").get("d")
    pieces = [piece for piece in path.split("M") if piece.strip()]
    return [np.array(re.findall(r"-?\d+(?:\.\d+)?", piece), float).reshape(-1, 2) for piece in pieces]


@pytest.mark.parametrize("form", FORMATS)
def test_rendering_is_deterministic(form):
    assert figure_bytes(GRAPH, form) == bytes_of_graph(form)


def test_the_svg_has_the_data():
    root = svg_of()
    (falling,) = points_of(root, "A_1")
    before, behind = points_of(root, "B1")
    assert len(falling) == 20
    assert (len(before), len(behind)) == (5, 12), "the gap is a gap"
    drawn = np.concatenate([falling, before, behind])
    expected = np.concatenate([np.stack([X, FALLING.y], 1), np.stack([X, BROKEN.y], 1)[[*range(5), *range(8, 20)]]])
    for axis in (0, 1):
        slope, offset = np.polyfit(expected[:, axis], drawn[:, axis], 1)
        np.testing.assert_allclose(expected[:, axis] * slope + offset, drawn[:, axis], atol=2e-4)
        assert (slope > 0) == (axis == 0), "up is more"


def test_svg_metadata():
    texts = [text.text for text in svg_of().iter(f"{SVG}text")]
    assert texts[-3:] == ["A 1", "B1", "C1"], "the legend"
    assert {"Rank", "Precision", "random", "TRIS"} <= set(texts)
    assert [text for text in texts if re.fullmatch(r"[\d.]+", text)] == [
        *("2.5", "5.0", "7.5", "10.0", "12.5", "15.0", "17.5", "20.0"),
        *("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"),
    ]
    assert svg_of().find(f"{SVG}title").text == "Test & more"


def test_no_date_in_files():
    for form in FORMATS:
        content = bytes_of_graph(form)
        assert b"Date" not in content
        assert form == "pgf" or b"Matplotlib" not in content
        assert not re.search(rb"20[2-9]\d-\d\d-\d\d", content)


def test_svg_embeds_its_font():
    content = bytes_of_graph("svg").decode()
    font = base64.b64decode(re.search(r"data:font/woff;base64,([^\"]+)", content)[1])
    assert font[:4] == b"wOFF"
    used = set(re.findall(r"font-family: ([^;\"]+)", content))
    assert used == {"'Inter', 'DejaVu Sans', sans-serif"}


def test_pdf_embeds_its_font_and_keeps_text():
    content = bytes_of_graph("pdf")
    assert re.search(rb"/BaseFont /[A-Z]{6}\+Inter-Regular", content)
    assert b"/FontFile2" in content, "TrueType, embedded"
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", content, re.S)
    unpacked = b"".join(_unpacked(stream) for stream in streams)
    (font,) = [unpacked for unpacked in map(_unpacked, streams) if b"glyf" in unpacked[:400]]
    assert not any(table in font[:400] for table in (b"GSUB", b"GPOS")), "matplotlib has positioned the glyphs"
    assert b"/ToUnicode" in content, "what is copied from it are letters"
    assert len(re.findall(rb"BT\b.*?ET\b", unpacked, re.S)) >= 15, "and not outlines"


def _unpacked(stream):
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return b""


@pytest.mark.parametrize(("width", "dpi"), [(COLUMN_MM, 300), (PAGE_MM, 300), (COLUMN_MM, 600)])
def test_png_has_the_requested_width(width, dpi):
    content = figure_bytes(GRAPH, "png", width=width, dpi=dpi)
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert int.from_bytes(content[16:20]) == pytest.approx(width / 25.4 * dpi, abs=1)


@pytest.mark.parametrize("x_range", [(-3.0, 60.0), (-500.0, 2000.0)])
def test_tick_labels_of_large_exponents_are_short(x_range):
    """Numbers of twenty digits left none; beyond 1,024 halvings there was none at all."""
    far = replace(GRAPH, axes=replace(AXES, x_range=x_range, x_ticks="halves"), curves=())
    texts = [text.text for text in svg_of(far).iter(f"{SVG}text") if text.text]
    assert any(text.startswith("1/2^") for text in texts)
    assert max(len(text) for text in texts if text.startswith("1/")) <= 11


def test_tick_formats():
    halves = replace(GRAPH, axes=replace(AXES, x_range=(0.0, 5.0), x_ticks="halves"), curves=())
    texts = [text.text for text in svg_of(halves).iter(f"{SVG}text")]
    assert texts[:6] == ["1", "1/2", "1/4", "1/8", "1/16", "1/32"]
    percent = replace(GRAPH, axes=replace(AXES, x_range=(0.0, 1.0), x_ticks="percent"), curves=())
    assert [text.text for text in svg_of(percent).iter(f"{SVG}text")][:6] == [
        "0 %",
        "20 %",
        "40 %",
        "60 %",
        "80 %",
        "100 %",
    ]


def test_legend_of_many_runs():
    curves = tuple(curve_of(f"A long name of run {n}", 1 / X) for n in range(25))
    root = svg_of(replace(GRAPH, curves=curves))
    width, height = float(root.get("width")[:-2]), float(root.get("height")[:-2])
    places = [
        re.search(r"translate\(([\d.]+) ([\d.]+)\)", text.get("transform") or "") for text in root.iter(f"{SVG}text")
    ]
    places += [re.match(r"([\d.]+) ([\d.]+)", f"{t.get('x')} {t.get('y')}") for t in root.iter(f"{SVG}text")]
    inside = [(float(place[1]), float(place[2])) for place in places if place]
    assert len(inside) >= 25
    assert all(0 <= x <= width and 0 <= y <= height for x, y in inside)


def test_legend_names_the_curve_before_the_edits():
    """Its label in the axes is left out where there is no space."""
    line = ReferenceLine("A before the edits", X, 1 / X, dash="dot", in_legend=True)
    found = [
        replace(GRAPH, references=References(lines=lines))
        for lines in ((), (line, replace(line, in_legend=False)), (line,))
    ]
    texts = [["".join(text.itertext()) for text in svg_of(plot).iter(f"{SVG}text")] for plot in found]
    assert [one.count("A before the edits") for one in texts] == [0, 1, 1]


@pytest.mark.parametrize("n", [1, 4, 13, 25])
def test_legend_reads_row_by_row(n):
    """Row by row, as the table of runs and the graph's own legend."""
    curves = tuple(curve_of(f"R{place:02}", 1 / X) for place in range(n))
    root = svg_of(replace(GRAPH, curves=curves))
    found = {}
    for text in root.iter(f"{SVG}text"):
        if re.fullmatch(r"R\d\d", text.text or ""):
            place = re.search(r"translate\(([\d.]+) ([\d.]+)\)", text.get("transform") or "")
            x, y = place.groups() if place else (text.get("x"), text.get("y"))
            found[text.text] = (round(float(y)), float(x))
    assert sorted(found, key=found.get) == [curve.label for curve in curves]


def test_legend_rows_have_similar_lengths():
    root = svg_of(replace(GRAPH, curves=tuple(curve_of(f"Run{n}", X / 30 + n / 20) for n in range(7))))
    rows = {}
    for text in root.iter(f"{SVG}text"):
        if "".join(text.itertext()).startswith("Run"):
            height = re.findall(r"-?[\d.]+", text.get("transform") or text.get("y"))[-1 if text.get("y") else 1]
            rows.setdefault(round(float(height)), []).append(text)
    assert sorted(len(row) for row in rows.values()) == [3, 4]


def test_equal_lines_are_both_visible():
    twin = PlotCurve("B 2", "B 2", X, 1 / X, "#2F8EF9", "dash")
    root = svg_of(replace(GRAPH, curves=(twin, FALLING)))
    order = [element.get("id") for element in root.iter(f"{SVG}g") if element.get("id") in ("A_1", "B_2")]
    assert order == ["A_1", "B_2"], "upon it, whatever the order of the runs and their widths"
    group = next(element for element in root.iter(f"{SVG}g") if element.get("id") == "B_2")
    assert "stroke-dasharray" in group.find(f"{SVG}path").get("style")


def test_empty_figure():
    for form in FORMATS:
        assert figure_bytes(replace(GRAPH, curves=(), references=References()), form)


NAMES = {
    "$\\frac{1}{2}$": "$\\frac{1}{2}$",
    "$broken": "$broken",
    "_hidden": "_hidden",
    "<img src='x'>&amp;": "<img src='x'>&amp;",
    "a\nb\tc": "a\\nb\\tc",
    "\x1b[0m\x00\u202e\udce9": "\\x1b[0m\\x00\\u202e\\xe9",
    "x" * 10_000: "x" * 29 + "…" + "x" * 30,
}
"""Names, and how they are shown."""


@pytest.mark.parametrize("form", FORMATS)
def test_names_are_not_interpreted(form):
    curves = tuple(curve_of(name, 1 / X) for name in NAMES)
    points = tuple(ReferencePoint(name, 10.0, at / 10) for at, name in enumerate(NAMES))
    short = " ".join(name for name in NAMES if len(name) < 30)
    for title in (short, "x" * 10_000):
        axes = replace(AXES, x_label=title, y_label=title)
        named = Plot(title, axes, (*curves, BROKEN), references=replace(REFERENCES, points=points))
        data = figure_bytes(named, form)
        if form == "svg":
            texts = ["".join(element.itertext()) for element in ElementTree.fromstring(data).iter(f"{SVG}text")]
            for shown in NAMES.values():
                assert texts.count(shown) == 2, shown  # legend and point
            labels = {" ".join(shown for name, shown in NAMES.items() if len(name) < 30), "x" * 99 + "…" + "x" * 100}
            assert any(texts.count(label) == 2 for label in labels)


def test_marks_at_the_ends_of_lines_are_right_of_the_axes_and_do_not_overlap():
    heights = (0.9, 0.5, 0.49, 0.1)
    ends = tuple(reference(X, np.full(20, y), mark=f"g{number}", ends=True) for number, y in enumerate(heights))
    root = svg_of(replace(GRAPH, references=replace(REFERENCES, lines=ends)))
    (falling,) = points_of(root, "A_1")
    found = {}
    for text in root.iter(f"{SVG}text"):
        if re.fullmatch(r"g\d", words := "".join(text.itertext())):
            found[words] = float(text.get("x"))
    assert sorted(found) == ["g0", "g1", "g3"], "the third would cover the second"
    assert min(found.values()) > falling[:, 0].max()


def test_labels_of_reference_lines_do_not_interrupt_curves():
    elements = list(svg_of().iter())
    order = {"".join(found.itertext()): place for place, found in enumerate(elements) if found.tag == f"{SVG}text"}
    curves = {found.get("id"): place for place, found in enumerate(elements) if found.get("id") in ("A_1", "B1")}
    assert len(curves) == 2
    assert order["random"] < min(curves.values()), "painted before, with its background"
    assert order["TRIS"] > max(curves.values())


def test_labels_of_lines_that_end_at_the_border_are_outside_of_the_axes():
    rays = tuple(
        reference(np.array([1.0, x]), np.array([0.0, y]), dash="dot", mark=name)
        for name, x, y in (("right", 20.0, 0.5), ("top", 8.0, 1.0), ("inside", 12.0, 0.7), ("close", 20.0, 0.21))
    )
    end = reference(X, np.full(20, 0.2), mark="end", ends=True)
    upright = reference(np.array([20.0, 20.0]), np.array([0.0, 1.0]), mark="upright")
    root = svg_of(replace(GRAPH, references=replace(REFERENCES, lines=(*rays, upright, end))))
    (curve,) = points_of(root, "A_1")
    corners = {"".join(text.itertext()): text for text in root.iter(f"{SVG}text")}
    places = {name: (float(text.get("x")), float(text.get("y"))) for name, text in corners.items() if text.get("x")}
    right, top = curve[:, 0].max(), curve[:, 1].min()
    assert places["right"][0] > right
    assert places["top"][1] < top
    assert places["upright"][1] < top
    assert "text-anchor: end" in corners["upright"].get("style"), "a longer label would make the axes narrower"
    assert places["inside"][0] < right
    assert places["inside"][1] > top
    assert "close" not in places, "it would cover the label of the line that is named at its end"
    assert places["end"][0] > right
