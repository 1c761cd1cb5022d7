"""Entry point of the window: process-wide settings, then the Qt application."""

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from shrec_viewer.app.startup.display import missing_display
from shrec_viewer.plugins import install_plugins

if TYPE_CHECKING:
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts

SWITCH_INTERVAL = 0.0002
"""Seconds for which a thread beside the window may hold Python before the window gets its turn. With Python's own 5 ms
the window stood still for up to 77 ms while pictures came in, with 1 ms for up to 17 (shrec06, 60 steps through ranks,
two busy cores). A thread that gives Python away and takes it again more often than that is never asked for it: beside
one that called Qt for 0.5 ms at a time a window waited for up to 0.8 s with 1 ms, and for 10 ms with 0.2."""


MALLOC_ARENAS = 2
"""Heaps that threads share. GNU's C library has up to eight for each core, and what one frees no other can use: with
our thirty threads memory grew by 2 MB a minute for as long as somebody worked, with two it stood still (5 minutes)."""

MMAP_THRESHOLD = 2**20
"""Bytes from which memory is mapped from the system and given back as such. By itself GNU's C library moves that limit
up to 32 MB once a large picture was freed; those that came later left holes in the heaps for all time."""

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8
"""Of `malloc.h`."""


def limit_malloc_arenas() -> None:
    """Let threads share heaps, and keep what is large out of them, where the C library is GNU's; before they start."""
    import ctypes

    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        library.mallopt(_M_ARENA_MAX, MALLOC_ARENAS)
        library.mallopt(_M_MMAP_THRESHOLD, MMAP_THRESHOLD)


def run_window(
    benchmark: Path | None,
    *,
    parts: "BenchmarkParts | None" = None,
    profile: str | None = None,
    selftest: bool = False,
    started: float | None = None,
) -> int:
    """Open the window, with a benchmark or the welcome page, and return the exit status of the program.

    Parameters
    ----------
    benchmark : what to open; None for the welcome page.
    parts : where parts lie that are not inside it.
    profile : key of the conventions to use instead of those it asks for.
    selftest : wait until all is drawn, print one line of JSON, close; reads and remembers no settings.
    started : `time.perf_counter` when the process began; milestones count from there.

    Returns
    -------
    int
        0 when the person closed the window or the self-test succeeded, 1 where no window can be opened or the self-test
        failed, 130 after Ctrl-C.
    """
    began = time.perf_counter() if started is None else started
    if reason := missing_display():
        print(reason, file=sys.stderr)  # noqa: T201 - there is no window to show it in
        return 1
    os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
    sys.setswitchinterval(SWITCH_INTERVAL)
    limit_malloc_arenas()
    try:
        from PySide6.QtWidgets import QApplication

        from shrec_viewer.app.startup.application import Application
    except ImportError as error:
        print(f"no window can be opened: Qt cannot be loaded ({error})", file=sys.stderr)  # noqa: T201
        return 1
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    for failure in install_plugins(panels=True).failures:
        print(f"warning: {failure}", file=sys.stderr)  # noqa: T201 - also listed in About
    return Application(app, benchmark, parts, profile, selftest=selftest, started=began).run()
