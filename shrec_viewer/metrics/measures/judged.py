"""Measures of incomplete relevance assessments: Bpref, and the share of judged models."""

import numpy as np

from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs, sum_of_terms
from shrec_viewer.metrics.measures.measure import Measure
from shrec_viewer.metrics.measures.sources import BUCKLEY, IR_MEASURES
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import (
    FloatColumn,
    HitTable,
    IntColumn,
    JudgedRanks,
    ratio_or_nan,
    relevant_found,
    sum_by_query,
)


def binary_preference(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) mean over the relevant models of the share of judged models that are not relevant and rank behind them.

    Of these models at most C count. NaN without relevant models; one that is not in the list adds 0.
    """
    found, size = hits.at_least(level), hits.relevant_size(level)
    before = np.minimum(not_relevant_before(hits, level), size[found.query])
    most = np.minimum(size, n_not_relevant(hits, level))[found.query]
    # Without any before it the share is 1, also if no model is judged not relevant.
    lost = before / np.maximum(most, 1)
    return ratio_or_nan(sum_by_query(found.query, 1.0 - lost, len(hits)), size)


def not_relevant_before(hits: HitTable, level: int) -> IntColumn:
    """(n,) int64, number of models before each hit of at least `level` that were judged not relevant."""
    found = hits.at_least(level)
    if hits.judged is None:
        return found.ranks - found.number
    below, zeros = hits.levels < level, ~hits.judged.is_junk
    query = np.concatenate([hits.query[below], hits.judged.query[zeros]])
    ranks = np.concatenate([hits.ranks[below], hits.judged.ranks[zeros]]).astype(np.int64)
    # One integer for query and rank, so that one search serves all queries.
    span = int(max(ranks.max(initial=0), found.ranks.max(initial=0))) + 1
    cells = np.sort(query * span + ranks)
    return np.searchsorted(cells, found.query * span + found.ranks) - np.searchsorted(cells, found.query * span)


def n_not_relevant(hits: HitTable, level: int) -> IntColumn:
    """(Q,) int64, number of models that were judged not relevant, in the list or not."""
    if hits.judged is not None:
        return hits.judged.sizes + hits.relevant_size(1) - hits.relevant_size(level)
    # A list with unknown ids can have more irrelevant models than the collection.
    unfound = hits.relevant_size(level) - relevant_found(hits, level)
    return np.maximum(hits.collection_size, hits.list_length + unfound) - hits.relevant_size(level)


def judged_share(hits: HitTable, profile: Profile, level: int, cutoff: int | None) -> FloatColumn:
    """(Q,) share of the list, or of its first k ranks, that was judged; 0 for an empty list."""
    length = hits.list_length if cutoff is None else np.minimum(hits.list_length, cutoff)
    if hits.judged is None:
        return (length > 0).astype(np.float64)
    known = relevant_found(hits, 1, length) + n_judged_within(hits.judged, length)
    return known / np.maximum(length, 1)


def n_judged_within(judged: JudgedRanks, last: IntColumn) -> IntColumn:
    """(Q,) int64, number of judged models that are not relevant within the first `last` ranks, junk among them."""
    inside = judged.ranks <= last[judged.query]
    return np.bincount(judged.query[inside], minlength=len(last)).astype(np.int64)


def preference_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of Bpref."""
    size, others = inputs.relevant_size, int(n_not_relevant(inputs.hits, inputs.level)[0])
    before = [min(int(count), size) for count in not_relevant_before(inputs.hits, inputs.level)]
    most = max(min(size, others), 1)
    terms = [f"(1 - {count}/{most})" if count else "1" for count in before]
    return sum_of_terms(
        terms, [1.0 - count / most for count in before], inputs.ranks, size,
        ("N", "models judged not relevant", f"{others:,}"),
    )  # fmt: skip


def judged_steps(inputs: MeasureInputs) -> CalculationSteps:
    """Calculation of Judged@k."""
    length = min(inputs.list_length, inputs.cutoff or inputs.list_length)
    value = float(judged_share(inputs.hits, inputs.profile, 1, inputs.cutoff)[0])
    number, ranks = round(value * length), inputs.ranks_within(inputs.cutoff)
    text = f"{number} / {length}" if length else "0"
    return CalculationSteps(text, text, (inputs.length_symbol(),), ranks, (), value)


BPREF = Measure(
    name="Bpref",
    label="Binary preference",
    better="higher",
    range=(0.0, 1.0),
    definition="Mean over the relevant models of the share of irrelevant models that rank behind them, counting only "
    "models that were judged, and of these at most C. Unjudged models and those of a negative level are skipped. Where "
    "relevance comes from classes all models are judged; where qrels list relevant models only, it equals recall.",
    formula="Bpref = (1/C) sum_k (1 - min(N(p_k), C) / min(N, C)); 1 for a model with N(p_k) = 0",
    source=BUCKLEY,
    function=binary_preference,
    calculation=preference_steps,
    uses_judged=True,
)
JUDGED = Measure(
    name="Judged",
    label="Judged models",
    better="none",
    range=(0.0, 1.0),
    definition="Share of the list, or of its first K ranks, that was judged at any level. A low share means that other "
    "values may be too low. Where relevance comes from classes all models are judged; where qrels list relevant "
    "models only, just these are.",
    formula="Judged = judged models / Va; Judged@K = judged models within K ranks / min(K, Va)",
    source=IR_MEASURES,
    function=judged_share,
    calculation=judged_steps,
    takes_level=False,
    takes_cutoff=True,
    uses_judged=True,
)
