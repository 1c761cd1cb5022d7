"""Ranks of relevant models with tie ranges, and the full order of one row."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable
from shrec_viewer.metrics.ranking.truth import Truth

TieOrder = Literal["profile", "optimistic", "pessimistic"]
"""Order of models at the same distance: as the profile says, relevant ones first, or relevant ones last."""


@dataclass(frozen=True, eq=False)
class HitRanks:
    """Ranks as they come out of lists or matrices, by query and rank.

    Attributes
    ----------
    query : (n,) int64, ascending.
    ranks : (n,) int64, 1-based, before a list is cut, ascending within a query.
    levels : (n,) uint8.
    earliest, latest : (n,) int64, the ranks it would have if it stood first, or last, among the models at its distance.
    list_length : (Q,) int64, before a list is cut; 0 where the query is missing.
    own_rank : (Q,) int32, see `HitTable.own_rank`.
    nans, infinite, repeated, unknown : (Q,) int64, see `ListAnomalies`.
    """

    query: NDArray[np.int64]
    ranks: NDArray[np.int64]
    levels: NDArray[np.uint8]
    earliest: NDArray[np.int64]
    latest: NDArray[np.int64]
    list_length: NDArray[np.int64]
    own_rank: NDArray[np.int32]
    nans: NDArray[np.int64]
    infinite: NDArray[np.int64]
    repeated: NDArray[np.int64]
    unknown: NDArray[np.int64]

    @classmethod
    def joined(cls, parts: Sequence["HitRanks"]) -> "HitRanks":
        """The parts one after the other; at least one."""
        return cls(*(np.concatenate([getattr(part, field.name) for part in parts]) for field in fields(cls)))


@dataclass(frozen=True, eq=False)
class ListAnomalies:
    """What was odd about the lists of each query, whatever the profile's policies did with it; all (Q,) int64.

    Attributes
    ----------
    nans : distances that are not a number (the query itself not counted where it is left out; nor in lists that the
        order of their lines ranks, where a distance need not be given).
    infinite : distances of +inf, counted in the same way.
    repeated : lines that name a model once more.
    unknown : lines or columns that name no model of the collection.
    tied : relevant models that share their distance with another model of the list, so that another order would be as
        right.
    cut : models behind the cut of places.
    """

    nans: NDArray[np.int64]
    infinite: NDArray[np.int64]
    repeated: NDArray[np.int64]
    unknown: NDArray[np.int64]
    tied: NDArray[np.int64]
    cut: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class RankedHits:
    """The hits of one run, and what else only the ranking can tell.

    Attributes
    ----------
    truth, profile : what was ranked, and how.
    found : ranks before the cut.
    missing : (Q,) bool, the run has no answer to the query at all.
    """

    truth: Truth
    profile: Profile
    found: HitRanks
    missing: NDArray[np.bool_]

    @cached_property
    def hits(self) -> HitTable:
        """The hits in the order that the profile gives to equal distances."""
        return self._table(self.found)

    @cached_property
    def noticed(self) -> ListAnomalies:
        """Counts of what was odd."""
        found = self.found
        tied = np.bincount(found.query[found.latest > found.earliest], minlength=len(self.truth)).astype(np.int64)
        cut = found.list_length - self.hits.list_length
        return ListAnomalies(found.nans, found.infinite, found.repeated, found.unknown, tied, cut)

    def in_order(self, order: TieOrder) -> HitTable:
        """The hits if models at the same distance stood in another order.

        Optimistic: relevant models before the others at their distance, the highest level first. Pessimistic: after
        them, the lowest level first. No other order gives a measure a better, or a worse, value (average precision over
        the models *retrieved* within a cut-off excepted: one more of them can lower it).
        """
        if order == "profile":
            return self.hits
        found, levels = self.found, self.found.levels.astype(np.int64)
        sorting = np.lexsort((-levels if order == "optimistic" else levels, found.earliest, found.query))
        query, earliest, latest = found.query[sorting], found.earliest[sorting], found.latest[sorting]
        opens = np.ones(len(query), np.bool_)
        opens[1:] = (query[1:] != query[:-1]) | (earliest[1:] != earliest[:-1])
        starts = np.append(np.flatnonzero(opens), len(query))
        group = np.cumsum(opens) - 1
        place = np.arange(len(query))
        ranks = earliest + place - starts[group] if order == "optimistic" else latest + 1 + place - starts[group + 1]
        return self._table(replace(found, ranks=ranks, levels=found.levels[sorting]))

    def _table(self, found: HitRanks) -> HitTable:
        """The hits before the cut."""
        truth, length = self.truth, found.list_length
        own = truth.own(self.profile.self_match == "drop")
        query, ranks, levels = found.query, found.ranks, found.levels
        if self.profile.list_cut is not None:
            kept = ranks <= self.profile.list_cut
            query, ranks, levels = query[kept], ranks[kept], levels[kept]
            length = np.minimum(length, self.profile.list_cut)
        indptr = np.zeros(len(truth) + 1, np.int64)
        np.cumsum(np.bincount(query, minlength=len(truth)), out=indptr[1:])
        return HitTable(
            indptr=indptr,
            ranks=ranks.astype(np.int32),
            levels=levels,
            list_length=length,
            class_sizes=truth.class_sizes(own),
            collection_size=np.full(len(truth), truth.n_models, np.int64) - (own >= 0),
            missing=self.missing,
            own_rank=found.own_rank,
        )


def by_query_and_rank(query: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """(n,) the order that sorts hits by query and, within a query, by rank; no two hits share both."""
    span = int(ranks.max(initial=0)) + 1
    return np.argsort(query * span + ranks)


def order_of_row(
    distances: NDArray[np.floating], own: int = -1, tie_place: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Columns of one row of distances, nearest first, not-a-number last.

    The full order of one list, for the query on screen only; measures use `hits_from_matrix`.

    Parameters
    ----------
    distances : (K,) float, smaller is nearer.
    own : column of the query itself, which is left out; -1 for none.
    tie_place : (K,) int64, the order in which columns at the same distance rank; None for the order they stand in.

    Examples
    --------
    >>> order_of_row(np.array([0.5, np.nan, 0.0, 0.5, np.inf]), own=2)
    array([0, 3, 4, 1])
    """
    if tie_place is None:
        order = np.argsort(distances, kind="stable").astype(np.int64)
    else:
        order = np.lexsort((tie_place, distances)).astype(np.int64)
    return order if own < 0 else order[order != own]
