"""Start of worker processes: imports and environment."""

import os
import subprocess
import sys

from shrec_viewer.render.workers.worker_pool import start_process

START = """
import sys

from shrec_viewer.formats.meshes.images import read_image
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.workers.worker_pool import _serve
from shrec_viewer.render.thumbnails.thumbnail import encode_webp, open_thumbnail_renderer
import numpy as np
assert encode_webp(np.zeros((8, 8, 4), np.uint8)).startswith(b"RIFF")
print(*sys.modules)
"""


def test_imports_of_thumbnail_worker():
    loaded = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True).stdout.split()
    assert {"shrec_viewer.formats.meshes.off", "PIL.WebPImagePlugin"} <= set(loaded)
    unwanted = {"runs.trec", "matrices", "discovery", "runs", "manifest"}
    assert not {f"shrec_viewer.formats.{name}" for name in unwanted} & set(loaded)
    assert not {"trimesh", "PySide6", "matplotlib", "pyqtgraph", "PIL.TiffImagePlugin", "PIL.PdfImagePlugin"} & set(
        loaded
    )


def _send_variable(connection, name):
    connection.send(os.environ.get(name))


def _variable_in_worker(name):
    connection, process = start_process(_send_variable, (name,), "test")
    with connection:
        answer = connection.recv() if connection.poll(60) else "nothing"
    process.join(10)
    return answer


def test_workers_use_one_numpy_thread_unless_set_otherwise(monkeypatch):
    name = "OPENBLAS_NUM_THREADS"
    monkeypatch.delenv(name, raising=False)
    assert _variable_in_worker(name) == "1"
    assert name not in os.environ
    monkeypatch.setenv(name, "7")
    assert _variable_in_worker(name) == "7"
    assert os.environ[name] == "7"
