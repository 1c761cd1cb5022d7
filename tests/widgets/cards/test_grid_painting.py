"""The grid paints what changed and nothing else: what keeps 51,000 cards scrolling without a hitch."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from widget_models import cards

from shrec_viewer.widgets.cards.card_grid import CardDelegate, CardGrid
from shrec_viewer.widgets.style.theme import LIGHT, apply_theme

COUNT = 51_000


@pytest.fixture(scope="module")
def model():
    return cards(COUNT)


@pytest.fixture
def grid(qtbot, model, monkeypatch):
    apply_theme(QApplication.instance(), LIGHT)
    view = CardGrid()
    qtbot.addWidget(view)
    view.setModel(model)
    view.resize(900, 700)
    view.show()
    qtbot.waitExposed(view)
    view.painted = []
    real = CardDelegate.paint

    def paint(self, painter, option, index):
        view.painted.append(index.row())
        real(self, painter, option, index)

    monkeypatch.setattr(CardDelegate, "paint", paint)
    qtbot.wait(80)
    view.painted.clear()
    return view


def test_scrolling_paints_new_rows(grid):
    columns, pitch = grid.columns(), grid._pitch()
    before = grid.visible_rows()
    grid.verticalScrollBar().setValue(pitch)
    QApplication.processEvents()
    assert 0 < len(grid.painted) <= 3 * columns
    assert max(grid.painted) == before[1] + columns


def test_only_changed_cards_are_repainted(grid, qtbot):
    first, last = grid.visible_rows()
    for row in (first, last - grid.columns()):
        index = grid.model().index(row, 0)
        grid.model().dataChanged.emit(index, index, [])
    qtbot.waitUntil(lambda: bool(grid.painted))
    assert set(grid.painted) == {first, last - grid.columns()}


def test_resized_grid_has_no_old_pixels(grid):
    """Moved pixels and painted ones must meet: the picture is that of a grid that was never scrolled."""
    for value in (37, 200, 129, 1000, 990):
        grid.verticalScrollBar().setValue(value)
        QApplication.processEvents()
    screen = grid.screen().grabWindow(grid.winId()).toImage()
    if screen.isNull():
        pytest.skip("this platform shows no window that could be photographed")
    corner = grid.viewport().mapTo(grid, QPoint())
    moved = screen.copy(corner.x(), corner.y(), grid.viewport().width(), grid.viewport().height())
    assert moved == grid.viewport().grab().toImage().convertToFormat(moved.format())
