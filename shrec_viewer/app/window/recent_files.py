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
