"""Settings and projects with random changes: the window opens, without an exception, and says what it did not use."""

import random
import re
import shutil
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication, QDialog
from sample_benchmark import write_sample_benchmark
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.panels import PERSPECTIVES

PIECES = (
    "",
    "0",
    "-1",
    "9" * 20,
    "1e308",
    "nan",
    "[]",
    "{}",
    "\0",
    "é",
    "\\x41",
    "@ByteArray(a)",
    "null",
    "<b>x</b>",
    "..",
)


@pytest.fixture(scope="module")
def saved(qapp, module_qtbot, tmp_path_factory):
    """Folder with the settings and the project of a window with a floating panel, and their benchmark."""
    folder = tmp_path_factory.mktemp("saved")
    for window in a_window(qapp, module_qtbot, folder / "settings.ini"):
        open_in_window(window, write_sample_benchmark(folder / "benchmark"), module_qtbot)
        for perspective in PERSPECTIVES:
            window.workspace.show_perspective(perspective.key)
            module_qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)  # noqa: B023 - in the loop
        window.workspace.dock("gain").setFloating(True)
        window.projects.write(folder / "mine.shrec")
        module_qtbot.waitUntil((folder / "mine.shrec").exists)
        settle(window.session, module_qtbot)
    return folder


@pytest.fixture
def written(saved, tmp_path):
    """A copy of the settings and the project, whose path to the benchmark is relative."""
    copy = tmp_path / "copy"
    shutil.copytree(saved, copy)
    return copy / "settings.ini", copy / "mine.shrec"


def with_other_characters(text, rng):
    for _ in range(rng.randint(1, 6)):
        at, kind = rng.randrange(len(text)), rng.random()
        if kind < 0.4:
            text = text[:at] + rng.choice('0123456789{}[]",:\\=\nabc\0@') + text[at + 1 :]
        elif kind < 0.7:
            text = text[:at] + text[at + rng.randint(1, 30) :]
        else:
            text = text[:at] + rng.choice(PIECES) + text[at:]
    return text


def with_other_numbers(text, rng):
    others = ("0", "-5", "32767", "99999", "1.5", "true", "7")
    return re.sub(r"-?\d+", lambda found: rng.choice(others) if rng.random() < 0.15 else found[0], text)


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
@pytest.mark.parametrize("seed", range(8))
def test_window_opens_with_damaged_settings_and_projects(qapp, qtbot, written, seed):
    rng = random.Random(seed)
    change = (with_other_characters, with_other_numbers)[seed % 2]
    for path in written:
        path.write_text(change(path.read_text(encoding="utf-8"), rng), encoding="utf-8", errors="replace")
    settings, project = written
    for window in a_window(qapp, qtbot, settings):
        window.open_path(project)
        settle(window.session, qtbot)
        for dialog in QApplication.topLevelWidgets():
            if isinstance(dialog, QDialog) and dialog.isVisible():
                dialog.reject()
        if not window.session.is_open:
            open_in_window(window, project.parent / "benchmark", qtbot)
        for perspective in PERSPECTIVES:
            window.workspace.show_perspective(perspective.key)
            qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)  # noqa: B023 - within the loop
        window.menus.actions["reset_layout"].trigger()
        qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)  # noqa: B023 - within the loop
        assert window.workspace.dock("queries").isVisible()


def test_settings_that_cannot_be_stored_are_one_message(qapp, qtbot, tmp_path):
    blocker = tmp_path / "file"
    blocker.write_text("in the way")
    for window in a_window(qapp, qtbot, blocker / "settings.ini"):
        for theme in ("dark", "light"):
            window.change_settings(replace(window.settings, theme=theme))
        texts = [text for text in window.message_bar.texts() if "ettings" in text]
        assert len(texts) == 1
        assert texts[0].startswith(f"Settings are not stored: {blocker / 'settings.ini'} cannot be written: ")
        window.message_bar.dismiss()
        window.change_settings(replace(window.settings, theme="dark"))
        assert window.message_bar.texts() == [], "said once"
        window.change_settings(replace(window.settings, theme="light"))
