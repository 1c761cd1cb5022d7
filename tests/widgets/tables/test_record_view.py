"""Table of records: widths of the columns while it is hidden and when it is shown."""

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, Qt
from PySide6.QtWidgets import QApplication, QTableView, QVBoxLayout, QWidget

from shrec_viewer.viewmodels.diagnosis.record_table import Difference, Record, RecordTableModel
from shrec_viewer.widgets.style.theme import apply_text_size
from shrec_viewer.widgets.tables.record_view import RecordView

ROWS, COLUMNS = 300, 3


class CountingModel(QAbstractTableModel):
    """Model of long texts that counts requests for cells."""

    def __init__(self):
        super().__init__()
        self.requests = 0

    def rowCount(self, parent=QModelIndex()):  # noqa: B008 - Qt's way
        return 0 if parent.isValid() else ROWS

    def columnCount(self, parent=QModelIndex()):  # noqa: B008 - Qt's way
        return 0 if parent.isValid() else COLUMNS

    def data(self, index, role=Qt.ItemDataRole.DisplayRole):
        self.requests += 1
        return f"{index.row():,} of many long texts" if role == Qt.ItemDataRole.DisplayRole else None


def test_columns_of_a_hidden_table_are_fitted_when_it_is_shown(qtbot):
    model = CountingModel()
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    model.beginResetModel()
    model.endResetModel()
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
    model = RecordTableModel(("Name", "A number", "", "Sign"))
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    assert [view.sizeHintForColumn(column) for column in range(4)] == [0] * 4
    cells = [
        ("iiiiiiiiiiii", 0.5, None, Difference(0.1)),
        ("WWWWWWWW", 12345.0, None, Difference(-10.0)),
        ("", 7, "", 0),
    ]
    model.set_records([Record(index, row) for index, row in enumerate(cells * 4)])
    for column in range(4):
        assert view.sizeHintForColumn(column) == QTableView.sizeHintForColumn(view, column)


def test_fitted_columns_read_each_cell_once(qtbot):
    model = CountingModel()
    view = RecordView(model, "Records")
    qtbot.addWidget(view)
    for column in range(COLUMNS):
        assert view.sizeHintForColumn(column) > 0
    assert model.requests < 1.1 * ROWS * COLUMNS  # of Qt: nine for each cell


class CountingView(RecordView):
    """Table of records that counts how often its columns are fitted."""

    n_fits = 0

    def resizeColumnsToContents(self):  # noqa: N802 - Qt's name
        self.n_fits += 1
        super().resizeColumnsToContents()


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
