"""Save and open projects (.shrec): layouts, panel states, and folders that were moved."""

import os
import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QAbstractButton, QMessageBox, QWidget

from shrec_viewer.app.dialogs.standard_dialogs import choose_folder, discard_dialog, question_box
from shrec_viewer.app.startup.settings import LAYOUT_VERSION
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.manifest.edit_state import EditState
from shrec_viewer.formats.manifest.project import (
    Project,
    changed_runs,
    missing_runs,
    not_found_reason,
    project_digest,
    relocate_project,
    with_hashes,
    write_project,
)
from shrec_viewer.panels.request_panel import RequestPanel
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.session.edits import run_styles_folder
from shrec_viewer.viewmodels.session.project import (
    EditJournal,
    ProjectChangedError,
    added_measures_of,
    locate,
    restore,
    save,
    snapshot,
    unsaved_notes_folder,
)
from shrec_viewer.viewmodels.session.run_versions import versions_folder
from shrec_viewer.viewmodels.session.session import OPENING
from shrec_viewer.viewmodels.tasks.tasks import describe_failure
from shrec_viewer.widgets.cards.card_grid import CARD_SIZES
from shrec_viewer.widgets.controls.file_dialogs import choose_save_path, confirm_replacing, store_folder

if TYPE_CHECKING:
    from shrec_viewer.app.docking.workspace import Workspace
    from shrec_viewer.formats.manifest.parts import BenchmarkParts
    from shrec_viewer.viewmodels.session.document import Document
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.tasks.tasks import Task, TaskStatus

#: Key of the task that writes a project.
SAVE_KEY = "save project"

#: Key of the task that compares runs with their hashes in the project.
CHECK_KEY = "check project"

#: Action of the message about edits of earlier sessions.
RESTORE_EDITS = "Restore edits"

#: Object name of the dialog about unsaved edits.
UNSAVED_DIALOG = "unsaved"

#: Object name of the dialog about exports that are not finished, and its answer that cancels them.
EXPORTS_DIALOG, CANCEL_EXPORTS = "exports", "Cancel and close"

#: Object name of the dialog about edits of earlier sessions.
DISCARD_DIALOG = "discard"

#: Object name of the dialog about a project file that another program or window has changed.
CHANGED_DIALOG = "changed project"

#: Buttons of that dialog.
OVERWRITE, WRITE_AGAIN, SAVE_AS = "Overwrite", "Write again", "Save as…"

#: Topic of the message about other windows with the same benchmark or project.
OTHER_WINDOWS = "windows"

PROJECT_SUFFIX = ".shrec"

PROJECT_FILTER = "Projects (*.shrec)"


class PanelStates(QObject):
    """Saves and restores the options of the panels.

    A panel is created on first use; its state in a project is stored until then.
    """

    def __init__(self, workspace: "Workspace", parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._pending: dict[str, Mapping[str, Any]] = {}
        workspace.panel_created.connect(self._restore)

    def states(self) -> dict[str, dict[str, Any]]:
        """The state of each panel by its key; for panels that are not created yet, the pending state."""
        states = {key: dict(state) for key, state in self._pending.items()}
        for key, panel in self._workspace.panels().items():
            if isinstance(panel, RequestPanel) and key not in states:
                states[key] = panel.options.state()
        return states

    def restore(self, states: Mapping[str, Mapping[str, Any]]) -> None:
        """Restore the states saved in a project.

        States of panels that are not created yet are restored when they are created.

        Call this after the panels have followed the session, which resets them.
        """
        self._pending = dict(states)
        for key, panel in self._workspace.panels().items():
            self._restore(key, panel)

    def clear(self) -> None:
        """Discard pending states; called when another benchmark is opened."""
        self._pending = {}

    @Slot(str, QWidget)
    def _restore(self, key: str, panel: QWidget) -> None:
        state = self._pending.pop(key, None)
        if state is not None and isinstance(panel, RequestPanel):
            panel.set_state(state)


class ProjectFiles(QObject):
    """Opens and saves the project of the window.

    Parameters
    ----------
    window : the main window, see `WindowInterface`.
    session : the session to save.
    stores_notes : whether unsaved notes are stored on disk, to be restored after a crash.

    Attributes
    ----------
    path : file that `save` writes; None if there is none yet.

    Signals
    -------
    path_changed()
        `path` has changed.
    """

    path_changed = Signal()
    _view_pending = Signal()

    def __init__(self, window: Any, session: "Session", *, stores_notes: bool) -> None:
        super().__init__(window)
        self._window = window
        self._session = session
        self.path: Path | None = None
        self._digest = ""
        self._changed: ProjectChangedError | None = None
        self._ends_session = False
        self._project_to_restore: Project | None = None
        self._located: dict[Path, Project] = {}
        self._moved_project: Project | None = None
        self._pending_view: Mapping[str, Any] | None = None
        self._may_close = False
        self._closes_when_saved = False
        self._states = PanelStates(window.workspace, self)
        folder = unsaved_notes_folder() if stores_notes else None
        self.unsaved = EditJournal(session, folder)
        self._lock = self.unsaved.lock_file
        session.run_styles.folder = run_styles_folder() if stores_notes else None
        session.versions.folder = versions_folder() if stores_notes else None
        self.unsaved.found.connect(self._show_unsaved_notes)
        self.unsaved.failed.connect(self._show_warning)
        self.unsaved.shared.connect(self._show_other_windows)
        session.changed.connect(self._follow_session)
        # Queued: the view is restored once all panels have followed the session, which resets them.
        self._view_pending.connect(self._restore_pending_view, type=Qt.ConnectionType.QueuedConnection)

    # Saving.

    def save(self) -> bool:
        """Write the project to its file, in the background; open a file dialog if it has none, False if cancelled."""
        if self.path is None:
            return self.save_as()
        self.write(self.path)
        return True

    def may_close(self) -> bool:
        """Whether no export is running and all edits are saved or discarded; otherwise a dialog is opened.

        The dialog closes the window afterwards.
        """
        if not self._ends_session and self._exports():
            if self._window.findChild(QMessageBox, EXPORTS_DIALOG) is None:
                self._show_exports_dialog()
            return False
        if self._may_close or not self._session.is_open or self._session.edits.stack.isClean():
            return True
        if self._ends_session and not self.unsaved.problem():
            return True
        if self._window.findChild(QMessageBox, UNSAVED_DIALOG) is None:
            self._show_unsaved_dialog()
        return False

    def _exports(self) -> list["TaskStatus"]:
        return [status for status in self._session.tasks.running if status.is_export]

    def _show_exports_dialog(self) -> None:
        names = _list_names(tuple(status.title for status in self._exports()))
        question, text = "Close before an export is finished?", f"Not finished: {names}. Closing cancels it."
        answers = (
            (CANCEL_EXPORTS, QMessageBox.ButtonRole.DestructiveRole),
            ("Wait", QMessageBox.ButtonRole.RejectRole),
        )
        box = question_box(self._window, EXPORTS_DIALOG, "Export is running", question, text, answers, default=1)
        box.buttonClicked.connect(self._cancel_exports)
        box.open()

    @Slot(QAbstractButton)
    def _cancel_exports(self, button: QAbstractButton) -> None:
        if button.text() == CANCEL_EXPORTS:
            for status in self._exports():
                self._session.tasks.stop(status.key)
            self._window.close()

    def keep_unsaved(self) -> None:
        """Write unsaved edits to disk, and close without a question until there are further ones; called at log-out."""
        self.unsaved.write()
        self._ends_session = True

    def _show_unsaved_dialog(self) -> None:
        question = f"Save the edits of “{self._session.benchmark.name}” before closing?"
        text = "Discarded notes, levels, changes of runs, colours and camera cannot be restored."
        if problem := self.unsaved.problem():
            text = f"Notes and other edits will be lost unless they are saved: they cannot be backed up ({problem})."
        button = QMessageBox.StandardButton
        buttons = (button.Save, button.Discard, button.Cancel)
        box = question_box(self._window, UNSAVED_DIALOG, "Unsaved edits", question, text, buttons)
        box.finished.connect(self._close_or_save)
        box.open()

    @Slot(int)
    def _close_or_save(self, button: int) -> None:
        if button == QMessageBox.StandardButton.Discard:
            self.unsaved.discard()
            self._close()
        elif button == QMessageBox.StandardButton.Save:
            self._closes_when_saved = self.save()

    def _close(self) -> None:
        self._may_close = True
        self._window.close()

    def save_as(self) -> bool:
        """Write the project to a file chosen in a dialog, in the background; False if it is cancelled."""
        benchmark = self._session.benchmark
        if not self._session.is_open:
            return False
        if self.path is not None:
            store_folder("project", self.path)
        start = self.path or self._default_folder(Path(benchmark.root)) / project_file_name(benchmark.name)
        path, _ = choose_save_path(self._window, "Save project", "project", start, PROJECT_FILTER)
        if path is None:
            return False
        chosen = path
        if path.suffix.lower() != PROJECT_SUFFIX:
            path = path.with_name(path.name + PROJECT_SUFFIX)
        if not confirm_replacing(self._window, chosen, path):
            return False
        if path != self.path and not self._session.may_write(path):
            return False
        if path != self.path and self.unsaved.other_windows(path) and os.path.exists(path):
            self._show_changed(ProjectChangedError(path, project_digest(path)))
        else:
            self.write(path)
        return True

    def _default_folder(self, root: Path) -> Path:
        """The parent folder of the benchmark if it is writable, else that of a recent project, else Documents."""
        if not root.resolve().is_relative_to(resource("demo").resolve().parent) and os.access(root.parent, os.W_OK):
            return root.parent
        folders = [Path(name).parent for name in self._window.settings.recent if name.lower().endswith(PROJECT_SUFFIX)]
        folders.append(Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)))
        return next((folder for folder in folders if os.access(folder, os.W_OK)), Path.home())

    def write(self, path: Path, expected: str | None = None) -> None:
        """Write the project to a file, in the background; if it has another content, open a dialog instead.

        Parameters
        ----------
        expected : see `viewmodels.session.project.save`. None: what this window read or wrote; for another file than
            that of the project, its present content, as the file dialog has asked whether to replace it.
        """
        if expected is None:
            expected = self._digest if path == self.path else project_digest(path)
        self._restore_pending_view()
        opened = self._session.path
        former = None if opened is None else self._located.get(opened)
        project = snapshot(self._session, path.absolute(), self._view(), former)
        work = partial(save, project, expected, self._lock)
        done = partial(self._show_saved, self._session.edits.edited)
        failed = partial(self._show_save_failure, f"{path.name} cannot be saved")
        self._session.tasks.run(SAVE_KEY, work, done, failed, title=f"Saving {path.name}")

    def _view(self) -> dict[str, Any]:
        """The table ``[view]`` of the project."""
        workspace = self._window.workspace
        return {
            "perspective": workspace.perspective,
            "card_size": self._window.settings.card_size,
            "layouts": workspace.layout_states(),
            "layout_version": LAYOUT_VERSION,
            "panels": self._states.states(),
        }

    def _show_saved(self, edited: EditState, project: Project) -> None:
        self._set_path(project.path, project.digest)
        self._session.edits.set_saved(edited)
        self.unsaved.set_saved(project.path)
        self._window.save_settings(self._window.settings.with_recent(project.path))
        self._window.show_message("info", f"Saved {project.path}", topic=SAVE_KEY)
        if self._closes_when_saved and self._session.edits.stack.isClean():
            self._close()
        self._closes_when_saved = False

    def _show_save_failure(self, what: str, error: Exception) -> None:
        if isinstance(error, ProjectChangedError):
            self._show_changed(error)
            return
        self._closes_when_saved = False
        self._show_failure(what, error)

    def _show_changed(self, changed: ProjectChangedError) -> None:
        """Ask whether to overwrite a file that was changed, or is missing, since this window read it."""
        self._changed = changed
        others = "It is open in another window. " if self.unsaved.other_windows(changed.path) else ""
        text = f"“{changed.path.name}” has changed since this window read or saved it."
        details = f"{others}Overwriting it discards the notes and edits that were saved there."
        title, answer = "Project has changed", OVERWRITE
        if not changed.digest:
            text = f"“{changed.path.name}” is missing: it was deleted or moved, or its disk is not connected."
            details = f"{others}The edits of this window are not saved yet."
            title, answer = "Project is missing", WRITE_AGAIN
        role = QMessageBox.ButtonRole
        answers = ((SAVE_AS, role.AcceptRole), (answer, role.DestructiveRole), QMessageBox.StandardButton.Cancel)
        box = question_box(self._window, CHANGED_DIALOG, title, text, details, answers)
        box.buttonClicked.connect(self._resolve_change)
        box.open()

    @Slot(QAbstractButton)
    def _resolve_change(self, button: QAbstractButton) -> None:
        changed, self._changed = self._changed, None
        if changed is not None and button.text() in (OVERWRITE, WRITE_AGAIN):
            self.write(changed.path, changed.digest)
        elif button.text() != SAVE_AS or not self.save_as():
            self._closes_when_saved = False

    def _set_path(self, path: Path | None, digest: str = "") -> None:
        self.path, self._digest = path, digest
        self.path_changed.emit()

    # Opening.

    def open(self, path: Path, parts: "BenchmarkParts | None", profile: str | None) -> None:
        """Read a project in the background, then open its benchmark, or a dialog if its folder was not found."""
        done, title = partial(self._open_located, path, parts, profile), f"Reading {path.name}"
        # Replaced by the next benchmark that is opened.
        self._session.tasks.run(OPENING, partial(locate, path), done, self._show_open_failure, title=title)

    def _open_located(
        self, path: Path, parts: "BenchmarkParts | None", profile: str | None, found: tuple[Project, bool] | None
    ) -> None:
        if found is not None:
            project, is_found = found
            if not is_found:
                self._show_moved_folder_dialog(project)
                self._window.show_page()
                return
            self._located[path] = self._located[project.path] = project
            self._project_to_restore = project
        self._window.open_benchmark(path, parts, profile)

    def _show_open_failure(self, error: Exception) -> None:
        if isinstance(error, FormatError):
            self._window.show_message("error", str(error))
        else:
            self._show_failure("The project cannot be opened", error)
        self._window.show_page()

    @Slot(object, object)
    def _follow_session(self, old: "Document", new: "Document") -> None:
        if new.differs(old, "edits"):  # the user goes on working after a log-out that was cancelled
            self._ends_session = False
        if new.differs(old, "opened"):
            self._show_benchmark(is_reload=new.path == old.path)

    def _show_benchmark(self, *, is_reload: bool) -> None:
        """Handle an opened or closed benchmark; if it belongs to a project, restore the project."""
        session, project = self._session, self._project_to_restore
        opened, self._project_to_restore = session.path, None
        self._pending_view = None
        self._window.workspace.setUpdatesEnabled(True)
        if opened is None or opened not in self._located:
            self._set_path(None)
        if project is not None and opened == project.path and session.is_open:
            self._set_path(project.path, project.digest)
            self.unsaved.add_project(project.path)
            session.set_added_measures(self._window.settings.added_measures, added_measures_of(project))
            restore(session, project)
            self._pending_view = project.view
            self._window.workspace.setUpdatesEnabled(False)  # until then, the old layout is not painted
            self._view_pending.emit()
            failed = partial(self._show_failure, "Changed runs cannot be determined")
            work, title = partial(_changed_runs, project), "Checking for changed runs"
            session.tasks.run(CHECK_KEY, work, self._show_changed_runs, failed, title=title)
        elif not is_reload:
            self._states.clear()
            session.set_added_measures(self._window.settings.added_measures)
        self.unsaved.offer()

    @Slot()
    def _restore_pending_view(self) -> None:
        if self._pending_view is None:
            return
        view, self._pending_view = self._pending_view, None
        try:
            self._restore_view(view)
        finally:
            self._window.workspace.setUpdatesEnabled(True)

    def _restore_view(self, view: Mapping[str, Any]) -> None:
        """Restore layouts, perspective, panel states and `Selection.means`; `restore` has restored the selection."""
        workspace = self._window.workspace
        if view.get("layout_version") == LAYOUT_VERSION and "layouts" in view:
            problem = workspace.apply_layouts(view["layouts"], view.get("perspective", ""))
            if problem:
                self._window.show_layout_problem("project", problem)
        if view.get("card_size") in CARD_SIZES:
            self._window.set_card_size(view["card_size"])
        workspace.show_perspective(view.get("perspective", ""))
        self._session.select(means=workspace.is_all_queries or view.get("means"))
        self._states.restore(view.get("panels", {}))
        workspace.focus_centre()  # the focused widget may have been deleted with the old layout

    def _show_changed_runs(self, found: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
        changed, missing = found
        texts = [f"Changed since the project was saved: {_list_names(changed)}."] if changed else []
        texts += [f"Runs of the project not found: {_list_names(missing)}."] if missing else []
        if texts:
            self._window.show_message("info", " ".join(texts))

    def _show_moved_folder_dialog(self, project: Project) -> None:
        title = "Folder of the project not found"
        text = f"The benchmark of “{project.path.name}” was not found at its old path or next to the project."
        details = f"The project belongs to {not_found_reason(project)}."
        answers = (("Choose folder…", QMessageBox.ButtonRole.AcceptRole), QMessageBox.StandardButton.Cancel)
        box = question_box(self._window, "relink", title, text, details, answers, icon=QMessageBox.Icon.NoIcon)
        self._moved_project = project
        box.accepted.connect(self._relink)
        box.open()

    @Slot()
    def _relink(self) -> None:
        """Store the chosen folder in the project file, and open it."""
        project = self._moved_project
        if project is None:
            return
        folder = choose_folder(self._window, project.path.parent, "moved folder")
        if folder is None:
            return
        try:
            write_project(with_hashes(relocate_project(project, folder)))
        except OSError as error:
            self._show_failure(f"{project.path.name} cannot be changed", error)
            return
        self._window.open_path(project.path)

    # Messages.

    def run_action(self, action: str) -> None:
        """Run the action of a message."""
        if action == RESTORE_EDITS:
            self.restore_unsaved()

    def restore_unsaved(self) -> None:
        """Add the edits of earlier sessions to the current ones."""
        self._window.message_bar.remove_topic(UNSAVED_DIALOG)
        self.unsaved.restore()

    def _show_failure(self, what: str, error: Exception) -> None:
        self._window.show_message("error", *describe_failure(what, error), topic=SAVE_KEY)

    @Slot(int)
    def _show_unsaved_notes(self, count: int) -> None:
        notes = {0: "Edits of an earlier session were", 1: "1 note was"}.get(count, f"{count} notes were")
        details = "\n\n".join(f"{query}: {text}" for query, text in self.unsaved.kept_notes().items())
        self._window.message_bar.show_message(
            "warning", f"{notes} not saved in a project.", details, RESTORE_EDITS, topic=UNSAVED_DIALOG
        )

    @Slot(int)
    def _show_other_windows(self, count: int) -> None:
        where = "another window" if count == 1 else f"{count} other windows"
        text = f"“{self._session.benchmark.name}” is also open in {where}; saving does not merge the edits."
        self._window.show_message("info", text, topic=OTHER_WINDOWS)

    def show_discard_dialog(self) -> None:
        """Ask whether to delete the unsaved edits of earlier sessions that were not restored."""
        text = "Discard the edits of earlier sessions that were not saved in a project?"
        box = discard_dialog(self._window, DISCARD_DIALOG, text)
        box.finished.connect(self._discard_kept)
        box.open()

    @Slot(int)
    def _discard_kept(self, button: int) -> None:
        if button == QMessageBox.StandardButton.Discard:
            self.unsaved.discard_kept()
            self._window.message_bar.remove_topic(UNSAVED_DIALOG)
            self._window.update_commands()

    @Slot(str)
    def _show_warning(self, text: str) -> None:
        self._window.show_message("warning", text)


def _changed_runs(project: Project, task: "Task") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the runs that changed since a project was saved, and of those whose files do not exist."""
    return changed_runs(project), missing_runs(project)


def _list_names(names: tuple[str, ...]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def project_file_name(benchmark: str) -> str:
    """File name for a project of this benchmark, valid on every operating system.

    Examples
    --------
    >>> project_file_name("Demo: at home"), project_file_name("a/b"), project_file_name("")
    ('Demo - at home.shrec', 'a - b.shrec', 'project.shrec')
    """
    return (re.sub(r'\s*[<>:"/\\|?*]+\s*', " - ", benchmark).strip(" -.") or "project") + PROJECT_SUFFIX
