"""Follows what is open on disk: a run that changes is read anew, and only that run; what else changes, all of it."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Finding
from shrec_viewer.formats.reading import Reading
from shrec_viewer.viewmodels.failure import failure_words
from shrec_viewer.viewmodels.live_jobs import Renewal, renew
from shrec_viewer.viewmodels.live_plan import NEWCOMERS, entries_of, files_of, newcomers, plan_of, runs_of
from shrec_viewer.viewmodels.live_watch import LiveWatch, Watched
from shrec_viewer.viewmodels.live_words import change_words, failure_sentence, reload_words
from shrec_viewer.viewmodels.session_state import SessionState

RENEWING = "renew"
"""Lane in which runs are read anew."""

NEWCOMING = "newcomers"
"""Lane in which new files are looked at."""


class Live(QObject):
    """Watches the files of what is open, while it is told to.

    Parameters
    ----------
    state : the session that it belongs to.

    Signals
    -------
    renewed(renewal)
        A `Renewal`: runs were read anew, or could not be.
    outdated()
        Classes, truth, queries or the description changed, or there is a new run: all has to be read once more.
    told(severity, sentence, details)
        What happened, for people.
    outlived(sentence)
        What was told of a run before holds no longer: it was read since, or failed otherwise.
    following_changed(bool)
        Whether files are followed.
    """

    renewed = Signal(object)
    outdated = Signal()
    told = Signal(str, str, str)
    outlived = Signal(str)
    following_changed = Signal(bool)

    def __init__(self, state: SessionState) -> None:
        super().__init__(state)
        self._state = state
        self._is_following = False
        self._waiting: set[int] = set()
        self._readings: dict[int, Reading] = {}
        self._complaints: dict[int, str] = {}
        self._known: frozenset[Path] = frozenset()
        self._reloading: tuple[str, Path | None, tuple[str, ...]] | None = None
        self.watch = LiveWatch(self)
        self.watch.started.connect(self._note_known)
        self.watch.changed.connect(self._take)
        state.benchmark_changed.connect(self._start)

    def set_following(self, following: bool) -> None:
        """Follow the files of whatever is open, or leave them alone; what changed meanwhile is noticed then."""
        if following != self._is_following:
            self._is_following = following
            self._watch()
            self.following_changed.emit(following)

    def renew(self, places: set[int]) -> None:
        """Read these runs anew, beside the window."""
        self._waiting |= places
        self._renew_next()

    def read_so(self, place: int, reading: Reading) -> None:
        """Read this run so from now on, whatever its content says; until the benchmark is opened anew."""
        self._readings[place] = reading
        self.renew({place})

    def close(self) -> None:
        """End the thread that looks."""
        self.watch.close()

    @Slot()
    def _start(self) -> None:
        """Another benchmark is open, or the same once more."""
        self._waiting.clear()
        self._readings.clear()
        self._complaints.clear()
        self._tell_reloaded()
        self._watch()

    def _watch(self) -> None:
        benchmark = self._state.benchmark
        if benchmark is None or not self._is_following:
            self.watch.stop()
            return
        self._known = frozenset()
        self.watch.start(partial(plan_of, benchmark, self._state.path, self._state.parts), self._state.read_at)

    @Slot(object)
    def _note_known(self, plan: Mapping[str, Watched]) -> None:
        """What lies in the folders of the runs already is not new."""
        self._known = entries_of(plan[NEWCOMERS].paths) if NEWCOMERS in plan else frozenset()

    @Slot(object)
    def _take(self, keys: frozenset[str]) -> None:
        benchmark = self._state.benchmark
        if benchmark is None:
            return
        if files := files_of(keys):
            self._reload(f"{', '.join(file.name for file in files)} changed; everything was read once more")
            return
        if NEWCOMERS in keys:
            folders = tuple(dict.fromkeys(path.parent for path in self._known))
            work = partial(newcomers, folders, self._known)
            self._state.tasks.run(NEWCOMING, work, self._take_newcomers, self._fail, title="Looking at new files")
        self.renew(runs_of(keys))

    def _reload(self, sentence: str) -> None:
        benchmark = self._state.benchmark
        if benchmark is not None:
            self._reloading = (sentence, self._state.path, tuple(run.name for run in benchmark.runs))
            self.outdated.emit()

    def _take_newcomers(self, found: tuple[Path, ...]) -> None:
        if found:
            self._reload("")

    def _tell_reloaded(self) -> None:
        """Say what a reload brought, once it is there."""
        told, self._reloading = self._reloading, None
        benchmark = self._state.benchmark
        if told is None or benchmark is None or self._state.path != told[1]:
            return
        if words := reload_words(told[0], told[2], [run.name for run in benchmark.runs]):
            self.told.emit("info", words, "")

    def tell_kept(self, why: Finding) -> None:
        """Say that what was read anew is worse than what is shown, which therefore stays."""
        self._reloading = None
        self.told.emit("warning", f"{why.place}: {why.message}; {why.action}", "")

    def _renew_next(self) -> None:
        state = self._state
        if state.benchmark is None or not self._waiting or state.tasks.is_busy(RENEWING):
            return
        places, self._waiting = tuple(sorted(self._waiting)), set()
        names = ", ".join(state.benchmark.runs[place].name for place in places)
        state.tasks.run(
            RENEWING,
            partial(renew, state.benchmark, state.scores, places, manifest_of(state.path), dict(self._readings)),
            self._show,
            self._fail,
            title=f"Reading {names} anew",
        )

    def _show(self, renewal: Renewal) -> None:
        before, scores = self._state.mean("queries"), self._state.scores
        if scores is None or renewal.scores is None or scores.profile != renewal.scores.profile:
            before = before[:0, :0]  # conventions were changed meanwhile: other measures, other means
        if renewal.former is not self._state.benchmark:
            self.renew({*renewal.read, *renewal.failed})
            return
        self.renewed.emit(renewal)
        for place in (*renewal.read, *renewal.failed):
            if (former := self._complaints.pop(place, "")) != "":
                self.outlived.emit(former)
        for place in renewal.read:
            self.told.emit("info", change_words(renewal, place, before, self._state.measure), "")
        for place, why in renewal.failed.items():
            self._complaints[place] = failure_sentence(renewal.benchmark.runs[place].name, why)
            self.told.emit("warning", self._complaints[place], "")
        self._renew_next()

    def _fail(self, error: Exception) -> None:
        self.told.emit("error", *failure_words("What changed on disk cannot be read", error))


def manifest_of(path: Path | None) -> Path | None:
    """What was opened, if that describes a benchmark."""
    return path if path is not None and path.suffix.lower() in (".toml", ".shrec") else None
