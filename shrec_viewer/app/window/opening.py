"""Ways to open a benchmark: recent paths in the File menu and on the welcome page, and dropped files."""

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QAction, QCursor, QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from shrec_viewer.app.bars.menus import Menus
from shrec_viewer.resources import resource
from shrec_viewer.widgets.controls.controls import add_heading
from shrec_viewer.widgets.controls.plain_text import shorten_name
from shrec_viewer.widgets.controls.welcome_page import RecentBenchmark, WelcomePage

if TYPE_CHECKING:
    from shrec_viewer.formats.manifest.parts import BenchmarkParts
    from shrec_viewer.viewmodels.session.document import Document
    from shrec_viewer.viewmodels.tasks.tasks import Task, TaskQueue

RECENT_LANE = "recent"

#: Seconds that closing blocks on a thread whose network drive does not respond.
CLOSE_TIMEOUT_S = 0.2


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
        # That all paths were checked, or that an OS error ended the check, does not change the list.
        self._tasks.run(RECENT_LANE, partial(_check_existence, self._names), part=self._show_existence)

    def _show_existence(self, result: tuple[str, bool]) -> None:
        name, exists = result
        if exists == (name in self._missing):
            self._missing ^= {name}
            self._show()

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
    return os.path.exists(path)


def is_demo(path: Path) -> bool:
    """Whether this is the bundled benchmark, which is not listed."""
    try:
        return path.resolve() == resource("demo").resolve()
    except FileNotFoundError:
        return False


if TYPE_CHECKING:
    from shrec_viewer.panels.files.add_runs import AddRunsDialog
    from shrec_viewer.viewmodels.session.session import Session


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


#: Choices for what is dropped on, or pasted into, the window of an open benchmark.
ADD, CHECK, ALONE = "Add as run", "Check against this benchmark", "Open alone"
PUBLISHED = "Show as published scores"


class DroppedFiles(QObject):
    """Opens dropped or pasted paths; if a benchmark is open, a menu offers to add or check them as runs instead.

    Parameters
    ----------
    window : the main window, see `WindowInterface`.
    session : the open benchmark.
    """

    def __init__(self, window: Any, session: "Session") -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._paths: tuple[Path, ...] = ()
        self._parts_to_add: BenchmarkParts | None = None
        self._edits_to_load: Path | None = None
        self._virtual_to_add: tuple[str, ...] = ()
        self._ignored = (Path(), 0)
        session.changed.connect(self._follow_session)

    def handle(self, paths: tuple[Path, ...]) -> None:
        """Open the first path; if a benchmark is open and they may be runs of it, show the menu."""
        if not self._session.is_open or any(map(_is_benchmark, paths)):
            self._open(next((path for path in paths if _is_benchmark(path)), paths[0]), len(paths) - 1)
            return
        self._paths = paths
        menu = QMenu(self._window)
        menu.setObjectName("dropped")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        names = paths[0].name if len(paths) == 1 else f"{paths[0].name} and {len(paths) - 1} more"
        add_heading(menu, shorten_name(names))
        choices = [(ADD, self._add), (CHECK, self._check), (ALONE, self._open_alone)]
        if len(paths) == 1 and _is_published(paths[0]):
            choices.insert(0, (PUBLISHED, self._add_published))
        for text, receiver in choices:
            menu.addAction(text).triggered.connect(receiver)
        menu.addSeparator()
        menu.addAction("Cancel")
        menu.popup(QCursor.pos())

    def paste(self) -> None:
        """Handle the paths on the clipboard as dropped ones."""
        if paths := pasted_paths(QGuiApplication.clipboard().mimeData()):
            self.handle(paths)
        else:
            text = "The clipboard contains no path of an existing file or folder."
            self._window.show_message("info", text, topic="paste")

    def show_dialog(self, paths: tuple[Path, ...] = (), *, offers_adding: bool = True) -> "AddRunsDialog":
        """Open the dialog that checks and adds runs, with these paths if there are any."""
        dialog = self._dialog()
        if paths:
            dialog.check(paths, offers_adding=offers_adding)
        else:
            dialog.show()
            dialog.activateWindow()
        return dialog

    def change_when_open(
        self, parts: "BenchmarkParts | None", edits: Path | None = None, virtual: tuple[str, ...] = ()
    ) -> None:
        """Change the benchmark that is opened next, as undoable edits.

        Parameters
        ----------
        parts : whose added runs become links of the project; with errors, they are shown instead.
        edits : file with edits of the assessment.
        virtual : expressions of virtual runs, which may be computed from the added ones.
        """
        self._parts_to_add, self._edits_to_load, self._virtual_to_add = parts, edits, virtual

    def _dialog(self) -> "AddRunsDialog":
        from shrec_viewer.panels.files.add_runs import AddRunsDialog  # lazy import: needs numpy

        return AddRunsDialog(self._session, self._window)

    @Slot()
    def _add(self) -> None:
        self.show_dialog(self._paths)

    @Slot()
    def _add_published(self) -> None:
        self._session.edits.add_published(self._paths[0])

    @Slot()
    def _check(self) -> None:
        self.show_dialog(self._paths, offers_adding=False)

    @Slot()
    def _open_alone(self) -> None:
        self._open(self._paths[0], len(self._paths) - 1)

    @Slot(object, object)
    def _follow_session(self, old: "Document", new: "Document") -> None:
        if new.differs(old, "opened"):
            self._show_ignored()
            if self._session.is_open:
                self._make_requested()

    def _make_requested(self) -> None:
        parts, self._parts_to_add = self._parts_to_add, None
        edits, self._edits_to_load = self._edits_to_load, None
        if edits is not None:
            self._session.edits.load_levels(edits)
        for path in () if parts is None else parts.published:
            self._session.edits.add_published(path)
        if parts is None or not parts.added:
            self._add_virtual()
            return
        dialog = self._dialog()
        dialog.model.added.connect(self._add_virtual)
        dialog.finished.connect(self._add_virtual)  # errors were shown, and it was closed
        dialog.add_checked(parts.added, parts.read_options)

    @Slot()
    def _add_virtual(self, *_: object) -> None:
        texts, self._virtual_to_add = self._virtual_to_add, ()
        if texts:
            from shrec_viewer.viewmodels.files.virtual_runs import add_virtual_runs  # lazy import: needs numpy

            add_virtual_runs(self._session, texts)

    def _open(self, path: Path, ignored: int) -> None:
        self._ignored = (path, ignored)
        self._window.open_path(path)

    def _show_ignored(self) -> None:
        """Report dropped paths that were not opened; after opening, which removes earlier messages."""
        (first, count), self._ignored = self._ignored, (Path(), 0)
        if count and self._session.path == first:
            others = "1 other dropped item was" if count == 1 else f"{count} other dropped items were"
            self._window.show_message("info", f"Opened “{first.name}”; {others} ignored.")


#: Bytes up to which a dropped file may be a table of published scores; 1,000 runs and 50 measures take half of it.
MAX_PUBLISHED_BYTES = 2**20


def _is_published(path: Path) -> bool:
    """Whether a file is a table of published scores, with a column of a measure."""
    from shrec_viewer.domain import FormatError  # lazy imports: need numpy
    from shrec_viewer.evaluation.comparison.published import published_columns
    from shrec_viewer.formats.truth.published import read_published

    try:
        if not path.is_file() or path.stat().st_size > MAX_PUBLISHED_BYTES:
            return False
        return any(column.measure is not None for column in published_columns(read_published(path))[0])
    except (FormatError, OSError):
        return False


def _is_benchmark(path: Path) -> bool:
    """Whether a path is opened without a question: what is no run, or has the files of a benchmark."""
    if not (os.path.isfile(path) or os.path.isdir(path)) or path.suffix.lower() in BENCHMARK_SUFFIXES:
        return True  # a path that does not exist, a device or a pipe: opening it reports that
    try:
        with os.scandir(path) as entries:
            names = [entry.name.lower() for _, entry in zip(range(MAX_TESTED_ENTRIES), entries, strict=False)]
    except OSError:
        return False
    return any(name.endswith(BENCHMARK_SUFFIXES) or name in BENCHMARK_FOLDERS for name in names)


#: Extensions of files that are never runs; in a folder, they show that it is a benchmark.
BENCHMARK_SUFFIXES = (".shrec", ".toml", ".cla")

#: Folders that submissions do not contain.
BENCHMARK_FOLDERS = ("models", "queries")

#: Entries of a folder that are tested.
MAX_TESTED_ENTRIES = 1000


def pasted_paths(mime: QMimeData | None) -> tuple[Path, ...]:
    """Existing files and folders on the clipboard: copied in a file manager, or their paths as lines of text."""
    if mime is None:
        return ()
    if mime.hasUrls():
        paths = [Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile()]
    else:
        lines = [line.strip().strip("\"'") for line in mime.text()[:MAX_PASTED].splitlines()]
        urls = [QUrl(line).toLocalFile() if line.startswith("file://") else line for line in lines]
        paths = [Path(os.path.expanduser(line)) for line in urls if line]
    return tuple(path for path in paths if path.is_absolute() and os.path.exists(path))


#: Characters of the clipboard that are searched for paths.
MAX_PASTED = 100_000
