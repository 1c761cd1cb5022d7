"""What edits of an assessment change: means and ranks of the runs, and which differences are significant."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.evaluation.comparison.leaderboards import ranks_of
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics.significance import SIGNIFICANCE_LEVEL, AllPairs, randomised_tukey


@dataclass(frozen=True, eq=False)
class EditConsequences:
    """Means and ranks of the runs before and after edits of the assessment.

    Attributes
    ----------
    measure : the measure.
    runs : (R,) names.
    before, after : (R,) float64, means over the queries.
    ranks_before, ranks_after : (R,) int64, 1-based; equal runs share the better rank.
    conclusions : one sentence for each pair of runs that change order, or whose difference becomes or ceases to be
        significant (randomised Tukey test of all pairs, 5 %).
    """

    measure: ResolvedMeasure
    runs: tuple[str, ...]
    before: NDArray[np.float64]
    after: NDArray[np.float64]
    ranks_before: NDArray[np.int64]
    ranks_after: NDArray[np.int64]
    conclusions: tuple[str, ...]


def significance_of_pairs(scores: Scores, measure: str, *, cancelled: Callable[[], bool] = never_cancelled) -> AllPairs:
    """Significance of the differences of all pairs of runs; NaN for a measure that is no mean over queries."""
    column = scores.column(measure)
    values = scores.values_in_mean[:, :, column]
    if not scores.measures[column].is_mean:
        values = np.full_like(values, np.nan)
    return randomised_tukey(values, checkpoint=make_checkpoint(cancelled))


def edit_consequences(
    former: Scores,
    scores: Scores,
    measure: str,
    tested: AllPairs | None = None,
    *,
    cancelled: Callable[[], bool] = never_cancelled,
) -> EditConsequences:
    """Compare the scores before and after edits.

    Parameters
    ----------
    former, scores : of the same runs under the same conventions, both with the measure.
    tested : result of `significance_of_pairs` for `former`; None to compute it.
    cancelled : called between blocks of work.
    """
    resolved = scores.measures[scores.column(measure)]
    before, after = (one.mean()[:, one.column(measure)] for one in (former, scores))
    sign = -1.0 if resolved.better == "lower" else 1.0
    tests = (
        tested or significance_of_pairs(former, measure, cancelled=cancelled),
        significance_of_pairs(scores, measure, cancelled=cancelled),
    )
    return EditConsequences(
        resolved,
        scores.runs,
        before,
        after,
        ranks_of(sign * before),
        ranks_of(sign * after),
        tuple(_conclusions(scores.runs, sign * before, sign * after, tests[0].p, tests[1].p)),
    )


def _conclusions(
    runs: tuple[str, ...],
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    p_before: NDArray[np.float64],
    p_after: NDArray[np.float64],
) -> list[str]:
    texts = []
    order = np.argsort(-np.where(np.isnan(before), -np.inf, before), kind="stable").tolist()
    for index, a in enumerate(order):
        for b in order[index + 1 :]:
            was, now = bool(p_before[a, b] < SIGNIFICANCE_LEVEL), bool(p_after[a, b] < SIGNIFICANCE_LEVEL)
            if after[b] > after[a]:
                texts.append(f"{runs[a]} and {runs[b]} change places; {_EXCHANGED[was, now]}")
            elif was and not now:
                texts.append(f"{runs[a]} is no longer significantly better than {runs[b]}")
            elif now and not was:
                texts.append(f"{runs[a]} is now significantly better than {runs[b]}")
    return texts


#: What is said about a pair that changes order, by whether it was, and is, significantly different.
_EXCHANGED = {
    (False, False): "no significant difference either way",
    (True, False): "the difference was significant before",
    (False, True): "the difference is significant now",
    (True, True): "the difference was significant before and is so now",
}
