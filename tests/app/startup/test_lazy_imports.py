"""Modules that the main window must not import before its first paint."""

import subprocess
import sys

SLOW = (
    "numpy",
    "pyqtgraph",
    "qtawesome",
    "trimesh",
    "PIL",
    "matplotlib",
    "tomlkit",
    "moderngl",
    "shrec_viewer.metrics",
)


def test_main_window_is_imported_without_numpy():
    words = (
        f"import sys, shrec_viewer.app.window.main_window; print([name for name in {SLOW!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
