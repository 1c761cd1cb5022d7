"""Bars of gains and losses: heights follow the differences, mouse and keys select, ticks are round numbers."""

import numpy as np
import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPixmap

from shrec_viewer.render.scene.palette import RANK_CHANGE
from shrec_viewer.widgets.comparison.gain_loss import MAX_BAR_WIDTH, GainLossBars
from shrec_viewer.widgets.style.theme import LIGHT


def resize_contents(bars, width, height):
    """Give the viewport this size, with and without the border of the style sheet around it."""
    bars.resize(QSize(width, height) + bars.size() - bars.viewport().size())
    assert bars.viewport().size() == QSize(width, height)


@pytest.fixture
def bars(qtbot):
    bars = GainLossBars()
    qtbot.addWidget(bars)
    bars.resize(500, 200)
    bars.set_bars(tuple("abcde"), np.array([0.4, 0.1, 0.0, np.nan, -0.3]), title="AP: B − A")
    bars.show()
    qtbot.waitExposed(bars)
    resize_contents(bars, 500, 200)
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
    resize_contents(bars, 600, 160)
    with_title, without = [], []
    for title, colours in (("Difference of AP", with_title), ("", without)):
        bars.set_bars(tuple("abcdefghijkl"), gains, title=title)
        image = bars.viewport().grab().toImage()
        change = {RANK_CHANGE["light"][key].lower() for key in ("up", "down")}
        colours += [image.pixelColor(x, y).name() in change for x in range(0, 600, 3) for y in range(0, 160, 2)]
    assert sum(with_title) == sum(without) > 100


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
