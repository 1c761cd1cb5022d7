"""Scores as a table for people, on a terminal and in a pipe, and as CSV."""

import csv
import sys
from collections.abc import Sequence
from io import StringIO
from math import isclose, isinf
from typing import TYPE_CHECKING

from shrec_viewer.cli.tables import Column, plain, split

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.metrics import ResolvedMeasure

MEANS = ("mean", "class mean")
"""What the column ``query`` says in rows that are no query."""

HEADINGS = {"mean": "Means over queries", "class mean": "Means over classes"}

QUERY = 2
"""Place of the column ``query`` in a row, after run and participant and before the measures."""

ARROWS = {"higher": "↑", "lower": "↓", "none": ""}

Number = float | None
Row = tuple[str | Number, ...]


def csv_text(scores: "Scores", *, per_query: bool) -> str:
    """Comma-separated values in full precision, undefined ones empty; the columns are always the same."""
    from shrec_viewer.evaluation.tables import scores_rows

    table = scores_rows(scores, per_query=per_query)
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.header)
    writer.writerows(table.rows)
    return text.getvalue()


def plain_text(scores: "Scores", *, per_query: bool) -> str:
    """One table in one piece, aligned by blanks."""
    leading, columns = _columns(scores, _rows(scores, per_query))
    return plain([*leading, *columns])


def show_on_screen(scores: "Scores", benchmark: "Benchmark", *, per_query: bool) -> None:
    """Print tables as wide as the terminal is, the best means bold, with a line about what they show."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    profile = scores.profile
    title = (
        f"{benchmark.name}: {len(scores.runs)} runs, {len(scores.queries)} queries, {len(benchmark.collection)} models"
    )
    console.print(Text.assemble((title, "bold"), f"; conventions of {profile.title} ({profile.key})"))
    rows = _rows(scores, per_query)
    kinds = [None] if per_query else [kind for kind in MEANS if any(row[QUERY] == kind for row in rows)]
    for kind in kinds:
        if len(kinds) > 1:
            console.print(Text(f"\n{HEADINGS[str(kind)]}", style="underline"))
        leading, columns = _columns(scores, [row for row in rows if kind in (None, row[QUERY])])
        for table in split(leading, columns, console.width):
            console.print()
            console.print(table, crop=False)
    console.print(Text(f"\n{_legend(scores)}", style="dim"))


def _rows(scores: "Scores", per_query: bool) -> Sequence[Row]:
    from shrec_viewer.evaluation.tables import scores_rows

    return scores_rows(scores, per_query=per_query).rows


def _columns(scores: "Scores", rows: Sequence[Row]) -> tuple[list[Column], list[Column]]:
    """Columns that say what a row is, without those that say nothing, and the columns of numbers."""
    runs, participants, queries = (tuple(str(row[place]) for row in rows) for place in range(QUERY + 1))
    leading = [Column("run", runs)]
    if participants != runs:
        leading.append(Column("participant", participants))
    if len(set(queries)) > 1:
        leading.append(Column("query", queries))
    arrows = ARROWS if _can_show("".join(ARROWS.values())) else dict.fromkeys(ARROWS, "")
    columns = []
    for place, measure in enumerate(scores.measures, start=QUERY + 1):
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
    for kind in MEANS:
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


def _legend(scores: "Scores") -> str:
    """What a reader of the table has to know."""
    words = ["The best is bold." if len(scores.runs) > 1 else ""]
    missing = int(scores.missing.sum())
    if missing:
        how = "counts as an empty list" if scores.profile.missing_query == "zero" else "does not count"
        words.append(f"A query without a list ({missing} here) {how}.")
    return " ".join(word for word in words if word)
