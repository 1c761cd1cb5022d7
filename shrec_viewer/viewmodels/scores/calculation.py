"""How the selected number was calculated, computed in the background."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.evaluation.calculation import ScoreCalculation, calculation_of, calculation_of_mean
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.viewmodels.session.cursor import CalculationTarget
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task

LANE = "explanation"


class CalculationModel(QObject):
    """Follows the number picked, and from then on the selection: another query has another working.

    Signals
    -------
    changed()
        `explanation` is another one, or None.
    """

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._explanation: ScoreCalculation | None = None
        self._about: CalculationTarget | None = None
        self._wanted = False
        session.cursor_state.calculation_target_changed.connect(self._ask)
        session.selection_changed.connect(self._follow)
        session.scores_changed.connect(self._ask)
        session.benchmark_changed.connect(self._ask)

    @property
    def explanation(self) -> ScoreCalculation | None:
        """The working; None where there is no number."""
        return self._explanation

    @property
    def about(self) -> CalculationTarget | None:
        """What it is about."""
        return self._about

    def set_active(self, wanted: bool) -> None:
        """Whether anybody looks; marks of ranks go away with the last look."""
        self._wanted = wanted
        if wanted:
            self._ask()
        else:
            self._session.cursor_state.mark(())

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        if (old.query, old.run, old.measure) == (new.query, new.run, new.measure):
            return
        told = self._session.cursor_state.calculation_target
        if told is not None:
            is_mean = told.query == NOTHING and (old.query, old.run) == (new.query, new.run)
            query = NOTHING if is_mean else new.query
            measure = told.measure if old.measure == new.measure else self._session.measure
            self._session.cursor_state.show_calculation(CalculationTarget(measure, new.run, query, told.over))
        else:
            self._ask()

    @Slot()
    def _ask(self) -> None:
        if not self._wanted:
            return
        session, scores = self._session, self._session.scores
        about = session.cursor_state.calculation_target or CalculationTarget(
            session.measure, session.selection.run, session.selection.query
        )
        if scores is not None and about.measure not in [measure.key for measure in scores.measures]:
            about = replace(about, measure=session.measure)  # other conventions have other measures
        place = self._row(about)
        if scores is None or place is None:
            session.tasks.stop(LANE)
            self._show(None, None)
            return
        work = partial(_calculate, scores, about, place)
        session.tasks.run(LANE, work, partial(self._show, about), self._fail, title=f"Working of {about.measure}")

    def _row(self, about: CalculationTarget) -> int | None:
        """Place of the run in the scores; None where there is no such number."""
        scores, benchmark = self._session.scores, self._session.benchmark
        if scores is None or benchmark is None or not 0 <= about.run < len(benchmark.runs):
            return None
        name, keys = benchmark.runs[about.run].name, [measure.key for measure in scores.measures]
        if name not in scores.runs or about.measure not in keys or about.query >= len(scores.queries):
            return None
        return scores.run_index(name)

    def _show(self, about: CalculationTarget | None, found: ScoreCalculation | None) -> None:
        self._about, self._explanation = about, found
        selection = self._session.selection
        is_list = about is not None and (about.query, about.run) == (selection.query, selection.run)
        calculation_steps = None if found is None else found.calculation_steps
        self._session.cursor_state.mark(calculation_steps.ranks if calculation_steps is not None and is_list else ())
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._session.report_failure("The number cannot be explained", error)


def _calculate(scores: Scores, about: CalculationTarget, run: int, task: Task) -> ScoreCalculation:
    if about.query == NOTHING:
        return calculation_of_mean(scores, about.measure, run, over_classes=about.over == "classes")
    return calculation_of(scores, about.measure, run, about.query)
