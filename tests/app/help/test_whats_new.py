"""The message after an update: once, and not at the first start."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from windows import a_window

from shrec_viewer import __version__
from shrec_viewer.app.help.help_window import HelpWindow
from shrec_viewer.app.startup.settings import Settings, SettingsFile

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


@pytest.fixture
def memory(tmp_path):
    return tmp_path / "settings.ini"


@pytest.fixture
def start(qapp, qtbot, memory):
    """Start the program, with the version that stored the settings; closed after the test."""
    running = []

    def begin(version=None):
        if version is not None:
            SettingsFile(memory).write(Settings(version=version))
        running.append(a_window(qapp, qtbot, memory))
        return next(running[-1])

    yield begin
    for window in running:
        next(window, None)


def texts(window):
    return [text for text in window.message_bar.texts() if "now version" in text]


def test_after_an_update_the_change_log_is_offered_once(start, memory, qtbot):
    window = start("0.0.9")
    assert texts(window) == [f"SHREC Viewer is now version {__version__}; it was 0.0.9."]
    assert SettingsFile(memory).read().version == __version__
    button = next(found for found in window.message_bar.findChildren(QPushButton) if found.text() == "What's new")
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    (shown,) = window.findChildren(HelpWindow)
    assert shown.list.currentItem().text() == "What's new"
    assert f"{__version__.partition('+')[0]}" in shown.text.toPlainText()
    shown.close()
    window.close_now()
    assert texts(start()) == []


def test_the_first_start_shows_no_message(start, memory):
    assert texts(start()) == []
    assert SettingsFile(memory).read().version == __version__


def test_a_hostile_version_is_plain_text(start):
    window = start("<b>1</b>\n" * 1000)
    (text,) = texts(window)
    assert len(text) < 300
