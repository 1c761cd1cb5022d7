"""The compare command: differences between two runs, or between all runs, with significance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, compute_scores
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import (
    ALL_MEASURES,
    MEASURE,
    RUN,
    BenchmarkRequest,
    Choice,
    benchmark_command,
    format_option,
    measure_option,
    measures_to_compute,
    output_option,
    run_option,
    scheduler_option,
)
from shrec_viewer.cli.scores.groups import group_option, group_text, represented, requested_groups
from shrec_viewer.cli.terminal import print_message, wrapped, write_result
from shrec_viewer.evaluation.choices import Resample
from shrec_viewer.printable import printable
from shrec_viewer.report.tables.text import OutputColumn, format_number, number_column, plain_table

if TYPE_CHECKING:
    from shrec_viewer.evaluation.comparison.comparison import Comparison, QueryChange
    from shrec_viewer.evaluation.comparison.significance import RunSignificance
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.metrics.statistics.bootstrap import ConfidenceInterval


def _all_runs_text(request: "CompareRequest", scores: "Scores", measure: str | None) -> str:
    """Means, significance and groups of all runs, best first or in the requested order, in one of the formats."""
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.evaluation.comparison.significance import run_significance, significance_document
    from shrec_viewer.evaluation.score_tables import to_json

    benchmark = scores.benchmark
    if not scores.runs:
        raise ShrecViewerError(f"'{benchmark.name}' has no runs to compare")
    found = run_significance(scores, measure, baseline=request.baseline, resample=request.resample)
    if request.form == "json":
        return to_json(significance_document(found, scores, benchmark))
    order = scores.order_by(request.sort) if request.sort else None
    return f"{wrapped(_summary_sentence(found))}\n\n{_all_runs_table(found, order)}"


def _summary_sentence(found: "RunSignificance") -> str:
    from shrec_viewer.evaluation.comparison.comparable import incomparable_text
    from shrec_viewer.evaluation.comparison.significance import disagreement_text

    groups = len(found.groups.members)
    counted = "1 group" if groups == 1 else f"{groups} groups"
    text = (
        f"{len(found.runs)} runs in {found.measure.label} over {found.pairs.n} queries: {counted} of runs that are not "
        f"significantly different (randomised Tukey HSD of all pairs, 5 %). p against {found.baseline}: paired "
        "randomisation tests with Holm correction, and Tukey HSD."
    )
    notes = disagreement_text(found), incomparable_text(found.incomparable, found.measure.key)
    return " ".join(filter(None, (text, *notes)))


def _all_runs_table(found: "RunSignificance", order: Sequence[int] | None) -> str:
    """The runs in the given order, else best first; runs that share a letter are not significantly different."""
    import numpy as np

    if order is None:
        sign = 1.0 if found.measure.better == "lower" else -1.0
        order = np.argsort([sign * mean.mean for mean in found.means], kind="stable").tolist()  # NaN last
    means = [found.means[run] for run in order]

    jointly = [found.p_of_pair(found.runs[run], found.baseline) for run in order]

    return plain_table(
        [
            OutputColumn("run", tuple(found.runs[run] for run in order)),
            number_column(found.measure.key, [mean.mean for mean in means]),
            number_column("low", [mean.low for mean in means]),
            number_column("high", [mean.high for mean in means]),
            number_column("p(Holm)", [float(found.p_against_baseline[run]) for run in order]),
            number_column("p(Tukey)", jointly),
            OutputColumn("group", tuple(found.groups.letters[run] for run in order)),
        ]
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class CompareRequest(BenchmarkRequest):
    """Arguments and options of `compare`."""

    run_a: str | None
    run_b: str | None
    run: tuple[str, ...]
    measure: str | None
    sort: str | None
    baseline: str | None
    resample: Resample
    group: tuple[str, ...]

    @property
    def pair(self) -> tuple[str, ...]:
        """Names of the two runs, or none for all."""
        return tuple(name for name in (self.run_a, self.run_b) if name is not None)


@benchmark_command("compare", CompareRequest)
@click.argument("run_a", type=RUN, required=False)
@click.argument("run_b", type=RUN, required=False)
@run_option("Without RUN_A and RUN_B: compare only this run with the others that are named; repeatable.")
@measure_option("Measure to compare, `all` for every one; default: main measure of the profile.", has_all=True)
@click.option(
    "--sort", type=MEASURE, metavar="KEY", help="Order all runs by the mean of this measure; default: the compared one."
)
@click.option("--baseline", type=RUN, metavar="NAME", help="Run that all others are compared with; default: the best.")
@click.option(
    "--resample",
    type=Choice(get_args(Resample)),
    default="auto",
    help="Unit that the bootstrap resamples; auto: classes if each has several queries, else queries.",
)
@group_option
@scheduler_option
@format_option(("table", "json"), "table or json.", default="table")
@output_option
def compare_command(request: CompareRequest) -> int:
    """Compare two runs of BENCHMARK on one measure, query by query; without RUN_A and RUN_B, compare all runs.

    Differences are RUN_B minus RUN_A. Intervals are 95 % bootstrap confidence intervals, over classes if every class
    has several queries; p is the p-value of a paired randomisation test of this pair alone. For all runs, p(Holm) and
    p(Tukey) are those of the comparison with the best one (or --baseline): paired randomisation tests with Holm
    correction, and randomised Tukey HSD of all pairs. Runs that share a letter are not significantly different by the
    latter (5 %); where the two disagree, a message names the runs. The random seed is fixed: the same call gives the
    same output.
    """
    pair, sort = request.pair, request.sort
    if len(pair) == 1:
        raise click.UsageError("Missing argument 'RUN_B': give two runs, or none to compare all")
    if len(pair) == 2 and pair[0] == pair[1]:
        raise click.UsageError(f"'{pair[0]}' is given twice: give two different runs, or none to compare all")
    if request.baseline is not None and pair:
        raise click.UsageError("--baseline is for the comparison of all runs; of two, RUN_A is the baseline")
    if request.group and pair:
        raise click.UsageError("--group is for the comparison of all runs")
    if request.run and pair:
        raise click.UsageError("--run names the runs that are all compared; of two, RUN_A and RUN_B do")
    if sort and pair:
        raise click.UsageError("--sort is for the comparison of all runs")
    # In the order of the benchmark, on which random shuffles depend.
    named = (*request.run, *filter(None, [request.baseline]))
    with benchmark_to_score(request, [*pair, *named]) as (opened, profile):
        measures, extra = measures_to_compute([request.measure] if request.measure else [])
        extra = (*extra, sort) if sort else extra
        family = [run.name for run in opened.runs if run.name in named] if request.run else pair
        scores = compute_scores(request, opened, profile, family, measures, extra)
        groups = requested_groups(scores, request.group, request.measure if request.measure != ALL_MEASURES else None)
        scores = represented(scores, groups)
        if request.baseline is not None and request.baseline not in scores.runs:
            raise click.UsageError(f"--baseline: '{request.baseline}' is in a group that another run stands for")
        every = [measure.key for measure in scores.measures if measure.is_mean]
        keys = every if request.measure == ALL_MEASURES else [request.measure]
        if pair:
            write_result(_pair_text(request, scores, keys), request.output)
        else:
            texts = [_all_runs_text(request, scores, key) for key in keys]
            write_result(_join_documents(texts) if request.form == "json" else "\n".join(texts), request.output)
        for group in groups:
            print_message(group_text(group, scores, request.measure if request.measure != ALL_MEASURES else None))
        print_conventions(scores)
    return int(opened.has_errors)


def _join_documents(texts: Sequence[str]) -> str:
    """One JSON document as it is; several, one per measure, as a list in a document."""
    import json

    from shrec_viewer.evaluation.comparison.comparison import COMPARISONS_SCHEMA
    from shrec_viewer.evaluation.score_tables import to_json

    if len(texts) == 1:
        return texts[0]
    return to_json({"schema": COMPARISONS_SCHEMA, "comparisons": [json.loads(text) for text in texts]})


def _pair_text(request: CompareRequest, scores: "Scores", measures: Sequence[str | None]) -> str:
    """The comparison of two runs on one measure, or on several, in one of the formats."""
    from shrec_viewer.evaluation.comparison.comparison import compare, comparison_document, comparison_summary
    from shrec_viewer.evaluation.score_tables import to_json

    run_a, run_b = request.pair
    found = [compare(scores, run_a, run_b, measure, resample=request.resample) for measure in measures]
    if request.form == "json":
        return _join_documents([to_json(comparison_document(one, scores, scores.benchmark)) for one in found])
    if len(found) > 1:
        return _measures_table(found)
    summary = f"{comparison_summary(found[0])}{_correction_note(found[0])}"
    return "\n".join([f"{wrapped(summary)}\n", *_comparison_parts(found[0])])


def _correction_note(found: "Comparison") -> str:
    """That the test of all runs may decide otherwise on the pair; "" without other runs, or where the two are equal."""
    from shrec_viewer.formats.core.findings_log import count_of
    from shrec_viewer.metrics.statistics.significance import SIGNIFICANCE_LEVEL

    if found.other_runs == 0 or found.difference.mean == 0 or math.isnan(found.test.p):
        return ""
    # It may also separate a pair that its own test does not: few queries with large differences among many runs.
    verb = "may not separate" if found.test.p < SIGNIFICANCE_LEVEL else "may separate"
    return (
        f" Not corrected for the other {count_of(found.other_runs, 'run')}: the test of all pairs (randomised Tukey "
        f"HSD, compare without RUN_A and RUN_B) {verb} them."
    )


def _measures_table(found: "Sequence[Comparison]") -> str:
    """A row for each measure: means, difference with its interval, and p of the paired randomisation test."""
    first = found[0]
    columns = [OutputColumn("measure", tuple(one.measure.key for one in found))]
    intervals = ((first.run_a, "mean_a", ".3f"), (first.run_b, "mean_b", ".3f"), ("change", "difference", "+.3f"))
    for title, field, form in intervals:
        cells = tuple(format_number(getattr(one, field).mean, form) for one in found)
        columns.append(OutputColumn(title, cells, is_number=True))
    for end in ("low", "high"):
        cells = tuple(format_number(getattr(one.difference, end), "+.3f") for one in found)
        columns.append(OutputColumn(end, cells, is_number=True))
    columns.append(OutputColumn("p", tuple(format_number(one.test.p, ".3f") for one in found), is_number=True))
    return plain_table(columns)


def _comparison_parts(found: "Comparison") -> list[str]:
    """Tables of the means and of the queries with the largest changes."""
    won = found.win_tie_loss
    noun = "query" if won.worse == 1 else "queries"
    counts = f"{found.run_b} is better on {won.better:,}, equal on {won.equal:,} and worse on {won.worse:,} {noun}"
    undefined = f"; {won.undefined} excluded, where one run has no value" if won.undefined else ""
    texts = [_means_table(found), f"{printable(counts)}{undefined}.\n"]
    for heading, changes in (("gains", found.gains), ("losses", found.losses)):
        if changes:
            texts.append(f"Largest {heading} of {printable(found.run_b)}:\n{_changes_table(found, changes)}")
    return texts


def _means_table(found: "Comparison") -> str:
    rows: list[tuple[str, ConfidenceInterval, str]] = [
        (found.run_a, found.mean_a, ".3f"),
        (found.run_b, found.mean_b, ".3f"),
        (f"{found.run_b}-{found.run_a}", found.difference, "+.3f"),
    ]
    columns = [OutputColumn("run", tuple(name for name, _, _ in rows))]
    for title, name in ((found.measure.key, "mean"), ("low", "low"), ("high", "high")):
        cells = tuple(format_number(getattr(interval, name), form) for _, interval, form in rows)
        columns.append(OutputColumn(title, cells, is_number=True))
    return plain_table(columns)


def _changes_table(found: "Comparison", changes: "Sequence[QueryChange]") -> str:
    return plain_table(
        [
            OutputColumn("query", tuple(change.query for change in changes)),
            number_column(found.run_a, [change.a for change in changes]),
            number_column(found.run_b, [change.b for change in changes]),
            number_column("change", [change.change for change in changes], "+.3f"),
        ]
    )
