"""Non-modal messages with severity, details and an action, floating over the free end of the menu bar."""

from collections import deque
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal, Slot
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
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from shrec_viewer.widgets.controls.eliding import ElidingLabel
from shrec_viewer.widgets.style.icons import icon, icon_pixmap
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_theme, text_font

SEVERITIES = ("info", "warning", "error")

INFO_MS = 8000
"""Milliseconds an information stays: time to read two lines twice. Warnings and errors wait for the person."""

ICON_SIZE = 16
"""Pixels of the icon: the strip is no higher than a line of menus."""

MAX_WAITING = 50
"""Messages waiting at most; older ones fall out, the log has them all."""


@dataclass(frozen=True)
class Message:
    """One thing to tell."""

    severity: str
    text: str
    details: str = ""
    action: str = ""
    stays: bool = False


class MessageBar(QFrame):
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
        self._waiting: deque[Message] = deque(maxlen=MAX_WAITING)
        self._mark, self._text, self._more = QLabel(), ElidingLabel(), QLabel()
        self._action, self._expand, self._copy = QPushButton(), QPushButton(), QPushButton("Copy")
        self._close = QToolButton()
        self._details = QPlainTextEdit()
        self._expire = QTimer(self, interval=INFO_MS, singleShot=True)
        self._build()
        self._action.clicked.connect(self._emit_action)
        self._expand.clicked.connect(self._toggle_details)
        self._copy.clicked.connect(self._copy_text)
        self._close.clicked.connect(self._close_one)
        self._expire.timeout.connect(self._expire_newest)
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
    def remove_message(self, text: str) -> None:
        """Forget a message that holds no longer, wherever it waits; tells nobody."""
        kept = [message for message in self._waiting if message.text != text]
        if len(kept) < len(self._waiting):
            self._waiting = deque(kept, maxlen=MAX_WAITING)
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

    def focus_message(self) -> None:
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
        self._expand.setText("Details")
        self._expand.setCheckable(True)
        self._close.setToolTip("Dismiss")
        self._close.setAccessibleName("Dismiss")
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
        self._more.setText(f"+{behind} more")
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
        self._mark.setPixmap(icon_pixmap(severity, colour, ICON_SIZE, self.devicePixelRatioF()))
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
        self._remove_newest()
        if not self._waiting:
            self.dismissed.emit()

    @Slot()
    def _expire_newest(self) -> None:
        """Its time is over, unless the person is working in it."""
        focus = QApplication.focusWidget()
        if focus is not None and self.isAncestorOf(focus):
            self._expire.start()
        else:
            self._remove_newest()

    def _remove_newest(self) -> None:
        if self._waiting:
            self._waiting.pop()
        self._show_newest()

    def _emit_action(self) -> None:
        self.action_requested.emit(self._action.text())


MIN_FREE_WIDTH = 420
"""Pixels beside the menus that a message needs; where there are fewer it floats above the lower edge."""


class MessageArea(QWidget):
    """Holds strips side by side and lays itself over the free end of the menu bar, aligned to the right.

    A window whose menus are elsewhere (or take all the width) has its messages above the lower edge. Details unfold
    downwards, over what is there, until they are folded again.

    Signals
    -------
    changed()
        The number of messages is another one.
    """

    changed = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._strips: list[MessageBar] = []
        self._told = 0
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(SPACE)
        self._line.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setObjectName("message_shelf")
        window.installEventFilter(self)
        window.menuBar().installEventFilter(self)

    def add(self, strip: MessageBar) -> None:
        """Take a strip; those taken first stand at the right, where one looks first."""
        self._strips.append(strip)
        self._line.insertWidget(0, strip, 0, Qt.AlignmentFlag.AlignTop)
        strip.changed.connect(self._follow)
        self._place()

    def waiting(self) -> int:
        """Messages in all strips."""
        return sum(strip.waiting() for strip in self._strips)

    def focus_message(self) -> None:
        """Give the keys to the first message, and from one to the next when asked again."""
        shown = [strip for strip in self._strips if strip.waiting()]
        if not shown:
            return
        focus = self._window.focusWidget()
        inside = [place for place, strip in enumerate(shown) if focus is not None and strip.isAncestorOf(focus)]
        shown[(inside[0] + 1) % len(shown) if inside else 0].focus_message()

    def room(self) -> QRect:
        """The free end of the menu bar, in the window; empty where there is none."""
        bar = self._window.menuBar()
        if bar.isNativeMenuBar() or not bar.isVisibleTo(self._window):
            return QRect()
        ends = [bar.actionGeometry(action).right() for action in bar.actions() if action.isVisible()]
        left = max(ends, default=0) + 4 * SPACE
        free = QRect(bar.mapTo(self._window, QPoint(left, 0)), bar.rect().bottomRight() + bar.pos())
        return free.adjusted(0, 0, -SPACE, 0) if free.width() >= MIN_FREE_WIDTH else QRect()

    def event(self, event: QEvent) -> bool:
        """Qt override; a strip came, went, or says something longer."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return done

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override; the window has another size, or its menus other letters."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.FontChange, QEvent.Type.LayoutRequest):
            self._place()
        return super().eventFilter(watched, event)

    @Slot()
    def _follow(self) -> None:
        """At once: a message can be answered as soon as it is there."""
        self._place()
        if self._told != (told := self.waiting()):
            self._told = told
            self.changed.emit()

    def _place(self) -> None:
        wanted, free = self._line.sizeHint(), self.room()
        if not free.isEmpty():
            width = min(wanted.width(), free.width())
            top = free.top() + max(0, (free.height() - self._row()) // 2)
            self.setGeometry(free.right() - width + 1, top, width, wanted.height())
        else:
            window = self._window
            width = min(wanted.width(), window.width() - 4 * SPACE)
            below = window.statusBar().height() if window.statusBar().isVisibleTo(window) else 0
            top = window.height() - below - wanted.height() - 2 * SPACE
            self.setGeometry(window.width() - width - 2 * SPACE, top, width, wanted.height())
        self._line.activate()
        self.raise_()

    def _row(self) -> int:
        """Height of the strips without their details."""
        return max((strip.row_height() for strip in self._strips if not strip.isHidden()), default=0)
