"""Significance groups of the runs on the selected measure, computed in the background."""

from PySide6.QtCore import QObject

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.significance import RunSignificance, run_significance
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work


class SignificanceModel(SessionComputation):
    """Means with confidence intervals and significance groups of all runs on the selected measure."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, "significance", "The runs cannot be compared", parent)

    @property
    def groups(self) -> RunSignificance | None:
        """The result for the current scores; None while it is computed."""
        is_current = self._inputs[:1] == (self._session.scores,)
        return self.result if is_current else None

    def inputs(self) -> tuple[Scores, str] | tuple[()]:
        """Scores and key of the measure."""
        scores = self._session.scores
        if scores is None or not scores.runs or not scores.queries:
            return ()
        return scores, self._session.measure

    def work(self, scores: Scores, measure: str) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(task: Task) -> RunSignificance:
            return run_significance(scores, measure, cancelled=task.cancelled)

        return compute, "Significance of differences"
