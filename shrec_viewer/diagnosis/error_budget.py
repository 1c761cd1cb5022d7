"""Error budget of a run: what it loses to the ideal value, by cause, and which models, classes and queries carry it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.diagnosis.rank_terms import RankTerms, rank_terms
from shrec_viewer.diagnosis.slices import QuerySlice, SliceScores, query_slices, select_slices, slice_scores
from shrec_viewer.diagnosis.suspects import DoubtfulEntries, doubtful_entries
from shrec_viewer.domain import Benchmark, Run, ShrecViewerError
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
from shrec_viewer.evaluation.geometry_evidence import GeometryRanks, geometry_ranks, geometry_run, weak_classes
from shrec_viewer.evaluation.ranked_list import ListHeads, RankedList, classes_of_queries
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.metrics import HitTable, ResolvedMeasure
from shrec_viewer.number_format import format_value

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]

#: First ranks in which models are counted as hubs.
DEFAULT_DEPTH = 10

#: Share of the models that may be hubs: those with the most irrelevant occurrences in the first ranks.
WORST_SHARE = 0.05

#: Irrelevant occurrences of a hub in the first ranks of queries of other classes.
LEAST_OCCURRENCES = 2

#: Pairs of classes that are causes, the largest excess over chance first.
N_CONFUSIONS = 10

#: Cost of a confusion as a multiple of chance.
LEAST_LIFT = 2.0

#: Cost of a confusion above chance, in the mean of the measure.
LEAST_EXCESS = 0.001

#: Evidence of the suspects that are causes: planted errors had 0.83 and more, other entries at most 0.29.
LEAST_EVIDENCE = 0.5

#: A relevant model is near up to this multiple of the number of relevant models.
NEAR_TIERS = 2

#: Other participants that must have a model in their first tier for it to be found elsewhere; fewer if there are.
N_OTHERS = 2

#: Rows of hubs and confusions in documents.
LISTED_MODELS, LISTED_CONFUSIONS = 20, 40

#: Ranks that are kept between the two passes over the lists, 240 MB; longer ones are ranked twice.
KEPT_ENTRIES = 20_000_000

#: Part of a query's loss that a cause carries to be its explanation.
LEAST_PART = 0.1

#: Why a run has no error budget.
NO_VALUE = "no query in the mean has a value"

#: Smallest share that three decimals show.
SMALLEST_SHARE = 0.0005

#: Rounding of sums.
EXACT = 1e-12

#: All causes, in the order of their claims.
CAUSES = ("undefined", "missing", "unlisted", "ties", "hubs", "confusions", "labels", "levels", "single")

#: Causes that claim pairs; "single" has the pairs that none of them claims.
CLAIMING = ("ties", "hubs", "confusions", "labels")

#: Causes among which all pairs are divided.
DIVIDED = (*CLAIMING, "single")

#: Causes whose repair is computed: the others are what is left, or need no computation.
REPAIRED = ("unlisted", *CLAIMING)

#: Where the relevant model of a pair stands: up to rank 2C; behind, but in the first tier of others; behind.
ZONES = ("near", "found_elsewhere", "hard")


@dataclass(frozen=True)
class CauseShare:
    """What one cause carries of the loss of a run; None where the figure is not defined for it.

    Attributes
    ----------
    cause : one of `CAUSES`.
    share : the value of the run and all shares add up to the ideal.
    near, found_elsewhere, hard : parts of the share, see `ZONES`.
    alone : change of the published mean if only the pairs of this cause are taken out.
    alone_best : the same for lists completed with the missing relevant models at their end, the nearest first.
    after : mean over the queries with a list without the pairs of this cause and of all before it.
    claimed : share of all pairs that the cause claims, undivided where others claim them too.
    last : loss if only its pairs remained.
    chance : `claimed` if each query's loss lay evenly on its irrelevant models.
    pairs : claimed pairs of query and irrelevant model that cost something; queries for missing, models for unlisted.
    what : one sentence with the figures.
    """

    cause: str
    share: float | None
    near: float | None = None
    found_elsewhere: float | None = None
    hard: float | None = None
    alone: float | None = None
    alone_best: float | None = None
    after: float | None = None
    claimed: float | None = None
    last: float | None = None
    chance: float | None = None
    pairs: int = 0
    what: str = ""


@dataclass(frozen=True)
class ConfusionCost:
    """What models of one class cost queries of another one.

    Attributes
    ----------
    query_class, model_class : indices of classes; -1 for no class.
    cost : mean over the queries with a list.
    chance : the same by chance; None for one cause, and for a difference.
    alone : change of the published mean if its pairs are taken out; None for a difference.
    pairs : pairs of query and irrelevant model that cost something; None for a difference.
    named : whether it is one of the confusions of the budget.
    """

    query_class: int
    model_class: int
    cost: float
    chance: float | None = None
    alone: float | None = None
    pairs: int | None = None
    named: bool = False


@dataclass(frozen=True)
class HubCost:
    """A model that is often in the first ranks where it is not relevant.

    Attributes
    ----------
    model : index.
    occurrences : lists with the model in the first k ranks.
    lowest, highest : the same under the worst and the best order of ties.
    irrelevant : of the occurrences, those where it is not relevant.
    cost, chance : means over the queries with a list.
    queries : indices of the queries of `irrelevant`.
    """

    model: int
    occurrences: int
    lowest: int
    highest: int
    irrelevant: int
    cost: float
    chance: float
    queries: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Hubs:
    """Occurrences of the models in the first k ranks of all lists of a run (k-occurrences).

    Source: Radovanović, Nanopoulos, Ivanović: Hubs in space. JMLR 11, 2010.

    Attributes
    ----------
    k : ranks.
    skewness : third standardised moment of the occurrences over all models; None if all are equal.
    max_occurrence : of one model.
    orphans : models that occur nowhere.
    false_positives : irrelevant occurrences of all models.
    share_worst_5_percent : share of these of the models that have most; None without any.
    models : the first ones by irrelevant occurrences, then in the order of the collection.
    irrelevant : (N,) int64, irrelevant occurrences of each model.
    occurrences : (N,) int64.
    """

    k: int
    skewness: float | None
    max_occurrence: int
    orphans: int
    false_positives: int
    share_worst_5_percent: float | None
    models: tuple[HubCost, ...]
    irrelevant: Ints
    occurrences: Ints


@dataclass(frozen=True, eq=False)
class ErrorBudget:
    """Where a run loses what it lacks to the ideal value of a measure.

    In the list of a query, the relevant model number k at rank p_k loses what the p_k - k irrelevant models before it
    cost. They are interchangeable: each of these pairs carries the same share, its Shapley value, 1 / (p_k D) for AP.
    Sums of shares over pairs are the costs of models, pairs of classes, queries and causes.

    Attributes
    ----------
    run : name.
    value : published mean.
    ideal : mean of the ideal values; 1 for AP.
    n_all, n : queries in the mean with relevant models, and those of them with a list.
    found_elsewhere_chance : `found_elsewhere` of all causes if the models behind rank 2C were found elsewhere as often
        as irrelevant ones; None without pairs.
    causes : those that apply, in the order of `CAUSES`.
    values : (Q,) float64, value of each query; NaN outside of the mean.
    shares : (Q, causes) float64, share of each cause in the loss of the query; NaN outside of the mean.
    sentences : of each query, "" outside of the mean.
    confusions : the first pairs of classes by excess over chance; None without classes or terms.
    hubs : models in the first ranks.
    costliest_queries : (N,) int32, the query that each model costs most; -1 for none.
    costs_by_cause : (5, N) float64, parts of `model_costs` that the causes `DIVIDED` carry.
    model_costs, model_chances : (N,) float64, cost of each model as a mean over the n queries; NaN without terms.
    """

    run: str
    value: float
    ideal: float
    n_all: int
    n: int
    found_elsewhere_chance: float | None
    causes: tuple[CauseShare, ...]
    values: Floats
    shares: Floats
    sentences: tuple[str, ...]
    confusions: tuple[ConfusionCost, ...] | None
    hubs: Hubs
    costliest_queries: NDArray[np.int32]
    costs_by_cause: Floats
    model_costs: Floats
    model_chances: Floats

    def cause(self, name: str) -> CauseShare:
        """The share of a cause; KeyError if it does not apply."""
        for found in self.causes:
            if found.cause == name:
                return found
        raise KeyError(name)


@dataclass(frozen=True)
class BudgetDifference:
    """Where the difference of two runs in a measure comes from.

    Attributes
    ----------
    run, other : names.
    value : published mean of `run` less that of `other`.
    ideal : the same of the ideal values, which differ only where the runs answer different queries.
    shares : by cause, the share of `other` less that of `run`; `value` is `ideal` and all shares.
    confusions : the largest parts of the shares of the causes `DIVIDED`, by classes of query and model, as costs of
        `other` less those of `run`; None without classes.
    rest : sum of those of all other classes.
    """

    run: str
    other: str
    value: float
    ideal: float
    shares: Mapping[str, float]
    confusions: tuple[ConfusionCost, ...] | None
    rest: float


@dataclass(frozen=True, eq=False)
class FalsePositives:
    """The irrelevant models in the list of one query, in its order.

    Attributes
    ----------
    ranks : (n,) int64, 1-based.
    models : (n,) int32; negative for an unknown id.
    costs : (n,) float64.
    by_cause : (n, 5) float64, parts of the cost that the causes `DIVIDED` carry.
    """

    ranks: Ints
    models: NDArray[np.int32]
    costs: Floats
    by_cause: Floats


@dataclass(frozen=True, eq=False)
class _List:
    """A list as the measure sees it; positions are 0-based.

    Attributes
    ----------
    items : (n,) int32.
    is_false : (n,) bool, irrelevant models.
    places : (V,) int64, positions of the relevant models.
    levels : (V,) uint8.
    group_start : (n,) int64, position of the first model at the distance of each.
    group_end : (n,) int64, position after the last model at the distance of each.
    weights : (V,) float64, what each irrelevant model before a relevant one costs with it; 0 without terms.
    """

    items: NDArray[np.int32]
    is_false: Mask
    places: Ints
    levels: NDArray[np.uint8]
    group_start: Ints
    group_end: Ints
    weights: Floats

    @property
    def numbers(self) -> Ints:
        return np.arange(1, len(self.places) + 1)

    def weight_from(self, start: Ints) -> Floats:
        """Sum of the weights of the relevant models at positions from `start` on."""
        after = np.concatenate([np.cumsum(self.weights[::-1])[::-1], [0.0]])
        return after[np.searchsorted(self.places, start)]

    @cached_property
    def costs(self) -> Floats:
        """(n,) float64, cost of each irrelevant model; 0 for relevant ones."""
        return np.where(self.is_false, self.weight_from(np.arange(len(self.items))), 0.0)

    def before(self, marked: NDArray[Any], positions: Ints) -> Floats:
        """Sum of `marked` (n,) before each position."""
        return np.concatenate([[0.0], np.cumsum(marked)])[positions]

    @property
    def loss(self) -> float:
        """What all irrelevant models cost."""
        return float((self.weights * (self.places + 1 - self.numbers)).sum())


@dataclass(frozen=True, eq=False)
class _Claims:
    """Which irrelevant models the causes claim in one list; see `_List` for positions.

    Attributes
    ----------
    hubs, confusions, labels : (n,) bool, for pairs with all relevant models.
    suspects : (V,) bool, doubtful relevant models, whose pairs with all irrelevant models are claimed by labels.
    """

    hubs: Mask
    confusions: Mask
    labels: Mask
    suspects: Mask

    def of(self, cause: str) -> Mask:
        """(n,) the irrelevant models that a cause claims by themselves."""
        found: Mask = getattr(self, cause)
        return found

    @property
    def count(self) -> Floats:
        """(n,) number of causes that claim a model."""
        return self.hubs.astype(float) + self.confusions + self.labels

    def marked(self, is_false: Mask) -> Iterator[tuple[Mask, Mask]]:
        """The models that each cause but ties claims before relevant models, and before doubtful ones.

        All pairs of a doubtful relevant model are claimed by labels, whatever else claims them.
        """
        for name in CLAIMING[1:]:
            yield self.of(name), is_false if name == "labels" else self.of(name)


def _by_excess(confusion: ConfusionCost) -> tuple[float, int, int]:
    return (confusion.chance or 0.0) - confusion.cost, confusion.query_class, confusion.model_class


class BudgetWork:
    """The lists of all runs, as the error budgets of the runs share them.

    Parameters
    ----------
    scores : of all runs of the benchmark, with the measure.
    measure : key.
    k : first ranks in which hubs are counted.
    """

    def __init__(
        self,
        scores: Scores,
        measure: str,
        k: int = DEFAULT_DEPTH,
        *,
        jobs: int = 1,
    ) -> None:
        self.scores, self.k, self._jobs = scores, k, jobs
        self.column = scores.column(measure)
        self.measure: ResolvedMeasure = scores.measures[self.column]
        self.level = max(self.measure.level, scores.profile.relevant_from)
        self._kept: dict[tuple[int, int], _List] = {}
        self._n_kept = 0
        self._latest: tuple[Any, Any] = (None, None)
        self._heads: dict[int, ListHeads] = {}
        self._runs: dict[int, _RunBudget] = {}
        self._found: dict[int, Mapping[str, NDArray[np.int32]]] = {}
        self._geometry: dict[int, GeometryRanks | None] = {}

    @property
    def benchmark(self) -> Benchmark:
        """The benchmark of the scores."""
        return self.scores.benchmark

    @cached_property
    def classes_of_queries(self) -> NDArray[np.int32]:
        """See `ranked_list.classes_of_queries`."""
        return classes_of_queries(self.benchmark)

    @cached_property
    def query_slices(self) -> tuple[QuerySlice, ...]:
        """All slices of the queries."""
        return query_slices(self.scores, self.column)

    @cached_property
    def slices(self) -> SliceScores:
        """Scores of the runs in all slices of the queries."""
        return slice_scores(self.scores, self.query_slices, self.column)

    def queries_of(self, name: str) -> Ints | None:
        """The queries of a slice, None for ""; UnknownKeyError if there is none of the name."""
        return select_slices(self.query_slices, [name])[0].queries if name else None

    @property
    def has_classes(self) -> bool:
        """Whether a query has a class."""
        return bool(np.any(self.classes_of_queries >= 0))

    @cached_property
    def doubtful(self) -> Mapping[int, NDArray[np.int64]]:
        """The models of the doubtful pairs of each query that has some."""
        models: dict[int, list[int]] = {}
        for query, model in self.entries.pairs:
            models.setdefault(query, []).append(model)
        return {query: np.array(one, np.int64) for query, one in models.items()}

    @cached_property
    def entries(self) -> DoubtfulEntries:
        """See `suspects.doubtful_entries`."""
        return doubtful_entries(self.benchmark, self.scores.profile, self.level, LEAST_EVIDENCE, jobs=self._jobs)

    @cached_property
    def weak_classes(self) -> tuple[str, ...]:
        """See `geometry_evidence.weak_classes`."""
        return weak_classes(self.benchmark, self.scores.profile)

    def geometry(self, query: int) -> GeometryRanks | None:
        """The models for a query by rigid geometry and by the runs; None where geometry was not chosen."""
        if query not in self._geometry:
            if geometry_run(self.benchmark) is None:
                return None
            doubtful = self.doubtful.get(query, np.zeros(0, np.int64)).tolist()
            made = geometry_ranks(self.benchmark, self.scores.profile, query, self.weak_classes, doubtful)
            if (len(self._geometry) + 1) * len(self.benchmark.collection) > KEPT_ENTRIES:
                self._geometry.clear()
            self._geometry[query] = made
        return self._geometry[query]

    def looks_alike(self, row: int, within: Ints | None = None) -> Ints | None:
        """(N,) number of queries in which a model costs a run something, and geometry has it in the first C ranks.

        None where geometry was not chosen, and for its own run.

        Parameters
        ----------
        within : queries of a slice; None for all.
        """
        geometry = geometry_run(self.benchmark)
        if geometry is None or self.run(row) is geometry:
            return None
        heads = ListHeads(self.benchmark, geometry, self.scores.profile)
        counts = np.zeros(len(self.benchmark.collection), np.int64)
        sizes, terms = self.scores.hits[row].relevant_size(self.measure.level), self.terms(row)
        for query in self._run_budget(row).queries(within):
            one, first = self.list_of(row, query, terms), heads.head(query, int(sizes[query])).items
            counts[np.intersect1d(first[first >= 0], one.items[one.is_false & (one.costs > 0)])] += 1
        return counts

    def run(self, row: int) -> Run:
        """The run of a row of the scores."""
        return self.benchmark.run(self.scores.runs[row])

    def terms(self, row: int) -> RankTerms | None:
        """Terms of the measure for a run; None if it is no sum over relevant models."""
        return rank_terms(self.measure, self.scores.hits[row], self.scores.profile)

    def ranked(self, row: int, query: int) -> RankedList:
        """The list of a run for a query."""
        return self._heads_of(row).whole(query)

    def _heads_of(self, row: int) -> ListHeads:
        if row not in self._heads:
            self._heads[row] = ListHeads(self.benchmark, self.run(row), self.scores.profile)
        return self._heads[row]

    def list_of(self, row: int, query: int, terms: RankTerms | None) -> _List:
        """The list of a run for a query with the weights of its relevant models."""
        if (kept := self._kept.get((row, query))) is not None:
            return kept
        if self._latest[0] == (row, query):
            return self._latest[1]
        found = self.ranked(row, query)
        places = np.flatnonzero(found.levels >= self.level)
        levels, numbers = found.levels[places], np.arange(1, len(places) + 1)
        weights = np.zeros(len(places))
        if terms is not None:
            best = terms.values(query, numbers, numbers.astype(float), levels)
            lost = best - terms.values(query, numbers, places + 1.0, levels)
            np.divide(lost, places + 1 - numbers, out=weights, where=places + 1 > numbers)
        starts = found.tie_start.astype(np.int64)
        ends = np.cumsum(np.bincount(starts, minlength=len(starts)))[starts] if len(starts) else starts
        is_false = np.ones(len(found), np.bool_)
        is_false[places] = False
        made = _List(found.items, is_false, places, levels, starts, ends, weights)
        if self._n_kept + len(found) <= KEPT_ENTRIES:
            self._n_kept += len(found)
            self._kept[row, query] = made
        else:
            self._latest = ((row, query), made)  # for all figures of one list
        return made

    @cached_property
    def participants(self) -> tuple[str, ...]:
        """Participant of each run of the scores; "" for a virtual run, which is none."""
        return tuple(
            "" if self.run(row).expression else participant or name
            for row, (name, participant) in enumerate(zip(self.scores.runs, self.scores.participants, strict=True))
        )

    def first_tiers(self, query: int) -> Mapping[str, NDArray[np.int32]]:
        """The models in the first C ranks of a run of each participant."""
        if query not in self._found:
            tiers: dict[str, list[NDArray[np.int32]]] = {name: [] for name in self.participants if name}
            size = int(self.scores.hits[0].relevant_size(self.measure.level)[query])
            for row, name in enumerate(self.participants):
                if name and not self.scores.hits[row].missing[query]:
                    items = self._heads_of(row).head(query, size).items
                    tiers[name].append(items[items >= 0])
            empty = np.zeros(0, np.int32)
            self._found[query] = {name: np.unique(np.concatenate([empty, *one])) for name, one in tiers.items()}
        return self._found[query]

    def budget(
        self, row: int, cancelled: Callable[[], bool] = never_cancelled, within: Ints | None = None
    ) -> ErrorBudget:
        """The error budget of a run.

        Parameters
        ----------
        row : index of the run in the scores.
        cancelled : see `evaluate`.
        within : queries of a slice, of which all figures are means; hubs, confusions and doubtful entries are those of
            all queries. None for all.

        Raises
        ------
        Cancelled
            If `cancelled` returned True.
        """
        return self._run_budget(row).budget(make_checkpoint(cancelled), within)

    def sentence(self, row: int, query: int, cancelled: Callable[[], bool] = never_cancelled) -> str:
        """What a run loses for one query: one of `ErrorBudget.sentences`, without the figures of all other queries.

        Raises
        ------
        Cancelled
            If `cancelled` returned True.
        """
        return self._run_budget(row).sentence(query, make_checkpoint(cancelled))

    def difference(
        self, row: int, other: int, cancelled: Callable[[], bool] = never_cancelled, within: Ints | None = None
    ) -> BudgetDifference:
        """Where the difference between two runs (rows of the scores) comes from; see `budget`.

        Raises
        ------
        ShrecViewerError
            If a run has no value, or the measure no terms.
        """
        mine, others = (self.budget(one, cancelled, within) for one in (row, other))
        for found in (mine, others):
            if not found.n_all:
                raise ShrecViewerError(budget_sentence(found, self.measure.key).rstrip("."))
            if found.causes[0].share is None:
                raise ShrecViewerError(f"{self.measure.key} is not a sum over relevant models, so it has no shares")
        shares = dict.fromkeys((one.cause for one in sorted((*mine.causes, *others.causes), key=_by_order)), 0.0)
        for found, sign in ((mine, -1.0), (others, 1.0)):
            for cause in found.causes:
                shares[cause.cause] += sign * (cause.share or 0.0)
        parts, total = [], 0.0
        runs = self._run_budget(row), self._run_budget(other)
        by_class = [one.by_class(one.queries(within)) for one in runs]
        for label in sorted({*by_class[0], *by_class[1]}):
            costs = [
                one.costs_of_classes(queries.get(label, ())) / max(found.n, 1)
                for one, queries, found in zip(runs, by_class, (mine, others), strict=True)
            ]
            change = costs[1] - costs[0]
            total += float(change.sum())
            first = np.argsort(-np.abs(change), kind="stable")[:LISTED_CONFUSIONS].tolist()
            last = len(change) - 1
            parts += [ConfusionCost(label, b if b < last else -1, float(change[b])) for b in first if change[b]]
        largest = tuple(sorted(parts, key=_by_size)[:LISTED_CONFUSIONS])
        return BudgetDifference(
            mine.run, others.run, mine.value - others.value, mine.ideal - others.ideal, shares,
            largest if self.has_classes else None, total - sum(one.cost for one in largest if self.has_classes),
        )  # fmt: skip

    def class_costs(
        self, row: int, cause: str, within: Ints | None = None, models: Sequence[int] = ()
    ) -> tuple[ConfusionCost, ...]:
        """The confusions by the part of their cost that one of the causes `DIVIDED` carries ("": all); see `budget`.

        Parameters
        ----------
        models : only what these irrelevant models cost; () for all.
        """
        return self._run_budget(row).class_costs(cause, within, models)

    def repaired(self, row: int, cause: str) -> HitTable:
        """The relevant models of a run at the ranks that they have without the pairs of one of the causes `REPAIRED`.

        For `unlisted`, the lists are completed with the missing ones in random order. A relevant model takes the first
        free rank where a doubtful one, or one that lost more pairs, has its own. Relevant is what the measure counts;
        "" for the ranks as they are.
        """
        return self._run_budget(row).repaired(cause)

    def _run_budget(self, row: int) -> "_RunBudget":
        if row not in self._runs:
            self._runs[row] = _RunBudget(self, row)
        return self._runs[row]

    def false_positives(self, row: int, query: int) -> FalsePositives:
        """The irrelevant models of a list with their costs and causes."""
        return self._run_budget(row).false_positives(query)


class _RunBudget:
    """The budget of one run, in two passes: costs of models and classes, then what the causes claim."""

    def __init__(self, work: BudgetWork, row: int) -> None:
        self._work, self._row = work, row
        scores = work.scores
        self._hits: HitTable = scores.hits[row]
        self._terms = work.terms(row)
        self._sizes = self._hits.relevant_size(work.measure.level)
        values = scores.values_in_mean[row, :, work.column]
        self._in_mean = ~np.isnan(values)
        self._values = values
        self._is_defined = self._in_mean & (self._sizes > 0)
        self._listed = self._is_defined & ~self._hits.missing
        self._queries = np.flatnonzero(self._listed).tolist()
        self._n = len(self._queries)
        self._accounts: dict[int, tuple[dict[tuple[str, str], float], str]] = {}
        self._n_models = len(scores.benchmark.collection)
        tree = scores.benchmark.classification
        self._names = tree.names if tree is not None and work.has_classes else ()
        # Models without a class, and unknown ids (index -1), have the class -1.
        self._labels = np.append(tree.labels if self._names and tree is not None else np.full(self._n_models, -1), -1)

    def _list(self, query: int) -> _List:
        return self._work.list_of(self._row, query, self._terms)

    def queries(self, within: Ints | None) -> list[int]:
        """Those with a list in the mean, of a slice or of all."""
        wanted = set(self._queries if within is None else within.tolist())
        return [query for query in self._queries if query in wanted]

    # First pass.

    @cached_property
    def _costs(self) -> tuple[Floats, Floats]:
        """Cost and chance of models (N,), summed over the queries."""
        return self._summed_costs(self._queries)

    def _summed_costs(self, queries: Sequence[int]) -> tuple[Floats, Floats]:
        models, chances = np.zeros(self._n_models), np.zeros(self._n_models)
        for query in queries:
            one = self._list(query)
            false = one.items[one.is_false]
            known = false >= 0
            models[false[known]] += one.costs[one.is_false][known]
            chances[false[known]] += one.loss / max(len(false), 1)
        return models, chances

    @cached_property
    def _confusions(self) -> list[ConfusionCost]:
        """The first pairs of classes by excess over chance; of equal ones the first in the tree."""
        return self._class_costs(self._queries)

    def _class_costs(
        self, queries: Sequence[int], index: int | None = None, counted: Mask | None = None
    ) -> list[ConfusionCost]:
        """See `_confusions`; of `counted` models (N + 1,); with the index of a cause, what it carries,no chance."""
        found: list[ConfusionCost] = []
        n = len(self._names)  # of one class at a time: there may be as many as models
        for label, of_class in sorted(self.by_class(queries).items()):
            if label < 0:
                continue
            costs, chances, pairs = np.zeros(n), np.zeros(n), np.zeros(n, np.int64)
            for query in of_class:
                one = self._list(query)
                cost = one.costs if index is None else self._costs_by_cause(one, self._claims(query))[index]
                items, cost = one.items[one.is_false], cost[one.is_false]
                chance = 0.0 if index is not None else one.loss / max(len(items), 1)
                shown = self._labels[items] >= 0 if counted is None else (self._labels[items] >= 0) & counted[items]
                classes, cost = self._labels[items[shown]], cost[shown]
                costs += np.bincount(classes, weights=cost, minlength=n)
                chances += chance * np.bincount(classes, minlength=n)
                pairs += np.bincount(classes[cost > 0], minlength=n)
            columns = np.flatnonzero(costs)
            first = columns[np.argsort(-(costs - chances)[columns], kind="stable")[:LISTED_CONFUSIONS]]
            found += [
                ConfusionCost(
                    label, b, float(costs[b]), float(chances[b]) if index is None else None, pairs=int(pairs[b])
                )
                for b in first.tolist()
            ]  # fmt: skip
        return sorted(found, key=_by_excess)[:LISTED_CONFUSIONS]

    def class_costs(self, cause: str, within: Ints | None, models: Sequence[int]) -> tuple[ConfusionCost, ...]:
        """See `BudgetWork.class_costs`."""
        queries, in_mean = self.queries(within), self._in_mean if within is None else self._in_mean[within]
        counted, index = None, DIVIDED.index(cause) if cause else None
        if models:
            counted = np.zeros(self._n_models + 1, np.bool_)  # the last element for unknown ids
            counted[list(models)] = True
        found = self._class_costs(queries, index, counted)
        return self._named_costs(found, queries, int(in_mean.sum()), counted)

    def _named_costs(
        self, found: Sequence[ConfusionCost], queries: Sequence[int], n_all: int, counted: Mask | None = None
    ) -> tuple[ConfusionCost, ...]:
        """Sums over the queries of a slice as means."""
        n = max(len(queries), 1)
        return tuple(
            replace(
                one, cost=one.cost / n, chance=None if one.chance is None else one.chance / n,
                alone=self._gain_without(one, queries, counted) / max(n_all, 1),
                named=(one.query_class, one.model_class) in self._named_confusions,
            )
            for one in found
        )  # fmt: skip

    def costs_of_classes(self, queries: Sequence[int]) -> Floats:
        """(K + 1,) what the models of each class cost some queries, the last element for no class."""
        costs = np.zeros(len(self._names) + 1)
        for query in queries:
            one = self._list(query)
            costs += np.bincount(self._labels[one.items] % len(costs), weights=one.costs, minlength=len(costs))
        return costs

    def by_class(self, queries: Sequence[int]) -> dict[int, list[int]]:
        """The queries of each class; those without a class have -1."""
        found: dict[int, list[int]] = {}
        for query in queries:
            found.setdefault(int(self._work.classes_of_queries[query]), []).append(query)
        return found

    def _gain_without(self, confusion: ConfusionCost, queries: Sequence[int], counted: Mask | None) -> float:
        """What the queries gain together if only the pairs of one confusion with counted models are taken out."""
        gain = 0.0
        for query in self.by_class(queries).get(confusion.query_class, ()):
            one = self._list(query)
            marked = (self._labels[one.items] == confusion.model_class) & one.is_false
            marked = marked if counted is None else marked & counted[one.items]
            ranks = one.places + 1.0
            values = self._value(query, one, np.array([ranks - one.before(marked, one.places), ranks]))
            gain += float(values[0] - values[1])
        return gain

    @cached_property
    def _named_confusions(self) -> list[tuple[int, int]]:
        """The confusions that are causes."""
        n = max(self._n, 1)
        return [
            (one.query_class, one.model_class)
            for one in self._confusions[:N_CONFUSIONS]
            if one.cost >= LEAST_LIFT * (one.chance or 0.0) and (one.cost - (one.chance or 0.0)) / n >= LEAST_EXCESS
        ]

    @cached_property
    def _first_false(self) -> dict[int, NDArray[np.int32]]:
        """Irrelevant models of the collection in the first k ranks of each query."""
        found = {}
        for query in self._queries:
            one = self._list(query)
            head = one.items[: self._work.k][one.is_false[: self._work.k]]
            found[query] = head[head >= 0]
        return found

    @cached_property
    def _hubs_of_class(self) -> dict[int, NDArray[np.int64]]:
        """Hubs for the queries of each class: by the first ranks of the queries of all other classes.

        With those of the class itself, a random run has hubs above chance. A query without a class is one by itself.
        """
        groups: dict[int, list[int]] = {}
        for query in self._queries:
            groups.setdefault(self._group(query), []).append(query)
        total = np.zeros(self._n_models, np.int64)
        for head in self._first_false.values():
            total[head] += 1
        limit, hubs = ceil(WORST_SHARE * self._n_models), {}
        for group, queries in groups.items():
            counts = total.copy()
            for query in queries:
                counts[self._first_false[query]] -= 1
            candidates = np.flatnonzero(counts >= LEAST_OCCURRENCES)
            hubs[group] = candidates[np.argsort(-counts[candidates], kind="stable")[:limit]]
        return hubs

    def _group(self, query: int) -> int:
        label = int(self._work.classes_of_queries[query])
        return label if label >= 0 else -1 - query

    # Second pass.

    def _claims(self, query: int) -> _Claims:
        one, label = self._list(query), int(self._work.classes_of_queries[query])
        by_model = np.zeros(self._n_models + 1, np.bool_)  # the last element for unknown ids
        by_model[self._hubs_of_class.get(self._group(query), [])] = True
        is_confused = np.zeros(len(self._names) + 1, np.bool_)  # the last element for no class
        is_confused[[b for a, b in self._named_confusions if a == label]] = True
        doubtful = np.zeros(len(one.items), np.bool_)
        if query in self._work.doubtful:
            doubtful = np.isin(one.items, self._work.doubtful[query])
        return _Claims(
            hubs=by_model[one.items] & one.is_false,
            confusions=is_confused[self._labels[one.items]] & one.is_false,
            labels=doubtful & one.is_false,
            suspects=doubtful[one.places],
        )

    def false_positives(self, query: int) -> FalsePositives:
        """See `BudgetWork.false_positives`."""
        one, claims = self._list(query), self._claims(query)
        places = np.flatnonzero(one.is_false)
        by_cause = self._costs_by_cause(one, claims)[:, places].T
        return FalsePositives(places + 1, one.items[places], one.costs[places], by_cause)

    @staticmethod
    def _costs_by_cause(one: _List, claims: _Claims) -> Floats:
        """(causes, n) the part of the cost of each irrelevant model that each of the causes `DIVIDED` carries."""
        untied = one.weight_from(one.group_end)
        with_suspects = replace(one, weights=one.weights * claims.suspects).weight_from(one.group_end)
        with_others, count = untied - with_suspects, claims.count
        parts = [one.costs - untied]
        for mine, every in claims.marked(one.is_false):
            part = mine * with_others / np.maximum(count, 1.0)
            parts.append(part + every * with_suspects / (count - claims.labels + 1.0))
        parts.append((count == 0) * with_others)
        return np.where(one.is_false, np.array(parts), 0.0)

    def _value(self, query: int, one: _List, ranks: NDArray[Any]) -> Floats:
        """(...) the measure if the relevant models stood at these ranks (..., V)."""
        if self._terms is not None:
            return self._terms.values(query, one.numbers, ranks, one.levels).sum(axis=-1)
        values = [self._evaluated(query, row, one.levels) for row in np.atleast_2d(ranks)]
        return np.array(values).reshape(ranks.shape[:-1])

    def _evaluated(self, query: int, ranks: Floats, levels: NDArray[np.uint8], length: int = 0) -> float:
        """The measure itself for relevant models at ascending ranks, which are rounded down."""
        row = self._hits.rows(query, query + 1)
        table = replace(
            row,
            indptr=np.array([0, len(ranks)]),
            ranks=np.floor(ranks).astype(np.int32),
            levels=levels,
            list_length=np.maximum(row.list_length, length),
        )
        return float(self._work.measure.evaluate(table, self._work.scores.profile)[0])

    @cached_property
    def _completed_terms(self) -> RankTerms | None:
        """Terms of lists with all models."""
        return rank_terms(self._work.measure, self._hits.ideal(), self._work.scores.profile)

    def _completed(self, query: int, one: _List, *, at_once: bool) -> float:
        """The measure of the list completed with the missing relevant models; see `_completed_ranks`."""
        ranks, levels = self._completed_ranks(query, one, at_once=at_once)
        if self._completed_terms is None:
            return self._evaluated(query, ranks, levels, int(self._hits.collection_size[query]))
        return float(self._completed_terms.values(query, np.arange(1, len(ranks) + 1), ranks, levels).sum())

    def _completed_ranks(self, query: int, one: _List, *, at_once: bool) -> tuple[Floats, NDArray[np.uint8]]:
        """Ranks and levels of all relevant models.

        Those that are not listed follow in random order among the others (their expected ranks), or at once.
        """
        missing = self._levels(query, one)
        u, length, size = len(missing), len(one.items), int(self._hits.collection_size[query])
        steps = np.arange(1, u + 1)
        ranks = np.concatenate([one.places + 1.0, length + steps * (1.0 if at_once else (size - length + 1) / (u + 1))])
        return ranks, np.concatenate([one.levels, missing[::-1] if at_once else missing])

    def repaired(self, cause: str) -> HitTable:
        """See `BudgetWork.repaired`."""
        hits, length = self._hits, self._hits.list_length.copy()
        counts, all_ranks, all_levels = (
            np.zeros(len(hits) + 1, np.int64),
            [np.zeros(0, np.int32)],
            [np.zeros(0, np.uint8)],
        )
        for query in self._queries:
            one = self._list(query)
            ranks, levels = one.places + 1.0, one.levels
            if cause == "unlisted":
                ranks, levels = self._completed_ranks(query, one, at_once=False)
                length[query] = hits.collection_size[query]
            elif cause:
                ranks = ranks - self._pairs(one, self._claims(query))[0][CLAIMING.index(cause)]
            order, steps = np.argsort(ranks, kind="stable"), np.arange(len(ranks))
            counts[query + 1] = len(ranks)
            all_ranks.append((np.maximum.accumulate(np.floor(ranks[order]) - steps) + steps).astype(np.int32))
            all_levels.append(levels[order])
        sizes = hits.class_sizes.copy()
        sizes[:, : self._work.level - 1] = 0
        return replace(
            hits, indptr=np.cumsum(counts), ranks=np.concatenate(all_ranks), levels=np.concatenate(all_levels),
            list_length=length, class_sizes=sizes,
        )  # fmt: skip

    def _levels(self, query: int, listed: _List | None = None) -> NDArray[np.uint8]:
        """Levels of the relevant models of a query, ascending, without those that are listed."""
        sizes = self._hits.class_sizes[query].copy()
        sizes[: self._work.measure.level - 1] = 0
        if listed is not None:
            sizes -= np.bincount(listed.levels, minlength=len(sizes) + 1)[1:]
        return np.repeat(np.arange(1, len(sizes) + 1), sizes).astype(np.uint8)

    def _pairs(self, one: _List, claims: _Claims) -> tuple[Floats, Floats, Floats]:
        """Pairs of each relevant model, (causes, V): claimed, divided, and of a cause or one above.

        The second has a row for single. Irrelevant models at the distance of a relevant one belong to ties alone.
        """
        starts, count = one.group_start[one.places], claims.count
        n_before, n_untied = one.before(one.is_false, one.places), one.before(one.is_false, starts)
        tied = n_before - n_untied
        of_suspect = one.is_false / (count - claims.labels + 1.0)
        claimed, divided, gone = [tied], [tied], [tied]
        union = np.zeros(len(one.items), np.bool_)

        def before(of_suspects: NDArray[Any], of_others: NDArray[Any]) -> Floats:
            return np.where(claims.suspects, one.before(of_suspects, starts), one.before(of_others, starts))

        for mine, every in claims.marked(one.is_false):
            union = union | mine
            claimed.append(before(every, mine))
            divided.append(before(every * of_suspect, mine / np.maximum(count, 1.0)))
            gone.append(tied + before(union | every, union))
        divided.append(np.where(claims.suspects, 0.0, n_untied - one.before(union, starts)))
        return np.array(claimed), np.array(divided), np.array(gone)

    def _account(self, query: int) -> tuple[dict[tuple[str, str], float], str]:
        """The figures of one query by (name of the figure, cause), and its sentence."""
        if query not in self._accounts:
            self._accounts[query] = self._new_account(query)
        return self._accounts[query]

    def _new_account(self, query: int) -> tuple[dict[tuple[str, str], float], str]:
        one, claims, terms = self._list(query), self._claims(query), self._terms
        claimed, divided, gone = self._pairs(one, claims)
        ranks, n_missing = one.places + 1.0, int(self._sizes[query]) - len(one.places)
        value = float(self._value(query, one, ranks))
        found: dict[tuple[str, str], float] = {}

        def note(figure: str, causes: Sequence[str], numbers: Sequence[float] | Floats) -> None:
            found.update({(figure, cause): float(number) for cause, number in zip(causes, numbers, strict=True)})

        note("alone", CLAIMING, self._value(query, one, ranks - claimed) - value)
        note("after", CLAIMING, self._value(query, one, ranks - gone))
        note("pairs", ("unlisted",), (n_missing,))
        if n_missing:
            note("alone", ("unlisted",), (self._completed(query, one, at_once=False) - value,))
            note("alone_best", ("unlisted",), (self._completed(query, one, at_once=True) - value,))
        if terms is None:
            return found, ""
        in_order = float(self._value(query, one, one.numbers.astype(float)))
        of_listed, ideal = terms.ideal(query, one.levels), self._ideal(query)
        note("ideal", ("",), (ideal,))
        lost = (ideal - of_listed, of_listed - in_order)
        note("share", ("unlisted", "levels"), [share if abs(share) > EXACT else 0.0 for share in lost])
        note("share", DIVIDED, divided @ one.weights)
        zones, others, elsewhere_chance = self._zones(query, one)
        for index, zone in enumerate(ZONES):
            note(zone, DIVIDED, divided @ np.where(zones == index, one.weights, 0.0))
        note("elsewhere_chance", ("",), (elsewhere_chance,))
        note("claimed", CLAIMING, claimed @ one.weights)
        note("last", CLAIMING, in_order - self._value(query, one, one.numbers + claimed))
        counts = [int(claims.of(name).sum()) for name in CLAIMING[1:]]
        note("chance", CLAIMING[1:], np.array(counts) * one.loss / max(int(one.is_false.sum()), 1))
        note("pairs", DIVIDED, np.count_nonzero(self._costs_by_cause(one, claims) > EXACT, axis=1))
        return found, self._sentence(query, one, claims, found, zones, others)

    def _add_model_costs(self, query: int, costs: Floats, worst: Floats, worst_query: NDArray[np.int32]) -> None:
        """Add the costs of the models by cause (5, N) in one list; the highest of each model (N,) and its query."""
        one = self._list(query)
        known = one.items >= 0
        items, by_cause = one.items[known], self._costs_by_cause(one, self._claims(query))[:, known]
        more = one.costs[known] > worst[items]
        worst[items[more]], worst_query[items[more]] = one.costs[known][more], query
        for index, of_cause in enumerate(by_cause):
            costs[index] += np.bincount(items, weights=of_cause, minlength=self._n_models)

    def _ideal(self, query: int) -> float:
        """The highest value of a list for the query."""
        terms, levels = self._completed_terms, self._levels(query)
        return float("nan") if terms is None else terms.ideal(query, levels)

    def _zones(self, query: int, one: _List) -> tuple[Ints, dict[str, NDArray[np.int32]], float]:
        """Index in `ZONES` of each relevant model (V,), who else has them in the first tier, and its chance."""
        first = NEAR_TIERS * int(self._sizes[query])
        own = self._work.participants[self._row]
        by_name = {name: models for name, models in self._work.first_tiers(query).items() if name != own}
        counts = np.zeros(self._n_models + 1, np.int64)
        for models in by_name.values():
            counts[models] += 1
        counts[-1] = 0
        is_found = (counts >= min(N_OTHERS, len(by_name))) & bool(by_name)
        is_behind = one.places >= first
        zones = np.where(~is_behind, 0, np.where(is_found[one.items[one.places]], 1, 2))
        behind = one.items[first:][one.is_false[first:]]
        chance = float(is_found[behind].mean()) if len(behind) else 0.0
        loss = one.weights * one.before(one.is_false, one.places)
        return zones, by_name, float(loss[is_behind].sum()) * chance

    def sentence(self, query: int, checkpoint: Callable[[], None]) -> str:
        """See `BudgetWork.sentence`; "no list", and "" for a query that is not in the mean."""
        if self._is_defined[query] and self._hits.missing[query]:
            return "no list"
        if not self._listed[query]:
            return ""
        self._read_lists(checkpoint)
        return self._account(query)[1]

    def _read_lists(self, checkpoint: Callable[[], None]) -> None:
        """Read the lists of all queries once: hubs and confusions are those of all, also for one query or a slice."""
        if not self._accounts:
            for query in self._queries:
                checkpoint()
                self._list(query)

    def budget(self, checkpoint: Callable[[], None], within: Ints | None = None) -> ErrorBudget:
        """See `BudgetWork.budget`."""
        scores, inside = self._work.scores, np.ones(len(self._values), np.bool_)
        if within is not None:
            inside = np.isin(np.arange(len(inside)), within)
        in_mean, queries = self._in_mean & inside, self.queries(within)
        totals: dict[tuple[str, str], float] = {}
        shares = np.full((len(self._values), len(CAUSES)), np.nan)
        by_cause, worst = np.zeros((len(DIVIDED), self._n_models)), np.zeros(self._n_models)
        worst_queries = np.full(self._n_models, -1, np.int32)
        self._read_lists(checkpoint)
        for query in queries:
            checkpoint()
            found, _ = self._account(query)
            for key, number in found.items():
                totals[key] = totals.get(key, 0.0) + number
            shares[query] = [found.get(("share", cause), 0.0) for cause in CAUSES]
            self._add_model_costs(query, by_cause, worst, worst_queries)
        is_missing, is_undefined = self._is_defined & inside & self._hits.missing, in_mean & (self._sizes == 0)
        for marked, cause in ((is_missing, "missing"), (is_undefined, "undefined")):
            shares[marked] = np.array(CAUSES) == cause
        n_all, n, has_terms = int(in_mean.sum()), len(queries), self._terms is not None
        models, model_chances = self._costs if within is None else self._summed_costs(queries)
        found_classes = self._confusions if within is None else self._class_costs(queries)
        confusions = self._named_costs(found_classes, queries, n_all)
        scale = 1.0 / max(n, 1) if has_terms else np.nan
        costs, chances = models * scale, model_chances * scale
        value = float(scores.mean()[self._row, self._work.column])
        if within is not None:
            value = float(self._values[in_mean].mean()) if n_all else np.nan
        mean = float(np.mean(self._values[queries])) if n else 0.0
        ideal = totals["ideal", ""] / n if has_terms and n else 1.0
        counts = n_all, n, int(is_undefined.sum()), int(is_missing.sum())
        causes = self._cause_shares(totals, value, mean, ideal, *counts)
        kept = [CAUSES.index(cause.cause) for cause in causes]
        return ErrorBudget(
            run=scores.runs[self._row],
            value=value,
            ideal=ideal,
            n_all=n_all,
            n=n,
            found_elsewhere_chance=totals["elsewhere_chance", ""] / n if has_terms and n else None,
            causes=causes,
            values=self._values if within is None else np.where(inside, self._values, np.nan),
            shares=shares[:, kept],
            sentences=tuple(self.sentence(query, checkpoint) if inside[query] else "" for query in range(len(inside))),
            confusions=confusions if self._names and has_terms else None,
            hubs=self._hubs(queries, costs, chances),
            costliest_queries=worst_queries,
            costs_by_cause=by_cause * scale,
            model_costs=costs,
            model_chances=chances,
        )

    def _cause_shares(
        self,
        totals: Mapping[tuple[str, str], float],
        value: float,
        mean: float,
        ideal: float,
        n_all: int,
        n_listed: int,
        n_undefined: int,
        n_missing: int,
    ) -> tuple[CauseShare, ...]:
        """The causes of the run from the sums over its queries."""
        n, has_terms = max(n_listed, 1), self._terms is not None
        has_levels = self._terms is not None and self._terms.form == "gain"
        applying = [cause for cause in CAUSES if cause != "levels" or has_levels]
        if not n_all:
            return tuple(CauseShare(cause, None, what=f"{NO_VALUE}.".capitalize()) for cause in applying[1:])

        def over_listed(figure: str, cause: str) -> float | None:
            known = has_terms or figure in ("alone", "after")
            return totals.get((figure, cause), 0.0) / n if known and (figure, cause) in totals else None

        undefined = n_undefined / max(n_all, 1)
        # Published means are over all queries, everything else over those with a list.
        missing = ideal - value - undefined - sum(totals.get(("share", cause), 0.0) for cause in CAUSES) / n
        missing = missing if n_missing or n_undefined else 0.0  # without rounding
        shares = [CauseShare("undefined", undefined if has_terms else None, pairs=n_undefined)] if n_undefined else []
        alone = mean - value if n_missing else 0.0
        shares.append(CauseShare("missing", missing if has_terms else None, alone=alone, after=mean, pairs=n_missing))
        for cause in applying[2:]:
            is_unlisted, gains = cause == "unlisted", {"alone": cause in REPAIRED, "alone_best": cause == "unlisted"}
            figures: dict[str, Any] = {
                name: over_listed(name, cause) for name in (*ZONES, "after", "claimed", "last", "chance")
            } | {
                name: totals.get((name, cause), 0.0) / max(n_all, 1) if is_known else None
                for name, is_known in gains.items()
            }
            figures |= {"after": mean} if is_unlisted else {}
            share = (over_listed("share", cause) or 0.0) if has_terms else None
            shares.append(CauseShare(cause, share, pairs=int(totals.get(("pairs", cause), 0)), **figures))
        return tuple(replace(share, what=self._what(share, ideal - value)) for share in shares)

    def _hubs(self, queries: Sequence[int], costs: Floats, chances: Floats) -> Hubs:
        """Occurrences in the first ranks, with the cost of each model."""
        k = self._work.k
        occurrences, lowest, highest, irrelevant = (np.zeros(self._n_models + 1, np.int64) for _ in range(4))
        for query in queries:
            one = self._list(query)
            end = min(k, len(one.items))
            occurrences[one.items[:end]] += 1
            lowest[one.items[:end][one.group_end[:end] <= k]] += 1
            highest[one.items[: one.group_end[end - 1] if end else 0]] += 1
            irrelevant[self._first_false[query]] += 1
        occurrences, irrelevant = occurrences[:-1], irrelevant[:-1]
        total, worst = int(irrelevant.sum()), ceil(WORST_SHARE * self._n_models)
        deviations = occurrences - occurrences.mean() if self._n_models else np.zeros(0)
        variance = float((deviations**2).mean()) if self._n_models else 0.0
        order = np.argsort(-irrelevant, kind="stable")
        models = tuple(
            HubCost(
                model, int(occurrences[model]), int(lowest[model]), int(highest[model]), int(irrelevant[model]),
                float(costs[model]), float(chances[model]),
                tuple(query for query in queries if model in self._first_false[query]),
            )
            for model in order[:LISTED_MODELS].tolist()
        )  # fmt: skip
        return Hubs(
            k=k,
            skewness=float((deviations**3).mean()) / variance**1.5 if variance > 0 else None,
            max_occurrence=int(occurrences.max(initial=0)),
            orphans=int(np.count_nonzero(occurrences == 0)),
            false_positives=total,
            share_worst_5_percent=float(irrelevant[order[:worst]].sum()) / total if total else None,
            models=models,
            irrelevant=irrelevant,
            occurrences=occurrences,
        )

    # Sentences.

    def _sentence(
        self,
        query: int,
        one: _List,
        claims: _Claims,
        found: Mapping[tuple[str, str], float],
        zones: Ints,
        others: Mapping[str, NDArray[np.int32]],
    ) -> str:
        """The first explanation that applies to one list."""
        shares = {cause: found.get(("share", cause), 0.0) for cause in CAUSES}
        chances = {cause: found.get(("chance", cause), 0.0) for cause in CAUSES}
        loss, size, n_listed = sum(shares.values()), int(self._sizes[query]), len(one.places)
        if loss <= EXACT:
            return "ideal"
        if shares["unlisted"] >= loss / 2:
            relevant = count_of(size, "relevant model")
            return f"lists {n_listed} of {relevant} and ends at rank {len(one.items):,}"
        cause = max(CLAIMING, key=lambda name: shares[name] - chances[name])
        if shares[cause] >= LEAST_LIFT * chances[cause] and shares[cause] >= LEAST_PART * loss:
            chance = "" if cause == "ties" else f" (chance {format_value(chances[cause])})"
            carried = f"{format_value(shares[cause])} of {format_value(loss)}{chance}"
            return self._of_cause(cause, query, one, claims, carried, size)
        behind = zones > 0
        lost = one.weights * one.before(one.is_false, one.places)
        if float(lost[behind].sum()) >= loss / 2:
            elsewhere = one.items[one.places[zones == 1]]
            by_name = {name: int(np.isin(elsewhere, models).sum()) for name, models in others.items()}
            most = max(by_name, key=lambda name: by_name[name]) if len(elsewhere) else ""
            where = (
                f"{count_of(len(elsewhere), 'is', 'are')} found elsewhere, most by {most}"
                if most
                else "none is found elsewhere"
            )
            number = int(behind.sum())
            verb = "stands" if number == 1 else "stand"
            return f"{number} of {count_of(size, 'relevant model')} {verb} behind rank {NEAR_TIERS * size:,}; {where}"
        last = int(one.places[-1]) if n_listed else 0
        number = int((one.is_false & (claims.count == 0))[:last].sum())
        if not number and shares[cause] > 0.0:
            carried = f"{format_value(shares[cause])} of {format_value(loss)} (chance {format_value(chances[cause])})"
            return self._of_cause(cause, query, one, claims, carried, size)
        return f"{count_of(number, 'single false positive')} before the last relevant model"

    def _of_cause(self, cause: str, query: int, one: _List, claims: _Claims, carried: str, size: int) -> str:
        """What a cause carries in one list, in words."""
        ids = self._work.benchmark.collection.ids
        if cause == "ties":
            number = int(((one.costs > one.weight_from(one.group_end)) & one.is_false).sum())
            return f"ties carry {carried}: {count_of(number, 'irrelevant model')} at the distance of a relevant one"
        if cause == "labels":
            number = len(self._work.doubtful.get(query, ()))
            verb = "carries" if number == 1 else "carry"
            return f"{count_of(number, 'doubtful entry', 'doubtful entries')} {verb} {carried}"
        costs = np.where(claims.of(cause), one.costs, 0.0)
        if cause == "hubs":
            worst = one.items[np.argsort(-costs, kind="stable")[:3]][: int(claims.hubs.sum())]
            return f"hubs carry {carried}: {', '.join(ids[model] for model in worst.tolist())}"
        labels = self._labels[one.items]
        of_class = np.bincount(labels[claims.confusions], weights=costs[claims.confusions])
        worst_class = int(of_class.argmax())
        number = int(((labels == worst_class) & one.is_false)[:size].sum())
        name = self._names[worst_class]
        return f"'{name}' models carry {carried}: {number} stand among the first {size:,}"

    def _what(self, cause: CauseShare, loss: float) -> str:
        """One sentence on a cause of the run, with its figures."""
        work, ids = self._work, self._work.benchmark.collection.ids
        words = {
            "undefined": f"{count_of(cause.pairs, 'query', 'queries')} without relevant models",
            "missing": f"{count_of(cause.pairs, 'query', 'queries')} without a list",
            "unlisted": f"{count_of(cause.pairs, 'relevant model')} not in the lists",
            "ties": f"{count_of(cause.pairs, 'irrelevant model')} at the distance of relevant ones, and before them",
            "hubs": f"models in the first {work.k} of many queries of other classes",
            "labels": f"{count_of(sum(map(len, work.doubtful.values())), 'doubtful pair')} of query and model",
            "levels": "models of lower levels before those of higher ones",
            "single": f"{count_of(cause.pairs, 'irrelevant model')} of no other cause",
        }
        text = words.get(cause.cause, "")
        if cause.cause == "hubs" and cause.pairs:
            worst = np.argsort(-np.where(self._is_hub, self._costs[0], -1.0), kind="stable")[:3]
            text += f", {', '.join(ids[model] for model in worst.tolist() if self._is_hub[model])}"
        if cause.cause == "confusions":
            pairs = [f"'{self._names[b]}' for '{self._names[a]}'" for a, b in self._named_confusions[:3]]
            text = f"models of other classes: {', '.join(pairs)}" if pairs else "no class is confused with another one"
        if cause.share is None:
            return f"{text[:1].upper()}{text[1:]}."
        chance = "" if cause.chance is None else f" (chance {format_value(cause.chance)})"
        of_loss = f"{format_value(cause.share)} of {format_value(loss)}"
        return f"{text[:1].upper()}{text[1:]}: {of_loss}{chance}."

    @cached_property
    def _is_hub(self) -> Mask:
        """(N,) bool, models that are hubs for a query."""
        marked = np.zeros(self._n_models, np.bool_)
        for models in self._hubs_of_class.values():
            marked[models] = True
        return marked


def budget_sentence(budget: ErrorBudget, measure: str) -> str:
    """What a run loses, the causes that carry most, and what stands behind rank 2C where hardly any run finds it."""
    loss = budget.ideal - budget.value
    if not budget.n_all:
        return f"{budget.run} has no {measure}: {NO_VALUE}."
    if loss <= EXACT:
        return f"{budget.run} loses no {measure}."
    carried = [one for one in budget.causes if one.share is not None and one.cause != "single"]
    largest = [one for one in sorted(carried, key=_by_share)[:2] if (one.share or 0.0) >= SMALLEST_SHARE]
    parts = [f"{one.cause} carry {format_value(one.share or 0.0)}" for one in largest[:1]]
    parts += [f"{one.cause} {format_value(one.share or 0.0)}" for one in largest[1:]]
    hard = sum(one.hard or 0.0 for one in budget.causes)
    ending = f"{format_value(hard)} stands behind rank 2C, where hardly any run finds it"
    texts = [", ".join(parts)] if parts else []
    texts += [ending] if hard >= SMALLEST_SHARE else []
    return f"{budget.run} loses {format_value(loss)} {measure}" + (f": {'; '.join(texts)}." if texts else ".")


def difference_sentence(found: BudgetDifference, measure: str, names: Sequence[str] = ()) -> str:
    """How far apart two runs are, and the causes and the classes that most of it comes from.

    Parameters
    ----------
    names : of the classes.
    """
    sign = 1.0 if found.value >= 0 else -1.0
    whole, where = abs(found.value), "above" if sign > 0 else "below"
    causes = sorted(found.shares, key=lambda cause: -abs(found.shares[cause]))[:2]
    large = [cause for cause in causes if abs(found.shares[cause]) >= SMALLEST_SHARE]
    parts = [", ".join(f"{cause} {format_value(found.shares[cause], signed=True)}" for cause in large)] if large else []
    known = [one for one in found.confusions or () if min(one.query_class, one.model_class) >= 0]
    most = max(known, key=lambda one: sign * one.cost, default=ConfusionCost(-1, -1, 0.0))
    if SMALLEST_SHARE <= sign * most.cost <= whole:
        against = f"'{names[most.query_class]}' against '{names[most.model_class]}'"
        parts.append(f"{format_value(abs(most.cost))} of the {format_value(whole)} come from {against}")
    lead = f"{found.run} is {format_value(whole)} {measure} {where} {found.other}"
    if whole < SMALLEST_SHARE:
        lead = f"{found.run} and {found.other} differ by less than 0.001 {measure}"
    return f"{lead}: {'; '.join(parts)}." if parts else f"{lead}."


def _by_order(cause: CauseShare) -> int:
    return CAUSES.index(cause.cause)


def _by_size(one: ConfusionCost) -> float:
    return -abs(one.cost)


def _by_share(cause: CauseShare) -> float:
    return -(cause.share or 0.0)
