"""What can be done with the cards of a grid: copy them, show a file, look at it in 3D, ask for what is like it."""

import numpy as np
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from shrec_viewer.viewmodels.ranked_list_model import RankedListModel
from shrec_viewer.viewmodels.selection import NOTHING
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import count_words
from shrec_viewer.widgets.card_grid import CardGrid

NATIVE = QKeySequence.SequenceFormat.NativeText
"""Keys as this system writes them."""

COLUMNS = ("rank", "id", "class", "level", "distance")
"""Of a copied row; a table has no use for rows that do not say what they hold."""


class CardActions(QObject):
    """The actions on the selected cards of one grid, and its context menu.

    Parameters
    ----------
    ranked : the cards have ranks, by which the 3D view is told which one is meant.

    Signals
    -------
    model_requested()
        The person wants to look at the current model in 3D.
    """

    model_requested = Signal()

    def __init__(self, session: Session, model: RankedListModel, grid: CardGrid, *, ranked: bool = True) -> None:
        super().__init__(grid)
        self._ranked = ranked
        self._session = session
        self._model = model
        self._grid = grid
        grid.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        grid.customContextMenuRequested.connect(self._show_menu)

    @property
    def row(self) -> int:
        """Row of the current card, -1 for none."""
        return self._grid.currentIndex().row() if self._grid.currentIndex().isValid() else -1

    @Slot()
    def copy_ids(self) -> bool:
        """Copy the ids of the selected cards, one a line; whether there are any."""
        rows = self._grid.selected_rows()
        self._copy([self._model.index(row, 0).data() for row in rows])
        return bool(rows)

    @Slot()
    def copy_rows(self) -> None:
        """Copy the selected cards as a table with tabs: rank, id, class, level, distance."""
        rows = self._grid.selected_rows()
        lines = ["\t".join(self._model.row_words(row)) for row in rows]
        self._copy(["\t".join(COLUMNS), *lines] if lines else [])

    @Slot()
    def show_file(self) -> None:
        """Open the folder of the current model's file in the system's own viewer of folders."""
        if (path := self._model.path_of(self.row)) is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))

    @Slot()
    def make_query(self) -> bool:
        """Select the query that the current model is, where the collection queries itself; False where it is none."""
        if (query := self.query_of_current()) == NOTHING:
            return False
        self._session.select(query=query)
        return True

    def query_of_current(self) -> int:
        """The query that the current model is; `NOTHING` where it is none."""
        benchmark = self._session.benchmark
        if benchmark is None or self.row < 0:
            return NOTHING
        item = self._model.item_of(self.row)
        found = np.flatnonzero(benchmark.queries.member == item) if item >= 0 else np.zeros(0, np.int64)
        return int(found[0]) if len(found) else NOTHING

    def menu(self) -> QMenu:
        """The actions that can be done now; deletes itself when it is closed."""
        count = len(self._grid.selected_rows())
        ids = "&Copy model id" if count == 1 else f"&Copy {count_words(count, 'model id')}"
        path = self._model.path_of(self.row)
        menu = QMenu(self._grid)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, keys, receiver, possible in (
            ("&Open in 3D", "Return", self.model_requested, path is not None and self._ranked),
            (ids, "Ctrl+C", self.copy_ids, count > 0),
            ("Copy models as a &table", "Ctrl+Shift+C", self.copy_rows, count > 0),
            ("Show the &file in its folder", "", self.show_file, path is not None),
            ("Make it the &query", "Q" if self._ranked else "", self.make_query, self.query_of_current() != NOTHING),
        ):
            # After a tab the menu shows the key and leaves it to the window's command.
            action = menu.addAction(f"{text}\t{QKeySequence(keys).toString(NATIVE)}" if keys else text)
            action.triggered.connect(receiver)
            action.setEnabled(possible)
        return menu

    @Slot(QPoint)
    def _show_menu(self, position: QPoint) -> None:
        """By mouse where it is; by the menu key at the current card."""
        if self.row < 0:
            return
        if not self._grid.indexAt(position).isValid():
            position = self._grid.visualRect(self._grid.currentIndex()).center()
        self.menu().popup(self._grid.viewport().mapToGlobal(position))

    def _copy(self, lines: list[str]) -> None:
        if lines:
            QGuiApplication.clipboard().setText("\n".join(lines))
