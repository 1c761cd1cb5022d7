"""Progress bar with text and cancel button for running tasks."""

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QToolButton, QWidget

from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

SHOW_DELAY_MS = 400
"""Milliseconds before the bar appears; shorter tasks show none, to avoid flicker."""

BAR_WIDTH = 120
"""Width of the bar in pixels."""


class TaskProgressBar(QWidget):
    """Text, thin bar and cancel button in one line; hidden while no task runs.

    Signals
    -------
    cancel_requested()
        The button was pressed.
    details_requested()
        Text or bar was clicked.
    """

    cancel_requested = Signal()
    details_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = QLabel()
        self._text.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedSize(BAR_WIDTH, 6)
        self._cancel = QToolButton()
        self._cancel.setAutoRaise(True)
        self._cancel.setToolTip("Cancel")
        self._cancel.setAccessibleName("Cancel")
        self._cancel.clicked.connect(self.cancel_requested)
        self._show_timer = QTimer(self, interval=SHOW_DELAY_MS, singleShot=True)
        self._show_timer.timeout.connect(self.show)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._bar)
        layout.addWidget(self._cancel)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip("Show running tasks")
        self.set_theme(current_theme())
        self.hide()

    def set_progress(self, text: str, done: int, total: int) -> None:
        """Show progress; a total of 0 means unknown. The bar appears after `SHOW_DELAY_MS`."""
        self._bar.setRange(0, max(total, 0))
        self._bar.setValue(done)
        label = f"{text} {done:,} / {total:,}" if total > 0 else text
        self._text.setText(label)
        self._text.setMinimumWidth(min(self._text.sizeHint().width(), 2 * BAR_WIDTH))
        self.setAccessibleName(label)
        if self.isHidden() and not self._show_timer.isActive():
            self._show_timer.start()

    def set_idle(self) -> None:
        """Hide the bar."""
        self._show_timer.stop()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._cancel.setIcon(icon("close", theme, "muted"))
        self._cancel.setIconSize(QSize(16, 16))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit `details_requested`."""
        super().mouseReleaseEvent(event)
        self.details_requested.emit()
