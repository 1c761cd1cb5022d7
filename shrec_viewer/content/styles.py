"""Styles of runs in charts, applied by name as the last step: another theme or colour needs no new result."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shrec_viewer.charts.bars import Bars
from shrec_viewer.charts.intervals import Intervals
from shrec_viewer.charts.plot import Plot, PlotCurve
from shrec_viewer.charts.rank_rows import RankRows
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.render.scene.palette import RunStyle, point_marker


def with_styles(chart: Any, styles: Mapping[str, RunStyle]) -> Any:
    """The chart with these styles of runs by name; others, and charts without runs, stay as they are."""
    if isinstance(chart, Plot | Slopes):
        return replace(chart, curves=tuple(_styled_curve(curve, styles) for curve in chart.curves))
    if isinstance(chart, Intervals | RankRows):
        rows: Any = tuple(_styled_row(row, styles) for row in chart.rows)
        return replace(chart, rows=rows)
    if isinstance(chart, Bars):
        bars = (replace(bar, colour=styles[bar.run].colour) if bar.run in styles else bar for bar in chart.bars)
        return replace(chart, bars=tuple(bars))
    return chart


def _styled_curve(curve: PlotCurve, styles: Mapping[str, RunStyle]) -> PlotCurve:
    style = styles.get(curve.run or curve.label)
    if style is None:
        return curve
    marker = point_marker(style) if curve.dotted or curve.run else style.marker
    return replace(curve, colour=style.colour, dash=style.dash, marker=marker)


def _styled_row(row: Any, styles: Mapping[str, RunStyle]) -> Any:
    return replace(row, **styles[row.name]._asdict()) if row.name in styles else row
