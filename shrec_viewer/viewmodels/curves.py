"""The curves of the shown runs, for the selected query or as means, computed beside the window."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from shrec_viewer.domain import Cancelled
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics.curve import CurveKind
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.tasks import Task

FIRST_RANKS = 100
"""Ranks shown at first: the last cut-off of SHREC 2006, and what a person may leaf through."""


@dataclass(frozen=True, eq=False)
class RunCurve:
    """One run's curve.

    Attributes
    ----------
    run : place of the run in the benchmark.
    x, y : (K,) float64; NaN in `y` where the curve is undefined (the query is missing, nothing is relevant).
    """

    run: int
    x: NDArray[np.float64]
    y: NDArray[np.float64]

    @property
    def is_defined(self) -> bool:
        """Whether there is anything to draw."""
        return bool(np.isfinite(self.y).any())


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
        self._curves: tuple[RunCurve, ...] = ()
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
    def curves(self) -> tuple[RunCurve, ...]:
        """One a drawn run, in the order of the runs; empty while there are no scores."""
        return self._curves

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

    @Slot(object, object)
    def _follow(self, old: Selection, new: Selection) -> None:
        moved = old.means != new.means or (not new.means and old.query != new.query)
        if old.drawn_runs != new.drawn_runs or moved:
            self._compute()

    @Slot()
    def _compute(self) -> None:
        session, selection = self._session, self._session.selection
        if session.scores is None or selection.query == NOTHING or session.benchmark is None:
            session.tasks.stop(self._lane)
            self._show(())
            return
        names = tuple((run, session.benchmark.runs[run].name) for run in selection.drawn_runs)
        query = None if selection.means else selection.query
        work = partial(_curves, session.scores, self._kind.key, self._ranks, names, query)
        session.tasks.run(self._lane, work, self._show, self._fail)

    def _show(self, curves: tuple[RunCurve, ...]) -> None:
        if curves or self._curves:
            self._curves = curves
            self.changed.emit()

    def _fail(self, error: Exception) -> None:
        self._show(())
        self._session.tell_failure(f"{self._kind.label} cannot be drawn", error)


def _curves(
    scores: Scores, key: str, ranks: int, runs: tuple[tuple[int, str], ...], query: int | None, task: Task
) -> tuple[RunCurve, ...]:
    found = []
    for run, name in runs:
        if task.cancelled():
            raise Cancelled
        if name not in scores.runs:
            continue
        values = scores.curve(key, scores.run_index(name), query, ranks)
        found.append(RunCurve(run, np.asarray(values.x, np.float64), np.asarray(values.y, np.float64)))
    return tuple(found)
