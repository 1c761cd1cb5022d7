"""Measures of a reader who goes through a list from the top: expected reciprocal rank and rank-biased precision."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs, sum_of_terms
from shrec_viewer.metrics.measures.measure import Measure, MeasureFamily, number_text
from shrec_viewer.metrics.measures.sources import CHAPELLE, MOFFAT
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import FloatColumn, HitTable, nan_where_undefined, sum_by_query


def expected_reciprocal_rank(
    hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, most: float | None = None
) -> FloatColumn:
    """(Q,) expected 1 / rank of the model that satisfies the reader; NaN without relevant models.

    Parameters
    ----------
    most : level M at which a model satisfies with probability 1 - 2^-M, higher levels count as M; None for the highest
        level of the assessment.
    """
    chances, counts = _satisfaction(hits, most), np.diff(hits.indptr)
    total, unsatisfied = np.zeros(len(hits)), np.ones(len(hits))
    # One relevant model of every query at a time: a product over the models of a query cannot be cut out of a running
    # product over all queries without rounding.
    for index in range(int(counts.max(initial=0))):
        query = np.flatnonzero(counts > index)
        hit = hits.indptr[query] + index
        chance, ranks = chances[hits.levels[hit]], hits.ranks[hit]
        counted = 1.0 if cutoff is None else ranks <= cutoff
        total[query] += counted * unsatisfied[query] * chance / ranks
        unsatisfied[query] *= 1.0 - chance
    return nan_where_undefined(hits, 1, total)


def _satisfaction(hits: HitTable, most: float | None) -> NDArray[np.float64]:
    """(L + 1,) probability that a model of each level satisfies the reader."""
    most = float(hits.highest_level) if most is None else most
    return (2.0 ** np.minimum(np.arange(hits.highest_level + 1), most) - 1.0) / 2.0**most


def rank_biased_precision(
    hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, persistence: float
) -> FloatColumn:
    """(Q,) (1 - p) times the sum of p^(rank - 1) over the relevant models; NaN without any."""
    found = hits.at_least(level)
    inside = slice(None) if cutoff is None else found.ranks <= cutoff
    query, ranks = found.query[inside], found.ranks[inside]
    powers = _powers(persistence, int(ranks.max(initial=1)))
    total = (1.0 - persistence) * sum_by_query(query, powers[ranks - 1], len(hits))
    return nan_where_undefined(hits, level, np.minimum(total, 1.0))


def rank_biased_residual(
    hits: HitTable, profile: Profile, level: int, cutoff: int | None, *, persistence: float
) -> FloatColumn:
    """(Q,) how much rank-biased precision could rise if all that is unjudged were relevant; NaN if nothing is relevant.

    The ranks behind the list are unjudged, and the models in it that `HitTable.judged` lacks.
    """
    last = hits.list_length if cutoff is None else np.minimum(hits.list_length, cutoff)
    powers = _powers(persistence, int(last.max(initial=0)) + 1)
    residual = powers[last]
    if hits.judged is not None:
        # What the judged ranks leave of 1: (1 - p) (1 + p + … + p^(Va - 1)) + p^Va = 1.
        query = np.concatenate([hits.query, hits.judged.query])
        ranks = np.concatenate([hits.ranks.astype(np.int64), hits.judged.ranks])
        inside = ranks <= last[query]
        known = sum_by_query(query[inside], powers[ranks[inside] - 1], len(hits))
        residual = np.clip(1.0 - (1.0 - persistence) * known, 0.0, 1.0)
    return nan_where_undefined(hits, level, residual)


def _powers(base: float, count: int) -> NDArray[np.float64]:
    """(count,) 1, base, base² …: products one after the other, so that none depends on the longest list."""
    return np.cumprod(np.concatenate([[1.0], np.full(count - 1, base)]))


def reciprocal_steps(inputs: MeasureInputs, most: float | None = None) -> CalculationSteps:
    """Calculation of ERR: for each relevant model the chance that the reader gets there and stops, over its rank."""
    chances = _satisfaction(inputs.hits, most)
    ranks = inputs.ranks_within(inputs.cutoff)
    terms, values, unsatisfied, factors = [], [], 1.0, ""
    for rank, level in zip(ranks, inputs.levels, strict=False):
        chance = float(chances[level])
        terms.append(f"{factors}{chance:.17g}/{rank}")
        values.append(unsatisfied * chance / rank)
        unsatisfied *= 1.0 - chance
        factors = f"{unsatisfied!r} * "
    highest = f"{inputs.hits.highest_level}" if most is None else number_text(most)
    return sum_of_terms(
        terms, values, ranks, 1, ("R[i]", "chance that the reader stops", f"(2^level - 1) / 2^{highest}")
    )


def biased_steps(inputs: MeasureInputs, persistence: float) -> CalculationSteps:
    """Calculation of RBP, with the range that the ranks behind the list leave open."""
    ranks, left = inputs.ranks_within(inputs.cutoff), 1.0 - persistence
    terms = [f"{left!r} * {persistence!r}**{rank - 1}" for rank in ranks]
    values = [left * persistence ** (rank - 1) for rank in ranks]
    steps = sum_of_terms(terms, values, ranks, 1, inputs.found_symbol(inputs.cutoff))
    residual = float(rank_biased_residual(inputs.hits, inputs.profile, inputs.level, inputs.cutoff,
                                          persistence=persistence)[0])  # fmt: skip
    shown = [f"{left:g} · {persistence:g}^{rank - 1}" for rank in ranks[:4]]
    return CalculationSteps(
        steps.arithmetic,
        f"{' + '.join(shown) or '0'}{' + …' if len(ranks) > len(shown) else ''}; "
        f"from {steps.total:.4g} to {min(steps.total + residual, 1.0):.4g}, depending on what follows the list",
        (
            (
                "p_k",
                "ranks of the relevant models",
                ", ".join([*map(str, ranks[:4]), *["…"] * (len(ranks) > 4)]) or "none",
            ),
        ),
        ranks,
        steps.shares,
        steps.total,
    )


def residual_steps(inputs: MeasureInputs, persistence: float) -> CalculationSteps:
    """Calculation of the residual of RBP."""
    last = inputs.list_length if inputs.cutoff is None else min(inputs.list_length, inputs.cutoff)
    value = float(rank_biased_residual(inputs.hits, inputs.profile, inputs.level, inputs.cutoff,
                                       persistence=persistence)[0])  # fmt: skip
    if inputs.hits.judged is not None:
        shown = f"{persistence:g}^{last:,} and the unjudged ranks"
        return CalculationSteps(repr(value), shown, (inputs.length_symbol(),), (), (), value)
    text = f"{persistence!r}**{last}"
    return CalculationSteps(text, f"{persistence:g}^{last:,}", (inputs.length_symbol(),), (), (), persistence**last)


def _reciprocal(most: float | None) -> Measure:
    name = "ERR" if most is None else f"ERR(max={number_text(most)})"
    power = "M" if most is None else number_text(most)
    text = "sum_i (1/i) R[i] prod_{j<i} (1 - R[j])"
    return Measure(
        name=name,
        label="Expected reciprocal rank" + ("" if most is None else f" to level {number_text(most)}"),
        better="higher",
        range=(0.0, 1.0),
        definition="Expected reciprocal of the rank at which a reader stops who goes through the list from the top and "
        f"stops at a model of level G with probability (2^G - 1) / 2^{power}. "
        + ("M is the highest level of the assessment; ERR(max=4) is that of gdeval and ir_measures." if most is None
           else "ERR takes the highest level of the assessment instead of a fixed one.")
        + " The best list scores less than 1.",
        formula=f"{name} = {text}; {name}@K = {text.replace('sum_i', 'sum_{i<=K}')}; R[i] = (2^G[i] - 1) / 2^{power}",
        source=CHAPELLE,
        function=partial(expected_reciprocal_rank, most=most),
        calculation=partial(reciprocal_steps, most=most),
        takes_level=False,
        takes_cutoff=True,
    )  # fmt: skip


def reciprocal_to_level(most: float) -> Measure:
    """ERR(max=…): expected reciprocal rank with a fixed highest level."""
    return _reciprocal(most)


def biased_precision(persistence: float) -> Measure:
    """RBP(p=…): rank-biased precision of a reader with this persistence."""
    text = number_text(persistence)
    name, left = f"RBP(p={text})", f"{1.0 - persistence:g}"
    return Measure(
        name=name,
        label=f"Rank-biased precision {text}",
        better="higher",
        range=(0.0, 1.0),
        definition="Relevant models that a reader sees per model looked at who goes from each rank to the next with "
        "probability p, any number from 0 to 1. What follows the list could add at most its residual, "
        f"RBPresidual(p={text}). ir_measures has p = 0.8 unless another is given, trec_eval 0.9.",
        formula=f"{name} = {left} sum_k {text}^(p_k - 1); {name}@K = {left} sum_{{p_k<=K}} {text}^(p_k - 1)",
        source=MOFFAT,
        function=partial(rank_biased_precision, persistence=persistence),
        calculation=partial(biased_steps, persistence=persistence),
        takes_cutoff=True,
        uses_judged=True,
        other_names=("RBP",) if persistence == PERSISTENCE else (),
    )


def biased_residual(persistence: float) -> Measure:
    """RBPresidual(p=…): how much rank-biased precision the end of the list leaves open."""
    text = number_text(persistence)
    name = f"RBPresidual(p={text})"
    return Measure(
        name=name,
        label=f"Residual of rank-biased precision {text}",
        better="lower",
        range=(0.0, 1.0),
        definition=f"How much RBP(p={text}) would rise if all models behind the list, and all unjudged ones in it, "
        "were relevant: the value is known up to this number only.",
        formula=f"{name} = {text}^Va; {name}@K = {text}^min(K, Va); {1.0 - persistence:g} {text}^(i - 1) more for each "
        "unjudged rank i",
        source=MOFFAT,
        function=partial(rank_biased_residual, persistence=persistence),
        calculation=partial(residual_steps, persistence=persistence),
        takes_cutoff=True,
        uses_judged=True,
        other_names=("RBPresidual",) if persistence == PERSISTENCE else (),
    )


#: p of ir_measures where a key names none.
PERSISTENCE = 0.8

ERR, RBP, RBP_RESIDUAL = _reciprocal(None), biased_precision(PERSISTENCE), biased_residual(PERSISTENCE)
ERR_FAMILY = MeasureFamily("ERR", reciprocal_to_level, parameter="max", least=1.0, most=255.0)
RBP_FAMILY = MeasureFamily("RBP", biased_precision, parameter="p", most=1.0)
RESIDUAL_FAMILY = MeasureFamily("RBPresidual", biased_residual, parameter="p", most=1.0)
