"""What can be done with a query wherever it is named: the entries of a menu."""

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from shrec_viewer.viewmodels.session import Session


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
        menu.addAction(self.tr("&Look at {name}").format(name=name)).triggered.connect(self._look)
        turn = menu.addAction(self.tr("&Open in 3D"))
        turn.setEnabled(path is not None)
        turn.triggered.connect(self._turn)
        menu.addAction(self.tr("Write a &note on it")).triggered.connect(self._note)
        menu.addSeparator()
        menu.addAction(self.tr("Copy query &id")).triggered.connect(self._copy)

    @Slot()
    def _look(self) -> None:
        self._session.select(query=self._query)
        self._session.pointing.want_view("query")

    @Slot()
    def _turn(self) -> None:
        self._session.select(query=self._query)
        self._session.pointing.want_view("model_view")

    @Slot()
    def _note(self) -> None:
        self._session.select(query=self._query)
        self._session.pointing.want_note()

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._id)
