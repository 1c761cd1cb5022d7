"""The generality graph of the shown runs and the values expected in larger collections."""

import math
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import HitTable
from shrec_viewer.metrics.generality.embedding import embedding_of
from shrec_viewer.metrics.generality.expected_measures import (
    ExpectedMeasure,
    expected_by_generality,
    last_doubling_loss,
    loss_per_doubling,
    random_baseline,
)
from shrec_viewer.metrics.generality.scope_graph import by_class_size
from shrec_viewer.viewmodels.plots.curve_geometry import (
    NO_POINT,
    NO_RECALL_PRECISION,
    RecallPrecision,
    intersect_level,
    recall_precision,
)
from shrec_viewer.viewmodels.session.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session.session import Session
from shrec_viewer.viewmodels.tasks.tasks import Task

Floats = NDArray[np.float64]

ADD_IRRELEVANT, CLASS_SIZES = "growing", "classes"
"""How generality is varied: irrelevant models are added, or classes of other sizes are taken."""

EXPECTED_MEASURES: tuple[ExpectedMeasure, ...] = ("recall", "AP", "NDCG")
"""What is expected at an embedding; the precision follows from the recall at the relevant scope."""


def _no_values() -> Floats:
    return np.zeros(0)


@dataclass(frozen=True)
class GeneralityRequest:
    """What is to be drawn.

    Attributes
    ----------
    runs : place in the benchmark and name of each.
    query : place of the query; None for means.
    scope : n; recall is within n times the class size.
    how : `ADD_IRRELEVANT` or `CLASS_SIZES`.
    """

    runs: tuple[tuple[int, str], ...]
    query: int | None
    scope: int
    how: str


@dataclass(frozen=True, eq=False)
class GeneralityCurve:
    """Recall at the relevant scope of one run over -log2 of the generality.

    Attributes
    ----------
    run : place in the benchmark.
    x, y : (K,) float64; NaN where undefined.
    spread : (2, K) float64: bounds where lists end early (`ADD_IRRELEVANT`), confidence intervals (`CLASS_SIZES`); None for none.
    reached : recall and precision at every rank of the whole collection.
    loss, last_loss : fall for each doubling of the collection, on average and the last time; NaN where not known.
    """

    run: int
    x: Floats
    y: Floats
    spread: Floats | None
    reached: RecallPrecision
    loss: float
    last_loss: float


@dataclass(frozen=True, eq=False)
class GeneralityCurves:
    """All that is drawn at once.

    Attributes
    ----------
    asked : what was asked for; None for nothing.
    curves : one a run.
    low, high : least and highest -log2 g of the queries in the collection as it was searched; NaN for none.
    class_size, irrelevant : c and e of the queries where all agree, else None.
    chance_x, chance, chance_low, chance_high : (K,) float64, recall of random lists and where it lies 19 times of 20.
    complete : whether all runs asked for are there.
    """

    asked: GeneralityRequest | None = None
    curves: tuple[GeneralityCurve, ...] = ()
    low: float = float("nan")
    high: float = float("nan")
    class_size: int | None = None
    irrelevant: int | None = None
    chance_x: Floats = field(default_factory=_no_values)
    chance: Floats = field(default_factory=_no_values)
    chance_low: Floats = field(default_factory=_no_values)
    chance_high: Floats = field(default_factory=_no_values)
    complete: bool = False


@dataclass(frozen=True, eq=False)
class ExpectedScores:
    """What a run is expected to reach at one level of generality.

    Attributes
    ----------
    run : place in the benchmark.
    doublings : -log2 g.
    recall, average_precision, gain : (2,) float64 each, recall at the relevant scope, AP and NDCG: expected at that
        level, and at the last one that all queries reach, which for one query is the list itself. NaN undefined.
    """

    run: int
    doublings: float
    recall: Floats
    average_precision: Floats
    gain: Floats


def compute_curves(scores: Scores, asked: GeneralityRequest, task: Task) -> GeneralityCurves:
    """All curves; each state on the way is sent as a part."""
    hits, counted = _part(scores, asked, 0)
    if asked.query is None or asked.how == CLASS_SIZES:  # the first run may lack answers that the others have
        counted = np.any(scores.counted, axis=0)
    drawn = _reference_curves(hits, counted, asked)
    for run, name in asked.runs:
        _check_cancelled(task)
        if name in scores.runs:
            curve = _curve(scores, asked, run, scores.run_index(name), task)
            drawn = replace(drawn, curves=(*drawn.curves, curve))
            task.send(drawn)
    return replace(drawn, complete=True)


def _part(scores: Scores, asked: GeneralityRequest, place: int) -> tuple[HitTable, NDArray[np.bool_]]:
    """The hits of a run that are looked at, and which of their queries enter a mean."""
    hits = scores.hits[place]
    if asked.query is None or asked.how == CLASS_SIZES:
        return hits.rows(0, len(hits)), scores.counted[place]
    return hits.rows(asked.query, asked.query + 1), np.ones(1, np.bool_)


def _reference_curves(hits: HitTable, counted: NDArray[np.bool_], asked: GeneralityRequest) -> GeneralityCurves:
    """What is the same for all runs: where the present collection is, and chance."""
    embedding = embedding_of(hits)
    takes_part = counted & (hits.relevant_size(1) > 0)
    kinds = np.unique(embedding.kind[takes_part])
    if not len(kinds):
        return GeneralityCurves(asked)
    now = embedding.doublings[kinds]
    low, high = float(now.min()), float(now.max())
    start = float(np.log2(asked.scope))
    end = high if asked.how == CLASS_SIZES else low
    x = np.linspace(start, end, 60) if end > start else np.array([start])
    if asked.how == CLASS_SIZES:
        # Each class size has its own collection: chance is n g wherever the point is, and no band is common to them.
        chance = np.minimum(asked.scope * np.exp2(-x), 1.0)
        none = np.full(len(x), np.nan)
        return GeneralityCurves(asked, (), low, high, None, None, x, chance, none, none)
    band = random_baseline(embedding, x, relevant_scope=float(asked.scope), counted=counted)
    one = len(kinds) == 1
    size, rest = int(embedding.relevant[kinds[0]]), int(embedding.irrelevant[kinds[0]])
    return GeneralityCurves(
        asked, (), low, high, size if one else None, rest if one else None, x, band.mean, band.low, band.high
    )


def _curve(scores: Scores, asked: GeneralityRequest, run: int, place: int, task: Task) -> GeneralityCurve:
    hits, counted = _part(scores, asked, place)
    got = recall_precision(scores, place, asked.query)
    missing = asked.query is not None and bool(scores.missing[place, asked.query])
    if asked.how == CLASS_SIZES:
        points = by_class_size(hits, relevant_scope=float(asked.scope), counted=counted)
        x = np.array([point.doublings for point in points])
        y = np.array([point.recall.mean for point in points])
        spread = np.array([[point.recall.low for point in points], [point.recall.high for point in points]])
        return GeneralityCurve(run, x, y, spread.reshape(2, -1), got, float("nan"), float("nan"))
    if missing:
        return GeneralityCurve(
            run, np.zeros(1), np.full(1, np.nan), None, NO_RECALL_PRECISION, float("nan"), float("nan")
        )
    grown = expected_by_generality(
        hits, scores.profile, relevant_scope=float(asked.scope), checkpoint=partial(_check_cancelled, task)
    )
    lower, upper = grown.mean(counted)
    bounds = np.stack([lower, upper]) if np.any(upper - lower > 1e-12) else None
    x = grown.doublings
    return GeneralityCurve(run, x, lower, bounds, got, loss_per_doubling(x, lower), last_doubling_loss(x, lower))


def _check_cancelled(task: Task) -> None:
    if task.cancelled():
        raise Cancelled


def compute_expected(
    scores: Scores, asked: GeneralityRequest, run: int, doublings: float | None, task: Task
) -> ExpectedScores | None:
    """What a run is expected to reach where the generality is ``2 ** -doublings``; None where it was not evaluated.

    Parameters
    ----------
    run : place in the benchmark, of one of those asked for.
    doublings : None for the last level that all queries reach.
    """
    name = dict(asked.runs).get(run)
    if name not in scores.runs:
        return None
    place = scores.run_index(name)
    hits, counted = _part(scores, asked, place)
    now = _reference_curves(hits, counted, asked).low
    levels = [now if doublings is None else min(doublings, now), now]
    missing = asked.query is not None and bool(scores.missing[place, asked.query])
    values = []
    for measure in EXPECTED_MEASURES:
        _check_cancelled(task)
        if missing or np.isnan(now):
            values.append(np.full(2, np.nan))
            continue
        grown = expected_by_generality(
            hits, scores.profile, measure, relevant_scope=float(asked.scope), doublings=levels
        )
        values.append(grown.mean(counted)[0])
    return ExpectedScores(run, levels[0], *values)


DELAY_MS = 40
"""Milliseconds between a change and the sweep that it asks for: the views that show the query itself come first, and
whoever leafs through queries does not wait for graphs that nobody sees."""

CURVES_LANE, EXPECTED_LANE = "generality", "generality expected"
"""Its lanes; the second one follows the slider while the first is still drawing."""


class GeneralityModel(QObject):
    """Recall at a relevant scope over the generality, for the query in hand or as means.

    Nothing is computed while nobody looks: the sweep over all queries and runs takes a second.

    Signals
    -------
    changed()
        `drawn` is another one.
    expected_changed()
        `expected` is another one.
    """

    changed = Signal()
    expected_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._active = False
        self._stale = True
        self._scope = 1
        self._how = ADD_IRRELEVANT
        self._level: float | None = None
        self._drawn = GeneralityCurves()
        self._expected: ExpectedScores | None = None
        self._swept: frozenset[int] = frozenset()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._start)
        session.benchmark_changed.connect(self._forget)
        session.scores_changed.connect(self._compute)
        session.selection_changed.connect(self._follow)

    @property
    def drawn(self) -> GeneralityCurves:
        """Curves and chance."""
        return self._drawn

    @property
    def expected(self) -> ExpectedScores | None:
        """What the selected run is expected to reach at `level`; the former answer until the new one is there."""
        return self._expected

    @property
    def scope(self) -> int:
        """n: the recall is within n times as many places as models are relevant."""
        return self._scope

    @property
    def how(self) -> str:
        """`ADD_IRRELEVANT` or `CLASSES`."""
        return self._how

    @property
    def level(self) -> float | None:
        """-log2 of the generality at which an embedding is looked at; None for the collection as it was searched."""
        return self._level

    def curve_of(self, run: int) -> GeneralityCurve | None:
        """The curve of a run, or None where it is not known."""
        return next((curve for curve in self._drawn.curves if curve.run == run), None)

    def kept(self) -> int | None:
        """How many irrelevant models an embedding at `level` has; None where queries differ."""
        size = self._drawn.class_size
        return None if self._level is None or size is None else round(size * (2.0**self._level - 1.0))

    def rank_at(self, x: float, run: int) -> int | None:
        """The rank at which the whole list reaches the recall that the first places have at `x`; None where never."""
        curve = self.curve_of(run)
        if curve is None or math.isnan(x) or not len(curve.x):
            return None
        finite = np.isfinite(curve.y)
        if not finite.any():
            return None
        return curve.reached.rank_of(float(np.interp(x, curve.x[finite], curve.y[finite])))

    def place_at(self, curve: GeneralityCurve, rank: int) -> tuple[float, float]:
        """Where a curve has the recall that the whole list reaches at `rank`; NaN where it never has.

        A list that reaches more with more places than are looked at would have reached that in a smaller collection.
        """
        return intersect_level(curve.x, curve.y, curve.reached.at(rank)[0]) if self._how == ADD_IRRELEVANT else NO_POINT

    def set_active(self, active: bool) -> None:
        """Compute from now on, or only remember that something has changed."""
        if active != self._active:
            self._active = active
            if active and self._stale:
                self._compute()

    def set_scope(self, scope: int) -> None:
        """Look within another multiple of the class size."""
        if scope != self._scope:
            self._scope = scope
            self._compute()

    def set_variation(self, how: str) -> None:
        """Vary the generality in another way."""
        if how != self._how:
            self._how = how
            self._compute()

    def set_level(self, level: float | None) -> None:
        """Look at the embedding of this level; None for the collection as it was searched."""
        if level != self._level:
            self._level = level
            self._expect()

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        moved = old.means != new.means or (not new.means and old.query != new.query)
        if moved or not self._swept.issuperset(new.needed_runs):
            self._compute()
        elif old.run != new.run:
            self._expect()

    @Slot()
    def _forget(self) -> None:
        self._level = None
        self._compute()

    @Slot()
    def _compute(self) -> None:
        self._stale = True
        session = self._session
        if session.scores is None or session.benchmark is None or session.selection.query == NOTHING:
            session.tasks.stop(CURVES_LANE)
            session.tasks.stop(EXPECTED_LANE)
            self._timer.stop()
            self._swept = frozenset()
            self._show(GeneralityCurves())
            self._show_expected(None)
            return
        if self._active:
            self._timer.start()

    @Slot()
    def _start(self) -> None:
        session = self._session
        if session.scores is not None and session.benchmark is not None and self._active:
            self._stale = False
            self._swept = frozenset(session.selection.needed_runs)
            work = partial(compute_curves, session.scores, self._asked())
            session.tasks.run(CURVES_LANE, work, self._show, self._fail, part=self._show)
            self._expect()

    def _asked(self) -> GeneralityRequest:
        session, selection = self._session, self._session.selection
        assert session.benchmark is not None
        runs = tuple((run, session.benchmark.runs[run].name) for run in selection.needed_runs)
        return GeneralityRequest(runs, None if selection.means else selection.query, self._scope, self._how)

    def _expect(self) -> None:
        session = self._session
        if session.scores is None or not self._active or self._how != ADD_IRRELEVANT or session.run is None:
            session.tasks.stop(EXPECTED_LANE)
            self._show_expected(None)
            return
        work = partial(compute_expected, session.scores, self._asked(), session.selection.run, self._level)
        session.tasks.run(EXPECTED_LANE, work, self._show_expected, self._fail)

    def _show(self, drawn: GeneralityCurves) -> None:
        self._drawn = drawn
        if self._level is not None and self._level >= drawn.low:  # a project may be of a larger collection
            self._level = None
        self.changed.emit()

    def _show_expected(self, expected: ExpectedScores | None) -> None:
        self._expected = expected
        self.expected_changed.emit()

    def _fail(self, error: Exception) -> None:
        self._show(GeneralityCurves())
        self._session.report_failure("The generality graph cannot be drawn", error)
