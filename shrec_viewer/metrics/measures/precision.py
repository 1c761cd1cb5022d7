"""Precision, average precision, reciprocal rank, F-measure and E-measure."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from shrec_viewer.metrics.measures.calculation import (
    CalculationSteps,
    FormulaSymbol,
    MeasureInputs,
    count_ratio,
    sum_of_terms,
)
from shrec_viewer.metrics.measures.measure import FormulaVariant, Measure, MeasureFamily
from shrec_viewer.metrics.measures.sources import (
    PSB_TABLE,
    SHREC_2006,
    SHREC_2012_F,
    SHREC_2013,
    SHREC_2017,
    TREC_EVAL,
    VAN_RIJSBERGEN,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import (
    FloatColumn,
    HitTable,
    IntColumn,
    findable_size,
    limit_to_list_cut,
    nan_where_undefined,
    ratio_or_nan,
    relevant_found,
    sum_by_query,
)

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
        # Hits are ascending by rank within a query, so `number` is still the count of hits up to each of them.
        inside = found.ranks <= cutoff
        query, terms = query[inside], terms[inside]
    total = sum_by_query(query, terms, len(hits))
    size = hits.relevant_size(level)
    if profile.ap_divisor == "relevant":
        return ratio_or_nan(total, size)
    if profile.ap_divisor == "reachable":
        return ratio_or_nan(total, limit_to_list_cut(size, profile))
    # The toolkit of the SHREC 2019 sketch and image tracks pads each query with zeros to the size of the largest class.
    if profile.ap_divisor == "largest class":
        return nan_where_undefined(hits, level, total / max(hits.largest_size(level), 1))
    # "retrieved": at least 1, since a list without relevant models has the sum 0 and scores 0, not NaN.
    return nan_where_undefined(hits, level, total / np.maximum(relevant_found(hits, level, cutoff), 1))


def reciprocal_rank(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1 / rank of the first relevant model, 0 if none is in the list (or within its first k ranks)."""
    found = hits.at_least(level)
    # At most one hit per query has number 1, so the sum below has at most one term.
    first = found.number == 1
    if cutoff is not None:
        first &= found.ranks <= cutoff
    return nan_where_undefined(hits, level, sum_by_query(found.query[first], 1.0 / found.ranks[first], len(hits)))


@dataclass(frozen=True)
class FMeasure:
    """(Q,) weighted harmonic mean of precision and recall, (1 + beta²) V / (length + beta² C)."""

    beta: float

    def __call__(self, hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
        """See `MeasureFunction`."""
        ranks = hits.list_length if cutoff is None else np.full(len(hits), cutoff, np.int64)
        # 2 V / (k + C) is the harmonic mean of V/k and V/C, without a division by zero where V = 0.
        return _harmonic(hits, profile, level, ranks, cutoff, self.beta**2)


def e_measure(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) F-measure at rank 32; at the collection size if that is smaller (psbTable)."""
    # A list with unknown ids (`Profile.unknown`) can be longer than the collection; its further ranks do not count.
    ranks = np.minimum(E_DEPTH if cutoff is None else cutoff, hits.collection_size)
    return _harmonic(hits, profile, level, ranks, ranks)


def _harmonic(
    hits: HitTable, profile: Profile, level: int, ranks: IntColumn, scope: IntColumn | int | None, weight: float = 1.0
) -> FloatColumn:
    divisor = np.asarray(ranks + weight * findable_size(hits, profile, level), np.float64)
    # (1 + b) P R / (b P + R) with P = V/k and R = V/C is (1 + b) V / (k + b C): source 000, equation 2, with b =
    # beta^2.
    found = np.asarray((1.0 + weight) * relevant_found(hits, level, scope), np.float64)
    values = ratio_or_nan(found, divisor)
    # beta = 0 and an empty list give 0 / 0; precision is 0 there.
    return nan_where_undefined(hits, level, np.where(divisor > 0, values, 0.0))


def precision_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of P and P@k."""
    cutoff, found = inputs.cutoff, inputs.found_symbol(inputs.cutoff)
    if cutoff is not None:
        return count_ratio(inputs, cutoff, cutoff, f"V({cutoff:,}) / {cutoff:,}", (found,))
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


def f_measure_steps(inputs: MeasureInputs, beta: float) -> CalculationSteps:
    """Calculation of the F-measure of the list or of its first K ranks."""
    cutoff = inputs.cutoff
    if cutoff is None:
        return _harmonic_steps(inputs, inputs.list_length, "Va", None, (inputs.length_symbol(),), beta**2)
    return _harmonic_steps(inputs, cutoff, f"{cutoff:,}", cutoff, (), beta**2)


def e_measure_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of E@K."""
    depth = inputs.cutoff or E_DEPTH
    length = min(depth, inputs.collection_size)
    return _harmonic_steps(inputs, length, f"min({depth:,}, Ds)", length, (inputs.collection_symbol(),))


def _harmonic_steps(
    inputs: MeasureInputs,
    length: int,
    length_text: str,
    scope: int | None,
    symbols: tuple[FormulaSymbol, ...],
    weight: float = 1.0,
) -> CalculationSteps:
    """``(1 + weight) V / (length + weight C)``; `length_text` is the length as in the formula."""
    ranks, size, found = inputs.ranks_within(scope), inputs.findable_size, inputs.found_symbol(scope)
    divisor = length + weight * size
    # The same order of operations as in `_harmonic`: the panel shows the value of the table, to the last digit.
    total = (1.0 + weight) * len(ranks) / divisor if divisor else 0.0
    factor = "" if weight == 1.0 else f"{weight:g} · "
    return CalculationSteps(
        # !r has all digits of a float, so that evaluating the text gives the same number.
        arithmetic=f"{1.0 + weight!r} * {len(ranks)} / ({length} + {weight!r} * {size})" if divisor else "0",
        shown=f"{1.0 + weight:g} {found[0]} / ({length_text} + {factor}C) "
        f"= {1.0 + weight:g} · {len(ranks):,} / ({length:,} + {factor}{size:,})",
        symbols=(inputs.size_symbol(size), *symbols, found),
        ranks=ranks,
        shares=(total / len(ranks),) * len(ranks) if ranks else (),
        total=total,
    )


P = Measure(
    name="P",
    label="Precision",
    better="higher",
    range=(0.0, 1.0),
    definition="Share of relevant models in the list, or within its first K ranks, where the unused ranks of a short "
    "list count as not relevant. Not informative for a list of the whole collection.",
    formula="P = V / Va; P@K = V(K) / K",
    source=f"{SHREC_2006}; P@K as in trec_eval",
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
    formula="AP = (1/C) sum_k k / p_k; AP@K = (1/C) sum_{p_k<=K} k / p_k",
    source=TREC_EVAL,
    function=average_precision,
    calculation=average_precision_steps,
    common=True,
    mean_name="MAP",
    takes_cutoff=True,
    variants=(
        FormulaVariant(
            "ap_divisor",
            "retrieved",
            "AP = (1/V) sum_k k / p_k; AP@K = (1/V(K)) sum_{p_k<=K} k / p_k; 0 where V = 0",
            source=SHREC_2006,
        ),
        FormulaVariant(
            "ap_divisor",
            "reachable",
            "AP = (1/min(C, L)) sum_k k / p_k; AP@K = (1/min(C, L)) sum_{p_k<=K} k / p_k",
            source=SHREC_2017,
        ),
        FormulaVariant(
            "ap_divisor",
            "largest class",
            "AP = (1/max C) sum_k k / p_k; AP@K = (1/max C) sum_{p_k<=K} k / p_k; max C over all queries",
            source=SHREC_2013,
        ),
    ),
)
RR = Measure(
    name="RR",
    label="Reciprocal rank",
    better="higher",
    range=(0.0, 1.0),
    definition="One divided by the rank of the first relevant model; 0 if there is none in the list, or its first K "
    "ranks.",
    formula="RR = 1 / p_1; RR@K = 1 / p_1 if p_1 <= K, else 0",
    mean_name="MRR",
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
    definition="Harmonic mean of precision and recall, of the list or of its first K ranks.",
    formula="F1 = 2 V / (Va + C); F1@K = 2 V(K) / (K + C)",
    source=VAN_RIJSBERGEN,
    function=FMeasure(1.0),
    calculation=partial(f_measure_steps, beta=1.0),
    takes_cutoff=True,
    other_names=("F", "F-score", "F1-score"),
    variants=(
        FormulaVariant(
            "relevant",
            "reachable",
            "F1 = 2 V / (Va + min(C, L)); F1@K = 2 V(K) / (K + min(C, L))",
            source=SHREC_2017,
        ),
    ),
)


def weighted_f(beta: float) -> Measure:
    """F(beta=…): the F-measure in which recall weighs beta times as much as precision."""
    name, weight = f"F(beta={beta:g})", f"{beta**2:g}"
    total = f"{1.0 + beta**2:g}"
    return Measure(
        name=name,
        label=f"F-measure with beta {beta:g}",
        better="higher",
        range=(0.0, 1.0),
        definition="Weighted harmonic mean of precision and recall, of the list or of its first K ranks: "
        "(1 + beta^2) P R / (beta^2 P + R). Beta is any number from 0; above 1 recall weighs more, below 1 precision. "
        "The weight in the text of SHREC 2012 is beta^2.",
        formula=f"{name} = {total} V / (Va + {weight} C); {name}@K = {total} V(K) / (K + {weight} C)",
        source=SHREC_2012_F,
        function=FMeasure(beta),
        calculation=partial(f_measure_steps, beta=beta),
        takes_cutoff=True,
        variants=(
            FormulaVariant(
                "relevant",
                "reachable",
                f"{name} = {total} V / (Va + {weight} min(C, L)); {name}@K = {total} V(K) / (K + {weight} min(C, L))",
                source=SHREC_2017,
            ),
        ),
    )


F2 = weighted_f(2.0)
F_FAMILY = MeasureFamily("F", weighted_f, parameter="beta")

E = Measure(
    name="E",
    label="E-measure",
    better="higher",
    range=(0.0, 1.0),
    definition="Harmonic mean of precision and recall within the first K ranks, the first page of results: 32 unless "
    "another cut-off is given. It is van Rijsbergen's 1 - E; its maximum is 2 min(K, C) / (K + C), below 1 unless "
    "C = K.",
    formula="E@K = 2 V(K) / (min(K, Ds) + C)",
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
            "E@K = 2 V(K) / (min(K, Ds) + min(C, L))",
        ),
    ),
)
