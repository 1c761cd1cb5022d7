"""Ranked lists as submitted to ranks of the relevant models: clean up, then look up."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.ranking import Found, by_query_and_rank, hit_table
from shrec_viewer.metrics.truth import Truth

BLOCK_CELLS = 1 << 22
"""Query-model cells looked up at a time: 32 MB."""


@dataclass(frozen=True, eq=False)
class Lists:
    """Ranked lists as submitted, as compressed sparse rows.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the list of query q is ``indptr[q]:indptr[q + 1]``, best first.
    items : (n,) int32, models; -1 for what is not in the collection.
    present : (Q,) bool, whether there is an answer at all.
    scores : (n,) float or None: distances that define the order, smaller is nearer; None where the lines do.
    id_order : (N,) int64, place of each model when ids descend; needed for ``ties="trec"``.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    present: NDArray[np.bool_]
    scores: NDArray[np.float64] | None = None
    id_order: NDArray[np.int64] | None = None


@dataclass(frozen=True, eq=False)
class CleanLists:
    """What is left of some lists, and where.

    Attributes
    ----------
    query : (n,) int64, counted from the first query of the block, ascending.
    entries : (n,) int64, places in the submitted arrays.
    ranks : (n,) int64, 1-based.
    own_rank : (B,) int32, place of the query itself before it was left out, 0 where it did not stand in the list.
    lengths : (B,) int64, models left in each list.
    """

    query: NDArray[np.int64]
    entries: NDArray[np.int64]
    ranks: NDArray[np.int64]
    own_rank: NDArray[np.int32]
    lengths: NDArray[np.int64]


def hits_from_lists(
    truth: Truth,
    lists: Lists,
    profile: Profile,
    *,
    block_cells: int = BLOCK_CELLS,
    checkpoint: Callable[[], None] | None = None,
) -> HitTable:
    """Ranks of all relevant models in ranked lists, cleaned up as the profile says; see `clean`.

    Parameters
    ----------
    truth : relevant models; `len(truth)` is Q.
    lists : the lists of the same queries.
    profile : conventions.
    block_cells : how many query-model cells to look up at a time; the result does not depend on it.
    checkpoint : called before each block; may raise to give up.
    """
    own = truth.own(profile.self_match == "drop")
    per_block = max(1, block_cells // max(truth.n_models, 1))
    parts: list[Found] = []
    for start in range(0, len(truth), per_block):
        if checkpoint is not None:
            checkpoint()
        parts.append(_rank_block(truth, lists, profile, own, start, min(start + per_block, len(truth))))
    found = Found(
        query=np.concatenate([np.zeros(0, np.int64), *(part.query for part in parts)]),
        ranks=np.concatenate([np.zeros(0, np.int64), *(part.ranks for part in parts)]),
        levels=np.concatenate([np.zeros(0, np.uint8), *(part.levels for part in parts)]),
        list_length=np.concatenate([np.zeros(0, np.int64), *(part.list_length for part in parts)]),
        missing=~lists.present,
        own_rank=np.concatenate([np.zeros(0, np.int32), *(part.own_rank for part in parts)]),
    )
    return hit_table(truth, profile, own, found)[0]


def _rank_block(truth: Truth, lists: Lists, profile: Profile, own: NDArray[np.int64], start: int, stop: int) -> Found:
    kept = clean(lists, start, stop, own[start:stop], truth.n_models, profile)
    items = lists.items[kept.entries].astype(np.int64)
    known = items >= 0
    rank_of = np.zeros((stop - start) * truth.n_models, np.int32)
    rank_of[kept.query[known] * truth.n_models + items[known]] = kept.ranks[known]
    query, relevant, levels = truth.pairs(start, stop, own)
    ranks = rank_of[query * truth.n_models + relevant].astype(np.int64)
    there = np.flatnonzero(ranks)
    there = there[by_query_and_rank(query[there], ranks[there])]
    return Found(
        query=query[there] + start,
        ranks=ranks[there],
        levels=levels[there],
        list_length=kept.lengths,
        missing=~lists.present[start:stop],
        own_rank=kept.own_rank,
    )


def clean(lists: Lists, start: int, stop: int, own: NDArray[np.int64], n_models: int, profile: Profile) -> CleanLists:
    """The lists of the queries ``start:stop`` as the profile counts them.

    In this order: sort by score where scores define the order; cut by lines where the profile counts lines; remove what
    stands there a second time; remove what is not in the collection (or keep its place); remove the query itself. The
    cut by places comes last, in `hit_table`, and for the screen in the caller.

    Parameters
    ----------
    own : (B,) int64, the model to leave out of each list, -1 for none.
    """
    first = int(lists.indptr[start])
    entries = np.arange(first, int(lists.indptr[stop]), dtype=np.int64)
    query = np.repeat(np.arange(stop - start, dtype=np.int64), np.diff(lists.indptr[start : stop + 1]))
    if lists.scores is not None:
        entries = entries[_by_score(lists, entries, query, profile)]
    items = lists.items[entries].astype(np.int64)
    kept = ~_repeated(query, items, n_models)
    if profile.unknown == "drop":
        kept &= items >= 0
    if profile.cut_counts == "lines" and profile.list_cut is not None:
        kept &= _number(query, stop - start) <= profile.list_cut
    query, entries, items = query[kept], entries[kept], items[kept]
    is_own = items == own[query]
    is_own &= items >= 0
    own_rank = np.zeros(stop - start, np.int32)
    own_rank[query[is_own]] = _number(query, stop - start)[is_own]
    query, entries = query[~is_own], entries[~is_own]
    lengths = np.bincount(query, minlength=stop - start).astype(np.int64)
    return CleanLists(query, entries, _number(query, stop - start), own_rank, lengths)


def _number(query: NDArray[np.int64], n_queries: int) -> NDArray[np.int64]:
    """(n,) 1-based place of each entry within its query; `query` ascends."""
    starts = np.searchsorted(query, np.arange(n_queries))
    return np.arange(1, len(query) + 1, dtype=np.int64) - starts[query]


def _by_score(
    lists: Lists, entries: NDArray[np.int64], query: NDArray[np.int64], profile: Profile
) -> NDArray[np.int64]:
    """(n,) the order in which the entries rank: by score, not-a-number last, ties by line or by descending id."""
    assert lists.scores is not None
    scores = lists.scores[entries]
    if profile.ties != "trec" or lists.id_order is None:
        return np.lexsort((scores, query))
    items = lists.items[entries]
    by_id = np.where(items >= 0, lists.id_order[items], len(lists.id_order))
    with np.errstate(over="ignore"):
        return np.lexsort((by_id, scores.astype(np.float32), query))


def _repeated(query: NDArray[np.int64], items: NDArray[np.int64], n_models: int) -> NDArray[np.bool_]:
    """(n,) bool, whether a model of the collection stood earlier in the same list."""
    repeated = np.zeros(len(items), np.bool_)
    known = np.flatnonzero(items >= 0)
    if len(known) == 0:
        return repeated
    cells = query[known] * n_models + items[known]
    # Whichever writer of a cell wins, a cell written twice shows: one of its writers does not find itself.
    winner = np.empty((int(query[known[-1]]) + 1) * n_models, np.int64)
    winner[cells] = known
    if np.all(winner[cells] == known):
        return repeated
    _, first = np.unique(cells, return_index=True)
    repeated[known] = True
    repeated[known[first]] = False
    return repeated
