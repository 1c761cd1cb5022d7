"""What stands above the list of queries: the filter, the order, and how many are shown."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from shrec_viewer.viewmodels.queries_order import ANY_CLASS, COMPARING, ORDERS
from shrec_viewer.viewmodels.words import count_words
from shrec_viewer.widgets.choice import Choice
from shrec_viewer.widgets.filter_field import FilterField
from shrec_viewer.widgets.icons import icon
from shrec_viewer.widgets.theme import SPACE, Theme, current_theme
from shrec_viewer.widgets.words_line import WordsLine

ORDER_WORDS = {
    "file": ("File order", "As in the benchmark"),
    "id": ("By id", "Numbers in ids count as numbers"),
    "class": ("By class", "By the name of the class"),
    "worst": ("Lowest first", "Lowest value of the measure first"),
    "best": ("Highest first", "Highest value of the measure first"),
    "change": ("Difference", "Largest difference to the run compared with first, up or down"),
    "loss": ("Losses first", "Those first on which this run is farthest below the run compared with"),
    "gain": ("Gains first", "Those first on which this run is farthest above the run compared with"),
    "spread": ("Spread", "Largest standard deviation of the measure over all runs first"),
}
"""How `ORDERS` are offered, and what they mean."""


FILTER_TIP = (
    "Part of an id or a class name. Of several words a query must have all; where none has, any will do (Q01 Q03). "
    "What commas, semicolons or lines separate is looked for each by itself."
)
"""The rule of `queries_filter.meant`."""


class QueriesHead(QWidget):
    """Fields for text, class and order, and a line that says what is shown.

    Signals
    -------
    text_changed(text), class_picked(name), order_picked(order)
        The person wants this; a class is "" for any.
    left()
        The person is done with the field that filters.
    taken()
        The person wants what the filter has found.
    comparing_ended()
        The person wants to compare with no run any more.
    """

    text_changed = Signal(str)
    class_picked = Signal(str)
    order_picked = Signal(str)
    left = Signal()
    taken = Signal()
    comparing_ended = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._find = FilterField()
        self._class = Choice()
        self._order = Choice()
        self._count = QLabel()
        self._said = WordsLine(token="muted")
        self.end = QToolButton()
        self._name()
        self._build()
        self._find.textChanged.connect(self.text_changed)
        self._find.left.connect(self._leave_filter)
        self._find.taken.connect(self.taken)
        self._class.activated.connect(self._tell_class)
        self._order.activated.connect(self._tell_order)
        self.end.clicked.connect(self.comparing_ended)
        self.set_theme(current_theme())

    @property
    def text(self) -> str:
        """What is looked for."""
        return self._find.text().strip()

    @property
    def class_name(self) -> str:
        """The class to show, "" for any."""
        return self._class.currentData() or ANY_CLASS

    @property
    def is_filtering(self) -> bool:
        """Whether not all queries are wanted."""
        return bool(self.text or self.class_name)

    def focus_filter(self) -> None:
        """Put the cursor into the field that filters."""
        self._find.setFocus()
        self._find.selectAll()

    @Slot()
    def clear(self) -> None:
        """Want all queries again."""
        if self._class.currentIndex() > 0:
            self._class.setCurrentIndex(0)
            self._tell_class(0)
        self._find.clear()

    def set_filter(self, text: str, class_name: object) -> None:
        """Look for this text in this class; "" and a class that there is not stand for all."""
        self._class.setCurrentIndex(max(self._class.findData(class_name), 0))
        self._find.setText(text)

    def set_classes(self, names: Sequence[str]) -> None:
        """Offer these classes; no field where there is none to choose."""
        self._class.clear()
        self._class.addItem(self.tr("Any class"), ANY_CLASS)
        for name in names:
            self._class.addItem(name, name)
        self._class.setVisible(len(names) > 1)

    def set_order(self, order: str) -> None:
        """Show this order as the one chosen."""
        self._order.setCurrentIndex(self._order.findData(order))
        self._order.setToolTip(ORDER_WORDS[order][1])

    def set_theme(self, theme: Theme) -> None:
        """Repaint in this theme."""
        self.end.setIcon(icon("close", theme, "muted"))

    def set_other(self, name: str) -> None:
        """Offer to end the comparison with this run; "" where there is none."""
        self.end.setVisible(bool(name))
        words = self.tr("Stop comparing with {name}").format(name=name)
        self.end.setToolTip(words)
        self.end.setAccessibleName(words)

    def set_comparing(self, comparing: bool) -> None:
        """Offer the orders that need a run to compare with, or not."""
        model = self._order.model()
        assert isinstance(model, QStandardItemModel)
        for order in COMPARING:
            model.item(self._order.findData(order)).setEnabled(comparing)

    def set_count(self, shown: int, total: int) -> None:
        """Say how many queries are shown: ``"12 of 30"``, ``"30 queries"``."""
        said = count_words(total, "query", "queries") if shown == total else f"{shown:,} of {total:,}"
        self._count.setText(said)

    def set_said(self, words: str) -> None:
        """Say what the numbers are: ``"AP of M1 − M2"``."""
        self._said.setText(words)

    def _name(self) -> None:
        self._find.setPlaceholderText(self.tr("Find id or class"))
        self._find.setToolTip(self.tr(FILTER_TIP))
        self._find.setAccessibleName(self.tr("Filter the queries by id or class"))
        self._class.setAccessibleName(self.tr("Class of the queries shown"))
        self._class.setToolTip(self.tr("Show the queries of one class"))
        self._order.setAccessibleName(self.tr("Order of the queries"))
        self._said.setAccessibleName(self.tr("Numbers shown with the queries"))
        self._count.setProperty("muted", True)
        for order in ORDERS:
            words, tip = ORDER_WORDS[order]
            self._order.addItem(words, order)
            self._order.setItemData(self._order.count() - 1, tip, Qt.ItemDataRole.ToolTipRole)
        self.set_order(ORDERS[0])
        self.set_comparing(False)
        self.set_other("")
        self.end.setAutoRaise(True)
        self.end.setIconSize(QSize(14, 14))
        self.end.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        for combo in (self._class, self._order):
            combo.setSizeAdjustPolicy(Choice.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(4)
        for combo in (self._class, self._order):
            combo.view().setMinimumWidth(combo.view().sizeHintForColumn(0) + 6 * SPACE)

    def _build(self) -> None:
        find = QHBoxLayout()
        find.setSpacing(SPACE)
        self._find.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # half of the row, as below
        find.addWidget(self._find, 1)
        find.addWidget(self._class, 1)
        label = QLabel(self.tr("&Order"))
        label.setProperty("muted", True)
        label.setBuddy(self._order)
        order = QHBoxLayout()
        order.setSpacing(2 * SPACE)
        order.addWidget(label)
        order.addWidget(self._order, 1)
        said = QHBoxLayout()
        said.setSpacing(3 * SPACE)
        said.addWidget(self._count)
        said.addWidget(self._said, 1)
        said.addWidget(self.end)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * SPACE, 2 * SPACE, 2 * SPACE, SPACE)
        layout.setSpacing(SPACE)
        for row in (find, order, said):
            layout.addLayout(row)

    @Slot()
    def _leave_filter(self) -> None:
        """Show all queries again; where all are shown, leave the field."""
        if self.is_filtering:
            self.clear()
        else:
            self.left.emit()

    @Slot(int)
    def _tell_class(self, _place: int) -> None:
        self.class_picked.emit(self.class_name)

    @Slot(int)
    def _tell_order(self, _place: int) -> None:
        self.order_picked.emit(self._order.currentData())
