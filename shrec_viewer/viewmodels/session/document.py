"""The document of a session: what is open, how it was changed, what is selected, and what is derived from that."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from operator import attrgetter, is_
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Collection, EditedAssessment, Queries, Run
from shrec_viewer.evaluation.comparison.assessments import NamedAssessment
from shrec_viewer.evaluation.edits import with_edits
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.submission import LoadedRun, RunOrigin, with_run_changes
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.manifest import PROJECT_SUFFIX
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.formats.manifest.run_changes import AddedRun, VirtualRun
from shrec_viewer.formats.manifest.slices import with_slices
from shrec_viewer.metrics import PROFILES, Profile, extra_measure_keys
from shrec_viewer.viewmodels.session.scoring import ComputedRun, Means, are_same_scores, best_run, is_before_edits
from shrec_viewer.viewmodels.session.selection import (
    NOTHING,
    Selection,
    carry_selection,
    first_query,
    initial_selection,
    restricted_to,
    with_changes,
)

#: `Document.benchmark` while none is open: without models, queries and runs.
NO_BENCHMARK = Benchmark(
    "", Path(), Collection((), ()), Queries((), (), (), np.zeros(0, np.int32), np.zeros(0, np.int32))
)


#: Pairs of query and model, of all runs, up to which a benchmark is scored before it is shown; takes about 0.5 s.
MAX_PAIRS_SCORED_FIRST = 5_000_000

#: Fields of a document without results for its list of runs.
NO_RESULTS: Mapping[str, Any] = {"scores": None, "means": {}, "unedited_scores": None, "ranked_list": None}


@dataclass(frozen=True)
class OpenRequest:
    """A benchmark to open.

    Attributes
    ----------
    path, parts : see `read_benchmark`.
    profile : profile, or its key, to use instead of that of the benchmark.
    requested_at : when reading was requested, as `time.time`.
    automatic : a live reload: the open benchmark is kept if parts of it would be lost.
    reason : why it is reloaded, shown in the message after a live reload.
    new_runs : new files and folders that look like runs.
    default_profile : key of the profile to use if neither `profile` nor the benchmark names one.
    """

    path: Path
    parts: BenchmarkParts
    profile: str | Profile | None
    requested_at: float
    automatic: bool = False
    reason: str = ""
    new_runs: tuple[Path, ...] = ()
    default_profile: str | None = None


@dataclass(frozen=True, eq=False)
class Document:
    """What is open, how it was changed, and what is selected; everything that is shown follows from it.

    A change is a new document: `Session.apply` replaces it, and signals what differs. `benchmark` and `origins` are
    derived by `derived`; results of background tasks arrive later. Values that did not change are the same objects in
    both documents, so that comparing them takes no time.

    Attributes
    ----------
    request : how it was opened or reloaded, another object each time; None while nothing is open.
    as_read : the benchmark as read, with the runs that were reloaded since.
    edited : all undoable edits.
    loaded, computed : added and virtual runs that were read or computed, also those that were removed since.
    extra_runs : runs that are shown after those of the benchmark: former versions.
    read_options : options with which runs are read again, by the origin of the run.
    assessment : the assessment used instead of that of `as_read` with its edits; None for that one.
    profile : the conventions.
    is_profile_chosen : whether the profile was given when the benchmark was opened.
    added_measures : keys of the measures that the user added; they are computed under every profile, as the first ones.
    project_measures : those of `added_measures` that are of the project and not of the settings.
    selection : what the views show.
    pending_runs : names of runs that are selected once they are read or computed, by field of `Selection`: ``"run"``,
        ``"compared"``.
    new_runs : names of the runs that the last reload added.
    unreadable_runs : files and folders of runs that could not be read, with the reason.
    scores : scores of all runs; None while they are computed, and without a relevance assessment.
    means : of `scores`.
    previous_scores : scores for another list of runs; hits of the same runs are used again.
    replaced_scores : those that `scores` replaced by the last edit, convention or file, for the same runs; None where
        nothing changed, and after `Session.dismiss_changes`.
    unedited_scores : scores before the edits of the assessment; None without edits, and until they are computed.
    ranked_list : list of the selected run for the selected query; the previous one until it is computed.
    listed : run and query of `ranked_list`.
    benchmark : the benchmark shown: with the changes of its runs and of its assessment.
    origins : where each run of `benchmark` is from; the same object while the list of runs is the same.
    sources : values that `benchmark` was derived from.
    """

    request: OpenRequest | None = None
    as_read: Benchmark = NO_BENCHMARK
    edited: EditState = field(default_factory=EditState)
    loaded: Mapping[AddedRun, LoadedRun] = field(default_factory=dict)
    computed: Mapping[VirtualRun, ComputedRun] = field(default_factory=dict)
    extra_runs: tuple[Run, ...] = ()
    read_options: Mapping[RunOrigin, ReadOptions] = field(default_factory=dict)
    assessment: NamedAssessment | None = None
    profile: Profile = PROFILES[0]
    is_profile_chosen: bool = False
    added_measures: tuple[str, ...] = ()
    project_measures: tuple[str, ...] = ()
    selection: Selection = field(default_factory=Selection)
    pending_runs: Mapping[str, str] = field(default_factory=dict)
    new_runs: frozenset[str] = frozenset()
    unreadable_runs: Mapping[Path, str] = field(default_factory=dict)
    scores: Scores | None = None
    means: Means = field(default_factory=dict)
    previous_scores: Scores | None = None
    replaced_scores: Scores | None = None
    unedited_scores: Scores | None = None
    ranked_list: RankedList | None = None
    listed: tuple[int, int] = (NOTHING, NOTHING)
    benchmark: Benchmark = NO_BENCHMARK
    origins: tuple[RunOrigin, ...] = ()
    sources: tuple[object, ...] = ()

    def differs(self, old: "Document", *names: str) -> bool:
        """Whether one of the named differences (keys of `DIFFERENCES`) is between `old` and this document."""
        return any(value(self) is not value(old) for name in names for value in DIFFERENCES[name])

    @property
    def is_open(self) -> bool:
        """Whether a benchmark is open."""
        return self.request is not None

    @property
    def path(self) -> Path | None:
        """Folder or file that was opened."""
        return None if self.request is None else self.request.path

    @property
    def parts(self) -> BenchmarkParts:
        """Parts of the benchmark that were given separately from its path."""
        return BenchmarkParts() if self.request is None else self.request.parts

    @property
    def manifest(self) -> Path | None:
        """The manifest that the benchmark was read from, or None; for a project, that of its benchmark."""
        return next((path for path in self.benchmark.sources if path.suffix.lower() in (".toml", ".shrec")), None)

    @property
    def run(self) -> Run | None:
        """The selected run."""
        return None if self.selection.run == NOTHING else self.benchmark.runs[self.selection.run]

    @property
    def has_list(self) -> bool:
        """Whether a run and a query are selected, whose list is `ranked_list` once it is computed."""
        return NOTHING not in (self.selection.run, self.selection.query)

    @property
    def model(self) -> int | None:
        """Index of the model at the selected rank, else of the selected one; None for none, and for an unknown id."""
        ranked, rank = self.ranked_list, self.selection.rank
        if rank is None or not self.has_list:
            return self.selection.model
        if ranked is None or rank > len(ranked) or ranked.items[rank - 1] < 0:
            return None
        return int(ranked.items[rank - 1])

    @property
    def measures(self) -> tuple[str, ...]:
        """Keys of all measures that are computed under the current profile."""
        if self.scores is not None:
            return tuple(measure.key for measure in self.scores.measures)
        return tuple(dict.fromkeys((*self.added_measures, *self.profile.measures, *extra_measure_keys())))

    @property
    def measure(self) -> str:
        """Key of the measure shown: the selected one where it is computed, else the profile's headline measure."""
        keys, headline = self.measures, self.profile.headline
        return next((key for key in (self.selection.measure, headline, *keys) if key in keys), headline)

    def mean(self, over: str) -> NDArray[np.float64]:
        """(R, M) float64, means of `scores` over ``"queries"`` or ``"classes"``; (0, 0) without scores."""
        return self.means.get(over, np.zeros((0, 0)))

    @cached_property
    def keys(self) -> tuple[RunOrigin | tuple[str, str], ...]:
        """A value for each run by which it is found again after others were added, removed or renamed."""
        runs = zip(self.benchmark.runs, self.origins, strict=True)
        return tuple(("extra", run.name) if origin is None else origin for run, origin in runs)

    @property
    def submitted(self) -> Benchmark:
        """The benchmark with the runs that virtual runs are computed from: no virtual ones, no former versions."""
        runs = zip(self.benchmark.runs, self.origins, strict=True)
        sources = (run for run, origin in runs if origin is not None and not isinstance(origin, VirtualRun))
        return replace(self.benchmark, runs=tuple(sources))

    @property
    def is_scorable(self) -> bool:
        """Whether there are runs and queries, and a relevance assessment."""
        benchmark = self.benchmark
        return benchmark.assessment is not None and bool(benchmark.runs) and len(benchmark.queries) > 0

    @property
    def is_scored_first(self) -> bool:
        """Whether a benchmark is scored before it is shown: a small one, but no project, which has a selection."""
        benchmark = self.benchmark
        n_pairs = len(benchmark.runs) * len(benchmark.queries) * len(benchmark.collection)
        is_project = self.path is not None and self.path.suffix.lower() == PROJECT_SUFFIX
        return self.is_scorable and n_pairs <= MAX_PAIRS_SCORED_FIRST and not is_project

    @property
    def unscored_runs(self) -> tuple[Run, ...]:
        """The runs whose lists are shown without scores, as there is no relevance assessment."""
        return () if self.is_scorable else self.benchmark.runs

    @property
    def score_inputs(self) -> tuple[object, ...]:
        """What `scores` depend on: the assessment, the runs, the conventions and the added measures."""
        return self.benchmark.assessment, self.benchmark.runs, self.profile, self.added_measures

    @property
    def missing_runs(self) -> tuple[AddedRun, ...]:
        """The added runs that are not read yet."""
        added = self.edited.runs.added
        return tuple(run for run in added if run not in _loaded_runs(self)) if added else ()


#: Names of differences between two documents, with the fields of which one is another object.
DIFFERENCES: Mapping[str, tuple[Callable[[Any], object], ...]] = {
    name: tuple(map(attrgetter, paths))
    for name, paths in {
        "opened": ("request",),
        "benchmark": ("request", "origins"),
        "runs": ("benchmark.runs",),
        "warnings": ("benchmark.findings",),
        "findings": ("request", "benchmark.findings", "benchmark.published", "edited.levels", "profile", "scores"),
        "published": ("benchmark.published",),
        "assessment": ("benchmark.assessment", "edited.levels", "assessment"),
        "profile": ("profile",),
        "measures": ("added_measures",),
        "scores": ("scores", "unedited_scores", "unscored_runs"),
        "replaced": ("replaced_scores",),
        "list": ("ranked_list",),
        "selection": ("selection",),
        "query": ("selection.query",),
        "run": ("selection.run",),
        "compared": ("selection.compared",),
        "rank": ("selection.rank",),
        "model": ("selection.model",),
        "measure": ("selection.measure",),
        "restriction": ("selection.cause", "selection.within"),
        "slice": ("selection.slice",),
        "edits": ("edited",),
        "notes": ("edited.notes",),
        "levels": ("edited.levels",),
        "reviews": ("edited.reviewed",),
        "colours": ("edited.colours",),
    }.items()
}


def has_other_models(old: Document, new: Document) -> bool:
    """Whether the models listed are others: those of another list, or without lists in another order."""
    in_order = not new.has_list and new.differs(old, "query", "profile", "assessment")
    return in_order or new.differs(old, "list")


def changed_runs(old: Document, new: Document) -> tuple[int, ...]:
    """Indices of the runs with other results; the list of runs is the same."""
    pairs = enumerate(zip(old.benchmark.runs, new.benchmark.runs, strict=True))
    return tuple(index for index, (former, run) in pairs if former is not run)


# What follows from the runs, their changes and the edits of the assessment.


def derived(document: Document) -> Document:
    """`document` with the benchmark that follows from its other fields; itself if that is its benchmark already.

    If the list of runs becomes another one, the selection is carried over, and the results for the former list are
    dropped.
    """
    edited, old = document.edited, document.benchmark
    sources = (
        document.as_read, edited.runs, edited.levels, edited.published, edited.slices, document.loaded,
        document.computed,
        document.extra_runs, document.assessment,
    )  # fmt: skip
    if _are_same(sources, document.sources):
        return document
    shown, origins = with_run_changes(
        document.as_read, edited.runs, _loaded_runs(document), document.extra_runs, document.computed
    )
    shown = replace(shown, published=(*shown.published, *edited.published))
    shown = _with_named_slices(_with_assessment(shown, document), document)
    shown = _with_former_records(shown, origins, document)
    is_same_list = origins == document.origins and [run.name for run in shown.runs] == [run.name for run in old.runs]
    if is_same_list:
        return replace(document, benchmark=shown, sources=sources, scores=_with_slices_of(shown, document.scores))
    new = replace(
        document,
        benchmark=shown,
        origins=origins,
        sources=sources,
        previous_scores=document.scores or document.previous_scores,
        **NO_RESULTS,
    )
    carried = carry_selection(document.selection, old, shown, document.keys, new.keys)
    carried = replace(carried, shown_runs=_runs_not_in(edited.hidden, shown))
    indices = {run.name: index for index, run in enumerate(shown.runs)}
    pending = document.pending_runs
    found = {key: indices[name] for key, name in pending.items() if name in indices}
    return replace(
        new,
        selection=restricted_to(with_changes(carried, found), initial_selection(shown), shown),
        pending_runs={key: name for key, name in pending.items() if key not in found},
    )


def _are_same(one: Sequence[object], other: Sequence[object]) -> bool:
    return len(one) == len(other) and all(map(is_, one, other))


def _loaded_runs(document: Document) -> Mapping[AddedRun, LoadedRun]:
    """The added runs that were read; one that was renamed since is that of the same file."""
    loaded = document.loaded
    renamed = [run for run in document.edited.runs.added if run not in loaded]
    by_file = {(run.path, run.inside): found for run, found in loaded.items() if renamed and found.run is not None}
    return {**loaded, **{run: by_file[file] for run in renamed if (file := (run.path, run.inside)) in by_file}}


def _with_assessment(benchmark: Benchmark, document: Document) -> Benchmark:
    """The benchmark with the assessment in use, or with edits; the same object as before if they are the same."""
    if document.assessment is not None:
        return replace(benchmark, assessment=document.assessment.assessment)
    if benchmark.assessment is None:
        return benchmark
    edited, known = with_edits(benchmark, document.edited.levels.values()), document.benchmark.assessment
    new = edited.assessment
    if not isinstance(known, EditedAssessment) or not isinstance(new, EditedAssessment):
        return edited
    is_same = known.original is new.original and known.edits == new.edits
    return replace(edited, assessment=known) if is_same else edited  # scores of the same object are used again


def _with_named_slices(benchmark: Benchmark, document: Document) -> Benchmark:
    """The benchmark with the slices of the edits; with the same object as before if they are the same."""
    new, known = with_slices(benchmark, document.edited.slices), document.benchmark.slices
    is_same = list(new.slices) == list(known) and all(map(np.array_equal, new.slices.values(), known.values()))
    return replace(new, slices=known) if is_same and new is not benchmark else new


def _with_slices_of(benchmark: Benchmark, scores: Scores | None) -> Scores | None:
    """The scores with the slices of the benchmark, which nothing of them depends on."""
    if scores is None or scores.benchmark.slices is benchmark.slices:
        return scores
    return replace(scores, benchmark=replace(scores.benchmark, slices=benchmark.slices))


def _with_former_records(benchmark: Benchmark, origins: Sequence[RunOrigin], document: Document) -> Benchmark:
    """The benchmark with the objects of that of the document for what is equal, so that its scores are used again."""
    old = document.benchmark
    former = dict(zip(document.origins, old.runs, strict=True))
    runs = tuple(
        known if (known := former.get(origin)) is not None and _is_equal_run(run, known) else run
        for run, origin in zip(benchmark.runs, origins, strict=True)
    )
    lists: dict[str, Any] = {"runs": runs}
    lists |= {name: getattr(benchmark, name) for name in ("findings", "sources", "published")}
    for one in (document.as_read, old):
        lists |= {name: known for name, found in lists.items() if _are_same(known := getattr(one, name), found)}
    new = replace(benchmark, **lists)
    values = attrgetter(*(part.name for part in fields(Benchmark)))
    return next((known for known in (old, document.as_read) if _are_same(values(known), values(new))), new)


def _is_equal_run(one: Run, other: Run) -> bool:
    values = attrgetter("name", "participant", "source", "expression")
    return one.ranking is other.ranking and values(one) == values(other)


def _runs_not_in(hidden: frozenset[str], benchmark: Benchmark) -> tuple[int, ...]:
    return tuple(index for index, run in enumerate(benchmark.runs) if run.name not in hidden)


def hidden_runs(benchmark: Benchmark, selection: Selection) -> frozenset[str]:
    """Names of the runs that a selection does not show."""
    return frozenset(run.name for index, run in enumerate(benchmark.runs) if index not in selection.shown_runs)


# Changes.


def with_edited(document: Document, edited: EditState) -> Document:
    """The document with other edited values; runs are shown and hidden accordingly."""
    names, former = [field.name for field in fields(EditState)], document.edited
    pairs = {name: (getattr(former, name), getattr(edited, name)) for name in names}
    known = {name: one for name, (one, other) in pairs.items() if one is other or one == other}
    if len(known) == len(names):
        return document
    new = replace(document, edited=replace(edited, **known))  # equal values are the same objects
    if document.selection.slice in former.slices.keys() - edited.slices.keys():
        new = replace(new, selection=replace(document.selection, slice=""))
    if "hidden" in known:
        return new
    shown = _runs_not_in(edited.hidden, document.benchmark)
    return replace(new, selection=replace(new.selection, shown_runs=shown))


def with_selected(document: Document, changes: Mapping[str, Any]) -> Document:
    """The document with some fields of the selection replaced, see `selection.with_changes` and `restricted_to`."""
    old, benchmark = document.selection, document.benchmark
    allowed = changes if document.is_open else {"means": changes.get("means")}
    given = {name: value for name, value in allowed.items() if value is not None}
    selection = restricted_to(with_changes(old, given), old, benchmark)
    if (selection.run, selection.query) == document.listed:
        selection = _with_rank(selection, document.ranked_list)
    if document.has_list and selection.query != old.query and "model" not in given and selection.model is not None:
        selection = replace(selection, model=None)
    pending = {name: run for name, run in document.pending_runs.items() if name not in given}
    new = replace(document, pending_runs=pending)
    if selection == old:  # the same object, as nothing differs
        return new
    if selection.shown_runs == old.shown_runs:
        return replace(new, selection=selection)
    hidden = hidden_runs(benchmark, selection)
    return replace(new, selection=selection, edited=replace(document.edited, hidden=hidden))


def replaced_by(document: Document, scores: Scores) -> Scores | None:
    """The scores of a document that others replace; None for other runs, and for a return to those before.

    Those replaced before stay where only measures are added, or files were read again without another result.
    """
    former, before = document.scores or document.previous_scores, document.replaced_scores
    if former is None or former.runs != scores.runs or former.queries != scores.queries:
        return None
    inputs = attrgetter("profile", "benchmark.assessment", "benchmark.runs")
    are_same = list(map(is_, inputs(former), inputs(scores)))
    if all(are_same) or (all(are_same[:2]) and are_same_scores(former, scores)):
        return before
    is_return = before is not None and _are_same(inputs(before), inputs(scores))
    return None if is_return else former


def with_scores(document: Document, scores: Scores, means: Means) -> Document:
    """The document with the scores of its runs."""
    former = document.unedited_scores or document.scores
    return replace(
        document,
        scores=_with_slices_of(document.benchmark, scores),
        means=means,
        previous_scores=None,
        replaced_scores=replaced_by(document, scores),
        unedited_scores=former if former is not None and is_before_edits(former, scores) else None,
    )


def with_best_run(document: Document) -> Document:
    """The document with its best run selected, and the first query that this run has a list for."""
    best = None if document.scores is None else best_run(document.scores, document.means)
    if best is None:
        return document
    query, benchmark = document.selection.query, document.benchmark
    if not benchmark.runs[best].present[query]:
        query = first_query(benchmark, best)
    return replace(document, selection=replace(document.selection, run=best, query=query))


def with_list(document: Document, ranked: RankedList) -> Document:
    """The document with the list of the selected run and query; a rank below its end is not selected any more."""
    rank = document.selection.rank
    is_below = rank is not None and rank > len(ranked.items)
    selection = replace(document.selection, rank=None, model=None) if is_below else document.selection
    selection = _with_rank(selection, ranked)
    return replace(document, ranked_list=ranked, listed=(selection.run, selection.query), selection=selection)


def _with_rank(selection: Selection, ranked: RankedList | None) -> Selection:
    """The selection with the rank of the selected model in the list of the selected run and query, if it is there."""
    if ranked is None or selection.model is None or selection.rank is not None:
        return selection
    found = np.flatnonzero(ranked.items == selection.model)
    return replace(selection, rank=int(found[0]) + 1, model=None) if len(found) else selection


def with_reloaded_runs(document: Document, benchmark: Benchmark, runs: Sequence[int]) -> Document:
    """The document after some of its runs (indices) were read again.

    Parameters
    ----------
    benchmark : that of the document, with these runs and the findings about them.
    """
    read = {run.name: run for run in document.as_read.runs}
    loaded = dict(document.loaded)
    for index in runs:
        origin, run = document.origins[index], benchmark.runs[index]
        if isinstance(origin, str):
            read[origin] = run if run.name == origin else replace(run, name=origin)
        elif isinstance(origin, AddedRun):
            loaded[origin] = LoadedRun(run)
    as_read = replace(document.as_read, runs=tuple(read.values()), findings=benchmark.findings)
    return derived(replace(document, as_read=as_read, loaded=loaded))


def has_same_ids(old: Benchmark, new: Benchmark) -> bool:
    """Whether indices of models and queries mean the same in both."""
    return (old.collection.ids, old.queries.ids) == (new.collection.ids, new.queries.ids)


def opened(request: OpenRequest, as_read: Benchmark, profile: Profile, former: Document) -> Document:
    """The document of a benchmark that was opened instead of `former`; its first run and query are selected."""
    measures, of_project = former.added_measures, former.project_measures
    new = Document(request, as_read, profile=profile, added_measures=measures, project_measures=of_project)
    new = derived(new)
    selection = replace(initial_selection(new.benchmark), means=former.selection.means)
    edited = replace(new.edited, hidden=hidden_runs(new.benchmark, selection))
    return replace(new, selection=selection, edited=edited)


def reopened(request: OpenRequest, as_read: Benchmark, profile: Profile, former: Document) -> Document:
    """The document of a benchmark that was read again, with the edits and the selection of `former`."""
    new = replace(
        former,
        request=request,
        as_read=as_read,
        profile=profile,
        assessment=None,
        read_options={},
        pending_runs={},
    )
    if not has_same_ids(former.as_read, as_read):  # else their lists refer to other models and queries
        new = replace(new, loaded={}, computed={}, extra_runs=())
    new = derived(new)
    known = {run.name for run in former.benchmark.runs}
    carried = carry_selection(former.selection, former.benchmark, new.benchmark, former.keys, new.keys)
    first = replace(initial_selection(new.benchmark), means=former.selection.means)
    return replace(
        new,
        selection=restricted_to(carried, first, new.benchmark),
        new_runs=frozenset(run.name for run in new.benchmark.runs if run.name not in known) or former.new_runs,
        previous_scores=None,
        **NO_RESULTS,
    )


def closed(former: Document) -> Document:
    """The document without a benchmark; the conventions and the added measures are those of the former one."""
    return Document(
        profile=former.profile,
        is_profile_chosen=former.is_profile_chosen,
        added_measures=former.added_measures,
        project_measures=former.project_measures,
        selection=Selection(means=former.selection.means),
    )
