"""The message after an update: once, and not at the first start."""

import re

import pytest
from page_headings import headings_of
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from windows import a_window

from shrec_viewer import __version__
from shrec_viewer.app.help import pages
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


LOG = """# Changes

Newest first.

## [2.0] - unreleased

Second `## heading`.

### Files

- new

## 1.10.0

Tenth.

## 1.9

Ninth.
"""


@pytest.fixture
def log(monkeypatch, tmp_path):
    """A change log of three versions."""
    (tmp_path / "changes.md").write_text(LOG)
    find = pages._guide_path
    monkeypatch.setattr(pages, "_guide_path", lambda name: tmp_path / name if name == pages.WHATS_NEW else find(name))
    pages.guide_pages.cache_clear()
    yield
    pages.guide_pages.cache_clear()


@pytest.mark.parametrize(
    ("used", "since", "shown"),
    [
        ("1.9", " since version 1.9", ["[2.0] - unreleased", "1.10.0"]),
        ("1.9.0.dev3+g12", " since version 1.9.0", ["[2.0] - unreleased", "1.10.0"]),
        ("1.10", " since version 1.10", ["[2.0] - unreleased"]),
        ("0.3", " since version 0.3", ["[2.0] - unreleased", "1.10.0", "1.9"]),
        ("2.0", "", ["[2.0] - unreleased"]),
        ("3", "", ["[2.0] - unreleased"]),
        ("", "", ["[2.0] - unreleased"]),
        ("![](file:///etc/passwd)", "", ["[2.0] - unreleased"]),
    ],
)
def test_only_sections_after_the_version_used_before(used, since, shown):
    page = pages.changes_since(LOG, used)
    assert page.partition("\n")[0] == f"# What's new{since}"
    assert re.findall(r"^## (.*)", page, re.MULTILINE) == shown
    assert "### Files" in page


def test_the_changes_of_all_versions_are_another_page(start, log, qtbot):
    window = start("1.9")
    window.menus.actions["whats_new"].trigger()
    (found,) = window.findChildren(HelpWindow)
    assert headings_of(found.text) == ["What's new since version 1.9", "[2.0] - unreleased", "Files", "1.10.0"]
    found.text.page_requested.emit(pages.ALL_CHANGES, "")
    assert headings_of(found.text) == ["Changes", "[2.0] - unreleased", "Files", "1.10.0", "1.9"]
    found.close()


def test_the_part_is_the_same_at_later_starts_of_a_version(start, log, memory):
    start("1.9").close_now()
    window = start()
    window.menus.actions["whats_new"].trigger()
    (found,) = window.findChildren(HelpWindow)
    assert headings_of(found.text) == ["What's new since version 1.9", "[2.0] - unreleased", "Files", "1.10.0"]
    found.close()


def test_the_first_start_shows_no_message(start, memory):
    assert texts(start()) == []
    assert SettingsFile(memory).read().version == __version__


def test_a_hostile_version_is_plain_text(start):
    window = start("<b>1</b>\n" * 10)
    (text,) = texts(window)
    assert len(text) < 300


def test_a_version_that_is_too_long_is_not_shown(start, memory, caplog):
    assert texts(start("<b>1</b>\n" * 1000)) == []
    assert "invalid value of 'version'" in caplog.text
    assert SettingsFile(memory).read().version == __version__
