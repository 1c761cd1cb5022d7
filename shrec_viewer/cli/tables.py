"""Tables: for a terminal, split where they are too wide; for a pipe, in one piece; for programs, as CSV."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from shrec_viewer.cli.terminal import printable

if TYPE_CHECKING:
    from rich.table import Table

UNDEFINED = "-"
"""What stands for a value that is not there; never nothing, so that columns can be counted."""

BEST = "bold green"
"""Style of the best value of a column; bold where there are no colours."""

LONG_TITLE = 8
"""Characters after which a title like ``AP(rel=2)`` takes two lines; numbers are six to eight characters wide."""


@dataclass(frozen=True)
class Column:
    """One column as text.

    Attributes
    ----------
    title : what stands above it.
    cells : from top to bottom.
    is_number : flush right.
    arrow : after the title on a terminal, says which end is good.
    best : rows to print bold.
    """

    title: str
    cells: tuple[str, ...]
    is_number: bool = False
    arrow: str = ""
    best: frozenset[int] = frozenset()


def plain(columns: Sequence[Column]) -> str:
    """The whole table, aligned by blanks, one line a row, however wide.

    Examples
    --------
    >>> print(plain([Column("run", ("A1", "B")), Column("AP", ("0.15", "-"), is_number=True)]), end="")
    run    AP
    A1   0.15
    B       -
    """
    padded = []
    for column in columns:
        cells = [printable(cell) for cell in (column.title, *(cell or UNDEFINED for cell in column.cells))]
        width = max(map(len, cells))
        padded.append([cell.rjust(width) if column.is_number else cell.ljust(width) for cell in cells])
    return "".join("  ".join(line).rstrip() + "\n" for line in zip(*padded, strict=True))


def split(leading: Sequence[Column], columns: Sequence[Column], width: int) -> "list[Table]":
    """Tables of at most `width` characters; a number is never cut.

    The first table begins with all leading columns, the others with those that tell rows apart. A terminal that is too
    narrow for one number gets one column a table all the same.
    """
    groups = fitting(leading, columns, width)
    begins = [leading, *[_telling_apart(leading)] * (len(groups) - 1)]
    return [_table([*begin, *group]) for begin, group in zip(begins, groups or [[]], strict=True)]


def fitting(leading: Sequence[Column], columns: Sequence[Column], width: int) -> list[list[Column]]:
    """The columns in groups, each as many as fit beside the leading ones into one of the tables of `split`."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(width=10_000)
    groups: list[list[Column]] = []
    for column in columns:
        if groups:
            begin = leading if len(groups) == 1 else _telling_apart(leading)
            wider = _table([*begin, *groups[-1], column])
            if Measurement.get(console, console.options, wider).maximum <= width:
                groups[-1].append(column)
                continue
        groups.append([column])
    return groups


def csv_of(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Comma-separated values under a header, numbers in full precision, what is not there empty."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return text.getvalue()


def _telling_apart(leading: Sequence[Column]) -> Sequence[Column]:
    """Without the columns that say nothing new beside the first one, such as who submitted a run."""
    first = leading[0].cells
    return [c for c in leading if c is leading[0] or len(set(zip(first, c.cells, strict=True))) > len(set(first))]


def _table(columns: Sequence[Column]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    rows = []
    for column in columns:
        titles, cells = _title(column).split("\n"), [printable(cell or UNDEFINED) for cell in column.cells]
        # Aligned here: rich does not justify what it may not wrap.
        width = max(map(len, [*titles, *cells]))
        align = str.rjust if column.is_number else str.ljust
        title = Text("\n".join(align(line, width) for line in titles))
        table.add_column(title, vertical="bottom", no_wrap=True, overflow="ignore")
        rows.append([Text(align(cell, width), BEST if n in column.best else "") for n, cell in enumerate(cells)])
    for row in zip(*rows, strict=True):
        table.add_row(*row)
    return table


def _title(column: Column) -> str:
    title = f"{printable(column.title)}{column.arrow}"
    if len(column.title) > LONG_TITLE and "(" in title:
        title = title.replace("(", "\n(", 1)
    return title
