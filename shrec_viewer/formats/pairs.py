"""Truth as a table of pairs, many to many: one row for each query and model that belong together (SHREC'23 ANIMAR)."""

from pathlib import Path

import numpy as np

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.qrels import HIGHEST_LEVEL, QrelsFile
from shrec_viewer.formats.tables import head_rows, read_table
from shrec_viewer.formats.text import Head

QUERY_NAMES = ("query id", "queryid", "query", "sketch query id", "text query id", "sketch id", "text id", "image id")
MODEL_NAMES = ("model id", "modelid", "model", "obj id", "object id", "target id", "target")
LEVEL_NAMES = ("relevance", "level", "rel", "gain")
ANSWER_NAMES = {"rank", "score", "distance", "similarity", "position"}
"""Headers of tables that list answers, not truth."""


def is_pairs(head: Head) -> bool:
    """Whether it is a table whose header names a column of queries and one of models, and nothing about ranks."""
    rows = head_rows(head)
    if not rows:
        return False
    header = [_plain(cell) for cell in rows[0]]
    has_both = any(name in header for name in QUERY_NAMES) and any(name in header for name in MODEL_NAMES)
    return has_both and not ANSWER_NAMES & set(header)


def read_pairs(path: Path) -> QrelsFile:
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
    header = [_plain(cell) for cell in table.rows[0]] if table.rows else []
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
        level = _level(row[level_at]) if level_at is not None and level_at < len(row) else 1
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
    return _file(path, pairs, tuple(findings))


def _plain(cell: str) -> str:
    return cell.casefold().replace("_", " ")


def _level(word: str) -> int | None:
    return int(word) if word.isascii() and word.isdigit() and len(word) < 10 and int(word) <= HIGHEST_LEVEL else None


def _file(path: Path, pairs: dict[tuple[str, str], tuple[int, int]], findings: tuple[Finding, ...]) -> QrelsFile:
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
