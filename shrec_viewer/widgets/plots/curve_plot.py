"""Plot of curves with axes, references, legend, cursor, readout at the mouse, and its values as a table."""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import (
    QEvent,
    QPoint,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from shrec_viewer.charts.plot import NO_REFERENCES, PlotCurve, References, TickFormat
from shrec_viewer.number_format import format_value
from shrec_viewer.render.scene.palette import overlap_styles
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.plots.canvas import (
    BACKGROUND_Z,
    FRONT_Z,
    REFERENCE_Z,
    AxisLabel,
    AxisRange,
    PlotCanvas,
    axis_label_forms,
    tick_text,
)
from shrec_viewer.widgets.plots.curves import (
    BOLD_WIDTH,
    OUTLINE_WIDTH,
    CurveItem,
    curve_pen,
    draw_line_sample,
    joined_with_gaps,
    line_pen,
    nearest_curve,
    nearest_sample,
    value_range,
)
from shrec_viewer.widgets.plots.legend import CurveListPopup, LegendForm, PlotLegend
from shrec_viewer.widgets.plots.overlays import (
    CursorLayer,
    CurveDot,
    CurvePixels,
    EndLabelLayer,
    PlotCursor,
    ReferenceLayer,
    SampleMarkerLayer,
)
from shrec_viewer.widgets.style.painted import PaintedWidget
from shrec_viewer.widgets.style.text import RIGHT, put_text
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_theme, text_font

#: Width in pixels of the line sample before each name.
LINE_SAMPLE_WIDTH = 14

#: Maximum number of columns; more would cover the plot.
MAX_COLUMNS = 2

#: Plot width in pixels from which two columns are used.
TWO_COLUMNS_FROM_WIDTH = 300

#: Maximum share of the plot's width for the columns; the position under the mouse stays visible.
MAX_WIDTH_SHARE = 0.6

#: Pixels above which a name is elided, and minimum width in a narrow plot.
MAX_NAME_WIDTH, MIN_NAME_WIDTH = 140, 40


@dataclass(frozen=True, eq=False)
class CurveValue:
    """One line of the readout: the value of a curve."""

    curve: PlotCurve
    value: float
    is_nearest: bool

    @property
    def text(self) -> str:
        """The formatted value."""
        return format_value(self.value)


def curve_values_at(
    x: float, curves: Sequence[PlotCurve], nearest: PlotCurve | None, selected_key: str | None, max_count: int
) -> tuple[list[CurveValue], int]:
    """The `max_count` highest values at `x`, with the nearest and the selected curve; and the number of others."""
    found = [CurveValue(curve, curve.value_at(x), curve is nearest) for curve in curves]
    found = [curve_value for curve_value in found if not math.isnan(curve_value.value)]
    found.sort(key=lambda curve_value: -curve_value.value)
    required = [curve_value for curve_value in found if curve_value.is_nearest or curve_value.curve.key == selected_key]
    others = [curve_value for curve_value in found if curve_value not in required][: max(0, max_count - len(required))]
    visible = [curve_value for curve_value in found if curve_value in required or curve_value in others]
    return visible, len(found) - len(visible)


def format_x(x: float) -> str:
    """A position on the x axis: a rank without decimals, a share with up to three.

    Examples
    --------
    >>> format_x(1814.0), format_x(0.35), format_x(0.0), format_x(1 / 3)
    ('1,814', '0.35', '0', '0.333')
    """
    return f"{x:,.0f}" if x == round(x) and abs(x) >= 1 else f"{x:.3f}".rstrip("0").rstrip(".")


class PlotReadout(PaintedWidget):
    """Card with the values at the mouse; transparent to mouse events, sized to its text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._canvas = parent
        self._title = ""
        self._curve_values: tuple[CurveValue, ...] = ()
        self._footer = ""
        self._rows = 1
        self._widths = (0.0, 0.0)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def max_curves(self) -> int:
        """Number of curves that fit into the plot, with the line that counts the others."""
        return self._max_rows() * self._max_columns()

    def _max_columns(self) -> int:
        return MAX_COLUMNS if self._canvas.width() >= TWO_COLUMNS_FROM_WIDTH else 1

    def _max_rows(self) -> int:
        return max(1, int((self._canvas.height() - 5 * SPACE) // self._line_height()) - 2)

    def set_curve_values(self, title: str, curve_values: Sequence[CurveValue], footer: str = "") -> None:
        """Show these lines below `title` (``"Rank 12"``) and above `footer` (``"and 3 more"``)."""
        self._title, self._curve_values, self._footer = title, tuple(curve_values), footer
        self._widths = self._column_widths()
        self._rows = max(1, len(self._curve_values))
        if len(self._curve_values) > self._max_rows():
            self._rows = -(-len(self._curve_values) // self._max_columns())
        self.resize(self.sizeHint())
        self.update()

    def move_near(self, point: QPointF, avoid_x: float | None = None) -> None:
        """Move next to this point of the parent, within the parent.

        On the right if there is space and it does not cover the x `avoid_x` (in pixels), else on the left.
        """
        parent = self._canvas
        right, left = point.x() + 4 * SPACE, point.x() - 4 * SPACE - self.width()
        fitting = [x for x in (right, left) if x >= SPACE and x + self.width() <= parent.width() - SPACE] or [left]
        uncovered = [x for x in fitting if avoid_x is None or not x <= avoid_x <= x + self.width()]
        x = (uncovered or fitting)[0]
        y = min(max(SPACE, point.y() - self.height() / 2), parent.height() - self.height() - SPACE)
        x = min(max(SPACE, x), parent.width() - self.width() - SPACE)
        self.move(round(max(0, x)), round(max(0, y)))

    def sizeHint(self) -> QSize:
        """Size of title, values and footer."""
        columns = -(-len(self._curve_values) // self._rows) if self._curve_values else 1
        title = QFontMetricsF(self._font(bold=True)).horizontalAdvance(max(self._title, self._footer, key=len))
        width = max(title, columns * self._column_width() + (columns - 1) * 4 * SPACE) + 4 * SPACE
        lines = 1 + (min(self._rows, len(self._curve_values)) if self._curve_values else 0) + bool(self._footer)
        return QSize(round(width), round(lines * self._line_height() + 3 * SPACE))

    def _column_width(self) -> float:
        """Pixels of a column: line sample, name, value."""
        names_width, values_width = self._widths
        return LINE_SAMPLE_WIDTH + names_width + values_width + 4 * SPACE

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint background, title, values and footer."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        painter.setPen(QPen(self._theme.colour("line_strong", 0.6), 1))
        painter.setBrush(self._theme.colour("raised", 0.95))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        bold_font, regular_font = self._font(bold=True), self._font()
        top, height = 1.5 * SPACE, self._line_height()
        box = QRectF(2 * SPACE, top, self.width() - 4 * SPACE, height)
        put_text(painter, box, self._title, self._theme.colour("muted"), font=bold_font)
        is_single_column = len(self._curve_values) <= self._rows
        column_width = box.width() if is_single_column else self._column_width()
        for number, curve_value in enumerate(self._curve_values):
            column_index, row_index = divmod(number, self._rows)
            left = box.left() + column_index * (column_width + 4 * SPACE)
            cell = QRectF(left, top + (1 + row_index) * height, column_width, height)
            self._draw_value(painter, cell, curve_value, bold_font if curve_value.is_nearest else regular_font)
        if self._footer:
            box.translate(0, height * (1 + min(self._rows, len(self._curve_values))))
            put_text(painter, box, self._footer, self._theme.colour("muted"), font=regular_font)

    def _draw_value(self, painter: QPainter, box: QRectF, curve_value: CurveValue, font: QFont) -> None:
        y = box.center().y()
        curve = curve_value.curve
        pen = curve_pen(curve, bold=curve_value.is_nearest)
        draw_line_sample(painter, QPointF(box.left(), y), LINE_SAMPLE_WIDTH, pen, curve.sample_marker)
        ink, name = self._theme.colour("ink"), box.adjusted(LINE_SAMPLE_WIDTH + 1.5 * SPACE, 0, 0, 0)
        name.setWidth(self._widths[0])
        put_text(painter, name, curve.label, ink, font=font, elide=Qt.TextElideMode.ElideMiddle)
        put_text(painter, box, curve_value.text, ink, RIGHT)

    def _font(self, *, bold: bool = False) -> QFont:
        return text_font(self.font(), 0.92, bold=bold)

    def _line_height(self) -> float:
        return QFontMetricsF(self._font()).height() + 1

    def _column_widths(self) -> tuple[float, float]:
        metrics = QFontMetricsF(self._font(bold=True))
        names_width = max(
            (metrics.horizontalAdvance(curve_value.curve.label) for curve_value in self._curve_values), default=0.0
        )
        values_width = max(
            (metrics.horizontalAdvance(curve_value.text) for curve_value in self._curve_values), default=0.0
        )
        available = (
            self._canvas.width() * MAX_WIDTH_SHARE / self._max_columns() - values_width - LINE_SAMPLE_WIDTH - 8 * SPACE
        )
        return min(names_width, MAX_NAME_WIDTH, max(available, MIN_NAME_WIDTH)), values_width


#: Number of curves up to which lines keep their visible width on a screen of high resolution.
#:
#: Qt draws cosmetic pens wider than one device pixel 10 to 20 times more slowly.
MAX_WIDE_CURVES = 20

#: Pixels within which a click or the mouse selects a curve.
HIT_DISTANCE = 10.0


class CurvePlot(QWidget):
    """Plot of curves with axes, references, legend, cursor, readout and zoom.

    Double click, Home or 0 resets the zoom. Setters never emit; a click changes nothing here: the owner connects to the
    signals and calls the setters.

    Signals
    -------
    curve_selected(str)
        Key of the curve that was clicked, or reached with the arrow keys up and down.
    x_selected(float)
        Click anywhere in the plot: x of the nearest sample.
    x_hovered(float)
        X of the sample nearest to the mouse; NaN when the mouse left.
    curve_hovered(str)
        Key of the curve under the mouse, in the plot or in the legend; "" for none.
    stepped(int)
        Arrow keys left (-1) and right (1): to the previous or next sample.
    toggle_requested(str)
        Hide this curve, or show it again.
    isolate_requested(str)
        Show only this curve; all of them if it already is the only one.
    show_all_requested()
        Show all curves.
    """

    curve_selected = Signal(str)
    x_selected = Signal(float)
    x_hovered = Signal(float)
    curve_hovered = Signal(str)
    stepped = Signal(int)
    toggle_requested = Signal(str)
    isolate_requested = Signal(str)
    show_all_requested = Signal()

    # QWidget calls `event` while its own constructor runs, before the attributes below exist.
    _is_initialised = False

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._curves: tuple[PlotCurve, ...] = ()
        self._listed: tuple[PlotCurve, ...] = ()  # in the legend
        self._items: dict[str, CurveItem] = {}
        self._crowd_items: list[CurveItem] = []
        self._outline_items: list[CurveItem] = []
        self._hidden: frozenset[str] = frozenset()
        self._selected_key: str | None = None
        self._x_range: AxisRange | None = None
        self._y_range: AxisRange | None = None
        self._axes: tuple[AxisLabel, AxisLabel, TickFormat] = ("", "", "number")
        self._has_end_labels = True
        self._is_mouse_over = False
        self._popup: CurveListPopup | None = None
        self._canvas = PlotCanvas()
        pixels = CurvePixels(self._visible)
        self._references = ReferenceLayer(pixels)
        self._markers = SampleMarkerLayer(self._visible)
        self._end_labels = EndLabelLayer(self._visible, pixels)
        self._cursor_layer = CursorLayer(self._visible, pixels)
        # The same list object: the reference layer is painted first and refills it in place.
        self._end_labels.occupied = self._cursor_layer.occupied = self._references.label_boxes
        self._canvas.add_overlay(BACKGROUND_Z, self._references.paint_areas)
        self._canvas.add_overlay(REFERENCE_Z, self._references.paint_lines)
        front = self._references.paint_labels, self._markers.paint, self._end_labels.paint, self._cursor_layer.paint
        self._canvas.add_overlay(FRONT_Z, *front)
        self._legend = PlotLegend()
        self._readout = PlotReadout(self._canvas)
        self._reset_button = QToolButton(self._canvas)
        self._reset_button.setText("Show all")
        set_tooltip(self._reset_button, "Reset the zoom (double click, Home or 0)")
        self._reset_button.setProperty("segment", "only")
        self._reset_button.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addWidget(self._canvas, 1)
        layout.addWidget(self._legend)
        self._canvas.mouse_moved.connect(self._on_mouse_moved)
        self._canvas.mouse_left.connect(self._on_mouse_left)
        self._canvas.clicked.connect(self._on_clicked)
        self._canvas.stepped.connect(self._on_stepped)
        self._canvas.zoomed.connect(self._reset_button.setVisible)
        self._reset_button.clicked.connect(self.reset_zoom)
        self._legend.toggled.connect(self.toggle_requested)
        self._legend.isolated.connect(self.isolate_requested)
        self._legend.hovered.connect(self._hover_curve)
        self._legend.list_requested.connect(self.list_runs)
        self.set_theme(self._theme)
        self._is_initialised = True

    # Contents.

    def set_axes(
        self,
        x_label: AxisLabel,
        y_label: AxisLabel,
        x_range: AxisRange | None = None,
        y_range: AxisRange | None = None,
        x_ticks: TickFormat = "number",
    ) -> None:
        """Set labels, with units, and ranges; a range of None spans the curves (y from 0).

        A label is a text or ``(long, short)``; each axis shows the longest form that fits, see `axis_label_forms`.
        """
        self._axes = (x_label, y_label, x_ticks)
        self._x_range, self._y_range = x_range, y_range
        self._canvas.set_axis_labels(x_label, y_label, x_ticks)
        self._canvas.setAccessibleName(
            f"Graph of {axis_label_forms(y_label)[0]} against {axis_label_forms(x_label)[0]}"
        )
        self._canvas.set_home(*self._full_range())

    def set_curves(self, curves: Sequence[PlotCurve], hidden: Collection[str] = ()) -> None:
        """Show these curves; graphics items are reused by key.

        Parameters
        ----------
        hidden : keys of curves that are listed in the legend but not drawn, with or without values.
        """
        self._hidden = frozenset(hidden)
        self._curves = tuple(curve for curve in curves if curve.is_drawn)
        self._listed = tuple(
            curve for curve in curves if curve.emphasis != "crowd" and (curve.is_drawn or curve.key in self._hidden)
        )
        drawn = {curve.key: curve for curve in self._listed if curve.is_drawn}
        for key in self._items.keys() - drawn.keys():
            self._canvas.remove_item(self._items.pop(key))
        for key, curve in drawn.items():
            if key not in self._items:
                self._items[key] = self._add_curve_item()
            # "finite" leaves gaps at NaN; the default draws a line across them.
            self._items[key].setData(curve.x, curve.y, connect="finite")
        for item in self._crowd_items:
            self._canvas.remove_item(item)
        self._crowd_items = []
        crowd = [curve for curve in self._curves if curve.emphasis == "crowd"]
        # One item for all curves of a colour, see `joined_with_gaps`.
        for colour in dict.fromkeys(curve.colour for curve in crowd):
            members = [curve for curve in crowd if curve.colour == colour]
            item = self._add_curve_item()
            item.setData(*joined_with_gaps(members), connect="finite")
            item.setPen(curve_pen(members[0], ratio=1.0))
            item.setZValue(-1)
            self._crowd_items.append(item)
        self._legend.set_curves(self._listed)
        if self._popup is not None:
            self._popup.set_curves(self._listed, self._hidden, self._selected_key)
        self._canvas.set_home(*self._full_range())
        self._hide_readout()
        self._update_curve_styles()

    def set_hidden(self, hidden: Collection[str]) -> None:
        """List these curves in the legend without drawing them."""
        if frozenset(hidden) != self._hidden:
            self._hidden = frozenset(hidden)
            self._canvas.set_home(*self._full_range())
            self._hide_readout()
            self._update_curve_styles()

    def set_references(self, references: References = NO_REFERENCES) -> None:
        """Show these lines, areas and points, and no others."""
        self._references.references = references
        self._end_labels.references = tuple(line for line in references.lines if line.mark and line.ends)
        self._update_margins()
        self._canvas.redraw()

    def set_named(self, keys: Collection[str]) -> None:
        """Name these curves at their ends always, like the selected one; others only where there is space."""
        if frozenset(keys) != self._end_labels.named:
            self._end_labels.named = frozenset(keys)
            self._canvas.redraw()

    def set_hovered(self, key: str) -> None:
        """Highlight a curve and its entry in the legend; "" for none. Does not emit."""
        hovered_key = key or None
        if hovered_key != self._cursor_layer.hovered_key:
            self._cursor_layer.hovered_key = self._end_labels.hovered_key = hovered_key
            self._legend.set_hovered(key)
            self._canvas.redraw()

    def set_selected(self, key: str | None) -> None:
        """Draw the curve `key` wide and in front of the others; None for no curve."""
        if key != self._selected_key:
            self._selected_key = key
            self._update_curve_styles()

    def show_cursor(self, cursor: PlotCursor) -> None:
        """Show the selected rank."""
        if cursor != self._cursor_layer.cursor:
            self._cursor_layer.cursor = cursor
            self._canvas.redraw()

    @property
    def current_cursor(self) -> PlotCursor:
        """The cursor last set by `show_cursor`."""
        return self._cursor_layer.cursor

    def show_pin(self, pin: PlotCursor) -> None:
        """Show a second, fixed position, such as that of a slider."""
        if pin != self._cursor_layer.pin:
            self._cursor_layer.pin = pin
            self._canvas.redraw()

    def set_cursor_description(self, text: str) -> None:
        """Set the accessible description: what is at the cursor."""
        self._canvas.setAccessibleDescription(text)

    def set_labelled(self, labelled: bool) -> None:
        """Show labels at the ends of the curves where there is space for them, or never."""
        self._has_end_labels = labelled
        self._update_margins()

    def names_fit(self, width: int) -> bool:
        """Whether a plot of this width has labels at the ends of the curves."""
        return self._has_end_labels and self._end_labels.width(self.font(), width) > 0

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self._canvas.set_theme(theme)
        self._legend.set_theme(theme)
        self._readout.set_theme(theme)
        self._update_curve_styles()
        self.update()

    def set_legend(self, form: LegendForm) -> None:
        """Show the legend in full, in one line (names elided, the others counted), or not at all."""
        self._legend.set_one_line(form == "line")
        self._legend.setVisible(form != "none")

    def visible_curves(self) -> tuple[PlotCurve, ...]:
        """The curves that are drawn and not hidden."""
        return tuple(self._visible())

    def view_range(self) -> tuple[AxisRange, AxisRange]:
        """Visible range of x and of y, without the margin around the full range."""
        frame = self._canvas.frame()
        if self._canvas.is_zoomed:
            return frame.x_range, frame.y_range
        return self._full_range()

    @property
    def is_zoomed(self) -> bool:
        """Whether a part of the full range is visible."""
        return self._canvas.is_zoomed

    def picture(self) -> QPixmap:
        """Image of plot and legend as shown."""
        return self.grab()

    @Slot()
    def reset_zoom(self) -> None:
        """Show the full range."""
        self._canvas.go_home()

    # Qt overrides.

    def event(self, event: QEvent) -> bool:
        """Update line widths, which depend on the device pixel ratio."""
        # The window was moved to a screen of another resolution (Qt 6.6 and later).
        if event.type() == QEvent.Type.DevicePixelRatioChange and self._is_initialised:
            self._update_curve_styles()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Adapt the margin of the end labels."""
        super().resizeEvent(event)
        self._update_margins()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint one background for plot and legend."""
        QPainter(self).fillRect(self.rect(), self._theme.colour("surface"))

    # Drawing.

    def _add_curve_item(self) -> CurveItem:
        item = CurveItem(antialias=True)
        self._canvas.add_item(item)
        return item

    def _update_curve_styles(self) -> None:
        """Set pens, stacking and visibility of all curves, and the state of legend and overlays."""
        for outline in self._outline_items:
            self._canvas.remove_item(outline)
        self._outline_items = []
        overlaps = overlap_styles(self._visible(), self._selected_key)
        for curve in self._curves:
            item = self._items.get(curve.key)
            if item is None:
                continue
            is_selected, overlap = curve.key == self._selected_key, overlaps.get(curve.key)
            ratio = 1.0 if len(self._items) > MAX_WIDE_CURVES and not is_selected else self.devicePixelRatioF()
            # Crowds are at -1, outlines half a step below their line.
            z = 10.0 if is_selected else 5.0 if curve.emphasis == "strong" else 2.0
            item.setVisible(curve.key not in self._hidden and (is_selected or not curve.dotted))
            if overlap is None:
                item.setPen(curve_pen(curve, bold=is_selected, ratio=ratio))
            else:
                z = (10.0 if overlap.thin else z) + overlap.level
                styled = replace(curve, dash=overlap.dash, emphasis="normal" if overlap.thin else "strong")
                item.setPen(curve_pen(styled, bold=is_selected, ratio=ratio))
                if overlap.thin:
                    self._add_outline(styled, z - 0.5, ratio)
            item.setZValue(z)
        for layer in (self._cursor_layer, self._end_labels, self._markers):
            layer.selected_key = self._selected_key
        self._legend.set_state(self._hidden, self._selected_key)
        if self._popup is not None:
            self._popup.set_state(self._hidden, self._selected_key)
        self._update_margins()
        self._canvas.redraw()

    def _add_outline(self, curve: PlotCurve, z: float, ratio: float) -> None:
        """Outline the dashes of a thin line on the wide line of an equal curve: both may have the same colour."""
        item = self._add_curve_item()
        item.setData(curve.x, curve.y, connect="finite")
        pen = line_pen(self._theme.colour("surface"), (BOLD_WIDTH + OUTLINE_WIDTH) * ratio, curve.dash)
        # Qt measures dashes in units of the pen width; the outline is wider than its line and must have its dashes.
        pen.setDashPattern([part * ratio for part in pen.dashPattern()])
        pen.setCosmetic(True)
        item.setPen(pen)
        item.setZValue(z)
        self._outline_items.append(item)

    def _update_margins(self) -> None:
        """Reserve the margin of the end labels and move the button over the canvas."""
        margin = self._end_labels.width(self.font(), self.width()) if self._has_end_labels else 0
        self._end_labels.is_visible = margin > 0
        self._canvas.set_label_margin(margin)
        self._reset_button.move(self._canvas.width() - SPACE - self._reset_button.sizeHint().width(), SPACE)

    def _full_range(self) -> tuple[AxisRange, AxisRange]:
        visible = self._visible()
        x_range = self._x_range or value_range([curve.x for curve in visible])
        return x_range, self._y_range or value_range([curve.y for curve in visible], from_zero=True)

    def _visible(self) -> list[PlotCurve]:
        return [curve for curve in self._curves if curve.key not in self._hidden]

    # Mouse, keyboard and legend.

    def _hide_readout(self) -> None:
        self._readout.hide()
        self._cursor_layer.hover, self._cursor_layer.hover_dots = None, ()

    def _nearest(self, x: float, y: float) -> tuple[PlotCurve | None, float]:
        """The curve at this point, or None, and the x of its nearest sample."""
        visible = self._visible()
        nearest = nearest_curve(visible, x, y, self._canvas.pixels_per_unit(), HIT_DISTANCE)
        curve = nearest or next((c for c in visible if c.key == self._selected_key), next(iter(visible), None))
        return nearest, x if curve is None else nearest_sample(curve, x)

    def _on_mouse_moved(self, x: float, y: float) -> None:
        nearest, sample = self._nearest(x, y)
        self._show_readout(sample, y, nearest)
        self._hover_curve(nearest.key if nearest is not None and nearest.key in self._items else "")
        self._is_mouse_over = True
        self.x_hovered.emit(sample)

    def _on_mouse_left(self) -> None:
        if not self._is_mouse_over:
            return
        self._is_mouse_over = False
        self._hide_readout()
        self._hover_curve("")
        self._canvas.redraw()
        self.x_hovered.emit(math.nan)

    def _on_clicked(self, x: float, y: float) -> None:
        nearest, sample = self._nearest(x, y)
        self.x_selected.emit(sample)
        if nearest is not None:
            self.curve_selected.emit(nearest.key)

    def _on_stepped(self, dx: int, dy: int) -> None:
        if dx:
            self.stepped.emit(dx)
            return
        keys = [curve.key for curve in self._visible() if curve.key in self._items]
        if keys:
            index = keys.index(self._selected_key) if self._selected_key in keys else -dy
            self.curve_selected.emit(keys[(index + dy) % len(keys)])

    def _show_readout(self, x: float, y: float, nearest: PlotCurve | None) -> None:
        listed = [curve for curve in self._visible() if curve.key in self._items or curve is nearest]
        curve_values, n_others = curve_values_at(x, listed, nearest, self._selected_key, self._readout.max_curves())
        if not curve_values:
            self._hide_readout()
            return
        x_label, _, ticks = self._axes
        position = format_x(x) if ticks in ("number", "ranks") else tick_text(x, 0.001, ticks)
        title = f"{axis_label_forms(x_label)[-1]} {position}"
        self._readout.set_curve_values(title, curve_values, f"and {n_others} more" if n_others else "")
        pin = self._cursor_layer.pin.x
        keep_free = None if pin is None else self._canvas.widget_point(pin, y).x()
        self._readout.move_near(self._canvas.widget_point(x, y), keep_free)
        self._readout.show()
        self._cursor_layer.hover = x
        self._cursor_layer.hover_dots = tuple(CurveDot(reading.curve.key, x, reading.value) for reading in curve_values)
        self._canvas.redraw()

    def _hover_curve(self, key: str) -> None:
        if key != (self._cursor_layer.hovered_key or ""):
            self.set_hovered(key)
            self.curve_hovered.emit(key)

    def key_at(self, position: QPoint) -> str:
        """Key of the curve at a screen position, in the legend or near a curve; "" for none."""
        in_legend = self._legend.mapFromGlobal(position)
        if self._legend.isVisible() and self._legend.rect().contains(in_legend):
            return self._legend.key_at(QPointF(in_legend))
        point = self._canvas.data_point(self._canvas.viewport().mapFromGlobal(position))
        nearest = None if point is None else self._nearest(point.x(), point.y())[0]
        return "" if nearest is None else nearest.key

    @Slot()
    def list_runs(self, anchor: QWidget | None = None) -> None:
        """List all curves with check boxes in a pop-up next to the plot, aligned with `anchor` or the legend."""
        self._popup = CurveListPopup(self)
        self._popup.set_curves(self._listed, self._hidden, self._selected_key)
        self._popup.toggled.connect(self.toggle_requested)
        self._popup.isolated.connect(self.isolate_requested)
        self._popup.show_all_requested.connect(self.show_all_requested)
        self._popup.closed.connect(self._on_popup_closed)
        rects = [QRect(widget.mapToGlobal(QPoint(0, 0)), widget.size()) for widget in (self, anchor or self._legend)]
        self._popup.open_near(*rects)

    @Slot()
    def _on_popup_closed(self) -> None:
        self._popup = None
