"""Panel with the relevant models that no run finds; a row selects the query and shows the model."""

from typing import Any

import numpy as np
from PySide6.QtCore import Slot

from shrec_viewer.charts.table import Table
from shrec_viewer.content.diagnosis.missed import MissedRequest, missed_table
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.panels.chart_panel import ChartPanel, TableView
from shrec_viewer.viewmodels.session.session import Session

#: Columns of the table.
QUERY_COLUMN, MODEL_COLUMN = 0, 2


class MissedPanel(ChartPanel):
    """Table of the models; the figure that is exported has their pictures."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, MissedRequest())
        self._add_view(Table)
        self.table: TableView = self._view
        self.table.row_selected.connect(self._select_model)

    def compute(self, data: Any, request: Any) -> Table:
        """See `RequestPanel`; the table."""
        return missed_table(data, request)

    @Slot(object)
    def _select_model(self, key: object) -> None:
        """Select the query, and the rank of the model in the list of the selected run, if it has one."""
        records, session = self.table.records, self._session
        if (row := records.row_of(key)) < 0 or session.run is None:
            return
        benchmark, cells = session.benchmark, records.table.rows[row]
        query = benchmark.queries.index[str(cells[QUERY_COLUMN])]
        shown = ranked_list(benchmark, session.run, query, session.profile)
        places = np.flatnonzero(shown.items == benchmark.collection.index[str(cells[MODEL_COLUMN])])
        session.select(query=query, rank=int(places[0]) + 1 if len(places) else None)
