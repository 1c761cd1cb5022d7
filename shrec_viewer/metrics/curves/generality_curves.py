"""GRiP and GR2P: recall at a relevant scope as a function of generality."""

from functools import partial

import numpy as np

from shrec_viewer.metrics.curves.curve import Curve, CurveValues
from shrec_viewer.metrics.generality.embedding import embedding_of
from shrec_viewer.metrics.generality.expected_measures import LEVEL_TOLERANCE, STEP, expected_by_generality
from shrec_viewer.metrics.measures.measure import INFINITE
from shrec_viewer.metrics.measures.sources import GENERALITY
from shrec_viewer.metrics.measures.tiers import recall_at_relevant_scope
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable


def recall_by_generality(hits: HitTable, profile: Profile, points: int, relevant_scope: int) -> CurveValues:
    """Expected recall within n C ranks at -log2 g = log2 n, then every quarter, and last in the whole collection.

    x and y are (Q, K): each query has its own last level. NaN beyond it, without relevant models, and if the scope is
    larger than the collection. Models that are not in a list are not found.
    """
    embedding = embedding_of(hits)
    ends = embedding.doublings[embedding.kind]
    start = float(np.log2(relevant_scope))
    steps = np.floor(np.maximum(np.nan_to_num(ends, nan=-1.0) - start - LEVEL_TOLERANCE, -1.0) / STEP) + 1.0
    inner = steps.astype(np.int64)  # levels before the last one
    levels = start + STEP * np.arange(int(inner.max(initial=0)))
    reached = np.arange(len(levels) + 1) < inner[:, None]
    grown = expected_by_generality(
        hits, profile, relevant_scope=float(relevant_scope), doublings=levels, with_upper=False
    ).lower
    x = np.where(reached[:, :-1], levels, np.nan)
    y = np.where(reached[:, :-1], grown, np.nan)
    x, y = (np.concatenate([values, np.full((len(hits), 1), np.nan)], axis=1) for values in (x, y))
    has_end = np.flatnonzero(ends >= start - LEVEL_TOLERANCE)
    x[has_end, inner[has_end]] = ends[has_end]
    y[has_end, inner[has_end]] = recall_at_relevant_scope(hits, 1, relevant_scope)[has_end]
    return CurveValues(x, y)


def mean_recall_by_generality(hits: HitTable, profile: Profile, points: int, relevant_scope: int) -> CurveValues:
    """The same at levels that every query reaches, x (K,) and y (Q, K): only there means are of equal generality."""
    grown = expected_by_generality(hits, profile, relevant_scope=float(relevant_scope), with_upper=False)
    return CurveValues(grown.doublings, grown.lower)


GRIP_CURVE = Curve(
    key="GRiP",
    label="Recall = precision by generality (GRiP)",
    x_label="Generality, −log₂ g (each unit halves the share of relevant models)",
    y_label="Recall = precision",
    x_range=(0.0, INFINITE),
    y_range=(0.0, 1.0),
    definition="Expected recall within C ranks, where it equals the precision, if only a random subset of the "
    "irrelevant models is in the collection, of such a size that the generality g = C / (C + irrelevant models) is "
    "the same for all queries. Exact expectation; the last point is the list itself. Random rankings reach g, the "
    "ideal system 1.",
    source=GENERALITY,
    function=partial(recall_by_generality, relevant_scope=1),
    average=partial(mean_recall_by_generality, relevant_scope=1),
    x="generality",
    y="recall",
)
GR2P_CURVE = Curve(
    key="GR2P",
    label="Recall within 2C by generality (GR2P)",
    x_label="Generality, −log₂ g (each unit halves the share of relevant models)",
    y_label="Recall = 2 × precision",
    x_range=(0.0, INFINITE),
    y_range=(0.0, 1.0),
    definition="As GRiP within 2C ranks. Starts at g = 1/2, where that is "
    "the whole collection. Random rankings reach 2 g.",
    source=GENERALITY,
    function=partial(recall_by_generality, relevant_scope=2),
    average=partial(mean_recall_by_generality, relevant_scope=2),
    x="generality",
    y="recall",
)
