"""The command Export everything: all results of the open benchmark in a folder."""

from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.app.dialogs.standard_dialogs import replace_dialog
from shrec_viewer.domain import FormatError
from shrec_viewer.formats.discovery.listing import EXPORT_SCHEMA
from shrec_viewer.panels.export.content import NoCommandError, benchmark_arguments, write_edits
from shrec_viewer.printable import file_name
from shrec_viewer.report.everything import ExportSummary, export_everything
from shrec_viewer.report.site.images import cached_images
from shrec_viewer.report.site.site_folder import check_target
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.viewmodels.thumbnails.image_reader import read_image_or_svg
from shrec_viewer.widgets.controls import file_dialogs

#: Key of the task.
EVERYTHING_TASK = "everything"


def choose_and_export(parent: QWidget, session: Any) -> None:
    """Open a dialog for the folder: an empty one, an earlier export, or one in which a new folder is written."""
    chosen = file_dialogs.choose_folder(parent, "Export everything to", file_dialogs.EXPORT, Path.home())
    if chosen is not None and session.is_open:
        target = _target(chosen, file_name(session.benchmark.name, "export"))
        if target.is_dir() and any(target.iterdir()):
            question = replace_dialog(parent, target, "an export")
            question.accepted.connect(_Replacement(question, session, target).start)
            question.open()
        else:
            start_export(session, target)


def _target(chosen: Path, name: str) -> Path:
    try:
        check_target(chosen, EXPORT_SCHEMA)
    except FormatError:  # it has files of others
        return chosen / name
    return chosen


class _Replacement(QObject):
    """Starts the export when a question is accepted."""

    def __init__(self, question: QWidget, session: Any, target: Path) -> None:
        super().__init__(question)
        self._session, self._target = session, target

    @Slot()
    def start(self) -> None:
        start_export(self._session, self._target)


def start_export(session: Any, target: Path) -> None:
    """Write everything in the background; progress and cancellation are in the Tasks panel."""
    data = content_data(session)
    try:
        check_target(target, EXPORT_SCHEMA)
        options = benchmark_arguments(session)[1:]
        write_edits(session)
    except FormatError as error:
        session.failed.emit(error.standalone_message, "")
        return
    except NoCommandError as error:
        session.failed.emit(f"No commands repeat the export: {error}", "")
        return

    images = cached_images(read_image_or_svg)

    def work(task: Task) -> ExportSummary:
        return export_everything(data, target, options, images=images, cancelled=task.cancelled, progress=task.progress)

    def report(summary: ExportSummary) -> None:
        session.written.emit(f"Saved {count_text(summary.files, 'file')} in {target}", str(target))

    problem, title = "The export cannot be written", "Export of everything"
    session.tasks.run(EVERYTHING_TASK, work, report, problem, title=title, listed=True, export=True)
