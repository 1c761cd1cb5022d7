"""The drawing ground of a plot: axes in theme colours, zoom with a way home, the mouse in data units."""

from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QWidget

from shrec_viewer.widgets.plot_axis import EDGE, PlotAxis, Ticks, Words
from shrec_viewer.widgets.plot_box import PlotBox
from shrec_viewer.widgets.plot_frame import Frame, Layer
from shrec_viewer.widgets.theme import Theme, current_theme, text_font

BEHIND = -1000
"""Stacking order of the grid: behind the curves, whose box pyqtgraph puts at -100."""

HOME_KEYS = (Qt.Key.Key_Home, Qt.Key.Key_0)

STEPS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}
"""Samples and curves that each arrow key steps on."""

LEFT, TOP, RIGHT, BOTTOM = 4, 9, 17, 4
"""Pixels around the axes: half a label of the highest tick above, of the last one at the right; at the other sides what
keeps the names of the axes off the frame that shows where the keys go."""

Range = tuple[float, float]


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
        self._box = PlotBox()
        self._picture: QPixmap | None = None
        self._under: tuple[Layer, ...] = ()
        self._fixed: tuple[Layer, ...] = ()
        self._moving: tuple[Layer, ...] = ()
        self._theme = current_theme()
        self._home: tuple[Range, Range] | None = None
        super().__init__(parent, useOpenGL=False)
        self.enableMouse(False)
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(self.ViewportUpdateMode.NoViewportUpdate)
        self._lay_out()
        for axis in (self._bottom, self._left):
            axis.setZValue(BEHIND)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_mouse_clicked)
        self.scene().changed.connect(self.redraw)
        self._box.sigRangeChanged.connect(self._on_range)
        self.set_home((0.0, 1.0), (0.0, 1.0))

    def _lay_out(self) -> None:
        ground = pg.GraphicsWidget()
        self._grid = QGraphicsGridLayout(ground)
        self._grid.setContentsMargins(LEFT, TOP, RIGHT, BOTTOM)
        self._grid.setSpacing(0)
        for item, row, column in ((self._left, 0, 0), (self._box, 0, 1), (self._bottom, 1, 1)):
            self._grid.addItem(item, row, column)
        self._grid.setRowStretchFactor(0, 100)
        self._grid.setColumnStretchFactor(1, 100)
        for axis in (self._bottom, self._left):
            axis.linkToView(self._box)
        self.setCentralItem(ground)

    # ------------------------------------------------------------------------------------------------- what is shown

    def view_box(self) -> PlotBox:
        """The part within the axes."""
        return self._box

    def add_item(self, item: QGraphicsItem, *, counts: bool = True) -> None:
        """Draw `item` in data units; `counts` says whether the whole view has to span it."""
        self._box.addItem(item, ignoreBounds=not counts)

    def remove_item(self, item: QGraphicsItem) -> None:
        """No longer draw `item`."""
        self._box.removeItem(item)

    def set_layers(self, under: Sequence[Layer], fixed: Sequence[Layer], moving: Sequence[Layer]) -> None:
        """Paint `under` below grid and curves, `fixed` upon them into their picture, `moving` upon it each time."""
        self._under, self._fixed, self._moving = tuple(under), tuple(fixed), tuple(moving)
        self.redraw()

    def set_words(self, x_label: Words, y_label: Words, x_ticks: Ticks = "number") -> None:
        """Name the axes, units included, and say how the ticks of x are written."""
        self._bottom.set_ticks(x_ticks)
        self._bottom.set_words(x_label)
        self._left.set_words(y_label)

    def set_gutter(self, pixels: int) -> None:
        """Leave so much room at the right of the axes for what is written there."""
        self._grid.setContentsMargins(LEFT, TOP, max(RIGHT, pixels), BOTTOM)
        self._grid.activate()  # now: places are asked for before the next event

    def set_home(self, x_range: Range, y_range: Range) -> None:
        """Make these the whole view; goes there unless the person has zoomed and the ranges are as before."""
        if (x_range, y_range) == self._home:
            return
        self._home = (x_range, y_range)
        (left, right), (bottom, top) = _widened(x_range), _widened(y_range)
        self._box.setLimits(xMin=left, xMax=right, yMin=bottom, yMax=top)
        self.go_home()

    def go_home(self) -> None:
        """Show the whole view."""
        if self._home is None:
            return
        x_range, y_range = self._home
        self._box.setRange(xRange=_widened(x_range), yRange=_widened(y_range), padding=0)

    @property
    def is_zoomed(self) -> bool:
        """Whether less than the whole is shown."""
        if self._home is None:
            return False
        wholes = [_widened(bounds) for bounds in self._home]
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

    def frame(self) -> Frame:
        """Where data stand on this widget now."""
        rect = self.mapFromScene(self._box.sceneBoundingRect()).boundingRect()
        (left, right), (bottom, top) = self._box.viewRange()
        return Frame(
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

    def _paint_layers(self, painter: QPainter, layers: Sequence[Layer]) -> None:
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
        elif event.key() in STEPS:
            self.stepped.emit(*STEPS[Qt.Key(event.key())])
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


def _widened(bounds: Range) -> Range:
    low, high = bounds
    margin = (high - low) * EDGE or 0.5
    return low - margin, high + margin
