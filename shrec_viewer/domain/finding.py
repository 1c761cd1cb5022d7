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
class Setting:
    """Option of the command line, and lines of benchmark.toml, that settle a finding.

    Attributes
    ----------
    option : ``--order names``; "" for none.
    place : where the lines belong: ``in benchmark.toml``, ``in benchmark.toml below line 4``; "" for none.
    lines : lines to paste there; without a line number, at the end of the file.
    """

    option: str
    place: str
    lines: tuple[str, ...]

    @property
    def toml(self) -> str:
        """The place and the lines as text; "" for none."""
        return f"{self.place}:\n" + "\n".join(f"    {line}" for line in self.lines) if self.lines else ""


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
    setting : how to settle it; `action` ends with what it does, ``to set it``. None for most.
    """

    severity: Severity
    file: str
    line: int | None
    message: str
    action: str = ""
    count: int = 1
    key: str = field(default="", compare=False)
    setting: Setting | None = field(default=None, compare=False)

    @property
    def location(self) -> str:
        """``file:line``, or ``file`` without a line number."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def action_with_option(self) -> str:
        """The action and how to settle the finding, with the option of the command line; may have several lines."""
        if self.setting is None:
            return self.action
        ways = [way for way in (self.setting.option, self.setting.toml) if way]
        return f"{self.action}: {', or '.join(ways)}" if ways else self.action

    @property
    def action_with_lines(self) -> str:
        """The action and how to settle the finding in benchmark.toml, for the window; may have several lines."""
        has_lines = self.setting is not None and self.setting.lines
        return f"{self.action} {self.setting.toml}" if has_lines and self.setting is not None else self.action

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        action = f"; {self.action}" if self.action else ""
        return f"{self.location}: {self.severity}: {self.message}{times}{action}"
