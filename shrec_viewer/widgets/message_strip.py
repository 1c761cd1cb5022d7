"""A strip that tells of something without stopping anyone: severity, one line, details on demand."""

from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.icons import icon, icon_pixmap
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme, text_font

SEVERITIES = ("info", "warning", "error")

INFO_MS = 8000
"""Milliseconds an information stays: time to read two lines twice. Warnings and errors wait for the person."""

KEPT = 50
"""Messages waiting at most; older ones fall out, the log has them all."""


@dataclass(frozen=True)
class Message:
    """One thing to tell."""

    severity: str
    text: str
    details: str = ""
    action: str = ""


class MessageStrip(QFrame):
    """Shows the newest message and how many wait behind it; hidden while there is none.

    Signals
    -------
    dismissed()
        The person closed the last message.
    action_requested(str)
        The person pressed the message's button; its text.
    """

    dismissed = Signal()
    action_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message_strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = current_theme()
        self._waiting: deque[Message] = deque(maxlen=KEPT)
        self._mark, self._text, self._more = QLabel(), QLabel(), QLabel()
        self._action, self._expand, self._copy = QPushButton(), QPushButton(), QPushButton(self.tr("Copy"))
        self._close = QToolButton()
        self._details = QPlainTextEdit()
        self._expire = QTimer(self, interval=INFO_MS, singleShot=True)
        self._build()
        self._action.clicked.connect(self._tell_action)
        self._expand.clicked.connect(self._toggle_details)
        self._copy.clicked.connect(self._copy_text)
        self._close.clicked.connect(self._close_one)
        self._expire.timeout.connect(self._drop_newest)
        self.hide()

    def show_message(self, severity: str, text: str, details: str = "", action: str = "") -> None:
        """Show a message before all others.

        Parameters
        ----------
        severity : ``"info"`` (goes away by itself), ``"warning"`` or ``"error"``.
        text : a sentence: what happened and what one can do.
        details : any length, shown when the person asks.
        action : text of a button; "" for none.

        Raises
        ------
        ValueError
            For any other severity.
        """
        if severity not in SEVERITIES:
            raise ValueError(f"a severity is one of {', '.join(SEVERITIES)}, not {severity!r}")
        message = Message(severity, text, details, action)
        if message in self._waiting:
            self._waiting.remove(message)
        self._waiting.append(message)
        self._show_newest()

    @Slot(str)
    def take_back(self, text: str) -> None:
        """Forget a message that holds no longer, wherever it waits; tells nobody."""
        kept = [message for message in self._waiting if message.text != text]
        if len(kept) < len(self._waiting):
            self._waiting = deque(kept, maxlen=KEPT)
            self._show_newest()

    def dismiss(self) -> None:
        """Forget all messages and hide; tells nobody."""
        self._waiting.clear()
        self._show_newest()

    def current(self) -> Message | None:
        """The message on screen."""
        return self._waiting[-1] if self._waiting else None

    def waiting(self) -> int:
        """Number of messages, the one on screen included."""
        return len(self._waiting)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._dress()

    def _build(self) -> None:
        self._text.setWordWrap(True)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._expand.setText(self.tr("Details"))
        self._expand.setCheckable(True)
        self._close.setToolTip(self.tr("Dismiss"))
        self._close.setAccessibleName(self.tr("Dismiss"))
        self._close.setAutoRaise(True)
        self._details.setReadOnly(True)
        self._details.setMaximumHeight(160)
        line = QHBoxLayout()
        line.setSpacing(2 * SPACE)
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self._text, 1)
        for part in (self._more, self._action, self._expand, self._copy, self._close):
            line.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(3 * SPACE, SPACE, 2 * SPACE, SPACE)
        layout.setSpacing(SPACE)
        layout.addLayout(line)
        layout.addWidget(self._details)

    def _show_newest(self) -> None:
        self._expire.stop()
        message = self.current()
        if message is None:
            self.hide()
            return
        self._text.setText(message.text)
        self._details.setPlainText(message.details)
        self._details.hide()
        self._expand.setChecked(False)
        self._expand.setVisible(bool(message.details))
        self._copy.setVisible(bool(message.details))
        self._action.setText(message.action)
        self._action.setVisible(bool(message.action))
        behind = len(self._waiting) - 1
        self._more.setText(self.tr("+{n} more").format(n=behind))
        self._more.setVisible(behind > 0)
        self.setAccessibleName(message.text)
        self._dress()
        self.show()
        if message.severity == "info":
            self._expire.start()

    def _dress(self) -> None:
        message = self.current()
        severity = message.severity if message else "info"
        colour = getattr(self._theme, severity)
        ground = getattr(self._theme, f"{severity}_ground")
        self.setStyleSheet(f"#message_strip {{ background: {ground}; border: none; border-left: 3px solid {colour}; }}")
        self._mark.setPixmap(icon_pixmap(severity, colour, 20, self.devicePixelRatioF()))
        self._more.setFont(text_font(self.font(), 0.92))
        self._close.setIcon(icon("close", self._theme))
        self._close.setIconSize(QSize(16, 16))

    def _toggle_details(self) -> None:
        self._details.setVisible(self._expand.isChecked())

    def _copy_text(self) -> None:
        message = self.current()
        if message is not None:
            QGuiApplication.clipboard().setText(f"{message.text}\n\n{message.details}")

    def _close_one(self) -> None:
        self._drop_newest()
        if not self._waiting:
            self.dismissed.emit()

    def _drop_newest(self) -> None:
        if self._waiting:
            self._waiting.pop()
        self._show_newest()

    def _tell_action(self) -> None:
        self.action_requested.emit(self._action.text())
