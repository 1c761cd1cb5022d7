"""What moves by itself over the grid: pictures that come, and the larger one under the mouse."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QPixmap, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip
from widget_models import cards

from shrec_viewer.widgets.cards import card_grid, card_hover
from shrec_viewer.widgets.cards.card_grid import CardGrid, CardSizeWheel
from shrec_viewer.widgets.cards.card_hover import HOVER_EDGE, CardDrag, CardHover
from shrec_viewer.widgets.style.theme import SPACE, animations_on, apply_animations

LEFT = Qt.MouseButton.LeftButton
ROWS = 300

WITH = (2, 4)
"""Rows whose card has a picture."""


def a_picture():
    picture = QPixmap(128, 128)
    picture.fill(Qt.GlobalColor.red)
    return picture


@pytest.fixture(autouse=True)
def moving(qapp):
    apply_animations(qapp, True)
    yield
    apply_animations(qapp, True)


@pytest.fixture
def grid(qtbot, monkeypatch):
    monkeypatch.setattr(card_hover, "HOVER_DELAY_MS", 60)
    view = CardGrid()
    qtbot.addWidget(view)
    view.model_kept = cards(ROWS, at={row: {"thumbnail": a_picture()} for row in WITH})
    view.setModel(view.model_kept)
    view.resize(900, 600)
    view.show()
    qtbot.waitExposed(view)
    view.hover = CardHover(view)
    view.expected, view.ended = [], []
    view.hover.image_requested.connect(view.expected.append)
    view.hover.ended.connect(lambda: view.ended.append(True))
    return view


def middle(grid, row):
    return grid.visualRect(grid.model().index(row, 0)).center()


def rest_on(grid, qtbot, row):
    qtbot.mouseMove(grid.viewport(), middle(grid, row) + QPoint(5, 5))  # a mouse that is there already tells nothing
    qtbot.mouseMove(grid.viewport(), middle(grid, row))
    qtbot.waitUntil(lambda: grid.hover.row == row)


def test_preview_opens_after_a_delay_and_closes_on_leave(grid, qtbot):
    row = WITH[0]
    rest_on(grid, qtbot, row)
    assert grid.expected == [row]
    assert not grid.hover.card.thumbnail.isNull(), "the picture of the card until a better one comes"
    assert grid.hover.card.parent() is grid.window()
    better = QImage(300, 300, QImage.Format.Format_ARGB32_Premultiplied)
    better.fill(0xFF00FF00)
    grid.hover.show_image(better)
    assert grid.hover.card.thumbnail.toImage().pixelColor(5, 5).green() == 255
    qtbot.mouseMove(grid.viewport(), QPoint(1, 1))
    assert grid.hover.row == -1
    assert grid.ended == [True]


def test_preview_is_sharp(grid, qtbot):
    """The picture of the card, of 128 pixels, is not scaled up; the better one fills the preview pixel by pixel."""
    rest_on(grid, qtbot, WITH[0])
    card = grid.hover.card

    def width_of(colour):
        image = card.grab().toImage()
        y = round(image.devicePixelRatio() * (2 * SPACE + HOVER_EDGE / 2))
        return sum(image.pixelColor(x, y) == QColor(colour) for x in range(image.width()))

    assert width_of("red") == 128
    better = QImage(round(HOVER_EDGE * card.devicePixelRatioF()), 10, QImage.Format.Format_ARGB32_Premultiplied)
    better.fill(QColor("lime"))
    grid.hover.show_image(better)
    assert width_of("lime") == better.width()


def test_preview_is_beside_the_card_and_ignores_clicks(grid, qtbot):
    row = WITH[0]
    rest_on(grid, qtbot, row)
    cell = grid.visualRect(grid.model().index(row, 0))
    placed = grid.hover.card.geometry()
    placed.moveTopLeft(grid.viewport().mapFrom(grid.window(), placed.topLeft()))
    assert not placed.intersects(cell)
    assert grid.hover.card.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    selected_items = []
    grid.rank_selected.connect(selected_items.append)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, row))
    assert selected_items == [row + 1]
    assert grid.hover.row == -1, "a click ends it"


def test_escape_closes_only_the_preview(grid, qtbot):
    rest_on(grid, qtbot, WITH[0])
    grid.set_current_rank(5)
    qtbot.keyClick(grid, Qt.Key.Key_Escape)
    assert grid.hover.row == -1
    assert grid.currentIndex().row() == 4
    qtbot.wait(120)
    assert grid.hover.row == -1, "it does not come again by itself"


def test_wheel_closes_the_preview(grid, qtbot):
    row = WITH[0]
    rest_on(grid, qtbot, row)
    at = QPointF(middle(grid, row))
    event = QWheelEvent(
        at, grid.viewport().mapToGlobal(at), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(grid.viewport(), event)
    assert grid.hover.row == -1


def test_moving_over_cards_opens_no_preview(grid, qtbot, monkeypatch):
    grid.hover._timer.setInterval(150)
    for row in (1, 2, 3, 6):
        qtbot.mouseMove(grid.viewport(), middle(grid, row))
        qtbot.wait(30)
    assert grid.expected == []


def test_no_preview_without_animations(grid, qtbot, qapp):
    apply_animations(qapp, False)
    assert not animations_on()
    qtbot.mouseMove(grid.viewport(), middle(grid, WITH[0]))
    qtbot.wait(150)
    assert grid.expected == []


def ask_tip(grid, row):
    """The text of the tooltip that Qt shows where the mouse has rested for 700 ms; "" for none."""
    point = middle(grid, row)
    QApplication.sendEvent(grid.viewport(), QHelpEvent(QEvent.Type.ToolTip, point, grid.viewport().mapToGlobal(point)))
    return QToolTip.text() if QToolTip.isVisible() else ""


@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)
def test_text_is_in_the_preview_or_in_the_tooltip(grid, qtbot):
    row, bare = WITH[0], 3
    sentence = "a card in words, " * 8  # so long that it is wrapped
    for place in (row, bare):
        grid.model_kept.rows[place]["tip"] = sentence
    rest_on(grid, qtbot, row)
    assert grid.hover.card.accessibleName() == sentence
    assert ask_tip(grid, row) == ""
    qtbot.mouseMove(grid.viewport(), middle(grid, WITH[1]))
    assert grid.hover._timer.isActive()
    assert ask_tip(grid, WITH[1]) == "", "a picture is due"
    qtbot.mouseMove(grid.viewport(), middle(grid, bare))
    qtbot.waitUntil(lambda: not grid.hover._timer.isActive())
    assert "card in words" in ask_tip(grid, bare), "no picture, so the tip says it"
    QToolTip.hideText()
    qtbot.waitUntil(lambda: not QToolTip.isVisible())


def test_preview_leaves_no_widget(grid, qtbot):
    rest_on(grid, qtbot, WITH[0])


# Pictures that come.


def test_late_thumbnail_fades_in(grid, qtbot):
    fade = grid._fade
    assert fade.opacity(2) == 1.0, "what was never blank is there at once"
    fade.add_missing(2)
    first = fade.opacity(2)
    assert first < 0.5
    qtbot.waitUntil(lambda: fade.opacity(2) == 1.0)
    qtbot.waitUntil(lambda: not fade._timer.isActive())


def test_no_fading_while_scrolling_or_without_animations(grid, qapp):
    fade = grid._fade
    fade.add_missing(3)
    grid.verticalScrollBar().setValue(40)
    assert fade.opacity(3) == 1.0
    fade._scrolled = 0.0
    apply_animations(qapp, False)
    fade.add_missing(4)
    assert fade.opacity(4) == 1.0
    assert not fade._timer.isActive()


def test_new_list_resets_fading(grid):
    grid._fade.add_missing(2)
    grid.model_kept.beginResetModel()
    grid.model_kept.endResetModel()
    assert grid._fade.opacity(2) == 1.0


def test_fading_repaints_only_the_card_in_few_steps(grid, qtbot, monkeypatch):
    painted = []
    real = grid.visualRect

    def counted(index):
        painted.append(index.row())
        return real(index)

    grid._fade.add_missing(4)
    grid._fade.opacity(4)
    monkeypatch.setattr(grid, "visualRect", counted)
    qtbot.waitUntil(lambda: not grid._fade._timer.isActive())
    assert set(painted) == {4}
    assert len(painted) <= card_grid.FADE_S * 1000 / card_grid.FADE_STEP_MS + 2


# Sizes.


def turn_wheel(grid, steps):
    """Ctrl+wheel over the grid."""
    at = QPointF(200, 200)
    for _ in range(abs(steps)):
        event = QWheelEvent(
            at, grid.viewport().mapToGlobal(at), QPoint(), QPoint(0, 120 if steps > 0 else -120),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(grid.viewport(), event)


@pytest.fixture
def wheel(grid):
    made = CardSizeWheel(grid)
    made.watch(grid.viewport())
    made.size_selected.connect(grid.set_card_size)
    return made


def test_wheel_emits_names_of_standard_sizes_else_pixels(wheel, grid, qtbot):
    emitted = []
    wheel.size_selected.connect(emitted.append)
    with qtbot.waitSignal(wheel.settled) as settled:
        turn_wheel(grid, 3)
    assert emitted == ["120", "128", "136"]
    assert settled.args == ["136"]
    turn_wheel(grid, 20)
    assert emitted[-1] == grid.card_size_name() == "L"
    turn_wheel(grid, -30)
    assert emitted[-1] == grid.card_size_name() == "S"


def test_setting_a_size_does_not_emit(wheel, qtbot):
    with qtbot.assertNotEmitted(wheel.size_selected):
        for size in ("150", "T", "L"):
            wheel.set_size(size)


def test_ctrl_wheel_resizes_and_keeps_the_first_card(wheel, grid):
    grid.verticalScrollBar().setValue(grid._pitch() * 10)
    top = grid.visible_rows()[0]
    turn_wheel(grid, 3)
    assert grid.card_size_name() == "136"
    first, last = grid.visible_rows()
    assert first <= top <= last


def test_invalid_size_is_ignored(grid):
    for wrong in ("XL", "", "-5", "1.5"):
        with pytest.raises(ValueError, match="one of S, M, L, T or pixels"):
            grid.set_card_size(wrong)


# Dragging.


def test_drag_starts_after_the_drag_distance(grid, qtbot, monkeypatch):
    dragged = []
    monkeypatch.setattr(CardDrag, "_drag", lambda self, index: dragged.append(index.row()))
    grid.drag = CardDrag(grid)
    start = middle(grid, 2)
    qtbot.mousePress(grid.viewport(), LEFT, pos=start)
    qtbot.mouseMove(grid.viewport(), start + QPoint(2, 0))
    assert dragged == []
    qtbot.mouseMove(grid.viewport(), start + QPoint(40, 0))
    qtbot.mouseMove(grid.viewport(), start + QPoint(80, 0))
    qtbot.mouseRelease(grid.viewport(), LEFT, pos=start + QPoint(80, 0))
    assert dragged == [2]


def test_click_starts_no_drag(grid, qtbot, monkeypatch):
    dragged = []
    monkeypatch.setattr(CardDrag, "_drag", lambda self, index: dragged.append(index.row()))
    grid.drag = CardDrag(grid)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 2))
    qtbot.mouseMove(grid.viewport(), middle(grid, 5))
    assert dragged == []
