"""Runs as long tables: a row for each query and model, ``query,model,distance``, or with similarities or ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.pairs import MODEL_NAMES, QUERY_NAMES
from shrec_viewer.formats.tables import Table, head_rows, read_table
from shrec_viewer.formats.text import Head, is_number
from shrec_viewer.formats.trec import TrecFile, numbers
from shrec_viewer.formats.word_codes import WordCodes

SMALLER = ("distance", "dist", "dissimilarity", "d")
LARGER = ("similarity", "sim", "score", "scores")
RANKS = ("rank", "ranking", "position")
"""Headers of the third column, by what is nearer; ranks only where nothing else says it."""

QUERIES = (*QUERY_NAMES, "query name", "qid", "query model")
MODELS = (*MODEL_NAMES, "model name", "target name", "docid", "retrieved", "result", "item", "shape", "candidate")

COLUMNS = 3
"""Columns of a table without a header."""


@dataclass(frozen=True)
class _Layout:
    """Places of query, model and number; how many lines are a header; which number is nearer."""

    query: int
    model: int
    value: int
    header: bool
    nearer: str


def is_long_table(head: Head) -> bool:
    """Whether it is a table of queries, models and numbers: the header says so, or words repeat as they do there."""
    rows = head_rows(head)
    return _layout(rows, head.path.stem) is not None


def read_long_table(path: Path) -> TrecFile:
    """All rows, as a TREC run has them: where smaller numbers are nearer, `TrecFile.nearer` says it.

    Where no header says what the numbers are, they are distances, unless they fall from row to row of each query.

    Raises
    ------
    FormatError
        When it is no such table, or no row can be used.
    """
    table = read_table(path)
    layout = _layout([list(row) for row in table.rows if len(row) == table.width], path.stem)
    if layout is None:
        raise FormatError(path, "is no table with a query, a model and a number in each row", 1)
    rows = [
        (row[layout.query], row[layout.model], row[layout.value], line)
        for row, line in zip(table.rows[layout.header :], table.lines[layout.header :], strict=True)
        if len(row) > max(layout.query, layout.model, layout.value) and row[layout.query] and row[layout.model]
    ]
    if not rows:
        raise FormatError(path, "lists nothing")
    queries, models, words, lines = zip(*rows, strict=True)
    scores = numbers([word.replace(",", ".") for word in words])
    findings = _faults(path, table, layout, words, lines)
    nearer = layout.nearer or _direction(queries, scores.tolist())
    query_codes, model_codes = WordCodes(), WordCodes()
    query, model = _codes(queries, query_codes), _codes(models, model_codes)
    return TrecFile(
        path,
        tuple(query_codes.names()),
        tuple(model_codes.names()),
        query,
        model,
        np.full(len(rows), np.nan, np.float32),
        scores,
        np.array(lines, np.int32),
        (),
        tuple(findings),
        title=f"table of {len(rows):,} pairs of a query and a model",
        nearer=nearer,
        is_told=bool(layout.nearer),
    )


def _faults(path: Path, table: Table, layout: _Layout, words: Sequence[str], lines: Sequence[int]) -> list[Finding]:
    findings = []
    left = len(table.rows) - layout.header - len(words)
    if left:
        message = f"{left:,} rows have no query, no model or no number" if left > 1 else "a row lacks one of its cells"
        findings.append(Finding(Severity.ERROR, str(path), None, message, "left out"))
    bad = [place for place, word in enumerate(words) if not is_number(word.replace(",", "."))]
    if bad:
        message, action = f"'{words[bad[0]][:40]}' is no number", "the model goes to the end of its list"
        findings.append(Finding(Severity.ERROR, str(path), lines[bad[0]], message, action, len(bad)))
    return findings


def _codes(words: Sequence[str], known: WordCodes) -> NDArray[np.int32]:
    places = {word: known.place(word.encode()) for word in dict.fromkeys(words)}
    return np.fromiter(map(places.__getitem__, words), np.int32, len(words))


def _direction(queries: Sequence[str], values: Sequence[float]) -> str:
    """What is nearer, from the rows of each query: "larger" where the numbers never rise, and do fall."""
    steps = [b - a for (p, a), (q, b) in pairwise(zip(queries, values, strict=True)) if p == q]
    return "larger" if steps and max(steps) <= 0 > min(steps) else "smaller"


def _layout(rows: list[list[str]], stem: str) -> _Layout | None:
    if not rows:
        return None
    header = [cell.casefold().replace("_", " ") for cell in rows[0]]
    places = [next((header.index(name) for name in names if name in header), None) for names in (QUERIES, MODELS)]
    query, model = places
    if query is not None and model is not None and len(rows) > 1:
        for names, nearer in ((SMALLER, "smaller"), (LARGER, "larger"), (RANKS, "smaller")):
            value = next((header.index(name) for name in names if name in header), None)
            if value is not None:
                return _Layout(query, model, value, True, nearer)
        return None
    if len(header) != COLUMNS or len(rows) < COLUMNS:
        return None
    asked, named, values = zip(*rows, strict=True)
    if any(map(is_number, (*asked, *named))) or not all(is_number(word.replace(",", ".")) for word in values):
        return None
    if len(set(zip(asked, named, strict=True))) < len(rows) or 2 * len(set(asked)) > len(rows):
        return None
    is_one_list = set(asked) == {stem}  # a file of a folder of lists, the query before each line
    return None if is_one_list or all(word.isdigit() for word in values) else _Layout(0, 1, 2, False, "")
