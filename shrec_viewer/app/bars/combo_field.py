"""Combo box for tool bars that grows with its text and shrinks in narrow windows."""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QWidget

from shrec_viewer.widgets.controls.controls import ElidingComboBox
from shrec_viewer.widgets.controls.plain_text import PlainLabel
from shrec_viewer.widgets.style.tooltips import set_tooltip

MIN_WIDTH = 56
"""Minimum width of a field in pixels; in a window too narrow for that, the tool bar shows an extension arrow."""

MAX_GROWTH = 1.7
"""Maximum width of a field relative to its default width, for long texts and large fonts."""


SHORT_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
"""Item role of the short text, which is shown when the full text does not fit."""


class ComboField(ElidingComboBox):
    """Combo box for tool bars that grows with its text and shrinks in narrow windows.

    Parameters
    ----------
    name : accessible name.
    width : default width in pixels.
    elides : whether a long text is elided; otherwise the field is never narrower than its text.

    Signals
    -------
    value_picked(data)
        The item with this data was chosen.
    """

    value_picked = Signal(object)

    def __init__(self, name: str, width: int, *, elides: bool = True) -> None:
        super().__init__()
        self._elides = elides
        self._width = width
        self._longest = 0  # width of the longest text since the items changed
        self._is_compact = False
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._emit_picked)

    def sizeHint(self) -> QSize:
        """Width of the widest text shown since the items changed, limited if texts are elided."""
        required, height = self._required_size().toTuple()
        most = int(MAX_GROWTH * self._width) if self._elides else required
        # Never shrinks until the items change: the widgets to the right would move with every selection.
        self._longest = max(self._longest, min(required, most))
        return QSize(self._longest if self._is_compact else max(self._width, self._longest), height)

    def minimumSizeHint(self) -> QSize:
        """`MIN_WIDTH` if texts are elided, else the width of the current text."""
        required = self._required_size()
        return QSize(MIN_WIDTH, required.height()) if self._elides else required

    def set_compact(self, compact: bool) -> None:
        """Make the field as wide as its text, instead of its default width or more."""
        if compact != self._is_compact:
            self._is_compact = compact
            self.updateGeometry()

    def changeEvent(self, event: QEvent) -> None:
        """Qt override; another font has other widths."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._longest = 0

    def _required_size(self) -> QSize:
        """Size in which the current text is not elided."""
        hint = super().sizeHint()
        return hint + QSize(self.fontMetrics().horizontalAdvance(self.currentText()), 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ignored: scrolling the page below with the mouse over the bar must not change a setting."""
        event.ignore()

    def set_rows(self, rows: Sequence[tuple[str, object, str]]) -> None:
        """Set items as (text, data, tool tip), with none selected."""
        self.clear()
        self._longest = 0
        for text, data, tip in rows:
            self.addItem(text, data)
            self.setItemData(self.count() - 1, tip or None, Qt.ItemDataRole.ToolTipRole)
        self.setCurrentIndex(-1)
        self.setEnabled(bool(rows))

    def set_short_texts(self, texts: Sequence[str]) -> None:
        """Set the text of each item for fields that are too narrow for the full text."""
        for index, text in enumerate(texts):
            self.setItemData(index, text, SHORT_TEXT_ROLE)

    def elided(self, text: str, width: int) -> str:
        """See `ElidingComboBox`; prefers the short text to an elided one."""
        short = self.currentData(SHORT_TEXT_ROLE)
        elided = super().elided(text, width)
        return super().elided(short, width) if short and elided != text else elided

    def set_value(self, data: object) -> None:
        """Select the item with this data, or none."""
        indices = (index for index in range(self.count()) if self.itemData(index) == data)
        self.setCurrentIndex(next(indices, -1))
        self.updateGeometry()

    @Slot(int)
    def _emit_picked(self, index: int) -> None:
        self.value_picked.emit(self.itemData(index))


def spacer(pixels: int) -> QWidget:
    """Horizontal space in a tool bar, in pixels."""
    widget = QWidget()
    widget.setFixedWidth(pixels)
    return widget


def caption(text: str, tip: str = "") -> QLabel:
    """Muted label in front of a field."""
    label = PlainLabel(text)
    label.setProperty("muted", True)
    set_tooltip(label, tip)
    return label
