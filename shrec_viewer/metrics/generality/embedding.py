"""Exact expected values of measures when only some irrelevant models are kept."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.metrics.generality.hypergeometric import (
    CELLS,
    HypergeometricDistributions,
    almost_surely_above,
    distribution_blocks,
)
from shrec_viewer.metrics.measures.counting import ratio_or_nan, relevant_found, sum_by_query
from shrec_viewer.metrics.measures.gain import discount_weights, level_gains
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

Unseen = Literal["never", "next", "alone"]
"""Where relevant models stand that a list lacks: nowhere (the lower bound), or right behind its end (the upper one).
``"alone"``: there, and nothing else is looked at; what they would add to the lower bound."""

RankValue = Callable[[NDArray[np.int64], NDArray[np.intp]], NDArray[np.float64]]
"""(ranks (W, m), relevant models (m,)) -> what each of them is worth at each rank, (W, m)."""

INTEGER_TOLERANCE = 1e-9
"""Numbers of models this near to a whole number are meant to be one: rounding of 2 ** x, not a fraction of a model."""

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Embedding:
    """The relevant models of each query, and how many irrelevant ones stand before each.

    Queries of the same class size c and embedding e form a *kind*; all queries of a kind share the generality
    c / (c + e), and only they may be averaged as they are (Sebe et al., section 3.4).

    Attributes
    ----------
    kind : (Q,) int64, kind of each query.
    relevant : (K,) int64, class size c of each kind.
    irrelevant : (K,) int64, embedding size e of each kind.
    query : (n,) int64, query of each relevant model, ascending.
    number : (n,) int64, 1-based: the how manieth relevant model of its query it is.
    ahead : (n,) int64 in [0, e], irrelevant models before it.
    levels : (n,) uint8, its relevance level.
    """

    kind: Ints
    relevant: Ints
    irrelevant: Ints
    query: Ints
    number: Ints
    ahead: Ints
    levels: NDArray[np.uint8]

    @property
    def doublings(self) -> Floats:
        """(K,) float64, -log2 of the generality of each kind; NaN where nothing is relevant."""
        generality = ratio_or_nan(self.relevant, self.relevant + self.irrelevant)
        return -np.log2(generality, out=np.full(len(generality), np.nan), where=self.relevant > 0) + 0.0

    def irrelevant_kept(self, doublings: float) -> Floats:
        """(K,) float64, how many irrelevant models each kind keeps so that all have the generality ``2 ** -doublings``.

        Whole numbers only by chance; between two of them an expectation is interpolated. NaN where a kind has not got
        so many, or nothing relevant.
        """
        kept = self.relevant * (np.exp2(doublings) - 1.0)
        nearest = np.round(kept)
        kept = np.where(np.abs(kept - nearest) <= INTEGER_TOLERANCE * np.maximum(nearest, 1.0), nearest, kept)
        return np.where((kept <= self.irrelevant) & (self.relevant > 0), kept, np.nan)

    @cached_property
    def _places(self) -> tuple[Ints, Ints, NDArray[np.intp]]:
        """Kind and `ahead` of each distinct pair of them, and the pair of each relevant model."""
        base = int(self.irrelevant.max(initial=0)) + 1
        distinct, pair = np.unique(self.kind[self.query] * base + self.ahead, return_inverse=True)
        return distinct // base, distinct % base, pair

    @cached_property
    def _by_ahead(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Relevant models in the order of `_places`, and where those of each pair begin."""
        _, ahead, pair = self._places
        return np.argsort(pair, kind="stable"), np.concatenate(
            [[0], np.cumsum(np.bincount(pair, minlength=len(ahead)))]
        )

    def moves(self, kept: Floats, within: Ints | None = None) -> Iterator["PrecedingCounts"]:
        """How many irrelevant models stay before each relevant one, in blocks of relevant models.

        Parameters
        ----------
        kept : (K,) float64 in [0, e]; a kind with NaN is left out.
        within : (K,) int64, places looked at. Relevant models that cannot be among them are left out.
        """
        kind, ahead, pair = self._places
        order, begin = self._by_ahead
        use = ~np.isnan(kept[kind])
        if within is not None:
            use[use] = ~almost_surely_above(self.irrelevant[kind[use]], ahead[use], kept[kind[use]], within[kind[use]])
        places = np.flatnonzero(use)
        lengths = begin[places + 1] - begin[places]
        ends = np.cumsum(lengths)
        models = order[np.repeat(begin[places] - ends + lengths, lengths) + np.arange(int(lengths.sum()))]
        column_of = np.zeros(len(kind), np.intp)
        for block, chances in distribution_blocks(self.irrelevant[kind[places]], ahead[places], kept[kind[places]]):
            inside = models[int(ends[block.start] - lengths[block.start]) : int(ends[block.stop - 1])]
            column_of[places[block]] = np.arange(block.stop - block.start)
            yield PrecedingCounts(inside, column_of[pair[inside]], chances)


@dataclass(frozen=True, eq=False)
class PrecedingCounts:
    """Some relevant models and what may stand before them.

    Attributes
    ----------
    models : (m,) places in the arrays of `Embedding`.
    column : (m,) column of each model in `chances`.
    chances : of the number of irrelevant models that stay before it.
    """

    models: NDArray[np.intp]
    column: NDArray[np.intp]
    chances: HypergeometricDistributions


def embedding_of(hits: HitTable, level: int = 1, unseen: Unseen = "never") -> Embedding:
    """The relevant models of `level` and up, within the irrelevant ones.

    Parameters
    ----------
    unseen : where the relevant models stand that a list lacks. In a list that ends early the irrelevant models before
        them are not known. An expectation with ``"never"`` is not above, one with ``"next"`` not below that of any full
        list that begins like it.
    """
    picked = hits.at_least(level)
    is_picked = hits.levels >= level
    relevant, seen = hits.relevant_size(level), np.diff(picked.indptr)
    # Unknown models that keep their place (`Profile.unknown`) are irrelevant ones more than the collection has.
    irrelevant = np.maximum(np.maximum(hits.collection_size - relevant, hits.list_length - seen), 0)
    sizes, kind = np.unique(np.stack([relevant, irrelevant], axis=1), axis=0, return_inverse=True)
    query, number = picked.query, picked.number
    ahead, levels = picked.ranks - picked.number, hits.levels[is_picked]
    if unseen != "never":
        lacking = relevant - seen
        of_query = np.repeat(np.arange(len(hits), dtype=np.int64), lacking)
        place = np.arange(len(of_query), dtype=np.int64) - np.repeat(np.cumsum(lacking) - lacking, lacking)
        order = np.argsort(np.concatenate([query, of_query]), kind="stable")
        if unseen == "alone":
            order = order[order >= len(query)]
        number = np.concatenate([number, seen[of_query] + 1 + place])[order]
        ahead = np.concatenate([ahead, (hits.list_length - seen)[of_query]])[order]
        levels = np.concatenate([levels, _levels_unseen(hits, level)])[order]
        query = np.concatenate([query, of_query])[order]
    return Embedding(
        kind=kind.reshape(-1).astype(np.int64),
        relevant=sizes[:, 0],
        irrelevant=sizes[:, 1],
        query=query,
        number=number,
        ahead=ahead,
        levels=levels,
    )


def _levels_unseen(hits: HitTable, level: int) -> NDArray[np.uint8]:
    """Levels of the relevant models that the lists lack, query by query, the highest first."""
    descending = np.arange(hits.highest_level, level - 1, -1)
    up_to = np.stack([hits.relevant_size(int(step)) - relevant_found(hits, int(step)) for step in descending], axis=1)
    lacking = np.diff(up_to, axis=1, prepend=0)
    return np.repeat(np.tile(descending, len(hits)), lacking.ravel()).astype(np.uint8)


def expected_found(embedding: Embedding, kept: Floats, scopes: ArrayLike) -> Floats:
    """Expected number of relevant models within some places.

    Parameters
    ----------
    kept : (K,) float64 in [0, e], irrelevant models that stay, drawn at random; between whole numbers the answer is
        interpolated linearly. NaN leaves a kind out.
    scopes : (S,) relevant scopes n: the first ``n c`` places; between whole places the count is interpolated linearly.

    Returns
    -------
    (Q, S) float64
        E[v]. Divided by c it is the expected recall, by the scope the expected precision. NaN where `kept` is. With
        all irrelevant models kept it is the count in the list itself, to the last bit.

    Notes
    -----
    By linearity E[v(s)] = sum over the relevant models k of P(k + X_k <= s), where X_k, the number of irrelevant models
    that stay before it, is hypergeometric. The work grows with the distinct pairs of kind and `ahead`, of which there
    are at most as many as irrelevant models for each kind, however many queries there are.
    """
    scopes = np.atleast_1d(np.asarray(scopes, np.float64))
    places = scopes[None, :] * embedding.relevant[:, None]
    whole = np.round(places)
    places = np.where(np.abs(places - whole) <= INTEGER_TOLERANCE * np.maximum(whole, 1.0), whole, places)
    low = np.floor(places).astype(np.int64)
    between = places - low
    chance = np.zeros((len(embedding.query), len(scopes)))
    kinds = embedding.kind[embedding.query]
    for moves in embedding.moves(kept, places.max(axis=1, initial=0).astype(np.int64) + 1):
        kind = kinds[moves.models]
        room = low[kind] - embedding.number[moves.models, None]
        column = np.broadcast_to(moves.column[:, None], room.shape)
        found = moves.chances.at_most(room, column)
        if np.any(between[kind]):
            found += between[kind] * (moves.chances.at_most(room + 1, column) - found)
        chance[moves.models] = found
    rows = len(embedding.kind)
    counts = [sum_by_query(embedding.query, column, rows) for column in chance.T]
    return _nan_where_not_kept(embedding, kept, np.stack(counts, axis=1))


def expected_average_precision(embedding: Embedding, kept: Floats, divisor: Floats | Ints) -> Floats:
    """(Q,) float64, expected average precision: (1 / divisor) sum over k of k E[1 / (k + X_k)].

    Parameters
    ----------
    kept : as in `expected_found`.
    divisor : (Q,) relevant models, all or retrieved (`Profile.ap_divisor`); where 0 the answer is NaN.
    """
    number = embedding.number.astype(np.float64)

    def precision(ranks: Ints, models: NDArray[np.intp]) -> Floats:
        return number[models] / ranks

    return ratio_or_nan(_expected_sum(embedding, kept, precision), divisor)


def expected_discounted_gain(embedding: Embedding, kept: Floats, hits: HitTable, profile: Profile) -> Floats:
    """(Q,) float64, expected discounted cumulated gain of the whole list: sum over k of gain_k E[discount(k + X_k)].

    Parameters
    ----------
    kept : as in `expected_found`.
    hits : those of `embedding`, for the highest level that the truth can give.
    profile : gain and discount.
    """
    gains = level_gains(hits.highest_level, profile)[embedding.levels]
    last = int((embedding.relevant + embedding.irrelevant).max(initial=0))
    worth = discount_weights(last, profile)

    def discounted(ranks: Ints, models: NDArray[np.intp]) -> Floats:
        return gains[models] * np.take(worth, ranks, mode="clip")

    return _expected_sum(embedding, kept, discounted)


def _expected_sum(embedding: Embedding, kept: Floats, value: RankValue) -> Floats:
    """(Q,) sum over the relevant models of the expected value of their ranks."""
    expected = np.zeros(len(embedding.query))
    for moves in embedding.moves(kept):
        chance = moves.chances.chance
        at_once = max(1, CELLS // len(chance))
        for start in range(0, len(moves.models), at_once):
            models, column = moves.models[start : start + at_once], moves.column[start : start + at_once]
            first = embedding.number[models] + moves.chances.first[column]
            # Rows below the lowest count hold no chance: any rank will do for them.
            ranks = np.maximum(first + np.arange(len(chance))[:, None], 1)
            terms = chance[:, column] * value(ranks, models)
            expected[models] = np.cumsum(terms, axis=0)[-1]  # one after the other, whatever stands beside it
    return _nan_where_not_kept(embedding, kept, sum_by_query(embedding.query, expected, len(embedding.kind)))


def _nan_where_not_kept(embedding: Embedding, kept: Floats, values: Floats) -> Floats:
    """`values` (Q, …) with NaN for every query of a kind that `kept` leaves out."""
    defined = ~np.isnan(kept)[embedding.kind]
    return np.where(defined.reshape(-1, *(1,) * (values.ndim - 1)), values, np.nan)
