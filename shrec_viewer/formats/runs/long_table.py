"""Runs in long format, one row per query and model: ``query,model,distance``, similarity or rank."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from pathlib import Path

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.reader import Match
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import TextTable, head_rows, read_table
from shrec_viewer.formats.io.text import FileHead, is_number
from shrec_viewer.formats.runs.trec import TrecFile, parse_numbers, trec_file_of_pairs
from shrec_viewer.formats.truth.qrels import MODEL_NAMES, QUERY_NAMES

DISTANCE_HEADERS = ("distance", "dist", "dissimilarity", "d")
SIMILARITY_HEADERS = ("similarity", "sim", "score", "scores")
RANK_HEADERS = ("rank", "ranking", "position")
"""Headers of the third column, by direction; ranks only if there is no other."""

QUERY_HEADERS = (*QUERY_NAMES, "query name", "qid", "query model")
MODEL_HEADERS = (
    *MODEL_NAMES,
    "model name",
    "target name",
    "docid",
    "retrieved",
    "result",
    "item",
    "shape",
    "candidate",
)

N_COLUMNS = 3
"""Columns of a table without a header."""


@dataclass(frozen=True)
class _LongTableLayout:
    """Columns of query, model and number; whether there is a header; `nearer`: "smaller" or "larger" numbers, or ""."""

    query: int
    model: int
    value: int
    header: bool
    nearer: str


def match_long_table(head: FileHead) -> Match:
    """Certain by a header; without one, only if the table is named as a run, as other triples look the same."""
    layout = _find_layout(head_rows(head), head.path.stem)
    if layout is None:
        return Match.NO
    return Match.CERTAIN if layout.header else Match.IF_NAMED


def read_long_table(path: Path, progress: ReadProgress = NO_PROGRESS) -> TrecFile:
    """Read all rows as those of a TREC run, with the direction in `TrecFile.nearer`.

    Without a header, numbers are distances, or similarities if they are in descending order for each query.

    Raises
    ------
    FormatError
        When it is not such a table, or no row can be used.
    """
    table = read_table(path)
    layout = _find_layout([list(row) for row in table.rows if len(row) == table.width], path.stem)
    if layout is None:
        raise FormatError(path, "is not a table with a query, a model and a number in each row", 1)
    rows = [
        (row[layout.query], row[layout.model], row[layout.value], line)
        for row, line in zip(table.rows[layout.header :], table.lines[layout.header :], strict=True)
        if len(row) > max(layout.query, layout.model, layout.value) and row[layout.query] and row[layout.model]
    ]
    if not rows:
        raise FormatError(path, "lists nothing")
    queries, models, words, lines = zip(*rows, strict=True)
    scores = parse_numbers([word.replace(",", ".") for word in words])
    findings = _row_findings(path, table, layout, words, lines)
    nearer = layout.nearer or _guess_direction(queries, scores.tolist())
    title = f"table of {len(rows):,} pairs of a query and a model"
    return trec_file_of_pairs(
        path, queries, models, scores, lines, findings, title, nearer, has_direction=bool(layout.nearer)
    )


def _row_findings(
    path: Path, table: TextTable, layout: _LongTableLayout, words: Sequence[str], lines: Sequence[int]
) -> list[Finding]:
    findings = []
    n_incomplete = len(table.rows) - layout.header - len(words)
    if n_incomplete:
        several = f"{n_incomplete:,} rows lack a query, a model or a number"
        message = several if n_incomplete > 1 else "a row lacks one of its cells"
        findings.append(Finding(Severity.ERROR, str(path), None, message, "ignored"))
    surplus = [line for row, line in zip(table.rows, table.lines, strict=True) if len(row) > table.width]
    if surplus:
        message = f"more than {table.width} cells in this line"
        findings.append(Finding(Severity.ERROR, str(path), surplus[0], message, "the others are ignored", len(surplus)))
    not_numbers = [index for index, word in enumerate(words) if not is_number(word.replace(",", "."))]
    if not_numbers:
        first = not_numbers[0]
        message, action = f"'{words[first][:40]}' is not a number", "the model is last in its list"
        findings.append(Finding(Severity.ERROR, str(path), lines[first], message, action, len(not_numbers)))
    return findings


def _guess_direction(queries: Sequence[str], values: Sequence[float]) -> str:
    """Direction from the rows of each query: "larger" if the numbers are in descending order."""
    known = [(query, value) for query, value in zip(queries, values, strict=True) if not isnan(value)]
    adjacent = [(one[1], next_one[1]) for one, next_one in pairwise(known) if one[0] == next_one[0]]
    rises, falls = any(b > a for a, b in adjacent), any(b < a for a, b in adjacent)
    return "larger" if falls and not rises else "smaller"


def _find_layout(rows: list[list[str]], stem: str) -> _LongTableLayout | None:
    if not rows:
        return None
    header = [cell.casefold().replace("_", " ") for cell in rows[0]]
    indices = [
        next((header.index(name) for name in names if name in header), None) for names in (QUERY_HEADERS, MODEL_HEADERS)
    ]
    query, model = indices
    if query is not None and model is not None and len(rows) > 1:
        for names, nearer in ((DISTANCE_HEADERS, "smaller"), (SIMILARITY_HEADERS, "larger"), (RANK_HEADERS, "smaller")):
            value = next((header.index(name) for name in names if name in header), None)
            if value is not None:
                return _LongTableLayout(query, model, value, True, nearer)
        return None
    if len(header) != N_COLUMNS or len(rows) < N_COLUMNS:
        return None
    queries, models, values = zip(*rows, strict=True)
    if any(map(is_number, (*queries, *models))) or not all(is_number(word.replace(",", ".")) for word in values):
        return None
    if len(set(zip(queries, models, strict=True))) < len(rows) or 2 * len(set(queries)) > len(rows):
        return None
    is_one_list = set(queries) == {stem}  # a rank list with the query in each line
    return None if is_one_list or all(word.isdigit() for word in values) else _LongTableLayout(0, 1, 2, False, "")
