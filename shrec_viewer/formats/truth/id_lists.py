"""Read lists of ids under a header `ID`, and the partiality of each query (SHREC'13 partial retrieval)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.ids import COLLECTION_WORDS, QUERY_WORDS, IdIndex
from shrec_viewer.formats.io.tables import column_name, read_table, separator_of
from shrec_viewer.formats.io.text import FileHead, is_number, read_lines

ID_HEADERS = {
    *("id", "ids", "model id", "modelid", "object id", "obj id", "query id", "queryid"),
    *("sketch query id", "text query id", "sketch id", "text id", "image id"),
}
#: Headers of a second column with the text of a query.
TEXT_HEADERS = {"prompt", "text", "tex", "query", "description", "caption", "sentence"}

#: Minimum share of the ids in assessment and runs that a list of models or queries must contain.
MIN_KNOWN_SHARE = 0.5

#: Maximum number of ids in use that are looked up to choose a list.
MAX_SAMPLED_IDS = 200


@dataclass(frozen=True, eq=False)
class IdList:
    """Model or query ids.

    Attributes
    ----------
    path : the file.
    ids : distinct, in file order.
    findings : repeated ids; `file` is the full path.
    """

    path: Path
    ids: tuple[str, ...]
    findings: tuple[Finding, ...] = ()

    def summary(self) -> str:
        """Number of ids."""
        return f"list of {count_of(len(self.ids), 'id')}"


def is_id_list(head: FileHead) -> bool:
    """Whether the first line is a header of ids, optionally with a column of texts, and further lines follow."""
    if len(head.lines) < 2:
        return False
    cells = _header(head.lines[0])
    if cells[0] not in ID_HEADERS:
        return False
    if len(cells) == 1:
        return all(separator_of(line) is None for line in head.lines[1:])
    return len(cells) == 2 and cells[1] in TEXT_HEADERS


def _header(line: str) -> list[str]:
    separator = separator_of(line)
    cells = line.split(separator) if separator is not None else [line]
    return [column_name(cell.strip().strip('"')) for cell in cells]


def read_id_list(path: Path) -> IdList:
    """Ids of a list; repeated ids are findings.

    Raises
    ------
    FormatError
        When there is no header, or no id.
    """
    lines = read_lines(path)
    first = next((index for index, line in enumerate(lines) if line.strip()), None)
    if first is None or _header(lines[first])[0] not in ID_HEADERS:
        raise FormatError(path, "the header 'ID' is expected", None if first is None else first + 1)
    if separator_of(lines[first]) is None:
        rows = [(number, line.strip().strip('"')) for number, line in enumerate(lines[first + 1 :], first + 2)]
    else:
        table = read_table(path)
        rows = [(line, row[0]) for line, row in zip(table.lines[1:], table.rows[1:], strict=True)]
    line_of: dict[str, int] = {}
    findings = []
    for line, name in rows:
        if not name:
            continue
        if name in line_of:
            message = f"'{name}' is repeated (first in line {line_of[name]})"
            findings.append(Finding(Severity.WARNING, str(path), line, message, "the first occurrence is used"))
        line_of.setdefault(name, line)
    if not line_of:
        raise FormatError(path, "contains no entries")
    return IdList(path, tuple(line_of), tuple(findings))


def choose_id_list(
    lists: Sequence[IdList], ids_in_use: Sequence[str], *, are_queries: bool, others: Sequence[IdList | None] = ()
) -> IdList | None:
    """The list that contains most of the ids in use; without such ids, the list chosen by file name; None if none fits.

    Parameters
    ----------
    lists : candidates; lists in `others` are excluded.
    ids_in_use : ids that occur in the assessment and in runs.
    are_queries : whether the ids are of queries, not of models.
    """
    candidates = [candidate for candidate in lists if all(candidate is not other for other in others)]
    expected, unexpected = (QUERY_WORDS, COLLECTION_WORDS) if are_queries else (COLLECTION_WORDS, QUERY_WORDS)
    sample = ids_in_use[:: max(1, len(ids_in_use) // MAX_SAMPLED_IDS)]
    best: IdList | None = None
    best_score = MIN_KNOWN_SHARE if sample else 0.0
    for candidate in candidates:
        name = candidate.path.stem
        hint = bool(expected.search(name)) - bool(unexpected.search(name))
        score = IdIndex(candidate.ids).share(sample) if sample else float(hint)
        if score > best_score or (best is not None and score == best_score and len(candidate.ids) < len(best.ids)):
            best, best_score = candidate, score
    return best


QUERY_LIST_HEADERS = ("id", "ids", "query", "queries", "query id", "query_id", "queryid", "name", "model")


def read_plain_ids(path: Path) -> tuple[str, ...]:
    """Distinct ids, one per line, with or without a header.

    Raises
    ------
    FormatError
        When a line contains several words, or an id is repeated.
    """
    ids: dict[str, int] = {}
    for number, line in enumerate(read_lines(path), 1):
        model_id = line.strip().strip('"').rstrip(",;")
        if not model_id or (not ids and model_id.casefold() in QUERY_LIST_HEADERS):
            continue
        if len(model_id.split()) > 1 or set(model_id) & set(",;\t"):
            raise FormatError(path, f"one id is expected, found '{model_id[:40]}'", number)
        if model_id in ids:
            raise FormatError(path, f"'{model_id}' is repeated (first in line {ids[model_id]})", number)
        ids[model_id] = number
    if not ids:
        raise FormatError(path, "contains no entries")
    return tuple(ids)


@dataclass(frozen=True, eq=False)
class PartialityFile:
    """Partiality of each query; not used by a measure, but recognised as a part of the benchmark.

    Attributes
    ----------
    path : the file.
    shares : (Q,) float64 in [0, 1].
    """

    path: Path
    shares: NDArray[np.float64]

    def summary(self) -> str:
        """Number of queries."""
        return f"partiality of {count_of(len(self.shares), 'query', 'queries')}"


def is_partiality(head: FileHead) -> bool:
    """Whether the first line is a count and the others are at most as many shares."""
    if not head.rows or any(len(row) != 1 for row in head.rows):
        return False
    count, *shares = (row[0] for row in head.rows)
    if (
        not (count.isascii() and count.isdigit())
        or len(shares) < 2
        or not all(map(_is_share, shares))
        or "." not in "".join(shares)
    ):
        return False
    return len(shares) <= int(count) and int(count) > 1


def read_partiality(path: Path) -> PartialityFile:
    """Read the shares of all queries.

    Raises
    ------
    FormatError
        When a value is not in [0, 1], or the count is wrong.
    """
    lines = [(number, line.strip()) for number, line in enumerate(read_lines(path), 1) if line.strip()]
    if not lines or not (lines[0][1].isascii() and lines[0][1].isdigit()):
        raise FormatError(path, "does not begin with the number of queries", lines[0][0] if lines else None)
    for number, token in lines[1:]:
        if not _is_share(token):
            raise FormatError(path, f"'{token[:40]}' is not a number from 0 to 1", number)
    if int(lines[0][1][:18]) != len(lines) - 1:
        raise FormatError(path, f"declares {lines[0][1][:18]} shares but lists {len(lines) - 1:,}", lines[0][0])
    return PartialityFile(path, np.array([float(token) for _, token in lines[1:]], np.float64))


def _is_share(token: str) -> bool:
    return is_number(token) and 0 <= float(token) <= 1
