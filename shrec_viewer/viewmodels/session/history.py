"""Back and forward through earlier selections."""

from dataclasses import replace

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session

MAX_ENTRIES = 200
"""Maximum number of previous selections; contests have at most a few hundred queries."""


class SelectionHistory(QObject):
    """Stack of previous selections, for Back and Forward.

    Changes of rank, model and shown runs are not recorded, nor is the automatic selection of the best run.

    Signals
    -------
    changed()
        `can_go_back` or `can_go_forward` may have changed.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._back_stack: list[Selection] = []
        self._forward_stack: list[Selection] = []
        self._restoring = False
        session.benchmark_changed.connect(self._clear)
        session.selection_changed.connect(self._record)

    @property
    def can_go_back(self) -> bool:
        """Whether there is a previous selection."""
        return bool(self._back_stack)

    @property
    def can_go_forward(self) -> bool:
        """Whether `back` can be undone."""
        return bool(self._forward_stack)

    def back(self) -> None:
        """Restore the previous selection."""
        self._restore(self._back_stack, self._forward_stack)

    def forward(self) -> None:
        """Undo `back`."""
        self._restore(self._forward_stack, self._back_stack)

    def _restore(self, source: list[Selection], target: list[Selection]) -> None:
        if not source:
            return
        selection = source.pop()
        target.append(self._session.selection)
        self._restoring = True
        try:
            compared = NOTHING if selection.compared is None else selection.compared
            self._session.select(
                query=selection.query,
                run=selection.run,
                compared=compared,
                measure=selection.measure,
                means=selection.means,
            )
            if selection.rank is not None:
                self._session.select(rank=selection.rank)
        finally:
            self._restoring = False
        self.changed.emit()

    @Slot(object, object)
    def _record(self, old: Selection, new: Selection) -> None:
        if self._restoring or self._session.is_selecting_best_run or _history_key(old) == _history_key(new):
            return
        self._back_stack = [*self._back_stack, old][-MAX_ENTRIES:]
        self._forward_stack = []
        self.changed.emit()

    @Slot()
    def _clear(self) -> None:
        self._back_stack, self._forward_stack = [], []
        self.changed.emit()


def _history_key(selection: Selection) -> Selection:
    """The fields of which changes are recorded: all but rank, model and shown runs."""
    return replace(selection, rank=None, model=None, shown_runs=())
