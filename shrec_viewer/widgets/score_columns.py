"""Which columns of a table of scores are shown: a menu of all of them, remembered by name; and what each one is."""

from collections.abc import Iterable

from PySide6.QtCore import QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from shrec_viewer.widgets.score_table import ScoreTable


class ColumnMenu(QMenu):
    """Ticks for the score columns of one table; also opens where the heads are clicked with the right button.

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
        self._asked = -1
        self.setTitle(self.tr("Columns"))
        self.aboutToShow.connect(self._fill)
        self.triggered.connect(self._toggle)
        header = table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open)
        table.model().modelReset.connect(self._apply)

    @property
    def hidden(self) -> frozenset[str]:
        """Names of the columns that are not shown."""
        return self._hidden

    def set_hidden(self, names: Iterable[str]) -> None:
        """Hide these columns and show all others; tells nobody."""
        self._hidden = frozenset(names)
        self._apply()

    def columns(self) -> dict[str, int]:
        """The score columns by name."""
        model = self._table.model()
        names = {
            str(model.headerData(column, Qt.Orientation.Horizontal) or ""): column
            for column in range(model.columnCount())
        }
        return {name: column for name, column in names.items() if self._table.is_score(column)}

    @Slot()
    def _apply(self) -> None:
        for name, column in self.columns().items():
            self._table.setColumnHidden(column, name in self._hidden)

    @Slot()
    def _fill(self) -> None:
        self.clear()
        if self._asked >= 0:
            name = str(self._table.model().headerData(self._asked, Qt.Orientation.Horizontal) or "")
            self.addAction(self.tr("What is {name}?").format(name=name)).setData(self._asked)
            self.addSeparator()
            self._asked = -1
        everything = self.addAction(self.tr("Show all"))
        everything.setEnabled(bool(self._hidden & set(self.columns())))
        self.addSeparator()
        for name in self.columns():
            action = self.addAction(name.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(name not in self._hidden)
            action.setData(name)

    @Slot(QAction)
    def _toggle(self, action: QAction) -> None:
        name = action.data()
        if isinstance(name, int):
            self._table.help_requested.emit(name)
            return
        self.set_hidden(() if name is None else self._hidden ^ {name})
        self.changed.emit(self._hidden)

    @Slot(QPoint)
    def _open(self, at: QPoint) -> None:
        column = self._table.horizontalHeader().logicalIndexAt(at)
        self._asked = column if self._table.is_score(column) else -1
        self.popup(self._table.horizontalHeader().cursor().pos())
