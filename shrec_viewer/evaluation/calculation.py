"""Calculation of a score or of a mean: formula, values and ranks."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import CalculationSteps, ResolvedMeasure
from shrec_viewer.metrics.measures.calculation import MeasureInputs, inputs_only

#: Largest difference between the value of an expression and the score; with a larger one the expression is not shown.
TOLERANCE = 1e-9


@dataclass(frozen=True)
class ScoreCalculation:
    """The calculation of one score, or of one mean.

    Attributes
    ----------
    measure : with definition, polarity and range.
    formula, source : under the current profile.
    run, query : names; `query` is "" for a mean.
    value : the score; NaN if undefined.
    ceiling : best possible value for lists of the submitted length, for a mean its mean; NaN if undefined.
    calculation_steps : expression, symbols and ranks; without an expression (see `note`) if the measure has no
        `Measure.calculation` or the expression does not give the value; None for an undefined score.
    note : why there is no score or expression, or which queries are not in the mean.
    parts : (name, value) of the queries or classes in a mean, best first; empty for one query.
    over : ``"queries"`` or ``"classes"`` for a mean, "" for one query.
    """

    measure: ResolvedMeasure
    formula: str
    source: str
    run: str
    query: str
    value: float
    ceiling: float
    calculation_steps: CalculationSteps | None
    note: str = ""
    parts: tuple[tuple[str, float], ...] = ()
    over: str = ""


def calculation_of(scores: Scores, measure: str, run: int, query: int) -> ScoreCalculation:
    """Calculation of the score of one run for one query.

    Parameters
    ----------
    measure : key of an evaluated measure.
    run, query : indices into `scores`.

    Raises
    ------
    UnknownKeyError
        If the measure was not evaluated.
    """
    column = scores.column(measure)
    resolved = scores.measures[column]
    hits = scores.hits[run].rows(query, query + 1)
    value = float(scores.values[run, query, column])
    steps: CalculationSteps | None = None
    if scores.missing[run, query]:
        in_mean = scores.counted[run, query]
        note = f"{scores.runs[run]} has no results for this query; "
        note += "score 0 in the mean." if in_mean else "excluded from the mean."
    elif value != value:
        note = "Undefined: no relevant models of this level."
    else:
        steps, note = resolved.calculation(hits, scores.profile), ""
        if not steps.arithmetic:
            note = "This measure has no step-by-step calculation; the values that it depends on are listed."
        elif abs(steps.total - value) > TOLERANCE * max(1.0, abs(value)):
            steps = inputs_only(MeasureInputs(hits, scores.profile, resolved.level, resolved.cutoff), value)
            note = "The official program computes this value differently; see its source."
    return ScoreCalculation(
        measure=resolved,
        formula=resolved.formula_under(scores.profile),
        source=resolved.source_under(scores.profile),
        run=scores.runs[run],
        query=scores.queries[query],
        value=value,
        ceiling=float(resolved.ceiling(hits, scores.profile)[0]),
        calculation_steps=steps,
        note=note,
    )


def calculation_of_mean(scores: Scores, measure: str, run: int, *, over_classes: bool = False) -> ScoreCalculation:
    """Calculation of the mean of one run over the queries, or over the classes; see `calculation_of`."""
    column = scores.column(measure)
    resolved = scores.measures[column]
    names, values, mean = _mean_entries(scores, column, run, over_classes=over_classes)
    order = [int(index) for index in np.argsort(-values, kind="stable")]
    if resolved.better == "lower":
        order.reverse()
    parts = tuple((names[index], float(values[index])) for index in order)
    numbers = [value for _, value in parts]
    count, over = len(numbers), "classes" if over_classes else "queries"
    if not resolved.is_mean and not over_classes:
        return ScoreCalculation(
            measure=resolved,
            formula=resolved.formula_under(scores.profile),
            source=resolved.source_under(scores.profile),
            run=scores.runs[run],
            query="",
            value=mean,
            ceiling=_mean_ceiling(scores, column, run, over_classes=False),
            calculation_steps=None,
            note=f"Computed from {count:,} queries together: not the mean of their values. {resolved.definition}",
            parts=parts,
            over=over,
        )
    steps = CalculationSteps(
        arithmetic=f"({' + '.join(repr(number) for number in numbers)}) / {count}",
        shown=f"sum of {count:,} values / n = {sum(numbers):.4f} / {count:,}",
        symbols=(("n", f"{over} in the mean", f"{count:,}"),),
        ranks=(),
        shares=(),
        total=sum(numbers) / max(count, 1),
    )
    return ScoreCalculation(
        measure=resolved,
        formula=f"mean over {over} of {resolved.formula_under(scores.profile)}",
        source=resolved.source_under(scores.profile),
        run=scores.runs[run],
        query="",
        value=mean,
        ceiling=_mean_ceiling(scores, column, run, over_classes=over_classes),
        calculation_steps=steps if numbers else None,
        note=_exclusion_note(scores, column, run),
        parts=parts,
        over=over,
    )


def _mean_entries(
    scores: Scores, column: int, run: int, *, over_classes: bool
) -> tuple[list[str], NDArray[np.float64], float]:
    """Names and values of the queries or classes in a mean, and the mean."""
    if over_classes:
        labels, means = scores.by_class()
        tree = scores.benchmark.classification
        values, mean = means[run, :, column], float(scores.class_mean()[run, column])
        names = [str(label) if tree is None else tree.names[label] for label in labels]
    else:
        values, mean = scores.values_in_mean[run, :, column], float(scores.mean()[run, column])
        names = list(scores.queries)
    is_defined = ~np.isnan(values)
    return [name for name, defined in zip(names, is_defined, strict=True) if defined], values[is_defined], mean


def _mean_ceiling(scores: Scores, column: int, run: int, *, over_classes: bool) -> float:
    """Mean of the best possible values of one run in one measure."""
    one = replace(
        scores.select_runs([run]),
        measures=scores.measures[column : column + 1],
        raw_values=scores.raw_values[[run], :, column : column + 1],
    ).ceiling()
    return float((one.class_mean() if over_classes else one.mean())[0, 0])


def _exclusion_note(scores: Scores, column: int, run: int) -> str:
    """Number of missing queries in the mean, and of queries excluded from it."""
    in_mean, missing = ~np.isnan(scores.values_in_mean[run, :, column]), scores.missing[run]
    counts = [
        (int((missing & in_mean).sum()), "missing queries scored 0"),
        (int((missing & ~in_mean).sum()), "missing queries excluded"),
        (int((~in_mean & ~missing).sum()), "excluded: no relevant models, missing in another run, or by the profile"),
    ]
    return "; ".join(f"{count:,} {text}" for count, text in counts if count)
