"""Tables in the width of a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from shrec_viewer.cli.terminal import styled
from shrec_viewer.printable import printable
from shrec_viewer.report.tables.text import UNDEFINED, OutputColumn

if TYPE_CHECKING:
    from rich.table import Table

BEST_STYLE = "bold green"
"""Rich style of the best value of a column; bold on terminals without colours."""

MAX_TITLE_LENGTH = 8
"""Characters after which a title like ``AP(rel=2)`` is wrapped to two lines."""


def split_table(leading: Sequence[OutputColumn], columns: Sequence[OutputColumn], width: int) -> "list[Table]":
    """Tables of at most `width` characters; numbers are never truncated.

    The first table begins with all leading columns, the others with those that identify a row. Every table has at least
    one column of numbers, also on a narrower terminal.
    """
    groups = fit_columns(leading, columns, width)
    begins = [leading, *[_identifying_columns(leading)] * (len(groups) - 1)]
    return [_rich_table([*begin, *group]) for begin, group in zip(begins, groups or [[]], strict=True)]


def fit_columns(
    leading: Sequence[OutputColumn], columns: Sequence[OutputColumn], width: int
) -> list[list[OutputColumn]]:
    """Split columns into groups, each as large as fits next to the leading columns in a table of `split_table`."""
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(width=10_000)
    groups: list[list[OutputColumn]] = []
    for column in columns:
        if groups:
            begin = leading if len(groups) == 1 else _identifying_columns(leading)
            wider = _rich_table([*begin, *groups[-1], column])
            if Measurement.get(console, console.options, wider).maximum <= width:
                groups[-1].append(column)
                continue
        groups.append([column])
    return groups


def _identifying_columns(leading: Sequence[OutputColumn]) -> Sequence[OutputColumn]:
    """The first column, and others that are needed to identify a row: not the participant, which the run determines."""
    first = leading[0].cells
    return [c for c in leading if c is leading[0] or len(set(zip(first, c.cells, strict=True))) > len(set(first))]


def _rich_table(columns: Sequence[OutputColumn]) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")
    rows = []
    for column in columns:
        titles, cells = _wrapped_title(column).split("\n"), [printable(cell or UNDEFINED) for cell in column.cells]
        # Aligned here: rich does not justify columns with no_wrap.
        width = max(map(len, [*titles, *cells]))
        align = str.rjust if column.is_number else str.ljust
        title = styled("\n".join(align(line, width) for line in titles))
        table.add_column(title, vertical="bottom", no_wrap=True, overflow="ignore")
        styles = [BEST_STYLE if row in column.best else "" for row in range(len(cells))]
        rows.append([styled(align(cell, width), style) for cell, style in zip(cells, styles, strict=True)])
    for row in zip(*rows, strict=True):
        table.add_row(*row)
    return table


def _wrapped_title(column: OutputColumn) -> str:
    title = f"{printable(column.title)}{column.arrow}"
    if len(column.title) > MAX_TITLE_LENGTH and "(" in title:
        title = title.replace("(", "\n(", 1)
    return title
