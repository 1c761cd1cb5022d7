"""Pairs of runs that a measure does not compare: copies, shorter lists of the same run, and lists of other lengths."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.discovery.copies import NEAR_COPY, list_heads, overlap_of
from shrec_viewer.metrics import HitTable, Profile, ResolvedMeasure


@dataclass(frozen=True)
class Incomparable:
    """Two runs, and why their scores are not those of two methods: ``"B2 is a near-copy of B1"``."""

    a: str
    b: str
    reason: str
    is_copy: bool = False


#: Mean overlap from which the first ranks are the same, up to rounding.
EQUAL_LISTS = 1.0 - 1e-9

#: Copies that a text names, at most.
NAMED_PAIRS = 3


def favours_short_lists(measure: ResolvedMeasure, profile: Profile) -> bool:
    """Whether a measure rises where the end of a list with relevant models is cut off: it divides by what is left."""
    values = [measure.evaluate(_list_with_hits(ranks, length), profile)[0] for ranks, length in _LISTS]
    full, cut = values if measure.better != "lower" else [-value for value in values]
    return bool(cut > full)


#: Ranks of the hits of a list and its length, whole and after a cut.
_LISTS = (((1, 30), 100), ((1,), 1))


def _list_with_hits(ranks: Sequence[int], length: int) -> HitTable:
    """A list of one query with five relevant models in a collection of a thousand."""
    return HitTable(
        indptr=np.array([0, len(ranks)]),
        ranks=np.array(ranks, np.int32),
        levels=np.full(len(ranks), 2, np.uint8),
        list_length=np.array([length]),
        class_sizes=np.array([[0, 5]]),
        collection_size=np.array([1000]),
        missing=np.zeros(1, np.bool_),
        own_rank=np.zeros(1, np.int32),
        classes=np.zeros((1, 2), np.int32),
    )


def incomparable_pairs(scores: Scores, measure: str) -> tuple[Incomparable, ...]:
    """Pairs of the runs of `scores` whose difference in a measure says nothing about two methods."""
    runs = [scores.benchmark.run(name) for name in scores.runs if name in {run.name for run in scores.benchmark.runs}]
    heads = {run.name: own for run, own in list_heads(runs, scores.benchmark.queries, len(scores.benchmark.collection))}
    lengths = dict(zip(scores.runs, (hits.list_length for hits in scores.hits), strict=True))
    column = scores.column(measure)
    prefers_short = favours_short_lists(scores.measures[column], scores.profile)
    found = []
    for a, b in combinations(scores.runs, 2):
        answered = (lengths[a] > 0) & (lengths[b] > 0)
        one, other = lengths[a][answered], lengths[b][answered]
        differs = bool(np.any(one != other))
        overlap = overlap_of(heads[a], heads[b]) if a in heads and b in heads else 0.0
        if overlap >= NEAR_COPY:
            is_cut = differs and overlap > EQUAL_LISTS and bool(np.all(one <= other) or np.all(one >= other))
            long, short = (b, a) if is_cut and one.sum() < other.sum() else (a, b)
            kind = (
                "has the first ranks of" if is_cut else "is a near-copy of" if overlap < EQUAL_LISTS else "is a copy of"
            )
            found.append(Incomparable(a, b, f"{short} {kind} {long}", is_copy=True))
        elif differs and prefers_short:
            sizes = f"{np.mean(one):,.0f} and {np.mean(other):,.0f} models"
            found.append(Incomparable(a, b, f"{a} and {b} have lists of other lengths, on average {sizes}"))
    return tuple(found)


def incomparable_text(pairs: Sequence[Incomparable], measure: str) -> str:
    """Which runs are not comparable in a measure, and why, in one sentence; "" without any."""
    copies, lengths = ([pair.reason for pair in pairs if pair.is_copy is kind] for kind in (True, False))
    if lengths:
        others = len(lengths) - 1
        more = f", as {count_of(others, 'more pair')} {'does' if others == 1 else 'do'}" if others else ""
        lengths = [f"{measure} divides by what was retrieved and favours short lists: {lengths[0]}{more}"]
    named = [*copies[:NAMED_PAIRS], *([f"{len(copies) - NAMED_PAIRS:,} more copies"] if copies[NAMED_PAIRS:] else [])]
    return f"Not comparable: {'; '.join((*named, *lengths))}." if pairs else ""
