"""Render figures in a worker process, so that matplotlib does not block the window."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

from shrec_viewer.domain.errors import ShrecError
from shrec_viewer.render.workers.worker_process import WorkerProcess, WorkerProcessError, set_up_worker
from shrec_viewer.report.figure import COLUMN_MM, DPI, FigureFormat, FigureSpec, render_figure

_FIGURE_TIMEOUT = 120.0
"""Seconds one graph may take, the start of the process and the first look for fonts on this machine included."""

_IDLE_TIMEOUT = 120.0
"""Seconds without work after which the process ends; it holds 80 MB, and starting it takes a second."""

_NICE_STEPS = 5
"""Steps of `nice` by which it gives way to the window."""


@dataclass(frozen=True)
class FigureJob:
    """A graph, and the files wanted of it; see `render_figure`."""

    graph: FigureSpec
    forms: tuple[FigureFormat, ...]
    width: float
    dpi: int


class FigureError(ShrecError):
    """A graph could not be printed; the text is a sentence."""


class FigureProcess:
    """Prints for all threads, one graph after the other; matplotlib's settings are one for a whole process."""

    def __init__(self) -> None:
        self._servant = WorkerProcess(serve_figures, "print", "printing", lower_priority=_NICE_STEPS)
        self._lock = Lock()

    def files(
        self,
        graph: FigureSpec,
        forms: Sequence[FigureFormat],
        cancelled: Callable[[], bool],
        *,
        width: float = COLUMN_MM,
        dpi: int = DPI,
    ) -> dict[FigureFormat, bytes]:
        """The graph as the bytes of a file of each form; see `render_figure`.

        Raises
        ------
        Cancelled
            Nobody waits any more.
        PrintError
        """
        job = FigureJob(graph, tuple(forms), width, dpi)
        with self._lock:
            try:
                made = self._asked(job, cancelled)
            except WorkerProcessError as error:
                raise FigureError(f"it {error}") from error
        if isinstance(made, str):
            raise FigureError(made)
        return made

    def close(self) -> None:
        """End the process; once no thread prints any more."""
        self._servant.stop()

    def _asked(self, job: FigureJob, cancelled: Callable[[], bool]) -> dict[FigureFormat, bytes] | str:
        if self._servant.is_running:
            with suppress(WorkerProcessError):  # it may be ending just now, as there was nothing to do
                return self._answered(job, cancelled)
        self._servant.start()
        return self._answered(job, cancelled)

    def _answered(self, job: FigureJob, cancelled: Callable[[], bool]) -> dict[FigureFormat, bytes] | str:
        self._servant.tell(job)
        made: dict[FigureFormat, bytes] | str = self._servant.answer(_FIGURE_TIMEOUT, cancelled)
        return made


def serve_figures(connection: Any) -> None:
    """Life of the process: print until there was nothing to do for a while, or the other end of the pipe is gone."""
    set_up_worker()
    with suppress(EOFError, OSError):
        while connection.poll(_IDLE_TIMEOUT):
            connection.send(_render_job(connection.recv()))


def _render_job(job: FigureJob) -> dict[FigureFormat, bytes] | str:
    try:
        return {form: render_figure(job.graph, form, width=job.width, dpi=job.dpi) for form in job.forms}
    except Exception as error:  # whatever a library meets: one graph pays, not the process
        return f"{type(error).__name__}: {error}"
