"""Chooses how large the cards of a grid are: the usual three sizes and everything between."""

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QSlider, QWidget

from shrec_viewer.widgets.card_delegate import CARD_SIZES, card_edge

NAMED = {CARD_SIZES[name]: name for name in ("S", "M", "L")}
"""Pixels of the usual sizes."""

SNAP = 4
"""Pixels within which a usual size is meant."""

STEP = 8
"""Pixels of one notch of the wheel, or one press of an arrow."""

REST_MS = 600
"""After which a size is settled: a hand that looks for one takes less from step to step."""

WIDTH = 88
"""Pixels of the slider: one for each pixel of difference, near enough."""


class SizeSlider(QSlider):
    """A slider from small to large; with Ctrl the wheel over a watched grid moves it, too.

    Signals
    -------
    size_picked(size)
        ``"S"``, ``"M"``, ``"L"``, or pixels as digits.
    settled(size)
        The same a moment later, once: worth remembering.
    """

    size_picked = Signal(str)
    settled = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._told = "M"
        self._rest = QTimer(self, interval=REST_MS, singleShot=True)
        self._rest.timeout.connect(self._settle)
        self.setRange(min(NAMED), max(NAMED))
        self.setSingleStep(STEP)
        self.setPageStep(2 * STEP)
        self.setFixedWidth(WIDTH)
        self.setAccessibleName(self.tr("Picture size"))
        self.setToolTip(self.tr("Picture size (Ctrl+wheel)"))
        self.set_size("M")
        self.actionTriggered.connect(self._tell)

    def set_size(self, size: str) -> None:
        """Show this size; tells nobody."""
        self._told = size
        self.setValue(card_edge(size))

    def watch(self, view: QWidget) -> None:
        """Let Ctrl and the wheel over this view change the size."""
        view.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Qt override."""
        if isinstance(event, QWheelEvent) and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            steps = event.angleDelta().y() / 120
            self.setSliderPosition(round(self.value() + steps * STEP))
            self._tell()
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _tell(self, *_: int) -> None:
        size = size_name(self.sliderPosition())
        if size != self._told:
            self._told = size
            self.size_picked.emit(size)
            self._rest.start()

    @Slot()
    def _settle(self) -> None:
        self.settled.emit(self._told)


def size_name(pixels: int) -> str:
    """The usual size that is meant, else the pixels as digits.

    Examples
    --------
    >>> size_name(97), size_name(128), size_name(150), size_name(189)
    ('S', 'M', '150', 'L')
    """
    near = min(NAMED, key=lambda edge: abs(edge - pixels))
    return NAMED[near] if abs(near - pixels) <= SNAP else str(pixels)
