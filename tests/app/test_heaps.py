"""Threads of the program share a few heaps, as the C library itself counts them."""

import ctypes
import subprocess
import sys

import pytest

COUNT = """
import ctypes, tempfile, threading
from shrec_viewer.app.main import ARENAS, share_heaps

library = ctypes.CDLL(None)
library.fopen.restype = ctypes.c_void_p

def heaps():
    with tempfile.NamedTemporaryFile() as file:
        stream = ctypes.c_void_p(library.fopen(file.name.encode(), b"w"))
        library.malloc_info(0, stream)
        library.fclose(stream)
        return file.read().count(b"<heap ")

def allocate():
    library.malloc(100)
    everybody.wait()
    everybody.wait()

if {share}:
    share_heaps()
everybody = threading.Barrier(9)
threads = [threading.Thread(target=allocate) for _ in range(8)]
for thread in threads:
    thread.start()
everybody.wait()
print(heaps() - ARENAS)
everybody.wait()
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "malloc_info"), reason="not GNU's C library"
)
def test_threads_share_heaps():
    """Eight threads that all hold memory have as many heaps as we allow, and more without it."""
    shared, alone = (int(_said(COUNT.format(share=share))) for share in (True, False))
    assert shared == 0
    assert alone > 0


def _said(program: str) -> str:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not run.stderr
    return run.stdout
