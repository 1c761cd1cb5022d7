"""Columns of a table of scores are as wide as what they show, and nobody measures them while nobody sees them."""

import pytest
from PySide6.QtWidgets import QStackedWidget, QStyleOptionViewItem, QWidget
from widget_models import board

from shrec_viewer.widgets.score_paint import ScoreDelegate
from shrec_viewer.widgets.score_table import ScoreTable


@pytest.fixture
def pages(qtbot):
    """A table behind another page."""
    shown = QStackedWidget()
    qtbot.addWidget(shown)
    shown.addWidget(QWidget())
    shown.table = ScoreTable()
    shown.addWidget(shown.table)
    shown.resize(600, 300)
    shown.show()
    qtbot.waitExposed(shown)
    return shown


@pytest.fixture
def measured(monkeypatch):
    """How often columns were measured."""
    counts = []
    widths = ScoreDelegate.column_widths
    monkeypatch.setattr(ScoreDelegate, "column_widths", lambda *args: counts.append(1) or widths(*args))
    return counts


def columns(table):
    return [table.columnWidth(column) for column in range(table.model().columnCount())]


def test_a_hidden_table_is_measured_once_it_is_seen(pages, measured):
    model = board()
    pages.table.setModel(model)
    for _ in range(3):
        model.beginResetModel()
        model.endResetModel()
    pages.table.refit()
    assert not measured
    pages.setCurrentIndex(1)
    assert len(measured) == 1
    wide = columns(pages.table)
    pages.setCurrentIndex(0)
    pages.setCurrentIndex(1)
    assert len(measured) == 1
    model.beginResetModel()
    model.endResetModel()
    assert len(measured) == 2
    assert columns(pages.table) == wide
    assert sum(wide) <= pages.table.viewport().width()


def test_columns_are_measured_as_their_cells_ask_for(pages):
    model = board()
    pages.table.setModel(model)
    pages.setCurrentIndex(1)
    table, option = pages.table, QStyleOptionViewItem()
    table.initViewItemOption(option)
    for column, width in enumerate(table.itemDelegate().column_widths(table.font())):
        cells = (table.model().index(row, column) for row in range(table.model().rowCount()))
        asked = max(table.itemDelegate().sizeHint(option, cell).width() for cell in cells)
        assert asked <= width <= asked + 6
        assert table.columnWidth(column) >= width
