"""Charts of a site: curves and intervals as figures draw them, with their values as texts."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.intervals import Intervals
from shrec_viewer.charts.plot import Plot
from shrec_viewer.charts.table import Table
from shrec_viewer.content.contents import build_chart
from shrec_viewer.content.curves import GainRequest, PrecisionRecallRequest
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.certainty import OrderRequest, order_table, places_chart
from shrec_viewer.content.generality import GeneralityPlotRequest
from shrec_viewer.content.request import Request
from shrec_viewer.content.significance import intervals_of
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.comparison.certainty import Certainty
from shrec_viewer.evaluation.comparison.significance import RunSignificance
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Curve, find_curve
from shrec_viewer.number_format import format_generality
from shrec_viewer.printable import printable
from shrec_viewer.report.figures.web import CURVE, WebFigure, WebPlots, web_figure
from shrec_viewer.report.site.templates import Html

#: Ranks of curves, as in the report of SHREC 2006.
CHART_POINTS = 100

#: Significant digits with which a number reads back as the same float64.
EXACT_DIGITS = 17

#: Abscissae in tables of values, of charts by rank.
TABLE_RANKS = (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)


@dataclass(frozen=True, eq=False)
class Chart:
    """Curves of runs.

    Attributes
    ----------
    key : its id on the page.
    title : for the heading.
    plot, figure : the curves, and as they are drawn; None where no run has the curve.
    problem : why there is none.
    digits : significant digits of the values in the page.
    """

    key: str
    title: str
    plot: Plot | None = None
    figure: WebFigure | None = None
    problem: str = ""
    digits: int = EXACT_DIGITS

    @cached_property
    def has_common_x(self) -> bool:
        """Whether all curves have the same abscissae."""
        lines = () if self.plot is None else self.plot.curves
        return bool(lines) and all(np.array_equal(line.x, lines[0].x, equal_nan=True) for line in lines)

    @property
    def x(self) -> str:
        """The common abscissae, separated by blanks; "" without."""
        return _numbers(self.plot.curves[0].x, self.digits) if self.plot is not None and self.has_common_x else ""

    def markup(self, shown: Collection[str] = ()) -> Html:
        """Contents of the SVG element; if names of runs are given, the other ones are dimmed."""
        assert self.plot is not None
        assert self.figure is not None
        lines = self.plot.curves

        def opening(found: re.Match[str]) -> str:
            line = lines[int(found[1])]
            dim = " dim" if shown and line.label not in shown else ""
            x = "" if self.has_common_x else f' data-x="{_numbers(line.x, self.digits)}"'
            name, y = escape(printable(line.label)), _numbers(line.y, self.digits)
            return f'<g class="run{dim}" data-run="{name}"{x} data-y="{y}">'

        return Html(CURVE.sub(opening, self.figure.with_ids(self.key)))

    @property
    def rows(self) -> list[tuple[str, list[float]]]:
        """Table of values for readers without a pointer: x, and all values of short lines, some of long ones."""
        if self.plot is None or not self.has_common_x:
            return []
        x = self.plot.curves[0].x
        kept = range(len(x)) if len(x) <= max(20, len(TABLE_RANKS)) else np.flatnonzero(np.isin(x, TABLE_RANKS))
        return [(self._x_text(float(x[at])), [float(line.y[at]) for line in self.plot.curves]) for at in kept]

    def _x_text(self, x: float) -> str:
        assert self.plot is not None
        return format_generality(x).removeprefix("g = ") if self.plot.axes.x_ticks == "halves" else f"{round(x, 3):g}"


def _numbers(values: Iterable[float], digits: int) -> str:
    """Numbers separated by blanks; 17 digits are those of `repr`, the shortest text with the same value."""
    if digits >= EXACT_DIGITS:
        return " ".join(repr(float(value)).removesuffix(".0") for value in values)
    return " ".join(f"{value:.{digits}g}" for value in values)


class SiteCharts:
    """The charts of a site. Those of means, which several pages show, are drawn once.

    Parameters
    ----------
    scores : with the benchmark as published.
    ranking : runs in the order of legends and tables.
    """

    def __init__(self, scores: Scores, ranking: Sequence[int]) -> None:
        self._data = ContentData(scores.benchmark, scores.profile, scores)
        self._runs = tuple(scores.runs[run] for run in ranking)
        self._plots = WebPlots()
        self._means: dict[str, Chart] = {}

    def of_means(self, keys: Sequence[str]) -> list[Chart]:
        """Mean curves of all runs; each is drawn once."""
        missing = [key for key in keys if key not in self._means]
        drawn = self._drawn(missing, [self._content(key) for key in missing])
        self._means |= {chart.key: replace(chart, title=f"Mean: {chart.title}") for chart in drawn}
        return [self._means[key] for key in keys]

    def of_query(self, keys: Sequence[str], query: str, digits: int) -> list[Chart]:
        """Curves of all runs for one query."""
        return self._drawn(keys, [self._content(key, query) for key in keys], digits)

    def intervals(self, found: RunSignificance) -> tuple[Intervals, WebFigure]:
        """Means of the runs with their confidence intervals, best first."""
        content = intervals_of(self._data, found)
        return content, web_figure(content)

    def places(self, found: Certainty) -> WebFigure:
        """Places of the runs in resamples, best first."""
        return web_figure(places_chart(self._data, found))

    def order(self) -> Table:
        """What the order by the main measure depends on."""
        return order_table(self._data, OrderRequest())

    def _content(self, key: str, query: str | None = None) -> Plot | str:
        """The curves, or why there are none."""
        try:
            content = build_chart(self._data, _request(find_curve(key), self._runs, query))
        except ShrecViewerError as error:
            return str(error)
        assert isinstance(content, Plot)
        return content

    def _drawn(self, keys: Sequence[str], contents: Sequence[Plot | str], digits: int = EXACT_DIGITS) -> list[Chart]:
        drawn = iter(self._plots.draw([content for content in contents if isinstance(content, Plot)]))
        titles = [find_curve(key).label for key in keys]
        return [
            Chart(key, title, problem=content)
            if isinstance(content, str)
            else Chart(key, title, content, next(drawn), digits=digits)
            for key, title, content in zip(keys, titles, contents, strict=True)
        ]


def _request(curve: Curve, runs: tuple[str, ...], query: str | None) -> Request:
    """The request of a curve."""
    if curve.is_precision_recall:
        return PrecisionRecallRequest(runs=runs, query=query or "", curve=curve.key)
    if curve.x != "generality":
        return GainRequest(runs=runs, query=query or "", curve=curve.key, ranks=CHART_POINTS)
    scope = re.fullmatch(r"GR(\d+)P", curve.key)
    measure = "E" if curve.y != "recall" else ""
    return GeneralityPlotRequest(runs=runs, query=query or "", measure=measure, scope=int(scope[1]) if scope else 1)


def map_paths(shares: NDArray[np.float64], limits: Sequence[float]) -> tuple[str, ...]:
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
