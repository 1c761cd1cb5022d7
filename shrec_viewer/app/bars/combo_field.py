"""Combo box for tool bars that grows with its text and shrinks in narrow windows."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QWidget

from shrec_viewer.widgets.controls.fields import ElidingComboBox

MIN_WIDTH = 56
"""Pixels of a field in a narrow window; below that the bar hides what is at its end behind an arrow."""

MAX_GROWTH = 1.7
"""Times its own width that a field grows for long words, and for the large letters of the preferences."""


SHORT_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
"""Role of what is shown of a row where its whole text has no room."""


class ComboField(ElidingComboBox):
    """A choice of this width, which grows once long words are shown and becomes narrower where there is no room.

    Signals
    -------
    value_picked(data)
        The person chose the row with this data.
    """

    value_picked = Signal(object)

    def __init__(self, name: str, width: int) -> None:
        super().__init__()
        self._width = self._grown = width
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumWidth(MIN_WIDTH)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._tell)

    def sizeHint(self) -> QSize:
        """Qt override."""
        hint = super().sizeHint()
        words = hint.width() + self.fontMetrics().horizontalAdvance(self.currentText())
        self._grown = max(
            self._grown, min(words, int(MAX_GROWTH * self._width))
        )  # never back: what follows would dance
        return QSize(self._grown, hint.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Qt override; who turns the wheel above a bar means the page below, not other conventions."""
        event.ignore()

    def set_rows(self, rows: Sequence[tuple[str, object, str]]) -> None:
        """Offer rows of text, data and tool tip; nothing is chosen then."""
        self.clear()
        self._grown = self._width
        for text, data, tip in rows:
            self.addItem(text, data)
            self.setItemData(self.count() - 1, tip or None, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(-1)
        self.setEnabled(bool(rows))

    def set_short_texts(self, cores: Sequence[str]) -> None:
        """What to show of each row where there is no room for all of its text."""
        for place, core in enumerate(cores):
            self.setItemData(place, core, SHORT_TEXT_ROLE)

    def elided(self, text: str, width: int) -> str:
        """See `ElidingComboBox`; half a word beside the one that counts says less than that alone."""
        core = self.currentData(SHORT_TEXT_ROLE)
        whole = super().elided(text, width)
        return super().elided(core, width) if core and whole != text else whole

    def set_value(self, data: object) -> None:
        """Show the row with this data, or none."""
        places = (place for place in range(self.count()) if self.itemData(place) == data)
        self.setCurrentIndex(next(places, -1))
        self.updateGeometry()

    @Slot(int)
    def _tell(self, place: int) -> None:
        self.value_picked.emit(self.itemData(place))


def spacer(pixels: int) -> QWidget:
    """Room at the end of a bar, whose own margins are the same on all sides."""
    widget = QWidget()
    widget.setFixedWidth(pixels)
    return widget


def caption(text: str, tip: str = "") -> QLabel:
    """A quiet word before a field."""
    label = QLabel(text)
    label.setProperty("muted", True)
    label.setToolTip(tip)
    return label
