"""Non-modal messages at the left end of the status bar, and the progress bar of running tasks."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QEnterEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QMainWindow,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from shrec_viewer.widgets.controls.controls import ElidingLabel
from shrec_viewer.widgets.controls.layouts import column_of, row_of
from shrec_viewer.widgets.controls.plain_text import PlainLabel, escape_mnemonic, set_tooltip, without_mnemonic
from shrec_viewer.widgets.style.theme import RADIUS, SPACE, Theme, current_theme, icon, icon_pixmap, text_font

SEVERITIES = ("info", "warning", "error")

#: Milliseconds after which an info message closes: time to read two lines twice. Warnings and errors stay.
INFO_MS = 8000

#: Size of the icon in pixels: the message bar is as high as the status bar.
ICON_SIZE = 16

#: Maximum number of messages; a further one replaces the oldest.
MAX_MESSAGES = 3


@dataclass(frozen=True)
class Message:
    """A message; see `MessageBar.show_message`."""

    severity: str
    text: str
    details: str = ""
    action: str = ""
    persistent: bool = False
    topic: str = ""


class MessageBar(QFrame):
    """Bar with the newest message and a button for the older ones; hidden while there is none.

    A `MessageArea` shows one of several bars, in which it counts the messages of all. One line high; text that does
    not fit is in the details. Esc closes the message while the bar has the focus. An info message stays open while the
    mouse is over it or it has the focus.

    Signals
    -------
    changed()
        Another message is shown, or none.
    added()
        A message was added; emitted before `changed`.
    dismissed()
        The last message was closed by the user.
    action_requested(str, str)
        The button of the message was pressed; its text and the topic of the message.
    next_requested()
        The button for the other messages was pressed.
    """

    changed = Signal()
    added = Signal()
    dismissed = Signal()
    action_requested = Signal(str, str)
    next_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message_bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._messages: deque[Message] = deque(maxlen=MAX_MESSAGES)
        self._mark, self._text, self._more = PlainLabel(), ElidingLabel(), QToolButton()
        self._action, self._expand, self._copy = QPushButton(), QPushButton(), QPushButton("Copy")
        self._close = QToolButton()
        self._details = QPlainTextEdit()
        self._expiry_timer = QTimer(self, interval=INFO_MS, singleShot=True)
        self._build()
        self._more.clicked.connect(self.next_requested)
        self._action.clicked.connect(self._emit_action)
        self._expand.clicked.connect(self._toggle_details)
        self._copy.clicked.connect(self._copy_text)
        self._close.clicked.connect(self._close_one)
        self._expiry_timer.timeout.connect(self._expire_newest)
        self.hide()

    def show_message(
        self,
        severity: str,
        text: str,
        details: str = "",
        action: str = "",
        *,
        persistent: bool = False,
        topic: str = "",
    ) -> None:
        """Show a message in front of all others.

        Parameters
        ----------
        severity : ``"info"`` (closes after `INFO_MS`), ``"warning"`` or ``"error"``.
        text : what happened and what to do.
        details : text of any length, shown on request.
        action : text of a button; "" for none.
        persistent : do not close an info message automatically, because it requires a decision.
        topic : what the message is about; it replaces earlier messages on the same topic. "" for none.

        Raises
        ------
        ValueError
            For any other severity.
        """
        if severity not in SEVERITIES:
            raise ValueError(f"a severity is one of {', '.join(SEVERITIES)}, not {severity!r}")
        message = Message(severity, text, details, action, persistent, topic)
        # A repeated message moves to the front instead of filling the three slots.
        others = [other for other in self._messages if other != message and not (topic and other.topic == topic)]
        self._messages = deque([*others, message], maxlen=MAX_MESSAGES)
        self.added.emit()
        self._show_newest()
        self._announce(message)

    @Slot(str)
    def remove_message(self, text: str) -> None:
        """Remove the messages with this text; does not emit `dismissed`."""
        self._keep([message for message in self._messages if message.text != text])

    def remove_topic(self, topic: str) -> None:
        """Remove the messages on a topic, which are out of date; does not emit `dismissed`."""
        self._keep([message for message in self._messages if message.topic != topic])

    def remove_oldest(self) -> None:
        """Remove the oldest message; does not emit `dismissed`."""
        self._keep(list(self._messages)[1:])

    def dismiss(self, keep: Sequence[str] = ()) -> None:
        """Remove all messages except those on the topics `keep`; does not emit `dismissed`."""
        self._keep([message for message in self._messages if message.topic in keep])

    def _keep(self, messages: Sequence[Message]) -> None:
        if len(messages) < len(self._messages):
            self._messages = deque(messages, maxlen=MAX_MESSAGES)
            self._show_newest()

    def move_back(self) -> None:
        """Show the next older message; the newest becomes the oldest."""
        self._messages.rotate(1)
        self._show_newest()

    def current(self) -> Message | None:
        """The message shown, or None."""
        return self._messages[-1] if self._messages else None

    def message_count(self) -> int:
        """Number of messages, with the one shown."""
        return len(self._messages)

    def row_height(self) -> int:
        """Height of the bar in pixels without the details; the same for messages without buttons."""
        return max(button.sizeHint().height() for button in (self._action, self._expand, self._close)) + 2

    def texts(self) -> list[str]:
        """Texts of the messages, the newest first."""
        return [message.text for message in reversed(self._messages)]

    def set_others(self, texts: Sequence[str]) -> None:
        """Set the texts of the messages that are not shown, the newest first."""
        self._more.setText(f"+{len(texts)} more")
        self._more.setVisible(bool(texts))
        set_tooltip(self._more, "\n".join(["Show the next message:", *texts]))

    def focus_message(self) -> None:
        """Move the focus to the action of the message, else to the button for details or for closing."""
        buttons = (self._action, self._expand, self._close)
        # isHidden, not isVisible: the bar itself may not be shown yet.
        next(button for button in buttons if not button.isHidden()).setFocus(Qt.FocusReason.ShortcutFocusReason)

    def set_theme(self, theme: Theme) -> None:
        """Set the theme."""
        self._update_style()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the message with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self._close_one()
            return
        super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Pause the expiry while the mouse is over the message."""
        super().enterEvent(event)
        self._expiry_timer.stop()

    def leaveEvent(self, event: QEvent) -> None:
        """Restart the expiry."""
        super().leaveEvent(event)
        self._start_expiry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show the details button if the message is elided."""
        super().resizeEvent(event)
        self._update_details()

    def _build(self) -> None:
        self._expand.setText("Details")
        self._expand.setCheckable(True)
        set_tooltip(self._close, "Dismiss")
        self._close.setAccessibleName("Dismiss")
        self._more.setObjectName("more")
        for button in (self._more, self._close):
            button.setAutoRaise(True)
        self._details.setReadOnly(True)
        self._details.setMaximumHeight(160)
        centre = Qt.AlignmentFlag.AlignVCenter
        buttons = [(part, centre) for part in (self._more, self._action, self._expand, self._close)]
        line = row_of((self._mark, centre), (self._text, 1), *buttons, spacing=2 * SPACE)
        copy = (self._copy, Qt.AlignmentFlag.AlignRight)
        self.setLayout(column_of(self._details, copy, line, spacing=0, margins=(2 * SPACE, 0, SPACE, 0)))

    def _show_newest(self) -> None:
        self._expiry_timer.stop()
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
        self._action.setText(escape_mnemonic(message.action))
        self._action.setVisible(bool(message.action))
        self.set_others(self.texts()[1:])
        self.setAccessibleName(message.text)
        self._update_style()
        self._text.updateGeometry()
        self._update_details()
        self.show()
        self._start_expiry()

    def _start_expiry(self) -> None:
        message = self.current()
        expires = message is not None and message.severity == "info" and not message.persistent
        if expires and not self.underMouse():
            self._expiry_timer.start()

    def _update_details(self) -> None:
        """Show the message's details, preceded by its text if that is elided."""
        message = self.current()
        if message is None:
            return
        parts = [message.text] if self._text.is_elided() else []
        self._details.setPlainText("\n\n".join([*parts, *([message.details] if message.details else [])]))
        self._expand.setVisible(bool(parts or message.details))

    def _announce(self, message: Message) -> None:
        """Announce the message to screen readers; an error interrupts other announcements."""
        event = QAccessibleAnnouncementEvent(self, message.text)
        politeness = QAccessible.AnnouncementPoliteness
        event.setPoliteness(politeness.Assertive if message.severity == "error" else politeness.Polite)
        QAccessible.updateAccessibility(event)

    def _update_style(self) -> None:
        message = self.current()
        severity, theme = message.severity if message else "info", current_theme()
        colour = getattr(theme, severity)
        background = getattr(theme, f"{severity}_background")
        self.setStyleSheet(
            f"#message_bar {{ background: {background}; "
            f"border: 1px solid {colour}; border-left: 3px solid {colour}; border-radius: {RADIUS}px; }}"
            "#message_bar QPushButton { padding: 1px 8px; } #message_bar QToolButton { padding: 1px; }"
        )
        self._mark.setPixmap(icon_pixmap(severity, colour, ICON_SIZE, self.devicePixelRatioF()))
        self._more.setFont(text_font(self.font(), 0.92))
        self._close.setIcon(icon("close", theme))
        self._close.setIconSize(QSize(16, 16))

    def _toggle_details(self) -> None:
        for widget in (self._details, self._copy):
            widget.setVisible(self._expand.isChecked())

    def _copy_text(self) -> None:
        message = self.current()
        if message is not None:
            QGuiApplication.clipboard().setText(f"{message.text}\n\n{message.details}".rstrip())

    def _close_one(self) -> None:
        self._remove_newest()
        if not self._messages:
            self.dismissed.emit()

    @Slot()
    def _expire_newest(self) -> None:
        """Close the newest message, unless the focus is in the bar."""
        focus = QApplication.focusWidget()
        # A message must not vanish under the keyboard focus, which would jump to another widget.
        if focus is not None and self.isAncestorOf(focus):
            self._expiry_timer.start()
        else:
            self._remove_newest()

    def _remove_newest(self) -> None:
        self._keep(list(self._messages)[:-1])

    def _emit_action(self) -> None:
        """Remove the message, which is answered, and report its action."""
        action, message = without_mnemonic(self._action.text()), self.current()
        assert message is not None
        self._remove_newest()
        self.action_requested.emit(action, message.topic)


#: Maximum width of a message as a share of the status bar; longer text is elided and in the details.
MAX_SHARE = 0.6


class MessageSpace(QWidget):
    """Empty widget of a status bar below a `MessageArea`; shrinks, so that a message never widens the window."""

    def __init__(self) -> None:
        super().__init__()
        self._hint = QSize(0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def set_size_hint(self, hint: QSize) -> None:
        """Set the preferred size."""
        if hint != self._hint:
            self._hint = hint
            self.setMaximumWidth(hint.width())
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Size that was set."""
        return self._hint

    def minimumSizeHint(self) -> QSize:
        """Width 0: a message never widens the window."""
        return QSize(0, self._hint.height())


class MessageArea(QWidget):
    """Shows the newest message of several bars at the left end of the status bar of a window.

    A window without a visible status bar shows it above its lower edge. Details open upwards over the contents.

    Signals
    -------
    changed()
        The number of messages changed.
    """

    changed = Signal()

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._bars: list[MessageBar] = []  # the one with the newest message last
        self._space: MessageSpace | None = None
        self._last_count = 0
        self._line = row_of(margins=0)
        self._line.setAlignment(Qt.AlignmentFlag.AlignBottom)
        self.setLayout(self._line)
        self.setObjectName("message_area")
        window.installEventFilter(self)

    def add(self, bar: MessageBar) -> None:
        """Add a bar."""
        self._bars.insert(0, bar)
        self._line.addWidget(bar, 0, Qt.AlignmentFlag.AlignBottom)
        bar.changed.connect(self._on_bar_changed)
        bar.added.connect(self._on_message_added)
        bar.next_requested.connect(self._show_next)
        self._update_geometry()

    def set_space(self, space: MessageSpace) -> None:
        """Set the empty widget of the status bar whose width is that of the message."""
        self._space = space
        space.installEventFilter(self)
        self._window.statusBar().installEventFilter(self)
        self._update_geometry()

    def message_count(self) -> int:
        """Number of messages in all bars."""
        return sum(bar.message_count() for bar in self._bars)

    def texts(self) -> list[str]:
        """Texts of all messages, the newest first."""
        return [text for bar in reversed(self._bars) for text in bar.texts()]

    def focus_message(self) -> None:
        """Move the focus to the message shown."""
        for bar in self._bars:
            if not bar.isHidden():
                bar.focus_message()

    def event(self, event: QEvent) -> bool:
        """Place the bars again when one was shown, hidden or resized."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._update_geometry()
        return handled

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Place the bars again when the window or its status bar changed."""
        moved = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
        kinds = (*moved, QEvent.Type.FontChange, QEvent.Type.LayoutRequest)
        if event.type() in kinds:
            self._update_geometry()
        return super().eventFilter(watched, event)

    @Slot()
    def _on_message_added(self) -> None:
        """Remove the oldest messages beyond `MAX_MESSAGES`."""
        # Which bar emitted; a lambda per bar would keep it alive.
        bar = self.sender()
        if isinstance(bar, MessageBar) and bar in self._bars:
            self._bars.remove(bar)
            self._bars.append(bar)
        while self.message_count() > MAX_MESSAGES:
            next(other for other in self._bars if other.message_count()).remove_oldest()

    @Slot()
    def _show_next(self) -> None:
        """Show the next older message of all bars, after the oldest again the newest."""
        bar, focus = self.sender(), QApplication.focusWidget()
        if isinstance(bar, MessageBar) and bar in self._bars:
            has_focus = focus is not None and bar.isAncestorOf(focus)
            self._bars.remove(bar)
            self._bars.insert(0, bar)
            bar.move_back()
            if has_focus:
                self.focus_message()

    @Slot()
    def _on_bar_changed(self) -> None:
        filled = [bar for bar in self._bars if bar.message_count()]
        for bar in self._bars:
            bar.setVisible(bool(filled) and bar is filled[-1])
        if filled:
            filled[-1].set_others(self.texts()[1:])
        self._update_geometry()
        if self._last_count != (count := self.message_count()):
            self._last_count = count
            self.changed.emit()

    def _update_geometry(self) -> None:
        hint, window = self._line.sizeHint(), self._window
        # Without the check, `statusBar` would create an empty one.
        if self._space is not None and (status := window.statusBar()).isVisibleTo(window):
            width = min(hint.width(), round(MAX_SHARE * status.width())) if self.message_count() else 0
            # The height is set without a message, too: the status bar must not grow with the first one.
            self._space.set_size_hint(QSize(width, max((bar.row_height() for bar in self._bars), default=0)))
            if (layout := status.layout()) is not None:
                layout.activate()
            width = min(width, self._space.width())
            # Hidden bars may not have the style yet; with their heights the lower edge would move with the details.
            shown = [bar.row_height() for bar in self._bars if bar.isVisibleTo(self)]
            row = min(hint.height(), max(shown, default=0))
            bottom = status.geometry().bottom() + 1 - max(0, (status.height() - row) // 2)
            left = self._space.mapTo(window, QPoint()).x()
            self.setGeometry(left, bottom - hint.height(), width, hint.height())
        else:
            width = min(hint.width(), window.width() - 4 * SPACE)
            self.setGeometry(2 * SPACE, window.height() - hint.height() - 2 * SPACE, width, hint.height())
        # Lays out now; otherwise the bar would be painted once in its old size.
        self._line.activate()
        self.raise_()


#: Width of the bar in pixels, which is also its number of steps.
BAR_WIDTH = 120

#: Maximum width of the text in average characters; a longer one is elided.
MAX_TASK_CHARACTERS = 60


class TaskProgressBar(QWidget):
    """Text, thin bar and cancel button in one line.

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
        self._text = ElidingLabel()
        self._bar = QProgressBar(textVisible=False)
        self._bar.setFixedSize(BAR_WIDTH, 6)
        self._cancel = QToolButton(autoRaise=True)
        self._cancel.setText("Cancel")
        self._cancel.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._cancel.clicked.connect(self.cancel_requested)
        self.setLayout(row_of((self._text, 1), self._bar, self._cancel, spacing=2 * SPACE, margins=0))
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def set_progress(self, text: str, fraction: float | None, others: Sequence[str] = ()) -> None:
        """Show a task.

        Parameters
        ----------
        text : its title and progress.
        fraction : fraction done in [0, 1]; None or negative for unknown.
        others : texts of the other tasks, which are counted.
        """
        is_known = fraction is not None and fraction >= 0
        self._bar.setRange(0, BAR_WIDTH if is_known else 0)
        self._bar.setValue(round(BAR_WIDTH * fraction) if fraction is not None and is_known else 0)
        label = f"{text} (+{len(others)} more)" if others else text
        self._text.setText(label)
        self._text.setMaximumWidth(MAX_TASK_CHARACTERS * self.fontMetrics().averageCharWidth())
        self.setAccessibleName(label)
        self._cancel.setAccessibleName(f"Cancel: {text}")
        set_tooltip(self._cancel, f"Cancel: {text}")
        set_tooltip(self, "\n".join(["Show all tasks", *others]))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Emit `details_requested`."""
        super().mouseReleaseEvent(event)
        self.details_requested.emit()
