"""What the readers noticed in the files, and what they did about it."""

from PySide6.QtCore import QSortFilterProxyModel, Qt, Slot
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QVBoxLayout

from shrec_viewer.panels.pane import Pane
from shrec_viewer.viewmodels.findings_model import SORT_ROLE, FindingsModel
from shrec_viewer.viewmodels.session import Session

WIDTHS = (90, 220, 420)
"""Pixels of the columns at first; the last one takes the rest."""


class FindingsPanel(Pane):
    """Findings tied to the session, the gravest first."""

    def __init__(self, session: Session) -> None:
        super().__init__("findings")
        self._session = session
        self.model = FindingsModel(session, self)
        self._order = QSortFilterProxyModel(self)
        self.table = QTableView()
        self._order.setSortRole(SORT_ROLE)
        self._order.setSourceModel(self.model)
        self.table.setModel(self._order)
        self._build()
        session.benchmark_changed.connect(self._show_findings)
        self._show_findings()

    def _build(self) -> None:
        table = self.table
        table.setFrameShape(QFrame.Shape.NoFrame)
        table.setShowGrid(False)
        table.setSortingEnabled(True)
        table.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.setWordWrap(False)
        table.verticalHeader().hide()
        table.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        table.horizontalHeader().setStretchLastSection(True)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in enumerate(WIDTHS):
            table.setColumnWidth(column, width)
        table.setAccessibleName(self.tr("Findings"))
        layout = QVBoxLayout(self.content)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(table)

    @Slot()
    def _show_findings(self) -> None:
        if self._session.benchmark is None:
            self.show_empty(self.tr("No benchmark is open"))
        elif not self._session.findings:
            self.show_empty(self.tr("Nothing was noticed"), self.tr("All files were read without a question."))
        else:
            self.show_content()
