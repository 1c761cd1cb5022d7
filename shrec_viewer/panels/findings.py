"""What the readers noticed in the files, and what they did about it."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, QSortFilterProxyModel, Qt, Slot
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.domain import Severity
from shrec_viewer.panels.pane import Pane
from shrec_viewer.viewmodels.findings_model import HEADERS, SEVERITY_ROLE, SORT_ROLE, FindingsModel
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import Theme, current_theme

WIDTHS = (104, 210)
"""Pixels of the first columns: a mark with its word, a file with its line. The sentences share the rest."""

ROW_HEIGHT = 26
"""Pixels of a row, as in the table of runs."""


class SeverityDelegate(QStyledItemDelegate):
    """Puts the mark of its severity before a finding."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._marks: dict[str, QIcon] = {}
        self.set_theme(current_theme())

    def set_theme(self, theme: Theme) -> None:
        """Paint marks in these colours from now on."""
        self._marks = {severity.value: icon(severity.value, theme, severity.value) for severity in Severity}

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Qt override."""
        super().initStyleOption(option, index)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
        option.icon = self._marks[index.data(SEVERITY_ROLE)]
        option.decorationSize = QSize(16, 16)


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
        self._severity = SeverityDelegate(self.table)
        self.table.setItemDelegateForColumn(0, self._severity)
        self._build()
        session.benchmark_changed.connect(self._show_findings)
        self._show_findings()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme; children are told by `apply_theme`."""
        self._severity.set_theme(theme)
        self.table.viewport().update()

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
        table.verticalHeader().setDefaultSectionSize(ROW_HEIGHT)
        table.horizontalHeader().setHighlightSections(False)
        table.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for column, width in enumerate(WIDTHS):
            table.setColumnWidth(column, width)
        for column in range(len(WIDTHS), len(HEADERS)):
            table.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
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
