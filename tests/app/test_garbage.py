"""Garbage is collected from the event loop and nowhere else, and all of it in the end."""

import gc
import sys
import weakref
from types import ModuleType

from PySide6.QtCore import QObject

from shrec_viewer.app.startup.garbage_collection import INTERVAL_MS, LIBRARY_MODULES, EventLoopCollector


class _Knot:
    def __init__(self):
        self.itself = self


def test_cycles_go_in_the_event_loop_and_not_before(qtbot):
    was_enabled = gc.isenabled()
    gc.enable()
    owner = QObject()
    collector = EventLoopCollector(owner)
    try:
        assert not gc.isenabled()
        knots = [_Knot() for _ in range(20_000)]
        watched = weakref.ref(knots[-1])
        del knots
        assert watched() is not None
        qtbot.waitUntil(lambda: watched() is None, timeout=20 * INTERVAL_MS)
    finally:
        collector.end()
    assert gc.isenabled()
    if not was_enabled:
        gc.disable()


def test_what_is_kept_is_looked_at_no_more(qtbot):
    before = gc.get_freeze_count()
    owner = QObject()
    collector = EventLoopCollector(owner)
    knot = _Knot()
    try:
        collector.keep()
        assert gc.get_freeze_count() > before
        assert not any(thing is knot for thing in gc.get_objects())
    finally:
        collector.end()
        gc.unfreeze()
    assert any(thing is knot for thing in gc.get_objects())


def test_a_library_that_comes_later_is_looked_at_once_and_no_garbage_is_kept_with_it(qtbot, monkeypatch):
    owner = QObject()
    collector = EventLoopCollector(owner)
    try:
        collector.keep()
        frozen = gc.get_freeze_count()
        library = [ModuleType(f"library.part{number}") for number in range(LIBRARY_MODULES + 1)]
        for module in library:
            monkeypatch.setitem(sys.modules, module.__name__, module)
        knot = _Knot()
        watched = weakref.ref(knot)
        del knot
        qtbot.waitUntil(lambda: gc.get_freeze_count() > frozen + LIBRARY_MODULES, timeout=20 * INTERVAL_MS)
        assert watched() is None
        assert not any(thing is library[0] for thing in gc.get_objects())
        frozen = gc.get_freeze_count()
        qtbot.wait(INTERVAL_MS + 200)
        assert gc.get_freeze_count() <= frozen, "nothing else is kept"
    finally:
        collector.end()
        gc.unfreeze()
