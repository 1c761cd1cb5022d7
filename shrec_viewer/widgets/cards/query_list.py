"""List of queries with thumbnail, class, score bar and difference between runs."""

import math

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QLineF,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from shrec_viewer.number_format import format_value
from shrec_viewer.render.scene.palette import RANK_CHANGE
from shrec_viewer.widgets.cards.uniform_grid import UniformGrid
from shrec_viewer.widgets.controls.controls import ItemRoles
from shrec_viewer.widgets.style.relevance import ThumbnailPainter
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

THUMBNAIL_EDGE = 44
"""Size of the thumbnail in pixels: the height of three lines of text."""

BAR_SIZE, SMALL_BAR_SIZE = 56, 36
"""Widths in pixels of the bar next to a number, and of the bars next to the numbers in two-line rows."""

MIN_TEXT_WIDTH = 2 * BAR_SIZE
"""Width of the text in pixels below which the number replaces the class and the bar is left out."""

MIN_NAME_CHARACTERS = 8
"""Characters of a class that must fit next to the bars, or else all bars are left out, since bars of different lengths
could not be compared."""

MIN_ID_CHARACTERS = 4
"""Characters of an id that must fit next to number and bar."""

WIDEST_NUMBER = "▼ −0.000"
"""Widest number; sets the width of the column of numbers, so that all bars start at the same x."""

ALIGN_FLAGS = Qt.AlignmentFlag.AlignVCenter
LEFT_ALIGNED, RIGHT_ALIGNED = ALIGN_FLAGS | Qt.AlignmentFlag.AlignLeft, ALIGN_FLAGS | Qt.AlignmentFlag.AlignRight

Index = QModelIndex | QPersistentModelIndex
RowWidths = tuple[float, float]
"""Widths in pixels at the right of the first and second line."""


class QueryDelegate(QStyledItemDelegate):
    """Delegate that paints a query.

    Roles: ``query_id`` str, ``class_name`` str, ``score`` float (NaN undefined), ``thumbnail`` QPixmap or None,
    ``problem`` str (why there is no thumbnail), ``missing`` bool (the run has no list of this query); and optionally
    ``score_text``, ``difference`` float with ``difference_text``, ``spread_text``: the formatted numbers.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._roles = ItemRoles()
        self._thumbnail_painter = ThumbnailPainter()
        self._low, self._high = 0.0, 1.0
        self._max_difference = 1.0
        self._secondary, self._better = "", "higher"
        self._has_thumbnails = self._is_scored = True
        self.fit_fonts(parent.font())

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme

    def set_roles(self, roles: ItemRoles) -> None:
        """Set the roles of the model."""
        self._roles = roles

    def set_range(self, low: float, high: float) -> bool:
        """Values of an empty and of a full bar; returns whether they change."""
        before, (self._low, self._high) = (self._low, self._high), (low, high)
        return before != (low, high)

    def set_difference_range(self, max_difference: float) -> bool:
        """Difference of a full half of a diverging bar; returns whether it changes."""
        before, self._max_difference = self._max_difference, max_difference
        return before != max_difference

    def set_secondary(self, secondary: str, better: str) -> bool:
        """Set the number of the second line and the better sign; returns whether one changes.

        Parameters
        ----------
        secondary : "", ``"difference"``, ``"spread"`` or ``"ties"``.
        """
        before, (self._secondary, self._better) = (self._secondary, self._better), (secondary, better)
        return before != (secondary, better)

    def set_parts(self, *, thumbnails: bool, scores: bool) -> bool:
        """Whether rows have a thumbnail and a number; returns whether that changes."""
        before, (self._has_thumbnails, self._is_scored) = (self._has_thumbnails, self._is_scored), (thumbnails, scores)
        return before != (thumbnails, scores)

    def height(self) -> int:
        """Height of a row in pixels."""
        lines = math.ceil(self._bold_metrics.height() + self._metrics.height()) + 3 * SPACE
        return max(THUMBNAIL_EDGE + 3 * SPACE, lines) if self._has_thumbnails else lines

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Height of a row; the width is stretched."""
        return QSize(3 * THUMBNAIL_EDGE, self.height())

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint thumbnail, name, class and score of a query."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        row = QRectF(option.rect)
        self._draw_background(painter, row, option.state)
        left = 3.0 * SPACE
        if self._has_thumbnails:
            box = QRectF(row.left() + 2 * SPACE, row.center().y() - THUMBNAIL_EDGE / 2, THUMBNAIL_EDGE, THUMBNAIL_EDGE)
            self._draw_thumbnail(painter, box, index)
            left = box.right() - row.left() + 2.5 * SPACE
        text = row.adjusted(left, 1.5 * SPACE, -3 * SPACE, -1.5 * SPACE)
        self._draw_text(painter, text, index, option.font)
        painter.restore()

    def fit_fonts(self, base: QFont) -> None:
        """Cache fonts: creating a font with tabular figures takes as long as painting a line of text."""
        self._base = QFont(base)
        self._bold_font, self._regular_font = text_font(base, bold=True), text_font(base)
        self._bold_metrics, self._metrics = QFontMetricsF(self._bold_font), QFontMetricsF(self._regular_font)

    def _draw_background(self, painter: QPainter, row: QRectF, state: QStyle.StateFlag) -> None:
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(row, self._theme.colour("selection"))
            painter.fillRect(QRectF(row.left(), row.top(), 3, row.height()), self._theme.colour("accent"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(row, self._theme.colour("hover"))

    def _draw_thumbnail(self, painter: QPainter, box: QRectF, index: Index) -> None:
        thumbnail = self._roles.value(index, "thumbnail")
        problem = self._roles.value(index, "problem", "")
        if thumbnail is not None and not thumbnail.isNull():
            self._thumbnail_painter.draw(painter, box, thumbnail, self._theme)
        elif problem:
            self._thumbnail_painter.draw_missing(painter, box, "", self._theme, text_font(painter.font(), 0.8))
        else:
            self._thumbnail_painter.draw_background(painter, box, self._theme)

    def _draw_text(self, painter: QPainter, box: QRectF, index: Index, font: QFont) -> None:
        if font != self._base:
            self.fit_fonts(font)
        line = self._bold_metrics.height()
        top = QRectF(box.left(), box.center().y() - line - 1, box.width(), line)
        bottom = top.translated(0, line + 2)
        used_widths, second_text = (0.0, 0.0), str(self._roles.value(index, "class_name", ""))
        if self._is_scored and "score" in self._roles:
            if box.width() < MIN_TEXT_WIDTH:
                second_text = self._secondary_text(index) or self._score_text(index)
            else:
                draw = self._draw_both if self._secondary else self._draw_score
                used_widths = draw(painter, top, bottom, index)
        if not second_text and not any(used_widths):
            top.moveCenter(box.center())
        for area, line_font, metrics, token, text, used_width in (
            (
                top,
                self._bold_font,
                self._bold_metrics,
                "ink",
                str(self._roles.value(index, "query_id", "")),
                used_widths[0],
            ),
            (bottom, self._regular_font, self._metrics, "muted", second_text, used_widths[1]),
        ):
            available = area.width() - used_width - (2 * SPACE if used_width else 0)
            elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, available))
            painter.setFont(line_font)
            painter.setPen(self._theme.colour(token))
            painter.drawText(area, LEFT_ALIGNED, elided)

    def _draw_score(self, painter: QPainter, top: QRectF, bottom: QRectF, index: Index) -> RowWidths:
        """Paint the number at the right and its bar next to it; returns the occupied widths."""
        painter.setFont(self._regular_font)
        painter.setPen(self._theme.colour("warning" if self._is_missing(index) else "ink"))
        painter.drawText(top, RIGHT_ALIGNED, self._score_text(index))
        number_width = max(self._metrics.horizontalAdvance(text) for text in ("0.000", self._score_text(index)))
        for bar_width in (BAR_SIZE, SMALL_BAR_SIZE):
            total = number_width + 2 * SPACE + bar_width
            if top.width() - total - 2 * SPACE >= MIN_ID_CHARACTERS * self._metrics.averageCharWidth():
                self._draw_bar(painter, QRectF(top.right() - total, top.center().y() - 2, bar_width, 4), index)
                return total, 0.0
        return number_width, 0.0

    def _has_bars(self, width: float, bar_width: float) -> bool:
        """Whether the class is readable next to numbers and bars."""
        return width - bar_width - 2 * SPACE >= MIN_NAME_CHARACTERS * self._metrics.averageCharWidth()

    def _draw_both(self, painter: QPainter, top: QRectF, bottom: QRectF, index: Index) -> RowWidths:
        """Paint the number and the difference below it, with their bars."""
        painter.setFont(self._regular_font)
        number_width = self._metrics.horizontalAdvance(WIDEST_NUMBER)
        left = top.right() - number_width - SPACE - SMALL_BAR_SIZE
        has_bars = self._has_bars(top.width(), number_width + SPACE + SMALL_BAR_SIZE)
        painter.setPen(self._theme.colour("warning" if self._is_missing(index) else "ink"))
        painter.drawText(top, RIGHT_ALIGNED, self._score_text(index))
        if has_bars:
            self._draw_bar(painter, QRectF(left, top.center().y() - 2, SMALL_BAR_SIZE, 4), index)
        detail_text, difference = self._secondary_text(index), self._difference(index)
        painter.setPen(
            self._change_colour(difference) if self._secondary == "difference" else self._theme.colour("muted")
        )
        painter.drawText(bottom, RIGHT_ALIGNED, detail_text)
        text_width = self._metrics.horizontalAdvance(detail_text)
        if not has_bars:
            return self._metrics.horizontalAdvance(self._score_text(index)), text_width
        total = max(number_width + SPACE + SMALL_BAR_SIZE, text_width)
        class_width = self._metrics.horizontalAdvance(str(self._roles.value(index, "class_name", "")))
        if class_width + total + 2 * SPACE > bottom.width():
            return total, text_width  # no bar of the difference rather than an elided class
        if self._secondary == "difference" and not math.isnan(difference):
            self._draw_difference(painter, QRectF(left, bottom.center().y() - 2, SMALL_BAR_SIZE, 4), difference)
        return total, total

    def _draw_bar(self, painter: QPainter, track: QRectF, index: Index) -> None:
        if self._is_missing(index):
            painter.setPen(QPen(self._theme.colour("warning"), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(track.left(), track.center().y(), track.right(), track.center().y()))
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(track, 2, 2)
        share = self._share(self._score(index))
        if share > 0:
            painter.setBrush(self._theme.colour("accent"))
            painter.drawRoundedRect(QRectF(track.left(), track.top(), track.width() * share, track.height()), 2, 2)

    def _draw_difference(self, painter: QPainter, track: QRectF, difference: float) -> None:
        """Paint a diverging bar from the middle, to the right for a positive difference."""
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("sunken"))
        painter.drawRoundedRect(track, 2, 2)
        zero_x = track.center().x()
        end = zero_x + track.width() / 2 * max(
            -1.0, min(1.0, difference / self._max_difference if self._max_difference > 0 else 0.0)
        )
        painter.setBrush(self._change_colour(difference))
        painter.drawRect(QRectF(min(zero_x, end), track.top(), abs(end - zero_x), track.height()))
        painter.fillRect(
            QRectF(zero_x - 0.5, track.top() - 2, 1, track.height() + 4), self._theme.colour("line_strong")
        )

    def _change_colour(self, difference: float) -> QColor:
        """Colour of a gain, a loss, or neither; by the sign if neither direction is better."""
        colours = RANK_CHANGE[self._theme.name]
        if math.isnan(difference):
            return self._theme.colour("muted")
        if difference == 0 or self._better == "none":
            return QColor(colours["same"])
        return QColor(colours["up" if (difference > 0) == (self._better == "higher") else "down"])

    def _is_missing(self, index: Index) -> bool:
        return bool(self._roles.value(index, "missing", False))

    def _score(self, index: Index) -> float:
        return float(self._roles.value(index, "score", math.nan))

    def _score_text(self, index: Index) -> str:
        if self._is_missing(index):
            return "no ranked list"
        text = self._roles.value(index, "score_text")
        return format_value(self._score(index)) if text is None else str(text)

    def _difference(self, index: Index) -> float:
        return float(self._roles.value(index, "difference", math.nan))

    def _secondary_text(self, index: Index) -> str:
        return str(self._roles.value(index, f"{self._secondary}_text", "")) if self._secondary else ""

    def _share(self, score: float) -> float:
        if math.isnan(score) or not self._high > self._low:
            return 0.0
        return min(1.0, max(0.0, (score - self._low) / (self._high - self._low)))


VISIBLE_DELAY_MS = 40
"""Milliseconds after the last scroll before `visible_rows_changed`."""

FULL_ROW_WIDTH = 10_000
"""Minimum cell width in pixels, wider than any screen: one row per line."""


class QueryListView(UniformGrid):
    """List of queries.

    A grid of one column, since QListView lays out 10,000 rows one by one whenever their order changes. The model
    publishes the roles that `QueryDelegate` names; filter and sort it with a proxy.

    Signals
    -------
    query_selected(int)
        Row of the query that was clicked or reached with the arrow keys, in this view's model.
    visible_rows_changed(int, int)
        First and last visible row, `VISIBLE_DELAY_MS` after a change; (0, -1) for none.
    """

    query_selected = Signal(int)
    visible_rows_changed = Signal(int, int)

    # QListView calls overrides while its own constructor runs, before the attributes below exist.
    _gap = 0
    _visible_timer: QTimer | None = None

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._delegate = QueryDelegate(self)
        self._last_emitted: tuple[int, int] | None = None
        self._visible_timer = QTimer(self, interval=VISIBLE_DELAY_MS, singleShot=True)
        self._visible_timer.timeout.connect(self._emit_visible)
        self.setItemDelegate(self._delegate)
        self.setSelectionMode(QueryListView.SelectionMode.SingleSelection)
        self._set_cell_size(QSize(FULL_ROW_WIDTH, self._delegate.height()))
        self.verticalScrollBar().valueChanged.connect(self._on_scroll_value_changed)
        self.verticalScrollBar().rangeChanged.connect(self._on_range_changed)
        self.setAccessibleName("Queries")

    def setModel(self, model: QAbstractItemModel | None) -> None:
        """Look up the roles of the model."""
        super().setModel(model)
        self._delegate.set_roles(ItemRoles(model))
        self._last_emitted = None
        self._emit_visible_later()

    def reset(self) -> None:
        """Emit the visible rows of the new list."""
        super().reset()
        self._last_emitted = None
        self._emit_visible_later()

    def set_current_row(self, row: int | None) -> None:
        """Make this row of the view's model current and scroll to it; None or an invalid row: no row."""
        model = self.model()
        if not model:
            return
        if row is None or not 0 <= row < model.rowCount():
            self.selectionModel().clear()
            return
        index = model.index(row, 0)
        if index != self.currentIndex() or not self.selectionModel().isSelected(index):
            self.setCurrentIndex(index)
        self.scrollTo(index)

    def set_score_range(self, low: float, high: float) -> None:
        """Values of an empty and of a full bar, by default 0 and 1."""
        if self._delegate.set_range(low, high):
            self.viewport().update()

    def set_parts(self, *, thumbnails: bool = True, scores: bool = True) -> None:
        """Leave out the columns of thumbnails or numbers if no query has any."""
        if self._delegate.set_parts(thumbnails=thumbnails, scores=scores):
            self._set_cell_size(QSize(FULL_ROW_WIDTH, self._delegate.height()))
            self._emit_visible_later()

    def set_secondary(self, secondary: str, better: str = "higher") -> None:
        """Show below the value nothing (""), the ``"difference"`` to another run, the ``"spread"`` or ``"ties"``.

        Parameters
        ----------
        better : ``"lower"`` if a negative difference is a gain, ``"none"`` if neither sign is.
        """
        if self._delegate.set_secondary(secondary, better):
            self.viewport().update()

    def set_difference_range(self, max_difference: float) -> None:
        """Difference of a full half of the diverging bar, by default 1."""
        if self._delegate.set_difference_range(max_difference):
            self.viewport().update()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._delegate.set_theme(theme)
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move in the list and select the new current row."""
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        if self.currentIndex().isValid() and self.currentIndex().row() != before:
            self.query_selected.emit(self.currentIndex().row())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the row under the mouse; presses elsewhere or with the right button select nothing."""
        index = self.indexAt(event.position().toPoint())
        if not index.isValid() or event.button() != Qt.MouseButton.LeftButton:
            event.accept()
            return
        super().mousePressEvent(event)
        self.query_selected.emit(index.row())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Keep the current row; QListView would make the first row current."""
        had_current = self.currentIndex().isValid()
        super().focusInEvent(event)
        if not had_current and self.selectionModel() is not None:
            self.selectionModel().clear()

    def changeEvent(self, event: QEvent) -> None:
        """Resize the rows when the font changes."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._visible_timer is not None:
            self._delegate.fit_fonts(self.font())
            self._set_cell_size(QSize(FULL_ROW_WIDTH, self._delegate.height()))
            self._emit_visible_later()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Emit the visible rows."""
        super().resizeEvent(event)
        self._emit_visible_later()

    def _on_scroll_value_changed(self, _value: int) -> None:
        self._emit_visible_later()

    def _on_range_changed(self, _low: int, _high: int) -> None:
        self._emit_visible_later()

    def _emit_visible_later(self) -> None:
        if self._visible_timer is not None:
            self._visible_timer.start()

    def _emit_visible(self) -> None:
        visible = self.visible_rows()
        if visible != self._last_emitted:
            self._last_emitted = visible
            self.visible_rows_changed.emit(*visible)
