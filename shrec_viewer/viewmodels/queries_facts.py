"""What one run, the run compared with it, and all runs together make of every query, by one measure."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.domain import Run
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics import EQUAL
from shrec_viewer.numerals import gain, listed
from shrec_viewer.viewmodels.session import Session
from shrec_viewer.viewmodels.words import is_counted


@dataclass(frozen=True, eq=False)
class QueriesFacts:
    """Values by query; all (Q,) float64, NaN for undefined, missing or not yet known.

    Attributes
    ----------
    values : of the selected run.
    differences : of the selected run minus those of the run compared with; NaN throughout where none is.
    spread : standard deviation over the runs that have a value (dividing by their number); NaN for fewer than two.
    missing, other_missing : (Q,) bool, queries that the selected run, or the other one, has no answer to.
    run, other : their names, "" for none.
    measure : what is measured; None while nothing is.
    counted : the values are counts, to be printed without decimals.
    """

    values: NDArray[np.float64]
    differences: NDArray[np.float64]
    spread: NDArray[np.float64]
    missing: NDArray[np.bool_]
    other_missing: NDArray[np.bool_]
    run: str = ""
    other: str = ""
    measure: ResolvedMeasure | None = None
    counted: bool = False

    @property
    def key(self) -> str:
        """Key of the measure, "" for none."""
        return "" if self.measure is None else self.measure.key

    def value_text(self, query: int) -> str:
        """``"0.412"``, "–" for undefined, "no list" for missing."""
        if self.missing[query]:
            return "no list"
        return listed(float(self.values[query]), counted=self.counted)

    def difference_text(self, query: int) -> str:
        """``"▲ +0.123"``, ``"▼ −0.123"``, ``"▲ <0.001"``, ``"= 0.000"``; "–" where a value is lacking; "" with none."""
        if not self.other:
            return ""
        if self.other_missing[query] and not self.missing[query]:
            return f"{self.other}: no list"
        return gain(float(self.differences[query]), counted=self.counted)

    def spread_text(self, query: int) -> str:
        """``"± 0.123"``; "" where fewer than two runs have a value."""
        spread = float(self.spread[query])
        return "" if np.isnan(spread) else f"± {listed(spread)}"


def queries_facts(session: Session, n_queries: int) -> QueriesFacts:
    """The facts of the session's run, compared run and measure; all undefined while there are no scores."""
    unknown, none = np.full(n_queries, np.nan), np.zeros(n_queries, np.bool_)
    run, other, scores = session.run, compared_run(session), session.scores
    missing = none if run is None else ~run.present
    lacking = none if other is None else ~other.present
    names = ("" if run is None else run.name, "" if other is None else other.name)
    if scores is None or run is None or run.name not in scores.runs or scores.values.shape[1] != n_queries:
        return QueriesFacts(unknown, unknown, unknown, missing, lacking, names[0])
    column = scores.column(session.measure)
    every = scores.values[:, :, column]
    values, differences = every[scores.run_index(run.name)], unknown
    if other is not None and other.name in scores.runs:
        differences = apart(values, every[scores.run_index(other.name)])
    measure = scores.measures[column]
    counted = is_counted(measure, every)
    return QueriesFacts(values, differences, _spread(every), missing, lacking, *names, measure, counted)


def apart(values: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Values minus others; nothing where they are so near that the tally of two runs calls them equal as well."""
    difference = np.asarray(values, np.float64) - np.asarray(others, np.float64)
    return np.where(np.abs(difference) <= EQUAL, 0.0, difference)


def compared_run(session: Session) -> Run | None:
    """The run that the selected one is compared with; None where none is, or itself."""
    compared, benchmark = session.selection.compared, session.benchmark
    if benchmark is None or compared is None or not 0 <= compared < len(benchmark.runs):
        return None
    return None if compared == session.selection.run else benchmark.runs[compared]


def _spread(every: NDArray[np.float64]) -> NDArray[np.float64]:
    """(Q,) float64, standard deviation over runs (R, Q), ignoring NaN."""
    defined = ~np.isnan(every)
    count = defined.sum(axis=0)
    filled = np.where(defined, every, 0.0)
    mean = filled.sum(axis=0) / np.maximum(count, 1)
    squares = np.where(defined, (every - mean) ** 2, 0.0).sum(axis=0)
    return np.where(count > 1, np.sqrt(squares / np.maximum(count, 1)), np.nan)
