"""Leaderboards under all assessments of the open benchmark, computed in the background."""

from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.comparison.assessments import AssessmentComparison, NamedAssessment, compare_assessments
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work

ComparisonInputs = tuple[Benchmark, Profile, tuple[NamedAssessment, ...], str]


class AssessmentsModel(SessionComputation):
    """The runs under each assessment, by the selected measure."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(
            session, "assessment comparison", "The assessments cannot be compared", parent, keeps_result=True
        )
        session.assessments.changed.connect(self.update_result)

    @property
    def comparison(self) -> AssessmentComparison | None:
        """The result; None while the first one is computed."""
        found: AssessmentComparison | None = self.result
        return found

    def prepare(self) -> None:
        """Read the assessments when they are needed for the first time."""
        self._session.assessments.find()

    def inputs(self) -> ComparisonInputs | tuple[()]:
        """Benchmark, profile, assessments and measure."""
        session, benchmark = self._session, self._session.benchmark
        available = session.assessments.available
        if benchmark is None or not benchmark.runs or not available or session.scores is None:
            return ()
        return benchmark, session.profile, available, session.measure

    def is_current(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """Which of the assessments the benchmark uses makes no difference."""
        if len(old) != len(new) or not old:
            return len(old) == len(new)
        edits = [[(one.key, getattr(one.assessment, "edits", None)) for one in inputs[2]] for inputs in (old, new)]
        same = old[0].runs is new[0].runs and old[0].queries is new[0].queries and edits[0] == edits[1]
        return same and (old[1], old[3]) == (new[1], new[3])

    def work(
        self, benchmark: Benchmark, profile: Profile, available: tuple[NamedAssessment, ...], measure: str
    ) -> tuple[Work, str]:
        """Score the runs under each assessment."""
        return partial(_compare, benchmark, profile, available, measure), "Comparing assessments"


def _compare(
    benchmark: Benchmark, profile: Profile, available: tuple[NamedAssessment, ...], measure: str, task: Task
) -> AssessmentComparison:
    return compare_assessments(benchmark, profile, available, measure, cancelled=task.cancelled, progress=task.progress)
