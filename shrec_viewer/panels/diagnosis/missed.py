"""Panel with the relevant models that no run finds; a row selects the query and shows the model."""

from typing import Any

from shrec_viewer.charts.table import Table
from shrec_viewer.content.diagnosis.missed import MissedRequest, missed_table
from shrec_viewer.panels.chart_panel import ChartPanel
from shrec_viewer.viewmodels.session.session import Session


class MissedPanel(ChartPanel):
    """Table of the models; the figure that is exported has their pictures."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, MissedRequest())
        self._add_view(Table)

    def compute(self, data: Any, request: Any) -> Table:
        """See `RequestPanel`; the table."""
        return missed_table(data, request)
