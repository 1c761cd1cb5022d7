"""The card grid shows a ranked list, moves in it by keys, and reports the selected card."""

import math

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPixmap
from widget_models import cards

from shrec_viewer.render.scene.palette import PRESETS
from shrec_viewer.widgets.cards.card_grid import CARD_SIZES, CardGrid
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_relevance_preset, text_font

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def grid(qtbot):
    view = CardGrid()
    qtbot.addWidget(view)
    view.model_kept = cards(300)
    view.setModel(view.model_kept)
    view.resize(700, 500)
    view.show()
    qtbot.waitExposed(view)
    return view


class Heard:
    """Collects what the signals of a grid say."""

    def __init__(self, grid):
        self.picked, self.activated, self.visible = [], [], []
        grid.rank_selected.connect(self.picked.append)
        grid.item_activated.connect(self.activated.append)
        grid.visible_rows_changed.connect(self.hear_visible)

    def hear_visible(self, first, last):
        self.visible.append((first, last))


def middle(grid, row):
    return grid.visualRect(grid.model().index(row, 0)).center()


def current_row(grid):
    return grid.currentIndex().row() if grid.currentIndex().isValid() else None


def test_click_selects_the_rank(grid, qtbot):
    received = Heard(grid)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 3))
    assert received.picked == [4]
    assert current_row(grid) == 3


def test_click_between_cards_is_ignored(grid, qtbot):
    grid.set_current_rank(2)
    received = Heard(grid)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=QPoint(1, 1))
    assert (received.picked, current_row(grid)) == ([], 1)


def test_dragging_over_cards_selects_only_the_first(grid, qtbot):
    received = Heard(grid)
    qtbot.mousePress(grid.viewport(), LEFT, pos=middle(grid, 0))
    qtbot.mouseMove(grid.viewport(), middle(grid, 2))
    qtbot.mouseRelease(grid.viewport(), LEFT, pos=middle(grid, 2))
    assert (received.picked, current_row(grid)) == ([1], 0)


def test_keys_move_the_current_card(grid, qtbot):
    received = Heard(grid)
    columns = grid.columns()
    grid.set_current_rank(1)
    grid.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home):
        qtbot.keyClick(grid, key)
    assert received.picked == [2, 2 + columns, 1 + columns, 1, 300, 1]


def test_step_beyond_the_edge_is_ignored(grid, qtbot):
    grid.set_current_rank(2)
    received = Heard(grid)
    qtbot.keyClick(grid, Qt.Key.Key_Up)
    assert (received.picked, current_row(grid)) == ([], 1)
    grid.set_current_rank(300)
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert (received.picked, current_row(grid)) == ([], 299)


def test_keys_scroll_to_the_current_card(grid, qtbot):
    grid.set_current_rank(1)
    qtbot.keyClick(grid, Qt.Key.Key_End)
    assert grid.viewport().rect().contains(middle(grid, 299))
    qtbot.keyClick(grid, Qt.Key.Key_PageUp)
    assert grid.viewport().rect().contains(middle(grid, current_row(grid)))


def test_enter_and_double_click_activate(grid, qtbot):
    received = Heard(grid)
    grid.set_current_rank(5)
    qtbot.keyClick(grid, Qt.Key.Key_Return)
    qtbot.mouseDClick(grid.viewport(), LEFT, pos=middle(grid, 6))
    assert received.activated == [5, 7]


def test_setters_do_not_emit(grid, qapp, use_theme):
    received = Heard(grid)
    grid.set_current_rank(200)
    grid.set_current_rank(None)
    grid.set_card_size("L")
    use_theme(DARK)
    grid.set_cutoffs([(5, "FT")])
    apply_relevance_preset(qapp, "strict")
    grid.model().replace(grid.model().rows[:10])
    assert received.picked == received.activated == []


def test_current_card_is_scrolled_into_view(grid):
    grid.set_current_rank(200)
    assert current_row(grid) == 199
    assert grid.viewport().rect().contains(grid.visualRect(grid.model().index(199, 0)))


@pytest.mark.parametrize("rank", [None, 0, 301, -1])
def test_missing_rank_has_no_card(grid, rank):
    grid.set_current_rank(3)
    grid.set_current_rank(rank)
    assert current_row(grid) is None
    assert not grid.selectionModel().hasSelection()


def test_rank_is_found_in_a_filtered_list(grid):
    rows = [row for row in grid.model().rows if row["rank"] % 3 == 0]
    grid.model().replace(rows)
    grid.set_current_rank(30)
    assert current_row(grid) == 9
    grid.set_current_rank(31)
    assert current_row(grid) is None


def test_cards_without_rank_emit_their_row(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    model = cards(5, at={row: {"rank": 0} for row in range(5)})
    grid.setModel(model)
    grid.resize(700, 300)
    grid.show()
    received, rows = Heard(grid), []
    grid.row_selected.connect(rows.append)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 2))
    assert (received.picked, rows) == ([], [2])


def test_focus_does_not_change_the_current_card(grid, qtbot):
    received = Heard(grid)
    grid.clearFocus()
    grid.setFocus(Qt.FocusReason.TabFocusReason)
    assert current_row(grid) is None
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert received.picked == [1]


def test_cells_fill_the_width_and_never_overlap(grid):
    for width in (180, 333, 700, 1111):
        grid.resize(width, 400)
        cells = [grid.visualRect(grid.model().index(row, 0)) for row in range(2 * grid.columns())]
        assert not any(a.intersects(b) for n, a in enumerate(cells) for b in cells[:n])
        if grid.columns() > 1:
            last = cells[grid.columns() - 1]
            assert abs(grid.viewport().width() - last.right() - cells[0].left()) <= 2


@pytest.mark.parametrize("width", [700, 701, 703, 950, 1009])
def test_index_at_a_point_is_the_painted_card(grid, width):
    grid.resize(width, 500)
    grid.verticalScrollBar().setValue(777)
    first, last = grid.visible_rows()
    for row in range(first, last + 1):
        cell = grid.visualRect(grid.model().index(row, 0))
        for point in (cell.topLeft(), cell.center(), cell.bottomRight()):
            assert grid.indexAt(point).row() == row
    assert not grid.indexAt(QPoint(-5, 10)).isValid()


def test_visible_rows_are_emitted_after_a_delay(grid, qtbot):
    received = Heard(grid)
    with qtbot.waitSignal(grid.visible_rows_changed):
        grid.verticalScrollBar().setValue(1500)
    first, last = received.visible[-1]
    seen = [row for row in range(300) if grid.visualRect(grid.model().index(row, 0)).intersects(grid.viewport().rect())]
    assert first <= seen[0] <= seen[-1] <= last
    assert len(received.visible) == 1
    assert last - first + 1 <= len(seen) + 2 * grid.columns()


def test_new_list_starts_at_the_top_and_emits_visible_rows(grid, qtbot):
    grid.verticalScrollBar().setValue(1500)
    qtbot.wait(60)
    with qtbot.waitSignal(grid.visible_rows_changed) as emitted:
        grid.model().replace(cards(300).rows)
    assert grid.verticalScrollBar().value() == 0
    assert emitted.args[0] == 0


def test_empty_list_emits_no_visible_rows(grid, qtbot):
    with qtbot.waitSignal(grid.visible_rows_changed) as emitted:
        grid.model().replace([])
    assert emitted.args == [0, -1]
    grid.grab()


def test_resizing_keeps_the_top_card(grid):
    grid.verticalScrollBar().setValue(2000)
    before = grid.visible_rows()[0]
    for width in (600, 900, 601, 901, 430, 700):
        grid.resize(width, 500)
        first = grid.visible_rows()[0]
        assert first <= before < first + grid.columns()
    grid.set_card_size("L")
    first = grid.visible_rows()[0]
    assert first <= before < first + grid.columns()


def test_resizing_keeps_the_current_card_visible(grid, qtbot):
    grid.set_current_rank(100)
    qtbot.waitSignal(grid.visible_rows_changed).wait()
    for width in (300, 900, 250):
        grid.resize(width, 500)
        assert grid.viewport().rect().contains(middle(grid, 99))
        qtbot.wait(60)


def test_card_sizes(grid):
    widths = []
    for size in ("T", "S", "M", "L"):
        grid.set_card_size(size)
        assert grid.card_size_name() == size
        widths.append(grid.visualRect(grid.model().index(0, 0)).height())
    assert widths == sorted(set(widths))
    with pytest.raises(ValueError, match="not 'XL'"):
        grid.set_card_size("XL")


def test_only_visible_cards_of_51000_are_read(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    model = cards(51_000)
    grid.setModel(model)
    grid.resize(1000, 800)
    grid.show()
    grid.grab()
    grid.set_current_rank(40_000)
    grid.grab()
    assert grid.viewport().rect().contains(middle(grid, 39_999))
    grid.resize(800, 800)
    grid.grab()
    assert model.n_requests < 20_000, "only visible cards are requested"


def colour_at(grid, point):
    image = grid.grab().toImage()
    offset = grid.viewport().mapTo(grid, point) * image.devicePixelRatio()
    return image.pixelColor(offset)


def test_thumbnail_or_reason_is_painted(qtbot):
    red = QPixmap(64, 64)
    red.fill(QColor("#FF0000"))
    grid = CardGrid()
    qtbot.addWidget(grid)
    model = cards(3, at={0: {"thumbnail": red}, 1: {"problem": "the mesh has no faces"}})
    grid.setModel(model)
    grid.resize(700, 300)
    grid.show()
    points = [grid.visualRect(model.index(row, 0)).topLeft() + QPoint(70, 70) for row in range(3)]
    assert colour_at(grid, points[0]).name() == "#ff0000"
    assert colour_at(grid, points[2]).name().upper() == LIGHT.picture
    image = grid.grab().toImage()
    cell = grid.visualRect(model.index(1, 0)).translated(grid.viewport().pos())
    shades = {image.pixelColor(x, y).name() for x in range(cell.left(), cell.right()) for y in (50, 80, 110)}
    assert LIGHT.hatch.lower() in shades


def test_text_cards_have_no_space_for_a_thumbnail(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    grid.model_kept = cards(300, at={row: {"level": row % 3, "problem": "no file"} for row in range(300)})
    grid.setModel(grid.model_kept)
    grid.resize(1000, 700)
    grid.show()
    grid.set_card_size("S")
    before = grid.visible_rows()[1]
    grid.set_card_size("T")
    assert grid.visible_rows()[1] > 1.9 * before
    image = grid.grab().toImage()
    for row in range(3):
        cell = grid.visualRect(grid.model_kept.index(row, 0)).translated(grid.viewport().pos())
        box = image.copy(cell)
        shades = {box.pixelColor(x, y).name().upper() for x in range(box.width()) for y in range(box.height())}
        assert PRESETS["ordinal"]["light"][row].frame in shades
        assert LIGHT.picture not in shades
        assert LIGHT.hatch not in shades


def test_theme_change_repaints(grid, use_theme):
    background = grid.visualRect(grid.model().index(0, 0)).topLeft() + QPoint(70, 70)
    assert colour_at(grid, background).name().upper() == LIGHT.picture
    use_theme(DARK)
    assert colour_at(grid, background).name().upper() == DARK.picture


def test_painting_every_kind_of_card_in_every_size(qtbot):
    picture = QPixmap(300, 100)
    picture.fill(QColor("#00FF00"))
    at = {
        0: {"level": 2, "thumbnail": picture, "tied": True},
        1: {"level": 1, "distance": math.nan},
        2: {"level": -1, "problem": "x" * 400},
        3: {"level": 3, "item_id": "a very long id that cannot fit into a card at all", "class_name": "b" * 80},
        4: {"query": True, "rank": 0},
        5: {"distance": -1e-9},
        6: {"thumbnail": QPixmap()},
    }
    grid = CardGrid()
    qtbot.addWidget(grid)
    model = cards(8, at=at)
    grid.setModel(model)
    grid.set_cutoffs([(2, "FT"), (4, "ST")])
    grid.set_current_rank(2)
    for size in ("S", "M", "L", "T"):
        grid.set_card_size(size)
        grid.resize(500, 400)
        assert not grid.grab().isNull()


def test_view_without_model(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    grid.show()
    grid.set_current_rank(1)
    grid.set_card_size("S")
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=QPoint(20, 20))
    assert grid.visible_rows() == (0, -1)


@pytest.mark.parametrize(("height", "points"), [(500, 9.0), (180, 9.0), (150, 15.75)])
def test_a_line_of_cards_is_completely_visible(grid, height, points):
    font = grid.font()
    font.setPointSizeF(points)
    grid.setFont(font)
    grid.resize(700, height)
    assert grid.shows_row(0)
    thumbnail = grid.itemDelegate()._thumbnail_box(QRectF(grid.visualRect(grid.model().index(0, 0))))
    assert thumbnail.width() >= 48
    assert (thumbnail.width() == CARD_SIZES["M"]) == (height == 500), "the chosen size where there is space for it"
    metrics = QFontMetricsF(text_font(grid.font()))
    assert grid.visualRect(grid.model().index(0, 0)).width() >= metrics.horizontalAdvance("chair 12.345")


@pytest.mark.parametrize(("height", "points"), [(80, 9.0), (64, 9.0), (100, 15.75)])
def test_in_a_low_view_the_text_is_at_the_right_of_the_thumbnail(grid, height, points):
    """Nothing is drawn below the view, and the text is painted where no thumbnail is."""
    font = grid.font()
    font.setPointSizeF(points)
    grid.setFont(font)
    grid.resize(700, height)
    assert grid.shows_row(0)
    card = grid.visualRect(grid.model().index(0, 0))
    thumbnail = grid.itemDelegate()._thumbnail_box(QRectF(card)).toRect()
    assert thumbnail.width() >= 24
    text = card.adjusted(thumbnail.right() - card.left() + 12, 0, 0, 0)
    assert text.width() >= QFontMetricsF(text_font(grid.font())).horizontalAdvance("chair 12.345")
    image = grid.grab().toImage().copy(text.translated(grid.viewport().pos()))
    assert len({image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}) > 10
    grid.resize(700, 500)
    assert grid.itemDelegate()._thumbnail_box(QRectF(card)).width() == CARD_SIZES["M"]


def test_enlarging_restores_the_chosen_card_size(grid):
    before = grid.visualRect(grid.model().index(0, 0))
    grid.resize(700, 130)
    assert grid.visualRect(grid.model().index(0, 0)) != before
    grid.resize(700, 500)
    assert grid.visualRect(grid.model().index(0, 0)) == before
