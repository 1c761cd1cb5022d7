"""Significance groups of the runs on the selected measure, computed in the background."""

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.significance import RunSignificance, run_significance
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task

LANE = "standings"


class SignificanceModel(QObject):
    """Follows scores and measure.

    Signals
    -------
    changed()
        `run_significance` is another one, or None while it is computed.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._standings: RunSignificance | None = None
        self._wanted = False
        self._input_key: tuple[Scores | None, str] = (None, "")
        session.scores_changed.connect(self._compute)
        session.benchmark_changed.connect(self._compute)
        session.selection_changed.connect(self._follow)

    @property
    def standings(self) -> RunSignificance | None:
        """Means with intervals and groups of all runs of the present scores; None while they are not known."""
        return self._standings if self._input_key[0] is self._session.scores else None

    def set_active(self, wanted: bool) -> None:
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
        if self._input_key[0] is scores and self._input_key[1] == measure:
            return
        self._input_key = (scores, measure) if self._wanted else (None, "")
        self._show(None)  # also where nobody looks: what is known is of runs that may be gone
        if not self._wanted or scores is None or not scores.runs or not scores.queries:
            self._session.tasks.stop(LANE)
            return
        self._session.tasks.run(
            LANE,
            partial(_compute_significance, scores, measure),
            self._show,
            self._fail,
            title="Which runs can be told apart",
        )

    def _show(self, found: RunSignificance | None) -> None:
        if found is not None or self._standings is not None:
            self._standings = found
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._session.report_failure("The runs cannot be compared", error)


def _compute_significance(scores: Scores, measure: str, task: Task) -> RunSignificance:
    return run_significance(scores, measure, cancelled=task.cancelled)
