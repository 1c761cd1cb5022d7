"""What a choice in the import dialog would do, in two sentences and the first ranks."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from shrec_viewer.numerals import listed
from shrec_viewer.viewmodels.import_jobs import Effect
from shrec_viewer.viewmodels.words import count_words
from shrec_viewer.widgets.icons import icon_pixmap
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

MARK = 16
"""Pixels of the mark before a problem."""

GLYPHS = ("○", "◐", "●")
"""For levels 0, 1 and above, as the badges of the cards have them; the number says the same."""


class EffectView(QWidget):
    """Says what reading a run in the chosen way gives."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = current_theme()
        self._mark, self.words, self.ranks = QLabel(), QLabel(), QLabel()
        self.words.setWordWrap(True)
        self.ranks.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.ranks.setProperty("muted", True)
        self.ranks.setWordWrap(True)
        line = QHBoxLayout()
        line.setSpacing(SPACE)
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(self.words, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * SPACE, 2 * SPACE, 3 * SPACE, 2 * SPACE)
        layout.setSpacing(SPACE)
        layout.addLayout(line)
        layout.addWidget(self.ranks)
        self.setMinimumHeight(3 * self.fontMetrics().height() + 6 * SPACE)  # so that nothing jumps while it is computed
        self.show_words("")
        self.set_theme(self._theme)

    def show_words(self, words: str) -> None:
        """Say only this."""
        self._mark.hide()
        self.words.setText(words)
        self.ranks.setText("")

    def show_problem(self, sentence: str) -> None:
        """Say why it cannot be read so."""
        self._mark.show()
        self._mark.setPixmap(icon_pixmap("error", self._theme.error, MARK, self.devicePixelRatioF()))
        self.words.setText(sentence)
        self.ranks.setText("")

    def show_effect(self, effect: Effect) -> None:
        """Say what it gives."""
        if effect.problem:
            self.show_problem(effect.problem)
            return
        self.show_words(effect_words(effect))
        self.ranks.setText(ranks_words(effect))

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self.words.setFont(text_font(self.font(), strong=True))


def effect_words(effect: Effect) -> str:
    """``"30 of 30 queries answered. Mean AP 0.412, now 0.397"``."""
    answered = f"{effect.answered:,} of {count_words(effect.asked, 'query', 'queries')} answered"
    if not effect.measure:
        return answered
    name = "MAP" if effect.measure == "AP" else f"Mean {effect.measure}"
    before, after = listed(effect.before), listed(effect.after)
    if before == after:
        return f"{answered}. {name} {after}, as it is read now"
    return f"{answered}. {name} {after}; as it is read now {before}"


def ranks_words(effect: Effect) -> str:
    """``"Q05 begins with N0876 ●2, N1599 ○0"``."""
    if not effect.query:
        return ""
    if not effect.first:
        return f"{effect.query} would have no list"
    full = 1 if effect.binary else 2
    models = ", ".join(f"{one.name} {GLYPHS[2 if one.level >= full else one.level]}{one.level}" for one in effect.first)
    return f"{effect.query} begins with {models}"
