"""What a drawing process does all its life: answer requests for thumbnails."""

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any

from shrec_viewer.render.renderer import Prefer, open_preferred
from shrec_viewer.render.thumbnail import ReadImage, ReadMesh, make_thumbnail


def serve(connection: Any, read_mesh: ReadMesh, read_image: ReadImage, prefer: Prefer) -> None:
    """Life of a drawing process: answer requests until the other end of the pipe is gone."""
    begin_serving()
    os.environ["LP_NUM_THREADS"] = "0"  # Mesa without a GPU: its threads only quarrel with the other process
    renderer = open_preferred(prefer)
    with suppress(EOFError, OSError):
        connection.send(renderer.description)
        while True:
            request = connection.recv()
            connection.send(make_thumbnail(request, read_mesh, read_image, renderer))


def begin_serving() -> None:
    """Be a quiet servant: Ctrl-C in a terminal is for the program, which then ends this process; nothing is printed.

    Where memory runs out, Linux ends this process and not the window.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000")
    _silence()


def _silence() -> None:
    """Drivers and readers may print what they like; the program's output stays its own."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        with suppress(OSError):
            os.dup2(nowhere, stream)
    os.close(nowhere)
