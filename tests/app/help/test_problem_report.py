"""Report a problem: what the details contain, what they do not, and how they are copied."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QGuiApplication
from windows import a_window

from shrec_viewer import __version__
from shrec_viewer.app.dialogs.about import shorten_home
from shrec_viewer.app.help import problem_report
from shrec_viewer.app.help.problem_report import LOG_BYTES, ProblemReportDialog, log_tail, report_text

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def window(qapp, qtbot):
    yield from a_window(qapp, qtbot)


@pytest.fixture
def home(tmp_path, monkeypatch):
    folder = tmp_path / "ann"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    return folder


def test_the_details_name_versions_system_renderers_and_the_end_of_the_log(home, qapp):
    log = home / "viewer.log"
    log.write_text(f"ERROR cannot read {home}/contest/runs/A1\n", encoding="utf-8")
    text = report_text(None, log)
    for words in (f"SHREC Viewer: {__version__}", f"Qt: {qVersion()}", "System: ", "Window system: ", "Thumbnails: "):
        assert words in text
    assert "ERROR cannot read ~/contest/runs/A1" in text
    assert str(home) not in text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ann", "~"),
        ("/home/ann/x", "~/x"),
        ("'/home/ann'", "'~'"),
        ("file:///home/ann/x", "file://~/x"),
        ("/home/anna /home/ann-2 /home/ann.bak /home/ann2", "/home/anna /home/ann-2 /home/ann.bak /home/ann2"),
        ("at /home/ann. Then", "at ~. Then"),
    ],
)
def test_only_the_home_folder_is_shortened(text, shown):
    assert shorten_home(text, Path("/home/ann")) == shown


def test_a_root_as_home_is_not_shortened():
    assert shorten_home("/etc/passwd", Path("/")) == "/etc/passwd"


def test_a_long_log_is_cut_at_a_line(tmp_path):
    log = tmp_path / "viewer.log"
    log.write_text("".join(f"line {number}\n" for number in range(5000)), encoding="utf-8")
    lines = log_tail(log).splitlines()
    assert lines[-1] == "line 4999"
    assert all(line.startswith("line ") for line in lines)
    assert sum(len(line) + 1 for line in lines) <= LOG_BYTES
    assert log_tail(tmp_path / "none") == "(there is no log)"


def test_control_characters_of_the_log_are_escaped(tmp_path):
    log = tmp_path / "viewer.log"
    log.write_bytes(b"\x1b[2J\xff\n")
    assert "\x1b" not in log_tail(log)


def test_the_command_shows_the_details_and_the_button_copies_them(window, qtbot, monkeypatch, tmp_path):
    log = tmp_path / "viewer.log"
    log.write_text("a recent error\n", encoding="utf-8")
    monkeypatch.setattr(problem_report, "log_path", lambda: log)
    window.menus.actions["report_problem"].trigger()
    (dialog,) = window.findChildren(ProblemReportDialog)
    qtbot.waitUntil(dialog.isVisible)
    assert "a recent error" in dialog.details.toPlainText()
    qtbot.mouseClick(dialog.copy, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == dialog.details.toPlainText()
    assert dialog.copy.text() == "Copied"
    dialog.close()


def test_the_error_dialog_shortens_paths(window, home, qtbot):
    window.show_error_dialog("unexpected", f'File "{home}/x.py", line 1')
    dialog = window._error_dialog
    assert 'File "~/x.py", line 1' in dialog.details.toPlainText()
    dialog.close()
