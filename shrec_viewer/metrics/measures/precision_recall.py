"""Contingency counts, precision and recall, and measures made of them: AP, GMAP, ADR, RR, Success, F and E."""

from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.measures.calculation import (
    CalculationSteps,
    FormulaSymbol,
    MeasureInputs,
    count_ratio,
    join_terms,
    shorten_terms,
    sum_of_terms,
)
from shrec_viewer.metrics.measures.measure import INFINITE, FormulaVariant, Measure, MeasureFamily, number_text
from shrec_viewer.metrics.measures.sources import (
    GENERALITY_COST,
    PSB_TABLE,
    REVISITED,
    SHREC_2006,
    SHREC_2012,
    SHREC_2012_F,
    SHREC_2013,
    SHREC_2016,
    SHREC_2017,
    SHREC_2019,
    SHREC_2021_PROTEIN,
    TREC_EVAL,
    TYPKE,
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


def retrieved(hits: HitTable, cutoff: int | None) -> IntColumn:
    """(Q,) int64, number of models that count as retrieved: those in the list, or within its first K ranks."""
    return hits.list_length if cutoff is None else np.minimum(hits.list_length, cutoff)


def true_positives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of relevant models retrieved, V_t."""
    return relevant_found(hits, level, cutoff).astype(float)


def false_positives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of models retrieved that are not relevant, Va - V_t."""
    return (retrieved(hits, cutoff) - relevant_found(hits, level, cutoff)).astype(float)


def true_negatives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of models that are neither relevant nor retrieved, Ds + V_t - Va - C_t; at least 0.

    A list with unknown ids (`Profile.unknown`) can be longer than the collection; then there are none.
    """
    not_retrieved = hits.collection_size - retrieved(hits, cutoff)
    number = not_retrieved - (hits.relevant_size(level) - relevant_found(hits, level, cutoff))
    return np.maximum(number, 0).astype(float)


def false_negatives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of relevant models that are not retrieved, C_t - V_t."""
    return (hits.relevant_size(level) - relevant_found(hits, level, cutoff)).astype(float)


def weighted_cost(hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, alpha: float) -> FloatColumn:
    """(Q,) least weighted sum ``alpha FP(s) + (1 - alpha) FN(s)`` over the scopes s = 0 … Va, at most the cutoff.

    Between two relevant models the sum rises with the scope, so only scopes that end with a relevant model, and 0, are
    compared.
    """
    found, size = hits.at_least(level), hits.relevant_size(level)
    inside = slice(None) if cutoff is None else found.ranks <= cutoff
    query, ranks, number = found.query[inside], found.ranks[inside], found.number[inside]
    # Scope 0: nothing is retrieved, so all relevant models are false negatives (source 004, equation 8).
    least = np.asarray((1.0 - alpha) * size, np.float64)
    # np.minimum.at, because several hits of one query write to the same element; plain indexing would keep the last
    # one.
    np.minimum.at(least, query, alpha * (ranks - number) + (1.0 - alpha) * (size[query] - number))
    return least


def contingency_steps(inputs: MeasureInputs, cell: str) -> CalculationSteps:
    """Calculation of one cell of the contingency table: ``"TP"``, ``"FP"``, ``"TN"`` or ``"FN"``."""
    ranks, size, collection = inputs.ranks_within(inputs.cutoff), inputs.relevant_size, inputs.collection_size
    found, listed = len(ranks), min(inputs.list_length, inputs.cutoff or inputs.list_length)
    arithmetic, shown, total = {
        "TP": (f"{found}", f"{found:,}", found),
        "FP": (f"{listed} - {found}", f"{listed:,} − {found:,}", listed - found),
        "FN": (f"{size} - {found}", f"{size:,} − {found:,}", size - found),
        "TN": (
            f"{collection} + {found} - {listed} - {size}",
            f"{collection:,} + {found:,} − {listed:,} − {size:,}",
            collection + found - listed - size,
        ),
    }[cell]
    found_symbol, length, relevant = inputs.found_symbol(inputs.cutoff), inputs.length_symbol(), inputs.size_symbol()
    if total < 0:  # unknown ids make the list longer than the collection, see `true_negatives`
        arithmetic, shown, total = f"max(0, {arithmetic})", f"max(0, {shown})", 0
    symbols = {
        "TP": (found_symbol,),
        "FP": (found_symbol, length),
        "FN": (found_symbol, relevant),
        "TN": (found_symbol, length, relevant, inputs.collection_symbol()),
    }[cell]
    return CalculationSteps(arithmetic, shown, symbols, ranks, (), float(total))


def cost_steps(inputs: MeasureInputs, alpha: float) -> CalculationSteps:
    """Calculation of the least cost: the scope at which it is least."""
    ranks, size = inputs.ranks_within(inputs.cutoff), inputs.relevant_size
    costs = [alpha * (s - v) + (1.0 - alpha) * (size - v) for v, s in enumerate((0, *ranks))]
    # argmin takes the first of equal costs, so the shortest scope is shown.
    v = int(np.argmin(costs))
    scope = (0, *ranks)[v]
    arithmetic = f"{alpha!r} * ({scope} - {v}) + {1.0 - alpha!r} * ({size} - {v})"
    return CalculationSteps(
        arithmetic=arithmetic,
        shown=f"{alpha:g} · ({scope:,} − {v:,}) + {1.0 - alpha:g} · ({size:,} − {v:,})",
        symbols=(
            ("s", "scope with the least cost", f"{scope:,}"),
            ("V(s)", "relevant models within the first s ranks", f"{v:,}"),
            inputs.size_symbol(),
        ),
        ranks=ranks[:v],
        shares=(),
        total=float(costs[v]),
    )


TP = Measure(
    name="TP",
    label="True positives",
    better="higher",
    range=(0.0, INFINITE),
    definition="Number of relevant models in the list, or within its first K ranks.",
    formula="TP = V; TP@K = V(K)",
    source=SHREC_2006,
    function=true_positives,
    calculation=partial(contingency_steps, cell="TP"),
    takes_cutoff=True,
)
FP = Measure(
    name="FP",
    label="False positives",
    better="lower",
    range=(0.0, INFINITE),
    definition="Number of models in the list, or within its first K ranks, that are not relevant.",
    formula="FP = Va - V; FP@K = min(K, Va) - V(K)",
    source=SHREC_2006,
    function=false_positives,
    calculation=partial(contingency_steps, cell="FP"),
    takes_cutoff=True,
)
TN = Measure(
    name="TN",
    label="True negatives",
    better="higher",
    range=(0.0, INFINITE),
    definition="Number of models of the collection that are neither relevant nor in the list, or its first K ranks. "
    "Ids that are not in the collection count as models of the list where they keep their rank; the number is at "
    "least 0.",
    formula="TN = Ds + V - Va - C; TN@K = Ds + V(K) - min(K, Va) - C",
    source=SHREC_2006,
    function=true_negatives,
    calculation=partial(contingency_steps, cell="TN"),
    takes_cutoff=True,
)
FN = Measure(
    name="FN",
    label="False negatives",
    better="lower",
    range=(0.0, INFINITE),
    definition="Number of relevant models that are not in the list, or not within its first K ranks.",
    formula="FN = C - V; FN@K = C - V(K)",
    source=SHREC_2006,
    function=false_negatives,
    calculation=partial(contingency_steps, cell="FN"),
    takes_cutoff=True,
)


def least_cost(alpha: float) -> Measure:
    """Cost(alpha=…): the least weighted sum of false positives and false negatives over all scopes."""
    name, positives, negatives = f"Cost(alpha={number_text(alpha)})", f"{alpha:g}", f"{1.0 - alpha:g}"
    cost = f"{positives} (s - V(s)) + {negatives} (C - V(s))"
    return Measure(
        name=name,
        label=f"Least cost with alpha {number_text(alpha)}",
        better="lower",
        range=(0.0, INFINITE),
        definition="Least weighted sum of false positives and false negatives, alpha FP + (1 - alpha) FN, over all "
        "scopes of the list, or those up to K. Alpha is any number from 0 to 1; 0.5 weights both errors equally.",
        formula=f"{name} = min_{{s<=Va}} {cost}; {name}@K = min_{{s<=min(K, Va)}} {cost}",
        source=GENERALITY_COST,
        function=partial(weighted_cost, alpha=alpha),
        calculation=partial(cost_steps, alpha=alpha),
        takes_cutoff=True,
        other_names=("Cost",) if alpha == 0.5 else (),
    )


COST = least_cost(0.5)
COST_FAMILY = MeasureFamily("Cost", least_cost, parameter="alpha", most=1.0)


#: Ranks of the first page of results, as fixed by the Princeton Shape Benchmark.
E_DEPTH = 32


def precision(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) share of relevant models within the first k ranks, or in the list.

    With a cutoff k the divisor is k even if the list is shorter: unused ranks are not relevant (trec_eval). Without,
    it is the length of the list, and an empty list has precision 0. NaN without relevant models.
    """
    if cutoff is not None:
        ranks = precision_divisors(hits, profile, level, np.array([cutoff]))[:, 0]
        return nan_where_undefined(hits, level, relevant_found(hits, level, cutoff) / ranks)
    return nan_where_undefined(hits, level, relevant_found(hits, level) / np.maximum(hits.list_length, 1))


def precision_divisors(hits: HitTable, profile: Profile, level: int, ranks: IntColumn) -> NDArray[np.int64]:
    """(Q, K) or (1, K), divisors of the precision at the `ranks` (K,); see `Profile.precision_divisor`."""
    if profile.precision_divisor == "cutoff":
        return np.broadcast_to(ranks, (len(hits), len(ranks)))
    found = hits.at_least(level)
    last = np.concatenate([[0], found.ranks])[np.where(np.diff(found.indptr) > 0, found.indptr[1:], 0)]
    # Without a relevant model in the list precision is 0, whatever the divisor.
    return np.where(last[:, None] > 0, np.minimum(ranks[None, :], last[:, None]), ranks[None, :])


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


#: What average precision counts at least in a geometric mean (trec_eval), so that one query without hits is not all.
LEAST_AP = 1e-5


def geometric_mean(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> float:
    """Exp of the mean of ln max(AP, 1e-5) over the queries; NaN without a query that has relevant models."""
    values = average_precision(hits, profile, level, cutoff)
    values = np.nan_to_num(values) if profile.no_relevant == "zero" else values[~np.isnan(values)]
    return float(np.exp(np.log(np.maximum(values, LEAST_AP)).mean())) if len(values) else float("nan")


def success(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1.0 if a relevant model is within the first k ranks, or in the list; NaN without relevant models."""
    return nan_where_undefined(hits, level, (relevant_found(hits, level, cutoff) > 0).astype(float))


def reciprocal_rank(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1 / rank of the first relevant model, 0 if none is in the list (or within its first k ranks)."""
    found = hits.at_least(level)
    # At most one hit per query has number 1, so the sum below has at most one term.
    first = found.number == 1
    if cutoff is not None:
        first &= found.ranks <= cutoff
    return nan_where_undefined(hits, level, sum_by_query(found.query[first], 1.0 / found.ranks[first], len(hits)))


def f_measure(hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, beta: float) -> FloatColumn:
    """(Q,) weighted harmonic mean of precision and recall, (1 + beta²) V / (length + beta² C)."""
    ranks = hits.list_length if cutoff is None else np.full(len(hits), cutoff, np.int64)
    # 2 V / (k + C) is the harmonic mean of V/k and V/C, without a division by zero where V = 0.
    return _harmonic(hits, profile, level, ranks, cutoff, beta**2)


def e_measure(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) F-measure at rank 32; at the collection size if that is smaller (psbTable)."""
    # A list with unknown ids (`Profile.unknown`) can be longer than the collection; its further ranks do not count.
    ranks = np.minimum(E_DEPTH if cutoff is None else cutoff, hits.collection_size)
    return _harmonic(hits, profile, level, ranks, ranks)


def one_minus_f(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) 1 less `e_measure`."""
    return 1.0 - e_measure(hits, profile, level, cutoff)


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
        divisor = int(precision_divisors(inputs.hits, inputs.profile, inputs.level, np.array([cutoff]))[0, 0])
        return count_ratio(inputs, cutoff, divisor, f"V({cutoff:,}) / {divisor:,}", (found,))
    return count_ratio(inputs, None, max(inputs.list_length, 1), "V / Va", (found, inputs.length_symbol()))


def average_precision_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of AP: a sum of precisions over a divisor that the profile decides."""
    ranks, size, cut = inputs.ranks_within(inputs.cutoff), inputs.relevant_size, inputs.profile.list_cut
    divisor, symbol, meaning = {
        "relevant": (size, "C", "relevant models"),
        "reachable": (
            size if cut is None else min(size, cut),
            "min(C, L)",
            "relevant models, at most the list cutoff",
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


def success_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of Success@k."""
    found = inputs.ranks_within(inputs.cutoff)[:1]
    symbol = ("p_1", "rank of the first relevant model", f"{inputs.ranks[0]:,}" if inputs.ranks else "none")
    relation = "≤" if found else ">"
    shown = f"{symbol[2]} {relation} {inputs.cutoff:,}" if inputs.cutoff and inputs.ranks else f"p_1: {symbol[2]}"
    return CalculationSteps(str(len(found)), shown, (symbol,), found, (1.0,) * len(found), float(len(found)))


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


def one_minus_f_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of E(rijsbergen)@K."""
    steps = e_measure_steps(inputs)
    return replace(
        steps,
        arithmetic=f"1 - {steps.arithmetic}",
        shown=f"1 − {steps.shown.replace(' = ', ' = 1 − ')}",
        shares=(),
        total=1.0 - steps.total,
    )


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
    other_names=("set_P", "Prec"),
    better="higher",
    range=(0.0, 1.0),
    definition="Share of relevant models in the list, or within its first K ranks, where the unused ranks of a short "
    "list count as not relevant. Not informative for a list of the whole collection.",
    formula="P = V / Va; P@K = V(K) / K",
    source=f"{SHREC_2006}; P@K as in trec_eval",
    function=precision,
    variants=(
        FormulaVariant(
            "precision_divisor",
            "last relevant",
            "P = V / Va; P@K = V(K) / min(K, p_V), p_V the rank of the last relevant model",
            source=REVISITED,
        ),
    ),
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
            source=f"{SHREC_2006}; {SHREC_2016}",
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
GMAP_FORMULA = "GMAP = exp(mean of ln max(AP, 0.00001))"
GMAP = Measure(
    name="GMAP",
    label="Geometric mean average precision",
    better="higher",
    range=(0.0, 1.0),
    definition="Geometric mean of the average precisions of all queries, each at least 0.00001, so that an improvement "
    "of bad queries counts as much as one of good ones. The value of one query is its average precision; there is no "
    "mean over classes.",
    formula=f"{GMAP_FORMULA}; AP = (1/C) sum_k k / p_k",
    source=TREC_EVAL,
    function=average_precision,
    run_function=geometric_mean,
    query_value="AP",
    calculation=average_precision_steps,
    variants=tuple(
        replace(variant, formula=f"{GMAP_FORMULA}; {variant.formula.partition('; ')[0]}") for variant in AP.variants
    ),
    other_names=("gm_map",),
)
SUCCESS = Measure(
    name="Success",
    label="Success",
    better="higher",
    range=(0.0, 1.0),
    definition="Whether a relevant model is within the first K ranks: 1 or 0. Its mean over queries at each K is the "
    "cumulative match characteristic; Success@1 is the nearest neighbour.",
    formula="Success = 1 if p_1 <= Va, else 0; Success@K = 1 if p_1 <= K, else 0",
    source=TREC_EVAL,
    function=success,
    calculation=success_steps,
    takes_cutoff=True,
    default_cutoff=5,
    other_names=("CMC", "Rank", "Top", "Hit rate", "Hits"),
)
RR = Measure(
    name="RR",
    label="Reciprocal rank",
    other_names=("recip_rank",),
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
    function=partial(f_measure, beta=1.0),
    calculation=partial(f_measure_steps, beta=1.0),
    takes_cutoff=True,
    other_names=("F", "F-score", "F1-score", "set_F"),
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
    name, weight = f"F(beta={number_text(beta)})", f"{beta**2:g}"
    total = f"{1.0 + beta**2:g}"
    return Measure(
        name=name,
        label=f"F-measure with beta {number_text(beta)}",
        better="higher",
        range=(0.0, 1.0),
        definition="Weighted harmonic mean of precision and recall, of the list or of its first K ranks: "
        "(1 + beta^2) P R / (beta^2 P + R). Beta is any number from 0; above 1 recall weighs more, below 1 precision. "
        "The weight in the text of SHREC 2012 is beta^2.",
        formula=f"{name} = {total} V / (Va + {weight} C); {name}@K = {total} V(K) / (K + {weight} C)",
        source=SHREC_2012_F,
        function=partial(f_measure, beta=beta),
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
F_FAMILY = MeasureFamily("F", weighted_f, parameter="beta", most=1e9)

E = Measure(
    name="E",
    label="E-measure",
    better="higher",
    range=(0.0, 1.0),
    definition="Harmonic mean of precision and recall within the first K ranks, the first page of results: 32 unless "
    "another cutoff is given. It is van Rijsbergen's 1 - E; its maximum is 2 min(k, C) / (k + C) with k = min(K, Ds), "
    "below 1 unless C = k.",
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

E_RIJSBERGEN = Measure(
    name="E(rijsbergen)",
    label="E-measure as 1 - F",
    better="lower",
    range=(0.0, 1.0),
    definition="One less the F-measure within the first K ranks, 32 unless another cutoff is given: E as the reports "
    "of 2012 and 2019 print its formula. They add that higher values are better, which is true of F; their programs "
    "and tables have that, E.",
    formula="E(rijsbergen)@K = 1 - 2 V(K) / (min(K, Ds) + C)",
    source=f"{VAN_RIJSBERGEN}; {SHREC_2012}; {SHREC_2019}",
    function=one_minus_f,
    calculation=one_minus_f_steps,
    takes_cutoff=True,
    default_cutoff=E_DEPTH,
    variants=(
        FormulaVariant(
            "relevant",
            "reachable",
            "E(rijsbergen)@K = 1 - 2 V(K) / (min(K, Ds) + min(C, L))",
        ),
    ),
)


def recall(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) share of the relevant models that are in the list, or within its first k ranks."""
    return ratio_or_nan(relevant_found(hits, level, cutoff), findable_size(hits, profile, level))


def average_dynamic_recall(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) mean over the ranks i = 1 … q of f(i) / i, the recall at rank i relative to the highest possible one.

    f(i) is the number of models within the first i ranks whose level is at least that of rank i of the ideal list,
    which has the highest levels first. q is Cr, or the cutoff if there is one; SHREC 2006 limits q to the length of the
    list. NaN without relevant models, 0 for an empty list.

    Notes
    -----
    A hit adds 1/i at every rank i from which on it counts (`counts_from`), so its contribution is a difference of
    harmonic numbers.
    """
    hits = dynamic_recall_hits(hits, profile)
    last = hits.relevant_size(1) if cutoff is None else np.full(len(hits), cutoff, np.int64)
    if profile.adr == "shrec2006":
        # SHREC 2006 ends the sum with the list, which favours short lists.
        last = np.minimum(last, hits.list_length)
    first = counts_from(hits, profile)
    counts = first <= last[hits.query]
    query, first = hits.query[counts], first[counts]
    harmonic = harmonic_numbers(int(last.max(initial=0)))
    # 1/first + … + 1/last = H(last) - H(first - 1).
    total = sum_by_query(query, harmonic[last[query]] - harmonic[first - 1], len(hits))
    # The differences add up to slightly more than 1 for some perfect lists.
    return nan_where_undefined(hits, 1, np.minimum(total / np.maximum(last, 1), 1.0))


def dynamic_recall_hits(hits: HitTable, profile: Profile) -> HitTable:
    """The hits that dynamic recall counts: the protein evaluator reads matrices with the query itself."""
    return hits.with_query if profile.adr == "protein2021" else hits


def counts_from(hits: HitTable, profile: Profile) -> IntColumn:
    """(nnz,) int64, rank from which on each hit counts in dynamic recall.

    Its own rank, but not before the ideal list has models of its level: behind all models of higher levels. SHREC 2006
    has two levels, and the levels above 2 count as 2.
    """
    query, ranks = hits.query, hits.ranks.astype(np.int64)
    highest = min(2, hits.highest_level) if profile.adr == "shrec2006" else hits.highest_level
    levels = np.minimum(hits.levels, highest)
    higher = np.zeros((len(hits), hits.highest_level + 1), np.int64)
    for one in range(1, highest):
        higher[:, one] = hits.relevant_size(one + 1)
    first = np.maximum(ranks, higher[query, levels] + 1)
    if profile.adr == "protein2021" and hits.highest_level > 2:
        # Among the ranks of level 2 of the ideal list its program adds models of exactly that level only.
        n_best, end = hits.relevant_size(3)[query], hits.relevant_size(2)[query]
        first = np.where((levels > 2) & (ranks > n_best) & (ranks <= end), end + 1, first)
    return first


def harmonic_numbers(n: int) -> NDArray[np.float64]:
    """(n + 1,) float64, harmonic numbers: H(0) = 0, H(1) = 1, H(2) = 1.5."""
    return np.concatenate([[0.0], np.cumsum(1.0 / np.arange(1, n + 1))])


def recall_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of R and R@k."""
    cutoff, size = inputs.cutoff, inputs.findable_size
    symbols = (inputs.size_symbol(size), inputs.found_symbol(cutoff))
    return count_ratio(inputs, cutoff, size, "V / C" if cutoff is None else f"V({cutoff:,}) / C", symbols)


def dynamic_recall_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of ADR: one term f(i) / i for each rank i up to q."""
    hits = dynamic_recall_hits(inputs.hits, inputs.profile)
    n_relevant = int(hits.relevant_size(1)[0])
    last = n_relevant if inputs.cutoff is None else inputs.cutoff
    if inputs.profile.adr == "shrec2006":
        last = min(last, inputs.list_length)
    starts = counts_from(hits, inputs.profile)
    counts = [int((starts <= i).sum()) for i in range(1, last + 1)]
    terms = [f"{count}/{i}" for i, count in enumerate(counts, 1)]
    divisor = max(last, 1)
    return CalculationSteps(
        arithmetic=join_terms(terms, divisor),
        shown=f"({shorten_terms(terms)}) / {last:,}",
        symbols=(
            ("q", "ranks considered", f"{last:,}"),
            *([("Cr", "relevant models", f"{n_relevant:,}")] if inputs.cutoff is None else []),
        ),
        ranks=inputs.ranks_within(last),
        shares=(),
        total=sum(count / i for i, count in enumerate(counts, 1)) / divisor,
        found=tuple(counts),
    )


R = Measure(
    name="R",
    label="Recall",
    other_names=("set_recall", "Rec"),
    better="higher",
    range=(0.0, 1.0),
    definition="Share of the relevant models that are in the list, or within its first K ranks. Not informative "
    "for a list of the whole collection.",
    formula="R = V / C; R@K = V(K) / C",
    source=SHREC_2006,
    function=recall,
    calculation=recall_steps,
    takes_cutoff=True,
    variants=(
        FormulaVariant(
            "relevant",
            "reachable",
            "R = V / min(C, L); R@K = V(K) / min(C, L)",
            source=SHREC_2017,
        ),
    ),
)
ADR = Measure(
    name="ADR",
    label="Average dynamic recall",
    better="higher",
    range=(0.0, 1.0),
    definition="Mean over the first Cr ranks of the recall relative to the possible one: at rank i the share of models "
    "within i ranks whose level is at least that of rank i of the ideal list, of any number of levels. With two levels "
    "these are the highly relevant models while i <= Ch, and all relevant ones beyond. SHREC 2006 has two levels and "
    "stops at the end of a shorter list; with a cutoff it stops at rank K.",
    formula="ADR = (1/q) sum_{i<=q} f(i) / i, q = Cr; ADR@K = (1/q) sum_{i<=q} f(i) / i, q = K; "
    "f(i) = models within i ranks of at least the level at rank i of the ideal list",
    source=TYPKE,
    function=average_dynamic_recall,
    mean_name="MADR",
    calculation=dynamic_recall_steps,
    common=True,
    takes_level=False,
    takes_cutoff=True,
    variants=(
        FormulaVariant(
            "adr",
            "shrec2006",
            "ADR = (1/q) sum_{i<=q} f(i) / i, q = min(Va, Cr); ADR@K = (1/q) sum_{i<=q} f(i) / i, q = min(Va, K); "
            "f(i) = Vh(i) if i <= Ch, else Vr(i)",
            source=SHREC_2006,
        ),
        FormulaVariant(
            "adr",
            "protein2021",
            "among the ranks of level 2 of the ideal list, models of level 3 are not added; the query itself, at the "
            "highest level, is in its list",
            source=SHREC_2021_PROTEIN,
            appended=True,
        ),
    ),
)
