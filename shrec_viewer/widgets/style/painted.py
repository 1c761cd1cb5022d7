"""Bases of widgets that paint themselves in the colours of the theme."""

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QScrollBar, QToolTip, QWidget

from shrec_viewer.widgets.controls.plain_text import titled_tooltip
from shrec_viewer.widgets.style.theme import Theme, current_theme

#: Render hints of lines and texts.
SMOOTH = QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing


#: Rows down and columns to the right that an arrow key moves.
ARROW_STEPS = {Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0)}


class PaintedWidget(QWidget):
    """A widget that paints itself.

    Attributes
    ----------
    preferred_size, smallest_size : size hints in pixels; classes whose size depends on their contents override Qt's.
    """

    preferred_size = QSize()
    smallest_size = QSize()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        return self.preferred_size

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return self.smallest_size

    def changeEvent(self, event: QEvent) -> None:
        """Qt override: the size hints may depend on the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def start_painting(self) -> QPainter:
        """A painter of the widget, on the background of the theme."""
        painter = QPainter(self)
        painter.setRenderHints(SMOOTH)
        painter.fillRect(self.rect(), self._theme.colour("surface"))
        return painter

    def draw_focus_ring(self, painter: QPainter) -> None:
        """Draw the ring of the style sheet around a widget with the focus, which paints over its border."""
        if self.hasFocus():
            painter.setPen(self._theme.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))


class PaintedArea(QAbstractScrollArea):
    """A scroll area that paints its contents itself; a press of the mouse selects, and its release does nothing.

    Attributes
    ----------
    preferred_size : size hint in pixels.
    """

    preferred_size = QSize()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.viewport().update()

    def tooltip_at(self, point: QPoint) -> str:
        """Text of the tooltip at a point of the viewport, "" for none; its first line is a title."""
        return ""

    def start_painting(self) -> QPainter:
        """A painter of the viewport, on the background of the theme."""
        painter = QPainter(self.viewport())
        painter.setRenderHints(SMOOTH)
        painter.fillRect(self.viewport().rect(), self._theme.colour("surface"))
        return painter

    def set_scroll_range(self, bar: QScrollBar, length: float, page: float, step: float) -> None:
        """Let a bar scroll contents of this length in pixels by pages and steps."""
        bar.setPageStep(max(round(page), 1))
        bar.setSingleStep(round(step))
        bar.setRange(0, max(0, round(length - page)))
        self.viewport().update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        return self.preferred_size if self.preferred_size.isValid() else super().sizeHint()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt override, see above."""
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        """Qt override: shows the tooltip."""
        if isinstance(event, QHelpEvent):
            text = self.tooltip_at(event.pos())
            QToolTip.showText(event.globalPos(), titled_tooltip(text) if text else "", self)
            return True
        return super().viewportEvent(event)


class PaintedItems(PaintedArea):
    """A `PaintedArea` of items in a line, one of which is current; a click or a key selects another one.

    Attributes
    ----------
    current : index of the current item, -1 for none.
    step_keys : the keys to the previous and to the next item.

    Signals
    -------
    item_selected(index)
        An item was clicked or reached with the keys.
    """

    item_selected = Signal(int)
    step_keys = (Qt.Key.Key_Up, Qt.Key.Key_Down)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.current = -1

    def n_items(self) -> int:
        """Number of items."""
        raise NotImplementedError

    def item_at(self, point: QPoint) -> int:
        """Index of the item at a point of the viewport, -1 for none."""
        raise NotImplementedError

    def item_text(self, index: int) -> str:
        """Description of an item: its tooltip, and that of the area while it is current."""
        raise NotImplementedError

    def set_current(self, index: int) -> None:
        """Mark an item, -1 for none; does not emit."""
        self.current = index if 0 <= index < self.n_items() else -1
        if self.current >= 0:
            self.setAccessibleDescription(self.item_text(self.current))
        self.viewport().update()

    def select(self, index: int) -> None:
        """Mark an item, as the user chose it."""
        self.set_current(index)
        self.item_selected.emit(index)

    def tooltip_at(self, point: QPoint) -> str:
        """Description of the item under the mouse."""
        return self.item_text(index) if (index := self.item_at(point)) >= 0 else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the item under the mouse."""
        index = self.item_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index >= 0:
            self.select(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select an item with the arrow keys, Home and End."""
        key, last = Qt.Key(event.key()), self.n_items() - 1
        targets = dict(zip(self.step_keys, (self.current - 1, self.current + 1), strict=True))
        targets |= {Qt.Key.Key_Home: 0, Qt.Key.Key_End: last}
        if key in targets and last >= 0:
            self.select(min(max(targets[key], 0), last))
        else:
            super().keyPressEvent(event)
