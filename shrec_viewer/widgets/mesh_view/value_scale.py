"""The choice of the quantity that colours the models of a 3D view, and its legend."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QSizePolicy, QWidget

from shrec_viewer.domain.value_scale import UNDEFINED, ValueLegend, legend_text
from shrec_viewer.widgets.controls.controls import ComboField
from shrec_viewer.widgets.controls.layouts import row_of
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.style.text import MeasuredFont, draw_text, measured_font
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

#: Text of the choice without a quantity.
FILE_COLOURS = "Colours of the files"

#: Width of the palette in pixels, at most, and with the meaning of grey beside it at least; of a sample of one colour.
MAX_BAR_WIDTH, MIN_BAR_WIDTH, SWATCH = 220.0, 80.0, 10.0

#: Width of a legend beside the value at the pointer, at least; where there is less, it is hidden meanwhile.
MIN_LEGEND_WIDTH = 200.0

#: Text size of the legend, relative to that of the program.
LEGEND_SCALE = 0.9

#: Width of the field in pixels.
FIELD_WIDTH = 80


class ValueScaleBar(QWidget):
    """A field for the quantity, beside or above its legend and the value at the pointer; hidden without quantities.

    Attributes
    ----------
    legend : what is shown, or None.
    reading : the value at the pointer; "" for none.

    Signals
    -------
    quantity_chosen(name)
        A quantity was chosen, "" for the colours of the files.
    """

    quantity_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._field = ComboField("Colours", FIELD_WIDTH)
        self._field.set_compact(True)
        set_tooltip(self._field, "Colour the models by a quantity of their vertices or faces")
        self._field.value_picked.connect(self.quantity_chosen)
        self.view = ValueLegendView()
        self._box = row_of(self._field, (self.view, 1), spacing=2 * SPACE, margins=(2 * SPACE, 0, 2 * SPACE, SPACE))
        self.setLayout(self._box)
        self.hide()

    @property
    def legend(self) -> ValueLegend | None:
        """The legend shown."""
        return self.view.legend

    @property
    def reading(self) -> str:
        """The value at the pointer."""
        return self.view.reading

    def set_quantities(self, names: Sequence[str], chosen: str) -> None:
        """Offer these quantities; the field exists only if there are any, and the legend as well."""
        rows = [(FILE_COLOURS, "", ""), *((name, name, "") for name in names)]
        self._field.set_rows(rows)
        self._field.set_value(chosen)
        self._field.setVisible(bool(names))
        self.view.has_name = not names
        self.setVisible(bool(names) or self.legend is not None)

    def set_legend(self, legend: ValueLegend | None) -> None:
        """Show what the colours mean."""
        self.view.set_legend(legend)
        self._fit()
        self.setVisible(legend is not None or not self._field.isHidden())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Put the legend below the field where its palette would be too narrow beside it."""
        beside = self.width() - self._field.sizeHint().width() - 6 * SPACE
        directions = QBoxLayout.Direction
        is_narrow = beside < self.view.least_width()
        self._box.setDirection(directions.TopToBottom if is_narrow else directions.LeftToRight)
        self._box.setSpacing(0 if is_narrow else 2 * SPACE)

    def set_reading(self, text: str, value: float | None = None) -> None:
        """Show the value at the pointer, with a mark at its colour; "" for none."""
        self.view.set_reading(text, value)


class ValueLegendView(QWidget):
    """The legend of a quantity in one line: name with unit, palette with its range, or labels; and a value.

    Attributes
    ----------
    legend, reading : see `ValueScaleBar`.
    has_name : whether the name of the quantity is shown, which no field beside it shows.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.legend: ValueLegend | None = None
        self.reading = ""
        self._value: float | None = None
        self.has_name = False
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_legend(self, legend: ValueLegend | None) -> None:
        """See `ValueScaleBar`."""
        if legend != self.legend:
            self.legend = legend
            self._update_texts()

    def set_reading(self, text: str, value: float | None) -> None:
        """See `ValueScaleBar`."""
        if (text, value) != (self.reading, self._value):
            self.reading, self._value = text, value
            self._update_texts()

    def least_width(self) -> float:
        """Width in pixels in which the palette has its least width."""
        if self.legend is None or self.legend.labels is not None:
            return 0.0
        small, ticks = measured_font(self.font(), LEGEND_SCALE), self.legend.ticks
        texts = sum(map(small.width, (self.legend.unit, ticks[0][1], ticks[-1][1])))
        return texts + MIN_BAR_WIDTH + 8 * SPACE

    def _update_texts(self) -> None:
        text = "" if self.legend is None else legend_text(self.legend)
        set_tooltip(self, text)
        self.setAccessibleName(text)
        self.setAccessibleDescription(self.reading)
        self.update()

    def sizeHint(self) -> QSize:
        """Height of a line of text."""
        return QSize(int(MAX_BAR_WIDTH), round(measured_font(self.font()).height + SPACE))

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the legend, and the value at the pointer at the right."""
        if self.legend is None:
            return
        painter, theme = QPainter(self), current_theme()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        area, small = QRectF(self.rect()), measured_font(self.font(), LEGEND_SCALE)
        width = draw_text(painter, area, self.reading, small, theme.colour("ink"), right=True) if self.reading else 0.0
        if not width or area.width() - width > MIN_LEGEND_WIDTH:
            area.setRight(area.right() - width - 2 * SPACE)
            title = self.legend.title if self.has_name else self.legend.unit
            draw_legend(painter, area, self.legend, title, small, theme, self._value)


def draw_legend(
    painter: QPainter,
    area: QRectF,
    legend: ValueLegend,
    title: str,
    font: MeasuredFont,
    theme: Theme,
    value: float | None = None,
) -> None:
    """Paint a legend in one line from the left of an area; what does not fit is left out from the right.

    Parameters
    ----------
    title : before the legend; "" for none.
    value : marked in the palette; None for none.
    """
    x = area.left()
    if title:
        x += draw_text(painter, area, title, font, theme.colour("ink")) + 2 * SPACE
    if legend.labels is None:
        x = _draw_palette(painter, QRectF(x, area.top(), area.right() - x, area.height()), legend, font, theme, value)
    samples = legend.samples
    for index, (colour, text) in enumerate(samples):
        left = len(samples) - index
        if x + SWATCH + SPACE + font.width(text) > area.right():
            draw_text(
                painter, QRectF(x, area.top(), area.right() - x, area.height()), f"+{left}", font, theme.colour("muted")
            )
            return
        _draw_sample(painter, QRectF(x, area.center().y() - SWATCH / 2, SWATCH, SWATCH), QColor(*colour), theme)
        x += SWATCH + SPACE
        x += draw_text(painter, QRectF(x, area.top(), area.width(), area.height()), text, font, theme.colour("muted"))
        x += 3 * SPACE


def _draw_sample(painter: QPainter, box: QRectF, colour: QColor, theme: Theme) -> None:
    painter.setPen(QPen(theme.colour("line_strong"), 1))
    painter.setBrush(colour)
    painter.drawRect(box)


def _draw_palette(
    painter: QPainter, area: QRectF, legend: ValueLegend, font: MeasuredFont, theme: Theme, value: float | None
) -> float:
    """Paint the palette between the texts of its range, with arrows where values lie beyond; returns where it ends."""
    ticks, muted = legend.ticks, theme.colour("muted")
    texts = [text for _, text in ticks]
    low, high = texts[0], texts[-1] if len(texts) > 1 else ""
    room = area.width() - font.width(low) - font.width(high) - 6 * SPACE
    undefined = SWATCH + font.width(UNDEFINED) + 4 * SPACE if legend.has_undefined else 0.0
    width = min(room - undefined if room > undefined + MIN_BAR_WIDTH else room, MAX_BAR_WIDTH)
    if width < 2 * SWATCH:
        return area.left() + draw_text(painter, area, f"{low} – {high}", font, muted) + 3 * SPACE
    x = area.left() + draw_text(painter, area, low, font, muted) + 2 * SPACE
    bar = QRectF(x, area.center().y() - SWATCH / 2, width, SWATCH)
    colours = legend.palette
    image = QImage(colours.data, len(colours), 1, colours.nbytes, QImage.Format.Format_RGBA8888)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.drawImage(bar, image)
    painter.setPen(QPen(theme.colour("line_strong"), 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    for is_clipped, end, out in ((legend.clips_low, bar.left(), -1), (legend.clips_high, bar.right(), 1)):
        if is_clipped:
            tip = QPolygonF(
                [QPointF(end, bar.top()), QPointF(end + out * SPACE, bar.center().y()), QPointF(end, bar.bottom())]
            )
            painter.setBrush(QColor(*colours[0 if out < 0 else -1]))
            painter.drawPolygon(tip)
    for share, _ in ticks[1:-1]:
        painter.setPen(QPen(theme.colour("ink"), 1))
        painter.drawLine(
            QPointF(bar.left() + share * width, bar.top() - 2), QPointF(bar.left() + share * width, bar.bottom() + 2)
        )
    if value is not None:
        _draw_mark(painter, bar, legend.place(value), theme)
    x = bar.right() + 2 * SPACE
    return x + draw_text(painter, QRectF(x, area.top(), area.width(), area.height()), high, font, muted) + 3 * SPACE


def _draw_mark(painter: QPainter, bar: QRectF, share: float, theme: Theme) -> None:
    """A line across the palette, in both colours of the theme, so that it is visible on all colours."""
    x = bar.left() + share * bar.width()
    for colour, width in (("surface", 3.0), ("ink", 1.0)):
        painter.setPen(QPen(theme.colour(colour), width))
        painter.drawLine(QPointF(x, bar.top() - 3), QPointF(x, bar.bottom() + 3))
