"""Which columns of a table of scores are shown, remembered by name; and what each one is."""

from collections.abc import Collection, Iterable

from PySide6.QtCore import QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from shrec_viewer.widgets.score_columns_list import ColumnEntry, ColumnList
from shrec_viewer.widgets.score_table import ScoreTable

EXPLAIN, HIDE, CHOOSE, ALL = "explain", "hide", "choose", "all"
"""What the menu of a head offers."""


class ScoreColumns(QObject):
    """Hides and shows the score columns of one table: by a list with ticks, and by a menu of their heads.

    Columns are known by the text of their head, so that they stay hidden when other conventions are in force.

    Signals
    -------
    changed(hidden)
        The person hid or showed columns: a frozenset of their names.
    """

    changed = Signal(object)

    def __init__(self, table: ScoreTable) -> None:
        super().__init__(table)
        self._table = table
        self._hidden: frozenset[str] = frozenset()
        self._usual: frozenset[str] = frozenset()
        self._asked = -1
        header = table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_menu)
        table.model().modelReset.connect(self._apply)

    @property
    def hidden(self) -> frozenset[str]:
        """Names of the columns that are not shown."""
        return self._hidden

    def set_hidden(self, names: Iterable[str]) -> None:
        """Hide these columns and show all others; tells nobody."""
        self._hidden = frozenset(names)
        self._apply()

    def set_usual(self, names: Collection[str]) -> None:
        """Offer these as the few that most people want to see."""
        self._usual = frozenset(names)

    def columns(self) -> dict[str, int]:
        """The score columns by name."""
        count = self._table.model().columnCount()
        names = {self._name(column): column for column in range(count)}
        return {name: column for name, column in names.items() if self._table.is_score(column)}

    def choose(self, anchor: QWidget, place: QRect | None = None) -> ColumnList:
        """Let the person choose, in a list below a widget, or a part of it, that stays open meanwhile."""
        model, columns = self._table.model(), self.columns()
        entries = []
        for name, column in columns.items():
            tip = str(model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) or "")
            entries.append(ColumnEntry(name, tip.partition("\n")[0], tip))
        chooser = ColumnList(entries, self._hidden, self._usual & columns.keys(), anchor)
        chooser.hidden_picked.connect(self._take)
        spot = anchor.rect() if place is None else place
        chooser.open_below(QRect(anchor.mapToGlobal(spot.topLeft()), spot.size()))
        return chooser

    @Slot()
    def choose_here(self) -> None:
        """The same below the button that asks for it."""
        if isinstance(button := self.sender(), QWidget):
            self.choose(button)

    def _name(self, column: int) -> str:
        return str(self._table.model().headerData(column, Qt.Orientation.Horizontal) or "")

    @Slot()
    def _apply(self) -> None:
        table = self._table
        columns = {column: name in self._hidden for name, column in self.columns().items()}
        if changing := [column for column, hides in columns.items() if hides != table.isColumnHidden(column)]:
            for column in changing:
                table.setColumnHidden(column, columns[column])
            table.follow_shown_columns()

    @Slot(object)
    def _take(self, hidden: frozenset[str]) -> None:
        """What is hidden of the columns there are; others stay as they were."""
        self.set_hidden((self._hidden - self.columns().keys()) | hidden)
        self.changed.emit(self._hidden)

    @Slot(QPoint)
    def _open_menu(self, at: QPoint) -> None:
        """What can be done with the column whose head is under the mouse."""
        header = self._table.horizontalHeader()
        column = header.logicalIndexAt(at)
        self._asked = column if self._table.is_score(column) else -1
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._asked >= 0:
            name = self._name(column).replace("&", "&&")
            menu.addAction(self.tr("What is {name}?").format(name=name)).setData(EXPLAIN)
            menu.addAction(self.tr("Hide {name}").format(name=name)).setData(HIDE)
            menu.addSeparator()
        menu.addAction(self.tr("Choose the columns…")).setData(CHOOSE)
        everything = menu.addAction(self.tr("Show all columns"))
        everything.setData(ALL)
        everything.setEnabled(bool(self._hidden & self.columns().keys()))
        menu.triggered.connect(self._do)
        menu.popup(header.viewport().mapToGlobal(at))

    @Slot(QAction)
    def _do(self, action: QAction) -> None:
        what, header = action.data(), self._table.horizontalHeader()
        if what == EXPLAIN:
            self._table.help_requested.emit(self._asked)
        elif what == HIDE:
            self._take(self._hidden | {self._name(self._asked)})
        elif what == CHOOSE:
            left = header.sectionViewportPosition(max(self._asked, 0))
            self.choose(header, QRect(left, 0, header.sectionSize(max(self._asked, 0)), header.height()))
        else:
            self._take(frozenset())
