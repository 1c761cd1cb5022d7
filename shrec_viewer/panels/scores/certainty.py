"""Panel about how sure the order of the runs is."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from shrec_viewer.charts.table import Table
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.diagnosis.certainty import (
    CertaintyPairsRequest,
    CertaintyRequest,
    OrderRequest,
    certainty_chart,
    order_table,
    pairs_table,
)
from shrec_viewer.content.request import Request
from shrec_viewer.panels.panel import WrappingRow
from shrec_viewer.panels.scores.order_line import OrderLine
from shrec_viewer.panels.scores.run_intervals import RunIntervalPanel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.tables.record_table import RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

#: Content of each value of `CertaintyRequest.show` that is a table.
TABLES: Mapping[str, tuple[type[CertaintyRequest], Callable[[ContentData, Any], Table]]] = {
    "pairs": (CertaintyPairsRequest, pairs_table),
    "order": (OrderRequest, order_table),
}


class CertaintyPanel(RunIntervalPanel[CertaintyRequest]):
    """Places of the runs in resamples, critical differences, the pairs of runs, or what the order depends on."""

    waiting = "Resampling queries…"

    def __init__(self, session: Session) -> None:
        super().__init__(session, CertaintyRequest(), ("scores", "baselines", "benchmark", "profile"), (6, 7))
        self.order = OrderLine(session, self, is_main=True)
        self.records = RecordTableModel(self)
        self.table = RecordView(self.records, "Certainty of the order")
        self._pages = QStackedWidget()
        self._pages.addWidget(self.chart)
        self._pages.addWidget(self.table)
        rows: list[list[QWidget]] = []
        for name in ("show", "resample", "rope"):
            label = self.controls.label(name, plain=True)
            control = self.controls.number(name) if name == "rope" else self.controls.choice_box(name)
            label.setBuddy(control)
            rows.append([label, control])
        lines = WrappingRow([*rows[0], *rows[1]], [*rows[2], self.caption])
        self.set_body(lines, self.order, self._pages, stretch=self._pages)
        self.table.row_selected.connect(self._select_named_run)
        self.update_request()

    def request(self) -> CertaintyRequest | None:
        """See `RequestPanel`; None without scores of two queries."""
        scores, request = self._session.scores, super().request()
        if request is None or scores is None or not scores.runs or len(scores.queries) < 2:
            return None
        return replace(request, axis=request.show if request.show not in TABLES else "place")

    def requests(self) -> tuple[Request, ...]:
        """See `RequestPanel`; the chart, and the tables of places, of pairs, and of what the order depends on."""
        request = None if self.is_empty else self.request()
        if request is None:
            return ()
        shared = {field.name: getattr(request, field.name) for field in request.options()}
        tables = [kind(**shared) for kind, _ in TABLES.values()]
        if request.show in TABLES:
            kind, _ = TABLES[request.show]
            tables.sort(key=lambda one: not isinstance(one, kind))
            tables[0] = replace(tables[0], sort=self.records.sorting)
            return (*tables[:1], request, *tables[1:])
        return (request, *tables)

    def compute(self, data: ContentData, request: CertaintyRequest) -> Any:
        """See `RequestPanel`."""
        return TABLES[request.show][1](data, request) if request.show in TABLES else certainty_chart(data, request)

    def show_result(self, result: Any) -> None:
        """See `RequestPanel`."""
        if not isinstance(result, Table):
            super().show_result(result)
            self._pages.setCurrentWidget(self.chart)
            return
        keys = [tuple(row[:2]) if result.key == "certainty_pairs" else row[0] for row in result.rows]
        self.records.set_table(result, keys, headers=result.headings)
        self.caption.setText(result.notes[-1], "")
        set_tooltip(self.caption, "\n".join(result.notes))
        self._pages.setCurrentWidget(self.table)

    @Slot(object)
    def _select_named_run(self, key: object) -> None:
        """Select the run of a row, or of a pair the runs A and B."""
        names = [run.name for run in self._session.benchmark.runs]
        chosen = [names.index(str(name)) for name in (key if isinstance(key, tuple) else (key,)) if name in names]
        if len(chosen) == 2:
            self._session.select(run=chosen[0], compared=chosen[1])
        elif chosen:
            self._session.select(run=chosen[0])
