"""Ranks of relevant models under one reading of a run, which decide between readings."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceRows
from shrec_viewer.formats.core.evidence import MIN_QUERIES, RankEvidence
from shrec_viewer.formats.core.read_context import ReadContext

#: Queries that are sampled to compare orders; gives a standard error of about 0.01.
SAMPLED_QUERIES = 256

#: Values that are sorted for this, 0.1 s.
SAMPLED_VALUES = 2_000_000

#: Key of models that a truncated list does not have: after all others, and not retrieved.
UNLISTED = float(np.finfo(np.float64).max)

#: Key of each model for a query, (N,) float64, smaller is nearer, NaN for none; None for a query without a list.
QueryKeys = Callable[[int], "NDArray[np.float64] | None"]


def rank_evidence(keys_of: QueryKeys, context: ReadContext) -> RankEvidence:
    """Ranks of the relevant models in a sample of the lists."""
    member, n_models = context.queries.member, max(1, len(context.collection))
    shares, precisions = np.full(len(member), np.nan), []
    sampled = min(SAMPLED_QUERIES, max(SAMPLED_VALUES // n_models, MIN_QUERIES))
    for query in range(0, len(member) if context.assessment is not None else 0, max(1, len(member) // sampled)):
        assert context.assessment is not None
        relevant, _ = context.assessment.relevant(query)
        # Without the query itself, as in the evaluation.
        relevant = relevant[(relevant != member[query]) & (relevant < n_models)]
        keys = keys_of(query) if len(relevant) else None
        if keys is None:
            continue
        is_other = ~np.isnan(keys)
        is_other[relevant] = False
        if member[query] >= 0:
            is_other[member[query]] = False
        others, own = np.sort(keys[is_other]), np.sort(keys[relevant])
        own = own[~np.isnan(own)]
        if not len(own):
            continue
        before = _mean_places(others, own)
        if len(others):
            shares[query] = np.mean(before) / len(others)
        ranks = before + _mean_places(own, own) + 0.5
        found = np.arange(1, len(own) + 1)
        gains = np.where(own < UNLISTED, found / np.maximum(ranks, found), 0.0)
        precisions.append(float(np.sum(gains)) / len(relevant))
    return RankEvidence(shares, float(np.mean(precisions)) if precisions else np.nan)


def _mean_places(ordered: NDArray[np.float64], keys: NDArray[np.float64]) -> NDArray[np.float64]:
    """Number of keys before each one; of a tie the mean of both ends, as expected: integer distances have many ties."""
    return (np.searchsorted(ordered, keys) + np.searchsorted(ordered, keys, "right")) / 2


def matrix_keys(
    values: DistanceRows,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    n_models: int,
    *,
    similarity: bool = False,
) -> QueryKeys:
    """Keys from a matrix of distances, or of similarities.

    Parameters
    ----------
    values : (R, M).
    rows : (Q,) int32, row of each query, or -1.
    columns : (M,) int32, model of each column, or -1.
    """
    known = np.flatnonzero(columns >= 0)

    def keys_of(query: int) -> NDArray[np.float64] | None:
        if rows[query] < 0:
            return None
        keys = np.full(n_models, np.nan)
        keys[columns[known]] = np.asarray(values[int(rows[query])], np.float64)[known]
        return -keys if similarity else keys

    return keys_of
