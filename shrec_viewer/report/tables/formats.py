"""File formats of tables: CSV, JSON, Markdown, LaTeX and text with tabs."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import isfinite

from shrec_viewer.charts.table import DIGITS, Cell, Table, TableColumn
from shrec_viewer.printable import printable_json, separated_text
from shrec_viewer.report.tables.text import OutputColumn, table_text
from shrec_viewer.version import __version__

#: Name and version of the JSON document; the version changes when a reader of it would fail.
TABLE_SCHEMA = "shrec-viewer/table/1"

ARROWS = {"higher": "↑", "lower": "↓", "none": ""}


def text_columns(table: Table) -> list[OutputColumn]:
    """The columns as text, with the direction of better values, the best values, the second best and the letters."""
    columns = []
    for index, column in enumerate(table.columns):
        digits = table.cell_digits.get(index, (None,) * len(table.rows))
        cells = tuple(_cell_text(row[index], column, own) for row, own in zip(table.rows, digits, strict=True))
        letters = {row: text for row, text in enumerate(table.letters.get(index, ())) if text}
        title, arrow = column.title or column.key, ARROWS[column.better]
        best, second = table.best(index), table.best(index, 2)
        columns.append(OutputColumn(title, cells, column.is_number, arrow, best, second, letters))
    return columns


def _cell_text(cell: Cell, column: TableColumn, own_digits: int | None) -> str:
    if isinstance(cell, float):
        digits = next(one for one in (own_digits, column.digits, DIGITS) if one is not None)
        return f"{cell:.{digits}f}" if isfinite(cell) else ""
    return "" if cell is None else str(cell)


def _laid_out(form: str, table: Table) -> str:
    """The table aligned with spaces below its caption, as LaTeX for the package booktabs, or as GitHub Markdown."""
    return table_text(text_columns(table), form, table.title, table.notes)


def _separated(separator: str, table: Table) -> str:
    """Separated values in full precision; a column of letters follows each column that has any."""
    return separated_text(_lines(table), separator)


def _lines(table: Table) -> list[list[Cell]]:
    header: list[Cell] = []
    lines: list[list[Cell]] = [[] for _ in table.rows]
    for index, column in enumerate(table.columns):
        header.append(column.key)
        letters = table.letters.get(index)
        if letters is not None:
            header.append(f"{column.key} letters")
        for number, (line, row) in enumerate(zip(lines, table.rows, strict=True)):
            line.append(_value(row[index], column))
            if letters is not None:
                line.append(letters[number])
    return [header, *lines]


def json_text(table: Table) -> str:
    """A JSON document: columns, rows as lists in full precision, null for undefined."""
    document = {
        "schema": TABLE_SCHEMA,
        "version": __version__,
        "table": table.key,
        "title": table.title,
        "columns": [{"key": c.key, "title": c.title or c.key, "better": c.better} for c in table.columns],
        "rows": [[_value(cell, column) for cell, column in zip(row, table.columns, strict=True)] for row in table.rows],
        **(
            {"letters": {str(column): list(letters) for column, letters in table.letters.items()}}
            if table.letters
            else {}
        ),
        **({"notes": list(table.notes)} if table.notes else {}),
    }
    text = json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    return printable_json(text) + "\n"


def _value(cell: Cell, column: TableColumn) -> Cell:
    """The cell in full precision or with the decimals of its column; None for undefined."""
    if not isinstance(cell, float):
        return cell
    if not isfinite(cell):
        return None
    return cell if column.digits is None else round(cell, column.digits)


@dataclass(frozen=True)
class TableFormat:
    """A file format of tables.

    Attributes
    ----------
    key : value of ``--format``.
    label : for people.
    suffix : of files, with its dot.
    write : the table as text.
    """

    key: str
    label: str
    suffix: str
    write: Callable[[Table], str]


#: File formats of tables, in the order of the export dialog.
TABLE_FORMATS: Mapping[str, TableFormat] = {
    row.key: row
    for row in (
        TableFormat("csv", "CSV", ".csv", partial(_separated, ",")),
        TableFormat("json", "JSON", ".json", json_text),
        TableFormat("latex", "LaTeX", ".tex", partial(_laid_out, "latex")),
        TableFormat("markdown", "Markdown", ".md", partial(_laid_out, "markdown")),
        TableFormat("tabs", "Text with tabs", ".tsv", partial(_separated, "\t")),
        TableFormat("table", "Aligned text", ".txt", partial(_laid_out, "table")),
    )
}


def table_bytes(table: Table, form: str, digits: int | None = None) -> bytes:
    """A table as the bytes of a file.

    Parameters
    ----------
    form : key of `TABLE_FORMATS`.
    digits : decimals of all values; None for those of each column. Best and second best are those of the exact values.
    """
    return TABLE_FORMATS[form].write(table.with_digits(digits)).encode()
