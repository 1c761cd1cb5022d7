"""Contingency table: true and false positives and negatives."""

from functools import partial

from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs
from shrec_viewer.metrics.measures.counting import FloatColumn, relevant_found
from shrec_viewer.metrics.measures.measure import INFINITE, Measure
from shrec_viewer.metrics.measures.sources import SHREC_2006
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable


def true_positives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of relevant models in the list, V_t."""
    return relevant_found(hits, level).astype(float)


def false_positives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of models in the list that are not relevant, Va - V_t."""
    return (hits.list_length - relevant_found(hits, level)).astype(float)


def true_negatives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of models that are neither relevant nor in the list, Ds + V_t - Va - C_t."""
    not_listed = hits.collection_size - hits.list_length
    return (not_listed - (hits.relevant_size(level) - relevant_found(hits, level))).astype(float)


def false_negatives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) number of relevant models that are not in the list, C_t - V_t."""
    return (hits.relevant_size(level) - relevant_found(hits, level)).astype(float)


def contingency_steps(inputs: MeasureInputs, cell: str) -> CalculationSteps:
    """Calculation of one cell of the contingency table: ``"TP"``, ``"FP"``, ``"TN"`` or ``"FN"``."""
    found, listed, size = len(inputs.ranks), inputs.list_length, inputs.relevant_size
    collection = inputs.collection_size
    arithmetic, shown, total = {
        "TP": (f"{found}", f"V = {found:,}", found),
        "FP": (f"{listed} - {found}", f"Va − V = {listed:,} − {found:,}", listed - found),
        "FN": (f"{size} - {found}", f"C − V = {size:,} − {found:,}", size - found),
        "TN": (
            f"{collection} + {found} - {listed} - {size}",
            f"Ds + V − Va − C = {collection:,} + {found:,} − {listed:,} − {size:,}",
            collection + found - listed - size,
        ),
    }[cell]
    symbols = (inputs.found_symbol(None), inputs.length_symbol(), inputs.size_symbol(), inputs.collection_symbol())
    return CalculationSteps(arithmetic, shown, symbols, inputs.ranks, (), float(total))


TP = Measure(
    name="TP",
    label="True positives",
    better="higher",
    range=(0.0, INFINITE),
    definition="Number of relevant models in the list.",
    formula="TP = V",
    source=SHREC_2006,
    function=true_positives,
    calculation=partial(contingency_steps, cell="TP"),
)
FP = Measure(
    name="FP",
    label="False positives",
    better="lower",
    range=(0.0, INFINITE),
    definition="Number of models in the list that are not relevant.",
    formula="FP = Va - V",
    source=SHREC_2006,
    function=false_positives,
    calculation=partial(contingency_steps, cell="FP"),
)
TN = Measure(
    name="TN",
    label="True negatives",
    better="higher",
    range=(0.0, INFINITE),
    definition="Number of models of the collection that are neither relevant nor in the list.",
    formula="TN = Ds + V - Va - C",
    source=SHREC_2006,
    function=true_negatives,
    calculation=partial(contingency_steps, cell="TN"),
)
FN = Measure(
    name="FN",
    label="False negatives",
    better="lower",
    range=(0.0, INFINITE),
    definition="Number of relevant models that are not in the list.",
    formula="FN = C - V",
    source=SHREC_2006,
    function=false_negatives,
    calculation=partial(contingency_steps, cell="FN"),
)
