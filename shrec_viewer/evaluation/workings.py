"""Which working belongs to which measure."""

from collections.abc import Callable

from shrec_viewer.evaluation.working import Facts, Working
from shrec_viewer.evaluation.working_counts import (
    contingency,
    e_measure,
    f_measure,
    first_tier,
    nearest,
    precision,
    r_precision,
    recall,
    reciprocal,
    relevant_scope,
    second_tier,
)
from shrec_viewer.evaluation.working_sums import average_precision, cumulated, discounted, dynamic_recall, ncg, ndcg
from shrec_viewer.metrics import HitTable, Profile, ResolvedMeasure


def working_of(measure: ResolvedMeasure, hits: HitTable, profile: Profile) -> Working | None:
    """The working of `measure` for the one query of `hits`; None for a measure nobody has written one for."""
    name = measure.measure.name
    letters, number = name.rstrip("0123456789"), name.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    facts = Facts(hits, profile, measure)
    if letters in ("GR", "GRP") and number:
        return relevant_scope(facts, int(number), precision=letters == "GRP")
    made = _WORKINGS.get(name)
    return None if made is None else made(facts)


_WORKINGS: dict[str, Callable[[Facts], Working | None]] = {
    "NN": nearest,
    "FT": first_tier,
    "ST": second_tier,
    "E": e_measure,
    "AP": average_precision,
    "ADR": dynamic_recall,
    "NDCG": ndcg,
    "NCG": ncg,
    "DCG": discounted,
    "CG": cumulated,
    "P": precision,
    "R": recall,
    "F1": f_measure,
    "Rprec": r_precision,
    "RR": reciprocal,
    "TP": contingency,
    "FP": contingency,
    "TN": contingency,
    "FN": contingency,
}
"""By name of the measure; families such as GR3 are found by their number."""
