"""Enlarged thumbnail on hover and drag and drop of cards, as event filters of a grid."""

from PySide6.QtCore import (
    QByteArray,
    QEvent,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QDrag, QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from shrec_viewer.widgets.cards.uniform_grid import UniformGrid
from shrec_viewer.widgets.controls.controls import ItemRoles
from shrec_viewer.widgets.controls.plain_text import suppress_tooltips
from shrec_viewer.widgets.mesh_view.mesh_view import MODEL_MIME
from shrec_viewer.widgets.style.relevance import DARK_PICTURE_OPACITY, is_picture
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, animations_on, current_theme, text_font

#: Milliseconds that the mouse must rest on a card.
HOVER_DELAY_MS = 500

#: Size of the image in pixels: more than twice a medium thumbnail.
HOVER_EDGE = 300

#: Events that close the hover card.
_HIDE_EVENTS = (
    QEvent.Type.MouseButtonPress,
    QEvent.Type.Wheel,
    QEvent.Type.Leave,
    QEvent.Type.Hide,
    QEvent.Type.Resize,
    QEvent.Type.DragEnter,
)


class HoverCard(QWidget):
    """Larger image with a text below; transparent to the mouse.

    Attributes
    ----------
    thumbnail : the image shown.
    """

    def __init__(self) -> None:
        super().__init__()
        self.thumbnail = QPixmap()
        self._text = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def set_thumbnail(self, thumbnail: QPixmap) -> None:
        """Show this image, scaled to fit; a smaller one in its own size."""
        self.thumbnail = thumbnail
        self.update()

    def set_text(self, text: str) -> None:
        """Show this text."""
        self._text = text
        self.setAccessibleName(text)
        self.resize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        """Size of the image and of the wrapped text below it."""
        available = QRectF(0, 0, HOVER_EDGE, 400)
        text = QFontMetricsF(text_font(self.font())).boundingRect(available, Qt.TextFlag.TextWordWrap, self._text)
        return QSize(HOVER_EDGE + 4 * SPACE, round(HOVER_EDGE + text.height() + 6 * SPACE))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the image and the text."""
        painter, theme = QPainter(self), current_theme()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        painter.setPen(QPen(theme.colour("line_strong"), 1))
        painter.setBrush(theme.colour("raised"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        box = QRectF(2 * SPACE, 2 * SPACE, HOVER_EDGE, HOVER_EDGE)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.colour("picture"))
        painter.drawRoundedRect(box, RADIUS / 2, RADIUS / 2)
        if not self.thumbnail.isNull():
            edge = max(self.thumbnail.width(), self.thumbnail.height())
            scale = min(HOVER_EDGE / edge, 1 / self.devicePixelRatioF())
            target = QRectF(0, 0, self.thumbnail.width() * scale, self.thumbnail.height() * scale)
            target.moveCenter(box.center())
            if theme.name == "dark" and is_picture(self.thumbnail):
                painter.setOpacity(DARK_PICTURE_OPACITY)
            painter.drawPixmap(target, self.thumbnail, QRectF(self.thumbnail.rect()))
            painter.setOpacity(1.0)
        painter.setPen(theme.colour("ink"))
        painter.setFont(text_font(self.font()))
        text_box = QRectF(2 * SPACE, HOVER_EDGE + 4 * SPACE, HOVER_EDGE, self.height() - HOVER_EDGE - 5 * SPACE)
        painter.drawText(text_box, Qt.TextFlag.TextWordWrap, self._text)


class CardHover(QObject):
    """Event filter of a grid that shows a `HoverCard` where the mouse rests.

    The grid's model publishes ``thumbnail`` (QPixmap or None) and a tooltip for each row; the hover card shows the
    text of the tooltip, which is suppressed while the card is open.

    Signals
    -------
    image_requested(row)
        The card of this row is shown: pass better images to `show_image`.
    ended()
        The card was closed.
    """

    image_requested = Signal(int)
    ended = Signal()

    def __init__(self, grid: UniformGrid) -> None:
        super().__init__(grid)
        self._grid = grid
        self.card = HoverCard()
        self._row = QPersistentModelIndex()
        self._timer = QTimer(self, interval=HOVER_DELAY_MS, singleShot=True)
        self._timer.timeout.connect(self._show)
        grid.viewport().installEventFilter(self)
        grid.installEventFilter(self)
        # The card has no parent while it is hidden, so nothing else would delete it.
        grid.destroyed.connect(self.card.deleteLater)

    @property
    def row(self) -> int:
        """Row of the card shown; -1 for none."""
        return self._row.row() if self.card.isVisible() else -1

    def show_image(self, image: QImage) -> None:
        """Replace the image by a better one."""
        if self.card.isVisible():
            self.card.set_thumbnail(QPixmap.fromImage(image))

    @Slot()
    def end(self) -> None:
        """Close the card."""
        self._timer.stop()
        suppress_tooltips(self._grid.viewport(), False)
        if self.card.isVisible():
            self.card.hide()
            # As a child of the window, the hidden card would be restyled with it.
            self.card.setParent(None)
            self.ended.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the mouse over the grid; hide the card on clicks, keys and scrolling."""
        kind = event.type()
        if kind == QEvent.Type.MouseMove and isinstance(event, QMouseEvent) and watched is self._grid.viewport():
            self._follow(event)
        elif kind in _HIDE_EVENTS:
            self.end()
        elif kind == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            was_visible = self.card.isVisible()
            self.end()
            return was_visible and event.key() == Qt.Key.Key_Escape
        elif kind == QEvent.Type.ShortcutOverride and self.card.isVisible() and _is_escape(event):
            event.accept()  # the shortcut of the window would deselect the card
            return True
        return super().eventFilter(watched, event)

    def _follow(self, event: QMouseEvent) -> None:
        index = QPersistentModelIndex(self._grid.indexAt(event.position().toPoint()))
        if index == self._row and (self.card.isVisible() or self._timer.isActive()):
            return
        moved = index != self._row
        self.end()
        self._row = index
        # Pressed buttons: a drag or a selection is going on.
        if moved and index.isValid() and not event.buttons() and animations_on():
            self._timer.start()
            suppress_tooltips(self._grid.viewport(), self._thumbnail() is not None)

    def _thumbnail(self) -> QPixmap | None:
        thumbnail = ItemRoles(self._grid.model()).value(self._row, "thumbnail")
        return None if thumbnail is None or thumbnail.isNull() else thumbnail

    @Slot()
    def _show(self) -> None:
        if not self._row.isValid() or not self._grid.isVisible() or (thumbnail := self._thumbnail()) is None:
            suppress_tooltips(self._grid.viewport(), False)  # the grid shows why there is no thumbnail
            return
        self.card.setParent(self._grid.window())
        self.card.set_thumbnail(thumbnail)
        self.card.set_text(str(self._row.data(Qt.ItemDataRole.ToolTipRole) or ""))
        self.card.move(self._place())
        suppress_tooltips(self._grid.viewport(), True)  # the card shows the text
        self.card.show()
        self.card.raise_()
        self.image_requested.emit(self._row.row())

    def _place(self) -> QPoint:
        """Move next to the card of the grid, on the side with more space, within the window."""
        window, viewport = self._grid.window(), self._grid.viewport()
        cell = self._grid.visualRect(self._row)
        card = QRect(viewport.mapTo(window, cell.topLeft()), cell.size())
        left = card.right() + SPACE
        if left + self.card.width() > window.width():
            left = card.left() - SPACE - self.card.width()
        top = min(max(card.center().y() - self.card.height() // 2, SPACE), window.height() - self.card.height() - SPACE)
        return QPoint(max(left, SPACE), max(top, SPACE))


def _is_escape(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape


#: Size in pixels of the drag image.
DRAG_EDGE = 96


class CardDrag(QObject):
    """Event filter that drags cards of a grid whose model publishes ``item_id`` and ``thumbnail``.

    Signals
    -------
    pressed()
        The mouse was pressed on the grid, before the grid handles it.
    started()
        A card is being dragged.
    """

    pressed = Signal()
    started = Signal()

    def __init__(self, grid: UniformGrid) -> None:
        super().__init__(grid)
        self._grid = grid
        self._pressed: QPoint | None = None
        grid.viewport().installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Filter out mouse moves during a drag."""
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
        """Drag image of a card."""
        name = str(ItemRoles(self._grid.model()).value(index, "item_id", ""))
        data = QMimeData()
        data.setData(MODEL_MIME, QByteArray(name.encode("utf-8", "surrogatepass")))
        data.setText(name)
        return data

    def _drag(self, index: QModelIndex) -> None:
        if not index.isValid():
            return
        self.started.emit()
        drag = QDrag(self._grid)
        drag.setMimeData(self.mime(index))
        thumbnail = ItemRoles(self._grid.model()).value(index, "thumbnail")
        if isinstance(thumbnail, QPixmap) and not thumbnail.isNull():
            ratio = self._grid.devicePixelRatioF()
            small = thumbnail.scaledToWidth(round(DRAG_EDGE * ratio), Qt.TransformationMode.SmoothTransformation)
            small.setDevicePixelRatio(ratio)
            drag.setPixmap(small)
            drag.setHotSpot(QPoint(DRAG_EDGE // 2, DRAG_EDGE // 2))
        drag.exec(Qt.DropAction.CopyAction)
        if isValid(drag):  # not deleted by all platforms
            drag.deleteLater()
