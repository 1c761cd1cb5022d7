"""Princeton's image of tiers: queries downwards, models to the right, a dot where one retrieves the other early."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QImage, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from shrec_viewer.widgets.theme import SPACE, Theme, current_theme
from shrec_viewer.widgets.tips import titled

KINDS = 4
"""Values of a pixel: 0 neither tier, 1 second tier, 2 first tier, 3 nearest neighbour."""


class TierImage(QWidget):
    """Paints an image of tiers as large as its room, with the square of every class outlined.

    Signals
    -------
    resized()
        It has another size; whoever makes the image makes it anew.
    spot_picked(down, right)
        A click, as shares of height and width in [0, 1).
    spot_hovered(down, right)
        The mouse, in the same way; (-1, -1) when it leaves.
    """

    resized = Signal()
    spot_picked = Signal(float, float)
    spot_hovered = Signal(float, float)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._codes: NDArray[np.uint8] = np.zeros((0, 0), np.uint8)
        self._image = QImage()
        self._blocks: tuple[tuple[float, float, float, float], ...] = ()
        self._words = ""
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(self.tr("Image of tiers"))

    def set_image(self, codes: NDArray[np.uint8], blocks: Sequence[tuple[float, float, float, float]]) -> None:
        """Show (H, W) uint8 codes (see `KINDS`).

        Parameters
        ----------
        blocks : top, left, height, width of each class as shares of the whole: where a perfect run has its first tier.
        """
        self._codes, self._blocks = codes, tuple(blocks)
        self._colour()

    def set_words(self, words: str) -> None:
        """What the tool tip says about the spot under the mouse."""
        self._words = words

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._colour()

    @property
    def room(self) -> QSize:
        """Device pixels that the image can use."""
        ratio = self.devicePixelRatioF()
        box = self._box()
        return QSize(round(box.width() * ratio), round(box.height() * ratio))

    @staticmethod
    def colours(theme: Theme) -> tuple[QColor, ...]:
        """Colours of the codes 0 to 3."""
        half = 0.45 if theme.name == "light" else 0.4
        ground, accent = theme.colour("surface"), theme.colour("accent")
        pairs = ((ground.redF(), accent.redF()), (ground.greenF(), accent.greenF()), (ground.blueF(), accent.blueF()))
        second = QColor.fromRgbF(*(one + (other - one) * half for one, other in pairs))
        return ground, second, accent, theme.colour("ink")

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(360, 360)

    def resizeEvent(self, event: QEvent) -> None:
        """Qt override."""
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.colour("surface"))
        if self._image.isNull():
            return
        box = self._box()
        painter.drawImage(box, self._image)
        painter.setPen(QPen(self._theme.colour("line_strong", 0.7), 1))
        for top, left, height, width in self._blocks:
            painter.drawRect(
                QRectF(
                    box.left() + left * box.width(), box.top() + top * box.height(), width * box.width(),
                    height * box.height(),
                )
            )  # fmt: skip
        painter.setPen(self._theme.colour("line"))
        painter.drawRect(box)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        self.spot_hovered.emit(*self._share(event.position().toPoint()))

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        self.spot_hovered.emit(-1.0, -1.0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Qt override."""
        down, right = self._share(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and down >= 0:
            self.spot_picked.emit(down, right)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Qt override; the press said it all."""
        event.accept()

    def event(self, event: QEvent) -> bool:
        """Qt override."""
        if isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), titled(self._words) if self._words else "", self)
            return True
        return super().event(event)

    def _box(self) -> QRectF:
        return QRectF(self.rect()).adjusted(2 * SPACE, SPACE, -2 * SPACE - 1, -SPACE - 1)

    def _share(self, point: QPoint) -> tuple[float, float]:
        box = self._box()
        if not box.contains(point) or not box.width() or not box.height():
            return -1.0, -1.0
        down, right = (point.y() - box.top()) / box.height(), (point.x() - box.left()) / box.width()
        return min(down, 1 - 1e-9), min(right, 1 - 1e-9)

    def _colour(self) -> None:
        height, width = self._codes.shape
        if not height or not width:
            self._image = QImage()
        else:
            table = np.array([colour.getRgb() for colour in self.colours(self._theme)], np.uint8)
            pixels = np.ascontiguousarray(table[np.minimum(self._codes, KINDS - 1)])
            self._image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
        self.update()
