"""A plot of curves with legend and readout."""

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from shrec_viewer.widgets.plot_axis import Words, axis_names
from shrec_viewer.widgets.plot_canvas import PlotCanvas, Range
from shrec_viewer.widgets.plot_curve import PlotCurve, joined
from shrec_viewer.widgets.plot_legend import LegendForm, PlotLegend
from shrec_viewer.widgets.plot_readout import PlotReadout, Reading, place_text, readings_at
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

REACH = 10.0
"""Pixels within which a click or the mouse means a curve."""

FEW = 20
"""Curves up to which a fine screen gets lines of the same visible width; wider lines are 10 to 20 times slower."""


class CurvePlot(QWidget):
    """Draws curves; says which one and which place the person points at.

    Double click, Home or 0 shows everything again after zooming. Nothing here is changed by a pick: the owner decides
    and calls the setters, which never emit.

    Signals
    -------
    curve_picked(str)
        The person clicked a curve; its key.
    x_picked(float)
        The person clicked anywhere in the plot, or walked with the arrow keys: the nearest sample's x.
    x_hovered(float)
        The mouse is over this x (of the nearest sample); NaN when it left.
    """

    curve_picked = Signal(str)
    x_picked = Signal(float)
    x_hovered = Signal(float)

    # Qt may call overrides while its own constructor runs, before ours has set anything.
    _is_ready = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._curves: tuple[PlotCurve, ...] = ()
        self._items: dict[str, pg.PlotCurveItem] = {}
        self._crowds: list[pg.PlotCurveItem] = []
        self._hidden: set[str] = set()
        self._highlighted: str | None = None
        self._lifted: str | None = None
        self._cursor: float | None = None
        self._x_range: Range | None = None
        self._y_range: Range | None = None
        self._x_label = ""
        self._canvas = PlotCanvas()
        self._dots = pg.ScatterPlotItem(pxMode=True)
        self._dots.setZValue(20)
        self._canvas.add_item(self._dots, counts=False)
        self._legend = PlotLegend()
        self._readout = PlotReadout(self._canvas)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self._canvas, 1)
        layout.addWidget(self._legend)
        self._connect()
        self.set_theme(self._theme)
        self._is_ready = True

    def _connect(self) -> None:
        self._canvas.pointed.connect(self._on_pointed)
        self._canvas.left.connect(self._on_left)
        self._canvas.clicked.connect(self._on_clicked)
        self._canvas.stepped.connect(self._on_stepped)
        self._legend.toggled.connect(self._toggle)
        self._legend.isolated.connect(self._isolate)
        self._legend.hovered.connect(self._lift)

    # ------------------------------------------------------------------------------------------------- what is shown

    def set_axes(
        self, x_label: Words, y_label: Words, x_range: Range | None = None, y_range: Range | None = None
    ) -> None:
        """Name the axes with their units and fix their ranges; None for what the curves span (y from 0).

        A label is a text or ``(long, short)``; each axis shows the longest form that fits, see `axis_names`.
        """
        self._x_label = axis_names(x_label)[-1]
        self._x_range, self._y_range = x_range, y_range
        self._canvas.set_words(x_label, y_label)
        self._find_home()

    def set_curves(self, curves: Sequence[PlotCurve]) -> None:
        """Show exactly these curves; hidden ones stay hidden by their key, items are reused."""
        self._curves = tuple(curve for curve in curves if curve.is_drawn)
        named = {curve.key: curve for curve in self._curves if curve.emphasis != "crowd"}
        for key in self._items.keys() - named.keys():
            self._canvas.remove_item(self._items.pop(key))
        for key, curve in named.items():
            if key not in self._items:
                self._items[key] = self._canvas_item()
            self._items[key].setData(curve.x, curve.y, connect="finite")
        self._draw_crowds()
        self._legend.set_curves(tuple(named.values()))
        self._find_home()
        self._on_left()
        self._restyle()

    def set_highlighted(self, key: str | None) -> None:
        """Draw the curve `key` wide and before the others; None for all alike."""
        self._highlighted = key
        self._restyle()

    def set_cursor(self, x: float | None) -> None:
        """Draw the cursor line at `x`, such as the rank in hand; None for none."""
        self._cursor = x
        self._canvas.set_cursor(x)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._canvas.set_theme(theme)
        self._legend.set_theme(theme)
        self._readout.set_theme(theme)
        self._restyle()
        self.update()

    def set_legend(self, form: LegendForm) -> None:
        """Show the legend in as many lines as it needs, in one (names cut, the last ones counted), or not at all."""
        self._legend.set_one_line(form == "line")
        self._legend.setVisible(form != "none")

    def set_legend_visible(self, visible: bool) -> None:
        """Show the whole legend, or leave its room to the plot."""
        self.set_legend("full" if visible else "none")

    def hidden_keys(self) -> frozenset[str]:
        """Curves that the person hid in the legend."""
        return frozenset(self._hidden)

    def reset_zoom(self) -> None:
        """Show the whole plot."""
        self._canvas.go_home()

    def event(self, event: QEvent) -> bool:
        """Qt override; on a finer screen a line needs more of its pixels."""
        if event.type() == QEvent.Type.DevicePixelRatioChange and self._is_ready:
            self._restyle()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override; plot and legend stand on one ground."""
        QPainter(self).fillRect(self.rect(), self._theme.colour("surface"))

    # ------------------------------------------------------------------------------------------------------- drawing

    def _canvas_item(self) -> pg.PlotCurveItem:
        item = pg.PlotCurveItem(antialias=True)
        self._canvas.add_item(item)
        return item

    def _draw_crowds(self) -> None:
        for item in self._crowds:
            self._canvas.remove_item(item)
        self._crowds = []
        for colour in dict.fromkeys(curve.colour for curve in self._curves if curve.emphasis == "crowd"):
            members = [curve for curve in self._curves if curve.emphasis == "crowd" and curve.colour == colour]
            item = self._canvas_item()
            item.setData(*joined(members), connect="finite")
            item.setPen(members[0].pen(ratio=1.0))
            item.setZValue(-1)
            self._crowds.append(item)

    def _restyle(self) -> None:
        lifted = self._lifted if self._lifted in self._items else None
        front = lifted or self._highlighted
        for curve in self._curves:
            item = self._items.get(curve.key)
            if item is None:
                continue
            faded = lifted is not None and curve.key not in (lifted, self._highlighted)
            is_lifted = curve.key in (front, self._highlighted)
            thin = len(self._items) > FEW and not is_lifted
            item.setPen(curve.pen(lifted=is_lifted, faded=faded, ratio=1.0 if thin else self.devicePixelRatioF()))
            item.setVisible(curve.key not in self._hidden)
            item.setZValue(10 if curve.key == front else 5 if curve.emphasis == "strong" else 2)
        self._legend.set_state(self._hidden, self._highlighted)

    def _find_home(self) -> None:
        x_range = self._x_range or _span([curve.x for curve in self._curves])
        y_range = self._y_range or _span([curve.y for curve in self._curves], from_zero=True)
        self._canvas.set_home(x_range, y_range)

    # --------------------------------------------------------------------------------------------- mouse and keyboard

    def _visible(self) -> list[PlotCurve]:
        return [curve for curve in self._curves if curve.key not in self._hidden]

    def _nearest(self, x: float, y: float) -> PlotCurve | None:
        scale = self._canvas.pixels_per_unit()
        found, least = None, REACH
        for curve in self._visible():
            distance = curve.distance_to(x, y, scale, REACH)
            if distance < least:
                found, least = curve, distance
        return found

    def _snapped(self, x: float, nearest: PlotCurve | None) -> float:
        curve = nearest or next(iter(self._visible()), None)
        if curve is None or not len(curve.x):
            return x
        place = int(np.searchsorted(curve.x, x))
        around = curve.x[max(0, place - 1) : place + 1]
        return float(around[np.argmin(np.abs(around - x))])

    def _on_pointed(self, x: float, y: float) -> None:
        nearest = self._nearest(x, y)
        at = self._snapped(x, nearest)
        self._show_readout(at, y, nearest)
        self._lift(nearest.key if nearest is not None and nearest.key in self._items else "")
        self.x_hovered.emit(at)

    def _on_left(self) -> None:
        if self._readout.isHidden():
            return
        self._readout.hide()
        self._canvas.set_hover(None)
        self._dots.clear()
        self._lift("")
        self.x_hovered.emit(math.nan)

    def _on_clicked(self, x: float, y: float) -> None:
        nearest = self._nearest(x, y)
        self.x_picked.emit(self._snapped(x, nearest))
        if nearest is not None:
            self.curve_picked.emit(nearest.key)

    def _on_stepped(self, step: int) -> None:
        curve = next((c for c in self._visible() if c.key == self._highlighted), None)
        curve = curve or next(iter(self._visible()), None)
        if curve is None:
            return
        if self._cursor is None:
            place = 0
        else:
            place = int(np.searchsorted(curve.x, self._cursor, "left" if step < 0 else "right"))
            place = place - 1 if step < 0 else place
        self.x_picked.emit(float(curve.x[min(max(place, 0), len(curve.x) - 1)]))

    def _show_readout(self, at: float, y: float, nearest: PlotCurve | None) -> None:
        named = [curve for curve in self._visible() if curve.key in self._items or curve is nearest]
        readings, left_out = readings_at(at, named, nearest, self._highlighted)
        if not readings:
            self._on_left()
            return
        more = self.tr("and {n} more").format(n=left_out) if left_out else ""
        self._readout.set_readings(f"{self._x_label} {place_text(at)}", readings, more)
        self._readout.move_beside(self._canvas.widget_point(at, y))
        self._readout.show()
        self._canvas.set_hover(at)
        self._draw_dots(at, readings)

    def _draw_dots(self, at: float, readings: Sequence[Reading]) -> None:
        self._dots.setData(
            [at] * len(readings),
            [reading.value for reading in readings],
            brush=[pg.mkBrush(reading.curve.colour) for reading in readings],
            pen=pg.mkPen(self._theme.surface, width=1.5),
            size=8,
        )

    def _lift(self, key: str) -> None:
        lifted = key or None
        if lifted != self._lifted:
            self._lifted = lifted
            self._restyle()

    def _toggle(self, key: str) -> None:
        self._hidden ^= {key}
        self._restyle()

    def _isolate(self, key: str) -> None:
        others = self._items.keys() - {key}
        self._hidden = set() if others and others <= self._hidden else set(others)
        self._restyle()


def _span(arrays: Sequence[np.ndarray], *, from_zero: bool = False) -> Range:
    finite = [array[np.isfinite(array)] for array in arrays]
    finite = [array for array in finite if len(array)]
    if not finite:
        return (0.0, 1.0)
    low, high = min(float(a.min()) for a in finite), max(float(a.max()) for a in finite)
    if from_zero and low >= 0:
        low = 0.0
    return (low, high) if high > low else (low, low + 1.0)
