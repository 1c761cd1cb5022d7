"""Contingency table: true and false positives and negatives."""

from shrec_viewer.metrics.measures.counting import FloatColumn, relevant_found
from shrec_viewer.metrics.measures.measure import INFINITE, Measure
from shrec_viewer.metrics.measures.sources import SHREC_2006
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable


def true_positives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) relevant models in the list, V_t."""
    return relevant_found(hits, level).astype(float)


def false_positives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) models in the list that are not relevant, Va - V_t."""
    return (hits.list_length - relevant_found(hits, level)).astype(float)


def true_negatives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) models that are neither relevant nor in the list, Ds + V_t - Va - C_t."""
    left_out = hits.collection_size - hits.list_length
    return (left_out - (hits.relevant_size(level) - relevant_found(hits, level))).astype(float)


def false_negatives(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) relevant models that the list lacks, C_t - V_t."""
    return (hits.relevant_size(level) - relevant_found(hits, level)).astype(float)


TP = Measure(
    name="TP",
    label="True positives",
    better="higher",
    range=(0.0, INFINITE),
    definition="Number of relevant models in the list.",
    formula="TP = V",
    source=SHREC_2006,
    function=true_positives,
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
)
FN = Measure(
    name="FN",
    label="False negatives",
    better="lower",
    range=(0.0, INFINITE),
    definition="Number of relevant models that the list lacks.",
    formula="FN = C - V",
    source=SHREC_2006,
    function=false_negatives,
)
