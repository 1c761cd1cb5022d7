"""Ranks of relevant models in submitted lists, cleaned up by the conventions of a profile."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.profiles.contests import DEFAULT
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitRanks, RankedHits
from shrec_viewer.metrics.ranking.matrix_ranking import is_dropped
from shrec_viewer.metrics.ranking.truth import Truth

#: Query-model cells of a block: 2 MB, which fits the second-level cache.
BLOCK_CELLS = 1 << 21


@dataclass(frozen=True, eq=False)
class ListArrays:
    """Ranked lists as submitted, as compressed sparse rows (CSR).

    Attributes
    ----------
    indptr : (Q + 1,) int64; the list of query q is ``indptr[q]:indptr[q + 1]``, best first.
    items : (n,) int32, models; -1 for ids that are not in the collection.
    present : (Q,) bool, whether there are results for the query.
    distances : (n,) float or None, smaller is nearer.
    by_score : True if distances define the order, False if lines do. Then equal adjacent distances are ties that keep
        the order of lines, and NaN is a missing distance.
    tie_order : (N,) int64, order of models at the same distance; None for the order of lines.
    unknown_tie_order : (n,) int64, the same order for the lines of ids that are not in the collection; None: after the
        models.
    unknown : (n,) int32, number of the id of each line whose id is not in the collection, else -1; None if it is not
        known which of these ids are equal, so that none counts as repeated.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    present: NDArray[np.bool_]
    distances: NDArray[np.float64] | None = None
    by_score: bool = False
    tie_order: NDArray[np.int64] | None = None
    unknown_tie_order: NDArray[np.int64] | None = None
    unknown: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, rows: Sequence[Sequence[int] | None]) -> "ListArrays":
        """Lists of models, best first; None for a query without results.

        Examples
        --------
        >>> ListArrays.of([[2, 0], None, []]).present.tolist()
        [True, False, True]
        """
        lists = [np.asarray([] if row is None else row, np.int32) for row in rows]
        return cls(
            indptr=np.concatenate([[0], np.cumsum([len(row) for row in lists])]).astype(np.int64),
            items=np.concatenate([np.zeros(0, np.int32), *lists]),
            present=np.array([row is not None for row in rows], np.bool_),
        )


@dataclass(frozen=True, eq=False)
class CleanedLists:
    """Lists of a block of queries after clean-up: their lines in rank order, and which of them count.

    Attributes
    ----------
    query : (n,) int64, relative to the first query of the block, ascending.
    entries : (n,) int64, indices into the submitted arrays.
    items : (n,) int64, models.
    is_counted : (n,) bool, whether a line counts.
    lengths : (B,) int64, number of lines that count.
    own_rank : (B,) int32, rank of the query itself before it was removed, 0 if it is not in the list.
    nans, infinite, repeated, unknown : (B,) int64, see `ListAnomalies`.
    """

    query: NDArray[np.int64]
    entries: NDArray[np.int64]
    items: NDArray[np.int64]
    is_counted: NDArray[np.bool_]
    lengths: NDArray[np.int64]
    own_rank: NDArray[np.int32]
    nans: NDArray[np.int64]
    infinite: NDArray[np.int64]
    repeated: NDArray[np.int64]
    unknown: NDArray[np.int64]


def hits_from_lists(
    truth: Truth,
    lists: ListArrays,
    profile: Profile = DEFAULT,
    *,
    block_cells: int = BLOCK_CELLS,
    checkpoint: Callable[[], None] | None = None,
) -> RankedHits:
    """Ranks of all relevant models in ranked lists, cleaned up by the conventions of a profile; see `clean_lists`.

    Parameters
    ----------
    truth : relevant models; `len(truth)` is Q.
    lists : lists of the same queries.
    profile : conventions.
    block_cells : query-model cells processed at a time; the result does not depend on it.
    checkpoint : called before each block; may raise an exception to cancel.
    """
    # First, since the threshold also decides which queries have relevant models.
    truth = truth.at_least(profile.relevant_from).with_junk(profile.junk == "removed")
    own = truth.own(profile.self_match == "drop")
    # Levels of all query-model cells of a block are expanded, see `Truth.levels_of`; queries without a list have none.
    per_block = max(1, block_cells // max(truth.n_models, 1))
    n_lists = np.concatenate([[0], np.cumsum(np.diff(lists.indptr) > 0)])
    parts: list[HitRanks] = []
    stop = 0
    # One block even without queries, so that `HitRanks.joined` has a part with the right types.
    while stop < len(truth) or not parts:
        if checkpoint is not None:
            checkpoint()
        start, stop = stop, _end_of_block(n_lists, stop, per_block)
        junk = truth.junk_cells(start, stop)
        block = clean_lists(lists, start, stop, own[start:stop], junk, truth.n_models, profile)
        parts.append(_relevant_lines(truth, lists, block, start, stop, profile))
    return RankedHits(truth, profile, HitRanks.joined(parts), ~lists.present)


def _end_of_block(n_lists: NDArray[np.int64], start: int, per_block: int) -> int:
    """End of a block with at most `per_block` queries, or of any number without lists.

    Parameters
    ----------
    n_lists : (Q + 1,) int64, number of queries with a list before each one.
    """
    last = len(n_lists) - 1
    without = int(np.searchsorted(n_lists, n_lists[start], side="right")) - 1
    return without if without > start else min(start + per_block, last)


def _relevant_lines(
    truth: Truth, lists: ListArrays, block: CleanedLists, start: int, stop: int, profile: Profile
) -> HitRanks:
    """The relevant models among the lines that count."""
    levels: NDArray[np.uint8] | NDArray[np.int16] = truth.levels_of(start, stop, block.query, block.items)
    is_hit = levels > 0
    if truth.judged_cells is not None:
        query, items, judged_levels = truth.judged(start, stop)
        cells = query * truth.n_models + items
        lines = np.where(block.items < 0, -1, block.query * truth.n_models + block.items)
        index = np.minimum(np.searchsorted(cells, lines), max(len(cells) - 1, 0))
        is_judged = ~is_hit & (cells[index] == lines) if len(cells) else np.zeros(len(lines), np.bool_)
        levels = levels.astype(np.int16)
        levels[is_judged] = judged_levels[index[is_judged]]
        is_hit |= is_judged
    # Only relevant models are kept; for a list of the whole collection these are few lines.
    hits = np.flatnonzero(is_hit & block.is_counted)
    n_counted = np.cumsum(block.is_counted)  # lines that count up to each one, over all lists of the block
    starts = np.concatenate([[0], np.cumsum(block.lengths)])[:-1]
    query = block.query[hits]
    ranks = n_counted[hits] - starts[query]
    first, last = _tie_bounds(lists, block, hits, profile)
    return HitRanks(
        query=query + start,
        ranks=ranks,
        levels=levels[hits],
        earliest=ranks if first is None else n_counted[first] - starts[query],
        latest=ranks if last is None else n_counted[last] - starts[query],
        list_length=block.lengths,
        own_rank=block.own_rank,
        nans=block.nans,
        infinite=block.infinite,
        repeated=block.repeated,
        unknown=block.unknown,
    )


def _tie_bounds(
    lists: ListArrays, block: CleanedLists, hits: NDArray[np.int64], profile: Profile
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """First and last line that counts at the distance of each hit, (n,) both; None if there are no ties."""
    if lists.distances is None:
        return None, None
    lines = np.flatnonzero(block.is_counted)
    query, distances = block.query[lines], _sort_keys(lists, block.entries[lines], profile)
    same = distances[1:] == distances[:-1]
    if lists.by_score:
        # NaN differs from NaN in comparisons. Lists in the order of their lines have NaN where a distance is missing:
        # no tie.
        same |= np.isnan(distances[1:]) & np.isnan(distances[:-1])
    same &= query[1:] == query[:-1]
    if not np.any(same):
        return None, None
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    group = np.searchsorted(starts, np.searchsorted(lines, hits), side="right") - 1
    ends = np.append(starts[1:], len(lines)) - 1
    return lines[starts[group]], lines[ends[group]]


def clean_lists(
    lists: ListArrays,
    start: int,
    stop: int,
    own: NDArray[np.int64],
    junk: NDArray[np.int64],
    n_models: int,
    profile: Profile,
) -> CleanedLists:
    """The lists of the queries ``start:stop`` after clean-up by the conventions of a profile.

    In this order: sort by score if scores define the order; cut off by lines if the profile does so; remove repeated
    models; remove unknown ids (or keep them at their rank), junk and models whose distance means not retrieved; remove
    the query itself. The cutoff by rank is applied last, in `RankedHits`, and for display by the caller.

    Parameters
    ----------
    own : (B,) int64, model to exclude from each list, -1 for none.
    junk : (j,) int64, ``query * n_models + model`` of the models that are removed, the query from 0.
    """
    size = stop - start
    bounds = lists.indptr[start : stop + 1]
    entries = np.arange(int(bounds[0]), int(bounds[-1]), dtype=np.int64)
    query = np.repeat(np.arange(size, dtype=np.int64), np.diff(bounds))
    if lists.by_score:
        # Before the cutoff by lines: evaluators that read scores sort the whole file and cut afterwards.
        entries = entries[_score_order(lists, entries, query, profile)]
    items = lists.items[entries].astype(np.int64)
    is_unknown = items < 0
    repeated = _repeated_models(query, items, n_models, size)
    if lists.unknown is not None and np.any(is_unknown):
        # As models of their own, which only here have numbers.
        unknown = np.where(is_unknown, lists.unknown[entries], -1).astype(np.int64)
        repeated |= _repeated_models(query, unknown, int(unknown.max()) + 1, size)
    is_counted = ~repeated
    if profile.unknown == "drop":
        is_counted &= ~is_unknown
    # Lines are counted before unknown ids are removed, so a list can end before the rank of the cutoff.
    if profile.cut_counts == "lines" and profile.list_cut is not None:
        is_counted &= np.arange(len(query)) - (bounds[:-1] - bounds[0])[query] < profile.list_cut
    # One array for both names; neither is written to below.
    nans = infinite = np.zeros(size, np.int64)
    # `own` is -1 for no query, and so are unknown ids: without the second condition each would count as the query.
    is_own = (items == own[query]) & ~is_unknown & is_counted
    if len(junk):
        is_junk = np.isin(query * n_models + items, junk) & ~is_unknown & (items != own[query])
        is_counted &= ~is_junk
    else:
        is_junk = is_own
    if lists.by_score:
        distances = _sort_keys(lists, entries, profile)
        nans, infinite = (_count(query, test(distances) & ~is_own & ~is_junk, size) for test in (np.isnan, np.isposinf))
        is_counted &= ~is_dropped(distances, profile)
        is_own &= is_counted
    is_counted &= ~is_own
    lengths = _count(query, is_counted, size)
    own_rank = np.zeros(size, np.int32)
    own_entries = np.flatnonzero(is_own)
    n_before = np.cumsum(is_counted)[own_entries] - np.concatenate([[0], np.cumsum(lengths)])[query[own_entries]]
    # The rank that it had among the lines that count; the released psbPlot draws its curve with it.
    own_rank[query[own_entries]] = n_before + 1
    return CleanedLists(
        query,
        entries,
        items,
        is_counted,
        lengths,
        own_rank,
        nans,
        infinite,
        repeated=_count(query, repeated, size),
        unknown=_count(query, is_unknown, size),
    )


def _count(query: NDArray[np.int64], marked: NDArray[np.bool_], n_queries: int) -> NDArray[np.int64]:
    """(B,) number of marked lines of each query."""
    return np.bincount(query[marked], minlength=n_queries).astype(np.int64)


def _sort_keys(lists: ListArrays, entries: NDArray[np.int64], profile: Profile) -> NDArray[np.floating]:
    """(n,) distances in the precision in which the profile compares them."""
    assert lists.distances is not None
    distances = lists.distances[entries]
    if profile.ties != "trec":
        return distances
    # trec_eval reads scores as C float: values that differ only in double precision are ties, and large ones infinite.
    with np.errstate(over="ignore"):
        return distances.astype(np.float32)


def _score_order(
    lists: ListArrays, entries: NDArray[np.int64], query: NDArray[np.int64], profile: Profile
) -> NDArray[np.int64]:
    """(n,) the order in which the entries rank: by score, NaN last, ties by line or by `tie_order`."""
    scores = _sort_keys(lists, entries, profile)
    order = np.arange(len(entries), dtype=np.int64)
    # Most files are sorted, and the check takes less than half of the time of sorting. NaN compares False: lists with
    # NaN are sorted.
    if not np.all((scores[1:] >= scores[:-1]) | (query[1:] != query[:-1])):
        order = np.lexsort((scores, query))
    if lists.tie_order is None:
        return order
    scores = scores[order]
    same = (scores[1:] == scores[:-1]) | (np.isnan(scores[1:]) & np.isnan(scores[:-1]))
    same &= query[1:] == query[:-1]
    if not np.any(same):
        return order
    # Only tied entries are sorted by `tie_order`: they are few, and sorting all entries takes ten times as long.
    tied = np.flatnonzero(np.concatenate([[False], same]) | np.concatenate([same, [False]]))
    group = np.concatenate([[0], np.cumsum(~same)])[tied]
    tied_entries = entries[order[tied]]
    items = lists.items[tied_entries]
    # A rank after all models, for unknown ids without an order.
    last = np.int64(len(lists.tie_order))
    unknown = last if lists.unknown_tie_order is None else lists.unknown_tie_order[tied_entries]
    tie_rank = np.where(items >= 0, lists.tie_order[items], unknown)
    order[tied] = order[tied][np.lexsort((tie_rank, group))]
    return order


def _repeated_models(
    query: NDArray[np.int64], items: NDArray[np.int64], n_models: int, n_queries: int
) -> NDArray[np.bool_]:
    """(n,) bool, True for a model of the collection that also occurs earlier in the same list."""
    repeated = np.zeros(len(items), np.bool_)
    if not len(items):
        return repeated
    known = np.flatnonzero(items >= 0)
    cells = query * n_models + items
    if len(known) < len(items):
        cells = cells[known]
    # A flag for each cell takes 2 ms, np.unique 700 ms for a million lines; most lists have no repetitions.
    seen = np.zeros(n_queries * n_models, np.bool_)
    seen[cells] = True
    if np.count_nonzero(seen) == len(cells):
        return repeated
    _, first = np.unique(cells, return_index=True)
    repeated[known] = True
    repeated[known[first]] = False
    return repeated
