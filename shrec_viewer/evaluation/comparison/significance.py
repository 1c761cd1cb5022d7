"""All runs on one measure: means with confidence intervals and significance groups."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.choices import Resample
from shrec_viewer.evaluation.comparison.comparable import Incomparable, incomparable_pairs
from shrec_viewer.evaluation.comparison.comparison import (
    ResamplingUnit,
    interval_record,
    measure_column,
    resampling_clusters,
    tested_values,
)
from shrec_viewer.evaluation.evaluate import make_checkpoint, never_cancelled
from shrec_viewer.evaluation.score_tables import finite_or_none, measure_record
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.metrics import ResolvedMeasure
from shrec_viewer.metrics.statistics.bootstrap import SEED, ConfidenceInterval, bootstrap_interval
from shrec_viewer.metrics.statistics.significance import (
    SHUFFLES,
    SIGNIFICANCE_LEVEL,
    AllPairs,
    SignificanceGroups,
    group_runs,
    holm,
    randomisation_tests,
    randomised_tukey,
)
from shrec_viewer.number_format import format_p_value
from shrec_viewer.version import __version__

#: Name and version of the document; the version changes when a reader of it would fail.
SIGNIFICANCE_SCHEMA = "shrec-viewer/significance/1"


@dataclass(frozen=True, eq=False)
class RunSignificance:
    """All runs on one measure: means, and significance of their differences.

    Attributes
    ----------
    measure : the measure.
    runs : (R,) names.
    means : (R,) confidence intervals of the mean of each run, over the queries in its mean.
    pairs : randomised Tukey test of all pairs, over the queries in the means of all runs.
    groups : runs that do not differ significantly in that test.
    baseline : run with which the others are compared one by one.
    p_against_baseline : (R,) float64, p of the paired randomisation tests with the baseline, adjusted by Holm; NaN
        for the baseline.
    unit : unit of the bootstrap.
    incomparable : pairs whose difference says nothing about two methods.
    """

    measure: ResolvedMeasure
    runs: tuple[str, ...]
    means: tuple[ConfidenceInterval, ...]
    pairs: AllPairs
    groups: SignificanceGroups
    baseline: str
    p_against_baseline: NDArray[np.float64]
    unit: ResamplingUnit
    incomparable: tuple[Incomparable, ...] = ()

    def p_of_pair(self, one: str, other: str) -> float:
        """The p-value of the Tukey test of two runs; NaN for a run with itself or one that was not tested."""
        if one == other or not {one, other} <= set(self.runs):
            return float("nan")
        return float(self.pairs.p[self.runs.index(one), self.runs.index(other)])


def run_significance(
    scores: Scores,
    measure: str | None = None,
    *,
    baseline: str | None = None,
    resample: Resample = "auto",
    cancelled: Callable[[], bool] = never_cancelled,
) -> RunSignificance:
    """Significance of the differences between all runs.

    Parameters
    ----------
    measure : key; None for the headline of the profile, or the first measure if that was not evaluated.
    baseline : run to compare the others with; None for the one with the best mean.
    resample : see `Resample`.
    cancelled : called between blocks of work.

    Raises
    ------
    Cancelled
        If `cancelled` returned True.
    UnknownKeyError
        If there is no such run or the measure was not evaluated.
    ShrecViewerError
        If the measure is no mean over queries.
    """
    column = measure_column(scores, measure)
    values = tested_values(scores, column)
    resolved, checkpoint = scores.measures[column], make_checkpoint(cancelled)
    # Queries of any run: each interval is of the mean in the table, whose queries may differ between runs.
    unit, clusters = resampling_clusters(scores, np.any(~np.isnan(values), axis=0), resample)
    labels = None if clusters is None else scores.query_labels
    means = []
    for row in values:
        checkpoint()
        means.append(bootstrap_interval(row, labels, seed=SEED))
    heights = np.array([interval.mean for interval in means])
    higher = resolved.better != "lower"
    base = _baseline_row(scores, heights if higher else -heights, baseline)
    pairs = randomised_tukey(values, shuffles=SHUFFLES, seed=SEED, checkpoint=checkpoint)
    return RunSignificance(
        measure=resolved,
        runs=scores.runs,
        means=tuple(means),
        pairs=pairs,
        groups=group_runs(heights, pairs.p, significant=SIGNIFICANCE_LEVEL, higher_is_better=higher),
        baseline=scores.runs[base] if scores.runs else "",
        p_against_baseline=_p_against_baseline(values, base, checkpoint),
        unit=unit,
        incomparable=incomparable_pairs(scores, resolved.key),
    )


def disagreement_text(found: RunSignificance) -> str:
    """Runs on which the two tests against the baseline disagree, with the reason; "" if they agree on all."""
    parts = []
    base = found.runs.index(found.baseline) if found.runs else 0
    for row, name in enumerate(found.runs):
        single, joint = float(found.p_against_baseline[row]), float(found.pairs.p[row, base])
        # x == x is False for NaN: pairs that were not tested do not disagree.
        disagree = (single < SIGNIFICANCE_LEVEL) != (joint < SIGNIFICANCE_LEVEL)
        if row != base and disagree and single == single and joint == joint:
            parts.append(f"{name} (Holm {format_p_value(single)}, Tukey HSD {format_p_value(joint)})")
    if not parts:
        return ""
    return (
        f"The tests disagree on {', '.join(parts)}: Holm corrects for the comparisons with {found.baseline} only, "
        "Tukey HSD for all pairs of runs, and it assigns the groups."
    )


def _baseline_row(scores: Scores, heights: NDArray[np.float64], baseline: str | None) -> int:
    if baseline is not None:
        return scores.run_index(baseline)
    # argmax would return the first NaN.
    return int(np.argmax(np.nan_to_num(heights, nan=-np.inf))) if len(heights) else 0


def _p_against_baseline(values: NDArray[np.float64], base: int, checkpoint: Callable[[], None]) -> NDArray[np.float64]:
    if not len(values):
        return np.empty(0)
    differences = (values - values[base]).T
    tests = randomisation_tests(differences, seed=SEED, checkpoint=checkpoint)
    p = np.array([test.p for test in tests])
    # The baseline with itself is no test; Holm's correction does not count NaN.
    p[base] = np.nan
    return holm(p)


def significance_document(found: RunSignificance, scores: Scores, benchmark: Benchmark) -> dict[str, Any]:
    """Document of ``compare --format json`` for all runs: plain dicts, lists, strings and numbers, None for NaN.

    ``group`` has a letter for each group of runs that do not differ significantly: two runs share one if and only if
    the randomised Tukey test does not separate them. ``p`` of a run is that of the paired randomisation test with the
    baseline, adjusted by Holm; ``pairs`` has those of the Tukey test, in the order of ``runs``.
    """
    return {
        "schema": SIGNIFICANCE_SCHEMA,
        "version": __version__,
        "benchmark": benchmark.name,
        "profile": scores.profile.key,
        "measure": measure_record(found.measure, scores.profile),
        "queries": found.pairs.n,
        "resampled": found.unit,
        "baseline": found.baseline,
        "family": list(found.runs),
        **({"disagreement": disagreement} if (disagreement := disagreement_text(found)) else {}),
        "runs": [
            {"run": run, "mean": interval_record(mean), "p": finite_or_none(p), "group": letters}
            for run, mean, p, letters in zip(
                found.runs, found.means, found.p_against_baseline, found.groups.letters, strict=True
            )
        ],
        "pairs": {
            "test": "randomised Tukey HSD",
            "shuffles": found.pairs.shuffles,
            "seed": found.pairs.seed,
            "p": [[finite_or_none(p) for p in row] for row in found.pairs.p],
        },
        "not_comparable": [{"a": pair.a, "b": pair.b, "reason": pair.reason} for pair in found.incomparable],
    }
