"""A drawing process starts often, and while somebody waits: it imports what it draws with and nothing else."""

import subprocess
import sys

START = """
import sys
from shrec_viewer.formats.images import read_image
from shrec_viewer.formats.meshes import read_mesh
from shrec_viewer.render.drawing import serve
from shrec_viewer.render.thumbnail import encode_webp
import numpy as np
assert encode_webp(np.zeros((8, 8, 4), np.uint8)).startswith(b"RIFF")
print(*sys.modules)
"""


def test_a_drawing_process_imports_no_readers_of_runs_and_no_other_pictures():
    loaded = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True).stdout.split()
    assert {"shrec_viewer.formats.off", "PIL.WebPImagePlugin"} <= set(loaded)
    unwanted = {"trec", "matrix", "folder", "readers", "manifest"}
    assert not {f"shrec_viewer.formats.{name}" for name in unwanted} & set(loaded)
    assert not {"trimesh", "PySide6", "matplotlib", "pyqtgraph", "PIL.TiffImagePlugin", "PIL.PdfImagePlugin"} & set(
        loaded
    )
