"""Recall and average dynamic recall."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.measures.calculation import (
    CalculationSteps,
    MeasureInputs,
    count_ratio,
    join_terms,
    shorten_terms,
)
from shrec_viewer.metrics.measures.measure import FormulaVariant, Measure
from shrec_viewer.metrics.measures.sources import SHREC_2006, SHREC_2017, TYPKE
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import (
    FloatColumn,
    HitTable,
    IntColumn,
    findable_size,
    nan_where_undefined,
    ratio_or_nan,
    relevant_found,
    sum_by_query,
)


def recall(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) share of the relevant models that are in the list, or within its first k ranks."""
    return ratio_or_nan(relevant_found(hits, level, cutoff), findable_size(hits, profile, level))


def average_dynamic_recall(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) mean over the ranks i = 1 … q of f(i) / i, the recall at rank i relative to the highest possible one.

    f(i) is the number of highly relevant models within the first i ranks while i <= Ch, and of all relevant ones
    for larger i: an ideal ranking has only highly relevant models up to rank Ch. q is Cr, or the cut-off if there is
    one; SHREC 2006 limits q to the length of the list. With binary relevance every relevant model is highly relevant.
    NaN without relevant models, 0 for an empty list.

    Notes
    -----
    A hit at rank p adds 1/i at every rank i >= p at which it counts, so its contribution is a difference of harmonic
    numbers.
    """
    # min(2, L): with binary relevance, level 1 is the highest and counts as highly relevant.
    n_high = hits.relevant_size(min(2, hits.highest_level))
    last = hits.relevant_size(1) if cutoff is None else np.full(len(hits), cutoff, np.int64)
    if profile.adr == "shrec2006":
        # SHREC 2006 ends the sum with the list, which favours short lists.
        last = np.minimum(last, hits.list_length)
    total = _dynamic_recalls(hits, n_high, last)
    return nan_where_undefined(hits, 1, total / np.maximum(last, 1))


def _dynamic_recalls(hits: HitTable, n_high: IntColumn, last: IntColumn) -> FloatColumn:
    """(Q,) sum over i = 1 … last of f(i) / i."""
    query, ranks = hits.query, hits.ranks.astype(np.int64)
    is_high = hits.levels >= min(2, hits.highest_level)
    # A marginally relevant model counts from rank Ch + 1 on, even if it is listed before.
    first = np.where(is_high, ranks, np.maximum(ranks, n_high[query] + 1))
    counts = first <= last[query]
    query, first = query[counts], first[counts]
    harmonic = harmonic_numbers(int(last.max(initial=0)))
    # 1/first + … + 1/last = H(last) - H(first - 1).
    return sum_by_query(query, harmonic[last[query]] - harmonic[first - 1], len(hits))


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
    high = min(2, inputs.hits.highest_level)
    n_high = int(inputs.hits.relevant_size(high)[0])
    last = inputs.relevant_size if inputs.cutoff is None else inputs.cutoff
    if inputs.profile.adr == "shrec2006":
        last = min(last, inputs.list_length)
    high_ranks = [rank for rank, level in zip(inputs.ranks, inputs.levels, strict=True) if level >= high]
    counts = [sum(rank <= i for rank in (high_ranks if i <= n_high else inputs.ranks)) for i in range(1, last + 1)]
    terms = [f"{count}/{i}" for i, count in enumerate(counts, 1)]
    divisor = max(last, 1)
    return CalculationSteps(
        arithmetic=join_terms(terms, divisor),
        shown=f"({shorten_terms(terms)}) / {last:,}",
        symbols=(
            ("q", "ranks considered", f"{last:,}"),
            ("Ch", "highly relevant models", f"{n_high:,}"),
            *([("Cr", "relevant models", f"{inputs.relevant_size:,}")] if inputs.cutoff is None else []),
        ),
        ranks=inputs.ranks_within(last),
        shares=(),
        total=sum(count / i for i, count in enumerate(counts, 1)) / divisor,
    )


R = Measure(
    name="R",
    label="Recall",
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
    definition="Mean over the first Cr ranks of the recall relative to the possible one: at rank i the share of highly "
    "relevant models within i ranks while i <= Ch, of all relevant models beyond. SHREC 2006 stops at the end of a "
    "shorter list; with a cut-off it stops at rank K.",
    formula="ADR = (1/q) sum_{i<=q} f(i) / i, q = Cr; ADR@K = (1/q) sum_{i<=q} f(i) / i, q = K; "
    "f(i) = Vh(i) if i <= Ch, else Vr(i)",
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
    ),
)
