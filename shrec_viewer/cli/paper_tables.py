"""Tables for papers and for the web: LaTeX and Markdown."""

from collections.abc import Sequence

from shrec_viewer.cli.tables import UNDEFINED, Column
from shrec_viewer.cli.terminal import printable

LATEX_SIGNS = {
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
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
}
"""What LaTeX does not take as it is, in the encodings that papers still use."""

MARKDOWN_SIGNS = {sign: f"\\{sign}" for sign in "\\|*_`<>[]"}
"""What Markdown would take for its own."""


def latex(columns: Sequence[Column], caption: str) -> str:
    r"""A table of booktabs, the best values bold; the caption stands in it.

    Examples
    --------
    >>> print(latex([Column("run", ("a_1",)), Column("AP", ("0.5",), True, "↑", frozenset({0}))], "Means"), end="")
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
    head, body = _cells(columns, LATEX_SIGNS, r"\textbf{", "}")
    lines = [
        r"% \usepackage{booktabs}",
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_escaped(caption, LATEX_SIGNS)}}}",
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


def markdown(columns: Sequence[Column], caption: str) -> str:
    r"""A table of GitHub's Markdown under its caption, the best values bold.

    Examples
    --------
    >>> print(markdown([Column("run", ("a_1",)), Column("AP", ("0.5",), True, "↑", frozenset({0}))], "Means"), end="")
    Means
    <BLANKLINE>
    | run | AP ↑ |
    |:---|---:|
    | a\_1 | **0.5** |
    """
    head, body = _cells(columns, MARKDOWN_SIGNS, "**", "**")
    rule = "|".join("---:" if column.is_number else ":---" for column in columns)
    rows = [f"| {' | '.join(row)} |" for row in (head, *body)]
    return "\n".join([_escaped(caption, MARKDOWN_SIGNS), "", rows[0], f"|{rule}|", *rows[1:]]) + "\n"


def _cells(columns: Sequence[Column], signs: dict[str, str], bold: str, end: str) -> tuple[list[str], list[list[str]]]:
    """Heads and rows, escaped, with the best cells in bold."""
    head = [_escaped(f"{column.title} {column.arrow}".strip(), signs) for column in columns]
    filled = []
    for column in columns:
        cells = [_escaped(cell or UNDEFINED, signs) for cell in column.cells]
        filled.append([f"{bold}{cell}{end}" if row in column.best else cell for row, cell in enumerate(cells)])
    return head, [list(row) for row in zip(*filled, strict=True)]


def _escaped(text: str, signs: dict[str, str]) -> str:
    return "".join(signs.get(sign, sign) for sign in printable(text))
