"""Plots of lines, areas and points, and slope charts."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from shrec_viewer.charts.plot import Axes as PlotAxes
from shrec_viewer.charts.plot import Plot, PlotCurve, ReferenceLine
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.number_format import format_percent
from shrec_viewer.render.scene.palette import OverlapStyle, overlap_styles
from shrec_viewer.report.figures.drawing.style import COLUMN_MM, FONT_SIZE, INCH, LINE_MM, PAGE_MM, Drawing, text_width
from shrec_viewer.report.figures.palettes import INK, MUTED, PAPER, TOKENS, FigurePalette

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of the axes relative to the width of the figure, in one column; across both columns it is lower.
COLUMN_ASPECT = 0.72

PAGE_ASPECT = 0.52

#: Largest exponent that is written out, 1/1,048,576; longer labels would take too much space.
MAX_HALVINGS = 20

#: Approximate width of the axes relative to that of the figure.
AXES_SHARE = 0.85

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
#: Names of the palette, and those of matplotlib; includes dashes of lines drawn over equal ones.
MARKERS = {"": "", "circle": "o", "square": "s", "triangle": "^", "diamond": "D", "cross": "P"}

#: Names of the palette for the filled part of a marker, and those of matplotlib.
FILL_STYLES: dict[str, Any] = {"": "full", "hollow": "none", "left": "left", "right": "right", "bottom": "bottom"}


#: Line widths in points: selected run, other runs, runs where none is selected, reference lines.
SELECTED_WIDTH, OTHER_WIDTH, EQUAL_WIDTH, REFERENCE_WIDTH = 1.6, 0.8, 1.0, 0.5

#: Points added to a line that covers an equal one, and to the background-coloured gap below the selected run where
#: another line runs inside it.
OVERLAP_EXTRA_WIDTH, OVERLAP_GAP_WIDTH = 0.6, 1.2

AREA_OPACITY = 0.12


class LineStyle(NamedTuple):
    """How a curve is drawn on paper.

    Attributes
    ----------
    dash : a key of `DASHES`.
    width : in points.
    order : wide lines are below thin ones, a line over an equal one is above both.
    has_spread : whether the intervals around its samples are drawn.
    groove : width in points of the white line below its dashes, for a thin line within a wide one; 0 for none.
    legend : dash and width in the legend, of a line over an equal one; None if they are the same.
    """

    dash: str
    width: float
    order: float
    has_spread: bool = False
    groove: float = 0.0
    legend: tuple[str, float] | None = None


def line_styles(curves: Sequence[PlotCurve], selected: str | None) -> list[LineStyle]:
    """Styles of curves; `selected` is the key of the selected run, None for none."""
    overlaps = overlap_styles(curves, selected)
    return [_line_style(curve, selected, overlaps.get(curve.key)) for curve in curves]


def _line_style(curve: PlotCurve, selected: str | None, overlap: OverlapStyle | None) -> LineStyle:
    is_selected = curve.key == selected
    dash = "none" if curve.dotted and not is_selected else curve.dash
    width = EQUAL_WIDTH if selected is None else SELECTED_WIDTH if is_selected else OTHER_WIDTH
    if overlap is None:
        return LineStyle(dash, width, 3.0 + width, is_selected)
    order = 5.0 + overlap.level * 0.1
    if overlap.thin:
        return LineStyle(overlap.dash, width, order, is_selected, SELECTED_WIDTH + OVERLAP_GAP_WIDTH, (dash, width))
    drawn_width = width if is_selected else width + OVERLAP_EXTRA_WIDTH
    return LineStyle(overlap.dash, drawn_width, order, is_selected, legend=(dash, width))


def draw_plot(plot: Plot, drawing: Drawing) -> "Figure":
    """A plot with its legend below the axes."""
    return _draw_curves(plot, line_styles(plot.drawn, plot.selected), drawing)


def draw_slopes(slopes: Slopes, drawing: Drawing) -> "Figure":
    """A slope chart: the ranks of each run as a line with a marker at each leaderboard."""
    curves = tuple(replace(curve, dotted=True) for curve in slopes.curves)
    axes = PlotAxes(slopes.x_label, "Rank", (0.9, len(slopes.columns) + 0.1), (len(curves) + 0.5, 0.5))
    styles = [LineStyle(curve.dash, EQUAL_WIDTH, 3.0 + EQUAL_WIDTH) for curve in curves]
    return _draw_curves(Plot(slopes.title, axes, curves), styles, drawing)


def _draw_curves(plot: Plot, styles: Sequence[LineStyle], drawing: Drawing) -> "Figure":
    """A plot whose curves have these styles, in the colours of the drawing."""
    curves, palette, width = plot.drawn, drawing.palette, drawing.width
    entries = [*(curve.label for curve in curves), *(line.label for line in plot.references.lines if line.in_legend)]
    columns = _legend_columns(entries, width)
    shape = COLUMN_ASPECT if width <= (COLUMN_MM + PAGE_MM) / 2 else PAGE_ASPECT
    figure = drawing.figure(width * shape + -(-len(entries) // columns) * LINE_MM)
    axes = figure.add_subplot()
    style_axes(axes, plot)
    lines = draw_references(axes, plot, palette, width)
    handles = []
    for curve, style in zip(curves, styles, strict=True):
        colour, marker = palette.colour(curve.colour), palette.marker(curve.colour, curve.marker)
        handles.append(draw_curve(axes, replace(curve, colour=colour, marker=marker), style))
    if entries:
        figure.legend(
            legend_row_order([*handles, *lines], columns), legend_row_order(entries, columns),
            loc="outside lower center", ncols=columns, handlelength=2.6, columnspacing=1.2,
            handletextpad=0.5, labelspacing=0.25, borderpad=0.1, borderaxespad=0.2,
        )  # fmt: skip
    return figure


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


def draw_references(axes: "Axes", plot: Plot, palette: FigurePalette, width: float) -> list[Any]:
    """Draw the areas, lines and points for comparison with their labels, in a figure of a width in millimetres.

    The axes have their limits, see `style_axes`. Returns the lines of which the legend has an entry.
    """
    in_legend = []
    for area in plot.references.areas:
        colour = palette.colour(TOKENS[area.token])
        axes.fill(area.x, area.y, facecolor=colour, alpha=AREA_OPACITY, linewidth=0, zorder=0.5)
    for line in plot.references.lines:
        curve = PlotCurve("", "", line.x, line.y, palette.colour(TOKENS[line.token]))
        drawn = draw_curve(axes, curve, LineStyle(line.dash, line.width * REFERENCE_WIDTH, 1.5))
        if line.in_legend:
            in_legend.append(drawn)
    for point in plot.references.points:
        axes.plot(
            [point.x], [point.y], marker="D", markersize=3.5, markerfacecolor=PAPER, linestyle="", zorder=6,
            markeredgecolor=palette.colour(INK), markeredgewidth=0.8, clip_on=False,
        )  # fmt: skip
    _draw_labels(axes, plot, width)
    return in_legend


def draw_curve(axes: "Axes", curve: PlotCurve, style: LineStyle) -> Any:
    """Draw a curve with its markers and intervals; returns the line that a legend shows."""
    from matplotlib.lines import Line2D

    marker = curve.sample_marker
    markers = marker_style(marker, curve.colour)
    every = None if curve.dotted or not marker else max(1, len(curve.x) // 8)
    dash = DASHES[style.dash]
    if style.groove:
        scaled = tuple(part * style.width / style.groove for part in dash[1])  # has gaps, as the line below is wide
        line: dict[str, Any] = {"color": PAPER, "linestyle": (0, scaled), "linewidth": style.groove}
        axes.add_artist(Line2D(curve.x, curve.y, zorder=style.order - 0.05, **line))
    drawn = Line2D(
        curve.x, curve.y, color=curve.colour, linestyle=dash, linewidth=style.width, markevery=every,
        zorder=style.order, gid=svg_id(curve.label), **markers,
    )  # fmt: skip
    axes.add_artist(drawn)  # `axes.plot` takes three times as long, for units and limits
    isolated = curve.isolated_samples
    if len(isolated) and not curve.dotted:
        axes.plot(
            curve.x[isolated], curve.y[isolated], color=curve.colour, linestyle="", marker="o", markersize=2.5,
            zorder=style.order,
        )  # fmt: skip
    if style.has_spread and curve.spread is not None:
        ok = np.isfinite(curve.spread).all(axis=0)
        low, high = curve.spread[:, ok]
        axes.vlines(curve.x[ok], low, high, colors=curve.colour, linewidth=0.5, zorder=style.order)
    if style.legend is None:
        return drawn
    legend_dash, legend_width = style.legend  # of the run
    return Line2D([], [], color=curve.colour, linestyle=DASHES[legend_dash], linewidth=legend_width, **markers)


def marker_style(marker: str, colour: str, size: float = 3.0) -> dict[str, Any]:
    """Settings of matplotlib for a marker, see `PlotCurve`, of a size in points."""
    shape, _, fill = marker.partition(" ")
    return {
        "marker": MARKERS[shape],
        "markersize": size,
        "fillstyle": FILL_STYLES[fill],
        "markerfacecoloralt": PAPER,
        "markeredgewidth": 0.5 if fill else 0.3,
        "markeredgecolor": colour if fill else PAPER,
    }


def svg_id(label: str) -> str | None:
    """Id of a curve's SVG element, shown by drawing programs."""
    return "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in label) or None


def _draw_labels(axes: "Axes", plot: Plot, width: float) -> None:
    """Label points and reference lines, towards the centre of the axes; overlapping labels are omitted.

    Labels of lines that end at the right or upper border are outside of the axes, where no curve of a run crosses them.
    Others are below the curves, which they would interrupt.
    """
    wanted = [(point.label, point.x, point.y, "", 7.0) for point in plot.references.points]
    wanted += [
        (line.mark, float(line.x[line.at]), float(line.y[line.at]), _border(plot.axes, line), 2.5)
        for line in sorted(plot.references.lines, key=lambda line: not line.ends)
        if line.mark and len(line.x)
    ]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    taken: list[tuple[float, float, float]] = []
    for words, x, y, border, order in wanted:
        if border:
            across = 4 if border == "right" else 0 if x < plot.axes.x_range[1] else -4
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


def _border(axes: PlotAxes, line: ReferenceLine) -> str:
    """Border of the axes outside of which the label of a line is: ``"right"``, ``"top"``, or "" if it is inside."""
    if line.ends:
        return "right"
    last = len(line.x) - 1
    if last > 0 and line.at in (last, -1):
        for border, values, limit in (("right", line.x, axes.x_range[1]), ("top", line.y, axes.y_range[1])):
            if math.isclose(values[-1], limit) and not math.isclose(values[-2], limit):
                return border
    return ""


def style_axes(axes: "Axes", plot: Plot) -> None:
    """Set the labels, limits and ticks of a plot."""
    from matplotlib.ticker import AutoLocator, FixedLocator, FuncFormatter, MultipleLocator, ScalarFormatter

    forms = (plot.axes.x_label, *plot.axes.short_x_labels)
    most = axes.figure.bbox.width / axes.figure.dpi * INCH
    axes.set_xlabel(next((label for label in forms if text_width(label) <= most), forms[-1]))
    axes.set_ylabel(plot.axes.y_label)
    axes.grid(visible=True)
    for low_high, setter in ((plot.axes.x_range, axes.set_xlim), (plot.axes.y_range, axes.set_ylim)):
        margin = 0.015 * (low_high[1] - low_high[0])
        setter(low_high[0] - margin, low_high[1] + margin)
    axes.spines[["top", "right"]].set_visible(False)
    step = max(1, round((plot.axes.x_range[1] - plot.axes.x_range[0]) / 7))
    axes.xaxis.set_major_locator(MultipleLocator(step) if plot.axes.x_ticks == "halves" else AutoLocator())
    if plot.axes.x_ticks == "ranks":  # which start at 1
        axes.xaxis.set_major_locator(FixedLocator(np.unique(np.maximum(axes.get_xticks(), 1.0)).tolist()))
    texts = {"halves": _format_halvings, "percent": _format_percent}.get(plot.axes.x_ticks)
    axes.xaxis.set_major_formatter(ScalarFormatter() if texts is None else FuncFormatter(texts))


def _format_halvings(value: float, _place: int) -> str:
    if value > MAX_HALVINGS:  # reached by zooming out
        return f"1/2^{value:,.0f}"
    return "1" if value == 0 else f"1/{2.0**value:,.0f}" if value > 0 else ""


def _format_percent(value: float, _place: int) -> str:
    return format_percent(value)
