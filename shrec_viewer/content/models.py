"""One model or run: the ranks of a model in all runs, and the versions of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import ContentData, class_name, query_numbers
from shrec_viewer.content.request import Request, TableRequest, measure_option, option, queries_option, runs_option
from shrec_viewer.domain import Finding, ShrecViewerError
from shrec_viewer.evaluation.model_ranks import ModelRanks, model_ranks
from shrec_viewer.evaluation.run_versions import (
    EnteredModels,
    entered_models,
    iso_time,
    version_means,
    version_run,
    version_title,
)
from shrec_viewer.formats.runs.version_store import StoredVersion
from shrec_viewer.metrics import find_measure
from shrec_viewer.number_format import SHARE_DECIMALS, UNDEFINED

#: Values of `ModelRequest.by`: queries to which a model is relevant, or for which it is a false positive.
RELEVANT, FALSE_POSITIVE = "relevant", "false"


@dataclass(frozen=True)
class ModelRequest(TableRequest):
    """The model, and which queries are rows."""

    kind: ClassVar[str] = "model"

    models: tuple[str, ...] = option(
        (), name="model", metavar="ID", help="The model whose ranks are listed.", follows="model"
    )
    runs: tuple[str, ...] = runs_option()
    queries: tuple[str, ...] = queries_option()
    by: str = option(
        RELEVANT,
        "Queries",
        {RELEVANT: "Relevant to", FALSE_POSITIVE: "False positive"},
        metavar="WHAT",
        help="Queries to which the model is `relevant`, or for which it is a `false` positive.",
    )

    @property
    def fixed_options(self) -> tuple[str, ...]:
        """See `Request`."""
        return ("by",)

    @classmethod
    def current_state(cls, state: Mapping[str, Any]) -> Mapping[str, Any]:
        """See `Request.current_state`; the queries were ``of``."""
        return {"by" if name == "of" else name: value for name, value in state.items()}


def ranks_of_model(data: ContentData, request: ModelRequest) -> ModelRanks:
    """Ranks of the requested model in all runs; computed once for the panel and its table."""
    benchmark = data.benchmark
    if len(request.models) != 1:
        raise ShrecViewerError("this table shows one model: choose a model")
    name = request.models[0]
    if name not in benchmark.collection.index:
        raise ShrecViewerError(f"there is no model '{name}'")
    model = benchmark.collection.index[name]
    return data.result(model_ranks, benchmark, data.profile, model, cancelled=data.cancelled)


def model_table(data: ContentData, request: ModelRequest) -> Table:
    """Rank of a model in every run, one row per query to which it is relevant, or for which it is a false positive."""
    found, benchmark = ranks_of_model(data, request), data.benchmark
    if not benchmark.runs:
        raise ShrecViewerError(f"'{benchmark.name}' has no runs")
    is_false = request.by == FALSE_POSITIVE
    queries = (found.false_positive_queries if is_false else found.relevant_queries).tolist()
    if request.queries:
        queries = query_numbers(data, request.queries)
    names = [run.name for run in benchmark.runs]
    if unknown := set(request.runs) - set(names):
        raise ShrecViewerError(f"there is no run '{sorted(unknown)[0]}'")
    runs = [names.index(run) for run in request.runs or names]
    return table_of_ranks(data, found, queries, runs, request.by)


def table_of_ranks(data: ContentData, found: ModelRanks, queries: Sequence[int], runs: Sequence[int], by: str) -> Table:
    """See `model_table`; of these queries and runs."""
    benchmark = data.benchmark
    rows: list[tuple[Cell, ...]] = [
        (
            benchmark.queries.ids[query],
            class_name(benchmark, int(benchmark.queries.labels[query])),
            int(found.levels[query]),
            *(rank or None for rank in found.ranks[runs, query].tolist()),
        )
        for query in queries
    ]
    what = "for which it is a false positive" if by == FALSE_POSITIVE else "to which it is relevant"
    return Table(
        "model",
        f"{benchmark.name}: ranks of {benchmark.collection.ids[found.model]} for queries {what}; "
        f"profile {data.profile.title}",
        (
            TableColumn("query"),
            TableColumn("class"),
            TableColumn("level", is_number=True),
            *(
                TableColumn(benchmark.runs[run].name, is_number=True, shown_digits=0, undefined=UNDEFINED)
                for run in runs
            ),
        ),
        tuple(rows),
        notes=("An empty cell is a list without the model.",),
    )


@dataclass(frozen=True)
class HistoryRequest(TableRequest):
    """The run whose versions are listed."""

    kind: ClassVar[str] = "history"

    runs: tuple[str, ...] = runs_option(follows="run")
    measure: str = measure_option()


@dataclass(frozen=True)
class VersionsRequest(Request):
    """Whose versions are compared, and with what.

    Attributes
    ----------
    run : name in the store.
    measure : key.
    present : shown name of the run; "" where it was deleted, and to compare no lists.
    query : id of the query whose lists are compared.
    known : names in the store of all runs of the benchmark; None to list no deleted runs.
    revision : another number after the store was changed.
    """

    run: str
    measure: str
    present: str = ""
    query: str = ""
    known: tuple[str, ...] | None = None
    revision: int = 0


@dataclass(frozen=True, eq=False)
class ScoredHistory:
    """The versions of a run, oldest first.

    Attributes
    ----------
    versions, findings : what is kept, and what of it cannot be read.
    means : mean of each version; NaN where it cannot be computed.
    entered : models that entered and left the first ranks of the query since each version; None where the version has
        no lists for this collection.
    deleted : names of runs with versions whose files were deleted.
    """

    versions: tuple[StoredVersion, ...] = ()
    findings: tuple[Finding, ...] = ()
    means: tuple[float, ...] = ()
    entered: tuple[EnteredModels | None, ...] = ()
    deleted: tuple[str, ...] = ()

    def title(self, version: StoredVersion) -> str:
        """Name of one of the versions: run and time."""
        return version_title(version.record, [other.record for other in self.versions])


def scored_history(data: ContentData, request: VersionsRequest) -> ScoredHistory:
    """The versions of a run with their means, and the models that entered and left since each."""
    benchmark, store = data.benchmark, data.versions
    assert store is not None
    kept = store.history(request.run)
    means = version_means(store, kept.versions, benchmark, data.profile, request.measure, cancelled=data.cancelled)
    query = benchmark.queries.index.get(request.query)
    present = next((run for run in benchmark.runs if run.name == request.present), None)
    entered: list[EnteredModels | None] = []
    for version in kept.versions:
        compares = present is not None and query is not None
        former = version_run(store.load(version), benchmark, request.run) if compares else None
        if former is None or present is None or query is None:
            entered.append(None)
        else:
            entered.append(entered_models(benchmark, former, present, query, data.profile))
    deleted = () if request.known is None else sorted(name for name in store.runs() if name not in request.known)
    return ScoredHistory(kept.versions, kept.findings, means, tuple(entered), tuple(deleted))


def table_of_versions(found: ScoredHistory, measure: str, title: str = "") -> Table:
    """Versions of a run, newest first, with the means of a measure and their changes."""
    rows: list[tuple[Cell, ...]] = []
    for index, (version, mean) in enumerate(zip(found.versions, found.means, strict=True)):
        change = mean - found.means[index - 1] if index else None
        baseline = "baseline" if version.baseline else ""
        rows.append((iso_time(version.record.time), mean, change, baseline, version.note, version.record.hash))
    return Table(
        "history",
        title,
        (
            TableColumn("time"),
            TableColumn(measure, is_number=True),
            TableColumn("change", is_number=True, is_difference=True, shown_digits=SHARE_DECIMALS),
            TableColumn("baseline"),
            TableColumn("note"),
            TableColumn("hash"),
        ),
        tuple(reversed(rows)),
    )


def history_table(data: ContentData, request: HistoryRequest) -> Table:
    """Versions of a run with their means, newest first."""
    benchmark = data.benchmark
    run = request.runs[0] if request.runs else next((run.name for run in benchmark.runs), "")
    if data.versions is None or not run:
        raise ShrecViewerError(f"no versions of the runs of '{benchmark.name}' are kept")
    measure = find_measure(request.measure or data.profile.headline).key
    found = scored_history(data, VersionsRequest(run, measure))
    return table_of_versions(found, measure, f"{benchmark.name}: versions of {run}; profile {data.profile.title}")
