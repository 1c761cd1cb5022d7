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

ARROWS = {"higher": "↑", "lower": "↓", "none": ""}

Number = float | None


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
    leading, columns = _columns(scores, per_query=per_query)
    return plain([*leading, *columns])


def show_on_screen(scores: "Scores", benchmark: "Benchmark", *, per_query: bool) -> None:
    """Print the table as wide as the terminal is, the best values bold, with a line about what it shows."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False)
    profile = scores.profile
    title = (
        f"{benchmark.name}: {len(scores.runs)} runs, {len(scores.queries)} queries, {len(benchmark.collection)} models"
    )
    console.print(Text.assemble((title, "bold"), f"; conventions of {profile.title} ({profile.key})\n"))
    leading, columns = _columns(scores, per_query=per_query)
    for table in split(leading, columns, console.width):
        console.print(table, crop=False)
        console.print()
    console.print(Text(_legend(scores), style="dim"))


def _columns(scores: "Scores", *, per_query: bool) -> tuple[list[Column], list[Column]]:
    """Columns that say what a row is, without those that say nothing, and the columns of numbers."""
    from shrec_viewer.evaluation.tables import scores_rows

    rows = scores_rows(scores, per_query=per_query).rows
    runs, participants, queries = (tuple(str(row[place]) for row in rows) for place in range(3))
    leading = [Column("run", runs)]
    if participants != runs:
        leading.append(Column("participant", participants))
    if set(queries) != {MEANS[0]}:
        leading.append(Column("query", queries))
    columns = []
    for place, measure in enumerate(scores.measures, start=3):
        values = [_number(row[place]) for row in rows]
        arrow = ARROWS[measure.better] if _can_show("".join(ARROWS.values())) else ""
        columns.append(Column(measure.key, _cells(values, measure), True, arrow, _best(values, queries, measure)))
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
    missing = int(scores.missing.sum())
    how = "count as empty lists" if scores.profile.missing_query == "zero" else "do not count"
    means = "Means over queries" + ("" if scores.profile.average == "queries" else " and over classes")
    return f"{means}; the best is bold" + (f"; {missing} missing queries {how}." if missing else ".")
