"""Memory of the idle process and its growth."""

import ctypes
import gc
import math
import resource
import sys
import time
from array import array
from importlib import import_module
from io import BytesIO
from pathlib import Path
from statistics import NormalDist, fmean, linear_regression
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtGui import QPixmapCache

SMALL_LIMITS = {
    "widgets.style.relevance": ("CACHE_BYTES", 2**20),
    "viewmodels.thumbnails.thumbnails": ("MEMORY_LIMIT", 2**21),
    "viewmodels.mesh_view.rendering": ("MAX_LOADED_BYTES", 10**6),
    "viewmodels.session.edits": ("UNDO_LIMIT", 50),
    "viewmodels.session.session": ("MAX_HISTORY", 50),
    "viewmodels.tasks.tasks": ("MAX_FINISHED_TASKS", 20),
}
"""Smaller limits of caches, which otherwise take half an hour to fill and look like a leak."""

PIXMAPS = 512
"""Limit of Qt's pixmap cache in kilobytes, for the same reason; the default is 10 MB."""


def shrink_caches() -> None:
    """Reduce the limits of all memory caches."""
    QPixmapCache.setCacheLimit(PIXMAPS)
    for module, (name, value) in SMALL_LIMITS.items():
        target = import_module(f"shrec_viewer.{module}")
        getattr(target, name)  # AttributeError for a limit that was renamed
        setattr(target, name, value)


def import_matplotlib() -> None:
    """Import what the first export of a plot imports: 300,000 blocks and 25 MB, which looks like a leak."""
    from matplotlib.figure import Figure

    for form in ("svg", "pdf", "png"):
        Figure().savefig(BytesIO(), format=form)


def megabytes(process: int | str = "self", what: str = "VmRSS") -> float:
    """Resident memory, or the field `what` of the status file; 0 for an ended process."""
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
    """Megabytes allocated by C and C++ and not freed; 0 where the system does not report it."""
    try:
        tell = ctypes.CDLL(None).mallinfo2
    except (OSError, AttributeError):
        return 0.0
    tell.restype = _Heap
    heap = tell()
    return (heap.uordblks + heap.hblkhd) / 2**20


def calibration_ms() -> float:
    """Processor time of a fixed loop in milliseconds: on a busy machine the same work takes up to three times as long.

    Threads of one core share its caches and arithmetic units, and the clock rate depends on the load.
    """
    begun = time.thread_time()
    sum(number * number for number in range(200_000))
    return 1000 * (time.thread_time() - begun)


def children() -> list[str]:
    """Child processes of any thread of this process."""
    try:
        tasks = list(Path("/proc/self/task").iterdir())
        return [pid for task in tasks for pid in (task / "children").read_text().split()]
    except OSError:
        return []


class Row(NamedTuple):
    """One measurement of memory.

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
    """Measures resident memory every second, and live memory on request."""

    def __init__(self) -> None:
        super().__init__()
        self.resident = array("d")  # each second; no objects, which would look like a leak
        self.rests: list[Row] = []
        self.calibrations = array("d")
        self._began = time.monotonic()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._on_second)
        self._timer.start(1000)

    @Slot()
    def _on_second(self) -> None:
        self.resident.append(megabytes())

    def take(self) -> None:
        """Measure after garbage collection and after free blocks were returned to the system."""
        gc.collect()
        if hasattr(libc := ctypes.CDLL(None), "malloc_trim"):
            libc.malloc_trim(0)
        self.rests.append(self._row())
        self.calibrations.append(calibration_ms())

    def _row(self) -> Row:
        own = megabytes(what="RssAnon") or megabytes()
        processes = sum(megabytes(pid) for pid in children())
        blocks = sys.getallocatedblocks() / 1000
        return Row(time.monotonic() - self._began, megabytes(), processes, own, in_use(), blocks)

    def growth(self, what: str, from_share: float) -> tuple[float, float]:
        """Growth of a column of `Row` per minute after this share of the session, and its confidence interval.

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
    """Student's t at 0.975 by its normal expansion; error below 2 % from 4 degrees of freedom on."""
    z = NormalDist().inv_cdf(0.975)
    return z + (z**3 + z) / (4 * freedom) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
