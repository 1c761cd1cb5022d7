"""Read relevance judgements: TREC qrels, or a table of query-model pairs."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.tables import head_rows, read_table
from shrec_viewer.formats.io.text import FileHead, read_lines

QRELS_COLUMNS = 4

MIN_GOOD_SHARE = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""

MAX_LEVEL = 255
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


def is_qrels(head: FileHead) -> bool:
    """Whether nearly all lines have four columns, the second never changes and the last is a whole number."""
    good = [row for row in head.rows if len(row) == QRELS_COLUMNS and _is_level(row[3])]
    return (
        len(good) >= max(1, MIN_GOOD_SHARE * len(head.rows))
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
    reading = _QrelsParser(path)
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


class _QrelsParser:
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
        if len(words) != QRELS_COLUMNS:
            message = f"{QRELS_COLUMNS} columns 'query 0 model level' are expected, found {len(words)}"
            self._leave_out(number, message)
        elif not _is_level(words[3]):
            self._leave_out(number, f"the level '{words[3][:40]}' is no whole number")
        elif int(words[3]) > MAX_LEVEL:
            self._leave_out(number, f"the level {words[3]} is above {MAX_LEVEL}")
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


QUERY_NAMES = ("query id", "queryid", "query", "sketch query id", "text query id", "sketch id", "text id", "image id")
MODEL_NAMES = ("model id", "modelid", "model", "obj id", "object id", "target id", "target")
LEVEL_NAMES = ("relevance", "level", "rel", "gain")
ANSWER_NAMES = {"rank", "score", "distance", "similarity", "position"}
"""Headers of tables that list answers, not truth."""


def is_pair_table(head: FileHead) -> bool:
    """Whether it is a table whose header names a column of queries and one of models, and nothing about ranks."""
    rows = head_rows(head)
    if not rows:
        return False
    header = [_normal_header(cell) for cell in rows[0]]
    has_both = any(name in header for name in QUERY_NAMES) and any(name in header for name in MODEL_NAMES)
    return has_both and not ANSWER_NAMES & set(header)


def read_pair_table(path: Path) -> QrelsFile:
    """Pairs of a table as an assessment: level 1, or what a column of levels says.

    Where several columns name queries (a sketch and a text for one model), the first one counts, with a finding. A row
    without a query or a model is a finding and left out; so is what stands a second time with another level.

    Raises
    ------
    FormatError
        When no header names both columns, or no row can be used.

    Notes
    -----
    ANIMAR's own program takes whole connected components as relevant; in its published tables these are the pairs.
    """
    table = read_table(path)
    header = [_normal_header(cell) for cell in table.rows[0]] if table.rows else []
    queries_at = [place for place, name in enumerate(header) if name in QUERY_NAMES]
    model_at, level_at = table.find(MODEL_NAMES), table.find(LEVEL_NAMES)
    if not queries_at or model_at is None:
        raise FormatError(path, "no header names a column of queries and one of models", 1)
    findings = []
    if len(queries_at) > 1:
        names = " and ".join(f"'{table.rows[0][place]}'" for place in queries_at)
        message = f"the columns {names} name queries"
        findings.append(Finding(Severity.WARNING, str(path), 1, message, f"'{table.rows[0][queries_at[0]]}' counts"))
    pairs: dict[tuple[str, str], tuple[int, int]] = {}
    for row, line in zip(table.rows[1:], table.lines[1:], strict=True):
        cells = [row[place] if place is not None and place < len(row) else "" for place in (queries_at[0], model_at)]
        level = _parse_level(row[level_at]) if level_at is not None and level_at < len(row) else 1
        wrong = "the row has no query or no model" if "" in cells else "the level is no whole number from 0 to 255"
        if "" in cells or level is None:
            findings.append(Finding(Severity.ERROR, str(path), line, wrong, "the row is left out"))
            continue
        first = pairs.setdefault((cells[0], cells[1]), (level, line))
        if first[0] != level:
            message = f"'{cells[1]}' stands a second time for '{cells[0]}' (first in line {first[1]})"
            findings.append(Finding(Severity.ERROR, str(path), line, message, "the first line counts"))
    if not pairs:
        raise FormatError(path, "lists no relevance")
    return _qrels_of_pairs(path, pairs, tuple(findings))


def _normal_header(cell: str) -> str:
    return cell.casefold().replace("_", " ")


def _parse_level(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 and int(word) <= MAX_LEVEL else None


def _qrels_of_pairs(
    path: Path, pairs: dict[tuple[str, str], tuple[int, int]], findings: tuple[Finding, ...]
) -> QrelsFile:
    queries = {name: place for place, name in enumerate(dict.fromkeys(query for query, _ in pairs))}
    kept = [(queries[query], model, level, line) for (query, model), (level, line) in pairs.items() if level > 0]
    query_of, models, levels, lines = zip(*kept, strict=True) if kept else ((), (), (), ())
    return QrelsFile(
        path,
        tuple(queries),
        np.array(query_of, np.int32),
        tuple(models),
        np.array(levels, np.uint8),
        np.array(lines, np.int32),
        findings,
    )
