"""Save and open projects (.shrec): layouts, panel states, and folders that were moved."""

import os
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from shrec_viewer.app.dialogs.standard_dialogs import ask_folder
from shrec_viewer.app.startup.settings import CARD_SIZES, LAYOUT_VERSION
from shrec_viewer.app.window.deferred_calls import DeferredCalls
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.manifest.project import (
    Project,
    changed_runs,
    find_source,
    is_project,
    read_project,
    relocate_project,
    write_project,
)
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.session.project import UnsavedNotes, restore, save, snapshot, unsaved_notes_folder
from shrec_viewer.viewmodels.tasks.tasks import describe_failure

if TYPE_CHECKING:
    from shrec_viewer.app.docking.workspace import Workspace


class PanelStates(QObject):
    """Reads and gives back the states of panels that have one: `view_state()` and `restore_view_state(state)`.

    Panels are made when they are first seen; what a project says of the others waits until then.
    """

    _opened = Signal()

    def __init__(self, workspace: "Workspace", parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._waiting: dict[str, Mapping[str, Any]] = {}
        workspace.panel_made.connect(self._give)
        # Queued: panels hear of what is opened in the order in which they were made, and start anew then.
        self._opened.connect(self._give_all, type=Qt.ConnectionType.QueuedConnection)

    def states(self) -> dict[str, dict[str, Any]]:
        """The states of all panels by their keys; where nobody has seen one, what was left for it."""
        states = {key: dict(state) for key, state in self._waiting.items()}
        for key, panel in self._workspace.panels().items():
            if (tell := getattr(panel, "view_state", None)) is not None and key not in states:
                states[key] = tell()
        return states

    def take(self, states: object) -> None:
        """Give panels their states, soon or when they are made; what is no table of tables is passed over."""
        table = states if isinstance(states, dict) else {}
        self._waiting = {str(key): state for key, state in table.items() if isinstance(state, dict)}
        self._opened.emit()

    def forget(self) -> None:
        """Something else is open: what waits is not for it."""
        self._waiting = {}

    @Slot()
    def _give_all(self) -> None:
        for key, panel in self._workspace.panels().items():
            self._give(key, panel)

    @Slot(str, QWidget)
    def _give(self, key: str, panel: QWidget) -> None:
        state = self._waiting.pop(key, None)
        if state is not None and (take := getattr(panel, "restore_view_state", None)) is not None:
            take(state)


if TYPE_CHECKING:
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.tasks.tasks import Task

SAVE_LANE = "save project"
"""Lane in which projects are written."""

CHECK_LANE = "check project"
"""Lane in which runs are compared with what they were."""

RESTORE_NOTES = "Bring them back"
"""Action of the message about unsaved notes."""

PROJECT_SUFFIX = ".shrec"

PROJECT_FILTER = "Projects (*.shrec)"


class ProjectFiles(QObject):
    """The project of the window, if what is open came from one or was saved as one.

    Parameters
    ----------
    window : a `Frame`.

    Signals
    -------
    path_changed()
        Another file, or none, is what `save` writes.
    """

    path_changed = Signal()

    def __init__(self, window: Any, session: "Session", *, saves_notes: bool) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._path: Path | None = None
        self._opening: Project | None = None
        self._opened: Path | None = None
        self._states = PanelStates(window.workspace, self)
        self._turns = DeferredCalls(self)
        self.unsaved = UnsavedNotes(session, unsaved_notes_folder() if saves_notes else None)
        self.unsaved.found.connect(self._show_unsaved_notes)
        self.unsaved.failed.connect(self._tell_warning)
        session.benchmark_changed.connect(self._follow)

    @property
    def path(self) -> Path | None:
        """File that the next `save` writes, None where it has to ask."""
        return self._path

    @property
    def is_restoring(self) -> bool:
        """Whether a project that was opened is still to be put where it was left."""
        return self._turns.is_busy

    def save(self) -> None:
        """Write the project where it was opened or saved last; ask where that is nowhere."""
        if self._path is None:
            self.save_as()
        else:
            self.write(self._path)

    def save_as(self) -> None:
        """Ask for a file and write the project there."""
        benchmark = self._session.benchmark
        if benchmark is None:
            return
        start = self._path or self._default_folder(Path(benchmark.root)) / project_file_name(benchmark.name)
        name, _ = QFileDialog.getSaveFileName(self._window.as_widget(), "Save project", str(start), PROJECT_FILTER)
        if name:
            path = Path(name)
            self.write(path if path.suffix.lower() == PROJECT_SUFFIX else path.with_name(path.name + PROJECT_SUFFIX))

    def _default_folder(self, root: Path) -> Path:
        """Beside what is open; where that is the program's own or cannot be written, where projects are."""
        if not root.resolve().is_relative_to(resource("demo").resolve().parent) and os.access(root.parent, os.W_OK):
            return root.parent
        folders = [Path(name).parent for name in self._window.settings.recent if name.lower().endswith(PROJECT_SUFFIX)]
        folders.append(Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)))
        return next((folder for folder in folders if os.access(folder, os.W_OK)), Path.home())

    def write(self, path: Path) -> None:
        """Write the project to this file, beside the window."""
        self._turns.finish()
        project = snapshot(self._session, path.absolute(), self._view())
        self._session.tasks.run(
            SAVE_LANE,
            partial(save, project),
            partial(self._show_saved, self._session.edits.edited),
            partial(self._tell_failure, f"{path.name} cannot be saved"),
            title=f"Saving {path.name}",
        )

    def open(self, path: Path) -> bool:
        """Prepare for opening a project; False where there is nothing to open (its folder is asked for then)."""
        if not is_project(path):
            return True
        try:
            project = read_project(path)
        except FormatError as error:
            self._window.tell("error", str(error))
            return False
        source = find_source(project)
        if source is None:
            self._ask_moved_folder(project)
            return False
        self._opening = relocate_project(project, source)
        return True

    def act(self, action: str) -> None:
        """The person pressed the button of a message."""
        if action == RESTORE_NOTES:
            self.unsaved.restore_unsaved()

    # What is looked at.

    def _view(self) -> dict[str, Any]:
        workspace = self._window.workspace
        layouts = {key: b64encode(state).decode() for key, state in workspace.layout_states().items()}
        return {
            "perspective": workspace.perspective,
            "card_size": self._window.settings.card_size,
            "layouts": layouts,
            "layout_version": LAYOUT_VERSION,
            "panels": self._states.states(),
        }

    def _restore_view(self, view: Mapping[str, Any]) -> None:
        """Put the window as it was left; the selection is there, but for what perspectives choose themselves."""
        workspace = self._window.workspace
        if view.get("layout_version") == LAYOUT_VERSION and isinstance(view.get("layouts"), dict):
            workspace.apply_layouts(_decode_layouts(view["layouts"]), str(view.get("perspective", "")))
        if view.get("card_size") in CARD_SIZES:
            self._window.set_card_size(view["card_size"])
        workspace.show_perspective(str(view.get("perspective", "")))
        self._session.select(means=view["means"] if isinstance(view.get("means"), bool) else None)
        self._states.take(view.get("panels"))
        workspace.focus_centre()  # what had the keys may be gone with the former arrangement

    @Slot()
    def _follow(self) -> None:
        """Something was opened: a project is shown as it was left."""
        session, project = self._session, self._opening
        opened, self._opening = session.path, None
        self._stop_restoring()
        if opened is None or not is_project(opened):
            self._set_path(None)
        if project is not None and opened == project.path and session.benchmark is not None:
            self._set_path(project.path)
            restore(session, project)
            self._window.workspace.setUpdatesEnabled(False)  # nobody sees it in the former arrangement
            self._turns.take(partial(self._end_restoring, project.view))
            self._check(project)
        elif opened != self._opened:  # read once more it stays what it is
            self._states.forget()
        self._opened = opened

    def _end_restoring(self, view: Mapping[str, Any]) -> None:
        try:
            self._restore_view(view)
        finally:
            self._window.workspace.setUpdatesEnabled(True)

    def _stop_restoring(self) -> None:
        if self._turns.is_busy:
            self._turns.forget()
            self._window.workspace.setUpdatesEnabled(True)

    def _set_path(self, path: Path | None) -> None:
        self._path = path
        self.path_changed.emit()

    def _check(self, project: Project) -> None:
        self._session.tasks.run(
            CHECK_LANE,
            partial(_changed_runs, project),
            self._show_changed_runs,
            partial(self._tell_failure, "Runs not compared"),
        )

    def _show_changed_runs(self, names: tuple[str, ...]) -> None:
        if names:
            few = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            self._window.tell("info", f"Changed since the project was saved: {few}.")

    # What becomes of saving and opening.

    def _show_saved(self, edited: object, project: Project) -> None:
        self._set_path(project.path)
        if self._session.edits.edited == edited:
            self._session.edits.stack.setClean()
        settings = self._window.settings.with_recent(project.path)
        self._window.remember(settings)
        self._window.tell("info", f"Saved {project.path}")

    def _tell_failure(self, what: str, error: Exception) -> None:
        self._window.tell("error", *describe_failure(what, error))

    def _ask_moved_folder(self, project: Project) -> None:
        box = QMessageBox(self._window.as_widget())
        box.setObjectName("relink")
        box.setWindowTitle("Where is the folder of this project?")
        box.setText(f"“{project.source.name}” is not where it was, nor beside the project.")
        box.setInformativeText(f"{project.path.name} was made in {project.source}")
        self._lost = project
        choose = box.addButton("Choose folder…", QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(choose)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.accepted.connect(self._relink)
        box.open()

    @Slot()
    def _relink(self) -> None:
        project = self._lost
        if (folder := ask_folder(self._window.as_widget(), project.path.parent)) is not None:
            try:
                write_project(relocate_project(project, folder))
            except OSError as error:
                self._tell_failure(f"{project.path.name} cannot be changed", error)
                return
            self._window.open_path(project.path)

    @Slot(int)
    def _show_unsaved_notes(self, count: int) -> None:
        words = "A note was" if count == 1 else f"{count} notes were"
        self._window.strip.show_message("warning", f"{words} never saved in a project.", action=RESTORE_NOTES)

    @Slot(str)
    def _tell_warning(self, sentence: str) -> None:
        self._window.tell("warning", sentence)


def _changed_runs(project: Project, task: "Task") -> tuple[str, ...]:
    return changed_runs(project)


def _decode_layouts(layouts: Mapping[str, Any]) -> dict[str, bytes]:
    """Layouts as bytes; a damaged one is left out."""
    found = {}
    for key, text in layouts.items():
        try:
            found[str(key)] = b64decode(text, validate=True)
        except (ValueError, TypeError):
            continue
    return found


def project_file_name(benchmark: str) -> str:
    """What a project of this benchmark may be called on every system.

    Examples
    --------
    >>> file_name("Demo: at home"), file_name("a/b"), file_name("")
    ('Demo - at home.shrec', 'a - b.shrec', 'project.shrec')
    """
    return (re.sub(r'\s*[<>:"/\\|?*]+\s*', " - ", benchmark).strip(" -.") or "project") + PROJECT_SUFFIX
