"""Bars of intersections of sets: dots in place of names, in the window and on paper."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from shrec_viewer.charts.bars import Bar, Bars
from shrec_viewer.report.figures.rendering import matplotlib_figure
from shrec_viewer.widgets.plots.bar_chart import BarChart

SETS = [(False, False, False), (True, False, True), (False, True, False)]
CHART = Bars(
    "sets",
    "Models",
    tuple(Bar(f"bar {n}", 10.0 - n, "#336699", key=f"{n}", members=members) for n, members in enumerate(SETS)),
    (0.0, 10.0),
    0,
    ("A", "B", "C"),
)


@pytest.fixture
def widget(qtbot):
    chart = BarChart()
    qtbot.addWidget(chart)
    chart.resize(500, 240)
    chart.set_chart(CHART)
    chart.show()
    return chart


def dark_columns(widget, row):
    """Horizontal places of dark pixels in the middle of a row, left of its bar."""
    image = widget.viewport().grab().toImage()
    height = widget._row_height()
    y = round((row + 1.5) * height * image.devicePixelRatio())
    bar = next(x for x in range(image.width()) if image.pixelColor(x, y) == QColor("#336699"))
    return [x for x in range(bar - 2) if image.pixelColor(x, y).lightness() < 190]


def test_dots_are_filled_for_the_members_and_joined(widget):
    assert dark_columns(widget, 0) == []
    joined, single = dark_columns(widget, 1), dark_columns(widget, 2)
    assert np.diff(joined).max() == 1  # from A to C
    assert min(joined) < min(single) < max(single) < max(joined)


def test_a_click_picks_the_bar_below_the_header(widget, qtbot):
    height = widget._row_height()
    with qtbot.waitSignal(widget.bar_picked) as caught:
        qtbot.mousePress(widget.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, int(2.5 * height)))
    assert caught.args == ["1"]
    with qtbot.assertNotEmitted(widget.bar_picked):
        qtbot.mousePress(widget.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, height // 2))


def test_paper_has_the_same_dots():
    figure = matplotlib_figure(CHART, 84.0)
    dots, bars = figure.axes
    assert [text.get_text() for text in dots.get_xticklabels()] == ["A", "B", "C"]
    filled = [line.get_xdata() for line in dots.lines if line.get_linestyle() == "-"]
    assert [np.asarray(places).tolist() for places in filled] == [[], [0, 2], [1]]
    assert [patch.get_width() for patch in bars.patches] == [10, 9, 8]
