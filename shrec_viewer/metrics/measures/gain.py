"""Cumulated gain: plain, discounted and normalised."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs, sum_of_terms
from shrec_viewer.metrics.measures.measure import INFINITE, FormulaVariant, Measure
from shrec_viewer.metrics.measures.sources import (
    JARVELIN,
    SHREC_2012,
    SHREC_2017_RGBD,
    SHREC_2019,
    SHREC_2022,
    TREC_EVAL,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import (
    FloatColumn,
    HitTable,
    IntColumn,
    limit_to_list_cut,
    nan_where_undefined,
    ratio_or_nan,
    relevant_found,
    sum_by_query,
)

#: The length of discount tables is a multiple of this, so that all ranks use the same vectorised loop of log2, whose
#: remainder loop can differ in the last bit.
VECTOR_WIDTH = 64

#: Maximum difference of two sums of the same terms in another order; shares up to this much above 1 are set to 1.
ROUNDING = 1e-12


def cumulated_gain(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) sum of the gains at the first k ranks."""
    query, _, gains = gains_of_hits(hits, profile, cutoff)
    return sum_by_query(query, gains, len(hits))


def discounted_gain(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) sum of the gains at the first k ranks, each divided by the discount of its rank."""
    query, ranks, gains = gains_of_hits(hits, profile, cutoff)
    weight = discount_weights(int(ranks.max(initial=0)), profile)[ranks]
    if profile.discount == "rgbd":
        # The program of SHREC 2017 (RGB-D) loops to the rank before the last, and starts from the undiscounted first
        # gain.
        weight = weight * (ranks < examined_depth(hits, cutoff)[query]) + (ranks == 1)
    return sum_by_query(query, gains * weight, len(hits))


def normalised_gain(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) cumulated gain as a share of that of the ideal ranking at the same rank; NaN without relevant models."""
    best = _gain_of_ideal(hits, profile, cutoff, discounted=False)
    return normalise_by_ideal(hits, cumulated_gain(hits, profile, level, cutoff)[:, None], best)[:, 0]


def normalised_discounted_gain(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) discounted gain as a share of that of the ideal ranking at the same rank; NaN without relevant models."""
    best = _gain_of_ideal(hits, profile, cutoff, discounted=True)
    return normalise_by_ideal(hits, discounted_gain(hits, profile, level, cutoff)[:, None], best)[:, 0]


def gain_below_ideal(
    hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, discounted: bool = False
) -> FloatColumn:
    """(Q,) gain of the ideal ranking less that of the list, at the first k ranks; NaN without relevant models."""
    gain = (discounted_gain if discounted else cumulated_gain)(hits, profile, level, cutoff)
    best = _gain_of_ideal(hits, profile, cutoff, discounted=discounted)[:, 0]
    # Both are sums of the same terms in another order, so that the difference of equal ones may be below 0.
    return nan_where_undefined(hits, 1, np.maximum(best - gain, 0.0))


def _gain_of_ideal(hits: HitTable, profile: Profile, cutoff: int | None, *, discounted: bool) -> NDArray[np.float64]:
    """(Q, 1) gain of the ideal ranking at the last rank considered, behind which both gains are constant."""
    reach = np.full((len(hits), 1), _ideal_depth(hits, profile, cutoff), np.int64)
    weight = discount_weights(int(reach.max(initial=0)), profile) if discounted else None
    return ideal_gain(hits, profile, reach, weight)


def normalise_by_ideal(hits: HitTable, gains: NDArray[np.float64], best: NDArray[np.float64]) -> NDArray[np.float64]:
    """(Q, K) ``gains / best``: NaN without relevant models, 0 if only the ideal ranking is empty."""
    # An ideal ranking of the models *in the list* is empty if the list has no relevant model: the query scores 0, not
    # NaN.
    has_relevant = (hits.relevant_size(1) > 0)[:, None]
    shares = np.where(has_relevant & (best == 0), 0.0, ratio_or_nan(gains, best))
    # An ideal ranking of all targets has a gain also for a query without relevant models.
    shares = np.where(has_relevant, shares, np.nan)
    # The ideal gain is summed over levels, the gain of a list over ranks: the same terms in another order.
    return np.where((shares > 1.0) & (shares < 1.0 + ROUNDING), 1.0, shares)


def gains_of_hits(
    hits: HitTable, profile: Profile, cutoff: int | None
) -> tuple[IntColumn, IntColumn, NDArray[np.float64]]:
    """Query, rank and gain of the hits within the first `cutoff` ranks, each (n,)."""
    inside = slice(None) if cutoff is None else hits.ranks <= cutoff
    gain = level_gains(hits.highest_level, profile)
    return hits.query[inside], hits.ranks[inside].astype(np.int64), gain[hits.levels[inside]]


def level_gains(highest: int, profile: Profile) -> NDArray[np.float64]:
    """(L + 1,) gain of the levels 0 … L."""
    levels = np.arange(highest + 1, dtype=np.float64)
    if profile.gain == "binary":
        return np.minimum(levels, 1.0)
    # 2^level - 1, the gain of web search (Burges et al. 2005); level 1 has gain 1 in all three conventions.
    return levels if profile.gain == "linear" else 2.0**levels - 1.0


def discount_weights(last: int, profile: Profile) -> NDArray[np.float64]:
    """(n + 1,) float64, n >= last: weight of a gain at each rank; entry 0 is 0.

    For the discount ``"rgbd"`` these are the weights of its sum, which excludes the last rank considered and adds the
    first gain a second time.
    """
    # -(-a // b) is the quotient rounded up, in integers.
    n = -(-(last + 1) // VECTOR_WIDTH) * VECTOR_WIDTH
    ranks = np.arange(1, n + 1, dtype=np.float64)
    if profile.discount == "jarvelin":
        # log2(1) = 0: Jarvelin and Kekalainen do not discount the ranks below the base of the logarithm, here 2.
        return np.concatenate([[0.0], 1.0 / np.log2(np.maximum(ranks, 2.0))])
    return np.concatenate([[0.0], 1.0 / np.log2(ranks + 1.0)])


def examined_depth(hits: HitTable, cutoff: int | None) -> IntColumn:
    """(Q,) int64, length of each list, at most `cutoff`."""
    return hits.list_length if cutoff is None else np.minimum(hits.list_length, cutoff)


def ideal_gain(
    hits: HitTable, profile: Profile, reach: IntColumn, weight: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """(Q, K) gain of the ideal ranking at the ranks `reach` (Q, K) or (1, K); discounted if `weight` is given.

    The ideal ranking has the models of the highest level first. Its gain is a sum over levels: each increment of the
    gain counts for every model of at least that level within the rank. It is constant after the last relevant model.
    """
    gain = level_gains(hits.highest_level, profile)
    # cumulated[n] is the discounted gain of n models of gain 1 at the first n ranks; entry 0 is 0.
    cumulated = None if weight is None else np.cumsum(weight)
    if profile.relevant == "reachable":
        reach = limit_to_list_cut(reach, profile)
    if profile.discount == "rgbd" and weight is not None:
        # Its ideal ranking is as long as the list, not as the class.
        reach = np.minimum(reach, hits.list_length[:, None])
    best = np.zeros((len(hits), reach.shape[1]))
    for level in range(1, hits.highest_level + 1):
        size = hits.collection_size if profile.ideal == "targets" else hits.relevant_size(level)
        if profile.ideal == "retrieved":
            size = relevant_found(hits, level)
        filled: NDArray[np.float64] | IntColumn = np.minimum(size[:, None], reach)
        if cumulated is not None and profile.discount == "rgbd":
            filled = cumulated[np.minimum(filled, np.maximum(reach - 1, 0))] + (filled > 0)
        elif cumulated is not None:
            filled = cumulated[filled]
        # A model of level 2 counts in the term of level 1 and in that of level 2: together G(1) + (G(2) - G(1)) = G(2).
        best += (gain[level] - gain[level - 1]) * filled
    return best


def _ideal_depth(hits: HitTable, profile: Profile, cutoff: int | None) -> int:
    """Number of ranks that affect the ideal ranking: after the last relevant model it is constant."""
    if cutoff is not None:
        return cutoff
    # The last rank considered depends on the list for "rgbd", so that the ideal gain is not constant before it.
    longest = int(hits.list_length.max(initial=0)) if profile.discount == "rgbd" else 0
    size = hits.collection_size if profile.ideal == "targets" else hits.relevant_size(1)
    return max(int(size.max(initial=0)), longest)


def gain_steps(inputs: MeasureInputs, *, discounted: bool = False) -> CalculationSteps:
    """Calculation of CG or DCG."""
    terms, values, ranks = _gain_terms(inputs, discounted=discounted)
    gain = {"linear": "its level", "binary": "1 if relevant", "exponential": "2^level - 1"}[inputs.profile.gain]
    return sum_of_terms(terms, values, ranks, 1, ("G[i]", "gain of the model at rank i", gain))


def normalised_gain_steps(inputs: MeasureInputs, *, discounted: bool = False) -> CalculationSteps:
    """Calculation of NCG or NDCG: gain of the list over gain of the ideal ranking."""
    terms, values, ranks = _gain_terms(inputs, discounted=discounted)
    gain, symbol = sum(values), "DCG" if discounted else "CG"
    best = float(_gain_of_ideal(inputs.hits, inputs.profile, inputs.cutoff, discounted=discounted)[0, 0])
    if not best:
        return CalculationSteps("0", f"{symbol} = 0", (), (), (), 0.0)
    symbols = [
        (symbol, "gain of this list", f"{gain:.6g}"),
        (f"I{symbol}", "gain of the ideal ranking", f"{best:.6g}"),
    ]
    if inputs.profile.relevant == "reachable" and inputs.profile.list_cut is not None:
        symbols.append(("L", "most models of the ideal ranking, the list cutoff", f"{inputs.profile.list_cut:,}"))
    return CalculationSteps(
        arithmetic=f"({' + '.join(terms) or '0'}) / {best!r}",
        shown=f"{symbol} / I{symbol} = {gain:.6g} / {best:.6g}",
        symbols=tuple(symbols),
        ranks=ranks,
        shares=tuple(entry / best for entry in values),
        total=gain / best,
    )


def below_ideal_steps(inputs: MeasureInputs, *, discounted: bool = False) -> CalculationSteps:
    """Calculation of CG(wasted) or DCG(wasted): gain of the ideal ranking less gain of the list."""
    terms, values, ranks = _gain_terms(inputs, discounted=discounted)
    gain, symbol = sum(values), "DCG" if discounted else "CG"
    best = float(_gain_of_ideal(inputs.hits, inputs.profile, inputs.cutoff, discounted=discounted)[0, 0])
    return CalculationSteps(
        arithmetic=f"{best!r} - ({' + '.join(terms) or '0'})",
        shown=f"I{symbol} − {symbol} = {best:.6g} − {gain:.6g}",
        symbols=(
            (f"I{symbol}", "gain of the ideal ranking", f"{best:.6g}"),
            (symbol, "gain of this list", f"{gain:.6g}"),
        ),
        ranks=ranks,
        shares=(),
        total=best - gain,
    )


def _gain_terms(inputs: MeasureInputs, *, discounted: bool) -> tuple[list[str], list[float], tuple[int, ...]]:
    """Terms, their values and ranks of (discounted) cumulated gain, one for each relevant model."""
    profile, cutoff, hits = inputs.profile, inputs.cutoff, inputs.hits
    gain_of = level_gains(hits.highest_level, profile)
    ranks = tuple(int(rank) for rank in hits.ranks if cutoff is None or rank <= cutoff)
    gains = [float(gain_of[int(level)]) for level in hits.levels[: len(ranks)]]
    if not discounted:
        return [f"{gain:g}" for gain in gains], gains, ranks
    depth = int(examined_depth(hits, cutoff)[0])
    terms, values = [], []
    for rank, gain in zip(ranks, gains, strict=True):
        if profile.discount == "jarvelin":
            terms.append(f"{gain:g}" if rank <= 2 else f"{gain:g}/log2({rank})")
            values.append(gain if rank <= 2 else gain / float(np.log2(rank)))
            continue
        # "rgbd": the model at the last rank does not count, the one at rank 1 counts twice, undiscounted.
        is_counted = profile.discount != "rgbd" or rank < depth
        extra = gain if profile.discount == "rgbd" and rank == 1 else 0.0
        parts = ([f"{gain:g}/log2({rank + 1})"] if is_counted else []) + ([f"{gain:g}"] if extra else [])
        terms.append(" + ".join(parts) or "0")
        values.append((gain / float(np.log2(rank + 1)) if is_counted else 0.0) + extra)
    return terms, values, ranks


#: Gains other than the level.
GAIN_VARIANTS = (
    FormulaVariant("gain", "binary", "G[i] = 1 for every relevant model", appended=True),
    FormulaVariant("gain", "exponential", "G[i] = 2^level - 1", appended=True),
)


def _ideal_variants(symbol: str) -> tuple[FormulaVariant, ...]:
    """What the ideal ranking of ICG or IDCG consists of."""
    order = "highest gains first"
    return (
        FormulaVariant("ideal", "truth", f"{symbol} of all relevant models, {order}", appended=True),
        FormulaVariant("ideal", "retrieved", f"{symbol} of the relevant models in the list, {order}", appended=True),
        FormulaVariant(
            "ideal",
            "targets",
            f"{symbol} of models of the highest gain at all ranks, so that no list reaches 1 where the ranks are more "
            "than the relevant models",
            source=SHREC_2022,
            appended=True,
        ),
        FormulaVariant("relevant", "reachable", f"{symbol} of at most the first L of these models", appended=True),
    )


CG = Measure(
    name="CG",
    label="Cumulated gain",
    better="higher",
    range=(0.0, INFINITE),
    definition="Sum of the gains in the list, or at its first K ranks. The gain of a model is its relevance level "
    "unless the conventions say otherwise.",
    formula="CG = sum_i G[i]; CG@K = sum_{i<=K} G[i]",
    source=JARVELIN,
    function=cumulated_gain,
    calculation=gain_steps,
    takes_level=False,
    takes_cutoff=True,
    variants=GAIN_VARIANTS,
)
DCG = Measure(
    name="DCG",
    label="Discounted cumulated gain",
    better="higher",
    range=(0.0, INFINITE),
    definition="Sum of the gains in the list, or at its first K ranks, each divided by the logarithm of its rank. "
    "Ranks 1 and 2 are not discounted (base 2), as in SHREC and the Princeton Shape Benchmark; text retrieval "
    "divides by log2(i+1).",
    formula="DCG = G[1] + sum_{i>=2} G[i] / log2(i); DCG@K = G[1] + sum_{2<=i<=K} G[i] / log2(i)",
    source=JARVELIN,
    function=discounted_gain,
    calculation=partial(gain_steps, discounted=True),
    takes_level=False,
    takes_cutoff=True,
    variants=(
        FormulaVariant(
            "discount",
            "log2(i+1)",
            "DCG = sum_i G[i] / log2(i + 1); DCG@K = sum_{i<=K} G[i] / log2(i + 1)",
            source=TREC_EVAL,
        ),
        FormulaVariant(
            "discount",
            "rgbd",
            "DCG = G[1] + sum_{i<d} G[i] / log2(i + 1), d = Va; "
            "DCG@K = G[1] + sum_{i<d} G[i] / log2(i + 1), d = min(Va, K)",
            source=SHREC_2017_RGBD,
        ),
        *GAIN_VARIANTS,
    ),
)
NCG = Measure(
    name="NCG",
    label="Normalised cumulated gain",
    better="higher",
    range=(0.0, 1.0),
    definition="Cumulated gain as a share of that of the ideal ranking at the same rank. Both are constant "
    "after their end.",
    formula="NCG = CG / ICG; NCG@K = CG@K / ICG@K",
    source=JARVELIN,
    function=normalised_gain,
    calculation=normalised_gain_steps,
    takes_level=False,
    takes_cutoff=True,
    variants=(*_ideal_variants("ICG"), *GAIN_VARIANTS),
)
NDCG = Measure(
    name="NDCG",
    label="Normalised discounted cumulated gain",
    better="higher",
    range=(0.0, 1.0),
    definition="Discounted cumulated gain as a share of that of the ideal ranking at the same rank; without a "
    "cutoff over the full list. The column DCG of psbTable and of SHREC 2012 is this number.",
    formula="NDCG = DCG / IDCG; NDCG@K = DCG@K / IDCG@K",
    source=JARVELIN,
    function=normalised_discounted_gain,
    calculation=partial(normalised_gain_steps, discounted=True),
    common=True,
    takes_level=False,
    takes_cutoff=True,
    variants=(
        FormulaVariant("discount", "jarvelin", "DCG = G[1] + sum_{i>=2} G[i] / log2(i)", appended=True),
        FormulaVariant("discount", "log2(i+1)", "DCG = sum_i G[i] / log2(i + 1)", source=TREC_EVAL, appended=True),
        FormulaVariant(
            "discount",
            "rgbd",
            "DCG = G[1] + sum_{i<d} G[i] / log2(i + 1), d the last rank of the list considered",
            source=SHREC_2017_RGBD,
            appended=True,
        ),
        *_ideal_variants("IDCG"),
        *GAIN_VARIANTS,
    ),
)


def _below_ideal(of: Measure, variants: tuple[FormulaVariant, ...], *, discounted: bool) -> Measure:
    """CG(wasted) or DCG(wasted): the vertical distance from a curve of gain to that of the ideal ranking."""
    name, ideal = f"{of.name}(wasted)", f"I{of.name}"
    return Measure(
        name=name,
        label=f"{of.label} below the ideal",
        better="lower",
        range=(0.0, INFINITE),
        definition=f"{of.label} of the ideal ranking less that of the list: the vertical distance between their curves "
        "at rank K, the effort wasted on models that are less than perfect.",
        formula=f"{name} = {ideal} - {of.name}; {name}@K = {ideal}@K - {of.name}@K",
        source=f"{SHREC_2012}; {SHREC_2019}",
        function=partial(gain_below_ideal, discounted=discounted),
        calculation=partial(below_ideal_steps, discounted=discounted),
        takes_level=False,
        takes_cutoff=True,
        variants=variants,
    )


CG_WASTED = _below_ideal(CG, NCG.variants, discounted=False)
DCG_WASTED = _below_ideal(DCG, NDCG.variants, discounted=True)
