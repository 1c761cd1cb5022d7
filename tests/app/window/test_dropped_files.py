"""Files dragged from a file manager onto the window."""

import os
import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from sample_benchmark import write_menagerie
from sessions import settle
from windows import a_window, open_in_window

from shrec_viewer.formats.discovery.recognition import is_run

COPY, MOVE, LINK = Qt.DropAction.CopyAction, Qt.DropAction.MoveAction, Qt.DropAction.LinkAction
HAND = (Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


@pytest.fixture
def opened(window, qtbot, tmp_path):
    open_in_window(window, write_menagerie(tmp_path / "sample_benchmark"), qtbot)
    return window


def mime(*what) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(name) if "://" in str(name) else QUrl.fromLocalFile(str(name)) for name in what])
    return data


def carry(window, *what, place=None, actions=COPY | MOVE | LINK, let_go=None) -> QDropEvent:
    """Drag files over a position of the window and drop them there; `let_go` replaces the data at the drop."""
    place = QPoint(600, 500) if place is None else place
    data, later = mime(*what), mime(*what) if let_go is None else let_go
    enter = QDragEnterEvent(place, actions, data, *HAND)
    move = QDragMoveEvent(place, actions, data, *HAND)
    drop = QDropEvent(QPointF(place), actions, later, *HAND)
    for event in (enter, move, drop):
        event.setDropAction(MOVE)  # the default of file managers within one disk
        QApplication.sendEvent(window.windowHandle(), event)
        assert event.isAccepted()
    return drop


def said(window) -> list[str]:
    return [message.text for message in window.message_bar._messages]


def middle(window, widget) -> QPoint:
    return widget.mapTo(window, widget.rect().center())


def test_drop_is_accepted_as_a_copy(window, tmp_path, qtbot):
    folder = write_menagerie(tmp_path / "other")
    assert carry(window, folder).dropAction() == COPY
    settle(window.session, qtbot)
    assert window.session.path == folder


def test_file_dropped_on_a_text_field_is_opened(opened, tmp_path, qtbot):
    field = next(field for field in opened.findChildren(QLineEdit) if field.isVisible() and not field.isReadOnly())
    other = write_menagerie(tmp_path / "other")
    carry(opened, other, place=middle(opened, field))
    settle(opened.session, qtbot)
    assert opened.session.path == other
    assert field.text() == ""


def test_drop_is_opened_though_the_source_has_ended(window, tmp_path, qtbot):
    folder = write_menagerie(tmp_path / "other")
    carry(window, folder, let_go=QMimeData())
    settle(window.session, qtbot)
    assert window.session.path == folder


def test_aborted_drag_changes_nothing(window, tmp_path):
    enter = QDragEnterEvent(QPoint(9, 9), COPY, data := mime(tmp_path), *HAND)
    QApplication.sendEvent(window.windowHandle(), enter)
    assert window.welcome._dropping
    QApplication.sendEvent(window.windowHandle(), QDragLeaveEvent())
    assert not window.welcome._dropping
    assert data.hasUrls()


def test_dropped_web_address_shows_a_message(opened):
    before = opened.session.path
    carry(opened, "https://example.org/data/runs.zip")
    assert said(opened) == ["“runs.zip” is not a local file (example.org). Download it first."]
    assert opened.session.path == before


def test_several_dropped_runs_are_added_together(opened, tmp_path, qtbot):
    runs = opened.session.benchmark.runs
    folder = runs[0].source.parent if runs[0].source.is_dir() else runs[0].source.parent.parent
    for name in ("N1", "N2"):
        shutil.copytree(folder / "A1", tmp_path / "new" / name)
    carry(opened, tmp_path / "new" / "N1", tmp_path / "new" / "N2", folder / "A1")
    asked, refused = opened.message_bar.current(), said(opened)
    assert asked.text == f"“N1” and “N2” are runs. Add them to {folder}?"
    assert "“A1” is a run. runs/ contains this name already; rename it first." in refused
    button = next(b for b in opened.findChildren(QPushButton) if b.text() == asked.action)
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(opened.session, qtbot)
    qtbot.waitUntil(lambda: {run.name for run in opened.session.benchmark.runs} >= {"A1", "N1", "N2"})
    assert not list(folder.glob(".*"))


def test_one_of_several_dropped_paths_is_opened_and_the_others_counted(opened, tmp_path, qtbot):
    other = write_menagerie(tmp_path / "other")
    (tmp_path / "note.txt").write_text("hello")
    carry(opened, other, tmp_path / "note.txt", tmp_path / "sample_benchmark")
    settle(opened.session, qtbot)
    assert opened.session.path == other
    assert any(text == "Opened “other”; 2 other dropped items were ignored." for text in said(opened))


def test_unreadable_file_shows_a_message(opened, tmp_path, qtbot, monkeypatch):
    before = opened.session.path
    shut = tmp_path / "shut"
    shut.mkdir()
    real = Path.iterdir

    def refuse(self):
        if self == shut:
            raise PermissionError(13, "Permission denied")
        return real(self)

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert not is_run(shut)
    carry(opened, tmp_path / "gone")
    settle(opened.session, qtbot)
    assert any("does not exist" in text for text in said(opened))
    assert opened.session.path == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes in folders")
def test_named_pipe_does_not_block_the_excerpt(opened, tmp_path, qtbot):
    os.mkfifo(tmp_path / "pipe.txt")
    assert not is_run(tmp_path / "pipe.txt")
    carry(opened, tmp_path / "pipe.txt")
    settle(opened.session, qtbot)
    assert "pipe.txt" in said(opened)[0]
