"""Back and forward through earlier selections."""

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session

MAX_ENTRIES = 200
"""Places remembered; a walk through all queries of a contest is at most a few hundred."""


class SelectionHistory(QObject):
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
        self._back_stack: list[Selection] = []
        self._forward_stack: list[Selection] = []
        self._travelling = False
        session.benchmark_changed.connect(self._forget)
        session.selection_changed.connect(self._remember)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a place before this one."""
        return bool(self._back_stack)

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a place that was gone back from."""
        return bool(self._forward_stack)

    def back(self) -> None:
        """Select what was selected before."""
        self._travel(self._back_stack, self._forward_stack)

    def forward(self) -> None:
        """Undo `back`."""
        self._travel(self._forward_stack, self._back_stack)

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
        if self._travelling or self._session.is_selecting_best_run or _history_key(old) == _history_key(new):
            return
        self._back_stack = [*self._back_stack, old][-MAX_ENTRIES:]
        self._forward_stack = []
        self.changed.emit()

    @Slot()
    def _forget(self) -> None:
        self._back_stack, self._forward_stack = [], []
        self.changed.emit()


def _history_key(selection: Selection) -> Selection:
    """What makes a place: all but rank, model and the runs drawn."""
    return replace(selection, rank=None, model=None, shown_runs=())
