"""Pyqtgraph canvas: axes, view box with rubber-band zoom, overlays in pixels, mouse in data units."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike, NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFont, QFontMetricsF, QKeyEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsGridLayout, QGraphicsItem, QWidget

from shrec_viewer.charts.plot import TickFormat
from shrec_viewer.number_format import format_fixed
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.painted import SMOOTH
from shrec_viewer.widgets.style.theme import Theme, current_theme, text_font

#: Minimum distance of ticks in pixels: a label of four digits horizontally, two lines of text vertically.
MIN_TICK_SPACING = {"bottom": 46, "left": 30}

#: Pixels that a tick label may extend beyond the end of its axis: half a label of five digits.
OVERHANG = 24

#: Margin at both ends as a share of the range, so that lines at 0 and 1 are drawn in full width.
RANGE_MARGIN = 0.02

OPAQUE_ALPHA = 255

#: Pixels around the label of an axis within its text item.
LABEL_MARGIN = 8.0

#: Label of an axis: a text, or several from the longest to the shortest; the axis shows the longest that fits.
AxisLabel = str | tuple[str, ...]

#: Exponent up to which a power of one half is written out: 1/1,048,576.
MAX_HALVINGS = 20

#: Minimum distance in pixels of ticks written as fractions: 1/16,384.
MIN_HALVES_SPACING = 58


class PlotAxis(pg.AxisItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Axis with a grid of one tick level in theme colours and a label that shortens to fit.

    `pg.AxisItem` draws three levels of ticks with decreasing opacity and fixes its colours in the constructor.

    Parameters
    ----------
    side : ``"bottom"`` or ``"left"``.
    """

    def __init__(self, side: str) -> None:
        self._side = side
        self._forms: tuple[str, ...] = ("",)
        self._ticks: TickFormat = "number"
        super().__init__(side)
        # pyqtgraph would rescale an axis of ranks to "Rank (x1e+03)".
        self.enableAutoSIPrefix(False)
        # Grid lines instead of tick marks; maxTextLevel 0 labels the one level that `tickValues` returns.
        self.setStyle(tickLength=0, tickAlpha=OPAQUE_ALPHA, maxTextLevel=0, tickTextOffset=6)

    def set_label(self, label: AxisLabel) -> None:
        """Set the label, with unit; the longest of `axis_label_forms` that fits is shown, also after a resize."""
        self._forms = axis_label_forms(label)
        if self._update_label():
            super().resizeEvent(None)  # pyqtgraph 0.14 centres a label on a resize only, not when its text changes

    def set_ticks(self, ticks: TickFormat) -> None:
        """Set the format of the tick labels."""
        if ticks != self._ticks:
            self._ticks = ticks
            self.picture = None
            self.update()

    def resizeEvent(self, ev: Any = None) -> None:
        """Choose the longest label that fits."""
        super().resizeEvent(ev)
        if self.label is not None and self._update_label():
            super().resizeEvent(ev)

    def _update_label(self) -> bool:
        """Show the longest label that fits; returns whether it changed."""
        available = self.size().width() if self._side == "bottom" else self.size().height()
        metrics = QFontMetricsF(self.label.font())
        label = fitting_label(self._forms, available - LABEL_MARGIN, metrics.horizontalAdvance)
        if label == self.labelText:
            return False
        self.setLabel(label)
        set_tooltip(self, self._forms[0] if label != self._forms[0] else "")
        return True

    def labelString(self) -> str:  # noqa: N802 - as in AxisItem
        """HTML of the label; pyqtgraph 0.14 does not escape its text."""
        return f"<span>{escape(self.labelText, quote=False)}</span>"

    def set_theme(self, theme: Theme, font: QFont, label_font: QFont) -> None:
        """Repaint in this theme and these fonts."""
        line = QPen(theme.colour("line"), 1)
        line.setCosmetic(True)
        self.setTickPen(line)
        axis_pen = QPen(theme.colour("line_strong"), 1)
        axis_pen.setCosmetic(True)
        self.setPen(axis_pen)
        self.setTextPen(theme.muted)
        self.setTickFont(font)
        self.label.setFont(label_font)
        self._update_label()
        self.label.setDefaultTextColor(theme.colour("ink"))
        # pyqtgraph multiplies this alpha into the tick pen; opaque leaves the colour of the theme.
        self.setGrid(OPAQUE_ALPHA)
        self.picture = None
        self.update()

    def boundingRect(self) -> QRectF:
        """Include the labels at the ends, which the inherited rectangle excludes when there is a grid."""
        across, down = (OVERHANG, 0) if self._side == "bottom" else (0, OVERHANG)
        return super().boundingRect().adjusted(-across, -down, across, down)

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:  # noqa: N803
        """A single level of ticks at multiples of a round step."""
        low, high = sorted((minVal, maxVal))
        spacing = MIN_HALVES_SPACING if self._ticks == "halves" else MIN_TICK_SPACING[self._side]
        step = nice_step((high - low) / (1 + 2 * RANGE_MARGIN), max(2, int(size / spacing)))
        if self._ticks == "halves":
            step = max(1.0, float(round(step)))  # fractional exponents are hard to read
        # Whole multiples of the step: adding it repeatedly would give 0.30000000000000004.
        first = math.ceil(low / step - 1e-9)
        last = math.floor(high / step + 1e-9)
        ticks = [tick * step for tick in range(first, last + 1)]
        if self._ticks == "ranks":
            ticks = sorted({max(tick, 1.0) for tick in ticks})  # ranks start at 1
        return [(step, ticks)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Labels of the ticks in the format of the axis."""
        return [tick_text(value, spacing, self._ticks) for value in values]

    def mouseDragEvent(self, event: Any) -> None:
        """Ignore dragging: an axis is not scaled by itself."""
        event.ignore()

    def wheelEvent(self, event: Any) -> None:
        """Ignore the wheel, so that the scroll area around the plot gets it."""
        event.ignore()


def axis_label_forms(label: AxisLabel) -> tuple[str, ...]:
    """Forms of an axis label from the longest to the shortest.

    The shorter forms of a single text are the parts before the first parenthesis and before the first comma.

    Examples
    --------
    >>> axis_label_forms("Gain, share of the ideal (0 to 1)")
    ('Gain, share of the ideal (0 to 1)', 'Gain, share of the ideal', 'Gain')
    >>> axis_label_forms(("Share of the ideal gain", "NDCG"))
    ('Share of the ideal gain', 'NDCG')
    """
    if not isinstance(label, str):
        return tuple(label)
    forms = (label, label.partition(" (")[0], label.partition(" (")[0].partition(", ")[0])
    return tuple(dict.fromkeys(forms))


def fitting_label(forms: tuple[str, ...], available: float, width: Callable[[str], float]) -> str:
    """The first of `forms` that is at most `available` wide; else the last one elided after a word; "" if none fits.

    Parameters
    ----------
    width : measures a text, in the unit of `available`.

    Examples
    --------
    >>> forms = ("Share of the ideal gain", "Ideal gain")
    >>> fitting_label(forms, 30, len), fitting_label(forms, 10, len), fitting_label(forms, 8, len)
    ('Share of the ideal gain', 'Ideal gain', 'Ideal…')
    """
    for label in forms:
        if width(label) <= available:
            return label
    text_parts = forms[-1].split()
    for count in range(len(text_parts) - 1, 0, -1):
        label = " ".join(text_parts[:count]).rstrip(",;:") + "…"
        if width(label) <= available:
            return label
    return ""


def tick_text(value: float, step: float, ticks: TickFormat = "number") -> str:
    """Label of a tick in a series with the given step.

    Examples
    --------
    >>> tick_text(0.2, 0.2), tick_text(0.25, 0.05, "percent")
    ('0.2', '25 %')
    >>> tick_text(10.0, 1.0, "halves"), tick_text(2.25, 0.25, "halves"), tick_text(0, 1, "halves")
    ('1/1,024', '1/4.76', '1')
    >>> tick_text(2000.0, 1.0, "halves")
    '1/2^2,000'
    """
    if ticks == "halves":
        if value > MAX_HALVINGS:
            return f"1/2^{value:,.0f}"
        whole = 2.0**value
        is_short = whole >= 100 or whole == round(whole)
        return "1" if value == 0 else "" if value < 0 else f"1/{whole:,.0f}" if is_short else f"1/{whole:.3g}"
    factor = 100.0 if ticks == "percent" else 1.0
    decimals = max(0, -math.floor(math.log10(step * factor) + 1e-9)) if step > 0 else 0
    return format_fixed(value * factor, decimals) + (" %" if ticks == "percent" else "")


def nice_step(span: float, max_steps: int) -> float:
    """Smallest step of 1, 2 or 5 times a power of ten with at most `max_steps` steps in `span`; 1 for an empty span.

    Examples
    --------
    >>> nice_step(1.0, 10), nice_step(1.0, 4), nice_step(1814, 8), nice_step(0.0, 5)
    (0.1, 0.5, 500.0, 1.0)
    """
    if not span > 0 or not math.isfinite(span):
        return 1.0
    power = 10.0 ** math.floor(math.log10(span / max_steps))
    for factor in (1, 2, 5, 10):
        if span / (factor * power) <= max_steps + 1e-9:
            return factor * power
    return 10 * power


@dataclass(frozen=True)
class PlotFrame:
    """Transform from data units to pixels of the widget, with theme and font.

    Attributes
    ----------
    rect : area within the axes, in pixels of the widget.
    whole : area of the widget.
    x_range, y_range : visible range in data units, low to high.
    """

    rect: QRectF
    whole: QRectF
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    theme: Theme
    font: QFont

    def x_at(self, x: ArrayLike) -> NDArray[np.float64]:
        """X coordinates in pixels."""
        low, high = self.x_range
        return self.rect.left() + (np.asarray(x, np.float64) - low) / ((high - low) or 1.0) * self.rect.width()

    def y_at(self, y: ArrayLike) -> NDArray[np.float64]:
        """Y coordinates in pixels, from the top."""
        low, high = self.y_range
        return self.rect.bottom() - (np.asarray(y, np.float64) - low) / ((high - low) or 1.0) * self.rect.height()

    def point(self, x: float, y: float) -> QPointF:
        """The point (x, y) in pixels."""
        return QPointF(float(self.x_at(x)), float(self.y_at(y)))

    def polygon(self, x: ArrayLike, y: ArrayLike) -> QPolygonF:
        """The points (x, y), without NaN, in pixels."""
        return QPolygonF([QPointF(a, b) for a, b in zip(self.x_at(x).tolist(), self.y_at(y).tolist(), strict=True)])

    def contains(self, x: float, y: float) -> bool:
        """Whether the point is within the axes; False for NaN."""
        return self.x_range[0] <= x <= self.x_range[1] and self.y_range[0] <= y <= self.y_range[1]


#: Paints an overlay in pixels of the widget; the painter's state is restored afterwards.
PaintFunction = Callable[[QPainter, PlotFrame], None]


class PlotOverlay(pg.GraphicsObject):  # type: ignore[misc]  # pyqtgraph has no types
    """Graphics item that paints in pixels over the whole canvas.

    For marks whose position depends on pixels: labels that avoid each other, lines of exactly one pixel
    (`pg.InfiniteLine` is antialiased: two pixels wide in half its colour) and dots of a fixed size.
    """

    def __init__(self, canvas: "PlotCanvas", paints: Sequence[PaintFunction], z: float) -> None:
        super().__init__()
        self._canvas, self._paint_functions = canvas, paints
        self.setZValue(z)
        # An item in front would otherwise get the clicks meant for the view box.
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)

    def boundingRect(self) -> QRectF:
        """The whole viewport."""
        return QRectF(self._canvas.viewport().rect())

    def paint(self, painter: QPainter, *_: object) -> None:
        """Call the paint functions with the current transform."""
        frame = self._canvas.frame()
        painter.setRenderHints(SMOOTH)
        for paint in self._paint_functions:
            painter.save()
            paint(painter, frame)
            painter.restore()


#: Opacity of the rubber band; curves below it stay visible.
RUBBER_BAND_OPACITY = 0.12

#: Pixels below which a side of the rubber band counts as zero: only the other axis is zoomed, or none.
MIN_RUBBER_BAND = 8.0


class PlotViewBox(pg.ViewBox):  # type: ignore[misc]  # pyqtgraph has no types
    """View box without menus: left drag zooms into a rectangle, middle drag or Shift+drag pans.

    `ViewBox.RectMode` does not zoom along one axis and has no pan with the left button.
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        # Ranges are set by the panels; auto-range would recompute them with each new curve.
        self.disableAutoRange()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        pen = QPen(theme.colour("accent"), 1)
        pen.setCosmetic(True)
        self.rbScaleBox.setPen(pen)
        self.rbScaleBox.setBrush(theme.colour("accent", RUBBER_BAND_OPACITY))

    def mouseDragEvent(self, ev: Any, axis: int | None = None) -> None:
        """Zoom with the left button; pan with the middle button or Shift; ignore the right button."""
        if ev.button() == Qt.MouseButton.RightButton:
            ev.ignore()
        elif ev.button() == Qt.MouseButton.MiddleButton or ev.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            super().mouseDragEvent(ev, axis)
        else:
            ev.accept()
            self._zoom_to(QRectF(pg.Point(ev.buttonDownPos()), pg.Point(ev.pos())).normalized(), finished=ev.isFinish())

    def _zoom_to(self, dragged: QRectF, *, finished: bool) -> None:
        """Show the rubber band, or zoom into it; a thin one spans the other axis."""
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


#: Stacking order; pyqtgraph puts the view box with the curves at -100.
BACKGROUND_Z, GRID_Z, REFERENCE_Z, FRONT_Z = -2000, -1000, -500, 10

HOME_KEYS = (Qt.Key.Key_Home, Qt.Key.Key_0)

#: Steps along the samples and along the curves for each arrow key.
ARROW_STEPS = {Qt.Key.Key_Left: (-1, 0), Qt.Key.Key_Right: (1, 0), Qt.Key.Key_Up: (0, -1), Qt.Key.Key_Down: (0, 1)}

#: Pixels around the axes: half a tick label at the top and at the right, and space for the focus frame elsewhere.
LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN = 4, 9, 17, 4

AxisRange = tuple[float, float]


class PlotCanvas(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """Pyqtgraph plot of two axes and a view box, without menus and buttons.

    A `pg.PlotItem` would add the controls of a context menu that is not used: 44 widgets instead of 7 and 21 ms instead
    of 6 per plot (pyqtgraph 0.14.0). All items are repainted with each cursor move: 30 to 36 ms of the
    main thread for the three graphs of shrec06 with 13 runs on a machine under load (tests/bench/bench_cursor.py).

    Signals
    -------
    mouse_moved(float, float)
        Position of the mouse in data units.
    mouse_left()
        The mouse left the area within the axes.
    clicked(float, float)
        Left click at this point, in data units.
    stepped(int, int)
        Arrow keys: samples back (-1) or forward (1), curves back or forward.
    zoomed(bool)
        The visible range changed; whether it is less than the full range.
    """

    mouse_moved = Signal(float, float)
    mouse_left = Signal()
    clicked = Signal(float, float)
    stepped = Signal(int, int)
    zoomed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._bottom, self._left = PlotAxis("bottom"), PlotAxis("left")
        self._box = PlotViewBox()
        self._theme = current_theme()
        self._home: tuple[AxisRange, AxisRange] | None = None
        super().__init__(parent, useOpenGL=False)
        self.enableMouse(False)
        # Overlays depend on the range of the axes, so that a change of any item concerns the whole viewport.
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        # It paints its background; else Qt paints those of all widgets below it with each cursor move, too.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        # Without pg.PlotItem, see above.
        self._plot = pg.GraphicsWidget()
        self._grid = QGraphicsGridLayout(self._plot)
        self._grid.setContentsMargins(LEFT_MARGIN, TOP_MARGIN, RIGHT_MARGIN, BOTTOM_MARGIN)
        self._grid.setSpacing(0)
        for item, row, column in ((self._left, 0, 0), (self._box, 0, 1), (self._bottom, 1, 1)):
            self._grid.addItem(item, row, column)
        self._grid.setRowStretchFactor(0, 100)
        self._grid.setColumnStretchFactor(1, 100)
        for axis in (self._bottom, self._left):
            axis.linkToView(self._box)
            axis.setZValue(GRID_Z)
        self.setCentralItem(self._plot)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_mouse_clicked)
        self._box.sigRangeChanged.connect(self._on_range_changed)
        self.set_home((0.0, 1.0), (0.0, 1.0))

    # Contents.

    def view_box(self) -> PlotViewBox:
        """The pyqtgraph view box within the axes."""
        return self._box

    def add_item(self, item: QGraphicsItem) -> None:
        """Draw `item` in data units."""
        self._box.addItem(item)

    def remove_item(self, item: QGraphicsItem) -> None:
        """Remove `item`."""
        self._box.removeItem(item)

    def add_overlay(self, z: float, *paints: PaintFunction) -> None:
        """Paint an overlay in pixels, stacked at `z`."""
        PlotOverlay(self, paints, z).setParentItem(self._plot)

    def set_axis_labels(self, x_label: AxisLabel, y_label: AxisLabel, x_ticks: TickFormat = "number") -> None:
        """Set the labels of the axes, with units, and the format of the x ticks."""
        self._bottom.set_ticks(x_ticks)
        self._bottom.set_label(x_label)
        self._left.set_label(y_label)

    def set_label_margin(self, pixels: int) -> None:
        """Reserve this width at the right of the axes for end labels."""
        self._grid.setContentsMargins(LEFT_MARGIN, TOP_MARGIN, max(RIGHT_MARGIN, pixels), BOTTOM_MARGIN)
        self._grid.activate()  # immediately: `frame` may be called before the next layout event

    def set_home(self, x_range: AxisRange, y_range: AxisRange) -> None:
        """Set the full range and show it; the current zoom stays when the full range is unchanged."""
        if (x_range, y_range) == self._home:
            return
        self._home = (x_range, y_range)
        (left, right), (bottom, top) = _with_margin(x_range), _with_margin(y_range)
        self._box.setLimits(xMin=left, xMax=right, yMin=bottom, yMax=top)
        self.go_home()

    def go_home(self) -> None:
        """Show the full range."""
        if self._home is None:
            return
        x_range, y_range = self._home
        self._box.setRange(xRange=_with_margin(x_range), yRange=_with_margin(y_range), padding=0)

    @property
    def is_zoomed(self) -> bool:
        """Whether less than the full range is visible."""
        if self._home is None:
            return False
        full = [_with_margin(bounds) for bounds in self._home]
        view_range = self._box.viewRange()
        return any(high - low < 0.999 * (b - a) for (low, high), (a, b) in zip(view_range, full, strict=True))

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self.setBackground(theme.surface)
        for axis in (self._bottom, self._left):
            axis.set_theme(theme, text_font(self.font(), 0.88), text_font(self.font(), 0.92, bold=True))
        self._box.set_theme(theme)
        self.redraw()

    def frame(self) -> PlotFrame:
        """Current transform from data units to pixels."""
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
        """Pixel position of the point (x, y) in data units."""
        scene = self._box.mapViewToScene(pg.Point(x, y))
        return QPointF(self.mapFromScene(scene))

    def data_point(self, position: QPoint) -> QPointF | None:
        """Data coordinates of a viewport position; None outside the axes."""
        point = self.mapToScene(position)
        return QPointF(self._box.mapSceneToView(point)) if self._box.sceneBoundingRect().contains(point) else None

    def redraw(self) -> None:
        """Schedule a repaint of everything."""
        self.viewport().update()

    # Mouse and keyboard.

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Reset the zoom with Home or 0; emit the steps of arrow keys."""
        if event.key() in HOME_KEYS:
            self.go_home()
        elif event.key() in ARROW_STEPS:
            self.stepped.emit(*ARROW_STEPS[Qt.Key(event.key())])
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        """Emit `mouse_left`."""
        super().leaveEvent(event)
        self.mouse_left.emit()

    def _on_range_changed(self, *_: object) -> None:
        self._box.updateMatrix()  # pyqtgraph 0.14 does it within the next paint event, which causes another one
        self.zoomed.emit(self.is_zoomed)

    def _on_mouse_moved(self, position: QPointF) -> None:
        if not self._box.sceneBoundingRect().contains(QPointF(position)):
            self.mouse_left.emit()
            return
        point = self._box.mapSceneToView(position)
        self.mouse_moved.emit(point.x(), point.y())

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
