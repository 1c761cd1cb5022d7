"""Back and forward through what was looked at, as through the pages of a browser."""

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session

MOST_PLACES = 200
"""Places remembered; a walk through all queries of a contest is at most a few hundred."""


class History(QObject):
    """Remembers where the selection was. Walking ranks is no new place; queries, runs, measures and means are.

    What is selected because scores have come, and not by anybody, was never looked at and is no place either.

    Signals
    -------
    changed()
        Other places lie behind or ahead.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._behind: list[Selection] = []
        self._ahead: list[Selection] = []
        self._travelling = False
        session.benchmark_changed.connect(self._forget)
        session.selection_changed.connect(self._remember)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before this one."""
        return bool(self._behind)

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a place that was gone back from."""
        return bool(self._ahead)

    def back(self) -> None:
        """Select what was selected before."""
        self._travel(self._behind, self._ahead)

    def forward(self) -> None:
        """Undo `back`."""
        self._travel(self._ahead, self._behind)

    def _travel(self, source: list[Selection], target: list[Selection]) -> None:
        if not source:
            return
        place = source.pop()
        target.append(self._session.selection)
        self._travelling = True
        try:
            compared = NOTHING if place.compared is None else place.compared
            self._session.select(
                query=place.query, run=place.run, compared=compared, measure=place.measure, means=place.means
            )
            if place.rank is not None:
                self._session.select(rank=place.rank)
        finally:
            self._travelling = False
        self.changed.emit()

    @Slot(object, object)
    def _remember(self, old: Selection, new: Selection) -> None:
        if self._travelling or self._session.is_arriving or _place(old) == _place(new):
            return
        self._behind = [*self._behind, old][-MOST_PLACES:]
        self._ahead = []
        self.changed.emit()

    @Slot()
    def _forget(self) -> None:
        self._behind, self._ahead = [], []
        self.changed.emit()


def _place(selection: Selection) -> Selection:
    """What makes a place: all but rank, model and the runs drawn."""
    return replace(selection, rank=None, model=None, shown_runs=())
