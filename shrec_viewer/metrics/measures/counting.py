"""Counts and sums over the hits of each query, independent of block size."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

FloatColumn = NDArray[np.float64]
IntColumn = NDArray[np.int64]


def relevant_found(hits: HitTable, level: int, scope: IntColumn | int | None = None) -> IntColumn:
    """(Q,) int64, models of at least `level` within the first `scope` places: v_t(s); V_t where `scope` is None."""
    picked = hits.at_least(level)
    if scope is None:
        return np.diff(picked.indptr)
    limit = np.broadcast_to(np.asarray(scope, np.int64), (len(hits),))
    inside = picked.ranks <= limit[picked.query]
    return np.bincount(picked.query[inside], minlength=len(hits)).astype(np.int64)


def findable_size(hits: HitTable, profile: Profile, level: int) -> IntColumn:
    """(Q,) int64, relevant models that count as findable: all, or at most as many as a cut list holds."""
    size = hits.relevant_size(level)
    return size if profile.relevant == "all" else limit_to_list_cut(size, profile)


def limit_to_list_cut(size: IntColumn, profile: Profile) -> IntColumn:
    """`size`, but at most as many as a list has places where the profile cuts lists."""
    return size if profile.list_cut is None else np.minimum(size, profile.list_cut)


def sum_by_query(query: IntColumn, values: FloatColumn, n_queries: int) -> FloatColumn:
    """(Q,) float64, sum of `values` over the entries of each query, added one after the other.

    A matrix product or a pairwise sum would differ in the last bit with the number of rows beside it.
    """
    return np.bincount(query, weights=values, minlength=n_queries).astype(np.float64)


def ratio_or_nan(part: FloatColumn | IntColumn, whole: FloatColumn | IntColumn) -> FloatColumn:
    """``part / whole`` as (Q,) float64, NaN where `whole` is 0: there is nothing to have a share of."""
    out = np.full(np.broadcast_shapes(np.shape(part), np.shape(whole)), np.nan)
    return np.divide(part, whole, out=out, where=np.asarray(whole) > 0)


def nan_where_undefined(hits: HitTable, level: int, values: FloatColumn) -> FloatColumn:
    """`values` with NaN for every query that has no relevant model of at least `level` in the truth."""
    return np.where(hits.relevant_size(level) > 0, values, np.nan)
