"""The evaluate command: scores of every run as table, CSV, JSON, LaTeX or Markdown."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.cli.check import benchmark_to_score
from shrec_viewer.cli.conventions import (
    excluded_queries_text,
    missing_lists_text,
    print_conventions,
    provenance,
    without_relevant_text,
)
from shrec_viewer.cli.options import (
    ALL_MEASURES,
    ConventionChanges,
    benchmark_argument,
    cluster_ranking,
    convention_options,
    find_measure_key,
    jobs_option,
    measures_to_compute,
    number_of_jobs,
    output_format,
    output_options,
    profile_option,
    require_measures,
    run_option,
    scheduler_option,
    source_options,
)
from shrec_viewer.cli.terminal import (
    STANDARD_OUTPUT,
    fit_columns,
    is_terminal,
    open_console,
    print_message,
    progress_bar,
    split_table,
    styled,
    terminal_width,
    write_result,
)
from shrec_viewer.printable import printable
from shrec_viewer.report.tables.text import OutputColumn, column_width, csv_table, plain_table, table_text

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.score_tables import ScoreRows
    from shrec_viewer.evaluation.scores import Scores, TieRange
    from shrec_viewer.metrics import Profile, ResolvedMeasure, TieOrder
    from shrec_viewer.metrics.curves.curve import CurveAveraging

HEADINGS = {
    "mean": "Means over queries",
    "class_mean": "Means over classes",
    "textbook_mean": "Means over queries, without known bugs of the official evaluator",
    "textbook_class_mean": "Means over classes, without known bugs of the official evaluator",
    "ceiling": "Best possible means over queries, for lists of the submitted lengths",
    "class_ceiling": "Best possible means over classes, for lists of the submitted lengths",
    "mean_lowest": "Lowest means over queries for any order of equal distances",
    "mean_highest": "Highest means over queries for any order of equal distances",
    "class_mean_lowest": "Lowest means over classes for any order of equal distances",
    "class_mean_highest": "Highest means over classes for any order of equal distances",
}
"""Heading of each kind of mean."""

QUERY_COLUMN, STATUS_COLUMN = 2, 3
"""Indices of these columns in a row of `scores_rows`."""

FIRST_MEASURE_COLUMN = 5
"""Index of the first measure, after the columns that identify a row."""

DEFAULT_TABLES = 2
"""Tables per kind of mean that a terminal shows by default, if all would be at least two more."""

ARROWS = {"higher": "↑", "lower": "↓", "none": ""}

ScoreValue = float | None
ScoreRow = tuple[str | ScoreValue, ...]


def scores_csv(table: "ScoreRows") -> str:
    """Comma-separated values in full precision, undefined ones empty, with the same columns for every benchmark."""
    return csv_table(table.header, table.rows)


def scores_plain_text(scores: "Scores", table: "ScoreRows", ranks: "RunRanks", width: int | None) -> tuple[str, int]:
    """One table, aligned with spaces, and the number of measures that are left out.

    Parameters
    ----------
    width : characters of a line; columns that do not fit are left out, but not the main measure. None for no limit.
    """
    leading, columns = _score_columns(scores, table.rows, ranks)
    shown = _main_columns(scores, leading, columns, width)
    return plain_table([*leading, *shown]), len(columns) - len(shown)


def _main_columns(
    scores: "Scores", leading: Sequence[OutputColumn], columns: Sequence[OutputColumn], width: int | None
) -> list[OutputColumn]:
    """The columns that fit in a width: the main measure of the profile, then the others in their order."""
    if width is None:
        return list(columns)
    left = width - sum(map(column_width, leading))
    headline = [column for column in columns if column.title == scores.profile.headline]
    fitting: list[OutputColumn] = []
    for column in [*headline, *(column for column in columns if column not in headline)]:
        left -= column_width(column)
        if left < 0 and fitting:
            break
        fitting.append(column)
    return [column for column in columns if column in fitting]


def scores_paper_text(scores: "Scores", table: "ScoreRows", ranks: "RunRanks", form: str) -> str:
    """One LaTeX or Markdown table per kind of mean, the best values bold, arrows pointing to better values."""
    pieces = []
    for kind, rows in _rows_by_mean(table):
        leading, columns = _score_columns(scores, rows, ranks, may_show_arrows=True)
        heading = "Scores of queries, and means" if kind is None else HEADINGS[kind]
        order = f", ranked by {ranks.measure.mean_name}" if ranks.measure is not None else ""
        pieces.append(table_text([*leading, *columns], form, f"{heading}{order}; profile {provenance(scores)}"))
    return "\n".join(pieces)


def print_scores(
    scores: "Scores", benchmark: "Benchmark", table: "ScoreRows", ranks: "RunRanks", *, in_full: bool
) -> None:
    """Print tables in the width of the terminal, the best means bold, followed by notes.

    Parameters
    ----------
    in_full : all measures instead of the first `DEFAULT_TABLES` tables and the number of further measures.
    """
    from rich.text import Text

    from shrec_viewer.formats.core.findings_log import count_of

    console = open_console()
    size = (
        count_of(len(scores.runs), "run"),
        count_of(len(scores.queries), "query", "queries"),
        count_of(len(benchmark.collection), "model"),
    )
    title = printable(f"{benchmark.name}: {', '.join(size)}")
    console.print(Text.assemble(styled(title, "bold"), styled(printable(f"; profile {provenance(scores)}"))))
    kinds = _rows_by_mean(table)
    more = 0
    for kind, rows in kinds:
        if len(kinds) > 1:
            console.print(styled(f"\n{HEADINGS[str(kind)]}", "underline"))
        leading, columns = _score_columns(scores, rows, ranks)
        shown = columns if in_full else _default_columns(leading, columns, console.width)
        more = max(more, len(columns) - len(shown))
        for part in split_table(leading, shown, console.width):
            console.print()
            console.print(part, crop=False)
    console.print()
    for line in _legend_lines(scores, more):
        console.print(styled(line, "dim"))


def _rows_by_mean(table: "ScoreRows") -> list[tuple[str | None, list[ScoreRow]]]:
    """The rows of each kind of mean; one group, with the key None, if there are rows of queries as well."""
    if any(row[QUERY_COLUMN] not in HEADINGS for row in table.rows):
        return [(None, list(table.rows))]
    rows = {kind: [row for row in table.rows if row[QUERY_COLUMN] == kind] for kind in HEADINGS}
    return [(kind, of_kind) for kind, of_kind in rows.items() if of_kind]


def _default_columns(
    leading: Sequence[OutputColumn], columns: Sequence[OutputColumn], width: int
) -> list[OutputColumn]:
    groups = fit_columns(leading, columns, width)
    return list(chain.from_iterable(groups if len(groups) <= DEFAULT_TABLES + 1 else groups[:DEFAULT_TABLES]))


@dataclass(frozen=True)
class RunRanks:
    """Ranks of the runs by the mean of a measure.

    Attributes
    ----------
    measure : the measure; None if the runs are not ranked.
    ranks : 1-based rank by name of the run; equal means share the better rank, runs without a mean have none.
    """

    measure: "ResolvedMeasure | None" = None
    ranks: Mapping[str, int] = field(default_factory=dict)


def rank_runs(scores: "Scores", key: str) -> RunRanks:
    """Ranks of runs that are ordered by a measure, best first."""
    column = scores.column(key)
    means = [float(mean) for mean in scores.mean()[:, column]]
    ranks: dict[str, int] = {}
    for number, (run, mean) in enumerate(zip(scores.runs, means, strict=True), 1):
        is_tied = number > 1 and mean == means[number - 2]
        if mean == mean:
            ranks[run] = ranks[scores.runs[number - 2]] if is_tied else number
    return RunRanks(scores.measures[column], ranks)


def _score_columns(
    scores: "Scores", rows: Sequence[ScoreRow], ranks: RunRanks, *, may_show_arrows: bool = False
) -> tuple[list[OutputColumn], list[OutputColumn]]:
    """Columns that identify a row, without redundant ones, and the columns of numbers.

    The measure by which the runs are ranked is the first column of numbers.
    """
    runs, participants, queries, statuses = (
        tuple(str(row[column]) for row in rows) for column in range(STATUS_COLUMN + 1)
    )
    leading = [OutputColumn("run", runs)]
    if ranks.measure is not None:
        leading.insert(0, OutputColumn("rank", tuple(str(ranks.ranks.get(run, "")) for run in runs), is_number=True))
    if participants != runs:
        leading.append(OutputColumn("participant", participants))
    if len(set(queries)) > 1:
        leading.append(OutputColumn("query", queries))
    if any(statuses):
        leading.append(OutputColumn("status", statuses))
    arrows = ARROWS if may_show_arrows or _can_encode("".join(ARROWS.values())) else dict.fromkeys(ARROWS, "")
    kinds = tuple(
        tuple(row for row, of in enumerate(queries) if of == kind) for kind in HEADINGS if "ceiling" not in kind
    )
    columns: list[OutputColumn] = []
    for column, measure in enumerate(scores.measures, start=FIRST_MEASURE_COLUMN):
        values = [_number_or_none(row[column]) for row in rows]
        ranked = Table(
            "", "", (TableColumn(measure.key, "", True, measure.better),), tuple((v,) for v in values), contests=kinds
        )
        texts, arrow = _format_values(values, measure), arrows[measure.better]
        shown = OutputColumn(measure.key, texts, True, arrow, ranked.best(0), ranked.best(0, 2))
        columns.insert(0 if measure == ranks.measure else len(columns), shown)
    return leading, columns


def _number_or_none(cell: str | ScoreValue) -> ScoreValue:
    return cell if isinstance(cell, float) else None


def _format_values(values: Sequence[ScoreValue], measure: "ResolvedMeasure") -> tuple[str, ...]:
    """Shares with three decimals, counts as integers."""
    are_counts = isinf(measure.range[1]) and all(value is None or value.is_integer() for value in values)
    return tuple("" if value is None else f"{value:.{0 if are_counts else 3}f}" for value in values)


def _can_encode(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def more_measures_text(more: int) -> str:
    """Message about measures that are not printed; "" for none."""
    measures = "measure" if more == 1 else "measures"
    return f"{more} {measures} left out: --measure all or --format csv for all, --measure KEY for one" if more else ""


def _legend_lines(scores: "Scores", more: int) -> list[str]:
    """Notes below the table."""
    texts = (missing_lists_text(scores), excluded_queries_text(scores), without_relevant_text(scores))
    lines = [
        more_measures_text(more),
        "The best values are bold." if len(scores.runs) > 1 else "",
        *(f"{text[:1].upper()}{text[1:]}." for text in texts if text),
    ]
    return [line for line in lines if line]


AVERAGES = ("recall", "generality", "rank", "class")
"""Values of ``--average``: those of `CurveAveraging`, which is not imported here to keep the start short."""

EXAMPLES = """\b
Examples:
  shrec-viewer evaluate demo
  shrec-viewer evaluate shrec06 --profile shrec2006 --per-query --output scores.json
  shrec-viewer evaluate shrec06 --run A1 --run B2 --measure AP --measure NDCG@100
  shrec-viewer evaluate shrec06 --profile shrec2006 --measure MADR --sort MADR --format latex
  shrec-viewer evaluate shrec06 --virtual "rrf(A1,B2)" --virtual "oracle()" --edits corrections.qrels
  shrec-viewer evaluate shrec06 --ties range --missing skip --convention list_cut=100 --output table.tex"""


@click.command("evaluate", epilog=EXAMPLES, short_help="Scores of every run as table, CSV, JSON, LaTeX or Markdown.")
@benchmark_argument
@profile_option
@run_option("Evaluate only this run; repeatable.")
@click.option(
    "--measure",
    metavar="KEY",
    multiple=True,
    help="Compute this measure, such as `AP(rel=2)@10`; `all` for every measure; repeatable.",
)
@click.option("--sort", metavar="KEY", help="Order the runs by the mean of this measure, best first, with their ranks.")
@convention_options(extreme_ties=True)
@source_options
@click.option("--per-query", is_flag=True, help="Add a row for each query.")
@click.option("--ceiling", is_flag=True, help="Add the best possible means for lists of the submitted lengths.")
@click.option("--curves", is_flag=True, help="Add the mean curves of each run; requires --format json.")
@click.option(
    "--average",
    type=click.Choice(AVERAGES),
    help="Take the mean of curves at equal recall, at equal relevant scope and generality, at equal rank, or over "
    "classes; default and other curves: as `shrec-viewer measures` says. Requires --curves.",
)
@jobs_option
@scheduler_option
@output_options
def evaluate_command(
    benchmark: str,
    profile: str | None,
    run: tuple[str, ...],
    measure: tuple[str, ...],
    sort: str | None,
    ties: str | None,
    changes: ConventionChanges,
    per_query: bool,
    ceiling: bool,
    curves: bool,
    average: "CurveAveraging | None",
    form: str | None,
    output: Path | None,
    **parts: Path | None,
) -> int:
    """Compute the scores of every run of BENCHMARK.

    BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or `demo` for the bundled benchmark. The
    default profile is that of the benchmark, else `default`. Without --measure, the measures of the profile are
    printed, in a table as wide as the terminal the first ones. Values are shares in [0, 1] unless the range of the
    measure differs; the best value of a column is bold, an arrow points in the direction of better values, and - is an
    undefined value. With --per-query, the column status states how a query enters the mean. --ties range adds the
    lowest and the highest mean for any order of equal distances; --ceiling adds the best possible means of each run,
    which are the lowest ones for false positives and negatives.
    """
    form = output_format(form, output)
    if curves and form != "json":
        raise click.UsageError("--curves requires --format json")
    if average is not None and not curves:
        raise click.UsageError("--average is for curves: it requires --curves")
    require_measures([key for key in measure if key != ALL_MEASURES])
    require_measures([sort] if sort else [])
    with benchmark_to_score(benchmark, parts, profile, run, changes) as (opened, conventions):
        scores, ends = _compute_scores(opened, conventions, run, measure, sort, ties)
        ranks = RunRanks()
        if sort:
            key = find_measure_key(sort)
            order = scores.order_by(key)
            scores, ends = scores.select_runs(order), None if ends is None else ends.select_runs(order)
            ranks = rank_runs(scores, key)
        shown = _ScoresOutput(scores, ends, ranks, per_query=per_query, ceiling=ceiling)
        if form == "json":
            write_result(shown.as_json(curves=curves, average=average), output)
        elif form == "table" and is_terminal(output):
            print_scores(scores, opened, shown.rows(), ranks, in_full=bool(measure))
        else:
            in_full = bool(measure) or output not in (None, STANDARD_OUTPUT)
            text, n_left_out = shown.as_text(form, None if in_full else terminal_width())
            write_result(text, output)
            if n_left_out:
                print_message(more_measures_text(n_left_out))
        print_conventions(scores, is_titled=form == "table" and is_terminal(output))
    return int(opened.has_errors)


def _compute_scores(
    benchmark: "Benchmark",
    profile: "Profile",
    runs: Sequence[str],
    measures: Sequence[str],
    sort: str | None,
    ties: str | None,
) -> "tuple[Scores, TieRange | None]":
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.evaluate import evaluate, evaluate_ties

    if benchmark.assessment is not None and not benchmark.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs to evaluate")
    # Virtual runs were requested explicitly: --run selects among the submitted ones.
    virtual = [one.name for one in benchmark.runs if one.expression]
    chosen = list(dict.fromkeys((*runs, *virtual))) if runs else None
    keys, extra = measures_to_compute(measures)
    extra, jobs = (*extra, sort) if sort else extra, number_of_jobs()
    with cluster_ranking() as map_blocks, progress_bar("Evaluating") as progress:
        if ties == "range":
            ends = evaluate_ties(
                benchmark,
                profile,
                runs=chosen,
                measures=keys,
                extra_measures=extra,
                jobs=jobs,
                map_blocks=map_blocks,
                progress=progress,
            )
            return ends.actual, ends
        order: TieOrder = "optimistic" if ties == "optimistic" else "profile"
        if ties == "pessimistic":
            order = "pessimistic"
        scores = evaluate(
            benchmark,
            profile,
            runs=chosen,
            measures=keys,
            extra_measures=extra,
            ties=order,
            jobs=jobs,
            map_blocks=map_blocks,
            progress=progress,
        )
        return scores, None


@dataclass(frozen=True, eq=False)
class _ScoresOutput:
    """What is written, and how much of it."""

    scores: "Scores"
    ties: "TieRange | None"
    ranks: RunRanks
    per_query: bool
    ceiling: bool

    def rows(self) -> "ScoreRows":
        """As rows, for all formats but JSON."""
        from shrec_viewer.evaluation.score_tables import scores_rows

        return scores_rows(self.scores, per_query=self.per_query, ties=self.ties, ceiling=self.ceiling)

    def as_json(self, *, curves: bool, average: "CurveAveraging | None") -> str:
        """As the document that scripts read."""
        from shrec_viewer.evaluation.score_tables import scores_document, to_json

        document = scores_document(
            self.scores,
            self.scores.benchmark,
            per_query=self.per_query,
            curves=curves,
            ties=self.ties,
            ceiling=self.ceiling,
            average=average,
        )
        if self.ranks.measure is not None:
            for run in document["runs"]:
                run["rank"] = self.ranks.ranks.get(run["name"])
        return to_json(document)

    def as_text(self, form: str, width: int | None) -> tuple[str, int]:
        """As one of the other formats, for a pipe or a file, and the number of measures left out.

        Parameters
        ----------
        width : of a line, see `scores_plain_text`; only tables are limited.
        """
        if form == "csv":
            return scores_csv(self.rows()), 0
        if form == "table":
            return scores_plain_text(self.scores, self.rows(), self.ranks, width)
        return scores_paper_text(self.scores, self.rows(), self.ranks, form), 0
