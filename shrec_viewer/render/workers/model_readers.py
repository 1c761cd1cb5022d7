"""Pool of worker processes that read models for the 3D view."""

import pickle
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_ISREG
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import ShrecError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.up_axis import likely_up_axis
from shrec_viewer.render.thumbnails.thumbnail import IMAGE_FILE_SUFFIXES, ReadImage, ReadMesh
from shrec_viewer.render.workers.worker_process import (
    end_process,
    exit_reason,
    make_wakeup_pipe,
    set_up_worker,
    start_process,
    wait_for_connections,
)


@dataclass(frozen=True)
class ModelReadJob:
    """A file to be read.

    Attributes
    ----------
    path : a mesh, or a picture.
    size : pixels of each side of a picture; 0 for a mesh.
    """

    path: Path
    size: int = 0


@dataclass(frozen=True)
class ModelInfo:
    """What is known of a file once it is read.

    Attributes
    ----------
    vertices, faces : counts; faces 0 is a cloud of points.
    size : extents along x, y and z in the file's own unit.
    is_picture : a sketch or photograph, which has no other sides.
    notes : sentences about what was dropped or mended while reading.
    stands_on : axis along which it seems to stand upright, ``"Y"`` or ``"Z"``; "" where that is not clear.
    """

    vertices: int = 0
    faces: int = 0
    size: tuple[float, float, float] = (0.0, 0.0, 0.0)
    is_picture: bool = False
    notes: tuple[str, ...] = ()
    likely_up: str = ""


@dataclass(frozen=True, eq=False)
class LoadedModel:
    """A file as far as it could be read.

    Attributes
    ----------
    packed : the model as `pack_mesh` makes it, which only the process that draws unpacks; empty without one.
    pixels : (size, size, 4) RGBA with straight alpha of a picture, else None.
    facts : of the file.
    problem : why there is neither, a few words; "" otherwise.
    """

    packed: bytes = b""
    pixels: NDArray[np.uint8] | None = None
    facts: ModelInfo = ModelInfo()
    problem: str = ""


def pack_mesh(mesh: Mesh) -> bytes:
    """A mesh on its way from one process of ours to another."""
    return pickle.dumps(mesh, pickle.HIGHEST_PROTOCOL)


def unpack_mesh(data: bytes) -> Mesh:
    """The mesh again; only of what `pack_mesh` has made."""
    mesh = pickle.loads(data)
    assert isinstance(mesh, Mesh)
    return mesh


def mesh_info(mesh: Mesh, likely_up: str = "") -> ModelInfo:
    """Counts and extents of a mesh that seems to stand along an axis."""
    extents = np.ptp(mesh.vertices.astype(np.float64), axis=0) if len(mesh.vertices) else np.zeros(3)
    size = (float(extents[0]), float(extents[1]), float(extents[2]))
    return ModelInfo(len(mesh.vertices), len(mesh.faces), size, notes=mesh.notes, likely_up=likely_up)


def is_image(path: Path) -> bool:
    """Whether a file is a picture by its name, and not a mesh."""
    return path.suffix.lower() in IMAGE_FILE_SUFFIXES


def serve_model_reader(connection: Any, read_mesh: ReadMesh, read_image: ReadImage) -> None:
    """Life of a reading process: answer jobs until the other end of the pipe is gone. Not nice: somebody waits."""
    set_up_worker()
    with suppress(EOFError, OSError):
        connection.send(None)  # ready
        while True:
            connection.send(read_model(connection.recv(), read_mesh, read_image))


def read_model(job: ModelReadJob, read_mesh: ReadMesh, read_image: ReadImage) -> LoadedModel:
    """One file; whatever goes wrong becomes its problem, never an exception."""
    try:
        if (problem := _not_a_file(job.path)) != "":
            return LoadedModel(problem=problem)
        if is_image(job.path):
            return LoadedModel(pixels=read_image(job.path, job.size), facts=ModelInfo(is_picture=True))
        mesh = read_mesh(job.path)
        return LoadedModel(pack_mesh(mesh), facts=mesh_info(mesh, likely_up_axis(mesh)))
    except ShrecError as error:
        return LoadedModel(problem=str(getattr(error, "why", error)))
    except MemoryError:
        return LoadedModel(problem="needs more memory than there is")
    except Exception as error:  # a reader met something nobody thought of; one picture pays, not the process
        return LoadedModel(problem=f"cannot be read ({type(error).__name__}: {error})")


def _not_a_file(path: Path) -> str:
    """Why there is nothing to read in a pipe, a device or a folder; "" for files, and for what the reader will name."""
    with suppress(OSError, ValueError):
        if not S_ISREG(path.stat().st_mode):
            return "is no file that could be read to its end"
    return ""


READ_TIMEOUT = 30.0
"""Seconds one file may take, as for thumbnails."""

_START_TIMEOUT = 60.0
"""Seconds a process may take to start, on a machine with a cold disk and a virus scanner."""

_SLOW_AFTER = 0.5
"""Seconds after which a file counts as slow: another process reads what waits, and nobody waits for it unasked."""

_MAX_PROCESSES = 4
"""Processes at most: query, pinned model and both answers may all be slow at once."""

_IDLE_TIMEOUT = 600.0
"""Seconds without work after which the processes end; each holds 40 MB, and starting one takes a third of a second."""

_MAX_FAILED_STARTS = 3
"""Processes that may die in a row while they start; then none is started any more."""


class ModelReaderPool:
    """Reads what is wanted now, the most urgent first.

    All belongs to one thread, which calls `want` and `wait` in a loop, but for `wake`. Nothing is started before there
    is something to read, or `prestart` is called.

    Parameters
    ----------
    read_mesh, read_image : importable functions; they run in the processes.
    patience : seconds one file may take.
    """

    def __init__(self, read_mesh: ReadMesh, read_image: ReadImage, timeout_s: float = READ_TIMEOUT) -> None:
        self._functions = (read_mesh, read_image)
        self._timeout_s = timeout_s
        self._waiting: deque[ModelReadJob] = deque()
        self._wanted: frozenset[ModelReadJob] = frozenset()
        self._processes: list[_ReaderProcess] = []
        self._failed_starts = 0  # in a row
        self._active = time.monotonic()
        self._listening, self._bell = make_wakeup_pipe()
        self._is_rung = False
        self._closed = False

    def prestart(self) -> None:
        """Start a process, as there will be something to read soon."""
        self._active = time.monotonic()
        if not self._processes and not self._closed:
            self._start()

    def want(self, jobs: Iterable[ModelReadJob]) -> None:
        """Read these, the first first, and nothing else: what was wanted before is dropped unless it is nearly read."""
        wanted = list(dict.fromkeys(jobs))
        self._wanted = frozenset(wanted)
        going_on = {process.job for process in self._processes if not process.is_stale}
        self._waiting = deque(job for job in wanted if job not in going_on)

    def forget(self) -> None:
        """The files are other ones: what is being read now is out of date."""
        self._waiting.clear()
        for process in self._processes:
            process.is_stale = process.job is not None

    def wake(self) -> None:
        """Let `wait` return at once; from any thread."""
        if not self._is_rung:
            self._is_rung = True
            with suppress(OSError, ValueError):
                self._bell.send_bytes(b"!")

    def wait(self, seconds: float) -> list[tuple[ModelReadJob, LoadedModel]]:
        """What was read or turned out not to be readable, as soon as there is something; none after so many seconds."""
        self._drop_unwanted()
        self._hand_out()
        now = time.monotonic()
        moments = [process.moment(self._timeout_s, bool(self._waiting)) for process in self._processes]
        limit = min([now + seconds, *moments]) - now
        with suppress(OSError, ValueError):  # closed by another thread while waiting
            sources = [self._listening, *(process.connection for process in self._processes)]
            if self._listening in wait_for_connections(sources, limit):
                self._is_rung = False
                self._listening.recv_bytes()
        answers = [answer for process in list(self._processes) for answer in self._answers(process)]
        if self._waiting and self._failed_starts >= _MAX_FAILED_STARTS:
            why = LoadedModel(problem="cannot be read: the reading process does not start on this machine")
            answers += [(job, why) for job in self._waiting]
            self._waiting.clear()
        self._drop_unwanted()
        self._hand_out()
        self._retire()
        return answers

    def close(self) -> None:
        """End the processes at once; `wait` returns. May be called twice."""
        self._closed = True
        self.wake()
        self._stop_all()

    # ── processes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _start(self) -> "_ReaderProcess":
        process = _ReaderProcess(self._functions)
        self._processes.append(process)
        return process

    def _hand_out(self) -> None:
        while self._waiting and not self._closed:
            self._active = time.monotonic()
            process = next((process for process in self._processes if process.job is None), None)
            if process is None:
                can_start = len(self._processes) < _MAX_PROCESSES and self._failed_starts < _MAX_FAILED_STARTS
                if not can_start or not all(process.is_slow() for process in self._processes):
                    return
                process = self._start()
            process.give(self._waiting.popleft())

    def _drop_unwanted(self) -> None:
        """Nobody looks at a slow file any more: its process is worth less than a fresh one."""
        for process in list(self._processes):
            is_unwanted = process.is_stale or process.job not in self._wanted
            if process.job is not None and is_unwanted and process.is_slow():
                self._end(process)
                if all(other.job is not None for other in self._processes) and not self._closed:
                    self._start()

    def _answers(self, process: "_ReaderProcess") -> list[tuple[ModelReadJob, LoadedModel]]:
        if self._closed:
            return []
        job, is_stale = process.job, process.is_stale
        try:
            reading = process.message()
        except Exception:  # the end of the pipe, or half a message
            return self._lost(process, process.exit_reason())
        if process.is_ready:
            self._failed_starts = 0
        if reading is None:
            if time.monotonic() < process.deadline(self._timeout_s):
                return []
            return self._lost(process, f"takes longer than {self._timeout_s:.0f} seconds to read")
        self._active = time.monotonic()
        return [] if job is None or is_stale else [(job, reading)]

    def _lost(self, process: "_ReaderProcess", why: str) -> list[tuple[ModelReadJob, LoadedModel]]:
        job, was_ready, is_stale = process.job, process.is_ready, process.is_stale
        self._end(process)
        self._failed_starts += not was_ready
        if job is None or is_stale:
            return []
        if was_ready:
            return [(job, LoadedModel(problem=why))]
        if job in self._wanted:
            self._waiting.appendleft(job)
        return []

    def _end(self, process: "_ReaderProcess") -> None:
        self._processes.remove(process)
        process.stop()

    def _retire(self) -> None:
        is_busy = any(process.job is not None for process in self._processes)
        if self._processes and not is_busy and time.monotonic() - self._active > _IDLE_TIMEOUT:
            self._stop_all()

    def _stop_all(self) -> None:
        for process in list(self._processes):
            process.stop()
        self._processes.clear()


class _ReaderProcess:
    """One reading process as seen from outside; it has one job at a time."""

    def __init__(self, functions: tuple[ReadMesh, ReadImage]) -> None:
        self.connection: Any
        self.connection, self._process = start_process(serve_model_reader, functions, "reader")
        self.is_ready = False
        self.job: ModelReadJob | None = None
        self.is_stale = False
        self._since = time.monotonic()

    def give(self, job: ModelReadJob) -> None:
        """Hand a job over; a dead process is noticed later, by `message`."""
        self.job, self.is_stale = job, False
        if self.is_ready:
            self._since = time.monotonic()
        with suppress(OSError):
            self.connection.send(job)

    def message(self) -> LoadedModel | None:
        """What it has read; None where there is nothing yet, or it has only just become ready."""
        if not self.connection.poll():
            return None
        reading: LoadedModel | None = self.connection.recv()
        self._since = time.monotonic()
        if reading is None:
            self.is_ready = True
        else:
            self.job, self.is_stale = None, False
        return reading

    def is_slow(self) -> bool:
        """Whether it has read the same file for longer than files usually take."""
        return self.is_ready and self.job is not None and time.monotonic() >= self._since + _SLOW_AFTER

    def deadline(self, timeout_s: float) -> float:
        """Moment (monotonic) at which it counts as hanging; infinite while it has nothing to do."""
        if not self.is_ready:
            return self._since + _START_TIMEOUT
        return self._since + timeout_s if self.job is not None else float("inf")

    def moment(self, timeout_s: float, others_wait: bool) -> float:
        """Moment (monotonic) at which something is to be done about it, if it says nothing before."""
        if self.is_ready and self.job is not None and others_wait and not self.is_slow():
            return self._since + _SLOW_AFTER
        return self.deadline(timeout_s)

    def exit_reason(self) -> str:
        """Why it died."""
        return exit_reason(self._process, "reading")

    def stop(self) -> None:
        """End it at once."""
        end_process(self.connection, self._process)
