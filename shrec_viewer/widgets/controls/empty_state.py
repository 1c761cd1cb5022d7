"""Placeholder for an empty panel: icon, title, sentence and an optional button."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from shrec_viewer.widgets.style.icons import icon_pixmap
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

ICON = 40
"""Edge of the icon in pixels."""

TEXT_WIDTH = 320
"""Longest line of the sentence in pixels: about 50 letters, easy to read."""


class EmptyState(QWidget):
    """Says why a pane is empty and what one can do.

    Parameters
    ----------
    icon : name of an icon in ``resources/icons``; "" for none.
    title : a few words, ``"No run selected"``.
    sentence : what to do, ``"Pick a run in the table to see its ranked list."``
    action : text of the button; "" for no button.

    Signals
    -------
    action_requested()
        The person pressed the button.
    """

    action_requested = Signal()

    def __init__(
        self, icon: str = "", title: str = "", sentence: str = "", action: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self._theme = current_theme()
        self._icon, self._title, self._sentence = QLabel(), QLabel(), QLabel()
        self._button = QPushButton()
        self._button.clicked.connect(self._emit_action)
        self._sentence.setWordWrap(True)
        self._sentence.setProperty("muted", True)
        column = QWidget()
        column.setMaximumWidth(TEXT_WIDTH)
        outer = QHBoxLayout(self)
        outer.addStretch(1)
        outer.addWidget(column, 100)
        outer.addStretch(1)
        layout = QVBoxLayout(column)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * SPACE)
        layout.addStretch(2)
        for part in (self._icon, self._title, self._sentence):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(self._icon)
        layout.addWidget(self._title)
        layout.addWidget(self._sentence)
        layout.addSpacing(SPACE)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignCenter)
        layout.addStretch(3)
        self.set_message(title, sentence, action)

    def set_message(self, title: str, sentence: str = "", action: str = "") -> None:
        """Show these texts; an empty one takes no room."""
        self._title.setText(title)
        self._sentence.setText(sentence)
        self._button.setText(action)
        self._sentence.setVisible(bool(sentence))
        self._button.setVisible(bool(action))
        self.setAccessibleName(f"{title}. {sentence}")
        self._dress()

    def set_icon(self, icon: str) -> None:
        """Show this icon of ``resources/icons``; "" for none."""
        self._icon_name = icon
        self._dress()

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._dress()

    def minimumSizeHint(self) -> QSize:
        """Qt override; a pane may be made small though its sentence is long."""
        return QSize(80, 60)

    def _dress(self) -> None:
        self._title.setFont(text_font(self.font(), 1.15, strong=True))
        self._icon.setVisible(bool(self._icon_name))
        if self._icon_name:
            ratio = self.devicePixelRatioF()
            self._icon.setPixmap(icon_pixmap(self._icon_name, self._theme.faint, ICON, ratio))

    def _emit_action(self) -> None:
        self.action_requested.emit()
