"""Placeholder for an empty panel: icon, title, text and an optional button."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from shrec_viewer.widgets.style.icons import icon_pixmap
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme, text_font

ICON = 40
"""Size of the icon in pixels."""

TEXT_WIDTH = 320
"""Maximum width of the text in pixels: about 50 characters."""


class EmptyState(QWidget):
    """Placeholder that says why a panel is empty and what to do.

    Parameters
    ----------
    icon : a key of `GLYPHS`; "" for none.
    title : ``"No run selected"``.
    text : what to do, ``"Select a run in the table to see its ranked list."``
    action : text of the button; "" for no button.

    Signals
    -------
    action_requested()
        The button was pressed.
    """

    action_requested = Signal()

    def __init__(
        self, icon: str = "", title: str = "", text: str = "", action: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon_name = icon
        self._theme = current_theme()
        self._icon, self._title, self._text = QLabel(), QLabel(), QLabel()
        self._button = QPushButton()
        self._button.clicked.connect(self.action_requested)
        self._text.setWordWrap(True)
        self._text.setProperty("muted", True)
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
        for part in (self._icon, self._title, self._text):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
        layout.addWidget(self._icon)
        layout.addWidget(self._title)
        layout.addWidget(self._text)
        layout.addSpacing(SPACE)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignCenter)
        layout.addStretch(3)
        self.set_message(title, text, action)

    def set_message(self, title: str, text: str = "", action: str = "") -> None:
        """Show these texts; empty ones take no space."""
        self._title.setText(title)
        self._text.setText(text)
        self._button.setText(action)
        self._text.setVisible(bool(text))
        self._button.setVisible(bool(action))
        self.setAccessibleName(f"{title}. {text}")
        self._update_style()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._theme = theme
        self._update_style()

    def minimumSizeHint(self) -> QSize:
        """Smaller than the texts, so that a panel can be made small."""
        return QSize(80, 60)

    def _update_style(self) -> None:
        self._title.setFont(text_font(self.font(), 1.15, bold=True))
        self._icon.setVisible(bool(self._icon_name))
        if self._icon_name:
            ratio = self.devicePixelRatioF()
            self._icon.setPixmap(icon_pixmap(self._icon_name, self._theme.faint, ICON, ratio))
