"""Save the lists of a run to a file or folder chosen in a dialog; virtual runs thereby become submitted ones."""

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.runs.writers import WRITERS, RunWriter
from shrec_viewer.printable import file_name
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.widgets.controls.file_dialogs import EXPORT, choose_save_path

#: Suffix of new files by key of the format; a format without one is a folder. The other formats are in ``convert``.
SUFFIXES = {"trec": ".trec", "ranklist": "", "npy": ".npy"}


def choose_and_save_lists(session: Session, run: int, parent: QWidget) -> None:
    """Open a dialog for the file, and write the lists of a run in the background."""
    benchmark = session.benchmark
    if not session.is_open:
        return
    writers = {_filter(writer): writer for writer in WRITERS if writer.key in SUFFIXES}
    chosen_run = benchmark.runs[run]
    default = Path.home() / f"{file_name(chosen_run.name)}.trec"
    filters = ";;".join(writers)
    path, selected = choose_save_path(parent, f"Save the lists of {chosen_run.name[:60]}", EXPORT, default, filters)
    if path is None:
        return
    by_suffix = (row for row in writers.values() if SUFFIXES[row.key] and path.suffix.lower() == SUFFIXES[row.key])
    writer = next(by_suffix, writers.get(selected, WRITERS[0]))
    if session.may_write(path):
        save_lists(session, benchmark, chosen_run, path, writer)


def _filter(writer: RunWriter) -> str:
    return f"{writer.label} (*{SUFFIXES[writer.key]})"


def save_lists(session: Session, benchmark: Benchmark, run: Run, path: Path, writer: RunWriter) -> None:
    """Write the lists of a run in the background."""
    session.tasks.run(
        f"save lists to {path}",  # a task replaces the one of the same key, which must not affect other files
        partial(write_lists, benchmark, run, path, writer),
        partial(_show_saved, session, run, path),
        partial(session.report_failure, f"{path.name} cannot be written"),
        title=f"Saving {path.name}",
        listed=True,
        export=True,
    )


def write_lists(benchmark: Benchmark, run: Run, path: Path, writer: RunWriter, _task: Task) -> tuple[str, ...]:
    """Write the lists of a run; messages about what the format does not hold.

    Raises
    ------
    FormatError
        When it cannot be written.
    """
    findings_log = FindingsLog(path.parent)
    writer.write(run, benchmark, path, findings_log)
    return tuple(finding.message for finding in findings_log.findings)


def _show_saved(session: Session, run: Run, path: Path, problems: tuple[str, ...]) -> None:
    session.written.emit(f"Saved the lists of {run.name} in {path}", str(path))
    if problems:
        session.message.emit("warning", f"{path.name}: {problems[0]}", "\n".join(problems[1:]))
