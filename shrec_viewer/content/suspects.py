"""Doubtful entries of the assessment."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import Request, TableRequest, measure_option, option, runs_option
from shrec_viewer.diagnosis.suspects import (
    Suspect,
    SuspectQueue,
    SuspectUnit,
    find_suspects,
    means_by_decision,
    suspect_records,
)
from shrec_viewer.evaluation.edits import with_edits
from shrec_viewer.evaluation.model_ranks import model_ranks
from shrec_viewer.evaluation.query_subset import query_subset

#: Suspects that are listed: the work of an hour or two.
SUSPECT_LIMIT = 100


@dataclass(frozen=True)
class SuspectsRequest(TableRequest):
    """What is doubted, and how many are listed."""

    kind: ClassVar[str] = "suspects"

    runs: tuple[str, ...] = runs_option()
    measure: str = measure_option()
    by: str = option(
        "",
        metavar="WHAT",
        help="Unit that is doubted: `pair` of query and model, or label of a `model`.",
        choices=("pair", "model"),
    )
    limit: int = option(SUSPECT_LIMIT, low=1, high=10_000, metavar="N", help="Number of rows.")
    random: bool = option(
        False, "Random order", of=("panel",), tip="Review in a random order, which is the same every time"
    )
    blind: bool = option(
        False, "Blind", of=("panel",), tip="Hide levels, suggestion, reason and ranks during the review"
    )


def suspects(data: ContentData, request: SuspectsRequest, *, jobs: int = 1) -> SuspectQueue:
    """Doubtful entries of the assessment without its edits, the strongest evidence first."""
    by: SuspectUnit | None = "pair" if request.by == "pair" else "model" if request.by == "model" else None
    return find_suspects(
        with_edits(data.benchmark, ()),
        data.profile,
        by=by,
        limit=request.limit,
        measure=request.measure or None,
        runs=request.runs or None,
        jobs=jobs,
        cancelled=data.cancelled,
        progress=data.progress,
    )


def suspects_table(data: ContentData, request: SuspectsRequest) -> Table:
    """The suspects as a table."""
    return table_of_suspects(data, suspects(data, request))


def table_of_suspects(data: ContentData, found: SuspectQueue) -> Table:
    """See `suspects_table`."""
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


@dataclass(frozen=True)
class DecisionsRequest(Request):
    """What each decision about one suspect would change.

    Attributes
    ----------
    suspect, unit : the suspect.
    measure : key of the measure of the means.
    decisions : see `means_by_decision`.
    """

    kind: ClassVar[str] = "decisions"

    suspect: Suspect
    unit: SuspectUnit
    measure: str
    decisions: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Decisions:
    """Consequences of decisions about a suspect, and its ranks.

    Attributes
    ----------
    runs : (R,) names.
    before : (R,) float64, means under the present assessment.
    after : by decision, (R,) float64.
    ranks : (R,) int32 of the model for the query of a pair, 0 where the list does not contain it; (0,) for a label.
    class_size : number of relevant models of the query.
    """

    runs: tuple[str, ...]
    before: NDArray[np.float64]
    after: dict[int, NDArray[np.float64]]
    ranks: NDArray[np.int32]
    class_size: int


def decisions(data: ContentData, request: DecisionsRequest) -> Decisions:
    """See `Decisions`."""
    scores, suspect = data.scores, request.suspect
    assert scores is not None
    ranks, size = np.zeros(0, np.int32), 0
    if request.unit == "pair":
        part = query_subset(data.benchmark, np.array([suspect.query]))
        found = model_ranks(part, data.profile, suspect.model, cancelled=data.cancelled)
        ranks, size = found.ranks[:, 0], int(found.sizes[0])
    after = means_by_decision(scores, request.measure, suspect, request.unit, request.decisions)
    return Decisions(scores.runs, scores.mean()[:, scores.column(request.measure)], after, ranks, size)
