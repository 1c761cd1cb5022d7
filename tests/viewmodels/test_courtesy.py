"""Work beside the window waits while the window is at work, and never for long or for nothing."""

from threading import Event, Thread

import pytest
from PySide6.QtCore import QEventLoop, QTimer

from shrec_viewer.viewmodels.tasks import gui_priority
from shrec_viewer.viewmodels.tasks.gui_priority import GuiPriority
from shrec_viewer.viewmodels.tasks.tasks import Task

A_WHILE = 0.05


class Asker:
    """A thread that gives way once; started within a turn of the event loop, and looked at before that is over."""

    def __init__(self, yield_to_gui, at_end):
        self._give_way = yield_to_gui
        self._at_end = at_end
        self.began, self.ended = Event(), Event()
        self.went_on_within = None

    def turn(self):
        Thread(target=self._ask, daemon=True).start()
        assert self.began.wait(5)
        self.went_on_within = self.ended.wait(A_WHILE)
        self._at_end()

    def _ask(self):
        self.began.set()
        self._give_way()
        self.ended.set()


@pytest.fixture
def asked(qapp, monkeypatch):
    """Has a thread give way to a busy turn, which it may do without an end; whether it went on within it and after."""
    monkeypatch.setattr(gui_priority, "WAIT_STEP_S", 60.0)
    monkeypatch.setattr(gui_priority, "MAX_UNANSWERED_S", 60.0)

    def ask(yield_to_gui):
        loop = QEventLoop()
        asker = Asker(yield_to_gui, loop.quit)
        QTimer.singleShot(0, asker.turn)
        loop.exec()
        after = QEventLoop()
        QTimer.singleShot(20, after.quit)
        after.exec()
        return asker.went_on_within, asker.ended.wait(5)

    return ask


def test_work_goes_on_when_the_window_has_nothing_to_do(asked):
    assert asked(GuiPriority().yield_to_gui) == (False, True)


def test_work_always_gets_on(asked, monkeypatch):
    monkeypatch.setattr(gui_priority, "WAIT_STEP_S", 0.001)
    assert asked(GuiPriority().yield_to_gui) == (True, True)


def test_a_window_that_stands_still_is_not_given_way_to(asked, monkeypatch):
    """It may wait for the very thread that would give way."""
    monkeypatch.setattr(gui_priority, "MAX_UNANSWERED_S", 0.0)
    assert asked(GuiPriority().yield_to_gui) == (True, True)


def test_work_gives_way_whenever_it_asks_whether_to_go_on(asked):
    task = Task(gui_priority=GuiPriority())
    assert asked(task.cancelled) == (False, True)


def test_work_that_is_called_off_ends_at_once(asked):
    task = Task(gui_priority=GuiPriority())
    task.cancel()
    assert asked(task.cancelled) == (True, True)
