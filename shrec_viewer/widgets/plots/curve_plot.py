"""Plot of curves with axes, references, legend, cursor, readout and zoom."""

import math
from collections.abc import Collection, Sequence
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt, Signal, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from shrec_viewer.widgets.plots.axis import AxisLabel, TickFormat, axis_label_forms, tick_text
from shrec_viewer.widgets.plots.canvas import AxisRange, PlotCanvas
from shrec_viewer.widgets.plots.curves import (
    EMPHASISED_WIDTH,
    GROOVE_WIDTH,
    PlotCurve,
    joined_with_gaps,
    line_pen,
    nearest_curve,
    nearest_sample,
    overlap_styles,
    value_range,
)
from shrec_viewer.widgets.plots.legend import CurveListPopup, LegendForm, PlotLegend
from shrec_viewer.widgets.plots.overlays import (
    NO_CURSOR,
    CursorLayer,
    CurveDot,
    EndLabelLayer,
    PlotCursor,
    SampleMarkerLayer,
)
from shrec_viewer.widgets.plots.readout import PlotReadout, format_x, readings_at
from shrec_viewer.widgets.plots.references import NO_REFERENCES, ReferenceLabelLayer, ReferenceLayer, References
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

MAX_WIDE_CURVES = 20
"""Curves up to which a fine screen gets lines of the same visible width; wider lines are 10 to 20 times slower."""


class PlotView(QWidget):
    """Draws curves; `CurvePlot` adds mouse and keyboard. No setter emits."""

    # Qt may call overrides while its own constructor runs, before ours has set anything.
    _is_ready = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._curves: tuple[PlotCurve, ...] = ()
        self._items: dict[str, pg.PlotCurveItem] = {}
        self._crowds: list[pg.PlotCurveItem] = []
        self._grooves: list[pg.PlotCurveItem] = []
        self._named: tuple[PlotCurve, ...] = ()
        self._hidden: frozenset[str] = frozenset()
        self._highlighted: str | None = None
        self._x_range: AxisRange | None = None
        self._y_range: AxisRange | None = None
        self._words: tuple[AxisLabel, AxisLabel, TickFormat] = ("", "", "number")
        self._labelled = True
        self._canvas = PlotCanvas()
        self._marks = CursorLayer(self._visible)
        self._labels = EndLabelLayer(self._visible)
        self._samples = SampleMarkerLayer(self._visible)
        self._references = ReferenceLayer()
        names = ReferenceLabelLayer(self._references)
        self._canvas.set_layers((self._references,), (names, self._samples, self._labels), (self._marks,))
        self._legend = PlotLegend()
        self._readout = PlotReadout(self._canvas)
        self._whole = QToolButton(self._canvas)
        self._absent = QToolButton(self._canvas)
        self._popup: CurveListPopup | None = None
        self._build()
        self.set_theme(self._theme)
        self._is_ready = True

    def _build(self) -> None:
        self._whole.setText("Show all")
        self._whole.setToolTip("Show the whole graph (double click, Home or 0)")
        self._whole.setProperty("segment", "only")
        self._absent.setObjectName("plot_absent")
        for button in (self._whole, self._absent):
            button.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self._canvas, 1)
        layout.addWidget(self._legend)

    def set_axes(
        self,
        x_label: AxisLabel,
        y_label: AxisLabel,
        x_range: AxisRange | None = None,
        y_range: AxisRange | None = None,
        x_ticks: TickFormat = "number",
    ) -> None:
        """Name the axes with their units and fix their ranges; None for what the curves span (y from 0).

        A label is a text or ``(long, short)``; each axis shows the longest form that fits, see `axis_label_forms`.
        """
        self._words = (x_label, y_label, x_ticks)
        self._x_range, self._y_range = x_range, y_range
        self._canvas.set_words(x_label, y_label, x_ticks)
        self._canvas.setAccessibleName(
            f"Graph of {axis_label_forms(y_label)[0]} against {axis_label_forms(x_label)[0]}"
        )
        self._update_home()

    def set_curves(self, curves: Sequence[PlotCurve], hidden: Collection[str] = ()) -> None:
        """Show exactly these curves; items are reused.

        Parameters
        ----------
        hidden : keys of those that are only named in the legend, whether they have values or not.
        """
        self._hidden = frozenset(hidden)
        self._curves = tuple(curve for curve in curves if curve.is_drawn)
        self._named = tuple(
            curve for curve in curves if curve.emphasis != "crowd" and (curve.is_drawn or curve.key in self._hidden)
        )
        named = {curve.key: curve for curve in self._named if curve.is_drawn}
        for key in self._items.keys() - named.keys():
            self._canvas.remove_item(self._items.pop(key))
        for key, curve in named.items():
            if key not in self._items:
                self._items[key] = self._canvas_item()
            self._items[key].setData(curve.x, curve.y, connect="finite")
        self._draw_crowd()
        self._legend.set_curves(self._named)
        if self._popup is not None:
            self._popup.set_curves(self._named, self._hidden, self._highlighted)
        self._update_home()
        self._clear_hover()
        self._restyle()

    def set_hidden(self, hidden: Collection[str]) -> None:
        """Name these curves in the legend only."""
        if frozenset(hidden) != self._hidden:
            self._hidden = frozenset(hidden)
            self._update_home()
            self._clear_hover()
            self._restyle()

    def set_references(self, references: References = NO_REFERENCES) -> None:
        """Show these lines, areas and points beside the curves, and no others."""
        self._references.shown = references
        self._canvas.redraw()

    def set_highlighted(self, key: str | None) -> None:
        """Draw the curve `key` wide and before the others; None for all alike."""
        if key != self._highlighted:
            self._highlighted = key
            self._restyle()

    def set_cursor(self, x: float | None) -> None:
        """Draw the cursor line at `x`, such as the rank in hand; None for none."""
        self.show_cursor(NO_CURSOR if x is None else PlotCursor(x))

    def show_cursor(self, cursor: PlotCursor) -> None:
        """Show where the rank in hand is; costs a frame nothing but the marks themselves."""
        if cursor != self._marks.cursor:
            self._marks.cursor = cursor
            self._canvas.update_layers()

    def show_pin(self, pin: PlotCursor) -> None:
        """Show a second place that stays, such as that of a slider."""
        if pin != self._marks.pin:
            self._marks.pin = pin
            self._canvas.update_layers()

    @property
    def cursor_shown(self) -> PlotCursor:
        """What `show_cursor` was given."""
        return self._marks.cursor

    def set_cursor_description(self, words: str) -> None:
        """Say what is at the cursor to those who do not see it."""
        self._canvas.setAccessibleDescription(words)

    def set_labelled(self, labelled: bool) -> None:
        """Write names at the ends of the lines where there is room for them, or never."""
        self._labelled = labelled
        self._give_room()

    def names_fit(self, width: int) -> bool:
        """Whether names are written at the ends of the lines in a plot of this width."""
        return self._labelled and self._labels.width(self.font(), width) > 0

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

    def hidden_keys(self) -> frozenset[str]:
        """What `set_hidden` was given."""
        return self._hidden

    def visible_curves(self) -> tuple[PlotCurve, ...]:
        """The curves that are drawn and not hidden."""
        return tuple(self._visible())

    def view_range(self) -> tuple[AxisRange, AxisRange]:
        """What is in sight of x and of y, the margin around the whole left out."""
        frame = self._canvas.frame()
        if self._canvas.is_zoomed:
            return frame.x_range, frame.y_range
        return self._home()

    def picture(self) -> QPixmap:
        """The plot with its legend as it is seen."""
        return self.grab()

    def reset_zoom(self) -> None:
        """Show the whole plot."""
        self._canvas.go_home()

    def event(self, event: QEvent) -> bool:
        """Qt override; on a finer screen a line needs more of its pixels."""
        if event.type() == QEvent.Type.DevicePixelRatioChange and self._is_ready:
            self._restyle()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._give_room()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override; plot and legend stand on one ground."""
        QPainter(self).fillRect(self.rect(), self._theme.colour("surface"))

    # ------------------------------------------------------------------------------------------------------- drawing

    def _canvas_item(self) -> pg.PlotCurveItem:
        item = pg.PlotCurveItem(antialias=True)
        self._canvas.add_item(item)
        return item

    def _draw_crowd(self) -> None:
        for item in self._crowds:
            self._canvas.remove_item(item)
        self._crowds = []
        for colour in dict.fromkeys(curve.colour for curve in self._curves if curve.emphasis == "crowd"):
            members = [curve for curve in self._curves if curve.emphasis == "crowd" and curve.colour == colour]
            item = self._canvas_item()
            item.setData(*joined_with_gaps(members), connect="finite")
            item.setPen(members[0].pen(ratio=1.0))
            item.setZValue(-1)
            self._crowds.append(item)

    def _restyle(self) -> None:
        for groove in self._grooves:
            self._canvas.remove_item(groove)
        self._grooves = []
        lying = overlap_styles(self._visible(), self._highlighted)
        for curve in self._curves:
            item = self._items.get(curve.key)
            if item is None:
                continue
            in_hand, over = curve.key == self._highlighted, lying.get(curve.key)
            ratio = 1.0 if len(self._items) > MAX_WIDE_CURVES and not in_hand else self.devicePixelRatioF()
            height = 10 if in_hand else 5 if curve.emphasis == "strong" else 2
            item.setVisible(curve.key not in self._hidden and (in_hand or not curve.dotted))
            if over is None:
                item.setPen(curve.pen(emphasised=in_hand, ratio=ratio))
            else:
                height = (10 if over.thin else height) + over.level
                shown = replace(curve, dash=over.dash, emphasis="normal" if over.thin else "strong")
                item.setPen(shown.pen(emphasised=in_hand, ratio=ratio))
                if over.thin:
                    self._add_groove(shown, height - 0.5, ratio)
            item.setZValue(height)
        for layer in (self._marks, self._labels, self._samples):
            layer.highlighted = self._highlighted
        self._legend.set_state(self._hidden, self._highlighted)
        if self._popup is not None:
            self._popup.set_state(self._hidden, self._highlighted)
        self._update_hidden_button()
        self._give_room()
        self._canvas.redraw()

    def _add_groove(self, curve: PlotCurve, height: float, ratio: float) -> None:
        """Take the dashes of a thin line out of the wide one of an equal curve below it: both may have one colour."""
        item = self._canvas_item()
        item.setData(curve.x, curve.y, connect="finite")
        pen = line_pen(self._theme.colour("surface"), (EMPHASISED_WIDTH + GROOVE_WIDTH) * ratio, curve.dash)
        pen.setDashPattern([part * ratio for part in pen.dashPattern()])
        pen.setCosmetic(True)
        item.setPen(pen)
        item.setZValue(height)
        self._grooves.append(item)

    def _give_room(self) -> None:
        self._labels.shown = self.names_fit(self.width())
        self._canvas.set_gutter(self._labels.width(self.font(), self.width()) if self._labels.shown else 0)
        right, bottom = self._canvas.width() - SPACE, self._canvas.height() - 2
        self._whole.move(right - self._whole.sizeHint().width(), SPACE)
        size = self._absent.sizeHint()
        self._absent.move(right - size.width(), bottom - size.height())  # beside the name of the axis: no curves there

    def _update_hidden_button(self) -> None:
        """Where the curve in hand is hidden, say so and offer it."""
        name = next((curve.label for curve in self._named if curve.key == self._highlighted), "")
        self._absent.setVisible(self._highlighted in self._hidden and bool(name))
        name = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, self.width() // 3)
        self._absent.setText(f"{name} is hidden: show")
        self._absent.setToolTip("Show the selected run in all graphs again")
        self._absent.adjustSize()

    def _home(self) -> tuple[AxisRange, AxisRange]:
        shown = self._visible()
        x_range = self._x_range or value_range([curve.x for curve in shown])
        return x_range, self._y_range or value_range([curve.y for curve in shown], from_zero=True)

    def _update_home(self) -> None:
        self._canvas.set_home(*self._home())

    def _visible(self) -> list[PlotCurve]:
        return [curve for curve in self._curves if curve.key not in self._hidden]

    def _clear_hover(self) -> None:
        """What was read under the mouse belongs to other curves."""
        self._readout.hide()
        self._marks.hover, self._marks.hover_dots, self._marks.emphasised = None, (), None


HIT_DISTANCE = 10.0
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

    curve_selected = Signal(str)
    x_selected = Signal(float)
    x_hovered = Signal(float)
    stepped = Signal(int)
    toggle_requested = Signal(str)
    isolate_requested = Signal(str)
    show_all_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_mouse_over = False
        self._connect()

    def _connect(self) -> None:
        self._canvas.pointed.connect(self._on_mouse_over)
        self._canvas.left.connect(self._on_left)
        self._canvas.clicked.connect(self._on_clicked)
        self._canvas.stepped.connect(self._on_stepped)
        self._canvas.zoomed.connect(self._on_zoomed)
        self._whole.clicked.connect(self.reset_zoom)
        self._legend.toggled.connect(self.toggle_requested)
        self._legend.isolated.connect(self.isolate_requested)
        self._legend.hovered.connect(self._emphasise)
        self._legend.list_requested.connect(self.list_runs)
        self._absent.clicked.connect(self._show_hidden_curve)

    def _read(self, x: float, y: float) -> tuple[PlotCurve | None, float]:
        """The curve at this point, or None, and the x of the sample that is meant."""
        visible = self._visible()
        nearest = nearest_curve(visible, x, y, self._canvas.pixels_per_unit(), HIT_DISTANCE)
        curve = nearest or next((c for c in visible if c.key == self._highlighted), next(iter(visible), None))
        return nearest, x if curve is None else nearest_sample(curve, x)

    def _on_mouse_over(self, x: float, y: float) -> None:
        nearest, at = self._read(x, y)
        self._show_readout(at, y, nearest)
        self._emphasise(nearest.key if nearest is not None and nearest.key in self._items else "")
        self._is_mouse_over = True
        self.x_hovered.emit(at)

    def _on_left(self) -> None:
        if not self._is_mouse_over:
            return
        self._is_mouse_over = False
        self._clear_hover()
        self._canvas.update_layers()
        self.x_hovered.emit(math.nan)

    def _on_clicked(self, x: float, y: float) -> None:
        nearest, at = self._read(x, y)
        self.x_selected.emit(at)
        if nearest is not None:
            self.curve_selected.emit(nearest.key)

    def _on_stepped(self, across: int, down: int) -> None:
        if across:
            self.stepped.emit(across)
            return
        keys = [curve.key for curve in self._visible() if curve.key in self._items]
        if keys:
            place = keys.index(self._highlighted) if self._highlighted in keys else -down
            self.curve_selected.emit(keys[(place + down) % len(keys)])

    def _on_zoomed(self, zoomed: bool) -> None:
        self._whole.setVisible(zoomed)

    def _show_readout(self, at: float, y: float, nearest: PlotCurve | None) -> None:
        named = [curve for curve in self._visible() if curve.key in self._items or curve is nearest]
        readings, left_out = readings_at(at, named, nearest, self._highlighted, self._readout.max_readings())
        if not readings:
            self._clear_hover()
            return
        more = f"and {left_out} more" if left_out else ""
        x_label, _, ticks = self._words
        place = format_x(at) if ticks == "number" else tick_text(at, 0.001, ticks)
        self._readout.set_readings(f"{axis_label_forms(x_label)[-1]} {place}", readings, more)
        pin = self._marks.pin.x
        free = None if pin is None else self._canvas.widget_point(pin, y).x()
        self._readout.move_near(self._canvas.widget_point(at, y), free)
        self._readout.show()
        self._marks.hover = at
        self._marks.hover_dots = tuple(CurveDot(reading.curve.key, at, reading.value) for reading in readings)
        self._canvas.update_layers()

    def _emphasise(self, key: str) -> None:
        emphasised = key or None
        if emphasised != self._marks.emphasised:
            self._marks.emphasised = emphasised
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
        self._popup = CurveListPopup(self)
        self._popup.set_curves(self._named, self._hidden, self._highlighted)
        self._popup.toggled.connect(self.toggle_requested)
        self._popup.isolated.connect(self.isolate_requested)
        self._popup.show_all_requested.connect(self.show_all_requested)
        self._popup.closed.connect(self._on_popup_closed)
        anchor = beside or self._legend
        places = [QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size()) for widget in (self, anchor)]
        self._popup.open_near(*places)

    @Slot()
    def _on_popup_closed(self) -> None:
        self._popup = None

    @Slot()
    def _show_hidden_curve(self) -> None:
        if self._highlighted is not None:
            self.toggle_requested.emit(self._highlighted)
