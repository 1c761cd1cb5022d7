"""The command ``evaluate``: scores of every run, as a table, CSV, JSON, LaTeX or Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.changed_conventions import changed_profile, changes_of, convention_options
from shrec_viewer.cli.conventions import say_conventions, say_suggestion
from shrec_viewer.cli.findings import report_findings
from shrec_viewer.cli.inputs import benchmark_argument, check_measures, check_runs, find_profile, read
from shrec_viewer.cli.scores_table import csv_text, paper_text, plain_text, show_on_screen
from shrec_viewer.cli.terminal import ResultFile, deliver, is_screen, progress_bar

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.evaluation.tables import Table
    from shrec_viewer.evaluation.tie_range import TieRange
    from shrec_viewer.metrics import Profile, TieOrder

FORMATS = ("table", "csv", "json", "latex", "markdown")

FORMAT_OF_SUFFIX = {".csv": "csv", ".json": "json", ".tex": "latex", ".md": "markdown"}
"""What ``--output scores.csv`` means where no ``--format`` is given."""


EXAMPLES = """\b
Examples:
  shrec-viewer evaluate demo
  shrec-viewer evaluate shrec06 --profile shrec2006 --per-query --output scores.json
  shrec-viewer evaluate shrec06 --run A1 --run B2 --measure AP --measure NDCG@100
  shrec-viewer evaluate shrec06 --ties range --missing skip --convention list_cut=100 --output table.tex"""


@click.command("evaluate", epilog=EXAMPLES, short_help="Scores of every run, as a table, CSV, JSON, LaTeX or Markdown.")
@benchmark_argument
@click.option("--profile", metavar="KEY", help="Conventions of a contest; see `shrec-viewer profiles`.")
@click.option("--run", metavar="NAME", multiple=True, help="Only this run; may be repeated.")
@click.option("--measure", metavar="KEY", multiple=True, help="This measure, `AP(rel=2)@10`; may be repeated.")
@convention_options(orders=True)
@click.option("--per-query", is_flag=True, help="A line for each query as well as the means.")
@click.option("--ceiling", is_flag=True, help="What the best possible lists would reach, too.")
@click.option("--curves", is_flag=True, help="Mean curves of each run too; with --format json.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="table, or by the suffix of --output.")
@click.option("--output", type=ResultFile(), metavar="FILE", help="Write there instead.")
def evaluate_command(
    benchmark: str,
    profile: str | None,
    run: tuple[str, ...],
    measure: tuple[str, ...],
    ties: str | None,
    missing: str | None,
    relevance: int | None,
    convention: tuple[str, ...],
    per_query: bool,
    ceiling: bool,
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
    value is undefined. With --per-query, the column status says how a query enters the mean. With --ties range, the
    lowest and the highest mean that another order of equal distances could give stand beside those of the profile; with
    --ceiling, what each measure can reach at most.
    """
    form = form or FORMAT_OF_SUFFIX.get(output.suffix.lower() if output else "", "table")
    if curves and form != "json":
        raise click.UsageError("curves are written with --format json only")
    check_measures(measure)
    changes = changes_of(ties, missing, relevance, convention)
    if profile:
        find_profile(profile)
    opened = read(benchmark, parts)
    check_runs(run, opened.runs)
    try:
        judged = changed_profile(profile or opened.profile, changes)
        scores, ends = _compute(opened, judged, run, measure, ties)
        shown = _Shown(scores, ends, per_query=per_query, ceiling=ceiling)
        if form == "json":
            deliver(shown.as_json(curves=curves), output)
        elif form == "table" and is_screen(output):
            show_on_screen(scores, opened, shown.rows(), in_full=bool(measure))
        else:
            deliver(shown.as_text(form), output)
        say_conventions(scores, is_titled=form == "table" and is_screen(output))
        if not profile:
            say_suggestion(opened)
    finally:  # they may say why nothing could be computed
        report_findings(opened, benchmark)
    return int(opened.has_errors)


def _compute(
    benchmark: "Benchmark", profile: "Profile", runs: Sequence[str], measures: Sequence[str], ties: str | None
) -> "tuple[Scores, TieRange | None]":
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.evaluate import evaluate, evaluate_ties

    if benchmark.assessment is not None and not benchmark.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs: there is nothing to evaluate")
    chosen, keys = runs or None, measures or None
    with progress_bar("Evaluating") as progress:
        if ties == "range":
            ends = evaluate_ties(benchmark, profile, runs=chosen, measures=keys, progress=progress)
            return ends.actual, ends
        order: TieOrder = "optimistic" if ties == "optimistic" else "profile"
        if ties == "pessimistic":
            order = "pessimistic"
        return evaluate(benchmark, profile, runs=chosen, measures=keys, ties=order, progress=progress), None


@dataclass(frozen=True, eq=False)
class _Shown:
    """What is written, and how much of it."""

    scores: "Scores"
    ties: "TieRange | None"
    per_query: bool
    ceiling: bool

    def rows(self) -> "Table":
        """As rows, for all formats but JSON."""
        from shrec_viewer.evaluation.tables import scores_rows

        return scores_rows(self.scores, per_query=self.per_query, ties=self.ties, ceiling=self.ceiling)

    def as_json(self, *, curves: bool) -> str:
        """As the document that scripts read."""
        from shrec_viewer.evaluation.tables import scores_document, to_json

        document = scores_document(
            self.scores,
            self.scores.benchmark,
            per_query=self.per_query,
            curves=curves,
            ties=self.ties,
            ceiling=self.ceiling,
        )
        return to_json(document)

    def as_text(self, form: str) -> str:
        """As one of the other formats, for a pipe or a file."""
        if form == "csv":
            return csv_text(self.rows())
        if form == "table":
            return plain_text(self.scores, self.rows())
        return paper_text(self.scores, self.rows(), form)
