"""What threads of the program allocate lies in a few heaps and outside of them, as the C library itself counts it."""

import ctypes
import json
import subprocess
import sys

import pytest

COUNT = """
import ctypes, json, tempfile, threading
from shrec_viewer.app.startup.main import ARENAS, MAPPED, share_heaps

class Sizes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "b", "s", "mapped", "h", "u", "f", "o", "d", "k")]

library = ctypes.CDLL(None)
library.malloc.restype = library.fopen.restype = ctypes.c_void_p
library.mallinfo2.restype = Sizes

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
too_many = heaps() - ARENAS
everybody.wait()

library.free(ctypes.c_void_p(library.malloc(ctypes.c_size_t(20 * MAPPED))))
before = library.mallinfo2().mapped
library.malloc(ctypes.c_size_t(MAPPED))
print(json.dumps([too_many, library.mallinfo2().mapped - before]))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallinfo2"),
    reason="not GNU's C library of 2.33 or later",
)
def test_threads_share_heaps_and_large_blocks_lie_outside():
    """Eight threads that all hold memory have as many heaps as we allow; a large block after a larger one is mapped."""
    assert _said(COUNT.format(share=True)) == [0, 1]
    too_many, mapped = _said(COUNT.format(share=False))
    assert too_many > 0
    assert mapped == 0


def _said(program: str) -> list[int]:
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert not run.stderr
    return json.loads(run.stdout)
