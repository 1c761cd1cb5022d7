"""Nearest neighbour, tiers, R-precision, and recall and precision at a relevant scope."""

from dataclasses import replace
from functools import partial

import numpy as np

from shrec_viewer.metrics.measures.calculation import CalculationSteps, FormulaSymbol, MeasureInputs, count_ratio
from shrec_viewer.metrics.measures.measure import FormulaVariant, Measure, MeasureFamily
from shrec_viewer.metrics.measures.sources import (
    GENERALITY,
    MPEG7,
    PSB_TABLE,
    SHREC_2006,
    SHREC_2017_RGBD,
    SHREC_2021,
    TREC_EVAL,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import (
    FloatColumn,
    HitTable,
    nan_where_undefined,
    ratio_or_nan,
    relevant_found,
)


def nearest_neighbour(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1.0 if the model at rank 1 is relevant, else 0.0; NaN without relevant models."""
    return nan_where_undefined(hits, level, relevant_found(hits, level, 1).astype(float))


def first_tier(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) First Tier, from the first C ranks; see `Profile.tiers`."""
    return _tier(hits, profile, level, 1)


def second_tier(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) Second Tier, from the first 2C ranks; see `Profile.tiers`."""
    return _tier(hits, profile, level, 2)


def _tier(hits: HitTable, profile: Profile, level: int, times: int) -> FloatColumn:
    if profile.tiers == "psb":
        return recall_at_relevant_scope(hits, level, times)
    size = hits.relevant_size(level)
    scope = times * size
    if profile.tiers == "precision" or (profile.tiers == "rgbd" and times == 1):
        return ratio_or_nan(relevant_found(hits, level, scope), scope)
    if profile.tiers == "shrec2021":
        return _shrec2021_tier(hits, level, times)
    if profile.tiers == "literal" and level == 1 and hits.highest_level > 1:
        # The report prints "if Va < Cr then d1 = Va else d1 = Ch" (and 2 Cr, 2 Ch) for the relevant models.
        highly = times * hits.relevant_size(2)
        scope = np.where(hits.list_length < scope, hits.list_length, highly)
    depth = np.minimum(hits.list_length, scope)
    values = ratio_or_nan(relevant_found(hits, level, depth), depth)
    return nan_where_undefined(hits, level, np.where(depth > 0, values, 0.0))


def _shrec2021_tier(hits: HitTable, level: int, times: int) -> FloatColumn:
    """(Q,) the tiers as in the evaluator of SHREC 2021.

    It iterates over the list until all C relevant models are found. If it reaches rank C, and rank 2C, it stores the
    number of hits so far plus one, divided by the rank. The Second Tier keeps its initial value, 1, if the loop ends
    before rank 2C. An empty list, which the program cannot read, scores 0.
    """
    scope = times * hits.relevant_size(level)
    # The stored number of hits is one too large at both ranks.
    noted = ratio_or_nan(relevant_found(hits, level, scope) + 1, scope)
    # The loop ends at the last relevant model; if that is before rank 2C, the tier keeps its initial value of 1.
    ended = (hits.relevant_size(level) > 0) & (relevant_found(hits, level, scope - 1) == hits.relevant_size(level))
    return np.where(hits.list_length > 0, np.where(ended, 1.0, noted), 0.0 * noted)


def recall_at_relevant_scope(hits: HitTable, level: int, times: int) -> FloatColumn:
    """(Q,) recall within the first n C ranks, v(nC)/C: the relevant scope is n."""
    size = hits.relevant_size(level)
    return ratio_or_nan(relevant_found(hits, level, times * size), size)


def r_precision(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) precision at rank C, independent of `Profile.tiers`."""
    # R-precision of trec_eval has no variants: it does not follow the tiers of contests.
    return recall_at_relevant_scope(hits, level, 1)


def nearest_neighbour_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of NN."""
    first = inputs.ranks_within(1)
    relevance = "relevant" if first else "not relevant"
    symbol = ("G[1]", "the first model of the list", relevance)
    shown = f"the first model is {relevance}"
    return CalculationSteps(str(len(first)), shown, (symbol,), first, (1.0,) * len(first), float(len(first)))


def tier_steps(inputs: MeasureInputs, times: int) -> CalculationSteps:
    """Calculation of the first (`times` 1) or second (2) tier; see `_tier`."""
    convention, size = inputs.profile.tiers, inputs.relevant_size
    scope = times * size
    symbols: tuple[FormulaSymbol, ...] = (inputs.size_symbol(), inputs.found_symbol(scope))
    if convention == "psb":
        return count_ratio(inputs, scope, size, f"V({scope:,}) / C", symbols)
    if convention == "precision" or (convention == "rgbd" and times == 1):
        return count_ratio(inputs, scope, scope, f"V({scope:,}) / {scope:,}", symbols)
    if convention == "shrec2021":
        earlier = inputs.ranks_within(scope - 1)
        if len(earlier) == size:
            return CalculationSteps("1", "all relevant models have a lower rank: 1", symbols, earlier, (), 1.0)
        return count_ratio(inputs, scope, scope, f"(V({scope:,}) + 1) / {scope:,}", symbols, plus=1)
    if convention == "literal" and inputs.level == 1 and inputs.hits.highest_level > 1:
        highly = times * int(inputs.hits.relevant_size(2)[0])
        scope = inputs.list_length if inputs.list_length < scope else highly
    depth = min(inputs.list_length, scope)
    symbols = (
        inputs.size_symbol(),
        inputs.length_symbol(),
        ("d", "ranks considered", f"{depth:,}"),
        inputs.found_symbol(depth),
    )
    return count_ratio(inputs, depth, depth, f"V({depth:,}) / d", symbols)


def scope_steps(inputs: MeasureInputs, scope: int, *, precision: bool = False) -> CalculationSteps:
    """Calculation of recall (GRn) or precision (GRPn) within the first n C ranks."""
    depth = scope * inputs.relevant_size
    symbols = (inputs.size_symbol(), inputs.found_symbol(depth))
    divisor, shown = (depth, f"{depth:,}") if precision else (inputs.relevant_size, "C")
    return count_ratio(inputs, depth, divisor, f"V({depth:,}) / {shown}", symbols)


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
    other_names=("1-NN", "NN1", "Nearest neighbor"),
    calculation=nearest_neighbour_steps,
    common=True,
)
FT = Measure(
    name="FT",
    label="First tier",
    better="higher",
    in_percent=True,
    range=(0.0, 1.0),
    definition="Share of the query's C relevant models within the first C ranks (the query itself excluded: "
    "C = |class| - 1). SHREC 2006 divides by the ranks considered instead, d = min(Va, C).",
    formula="FT = V(C) / C",
    source=PSB_TABLE,
    function=first_tier,
    other_names=("T1", "Tier1", "1-Tier"),
    calculation=partial(tier_steps, times=1),
    common=True,
    variants=(
        FormulaVariant("tiers", "shrec2006", "FT = V(d) / d, d = min(Va, C)", source=SHREC_2006),
        FormulaVariant("tiers", "literal", "FT = V(d) / d, d = Va if Va < C, else Ch", source=SHREC_2006),
        FormulaVariant("tiers", "shrec2021", "FT = (V(C) + 1) / C, one hit too many", (0.0, 2.0), SHREC_2021),
    ),
)
ST = Measure(
    name="ST",
    label="Second tier",
    better="higher",
    in_percent=True,
    range=(0.0, 1.0),
    definition="Share of the query's C relevant models within the first 2C ranks. SHREC 2006 divides by "
    "the ranks considered instead, d = min(Va, 2C), so that its maximum is min(C, d) / d: one half for lists of "
    "at least 2C models, more for shorter ones.",
    formula="ST = V(2C) / C",
    source=PSB_TABLE,
    function=second_tier,
    other_names=("T2", "Tier2", "2-Tier"),
    calculation=partial(tier_steps, times=2),
    common=True,
    variants=(
        FormulaVariant("tiers", "shrec2006", "ST = V(d) / d, d = min(Va, 2C)", source=SHREC_2006),
        FormulaVariant("tiers", "literal", "ST = V(d) / d, d = Va if Va < 2C, else 2Ch", source=SHREC_2006),
        FormulaVariant("tiers", "precision", "ST = V(2C) / 2C"),
        FormulaVariant("tiers", "rgbd", "ST = V(d) / d, d = min(Va, 2C)", source=SHREC_2017_RGBD),
        FormulaVariant(
            "tiers",
            "shrec2021",
            "ST = 1 where V(2C - 1) = C, else (V(2C) + 1) / 2C, one hit too many",
            source=SHREC_2021,
        ),
    ),
)
RPREC = Measure(
    name="Rprec",
    label="R-precision",
    better="higher",
    range=(0.0, 1.0),
    definition="Precision at the rank that equals the number C of relevant models, where precision and recall are "
    "equal. The same as the first tier of the Princeton Shape Benchmark.",
    formula="Rprec = V(C) / C",
    source=TREC_EVAL,
    function=r_precision,
    other_names=("RP",),
    calculation=partial(scope_steps, scope=1),
    common=True,
)


def scope_recall(hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, scope: int) -> FloatColumn:
    """(Q,) recall within the first n C ranks, v(nC)/C."""
    return recall_at_relevant_scope(hits, level, scope)


def scope_precision(hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, scope: int) -> FloatColumn:
    """(Q,) precision within the first n C ranks, v(nC)/(nC); at most 1/n."""
    ranks = scope * hits.relevant_size(level)
    return ratio_or_nan(relevant_found(hits, level, ranks), ranks)


def bulls_eye(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) recall within twice the class size, both with the query itself; NaN without other relevant models."""
    return nan_where_undefined(hits, level, recall_at_relevant_scope(hits.with_query, level, 2))


def bulls_eye_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of BEP: that of GR2 in the list with the query."""
    with_own = inputs.hits.with_query
    steps = scope_steps(replace(inputs, hits=with_own), 2)
    # Ranks of the list without the query, as it is displayed.
    last = 2 * int(with_own.relevant_size(inputs.level)[0]) - int(with_own.list_length[0] - inputs.list_length)
    return replace(steps, ranks=inputs.ranks_within(last), shares=())


BEP = Measure(
    name="BEP",
    label="Bull's eye performance",
    better="higher",
    range=(0.0, 1.0),
    definition="Recall within the first 2C ranks where the query itself counts as one of the C models of its class and "
    "of its list, as in MPEG-7. For a query that is not in the collection, and where the conventions include the query "
    "it is GR2.",
    formula="BEP = V(2C) / C",
    source=MPEG7,
    function=bulls_eye,
    other_names=("Bull's eye",),
    calculation=bulls_eye_steps,
)


def recall_at_scope(scope: int) -> Measure:
    """GRn: the ordinate of the GRnP graph."""
    depth = "C ranks" if scope == 1 else f"{scope}C ranks"
    what = "Recall, which equals precision," if scope == 1 else "Recall"
    places = "C" if scope == 1 else f"{scope}C"
    return Measure(
        name=f"GR{scope}",
        label=f"Recall at relevant scope {scope}",
        better="higher",
        range=(0.0, 1.0),
        definition=f"{what} within the first {depth}: the ordinate of the generality-recall-precision graph for "
        f"relevant scope {scope}. The number in the name can be any whole number from 1.",
        formula=f"GR{scope} = V({places}) / C",
        source=GENERALITY,
        function=partial(scope_recall, scope=scope),
        other_names=("GRiP",) if scope == 1 else (),
        calculation=partial(scope_steps, scope=scope),
    )


def precision_at_scope(scope: int) -> Measure:
    """GRPn: precision at the same rank as GRn."""
    places = "C" if scope == 1 else f"{scope}C"
    return Measure(
        name=f"GRP{scope}",
        label=f"Precision at relevant scope {scope}",
        better="higher",
        range=(0.0, 1.0 / scope),
        definition=f"Precision within the first {places} ranks, where C models are relevant: GR{scope} divided by "
        f"{scope}, so that its maximum is {1.0 / scope:.3g}. The number in the name can be any whole number from 1.",
        formula=f"GRP{scope} = V({places}) / {places}",
        source=GENERALITY,
        function=partial(scope_precision, scope=scope),
        calculation=partial(scope_steps, scope=scope, precision=True),
    )


GR1, GR2, GRP2 = recall_at_scope(1), recall_at_scope(2), precision_at_scope(2)
GR_FAMILY = MeasureFamily("GR", recall_at_scope)
GRP_FAMILY = MeasureFamily("GRP", precision_at_scope)
