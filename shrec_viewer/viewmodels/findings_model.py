"""What the readers of the files noticed, as a table."""

from collections import Counter
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import Finding, Severity
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import count_words

HEADERS = ("Severity", "Where", "What was found", "What was done")
"""Columns of the table."""

SORT_ROLE = Qt.ItemDataRole.UserRole + 1
"""By this a proxy sorts: the gravest first, lines as numbers."""

SEVERITY_ROLE = Qt.ItemDataRole.UserRole + 2
"""The severity's word, for a mark in the theme's colour."""


class FindingsModel(QAbstractTableModel):
    """The findings of the open benchmark in reading order; follows the session."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._findings: tuple[Finding, ...] = session.findings
        session.benchmark_changed.connect(self._show_findings)

    def roleNames(self) -> dict[int, QByteArray]:
        """Qt override."""
        return {**super().roleNames(), SORT_ROLE: QByteArray(b"sort_key"), SEVERITY_ROLE: QByteArray(b"severity")}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(self._findings)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Qt override."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Qt override."""
        if not index.isValid() or index.row() >= len(self._findings):
            return None
        finding = self._findings[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return _cells(finding)[index.column()]
        if role == SEVERITY_ROLE:
            return finding.severity.value
        if role == SORT_ROLE:
            return _sort_keys(finding)[index.column()]
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return _sentence(finding)
        return None

    @Slot()
    def _show_findings(self) -> None:
        self.beginResetModel()
        self._findings = self._session.findings
        self.endResetModel()


def findings_words(findings: tuple[Finding, ...]) -> str:
    """``"2 errors, 1 warning"``: the graver kinds counted, notes only where there is nothing else; "" for none."""
    counts = Counter(finding.severity.value for finding in findings)
    grave = [count_words(counts[name], name) for name in ("error", "warning") if counts[name]]
    if grave:
        return ", ".join(grave)
    return count_words(counts["info"], "note") if counts["info"] else ""


def severity_word(finding: Finding) -> str:
    """``"error"``, ``"warning"`` or ``"note"``."""
    return "note" if finding.severity is Severity.INFO else finding.severity.value


def _cells(finding: Finding) -> tuple[str, str, str, str]:
    times = f" ({finding.count:,} times)" if finding.count > 1 else ""
    return severity_word(finding), finding.place, finding.message + times, finding.action


def _sentence(finding: Finding) -> str:
    word, place, message, action = _cells(finding)
    return f"{place}: {word}: {message}" + (f"; {action}" if action else "")


def _sort_keys(finding: Finding) -> tuple[int, str, str, str]:
    place = f"{finding.file}:{finding.line or 0:09d}"
    return finding.severity.rank, place, finding.message, finding.action
