"""The self-test in a process: one line of JSON, exit status, reasons of failures."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time

import pytest
from processes import started
from sample_benchmark import write_sample_benchmark
from windows import theme_selector

from shrec_viewer.app.startup import selftest
from shrec_viewer.app.startup.settings import LAYOUT_VERSION, SettingsFile
from shrec_viewer.app.window import project_files
from shrec_viewer.app.window.main_window import MainWindow

KEYS = ["ready", "window_ms", "benchmark_ms", "scores_ms", "first_pictures_ms", "pictures", "findings"]


@pytest.fixture
def call(tmp_path):
    """Run the command line with ``--selftest``; a wait for a dialog would last until the timeout."""

    def start(*arguments, **changed):
        names = ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME")
        environment = {**os.environ, **{name: str(tmp_path / name) for name in names}, **changed}
        ended = subprocess.run(
            [sys.executable, "-m", "shrec_viewer", *map(str, arguments), "--selftest"],
            env=environment, capture_output=True, text=True, timeout=600, check=False,
        )  # fmt: skip
        assert "\x1b" not in ended.stdout + ended.stderr
        (line,) = ended.stdout.splitlines()
        return ended.returncode, json.loads(line), ended.stderr

    return start


def test_selftest_waits_for_the_last_thumbnail(call, tmp_path):
    status, line, _ = call(write_sample_benchmark(tmp_path / "sample_benchmark"))
    assert status == 0
    assert list(line) == KEYS
    assert line["ready"] is True
    assert 0 < line["window_ms"] < line["benchmark_ms"] < line["first_pictures_ms"]
    assert line["benchmark_ms"] <= line["scores_ms"], "a small benchmark is scored before it is shown"
    assert line["pictures"] >= 6  # three queries and the cards that fit a small screen
    assert line["findings"] >= 1
    assert not (tmp_path / "XDG_CONFIG_HOME").exists()  # a self-test leaves no settings behind


def test_selftest_of_the_welcome_page(call):
    status, line, _ = call()
    assert status == 0
    assert line == {**dict.fromkeys(KEYS), "ready": True, "window_ms": line["window_ms"], "pictures": 0, "findings": 0}


def bad_project(folder):
    (folder / "bad.shrec").write_text("[benchmark\nfolder = 3")
    return folder / "bad.shrec", 1, "bad.shrec"


def project_without_its_benchmark(folder):
    (folder / "moved.shrec").write_text("[benchmark]\nname = 'x'\nfolder = 'gone/away'\n")
    return folder / "moved.shrec", 1, "gone/away"


def project_with_a_control_code(folder):
    (folder / "moved.shrec").write_text(
        "[benchmark]\nname = 'x'\nfolder = 'gone/<img src=x>\\u001B[31m'\n".replace("'", '"')
    )
    return folder / "moved.shrec", 1, "gone/"


def missing_path(folder):
    return folder / "no such folder", 2, "no such folder"


def empty_folder(folder):
    (folder / "empty").mkdir()
    return folder / "empty", 1, "empty"


def damaged_archive(folder):
    (folder / "damaged.zip").write_bytes(b"PK\x03\x04" + bytes(60))
    return folder / "damaged.zip", 1, "damaged.zip"


def truth_only(folder):
    (folder / "truth").mkdir()
    (folder / "truth" / "a.cla").write_text("PSB 1\n2 4\n\ndog 0 2\n1\n2\n\ncat 0 2\n3\n4\n")
    return folder / "truth", 1, "no run"


@pytest.mark.parametrize("write", [project_with_a_control_code, missing_path])
def test_failed_opening_ends_at_once_with_the_reason(call, tmp_path, write):
    path, expected, part = write(tmp_path)
    status, line, errors = call(path)
    assert list(line) == [*KEYS, "reason"]
    assert line["ready"] is False
    assert part in line["reason"]
    assert status == expected
    assert line["reason"] in errors
    assert "Traceback" not in errors


def test_selftest_without_a_display_or_with_a_wrong_option_answers_with_the_reason(call, tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    status, line, _ = call(folder, QT_QPA_PLATFORM="xcb", DISPLAY="", WAYLAND_DISPLAY="")
    assert (status, line["ready"]) == (1, False)
    assert "display" in line["reason"]
    status, line, _ = call(folder, "--no-such-option")
    assert (status, line["ready"]) == (2, False)
    assert "--no-such-option" in line["reason"]


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
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    with started([sys.executable, str(script), str(folder)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "open\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(600) == 130


@pytest.fixture
def new_window(qapp, qtbot):
    """Create a window of this process that is not shown; starting the program takes 2 s of processor time."""
    windows = []

    def create(settings=None, *, thumbnails=False):
        window = MainWindow(theme_selector(qapp), SettingsFile(settings), thumbnails=thumbnails)
        windows.append(window)
        qtbot.addWidget(window)
        window.painted.connect(window.assemble)
        return window

    yield create
    for window in windows:
        window.close_now()


def self_test(window, path, qtbot, capsys):
    """Run the self-test of a window that opens `path`; the status and the line printed."""
    test = selftest.SelfTest(window, time.perf_counter(), expects_benchmark=path is not None)
    if path is not None:
        window.open_path(path)
    with qtbot.waitSignal(test.finished) as finished:
        window.show()
    return finished.args[0], json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    "write", [bad_project, project_without_its_benchmark, empty_folder, damaged_archive, truth_only]
)
def test_reason_of_a_failed_opening_is_printed(new_window, qtbot, capsys, tmp_path, write):
    path, expected, part = write(tmp_path)
    status, line = self_test(new_window(), path, qtbot, capsys)
    assert status == expected
    assert list(line) == [*KEYS, "reason"]
    assert line["ready"] is False
    assert part in line["reason"]


def test_messages_and_unsaved_edits_do_not_keep_the_selftest(new_window, qtbot, capsys, tmp_path, monkeypatch):
    unsaved = tmp_path / "unsaved"
    monkeypatch.setattr(project_files, "unsaved_notes_folder", lambda: unsaved)
    unsaved.mkdir()
    folder = write_sample_benchmark(tmp_path / "sample_benchmark")
    (folder / "benchmark.toml").write_text((folder / "benchmark.toml").read_text().replace("profile", "# profile"))
    name = hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:24]
    edits = {"path": str(folder), "notes": {"Q1": "kept"}, "colours": {}, "hidden": []}
    (unsaved / f"{name}.json").write_text(json.dumps(edits))
    project = tmp_path / "bad layout.shrec"
    project.write_text(
        f"[benchmark]\nname = 'x'\nfolder = '{folder}'\n[view]\nlayout_version = {LAYOUT_VERSION}\nlayouts = 7\n"
    )
    for path, part in ((folder, "was not saved in a project"), (project, "The saved layout of the project is not")):
        window = new_window(tmp_path / "settings.ini")  # without settings, no unsaved edits are kept
        status, line = self_test(window, path, qtbot, capsys)
        assert (status, line["ready"]) == (0, True)
        assert any(part in text for text in window.message_area.texts())


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_selftest_succeeds_with_unreadable_meshes(new_window, qtbot, capsys, tmp_path):
    folder = write_sample_benchmark(tmp_path / "sample_benchmark", meshes=False)
    status, line = self_test(new_window(thumbnails=True), folder, qtbot, capsys)
    assert status == 0
    assert line["ready"] is True
    assert line["pictures"] == 0


def test_selftest_reports_a_timeout(new_window, qtbot, monkeypatch, capsys):
    monkeypatch.setattr(selftest, "TIMEOUT_MS", 500)
    window = new_window()
    window.painted.disconnect(window.assemble)  # nothing happens
    status, line = self_test(window, None, qtbot, capsys)
    assert status == 1
    assert line["reason"].startswith("timeout after 0 seconds: no ")
    assert line["reason"].endswith("no benchmark, no scores, no first pictures")
