"""The barcode shows every rank of a list of any length, points at ranks, and moves the list by mouse and keys."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor

from shrec_viewer.render.scene.palette import PRESETS
from shrec_viewer.widgets.cards.barcode import (
    HORIZONTAL_MARGIN,
    LABEL_HEIGHT,
    MIN_LAYER_HEIGHT,
    MIN_RELEVANT_HEIGHT,
    TICK_HEIGHT,
    TRACK_HEIGHT,
    Barcode,
    RankScale,
    draw_ticks,
    draw_ties,
    level_layers,
    most_relevant_rank,
)
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_relevance_preset

LEFT = Qt.MouseButton.LeftButton
HEIGHT = 22
COLOURS = {level: QColor(PRESETS["ordinal"]["light"][max(level, 0)].frame) for level in (-1, 0, 1, 2, 3)}


def levels(count, at):
    found = np.zeros(count, np.uint8)
    for rank, level in at.items():
        found[rank - 1] = level
    return found


@pytest.fixture
def barcode(qtbot):
    widget = Barcode()
    qtbot.addWidget(widget)
    widget.resize(400 + 2 * HORIZONTAL_MARGIN, widget.sizeHint().height())
    widget.set_levels(levels(100, {3: 2, 50: 1, 100: 2}))
    widget.show()
    qtbot.waitExposed(widget)
    widget.picked, widget.pointed = [], []
    widget.scroll_requested.connect(widget.picked.append)
    widget.rank_hovered.connect(widget.pointed.append)
    return widget


def at_rank(widget, rank):
    return QPoint(round(HORIZONTAL_MARGIN + widget.scale().x(rank)), LABEL_HEIGHT + 5)


# -- the arithmetic ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 3, 40, 399, 400, 401, 1809, 51_000])
def test_every_rank_has_one_pixel_column_or_several_adjacent_ones(count):
    scale = RankScale.fit(count, 400)
    owners = [scale.ranks(x) for x in range(scale.span)]
    ranks = [rank for first, last in owners for rank in range(first, last + 1)]
    assert sorted(set(ranks)) == list(range(1, count + 1))
    assert ranks == sorted(ranks)
    if count >= 400:
        assert len(ranks) == count, "no rank counts twice"
    for rank in {1, count // 2 + 1, count}:
        first, last = scale.ranks(scale.x(rank))
        assert first <= rank <= last


def test_ticks_of_a_short_list_are_narrow():
    assert RankScale.fit(3, 400) == RankScale(3, 72)


def test_tick_height_follows_the_level():
    scale = RankScale(4, 40)
    tops = level_layers(np.array([2, 0, 1, 3], np.int16), scale, HEIGHT, False)
    highest = np.max(list(tops.values()), axis=0)
    assert [int(highest[x]) for x in (5, 15, 25, 35)] == [22, 6, 14, 22]
    binary = level_layers(np.array([1, 0], np.int16), RankScale(2, 20), HEIGHT, True)
    assert int(binary[1][5]) == 22


def test_relevant_ranks_are_visible_among_many():
    random = np.random.default_rng(5)
    found = np.zeros(51_000, np.int16)
    found[random.choice(51_000, 60, replace=False)] = 1
    found[random.choice(51_000, 30, replace=False)] = 2
    scale = RankScale(51_000, 400)
    image = draw_ticks(found, scale, HEIGHT, COLOURS, binary=False)
    for x in range(400):
        first, last = scale.ranks(x)
        present = {int(level) for level in found[first - 1 : last] if level > 0}
        shown = {image.pixelColor(x, y).name() for y in range(HEIGHT)}
        for level in present:
            assert COLOURS[level].name() in shown, (x, level)
        height = sum(image.pixelColor(x, y).alpha() > 0 for y in range(HEIGHT))
        assert height >= (round(MIN_RELEVANT_HEIGHT * HEIGHT) if present else 1)


def test_pixel_height_grows_with_the_number_of_relevant_ranks():
    found = np.zeros(1000, np.int16)
    heights = []
    for relevant in (1, 3, 6, 10):
        found[:10] = 0
        found[:relevant] = 2
        heights.append(int(level_layers(found, RankScale(1000, 100), HEIGHT, False)[2][0]))
    assert heights == sorted(set(heights))
    assert heights[-1] == HEIGHT


def test_levels_divide_a_pixel_by_count():
    found = np.array([2, 1, 1, 1, 1, 1, 1, 1], np.int16)
    tops = level_layers(found, RankScale(8, 1), 40, False)
    assert int(tops[2][0]) == round(int(tops[1][0]) / 8)
    assert int(level_layers(found, RankScale(8, 1), HEIGHT, False)[2][0]) == MIN_LAYER_HEIGHT


def test_pixel_selects_the_first_of_its_most_relevant_ranks():
    found = np.array([0, 1, 2, 2, 0, 0, 0], np.int16)
    assert most_relevant_rank(found, 1, 7) == 3
    assert most_relevant_rank(found, 1, 2) == 2
    assert most_relevant_rank(found, 5, 7) == 6


# -- the widget -------------------------------------------------------------------------------------------------------


def test_mouse_emits_hovered_rank_and_none_on_leave(barcode, qtbot):
    qtbot.mouseMove(barcode, at_rank(barcode, 50))
    qtbot.mouseMove(barcode, at_rank(barcode, 51))
    barcode.leaveEvent(_leave())
    assert barcode.pointed == [50, 51, None]
    assert barcode.picked == []


def _leave():
    from PySide6.QtCore import QEvent

    return QEvent(QEvent.Type.Leave)


def test_new_list_under_the_mouse_emits_only_on_leave(barcode, qtbot):
    qtbot.mouseMove(barcode, at_rank(barcode, 70))
    barcode.set_levels(levels(10, {}))
    assert barcode.pointed == [70]
    barcode.leaveEvent(_leave())
    assert barcode.pointed == [70, None]


def test_click_and_drag_scroll_the_list(barcode, qtbot):
    qtbot.mousePress(barcode, LEFT, pos=at_rank(barcode, 20))
    qtbot.mouseMove(barcode, at_rank(barcode, 60))
    qtbot.mouseMove(barcode, QPoint(barcode.width() + 50, 5))
    qtbot.mouseRelease(barcode, LEFT, pos=at_rank(barcode, 60))
    assert barcode.picked == [20, 60, 100]
    assert barcode.focusPolicy() == Qt.FocusPolicy.TabFocus, "after a click the keys stay with the list"


def test_keys_scroll_by_the_visible_range(barcode, qtbot):
    barcode.set_window(31, 40)
    barcode.setFocus(Qt.FocusReason.TabFocusReason)
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Home,
                Qt.Key.Key_End):  # fmt: skip
        qtbot.keyClick(barcode, key)
    assert barcode.picked == [46, 26, 39, 32, 1, 100]


def test_keys_stop_at_the_ends(barcode, qtbot):
    barcode.setFocus()
    barcode.set_window(1, 3)
    qtbot.keyClick(barcode, Qt.Key.Key_PageUp)
    barcode.set_window(98, 100)
    qtbot.keyClick(barcode, Qt.Key.Key_PageDown)
    assert barcode.picked == [1, 100]


def test_setters_do_not_emit(barcode, qapp, use_theme):
    barcode.set_cutoffs([(3, "C")])
    barcode.set_window(1, 20)
    barcode.set_cursor_rank(4)
    barcode.set_marked_ranks([1, 2, 400])
    use_theme(DARK)
    apply_relevance_preset(qapp, "strict")
    barcode.set_levels(levels(3, {}))
    assert (barcode.picked, barcode.pointed) == ([], [])
    assert not barcode.grab().isNull()


def colours_of_column(widget, rank):
    image = widget.grab().toImage()
    x = at_rank(widget, rank).x()
    return {
        image.pixelColor(x, y).name().upper() for y in range(LABEL_HEIGHT, LABEL_HEIGHT + TICK_HEIGHT + TRACK_HEIGHT)
    }


def test_tick_colours_equal_card_colours_in_every_theme(barcode, use_theme):
    for theme in (LIGHT, DARK):
        use_theme(theme)
        assert PRESETS["ordinal"][theme.name][2].frame in colours_of_column(barcode, 3)
        assert PRESETS["ordinal"][theme.name][1].frame in colours_of_column(barcode, 50)
        for level in (1, 2):
            assert PRESETS["ordinal"][theme.name][level].frame not in colours_of_column(barcode, 4)


def test_cursor_and_marks_are_painted_and_cleared(barcode):
    barcode.set_cursor_rank(70)
    assert LIGHT.ink in colours_of_column(barcode, 70)
    barcode.set_cursor_rank(None)
    assert LIGHT.ink not in colours_of_column(barcode, 70)
    barcode.set_marked_ranks([70])
    assert LIGHT.accent in colours_of_column(barcode, 70)
    barcode.set_levels(levels(100, {}))
    assert LIGHT.accent not in colours_of_column(barcode, 70), "another list has other marks"


def test_track_shows_the_visible_ranks(barcode):
    barcode.set_window(40, 60)
    background = LIGHT.line_strong
    assert [background in colours_of_column(barcode, rank) for rank in (30, 45, 55, 70)] == [False, True, True, False]


def test_ticks_are_equal_without_assessment(barcode):
    barcode.set_levels(levels(100, {3: 2}), judged=False)
    assert colours_of_column(barcode, 3) == colours_of_column(barcode, 4)
    assert barcode.accessibleDescription() == "100 ranks"


def test_ties_are_underlined(barcode):
    tied = np.zeros(100, bool)
    tied[59:63] = True
    barcode.set_ties(tied)
    image = barcode.grab().toImage()
    y = LABEL_HEIGHT + TICK_HEIGHT
    line = QColor(LIGHT.muted).name()
    seen = [image.pixelColor(at_rank(barcode, rank).x(), y).name() == line for rank in (58, 60, 63, 65)]
    assert seen == [False, True, True, False]
    assert barcode.accessibleDescription() == "100 ranks, 3 relevant, 4 tied (underlined)"
    barcode.set_levels(levels(100, {}))
    assert barcode.accessibleDescription() == "100 ranks"


def test_single_tie_among_51000_ranks_is_underlined():
    tied = np.zeros(51_000, bool)
    tied[40_000:40_002] = True
    scale = RankScale(51_000, 400)
    image = draw_ties(tied, scale, 1, QColor("#123456"))
    assert [x for x in range(400) if image.pixelColor(x, 0).alpha()] == [int(scale.x(40_001))]


def test_accessible_description_and_tooltip(barcode):
    barcode.set_cutoffs([(5, "C"), (10, "2C")])
    assert barcode.accessibleName() == "All ranks of the list"
    assert barcode.accessibleDescription() == (
        "100 ranks, 3 relevant. Ticks above: C, the class size, after rank 5; 2C after rank 10."
    )
    assert "Click or drag" in barcode.toolTip()


@pytest.mark.parametrize("width", [10, 60, 333, 1500])
@pytest.mark.parametrize("count", [0, 1, 3, 51_000])
def test_painting_at_any_width(qtbot, count, width):
    widget = Barcode()
    qtbot.addWidget(widget)
    widget.set_levels(levels(count, {}))
    widget.set_cutoffs([(1, "C"), (2, "2C"), (32, "32")])
    widget.set_window(1, 3)
    widget.set_cursor_rank(1)
    widget.resize(width, 46)
    assert not widget.grab().isNull()
    assert (widget.rank_at(HORIZONTAL_MARGIN) is None) == (count == 0)


def test_cursor_move_does_not_redraw_ticks(qtbot, monkeypatch):
    widget = Barcode()
    qtbot.addWidget(widget)
    widget.resize(900, 46)
    random = np.random.default_rng(1)
    found = (random.random(51_000) < 0.05).astype(np.uint8)
    widget.set_levels(found)
    widget.show()  # a hidden widget is resized at each grab
    qtbot.waitExposed(widget)
    widget.grab()
    painted, draw_ticks = [], Barcode._draw_ticks
    monkeypatch.setattr(Barcode, "_draw_ticks", lambda *args: painted.append(1) or draw_ticks(*args))
    for rank in range(1, 20):
        widget.set_levels(found)
        widget.grab()
        assert len(painted) == rank
        widget.set_cursor_rank(rank)
        widget.grab()
        assert len(painted) == rank
