"""The table command: what a panel shows, as a file."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from shrec_viewer.cli.check import benchmark_to_score
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import (
    benchmark_argument,
    changed_profile,
    convention_changes,
    convention_options,
    find_measure_key,
    output_option,
    profile_option,
    require_measures,
    run_option,
    source_options,
)
from shrec_viewer.cli.terminal import progress_bar, write_result

if TYPE_CHECKING:
    from shrec_viewer.report.tables.kinds import TableData, TableRequest

KINDS = (
    "runs", "measures", "heat_map", "gain_loss", "significance", "confusion", "contingency", "ranked_list", "practical",
    "findings",
)  # fmt: skip
"""Keys of `report.tables.kinds.TABLES`; written out so that ``--help`` needs no numpy."""

FORMATS = ("csv", "json", "latex", "markdown", "tabs", "table")
"""Keys of `report.tables.formats.TABLE_FORMATS`, also written out for ``--help``."""

SUFFIXES = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown", ".tsv": "tabs"}
"""Default of ``--format`` by the suffix of ``--output``."""

DEFAULT_SAMPLE = 1000
"""Copied from `evaluation.practical`, for the same reason."""

EXAMPLES = """\b
Examples:
  shrec-viewer table demo runs --measure AP --measure NN --letters --output runs.tex
  shrec-viewer table demo heat_map --measure AP --output ap.csv
  shrec-viewer table demo gain_loss --run A1 --run B2 --measure AP --digits 4
  shrec-viewer table demo ranked_list --run A1 --query Q01 --scope 20"""


@click.command("table", epilog=EXAMPLES, short_help="What a panel shows, as CSV, JSON, LaTeX or Markdown.")
@benchmark_argument
@click.argument("kind", type=click.Choice(KINDS), metavar="KIND")
@profile_option
@run_option("Only this run, in the order given; repeatable.")
@click.option("--query", metavar="ID", multiple=True, help="Only this query, in the order given; repeatable.")
@click.option("--measure", metavar="KEY", multiple=True, help="Only this measure, in the order given; repeatable.")
@click.option(
    "--over",
    type=click.Choice(("queries", "classes", "query")),
    default="queries",
    help="runs: mean over queries or classes, or the values of --query; measures: a row per query or class.",
)
@click.option("--letters", is_flag=True, help="runs: add significance letters to means over queries.")
@click.option("--baseline", metavar="NAME", default="", help="heat_map: subtract this run, or `mean`; significance: p.")
@click.option("--scope", type=click.IntRange(0), default=0, metavar="N", help="Ranks retrieved, judged or listed.")
@click.option("--level", type=click.IntRange(1), default=1, metavar="N", help="contingency: lowest relevant level.")
@click.option("--tier", type=click.IntRange(1, 2), default=1, help="confusion: first or second tier.")
@click.option(
    "--sample", type=click.IntRange(0), default=DEFAULT_SAMPLE, metavar="N", help="practical: random pairs judged."
)
@click.option("--digits", type=click.IntRange(0, 15), metavar="N", help="Decimals of values; default: 3, in data all.")
@convention_options(extreme_ties=False)
@source_options
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Output format; default: by the suffix of --output, else table.",
)
@output_option
def table_command(
    benchmark: str,
    kind: str,
    profile: str | None,
    ties: str | None,
    missing: str | None,
    relevance: int | None,
    convention: tuple[str, ...],
    digits: int | None,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> int:
    """Write one table of BENCHMARK as the window exports it.

    KIND is `runs`, `measures`, `heat_map`, `gain_loss`, `significance`, `confusion`, `contingency`, `ranked_list`,
    `practical` or `findings`. In LaTeX (package booktabs) the best value of a column is bold and the second best
    underlined; runs that share a raised letter do not differ significantly. CSV, JSON and text with tabs have values in
    full precision unless --digits is given. *Copy as command* in the window gives a line that repeats its table.
    """
    names = ("run", "query", "measure", "over", "letters", "baseline", "scope", "level", "tier", "sample")
    asked = {name: options.pop(name) for name in names}
    require_measures(asked["measure"])
    changes = convention_changes(ties, missing, relevance, convention)
    baseline = [asked["baseline"]] if asked["baseline"] not in ("", "mean") else []
    with benchmark_to_score(benchmark, options, profile, [*asked["run"], *baseline], changes) as opened:
        from shrec_viewer.report.tables.formats import table_bytes
        from shrec_viewer.report.tables.kinds import TABLES, TableData, TableRequest, build_table

        request = TableRequest(
            kind,
            runs=asked.pop("run"),
            queries=asked.pop("query"),
            measures=tuple(find_measure_key(key) for key in asked.pop("measure")),
            **asked,
        )
        data = TableData(opened, changed_profile(profile or opened.profile, changes))
        if TABLES[kind].needs_scores:
            data = _with_scores(data, request)
        content = table_bytes(build_table(data, request), form or _format_of(output), digits)
        write_result(content.decode(), output)
        if data.scores is not None:
            print_conventions(data.scores)
    return int(opened.has_errors)


def _format_of(output: Path | None) -> str:
    return SUFFIXES.get("" if output is None else output.suffix.lower(), "table")


def _with_scores(data: "TableData", request: "TableRequest") -> "TableData":
    """The data with the scores of all runs: baselines, ranks and significance depend on those that are not shown."""
    from dataclasses import replace

    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.evaluate import evaluate

    if data.benchmark.assessment is not None and not data.benchmark.runs:
        raise ShrecError(f"'{data.benchmark.name}' has no runs to evaluate")
    with progress_bar("Evaluating") as progress:
        scores = evaluate(data.benchmark, data.profile, measures=request.measures or None, progress=progress)
    return replace(data, scores=scores)
