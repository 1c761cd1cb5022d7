"""Runs that are the same file as another one, or nearly rank the same models."""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import isnan, nan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, FormatError, Queries, Run, Severity
from shrec_viewer.formats.core.read_context import ReadContext

#: `Finding.key` of copies and near-copies.
COPY = "copy"

#: Mean rank-biased overlap from which runs are near-copies; different methods of a team have 0.66 in SHREC 2006.
NEAR_COPY = 0.95

#: Queries and first ranks that are compared: 0.01 s for 13 runs of 1,814 models; 20 ranks have 95 % of the weight.
N_QUERIES, DEPTH = 25, 20

#: Of the rank-biased overlap.
PERSISTENCE = 0.9

#: Queries from which runs are compared: with fewer, different methods may rank the same models.
LEAST_QUERIES = 10

#: Runs that are compared with each other, at most; the first ones.
MAX_RUNS = 100


def log_copies(runs: Sequence[Run], context: ReadContext, added: Sequence[Run] | None = None) -> None:
    """One finding for each run that is a copy, or a near-copy, of an earlier one; of several, the most similar one.

    Parameters
    ----------
    added : the last of the runs, which findings are about; None for all.
    """
    heads: list[list[NDArray[np.int32]]] = []
    named: list[Run] = []
    digests: dict[Path, str] = {}
    for run, own in list_heads(runs, context.queries, len(context.collection)):
        others = zip(named, heads, strict=True)
        found = [(overlap, other) for other, lists in others if (overlap := overlap_of(own, lists))]
        if found and (added is None or run in added):
            from shrec_viewer.formats.runs.version_store import content_digest  # here: it loads OpenSSL

            overlap, other = max(found, key=lambda pair: pair[0])
            for one in (run.source, other.source):
                digests[one] = digests.get(one) or content_digest(one)
            if digests[run.source] == digests[other.source] != "":
                message = f"has the same bytes as the run {other.name} ({other.source.name})"
            else:
                message = f"is a near-copy of {other.name}: RBO {overlap:.3f} of the first {DEPTH} ranks"
            severity = Severity.INFO if run.participant == other.participant else Severity.WARNING
            context.findings_log.note(severity, run.source, message, "both are evaluated", key=COPY)
        heads.append(own)
        named.append(run)


def list_heads(runs: Sequence[Run], queries: Queries, n_models: int) -> Iterator[tuple[Run, list[NDArray[np.int32]]]]:
    """The runs with their first models for `N_QUERIES` queries; none of too small a benchmark."""
    if min(len(queries), n_models) < LEAST_QUERIES:
        return
    # Not by np.unique, which imports masked arrays: 9 ms of each command (numpy 2.4).
    chosen = sorted(set(np.linspace(0, len(queries) - 1, min(N_QUERIES, len(queries))).astype(np.int64).tolist()))
    for run in islice(runs, MAX_RUNS):
        try:
            heads = [_first_models(run, query, int(queries.member[query])) for query in chosen]
        except FormatError:  # a matrix that has changed since it was opened
            continue
        yield run, heads


def overlap_of(lists: Sequence[NDArray[np.int32]], others: Sequence[NDArray[np.int32]]) -> float:
    """Mean overlap over the queries for which both have a list; 0 below `NEAR_COPY`, and for too few queries."""
    total, n_left, n_compared = 0.0, len(lists), 0
    for one, other in zip(lists, others, strict=True):
        overlap = _rank_biased_overlap(one, other)
        n_left -= 1
        if not isnan(overlap):
            total, n_compared = total + overlap, n_compared + 1
        if total + n_left < NEAR_COPY * (n_compared + n_left):  # even if all others were equal
            return 0.0
    return total / n_compared if n_compared >= LEAST_QUERIES else 0.0


def _rank_biased_overlap(one: NDArray[np.int32], other: NDArray[np.int32]) -> float:
    """Rank-biased overlap of two short lists, as in `shrec_viewer.metrics`, which this layer does not know."""
    depth = min(len(one), len(other))
    if not depth:
        return nan
    same = np.argwhere(one[:depth, None] == other[:depth])
    n_common = np.cumsum(np.bincount(same.max(axis=1, initial=0), minlength=depth) if len(same) else np.zeros(depth))
    agreement, powers = n_common / np.arange(1, depth + 1), PERSISTENCE ** np.arange(1, depth + 1)
    return float(agreement[-1] * powers[-1] + (1 - PERSISTENCE) / PERSISTENCE * np.sum(agreement * powers))


def _first_models(run: Run, query: int, member: int) -> NDArray[np.int32]:
    """The first `DEPTH` models of a list, without the query itself and repeated ones."""
    ranking = run.ranking
    if not ranking.present[query]:
        return np.zeros(0, np.int32)
    if isinstance(ranking, DistanceMatrix):
        row = ranking.rows[query : query + 1]
        values = np.asarray(ranking.values[row], np.float64)[0] * (-1.0 if ranking.similarity else 1.0)
        values = np.where((ranking.columns < 0) | np.isnan(values), np.inf, values)
        nearest = np.argpartition(values, min(DEPTH, len(values) - 1))[: DEPTH + 1]
        items = ranking.columns[nearest[np.argsort(values[nearest], kind="stable")]]
    else:
        lines = ranking.rows(query)
        items = ranking.items[lines]
        if ranking.by_score and ranking.distances is not None:
            items = items[np.argsort(ranking.distances[lines], kind="stable")]
        items = items[: 2 * DEPTH]
    items = items[(items >= 0) & (items != member)]
    return items[np.sort(np.unique(items, return_index=True)[1])][:DEPTH]
