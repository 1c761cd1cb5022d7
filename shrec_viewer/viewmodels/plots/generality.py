"""View models of the generality graph, the values expected in larger collections, and the generality surface."""

import math
from dataclasses import replace
from functools import partial
from typing import Any, Literal

import numpy as np
from PySide6.QtCore import QObject, Signal

from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.evaluation.plots.curves import NO_POINT, differing_curves, intersect_level
from shrec_viewer.evaluation.plots.generality import (
    ADD_IRRELEVANT,
    ExpectedScores,
    GeneralityCurve,
    GeneralityCurves,
    GeneralityRequest,
    expected_scores,
    generality_curves,
    surface_of_run,
)
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.generality.surface import GeneralitySurface
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work

NO_CURVES = GeneralityCurves()


def compute_generality(
    scores: Scores, former: Scores | None, request: GeneralityRequest, task: Task
) -> GeneralityCurves:
    """The curves of all runs as a background task; after each run, those computed so far are sent.

    Parameters
    ----------
    former : scores before the edits of the assessment; None without edits.
    """
    checkpoint = make_checkpoint(task.cancelled)
    found = generality_curves(scores, request, checkpoint, task.send)
    if former is None:
        return found
    return replace(found, former=differing_curves(generality_curves(former, request, checkpoint).curves, found.curves))


def compute_surface(scores: Scores, query: int | None, name: str, task: Task) -> GeneralitySurface | None:
    """The surface of a run as a background task."""
    return surface_of_run(scores, query, name, make_checkpoint(task.cancelled))


def compute_expected(
    scores: Scores, request: GeneralityRequest, run: int, doublings: float | None, task: Task
) -> ExpectedScores | None:
    """The expected values of a run as a background task."""
    return expected_scores(scores, request, run, doublings, make_checkpoint(task.cancelled))


class GeneralityModel(SessionComputation):
    """Recall at a relevant scope over the generality, for the selected query or as means.

    The curves of all queries and runs take a second; they are shown run by run.

    Signals
    -------
    changed()
        `curves` were replaced.
    expected_changed()
        `expected` was replaced.
    """

    expected_changed = Signal()

    empty = NO_CURVES

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        self._scope = 1
        self._measure: Literal["recall", "E"] = "recall"
        self._variation = ADD_IRRELEVANT
        self._may_vary_classes = True
        super().__init__(session, "generality", "The generality graph cannot be computed", parent, keeps_result=True)
        self._expected = _ExpectedScoresModel(session, self)
        self._expected.changed.connect(self.expected_changed)
        session.cursor_state.generality_changed.connect(self._expected.update_result)

    @property
    def curves(self) -> GeneralityCurves:
        """Curves and random baseline."""
        return self.result

    @property
    def expected(self) -> ExpectedScores | None:
        """Expected values of the selected run at `doublings`; the previous values until the new ones are computed."""
        return self._expected.result

    @property
    def scope(self) -> int:
        """n: recall is that within n times the class size."""
        return self._scope

    @property
    def measure(self) -> Literal["recall", "E"]:
        """Measure of the curves."""
        return self._measure

    @property
    def variation(self) -> str:
        """`ADD_IRRELEVANT` or `CLASS_SIZES`."""
        return self._variation if self._may_vary_classes else ADD_IRRELEVANT

    @property
    def doublings(self) -> float | None:
        """-log2 of the generality of the expected values; None for that of the collection."""
        return self._session.cursor_state.doublings

    def curve_of(self, run: int) -> GeneralityCurve | None:
        """The curve of the run with index `run`, or None."""
        return next((curve for curve in self.curves.curves if curve.run == run), None)

    def irrelevant_count(self) -> int | None:
        """Number of irrelevant models at `doublings`; None where queries have different class sizes."""
        size = self.curves.class_size
        return None if self.doublings is None or size is None else round(size * (2.0**self.doublings - 1.0))

    def rank_at(self, x: float, run: int) -> int | None:
        """Rank at which the whole list reaches the recall of the curve at `x`; None for none."""
        curve = self.curve_of(run)
        if curve is None or math.isnan(x) or not len(curve.x) or self._measure != "recall":
            return None
        finite = np.isfinite(curve.y)
        if not finite.any():
            return None
        return curve.reached.rank_of(float(np.interp(x, curve.x[finite], curve.y[finite])))

    def point_at(self, curve: GeneralityCurve, rank: int) -> tuple[float, float]:
        """Point (x, y) of a curve with the recall of the whole list at `rank`; NaN for none.

        A recall above that within the scope is that of a smaller collection.
        """
        is_growing = self.variation == ADD_IRRELEVANT and self._measure == "recall"
        return intersect_level(curve.x, curve.y, curve.reached.at(rank)[0]) if is_growing else NO_POINT

    def set_active(self, active: bool) -> None:
        """See `SessionComputation.set_active`."""
        super().set_active(active)
        self._expected.set_active(active)

    def set_scope(self, scope: int, *, may_vary_classes: bool = True) -> None:
        """Show recall within this multiple of the class size.

        Parameters
        ----------
        may_vary_classes : False for `ADD_IRRELEVANT` whatever was set.
        """
        self._scope, self._measure, self._may_vary_classes = scope, "recall", may_vary_classes
        self._update_all()

    def show_e_measure(self) -> None:
        """Show the E-measure."""
        self._scope, self._measure, self._may_vary_classes = 1, "E", False
        self._update_all()

    def set_variation(self, variation: str) -> None:
        """Set `variation`."""
        self._variation = variation
        self._update_all()

    def set_doublings(self, doublings: float | None) -> None:
        """Set `doublings`, also for the precision-recall curves."""
        self._session.cursor_state.show_generality(doublings)

    def inputs(self) -> tuple[Any, ...]:
        """Scores, query (None for means), scope, measure, variation, former scores, indices and names of the runs."""
        document = self._session.document
        scores, selection = document.scores, document.selection
        if scores is None or selection.query == NOTHING:
            return ()
        runs = tuple((run, document.benchmark.runs[run].name) for run in selection.needed_runs)
        query = None if selection.means else selection.query
        return scores, query, self._scope, self._measure, self.variation, document.unedited_scores, runs

    def is_current(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """Whether no curve must be computed: hiding a run needs no new curves."""
        has_all_runs = {*old[-1], *new[-1]} == {*old[-1]} if old and new else True
        return has_all_runs and super().is_current(old[:-1], new[:-1])

    def work(
        self,
        scores: Scores,
        query: int | None,
        scope: int,
        measure: Literal["recall", "E"],
        variation: str,
        former: Scores | None,
        runs: tuple[tuple[int, str], ...],
    ) -> tuple[Work, str]:
        """See `SessionComputation.work`."""
        request = GeneralityRequest(runs, query, scope, variation, measure)
        return partial(compute_generality, scores, former, request), "Generality graph"

    def set_result(self, result: Any) -> None:
        """Replace the curves."""
        if self.doublings is not None and self.doublings >= result.low:  # e.g. of a project with more models
            self.set_doublings(None)
        super().set_result(result)

    def _update_all(self) -> None:
        self.update_result()
        self._expected.update_result()


class GeneralitySurfaceModel(SessionComputation):
    """Generality-recall-precision surface of the selected run, for the selected query or as mean; None for none."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        failure = "The generality surface cannot be computed"
        super().__init__(session, "generality surface", failure, parent, keeps_result=True)

    @property
    def surface(self) -> GeneralitySurface | None:
        """The surface, or None."""
        return self.result

    def inputs(self) -> tuple[Any, ...]:
        """Scores, query (None for means) and name of the run."""
        document = self._session.document
        scores, run, selection = document.scores, document.run, document.selection
        if scores is None or run is None or selection.query == NOTHING or run.name not in scores.runs:
            return ()
        return scores, None if selection.means else selection.query, run.name

    def work(self, scores: Scores, query: int | None, name: str) -> tuple[Work, str]:
        """See `SessionComputation.work`."""
        return partial(compute_surface, scores, query, name), "Generality surface"


class _ExpectedScoresModel(SessionComputation):
    """Expected values of the selected run; a separate task, as a slider may change while curves are computed."""

    def __init__(self, session: Session, model: GeneralityModel) -> None:
        self._model = model
        failure = "The expected values cannot be computed"
        super().__init__(session, "generality expected", failure, model, keeps_result=True)

    def inputs(self) -> tuple[Any, ...]:
        """Scores, query, scope, indices and names of the runs, index of the run, and doublings."""
        model, run, index = self._model, self._session.run, self._session.selection.run
        inputs = model.inputs()
        if not inputs or model.variation != ADD_IRRELEVANT or run is None:
            return ()
        scores, query, scope, measure, variation, _, _ = inputs
        request = GeneralityRequest(((index, run.name),), query, scope, variation, measure)
        return scores, request, index, model.doublings

    def work(self, scores: Scores, request: GeneralityRequest, run: int, doublings: float | None) -> tuple[Work, str]:
        """See `SessionComputation.work`."""
        return partial(compute_expected, scores, request, run, doublings), "Expected values"
