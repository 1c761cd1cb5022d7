"""Normalised modified retrieval rank of MPEG-7."""

import numpy as np

from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs
from shrec_viewer.metrics.measures.measure import FormulaVariant, Measure
from shrec_viewer.metrics.measures.sources import MPEG7, SHREC_2022
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import FloatColumn, HitTable, IntColumn, ratio_or_nan, sum_by_query


def modified_retrieval_rank(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) mean rank of the relevant models, scaled to 0 for the best and 1 for no hit; NaN without relevant models.

    A model that is not within the ranks considered counts as at a later one; see `considered_ranks`.
    """
    found, size = hits.at_least(level), hits.relevant_size(level)
    last, penalty = considered_ranks(size, hits.largest_size(level), profile)
    inside = found.ranks <= last[found.query]
    query = found.query[inside]
    missed = size - np.bincount(query, minlength=len(hits))
    total = sum_by_query(query, found.ranks[inside].astype(np.float64), len(hits)) + missed * penalty
    best = (1.0 + size) / 2.0
    values = ratio_or_nan(ratio_or_nan(total, size) - best, penalty - best)
    # The mean of exact ranks is rounded, so that the best list could be a rounding below 0.
    return np.clip(values, 0.0, 1.0)


def considered_ranks(size: IntColumn, largest: int, profile: Profile) -> tuple[IntColumn, FloatColumn]:
    """Last rank considered, and the rank of a model that is not found there, (Q,) both.

    MPEG-7: D = min(4C, 2 max C) and 1.25 D. The evaluator of SHREC 2022: C and D + 1.
    """
    depth = np.minimum(4 * size, 2 * largest)
    return (size, depth + 1.0) if profile.anmrr == "shrec2022" else (depth, 1.25 * depth)


def retrieval_rank_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of the retrieval rank of one query."""
    size = inputs.relevant_size
    largest = inputs.hits.largest_size(inputs.level)
    last, penalty = (float(found[0]) for found in considered_ranks(np.array([size]), largest, inputs.profile))
    ranks = inputs.ranks_within(int(last))
    missed, best = size - len(ranks), (1 + size) / 2
    total = (sum(ranks) + missed * penalty) / size
    arithmetic = f"(({sum(ranks)} + {missed} * {penalty!r}) / {size} - {best!r}) / ({penalty!r} - {best!r})"
    return CalculationSteps(
        arithmetic=arithmetic,
        shown=f"(({sum(ranks):,} + {missed:,} · {penalty:,g}) / {size:,} − {best:,g}) / ({penalty:,g} − {best:,g})",
        symbols=(
            inputs.size_symbol(),
            ("D", "number of ranks", f"{min(4 * size, 2 * largest):,}"),
            ("max C", "relevant models of the largest class", f"{largest:,}"),
        ),
        ranks=ranks,
        shares=(),
        total=(total - best) / (penalty - best),
    )


ANMRR = Measure(
    name="ANMRR",
    label="Normalised modified retrieval rank",
    better="lower",
    range=(0.0, 1.0),
    definition="Mean rank of the relevant models, scaled so that 0 is the best list and 1 a list without any. Models "
    "that are not within the first D ranks count as at rank 1.25 D; D depends on the largest class of all queries. "
    "The mean over queries is the ANMRR of MPEG-7.",
    formula="ANMRR = (m - (1 + C) / 2) / (1.25 D - (1 + C) / 2); D = min(4C, 2 max C); "
    "m = (1/C) sum_k (p_k if p_k <= D, else 1.25 D)",
    source=MPEG7,
    function=modified_retrieval_rank,
    calculation=retrieval_rank_steps,
    mean_name="ANMRR",
    uses_largest_class=True,
    variants=(
        FormulaVariant(
            "anmrr",
            "shrec2022",
            "ANMRR = (m - (1 + C) / 2) / (D + 1 - (1 + C) / 2); D = min(4C, 2 max C); "
            "m = (1/C) sum_k (p_k if p_k <= C, else D + 1)",
            source=SHREC_2022,
        ),
    ),
)
