"""Table model of the findings, and their text for the clipboard."""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any, cast

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from shrec_viewer.domain import Finding, Severity
from shrec_viewer.printable import separated_text
from shrec_viewer.viewmodels.diagnosis.record_table import Record, RecordTableModel
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text

HEADERS = ("Severity", "Where", "Finding", "Action")
"""Column titles of the table."""

SEVERITY_ROLE = Qt.ItemDataRole.UserRole + 2
"""`Severity.value`, for an icon in the colour of the theme."""

CELL_CACHE_SIZE = 4096
"""Findings with cached cell texts."""


class FindingsModel(RecordTableModel):
    """The findings of the open benchmark, with the actions of the current profile; in reading order until sorted."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(HEADERS, parent)
        self._session = session
        self._severities = frozenset(Severity)
        session.benchmark_changed.connect(self._show_findings)
        session.profile_changed.connect(self._show_findings)
        session.scores_changed.connect(self._show_findings)
        session.runs_reloaded.connect(self._show_findings)
        session.thumbnails.findings_changed.connect(self._show_findings)
        self._show_findings()

    def finding(self, row: int) -> Finding:
        """The finding in a row."""
        return cast(Finding, self.record(row).key)

    def counts(self) -> dict[Severity, int]:
        """Number of findings of each severity, including those filtered out."""
        counted = Counter(finding.severity for finding in self._session.findings)
        return {severity: counted[severity] for severity in (Severity.ERROR, Severity.WARNING, Severity.INFO)}

    def filter_findings(self, severities: Collection[Severity], text: str) -> None:
        """Show only findings of these severities that contain all words of `text`."""
        if frozenset(severities) != self._severities:
            self._severities = frozenset(severities)
            self.set_records(self._records)
        self.set_filter(text)

    def sort_key(self, record: Record, column: int) -> Any:
        """Severities by rank, locations by file and line."""
        finding = cast(Finding, record.key)
        keys = finding.severity.rank, (finding.file, finding.line or 0), finding.message, finding.action
        return keys[column]

    def contains(self, record: Record) -> bool:
        """Whether a finding passes the filter."""
        return cast(Finding, record.key).severity in self._severities and super().contains(record)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Value of a cell for a role."""
        if role == SEVERITY_ROLE and index.isValid():
            return self.finding(index.row()).severity.value
        return super().data(index, role)

    @Slot()
    def _show_findings(self, *_: object) -> None:
        findings = self._session.findings
        if findings != tuple(record.key for record in self._records):
            rows = ((found, tuple(map(_on_one_line, finding_cells(found)))) for found in findings)
            self.set_records([Record(found, cells, finding_text(found)) for found, cells in rows])


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


def to_tsv(findings: Sequence[Finding]) -> str:
    """Column titles and rows, separated by tabs."""
    rows = (HEADERS, *map(finding_cells, findings))
    return separated_text([map(_on_one_line, row) for row in rows], "\t").removesuffix("\n")


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
