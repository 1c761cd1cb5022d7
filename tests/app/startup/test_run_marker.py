"""A run that did not end normally is found by the next one, which offers the default layout."""

import os
import signal
import subprocess
import sys

from windows import a_window, open_in_window

from shrec_viewer.app.startup.application import RunMarker
from shrec_viewer.app.startup.settings import SettingsFile
from shrec_viewer.app.window.main_window import DEFAULT_LAYOUT
from shrec_viewer.resources import resource

CHILD = """
import sys
from pathlib import Path
from shrec_viewer.app.startup.application import RunMarker
marker = RunMarker(Path(sys.argv[1]))
print(marker.begin(), flush=True)
sys.stdin.readline()
marker.end()
"""


def start(folder):
    pipe = subprocess.PIPE
    child = subprocess.Popen([sys.executable, "-c", CHILD, str(folder)], stdin=pipe, stdout=pipe, text=True)
    return child, child.stdout.readline().strip()


def test_a_killed_run_is_found_once(tmp_path):
    child, found = start(tmp_path / "running")
    assert found == "False"
    child.kill()
    child.communicate()
    marker = RunMarker(tmp_path / "running")
    assert marker.begin()
    marker.end()
    assert not marker.begin()
    marker.end()
    assert list((tmp_path / "running").iterdir()) == []


def test_neither_a_running_nor_an_ended_run_is_found(tmp_path):
    first, _ = start(tmp_path / "running")
    second, found = start(tmp_path / "running")
    assert found == "False", "the first one is still running"
    for child in (first, second):
        child.communicate("\n")
    marker = RunMarker(tmp_path / "running")
    assert not marker.begin()
    marker.end()


def test_a_folder_that_cannot_be_written_is_ignored(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (None, tmp_path / "file"):
        marker = RunMarker(folder)
        assert not marker.begin()
        marker.end()


def test_default_layout_is_offered_by_a_message_with_a_button(qapp, qtbot, tmp_path):
    memory = tmp_path / "settings.ini"
    for window in a_window(qapp, qtbot, memory):
        open_in_window(window, resource("demo"), qtbot)
        window.workspace.dock("gain").close()
    stored = SettingsFile(memory).read()
    assert stored.layouts
    for is_open in (False, True):
        SettingsFile(memory).write(stored)
        for window in a_window(qapp, qtbot, memory):
            window.offer_default_layout()
            if is_open:
                open_in_window(window, resource("demo"), qtbot)
                assert not window.workspace.dock("gain").isVisible()
            assert window.message_bar.current().action == DEFAULT_LAYOUT
            window.message_bar._action.click()
            assert window.message_bar.current() is None
            if not is_open:
                open_in_window(window, resource("demo"), qtbot)
            qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)  # noqa: B023 - within the loop
            assert window.workspace.dock("gain").isVisible()


RUN = """
import os, sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from shrec_viewer.app.startup.application import Application
app = QApplication([])
application = Application(app, None, None, selftest=False, started=0.0)
def report():
    message = application.window.message_bar.current()
    print(None if message is None else message.action, flush=True)
    if sys.argv[1] == "kill":
        os.kill(os.getpid(), 9)
    application.window.close()
QTimer.singleShot(400, report)
application.run()
"""


def test_program_offers_it_after_a_kill_and_not_after_a_normal_end(tmp_path):
    homes = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    environment = {**os.environ, **homes, "QT_QPA_PLATFORM": "offscreen"}

    def run(end):
        command = [sys.executable, "-c", RUN, end]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.stdout.strip(), done.returncode

    assert run("kill") == ("None", -signal.SIGKILL)
    assert run("close") == (DEFAULT_LAYOUT, 0)
    assert run("close") == ("None", 0)
