"""View model of the curves of the shown runs and their baselines."""

import math
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject

from shrec_viewer.evaluation.evaluate import make_checkpoint
from shrec_viewer.evaluation.plots.curves import (
    DEFAULT_RANKS,
    NO_CURVE_SET,
    RANK,
    Baselines,
    CurveRequest,
    CurveSet,
    RunCurve,
    compute_curve_set,
    compute_curves,
    differing_curves,
    intersect_ray,
)
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.curves.averaging import CurveAveraging
from shrec_viewer.metrics.curves.curve import Curve
from shrec_viewer.viewmodels.session.computation import SessionComputation
from shrec_viewer.viewmodels.session.selection import NOTHING
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task, Work


class CurveModel(SessionComputation):
    """Curves of one kind for the selected query, or for the means over all queries.

    Parameters
    ----------
    key : key of the task; one for each such object.
    active : whether it computes before `set_active` is called.
    """

    empty = NO_CURVE_SET

    def __init__(
        self, session: Session, key: str, kind: Curve, parent: QObject | None = None, *, active: bool = True
    ) -> None:
        self._kind = kind
        self._ranks = DEFAULT_RANKS
        self._over = RANK
        self._average: CurveAveraging | None = None
        super().__init__(session, key, "The curves cannot be computed", parent, keeps_result=True)
        session.cursor_state.generality_changed.connect(self.update_result)
        session.versions.baseline_changed.connect(self.update_result)
        self.set_active(active)

    @property
    def kind(self) -> Curve:
        """Which curve is shown."""
        return self._kind

    @property
    def ranks(self) -> int:
        """Number of ranks shown, for curves by rank."""
        return self._ranks

    @property
    def over(self) -> str:
        """`RANK` or `RECALL`: x of the curves by rank."""
        return self._over

    @property
    def average(self) -> CurveAveraging:
        """How the mean curves of this kind are averaged."""
        return "class" if self._average == "class" else self._kind.averaged(self._average).way

    @property
    def is_over_ranks(self) -> bool:
        """Whether x is currently the rank."""
        return self._kind.x == "rank" and self._over == RANK

    @property
    def curves(self) -> tuple[RunCurve, ...]:
        """Curves of the runs drawn and of the selected run, in benchmark order, possibly also of runs hidden since.

        Empty without scores.
        """
        return self.result.curves

    @property
    def former(self) -> tuple[RunCurve, ...]:
        """Curves before the edits of the assessment, of the runs whose curve the edits change."""
        return self.result.former

    @property
    def baselines(self) -> Baselines:
        """Reference lines."""
        return self.result.baselines

    def pinned_curve(self, run: int) -> RunCurve | None:
        """The curve of the version that is the baseline of a run, or None."""
        return next((curve for curve in self.result.pinned if curve.run == run), None)

    def curve_of(self, run: int) -> RunCurve | None:
        """The curve of the run with index `run`, or None."""
        return next((curve for curve in self.curves if curve.run == run), None)

    def point_at(self, curve: RunCurve, rank: int) -> tuple[float, float]:
        """Point (x, y) of a curve that belongs to a 1-based rank; NaN for none.

        For curves by rank the point at that rank; for precision over recall the intersection with the line of
        `slope_at`; else the point at the recall of that rank.
        """
        if self._kind.x == "other":
            return float("nan"), float("nan")
        recall, _ = curve.reached.at(rank)
        if self._kind.x == "rank":
            inside = 1 <= rank <= len(curve.y)
            y = float(curve.y[rank - 1]) if inside else float("nan")
            return (float(rank) if self._over == RANK else recall), y
        slope = self.slope_at(rank)
        return (recall, curve.value_at(recall)) if slope is None else intersect_ray(curve.x, curve.y, slope, recall)

    def slope_at(self, rank: int) -> float | None:
        """Precision divided by recall at a rank, which is class size over rank for all runs.

        None for other curves, for means over queries of different class sizes, and for a part of the collection.
        """
        size = self.baselines.class_size
        if size is None or self._kind.y != "precision" or self.doublings is not None:
            return None
        return size / (rank + max((curve.reached.offset for curve in self.curves), default=0))

    def rank_at(self, x: float, run: int) -> int | None:
        """1-based rank at `x`: x itself, or the rank at which the run reaches the recall `x`; None for none."""
        if math.isnan(x) or self._kind.x == "other":
            return None
        if self.is_over_ranks:
            return max(1, round(x))
        curve = self.curve_of(run)
        return None if curve is None else curve.reached.rank_of(x)

    def set_kind(self, kind: Curve) -> None:
        """Set the kind of curve."""
        if kind != self._kind:
            self._kind = kind
            self.update_result()

    def set_ranks(self, ranks: int) -> None:
        """Set the number of ranks of curves by rank."""
        if ranks != self._ranks:
            self._ranks = ranks
            self.update_result()

    def set_over(self, over: str) -> None:
        """Set x of curves by rank to `RANK` or `RECALL`."""
        if over != self._over:
            self._over = over
            self.update_result()

    def set_average(self, average: CurveAveraging) -> None:
        """Set how mean curves are averaged; kinds that do not have this way keep their default."""
        if average != self._average:
            self._average = average
            self.update_result()

    @property
    def doublings(self) -> float | None:
        """-log2 of the generality for which the curves are shown; None for that of the collection."""
        doublings = self._session.cursor_state.doublings
        is_scaled = self._kind.at_generality is not None and (
            not self._session.selection.means or self.average == "generality"
        )
        return doublings if is_scaled else None

    def inputs(self) -> tuple[Any, ...]:
        """Scores, query (None for means), kind, ranks, x, average, generality, two sets of former scores, and runs."""
        document = self._session.document
        scores, selection = document.scores, document.selection
        if scores is None or selection.query == NOTHING:
            return ()
        query = None if selection.means else selection.query
        over = self._over if self._kind.x == "rank" else RANK
        runs = tuple((run, document.benchmark.runs[run].name) for run in selection.needed_runs)
        average = None if query is not None else self._average
        former, pinned = document.unedited_scores, self._session.versions.baseline_scores
        return scores, query, self._kind, self._ranks, over, average, self.doublings, former, pinned, runs

    def is_current(self, old: tuple[Any, ...], new: tuple[Any, ...]) -> bool:
        """Hiding a run needs no new curves."""
        has_all_runs = {*old[-1], *new[-1]} == {*old[-1]} if old and new else True
        return has_all_runs and super().is_current(old[:-1], new[:-1])

    def work(
        self,
        scores: Scores,
        query: int | None,
        kind: Curve,
        ranks: int,
        over: str,
        average: CurveAveraging | None,
        doublings: float | None,
        former: Scores | None,
        pinned: Scores | None,
        runs: tuple[tuple[int, str], ...],
    ) -> tuple[Work, str]:
        """See `SessionComputation.work`."""

        def compute(task: Task) -> CurveSet:
            checkpoint = make_checkpoint(task.cancelled)
            request = CurveRequest(kind, runs, query, ranks, over, average, doublings)
            found = compute_curve_set(scores, request, checkpoint)
            if pinned is not None:
                found = replace(found, pinned=compute_curves(pinned, request, checkpoint))
            if former is None:
                return found
            before = compute_curves(former, request, checkpoint)
            return replace(found, former=differing_curves(before, found.curves))

        return compute, f"Curves: {kind.label}"
