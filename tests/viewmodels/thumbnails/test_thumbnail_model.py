"""Pictures come to those who show them: visible ones first, in batches, within bounds."""

import threading
from pathlib import Path
from queue import Empty, Queue

import numpy as np
import pytest
from PySide6.QtCore import QStringListModel, Qt

from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.thumbnails.thumbnail import encode_webp
from shrec_viewer.viewmodels.tasks.tasks import Task
from shrec_viewer.viewmodels.text.labels import NO_FILE
from shrec_viewer.viewmodels.thumbnails import thumbnails as module
from shrec_viewer.viewmodels.thumbnails.thumbnails import UNREADABLE, Thumbnails, VisibleThumbnails


class Source:
    """Draws nothing by itself: the test says which picture is finished."""

    def __init__(self):
        self.requests, self.cameras = [], []
        self.answers = Queue()
        self.closed = False

    def set_camera(self, camera):
        self.cameras.append(camera)

    def request(self, paths, size):
        self.requests.append((tuple(paths), size))

    def wait(self, timeout):
        try:
            return self.answers.get(timeout=0.01)
        except Empty:
            return []

    def close(self):
        self.closed = True

    def finish(self, *paths, size=256, problem=""):
        teal = encode_webp(np.full((size, size, 4), [0, 128, 128, 255], np.uint8))
        self.answers.put([(path, None if problem else teal, problem) for path in paths])


def paths(*numbers):
    return [Path(f"m{number}.off") for number in numbers]


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def pictures(source, qtbot):
    pictures = Thumbnails(lambda: source)
    yield pictures
    pictures.close()
    assert source.closed or source.requests == []


def test_source_is_opened_by_the_first_request(pictures, source):
    pictures.request("grid", [])
    assert source.requests == []
    assert pictures.pixmap(None) is None
    assert pictures.problem(None) == NO_FILE


def test_damaged_thumbnail_has_a_problem(pictures, source, qtbot):
    (path,) = paths(1)
    pictures.request("grid", [path])
    with qtbot.waitSignal(pictures.arrived):
        source.answers.put([(path, b"RIFF, and no more", "")])
    assert pictures.pixmap(path) is None
    assert pictures.problem(path) == UNREADABLE


def test_thumbnails_have_the_display_size(pictures, source, qtbot):
    (path,) = paths(1)
    pictures.request("grid", [path])
    assert source.requests[-1] == ((path,), 256)
    assert not pictures.is_known(path)
    source.finish(path)
    with qtbot.waitSignal(pictures.arrived) as arrived:
        pass
    assert arrived.args == [frozenset([path])]
    assert pictures.pixmap(path).width() == 128
    assert pictures.problem(path) == ""


def test_visible_paths_precede_near_paths(pictures, source):
    pictures.request("results", paths(5, 6), paths(7, 8))
    pictures.request("queries", paths(1, 2), paths(3))
    assert source.requests[-1][0] == tuple(paths(1, 2, 5, 6, 3, 7, 8))


def test_equal_requests_are_sent_once(pictures, source):
    pictures.request("grid", paths(1, 2))
    pictures.request("grid", paths(1, 2))
    assert len(source.requests) == 1


def test_known_thumbnails_are_not_requested(pictures, source, qtbot):
    pictures.request("grid", paths(1, 2))
    source.finish(*paths(1))
    qtbot.waitUntil(lambda: pictures.pixmap(paths(1)[0]) is not None)
    pictures.request("grid", paths(1, 2, 3))
    assert source.requests[-1][0] == tuple(paths(2, 3))


def test_thumbnails_of_one_frame_are_announced_together(pictures, source, qtbot, monkeypatch):
    batches, sent = [], threading.Semaphore(0)
    send = Task.send

    def count_and_send(task, part):
        send(task, part)
        sent.release()

    monkeypatch.setattr(Task, "send", count_and_send)

    class Ear:
        def hear(self, batch):
            batches.append(batch)

    ear = Ear()
    pictures.arrived.connect(ear.hear)
    pictures.request("grid", paths(*range(50)))
    source.finish(*paths(*range(50)))
    for _ in range(50):
        assert sent.acquire(timeout=20)  # all are on their way before the event loop delivers the first
    qtbot.waitUntil(lambda: sum(map(len, batches)) == 50)
    assert len(batches) <= 10


def test_failed_thumbnail_has_a_problem_and_is_not_requested_again(pictures, source, qtbot):
    (path,) = paths(1)
    pictures.request("grid", [path])
    source.finish(path, problem="the file is empty")
    with qtbot.waitSignal(pictures.arrived):
        pass
    assert pictures.pixmap(path) is None
    assert pictures.problem(path) == "the file is empty"
    assert pictures.is_known(path)


def test_memory_limit_includes_all_visible_thumbnails(pictures, source, qtbot, monkeypatch):
    monkeypatch.setattr(module, "MEMORY_LIMIT", 10 * 4 * 128 * 128)
    for start in range(0, 40, 4):
        wanted = paths(*range(start, start + 4))
        pictures.request("grid", wanted)
        source.finish(*wanted)
        qtbot.waitUntil(lambda wanted=wanted: all(pictures.pixmap(path) is not None for path in wanted))
    assert pictures.count == 10
    assert all(pictures.pixmap(path) is not None for path in wanted)


def test_another_size_requests_again(pictures, source, qtbot):
    (path,) = paths(1)
    pictures.request("grid", [path])
    source.finish(path)
    qtbot.waitUntil(lambda: pictures.pixmap(path) is not None)
    with qtbot.waitSignal(pictures.size_changed):
        pictures.set_size(384)
    former = pictures.pixmap(path)
    assert former is not None, "nothing goes blank while the size is being chosen"
    assert not pictures.is_known(path)
    pictures.request("grid", [path])
    assert source.requests[-1] == ((path,), 512)
    source.finish(path)
    qtbot.waitUntil(lambda: pictures.is_known(path))
    assert pictures.pixmap(path).cacheKey() != former.cacheKey()
    assert pictures.pixels == 384
    with qtbot.assertNotEmitted(pictures.size_changed):
        pictures.set_size(384)


def test_sizes_rendered_alike_are_requested_separately(pictures, source, qtbot):
    (path,) = paths(1)
    pictures.request("grid", [path])
    source.finish(path)
    qtbot.waitUntil(lambda: pictures.is_known(path))
    pictures.set_size(192)
    pictures.request("grid", [path])
    assert source.requests[-1] == ((path,), 256)
    source.finish(path)
    qtbot.waitUntil(lambda: pictures.is_known(path))


def test_another_camera_renders_all_and_keeps_old_thumbnails(pictures, source, qtbot):
    (path,) = paths(1)
    pictures.request("grid", [path])
    source.finish(path)
    qtbot.waitUntil(lambda: pictures.is_known(path))
    with qtbot.waitSignal(pictures.size_changed):
        pictures.set_camera(Camera(up="Z"))
    assert source.cameras == [Camera(up="Z")]
    assert pictures.pixmap(path) is not None
    pictures.request("grid", [path])
    assert source.requests[-1] == ((path,), 256)
    with qtbot.assertNotEmitted(pictures.size_changed):
        pictures.set_camera(Camera(up="Z"))


def test_source_opened_later_gets_the_camera(source, qtbot):
    made = Thumbnails(lambda: source)
    made.set_camera(Camera(up="Z"))
    assert source.cameras == []
    made.request("grid", paths(1))
    assert source.cameras == [Camera(up="Z")]
    made.close()


def test_sizes_are_rounded_up(pictures, qtbot):
    pictures.set_size(150)
    assert pictures.pixels == 160
    with qtbot.assertNotEmitted(pictures.size_changed):
        pictures.set_size(129)
        pictures.set_size(160)


def test_failed_source_is_the_problem_of_every_card(qtbot):
    def broken():
        raise OSError("no processes left")

    pictures = Thumbnails(broken)
    with qtbot.waitSignal(pictures.arrived):
        pictures.request("grid", paths(1))
    assert pictures.problem(paths(1)[0]) == "thumbnails cannot be rendered: no processes left"
    pictures.close()


def test_visible_rows_are_requested_and_announced(pictures, source, qtbot):
    model = QStringListModel([f"m{number}" for number in range(100)])
    rows = VisibleThumbnails(model, pictures, "grid", lambda row: paths(row)[0], (Qt.ItemDataRole.DecorationRole,))
    rows.set_visible(10, 14)
    assert source.requests[-1][0] == tuple(paths(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 5, 6, 7, 8, 9))
    assert rows.pending_count == 5
    told = []
    model.dataChanged.connect(lambda first, last, _roles: told.append((first.row(), last.row())))
    source.finish(*paths(11, 13))
    qtbot.waitUntil(lambda: len(told) == 2)
    assert told == [(11, 11), (13, 13)], "of a range, views repaint all that is in sight"
    assert (rows.pending_count, rows.loaded_count) == (3, 2)
    with qtbot.assertNotEmitted(model.dataChanged, wait=60):
        source.finish(*paths(16))
    model.setStringList(["m0", "m1"])
    assert source.requests[-1][0][:2] == tuple(paths(0, 1))
