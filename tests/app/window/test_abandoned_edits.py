"""The welcome page lists unsaved edits of windows that have ended: their benchmark can be opened, or they discarded."""

import os
import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from sample_benchmark import write_sample_benchmark
from sessions import a_session, open_in, settle
from windows import a_window

from shrec_viewer.app.window import project_files
from shrec_viewer.app.window.abandoned_edits import DISCARD_ABANDONED_DIALOG
from shrec_viewer.formats.manifest.project import Project, write_project
from shrec_viewer.viewmodels.session.project import EditJournal, find_unsaved_edits

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture(autouse=True)
def unsaved(tmp_path, monkeypatch):
    monkeypatch.setattr(project_files, "unsaved_notes_folder", lambda: tmp_path / "data" / "unsaved")
    return tmp_path / "data" / "unsaved"


@pytest.fixture
def killed(qtbot, unsaved):
    """A function that edits a benchmark in a window that is killed: its journal stays, its lock does not."""
    opened = []

    def kill(path, notes):
        generator = a_session()
        session = next(generator)
        opened.append(generator)
        journal = EditJournal(session, unsaved)
        open_in(session, path, qtbot)
        for query, text in zip(session.benchmark.queries.ids, notes, strict=False):
            session.edits.set_note(query, text)
        journal.write()
        journal._leave()
        journal._folder = None

    yield kill
    for generator in opened:
        next(generator, None)


@pytest.fixture
def new_window(qapp, qtbot, tmp_path):
    """A function that starts the program."""
    started = []

    def start():
        generator = a_window(qapp, qtbot, tmp_path / "settings.ini")
        started.append(generator)
        return next(generator)

    yield start
    for generator in started:
        next(generator, None)


def rows(window):
    return window.welcome._unsaved_rows


def test_nothing_is_listed_without_unsaved_edits(new_window, qtbot):
    window = new_window()
    qtbot.waitUntil(lambda: not window._abandoned_edits._tasks.is_busy())
    assert not window.welcome._unsaved_box.isVisible()


def test_a_killed_window_is_announced_and_its_benchmark_opened_by_a_click(killed, new_window, tmp_path, qtbot):
    benchmark = write_sample_benchmark(tmp_path / "sample_benchmark")
    killed(benchmark, ["round", "flat"])
    window = new_window()
    qtbot.waitUntil(lambda: len(rows(window)) == 1)
    item = rows(window)[0].open_button.item
    assert (item.name, item.path) == ("sample_benchmark", os.path.realpath(benchmark))
    assert re.fullmatch(r"2 notes, \d{4}-\d\d-\d\d \d\d:\d\d", item.detail)
    assert window.welcome._unsaved_title.isVisible()
    qtbot.mouseClick(rows(window)[0].open_button, LEFT)
    qtbot.waitUntil(lambda: window.session.is_open)
    settle(window.session, qtbot)
    assert any(text.startswith("2 notes were not saved") for text in window.message_bar.texts())
    window.projects.restore_unsaved()
    assert list(window.session.edits.edited.notes.values()) == ["round", "flat"]


def test_edits_are_discarded_after_a_question(killed, new_window, unsaved, tmp_path, qtbot):
    for name in ("first", "second", "third"):
        killed(write_sample_benchmark(tmp_path / name), ["kept" if name == "first" else "discarded"])
    window = new_window()
    qtbot.waitUntil(lambda: [row.open_button.item.name for row in rows(window)] == ["third", "second"])
    for answer, left in ((QMessageBox.StandardButton.Cancel, 3), (QMessageBox.StandardButton.Discard, 2)):
        qtbot.mouseClick(rows(window)[0].discard_button, LEFT)
        box = window.findChild(QMessageBox, DISCARD_ABANDONED_DIALOG)
        assert "“third”" in box.text()
        qtbot.mouseClick(box.button(answer), LEFT)
        qtbot.waitUntil(lambda: window.findChild(QMessageBox, DISCARD_ABANDONED_DIALOG) is None)
        assert len(list(unsaved.glob("*.json"))) == left
    qtbot.waitUntil(lambda: [row.open_button.item.name for row in rows(window)] == ["second", "first"])


def test_edits_of_a_closed_benchmark_are_listed_at_once(new_window, tmp_path, qtbot):
    """File > Close keeps them without a question."""
    window = new_window()
    window.open_path(write_sample_benchmark(tmp_path / "sample_benchmark"))
    settle(window.session, qtbot)
    window.session.edits.toggle_run(0)
    assert rows(window) == []
    window.menus.actions["close"].trigger()
    qtbot.waitUntil(
        lambda: [row.open_button.item.detail.split(",")[0] for row in rows(window)] == ["edits without notes"]
    )


def test_edits_of_a_running_window_are_not_listed(new_window, unsaved, tmp_path, qtbot):
    generator = a_session()
    session = next(generator)
    journal = EditJournal(session, unsaved)
    open_in(session, write_sample_benchmark(tmp_path / "sample_benchmark"), qtbot)
    session.edits.set_note("q1", "mine")
    journal.write()
    assert find_unsaved_edits(unsaved) == ()
    journal.close()
    assert [edits.notes for edits in find_unsaved_edits(unsaved)] == [1]
    next(generator, None)


def test_the_project_is_opened_rather_than_its_benchmark(killed, new_window, unsaved, tmp_path, qtbot):
    benchmark = write_sample_benchmark(tmp_path / "sample_benchmark")
    write_project(Project(tmp_path / "mine.shrec", benchmark, "Menagerie"))
    killed(tmp_path / "mine.shrec", ["round"])
    assert [edits.path for edits in find_unsaved_edits(unsaved)] == [os.path.realpath(tmp_path / "mine.shrec")]


def test_a_benchmark_that_is_gone_can_only_be_discarded(killed, new_window, unsaved, tmp_path, qtbot):
    benchmark = write_sample_benchmark(tmp_path / "sample_benchmark")
    killed(benchmark, ["round"])
    benchmark.rename(tmp_path / "moved")
    window = new_window()
    qtbot.waitUntil(lambda: len(rows(window)) == 1)
    row = rows(window)[0]
    assert not row.open_button.isEnabled()
    assert isinstance(row.discard_button.parent(), type(row))
    assert row.discard_button.isEnabled()


def test_fewer_recent_benchmarks_are_shown_next_to_unsaved_edits(killed, new_window, tmp_path, qtbot):
    for name in ("first", "second", "third"):
        killed(write_sample_benchmark(tmp_path / name), ["x"])
    window = new_window()
    window._recent_files.set_names([f"/{number}" for number in range(8)])
    qtbot.waitUntil(lambda: len(rows(window)) == 2)
    assert len(window.welcome._rows) == 3
