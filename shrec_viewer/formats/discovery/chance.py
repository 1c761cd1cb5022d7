"""Runs that are no better than chance, and other readings of them that are."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, RankedLists
from shrec_viewer.formats.core.findings_log import UNDECIDED
from shrec_viewer.formats.core.ids import natural_order
from shrec_viewer.formats.core.rank_evidence import QueryKeys, matrix_keys, rank_evidence, z_score
from shrec_viewer.formats.core.read_choices import BY_NEAREST, MATRIX_ORDERS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.matrices.interpretation import possible_orders

CHANCE_SHARE = 0.45
"""Lowest mean relative rank of relevant models that counts as near 50 %; the weakest run of SHREC 2006 has 44.5 %."""

MIN_LISTS = 6
"""Lists with relevant models from which on chance is judged; of fewer, a sound run may be near 50 % as well."""

CHANCE_Z = 2.0
"""Standard errors from 50 % from which on a run is hardly better, or worse, than by chance."""

CLEAR_Z = 3.0
"""Standard errors from which on a run near 50 % is sound: one of SHREC 2021 has 46.6 %, and 3.01 for 189 queries."""

STANDING_OUT_Z = 2.5
"""Standard errors by which another reading must be better than chance to be named: p = 0.006, for about ten of them."""

MAX_SELF_LISTS = 64
"""Lists in which it is examined whether they start with their query."""

STANDING_OUT_SHARE = 0.1
"""Difference of the mean relative ranks by which it must be better than the present reading."""


@dataclass(frozen=True, eq=False)
class Reading:
    """Another reading of a run.

    Attributes
    ----------
    text : such as ``as similarities``.
    keys : see `QueryKeys`.
    setting : field of `ReadOptions`, value, and option of the command line that select it; None if nothing does.
    """

    text: str
    keys: QueryKeys
    setting: tuple[str, str | bool, str] | None = None


def log_chance(path: Path, ranking: RankedLists | DistanceMatrix, context: ReadContext, options: ReadOptions) -> None:
    """A warning about a run that is no better, or worse, than by chance; it names the reading that stands out."""
    if isinstance(ranking, DistanceMatrix):
        keys = _keys_of_matrix(ranking, len(context.collection))
    else:
        keys = _list_keys(ranking, len(context.collection))
    found = rank_evidence(keys, context)
    if found.n_lists < MIN_LISTS or found.mean < CHANCE_SHARE:
        return
    z = z_score(found.shares)
    if z > CLEAR_Z:
        return
    degree = "worse" if z < -CHANCE_Z else "hardly better" if z > CHANCE_Z else "no better"
    message = f"the mean relative rank of relevant models is {found.mean_text}: {degree} than by chance"
    tried = [
        (reading, rank_evidence(reading.keys, context)) for reading in _other_readings(ranking, keys, context, options)
    ]
    reading, evidence = min(tried, key=lambda pair: pair[1].mean)
    if z_score(evidence.shares) <= STANDING_OUT_Z or evidence.mean > found.mean - STANDING_OUT_SHARE:
        if found.mean < 1 - CHANCE_SHARE:
            context.findings_log.warning(path, message, "read as written; no other order or direction stands out")
            return
        reading, evidence = tried[0]  # of few queries nothing is significant: the other direction is the usual fault
    action = f"read as written; {reading.text} it is {evidence.mean_text}"
    setting = None
    if reading.setting is not None:
        setting = context.findings_log.run_setting(path, *reading.setting)
        action += "; to read it so"
    else:
        action += "; no option reads it so: correct the run"
    context.findings_log.warning(path, message, action, key=UNDECIDED, setting=setting)


def _keys_of_matrix(ranking: DistanceMatrix, n_models: int) -> QueryKeys:
    return matrix_keys(ranking.values, ranking.rows, ranking.columns, n_models, similarity=ranking.similarity)


def _list_keys(ranking: RankedLists, n_models: int, *, is_reversed: bool = False) -> QueryKeys:
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


def _other_readings(
    ranking: RankedLists | DistanceMatrix, keys: QueryKeys, context: ReadContext, options: ReadOptions
) -> Iterator[Reading]:
    """Plausible faults of runs: the other direction first, then other orders, rows of other queries, a transpose."""
    n_models, member = len(context.collection), context.queries.member
    other = "distances" if ranking.similarity else "similarities"
    direction = ("similarity", not ranking.similarity, "--distance" if ranking.similarity else "--similarity")
    if isinstance(ranking, DistanceMatrix):
        opposite = replace(ranking, similarity=not ranking.similarity)
        yield Reading(f"as {other}", _keys_of_matrix(opposite, n_models), direction)
        for key in MATRIX_ORDERS:
            for order in possible_orders((ranking.values.shape[0], ranking.values.shape[1]), context, key)[:1]:
                rows = order.rows_of_queries(len(member))
                if key != options.order and not (
                    np.array_equal(rows, ranking.rows) and np.array_equal(order.columns, ranking.columns)
                ):
                    ordered = replace(ranking, rows=rows, columns=order.columns)
                    yield Reading(
                        f"in the order '{key}'", _keys_of_matrix(ordered, n_models), ("order", key, f"--order {key}")
                    )
        if isinstance(ranking.values, np.ndarray) and ranking.values.shape[0] == ranking.values.shape[1] == n_models:
            yield Reading("transposed", _transposed_keys(ranking, member))
    else:
        reversed_keys = _list_keys(ranking, n_models, is_reversed=True)
        by_score = ranking.by_score
        yield Reading(f"as {other}" if by_score else "from their ends", reversed_keys, direction if by_score else None)
    if _starts_with_queries(keys, member):
        return  # so they are the lists of their queries
    in_file = np.argsort(ranking.rows, kind="stable") if isinstance(ranking, DistanceMatrix) else None
    queries = natural_order(context.queries.ids) if in_file is None else in_file
    others = {"of the next queries": np.roll(queries, -1), "of the previous queries": np.roll(queries, 1)}
    for text, others_of in {**others, "in reverse order": queries[::-1]}.items():
        keys_of_others = _keys_of_others(keys, queries, others_of)
        is_nearest = bool(np.all(member >= 0)) and _starts_with_queries(keys_of_others, member)
        nearest = ("queries_by", BY_NEAREST, f"--queries-by {BY_NEAREST}") if is_nearest else None
        yield Reading(f"with the lists {text}", keys_of_others, nearest)


def _starts_with_queries(keys_of: QueryKeys, member: NDArray[np.int32]) -> bool:
    """Whether most lists, of a sample, start with the query itself, alone."""
    found = []
    for query in range(0, len(member), max(1, len(member) // MAX_SELF_LISTS)):
        keys = keys_of(query) if member[query] >= 0 else None
        if keys is not None:
            found.append(np.count_nonzero(~(keys > keys[member[query]]) & ~np.isnan(keys)) == 1)
    return 2 * sum(found) > len(found)


def _transposed_keys(ranking: DistanceMatrix, member: NDArray[np.int32]) -> QueryKeys:
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


def _keys_of_others(keys: QueryKeys, order: NDArray[np.integer], others: NDArray[np.integer]) -> QueryKeys:
    """The keys of another query: of `others` where it is that of `order`, both (Q,)."""
    other_of = np.empty(len(order), np.int64)
    other_of[order] = others

    def values(query: int) -> NDArray[np.float64] | None:
        return keys(int(other_of[query]))

    return values
