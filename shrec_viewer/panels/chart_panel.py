"""A panel made from a request alone: controls in a row above the chart or table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from shrec_viewer.charts.bars import Bars
from shrec_viewer.charts.intervals import Intervals
from shrec_viewer.charts.matrix import Matrix
from shrec_viewer.charts.plot import Plot
from shrec_viewer.charts.slopes import Slopes
from shrec_viewer.charts.table import Table
from shrec_viewer.content.contents import content_of
from shrec_viewer.content.request import Request, TableRequest
from shrec_viewer.content.styles import with_styles
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.panels.panel import row_layout
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.viewmodels.content.data import styles_by_name
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.heatmap.view import HeatmapView
from shrec_viewer.widgets.plots.bar_chart import BarChart
from shrec_viewer.widgets.plots.curve_plot import CurvePlot
from shrec_viewer.widgets.plots.interval_chart import IntervalChart
from shrec_viewer.widgets.plots.slope_chart import SlopeChart
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView


class PlotView(CurvePlot):
    """Draws a `Plot`."""

    def set_chart(self, chart: Plot) -> None:
        """Show this chart."""
        axes = chart.axes
        x_label, y_label = (axes.x_label, *axes.short_x_labels), (axes.y_label, *axes.short_y_labels)
        self.set_axes(x_label, y_label, axes.x_range, axes.y_range, axes.x_ticks)
        self.set_curves(chart.curves)
        self.set_references(chart.references)
        self.set_selected(chart.selected)


class TableView(RecordView):
    """Shows a `Table`."""

    def __init__(self) -> None:
        self.records = RecordTableModel()
        super().__init__(self.records, "Table")

    def set_chart(self, chart: Table) -> None:
        """Show this table."""
        self.records.set_table(chart, [row[0] for row in chart.rows] if self.has_queries(chart) else ())

    @staticmethod
    def has_queries(chart: Table) -> bool:
        """Whether each row is that of another query, in the first column."""
        names = [row[0] for row in chart.rows]
        return chart.columns[0].key == "query" and len(set(names)) == len(names)


#: Widget of each chart.
VIEWS: Mapping[type, Callable[[], Any]] = {
    Plot: PlotView,
    Matrix: HeatmapView,
    Intervals: IntervalChart,
    Bars: BarChart,
    Slopes: SlopeChart,
    Table: TableView,
}


@dataclass(frozen=True)
class ChartPanelFactory:
    """Factory of the panel of a request, for a row of `PANELS`.

    Attributes
    ----------
    request : type of the request.
    shows_order : whether the chart prints an order of the runs, about which a sentence says how sure it is.
    """

    request: type[Request]
    shows_order: bool = False

    def __call__(self, session: Session) -> QWidget:
        """Create the panel."""
        return ChartPanel(session, self.request(), shows_order=self.shows_order)


class ChartPanel(RequestPanel[Request]):
    """Shows any chart or table of the table of contents, with the default controls of its options."""

    def __init__(self, session: Session, request: Request, *, shows_order: bool = False) -> None:
        super().__init__(session, request, "curves", uses=self.parts(request))
        self._view: Any = None
        self.header = row_layout()
        for widget in self.controls.row():
            self.header.addWidget(widget)
        self.header.addStretch(1)
        place = QWidget()
        self._column = QVBoxLayout(place)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.order = OrderLine(session, self) if shows_order else None
        lines = () if self.order is None else (self.order,)
        self.set_body(self.header, *lines, place, stretch=place)
        # With the panel where the type is declared, so that the first result only fills it.
        declared = getattr(self.row.chart or self.row.table, "__annotations__", {}).get("return")
        if isinstance(declared, type) and declared in VIEWS:
            self._add_view(declared)
        self.update_request()

    @staticmethod
    def parts(request: Request) -> tuple[str, ...]:
        """Parts of the data that the content of a request uses."""
        return ("scores", "former", "baselines") if content_of(request).needs_scores else ("benchmark", "profile")

    def _add_view(self, kind: type) -> None:
        self._view = VIEWS[kind]()
        self._column.addWidget(self._view)
        if isinstance(self._view, TableView):
            self._view.row_selected.connect(self._pick_row)

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; a table in the order on screen."""
        sorting = self._view.records.sorting if isinstance(self._view, TableView) else ""
        return tuple(
            replace(one, sort=sorting) if sorting and isinstance(one, TableRequest) else one
            for one in super().requests()
        )

    @Slot(object)
    def _pick_row(self, key: object) -> None:
        """Select the query of a row, and the rank of its model in the list of the selected run, if it has one."""
        records, session, benchmark = self._view.records, self._session, self._session.benchmark
        if (row := records.row_of(key)) < 0:
            return
        names = [column.key for column in records.table.columns]
        cells = dict(zip(names, map(str, records.table.rows[row]), strict=True))
        query = benchmark.queries.index.get(cells.get("query", ""), session.selection.query)
        if "model" not in cells or session.run is None or query == NOTHING:
            session.select(query=query)
            return
        shown = ranked_list(benchmark, session.run, query, session.profile)
        places = np.flatnonzero(shown.items == benchmark.collection.index.get(cells["model"], -1))
        session.select(query=query, rank=int(places[0]) + 1 if len(places) else None)

    def show_result(self, result: Any) -> None:
        """See `RequestPanel`; the widget is that of the type of the chart."""
        if self._view is None:
            self._add_view(type(result))
        self._view.set_chart(with_styles(result, styles_by_name(self._session, self.theme_name)))
