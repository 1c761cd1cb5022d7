"""Text tables for terminal and pipe, CSV, LaTeX and Markdown."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shrec_viewer.cli.terminal import styled
from shrec_viewer.printable import printable, separated_text

if TYPE_CHECKING:
    from rich.table import Table

UNDEFINED = "-"
"""Text of an undefined value; not empty, so that columns can be counted."""

BEST_STYLE = "bold green"
"""Rich style of the best value of a column; bold on terminals without colours."""

MAX_TITLE_LENGTH = 8
"""Characters after which a title like ``AP(rel=2)`` is wrapped to two lines."""


@dataclass(frozen=True)
class OutputColumn:
    """A column as text.

    Attributes
    ----------
    title : heading.
    cells : from top to bottom.
    is_number : whether the column is right-aligned.
    arrow : follows the title, the direction of better values.
    best : indices of the cells to print bold.
    """

    title: str
    cells: tuple[str, ...]
    is_number: bool = False
    arrow: str = ""
    best: frozenset[int] = frozenset()


COLUMN_GAP = 2
"""Spaces between the columns of `plain_table`."""


def column_width(column: OutputColumn) -> int:
    """Characters that a column takes in `plain_table`, with the gap before the next one."""
    return COLUMN_GAP + max(len(printable(cell or UNDEFINED)) for cell in (column.title, *column.cells))


def plain_table(columns: Sequence[OutputColumn]) -> str:
    """The table as text aligned with spaces, one line per row, without a limit of width.

    Examples
    --------
    >>> columns = [OutputColumn("run", ("A1", "B")), OutputColumn("AP", ("0.15", "-"), is_number=True)]
    >>> print(plain_table(columns), end="")
    run    AP
    A1   0.15
    B       -
    """
    padded = []
    for column in columns:
        cells = [printable(cell) for cell in (column.title, *(cell or UNDEFINED for cell in column.cells))]
        width = max(map(len, cells))
        padded.append([cell.rjust(width) if column.is_number else cell.ljust(width) for cell in cells])
    return "".join((" " * COLUMN_GAP).join(line).rstrip() + "\n" for line in zip(*padded, strict=True))


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


def table_text(columns: Sequence[OutputColumn], form: str, caption: str) -> str:
    """A table with a caption as text: aligned with spaces below the caption, LaTeX or Markdown.

    Parameters
    ----------
    form : ``"table"``, ``"latex"`` or ``"markdown"``.
    caption : "" for none.
    """
    if form == "table":
        return f"{caption}\n{plain_table(columns)}" if caption else plain_table(columns)
    return {"latex": latex_table, "markdown": markdown_table}[form](columns, caption)


def format_number(value: float, form: str = ".3f") -> str:
    """A number as text; NaN as "", which tables show as undefined."""
    return "" if value != value else format(value, form)


def number_column(title: str, values: Iterable[float], form: str = ".3f") -> OutputColumn:
    """A column of numbers; NaN is undefined."""
    return OutputColumn(title, tuple(format_number(value, form) for value in values), is_number=True)


def csv_table(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Comma-separated values with a header, numbers in full precision, undefined values empty."""
    return separated_text([header, *rows])


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


LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "_": r"\_",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "[": "{[}",
    "]": "{]}",
    "*": "{*}",
    '"': r"\char34{}",
    "`": r"\textasciigrave{}",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}
"""Characters to escape in LaTeX; quotation marks are active in some languages of babel."""

MARKDOWN_ESCAPES = {sign: f"\\{sign}" for sign in "\\|*_`<>[]~$"}
"""Characters to escape in Markdown."""


def latex_table(columns: Sequence[OutputColumn], caption: str) -> str:
    r"""A LaTeX table for the package booktabs with its caption, the best values bold.

    Examples
    --------
    >>> columns = [OutputColumn("run", ("a_1",)), OutputColumn("AP", ("0.5",), True, "↑", frozenset({0}))]
    >>> print(latex_table(columns, "Means"), end="")
    % \usepackage{booktabs}
    \begin{table}
      \centering
      \caption{Means}
      \begin{tabular}{lr}
        \toprule
        run & AP $\uparrow$ \\
        \midrule
        a\_1 & \textbf{0.5} \\
        \bottomrule
      \end{tabular}
    \end{table}
    """
    head, body = _escaped_cells(columns, _escape_latex, r"\textbf{", "}")
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_escape_latex(caption)}}}",
        rf"  \begin{{tabular}}{{{''.join('r' if column.is_number else 'l' for column in columns)}}}",
        r"    \toprule",
        rf"    {' & '.join(head)} \\",
        r"    \midrule",
        *(rf"    {' & '.join(row)} \\" for row in body),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "".join(f"{line}\n" for line in lines)


def markdown_table(columns: Sequence[OutputColumn], caption: str) -> str:
    r"""A GitHub Markdown table below its caption, the best values bold.

    Examples
    --------
    >>> columns = [OutputColumn("run", ("a_1",)), OutputColumn("AP", ("0.5",), True, "↑", frozenset({0}))]
    >>> print(markdown_table(columns, "Means"), end="")
    Means
    <BLANKLINE>
    | run | AP ↑ |
    |:---|---:|
    | a\_1 | **0.5** |
    """
    head, body = _escaped_cells(columns, _escape_markdown, "**", "**")
    rule = "|".join("---:" if column.is_number else ":---" for column in columns)
    rows = [f"| {' | '.join(row)} |" for row in (head, *body)]
    return "\n".join([_escape_markdown(caption), "", rows[0], f"|{rule}|", *rows[1:]]) + "\n"


def _escaped_cells(
    columns: Sequence[OutputColumn], escape: Callable[[str], str], bold: str, end: str
) -> tuple[list[str], list[list[str]]]:
    """Escaped headings and rows, the best values bold."""
    head = [escape(f"{column.title} {column.arrow}".strip()) for column in columns]
    filled = []
    for column in columns:
        cells = [escape(cell or UNDEFINED) for cell in column.cells]
        filled.append([f"{bold}{cell}{end}" if row in column.best else cell for row, cell in enumerate(cells)])
    return head, [list(row) for row in zip(*filled, strict=True)]


def _escape_latex(text: str) -> str:
    """The text with special characters escaped, and without ligatures: ``--`` would become a dash."""
    escaped = "".join(LATEX_ESCAPES.get(sign, sign) for sign in printable(text))
    return re.sub(r"([-',])(?=\1)", r"\1{}", escaped)


def _escape_markdown(text: str) -> str:
    """The text with special characters escaped, and with ``&`` where it would begin an entity."""
    escaped = "".join(MARKDOWN_ESCAPES.get(sign, sign) for sign in printable(text))
    return re.sub(r"&(?=[#\w])", r"\&", escaped)
