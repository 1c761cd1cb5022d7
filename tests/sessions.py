"""Sessions for tests: without pictures, closed afterwards, opened and waited for."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.manifest.parts import BenchmarkParts
from shrec_viewer.resources import resource
from shrec_viewer.viewmodels.session import session as session_module
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails


def read_demo_once(patch) -> None:
    """Let sessions read the files of the demo once: hundreds of tests open it, and reading takes 0.1 s."""
    demo, found = resource("demo"), []

    def read(path, parts, **options):
        if path != demo or parts != BenchmarkParts():
            return read_benchmark(path, parts, **options)
        if not found:
            found.append(read_benchmark(path, parts, **options))
        return replace(found[0])  # another record of the same arrays, which are read-only

    patch.setattr(session_module, "read_benchmark", read)


def a_session() -> Iterator[Session]:
    """A session with nothing open; ends its threads after the test."""
    session = Session(Thumbnails(None))
    yield session
    session.shut_down()


SHORT_MS = 60
"""Longest interval of the timers after which views ask for what they show, 40 ms after a change."""


def is_settled(session) -> bool:
    """Whether no task runs, and no timer of a session or view that may start one."""
    return not session.tasks.is_busy() and not any(map(_is_pending, _short_timers(session)))


def _short_timers(session) -> list[QTimer]:
    """Timers of a session and of all windows; finding them in a window takes 2 ms of processor time."""
    # Menus, dialogs and the lists of combo boxes are children of windows.
    windows = (widget for widget in QApplication.topLevelWidgets() if widget.parent() is None)
    timers = (timer for owner in (session, *windows) for timer in owner.findChildren(QTimer))
    return [timer for timer in timers if timer.isSingleShot() and timer.interval() <= SHORT_MS]


def _is_pending(timer: QTimer) -> bool:
    return isValid(timer) and timer.isActive()


def settle(session, qtbot) -> None:
    """Wait until no task runs, also none that a view starts soon after a change."""
    timers: list[QTimer] = []  # finding them takes longer than an iteration in which only tasks are waited for
    for _ in range(20):
        qtbot.waitUntil(lambda: not session.tasks.is_busy() and not any(map(_is_pending, timers)))  # noqa: B023
        qtbot.wait(10)  # what results and timers have caused
        timers = _short_timers(session)
        if not session.tasks.is_busy() and not any(map(_is_pending, timers)):
            break


def differences(old, new, names):
    """Which of these differences are between two documents; after another list of runs, that and known scores."""
    if new.differs(old, "benchmark"):
        return ["benchmark", *(["scores"] if new.scores is not None else [])]
    return [name for name in names if new.differs(old, name)]


@contextmanager
def waiting_for(session, qtbot, *names):
    """Wait at the end of the block until the session has signalled all these differences."""
    seen = set()

    def record(old, new):
        seen.update(differences(old, new, names))

    session.changed.connect(record)
    yield
    qtbot.waitUntil(lambda: seen >= {*names})
    session.changed.disconnect(record)


def open_in(session, path, qtbot):
    """The session with `path` open, scored and listed."""
    session.open(path)
    settle(session, qtbot)
    assert session.is_open
    return session
