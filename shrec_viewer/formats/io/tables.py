"""Read comma-, semicolon- or tab-separated tables."""

import csv
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.limits import MAX_ENTRIES, beyond
from shrec_viewer.formats.io.text import FileHead, read_list_text

RUN_COLUMNS = ("run", "code", "run id", "run_id", "runid", "name")
PARTICIPANT_COLUMNS = ("participant", "team", "group", "author", "authors")


@dataclass(frozen=True, eq=False)
class TextTable:
    """Rows of a table as text.

    Attributes
    ----------
    path : the file.
    rows : cells of all rows including the header, stripped; without blank rows.
    lines : 1-based line of each row.
    """

    path: Path
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]

    def column(self, index: int, *, header: bool) -> list[str]:
        """Cells of one column, "" for shorter rows; without the first row if it is a header."""
        return [row[index] if index < len(row) else "" for row in self.rows[header:]]

    def find(self, names: tuple[str, ...]) -> int | None:
        """Index of the first column whose header is one of `names`, or None; ignores case and underscores."""
        header = [cell.casefold().replace("_", " ") for cell in self.rows[0]] if self.rows else []
        normal_names = {name.casefold().replace("_", " ") for name in names}
        return next((index for index, cell in enumerate(header) if cell in normal_names), None)

    @property
    def width(self) -> int:
        """Number of cells of the first row."""
        return len(self.rows[0]) if self.rows else 0


def is_table(head: FileHead) -> bool:
    """Whether all lines have the same number of cells, at least two, separated by commas, semicolons or tabs."""
    return bool(head_rows(head))


def head_rows(head: FileHead) -> list[list[str]]:
    """Cells of the first lines; empty if they are not a table."""
    separator = separator_of(head.lines[0]) if head.lines else None
    if separator is None:
        return []
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(head.lines, delimiter=separator)]
    except csv.Error:
        return []
    widths = {len(row) for row in rows}
    return rows if len(widths) == 1 and widths.pop() > 1 else []


def separator_of(line: str) -> str | None:
    """Separator of a line: the most frequent of comma, semicolon and tab, or None."""
    separator = max(",;\t", key=line.count)
    return separator if separator in line else None


def read_table(path: Path) -> TextTable:
    """All rows of a table.

    Raises
    ------
    FormatError
        When it is not text, has no rows, or has an unterminated quotation.
    """
    text = read_list_text(path)
    separator = separator_of(next((line for line in text.split("\n") if line.strip()), ""))
    if separator is None:
        raise FormatError(path, "is not a table: it contains no comma, semicolon or tab", 1)
    if text.count(separator) > MAX_ENTRIES:
        raise beyond(MAX_ENTRIES, "cells", path)
    rows, lines = [], []
    reader = csv.reader(text.split("\n"), delimiter=separator, strict=False)
    before = 0
    try:
        for row in reader:
            if reader.line_num > before + 1 and text.count('"') % 2:
                raise FormatError(path, "a quotation mark in this line is not closed", before + 1)
            before = reader.line_num
            if any(cell.strip() for cell in row):
                rows.append(tuple(cell.strip() for cell in row))
                lines.append(reader.line_num)
    except csv.Error as error:
        raise FormatError(path, f"is not a table: {error}", reader.line_num) from error
    return TextTable(path, tuple(rows), tuple(lines))


def read_participants(table: TextTable) -> dict[str, str]:
    """Participant of each run by its name; empty if the table has no columns for both."""
    run, participant = table.find(RUN_COLUMNS), table.find(PARTICIPANT_COLUMNS)
    if run is None or participant is None or run == participant:
        return {}
    names = table.column(run, header=True)
    participants = table.column(participant, header=True)
    return {name: team for name, team in zip(names, participants, strict=True) if name and team}


def read_query_classes(table: TextTable, queries: set[str], classes: set[str]) -> dict[str, str]:
    """Class of each query by its id, from a table with a column of query ids and one of class names.

    Empty unless exactly one column contains each query once, and exactly one contains class names only.
    """
    columns = [table.column(index, header=True) for index in range(table.width)]
    keys = [cells for cells in columns if queries <= set(cells) and len(set(cells)) == len(cells)]
    values = [cells for cells in columns if cells and set(cells) <= classes]
    return dict(zip(keys[0], values[0], strict=True)) if len(keys) == 1 and len(values) == 1 and queries else {}
