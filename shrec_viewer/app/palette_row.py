"""How a row of the palette is drawn: its name with the letters meant, where it stands, its keys, or why not now."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from shrec_viewer.app.palette_entries import Entry
from shrec_viewer.widgets.theme import RADIUS, SPACE, current_theme, text_font

ENTRY_ROLE, PLACES_ROLE = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1

HEIGHT = 32
"""Pixels of a row at the usual size of type; more where letters are larger."""

Index = QModelIndex | QPersistentModelIndex


class PaletteRow(QStyledItemDelegate):
    """Paints an `Entry`."""

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Qt override."""
        return QSize(200, max(HEIGHT, round(option.fontMetrics.height() + 3 * SPACE)))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Qt override."""
        entry, places = index.data(ENTRY_ROLE), index.data(PLACES_ROLE)
        if not isinstance(entry, Entry):
            return
        theme = current_theme()
        box = QRectF(option.rect).adjusted(SPACE, 1, -SPACE, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        state = option.state
        if state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            painter.setPen(Qt.PenStyle.NoPen)
            is_current = bool(state & QStyle.StateFlag.State_Selected)
            painter.setBrush(theme.colour("selection" if is_current else "hover"))
            painter.drawRoundedRect(box, RADIUS, RADIUS)
        line = box.adjusted(2 * SPACE, 0, -2 * SPACE, 0)
        room = line.adjusted(0, 0, -self._draw_right(painter, line, entry), 0)
        self._draw_name(painter, room, entry, places or ())
        painter.restore()

    def _draw_right(self, painter: QPainter, line: QRectF, entry: Entry) -> float:
        """Keys, or why it cannot be done, then where it stands; pixels taken."""
        theme, font = current_theme(), text_font(painter.font(), 0.92)
        quiet = entry.why_not or entry.where
        words = f"{quiet}    {entry.keys}" if entry.keys else quiet
        painter.setFont(font)
        painter.setPen(theme.colour("muted"))
        shown = QFontMetricsF(font).elidedText(words, Qt.TextElideMode.ElideLeft, line.width() * 0.55)
        painter.drawText(line, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, shown)
        return QFontMetricsF(font).horizontalAdvance(shown) + 3 * SPACE

    def _draw_name(self, painter: QPainter, room: QRectF, entry: Entry, places: tuple[int, ...]) -> None:
        """Letter by letter, so that those meant can be strong."""
        theme = current_theme()
        plain, strong = text_font(QFont()), text_font(QFont(), strong=True)
        painter.setPen(theme.colour("faint" if entry.why_not else "ink"))
        painter.setClipRect(room)
        x = room.left()
        for part, is_meant in _parts(entry.text, set(places)):
            font = strong if is_meant else plain
            painter.setFont(font)
            width = QFontMetricsF(font).horizontalAdvance(part)
            painter.drawText(QRectF(x, room.top(), width + 1, room.height()), Qt.AlignmentFlag.AlignVCenter, part)
            x += width


def _parts(text: str, places: set[int]) -> list[tuple[str, bool]]:
    """The text in pieces, with whether they were meant."""
    parts: list[tuple[str, bool]] = []
    for place, letter in enumerate(text):
        is_meant = place in places
        if parts and parts[-1][1] == is_meant:
            parts[-1] = (parts[-1][0] + letter, is_meant)
        else:
            parts.append((letter, is_meant))
    return parts
