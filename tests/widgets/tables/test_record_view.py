"""Table of records: widths of the columns while it is hidden and when it is shown."""

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, Qt
from PySide6.QtWidgets import QApplication

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
