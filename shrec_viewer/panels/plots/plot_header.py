"""Header row of a plot panel: curve type, query or mean, values table and menu."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal, Slot
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
"""Minimum width in pixels of the curve type field: a key such as NDCG."""

QUERY, MEAN = "query", "mean"
"""What the curves are of: the selected query, or the mean over the queries."""

SHORT_TEXT_ROLE = Qt.ItemDataRole.UserRole + 1
"""Text of an item that the closed field shows when the whole text does not fit."""


@dataclass(frozen=True)
class PlotKind:
    """An entry of the curve type field.

    Attributes
    ----------
    key : identifier.
    short_text : text that is always shown, ``"NDCG"``.
    detail : text after it where there is space; "" for none.
    tip : tooltip.
    """

    key: str
    short_text: str
    detail: str
    tip: str


class PlotKindComboBox(ElidingComboBox):
    """Combo box that shows the short text of the current entry where the whole text does not fit."""

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:  # noqa: N802
        """Qt override."""
        super().initStyleOption(option)
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        if self.fontMetrics().horizontalAdvance(self.currentText()) > field.width() - SPACE:
            short = str(self.currentData(SHORT_TEXT_ROLE) or self.currentText())
            option.currentText = self.fontMetrics().elidedText(short, Qt.TextElideMode.ElideRight, field.width())


class PlotHeader(QWidget):
    """Header row of a plot panel: curve type, query or mean, values button and menu.

    Signals
    -------
    kind_selected(key), aggregation_selected(key), values_toggled(on)
        Another curve type; `QUERY` or `MEAN`; the table of values instead of the plot.
    option_toggled(key, on)
        A checkable entry of the menu; of a group the one that was checked.
    action_triggered(key)
        Another entry of the menu.
    """

    kind_selected = Signal(str)
    aggregation_selected = Signal(str)
    values_toggled = Signal(bool)
    option_toggled = Signal(str, bool)
    action_triggered = Signal(str)

    def __init__(self, entries: Sequence[PlotKind], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = PlotKindComboBox()
        self.aggregation = SegmentedButtons(((QUERY, "Query"), (MEAN, "Mean")))
        self.runs_button = QToolButton()
        self.values_button = QToolButton()
        self.menu_button = QToolButton()
        self.menu = QMenu(self)
        self.options: dict[str, QAction] = {}
        self.menu_actions: dict[str, QAction] = {}
        for index, entry in enumerate(entries):
            self.kinds.addItem(f"{entry.short_text}  {entry.detail}".rstrip(), entry.key)
            self.kinds.setItemData(index, entry.short_text, SHORT_TEXT_ROLE)
            self.kinds.setItemData(index, entry.tip, Qt.ItemDataRole.ToolTipRole)
        self._build()
        self.kinds.activated.connect(self._emit_kind)
        self.aggregation.selected.connect(self.aggregation_selected)
        self.values_button.toggled.connect(self.values_toggled)
        self.menu.triggered.connect(self._emit_menu_entry)
        self.set_theme(current_theme())

    def _build(self) -> None:
        self.kinds.setAccessibleName("Curve type")
        self.kinds.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.kinds.setMinimumWidth(MIN_KIND_WIDTH)
        self.values_button.setCheckable(True)
        self.menu_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.menu_button.setMenu(self.menu)
        self.runs_button.hide()
        layout = QHBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, 0)
        layout.setSpacing(SPACE)
        layout.addWidget(self.kinds, 1)
        layout.addWidget(self.aggregation)
        for button, text in (
            (self.runs_button, "Choose runs"),
            (self.values_button, "Table of values"),
            (self.menu_button, "Plot options, copy and export"),
        ):
            button.setToolTip(text)
            button.setAccessibleName(text)
            button.setIconSize(QSize(16, 16))
            layout.addWidget(button)

    def add_option(self, key: str, text: str, *, on: bool = False, tip: str = "") -> QAction:
        """Add a checkable entry to the menu."""
        action = self.menu.addAction(text)
        action.setCheckable(True)
        action.setChecked(on)
        action.setData(key)
        action.setToolTip(tip or text)
        self.options[key] = action
        return action

    def add_option_group(self, title: str, choices: Sequence[tuple[str, str]], current: str) -> None:
        """Add a submenu of entries of which exactly one is checked."""
        submenu = self.menu.addMenu(title)
        group = QActionGroup(submenu)
        for key, text in choices:
            action = submenu.addAction(text)
            action.setCheckable(True)
            action.setChecked(key == current)
            action.setData(key)
            group.addAction(action)
            self.options[key] = action

    def add_action(self, key: str, text: str) -> None:
        """Add an entry that triggers `action_triggered`."""
        action = self.menu.addAction(text)
        action.setData(key)
        self.menu_actions[key] = action

    def is_on(self, key: str) -> bool:
        """Whether an option is checked and enabled."""
        return self.options[key].isChecked() and self.options[key].isEnabled()

    def set_kind(self, key: str) -> None:
        """Show a curve type as the current one."""
        self.kinds.setCurrentIndex(self.kinds.findData(key))

    def select_kind(self, key: object) -> None:
        """Select a curve type and emit `kind_selected`; unknown keys are ignored."""
        if (index := self.kinds.findData(key)) >= 0:
            self.kinds.setCurrentIndex(index)
            self._emit_kind(index)

    def toggle_option(self, key: str, on: bool) -> None:
        """Check or uncheck an option and emit `option_toggled`; an entry of a group can only be checked."""
        action = self.options.get(key)
        if action is not None and action.isChecked() != on and (on or action.actionGroup() is None):
            action.setChecked(on)
            self.option_toggled.emit(key, on)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.runs_button.setIcon(icon("runs", theme))
        self.values_button.setIcon(icon("table", theme))
        self.menu_button.setIcon(icon("list", theme))

    @Slot(int)
    def _emit_kind(self, _index: int) -> None:
        self.kind_selected.emit(self.kinds.currentData())

    @Slot(QAction)
    def _emit_menu_entry(self, action: QAction) -> None:
        if action.isCheckable():
            self.option_toggled.emit(action.data(), action.isChecked())
        else:
            self.action_triggered.emit(action.data())
