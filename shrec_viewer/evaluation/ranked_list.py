"""The ranked list of one run and query with levels and ties, its contingency table, and the inputs of ranking."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Assessment,
    Benchmark,
    ClassAssessment,
    DistanceMatrix,
    EditedAssessment,
    PairAssessment,
    RankedLists,
    Run,
    ShrecViewerError,
    descending_ranks,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import head_of_row
from shrec_viewer.metrics.ranking.list_ranking import ListArrays, clean_lists
from shrec_viewer.metrics.ranking.matrix_ranking import RankedColumns, is_dropped, row_distances, select_columns
from shrec_viewer.metrics.ranking.truth import Truth, is_too_hard_or_easy


def truth_of(benchmark: Benchmark) -> Truth:
    """Relevant models of every query; queries of one class share a group if relevance is derived from classes.

    Raises
    ------
    ShrecViewerError
        If the benchmark has no relevance assessment.
    """
    assessment = benchmark.assessment
    if assessment is None:
        raise ShrecViewerError(f"'{benchmark.name}' has no relevance assessment: runs cannot be evaluated")
    if len(assessment) != len(benchmark.queries):
        raise ShrecViewerError(
            f"the relevance assessment has {len(assessment)} queries, but the benchmark has {len(benchmark.queries)}"
        )
    group, indptr, items, levels = _group_assessment(assessment)
    n_models = len(benchmark.collection)
    return Truth(
        group=group,
        indptr=indptr,
        items=items,
        levels=levels,
        members=benchmark.queries.member,
        n_models=n_models,
        highest_level=max(assessment.levels, default=1),
        junk=junk_cells(assessment, n_models),
    )


def junk_cells(assessment: Assessment | None, n_models: int) -> NDArray[np.int64]:
    """`Truth.junk` of an assessment."""
    if assessment is None or not assessment.has_junk:
        return np.zeros(0, np.int64)
    rows = [assessment.junk(query) for query in range(len(assessment))]
    return np.concatenate([query * n_models + row.astype(np.int64) for query, row in enumerate(rows)])


def with_judged(truth: Truth, assessment: Assessment | None) -> Truth:
    """`truth` with the models that were judged and are not relevant; unchanged if all were judged."""
    if isinstance(assessment, EditedAssessment):
        known = with_judged(truth, assessment.original)
        if known.judged_cells is None or known.judged_levels is None:
            return truth
        edits = {
            query * truth.n_models + model: level
            for query, row in assessment.edits.items()
            for model, level in row.items()
        }
        kept = ~np.isin(known.judged_cells, list(edits))
        added = sorted(cell for cell, level in edits.items() if level == 0)
        cells = np.concatenate([known.judged_cells[kept], np.array(added, np.int64)])
        levels = np.concatenate([known.judged_levels[kept], np.zeros(len(added), np.int16)])
        order = np.argsort(cells)
        return replace(truth, judged_cells=cells[order], judged_levels=levels[order])
    if not isinstance(assessment, PairAssessment) or (assessment.zero_items is None and not assessment.lists_relevant):
        return truth
    cells = np.zeros(0, np.int64)
    if assessment.zero_items is not None and assessment.zero_indptr is not None:
        numbers = np.arange(len(assessment), dtype=np.int64) * truth.n_models
        relevant = np.repeat(numbers, np.diff(assessment.indptr)) + assessment.items
        cells = np.setdiff1d(np.repeat(numbers, np.diff(assessment.zero_indptr)) + assessment.zero_items, relevant)
    is_junk = np.isin(cells, junk_cells(assessment, truth.n_models))
    return replace(truth, judged_cells=cells, judged_levels=-is_junk.astype(np.int16))


def _group_assessment(
    assessment: Assessment,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    if isinstance(assessment, EditedAssessment) and isinstance(assessment.original, ClassAssessment):
        return _group_edited(assessment)
    if isinstance(assessment, PairAssessment):
        group = np.arange(len(assessment), dtype=np.int64)
        return group, assessment.indptr, assessment.items, assessment.level
    if isinstance(assessment, ClassAssessment):
        _, first_query, group = np.unique(assessment.query_labels, return_index=True, return_inverse=True)
    else:
        first_query = group = np.arange(len(assessment))
    return group.astype(np.int64), *_relevant_rows(assessment, first_query)


def _group_edited(
    assessment: EditedAssessment,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    """Queries with edits are groups of their own; the others stay in the groups of their classes."""
    assert isinstance(assessment.original, ClassAssessment)
    edited = [query for query, edits in assessment.edits.items() if edits]
    labels = assessment.original.query_labels.astype(np.int64)
    keys = labels.copy()
    keys[edited] = int(labels.max(initial=0)) + 1 + np.arange(len(edited))
    _, first_query, group = np.unique(keys, return_index=True, return_inverse=True)
    return group.astype(np.int64), *_relevant_rows(assessment, first_query)


def _relevant_rows(
    assessment: Assessment, queries: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8]]:
    """Relevant models of some queries as compressed sparse rows."""
    relevant = [assessment.relevant(int(query)) for query in queries]
    indptr = np.concatenate([[0], np.cumsum([len(items) for items, _ in relevant])]).astype(np.int64)
    items = np.concatenate([np.zeros(0, np.int32), *(items for items, _ in relevant)]).astype(np.int32)
    levels = np.concatenate([np.zeros(0, np.uint8), *(levels for _, levels in relevant)]).astype(np.uint8)
    return indptr, items, levels


@dataclass(frozen=True, eq=False)
class TieRanks:
    """Order of models at the same distance under the conventions of a profile.

    Attributes
    ----------
    models : (N,) int64, rank of each model; None if ties keep the order of the file.
    ids : ids of the models if they define the order, as in trec_eval, where ids outside the collection take part in it;
        else empty.
    """

    models: NDArray[np.int64] | None
    ids: Sequence[str] = ()


def tie_ranks(benchmark: Benchmark, profile: Profile) -> TieRanks:
    """Order of models at the same distance."""
    ids = benchmark.collection.ids
    if profile.ties == "file":
        return TieRanks(None)
    if profile.ties == "index":
        return TieRanks(np.arange(len(ids), dtype=np.int64))
    return TieRanks(benchmark.collection.descending_ranks, ids if profile.unknown == "keep" else ())


def column_tie_orders(
    matrix: DistanceMatrix, ties: TieRanks
) -> tuple[NDArray[np.int64] | None, NDArray[np.int64] | None]:
    """Order of models, (N,) int64, and of columns without a model, (M,) int64, at the same distance; None for none."""
    unknown = np.flatnonzero(matrix.columns < 0) if ties.ids and matrix.column_ids else np.zeros(0, np.int64)
    if not len(unknown):
        return ties.models, None
    ranks = descending_ranks((*ties.ids, *(matrix.column_ids[column] for column in unknown.tolist())))
    order = np.zeros(len(matrix.columns), np.int64)
    order[unknown] = ranks[len(ties.ids) :]
    return ranks[: len(ties.ids)], order


def ranking_lists(ranking: RankedLists, ties: TieRanks) -> ListArrays:
    """Ranked lists as arrays for ranking."""
    models, unknown = ties.models, None
    if ties.ids and ranking.unknown is not None and ranking.unknown_ids:
        ranks = descending_ranks((*ties.ids, *ranking.unknown_ids))
        models, unknown = ranks[: len(ties.ids)], ranks[len(ties.ids) :][ranking.unknown]
    return ListArrays(
        ranking.indptr,
        ranking.items,
        ranking.present,
        ranking.distances,
        ranking.by_score,
        models,
        unknown,
        ranking.unknown,
    )


@dataclass(frozen=True, eq=False)
class RankedList:
    """A ranked list for display; index i holds rank i + 1.

    Attributes
    ----------
    items : (n,) int32, models, best first; `UNKNOWN_ITEM` only if the profile keeps unknown ids.
    distances : (n,) float64, as written in the file (for a similarity: larger is nearer); NaN if not given.
    levels : (n,) uint8, relevance level of each model, independent of the relevance threshold of the profile; 0 not
        relevant, and all 0 without an assessment.
    tied : (n,) bool, whether an adjacent model has the same distance, so that another order is equally valid.
    tie_start : (n,) int32, first index of the group of equal distances of each model.
    missing : whether the run has no results for the query.
    not_retrieved : (m,) int32, relevant models that are not in the list, ascending.
    similarity : whether the distances are similarities.
    """

    items: NDArray[np.int32]
    distances: NDArray[np.float64]
    levels: NDArray[np.uint8]
    tied: NDArray[np.bool_]
    tie_start: NDArray[np.int32]
    missing: bool
    not_retrieved: NDArray[np.int32]
    similarity: bool = False

    @property
    def value_name(self) -> str:
        """``"distance"`` or ``"similarity"``."""
        return "similarity" if self.similarity else "distance"

    @property
    def relevant_count(self) -> int:
        """Number of relevant models, in the list or not retrieved."""
        return int(np.count_nonzero(self.levels)) + len(self.not_retrieved)

    def __len__(self) -> int:
        return len(self.items)

    def differing_rows(self, other: "RankedList") -> NDArray[np.int64]:
        """(n,) indices at which this list differs from another one of the same length, ascending."""
        differs = ~((self.distances == other.distances) | (np.isnan(self.distances) & np.isnan(other.distances)))
        for name in ("items", "levels", "tied", "tie_start"):
            differs |= getattr(self, name) != getattr(other, name)
        return np.flatnonzero(differs)


def ranked_list(benchmark: Benchmark, run: Run, query: int, profile: Profile) -> RankedList:
    """The list of `run` for one query, cleaned up under the profile: the ranks that `evaluate` uses."""
    return ListHeads(benchmark, run, profile).whole(query)


def ranked_items(benchmark: Benchmark, run: Run, query: int, profile: Profile) -> NDArray[np.int32]:
    """The models of `ranked_list` alone, which is three times as fast for a list of 20,000."""
    return _RunLists(benchmark, run, profile).entries(query)[0]


def query_levels(benchmark: Benchmark, query: int, profile: Profile) -> NDArray[np.uint8]:
    """(N,) uint8, relevance level of each model for a query; all 0 without an assessment.

    0 for the query itself if the profile excludes it.
    """
    if benchmark.assessment is None:
        return np.zeros(len(benchmark.collection), np.uint8)
    levels = benchmark.assessment.gains(query, len(benchmark.collection))
    own = int(benchmark.queries.member[query])
    if own >= 0 and profile.self_match == "drop":
        levels[own] = 0
    levels[is_too_hard_or_easy(levels, profile.difficulty)] = 0
    return levels


def removed_models(benchmark: Benchmark, query: int, profile: Profile) -> NDArray[np.int64]:
    """(j,) int64, junk that the profile removes from the list of a query, without the query itself if it does so."""
    if benchmark.assessment is None or profile.junk != "removed":
        return np.zeros(0, np.int64)
    junk = benchmark.assessment.junk(query).astype(np.int64)
    items, levels = benchmark.assessment.relevant(query)
    junk = np.union1d(junk, items[is_too_hard_or_easy(levels, profile.difficulty)]).astype(np.int64)
    return junk[junk != benchmark.queries.member[query]] if profile.self_match == "drop" else junk


@dataclass(frozen=True, eq=False)
class ListHead:
    """The first ranks of a ranked list: the first elements of `RankedList`.

    Attributes
    ----------
    items : (n,) int32, models, best first.
    distances : (n,) float64, as written in the file.
    levels : (n,) uint8, relevance level of each model; all 0 without an assessment.
    """

    items: NDArray[np.int32]
    distances: NDArray[np.float64]
    levels: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.items)


class ListHeads:
    """The lists of one run, or their first ranks, for queries one after another.

    What the lists of a run have in common is computed once, and the models after the first ranks are not sorted: for
    a million models this takes an eighth of the time of `ranked_list`, and a hundredth of the memory.
    """

    def __init__(self, benchmark: Benchmark, run: Run, profile: Profile) -> None:
        self._benchmark, self._run, self._profile = benchmark, run, profile
        self._lists = _RunLists(benchmark, run, profile)

    def head(self, query: int, count: int) -> ListHead:
        """The first `count` ranks of the list for a query; fewer where the list is shorter."""
        items, distances = self._lists.entries(query, count)
        return ListHead(items, distances, _levels_of(self._benchmark, query, items, self._profile))

    def whole(self, query: int) -> RankedList:
        """The list for a query."""
        items, distances = self._lists.entries(query)
        gains = query_levels(self._benchmark, query, self._profile)
        not_retrieved = gains > 0
        known = items >= 0
        not_retrieved[items[known]] = False
        tie_start = _tie_starts(distances)
        return RankedList(
            items=items,
            distances=distances,
            levels=np.where(known, gains[items], 0).astype(np.uint8) if len(gains) else np.zeros(len(items), np.uint8),
            tied=np.bincount(tie_start, minlength=len(items))[tie_start] > 1,
            tie_start=tie_start,
            missing=not bool(self._run.present[query]),
            not_retrieved=np.flatnonzero(not_retrieved).astype(np.int32),
            similarity=self._run.ranking.similarity,
        )


def _levels_of(benchmark: Benchmark, query: int, items: NDArray[np.int32], profile: Profile) -> NDArray[np.uint8]:
    """Elements of `query_levels` for some models; 0 for unknown ones."""
    levels = np.zeros(len(items), np.uint8)
    if benchmark.assessment is None:
        return levels
    relevant, relevant_levels = benchmark.assessment.relevant(query)
    own = int(benchmark.queries.member[query])
    if len(relevant):
        index = np.minimum(np.searchsorted(relevant, items), len(relevant) - 1)
        is_relevant = relevant[index] == items
        if own >= 0 and profile.self_match == "drop":
            is_relevant &= items != own
        levels[is_relevant] = relevant_levels[index[is_relevant]]
        levels[is_too_hard_or_easy(levels, profile.difficulty)] = 0
    return levels


def classes_of_queries(benchmark: Benchmark) -> NDArray[np.int32]:
    """(Q,) int32, class of each query: its label, else that of most of its models of the highest level.

    The first one in the tree where several have as many; -1 for none.
    """
    labels, tree = benchmark.queries.labels.copy(), benchmark.classification
    if tree is None or benchmark.assessment is None:
        return labels
    for query in np.flatnonzero(labels < 0).tolist():
        items, levels = benchmark.assessment.relevant(query)
        of_models = tree.labels[items[levels == levels.max(initial=0)]]
        counts = np.bincount(of_models[of_models >= 0], minlength=1)
        labels[query] = counts.argmax() if counts.any() else -1
    return labels


def first_classes(benchmark: Benchmark, run: Run, profile: Profile) -> NDArray[np.int32] | None:
    """`HitTable.classes` of a run; None without a classification."""
    tree = benchmark.classification
    if tree is None:
        return None
    heads, own = ListHeads(benchmark, run, profile), classes_of_queries(benchmark)
    first = np.full(len(own), -1, np.int32)
    for query in np.flatnonzero((own >= 0) & run.present).tolist():
        items = heads.head(query, 1).items
        if len(items) and items[0] >= 0:
            first[query] = tree.labels[items[0]]
    return np.column_stack([own, first]).astype(np.int32)


class _RunLists:
    """Models and distances of the lists of one run under a profile."""

    def __init__(self, benchmark: Benchmark, run: Run, profile: Profile) -> None:
        self._benchmark, self._run, self._profile = benchmark, run, profile

    @cached_property
    def _columns(self) -> RankedColumns:
        """Of a matrix."""
        matrix = self._run.ranking
        assert isinstance(matrix, DistanceMatrix)
        orders = column_tie_orders(matrix, tie_ranks(self._benchmark, self._profile))
        return select_columns(matrix.columns, len(self._benchmark.collection), self._profile, *orders)

    @cached_property
    def _submitted(self) -> ListArrays:
        """Of ranked lists."""
        lists = self._run.ranking
        assert isinstance(lists, RankedLists)
        return ranking_lists(lists, tie_ranks(self._benchmark, self._profile))

    def entries(self, query: int, count: int | None = None) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """Models and distances of the list for a query, or of its first `count` ranks."""
        cuts = [cut for cut in (count, self._profile.list_cut) if cut is not None]
        cut = max(min(cuts), 0) if cuts else None
        own = int(self._benchmark.queries.member[query]) if self._profile.self_match == "drop" else -1
        junk = removed_models(self._benchmark, query, self._profile)
        ranking = self._run.ranking
        if isinstance(ranking, DistanceMatrix):
            return self._matrix_row(ranking, query, own, junk, cut)
        return self._list_lines(ranking, query, own, junk, cut)

    def _matrix_row(
        self, matrix: DistanceMatrix, query: int, own: int, junk: NDArray[np.int64], cut: int | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        row = int(matrix.rows[query])
        if row < 0:
            return np.zeros(0, np.int32), np.zeros(0)
        columns, profile = self._columns, self._profile
        values = matrix.values[row : row + 1]
        distances = row_distances(values, np.zeros(1, np.int64), columns, profile, matrix.similarity)[0]
        own_column = int(columns.of_model[own]) if own >= 0 else -1
        dropped = is_dropped(distances, profile)
        junk_columns = columns.of_model[junk]
        dropped[junk_columns[junk_columns >= 0]] = True
        n_dropped = int(np.count_nonzero(dropped))
        order = head_of_row(distances, len(distances) if cut is None else cut + n_dropped, own_column, columns.tie_rank)
        order = order[~dropped[order]][:cut]
        original = order if columns.kept is None else columns.kept[order]
        return matrix.columns[original].astype(np.int32), np.asarray(values[0])[original].astype(np.float64)

    def _list_lines(
        self, lists: RankedLists, query: int, own: int, junk: NDArray[np.int64], cut: int | None
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        n_models = len(self._benchmark.collection)
        block = clean_lists(self._submitted, query, query + 1, np.array([own]), junk, n_models, self._profile)
        entries = block.entries[block.is_counted][:cut]
        distances = np.full(len(entries), np.nan) if lists.distances is None else lists.distances[entries]
        if lists.similarity:
            distances = 0.0 - distances  # no negative zeros
        return lists.items[entries].astype(np.int32), distances.astype(np.float64)


def _tie_starts(distances: NDArray[np.float64]) -> NDArray[np.int32]:
    """(n,) int32, first index of each group of equal adjacent distances; NaN equals nothing."""
    opens = np.ones(len(distances), np.bool_)
    opens[1:] = distances[1:] != distances[:-1]
    return np.maximum.accumulate(np.where(opens, np.arange(len(distances)), 0)).astype(np.int32)


@dataclass(frozen=True)
class ContingencyCounts:
    """Counts of retrieved and relevant models.

    Attributes
    ----------
    tp, fp : relevant and irrelevant models within the scope.
    fn : relevant models outside of it.
    collection : number of models that can be retrieved.
    further : ranks after the scope up to the next relevant model; None where the list has none.
    by_level : level, models of it within the scope, and in the collection, highest first, with level 0: with two levels
        Vh and Ch, Vm and Cm, Vn and Cn of SHREC 2006.
    """

    tp: int
    fp: int
    fn: int
    collection: int
    further: int | None = None
    by_level: tuple[tuple[int, int, int], ...] = ()

    @property
    def tn(self) -> int:
        """Irrelevant models outside of the scope; 0 for a list with more ids than the collection."""
        return max(self.collection - self.tp - self.fp - self.fn, 0)

    @property
    def precision(self) -> float:
        """Share of relevant models in the scope, tp / (tp + fp); NaN for an empty scope."""
        return _ratio(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float:
        """Share of the relevant models retrieved, tp / (tp + fn); NaN without relevant models."""
        return _ratio(self.tp, self.tp + self.fn)

    @property
    def f_measure(self) -> float:
        """Harmonic mean of precision and recall, 2 tp / (2 tp + fp + fn); NaN if the divisor is 0."""
        return _ratio(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def generality(self) -> float:
        """Share of relevant models in the collection; NaN for an empty collection."""
        return _ratio(self.tp + self.fn, self.collection)

    @property
    def relevant_share(self) -> float:
        """Share of the collection that is relevant and in the scope, v / d (Sebe et al., equation 11)."""
        return _ratio(self.tp, self.collection)


def contingency_counts(
    benchmark: Benchmark, profile: Profile, query: int, ranked: RankedList, scope: int, least_level: int = 1
) -> ContingencyCounts:
    """Contingency table of one ranked list.

    Parameters
    ----------
    query : index of the query; its own model is not counted where the profile excludes self-matches.
    scope : number of ranks that count as retrieved, at most the length of the list.
    least_level : lowest level that counts as relevant.
    """
    assert benchmark.assessment is not None
    levels = benchmark.assessment.gains(query, len(benchmark.collection))
    missed = int(np.count_nonzero(levels[ranked.not_retrieved] >= least_level))
    relevant = int(np.count_nonzero(ranked.levels >= least_level)) + missed
    tp = int(np.count_nonzero(ranked.levels[:scope] >= least_level))
    behind = np.flatnonzero(ranked.levels[scope:] >= least_level)
    self_match = int(profile.self_match == "drop" and benchmark.queries.member[query] >= 0)
    n_removed = self_match + len(removed_models(benchmark, query, profile))
    further = int(behind[0]) + 1 if len(behind) else None
    collection = len(benchmark.collection) - n_removed
    by_level = []
    for level in reversed(benchmark.assessment.levels):
        inside, listed = (int(np.count_nonzero(part == level)) for part in (ranked.levels[:scope], ranked.levels))
        by_level.append((level, inside, listed + int(np.count_nonzero(levels[ranked.not_retrieved] == level))))
    others = scope - sum(one[1] for one in by_level), collection - sum(one[2] for one in by_level)
    return ContingencyCounts(tp, scope - tp, relevant - tp, collection, further, (*by_level, (0, *others)))


def _ratio(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")
