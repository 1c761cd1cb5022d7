"""List of queries with thumbnail, class, score bar and difference between runs."""

import math
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QLineF, QModelIndex, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from shrec_viewer.number_format import format_value
from shrec_viewer.render.scene.palette import RANK_CHANGE
from shrec_viewer.widgets.cards.uniform_grid import Index, UniformGrid
from shrec_viewer.widgets.style.relevance import ThumbnailPainter
from shrec_viewer.widgets.style.text import RIGHT, draw_text, measured_font, put_text
from shrec_viewer.widgets.style.theme import SPACE, current_theme

#: Size of the thumbnail in pixels, in a row of 44.
THUMBNAIL_EDGE = 36

#: Widths in pixels of the bar next to a number, and of the bars next to the numbers in two-line rows.
BAR_SIZE, SMALL_BAR_SIZE = 56, 36

#: Width of the text in pixels below which the number replaces the class and the bar is left out.
MIN_TEXT_WIDTH = 2 * BAR_SIZE

#: Characters of a class that must fit next to the bars, or else all bars are left out, since bars of different lengths
#: could not be compared.
MIN_NAME_CHARACTERS = 8

#: Characters of an id that must fit next to number and bar.
MIN_ID_CHARACTERS = 4

#: Widest number; sets the width of the column of numbers, so that all bars start at the same x.
WIDEST_NUMBER = "▼ −0.000"

#: Widths in pixels at the right of the first and second line.
RowWidths = tuple[float, float]


@dataclass(frozen=True)
class QueryLook:
    """How queries are shown.

    Attributes
    ----------
    low, high : values of an empty and of a full bar.
    secondary : number of the second line: "", ``"difference"``, ``"spread"`` or ``"ties"``.
    better : the better sign of a difference: ``"higher"``, ``"lower"`` or ``"none"``.
    max_difference : difference of a full half of a diverging bar.
    has_thumbnails, is_scored : whether rows have a thumbnail and a number.
    """

    low: float = 0.0
    high: float = 1.0
    secondary: str = ""
    better: str = "higher"
    max_difference: float = 1.0
    has_thumbnails: bool = True
    is_scored: bool = True


class QueryDelegate(QStyledItemDelegate):
    """Delegate that paints a query.

    Roles: ``query_id`` str, ``class_name`` str, ``score`` float (NaN undefined), ``thumbnail`` QPixmap or None,
    ``problem`` str (why there is no thumbnail), ``missing`` bool (the run has no list of this query); and optionally
    ``score_text``, ``difference`` float with ``difference_text``, ``spread_text``: the formatted numbers.
    """

    def __init__(self, view: UniformGrid) -> None:
        super().__init__(view)
        self._view = view
        self._thumbnail_painter = ThumbnailPainter()
        self.look = QueryLook()
        self.fit_fonts(view.font())

    def height(self) -> int:
        """Height of a row in pixels."""
        lines = math.ceil(self._bold.height + self._regular.height) + 2 * SPACE
        return max(THUMBNAIL_EDGE + 2 * SPACE, lines) if self.look.has_thumbnails else lines

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Height of a row; the width is stretched."""
        return QSize(3 * THUMBNAIL_EDGE, self.height())

    def fit_fonts(self, base: QFont) -> None:
        """Use the font of the view."""
        self._base = QFont(base)
        self._bold, self._regular = measured_font(base, bold=True), measured_font(base)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint thumbnail, name, class and score of a query."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        self._theme = current_theme()
        row = QRectF(option.rect)
        self._draw_background(painter, row, option.state)
        left = 3.0 * SPACE
        if self.look.has_thumbnails:
            box = QRectF(row.left() + 2 * SPACE, row.center().y() - THUMBNAIL_EDGE / 2, THUMBNAIL_EDGE, THUMBNAIL_EDGE)
            reason = "" if self._value(index, "problem", "") else None
            thumbnail = self._value(index, "thumbnail")
            self._thumbnail_painter.draw_model(painter, box, thumbnail, reason, self._theme, painter.font())
            left = box.right() - row.left() + 2.5 * SPACE
        if option.font != self._base:
            self.fit_fonts(option.font)
        self._draw_texts(painter, row.adjusted(left, 1.5 * SPACE, -3 * SPACE, -1.5 * SPACE), index)
        painter.restore()

    def _value(self, index: Index, name: str, default: Any = None) -> Any:
        return self._view.roles.value(index, name, default)

    def _draw_background(self, painter: QPainter, row: QRectF, state: QStyle.StateFlag) -> None:
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(row, self._theme.colour("selection"))
            painter.fillRect(QRectF(row.left(), row.top(), 3, row.height()), self._theme.colour("accent"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, self._theme.colour("hover"))

    def _draw_texts(self, painter: QPainter, box: QRectF, index: Index) -> None:
        line = self._bold.height
        top = QRectF(box.left(), box.center().y() - line - 1, box.width(), line)
        bottom = top.translated(0, line + 2)
        used_widths, second_text = (0.0, 0.0), str(self._value(index, "class_name", ""))
        if self.look.is_scored and "score" in self._view.roles:
            if box.width() < MIN_TEXT_WIDTH:
                second_text = self._secondary_text(index) or self._score_text(index)
            else:
                draw = self._draw_both if self.look.secondary else self._draw_score
                used_widths = draw(painter, top, bottom, index)
        if not second_text and not any(used_widths):
            top.moveCenter(box.center())
        query_id = str(self._value(index, "query_id", ""))
        for area, font, token, text, used_width in (
            (top, self._bold, "ink", query_id, used_widths[0]),
            (bottom, self._regular, "muted", second_text, used_widths[1]),
        ):
            available = area.adjusted(0, 0, -used_width - 2 * SPACE if used_width else 0, 0)
            draw_text(painter, available, text, font, self._theme.colour(token))

    def _draw_number(self, painter: QPainter, line: QRectF, index: Index) -> None:
        colour = self._theme.colour("warning" if self._is_missing(index) else "ink")
        self._draw_right(painter, line, self._score_text(index), colour)

    def _draw_right(self, painter: QPainter, line: QRectF, text: str, colour: QColor) -> None:
        """Paint a text at the right, which is never elided."""
        put_text(painter, line, text, colour, RIGHT, font=self._regular.font)

    def _draw_score(self, painter: QPainter, top: QRectF, bottom: QRectF, index: Index) -> RowWidths:
        """Paint the number at the right and its bar next to it; returns the occupied widths."""
        self._draw_number(painter, top, index)
        number_width = max(self._regular.width(text) for text in ("0.000", self._score_text(index)))
        for bar_width in (BAR_SIZE, SMALL_BAR_SIZE):
            total = number_width + 2 * SPACE + bar_width
            if top.width() - total - 2 * SPACE >= MIN_ID_CHARACTERS * self._regular.metrics.averageCharWidth():
                self._draw_bar(painter, QRectF(top.right() - total, top.center().y() - 2, bar_width, 4), index)
                return total, 0.0
        return number_width, 0.0

    def _has_bars(self, width: float, bar_width: float) -> bool:
        """Whether the class is readable next to numbers and bars."""
        return width - bar_width - 2 * SPACE >= MIN_NAME_CHARACTERS * self._regular.metrics.averageCharWidth()

    def _draw_both(self, painter: QPainter, top: QRectF, bottom: QRectF, index: Index) -> RowWidths:
        """Paint the number and the difference below it, with their bars."""
        number_width = self._regular.width(WIDEST_NUMBER)
        left = top.right() - number_width - SPACE - SMALL_BAR_SIZE
        has_bars = self._has_bars(top.width(), number_width + SPACE + SMALL_BAR_SIZE)
        self._draw_number(painter, top, index)
        if has_bars:
            self._draw_bar(painter, QRectF(left, top.center().y() - 2, SMALL_BAR_SIZE, 4), index)
        detail_text, difference = self._secondary_text(index), float(self._value(index, "difference", math.nan))
        is_difference = self.look.secondary == "difference"
        colour = self._change_colour(difference) if is_difference else self._theme.colour("muted")
        self._draw_right(painter, bottom, detail_text, colour)
        text_width = self._regular.width(detail_text)
        if not has_bars:
            return self._regular.width(self._score_text(index)), text_width
        total = max(number_width + SPACE + SMALL_BAR_SIZE, text_width)
        class_width = self._regular.width(str(self._value(index, "class_name", "")))
        if class_width + total + 2 * SPACE > bottom.width():
            return total, text_width  # no bar of the difference rather than an elided class
        if is_difference and not math.isnan(difference):
            self._draw_difference(painter, QRectF(left, bottom.center().y() - 2, SMALL_BAR_SIZE, 4), difference)
        return total, total

    def _draw_track(self, painter: QPainter, track: QRectF) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(track, 2, 2)

    def _draw_bar(self, painter: QPainter, track: QRectF, index: Index) -> None:
        if self._is_missing(index):
            painter.setPen(QPen(self._theme.colour("warning"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(track.left(), track.center().y(), track.right(), track.center().y()))
            return
        self._draw_track(painter, track)
        share = self._share(float(self._value(index, "score", math.nan)))
        if share > 0:
            painter.setBrush(self._theme.colour("accent"))
            painter.drawRoundedRect(QRectF(track.left(), track.top(), track.width() * share, track.height()), 2, 2)

    def _draw_difference(self, painter: QPainter, track: QRectF, difference: float) -> None:
        """Paint a diverging bar from the middle, to the right for a positive difference."""
        self._draw_track(painter, track)
        zero_x, largest = track.center().x(), self.look.max_difference
        share = max(-1.0, min(1.0, difference / largest if largest > 0 else 0.0))
        end = zero_x + track.width() / 2 * share
        painter.setBrush(self._change_colour(difference))
        painter.drawRect(QRectF(min(zero_x, end), track.top(), abs(end - zero_x), track.height()))
        zero = QRectF(zero_x - 0.5, track.top() - 2, 1, track.height() + 4)
        painter.fillRect(zero, self._theme.colour("line_strong"))

    def _change_colour(self, difference: float) -> QColor:
        """Colour of a gain, a loss, or neither; by the sign if neither direction is better."""
        colours = RANK_CHANGE[self._theme.name]
        if math.isnan(difference):
            return self._theme.colour("muted")
        if difference == 0 or self.look.better == "none":
            return QColor(colours["same"])
        return QColor(colours["up" if (difference > 0) == (self.look.better == "higher") else "down"])

    def _is_missing(self, index: Index) -> bool:
        return bool(self._value(index, "missing", False))

    def _score_text(self, index: Index) -> str:
        if self._is_missing(index):
            return "no ranked list"
        text = self._value(index, "score_text")
        return format_value(float(self._value(index, "score", math.nan))) if text is None else str(text)

    def _secondary_text(self, index: Index) -> str:
        return str(self._value(index, f"{self.look.secondary}_text", "")) if self.look.secondary else ""

    def _share(self, score: float) -> float:
        low, high = self.look.low, self.look.high
        return 0.0 if math.isnan(score) or not high > low else min(1.0, max(0.0, (score - low) / (high - low)))


#: Minimum cell width in pixels, wider than any screen: one row per line.
FULL_ROW_WIDTH = 10_000


class QueryListView(UniformGrid):
    """List of queries.

    A grid of one column, since QListView lays out 10,000 rows one by one whenever their order changes. The model
    publishes the roles that `QueryDelegate` names; filter and sort it with a proxy.

    Signals
    -------
    query_selected(int)
        Row of the query that was clicked or reached with the arrow keys, in this view's model.
    """

    query_selected = Signal(int)

    # QListView calls overrides while its own constructor runs, before the attributes below exist.
    _gap = 0
    _selecting_buttons = Qt.MouseButton.LeftButton

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = QueryDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QueryListView.SelectionMode.SingleSelection)
        self._fit_cells()
        self.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self.setAccessibleName("Queries")

    def set_current_row(self, row: int | None) -> None:
        """See `UniformGrid`; also scrolls to the row if it is current already, as after sorting."""
        super().set_current_row(row)
        index = self.currentIndex()
        if index.isValid() and not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)
        self.scrollTo(index)

    def set_score_range(self, low: float, high: float) -> None:
        """Values of an empty and of a full bar, by default 0 and 1."""
        self._set_look(low=low, high=high)

    def set_parts(self, *, thumbnails: bool = True, scores: bool = True) -> None:
        """Leave out the columns of thumbnails or numbers if no query has any."""
        self._set_look(has_thumbnails=thumbnails, is_scored=scores)

    def set_secondary(self, secondary: str, better: str = "higher") -> None:
        """Show below the value nothing (""), the ``"difference"`` to another run, the ``"spread"`` or ``"ties"``.

        Parameters
        ----------
        better : ``"lower"`` if a negative difference is a gain, ``"none"`` if neither sign is.
        """
        self._set_look(secondary=secondary, better=better)

    def set_difference_range(self, max_difference: float) -> None:
        """Difference of a full half of the diverging bar, by default 1."""
        self._set_look(max_difference=max_difference)

    def _set_look(self, **changes: Any) -> None:
        look = replace(self._delegate.look, **changes)
        if look != self._delegate.look:
            self._delegate.look = look
            self._set_cell_size(QSize(FULL_ROW_WIDTH, self._delegate.height()))

    def _fit_cells(self) -> None:
        self._delegate.fit_fonts(self.font())
        self._set_cell_size(QSize(FULL_ROW_WIDTH, self._delegate.height()))

    def _select(self, index: QModelIndex) -> None:
        super()._select(index)
        self.query_selected.emit(index.row())

    @Slot(int, int)
    def _on_range_changed(self, _low: int, _high: int) -> None:
        self._emit_visible_later()
