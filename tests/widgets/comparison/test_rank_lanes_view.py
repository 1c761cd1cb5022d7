"""Lists side by side: cards are where the mouse finds them, lines end at the same model, keys walk."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPixmap, QWheelEvent
from PySide6.QtWidgets import QApplication

from shrec_viewer.render.scene.palette import RANK_CHANGE
from shrec_viewer.widgets.comparison import rank_lanes
from shrec_viewer.widgets.comparison.gain_loss import MAX_BAR_WIDTH, GainLossBars
from shrec_viewer.widgets.comparison.rank_lanes import (
    HEADER_HEIGHT,
    MAX_LANE_SPACING,
    MIN_LANE_SPACING,
    RankLane,
    RankLanesView,
    first_indices,
    indices_of,
    lane_geometry,
    rank_change,
)
from shrec_viewer.widgets.style.text import draw_text
from shrec_viewer.widgets.style.theme import DARK, LIGHT, text_font


class Faces:
    """Models without pictures."""

    def name(self, item):
        return f"M{item}"

    def class_name(self, item):
        return "duck"

    def picture(self, item):
        return None

    def problem(self, item):
        return ""


def lane(items, title="A", missing=""):
    items = np.array(items, np.int32)
    return RankLane(title, "AP .5", "#D57404", "solid", items, (items % 3).astype(np.int8), items / 10.0, missing)


@pytest.fixture
def lists(qtbot):
    lists = RankLanesView(Faces())
    qtbot.addWidget(lists)
    lists.resize(720, 420)
    lists.set_lanes([lane(range(100)), lane([5, 3, 400, 0, *range(6, 90)], "B"), lane([1, 2], "C")])
    lists.show()
    qtbot.waitExposed(lists)
    return lists


def test_card_at_a_point_is_the_painted_card(lists):
    for place in (0, 1, 2):
        for rank in (1, 2):
            assert lists.card_at(lists.card(place, rank).center().toPoint()) == (place, rank)
    assert lists.card_at(QPoint(10, 5)) is None
    assert lists.card_at(lists.card(2, 3).center().toPoint()) is None
    for first, second in ((0, 1), (1, 2)):
        assert lists.card(first, 1).right() < lists.card(second, 1).left()
    assert lists.card(2, 1).right() <= lists.viewport().width()


@pytest.mark.parametrize("width", [520, 660, 720, 900, 1400])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_lanes_do_not_overlap_at_any_width(width, count):
    spans = [lane_geometry(place, count, float(width)) for place in range(count)]
    assert spans[0][0] >= 0
    assert spans[-1][0] + spans[-1][1] <= width + 1e-9
    for (left, wide), (after, _) in pairwise(spans):
        assert MIN_LANE_SPACING - 1e-9 <= after - left - wide <= MAX_LANE_SPACING
        assert wide > 100 or width < 4 * 100 + 3 * MIN_LANE_SPACING


def test_texts_of_four_narrow_lists_do_not_overlap(qtbot, monkeypatch):
    """Painted texts are taken down with their boxes: none is empty, none overlaps another on its card."""
    lists = RankLanesView(Faces())
    qtbot.addWidget(lists)
    lists.resize(672, 420)
    lists.set_lanes([lane(np.roll(np.arange(40), step), name) for step, name in enumerate(("B2", "B1", "A2", "C1"))])
    lists.show()
    qtbot.waitExposed(lists)
    written = []

    def note(painter, box, text, *arguments, **sides):
        taken = draw_text(painter, box, text, *arguments, **sides)
        written.append((text, QRectF(box), taken))
        return taken

    monkeypatch.setattr(rank_lanes, "draw_text", note)
    lists.viewport().grab()
    names = [text for text, box, taken in written if box.top() < HEADER_HEIGHT and taken > 10]
    assert {"B2", "B1", "A2", "C1"} <= set(names)
    metrics = QFontMetricsF(text_font(lists.font()))
    for text, box, taken in written:
        if text.startswith("M"):
            assert taken >= metrics.horizontalAdvance(text) - 1, f"{text} is cut in {box}"


def test_hovered_model_is_highlighted_in_all_lists(lists, qtbot):
    emitted = []
    lists.item_hovered.connect(emitted.append)
    qtbot.mouseMove(lists.viewport(), lists.card(0, 4).center().toPoint())
    assert emitted == [3]
    before = lists.viewport().grab().toImage()
    other = lists.card(1, 2).toRect()
    qtbot.mouseMove(lists.viewport(), lists.card(0, 3).center().toPoint())
    after = lists.viewport().grab().toImage()
    assert before.copy(other) != after.copy(other)
    assert emitted == [3, 2]


@pytest.mark.parametrize(("place", "other", "text"), [(3, 37, "▲ 34  (38)"), (7, 7, "=  (8)"), (9, 0, "▼ 9  (1)")])
def test_rank_change_text(place, other, text):
    forms = rank_change(place, other).forms
    assert forms[0] == text
    assert list(forms) == sorted(forms, key=len, reverse=True)


def test_changes_are_from_the_first_list_to_the_others(qtbot):
    """Models 4 and 9 change places, 2 is in the first list only, 8 in the last one only, 6 not in the first one."""
    view = RankLanesView(Faces())
    qtbot.addWidget(view)
    view.set_lanes([lane([4, 9, 2, 5]), lane([9, 4, 6, 7], "B"), lane([4, 6, 8], "C")])
    changes = [[view._rank_change(k, place) for place in range(len(one))] for k, one in enumerate(view.lanes)]
    kinds = [["" if change is None else change.kind for change in row] for row in changes]
    assert kinds == [["", "", "only", "absent"], ["up", "down", "absent", "absent"], ["same", "absent", "only"]]
    assert changes[1][0].forms[0] == "▲ 1  (2)"
    assert [view.card_tooltip(0, rank).splitlines()[-1] for rank in (1, 3)] == [
        "distance 0.4000",
        "in no other list shown",
    ]
    assert view.card_tooltip(1, 3).splitlines()[-1] == "not among the 4 models that A lists"
    assert view.card_tooltip(2, 1).splitlines()[-1] == "at the same rank in A"


def test_models_beyond_a_truncated_list_are_not_only_here(qtbot):
    view = RankLanesView(Faces())
    qtbot.addWidget(view)
    view.set_lanes([lane(range(40)), lane(range(100, 160), "B")])
    assert [view._rank_change(1, place).kind for place in (0, 39, 40, 59)] == ["only", "only", "absent", "absent"]
    assert view._rank_change(1, 59).forms[0] == "not listed"


@pytest.mark.parametrize("count", [2, 3, 4])
@pytest.mark.parametrize("width", [380, 560, 667, 900])
def test_text_of_a_card_is_never_cut(qtbot, monkeypatch, width, count):
    """Ranks of four digits; the longest of the forms that fits is painted."""
    painted = []

    class Recorder(QPainter):
        def drawText(self, box, flags, text=None):  # noqa: N802
            if isinstance(text, str):
                painted.append((self.fontMetrics().horizontalAdvance(text), QRectF(box).width(), text))
            super().drawText(box, flags, text)

    monkeypatch.setattr(rank_lanes, "QPainter", Recorder)
    view = RankLanesView(Faces())
    qtbot.addWidget(view)
    view.resize(width, 400)
    items = np.arange(2000)
    view.set_lanes([lane(np.roll(items, 1234 * k), f"R{k}") for k in range(count)])
    view.show()
    qtbot.waitExposed(view)
    view.set_current(0, 1500)
    painted.clear()
    view.grab()
    changes = [entry for entry in painted if entry[2][:1] in ("▲", "▼", "=")]
    assert changes or width == 380
    assert all(needed <= max(box, 0) + 0.5 for needed, box, _ in painted), painted


def test_only_relevant_models_have_the_colours_of_gain_and_loss(qtbot):
    view = RankLanesView(Faces())
    qtbot.addWidget(view)
    view.resize(720, 420)
    view.set_lanes([lane([3, 4, 0, 1]), lane([4, 3, 1, 0], "B")])  # levels 0 1 | 1 0 and 1 0
    view.show()
    qtbot.waitExposed(view)
    image = view.viewport().grab().toImage()

    def colours(rank):
        card = view.card(1, rank).toRect()
        lower = range(card.bottom() - 26, card.bottom() - 2)  # the line of the change; the frame is at the left
        return {image.pixelColor(x, y).name() for y in lower for x in range(card.left() + 84, card.right() - 4)}

    up, down = RANK_CHANGE["light"]["up"].lower(), RANK_CHANGE["light"]["down"].lower()
    assert view.lanes[1].levels.tolist() == [1, 0, 1, 0]
    assert up in colours(1)
    assert not {up, down} & colours(2)


def test_positions_are_mutual():
    one, other = lane([4, 2, 9, 7]), lane([9, 4, 1])
    there, back = indices_of(one.items, first_indices(other)), indices_of(other.items, first_indices(one))
    assert there.tolist() == [1, -1, 0, -1]
    for place, target in enumerate(there):
        if target >= 0:
            assert back[target] == place
    assert indices_of(one.items, first_indices(lane([]))).tolist() == [-1] * 4


@given(st.lists(st.integers(-1, 9), max_size=12), st.lists(st.integers(-1, 9), max_size=12))
def test_positions_are_first_indices_in_the_other_list(items, others):
    models, known = lane(items).items, first_indices(lane(others))
    expected = [others.index(item) if item >= 0 and item in others else -1 for item in items]
    assert indices_of(models, known).tolist() == expected
    assert [int(indices_of(model, known)) for model in models] == expected


def test_keys_move_within_and_between_lists(lists, qtbot):
    emitted = []
    lists.card_selected.connect(lambda place, rank: emitted.append((place, rank)))
    qtbot.mouseClick(lists.viewport(), Qt.MouseButton.LeftButton, pos=lists.card(0, 2).center().toPoint())
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_Right):
        qtbot.keyClick(lists, key)
    assert emitted == [(0, 2), (0, 3), (1, 3), (1, 2), (1, 88), (1, 1), (2, 1)]
    with qtbot.waitSignal(lists.card_activated) as opened:
        qtbot.keyClick(lists, Qt.Key.Key_Return)
    assert opened.args == [2, 1]


def test_current_card_is_scrolled_into_view_without_signal(lists, qtbot):
    with qtbot.assertNotEmitted(lists.card_selected):
        lists.set_current(0, 95)
    box = lists.card(0, 95)
    assert box.top() >= HEADER_HEIGHT
    assert box.bottom() <= lists.viewport().height()
    first, last = lists.visible_rows()
    assert first <= 94 <= last
    lists.set_current(0, None)
    assert lists.current is None


def test_scrolling_emits_visible_rows(lists, qtbot):
    centre = QPointF(lists.viewport().rect().center())
    with qtbot.waitSignal(lists.visible_rows_changed) as emitted:
        for _ in range(8):
            wheel = QWheelEvent(
                centre, lists.viewport().mapToGlobal(centre), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
            )  # fmt: skip
            QApplication.sendEvent(lists.viewport(), wheel)
    assert tuple(emitted.args) == lists.visible_rows()
    assert emitted.args[0] > 0


def test_isolated_list_is_shown_alone(lists):
    lists.show_only(0)
    alone = lists.card(0, 1)
    lists.show_only(1)
    assert lists.card(1, 1) == alone
    assert lists.card_at(alone.center().toPoint()) == (1, 1)
    lists.show_only(None)
    assert lists.card(0, 1) != alone


def test_missing_list_shows_the_reason(lists, use_theme):
    lists.set_lanes([lane([1]), lane([], "B", "Under SHREC 2006 it counts as an empty list.")])
    use_theme(DARK)
    dark = lists.viewport().grab().toImage()
    use_theme(LIGHT)
    assert lists.viewport().grab().toImage() != dark
    lists.set_lanes([])
    assert lists.visible_rows() == (0, -1)


@pytest.fixture
def bars(qtbot):
    bars = GainLossBars()
    qtbot.addWidget(bars)
    bars.resize(500, 200)
    bars.set_bars(tuple("abcde"), np.array([0.4, 0.1, 0.0, np.nan, -0.3]), title="AP: B − A")
    bars.show()
    qtbot.waitExposed(bars)
    return bars


@pytest.mark.parametrize("inverted", [False, True])
def test_bar_height_follows_the_difference(bars, inverted):
    bars.set_bars(tuple("abcde"), np.array([0.4, 0.1, 0.0, np.nan, -0.3]), inverted=inverted)
    picture = bars.viewport().grab().toImage()
    gain, loss = ("#00569b", "#b34700") if not inverted else ("#b34700", "#00569b")
    heights = []
    for place in range(5):
        x = round(bars.column(place).center().x())
        column = [picture.pixelColor(x, y).name() for y in range(picture.height())]
        heights.append((column.count(gain), column.count(loss)))
    assert heights[0][0] == pytest.approx(4 * heights[1][0], abs=5)
    assert heights[4][1] == pytest.approx(3 * heights[1][0], abs=5)
    assert heights[2] == heights[3] == (0, 0)
    assert [loss for _, loss in heights[:4]] == [0, 0, 0, 0]


def test_mouse_and_keys_select_bars(bars, qtbot):
    emitted = []
    bars.item_selected.connect(emitted.append)
    qtbot.mouseClick(bars.viewport(), Qt.MouseButton.LeftButton, pos=bars.column(1).center().toPoint())
    for key in (Qt.Key.Key_Right, Qt.Key.Key_End, Qt.Key.Key_Right, Qt.Key.Key_Left, Qt.Key.Key_Home):
        qtbot.keyClick(bars, key)
    assert emitted == [1, 2, 4, 4, 3, 0]
    with qtbot.waitSignal(bars.bar_activated) as opened:
        qtbot.keyClick(bars, Qt.Key.Key_Return)
    assert opened.args == [0]


def test_current_bar_of_a_thousand_is_scrolled_into_view(bars):
    bars.set_bars(tuple(f"Q{n}" for n in range(1000)), np.linspace(1, -1, 1000))
    bars.set_current(900)
    centre = bars.column(900).center().toPoint()
    assert bars.viewport().rect().adjusted(0, 0, -QSize(1, 1).width(), 0).contains(centre)
    assert bars.item_at(centre) == 900


def test_title_has_a_background_over_the_current_bar(bars):
    bars.set_bars(tuple("abcdefghijkl"), np.linspace(0.4, -0.3, 12), title="AP: B − A")
    bars.set_current(11)
    marked = bars.viewport().grab().toImage()
    column, body, selection = bars.column(11), bars._body(), QColor(LIGHT.selection)
    points = [
        (x, round(body.top()) + y) for x in range(round(column.left()) + 2, round(body.right()) - 2) for y in (3, 8)
    ]
    assert marked.pixelColor(round(column.left()) + 4, 2) == selection
    assert not any(marked.pixelColor(*point) == selection for point in points)


def test_side_without_bars_has_no_tick_labels(bars):
    bars.set_bars(tuple("abc"), np.array([-0.1, -0.4, 0.0]))
    picture = bars.viewport().grab().toImage()
    body, background = bars._body(), QColor(LIGHT.surface)

    def has_words(y):
        points = ((x, y + dy) for x in range(round(body.left()) - 4) for dy in range(-5, 6))
        return any(picture.pixelColor(*point) != background for point in points)

    assert not has_words(6)
    assert has_words(round(body.bottom()))
    assert has_words(round(bars._zero()))


@pytest.mark.parametrize("largest", [0.818, 0.0123, 0.4, 7.0, 130.0])
@pytest.mark.parametrize("height", [70, 120, 300, 1200])
def test_ticks_of_the_bars_are_round_numbers(bars, largest, height):
    bars.resize(600, height)
    bars.set_bars(tuple("abcd"), np.array([largest, largest / 3, -largest / 5, 0.0]))
    values = np.array([value for value, _ in bars.ticks()])
    steps = np.diff(values)
    assert len(values) >= 2
    assert np.allclose(steps, steps[0])
    mantissa = steps[0] / 10 ** np.floor(np.log10(steps[0]) + 1e-9)
    assert min(abs(mantissa - round_step) for round_step in (1, 2, 5)) < 1e-6
    assert values.min() >= -largest / 5 - 1e-9
    assert values.max() <= largest
    for value, text in bars.ticks():
        assert float(text.replace("−", "-").replace(",", "")) == pytest.approx(value)
    assert next(text for value, text in bars.ticks() if value > 0)[0] == "+"


@pytest.mark.parametrize("gains", [np.linspace(0.8, -0.1, 12), np.linspace(0.1, -0.8, 12)])
def test_title_covers_no_bar_of_sorted_bars(bars, gains):
    bars.resize(600, 160)
    with_title, without = [], []
    for title, colours in (("Difference of AP", with_title), ("", without)):
        bars.set_bars(tuple("abcdefghijkl"), gains, title=title)
        image = bars.viewport().grab().toImage()
        change = {RANK_CHANGE["light"][key].lower() for key in ("up", "down")}
        colours += [image.pixelColor(x, y).name() in change for x in range(0, 600, 3) for y in range(0, 160, 2)]
    assert sum(with_title) == sum(without) > 100


def test_distance_is_left_out_where_the_class_would_be_cut(qtbot, monkeypatch):
    painted = []

    class Recorder(QPainter):
        def drawText(self, box, flags, text=None):  # noqa: N802
            painted.append(text)
            super().drawText(box, flags, text)

    class LongNames(Faces):
        def class_name(self, item):
            return "two_storeys" if item == 0 else "duck"

    monkeypatch.setattr(rank_lanes, "QPainter", Recorder)
    view = RankLanesView(LongNames())
    qtbot.addWidget(view)
    view.resize(640, 420)
    view.set_lanes([lane([0, 1]), lane([1, 0], "B"), lane([1, 0], "C")])
    view.show()
    qtbot.waitExposed(view)
    painted.clear()
    view.grab()
    assert painted.count("two_storeys") == 3
    assert painted.count("0.1000") == 3
    assert "0.0000" not in painted
    assert "distance 0.0000" in view.card_tooltip(0, 1)


@pytest.mark.parametrize("width", [400, 1500])
def test_bars_fill_the_width_and_are_never_wide_blocks(bars, width):
    bars.resize(width, 200)
    body = bars._body()
    first, last = bars.column(0), bars.column(len(bars._names) - 1)
    assert first.left() == body.left()
    assert last.right() == pytest.approx(body.right(), abs=1)
    image = QPixmap(bars.viewport().size())
    bars.viewport().render(image)
    colours = [
        image.toImage().pixelColor(x, int(bars._zero()) - 3) for x in range(int(first.left()), int(first.right()))
    ]
    up, down = (QColor(RANK_CHANGE["light"][key]) for key in ("up", "down"))
    assert sum(colour in (up, down) for colour in colours) <= MAX_BAR_WIDTH
