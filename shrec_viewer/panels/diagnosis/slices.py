"""Panel with the means of the selected run in sets of queries; a row shows its set in the plots."""

from PySide6.QtCore import Slot

from shrec_viewer.content.diagnosis.slices import SlicesRequest
from shrec_viewer.panels.chart_panel import ChartPanel, TableView
from shrec_viewer.viewmodels.session.session import Session

#: Column of the table with the names of slices.
NAME_COLUMN = 1


class SlicesPanel(ChartPanel):
    """Table of the slices; the plots show means over the queries of the selected one."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, SlicesRequest())
        self.table: TableView = self._view
        self.table.row_selected.connect(self._select_slice)

    @Slot(object)
    def _select_slice(self, key: object) -> None:
        records = self.table.records
        if (row := records.row_of(key)) >= 0:
            self._session.select(slice=str(records.table.rows[row][NAME_COLUMN]), means=True)
