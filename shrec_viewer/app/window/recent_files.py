"""Recently opened paths in the File menu and on the welcome page."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QAction

from shrec_viewer.app.bars.menus import Menus
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.welcome_page import RecentBenchmark, WelcomePage

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.tasks.tasks import Task, TaskQueue

RECENT_LANE = "recent"

CLOSE_TIMEOUT_S = 0.2
"""Seconds that closing waits for a drive that hangs."""


class RecentFiles(QObject):
    """Lists recent paths; those that are gone turn grey once that is known, for a drive may not answer.

    Signals
    -------
    picked(path)
        The person chose one.
    """

    picked = Signal(object)

    def __init__(self, welcome: WelcomePage, menus: Menus, parent: QObject) -> None:
        super().__init__(parent)
        self._welcome = welcome
        self._menus = menus
        self._names: tuple[str, ...] = ()
        self._gone: set[str] = set()
        self._tasks: TaskQueue | None = None
        welcome.recent_requested.connect(self._pick)
        menus.recent.triggered.connect(self._pick_action)

    def set_names(self, names: Sequence[str]) -> None:
        """List these paths, newest first."""
        self._names = tuple(names)
        self._show()
        if self._tasks is not None:
            self._look()

    def start(self) -> None:
        """Look beside the window for what is listed, now and whenever that changes."""
        from shrec_viewer.viewmodels.tasks.tasks import TaskQueue

        self._tasks = TaskQueue(self)
        self._look()

    def close(self) -> None:
        """End the thread."""
        if self._tasks is not None:
            self._tasks.close(CLOSE_TIMEOUT_S)

    def _look(self) -> None:
        assert self._tasks is not None
        self._tasks.run(RECENT_LANE, partial(_check_existence, self._names), self._end, self._end, part=self._take)

    def _take(self, answer: tuple[str, bool]) -> None:
        name, exists = answer
        if exists == (name in self._gone):
            self._gone ^= {name}
            self._show()

    def _end(self, _answer: object) -> None:
        """All are looked for; or the system has answered with an error, which says nothing about them."""

    def _show(self) -> None:
        items = [RecentBenchmark(name, Path(name).name, missing=name in self._gone) for name in self._names]
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
    """Whether this is the bundled benchmark, which needs no remembering."""
    try:
        return path.resolve() == resource("demo").resolve()
    except FileNotFoundError:
        return False
