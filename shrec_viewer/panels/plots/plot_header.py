"""Header row of a plot panel: curve type, query or mean, values table and menu."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import (
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QToolButton,
    QWidget,
)

from shrec_viewer.widgets.controls.fields import ElidingComboBox
from shrec_viewer.widgets.controls.segmented_buttons import SegmentedButtons
from shrec_viewer.widgets.style.icons import icon
from shrec_viewer.widgets.style.theme import SPACE, Theme, current_theme

MIN_KIND_WIDTH = 92
"""Pixels of the field at least: a key such as NDCG."""

QUERY, MEAN = "query", "mean"


@dataclass(frozen=True)
class PlotKind:
    """One of the kinds to choose from: its key, its words (the key of the field, two blanks, the rest), its tip."""

    key: str
    words: str
    tip: str


class PlotKindComboBox(ElidingComboBox):
    """Shows the words before the two blanks alone where there is no room for those behind them."""

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Qt override."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        if self.fontMetrics().horizontalAdvance(self.currentText()) > field.width() - SPACE:
            short = self.currentText().partition("  ")[0]
            option.currentText = self.fontMetrics().elidedText(short, Qt.TextElideMode.ElideRight, field.width())


class PlotHeader(QWidget):
    """Fields and menu of a graph; shows what it is told and says what was picked.

    Signals
    -------
    kind_picked(key), of_picked(key), data_picked(bool)
        Other curves; `QUERY` or `MEAN`; the values instead of the graph.
    option_picked(key, bool)
        An entry of the menu that is on or off; of a group the one that is on.
    verb_picked(key)
        An entry of the menu that does something.
    """

    kind_selected = Signal(str)
    aggregation_selected = Signal(str)
    values_toggled = Signal(bool)
    option_toggled = Signal(str, bool)
    action_triggered = Signal(str)

    def __init__(self, entries: Sequence[PlotKind], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = PlotKindComboBox()
        self.of = SegmentedButtons(((QUERY, "Query"), (MEAN, "Mean")))
        self.runs = QToolButton()
        self.data = QToolButton()
        self.more = QToolButton()
        self.menu = QMenu(self)
        self.options: dict[str, QAction] = {}
        self.verbs: dict[str, QAction] = {}
        for entry in entries:
            self.kinds.addItem(entry.words, entry.key)
            self.kinds.setItemData(self.kinds.count() - 1, entry.tip, Qt.ItemDataRole.ToolTipRole)
        self._build()
        self.kinds.activated.connect(self._emit_kind)
        self.of.picked.connect(self.aggregation_selected)
        self.data.toggled.connect(self.values_toggled)
        self.menu.triggered.connect(self._tell)
        self.set_theme(current_theme())

    def _build(self) -> None:
        self.kinds.setAccessibleName("Kind of curve")
        self.kinds.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.kinds.setMinimumWidth(MIN_KIND_WIDTH)
        self.runs.setToolTip("Which runs are drawn")
        self.runs.setAccessibleName("Which runs are drawn")
        self.runs.hide()
        self.data.setCheckable(True)
        self.data.setToolTip("The values as a table")
        self.data.setAccessibleName("Values as a table")
        self.more.setToolTip("What is drawn; copy and save")
        self.more.setAccessibleName("What is drawn, copy and save")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(self.menu)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.kinds, 1)
        layout.addWidget(self.of)
        for button in (self.runs, self.data, self.more):
            button.setIconSize(QSize(16, 16))
            layout.addWidget(button)

    def add_option(self, key: str, text: str, *, on: bool = False, tip: str = "") -> QAction:
        """An entry that is on or off."""
        action = self.menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(on)
        action.setData(key)
        action.setToolTip(tip or text)
        self.options[key] = action
        return action

    def add_option_group(self, title: str, choices: Sequence[tuple[str, str]], current: str) -> None:
        """Entries of which one is on, under a title."""
        part = self.menu.addMenu(title)
        group = QActionGroup(part)
        for key, text in choices:
            action = part.addAction(text)
            action.setCheckable(True)
            action.setChecked(key == current)
            action.setData(key)
            group.addAction(action)
            self.options[key] = action

    def add_action(self, key: str, text: str) -> None:
        """An entry that does something."""
        action = self.menu.addAction(text)
        action.setData(key)
        self.verbs[key] = action

    def is_on(self, key: str) -> bool:
        """Whether an option is on, and can be."""
        return self.options[key].isChecked() and self.options[key].isEnabled()

    def set_kind(self, key: str) -> None:
        """Show this one as chosen."""
        self.kinds.setCurrentIndex(self.kinds.findData(key))

    def select_kind(self, key: object) -> None:
        """Choose this kind as the person does; one that is not offered is passed over."""
        if (place := self.kinds.findData(key)) >= 0:
            self.kinds.setCurrentIndex(place)
            self._emit_kind(place)

    def set_option(self, key: str, on: bool) -> None:
        """Tick an entry or not, as the person does; of a group only the one that is to be on."""
        action = self.options.get(key)
        if action is not None and action.isChecked() != on and (on or action.actionGroup() is None):
            action.setChecked(on)
            self.option_toggled.emit(key, on)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.runs.setIcon(icon("runs", theme))
        self.data.setIcon(icon("table", theme))
        self.more.setIcon(icon("list", theme))

    def _emit_kind(self, _place: int) -> None:
        self.kind_selected.emit(self.kinds.currentData())

    def _tell(self, action: QAction) -> None:
        if action.isCheckable():
            self.option_toggled.emit(action.data(), action.isChecked())
        else:
            self.action_triggered.emit(action.data())
