"""Cycles are collected from the event loop only."""

import gc
import weakref

from PySide6.QtCore import QObject

from shrec_viewer.app.startup.application import EventLoopCollector


class _Knot:
    def __init__(self):
        self.itself = self


def test_cycles_are_collected_in_the_event_loop_only(qtbot):
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
        qtbot.waitUntil(lambda: watched() is None)
    finally:
        collector.end()
    assert gc.isenabled()
    if not was_enabled:
        gc.disable()
