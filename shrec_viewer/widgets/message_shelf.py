"""Where messages float: in the room that the menus of a window leave free, so that they push and cover nothing."""

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QWidget

from shrec_viewer.widgets.message_strip import MessageStrip
from shrec_viewer.widgets.theme import SPACE

LEAST_WIDTH = 420
"""Pixels beside the menus that a message needs; where there are fewer it floats above the lower edge."""


class MessageShelf(QWidget):
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
        self._strips: list[MessageStrip] = []
        self._told = 0
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.setSpacing(SPACE)
        self._line.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.setObjectName("message_shelf")
        window.installEventFilter(self)
        window.menuBar().installEventFilter(self)

    def add(self, strip: MessageStrip) -> None:
        """Take a strip; those taken first stand at the right, where one looks first."""
        self._strips.append(strip)
        self._line.insertWidget(0, strip, 0, Qt.AlignmentFlag.AlignTop)
        strip.changed.connect(self._follow)
        self._place()

    def waiting(self) -> int:
        """Messages in all strips."""
        return sum(strip.waiting() for strip in self._strips)

    def take_keys(self) -> None:
        """Give the keys to the first message, and from one to the next when asked again."""
        shown = [strip for strip in self._strips if strip.waiting()]
        if not shown:
            return
        focus = self._window.focusWidget()
        inside = [place for place, strip in enumerate(shown) if focus is not None and strip.isAncestorOf(focus)]
        shown[(inside[0] + 1) % len(shown) if inside else 0].take_keys()

    def room(self) -> QRect:
        """The free end of the menu bar, in the window; empty where there is none."""
        bar = self._window.menuBar()
        if bar.isNativeMenuBar() or not bar.isVisibleTo(self._window):
            return QRect()
        ends = [bar.actionGeometry(action).right() for action in bar.actions() if action.isVisible()]
        left = max(ends, default=0) + 4 * SPACE
        free = QRect(bar.mapTo(self._window, QPoint(left, 0)), bar.rect().bottomRight() + bar.pos())
        return free.adjusted(0, 0, -SPACE, 0) if free.width() >= LEAST_WIDTH else QRect()

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
