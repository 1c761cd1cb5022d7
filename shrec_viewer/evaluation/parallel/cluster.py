"""Work on the workers of a Dask cluster: ranks of matrices, thumbnails, shapes; requires the extra "cluster"."""

import ctypes
import logging
import os
import pickle
import shutil
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields
from functools import cache
from hashlib import blake2b
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from shrec_viewer.domain import Cancelled, FormatError, ShrecViewerError
from shrec_viewer.formats.io.array_files import DiskArray
from shrec_viewer.formats.io.owned_files import OwnedFile, is_owned
from shrec_viewer.metrics.ranking.hit_table import HitRanks
from shrec_viewer.metrics.ranking.matrix_ranking import MatrixBlocks
from shrec_viewer.render.renderer import RendererChoice
from shrec_viewer.render.thumbnails.cache import ThumbnailCache, known_thumbnail_keys
from shrec_viewer.render.thumbnails.thumbnail import ReadImage, ReadMesh, ThumbnailRequest
from shrec_viewer.render.workers.model_readers import map_files
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailCounts, ThumbnailPool
from shrec_viewer.version import __version__

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

#: Start of an address that stands for worker processes on this machine: ``local:4``.
LOCAL = "local:"

#: Bytes of a matrix that one task reads: 0.2 to 0.5 s of work, against about 1 ms for a task of Dask.
TASK_BYTES = 2**26

#: Numbers of thumbnails of one task: 10 s and 1 s of one core, besides 0.5 s in which its renderer starts.
MODELS_PER_TASK, MIN_MODELS_PER_TASK = 200, 20

#: Meshes that one task reads: 3 to 10 s of one core, besides 0.5 s in which its process starts.
FILES_PER_TASK = 100

#: Tasks into which few models are divided for each thread of the workers, which are else not all busy at the end.
TASKS_PER_THREAD = 3

#: Limit for the connection to a scheduler, for the start of the first worker, and for reconnecting.
CONNECT_SECONDS = 20

#: Time without a worker that takes tasks after which work ends; one that was killed is replaced in a few seconds.
STALLED_SECONDS = 60

TOO_LITTLE_MEMORY = "have too little memory to take a task; allow more for each worker, or start fewer"

SAME_VERSION = "install the same version of shrec-viewer[cluster] on all machines"

#: Time between two checks for cancellation and for workers.
POLL_SECONDS = 0.5

#: Limits for one answer of a scheduler to a question for its workers, and for the time without one: after that, work
#: ends. The first connection has its own limit, `CONNECT_SECONDS`.
ANSWER_SECONDS, SILENT_SECONDS = 5, 30

#: Limit for the transfer of a result, which is at most a few megabytes, before its worker is checked.
FETCH_SECONDS = 5

#: Age of results from which those of interrupted calls are deleted.
KEPT_SECONDS = 7 * 24 * 3600

#: Ends of workers, for each worker at the same time, in addition to one for each result, after which work ends: workers
#: with too little memory are started again without end, and may finish a task now and then.
MAX_ENDS = 8

#: Number of times that a task is submitted again after the scheduler gave it up, as its worker ended four times.
RETRIES = 3

#: Tasks submitted at a time for each thread of the workers. When a worker ends, all tasks assigned to it count as
#: suspects, and the scheduler gives up those that were suspects four times (distributed 2026.8, ``allowed-failures``).
TASKS_SUBMITTED_PER_THREAD = 4

#: Parameters of mallopt, from malloc.h of glibc.
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3

#: Folder in that of the thumbnail cache with the results of tasks that are not in the cache yet.
PARTS = "parts"

#: File that a running call owns in its folder of results.
LOCK = "lock"


class ClusterError(ShrecViewerError):
    """The scheduler cannot be reached, or its workers end."""


class _PausedWorkerError(Exception):
    """A task is assigned to a worker that is paused, and should be submitted again."""


def never_checked() -> None:
    """Default checkpoint: does nothing."""


@contextmanager
def connected_cluster(address: str, checkpoint: Callable[[], None] = never_checked) -> Iterator["Cluster"]:
    """Connect to a scheduler, or start one with workers on this machine; closed at the end.

    Parameters and errors are those of `open_cluster`.
    """
    cluster = open_cluster(address, checkpoint)
    try:
        yield cluster
    finally:
        cluster.close()


def open_cluster(address: str, checkpoint: Callable[[], None] = never_checked) -> "Cluster":
    """Connect to a scheduler, or start one with workers on this machine.

    Parameters
    ----------
    address : ``tcp://host:8786``, or ``local:N`` for N worker processes.
    checkpoint : called several times a second while results are awaited; what it raises ends the work there as well.

    Raises
    ------
    ClusterError
        When the extra "cluster" is not installed, no scheduler answers, or it has no workers.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        message = "a scheduler requires the extra 'cluster': pip install 'shrec-viewer[cluster]'"
        raise ClusterError(message) from error
    # Dask logs each lost connection with its stack, though the exception names the reason; each logger has its level.
    for name in [name for name in logging.root.manager.loggerDict if name.partition(".")[0] == "distributed"]:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    local = None
    try:
        if address.startswith(LOCAL):
            import dask

            # LocalCluster (2026.8) gives up a worker that does not run at this time after any of its ends, even if it
            # ended again just now.
            dask.config.set({"distributed.deploy.lost-worker-timeout": "1 day"})
            # One thread for each process: ranking holds the interpreter lock for a third of its time.
            local = LocalCluster(
                n_workers=_number_of_workers(address),
                threads_per_worker=1,
                processes=True,
                dashboard_address="127.0.0.1:0",
                silence_logs=logging.CRITICAL,  # else a worker prints the stack of an exception, which is raised here
            )
        else:
            _check_is_scheduler(address)
        client = Client(local if local is not None else address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        if local is not None:
            local.close()
        elif address.startswith(LOCAL):
            raise ClusterError(f"no worker process can be started: {error}") from error
        raise ClusterError(f"no scheduler answers at '{address}'") from error
    cluster = Cluster(client, address, checkpoint, local)
    try:
        client.wait_for_workers(1, CONNECT_SECONDS)
    except (TimeoutError, OSError) as error:
        cluster.close()
        message = f"the scheduler at '{address}' has no workers; start them with `dask worker`, then repeat the command"
        raise ClusterError(message) from error
    except BaseException:
        cluster.close()
        raise
    return cluster


def _check_is_scheduler(address: str) -> None:
    """Check with a time limit that the server at an address is a scheduler.

    `Client` (2026.8) waits without end for a server that does not answer, such as one of another protocol, and at the
    end of the process another 40 s, with a stack, after errors other than those of the connection.

    Raises
    ------
    ClusterError
        Also if a worker answers, something else than Dask, or an old version of it.
    """
    from distributed.utils import LoopRunner

    try:
        LoopRunner().run_sync(_ask_for_workers, address, callback_timeout=CONNECT_SECONDS)
    except ClusterError:
        raise
    except Exception as error:  # random bytes raise many types, among them MemoryError for a length
        raise ClusterError(f"no scheduler answers at '{address}'") from error


async def _ask_for_workers(address: str) -> None:
    from distributed import Security, rpc

    connection_args = Security().get_connection_args("client")
    async with rpc(address, timeout=CONNECT_SECONDS, connection_args=connection_args) as server:
        try:
            found = await server.identity(**_identity_options(0))
        except TypeError as error:
            if "workers" in await server.identity():
                message = f"the scheduler at '{address}' has an older version of Dask; {SAME_VERSION}"
                raise ClusterError(message) from error
            raise
    found["workers"]  # not of a worker


def _identity_options(n_workers: int) -> dict[str, int]:
    """Arguments of ``Scheduler.identity``: 2026.8 has one that 2025.1 lacks, and returns five workers without it."""
    from distributed import Scheduler

    return {"n_workers": n_workers} if "n_workers" in signature(Scheduler.identity).parameters else {}


def _number_of_workers(address: str) -> int:
    number = address.removeprefix(LOCAL)
    if not number.isdecimal() or int(number) < 1:
        raise ClusterError(f"'{address}': a number of worker processes is expected, such as {LOCAL}4")
    return int(number)


@dataclass
class _Silence:
    """Time (monotonic) since which a scheduler has not answered, of all users of a connection; None if it does."""

    since: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether it has lasted `SILENT_SECONDS`."""
        return self.since is not None and time.monotonic() - self.since >= SILENT_SECONDS


class Cluster:
    """A connection to a scheduler; see `open_cluster`."""

    def __init__(
        self,
        client: "Client",
        address: str,
        checkpoint: Callable[[], None] = never_checked,
        local: "LocalCluster | None" = None,
        silence: _Silence | None = None,
    ) -> None:
        self.client = client
        self.address = address
        self.checkpoint = checkpoint
        self._local = local
        self._silence = silence or _Silence()
        self._stalled_since: float | None = None
        # Of the last call of `run`: workers of the last check, their largest number, how many ended, results.
        self._seen: set[str] = set()
        self._most_workers = self._n_ends = self._n_results = 0

    @property
    def is_connected(self) -> bool:
        """Whether the scheduler answered in the last `SILENT_SECONDS`."""
        return bool(self.client.status == "running") and not self._silence.is_over

    @property
    def dashboard(self) -> str:
        """Address of the scheduler's web page; "" if it has none."""
        with suppress(Exception):  # KeyError and others where the scheduler was started without one
            return str(self.client.dashboard_link or "")
        return ""

    def worker_states(self) -> tuple[str, ...]:
        """State of each worker, ``"running"`` or ``"paused"``; empty if the scheduler does not answer."""
        return tuple(str(worker["status"]) for worker in self._workers().values())

    def _workers(self) -> dict[str, Any]:
        """What the scheduler reports of each worker, by address; empty if it does not answer."""
        if not self.is_connected:
            return {}
        start = time.monotonic()
        with suppress(Exception):  # types of tornado, asyncio and distributed
            found = dict(self._ask("identity", **_identity_options(-1))["workers"])
            self._silence.since = None
            return found
        self._silence.since = self._silence.since or start
        return {}

    def _ask(self, question: str, **options: Any) -> Any:
        """An answer of the scheduler; TimeoutError after `ANSWER_SECONDS`: one that is stopped keeps its connections.

        The methods of `Client` (2026.8) that ask the same have no limit.
        """
        scheduler: Any = self.client.scheduler
        return self.client.sync(getattr(scheduler, question), callback_timeout=ANSWER_SECONDS, **options)

    def checked_by(self, checkpoint: Callable[[], None]) -> "Cluster":
        """The same connection with another checkpoint, for a call in another thread."""
        return Cluster(self.client, self.address, checkpoint, silence=self._silence)

    def close(self) -> None:
        """Close the connection, and end the processes of ``local:N``."""
        with suppress(OSError, TimeoutError, CancelledError):
            self.client.close(CONNECT_SECONDS if self.is_connected else FETCH_SECONDS)
        if self._local is not None:
            self._local.close(CONNECT_SECONDS)

    def run(self, function: Callable[[bytes, Any], Any], data: bytes, tasks: Sequence[Any]) -> Iterator[Any]:
        """Results of ``function(data, task)`` for each task, in their order; the rest is cancelled at the end.

        Parameters
        ----------
        function : importable.
        data : sent to each worker once.
        tasks : picklable and small; submitted a few at a time, see `TASKS_SUBMITTED_PER_THREAD`.

        Raises
        ------
        ClusterError
            When the connection is lost, workers end again and again, or there is none that takes tasks; also when a
            worker has another version of this program, or a task raises an exception that is not a `ShrecViewerError`.
        """
        from distributed import KilledWorker

        # Cancelling tasks by their keys must not cancel equal tasks of another client.
        name, client = f"{function.__name__}-{uuid4().hex}", self.client
        waiting, running = iter(tasks), deque[tuple[Any, Any]]()
        shared = None
        self._seen, self._most_workers, self._n_ends, self._n_results = set(), 0, 0, 0
        try:
            # A task, which is repeated when its worker ends; data of `scatter` would be lost (distributed 2026.8).
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # "Sending large graph"
                shared = client.submit(bytes, data, key=f"{name}-data")

            def submit(task: Any) -> Any:
                return client.submit(
                    same_version_task, __version__, function, shared, task, key=f"{name}-{uuid4().hex}"
                )

            while True:
                n_submitted = TASKS_SUBMITTED_PER_THREAD * max(1, self.n_threads())
                running.extend((task, submit(task)) for task in islice(waiting, max(0, n_submitted - len(running))))
                if not running:
                    return
                for attempt in range(RETRIES + 1):
                    task, future = running[0]
                    try:
                        result = self._result(future)
                        break
                    except KilledWorker:
                        if attempt == RETRIES:
                            raise
                        running[0] = task, submit(task)
                    except _PausedWorkerError:
                        if attempt == RETRIES:
                            raise ClusterError(f"workers of '{self.address}' {TOO_LITTLE_MEMORY}") from None
                        client.cancel([future for _, future in running])
                        running = deque((task, submit(task)) for task, _ in running)
                running.popleft()
                self._n_results += 1
                yield result
        except ShrecViewerError:
            raise
        except (OSError, TimeoutError, CancelledError) as error:
            raise self.lost() from error
        except MemoryError as error:
            raise ClusterError(f"a worker of '{self.address}' has too little memory for a task") from error
        except KilledWorker as error:
            message = f"workers of '{self.address}' ended again and again at the same task; more memory may help"
            raise ClusterError(message) from error
        except Exception as error:
            if not self.is_connected:  # ClosedClientError of `submit`, and others
                raise self.lost() from error
            if isinstance(error, ImportError) or "deserializ" in str(error):
                message = f"the workers of '{self.address}' cannot run tasks of this program"
                raise ClusterError(f"{message}; {SAME_VERSION}") from error
            if not running or running[0][1].status != "error":  # an exception of the checkpoint
                raise
            reason = " ".join(f"{type(error).__name__}: {error}".split())
            raise ClusterError(f"a task failed on a worker of '{self.address}': {reason}; {SAME_VERSION}") from error
        finally:
            if self.is_connected:  # else `cancel` would block until the scheduler returns
                with suppress(Exception):
                    # The data, too: its future is not collected with this frame (distributed 2026.8).
                    client.cancel([*(future for _, future in running), *([shared] if shared is not None else [])])

    def lost(self) -> ClusterError:
        """The error of a scheduler that is not `is_connected`."""
        reason = f"has not answered for {SILENT_SECONDS} seconds" if self._silence.is_over else "is lost"
        message = f"the scheduler at '{self.address}' {reason}"
        return ClusterError(f"{message}; the same command resumes from what is finished")

    def n_threads(self) -> int:
        """Number of tasks that the workers run at the same time; 0 without workers."""
        return sum(int(worker["nthreads"]) for worker in self._workers().values())

    def _result(self, future: Any) -> Any:
        """Result of a task; raises what the task or the checkpoint raises.

        Raises
        ------
        _PausedWorkerError
            When it should be submitted again.
        ClusterError
            When there are no workers, or they end again and again.
        """
        from distributed import wait

        while True:
            self.checkpoint()
            with suppress(TimeoutError):
                if not future.done():
                    with self.client.as_current():
                        wait([future], timeout=POLL_SECONDS)
                if future.status != "finished":
                    break
                # With a limit: if the worker that has the result ends now, the task is repeated, perhaps never.
                return future.result(FETCH_SECONDS)
            if self._is_stuck(future):
                raise _PausedWorkerError
        return future.result()  # raises the exception

    def _is_stuck(self, future: Any) -> bool:
        """Whether a paused worker has kept a task for `STALLED_SECONDS` that another one could do.

        Raises
        ------
        ClusterError
            When no worker has taken tasks for that time, or they end again and again.
        """
        workers = self._workers()
        if self._silence.is_over:
            raise self.lost()
        if not self.is_connected or self._silence.since is not None:
            return False
        self._check_ends(set(workers))
        states = [worker["status"] for worker in workers.values()]
        takes_tasks = "running" in states
        if takes_tasks and not ("paused" in states and self._is_at_paused_worker(future, workers)):
            self._stalled_since = None
            return False
        self._stalled_since = self._stalled_since or time.monotonic()
        if time.monotonic() - self._stalled_since < STALLED_SECONDS:
            return False
        self._stalled_since = None
        if takes_tasks:
            return True
        reason = TOO_LITTLE_MEMORY if "paused" in states else "have ended; start others, and the same command resumes"
        raise ClusterError(f"all workers of '{self.address}' {reason}")

    def _check_ends(self, present: set[str]) -> None:
        """Count the workers that ended since the last check; ClusterError if they are too many for the results."""
        self._n_ends += len(self._seen - present)
        self._seen, self._most_workers = present, max(self._most_workers, len(present))
        if self._n_ends > MAX_ENDS * self._most_workers + self._n_results:
            raise ClusterError(f"workers of '{self.address}' ended again and again; more memory may help")

    def _is_at_paused_worker(self, future: Any, workers: Mapping[str, Any]) -> bool:
        """Whether a task is assigned to a worker that is paused and executes nothing.

        Tasks stay with a worker that is paused for lack of memory, though others are idle (distributed 2026.8).
        """
        held = [
            address
            for address, worker in workers.items()
            if worker["status"] == "paused" and not worker["metrics"].get("task_counts", {}).get("executing")
        ]
        with suppress(Exception):  # types of tornado, asyncio and distributed
            return bool(held) and any(future.key in keys for keys in self._ask("processing", workers=held).values())
        return False


def same_version_task(version: str, function: Callable[[bytes, Any], Any], data: bytes, task: Any) -> Any:
    """Result of ``function(data, task)``, in a worker; ClusterError if it has another version of this program.

    Checked by each task, as workers may join at any time.
    """
    if version != __version__:
        message = f"a worker has version {__version__} of this program, instead of {version}"
        raise ClusterError(f"{message}; {SAME_VERSION}")
    return function(data, task)


class ClusterRanking:
    """Ranks blocks of rows on the workers of a cluster; pass `map_blocks` to `hits_from_matrix`.

    Parameters
    ----------
    results : folder for the results of finished tasks, with which a call that was interrupted is resumed; the paths of
        the matrices must be the same on all workers.
    """

    def __init__(self, cluster: Cluster, results: Path) -> None:
        self._cluster = cluster
        self._results = results
        _delete_old(results)

    def map_blocks(self, blocks: MatrixBlocks, starts: range) -> Iterable[HitRanks]:
        """The ranks of each block, in their order; matrices in memory are ranked in this process.

        Raises
        ------
        ClusterError
            See `Cluster.run`. Finished tasks are kept.
        """
        if not is_in_files(blocks.values):
            return map(blocks, starts)
        return self._on_workers(blocks, starts)

    def _on_workers(self, blocks: MatrixBlocks, starts: range) -> Iterator[HitRanks]:
        row_bytes = blocks.values.shape[1] * 8
        per_task = max(1, TASK_BYTES // max(1, row_bytes * blocks.per_block))
        tasks = [starts[index : index + per_task] for index in range(0, len(starts), per_task)]
        data = pickle.dumps(blocks, protocol=5)
        digest = blake2b(data, digest_size=20).hexdigest()
        paths = [self._results / f"{digest}-{task.start}-{task.stop}-{task.step}.npz" for task in tasks]
        done = [_read_ranks(path, blocks, task) for path, task in zip(paths, tasks, strict=True)]
        remaining = [task for task, ranks in zip(tasks, done, strict=True) if ranks is None]
        running = self._cluster.run(rank_task, data, remaining) if remaining else iter(())
        try:
            for path, task, ranks in zip(paths, tasks, done, strict=True):
                if ranks is None:
                    ranks = next(running)
                    fault = blocks.fault(task, ranks)
                    if fault:
                        message = f"a worker of '{self._cluster.address}' returned ranks that cannot be right: {fault}"
                        raise ClusterError(f"{message}; {SAME_VERSION}")
                    _write_ranks(path, ranks)
                yield ranks
        except FormatError as error:
            _check_is_readable(blocks.values, error.path)
            message = f"a worker cannot read a file that is readable here: {error}"
            raise ClusterError(f"{message}; workers need the same files, such as on a shared disk") from error
        finally:
            if isinstance(running, Iterator) and hasattr(running, "close"):
                running.close()
        for path in paths:
            path.unlink(missing_ok=True)


def _delete_old(results: Path) -> None:
    """Delete results of calls that were interrupted and not repeated."""
    with suppress(OSError):
        for path in results.iterdir():
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink(missing_ok=True)


def is_in_files(values: object) -> bool:
    """Whether workers read a matrix by its path; arrays in memory are not sent to them."""
    return isinstance(values, DiskArray) and all(map(is_in_files, values.parts))


def _check_is_readable(values: object, path: Path) -> None:
    """Raise `FormatError` if the file of a matrix is missing or has changed on this machine, too."""
    if isinstance(values, DiskArray):
        for part in values.parts:
            _check_is_readable(part, path)
        if not values.parts and getattr(values, "path", None) == path:
            values[:1]


def rank_task(data: bytes, starts: range) -> HitRanks:
    """Rank some blocks, in a worker.

    Parameters
    ----------
    data : a pickled `MatrixBlocks`.
    starts : first query of each block.
    """
    _reuse_memory()
    return HitRanks.joined([*map(pickle.loads(data), starts)])


@cache
def _reuse_memory() -> None:
    """Let the C library of this process keep freed arrays of up to 32 MB for the next ones, as it does by default.

    Dask (2026.8) starts workers with ``MALLOC_TRIM_THRESHOLD_=65536``, which also makes each array new memory of the
    system: ranking then takes 1.8 times the processor time.
    """
    with suppress(OSError, AttributeError, TypeError):  # no mallopt on macOS and musl, no CDLL(None) on Windows
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(M_TRIM_THRESHOLD, 2**26)
        mallopt(M_MMAP_THRESHOLD, 2**25)


def _write_ranks(path: Path, ranks: HitRanks) -> None:
    """Store a result; a full or read-only disk only prevents resuming."""
    draft = path.with_suffix(f".{uuid4().hex}.draft")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with draft.open("wb") as stream:
            np.savez(stream, **{field.name: getattr(ranks, field.name) for field in fields(ranks)})
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


def _read_ranks(path: Path, blocks: MatrixBlocks, task: range) -> HitRanks | None:
    """A stored result; None if there is none, or it is damaged."""
    try:
        with np.load(path) as arrays:
            ranks = HitRanks(**{field.name: arrays[field.name] for field in fields(HitRanks)})
        return None if blocks.fault(task, ranks) else ranks
    except Exception:  # zipfile and numpy raise many types on damaged files
        return None


# ── thumbnails ───────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class ThumbnailBatch:
    """The models of a task, and the folder for its thumbnails, which becomes visible when it is complete."""

    requests: tuple[ThumbnailRequest, ...]
    part: Path


def draw_on_cluster(
    cluster: Cluster,
    requests: Sequence[ThumbnailRequest],
    folder: Path,
    cache: ThumbnailCache,
    read_mesh: ReadMesh,
    read_image: ReadImage,
    prefer: RendererChoice,
) -> Iterator[ThumbnailCounts]:
    """Render the thumbnails that are not in a cache on the workers; the first result is about those that are.

    Each task writes to a folder of its own, which is then added to the cache: SQLite cannot be written by several
    machines at the same time. Results of interrupted calls are added first.

    Parameters
    ----------
    folder : that of the cache, the same on all workers.

    Raises
    ------
    ClusterError
        See `Cluster.run`; also if `folder` is not shared. What is finished is in the cache.
    """
    _add_abandoned_parts(folder, cache)
    keys = known_thumbnail_keys(requests, cache)
    found = cache.find(keys.values())
    notes = cache.notes(found)
    known = [request for request in requests if keys.get(request) in found]
    noted = {request.path: notes[keys[request]] for request in known if keys[request] in notes}
    yield ThumbnailCounts(cached=len(known), notes=noted)
    drawn = set(known)
    remaining = [request for request in requests if request not in drawn]
    if not remaining:
        return
    call = folder / PARTS / uuid4().hex
    try:
        call.mkdir(parents=True)
        lock = OwnedFile(call / LOCK)
    except OSError as error:
        shutil.rmtree(call, ignore_errors=True)
        reason = error.strerror or error
        raise ClusterError(f"{folder}, where the workers store thumbnails, cannot be written: {reason}") from error
    n_tasks = TASKS_PER_THREAD * max(1, cluster.n_threads())
    size = min(MODELS_PER_TASK, max(MIN_MODELS_PER_TASK, -(-len(remaining) // n_tasks)))
    batches = [
        ThumbnailBatch(tuple(remaining[start : start + size]), call / str(start))
        for start in range(0, len(remaining), size)
    ]
    data = pickle.dumps((read_mesh, read_image, prefer))
    running = cluster.run(draw_task, data, batches)
    try:
        for batch, result in zip(batches, running, strict=True):
            if not batch.part.is_dir():
                raise _not_shared(folder)
            _add_part(batch.part, cache)
            yield result
    finally:
        if isinstance(running, Iterator) and hasattr(running, "close"):
            running.close()
        for part in call.glob("*"):
            if part.name.isdecimal():
                _add_part(part, cache)
        # Running tasks end when their folder is missing.
        lock.delete()
        shutil.rmtree(call, ignore_errors=True)


def _not_shared(folder: Path) -> ClusterError:
    message = f"the thumbnails of a task are not in {folder}, which must be the same folder on all workers"
    return ClusterError(f"{message}, and one that they can write; set the variable XDG_CACHE_HOME")


def _add_abandoned_parts(folder: Path, cache: ThumbnailCache) -> None:
    """Add the complete results of calls that were killed to the cache."""
    with suppress(OSError):
        for call in sorted((folder / PARTS).iterdir()):
            if not is_owned(call / LOCK):
                for part in sorted(call.glob("*")):
                    if part.name.isdecimal():
                        _add_part(part, cache)
                shutil.rmtree(call, ignore_errors=True)


def _add_part(part: Path, cache: ThumbnailCache) -> None:
    """Move the thumbnails of a task to the cache."""
    stored = ThumbnailCache(part)
    cache.add_all(stored)
    stored.close()
    shutil.rmtree(part, ignore_errors=True)


def draw_task(data: bytes, batch: ThumbnailBatch) -> ThumbnailCounts:
    """Render the thumbnails of some models, in a worker; ends when the folder of the call is deleted.

    Parameters
    ----------
    data : pickled functions that read a mesh and an image, and the renderer to use.

    Raises
    ------
    ClusterError
        If the folder of the call does not exist on the machine of the worker.
    """
    call = batch.part.parent
    if not (call / LOCK).exists():
        raise _not_shared(call.parent.parent)
    read_mesh, read_image, prefer = pickle.loads(data)
    _allow_processes()  # a renderer process, which a broken model or a driver may crash, protects the worker
    draft = batch.part.with_name(f"{uuid4().hex}.draft")
    counts = ThumbnailCounts()
    with ThumbnailPool(read_mesh, read_image, draft, 1, prefer=prefer, lower_priority=False) as pool:
        pool.request(batch.requests)
        while counts.delivered < len(batch.requests):
            if not (call / LOCK).exists():
                raise Cancelled
            for request, thumbnail in pool.wait(POLL_SECONDS):
                counts.count(request.path, thumbnail)
        counts.renderer = pool.renderer
    with suppress(OSError):  # complete already: the scheduler repeated a task whose first worker seemed to have ended
        draft.rename(batch.part)
    shutil.rmtree(draft, ignore_errors=True)
    return counts


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def map_files_on_cluster(
    cluster: Cluster, paths: Sequence[Path], function: Callable[[Path], Any], checkpoint: Callable[[], None]
) -> Iterator[tuple[Path, Any]]:
    """Each file with the result of a function, or a text why there is none, on the workers; see `map_files`.

    Raises
    ------
    ClusterError
        See `Cluster.run`; also if a worker does not see a file that is here.
    """
    size = min(FILES_PER_TASK, max(1, -(-len(paths) // (TASKS_PER_THREAD * max(1, cluster.n_threads())))))
    tasks = [tuple(paths[start : start + size]) for start in range(0, len(paths), size)]
    running = cluster.checked_by(checkpoint).run(read_task, pickle.dumps(function, protocol=5), tasks)
    for results in running:
        for path, found in results:
            if found is None and path.exists():
                message = f"a worker of '{cluster.address}' does not see {path}, which is here"
                raise ClusterError(f"{message}; workers need the same paths, such as on a shared disk")
            yield path, "no such file" if found is None else found


def read_task(data: bytes, paths: tuple[Path, ...]) -> list[tuple[Path, Any]]:
    """Files with the results of a function, in a worker; None for a file that does not exist on its machine.

    Parameters
    ----------
    data : the pickled function.
    """
    _allow_processes()
    present = [path for path in paths if path.exists()]
    missing = sorted(set(paths) - set(present))
    return [*((path, None) for path in missing), *map_files(present, pickle.loads(data), 1)]


def _allow_processes() -> None:
    """Let this worker start processes: workers of Dask are daemons, which multiprocessing keeps from it.

    The processes end when their pipe closes. They use memory again, as those of this program do; see `_reuse_memory`.
    """
    import multiprocessing

    os.environ.pop("MALLOC_TRIM_THRESHOLD_", None)
    multiprocessing.current_process()._config["daemon"] = False  # type: ignore[attr-defined]
