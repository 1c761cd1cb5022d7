"""Slices of the queries: the panel with their means, and the dialog that names one."""

from collections.abc import Sequence

from PySide6.QtCore import Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QWidget

from shrec_viewer.charts.table import Cell, Table, TableColumn
from shrec_viewer.content.data import slices_of
from shrec_viewer.content.diagnosis.slices import SlicesRequest
from shrec_viewer.formats.discovery.run_selection import unused_name
from shrec_viewer.panels.chart_panel import ChartPanel, TableView
from shrec_viewer.panels.controls import ChoiceBox
from shrec_viewer.panels.name_dialog import NameDialog
from shrec_viewer.viewmodels.content.data import content_data
from shrec_viewer.viewmodels.session.document import Document
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.controls.plain_text import set_tooltip
from shrec_viewer.widgets.tables.record_table import cell_text

#: Columns of the table: the run, which the title of the panel names, the names of slices, and their means.
RUN_COLUMN, NAME_COLUMN, MEAN_COLUMN = 0, 1, 3

#: Width in pixels from which the panel has the other columns, too.
WIDE_WIDTH = 420

#: Entry of the list of slices.
ALL_QUERIES = "All queries"


class SlicesPanel(ChartPanel):
    """Table of the slices; the means of tables and plots are those over the queries of the selected one."""

    def __init__(self, session: Session) -> None:
        super().__init__(session, SlicesRequest())
        self.table: TableView = self._view
        self.remove = QPushButton("Remove slice")
        self.header.addWidget(self.remove)
        set_tooltip(self.remove, "Remove the selected slice, which was named here (Del)")
        self.table.row_selected.connect(self._select_slice)
        self.table.delete_requested.connect(self._remove_slice)
        self.remove.clicked.connect(self._remove_slice)

    def show_result(self, result: Table) -> None:
        """See `RequestPanel`; the means come first, so that they are in sight where the panel is narrow."""
        super().show_result(result)
        tips = [", ".join(map(self._text_of, zip(result.columns, row, strict=True))) for row in result.rows]
        self.table.records.set_table(result, tips=tips)
        head = self.table.horizontalHeader()
        self.table.set_stretched(NAME_COLUMN)
        self._show_columns()
        head.moveSection(head.visualIndex(MEAN_COLUMN), 0)

    @staticmethod
    def _text_of(cell: tuple[TableColumn, Cell]) -> str:
        column, value = cell
        return str(value) if isinstance(value, str) else f"{column.title or column.key} {cell_text(value, column)}"

    def _show_columns(self) -> None:
        """Leave the width of a narrow panel to the names and their means; the tooltips have the other columns."""
        for column in range(self.table.records.columnCount()):
            is_kept = column in (NAME_COLUMN, MEAN_COLUMN) or (column != RUN_COLUMN and self.width() >= WIDE_WIDTH)
            self.table.setColumnHidden(column, not is_kept)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Qt override."""
        super().resizeEvent(event)
        self._show_columns()

    @Slot(object)
    def _select_slice(self, key: object) -> None:
        records = self.table.records
        if (row := records.row_of(key)) >= 0:
            self._session.select(slice=str(records.table.rows[row][NAME_COLUMN]), means=True)

    @Slot()
    def _remove_slice(self) -> None:
        session, name = self._session, self._session.selection.slice
        if name in session.edits.edited.slices:
            session.edits.set_slice(name, ())
        else:  # no disabled button: the focus would move to the table, and select its first row
            session.done.emit("Only a slice that was named here can be removed; select it first")


class SliceBox(ChoiceBox):
    """List of the slices, one of which means are over."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self.setAccessibleName("Queries")
        set_tooltip(self, "Queries over which the loss is divided")
        self.activated.connect(self._choose)
        session.changed.connect(self._follow_session)
        self._show()

    @Slot(object, object)
    def _follow_session(self, old: Document, new: Document) -> None:
        if new.differs(old, "scores", "slice") or new.selection.means != old.selection.means:
            self._show()

    def _show(self) -> None:
        session = self._session
        names = [one.name for one in slices_of(content_data(session))] if session.scores is not None else []
        if [self.itemData(row) for row in range(self.count())] != ["", *names]:
            self.clear()
            for name in ("", *names):
                self.addItem(name or ALL_QUERIES, name)
        self.setCurrentIndex(max(self.findData(session.selection.slice), 0))
        self.setEnabled(session.selection.means)

    @Slot(int)
    def _choose(self, index: int) -> None:
        self._session.select(slice=self.itemData(index))


class SliceDialog(NameDialog):
    """Dialog for the name of a set of queries, which becomes the selected slice.

    Parameters
    ----------
    queries : indices, at least one.
    name : proposed.
    """

    def __init__(self, session: Session, queries: Sequence[int], name: str, parent: QWidget) -> None:
        self._queries, self._taken = tuple(queries), {one.name for one in slices_of(content_data(session))}
        label = f"Name of the slice of {count_text(len(self._queries), 'query', 'queries')}"
        super().__init__(session, "Keep as slice", label, unused_name(name, self._taken), parent)

    def problem_of(self, name: str) -> str:
        """See `NameDialog`; a slice that was named here before is replaced."""
        is_taken = name in self._taken - self._session.edits.edited.slices.keys()
        return "" if name and not is_taken else f"There is a slice {name} already" if name else "Give it a name"

    def use(self, name: str) -> None:
        """See `NameDialog`; name the slice, and select it."""
        self._session.edits.set_slice(name, self._queries)
        self._session.select(slice=name, means=True)
