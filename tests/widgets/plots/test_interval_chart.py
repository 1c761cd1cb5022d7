"""Chart of runs with intervals: violins, thin lines and bars, by hand and in the picture."""

import pytest

from shrec_viewer.charts.intervals import IntervalRow, Intervals
from shrec_viewer.widgets.plots.interval_chart import IntervalChart

NAN = float("nan")


def row(name, value, **more):
    return IntervalRow(name, "#cc0000", "solid", "", value, NAN, NAN, **more)


def test_a_violin_is_as_wide_as_the_shares():
    """Half of the resamples are at place 2, a quarter each at 1 and 4; the ends are half a place outside."""
    found = row("A", 2.0, shares=(0.25, 0.5, 0.0, 0.25, 0.0)).violin(10.0)
    assert found == [(0.5, 0.0), (1.0, 5.0), (2.0, 10.0), (3.0, 0.0), (4.0, 5.0), (4.5, 0.0)]
    assert row("A", 2.0).violin(10.0) == []


@pytest.fixture
def chart(qtbot):
    chart = IntervalChart()
    qtbot.addWidget(chart)
    chart.resize(500, 160)
    rows = (
        row("A", 1.0, shares=(0.5, 0.5, 0.0), outer=(1.0, 3.0)),
        row("B", 2.0),
        IntervalRow("A, B", "", "solid", "", NAN, 1.0, 2.0, is_bar=True),
    )
    chart.set_chart(Intervals("", "Place", rows, decimals=0))
    chart.show()
    qtbot.waitExposed(chart)
    return chart


def columns_of(chart, row, is_painted):
    """Horizontal positions at which a pixel of a row fulfils a condition."""
    image, box = chart.viewport().grab().toImage(), chart.row_rect(row)
    left, right = (round(x) for x in chart._span())
    inside = range(round(box.top()) + 1, round(box.bottom()) - 1)
    return [x for x in range(left, right) if any(is_painted(image.pixelColor(x, y)) for y in inside)]


def is_red(colour):
    return colour.red() - colour.green() > 20


def test_the_picture_has_violin_line_and_bar(chart):
    left, right = chart._span()
    low, high = chart._limits()

    def x_of(value):
        return left + (value - low) / (high - low) * (right - left)

    violin, dot = columns_of(chart, 0, is_red), columns_of(chart, 1, is_red)
    assert violin[-1] == pytest.approx(x_of(2.5), abs=3)
    assert violin[-1] - violin[0] > 2 * (dot[-1] - dot[0])
    background = chart.viewport().grab().toImage().pixelColor(round(left), round(chart.row_rect(1).top()) + 2)
    line = columns_of(chart, 0, lambda colour: colour != background)
    assert line[-1] == pytest.approx(x_of(3.0), abs=2)
    bar = columns_of(chart, 2, lambda colour: colour != background)
    assert (bar[0], bar[-1]) == (pytest.approx(x_of(1.0), abs=2), pytest.approx(x_of(2.0), abs=2))
    assert not columns_of(chart, 2, is_red)


def test_ticks_of_places_are_whole_numbers(chart):
    assert [text for _, text in chart.ticks(0.4, 3.6, 700.0)] == ["1", "2", "3"]
