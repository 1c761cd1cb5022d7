"""Runs that are no better than chance, and other readings of them that are."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, RankedLists
from shrec_viewer.formats.core.findings_log import UNDECIDED
from shrec_viewer.formats.core.ids import natural_order
from shrec_viewer.formats.core.read_choices import BY_NEAREST, MATRIX_ORDERS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.matrices.interpretation import (
    MIN_QUERIES,
    SAMPLED_QUERIES,
    SAMPLED_VALUES,
    possible_orders,
    z_score,
)
from shrec_viewer.number_format import format_fixed, format_percent

CHANCE_SHARE = 0.45
"""Lowest mean relative rank of relevant models that counts as near 50 %; the weakest run of SHREC 2006 has 44.5 %."""

CHANCE_Z = 2.0
"""Standard errors from 50 % below which a run is no better, and from which on it is worse, than by chance."""

STANDING_OUT_Z = 2.5
"""Standard errors by which another reading must be better than chance to be named: p = 0.006, for about ten of them."""

Line = Callable[[int], "NDArray[np.float64] | None"]
"""Key of each model for a query, (N,) float64, smaller is nearer, NaN for none; None for a query without a list."""


@dataclass(frozen=True, eq=False)
class Reading:
    """Another reading of a run.

    Attributes
    ----------
    text : such as ``as similarities``.
    line : see `Line`.
    setting : field of `ReadOptions`, value, and option of the command line that select it; None if nothing does.
    """

    text: str
    line: Line
    setting: tuple[str, str | bool, str] | None = None


@dataclass(frozen=True, eq=False)
class RankEvidence:
    """Ranks of relevant models in a sample of the lists.

    Attributes
    ----------
    shares : (Q,) float64, mean rank of the relevant models as a share of the list: 0 best, 0.5 by chance; NaN for
        queries that are not in the sample, have no list or no relevant model.
    precision : mean average precision of the sample.
    """

    shares: NDArray[np.float64]
    precision: float

    @property
    def mean(self) -> float:
        """Mean relative rank."""
        return float(np.nanmean(self.shares))

    @property
    def text(self) -> str:
        """Both means."""
        return f"{format_percent(self.mean, 1)}, AP {format_fixed(self.precision, 3)}"


def log_chance(path: Path, ranking: RankedLists | DistanceMatrix, context: ReadContext, options: ReadOptions) -> None:
    """A warning about a run that is no better, or worse, than by chance; it names the reading that stands out."""
    if context.assessment is None:
        return
    if isinstance(ranking, DistanceMatrix):
        line = _matrix_line(ranking, ranking.rows, ranking.columns, len(context.collection))
    else:
        line = _list_line(ranking, len(context.collection))
    found = rank_evidence(line, context)
    if found is None or found.mean < CHANCE_SHARE or z_score(found.shares) > CHANCE_Z:
        return
    is_worse = z_score(found.shares) < -CHANCE_Z
    message = f"the mean relative rank of relevant models is {found.text}: "
    message += "worse than by chance" if is_worse else "no better than by chance"
    tried = [
        (reading, evidence)
        for reading in _other_readings(ranking, line, context, options)
        if (evidence := rank_evidence(reading.line, context)) is not None
    ]
    reading, evidence = min(tried, key=lambda pair: pair[1].mean)
    if z_score(evidence.shares) <= STANDING_OUT_Z:
        if found.mean < 1 - CHANCE_SHARE:
            context.findings_log.warning(path, message, "read as written; no other order or direction stands out")
            return
        reading, evidence = tried[0]  # of few queries nothing is significant: the other direction is the usual fault
    action = f"read as written; {reading.text} it is {evidence.text}"
    setting = None if reading.setting is None else context.findings_log.run_setting(path, *reading.setting)
    context.findings_log.warning(path, message, action, key=UNDECIDED, setting=setting)


def rank_evidence(line: Line, context: ReadContext) -> RankEvidence | None:
    """Ranks of the relevant models under one reading; None for fewer than `MIN_QUERIES` lists with relevant models."""
    assert context.assessment is not None
    member, n_models = context.queries.member, max(1, len(context.collection))
    shares, precisions = np.full(len(member), np.nan), []
    sampled = min(SAMPLED_QUERIES, max(SAMPLED_VALUES // n_models, MIN_QUERIES))
    for query in range(0, len(member), max(1, len(member) // sampled)):
        relevant, _ = context.assessment.relevant(query)
        relevant = relevant[(relevant != member[query]) & (relevant < n_models)]
        keys = line(query) if len(relevant) else None
        if keys is None:
            continue
        if member[query] >= 0:  # as in the evaluation, without the query itself
            keys[member[query]] = np.nan
        ordered = np.sort(keys[~np.isnan(keys)])
        own = np.sort(keys[relevant])
        own = own[~np.isnan(own)]
        if len(own):
            left, right = np.searchsorted(ordered, own), np.searchsorted(ordered, own, "right")
            shares[query] = np.mean(left + right) / 2 / len(ordered)
            ranks = np.maximum((left + right + 1) / 2, np.arange(1, len(own) + 1))  # the expected rank within a tie
            precisions.append(float(np.sum(np.arange(1, len(own) + 1) / ranks)) / len(relevant))
    return RankEvidence(shares, float(np.mean(precisions))) if len(precisions) >= MIN_QUERIES else None


def _list_line(ranking: RankedLists, n_models: int, *, is_reversed: bool = False) -> Line:
    """Positions in the lists; models that are not listed follow, all at one position."""

    def positions(query: int) -> NDArray[np.float64] | None:
        if not ranking.present[query]:
            return None
        items = ranking.items[ranking.rows(query)][:: -1 if is_reversed else 1]
        keys = np.full(n_models, float(len(items)))
        known = np.flatnonzero(items >= 0)[::-1]
        keys[items[known]] = known
        return keys

    return positions


def _matrix_line(ranking: DistanceMatrix, rows: NDArray[np.int32], columns: NDArray[np.int32], n_models: int) -> Line:
    """Lines of a matrix if the query of a list has the row `rows` (Q,), and the columns (M,) are these models."""
    known = np.flatnonzero(columns >= 0)

    def values(query: int) -> NDArray[np.float64] | None:
        if rows[query] < 0:
            return None
        keys = np.full(n_models, np.nan)
        keys[columns[known]] = np.asarray(ranking.values[int(rows[query])], np.float64)[known]
        return -keys if ranking.similarity else keys

    return values


def _other_readings(
    ranking: RankedLists | DistanceMatrix, line: Line, context: ReadContext, options: ReadOptions
) -> Iterator[Reading]:
    """Plausible faults of runs: the other direction first, then other orders, rows of other queries, a transpose."""
    n_models, member = len(context.collection), context.queries.member
    other = "distances" if ranking.similarity else "similarities"
    direction = ("similarity", not ranking.similarity, "--distance" if ranking.similarity else "--similarity")
    if isinstance(ranking, DistanceMatrix):
        opposite = replace(ranking, similarity=not ranking.similarity)
        opposite_line = _matrix_line(opposite, ranking.rows, ranking.columns, n_models)
        yield Reading(f"as {other}", opposite_line, direction)
        for key in MATRIX_ORDERS:
            for order in possible_orders((ranking.values.shape[0], ranking.values.shape[1]), context, key)[:1]:
                rows = np.full(len(member), -1, np.int32)
                rows[order.rows[order.rows >= 0]] = np.flatnonzero(order.rows >= 0)
                if key != options.order and not (
                    np.array_equal(rows, ranking.rows) and np.array_equal(order.columns, ranking.columns)
                ):
                    other_line = _matrix_line(ranking, rows, order.columns, n_models)
                    yield Reading(f"in the order '{key}'", other_line, ("order", key, f"--order {key}"))
        if isinstance(ranking.values, np.ndarray) and ranking.values.shape[0] == ranking.values.shape[1] == n_models:
            yield Reading("transposed", _transposed_line(ranking, member))
    else:
        reversed_line = _list_line(ranking, n_models, is_reversed=True)
        by_score = ranking.by_score
        yield Reading(f"as {other}" if by_score else "from their ends", reversed_line, direction if by_score else None)
    nearest = ("queries_by", BY_NEAREST, f"--queries-by {BY_NEAREST}") if bool(np.all(member >= 0)) else None
    for step, name in ((1, "next"), (-1, "previous")):
        yield Reading(f"with the lists of the {name} queries", _shifted_line(line, ranking, context, step), nearest)


def _transposed_line(ranking: DistanceMatrix, member: NDArray[np.int32]) -> Line:
    column_of = np.full(len(ranking.columns), -1)
    column_of[ranking.columns[ranking.columns >= 0]] = np.flatnonzero(ranking.columns >= 0)
    query_of = np.full(len(ranking.columns), -1)
    query_of[member[member >= 0]] = np.flatnonzero(member >= 0)
    rows = np.where(query_of >= 0, ranking.rows[query_of], -1)

    def values(query: int) -> NDArray[np.float64] | None:
        column = column_of[member[query]] if member[query] >= 0 else -1
        if column < 0:
            return None
        keys = np.where(rows >= 0, np.asarray(ranking.values[:, column], np.float64)[rows], np.nan)
        return -keys if ranking.similarity else keys

    return values


def _shifted_line(line: Line, ranking: RankedLists | DistanceMatrix, context: ReadContext, step: int) -> Line:
    """The line of the query that follows, or precedes for `step` -1, in the order of the rows or of the file names."""
    rows = ranking.rows if isinstance(ranking, DistanceMatrix) else None
    order = natural_order(context.queries.ids) if rows is None else np.argsort(rows, kind="stable")
    other_of = np.empty(len(order), np.int64)
    other_of[order] = np.roll(order, -step)

    def values(query: int) -> NDArray[np.float64] | None:
        return line(int(other_of[query]))

    return values
