"""Markers of runs in plots of points differ on the screen and in exported figures."""

from itertools import combinations, product
from xml.etree import ElementTree

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from shrec_viewer.charts.plot import Axes, Plot, PlotCurve
from shrec_viewer.render.scene.palette import DASHES, MARKERS, RunStyle, point_marker
from shrec_viewer.report.figures.rendering import figure_bytes
from shrec_viewer.widgets.plots.curves import POINT_RADIUS, draw_marker

SVG = "{http://www.w3.org/2000/svg}"

STYLES = [RunStyle("#2E00AB", dash, marker) for dash, marker in product(DASHES, ("", *MARKERS[1:]))]


def drawn(marker):
    image = QImage(16, 16, QImage.Format.Format_Grayscale8)
    image.fill(255)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor("#FFFFFF"), 1.0))
    painter.setBrush(QColor("#2E00AB"))
    draw_marker(painter, QPointF(8, 8), marker, POINT_RADIUS)
    after = painter.brush().color().name()
    painter.end()
    assert after == "#2e00ab"
    return np.frombuffer(image.constBits(), np.uint8).reshape(16, 16).astype(int)


def test_all_25_markers_of_a_colour_differ_on_the_screen(qapp):
    markers = {point_marker(style) for style in STYLES}
    assert len(markers) == len(STYLES) == 25
    images = [drawn(marker) for marker in markers]
    assert min(np.count_nonzero(np.abs(a - b) > 64) for a, b in combinations(images, 2)) >= 4


def test_all_25_markers_differ_in_figures():
    middle = np.array([0.5])
    markers = sorted({point_marker(style) for style in STYLES})
    lines = [
        PlotCurve(str(number), f"marker {number}", middle, middle, "#2E00AB", marker=marker, dotted=True)
        for number, marker in enumerate(markers)
    ]
    root = ElementTree.fromstring(figure_bytes(Plot("", Axes("x", "y", (0, 1), (0, 1)), tuple(lines)), "svg"))
    # Equal shapes have the same id in a file, which is a hash of their path and style.
    groups = [group for group in root.iter(f"{SVG}g") if group.get("id", "").startswith("marker_")]
    found = {
        tuple((use.get("{http://www.w3.org/1999/xlink}href"), use.get("style")) for use in group.iter(f"{SVG}use"))
        for group in groups
    }
    assert len(groups) == len(found) == 25
    assert all(found)
