"""Contingency table: true and false positives and negatives, and their weighted sum."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs
from shrec_viewer.metrics.measures.measure import INFINITE, Measure, MeasureFamily
from shrec_viewer.metrics.measures.sources import GENERALITY_COST, SHREC_2006
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import FloatColumn, HitTable, IntColumn, relevant_found


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
    """(Q,) number of models that are neither relevant nor retrieved, Ds + V_t - Va - C_t."""
    not_retrieved = hits.collection_size - retrieved(hits, cutoff)
    return (not_retrieved - (hits.relevant_size(level) - relevant_found(hits, level, cutoff))).astype(float)


def false_negatives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of relevant models that are not retrieved, C_t - V_t."""
    return (hits.relevant_size(level) - relevant_found(hits, level, cutoff)).astype(float)


@dataclass(frozen=True)
class LeastCost:
    """(Q,) least weighted sum ``alpha FP(s) + (1 - alpha) FN(s)`` over the scopes s = 0 … Va, at most the cut-off.

    Between two relevant models the sum rises with the scope, so only scopes that end with a relevant model, and 0, are
    compared.
    """

    alpha: float

    def __call__(self, hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
        """See `MeasureFunction`."""
        found, size = hits.at_least(level), hits.relevant_size(level)
        inside = slice(None) if cutoff is None else found.ranks <= cutoff
        query, ranks, number = found.query[inside], found.ranks[inside], found.number[inside]
        # Scope 0: nothing is retrieved, so all relevant models are false negatives (source 004, equation 8).
        least = np.asarray((1.0 - self.alpha) * size, np.float64)
        # np.minimum.at, because several hits of one query write to the same element; plain indexing would keep the last
        # one.
        np.minimum.at(least, query, self.alpha * (ranks - number) + (1.0 - self.alpha) * (size[query] - number))
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
    definition="Number of models of the collection that are neither relevant nor in the list, or its first K ranks.",
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
    name, positives, negatives = f"Cost(alpha={alpha:g})", f"{alpha:g}", f"{1.0 - alpha:g}"
    cost = f"{positives} (s - V(s)) + {negatives} (C - V(s))"
    return Measure(
        name=name,
        label=f"Least cost with alpha {alpha:g}",
        better="lower",
        range=(0.0, INFINITE),
        definition="Least weighted sum of false positives and false negatives, alpha FP + (1 - alpha) FN, over all "
        "scopes of the list, or those up to K. Alpha is any number from 0 to 1; 0.5 weights both errors equally.",
        formula=f"{name} = min_{{s<=Va}} {cost}; {name}@K = min_{{s<=min(K, Va)}} {cost}",
        source=GENERALITY_COST,
        function=LeastCost(alpha),
        calculation=partial(cost_steps, alpha=alpha),
        takes_cutoff=True,
        other_names=("Cost",) if alpha == 0.5 else (),
    )


COST = least_cost(0.5)
COST_FAMILY = MeasureFamily("Cost", least_cost, parameter="alpha", most=1.0)
