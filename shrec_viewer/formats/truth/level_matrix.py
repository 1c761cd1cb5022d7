"""Read relevance levels in a matrix with ids: query by model, or class by class."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.text import FileHead, is_number
from shrec_viewer.formats.truth.class_tables import LabelTable, table_rows
from shrec_viewer.formats.truth.qrels import JUNK_LEVEL, MAX_LEVEL, QrelsFile, level_of

MIN_COLUMNS = 3
"""Columns of the smallest matrix: ids, and two models or classes."""


def is_level_matrix(head: FileHead) -> bool:
    """Whether a text is a matrix with ids of rows and columns and levels only; its name must say so as well."""
    try:
        read_level_matrix(head.path)
    except FormatError:
        return False
    return True


def read_level_matrix(path: Path) -> QrelsFile:
    """Levels of the cells: rows are queries, columns models, or both are classes (see `levels_of_classes`).

    Raises
    ------
    FormatError
        When rows or columns have no ids, or a cell is no level.
    """
    rows = table_rows(path)
    width = len(rows[-1][1])
    columns = rows[0][1][-(width - 1) :]
    lines, body = zip(*rows[1:], strict=True) if len(rows) > 1 else ((), ())
    if width < MIN_COLUMNS or len(rows[0][1]) not in (width - 1, width) or any(map(is_number, columns)):
        raise FormatError(path, "has no ids of rows and of columns")
    values = np.zeros((len(body), width - 1), np.int64)
    for index, (line, row) in enumerate(zip(lines, body, strict=True)):
        found = map(level_of, row[1:])
        levels = [level for level in found if level is not None and JUNK_LEVEL <= level <= MAX_LEVEL]
        if len(levels) != width - 1:
            raise FormatError(path, f"an id and {width - 1:,} levels are expected", line)
        values[index] = levels
    queries = tuple(row[0] for row in body)
    if not np.any(values > 0) or len({*queries}) < len(queries) or len({*columns}) < len(columns):
        raise FormatError(path, "contains no relevance levels, or ids are repeated")
    query, model = np.nonzero(values > 0)
    of_junk, junk = np.nonzero(values == JUNK_LEVEL)
    return QrelsFile(
        path,
        queries,
        query.astype(np.int32),
        tuple(columns[index] for index in model.tolist()),
        values[query, model].astype(np.uint8),
        np.array(lines, np.int32)[query],
        (),
        of_junk.astype(np.int32),
        tuple(columns[index] for index in junk.tolist()),
        np.ones(len(junk), np.bool_),
    )


def levels_of_classes(file: QrelsFile, models: LabelTable, queries: LabelTable) -> QrelsFile:
    """Levels of queries and models from levels between their classes; unchanged if the file does not name classes."""
    names = {name: label for label, name in enumerate(models.names)}
    if not {*file.queries, *file.models} <= {*names, *queries.names} or {*file.models} & {*models.ids}:
        return file
    levels: dict[str, list[tuple[str, int, int]]] = {}
    for query, model, level, line in _pairs(file):
        levels.setdefault(file.queries[query], []).append((model, level, line))
    members = {name: np.flatnonzero(models.labels == label).tolist() for name, label in names.items()}
    pairs = [
        (query, models.ids[model], level, line)
        for query, label in enumerate(queries.labels.tolist())
        for name, level, line in (levels.get(queries.names[label], ()) if label >= 0 else ())
        for model in members.get(name, ())
    ]
    query_of, ids, found, lines = zip(*pairs, strict=True) if pairs else ((), (), (), ())
    return replace(
        file,
        queries=queries.ids,
        query=np.array(query_of, np.int32),
        models=tuple(ids),
        level=np.array(found, np.uint8),
        lines=np.array(lines, np.int32),
        zero_query=np.zeros(0, np.int32),
        zero_models=(),
        is_junk=np.zeros(0, np.bool_),
    )


def _pairs(file: QrelsFile) -> Sequence[tuple[int, str, int, int]]:
    return list(zip(file.query.tolist(), file.models, file.level.tolist(), file.lines.tolist(), strict=True))
