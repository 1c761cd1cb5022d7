"""Lets cards of a grid be dragged: onto a 3D view as models, into texts as their ids."""

from PySide6.QtCore import QByteArray, QEvent, QMimeData, QModelIndex, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QDrag, QMouseEvent, QPixmap
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from shrec_viewer.widgets.orbit_view import MODEL_MIME
from shrec_viewer.widgets.roles import Roles
from shrec_viewer.widgets.uniform_grid import UniformGrid

SHOWN = 96
"""Pixels of the picture that the mouse carries."""


class CardDrag(QObject):
    """Watches the mouse over a grid whose model publishes ``item_id``, and ``picture`` where there is one.

    Signals
    -------
    pressed()
        The mouse was pressed on the grid, which has not heard of it yet.
    started()
        It was no click: a card is being dragged.
    """

    pressed = Signal()
    started = Signal()

    def __init__(self, grid: UniformGrid) -> None:
        super().__init__(grid)
        self._grid = grid
        self._pressed: QPoint | None = None
        grid.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; what is dragged is no move of the mouse for the grid."""
        if isinstance(event, QMouseEvent):
            if event.type() == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:
                self._pressed = event.position().toPoint()
                self.pressed.emit()
            elif event.type() == QEvent.Type.MouseButtonRelease:
                self._pressed = None
            elif event.type() == QEvent.Type.MouseMove and self._pressed is not None:
                way = (event.position().toPoint() - self._pressed).manhattanLength()
                if way >= QApplication.startDragDistance():
                    index, self._pressed = self._grid.indexAt(self._pressed), None
                    self._drag(index)
                    return True
        return super().eventFilter(watched, event)

    def mime(self, index: QModelIndex) -> QMimeData:
        """What the mouse carries of a card."""
        name = str(Roles(self._grid.model()).value(index, "item_id", ""))
        data = QMimeData()
        data.setData(MODEL_MIME, QByteArray(name.encode()))
        data.setText(name)
        return data

    def _drag(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        self.started.emit()
        drag = QDrag(self._grid)
        drag.setMimeData(self.mime(index))
        picture = Roles(self._grid.model()).value(index, "picture")
        if isinstance(picture, QPixmap) and not picture.isNull():
            ratio = self._grid.devicePixelRatioF()
            small = picture.scaledToWidth(round(SHOWN * ratio), Qt.TransformationMode.SmoothTransformation)
            small.setDevicePixelRatio(ratio)
            drag.setPixmap(small)
            drag.setHotSpot(QPoint(SHOWN // 2, SHOWN // 2))
        drag.exec(Qt.DropAction.CopyAction)
        if isValid(drag):  # some platforms delete it, others leave one picture for each drag
            drag.deleteLater()
