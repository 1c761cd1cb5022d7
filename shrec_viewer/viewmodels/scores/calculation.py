"""Calculation of the selected score, computed in a background task."""

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Slot

from shrec_viewer.evaluation.calculation import ScoreCalculation, calculation_of, calculation_of_mean
from shrec_viewer.evaluation.scores import Scores
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
        session, scores, benchmark = self._session, self._session.scores, self._session.benchmark
        if scores is None or benchmark is None:
            return ()
        selected = CalculationTarget(session.measure, session.selection.run, session.selection.query)
        target = session.cursor_state.calculation_target or selected
        keys = [measure.key for measure in scores.measures]
        if target.measure not in keys:
            target = replace(target, measure=session.measure)  # another profile has other measures
        if not 0 <= target.run < len(benchmark.runs) or target.query >= len(scores.queries):
            return ()
        name = benchmark.runs[target.run].name
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
