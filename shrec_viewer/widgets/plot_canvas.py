"""The drawing ground of a plot: axes in theme colours, zoom with a way home, cursors, the mouse in data units."""

import math
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPen
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.plot_axis import EDGE, PlotAxis
from shrec_viewer.widgets.theme import Theme, text_font

BEHIND = -1000
"""Stacking order of the grid: behind the curves, whose box pyqtgraph puts at -100."""

HOME_KEYS = (Qt.Key.Key_Home, Qt.Key.Key_0)

Range = tuple[float, float]


class PlotCanvas(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """A pyqtgraph plot without menus, buttons and surprises.

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
        super().__init__(
            parent, axisItems={"bottom": self._bottom, "left": self._left}, enableMenu=False, useOpenGL=False
        )
        self._home: tuple[Range, Range] | None = None
        self._cursor = self._cursor_line(1)
        self._hover = self._cursor_line(0)
        for axis in (self._bottom, self._left):
            axis.setZValue(BEHIND)
        self.plotItem.hideButtons()
        self.plotItem.setContentsMargins(0, 8, 16, 0)
        self.getViewBox().disableAutoRange()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_mouse_clicked)
        # pyqtgraph always builds this menu and gives it no parent; like this it goes when the plot goes.
        self.plotItem.ctrlMenu.setParent(self, self.plotItem.ctrlMenu.windowFlags())
        self.set_home((0.0, 1.0), (0.0, 1.0))

    def set_words(self, x_label: str, y_label: str) -> None:
        """Name the axes, units included."""
        self._bottom.set_words(x_label)
        self._left.set_words(y_label)

    def set_home(self, x_range: Range, y_range: Range) -> None:
        """Make these the whole view; goes there unless the person has zoomed and the ranges are as before."""
        if (x_range, y_range) == self._home:
            return
        self._home = (x_range, y_range)
        (left, right), (bottom, top) = _widened(x_range), _widened(y_range)
        self.getViewBox().setLimits(xMin=left, xMax=right, yMin=bottom, yMax=top)
        self.go_home()

    def go_home(self) -> None:
        """Show the whole view."""
        if self._home is None:
            return
        x_range, y_range = self._home
        self.getViewBox().setRange(xRange=_widened(x_range), yRange=_widened(y_range), padding=0)

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
        rect = self.getViewBox().sceneBoundingRect()
        (left, right), (bottom, top) = self.getViewBox().viewRange()
        return rect.width() / ((right - left) or 1.0), rect.height() / ((top - bottom) or 1.0)

    def widget_point(self, x: float, y: float) -> QPointF:
        """Where the point (x, y) in data units is, in this widget."""
        scene = self.getViewBox().mapViewToScene(pg.Point(x, y))
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
        self.addItem(line, ignoreBounds=True)
        return line

    def _on_mouse_moved(self, position: QPointF) -> None:
        if not self.getViewBox().sceneBoundingRect().contains(QPointF(position)):
            self.left.emit()
            return
        point = self.getViewBox().mapSceneToView(position)
        self.pointed.emit(point.x(), point.y())

    def _on_mouse_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if not QRectF(self.getViewBox().sceneBoundingRect()).contains(event.scenePos()):
            return
        if event.double():
            self.go_home()
            return
        point = self.getViewBox().mapSceneToView(event.scenePos())
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
