"""A plot of curves with legend and readout that says what the person points at."""

import math

from PySide6.QtCore import QPoint, QPointF, QRect, Signal, Slot
from PySide6.QtWidgets import QWidget

from shrec_viewer.widgets.plot_axis import axis_names, tick_text
from shrec_viewer.widgets.plot_curve import PlotCurve, nearest_curve, nearest_sample
from shrec_viewer.widgets.plot_marks import Dot
from shrec_viewer.widgets.plot_readout import place_text, readings_at
from shrec_viewer.widgets.plot_runs import PlotRuns
from shrec_viewer.widgets.plot_view import PlotView

REACH = 10.0
"""Pixels within which a click or the mouse means a curve."""


class CurvePlot(PlotView):
    """Draws curves; says which one and which place the person points at.

    Double click, Home or 0 shows everything again after zooming. Nothing here is changed by a pick: the owner decides
    and calls the setters, which never emit.

    Signals
    -------
    curve_picked(str)
        The person clicked a curve, or walked to it with the arrow keys up and down; its key.
    x_picked(float)
        The person clicked anywhere in the plot: the nearest sample's x.
    x_hovered(float)
        The mouse is over this x (of the nearest sample); NaN when it left.
    stepped(int)
        The person walked with the arrow keys: one place back (-1) or on (1).
    toggle_picked(str)
        The person wants this curve hidden, or shown again.
    only_picked(str)
        The person wants this curve only, or where it is the only one, all.
    all_picked()
        The person wants all curves shown.
    """

    curve_picked = Signal(str)
    x_picked = Signal(float)
    x_hovered = Signal(float)
    stepped = Signal(int)
    toggle_picked = Signal(str)
    only_picked = Signal(str)
    all_picked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_pointed_at = False
        self._connect()

    def _connect(self) -> None:
        self._canvas.pointed.connect(self._on_pointed)
        self._canvas.left.connect(self._on_left)
        self._canvas.clicked.connect(self._on_clicked)
        self._canvas.stepped.connect(self._on_stepped)
        self._canvas.zoomed.connect(self._on_zoomed)
        self._whole.clicked.connect(self.reset_zoom)
        self._legend.toggled.connect(self.toggle_picked)
        self._legend.isolated.connect(self.only_picked)
        self._legend.hovered.connect(self._lift)
        self._legend.rest_wanted.connect(self.list_runs)
        self._absent.clicked.connect(self._show_absent)

    def _read(self, x: float, y: float) -> tuple[PlotCurve | None, float]:
        """The curve at this point, or None, and the x of the sample that is meant."""
        visible = self._visible()
        nearest = nearest_curve(visible, x, y, self._canvas.pixels_per_unit(), REACH)
        curve = nearest or next((c for c in visible if c.key == self._highlighted), next(iter(visible), None))
        return nearest, x if curve is None else nearest_sample(curve, x)

    def _on_pointed(self, x: float, y: float) -> None:
        nearest, at = self._read(x, y)
        self._show_readout(at, y, nearest)
        self._lift(nearest.key if nearest is not None and nearest.key in self._items else "")
        self._is_pointed_at = True
        self.x_hovered.emit(at)

    def _on_left(self) -> None:
        if not self._is_pointed_at:
            return
        self._is_pointed_at = False
        self._forget_mouse()
        self._canvas.update_layers()
        self.x_hovered.emit(math.nan)

    def _on_clicked(self, x: float, y: float) -> None:
        nearest, at = self._read(x, y)
        self.x_picked.emit(at)
        if nearest is not None:
            self.curve_picked.emit(nearest.key)

    def _on_stepped(self, across: int, down: int) -> None:
        if across:
            self.stepped.emit(across)
            return
        keys = [curve.key for curve in self._visible() if curve.key in self._items]
        if keys:
            place = keys.index(self._highlighted) if self._highlighted in keys else -down
            self.curve_picked.emit(keys[(place + down) % len(keys)])

    def _on_zoomed(self, zoomed: bool) -> None:
        self._whole.setVisible(zoomed)

    def _show_readout(self, at: float, y: float, nearest: PlotCurve | None) -> None:
        named = [curve for curve in self._visible() if curve.key in self._items or curve is nearest]
        readings, left_out = readings_at(at, named, nearest, self._highlighted, self._readout.most_readings())
        if not readings:
            self._forget_mouse()
            return
        more = self.tr("and {n} more").format(n=left_out) if left_out else ""
        x_label, _, ticks = self._words
        place = place_text(at) if ticks == "number" else tick_text(at, 0.001, ticks)
        self._readout.set_readings(f"{axis_names(x_label)[-1]} {place}", readings, more)
        pin = self._marks.pin.x
        free = None if pin is None else self._canvas.widget_point(pin, y).x()
        self._readout.move_beside(self._canvas.widget_point(at, y), free)
        self._readout.show()
        self._marks.hover = at
        self._marks.hover_dots = tuple(Dot(reading.curve.key, at, reading.value) for reading in readings)
        self._canvas.update_layers()

    def _lift(self, key: str) -> None:
        lifted = key or None
        if lifted != self._marks.lifted:
            self._marks.lifted = lifted
            self._canvas.update_layers()

    def key_at(self, place: QPoint) -> str:
        """Key of the curve that a place of the screen means, in the legend or near a curve; "" for none."""
        at = self._legend.mapFromGlobal(place)
        if self._legend.isVisible() and self._legend.rect().contains(at):
            return self._legend.key_at(QPointF(at))
        point = self._canvas.data_point(self._canvas.viewport().mapFromGlobal(place))
        nearest = None if point is None else self._read(point.x(), point.y())[0]
        return "" if nearest is None else nearest.key

    @Slot()
    def list_runs(self, beside: QWidget | None = None) -> None:
        """List all curves in a window beside the plot, to be shown and hidden; by the legend or another widget."""
        self._popup = PlotRuns(self)
        self._popup.set_curves(self._named, self._hidden, self._highlighted)
        self._popup.toggled.connect(self.toggle_picked)
        self._popup.isolated.connect(self.only_picked)
        self._popup.all_wanted.connect(self.all_picked)
        self._popup.closed.connect(self._forget_popup)
        anchor = beside or self._legend
        places = [QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size()) for widget in (self, anchor)]
        self._popup.open_beside(*places)

    @Slot()
    def _forget_popup(self) -> None:
        self._popup = None

    @Slot()
    def _show_absent(self) -> None:
        if self._highlighted is not None:
            self.toggle_picked.emit(self._highlighted)
