"""The matrix of thumbnails moves its pixels when it is scrolled, and paints only what appears."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QPixmap

from shrec_viewer.widgets.cards.list_matrix import VISIBLE_DELAY_MS, ListMatrixView

ROWS, RANKS, MODELS = 30, 50, 60


class Content:
    """Lists of coloured squares; counts the thumbnails that are asked for."""

    def __init__(self):
        random_numbers = np.random.default_rng(4)
        self.lists = [
            SimpleNamespace(
                items=random_numbers.permutation(MODELS)[:RANKS], levels=random_numbers.integers(0, 3, RANKS)
            )
            for _ in range(ROWS)
        ]
        self.pixmaps = [QPixmap(20, 20) for _ in range(MODELS)]
        for item, pixmap in enumerate(self.pixmaps):
            pixmap.fill(QColor.fromHsv(item * 6, 200, 200))
        self.painted = 0

    def thumbnail(self, item):
        self.painted += 1
        return self.pixmaps[item]

    def list_of(self, row):
        return self.lists[row] if row != 5 else None

    def is_current(self, row):
        return row == 3

    def title(self, row):
        return f"Run {row}"

    def value_text(self, row):
        return f"{row / ROWS:.3f}"

    def problem(self, item):
        return ""

    def row_text(self, row):
        return ""

    def cell_text(self, row, rank):
        return ""


@pytest.fixture
def view(qtbot):
    found = ListMatrixView(Content())
    qtbot.addWidget(found)
    found.resize(640, 400)
    found.set_size(ROWS, RANKS)
    found.set_cursor(7)
    found.set_current(6, 9)
    found.set_highlighted_model(int(found._content.lists[2].items[4]))
    with qtbot.waitExposed(found):
        found.show()
    qtbot.waitUntil(lambda: found._content.painted > 0)
    return found


def on_screen(view, app):
    """Pixels of the window as they are on the screen, not painted for the test."""
    app.processEvents()
    return view.screen().grabWindow(view.winId()).toImage()


def test_a_scrolled_matrix_looks_as_if_painted_whole(view, qapp):
    steps, bars = random.Random(8), (view.horizontalScrollBar(), view.verticalScrollBar())
    looks = set()
    for _ in range(25):
        for bar in steps.sample(bars, steps.choice((1, 2))):
            bar.setValue(bar.value() + steps.randint(-90, 130))
        scrolled = on_screen(view, qapp)
        view.viewport().update()
        assert scrolled == on_screen(view, qapp)
        looks.add((bars[0].value(), bars[1].value()))
    assert len(looks) > 15
    assert not scrolled.isNull()


def test_a_frame_paints_the_cells_that_appear(view, qapp):
    (first_row, last_row), (first, last) = view.visible_rows(), view.visible_ranks()
    for bar, most in (
        (view.verticalScrollBar(), last - first + 1),
        (view.horizontalScrollBar(), last_row - first_row + 1),
    ):
        on_screen(view, qapp)
        view._content.painted = 0
        bar.setValue(bar.value() + 10)
        on_screen(view, qapp)
        assert 0 < view._content.painted <= 2 * most


def test_a_cell_that_is_higher_than_the_view_is_shown_from_its_start(view, qtbot):
    view.resize(640, view.header_height + view.pitch // 2)
    bar = view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.pageStep() < view.pitch)
    view.set_current(2, 3)
    assert bar.value() == 2 * view.pitch
    view.set_current(0, 1)
    view.set_current(1, 1)
    assert bar.value() == view.pitch


def test_the_outline_of_the_current_cell_follows_the_focus(view, qapp):
    view.activateWindow()
    view.clearFocus()
    before = on_screen(view, qapp)
    view.setFocus()
    focused = on_screen(view, qapp)
    assert focused != before
    view.clearFocus()
    assert on_screen(view, qapp) == before


def test_the_delay_of_the_visible_cells_does_not_depend_on_the_position(view):
    """A scroll bar connected to the timer itself would pass its value as the interval."""
    view.verticalScrollBar().setValue(view.verticalScrollBar().maximum())
    assert [timer.interval() for timer in view.findChildren(QTimer) if timer.isActive()] == [VISIBLE_DELAY_MS]
