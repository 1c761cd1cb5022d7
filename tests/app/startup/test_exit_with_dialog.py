"""The process ends without a crash while the question about unsaved edits is open."""

import subprocess
import sys

import pytest

END_DURING_THE_QUESTION = """
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QMessageBox

from shrec_viewer.app.startup.application import QtApplication
from shrec_viewer.app.startup.main import run_window
from shrec_viewer.app.window.main_window import MainWindow

def step():
    (window,) = [widget for widget in app.topLevelWidgets() if isinstance(widget, MainWindow)]
    session = window.session
    if session is None or session.scores is None:
        return
    if session.edits.stack.isClean():
        session.edits.set_note(session.benchmark.queries.ids[0], "unsaved")
        window.close()
    elif box := window.findChild(QMessageBox):
        timer.stop()
        print("asked", flush=True)
        ends = {
            "exit": lambda: app.exit(0),
            "close": window.close_now,
            "signal": lambda: os.kill(os.getpid(), signal.SIGTERM),
            "discard": box.button(QMessageBox.StandardButton.Discard).click,
        }
        ends[sys.argv[1]]()

app = QtApplication([])
timer = QTimer()
timer.timeout.connect(step)
timer.start(20)
sys.exit(run_window(Path(sys.argv[2])))
"""


@pytest.mark.parametrize(("end", "status"), [("exit", 0), ("close", 0), ("signal", 143), ("discard", 0)])
def test_the_process_ends_while_the_question_is_open(end, status, tmp_path, monkeypatch):
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name))
    write_small(tmp_path / "benchmark")
    words = [sys.executable, "-c", END_DURING_THE_QUESTION, end, str(tmp_path / "benchmark")]
    ended = subprocess.run(words, timeout=600, check=False, capture_output=True, text=True)
    assert (ended.stdout.strip(), ended.returncode) == ("asked", status)


def write_small(folder):
    """Four models, which query themselves, and a matrix."""
    folder.mkdir()
    (folder / "models.cla").write_text("PSB 1\n2 4\n\na 0 2\nm1\nm2\n\nb 0 2\nm3\nm4\n")
    (folder / "A.txt").write_text("0 1 2 3\n1 0 3 2\n2 3 0 1\n3 2 1 0\n")
