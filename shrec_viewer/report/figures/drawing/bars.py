"""Charts of runs and queries: intervals, bars, differences."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from shrec_viewer.charts.bars import Bars, Differences
from shrec_viewer.charts.intervals import Intervals
from shrec_viewer.number_format import UNDEFINED, format_fixed
from shrec_viewer.report.figures.drawing.plot import marker_style, svg_id
from shrec_viewer.report.figures.drawing.style import (
    LINE_MM,
    MAX_HEIGHT_MM,
    POINT,
    SMALL_FONT_SIZE,
    Drawing,
    elide,
    text_width,
)
from shrec_viewer.report.figures.palettes import INK, MUTED, OUTLINE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: Height of a row of runs in millimetres.
ROW_MM = 4.2

#: Height of the axis and its label in millimetres.
AXIS_MM = 9.0

#: Share of the width that names take, at most.
NAME_SHARE = 0.35

#: Distance of the columns of dots in millimetres.
DOT_MM = 3.0

#: Height of the chart of differences relative to its width.
CHANGES_ASPECT = 0.45

#: Distance in millimetres between bars below which only every second, third … is named.
MIN_NAME_PITCH = 0.85 * SMALL_FONT_SIZE * POINT


def draw_intervals(content: Intervals, drawing: Drawing) -> "Figure":
    """Runs with mean and interval; letters and notes at the right."""
    figure, axes = _rows(drawing, [row.name for row in content.rows], content.x_label)
    if not content.decimals:
        axes.locator_params(axis="x", integer=True)
    for index, row in enumerate(content.rows):
        if row.is_bar:
            axes.plot(
                [row.low, row.high], [index, index], color=INK, linewidth=2.4, solid_capstyle="butt",
                gid=svg_id(f"bar-{row.name}"),
            )  # fmt: skip
            continue
        colour = drawing.palette.colour(row.colour)
        if upper := row.violin(0.4):
            x, heights = np.array(upper).T
            axes.fill_between(x, index - heights, index + heights, color=colour, alpha=0.25, linewidth=0, zorder=2)
        axes.plot(row.outer, [index, index], color=colour, linewidth=0.5, zorder=3)
        marker = drawing.palette.marker(row.colour, row.marker) or "circle"
        axes.plot(
            [row.low, row.high], [index, index], color=colour, linewidth=1.2,
            gid=svg_id(f"interval-{row.name}"), zorder=3,
        )  # fmt: skip
        for end in (row.low, row.high):
            axes.plot([end, end], [index - 0.18, index + 0.18], color=colour, linewidth=0.8, zorder=3)
        axes.plot(
            [row.value], [index], color=colour, linestyle="", gid=svg_id(f"mean-{row.name}"), zorder=4,
            **marker_style(marker, colour, 4.0),
        )  # fmt: skip
    notes = [f"{row.letters}   {row.note}".strip() for row in content.rows]
    if any(notes):
        right = axes.secondary_yaxis("right")
        right.set_yticks(range(len(notes)), notes)
        right.tick_params(length=0)
        right.spines["right"].set_visible(False)
    return figure


def draw_bars(content: Bars, drawing: Drawing) -> "Figure":
    """Horizontal bars with their values."""
    figure, axes = _rows(drawing, [bar.name for bar in content.bars], content.x_label, content.columns)
    if content.columns:
        _draw_dots(content, axes)
    low, high = content.limits
    axes.set_xlim(low, high + 0.12 * (high - low))  # the value of the longest bar is at its end
    for index, bar in enumerate(content.bars):
        colour = drawing.palette.colour(bar.colour)
        for number, (start, stop, opacity) in enumerate(bar.segments):
            left, right = (min(max(end, low), high) for end in (start, stop))
            axes.barh(
                [index], [right - left], left=left, height=0.62, color=colour, alpha=opacity if opacity < 1.0 else None,
                gid=svg_id(f"bar-{bar.name}" + (f"-{number}" if number else "")), zorder=3,
            )  # fmt: skip
        if math.isfinite(bar.low) and math.isfinite(bar.high):
            axes.plot([bar.start + bar.low, bar.start + bar.high], [index, index], color=INK, linewidth=0.6, zorder=4)
        if math.isfinite(bar.mark):
            place = bar.start + bar.mark
            axes.plot([place, place], [index - 0.42, index + 0.42], color=INK, linewidth=0.6, zorder=4)
        value = low if math.isnan(bar.value) else bar.start + max(bar.value, 0.0, *filter(math.isfinite, (bar.high,)))
        text = (
            UNDEFINED
            if math.isnan(bar.value)
            else format_fixed(bar.value, content.decimals if bar.decimals is None else bar.decimals)
        )
        axes.annotate(
            text, (max(value, low), index), xytext=(2, 0), textcoords="offset points", va="center", ha="left",
            fontsize=SMALL_FONT_SIZE, zorder=5,
        )  # fmt: skip
    return figure


def _draw_dots(content: Bars, axes: "Axes") -> None:
    """The sets that each bar is an intersection of, in the axes left of the bars."""
    figure = axes.get_figure()
    assert figure is not None
    dots = figure.axes[0]
    for index, bar in enumerate(content.bars):
        inside = [column for column, is_member in enumerate(bar.members) if is_member]
        outside = [column for column, is_member in enumerate(bar.members) if not is_member]
        dots.plot(outside, [index] * len(outside), "o", color=OUTLINE, markersize=2.2, alpha=0.4)
        dots.plot(inside, [index] * len(inside), "o-", color=INK, markersize=2.6, linewidth=0.8)
    dots.set_xticks(range(len(content.columns)), content.columns, rotation=90, fontsize=SMALL_FONT_SIZE)
    dots.xaxis.tick_top()
    dots.set_xlim(-0.6, len(content.columns) - 0.4)
    dots.set_yticks([])
    dots.tick_params(length=0)
    dots.spines[["top", "right", "left", "bottom"]].set_visible(False)
    dots.grid(visible=False)


def _rows(drawing: Drawing, names: list[str], x_label: str, columns: tuple[str, ...] = ()) -> "tuple[Figure, Axes]":
    """A figure with a named row for each of `names`, from the top; with `columns`, axes for dots at the left."""
    longest = max((text_width(name, SMALL_FONT_SIZE) for name in columns), default=0.0)
    height = min(len(names) * ROW_MM + AXIS_MM + longest, MAX_HEIGHT_MM)
    figure = drawing.figure(height)
    if columns:
        share = min(len(columns) * DOT_MM / drawing.width, 0.6)
        axes = figure.subplots(1, 2, sharey=True, width_ratios=[share, 1.0 - share])[1]
        names = [""] * len(names)
    else:
        axes = figure.add_subplot()
    shown = [elide(name, drawing.width * NAME_SHARE) for name in names]
    pitch = (height - AXIS_MM) / max(len(names), 1)
    axes.set_yticks(range(len(names)), shown, fontsize=min(7.0, max(3.0, pitch / POINT * 0.9)))
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlabel(x_label)
    axes.grid(visible=True, axis="x")
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    return figure, axes


def draw_changes(content: Differences, drawing: Drawing) -> "Figure":
    """A vertical bar for each query: gains and losses in their colours, with a legend."""
    from matplotlib.patches import Patch

    names = [elide(name, 18.0, SMALL_FONT_SIZE) for name in content.names]
    longest = max((text_width(name, SMALL_FONT_SIZE) for name in names), default=0.0)
    figure = drawing.figure(drawing.width * CHANGES_ASPECT + longest + LINE_MM)
    axes = figure.add_subplot()
    colours = drawing.palette.gain, drawing.palette.loss
    positions = np.arange(len(names))
    is_gain = (content.changes > 0) != content.inverted
    for gains, colour, gid in ((True, colours[0], "gains"), (False, colours[1], "losses")):
        shown = positions[(is_gain == gains) & (content.changes != 0) & np.isfinite(content.changes)]
        bars = axes.bar(shown, content.changes[shown], width=0.8, color=colour, zorder=3)
        for position, patch in zip(shown.tolist(), bars.patches, strict=True):
            patch.set_gid(svg_id(f"{gid}-{content.names[position]}"))
    for position in positions[np.isnan(content.changes)].tolist():
        axes.annotate(UNDEFINED, (position, 0.0), ha="center", va="center", color=MUTED, fontsize=SMALL_FONT_SIZE)
    axes.axhline(0.0, color=OUTLINE, linewidth=0.6, zorder=4)
    axes.set_ylabel(content.y_label)
    axes.set_xlim(-0.7, max(len(names), 1) - 0.3)
    step = max(1, math.ceil(MIN_NAME_PITCH / (drawing.width * 0.85 / max(len(names), 1))))
    axes.set_xticks(positions[::step], names[::step], rotation=90, fontsize=SMALL_FONT_SIZE)
    axes.tick_params(axis="x", length=0)
    axes.grid(visible=True, axis="y")
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    place = "lower" if drawing.notes else "upper"
    legend: dict[str, Any] = {"loc": f"outside {place} right", "ncols": 2, "handlelength": 1.0, "borderpad": 0.1}
    handles = [Patch(color=colour) for colour in colours]
    figure.legend(handles, [content.gains, content.losses], **legend)
    return figure
