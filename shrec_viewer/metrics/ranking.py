"""Distances and lists to ranks: what both ways share, and the full order of one list for the screen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.truth import Truth


@dataclass(frozen=True, eq=False)
class Found:
    """Ranks as they come out of lists or matrices, by query and rank.

    Attributes
    ----------
    query : (n,) int64, ascending.
    ranks : (n,) int64, 1-based, before a list is cut, ascending within a query.
    levels : (n,) uint8.
    list_length : (Q,) int64, before a list is cut.
    missing : (Q,) bool.
    own_rank : (Q,) int32, see `HitTable.own_rank`.
    """

    query: NDArray[np.int64]
    ranks: NDArray[np.int64]
    levels: NDArray[np.uint8]
    list_length: NDArray[np.int64]
    missing: NDArray[np.bool_]
    own_rank: NDArray[np.int32]


def by_query_and_rank(query: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) the order that sorts hits by query and, within a query, by rank; no two hits share both."""
    span = int(ranks.max(initial=0)) + 1
    return np.argsort(query * span + ranks)


def hit_table(
    truth: Truth, profile: Profile, own: NDArray[np.int64], found: Found
) -> tuple[HitTable, NDArray[np.bool_]]:
    """The hit table, and (n,) bool which entries of `found` are its hits: those before the cut."""
    cut = np.iinfo(np.int32).max if profile.list_cut is None else profile.list_cut
    kept = found.ranks <= cut
    query = found.query[kept]
    indptr = np.zeros(len(truth) + 1, np.int64)
    np.cumsum(np.bincount(query, minlength=len(truth)), out=indptr[1:])
    hits = HitTable(
        indptr=indptr,
        ranks=found.ranks[kept].astype(np.int32),
        levels=found.levels[kept],
        list_length=np.minimum(found.list_length, cut).astype(np.int64),
        class_sizes=truth.class_sizes(own),
        collection_size=np.full(len(truth), truth.n_models, np.int64) - (own >= 0),
        missing=found.missing,
        own_rank=found.own_rank,
    )
    return hits, kept


def order_of_row(distances: NDArray[np.floating], own: int = -1, list_cut: int | None = None) -> NDArray[np.int64]:
    """Columns of one row of distances, nearest first, equal ones in column order, not-a-number last.

    The full order of one list, for the query on screen only; measures use `hits_from_matrix`.

    Parameters
    ----------
    distances : (K,) float, smaller is nearer.
    own : column of the query itself, which is left out; -1 for none.
    list_cut : places to keep, None for all.

    Examples
    --------
    >>> order_of_row(np.array([0.5, np.nan, 0.0, 0.5, np.inf]), own=2)
    array([0, 3, 4, 1])
    """
    order = np.argsort(distances, kind="stable").astype(np.int64)
    if own >= 0:
        order = order[order != own]
    return order[:list_cut]
