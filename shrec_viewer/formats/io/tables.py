"""Read comma-, semicolon- or tab-separated tables."""

import csv
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.text import FileHead, read_text

RUN_COLUMNS = ("run", "code", "run id", "run_id", "runid", "name")
PARTICIPANT_COLUMNS = ("participant", "team", "group", "author", "authors")


@dataclass(frozen=True, eq=False)
class TextTable:
    """A table as it stands.

    Attributes
    ----------
    path : the file.
    rows : rows of cells, the first one too, blanks around cells removed; blank rows left out.
    lines : 1-based line of each row.
    """

    path: Path
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]

    def column(self, place: int, *, header: bool) -> list[str]:
        """Cells of one column, "" where a row is shorter; without the first row where that is a header."""
        return [row[place] if place < len(row) else "" for row in self.rows[header:]]

    def find(self, names: tuple[str, ...]) -> int | None:
        """Place of the first column whose header is one of `names`, None for none."""
        header = [cell.casefold().replace("_", " ") for cell in self.rows[0]] if self.rows else []
        wanted = {name.casefold().replace("_", " ") for name in names}
        return next((place for place, cell in enumerate(header) if cell in wanted), None)

    @property
    def width(self) -> int:
        """Columns of the first row."""
        return len(self.rows[0]) if self.rows else 0


def is_table(head: FileHead) -> bool:
    """Whether the lines have the same number of cells, two or more, between commas, semicolons or tabs."""
    return bool(head_rows(head))


def head_rows(head: FileHead) -> list[list[str]]:
    """Cells of the first lines; empty where they are no table."""
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
    """What separates the cells of a line: the commonest of comma, semicolon and tab; None for none of them."""
    separator = max(",;\t", key=line.count)
    return separator if separator in line else None


def read_table(path: Path) -> TextTable:
    """All rows of a table.

    Raises
    ------
    FormatError
        When it is no text, has no rows, or a quotation never ends.
    """
    text = read_text(path)
    separator = separator_of(next((line for line in text.split("\n") if line.strip()), ""))
    if separator is None:
        raise FormatError(path, "is no table: no comma, semicolon or tab separates anything", 1)
    rows, lines = [], []
    reader = csv.reader(text.split("\n"), delimiter=separator, strict=False)
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                rows.append(tuple(cell.strip() for cell in row))
                lines.append(reader.line_num)
    except csv.Error as error:
        raise FormatError(path, f"is no table: {error}", reader.line_num) from error
    return TextTable(path, tuple(rows), tuple(lines))


def read_participants(table: TextTable) -> dict[str, str]:
    """Participant of each run, by the run's name, where the table has columns for both; else empty."""
    run, participant = table.find(RUN_COLUMNS), table.find(PARTICIPANT_COLUMNS)
    if run is None or participant is None or run == participant:
        return {}
    names = table.column(run, header=True)
    return {name: who for name, who in zip(names, table.column(participant, header=True), strict=True) if name and who}


def read_query_classes(table: TextTable, queries: set[str], classes: set[str]) -> dict[str, str]:
    """Class of each query, by its id, from a table with all query ids in one column and names of classes in another.

    Empty where no column has each query once, or where not exactly one column holds nothing but names of classes.
    """
    columns = [table.column(place, header=True) for place in range(table.width)]
    keys = [cells for cells in columns if queries <= set(cells) and len(set(cells)) == len(cells)]
    values = [cells for cells in columns if cells and set(cells) <= classes]
    return dict(zip(keys[0], values[0], strict=True)) if len(keys) == 1 and len(values) == 1 and queries else {}
