"""Plots of lines, areas and points."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.number_format import format_percent
from shrec_viewer.report.figures.content import FigureLine, FigurePoint, FigureSpec
from shrec_viewer.report.figures.drawing.style import COLUMN_MM, FONT_SIZE, INCH, LINE_MM, PAGE_MM, Drawing
from shrec_viewer.report.figures.palettes import MUTED, PAPER, FigurePalette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN_ASPECT = 0.72
"""Height of the axes relative to the width of the figure, in one column; across both columns it is lower."""

PAGE_ASPECT = 0.52

MAX_HALVINGS = 20
"""Largest exponent that is written out, 1/1,048,576; longer labels would take too much space."""

AXES_SHARE = 0.85
"""Approximate width of the axes relative to that of the figure."""

DASHES: dict[str, Any] = {
    "solid": "solid",
    "dash": (0, (5, 2.5)),
    "dot": (0, (1, 1.6)),
    "dashdot": (0, (6, 2, 1.2, 2)),
    "dashdotdot": (0, (6, 2, 1.2, 2, 1.2, 2)),
    "none": "none",
    "gaps": (0, (5, 5)),
    "gaps2": (0, (5, 10)),
    "gaps3": (0, (5, 15)),
}
MARKERS = {"": "", "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "P"}
"""Names of the palette, and those of matplotlib; includes dashes of lines drawn over equal ones."""

FILL_STYLES: dict[str, Any] = {"": "full", "hollow": "none", "left": "left", "right": "right", "bottom": "bottom"}
"""Names of the palette for the filled part of a marker, and those of matplotlib."""


def draw_plot(graph: FigureSpec, drawing: Drawing) -> "Figure":
    """A plot with its legend below the axes."""
    graph, width = _recoloured(graph, drawing.palette), drawing.width
    named = [line for line in graph.lines if line.label]
    columns = _legend_columns([line.label for line in named], width)
    rows = -(-len(named) // columns) if named else 0
    shape = COLUMN_ASPECT if width <= (COLUMN_MM + PAGE_MM) / 2 else PAGE_ASPECT
    height = width * shape + rows * LINE_MM
    figure = drawing.figure(height)
    axes = figure.add_subplot()
    draw_areas(axes, graph)
    for line in graph.references:
        draw_line(axes, line, order=1.5)
    handles = [draw_line(axes, line, order=line_order(line)) for line in graph.lines]
    draw_points(axes, graph.points)
    style_axes(axes, graph)
    annotate(axes, graph, width)
    if named:
        shown = legend_row_order(
            [handle for handle, line in zip(handles, graph.lines, strict=True) if line.label], columns
        )
        labels = legend_row_order([line.label for line in named], columns)
        figure.legend(
            shown, labels, loc="outside lower center", ncols=columns, handlelength=2.6, columnspacing=1.2,
            handletextpad=0.5, labelspacing=0.25, borderpad=0.1, borderaxespad=0.2,
        )  # fmt: skip
    return figure


def _recoloured(graph: FigureSpec, palette: FigurePalette) -> FigureSpec:
    """The plot in the colours of a palette."""

    def recolour(line: FigureLine) -> FigureLine:
        return replace(line, colour=palette.colour(line.colour), marker=palette.marker(line.colour, line.marker))

    return replace(
        graph,
        lines=tuple(map(recolour, graph.lines)),
        references=tuple(replace(line, colour=palette.colour(line.colour)) for line in graph.references),
        areas=tuple(replace(area, colour=palette.colour(area.colour)) for area in graph.areas),
        points=tuple(replace(point, colour=palette.colour(point.colour)) for point in graph.points),
    )


def _legend_columns(labels: Sequence[str], width: float) -> int:
    """Number of columns so that rows have similar lengths; a character is half the font size, plus the line sample."""
    longest = max((len(label) for label in labels), default=1)
    each = (longest * 0.56 + 4.4) * FONT_SIZE / 72.0 * INCH
    most = max(1, min(len(labels), int(width * 0.94 / each)))
    rows = -(-len(labels) // most)
    return -(-len(labels) // rows) if rows else 1


def legend_row_order(entries: Sequence[Any], columns: int) -> list[Any]:
    """Reorder entries so that a legend filled column by column reads row by row.

    Examples
    --------
    >>> legend_row_order("ABCDE", 3)  # rows A B C and D E
    ['A', 'D', 'B', 'E', 'C']
    """
    return [entry for column in range(columns) for entry in entries[column::columns]]


def draw_areas(axes: "Axes", graph: FigureSpec) -> None:
    """Draw the filled polygons of a plot."""
    for area in graph.areas:
        axes.fill(area.x, area.y, facecolor=area.colour, alpha=area.opacity, linewidth=0, zorder=0.5)


def draw_line(axes: "Axes", line: FigureLine, order: float) -> Any:
    """Draw a line with its markers and intervals; returns the line that a legend shows."""
    from matplotlib.lines import Line2D

    marker = line.marker or ("circle" if line.dotted else "")
    markers = marker_style(marker, line.colour)
    every = None if line.dotted or not marker else max(1, len(line.x) // 8)
    dash = DASHES[line.upon or line.dash]
    if line.groove:
        scaled: Any = dash if isinstance(dash, str) else (0, tuple(part * line.width / line.groove for part in dash[1]))
        groove = Line2D(line.x, line.y, color=PAPER, linestyle=scaled, linewidth=line.groove, zorder=order - 0.05)
        axes.add_artist(groove)
    drawn = Line2D(
        line.x, line.y, color=line.colour, linestyle=dash, linewidth=line.width + line.wider, markevery=every,
        zorder=order, gid=svg_id(line.label), **markers,
    )  # fmt: skip
    axes.add_artist(drawn)  # `axes.plot` takes three times as long, for units and limits
    isolated = _isolated_samples(line)
    if len(isolated) and not line.dotted:
        axes.plot(
            line.x[isolated], line.y[isolated], color=line.colour, linestyle="", marker="o", markersize=2.5,
            zorder=order,
        )  # fmt: skip
    if line.spread is not None:
        ok = np.isfinite(line.spread).all(axis=0)
        axes.vlines(line.x[ok], line.spread[0, ok], line.spread[1, ok], colors=line.colour, linewidth=0.5, zorder=order)
    if not line.upon and not line.wider:
        return drawn
    # The legend shows the style of the run.
    return Line2D([], [], color=line.colour, linestyle=DASHES[line.dash], linewidth=line.width, **markers)


def marker_style(marker: str, colour: str, size: float = 3.0) -> dict[str, Any]:
    """Settings of matplotlib for a marker, see `FigureLine`, of a size in points."""
    shape, _, fill = marker.partition(" ")
    return {
        "marker": MARKERS[shape],
        "markersize": size,
        "fillstyle": FILL_STYLES[fill],
        "markerfacecoloralt": PAPER,
        "markeredgewidth": 0.5 if fill else 0.3,
        "markeredgecolor": colour if fill else PAPER,
    }


def line_order(line: FigureLine) -> float:
    """Wide lines below thin ones; a line drawn over an equal one above both."""
    return 5.0 + line.level * 0.1 if line.level else 3.0 + line.width


def svg_id(label: str) -> str | None:
    """Id of a curve's SVG element, shown by drawing programs."""
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in label) or None


def _isolated_samples(line: FigureLine) -> NDArray[np.intp]:
    """Indices of samples without a neighbour to draw a line to."""
    finite = np.isfinite(line.x) & np.isfinite(line.y)
    before, after = np.append(False, finite[:-1]), np.append(finite[1:], False)
    return np.flatnonzero(finite & ~before & ~after)


def draw_points(axes: "Axes", points: Sequence[FigurePoint]) -> None:
    """Draw points without their labels, see `annotate`."""
    for point in points:
        axes.plot([point.x], [point.y], marker="D", markersize=3.5, markerfacecolor=PAPER,
                  markeredgecolor=point.colour, markeredgewidth=0.8, linestyle="", zorder=6, clip_on=False)  # fmt: skip


def annotate(axes: "Axes", graph: FigureSpec, width: float) -> None:
    """Label points and reference lines, towards the centre of the axes; overlapping labels are omitted.

    Labels of lines that end at the right or upper border are outside of the axes, where no curve of a run crosses them.
    Others are below the curves, which they would interrupt.
    """
    wanted = [(point.label, point.x, point.y, "", 7.0) for point in graph.points]
    wanted += [
        (line.mark, float(line.x[line.at]), float(line.y[line.at]), _border(graph, line), 2.5)
        for line in sorted(graph.references, key=_is_within)
        if line.mark and len(line.x)
    ]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    taken: list[tuple[float, float, float]] = []
    for words, x, y, border, order in wanted:
        if border:
            across = 4 if border == "right" else 0 if x < graph.x_range[1] else -4
        else:
            across = 4 if x < (left + right) / 2 else -4
        down = 0 if border == "right" else 4 if border or y < (bottom + top) / 2 else -4
        length = len(words) * 0.56 * FONT_SIZE / 72.0 * INCH
        start = (x - left) / (right - left) * width * AXES_SHARE - length * {4: 0.0, 0: 0.5, -4: 1.0}[across]
        height = (y - bottom) / (top - bottom) * width * AXES_SHARE * COLUMN_ASPECT
        height += LINE_MM if border == "top" else 0.0
        near = [end for begin, end, line in taken if abs(line - height) < LINE_MM * 0.8 and begin < start + length]
        if any(end > start for end in near) or (border and not (left <= x <= right and bottom <= y <= top)):
            continue
        taken.append((start, start + length, height))
        axes.annotate(
            words, (x, y), xytext=(across, down), textcoords="offset points", fontsize=FONT_SIZE - 1, color=MUTED,
            ha="left" if across > 0 else "right" if across else "center",
            va="center" if not down else "bottom" if down > 0 else "top",
            zorder=order, bbox={"facecolor": PAPER, "alpha": 0.75, "linewidth": 0, "pad": 0.6},
        )  # fmt: skip


def _is_within(line: FigureLine) -> bool:
    return not line.ends


def _border(graph: FigureSpec, line: FigureLine) -> str:
    """Border of the axes outside of which the label of a line is: ``"right"``, ``"top"``, or "" if it is inside."""
    if line.ends:
        return "right"
    last = len(line.x) - 1
    if last > 0 and line.at in (last, -1):
        for border, values, limit in (("right", line.x, graph.x_range[1]), ("top", line.y, graph.y_range[1])):
            if math.isclose(values[-1], limit) and not math.isclose(values[-2], limit):
                return border
    return ""


def style_axes(axes: "Axes", graph: FigureSpec) -> None:
    """Set the labels, limits and ticks of a plot."""
    from matplotlib.ticker import AutoLocator, FuncFormatter, MultipleLocator, ScalarFormatter

    axes.set_xlabel(graph.x_label)
    axes.set_ylabel(graph.y_label)
    axes.grid(visible=True)
    for low_high, setter in ((graph.x_range, axes.set_xlim), (graph.y_range, axes.set_ylim)):
        margin = 0.015 * (low_high[1] - low_high[0])
        setter(low_high[0] - margin, low_high[1] + margin)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    step = max(1, round((graph.x_range[1] - graph.x_range[0]) / 7))
    axes.xaxis.set_major_locator(MultipleLocator(step) if graph.x_ticks == "halves" else AutoLocator())
    texts = {"halves": _format_halvings, "percent": _format_percent}.get(graph.x_ticks)
    axes.xaxis.set_major_formatter(ScalarFormatter() if texts is None else FuncFormatter(texts))


def _format_halvings(value: float, _place: int) -> str:
    if value > MAX_HALVINGS:  # reached by zooming out
        return f"1/2^{value:,.0f}"
    return "1" if value == 0 else f"1/{2.0**value:,.0f}" if value > 0 else ""


def _format_percent(value: float, _place: int) -> str:
    return format_percent(value)
