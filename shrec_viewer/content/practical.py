"""Practical evaluation: bounds and estimates of the runs where judgements are incomplete."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from shrec_viewer.charts.intervals import IntervalRow, Intervals
from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.data import ContentData, run_numbers, styles_of_runs
from shrec_viewer.content.request import TableRequest, option, runs_option
from shrec_viewer.domain import ShrecViewerError
from shrec_viewer.evaluation.choices import JUDGED_SCOPE, SAMPLE_SIZE
from shrec_viewer.evaluation.practical import (
    PartlyKnownValue,
    PracticalResult,
    PracticalRun,
    practical,
    practical_order,
    practical_rows,
)
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.number_format import format_interval, format_value
from shrec_viewer.render.scene.palette import RunStyle

#: Labels of the scale of `practical_figure`, by attribute of `PracticalRun`; see `practical_label`.
PRACTICAL_LABELS = {
    "recall": "recall, first {scope} ranks",
    "generality": "generality, share of relevant pairs",
    "class_size": "class size, mean number of relevant models",
}


@dataclass(frozen=True)
class PracticalRequest(TableRequest):
    """The estimated value, and what counts as judged."""

    kind: ClassVar[str] = "practical"

    runs: tuple[str, ...] = runs_option()
    value: str = option(
        "recall",
        "Show",
        {"recall": "Recall", "generality": "Generality", "class_size": "Class size"},
        help="What is estimated.",
        of=("figure",),
    )
    rows: str = option(
        "runs", "Rows", {"runs": "Runs", "queries": "Queries"}, metavar="ROWS",
        help="Rows: `runs`, or the `queries` of --highlight.",
    )  # fmt: skip
    highlight: str = option(
        "", metavar="NAME", follows="highlight", help="Run whose queries are rows; default: the first one."
    )
    judged: int = option(
        JUDGED_SCOPE, "Scope", low=1, metavar="N", table_name="scope", help="Ranks judged.",
        tip="Number of first ranks of each list that were judged, at most",
    )  # fmt: skip
    sample: int = option(
        SAMPLE_SIZE, "Random sample", low=0, step=100, metavar="N", help="Random pairs judged.",
        tip="Number of random pairs of a query and a model that were judged, at most",
    )  # fmt: skip

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`."""
        return ("highlight",) if self.rows == "runs" else ()

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request`; the number of judged ranks was the scope."""
        return {"judged" if name == "scope" else name: value for name, value in state.items()}


def practical_label(found: PracticalResult, value: str) -> str:
    """Label of the scale: of estimates, or without a sample of bounds."""
    kind = "Estimated" if found.sampled else "Bounds of"
    return f"{kind} {PRACTICAL_LABELS[value].format(scope=found.scope)}"


def practical_chart(data: ContentData, request: PracticalRequest) -> Intervals:
    """Estimates of the runs with their confidence intervals, else bounds; best recall first."""
    if data.benchmark.assessment is None:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no relevance assessment: no model was judged")
    if request.value not in PRACTICAL_LABELS:
        raise ShrecViewerError(f"'{request.value}' is none of {', '.join(PRACTICAL_LABELS)}")
    found = _estimates(data, request)
    styles = styles_of_runs(data)
    is_given = request.runs or request.rows == "queries"
    order = range(len(found.runs)) if is_given else practical_order(found)
    rows = tuple(_row(found.runs[row], request.value, found.is_complete, styles[found.runs[row].name]) for row in order)
    return Intervals(
        f"{data.benchmark.name} practical {request.value}{_of_queries(found)}",
        practical_label(found, request.value),
        rows,
        _captions(found),
        _details(found),
        not found.is_complete,
    )


def _of_queries(found: PracticalResult) -> str:
    """End of a title: whose queries the rows are; "" for runs."""
    return f", queries of {found.runs[0].name}" if found.runs and found.runs[0].query else ""


def _estimates(data: ContentData, request: PracticalRequest) -> PracticalResult:
    by_query = request.rows == "queries"
    wanted = (request.highlight,) if by_query and request.highlight else request.runs
    names = tuple(data.benchmark.runs[run].name for run in run_numbers(data, wanted))
    return data.result(
        practical,
        data.benchmark,
        data.profile,
        runs=names[:1] if by_query else names,
        by_query=by_query,
        scope=request.judged,
        sample_size=request.sample,
        cancelled=data.cancelled,
        progress=data.progress,
    )


WITH_ESTIMATES = (
    "Dot and line: estimate with exact {confidence:.0f} % confidence interval, if the sample was drawn at random from "
    "all pairs. Bounds: whatever the relevance of the other models is.",
    "Dot and line: estimate with exact {confidence:.0f} % confidence interval",
    "Estimate, exact {confidence:.0f} % interval",
    "",
)
#: What the chart shows, the longest form first.
WITHOUT_ESTIMATES = (
    "Line: bounds, whatever the relevance of the models outside the judged ranks is. Estimates require a random "
    "sample.",
    "Line: bounds. Estimates require a random sample.",
    "Line: bounds",
    "",
)


def _captions(found: PracticalResult) -> tuple[str, ...]:
    forms = WITH_ESTIMATES if found.sampled else WITHOUT_ESTIMATES
    return tuple(text.format(confidence=100 * found.confidence) for text in forms)


def _details(found: PracticalResult) -> tuple[str, ...]:
    """What was judged: ``"Judged: up to 32 ranks of each list, 200 pairs"``."""
    ranks, pairs = count_of(found.scope, "rank"), count_of(found.sampled, "pair")
    if found.is_complete:
        text = f"Used of the complete assessment: {ranks} of each list, {pairs}"
    else:
        text = f"Judged: up to {ranks} of each list, {pairs}"
        text += "" if found.sampled else ": no estimates"
    return text, f"{ranks}, {pairs}", ""


def _row(run: PracticalRun, key: str, is_complete: bool, style: RunStyle) -> IntervalRow:
    """A run with its estimate, or bounds where there is none; `key` is one of `PRACTICAL_LABELS`."""
    value: PartlyKnownValue = getattr(run, key)
    has_estimate = math.isfinite(value.estimate)
    shown = value.interval if has_estimate else value.bounds
    bounds = f"bounds {format_interval(value.bounds.low, value.bounds.high)}"
    note = f"actual {format_value(value.actual)}, {bounds}" if is_complete else bounds
    interval = f", confidence interval {format_interval(shown.low, shown.high)}" if has_estimate else ""
    name = run.query or run.name
    lines = (
        name,
        f"Estimate {format_value(value.estimate)}{interval}; {note}",
        f"Precision {format_value(run.precision)}: {run.found:,} of {run.judged:,} judged ranks are relevant, one in "
        f"{format_value(run.ranks_per_relevant)}",
        f"Random pairs outside the scope: {run.sampled:,}, of which {run.sampled_relevant:,} are relevant",
    )
    return IntervalRow(name, *style, value.estimate, shown.low, shown.high, "", note, "\n".join(lines))


def practical_table(data: ContentData, request: PracticalRequest) -> Table:
    """Bounds and estimates of recall, generality and class size without complete ground truth."""
    if data.benchmark.assessment is None or not data.benchmark.runs:
        raise ShrecViewerError(f"'{data.benchmark.name}' has no runs with relevance assessments")
    found = _estimates(data, request)
    rows = practical_rows(found)
    is_number = [any(isinstance(row[column], int | float) for row in rows.rows) for column in range(len(rows.header))]
    return Table(
        "practical",
        f"{data.benchmark.name}: bounds, estimates and 95 % confidence intervals, scope {found.scope}"
        f"{_of_queries(found)}; "
        f"profile {data.profile.title}",
        tuple(TableColumn(name, is_number=number) for name, number in zip(rows.header, is_number, strict=True)),
        rows.rows,
    )
