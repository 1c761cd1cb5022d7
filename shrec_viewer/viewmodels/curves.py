"""The curves of the shown runs, for the selected query or as means, computed beside the window."""

import math
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.curve import CurveKind
from shrec_viewer.metrics.precision_recall import PR20_WITH_QUERY
from shrec_viewer.viewmodels.curves_baselines import NO_BASELINES, Baselines, baselines_of, over_recall
from shrec_viewer.viewmodels.curves_places import height_at, on_ray
from shrec_viewer.viewmodels.curves_reached import NOTHING_REACHED, Reached, reached
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.tasks import Task

BY_RANK = "Rank"
"""`CurveKind.x_label` of the curves that run along ranks."""

RANK, RECALL = "rank", "recall"
"""What curves along ranks can be drawn over: the rank, or the recall reached there."""

FIRST_RANKS = 100
"""Ranks shown at first: the last cut-off of SHREC 2006, and what a person may leaf through."""


@dataclass(frozen=True, eq=False)
class RunCurve:
    """One run's curve.

    Attributes
    ----------
    run : place of the run in the benchmark.
    x, y : (K,) float64; NaN in `y` where the curve is undefined (the query is missing, nothing is relevant).
    reached : recall and precision at every rank, whatever the curve is of.
    """

    run: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    reached: Reached = NOTHING_REACHED

    @property
    def is_defined(self) -> bool:
        """Whether there is anything to draw."""
        return bool(np.isfinite(self.y).any())

    def value_at(self, x: float) -> float:
        """The curve's height at `x`, between samples by straight lines; NaN where it has none."""
        return height_at(self.x, self.y, x)


@dataclass(frozen=True, eq=False)
class Drawn:
    """All that is drawn at once, so that curves and what they are held against belong together."""

    curves: tuple[RunCurve, ...] = ()
    baselines: Baselines = NO_BASELINES


class Curves(QObject):
    """The curves of one kind for what is selected; follows the session.

    Parameters
    ----------
    lane : name of the lane of the session's tasks that computes them, one for each such object.

    Signals
    -------
    changed()
        `curves` are others.
    """

    changed = Signal()

    def __init__(self, session: Session, lane: str, kind: CurveKind, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lane = lane
        self._kind = kind
        self._ranks = FIRST_RANKS
        self._over = RANK
        self._drawn = Drawn()
        self._asked: frozenset[int] = frozenset()
        session.benchmark_changed.connect(self._compute)
        session.scores_changed.connect(self._compute)
        session.selection_changed.connect(self._follow)
        self._compute()

    @property
    def kind(self) -> CurveKind:
        """Which curve is shown."""
        return self._kind

    @property
    def ranks(self) -> int:
        """Ranks shown, where the curve runs along ranks."""
        return self._ranks

    @property
    def over(self) -> str:
        """`RANK` or `RECALL`: what the curves along ranks are drawn over."""
        return self._over

    @property
    def is_over_ranks(self) -> bool:
        """Whether x is the rank now."""
        return self._kind.x_label == BY_RANK and self._over == RANK

    @property
    def curves(self) -> tuple[RunCurve, ...]:
        """Those of the runs drawn and of the selected run, in the order of the runs, and maybe of runs hidden since.

        Empty while there are no scores.
        """
        return self._drawn.curves

    @property
    def baselines(self) -> Baselines:
        """What the curves are held against."""
        return self._drawn.baselines

    def curve_of(self, run: int) -> RunCurve | None:
        """The curve of a run, or None where it is not known."""
        return next((curve for curve in self._drawn.curves if curve.run == run), None)

    def place_at(self, curve: RunCurve, rank: int) -> tuple[float, float]:
        """Where `rank` is on a curve, always upon its line; NaN where it is nowhere.

        On a curve along ranks at that rank; on a curve of precision over recall where the ray of that rank meets it,
        if `slope_at` knows one; on the others at the recall reached by then.
        """
        recall, _ = curve.reached.at(rank)
        if self._kind.x_label == BY_RANK:
            inside = 1 <= rank <= len(curve.y)
            y = float(curve.y[rank - 1]) if inside else float("nan")
            return (float(rank) if self._over == RANK else recall), y
        slope = self.slope_at(rank)
        return (recall, curve.value_at(recall)) if slope is None else on_ray(curve.x, curve.y, slope, recall)

    def slope_at(self, rank: int) -> float | None:
        """Precision over recall at a rank, which is the same for all runs: class size over rank.

        None for curves of anything else, and for means over queries whose class sizes differ.
        """
        size = self._drawn.baselines.class_size
        if size is None or not self._kind.y_label.endswith("recision"):
            return None
        led = max((curve.reached.offset for curve in self._drawn.curves), default=0)
        return (size + led) / (rank + led)

    def rank_at(self, x: float, run: int) -> int | None:
        """The rank meant by the place `x` of the abscissa: itself, or where `run` has reached that recall."""
        if math.isnan(x):
            return None
        if self.is_over_ranks:
            return max(1, round(x))
        curve = self.curve_of(run)
        return None if curve is None else curve.reached.rank_of(x)

    def set_kind(self, kind: CurveKind) -> None:
        """Show another kind of curve."""
        if kind != self._kind:
            self._kind = kind
            self._compute()

    def set_ranks(self, ranks: int) -> None:
        """Show so many ranks, where the curve runs along ranks."""
        if ranks != self._ranks:
            self._ranks = ranks
            self._compute()

    def set_over(self, over: str) -> None:
        """Draw curves along ranks over `RANK` or over `RECALL`."""
        if over != self._over:
            self._over = over
            self._compute()

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        moved = old.means != new.means or (not new.means and old.query != new.query)
        if moved or not self._asked.issuperset(new.needed_runs):
            self._compute()

    @Slot()
    def _compute(self) -> None:
        session, selection = self._session, self._session.selection
        if session.scores is None or selection.query == NOTHING or session.benchmark is None:
            session.tasks.stop(self._lane)
            self._asked = frozenset()
            self._show(Drawn())
            return
        names = tuple((run, session.benchmark.runs[run].name) for run in selection.needed_runs)
        self._asked = frozenset(selection.needed_runs)
        query = None if selection.means else selection.query
        over = self._over if self._kind.x_label == BY_RANK else RANK
        work = partial(_curves, session.scores, self._kind, self._ranks, over, names, query)
        session.tasks.run(self._lane, work, self._show, self._fail)

    def _show(self, drawn: Drawn) -> None:
        if drawn.curves or self._drawn.curves:
            self._drawn = drawn
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._show(Drawn())
        self._session.tell_failure(f"{self._kind.label} cannot be drawn", error)


def _curves(
    scores: Scores,
    kind: CurveKind,
    ranks: int,
    over: str,
    runs: tuple[tuple[int, str], ...],
    query: int | None,
    task: Task,
) -> Drawn:
    found = []
    for run, name in runs:
        if task.cancelled():
            raise Cancelled
        if name not in scores.runs:
            continue
        place = scores.run_index(name)
        values = scores.curve(kind.key, place, query, ranks)
        got = reached(scores, place, query, with_self=kind.key == PR20_WITH_QUERY.key)
        x, y = np.asarray(values.x, np.float64), np.asarray(values.y, np.float64)
        if over == RECALL:
            x = np.array([got.at(rank)[0] for rank in range(1, len(y) + 1)])
        found.append(RunCurve(run, x, y, got))
    baselines = baselines_of(scores, kind, query, ranks)
    return Drawn(tuple(found), over_recall(baselines, scores, query, ranks) if over == RECALL else baselines)
