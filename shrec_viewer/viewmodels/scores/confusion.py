"""Confusion counts by tier of the selected run, computed in the background."""

from PySide6.QtCore import QObject

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.evaluation.confusion import TierLists, tier_lists
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work


class ConfusionModel(SessionComputation):
    """First and second tier lists of all queries of the selected run."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, "confusion", "The confusion counts cannot be computed", parent)

    @property
    def tiers(self) -> TierLists | None:
        """The result; None while it is computed, and without a run or a relevance assessment."""
        return self.result

    def inputs(self) -> tuple[Benchmark, Run, Profile] | tuple[()]:
        """Benchmark, run and profile."""
        benchmark, run, profile = self._session.benchmark, self._session.run, self._session.profile
        if benchmark is None or run is None or benchmark.assessment is None:
            return ()
        return benchmark, run, profile

    def work(self, benchmark: Benchmark, run: Run, profile: Profile) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(task: Task) -> TierLists:
            return tier_lists(benchmark, run, profile, cancelled=task.cancelled, progress=task.progress)

        return compute, f"Confusion by tier of {run.name}"
