"""The row above a graph: which curves, of the query or as means, graph or values, and a menu of the rest."""

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

from shrec_viewer.panels.switch import Switch
from shrec_viewer.widgets.choice import Choice
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme

CHOICE_WIDTH = 92
"""Pixels of the field at least: a key such as NDCG."""

QUERY, MEAN = "query", "mean"


@dataclass(frozen=True)
class Entry:
    """One of the kinds to choose from: its key, its words (the key of the field, two blanks, the rest), its tip."""

    key: str
    words: str
    tip: str


class KindChoice(Choice):
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


class CurveHead(QWidget):
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

    kind_picked = Signal(str)
    of_picked = Signal(str)
    data_picked = Signal(bool)
    option_picked = Signal(str, bool)
    verb_picked = Signal(str)

    def __init__(self, entries: Sequence[Entry], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kinds = KindChoice()
        self.of = Switch(((QUERY, self.tr("Query")), (MEAN, self.tr("Mean"))))
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
        self.kinds.activated.connect(self._tell_kind)
        self.of.picked.connect(self.of_picked)
        self.data.toggled.connect(self.data_picked)
        self.menu.triggered.connect(self._tell)
        self.set_theme(current_theme())

    def _build(self) -> None:
        self.kinds.setAccessibleName(self.tr("Kind of curve"))
        self.kinds.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.kinds.setMinimumWidth(CHOICE_WIDTH)
        self.runs.setToolTip(self.tr("Which runs are drawn"))
        self.runs.setAccessibleName(self.tr("Which runs are drawn"))
        self.runs.hide()
        self.data.setCheckable(True)
        self.data.setToolTip(self.tr("The values as a table"))
        self.data.setAccessibleName(self.tr("Values as a table"))
        self.more.setToolTip(self.tr("What is drawn; copy and save"))
        self.more.setAccessibleName(self.tr("What is drawn, copy and save"))
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

    def add_group(self, title: str, choices: Sequence[tuple[str, str]], current: str) -> None:
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

    def add_verb(self, key: str, text: str) -> None:
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

    def pick_kind(self, key: object) -> None:
        """Choose this kind as the person does; one that is not offered is passed over."""
        if (place := self.kinds.findData(key)) >= 0:
            self.kinds.setCurrentIndex(place)
            self._tell_kind(place)

    def pick_option(self, key: str, on: bool) -> None:
        """Tick an entry or not, as the person does; of a group only the one that is to be on."""
        action = self.options.get(key)
        if action is not None and action.isChecked() != on and (on or action.actionGroup() is None):
            action.setChecked(on)
            self.option_picked.emit(key, on)

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.runs.setIcon(icon("runs", theme))
        self.data.setIcon(icon("table", theme))
        self.more.setIcon(icon("list", theme))

    def _tell_kind(self, _place: int) -> None:
        self.kind_picked.emit(self.kinds.currentData())

    def _tell(self, action: QAction) -> None:
        if action.isCheckable():
            self.option_picked.emit(action.data(), action.isChecked())
        else:
            self.verb_picked.emit(action.data())
