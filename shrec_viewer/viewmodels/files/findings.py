"""Table model of the findings, and their text for the clipboard."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QByteArray, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import Finding, Severity
from shrec_viewer.printable import separated_text
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text

HEADERS = ("Severity", "Where", "Finding", "Action")
"""Column titles of the table."""

SEVERITY_ROLE = Qt.ItemDataRole.UserRole + 2
"""`Severity.value`, for an icon in the colour of the theme."""

CELL_CACHE_SIZE = 4096
"""Findings with cached cell texts."""


class FindingsModel(QAbstractTableModel):
    """The findings of the open benchmark, with the actions of the current profile; in reading order until sorted.

    It sorts and filters itself: a `QSortFilterProxyModel` calls `data` for every cell, which takes seconds for 10,000
    findings.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._findings: tuple[Finding, ...] = ()
        self._texts: tuple[str, ...] | None = None
        self._rows: list[int] = []
        self._sorting: tuple[int, bool] | None = None
        self._severities = frozenset(Severity)
        self._words: tuple[str, ...] = ()
        session.benchmark_changed.connect(self._show_findings)
        session.profile_changed.connect(self._show_findings)
        session.scores_changed.connect(self._show_findings)
        session.runs_reloaded.connect(self._show_findings)
        session.thumbnails.findings_changed.connect(self._show_findings)
        self._show_findings()

    @property
    def total(self) -> int:
        """Number of findings, including those filtered out."""
        return len(self._findings)

    def finding(self, row: int) -> Finding:
        """The finding in a row."""
        return self._findings[self._rows[row]]

    def row_of(self, finding: Finding) -> int | None:
        """Row of a finding; None if it is filtered out or unknown."""
        return next((row for row, index in enumerate(self._rows) if self._findings[index] == finding), None)

    def counts(self) -> dict[Severity, int]:
        """Number of findings of each severity, including those filtered out."""
        counted = Counter(finding.severity for finding in self._findings)
        return {severity: counted[severity] for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)}

    def set_filter(self, severities: Collection[Severity], text: str) -> None:
        """Show only findings of these severities that contain all words of `text`."""
        filters = (frozenset(severities), tuple(text.casefold().split()))
        if filters != (self._severities, self._words):
            self._severities, self._words = filters
            self._arrange()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; stable."""
        self._sorting = (column, order == Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._arrange()

    def roleNames(self) -> dict[int, QByteArray]:
        """Names of the data roles."""
        return {**super().roleNames(), SEVERITY_ROLE: QByteArray(b"severity")}

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of rows; 0 below a row."""
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's way
        """Number of columns; 0 below a row."""
        return 0 if parent.isValid() else len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Title of a column."""
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role."""
        if not index.isValid() or index.row() >= len(self._rows):
            return None
        finding = self._findings[self._rows[index.row()]]
        if role == Qt.ItemDataRole.DisplayRole:
            return _on_one_line(finding_cells(finding)[index.column()])
        if role == SEVERITY_ROLE:
            return finding.severity.value
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return finding_text(finding)
        return None

    @Slot()
    def _show_findings(self, *_: object) -> None:
        if (findings := self._session.findings) != self._findings:
            self._findings = findings
            self._texts = None
            self._arrange()

    def _arrange(self) -> None:
        self.beginResetModel()
        rows = range(len(self._findings))
        shown = [row for row in rows if self._findings[row].severity in self._severities and self._has_words(row)]
        if self._sorting is not None:
            column, descending = self._sorting
            keys = [_sort_key(finding, column) for finding in self._findings]
            shown.sort(key=keys.__getitem__, reverse=descending)
        self._rows = shown
        self.endResetModel()

    def _has_words(self, row: int) -> bool:
        if not self._words:
            return True
        if self._texts is None:
            self._texts = tuple(" ".join(finding_cells(finding)).casefold() for finding in self._findings)
        return all(word in self._texts[row] for word in self._words)


def findings_summary(findings: tuple[Finding, ...]) -> str:
    """``"2 errors, 1 warning"``; notes only if there is nothing else; "" for no findings."""
    counts = Counter(finding.severity.value for finding in findings)
    severe = [count_text(counts[name], name) for name in ("error", "warning") if counts[name]]
    if severe:
        return ", ".join(severe)
    return count_text(counts["info"], "note") if counts["info"] else ""


def severity_name(severity: Severity) -> str:
    """``"error"``, ``"warning"`` or ``"note"``."""
    return "note" if severity is Severity.INFO else severity.value


@lru_cache(maxsize=CELL_CACHE_SIZE)
def finding_cells(finding: Finding) -> tuple[str, str, str, str]:
    """Cell texts of a finding: severity, location, message and action."""
    times = f" ({finding.count:,} times)" if finding.count > 1 else ""
    return severity_name(finding.severity), location_text(finding), finding.message + times, finding.action_with_lines


def location_text(finding: Finding) -> str:
    """``"runs/K2/Q05:5"``, or "folder" for a finding about the opened folder."""
    return "folder" if finding.file == "." else finding.location


def finding_text(finding: Finding) -> str:
    """A finding as one line."""
    severity, location, message, action = finding_cells(finding)
    return f"{location}: {severity}: {message}" + (f"; {action}" if action else "")


def _sort_key(finding: Finding, column: int) -> Any:
    if column == 0:
        return finding.severity.rank
    if column == 1:
        return finding.file, finding.line or 0
    return finding.message if column == 2 else finding.action


def to_tsv(findings: Sequence[Finding]) -> str:
    """Column titles and rows, separated by tabs."""
    rows = (HEADERS, *map(finding_cells, findings))
    return separated_text([map(_on_one_line, row) for row in rows], "\t").removesuffix("\n")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
