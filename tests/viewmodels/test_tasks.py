"""Only the newest answer of a lane arrives, on the main thread, and none after the folder was closed."""

import threading
import time
from functools import partial
from threading import Event

import pytest
from PySide6.QtCore import QEventLoop, QObject, QThread, QTimer
from shiboken6 import isValid

from shrec_viewer.domain import Cancelled
from shrec_viewer.viewmodels.tasks.tasks import DELIVERY_BUDGET_S, Task, TaskRunner


class Box:
    """Collects what arrives."""

    def __init__(self):
        self.answers = []
        self.errors = []
        self.steps = []
        self.parts = []
        self.threads = []

    def done(self, answer):
        self.answers.append(answer)
        self.threads.append(QThread.currentThread())

    def failed(self, error):
        self.errors.append(error)

    def progress(self, done, total, text):
        self.steps.append((done, total, text))

    def part(self, part):
        self.parts.append(part)


@pytest.fixture
def runner(qtbot):
    runner = TaskRunner()
    yield runner
    runner.close()


@pytest.fixture
def box():
    return Box()


def test_the_answer_arrives_on_the_main_thread(runner, box, qtbot, qapp):
    seen = []
    runner.run("a", lambda task: seen.append(threading.current_thread()) or 42, box.done, box.failed)
    qtbot.waitUntil(lambda: box.answers == [42])
    assert box.threads == [qapp.thread()]
    assert seen[0] is not threading.main_thread()
    assert not runner.is_busy()


def test_only_the_newest_of_a_lane_arrives(runner, box, qtbot):
    release = Event()

    def held_back(task):
        release.wait(5)
        return "old"

    runner.run("a", held_back, box.done, box.failed)
    runner.run("a", lambda task: "new", box.done, box.failed)
    release.set()
    qtbot.waitUntil(lambda: box.answers == ["new"])
    qtbot.wait(50)
    assert box.answers == ["new"]


def test_lanes_do_not_wait_for_each_other(runner, box, qtbot):
    release = Event()
    runner.run("slow", lambda task: release.wait(5), box.done, box.failed)
    runner.run("quick", lambda task: "quick", box.done, box.failed)
    qtbot.waitUntil(lambda: box.answers == ["quick"])
    assert runner.is_busy("slow")
    release.set()
    qtbot.waitUntil(lambda: box.answers == ["quick", True])


def test_a_stale_task_waiting_in_the_lane_never_starts(runner, box, qtbot):
    began, release, started = Event(), Event(), []

    def hold(task):
        began.set()
        release.wait(5)

    runner.run("a", hold, box.done, box.failed)
    runner.begin()
    assert began.wait(5)  # else the lane may begin with any of the others while it is the newest
    for number in range(20):
        runner.run("a", lambda task, number=number: started.append(number) or number, box.done, box.failed)
        runner.begin()  # each in a turn of its own
    release.set()
    qtbot.waitUntil(lambda: box.answers == [19])
    assert started == [19]


def test_work_begins_when_the_turn_is_over_in_which_it_was_asked_for(runner, box, qtbot):
    began = Event()
    runner.run("a", lambda task: "first", box.done, box.failed)
    runner.run("a", lambda task: began.set() or "second", box.done, box.failed)
    runner.run("b", lambda task: "stopped", box.done, box.failed)
    runner.stop("b")
    assert not began.wait(0.1)
    assert [activity.lane for activity in runner.activities] == ["a"]
    qtbot.waitUntil(lambda: box.answers == ["second"])
    assert not runner.is_busy()


def test_what_never_began_ends_with_the_runner(qtbot, box):
    runner, began = TaskRunner(), Event()
    task = runner.run("a", lambda task: began.set(), box.done, box.failed)
    runner.close()
    assert task.cancelled()
    assert not began.wait(0.1)


def test_nothing_arrives_after_forget_all_and_the_work_hears_of_it(runner, box, qtbot):
    began, heard = Event(), Event()

    def work(task):
        began.set()
        assert task.wait(5)
        heard.set()
        return "late"

    runner.run("a", work, box.done, box.failed)
    runner.begin()
    began.wait(5)
    runner.drop_all()
    assert heard.wait(5)
    qtbot.wait(50)
    assert box.answers == []
    assert not runner.is_busy()


@pytest.mark.parametrize(("work", "in_a_turn"), [(DELIVERY_BUDGET_S, 1), (0, 5)])
def test_answers_that_make_work_arrive_one_in_a_turn_of_the_event_loop(runner, box, qapp, work, in_a_turn):
    def done(answer):
        box.done(answer)
        end = time.thread_time() + work
        while time.thread_time() < end:
            pass

    finished = [Event() for _ in range(5)]
    for lane, heard in enumerate(finished):
        runner.run(f"lane {lane}", lambda task, heard=heard: heard.set(), done, box.failed)
    runner.begin()
    for heard in finished:
        assert heard.wait(5)
    time.sleep(0.3)  # so that all answers are on their way, also on a busy machine
    counts = []
    while runner.is_busy():
        qapp.processEvents()
        counts.append(len(box.answers))
    assert len(box.answers) == 5
    assert max(after - before for before, after in zip([0, *counts], counts, strict=False)) == in_a_turn


def test_what_is_called_off_by_an_answer_of_the_turn_before_does_not_arrive(runner, box, qapp, qtbot):
    def stop_all_others(answer):
        box.done(answer)
        runner.drop_all()

    finished = [Event(), Event()]
    for place, heard in enumerate(finished):
        runner.run(f"lane {place}", lambda task, heard=heard: heard.set(), stop_all_others, box.failed)
        runner.begin()
        assert heard.wait(5)
    qtbot.waitUntil(lambda: not runner.is_busy())
    qtbot.wait(30)
    assert box.answers == [None]


def test_answers_arrive_in_the_event_loop_of_a_dialog_that_an_answer_opened(runner, box, qtbot):
    loop = QEventLoop()

    def open_dialog(answer):
        box.done(answer)
        QTimer.singleShot(2000, loop.quit)
        loop.exec()
        box.done("closed")

    def close_dialog(answer):
        box.done(answer)
        loop.quit()

    finished = [Event(), Event()]
    for lane, done, heard in zip("ab", (open_dialog, close_dialog), finished, strict=True):
        runner.run(lane, lambda task, heard=heard: heard.set(), done, box.failed)
        runner.begin()
        assert heard.wait(5)
    qtbot.waitUntil(lambda: len(box.answers) == 3)
    assert box.answers == [None, None, "closed"]


def test_an_answer_already_on_its_way_is_dropped_as_well(runner, box, qtbot):
    finished = Event()
    runner.run("a", lambda task: finished.set(), box.done, box.failed)
    runner.begin()
    assert finished.wait(5)
    runner.drop_all()
    qtbot.wait(50)
    assert box.answers == []


def test_exceptions_arrive_as_failures_and_cancelled_is_none(runner, box, qtbot):
    def breaks(task):
        raise ValueError("broken")

    def gives_up(task):
        raise Cancelled

    runner.run("a", breaks, box.done, box.failed)
    qtbot.waitUntil(lambda: len(box.errors) == 1)
    assert str(box.errors[0]) == "broken"
    runner.run("a", gives_up, box.done, box.failed)
    qtbot.waitUntil(lambda: not runner.is_busy())
    assert len(box.errors) == 1
    assert box.answers == []


def test_parts_arrive_in_order_before_the_answer(runner, box, qtbot):
    def work(task):
        for part in range(5):
            task.send(part)
        return tuple(box.parts)

    runner.run("a", work, box.done, box.failed, part=box.part)
    qtbot.waitUntil(lambda: len(box.answers) == 1)
    assert box.parts == [0, 1, 2, 3, 4]


def test_progress_is_thinned_but_the_end_is_always_told(runner, box, qtbot):
    def work(task):
        for step in range(1001):
            task.progress(step, 1000, f"step {step}")

    runner.run("a", work, box.done, box.failed, progress=box.progress)
    qtbot.waitUntil(lambda: box.answers == [None])
    assert box.steps[-1] == (1000, 1000, "step 1000")
    assert len(box.steps) < 100


def test_work_can_be_called_without_a_thread():
    told = []

    def report(task, kind, payload):
        told.append((kind, payload))

    Task("a", lambda task: task.progress(1, 1, "all") or "done", report).run()
    assert told == [("progress", (1, 1, "all")), ("done", "done")]


def test_closing_ends_every_thread(qtbot, box):
    runner = TaskRunner()
    for lane in "abc":
        runner.run(lane, lambda task: task.wait(60), box.done, box.failed)
    runner.begin()
    lanes = [thread for thread in threading.enumerate() if thread.name.startswith("lane ")]
    assert len(lanes) == 3
    runner.close()
    assert not any(thread.is_alive() for thread in lanes)
    task = runner.run("a", lambda task: 1, box.done, box.failed)
    assert task.cancelled()
    qtbot.wait(30)
    assert box.answers == []


class Listener(QObject):
    """Something of Qt that waits for an answer, and may be deleted before it comes."""

    def __init__(self):
        super().__init__()
        self.heard = []

    def hear(self, answer):
        self.heard.append(answer)
        self.objectName()  # raises once Qt has deleted it


@pytest.mark.parametrize("wrapped", [False, True])
def test_an_answer_to_something_deleted_is_dropped(runner, box, qtbot, wrapped):
    release, listener = Event(), Listener()
    done = partial(listener.hear) if wrapped else listener.hear
    runner.run("a", lambda task: release.wait(5), done, box.failed)
    listener.deleteLater()
    qtbot.waitUntil(lambda: not isValid(listener))
    release.set()
    qtbot.waitUntil(lambda: not runner.is_busy())
    assert listener.heard == []
