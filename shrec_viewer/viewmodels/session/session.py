"""The session: opens and reloads a benchmark, scores it, and signals every change of the selection."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from time import time

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.content.data import ResultCache
from shrec_viewer.domain import Benchmark, EditedAssessment, Finding, FormatError, Run, Severity
from shrec_viewer.evaluation.edits import edit_findings, original_assessment, with_edits
from shrec_viewer.evaluation.evaluate import exclusion_findings
from shrec_viewer.evaluation.parallel.local import run_in_processes
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.virtual_runs import virtual_run_inputs
from shrec_viewer.formats.core.findings_log import with_profile_action
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.formats.discovery.input_files import InputFiles
from shrec_viewer.formats.discovery.submission import LoadedRun, RunOrigin, load_added_runs, with_run_changes
from shrec_viewer.formats.manifest.run_changes import AddedRun, VirtualRun
from shrec_viewer.metrics import (
    PROFILE_KEYS,
    PROFILES,
    Profile,
    UnknownKeyError,
    extra_measure_keys,
    find_measure,
    find_profile,
)
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.mesh_view.state import MeshViewState
from shrec_viewer.viewmodels.session.assessments import Assessments
from shrec_viewer.viewmodels.session.edits import Edits, RunStyles
from shrec_viewer.viewmodels.session.live_reload import (
    PREVIOUS_VERSION_KEY,
    PREVIOUS_VERSION_USED,
    FileChanges,
    FileWatcher,
    ReloadedRuns,
    find_loss,
    keep_unreadable_runs,
    previous_version_finding,
    read_changed_runs,
    reload_text,
    run_reloaded_text,
    unreadable_runs,
    watch_plan,
)
from shrec_viewer.viewmodels.session.run_versions import RunVersions
from shrec_viewer.viewmodels.session.scoring import (
    Means,
    best_run,
    compute_virtual_runs,
    is_before_edits,
    score_edited_queries,
    score_runs,
    score_unedited,
)
from shrec_viewer.viewmodels.session.selection import (
    NOTHING,
    CursorState,
    Selection,
    carry_selection,
    first_query,
    initial_selection,
    restricted_to,
    with_changes,
)
from shrec_viewer.viewmodels.tasks.computing import Computing
from shrec_viewer.viewmodels.tasks.tasks import Task, TaskQueue, describe_failure
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

OPENING, SCORING, LISTING, RELOADING, ADDING, COMPUTING = (
    "open", "scores", "list", "reload", "added runs", "virtual runs",
)  # fmt: skip
UNEDITED = "scores before edits"
"""Keys of the session's own tasks."""

INDEPENDENT_TASKS = (OPENING, ADDING, "save project", "check project", "add run")
"""Keys of tasks whose results do not refer to indices of runs; they go on when the list of runs changes."""


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


class Session(QObject):
    """What is open, scored and selected. Panels read it and connect to its signals, and do not know each other.

    A benchmark opens with its first run and the first query that it has results for. When the scores are known, the
    best run is selected, unless something was selected since.

    Only the methods of this class change it. Reading and computing run in background tasks; until a result arrives, the
    session shows the previous one.

    Parameters
    ----------
    thumbnails : thumbnails of the open benchmark; closed with the session.

    Attributes
    ----------
    tasks : queue of all background tasks.
    computing : number of threads, and connection to a scheduler.
    cursor_state : rank cursor, marked ranks and other short-lived state.
    mesh_view_state : camera and render service of the 3D view.
    edits : undoable changes: notes, hidden runs, colours.
    run_styles : colour, dash and marker of each run.
    versions : former versions of the runs.
    assessments : the assessments of the benchmark, one of which is used.
    results : results of pure functions that charts and tables are made of.

    Signals
    -------
    benchmark_changed()
        Another benchmark, or none, is open; scores, list and selection are reset without signals of their own.
        Receivers do not change the session: others may still hold indices of the former benchmark.
    benchmark_shown()
        All receivers of `benchmark_changed` were called; from here on the session may be changed, as by a project.
    runs_reloaded(runs)
        The results of the runs with these indices (a tuple), and the findings, were replaced; all else is unchanged.
        Emitted before the `scores_changed` and `list_changed` that follow. An empty tuple: only findings were replaced.
    assessment_changed()
        Another assessment is used, or edits of it were made, undone or removed; the scores and the list that follow
        from it come later.
    profile_changed()
        Another profile is used; the scores and the list that follow from it come later.
    added_measure_changed(key, is_added)
        A measure was added by the user, or removed; the scores with or without it come later.
    scores_changed()
        `scores` was replaced, or is None.
    list_changed()
        `ranked_list` was replaced, or is None; where there are no lists, another query or profile was selected.
    selection_changed(old, new)
        Two `Selection` records.
    progress(text, done, total)
        Progress of opening or scoring; ``("", 0, 0)`` at the end. `total` 0: unknown.
    failed(message, details)
        A requested action failed and changed nothing. `details` may be "".
    done(message)
        A requested action whose result is not visible in the window has finished, e.g. writing a file.
    message(severity, text, details)
        Result of a live reload; `severity` is ``"info"``, ``"warning"`` or ``"error"``.
    message_expired(text)
        An earlier `message` about a run no longer applies.
    """

    benchmark_changed = Signal()
    benchmark_shown = Signal()
    runs_reloaded = Signal(object)
    assessment_changed = Signal()
    profile_changed = Signal()
    added_measure_changed = Signal(str, bool)
    scores_changed = Signal()
    list_changed = Signal()
    selection_changed = Signal(object, object)
    progress = Signal(str, int, int)
    failed = Signal(str, str)
    done = Signal(str)
    message = Signal(str, str, str)
    message_expired = Signal(str)

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.thumbnails = thumbnails
        self.tasks = TaskQueue(self)
        self.computing = Computing(self)
        self.tasks.computing = self.computing
        self.cursor_state = CursorState(self)
        self._reported_cache_problem = ""
        thumbnails.problem_found.connect(self._report_cache_problem)
        self.mesh_view_state = MeshViewState(thumbnails, self)
        self._benchmark: Benchmark | None = None
        self._as_read: Benchmark | None = None  # without the changes of the list of runs
        self._origins: tuple[RunOrigin, ...] = ()
        self._loaded: dict[AddedRun, LoadedRun] = {}
        self._computed: dict[VirtualRun, LoadedRun] = {}
        self._computed_from: dict[VirtualRun, tuple[object, ...]] = {}  # see `virtual_run_inputs`
        self._extra_runs: tuple[Run, ...] = ()
        self._previous_scores: Scores | None = None
        self._path: Path | None = None
        self._parts = BenchmarkParts()
        self._read_at = 0.0
        self.results = ResultCache()
        self._profile = PROFILES[0]
        self._is_profile_chosen = False
        self._added_measures: tuple[str, ...] = ()
        self._scores: Scores | None = None
        self._unedited: Scores | None = None
        self._means: Means = {}
        self._list: RankedList | None = None
        self._selection = Selection()
        self._is_default_selection = False
        self._runs_to_select: dict[str, str] = {}  # see `select_run_later`; "run" or "compared" to the name
        self._selecting_best_run = False
        self._watcher = FileWatcher(self)
        self._watcher.changed.connect(self._reload_changed)
        self._watches = False
        self._runs_to_reload: set[int] = set()
        self._reloads_to_report: list[tuple[ReloadedRuns, NDArray[np.float64]]] = []
        self._report_timer = QTimer(self, interval=0, singleShot=True)
        self._report_timer.timeout.connect(self._report_reloads)
        self._read_options: dict[int, ReadOptions] = {}
        self._failure_messages: dict[int, str] = {}
        self._new_runs: frozenset[str] = frozenset()
        self._unreadable: dict[Path, str] = {}
        self.edits = Edits(self, self)
        self.run_styles = RunStyles(self, self)
        self.edits.levels_changed.connect(self._apply_level_edits)
        self.versions = RunVersions(self, self)
        self.assessments = Assessments(self, self)

    @property
    def benchmark(self) -> Benchmark | None:
        """The open benchmark, or None."""
        return self._benchmark

    @property
    def benchmark_as_read(self) -> Benchmark | None:
        """The open benchmark without changes of its runs and of its assessment."""
        return self._as_read

    @property
    def runs_as_read(self) -> tuple[Run, ...]:
        """Runs of the benchmark as it was read, also those that were removed; without added ones."""
        return () if self._as_read is None else self._as_read.runs

    @property
    def path(self) -> Path | None:
        """Folder or file that was opened."""
        return self._path

    @property
    def manifest(self) -> Path | None:
        """The manifest that the benchmark was read from, or None; for a project, that of its benchmark."""
        sources = () if self._benchmark is None else self._benchmark.sources
        return next((path for path in sources if path.suffix.lower() in (".toml", ".shrec")), None)

    @property
    def parts(self) -> BenchmarkParts:
        """Parts of the benchmark that were given separately from its path."""
        return self._parts

    @property
    def is_opening(self) -> bool:
        """Whether a benchmark is being read."""
        return self.tasks.is_busy(OPENING)

    @property
    def profile(self) -> Profile:
        """The current profile."""
        return self._profile

    @property
    def is_profile_chosen(self) -> bool:
        """Whether the profile was given when the benchmark was opened; False if it follows from the benchmark."""
        return self._is_profile_chosen

    @property
    def added_measures(self) -> tuple[str, ...]:
        """Keys of the measures that the user added; they are computed under every profile, as the first ones."""
        return self._added_measures

    @property
    def measures(self) -> tuple[str, ...]:
        """Keys of all measures that are computed under the current profile."""
        if self._scores is not None:
            return tuple(measure.key for measure in self._scores.measures)
        return tuple(dict.fromkeys((*self._added_measures, *self._profile.measures, *extra_measure_keys())))

    @property
    def scores(self) -> Scores | None:
        """Scores of all runs under `profile`; None while they are computed, and without a relevance assessment."""
        return self._scores

    @property
    def unedited_scores(self) -> Scores | None:
        """Scores of the same runs before the edits of the assessment.

        None without edits, and until they are computed, which `scores_changed` signals again.
        """
        return self._unedited

    def mean(self, over: str) -> NDArray[np.float64]:
        """(R, M) float64, means of `scores` over ``"queries"`` or ``"classes"``; (0, 0) without scores."""
        return self._means.get(over, np.zeros((0, 0))) if self._scores is not None else np.zeros((0, 0))

    @property
    def ranked_list(self) -> RankedList | None:
        """The list of the selected run for the selected query; the previous one until it is computed."""
        return self._list

    @property
    def has_lists(self) -> bool:
        """Whether a run and a query are selected, so that `ranked_list` is available now or soon."""
        return self.run is not None and self._selection.query != NOTHING

    @property
    def selection(self) -> Selection:
        """The current selection."""
        return self._selection

    @property
    def is_selecting_best_run(self) -> bool:
        """Whether the current `selection_changed` is the automatic selection of the best run."""
        return self._selecting_best_run

    @property
    def measure(self) -> str:
        """Key of the measure shown: the selected one where it is computed, else the profile's headline measure."""
        keys, headline = self.measures, self._profile.headline
        return next((key for key in (self._selection.measure, headline, *keys) if key in keys), headline)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of reading, with the actions of the current profile, and of rendering; empty without a benchmark.

        Those of rendering are added later, see `Thumbnails.findings_changed`; one about excluded queries with the
        scores.
        """
        if self._benchmark is None:
            return ()
        path = self._path or Path()
        of_thumbnails = self.thumbnails.findings(path if path.is_dir() else path.parent)
        findings = tuple(with_profile_action(finding, self._profile) for finding in self._benchmark.findings)
        return findings + self._exclusion_findings() + edit_findings(self._benchmark, self.edits.levels) + of_thumbnails

    def _exclusion_findings(self) -> tuple[Finding, ...]:
        """Queries that the profile excludes from every mean; known once the scores are computed."""
        if self._benchmark is None or self._scores is None or self._scores.profile != self._profile:
            return ()
        return exclusion_findings(self._benchmark, self._profile, self._scores.excluded)

    @property
    def has_findings(self) -> bool:
        """Whether `findings` is not empty; faster, as `findings` accesses the disk."""
        if self._benchmark is None:
            return False
        return bool(self._benchmark.findings or self._exclusion_findings()) or self.thumbnails.has_findings

    @property
    def run(self) -> Run | None:
        """The selected run."""
        if self._benchmark is None or self._selection.run == NOTHING:
            return None
        return self._benchmark.runs[self._selection.run]

    @property
    def new_runs(self) -> frozenset[str]:
        """Names of the runs that the last reload added."""
        return self._new_runs

    @property
    def unreadable_runs(self) -> Mapping[Path, str]:
        """Files and folders of runs that could not be read, with the reason."""
        return self._unreadable

    def may_write(self, path: Path) -> bool:
        """Whether an export may write a file; False, and a message, if it is an input of the open benchmark."""
        if not path.exists():  # the check reads the state of every file: 0.2 s for 50,000 models
            return True
        inputs = InputFiles(self._benchmark, self._path, self._parts)
        if name := inputs.name_of(path):
            self.failed.emit(f"{path.name} is an input of this benchmark ({name}), and is not replaced", str(path))
        return not name

    # Opening and closing.

    def open(
        self,
        path: Path,
        parts: BenchmarkParts | None = None,
        profile: str | Profile | None = None,
        default_profile: str | None = None,
    ) -> None:
        """Read `path` in the background and show it; until then, or if that fails, the open benchmark stays open.

        Parameters
        ----------
        parts : files and folders outside `path`.
        profile : profile, or its key, to use instead of that of the benchmark.
        default_profile : key of the profile to use if neither `profile` nor the benchmark names one.
        """
        parts = BenchmarkParts() if parts is None else parts
        self._read(OpenRequest(path, parts, profile, time(), default_profile=default_profile))

    @Slot()
    def reload(self) -> None:
        """Reload the open benchmark, with the same selection, and the same profile if it was changed."""
        self._reload()

    def reload_because(self, reason: str) -> None:
        """Reload the open benchmark; the message afterwards starts with a reason."""
        self._reload(reason)

    def close(self) -> None:
        """Close the benchmark; pending results are dropped."""
        if self._benchmark is None and not self.tasks.is_busy():
            return
        self._start_with(None, None, BenchmarkParts(), Selection(means=self._selection.means))

    def stop(self, key: str = "") -> None:
        """Cancel the task of `key`, or with "" opening and scoring; partial results are not discarded."""
        for name in (key,) if key else (OPENING, SCORING):
            self.tasks.stop(name)
        self._end_progress()

    def shut_down(self) -> None:
        """End all tasks and threads; called once, when the window closes."""
        self._watcher.close()
        self.tasks.close()
        self.computing.close()
        self.thumbnails.close()
        self.mesh_view_state.close()

    def _reload(self, reason: str = "", *, automatic: bool = False, new_runs: tuple[Path, ...] = ()) -> None:
        if self._path is not None and self._benchmark is not None:
            default, _ = resolve_profile(self._benchmark, None)
            profile = None if self._profile == default else self._profile
            self._read(OpenRequest(self._path, self._parts, profile, time(), automatic, reason, new_runs=new_runs))

    def _read(self, request: OpenRequest) -> None:
        title = f"Reading {request.path.name}"
        self.progress.emit(title, 0, 0)
        self.tasks.run(
            OPENING,
            partial(open_benchmark, request.path, request.parts),
            partial(self._show_opened, request),
            partial(self._show_not_opened, request),
            progress=partial(self._report_progress, title),
            title=title,
            listed=True,
        )

    @Slot(str)
    def _report_cache_problem(self, text: str) -> None:
        """Report once why a cache is not used, or another renderer is."""
        if text and text != self._reported_cache_problem:
            self._reported_cache_problem = text
            self.message.emit("warning", text[:1].upper() + text[1:], "")

    def _show_opened(self, request: OpenRequest, benchmark: Benchmark) -> None:
        self._report_cache_problem(parse_cache().problem)
        old, selection = self._benchmark if request.path == self._path else None, self._selection
        old_as_read = None if old is None else self._as_read
        if request.automatic and old is not None and old_as_read is not None:
            if (loss := find_loss(old_as_read, benchmark)) is not None:
                self._keep(old, loss)
                return
            benchmark = keep_unreadable_runs(old_as_read, benchmark)
        self._read_at = request.requested_at
        profile = request.profile
        if profile is None and benchmark.profile == PROFILES[0].key and request.default_profile in PROFILE_KEYS:
            profile = request.default_profile
        self._profile, findings = resolve_profile(benchmark, profile)
        self._is_profile_chosen = profile is not None
        benchmark = replace(benchmark, findings=benchmark.findings + findings)
        as_read, former_origins = benchmark, self._origins
        if old is None:
            self._loaded, self._computed, self._extra_runs = {}, {}, ()
            self._origins = tuple(run.name for run in benchmark.runs)
        else:
            if old_as_read is None or not _has_same_ids(old_as_read, benchmark):
                # Their lists refer to indices of models and queries.
                self._loaded, self._computed, self._extra_runs = {}, {}, ()
            self.assessments.reset()
            benchmark = self._with_changes_of_runs(benchmark)
        first = replace(initial_selection(benchmark), means=selection.means)
        known_faults = {} if old is None else self._unreadable
        faults = unreadable_runs(benchmark, {*request.new_runs, *known_faults})
        self._unreadable = faults
        old_names = [] if old is None else [run.name for run in old.runs]
        added = frozenset(run.name for run in benchmark.runs if old is not None and run.name not in old_names)
        self._new_runs = added or (self._new_runs if old is not None else added)
        if old is None:
            self._start_with(benchmark, request.path, request.parts, first)
            return
        carried = carry_selection(
            selection, old, benchmark, _keys(old, former_origins), _keys(benchmark, self._origins)
        )
        carried = restricted_to(carried, first, benchmark)
        self._start_with(benchmark, request.path, request.parts, carried, is_default_selection=False, as_read=as_read)
        self._load_added()
        if text := reload_text(request.reason, old_names, [run.name for run in benchmark.runs]):
            self.message.emit("info", text, "")
        for finding in benchmark.findings:
            if finding.key == PREVIOUS_VERSION_KEY:
                self.message.emit("warning", f"{finding.location}: {finding.message}; {finding.action}", "")
        for path, reason in faults.items():
            if known_faults.get(path) != reason:
                self.message.emit("warning", f"{path.name} cannot be read: {reason}", "")

    def _show_not_opened(self, request: OpenRequest, error: Exception) -> None:
        keeps = request.automatic and request.path == self._path and isinstance(error, FormatError)
        if keeps and self._benchmark is not None and isinstance(error, FormatError):
            self._keep(self._benchmark, previous_version_finding(self._benchmark, error))
        else:
            self.report_failure(f"{request.path.name} cannot be opened", error)

    def _start_with(
        self,
        benchmark: Benchmark | None,
        path: Path | None,
        parts: BenchmarkParts,
        selection: Selection,
        *,
        is_default_selection: bool = True,
        as_read: Benchmark | None = None,
    ) -> None:
        self.tasks.stop_all()
        self.thumbnails.forget()
        self.cursor_state.clear()
        if benchmark is None:
            self.mesh_view_state.set_collection(None)
        else:
            self.mesh_view_state.set_collection(benchmark.root, benchmark.camera)
        self._benchmark, self._path, self._parts, self._selection = benchmark, path, parts, selection
        self._as_read = benchmark if as_read is None else as_read
        self.assessments.reset()
        if benchmark is None:
            self._origins, self._loaded, self._computed, self._extra_runs = (), {}, {}, ()
        self._scores = self._previous_scores = self._unedited = None
        self._list = None
        self._is_default_selection = is_default_selection and benchmark is not None
        self._runs_to_select = {}
        self._runs_to_reload.clear()
        self._read_options.clear()
        self._failure_messages.clear()
        self._watch()
        self.progress.emit("", 0, 0)
        self.benchmark_changed.emit()
        self.benchmark_shown.emit()
        self.cursor_state.set_selected_rank(self._selection.rank)
        self._rank()
        self._score()
        self._compute_virtual()

    # Runs that were removed, renamed or added.

    def origin(self, run: int) -> RunOrigin:
        """Where the run with this index is from: its name as read, the entry of an added run, or None."""
        return self._origins[run] if 0 <= run < len(self._origins) else None

    @property
    def extra_runs(self) -> tuple[Run, ...]:
        """Runs that are shown after those of the benchmark: former versions."""
        return self._extra_runs

    def set_extra_runs(self, runs: Sequence[Run]) -> None:
        """Set `extra_runs`; their lists refer to models and queries of the open benchmark."""
        self._extra_runs = tuple(runs)
        self._show_runs()

    def provide_added(self, loaded: Mapping[AddedRun, LoadedRun]) -> None:
        """Use runs that were read already when they are added, see `Edits.set_runs`."""
        self._loaded.update(loaded)

    def provide_renamed(self, former: AddedRun, renamed: AddedRun) -> None:
        """Use a run that was read as `former` when that is renamed."""
        if former in self._loaded:
            self._loaded[renamed] = self._loaded[former]

    def update_runs(self) -> None:
        """Show the runs after `Edits.edited.runs` was changed; added runs appear once they are read."""
        if self._as_read is not None:
            self._show_runs()
            self._load_added()
            self._compute_virtual()

    def _load_added(self) -> None:
        """Read the added runs that are not read yet."""
        missing = [run for run in self.edits.edited.runs.added if run not in self._loaded]
        if missing and self._as_read is not None:
            self.tasks.run(
                ADDING,
                partial(_load_added_runs, self._as_read, missing),
                partial(self._show_added, self._as_read),
                partial(self.report_failure, "The added runs cannot be read"),
                title=f"Reading {', '.join(run.path.name for run in missing[:3])}",
                listed=True,
            )

    def _show_added(self, as_read: Benchmark, loaded: dict[AddedRun, LoadedRun]) -> None:
        if self._as_read is None or not _has_same_ids(as_read, self._as_read):
            return
        self._loaded.update(loaded)
        self._show_runs()
        for found in loaded.values():
            for finding in found.findings if found.run is None else ():
                self.message.emit("warning", f"{finding.location}: {finding.message}; {finding.action}", "")
        self._compute_virtual()

    # Virtual runs.

    def with_submitted_runs(self, benchmark: Benchmark) -> Benchmark:
        """The open benchmark with the runs that virtual runs are computed from: no virtual ones, no former versions."""
        is_source = [origin is not None and not isinstance(origin, VirtualRun) for origin in self._origins]
        sources = tuple(run for run, used in zip(benchmark.runs, is_source, strict=True) if used)
        return replace(benchmark, runs=sources)

    def _compute_virtual(self) -> None:
        """Compute the virtual runs again whose runs, conventions or assessment have changed, in the background."""
        benchmark, wanted = self._benchmark, self.edits.edited.runs.virtual
        self._computed_from = {run: found for run, found in self._computed_from.items() if run in wanted}
        if benchmark is None or not wanted or self.tasks.is_busy(ADDING):  # the added runs are sources
            self.tasks.stop(COMPUTING)
            return
        source = self.with_submitted_runs(benchmark)
        inputs = {run: virtual_run_inputs(source, run.expression, self._profile) for run in wanted}
        outdated = {run: found for run, found in inputs.items() if self._computed_from.get(run) != found}
        if not outdated:
            self.tasks.stop(COMPUTING)
            return
        former = {run: found for run in outdated if (found := self._computed.get(run)) is not None}
        self.tasks.run(
            COMPUTING,
            partial(compute_virtual_runs, source, self._profile, tuple(outdated), former, self._path or Path()),
            partial(self._show_virtual, outdated),
            partial(self.report_failure, "The virtual runs cannot be computed"),
            title=f"Computing {', '.join(run.expression[:40] for run in list(outdated)[:3])}",
            listed=True,
        )

    def _show_virtual(
        self, inputs: Mapping[VirtualRun, tuple[object, ...]], computed: Mapping[VirtualRun, LoadedRun]
    ) -> None:
        """Show virtual runs: as reloaded ones if only their lists have changed."""
        if self._as_read is None:
            return
        former = {run: self._computed.get(run) for run in computed}
        self._computed_from.update(inputs)
        self._computed.update(computed)
        origins = self._origins
        new = self._with_changes_of_runs(self._as_read)
        if self._origins != origins:
            self._origins = origins
            self._show_runs()
        elif self._benchmark is not None:
            pairs = enumerate(zip(self._benchmark.runs, new.runs, strict=True))
            changed = [index for index, (old, run) in pairs if old is not run]
            if changed or new.findings != self._benchmark.findings:
                self._benchmark = new
                self.runs_reloaded.emit(tuple(changed))
            if changed:
                self._score()
            if self._selection.run in changed:
                self._rank()
        problems = [
            finding.message
            for run, found in computed.items()
            for finding in found.findings
            if (known := former[run]) is None or known.findings != found.findings
        ]
        if problems:
            others = f"; {len(problems) - 1:,} more, see the findings" if len(problems) > 1 else ""
            self.message.emit("warning", f"{problems[0][:1].upper()}{problems[0][1:]}; the run is left out{others}", "")

    def _with_changes_of_runs(self, as_read: Benchmark) -> Benchmark:
        shown, self._origins = with_run_changes(
            as_read, self.edits.edited.runs, self._loaded, self._extra_runs, self._computed
        )
        return self._with_level_edits(shown)

    def _with_level_edits(self, benchmark: Benchmark) -> Benchmark:
        """The benchmark with the assessment in use, or with edits; the same object as before if they are the same."""
        if self.assessments.active is not None:
            return replace(benchmark, assessment=self.assessments.active.assessment)
        edited, old = with_edits(benchmark, self.edits.levels), self._benchmark
        known, new = None if old is None else old.assessment, edited.assessment
        if not isinstance(known, EditedAssessment) or not isinstance(new, EditedAssessment):
            return edited
        if known.original is new.original and known.edits == new.edits:
            return replace(edited, assessment=known)  # scores of the same object are used again
        return edited

    def _show_runs(self) -> None:
        """Show the benchmark with the present changes of its runs; scores and lists of the others are kept."""
        old, as_read, former_origins = self._benchmark, self._as_read, self._origins
        if old is None or as_read is None:
            return
        new = self._with_changes_of_runs(as_read)
        if [id(run) for run in new.runs] == [id(run) for run in old.runs]:
            if new.findings != old.findings:
                self._benchmark = new
                self.runs_reloaded.emit(())
            return
        keys = _keys(old, former_origins), _keys(new, self._origins)
        hidden = self.edits.edited.hidden
        shown = tuple(index for index, run in enumerate(new.runs) if run.name not in hidden)
        carried = replace(carry_selection(self._selection, old, new, *keys), shown_runs=shown)
        carried = self._with_runs_to_select(carried, new)
        self.tasks.stop_all(keep=INDEPENDENT_TASKS)
        self.cursor_state.clear()
        options = {keys[0][run]: found for run, found in self._read_options.items()}
        self._read_options = {index: options[key] for index, key in enumerate(keys[1]) if key in options}
        self._runs_to_reload.clear()
        self._failure_messages.clear()
        self._benchmark, self._selection = new, restricted_to(carried, initial_selection(new), new)
        # Hits of runs that are the same objects are used again.
        self._previous_scores, self._scores, self._list = self._scores or self._previous_scores, None, None
        self._watch()
        self.progress.emit("", 0, 0)
        self.benchmark_changed.emit()
        self.cursor_state.set_selected_rank(self._selection.rank)
        self._rank()
        self._score()
        self._compute_virtual()

    def _keep_reloaded(self, reloaded: ReloadedRuns) -> None:
        """Take over reloaded runs into the benchmark as read, and into the added runs."""
        if self._as_read is None:
            return
        if self._as_read is reloaded.old:  # no run was changed, nor the assessment
            self._as_read = reloaded.benchmark
            return
        runs = {run.name: run for run in self._as_read.runs}
        for index in reloaded.read:
            origin, run = self.origin(index), reloaded.benchmark.runs[index]
            if isinstance(origin, str) and origin in runs:
                runs[origin] = run if run.name == origin else replace(run, name=origin)
            elif isinstance(origin, AddedRun):
                self._loaded[origin] = LoadedRun(run)
        self._as_read = replace(self._as_read, runs=tuple(runs.values()), findings=reloaded.benchmark.findings)

    # Selection and profile.

    def select(
        self,
        *,
        query: int | None = None,
        run: int | None = None,
        compared: int | None = None,
        shown_runs: Sequence[int] | None = None,
        rank: int | None = None,
        model: int | None = None,
        measure: str | None = None,
        means: bool | None = None,
    ) -> None:
        """Change the given fields of the selection; indices that the benchmark does not have are ignored.

        See `Selection`. `means` also applies to benchmarks opened later, and can be set while none is open.
        """
        if self._benchmark is None:
            if means is not None:
                self._selection = replace(self._selection, means=means)
            return
        if any(value is not None for value in (query, run, compared, shown_runs, rank, model, measure)):
            self._is_default_selection = False
        for name, value in (("run", run), ("compared", compared)):
            if value is not None:
                self._runs_to_select.pop(name, None)
        changes = {
            "query": query,
            "run": run,
            "compared": compared,
            "shown_runs": None if shown_runs is None else tuple(shown_runs),
            "rank": rank,
            "model": model,
            "measure": measure,
            "means": means,
        }
        self._set_selection(restricted_to(with_changes(self._selection, changes), self._selection, self._benchmark))

    def select_run_later(self, name: str, *, compared: bool = False) -> None:
        """Select a run, or compare with it, once it is computed or read, unless another one is selected before."""
        self._runs_to_select["compared" if compared else "run"] = name

    def _with_runs_to_select(self, selection: Selection, benchmark: Benchmark) -> Selection:
        indices = {run.name: index for index, run in enumerate(benchmark.runs)}
        found = {field: indices[name] for field, name in self._runs_to_select.items() if name in indices}
        self._runs_to_select = {field: name for field, name in self._runs_to_select.items() if field not in found}
        return with_changes(selection, found) if found else selection

    def deselect_rank(self) -> None:
        """Select no rank and no model."""
        self._set_selection(replace(self._selection, rank=None, model=None))

    def set_profile(self, key: str) -> None:
        """Change the profile; an unknown key emits `failed` and changes nothing."""
        try:
            profile = find_profile(key)
        except KeyError as error:
            self.failed.emit(str(error), "")
            return
        self.set_conventions(profile)

    def set_conventions(self, profile: Profile) -> None:
        """Use a profile that may differ from those of the table in some conventions."""
        if profile == self._profile:
            return
        self._profile = profile
        self.profile_changed.emit()
        self._rank()
        self._score()
        self._compute_virtual()

    @Slot()
    def _apply_level_edits(self) -> None:
        if self._benchmark is not None and self._benchmark.assessment is not None:
            self.update_assessment()

    def update_assessment(self) -> None:
        """Use the assessment of `assessments`, with the present edits; the former scores are shown until new ones."""
        if self._benchmark is None or self._as_read is None:
            return
        self._benchmark = self._with_level_edits(replace(self._benchmark, assessment=self._as_read.assessment))
        self.assessment_changed.emit()
        self._rank()
        self._score_edits()
        self._compute_virtual()

    def add_measure(self, key: str) -> None:
        """Select a measure, and compute it under every profile from now on.

        Parameters
        ----------
        key : canonical key of `find_measure`.
        """
        if self._benchmark is None:
            return
        if key not in self._added_measures:
            self._added_measures = (*self._added_measures, key)
            self.added_measure_changed.emit(key, True)
            self._score()
        self.select(measure=key)

    def remove_measure(self, key: str) -> None:
        """Remove an added measure; it stays in the tables of profiles that have it."""
        if key in self._added_measures:
            self._added_measures = tuple(other for other in self._added_measures if other != key)
            self.added_measure_changed.emit(key, False)
            self._score()

    def set_added_measures(self, keys: Iterable[str]) -> None:
        """Replace the added measures, without `added_measure_changed`; one message names all unknown keys."""
        known, problems = [], []
        for key in dict.fromkeys(keys):
            try:
                known.append(find_measure(key).key)
            except UnknownKeyError as error:
                problems.append(str(error))
        if problems:
            self.message.emit("warning", f"Measures were left out: {'. '.join(problems)}", "")
        if (added := tuple(dict.fromkeys(known))) != self._added_measures:
            self._added_measures = added
            self._score()

    def _set_selection(self, new: Selection) -> None:
        old, self._selection = self._selection, new
        if new == old:
            return
        if old.rank != new.rank:
            self.cursor_state.set_selected_rank(new.rank)
        self.selection_changed.emit(old, new)
        if (old.query, old.run) != (new.query, new.run):
            self._rank()

    # Scores and ranked list.

    def _score(self) -> None:
        benchmark = self._benchmark
        if benchmark is None or benchmark.assessment is None or not benchmark.runs or not len(benchmark.queries):
            self.tasks.stop(SCORING)
            return
        self.progress.emit("Evaluating", 0, 0)
        self.computing.prepare(benchmark)
        self.tasks.run(
            SCORING,
            partial(score_runs, benchmark, self._profile, self._added_measures, self._scores or self._previous_scores),
            self._show_scores,
            partial(self.report_failure, "The runs cannot be evaluated"),
            progress=partial(self._report_progress, "Evaluating"),
            title="Evaluating",
            listed=True,
        )

    def _score_edits(self) -> None:
        """Score the queries whose levels changed; all runs if other scores are being computed or are not known."""
        benchmark, scores = self._benchmark, self._scores
        is_known = scores is not None and scores.profile == self._profile and not self.tasks.is_busy(SCORING)
        is_same = (
            scores is not None
            and benchmark is not None
            and scores.benchmark.runs is benchmark.runs
            and original_assessment(scores.benchmark) is original_assessment(benchmark)
        )
        if benchmark is None or scores is None or not is_known or not is_same:
            self._score()
            return
        self.tasks.run(
            SCORING,
            partial(score_edited_queries, benchmark, scores),
            self._show_scores,
            partial(self.report_failure, "The runs cannot be evaluated"),
            title="Evaluating edits",
        )

    def _show_scores(self, evaluated: tuple[Scores, Means]) -> None:
        former, (self._scores, self._means) = self._unedited or self._scores, evaluated
        self._previous_scores = None
        self._end_progress()
        self._keep_unedited(former)
        selects_best = self._is_default_selection
        self._is_default_selection = False  # receivers of `scores_changed` may select a run to compare with
        old, best = self._selection, self._selection.run
        if selects_best and self._benchmark is not None and (found := best_run(self._scores, self._means)) is not None:
            best = found  # before `scores_changed`, so that its receivers do not compute for the first run in vain
            has_list = bool(self._benchmark.runs[best].present[old.query])
            self._selection = replace(
                old, run=best, query=old.query if has_list else first_query(self._benchmark, best)
            )
        self._selecting_best_run = True
        try:
            self.scores_changed.emit()
            if old.run != best == self._selection.run:
                self.selection_changed.emit(replace(self._selection, run=old.run, query=old.query), self._selection)
                self._rank()
        finally:
            self._selecting_best_run = False

    def _keep_unedited(self, former: Scores | None) -> None:
        """Keep the scores before the edits of the present ones, or compute them in the background."""
        scores = self._scores
        is_known = former is not None and scores is not None and is_before_edits(former, scores)
        self._unedited = former if is_known else None
        if not is_known and scores is not None and isinstance(scores.benchmark.assessment, EditedAssessment):
            work = partial(score_unedited, scores)
            self.tasks.run(UNEDITED, work, partial(self._show_unedited, scores), self._ignore, title=UNEDITED)

    def _show_unedited(self, scores: Scores, unedited: Scores) -> None:
        if self._scores is scores:
            self._unedited = unedited
            self.scores_changed.emit()

    def _ignore(self, error: Exception) -> None:
        """The former curves are not shown; the evaluation of the present ones reports the same error."""

    def _rank(self) -> None:
        benchmark, run, query = self._benchmark, self.run, self._selection.query
        if benchmark is None or run is None or query == NOTHING:
            self.tasks.stop(LISTING)
            if benchmark is not None:
                self.list_changed.emit()
            return
        self.tasks.run(
            LISTING,
            partial(make_ranked_list, benchmark, run, query, self._profile),
            self._show_list,
            partial(self._fail_list, f"The list of {run.name} cannot be shown"),
            title="Ranking the models",
        )

    def _fail_list(self, what: str, error: Exception) -> None:
        # Panels would show the list of the previous query under the name of the selected one.
        self._list = None
        self.list_changed.emit()
        self.report_failure(what, error)

    def _show_list(self, ranked: RankedList) -> None:
        self._list = ranked
        if self._selection.rank is not None and self._selection.rank > len(ranked.items):
            self.deselect_rank()
        self.list_changed.emit()

    # Live reload: the watcher reports changed files, and changed runs or the whole benchmark are reloaded.

    @property
    def is_watching(self) -> bool:
        """Whether the files of an open benchmark are being watched."""
        return self._watcher.is_watching

    def set_watching(self, watches: bool) -> None:
        """Watch the files of the open benchmark, or not; changes since it was read are noticed as well."""
        if watches != self._watches:
            self._watches = watches
            self._watch()

    def reload_runs(self, runs: Collection[int]) -> None:
        """Reload the runs with these indices in the background."""
        self._runs_to_reload |= set(runs)
        if self._benchmark is None or not self._runs_to_reload or self.tasks.is_busy(RELOADING):
            return
        indices, self._runs_to_reload = tuple(sorted(self._runs_to_reload)), set()
        names = ", ".join(self._benchmark.runs[index].name for index in indices)
        self.tasks.run(
            RELOADING,
            partial(read_changed_runs, self._benchmark, self._scores, indices, self.manifest, dict(self._read_options)),
            self._show_reloaded,
            self._report_reload_failure,
            title=f"Reloading {names}",
            listed=True,
        )

    @property
    def has_read_options(self) -> bool:
        """Whether a run is read with options of `read_run_as`."""
        return bool(self._read_options)

    def read_run_as(self, run: int, options: ReadOptions) -> None:
        """Read a run with these options, until the benchmark is reopened."""
        self._read_options[run] = options
        self.reload_runs({run})

    def _watch(self) -> None:
        if self._benchmark is None or not self._watches:
            self._watcher.stop()
        else:
            plan = partial(watch_plan, self._benchmark, self._path, self._parts, tuple(self._unreadable))
            self._watcher.start(plan, self._read_at)

    @Slot(object)
    def _reload_changed(self, changes: FileChanges) -> None:
        if self._benchmark is None:
            return
        if changes.files:
            names = ", ".join(file.name for file in changes.files)
            self._reload(f"{names} changed; the benchmark was reloaded", automatic=True)
            return
        if changes.new_models:
            names = ", ".join(folder.name for folder in changes.new_models)
            self._reload(f"Models found in {names}; the benchmark was reloaded", automatic=True)
            return
        if changes.have_models_returned:
            self.thumbnails.retry()
            self.mesh_view_state.source.reload()
        if changes.new_runs:
            self._reload(automatic=True, new_runs=changes.new_runs)
        self.reload_runs(changes.runs)

    def _show_reloaded(self, reloaded: ReloadedRuns) -> None:
        self._report_cache_problem(parse_cache().problem)
        if self._benchmark is not reloaded.old:
            self.reload_runs({*reloaded.read, *reloaded.failed})
            return
        is_current = (
            self._scores is not None
            and reloaded.scores is not None
            # Else the profile or the measures were changed while the runs were read.
            and self._scores.profile == reloaded.scores.profile
            and self._scores.measures == reloaded.scores.measures
        )
        before = self.mean("queries") if is_current else np.zeros((0, 0))
        self._benchmark = reloaded.benchmark
        self._keep_reloaded(reloaded)
        self.runs_reloaded.emit(reloaded.read)
        if is_current:
            self._scores, self._means = reloaded.scores, reloaded.means
            self._keep_unedited(None)
        else:
            self._score()
        if reloaded.read and not self.tasks.is_busy(SCORING):
            self.scores_changed.emit()  # also without relevance assessment, for the views that compare lists
        if self._selection.run in reloaded.read:
            self._rank()
        self._compute_virtual()
        # In a later event-loop iteration: showing the runs takes 60 ms in the full window, and the message 15 ms more.
        self._reloads_to_report.append((reloaded, before))
        self._report_timer.start()
        self.reload_runs(())

    @Slot()
    def _report_reloads(self) -> None:
        reloads, self._reloads_to_report = self._reloads_to_report, []
        for reloaded, before in reloads if self._benchmark is not None else ():
            self._report_reloaded(reloaded, before)

    def _report_reloaded(self, reloaded: ReloadedRuns, before: NDArray[np.float64]) -> None:
        for run in (*reloaded.read, *reloaded.failed):
            if (text := self._failure_messages.pop(run, "")) != "":
                self.message_expired.emit(text)
        for run in reloaded.read:
            self.message.emit("info", run_reloaded_text(reloaded, run, before, self.measure), "")
        for run, reason in reloaded.failed.items():
            name, source = reloaded.benchmark.runs[run].name, reloaded.benchmark.runs[run].source
            text = f"{name} changed, but cannot be read: {reason}; {PREVIOUS_VERSION_USED}"
            if not source.exists():
                text = f"{name} was removed; {PREVIOUS_VERSION_USED}"
            self._failure_messages[run] = text
            self.message.emit("warning", text, "")

    def _report_reload_failure(self, error: Exception) -> None:
        self.message.emit("error", *describe_failure("The changed files cannot be read", error))

    def _keep(self, benchmark: Benchmark, finding: Finding) -> None:
        """Continue with the benchmark as read before, and add a finding with the reason."""
        self._end_progress()
        others = tuple(other for other in benchmark.findings if other != finding)
        is_as_read = self._as_read is self._benchmark
        self._benchmark = replace(benchmark, findings=(*others, finding))
        if is_as_read:
            self._as_read = self._benchmark
        elif self._as_read is not None:
            self._as_read = replace(self._as_read, findings=self._benchmark.findings)
        self.runs_reloaded.emit(())
        self.message.emit("warning", f"{finding.location}: {finding.message}; {finding.action}", "")

    # Progress and failures.

    def report_failure(self, what: str, error: Exception) -> None:
        """Emit `failed` for an exception of a background task; see `describe_failure`."""
        self._end_progress()
        self.failed.emit(*describe_failure(what, error))

    def _report_progress(self, what: str, done: int, total: int, text: str) -> None:
        self.progress.emit(text or what, done, total)

    def _end_progress(self) -> None:
        if not self.tasks.is_busy(OPENING) and not self.tasks.is_busy(SCORING):
            self.progress.emit("", 0, 0)


MAX_HISTORY = 200
"""Maximum number of previous selections; contests have at most a few hundred queries."""


class SelectionHistory(QObject):
    """Stack of previous selections, for Back and Forward.

    Changes of rank, model and shown runs are not recorded, nor is the automatic selection of the best run.

    Signals
    -------
    changed()
        `can_go_back` or `can_go_forward` may have changed.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._back_stack: list[Selection] = []
        self._forward_stack: list[Selection] = []
        self._restoring = False
        session.benchmark_changed.connect(self._clear)
        session.selection_changed.connect(self._record)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a previous selection."""
        return bool(self._back_stack)

    @property
    def can_go_forward(self) -> bool:
        """Whether `back` can be undone."""
        return bool(self._forward_stack)

    def back(self) -> None:
        """Restore the previous selection."""
        self._restore(self._back_stack, self._forward_stack)

    def forward(self) -> None:
        """Undo `back`."""
        self._restore(self._forward_stack, self._back_stack)

    def _restore(self, source: list[Selection], target: list[Selection]) -> None:
        if not source:
            return
        selection = source.pop()
        target.append(self._session.selection)
        self._restoring = True
        try:
            compared = NOTHING if selection.compared is None else selection.compared
            self._session.select(
                query=selection.query,
                run=selection.run,
                compared=compared,
                measure=selection.measure,
                means=selection.means,
            )
            if selection.rank is not None:
                self._session.select(rank=selection.rank)
        finally:
            self._restoring = False
        self.changed.emit()

    @Slot(object, object)
    def _record(self, old: Selection, new: Selection) -> None:
        if self._restoring or self._session.is_selecting_best_run or _history_key(old) == _history_key(new):
            return
        self._back_stack = [*self._back_stack, old][-MAX_HISTORY:]
        self._forward_stack = []
        self.changed.emit()

    @Slot()
    def _clear(self) -> None:
        self._back_stack, self._forward_stack = [], []
        self.changed.emit()


def _history_key(selection: Selection) -> Selection:
    """The fields of which changes are recorded: all but rank, model and shown runs."""
    return replace(selection, rank=None, model=None, shown_runs=())


def open_benchmark(path: Path, parts: BenchmarkParts, task: Task) -> Benchmark:
    """Read the benchmark at `path`; of a project, without the changes of its runs, which are edits of the session."""
    return read_benchmark(
        path,
        parts,
        cancelled=task.cancelled,
        progress=task.progress,
        profiles=PROFILE_KEYS,
        cache=parse_cache(),
        run_in_processes=partial(run_in_processes, jobs=task.jobs) if task.jobs > 1 else None,
        applies_run_changes=False,
    )


def _load_added_runs(benchmark: Benchmark, added: Sequence[AddedRun], task: Task) -> dict[AddedRun, LoadedRun]:
    return load_added_runs(benchmark, added, cancelled=task.cancelled, progress=task.progress, cache=parse_cache())


def _has_same_ids(old: Benchmark, new: Benchmark) -> bool:
    """Whether indices of models and queries mean the same in both."""
    return (old.collection.ids, old.queries.ids) == (new.collection.ids, new.queries.ids)


def _keys(benchmark: Benchmark, origins: Sequence[RunOrigin]) -> list[RunOrigin | tuple[str, str]]:
    """A value for each run by which it is found again after others were added, removed or renamed."""
    return [
        ("extra", run.name) if origin is None else origin for run, origin in zip(benchmark.runs, origins, strict=True)
    ]


def resolve_profile(benchmark: Benchmark, requested: str | Profile | None) -> tuple[Profile, tuple[Finding, ...]]:
    """The requested profile, else that of the benchmark; with a finding if the key is unknown."""
    if isinstance(requested, Profile):
        return requested, ()
    try:
        return find_profile(benchmark.profile if requested is None else requested), ()
    except KeyError as error:
        action = f"used the profile '{PROFILES[0].key}'"
        return PROFILES[0], (Finding(Severity.WARNING, "command line", None, str(error), action),)


def make_ranked_list(benchmark: Benchmark, run: Run, query: int, profile: Profile, task: Task) -> RankedList:
    """The full ranked list of one run for one query; does not check for cancellation, as it is short."""
    return ranked_list(benchmark, run, query, profile)
