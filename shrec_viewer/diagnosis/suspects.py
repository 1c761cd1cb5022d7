"""Doubtful entries of an assessment: pairs of query and model, or labels of models, with their evidence and effect."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import (
    Benchmark,
    ClassAssessment,
    Classification,
    EditedAssessment,
    Run,
    ShrecViewerError,
)
from shrec_viewer.evaluation.comparison.leaderboards import ranks_of
from shrec_viewer.evaluation.edits import AssessmentEdit, original_assessment, with_edits
from shrec_viewer.evaluation.evaluate import evaluate, find_run, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.parallel.local import thread_map
from shrec_viewer.evaluation.query_subset import means_with
from shrec_viewer.evaluation.ranked_list import ranked_items
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile, find_measure
from shrec_viewer.metrics.statistics.rank_correlation import rank_biased_overlap
from shrec_viewer.number_format import format_percent
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
SUSPECTS_SCHEMA = "shrec-viewer/suspects/1"

#: What is doubtful: the level of a model for a query, or the label of a model for all queries.
SuspectUnit = Literal["pair", "model"]

#: Suspects that are listed: what one person assesses in half an hour.
DEFAULT_LIMIT = 40

#: Ranks that count as early in the sentence of a suspect, one page of results.
EARLY_RANK = 10

#: Models with the most similar ranks whose levels are compared with that of a model.
N_NEIGHBOURS = 20

#: Models with the most similar ranks whose labels are compared; classes of contests often have 10 to 20 models.
N_LABEL_NEIGHBOURS = 10

#: Power of the similarity of ranks as weight of a neighbour: at half the similarity a sixteenth of the weight.
NEIGHBOUR_POWER = 4

#: Lists by which models are compared; of more, a regular sample is used. 200 MB for 50,000 models.
MAX_FEATURES = 1024

#: Pairs of models compared at a time: 64 MB of single precision.
BLOCK_CELLS = 1 << 24

#: Entries of lists that are kept: 80 MB. Lists of larger benchmarks are ranked again when they are needed.
MAX_KEPT_ENTRIES = 20_000_000

#: Weight of what the runs say about a pair where all similar models have its level; 1 where none has it.
MIN_RUN_WEIGHT = 0.5

#: Mean difference of log2(rank) over all lists up to which two models are near-duplicates: ranks 100 and 115.
DUPLICATE_OCTAVES = 0.2

#: Share of the lists that must contain a model for it to be compared as a near-duplicate.
MIN_LISTED_SHARE = 0.5

#: Ranks of which lists are compared; rank-biased overlap gives the others 0.5 % of the weight.
RBO_DEPTH = 50

#: Queries over which the overlap of participants is averaged.
RBO_QUERIES = 30

#: Share of the first tier that a class takes in every participant's runs to be a constant confusion.
MIN_CONFUSED_SHARE = 0.2

#: Change of a mean that is not 0 with four digits.
SMALLEST_CHANGE = 0.00005


@dataclass(frozen=True)
class EditEffect:
    """What one edit changes in the ranking of the runs by a measure.

    Attributes
    ----------
    exchanged : pairs of names of runs that change order: the first one ranks higher after the edit.
    largest_change : largest absolute change of a mean.
    means : name of each run and its mean after the edit, higher is better; undefined ones are -inf.
    """

    exchanged: tuple[tuple[str, str], ...]
    largest_change: float
    means: tuple[tuple[str, float], ...] = ()

    @property
    def text(self) -> str:
        """The effect as part of a message."""
        means = f"means change by at most {self.largest_change:.4f}"
        if self.largest_change < SMALLEST_CHANGE:
            means = "means change by less than 0.0001" if self.largest_change else "no mean changes"
        if not self.exchanged:
            return f"the order of the runs stays; {means}"
        shown = ", ".join(f"{winner} ranks above {loser}" for winner, loser in self.exchanged[:3])
        count = len(self.exchanged) - 3
        more = f" and {count} more {'pair changes' if count == 1 else 'pairs change'}" if count > 0 else ""
        return f"{shown}{more}; {means}"


NO_EFFECT = EditEffect((), 0.0)


@dataclass(frozen=True)
class Suspect:
    """One doubtful entry of an assessment.

    Attributes
    ----------
    query : index of the query; -1 for the label of a model.
    model : index of the model.
    current, suggested : levels of a pair; labels of a model, as indices of classes.
    evidence : in [0, 1]; 1 if everything contradicts the current value.
    reason : the evidence as one sentence.
    effect : of the suggested value on the ranking of the runs.
    """

    query: int
    model: int
    current: int
    suggested: int
    evidence: float
    reason: str
    effect: EditEffect = NO_EFFECT


@dataclass(frozen=True)
class ClassConfusion:
    """Two classes that the runs of every participant confuse.

    Attributes
    ----------
    query_class, model_class : indices of classes.
    share : smallest share over participants of the first tier of queries of one class that models of the other take.
    """

    query_class: int
    model_class: int
    share: float


@dataclass(frozen=True, eq=False)
class SuspectQueue:
    """Suspects in the order of review, the strongest evidence first; of equal evidence the largest effect.

    Attributes
    ----------
    benchmark, profile : what was examined.
    measure : key of the measure that effects refer to.
    by : unit of the suspects.
    suspects : at most `limit` ones.
    confusions : classes that all participants confuse, largest share first; empty without labels of the queries.
    """

    benchmark: Benchmark
    profile: Profile
    measure: str
    by: SuspectUnit
    suspects: tuple[Suspect, ...]
    confusions: tuple[ClassConfusion, ...]


def default_unit(benchmark: Benchmark) -> SuspectUnit:
    """The label of a model where relevance comes from classes, else the pair."""
    return "model" if isinstance(original_assessment(benchmark), ClassAssessment) else "pair"


def find_suspects(
    benchmark: Benchmark,
    profile: Profile,
    *,
    by: SuspectUnit | None = None,
    limit: int = DEFAULT_LIMIT,
    measure: str | None = None,
    runs: Sequence[str] | None = None,
    jobs: int = 1,
    cancelled: Callable[[], bool] = never_cancelled,
    progress: Callable[[int, int, str], None] | None = None,
) -> SuspectQueue:
    """The most doubtful entries of the assessment of a benchmark.

    A pair is doubtful if its level differs from that of the other models of its class, or of the models with the most
    similar ranks in all runs; if it is not relevant but early in the lists of many independent participants, or
    relevant but in none of them; or if a near-duplicate has another level. A label is doubtful if the models with the
    most similar ranks have another one. Every participant has one vote, that of its best run.

    Parameters
    ----------
    benchmark : with an assessment and runs; virtual runs are ignored.
    profile : conventions.
    by : None for `default_unit`.
    limit : number of suspects.
    measure : key of the measure that effects refer to; None for the main measure of the profile.
    runs : names of the runs that give evidence; None for all.
    jobs : number of threads; the result does not depend on it.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    ShrecViewerError
        If there is no assessment or no run, or labels are to be examined and there are none.
    """
    if benchmark.assessment is None:
        raise ShrecViewerError(f"'{benchmark.name}' has no relevance assessment: there is nothing to doubt")
    chosen = benchmark.runs if runs is None else tuple(find_run(benchmark, name) for name in runs)
    submitted = replace(benchmark, runs=tuple(run for run in chosen if not run.expression))
    if not submitted.runs:
        raise ShrecViewerError(f"'{benchmark.name}' has no submitted runs, which give the evidence")
    unit = by or default_unit(benchmark)
    if unit == "model" and not isinstance(original_assessment(benchmark), ClassAssessment):
        raise ShrecViewerError(
            "relevance comes from an assessment of pairs, not from classes: examine pairs instead of models"
        )
    key = find_measure(measure or profile.headline).key
    work = _Examination(submitted, profile, make_checkpoint(cancelled), progress, jobs)
    found = work.label_suspects(limit) if unit == "model" else work.pair_suspects(limit)
    scores = evaluate(submitted, profile, measures=[key], cancelled=cancelled)
    with_effects = [_with_effect(suspect, scores, unit, make_checkpoint(cancelled)) for suspect in found]
    ordered = sorted(with_effects, key=_review_order)
    return SuspectQueue(benchmark, profile, key, unit, tuple(ordered), work.confusions())


class DoubtfulEntries(NamedTuple):
    """Pairs of query and model that are doubtful, and (N,) int64 the near-duplicate of each model, -1 for none."""

    pairs: tuple[tuple[int, int], ...]
    near_duplicates: NDArray[np.int64]


def doubtful_entries(
    benchmark: Benchmark,
    profile: Profile,
    level: int,
    least: float,
    *,
    jobs: int = 1,
    cancelled: Callable[[], bool] = never_cancelled,
) -> DoubtfulEntries:
    """Pairs of query and model that are suspects, and whose suggested level is on the other side of `level`.

    A doubtful label stands for the pairs of its model with the queries of both classes. Near-duplicates have nearly the
    same rank in all lists.

    Parameters
    ----------
    level : lowest level that counts as relevant.
    least : lowest evidence.
    """
    submitted = replace(benchmark, runs=tuple(run for run in benchmark.runs if not run.expression))
    if not submitted.runs or benchmark.assessment is None:
        return DoubtfulEntries((), np.full(len(benchmark.collection), -1, np.int64))
    work = _Examination(submitted, profile, make_checkpoint(cancelled), None, jobs)
    return DoubtfulEntries(tuple(_doubtful_pairs(work, benchmark, level, math.nextafter(least, 0.0))), work.duplicates)


def near_duplicates(
    benchmark: Benchmark, profile: Profile, *, jobs: int = 1, cancelled: Callable[[], bool] = never_cancelled
) -> NDArray[np.int64]:
    """(N,) the near-duplicate of each model, -1 for none: nearly the same rank in all lists of the submitted runs."""
    submitted = replace(benchmark, runs=tuple(run for run in benchmark.runs if not run.expression))
    if not submitted.runs:
        return np.full(len(benchmark.collection), -1, np.int64)
    return _Examination(submitted, profile, make_checkpoint(cancelled), None, jobs).duplicates


def _doubtful_pairs(work: "_Examination", benchmark: Benchmark, level: int, below: float) -> list[tuple[int, int]]:
    n_models, found = len(benchmark.collection), []
    if default_unit(benchmark) == "pair":
        suspects = work.pair_suspects(n_models * len(benchmark.queries), below)
        return [(one.query, one.model) for one in suspects if (one.current >= level) != (one.suggested >= level)]
    assert benchmark.assessment is not None
    for one in work.label_suspects(n_models):
        if one.evidence > below:
            edited, queries = relabelled(benchmark, one.model, one.suggested)
            assert edited.assessment is not None
            for query in queries[benchmark.queries.member[queries] != one.model].tolist():
                levels = (benchmark.assessment.gains(query, n_models), edited.assessment.gains(query, n_models))
                if (levels[0][one.model] >= level) != (levels[1][one.model] >= level):
                    found.append((query, one.model))
    return sorted(found)


def _review_order(suspect: Suspect) -> tuple[float, int, float, int, int]:
    # Evidence by hundredths: a larger effect goes first where the evidence is practically the same.
    effect = suspect.effect
    return (
        -round(suspect.evidence, 2),
        -len(effect.exchanged),
        -round(effect.largest_change, 6),
        suspect.query,
        suspect.model,
    )


class _Examination:
    """Ranks of all models in all runs, and the evidence derived from them."""

    def __init__(
        self,
        benchmark: Benchmark,
        profile: Profile,
        checkpoint: Callable[[], None],
        progress: Callable[[int, int, str], None] | None,
        jobs: int,
    ) -> None:
        self._benchmark, self._profile, self._checkpoint, self._progress = benchmark, profile, checkpoint, progress
        self._jobs = jobs
        self._n_models = len(benchmark.collection)
        self._lists: dict[tuple[str, int], NDArray[np.int32]] = {}
        self._n_kept = 0
        self._tiers: dict[tuple[str, int], NDArray[np.int32]] = {}  # first models of each list, for `confusions`
        self._n_tier_entries = 0
        self._normalised: dict[int, tuple[NDArray[np.int64], NDArray[np.float32]]] = {}
        self._participants = list(dict.fromkeys(run.participant or run.name for run in benchmark.runs))
        self._of_participant = np.array(
            [self._participants.index(run.participant or run.name) for run in benchmark.runs], np.int64
        )

    # Ranks.

    def _list(self, run: Run, query: int) -> NDArray[np.int32]:
        """Models of the collection in the list of a run, best first; needed three times for each query."""
        key = run.name, query
        if (kept := self._lists.get(key)) is not None:
            return kept
        items = ranked_items(self._benchmark, run, query, self._profile)
        items = items[items >= 0]
        if self._n_kept + len(items) <= MAX_KEPT_ENTRIES:
            self._n_kept += len(items)
            self._lists[key] = items
        return items

    def _keep_tier(self, run: Run, query: int, items: NDArray[np.int32]) -> None:
        """Keep the first tier of a list, if the query has a class: the list need not be ranked again for it."""
        tree, label = self._benchmark.classification, int(self._benchmark.queries.labels[query])
        if tree is not None and label >= 0 and self._n_tier_entries < MAX_KEPT_ENTRIES:
            self._tiers[run.name, query] = items[: int(tree.sizes[label])].copy()
            self._n_tier_entries += int(tree.sizes[label])

    def _ranks(self, query: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """(P, N) best rank of each model in the runs of each participant, inf if in none; (P,) who has a list."""
        ranks = np.full((len(self._participants), self._n_models), np.inf)
        present = np.zeros(len(self._participants), np.bool_)
        for run, participant in zip(self._benchmark.runs, self._of_participant.tolist(), strict=True):
            if run.present[query]:
                items = self._list(run, query)
                self._keep_tier(run, query, items)
                row = ranks[participant]
                row[items] = np.minimum(row[items], np.arange(1, len(items) + 1))
                present[participant] = True
        return ranks, present

    @cached_property
    def _features(self) -> NDArray[np.float32]:
        """(N, F) -log2 of the ranks of each model in a sample of the lists of all runs, without the mean of each list.

        A model that is a query also has the ranks of the others in its own list: similar models are ranked alike, and
        rank others alike.
        """
        n_runs, n_queries = len(self._benchmark.runs), len(self._benchmark.queries)
        step = max(1, math.ceil(n_runs * n_queries / MAX_FEATURES))
        cells = [(run, query) for query in range(n_queries) for run in range(n_runs)][::step]
        columns = np.zeros((self._n_models, len(cells)), np.float32)
        self._n_listed = np.zeros(self._n_models, np.int64)
        for column, (run, query) in enumerate(cells):
            if column % 16 == 0:
                self._report(column, len(cells), "list")
            found = self._benchmark.runs[run]
            if found.present[query]:
                items = self._list(found, query)
                ranks = np.full(self._n_models, float(max(self._n_models, 1)))
                ranks[items] = np.arange(1, len(items) + 1)
                self._n_listed[items] += 1
                member = int(self._benchmark.queries.member[query])
                if member >= 0:
                    ranks[member] = 1.0
                columns[:, column] = -np.log2(ranks + 1.0)
        return columns

    @cached_property
    def _nearest(self) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """(N, k) the models with the most similar ranks, best first, and their weights."""
        centred = self._features - self._features.mean(axis=0)
        centred /= np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)
        count = max(min(N_NEIGHBOURS, self._n_models - 1), 0)
        nearest = np.zeros((self._n_models, count), np.int64)
        weights = np.zeros((self._n_models, count), np.float32)
        block = max(1, BLOCK_CELLS // max(self._n_models, 1))

        def compare(start: int) -> None:
            self._checkpoint()
            similarity = centred[start : start + block] @ centred.T
            rows = np.arange(len(similarity))
            similarity[rows, rows + start] = -np.inf
            np.negative(similarity, out=similarity)
            chosen = np.sort(np.argpartition(similarity, count - 1, axis=1)[:, :count], axis=1)
            found = np.take_along_axis(similarity, chosen, axis=1)
            order = np.argsort(found, axis=1, kind="stable")
            nearest[start : start + block] = np.take_along_axis(chosen, order, axis=1)
            found = -np.take_along_axis(found, order, axis=1)
            weights[start : start + block] = np.maximum(found, 0.0) ** NEIGHBOUR_POWER

        with thread_map(self._jobs) as map_in_threads:
            list(map_in_threads(compare, range(0, self._n_models if count else 0, block)))
        return nearest, weights

    def _neighbours(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """The first `count` of `_nearest`, with weights that add up to 1 or 0."""
        if count not in self._normalised:
            nearest, weights = self._nearest[0][:, :count], self._nearest[1][:, :count]
            total = weights.sum(axis=1, keepdims=True)
            shares = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
            self._normalised[count] = nearest, shares
        return self._normalised[count]

    @cached_property
    def duplicates(self) -> NDArray[np.int64]:
        """(N,) the near-duplicate of each model, -1 for none: the ranks of both are nearly the same in all lists."""
        nearest, _ = self._neighbours(1)
        partner = np.full(self._n_models, -1, np.int64)
        is_varied = self._features.std(axis=0) > 0
        if not nearest.shape[1] or not is_varied.any():
            return partner
        features = self._features[:, is_varied]
        # Models that most lists do not name, such as those without a file, have the same ranks without being similar.
        is_known = self._n_listed >= MIN_LISTED_SHARE * self._features.shape[1]
        for model, other in enumerate(nearest[:, 0].tolist()):
            if nearest[other, 0] == model and is_known[model] and is_known[other]:
                distance = float(np.abs(features[model] - features[other]).mean())
                partner[model] = other if distance <= DUPLICATE_OCTAVES else -1
        return partner

    @cached_property
    def _overlaps(self) -> NDArray[np.float64]:
        """(P, P) mean rank-biased overlap of the lists of two participants, the larger of all pairs of their runs."""
        n = len(self._participants)
        overlaps = np.zeros((n, n))
        step = max(1, len(self._benchmark.queries) // RBO_QUERIES)
        sample = range(0, len(self._benchmark.queries), step)
        heads = [
            {query: self._list(run, query)[:RBO_DEPTH] for query in sample if run.present[query]}
            for run in self._benchmark.runs
        ]
        for (one, first), (two, second) in combinations(enumerate(heads), 2):
            values = [rank_biased_overlap(first[query], second[query]) for query in first if query in second]
            mean = float(np.mean([v for v in values if v == v])) if any(v == v for v in values) else 0.0
            a, b = self._of_participant[one], self._of_participant[two]
            overlaps[a, b] = overlaps[b, a] = max(overlaps[a, b], mean)
        return overlaps

    # Pairs.

    def pair_suspects(self, limit: int, least: float = 0.0) -> list[Suspect]:
        """The strongest suspects among all pairs, with evidence above `least`."""
        found: list[Suspect] = []
        n_queries = len(self._benchmark.queries)
        _ = self.duplicates, self._overlaps  # once, before they are needed in several threads
        self._neighbours(N_NEIGHBOURS)

        def examine(query: int) -> list[Suspect]:
            self._checkpoint()
            return self._pairs_of(query, limit, least)

        with thread_map(self._jobs) as map_in_threads:
            for query, suspects in enumerate(map_in_threads(examine, range(n_queries))):
                self._report(query, n_queries, "query")
                found += suspects
                if len(found) > 4 * limit:
                    found = sorted(found, key=_by_evidence)[:limit]
                    least = found[-1].evidence
        return sorted(found, key=_by_evidence)[:limit]

    def _pairs_of(self, query: int, limit: int, least: float) -> list[Suspect]:
        """Suspects of one query with evidence above `least`."""
        assert self._benchmark.assessment is not None
        levels = self._benchmark.assessment.gains(query, self._n_models).astype(np.int64)
        values = np.unique(np.concatenate([levels, [0], self._benchmark.assessment.levels]))
        contradiction, mate_level = self._mates(levels, values)
        near, near_share, near_level = self._near(levels, values)
        ranks, present = self._ranks(query)
        weights = np.where(np.isfinite(ranks), 1.0 / np.log2(1.0 + ranks), 0.0)
        n_present = max(int(present.sum()), 1)
        early = weights.sum(axis=0) / n_present
        retrieved = np.where(levels > 0, 1.0 - weights.max(axis=0, initial=0.0), early)
        retrieved = np.where(levels > 0, retrieved, retrieved * self._independence(ranks))
        if not present.any():
            retrieved = np.zeros(self._n_models)
        by_runs = retrieved * (MIN_RUN_WEIGHT + (1.0 - MIN_RUN_WEIGHT) * (1.0 + near) / 2.0)
        # Class mates outweigh runs: where they agree with the level, runs that do not are usually wrong.
        evidence = np.where(
            contradiction > 0, contradiction + (1.0 - contradiction) * by_runs / 2, by_runs * (1 + contradiction) / 2
        )
        partner = self.duplicates
        has_twin = (partner >= 0) & (levels[partner] != levels)
        # Half, as one of two levels is wrong, and less where the class explains the difference.
        evidence = np.maximum(evidence, np.where(has_twin, 0.25 * (2.0 + contradiction), 0.0))
        own = int(self._benchmark.queries.member[query])
        if own >= 0:
            evidence[own] = 0.0
        evidence[self._benchmark.assessment.junk(query)] = 0.0
        candidates = np.flatnonzero(evidence > least)
        order = candidates[np.argsort(-evidence[candidates], kind="stable")[:limit]]
        lowest = int(values[1]) if len(values) > 1 else 1
        suspects = []
        for model in order.tolist():
            current, suggested = int(levels[model]), 0 if levels[model] > 0 else lowest
            if contradiction[model] > 0:
                suggested = int(mate_level[model])
            elif has_twin[model]:
                suggested = int(levels[partner[model]])
            elif near[model] > 0:
                suggested = int(near_level[model])
            reasons = self._pair_reasons(
                model, current, suggested, levels, ranks[:, model], present,
                contradicted=bool(contradiction[model] > 0), twin=int(partner[model]) if has_twin[model] else -1,
                near=float(near_share[model]) if near[model] > 0 and near_level[model] == suggested else 0.0,
            )  # fmt: skip
            suspects.append(Suspect(query, model, current, suggested, float(evidence[model]), "; ".join(reasons)))
        return suspects

    def _mates(
        self, levels: NDArray[np.int64], values: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """How much the other models of the class contradict each level, (N,) in [-1, 1], and the level that they have.

        0 for a model without class mates; fewer mates count less.
        """
        tree = self._benchmark.classification
        if tree is None or not len(tree.names):
            return np.zeros(self._n_models), levels
        has_class = tree.labels >= 0
        labels = np.where(has_class, tree.labels, 0)
        n_mates = np.where(has_class, tree.sizes[labels] - 1, 0).astype(np.float64)
        counts = np.array(
            [np.bincount(labels[has_class & (levels == v)], minlength=len(tree.names))[labels] for v in values], float
        )
        counts -= values[:, None] == levels  # the model itself
        difference, _, level = _contrast(counts / np.maximum(n_mates, 1.0), levels, values)
        return np.where(n_mates > 0, difference * n_mates / (n_mates + 1.0), 0.0), level

    def _near(
        self, levels: NDArray[np.int64], values: NDArray[np.int64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
        """The same for the models with the most similar ranks, and the share of them with that level."""
        nearest, weights = self._neighbours(N_NEIGHBOURS)
        found = levels.astype(np.uint8)[nearest]
        shares = np.array([((found == value) * weights).sum(axis=1) for value in values], np.float64)
        return _contrast(shares, levels, values)

    def _independence(self, ranks: NDArray[np.float64]) -> NDArray[np.float64]:
        """(N,) weight of each vote for a model, 1 / (1 + (n - 1) rho) for n participants that rank it early.

        rho is their mean overlap: equal lists count as one vote, disjoint ones in full (design effect of a cluster,
        Kish 1965).
        """
        early = (ranks <= EARLY_RANK).astype(np.float64)
        number = early.sum(axis=0)
        total = np.einsum("pn,pq,qn->n", early, self._overlaps, early)
        # total / number is (n - 1) rho: the sum over all ordered pairs, divided by n.
        return 1.0 / (1.0 + np.divide(total, number, out=np.zeros_like(total), where=number > 0))

    def _pair_reasons(
        self,
        model: int,
        current: int,
        suggested: int,
        levels: NDArray[np.int64],
        ranks: NDArray[np.float64],
        present: NDArray[np.bool_],
        *,
        contradicted: bool,
        twin: int,
        near: float,
    ) -> list[str]:
        """The evidence about one pair as parts of a sentence, the strongest first."""
        tree, reasons = self._benchmark.classification, []
        if contradicted and tree is not None:
            label = int(tree.labels[model])
            mates = tree.members(label)
            mates = mates[mates != model]
            number = int((levels[mates] == suggested).sum())
            reasons.append(
                f"level {current}, but {number} of {len(mates)} other models of class '{tree.names[label]}' have "
                f"level {suggested}"
            )
        if twin >= 0:
            name = self._benchmark.collection.ids[twin]
            reasons.append(f"its near-duplicate '{name}' has level {int(levels[twin])}")
        number, n_present = int((ranks[present] <= EARLY_RANK).sum()), int(present.sum())
        if current == 0 and number:
            reasons.append(f"not relevant, but in the first {EARLY_RANK} of {number} of {n_present} participants")
        if current > 0 and not np.isfinite(ranks).any():
            reasons.append(f"level {current}, but retrieved by none of {n_present} participants")
        elif current > 0 and not reasons:
            best = int(ranks.min())
            reasons.append(f"level {current}, but no participant has it before rank {best}")
        if near > 0 and not contradicted:
            reasons.append(f"{format_percent(near)} of the models with the most similar ranks have level {suggested}")
        return reasons or ["the runs and the levels of similar models disagree"]

    # Labels.

    def label_suspects(self, limit: int) -> list[Suspect]:
        """The strongest suspects among the labels of models."""
        tree = self._benchmark.classification or _tree_of(self._benchmark)
        nearest, weights = self._neighbours(N_LABEL_NEIGHBOURS)
        labels = tree.labels
        known = labels[nearest] >= 0
        votes = np.zeros((self._n_models, len(tree.names)))
        rows = np.broadcast_to(np.arange(self._n_models)[:, None], nearest.shape)
        np.add.at(votes, (rows[known], labels[nearest][known]), weights[known].astype(np.float64))
        candidates = np.flatnonzero(labels >= 0)
        own = votes[candidates, labels[candidates]]
        others = votes[candidates].copy()
        others[np.arange(len(candidates)), labels[candidates]] = -1.0
        best = others.argmax(axis=1) if len(tree.names) > 1 else labels[candidates]
        evidence = np.clip(others.max(axis=1, initial=-1.0) - own, 0.0, 1.0)
        order = np.argsort(-evidence, kind="stable")[:limit]
        suspects = []
        for index in order[evidence[order] > 0].tolist():
            model, label, other = int(candidates[index]), int(labels[candidates[index]]), int(best[index])
            number = int((labels[nearest[model]] == other).sum())
            reason = (
                f"labelled '{tree.names[label]}', but {number} of the {nearest.shape[1]} models with the most similar "
                f"ranks are labelled '{tree.names[other]}'"
            )
            if (twin := int(self.duplicates[model])) >= 0 and labels[twin] != label:
                reason += f"; its near-duplicate '{self._benchmark.collection.ids[twin]}' has another label"
            suspects.append(Suspect(-1, model, label, other, float(evidence[index]), reason))
        return suspects

    # Classes.

    def confusions(self) -> tuple[ClassConfusion, ...]:
        """Pairs of classes of which one takes much of the first tier of the other in the runs of every participant."""
        tree, labels = self._benchmark.classification, self._benchmark.queries.labels
        if tree is None or len(self._participants) < 2 or not np.any(labels >= 0):
            return ()
        n_classes = len(tree.names)
        shares = np.full((len(self._participants), n_classes, n_classes), np.inf)
        for run, participant in zip(self._benchmark.runs, self._of_participant.tolist(), strict=True):
            self._checkpoint()
            counts = np.zeros((n_classes, n_classes))
            for query in np.flatnonzero(run.present & (labels >= 0)).tolist():
                label = int(labels[query])
                first = self._tiers.get((run.name, query))
                if first is None:
                    first = self._list(run, query)[: int(tree.sizes[label])]
                found = tree.labels[first]
                counts[label] += np.bincount(found[found >= 0], minlength=n_classes) / max(len(first), 1)
            queries = np.bincount(labels[run.present & (labels >= 0)], minlength=n_classes)
            share = counts / np.maximum(queries, 1)[:, None]
            # The best run of a participant is the one that confuses least.
            shares[participant] = np.minimum(shares[participant], np.where(queries[:, None] > 0, share, np.inf))
        least = np.where(np.isfinite(shares), shares, 0.0).min(axis=0)
        np.fill_diagonal(least, 0.0)
        cells = np.argwhere(least >= MIN_CONFUSED_SHARE)
        pairs = [ClassConfusion(int(row), int(column), float(least[row, column])) for row, column in cells]
        return tuple(sorted(pairs, key=_by_share))

    def _report(self, done: int, total: int, text: str) -> None:
        self._checkpoint()
        if self._progress is not None:
            self._progress(done, total, text)


def _contrast(
    shares: NDArray[np.float64], levels: NDArray[np.int64], values: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Share of the best other level minus that of the own one, (N,) in [-1, 1]; that share; and that level.

    Parameters
    ----------
    shares : (L, N) share of each of the levels `values` among the models compared with each model.
    levels : (N,) level of each model.
    """
    columns = np.arange(len(levels))
    index = np.searchsorted(values, levels)
    others = shares.copy()
    others[index, columns] = -1.0
    best = others.argmax(axis=0)
    share = np.maximum(others[best, columns], 0.0)
    return np.clip(share - shares[index, columns], -1.0, 1.0), share, values[best]


def _by_evidence(suspect: Suspect) -> tuple[float, int, int]:
    return -suspect.evidence, suspect.query, suspect.model


def _by_share(confusion: ClassConfusion) -> tuple[float, int, int]:
    return -confusion.share, confusion.query_class, confusion.model_class


def _tree_of(benchmark: Benchmark) -> Classification:
    """The classification that relevance is derived from."""
    assessment = original_assessment(benchmark)
    assert isinstance(assessment, ClassAssessment)
    return assessment.classification


# Effects.


def _with_effect(suspect: Suspect, scores: Scores, unit: SuspectUnit, checkpoint: Callable[[], None]) -> Suspect:
    checkpoint()
    edited, queries = _with_decision(scores.benchmark, suspect, unit, 1 if unit == "model" else suspect.suggested)
    return replace(suspect, effect=edit_effect(scores, means_with(scores, edited, queries)))


def _with_decision(
    benchmark: Benchmark, suspect: Suspect, unit: SuspectUnit, decision: int
) -> tuple[Benchmark, NDArray[np.int64]]:
    """The benchmark after a decision, see `means_by_decision`, and the queries whose relevant models change."""
    if unit == "pair":
        return with_level(benchmark, suspect.query, suspect.model, decision), np.array([suspect.query])
    if decision:
        return relabelled(benchmark, suspect.model, suspect.suggested)
    return benchmark, np.zeros(0, np.int64)


def edit_effect(scores: Scores, means: NDArray[np.float64]) -> EditEffect:
    """The effect of new means (R, M) on the order of the runs by the first measure of `scores`."""
    sign = -1.0 if scores.measures[0].better == "lower" else 1.0
    before, after = sign * scores.mean()[:, 0], sign * means[:, 0]
    exchanged = tuple(
        (scores.runs[a], scores.runs[b])
        for a in range(len(before))
        for b in range(len(before))
        if before[a] <= before[b] and after[a] > after[b]
    )
    change = np.abs(after - before)
    largest = float(np.nanmax(change, initial=0.0)) if not np.isnan(change).all() else 0.0
    heights = np.where(np.isnan(after), -np.inf, after).tolist()
    return EditEffect(exchanged, largest, tuple(zip(scores.runs, heights, strict=True)))


def means_by_decision(
    scores: Scores, measure: str, suspect: Suspect, unit: SuspectUnit, decisions: Iterable[int]
) -> dict[int, NDArray[np.float64]]:
    """(R,) float64 means of the runs after each decision about a suspect; NaN undefined.

    Parameters
    ----------
    scores : under the present assessment, with the measure.
    decisions : levels of a pair; for a label 0 to keep it and 1 for the suggested one.
    """
    found = {}
    for decision in decisions:
        edited, queries = _with_decision(scores.benchmark, suspect, unit, decision)
        means = means_with(scores, edited, queries) if len(queries) else scores.mean()
        found[decision] = means[:, scores.column(measure)]
    return found


def ranks_with_suspects(queue: SuspectQueue, runs: Sequence[str], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
    """(R, 2) best and worst rank of some runs with ranks (R,), where one suspect at a time has its suggested value."""
    all_ranks = [ranks]
    for suspect in queue.suspects:
        means = dict(suspect.effect.means)
        all_ranks.append(ranks_of(np.array([means[name] for name in runs])))
    return np.stack([np.min(all_ranks, axis=0), np.max(all_ranks, axis=0)], axis=1)


def with_level(benchmark: Benchmark, query: int, model: int, level: int) -> Benchmark:
    """The benchmark with another level for one pair; other edits stay."""
    ids, models = benchmark.queries.ids, benchmark.collection.ids
    edits = [AssessmentEdit(ids[query], models[model], 0, level)]
    if isinstance(benchmark.assessment, EditedAssessment):
        others = benchmark.assessment.edits.items()
        kept = [AssessmentEdit(ids[q], models[m], 0, v) for q, row in others for m, v in row.items()]
        edits = [*kept, *edits]
    return with_edits(benchmark, edits)


def relabelled(benchmark: Benchmark, model: int, label: int) -> tuple[Benchmark, NDArray[np.int64]]:
    """The benchmark with another label of one model, also as a query, and the queries whose relevant models change."""
    assessment = original_assessment(benchmark)
    assert isinstance(assessment, ClassAssessment)
    tree = assessment.classification
    labels, query_labels = tree.labels.copy(), assessment.query_labels.copy()
    former = int(labels[model])
    labels[model] = label
    own = benchmark.queries.member == model
    query_labels[own] = label
    changed = replace(
        assessment, classification=Classification(labels, tree.names, tree.parents), query_labels=query_labels
    )
    edits = benchmark.assessment.edits if isinstance(benchmark.assessment, EditedAssessment) else {}
    edited = replace(
        benchmark,
        assessment=EditedAssessment(changed, edits) if edits else changed,
        classification=changed.classification,
        queries=replace(benchmark.queries, labels=np.where(own, label, benchmark.queries.labels).astype(np.int32)),
    )
    tops = {int(tree.tops[former]), int(tree.tops[label])}
    is_near = np.isin(tree.tops[np.maximum(assessment.query_labels, 0)], list(tops)) & (assessment.query_labels >= 0)
    return edited, np.flatnonzero(is_near | own)


def label_edits(benchmark: Benchmark, model: int, label: int) -> tuple[AssessmentEdit, ...]:
    """The edits of pairs that another label of a model amounts to, for an assessment without edits.

    Pairs of a query with itself are left out.
    """
    edited, queries = relabelled(benchmark, model, label)
    assert benchmark.assessment is not None
    assert edited.assessment is not None
    edits = []
    for query in queries.tolist():
        before = benchmark.assessment.gains(query, len(benchmark.collection))
        after = edited.assessment.gains(query, len(benchmark.collection))
        for other in np.flatnonzero(before != after).tolist():
            if other != int(benchmark.queries.member[query]):
                names = benchmark.queries.ids[query], benchmark.collection.ids[other]
                edits.append(AssessmentEdit(*names, int(before[other]), int(after[other])))
    return tuple(edits)


# Documents.


def suspect_records(queue: SuspectQueue) -> list[dict[str, Any]]:
    """The suspects as plain dicts, with ids instead of indices."""
    return [_record(queue, suspect) for suspect in queue.suspects]


def _record(queue: SuspectQueue, suspect: Suspect) -> dict[str, Any]:
    benchmark = queue.benchmark
    rest = {
        "evidence": round(suspect.evidence, 6),
        "sentence": f"{suspect.reason[:1].upper()}{suspect.reason[1:]}.",
        "effect": len(suspect.effect.exchanged),
        "effect_sentence": f"{suspect.effect.text[:1].upper()}{suspect.effect.text[1:]}.",
        "exchanged": [list(pair) for pair in suspect.effect.exchanged],
        "largest_change": suspect.effect.largest_change,
    }
    model = benchmark.collection.ids[suspect.model]
    if queue.by == "model":
        names = (benchmark.classification or _tree_of(benchmark)).names
        return {"model": model, "class": names[suspect.current], "suggested": names[suspect.suggested], **rest}
    query = benchmark.queries.ids[suspect.query]
    return {"query": query, "model": model, "level": suspect.current, "suggested": suspect.suggested, **rest}


def suspects_document(queue: SuspectQueue) -> dict[str, Any]:
    """Document of ``suspects --format json``."""
    tree = queue.benchmark.classification
    return {
        "schema": SUSPECTS_SCHEMA,
        "version": __version__,
        "benchmark": queue.benchmark.name,
        "profile": queue.profile.key,
        "by": queue.by,
        "measure": queue.measure,
        "suspects": suspect_records(queue),
        "confusions": [
            {
                "query_class": tree.names[confusion.query_class],
                "model_class": tree.names[confusion.model_class],
                "share": round(confusion.share, 6),
            }
            for confusion in queue.confusions
            if tree is not None
        ],
    }
