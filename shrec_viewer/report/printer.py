"""Prints graphs in a process of its own: what embeds letters in a PDF holds the interpreter for half a second."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from threading import Lock
from typing import Any

from shrec_viewer.domain.errors import ShrecError
from shrec_viewer.render.drawing import begin_serving
from shrec_viewer.render.servant import Servant, ServantError
from shrec_viewer.report.graph import Graph
from shrec_viewer.report.plots import COLUMN, DPI, Form, print_graph

_PATIENCE = 120.0
"""Seconds one graph may take, the start of the process and the first look for fonts on this machine included."""

_IDLE = 120.0
"""Seconds without work after which the process ends; it holds 80 MB, and starting it takes a second."""

_BEHIND = 5
"""Steps of `nice` by which it gives way to the window."""


@dataclass(frozen=True)
class PrintJob:
    """A graph, and the files wanted of it; see `print_graph`."""

    graph: Graph
    forms: tuple[Form, ...]
    width: float
    dpi: int


class PrintError(ShrecError):
    """A graph could not be printed; the text is a sentence."""


class Printer:
    """Prints for all threads, one graph after the other; matplotlib's settings are one for a whole process."""

    def __init__(self) -> None:
        self._servant = Servant(serve_printing, "print", "printing", gives_way=_BEHIND)
        self._lock = Lock()

    def files(
        self,
        graph: Graph,
        forms: Sequence[Form],
        cancelled: Callable[[], bool],
        *,
        width: float = COLUMN,
        dpi: int = DPI,
    ) -> dict[Form, bytes]:
        """The graph as the bytes of a file of each form; see `print_graph`.

        Raises
        ------
        Cancelled
            Nobody waits any more.
        PrintError
        """
        job = PrintJob(graph, tuple(forms), width, dpi)
        with self._lock:
            try:
                made = self._asked(job, cancelled)
            except ServantError as error:
                raise PrintError(f"it {error}") from error
        if isinstance(made, str):
            raise PrintError(made)
        return made

    def close(self) -> None:
        """End the process; once no thread prints any more."""
        self._servant.stop()

    def _asked(self, job: PrintJob, cancelled: Callable[[], bool]) -> dict[Form, bytes] | str:
        if self._servant.is_running:
            with suppress(ServantError):  # it may be ending just now, as there was nothing to do
                return self._answered(job, cancelled)
        self._servant.start()
        return self._answered(job, cancelled)

    def _answered(self, job: PrintJob, cancelled: Callable[[], bool]) -> dict[Form, bytes] | str:
        self._servant.tell(job)
        made: dict[Form, bytes] | str = self._servant.answer(_PATIENCE, cancelled)
        return made


def serve_printing(connection: Any) -> None:
    """Life of the process: print until there was nothing to do for a while, or the other end of the pipe is gone."""
    begin_serving()
    with suppress(EOFError, OSError):
        while connection.poll(_IDLE):
            connection.send(_printed(connection.recv()))


def _printed(job: PrintJob) -> dict[Form, bytes] | str:
    try:
        return {form: print_graph(job.graph, form, width=job.width, dpi=job.dpi) for form in job.forms}
    except Exception as error:  # whatever a library meets: one graph pays, not the process
        return f"{type(error).__name__}: {error}"
