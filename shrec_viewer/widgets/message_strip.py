"""A strip that tells of something without stopping anyone: severity, one line, the rest on demand."""

from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QEnterEvent,
    QGuiApplication,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.cut_line import CutLine
from shrec_viewer.widgets.icons import icon, icon_pixmap
from shrec_viewer.widgets.theme import RADIUS, SPACE, Theme, current_theme, text_font

SEVERITIES = ("info", "warning", "error")

INFO_MS = 8000
"""Milliseconds an information stays: time to read two lines twice. Warnings and errors wait for the person."""

MARK = 16
"""Pixels of the icon: the strip is no higher than a line of menus."""

KEPT = 50
"""Messages waiting at most; older ones fall out, the log has them all."""


@dataclass(frozen=True)
class Message:
    """One thing to tell."""

    severity: str
    text: str
    details: str = ""
    action: str = ""
    stays: bool = False


class MessageStrip(QFrame):
    """Shows the newest message and how many wait behind it; hidden while there is none.

    It is one line high; what does not fit is among the details. Esc closes the message while the strip has the keys.
    An information that is pointed at, or has the keys, stays: whoever reads slowly loses nothing.

    Signals
    -------
    changed()
        It shows another message, or none.
    dismissed()
        The person closed the last message.
    action_requested(str)
        The person pressed the message's button; its text.
    """

    changed = Signal()
    dismissed = Signal()
    action_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message_strip")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = current_theme()
        self._waiting: deque[Message] = deque(maxlen=KEPT)
        self._mark, self._text, self._more = QLabel(), CutLine(), QLabel()
        self._action, self._expand, self._copy = QPushButton(), QPushButton(), QPushButton(self.tr("Copy"))
        self._close = QToolButton()
        self._details = QPlainTextEdit()
        self._expire = QTimer(self, interval=INFO_MS, singleShot=True)
        self._build()
        self._action.clicked.connect(self._tell_action)
        self._expand.clicked.connect(self._toggle_details)
        self._copy.clicked.connect(self._copy_text)
        self._close.clicked.connect(self._close_one)
        self._expire.timeout.connect(self._end_newest)
        self.hide()

    def show_message(
        self, severity: str, text: str, details: str = "", action: str = "", *, stays: bool = False
    ) -> None:
        """Show a message before all others.

        Parameters
        ----------
        severity : ``"info"`` (goes away by itself), ``"warning"`` or ``"error"``.
        text : a sentence: what happened and what one can do.
        details : any length, shown when the person asks.
        action : text of a button; "" for none.
        stays : until the person answers or closes it, whatever its severity: it asks something.

        Raises
        ------
        ValueError
            For any other severity.
        """
        if severity not in SEVERITIES:
            raise ValueError(f"a severity is one of {', '.join(SEVERITIES)}, not {severity!r}")
        message = Message(severity, text, details, action, stays)
        if message in self._waiting:
            self._waiting.remove(message)
        self._waiting.append(message)
        self._show_newest()
        self._announce(message)

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

    def row_height(self) -> int:
        """Pixels of the line, without the details below it."""
        return self._line.sizeHint().height() + 2

    def take_keys(self) -> None:
        """Give the keys to the message: to its action, else to what closes it."""
        buttons = (self._action, self._expand, self._close)
        next(button for button in buttons if not button.isHidden()).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self._theme = theme
        self._dress()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Qt override."""
        if event.key() == Qt.Key.Key_Escape:
            self._close_one()
            return
        super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Qt override."""
        super().enterEvent(event)
        self._expire.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Qt override."""
        super().leaveEvent(event)
        self._start_expiry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._offer_details()

    def _build(self) -> None:
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._expand.setText(self.tr("Details"))
        self._expand.setCheckable(True)
        self._close.setToolTip(self.tr("Dismiss"))
        self._close.setAccessibleName(self.tr("Dismiss"))
        self._close.setAutoRaise(True)
        self._details.setReadOnly(True)
        self._details.setMaximumHeight(160)
        line = self._line = QHBoxLayout()
        line.setSpacing(2 * SPACE)
        line.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self._text, 1)
        for part in (self._more, self._action, self._expand, self._close):
            line.addWidget(part, 0, Qt.AlignmentFlag.AlignVCenter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 0, SPACE, 0)
        layout.setSpacing(0)
        layout.addLayout(line)
        layout.addWidget(self._details)
        layout.addWidget(self._copy, 0, Qt.AlignmentFlag.AlignRight)

    def _show_newest(self) -> None:
        self._expire.stop()
        message = self.current()
        if message is None:
            self.hide()
        else:
            self._show(message)
        self.changed.emit()

    def _show(self, message: Message) -> None:
        self._text.setText(message.text)
        self._expand.setChecked(False)
        self._toggle_details()
        self._action.setText(message.action)
        self._action.setVisible(bool(message.action))
        behind = len(self._waiting) - 1
        self._more.setText(self.tr("+{n} more").format(n=behind))
        self._more.setVisible(behind > 0)
        self._more.setToolTip("\n".join(waiting.text for waiting in list(self._waiting)[-2::-1]))
        self.setAccessibleName(message.text)
        self._dress()
        self._text.updateGeometry()
        self._offer_details()
        self.show()
        self._start_expiry()

    def _start_expiry(self) -> None:
        message = self.current()
        if message is not None and message.severity == "info" and not message.stays and not self.underMouse():
            self._expire.start()

    def _offer_details(self) -> None:
        """Details are what was told as such, and what of the text is cut."""
        message = self.current()
        if message is None:
            return
        parts = [message.text] if self._text.is_cut() else []
        self._details.setPlainText("\n\n".join([*parts, *([message.details] if message.details else [])]))
        offered = bool(parts or message.details)
        self._expand.setVisible(offered)

    def _announce(self, message: Message) -> None:
        """Let screen readers say it at once; an error may interrupt what they are saying."""
        event = QAccessibleAnnouncementEvent(self, message.text)
        ways = QAccessible.AnnouncementPoliteness
        event.setPoliteness(ways.Assertive if message.severity == "error" else ways.Polite)
        QAccessible.updateAccessibility(event)

    def _dress(self) -> None:
        message = self.current()
        severity = message.severity if message else "info"
        colour = getattr(self._theme, severity)
        ground = getattr(self._theme, f"{severity}_ground")
        self.setStyleSheet(
            f"#message_strip {{ background: {ground}; "
            f"border: 1px solid {colour}; border-left: 3px solid {colour}; border-radius: {RADIUS}px; }}"
            "#message_strip QPushButton { padding: 1px 8px; } #message_strip QToolButton { padding: 1px; }"
        )
        self._mark.setPixmap(icon_pixmap(severity, colour, MARK, self.devicePixelRatioF()))
        self._more.setFont(text_font(self.font(), 0.92))
        self._close.setIcon(icon("close", self._theme))
        self._close.setIconSize(QSize(16, 16))

    def _toggle_details(self) -> None:
        for piece in (self._details, self._copy):
            piece.setVisible(self._expand.isChecked())

    def _copy_text(self) -> None:
        message = self.current()
        if message is not None:
            QGuiApplication.clipboard().setText(f"{message.text}\n\n{message.details}".rstrip())

    def _close_one(self) -> None:
        self._drop_newest()
        if not self._waiting:
            self.dismissed.emit()

    @Slot()
    def _end_newest(self) -> None:
        """Its time is over, unless the person is working in it."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._expire.start()
        else:
            self._drop_newest()

    def _drop_newest(self) -> None:
        if self._waiting:
            self._waiting.pop()
        self._show_newest()

    def _tell_action(self) -> None:
        self.action_requested.emit(self._action.text())
