"""Tasks panel: running tasks, progress and cancelling."""

import queue
import re
import threading
import time

import pytest
from PySide6.QtCore import Qt
from sample_benchmark import write_sample_benchmark
from sessions import open_in, settle

from shrec_viewer.domain import Cancelled, FormatError
from shrec_viewer.panels.files.tasks import TasksPanel
from shrec_viewer.viewmodels.session import session as session_module
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks import task_table
from shrec_viewer.viewmodels.tasks.task_table import CANCEL_COLUMN
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails, ThumbnailSource
from shrec_viewer.widgets.tables.record_table import MARK_ROLE

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def folder(tmp_path):
    return write_sample_benchmark(tmp_path / "sample_benchmark")


@pytest.fixture
def panel(session, qtbot):
    panel = TasksPanel(session)
    qtbot.addWidget(panel)
    panel.resize(700, 240)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


class Work:
    """Runs until it is ended or cancelled."""

    def __init__(self):
        self.end = threading.Event()
        self.was_cancelled = False

    def __call__(self, task):
        done = 0
        while not self.end.wait(0.01):
            if task.cancelled():
                self.was_cancelled = True
                raise Cancelled
            done = min(done + 1, 99)
            task.progress(done, 100, "F2.txt, MiB")
        return "answer"


@pytest.fixture
def work():
    work = Work()
    yield work
    work.end.set()


def ignore(*_):
    pass


def words(panel):
    return [[panel.model.index(row, place).data() for place in range(3)] for row in range(panel.model.rowCount())]


def test_table_of_tasks_is_empty_at_first(panel):
    assert panel.is_empty


def test_short_tasks_are_not_listed(panel, session, work, qtbot, monkeypatch):
    monkeypatch.setattr(task_table, "MIN_SHOWN_S", 1e6)  # any task is short then, on a loaded machine as well
    session.tasks.run("some", work, ignore, ignore, title="Something")
    qtbot.wait(150)
    assert panel.is_empty
    work.end.set()
    settle(session, qtbot)
    assert panel.is_empty


def test_tasks_without_a_title_are_not_listed(panel, session, work, qtbot):
    session.tasks.run("some", work, ignore, ignore)
    session.tasks.run("other", work, ignore, ignore, title="Other")
    qtbot.waitUntil(lambda: panel.model.rowCount() > 0)
    assert [row[0] for row in words(panel)] == ["Other"]


def test_long_tasks_show_their_progress(panel, session, work, qtbot):
    session.tasks.run("some", work, ignore, ignore, title="Reading F2.txt")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    qtbot.wait(150)
    assert panel.summary.text() == "1 task running"
    title, progress, took = words(panel)[0]
    assert title == "Reading F2.txt"
    assert re.fullmatch(r"F2.txt, MiB \d+ of 100", progress)
    assert took.endswith(" s")
    assert 0 < panel.model.index(0, 1).data(MARK_ROLE).share < 1
    before = progress
    qtbot.waitUntil(lambda: words(panel)[0][1] != before)


def test_click_on_the_cross_cancels_the_task(panel, session, work, qtbot):
    session.tasks.run("some", work, ignore, ignore, title="Reading F2.txt")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    at = panel.table.visualRect(panel.model.index(0, CANCEL_COLUMN)).center()
    qtbot.mouseClick(panel.table.viewport(), LEFT, pos=at)
    qtbot.waitUntil(lambda: work.was_cancelled)
    assert not session.tasks.is_busy()


@pytest.mark.parametrize("how", ["del", "button", "all"])
def test_delete_key_and_buttons_cancel_the_task(panel, session, work, qtbot, how):
    session.tasks.run("some", work, ignore, ignore, title="Some")
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    panel.table.selectRow(0)
    if how == "del":
        qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    else:
        qtbot.mouseClick(panel.cancel if how == "button" else panel.cancel_all, LEFT)
    qtbot.waitUntil(lambda: work.was_cancelled)


def test_finished_tasks_show_their_result(panel, session, folder, work, qtbot):
    open_in(session, folder, qtbot)
    listed = [["Evaluating", "Done"], ["Reading sample_benchmark", "Done"]]
    assert [row[:2] for row in words(panel) if row[:2] in listed] == listed  # others are listed if they took long
    session.tasks.run("some", work, ignore, ignore, title="Slow")
    qtbot.waitUntil(lambda: words(panel)[0][0] == "Slow")
    session.tasks.stop("some")
    assert words(panel)[0][:2] == ["Slow", "Cancelled"]
    assert not panel.cancel_all.isEnabled()
    session.close()
    assert panel.is_empty


def test_failed_task_shows_its_error(panel, session, folder, qtbot):
    open_in(session, folder, qtbot)

    def broken(task):
        time.sleep(0.35)
        raise FormatError(folder, "is odd")

    session.tasks.run("some", broken, ignore, ignore, title="Odd")
    settle(session, qtbot)
    assert words(panel)[0][:2] == ["Odd", "Failed"]


def test_cancelled_opening_keeps_the_open_benchmark(panel, session, folder, tmp_path, work, qtbot, monkeypatch):
    open_in(session, folder, qtbot)
    before, scores = session.benchmark, session.scores
    monkeypatch.setattr(session_module, "read_benchmark", lambda path, parts, **kwargs: _slow_reading(kwargs))
    session.open(tmp_path)
    qtbot.waitUntil(lambda: bool(re.fullmatch(r"big.txt, MiB \d+ of 100", words(panel)[0][1])))
    panel.table.selectRow(0)
    qtbot.keyClick(panel.table, Qt.Key.Key_Delete)
    settle(session, qtbot)
    assert session.benchmark is before
    assert session.scores is scores
    assert words(panel)[0][:2] == [f"Reading {tmp_path.name}", "Cancelled"]


def _slow_reading(kwargs):
    for done in range(0, 100, 10):
        time.sleep(0.06)
        kwargs["progress"](done, 100, "big.txt, MiB")
        if kwargs["cancelled"]():
            raise Cancelled
    time.sleep(5)


def test_cancelled_evaluation_ends_its_progress(panel, session, folder, work, qtbot, monkeypatch):
    from shrec_viewer.viewmodels.session import document
    from shrec_viewer.viewmodels.session import session as module

    monkeypatch.setattr(document, "MAX_PAIRS_SCORED_FIRST", 0)  # else it is evaluated before it is open
    monkeypatch.setattr(module, "score_runs", lambda *arguments: work(arguments[-1]))
    session.open(folder)
    qtbot.waitUntil(
        lambda: panel.model.rowCount() > 0 and words(panel)[0][0] == "Evaluating" and not panel.tasks.rows[0].outcome
    )
    panel.table.selectRow(0)
    qtbot.mouseClick(panel.cancel, LEFT)
    qtbot.waitUntil(lambda: work.was_cancelled)
    assert session.is_open


def test_panel_can_be_created_late_and_deleted_early(session, folder, work, qtbot):
    open_in(session, folder, qtbot)
    panel = TasksPanel(session)
    qtbot.addWidget(panel)
    assert [row[1] for row in words(panel)] == ["Done", "Done"]
    panel.deleteLater()
    qtbot.wait(10)
    session.tasks.run("some", work, ignore, ignore)
    work.end.set()
    settle(session, qtbot)


class Painter(ThumbnailSource):
    """A source of thumbnails that renders on request."""

    def __init__(self):
        self.requested_paths = ()
        self.ready = queue.SimpleQueue()

    def request(self, paths, size):
        self.requested_paths = tuple(paths)

    def wait(self, timeout):
        try:
            return [(self.ready.get(timeout=timeout), None, "odd")]
        except queue.Empty:
            return []

    def close(self):
        pass


def test_thumbnails_are_listed_as_a_task(qtbot, tmp_path):
    painter = Painter()
    session = Session(Thumbnails(lambda: painter))
    panel = TasksPanel(session)
    qtbot.addWidget(panel)
    paths = [tmp_path / f"{number}.off" for number in range(4)]
    session.thumbnails.request("test", paths)
    session.tasks.run("some", lambda task: None, ignore, ignore)  # the panel updates on this signal
    qtbot.waitUntil(lambda: panel.model.rowCount() == 1)
    painter.ready.put(paths[0])
    qtbot.waitUntil(lambda: words(panel)[0][:2] == ["Thumbnails", "picture 1 of 4"])
    panel.tasks.cancel(0)
    assert painter.requested_paths == ()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 0)
    session.shut_down()
