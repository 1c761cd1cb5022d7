"""Delegate that paints a ranked model as a card, and fades in late thumbnails."""

import math
import time
from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRectF, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from shrec_viewer.number_format import format_distance
from shrec_viewer.widgets.cards.uniform_grid import UniformGrid
from shrec_viewer.widgets.style.relevance import (
    FRAME_MARGIN,
    UNJUDGED,
    RelevanceMark,
    badge_width,
    draw_badge,
    draw_frame,
    level_mark,
    query_mark,
)
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, animations_on, current_theme, text_font
from shrec_viewer.widgets.style.thumbnail_painter import ThumbnailPainter
from shrec_viewer.widgets.tables.item_roles import ItemRoles

FADE_S = 0.16
"""Duration of the fade-in of a late thumbnail, in seconds."""

FADE_STEP_MS = 24
"""Interval of the repaints during a fade-in: seven in all."""

SCROLL_PAUSE_S = 0.15
"""Seconds after scrolling before thumbnails fade in again; while scrolling they appear at once."""

FIRST_OPACITY = 0.2
"""Opacity at the start of a fade-in."""


class ThumbnailFade(QObject):
    """Records which rows of a grid were painted without thumbnail, and the opacity of those that have arrived since."""

    def __init__(self, grid: UniformGrid) -> None:
        super().__init__(grid)
        self._grid = grid
        self._missing_rows: set[int] = set()
        self._since: dict[int, float] = {}
        self._scrolled = 0.0
        self._timer = QTimer(self, interval=FADE_STEP_MS)
        self._timer.timeout.connect(self._step)
        grid.verticalScrollBar().valueChanged.connect(self._on_scroll_value_changed)

    def add_missing(self, row: int) -> None:
        """Record that a row was painted without its thumbnail."""
        self._missing_rows.add(row)

    def opacity(self, row: int) -> float:
        """Current opacity of the thumbnail of a row, in (0, 1]."""
        now = time.monotonic()
        if row in self._missing_rows:
            self._missing_rows.discard(row)
            if now - self._scrolled > SCROLL_PAUSE_S and animations_on():
                self._since[row] = now
                self._timer.start()
        if row not in self._since:
            return 1.0
        return min(FIRST_OPACITY + (1 - FIRST_OPACITY) * (now - self._since[row]) / FADE_S, 1.0)

    def forget(self) -> None:
        """Forget all rows, after a change of the model."""
        self._missing_rows.clear()
        self._since.clear()
        self._timer.stop()

    @Slot(int)
    def _on_scroll_value_changed(self, _value: int) -> None:
        self._scrolled = time.monotonic()

    @Slot()
    def _step(self) -> None:
        now = time.monotonic()
        model, viewport = self._grid.model(), self._grid.viewport()
        for row, since in list(self._since.items()):
            if now - since >= FADE_S:
                del self._since[row]
            viewport.update(self._grid.visualRect(model.index(row, 0)))
        if not self._since:
            self._timer.stop()


CARD_SIZES = {"S": 96, "M": 128, "L": 192, "T": 0}
"""Size of the thumbnail in pixels; cards of size ``"T"`` are text only, for models without thumbnails."""

EDGE_LIMITS = (64, 320)
"""Minimum and maximum size of a thumbnail in pixels."""

TEXT_CARD_WIDTH = 124
"""Minimum width in pixels of a text card: rank, an id of eight letters and the badge."""

MIN_NORMAL_TEXT_EDGE = 112
"""Thumbnail size in pixels below which the text is smaller."""

PADDING = 4
"""Padding of a card in pixels."""

TEXT_INSET = FRAME_MARGIN + SPACE
"""Padding of a text card in pixels; contains the frame."""


@dataclass(frozen=True)
class CardData:
    """Contents of a card, read from the model once per repaint."""

    rank: int
    item_id: str
    class_name: str
    distance: float
    tied: bool


class CardDelegate(QStyledItemDelegate):
    """Paints cards for a model that publishes the roles of a ranked list.

    Roles: ``rank`` int (0: not ranked), ``item_id`` str, ``class_name`` str, ``level`` int (-1: none), ``distance``
    float (NaN none), ``tied`` bool, ``thumbnail`` QPixmap or None, ``problem`` str (why there is no thumbnail), and
    optionally ``query`` bool (the query itself) and ``binary`` bool (binary relevance: level 1 looks like the highest).
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._roles = ItemRoles()
        self._thumbnail_painter = ThumbnailPainter()
        self._fade: ThumbnailFade | None = None
        self._preset = "ordinal"
        self._edge = CARD_SIZES["M"]
        self._fonts(parent.font())

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme

    def set_preset(self, preset: str) -> None:
        """Use the marks of this preset, a key of `render.scene.palette.PRESETS`."""
        self._preset = preset

    def set_roles(self, roles: ItemRoles) -> None:
        """Set the roles of the model."""
        self._roles = roles

    def set_fade(self, fade: ThumbnailFade) -> None:
        """Fade in thumbnails that arrive late."""
        self._fade = fade

    def set_card_size(self, size: str, font: QFont) -> None:
        """Set the card size, one of `CARD_SIZES` or pixels as digits, for the view's `font`."""
        self._edge = thumbnail_edge(size)
        self._fonts(font)

    def card_size(self) -> QSize:
        """Minimum size of a card; the view may make it wider."""
        if not self._edge:
            return QSize(TEXT_CARD_WIDTH + 2 * TEXT_INSET, math.ceil(2 * self._line + 2 * TEXT_INSET))
        width = self._edge + 2 * (FRAME_MARGIN + PADDING)
        return QSize(width, math.ceil(width + 2 * self._line + SPACE / 2))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Size of every card."""
        return self.card_size()

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint background, thumbnail, frame, badge and text of a card."""
        painter.save()
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        card = QRectF(option.rect)
        self._draw_background(painter, card, option.state)
        item, mark = self._item(index), self._mark(index)
        if self._edge:
            thumbnail = self._thumbnail_box(card)
            self._draw_thumbnail(painter, thumbnail, index)
            draw_frame(painter, thumbnail, mark)
            available = thumbnail.adjusted(1 - FRAME_MARGIN, 0, FRAME_MARGIN - 1, 0)
            available.moveTop(thumbnail.bottom() + FRAME_MARGIN + SPACE / 2)
        else:
            draw_frame(painter, card.adjusted(FRAME_MARGIN, FRAME_MARGIN, -FRAME_MARGIN, -FRAME_MARGIN), mark)
            available = card.adjusted(TEXT_INSET, TEXT_INSET, -TEXT_INSET, -TEXT_INSET)
        self._draw_caption(painter, available, item, mark)
        painter.restore()

    def _fonts(self, font: QFont) -> None:
        small = self._edge < MIN_NORMAL_TEXT_EDGE
        scale = 0.92 if small else 1.0
        self._regular_font = text_font(font, scale)
        self._bold_font = text_font(font, scale, bold=True)
        self._badge = text_font(font, scale * 0.9, bold=True)
        self._reason = text_font(font, 0.85)
        self._line = math.ceil(QFontMetricsF(self._bold_font).height()) + 1
        self._regular_metrics, self._bold_metrics = QFontMetricsF(self._regular_font), QFontMetricsF(self._bold_font)
        self._badge_height = QFontMetricsF(self._badge).height()

    def _item(self, index: QModelIndex | QPersistentModelIndex) -> CardData:
        value = self._roles.value
        return CardData(
            rank=value(index, "rank", index.row() + 1),
            item_id=value(index, "item_id", ""),
            class_name=value(index, "class_name", ""),
            distance=value(index, "distance", math.nan),
            tied=bool(value(index, "tied", False)),
        )

    def _mark(self, index: QModelIndex | QPersistentModelIndex) -> RelevanceMark:
        if self._roles.value(index, "query", False):
            return query_mark(self._theme)
        level = int(self._roles.value(index, "level", UNJUDGED))
        return level_mark(level, self._theme, self._preset, binary=bool(self._roles.value(index, "binary", False)))

    def _thumbnail_box(self, card: QRectF) -> QRectF:
        left = round(card.left() + (card.width() - self._edge) / 2)
        return QRectF(left, card.top() + PADDING + FRAME_MARGIN, self._edge, self._edge)

    def _draw_background(self, painter: QPainter, card: QRectF, state: QStyle.StateFlag) -> None:
        """Paint the background; the current card has an outline, others selected with it (`State_On`) have none."""
        is_current = bool(state & QStyle.StateFlag.State_Selected)
        is_selected = is_current or bool(state & QStyle.StateFlag.State_On)
        if not is_selected and not state & QStyle.StateFlag.State_MouseOver:
            return
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour("selection" if is_selected else "hover"))
        painter.drawRoundedRect(card, RADIUS + 2, RADIUS + 2)
        if not is_current:
            return
        width = 2.0 if state & QStyle.StateFlag.State_HasFocus else 1.0
        painter.setPen(QPen(self._theme.colour("accent"), width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        inset = width / 2
        painter.drawRoundedRect(card.adjusted(inset, inset, -inset, -inset), RADIUS + 2, RADIUS + 2)

    def _draw_thumbnail(self, painter: QPainter, box: QRectF, index: QModelIndex | QPersistentModelIndex) -> None:
        thumbnail = self._roles.value(index, "thumbnail")
        if thumbnail is not None and not thumbnail.isNull():
            opacity = 1.0 if self._fade is None else self._fade.opacity(index.row())
            self._thumbnail_painter.draw(painter, box, thumbnail, self._theme, opacity)
        elif problem := self._roles.value(index, "problem", ""):
            self._thumbnail_painter.draw_missing(painter, box, problem, self._theme, self._reason)
        else:
            self._thumbnail_painter.draw_background(painter, box, self._theme)
            if self._fade is not None:
                self._fade.add_missing(index.row())

    def _draw_caption(self, painter: QPainter, available: QRectF, item: CardData, mark: RelevanceMark) -> None:
        """Paint two lines of text from the top of `available`."""
        upper = QRectF(available.left(), available.top(), available.width(), self._line)
        lower = upper.translated(0, self._line)
        badge = badge_width(mark, self._badge)
        height = self._badge_height
        draw_badge(
            painter,
            QRectF(upper.right() - badge, upper.center().y() - height / 2, badge, height),
            mark,
            self._badge,
        )
        rank = self._draw_text(painter, upper, f"{item.rank:,}", self._bold_font, "ink") + 6 if item.rank > 0 else 0
        names = upper.adjusted(rank, 0, -badge - 4, 0)
        self._draw_text(painter, names, item.item_id, self._regular_font, "ink", Qt.TextElideMode.ElideMiddle)
        distance = format_distance(item.distance)
        if item.tied and distance:
            distance = f"= {distance}"
        text_width = self._draw_text(painter, lower, distance, self._regular_font, "ink", right=True)
        self._draw_text(painter, lower.adjusted(0, 0, -text_width - 6, 0), item.class_name, self._regular_font, "muted")

    def _draw_text(
        self,
        painter: QPainter,
        box: QRectF,
        text: str,
        font: QFont,
        token: str,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
        *,
        right: bool = False,
    ) -> float:
        if not text:
            return 0.0
        metrics = self._bold_metrics if font is self._bold_font else self._regular_metrics
        text_width = metrics.horizontalAdvance(text)
        elided = text if text_width <= box.width() else metrics.elidedText(text, elide, max(box.width(), 0))
        alignment = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.setFont(font)
        painter.setPen(self._theme.colour(token))
        painter.drawText(box, alignment | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, elided)
        return min(text_width, box.width())


def thumbnail_edge(size: str) -> int:
    """Thumbnail size in pixels of a card size: one of `CARD_SIZES`, or digits, within `EDGE_LIMITS`; 0 for text only.

    Raises
    ------
    ValueError
        For any other size.

    Examples
    --------
    >>> thumbnail_edge("M"), thumbnail_edge("152"), thumbnail_edge("9")
    (128, 152, 64)
    """
    if size in CARD_SIZES:
        return CARD_SIZES[size]
    if not size.isdecimal():
        raise ValueError(f"a card size is one of {', '.join(CARD_SIZES)} or pixels, not {size!r}")
    return min(max(int(size), EDGE_LIMITS[0]), EDGE_LIMITS[1])
