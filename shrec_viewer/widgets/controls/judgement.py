"""Buttons of a judgement, with their keys and what they would change."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QStyleOptionFocusRect, QWidget

from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, set_tooltip
from shrec_viewer.widgets.style.painted import SMOOTH
from shrec_viewer.widgets.style.text import CENTRE, LEFT, draw_text, measured_font, put_text
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_theme

#: Height in pixels, unless two lines of text need more.
JUDGEMENT_HEIGHT = 44

#: Width of the box with the key relative to the height of a line.
KEY_WIDTH = 1.5

#: Smallest width of the text in characters; longer texts are shortened, and are in the tooltip.
MIN_CHARACTERS = 6


class JudgementButton(QAbstractButton):
    """Button with a key in a box, a title, and below it a line of what the value would change.

    Parameters
    ----------
    key : text of the key, ``"0"``.
    """

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.key = key
        self.title = self.effect = self._short_effect = ""
        self.is_suggested = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def set_texts(self, title: str, effect: str = "", short_effect: str = "", *, suggested: bool = False) -> None:
        """Show a title and an effect, in the tooltip in full; the suggested value has an outline."""
        self.title = title
        self.setText(escape_mnemonic(title))
        self.effect, self._short_effect, self.is_suggested = effect, short_effect or effect, suggested
        set_tooltip(self, f"{title}: {effect} ({self.key})" if effect else f"{title} ({self.key})")
        self.setAccessibleName(title)
        self.setAccessibleDescription(effect)
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override: the size hint depends on the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Height of two lines; the width is shared by the buttons of a row."""
        bold, small = measured_font(self.font(), bold=True), measured_font(self.font(), 0.92)
        height = max(JUDGEMENT_HEIGHT, round(bold.height + small.height) + 2 * SPACE)
        width = bold.height * KEY_WIDTH + 4 * SPACE + MIN_CHARACTERS * bold.metrics.averageCharWidth()
        return QSize(round(width), height)

    def minimumSizeHint(self) -> QSize:
        """Qt override."""
        return self.sizeHint()

    @property
    def shown_texts(self) -> tuple[str, str]:
        """Title and effect as far as whole clauses of them fit into a line; a longer title takes both lines."""
        width = self._text_box().width()
        bold, small = (
            font.metrics for font in (measured_font(self.font(), bold=True), measured_font(self.font(), 0.92))
        )

        def first_fitting(texts: tuple[str, ...], metrics: QFontMetricsF) -> str | None:
            return next((text for text in texts if metrics.horizontalAdvance(text) <= width), None)

        name = self.title.partition(" · ")[0]
        if (title := first_fitting((self.title, name), bold)) is None:
            return name, ""
        return title, first_fitting((self._short_effect, self._short_effect.partition("; ")[0], ""), small) or ""

    def _text_box(self) -> QRectF:
        edge = measured_font(self.font(), bold=True).height * KEY_WIDTH
        return QRectF(self.rect()).adjusted(edge + 4 * SPACE + 1, 1, -2 * SPACE - 1, -1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Qt override."""
        theme, painter = current_theme(), QPainter(self)
        painter.setRenderHints(SMOOTH)
        bold, small = measured_font(self.font(), bold=True), measured_font(self.font(), 0.92)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        is_hovered = self.underMouse() or self.isDown()
        token = "selection" if self.is_suggested else "hover_strong" if is_hovered else "sunken"
        painter.setBrush(theme.colour(token))
        painter.setPen(QPen(theme.colour("accent"), 2) if self.is_suggested else Qt.PenStyle.NoPen)
        painter.drawRoundedRect(box, RADIUS, RADIUS)
        edge = bold.height * KEY_WIDTH
        key = QRectF(box.left() + 2 * SPACE, box.center().y() - edge / 2, edge, edge)
        painter.setPen(QPen(theme.colour("line"), 1))
        painter.setBrush(theme.colour("surface"))
        painter.drawRoundedRect(key, RADIUS / 2, RADIUS / 2)
        put_text(painter, key, self.key, theme.colour("ink"), CENTRE, font=self.font())
        text = self._text_box()
        title, effect = self.shown_texts
        if not effect:
            put_text(painter, text, title, theme.colour("ink"), LEFT | Qt.TextFlag.TextWordWrap, font=bold.font)
        else:
            top = QRectF(text.left(), box.center().y() - bold.height, text.width(), bold.height)
            draw_text(painter, top, title, bold, theme.colour("ink"))
            below = QRectF(text.left(), box.center().y(), text.width(), small.height)
            draw_text(painter, below, effect, small, theme.colour("muted"))
        if self.hasFocus():
            option = QStyleOptionFocusRect()
            option.initFrom(self)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)
        painter.end()
