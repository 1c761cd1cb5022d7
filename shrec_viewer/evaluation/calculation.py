"""How a score or mean was computed: formula, values and ranks."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.calculation_steps import CalculationSteps, calculation_steps_of
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import ResolvedMeasure

TOLERANCE = 1e-9
"""A working is shown only where its arithmetic gives the value within this: better none than a wrong one."""


@dataclass(frozen=True)
class ScoreCalculation:
    """One number and its working.

    Attributes
    ----------
    measure : what it is, with definition, source, polarity and range.
    formula, source : under the conventions in force, and where these are from.
    run, query : names; `query` is "" for a mean.
    value : the number; NaN undefined.
    ceiling : what the best possible list has; NaN where unknown.
    working : the arithmetic with its values and ranks; None where there is none to show (see `note`).
    note : what else must be said: why there is no number, who was left out of a mean.
    parts : for a mean, (name, value) of the queries or classes that entered it, best first.
    over : what a mean goes over, ``"queries"`` or ``"classes"``; "" for one query.
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
    """How the number of one run for one query came about.

    Parameters
    ----------
    measure : key of an evaluated measure.
    run, query : places in `scores`.

    Raises
    ------
    UnknownKeyError
        When the measure was not evaluated.
    """
    column = scores.column(measure)
    resolved = scores.measures[column]
    hits = scores.hits[run].rows(query, query + 1)
    value = float(scores.values[run, query, column])
    ceiling = float(resolved.ceiling(hits, scores.profile)[0])
    calculation_steps = None
    if scores.missing[run, query]:
        counted = (
            "it counts as an empty list in the means" if scores.counted[run, query] else "it is left out of the means"
        )
        note = f"{scores.runs[run]} has no answer to this query; {counted}."
    elif value != value:
        note = "Undefined: the truth has nothing of that level for this query."
    else:
        calculation_steps, note = _verified(calculation_steps_of(resolved, hits, scores.profile), value)
    formula, source = resolved.formula_under(scores.profile), resolved.source_under(scores.profile)
    return ScoreCalculation(
        resolved, formula, source, scores.runs[run], scores.queries[query], value, ceiling, calculation_steps, note
    )


def _verified(calculation_steps: CalculationSteps | None, value: float) -> tuple[CalculationSteps | None, str]:
    if calculation_steps is not None and abs(calculation_steps.total - value) <= TOLERANCE * max(1.0, abs(value)):
        return calculation_steps, ""
    return None, "The official program computes this number in a way of its own; see its source."


def calculation_of_mean(scores: Scores, measure: str, run: int, *, over_classes: bool = False) -> ScoreCalculation:
    """How the mean of one run over the queries, or over classes, came about; see `calculation_of`."""
    column = scores.column(measure)
    resolved = scores.measures[column]
    names, values, whole = _mean_entries(scores, column, run, over_classes=over_classes)
    order = [int(place) for place in np.argsort(-values, kind="stable")]
    if resolved.better == "lower":
        order.reverse()
    parts = tuple((names[place], float(values[place])) for place in order)
    numbers = [value for _, value in parts]
    count, what = len(numbers), "classes" if over_classes else "queries"
    calculation_steps = CalculationSteps(
        arithmetic=f"({' + '.join(repr(number) for number in numbers)}) / {count}",
        shown=f"sum of {count:,} values / n = {sum(numbers):.4f} / {count:,}",
        symbols=(("n", f"{what} in the mean", f"{count:,}"),),
        ranks=(),
        shares=(),
        total=sum(numbers) / max(count, 1),
    )
    return ScoreCalculation(
        measure=resolved,
        formula=f"mean over {what} of {resolved.formula_under(scores.profile)}",
        source=resolved.source_under(scores.profile),
        run=scores.runs[run],
        query="",
        value=whole,
        ceiling=float("nan"),
        calculation_steps=calculation_steps if numbers else None,
        note=_exclusion_note(scores, column, run),
        parts=parts,
        over=what,
    )


def _mean_entries(
    scores: Scores, column: int, run: int, *, over_classes: bool
) -> tuple[list[str], NDArray[np.float64], float]:
    """Names and values of what enters a mean, and the mean."""
    if over_classes:
        labels, means = scores.by_class()
        tree = scores.benchmark.classification
        values, whole = means[run, :, column], float(scores.class_mean()[run, column])
        names = [str(label) if tree is None else tree.names[label] for label in labels]
    else:
        values, whole = scores.values_in_mean[run, :, column], float(scores.mean()[run, column])
        names = list(scores.queries)
    kept = ~np.isnan(values)
    return [name for name, keeps in zip(names, kept, strict=True) if keeps], values[kept], whole


def _exclusion_note(scores: Scores, column: int, run: int) -> str:
    """Who entered the mean without an answer, and who did not enter."""
    enters, missing = ~np.isnan(scores.values_in_mean[run, :, column]), scores.missing[run]
    said = [
        (int((missing & enters).sum()), "without an answer counted as an empty list"),
        (int((missing & ~enters).sum()), "without an answer left out"),
        (int((~enters & ~missing).sum()), "left out because nothing can be found or the conventions say so"),
    ]
    return "; ".join(f"{count:,} {words}" for count, words in said if count)
