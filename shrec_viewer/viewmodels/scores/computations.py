"""Results of score panels, computed in the background: calculation, confusion, significance, bounds."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Slot

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.evaluation.calculation import ScoreCalculation, calculation_of, calculation_of_mean
from shrec_viewer.evaluation.plots.confusion import Confusion, Tier, TierLists, confusion, tier_lists
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.selection import NOTHING, CalculationTarget, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work


class CalculationModel(SessionComputation):
    """Calculation of `CursorState.calculation_target`, or of the selected measure if there is none.

    Selecting another query, run or measure changes the target. The ranks that the score depends on are marked.
    """

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(session, "calculation", "The calculation cannot be shown", parent, keeps_result=True)
        session.selection_changed.connect(self._move_target)
        session.cursor_state.calculation_target_changed.connect(self.update_result)

    @property
    def calculation(self) -> ScoreCalculation | None:
        """The calculation; None if there is no score."""
        return None if self.result is None else self.result[1]

    @property
    def target(self) -> CalculationTarget | None:
        """The score that `calculation` belongs to."""
        return None if self.result is None else self.result[0]

    def inputs(self) -> tuple[Scores, CalculationTarget, int] | tuple[()]:
        """Scores, target, and index of its run in the scores."""
        session, scores, runs = self._session, self._session.scores, self._session.document.benchmark.runs
        if scores is None:
            return ()
        selected = CalculationTarget(session.measure, session.selection.run, session.selection.query)
        target = session.cursor_state.calculation_target or selected
        keys = [measure.key for measure in scores.measures]
        if target.measure not in keys:
            target = replace(target, measure=session.measure)  # another profile has other measures
        if not 0 <= target.run < len(runs) or target.query >= len(scores.queries):
            return ()
        name = runs[target.run].name
        return (scores, target, scores.run_index(name)) if name in scores.runs and target.measure in keys else ()

    def work(self, scores: Scores, target: CalculationTarget, run: int) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(_task: Task) -> tuple[CalculationTarget, ScoreCalculation]:
            if target.query == NOTHING:
                return target, calculation_of_mean(scores, target.measure, run, over_classes=target.over == "classes")
            return target, calculation_of(scores, target.measure, run, target.query)

        return compute, f"Calculation of {target.measure}"

    def set_active(self, active: bool) -> None:
        """Start or stop computing and marking ranks."""
        super().set_active(active)
        self._mark()

    def set_result(self, result: Any) -> None:
        """Replace the result and mark its ranks."""
        self._result = result
        self._mark()
        self.changed.emit()

    def _mark(self) -> None:
        target, calculation, selection = self.target, self.calculation, self._session.selection
        steps = None if calculation is None else calculation.calculation_steps
        is_shown_list = target is not None and (target.query, target.run) == (selection.query, selection.run)
        self._session.cursor_state.mark(steps.ranks if self._active and steps is not None and is_shown_list else ())

    @Slot(object, object)
    def _move_target(self, old: Selection, new: Selection) -> None:
        target = self._session.cursor_state.calculation_target
        if target is None or (old.query, old.run, old.measure) == (new.query, new.run, new.measure):
            return
        is_mean = target.query == NOTHING and (old.query, old.run) == (new.query, new.run)
        query = NOTHING if is_mean else new.query
        measure = target.measure if old.measure == new.measure else self._session.measure
        self._session.cursor_state.show_calculation(CalculationTarget(measure, new.run, query, target.over))


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
