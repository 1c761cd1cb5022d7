"""The line beside an image of tiers that says what its colours and squares mean."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font
from shrec_viewer.widgets.tier_image import TierImage

WORDS = ("nearest", "1st tier", "2nd tier")
"""Of the colours, from the darkest to the palest; short, so that the words for the axes have room beside them."""

LONG = "nearest neighbour, first tier, second tier, squares: models of the class of the query"
"""The same for who asks."""

SWATCH = 10
"""Pixels of the side of a swatch."""

GAP = 3 * SPACE
"""Pixels between two entries."""


class TierKey(QWidget):
    """Swatches with words. Where there is no room for all, words are left out from the right; the tool tip has them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(self.tr("Colours"))
        self.setAccessibleDescription(self.tr(LONG))
        self.setToolTip(self.tr("From dark to pale: {words}").format(words=self.tr(LONG)))

    def words(self) -> tuple[str, ...]:
        """What is explained: three colours, then the outline."""
        return (*(self.tr(word) for word in WORDS), self.tr("its class"))

    def shown(self) -> list[str]:
        """The words for which there is room, "" where there is none."""
        words, metrics = list(self.words()), QFontMetricsF(self._font())
        widths = [metrics.horizontalAdvance(word) + SPACE for word in words]
        for place in reversed(range(len(words))):
            if sum(widths) + self._swatches() <= self.width():
                break
            words[place], widths[place] = "", 0.0
        return words

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """Qt override."""
        metrics = QFontMetricsF(self._font())
        words = sum(metrics.horizontalAdvance(word) + SPACE for word in self.words())
        return QSize(round(words + self._swatches()) + 1, round(metrics.height()) + SPACE)

    def minimumSizeHint(self) -> QSize:
        """Qt override; the words may be left out."""
        return QSize(round(self._swatches()), self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.setFont(self._font())
        _, second, first, nearest = TierImage.colours(self._theme)
        left, top, metrics = 0.0, (self.height() - SWATCH) / 2, QFontMetricsF(self._font())
        for colour, word in zip((nearest, first, second, None), self.shown(), strict=True):
            swatch = QRectF(left, top, SWATCH, SWATCH)
            if colour is not None:
                painter.fillRect(swatch, colour)
            else:
                painter.setPen(self._theme.colour("line_strong"))
                painter.drawRect(swatch.adjusted(0.5, 0.5, -0.5, -0.5))
            left += SWATCH + SPACE
            painter.setPen(self._theme.colour("muted"))
            box = QRectF(left, 0, metrics.horizontalAdvance(word) + 1, self.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, word)
            left += (metrics.horizontalAdvance(word) if word else -SPACE) + GAP

    def _swatches(self) -> float:
        return (len(WORDS) + 1) * (SWATCH + GAP) - GAP

    def _font(self) -> QFont:
        return text_font(self.font(), 0.92)
