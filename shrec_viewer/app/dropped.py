"""What becomes of something dropped on an open benchmark: a run is put beside the others, anything else is opened."""

import shutil
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.formats.folder import RUN_KINDS, recognise
from shrec_viewer.formats.manifest import MANIFEST_NAME
from shrec_viewer.formats.text import read_head
from shrec_viewer.viewmodels.failure import failure_words

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.session import Session
    from shrec_viewer.viewmodels.tasks import Task

COPYING = "add run"
"""Lane in which a run is copied."""

ADD_RUN = "Copy it to the runs"
"""Action of the question about a dropped run."""

MOST_LOOKED_AT = 20
"""Files of a folder that are looked at to see whether it is a run: ranked lists stand among few other files."""


class Dropped(QObject):
    """Asks, and does as it is told.

    Parameters
    ----------
    window : a `Frame`.
    """

    def __init__(self, window: Any, session: "Session") -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._asked: tuple[Path, Path] | None = None

    def take(self, path: Path) -> None:
        """Open what was dropped; ask first where it is a run and a benchmark is open."""
        benchmark = self._session.benchmark
        if benchmark is None or not is_run(path):
            self._window.open_path(path)
            return
        words = f"“{path.name}” is a run."
        folder = folder_of_runs(benchmark)
        if folder is None:
            self._window.tell("info", f"{words} This benchmark has no folder of runs to put it into.")
        elif (folder / path.name).exists():
            self._window.tell("info", f"{words} {folder.name}/ has something of that name already; rename it first.")
        else:
            self._asked = (path, folder)
            self._window.strip.show_message("info", f"{words} Add it to {folder}?", action=ADD_RUN)

    def act(self, action: str) -> None:
        """The person pressed the button of a message."""
        if action == ADD_RUN and self._asked is not None:
            (path, folder), self._asked = self._asked, None
            self._session.tasks.run(
                COPYING,
                partial(_copy, path, folder),
                self._show_copied,
                partial(self._tell_failure, f"{path.name} cannot be copied"),
                title=f"Copying {path.name}",
            )

    def _show_copied(self, path: Path) -> None:
        """Where changes on disk are followed it is noticed by itself; reading once more costs little and is certain."""
        self._window.tell("info", f"{path.name} was copied to {path.parent}.")
        self._session.reload()

    def _tell_failure(self, what: str, error: Exception) -> None:
        self._window.tell("error", *failure_words(what, error))


def is_run(path: Path) -> bool:
    """Whether a file, or the files of a folder, look like the answers of one run."""
    if not path.is_dir():
        return _kind(path) in RUN_KINDS
    if (path / MANIFEST_NAME).exists():
        return False
    inside = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    kinds = [_kind(file) for file in inside[:MOST_LOOKED_AT]]
    return bool(kinds) and all(kind == "rank_list" for kind in kinds)


def folder_of_runs(benchmark: Benchmark) -> Path | None:
    """The folder in which most runs lie, None where they lie in the folder of the benchmark itself or nowhere."""
    parents = [run.source.parent for run in benchmark.runs]
    best = max(parents, key=parents.count, default=None)
    return best if best is not None and best.is_dir() and best.is_relative_to(benchmark.root) else None


def _kind(path: Path) -> str | None:
    try:
        return recognise(read_head(path))
    except (FormatError, OSError):
        return None


def _copy(path: Path, folder: Path, task: "Task") -> Path:
    """Under a name that no reader looks at until it is whole."""
    target, draft = folder / path.name, folder / f".{path.name}.part"
    if path.is_dir():
        shutil.copytree(path, draft)
    else:
        shutil.copy2(path, draft)
    draft.rename(target)
    return target
