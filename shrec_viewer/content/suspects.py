"""Doubtful entries of the assessment."""

from dataclasses import dataclass
from typing import ClassVar

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.content.data import ContentData
from shrec_viewer.content.request import TableRequest, measure_option, option, runs_option
from shrec_viewer.diagnosis.suspects import SuspectQueue, SuspectUnit, find_suspects, suspect_records
from shrec_viewer.evaluation.edits import with_edits

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
    blind: bool = option(False, "Blind", of=("panel",), tip="Hide levels, evidence and participants during the review")


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
