"""Plots and slope charts as they are drawn in figures: widths of lines, and lines that cover equal ones."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shrec_viewer.charts.plot import Plot, PlotCurve
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.render.scene.palette import OverlapStyle, overlap_styles
from shrec_viewer.report.figures.content import FigureArea, FigureLine, FigurePoint, FigureSpec
from shrec_viewer.report.figures.palettes import INK, TOKENS

SELECTED_WIDTH, OTHER_WIDTH, EQUAL_WIDTH, REFERENCE_WIDTH = 1.6, 0.8, 1.0, 0.5
"""Line widths in points: selected run, other runs, runs where none is selected, reference lines."""

OVERLAP_EXTRA_WIDTH, OVERLAP_GAP_WIDTH = 0.6, 1.2
"""Points added to a line that covers an equal one, and to the background-coloured gap below the selected run where
another line runs inside it."""


def plot_figure(plot: Plot) -> FigureSpec:
    """A plot as it is drawn: curves with line widths, those that cover equal ones marked."""
    references, axes = plot.references, plot.axes
    lines = figure_lines([curve for curve in plot.curves if curve.is_drawn], plot.selected)
    behind = tuple(
        FigureLine(
            "",
            line.x,
            line.y,
            TOKENS[line.token],
            line.dash,
            width=line.width * REFERENCE_WIDTH,
            mark=line.mark,
            at=line.at,
            ends=line.ends,
        )
        for line in references.lines
    )
    areas = tuple(FigureArea(area.x, area.y, TOKENS[area.token]) for area in references.areas)
    points = tuple(FigurePoint(point.label, point.x, point.y, INK) for point in references.points)
    return FigureSpec(
        plot.title, axes.x_label, axes.y_label, axes.x_range, axes.y_range, lines, behind, areas, points, axes.x_ticks
    )


def slopes_figure(slopes: Slopes) -> FigureSpec:
    """A slope chart as lines; the label of the axis lists the leaderboards by number."""
    names = ", ".join(f"{index} {name}" for index, name in enumerate(slopes.columns, 1))
    x = np.arange(1.0, len(slopes.columns) + 1)
    lines = tuple(
        FigureLine(line.name, x, np.array(line.ranks, np.float64), line.colour, line.dash, line.marker, dotted=True)
        for line in slopes.lines
    )
    return FigureSpec(
        f"{slopes.title}: {names}", f"{slopes.x_label} ({names})", "Rank",
        (0.9, len(slopes.columns) + 0.1), (len(slopes.lines) + 0.5, 0.5), lines,
    )  # fmt: skip


def figure_lines(curves: Sequence[PlotCurve], selected: str | None) -> tuple[FigureLine, ...]:
    """Curves in light colours as lines of a figure; `selected` is the key of the selected run, None for none."""
    overlaps = overlap_styles(curves, selected)
    return tuple(
        FigureLine(
            curve.label,
            curve.x,
            curve.y,
            curve.colour,
            "none" if curve.dotted and curve.key != selected else curve.dash,
            curve.marker,
            EQUAL_WIDTH if selected is None else SELECTED_WIDTH if curve.key == selected else OTHER_WIDTH,
            curve.dotted,
            curve.spread if curve.key == selected else None,
            **_overlap_style(curve, overlaps, selected),
        )
        for curve in curves
    )


def _overlap_style(curve: PlotCurve, overlaps: Mapping[str, OverlapStyle], selected: str | None) -> dict[str, Any]:
    """Fields of `FigureLine` for a line that covers an equal one; empty for others."""
    overlap = overlaps.get(curve.key)
    if overlap is None:
        return {}
    dash = overlap.dash if overlap.dash != curve.dash else ""
    groove, wider = (
        (SELECTED_WIDTH + OVERLAP_GAP_WIDTH, 0.0)
        if overlap.thin
        else (0.0, 0.0 if curve.key == selected else OVERLAP_EXTRA_WIDTH)
    )
    return {"level": overlap.level, "upon": dash, "groove": groove, "wider": wider}
