"""A finding: a problem or decision about an input file, and how it was handled."""

from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """Severity of a finding; with an `ERROR`, the command ``check`` exits with status 1."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """Sort key: 0 for errors, 2 for information."""
        return (Severity.ERROR, Severity.WARNING, Severity.INFO).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem or decision about an input file.

    Attributes
    ----------
    severity : info (how content was interpreted), warning (unusual, handled), error (results are affected or missing).
    file : path relative to the folder of the benchmark with forward slashes; absolute for files elsewhere.
    line : 1-based line number, or None.
    message : the problem, without location.
    action : how it was handled.
    count : number of occurrences in this file; `line` is the first one.
    key : kind of finding, for code that handles it (see `formats.core.findings_log`); "" for most.
    """

    severity: Severity
    file: str
    line: int | None
    message: str
    action: str = ""
    count: int = 1
    key: str = field(default="", compare=False)

    @property
    def location(self) -> str:
        """``file:line``, or ``file`` without a line number."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        action = f"; {self.action}" if self.action else ""
        return f"{self.location}: {self.severity}: {self.message}{times}{action}"
