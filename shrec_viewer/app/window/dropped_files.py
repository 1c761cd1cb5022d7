"""Handle dropped paths: offer to copy runs into the open benchmark, open anything else."""

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Slot

from shrec_viewer.domain import Benchmark
from shrec_viewer.formats.discovery.recognition import is_run
from shrec_viewer.viewmodels.tasks.tasks import describe_failure

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.tasks.tasks import Task

COPY_LANE = "add run"
"""Lane in which a run is copied."""

ADD_RUN = "Copy it to the runs"
"""Action of the question about a dropped run."""

MAX_LISTED_RUNS = 3
"""Runs that a sentence names; the others it counts."""


class DroppedFiles(QObject):
    """Asks, and does as it is told.

    Parameters
    ----------
    window : a `Frame`.
    """

    def __init__(self, window: Any, session: "Session") -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._asked: tuple[tuple[Path, ...], Path] | None = None
        self._left = (Path(), 0)
        session.benchmark_changed.connect(self._show_not_opened)

    def take(self, paths: tuple[Path, ...]) -> None:
        """Open what was dropped; ask first where it is a run, or several, and a benchmark is open."""
        benchmark = self._session.benchmark
        runs = () if benchmark is None else tuple(path for path in paths if is_run(path))
        if benchmark is not None and len(runs) == len(paths):
            self._ask(runs, folder_of_runs(benchmark))
            return
        first = next(path for path in paths if path not in runs)
        self._left = (first, len(paths) - 1)
        self._window.open_path(first)

    @Slot()
    def _show_not_opened(self) -> None:
        """Once it is open, as messages about what was open before go then."""
        (first, count), self._left = self._left, (Path(), 0)
        if count and self._session.path == first:
            others = "one other thing" if count == 1 else f"{count} other things"
            words = f"“{first.name}” was opened; {others} dropped with it cannot be open at the same time."
            self._window.tell("info", words)

    def _ask(self, runs: tuple[Path, ...], folder: Path | None) -> None:
        if folder is None:
            words = f"{_runs_text(runs)}. This benchmark has no folder of runs to put {_pronoun(runs)} into."
            self._window.tell("info", words)
            return
        known = tuple(run for run in runs if (folder / run.name).exists())
        new = tuple(run for run in runs if run not in known)
        if known:
            words = f"{_runs_text(known)}. {folder.name}/ has something of that name already; rename {_pronoun(known)} first."
            self._window.tell("info", words)
        if new:
            self._asked = (new, folder)
            words = f"{_runs_text(new)}. Add {_pronoun(new)} to {folder}?"
            self._window.strip.show_message("info", words, action=ADD_RUN, stays=True)

    def act(self, action: str) -> None:
        """The person pressed the button of a message."""
        if action == ADD_RUN and self._asked is not None:
            (runs, folder), self._asked = self._asked, None
            names = ", ".join(run.name for run in runs)
            self._session.tasks.run(
                COPY_LANE,
                partial(_copy_runs, runs, folder),
                partial(self._show_copied, names, folder),
                partial(self._tell_failure, f"{names} cannot be copied"),
                title=f"Copying {names}",
            )

    def _show_copied(self, names: str, folder: Path, count: int) -> None:
        """Where changes on disk are followed it is noticed by itself; reading once more costs little and is certain."""
        self._window.tell("info", f"{names} {'was' if count == 1 else 'were'} copied to {folder}.")
        self._session.reload()

    def _tell_failure(self, what: str, error: Exception) -> None:
        self._window.tell("error", *describe_failure(what, error))


def folder_of_runs(benchmark: Benchmark) -> Path | None:
    """The folder in which most runs lie, None where they lie in the folder of the benchmark itself or nowhere."""
    parents = [run.source.parent for run in benchmark.runs]
    best = max(parents, key=parents.count, default=None)
    return best if best is not None and best.is_dir() and best.is_relative_to(benchmark.root) else None


def _copy_runs(runs: tuple[Path, ...], folder: Path, task: "Task") -> int:
    """Each under a name that no reader looks at until it is whole; how many were copied."""
    for run in runs:
        target, draft = folder / run.name, folder / f".{run.name}.part"
        if run.is_dir():
            shutil.copytree(run, draft)
        else:
            shutil.copy2(run, draft)
        draft.rename(target)
    return len(runs)


def _runs_text(runs: tuple[Path, ...]) -> str:
    """``“A1” is a run``, ``“A1”, “A2” and 3 more are runs``."""
    names = [f"“{run.name}”" for run in runs[:MAX_LISTED_RUNS]]
    if len(runs) == 1:
        return f"{names[0]} is a run"
    if len(runs) > MAX_LISTED_RUNS:
        names.append(f"{len(runs) - MAX_LISTED_RUNS} more")
    return f"{', '.join(names[:-1])} and {names[-1]} are runs"


def _pronoun(runs: tuple[Path, ...]) -> str:
    return "it" if len(runs) == 1 else "them"
