"""Findings as text: printed next to scores, and listed by the check command."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shrec_viewer.cli.options import BenchmarkRequest
from shrec_viewer.cli.terminal import print_message
from shrec_viewer.printable import printable

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark, Finding

#: Findings that `evaluate` prints; the others are counted.
MAX_LISTED = 5

#: Severities in text output; JSON and CSV have the values of `Severity`.
SEVERITY_NAMES = {"error": "error", "warning": "warning", "info": "note"}

#: File of findings about the whole folder; text output shows the name of the folder instead.
ROOT_PATH = "."


def report_findings(benchmark: "Benchmark", request: BenchmarkRequest) -> None:
    """Print errors and warnings next to scores: the first `MAX_LISTED` in full, the others counted."""
    from shrec_viewer.formats.core.findings_log import MISSING_QUERY

    problems = [finding for finding in by_severity(benchmark.findings) if SEVERITY_NAMES[finding.severity] != "note"]
    for finding in problems[:MAX_LISTED]:
        is_printed = finding.key == MISSING_QUERY  # by `print_conventions`
        print_finding(replace(finding, action="", setting=None) if is_printed else finding, request.folder)
    if len(problems) > MAX_LISTED:
        more = severity_counts(problems[MAX_LISTED:])
        print_message(f"{more} more; `shrec-viewer check {request.benchmark}` lists all findings")


def format_finding(finding: "Finding", folder: str) -> str:
    """A finding as text: location, severity, message and action; suggested settings are on further lines.

    Parameters
    ----------
    finding : the finding.
    folder : name of the benchmark, the location of findings about the whole benchmark.
    """
    return f"{location_text(finding, folder)}: {SEVERITY_NAMES[finding.severity]}: {finding_text(finding)}"


def print_finding(finding: "Finding", folder: str) -> None:
    """Print a finding on standard error; parameters as of `format_finding`."""
    print_message(*format_finding(finding, folder).split("\n"))


def location_text(finding: "Finding", folder: str) -> str:
    """File and line; `folder` for findings about the whole benchmark."""
    return printable(folder if finding.location == ROOT_PATH else finding.location)


def finding_text(finding: "Finding") -> str:
    """Message and action; suggested settings are on further lines."""
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    text = f"{finding.message}{times}{'; ' if finding.action else ''}"
    first, *lines = finding.action_with_option.split("\n") if finding.setting is not None else [finding.action]
    return "\n".join([printable(text + first), *map(printable, lines)])


def severity_counts(findings: Sequence["Finding"]) -> str:
    """``1 error, 3 warnings``, most severe first; ``no findings`` for none."""
    from shrec_viewer.formats.core.findings_log import count_of

    counts = {
        name: sum(SEVERITY_NAMES[finding.severity] == name for finding in findings) for name in SEVERITY_NAMES.values()
    }
    return ", ".join(count_of(count, name) for name, count in counts.items() if count) or "no findings"


def by_severity(findings: Iterable["Finding"]) -> "list[Finding]":
    """The findings, the most severe first."""
    return sorted(findings, key=_severity_rank)


def _severity_rank(finding: "Finding") -> int:
    return finding.severity.rank
