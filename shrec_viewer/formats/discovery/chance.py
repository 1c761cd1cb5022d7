"""Runs that are no better than chance, and other readings of them that are."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, RankedLists
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.evidence import RankEvidence, z_score
from shrec_viewer.formats.core.ids import natural_order
from shrec_viewer.formats.core.rank_evidence import QueryKeys, matrix_keys, rank_evidence
from shrec_viewer.formats.core.read_choices import BY_NEAREST, MATRIX_ORDERS
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions
from shrec_viewer.formats.core.run_checks import column_of_model, find_self_hits, with_lists_of
from shrec_viewer.formats.io.progress import never_cancelled
from shrec_viewer.formats.matrices.interpretation import possible_orders

#: Lowest mean relative rank of relevant models that counts as near 50 %; the weakest run of SHREC 2006 has 44.5 %.
CHANCE_SHARE = 0.45

#: Lists with relevant models from which on chance is judged; of fewer, a sound run may be near 50 % as well.
MIN_LISTS = 6

#: Standard errors from 50 % from which on a run is hardly better, or worse, than by chance.
CHANCE_Z = 2.0

#: Standard errors from which on a run near 50 % is sound: one of SHREC 2021 has 46.6 %, and 3.01 for 189 queries.
CLEAR_Z = 3.0

#: Shifts, in sixths of the number of queries, by which lists are exchanged: neighbours are often of one class.
EXCHANGE_SIXTHS = (1, 2, 3, 4, 5)

#: Number of queries by which lists may be shifted: a header, its blank line and the name of the run are three lines.
MAX_SHIFT = 3

#: Standard errors by which another reading must be better than chance to be named: p = 0.006, for up to 14 of them.
STANDING_OUT_Z = 2.5

#: Difference of the mean relative ranks by which it must be better than the present reading.
STANDING_OUT_SHARE = 0.1


#: A reading: row of DECISIONS, value that takes it, text such as ``as similarities``, and the run, read so.
Reading = tuple[str, str, str, RankedLists | DistanceMatrix]


def log_chance(path: Path, ranking: RankedLists | DistanceMatrix, context: ReadContext, options: ReadOptions) -> None:
    """A warning about a run that is no better, or worse, than by chance; it names the reading that stands out."""
    found = _evidence_of(ranking, context)
    if found.n_lists < MIN_LISTS or found.mean < CHANCE_SHARE:
        return
    z = z_score(found.shares)
    if z > CLEAR_Z:
        # Lists that are alike for all queries may be far from 50 % together, without an answer to any query.
        z = z_score(found.shares, _exchanged_shares(ranking, context))
    if z > CLEAR_Z:
        return
    degree = "worse" if z < -CHANCE_Z else "hardly better" if z > CHANCE_Z else "no better"
    message = f"the mean relative rank of relevant models is {found.mean_text}: {degree} than by chance"
    tried = [
        (name, Alternative(value, text, measure=partial(_evidence_of, changed, context)))
        for name, value, text, changed in _other_readings(ranking, context, options)
    ]
    name, other = min(tried, key=lambda pair: pair[1].mean)
    clearness = 0.0 if other.evidence is None else z_score(other.evidence.shares)
    if clearness <= STANDING_OUT_Z or other.mean > found.mean - STANDING_OUT_SHARE:
        if found.mean < 1 - CHANCE_SHARE:
            context.findings_log.warning(path, message, "read as written; no other order or direction stands out")
            return
        name, other = tried[0]  # of few queries nothing is significant: the other direction is the usual fault
    decision = Decision(name, (Alternative("written", "read as written"), other), "written", problem=message)
    context.findings_log.decide(path, decision)


def _evidence_of(ranking: RankedLists | DistanceMatrix, context: ReadContext) -> RankEvidence:
    return rank_evidence(_keys_of(ranking, len(context.collection)), context)


def _exchanged_shares(ranking: RankedLists | DistanceMatrix, context: ReadContext) -> NDArray[np.float64]:
    """(Q,) mean relative ranks of the relevant models of each query in lists of other queries; 0.5 without such."""
    queries = np.arange(len(context.queries))
    shifts = [len(queries) * sixths // 6 for sixths in EXCHANGE_SIXTHS]
    others = [_evidence_of(with_lists_of(ranking, np.roll(queries, shift)), context).shares for shift in shifts]
    count = np.count_nonzero(~np.isnan(others), axis=0)
    return np.where(count > 0, np.nansum(others, axis=0) / np.maximum(count, 1), 0.5)


def _keys_of(ranking: RankedLists | DistanceMatrix, n_models: int) -> QueryKeys:
    """Of lists, the positions in them; models that are not listed follow, all at one position."""
    if isinstance(ranking, DistanceMatrix):
        return matrix_keys(ranking.values, ranking.rows, ranking.columns, n_models, similarity=ranking.similarity)

    def positions(query: int) -> NDArray[np.float64] | None:
        if not ranking.present[query]:
            return None
        items = ranking.items[ranking.rows(query)]
        keys = np.full(n_models, float(len(items)))
        known = np.flatnonzero(items >= 0)[::-1]
        keys[items[known]] = known
        return keys

    return positions


def _other_readings(
    ranking: RankedLists | DistanceMatrix, context: ReadContext, options: ReadOptions
) -> Iterator[Reading]:
    """Plausible faults of runs: the other direction first, then other orders, rows of other queries, a transpose."""
    n_models, member = len(context.collection), context.queries.member
    opposite = "distances" if ranking.similarity else "similarities"
    direction = "similarity", str(not ranking.similarity).lower(), f"as {opposite}"
    if isinstance(ranking, DistanceMatrix):
        yield *direction, replace(ranking, similarity=not ranking.similarity)
        for key in MATRIX_ORDERS:
            for order in possible_orders((ranking.values.shape[0], ranking.values.shape[1]), context, key)[:1]:
                rows = order.rows_of_queries(len(member))
                is_same = np.array_equal(rows, ranking.rows) and np.array_equal(order.columns, ranking.columns)
                if key != options.order and not is_same:
                    yield "order", key, f"in the order '{key}'", replace(ranking, rows=rows, columns=order.columns)
        if isinstance(ranking.values, np.ndarray) and ranking.values.shape[0] == ranking.values.shape[1] == n_models:
            yield "transposed", "", "transposed", _transposed(ranking, member)
        queries: NDArray[np.integer] = np.argsort(ranking.rows, kind="stable")
    else:
        at_ends = "written", "", "from their ends"
        yield *(direction if ranking.by_score else at_ends), _reversed(ranking)
        queries = natural_order(context.queries.ids)
    hits = find_self_hits(ranking, member, never_cancelled)
    if _are_nearest(hits.nearest, member):
        return  # so they are the lists of their queries
    others = {"in reverse order": queries[::-1]}
    for shift in range(1, MAX_SHIFT + 1):
        by = "" if shift == 1 else f", shifted by {shift}"
        others[f"of the next queries{by}"] = np.roll(queries, -shift)
        others[f"of the previous queries{by}"] = np.roll(queries, shift)
    for text, others_of in others.items():
        source = np.empty(len(queries), np.int64)
        source[queries] = others_of
        is_nearest = bool(np.all(member >= 0)) and _are_nearest(hits.nearest[source], member)
        value = BY_NEAREST if is_nearest else ""
        yield "queries_by", value, f"with the lists {text}", with_lists_of(ranking, source)


def _are_nearest(nearest: NDArray[np.int32], member: NDArray[np.int32]) -> bool:
    """Whether most lists start with the query itself."""
    known = (member >= 0) & (nearest >= 0)
    return bool(2 * np.count_nonzero(nearest[known] == member[known]) > np.count_nonzero(known))


def _reversed(ranking: RankedLists) -> RankedLists:
    """The lists with the worst first, without distances."""
    query = np.repeat(np.arange(len(ranking)), np.diff(ranking.indptr))
    order = ranking.indptr[query] + ranking.indptr[query + 1] - 1 - np.arange(len(query))
    return replace(ranking, items=ranking.items[order], distances=None, unknown=None)


def _transposed(ranking: DistanceMatrix, member: NDArray[np.int32]) -> DistanceMatrix:
    """A matrix in memory with the models as rows and the queries as columns."""
    present = np.flatnonzero(ranking.present)
    columns = np.full(len(ranking.columns), -1, np.int32)
    columns[ranking.rows[present]] = member[present]
    rows = np.where(member >= 0, column_of_model(ranking.columns, len(columns))[member], -1)
    return replace(ranking, values=np.asarray(ranking.values).T, rows=rows.astype(np.int32), columns=columns)
