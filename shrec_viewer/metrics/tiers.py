"""Nearest neighbour and the tiers: how much of the class stands at the very front."""

import numpy as np

from shrec_viewer.metrics.counting import FloatColumn, found, share, where_defined
from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.measure import Measure, Variant
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.sources import GENERALITY, PSB_TABLE, TREC_EVAL


def nearest_neighbour(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1.0 where the first place holds a relevant model, else 0.0; NaN where the truth has none."""
    return where_defined(hits, level, found(hits, level, 1).astype(float))


def first_tier(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) share of relevant models within the first C places; `Profile.tiers` says of what."""
    return _tier(hits, profile, level, 1)


def second_tier(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) share of relevant models within the first 2C places; `Profile.tiers` says of what."""
    return _tier(hits, profile, level, 2)


def _tier(hits: HitTable, profile: Profile, level: int, times: int) -> FloatColumn:
    if profile.tiers == "psb":
        return recall_at_relevant_scope(hits, level, times)
    size = hits.relevant_size(level)
    scope = times * size
    if profile.tiers == "precision":
        return share(found(hits, level, scope), scope)
    if profile.tiers == "literal" and level == 1 and hits.highest_level > 1:
        # The report prints "if Va < Cr then d1 = Va else d1 = Ch" (and 2 Cr, 2 Ch) for the relevant models.
        highly = times * hits.relevant_size(2)
        scope = np.where(hits.list_length < scope, hits.list_length, highly)
    depth = np.minimum(hits.list_length, scope)
    values = share(found(hits, level, depth), depth)
    return where_defined(hits, level, np.where(depth > 0, values, 0.0))


def recall_at_relevant_scope(hits: HitTable, level: int, times: int) -> FloatColumn:
    """(Q,) recall within the first n C places, v(nC)/C: the relevant scope is n."""
    size = hits.relevant_size(level)
    return share(found(hits, level, times * size), size)


def r_precision(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) precision at rank C, whatever the profile calls a tier."""
    return recall_at_relevant_scope(hits, level, 1)


def generality_recall_1(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) ordinate of the GRiP graph, v(C)/C."""
    return recall_at_relevant_scope(hits, level, 1)


def generality_recall_2(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) ordinate of the GR2P graph, v(2C)/C."""
    return recall_at_relevant_scope(hits, level, 2)


NN = Measure(
    name="NN",
    label="Nearest neighbour",
    better="higher",
    range=(0.0, 1.0),
    definition="Whether the first model of the list is relevant: 1 or 0. Its mean is the accuracy of a "
    "nearest-neighbour classifier.",
    formula="NN = [G[1] relevant]",
    source=PSB_TABLE,
    function=nearest_neighbour,
)
FT = Measure(
    name="FT",
    label="First tier",
    better="higher",
    range=(0.0, 1.0),
    definition="Share of the query's C relevant models that stand within the first C places (the query itself left "
    "out: C = |class| - 1). SHREC 2006 divides by the places looked at instead, d = min(Va, C).",
    formula="FT = V(C) / C",
    source=PSB_TABLE,
    function=first_tier,
    variants=(
        Variant("tiers", "shrec2006", "FT = V(d) / d, d = min(Va, C)"),
        Variant("tiers", "literal", "FT = V(d) / d, d = Va if Va < C, else Ch"),
    ),
)
ST = Measure(
    name="ST",
    label="Second tier",
    better="higher",
    range=(0.0, 1.0),
    definition="Share of the query's C relevant models that stand within the first 2C places. SHREC 2006 divides by "
    "the places looked at instead, d = min(Va, 2C), so that its best value is about one half.",
    formula="ST = V(2C) / C",
    source=PSB_TABLE,
    function=second_tier,
    variants=(
        Variant("tiers", "shrec2006", "ST = V(d) / d, d = min(Va, 2C)"),
        Variant("tiers", "literal", "ST = V(d) / d, d = Va if Va < 2C, else 2Ch"),
        Variant("tiers", "precision", "ST = V(2C) / 2C"),
    ),
)
RPREC = Measure(
    name="Rprec",
    label="R-precision",
    better="higher",
    range=(0.0, 1.0),
    definition="Precision at the rank that equals the number C of relevant models; there precision and recall are the "
    "same number. Equals the first tier of the Princeton Shape Benchmark.",
    formula="Rprec = V(C) / C",
    source=TREC_EVAL,
    function=r_precision,
)
GR1 = Measure(
    name="GR1",
    label="Recall at relevant scope 1",
    better="higher",
    range=(0.0, 1.0),
    definition="Recall, and at the same time precision, when as many models are looked at as are relevant: the "
    "ordinate of the generality-recall-is-precision (GRiP) graph.",
    formula="GR1 = V(C) / C",
    source=GENERALITY,
    function=generality_recall_1,
)
GR2 = Measure(
    name="GR2",
    label="Recall at relevant scope 2",
    better="higher",
    range=(0.0, 1.0),
    definition="Recall when twice as many models are looked at as are relevant: the ordinate of the GR2P graph.",
    formula="GR2 = V(2C) / C",
    source=GENERALITY,
    function=generality_recall_2,
)
