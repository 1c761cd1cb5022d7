"""Confusion counts by tier of the selected run, computed in the background."""

from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.evaluation.confusion import TierLists, tier_lists
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.selection import Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task

LANE = "tiers"


class ConfusionModel(QObject):
    """Follows the selected run and the conventions.

    Signals
    -------
    changed()
        `tiers` is another one, or None.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._tiers: TierLists | None = None
        self._wanted = False
        self._input_key: tuple[object, ...] = ()
        session.benchmark_changed.connect(self._count)
        session.runs_reloaded.connect(self._count)
        session.profile_changed.connect(self._count)
        session.selection_changed.connect(self._follow)

    @property
    def tiers(self) -> TierLists | None:
        """Tiers of the selected run; None while they are counted, and where there is nothing to count."""
        return self._tiers

    def set_active(self, wanted: bool) -> None:
        """Whether anybody looks; counting waits until somebody does."""
        self._wanted = wanted
        self._count()

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        if old.run != new.run:
            self._count()

    @Slot()
    def _count(self) -> None:
        benchmark, run, profile = self._session.benchmark, self._session.run, self._session.profile
        what = (benchmark, run, profile)
        known = len(self._input_key) == len(what) and all(a is b for a, b in zip(self._input_key, what, strict=True))
        if known:
            return
        self._input_key = what if self._wanted else ()  # keeps nothing of a benchmark that is no longer open
        self._show(None)
        if not self._wanted:
            return
        if benchmark is None or run is None or benchmark.assessment is None:
            self._session.tasks.stop(LANE)
            return
        self._session.tasks.run(
            LANE, partial(_count_tiers, benchmark, run, profile), self._show, self._fail, title=f"Tiers of {run.name}"
        )

    def _show(self, tiers: TierLists | None) -> None:
        if tiers is not None or self._tiers is not None:
            self._tiers = tiers
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._session.report_failure("The tiers cannot be counted", error)


def _count_tiers(benchmark: Benchmark, run: Run, profile: Profile, task: Task) -> TierLists:
    return tier_lists(benchmark, run, profile, cancelled=task.cancelled, progress=task.progress)
