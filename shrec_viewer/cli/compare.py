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
    from shrec_viewer.evaluation.comparison import Resample
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.evaluation.significance import RunSignificance


def all_runs_text(
    scores: "Scores",
    benchmark: "Benchmark",
    measure: str | None,
    baseline: str | None,
    resample: "Resample",
    form: str,
) -> str:
    """The runs, best first, in one of the formats of ``compare``."""
    from shrec_viewer.domain import ShrecError
    from shrec_viewer.evaluation.score_tables import to_json
    from shrec_viewer.evaluation.significance import run_significance, significance_document

    if not scores.runs:
        raise ShrecError(f"'{benchmark.name}' has no runs: there is nothing to compare")
    found = run_significance(scores, measure, baseline=baseline, resample=resample)
    if form == "json":
        return to_json(significance_document(found, scores, benchmark))
    return f"{_summary_sentence(found)}\n\n{_all_runs_table(found)}"


def _summary_sentence(found: "RunSignificance") -> str:
    groups = len(found.groups.members)
    alike = "one group" if groups == 1 else f"{groups} groups"
    return (
        f"{len(found.runs)} runs in {found.measure.label} over {found.pairs.n} queries: {alike} of runs that cannot be "
        f"told apart (randomised Tukey test, 5%); p against {found.baseline} (paired randomisation, Holm)."
    )


def _all_runs_table(found: "RunSignificance") -> str:
    """Best first; runs that share a letter cannot be told apart."""
    import numpy as np

    sign = 1.0 if found.measure.better == "lower" else -1.0
    heights = np.array([sign * mean.mean for mean in found.means])
    places = np.argsort(heights, kind="stable").tolist()  # not-a-number last
    means = [found.means[place] for place in places]

    def numbers(values: list[float]) -> tuple[str, ...]:
        return tuple("" if value != value else f"{value:.4f}" for value in values)

    return plain_table(
        [
            OutputColumn("run", tuple(found.runs[place] for place in places)),
            OutputColumn(found.measure.key, numbers([mean.mean for mean in means]), is_number=True),
            OutputColumn("low", numbers([mean.low for mean in means]), is_number=True),
            OutputColumn("high", numbers([mean.high for mean in means]), is_number=True),
            OutputColumn("p", numbers([float(found.against[place]) for place in places]), is_number=True),
            OutputColumn("group", tuple(found.groups.letters[place] for place in places)),
        ]
    )


if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.comparison import Comparison, QueryChange, Resample
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.statistics.bootstrap import ConfidenceInterval


RESAMPLE_HELP = "What intervals resample: queries, or whole classes; auto: classes where each has several queries."


@click.command("compare", short_help="Two runs, or all: how much, how sure, on which queries.")
@benchmark_argument
@click.argument("run_a", required=False)
@click.argument("run_b", required=False)
@click.option("--profile", metavar="KEY", help="Conventions of a contest; see `shrec-viewer profiles`.")
@click.option("--measure", metavar="KEY", help="What to compare; else the headline of the profile.")
@click.option("--baseline", metavar="NAME", help="Of all runs, the one to compare the others with; else the best.")
@click.option("--resample", type=click.Choice(("auto", "query", "class")), default="auto", help=RESAMPLE_HELP)
@convention_options(orders=False)
@click.option("--format", "form", type=click.Choice(("table", "json")), default="table", help="table or json.")
@click.option("--output", type=ResultFile(), metavar="FILE", help="Write there instead.")
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
    """Compare two runs of BENCHMARK on one measure, query by query, or all runs where none is named.

    Every difference is RUN_B minus RUN_A. Intervals are bootstrap intervals of 95 %, over classes where every class has
    several queries; p is that of a paired randomisation test. Of all runs, p is against the best one (or --baseline),
    corrected by Holm, and runs that share a letter cannot be told apart (randomised Tukey test, 5 %). All start from
    a fixed seed: the same call gives the same answer.
    """
    named = [name for name in (run_a, run_b) if name is not None]
    if len(named) == 1:
        raise click.UsageError("Missing argument 'RUN_B': name two runs, or none for all")
    if len(named) == 2 and named[0] == named[1]:
        raise click.UsageError(f"'{named[0]}' is named twice: a run differs from another one, or name none for all")
    if baseline is not None and named:
        raise click.UsageError("--baseline is for all runs: of two, the first one is what the other is compared with")
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
    finally:  # they may say why nothing could be computed
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
    """Two runs, in one of the formats."""
    from shrec_viewer.evaluation.comparison import compare, comparison_document, comparison_summary
    from shrec_viewer.evaluation.score_tables import to_json

    found = compare(scores, runs[0], runs[1], measure, resample=resample)
    if form == "json":
        return to_json(comparison_document(found, scores, benchmark))
    return "\n".join([f"{comparison_summary(found)}\n", *_comparison_parts(found)])


def _comparison_parts(found: "Comparison") -> list[str]:
    """Means with their intervals, the tally, and the queries that changed most."""
    tally = found.tally
    words = (
        f"{found.run_b} is better on {tally.better:,}, equal on {tally.equal:,} and worse on {tally.worse:,} queries"
    )
    alone = f"; {tally.undefined} left out, of which only one of the two has a value" if tally.undefined else ""
    texts = [_means_table(found), f"{words}{alone}.\n"]
    for heading, changes in (("improves", found.gains), ("loses", found.losses)):
        if changes:
            texts.append(f"Where {found.run_b} {heading} most:\n{_changes_table(found, changes)}")
    return texts


def _means_table(found: "Comparison") -> str:
    rows: list[tuple[str, ConfidenceInterval, str]] = [
        (found.run_a, found.mean_a, ".4f"),
        (found.run_b, found.mean_b, ".4f"),
        (f"{found.run_b}-{found.run_a}", found.difference, "+.4f"),
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
            OutputColumn(found.run_a, tuple(_format_number(change.a, ".4f") for change in changes), is_number=True),
            OutputColumn(found.run_b, tuple(_format_number(change.b, ".4f") for change in changes), is_number=True),
            OutputColumn("change", tuple(_format_number(change.change, "+.4f") for change in changes), is_number=True),
        ]
    )


def _format_number(value: float, form: str) -> str:
    """Nothing for NaN, which `plain_table` shows as what is not there."""
    return "" if value != value else format(value, form)
