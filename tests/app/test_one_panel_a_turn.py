"""The window never makes two panels in one turn of the event loop, and shows none before all in sight are there."""

from time import monotonic

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from sample_benchmark import write_menagerie
from windows import a_window, open_in_window

from shrec_viewer.app.docking.perspective_window import PerspectiveWindow
from shrec_viewer.panels import PANELS, PERSPECTIVES


@pytest.fixture
def sample_benchmark(tmp_path):
    return write_menagerie(tmp_path / "sample_benchmark")


@pytest.fixture
def window(qapp, qtbot, tmp_path):
    yield from a_window(qapp, qtbot, tmp_path / "settings.ini")


def panels_of_each_turn(window, qapp, act):
    """Do something; the keys of the panels that were made in it and in each turn until the views are complete."""
    made = []
    window.workspace.panel_made.connect(lambda key, _panel: made.append(key))
    act()
    turns, seen = [tuple(made)], len(made)
    end = monotonic() + 10
    while monotonic() < end:
        qapp.processEvents()
        turns.append(tuple(made[seen:]))
        seen = len(made)
        if window.session.benchmark is not None and not window.session.tasks.is_busy():
            assert (
                window.workspace.perspective_window.updatesEnabled() == window.workspace.perspective_window.is_complete
            )
            if window.workspace.perspective_window.is_complete:
                break
    assert window.workspace.perspective_window.is_complete
    return [keys for keys in turns if keys]


class Watch(QObject):
    """Takes down which panels get an event of this kind."""

    def __init__(self, panels, kind):
        super().__init__()
        self._kind = kind
        self.seen = []
        for panel in panels:
            panel.installEventFilter(self)

    def eventFilter(self, watched, event):
        if event.type() == self._kind:
            self.seen.append(watched.objectName())
        return False

    def taken(self):
        seen, self.seen = self.seen, []
        return seen


def arrangements():
    return [widget for widget in QApplication.allWidgets() if isinstance(widget, PerspectiveWindow)]


def in_sight(perspective_window):
    """Keys of the docks in front."""
    docks = perspective_window.docks()
    return {key for key, dock in docks.items() if dock.isVisible() and not dock.visibleRegion().isEmpty()}


def test_opening_makes_one_panel_a_turn(window, qapp, sample_benchmark):
    turns = panels_of_each_turn(window, qapp, lambda: window.open_path(sample_benchmark))
    assert len(turns) >= 4
    assert all(len(keys) == 1 for keys in turns)
    assert in_sight(window.workspace.perspective_window) <= set(window.workspace.panels())


def test_so_does_each_perspective_the_first_time(window, qapp, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    for perspective in PERSPECTIVES[1:]:
        show = window.workspace.show_perspective
        turns = panels_of_each_turn(window, qapp, lambda show=show, key=perspective.key: show(key))
        assert turns
        assert all(len(keys) == 1 for keys in turns), perspective.key
        for key in in_sight(window.workspace.perspective_window):
            assert window.workspace.dock(key).widget() is window.workspace.panel(key)


def test_so_do_tabs_and_layouts(window, qapp, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    layouts = window.workspace.layout_states()
    for row in PANELS:
        if row.area != "centre":
            turns = panels_of_each_turn(window, qapp, lambda key=row.key: window.workspace.show_panel(key))
            assert all(keys == (row.key,) for keys in turns)
            assert window.workspace.dock(row.key).widget() is window.workspace.panel(row.key)
    assert not panels_of_each_turn(window, qapp, lambda: window.workspace.apply_layouts(layouts))
    for key in in_sight(window.workspace.perspective_window):
        assert window.workspace.dock(key).widget() is window.workspace.panel(key)


def test_who_hurries_on_finds_all_panels(window, qapp, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    for key in ("compare", "campaign", "query", "compare", "query", "campaign", "query"):
        window.workspace.show_perspective(key)
        qapp.processEvents()
    qtbot.waitUntil(lambda: window.workspace.perspective_window.is_complete)
    perspective_window = window.workspace.perspective_window
    assert perspective_window.updatesEnabled()
    assert in_sight(perspective_window) >= {"queries", "precision_recall", "gain", "leaderboard"}
    for key in in_sight(perspective_window):
        assert perspective_window.dock(key).widget() is window.workspace.panel(key)


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_a_project_moves_one_panel_a_turn_out_of_the_former_docks(window, qapp, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    space = window.workspace
    layouts = {"query": b"", "compare": b""}
    for perspective in (*PERSPECTIVES[1:], PERSPECTIVES[0]):
        space.show_perspective(perspective.key)
        qtbot.waitUntil(lambda: space.perspective_window.is_complete)
    for row in PANELS:
        if row.area != "centre":
            space.show_panel(row.key)
            qtbot.waitUntil(lambda: space.perspective_window.is_complete)
    space.dock("gain").setFloating(True)
    watch = Watch(space.panels().values(), QEvent.Type.ParentChange)
    space.apply_layouts(layouts)
    turns = [watch.taken()]
    end = monotonic() + 20
    while len(arrangements()) > 1 and monotonic() < end:
        qapp.processEvents()
        turns.append(watch.taken())
    assert len(arrangements()) == 1
    assert all(len(set(keys)) <= 1 for keys in turns), turns
    assert len({key for keys in turns for key in keys}) == len(space.panels()), "none stays in what is deleted"
    for key in in_sight(space.perspective_window):
        assert space.dock(key).widget() is space.panel(key)


def test_a_project_makes_docks_of_the_perspective_alone_that_it_shows(window, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    space = window.workspace
    former = space.perspective_window
    space.apply_layouts({"compare": b""}, "compare")
    assert [one.perspective.key for one in arrangements() if one is not former] == ["compare"]
    former = [former, space.perspective_window]
    space.apply_layouts({"query": b""}, "no such perspective")
    assert [one.perspective.key for one in arrangements() if one not in former] == ["compare"]


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_who_goes_on_while_former_docks_are_cleared_away_finds_all_panels(window, qapp, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    space = window.workspace
    for round_ in range(3):
        for row in PANELS:
            if row.area != "centre":
                space.show_panel(row.key)
        qapp.processEvents()
        space.apply_layouts({})
        for _ in range(2 * round_):
            qapp.processEvents()
        space.apply_layouts({"query": b"nothing"})
        space.show_perspective("compare")
        qapp.processEvents()
        space.show_perspective("query")
    qtbot.waitUntil(lambda: len(arrangements()) == 2)
    for perspective in ("compare", "query"):
        space.show_perspective(perspective)
        qtbot.waitUntil(lambda: space.perspective_window.is_complete)
        assert len(in_sight(space.perspective_window)) >= 3
        for key in in_sight(space.perspective_window):
            assert space.dock(key).widget() is space.panel(key)
    assert all(space.isAncestorOf(panel) for panel in space.panels().values())


@pytest.mark.qt_log_ignore("This plugin does not support raise", extend=True)
def test_resetting_the_layout_gives_no_panel_another_size_after_every_step(window, qapp, qtbot, sample_benchmark):
    open_in_window(window, sample_benchmark, qtbot)
    space = window.workspace
    for row in PANELS:
        if row.area != "centre":
            space.show_panel(row.key)
            qtbot.waitUntil(lambda: space.perspective_window.is_complete)
    for key in ("queries", "gain"):
        space.dock(key).close()
    places = {key: space.dock(key).geometry() for key in in_sight(space.perspective_window)}
    watch = Watch(space.panels().values(), QEvent.Type.Resize)
    space.arrange()
    resized = watch.taken()
    assert len(resized) <= len(set(resized)) + 2, resized
    qtbot.waitUntil(lambda: space.perspective_window.is_complete)
    assert {"queries", "gain"} <= in_sight(space.perspective_window)
    assert {key: space.dock(key).geometry() for key in in_sight(space.perspective_window)} != places
