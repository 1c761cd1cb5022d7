"""The process ends without a crash after a copy."""

import subprocess
import sys

COPY_AND_CLOSE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from shrec_viewer.app.startup.main import run_window
from shrec_viewer.panels.plots.plot_panel import clipboard_data

def copy():
    app.clipboard().setMimeData(clipboard_data({"png": b"", "svg": b"<svg/>"}))
    app.quit()

app = QApplication([])
QTimer.singleShot(50, copy)
sys.exit(run_window(None))
"""


def test_copied_plot_does_not_crash_the_program_at_exit():
    ended = subprocess.run([sys.executable, "-c", COPY_AND_CLOSE], timeout=60, check=False)
    assert ended.returncode == 0
