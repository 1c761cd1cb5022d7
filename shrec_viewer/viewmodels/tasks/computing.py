"""Where runs are ranked and files compared: on this machine, or on the workers of a scheduler."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark, DistanceMatrix
from shrec_viewer.evaluation.evaluate import evaluate, make_checkpoint
from shrec_viewer.evaluation.parallel.cluster import (
    Cluster,
    ClusterError,
    ClusterRanking,
    is_in_files,
    map_files_on_cluster,
    open_cluster,
)
from shrec_viewer.evaluation.parallel.local import available_cores
from shrec_viewer.evaluation.rigid_distances import map_files_here
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.tasks.tasks import LoopThread, Task

#: Time between two requests for the state of the workers.
UPDATE_SECONDS = 1.0

#: States of the connection.
OFF, CONNECTING, CONNECTED, FAILED = "off", "connecting", "connected", "failed"


@dataclass(frozen=True)
class WorkerStatus:
    """State of the connection to a scheduler.

    Attributes
    ----------
    state : `OFF`, `CONNECTING`, `CONNECTED` or `FAILED`.
    n_workers : number of workers that take tasks.
    dashboard : address of the scheduler's web page; "" if it has none.
    problem : why the connection failed, or was lost.
    """

    state: str = OFF
    n_workers: int = 0
    dashboard: str = ""
    problem: str = ""

    @property
    def text(self) -> str:
        """Text of the status bar; "" while no scheduler is used."""
        workers = f"{self.n_workers:,} worker{'' if self.n_workers == 1 else 's'}"
        return {OFF: "", CONNECTING: "Connecting…", CONNECTED: workers, FAILED: "No scheduler"}[self.state]


class Computing(QObject):
    """The number of threads and the scheduler of the preferences, and the connection to that scheduler.

    The connection is opened by `connect_scheduler`, or before the first evaluation of a matrix, or comparison of files,
    that the workers would read. When it is lost, work continues on this machine.

    Attributes
    ----------
    n_jobs : number of threads that rank blocks of matrices, and of processes that parse files.
    status : state of the connection.
    address : address of the scheduler; "" for none.

    Signals
    -------
    changed()
        `status` was replaced.
    failed(message)
        The scheduler cannot be used, or was lost; emitted once for each connection.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.n_jobs = available_cores()
        self.address = ""
        self.status = WorkerStatus()
        self._cluster: Cluster | None = None
        self._is_settled = Event()
        self._is_settled.set()
        self._loop = LoopThread("scheduler", self)
        self._loop.received.connect(self._show)
        self._loop.failed.connect(self._fail)

    def set_options(self, jobs: int, address: str) -> None:
        """Set the number of threads, 0 for all cores, and the address; another address ends the connection."""
        self.n_jobs = jobs or available_cores()
        if address.strip() != self.address:
            self.address = address.strip()
            self.disconnect_scheduler()

    def connect_scheduler(self) -> None:
        """Connect to the scheduler, again if the connection was lost."""
        if not self.address:
            return
        self._is_settled.clear()
        self._cluster = None
        self._loop.start(partial(serve_connection, self.address))
        self._set_status(WorkerStatus(CONNECTING))

    def disconnect_scheduler(self) -> None:
        """End the connection."""
        self._loop.stop()
        self._cluster = None
        self._is_settled.set()
        self._set_status(WorkerStatus())

    def prepare(self, benchmark: Benchmark, *, reads_files: bool = False) -> None:
        """Connect if workers would rank a run of the benchmark or read files; not after a connection was lost."""
        if self.address and self.status.state == OFF and (reads_files or has_matrix_in_files(benchmark)):
            self.connect_scheduler()

    def close(self) -> None:
        """End the connection and its thread."""
        self._cluster = None
        self._is_settled.set()
        self._loop.close()

    def evaluate(self, task: Task, benchmark: Benchmark, profile: Profile, **options: Any) -> Scores:
        """Scores as `evaluate` computes them; called in the thread of a task.

        Parameters
        ----------
        options : arguments of `evaluate`, but `jobs` and `map_blocks`.
        """
        while not self._is_settled.is_set() and has_matrix_in_files(benchmark) and not task.wait(0.1):
            pass
        cluster = self._cluster
        if cluster is not None and has_matrix_in_files(benchmark):
            try:
                ranking = ClusterRanking(cluster.checked_by(make_checkpoint(task.cancelled)), results_folder())
                return evaluate(benchmark, profile, jobs=self.n_jobs, map_blocks=ranking.map_blocks, **options)
            except ClusterError as error:
                if cluster.is_connected:  # else the loop reports it
                    self.failed.emit(local_message(error))
        return evaluate(benchmark, profile, jobs=self.n_jobs, **options)

    def map_files(
        self, task: Task, paths: Sequence[Path], function: Callable[[Path], Any], checkpoint: Callable[[], None]
    ) -> Iterator[tuple[Path, Any]]:
        """See `rigid_distances.MapFiles`; on the workers of the scheduler, and here if they cannot; in a task."""
        while not self._is_settled.is_set() and not task.wait(0.1):
            pass
        cluster, left = self._cluster, dict.fromkeys(paths)
        if cluster is not None:
            try:
                for path, found in map_files_on_cluster(cluster, paths, function, checkpoint):
                    del left[path]
                    yield path, found
            except ClusterError as error:
                if cluster.is_connected:  # else the loop reports it
                    self.failed.emit(local_message(error, "files are read"))
        yield from map_files_here(list(left), function, checkpoint)

    @Slot(object)
    def _show(self, part: tuple[Cluster, WorkerStatus]) -> None:
        self._cluster, status = part
        self._is_settled.set()
        self._set_status(status)

    @Slot(object)
    def _fail(self, error: Exception) -> None:
        self._cluster = None
        self._is_settled.set()
        self._set_status(WorkerStatus(FAILED, problem=str(error)))
        self.failed.emit(local_message(error))

    def _set_status(self, status: WorkerStatus) -> None:
        if status != self.status:
            self.status = status
            self.changed.emit()


def local_message(error: Exception, what: str = "runs are ranked") -> str:
    """Message about an error of a scheduler, after which work is done on this machine."""
    text = str(error).partition(";")[0]
    return f"{text[:1].upper()}{text[1:]}; {what} on this machine."


def serve_connection(address: str, task: Task) -> None:
    """Connect to a scheduler, and send the cluster with its state until cancelled; runs in a separate thread.

    Raises
    ------
    ClusterError
        When the connection fails or is lost.
    """
    cluster = open_cluster(address)
    try:
        dashboard = cluster.dashboard  # once: the question has no time limit (distributed 2026.8)
        shown = None
        while not task.cancelled():
            states = cluster.worker_states()
            if not cluster.is_connected:
                raise cluster.lost()
            status = WorkerStatus(CONNECTED, states.count("running"), dashboard)
            if status != shown:
                shown = status
                task.send((cluster, status))
            task.wait(UPDATE_SECONDS)
    finally:
        cluster.close()


def has_matrix_in_files(benchmark: Benchmark) -> bool:
    """Whether workers would rank a run of the benchmark: a matrix that is not in memory."""
    matrices = (run.ranking for run in benchmark.runs if isinstance(run.ranking, DistanceMatrix))
    return any(is_in_files(matrix.values) for matrix in matrices)


def results_folder() -> Path:
    """Folder of the results of finished tasks, shared with the command line."""
    from platformdirs import user_cache_path

    return user_cache_path("shrec-viewer", appauthor=False) / "ranks"
