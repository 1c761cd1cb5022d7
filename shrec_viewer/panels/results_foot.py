"""The line below a ranked list: what is relevant and not in it, and what frames and badges mean."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from shrec_viewer.viewmodels.words import count_words
from shrec_viewer.widgets.relevance_legend import RelevanceLegend
from shrec_viewer.widgets.theme import SPACE


class ResultsFoot(QWidget):
    """A switch that opens the second section, and the legend.

    Signals
    -------
    toggled(bool)
        The person wants to see the models not retrieved, or no longer.
    """

    toggled = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.switch = QToolButton()
        self.legend = RelevanceLegend()
        self.switch.setCheckable(True)
        self.switch.setAutoRaise(True)
        self.switch.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.switch.toggled.connect(self._tell)
        layout = self._line = QHBoxLayout(self)
        layout.setContentsMargins(SPACE, SPACE, 3 * SPACE, SPACE)
        layout.setSpacing(2 * SPACE)
        layout.addWidget(self.switch)
        layout.addStretch(1)
        layout.addWidget(self.legend)
        self._is_used = False
        self.set_levels(())
        self.set_absent(0)

    def set_levels(self, levels: Sequence[int]) -> None:
        """Explain these levels of the truth; none where there is no truth."""
        self.legend.set_levels(levels)
        self.legend.setVisible(bool(levels))
        self._fit()

    def set_absent(self, count: int) -> None:
        """Offer to show so many relevant models that were not retrieved."""
        self.switch.setText(f"{count_words(count, 'relevant model')} not retrieved")
        self.switch.setVisible(count > 0)
        self._fit()

    def add_end(self, widget: QWidget) -> None:
        """Something at the right end, for which the line always stands there."""
        self._is_used = True
        self._line.addWidget(widget)
        self._fit()

    def open(self) -> None:
        """Show the second section, where there is one."""
        if not self.switch.isHidden():
            self.switch.setChecked(True)

    @property
    def is_open(self) -> bool:
        """Whether the second section is to be shown."""
        return self.switch.isChecked() and not self.switch.isHidden()

    def _fit(self) -> None:
        """No empty line below the list."""
        self.setVisible(self._is_used or not self.switch.isHidden() or not self.legend.isHidden())
        self.switch.setArrowType(Qt.ArrowType.DownArrow if self.is_open else Qt.ArrowType.RightArrow)

    def _tell(self, _checked: bool) -> None:
        self._fit()
        self.toggled.emit(self.is_open)
