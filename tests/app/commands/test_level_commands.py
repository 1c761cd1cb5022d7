"""Keys and menu that change relevance levels, with real key events in the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from sessions import settle
from shared_windows import a_shared_window

from shrec_viewer.evaluation.edits import level_of
from shrec_viewer.panels.context_menus import LevelActions
from shrec_viewer.resources import resource


@pytest.fixture(scope="module")
def shared(qapp, module_qtbot):
    yield from a_shared_window(qapp, module_qtbot, resource("demo"))


@pytest.fixture
def window(shared, qtbot):
    return shared.reset(qtbot)


def test_keys_0_1_2_change_the_level_of_the_selected_model(window, qtbot):
    session, results = window.session, window.workspace.ranked_list
    session.select(rank=3)
    settle(session, qtbot)
    results.grid.setFocus()
    query, model = session.selection.query, int(session.ranked_list.items[2])
    original = level_of(session.benchmark, query, model)
    for key, level in ((Qt.Key.Key_2, 2), (Qt.Key.Key_1, 1), (Qt.Key.Key_0, 0)):
        qtbot.keyClick(results.grid, key)
        settle(session, qtbot)
        assert level_of(session.benchmark, query, model) == level
    window.menus.actions["restore_levels"].trigger()
    settle(session, qtbot)
    assert level_of(session.benchmark, query, model) == original
    assert session.edits.levels == ()


def test_the_context_menu_has_the_levels(window, qtbot):
    session, results = window.session, window.workspace.ranked_list
    session.select(rank=1)
    settle(session, qtbot)
    menu = results.cards.menu()
    (levels,) = menu.findChildren(LevelActions)
    submenu = levels.submenu
    query, model = session.selection.query, int(session.ranked_list.items[0])
    current = level_of(session.benchmark, query, model)
    assert [action.isChecked() for action in submenu.actions()].index(True) == current
    next(action for action in submenu.actions() if action.data() != current).trigger()
    settle(session, qtbot)
    assert level_of(session.benchmark, query, model) != current
    menu.close()
    session.edits.stack.undo()
    settle(session, qtbot)


def test_scores_after_a_key_update_only_the_tool_bar(window, qtbot, monkeypatch):
    """All commands are updated with the undo stack and after the command, 1 ms each."""
    session, results = window.session, window.workspace.ranked_list
    session.select(rank=3)
    settle(session, qtbot)
    results.grid.setFocus()
    session.edits.set_note(session.benchmark.queries.ids[0], "makes the stack unclean")
    settle(session, qtbot)
    updates, update = [], window.menus.update_state
    monkeypatch.setattr(window.menus, "update_state", lambda *args: (updates.append(len(args)), update(*args)))
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: window))
    qtbot.keyClick(results.grid, Qt.Key.Key_2 if session.ranked_list.levels[2] != 2 else Qt.Key.Key_1)
    settle(session, qtbot)
    assert session.edits.levels
    assert updates.count(1) <= 2
    assert window.menus.actions["undo"].isEnabled()
    assert updates.count(2), "the tool bar shows the new state at once"
    session.edits.stack.setIndex(0)
    settle(session, qtbot)
