"""Recall, generality and class size of runs without complete ground truth: bounds, and estimates from a sample."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Assessment, Benchmark, Run
from shrec_viewer.evaluation.choices import JUDGED_SCOPE, SAMPLE_SIZE
from shrec_viewer.evaluation.evaluate import (
    Progress,
    excluded_queries,
    find_run,
    make_checkpoint,
    never_cancelled,
    ranked_hits,
)
from shrec_viewer.evaluation.ranked_list import ListHeads, junk_cells, tie_ranks, truth_of
from shrec_viewer.evaluation.score_tables import NumberOrNone, ScoreRows, finite_or_none
from shrec_viewer.metrics import HitTable, Profile
from shrec_viewer.metrics.generality.practical import Bounds, Estimate, ValueRange, bounds, estimate, sample
from shrec_viewer.metrics.ranking.truth import Truth
from shrec_viewer.metrics.statistics.bootstrap import SEED
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
PRACTICAL_SCHEMA = "shrec-viewer/practical/1"

#: Number of pairs up to which all are shuffled (0.2 s); of more, pairs are drawn until enough are distinct.
MAX_PERMUTED = 1 << 20

#: Pairs drawn at a time above `MAX_PERMUTED`; fixed, so that a larger sample begins with the smaller one.
DRAWN_AT_ONCE = 1 << 16


@dataclass(frozen=True)
class PartlyKnownValue:
    """A value that depends on models that were not judged; NaN for what is undefined.

    Attributes
    ----------
    bounds : lowest and highest value that the judgements of the scope allow.
    estimate : from the random sample.
    interval : confidence interval of the estimate.
    actual : value from the complete assessment; NaN if it is incomplete.
    """

    bounds: ValueRange
    estimate: float
    interval: ValueRange
    actual: float


@dataclass(frozen=True)
class PracticalRun:
    """One run, over all pairs of a query and a model, or those of one query.

    Attributes
    ----------
    name, participant : of the run.
    query : id of the query; "" for all queries.
    queries : number of queries that count.
    judged : number of ranks judged: the sum of the scopes of its lists.
    found : number of relevant models at these ranks.
    pairs : number of pairs of a query and a model that could be retrieved.
    sampled, sampled_relevant : number of random pairs outside the scopes, and of the relevant ones among them.
    precision : share of relevant models within the scopes, ``found / judged``; known.
    recall : share of the relevant pairs that is within the scopes.
    generality : share of relevant pairs.
    class_size : mean number of relevant models per query.
    """

    name: str
    participant: str
    queries: int
    judged: int
    found: int
    pairs: int
    sampled: int
    sampled_relevant: int
    precision: float
    recall: PartlyKnownValue
    generality: PartlyKnownValue
    class_size: PartlyKnownValue
    query: str = ""

    @property
    def ranks_per_relevant(self) -> float:
        """Mean number of judged ranks for one relevant model, ``judged / found``; NaN where none was found."""
        return _ratio(self.judged, self.found)


@dataclass(frozen=True)
class PracticalResult:
    """Bounds and estimates of runs.

    Attributes
    ----------
    profile : conventions.
    scope : largest number of ranks of each list that counts as judged.
    sample_size : number of random pairs requested, at most all.
    sampled : number of random pairs used: all up to the first one that was not judged.
    seed : of the random order of the pairs.
    confidence : of the intervals.
    is_complete : whether the relevance of all models is known.
    runs : in the order requested; with all queries of each, by query.
    """

    profile: Profile
    scope: int
    sample_size: int
    sampled: int
    seed: int
    confidence: float
    is_complete: bool
    runs: tuple[PracticalRun, ...]


def practical_order(found: PracticalResult) -> list[int]:
    """Indices of the runs, best recall first: by its estimate, or by its lower bound; undefined ones last."""
    keys = [run.recall.bounds.low if np.isnan(run.recall.estimate) else run.recall.estimate for run in found.runs]
    return sorted(range(len(keys)), key=lambda row: 1.0 if np.isnan(keys[row]) else -keys[row])


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pairs of a query and a model: indices, (n,) int64 each."""

    query: NDArray[np.int64]
    model: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.query)

    def chosen(self, which: NDArray[np.bool_] | slice) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.query[which], self.model[which])


def practical(
    benchmark: Benchmark,
    profile: Profile,
    *,
    runs: Sequence[str] | None = None,
    scope: int = JUDGED_SCOPE,
    sample_size: int = SAMPLE_SIZE,
    confidence: float = 0.95,
    seed: int = SEED,
    by_query: bool = False,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Progress | None = None,
) -> PracticalResult:
    """Bounds and estimates of the runs of a benchmark whose models were judged in part.

    Bounds use the judgements of the first ranks of each list only. Estimates add those of a uniform random sample of
    all pairs of a query and a model. The pairs within the scopes of a run are one stratum, judged completely; the
    sampled pairs outside are a uniform random sample of the other stratum, the same sample for all runs. Sums over
    queries are estimated, not means of ratios: then the intervals are exact for any number of queries.

    Parameters
    ----------
    benchmark : with an assessment. If its qrels have pairs with level 0, only the pairs in the file were judged;
        otherwise the assessment is complete and other pairs are not relevant.
    profile : conventions. Ids that are not in the collection are removed, also where the profile keeps them.
    runs : names, in this order; None for all.
    scope : the scope of a list are its first ranks, at most so many, up to the first model that was not judged.
    sample_size : the sample are the first pairs of the random order (see `random_pairs`), at most so many, up to the
        first pair that was not judged.
    confidence : of the intervals, which are exact and conservative.
    seed : of the random order.
    by_query : for each query that counts instead of over all of them.
    cancelled, progress : as in `evaluate`.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecViewerError
        If there is no assessment, or no run of a given name.

    Source: Sebe, Huijsmans, Tian, Gevers, section 5.
    """
    work = _PracticalEvaluation(benchmark, profile, sample_size, seed, make_checkpoint(cancelled))
    selected = tuple(benchmark.runs) if runs is None else tuple(find_run(benchmark, name) for name in runs)
    found = []
    for done, run in enumerate(selected):
        if progress is not None:
            progress(done, len(selected), "run")
        found += work.of_run(run, scope, confidence, by_query=by_query)
    return PracticalResult(
        profile, scope, work.n_drawn, len(work.sampled), seed, confidence, work.is_complete, tuple(found)
    )


NO_CELLS = np.zeros(0, np.int64)


def random_pairs(
    own: NDArray[np.int64], n_models: int, count: int, seed: int = SEED, junk: NDArray[np.int64] = NO_CELLS
) -> Pairs:
    """The first pairs of a uniform random order of all pairs of a query and a model, without repetition.

    A larger sample with the same seed begins with the smaller one, so that earlier judgements can be reused.

    Parameters
    ----------
    own : (Q,) int64, model that is not paired with each query: the query itself, or -1 for none.
    n_models : N, size of the collection.
    count : number of pairs; all if there are fewer.
    junk : (j,) int64, ``query * N + model`` of other pairs that are left out.
    """
    total = len(own) * n_models
    of_own = np.flatnonzero(own >= 0)
    left_out = np.union1d(of_own * n_models + own[of_own], junk)
    count = min(count, total - len(left_out))
    if total <= MAX_PERMUTED:
        cells = _without(sample(np.arange(total), total, seed), left_out)
        return Pairs(*np.divmod(cells[:count], max(n_models, 1)))
    random, cells = np.random.default_rng(seed), np.zeros(0, np.int64)
    while len(cells) < count:
        cells = np.concatenate([cells, _without(random.integers(total, size=DRAWN_AT_ONCE), left_out)])
        cells = cells[np.sort(np.unique(cells, return_index=True)[1])]
    return Pairs(*np.divmod(cells[:count], n_models))


def _without(cells: NDArray[np.int64], left_out: NDArray[np.int64]) -> NDArray[np.int64]:
    return cells[~np.isin(cells, left_out)]


class _PracticalEvaluation:
    """The judgements and the sample that all runs share."""

    def __init__(
        self, benchmark: Benchmark, profile: Profile, sample_size: int, seed: int, checkpoint: Callable[[], None]
    ) -> None:
        self._truth = truth_of(benchmark).of_difficulty(profile.difficulty)
        assert benchmark.assessment is not None
        self._assessment = benchmark.assessment
        # Unknown ids have ranks, but are not in the collection, of which the scope must be a part.
        self._profile = replace(profile, unknown="drop")
        self._checkpoint, self._ids = checkpoint, benchmark.queries.ids
        self._ties = tie_ranks(benchmark, self._profile)
        self._excluded = excluded_queries(benchmark, profile, self._truth)
        self._common = benchmark.common_queries
        self._own = self._truth.own(profile.self_match == "drop")
        self.is_complete = is_complete(self._assessment)
        junk = self._truth.with_junk(profile.junk == "removed").junk
        drawn = random_pairs(self._own, self._truth.n_models, sample_size, seed, junk)
        self.n_drawn = len(drawn)
        judged, relevant = _judgements(self._assessment, drawn, profile.relevant_from)
        used = len(drawn) if np.all(judged) else int(np.argmin(judged))
        self.sampled = drawn.chosen(slice(used))
        self._sampled_relevant = relevant[:used]
        levels = np.where(self._sampled_relevant, 2, 1).astype(np.uint8)
        self._sample_truth = self._as_truth(self.sampled, levels, 2)
        self._judged_truth = None if self.is_complete else self._as_truth(_judged_pairs(self._assessment))

    def of_run(self, run: Run, scope: int, confidence: float, *, by_query: bool = False) -> list[PracticalRun]:
        """Bounds and estimates of one run, or of each of its queries."""
        hits = self._hits(run, self._truth, self._profile)
        scopes = np.minimum(scope, hits.list_length)
        if self._judged_truth is not None:
            judged = self._hits(run, self._judged_truth).at_least(1)
            # The n-th judged model is at rank n exactly as long as all models before it were judged.
            n_first = np.bincount(judged.query[judged.ranks == judged.number], minlength=len(scopes))
            scopes = np.minimum(scopes, n_first)
        counts = ~self._excluded
        if self._profile.missing_query == "skip":
            counts &= ~hits.missing
        if self._profile.missing_query == "common":
            counts &= self._common
        sampled = self._hits(run, self._sample_truth)
        if not by_query:
            return [self._of_queries(run, hits, scopes, sampled, counts, confidence)]
        ids, numbers = self._ids, np.arange(len(counts))
        return [
            self._of_queries(run, hits, scopes, sampled, numbers == query, confidence, ids[query])
            for query in np.flatnonzero(counts).tolist()
        ]

    def _of_queries(
        self,
        run: Run,
        hits: HitTable,
        scopes: NDArray[np.int64],
        sampled: HitTable,
        counts: NDArray[np.bool_],
        confidence: float,
        query: str = "",
    ) -> PracticalRun:
        """Bounds and estimates over the queries that count (Q,)."""
        relevant = hits.at_least(1)
        found = int((counts[relevant.query] & (relevant.ranks <= scopes[relevant.query])).sum())
        in_scope = counts[sampled.query] & (sampled.ranks <= scopes[sampled.query])
        in_sample = counts[self.sampled.query]
        n_sampled = int(in_sample.sum() - in_scope.sum())
        n_relevant = int((in_sample & self._sampled_relevant).sum() - (in_scope & (sampled.levels == 2)).sum())
        queries, n_judged, pairs = int(counts.sum()), int(scopes[counts].sum()), int(hits.collection_size[counts].sum())
        known = bounds(found, n_judged, pairs)
        guess = estimate(found, n_judged, pairs, judged=n_sampled, relevant=n_relevant, confidence=confidence)
        actual = int(hits.relevant_size(1)[counts].sum()) if self.is_complete else float("nan")
        return PracticalRun(
            name=run.name,
            participant=run.participant,
            queries=queries,
            judged=n_judged,
            found=found,
            pairs=pairs,
            sampled=n_sampled,
            sampled_relevant=n_relevant,
            precision=known.precision,
            query=query,
            **_partly_known_values(known, guess, found, pairs, queries, actual),
        )

    def _hits(self, run: Run, truth: Truth, profile: Profile | None = None) -> HitTable:
        """Ranks of the models of `truth`; without a profile, of all its levels."""
        profile = profile or replace(self._profile, relevant_from=1)
        truth = truth.at_least(profile.relevant_from)
        return ranked_hits(run, truth, profile, self._ties, self._checkpoint).hits

    def _as_truth(self, pairs: Pairs, levels: NDArray[np.uint8] | None = None, highest: int = 1) -> Truth:
        """The pairs in the form of relevant models, so that `ranked_hits` finds their ranks."""
        if levels is None:
            levels = np.ones(len(pairs), np.uint8)
        order = np.lexsort((pairs.model, pairs.query))
        return Truth(
            group=np.arange(len(self._truth), dtype=np.int64),
            indptr=np.searchsorted(pairs.query[order], np.arange(len(self._truth) + 1)).astype(np.int64),
            items=pairs.model[order].astype(np.int32),
            levels=levels[order],
            members=self._truth.members,
            n_models=self._truth.n_models,
            highest_level=highest,
            junk=self._truth.junk,
        )


def _partly_known_values(
    known: Bounds, guess: Estimate, found: int, pairs: int, queries: int, actual: float
) -> dict[str, PartlyKnownValue]:
    """Recall, generality and class size; `actual` is the number of relevant pairs, NaN if it is unknown."""

    def per_query(values: ValueRange) -> ValueRange:
        return ValueRange(_ratio(values.low, queries), _ratio(values.high, queries))

    return {
        "recall": PartlyKnownValue(known.recall, guess.recall, guess.recall_range, _ratio(found, actual)),
        "generality": PartlyKnownValue(
            known.generality, guess.generality, guess.generality_range, _ratio(actual, pairs)
        ),
        "class_size": PartlyKnownValue(
            per_query(known.class_size),
            _ratio(guess.class_size, queries),
            per_query(guess.class_size_range),
            _ratio(actual, queries),
        ),
    }


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else float("nan")


def is_complete(assessment: Assessment) -> bool:
    """Whether the relevance of all models is known for all queries."""
    return all(assessment.judged(query) is None for query in range(len(assessment)))


def _judgements(
    assessment: Assessment, pairs: Pairs, relevant_from: int
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """(n,) bool each: whether a pair was judged, and whether it is relevant."""
    judged, relevant = np.ones(len(pairs), np.bool_), np.zeros(len(pairs), np.bool_)
    for query in np.unique(pairs.query).tolist():
        rows = np.flatnonzero(pairs.query == query)
        items, levels = assessment.relevant(query)
        relevant[rows] = np.isin(pairs.model[rows], items[levels >= relevant_from])
        known = assessment.judged(query)
        if known is not None:
            judged[rows] = np.isin(pairs.model[rows], known)
    return judged, relevant


def _judged_pairs(assessment: Assessment) -> Pairs:
    models = [assessment.judged(query) for query in range(len(assessment))]
    rows = [np.zeros(0, np.int32) if row is None else row for row in models]
    query = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    return Pairs(query.astype(np.int64), np.concatenate([np.zeros(0, np.int32), *rows]).astype(np.int64))


# ------------------------------------------------------------------ pairs to judge


def pairs_to_judge(
    benchmark: Benchmark,
    profile: Profile,
    *,
    runs: Sequence[str] | None = None,
    scope: int = JUDGED_SCOPE,
    sample_size: int = SAMPLE_SIZE,
    seed: int = SEED,
) -> str:
    """The pairs whose judgement `practical` needs and that were not judged, as lines of qrels with ``?`` for the level.

    First the models within the scope of the runs, by query, then the random sample in its order, of which any number of
    first pairs may be judged. Works without an assessment.
    """
    selected = tuple(benchmark.runs) if runs is None else tuple(find_run(benchmark, name) for name in runs)
    own = benchmark.queries.member.astype(np.int64)
    if profile.self_match != "drop":
        own = np.full(len(benchmark.queries), -1)
    shown = replace(profile, unknown="drop")
    in_scopes = list(_pairs_in_scopes(benchmark, selected, shown, scope))
    junk = junk_cells(benchmark.assessment if profile.junk == "removed" else None, len(benchmark.collection))
    drawn = random_pairs(own, len(benchmark.collection), sample_size, seed, junk)
    sampled = zip(drawn.query.tolist(), drawn.model.tolist(), strict=True)
    written: set[tuple[int, int]] = set()
    sections = (
        (f"the first {scope} ranks of {', '.join(run.name for run in selected) or 'no run'}", in_scopes),
        ("a random sample in random order: judge any number of them, from the first", sampled),
    )
    lines = ["# replace each ? by the relevance level, 0 for not relevant, and add the lines to the assessment"]
    for title, pairs in sections:
        lines.append(f"# {title}")
        for query, model in pairs:
            if (query, model) not in written and not _is_judged(benchmark.assessment, query, model):
                lines.append(f"{benchmark.queries.ids[query]} 0 {benchmark.collection.ids[model]} ?")
            written.add((query, model))
    return "\n".join(lines) + "\n"


def _pairs_in_scopes(
    benchmark: Benchmark, runs: Sequence[Run], profile: Profile, scope: int
) -> Iterator[tuple[int, int]]:
    heads = [ListHeads(benchmark, run, profile) for run in runs]
    for query in range(len(benchmark.queries)):
        for of_run in heads:
            for model in of_run.head(query, scope).items.tolist():
                yield query, model


def _is_judged(assessment: Assessment | None, query: int, model: int) -> bool:
    if assessment is None:
        return False
    known = assessment.judged(query)
    return known is None or model in known


# ------------------------------------------------------------------ documents and tables

#: Attributes of `PracticalRun` that are partly known.
VALUE_KEYS = ("recall", "generality", "class_size")


def practical_document(found: PracticalResult, benchmark: Benchmark) -> dict[str, Any]:
    """Document of ``practical --format json``: plain dicts, lists, strings and numbers, None for NaN.

    ``complete`` states whether all models were judged; only then the values have ``actual``.
    """
    return {
        "schema": PRACTICAL_SCHEMA,
        "version": __version__,
        "benchmark": benchmark.name,
        "profile": found.profile.key,
        **({"conventions": dict(found.profile.changes)} if found.profile.changes else {}),
        "scope": found.scope,
        "sample": {"requested": found.sample_size, "used": found.sampled, "seed": found.seed},
        "confidence": found.confidence,
        "complete": found.is_complete,
        "runs": [
            {
                "name": run.name,
                "participant": run.participant,
                "queries": run.queries,
                "judged": run.judged,
                "found": run.found,
                "pairs": run.pairs,
                "sampled": run.sampled,
                "sampled_relevant": run.sampled_relevant,
                "precision": finite_or_none(run.precision),
                "ranks_per_relevant": finite_or_none(run.ranks_per_relevant),
                **{key: _value_record(getattr(run, key), found.is_complete) for key in VALUE_KEYS},
            }
            for run in found.runs
        ],
    }


def _value_record(value: PartlyKnownValue, is_complete: bool) -> dict[str, Any]:
    record: dict[str, Any] = {
        "bounds": [finite_or_none(end) for end in (value.bounds.low, value.bounds.high)],
        "estimate": finite_or_none(value.estimate),
        "interval": [finite_or_none(end) for end in (value.interval.low, value.interval.high)],
    }
    return {**record, "actual": finite_or_none(value.actual)} if is_complete else record


def practical_rows(found: PracticalResult) -> ScoreRows:
    """One row per run, or per query of each run, with the same columns for every benchmark.

    ``recall_least`` and ``recall_most`` are the bounds, ``recall_low`` and ``recall_high`` the confidence interval.
    """
    header = ["run", "participant", "profile", "queries", "judged", "found", "pairs", "sampled", "sampled_relevant"]
    header += ["precision", "ranks_per_relevant"]
    is_by_query = any(run.query for run in found.runs)
    if is_by_query:
        header.insert(2, "query")
    for key in VALUE_KEYS:
        header += [f"{key}_{part}" for part in ("least", "most", "estimate", "low", "high", "actual")]
    rows: list[tuple[str | NumberOrNone, ...]] = []
    for run in found.runs:
        counts = (run.queries, run.judged, run.found, run.pairs, run.sampled, run.sampled_relevant)
        names = (run.name, run.participant, *([run.query] if is_by_query else []))
        values = [run.precision, run.ranks_per_relevant]
        for key in VALUE_KEYS:
            value: PartlyKnownValue = getattr(run, key)
            values += [value.bounds.low, value.bounds.high, value.estimate, value.interval.low, value.interval.high]
            values.append(value.actual)
        rows.append((*names, found.profile.key, *counts, *map(finite_or_none, values)))
    return ScoreRows(tuple(header), tuple(rows))
