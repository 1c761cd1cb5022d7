"""The first models of every list, the relevant ones after them, and confusions of classes."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import Progress
from shrec_viewer.evaluation.plots.confusion import Confusion, confusion, tier_lists
from shrec_viewer.evaluation.ranked_list import RankedList, query_levels, ranked_list
from shrec_viewer.metrics import Profile

#: First models of all lists; with more, pages show fewer of each. A card takes 230 bytes, and as many relevant models
#: after them may be shown: 70 MB.
MAX_CARDS = 150_000

#: Possible numbers of models of each list; the site of 2006 showed 50.
NUMBERS_OF_MODELS = (50, 20, 10, 5)


def models_shown(n_lists: int) -> int:
    """Number of models of each list to show, by the number of lists of all runs.

    Examples
    --------
    >>> models_shown(13 * 30), models_shown(6000), models_shown(20 * 10_000)
    (50, 20, 5)
    """
    return next((number for number in NUMBERS_OF_MODELS if n_lists * number <= MAX_CARDS), NUMBERS_OF_MODELS[-1])


@dataclass(frozen=True, eq=False)
class ListExcerpt:
    """The part of a ranked list that a page shows.

    Attributes
    ----------
    shown : (k, 2) int32, model of each of the first ranks and its level; negative for an unknown id.
    missed : (m, 3) int32, relevant models after the first ranks with level and rank, then those not in the list,
        highest levels first, with rank 0; at most k, the others are only counted.
    n_missed : number of all these models.
    n_not_retrieved : number of relevant models that are not in the list.
    length : of the list.
    is_missing : whether the run has no list for the query.
    """

    shown: NDArray[np.int32]
    missed: NDArray[np.int32]
    n_missed: int
    n_not_retrieved: int
    length: int
    is_missing: bool


@dataclass(frozen=True, eq=False)
class SiteLists:
    """Excerpts of all lists, and confusions of classes.

    Attributes
    ----------
    excerpts : by run, then query.
    confusions : first tier of each run; empty without classes or relevant models.
    first : number of models shown of each list.
    """

    excerpts: tuple[tuple[ListExcerpt, ...], ...]
    confusions: tuple[Confusion, ...]
    first: int

    def models(self) -> set[int]:
        """Models that occur."""
        parts = [part for row in self.excerpts for one in row for part in (one.shown, one.missed)]
        return {model for part in parts for model in part[:, 0].tolist()}


def read_lists(
    benchmark: Benchmark, profile: Profile, first: int, checkpoint: Callable[[], None], progress: Progress | None
) -> SiteLists:
    """Excerpts of the lists of all runs of a benchmark; `first` models of each."""
    excerpts: list[tuple[ListExcerpt, ...]] = []
    confusions = []
    total = len(benchmark.runs) * len(benchmark.queries)
    for run in benchmark.runs:
        row = []
        for query in range(len(benchmark.queries)):
            checkpoint()
            if progress is not None:
                progress(len(excerpts) * len(benchmark.queries) + query, total, "list")
            row.append(_excerpt(benchmark, ranked_list(benchmark, run, query, profile), query, profile, first))
        excerpts.append(tuple(row))
        if benchmark.classification is not None:
            confusions.append(confusion(tier_lists(benchmark, run, profile), benchmark, 1))
    has_confusions = all(len(one.rows) for one in confusions)
    return SiteLists(tuple(excerpts), tuple(confusions) if has_confusions else (), first)


def _excerpt(benchmark: Benchmark, ranked: RankedList, query: int, profile: Profile, first: int) -> ListExcerpt:
    levels = query_levels(benchmark, query, profile)
    late = first + np.flatnonzero(ranked.levels[first:])
    # Highest level first; `argsort` is stable, so models of a level keep the order of the collection.
    absent = ranked.not_retrieved[np.argsort(-levels[ranked.not_retrieved].astype(np.int64), kind="stable")]
    missed = np.concatenate([ranked.items[late], absent])[:first]
    ranks = np.concatenate([late + 1, np.zeros(len(absent), np.int64)])[:first]
    return ListExcerpt(
        np.stack([ranked.items[:first], ranked.levels[:first]], axis=1).astype(np.int32),
        np.stack([missed, levels[missed], ranks], axis=1).astype(np.int32),
        len(late) + len(absent),
        len(absent),
        len(ranked),
        ranked.missing,
    )
