"""Columns of a table of scores are as wide as what they show, and are measured only while visible."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStackedWidget, QStyleOptionViewItem, QWidget
from widget_models import board

from shrec_viewer.widgets.tables.score_columns import ScoreColumnChooser
from shrec_viewer.widgets.tables.score_table import ScoreDelegate, ScoreTable


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


def test_hidden_table_is_fitted_when_shown(pages, measured):
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


def test_column_widths_equal_size_hints(pages):
    model = board()
    pages.table.setModel(model)
    pages.setCurrentIndex(1)
    table, option = pages.table, QStyleOptionViewItem()
    table.initViewItemOption(option)
    shown = range(table.model().columnCount())
    for column, width in zip(shown, table.itemDelegate().column_widths(table.font(), shown), strict=True):
        cells = (table.model().index(row, column) for row in range(table.model().rowCount()))
        preferred = max(table.itemDelegate().sizeHint(option, cell).width() for cell in cells)
        assert preferred <= width <= preferred + 6
        assert table.columnWidth(column) >= width


def test_shown_column_is_fitted_and_others_keep_user_widths(pages, qtbot):
    model = board()
    pages.table.setModel(model)
    pages.setCurrentIndex(1)
    table, chooser = pages.table, ScoreColumnChooser(pages.table)
    usual = columns(table)
    name, last = list(chooser.columns().items())[-1]
    chooser.set_hidden({name})
    header, wider = table.horizontalHeader(), 37
    edge = QPoint(header.sectionViewportPosition(1) + header.sectionSize(1) - 1, header.height() // 2)
    before = header.sectionSize(1)
    QTest.mousePress(header.viewport(), Qt.MouseButton.LeftButton, pos=edge)
    QTest.mouseMove(header.viewport(), edge + QPoint(wider, 0))
    QTest.mouseRelease(header.viewport(), Qt.MouseButton.LeftButton, pos=edge + QPoint(wider, 0))
    assert header.sectionSize(1) == before + wider
    chooser.set_hidden(())
    assert header.sectionSize(1) == before + wider
    assert not table.isColumnHidden(last)
    least = table.itemDelegate().column_widths(table.font(), [last])[0]
    assert least <= table.columnWidth(last) <= usual[last]


def test_hidden_columns_are_not_measured(pages, monkeypatch):
    pages.table.setModel(board())
    pages.setCurrentIndex(1)
    chooser, measured = ScoreColumnChooser(pages.table), []
    hidden = list(chooser.columns().items())[1:]
    widths = ScoreDelegate.column_widths
    monkeypatch.setattr(ScoreDelegate, "column_widths", lambda s, f, c: measured.extend(c) or widths(s, f, c))
    chooser.set_hidden(name for name, _ in hidden)
    pages.table.refit()
    assert measured
    assert not {column for _, column in hidden} & set(measured)
