"""Ways to open a benchmark: recent paths in the File menu and on the welcome page, and dropped files."""

import shutil
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from shrec_viewer.app.bars.menus import Menus
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.welcome_page import RecentBenchmark, WelcomePage

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.tasks.tasks import Task, TaskQueue

RECENT_LANE = "recent"

CLOSE_TIMEOUT_S = 0.2
"""Seconds that closing blocks on a thread whose network drive does not respond."""


class RecentFiles(QObject):
    """Lists recent paths, and disables those that do not exist; a thread checks, since a network drive may hang.

    Signals
    -------
    picked(path)
        A path was chosen.
    """

    picked = Signal(object)

    def __init__(self, welcome: WelcomePage, menus: Menus, parent: QObject) -> None:
        super().__init__(parent)
        self._welcome = welcome
        self._menus = menus
        self._names: tuple[str, ...] = ()
        self._missing: set[str] = set()
        self._tasks: TaskQueue | None = None
        welcome.recent_requested.connect(self._pick)
        menus.recent.triggered.connect(self._pick_action)

    def set_names(self, names: Sequence[str]) -> None:
        """List these paths, newest first."""
        self._names = tuple(names)
        self._show()
        if self._tasks is not None:
            self._check()

    def start(self) -> None:
        """Check for existence now and whenever the list changes."""
        from shrec_viewer.viewmodels.tasks.tasks import TaskQueue

        self._tasks = TaskQueue(self)
        self._check()

    def close(self) -> None:
        """End the thread."""
        if self._tasks is not None:
            self._tasks.close(CLOSE_TIMEOUT_S)

    def _check(self) -> None:
        assert self._tasks is not None
        self._tasks.run(
            RECENT_LANE, partial(_check_existence, self._names), self._ignore, self._ignore, part=self._show_existence
        )

    def _show_existence(self, result: tuple[str, bool]) -> None:
        name, exists = result
        if exists == (name in self._missing):
            self._missing ^= {name}
            self._show()

    def _ignore(self, _result: object) -> None:
        """All paths were checked, or an OS error ended the check; neither changes the list."""

    def _show(self) -> None:
        items = [RecentBenchmark(name, Path(name).name, missing=name in self._missing) for name in self._names]
        self._welcome.set_recent(items)
        self._menus.set_recent([(item.path, not item.missing) for item in items])

    @Slot(str)
    def _pick(self, name: str) -> None:
        self.picked.emit(Path(name))

    @Slot(QAction)
    def _pick_action(self, action: QAction) -> None:
        self.picked.emit(Path(action.data()))


def _check_existence(names: tuple[str, ...], task: "Task") -> None:
    for name in names:
        if task.cancelled():
            return
        task.send((name, _exists(Path(name))))


def _exists(path: Path) -> bool:
    return path.exists()


def is_demo(path: Path) -> bool:
    """Whether this is the bundled benchmark, which is not listed."""
    try:
        return path.resolve() == resource("demo").resolve()
    except FileNotFoundError:
        return False


if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.tasks.tasks import Task

COPY_LANE = "add run"
"""Task lane in which runs are copied."""

ADD_RUN = "Copy to runs folder"
"""Action of the message about dropped runs."""

MAX_LISTED_RUNS = 3
"""Runs that a message names; further ones are counted."""


class DropTarget(QObject):
    """Event filter that accepts dropped files and folders, before a text field can insert their names.

    Signals
    -------
    hovered(bool)
        A file or folder is dragged over the window, or was dropped or dragged away.
    dropped(paths)
        Non-empty tuple of dropped local paths.
    refused(severity, text)
        What was dropped is not a local file.
    """

    hovered = Signal(bool)
    dropped = Signal(object)
    refused = Signal(str, str)

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self._urls: list[QUrl] = []
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; drags without URLs (cards, text) are passed on."""
        kind = event.type()
        if kind == QEvent.Type.Show and (handle := self._window.windowHandle()) is not None:
            handle.removeEventFilter(self)
            handle.installEventFilter(self)
        elif isinstance(event, QDragEnterEvent):
            self._set_urls([url for url in event.mimeData().urls() if not url.isEmpty()])
            return self._accept(event)
        elif kind == QEvent.Type.DragLeave and self._urls:
            self._set_urls([])
            return watched is not self._window
        elif isinstance(event, QDropEvent) and self._urls:
            self._accept(event)
            if kind == QEvent.Type.Drop:
                self._emit_dropped()
            return True
        return super().eventFilter(watched, event)

    def _set_urls(self, urls: list[QUrl]) -> None:
        """Store the URLs on drag enter: on drop, Qt would block on a source program that has ended."""
        if bool(urls) != bool(self._urls):
            self.hovered.emit(bool(urls))
        self._urls = urls

    def _accept(self, event: QDropEvent) -> bool:
        """Accept as a copy if possible: after a move, the source program may delete the file."""
        if not self._urls:
            return False
        if event.possibleActions() & Qt.DropAction.CopyAction:
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
        else:
            event.acceptProposedAction()
        return True

    def _emit_dropped(self) -> None:
        urls = self._urls
        paths = tuple(Path(url.toLocalFile()) for url in urls if url.isLocalFile())
        self._set_urls([])
        if paths:
            self.dropped.emit(paths)
        else:
            name = urls[0].fileName() or urls[0].toDisplayString()
            host = urls[0].host() or urls[0].scheme()
            self.refused.emit("info", f"“{name}” is not a local file ({host}). Download it first.")


class DroppedFiles(QObject):
    """Opens dropped paths, or offers to add them as runs.

    Parameters
    ----------
    window : the main window, see `WindowInterface`.
    session : the open benchmark.
    """

    def __init__(self, window: Any, session: "Session") -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._offered: tuple[tuple[Path, ...], Path] | None = None
        self._ignored = (Path(), 0)
        session.benchmark_shown.connect(self._show_ignored)

    def handle(self, paths: tuple[Path, ...]) -> None:
        """Open the first path; if all are runs and a benchmark is open, offer to copy them into its folder."""
        from shrec_viewer.formats.discovery.recognition import is_run  # lazy import: needs numpy

        benchmark = self._session.benchmark
        runs = () if benchmark is None else tuple(path for path in paths if is_run(path))
        if benchmark is not None and len(runs) == len(paths):
            self._offer(runs, folder_of_runs(benchmark))
            return
        first = next(path for path in paths if path not in runs)
        self._ignored = (first, len(paths) - 1)
        self._window.open_path(first)

    @Slot()
    def _show_ignored(self) -> None:
        """Report dropped paths that were not opened; after opening, which removes earlier messages."""
        (first, count), self._ignored = self._ignored, (Path(), 0)
        if count and self._session.path == first:
            others = "1 other dropped item was" if count == 1 else f"{count} other dropped items were"
            self._window.show_message("info", f"Opened “{first.name}”; {others} ignored.")

    def _offer(self, runs: tuple[Path, ...], folder: Path | None) -> None:
        if folder is None:
            self._window.show_message(
                "info", f"{_runs_text(runs)}. This benchmark has no runs folder to copy {_pronoun(runs)} into."
            )
            return
        existing = tuple(run for run in runs if (folder / run.name).exists())
        new = tuple(run for run in runs if run not in existing)
        if existing:
            text = (
                f"{_runs_text(existing)}. {folder.name}/ contains this name already; rename {_pronoun(existing)} first."
            )
            self._window.show_message("info", text)
        if new:
            self._offered = (new, folder)
            text = f"{_runs_text(new)}. Add {_pronoun(new)} to {folder}?"
            self._window.message_bar.show_message("info", text, action=ADD_RUN, persistent=True, topic=COPY_LANE)

    def run_action(self, action: str) -> None:
        """Run the action of a message."""
        if action == ADD_RUN and self._offered is not None:
            (runs, folder), self._offered = self._offered, None
            names = ", ".join(run.name for run in runs)
            self._session.tasks.run(
                COPY_LANE,
                partial(_copy_runs, runs, folder),
                partial(self._show_copied, names, folder),
                partial(self._show_failure, f"{names} cannot be copied"),
                title=f"Copying {names}",
            )

    def _show_copied(self, names: str, folder: Path, count: int) -> None:
        """Report the copy and reload; live reload would find the new runs as well, if it is on."""
        self._window.show_message(
            "info", f"{names} {'was' if count == 1 else 'were'} copied to {folder}.", topic=COPY_LANE
        )
        self._session.reload()

    def _show_failure(self, what: str, error: Exception) -> None:
        from shrec_viewer.viewmodels.tasks.tasks import describe_failure  # lazy import: needs numpy

        self._window.show_message("error", *describe_failure(what, error), topic=COPY_LANE)


def folder_of_runs(benchmark: "Benchmark") -> Path | None:
    """The folder of most runs; None if that is outside the benchmark, or there are none."""
    parents = [run.source.parent for run in benchmark.runs]
    best = max(parents, key=parents.count, default=None)
    return best if best is not None and best.is_dir() and best.is_relative_to(benchmark.root) else None


def _copy_runs(runs: tuple[Path, ...], folder: Path, task: "Task") -> int:
    """Copy each run under a hidden name, which readers ignore, and rename it when complete; the number copied."""
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
