"""Only the result of the newest task of a key arrives, in the main thread, and none after the benchmark was closed."""

import threading
import time
from functools import partial
from threading import Event

import pytest
from PySide6.QtCore import QEventLoop, QObject, QThread, QTimer
from shiboken6 import isValid

from shrec_viewer.domain import Cancelled
from shrec_viewer.viewmodels.tasks.tasks import LoopThread, Task, TaskQueue, describe_failure


class Box:
    """Collects delivered results."""

    def __init__(self):
        self.results = []
        self.errors = []
        self.steps = []
        self.parts = []
        self.threads = []

    def done(self, result):
        self.results.append(result)
        self.threads.append(QThread.currentThread())

    def failed(self, error):
        self.errors.append(error)

    def progress(self, done, total, text):
        self.steps.append((done, total, text))

    def part(self, part):
        self.parts.append(part)


@pytest.fixture
def queue(qtbot):
    queue = TaskQueue()
    yield queue
    queue.close()


@pytest.fixture
def box():
    return Box()


def test_result_is_delivered_in_main_thread(queue, box, qtbot, qapp):
    seen = []
    queue.run("a", lambda task: seen.append(threading.current_thread()) or 42, box.done, box.failed)
    qtbot.waitUntil(lambda: box.results == [42])
    assert box.threads == [qapp.thread()]
    assert seen[0] is not threading.main_thread()
    assert not queue.is_busy()


def test_only_newest_result_of_key_is_delivered(queue, box, qtbot):
    release = Event()

    def delayed(task):
        release.wait(5)
        return "old"

    queue.run("a", delayed, box.done, box.failed)
    queue.run("a", lambda task: "new", box.done, box.failed)
    release.set()
    qtbot.waitUntil(lambda: box.results == ["new"])
    qtbot.wait(50)
    assert box.results == ["new"]


def test_keys_run_in_parallel(queue, box, qtbot):
    release = Event()
    queue.run("slow", lambda task: release.wait(5), box.done, box.failed)
    queue.run("quick", lambda task: "quick", box.done, box.failed)
    qtbot.waitUntil(lambda: box.results == ["quick"])
    assert queue.is_busy("slow")
    release.set()
    qtbot.waitUntil(lambda: box.results == ["quick", True])


def test_replaced_pending_task_never_starts(queue, box, qtbot):
    started_tasks, release, started = Event(), Event(), []

    def hold(task):
        started_tasks.set()
        release.wait(5)

    queue.run("a", hold, box.done, box.failed)
    assert started_tasks.wait(5)  # otherwise another task of the key may start first
    for number in range(20):
        queue.run("a", lambda task, number=number: started.append(number) or number, box.done, box.failed)
    release.set()
    qtbot.waitUntil(lambda: box.results == [19])
    assert started == [19]


def test_queue_lists_running_and_finished_tasks(queue, box, qtbot):
    release = Event()
    queue.run("a", lambda task: release.wait(5), box.done, box.failed, title="First", listed=True)
    queue.run("b", lambda task: task.wait(5), box.done, box.failed)
    assert [(status.key, status.title) for status in queue.running] == [("a", "First"), ("b", "")]
    queue.stop("b")
    release.set()
    qtbot.waitUntil(lambda: not queue.is_busy())
    ended = [(task.status.key, task.status.is_listed, task.outcome) for task in queue.finished]
    assert ended == [("a", True, "done"), ("b", False, "stopped")]


def test_pending_task_never_starts_after_close(qtbot, box):
    queue, started_tasks, release, started = TaskQueue(), Event(), Event(), []

    def hold(task):
        started_tasks.set()
        release.wait(5)

    queue.run("a", hold, box.done, box.failed)
    assert started_tasks.wait(5)
    task = queue.run("a", lambda task: started.append(1), box.done, box.failed)
    queue.close(timeout_s=0.01)
    release.set()
    qtbot.wait(50)
    assert task.cancelled()
    assert started == []


def test_more_tasks_than_threads_all_run(queue, box, qtbot):
    for number in range(40):
        queue.run(f"task {number}", lambda task, number=number: number, box.done, box.failed)
    qtbot.waitUntil(lambda: len(box.results) == 40)
    assert sorted(box.results) == list(range(40))


def test_stop_all_cancels_work_and_drops_results(queue, box, qtbot):
    started_tasks, recorded = Event(), Event()

    def work(task):
        started_tasks.set()
        assert task.wait(5)
        recorded.set()
        return "late"

    queue.run("a", work, box.done, box.failed)
    started_tasks.wait(5)
    queue.stop_all()
    assert recorded.wait(5)
    qtbot.wait(50)
    assert box.results == []
    assert not queue.is_busy()


def test_one_result_is_delivered_per_event_loop_iteration(queue, box, qapp):
    finished = [Event() for _ in range(5)]
    for number, recorded in enumerate(finished):
        queue.run(f"task {number}", lambda task, recorded=recorded: recorded.set(), box.done, box.failed)
    for recorded in finished:
        assert recorded.wait(5)
    time.sleep(0.3)  # so that all results are queued
    counts = []
    while queue.is_busy():
        qapp.processEvents()
        counts.append(len(box.results))
    assert len(box.results) == 5
    assert max(after - before for before, after in zip([0, *counts], counts, strict=False)) == 1


def test_result_stopped_by_earlier_callback_is_dropped(queue, box, qapp, qtbot):
    def stop_all_others(result):
        box.done(result)
        queue.stop_all()

    finished = [Event(), Event()]
    for place, recorded in enumerate(finished):
        queue.run(f"lane {place}", lambda task, recorded=recorded: recorded.set(), stop_all_others, box.failed)
        assert recorded.wait(5)
    qtbot.waitUntil(lambda: not queue.is_busy())
    qtbot.wait(30)
    assert box.results == [None]


def test_results_are_delivered_in_event_loop_of_dialog(queue, box, qtbot):
    loop = QEventLoop()

    def open_dialog(result):
        box.done(result)
        QTimer.singleShot(2000, loop.quit)
        loop.exec()
        box.done("closed")

    def close_dialog(result):
        box.done(result)
        loop.quit()

    finished = [Event(), Event()]
    for lane, done, recorded in zip("ab", (open_dialog, close_dialog), finished, strict=True):
        queue.run(lane, lambda task, recorded=recorded: recorded.set(), done, box.failed)
        assert recorded.wait(5)
    qtbot.waitUntil(lambda: len(box.results) == 3)
    assert box.results == [None, None, "closed"]


def test_queued_result_of_stopped_task_is_dropped(queue, box, qtbot):
    finished = Event()
    queue.run("a", lambda task: finished.set(), box.done, box.failed)
    assert finished.wait(5)
    queue.stop_all()
    qtbot.wait(50)
    assert box.results == []


def test_exceptions_are_failures_except_cancelled(queue, box, qtbot):
    def breaks(task):
        raise ValueError("broken")

    def stops_when_cancelled(task):
        raise Cancelled

    queue.run("a", breaks, box.done, box.failed)
    qtbot.waitUntil(lambda: len(box.errors) == 1)
    assert str(box.errors[0]) == "broken"
    queue.run("a", stops_when_cancelled, box.done, box.failed)
    qtbot.waitUntil(lambda: not queue.is_busy())
    assert len(box.errors) == 1
    assert box.results == []


def test_parts_are_delivered_in_order_before_result(queue, box, qtbot):
    def work(task):
        for part in range(5):
            task.send(part)
        return tuple(box.parts)

    queue.run("a", work, box.done, box.failed, part=box.part)
    qtbot.waitUntil(lambda: len(box.results) == 1)
    assert box.parts == [0, 1, 2, 3, 4]


def test_progress_is_limited_but_end_is_always_reported(queue, box, qtbot):
    def work(task):
        for step in range(1001):
            task.progress(step, 1000, f"step {step}")

    queue.run("a", work, box.done, box.failed, progress=box.progress)
    qtbot.waitUntil(lambda: box.results == [None])
    assert box.steps[-1] == (1000, 1000, "step 1000")
    assert len(box.steps) < 100


def test_work_can_be_called_without_thread():
    reported = []

    def report(task, kind, payload):
        reported.append((kind, payload))

    Task("a", lambda task: task.progress(1, 1, "all") or "done", report).run()
    assert reported == [("progress", (1, 1, "all")), ("done", "done")]


def test_close_ends_all_threads(qtbot, box):
    former = set(threading.enumerate())  # of tests before, which may still end
    queue = TaskQueue()
    for lane in "abc":
        queue.run(lane, lambda task: task.wait(60), box.done, box.failed)
    threads = [thread for thread in set(threading.enumerate()) - former if thread.name.startswith("task thread ")]
    assert len(threads) == 3
    queue.close()
    assert not any(thread.is_alive() for thread in threads)
    task = queue.run("a", lambda task: 1, box.done, box.failed)
    assert task.cancelled()
    qtbot.wait(30)
    assert box.results == []


class Listener(QObject):
    """A QObject that may be deleted before its result is delivered."""

    def __init__(self):
        super().__init__()
        self.recorded = []

    def hear(self, result):
        self.recorded.append(result)
        self.objectName()  # raises once Qt has deleted it


@pytest.mark.parametrize("wrapped", [False, True])
def test_result_for_deleted_object_is_dropped(queue, box, qtbot, wrapped):
    release, listener = Event(), Listener()
    done = partial(listener.hear) if wrapped else listener.hear
    queue.run("a", lambda task: release.wait(5), done, box.failed)
    listener.deleteLater()
    qtbot.waitUntil(lambda: not isValid(listener))
    release.set()
    qtbot.waitUntil(lambda: not queue.is_busy())
    assert listener.recorded == []


def test_loop_delivers_parts_until_stopped(qtbot, qapp):
    loop, received, threads = LoopThread("test loop"), [], []

    def record(part):
        received.append(part)
        threads.append(QThread.currentThread())

    def count(task):
        number = 0
        while not task.wait(0.001):
            task.send(number)
            number += 1

    loop.received.connect(record)
    loop.start(count)
    qtbot.waitUntil(lambda: len(received) > 5)
    assert received == list(range(len(received)))
    assert set(threads) == {qapp.thread()}
    loop.stop()
    assert not loop.is_running
    delivered = len(received)
    qtbot.wait(30)
    assert len(received) == delivered
    loop.close()


def test_restarted_loop_begins_after_end_of_previous_one(qtbot):
    loop, active, most, ended = LoopThread("test loop"), [0], [0], []

    def work(task):
        active[0] += 1
        most[0] = max(most[0], active[0])
        while not task.wait(0.005):
            pass
        time.sleep(0.02)
        active[0] -= 1
        ended.append(task)

    for _ in range(3):
        loop.start(work)
        qtbot.wait(20)
    loop.close()
    assert most == [1]
    assert active == [0]


def test_loop_reports_exception(qtbot):
    loop, errors = LoopThread("test loop"), []
    loop.failed.connect(errors.append)

    def work(task):
        raise ValueError("broken")

    loop.start(work)
    qtbot.waitUntil(lambda: len(errors) == 1)
    assert str(errors[0]) == "broken"
    assert not loop.is_running


def test_an_error_of_the_system_is_told_without_its_number_and_temporary_file():
    error = PermissionError(13, "Permission denied", "/a/.mine.shrec.18639-80faf560.part")
    message, details = describe_failure("mine.shrec cannot be saved", error)
    assert message == "mine.shrec cannot be saved: permission denied"
    assert ".part" in details


def test_only_a_stopped_task_is_reported_as_stopped(queue, qtbot):
    stopped = []

    def wait(task):
        task.wait(5)

    for name in ("first", "second"):
        queue.run("a", wait, stopped=partial(stopped.append, name))
    assert stopped == []  # replaced
    queue.stop("a")
    queue.stop("a")
    assert stopped == ["second"]
    queue.run("a", lambda task: None, stopped=partial(stopped.append, "third"))
    qtbot.waitUntil(lambda: not queue.is_busy())
    queue.run("a", wait, stopped=partial(stopped.append, "fourth"))
    queue.stop_all()
    assert stopped == ["second"]
