"""The correlate command: rank correlation of leaderboards by several measures, profiles or sources."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, compute_scores
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.findings import print_finding
from shrec_viewer.cli.options import (
    PROFILE,
    BenchmarkRequest,
    benchmark_command,
    existing_file,
    measure_option,
    output_options,
    run_option,
)
from shrec_viewer.cli.terminal import print_message, write_result
from shrec_viewer.report.tables.text import OutputColumn, csv_table, number_column, table_text

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.comparison.assessments import NamedAssessment
    from shrec_viewer.evaluation.comparison.leaderboards import Leaderboard, LeaderboardCorrelation
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.metrics import Profile

#: Scores of the first leaderboards, and the correlations.
Correlated: TypeAlias = "tuple[Scores, list[LeaderboardCorrelation]]"

EXAMPLES = """\b
Examples:
  shrec-viewer correlate demo
  shrec-viewer correlate demo --measure AP --measure NDCG --measure FT
  shrec-viewer correlate demo --against-profile trec
  shrec-viewer correlate shrec06 --against-assessment amended.qrels
  shrec-viewer correlate demo --against published.csv --format json"""


@dataclass(frozen=True, kw_only=True, eq=False)
class CorrelateRequest(BenchmarkRequest):
    """Arguments and options of `correlate`."""

    run: tuple[str, ...]
    measure: tuple[str, ...]
    against_profile: "Profile | None"
    against: Path | None
    against_assessment: tuple[str, ...]


@benchmark_command("correlate", CorrelateRequest, epilog=EXAMPLES)
@run_option("Only this run; repeatable.")
@measure_option("Compare the leaderboards by this measure; repeatable.", multiple=True)
@click.option(
    "--against-profile", type=PROFILE, metavar="KEY", help="Compare with the leaderboards under the conventions KEY."
)
@click.option(
    "--against",
    type=existing_file,
    metavar="FILE",
    help="Compare with the table FILE: a row per run, a column per measure, as CSV.",
)
@click.option(
    "--against-assessment",
    metavar="FILE",
    multiple=True,
    help="Compare with the leaderboards under the levels or classes of FILE; repeatable. Also 'classes', "
    "'classes:1' (merged at the top level of the classification).",
)
@output_options
def correlate_command(request: CorrelateRequest) -> int:
    """Compute the rank correlation of leaderboards: orders of the runs of BENCHMARK by their mean scores.

    Without --measure, the order by the headline measure of the profile is compared with that by each other measure;
    with several, all pairs are compared.

    --against-profile compares the order by each measure with that under another
    profile with the same changed conventions, --against-assessment with that under other relevance levels or classes,
    --against with that in a table of another source.

    tau is Kendall's tau-b: 1 for the same order, 0 for unrelated orders, -1 for the reversed one. tau_AP weights the
    best runs more (Yilmaz, Aslam, Robertson 2008); the first leaderboard is the truth, tau_AP reversed exchanges them.
    """
    others = (request.against, request.against_profile, request.against_assessment)
    if sum(map(bool, others)) > 1:
        raise click.UsageError("--against, --against-profile and --against-assessment exclude each other")
    if len(request.measure) == 1 and not any(others):
        raise click.UsageError("one measure has no other to be compared with: give two, or --against FILE")
    correlate = _correlate_measures
    if any(others):
        functions = (_correlate_with_file, _correlate_profiles, _correlate_assessments)
        correlate = next(function for function, other in zip(functions, others, strict=True) if other)
    with benchmark_to_score(request, request.run) as (opened, profile):
        scores, found = correlate(request, opened, profile)
        write_result(_text(found, profile, opened, request.result_format), request.output)
        print_conventions(scores)
    return int(opened.has_errors)


def _leaderboards(
    request: CorrelateRequest, benchmark: "Benchmark", profile: "Profile", measures: Sequence[str]
) -> "tuple[Scores, list[Leaderboard]]":
    """Scores of at least two runs, and the leaderboards by them."""
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.evaluation.comparison.leaderboards import leaderboards

    scores = compute_scores(request, benchmark, profile, request.run, measures)
    if len(scores.runs) < 2:
        raise ShrecViewerError(
            f"an order of the runs requires two of them; '{benchmark.name}' has {len(scores.runs)} here"
        )
    return scores, leaderboards(scores)


def _correlate_measures(request: CorrelateRequest, benchmark: "Benchmark", profile: "Profile") -> "Correlated":
    from shrec_viewer.evaluation.comparison.leaderboards import correlate_all, correlate_with

    scores, boards = _leaderboards(request, benchmark, profile, request.measure)
    if request.measure:
        without = [measure.key for measure in scores.measures if measure.better == "none"]
        if without:
            print_message(f"not compared, as neither higher nor lower values are better: {', '.join(without)}")
        return scores, correlate_all(boards)
    headline = next((board for board in boards if board.measure == profile.headline), boards[0])
    return scores, correlate_with(headline, boards)


def _correlate_profiles(request: CorrelateRequest, benchmark: "Benchmark", profile: "Profile") -> "Correlated":
    from shrec_viewer.evaluation.comparison.leaderboards import correlate_same_measures
    from shrec_viewer.metrics import with_conventions

    assert request.against_profile is not None
    scores, boards = _leaderboards(request, benchmark, profile, request.measure)
    other = with_conventions(request.against_profile, request.changes)
    keys = [board.measure for board in boards]
    return scores, correlate_same_measures(boards, _leaderboards(request, benchmark, other, keys)[1])


def _correlate_assessments(request: CorrelateRequest, benchmark: "Benchmark", profile: "Profile") -> "Correlated":
    """Leaderboards under the assessment of the benchmark and under other ones."""
    from shrec_viewer.evaluation.comparison.assessments import measure_for
    from shrec_viewer.evaluation.comparison.leaderboards import correlate

    scores, boards = _leaderboards(request, benchmark, profile, request.measure)
    found = []
    for name in request.against_assessment:
        other = _other_assessment(benchmark, name)
        keys = list(dict.fromkeys(measure_for(other.assessment, board.measure).key for board in boards))
        amended = replace(benchmark, assessment=other.assessment)
        by_key = {board.measure: board for board in _leaderboards(request, amended, profile, keys)[1]}
        for board in boards:
            second = by_key[measure_for(other.assessment, board.measure).key]
            found.append(correlate(board, replace(second, source=other.label)))
    return scores, found


def _other_assessment(benchmark: "Benchmark", name: str) -> "NamedAssessment":
    """The assessment of a file, or derived from the classification; findings about the file are printed."""
    from shrec_viewer.evaluation.comparison.assessments import NamedAssessment, derived_assessments
    from shrec_viewer.formats.discovery.assessment import read_assessment

    derived = {one.key: one for one in derived_assessments(benchmark)}
    if name in derived:
        return replace(derived[name], label=name)
    path = Path(name)
    if not path.is_file():
        known = f" (derived from the classification: {', '.join(derived)})" if derived else ""
        raise click.UsageError(f"--against-assessment: there is no file '{name}'{known}")
    assessment, findings = read_assessment(path, benchmark)
    for finding in findings:
        if finding.severity != "info":
            print_finding(finding, path.name)
    return NamedAssessment(name, path.name, assessment)


def _correlate_with_file(request: CorrelateRequest, benchmark: "Benchmark", profile: "Profile") -> "Correlated":
    from shrec_viewer.domain import ShrecViewerError
    from shrec_viewer.evaluation.comparison.leaderboards import (
        correlate_same_measures,
        is_measure,
        published_leaderboards,
        require_common_runs,
    )
    from shrec_viewer.formats.truth.published import read_published

    path = request.against
    assert path is not None
    others, findings = published_leaderboards(read_published(path))
    for finding in findings:
        print_finding(finding, path.name)
    keys = request.measure or [other.measure for other in others if is_measure(other.measure)]
    scores, boards = _leaderboards(request, benchmark, profile, keys)
    if unknown := require_common_runs(boards, others):
        print_message(f"ignored runs of {path.name} that are not compared: {', '.join(unknown)}")
    found = correlate_same_measures(boards, others)
    if not found:
        columns = ", ".join(other.measure for other in others)
        raise ShrecViewerError(f"{path.name} has no column of the measures compared; its columns are: {columns}")
    return scores, found


def _text(found: "Sequence[LeaderboardCorrelation]", profile: "Profile", benchmark: "Benchmark", form: str) -> str:
    """The correlations in one of the formats."""
    from shrec_viewer.evaluation.comparison.leaderboards import correlation_document, correlation_rows
    from shrec_viewer.evaluation.score_tables import to_json

    if form == "json":
        return to_json(correlation_document(found, profile, benchmark))
    if form == "csv":
        table = correlation_rows(found)
        return csv_table(table.header, table.rows)
    has_sources = any(c.first.source != c.second.source for c in found)

    def names(boards: "Sequence[Leaderboard]") -> tuple[str, ...]:
        return tuple(f"{board.measure} ({board.source})" if has_sources else board.measure for board in boards)

    columns = [
        OutputColumn("order by", names([c.first for c in found])),
        OutputColumn("compared with", names([c.second for c in found])),
        OutputColumn("runs", tuple(str(c.runs) for c in found), is_number=True),
        number_column("tau", (c.tau for c in found)),
        number_column("tau_AP", (c.tau_ap for c in found)),
        number_column("tau_AP reversed", (c.tau_ap_reversed for c in found)),
    ]
    caption = "" if form == "table" else f"Rank correlation of the leaderboards; profile {profile.title}"
    return table_text(columns, form, caption)
