"""Changes the style sheet of a running application without a standstill: first what is in sight, then the rest."""

from collections.abc import Callable, Sequence
from time import perf_counter

from PySide6.QtCore import QObject, Qt, QTimer, Slot
from PySide6.QtWidgets import QAbstractItemDelegate, QApplication, QComboBox, QWidget

SLICE = 0.012
"""Seconds in one go for widgets that nobody sees: less than a frame of a 60 Hz screen."""

POLISHED = Qt.WidgetAttribute.WA_WState_Polished
OWN_STYLE = Qt.WidgetAttribute.WA_SetStyle

_WAITS = "shrec_viewer_waits_for_style"


def _tell_nothing(_widget: QWidget) -> None:
    """For those who have nothing to tell."""


class Wardrobe(QObject):
    """Dresses an application; `wardrobe_of` makes the one there is.

    Qt undresses, dresses and informs every widget there is, also the hundreds of panels that are not in sight: 150 ms
    of 1,200 widgets. Hidden ones are passed over here (Qt passes over what has never been shown, and what has a style
    of its own) and get their turn in slices, before they are shown or at the latest right after.
    """

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._app = app
        self._tell: Callable[[QWidget], None] = _tell_nothing
        self._passed: list[QWidget] = []
        self._boxes: list[QComboBox] = []
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._take_turn)

    @property
    def is_done(self) -> bool:
        """Whether everything wears the sheet."""
        return not self._turns.isActive()

    def take_off(self) -> None:
        """Undress everything; palette and font change without cost until `put_on` is called."""
        widgets = self._app.allWidgets()
        self._boxes = [widget for widget in widgets if isinstance(widget, QComboBox)]
        self._passed = [widget for widget in widgets if _is_passed(widget)]
        for widget in self._passed:
            if widget.testAttribute(POLISHED):
                widget.style().unpolish(widget)  # else its palette would go to the next widget at its address
                widget.setAttribute(POLISHED, False)
                widget.setProperty(_WAITS, True)
            widget.setAttribute(OWN_STYLE, True)
        self._app.setStyleSheet("")  # from one sheet straight to another Qt takes three times as long

    def put_on(self, sheet: str, tell: Callable[[QWidget], None] = _tell_nothing) -> None:
        """Dress all that is visible in `sheet` now, and all the rest soon; `tell` every widget that it is dressed."""
        self._app.setStyleSheet(sheet)
        self._tell = tell
        for widget in self._passed:
            widget.setAttribute(OWN_STYLE, False)
        if self._passed:
            self._turns.start()
        _drop_former_delegates(self._boxes)
        self._passed, self._boxes = [], []
        for widget in self._app.allWidgets():
            if not widget.property(_WAITS):
                tell(widget)

    def finish(self) -> None:
        """Dress all that waits for it, now."""
        self._dress(float("inf"))

    @Slot()
    def _take_turn(self) -> None:
        self._dress(SLICE)

    def _dress(self, seconds: float) -> None:
        end = perf_counter() + seconds
        waiting = [widget for widget in self._app.allWidgets() if widget.property(_WAITS)]
        for widget in sorted(waiting, key=QWidget.isVisible, reverse=True):
            if perf_counter() > end:
                return
            widget.setProperty(_WAITS, None)
            if not widget.testAttribute(POLISHED):
                widget.style().polish(widget)
                widget.setAttribute(POLISHED, True)
                widget.update()
            self._tell(widget)
        self._turns.stop()


def wardrobe_of(app: QApplication) -> Wardrobe:
    """The wardrobe of the application, made when it is first asked for."""
    wardrobe = app.findChild(Wardrobe)
    return wardrobe if isinstance(wardrobe, Wardrobe) else Wardrobe(app)


def _is_passed(widget: QWidget) -> bool:
    if widget.isVisible() or widget.testAttribute(OWN_STYLE):
        return False
    return widget.testAttribute(POLISHED) or bool(widget.property(_WAITS))


def _drop_former_delegates(boxes: Sequence[QComboBox]) -> None:
    """Delete what Qt leaves behind: each sheet gives a combo box two delegates, and the former ones stay for good."""
    for box in boxes:
        current = box.itemDelegate()
        for delegate in box.findChildren(QAbstractItemDelegate):
            if delegate is not current:
                delegate.deleteLater()
