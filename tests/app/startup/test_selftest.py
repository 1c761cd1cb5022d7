"""The self-test in a process: one line of JSON, exit status, reasons of failures."""

import json
import os
import signal
import subprocess
import sys

import pytest
from sample_benchmark import write_menagerie

from shrec_viewer.app.startup import selftest

PROGRAM = """
import sys, time
started = time.perf_counter()
from pathlib import Path
from shrec_viewer.app.startup.main import run_window
if __name__ == "__main__":
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    sys.exit(run_window(path, selftest=True, started=started))
"""

KEYS = ["ready", "window_ms", "benchmark_ms", "scores_ms", "first_pictures_ms", "pictures", "findings"]


@pytest.fixture
def run(tmp_path):
    script = tmp_path / "program.py"
    script.write_text(PROGRAM)

    def start(*arguments):
        home = {name: str(tmp_path / name) for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME")}
        ended = subprocess.run(
            [sys.executable, str(script), *map(str, arguments)],
            env={**os.environ, **home},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        lines = ended.stdout.splitlines()
        assert len(lines) == 1, ended.stdout + ended.stderr
        return ended.returncode, json.loads(lines[0]), ended.stderr

    return start


def test_selftest_waits_for_the_last_thumbnail(run, tmp_path):
    status, line, _ = run(write_menagerie(tmp_path / "sample_benchmark"))
    assert status == 0
    assert list(line) == KEYS
    assert line["ready"] is True
    assert 0 < line["window_ms"] < line["benchmark_ms"] < line["first_pictures_ms"]
    assert line["benchmark_ms"] < line["scores_ms"]
    assert line["pictures"] >= 6  # three queries and the cards that fit a small screen
    assert line["findings"] >= 1
    assert not (tmp_path / "XDG_CONFIG_HOME").exists()  # a self-test leaves no settings behind


def test_selftest_of_the_welcome_page(run):
    status, line, _ = run()
    assert status == 0
    assert line == {**dict.fromkeys(KEYS), "ready": True, "window_ms": line["window_ms"], "pictures": 0, "findings": 0}


def test_selftest_with_an_unreadable_folder_ends_with_status_1_and_the_reason(run, tmp_path):
    (tmp_path / "empty").mkdir()
    status, line, errors = run(tmp_path / "empty")
    assert status == 1
    assert line["ready"] is False
    assert "empty" in line["reason"]
    assert f"self-test failed: {line['reason']}" in errors
    assert "Traceback" not in errors


def test_selftest_succeeds_with_unreadable_meshes(run, tmp_path):
    status, line, _ = run(write_menagerie(tmp_path / "sample_benchmark", meshes=False))
    assert status == 0
    assert line["ready"] is True
    assert line["pictures"] == 0


ENDLESS = """
import sys
from pathlib import Path
from shrec_viewer.app.window import main_window
from shrec_viewer.app.startup.main import run_window

class Loud(main_window.MainWindow):
    def _show_benchmark(self):
        super()._show_benchmark()
        print("open", flush=True)

if __name__ == "__main__":
    from shrec_viewer.app.startup import application
    application.MainWindow = Loud
    sys.exit(run_window(Path(sys.argv[1])))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT to send to another process")
def test_ctrl_c_ends_with_status_130(tmp_path):
    script = tmp_path / "endless.py"
    script.write_text(ENDLESS)
    folder = write_menagerie(tmp_path / "sample_benchmark")
    with subprocess.Popen([sys.executable, str(script), str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "open\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130


def test_selftest_reports_a_timeout(qapp, qtbot, monkeypatch, capsys):
    from shrec_viewer.app.startup.settings import SettingsFile
    from shrec_viewer.app.startup.theme import ThemeSelector
    from shrec_viewer.app.window.main_window import MainWindow

    monkeypatch.setattr(selftest, "TIMEOUT_MS", 500)
    looks = ThemeSelector(qapp)
    window = MainWindow(looks, SettingsFile(None), thumbnails=False)
    qtbot.addWidget(window)
    test = selftest.SelfTest(window, 0.0, expects_benchmark=True)
    with qtbot.waitSignal(test.finished) as finished:
        window.show()
    assert finished.args == [1]
    line = json.loads(capsys.readouterr().out)
    assert line["reason"].startswith("timeout after 0 seconds: no ")
    assert line["reason"].endswith("no benchmark, no scores, no first pictures")
    window.close()
    looks.deleteLater()
