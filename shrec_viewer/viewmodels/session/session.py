"""The session: holds the document, starts the tasks that it needs, and signals what differs after each change."""

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import time
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.content.data import ResultCache
from shrec_viewer.domain import Benchmark, DistanceMatrix, EditedAssessment, Finding, FormatError, Run, Severity
from shrec_viewer.evaluation.comparison.published import published_findings
from shrec_viewer.evaluation.edits import edit_findings, original_assessment
from shrec_viewer.evaluation.evaluate import exclusion_findings
from shrec_viewer.evaluation.parallel.local import run_in_processes
from shrec_viewer.evaluation.ranked_list import RankedList, ranked_list
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.virtual_runs import reads_files, virtual_run_inputs
from shrec_viewer.formats.core.findings_log import with_profile_actions
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
from shrec_viewer.formats.discovery.input_files import InputFiles
from shrec_viewer.formats.discovery.submission import LoadedRun, RunOrigin, load_added_runs
from shrec_viewer.formats.manifest.run_changes import AddedRun, VirtualRun
from shrec_viewer.metrics import PROFILE_KEYS, PROFILES, Profile, UnknownKeyError, find_measure, find_profile
from shrec_viewer.viewmodels.files.disk_caches import parse_cache
from shrec_viewer.viewmodels.files.findings import location_text
from shrec_viewer.viewmodels.mesh_view.state import MeshViewState
from shrec_viewer.viewmodels.session.assessments import Assessments
from shrec_viewer.viewmodels.session.document import (
    DIFFERENCES,
    Document,
    OpenRequest,
    closed,
    derived,
    opened,
    reopened,
    replaced_by,
    with_best_run,
    with_list,
    with_scores,
    with_selected,
)
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
from shrec_viewer.viewmodels.session.review import Review
from shrec_viewer.viewmodels.session.run_versions import RunVersions
from shrec_viewer.viewmodels.session.scoring import (
    ComputedRun,
    Means,
    compute_virtual_runs,
    score_edited_queries,
    score_runs,
    score_unedited,
)
from shrec_viewer.viewmodels.session.selection import NOTHING, CursorState, Selection
from shrec_viewer.viewmodels.tasks.computing import Computing
from shrec_viewer.viewmodels.tasks.tasks import Task, TaskQueue, describe_failure
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

OPENING, SCORING, LISTING, RELOADING, ADDING, COMPUTING = (
    "open", "scores", "list", "reload", "added runs", "virtual runs",
)  # fmt: skip
#: Keys of the session's own tasks.
UNEDITED = "scores before edits"

#: Title of the tasks that evaluate all runs; that of a small benchmark before it is shown has the key `OPENING`.
EVALUATING = "Evaluating"

#: Changes within one, of slots of `changed`; views make a few.
MAX_NESTED_CHANGES = 100

#: Keys of tasks whose results do not refer to indices of runs; they go on when the list of runs changes.
INDEPENDENT_TASKS = (OPENING, ADDING, "save project", "check project", "add run")


T = TypeVar("T")


def of_document(read: Callable[[Document], T]) -> T:
    """Read-only property of a session with a value of its document."""
    return cast("T", property(lambda session: read(session.document)))


class Session(QObject):
    """Holds what is open, scored and selected. Panels read it and connect to its signals, and do not know each other.

    All of that is one immutable `Document`. A change is another document, given to `apply`, which derives what is
    shown, emits `changed`, and starts the tasks whose inputs are others now; their results are changes as well. Until
    a result arrives, the document has the previous one.

    A benchmark opens with a run and the first query that it has results for: the best run of a small benchmark, which
    is scored before it is shown, else the first one. Scores that arrive later select no other run.

    A receiver of `changed` names the differences that concern it, see `DIFFERENCES`, and reads the new document, whose
    `benchmark` is empty while none is open::

        @Slot(object, object)
        def _follow_session(self, old: Document, new: Document) -> None:
            if new.differs(old, "benchmark"):  # indices of queries, models and runs mean others now
                self._show_benchmark(new.benchmark)
            if new.differs(old, "benchmark", "scores", "selection"):
                self._show_values(new.scores, new.selection)

    ``"benchmark"`` says nothing about other parts: name all that is shown. A receiver may change the session; that
    difference is emitted after all receivers have got the present one, so that each of them gets every change, in
    order. Until then, `document` may be a later one than `new`. Receivers are called in the order in which they
    connected: a panel makes the models that it shows before its base class connects.

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
    review : the review of suspects.
    results : results of pure functions that charts and tables are made of.

    Signals
    -------
    changed(old, new)
        Two `Document` records, see above.
    failed(message, details)
        A requested action failed and changed nothing. `details` may be "".
    done(message)
        A requested action whose result is not visible in the window has finished, e.g. copying.
    written(message, path)
        A file or folder was written; `path` is what to open.
    message(severity, text, details)
        Result of a live reload; `severity` is ``"info"``, ``"warning"`` or ``"error"``.
    message_expired(text)
        An earlier `message` about a run no longer applies.
    """

    changed = Signal(object, object)
    failed = Signal(str, str)
    done = Signal(str)
    written = Signal(str, str)
    message = Signal(str, str, str)
    message_expired = Signal(str)

    def __init__(self, thumbnails: Thumbnails, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.thumbnails = thumbnails
        self.tasks = TaskQueue(self)
        self.computing = Computing(self)
        self.tasks.computing, self.tasks.report_failure = self.computing, self.report_failure
        self.cursor_state = CursorState(self)
        self._reported_cache_problem = ""
        thumbnails.problem_found.connect(self._report_cache_problem)
        self.mesh_view_state = MeshViewState(thumbnails, self)
        self.results = ResultCache()
        self._document = self._emitted = Document()
        self._is_emitting = False
        self._nested_changes = 0
        self._requested: dict[str, tuple[object, ...]] = {}  # inputs of the tasks, see `_is_requested`
        self._watcher = FileWatcher(self)
        self._watcher.changed.connect(self._reload_changed)
        self._watches = False
        self._runs_to_reload: set[int] = set()
        self._scored_index = 0  # of the undo stack, when the scores were computed
        self._reloads_to_report: list[tuple[ReloadedRuns, NDArray[np.float64]]] = []
        self._report_timer = QTimer(self, interval=0, singleShot=True)
        self._report_timer.timeout.connect(self._report_reloads)
        self._failure_messages: dict[int, str] = {}
        self.edits = Edits(self, self)
        self.run_styles = RunStyles(self, self)
        self.versions = RunVersions(self, self)
        self.assessments = Assessments(self, self)
        self.review = Review(self, self)

    # Parts of the document.

    @property
    def document(self) -> Document:
        """What is open, scored and selected."""
        return self._document

    #: Whether a benchmark is open.
    is_open = of_document(lambda document: document.is_open)
    #: The open benchmark; an empty one if none is open.
    benchmark = of_document(lambda document: document.benchmark)
    #: The open benchmark without changes of its runs and of its assessment; an empty one if none is open.
    benchmark_as_read = of_document(lambda document: document.as_read)
    #: Runs of the benchmark as it was read, also those that were removed; without added ones.
    runs_as_read = of_document(lambda document: document.as_read.runs)
    #: Folder or file that was opened.
    path = of_document(lambda document: document.path)
    manifest = of_document(lambda document: document.manifest)
    #: Parts of the benchmark that were given separately from its path.
    parts = of_document(lambda document: document.parts)
    #: The current profile.
    profile = of_document(lambda document: document.profile)
    #: Whether the profile was given when the benchmark was opened; False if it follows from the benchmark.
    is_profile_chosen = of_document(lambda document: document.is_profile_chosen)
    added_measures = of_document(lambda document: document.added_measures)
    #: Keys of all measures that are computed under the current profile.
    measures = of_document(lambda document: document.measures)
    #: Key of the measure shown, see `Document.measure`.
    measure = of_document(lambda document: document.measure)
    #: Scores of all runs under `profile`; None while they are computed, and without a relevance assessment.
    scores = of_document(lambda document: document.scores)
    #: Scores of the same runs before the edits of the assessment, see `Document.unedited_scores`.
    unedited_scores = of_document(lambda document: document.unedited_scores)

    def mean(self, over: str) -> NDArray[np.float64]:
        """(R, M) float64, means of `scores` over ``"queries"`` or ``"classes"``; (0, 0) without scores."""
        return self._document.mean(over)

    #: The list of the selected run for the selected query; the previous one until it is computed.
    ranked_list = of_document(lambda document: document.ranked_list)
    has_list = of_document(lambda document: document.has_list)
    #: The current selection.
    selection = of_document(lambda document: document.selection)
    #: The selected run.
    run = of_document(lambda document: document.run)
    #: Names of the runs that the last reload added.
    new_runs = of_document(lambda document: document.new_runs)
    #: Files and folders of runs that could not be read, with the reason.
    unreadable_runs = of_document(lambda document: document.unreadable_runs)
    #: Runs that are shown after those of the benchmark: former versions.
    extra_runs = of_document(lambda document: document.extra_runs)
    #: Whether a run is read with options of `read_run_as`.
    has_read_options = of_document(lambda document: bool(document.read_options))

    def origin(self, run: int) -> RunOrigin:
        """Where the run with this index is from: its name as read, the entry of an added run, or None."""
        origins = self._document.origins
        return origins[run] if 0 <= run < len(origins) else None

    # Other properties.

    @property
    def is_opening(self) -> bool:
        """Whether a benchmark is being read."""
        return self.tasks.is_busy(OPENING)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Findings of reading, with the actions of the current profile, and of rendering; empty without a benchmark.

        Those of rendering are added later, see `Thumbnails.findings_changed`; one about excluded queries with the
        scores.
        """
        document, path = self._document, self._document.path
        if path is None:
            return ()
        findings = tuple(with_profile_actions(document.benchmark, document.profile))
        of_edits = edit_findings(document.benchmark, self.edits.levels)
        of_thumbnails = self.thumbnails.findings(path if os.path.isdir(path) else path.parent)
        of_tables = published_findings(document.benchmark)
        return findings + _exclusion_findings(document) + of_edits + of_tables + of_thumbnails

    @property
    def has_findings(self) -> bool:
        """Whether `findings` is not empty; faster, as `findings` accesses the disk."""
        document = self._document
        has_own = bool(document.benchmark.findings or document.benchmark.published or _exclusion_findings(document))
        return document.is_open and (has_own or self.thumbnails.has_findings)

    def may_write(self, path: Path) -> bool:
        """Whether an export may write a file; False, and a message, if it is an input of the open benchmark."""
        if not os.path.exists(path):  # the check reads the state of every file: 0.2 s for 50,000 models
            return True
        inputs = InputFiles(self.benchmark if self.is_open else None, self.path, self.parts)
        if name := inputs.name_of(path):
            self.failed.emit(f"{path.name} is an input of this benchmark ({name}), and is not replaced", str(path))
        return not name

    # Changes of the document.

    def apply(self, document: Document) -> None:
        """Replace the document; signals what differs, and starts the tasks whose inputs are others now.

        RecursionError if slots of `changed` go on changing it, as a panel of a plug-in may.
        """
        self._nested_changes = self._nested_changes + 1 if self._is_emitting else 0
        if self._nested_changes > MAX_NESTED_CHANGES:
            raise RecursionError(f"more than {MAX_NESTED_CHANGES} changes of the session that follow from one")
        old, new = self._document, derived(document)
        if new.differs(old, "benchmark"):
            self._reset_tasks(old, new)
        self._document = new
        self.results.keep_results_of(
            new.benchmark, new.as_read, new.scores, new.unedited_scores, self.versions.baseline_scores
        )
        if new.differs(old, "benchmark"):
            self._watch()
            if new.path != old.path:
                self.edits.reset()
                self._scored_index = 0
        self._update_results()
        if self._is_emitting:
            return
        self._is_emitting = True
        try:
            while (old := self._emitted) is not self._document:
                self._emitted = self._document
                self._emit_differences(old, self._emitted)
        finally:
            self._is_emitting = False

    def _change(self, **changes: Any) -> None:
        self.apply(replace(self._document, **changes))

    def _reset_tasks(self, old: Document, new: Document) -> None:
        """Stop the tasks, and forget all that refers to indices of the former benchmark."""
        if new.differs(old, "opened"):
            self.tasks.stop_all()
            self._requested = {} if new.scores is None else {SCORING: new.score_inputs}
            self.thumbnails.forget()
        else:
            self.tasks.stop_all(keep=INDEPENDENT_TASKS)
            self._requested = {key: inputs for key, inputs in self._requested.items() if key == ADDING}
        self.cursor_state.clear()
        if new.differs(old, "opened"):
            root = new.benchmark.root if new.is_open else None
            self.mesh_view_state.set_collection(root, new.benchmark.camera, new.benchmark.quantities)
            self.assessments.reset(new.path)
        self._runs_to_reload.clear()
        self._failure_messages.clear()

    def _emit_differences(self, old: Document, new: Document) -> None:
        """Emit `changed`, and the signals of the cursor and of the run styles, which follow the document."""
        is_other_benchmark = new.differs(old, "benchmark")
        if new.differs(old, "rank") and not is_other_benchmark:
            self.cursor_state.set_selected_rank(new.selection.rank)
        if new.differs(old, *DIFFERENCES):
            self.changed.emit(old, new)
        if is_other_benchmark:  # views have forgotten the former one only now
            self.cursor_state.set_selected_rank(new.selection.rank)
        if new.differs(old, "colours"):
            self.run_styles.changed.emit()

    # Results of background tasks. Each is computed again when its inputs, which `_is_requested` gets, are others.

    def _update_results(self) -> None:
        self._rank()
        self._score()
        self._score_unedited()
        self._load_added()
        self._compute_virtual()

    def _is_requested(self, key: str, inputs: tuple[object, ...]) -> bool:
        """Whether the result of these inputs is known, or was requested; from now on it is."""
        former = self._requested.get(key)
        self._requested[key] = inputs
        return former is not None and former == inputs

    def _rank(self) -> None:
        document = self._document
        benchmark, run, query, profile = document.benchmark, document.run, document.selection.query, document.profile
        if self._is_requested(LISTING, (benchmark.assessment, run, query, profile)):
            return
        if run is None or query == NOTHING:
            self.tasks.stop(LISTING)
            return
        work = partial(make_ranked_list, benchmark, run, query, profile)
        failed = partial(self._fail_list, f"The list of {run.name} cannot be shown")
        self.tasks.run(LISTING, work, self._show_list, failed, title="Ranking the models")

    def _show_list(self, ranked: RankedList) -> None:
        self.apply(with_list(self._document, ranked))

    def _fail_list(self, what: str, error: Exception) -> None:
        # Panels would show the list of the previous query under the name of the selected one.
        self._change(ranked_list=None)
        self.report_failure(what, error)

    def _score(self) -> None:
        """Score all runs; of edits of the assessment only the queries whose levels differ."""
        document, former = self._document, self._requested.get(SCORING)
        inputs = document.score_inputs
        if self._is_requested(SCORING, inputs):
            return
        if not document.is_scorable:
            self.tasks.stop(SCORING)
            return
        benchmark, scores = document.benchmark, document.scores
        has_new_levels = (
            scores is not None
            and former is not None
            and former[1:] == inputs[1:]
            and original_assessment(scores.benchmark) is original_assessment(benchmark)
        )
        if scores is not None and has_new_levels and not self.tasks.is_busy(SCORING):
            work, what = partial(score_edited_queries, benchmark, scores), "Evaluating edits"
        else:
            what, previous = EVALUATING, scores or document.previous_scores
            self.computing.prepare(benchmark)
            work = partial(score_runs, benchmark, document.profile, document.added_measures, previous)
        self.tasks.run(
            SCORING,
            work,
            self._show_scores,
            "The runs cannot be evaluated",
            title=what,
            listed=what == EVALUATING,
        )

    def _show_scores(self, evaluated: tuple[Scores, Means]) -> None:
        new, index = with_scores(self._document, *evaluated), self.edits.stack.index()
        if index < self._scored_index:  # undo is no change to compare with
            new = replace(new, replaced_scores=None)
        self._scored_index = index
        self.apply(new)

    def dismiss_changes(self) -> None:
        """Forget the scores before the last change."""
        self._change(replaced_scores=None)

    def _score_unedited(self) -> None:
        scores = self._document.scores
        if self._is_requested(UNEDITED, (scores,)) or scores is None or self._document.unedited_scores is not None:
            return
        if isinstance(scores.benchmark.assessment, EditedAssessment):
            work = partial(score_unedited, scores)
            # Where it fails, the former curves are not shown; evaluating the present ones reports the same error.
            self.tasks.run(UNEDITED, work, partial(self._show_unedited, scores), title="Scores before the edits")

    def _show_unedited(self, scores: Scores, unedited: Scores) -> None:
        if self._document.scores is scores:
            self._change(unedited_scores=unedited)

    def _load_added(self) -> None:
        """Read the added runs that are not read yet."""
        document = self._document
        missing = document.missing_runs
        if not self._is_requested(ADDING, missing) and missing:
            work = partial(_load_added_runs, document.as_read, missing)
            title = f"Reading {', '.join(run.path.name for run in missing[:3])}"
            self.tasks.run(ADDING, work, self._show_added, "The added runs cannot be read", title=title, listed=True)

    def _show_added(self, loaded: dict[AddedRun, LoadedRun]) -> None:
        self.provide_added(loaded)
        for found in loaded.values():
            for finding in found.findings if found.run is None else ():
                self._warn_of(finding)

    def provide_added(self, loaded: Mapping[AddedRun, LoadedRun]) -> None:
        """Use added runs that were read; those that are not added yet will be, see `Edits.set_runs`."""
        self._change(loaded={**self._document.loaded, **loaded})

    def _compute_virtual(self) -> None:
        """Compute the virtual runs again whose runs, conventions or assessment have changed, in the background."""
        document, wanted = self._document, self._document.edited.runs.virtual
        benchmark, profile, is_adding = document.benchmark, document.profile, self.tasks.is_busy(ADDING)
        if self._is_requested(COMPUTING, (wanted, benchmark.runs, benchmark.assessment, profile, is_adding)):
            return
        source = document.submitted
        inputs = {run: virtual_run_inputs(source, run.expression, profile) for run in wanted}
        former = {run: found for run in wanted if (found := document.computed.get(run)) is not None}
        outdated = {run: used for run, used in inputs.items() if run not in former or former[run].inputs != used}
        if not outdated or is_adding:  # the added runs are sources
            self.tasks.stop(COMPUTING)
            return
        self.computing.prepare(source, reads_files=any(reads_files(run.expression) for run in outdated))
        work = partial(compute_virtual_runs, source, profile, outdated, former, document.path or Path())
        problem = "The virtual runs cannot be computed"
        title = f"Computing {', '.join(run.expression[:40] for run in list(outdated)[:3])}"
        self.tasks.run(COMPUTING, work, self._show_virtual, problem, title=title, listed=True)

    def _show_virtual(self, computed: Mapping[VirtualRun, ComputedRun]) -> None:
        former = self._document.computed
        self._change(computed={**former, **computed})
        problems = [
            finding.message
            for run, found in computed.items()
            for finding in found.findings
            if found.run is None and (run not in former or former[run].findings != found.findings)
        ]
        if problems:
            others = f"; {len(problems) - 1:,} more, see the findings" if len(problems) > 1 else ""
            self.message.emit("warning", f"{problems[0][:1].upper()}{problems[0][1:]}; the run is left out{others}", "")

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
        profile : profile, or its key, to use instead of that of the benchmark; ``"+ties=trec"`` changes that one.
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
        self.tasks.stop_all()
        if self._document.is_open:
            self.apply(closed(self._document))

    def shut_down(self) -> None:
        """End all tasks and threads; called once, when the window closes."""
        self._watcher.close()
        self.tasks.close()
        self.computing.close()
        self.thumbnails.close()
        self.mesh_view_state.close()

    def _reload(self, reason: str = "", *, automatic: bool = False, new_runs: tuple[Path, ...] = ()) -> None:
        document = self._document
        if document.request is not None:
            default, _ = resolve_profile(document.benchmark, None)
            profile = None if document.profile == default else document.profile
            path, parts = document.request.path, document.request.parts
            self._read(OpenRequest(path, parts, profile, time(), automatic, reason, new_runs=new_runs))

    def _read(self, request: OpenRequest) -> None:
        self.tasks.run(
            OPENING,
            partial(open_benchmark, request.path, request.parts),
            partial(self._show_opened, request),
            partial(self._show_not_opened, request),
            title=f"Reading {request.path.name}",
            listed=True,
        )

    @Slot(str)
    def _report_cache_problem(self, text: str) -> None:
        """Report once why a cache is not used, or another renderer is."""
        if text and text != self._reported_cache_problem:
            self._reported_cache_problem = text
            self.message.emit("warning", text[:1].upper() + text[1:], "")

    def _show_opened(self, request: OpenRequest, benchmark: Benchmark) -> None:
        """Show a benchmark that was read; a small one is scored first, so that it opens with its best run."""
        self._report_cache_problem(parse_cache().problem)
        former = self._document
        is_reload = request.path == former.path
        if request.automatic and is_reload:
            if (loss := find_loss(former.as_read, benchmark)) is not None:
                self._use_previous_version(loss)
                return
            benchmark = keep_unreadable_runs(former.as_read, benchmark)
        chosen = request.profile
        changes = chosen if isinstance(chosen, str) and chosen.startswith("+") else ""
        if chosen is None or changes:
            is_default = benchmark.profile == PROFILES[0].key and request.default_profile in PROFILE_KEYS
            origin = request.default_profile if is_default else benchmark.profile if changes else None
            chosen = None if origin is None else f"{origin}{changes}"
        profile, findings = resolve_profile(benchmark, chosen)
        benchmark = replace(benchmark, findings=benchmark.findings + findings)
        new = (reopened if is_reload else opened)(request, benchmark, profile, former)
        faults = unreadable_runs(new.benchmark, {*request.new_runs, *(former.unreadable_runs if is_reload else ())})
        new = replace(new, is_profile_chosen=chosen is not None, unreadable_runs=faults)
        if is_reload:
            self.apply(new)
            self._report_reload(request, former, new)
        elif new.is_scored_first:
            work, shown = partial(score_runs, new.benchmark, profile, new.added_measures, None), self._show_scored
            self.tasks.run(OPENING, work, partial(shown, new), partial(shown, new), title=EVALUATING, listed=True)
        else:
            self.apply(new)

    def _show_scored(self, new: Document, scored: tuple[Scores, Means] | Exception) -> None:
        """Show a benchmark with its best run; where it cannot be evaluated, the next attempt reports the error."""
        if isinstance(scored, tuple):
            new = with_best_run(with_scores(new, *scored))
        means = self._document.selection.means  # another perspective may have been chosen meanwhile
        self.apply(replace(new, selection=replace(new.selection, means=means)))

    def _report_reload(self, request: OpenRequest, former: Document, new: Document) -> None:
        names = [[run.name for run in document.benchmark.runs] for document in (former, new)]
        if text := reload_text(request.reason, *names):
            self.message.emit("info", text, "")
        for finding in new.benchmark.findings:
            if finding.key == PREVIOUS_VERSION_KEY:
                self._warn_of(finding)
        for path, reason in self._document.unreadable_runs.items():
            if former.unreadable_runs.get(path) != reason:
                self.message.emit("warning", f"{path.name} cannot be read: {reason}", "")

    def _show_not_opened(self, request: OpenRequest, error: Exception) -> None:
        if request.automatic and request.path == self.path and isinstance(error, FormatError):
            self._use_previous_version(previous_version_finding(self._document.benchmark, error))
        else:
            self.report_failure(f"{request.path.name} cannot be opened", error)

    def _use_previous_version(self, finding: Finding) -> None:
        """Continue with the benchmark as read before, and add a finding with the reason."""
        others = tuple(other for other in self._document.as_read.findings if other != finding)
        self._change(as_read=replace(self._document.as_read, findings=(*others, finding)))
        self._warn_of(finding)

    # Selection, conventions and changes of the list of runs.

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
        mean_over: str | None = None,
        cause: str | None = None,
        within: Sequence[int] | None = None,
        slice: str | None = None,
        groups: Sequence[str] | None = None,
    ) -> None:
        """Change the given fields of the selection; indices that the benchmark does not have are ignored.

        See `Selection`. `means` also applies to benchmarks opened later, and can be set while none is open.
        """
        changes = {
            "query": query,
            "run": run,
            "compared": compared,
            "shown_runs": None if shown_runs is None else tuple(shown_runs),
            "rank": rank,
            "model": model,
            "measure": measure,
            "means": means,
            "mean_over": mean_over,
            "cause": cause,
            "within": None if within is None else tuple(sorted(within)),
            "slice": slice,
            "groups": None if groups is None else tuple(groups),
        }
        old = self._document
        new = with_selected(old, changes)
        self.apply(new)
        if new.edited is not old.edited:
            self.edits.record_shown_runs(old, new)

    def deselect_rank(self) -> None:
        """Select no rank and no model."""
        selection = self._document.selection
        if (selection.rank, selection.model) != (None, None):
            self._change(selection=replace(selection, rank=None, model=None))

    def select_when_known(self, name: str, *, compared: bool = False) -> None:
        """Select a run, or compare with it, once it is computed or read, unless another one is selected before."""
        self._change(pending_runs={**self._document.pending_runs, "compared" if compared else "run": name})

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
        if profile != self.profile:
            self._change(profile=profile)

    def add_measure(self, key: str) -> None:
        """Select a measure, and compute it under every profile from now on.

        Parameters
        ----------
        key : canonical key of `find_measure`.
        """
        if not self._document.is_open:
            return
        if key not in self.added_measures:
            self._change(added_measures=(*self.added_measures, key))
        self.select(measure=key)

    def remove_measure(self, key: str) -> None:
        """Remove an added measure; it stays in the tables of profiles that have it."""
        if key in self.added_measures:
            lists = {"added_measures": self.added_measures, "project_measures": self._document.project_measures}
            self._change(**{name: tuple(one for one in keys if one != key) for name, keys in lists.items()})

    def set_added_measures(self, keys: Sequence[str], of_project: Sequence[str] = ()) -> None:
        """Replace the added measures by those of the settings and of a project; one message names all unknown keys."""
        known: dict[str, str] = {}
        problems = []
        for key in dict.fromkeys((*keys, *of_project)):
            try:
                known[key] = find_measure(key).key
            except UnknownKeyError as error:
                problems.append(str(error))
        if problems:
            self.message.emit("warning", f"Measures were left out: {'. '.join(problems)}", "")
        added = tuple(dict.fromkeys(known.values()))
        own = {known.get(key) for key in keys}
        self._change(
            added_measures=self.added_measures if added == self.added_measures else added,
            project_measures=tuple(key for key in added if key not in own),
        )

    def set_extra_runs(self, runs: Sequence[Run]) -> None:
        """Set `extra_runs`; their lists refer to models and queries of the open benchmark."""
        self._change(extra_runs=tuple(runs))

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
        if not self._document.is_open or not self._runs_to_reload or self.tasks.is_busy(RELOADING):
            return
        indices, self._runs_to_reload = tuple(sorted(self._runs_to_reload)), set()
        names = ", ".join(self._document.benchmark.runs[index].name for index in indices)
        work, failed = partial(read_changed_runs, self._document, indices), self._report_reload_failure
        self.tasks.run(RELOADING, work, self._show_reloaded, failed, title=f"Reloading {names}", listed=True)

    def read_run_as(self, run: int, options: ReadOptions) -> None:
        """Read a run with these options, until the benchmark is reopened."""
        self._change(read_options={**self._document.read_options, self.origin(run): options})
        self.reload_runs({run})

    @property
    def metrics(self) -> Mapping[int, str]:
        """Metric of each run of feature vectors, by its index."""
        rankings = ((index, run.ranking) for index, run in enumerate(self.benchmark.runs))
        return {index: found.metric for index, found in rankings if isinstance(found, DistanceMatrix) and found.metric}

    def set_metric(self, metric: str) -> None:
        """Read all runs of feature vectors with this metric, until the benchmark is reopened."""
        self.set_read_option(self.metrics, "metric", metric)

    def set_read_option(self, runs: Collection[int], key: str, value: str) -> None:
        """Read some runs with one option besides those set before, until the benchmark is reopened.

        `key`, `value` : see `ReadOptions.with_option`.
        """
        options = dict(self._document.read_options)
        for origin in map(self.origin, runs):
            options[origin] = options.get(origin, DETECT_ALL).with_option(key, value)
        self._change(read_options=options)
        self.reload_runs(runs)

    def _watch(self) -> None:
        document = self._document
        if document.request is None or not self._watches:
            self._watcher.stop()
        else:
            unreadable = tuple(document.unreadable_runs)
            plan = partial(watch_plan, document.benchmark, document.path, document.parts, unreadable)
            self._watcher.start(plan, document.request.requested_at)

    @Slot(object)
    def _reload_changed(self, changes: FileChanges) -> None:
        if not self._document.is_open:
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
        document, read = self._document, reloaded.document
        if document.sources is not reloaded.old.sources:
            self.reload_runs({*reloaded.read, *reloaded.failed})
            return
        present, scores = document.scores, reloaded.scores
        is_current = (
            present is not None
            and scores is not None
            # Else the profile, the measures or the assessment were changed while the runs were read.
            and (present.profile, present.measures) == (scores.profile, scores.measures)
            and not self.tasks.is_busy(SCORING)
        )
        before = document.mean("queries") if is_current else np.zeros((0, 0))
        names = ("as_read", "loaded", "benchmark", "origins", "sources")
        new = replace(document, **{name: getattr(read, name) for name in names})
        if is_current and scores is not None and reloaded.read:
            replaced = replaced_by(document, scores)
            new = replace(new, scores=scores, means=reloaded.means, unedited_scores=None, replaced_scores=replaced)
            self._is_requested(SCORING, new.score_inputs)
        self.apply(new)
        # In a later event-loop iteration: showing the runs takes 60 ms in the full window, and the message 15 ms more.
        self._reloads_to_report.append((reloaded, before))
        self._report_timer.start()
        self.reload_runs(())

    @Slot()
    def _report_reloads(self) -> None:
        reloads, self._reloads_to_report = self._reloads_to_report, []
        for reloaded, before in reloads if self._document.is_open else ():
            self._report_reloaded(reloaded, before)

    def _report_reloaded(self, reloaded: ReloadedRuns, before: NDArray[np.float64]) -> None:
        for run in (*reloaded.read, *reloaded.failed):
            if (text := self._failure_messages.pop(run, "")) != "":
                self.message_expired.emit(text)
        for run in reloaded.read:
            self.message.emit("info", run_reloaded_text(reloaded, run, before, self.measure), "")
        for run, reason in reloaded.failed.items():
            shown = reloaded.document.benchmark.runs[run]
            text = f"{shown.name} changed, but cannot be read: {reason}; {PREVIOUS_VERSION_USED}"
            if not os.path.exists(shown.source):
                text = f"{shown.name} was removed; {PREVIOUS_VERSION_USED}"
            self._failure_messages[run] = text
            self.message.emit("warning", text, "")

    def _report_reload_failure(self, error: Exception) -> None:
        self.message.emit("error", *describe_failure("The changed files cannot be read", error))

    # Failures.

    def report_failure(self, what: str, error: Exception) -> None:
        """Emit `failed` for an exception of a background task; see `describe_failure`."""
        self.failed.emit(*describe_failure(what, error))

    def _warn_of(self, finding: Finding) -> None:
        self.message.emit("warning", f"{location_text(finding)}: {finding.message}; {finding.action}", "")


#: Maximum number of previous selections; contests have at most a few hundred queries.
MAX_HISTORY = 200


class SelectionHistory(QObject):
    """Stack of previous selections, for Back and Forward.

    Changes of rank, model and shown runs are not recorded.

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
        session.changed.connect(self._record)

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

    def clear(self) -> None:
        """Forget all selections."""
        self._back_stack, self._forward_stack = [], []
        self.changed.emit()

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
                slice=selection.slice,
                groups=selection.groups,
            )
            if selection.rank is not None:
                self._session.select(rank=selection.rank)
        finally:
            self._restoring = False
        self.changed.emit()

    @Slot(object, object)
    def _record(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            self.clear()
        elif not self._restoring and _history_key(old) != _history_key(new):
            self._back_stack = [*self._back_stack, old.selection][-MAX_HISTORY:]
            self._forward_stack = []
            self.changed.emit()


def _history_key(document: Document) -> Selection:
    """The fields of the selection of which changes are recorded: all but rank, models, shown runs and the means.

    Each perspective has its own value of the means.
    """
    selection = replace(document.selection, means=False, mean_over="")
    return replace(selection, rank=None, model=None, shown_runs=(), cause="", within=())


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
        with_changed_runs=False,
    )


def _load_added_runs(benchmark: Benchmark, added: Sequence[AddedRun], task: Task) -> dict[AddedRun, LoadedRun]:
    return load_added_runs(benchmark, added, cancelled=task.cancelled, progress=task.progress, cache=parse_cache())


def _exclusion_findings(document: Document) -> tuple[Finding, ...]:
    """Queries that the profile excludes from every mean; known once the scores are computed."""
    scores, profile = document.scores, document.profile
    if scores is None or scores.profile != profile:
        return ()
    return exclusion_findings(document.benchmark, profile, scores.excluded)


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
