"""How a number came about: the formula, the values put in, and the ranks it was computed from."""

from dataclasses import dataclass

import numpy as np

from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.evaluation.working import Working
from shrec_viewer.evaluation.workings import working_of
from shrec_viewer.metrics import ResolvedMeasure

AGREES = 1e-9
"""A working is shown only where its arithmetic gives the value within this: better none than a wrong one."""


@dataclass(frozen=True)
class Explanation:
    """One number and its working.

    Attributes
    ----------
    measure : what it is, with definition, source, polarity and range.
    formula : under the conventions in force.
    run, query : names; `query` is "" for a mean.
    value : the number; NaN undefined.
    ceiling : what the best possible list has; NaN where unknown.
    working : the arithmetic with its values and ranks; None where there is none to show (see `note`).
    note : what else must be said: why there is no number, who was left out of a mean.
    parts : for a mean, (query id, value) of those that entered it, best first.
    """

    measure: ResolvedMeasure
    formula: str
    run: str
    query: str
    value: float
    ceiling: float
    working: Working | None
    note: str = ""
    parts: tuple[tuple[str, float], ...] = ()


def explain(scores: Scores, measure: str, run: int, query: int) -> Explanation:
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
    working = None
    if scores.missing[run, query]:
        counted = (
            "it counts as an empty list in the means" if scores.counted[run, query] else "it is left out of the means"
        )
        note = f"{scores.runs[run]} has no answer to this query; {counted}."
    elif value != value:
        note = "Undefined: the truth has nothing of that level for this query."
    else:
        working, note = _checked(working_of(resolved, hits, scores.profile), value)
    formula = resolved.formula_under(scores.profile)
    return Explanation(resolved, formula, scores.runs[run], scores.queries[query], value, ceiling, working, note)


def _checked(working: Working | None, value: float) -> tuple[Working | None, str]:
    if working is not None and abs(working.total - value) <= AGREES * max(1.0, abs(value)):
        return working, ""
    return None, "The official program computes this number in a way of its own; see its source."


def explain_mean(scores: Scores, measure: str, run: int) -> Explanation:
    """How the mean of one run over the queries came about; see `explain`."""
    column = scores.column(measure)
    resolved = scores.measures[column]
    entering = scores.entering[run, :, column]
    enters = ~np.isnan(entering)
    value = float(scores.mean()[run, column])
    order = np.argsort(-entering, kind="stable")[: int(enters.sum())]
    if resolved.better == "lower":
        order = order[::-1]
    said = [
        (int((scores.missing[run] & enters).sum()), "without an answer counted as an empty list"),
        (int((scores.missing[run] & ~enters).sum()), "without an answer left out"),
        (
            int((~enters & ~scores.missing[run]).sum()),
            "left out because nothing can be found or the conventions say so",
        ),
    ]
    note = "; ".join(f"{count:,} {words}" for count, words in said if count)
    parts = tuple((scores.queries[query], float(entering[query])) for query in order)
    numbers = tuple(entry for _, entry in parts)
    working = Working(
        arithmetic=f"({' + '.join(repr(entry) for entry in numbers)}) / {len(numbers)}" if numbers else "",
        shown=f"sum of {len(numbers):,} values / {len(numbers):,} = {sum(numbers):.4f} / {len(numbers):,}",
        symbols=(("n", "queries in the mean", f"{len(numbers):,}"),),
        ranks=(),
        shares=(),
        total=sum(numbers) / len(numbers) if numbers else float("nan"),
    )
    formula = f"mean over queries of {resolved.formula_under(scores.profile)}"
    return Explanation(
        resolved, formula, scores.runs[run], "", value, float("nan"), working if numbers else None, note, parts
    )
