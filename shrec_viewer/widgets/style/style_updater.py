"""Apply a new style sheet to all widgets in slices, visible widgets first."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import perf_counter

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QAbstractItemDelegate, QApplication, QComboBox, QWidget
from shiboken6 import isValid

SLICE_S = 0.012
"""Seconds in one go for widgets that nobody sees: less than a frame of a 60 Hz screen."""

FROZEN_SLICE_S = 0.025
"""Seconds in one go while windows wait for their new look: few pauses, each far below what anybody notices."""

POLISHED = Qt.WidgetAttribute.WA_WState_Polished
HAS_OWN_STYLE = Qt.WidgetAttribute.WA_SetStyle

AFTER_LAYOUT_PRIORITY = Qt.EventPriority.LowEventPriority.value
"""Priority of an event that asks for a picture, as Qt gives it: all that lays out comes before."""

_PENDING_PROPERTY = "shrec_viewer_waits_for_style"
_FROZEN_PROPERTY = "shrec_viewer_keeps_its_picture"

_POLISH_AND_NOTIFY, _NOTIFY_ONLY = 1, 2
"""What a widget waits for: to be dressed and told, or, because no style ever touched it, to be told."""


def _no_notification(_widget: QWidget) -> None:
    """For those who have nothing to tell."""


def _no_change(_app: QApplication) -> None:
    """For those who change the sheet alone."""


@dataclass(frozen=True)
class StyleSettings:
    """What the application is to wear.

    Attributes
    ----------
    sheet : the style sheet.
    wear : sets what else changes, as palette and font; called while nothing is dressed, when that costs nothing.
    tell : called with every widget once it is dressed.
    """

    sheet: str
    wear: Callable[[QApplication], None] = _no_change
    tell: Callable[[QWidget], None] = _no_notification


class StyleUpdater(QObject):
    """Dresses an application; `style_updater` makes the one there is.

    Qt undresses, dresses and informs every widget there is in one go: 150 to 200 ms of 1,200 widgets. Here all of them
    are undressed first, so that Qt finds none to care for (it passes over what is undressed and seems to have a style
    of its own), and then dressed in slices, those in sight first.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._tell: Callable[[QWidget], None] = _no_notification
        self._pending_change: StyleSettings | None = None  # what everything is being undressed for
        self._next: StyleSettings | None = None  # what was asked for while windows kept their pictures
        self._is_frozen = False
        self._turns = QTimer(self, interval=1)  # one of 0 comes twice in some turns
        self._turns.timeout.connect(self._on_timeout)

    @property
    def is_done(self) -> bool:
        """Whether everything wears what was asked for last."""
        return not self._turns.isActive()

    def change(self, outfit: StyleSettings, *, deferred: bool = False) -> None:
        """Dress everything anew: what is in sight now, the rest soon.

        Parameters
        ----------
        patiently : what is in sight may follow in 0.2 s, at once: windows keep their pictures until all that they show
            is dressed, while events go on. Asked again meanwhile, the newest outfit comes after the one that is being
            put on. Where no window is shown this makes no difference.
        """
        if deferred and self._is_frozen:
            self._next = outfit
            return
        self._pending_change, self._next = outfit, None
        self._turns.start()
        if not (deferred and self._freeze()):
            self._unpolish(float("inf"))
            self._switch()
            now = [
                widget
                for widget in self._waiting()
                if widget.isVisible() or widget.property(_PENDING_PROPERTY) == _NOTIFY_ONLY
            ]
            self._dress(now, float("inf"))

    def hurry(self) -> None:
        """Something comes into sight that may wait to be dressed: windows keep their pictures until it is."""
        if not self.is_done:
            self._freeze()

    @Slot()
    def _on_timeout(self) -> None:
        self._work(FROZEN_SLICE_S if self._is_frozen else SLICE_S)

    def _work(self, seconds: float) -> None:
        end = perf_counter() + seconds
        if self._is_frozen:
            self._freeze()  # windows that were opened since then
        if self._pending_change is not None:
            if self._unpolish(end):
                self._switch()
            return
        waiting = self._waiting()
        if in_sight := [widget for widget in waiting if widget.isVisible()]:
            self._dress(in_sight, end)
        elif self._is_frozen:
            self._unfreeze()
        elif waiting:
            self._dress(waiting, end)
        else:
            self._turns.stop()

    def _freeze(self) -> bool:
        """Let windows keep their pictures; whether there is any."""
        for window in QApplication.topLevelWidgets():
            if window.isVisible() and window.updatesEnabled():
                window.setUpdatesEnabled(False)
                window.setProperty(_FROZEN_PROPERTY, True)
                self._is_frozen = True
        return self._is_frozen

    def _unfreeze(self) -> None:
        self._is_frozen = False
        for window in QApplication.topLevelWidgets():
            if window.property(_FROZEN_PROPERTY):
                window.setProperty(_FROZEN_PROPERTY, None)
                window.setUpdatesEnabled(True)
                # Asked by Qt while it was frozen, a window has nothing to draw, and Qt takes it for asked for good.
                QCoreApplication.postEvent(window, QEvent(QEvent.Type.UpdateRequest), AFTER_LAYOUT_PRIORITY)
        if self._next is not None:
            self.change(self._next, deferred=True)

    def _unpolish(self, end: float) -> bool:
        """Undress, at least one, until the clock says `end`; whether nothing is left to undress.

        The style is asked to: else a widget's palette would go to the next one at its address.
        """
        for widget in self._app.allWidgets():
            if widget.testAttribute(HAS_OWN_STYLE):
                continue
            if widget.testAttribute(POLISHED):
                widget.style().unpolish(widget)
                widget.setAttribute(POLISHED, False)
                widget.setProperty(_PENDING_PROPERTY, _POLISH_AND_NOTIFY)
                if perf_counter() > end:
                    return False
            elif not widget.property(_PENDING_PROPERTY):
                widget.setProperty(_PENDING_PROPERTY, _NOTIFY_ONLY)
        return True

    def _switch(self) -> None:
        """Change the sheet, and all that nobody wears at this moment."""
        outfit, self._pending_change = self._pending_change, None
        if outfit is None:
            return
        waiting = self._waiting()
        for widget in waiting:
            widget.setAttribute(HAS_OWN_STYLE, True)
        self._app.setStyleSheet("")  # from one sheet straight to another Qt takes three times as long
        outfit.wear(self._app)
        self._app.setStyleSheet(outfit.sheet)
        for widget in waiting:
            widget.setAttribute(HAS_OWN_STYLE, False)
        self._tell = outfit.tell

    def _waiting(self) -> list[QWidget]:
        # Asked anew each time: Python is not told when Qt deletes what it made itself.
        return [widget for widget in self._app.allWidgets() if widget.property(_PENDING_PROPERTY)]

    def _dress(self, widgets: Iterable[QWidget], end: float) -> None:
        """Dress these, at least one of them, until the clock says `end`."""
        for widget in widgets:
            if isValid(widget):  # telling one may delete another
                self._polish_one(widget)
            if perf_counter() > end:
                return

    def _polish_one(self, widget: QWidget) -> None:
        waited_for = widget.property(_PENDING_PROPERTY)
        widget.setProperty(_PENDING_PROPERTY, None)
        if waited_for == _POLISH_AND_NOTIFY and not widget.testAttribute(POLISHED):
            widget.style().polish(widget)
            widget.setAttribute(POLISHED, True)
            widget.update()
            if widget.isVisible():
                QCoreApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
        if isinstance(widget, QComboBox):
            _delete_old_delegates(widget)
        self._tell(widget)


def style_updater(app: QApplication) -> StyleUpdater:
    """The wardrobe of the application, made when it is first asked for."""
    wardrobe = app.findChild(StyleUpdater)
    return wardrobe if isinstance(wardrobe, StyleUpdater) else StyleUpdater(app)


def _delete_old_delegates(box: QComboBox) -> None:
    """Delete what Qt leaves behind: each sheet gives a combo box two delegates, and the former ones stay for good."""
    current = box.itemDelegate()
    for delegate in box.findChildren(QAbstractItemDelegate):
        if delegate is not current:
            delegate.deleteLater()
