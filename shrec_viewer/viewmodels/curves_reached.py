"""What a run has reached at every rank: recall and precision, of one query or as means, to place the rank cursor."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import HitTable
from shrec_viewer.metrics.precision_recall import with_query

NEARLY = 1e-9
"""By this much a recall may be off k / C by rounding."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Reached:
    """Recall and precision within the first k places.

    Attributes
    ----------
    recall, precision : (n,) float64, place k - 1 holds rank k; means of both over the queries that enter a mean, at the
        same rank. Empty where nothing is relevant or the run has no answer.
    offset : places by which ranks are behind those on the screen: 1 where the query itself is counted, and leads.
    """

    recall: Floats
    precision: Floats
    offset: int = 0

    def at(self, rank: int) -> tuple[float, float]:
        """Recall and precision at a 1-based rank; beyond the end of the list what it reached there. NaN for nothing."""
        if not len(self.recall) or rank < 1:
            return float("nan"), float("nan")
        place = rank - 1 + self.offset
        last = min(place, len(self.recall) - 1)
        # Places that a list does not fill are not relevant: the recall stays, the precision falls.
        return float(self.recall[last]), float(self.precision[last]) * (last + 1) / (place + 1)

    def rank_of(self, recall: float) -> int | None:
        """The first rank at which `recall` is reached; None where the list never reaches it."""
        place = int(np.searchsorted(self.recall, recall - NEARLY, "left"))
        return max(1, place + 1 - self.offset) if place < len(self.recall) else None


NOTHING_REACHED = Reached(np.zeros(0), np.zeros(0))


def reached(scores: Scores, run: int, query: int | None, *, with_self: bool = False) -> Reached:
    """What a run reached for a query, or on average over the queries that enter its means.

    Parameters
    ----------
    run : place in `scores`.
    query : place of the query; None for means, in which a missing query counts as the profile says.
    with_self : count the query itself as a relevant model at the place where it stood.
    """
    if query is not None and scores.missing[run, query]:
        return NOTHING_REACHED
    hits = scores.hits[run]
    hits = hits.rows(0, len(hits)) if query is None else hits.rows(query, query + 1)
    counted = scores.counted[run] if query is None else np.ones(1, np.bool_)
    seen = with_query(hits) if with_self else hits
    return _along(seen, counted, skips=scores.profile.no_relevant == "skip", offset=int(seen is not hits))


def _along(hits: HitTable, counted: NDArray[np.bool_], *, skips: bool, offset: int) -> Reached:
    size = hits.relevant_size(1)
    enters = counted & (size > 0)
    queries = int(enters.sum()) if skips else int(counted.sum())
    last = int(hits.list_length[counted].max(initial=0))
    if not enters.any() or not last:
        return NOTHING_REACHED
    picked = hits.at_least(1)
    inside = enters[picked.query] & (picked.ranks <= last)
    places, owners = picked.ranks[inside] - 1, picked.query[inside]
    shares = np.bincount(places, weights=1.0 / size[owners], minlength=last)
    found = np.bincount(places, minlength=last)
    ranks = np.arange(1, last + 1)
    return Reached(np.cumsum(shares) / queries, np.cumsum(found) / (queries * ranks), offset)
