"""How much memory the process takes while it is left alone, and whether that grows."""

import ctypes
import gc
import math
import resource
import sys
import time
from array import array
from importlib import import_module
from pathlib import Path
from statistics import NormalDist, fmean, linear_regression
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QPixmapCache

SMALL_LIMITS = {
    "widgets.style.thumbnail_painter": ("CACHE_BYTES", 2**20),
    "viewmodels.thumbnails.thumbnails": ("MEMORY_LIMIT", 2**21),
    "viewmodels.mesh_view.rendering": ("MAX_LOADED_BYTES", 10**6),
    "viewmodels.session.edits": ("UNDO_LIMIT", 50),
    "viewmodels.session.history": ("MAX_ENTRIES", 50),
    "viewmodels.tasks.tasks": ("MAX_FINISHED_TASKS", 20),
}
"""Smaller limits of caches: filling them up takes half an hour otherwise, which looks like a leak."""

PIXMAPS = 512
"""Kilobytes of what Qt keeps of pixmaps and letters, for the same reason; its own limit is 10 MB."""


def keep_little() -> None:
    """Keep little in memory."""
    QPixmapCache.setCacheLimit(PIXMAPS)
    for module, (name, value) in SMALL_LIMITS.items():
        target = import_module(f"shrec_viewer.{module}")
        getattr(target, name)  # AttributeError for a limit that was renamed
        setattr(target, name, value)


def megabytes(process: int | str = "self", what: str = "VmRSS") -> float:
    """Resident memory, or the part of it that the system calls `what`; 0 for a process that is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0 if process != "self" else resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return next((int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith(f"{what}:")), 0.0)


class _Heap(ctypes.Structure):
    """`struct mallinfo2` of the GNU C library."""

    _fields_ = [
        (name, ctypes.c_size_t)
        for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "k")
    ]


def in_use() -> float:
    """Megabytes that C and C++ have asked for and not given back; 0 where the system does not tell."""
    try:
        tell = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):
        return 0.0
    tell.restype = _Heap
    heap = tell()
    return (heap.uordblks + heap.hblkhd) / 2**20


def children() -> list[str]:
    """Processes that the main thread or another one of ours has started."""
    try:
        tasks = list(Path("/proc/self/task").iterdir())
        return [pid for task in tasks for pid in (task / "children").read_text().split()]
    except OSError:
        return []


class Row(NamedTuple):
    """A look at the memory.

    Attributes
    ----------
    seconds : since the beginning.
    resident, processes : megabytes of this process and of those it started.
    own : megabytes of the resident ones that are no files: pages of libraries come in as their code is first used.
    in_use : megabytes, see `in_use`.
    blocks : that Python has given out, in thousands.
    """

    seconds: float
    resident: float
    processes: float
    own: float
    in_use: float
    blocks: float


class Memory(QObject):
    """Looks at the memory once a second, and at what is really needed whenever it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.resident = array("d")  # each second; no objects, which would look like a leak
        self.rests: list[Row] = []
        self._began = time.monotonic()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_second)
        self._timer.start(1000)

    @Slot()
    def _on_second(self) -> None:
        self.resident.append(megabytes())

    def take(self) -> None:
        """Look at a moment of rest: garbage is collected, and blocks that nobody uses go back to the system."""
        gc.collect()
        if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
            libc.malloc_trim(0)
        self.rests.append(self._row())

    def _row(self) -> Row:
        own = megabytes(what="RssAnon") or megabytes()
        processes = sum(megabytes(pid) for pid in children())
        blocks = sys.getallocatedblocks() / 1000
        return Row(time.monotonic() - self._began, megabytes(), processes, own, in_use(), blocks)

    def growth(self, what: str, from_share: float) -> tuple[float, float]:
        """A column of `Row` a minute at rest after this share of the session, and how far off that may be.

        The second is half of the interval that holds the slope in 95 of 100 sessions; both 0 for fewer than 3 rests.
        """
        rows = self.rests[int(len(self.rests) * from_share) :]
        if len(rows) < 3:
            return 0.0, 0.0
        x = [row.seconds / 60 for row in rows]
        y = [getattr(row, what) for row in rows]
        slope, start = linear_regression(x, y)
        left = sum((b - start - slope * a) ** 2 for a, b in zip(x, y, strict=True)) / (len(rows) - 2)
        spread = sum((a - fmean(x)) ** 2 for a in x)
        return round(slope, 2), round(_quantile(len(rows) - 2) * math.sqrt(left / spread), 2)


def _quantile(freedom: int) -> float:
    """Student's t at 0.975 by its expansion about the normal one; less than 2 % off from 4 degrees of freedom on."""
    z = NormalDist().inv_cdf(0.975)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
