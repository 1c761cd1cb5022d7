"""Tables of records: rows that keep their keys, order, filter and copies; widths of the columns."""

import random
from time import process_time

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication, QHeaderView, QLineEdit, QTableView, QVBoxLayout, QWidget

from shrec_viewer.charts.table import Table, TableColumn
from shrec_viewer.widgets.style.theme import DARK, LIGHT, apply_text_size, apply_theme
from shrec_viewer.widgets.tables.record_table import EditableTableModel, Mark, RecordTableModel
from shrec_viewer.widgets.tables.record_view import RecordView

ROWS, COLUMNS = 300, 3
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
ACROSS = Qt.Orientation.Horizontal


def table_of(rows, keys=("name", "value")):
    numbers = [all(isinstance(row[at], int | float | None) for row in rows) for at in range(len(keys))]
    columns = tuple(TableColumn(key, is_number=number) for key, number in zip(keys, numbers, strict=True))
    return Table("records", "Records", columns, tuple(rows))


def texts(model, column=0):
    return [model.index(row, column).data() for row in range(model.rowCount())]


class CountingModel(RecordTableModel):
    """Model of long texts that counts requests for cells."""

    def __init__(self):
        super().__init__()
        self.requests = 0
        self.set_table(table_of([(f"{row:,} of many long texts",) * COLUMNS for row in range(ROWS)], "abc"))

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        self.requests += 1
        return super().data(index, role)


@pytest.fixture
def model():
    model = RecordTableModel()
    model.set_table(table_of([("b", 0.5), ("a", None), ("C", 2.0)]), ["x", "y", "z"], tips=["tip of b", "", ""])
    return model


@pytest.fixture
def view(model, qtbot):
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    view.resize(400, 300)
    view.show()
    qtbot.waitExposed(view)
    return view


def test_cells_say_their_column_and_have_the_tip_of_their_row(model):
    cell = model.index(0, 1)
    assert cell.data() == "0.500"
    assert cell.data(Qt.ItemDataRole.AccessibleTextRole) == "value: 0.500"
    assert cell.data(Qt.ItemDataRole.ToolTipRole) == cell.data(Qt.ItemDataRole.AccessibleDescriptionRole) == "tip of b"
    assert model.index(1, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "value: none"
    assert model.index(1, 1).data(Qt.ItemDataRole.ToolTipRole) is None


def test_headers_of_numbers_are_above_the_numbers(model, qtbot):
    role = Qt.ItemDataRole.TextAlignmentRole
    assert [model.headerData(column, ACROSS, role) for column in range(2)] == [None, RIGHT]
    assert [model.index(0, column).data(role) for column in range(2)] == [None, RIGHT]
    with qtbot.waitSignal(model.headerDataChanged):
        model.set_table(table_of([]))
    assert [model.headerData(column, ACROSS, role) for column in range(2)] == [None, None]


def test_rows_are_sorted_and_filtered_as_exported_tables_are(model):
    assert model.sorting == ""
    model.sort(0)
    assert (texts(model), model.sorting) == (["a", "b", "C"], "name")
    for order, expected in ((Qt.SortOrder.AscendingOrder, "xzy"), (Qt.SortOrder.DescendingOrder, "zxy")):
        model.sort(1, order)
        assert "".join(model.keys) == expected, "rows without a value are last in both directions"
    assert model.sorting == "-value"
    model.set_filter(" C ")
    assert (model.keys, model.filter_text, model.total) == (["z"], "c", 3)
    assert model.table.rows == (("C", 2.0),)
    model.set_filter("")
    model.sort(-1)
    assert "".join(model.keys) == "xyz"


def test_sort_keys_replace_the_cells(model):
    model.set_table(table_of([("low", 1), ("high", 2), ("middle", 3)]), sort_keys={0: [0, 2, 1].__getitem__})
    model.sort(0, Qt.SortOrder.DescendingOrder)
    assert texts(model) == ["high", "middle", "low"]


def test_any_sequence_of_tables_filters_and_orders_is_consistent():
    """`QAbstractItemModelTester` ends the test where a signal does not fit the rows."""
    model, chance = RecordTableModel(), random.Random(7)
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for step in range(200):
        keys = chance.sample(range(30), chance.randrange(25))
        if chance.random() < 0.7:
            keys.sort()
        rows = {key: (f"name {key}", chance.choice([None, key, step])) for key in keys}
        columns = ("name", "value") if step % 9 else ("name", "other")
        model.set_table(table_of(rows.values(), columns), keys)
        expected = keys
        if step % 3 == 0:
            model.set_filter(chance.choice(["", "1", "name 2"]))
            words = model.filter_text.split()
            expected = [key for key in keys if all(word in f"{rows[key][0]} {rows[key][1]}" for word in words)]
        elif model.filter_text:
            model.set_filter("")
        if step % 5 == 0:
            model.sort(chance.choice([-1, 0, 1]), chance.choice(list(Qt.SortOrder)))
            assert sorted(model.keys) == sorted(expected)
            model.sort(-1)
        assert model.keys == expected
        assert texts(model) == [rows[key][0] for key in expected]


@pytest.mark.parametrize("n_rows", [20, 1000])  # rows are matched, or all are replaced
def test_the_current_row_keeps_its_key(view, model, n_rows):
    emitted = []
    view.row_selected.connect(emitted.append)

    def show(keys):
        model.set_table(table_of([(f"row {key}", key) for key in keys]), keys)

    show(range(1, n_rows + 1))
    view.selectRow(7)
    assert (emitted, view.current_key) == ([8], 8)
    show([100_000, *range(5, n_rows + 1)])
    assert (view.current_key, view.selected_keys(), view.currentIndex().row()) == (8, [8], 4)
    model.sort(1, Qt.SortOrder.DescendingOrder)
    assert (view.current_key, view.selected_keys()) == (8, [8])
    model.set_filter("100000")
    assert (view.current_key, view.selected_keys()) == (None, [])
    model.set_filter("")
    assert (view.current_key, view.selected_keys()) == (8, [8])
    show(range(10, n_rows))
    assert (view.current_key, view.selected_keys()) == (None, [])
    assert emitted == [8], "new rows do not emit"
    view.set_current_key(12)
    assert (view.current_key, view.selected_keys(), emitted) == (12, [12], [8])


def test_a_hidden_header_stays_hidden_when_the_current_row_is_left_out(view, model):
    view.show_header(False)
    view.setCurrentIndex(model.index(0, 0))
    for text in ("C", ""):
        model.set_filter(text)
        assert view.horizontalHeader().isHidden()
    view.show_header(True)
    assert not view.horizontalHeader().isHidden()


def test_other_rows_select_one_row_while_shift_is_held(view, model, qtbot):
    view.selectRow(0)
    qtbot.keyPress(view, Qt.Key.Key_Shift, Qt.KeyboardModifier.ShiftModifier)
    assert QGuiApplication.keyboardModifiers() == Qt.KeyboardModifier.ShiftModifier
    model.set_table(model.table.with_rows([2, 1, 0]), ["z", "y", "x"])
    assert (view.current_key, view.selected_keys()) == ("x", ["x"])
    view.set_current_key("z")
    assert (view.current_key, view.selected_keys()) == ("z", ["z"])


def test_other_rows_do_not_end_the_editing_of_a_text(qtbot):
    model = EditableTableModel(0)
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    view.show()
    model.set_table(table_of([("old", 1)]), ["k"])
    view.edit(model.index(0, 0))
    field = view.findChild(QLineEdit)
    qtbot.keyClicks(field, "new ")
    model.set_table(table_of([("first", 3), ("old", 2), ("last", 3)]), ["a", "k", "z"])
    assert texts(model, 1) == ["3", "2", "3"]
    qtbot.keyClicks(field, "text")
    with qtbot.waitSignal(model.edited) as edited:
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert edited.args == ["k", "new text"]
    assert texts(model) == ["first", "old", "last"]


def test_several_selected_rows_are_copied_or_all(view, qtbot):
    copied = []
    view.setFocus()
    for keys in ("", "x", "xz"):
        view.clearSelection()
        for key in keys:
            rows = view.selectionModel().SelectionFlag.Select | view.selectionModel().SelectionFlag.Rows
            view.selectionModel().select(view.model().index(view.model().row_of(key), 0), rows)
        qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        copied.append(QApplication.clipboard().text())
    everything = "name\tvalue\nb\t0.500\na\t\nC\t2.000"
    assert copied == [everything, everything, "name\tvalue\nb\t0.500\nC\t2.000"]


def test_cells_are_copied_in_full_precision(qtbot):
    model = RecordTableModel()
    view = RecordView(model, "Records", selects_cells=True, is_sortable=False)
    qtbot.addWidget(view)
    columns = (TableColumn("rank", is_number=True, shown_digits=0), TableColumn("A, 1", is_number=True))
    model.set_table(Table("values", "", columns, ((1, 0.123456789), (2000, None), (3, float("nan")))))
    assert texts(model) == ["1", "2,000", "3"]
    assert texts(model, 1) == ["0.123", "", "–"]
    view.copy()
    assert QApplication.clipboard().text() == "rank\tA, 1\n1\t0.123456789\n2000\t\n3\t"
    view.setCurrentIndex(model.index(0, 1))
    view.selectionModel().select(model.index(1, 1), view.selectionModel().SelectionFlag.Select)
    view.copy()
    assert QApplication.clipboard().text() == "A, 1\n0.123456789\n"


def test_return_double_click_and_delete_are_signals(view, model, qtbot):
    activated, deleted = [], []
    view.row_activated.connect(activated.append)
    view.delete_requested.connect(lambda: deleted.append(True))
    view.selectRow(2)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    at = view.visualRect(model.index(1, 0)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert (activated, deleted) == (["z", "y"], [True])


def test_marks_are_painted_in_the_theme(view, model, qapp):
    plain = view.grab().toImage()
    view.mark_columns()
    assert view.grab().toImage() == plain
    images = [plain]
    for mark in (Mark("warning", "warning"), Mark(share=0.5), Mark(level=0)):
        model.set_table(model.table, model.keys, marks=lambda row, _column, mark=mark: mark if row == 0 else None)
        for theme in (DARK, LIGHT):
            apply_theme(qapp, theme)
            images.append(view.grab().toImage())
    assert all(image not in images[:at] for at, image in enumerate(images))


def test_a_hundred_thousand_rows_are_shown_sorted_and_filtered_in_time(view, model):
    rows = [(f"runs/A{number % 7}/q{number}", number * 7 % 1000) for number in range(100_000)]
    table, keys = table_of(rows), list(range(100_000))
    for change in (
        lambda: model.set_table(table, keys),
        lambda: view.selectRow(50_000),
        lambda: model.sort(1),
        lambda: model.set_filter("q999"),
        lambda: model.set_filter(""),
        lambda: model.set_table(table, keys),
    ):
        start = process_time()
        change()
        QApplication.processEvents()
        assert process_time() - start < 2, "0.2 s on one core"
    assert view.current_key == 50_000


def test_stretched_and_given_widths_stay(qtbot):
    model = RecordTableModel()
    view = RecordView(model, "Records", stretched=(1,), widths={2: 5.0})
    qtbot.addWidget(view)
    view.resize(500, 200)
    view.show()
    for number in range(3):  # columns appear after the view was made
        model.set_table(table_of([("w" * (4 + 4 * number), "long text " * 30, 1)], ("a", "b", "c")))
        qtbot.waitUntil(lambda: not view._fit_timer.isActive())
        widths = [view.columnWidth(column) for column in range(3)]
        assert view.horizontalHeader().sectionResizeMode(1) == QHeaderView.ResizeMode.Stretch
        assert widths[0] > view.fontMetrics().horizontalAdvance("w" * (4 + 4 * number))
        assert widths[2] == 5 * view.fontMetrics().height()
        assert sum(widths) == view.viewport().width()
        assert not view.horizontalScrollBar().isVisible()
        model.set_table(Table("", "", (), ()))


def test_a_stretched_column_stays_readable_where_others_take_the_width(view, model, qtbot):
    view = RecordView(model, "Records", stretched=(0,))
    qtbot.addWidget(view)
    view.show()
    for width, is_stretched in ((400, True), (150, False), (400, True)):
        view.resize(width, 200)
        model.set_table(table_of([("a long name " * 9, 0.5, "w" * 12)], ("name", "value", "text")))
        qtbot.waitUntil(lambda: not view._fit_timer.isActive())
        is_filled = view.horizontalHeader().length() == view.viewport().width()
        assert is_filled == is_stretched
        assert view.columnWidth(0) >= 6 * view.fontMetrics().height()


def test_columns_of_a_hidden_table_are_fitted_when_it_is_shown(qtbot):
    model = CountingModel()
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    model.requests = 0
    model.sort(-1)
    for kind in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
        QApplication.sendEvent(view, QEvent(kind))
        qtbot.waitUntil(lambda: not view._fit_timer.isActive())
    assert not model.requests  # 60,000 requests for a change of the theme with four such tables

    view.resize(700, 300)
    view.show()
    qtbot.waitExposed(view)
    text_width = view.fontMetrics().horizontalAdvance(f"{ROWS - 1:,} of many long texts")
    qtbot.waitUntil(lambda: all(view.columnWidth(column) > text_width for column in range(COLUMNS)))


def test_columns_are_as_wide_as_the_hints_of_all_cells(qtbot):
    model = RecordTableModel()
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    assert view.sizeHintForColumn(0) == 0
    cells = [("iiiiiiiiiiii", 0.5, None), ("WWWWWWWW", 12345.0, None), ("", 7, "")]
    model.set_table(table_of(cells * 4, ("Name", "A number", "")))
    for column in range(3):
        assert view.sizeHintForColumn(column) == QTableView.sizeHintForColumn(view, column)


def test_fitted_columns_read_each_cell_once(qtbot):
    model = CountingModel()
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    model.requests = 0
    for column in range(COLUMNS):
        assert view.sizeHintForColumn(column) > 0
    assert model.requests < 1.1 * ROWS * COLUMNS  # of Qt: nine for each cell


class CountingView(RecordView):
    """Table of records that counts how often its first column is fitted."""

    n_fits = 0

    def resizeColumnToContents(self, column):  # noqa: N802 - Qt's name
        self.n_fits += column == 0
        super().resizeColumnToContents(column)


def test_another_text_size_fits_the_columns_of_each_visible_table_once(qtbot):
    app = QApplication.instance()
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    views = [CountingView(CountingModel(), "Records") for _ in range(3)]
    for view in views:
        layout.addWidget(view)
    window.show()
    qtbot.waitExposed(window)
    try:
        for percent in (150, 100):
            qtbot.waitUntil(lambda: not any(view._fit_timer.isActive() for view in views))
            widths = [view.columnWidth(0) for view in views]
            for view in views:
                view.n_fits = 0
            apply_text_size(app, percent)
            qtbot.waitUntil(lambda: not any(view._fit_timer.isActive() for view in views))
            qtbot.wait(50)  # any later fitting
            assert [view.n_fits for view in views] == [1, 1, 1]
            assert all(
                (view.columnWidth(0) > width) == (percent > 100) for view, width in zip(views, widths, strict=True)
            )
    finally:
        apply_text_size(app, 100)
