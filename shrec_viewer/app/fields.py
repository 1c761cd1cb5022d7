"""Fields of the tool bars: as wide as their words deserve, narrower where there is no room."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QComboBox, QLabel, QWidget

from shrec_viewer.widgets.choice import Choice

NARROWEST = 56
"""Pixels of a field in a narrow window; below that the bar hides what is at its end behind an arrow."""


class Field(Choice):
    """A choice of this width, which becomes narrower where there is no room.

    Signals
    -------
    value_picked(data)
        The person chose the row with this data.
    """

    value_picked = Signal(object)

    def __init__(self, name: str, width: int) -> None:
        super().__init__()
        self._width = width
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumWidth(NARROWEST)
        self.setMaximumWidth(width)
        self.activated.connect(self._tell)

    def sizeHint(self) -> QSize:
        """Qt override."""
        return QSize(self._width, super().sizeHint().height())

    def set_rows(self, rows: Sequence[tuple[str, object, str]]) -> None:
        """Offer rows of text, data and tool tip; nothing is chosen then."""
        self.clear()
        for text, data, tip in rows:
            self.addItem(text, data)
            self.setItemData(self.count() - 1, tip or None, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(-1)
        self.setEnabled(bool(rows))

    def set_value(self, data: object) -> None:
        """Show the row with this data, or none."""
        places = (place for place in range(self.count()) if self.itemData(place) == data)
        self.setCurrentIndex(next(places, -1))

    @Slot(int)
    def _tell(self, place: int) -> None:
        self.value_picked.emit(self.itemData(place))


def gap(pixels: int) -> QWidget:
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
