"""Consequences of the edits of the assessment, computed in the background."""

from typing import Any

from PySide6.QtCore import QObject

from shrec_viewer.domain import Benchmark, EditedAssessment
from shrec_viewer.evaluation.consequences import EditConsequences, edit_consequences, significance_of_pairs
from shrec_viewer.evaluation.edits import original_assessment, with_edits
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.statistics.significance import AllPairs
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work

Former = tuple[tuple[Any, ...], Scores, AllPairs]
"""What the scores before the edits depend on; these scores; and their test of all pairs."""


class ConsequencesModel(SessionComputation):
    """Means, ranks and conclusions before and after the edits, by the selected measure; None without edits."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(
            session, "consequences", "The consequences of the edits are unknown", parent, keeps_result=True
        )
        self._former: Former | None = None

    @property
    def consequences(self) -> EditConsequences | None:
        """The result; None without edits."""
        return None if self.result is None else self.result[0]

    def inputs(self) -> tuple[Benchmark, Scores, str] | tuple[()]:
        """Edited benchmark, its scores and the measure."""
        session, scores, benchmark = self._session, self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not isinstance(benchmark.assessment, EditedAssessment):
            return ()
        if scores.benchmark.assessment is not benchmark.assessment or not scores.runs:
            return self._inputs  # the scores with the latest edits come later
        return benchmark, scores, session.measure

    def work(self, benchmark: Benchmark, scores: Scores, measure: str) -> tuple[Work, str]:
        """Compute the former scores, unless they are known, and compare."""
        return _ConsequencesWork(benchmark, scores, measure, self._former), "Comparing with the original assessment"

    def set_result(self, result: Any) -> None:
        """Keep the former scores for the next edit."""
        if result is not None:
            self._former = result[1]
        super().set_result(result)

    def reset(self) -> None:
        """Drop the scores of the former benchmark."""
        self._former = None


class _ConsequencesWork:
    """The comparison, for a background task."""

    def __init__(self, benchmark: Benchmark, scores: Scores, measure: str, former: Former | None) -> None:
        self._benchmark, self._scores, self._measure, self._former = benchmark, scores, measure, former

    def __call__(self, task: Task) -> tuple[EditConsequences, Former]:
        scores, measure = self._scores, self._measure
        key = (original_assessment(self._benchmark), scores.profile, self._benchmark.runs, measure)
        former = self._former
        if former is None or any(a is not b and a != b for a, b in zip(former[0], key, strict=True)):
            original = with_edits(self._benchmark, ())
            before = evaluate(original, scores.profile, runs=scores.runs, measures=[measure], cancelled=task.cancelled)
            former = key, before, significance_of_pairs(before, measure, cancelled=task.cancelled)
        return edit_consequences(former[1], scores, measure, former[2], cancelled=task.cancelled), former
