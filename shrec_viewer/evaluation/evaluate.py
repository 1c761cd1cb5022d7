"""Evaluate runs: suggest a profile, rank relevant models and compute every measure."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Benchmark,
    Cancelled,
    ClassAssessment,
    DistanceMatrix,
    Finding,
    Run,
    Severity,
    ShrecViewerError,
)
from shrec_viewer.evaluation.parallel.local import thread_map
from shrec_viewer.evaluation.ranked_list import (
    TieRanks,
    column_tie_orders,
    first_classes,
    ranking_lists,
    tie_ranks,
    truth_of,
    with_judged,
)
from shrec_viewer.evaluation.scores import Scores, TieRange, evaluate_measures
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.metrics import PROFILES, HitTable, Profile, ResolvedMeasure, find_measure, find_profile
from shrec_viewer.metrics.ranking.hit_table import ListAnomalies, RankedHits, TieOrder
from shrec_viewer.metrics.ranking.list_ranking import hits_from_lists
from shrec_viewer.metrics.ranking.matrix_ranking import BLOCK_VALUES, MapBlocks, hits_from_matrix
from shrec_viewer.metrics.ranking.truth import Truth

#: `Benchmark.profile` of a benchmark that names no profile.
DEFAULT_PROFILE_KEY = PROFILES[0].key

#: Distances or listed models of a run from which runs are ranked in threads.
#:
#: The numpy calls of smaller runs are so short that threads mostly wait for the interpreter lock: 13 runs of 43,000
#: take 29 ms with one thread and 98 ms with four (numpy 2.4, Python 3.11); both take about the same for runs of
#: 300,000.
MIN_THREADED = 1 << 18

#: Levels of SHREC 2006: marginally and highly relevant.
LEVELS_2006 = (1, 2)

#: Maximum number of queries of a benchmark like SHREC 2006, which had 30. The RGB-D tracks of 2017 and 2018 have the
#: same two levels but other conventions, and had 1,240 and 2,101 queries.
MAX_QUERIES_2006 = 100

#: Number of models of every class of SHREC 2012.
CLASS_SIZE_2012 = 20


def suggest_profile(benchmark: Benchmark) -> Profile | None:
    """Profile of the contest that a benchmark resembles; None if it names a profile or resembles none.

    Only the structure is compared, so the profile is displayed as a suggestion and not applied. SHREC 2017 for
    ShapeNet: relevance from a table of synsets. SHREC 2006: at most 100 queries, none in the collection, and the levels
    1 and 2. Princeton Shape Benchmark: every model is a query, relevance is by class, and every run is a square matrix.
    SHREC 2012: the same with 20 models in every class. The default profile evaluates all of them differently (tiers,
    ties, small classes).
    """
    if benchmark.profile != DEFAULT_PROFILE_KEY or benchmark.assessment is None or not len(benchmark.queries):
        return None
    if isinstance(benchmark.assessment, ClassAssessment) and benchmark.assessment.graded == "synsets":
        return find_profile("shrec2017")
    if _is_like_2006(benchmark):
        return find_profile("shrec2006")
    if _is_like_princeton(benchmark):
        return find_profile("shrec2012" if _all_classes_have_size(benchmark, CLASS_SIZE_2012) else "psb")
    return None


def _is_like_2006(benchmark: Benchmark) -> bool:
    assert benchmark.assessment is not None
    are_external = not np.any(benchmark.queries.member >= 0)
    return are_external and len(benchmark.queries) <= MAX_QUERIES_2006 and benchmark.assessment.levels == LEVELS_2006


def _is_like_princeton(benchmark: Benchmark) -> bool:
    assert benchmark.assessment is not None
    size = len(benchmark.collection)
    if not benchmark.queries.are_members or len(benchmark.queries) != size:
        return False
    if benchmark.classification is None or benchmark.assessment.levels != (1,) or not benchmark.runs:
        return False
    matrices = [run.ranking for run in benchmark.runs if isinstance(run.ranking, DistanceMatrix)]
    return len(matrices) == len(benchmark.runs) and all(matrix.values.shape == (size, size) for matrix in matrices)


def _all_classes_have_size(benchmark: Benchmark, size: int) -> bool:
    """Whether every model has a class and all classes have `size` models."""
    classification = benchmark.classification
    if classification is None or np.any(classification.labels < 0):
        return False
    return bool(np.all(classification.sizes[classification.leaves] == size))


def never_cancelled() -> bool:
    """Default `cancelled` callback: never cancelled."""
    return False


def make_checkpoint(cancelled: Callable[[], bool]) -> Callable[[], None]:
    """A function that raises `Cancelled` once `cancelled` returns True."""

    def check() -> None:
        if cancelled():
            raise Cancelled

    return check


#: (runs done, number of runs, current step).
Progress = Callable[[int, int, str], None]


def evaluate(
    benchmark: Benchmark,
    profile: Profile,
    *,
    runs: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    extra_measures: Sequence[str] = (),
    ties: TieOrder = "profile",
    previous: Scores | None = None,
    jobs: int = 1,
    map_blocks: MapBlocks | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> Scores:
    """Scores of the runs of a benchmark under the conventions of a profile.

    Parameters
    ----------
    benchmark : with an assessment.
    profile : conventions.
    runs : names, in this order; None for all, in the order of the benchmark.
    measures : keys, in this order; None for the table of the profile, without keys of a relevance level that does not
        occur.
    extra_measures : keys added to `measures` unless they are among them, such as those of other packages.
    ties : order of models at the same distance: that of the profile, the best (``"optimistic"``) or the worst
        (``"pessimistic"``) one for the run; see `evaluate_ties` for all three.
    previous : scores of the same benchmark under another profile. Hits of runs that both profiles rank in the same way
        are reused: only the measures are then computed again.
    jobs : number of threads that rank runs, and blocks of large matrices; one if all runs are shorter than
        `MIN_THREADED`. The result does not depend on it.
    map_blocks : ranks the blocks elsewhere, see `ClusterRanking`; None: in threads.
    cancelled : called between blocks of work.
    progress : called with (runs done, number of runs, current step).

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecViewerError
        If there is no assessment, or no run of a given name.
    UnknownKeyError
        If a measure is unknown.
    """
    work = _Evaluation(benchmark, profile, runs, measures, make_checkpoint(cancelled), extra_measures, jobs, map_blocks)
    return work.scores((ties,), previous, progress)[0]


def evaluate_ties(
    benchmark: Benchmark,
    profile: Profile,
    *,
    runs: Sequence[str] | None = None,
    measures: Sequence[str] | None = None,
    extra_measures: Sequence[str] = (),
    jobs: int = 1,
    map_blocks: MapBlocks | None = None,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> TieRange:
    """Range of the scores over the orders of models at the same distance; ranks every run once.

    Parameters and errors are those of `evaluate`.
    """
    work = _Evaluation(benchmark, profile, runs, measures, make_checkpoint(cancelled), extra_measures, jobs, map_blocks)
    return TieRange(*work.scores(("profile", "optimistic", "pessimistic"), None, progress))


def tie_range(
    scores: Scores, *, cancelled: Callable[[], bool] = never_cancelled, progress: Progress | None = None
) -> TieRange:
    """Range of given scores over the orders of models at the same distance; ranks only runs with ties.

    Equals `evaluate_ties` for the benchmark, profile, runs and measures of the scores.
    """
    tied = [run for run, anomalies in enumerate(scores.anomalies) if anomalies.tied.any()]
    measures = [measure.key for measure in scores.measures]
    if scores.ties != "profile":
        return evaluate_ties(
            scores.benchmark,
            scores.profile,
            runs=scores.runs,
            measures=measures,
            cancelled=cancelled,
            progress=progress,
        )
    names = [scores.runs[run] for run in tied]
    # Without ties all three orders are the same, so that most benchmarks need no second ranking.
    work = _Evaluation(scores.benchmark, scores.profile, names, measures, make_checkpoint(cancelled))
    best, worst = work.scores(("optimistic", "pessimistic"), None, progress)
    return TieRange(scores, scores.with_runs(tied, best), scores.with_runs(tied, worst))


class _Evaluation:
    """An evaluation: the relevant models, measures and tie order that all runs share."""

    def __init__(
        self,
        benchmark: Benchmark,
        profile: Profile,
        runs: Sequence[str] | None,
        measures: Sequence[str] | None,
        checkpoint: Callable[[], None],
        extra_measures: Sequence[str] = (),
        jobs: int = 1,
        map_blocks: MapBlocks | None = None,
    ) -> None:
        self._benchmark = benchmark
        self._profile = profile
        self._checkpoint = checkpoint
        self._map_blocks = map_blocks
        self._truth = truth_of(benchmark)
        self._runs = tuple(benchmark.runs) if runs is None else tuple(find_run(benchmark, name) for name in runs)
        is_divided = len(self._runs) > 1 or any(map(self._is_large, self._runs))
        self._jobs = jobs if is_divided and any(_n_ranked(run) >= MIN_THREADED for run in self._runs) else 1
        # The level before the threshold of the profile: a measure of level 2 is defined although marginal models do not
        # count.
        selected = _selected_measures(profile, measures, self._truth.highest_level)
        self._measures = tuple(dict.fromkeys((*selected, *map(find_measure, extra_measures))))
        # Once for all runs; the ranking functions would do it again for each.
        uses_judged = any(measure.measure.uses_judged for measure in self._measures)
        self._uses_classes = any(measure.measure.uses_classes for measure in self._measures)
        truth = with_judged(self._truth, benchmark.assessment) if uses_judged else self._truth
        self._relevant = truth.of_difficulty(profile.difficulty).at_least(profile.relevant_from)
        self._ties = tie_ranks(benchmark, profile)

    def scores(
        self, orders: tuple[TieOrder, ...], previous: Scores | None, progress: Progress | None
    ) -> tuple[Scores, ...]:
        """Scores for each order of ties; every run is ranked once."""
        tables: list[list[HitTable]] = [[] for _ in orders]
        anomalies: list[ListAnomalies] = []
        # One array for all runs: 20 runs of 5,000 queries would otherwise be copied when they are joined.
        values = np.empty((len(orders), len(self._runs), len(self._truth), len(self._measures)))
        with thread_map(self._jobs) as map_in_threads:
            # Runs of one block in a thread each; the blocks of a large matrix in all threads.
            in_one_thread = partial(self._run_scores, orders=orders, previous=previous, map_blocks=map)
            small = iter(map_in_threads(in_one_thread, [run for run in self._runs if not self._is_large(run)]))
            map_blocks = self._map_blocks or map_in_threads
            for done, run in enumerate(self._runs):
                if progress is not None:
                    progress(done, len(self._runs), "run")
                is_large = self._is_large(run)
                found = self._run_scores(run, orders, previous, map_blocks) if is_large else next(small)
                anomalies.append(found[1])
                for index, (hits, values_of_run) in enumerate(zip(found[0], found[2], strict=True)):
                    values[index, done] = values_of_run
                    tables[index].append(hits)
        if progress is not None:
            progress(len(self._runs), len(self._runs), "run")
        return tuple(
            Scores(
                benchmark=self._benchmark,
                profile=self._profile,
                ties=order,
                measures=self._measures,
                runs=tuple(run.name for run in self._runs),
                participants=tuple(run.participant for run in self._runs),
                queries=tuple(self._benchmark.queries.ids),
                query_labels=classes_for_means(self._benchmark, self._profile),
                raw_values=values[index],
                hits=tuple(tables[index]),
                anomalies=tuple(anomalies),
                excluded=excluded_queries(self._benchmark, self._profile, self._truth),
            )
            for index, order in enumerate(orders)
        )

    def _is_large(self, run: Run) -> bool:
        """Whether the blocks of a run are ranked in parallel, or by a cluster."""
        if not isinstance(run.ranking, DistanceMatrix):
            return False
        return self._map_blocks is not None or prod(run.ranking.values.shape) > BLOCK_VALUES

    def _run_scores(
        self, run: Run, orders: tuple[TieOrder, ...], previous: Scores | None, map_blocks: MapBlocks
    ) -> tuple[list[HitTable], ListAnomalies, list[NDArray[np.float64]]]:
        """The hits of a run for each order of ties, the anomalies of its lists, and its values (Q, measures)."""
        tables, anomalies = self._hits(run, orders, previous, map_blocks)
        if self._uses_classes:
            # Those of the order of the profile also for other orders of ties, which are those of the relevant models.
            classes = first_classes(self._benchmark, run, self._profile)
            tables = [replace(hits, classes=classes) for hits in tables]
        values = [evaluate_measures(hits, self._measures, self._profile, self._checkpoint) for hits in tables]
        # Copies, without the arrays that measures cached in the tables.
        return [replace(hits) for hits in tables], anomalies, values

    def _hits(
        self, run: Run, orders: tuple[TieOrder, ...], previous: Scores | None, map_blocks: MapBlocks
    ) -> tuple[list[HitTable], ListAnomalies]:
        """The hits of a run for each order of ties, and the anomalies of its lists."""
        if previous is not None and orders == (previous.ties,):
            index = previous.index_of_ranking(self._benchmark, run, self._profile)
            # Hits that were ranked before a measure asked for the judged models lack them.
            if index is not None and (previous.hits[index].judged is not None or self._relevant.judged_cells is None):
                return [previous.hits[index]], previous.anomalies[index]
        ranked = ranked_hits(run, self._relevant, self._profile, self._ties, self._checkpoint, map_blocks)
        return [ranked.in_order(order) for order in orders], ranked.anomalies


def _n_ranked(run: Run) -> int:
    """Number of distances or listed models of a run."""
    ranking = run.ranking
    return prod(ranking.values.shape) if isinstance(ranking, DistanceMatrix) else int(ranking.indptr[-1])


def ranked_hits(
    run: Run,
    truth: Truth,
    profile: Profile,
    ties: TieRanks,
    checkpoint: Callable[[], None],
    map_blocks: MapBlocks = map,
) -> RankedHits:
    """Rank the relevant models of one run; `map_blocks` as in `hits_from_matrix`."""
    ranking = run.ranking
    if len(ranking) != len(truth):
        raise ShrecViewerError(f"run '{run.name}' has {len(ranking)} queries, but the benchmark has {len(truth)}")
    if not isinstance(ranking, DistanceMatrix):
        return hits_from_lists(truth, ranking_lists(ranking, ties), profile, checkpoint=checkpoint)
    tie_order, unknown_tie_order = column_tie_orders(ranking, ties)
    return hits_from_matrix(
        truth,
        ranking.values,
        ranking.rows,
        ranking.columns,
        profile,
        similarity=ranking.similarity,
        tie_order=tie_order,
        unknown_tie_order=unknown_tie_order,
        checkpoint=checkpoint,
        map_blocks=map_blocks,
    )


def excluded_queries(benchmark: Benchmark, profile: Profile, truth: Truth) -> NDArray[np.bool_]:
    """(Q,) bool, queries that the profile excludes from every mean: those of small classes or `excluded_classes`."""
    # Class sizes with the query, as psbTable counts them: `min_class_size` 3 leaves two others to find.
    excluded = truth.class_sizes(truth.own(drop=False)).sum(axis=1) < profile.min_class_size
    return excluded | _of_excluded_class(benchmark, profile)


def _of_excluded_class(benchmark: Benchmark, profile: Profile) -> NDArray[np.bool_]:
    """(Q,) bool, queries of the classes that the profile excludes by name."""
    if benchmark.classification is None:
        return np.zeros(len(benchmark.queries), np.bool_)
    names = benchmark.classification.names
    excluded_labels = [label for label, name in enumerate(names) if name in profile.excluded_classes]
    return np.isin(benchmark.queries.labels, excluded_labels)


def excluded_classes_text(benchmark: Benchmark, profile: Profile, excluded: NDArray[np.bool_]) -> str:
    """Classes of the excluded queries: ``"classes of fewer than 3 models and of the class '-1'"``.

    Only what the benchmark has; "" if no query is excluded.

    Parameters
    ----------
    excluded : (Q,) bool, result of `excluded_queries`, or some of these queries.
    """
    parts = []
    by_name = excluded & _of_excluded_class(benchmark, profile)
    if np.any(excluded & ~by_name):
        parts.append(f"classes of fewer than {profile.min_class_size} models")
    if benchmark.classification is not None and np.any(by_name):
        names = [f"'{benchmark.classification.names[label]}'" for label in np.unique(benchmark.queries.labels[by_name])]
        parts.append(f"the class{'es' if len(names) > 1 else ''} {', '.join(names)}")
    return " and of ".join(parts)


def exclusion_findings(benchmark: Benchmark, profile: Profile, excluded: NDArray[np.bool_]) -> tuple[Finding, ...]:
    """A finding about the queries that the profile excludes from every mean; none if it excludes none.

    Parameters
    ----------
    excluded : (Q,) bool, result of `excluded_queries`.
    """
    names = [benchmark.queries.ids[query] for query in np.flatnonzero(excluded).tolist()]
    if not names:
        return ()
    classes = excluded_classes_text(benchmark, profile, excluded)
    message = f"{count_of(len(names), 'query', 'queries')} of {classes}: {join_some(names)}"
    return (Finding(Severity.INFO, ".", None, message, f"excluded from the means by {profile.title}"),)


def classes_for_means(benchmark: Benchmark, profile: Profile) -> NDArray[np.int32]:
    """(Q,) int32, class of each query for macro averages, -1 for none."""
    labels = benchmark.queries.labels
    if profile.classes == "own" or benchmark.classification is None or not len(benchmark.classification.names):
        return labels
    # ShapeNet averages over synsets, the top level of its classification, not over subsynsets.
    return np.where(labels >= 0, benchmark.classification.tops[labels], labels).astype(np.int32)


def _selected_measures(profile: Profile, keys: Sequence[str] | None, highest_level: int) -> tuple[ResolvedMeasure, ...]:
    if keys is not None:
        return tuple(find_measure(key) for key in keys)
    table = (find_measure(key) for key in profile.measures)
    return tuple(measure for measure in table if measure.level <= highest_level)


def find_run(benchmark: Benchmark, name: str) -> Run:
    """The run of that name; ShrecViewerError if there is none."""
    try:
        return benchmark.run(name)
    except KeyError:
        known = ", ".join(run.name for run in benchmark.runs) or "none"
        raise ShrecViewerError(f"there is no run '{name}'; there are: {known}") from None
