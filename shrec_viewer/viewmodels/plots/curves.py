"""Curves of the shown runs, with ideal ranking, random baseline and constant-scope lines."""

import math
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.scores import IDEAL, Scores, mean_of_defined
from shrec_viewer.metrics import HitTable, Profile
from shrec_viewer.metrics.curves.curve import Curve
from shrec_viewer.metrics.curves.rank_curves import R_CURVE
from shrec_viewer.metrics.generality.scope_graph import default_scopes, reachable_region, scope_lines
from shrec_viewer.viewmodels.plots.curve_geometry import (
    NO_RECALL_PRECISION,
    RecallPrecision,
    interpolate_at,
    intersect_ray,
    recall_precision,
)
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task

MAX_SCOPE_LINES = 13
"""Lines of equal scope drawn: more than from 1/32 to 128 times the class size cannot be told apart."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Baseline:
    """A line: x, y (K,) float64."""

    x: Floats
    y: Floats


@dataclass(frozen=True, eq=False)
class Baselines:
    """What can be drawn beside the curves of one kind, whether it is shown or not.

    Attributes
    ----------
    class_size, collection : c and d of the query, or of all queries that enter the means where they agree; else None.
    ideal : of the list that has everything relevant first, highest levels first.
    random : expected of random lists; None for kinds without one.
    scopes : (A,) relevant scopes s / c of `lines`; lines (A, 2, 2) from the origin as (recall, precision).
    wedge : (4, 2) corners (recall, precision) of what can be reached, where c and d are known.
    """

    class_size: int | None = None
    collection: int | None = None
    ideal: Baseline | None = None
    random: Baseline | None = None
    scopes: Floats | None = None
    lines: Floats | None = None
    wedge: Floats | None = None


NO_BASELINES = Baselines()


def compute_baselines(scores: Scores, kind: Curve, query: int | None, points: int) -> Baselines:
    """Ideal, random and scopes for one query, or for the means over the queries that enter those of any run."""
    if not scores.hits:
        return NO_BASELINES
    first, last = (0, len(scores.queries)) if query is None else (query, query + 1)
    hits = scores.hits[0].rows(first, last)
    counted = hits.relevant_size(1) > 0
    if query is None:
        counted = counted & np.any(scores.counted, axis=0)
    if not counted.any():
        return NO_BASELINES
    size, whole = _common_value(hits.relevant_size(1)[counted]), _common_value(hits.collection_size[counted])
    best = hits.ideal(scores.profile.list_cut)
    ideal = _ideal(scores, kind, best, query, points)
    found = Baselines(size, whole, ideal, _random(best, scores.profile, kind, counted, points))
    return _with_scopes(found) if kind.is_precision_recall else found


def _ideal(scores: Scores, kind: Curve, best: HitTable, query: int | None, points: int) -> Baseline:
    """The curve of the best lists `best` of a query alone, or the mean over all."""
    if query is not None:
        one = kind.evaluate(best, scores.profile, points)
        return Baseline(np.atleast_2d(one.x)[0], one.y[0])
    run = replace(
        scores,
        runs=(IDEAL,),
        participants=(IDEAL,),
        noticed=scores.noticed[:1],
        answers=scores.answers[:1],
        hits=(best,),
    )
    mean = run.curve(kind.key, 0, None, points)
    return Baseline(mean.x, mean.y)


def _common_value(values: NDArray[np.int64]) -> int | None:
    return int(values[0]) if (values == values[0]).all() else None


def _with_scopes(found: Baselines) -> Baselines:
    """Lines of equal scope; those of relevant scope hold for every class size, the wedge for one only."""
    size, whole = found.class_size, found.collection
    if size is None or whole is None:
        scopes = np.exp2(np.arange(-4.0, 5.0))
        return replace(found, scopes=scopes, lines=scope_lines(scopes, 10**6, 10**9))
    usual = default_scopes(size, whole)
    is_power = np.log2(usual) == np.round(np.log2(usual))
    scopes = np.sort(np.concatenate([usual[is_power][:MAX_SCOPE_LINES], usual[~is_power]]))
    lines, wedge = scope_lines(scopes, size, whole), reachable_region(size, whole)
    return replace(found, scopes=scopes, lines=lines, wedge=wedge)


def _random(best: HitTable, profile: Profile, kind: Curve, counted: NDArray[np.bool_], points: int) -> Baseline | None:
    """Expected curve of random rankings, averaged over the counted queries; None if it is unknown.

    Parameters
    ----------
    best : of the ideal rankings.
    """
    if kind.random is None:
        return None
    expected = kind.random(best, profile, points)
    mean = mean_of_defined(np.where(counted[:, None], expected.y, np.nan), axis=0)
    return None if np.isnan(mean).all() else Baseline(expected.x, mean)


def baselines_over_recall(baselines: Baselines, scores: Scores, query: int | None, points: int) -> Baselines:
    """The same over the recall that ideal and random lists reach at each rank."""
    if baselines.ideal is None:
        return baselines
    reach = compute_baselines(scores, R_CURVE, query, points)
    assert reach.ideal is not None
    assert reach.random is not None
    random = None if baselines.random is None else Baseline(reach.random.y, baselines.random.y)
    return replace(baselines, ideal=Baseline(reach.ideal.y, baselines.ideal.y), random=random)


RANK, RECALL = "rank", "recall"
"""What curves along ranks can be drawn over: the rank, or the recall reached there."""

DEFAULT_RANKS = 100
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
    reached: RecallPrecision = NO_RECALL_PRECISION

    @property
    def is_defined(self) -> bool:
        """Whether there is anything to draw."""
        return bool(np.isfinite(self.y).any())

    def value_at(self, x: float) -> float:
        """The curve's height at `x`, between samples by straight lines; NaN where it has none."""
        return interpolate_at(self.x, self.y, x)


@dataclass(frozen=True, eq=False)
class CurveSet:
    """All that is drawn at once, so that curves and what they are held against belong together."""

    curves: tuple[RunCurve, ...] = ()
    baselines: Baselines = NO_BASELINES


class CurveModel(QObject):
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

    def __init__(self, session: Session, lane: str, kind: Curve, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._lane = lane
        self._kind = kind
        self._ranks = DEFAULT_RANKS
        self._over = RANK
        self._drawn = CurveSet()
        self._asked: frozenset[int] = frozenset()
        session.benchmark_changed.connect(self._compute)
        session.scores_changed.connect(self._compute)
        session.selection_changed.connect(self._follow)
        self._compute()

    @property
    def kind(self) -> Curve:
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
        return self._kind.x == "rank" and self._over == RANK

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
        """Precision over recall at a rank, which is the same for all runs: class size over rank.

        None for curves of anything else, and for means over queries whose class sizes differ.
        """
        size = self._drawn.baselines.class_size
        if size is None or self._kind.y != "precision":
            return None
        offset = max((curve.reached.offset for curve in self._drawn.curves), default=0)
        return (size + offset) / (rank + offset)

    def rank_at(self, x: float, run: int) -> int | None:
        """The rank meant by the place `x` of the abscissa: itself, or where `run` has reached that recall."""
        if math.isnan(x) or self._kind.x == "other":
            return None
        if self.is_over_ranks:
            return max(1, round(x))
        curve = self.curve_of(run)
        return None if curve is None else curve.reached.rank_of(x)

    def set_kind(self, kind: Curve) -> None:
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
            self._show(CurveSet())
            return
        names = tuple((run, session.benchmark.runs[run].name) for run in selection.needed_runs)
        self._asked = frozenset(selection.needed_runs)
        query = None if selection.means else selection.query
        over = self._over if self._kind.x == "rank" else RANK
        work = partial(_compute_curves, session.scores, self._kind, self._ranks, over, names, query)
        session.tasks.run(self._lane, work, self._show, self._fail)

    def _show(self, drawn: CurveSet) -> None:
        if drawn.curves or self._drawn.curves:
            self._drawn = drawn
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._show(CurveSet())
        self._session.report_failure(f"{self._kind.label} cannot be drawn", error)


def _compute_curves(
    scores: Scores,
    kind: Curve,
    ranks: int,
    over: str,
    runs: tuple[tuple[int, str], ...],
    query: int | None,
    task: Task,
) -> CurveSet:
    found = []
    for run, name in runs:
        if task.cancelled():
            raise Cancelled
        if name not in scores.runs:
            continue
        place = scores.run_index(name)
        values = scores.curve(kind.key, place, query, ranks)
        got = recall_precision(scores, place, query, with_self=kind.counts_query)
        x, y = np.asarray(values.x, np.float64), np.asarray(values.y, np.float64)
        if over == RECALL:
            x = np.array([got.at(rank)[0] for rank in range(1, len(y) + 1)])
        found.append(RunCurve(run, x, y, got))
    baselines = compute_baselines(scores, kind, query, ranks)
    return CurveSet(
        tuple(found), baselines_over_recall(baselines, scores, query, ranks) if over == RECALL else baselines
    )
