"""Texts of the findings: their table, their summary and one line for each."""

from collections import Counter
from collections.abc import Sequence

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.domain import Finding, Severity
from shrec_viewer.viewmodels.text.labels import count_text

COLUMNS = tuple(TableColumn(title) for title in ("Severity", "Where", "Finding", "Action"))


def findings_table(findings: Sequence[Finding]) -> Table:
    """Findings in this order, as the window shows them."""
    return Table(
        "findings", "Findings", COLUMNS, tuple(tuple(map(_on_one_line, finding_cells(one))) for one in findings)
    )


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else " ".join(text.split())


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
