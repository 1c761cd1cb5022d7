"""Paint thumbnails and placeholders for missing ones, sharp at any device pixel ratio."""

from collections import OrderedDict

from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QPainter, QPainterPath, QPen, QPixmap

from shrec_viewer.widgets.style.theme import THUMBNAIL_RADIUS, Theme

CACHE_BYTES = 16 * 2**20
"""Size of the cache of scaled thumbnails: three screens of cards of 128 pixels."""

HATCH_STEP = 8
"""Pixels between two stripes of the placeholder."""


class ThumbnailPainter:
    """Paints thumbnails fitted into boxes, with a least-recently-used cache of scaled ones.

    Parameters
    ----------
    max_bytes : size of the cache; None for `CACHE_BYTES`.
    """

    def __init__(self, max_bytes: int | None = None) -> None:
        self._max_bytes = CACHE_BYTES if max_bytes is None else max_bytes
        self._scaled: OrderedDict[tuple[int, int, int], QPixmap] = OrderedDict()
        self._bytes = 0

    def draw(self, painter: QPainter, box: QRectF, picture: QPixmap, theme: Theme, opacity: float = 1.0) -> None:
        """Draw `picture` centred in `box` on the neutral background, with its aspect ratio and this opacity.

        The thumbnails have rounded corners already, since a clip path would take most of the time of a repaint.
        """
        self.draw_background(painter, box, theme)
        ratio = painter.device().devicePixelRatio()
        target = QSize(round(box.width() * ratio), round(box.height() * ratio))
        scaled = self._fitted(picture, target, ratio)
        width, height = scaled.width() / ratio, scaled.height() / ratio
        left = box.left() + (box.width() - width) / 2
        top = box.top() + (box.height() - height) / 2
        painter.setOpacity(opacity)
        painter.drawPixmap(QPointF(round(left * ratio) / ratio, round(top * ratio) / ratio), scaled)
        painter.setOpacity(1.0)

    def draw_background(self, painter: QPainter, box: QRectF, theme: Theme) -> None:
        """Draw the neutral background of a thumbnail that is not rendered yet."""
        painter.fillPath(_rounded_path(box), theme.colour("picture"))

    def draw_missing(self, painter: QPainter, box: QRectF, reason: str, theme: Theme, font: QFont) -> None:
        """Draw a hatched placeholder with the reason why there is no thumbnail, if it fits."""
        self.draw_background(painter, box, theme)
        painter.save()
        painter.setClipPath(_rounded_path(box), Qt.ClipOperation.IntersectClip)
        painter.setPen(QPen(theme.colour("hatch"), 2))
        reach = int(box.width() + box.height())
        for step in range(0, reach, HATCH_STEP):
            painter.drawLine(QLineF(box.left() + step, box.top(), box.left() + step - box.height(), box.bottom()))
        painter.restore()
        _draw_reason(painter, box, reason, theme, font)

    def _fitted(self, picture: QPixmap, target: QSize, ratio: float) -> QPixmap:
        key = (picture.cacheKey(), target.width(), target.height())
        if key in self._scaled:
            self._scaled.move_to_end(key)
            return self._scaled[key]
        scaled = picture
        if picture.size() != target:
            scaled = picture.scaled(
                target, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
            )
        scaled = QPixmap(scaled)
        scaled.setDevicePixelRatio(ratio)
        self._scaled[key] = scaled
        self._bytes += _byte_count(scaled)
        while self._bytes > self._max_bytes and len(self._scaled) > 1:
            self._bytes -= _byte_count(self._scaled.popitem(last=False)[1])
        return scaled


def _byte_count(picture: QPixmap) -> int:
    """Memory of a pixmap in bytes."""
    return picture.width() * picture.height() * picture.depth() // 8


def _rounded_path(box: QRectF) -> QPainterPath:
    path = QPainterPath()
    path.addRoundedRect(box, THUMBNAIL_RADIUS, THUMBNAIL_RADIUS)
    return path


def _draw_reason(painter: QPainter, box: QRectF, reason: str, theme: Theme, font: QFont) -> None:
    inner = box.adjusted(6, 6, -6, -6)
    flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
    painter.setFont(font)
    text = painter.boundingRect(inner, flags, reason)
    if text.height() > inner.height() or text.width() > inner.width():
        text = painter.boundingRect(inner, flags, "no thumbnail")
        reason = "no thumbnail"
    if text.width() > inner.width() or text.height() > inner.height():
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.colour("picture"))
    painter.drawRoundedRect(text.adjusted(-4, -2, 4, 2), THUMBNAIL_RADIUS, THUMBNAIL_RADIUS)
    painter.setPen(theme.colour("muted"))
    painter.drawText(inner, flags, reason)
