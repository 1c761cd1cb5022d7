"""Kinds of figures: their values are those of evaluate, independent of how they are drawn."""

import json
import re
import shutil
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import get_args
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from shrec_viewer.charts.strips import Sheet, Strips
from shrec_viewer.cli.figure import FORMATS, PALETTES
from shrec_viewer.content.contents import FIGURES, build_chart, build_table
from shrec_viewer.content.curves import PrecisionRecallRequest, curves_of
from shrec_viewer.content.data import ContentData, ModelImage
from shrec_viewer.content.lists import ComparisonRequest
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.plots.confusion import confusion, tier_lists
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.score_tables import scores_document, to_json
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import find_profile
from shrec_viewer.number_format import format_distance
from shrec_viewer.report.figures import palettes
from shrec_viewer.report.figures.drawing import style
from shrec_viewer.report.figures.drawing.matrix import MAX_DECIMALS
from shrec_viewer.report.figures.rendering import FigureError, FigureFormat, figure_bytes, figure_parts
from shrec_viewer.resources import resource

SVG = "{http://www.w3.org/2000/svg}"
PROFILE = find_profile("shrec2006")

MINIMAL = {
    "gain_loss": {"runs": ("A1", "C1")},
    "triptych": {"runs": ("A1", "C1"), "queries": ("Q01",)},
    "strips": {"runs": ("A1", "C1"), "queries": ("Q01", "Q15"), "top": 4},
    "comparison": {"runs": ("A1", "C1", "B2"), "queries": ("Q15",), "top": 4, "rank": 2},
    "heat_map": {"queries": ("Q01", "Q02", "Q15")},
    "matrix": {"queries": ("Q01",), "top": 4},
    "models": {"queries": ("Q01",), "models": ("M001", "M002")},
}
"""Requests of kinds that compare two runs, and small ones of kinds that take time."""


@pytest.fixture(scope="module")
def data():
    benchmark = read_benchmark(resource("demo"))
    scores = evaluate(benchmark, PROFILE)
    pixels = np.full((8, 8, 4), 200, np.uint8)
    paths = [path for path in (*benchmark.collection.paths, *benchmark.queries.paths) if path is not None]
    images = {path: ModelImage(pixels) for path in paths}
    images[paths[0]] = ModelImage(None, "no faces")
    return ContentData(benchmark, PROFILE, scores, images=images)


@pytest.fixture(scope="module")
def document(data):
    return json.loads(to_json(scores_document(data.scores, data.benchmark, per_query=True, curves=True)))


def built(data, kind, **options):
    return build_chart(data, FIGURES[kind].request(**MINIMAL.get(kind, {}) | options))


@pytest.fixture(scope="module")
def contents(data):
    """The content of each kind."""
    return {kind: built(data, kind) for kind in FIGURES}


def test_command_lists_all_kinds_and_values():
    assert get_args(FigureFormat) == FORMATS
    assert [palette.key for palette in palettes.PALETTES] == list(PALETTES)
    kinds = [curve for kind in ("precision_recall", "gain", "scope") for curve in curves_of(kind)]
    ways = {way.way for curve in kinds for way in curve.ways} | {"class", ""}
    (average,) = (field for field in PrecisionRecallRequest.options() if field.name == "average")
    assert set(average.option.choices) == ways


@pytest.mark.parametrize("kind", FIGURES)
def test_every_kind_in_every_format_and_palette(contents, kind):
    """Together with greyscale PNG files; each kind in each palette and in each format."""
    content = contents[kind]
    assert figure_bytes(content, "svg", 174.0, dpi=40) == figure_bytes(content, "svg", 174.0, dpi=40)
    assert figure_bytes(content, "pdf", 174.0, "colour-blind", dpi=40)[:4] == b"%PDF"
    if shutil.which("xelatex"):
        main, images = figure_parts(content, "pgf", dpi=40)
        assert main.count(b"\\pgftext") > 3
        assert len(images) == isinstance(content, Strips | Sheet)  # one for all images of the figure
        assert all(f"{{{name}}}".encode() in main for name in images)
        if images:
            with pytest.raises(FigureError, match="consists of several files"):
                figure_bytes(content, "pgf", dpi=40)


@pytest.mark.parametrize("kind", FIGURES)
def test_greyscale_figures_have_no_colour(contents, kind):
    from io import BytesIO

    from PIL import Image

    png = figure_bytes(contents[kind], "png", 84.0, "greyscale", dpi=60)
    with Image.open(BytesIO(png)) as image:
        pixels = np.array(image.convert("RGB"), int)
    # Text, outlines and grid are nearly neutral; runs, cells, frames and images must not add any colour.
    assert np.ptp(pixels, axis=-1).max() <= 20


def test_palettes_are_those_that_the_kinds_are_drawn_in():
    assert set(PALETTES) == {"default", "colour-blind", "greyscale"}


def path_of(svg, name):
    """Corners of the path with this id, in points of the page."""
    group = next(element for element in ElementTree.fromstring(svg).iter(f"{SVG}g") if element.get("id") == name)
    return np.array(re.findall(r"-?\d+(?:\.\d+)?", group.find(f"{SVG}path").get("d")), float).reshape(-1, 2)


def assert_same_up_to_axes(drawn, x, y):
    """Whether a path has the corners (x, y) on linear axes; y points down in SVG."""
    assert len(drawn) == len(x)
    for axis, values in enumerate((x, y)):
        slope, offset = np.polyfit(values, drawn[:, axis], 1)
        np.testing.assert_allclose(np.asarray(values) * slope + offset, drawn[:, axis], atol=2e-3)
        assert (slope > 0) == (axis == 0)


@pytest.mark.parametrize(("kind", "form"), [("surface", "svg"), ("precision_recall", "pdf"), ("heat_map", "png")])
def test_a_figure_that_is_drawn_once_equals_one_that_matplotlib_draws_twice(contents, kind, form, monkeypatch):
    drawn_once = figure_bytes(contents[kind], form)
    monkeypatch.setattr(style, "_figure_class", lambda: Figure)
    assert figure_bytes(contents[kind], form) == drawn_once


@pytest.mark.parametrize("curve", ["PR20", "NDCG"])
@pytest.mark.parametrize("name", ["A1", "B2"])
def test_drawn_curve_equals_the_document_of_evaluate(data, document, curve, name):
    kind = "precision_recall" if curve == "PR20" else "gain"
    svg = figure_bytes(built(data, kind, curve=curve), "svg")
    written = next(run for run in document["runs"] if run["name"] == name)["curves"][curve]
    assert_same_up_to_axes(path_of(svg, name), written["x"], written["y"])


@pytest.mark.parametrize("average", ["recall", "generality", "rank", "class"])
def test_curves_are_averaged_as_by_evaluate(data, average):
    content = built(data, "precision_recall", curve="PR", average=average)
    for line in content.curves:
        values = data.scores.curve("PR", data.scores.run_index(line.label), None, average=average)
        np.testing.assert_array_equal(line.x, values.x)
        np.testing.assert_array_equal(line.y, values.y)


def test_wrong_average_names_the_ways(data):
    with pytest.raises(ShrecViewerError, match="the ways are"):
        built(data, "gain", curve="NDCG", average="generality")
    with pytest.raises(ShrecViewerError, match="its curves are"):
        built(data, "gain", curve="PR11")


def test_a_query_without_a_list_has_no_curve(data):
    labels = [curve.label for curve in built(data, "precision_recall", query="Q15").curves]
    assert "C1" not in labels, "C1 has no list for Q15"
    assert "A1" in labels
    with pytest.raises(ShrecViewerError, match="no curve"):
        built(data, "precision_recall", query="Q15", runs=("C1",))


@pytest.mark.parametrize(
    "options", [{"kind": "generality"}, {"kind": "precision_recall", "curve": "PR", "average": "generality"}]
)
def test_bounds_of_a_truncated_run_are_a_band(data, options):
    """Of the only run, or the highlighted one; C1 has short lists, B2 full ones."""

    def bands(**more):
        return built(data, **options, **more).references.areas

    assert len(bands(runs=("C1",))) == 1
    assert len(bands(runs=("C1", "B2"), highlight="C1")) == 1
    assert not bands(runs=("B2",))
    assert not bands(runs=("C1", "B2"))


def test_leaderboard_and_intervals_equal_means(data, document):
    means = {run["name"]: run["mean"]["ADR"] for run in document["runs"]}
    order = sorted(means, key=means.get, reverse=True)
    bars = built(data, "leaderboard", measure="ADR").bars
    assert [(bar.name, bar.value) for bar in bars] == [(name, means[name]) for name in order]
    rows = built(data, "significance", measure="ADR").rows
    assert [row.name for row in rows] == order
    for row in rows:
        assert row.low < row.value < row.high
        assert row.value == pytest.approx(means[row.name])
    svg = figure_bytes(built(data, "significance", measure="ADR"), "svg")
    ends = np.array([path_of(svg, f"interval-{row.name}")[:, 0] for row in rows])
    expected = np.array([(row.low, row.high) for row in rows])
    slope, offset = np.polyfit(expected.ravel(), ends.ravel(), 1)
    np.testing.assert_allclose(expected * slope + offset, ends, atol=2e-3)


def test_drawn_bars_have_the_lengths_of_the_means(data):
    content = built(data, "leaderboard", measure="ADR")
    svg = figure_bytes(content, "svg")
    lengths = [np.ptp(path_of(svg, f"bar-{bar.name}")[:, 0]) for bar in content.bars]
    np.testing.assert_allclose(
        lengths / lengths[0], [bar.value / content.bars[0].value for bar in content.bars], atol=1e-4
    )


def test_heat_map_has_the_values_of_the_document(data, document):
    content = built(
        data, "heat_map", measure="AP", query_order="hard", runs=("A1", "C1"), queries=("Q01", "Q15", "Q03")
    )
    assert set(content.rows) == {"A1", "C1"}
    assert set(content.columns) == {"Q01", "Q15", "Q03"}
    written = {run["name"]: run for run in document["runs"]}
    for row, name in enumerate(content.rows):
        assert content.totals[row] == written[name]["mean"]["AP"]
        for column, query in enumerate(content.columns):
            value = written[name]["queries"][query]["AP"]
            if value is None:
                assert np.isnan(content.values[row, column])
                assert content.absent[row, column]
            else:
                assert content.values[row, column] == value


def test_drawn_cells_have_the_colours_of_their_values(data):
    content = replace(built(data, "heat_map", measure="AP"), decimals=2)
    svg = figure_bytes(content, "svg")
    group = next(element for element in ElementTree.fromstring(svg).iter(f"{SVG}g") if element.get("id") == "cells")
    styles = [path.get("style", "") for path in group.iter(f"{SVG}path")]
    colours = [found[1] for style in styles if (found := re.search(r"fill: (#\w{6})", style))]
    values = content.values[~np.isnan(content.values)]
    assert len(colours) == len(values)
    # One hue falls in luminance: the order of the cells by luminance is opposite to that by value.
    light = [
        sum(int(colour[at : at + 2], 16) * w for at, w in ((1, 0.2126), (3, 0.7152), (5, 0.0722))) for colour in colours
    ]
    order = np.argsort(values, kind="stable")
    assert np.all(np.diff(np.array(light)[order]) < 2.5)


def test_cells_have_the_numbers_of_their_values(contents):
    root = ElementTree.fromstring(figure_bytes(contents["heat_map"], "svg", 174.0))
    texts = [text.text for text in root.iter(f"{SVG}text")]
    values = contents["heat_map"].values
    for value in values[(values > 0) & (values < 1)].tolist():
        assert f"{value:.{MAX_DECIMALS}f}".removeprefix("0") in texts, value


def test_gain_and_loss_are_differences_of_the_document(data, document):
    content = built(data, "gain_loss", measure="AP")
    runs = {run["name"]: run["queries"] for run in document["runs"]}
    for query, change in zip(content.names, content.changes, strict=True):
        a, b = runs["A1"][query]["AP"], runs["C1"][query]["AP"]
        # C1 has no list for Q15, which counts 0 in its mean.
        assert change == pytest.approx((b or 0.0) - a)
    assert np.all(np.diff(content.changes) <= 0), "largest gain first"
    assert content.gains == f"C1 better: {(content.changes > 0).sum()}"


def test_confusion_equals_the_tiers(data):
    content = built(data, "confusion", runs=("B1",), tier=2)
    found = confusion(tier_lists(data.benchmark, data.benchmark.run("B1"), PROFILE), data.benchmark, 2)
    np.testing.assert_array_equal(content.values, found.shares)
    with pytest.raises(ShrecViewerError, match="no classification"):
        built(replace(data, benchmark=replace(data.benchmark, classification=None)), "confusion")


def test_strips_show_the_list_and_the_ranks_of_missed_models(data):
    content = built(data, "strips", runs=("C1", "A1"), queries=("Q02", "Q15"), top=5)
    assert content.methods == ("C1", "A1")
    assert [row.query.caption for row in content.rows] == ["Q02", "Q15"]
    assert content.rows[1].strips[0].note == "no list for this query"
    hits = data.scores.hits[data.scores.run_index("A1")]
    query = data.benchmark.queries.ids.index("Q02")
    ranks = sorted(hits.rows(query, query + 1).ranks.tolist())
    strip = content.rows[0].strips[1]
    assert [number for number, tile in enumerate(strip.tiles, 1) if tile.level] == [rank for rank in ranks if rank <= 5]
    length = len(data.benchmark.collection)
    missed = [rank for rank in ranks if 5 < rank <= length]
    listed = [int(number) for number in re.findall(r"\d+", strip.note.partition(";")[0].partition(" more")[0])]
    assert listed[: len(missed[:8])] == missed[:8]


def test_rows_of_a_comparison_are_the_lists_and_texts_name_the_ranks_out_of_sight(data):
    """B2 and B1 on Q01: the texts of the figure are those of a plain search in the lists."""
    content = built(data, "comparison", runs=("B2", "B1", "C1"), queries=("Q01",), top=8, rank=2)
    lists = [ranked_list(data.benchmark, data.benchmark.run(name), 0, PROFILE) for name in ("B2", "B1", "C1")]
    ids = data.benchmark.collection.ids
    for ranked, row, tiles in zip(lists, content.rows, content.tiles, strict=True):
        assert row.items.tolist() == ranked.items.tolist()
        assert [tile.caption for tile in tiles] == [ids[item] for item in ranked.items[1:9]]
    expected = Counter()
    for above, below in pairwise(lists):
        ranks = [{item: rank for rank, item in enumerate(one.items.tolist(), 1)} for one in (above, below)]
        for rank in range(2, 10):
            other = ranks[1].get(int(above.items[rank - 1]), 0)
            if not 2 <= other < 10 and above.levels[rank - 1] > 0:
                expected[f"to {other}" if other else "not listed"] += 1
            other = ranks[0].get(int(below.items[rank - 1]), 0)
            if not 2 <= other < 10:
                expected[f"from {other}" if other else "not listed"] += 1
    tree = ElementTree.fromstring(figure_bytes(content, "svg"))
    texts = [
        text for one in tree.iter(f"{SVG}text") if re.match("(to|from) |not listed", text := "".join(one.itertext()))
    ]
    assert Counter(texts) == expected
    missing = built(data, "comparison", runs=("B2", "C1"), queries=("Q15",))
    assert (missing.rows[1].missing, missing.tiles[1]) == ("C1 has no results", ())
    assert (missing.rows[1].note, missing.sentence) == ("no results", "On Q15 bird, C1 has no results.")


def test_a_comparison_has_the_sentence_values_and_distances_of_the_window(data):
    """Figure and table name the values of an evaluation of all runs, without scores, too."""
    lists = [ranked_list(data.benchmark, data.benchmark.run(name), 0, PROFILE) for name in ("B2", "B1", "A1")]
    scores = evaluate(data.benchmark, PROFILE, measures=["ADR", "AP"])
    for key, given in (("ADR", None), ("AP", scores)):
        source = replace(data, scores=given)
        one, other, last = (
            f"{scores.values[scores.run_index(name), 0, scores.column(key)]:.3f}" for name in ("B2", "B1", "A1")
        )
        request = {"runs": ("B2", "B1", "A1"), "queries": ("Q01",), "measure": key}
        content = built(source, "comparison", rank=1, top=8, **request)
        assert [row.note for row in content.rows] == [f"{key} {value}" for value in (one, other, last)]
        gap = float(scores.values[scores.run_index("B1"), 0, scores.column(key)]) - float(
            scores.values[scores.run_index("B2"), 0, scores.column(key)]
        )
        side = "above" if gap > 0 else "below"
        assert content.sentence.startswith(f"On Q01 chair, B1 is {abs(gap):.3f} {key} {side} B2: {one} → {other}. ")
        assert content.sentence.endswith("; 1 relevant model enters the top 10, 3 leave.")
        for ranked, tiles in zip(lists, content.tiles, strict=True):
            assert [tile.note for tile in tiles] == [format_distance(value) for value in ranked.distances[:8].tolist()]
        tree = ElementTree.fromstring(figure_bytes(content, "svg"))
        texts = ["".join(one.itertext()) for one in tree.iter(f"{SVG}text")]
        assert content.sentence in " ".join(texts)
        assert {tile.note for tiles in content.tiles for tile in tiles} <= {*texts}
        table = build_table(source, ComparisonRequest(scope=8, **request))
        assert table.notes == (content.sentence, f"{key}: B2 {one}, B1 {other}, A1 {last}.")
        heads = [column.key for column in table.columns]
        for name, ranked in zip(("B2", "B1", "A1"), lists, strict=True):
            column = heads.index(f"{name} distance")
            assert [row[column] for row in table.rows] == ranked.distances[:8].tolist()


def test_a_missing_image_says_why(data):
    item = next(item for item, path in enumerate(data.benchmark.collection.paths) if data.image(path).problem)
    for run in data.benchmark.runs:
        for query in data.benchmark.queries.ids:
            content = built(data, "strips", runs=(run.name,), queries=(query,), top=60)
            problems = [tile.problem for tile in content.rows[0].strips[0].tiles if tile.pixels is None]
            if problems:
                assert problems == ["no faces"]
                svg = figure_bytes(replace(content, rows=content.rows), "svg", 174.0, dpi=40).decode()
                assert item >= 0
                assert "no" in svg
                return
    pytest.fail("the model without an image is in no list")
