"""Read tables of published scores: a row per run or method, a column per measure."""

from collections.abc import Sequence
from pathlib import Path

from shrec_viewer.domain import FormatError, PublishedTable
from shrec_viewer.formats.io.tables import (
    PARTICIPANT_COLUMNS,
    RANK_NAMES,
    RUN_COLUMNS,
    TextTable,
    header_key,
    read_table,
)

#: Headings of the column of names, where there is no column of runs.
METHOD_COLUMNS = ("run code", "run file", "method", "methods", "algorithm", "approach", "system", "descriptor")

#: Value of the column query in the rows of means over queries, in tables of ``evaluate``.
MEAN_ROW = "mean"

#: Headings of columns that are no scores; compared by `header_key`.
OTHER_COLUMNS = frozenset(
    map(header_key, (*PARTICIPANT_COLUMNS, *RANK_NAMES, "place", "no", "no.", "nr", "query", "status", "profile", ""))
)


def read_published(path: Path, source: str = "") -> PublishedTable:
    """The table in a file.

    The column of names is the one called run, code or method, else the first one that is not all numbers. Of a table
    written by ``evaluate``, the means over queries are used.

    Parameters
    ----------
    source : the file as findings name it; "" for its name.

    Raises
    ------
    FormatError
        If the file is no such table, or a run is repeated.
    """
    table = read_table(path)
    header = [header_key(cell) for cell in table.rows[0]]
    if {"measure", "value"} <= {*header}:
        message = "has a row per measure; a row per run and a column per measure are expected"
        raise FormatError(path, message, table.lines[0])
    names, query = _name_column(table), table.find(("query",))
    rows = list(range(1, len(table.rows)))
    if query is not None:
        rows = [row for row in rows if _cell(table, row, query).casefold() == MEAN_ROW]
    rows = [row for row in rows if _cell(table, row, names)]
    titles = [
        column
        for column, key in enumerate(header)
        if column != names and key not in OTHER_COLUMNS and _has_numbers([_cell(table, row, column) for row in rows])
    ]
    if not titles:
        message = "contains no column of scores; a row per run and a column per measure are expected"
        raise FormatError(path, message, table.lines[0])
    found = [_cell(table, row, names) for row in rows]
    for index, name in enumerate(found):
        if name in found[:index]:
            raise FormatError(path, f"the run '{name}' is repeated", table.lines[rows[index]])
    return PublishedTable(
        source or path.name,
        tuple(table.rows[0][column] for column in titles),
        tuple(found),
        tuple(tuple(_cell(table, row, column) for column in titles) for row in rows),
        (table.lines[0], *(table.lines[row] for row in rows)),
    )


def _name_column(table: TextTable) -> int:
    for names in (RUN_COLUMNS, METHOD_COLUMNS):
        if (found := table.find(names)) is not None:
            return found
    columns = (table.column(column, header=True) for column in range(table.width))
    return next((number for number, cells in enumerate(columns) if not _has_numbers(cells)), 0)


def _cell(table: TextTable, row: int, column: int) -> str:
    cells = table.rows[row]
    return cells[column] if column < len(cells) else ""


def _has_numbers(cells: Sequence[str]) -> bool:
    """Whether most of the cells that are not empty begin with a number."""
    begins = [cell.lstrip("*†‡+-−.,")[:1].isdecimal() for cell in cells if cell]
    return 2 * sum(begins) > len(begins)
