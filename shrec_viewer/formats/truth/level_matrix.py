"""Read relevance levels in a matrix, query by model or class by class, with ids or without."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.text import FileHead, is_number, read_or_none
from shrec_viewer.formats.truth.class_tables import LabelTable, table_rows
from shrec_viewer.formats.truth.qrels import JUNK_LEVEL, MAX_LEVEL, QrelsFile, level_of, qrels_of_columns

#: Columns of the smallest matrix: ids, and two models or classes.
MIN_COLUMNS = 3


#: Columns of the smallest matrix without ids: lines of qrels have four.
MIN_BARE_COLUMNS = 5


def is_level_matrix(head: FileHead) -> bool:
    """Whether a text is a matrix of levels only, with ids or without; its name must say so as well."""
    return read_or_none(read_level_matrix, head.path) is not None


def read_level_matrix(path: Path) -> QrelsFile:
    """Levels of the cells: rows are queries, columns models, or both are classes (see `levels_of_classes`).

    Raises
    ------
    FormatError
        When a cell is no level, or a small matrix has no ids of rows and columns.
    """
    rows = table_rows(path)
    width = len(rows[-1][1])
    is_bare = width >= MIN_BARE_COLUMNS and len(rows) > 1 and all(map(is_number, rows[0][1]))
    n_ids = 0 if is_bare else 1
    n_columns = width - n_ids
    columns = tuple(map(str, range(width))) if is_bare else rows[0][1][-n_columns:]
    lines, body = zip(*rows[n_ids:], strict=True) if len(rows) > 1 else ((), ())
    if width < MIN_COLUMNS or (
        not is_bare and (len(rows[0][1]) not in (n_columns, width) or any(map(is_number, columns)))
    ):
        raise FormatError(path, "has no ids of rows and of columns")
    values = np.zeros((len(body), n_columns), np.int64)
    for index, (line, row) in enumerate(zip(lines, body, strict=True)):
        found = map(level_of, row[n_ids:])
        levels = [level for level in found if level is not None and JUNK_LEVEL <= level <= MAX_LEVEL]
        if len(levels) != n_columns:
            raise FormatError(path, f"{'' if is_bare else 'an id and '}{n_columns:,} levels are expected", line)
        values[index] = levels
    queries = tuple(map(str, range(len(body)))) if is_bare else tuple(row[0] for row in body)
    if not np.any(values > 0) or len({*queries}) < len(queries) or len({*columns}) < len(columns):
        raise FormatError(path, "contains no relevance levels, or ids are repeated")
    query, model = np.nonzero(values)
    names = [columns[index] for index in model.tolist()]
    file = qrels_of_columns(path, queries, query, names, values[query, model], np.array(lines)[query])
    return replace(file, shape=(len(body), n_columns)) if is_bare else file


def levels_of_classes(file: QrelsFile, models: LabelTable, queries: LabelTable) -> QrelsFile:
    """Levels of queries and models from levels between their classes; unchanged if the file does not name classes."""
    names = {name: label for label, name in enumerate(models.names)}
    used = [models.names[label] for label in sorted({*models.labels.tolist()} - {-1})]
    if file.shape == (len(used), len(used)) != (len(queries.ids), len(models.ids)):
        file = file.with_ids(used, used)
    if file.shape or not {*file.queries, *file.models} <= {*names, *queries.names} or {*file.models} & {*models.ids}:
        return file
    levels: dict[str, list[tuple[str, int, int]]] = {}
    pairs = zip(file.query.tolist(), file.models, file.level.tolist(), file.lines.tolist(), strict=True)
    for query, model, level, line in pairs:
        levels.setdefault(file.queries[query], []).append((model, level, line))
    members = {name: np.flatnonzero(models.labels == label).tolist() for name, label in names.items()}
    found = [
        (query, models.ids[model], level, line)
        for query, label in enumerate(queries.labels.tolist())
        for name, level, line in (levels.get(queries.names[label], ()) if label >= 0 else ())
        for model in members.get(name, ())
    ]
    query_of, ids, level_of_pairs, lines = zip(*found, strict=True) if found else ((), (), (), ())
    pairs_of_ids = qrels_of_columns(file.path, queries.ids, query_of, ids, level_of_pairs, lines, file.findings)
    return replace(pairs_of_ids, profile=file.profile)
