"""Figures as SVG elements of web pages: geometry, colours, texts, ids, and independence of what was drawn before."""

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from shrec_viewer.charts.intervals import IntervalRow, Intervals
from shrec_viewer.charts.plot import (
    Axes,
    Plot,
    PlotCurve,
    ReferenceArea,
    ReferenceLine,
    ReferencePoint,
    References,
)
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.report.figures.web import CURVE, WIDTH_MM, WebPlots, web_figure

X = np.arange(1.0, 101.0)
FALLING = PlotCurve("A", "A", X, 1 / X, "#2E00AB")
BROKEN = PlotCurve("B", "B", X, np.where((X > 5) & (X < 9), np.nan, 0.3 + X / 500), "#9C5D50", "dash", "square")
ALONE = PlotCurve("C", "C", np.array([10.0]), np.array([0.5]), "#433F00")
REFERENCES = References(
    (ReferenceArea("area", X[[0, -1, -1]], np.array([0.0, 0.0, 0.2])),),
    (ReferenceLine("Random", X, X / 200, dash="dot", mark="random", at=10),),
    (ReferencePoint("TRIS", 1.0, 1.0),),
)
PLOT = Plot("", Axes("Rank", "Precision", (1, 100), (0, 1)), (FALLING, BROKEN, ALONE), None, REFERENCES)
GENERALITY = replace(PLOT, axes=Axes("Generality", "Precision", (0.0, 4.0), (0, 1), "halves"), curves=())
RECALL = replace(PLOT, axes=Axes("Recall", "Precision", (0.0, 1.0), (0.0, 9.6), "percent"), curves=())
ROWS = Intervals(
    "",
    "Mean AP",
    tuple(
        IntervalRow(name, "#2E00AB", "solid", "", 0.5, 0.4, 0.6, "a", "p = 1", "")
        for name in ("A1", '<b>&"0.123456"', "a--b", "#2e00ab")
    ),
)
OUTLINED = replace(ROWS, rows=(*ROWS.rows, replace(ROWS.rows[0], name="مثال")))
SVG = "{http://www.w3.org/2000/svg}"
LINK = "{http://www.w3.org/1999/xlink}href"


def parsed(figure, name="figure"):
    spaces = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return ElementTree.fromstring(f"<svg {spaces}>{figure.with_ids(name)}</svg>")


def drawn(plot):
    return WebPlots().draw([plot])[0]


def points(path):
    """(command, x, y) of each point of the data of a path; points without a command have that of the one before."""
    found, command = [], ""
    for part in re.finditer(r"([MLCQZz])|(-?[\d.]+(?:e-?\d+)?)\s+(-?[\d.]+(?:e-?\d+)?)", path):
        if part[1]:
            command = part[1]
            continue
        found.append((command, float(part[2]), float(part[3])))
        command = "L" if command == "M" else command
    return found


def test_curves_are_at_the_scale_of_the_axes():
    figure = drawn(PLOT)
    left, right, top, bottom = figure.axes
    low, high, lowest, highest = figure.limits
    for index, line in enumerate(PLOT.curves[:2]):
        group = next(one for one in parsed(figure).iter(f"{SVG}g") if one.get("id") == f"curve-{index}")
        at = np.array([point[1:] for point in points(group.find(f".//{SVG}path[@clip-path]").get("d"))])
        ok = np.isfinite(line.y)
        x = low + (at[:, 0] - left) / (right - left) * (high - low)
        y = lowest + (bottom - at[:, 1]) / (bottom - top) * (highest - lowest)
        assert np.abs(x - line.x[ok]).max() < 0.1 * (high - low) / (right - left)
        assert np.abs(y - line.y[ok]).max() < 0.1 * (highest - lowest) / (bottom - top)


def test_each_curve_is_a_group_with_its_points_and_markers():
    groups = [one for one in parsed(drawn(PLOT)).iter(f"{SVG}g") if one.get("id")]
    assert sorted(one.get("id") for one in groups) == ["curve-0", "curve-1", "curve-2"]
    marks = {one.get("id"): len(list(one.iter(f"{SVG}use"))) for one in groups}
    assert marks["curve-0"] == 0
    assert marks["curve-1"] > 1
    assert marks["curve-2"] == 1


@pytest.mark.parametrize("content", [ROWS, OUTLINED], ids=["texts", "outlines"])
def test_other_figures_have_the_geometry_of_their_files(content):
    original = ElementTree.fromstring(figure_bytes(content, "svg", WIDTH_MM))
    figure = web_figure(content)
    assert [figure.width, figure.height] == [float(part) for part in original.get("viewBox").split()[2:]]
    ours, theirs = ([one.get("d", "") for one in root.iter(f"{SVG}path")] for root in (parsed(figure), original))
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        shown, expected = points(one), points(other)
        assert [point[0] for point in shown] == [point[0] for point in expected]
        assert np.allclose([point[1:] for point in shown], [point[1:] for point in expected], atol=0.1)
    ours, theirs = (
        re.findall(r"scale\([^)]*\)", ElementTree.tostring(root, "unicode")) for root in (parsed(figure), original)
    )
    assert ours == theirs


@pytest.mark.parametrize("figure", [drawn(PLOT), web_figure(ROWS), web_figure(OUTLINED)])
def test_colours_and_font_are_those_of_the_page(figure):
    tags = re.sub(r">[^<]*<", "><", figure.markup)
    assert not re.search("#[0-9a-fA-F]{3,6}|font-family", tags)
    assert {"var(--ink)", "var(--s0)", "var(--rule)"} <= set(re.findall(r"var\(--\w+\)", tags))


def test_texts_are_unchanged():
    texts = {"".join(one.itertext()) for one in parsed(web_figure(ROWS)).iter(f"{SVG}text")}
    assert {row.name for row in ROWS.rows} <= texts
    assert {"Rank", "Precision", "random", "TRIS", "100", "0.2"} <= {
        "".join(one.itertext()) for one in parsed(drawn(PLOT)).iter(f"{SVG}text")
    }


def test_ids_are_those_of_the_figure_and_lead_to_its_elements():
    for figure in (drawn(PLOT), web_figure(ROWS), web_figure(OUTLINED)):
        for name in ("CG(recall)", "b"):
            root = parsed(figure, name)
            ids = [one.get("id") for one in root.iter() if one.get("id") and not one.get("id").startswith("curve-")]
            assert ids
            assert len(set(ids)) == len(ids)
            assert all(one.startswith("CG_recall_-" if name == "CG(recall)" else "b-") for one in ids)
            links = [one.get(LINK)[1:] for one in root.iter() if one.get(LINK)]
            links += re.findall(r"url\(#([^)]*)\)", ElementTree.tostring(root, "unicode"))
            assert set(links) == set(ids)


def test_a_plot_does_not_depend_on_those_before_it():
    alone = [drawn(plot) for plot in (PLOT, GENERALITY, RECALL)]
    assert WebPlots().draw([PLOT, GENERALITY, RECALL]) == alone
    assert WebPlots().draw([GENERALITY, RECALL, PLOT, GENERALITY]) == [*alone[1:], alone[0], alone[1]]
    assert len({CURVE.sub("", figure.markup) for figure in alone}) == 3
