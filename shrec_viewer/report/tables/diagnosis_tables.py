"""Tables about the assessment and the conventions: edits, suspects, and what conventions change."""

from collections.abc import Callable

import numpy as np

from shrec_viewer.diagnosis.robustness import Robustness, examine_robustness
from shrec_viewer.diagnosis.suspects import SuspectUnit, find_suspects, suspect_records
from shrec_viewer.domain import EditedAssessment, ShrecError
from shrec_viewer.evaluation.consequences import EditConsequences, edit_consequences
from shrec_viewer.evaluation.edits import AssessmentEdit, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.metrics import find_measure
from shrec_viewer.report.tables.request import TableData, TableRequest, requested_measure
from shrec_viewer.report.tables.table import Cell, Table, TableColumn

Cancellation = Callable[[], bool]


def edits_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Edits of the assessment, the latest first."""
    return table_of_edits(data.benchmark.name, tuple(reversed(data.edits)))


def table_of_edits(name: str, edits: tuple[AssessmentEdit, ...]) -> Table:
    """Edits of the benchmark with this name in this order."""
    return Table(
        "edits",
        f"{name}: edits of the assessment",
        (
            TableColumn("query"),
            TableColumn("model"),
            TableColumn("old", is_number=True),
            TableColumn("new", is_number=True),
            TableColumn("author"),
            TableColumn("time"),
            TableColumn("reason"),
        ),
        tuple(
            (
                *(edit.query, edit.model, edit.former, edit.level),
                *(text or None for text in (edit.author, edit.time, edit.reason)),
            )
            for edit in edits
        ),
    )


def edited_means_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Means and ranks of the runs before and after the edits of the assessment, by the rank after them."""
    scores = data.evaluated
    if not isinstance(data.benchmark.assessment, EditedAssessment):
        raise ShrecError(f"the assessment of '{data.benchmark.name}' has no edits")
    measure = scores.measures[requested_measure(scores, request)].key
    former = evaluate(
        with_edits(data.benchmark, ()), scores.profile, runs=scores.runs, measures=[measure], cancelled=cancelled
    )
    found = edit_consequences(former, scores, measure, cancelled=cancelled)
    return table_of_consequences(data, found)


def table_of_consequences(data: TableData, found: EditConsequences) -> Table:
    """What edits change, by the rank after them."""
    order = np.argsort(found.ranks_after, kind="stable").tolist()
    rows: list[tuple[Cell, ...]] = [
        (
            found.runs[run],
            float(found.before[run]),
            float(found.after[run]),
            float(found.after[run] - found.before[run]),
            int(found.ranks_before[run]),
            int(found.ranks_after[run]),
        )
        for run in order
    ]
    names = ("before", "after", "change", "rank before", "rank after")
    return Table(
        "edited_means",
        f"{data.benchmark.name}: {found.measure.key} before and after {count_of(len(data.edits), 'edit')}; "
        f"profile {data.profile.title}",
        (TableColumn("run"), *(TableColumn(name, is_number=True) for name in names)),
        tuple(rows),
        notes=tuple(f"{text}." for text in found.conclusions),
    )


def suspects_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Doubtful entries of the assessment without its edits, the strongest evidence first."""
    by: SuspectUnit | None = "pair" if request.by == "pair" else "model" if request.by == "model" else None
    original = with_edits(data.benchmark, ())
    found = find_suspects(
        original,
        data.profile,
        by=by,
        limit=request.limit,
        measure=request.measures[0] if request.measures else None,
        runs=request.runs or None,
        cancelled=cancelled,
    )
    leading = ("model", "class", "suggested") if found.by == "model" else ("query", "model", "level", "suggested")
    names = (*leading, "evidence", "effect", "reason")
    records = [record | {"reason": record["sentence"]} for record in suspect_records(found)]
    rows = tuple((number, *(record[name] for name in names)) for number, record in enumerate(records, 1))
    numbers = ("evidence", "effect", "level", *(("suggested",) if found.by == "pair" else ()))
    return Table(
        "suspects",
        f"{data.benchmark.name}: doubtful {'labels' if found.by == 'model' else 'relevance levels'}; effect: pairs of "
        f"runs that change order by {found.measure}; profile {data.profile.title}",
        (TableColumn("no.", is_number=True), *(TableColumn(name, is_number=name in numbers) for name in names)),
        rows,
    )


def robustness_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Rank of each run, with its best and worst rank over all changes of the conventions."""
    found = _examined(data, request, cancelled)
    order = np.argsort(found.ranks, kind="stable").tolist()
    sign = -1.0 if found.measure.better == "lower" else 1.0
    rows: list[tuple[Cell, ...]] = [
        (
            found.runs[run],
            int(found.ranks[run]),
            int(found.intervals[run, 0]),
            int(found.intervals[run, 1]),
            sign * float(found.values[run]),
        )
        for run in order
    ]
    return Table(
        "robustness",
        f"{data.benchmark.name}: ranks by {found.measure.key} under {len(found.variants)} changes of the conventions; "
        f"profile {data.profile.title}",
        (
            TableColumn("run"),
            *(TableColumn(name, is_number=True) for name in ("rank", "best", "worst")),
            TableColumn(found.measure.key, is_number=True),
        ),
        tuple(rows),
    )


def conventions_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Changes of the conventions with the number of pairs of runs that they reverse, the largest number first."""
    found = _examined(data, request, cancelled)
    counts = {variant.key: len(found.changes_of(variant.key)) for variant in found.variants}
    shown = sorted(found.variants, key=lambda variant: -counts[variant.key])
    return Table(
        "conventions",
        f"{data.benchmark.name}: changes of the conventions, {found.measure.key}; profile {data.profile.title}",
        (
            TableColumn("change"),
            TableColumn("key"),
            *(TableColumn(name, is_number=True) for name in ("pairs reversed", "tau", "tau AP")),
        ),
        tuple((variant.label, variant.key, counts[variant.key], variant.tau, variant.tau_ap) for variant in shown),
    )


def unsettled_table(data: TableData, request: TableRequest, cancelled: Cancellation) -> Table:
    """Pairs of runs whose order a change of the conventions reverses, those that change most often first."""
    found = _examined(data, request, cancelled)
    if request.by and request.by not in [variant.key for variant in found.variants]:
        raise ShrecError(f"there is no change '{request.by}'; the table 'conventions' lists them")
    pairs = [pair for pair in found.pairs if not pair.settled and (not request.by or request.by in pair.changed_by)]
    by = f" by {request.by}" if request.by else ""
    return Table(
        "unsettled",
        f"{data.benchmark.name}: pairs of runs reversed{by}, {found.measure.key}; profile {data.profile.title}",
        (TableColumn("better"), TableColumn("worse"), TableColumn("reversed by")),
        tuple((pair.a, pair.b, ", ".join(pair.changed_by)) for pair in reversed(pairs)),
    )


def _examined(data: TableData, request: TableRequest, cancelled: Cancellation) -> Robustness:
    key, known = find_measure(request.measures[0] if request.measures else data.profile.headline).key, data.robustness
    if known is not None and (known.benchmark, known.profile, known.measure.key) == (data.benchmark, data.profile, key):
        return known
    return examine_robustness(data.benchmark, data.profile, key, cancelled=cancelled)
