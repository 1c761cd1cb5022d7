"""A row of exclusive buttons for choosing one of a few options."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QToolButton, QWidget


class SegmentedButtons(QWidget):
    """Buttons side by side, of which one is down.

    Parameters
    ----------
    choices : key and text of each; the first one is down.

    Signals
    -------
    picked(key)
        The person chose another one.
    """

    picked = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = [key for key, _ in choices]
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for place, (_, text) in enumerate(choices):
            button = QToolButton()
            button.setText(text)
            button.setCheckable(True)
            button.setChecked(place == 0)
            button.setProperty("segment", "first" if place == 0 else "last" if place == len(choices) - 1 else "inner")
            self._group.addButton(button, place)
            layout.addWidget(button)
        self._group.idClicked.connect(self._tell)

    @property
    def current(self) -> str:
        """Key of the choice that is down."""
        return self._keys[self._group.checkedId()]

    def button(self, key: str) -> QAbstractButton:
        """The button of a choice."""
        return self._group.button(self._keys.index(key))

    def set_current(self, key: str) -> None:
        """Show this choice as the one that is down; tells nobody."""
        self.button(key).setChecked(True)

    def _tell(self, place: int) -> None:
        self.picked.emit(self._keys[place])
