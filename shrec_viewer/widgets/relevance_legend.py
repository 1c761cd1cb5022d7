"""One line that says what the frames and badges of cards mean."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from shrec_viewer.widgets.relevance_mark import UNJUDGED, Mark, badge_width, draw_badge, level_mark, query_mark
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

WORDS = {3: "most relevant", 2: "highly relevant", 1: "marginally", 0: "not"}
"""Of a truth with degrees; levels above 3 look like 3."""

BINARY_WORDS = {1: "relevant", 0: "not"}
"""Of a truth that knows one degree only."""

GAP = 3 * SPACE
"""Pixels between two entries."""

Entry = tuple[Mark, str]


class RelevanceLegend(QWidget):
    """Badges with words, highest level first: ``● 2 highly relevant  ◐ 1 marginally  ○ 0 not  Q query``.

    Where there is no room for all the words it leaves out those of the last entries first, never a badge; the tool tip
    has them all.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._levels: tuple[int, ...] = ()
        self._preset = "ordinal"
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.set_levels(())

    def set_levels(self, levels: Sequence[int]) -> None:
        """Explain these levels, in any order; -1 for what nobody judged.

        Level 0 is always explained where there is another one. A truth whose only degree is 1 says "relevant", as its
        cards do. Without levels nothing but the query is marked.
        """
        known = {level for level in levels if level >= 0}
        if known:
            known.add(0)
        unjudged = (UNJUDGED,) if any(level < 0 for level in levels) else ()
        self._levels = (*sorted(known, reverse=True), *unjudged)
        words = ", ".join(f"{mark.text} {text}" for mark, text in self._entries())
        self.setToolTip(words)
        self.setAccessibleName(self.tr("Relevance: {words}").format(words=words))
        self.updateGeometry()
        self.update()

    def set_preset(self, preset: str) -> None:
        """Show the marks of this preset of `render.palette.PRESETS`."""
        self._preset = preset
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.update()

    def words(self, width: int | None = None) -> list[str]:
        """What stands beside each badge in a legend of this width, "" where there is no room for it."""
        entries = self._entries()
        room = self.width() if width is None else width
        shown = [text for _, text in entries]
        metrics, badge_font = QFontMetricsF(self._font()), self._badge_font()
        taken = sum(badge_width(mark, badge_font) + GAP for mark, _ in entries) - GAP
        widths = [metrics.horizontalAdvance(text) + SPACE for text in shown]
        for place in reversed(range(len(shown))):
            if taken + sum(widths) <= room:
                break
            shown[place], widths[place] = "", 0.0
        return shown

    def sizeHint(self) -> QSize:
        """Qt override; as wide as all words."""
        metrics, badge_font = QFontMetricsF(self._font()), self._badge_font()
        width = sum(
            badge_width(mark, badge_font) + SPACE + metrics.horizontalAdvance(text) + GAP
            for mark, text in self._entries()
        )
        return QSize(round(width) + 1, round(metrics.height()) + 2 * SPACE)

    def minimumSizeHint(self) -> QSize:
        """Qt override; as wide as the badges."""
        badges = sum(badge_width(mark, self._badge_font()) + GAP for mark, _ in self._entries())
        return QSize(round(badges), self.sizeHint().height())

    def changeEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.TextAntialiasing)
        font, badge_font = self._font(), self._badge_font()
        metrics, height = QFontMetricsF(font), QFontMetricsF(badge_font).height()
        left, middle = 0.0, self.height() / 2
        for (mark, _), text in zip(self._entries(), self.words(), strict=True):
            width = badge_width(mark, badge_font)
            draw_badge(painter, QRectF(left, middle - height / 2, width, height), mark, badge_font)
            left += width
            if text:
                room = QRectF(left + SPACE, 0, metrics.horizontalAdvance(text) + 1, self.height())
                painter.setFont(font)
                painter.setPen(self._theme.colour("muted"))
                painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
                left += SPACE + metrics.horizontalAdvance(text)
            left += GAP

    def _font(self) -> QFont:
        return text_font(self.font(), 0.92)

    def _badge_font(self) -> QFont:
        return text_font(self.font(), 0.85, strong=True)

    def _entries(self) -> list[Entry]:
        is_binary = max(self._levels, default=0) == 1
        words = BINARY_WORDS if is_binary else WORDS
        entries = [
            (level_mark(level, self._theme, self._preset, binary=is_binary), self._word(words, level))
            for level in self._levels
        ]
        return [*entries, (query_mark(self._theme), self.tr("query"))]

    def _word(self, words: dict[int, str], level: int) -> str:
        return self.tr("unjudged") if level == UNJUDGED else self.tr(words[min(level, max(words))])
