"""A table of the first lines of a file, with the meaning of each column above it, to be changed there."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from shrec_viewer.widgets.roles import Roles
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

ROW_HEIGHT = 24

WIDTHS = (84, 260)
"""Pixels of a column at least and at most; a column is as wide as what is in it within these bounds."""

CHOICE_WIDTH = 120
"""Pixels of a column that has a field above it, at least."""


@dataclass(frozen=True)
class Meanings:
    """What a column can mean: keys with their words, and the key it means now. No choices: it cannot be changed."""

    choices: tuple[tuple[str, str], ...] = ()
    chosen: str = ""


class ImportTable(QTableView):
    """Shows lines of a file; roles are looked up by name: ``passed_over`` (bool) greys a cell.

    Signals
    -------
    meaning_picked(column, key)
        The person says that a column means something else.
    """

    meaning_picked = Signal(int, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = _Head(self)
        self._lines = _LineDelegate(self)
        self.setHorizontalHeader(self._head)
        self.setItemDelegate(self._lines)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        rows.setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        rows.setHighlightSections(False)
        rows.setStyleSheet("QHeaderView::section { border: none; font-weight: normal; }")
        self._head.setHighlightSections(False)
        self._head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._head.picked.connect(self.meaning_picked)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Qt override."""
        super().setModel(model)
        self._lines.passed_over = Roles(model).number("passed_over")
        if model is not None:
            model.modelReset.connect(self._fit)

    def set_meanings(self, columns: Sequence[Meanings]) -> None:
        """Say what each column means; tells nobody."""
        self._head.set_meanings(columns)
        self._fit()

    def field(self, column: int) -> QComboBox | None:
        """The field above a column, where its meaning can be changed."""
        return self._head.fields.get(column)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._lines.theme = theme
        self.viewport().update()

    @Slot()
    def _fit(self) -> None:
        model = self.model()
        rows = 0 if model is None else model.rowCount()
        self.verticalHeader().setVisible(any(model.headerData(row, Qt.Orientation.Vertical) for row in range(rows)))
        last = -1 if model is None else model.columnCount() - 1
        self._head.setStretchLastSection(last not in self._head.fields)  # sentences take the room, fields do not
        for column in range(0 if model is None else model.columnCount()):
            wanted = max(self.sizeHintForColumn(column), self._head.sectionSizeHint(column)) + 2 * SPACE
            least = CHOICE_WIDTH if column in self._head.fields else WIDTHS[0]
            self.setColumnWidth(column, min(max(wanted, least), WIDTHS[1]))
        self._head.place_fields()


class _Head(QHeaderView):
    """Titles, and where there is a choice a field in place of a title."""

    picked = Signal(int, str)

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.fields: dict[int, QComboBox] = {}
        self.sectionResized.connect(self._place)

    def set_meanings(self, columns: Sequence[Meanings]) -> None:
        wanted = {column: meanings for column, meanings in enumerate(columns) if len(meanings.choices) > 1}
        for column in [column for column in self.fields if column not in wanted]:
            self.fields.pop(column).deleteLater()
        for column, meanings in wanted.items():
            field = self.fields.get(column) or self._new_field(column)
            keys = [field.itemData(place) for place in range(field.count())]
            if keys != [key for key, _ in meanings.choices]:
                field.clear()
                for key, words in meanings.choices:
                    field.addItem(words, key)
            field.setCurrentIndex(field.findData(meanings.chosen))
            field.show()
        self.updateGeometry()
        self.place_fields()

    def place_fields(self) -> None:
        for column, field in self.fields.items():
            field.setGeometry(
                self.sectionViewportPosition(column) + 2, 2, self.sectionSize(column) - 4, self.height() - 5
            )

    def sizeHint(self) -> QSize:
        """Qt override."""
        size = super().sizeHint()
        tallest = max((field.sizeHint().height() + 4 for field in self.fields.values()), default=0)
        return QSize(size.width(), max(size.height(), tallest))

    def setOffset(self, offset: int) -> None:  # noqa: N802
        """Qt override; the fields go with their columns."""
        super().setOffset(offset)
        self.place_fields()

    def _new_field(self, column: int) -> QComboBox:
        field = QComboBox(self.viewport())
        field.setAccessibleName(self.tr("Meaning of column {n}").format(n=column + 1))
        field.activated.connect(self._tell)
        self.fields[column] = field
        return field

    @Slot()
    def _place(self, *_: int) -> None:
        self.place_fields()

    @Slot(int)
    def _tell(self, place: int) -> None:
        field = self.sender()
        for column, known in self.fields.items():
            if known is field:
                self.picked.emit(column, known.itemData(place))
                return


class _LineDelegate(QStyledItemDelegate):
    """Cells in letters of equal width; what is passed over in grey."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.theme = current_theme()
        self.passed_over: int | None = None
        self._font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:  # noqa: N802
        """Qt override."""
        super().initStyleOption(option, index)
        option.font = self._font
        if self.passed_over is not None and index.data(self.passed_over):
            for role in (option.palette.ColorRole.Text, option.palette.ColorRole.HighlightedText):
                option.palette.setColor(role, self.theme.colour("muted"))
