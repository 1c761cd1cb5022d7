"""Versions of the runs of the open benchmark: recorded after scoring, shown as runs, and the baseline of each run."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.domain import Benchmark, FormatError, Run
from shrec_viewer.evaluation.run_versions import (
    record_version,
    stored_folder,
    version_run,
    version_title,
    with_baselines,
)
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.io.text import os_error_text
from shrec_viewer.formats.manifest.run_changes import AddedRun
from shrec_viewer.formats.runs.version_store import StoredVersion, VersionStore, benchmark_folder
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.scoring import Means, compute_means
from shrec_viewer.viewmodels.tasks.tasks import Task

#: Keys of the tasks that record versions, score baselines, and read a version to show it.
RECORD_LANE, BASELINE_LANE, SHOW_LANE = "versions", "baseline", "show version"


NOT_KEPT = "Versions of the runs cannot be kept"


class RunVersions(QObject):
    """Records versions of runs, and holds the baselines of the open benchmark.

    Parameters
    ----------
    session : the `Session`, which owns this object.

    Attributes
    ----------
    folder : folder of the stores of all benchmarks; None keeps no versions.
    baseline_key : an object that is another one whenever the baselines were scored again.

    Signals
    -------
    changed()
        Versions were recorded, or a note or baseline was changed.
    baseline_changed()
        `baseline` was replaced.
    """

    changed = Signal()
    baseline_changed = Signal()

    def __init__(self, session: Any, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.folder: Path | None = None
        self._recorded: dict[str, Run] = {}
        self.baseline_key: Scores | None = None
        self._baseline_means: Means = {}
        self._baseline_inputs: tuple[object, ...] = ()
        self._reported_problem = ""
        # Several changes follow one reload; recording is no part of showing its result.
        self._timer = QTimer(self, interval=0, singleShot=True)
        self._timer.timeout.connect(self._record)
        session.changed.connect(self._follow_session)

    @property
    def store(self) -> VersionStore | None:
        """Versions of the open benchmark; None if none are kept."""
        session = self._session
        if self.folder is None or session.path is None:
            return None
        return VersionStore(benchmark_folder(self.folder, session.path, session.benchmark))

    def key_of(self, run: int) -> str:
        """Name of a run in the store: as read, also where it was renamed or replaced; "" for other runs."""
        origin = self._session.origin(run)
        if isinstance(origin, AddedRun):
            return origin.replaces or origin.name
        return origin if isinstance(origin, str) else ""

    # Recording.

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "benchmark"):
            present = {id(run) for run in new.benchmark.runs}
            # Runs of a benchmark that was closed may hold gigabytes; removed ones are recorded again when they return.
            self._recorded = {key: run for key, run in self._recorded.items() if id(run) in present}
            self._set_baseline(None, {}, ())
        if new.differs(old, "scores"):
            self._score_baselines()
        if new.differs(old, "opened", "scores", "runs", "warnings"):
            self._timer.start()

    @Slot()
    def _record(self) -> None:
        """Record the runs that were read since the last time, once they are scored."""
        session, store = self._session, self.store
        benchmark, scores = session.benchmark, session.scores
        if store is None or (benchmark.assessment is not None and scores is None):
            return
        keys = {index: key for index in range(len(benchmark.runs)) if (key := self.key_of(index))}
        wanted = [
            (key, benchmark.runs[i]) for i, key in keys.items() if self._recorded.get(key) is not benchmark.runs[i]
        ]
        if wanted:
            work, problem = partial(_record_runs, store, benchmark, scores, tuple(wanted)), NOT_KEPT
            title, part = "Keeping the versions of the runs", self._add_recorded
            session.tasks.run(RECORD_LANE, work, self._show_recorded, problem, part=part, title=title)

    def _add_recorded(self, part: tuple[str, Run]) -> None:
        self._recorded[part[0]] = part[1]

    def _show_recorded(self, problem: str) -> None:
        if problem and problem != self._reported_problem:
            self._reported_problem = problem
            self._session.message.emit("warning", f"{NOT_KEPT}: {problem}", "")
        self.changed.emit()
        if not self.has_baselines:  # the store of a benchmark that was moved has got those of the former one
            self._baseline_inputs = ()
            self._score_baselines()

    # What the user does with versions.

    def show(self, version: StoredVersion, others: Sequence[StoredVersion], *, compares: str = "") -> None:
        """Show a version as a run, and with `compares` (the name of a run) compare it with that run."""
        store, benchmark = self.store, self._session.benchmark
        if store is None:
            return
        title = version_title(version.record, [other.record for other in others])

        def work(_task: Task) -> Run | None:
            return version_run(store.load(version), benchmark, title)

        done, problem = partial(self._show_version, title, compares), "The version cannot be shown"
        self._session.tasks.run(SHOW_LANE, work, done, problem, title=f"Reading {title}")

    def compare_with_former(self, name: str) -> bool:
        """Compare a run with its version before the present one; False if none is kept."""
        store, runs = self.store, self._session.benchmark.runs
        run = next((index for index, one in enumerate(runs) if one.name == name), None)
        if store is None or run is None:
            return False
        key = self.key_of(run)
        versions = store.history(key).versions
        former = versions[:-1] if self._recorded.get(key) is runs[run] else versions
        if former:
            self.show(former[-1], versions, compares=name)
        return bool(former)

    def _show_version(self, title: str, compares: str, run: Run | None) -> None:
        session = self._session
        if run is None:
            text = f"{title} cannot be shown: its lists were not kept, or the models or queries have changed since"
            session.message.emit("warning", text, "")
            return
        if title not in (other.name for other in session.extra_runs):
            session.set_extra_runs([*session.extra_runs, run])
        names = [other.name for other in session.benchmark.runs]
        if compares in names and title in names:
            session.select(run=names.index(compares), compared=names.index(title))
            session.cursor_state.request_view("compare")
        elif title in names:
            session.select(run=names.index(title))

    def set_note(self, version: StoredVersion, note: str) -> None:
        """Store the note of a version."""
        self._write(partial(VersionStore.set_note, version=version, note=note))

    def set_baseline(self, run: str, version: StoredVersion | None) -> None:
        """Compare the values of a run with a version of it; None to show no differences."""
        self._write(partial(VersionStore.set_baseline, run=run, version=version))
        self._baseline_inputs = ()
        self._score_baselines()

    def _write(self, work: Any) -> None:
        """Change the store; a file of a few bytes, written at once so that no later reading misses it."""
        if (store := self.store) is None:
            return
        try:
            work(store)
        except OSError as error:
            self._session.message.emit("error", f"The change cannot be kept: {os_error_text(error, 'written')}", "")
        self.changed.emit()

    # Baselines.

    @property
    def has_baselines(self) -> bool:
        """Whether a run has a baseline with which its values are compared."""
        return self.baseline_key is not None

    @property
    def baseline_scores(self) -> Scores | None:
        """Scores of the baselines under the names of their runs; None while they are being scored, and without any."""
        scores, present = self.baseline_key, self._session.scores
        if scores is None or present is None:
            return None
        is_current = scores.measures == present.measures and scores.profile == present.profile
        return scores if is_current else None

    def difference(self, run: str, measure: str, query: int | None, over: str = "queries") -> float | None:
        """Difference of a value of a run from that of its baseline; None without one, or if it is undefined.

        Parameters
        ----------
        measure : key.
        query, over : see `baseline_values`.
        """
        values, scores = self.baseline_values(run, query, over), self._session.scores
        if values is None or scores is None or run not in scores.runs:
            return None
        row, column = scores.run_index(run), scores.column(measure)
        value = self._session.mean(over)[row, column] if query is None else scores.values[row, query, column]
        found = float(value - values[column])
        return None if np.isnan(found) else found

    def baseline_values(self, run: str, query: int | None, over: str = "queries") -> NDArray[np.float64] | None:
        """(M,) float64, values of the baseline of a run in the order of `Session.scores.measures`.

        None if there is no baseline.

        Parameters
        ----------
        query : index of a query; None for the mean.
        over : what a mean is taken over, ``"queries"`` or ``"classes"``.
        """
        scores = self.baseline_scores
        if scores is None or run not in scores.runs:
            return None
        row = scores.run_index(run)
        values: NDArray[np.float64] = self._baseline_means[over][row] if query is None else scores.values[row, query]
        return values

    def baseline_of_queries(self, run: str) -> Scores | None:
        """Scores of the baseline of a run, as its only run; None if there is none."""
        scores = self.baseline_scores
        if scores is None or run not in scores.runs:
            return None
        return scores.select_runs([scores.run_index(run)])

    def _score_baselines(self) -> None:
        session, store = self._session, self.store
        benchmark, scores = session.benchmark, session.scores
        if store is None or scores is None:
            return
        runs = tuple(
            (benchmark.runs[index].name, key) for index in range(len(benchmark.runs)) if (key := self.key_of(index))
        )
        inputs = (scores.profile, scores.measures, runs, benchmark.assessment)
        if inputs == self._baseline_inputs:
            return
        work = partial(_score_baseline_runs, store, benchmark, scores, runs)
        done = partial(self._show_baselines, inputs)
        session.tasks.run(BASELINE_LANE, work, done, self._fail_baselines, title="Scoring the baselines")

    def _show_baselines(self, inputs: tuple[object, ...], found: tuple[Scores, Means] | None) -> None:
        scores, means = (None, {}) if found is None else found
        self._set_baseline(scores, means, inputs)

    def _fail_baselines(self, error: Exception) -> None:
        self._set_baseline(None, {}, ())
        self._session.report_failure("The baselines cannot be scored", error)

    def _set_baseline(self, scores: Scores | None, means: Means, inputs: tuple[object, ...]) -> None:
        had = self.baseline_key is not None
        self.baseline_key, self._baseline_means, self._baseline_inputs = scores, means, inputs
        if had or scores is not None:
            self.baseline_changed.emit()


def _record_runs(
    store: VersionStore, benchmark: Benchmark, scores: Scores | None, runs: tuple[tuple[str, Run], ...], task: Task
) -> str:
    """Store the versions of runs; why that is not possible, "" if it is."""
    for key, run in runs:
        try:
            record = record_version(benchmark, run, scores, cancelled=task.cancelled)
            store.add(replace(record, run=key))
        except OSError as error:
            return os_error_text(error, "written")
        except FormatError:  # a large matrix changes; it is read again, and recorded then
            continue
        task.send((key, run))
    return ""


def _score_baseline_runs(
    store: VersionStore, benchmark: Benchmark, scores: Scores, runs: tuple[tuple[str, str], ...], task: Task
) -> tuple[Scores, Means] | None:
    """Scores of the baseline of each run that has one; runs are (shown name, name in the store)."""
    shown = with_baselines(store, benchmark, runs)
    if shown is None:
        return None
    measures = [measure.key for measure in scores.measures]
    baseline_scores = task.evaluate(shown, scores.profile, measures=measures, cancelled=task.cancelled)
    return baseline_scores, compute_means(baseline_scores)


def versions_folder() -> Path:
    """Folder of the stores on this system."""
    from platformdirs import user_data_path

    return stored_folder(user_data_path("shrec-viewer", appauthor=False))
