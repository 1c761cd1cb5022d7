"""Ranks of matrices on the workers of a Dask cluster; requires the extra "cluster"."""

import logging
import pickle
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from shrec_viewer.domain import ShrecError
from shrec_viewer.formats.io.array_files import FileMatrix
from shrec_viewer.formats.matrices.matrix_blocks import BlockMatrix
from shrec_viewer.metrics.ranking.hit_table import HitRanks
from shrec_viewer.metrics.ranking.matrix_ranking import MatrixBlocks

if TYPE_CHECKING:
    from distributed import Client

LOCAL = "local:"
"""Start of an address that stands for worker processes on this machine: ``local:4``."""

TASK_BYTES = 2**26
"""Bytes of a matrix that one task reads: 0.2 to 0.5 s of work, against about 1 ms for a task of Dask."""

CONNECT_SECONDS = 20
"""Limit for the connection to a scheduler."""

KEPT_SECONDS = 7 * 24 * 3600
"""Age of results from which those of interrupted calls are deleted."""

RETRIES = 3
"""Number of times that a task is repeated after its worker ended; the scheduler starts it on another one."""


class ClusterError(ShrecError):
    """The scheduler cannot be reached, or its workers end."""


@contextmanager
def connected_cluster(address: str, results: Path) -> Iterator["ClusterRanking"]:
    """Connect to a scheduler, or start one with workers on this machine; closed at the end.

    Parameters
    ----------
    address : ``tcp://host:8786``, or ``local:N`` for N worker processes.
    results : folder for the results of finished tasks, with which a call that was interrupted is resumed; the paths of
        the matrices must be the same on all workers.

    Raises
    ------
    ClusterError
        When the extra "cluster" is not installed, or no scheduler answers.
    """
    try:
        from distributed import Client, LocalCluster
    except ImportError as error:
        message = "a scheduler requires the extra 'cluster': pip install 'shrec-viewer[cluster]'"
        raise ClusterError(message) from error
    # Dask logs each lost connection with its stack; the reason is in the exception.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    cluster = None
    try:
        if address.startswith(LOCAL):
            # One thread for each process: ranking holds the interpreter lock for a third of its time.
            cluster = LocalCluster(_number_of_workers(address), 1, processes=True, dashboard_address="127.0.0.1:0")
        client = Client(cluster if cluster is not None else address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TimeoutError, RuntimeError) as error:
        if cluster is not None:
            cluster.close()
        elif address.startswith(LOCAL):
            raise ClusterError(f"no worker process can be started: {error}") from error
        raise ClusterError(f"no scheduler answers at '{address}'") from error
    try:
        _delete_old(results)
        yield ClusterRanking(client, address, results)
    finally:
        with suppress(OSError, TimeoutError, CancelledError):
            client.close(CONNECT_SECONDS)
        if cluster is not None:
            cluster.close(CONNECT_SECONDS)


def _delete_old(results: Path) -> None:
    """Delete results of calls that were interrupted and not repeated."""
    with suppress(OSError):
        for path in results.iterdir():
            if time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink(missing_ok=True)


def _number_of_workers(address: str) -> int:
    number = address.removeprefix(LOCAL)
    if not number.isdecimal() or int(number) < 1:
        raise ClusterError(f"'{address}': a number of worker processes is expected, such as {LOCAL}4")
    return int(number)


class ClusterRanking:
    """Ranks blocks of rows on the workers of a cluster; pass `map_blocks` to `hits_from_matrix`."""

    def __init__(self, client: "Client", address: str, results: Path) -> None:
        self._client = client
        self._address = address
        self._results = results

    def map_blocks(self, blocks: MatrixBlocks, starts: range) -> Iterable[HitRanks]:
        """The ranks of each block, in their order; matrices in memory are ranked in this process.

        Raises
        ------
        ClusterError
            When the connection is lost, or workers end again and again. Finished tasks are kept.
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
        # Cancelling tasks by their keys must not cancel equal tasks of another client.
        name, client = f"ranks-{uuid4().hex}", self._client
        shared: Any = None
        open_tasks: list[Any] = []
        try:
            done = [_read_ranks(path) for path in paths]
            todo = [task for task, ranks in zip(tasks, done, strict=True) if ranks is None]
            if todo:
                # A task, which is repeated when its worker ends; data of `scatter` would be lost (distributed 2026.8).
                with warnings.catch_warnings(action="ignore", category=UserWarning):  # "Sending large graph"
                    shared = client.submit(bytes, data, key=f"{name}-blocks", retries=RETRIES)
                keys = [f"{name}-{task.start}" for task in todo]
                open_tasks = client.map(rank_task, [shared] * len(todo), todo, key=keys, retries=RETRIES)
            waiting = iter(open_tasks)
            for path, ranks in zip(paths, done, strict=True):
                if ranks is None:
                    ranks = next(waiting).result()
                    _write_ranks(path, ranks)
                yield ranks
        except (OSError, TimeoutError, CancelledError) as error:
            message = f"the scheduler at '{self._address}' is lost; the same command resumes from the finished blocks"
            raise ClusterError(message) from error
        except Exception as error:
            from distributed import KilledWorker

            if isinstance(error, KilledWorker):
                message = f"workers of '{self._address}' ended {RETRIES} times at the same block; more memory may help"
                raise ClusterError(message) from error
            raise
        else:
            for path in paths:
                path.unlink(missing_ok=True)
        finally:
            with suppress(Exception):  # the scheduler may be lost
                client.cancel(open_tasks)


def is_in_files(values: object) -> bool:
    """Whether workers read a matrix by its path; arrays in memory are not sent to them."""
    if isinstance(values, BlockMatrix):
        return all(map(is_in_files, values.blocks))
    return isinstance(values, FileMatrix)


def rank_task(data: bytes, starts: range) -> HitRanks:
    """Rank some blocks, in a worker.

    Parameters
    ----------
    data : a pickled `MatrixBlocks`.
    starts : first query of each block.
    """
    return HitRanks.joined([*map(pickle.loads(data), starts)])


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


def _read_ranks(path: Path) -> HitRanks | None:
    """A stored result; None if there is none, or it is damaged."""
    try:
        with np.load(path) as arrays:
            return HitRanks(**{field.name: arrays[field.name] for field in fields(HitRanks)})
    except Exception:  # zipfile and numpy raise many types on damaged files
        return None
