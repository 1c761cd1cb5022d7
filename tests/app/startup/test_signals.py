"""Signals and the end of the session close the window without a question, and unsaved edits are on disk."""

import json
import os
import signal
import subprocess
import sys

import pytest
from processes import started
from PySide6.QtCore import QObject
from sample_benchmark import write_sample_benchmark
from windows import a_window, open_in_window

from shrec_viewer.app.startup.application import Application
from shrec_viewer.app.window import project_files

EDITING = """
import sys
from shrec_viewer.app.startup import application
from shrec_viewer.cli.program import run
from PySide6.QtCore import QObject, QTimer, Slot

class Typist(QObject):
    def __init__(self, window):
        super().__init__(window)
        self.window = window
        self.timer = QTimer(self, interval=20)
        self.timer.timeout.connect(self.type)
        self.timer.start()

    @Slot()
    def type(self):
        session = self.window.session
        if session is not None and session.is_open:
            self.timer.stop()
            session.edits.set_note("q1", "just typed")
            print("typed", file=sys.__stdout__, flush=True)  # sys.stdout is standard error here

original = application.Application.run
def run_and_type(self):
    self.typist = Typist(self.window)
    return original(self)
application.Application.run = run_and_type
sys.exit(run(["open", sys.argv[1]]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_keeps_what_was_just_typed(tmp_path, name):
    number = getattr(signal, name)
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", meshes=False)
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    command = [sys.executable, "-c", EDITING, str(folder)]
    with started(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        assert process.stdout.readline() == "typed\n"
        process.send_signal(number)
        assert process.wait(600) == 128 + number
    (journal,) = (tmp_path / "data").rglob("unsaved/*.json")
    assert json.loads(journal.read_text())["edited"]["notes"] == {"q1": "just typed"}


def test_log_out_writes_the_journal_and_closes_without_a_question(qapp, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(project_files, "unsaved_notes_folder", lambda: tmp_path / "unsaved")
    for window in a_window(qapp, qtbot, tmp_path / "settings.ini"):
        open_in_window(window, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
        window.session.edits.set_note("q1", "just typed")
        holder = QObject()
        holder.window = window
        Application._keep_unsaved(holder, None)
        (journal,) = (tmp_path / "unsaved").glob("*.json")
        assert json.loads(journal.read_text())["edited"]["notes"] == {"q1": "just typed"}
        window.session.edits.set_note("q1", "log-out was cancelled")
        assert not window.projects.may_close()
        window.findChild(project_files.QMessageBox, project_files.UNSAVED_DIALOG).close()
        Application._keep_unsaved(holder, None)
        window.close()
        assert not window.isVisible()
    assert json.loads(journal.read_text())["edited"]["notes"] == {"q1": "log-out was cancelled"}


STARTING = """
import os, signal, sys
from shrec_viewer.app.startup import application
from shrec_viewer.cli.program import run

def interrupted(function):
    def with_signal(*arguments, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        return function(*arguments, **options)
    return with_signal

owner = {"MainWindow": application, "show": application.MainWindow}[sys.argv[1]]
setattr(owner, sys.argv[1], interrupted(getattr(owner, sys.argv[1])))
sys.exit(run(["open", sys.argv[2]]))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize(("moment", "status"), [("MainWindow", -signal.SIGTERM), ("show", 128 + signal.SIGTERM)])
def test_a_signal_during_the_start_ends_the_program(tmp_path, moment, status):
    """Also while the window is made, where an exception would be lost, and before the event loop runs."""
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", meshes=False)
    with started([sys.executable, "-c", STARTING, moment, str(folder)]) as process:
        assert process.wait(120) == status
