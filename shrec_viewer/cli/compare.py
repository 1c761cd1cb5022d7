"""The compare command: differences between two runs, or between all runs, with significance."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.check import report_findings
from shrec_viewer.cli.conventions import print_conventions, print_suggestion
from shrec_viewer.cli.options import (
    benchmark_argument,
    changed_profile,
    convention_changes,
    convention_options,
    load_benchmark,
    require_measures,
    require_profile,
    require_runs,
)
from shrec_viewer.cli.tables import OutputColumn, plain_table
from shrec_viewer.cli.terminal import ResultFile, progress_bar, write_result

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.comparison import Comparison, QueryChange, Resample
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.evaluation.significance import RunSignificance
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.statistics.bootstrap import ConfidenceInterval


def all_runs_text(
    scores: "Scores",
    benchmark: "Benchmark",
    measure: str | None,
    baseline: str | None,
    resample: "Resample",
    form: str,
) -> str:
    """Means, significance and groups of all runs, best first, in one of the formats of ``compare``."""
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.score_tables import to_json
    from shrec_viewer.evaluation.significance import run_significance, significance_document

    if not scores.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs to compare")
    found = run_significance(scores, measure, baseline=baseline, resample=resample)
    if form == "json":
        return to_json(significance_document(found, scores, benchmark))
    return f"{_summary_sentence(found)}\n\n{_all_runs_table(found)}"


def _summary_sentence(found: "RunSignificance") -> str:
    groups = len(found.groups.members)
    counted = "1 group" if groups == 1 else f"{groups} groups"
    return (
        f"{len(found.runs)} runs in {found.measure.label} over {found.pairs.n} queries: {counted} of runs that are not "
        f"significantly different (randomised Tukey test, 5 %); p against {found.baseline} (paired randomisation test, "
        "Holm correction)."
    )


def _all_runs_table(found: "RunSignificance") -> str:
    """Best first; runs that share a letter are not significantly different."""
    import numpy as np

    sign = 1.0 if found.measure.better == "lower" else -1.0
    order = np.argsort([sign * mean.mean for mean in found.means], kind="stable").tolist()  # NaN last
    means = [found.means[run] for run in order]

    def numbers(values: list[float]) -> tuple[str, ...]:
        return tuple("" if value != value else f"{value:.3f}" for value in values)

    return plain_table(
        [
            OutputColumn("run", tuple(found.runs[run] for run in order)),
            OutputColumn(found.measure.key, numbers([mean.mean for mean in means]), is_number=True),
            OutputColumn("low", numbers([mean.low for mean in means]), is_number=True),
            OutputColumn("high", numbers([mean.high for mean in means]), is_number=True),
            OutputColumn("p", numbers([float(found.p_against_baseline[run]) for run in order]), is_number=True),
            OutputColumn("group", tuple(found.groups.letters[run] for run in order)),
        ]
    )


RESAMPLE_HELP = "Unit that the bootstrap resamples; auto: classes if each has several queries, else queries."


@click.command("compare", short_help="Compare two runs, or all: differences, significance, queries.")
@benchmark_argument
@click.argument("run_a", required=False)
@click.argument("run_b", required=False)
@click.option("--profile", metavar="KEY", help="Conventions of a contest; see `shrec-viewer profiles`.")
@click.option("--measure", metavar="KEY", help="Measure to compare; default: headline measure of the profile.")
@click.option("--baseline", metavar="NAME", help="Run that all others are compared with; default: the best.")
@click.option("--resample", type=click.Choice(("auto", "query", "class")), default="auto", help=RESAMPLE_HELP)
@convention_options(extreme_ties=False)
@click.option("--format", "form", type=click.Choice(("table", "json")), default="table", help="table or json.")
@click.option("--output", type=ResultFile(), metavar="FILE", help="Write to FILE instead of standard output.")
def compare_command(
    benchmark: str,
    run_a: str | None,
    run_b: str | None,
    profile: str | None,
    measure: str | None,
    baseline: str | None,
    resample: "Resample",
    ties: str | None,
    missing: str | None,
    relevance: int | None,
    convention: tuple[str, ...],
    form: str,
    output: Path | None,
    **parts: Path | None,
) -> int:
    """Compare two runs of BENCHMARK on one measure, query by query; without RUN_A and RUN_B, compare all runs.

    Differences are RUN_B minus RUN_A. Intervals are 95 % bootstrap confidence intervals, over classes if every class
    has several queries; p is the p-value of a paired randomisation test. For all runs, p is the comparison with the
    best one (or --baseline) with Holm correction, and runs that share a letter are not significantly different
    (randomised Tukey test, 5 %). The random seed is fixed: the same call gives the same output.
    """
    named = [name for name in (run_a, run_b) if name is not None]
    if len(named) == 1:
        raise click.UsageError("Missing argument 'RUN_B': give two runs, or none to compare all")
    if len(named) == 2 and named[0] == named[1]:
        raise click.UsageError(f"'{named[0]}' is given twice: give two different runs, or none to compare all")
    if baseline is not None and named:
        raise click.UsageError("--baseline is for the comparison of all runs; of two, RUN_A is the baseline")
    require_measures([measure] if measure else [])
    changes = convention_changes(ties, missing, relevance, convention)
    if profile:
        require_profile(profile)
    opened = load_benchmark(benchmark, parts)
    require_runs([*named, *([baseline] if baseline else [])], opened.runs)
    try:
        judged = changed_profile(profile or opened.profile, changes)
        scores = _compute_scores(opened, judged, named, measure)
        key = scores.measures[0].key if measure else None
        if named:
            write_result(_two_runs_text(scores, opened, named, key, resample, form), output)
        else:
            write_result(all_runs_text(scores, opened, key, baseline, resample, form), output)
        print_conventions(scores)
        if not profile:
            print_suggestion(opened)
    finally:  # findings may explain why the evaluation failed
        report_findings(opened, benchmark)
    return int(opened.has_errors)


def _compute_scores(benchmark: "Benchmark", profile: "Profile", runs: Sequence[str], measure: str | None) -> "Scores":
    from shrec_viewer.evaluation.evaluate import evaluate

    with progress_bar("Evaluating") as progress:
        measures = [measure] if measure else None
        chosen = list(dict.fromkeys(runs)) or None
        return evaluate(benchmark, profile, runs=chosen, measures=measures, progress=progress)


def _two_runs_text(
    scores: "Scores", benchmark: "Benchmark", runs: Sequence[str], measure: str | None, resample: "Resample", form: str
) -> str:
    """The comparison of two runs in one of the formats."""
    from shrec_viewer.evaluation.comparison import compare, comparison_document, comparison_summary
    from shrec_viewer.evaluation.score_tables import to_json

    found = compare(scores, runs[0], runs[1], measure, resample=resample)
    if form == "json":
        return to_json(comparison_document(found, scores, benchmark))
    return "\n".join([f"{comparison_summary(found)}\n", *_comparison_parts(found)])


def _comparison_parts(found: "Comparison") -> list[str]:
    """Tables of the means and of the queries with the largest changes."""
    won = found.win_tie_loss
    counts = f"{found.run_b} is better on {won.better:,}, equal on {won.equal:,} and worse on {won.worse:,} queries"
    undefined = f"; {won.undefined} excluded, where one run has no value" if won.undefined else ""
    texts = [_means_table(found), f"{counts}{undefined}.\n"]
    for heading, changes in (("gains", found.gains), ("losses", found.losses)):
        if changes:
            texts.append(f"Largest {heading} of {found.run_b}:\n{_changes_table(found, changes)}")
    return texts


def _means_table(found: "Comparison") -> str:
    rows: list[tuple[str, ConfidenceInterval, str]] = [
        (found.run_a, found.mean_a, ".3f"),
        (found.run_b, found.mean_b, ".3f"),
        (f"{found.run_b}-{found.run_a}", found.difference, "+.3f"),
    ]
    columns = [OutputColumn("run", tuple(name for name, _, _ in rows))]
    for title, name in ((found.measure.key, "mean"), ("low", "low"), ("high", "high")):
        cells = tuple(_format_number(getattr(interval, name), form) for _, interval, form in rows)
        columns.append(OutputColumn(title, cells, is_number=True))
    return plain_table(columns)


def _changes_table(found: "Comparison", changes: "Sequence[QueryChange]") -> str:
    return plain_table(
        [
            OutputColumn("query", tuple(change.query for change in changes)),
            OutputColumn(found.run_a, tuple(_format_number(change.a, ".3f") for change in changes), is_number=True),
            OutputColumn(found.run_b, tuple(_format_number(change.b, ".3f") for change in changes), is_number=True),
            OutputColumn("change", tuple(_format_number(change.change, "+.3f") for change in changes), is_number=True),
        ]
    )


def _format_number(value: float, form: str) -> str:
    """Format a number; NaN as "", which `plain_table` shows as undefined."""
    return "" if value != value else format(value, form)
