"""Paint thumbnails and placeholders for missing ones, sharp at any device pixel ratio."""

from collections import OrderedDict

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPen, QPixmap

from shrec_viewer.widgets.style.theme import THUMBNAIL_RADIUS, Theme

CACHE_BYTES = 16 * 2**20
"""Of scaled pictures kept ready: three screens of cards of 128 pixels; most come in the size they are drawn in."""

HATCH_STEP = 8
"""Pixels between two stripes of a missing picture."""


class ThumbnailPainter:
    """Paints pictures fitted into boxes; keeps the scaled ones, newest used last.

    Parameters
    ----------
    most_bytes : of scaled pictures that are kept; None for `CACHE_BYTES`.
    """

    def __init__(self, most_bytes: int | None = None) -> None:
        self._most_bytes = CACHE_BYTES if most_bytes is None else most_bytes
        self._kept: OrderedDict[tuple[int, int, int], QPixmap] = OrderedDict()
        self._bytes = 0

    def draw(self, painter: QPainter, box: QRectF, picture: QPixmap, theme: Theme, opacity: float = 1.0) -> None:
        """Draw `picture` in the middle of `box` on the neutral ground, its proportions kept; with this opacity.

        Its corners are round already: a clip would take most of the time of a frame.
        """
        self.draw_ground(painter, box, theme)
        ratio = painter.device().devicePixelRatio()
        wanted = QSize(round(box.width() * ratio), round(box.height() * ratio))
        scaled = self._fitted(picture, wanted, ratio)
        width, height = scaled.width() / ratio, scaled.height() / ratio
        left = box.left() + (box.width() - width) / 2
        top = box.top() + (box.height() - height) / 2
        painter.setOpacity(opacity)
        painter.drawPixmap(QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio), scaled)
        painter.setOpacity(1.0)

    def draw_ground(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        """Draw the empty neutral ground: a picture that is still being made."""
        painter.fillPath(_rounded_path(box), theme.colour("picture"))

    def draw_missing(self, painter: QPainter, box: QRectF, reason: str, theme: Theme, font: QFont) -> None:
        """Draw a hatched place that says why there is no picture; the text is left out where it would not fit."""
        self.draw_ground(painter, box, theme)
        painter.save()
        painter.setClipPath(_rounded_path(box), Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(theme.colour("hatch"), 2))
        reach = int(box.width() + box.height())
        for step in range(0, reach, HATCH_STEP):
            painter.drawLine(QLineF(box.left() + step, box.top(), box.left() + step - box.height(), box.bottom()))
        painter.restore()
        _draw_reason(painter, box, reason, theme, font)

    def _fitted(self, picture: QPixmap, wanted: QSize, ratio: float) -> QPixmap:
        key = (picture.cacheKey(), wanted.width(), wanted.height())
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        scaled = picture
        if picture.size() != wanted:
            scaled = picture.scaled(
                wanted, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        scaled = QPixmap(scaled)
        scaled.setDevicePixelRatio(ratio)
        self._kept[key] = scaled
        self._bytes += _byte_count(scaled)
        while self._bytes > self._most_bytes and len(self._kept) > 1:  # those of a folder that was closed go as well
            self._bytes -= _byte_count(self._kept.popitem(last=False)[1])
        return scaled


def _byte_count(picture: QPixmap) -> int:
    """Bytes."""
    return picture.width() * picture.height() * picture.depth() // 8


def _rounded_path(box: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(box, THUMBNAIL_RADIUS, THUMBNAIL_RADIUS)
    return path


def _draw_reason(painter: QPainter, box: QRectF, reason: str, theme: Theme, font: QFont) -> None:
    room = box.adjusted(6, 6, -6, -6)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.setFont(font)
    text = painter.boundingRect(room, flags, reason)
    if text.height() > room.height() or text.width() > room.width():
        text = painter.boundingRect(room, flags, "no picture")
        reason = "no picture"
    if text.width() > room.width() or text.height() > room.height():
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("picture"))
    painter.drawRoundedRect(text.adjusted(-4, -2, 4, 2), THUMBNAIL_RADIUS, THUMBNAIL_RADIUS)
    painter.setPen(theme.colour("muted"))
    painter.drawText(room, flags, reason)
