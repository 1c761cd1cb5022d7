"""Variants of average precision: cut at rank C, by trapezoids, and areas below precision-recall curves."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curves.precision_recall import twenty_points
from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs, join_terms, sum_of_terms
from shrec_viewer.metrics.measures.measure import Measure
from shrec_viewer.metrics.measures.sources import (
    ANIMAR,
    MUSGRAVE,
    OXFORD,
    PSB_PLOT,
    SHREC_2012,
    SHREC_2019,
    SHREC_2021_PROTEIN,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import FloatColumn, HitTable, ratio_or_nan, sum_by_query


def average_precision_at_r(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) sum of the precisions at the relevant models within C ranks, over C; NaN without relevant models."""
    found, size = hits.at_least(level), hits.relevant_size(level)
    inside = found.ranks <= size[found.query]
    total = sum_by_query(found.query[inside], found.number[inside] / found.ranks[inside], len(hits))
    return ratio_or_nan(total, size)


def trapezoid_area(
    hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, starts_at_one: bool = True
) -> FloatColumn:
    """(Q,) area below precision over recall by rank, one trapezoid for each relevant model; NaN without any.

    Parameters
    ----------
    starts_at_one : whether the precision before rank 1 is 1; otherwise a relevant model at rank 1 adds nothing.
    """
    found = hits.at_least(level)
    before = ratio_or_nan(found.number - 1, found.ranks - 1)
    heights = (np.where(found.ranks > 1, before, 1.0) + found.number / found.ranks) / 2.0
    if not starts_at_one:
        heights = np.where(found.ranks > 1, heights, 0.0)
    return ratio_or_nan(sum_by_query(found.query, heights, len(hits)), hits.relevant_size(level))


def area_of_points(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) area below the line through recall 0, precision 1 and the points k/C, k/p_k; NaN without relevant models."""
    found = hits.at_least(level)
    precision = found.number / found.ranks
    before = np.where(found.number > 1, np.concatenate([[0.0], precision[:-1]])[: len(precision)], 1.0)
    return ratio_or_nan(sum_by_query(found.query, (before + precision) / 2.0, len(hits)), hits.relevant_size(level))


def mean_f_measure(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) mean of the F-measure 2 k / (p_k + C) at all relevant models, 0 for those not in the list; NaN without."""
    found, size = hits.at_least(level), hits.relevant_size(level)
    total = sum_by_query(found.query, 2.0 * found.number / (found.ranks + size[found.query]), len(hits))
    return ratio_or_nan(total, size)


def area_of_twenty_points(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) area below the 20 points of psbPlot and recall 0, precision 1; NaN for fewer than two relevant models."""
    curve = twenty_points(hits, profile, 0)
    assert curve.x is not None
    return _area_below(curve.x, curve.y)


def area_of_mean_twenty_points(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> float:
    """The same area below the mean curve of all queries; NaN if no query has a curve."""
    curve = twenty_points(hits, profile, 0)
    values = np.nan_to_num(curve.y) if profile.no_relevant == "zero" else curve.y
    defined = ~np.isnan(values)
    mean = ratio_or_nan(np.where(defined, values, 0.0).sum(axis=0), defined.sum(axis=0))
    return float(_area_below(curve.x, mean[None, :])[0])


def _area_below(recall: NDArray[np.float64], precision: NDArray[np.float64]) -> FloatColumn:
    """(Q,) area below the line through recall 0, precision 1 and the points (Q, K), of which the first may be NaN."""
    former = np.concatenate([np.full((len(precision), 1), np.nan), precision[:, :-1]], axis=1)
    is_first = np.isnan(former)
    widths = recall - np.where(is_first, 0.0, np.concatenate([[0.0], recall[:-1]]))
    areas = widths * (np.where(is_first, 1.0, former) + precision) / 2.0
    # cumsum adds one after the other, so that the last bit does not depend on the other queries.
    total = np.cumsum(np.nan_to_num(areas), axis=1)[:, -1]
    return np.where(np.isnan(precision).all(axis=1), np.nan, total)


def area_of_mean_ranks(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> float:
    """Area below mean precision over mean recall at equal rank; NaN without relevant models."""
    found, size = hits.at_least(level), hits.relevant_size(level)
    number = len(hits) if profile.no_relevant == "zero" else int(np.count_nonzero(size))
    if not np.any(size):
        return 0.0 if number else float("nan")
    # One element for each rank to the last relevant model of any query: behind it mean recall is constant.
    at_rank = np.bincount(found.ranks, minlength=2)
    precision = np.cumsum(at_rank)[1:] / (np.arange(1, len(at_rank)) * number)
    steps = np.bincount(found.ranks, weights=1.0 / size[found.query], minlength=2)[2:] / number
    return float(np.sum(steps * (precision[1:] + precision[:-1]) / 2.0))


def at_r_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of AP@R."""
    size = inputs.relevant_size
    ranks = inputs.ranks_within(size)
    terms = [f"{number}/{rank}" for number, rank in enumerate(ranks, 1)]
    values = [number / rank for number, rank in enumerate(ranks, 1)]
    return sum_of_terms(terms, values, ranks, size, inputs.size_symbol())


def trapezoid_steps(inputs: MeasureInputs, *, by_rank: bool = True, starts_at_one: bool = True) -> CalculationSteps:
    """Calculation of AP(trapezoid), AUC(PR) and AUC(rank): for each relevant model the mean of two precisions."""
    terms, values = [], []
    former = (0, 0)
    for number, rank in enumerate(inputs.ranks, 1):
        found, at = (number - 1, rank - 1) if by_rank else former
        if not at and not starts_at_one:
            terms.append("0")
            values.append(0.0)
        else:
            terms.append(f"({f'{found}/{at}' if at else '1'} + {number}/{rank})/2")
            values.append(((found / at if at else 1.0) + number / rank) / 2.0)
        former = (number, rank)
    return sum_of_terms(terms, values, inputs.ranks, inputs.relevant_size, inputs.size_symbol())


def mean_f_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of F1(PR)."""
    size, numbered = inputs.relevant_size, list(enumerate(inputs.ranks, 1))
    terms = [f"{2 * number}/({rank} + {size})" for number, rank in numbered]
    values = [2 * number / (rank + size) for number, rank in numbered]
    return sum_of_terms(terms, values, inputs.ranks, size, inputs.size_symbol())


def twenty_points_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of AUC(PR20) of one query: one trapezoid between each two points."""
    curve = twenty_points(inputs.hits, inputs.profile, 0)
    assert curve.x is not None
    points = [(float(x), float(y)) for x, y in zip(curve.x, curve.y[0], strict=True) if y == y]
    pairs = list(zip([(0.0, 1.0), *points], points, strict=False))
    terms = [f"({b[0]!r} - {a[0]!r}) * ({a[1]!r} + {b[1]!r})/2" for a, b in pairs]
    shown = [f"({b[0]:g} − {a[0]:g}) · ({a[1]:.4g} + {b[1]:.4g})/2" for a, b in pairs]
    total = sum((b[0] - a[0]) * (a[1] + b[1]) / 2.0 for a, b in pairs)
    text = " + ".join(shown if len(shown) <= 4 else [*shown[:3], "…", shown[-1]])
    return CalculationSteps(join_terms(terms, 1), text, (inputs.size_symbol(),), inputs.ranks, (), total)


F_OF_CURVE = Measure(
    name="F1(PR)",
    label="Overall F-measure",
    better="higher",
    range=(0.0, 1.0),
    definition="Mean of the F-measure over all points of the precision-recall curve; a model not retrieved adds "
    "0. A perfect list has less than 1 unless C = 1, as the recall of its first points is low.",
    formula="F1(PR) = (1/C) sum_k 2 k / (p_k + C)",
    source=f"{SHREC_2012}; {SHREC_2019}",
    function=mean_f_measure,
    calculation=mean_f_steps,
)
AP_AT_R = Measure(
    name="AP@R",
    label="Average precision at R",
    better="higher",
    range=(0.0, 1.0),
    definition="Average precision of the first C ranks, where C models are relevant: a model behind them adds 0.",
    formula="AP@R = (1/C) sum_{p_k<=C} k / p_k",
    source=MUSGRAVE,
    function=average_precision_at_r,
    mean_name="MAP@R",
    calculation=at_r_steps,
)
AP_TRAPEZOID = Measure(
    name="AP(trapezoid)",
    label="Average precision by trapezoids",
    better="higher",
    range=(0.0, 1.0),
    definition="Area below precision over recall by rank: each relevant model adds the mean of the precisions at its "
    "rank and at the rank before; a model that is not retrieved adds 0. Oxford and Paris Buildings print it as mAP.",
    formula="AP(trapezoid) = (1/C) sum_k ((k - 1) / (p_k - 1) + k / p_k) / 2; 1 for the first precision where p_1 = 1",
    source=OXFORD,
    function=trapezoid_area,
    calculation=trapezoid_steps,
)
AUC_PR = Measure(
    name="AUC(PR)",
    label="Area below precision-recall",
    better="higher",
    range=(0.0, 1.0),
    definition="Area below the line from recall 0, precision 1 through the recall and precision at each relevant model "
    "of the list; nothing is added behind the last one.",
    formula="AUC(PR) = (1/C) sum_k ((k - 1) / p_{k-1} + k / p_k) / 2; 1 for the first precision of k = 1",
    source=f"{PSB_PLOT}, for the curve; trapezoidal rule",
    function=area_of_points,
    calculation=partial(trapezoid_steps, by_rank=False),
    other_names=("AUPRC", "AUC-PR", "PR-AUC"),
)
AUC_PR20 = Measure(
    name="AUC(PR20)",
    label="Area below 20 points",
    better="higher",
    range=(0.0, 1.0),
    definition="Area below the 20 points of precision at recall 0.05 to 1 and precision 1 at recall 0. The value of a "
    "run is the area below its mean curve; it has no mean over classes. Undefined for fewer than two relevant models. "
    "The protein track of 2021 prints it as mAP.",
    formula="AUC(PR20) = sum_j (r_j - r_{j-1}) (p_j + p_{j-1}) / 2; r_j = j / 20, r_0 = 0, p_0 = 1; "
    "p_j at C j / 20 relevant models",
    source=SHREC_2021_PROTEIN,
    function=area_of_twenty_points,
    run_function=area_of_mean_twenty_points,
    calculation=twenty_points_steps,
    takes_level=False,
)
AUC_RANK = Measure(
    name="AUC(rank)",
    label="Area below precision-recall by rank",
    better="none",
    range=(0.0, 1.0),
    definition="Area below precision over recall at each rank, from rank 1 on, so that a relevant model at rank 1 adds "
    "nothing and the best list does not have the largest area. The value of a run is the area below the mean "
    "precisions over the mean recalls at equal rank; it has no mean over classes.",
    formula="AUC(rank) = (1/C) sum_{p_k>1} ((k - 1) / (p_k - 1) + k / p_k) / 2",
    source=ANIMAR,
    function=partial(trapezoid_area, starts_at_one=False),
    run_function=area_of_mean_ranks,
    calculation=partial(trapezoid_steps, starts_at_one=False),
)
