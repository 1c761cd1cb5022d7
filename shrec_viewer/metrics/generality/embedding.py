"""Exact expected values of measures for random subsets of the irrelevant models."""

from collections.abc import Callable, Iterator, Sequence
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
from shrec_viewer.metrics.measures.gain import discount_weights, level_gains
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable, ratio_or_nan, relevant_found, sum_by_query

#: Assumption on relevant models that are not in a list: not found (lower bound), or at the first ranks after its end
#: (upper bound). ``"alone"``: only the contribution of these models to the upper bound.
Unseen = Literal["never", "next", "alone"]

#: (ranks (W, m), relevant models (m,)) -> contribution of each model at each rank, (W, m).
RankValue = Callable[[NDArray[np.int64], NDArray[np.intp]], NDArray[np.float64]]

#: Counts this close to an integer are rounded: the difference is the rounding error of 2 ** x.
INTEGER_TOLERANCE = 1e-9

#: Rounding error of a logarithm, in doublings, and of a relevant scope times a class size, in ranks.
LEVEL_TOLERANCE = 1e-9

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Embedding:
    """The relevant models of each query, and the number of irrelevant ones that rank before each.

    Queries of the same class size c, embedding size e and collection form a *kind*; all queries of a kind share the
    generality c / (c + e), and only queries of equal generality may be averaged (Sebe et al., section 3.4).

    Attributes
    ----------
    kind : (Q,) int64, kind of each query.
    relevant : (K,) int64, class size c of each kind.
    irrelevant : (K,) int64, embedding size e of each kind.
    collection : (K,) int64, number of models that could be retrieved: c + e, or fewer where a list has more irrelevant
        entries than the collection has models (`Profile.unknown`).
    query : (n,) int64, query of each relevant model, ascending.
    number : (n,) int64, 1-based index among the relevant models of its query.
    ahead : (n,) int64 in [0, e], number of irrelevant models before it.
    levels : (n,) uint8, its relevance level.
    """

    kind: Ints
    relevant: Ints
    irrelevant: Ints
    collection: Ints
    query: Ints
    number: Ints
    ahead: Ints
    levels: NDArray[np.uint8]

    @property
    def doublings(self) -> Floats:
        """(K,) float64, -log2 of the generality of each kind; NaN without relevant models."""
        generality = ratio_or_nan(self.relevant, self.relevant + self.irrelevant)
        return -np.log2(generality, out=np.full(len(generality), np.nan), where=self.relevant > 0) + 0.0

    def irrelevant_kept(self, doublings: ArrayLike) -> Floats:
        """(…, K) float64, number of irrelevant models of each kind that give it the generality ``2 ** -doublings``.

        `doublings` is one number, (K,) numbers, or (L, 1) numbers for a result (L, K).

        The generality of whole numbers of models is in general not that value. A fractional part is the probability of
        one more irrelevant model for which the *expected* generality has the value, so that random rankings have the
        expected precision g, also in classes of two. (Interpolated linearly in the number of models, the expectation
        would be above g, since c / (c + e) is convex in e.) NaN if a kind has fewer irrelevant models, or no relevant
        ones.
        """
        # g = c / (c + e) = 2^-x gives e = c (2^x - 1).
        kept = self.relevant * (np.exp2(doublings) - 1.0)
        nearest = np.round(kept)
        kept = np.where(np.abs(kept - nearest) <= INTEGER_TOLERANCE * np.maximum(nearest, 1.0), nearest, kept)
        below = np.floor(kept)
        size = self.relevant + kept
        # w with (1 - w) c/(c + n) + w c/(c + n + 1) = c/(c + kept): the expected generality, not the expected size.
        above = (kept - below) * (self.relevant + below + 1.0) / np.where(size > 0, size, 1.0)
        return np.where((kept <= self.irrelevant) & (self.relevant > 0), below + above, np.nan)

    def is_whole(self, kept: Floats, parts: int = 1) -> NDArray[np.bool_]:
        """(parts,) bool, whether all irrelevant models of all queries remain, for the numbers `kept` (K,)."""
        remain = (kept >= self.irrelevant - INTEGER_TOLERANCE) | (self.relevant == 0)
        return np.all(remain.reshape(parts, -1), axis=1)

    @cached_property
    def _pairs(self) -> tuple[Ints, Ints, NDArray[np.intp]]:
        """Kind and `ahead` of each distinct pair of them, and the pair of each relevant model."""
        base = int(self.irrelevant.max(initial=0)) + 1
        # Relevant models with equal `ahead` in queries of one kind have the same distribution, computed once.
        distinct, pair = np.unique(self.kind[self.query] * base + self.ahead, return_inverse=True)
        return distinct // base, distinct % base, pair

    @cached_property
    def _by_ahead(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Relevant models in the order of `_pairs`, and the start of each pair."""
        _, ahead, pair = self._pairs
        return np.argsort(pair, kind="stable"), np.concatenate(
            [[0], np.cumsum(np.bincount(pair, minlength=len(ahead)))]
        )

    def preceding(
        self, kept: Floats, within: Ints | None = None, wanted: NDArray[np.bool_] | None = None
    ) -> Iterator["PrecedingCounts"]:
        """Distributions of the number of irrelevant models before each relevant one, by blocks of relevant models.

        Parameters
        ----------
        kept : (K,) float64 in [0, e], irrelevant models that remain; kinds with NaN are skipped.
        within : (K,) int64, ranks considered. Relevant models that cannot have one of them are skipped.
        wanted : (n,) bool; other relevant models may be skipped, too. None for all.
        """
        kind, ahead, pair = self._pairs
        order, begin = self._by_ahead
        use = ~np.isnan(kept[kind])
        if wanted is not None:
            use &= np.bincount(pair[wanted], minlength=len(kind)) > 0
        if within is not None:
            # Only those not skipped already: the arithmetic of NaN would warn.
            use[use] = ~almost_surely_above(self.irrelevant[kind[use]], ahead[use], kept[kind[use]], within[kind[use]])
        used = np.flatnonzero(use)
        lengths = begin[used + 1] - begin[used]
        ends = np.cumsum(lengths)
        # Concatenated ranges of the models of each pair, without a loop.
        models = order[np.repeat(begin[used] - ends + lengths, lengths) + np.arange(int(lengths.sum()))]
        column_of = np.zeros(len(kind), np.intp)
        for block, distributions in distribution_blocks(self.irrelevant[kind[used]], ahead[used], kept[kind[used]]):
            inside = models[int(ends[block.start] - lengths[block.start]) : int(ends[block.stop - 1])]
            column_of[used[block]] = np.arange(block.stop - block.start)
            yield PrecedingCounts(inside, column_of[pair[inside]], distributions)


@dataclass(frozen=True, eq=False)
class PrecedingCounts:
    """Some relevant models, and the distributions of the number of irrelevant models before them.

    Attributes
    ----------
    models : (m,) indices into the arrays of `Embedding`.
    column : (m,) column of each model in `distributions`.
    distributions : distributions of the number of irrelevant models that remain before it.
    """

    models: NDArray[np.intp]
    column: NDArray[np.intp]
    distributions: HypergeometricDistributions


def embedding_of(hits: HitTable, level: int = 1, unseen: Unseen = "never", parts: int = 1) -> Embedding:
    """The relevant models of at least `level`, among the irrelevant ones.

    Parameters
    ----------
    unseen : assumption on relevant models that are not in a list. The irrelevant models before them are then unknown.
        An expectation with ``"never"`` is a lower bound, one with ``"next"`` an upper bound for every full list that
        starts with the given one. Models of a query without results are never found, as the profile defines.
    parts : of the queries, equally long; each part has its own kinds, those of the first part first.
    """
    found = hits.at_least(level)
    is_relevant = hits.levels >= level
    relevant, seen = hits.relevant_size(level), np.diff(found.indptr)
    # Unknown ids kept at their rank (`Profile.unknown`) are irrelevant models in excess of the collection.
    irrelevant = np.maximum(np.maximum(hits.collection_size - relevant, hits.list_length - seen), 0)
    # Queries of one class size share a kind: most contests have at most a few hundred kinds.
    part = np.repeat(np.arange(parts), len(hits) // parts)
    kind, first = _distinct([part, relevant, irrelevant, hits.collection_size])
    query, number = found.query, found.number
    ahead, levels = found.ranks - found.number, hits.levels[is_relevant]
    if unseen != "never":
        lacking = np.where(hits.missing, 0, relevant - seen)
        of_query = np.repeat(np.arange(len(hits), dtype=np.int64), lacking)
        index = np.arange(len(of_query), dtype=np.int64) - np.repeat(np.cumsum(lacking) - lacking, lacking)
        # Stable, so that the listed models of a query precede its unlisted ones, which take the next ranks.
        order = np.argsort(np.concatenate([query, of_query]), kind="stable")
        if unseen == "alone":
            order = order[order >= len(query)]
        number = np.concatenate([number, seen[of_query] + 1 + index])[order]
        ahead = np.concatenate([ahead, (hits.list_length - seen)[of_query]])[order]
        levels = np.concatenate([levels, _levels_unseen(hits, level)])[order]
        query = np.concatenate([query, of_query])[order]
    return Embedding(
        kind=kind,
        relevant=relevant[first],
        irrelevant=irrelevant[first],
        collection=hits.collection_size[first],
        query=query,
        number=number,
        ahead=ahead,
        levels=levels,
    )


def _distinct(columns: Sequence[Ints]) -> tuple[Ints, NDArray[np.intp]]:
    """Number of the distinct row that equals each row, and the first row of each, ascending as in `unique(axis=0)`."""
    number = np.zeros(len(columns[0]), np.int64)
    first = np.zeros(0, np.intp)
    # One column after the other: `unique(axis=0)` of 200,000 rows takes 20 times as long.
    for column in columns:
        _, first, number = np.unique(
            number * (int(column.max(initial=0)) + 1) + column, return_index=True, return_inverse=True
        )
    return number.astype(np.int64), first


def _levels_unseen(hits: HitTable, level: int) -> NDArray[np.uint8]:
    """Levels of the relevant models that are not in the lists, by query, the highest first."""
    descending = np.arange(hits.highest_level, level - 1, -1)
    up_to = np.stack([hits.relevant_size(int(step)) - relevant_found(hits, int(step)) for step in descending], axis=1)
    # Number at each level, from the numbers at or above it; nothing is found of a missing list.
    lacking = np.diff(up_to, axis=1, prepend=0) * ~hits.missing[:, None]
    return np.repeat(np.tile(descending, len(hits)), lacking.ravel()).astype(np.uint8)


def expected_found(embedding: Embedding, kept: Floats, ranks: ArrayLike) -> Floats:
    """Expected number of relevant models within the first ranks.

    Parameters
    ----------
    kept : (K,) float64 in [0, e], number of irrelevant models drawn at random; interpolated linearly between whole
        numbers. NaN skips a kind.
    ranks : (K, S) or (1, S) numbers of ranks; interpolated linearly between whole ranks. A relevant scope n is the
        first ``n c`` ranks, see `ranks_of_scopes`.

    Returns
    -------
    (Q, S) float64
        E[v]. Divided by c it is the expected recall, by the scope the expected precision. NaN where `kept` is NaN. With
        all irrelevant models it is exactly the count in the list itself.

    Notes
    -----
    By linearity E[v(s)] = sum over the relevant models k of P(k + X_k <= s), where X_k, the number of irrelevant models
    that remain before it, is hypergeometric. The cost grows with the number of distinct pairs of kind and `ahead`, at
    most the number of irrelevant models for each kind, however many queries there are.
    """
    depths = np.asarray(ranks, np.float64)
    depths = np.broadcast_to(depths, (len(embedding.relevant), depths.shape[-1]))
    # 2 ** x times c is a whole rank at many levels, but not in the last bit.
    whole = np.round(depths)
    depths = np.where(np.abs(depths - whole) <= INTEGER_TOLERANCE * np.maximum(whole, 1.0), whole, depths)
    low = np.floor(depths).astype(np.int64)
    between = depths - low
    kinds = embedding.kind[embedding.query]
    most = np.minimum(embedding.ahead, np.ceil(kept[kinds]))
    # No distribution where every possible rank is within the ranks.
    is_certain = np.all(low[kinds] - embedding.number[:, None] >= most[:, None], axis=1)
    probability = np.repeat(is_certain.astype(np.float64)[:, None], depths.shape[1], axis=1)
    for preceding in embedding.preceding(kept, depths.max(axis=1, initial=0).astype(np.int64) + 1, ~is_certain):
        kind = kinds[preceding.models]
        allowed = low[kind] - embedding.number[preceding.models, None]
        column = np.broadcast_to(preceding.column[:, None], allowed.shape)
        found = preceding.distributions.at_most(allowed, column)
        if np.any(between[kind]):
            # Linear between the two adjacent ranks.
            found += between[kind] * (preceding.distributions.at_most(allowed + 1, column) - found)
        probability[preceding.models] = found
    rows = len(embedding.kind)
    counts = [sum_by_query(embedding.query, column, rows) for column in probability.T]
    return _nan_where_not_kept(embedding, kept, np.stack(counts, axis=1))


def ranks_of_scopes(embedding: Embedding, scopes: ArrayLike) -> Floats:
    """(K, S) float64, ranks ``n c`` of the relevant scopes n (S,) in each kind of query."""
    return np.atleast_1d(np.asarray(scopes, np.float64))[None, :] * embedding.relevant[:, None]


#: (kinds (m,), relevant models listed (m,) and unlisted (m,), length of the list (W, m), models after it (W, m)) ->
#: expected contribution of the relevant models after the end of the list, (W, m).
UnlistedValue = Callable[[Ints, Ints, Ints, Ints, Ints], Floats]


def expected_of_unlisted(
    hits: HitTable, level: int, embedding: Embedding, kept: Floats, values: Sequence[UnlistedValue]
) -> Floats:
    """Expected contribution of unlisted relevant models, if all models not in a list follow it in random order.

    With it, the expectation for a truncated random list is that of a complete one: a curve does not fall below that of
    random rankings because lists end early. Queries without results contribute 0, as the profile defines.

    Parameters
    ----------
    embedding : of `hits` at `level`, with ``unseen="never"``.
    kept : as in `expected_found`.
    values : (S,) functions; contributions to S values.

    Returns
    -------
    (Q, S) float64
        0 for complete lists.
    """
    listed = np.diff(hits.at_least(level).indptr)
    relevant = embedding.relevant[embedding.kind]
    is_truncated = (listed < relevant) & ~np.isnan(kept)[embedding.kind] & ~hits.missing
    columns = np.stack([embedding.kind, listed, hits.list_length - listed], axis=1)[is_truncated]
    case, first = _distinct(list(columns.T))
    kind, listed, irrelevant_listed = columns[first].T
    lacking = embedding.relevant[kind] - listed
    whole = np.floor(kept[kind])
    fraction = kept[kind] - whole
    result = np.zeros((len(first), len(values)))
    for drawn, weight in ((whole, 1.0 - fraction), (whole + 1.0, fraction)):
        used = np.flatnonzero(weight > 0)
        blocks = distribution_blocks(embedding.irrelevant[kind[used]], irrelevant_listed[used], drawn[used])
        for block, distributions in blocks:
            rows = used[block]
            # Rows of a distribution can be impossible counts; their probability is 0.
            before = distributions.first + np.arange(len(distributions.probability))[:, None]
            before = np.clip(before, 0, drawn[rows].astype(np.int64))
            # Models behind the list in this reduced collection; at least 1, as a divisor where the probability is 0.
            after = np.maximum(lacking[rows] + drawn[rows].astype(np.int64) - before, 1)
            for column, value in enumerate(values):
                terms = distributions.probability * value(
                    kind[rows], listed[rows], lacking[rows], listed[rows] + before, after
                )
                result[rows, column] += weight[rows] * np.cumsum(terms, axis=0)[-1]  # sequential, see `_expected_sum`
    every = np.zeros((len(hits), len(values)))
    every[is_truncated] = result[case]
    return every


def expected_average_precision(embedding: Embedding, kept: Floats, divisor: Floats | Ints) -> Floats:
    """(Q,) float64, expected average precision: (1 / divisor) sum over k of k E[1 / (k + X_k)].

    Parameters
    ----------
    kept : as in `expected_found`.
    divisor : (Q,) relevant models, all or retrieved (`Profile.ap_divisor`); NaN where 0.
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
    hits : those of `embedding`, for the highest possible level.
    profile : gain and discount.
    """
    gains = level_gains(hits.highest_level, profile)[embedding.levels]
    last = int((embedding.relevant + embedding.irrelevant).max(initial=0))
    worth = discount_weights(last, profile)

    def discounted(ranks: Ints, models: NDArray[np.intp]) -> Floats:
        return gains[models] * np.take(worth, ranks, mode="clip")

    return _expected_sum(embedding, kept, discounted)


def _expected_sum(embedding: Embedding, kept: Floats, value: RankValue) -> Floats:
    """(Q,) sum over the relevant models of the expected value at their ranks."""
    expected = np.zeros(len(embedding.query))
    for preceding in embedding.preceding(kept):
        probability = preceding.distributions.probability
        at_once = max(1, CELLS // len(probability))
        for start in range(0, len(preceding.models), at_once):
            models, column = preceding.models[start : start + at_once], preceding.column[start : start + at_once]
            first = embedding.number[models] + preceding.distributions.first[column]
            # Rows below the lowest count have probability 0: any rank is valid for them.
            ranks = np.maximum(first + np.arange(len(probability))[:, None], 1)
            terms = probability[:, column] * value(ranks, models)
            expected[models] = np.cumsum(terms, axis=0)[-1]  # sequential: independent of other rows
    return _nan_where_not_kept(embedding, kept, sum_by_query(embedding.query, expected, len(embedding.kind)))


def _nan_where_not_kept(embedding: Embedding, kept: Floats, values: Floats) -> Floats:
    """`values` (Q, …) with NaN for every query of a kind that `kept` skips."""
    defined = ~np.isnan(kept)[embedding.kind]
    return np.where(defined.reshape(-1, *(1,) * (values.ndim - 1)), values, np.nan)
