"""The generality graph of the shown runs, computed beside the window; follows the session while it is looked at."""

import math
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from shrec_viewer.viewmodels.curves_places import NOWHERE, on_level
from shrec_viewer.viewmodels.generality_work import (
    GROWING,
    Asked,
    Expected,
    GeneralityCurve,
    GeneralityDrawn,
    draw,
    expect,
)
from shrec_viewer.viewmodels.selection import NOTHING, Selection
from shrec_viewer.viewmodels.session import Session

DELAY_MS = 40
"""Milliseconds between a change and the sweep that it asks for: the views that show the query itself come first, and
whoever leafs through queries does not wait for graphs that nobody sees."""

DRAWING, EXPECTING = "generality", "generality expected"
"""Its lanes; the second one follows the slider while the first is still drawing."""


class Generality(QObject):
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
        self._how = GROWING
        self._level: float | None = None
        self._drawn = GeneralityDrawn()
        self._expected: Expected | None = None
        self._swept: frozenset[int] = frozenset()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self._start)
        session.benchmark_changed.connect(self._forget)
        session.scores_changed.connect(self._compute)
        session.selection_changed.connect(self._follow)

    @property
    def drawn(self) -> GeneralityDrawn:
        """Curves and chance."""
        return self._drawn

    @property
    def expected(self) -> Expected | None:
        """What the selected run is expected to reach at `level`; the former answer until the new one is there."""
        return self._expected

    @property
    def scope(self) -> int:
        """n: the recall is within n times as many places as models are relevant."""
        return self._scope

    @property
    def how(self) -> str:
        """`GROWING` or `CLASSES`."""
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
        return on_level(curve.x, curve.y, curve.reached.at(rank)[0]) if self._how == GROWING else NOWHERE

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

    def set_how(self, how: str) -> None:
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
            session.tasks.stop(DRAWING)
            session.tasks.stop(EXPECTING)
            self._timer.stop()
            self._swept = frozenset()
            self._show(GeneralityDrawn())
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
            work = partial(draw, session.scores, self._asked())
            session.tasks.run(DRAWING, work, self._show, self._fail, part=self._show)
            self._expect()

    def _asked(self) -> Asked:
        session, selection = self._session, self._session.selection
        assert session.benchmark is not None
        runs = tuple((run, session.benchmark.runs[run].name) for run in selection.needed_runs)
        return Asked(runs, None if selection.means else selection.query, self._scope, self._how)

    def _expect(self) -> None:
        session = self._session
        if session.scores is None or not self._active or self._how != GROWING or session.run is None:
            session.tasks.stop(EXPECTING)
            self._show_expected(None)
            return
        work = partial(expect, session.scores, self._asked(), session.selection.run, self._level)
        session.tasks.run(EXPECTING, work, self._show_expected, self._fail)

    def _show(self, drawn: GeneralityDrawn) -> None:
        self._drawn = drawn
        if self._level is not None and self._level >= drawn.low:  # a project may be of a larger collection
            self._level = None
        self.changed.emit()

    def _show_expected(self, expected: Expected | None) -> None:
        self._expected = expected
        self.expected_changed.emit()

    def _fail(self, error: Exception) -> None:
        self._show(GeneralityDrawn())
        self._session.tell_failure("The generality graph cannot be drawn", error)
