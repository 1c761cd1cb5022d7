"""The drawing ground of a plot: axes in theme colours, zoom with a way home, cursors, the mouse in data units."""

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPen
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QWidget

from shrec_viewer.widgets.plot_axis import EDGE, PlotAxis, Words
from shrec_viewer.widgets.theme import Theme, text_font

BEHIND = -1000
"""Stacking order of the grid: behind the curves, whose box pyqtgraph puts at -100."""

HOME_KEYS = (Qt.Key.Key_Home, Qt.Key.Key_0)

Range = tuple[float, float]


class PlotCanvas(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A pyqtgraph plot without menus, buttons and surprises.

    It is put together from the view box and two axes: a PlotItem brings a menu of 44 widgets that nobody sees, and a
    change of theme dresses each of them.

    Signals
    -------
    pointed(float, float)
        The mouse is over this point, in data units.
    left()
        The mouse is no longer over the plot.
    clicked(float, float)
        Left click at this point, in data units.
    stepped(int)
        Left or right arrow: one sample back (-1) or on (1).
    """

    pointed = Signal(float, float)
    left = Signal()
    clicked = Signal(float, float)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom, self._left = PlotAxis("bottom"), PlotAxis("left")
        self._box = pg.ViewBox(enableMenu=False)
        super().__init__(parent, useOpenGL=False)
        self.enableMouse(False)
        self._lay_out()
        self._home: tuple[Range, Range] | None = None
        self._cursor = self._cursor_line(1)
        self._hover = self._cursor_line(0)
        for axis in (self._bottom, self._left):
            axis.setZValue(BEHIND)
        self.view_box().disableAutoRange()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_mouse_clicked)
        self.set_home((0.0, 1.0), (0.0, 1.0))

    def _lay_out(self) -> None:
        ground = pg.GraphicsWidget()
        layout = QGraphicsGridLayout(ground)
        layout.setContentsMargins(1, 9, 17, 1)
        layout.setSpacing(0)
        for item, row, column in ((self._left, 0, 0), (self._box, 0, 1), (self._bottom, 1, 1)):
            layout.addItem(item, row, column)
        layout.setRowStretchFactor(0, 100)
        layout.setColumnStretchFactor(1, 100)
        for axis in (self._bottom, self._left):
            axis.linkToView(self._box)
        self.setCentralItem(ground)

    def view_box(self) -> pg.ViewBox:
        """The part within the axes."""
        return self._box

    def add_item(self, item: QGraphicsItem, *, counts: bool = True) -> None:
        """Draw `item` in data units; `counts` says whether the whole view has to span it."""
        self._box.addItem(item, ignoreBounds=not counts)

    def remove_item(self, item: QGraphicsItem) -> None:
        """No longer draw `item`."""
        self._box.removeItem(item)

    def set_words(self, x_label: Words, y_label: Words) -> None:
        """Name the axes, units included."""
        self._bottom.set_words(x_label)
        self._left.set_words(y_label)

    def set_home(self, x_range: Range, y_range: Range) -> None:
        """Make these the whole view; goes there unless the person has zoomed and the ranges are as before."""
        if (x_range, y_range) == self._home:
            return
        self._home = (x_range, y_range)
        (left, right), (bottom, top) = _widened(x_range), _widened(y_range)
        self.view_box().setLimits(xMin=left, xMax=right, yMin=bottom, yMax=top)
        self.go_home()

    def go_home(self) -> None:
        """Show the whole view."""
        if self._home is None:
            return
        x_range, y_range = self._home
        self.view_box().setRange(xRange=_widened(x_range), yRange=_widened(y_range), padding=0)

    def set_cursor(self, x: float | None) -> None:
        """Draw the cursor line at `x`; None for none."""
        _place(self._cursor, x)

    def set_hover(self, x: float | None) -> None:
        """Draw the line under the mouse at `x`; None for none."""
        _place(self._hover, x)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.setBackground(theme.surface)
        for axis in (self._bottom, self._left):
            axis.set_theme(theme, text_font(self.font(), 0.88), text_font(self.font(), 0.92, strong=True))
        self._cursor.setPen(_cosmetic(theme, "accent", 1.0))
        self._hover.setPen(_cosmetic(theme, "muted", 0.6))

    def pixels_per_unit(self) -> tuple[float, float]:
        """Pixels per unit of x and of y."""
        rect = self.view_box().sceneBoundingRect()
        (left, right), (bottom, top) = self.view_box().viewRange()
        return rect.width() / ((right - left) or 1.0), rect.height() / ((top - bottom) or 1.0)

    def widget_point(self, x: float, y: float) -> QPointF:
        """Where the point (x, y) in data units is, in this widget."""
        scene = self.view_box().mapViewToScene(pg.Point(x, y))
        return QPointF(self.mapFromScene(scene))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() in HOME_KEYS:
            self.go_home()
        elif event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self.stepped.emit(-1 if event.key() == Qt.Key.Key_Left else 1)
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().leaveEvent(event)
        self.left.emit()

    def _cursor_line(self, z: int) -> pg.InfiniteLine:
        line = pg.InfiniteLine(angle=90, movable=False)
        line.setZValue(z)
        line.hide()
        self.add_item(line, counts=False)
        return line

    def _on_mouse_moved(self, position: QPointF) -> None:
        if not self.view_box().sceneBoundingRect().contains(QPointF(position)):
            self.left.emit()
            return
        point = self.view_box().mapSceneToView(position)
        self.pointed.emit(point.x(), point.y())

    def _on_mouse_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if not QRectF(self.view_box().sceneBoundingRect()).contains(event.scenePos()):
            return
        if event.double():
            self.go_home()
            return
        point = self.view_box().mapSceneToView(event.scenePos())
        self.clicked.emit(point.x(), point.y())


def _widened(bounds: Range) -> Range:
    low, high = bounds
    margin = (high - low) * EDGE or 0.5
    return low - margin, high + margin


def _place(line: pg.InfiniteLine, x: float | None) -> None:
    if x is None or math.isnan(x):
        line.hide()
        return
    line.setPos(x)
    line.show()


def _cosmetic(theme: Theme, token: str, alpha: float) -> QPen:
    pen = QPen(theme.colour(token, alpha), 1)
    pen.setCosmetic(True)
    return pen
