"""A finding: one observation about an input file and what was done about it."""

from dataclasses import dataclass, field
from enum import StrEnum


class Severity(StrEnum):
    """How much a finding matters; `ERROR` makes ``check`` exit with status 1."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """Position for sorting: the gravest first (0)."""
        return (Severity.ERROR, Severity.WARNING, Severity.INFO).index(self)


@dataclass(frozen=True, slots=True)
class Finding:
    """One observation about one place in the files.

    Attributes
    ----------
    severity : info (how something was understood), warning (odd, and handled), error (numbers are affected or missing).
    file : path relative to the benchmark's folder with forward slashes, or absolute where it lies elsewhere.
    line : 1-based line, or None.
    message : what is wrong, a sentence without place.
    action : what was done about it, a sentence.
    count : how many times the same thing occurred in this file (the line is the first one).
    key : what kind of finding it is, for code that acts on it (see `formats.core.findings_log`); "" for most.
    """

    severity: Severity
    file: str
    line: int | None
    message: str
    action: str = ""
    count: int = 1
    key: str = field(default="", compare=False)

    @property
    def place(self) -> str:
        """``file:line``, or ``file`` where there is no line."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        done = f"; {self.action}" if self.action else ""
        return f"{self.place}: {self.severity}: {self.message}{times}{done}"
