"""The suspects and robustness commands: doubtful assessments, and what conventions change."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from shrec_viewer.cli.benchmark import benchmark_to_score
from shrec_viewer.cli.conventions import print_conventions_of
from shrec_viewer.cli.options import (
    BenchmarkRequest,
    Choice,
    benchmark_command,
    format_option,
    measure_option,
    output_option,
    output_options,
    run_option,
)
from shrec_viewer.cli.terminal import progress_bar, write_result
from shrec_viewer.number_format import format_percent
from shrec_viewer.report.tables.text import OutputColumn, csv_table, number_column, plain_table, table_text

if TYPE_CHECKING:
    from shrec_viewer.diagnosis.robustness import Robustness
    from shrec_viewer.diagnosis.suspects import SuspectQueue, SuspectUnit

SUSPECT_EXAMPLES = """\b
Examples:
  shrec-viewer suspects shrec06 --limit 20
  shrec-viewer suspects shrec06 --measure AP --format json --output suspects.json
  shrec-viewer suspects culture --by model"""


@dataclass(frozen=True, kw_only=True, eq=False)
class SuspectsOptions(BenchmarkRequest):
    """Arguments and options of `suspects`."""

    by: "SuspectUnit | None"
    limit: int
    run: tuple[str, ...]
    measure: str | None


@benchmark_command("suspects", SuspectsOptions, epilog=SUSPECT_EXAMPLES)
@click.option("--by", type=Choice(("pair", "model")), help="Doubt levels of pairs, or labels of models.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=40, show_default=True, help="Number of suspects.")
@run_option("Only this run gives evidence; repeatable.")
@measure_option("Measure of the effect; default: main measure of the profile.")
@format_option(("table", "json"), "table or json.", default="table")
@output_option
def suspects_command(request: SuspectsOptions) -> int:
    """List the most doubtful entries of the assessment of BENCHMARK, the strongest evidence first.

    A pair of query and model is doubtful if its level differs from that of the other models of its class, or of the
    models that all runs rank most similarly, if it is not relevant but in the first ranks of many participants, if it
    is relevant but retrieved by none, or if a near-duplicate has another level. Where relevance comes from classes, the
    default is --by model: a label is doubtful if the most similarly ranked models have another one. Each participant
    has one vote, less if its lists are like those of others. Every suspect has its evidence, from 0 to 1, and what the
    suggested value would change in the ranking of the runs.
    """
    from shrec_viewer.diagnosis.suspects import find_suspects, suspects_document
    from shrec_viewer.evaluation.score_tables import to_json

    with benchmark_to_score(request, request.run) as (opened, profile):
        with progress_bar("Examining") as progress:
            found = find_suspects(
                opened, profile, by=request.by, limit=request.limit, measure=request.measure, runs=request.run or None,
                jobs=request.n_jobs, progress=progress,
            )  # fmt: skip
        text = to_json(suspects_document(found)) if request.form == "json" else _suspects_text(found)
        write_result(text, request.output)
        print_conventions_of(profile)
    return int(opened.has_errors)


def _suspects_text(found: "SuspectQueue") -> str:
    """A table of the suspects, then one line of evidence and effect for each, then confused classes."""
    from shrec_viewer.diagnosis.suspects import suspect_records

    records = suspect_records(found)
    if not records:
        return "No doubtful entries.\n"
    names = ("model", "class", "suggested") if found.by == "model" else ("query", "model", "level", "suggested")
    columns = [OutputColumn("no.", tuple(str(number) for number in range(1, len(records) + 1)), is_number=True)]
    columns += [OutputColumn(name, tuple(str(record[name]) for record in records)) for name in names]
    columns += [
        number_column("evidence", [record["evidence"] for record in records]),
        OutputColumn("effect", tuple(str(record["effect"]) for record in records), is_number=True),
    ]
    lines = [f"{number}. {r['sentence']} {r['effect_sentence']}\n" for number, r in enumerate(records, 1)]
    tree = found.benchmark.classification
    confused = [
        f"In the runs of every participant, models of '{tree.names[one.model_class]}' take {format_percent(one.share)} "
        f"or more of the first tier of queries of '{tree.names[one.query_class]}'.\n"
        for one in found.confusions
        if tree is not None
    ]
    heading = f"effect: pairs of runs that change order by {found.measure} with the suggested value\n"
    return "\n".join(part for part in (plain_table(columns), heading, "".join(lines), "".join(confused)) if part)


ROBUSTNESS_EXAMPLES = """\b
Examples:
  shrec-viewer robustness shrec06 --profile shrec2006
  shrec-viewer robustness demo --measure AP --format json"""


@dataclass(frozen=True, kw_only=True, eq=False)
class RobustnessOptions(BenchmarkRequest):
    """Arguments and options of `robustness`."""

    measure: str | None


@benchmark_command("robustness", RobustnessOptions, epilog=ROBUSTNESS_EXAMPLES)
@measure_option("Rank the runs by this measure; default: main measure of the profile.")
@output_options
def robustness_command(request: RobustnessOptions) -> int:
    """Rank the runs of BENCHMARK under every profile and every single convention that the data allow.

    Conventions are changed one at a time: profile, order of ties, self-match, missing queries, cutoffs, divisors,
    relevance threshold, measure and kind of mean. Each run has the interval of its ranks; a pair of runs is settled if
    no change reverses its order, and otherwise the changes that do are listed.
    """
    from shrec_viewer.diagnosis.robustness import examine_robustness, robustness_document
    from shrec_viewer.evaluation.score_tables import to_json

    form = request.result_format
    with benchmark_to_score(request, ()) as (opened, profile):
        with progress_bar("Examining") as progress:
            found = examine_robustness(opened, profile, request.measure, progress=progress)
        text = to_json(robustness_document(found)) if form == "json" else _robustness_text(found, form)
        write_result(text, request.output)
        print_conventions_of(profile)
    return int(opened.has_errors)


def _robustness_text(found: "Robustness", form: str) -> str:
    """Runs with their intervals, pairs that change order, and the changes of conventions that reverse pairs."""
    from shrec_viewer.diagnosis.robustness import robustness_document

    document = robustness_document(found)
    runs, pairs = document["runs"], document["pairs"]
    unsettled = [pair for pair in pairs if not pair["settled"]]
    if form == "csv":
        rows = [(pair["a"], pair["b"], str(pair["settled"]).lower(), " ".join(pair["changed_by"])) for pair in pairs]
        return csv_table(("a", "b", "settled", "changed_by"), rows)
    run_columns = [
        OutputColumn("rank", tuple(str(run["rank"]) for run in runs), is_number=True),
        OutputColumn("run", tuple(run["name"] for run in runs)),
        number_column(found.measure.key, [run["mean"] for run in runs]),
        OutputColumn("best", tuple(str(run["rank_interval"][0]) for run in runs), is_number=True),
        OutputColumn("worst", tuple(str(run["rank_interval"][1]) for run in runs), is_number=True),
    ]
    effective = sorted(
        (variant for variant in document["variants"] if variant["pairs_changed"]), key=_negative_pairs_changed
    )
    variant_columns = [
        OutputColumn("change", tuple(variant["key"] for variant in effective)),
        OutputColumn("pairs", tuple(str(variant["pairs_changed"]) for variant in effective), is_number=True),
        number_column("tau", [variant["tau"] for variant in effective]),
        number_column("tau_AP", [variant["tau_ap"] for variant in effective]),
    ]
    pair_columns = [
        OutputColumn("better", tuple(pair["a"] for pair in unsettled)),
        OutputColumn("worse", tuple(pair["b"] for pair in unsettled)),
        OutputColumn("reversed by", tuple(_changes_text(pair["changed_by"]) for pair in unsettled)),
    ]
    title = f"Ranks under {len(document['variants'])} changes of the conventions"
    texts = [table_text(run_columns, form, title if form != "table" else "")]
    summary = f"{len(pairs) - len(unsettled)} of {len(pairs)} pairs of runs are settled: no change reverses them.\n"
    if not pairs:
        summary = "There is one run, and no pair of runs to compare.\n" if runs else "There are no runs.\n"
    texts.append(summary if form == "table" else "")
    if effective:
        texts.append(table_text(variant_columns, form, "Changes that reverse pairs" if form != "table" else ""))
    if unsettled:
        texts.append(table_text(pair_columns, form, "Pairs that are not settled" if form != "table" else ""))
    return "\n".join(text for text in texts if text)


def _negative_pairs_changed(variant: dict[str, int]) -> int:
    return -variant["pairs_changed"]


SHOWN_CHANGES = 4
"""Changes that a row of the table lists; the JSON document has all."""


def _changes_text(changes: list[str]) -> str:
    more = f" and {len(changes) - SHOWN_CHANGES} more" if len(changes) > SHOWN_CHANGES else ""
    return f"{', '.join(changes[:SHOWN_CHANGES])}{more}"
