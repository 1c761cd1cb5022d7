"""The command ``compare``: by how much two runs differ, how sure that is, on which queries; or all runs at once."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.changed_conventions import changed_profile, changes_of, convention_options
from shrec_viewer.cli.compare_all import all_runs
from shrec_viewer.cli.conventions import say_conventions, say_suggestion
from shrec_viewer.cli.findings import report_findings
from shrec_viewer.cli.inputs import benchmark_argument, check_measures, check_runs, find_profile, read
from shrec_viewer.cli.tables import Column, plain
from shrec_viewer.cli.terminal import ResultFile, deliver, progress_bar

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.compare import Comparison, QueryChange, Resample
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.metrics import Profile
    from shrec_viewer.metrics.resampling import Interval


RESAMPLE = "What intervals resample: queries, or whole classes; auto: classes where each has several queries."


@click.command("compare", short_help="Two runs, or all: how much, how sure, on which queries.")
@benchmark_argument
@click.argument("run_a", required=False)
@click.argument("run_b", required=False)
@click.option("--profile", metavar="KEY", help="Conventions of a contest; see `shrec-viewer profiles`.")
@click.option("--measure", metavar="KEY", help="What to compare; else the headline of the profile.")
@click.option("--baseline", metavar="NAME", help="Of all runs, the one to compare the others with; else the best.")
@click.option("--resample", type=click.Choice(("auto", "query", "class")), default="auto", help=RESAMPLE)
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
    check_measures([measure] if measure else [])
    changes = changes_of(ties, missing, relevance, convention)
    if profile:
        find_profile(profile)
    opened = read(benchmark, parts)
    check_runs([*named, *([baseline] if baseline else [])], opened.runs)
    try:
        judged = changed_profile(profile or opened.profile, changes)
        scores = _scores(opened, judged, named, measure)
        key = scores.measures[0].key if measure else None
        if named:
            deliver(_two(scores, opened, named, key, resample, form), output)
        else:
            deliver(all_runs(scores, opened, key, baseline, resample, form), output)
        say_conventions(scores)
        if not profile:
            say_suggestion(opened)
    finally:  # they may say why nothing could be computed
        report_findings(opened, benchmark)
    return int(opened.has_errors)


def _scores(benchmark: "Benchmark", profile: "Profile", runs: Sequence[str], measure: str | None) -> "Scores":
    from shrec_viewer.evaluation.evaluate import evaluate

    with progress_bar("Evaluating") as progress:
        measures = [measure] if measure else None
        chosen = list(dict.fromkeys(runs)) or None
        return evaluate(benchmark, profile, runs=chosen, measures=measures, progress=progress)


def _two(
    scores: "Scores", benchmark: "Benchmark", runs: Sequence[str], measure: str | None, resample: "Resample", form: str
) -> str:
    """Two runs, in one of the formats."""
    from shrec_viewer.evaluation.compare import compare, comparison_document, sentence
    from shrec_viewer.evaluation.tables import to_json

    found = compare(scores, runs[0], runs[1], measure, resample=resample)
    if form == "json":
        return to_json(comparison_document(found, scores, benchmark))
    return "\n".join([f"{sentence(found)}\n", *_tables(found)])


def _tables(found: "Comparison") -> list[str]:
    """Means with their intervals, the tally, and the queries that changed most."""
    tally = found.tally
    words = (
        f"{found.run_b} is better on {tally.better:,}, equal on {tally.equal:,} and worse on {tally.worse:,} queries"
    )
    alone = f"; {tally.undefined} left out, of which only one of the two has a value" if tally.undefined else ""
    texts = [_means(found), f"{words}{alone}.\n"]
    for heading, changes in (("improves", found.gains), ("loses", found.losses)):
        if changes:
            texts.append(f"Where {found.run_b} {heading} most:\n{_changes(found, changes)}")
    return texts


def _means(found: "Comparison") -> str:
    rows: list[tuple[str, Interval, str]] = [
        (found.run_a, found.mean_a, ".4f"),
        (found.run_b, found.mean_b, ".4f"),
        (f"{found.run_b}-{found.run_a}", found.difference, "+.4f"),
    ]
    columns = [Column("run", tuple(name for name, _, _ in rows))]
    for title, name in ((found.measure.key, "mean"), ("low", "low"), ("high", "high")):
        cells = tuple(_number(getattr(interval, name), form) for _, interval, form in rows)
        columns.append(Column(title, cells, is_number=True))
    return plain(columns)


def _changes(found: "Comparison", changes: "Sequence[QueryChange]") -> str:
    return plain(
        [
            Column("query", tuple(change.query for change in changes)),
            Column(found.run_a, tuple(_number(change.a, ".4f") for change in changes), is_number=True),
            Column(found.run_b, tuple(_number(change.b, ".4f") for change in changes), is_number=True),
            Column("change", tuple(_number(change.change, "+.4f") for change in changes), is_number=True),
        ]
    )


def _number(value: float, form: str) -> str:
    """Nothing for NaN, which `plain` shows as what is not there."""
    return "" if value != value else format(value, form)
