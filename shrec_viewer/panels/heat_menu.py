"""What can be done where the map of runs and queries is clicked with the right button."""

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QMenu, QWidget

from shrec_viewer.panels.query_actions import QueryActions
from shrec_viewer.panels.run_actions import RunActions
from shrec_viewer.viewmodels.pointing import Explained
from shrec_viewer.viewmodels.selection import NOTHING
from shrec_viewer.viewmodels.session import Session


class HeatMenu(QMenu):
    """For a cell, or for the name of a run or of a query; deletes itself when it is closed.

    Parameters
    ----------
    run, query : places in the benchmark; `NOTHING` where none is meant.

    Signals
    -------
    run_order_picked(name), query_order_picked(name)
        Queries are to stand by what this run found; runs by what was found for this query.
    """

    run_order_picked = Signal(str)
    query_order_picked = Signal(str)

    def __init__(self, session: Session, run: int, query: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._run, self._query = session, run, query
        benchmark = session.benchmark
        assert benchmark is not None
        self._run_name = "" if run == NOTHING else benchmark.runs[run].name
        self._query_id = "" if query == NOTHING else benchmark.queries.ids[query]
        if query == NOTHING:
            self._fill_run(self)
        elif run == NOTHING:
            self._fill_query(self)
        else:
            self._fill_cell()

    def _fill_cell(self) -> None:
        run, query = (name.replace("&", "&&") for name in (self._run_name, self._query_id))
        self.addAction(self.tr("&Look at {query} of {run}").format(query=query, run=run)).triggered.connect(self._look)
        self.addAction(self.tr("Show the &working of the number")).triggered.connect(self._explain)
        self.addSeparator()
        self._fill_run(self.addMenu(self.tr("&Run {run}").format(run=run)))
        self._fill_query(self.addMenu(self.tr("&Query {query}").format(query=query)))

    def _fill_run(self, menu: QMenu) -> None:
        RunActions(self._session, self._run, menu)
        menu.addSeparator()
        menu.addAction(self.tr("O&rder the queries by this run, best first")).triggered.connect(self._order_queries)

    def _fill_query(self, menu: QMenu) -> None:
        QueryActions(self._session, self._query, menu)
        menu.addSeparator()
        menu.addAction(self.tr("O&rder the runs by this query, best first")).triggered.connect(self._order_runs)

    @Slot()
    def _look(self) -> None:
        self._session.select(run=self._run, query=self._query)
        self._session.pointing.want_view("query")

    @Slot()
    def _explain(self) -> None:
        self._session.select(run=self._run, query=self._query)
        self._session.pointing.explain(Explained(self._session.measure, self._run, self._query))
        self._session.pointing.want_view("explanation")

    @Slot()
    def _order_queries(self) -> None:
        self.run_order_picked.emit(self._run_name)

    @Slot()
    def _order_runs(self) -> None:
        self.query_order_picked.emit(self._query_id)
