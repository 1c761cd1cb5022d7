"""The command ``evaluate``: scores of every run, as a table, CSV or JSON."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.conventions import say_conventions, say_suggestion
from shrec_viewer.cli.findings import report_findings
from shrec_viewer.cli.inputs import benchmark_argument, check_measures, check_runs, find_profile, read
from shrec_viewer.cli.scores_table import csv_text, plain_text, show_on_screen
from shrec_viewer.cli.terminal import deliver, is_screen, progress_bar

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores

FORMATS = ("table", "csv", "json")

FORMAT_OF_SUFFIX = {".csv": "csv", ".json": "json"}
"""What ``--output scores.csv`` means where no ``--format`` is given."""


EXAMPLES = """\b
Examples:
  shrec-viewer evaluate demo
  shrec-viewer evaluate shrec06 --profile shrec2006 --per-query --output scores.json
  shrec-viewer evaluate shrec06 --run A1 --run B2 --measure AP --measure NDCG@100"""


@click.command("evaluate", epilog=EXAMPLES, short_help="Scores of every run, as a table, CSV or JSON.")
@benchmark_argument
@click.option("--profile", metavar="KEY", help="Conventions of a contest; see `shrec-viewer profiles`.")
@click.option("--run", metavar="NAME", multiple=True, help="Only this run; may be repeated.")
@click.option("--measure", metavar="KEY", multiple=True, help="This measure, `AP(rel=2)@10`; may be repeated.")
@click.option("--per-query", is_flag=True, help="A line for each query as well as the means.")
@click.option("--curves", is_flag=True, help="Mean curves of each run too; with --format json.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="table, or by the suffix of --output.")
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Write there instead.")
def evaluate_command(
    benchmark: str,
    profile: str | None,
    run: tuple[str, ...],
    measure: tuple[str, ...],
    per_query: bool,
    curves: bool,
    form: str | None,
    output: Path | None,
    **parts: Path | None,
) -> int:
    """Compute the scores of every run of BENCHMARK.

    BENCHMARK is a folder, a benchmark.toml, a .zip or .tar.gz of a folder, or the word `demo` for the bundled one.
    Without --profile the benchmark says by which conventions it wants to be judged, else `default`. Without --measure
    the profile's own table is printed, on a terminal the first part of it. Values are shares in [0, 1] unless the range
    of the measure says otherwise; the best of a column is bold, an arrow says which end is good, and - stands where a
    value is undefined. With --per-query, the column status says how a query enters the mean.
    """
    form = form or FORMAT_OF_SUFFIX.get(output.suffix.lower() if output else "", "table")
    if curves and form != "json":
        raise click.UsageError("curves are written with --format json only")
    check_measures(measure)
    if profile:
        find_profile(profile)
    opened = read(benchmark, parts)
    check_runs(run, opened.runs)
    try:
        scores = _compute(opened, profile or opened.profile, run, measure)
        _write(scores, opened, form, output, per_query=per_query, curves=curves, in_full=bool(measure))
        say_conventions(scores, is_titled=form == "table" and is_screen(output))
        if not profile:
            say_suggestion(opened)
    finally:  # they may say why nothing could be computed
        report_findings(opened, benchmark)
    return int(opened.has_errors)


def _compute(benchmark: "Benchmark", profile: str, runs: Sequence[str], measures: Sequence[str]) -> "Scores":
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.evaluate import evaluate

    if benchmark.assessment is not None and not benchmark.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs: there is nothing to evaluate")
    with progress_bar("Evaluating") as progress:
        return evaluate(
            benchmark, find_profile(profile), runs=runs or None, measures=measures or None, progress=progress
        )


def _write(
    scores: "Scores",
    benchmark: "Benchmark",
    form: str,
    output: Path | None,
    *,
    per_query: bool,
    curves: bool,
    in_full: bool,
) -> None:
    if form == "json":
        from shrec_viewer.evaluation.tables import scores_document, to_json

        deliver(to_json(scores_document(scores, benchmark, per_query=per_query, curves=curves)), output)
    elif form == "csv":
        deliver(csv_text(scores, per_query=per_query), output)
    elif is_screen(output):
        show_on_screen(scores, benchmark, per_query=per_query, in_full=in_full)
    else:
        deliver(plain_text(scores, per_query=per_query), output)
