"""Which runs can be told apart on the measure looked at, found out beside the window while somebody looks."""

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.standings import Standings, standings
from shrec_viewer.viewmodels.selection import Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.tasks import Task

LANE = "standings"


class RunStandings(QObject):
    """Follows scores and measure.

    Signals
    -------
    changed()
        `standings` is another one, or None while it is computed.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._standings: Standings | None = None
        self._wanted = False
        self._made_for: tuple[Scores | None, str] = (None, "")
        session.scores_changed.connect(self._compute)
        session.benchmark_changed.connect(self._compute)
        session.selection_changed.connect(self._follow)

    @property
    def standings(self) -> Standings | None:
        """Means with intervals and groups of all runs of the present scores; None while they are not known."""
        return self._standings if self._made_for[0] is self._session.scores else None

    def set_wanted(self, wanted: bool) -> None:
        """Whether anybody looks; computing waits until somebody does."""
        self._wanted = wanted
        self._compute()

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        if old.measure != new.measure:
            self._compute()

    @Slot()
    def _compute(self) -> None:
        scores, measure = self._session.scores, self._session.measure
        if self._made_for[0] is scores and self._made_for[1] == measure:
            return
        self._made_for = (scores, measure) if self._wanted else (None, "")
        self._show(None)  # also where nobody looks: what is known is of runs that may be gone
        if not self._wanted or scores is None or not scores.runs or not scores.queries:
            self._session.tasks.stop(LANE)
            return
        self._session.tasks.run(
            LANE, partial(_standings, scores, measure), self._show, self._fail, title="Which runs can be told apart"
        )

    def _show(self, found: Standings | None) -> None:
        if found is not None or self._standings is not None:
            self._standings = found
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._session.tell_failure("The runs cannot be compared", error)


def _standings(scores: Scores, measure: str, task: Task) -> Standings:
    return standings(scores, measure, cancelled=task.cancelled)
