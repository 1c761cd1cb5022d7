"""Ranges of the scores over the orders of models at the same distance, computed in the background when needed."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from shrec_viewer.evaluation.evaluate import tie_range
from shrec_viewer.evaluation.scores import Scores, TieRange
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work


class TieRanges(SessionComputation):
    """The range of all scores of the session; shared by the views that show it, see `shared_tie_ranges`."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, "tie ranges", "The ranges of ties are unknown", parent)
        self._users: set[str] = set()

    def set_needed(self, user: str, needed: bool) -> None:
        """Compute as long as a view with this name needs the ranges."""
        before = bool(self._users)
        self._users = self._users | {user} if needed else self._users - {user}
        if bool(self._users) != before:
            self.set_active(bool(self._users))

    @property
    def ranges(self) -> TieRange | None:
        """The ranges of the present scores; None until they are computed, and while no view needs them."""
        found: TieRange | None = self.result
        return found if found is not None and found.actual is self._session.scores else None

    def bounds(self, read: Callable[[Scores], NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """(2, ...) float64, lowest and highest of what `read` returns, such as the means; None until computed."""
        return None if self.ranges is None else self.ranges.between(read)

    def inputs(self) -> tuple[Scores] | tuple[()]:
        """The scores."""
        scores = self._session.scores
        return () if scores is None or not scores.runs else (scores,)

    def work(self, scores: Scores) -> tuple[Work, str]:
        """Rank the runs with ties in the best and in the worst order."""
        return partial(_compute, scores), "Ranges of ties"


def shared_tie_ranges(session: Session) -> TieRanges:
    """The ranges of a session; created on first use."""
    found: Any = session.findChild(TieRanges)
    return found if found is not None else TieRanges(session, session)


def _compute(scores: Scores, task: Task) -> TieRange:
    found = tie_range(scores, cancelled=task.cancelled)
    for one in (found.optimistic, found.pessimistic):
        _ = one.values  # cached here, not in the main thread
    return found
