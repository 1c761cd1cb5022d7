"""Context menu actions for a query, a run and the selected model cards."""

import numpy as np
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QMenu

from shrec_viewer.viewmodels.ranking.ranked_list import RankedListModel
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.text.labels import count_text
from shrec_viewer.widgets.cards.card_grid import CardGrid


class QueryActions(QObject):
    """Adds what can be done with one query to a menu, and does it.

    Parameters
    ----------
    query : place of the query in the benchmark.
    menu : takes the entries, and owns this.
    """

    def __init__(self, session: Session, query: int, menu: QMenu) -> None:
        super().__init__(menu)
        self._session = session
        self._query = query
        assert session.benchmark is not None
        self._id = session.benchmark.queries.ids[query]
        path = session.benchmark.queries.paths[query]
        name = self._id.replace("&", "&&")
        menu.addAction(f"&Look at {name}").triggered.connect(self._look)
        turn = menu.addAction("&Open in 3D")
        turn.setEnabled(path is not None)
        turn.triggered.connect(self._turn)
        menu.addAction("Write a &note on it").triggered.connect(self._note)
        menu.addSeparator()
        menu.addAction("Copy query &id").triggered.connect(self._copy)

    @Slot()
    def _look(self) -> None:
        self._session.select(query=self._query)
        self._session.cursor_state.request_view("query")

    @Slot()
    def _turn(self) -> None:
        self._session.select(query=self._query)
        self._session.cursor_state.request_view("model_view")

    @Slot()
    def _note(self) -> None:
        self._session.select(query=self._query)
        self._session.cursor_state.request_note()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._id)


class RunActions(QObject):
    """Adds what can be done with one run to a menu, and does it.

    Parameters
    ----------
    run : place of the run in the benchmark.
    menu : takes the entries, and owns this.
    """

    def __init__(self, session: Session, run: int, menu: QMenu) -> None:
        super().__init__(menu)
        self._session = session
        self._run = run
        assert session.benchmark is not None
        self._name = session.benchmark.runs[run].name
        self._menu = menu
        self._fill()

    def _fill(self) -> None:
        selection, name = self._session.selection, self._name.replace("&", "&&")
        drawn = selection.drawn_runs
        look = self._menu.addAction(f"&Look at {name} (run A)")
        look.setEnabled(self._run != selection.run)
        look.triggered.connect(self._look)
        if selection.compared == self._run:
            words, receiver = "Stop &comparing with {name}", self._stop
        else:
            words, receiver = "&Compare with {name} (run B)", self._compare
        compare = self._menu.addAction(words.format(name=name))
        compare.setEnabled(self._run != selection.run or selection.compared == self._run)
        compare.triggered.connect(receiver)
        self._menu.addSeparator()
        hide = "&Hide in graphs" if self._run in drawn else "S&how in graphs"
        self._menu.addAction(hide).triggered.connect(self._toggle)
        alone = "Draw all runs in graphs" if drawn == (self._run,) else "Draw &alone in graphs"
        self._menu.addAction(alone).triggered.connect(self._isolate)
        self._menu.addAction("C&olour…").triggered.connect(self._colour)
        usual = self._menu.addAction("&Usual colour")
        usual.setEnabled(self._name in self._session.edits.colours)
        usual.triggered.connect(self._reset_colour)
        self._menu.addSeparator()
        self._menu.addAction("Copy &name of the run").triggered.connect(self._copy)

    @Slot()
    def _look(self) -> None:
        self._session.select(run=self._run)

    @Slot()
    def _compare(self) -> None:
        self._session.select(compared=self._run)

    @Slot()
    def _stop(self) -> None:
        self._session.select(compared=NOTHING)

    @Slot()
    def _toggle(self) -> None:
        self._session.edits.toggle_run(self._run)

    @Slot()
    def _isolate(self) -> None:
        self._session.edits.isolate_run(self._run)

    @Slot()
    def _colour(self) -> None:
        self._session.cursor_state.request_colour(self._run)

    @Slot()
    def _reset_colour(self) -> None:
        self._session.edits.set_colour(self._name, "")

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._name)


NATIVE_TEXT = QKeySequence.SequenceFormat.NativeText
"""Keys as this system writes them."""

COPIED_COLUMNS = ("rank", "id", "class", "level", "distance")
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
        lines = ["\t".join(self._model.row_cells(row)) for row in rows]
        self._copy(["\t".join(COPIED_COLUMNS), *lines] if lines else [])

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
        ids = "&Copy model id" if count == 1 else f"&Copy {count_text(count, 'model id')}"
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
            action = menu.addAction(f"{text}\t{QKeySequence(keys).toString(NATIVE_TEXT)}" if keys else text)
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
