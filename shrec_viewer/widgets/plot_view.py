"""What a plot of curves shows: axes, curves, references, names, legend, cursor; without the person's part."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QToolButton, QVBoxLayout, QWidget

from shrec_viewer.widgets.plot_axis import Ticks, Words, axis_names
from shrec_viewer.widgets.plot_canvas import PlotCanvas, Range
from shrec_viewer.widgets.plot_curve import GROOVE, LIFTED, PlotCurve, joined, line_pen, span_of
from shrec_viewer.widgets.plot_labels import EndLabels, Samples
from shrec_viewer.widgets.plot_legend import LegendForm, PlotLegend
from shrec_viewer.widgets.plot_marks import NO_CURSOR, Cursor, Marks
from shrec_viewer.widgets.plot_readout import PlotReadout
from shrec_viewer.widgets.plot_reference import NO_REFERENCES, ReferenceLayer, References, ReferenceWords
from shrec_viewer.widgets.plot_runs import PlotRuns
from shrec_viewer.widgets.plot_stack import upon
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

FEW = 20
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
        self._x_range: Range | None = None
        self._y_range: Range | None = None
        self._words: tuple[Words, Words, Ticks] = ("", "", "number")
        self._labelled = True
        self._canvas = PlotCanvas()
        self._marks = Marks(self._visible)
        self._labels = EndLabels(self._visible)
        self._samples = Samples(self._visible)
        self._references = ReferenceLayer()
        names = ReferenceWords(self._references)
        self._canvas.set_layers((self._references,), (names, self._samples, self._labels), (self._marks,))
        self._legend = PlotLegend()
        self._readout = PlotReadout(self._canvas)
        self._whole = QToolButton(self._canvas)
        self._absent = QToolButton(self._canvas)
        self._popup: PlotRuns | None = None
        self._build()
        self.set_theme(self._theme)
        self._is_ready = True

    def _build(self) -> None:
        self._whole.setText(self.tr("Show all"))
        self._whole.setToolTip(self.tr("Show the whole graph (double click, Home or 0)"))
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
        x_label: Words,
        y_label: Words,
        x_range: Range | None = None,
        y_range: Range | None = None,
        x_ticks: Ticks = "number",
    ) -> None:
        """Name the axes with their units and fix their ranges; None for what the curves span (y from 0).

        A label is a text or ``(long, short)``; each axis shows the longest form that fits, see `axis_names`.
        """
        self._words = (x_label, y_label, x_ticks)
        self._x_range, self._y_range = x_range, y_range
        self._canvas.set_words(x_label, y_label, x_ticks)
        self._canvas.setAccessibleName(
            self.tr("Graph of {y} against {x}").format(y=axis_names(y_label)[0], x=axis_names(x_label)[0])
        )
        self._find_home()

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
        self._draw_crowds()
        self._legend.set_curves(self._named)
        if self._popup is not None:
            self._popup.set_curves(self._named, self._hidden, self._highlighted)
        self._find_home()
        self._forget_mouse()
        self._restyle()

    def set_hidden(self, hidden: Collection[str]) -> None:
        """Name these curves in the legend only."""
        if frozenset(hidden) != self._hidden:
            self._hidden = frozenset(hidden)
            self._find_home()
            self._forget_mouse()
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
        self.show_cursor(NO_CURSOR if x is None else Cursor(x))

    def show_cursor(self, cursor: Cursor) -> None:
        """Show where the rank in hand is; costs a frame nothing but the marks themselves."""
        if cursor != self._marks.cursor:
            self._marks.cursor = cursor
            self._canvas.update_layers()

    def show_pin(self, pin: Cursor) -> None:
        """Show a second place that stays, such as that of a slider."""
        if pin != self._marks.pin:
            self._marks.pin = pin
            self._canvas.update_layers()

    @property
    def cursor_shown(self) -> Cursor:
        """What `show_cursor` was given."""
        return self._marks.cursor

    def set_spoken(self, words: str) -> None:
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

    def view_range(self) -> tuple[Range, Range]:
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
        for groove in self._grooves:
            self._canvas.remove_item(groove)
        self._grooves = []
        lying = upon(self._visible(), self._highlighted)
        for curve in self._curves:
            item = self._items.get(curve.key)
            if item is None:
                continue
            in_hand, over = curve.key == self._highlighted, lying.get(curve.key)
            ratio = 1.0 if len(self._items) > FEW and not in_hand else self.devicePixelRatioF()
            height = 10 if in_hand else 5 if curve.emphasis == "strong" else 2
            item.setVisible(curve.key not in self._hidden and (in_hand or not curve.dotted))
            if over is None:
                item.setPen(curve.pen(lifted=in_hand, ratio=ratio))
            else:
                height = (10 if over.thin else height) + over.level
                shown = replace(curve, dash=over.dash, emphasis="normal" if over.thin else "strong")
                item.setPen(shown.pen(lifted=in_hand, ratio=ratio))
                if over.thin:
                    self._cut_groove(shown, height - 0.5, ratio)
            item.setZValue(height)
        for layer in (self._marks, self._labels, self._samples):
            layer.highlighted = self._highlighted
        self._legend.set_state(self._hidden, self._highlighted)
        if self._popup is not None:
            self._popup.set_state(self._hidden, self._highlighted)
        self._say_absent()
        self._give_room()
        self._canvas.redraw()

    def _cut_groove(self, curve: PlotCurve, height: float, ratio: float) -> None:
        """Take the dashes of a thin line out of the wide one of an equal curve below it: both may have one colour."""
        item = self._canvas_item()
        item.setData(curve.x, curve.y, connect="finite")
        pen = line_pen(self._theme.colour("surface"), (LIFTED + GROOVE) * ratio, curve.dash)
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

    def _say_absent(self) -> None:
        """Where the curve in hand is hidden, say so and offer it."""
        name = next((curve.label for curve in self._named if curve.key == self._highlighted), "")
        self._absent.setVisible(self._highlighted in self._hidden and bool(name))
        name = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideMiddle, self.width() // 3)
        self._absent.setText(self.tr("{name} is hidden: show").format(name=name))
        self._absent.setToolTip(self.tr("Show the selected run in all graphs again"))
        self._absent.adjustSize()

    def _home(self) -> tuple[Range, Range]:
        shown = self._visible()
        x_range = self._x_range or span_of([curve.x for curve in shown])
        return x_range, self._y_range or span_of([curve.y for curve in shown], from_zero=True)

    def _find_home(self) -> None:
        self._canvas.set_home(*self._home())

    def _visible(self) -> list[PlotCurve]:
        return [curve for curve in self._curves if curve.key not in self._hidden]

    def _forget_mouse(self) -> None:
        """What was read under the mouse belongs to other curves."""
        self._readout.hide()
        self._marks.hover, self._marks.hover_dots, self._marks.lifted = None, (), None
