"""Cached pyqtgraph canvas: axes, view box with rubber-band zoom, painted layers, mouse in data units."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QKeyEvent, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QWidget

from shrec_viewer.widgets.plots.axis import RANGE_MARGIN, AxisLabel, PlotAxis, TickFormat
from shrec_viewer.widgets.style.theme import Theme, current_theme, text_font


@dataclass(frozen=True)
class PlotFrame:
    """The rectangle within the axes, in pixels of the widget, and what it shows.

    Attributes
    ----------
    rect : within the axes.
    whole : of the widget.
    x_range, y_range : in data units, low to high.
    theme, font : to paint with.
    """

    rect: QRectF
    whole: QRectF
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    theme: Theme
    font: QFont

    def x_at(self, x: ArrayLike) -> NDArray[np.float64]:
        """Pixels from the left of the widget."""
        low, high = self.x_range
        return self.rect.left() + (np.asarray(x, np.float64) - low) / ((high - low) or 1.0) * self.rect.width()

    def y_at(self, y: ArrayLike) -> NDArray[np.float64]:
        """Pixels from the top of the widget."""
        low, high = self.y_range
        return self.rect.bottom() - (np.asarray(y, np.float64) - low) / ((high - low) or 1.0) * self.rect.height()

    def point(self, x: float, y: float) -> QPointF:
        """A point of the widget."""
        return QPointF(float(self.x_at(x)), float(self.y_at(y)))

    def polygon(self, x: ArrayLike, y: ArrayLike) -> QPolygonF:
        """The points (x, y); NaN must not be among them."""
        return QPolygonF([QPointF(a, b) for a, b in zip(self.x_at(x).tolist(), self.y_at(y).tolist(), strict=True)])

    def shows(self, x: float, y: float) -> bool:
        """Whether the point is within the axes; never for NaN."""
        return self.x_range[0] <= x <= self.x_range[1] and self.y_range[0] <= y <= self.y_range[1]


class PlotLayer(Protocol):
    """Something painted upon the curves."""

    def paint(self, painter: QPainter, frame: PlotFrame) -> None:
        """Paint in pixels of the widget; the painter's state need not be put back."""


RUBBER_BAND_OPACITY = 0.12
"""Opacity of the rectangle that is being dragged open: curves below it must be seen."""

MIN_RUBBER_BAND = 8.0
"""Pixels below which a dragged rectangle is a line: then only the other axis is zoomed, or none."""


class PlotViewBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """A view box without menus: left drag opens a rectangle and zooms into it, middle drag or Shift moves the view.

    pyqtgraph's own left drag moves, which does nothing while the whole plot is shown.
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.disableAutoRange()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        pen = QPen(theme.colour("accent"), 1)
        pen.setCosmetic(True)
        self.rbScaleBox.setPen(pen)
        self.rbScaleBox.setBrush(theme.colour("accent", RUBBER_BAND_OPACITY))

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Pyqtgraph override."""
        if ev.button() == Qt.MouseButton.RightButton:
            ev.ignore()
        elif ev.button() == Qt.MouseButton.MiddleButton or ev.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            super().mouseDragEvent(ev, axis)
        else:
            ev.accept()
            self._open(QRectF(pg.Point(ev.buttonDownPos()), pg.Point(ev.pos())).normalized(), finished=ev.isFinish())

    def _open(self, dragged: QRectF, *, finished: bool) -> None:
        """Show the rectangle, or zoom into it; a thin one stands for the whole plot across."""
        dragged = dragged.intersected(self.boundingRect())
        whole = self.boundingRect()
        if dragged.height() < MIN_RUBBER_BAND:
            dragged = QRectF(dragged.left(), whole.top(), dragged.width(), whole.height())
        elif dragged.width() < MIN_RUBBER_BAND:
            dragged = QRectF(whole.left(), dragged.top(), whole.width(), dragged.height())
        if not finished:
            self.updateScaleBox(dragged.topLeft(), dragged.bottomRight())
            return
        self.rbScaleBox.hide()
        if dragged.width() >= MIN_RUBBER_BAND and dragged.height() >= MIN_RUBBER_BAND:
            self.setRange(self.childGroup.mapRectFromParent(dragged), padding=0)


GRID_Z = -1000
"""Stacking order of the grid: behind the curves, whose box pyqtgraph puts at -100."""

HOME_KEYS = (Qt.Key.Key_Home, Qt.Key.Key_0)

ARROW_STEPS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
"""Samples and curves that each arrow key steps on."""

LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN = 4, 9, 17, 4
"""Pixels around the axes: half a label of the highest tick above, of the last one at the right; at the other sides what
keeps the names of the axes off the frame that shows where the keys go."""

AxisRange = tuple[float, float]


class PlotCanvas(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A pyqtgraph plot without menus, buttons and surprises.

    It is put together from the view box and two axes: a PlotItem brings a menu of 44 widgets that nobody sees, and a
    change of theme dresses each of them.

    What is drawn is kept as a picture: the lines take 20 to 30 ms, and a cursor that follows the mouse has 16. Layers
    that move are painted upon the picture, which is drawn anew only when the scene says that it has changed.

    Signals
    -------
    pointed(float, float)
        The mouse is over this point, in data units.
    left()
        The mouse is no longer over the plot.
    clicked(float, float)
        Left click at this point, in data units.
    stepped(int, int)
        Arrow keys: samples back (-1) or on (1), curves back or on.
    zoomed(bool)
        Whether less than the whole is shown.
    """

    pointed = Signal(float, float)
    left = Signal()
    clicked = Signal(float, float)
    stepped = Signal(int, int)
    zoomed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom, self._left = PlotAxis("bottom"), PlotAxis("left")
        self._box = PlotViewBox()
        self._picture: QPixmap | None = None
        self._under: tuple[PlotLayer, ...] = ()
        self._fixed: tuple[PlotLayer, ...] = ()
        self._moving: tuple[PlotLayer, ...] = ()
        self._theme = current_theme()
        self._home: tuple[AxisRange, AxisRange] | None = None
        super().__init__(parent, useOpenGL=False)
        self.enableMouse(False)
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        self._lay_out()
        for axis in (self._bottom, self._left):
            axis.setZValue(GRID_Z)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_mouse_clicked)
        self.scene().changed.connect(self.redraw)
        self._box.sigRangeChanged.connect(self._on_range)
        self.set_home((0.0, 1.0), (0.0, 1.0))

    def _lay_out(self) -> None:
        ground = pg.GraphicsWidget()
        self._grid = QGraphicsGridLayout(ground)
        self._grid.setContentsMargins(LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN)
        self._grid.setSpacing(0)
        for item, row, column in ((self._left, 0, 0), (self._box, 0, 1), (self._bottom, 1, 1)):
            self._grid.addItem(item, row, column)
        self._grid.setRowStretchFactor(0, 100)
        self._grid.setColumnStretchFactor(1, 100)
        for axis in (self._bottom, self._left):
            axis.linkToView(self._box)
        self.setCentralItem(ground)

    # ------------------------------------------------------------------------------------------------- what is shown

    def view_box(self) -> PlotViewBox:
        """The part within the axes."""
        return self._box

    def add_item(self, item: QGraphicsItem, *, counts: bool = True) -> None:
        """Draw `item` in data units; `counts` says whether the whole view has to span it."""
        self._box.addItem(item, ignoreBounds=not counts)

    def remove_item(self, item: QGraphicsItem) -> None:
        """No longer draw `item`."""
        self._box.removeItem(item)

    def set_layers(self, under: Sequence[PlotLayer], fixed: Sequence[PlotLayer], moving: Sequence[PlotLayer]) -> None:
        """Paint `under` below grid and curves, `fixed` upon them into their picture, `moving` upon it each time."""
        self._under, self._fixed, self._moving = tuple(under), tuple(fixed), tuple(moving)
        self.redraw()

    def set_words(self, x_label: AxisLabel, y_label: AxisLabel, x_ticks: TickFormat = "number") -> None:
        """Name the axes, units included, and say how the ticks of x are written."""
        self._bottom.set_ticks(x_ticks)
        self._bottom.set_words(x_label)
        self._left.set_words(y_label)

    def set_gutter(self, pixels: int) -> None:
        """Leave so much room at the right of the axes for what is written there."""
        self._grid.setContentsMargins(LEFT_MARGIN, TOP_MARGIN, max(RIGHT_MARGIN, pixels), BOTTOM_MARGIN)
        self._grid.activate()  # now: places are asked for before the next event

    def set_home(self, x_range: AxisRange, y_range: AxisRange) -> None:
        """Make these the whole view; goes there unless the person has zoomed and the ranges are as before."""
        if (x_range, y_range) == self._home:
            return
        self._home = (x_range, y_range)
        (left, right), (bottom, top) = _with_margin(x_range), _with_margin(y_range)
        self._box.setLimits(xMin=left, xMax=right, yMin=bottom, yMax=top)
        self.go_home()

    def go_home(self) -> None:
        """Show the whole view."""
        if self._home is None:
            return
        x_range, y_range = self._home
        self._box.setRange(xRange=_with_margin(x_range), yRange=_with_margin(y_range), padding=0)

    @property
    def is_zoomed(self) -> bool:
        """Whether less than the whole is shown."""
        if self._home is None:
            return False
        wholes = [_with_margin(bounds) for bounds in self._home]
        shown = self._box.viewRange()
        return any(high - low < 0.999 * (b - a) for (low, high), (a, b) in zip(shown, wholes, strict=True))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.setBackground(theme.surface)
        for axis in (self._bottom, self._left):
            axis.set_theme(theme, text_font(self.font(), 0.88), text_font(self.font(), 0.92, strong=True))
        self._box.set_theme(theme)
        self.redraw()

    def frame(self) -> PlotFrame:
        """Where data stand on this widget now."""
        rect = self.mapFromScene(self._box.sceneBoundingRect()).boundingRect()
        (left, right), (bottom, top) = self._box.viewRange()
        return PlotFrame(
            QRectF(rect), QRectF(self.viewport().rect()), (left, right), (bottom, top), self._theme, self.font()
        )

    def pixels_per_unit(self) -> tuple[float, float]:
        """Pixels per unit of x and of y."""
        rect = self._box.sceneBoundingRect()
        (left, right), (bottom, top) = self._box.viewRange()
        return rect.width() / ((right - left) or 1.0), rect.height() / ((top - bottom) or 1.0)

    def widget_point(self, x: float, y: float) -> QPointF:
        """Where the point (x, y) in data units is, in this widget."""
        scene = self._box.mapViewToScene(pg.Point(x, y))
        return QPointF(self.mapFromScene(scene))

    # ------------------------------------------------------------------------------------------------------- painting

    def data_point(self, place: QPoint) -> QPointF | None:
        """The data coordinates of a place of the viewport; None beside the axes."""
        spot = self.mapToScene(place)
        return QPointF(self._box.mapSceneToView(spot)) if self._box.sceneBoundingRect().contains(spot) else None

    def redraw(self, *_: object) -> None:
        """Draw the picture of the curves anew at the next occasion."""
        self._picture = None
        self.viewport().update()

    def update_layers(self) -> None:
        """Paint the moving layers anew at the next occasion; the picture of the curves stays."""
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override; the picture of the curves and the moving layers upon it."""
        if self._picture is None:
            self._picture = self._drawn()
        painter = QPainter(self.viewport())
        painter.drawPixmap(0, 0, self._picture)
        self._paint_layers(painter, self._moving)

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:  # noqa: N802
        """Qt override; the scene's coordinates are the pixels of the widget."""
        super().drawBackground(painter, rect)
        self._paint_layers(painter, self._under)

    def _drawn(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.viewport().size() * ratio)
        picture.setDevicePixelRatio(ratio)
        painter = QPainter(picture)
        self.render(painter, QRectF(self.viewport().rect()), self.viewport().rect())
        self._paint_layers(painter, self._fixed)
        painter.end()
        return picture

    def _paint_layers(self, painter: QPainter, layers: Sequence[PlotLayer]) -> None:
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        frame = self.frame()
        for layer in layers:
            painter.save()
            layer.paint(painter, frame)
            painter.restore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self.redraw()

    # --------------------------------------------------------------------------------------------- mouse and keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() in HOME_KEYS:
            self.go_home()
        elif event.key() in ARROW_STEPS:
            self.stepped.emit(*ARROW_STEPS[Qt.Key(event.key())])
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().leaveEvent(event)
        self.left.emit()

    def _on_range(self, *_: object) -> None:
        self.redraw()
        self.zoomed.emit(self.is_zoomed)

    def _on_mouse_moved(self, position: QPointF) -> None:
        if not self._box.sceneBoundingRect().contains(QPointF(position)):
            self.left.emit()
            return
        point = self._box.mapSceneToView(position)
        self.pointed.emit(point.x(), point.y())

    def _on_mouse_clicked(self, event: Any) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if not QRectF(self._box.sceneBoundingRect()).contains(event.scenePos()):
            return
        if event.double():
            self.go_home()
            return
        point = self._box.mapSceneToView(event.scenePos())
        self.clicked.emit(point.x(), point.y())


def _with_margin(bounds: AxisRange) -> AxisRange:
    low, high = bounds
    margin = (high - low) * RANGE_MARGIN or 0.5
    return low - margin, high + margin
