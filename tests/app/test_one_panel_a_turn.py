"""The window never makes two panels in one turn of the event loop, and shows none before all in sight are there."""

from time import monotonic

import pytest
from menagerie import write_menagerie
from windows import a_window, open_in_window

from shrec_viewer.panels import PANELS, PERSPECTIVES


@pytest.fixture
def menagerie(tmp_path):
    return write_menagerie(tmp_path / "menagerie")


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
            assert window.workspace.arrangement.updatesEnabled() == window.workspace.arrangement.is_complete
            if window.workspace.arrangement.is_complete:
                break
    assert window.workspace.arrangement.is_complete
    return [keys for keys in turns if keys]


def in_sight(arrangement):
    """Keys of the docks in front."""
    docks = arrangement.docks()
    return {key for key, dock in docks.items() if dock.isVisible() and not dock.visibleRegion().isEmpty()}


def test_opening_makes_one_panel_a_turn(window, qapp, menagerie):
    turns = panels_of_each_turn(window, qapp, lambda: window.open_path(menagerie))
    assert len(turns) >= 4
    assert all(len(keys) == 1 for keys in turns)
    assert in_sight(window.workspace.arrangement) <= set(window.workspace.panels())


def test_so_does_each_perspective_the_first_time(window, qapp, qtbot, menagerie):
    open_in_window(window, menagerie, qtbot)
    for perspective in PERSPECTIVES[1:]:
        show = window.workspace.show_perspective
        turns = panels_of_each_turn(window, qapp, lambda show=show, key=perspective.key: show(key))
        assert turns
        assert all(len(keys) == 1 for keys in turns), perspective.key
        for key in in_sight(window.workspace.arrangement):
            assert window.workspace.dock(key).widget() is window.workspace.panel(key)


def test_so_do_tabs_and_layouts(window, qapp, qtbot, menagerie):
    open_in_window(window, menagerie, qtbot)
    layouts = window.workspace.layout_states()
    for row in PANELS:
        if row.area != "centre":
            turns = panels_of_each_turn(window, qapp, lambda key=row.key: window.workspace.show_panel(key))
            assert all(keys == (row.key,) for keys in turns)
            assert window.workspace.dock(row.key).widget() is window.workspace.panel(row.key)
    assert not panels_of_each_turn(window, qapp, lambda: window.workspace.take_layouts(layouts))
    for key in in_sight(window.workspace.arrangement):
        assert window.workspace.dock(key).widget() is window.workspace.panel(key)


def test_who_hurries_on_finds_all_panels(window, qapp, qtbot, menagerie):
    open_in_window(window, menagerie, qtbot)
    for key in ("compare", "campaign", "query", "compare", "query", "campaign", "query"):
        window.workspace.show_perspective(key)
        qapp.processEvents()
    qtbot.waitUntil(lambda: window.workspace.arrangement.is_complete)
    arrangement = window.workspace.arrangement
    assert arrangement.updatesEnabled()
    assert in_sight(arrangement) >= {"queries", "precision_recall", "gain", "leaderboard"}
    for key in in_sight(arrangement):
        assert arrangement.dock(key).widget() is window.workspace.panel(key)
