"""Consequences of the edits of the assessment, computed in the background."""

from typing import Any

from PySide6.QtCore import QObject

from shrec_viewer.domain import EditedAssessment
from shrec_viewer.evaluation.consequences import EditConsequences, edit_consequences, significance_of_pairs
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.statistics.significance import AllPairs
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work

Tested = tuple[Scores, str, AllPairs]
"""Scores before the edits, a measure, and the test of the differences of all pairs of runs by it."""


class ConsequencesModel(SessionComputation):
    """Means, ranks and conclusions before and after the edits, by the selected measure; None without edits."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(
            session, "consequences", "The consequences of the edits are unknown", parent, keeps_result=True
        )
        self._tested: Tested | None = None

    @property
    def consequences(self) -> EditConsequences | None:
        """The result; None without edits."""
        return None if self.result is None else self.result[0]

    def inputs(self) -> tuple[Scores, Scores | None, str] | tuple[()]:
        """Scores, those before the edits, and the measure."""
        session, scores, benchmark = self._session, self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not scores.runs:
            return ()
        if scores.benchmark.assessment is not benchmark.assessment:
            return self._inputs  # the scores with the latest edits come later
        if not isinstance(benchmark.assessment, EditedAssessment):
            return scores, None, session.measure
        former = session.unedited_scores
        return self._inputs if former is None else (scores, former, session.measure)

    def work(self, scores: Scores, former: Scores | None, measure: str) -> tuple[Work, str]:
        """Compare with the scores before the edits; without edits, test the differences for the first one."""
        return _ConsequencesWork(scores, former, measure, self._tested), "Comparing with the original assessment"

    def set_result(self, result: Any) -> None:
        """Keep the test of the scores before the edits for the next edit."""
        if result is not None:
            self._tested = result[1]
        super().set_result(result)

    def reset(self) -> None:
        """Drop the scores of the former benchmark."""
        self._tested = None


class _ConsequencesWork:
    """The comparison, for a background task."""

    def __init__(self, scores: Scores, former: Scores | None, measure: str, tested: Tested | None) -> None:
        self._scores, self._former, self._measure, self._tested = scores, former, measure, tested

    def __call__(self, task: Task) -> tuple[EditConsequences | None, Tested]:
        measure, tested, before = self._measure, self._tested, self._former or self._scores
        if tested is None or tested[0] is not before or tested[1] != measure:
            tested = before, measure, significance_of_pairs(before, measure, cancelled=task.cancelled)
        if self._former is None:
            return None, tested
        return edit_consequences(before, self._scores, measure, tested[2], cancelled=task.cancelled), tested
