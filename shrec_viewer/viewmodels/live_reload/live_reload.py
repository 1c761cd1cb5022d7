"""Live reload: decides which files to watch and reloads a run or the benchmark when they change."""

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.discovery.benchmark import RUN_KINDS, recognise_format
from shrec_viewer.formats.io.archive import has_archive_suffix, is_archive
from shrec_viewer.formats.io.text import read_file_head
from shrec_viewer.formats.manifest.manifest import MANIFEST_NAME, PROJECT_SUFFIX
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.number_format import format_change, format_value
from shrec_viewer.viewmodels.live_reload.file_watcher import SETTLE_S, FileWatcher, WatchedFiles
from shrec_viewer.viewmodels.live_reload.reread import KEPT_ACTION, ReloadedRuns, reload_runs
from shrec_viewer.viewmodels.session.state import SessionState
from shrec_viewer.viewmodels.tasks.tasks import Task, describe_failure

_FILE_KEY = "file "
"""Keys of what is no run begin so: description, classes, queries, relevance, archives."""

NEW_FILES = "newcomers"
"""Key of the folders that hold runs; new names in them may be new runs."""

_RUN_KEY = "run "

MAX_PROBED_FILES = 8
"""Files of a new folder that are looked at to see whether it holds rank lists."""


def watch_plan(benchmark: Benchmark, path: Path | None, parts: BenchmarkParts) -> dict[str, WatchedFiles]:
    """What to watch, by key.

    Parameters
    ----------
    path : what was opened.
    parts : where parts lie elsewhere.
    """
    if path is not None and has_archive_suffix(path):
        return {f"{_FILE_KEY}{path}": WatchedFiles((path,))}  # what was unpacked from it never changes
    named_places = {place for found in _finding_paths(benchmark) for place in (found, *found.parents)}
    # What lies in an archive was unpacked elsewhere, while findings name the archive: there is nothing to watch there.
    runs = {place: run.source for place, run in enumerate(benchmark.runs) if run.source in named_places}
    plan = {f"{_RUN_KEY}{place}": WatchedFiles((source,)) for place, source in runs.items()}
    opened = path if path is not None and path.is_file() and path.suffix.lower() != PROJECT_SUFFIX else None
    named = [benchmark.root / MANIFEST_NAME, opened]  # a project is written by ourselves
    named += [part for part in (parts.classification, parts.queries, parts.assessment) if part and not part.is_dir()]
    sources = set(runs.values())
    files = dict.fromkeys(file for file in (*named, *files_in_findings(benchmark)) if file is not None)
    plan |= {f"{_FILE_KEY}{file}": WatchedFiles((file,)) for file in files if file not in sources}
    homes = [home for home in (benchmark.root, parts.runs) if home is not None]
    packed = (file for file in files if has_archive_suffix(file))
    folders = dict.fromkeys(file.parent for file in sorted({*sources, *packed}))
    inside = tuple(folder for folder in folders if any(folder.is_relative_to(home) for home in homes))
    if inside:
        plan[NEW_FILES] = WatchedFiles(inside, names_only=True)
    return plan


def runs_in_keys(keys: Iterable[str]) -> set[int]:
    """Places of the runs that some keys of the plan stand for."""
    return {int(key.removeprefix(_RUN_KEY)) for key in keys if key.startswith(_RUN_KEY)}


def files_in_keys(keys: Iterable[str]) -> list[Path]:
    """Files that some keys of the plan stand for, those of runs left out."""
    return sorted(Path(key.removeprefix(_FILE_KEY)) for key in keys if key.startswith(_FILE_KEY))


def files_in_findings(benchmark: Benchmark) -> Iterable[Path]:
    """Files that findings are about: every file that was taken for something is named there.

    Not those of runs, models and queries; of what lies in an archive, the archive.
    """
    sources = {run.source for run in benchmark.runs}
    pictured = {path for path in (*benchmark.collection.paths, *benchmark.queries.paths) if path is not None}
    for path in _finding_paths(benchmark):
        if path in sources or path in pictured or any(above in sources for above in path.parents):
            continue
        file = next((place for place in (path, *path.parents) if os.path.exists(place)), path)
        if os.path.isfile(file):
            yield file


def _finding_paths(benchmark: Benchmark) -> list[Path]:
    names = dict.fromkeys(finding.file for finding in benchmark.findings)
    return [Path(os.path.normpath(benchmark.root / name)) for name in names]


def list_entries(folders: Iterable[Path]) -> frozenset[Path]:
    """What lies in these folders."""
    found: set[Path] = set()
    for folder in folders:
        try:
            found |= {folder / name for name in os.listdir(folder)}
        except OSError:
            continue
    return frozenset(found)


def find_new_runs(folders: tuple[Path, ...], known: frozenset[Path], task: Task) -> tuple[Path, ...]:
    """What is new in these folders and looks like a run, once nobody writes it any more."""
    new = sorted(path for path in list_entries(folders) - known if not path.name.startswith("."))
    runs = [path for path in new if _looks_like_run(path)]
    before: list[object] = [None]
    while runs and (now := [_sizes(path) for path in runs]) != before:
        before = list(now)
        if task.wait(SETTLE_S):
            raise Cancelled
    return tuple(path for path in runs if path.exists())


def _looks_like_run(path: Path) -> bool:
    if not path.is_dir():
        return _format_of(path) in (*RUN_KINDS, "archive")
    inside = sorted(entry for entry in list_entries((path,)) if not entry.name.startswith(".") and entry.is_file())
    return any(_format_of(file) in (*RUN_KINDS, "rank_list") for file in inside[:MAX_PROBED_FILES])


def _format_of(path: Path) -> str | None:
    try:
        head = read_file_head(path)
    except FormatError:
        return None
    return "archive" if is_archive(head) else recognise_format(head)


def _sizes(path: Path) -> object:
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sorted((entry.name, entry.stat().st_size) for entry in os.scandir(path))
    except OSError:
        return None


def run_reloaded_text(reloaded: ReloadedRuns, place: int, before: NDArray[np.float64], measure: str) -> str:
    """``"M2 reloaded, MAP 0.412 → 0.437 (+0.025)"``: a run that was read anew, and what that did to its score.

    Parameters
    ----------
    place : of the run.
    before : (R, M) float64, means over queries before; (0, 0) where there were none.
    measure : key of the measure that is looked at.
    """
    name = reloaded.benchmark.runs[place].name
    scores = reloaded.scores
    keys = () if scores is None else tuple(resolved.key for resolved in scores.measures)
    if scores is None or measure not in keys or not before.size:
        return f"{name} reloaded"
    cell = scores.run_index(name), scores.column(measure)
    old, new = float(before[cell]), float(reloaded.means["queries"][cell])
    called = "MAP" if measure == "AP" else f"mean {measure}"
    if old == new or (np.isnan(old) and np.isnan(new)):
        return f"{name} reloaded, {called} {format_value(new)} as before"
    if format_value(old) == format_value(new):
        return f"{name} reloaded, {called} {format_value(new)}, changed by less than 0.001"
    return f"{name} reloaded, {called} {format_change(old, new)}"


def run_failed_text(name: str, why: str) -> str:
    """A run that could not be read anew."""
    return f"{name} changed, but cannot be read: {why}; {KEPT_ACTION}"


def reload_text(sentence: str, before: Sequence[str], now: Sequence[str]) -> str:
    """What reading everything once more brought: `sentence` and the names of runs that came or went; "" for nothing."""
    new = [name for name in now if name not in before]
    gone = [name for name in before if name not in now]
    parts = [f"new {'runs' if len(new) > 1 else 'run'}: {', '.join(new)}"] if new else []
    parts += [f"no longer there: {', '.join(gone)}"] if gone else []
    words = "; ".join(parts)
    return "; ".join(part for part in (sentence, words) if part) if sentence else words[:1].upper() + words[1:]


RELOADING = "renew"
"""Lane in which runs are read anew."""

SCANNING = "newcomers"
"""Lane in which new files are looked at."""


class LiveReload(QObject):
    """Watches the files of what is open, while it is told to.

    Parameters
    ----------
    state : the session that it belongs to.

    Signals
    -------
    renewed(renewal)
        A `ReloadedRuns`: runs were read anew, or could not be.
    outdated()
        Classes, truth, queries or the description changed, or there is a new run: all has to be read once more.
    told(severity, sentence, details)
        What happened, for people.
    outlived(sentence)
        What was told of a run before holds no longer: it was read since, or failed otherwise.
    following_changed(bool)
        Whether files are followed.
    """

    reload_finished = Signal(object)
    full_reload_needed = Signal()
    told = Signal(str, str, str)
    message_expired = Signal(str)
    watching_changed = Signal(bool)

    def __init__(self, state: SessionState) -> None:
        super().__init__(state)
        self._state = state
        self._is_following = False
        self._waiting: set[int] = set()
        self._readings: dict[int, ReadOptions] = {}
        self._complaints: dict[int, str] = {}
        self._known: frozenset[Path] = frozenset()
        self._reloading: tuple[str, Path | None, tuple[str, ...]] | None = None
        self.watch = FileWatcher(self)
        self.watch.started.connect(self._note_known)
        self.watch.changed.connect(self._take)
        state.benchmark_changed.connect(self._start)

    def set_watching(self, following: bool) -> None:
        """Follow the files of whatever is open, or leave them alone; what changed meanwhile is noticed then."""
        if following != self._is_following:
            self._is_following = following
            self._watch()
            self.watching_changed.emit(following)

    def renew(self, places: set[int]) -> None:
        """Read these runs anew, beside the window."""
        self._waiting |= places
        self._reload_next()

    def read_run_as(self, place: int, reading: ReadOptions) -> None:
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
        self._report_reloaded()
        self._watch()

    def _watch(self) -> None:
        benchmark = self._state.benchmark
        if benchmark is None or not self._is_following:
            self.watch.stop()
            return
        self._known = frozenset()
        self.watch.start(partial(watch_plan, benchmark, self._state.path, self._state.parts), self._state.read_at)

    @Slot(object)
    def _note_known(self, plan: Mapping[str, WatchedFiles]) -> None:
        """What lies in the folders of the runs already is not new."""
        self._known = list_entries(plan[NEW_FILES].paths) if NEW_FILES in plan else frozenset()

    @Slot(object)
    def _take(self, keys: frozenset[str]) -> None:
        benchmark = self._state.benchmark
        if benchmark is None:
            return
        if files := files_in_keys(keys):
            self._reload(f"{', '.join(file.name for file in files)} changed; everything was read once more")
            return
        if NEW_FILES in keys:
            folders = tuple(dict.fromkeys(path.parent for path in self._known))
            work = partial(find_new_runs, folders, self._known)
            self._state.tasks.run(SCANNING, work, self._on_new_runs, self._fail, title="Looking at new files")
        self.renew(runs_in_keys(keys))

    def _reload(self, sentence: str) -> None:
        benchmark = self._state.benchmark
        if benchmark is not None:
            self._reloading = (sentence, self._state.path, tuple(run.name for run in benchmark.runs))
            self.full_reload_needed.emit()

    def _on_new_runs(self, found: tuple[Path, ...]) -> None:
        if found:
            self._reload("")

    def _report_reloaded(self) -> None:
        """Say what a reload brought, once it is there."""
        told, self._reloading = self._reloading, None
        benchmark = self._state.benchmark
        if told is None or benchmark is None or self._state.path != told[1]:
            return
        if words := reload_text(told[0], told[2], [run.name for run in benchmark.runs]):
            self.told.emit("info", words, "")

    def report_kept(self, why: Finding) -> None:
        """Say that what was read anew is worse than what is shown, which therefore stays."""
        self._reloading = None
        self.told.emit("warning", f"{why.place}: {why.message}; {why.action}", "")

    def _reload_next(self) -> None:
        state = self._state
        if state.benchmark is None or not self._waiting or state.tasks.is_busy(RELOADING):
            return
        places, self._waiting = tuple(sorted(self._waiting)), set()
        names = ", ".join(state.benchmark.runs[place].name for place in places)
        state.tasks.run(
            RELOADING,
            partial(
                reload_runs, state.benchmark, state.scores, places, opened_manifest(state.path), dict(self._readings)
            ),
            self._show,
            self._fail,
            title=f"Reading {names} anew",
        )

    def _show(self, reloaded: ReloadedRuns) -> None:
        before, scores = self._state.mean("queries"), self._state.scores
        if scores is None or reloaded.scores is None or scores.profile != reloaded.scores.profile:
            before = before[:0, :0]  # conventions were changed meanwhile: other measures, other means
        if reloaded.former is not self._state.benchmark:
            self.renew({*reloaded.read, *reloaded.failed})
            return
        self.reload_finished.emit(reloaded)
        for place in (*reloaded.read, *reloaded.failed):
            if (former := self._complaints.pop(place, "")) != "":
                self.message_expired.emit(former)
        for place in reloaded.read:
            self.told.emit("info", run_reloaded_text(reloaded, place, before, self._state.measure), "")
        for place, why in reloaded.failed.items():
            self._complaints[place] = run_failed_text(reloaded.benchmark.runs[place].name, why)
            self.told.emit("warning", self._complaints[place], "")
        self._reload_next()

    def _fail(self, error: Exception) -> None:
        self.told.emit("error", *describe_failure("What changed on disk cannot be read", error))


def opened_manifest(path: Path | None) -> Path | None:
    """What was opened, if that describes a benchmark."""
    return path if path is not None and path.suffix.lower() in (".toml", ".shrec") else None
