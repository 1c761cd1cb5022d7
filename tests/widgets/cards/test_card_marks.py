"""Cards show the rank cursor, ties and marked ranks, tell what is under the mouse, and can be selected together."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtWidgets import QApplication
from widget_models import CARD_ROLES, RowsModel, cards

from shrec_viewer.widgets.cards.card_grid import CardGrid
from shrec_viewer.widgets.style.theme import LIGHT, apply_contrast

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def grid(qtbot):
    view = CardGrid()
    qtbot.addWidget(view)
    view.model_kept = cards(300)
    view.setModel(view.model_kept)
    view.resize(700, 500)
    view.show()
    qtbot.waitExposed(view)
    view.hovered, view.picked = [], []
    view.rank_hovered.connect(view.hovered.append)
    view.rank_selected.connect(view.picked.append)
    return view


def middle(grid, row):
    return grid.visualRect(grid.model().index(row, 0)).center()


def shades(grid, row):
    """Colours on and around one card: its cell with the gap below it."""
    image = grid.grab().toImage()
    cell = grid.visualRect(grid.model().index(row, 0)).translated(grid.viewport().pos()).adjusted(0, 0, 0, 5)
    return [image.pixelColor(x, y).name().upper() for x in range(cell.left(), cell.right() + 1)
            for y in range(cell.top(), cell.bottom() + 1)]  # fmt: skip


def test_mouse_emits_hovered_ranks_and_none_on_leave(grid, qtbot):
    qtbot.mouseMove(grid.viewport(), middle(grid, 1))
    qtbot.mouseMove(grid.viewport(), middle(grid, 1) + QPoint(3, 0))
    qtbot.mouseMove(grid.viewport(), middle(grid, 4))
    qtbot.mouseMove(grid.viewport(), QPoint(1, 1))
    assert grid.hovered == [2, 5, None]
    assert grid.picked == []


def test_wheel_changes_the_hovered_card(grid, qtbot):
    point = middle(grid, 1)
    qtbot.mouseMove(grid.viewport(), point)
    where = QPointF(point)
    turn = QWheelEvent(where, QPointF(grid.viewport().mapToGlobal(point)), QPoint(), QPoint(0, -600), Qt.MouseButton(0),
                       Qt.KeyboardModifier(0), Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(grid.viewport(), turn)
    assert grid.verticalScrollBar().value() > 0
    assert grid.hovered == [2, grid.indexAt(point).row() + 1]


def test_new_list_has_no_hovered_card(grid, qtbot):
    qtbot.mouseMove(grid.viewport(), middle(grid, 6))
    grid.model().replace(cards(10).rows)
    assert grid.hovered == [7, None]


def test_cursor_is_an_outline_that_neither_scrolls_nor_selects(grid):
    outline = QColor(LIGHT.line_strong).name().upper()
    before = shades(grid, 2).count(outline)
    grid.set_cursor_rank(3)
    assert shades(grid, 2).count(outline) > before + 100
    assert not grid.currentIndex().isValid()
    grid.set_cursor_rank(290)
    assert grid.verticalScrollBar().value() == 0
    assert shades(grid, 2).count(outline) == before
    grid.set_cursor_rank(None)
    assert (grid.hovered, grid.picked) == ([], [])


def test_current_card_has_no_cursor_outline(grid):
    grid.set_current_rank(3)
    before = shades(grid, 2)
    grid.set_cursor_rank(3)
    assert shades(grid, 2) == before


def test_marked_ranks_have_a_mark(grid):
    accent = QColor(LIGHT.accent).name().upper()
    grid.set_marked_ranks([1, 3])
    assert [accent in shades(grid, row) for row in range(4)] == [True, False, True, False]
    grid.set_marked_ranks([])
    assert accent not in shades(grid, 0)


def test_tied_ranks_have_a_bracket(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    tied = {"tie_first": 2, "tie_last": 3}
    model = RowsModel((*CARD_ROLES, "tie_first", "tie_last"), cards(5, at={1: tied, 2: tied}).rows)
    grid.setModel(model)
    grid.resize(900, 260)
    grid.show()
    image, cells = grid.grab().toImage(), [grid.visualRect(model.index(row, 0)) for row in range(5)]
    offset, y = grid.viewport().pos(), cells[0].bottom() + 3
    line = QColor(LIGHT.line_strong).name().upper()
    painted = [image.pixelColor(QPoint(cell.center().x(), y) + offset).name().upper() == line for cell in cells]
    assert painted == [False, True, True, False, False]
    assert image.pixelColor(QPoint(cells[1].right() + 3, y) + offset).name().upper() == line


def test_ctrl_click_selects_several_and_the_last_is_current(grid, qtbot):
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 1))
    qtbot.mouseClick(grid.viewport(), LEFT, CTRL, middle(grid, 5))
    assert grid.selected_rows() == [1, 5]
    qtbot.mouseClick(grid.viewport(), LEFT, SHIFT, middle(grid, 8))
    assert grid.selected_rows() == [1, 5, 6, 7, 8]
    assert grid.picked == [2, 6, 9]
    assert grid.currentIndex().row() == 8
    grid.set_current_rank(9)  # as the session answers
    assert grid.selected_rows() == [1, 5, 6, 7, 8]
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 0))
    assert grid.selected_rows() == [0]


def test_shift_click_selects_a_range_in_either_direction(grid, qtbot):
    columns = grid.columns()
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, columns + 1))
    qtbot.mouseClick(grid.viewport(), LEFT, SHIFT, middle(grid, columns - 1))
    assert grid.selected_rows() == [columns - 1, columns, columns + 1]
    qtbot.keyClick(grid, Qt.Key.Key_Right, SHIFT)
    assert grid.selected_rows() == [columns, columns + 1]


def test_other_selected_cards_have_no_outline(grid, qtbot):
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 1))
    qtbot.mouseClick(grid.viewport(), LEFT, CTRL, middle(grid, 2))
    background, accent = QColor(LIGHT.selection).name().upper(), QColor(LIGHT.accent).name().upper()
    assert [background in shades(grid, row) for row in range(4)] == [False, True, True, False]
    assert [accent in shades(grid, row) for row in range(4)] == [False, False, True, False]


def test_a_selected_card_has_a_ring_with_the_focus_and_in_high_contrast(grid, qapp):
    background, accent = QColor(LIGHT.selection).name().upper(), QColor(LIGHT.accent).name().upper()
    grid.activateWindow()
    grid.set_current_rank(3)
    seen = []
    for change in (grid.setFocus, grid.clearFocus, lambda: apply_contrast(qapp, True)):
        change()
        found = shades(grid, 2)
        seen.append((background in found, accent in found))
    apply_contrast(qapp, False)
    assert seen == [(True, True), (True, False), (True, True)]


def test_select_all_of_51000(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    grid.model_kept = cards(51_000)
    grid.setModel(grid.model_kept)
    grid.resize(900, 700)
    grid.show()
    grid.set_current_rank(3)
    qtbot.keyClick(grid, Qt.Key.Key_A, CTRL)
    grid.grab()
    assert len(grid.selected_rows()) == 51_000
    assert grid.currentIndex().row() == 2


def test_right_click_keeps_a_selection_of_several(grid, qtbot):
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 1))
    qtbot.mouseClick(grid.viewport(), LEFT, CTRL, middle(grid, 2))
    qtbot.mouseClick(grid.viewport(), RIGHT, pos=middle(grid, 1))
    assert grid.selected_rows() == [1, 2]
    assert grid.picked[-1] == 2


def test_rank_is_centred_without_becoming_current(grid):
    grid.show_rank(200)
    assert (
        abs(middle(grid, 199).y() - grid.viewport().height() // 2) <= grid.visualRect(grid.model().index(0, 0)).height()
    )
    assert not grid.currentIndex().isValid()
    grid.show_rank(301)


def test_no_selection_without_model(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    assert grid.selected_rows() == []
    grid.set_cursor_rank(3)
    grid.set_marked_ranks([1])
    grid.show_rank(2)
    assert not grid.grab().isNull()
