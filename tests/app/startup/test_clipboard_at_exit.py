"""The process ends without a crash after a copy."""

import subprocess
import sys

COPY_AND_CLOSE = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from shrec_viewer.app.startup.main import run_window
from shrec_viewer.panels.export.panel_export import clipboard_data

def copy():
    data = clipboard_data()
    data.setData("image/svg+xml", b"<svg/>")
    app.clipboard().setMimeData(data)
    app.quit()

app = QApplication([])
QTimer.singleShot(50, copy)
sys.exit(run_window(None))
"""


def test_copied_plot_does_not_crash_the_program_at_exit():
    ended = subprocess.run([sys.executable, "-c", COPY_AND_CLOSE], timeout=600, check=False)
    assert ended.returncode == 0
