"""Row of exclusive buttons for one of a few options."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QToolButton, QWidget


class SegmentedButtons(QWidget):
    """Row of buttons of which exactly one is checked.

    Parameters
    ----------
    choices : key and text of each button; the first one is checked.

    Signals
    -------
    selected(str)
        Key of the button that was clicked.
    """

    selected = Signal(str)

    def __init__(self, choices: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = [key for key, _ in choices]
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for index, (_, text) in enumerate(choices):
            button = QToolButton()
            button.setText(text)
            button.setCheckable(True)
            button.setChecked(index == 0)
            button.setProperty("segment", "first" if index == 0 else "last" if index == len(choices) - 1 else "inner")
            self._group.addButton(button, index)
            layout.addWidget(button)
        self._group.idClicked.connect(self._on_clicked)

    @property
    def current(self) -> str:
        """Key of the checked button."""
        return self._keys[self._group.checkedId()]

    def button(self, key: str) -> QAbstractButton:
        """The button of a key."""
        return self._group.button(self._keys.index(key))

    def set_current(self, key: str) -> None:
        """Check the button of a key; does not emit."""
        self.button(key).setChecked(True)

    def _on_clicked(self, index: int) -> None:
        self.selected.emit(self._keys[index])
