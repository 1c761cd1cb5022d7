"""Garbage is collected from the event loop and nowhere else, and all of it in the end."""

import gc
import weakref

from PySide6.QtCore import QObject

from shrec_viewer.app.garbage import INTERVAL, QuietCollector


class _Knot:
    def __init__(self):
        self.itself = self


def test_cycles_go_in_the_event_loop_and_not_before(qtbot):
    was_enabled = gc.isenabled()
    gc.enable()
    owner = QObject()
    collector = QuietCollector(owner)
    try:
        assert not gc.isenabled()
        knots = [_Knot() for _ in range(20_000)]
        watched = weakref.ref(knots[-1])
        del knots
        assert watched() is not None
        qtbot.waitUntil(lambda: watched() is None, timeout=20 * INTERVAL)
    finally:
        collector.end()
    assert gc.isenabled()
    if not was_enabled:
        gc.disable()


def test_what_is_kept_is_looked_at_no_more(qtbot):
    before = gc.get_freeze_count()
    owner = QObject()
    collector = QuietCollector(owner)
    knot = _Knot()
    try:
        collector.keep()
        assert gc.get_freeze_count() > before
        assert not any(thing is knot for thing in gc.get_objects())
    finally:
        collector.end()
        gc.unfreeze()
    assert any(thing is knot for thing in gc.get_objects())
