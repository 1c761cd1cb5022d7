"""Thumbnails: visible ones first, announced in batches, limited memory."""

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
from shrec_viewer.viewmodels.thumbnails.thumbnails import UNREADABLE, Thumbnails, ThumbnailSource, VisibleThumbnails


class Source(ThumbnailSource):
    """A source without rendering: the test supplies the results."""

    def __init__(self):
        self.requests, self.cameras = [], []
        self.results = Queue()
        self.closed = False
        self.failures = []

    def set_camera(self, camera):
        self.cameras.append(camera)

    def request(self, paths, size):
        self.requests.append((tuple(paths), size))

    def wait(self, timeout):
        try:
            return self.results.get(timeout=0.01)
        except Empty:
            return []

    def close(self):
        self.closed = True

    def problems(self):
        return tuple(self.failures)

    def finish(self, *paths, size=256, problem=""):
        teal = encode_webp(np.full((size, size, 4), [0, 128, 128, 255], np.uint8))
        self.results.put([(path, None if problem else teal, problem) for path in paths])


def paths(*numbers):
    return [Path(f"m{number}.off") for number in numbers]


@pytest.fixture
def source():
    return Source()


@pytest.fixture
def images(source, qtbot):
    images = Thumbnails(lambda: source)
    yield images
    images.close()
    assert source.closed or source.requests == []


def test_source_is_opened_by_first_request(images, source):
    images.request("grid", [])
    assert source.requests == []
    assert images.pixmap(None) is None
    assert images.problem(None) == NO_FILE


def test_damaged_thumbnail_has_problem(images, source, qtbot):
    (path,) = paths(1)
    images.request("grid", [path])
    with qtbot.waitSignal(images.arrived):
        source.results.put([(path, b"RIFF, and no more", "")])
    assert images.pixmap(path) is None
    assert images.problem(path) == UNREADABLE


def test_thumbnails_have_display_size(images, source, qtbot):
    (path,) = paths(1)
    images.request("grid", [path])
    assert source.requests[-1] == ((path,), 256)
    assert not images.is_known(path)
    source.finish(path)
    with qtbot.waitSignal(images.arrived) as arrived:
        pass
    assert arrived.args == [frozenset([path])]
    assert images.pixmap(path).width() == 128
    assert images.problem(path) == ""


def test_visible_paths_precede_near_paths(images, source):
    images.request("results", paths(5, 6), paths(7, 8))
    images.request("queries", paths(1, 2), paths(3))
    assert source.requests[-1][0] == tuple(paths(1, 2, 5, 6, 3, 7, 8))


def test_equal_requests_are_sent_once(images, source):
    images.request("grid", paths(1, 2))
    images.request("grid", paths(1, 2))
    assert len(source.requests) == 1


def test_known_thumbnails_are_not_requested(images, source, qtbot):
    images.request("grid", paths(1, 2))
    source.finish(*paths(1))
    qtbot.waitUntil(lambda: images.pixmap(paths(1)[0]) is not None)
    images.request("grid", paths(1, 2, 3))
    assert source.requests[-1][0] == tuple(paths(2, 3))


def test_thumbnails_of_one_frame_are_announced_together(images, source, qtbot, monkeypatch):
    batches, sent = [], threading.Semaphore(0)
    send = Task.send

    def count_and_send(task, part):
        send(task, part)
        sent.release()

    monkeypatch.setattr(Task, "send", count_and_send)

    class SignalRecorder:
        def record(self, batch):
            batches.append(batch)

    recorder = SignalRecorder()
    images.arrived.connect(recorder.record)
    images.request("grid", paths(*range(50)))
    source.finish(*paths(*range(50)))
    for _ in range(50):
        assert sent.acquire(timeout=300)  # all are queued before the event loop delivers the first one
    qtbot.waitUntil(lambda: sum(map(len, batches)) == 50)
    assert len(batches) <= 10


def test_failed_thumbnail_has_problem_and_is_not_requested_again(images, source, qtbot):
    (path,) = paths(1)
    images.request("grid", [path])
    source.finish(path, problem="the file is empty")
    with qtbot.waitSignal(images.arrived):
        pass
    assert images.pixmap(path) is None
    assert images.problem(path) == "the file is empty"
    assert images.is_known(path)


def test_memory_limit_includes_all_visible_thumbnails(images, source, qtbot, monkeypatch):
    monkeypatch.setattr(module, "MEMORY_LIMIT", 10 * 4 * 128 * 128)
    for start in range(0, 40, 4):
        expected = paths(*range(start, start + 4))
        images.request("grid", expected)
        source.finish(*expected)
        qtbot.waitUntil(lambda expected=expected: all(images.pixmap(path) is not None for path in expected))
    assert images.count == 10
    assert all(images.pixmap(path) is not None for path in expected)


def test_another_size_requests_again(images, source, qtbot):
    (path,) = paths(1)
    images.request("grid", [path])
    source.finish(path)
    qtbot.waitUntil(lambda: images.pixmap(path) is not None)
    with qtbot.waitSignal(images.size_changed):
        images.set_size(384)
    previous = images.pixmap(path)
    assert previous is not None, "old thumbnails are shown while the size changes"
    assert not images.is_known(path)
    images.request("grid", [path])
    assert source.requests[-1] == ((path,), 512)
    source.finish(path)
    qtbot.waitUntil(lambda: images.is_known(path))
    assert images.pixmap(path).cacheKey() != previous.cacheKey()
    assert images.pixels == 384
    with qtbot.assertNotEmitted(images.size_changed):
        images.set_size(384)


def test_sizes_rendered_alike_are_requested_separately(images, source, qtbot):
    (path,) = paths(1)
    images.request("grid", [path])
    source.finish(path)
    qtbot.waitUntil(lambda: images.is_known(path))
    images.set_size(192)
    images.request("grid", [path])
    assert source.requests[-1] == ((path,), 256)
    source.finish(path)
    qtbot.waitUntil(lambda: images.is_known(path))


def test_another_camera_renders_all_and_keeps_old_thumbnails(images, source, qtbot):
    (path,) = paths(1)
    images.request("grid", [path])
    source.finish(path)
    qtbot.waitUntil(lambda: images.is_known(path))
    with qtbot.waitSignal(images.size_changed):
        images.set_camera(Camera(up="Z"))
    assert source.cameras == [Camera(up="Z")]
    assert images.pixmap(path) is not None
    images.request("grid", [path])
    assert source.requests[-1] == ((path,), 256)
    with qtbot.assertNotEmitted(images.size_changed):
        images.set_camera(Camera(up="Z"))


def test_source_opened_later_gets_camera(source, qtbot):
    created = Thumbnails(lambda: source)
    created.set_camera(Camera(up="Z"))
    assert source.cameras == []
    created.request("grid", paths(1))
    assert source.cameras == [Camera(up="Z")]
    created.close()


def test_sizes_are_rounded_up(images, qtbot):
    images.set_size(150)
    assert images.pixels == 160
    with qtbot.assertNotEmitted(images.size_changed):
        images.set_size(129)
        images.set_size(160)


def test_failed_source_is_problem_of_every_card(qtbot):
    def broken():
        raise OSError("no processes left")

    images = Thumbnails(broken)
    with qtbot.waitSignal(images.arrived):
        images.request("grid", paths(1))
    assert images.problem(paths(1)[0]) == "thumbnails cannot be rendered: no processes left"
    images.close()


def test_visible_rows_are_requested_and_announced(images, source, qtbot):
    model = QStringListModel([f"m{number}" for number in range(100)])
    rows = VisibleThumbnails(model, images, "grid", lambda row: paths(row)[0], (Qt.ItemDataRole.DecorationRole,))
    rows.set_visible(10, 14)
    assert source.requests[-1][0] == tuple(paths(10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 5, 6, 7, 8, 9))
    assert rows.pending_count == 5
    received = []
    model.dataChanged.connect(lambda first, last, _roles: received.append((first.row(), last.row())))
    source.finish(*paths(11, 13))
    qtbot.waitUntil(lambda: len(received) == 2)
    assert received == [(11, 11), (13, 13)], "for a range, views repaint all visible rows"
    assert (rows.pending_count, rows.loaded_count) == (3, 2)
    with qtbot.assertNotEmitted(model.dataChanged, wait=60):
        source.finish(*paths(16))
    model.setStringList(["m0", "m1"])
    assert source.requests[-1][0][:2] == tuple(paths(0, 1))


def test_each_problem_of_caches_and_drivers_is_reported_once(source, images, qtbot):
    found = []
    images.problem_found.connect(found.append)
    for number, failures in enumerate(
        [[], ["disk full"], ["disk full"], ["no driver", "disk full"], [], ["disk full"]]
    ):
        images.request("grid", paths(number))
        source.failures = failures
        with qtbot.waitSignal(images.arrived):
            source.finish(*paths(number))
    assert found == ["disk full", "no driver"]
