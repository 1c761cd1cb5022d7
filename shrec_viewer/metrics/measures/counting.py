"""Counts and sums over the hits of each query, independent of block size."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

FloatColumn = NDArray[np.float64]
IntColumn = NDArray[np.int64]


def relevant_found(hits: HitTable, level: int, scope: IntColumn | int | None = None) -> IntColumn:
    """(Q,) int64, number of models of at least `level` within the first `scope` ranks; None for the whole list."""
    found = hits.at_least(level)
    if scope is None:
        return np.diff(found.indptr)
    limit = np.broadcast_to(np.asarray(scope, np.int64), (len(hits),))
    inside = found.ranks <= limit[found.query]
    return np.bincount(found.query[inside], minlength=len(hits)).astype(np.int64)


def found_at_ranks(hits: HitTable, level: int, ranks: IntColumn) -> NDArray[np.int64]:
    """(Q, K) int64, number of models of at least `level` within the first `ranks`, ascending (K,)."""
    found = hits.at_least(level)
    columns = len(ranks) + 1  # the last one counts the hits after all ranks
    cells = found.query * columns + np.searchsorted(ranks, found.ranks)
    # np.bincount, because np.add.at was up to 6 times slower before numpy 1.25.
    counts = np.bincount(cells, minlength=len(hits) * columns).reshape(len(hits), columns)
    return np.cumsum(counts[:, :-1], axis=1)


def generality(hits: HitTable, level: int = 1) -> FloatColumn:
    """(Q,) float64, share c / d of relevant models in the collection: the expected precision of a random ranking."""
    return hits.relevant_size(level) / np.maximum(hits.collection_size, 1)


def findable_size(hits: HitTable, profile: Profile, level: int) -> IntColumn:
    """(Q,) int64, number of relevant models used by recall: all, or at most the list cut-off."""
    size = hits.relevant_size(level)
    return size if profile.relevant == "all" else limit_to_list_cut(size, profile)


def limit_to_list_cut(size: IntColumn, profile: Profile) -> IntColumn:
    """`size`, at most the list cut-off of the profile."""
    return size if profile.list_cut is None else np.minimum(size, profile.list_cut)


def sum_by_query(query: IntColumn, values: FloatColumn, n_queries: int) -> FloatColumn:
    """(Q,) float64, sum of `values` over the entries of each query, added sequentially.

    A matrix product or a pairwise sum would depend in the last bit on the number of rows.
    """
    return np.bincount(query, weights=values, minlength=n_queries).astype(np.float64)


def ratio_or_nan(part: FloatColumn | IntColumn, whole: FloatColumn | IntColumn) -> FloatColumn:
    """``part / whole`` as (Q,) float64, NaN where `whole` is 0."""
    out = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), np.nan)
    return np.divide(part, whole, out=out, where=np.asarray(whole) > 0)


def nan_where_undefined(hits: HitTable, level: int, values: FloatColumn) -> FloatColumn:
    """`values` with NaN for every query without relevant models of at least `level`."""
    return np.where(hits.relevant_size(level) > 0, values, np.nan)
