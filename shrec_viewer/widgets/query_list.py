"""The list of queries, walked by mouse and keys."""

from PySide6.QtCore import QAbstractItemModel, QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.query_delegate import QueryDelegate
from shrec_viewer.widgets.roles import Roles
from shrec_viewer.widgets.theme import Theme
from shrec_viewer.widgets.uniform_grid import UniformGrid

SETTLE_MS = 40
"""Wait after the last scroll before saying what is in sight."""

WHOLE_WIDTH = 10_000
"""Pixels asked for by a row, more than any screen has: one row a line, as wide as the list."""


class QueryList(UniformGrid):
    """Shows queries; the person walks them by mouse and keys.

    A grid of one column, because Qt's own list lays out 10,000 rows one by one whenever their order changes. The model
    publishes the roles that `QueryDelegate` names; filter and sort it with a proxy.

    Signals
    -------
    query_picked(int)
        The person clicked a query or moved to it by keys; its row in this view's model.
    visible_rows_changed(int, int)
        First and last row in sight, some milliseconds after a change; (0, -1) for none.
    """

    query_picked = Signal(int)
    visible_rows_changed = Signal(int, int)

    # Qt may call overrides while its own constructor runs, before ours has set anything.
    _gap = 0
    _settle: QTimer | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = QueryDelegate(self)
        self._told: tuple[int, int] | None = None
        self._settle = QTimer(self, interval=SETTLE_MS, singleShot=True)
        self._settle.timeout.connect(self._tell_visible)
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QueryList.SelectionMode.SingleSelection)
        self._set_cell_size(QSize(WHOLE_WIDTH, self._delegate.height()))
        self.verticalScrollBar().valueChanged.connect(self._sight_moved)
        self.verticalScrollBar().rangeChanged.connect(self._range_moved)
        self.setAccessibleName(self.tr("Queries"))

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Qt override."""
        super().setModel(model)
        self._delegate.set_roles(Roles(model))
        self._told = None
        self._tell_visible_soon()

    def reset(self) -> None:
        """Qt override."""
        super().reset()
        self._told = None
        self._tell_visible_soon()

    def set_current_row(self, row: int | None) -> None:
        """Show this row of the view's model as current and bring it into sight; None, or no such row: none."""
        model = self.model()
        if not model:
            return
        if row is None or not 0 <= row < model.rowCount():
            self.selectionModel().clear()
            return
        index = model.index(row, 0)
        if index != self.currentIndex() or not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)
        self.scrollTo(index)

    def set_score_range(self, low: float, high: float) -> None:
        """Values of an empty and of a full bar, by default 0 and 1."""
        self._delegate.set_range(low, high)
        self.viewport().update()

    def set_parts(self, *, pictures: bool = True, scores: bool = True) -> None:
        """Leave out the place of pictures, or of numbers, where no query has any."""
        self._delegate.set_parts(pictures=pictures, scores=scores)
        self._set_cell_size(QSize(WHOLE_WIDTH, self._delegate.height()))
        self._tell_visible_soon()

    def set_detail(self, detail: str, better: str = "higher") -> None:
        """Show below the value nothing more (""), the ``"difference"`` to another run, or the ``"spread"`` over runs.

        Parameters
        ----------
        better : ``"lower"`` where a negative difference is the gain, ``"none"`` where neither is.
        """
        self._delegate.set_detail(detail, better)
        self.viewport().update()

    def set_difference_range(self, most: float) -> None:
        """Difference that a full half of the diverging bar stands for, by default 1."""
        self._delegate.set_difference_range(most)
        self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._delegate.set_theme(theme)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().isValid() and self.currentIndex().row() != before:
            self.query_picked.emit(self.currentIndex().row())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override; a press beside the rows changes nothing, nor does one that asks for a menu."""
        index = self.indexAt(event.position().toPoint())
        if not index.isValid() or event.button() != Qt.MouseButton.LeftButton:
            event.accept()
            return
        super().mousePressEvent(event)
        self.query_picked.emit(index.row())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Qt override; focus alone makes no row current."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current and self.selectionModel() is not None:
            self.selectionModel().clear()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; larger type makes higher rows."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._settle is not None:
            self._delegate.fit_fonts(self.font())
            self._set_cell_size(QSize(WHOLE_WIDTH, self._delegate.height()))
            self._tell_visible_soon()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._tell_visible_soon()

    def _sight_moved(self, _value: int) -> None:
        self._tell_visible_soon()

    def _range_moved(self, _low: int, _high: int) -> None:
        self._tell_visible_soon()

    def _tell_visible_soon(self) -> None:
        if self._settle is not None:
            self._settle.start()

    def _tell_visible(self) -> None:
        visible = self.visible_rows()
        if visible != self._told:
            self._told = visible
            self.visible_rows_changed.emit(*visible)
