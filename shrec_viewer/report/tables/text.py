"""Text columns, and tables of them aligned with spaces, as LaTeX, Markdown and CSV."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from shrec_viewer.printable import printable, separated_text

#: Text of an undefined value; not empty, so that columns can be counted.
UNDEFINED = "-"


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
    second : indices of the cells to underline in LaTeX.
    letters : significance letters by index of the cell; behind it, and raised in LaTeX and Markdown.
    """

    title: str
    cells: tuple[str, ...]
    is_number: bool = False
    arrow: str = ""
    best: frozenset[int] = frozenset()
    second: frozenset[int] = frozenset()
    letters: Mapping[int, str] = field(default_factory=dict)

    @property
    def plain_cells(self) -> tuple[str, ...]:
        """The cells with letters behind them, which leave the numbers aligned."""
        width = max(map(len, self.letters.values()), default=0)
        texts = (f" {self.letters.get(row, ''):<{width}}" if width else "" for row in range(len(self.cells)))
        return tuple(f"{cell or UNDEFINED}{text}" for cell, text in zip(self.cells, texts, strict=True))


#: Spaces between the columns of `plain_table`.
COLUMN_GAP = 2


def column_width(column: OutputColumn) -> int:
    """Characters that a column takes in `plain_table`, with the gap before the next one."""
    return COLUMN_GAP + max(map(len, map(printable, (column.title, *column.plain_cells))))


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
        cells = [printable(cell) for cell in (column.title, *column.plain_cells)]
        width = max(map(len, cells))
        padded.append([cell.rjust(width) if column.is_number else cell.ljust(width) for cell in cells])
    return "".join((" " * COLUMN_GAP).join(line).rstrip() + "\n" for line in zip(*padded, strict=True))


def table_text(columns: Sequence[OutputColumn], form: str, caption: str, notes: Sequence[str] = ()) -> str:
    """A table with a caption as text: aligned with spaces below the caption, LaTeX or Markdown.

    Parameters
    ----------
    form : ``"table"``, ``"latex"`` or ``"markdown"``.
    caption : "" for none.
    notes : sentences below the table.
    """
    if form == "table":
        below = "".join(f"{printable(note)}\n" for note in notes)
        return (f"{printable(caption)}\n" if caption else "") + plain_table(columns) + below
    return {"latex": latex_table, "markdown": markdown_table}[form](columns, caption, notes)


def format_number(value: float, form: str = ".3f") -> str:
    """A number as text; NaN as "", which tables show as undefined."""
    return "" if value != value else format(value, form)


def number_column(title: str, values: Iterable[float], form: str = ".3f") -> OutputColumn:
    """A column of numbers; NaN is undefined."""
    return OutputColumn(title, tuple(format_number(value, form) for value in values), is_number=True)


def csv_table(header: Sequence[str], rows: Iterable[Sequence[str | float | None]]) -> str:
    """Comma-separated values with a header, numbers in full precision, undefined values empty."""
    return separated_text([header, *rows])


#: Characters to escape in LaTeX; quotation marks are active in some languages of babel.
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

#: Characters to escape in Markdown.
MARKDOWN_ESCAPES = {sign: f"\\{sign}" for sign in "\\|*_`<>[]~$"}


def latex_table(columns: Sequence[OutputColumn], caption: str, notes: Sequence[str] = ()) -> str:
    r"""A LaTeX table for the package booktabs with its caption, the best values bold, the second best underlined.

    It compiles with pdfLaTeX if its names are written in the Latin alphabet, else a comment names the engines.

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
    head, body = _escaped_cells(columns, escape_latex, LATEX_MARKS)
    texts = [caption, *notes, *(text for column in columns for text in (column.title, *column.cells))]
    lines = [
        r"% \usepackage{booktabs}",
        *(
            []
            if all(map(_is_latin, texts))
            else ["% compile with XeLaTeX or LuaLaTeX, and a font with these characters"]
        ),
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{escape_latex(caption)}}}",
        rf"  \begin{{tabular}}{{{''.join('r' if column.is_number else 'l' for column in columns)}}}",
        r"    \toprule",
        rf"    {' & '.join(head)} \\",
        r"    \midrule",
        *(rf"    {' & '.join(row)} \\" for row in body),
        r"    \bottomrule",
        r"  \end{tabular}",
        *(rf"  \par\smallskip{{\footnotesize {escape_latex(note)}\par}}" for note in notes),
        r"\end{table}",
    ]
    return "".join(f"{line}\n" for line in lines)


def markdown_table(columns: Sequence[OutputColumn], caption: str, notes: Sequence[str] = ()) -> str:
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
    head, body = _escaped_cells(columns, _escape_markdown, MARKDOWN_MARKS)
    rule = "|".join("---:" if column.is_number else ":---" for column in columns)
    rows = [f"| {' | '.join(row)} |" for row in (head, *body)]
    below = [line for note in notes for line in ("", _escape_markdown(note))]
    return "\n".join([_escape_markdown(caption), "", rows[0], f"|{rule}|", *rows[1:], *below]) + "\n"


LATEX_MARKS = (r"\textbf{%s}", r"\underline{%s}", r"\textsuperscript{%s}")
#: Best value, second best value and significance letters; Markdown has no underlined text.
MARKDOWN_MARKS = ("**%s**", "%s", "<sup>%s</sup>")


def _escaped_cells(
    columns: Sequence[OutputColumn], escape: Callable[[str], str], marks: tuple[str, str, str]
) -> tuple[list[str], list[list[str]]]:
    """Escaped headings and rows, with the best and second best values and the letters marked."""
    bold, underlined, raised = marks
    head = [escape(f"{column.title} {column.arrow}".strip()) for column in columns]
    filled = []
    for column in columns:
        cells = [escape(cell or UNDEFINED) for cell in column.cells]
        cells = [bold % cell if row in column.best else cell for row, cell in enumerate(cells)]
        cells = [underlined % cell if row in column.second else cell for row, cell in enumerate(cells)]
        letters = (column.letters.get(row, "") for row in range(len(cells)))
        filled.append([cell + (raised % text if text else "") for cell, text in zip(cells, letters, strict=True)])
    return head, [list(row) for row in zip(*filled, strict=True)]


#: Last character of the block Latin Extended-A, which pdfLaTeX typesets without further packages.
LAST_LATIN = 0x17F

#: Characters above `LAST_LATIN` that it typesets as well, or that are escaped.
_PUNCTUATION = "–—‘’“”…•↑↓"


def _is_latin(text: str) -> bool:
    return all(ord(sign) <= LAST_LATIN or sign in _PUNCTUATION for sign in printable(text))


def escape_latex(text: str) -> str:
    """The text with special characters escaped, and without ligatures: ``--`` would become a dash."""
    escaped = "".join(LATEX_ESCAPES.get(sign, sign) for sign in printable(text))
    return re.sub(r"([-',])(?=\1)", r"\1{}", escaped)


def _escape_markdown(text: str) -> str:
    """The text with special characters escaped, and with ``&`` where it would begin an entity."""
    escaped = "".join(MARKDOWN_ESCAPES.get(sign, sign) for sign in printable(text))
    return re.sub(r"&(?=[#\w])", r"\&", escaped)
