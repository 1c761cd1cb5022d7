"""Ranked lists as rows of cards, with lines between the same models: layout, painting, and the view."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QWidget

from shrec_viewer.charts.rank_rows import RankRow, RowLink, first_indices, indices_of, link_end_text, row_links
from shrec_viewer.number_format import format_distance
from shrec_viewer.widgets.plots.curves import draw_line_sample, line_pen
from shrec_viewer.widgets.style.painted import SMOOTH, PaintedArea
from shrec_viewer.widgets.style.relevance import (
    FRAME_MARGIN,
    LINE_DASHES,
    ThumbnailPainter,
    draw_badge,
    draw_frame,
    level_mark,
)
from shrec_viewer.widgets.style.text import CENTRE, draw_text, measured_font, put_text
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, current_preset, current_theme, text_font

#: Ranks in sight in a window of 1280 pixels, and least pixels from one to the next there.
NARROW_COLUMNS, MIN_PITCH = 8, 72

#: Pixels from one rank to the next from which further ranks are shown, instead of larger images: ten in a window of
#: 1920 pixels.
WIDE_PITCH = 104

#: Least side of an image in pixels; where the rows do not fit, they are scrolled.
MIN_EDGE = 44

#: Side of an image in pixels from which its badge has a glyph besides the number.
MIN_GLYPH_EDGE = 80

#: Width of the name of a model in characters below which only its rank is painted; the tooltip has both.
MIN_NAME_CHARACTERS = 3

#: Largest height in pixels between two rows: lines that are longer are hard to follow.
MAX_GAP = 196

#: Lines of text in a card: rank, id and badge; class. Where that makes the rows fit, only the first one.
CARD_LINES = 2

#: Width of the names of the runs, in lines of text.
HEAD_LINES = 4

#: Share of the gap over which a line leaves its cards vertically.
BEND_SHARE = 0.55

#: Pixels of the end of a line whose other end is not visible.
STUB = 11

#: Lines of text in a card, `STUB` or none, and least side of an image: the first ones with which the rows fit.
FORMS = ((CARD_LINES, STUB, MIN_EDGE), (1, STUB, MIN_EDGE), (1, 0, 32))


@dataclass(frozen=True)
class RowsLayout:
    """Sizes in pixels of rows of cards.

    Attributes
    ----------
    columns : ranks in sight.
    pitch, edge : from one rank to the next, and side of an image.
    row_pitch, card_height : from one row to the next, and height of a card.
    lines : of text in a card.
    stub : length of the end of a line whose other end is not visible.
    """

    columns: int
    pitch: float
    edge: int
    row_pitch: float
    card_height: float
    lines: int = CARD_LINES
    stub: int = STUB


def rows_layout(width: float, height: float, n_rows: int, line: float) -> RowsLayout:
    """Layout of `n_rows` rows in `width` times `height` pixels, with lines of text of this height.

    Examples
    --------
    >>> two = rows_layout(640, 400, 2, 17)
    >>> two.columns, two.edge, two.row_pitch
    (8, 66, 282.0)
    >>> rows_layout(1060, 640, 3, 17).columns
    10
    >>> low = rows_layout(640, 358, 3, 14)
    >>> low.edge, low.lines, 2 * low.row_pitch + low.card_height
    (48, 1, 358.0)
    >>> four = rows_layout(640, 385, 4, 14)
    >>> four.edge, four.stub, 3 * four.row_pitch + four.card_height
    (37, 0, 385.0)
    >>> scrolled = rows_layout(1060, 300, 6, 17)
    >>> scrolled.edge, scrolled.lines
    (44, 2)
    """
    columns = int(max(width // WIDE_PITCH, min(NARROW_COLUMNS, width // MIN_PITCH), 1))
    sizes = []
    for lines, stub, least in FORMS:
        gap = 2 * (stub + line + SPACE)  # with less, texts at both ends of lines overlap
        text = math.ceil(lines * line) + SPACE
        fitting = int((height - (n_rows - 1) * gap) / max(n_rows, 1)) - 2 * FRAME_MARGIN - text
        sizes.append((lines, stub, text, gap, fitting, least))
    lines, stub, text, least_gap, fitting, least = next((one for one in sizes if one[-2] >= one[-1]), sizes[0])
    edge = int(width / columns) - 2 * FRAME_MARGIN
    if max(fitting, least) < edge:
        edge = max(fitting, least)
        columns = int(max(width // max(edge + 2 * FRAME_MARGIN, MIN_PITCH), 1))
    edge = max(edge, MIN_EDGE // 2)
    card_height = edge + 2 * FRAME_MARGIN + text
    gap = min(max((height - n_rows * card_height) / max(n_rows - 1, 1), least_gap), MAX_GAP)
    return RowsLayout(columns, width / columns, edge, card_height + gap, card_height, lines, stub)


class CardSource(Protocol):
    """Data of models for the cards; requested for visible ones only."""

    def name(self, item: int) -> str:
        """Id."""

    def class_name(self, item: int) -> str:
        """Class, "" for none."""

    def picture(self, item: int) -> QPixmap | None:
        """Thumbnail, None while there is none."""

    def problem(self, item: int) -> str:
        """Why there is no thumbnail, "" otherwise."""


def card_text(row: RankRow, index: int, cards: CardSource, change: str = "") -> str:
    """Text of the tooltip of a card; `change` describes its rank in the other lists."""
    item = int(row.items[index])
    model_text = f"{cards.name(item)} {cards.class_name(item)}".rstrip()
    value = format_distance(float(row.distances[index]))
    lines = [f"{row.name}, rank {index + 1:,}: {model_text}", f"{row.value_name} {value}" if value else "", change]
    return "\n".join(line for line in lines if line)


def rank_change_text(index: int, first: int, first_row: RankRow) -> str:
    """Rank change from the first list; `first` is the model's index there, -1 for none.

    Examples
    --------
    >>> import numpy as np
    >>> row = RankRow("B2", "", np.zeros(9, np.int32), np.zeros(9, np.int8), np.zeros(9))
    >>> rank_change_text(2, 4, row), rank_change_text(4, 4, row), rank_change_text(0, -1, row)
    ('2 ranks better than in B2 (rank 5)', 'at the same rank in B2', 'not among the 9 models that B2 lists')
    """
    if first < 0:
        return f"not among the {len(first_row):,} models that {first_row.name} lists"
    if index == first:
        return f"at the same rank in {first_row.name}"
    count = abs(first - index)
    step = f"{count:,} rank{'' if count == 1 else 's'} {'better' if index < first else 'worse'}"
    return f"{step} than in {first_row.name} (rank {first + 1:,})"


class RankRowPainter:
    """Paints names of runs, cards and lines in a font."""

    def __init__(self, font: QFont) -> None:
        self.binary = False
        self._thumbnail_painter = ThumbnailPainter()
        self.set_font(font)

    def set_font(self, font: QFont) -> None:
        """Compute fonts from that of the view."""
        self._title = measured_font(font, bold=True)
        self._regular, self._bold = measured_font(font, 0.92), measured_font(font, 0.92, bold=True)
        self._badge = measured_font(font, 0.85, bold=True)
        self.line = math.ceil(self._bold.height)

    def draw_head(self, painter: QPainter, box: QRectF, row: RankRow, *, current: bool, extra_note: str = "") -> None:
        """Paint the name of a run at the left of its list, and its value."""
        theme = current_theme()
        start = QPointF(box.left(), box.top() + FRAME_MARGIN)
        draw_line_sample(painter, start, 24, line_pen(QColor(row.colour), 2.5, row.dash), row.marker)
        name = QRectF(box.left(), start.y() + 2 * SPACE, box.width(), self._title.height)
        colour = theme.colour("accent" if current else "ink")
        draw_text(painter, name, row.name, self._title, colour, Qt.TextElideMode.ElideMiddle)
        line = name.translated(0, self._title.height + SPACE / 2)
        key, _, value = (row.note, "", "") if row.missing else row.note.rpartition(" ")
        for text, font, token in ((key, self._regular, "muted"), (value, self._title, "ink")):
            draw_text(painter, line, text, font, theme.colour(token))
            line.translate(0, font.height)
        note = QRectF(box.left(), line.top() + SPACE, box.width(), 3 * self.line)
        painter.setFont(self._regular.font)
        painter.setPen(theme.colour("muted"))
        painter.drawText(note, Qt.TextFlag.TextWordWrap, extra_note)

    def draw_card(
        self,
        painter: QPainter,
        box: QRectF,
        layout: RowsLayout,
        row: RankRow,
        index: int,
        cards: CardSource,
        state: str,
    ) -> None:
        """Paint a card; `state` is ``"current"``, ``"hovered"`` (the model under the mouse), or ""."""
        theme, item, edge = current_theme(), int(row.items[index]), layout.edge
        if state:
            painter.setPen(QPen(theme.colour("accent"), 2) if state == "current" else Qt.PenStyle.NoPen)
            painter.setBrush(theme.colour("selection" if state == "current" else "hover_strong"))
            painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), RADIUS + 2, RADIUS + 2)
        mark = level_mark(int(row.levels[index]), theme, current_preset(), binary=self.binary)
        picture = QRectF(round(box.center().x() - edge / 2), box.top() + FRAME_MARGIN, edge, edge)
        reason = cards.problem(item) or None
        self._thumbnail_painter.draw_model(painter, picture, cards.picture(item), reason, theme, self._badge.font)
        draw_frame(painter, picture, mark)
        text = QRectF(box.left() + SPACE, picture.bottom() + FRAME_MARGIN, box.width() - 2 * SPACE, self.line)
        if edge < MIN_GLYPH_EDGE:
            mark = replace(mark, glyph="")
        first = text.adjusted(0, 0, -draw_badge(painter, text, mark, self._badge) - SPACE, 0)
        ink = theme.colour("ink")
        first.setLeft(first.left() + draw_text(painter, first, f"{index + 1:,}", self._bold, ink) + SPACE)
        if first.width() >= MIN_NAME_CHARACTERS * self._regular.metrics.averageCharWidth():
            draw_text(painter, first, cards.name(item), self._regular, ink, Qt.TextElideMode.ElideMiddle)
        if layout.lines == CARD_LINES:
            second = text.translated(0, self.line)
            draw_text(painter, second, cards.class_name(item), self._regular, theme.colour("muted"))

    def draw_line(
        self, painter: QPainter, start: QPointF, end: QPointF, level: int, *, is_highlighted: bool, stub: bool = False
    ) -> None:
        """Paint a line from a card to that of the same model in the next row; a stub leads out of sight."""
        theme = current_theme()
        mark = level_mark(level, theme, current_preset(), binary=self.binary)
        colour = theme.colour("accent") if is_highlighted else QColor(mark.colour if level > 0 else theme.faint)
        width = 3.0 if is_highlighted else 2.0 if level > 0 else 1.0
        pen = QPen(colour, width)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        if level > 0 and LINE_DASHES[mark.line]:
            pen.setDashPattern(list(LINE_DASHES[mark.line]))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(pen)
        path, bend = QPainterPath(start), 0.0 if stub else (end.y() - start.y()) * BEND_SHARE
        path.cubicTo(start + QPointF(0, bend), end - QPointF(0, bend), end)
        painter.drawPath(path)

    def draw_link_end(
        self,
        painter: QPainter,
        end: QPointF,
        layout: RowsLayout,
        text: str,
        level: int,
        *,
        below: bool,
        is_highlighted: bool,
    ) -> None:
        """Paint where a line out of sight leads, above or below the card that it is at."""
        theme, sign = current_theme(), 1 if below else -1
        mark = level_mark(level, theme, current_preset(), binary=self.binary)
        if layout.stub and (level > 0 or is_highlighted):
            other = end + QPointF(0, sign * layout.stub)
            ends = (end, other) if below else (other, end)
            self.draw_line(painter, *ends, level, is_highlighted=is_highlighted, stub=True)
        top = end.y() + sign * (layout.stub + SPACE / 2) - (0 if below else self.line)
        box = QRectF(end.x() - layout.pitch / 2, top, layout.pitch, self.line)
        colour = theme.colour("accent") if is_highlighted else mark.colour if level > 0 else theme.colour("muted")
        if self._regular.width(text) > box.width() - 2 * SPACE:
            text = text.rpartition(" ")[2]  # part of a number would be another number
        behind = QRectF(0, 0, self._regular.width(text), self.line)
        behind.moveCenter(box.center())
        painter.fillRect(behind, theme.colour("surface"))  # over the lines of other models
        put_text(painter, box, text, colour, CENTRE, font=self._regular.font, elide=Qt.TextElideMode.ElideRight)


#: Milliseconds after the last scroll before `visible_ranks_changed`.
VISIBLE_DELAY_MS = 40

#: Note below the name of a run that is shown alone.
ISOLATED_NOTE = "Only this run\nEsc: all"

HEAD_TIP = "Click to choose another run"

#: Keys to other ranks, for which the window has shortcuts, too.
PAGE_KEYS = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class RankRowsView(PaintedArea):
    """View of `RankRow`s below each other; rank k has the same x in all rows.

    Attributes
    ----------
    rows : the lists shown.
    isolated_row : index of the only list shown, or None.
    current : row and 1-based rank of the current card.

    Signals
    -------
    card_selected(row, rank)
        A card was clicked or reached with the arrow keys; its 1-based rank.
    card_activated(row, rank)
        Double click or Enter.
    head_clicked(row)
        The name of a run was clicked.
    item_hovered(item)
        Model under the mouse, -1 for none.
    visible_ranks_changed(first, last)
        0-based indices in sight, `VISIBLE_DELAY_MS` after scrolling or resizing; their thumbnails are rendered first.
    """

    card_selected = Signal(int, int)
    card_activated = Signal(int, int)
    head_clicked = Signal(int)
    item_hovered = Signal(int)
    visible_ranks_changed = Signal(int, int)

    def __init__(self, cards: CardSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards = cards
        self.rows: tuple[RankRow, ...] = ()
        self.isolated_row: int | None = None
        self._painter = RankRowPainter(self.font())
        self._known: tuple[NDArray[np.int32], ...] = ()  # `first_indices` of each list
        self.current: tuple[int, int] | None = None
        self._item = self._hovered = -1  # the emphasised model, and the one under the mouse
        self._shows_all_lines = False
        self._layout = rows_layout(0, 0, 0, self._painter.line)
        self._visible_timer = QTimer(self, interval=VISIBLE_DELAY_MS, singleShot=True)
        self._visible_timer.timeout.connect(self._emit_visible)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        self.viewport().setMouseTracking(True)
        self.setAccessibleName("Lists of the runs")

    # Contents.

    def show_only(self, row: int | None) -> None:
        """Show only one list; None for all."""
        self.isolated_row = row if row is not None and row < len(self.rows) else None
        self.viewport().update()

    def visible_ranks(self) -> tuple[int, int]:
        """First and last 0-based index in sight; (0, -1) for none."""
        first = self.horizontalScrollBar().value()
        return first, min(first + self._layout.columns, self._longest()) - 1

    def card(self, row: int, rank: int) -> QRectF:
        """Rectangle of a card in the viewport; `rank` is 1-based."""
        left = self._left() + (rank - 1 - self.horizontalScrollBar().value()) * self._layout.pitch
        return QRectF(left, self._top(row), self._layout.pitch, self._layout.card_height)

    def head(self, row: int) -> QRectF:
        """Rectangle of the name of a run in the viewport."""
        return QRectF(2 * SPACE, self._top(row), self._left() - 3 * SPACE, self._layout.card_height)

    def card_at(self, point: QPoint) -> tuple[int, int] | None:
        """Row and rank at a point of the viewport."""
        first, last = self.visible_ranks()
        index = first + math.floor((point.x() - self._left()) / self._layout.pitch)
        row = self._row_at(point)
        return (row, index + 1) if first <= index <= last and self._exists(row, index + 1) else None

    def head_at(self, point: QPoint) -> int | None:
        """Index of the list whose name is at a point of the viewport."""
        row = self._row_at(point)
        return row if row >= 0 and point.x() < self._left() - SPACE else None

    def set_rows(self, rows: Sequence[RankRow], *, binary: bool = False) -> None:
        """Show these lists, from the top; `binary`: the assessment is binary."""
        self.rows = tuple(rows)
        self._painter.binary = binary
        self._known = tuple(first_indices(row) for row in self.rows)
        if self.current is not None and not self._exists(*self.current):
            self.current = None
        if self.isolated_row is not None and self.isolated_row >= len(self.rows):
            self.isolated_row = None
        self._lay_out()

    def set_current(self, row: int, rank: int | None) -> None:
        """Mark a card, and its model in the other lists; None for none. Does not emit."""
        self.current = (row, rank) if rank is not None and self._exists(row, rank) else None
        self._item = self._current_item()
        if self.current is not None:
            self._scroll_to(*self.current)
        self.viewport().update()

    def set_item(self, item: int) -> None:
        """Emphasise this model in all lists, as if hovered; -1 for the current one."""
        item = self._current_item() if item < 0 else item
        if item != self._item:
            self._item = item
            self.viewport().update()

    def set_all_lines(self, shown: bool) -> None:
        """Draw the lines of all models, or of relevant ones only."""
        self._shows_all_lines = shown
        self.viewport().update()

    def refresh(self) -> None:
        """Repaint after thumbnails were rendered."""
        self.viewport().update()

    # Qt overrides.

    def changeEvent(self, event: QEvent) -> None:
        """Resize the cards when the font changes; the current one remains visible."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._painter.set_font(self.font())
            self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out the rows; the current card remains visible."""
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint lines, visible cards and names."""
        painter, theme = QPainter(self.viewport()), current_theme()
        painter.setRenderHints(SMOOTH)
        painter.fillRect(event.rect(), theme.colour("surface"))
        first, last = self.visible_ranks()
        if self.isolated_row is None:
            self._paint_links(painter, first, last)
        for row in self._shown():
            shown = self.rows[row]
            is_current = self.current is not None and self.current[0] == row
            aside = ISOLATED_NOTE if self.isolated_row is not None and len(self.rows) > 1 else ""
            self._painter.draw_head(painter, self.head(row), shown, current=is_current, extra_note=aside)
            for index in range(first, min(last, len(shown) - 1) + 1):
                item = int(shown.items[index])
                state = "current" if self.current == (row, index + 1) else "hovered" if item == self._item >= 0 else ""
                box = self.card(row, index + 1)
                self._painter.draw_card(painter, box, self._layout, shown, index, self._cards, state)
            if shown.missing:
                available = self.card(row, first + 1)
                available.setRight(self.viewport().width() - 2 * SPACE)
                painter.setFont(text_font(self.font()))
                painter.setPen(theme.colour("muted"))
                flags = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextWordWrap
                painter.drawText(available, flags, shown.missing)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Highlight the model under the mouse in all lists."""
        card = self.card_at(event.position().toPoint())
        item = -1 if card is None else int(self.rows[card[0]].items[card[1] - 1])
        self._hover(item)

    def leaveEvent(self, event: QEvent) -> None:
        """Highlight the current model."""
        self._hover(-1)

    def _hover(self, item: int) -> None:
        self.set_item(item)
        if item != self._hovered:
            self._hovered = item
            self.item_hovered.emit(item)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the card under the mouse, or emit the click on a name."""
        point, is_left = event.position().toPoint(), event.button() == Qt.MouseButton.LeftButton
        if is_left and (card := self.card_at(point)) is not None:
            self._select(*card)
        elif is_left and (row := self.head_at(point)) is not None:
            self.head_clicked.emit(row)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activate the card under the mouse."""
        card = self.card_at(event.position().toPoint())
        if card is not None:
            self.card_activated.emit(*card)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll to other ranks; over the names, or where all ranks are in sight, to other rows."""
        is_beside = event.position().x() < self._left() or not self.horizontalScrollBar().maximum()
        bar = self.verticalScrollBar() if is_beside else self.horizontalScrollBar()
        QApplication.sendEvent(bar, event)

    def tooltip_at(self, point: QPoint) -> str:
        """Description of the card or name under the mouse."""
        if (card := self.card_at(point)) is not None:
            return self.card_tooltip(*card)
        row = self.head_at(point)
        return "" if row is None else f"{self.rows[row].name}\n{self.rows[row].note}\n{HEAD_TIP}"

    def event(self, event: QEvent) -> bool:
        """Accept ShortcutOverride, which delivers the page keys to the view, not to shortcuts."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in PAGE_KEYS:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Select another card with the arrow and page keys, Home and End; activate it with Enter."""
        row, rank = self.current or (0, 0)
        page = self._layout.columns
        steps = {
            Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1), Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0),
            Qt.Key.Key_PageUp: (0, -page), Qt.Key.Key_PageDown: (0, page), Qt.Key.Key_Home: (0, -rank),
            Qt.Key.Key_End: (0, 10**9),
        }  # fmt: skip
        key = Qt.Key(event.key())
        if key in steps and self.rows:
            target = min(max(row + steps[key][0], 0), len(self.rows) - 1)
            if len(self.rows[target]):
                self._select(target, min(max(rank + steps[key][1], 1), len(self.rows[target])))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current is not None:
            self.card_activated.emit(*self.current)
        else:
            super().keyPressEvent(event)

    def card_tooltip(self, row: int, rank: int) -> str:
        """Description of a card."""
        index, change, item = rank - 1, "", self.rows[row].items[rank - 1]
        if row > 0:
            change = rank_change_text(index, int(indices_of(item, self._known[0])), self.rows[0])
        elif len(self.rows) > 1 and all(int(indices_of(item, known)) < 0 for known in self._known[1:]):
            change = "in no other list shown"
        return card_text(self.rows[row], index, self._cards, change)

    # Helpers.

    def _select(self, row: int, rank: int) -> None:
        self.set_current(row, rank)
        self.card_selected.emit(row, rank)

    def _current_item(self) -> int:
        return -1 if self.current is None else int(self.rows[self.current[0]].items[self.current[1] - 1])

    def _paint_links(self, painter: QPainter, first: int, last: int) -> None:
        visible = range(first, last + 1)
        links = row_links(self.rows, self._known, visible)
        for link in sorted(  # texts above lines, the highlighted one above the others
            links, key=lambda link: (self._is_highlighted(link), link.upper not in visible or link.lower not in visible)
        ):
            is_highlighted = self._is_highlighted(link)
            is_marked = is_highlighted or self._shows_all_lines or link.level > 0
            upper, lower = self.card(link.row, link.upper + 1), self.card(link.row + 1, link.lower + 1)
            start = QPointF(upper.center().x(), upper.bottom() + SPACE / 2)
            end = QPointF(lower.center().x(), lower.top() - SPACE / 2)
            if link.upper in visible and link.lower in visible:
                if is_marked:
                    self._painter.draw_line(painter, start, end, link.level, is_highlighted=is_highlighted)
            elif link.lower in visible or is_marked:
                below = link.upper in visible
                place, other = (start, link.lower) if below else (end, link.upper)
                self._painter.draw_link_end(
                    painter, place, self._layout, link_end_text(other, is_lower=not below), link.level,
                    below=below, is_highlighted=is_highlighted,
                )  # fmt: skip

    def _is_highlighted(self, link: RowLink) -> bool:
        return link.item == self._item >= 0

    def _longest(self) -> int:
        return max((len(row) for row in self.rows), default=0)

    def _shown(self) -> tuple[int, ...]:
        return tuple(range(len(self.rows))) if self.isolated_row is None else (self.isolated_row,)

    def _exists(self, row: int, rank: int) -> bool:
        return 0 <= row < len(self.rows) and 1 <= rank <= len(self.rows[row])

    def _left(self) -> float:
        """Left edge of the cards."""
        return 3 * SPACE + HEAD_LINES * self._painter.line

    def _top(self, row: int) -> float:
        place = row if self.isolated_row is None else 0
        return SPACE + place * self._layout.row_pitch - self.verticalScrollBar().value()

    def _row_at(self, point: QPoint) -> int:
        """Index of the row whose cards are at the height of a point, -1 for none."""
        rows = (row for row in self._shown() if 0 <= point.y() - self._top(row) < self._layout.card_height)
        return next(rows, -1)

    def _lay_out(self) -> None:
        width, height = self.viewport().width() - self._left() - 2 * SPACE, self.viewport().height() - 2 * SPACE
        self._layout = found = rows_layout(width, height, len(self.rows), self._painter.line)
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        self.set_scroll_range(across, self._longest(), found.columns, 1)
        length = (len(self.rows) - 1) * found.row_pitch + found.card_height if self.rows else 0
        self.set_scroll_range(down, length, height, found.row_pitch / 3)
        if self.current is not None:
            self._scroll_to(*self.current)
        self._visible_timer.start()

    def _scroll_to(self, row: int, rank: int) -> None:
        across, down = self.horizontalScrollBar(), self.verticalScrollBar()
        across.setValue(min(max(across.value(), rank - self._layout.columns), rank - 1))
        top = round(row * self._layout.row_pitch)
        fitting = round(top + self._layout.card_height + 2 * SPACE - self.viewport().height())
        down.setValue(min(max(down.value(), fitting), top))

    def _on_scrolled(self) -> None:
        self._visible_timer.start()

    def _emit_visible(self) -> None:
        self.visible_ranks_changed.emit(*self.visible_ranks())
