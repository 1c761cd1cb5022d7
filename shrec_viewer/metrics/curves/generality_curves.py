"""GRiP, GRnP and E: recall at a relevant scope, and the E-measure, as functions of generality."""

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curves.curve import Curve, CurveValues
from shrec_viewer.metrics.measures.measure import INFINITE
from shrec_viewer.metrics.measures.sources import GENERALITY, GENERALITY_E
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

if TYPE_CHECKING:  # imported by the functions: scores need no expected values
    from shrec_viewer.metrics.generality.expected_measures import ExpectedMeasure


def by_generality(
    hits: HitTable, profile: Profile, points: int, *, measure: "ExpectedMeasure" = "recall", relevant_scope: int = 1
) -> CurveValues:
    """Expected values at -log2 g = log2 n, then every quarter, and last in the whole collection.

    x and y are (Q, K): each query has its own last level. NaN beyond it, without relevant models, and if the scope is
    larger than the collection.
    """
    from shrec_viewer.metrics.generality.embedding import LEVEL_TOLERANCE, embedding_of
    from shrec_viewer.metrics.generality.expected_measures import (
        STEP,
        expected_by_generality,
        expected_in_collection,
    )

    embedding = embedding_of(hits)
    ends = embedding.doublings[embedding.kind]
    start = float(np.log2(relevant_scope))
    # Without the tolerance, a collection of exactly 2^k c models would have its last level twice.
    steps = np.floor(np.maximum(np.nan_to_num(ends, nan=-1.0) - start - LEVEL_TOLERANCE, -1.0) / STEP) + 1.0
    inner = steps.astype(np.int64)  # levels before the last one
    levels = start + STEP * np.arange(int(inner.max(initial=0)))
    is_inner = np.arange(len(levels) + 1) < inner[:, None]
    has_end = np.flatnonzero(ends >= start - LEVEL_TOLERANCE)

    def with_end(values: NDArray[np.float64], last: NDArray[np.float64]) -> NDArray[np.float64]:
        """(Q, K) values at the inner levels of each query, followed by its last one."""
        shown = np.full(is_inner.shape, np.nan)
        shown[:, :-1] = np.where(is_inner[:, :-1], values, np.nan)
        shown[has_end, inner[has_end]] = last[has_end]
        return shown

    expected = expected_by_generality(hits, profile, measure, relevant_scope=float(relevant_scope), doublings=levels)
    # Separate, as the generality of each query in the whole collection is its own, between two steps.
    last = expected_in_collection(hits, profile, measure, relevant_scope=float(relevant_scope))
    bounds = (expected.value, expected.lower, expected.upper)
    y, lower, upper = (with_end(values, end) for values, end in zip(bounds, last, strict=True))
    return CurveValues(with_end(np.broadcast_to(levels, expected.value.shape), ends), y, lower, upper)


def mean_by_generality(
    hits: HitTable, profile: Profile, points: int, *, measure: "ExpectedMeasure" = "recall", relevant_scope: int = 1
) -> CurveValues:
    """The same at levels that every query reaches, x (K,) and y (Q, K): only there means are of equal generality."""
    from shrec_viewer.metrics.generality.expected_measures import expected_by_generality

    expected = expected_by_generality(hits, profile, measure, relevant_scope=float(relevant_scope))
    return CurveValues(expected.doublings, expected.value, expected.lower, expected.upper)


X_LABEL = "Generality, −log₂ g (each unit halves the share of relevant models)"

UNLISTED = (
    "In the whole collection models that are not in a list are not retrieved, as for the measure. In smaller ones they "
    "follow it in random order; the bounds are that its other relevant models are never found, or next."
)


def _recall_curve(scope: int, definition: str) -> Curve:
    """Row of the GRnP graph for relevant scope n."""
    key, label = ("GRiP", "Recall = precision by generality (GRiP)") if scope == 1 else (
        f"GR{scope}P", f"Recall within {scope}C by generality (GR{scope}P)"
    )  # fmt: skip
    return Curve(
        key=key,
        label=label,
        x_label=X_LABEL,
        y_label="Recall = precision" if scope == 1 else f"Recall = {scope} × precision",
        x_range=(0.0, INFINITE),
        y_range=(0.0, 1.0),
        definition=definition,
        source=GENERALITY,
        function=partial(by_generality, relevant_scope=scope),
        average=partial(mean_by_generality, relevant_scope=scope),
        x="generality",
        y="recall",
    )


GRIP_CURVE = _recall_curve(
    1,
    "Expected recall within C ranks, where it equals the precision, if only a random subset of the "
    "irrelevant models is in the collection, of such a size that the generality g = C / (C + irrelevant models) is "
    "the same for all queries. Exact expectation; the last point of a query is the value of its list. Between whole "
    "numbers of irrelevant models the expectation is linear in g. Random rankings reach g, the ideal system 1. "
    f"{UNLISTED}",
)
GR2P_CURVE = _recall_curve(
    2,
    "As GRiP within 2C ranks. Starts at g = 1/2, where that is the whole collection. Random rankings reach 2 g.",
)
#: The scopes of figure 4a beyond 2C.
GRNP_CURVES = tuple(
    _recall_curve(scope, f"As GRiP within {scope}C ranks. Starts at g = 1/{scope}. Random rankings reach {scope} g.")
    for scope in (4, 8, 16, 32)
)

E_CURVE = Curve(
    key="E(generality)",
    label="E-measure by generality",
    x_label=X_LABEL,
    y_label="E@32",
    x_range=(0.0, INFINITE),
    y_range=(0.0, 1.0),
    definition="Expected E-measure within 32 ranks, 2 V(32) / (min(32, d) + C), in the collections of d models of "
    f"GRiP. {UNLISTED}",
    source=GENERALITY_E,
    function=partial(by_generality, measure="E"),
    average=partial(mean_by_generality, measure="E"),
    x="generality",
)
