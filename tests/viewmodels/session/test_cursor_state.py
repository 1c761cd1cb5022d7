"""The rank cursor follows the mouse, else the selection."""

import pytest

from shrec_viewer.viewmodels.session.selection import CalculationTarget, CursorState


@pytest.fixture
def state(qapp):
    cursor_state = CursorState()
    cursor_state.received = []
    cursor_state.cursor_changed.connect(cursor_state.received.append)
    return cursor_state


def test_hovered_rank_precedes_selected_rank(state):
    state.set_selected_rank(4)
    state.hover(7)
    state.hover(7)
    state.hover(None)
    assert state.received == [4, 7, 4]
    state.hover(9)
    state.set_selected_rank(5)
    assert state.cursor == 5
    assert state.received == [4, 7, 4, 9, 5]
    state.set_selected_rank(5)
    assert state.received == [4, 7, 4, 9, 5]


def test_marks_are_ascending_and_emitted_once(state, qtbot):
    with qtbot.waitSignal(state.marks_changed):
        state.mark([5, 1, 5])
    assert state.marks == (1, 5)
    with qtbot.assertNotEmitted(state.marks_changed):
        state.mark((1, 5))


def test_clear_resets_cursor_and_marks(state, qtbot):
    state.set_selected_rank(3)
    state.mark([2])
    state.show_calculation(CalculationTarget("AP", 0, 1))
    with qtbot.waitSignals([state.cursor_changed, state.marks_changed, state.calculation_target_changed]):
        state.clear()
    assert (state.cursor, state.marks, state.calculation_target) == (None, (), None)
