"""Choose which columns of a score table are shown: header menu and pop-up list."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt, Signal, Slot
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QWidget,
)

from shrec_viewer.widgets.controls.check_list import CheckListPopup, CheckListWidget
from shrec_viewer.widgets.controls.layouts import Stretch, row_of
from shrec_viewer.widgets.controls.plain_text import escape_mnemonic, plain_tooltip, set_tooltip
from shrec_viewer.widgets.tables.score_table import ScoreTable

#: Maximum number of rows without scrolling.
MAX_ROWS = 14


@dataclass(frozen=True)
class ColumnChoice:
    """A column in the list: header text, description and tooltip."""

    name: str
    label: str = ""
    tip: str = ""


class ColumnChooserPopup(CheckListPopup):
    """Pop-up below a button to show and hide columns; closed by a click outside or Esc. Changes apply at once.

    Parameters
    ----------
    option : see `ScoreColumnChooser`.
    offered : names of columns that *All* shows only where the list is filtered.

    Signals
    -------
    hidden_changed(object)
        Columns were hidden or shown: a frozenset of the names of hidden columns.
    add_requested()
        A column that is not in the list is to be added.
    """

    hidden_changed = Signal(object)
    add_requested = Signal()

    def __init__(
        self,
        entries: Sequence[ColumnChoice],
        hidden: Collection[str],
        usual: Collection[str],
        parent: QWidget,
        option: QAction | None = None,
        offered: Collection[str] = (),
    ) -> None:
        super().__init__("column_list", parent)
        self.option = QCheckBox()
        self._option_action = option
        self._standard, self._offered = frozenset(usual), frozenset(offered)
        self._is_ticking = False
        self.search_field = QLineEdit(placeholderText="Find a column", clearButtonEnabled=True)
        self.list = CheckListWidget("Columns shown", Qt.TextElideMode.ElideRight)
        names = ("&All", "&None", "&Default", "A&dd measure…")
        self.all, self.none, self.usual, self.add = (QPushButton(name) for name in names)
        self._build()
        for entry in entries:
            item = self.list.add(entry.name, f"{entry.name}   {entry.label}".rstrip(), entry.tip)
            self.list.set_checked(item, entry.name not in hidden)
        self._show_buttons()
        self.search_field.textChanged.connect(self._filter)
        self.search_field.installEventFilter(self)
        self.list.itemChanged.connect(self._on_items_changed)
        self.all.clicked.connect(self._tick_all)
        self.none.clicked.connect(self._tick_none)
        self.usual.clicked.connect(self._tick_standard)
        self.add.clicked.connect(self._request_add)

    @property
    def hidden(self) -> frozenset[str]:
        """Names of the unchecked columns."""
        return frozenset(self.list.items_by_key().keys() - self.list.checked_keys())

    def open_below(self, anchor: QRect) -> None:
        """Open below or above a rectangle of the screen, with the right edges aligned."""
        self.fit_list(self.list, MAX_ROWS)
        size, available = self.sizeHint(), self.screen().availableGeometry()
        y_above, y_below = anchor.top() - size.height(), anchor.bottom() + 1
        top = y_below if y_below + size.height() <= available.bottom() else max(y_above, available.top())
        self.move(max(available.left(), min(anchor.right() - size.width(), available.right() - size.width())), top)
        self.show()
        self.search_field.setFocus()

    def _build(self) -> None:
        self.setAttribute(Qt.WidgetAttribute.WA_NoMouseReplay)  # a click on the button closes it, not reopens it
        self.setAccessibleName("Columns")
        self.search_field.setAccessibleName("Find a column")
        set_tooltip(self.usual, "Columns that papers usually report: without gains at each cutoff and counts")
        self.usual.setVisible(bool(self._standard))
        for button in (self.all, self.none, self.usual, self.add):
            button.setAutoDefault(False)
        foot = row_of(self.all, self.none, self.usual, Stretch(), self.add)
        self.lay_out(self.search_field, self.list, foot, *((self.option,) if self._option_action is not None else ()))
        if self._option_action is not None:
            self.option.setText(self._option_action.text())
            self.option.setChecked(self._option_action.isChecked())
            set_tooltip(self.option, plain_tooltip(self._option_action))
            self.option.toggled.connect(self._option_action.setChecked)

    @Slot(str)
    def _filter(self, text: str) -> None:
        wanted = text.strip().casefold()
        for item in self.list.items_by_key().values():
            item.setHidden(wanted not in item.text().casefold())
        found = list(self._found().values())
        if found and (self.list.currentItem() is None or self.list.currentItem().isHidden()):
            self.list.setCurrentItem(found[0])
        self._show_buttons()

    @Slot()
    def _tick_all(self) -> None:
        """Items that match the filter; the buttons act on these."""
        self._tick(self._to_show().keys() | self.list.checked_keys())

    def _to_show(self) -> dict[str, QListWidgetItem]:
        """What *All* shows: the items that match the filter; without one, those that are not offered only."""
        is_filtered = bool(self.search_field.text().strip())
        return {name: one for name, one in self._found().items() if is_filtered or name not in self._offered}

    @Slot()
    def _tick_none(self) -> None:
        self._tick(self.list.checked_keys() - self._found().keys())

    @Slot()
    def _tick_standard(self) -> None:
        self._tick(self._standard)

    def _found(self) -> dict[str, QListWidgetItem]:
        """Items that match the filter, by name."""
        return {name: item for name, item in self.list.items_by_key().items() if not item.isHidden()}

    def _tick(self, names: Collection[str]) -> None:
        self._is_ticking = True
        for name, item in self.list.items_by_key().items():
            self.list.set_checked(item, name in names)
        self._is_ticking = False
        self._on_items_changed()

    @Slot()
    def _request_add(self) -> None:
        self.close()
        self.add_requested.emit()

    @Slot()
    def _on_items_changed(self, *_: object) -> None:
        if not self._is_ticking:
            self._show_buttons()
            self.hidden_changed.emit(self.hidden)

    def _show_buttons(self) -> None:
        shown = self.list.checked_keys()
        ticked = self._found().keys() & shown
        self.all.setEnabled(not self._to_show().keys() <= shown)
        self.none.setEnabled(bool(ticked))
        self.usual.setEnabled(shown != self._standard)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list with the arrow keys of the filter field, and toggle the current item with Enter."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
                self.list.setFocus()
                if self.list.currentItem() is None:
                    self.list.setCurrentRow(0)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self.list.currentItem()
                if item is not None and not item.isHidden():
                    self.list.turn(item)
                return True
        return super().eventFilter(watched, event)


#: Actions of a header's context menu.
EXPLAIN_ACTION, HIDE_ACTION, CHOOSE_ACTION, SHOW_ALL_ACTION = "explain", "hide", "choose", "all"


class ScoreColumnChooser(QObject):
    """Hides and shows the score columns of a table, by a list with check boxes and the header's context menu.

    Columns are identified by their header text, so that they stay hidden when the conventions change.

    Attributes
    ----------
    option : checkable action of all columns, shown as a check box below the list; None for none.
    offered : returns names and descriptions of columns that the table adds when they are chosen in the list.

    Signals
    -------
    changed(object)
        Columns were hidden or shown by the user: a frozenset of the names of hidden columns, None for the default.
    menu_opening(QMenu, int)
        The context menu of the header is about to open; receivers may add actions. The column is -1 for columns of
        names.
    add_requested()
        A column for another measure is to be added.
    offered_chosen(tuple)
        Names of the columns of `offered` that the user chose, all of them.
    """

    offered_chosen = Signal(object)
    changed = Signal(object)
    menu_opening = Signal(QMenu, int)
    add_requested = Signal()

    def __init__(self, table: ScoreTable) -> None:
        super().__init__(table)
        self._table = table
        self._hidden: frozenset[str] | None = None
        self._standard: frozenset[str] = frozenset()
        self._menu_column = -1
        self.option: QAction | None = None
        self.offered: Callable[[], Mapping[str, str]] = dict
        header = table.horizontalHeader()
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._open_menu)
        table.model().modelReset.connect(self._apply)

    @property
    def hidden(self) -> frozenset[str]:
        """Names of the hidden columns."""
        return self._hidden_by_default() if self._hidden is None else self._hidden

    def set_hidden(self, names: Iterable[str] | None) -> None:
        """Hide these columns and show all others, or show the default columns; does not emit."""
        self._hidden = None if names is None else frozenset(names)
        self._apply()

    def set_standard(self, names: Collection[str]) -> None:
        """Set the default columns, which are also those of the button *Default*."""
        self._standard = frozenset(names)
        self._apply()

    def _hidden_by_default(self) -> frozenset[str]:
        columns = set(self.columns()) if self._standard else set()
        return frozenset(columns - self._standard - self.offered().keys())

    def columns(self) -> dict[str, int]:
        """Indices of the score columns by name."""
        count = self._table.model().columnCount()
        names = {self._name(column): column for column in range(count)}
        return {name: column for name, column in names.items() if self._table.is_score(column)}

    def choose(self, anchor: QWidget, rect: QRect | None = None) -> ColumnChooserPopup:
        """Open the list of columns below a widget, or below a part of it."""
        model, columns = self._table.model(), self.columns()
        entries = []
        for name, column in columns.items():
            tip = str(model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole) or "")
            entries.append(ColumnChoice(name, tip.partition("\n")[0], tip))
        offered = self.offered()
        more = {name: text for name, text in offered.items() if name not in columns}
        entries += [ColumnChoice(name, text, text) for name, text in more.items()]
        hidden, standard = self.hidden | more.keys(), self._standard & columns.keys()
        chooser = ColumnChooserPopup(entries, hidden, standard, anchor, self.option, offered)
        chooser.hidden_changed.connect(self._take_list)
        chooser.add_requested.connect(self.add_requested)
        anchor_rect = anchor.rect() if rect is None else rect
        chooser.open_below(QRect(anchor.mapToGlobal(anchor_rect.topLeft()), anchor_rect.size()))
        return chooser

    @Slot()
    def choose_here(self) -> None:
        """Open the list of columns below the button that was clicked."""
        if isinstance(button := self.sender(), QWidget):
            self.choose(button)

    def _name(self, column: int) -> str:
        return str(self._table.model().headerData(column, Qt.Orientation.Horizontal) or "")

    @Slot()
    def _apply(self) -> None:
        table = self._table
        hidden = self.hidden
        columns = {column: name in hidden for name, column in self.columns().items()}
        if changing := [column for column, hides in columns.items() if hides != table.isColumnHidden(column)]:
            for column in changing:
                table.setColumnHidden(column, columns[column])
            table.update_shown_columns()

    @Slot(object)
    def _take_list(self, hidden: frozenset[str]) -> None:
        """Apply the hidden columns of the list, and add the offered ones that are chosen."""
        self._take(hidden, [name for name in self.offered() if name not in hidden])

    def _take(self, hidden: frozenset[str], chosen: Sequence[str] | None = None) -> None:
        """Apply the hidden columns; columns that are not in the table stay hidden.

        Parameters
        ----------
        chosen : offered columns; None for those of the table that are not hidden.
        """
        columns, offered = self.columns().keys(), self.offered()
        shown = [name for name in offered if name in columns]
        chosen = [name for name in shown if name not in hidden] if chosen is None else chosen
        hidden = ((self.hidden - columns) | hidden) - offered.keys()
        self.set_hidden(None if hidden & columns == self._hidden_by_default() else hidden)
        self.changed.emit(self._hidden)
        if chosen != shown:
            self.offered_chosen.emit(tuple(chosen))

    @Slot(QPoint)
    def _open_menu(self, at: QPoint) -> None:
        """Context menu of the header under the mouse."""
        header = self._table.horizontalHeader()
        column = self._table.header_column_at(at)
        self._menu_column = column if self._table.is_score(column) else -1
        menu = QMenu(self._table)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._menu_column >= 0:
            name = escape_mnemonic(self._name(column))
            menu.addAction(f"What is {name}?").setData(EXPLAIN_ACTION)
            menu.addAction(f"Hide {name}").setData(HIDE_ACTION)
            menu.addSeparator()
        menu.addAction("Choose columns…").setData(CHOOSE_ACTION)
        everything = menu.addAction("Show all columns")
        everything.setData(SHOW_ALL_ACTION)
        everything.setEnabled(bool(self.hidden & self.columns().keys()))
        menu.addSeparator()
        self.menu_opening.emit(menu, self._menu_column)
        menu.triggered.connect(self._do)
        menu.popup(header.viewport().mapToGlobal(at))

    @Slot(QAction)
    def _do(self, action: QAction) -> None:
        what, header = action.data(), self._table.horizontalHeader()
        if what == EXPLAIN_ACTION:
            self._table.help_requested.emit(self._menu_column)
        elif what == HIDE_ACTION:
            self._take(self.hidden | {self._name(self._menu_column)})
        elif what == CHOOSE_ACTION:
            left = header.sectionViewportPosition(max(self._menu_column, 0))
            self.choose(header, QRect(left, 0, header.sectionSize(max(self._menu_column, 0)), header.height()))
        elif what == SHOW_ALL_ACTION:
            self._take(frozenset())
