"""Lists as rows: cards are where the mouse finds them, lines end at the same model, keys walk, ranks scroll."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication

from shrec_viewer.charts.rank_rows import RankRow, first_indices, indices_of, row_links
from shrec_viewer.widgets.comparison import rank_rows
from shrec_viewer.widgets.comparison.rank_rows import RankRowsView
from shrec_viewer.widgets.style.theme import DARK, LIGHT


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


def row(items, name="A", missing=""):
    items = np.array(items, np.int32)
    levels = (items % 3).astype(np.int8)
    return RankRow(name, "AP .5", items, levels, items / 10.0, missing, colour="#D57404")


@pytest.fixture
def shown(qtbot):
    """A view of 8 ranks of two runs, as in a window of 1280 pixels."""

    def show(rows, width=725, height=400):
        view = RankRowsView(Faces())
        qtbot.addWidget(view)
        view.resize(width, height)
        view.set_rows(rows)
        view.show()
        qtbot.waitExposed(view)
        return view

    return show


@pytest.fixture
def lists(shown):
    return shown([row(range(100)), row([5, 3, 400, 0, *range(6, 90)], "B"), row([1, 2], "C")])


@pytest.fixture
def written(monkeypatch):
    """Texts that are painted, with the boxes that they are painted in."""
    found = []
    originals = {name: getattr(rank_rows, name) for name in ("draw_text", "put_text")}

    def note(name):
        def paint(painter, box, text, *arguments, **sides):
            found.append((text, box.translated(0, 0)))
            return originals[name](painter, box, text, *arguments, **sides)

        return paint

    for name in originals:
        monkeypatch.setattr(rank_rows, name, note(name))
    return found


def wheel(view, where=None, steps=1):
    """Scroll down with the wheel."""
    at = QPointF(view.viewport().rect().center()) if where is None else where
    for _ in range(steps):
        event = QWheelEvent(
            at, view.viewport().mapToGlobal(at), QPoint(), QPoint(0, -120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(view.viewport(), event)


@pytest.mark.parametrize(("size", "count", "columns"), [((725, 400), 2, 8), ((725, 400), 4, 8), ((1155, 640), 3, 10)])
def test_ranks_in_sight_are_those_of_the_design(shown, size, count, columns):
    """The sizes are those of the central panel in windows of 1280 x 770 and 1920 x 1050 pixels.

    The font decides about the width of the names, and so whether there is room for one more.
    """
    view = shown([row(range(50), f"R{number}") for number in range(count)], *size)
    first, last = view.visible_ranks()
    assert (first, last) in ((0, columns - 1), (0, columns))
    for number in range(count):
        start, end = view.card(number, 1), view.card(number, columns)
        assert view.head(number).right() < start.left()
        assert end.right() <= view.viewport().width()
        assert 0 <= start.top() < start.bottom() <= view.viewport().height()
    assert not view.verticalScrollBar().maximum()


@pytest.mark.parametrize("size", [(300, 200), (725, 400), (1155, 640), (2400, 1200), (400, 1200), (1900, 160)])
@pytest.mark.parametrize("count", [1, 2, 3, 7])
def test_cards_never_overlap_and_all_can_be_scrolled_to(shown, size, count):
    view = shown([row(range(50), f"R{number}") for number in range(count)], *size)
    across, down = view.horizontalScrollBar(), view.verticalScrollBar()
    cards = [view.card(number, 1) for number in range(count)]
    assert all(upper.bottom() < lower.top() for upper, lower in pairwise(cards))
    assert view.card(0, 1).right() <= view.card(0, 2).left() + 1e-9
    across.setValue(across.maximum())
    down.setValue(down.maximum())
    last = view.card(count - 1, 50)
    assert view.head(0).right() < last.left()
    assert last.right() <= view.viewport().width()
    assert last.bottom() <= view.viewport().height()
    assert view.visible_ranks()[1] == 49


def test_card_at_a_point_is_the_painted_card(lists):
    for place in (0, 1, 2):
        for rank in (1, 2):
            assert lists.card_at(lists.card(place, rank).center().toPoint()) == (place, rank)
        assert lists.head_at(lists.head(place).center().toPoint()) == place
        assert lists.card_at(lists.head(place).center().toPoint()) is None
    assert lists.card_at(lists.card(2, 3).center().toPoint()) is None, "the list has two models"
    assert lists.head_at(lists.card(0, 1).center().toPoint()) is None


def test_lines_lead_to_the_same_model_or_name_its_rank_out_of_sight(shown, written):
    """Levels are the models modulo 3: 1, 2, 4, 5 … are relevant, 0, 3, 6 … are not."""
    above = row([1, 2, 3, 4, 5, 6, 7, 8, *range(20, 40)])
    below = row([2, 3, 1, 9, 30, 33, 99, 6, *range(50, 60), 5], "B")
    links = {
        (link.item, link.upper, link.lower)
        for link in row_links((above, below), [first_indices(one) for one in (above, below)], range(8))
    }
    assert links == {
        (1, 0, 2), (2, 1, 0), (3, 2, 1), (4, 3, -1), (5, 4, 18), (6, 5, 7), (7, 6, -1), (8, 7, -1),
        (9, -1, 3), (30, 18, 4), (33, 21, 5), (99, -1, 6),
    }  # fmt: skip
    view = shown([above, below])
    view.viewport().grab()
    gap = (view.card(0, 1).bottom(), view.card(1, 1).top())
    texts = sorted((round(box.center().x()), text) for text, box in written if gap[0] < box.center().y() < gap[1])

    def at(rank, text):
        return round(view.card(0, rank).center().x()), text

    expected = [at(4, "not listed"), at(5, "to 19"), at(7, "not listed"), at(8, "not listed")]
    expected += [at(4, "not listed"), at(5, "from 19"), at(6, "from 22"), at(7, "not listed")]
    assert sorted(set(texts)) == sorted(set(expected))
    written.clear()
    view.set_item(3)  # in sight in both rows: its line has no text, although it is now drawn
    view.set_all_lines(True)
    view.viewport().grab()
    assert len([text for text, box in written if gap[0] < box.center().y() < gap[1]]) == len(texts)


@pytest.mark.parametrize("height", [200, 400, 640])
def test_texts_of_lines_out_of_sight_do_not_overlap(shown, written, height):
    """All models are relevant and at other ranks, so that each card has a text below or above it."""
    items = np.arange(1, 600, 3)
    view = shown([row(items), row(np.roll(items, 90), "B"), row(np.roll(items, 45), "C")], height=height)
    view.viewport().grab()
    boxes = [box for text, box in written if text.startswith(("to", "from"))]
    assert len(boxes) == 4 * (view.visible_ranks()[1] + 1)
    for one, other in combinations(boxes, 2):
        shared = one.intersected(other)
        assert min(shared.width(), shared.height()) <= 1e-6


def test_a_missing_list_has_no_links_and_a_list_with_unknown_models_has(shown):
    rows = [row([1, 2, -1]), row([], "B", "B has no results."), row([2, 1], "C")]
    known = [first_indices(one) for one in rows]
    assert list(row_links(rows, known, range(3))) == []
    links = list(row_links([rows[0], rows[2]], [known[0], known[2]], range(3)))
    assert [(link.upper, link.lower) for link in links] == [(0, 1), (1, 0), (2, -1)]
    view = shown(rows)
    view.viewport().grab()


@pytest.mark.parametrize("all_lines", [False, True])
def test_lines_are_drawn_for_relevant_models_or_all(shown, monkeypatch, all_lines):
    lines = []

    class Recorder(QPainter):
        def drawPath(self, path):
            lines.append((path.elementAt(0), path.currentPosition(), self.pen().style()))
            super().drawPath(path)

    monkeypatch.setattr(rank_rows, "QPainter", Recorder)
    view = shown([row([3, 1, 2, 0]), row([2, 0, 1, 3], "B")])  # levels 0 1 2 0 and 2 0 1 0
    view.set_all_lines(all_lines)
    lines.clear()
    view.viewport().grab()
    expected = {(2, 3): False, (3, 1): True}  # rank above and below: solid
    if all_lines:
        expected |= {(1, 4): True, (4, 2): True}
    found = {
        (round(start.x), round(end.x())): style == Qt.PenStyle.SolidLine
        for start, end, style in lines
        if end.y() > start.y
    }
    centres = {
        (round(view.card(0, above).center().x()), round(view.card(1, below).center().x())): solid
        for (above, below), solid in expected.items()
    }
    assert found == centres


def test_hovered_model_is_highlighted_in_all_rows(lists, qtbot):
    emitted = []
    lists.item_hovered.connect(emitted.append)
    qtbot.mouseMove(lists.viewport(), lists.card(0, 5).center().toPoint())
    assert emitted == [4]
    before = lists.viewport().grab().toImage()
    other = lists.card(1, 2).toRect()
    qtbot.mouseMove(lists.viewport(), lists.card(0, 4).center().toPoint())
    after = lists.viewport().grab().toImage()
    assert before.copy(other) != after.copy(other)
    assert emitted == [4, 3]
    lists.set_current(0, 5)
    qtbot.mouseMove(lists.viewport(), lists.card(0, 5).center().toPoint())
    assert emitted == [4, 3, 4], "also where it is the current one"


@pytest.mark.parametrize("name", ["m1234567_with_a_long_name", "M1"])
def test_texts_of_a_card_stay_within_its_width(shown, written, monkeypatch, name):
    monkeypatch.setattr(Faces, "name", lambda self, item: name)
    view = shown([row(range(2000)), row(range(1000, 2000), "B")], 560)
    view.set_current(0, 1500)
    written.clear()
    view.viewport().grab()
    first, last = view.visible_ranks()
    cards = [view.card(number, index + 1) for number in (0, 1) for index in range(first, min(last, 999) + 1)]
    for text, box in written:
        for card in cards:
            if card.contains(box.center()) and box.width() > 0:
                assert card.left() <= box.left() <= box.right() <= card.right(), text


def test_positions_are_mutual():
    one, other = row([4, 2, 9, 7]), row([9, 4, 1])
    there, back = indices_of(one.items, first_indices(other)), indices_of(other.items, first_indices(one))
    assert there.tolist() == [1, -1, 0, -1]
    for place, target in enumerate(there):
        if target >= 0:
            assert back[target] == place
    assert indices_of(one.items, first_indices(row([]))).tolist() == [-1] * 4


ITEMS = st.lists(st.integers(-1, 9), max_size=12)


@given(ITEMS, ITEMS)
def test_positions_are_first_indices_in_the_other_list(items, others):
    models, known = row(items).items, first_indices(row(others))
    expected = [others.index(item) if item >= 0 and item in others else -1 for item in items]
    assert indices_of(models, known).tolist() == expected
    assert [int(indices_of(model, known)) for model in models] == expected


@given(ITEMS, ITEMS, st.integers(0, 12), st.integers(0, 12))
def test_links_are_those_of_the_models_in_sight(items, others, start, length):
    """Compared with a slow definition; a repeated model is where it is first, but its other cards have links, too."""
    rows, visible = (row(items), row(others)), range(start, start + length)
    found = {(link.upper, link.lower) for link in row_links(rows, [first_indices(one) for one in rows], visible)}

    def place(models, model):
        return models.index(model) if model >= 0 and model in models else -1

    down = {(index, place(others, items[index])) for index in visible if index < len(items)}
    up = {(place(items, others[index]), index) for index in visible if index < len(others)}
    assert found == down | {pair for pair in up if pair[0] not in visible}


def test_keys_move_within_and_between_rows(lists, qtbot):
    emitted = []
    lists.card_selected.connect(lambda place, rank: emitted.append((place, rank)))
    qtbot.mouseClick(lists.viewport(), Qt.MouseButton.LeftButton, pos=lists.card(0, 2).center().toPoint())
    page = lists.visible_ranks()[1] + 1
    keys = (
        Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_End,
        Qt.Key.Key_Home, Qt.Key.Key_Down,
    )  # fmt: skip
    for key in keys:
        qtbot.keyClick(lists, key)
        row_number, rank = lists.current
        first, last = lists.visible_ranks()
        assert first < rank <= last + 1, "the selected card is in sight"
        assert lists.card_at(lists.card(row_number, rank).center().toPoint()) == lists.current
    assert emitted == [(0, 2), (0, 3), (1, 3), (1, 2), (1, 2 + page), (1, 2), (1, 88), (1, 1), (2, 1)]
    with qtbot.waitSignal(lists.card_activated) as opened:
        qtbot.keyClick(lists, Qt.Key.Key_Return)
    assert opened.args == [2, 1]


def test_current_card_is_scrolled_into_view_without_signal(lists, qtbot):
    with qtbot.assertNotEmitted(lists.card_selected):
        lists.set_current(0, 95)
    box = lists.card(0, 95)
    assert box.left() > lists.head(0).right()
    assert box.right() <= lists.viewport().width()
    first, last = lists.visible_ranks()
    assert first <= 94 <= last
    lists.set_current(0, None)
    assert lists.current is None


def test_the_wheel_scrolls_ranks_and_over_the_names_rows(shown, qtbot):
    view = shown([row(range(100), f"R{number}") for number in range(6)])
    assert view.verticalScrollBar().maximum() > 0
    with qtbot.waitSignal(view.visible_ranks_changed) as emitted:
        wheel(view, steps=2)
    assert tuple(emitted.args) == view.visible_ranks()
    assert emitted.args[0] > 0
    assert view.verticalScrollBar().value() == 0
    ranks = view.visible_ranks()
    wheel(view, view.head(0).center())
    assert view.verticalScrollBar().value() > 0
    assert view.visible_ranks() == ranks


def test_isolated_list_is_shown_alone_in_the_same_place(lists):
    lists.show_only(0)
    alone = lists.card(0, 1)
    lists.show_only(1)
    assert lists.card(1, 1) == alone
    assert lists.card_at(alone.center().toPoint()) == (1, 1)
    lists.show_only(None)
    assert lists.card(1, 1) != alone


def test_missing_list_shows_the_reason(lists, use_theme):
    lists.set_rows([row([1]), row([], "B", "Under SHREC 2006 it counts as an empty list.")])
    use_theme(DARK)
    dark = lists.viewport().grab().toImage()
    use_theme(LIGHT)
    assert lists.viewport().grab().toImage() != dark
    lists.set_rows([])
    assert lists.visible_ranks() == (0, -1)


def test_tooltip_names_the_rank_in_the_first_list(shown):
    view = shown([row([4, 9, 2, 5]), row([9, 4, 6, 7], "B"), row([4, 6, 8], "C")])
    assert [view.card_tooltip(0, rank).splitlines()[-1] for rank in (1, 3)] == [
        "distance 0.4000",
        "in no other list shown",
    ]
    assert view.card_tooltip(1, 3).splitlines()[-1] == "not among the 4 models that A lists"
    assert view.card_tooltip(1, 1).splitlines()[-1] == "1 rank better than in A (rank 2)"
    assert view.card_tooltip(2, 1).splitlines()[-1] == "at the same rank in A"
