"""Reader of worker processes for tests.

Separate from the tests: each process imports the module of its functions, and pytest takes 0.2 s of processor time.
"""

import os
import signal
import time

from shrec_viewer.formats.meshes.mesh_reader import read_mesh


def read_by_name(path):
    """Read a file, hang, crash, be slow or held until a file exists, depending on its name."""
    if path.stem.startswith("hang"):
        time.sleep(1000)
    if path.stem.startswith("crash"):
        os.kill(os.getpid(), signal.SIGSEGV)
    while path.stem.startswith("held") and not (path.parent / "released").exists():
        time.sleep(0.05)
    if path.stem.startswith("late"):
        time.sleep(1.2)
    return read_mesh(path)
