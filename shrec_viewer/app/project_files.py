"""Projects in the window: save, save as, open, and asking for a folder that was moved."""

import os
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox

from shrec_viewer.app.dialogs import ask_folder
from shrec_viewer.app.panel_states import PanelStates
from shrec_viewer.app.settings import CARD_SIZES, LAYOUT_VERSION
from shrec_viewer.app.turns import Turns
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.project import (
    Project,
    changed_runs,
    find_source,
    is_project,
    moved,
    read_project,
    write_project,
)
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.failure import failure_words
from shrec_viewer.viewmodels.notes import UnsavedNotes, unsaved_folder
from shrec_viewer.viewmodels.project import restore, save, snapshot

if TYPE_CHECKING:
    from shrec_viewer.viewmodels.session import Session
    from shrec_viewer.viewmodels.tasks import Task

SAVING = "save project"
"""Lane in which projects are written."""

CHECKING = "check project"
"""Lane in which runs are compared with what they were."""

BRING_BACK = "Bring them back"
"""Action of the message about unsaved notes."""

SUFFIX = ".shrec"

FILTER = "Projects (*.shrec)"


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

    def __init__(self, window: Any, session: "Session", *, keeps_notes: bool) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self._path: Path | None = None
        self._opening: Project | None = None
        self._opened: Path | None = None
        self._states = PanelStates(window.workspace, self)
        self._turns = Turns(self)
        self.unsaved = UnsavedNotes(session, unsaved_folder() if keeps_notes else None)
        self.unsaved.found.connect(self._offer_notes)
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
        start = self._path or self._usual_folder(Path(benchmark.root)) / file_name(benchmark.name)
        name, _ = QFileDialog.getSaveFileName(self._window.as_widget(), "Save project", str(start), FILTER)
        if name:
            path = Path(name)
            self.write(path if path.suffix.lower() == SUFFIX else path.with_name(path.name + SUFFIX))

    def _usual_folder(self, root: Path) -> Path:
        """Beside what is open; where that is the program's own or cannot be written, where projects are."""
        if not root.resolve().is_relative_to(resource("demo").resolve().parent) and os.access(root.parent, os.W_OK):
            return root.parent
        folders = [Path(name).parent for name in self._window.settings.recent if name.lower().endswith(SUFFIX)]
        folders.append(Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)))
        return next((folder for folder in folders if os.access(folder, os.W_OK)), Path.home())

    def write(self, path: Path) -> None:
        """Write the project to this file, beside the window."""
        self._turns.finish()
        project = snapshot(self._session, path.absolute(), self._view())
        self._session.tasks.run(
            SAVING,
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
            self._ask_for_folder(project)
            return False
        self._opening = moved(project, source)
        return True

    def act(self, action: str) -> None:
        """The person pressed the button of a message."""
        if action == BRING_BACK:
            self.unsaved.bring_back()

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
            workspace.take_layouts(_decoded(view["layouts"]), str(view.get("perspective", "")))
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
            CHECKING, partial(_changed, project), self._tell_changed, partial(self._tell_failure, "Runs not compared")
        )

    def _tell_changed(self, names: tuple[str, ...]) -> None:
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
        self._window.tell("error", *failure_words(what, error))

    def _ask_for_folder(self, project: Project) -> None:
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
                write_project(moved(project, folder))
            except OSError as error:
                self._tell_failure(f"{project.path.name} cannot be changed", error)
                return
            self._window.open_path(project.path)

    @Slot(int)
    def _offer_notes(self, count: int) -> None:
        words = "A note was" if count == 1 else f"{count} notes were"
        self._window.strip.show_message("warning", f"{words} never saved in a project.", action=BRING_BACK)

    @Slot(str)
    def _tell_warning(self, sentence: str) -> None:
        self._window.tell("warning", sentence)


def _changed(project: Project, task: "Task") -> tuple[str, ...]:
    return changed_runs(project)


def _decoded(layouts: Mapping[str, Any]) -> dict[str, bytes]:
    """Layouts as bytes; a damaged one is left out."""
    found = {}
    for key, text in layouts.items():
        try:
            found[str(key)] = b64decode(text, validate=True)
        except (ValueError, TypeError):
            continue
    return found


def file_name(benchmark: str) -> str:
    """What a project of this benchmark may be called on every system.

    Examples
    --------
    >>> file_name("Demo: at home"), file_name("a/b"), file_name("")
    ('Demo - at home.shrec', 'a - b.shrec', 'project.shrec')
    """
    return (re.sub(r'\s*[<>:"/\\|?*]+\s*', " - ", benchmark).strip(" -.") or "project") + SUFFIX
