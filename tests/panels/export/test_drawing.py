"""Panels without a figure of their own, as plug-ins have them: what they draw becomes figures by matplotlib."""

import re
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pyqtgraph as pg
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter, QPen
from PySide6.QtWidgets import QLabel, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

from shrec_viewer.panels.export.drawing import record_drawing
from shrec_viewer.report.figures.content import DrawnImage, DrawnShape, DrawnText
from shrec_viewer.report.figures.files import figure_files, write_figure_files
from shrec_viewer.report.figures.palettes import distinct_colours, find_palette, grey, is_chromatic
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.viewmodels.thumbnails.qimage import qimage_to_rgba
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_theme

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)

WIDTH = 84.0
POINTS_PER_MM = 72 / 25.4

X, FIRST, SECOND = np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 4.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0, 1.0])


class PlotPlugin(QWidget):
    """A plot of a plug-in in a frame, with everything that pyqtgraph draws, and a table below it."""

    def __init__(self):
        super().__init__()
        self.plot = pg.PlotWidget(enableMenu=False)
        self.plot.setBackground("w")
        self.plot.setLabel("bottom", "Rank")
        self.plot.setLabel("left", "Gain")
        self.plot.addLegend()
        self.plot.plot(X, FIRST, pen=pg.mkPen("#d02020", width=2), name="A & B 50%")
        self.plot.plot(X, SECOND, pen=pg.mkPen("#2020d0", style=Qt.PenStyle.DashLine), symbol="o", name="C_1")
        self.plot.addItem(pg.BarGraphItem(x=[1, 2], height=[1, 2], width=0.3, brush="#20a020"))
        self.plot.addItem(pg.InfiniteLine(2.5, pen="#808000"))
        self.plot.addItem(pg.TextItem("note", color="#000000"))
        image = pg.ImageItem(np.arange(12.0).reshape(3, 4))
        image.setRect(QRectF(3.2, 3.0, 0.6, 0.8))
        self.plot.addItem(image)
        self.plot.setRange(xRange=(0, 5), yRange=(0, 5), padding=0)
        self.table = QTableWidget(30, 2)
        self.table.setItem(0, 0, QTableWidgetItem("first_cell"))
        layout = QVBoxLayout(self)
        layout.addWidget(self.plot, 2)
        layout.addWidget(self.table, 1)

    def device_points(self, y):
        """Pixels of a curve in the panel."""
        view, box = self.plot, self.plot.getPlotItem().getViewBox()
        scene = [box.mapViewToScene(QPointF(*point)) for point in zip(X, y, strict=True)]
        offset = view.viewport().mapTo(self, QPoint())
        mapped = [view.viewportTransform().map(point) + QPointF(offset) for point in scene]
        return np.array([(point.x(), point.y()) for point in mapped])


class PaintedPlugin(QWidget):
    """A panel that paints with all kinds of calls."""

    fails = False

    def paintEvent(self, _event):
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        gradient = QLinearGradient(0, 0, 200, 0)
        gradient.setColorAt(0, QColor("#ff0000"))
        gradient.setColorAt(1, QColor("#0000ff"))
        painter.fillRect(QRectF(0, 0, 200, 20), gradient)
        painter.setPen(QPen(QColor("#112233"), 3))
        painter.drawEllipse(QPointF(50, 50), 20, 10)
        painter.drawPoints([QPoint(10, 60), QPoint(15, 60)])
        painter.setBrush(QColor(0, 128, 0, 128))
        painter.drawPie(QRectF(80, 30, 40, 40), 0, 90 * 16)
        painter.setClipRect(QRectF(130, 30, 20, 20))
        painter.drawRect(QRectF(120, 20, 60, 60))
        painter.setClipping(False)
        painter.save()
        painter.translate(20, 120)
        painter.rotate(-90)
        painter.drawText(QPointF(0, 0), "upwards")
        painter.restore()
        painter.drawText(QPointF(60, 100), "\u05e9\u05dc\u05d5\u05dd")
        image = QImage(2, 1, QImage.Format.Format_RGB32)
        image.setPixelColor(0, 0, QColor("#ff0000"))
        image.setPixelColor(1, 0, QColor("#0000ff"))
        painter.translate(150, 90)
        painter.scale(-1, 1)
        painter.drawImage(QRectF(0, 0, 20, 10), image)
        painter.end()


@pytest.fixture
def shown(qtbot):
    """A widget in its size, laid out."""

    def make(widget, width=420, height=360):
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        return widget

    return make


def parts_of(content, kind):
    return [part for part in content.parts if isinstance(part, kind)]


def svg_paths(svg, style):
    """Vertices of the paths of a style."""
    root = ET.fromstring(svg)
    paths = [node.get("d") for node in root.iter("{http://www.w3.org/2000/svg}path") if style in node.get("style", "")]
    return [np.array(re.findall(r"[ML] ([-\d.]+) ([-\d.]+)", path), float) for path in paths]


def test_curves_are_where_their_data_are(shown):
    panel = shown(PlotPlugin())
    svg = figure_bytes(record_drawing(panel, "Plot"), "svg", WIDTH)
    scale = WIDTH * POINTS_PER_MM / panel.width()
    for colour, y in (("#d02020", FIRST), ("#2020d0", SECOND)):
        curves = [path for path in svg_paths(svg, f"stroke: {colour}") if len(path) == len(X)]
        np.testing.assert_allclose(curves[0], panel.device_points(y) * scale, atol=0.6)
    text = svg.decode()
    for word in ("A &amp; B 50%", "C_1", "Rank", "Gain", "note", "first_cell", "3"):
        assert f">{word}" in text, word


def test_a_drawing_looks_like_the_panel(shown):
    panel = shown(PlotPlugin())
    drawn = QImage.fromData(figure_bytes(record_drawing(panel, "Plot"), "png", WIDTH))
    small = [image.scaled(105, 90, mode=Qt.TransformationMode.SmoothTransformation) for image in (
        drawn, panel.grab().toImage())]  # fmt: skip
    one, other = (qimage_to_rgba(image)[..., :3].astype(float) for image in small)
    assert np.abs(one - other).mean() < 4.0  # of 255: antialiasing and other letters


def test_symbols_are_vectors_and_the_screen_is_as_before(shown):
    panel = shown(PlotPlugin())
    before = panel.grab().toImage()
    content = record_drawing(panel, "Plot")
    circles = [shape for shape in parts_of(content, DrawnShape) if shape.fill and (shape.codes == 4).any()]
    assert len(circles) >= len(X)
    panel.plot.viewport().update()
    assert panel.grab().toImage() == before


def test_parts_outside_of_their_widget_are_clipped(shown):
    panel = shown(PlotPlugin())
    content = record_drawing(panel, "Plot")
    corner = panel.table.viewport().mapTo(panel, QPoint())
    bottom = corner.y() + panel.table.viewport().height()
    (cell,) = [text for text in parts_of(content, DrawnText) if text.text == "first_cell"]
    assert corner.y() <= cell.clip[1] <= cell.clip[3] <= bottom
    box = panel.plot.getPlotItem().getViewBox().sceneBoundingRect()
    (curve,) = [shape for shape in parts_of(content, DrawnShape) if shape.line == "#2020d0" and len(shape.codes) == 4]
    offset = panel.plot.viewport().mapTo(panel, QPoint())
    assert curve.clip == pytest.approx(box.translated(offset).getCoords(), abs=1.0)


def test_painted_calls_are_recorded(shown):
    content = record_drawing(shown(PaintedPlugin(), 200, 140), "Painted")
    shapes, texts, images = (parts_of(content, kind) for kind in (DrawnShape, DrawnText, DrawnImage))
    gradient, picture = images
    assert gradient.box == pytest.approx((0, 0, 200, 20))
    assert gradient.pixels[5, 5, 0] > 240 > 15 > gradient.pixels[5, 5, 2]
    assert picture.box == pytest.approx((130, 90, 150, 100))
    assert picture.pixels[0, 0].tolist() == [0, 0, 255, 255]  # mirrored
    pie = next(shape for shape in shapes if shape.fill == "#008000")
    assert pie.fill_opacity == pytest.approx(0.5, abs=0.01)
    assert (pie.line, pie.line_width) == ("#112233", 3.0)
    assert any(shape.clip == pytest.approx((130, 30, 150, 50)) for shape in shapes)
    points = [
        shape.vertices for shape in shapes if shape.fill == "#112233" and np.ptp(shape.vertices, axis=0).max() <= 3
    ]
    assert [tuple((ends.min(axis=0) + ends.max(axis=0)) / 2) for ends in points] == [(10.0, 60.0), (15.0, 60.0)]
    (upwards,) = texts
    assert (upwards.text, upwards.angle) == ("upwards", pytest.approx(90.0))
    assert (upwards.x, upwards.y) == pytest.approx((20.0, 120.0))
    hebrew = [shape for shape in shapes if shape.fill == "#112233" and (shape.codes == 4).any()]
    assert any(shape.vertices[:, 1].max() <= 102 and shape.vertices[:, 0].min() >= 55 for shape in hebrew)


def test_what_cannot_be_recorded_is_an_image(shown, monkeypatch, caplog):
    panel = shown(PaintedPlugin(), 200, 140)
    monkeypatch.setattr("shrec_viewer.panels.export.drawing._path_arrays", None)
    content = record_drawing(panel, "Painted")
    (image,) = content.parts
    assert image.pixels.shape[:2] == (140, 200)
    assert "exported as an image" in caplog.text


@pytest.mark.parametrize(("width", "height"), [(1, 1), (3, 900), (900, 3)])
def test_panels_of_any_shape_are_drawn(width, height, qtbot):
    label = QLabel("text")
    qtbot.addWidget(label)
    label.setMinimumSize(0, 0)
    label.resize(width, height)
    content = record_drawing(label, "Label")
    assert (content.width, content.height) == (width, height)
    assert figure_bytes(content, "svg", WIDTH).startswith(b"<?xml")


def test_dark_colours_become_light_ones(shown, qapp):
    apply_theme(qapp, DARK)
    try:
        label = QLabel("text")
        label.setStyleSheet(f"color: {DARK.ink}; background: {DARK.surface}")
        content = record_drawing(shown(label, 100, 30), "Label")
    finally:
        apply_theme(qapp, LIGHT)
    (text,) = parts_of(content, DrawnText)
    assert text.fill == LIGHT.ink.lower()
    assert LIGHT.surface.lower() in {shape.fill for shape in parts_of(content, DrawnShape)}


def test_colours_stay_distinct_in_each_palette(shown):
    content = record_drawing(shown(PlotPlugin()), "Plot")
    curves = ("#d02020", "#2020d0", "#20a020", "#808000")
    found = {}
    for palette in ("default", "greyscale", "colour-blind"):
        svg = figure_bytes(content, "svg", WIDTH, palette).decode()
        found[palette] = set(re.findall(r"(?:stroke|fill): (#[0-9a-f]{6})", svg))
    assert set(curves) <= found["default"]
    assert not set(curves) & found["greyscale"]
    assert all(colour == grey(colour).lower() for colour in found["greyscale"])
    okabe = {colour.lower() for colour in find_palette("colour-blind").series}
    assert {colour for colour in found["colour-blind"] if is_chromatic(colour)} <= okabe


@pytest.mark.parametrize("count", [1, 2, 5, 8, 12])
def test_greys_differ_and_are_visible(count):
    colours = [QColor.fromHsv(360 * index // count, 255, 200).name() for index in range(count)]
    for has_dark, has_light in ((False, True), (True, False), (True, True)):
        greys = distinct_colours(colours, find_palette("greyscale"), has_dark=has_dark, has_light=has_light)
        levels = sorted(int(colour[1:3], 16) for colour in greys.values())
        assert len(set(levels)) == count
        assert not has_dark or levels[0] >= 0x50
        assert not has_light or levels[-1] <= 0xB0
    assert distinct_colours(colours * 9, find_palette("colour-blind"), has_dark=False, has_light=True) == {}


@pytest.mark.skipif(shutil.which("pdffonts") is None, reason="needs pdffonts")
def test_pdf_files_embed_their_fonts(shown, tmp_path):
    path = tmp_path / "panel.pdf"
    path.write_bytes(figure_bytes(record_drawing(shown(PlotPlugin()), "Plot"), "pdf", WIDTH))
    rows = subprocess.run(["pdffonts", path], check=True, capture_output=True, text=True).stdout.splitlines()[2:]
    assert rows
    assert all(re.search(r" yes (yes|no) (yes|no) +\d+ +\d+$", row) for row in rows), rows


@pytest.mark.skipif(shutil.which("xelatex") is None, reason="needs XeLaTeX")
def test_pgf_files_compile_with_their_images(shown, tmp_path):
    content = record_drawing(shown(PlotPlugin()), "Plot")
    write_figure_files(figure_files(content, "pgf", tmp_path / "100% of_it.pgf", WIDTH))
    names = {path.name for path in tmp_path.iterdir() if path.suffix == ".png"}
    assert names
    # Nothing that LaTeX interprets.
    assert set("".join(names)) <= set("abcdefghijklmnopqrstuvwxyz0123456789-.")
    Path(tmp_path, "100% of_it.pgf").rename(tmp_path / "drawn.pgf")
    document = r"\documentclass{article}\usepackage{pgf}\begin{document}\input{drawn.pgf}\end{document}"
    (tmp_path / "paper.tex").write_text(document)
    command = ["xelatex", "-interaction=batchmode", "-halt-on-error", "paper.tex"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
