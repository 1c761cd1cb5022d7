"""Readers and renderers of worker processes for tests.

Separate from the tests: each process imports the module of its functions, and pytest takes 0.2 s of processor time.
"""

import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from solids import cube

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.workers.renderer_process import open_mesh_renderer


def read(path: Path) -> Mesh:
    """Cube, error, crash or hang, depending on the name of the file; "gate" blocks until there is a file "open"."""
    kind = path.stem.rstrip("0123456789")
    if kind == "exit":
        os._exit(3)
    if kind == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if kind == "driver" and "shrec_viewer.render.gl.gl_renderer" in sys.modules:
        os.kill(os.getpid(), signal.SIGBUS)
    if kind == "hang":
        time.sleep(1000)
    if kind == "gate":
        while not path.with_name("open").exists():
            time.sleep(0.02)
    if kind == "late":
        time.sleep(1.5)
    if kind == "slow":
        time.sleep(0.3)
    if kind == "noise":
        print("noise")  # noqa: T201
        os.write(1, b"more noise")
    if kind == "refuse":
        raise FormatError(path, "holds no geometry")
    return replace(cube(), notes=("the file ends early", "2 faces point nowhere")) if kind == "mended" else cube()


def read_test_image(path: Path, size: int) -> np.ndarray:
    return np.full((size, size, 4), 255, np.uint8)


def read_never(path: Path) -> Mesh:
    raise AssertionError("the cache must answer")


def crash_unless_software(prefer: str):
    """Like a graphics driver that crashes when it is opened."""
    if prefer != "software":
        os.kill(os.getpid(), signal.SIGSEGV)
    return open_mesh_renderer("software")


def crash(prefer: str) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def hang(prefer: str) -> None:
    time.sleep(1000)
