"""Scores as a table for people, on a terminal and in a pipe, and as CSV."""

import sys
from collections.abc import Sequence
from itertools import chain
from math import isclose, isinf
from typing import TYPE_CHECKING

from shrec_viewer.cli.conventions import provenance, what_missing_lists_do
from shrec_viewer.cli.paper_tables import latex, markdown
from shrec_viewer.cli.tables import Column, csv_of, fitting, plain, split

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.evaluation.tables import Table
    from shrec_viewer.metrics import ResolvedMeasure

HEADINGS = {
    "mean": "Means over queries",
    "class_mean": "Means over classes",
    "textbook_mean": "Means over queries, without the mistakes of the official program",
    "textbook_class_mean": "Means over classes, without the mistakes of the official program",
    "ceiling": "What the best possible lists reach, over queries",
    "class_ceiling": "What the best possible lists reach, over classes",
    "mean_lowest": "Lowest means over queries that another order of equal distances could give",
    "mean_highest": "Highest means over queries that another order of equal distances could give",
    "class_mean_lowest": "Lowest means over classes that another order of equal distances could give",
    "class_mean_highest": "Highest means over classes that another order of equal distances could give",
}
"""What stands above each kind of mean."""

QUERY, STATUS = 2, 3
"""Places of these columns in a row of `scores_rows`."""

MEASURES = 5
"""Place of the first measure, after all columns that say what a row is."""

MAIN = 2
"""Tables of a kind of mean that a terminal gets unasked, where all would be at least two more; 2006 fills eight."""

ARROWS = {"higher": "↑", "lower": "↓", "none": ""}

Number = float | None
Row = tuple[str | Number, ...]


def csv_text(table: "Table") -> str:
    """Comma-separated values in full precision, undefined ones empty; the columns are always the same."""
    return csv_of(table.header, table.rows)


def plain_text(scores: "Scores", table: "Table") -> str:
    """One table in one piece, aligned by blanks."""
    leading, columns = _columns(scores, table.rows)
    return plain([*leading, *columns])


def paper_text(scores: "Scores", table: "Table", form: str) -> str:
    """One LaTeX or Markdown table a kind of mean, the best values bold, an arrow for the good end."""
    write = {"latex": latex, "markdown": markdown}[form]
    pieces = []
    for kind, rows in _kinds(table):
        leading, columns = _columns(scores, rows, may_show_arrows=True)
        heading = "Values of queries, and means" if kind is None else HEADINGS[kind]
        pieces.append(write([*leading, *columns], f"{heading}; conventions of {provenance(scores)}"))
    return "\n".join(pieces)


def show_on_screen(scores: "Scores", benchmark: "Benchmark", table: "Table", *, in_full: bool) -> None:
    """Print tables as wide as the terminal is, the best means bold, with lines about what they show.

    Parameters
    ----------
    in_full : all measures; else the first ones of the profile, in `MAIN` tables, and how many more there are.
    """
    from rich.console import Console
    from rich.text import Text

    from shrec_viewer.formats.journal import count_of

    console = Console(highlight=False)
    size = (
        count_of(len(scores.runs), "run"),
        count_of(len(scores.queries), "query", "queries"),
        count_of(len(benchmark.collection), "model"),
    )
    title = f"{benchmark.name}: {', '.join(size)}"
    console.print(Text.assemble((title, "bold"), f"; conventions of {provenance(scores)}"))
    kinds = _kinds(table)
    more = 0
    for kind, rows in kinds:
        if len(kinds) > 1:
            console.print(Text(f"\n{HEADINGS[str(kind)]}", style="underline"))
        leading, columns = _columns(scores, rows)
        shown = columns if in_full else _main(leading, columns, console.width)
        more = max(more, len(columns) - len(shown))
        for part in split(leading, shown, console.width):
            console.print()
            console.print(part, crop=False)
    console.print()
    for line in _legend(scores, more):
        console.print(Text(line, style="dim"))


def _kinds(table: "Table") -> list[tuple[str | None, list[Row]]]:
    """The rows of each kind of mean; all in one, under None, where there are rows of queries, too."""
    if any(row[QUERY] not in HEADINGS for row in table.rows):
        return [(None, list(table.rows))]
    rows = {kind: [row for row in table.rows if row[QUERY] == kind] for kind in HEADINGS}
    return [(kind, of_kind) for kind, of_kind in rows.items() if of_kind]


def _main(leading: Sequence[Column], columns: Sequence[Column], width: int) -> list[Column]:
    groups = fitting(leading, columns, width)
    return list(chain.from_iterable(groups if len(groups) <= MAIN + 1 else groups[:MAIN]))


def _columns(
    scores: "Scores", rows: Sequence[Row], *, may_show_arrows: bool = False
) -> tuple[list[Column], list[Column]]:
    """Columns that say what a row is, without those that say nothing, and the columns of numbers."""
    runs, participants, queries, statuses = (tuple(str(row[place]) for row in rows) for place in range(STATUS + 1))
    leading = [Column("run", runs)]
    if participants != runs:
        leading.append(Column("participant", participants))
    if len(set(queries)) > 1:
        leading.append(Column("query", queries))
    if any(statuses):
        leading.append(Column("status", statuses))
    arrows = ARROWS if may_show_arrows or _can_show("".join(ARROWS.values())) else dict.fromkeys(ARROWS, "")
    columns = []
    for place, measure in enumerate(scores.measures, start=MEASURES):
        values = [_number(row[place]) for row in rows]
        best = _best(values, queries, measure)
        columns.append(Column(measure.key, _cells(values, measure), True, arrows[measure.better], best))
    return leading, columns


def _number(cell: str | Number) -> Number:
    return cell if isinstance(cell, float) else None


def _cells(values: Sequence[Number], measure: "ResolvedMeasure") -> tuple[str, ...]:
    """Four decimals, as papers print shares; counts as whole numbers while they are."""
    are_counts = isinf(measure.range[1]) and all(value is None or value.is_integer() for value in values)
    return tuple("" if value is None else f"{value:.{0 if are_counts else 4}f}" for value in values)


def _best(values: Sequence[Number], queries: Sequence[str], measure: "ResolvedMeasure") -> frozenset[int]:
    """Rows with the best mean, ties included; none where there is nothing to be better than."""
    best: set[int] = set()
    for kind in HEADINGS:
        rows = {row: value for row, value in enumerate(values) if queries[row] == kind and value is not None}
        if len(rows) > 1 and measure.better != "none":
            top = (max if measure.better == "higher" else min)(rows.values())
            best |= {row for row, value in rows.items() if isclose(value, top, abs_tol=1e-12)}
    return frozenset(best)


def _can_show(signs: str) -> bool:
    try:
        signs.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _legend(scores: "Scores", more: int) -> list[str]:
    """What a reader of the table has to know, a line each."""
    missing = what_missing_lists_do(scores)
    lines = [
        f"{more} measures more: --measure KEY, or --format csv" if more else "",
        "The best is bold." if len(scores.runs) > 1 else "",
        f"{missing[:1].upper()}{missing[1:]}." if missing else "",
    ]
    return [line for line in lines if line]
