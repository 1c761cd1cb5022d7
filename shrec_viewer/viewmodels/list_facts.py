"""What a ranked list says about itself under the conventions in force: what counts as relevant, where tiers end."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.ranked_list import RankedList
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import Profile, find_measure
from shrec_viewer.viewmodels.words import count_words

E_CUT = 32
"""Places that the E-measure of Princeton's program looks at: the first page of a search."""

ALONG = ("P", "R", "NDCG")
"""Curves whose values at the rank cursor the status bar spells out."""


def relevant_places(shown: RankedList, profile: Profile) -> NDArray[np.bool_]:
    """(n,) bool, which places of the list hold what the profile counts as relevant."""
    return shown.levels >= max(1, profile.relevant_from)


def relevant_size(benchmark: Benchmark, query: int, shown: RankedList, profile: Profile) -> int:
    """C: the relevant models of the truth, retrieved or not, without the query itself where the profile drops it."""
    found = int(relevant_places(shown, profile).sum())
    if profile.relevant_from <= 1 or benchmark.assessment is None:
        return found + len(shown.not_retrieved)
    levels = benchmark.assessment.gains(query, len(benchmark.collection))[shown.not_retrieved]
    return found + int((levels >= profile.relevant_from).sum())


def tier_cuts(size: int) -> list[tuple[int, str]]:
    """Ranks after which first and second tier end: as many places as there are relevant models, and twice as many."""
    return [(size, "1st tier"), (2 * size, "2nd tier")] if size else []


def barcode_cuts(size: int, length: int, profile: Profile) -> list[tuple[int, str]]:
    """Tiers, the page of 32, and the cut-offs of the profile's measures, those first that matter most for the labels.

    None beyond the end of the list, and no rank twice.
    """
    cutoffs = sorted({cutoff for key in profile.measures if (cutoff := find_measure(key).cutoff) is not None})
    wanted = [(size, "C"), (2 * size, "2C"), *((cut, f"{cut}") for cut in (E_CUT, *cutoffs))]
    kept: dict[int, str] = {}
    for rank, label in wanted:
        if 0 < rank <= length:
            kept.setdefault(rank, label)
    return list(kept.items())


def list_words(shown: RankedList, profile: Profile, size: int, *, judged: bool) -> str:
    """``"200 models listed · 42 of 63 relevant retrieved · first at rank 2 · 12 tied"``, as far as there is a truth."""
    parts = [f"{count_words(len(shown), 'model')} listed"]
    if judged:
        ranks = np.flatnonzero(relevant_places(shown, profile)) + 1
        parts.append(f"{len(ranks):,} of {size:,} relevant retrieved")
        if len(ranks):
            parts.append(f"first at rank {int(ranks[0]):,}")
    if ties := int(shown.tied.sum()):
        parts.append(f"{ties:,} tied")
    return " · ".join(parts)


def values_along(scores: Scores, run: int, query: int, length: int) -> NDArray[np.float64]:
    """(3, length) float64, the curves `ALONG` at the ranks 1 … length; NaN where undefined."""
    return np.array([scores.curve(key, run, query, length).y for key in ALONG])


def tie_ranks(shown: RankedList, row: int) -> tuple[int, int]:
    """First and last rank of the group of equal distances that a place belongs to; (0, 0) where it is alone."""
    if not shown.tied[row]:
        return (0, 0)
    start = shown.tie_start[row]
    return int(start) + 1, int(np.searchsorted(shown.tie_start, start, "right"))
