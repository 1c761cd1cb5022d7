"""Results of score panels, computed in the background: calculation, confusion, significance, bounds."""

from PySide6.QtCore import QObject

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.evaluation.plots.confusion import Confusion, Tier, TierLists, confusion, tier_lists
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
        """The lists; None while they are computed, and without a run or a relevance assessment."""
        return None if self.result is None else self.result[0]

    def confusion(self, tier: Tier) -> Confusion | None:
        """The confusion of a tier; None without `tiers`, and without a classification."""
        return None if self.result is None else self.result[1].get(tier)

    def inputs(self) -> tuple[Benchmark, Run, Profile] | tuple[()]:
        """Benchmark, run and profile."""
        document = self._session.document
        run, benchmark = document.run, document.benchmark
        return () if run is None or benchmark.assessment is None else (benchmark, run, document.profile)

    def work(self, benchmark: Benchmark, run: Run, profile: Profile) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(task: Task) -> tuple[TierLists, dict[Tier, Confusion]]:
            tiers = tier_lists(benchmark, run, profile, cancelled=task.cancelled, progress=task.progress)
            if benchmark.classification is None:
                return tiers, {}
            both: tuple[Tier, Tier] = (1, 2)
            # Of millions of ranks they take half a second, too long for the main thread.
            return tiers, {tier: confusion(tiers, benchmark, tier) for tier in both}

        return compute, f"Confusion by tier of {run.name}"
