"""TREC qrels: one relevance level per line, ``query iteration model level``."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.text import Head, read_lines

COLUMNS = 4

GOOD_SHARE = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""

HIGHEST_LEVEL = 255
"""Levels are held in a byte; no contest has more than three."""


@dataclass(frozen=True, eq=False)
class QrelsFile:
    """A qrels file as it stands.

    Attributes
    ----------
    path : the file.
    queries : distinct query ids, in file order (also of queries whose lines are all 0).
    query : (n,) int32, query of each line that was kept.
    models : (n,) model ids.
    level : (n,) uint8; lines of level 0 or below are left out.
    lines : (n,) int32, 1-based line of each.
    findings : lines that could not be used.
    """

    path: Path
    queries: tuple[str, ...]
    query: NDArray[np.int32]
    models: tuple[str, ...]
    level: NDArray[np.uint8]
    lines: NDArray[np.int32]
    findings: tuple[Finding, ...]


def is_qrels(head: Head) -> bool:
    """Whether nearly all lines have four columns, the second never changes and the last is a whole number."""
    good = [row for row in head.rows if len(row) == COLUMNS and _is_level(row[3])]
    return (
        len(good) >= max(1, GOOD_SHARE * len(head.rows))
        and len({row[1] for row in good}) == 1
        and good[0][1].upper() in ("0", "Q0", "1")
    )


def read_qrels(path: Path) -> QrelsFile:
    """Levels of a qrels file.

    A line that cannot be used is a finding and left out. The first of several lines for one pair counts. A level below
    0 is read as 0, as trec_eval's gains do.

    Raises
    ------
    FormatError
        When no line can be used.
    """
    reading = _Reading(path)
    for number, line in enumerate(read_lines(path), 1):
        reading.line(number, line.split())
    if not reading.queries:
        first = reading.findings[0] if reading.findings else None
        why = first.message if first else "lists no relevance"
        raise FormatError(path, why, first.line if first else None)
    return reading.result()


def _is_level(word: str) -> bool:
    digits = word.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 4


class _Reading:
    """The lines read so far."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.queries: dict[str, int] = {}
        self.pairs: dict[tuple[str, str], tuple[int, int]] = {}
        self.findings: list[Finding] = []
        self.negative: list[int] = []

    def line(self, number: int, words: list[str]) -> None:
        if not words or words[0].startswith("#"):
            return
        if len(words) != COLUMNS:
            message = f"{COLUMNS} columns 'query 0 model level' are expected, found {len(words)}"
            self._leave_out(number, message)
        elif not _is_level(words[3]):
            self._leave_out(number, f"the level '{words[3][:40]}' is no whole number")
        elif int(words[3]) > HIGHEST_LEVEL:
            self._leave_out(number, f"the level {words[3]} is above {HIGHEST_LEVEL}")
        else:
            self._pair(number, words[0], words[2], int(words[3]))

    def _pair(self, number: int, query: str, model: str, level: int) -> None:
        self.queries.setdefault(query, len(self.queries))
        if level < 0:
            self.negative.append(number)
            level = 0
        first = self.pairs.setdefault((query, model), (level, number))
        if first[1] != number:
            again = f"'{model}' is assessed a second time for '{query}' (first in line {first[1]}"
            if first[0] == level:
                self._note(Severity.WARNING, number, f"{again}, with the same level)", "the first line counts")
            else:
                other = f"{again}, with level {first[0]} instead of {level})"
                self._note(Severity.ERROR, number, other, "the first line counts")

    def _leave_out(self, number: int, message: str) -> None:
        self._note(Severity.ERROR, number, message, "the line is left out")

    def _note(self, severity: Severity, line: int, message: str, action: str, count: int = 1) -> None:
        self.findings.append(Finding(severity, str(self.path), line, message, action, count))

    def result(self) -> QrelsFile:
        if self.negative:
            message = "a level is below 0"
            self._note(Severity.WARNING, self.negative[0], message, "read as not relevant", len(self.negative))
        kept = [(self.queries[q], model, *found) for (q, model), found in self.pairs.items() if found[0] > 0]
        query, models, level, lines = zip(*kept, strict=True) if kept else ((), (), (), ())
        return QrelsFile(
            self.path,
            tuple(self.queries),
            np.array(query, np.int32),
            tuple(models),
            np.array(level, np.uint8),
            np.array(lines, np.int32),
            tuple(self.findings),
        )
