"""Precision, average precision, reciprocal rank, F-measure and E-measure."""

import numpy as np

from shrec_viewer.metrics.measures.calculation import (
    CalculationSteps,
    FormulaSymbol,
    MeasureInputs,
    count_ratio,
    sum_of_terms,
)
from shrec_viewer.metrics.measures.counting import (
    FloatColumn,
    IntColumn,
    findable_size,
    limit_to_list_cut,
    nan_where_undefined,
    ratio_or_nan,
    relevant_found,
    sum_by_query,
)
from shrec_viewer.metrics.measures.measure import FormulaVariant, Measure
from shrec_viewer.metrics.measures.sources import (
    PSB_TABLE,
    SHREC_2006,
    SHREC_2013,
    SHREC_2017,
    TREC_EVAL,
    VAN_RIJSBERGEN,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable

E_DEPTH = 32
"""Ranks of the first page of results, as fixed by the Princeton Shape Benchmark."""


def precision(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) share of relevant models within the first k ranks, or in the list.

    With a cut-off k the divisor is k even if the list is shorter: unused ranks are not relevant (trec_eval). Without,
    it is the length of the list, and an empty list has precision 0. NaN without relevant models.
    """
    if cutoff is not None:
        return nan_where_undefined(hits, level, relevant_found(hits, level, cutoff) / cutoff)
    return nan_where_undefined(hits, level, relevant_found(hits, level) / np.maximum(hits.list_length, 1))


def average_precision(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) sum of the precisions at the ranks of the relevant models over the divisor `Profile.ap_divisor`.

    NaN without relevant models, 0 if none is in the list.
    """
    found = hits.at_least(level)
    query, terms = found.query, found.number / found.ranks
    if cutoff is not None:
        inside = found.ranks <= cutoff
        query, terms = query[inside], terms[inside]
    total = sum_by_query(query, terms, len(hits))
    size = hits.relevant_size(level)
    if profile.ap_divisor == "relevant":
        return ratio_or_nan(total, size)
    if profile.ap_divisor == "reachable":
        return ratio_or_nan(total, limit_to_list_cut(size, profile))
    if profile.ap_divisor == "largest class":
        return nan_where_undefined(hits, level, total / max(hits.largest_size(level), 1))
    return nan_where_undefined(hits, level, total / np.maximum(relevant_found(hits, level, cutoff), 1))


def reciprocal_rank(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1 / rank of the first relevant model, 0 if none is in the list (or within its first k ranks)."""
    found = hits.at_least(level)
    first = found.number == 1
    if cutoff is not None:
        first &= found.ranks <= cutoff
    return nan_where_undefined(hits, level, sum_by_query(found.query[first], 1.0 / found.ranks[first], len(hits)))


def f_measure(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) harmonic mean of precision and recall, 2 V / (length + C)."""
    places = hits.list_length if cutoff is None else np.full(len(hits), cutoff, np.int64)
    return _harmonic(hits, profile, level, places, cutoff)


def e_measure(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) F-measure at rank 32; at the collection size if that is smaller (psbTable)."""
    depth = E_DEPTH if cutoff is None else cutoff
    return _harmonic(hits, profile, level, np.minimum(depth, hits.collection_size), depth)


def _harmonic(hits: HitTable, profile: Profile, level: int, places: IntColumn, scope: int | None) -> FloatColumn:
    size = findable_size(hits, profile, level)
    return nan_where_undefined(hits, level, 2.0 * relevant_found(hits, level, scope) / np.maximum(places + size, 1))


def precision_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of P and P@k."""
    cutoff, found = inputs.cutoff, inputs.found_symbol(inputs.cutoff)
    if cutoff is not None:
        return count_ratio(inputs, cutoff, cutoff, f"V({cutoff:,}) / k", (found, *inputs.cutoff_symbol()))
    return count_ratio(inputs, None, max(inputs.list_length, 1), "V / Va", (found, inputs.length_symbol()))


def average_precision_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of AP: a sum of precisions over a divisor that the profile decides."""
    ranks, size, cut = inputs.ranks_within(inputs.cutoff), inputs.relevant_size, inputs.profile.list_cut
    divisor, symbol, meaning = {
        "relevant": (size, "C", "relevant models"),
        "reachable": (
            size if cut is None else min(size, cut),
            "min(C, L)",
            "relevant models, at most the list cut-off",
        ),
        "largest class": (
            max(inputs.hits.largest_size(inputs.level), 1),
            "max C",
            "relevant models of the largest class",
        ),
        "retrieved": (max(len(ranks), 1), "V", "relevant models in the list"),
    }[inputs.profile.ap_divisor]
    terms = [f"{number}/{rank}" for number, rank in enumerate(ranks, 1)]
    values = [number / rank for number, rank in enumerate(ranks, 1)]
    return sum_of_terms(terms, values, ranks, divisor, (symbol, meaning, f"{divisor:,}"))


def reciprocal_rank_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of RR."""
    first = inputs.ranks_within(inputs.cutoff)[:1]
    symbol = ("p_1", "rank of the first relevant model", f"{first[0]:,}" if first else "none")
    if not first:
        return CalculationSteps("0", "no relevant model in the list: 0", (symbol,), (), (), 0.0)
    return CalculationSteps(f"1 / {first[0]}", f"1 / {first[0]:,}", (symbol,), first, (1 / first[0],), 1 / first[0])


def f_measure_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of F1 and F1@k."""
    cutoff = inputs.cutoff
    if cutoff is None:
        return _harmonic_steps(inputs, inputs.list_length, None, inputs.length_symbol())
    return _harmonic_steps(inputs, cutoff, cutoff, ("k", "ranks considered", f"{cutoff:,}"))


def e_measure_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of E@k."""
    depth = inputs.cutoff or E_DEPTH
    length = min(depth, inputs.collection_size)
    symbol = ("k", "ranks considered, at most the collection size", f"{length:,}")
    return _harmonic_steps(inputs, length, depth, symbol)


def _harmonic_steps(inputs: MeasureInputs, length: int, scope: int | None, symbol: FormulaSymbol) -> CalculationSteps:
    """``2 V / (length + C)``."""
    ranks, size = inputs.ranks_within(scope), inputs.findable_size
    divisor = max(length + size, 1)
    return CalculationSteps(
        arithmetic=f"2 * {len(ranks)} / ({length} + {size})" if length + size else "0",
        shown=f"2 V / ({symbol[0]} + C) = 2 · {len(ranks):,} / ({length:,} + {size:,})",
        symbols=(inputs.size_symbol(size), symbol, inputs.found_symbol(scope)),
        ranks=ranks,
        shares=(2.0 / divisor,) * len(ranks),
        total=2.0 * len(ranks) / divisor,
    )


P = Measure(
    name="P",
    label="Precision",
    better="higher",
    range=(0.0, 1.0),
    definition="Share of relevant models in the list; P@k: within its first k ranks, where the unused ranks of a "
    "short list count as not relevant. Not informative for a list of the whole collection.",
    formula="P = V / Va; P@k = V(k) / k",
    source=f"{SHREC_2006}; P@k as in trec_eval",
    function=precision,
    calculation=precision_steps,
    takes_cutoff=True,
)
AP = Measure(
    name="AP",
    label="Average precision",
    better="higher",
    range=(0.0, 1.0),
    definition="Mean of the precisions at the rank of each relevant model; a model that is not retrieved adds 0. "
    "SHREC 2006 takes the mean over the retrieved ones only, which favours short lists; the sketch toolkits of 2013 to "
    "2019 divide by the size of the largest class, which disfavours small ones.",
    formula="AP = (1/C) sum_k k / p_k",
    source=TREC_EVAL,
    function=average_precision,
    calculation=average_precision_steps,
    common=True,
    mean_name="MAP",
    takes_cutoff=True,
    variants=(
        FormulaVariant("ap_divisor", "retrieved", "AP = (1/V) sum_k k / p_k; 0 where V = 0", source=SHREC_2006),
        FormulaVariant(
            "ap_divisor", "reachable", "AP = (1/min(C, L)) sum_k k / p_k, L list cut-off", source=SHREC_2017
        ),
        FormulaVariant(
            "ap_divisor", "largest class", "AP = (1/max C) sum_k k / p_k, max C over all queries", source=SHREC_2013
        ),
    ),
)
RR = Measure(
    name="RR",
    label="Reciprocal rank",
    better="higher",
    range=(0.0, 1.0),
    definition="One divided by the rank of the first relevant model; 0 if there is none in the list.",
    formula="RR = 1 / p_1",
    source=TREC_EVAL,
    function=reciprocal_rank,
    calculation=reciprocal_rank_steps,
    common=True,
    takes_cutoff=True,
)
F1 = Measure(
    name="F1",
    label="F-measure",
    better="higher",
    range=(0.0, 1.0),
    definition="Harmonic mean of precision and recall, of the list or of its first k ranks.",
    formula="F1 = 2 V / (Va + C); F1@k = 2 V(k) / (k + C)",
    source=VAN_RIJSBERGEN,
    function=f_measure,
    calculation=f_measure_steps,
    takes_cutoff=True,
    variants=(
        FormulaVariant(
            "relevant",
            "reachable",
            "F1 = 2 V / (Va + min(C, L)); F1@k = 2 V(k) / (k + min(C, L)), L list cut-off",
            source=SHREC_2017,
        ),
    ),
)
E = Measure(
    name="E",
    label="E-measure",
    better="higher",
    range=(0.0, 1.0),
    definition="Harmonic mean of precision and recall within the first 32 ranks, the first page of results. It is van "
    "Rijsbergen's 1 - E; its maximum is 2 min(32, C) / (32 + C), below 1 unless C = 32.",
    formula="E@k = 2 V(k) / (min(k, Ds) + C), k = 32 by default",
    source=PSB_TABLE,
    function=e_measure,
    calculation=e_measure_steps,
    common=True,
    takes_cutoff=True,
    default_cutoff=E_DEPTH,
    variants=(
        FormulaVariant(
            "relevant",
            "reachable",
            "E@k = 2 V(k) / (min(k, Ds) + min(C, L)), k = 32 by default, L list cut-off",
        ),
    ),
)
