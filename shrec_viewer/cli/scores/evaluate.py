"""The evaluate command: scores of every run as table, CSV, JSON, LaTeX or Markdown."""

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, cast, get_args

import click

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.cli.benchmark import (
    benchmark_to_score,
    cluster_ranking,
    require_names,
    require_runs_to_evaluate,
    with_versions_of,
)
from shrec_viewer.cli.conventions import print_conventions, provenance, query_notes
from shrec_viewer.cli.options import (
    EXTREME_TIE_ORDERS,
    MEASURE,
    RUN,
    BenchmarkRequest,
    Choice,
    benchmark_command,
    measure_option,
    measures_to_compute,
    output_options,
    run_option,
    scheduler_option,
)
from shrec_viewer.cli.scores.groups import group_column, group_option, group_text, represented, requested_groups
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
from shrec_viewer.evaluation.choices import SLICE
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.printable import printable
from shrec_viewer.report.tables.formats import ARROWS, text_columns
from shrec_viewer.report.tables.text import OutputColumn, column_width, csv_table, plain_table, table_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.run_groups import RunGroup
    from shrec_viewer.evaluation.score_tables import ScoreRows
    from shrec_viewer.evaluation.scores import Scores, TieRange
    from shrec_viewer.metrics import Profile, ResolvedMeasure, TieOrder

#: Heading of each kind of mean.
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
    "group_mean": "Means over the members of the groups",
    "group_deviation": "Standard deviations over the members of the groups",
}

#: Indices of these columns in a row of `scores_rows`.
QUERY_COLUMN, STATUS_COLUMN = 2, 3

#: Index of the first measure, after the columns that identify a row.
FIRST_MEASURE_COLUMN = 5

#: Tables per kind of mean that a terminal shows by default, if all would be at least two more.
DEFAULT_TABLES = 2

#: Queries (indices) of slices, by name.
Slices = Mapping[str, "NDArray[np.int64]"]

ScoreValue = float | None
ScoreRow = tuple[str | ScoreValue, ...]


def scores_plain_text(scores: "Scores", table: "ScoreRows", ranks: "RunRanks", width: int | None) -> tuple[str, int]:
    """One table, aligned with spaces, and the number of measures that are left out.

    Parameters
    ----------
    width : characters of a line; columns that do not fit are left out, but not the main measure. None for no limit.
    """
    leading, columns = _score_columns(scores, table, table.rows, ranks)
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
        leading, columns = _score_columns(scores, table, rows, ranks, may_show_arrows=True)
        heading = "Scores of queries, and means" if kind is None else _headings(table)[kind]
        order = f", ranked by {ranks.measure.mean_name}" if ranks.measure is not None else ""
        pieces.append(
            table_text(
                [*leading, *columns], form, f"{heading}{order}; profile {provenance(scores)}", _notes(scores, table)
            )
        )
    return "\n".join(pieces)


def _notes(scores: "Scores", table: "ScoreRows") -> tuple[str, ...]:
    from shrec_viewer.evaluation.comparison.published import PUBLISHED_NOTE
    from shrec_viewer.evaluation.geometry_evidence import geometry_note

    return tuple(
        filter(None, (PUBLISHED_NOTE if table.published else "", geometry_note(scores.benchmark, scores.runs)))
    )


def print_scores(scores: "Scores", table: "ScoreRows", ranks: "RunRanks", *, in_full: bool) -> None:
    """Print tables in the width of the terminal, the best means bold, followed by notes.

    Parameters
    ----------
    in_full : all measures instead of the first `DEFAULT_TABLES` tables and the number of further measures.
    """
    from rich.text import Text

    from shrec_viewer.formats.core.findings_log import count_of

    console, benchmark = open_console(), scores.benchmark
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
            console.print(styled(f"\n{_headings(table)[str(kind)]}", "underline"))
        leading, columns = _score_columns(scores, table, rows, ranks)
        shown = columns if in_full else _default_columns(leading, columns, console.width)
        more = max(more, len(columns) - len(shown))
        for part in split_table(leading, shown, console.width):
            console.print()
            console.print(part, crop=False)
    console.print()
    for line in _legend_lines(scores, table, more):
        console.print(styled(line, "dim"))


def _rows_by_mean(table: "ScoreRows") -> list[tuple[str | None, list[ScoreRow]]]:
    """The rows of each kind of mean; one group, with the key None, if there are rows of queries as well."""
    headings = _headings(table)
    if any(row[QUERY_COLUMN] not in headings for row in table.rows):
        return [(None, list(table.rows))]
    rows = {kind: [row for row in table.rows if row[QUERY_COLUMN] == kind] for kind in headings}
    return [(kind, of_kind) for kind, of_kind in rows.items() if of_kind]


def _headings(table: "ScoreRows") -> dict[str, str]:
    """Heading of each kind of mean, by its mark in the column query."""
    return {**HEADINGS, **{mark: f"Means over the queries of '{name}'" for mark, name in table.slices.items()}}


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
    scores: "Scores", table: "ScoreRows", rows: Sequence[ScoreRow], ranks: RunRanks, *, may_show_arrows: bool = False
) -> tuple[list[OutputColumn], list[OutputColumn]]:
    """Columns that identify a row, without redundant ones, and the columns of numbers.

    The measure by which the runs are ranked is the first column of numbers.
    """
    import numpy as np

    from shrec_viewer.charts.table import table_rows
    from shrec_viewer.evaluation.score_tables import measure_cells

    runs, participants, queries, statuses = (
        tuple(str(row[column]) for row in rows) for column in range(STATUS_COLUMN + 1)
    )
    leading = [OutputColumn("run", runs)]
    if ranks.measure is not None:
        leading.insert(0, OutputColumn("rank", tuple(str(ranks.ranks.get(run, "")) for run in runs), is_number=True))
    if any(of not in (run, "") for run, of in zip(runs, participants, strict=True)):
        leading.append(OutputColumn("participant", participants))
    if len(set(queries)) > 1:
        leading.append(OutputColumn("query", queries))
    if any(statuses):
        leading.append(OutputColumn("status", statuses))
    kinds = tuple(
        tuple(row for row, of in enumerate(queries) if of == kind and runs[row] not in table.published)
        for kind in dict.fromkeys(queries)
        if kind.startswith(SLICE) or (kind in HEADINGS and "ceiling" not in kind and "deviation" not in kind)
    )
    values = np.array([row[FIRST_MEASURE_COLUMN:] for row in rows], np.float64).reshape(-1, len(scores.measures))
    found, count = [table.published.get(run) for run in runs], len(scores.measures)
    built = Table(
        "", "",
        tuple(TableColumn(measure.key, "", True, measure.better) for measure in scores.measures),
        table_rows([measure_cells(of_measure, m) for of_measure, m in zip(values.T, scores.measures, strict=True)]),
        letters={at: ["" if one is None else one.mark(at) for one in found] for at in range(count)},
        cell_digits={at: [None if one is None else int(one.decimals[at]) for one in found] for at in range(count)},
        contests=kinds,
    )  # fmt: skip
    columns = text_columns(built)
    if not (may_show_arrows or _can_encode("".join(ARROWS.values()))):
        columns = [replace(column, arrow="") for column in columns]
    published = [row for row, run in enumerate(runs) if run in table.published]
    first = "" if ranks.measure is None else ranks.measure.key
    columns.sort(key=lambda column: (column.title != first, not any(column.cells[row] for row in published)))
    return leading, columns


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


def _legend_lines(scores: "Scores", table: "ScoreRows", more: int) -> list[str]:
    """Notes below the table."""
    lines = [
        more_measures_text(more),
        "The best values are bold." if len(scores.runs) > 1 else "",
        *_notes(scores, table),
        *(f"{text[:1].upper()}{text[1:]}." for text in query_notes(scores)),
    ]
    return [line for line in lines if line]


EXAMPLES = """\b
Examples:
  shrec-viewer evaluate shrec06 --profile shrec2006 --per-query --output scores.json
  shrec-viewer evaluate shrec06 --virtual "rrf(A1,B2)" --virtual "oracle()" --edits corrections.qrels
  shrec-viewer evaluate shrec06 --ties range --missing skip --convention list_cut=100 --output table.tex"""


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluateRequest(BenchmarkRequest):
    """Arguments and options of `evaluate`."""

    run: tuple[str, ...]
    measure: tuple[str, ...]
    sort: str | None
    per_query: bool
    ceiling: bool
    curves: bool
    average: CurveAveraging | None
    slice: tuple[str, ...]
    group: tuple[str, ...]
    version: tuple[str, ...]


@benchmark_command("evaluate", EvaluateRequest, extreme_ties=True, epilog=EXAMPLES)
@run_option("Evaluate only this run; repeatable.")
@measure_option("Compute this measure, such as `AP(rel=2)@10`; `all` for all; repeatable.", multiple=True, has_all=True)
@click.option(
    "--sort",
    type=MEASURE,
    metavar="KEY",
    help="Order the runs by the mean of this measure, best first, with their ranks.",
)
@click.option("--per-query", is_flag=True, help="Add a row for each query.")
@click.option("--ceiling", is_flag=True, help="Add the best possible means for lists of the submitted lengths.")
@click.option("--curves", is_flag=True, help="Add the mean curves of each run; requires --format json.")
@click.option(
    "--average",
    type=Choice(get_args(CurveAveraging)),
    help="How --curves are averaged. At equal recall, at equal relevant scope and generality, at equal rank, or over "
    "classes; default and other curves: as `shrec-viewer measures` says.",
)
@click.option(
    "--slice",
    metavar="NAME",
    multiple=True,
    help="Add the means over a set of queries, such as `class: chair`; repeatable. Or one of `[slices]` in "
    "benchmark.toml, `difficulty: hard` and others that `diagnose --section slices` lists.",
)
@group_option
@click.option(
    "--version",
    type=RUN,
    metavar="HASH",
    multiple=True,
    help="Also evaluate the version of a run whose hash begins so; repeatable. `history` lists the versions that the "
    "window keeps; `--run RUN@HASH` evaluates one only.",
)
@scheduler_option
@output_options
def evaluate_command(request: EvaluateRequest) -> int:
    """Compute the scores of every run of BENCHMARK.

    BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or `demo` for the bundled benchmark.

    Without --measure, the measures of the profile are printed, in a table as wide as the terminal the first ones.
    Values are shares in [0, 1] unless the range of the
    measure differs; the best value of a column is bold, an arrow points in the direction of better values, and - is an
    undefined value. With --per-query, the column status states how a query enters the mean. --ties range adds the
    lowest and the highest mean for any order of equal distances; --ceiling adds the best possible means of each run,
    which are the lowest ones for false positives and negatives. With --slice, each run also has its means (with
    --curves its mean curves) over the queries of that slice; difficulty is that for all submitted runs.
    """
    form, output = request.result_format, request.output
    if request.curves and form != "json":
        raise click.UsageError("--curves requires --format json")
    if request.average is not None and not request.curves:
        raise click.UsageError("--average is for curves: it requires --curves")
    with benchmark_to_score(request, request.run) as (opened, profile):
        opened = with_versions_of(opened, request.path, [f"@{digits}" for digits in request.version])
        scores, ends, slices = _compute_scores(request, opened, profile)
        scores, ends, groups = _grouped(request, scores, ends)
        ranks = RunRanks()
        if request.sort:
            order = scores.order_by(request.sort)
            scores, ends = scores.select_runs(order), None if ends is None else ends.select_runs(order)
            ranks = rank_runs(scores, request.sort)
        _write_scores(request, scores, ends, ranks, slices, groups)
        print_conventions(scores, is_titled=form == "table" and is_terminal(output))
    return int(opened.has_errors)


def _compute_scores(
    request: EvaluateRequest, benchmark: "Benchmark", profile: "Profile"
) -> "tuple[Scores, TieRange | None, Slices]":
    """Scores of the requested runs, the range over ties, and the queries of the requested slices."""
    from shrec_viewer.evaluation.comparison.published import published_measures
    from shrec_viewer.evaluation.evaluate import evaluate, evaluate_ties
    from shrec_viewer.evaluation.scores import main_column

    require_runs_to_evaluate(benchmark)
    # Virtual runs were requested explicitly: --run selects among the submitted ones.
    virtual = [one.name for one in benchmark.runs if one.expression]
    virtual += [one.name for one in benchmark.runs if "@" in one.name and request.version]
    measures, extra = measures_to_compute(request.measure)
    extra = extra if request.measure else (*published_measures(benchmark), *extra)
    names = list(dict.fromkeys((*request.run, *virtual))) if request.run else None
    with cluster_ranking(request) as map_blocks, progress_bar("Evaluating") as progress:
        settings: dict[str, Any] = {
            "runs": None if request.slice else names,  # the difficulty of queries is that for all runs
            "measures": measures,
            "extra_measures": (*extra, request.sort) if request.sort else extra,
            "jobs": request.n_jobs,
            "map_blocks": map_blocks,
            "progress": progress,
        }
        if request.ties == "range":
            ends = evaluate_ties(benchmark, profile, **settings)
            scores = ends.actual
        else:
            order = request.ties if request.ties in EXTREME_TIE_ORDERS else "profile"
            ends, scores = None, evaluate(benchmark, profile, ties=cast("TieOrder", order), **settings)
    if not request.slice:
        return scores, ends, {}
    from shrec_viewer.diagnosis.slices import query_slices, select_slices

    known = query_slices(scores, main_column(scores))
    require_names("slice", request.slice, [one.name for one in known])
    found = {one.name: one.queries for one in select_slices(known, request.slice)}
    rows = [scores.run_index(name) for name in names or scores.runs]
    return scores.select_runs(rows), None if ends is None else ends.select_runs(rows), found


def _grouped(
    request: EvaluateRequest, scores: "Scores", ends: "TieRange | None"
) -> "tuple[Scores, TieRange | None, tuple[RunGroup, ...]]":
    """The scores with one member of each group, and the groups."""
    found = requested_groups(scores, request.group, request.sort)
    kept = represented(scores, found)
    rows = [scores.run_index(name) for name in kept.runs]
    return kept, None if ends is None else ends.select_runs(rows), found


def _write_scores(
    request: EvaluateRequest,
    scores: "Scores",
    ends: "TieRange | None",
    ranks: "RunRanks",
    slices: "Slices",
    groups: "Sequence[RunGroup]",
) -> None:
    """Write or print the scores in the format of the result."""
    from shrec_viewer.evaluation.score_tables import scores_rows, with_group_rows, with_published_rows

    form, output, in_full = request.result_format, request.output, bool(request.measure)
    if form == "json":
        write_result(_scores_json(request, scores, ends, ranks, slices, groups), output)
        return
    table = scores_rows(scores, per_query=request.per_query, ties=ends, ceiling=request.ceiling, slices=slices)
    table = with_published_rows(with_group_rows(table, groups, scores), scores, in_data=form == "csv")
    if form == "csv":
        # In full precision, undefined values empty, with the same columns for every benchmark.
        write_result(csv_table(table.header, table.rows), output)
    elif form != "table":
        write_result(scores_paper_text(scores, table, ranks, form), output)
    elif is_terminal(output):
        print_scores(scores, table, ranks, in_full=in_full)
    else:
        is_limited = not in_full and output in (None, STANDARD_OUTPUT)
        text, n_left_out = scores_plain_text(scores, table, ranks, terminal_width() if is_limited else None)
        write_result(text, output)
        if n_left_out:
            print_message(more_measures_text(n_left_out))
    for group in groups:
        print_message(group_text(group, scores, request.sort))


def _scores_json(
    request: EvaluateRequest,
    scores: "Scores",
    ends: "TieRange | None",
    ranks: "RunRanks",
    slices: "Slices",
    groups: "Sequence[RunGroup]",
) -> str:
    """The document that scripts read."""
    from shrec_viewer.evaluation.run_groups import group_record
    from shrec_viewer.evaluation.score_tables import scores_document, to_json

    document = scores_document(
        scores,
        scores.benchmark,
        per_query=request.per_query,
        curves=request.curves,
        ties=ends,
        ceiling=request.ceiling,
        average=request.average,
        slices=slices,
    )
    if ranks.measure is not None:
        for run in document["runs"]:
            run["rank"] = ranks.ranks.get(run["name"])
    if groups:
        document["groups"] = [group_record(group, scores, group_column(scores, request.sort)) for group in groups]
    return to_json(document)
