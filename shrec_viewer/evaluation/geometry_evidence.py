"""Rigid geometry as evidence about runs and levels: its ranks beside those of the runs, and classes where it fails."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Run
from shrec_viewer.evaluation.evaluate import evaluate, make_checkpoint, never_cancelled
from shrec_viewer.evaluation.ranked_list import ListHeads, classes_of_queries, query_levels, ranked_items
from shrec_viewer.formats.core.findings_log import join_some
from shrec_viewer.metrics import Profile

#: What rigid geometry is, wherever it appears.
EVIDENCE = "rigid geometry: evidence, not truth"

#: Average precision below which rigid geometry says nothing about a class: articulated shapes, varied forms.
LEAST_AP = 0.1

#: Multiple of the number of relevant models behind which a rank is far.
FAR_TIERS = 2

#: Key of the finding that says so of a benchmark with the run.
GEOMETRY_EVIDENCE = "geometry-evidence"

#: Expression of the virtual run of all models by their rigid geometry.
GEOMETRY = "geometry()"


def geometry_run(benchmark: Benchmark) -> Run | None:
    """The virtual run `GEOMETRY`; None where it was not chosen."""
    return next((run for run in benchmark.runs if run.expression == GEOMETRY), None)


def weak_classes(
    benchmark: Benchmark, profile: Profile, *, cancelled: Callable[[], bool] = never_cancelled
) -> tuple[str, ...]:
    """Classes of queries for which the mean AP of the run by geometry is below `LEAST_AP`, in the order of the tree.

    Empty without classes, without relevant models, and without that run.
    """
    run, tree, labels = geometry_run(benchmark), benchmark.classification, classes_of_queries(benchmark)
    if run is None or tree is None or benchmark.assessment is None:
        return ()
    scores = evaluate(replace(benchmark, runs=(run,)), profile, measures=["AP"], cancelled=cancelled)
    values = scores.values_in_mean[0, :, 0]
    known = ~np.isnan(values) & (labels >= 0)
    sums = np.bincount(labels[known], weights=values[known], minlength=len(tree.names))
    counts = np.bincount(labels[known], minlength=len(tree.names))
    return tuple(tree.names[label] for label in np.flatnonzero((counts > 0) & (sums < LEAST_AP * counts)))


def geometry_note(benchmark: Benchmark, runs: Iterable[str] | None = None) -> str:
    """`evidence_note` of the run by geometry, after its name, from the finding about it; "" without the run.

    Parameters
    ----------
    runs : names of those that are shown; None for all.
    """
    run = geometry_run(benchmark)
    if run is None or not (runs is None or run.name in runs):
        return ""
    return next(
        (f"{one.message}." for one in benchmark.findings if one.key == GEOMETRY_EVIDENCE), f"{run.name}: {EVIDENCE}."
    )


def evidence_note(weak: tuple[str, ...]) -> str:
    """What rigid geometry is and where it fails, as a sentence."""
    text = f"{EVIDENCE[:1].upper()}{EVIDENCE[1:]}"
    return f"{text}; here its AP is below {LEAST_AP:g} for {join_some(weak)}." if weak else f"{text}."


@dataclass(frozen=True, eq=False)
class GeometryRanks:
    """The models of a collection for one query, by rigid geometry and by the runs.

    Attributes
    ----------
    ranks : (N,) int64, 1-based rank by geometry; 0 where it has none.
    agreeing : (N,) int64, number of submitted runs that have the model in the first C ranks.
    levels : (N,) uint8, relevance levels.
    n_runs : number of submitted runs with a list.
    size : C, the number of relevant models.
    relevant_from : lowest relevant level.
    weak_class : class of the query, if geometry fails for it; else "".
    doubtful : models whose level is doubtful for other reasons, see `doubtful_entries`.
    """

    ranks: NDArray[np.int64]
    agreeing: NDArray[np.int64]
    levels: NDArray[np.uint8]
    n_runs: int
    size: int
    relevant_from: int
    weak_class: str
    doubtful: frozenset[int] = frozenset()

    def looks_alike(self, model: int) -> bool:
        """Whether geometry has a model in the first C ranks."""
        return 0 < self.ranks[model] <= self.size

    def sentence(self, model: int, rank: int) -> str:
        """Both ranks of a model, and what they make likely: an error of the method, or of the label.

        The label only where the entry is doubtful for other reasons, and geometry contradicts it as well: of models
        that merely look alike and are early in most runs, 1 % had planted errors in SHREC 2006. The method where a run
        contradicts the level and geometry does not. "" where geometry has no rank.

        Parameters
        ----------
        rank : of the model in a run; 0 where it is not listed.
        """
        place = int(self.ranks[model]) if 0 <= model < len(self.ranks) and self.size else 0
        if not place:
            return ""
        level, is_alike, is_far = int(self.levels[model]), place <= self.size, place > FAR_TIERS * self.size
        is_relevant, is_early = level >= self.relevant_from, 0 < rank <= self.size
        text = f"{f'run rank {rank:,}' if rank else 'not in the run'}, geometry rank {place:,}"
        agree = f"{int(self.agreeing[model]):,} of {self.n_runs:,} runs {'find it' if is_relevant else 'agree'}"
        if model in self.doubtful and (is_far if is_relevant else is_alike):
            text, verdict = f"{text}, level {level}, {agree}", "likely the label"
        elif is_early != is_relevant and (is_alike if is_relevant else is_far):
            text, verdict = f"{text}, {agree}", "likely the method"
        elif is_alike and not is_relevant:
            text, verdict = f"{text}, level {level}, {agree}", "looks alike"
        else:
            return text
        return f"{text}: {f'no evidence for {self.weak_class}, where geometry fails' if self.weak_class else verdict}"


def first_verdict(found: GeometryRanks, items: NDArray[np.int32]) -> tuple[int, str]:
    """The first rank of a list with an irrelevant model about which geometry says something, and the sentence.

    (0, "") where there is none in the first C ranks.
    """
    for rank, model in enumerate(items[: found.size].tolist(), 1):
        if model >= 0 and found.levels[model] < found.relevant_from and ":" in (text := found.sentence(model, rank)):
            return rank, text
    return 0, ""


def geometry_ranks(
    benchmark: Benchmark,
    profile: Profile,
    query: int,
    weak: tuple[str, ...] = (),
    doubtful: Iterable[int] = (),
    *,
    cancelled: Callable[[], bool] = never_cancelled,
) -> GeometryRanks | None:
    """See `GeometryRanks`; None where geometry was not chosen, or has no list for the query.

    Parameters
    ----------
    weak : see `weak_classes`.
    doubtful : see `GeometryRanks`.
    """
    geometry, checkpoint = geometry_run(benchmark), make_checkpoint(cancelled)
    if geometry is None or not geometry.present[query]:
        return None
    levels = query_levels(benchmark, query, profile)
    relevant_from = max(1, profile.relevant_from)
    size = int(np.count_nonzero(levels >= relevant_from))
    ranks, agreeing = np.zeros(len(levels), np.int64), np.zeros(len(levels), np.int64)
    items = ranked_items(benchmark, geometry, query, profile)
    ranks[items[items >= 0]] = np.flatnonzero(items >= 0) + 1
    runs = [run for run in benchmark.runs if not run.expression and run.present[query]]
    for run in runs:
        checkpoint()
        first = ListHeads(benchmark, run, profile).head(query, size).items
        agreeing[np.unique(first[first >= 0])] += 1
    tree, label = benchmark.classification, int(classes_of_queries(benchmark)[query])
    name = "" if tree is None or label < 0 else tree.names[label]
    return GeometryRanks(
        ranks, agreeing, levels, len(runs), size, relevant_from, name if name in weak else "", frozenset(doubtful)
    )  # fmt: skip
