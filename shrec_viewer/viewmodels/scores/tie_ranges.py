"""Ranges of the scores over the orders of models at the same distance, computed in the background when needed."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from shrec_viewer.content.request import Request
from shrec_viewer.content.scores import tie_ranges
from shrec_viewer.evaluation.scores import Scores, TieRange
from shrec_viewer.viewmodels.content.computation import Computation
from shrec_viewer.viewmodels.session.session import Session


class TieRanges(QObject):
    """The range of all scores of the session; shared by the views that show it, see `shared_tie_ranges`.

    Signals
    -------
    changed()
        `ranges` was replaced.
    """

    changed = Signal()

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._users: set[str] = set()
        failure = "The ranges of ties are unknown"
        self._computation = Computation(
            session, "tie ranges", tie_ranges, title="Ranges of ties", failure=failure, parent=self
        )
        self._computation.set_request(Request())
        self._computation.changed.connect(self.changed)
        session.changed.connect(self._computation.update_result)

    def set_needed(self, user: str, needed: bool) -> None:
        """Compute as long as a view with this name needs the ranges."""
        self._users = self._users | {user} if needed else self._users - {user}
        self._computation.set_active(bool(self._users))

    @property
    def ranges(self) -> TieRange | None:
        """The ranges of the present scores; None until they are computed, and while no view needs them."""
        found: TieRange | None = self._computation.result
        return found if found is not None and found.actual is self._session.scores else None

    def bounds(self, read: Callable[[Scores], NDArray[np.float64]]) -> NDArray[np.float64] | None:
        """(2, ...) float64, lowest and highest of what `read` returns, such as the means; None until computed."""
        return None if self.ranges is None else self.ranges.between(read)


def shared_tie_ranges(session: Session) -> TieRanges:
    """The ranges of a session; created on first use."""
    found: Any = session.findChild(TieRanges)
    return found if found is not None else TieRanges(session)
