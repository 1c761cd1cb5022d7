"""Geometry of the line and interval charts of a site, which templates write as SVG."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

WIDTH, HEIGHT = 640.0, 400.0
LEFT, RIGHT, TOP, BOTTOM = 56.0, 22.0, 12.0, 46.0
"""Units of the SVG: size of a chart, and margins around its axes."""

AXES = {"left": LEFT, "right": WIDTH - RIGHT, "top": TOP, "bottom": HEIGHT - BOTTOM}
"""Box of the axes, for templates."""

MAX_TICKS = 6


@dataclass(frozen=True)
class ChartTick:
    """A tick of an axis: its coordinate in the SVG, and its label."""

    at: str
    label: str


@dataclass(frozen=True)
class ChartLine:
    """A line of a chart.

    Attributes
    ----------
    label : in the legend.
    style : CSS classes of its colour and dash.
    link : page of the run, relative to the site.
    path : data of an SVG path; "" without a finite value.
    points : "x,y" of values without a neighbour, which a path does not show.
    x, y : values, separated by blanks; x is "" if it is that of the chart. An undefined value is ``nan``.
    is_dimmed : whether the line is context for others.
    """

    label: str
    style: str
    link: str
    path: str
    points: tuple[tuple[str, str], ...]
    x: str
    y: str
    is_dimmed: bool = False


@dataclass(frozen=True)
class Chart:
    """A line chart.

    Attributes
    ----------
    key : of the curve; its id on the page.
    title, description : for the heading and for screen readers.
    x_label, y_label : of the axes.
    x_ticks, y_ticks : ticks.
    x_range, y_range : limits of the axes.
    x : common abscissae of the lines, separated by blanks; "" where each line has its own.
    lines : in the order of the legend.
    rows : table of values for readers without a pointer: x, then a value of each line; empty for none.
    """

    key: str
    title: str
    description: str
    x_label: str
    y_label: str
    x_ticks: tuple[ChartTick, ...]
    y_ticks: tuple[ChartTick, ...]
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x: str
    lines: tuple[ChartLine, ...]
    rows: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Series:
    """Values of a line before they are scaled; see `ChartLine`."""

    label: str
    style: str
    link: str
    x: Floats
    y: Floats
    is_dimmed: bool = False


TABLE_RANKS = (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)
"""Abscissae in tables of values, of charts by rank."""


def line_chart(
    key: str,
    title: str,
    labels: tuple[str, str],
    x_range: tuple[float, float] | None,
    y_range: tuple[float, float] | None,
    series: Sequence[Series],
    *,
    digits: int = 17,
    description: str = "",
) -> Chart:
    """A chart of some lines.

    Parameters
    ----------
    labels : of the axes.
    x_range, y_range : limits; None or infinite ones follow the data.
    digits : significant digits of the values; 17 are exact. With 3 or fewer, lines have whole coordinates.
    """
    x_low, x_high = _limits(x_range, [line.x for line in series])
    y_low, y_high = _limits(y_range, [line.y for line in series], from_zero=True)
    x_ticks = _ticks(x_low, x_high)
    if x_low == 1.0:  # the first rank
        x_ticks = [1.0, *x_ticks]
    y_ticks = _ticks(y_low, y_high)
    if y_range is None or not all(map(math.isfinite, y_range)):
        y_high = max(y_high, y_ticks[-1] if y_ticks else y_high)
    shared = bool(series) and all(np.array_equal(line.x, series[0].x, equal_nan=True) for line in series)
    lines = []
    for line in series:
        x = LEFT + (line.x - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)
        y = HEIGHT - BOTTOM - (line.y - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)
        path, points = _path(x, y) if digits > 3 else _path(np.round(x), np.round(y))
        own_x = "" if shared else _numbers(line.x, digits)
        lines.append(
            ChartLine(line.label, line.style, line.link, path, points, own_x, _numbers(line.y, digits), line.is_dimmed)
        )
    return Chart(
        key=key,
        title=title,
        description=description,
        x_label=labels[0],
        y_label=labels[1],
        x_ticks=tuple(
            ChartTick(_coordinate(LEFT + (tick - x_low) / (x_high - x_low) * (WIDTH - LEFT - RIGHT)), _tick_text(tick))
            for tick in x_ticks
        ),
        y_ticks=tuple(
            ChartTick(
                _coordinate(HEIGHT - BOTTOM - (tick - y_low) / (y_high - y_low) * (HEIGHT - TOP - BOTTOM)),
                _tick_text(tick),
            )
            for tick in y_ticks
        ),
        x_range=(x_low, x_high),
        y_range=(y_low, y_high),
        x=_numbers(series[0].x, digits) if shared else "",
        lines=tuple(lines),
        rows=_rows(series) if shared else (),
    )


def _rows(series: Sequence[Series]) -> tuple[tuple[float, ...], ...]:
    """All values of short lines, those at `TABLE_RANKS` of long ones."""
    x = series[0].x
    kept = range(len(x)) if len(x) <= max(20, len(TABLE_RANKS)) else np.flatnonzero(np.isin(x, TABLE_RANKS))
    return tuple((float(x[at]), *(float(line.y[at]) for line in series)) for at in kept)


def _limits(
    given: tuple[float, float] | None, values: Sequence[Floats], *, from_zero: bool = False
) -> tuple[float, float]:
    finite = np.concatenate([np.zeros(0), *(each[np.isfinite(each)] for each in values)])
    low = float(finite.min()) if len(finite) else 0.0
    high = float(finite.max()) if len(finite) else 1.0
    if from_zero:
        low = min(low, 0.0)
    if given is not None:
        low, high = (end if math.isfinite(end) else found for end, found in zip(given, (low, high), strict=True))
    return (low, high) if high > low else (low, low + 1.0)


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers from low to high, at most `MAX_TICKS` intervals.

    Examples
    --------
    >>> _ticks(0.0, 1.0), _ticks(1.0, 100.0), _ticks(0.0, 37.0)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [20.0, 40.0, 60.0, 80.0, 100.0], [0.0, 10.0, 20.0, 30.0])
    """
    raw = (high - low) / MAX_TICKS
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * power for factor in (1.0, 2.0, 5.0, 10.0) if factor * power >= raw * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]


def _tick_text(value: float) -> str:
    return f"{value:,.10g}".replace("-", "\N{MINUS SIGN}")


def _path(x: Floats, y: Floats) -> tuple[str, tuple[tuple[str, str], ...]]:
    parts: list[str] = []
    points: list[tuple[str, str]] = []
    finite = np.isfinite(x) & np.isfinite(y)
    start = 0
    while start < len(x):
        if not finite[start]:
            start += 1
            continue
        stop = start
        while stop < len(x) and finite[stop]:
            stop += 1
        corners = [f"{_coordinate(x[at])},{_coordinate(y[at])}" for at in range(start, stop)]
        if len(corners) == 1:
            points.append((_coordinate(x[start]), _coordinate(y[start])))
        else:
            parts.append(f"M{' '.join(corners)}")
        start = stop
    return "".join(parts), tuple(points)


def _coordinate(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _numbers(values: Iterable[float], digits: int) -> str:
    """Numbers separated by blanks; 17 digits are those of `repr`, the shortest text with the same value."""
    if digits >= 17:
        return " ".join(repr(float(value)).removesuffix(".0") for value in values)
    return " ".join(f"{value:.{digits}g}" for value in values)


@dataclass(frozen=True)
class RunIntervalRow:
    """A row of an interval chart: a run, its value and the interval around it, in units of the SVG and as numbers."""

    label: str
    link: str
    style: str
    y: str
    low: str
    at: str
    high: str


@dataclass(frozen=True)
class RunIntervalChart:
    """Means of runs with confidence intervals, one row each."""

    height: str
    ticks: tuple[ChartTick, ...]
    rows: tuple[RunIntervalRow, ...]


ROW_HEIGHT = 22.0
INTERVAL_LEFT = 150.0


def interval_chart(
    rows: Sequence[tuple[str, str, str, float, float, float]], value_range: tuple[float, float]
) -> RunIntervalChart:
    """An interval chart of (label, link, style, mean, low, high) for each row."""
    values = np.array([row[3:] for row in rows], np.float64).reshape(len(rows), 3)
    low, high = _limits(None, [values])
    if math.isfinite(value_range[0]):
        low = max(value_range[0], low - (high - low) * 0.05)
    scale = (WIDTH - INTERVAL_LEFT - RIGHT) / (high - low)

    def place(value: float) -> str:
        return _coordinate(INTERVAL_LEFT + (value - low) * scale) if math.isfinite(value) else ""

    drawn = [
        RunIntervalRow(label, link, style, _coordinate(ROW_HEIGHT * (row + 0.5)), place(start), place(mean), place(end))
        for row, (label, link, style, mean, start, end) in enumerate(rows)
    ]
    ticks = tuple(
        ChartTick(_coordinate(INTERVAL_LEFT + (tick - low) * scale), _tick_text(tick)) for tick in _ticks(low, high)
    )
    return RunIntervalChart(_coordinate(ROW_HEIGHT * len(rows)), ticks, tuple(drawn))


def map_paths(shares: Floats, limits: Sequence[float]) -> tuple[str, ...]:
    """Cells of a matrix (K, L) in [0, 1] as SVG paths in units of cells, one for each upper limit.

    Cells with 0 are in none. Neighbours in a row that are in the same range are one rectangle.

    Examples
    --------
    >>> map_paths(np.array([[0.0, 0.1, 0.1, 0.9]]), (0.5, 1.0))
    ('M1,0h2v1H1z', 'M3,0h1v1H3z')
    """
    found: list[list[str]] = [[] for _ in limits]
    ranges = np.minimum(np.searchsorted(limits, shares), len(limits) - 1)
    ranges = np.where(shares > 0, ranges, -1)
    for row, cells in enumerate(ranges):
        edges = np.flatnonzero(np.diff(cells)) + 1
        for start, stop in zip([0, *edges], [*edges, len(cells)], strict=True):
            if stop > start and cells[start] >= 0:
                found[cells[start]].append(f"M{start},{row}h{stop - start}v1H{start}z")
    return tuple("".join(parts) for parts in found)
