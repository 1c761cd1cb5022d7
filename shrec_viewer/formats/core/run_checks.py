"""Findings about the distances of a run: ranks of the query itself, NaN, infinite and implausible values."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_VALUES, Cancelled, DistanceMatrix, RankedLists, Run, Severity
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import (
    INFINITE,
    INFINITE_ACTION,
    NOT_A_NUMBER,
    NOT_A_NUMBER_ACTION,
    FindingsLog,
    count_of,
    join_some,
)
from shrec_viewer.formats.core.ids import natural_order
from shrec_viewer.formats.core.read_choices import BY_NAME, BY_NEAREST, CELL_VALUES
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import ReadOptions

#: Share of the lists that start with their query in a sound run; noise and duplicates spoil a few.
EXPECTED_SHARE = 0.9

#: Share of the lists for which a cause (one shift, a permutation) must hold to be named.
COMMON_SHARE = 0.9

#: Minimum number of lists with their query; fewer are in another order by chance.
MIN_LISTS = 4

#: Difference between the own and the smallest distance, relative to the largest, that rounding explains.
TOLERANCE = 1e-6

#: Number of values checked at a time: 32 MB as float64.
BLOCK_VALUES = 4_000_000


@dataclass(frozen=True, eq=False)
class SelfHits:
    """Rank of the query itself in each list of a run.

    Attributes
    ----------
    own_listed : (Q,) bool, the list contains its query, at a distance that is not marked as not computed: NaN, +inf,
        or the largest of the row in nearly all rows.
    own_first : (Q,) bool, no other model is nearer.
    nearest : (Q,) int32, the nearest model, or -1.
    """

    own_listed: NDArray[np.bool_]
    own_first: NDArray[np.bool_]
    nearest: NDArray[np.int32]

    @property
    def is_expected(self) -> bool:
        """Whether the lists contain their query, and start with it."""
        known = int(self.own_listed.sum())
        return known >= MIN_LISTS and bool(self.own_first[self.own_listed].mean() >= EXPECTED_SHARE)


def find_self_hits(
    ranking: RankedLists | DistanceMatrix, member: NDArray[np.int32], cancelled: Callable[[], bool]
) -> SelfHits:
    """Rank of each query in its own list; `member`: (Q,) int32, model of each query or -1."""
    found = _no_self_hits(len(member))
    if not isinstance(ranking, DistanceMatrix):
        _search_lists(ranking, member, found)
        return found
    search = _RowSearch(ranking, member, found)
    for queries, values in _row_blocks(ranking, cancelled):
        search.add(queries, values, is_usual=are_usual(values))
    return search.finish()


def _no_self_hits(n_queries: int) -> SelfHits:
    return SelfHits(np.zeros(n_queries, bool), np.zeros(n_queries, bool), np.full(n_queries, -1, np.int32))


def column_of_model(columns: NDArray[np.int32], n_models: int) -> NDArray[np.int64]:
    """(n_models,) int64, column of each model, or -1."""
    found = np.full(n_models, -1, np.int64)
    known = np.flatnonzero(columns >= 0)
    found[columns[known]] = known
    return found


class _RowSearch:
    """Finds the rank of the queries in their rows of a matrix, block by block.

    Parameters
    ----------
    found : filled with the results.
    """

    def __init__(self, ranking: DistanceMatrix, member: NDArray[np.int32], found: SelfHits) -> None:
        n_models = 1 + max(int(ranking.columns.max(initial=-1)), int(member.max(initial=-1)))
        own_column = column_of_model(ranking.columns, n_models)[member]
        self._own_column = np.where(member >= 0, own_column, -1)
        self._ranking, self._found = ranking, found
        self._largest = np.zeros(len(member), bool)
        self._n_rows = 0

    def add(self, queries: NDArray[np.int64], values: NDArray[np.floating], *, is_usual: bool) -> None:
        """Search the rows `values` (n, M) of some queries; `is_usual`: they have no NaN and no infinite numbers."""
        ranking, found = self._ranking, self._found
        known = self._own_column[queries] >= 0
        if not known.all():
            queries, values = queries[known], values[known]
        if not len(queries):
            return
        self._n_rows += len(queries)
        keys = _keys_of_rows(ranking, values, is_usual=is_usual)
        index = np.arange(len(queries))
        own = keys[index, self._own_column[queries]]
        nearest = keys.argmin(axis=1)
        low = keys[index, nearest]
        found.nearest[queries] = np.where(np.isposinf(low), -1, ranking.columns[nearest])
        found.own_listed[queries] = ~np.isposinf(own)
        above = np.flatnonzero(own > low)
        if len(above):
            self._largest[queries[above]] = own[above] == keys[above].max(axis=1)
        found.own_first[queries] = own <= low
        for row in above[np.isfinite(own[above])].tolist():
            found.own_first[queries[row]] = own[row] <= low[row] + _slack(keys[row])

    def finish(self) -> SelfHits:
        """The results after the last block."""
        found = self._found
        if np.count_nonzero(self._largest) >= COMMON_SHARE * max(1, self._n_rows):
            found.own_listed[self._largest] = False
        found.own_first[:] &= found.own_listed
        return found


def _row_blocks(
    ranking: DistanceMatrix, cancelled: Callable[[], bool]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.floating]]]:
    """Queries and their rows (n, M), in the order of the file, in blocks of `BLOCK_VALUES`."""
    queries = np.flatnonzero(ranking.rows >= 0)
    queries = queries[np.argsort(ranking.rows[queries])]
    step = max(1, BLOCK_VALUES // max(1, ranking.values.shape[1]))
    for start in range(0, len(queries), step):
        if cancelled():
            raise Cancelled
        some = queries[start : start + step]
        yield some, np.asarray(ranking.values[ranking.rows[some]])


def _keys_of_rows(
    ranking: DistanceMatrix, values: NDArray[np.floating], *, is_usual: bool = False
) -> NDArray[np.floating]:
    """(n, M) distances of some rows, smaller is nearer; +inf for NaN and for columns that are no models.

    `is_usual`: there is no NaN.
    """
    outside = ranking.columns < 0
    has_outside = bool(outside.any())
    if not ranking.similarity and is_usual and not has_outside:
        return values
    keys = -values if ranking.similarity else values.copy()
    if not is_usual:
        keys[np.isnan(keys)] = np.inf
    if has_outside:
        keys[:, outside] = np.inf
    return keys


def _slack(keys: NDArray[np.floating]) -> float:
    finite = keys[np.isfinite(keys)]
    return TOLERANCE * float(np.abs(finite).max(initial=0.0))


def _search_lists(ranking: RankedLists, member: NDArray[np.int32], found: SelfHits) -> None:
    lengths, distances = np.diff(ranking.indptr), ranking.distances
    found.nearest[lengths > 0] = ranking.items[ranking.indptr[:-1][lengths > 0]]
    model = np.repeat(member, lengths)
    own = np.flatnonzero((ranking.items == model) & (model >= 0))
    queries, occurrence = np.unique(np.searchsorted(ranking.indptr, own, "right") - 1, return_index=True)
    own, first = own[occurrence], ranking.indptr[queries]
    is_first, is_listed = own == first, np.ones(len(own), np.bool_)
    if distances is not None:
        is_first |= distances[own] <= distances[first]
        is_listed = (distances[own] < np.inf) | (not ranking.by_score)
    found.own_listed[queries], found.own_first[queries] = is_listed, is_first & is_listed


def settle_queries(
    path: Path,
    ranking: RankedLists | DistanceMatrix,
    context: ReadContext,
    options: ReadOptions,
    cancelled: Callable[[], bool],
) -> RankedLists | DistanceMatrix:
    """A run whose lists belong to the queries that `options` says, with a finding if they are not those of the file.

    A matrix is read once, also for the findings about unusual distances.

    Returns
    -------
    RankedLists or DistanceMatrix
        With `options.queries_by` "nearest", each list belongs to the query that is nearest to it. Otherwise unchanged,
        with a warning if the lists do not begin with their own query, as those of exchanged, shifted or permuted rows.

    Raises
    ------
    RunIgnoredError
        If the nearest queries are not one for each list.
    """
    member = context.queries.member
    has_own = options.queries_by != BY_NAME and bool(np.any(member >= 0))
    if isinstance(ranking, DistanceMatrix):
        keeps_nan = options.cells == CELL_VALUES[0]
        ranking, hits = _check_rows(path, ranking, context, cancelled, has_own=has_own, keeps_nan=keeps_nan)
    elif has_own:
        hits = find_self_hits(ranking, member, cancelled)
    if not has_own:
        return ranking
    if options.queries_by == BY_NEAREST:
        return _assign_by_nearest(path, ranking, context)
    _log_self_hits(path, ranking, hits, context)
    return ranking


def _assign_by_nearest(
    path: Path, ranking: RankedLists | DistanceMatrix, context: ReadContext
) -> RankedLists | DistanceMatrix:
    """The run with each list moved to the query that is nearest to it; of equally near ones a free one is taken."""
    member = context.queries.member
    query_of = {item: query for query, item in enumerate(member.tolist()) if item >= 0}
    present = np.flatnonzero(ranking.present).tolist()
    nearest = {query: _nearest_queries(ranking, query, query_of) for query in present}
    taken: dict[int, int] = {}
    for query in sorted(present, key=lambda query: (len(nearest[query]), query)):
        own = [query] if query in nearest[query] else []
        free = next((other for other in (*own, *nearest[query]) if other not in taken), None)
        if free is None:
            name = context.queries.ids[query]
            message = f"queries_by = '{BY_NEAREST}' does not fit: all queries nearest to the list of '{name}' are taken"
            context.findings_log.ignore_run(path, message)
        taken[free] = query
    source = np.full(len(member), -1, np.int64)
    source[list(taken)] = list(taken.values())
    moved = int(np.count_nonzero((source >= 0) & (source != np.arange(len(source)))))
    message = f"{count_of(moved, 'list is', 'lists are')} of other queries than the file says"
    context.findings_log.info(path, message, "each belongs to the query nearest to it (set explicitly)")
    return with_lists_of(ranking, source)


def _nearest_queries(ranking: RankedLists | DistanceMatrix, query: int, query_of: dict[int, int]) -> list[int]:
    """Queries whose models are nearest in the list of a query, all those at the same distance."""
    if isinstance(ranking, DistanceMatrix):
        keys = _keys_of_rows(ranking, ranking.values[ranking.rows[np.array([query])]])[0]
        items = ranking.columns[np.flatnonzero(keys <= keys.min() + _slack(keys))]
    else:
        rows = ranking.rows(query)
        items, distances = ranking.items[rows], ranking.distances
        is_near = np.arange(len(items)) == 0
        if distances is not None:
            is_near |= distances[rows] <= distances[rows][:1]
        items = items[is_near]
    return [query_of[item] for item in items.tolist() if item in query_of]


def with_lists_of(ranking: RankedLists | DistanceMatrix, source: NDArray[np.int64]) -> RankedLists | DistanceMatrix:
    """The run in which each query has the list of the query `source` (Q,), none for -1."""
    if isinstance(ranking, DistanceMatrix):
        return replace(ranking, rows=np.where(source >= 0, ranking.rows[source], -1).astype(np.int32))
    lengths = np.where(source >= 0, np.diff(ranking.indptr)[source], 0)
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    order = np.arange(indptr[-1]) + np.repeat(ranking.indptr[source] - indptr[:-1], lengths)
    return replace(
        ranking,
        indptr=indptr,
        items=ranking.items[order],
        distances=None if ranking.distances is None else ranking.distances[order],
        present=(source >= 0) & ranking.present[source],
        unknown=None if ranking.unknown is None else ranking.unknown[order],
    )


def _log_self_hits(path: Path, ranking: RankedLists | DistanceMatrix, hits: SelfHits, context: ReadContext) -> None:
    """A warning if the lists contain their own query, but do not start with it."""
    listed = hits.own_listed
    wrong = np.flatnonzero(listed & ~hits.own_first)
    n_listed, n_first = int(listed.sum()), int((listed & hits.own_first).sum())
    if n_listed < MIN_LISTS or not len(wrong):
        return
    member, ids = context.queries.member, context.collection.ids
    is_exchanged = len(wrong) > 1 and set(hits.nearest[wrong].tolist()) == set(member[wrong].tolist())
    if n_first >= EXPECTED_SHARE * n_listed and not is_exchanged:
        return
    is_matrix = isinstance(ranking, DistanceMatrix)
    item_name = "row" if is_matrix else "list"
    message = f"in {n_first:,} of {count_of(n_listed, item_name)} the query itself is the nearest model"
    if not n_first:
        message = f"in none of {count_of(n_listed, item_name)} the query itself is the nearest model"
    query = int(wrong[0])
    example = f"; the {item_name} of '{context.queries.ids[query]}' is nearest to '{ids[hits.nearest[query]]}'"
    message += example if hits.nearest[query] >= 0 else ""
    cause = _probable_cause(ranking, hits, wrong, context, item_name, is_exchanged=is_exchanged)
    written = Alternative(BY_NAME, "read as written")
    if cause:
        nearest = Alternative(BY_NEAREST, f"each {item_name} as that of the model nearest to it")
        decision = Decision("queries_by", (written, nearest), BY_NAME, problem=f"{message}: {cause}")
    else:
        other = (
            "the rows are in another order than the columns" if is_matrix else "the lists are those of other queries"
        )
        problem = f"{message}: the run is not a retrieval method, or {other}"
        decision = Decision("written", (written,), BY_NAME, problem=problem)
        if not n_first:
            removed = Alternative(
                "drop", "read as written; queries are removed from their lists, as models of the same ids"
            )
            kept = Alternative("keep", "queries are other objects than these models, and kept")
            decision = Decision("self_match", (removed, kept), "drop", problem=problem)
    context.findings_log.decide(path, decision, Severity.WARNING)


def _probable_cause(
    ranking: RankedLists | DistanceMatrix,
    hits: SelfHits,
    wrong: NDArray[np.intp],
    context: ReadContext,
    item_name: str,
    *,
    is_exchanged: bool,
) -> str:
    """Why the lists do not start with their query; "" if unknown."""
    member, nearest = context.queries.member[wrong], hits.nearest[wrong]
    against = "the columns" if item_name == "row" else "the queries"
    n_models = len(context.collection)
    if isinstance(ranking, DistanceMatrix):
        orders = [column_of_model(ranking.columns, n_models)]
    else:  # of lists in one file, or in files, whose names are in natural order
        orders = [np.arange(n_models), np.argsort(natural_order(context.collection.ids))]
    steps = [(index[nearest] - index[member])[nearest >= 0] % max(1, n_models) for index in orders]
    shifts = [Counter(found.tolist()).most_common(1)[0] for found in steps if len(found)]
    shift, count = max(shifts, key=itemgetter(1), default=(0, 0))
    if count >= COMMON_SHARE * len(wrong) and len(wrong) >= MIN_LISTS:
        shift = shift if 2 * shift <= n_models else shift - n_models
        return f"the {item_name}s are probably shifted by {abs(shift):,} against {against}"
    if is_exchanged and len(wrong) < EXPECTED_SHARE * int(hits.own_listed.sum()):
        names = join_some([f"'{context.queries.ids[query]}'" for query in wrong.tolist()])
        return f"the {item_name}s of {names} are probably exchanged"
    distinct = len(np.unique(nearest[nearest >= 0]))
    if len(wrong) >= MIN_LISTS and distinct >= COMMON_SHARE * len(wrong):
        return f"the {item_name}s are probably in another order than {against}"
    return ""


def log_absent_queries(
    runs: Sequence[Run], options: Sequence[ReadOptions], context: ReadContext, cancelled: Callable[[], bool]
) -> None:
    """A warning for each run of lists without their query, if those of most runs start with it."""
    member = context.queries.member
    if len(runs) < 2 or np.count_nonzero(member >= 0) < MIN_LISTS:
        return
    hits = {run.name: find_self_hits(run.ranking, member, cancelled) for run in runs if _has_lists(run)}
    absent = []
    for run, chosen in zip(runs, options, strict=True):
        possible = run.present & (member >= 0)
        is_absent = run.name in hits and np.any(possible) and not np.any(hits[run.name].own_listed & possible)
        if is_absent and chosen.queries_by != BY_NAME:
            absent.append(run)
    if not absent:
        return  # without reading matrices again
    n_sound = sum(found.is_expected for found in hits.values())
    n_sound += sum(find_self_hits(run.ranking, member, cancelled).is_expected for run in runs if not _has_lists(run))
    if 2 * n_sound <= len(runs):
        return
    for run in absent:
        message = f"its lists do not contain their own query, those of {count_of(n_sound, 'other run')} begin with it"
        action = "no effect where the profile removes the query from its list"
        context.findings_log.warning(run.source, message, action)


def _has_lists(run: Run) -> bool:
    return not isinstance(run.ranking, DistanceMatrix)


MAX_FLOAT32 = float(np.finfo(np.float32).max)

ORDERED_BY_LINE = "file order is the ranking"

#: Description, action and key of the findings, in the order of `_kinds_of`.
KINDS = (
    ("not a number (NaN)", NOT_A_NUMBER_ACTION, NOT_A_NUMBER),
    ("infinite, the farthest", INFINITE_ACTION, INFINITE),
    ("infinite, the nearest", "ranked before all others", ""),
    (
        "beyond the range of float32",
        "ranked by their value; infinite under profiles that compare as float32 (trec)",
        "",
    ),
)

#: Range of absolute values of distances.
PLAUSIBLE_RANGE = (1e-15, 1e15)


def are_usual(distances: NDArray[np.floating]) -> bool:
    """Whether all distances are numbers in the range of float32."""
    # Two passes without temporary arrays, three times as fast as a comparison of each absolute value (numpy 2.4).
    return distances.size == 0 or bool(distances.max() <= MAX_FLOAT32 and distances.min() >= -MAX_FLOAT32)


def _kinds_of(distances: NDArray[np.floating]) -> NDArray[np.int8]:
    """Index in KINDS of each unusual distance, -1 for usual ones."""
    kinds = np.full(distances.shape, -1, np.int8)
    kinds[np.abs(distances) > MAX_FLOAT32] = 3
    kinds[np.isneginf(distances)] = 2
    kinds[np.isposinf(distances)] = 1
    kinds[np.isnan(distances)] = 0
    return kinds


class UnusualValues:
    """Counts unusual distances of a run by kind, and keeps the first of each: the first query, then the first model.

    Parameters
    ----------
    path : file or folder of the run.
    context : queries and models.
    """

    def __init__(self, path: Path, context: ReadContext) -> None:
        self._path = path
        self._context = context
        self._counts = [0] * len(KINDS)
        self._own_counts = [0] * len(KINDS)
        self._first: list[tuple[int, int, Path, int | None] | None] = [None] * len(KINDS)

    def add(
        self,
        queries: NDArray[np.integer],
        items: NDArray[np.integer],
        distances: NDArray[np.floating],
        path: Path | None = None,
        lines: NDArray[np.integer] | None = None,
    ) -> None:
        """Count distances of some pairs of a query and a model, all (n,).

        Parameters
        ----------
        items : models, -1 for unknown ids.
        distances : smaller is nearer.
        path, lines : where they are in a list; None for a matrix.
        """
        kinds = _kinds_of(distances)
        is_own = items == self._context.queries.member[queries]
        is_own &= items >= 0
        for kind in range(len(KINDS)):
            index = np.flatnonzero(kinds == kind)
            if not len(index):
                continue
            self._counts[kind] += len(index)
            self._own_counts[kind] += int(is_own[index].sum())
            models = np.where(items[index] >= 0, items[index], np.iinfo(np.int32).max)
            at = index[np.lexsort((models, queries[index]))[0]]
            line = int(lines[at]) if lines is not None else None
            found = (int(queries[at]), int(items[at]), path or self._path, line)
            known = self._first[kind]
            if known is None or found[0] < known[0]:
                self._first[kind] = found

    def log(self, findings_log: FindingsLog, *, ranked_by_line: bool) -> None:
        """Add a finding for each kind.

        `ranked_by_line`: file order is the ranking, so that distances do not change it.
        """
        for kind, (text, action, key) in enumerate(KINDS):
            first, count = self._first[kind], self._counts[kind]
            if first is None:
                continue
            query, item, path, line = first
            model = f"'{self._context.collection.ids[item]}'" if item >= 0 else "an unknown model"
            example = f"the first that of {model} for '{self._context.queries.ids[query]}'"
            message = f"{count_of(count, 'distance is', 'distances are')} {text}, {example}"
            is_mark = count == self._own_counts[kind]
            if is_mark:
                message += f"; {'it is' if count == 1 else 'all are'} of models to themselves"
            if ranked_by_line:
                action, key = ORDERED_BY_LINE, ""
            severity = Severity.INFO if is_mark else Severity.WARNING
            findings_log.note(severity, path, message, action, line=line, count=count, key=key)


#: What is equal in a matrix that distinguishes no queries or no models, and what follows.
EQUAL_VALUES = {"rows": "each query has the same list", "columns": "all models of a list are at one distance"}


def _implausible_text(block: NDArray[np.floating]) -> str:
    """That most of the finite values are no plausible distances, as after a wrong type or byte order; "" if not."""
    sizes = np.abs(block[np.isfinite(block) & (block != 0)])
    low, high = PLAUSIBLE_RANGE
    odd = sizes[(sizes < low) | (sizes > high)]
    if 2 * len(odd) <= len(sizes):
        return ""
    return f"most values are below {low:g} or above {high:g}, the first is {odd[0]:g}"


def _check_rows(
    path: Path,
    matrix: DistanceMatrix,
    context: ReadContext,
    cancelled: Callable[[], bool],
    *,
    has_own: bool,
    keeps_nan: bool,
) -> tuple[DistanceMatrix, SelfHits]:
    """The matrix without rows and columns that are all NaN, and the ranks of the queries in their rows.

    With findings about unusual distances, those in rows of no query excepted.

    Parameters
    ----------
    has_own : whether the ranks are needed.
    keeps_nan : whether models without a number are in the lists, after all others.
    """
    unusual = UnusualValues(path, context)
    search = _RowSearch(matrix, context.queries.member, _no_self_hits(len(context.queries)))
    first: NDArray[np.floating] | None = None
    implausible, n_negative = "", 0
    are_equal = dict.fromkeys(EQUAL_VALUES, min(matrix.values.shape) > 1)
    is_empty = np.zeros(len(matrix.rows), np.bool_)
    # A single row does not tell an absent model from one at no number.
    is_empty_column = (matrix.columns >= 0) & (not keeps_nan and np.count_nonzero(matrix.present) > 1)
    for queries, values in _row_blocks(matrix, cancelled):
        if first is None:
            first, implausible = values[0].copy(), _implausible_text(values)
        for kind, expected in zip(EQUAL_VALUES, (first, values[:, :1]), strict=True):
            are_equal[kind] = are_equal[kind] and bool(np.all(values == expected))
        if not (matrix.similarity or matrix.metric or values.min(initial=0) >= 0):  # NaN, too
            n_negative += int(np.count_nonzero(values < 0))
        is_usual = are_usual(values)
        if not is_usual:
            is_nan = np.isnan(values)
            is_empty[queries] = is_nan.all(axis=1) & (not keeps_nan)
            is_empty_column &= is_nan.all(axis=0)
            rows, columns = np.nonzero(~(np.abs(values) <= MAX_FLOAT32) & (matrix.columns != NO_VALUES))
            distances = values[rows, columns]
            unusual.add(queries[rows], matrix.columns[columns], -distances if matrix.similarity else distances)
        is_empty_column &= not is_usual
        if has_own:
            search.add(queries, values, is_usual=is_usual)
    if (is_empty.any() or is_empty_column.any()) and not is_empty[matrix.present].all():
        left = _without_nan(path, matrix, is_empty, is_empty_column, context)
        return _check_rows(path, left, context, cancelled, has_own=has_own, keeps_nan=True)
    if implausible:
        action = "read as they are; the type or byte order in the header may be wrong"
        context.findings_log.warning(path, implausible, action)
    if n_negative:
        message = f"{count_of(n_negative, 'value is', 'values are')} below 0"
        context.findings_log.info(path, message, "still read as distances")
    unusual.log(context.findings_log, ranked_by_line=False)
    for kind, meaning in EQUAL_VALUES.items():
        if first is not None and are_equal[kind]:
            context.findings_log.warning(path, f"all {kind} are equal, so that {meaning}", "read as written")
    return matrix, search.finish()


def _without_nan(
    path: Path, matrix: DistanceMatrix, queries: NDArray[np.bool_], columns: NDArray[np.bool_], context: ReadContext
) -> DistanceMatrix:
    """The matrix without the rows of some queries (Q,) and without some columns (M,), with a finding for each."""
    log, found, setting = context.findings_log, [], None
    if not matrix.metric:  # feature vectors are no distances
        setting = log.setting("cells", CELL_VALUES[0], path)
    missing = [context.queries.ids[query] for query in np.flatnonzero(queries).tolist()]
    absent = [context.collection.ids[model] for model in matrix.columns[columns].tolist()]
    if missing:
        number = count_of(len(missing), "row has", "rows have")
        others = "these queries have no list", "; to rank all models in the order of the columns"
        found.append((number, missing, *others))
    if absent:
        number = count_of(len(absent), "column has", "columns have")
        found.append((number, absent, "these models are in no list", "; to rank them after all others"))
    for number, names, action, other in found:
        message = f"{number} no number, only NaN: {join_some(names)}"
        log.warning(path, message, action + other * (setting is not None), setting=setting)
    rows = np.where(queries, -1, matrix.rows).astype(np.int32)
    return replace(matrix, rows=rows, columns=np.where(columns, NO_VALUES, matrix.columns).astype(np.int32))
