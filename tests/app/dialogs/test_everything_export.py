"""Export of everything from the window: folder, question before a replacement, cancellation."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QPushButton
from sample_benchmark import write_sample_benchmark
from sessions import settle
from shared_windows import a_shared_window

from shrec_viewer.app.dialogs.everything_export import EVERYTHING_TASK


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot, tmp_path_factory):
    folder = write_sample_benchmark(tmp_path_factory.mktemp("everything") / "sample_benchmark")
    yield from a_shared_window(qapp, module_qtbot, folder)


@pytest.fixture
def window(shared, qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    window = shared.reset(qtbot)
    window.update_commands()
    return window


def is_running(window):
    return window.session.tasks.is_busy(EVERYTHING_TASK)


def test_cancelled_export_leaves_nothing_and_a_second_one_is_refused(window, tmp_path, qtbot):
    window.menus.actions["export_everything"].trigger()
    assert [status.title for status in window.session.tasks.running] == ["Export of everything"]
    window.menus.actions["export_everything"].trigger()
    assert "The export of everything is being written" in window.message_bar.current().text
    window.session.tasks.stop(EVERYTHING_TASK)
    settle(window.session, qtbot)
    qtbot.waitUntil(lambda: not list(tmp_path.iterdir()))


def test_no_export_is_written_into_an_earlier_one(window, tmp_path):
    (tmp_path / "manifest.json").write_text('{"schema": "shrec-viewer/export/1", "files": {}}')
    window.menus.actions["export_everything"].trigger()
    assert window.findChild(QMessageBox).text() == f"Replace {tmp_path}?"
    assert not is_running(window)


@pytest.mark.parametrize("answer", ["Replace", "Cancel"])
def test_earlier_export_is_replaced_after_a_question(window, tmp_path, qtbot, answer):
    (tmp_path / "notes.txt").write_text("mine")
    folder = tmp_path / "Menagerie_export"
    folder.mkdir()
    (folder / "manifest.json").write_text('{"schema": "shrec-viewer/export/1", "files": {}}')
    window.menus.actions["export_everything"].trigger()
    question = window.findChild(QMessageBox)
    assert question.text() == f"Replace {folder}?"
    assert not is_running(window)
    button = next(one for one in question.findChildren(QPushButton) if one.text().replace("&", "") == answer)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    assert is_running(window) == (answer == "Replace")
    window.session.tasks.stop(EVERYTHING_TASK)
    settle(window.session, qtbot)
    assert [path.name for path in folder.iterdir()] == ["manifest.json"]
