"""The certainty command: how sure the order of the runs is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import click

from shrec_viewer.cli.benchmark import benchmark_to_score, compute_scores, require_runs_to_evaluate
from shrec_viewer.cli.conventions import print_conventions
from shrec_viewer.cli.options import (
    BenchmarkRequest,
    Choice,
    benchmark_command,
    measure_option,
    output_options,
    run_option,
)
from shrec_viewer.cli.scores.groups import group_option, group_text, requested_groups
from shrec_viewer.cli.terminal import print_message, write_result
from shrec_viewer.evaluation.choices import RESAMPLES, ROPE, SEED, Resample
from shrec_viewer.report.tables.text import csv_table

if TYPE_CHECKING:
    from shrec_viewer.content.data import ContentData
    from shrec_viewer.evaluation.comparison.certainty import Certainty

EXAMPLES = """\b
Examples:
  shrec-viewer certainty shrec06 --profile shrec2006 --measure ADR --format json
  shrec-viewer certainty demo --run A1 --run B1 --rope 0.02 --difference 0.05 --output order.tex"""


@dataclass(frozen=True, kw_only=True, eq=False)
class CertaintyOptions(BenchmarkRequest):
    """Arguments and options of `certainty`."""

    run: tuple[str, ...]
    measure: str | None
    resample: Resample
    resamples: int
    seed: int
    rope: float
    difference: float | None
    group: tuple[str, ...]


@benchmark_command("certainty", CertaintyOptions, epilog=EXAMPLES)
@run_option("Only this run is in the family that is ordered; repeatable. Default: all but virtual runs.")
@measure_option("Order the runs by this measure; default: main measure of the profile.")
@click.option(
    "--resample", type=Choice(get_args(Resample)), default="auto",
    help="Unit that is drawn; auto: classes if each has several.",
)  # fmt: skip
@click.option(
    "--resamples", type=click.IntRange(100, 1_000_000), default=RESAMPLES, show_default=True, metavar="N",
    help="Number of resamples.",
)  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=SEED, show_default=True, metavar="N", help="Random seed.")
@click.option(
    "--rope", type=click.FloatRange(0), default=ROPE, show_default=True, metavar="X",
    help="Difference up to which two runs are practically equivalent.",
)  # fmt: skip
@click.option(
    "--difference", type=click.FloatRange(0, min_open=True), metavar="X",
    help="Difference that the queries needed find; default: that of each pair.",
)  # fmt: skip
@group_option
@output_options
def certainty_command(request: CertaintyOptions) -> int:
    """Say how sure the order of the runs of BENCHMARK is, if other queries of the same kind had been drawn.

    Queries, or whole classes, are drawn with replacement, the same ones for all runs. best and worst are the places of
    a run in 95 % of the resamples, first its share of first places, which is no probability to be the best method: it
    is too large in a close field. The sure bounds hold for all runs at once (randomised Tukey HSD of all pairs, 5 %).

    Pairs have the difference and interval of `compare`, the share of resamples in which the first run is better, effect
    size, wins, ties and losses. They are equivalent if the 90 % interval is within --rope. Queries needed are those of
    a paired t-test with power 0.8, if difference and spread are as observed; above ten times the queries at hand, two
    runs cannot be told apart. What the order depends on beside queries: `table BENCHMARK order`.
    """
    from shrec_viewer.content.data import ContentData
    from shrec_viewer.content.diagnosis.certainty import CertaintyRequest, examined_order

    with benchmark_to_score(request, request.run) as (opened, profile):
        require_runs_to_evaluate(opened)
        scores = compute_scores(request, opened, profile, (), [request.measure] if request.measure else None)
        groups = requested_groups(scores, request.group, request.measure)
        data = ContentData(opened, profile, scores)
        wanted = CertaintyRequest(
            runs=request.run, measure=request.measure or "", groups=request.group, resample=request.resample,
            resamples=request.resamples, seed=request.seed, rope=request.rope, difference=request.difference,
        )  # fmt: skip
        write_result(_text(examined_order(data, wanted), data, request.result_format), request.output)
        for group in groups:
            print_message(group_text(group, scores, request.measure))
        print_conventions(scores)
    return int(opened.has_errors)


def _text(found: "Certainty", data: "ContentData", form: str) -> str:
    """The runs and the pairs, in one of the formats."""
    from shrec_viewer.content.diagnosis.certainty import table_of_pairs, table_of_places
    from shrec_viewer.evaluation.comparison.certainty import certainty_document
    from shrec_viewer.evaluation.score_tables import to_json
    from shrec_viewer.report.tables.formats import TABLE_FORMATS

    if form == "json":
        return to_json(certainty_document(found))
    if form == "csv":
        return _csv(found)
    tables = [table_of_places(data, found), *([table_of_pairs(data, found)] if found.pairs else [])]
    return "\n".join(TABLE_FORMATS[form].write(table) for table in tables)


def _csv(found: "Certainty") -> str:
    """A row for each figure of the document: run or pair, its name, and the number in full precision."""
    from shrec_viewer.evaluation.comparison.certainty import certainty_document

    document, rows = certainty_document(found), list[tuple[str, str, str, str | float | None]]()
    for one in (*document["runs"], *document["pairs"]):
        names = one.pop("name", None) or one.pop("a"), one.pop("b", "")
        for key, value in one.items():
            ends = zip((f"{key} low", f"{key} high"), value, strict=True) if isinstance(value, list) else [(key, value)]
            rows += [(*names, name, str(cell).lower() if isinstance(cell, bool) else cell) for name, cell in ends]
    return csv_table(("a", "b", "figure", "value"), rows)
