"""The grid of cards shows a ranked list, walks it, and says what the person picked."""

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPixmap
from widget_models import cards

from shrec_viewer.render.scene.palette import RELEVANCE
from shrec_viewer.widgets.cards.card_grid import CardGrid
from shrec_viewer.widgets.style.theme import DARK, LIGHT

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


def test_a_click_picks_the_rank(grid, qtbot):
    heard = Heard(grid)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 3))
    assert heard.picked == [4]
    assert current_row(grid) == 3


def test_a_click_between_cards_does_nothing(grid, qtbot):
    grid.set_current_rank(2)
    heard = Heard(grid)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=QPoint(1, 1))
    assert (heard.picked, current_row(grid)) == ([], 1)


def test_dragging_over_cards_picks_only_the_first(grid, qtbot):
    heard = Heard(grid)
    qtbot.mousePress(grid.viewport(), LEFT, pos=middle(grid, 0))
    qtbot.mouseMove(grid.viewport(), middle(grid, 2))
    qtbot.mouseRelease(grid.viewport(), LEFT, pos=middle(grid, 2))
    assert (heard.picked, current_row(grid)) == ([1], 0)


def test_keys_walk_the_list(grid, qtbot):
    heard = Heard(grid)
    columns = grid.columns()
    grid.set_current_rank(1)
    grid.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home):
        qtbot.keyClick(grid, key)
    assert heard.picked == [2, 2 + columns, 1 + columns, 1, 300, 1]


def test_a_step_past_the_edge_is_none(grid, qtbot):
    grid.set_current_rank(2)
    heard = Heard(grid)
    qtbot.keyClick(grid, Qt.Key.Key_Up)
    assert (heard.picked, current_row(grid)) == ([], 1)
    grid.set_current_rank(300)
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert (heard.picked, current_row(grid)) == ([], 299)


def test_keys_follow_the_card_out_of_sight(grid, qtbot):
    grid.set_current_rank(1)
    qtbot.keyClick(grid, Qt.Key.Key_End)
    assert grid.viewport().rect().contains(middle(grid, 299))
    qtbot.keyClick(grid, Qt.Key.Key_PageUp)
    assert grid.viewport().rect().contains(middle(grid, current_row(grid)))


def test_enter_and_double_click_activate(grid, qtbot):
    heard = Heard(grid)
    grid.set_current_rank(5)
    qtbot.keyClick(grid, Qt.Key.Key_Return)
    qtbot.mouseDClick(grid.viewport(), LEFT, pos=middle(grid, 6))
    assert heard.activated == [5, 7]


def test_setters_never_tell(grid, qtbot):
    heard = Heard(grid)
    grid.set_current_rank(200)
    grid.set_current_rank(None)
    grid.set_card_size("L")
    grid.set_theme(DARK)
    grid.set_cutoffs([(5, "FT")])
    grid.set_preset("strict")
    grid.model().replace(grid.model().rows[:10])
    assert heard.picked == heard.activated == []


def test_the_current_card_is_brought_into_sight(grid):
    grid.set_current_rank(200)
    assert current_row(grid) == 199
    assert grid.viewport().rect().contains(grid.visualRect(grid.model().index(199, 0)))


@pytest.mark.parametrize("rank", [None, 0, 301, -1])
def test_a_rank_that_is_not_there_is_no_card(grid, rank):
    grid.set_current_rank(3)
    grid.set_current_rank(rank)
    assert current_row(grid) is None
    assert not grid.selectionModel().hasSelection()


def test_a_filtered_list_is_found_by_rank(grid):
    rows = [row for row in grid.model().rows if row["rank"] % 3 == 0]
    grid.model().replace(rows)
    grid.set_current_rank(30)
    assert current_row(grid) == 9
    grid.set_current_rank(31)
    assert current_row(grid) is None


def test_cards_without_rank_tell_their_row(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    model = cards(5, at={row: {"rank": 0} for row in range(5)})
    grid.setModel(model)
    grid.resize(700, 300)
    grid.show()
    heard, rows = Heard(grid), []
    grid.row_selected.connect(rows.append)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=middle(grid, 2))
    assert (heard.picked, rows) == ([], [2])


def test_focus_alone_makes_no_card_current(grid, qtbot):
    heard = Heard(grid)
    grid.clearFocus()
    grid.setFocus(Qt.FocusReason.TabFocusReason)
    assert current_row(grid) is None
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    assert heard.picked == [1]


def test_cells_fill_the_width_and_never_overlap(grid):
    for width in (180, 333, 700, 1111):
        grid.resize(width, 400)
        cells = [grid.visualRect(grid.model().index(row, 0)) for row in range(2 * grid.columns())]
        assert not any(a.intersects(b) for n, a in enumerate(cells) for b in cells[:n])
        if grid.columns() > 1:
            last = cells[grid.columns() - 1]
            assert abs(grid.viewport().width() - last.right() - cells[0].left()) <= 2


@pytest.mark.parametrize("width", [700, 701, 703, 950, 1009])
def test_a_point_finds_the_card_that_is_drawn_there(grid, width):
    grid.resize(width, 500)
    grid.verticalScrollBar().setValue(777)
    first, last = grid.visible_rows()
    for row in range(first, last + 1):
        cell = grid.visualRect(grid.model().index(row, 0))
        for point in (cell.topLeft(), cell.center(), cell.bottomRight()):
            assert grid.indexAt(point).row() == row
    assert not grid.indexAt(QPoint(-5, 10)).isValid()


def test_what_is_in_sight_is_told_after_it_settles(grid, qtbot):
    heard = Heard(grid)
    with qtbot.waitSignal(grid.visible_rows_changed):
        grid.verticalScrollBar().setValue(1500)
    first, last = heard.visible[-1]
    seen = [row for row in range(300) if grid.visualRect(grid.model().index(row, 0)).intersects(grid.viewport().rect())]
    assert first <= seen[0] <= seen[-1] <= last
    assert len(heard.visible) == 1
    assert last - first + 1 <= len(seen) + 2 * grid.columns()


def test_a_new_list_starts_at_its_top_and_is_told_again(grid, qtbot):
    grid.verticalScrollBar().setValue(1500)
    qtbot.wait(60)
    with qtbot.waitSignal(grid.visible_rows_changed) as told:
        grid.model().replace(cards(300).rows)
    assert grid.verticalScrollBar().value() == 0
    assert told.args[0] == 0


def test_an_empty_list_is_told_as_nothing(grid, qtbot):
    with qtbot.waitSignal(grid.visible_rows_changed) as told:
        grid.model().replace([])
    assert told.args == [0, -1]
    grid.grab()


def test_resizing_keeps_what_was_at_the_top(grid):
    grid.verticalScrollBar().setValue(2000)
    before = grid.visible_rows()[0]
    for width in (600, 900, 601, 901, 430, 700):
        grid.resize(width, 500)
        first = grid.visible_rows()[0]
        assert first <= before < first + grid.columns()
    grid.set_card_size("L")
    first = grid.visible_rows()[0]
    assert first <= before < first + grid.columns()


def test_resizing_keeps_the_current_card_in_sight(grid, qtbot):
    grid.set_current_rank(100)
    qtbot.waitSignal(grid.visible_rows_changed).wait()
    for width in (300, 900, 250):
        grid.resize(width, 500)
        assert grid.viewport().rect().contains(middle(grid, 99))
        qtbot.wait(60)


def test_sizes(grid):
    widths = []
    for size in ("T", "S", "M", "L"):
        grid.set_card_size(size)
        assert grid.card_size_name() == size
        widths.append(grid.visualRect(grid.model().index(0, 0)).height())
    assert widths == sorted(set(widths))
    with pytest.raises(ValueError, match="not 'XL'"):
        grid.set_card_size("XL")


def test_of_51000_cards_only_the_visible_ones_are_read(qtbot):
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
    assert model.asked < 20_000, "only what is in sight is asked for"


def colour_at(grid, point):
    image = grid.grab().toImage()
    offset = grid.viewport().mapTo(grid, point) * image.devicePixelRatio()
    return image.pixelColor(offset)


def test_a_picture_is_shown_and_a_missing_one_says_why(qtbot):
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


def test_cards_of_text_show_many_ranks_with_their_level_and_no_place_of_a_picture(qtbot):
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
        assert RELEVANCE["light"][row].frame in shades
        assert LIGHT.picture not in shades
        assert LIGHT.hatch not in shades


def test_the_theme_changes_while_shown(grid):
    ground = grid.visualRect(grid.model().index(0, 0)).topLeft() + QPoint(70, 70)
    assert colour_at(grid, ground).name().upper() == LIGHT.picture
    grid.set_theme(DARK)
    assert colour_at(grid, ground).name().upper() == DARK.picture


def test_every_kind_of_card_can_be_painted_in_every_size(qtbot):
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


def test_without_a_model_nothing_happens(qtbot):
    grid = CardGrid()
    qtbot.addWidget(grid)
    grid.show()
    grid.set_current_rank(1)
    grid.set_card_size("S")
    qtbot.keyClick(grid, Qt.Key.Key_Right)
    qtbot.mouseClick(grid.viewport(), LEFT, pos=QPoint(20, 20))
    assert grid.visible_rows() == (0, -1)
