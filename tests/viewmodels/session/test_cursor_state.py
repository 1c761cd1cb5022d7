"""The rank cursor follows the mouse, else the selection."""

import pytest

from shrec_viewer.viewmodels.session.selection import CalculationTarget, CursorState


@pytest.fixture
def told(qapp):
    cursor_state = CursorState()
    cursor_state.told = []
    cursor_state.cursor_changed.connect(cursor_state.told.append)
    return cursor_state


def test_hovered_rank_precedes_the_selected_rank(told):
    told.set_selected_rank(4)
    told.hover(7)
    told.hover(7)
    told.hover(None)
    assert told.told == [4, 7, 4]
    told.hover(9)
    told.set_selected_rank(5)
    assert told.cursor == 5
    assert told.told == [4, 7, 4, 9, 5]
    told.set_selected_rank(5)
    assert told.told == [4, 7, 4, 9, 5]


def test_marks_are_ascending_and_emitted_once(told, qtbot):
    with qtbot.waitSignal(told.marks_changed):
        told.mark([5, 1, 5])
    assert told.marks == (1, 5)
    with qtbot.assertNotEmitted(told.marks_changed):
        told.mark((1, 5))


def test_clear_resets_cursor_and_marks(told, qtbot):
    told.set_selected_rank(3)
    told.mark([2])
    told.show_calculation(CalculationTarget("AP", 0, 1))
    with qtbot.waitSignals([told.cursor_changed, told.marks_changed, told.calculation_target_changed]):
        told.clear()
    assert (told.cursor, told.marks, told.calculation_target) == (None, (), None)
