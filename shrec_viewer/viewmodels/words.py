"""Sentences about models and ranks, so that tooltips, status bar and screen readers say the same."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Severity
from shrec_viewer.metrics import Profile, ResolvedMeasure

_THREE_LEVELS = ("not relevant", "marginally relevant", "highly relevant")
"""SHREC 2006's words, for an assessment with the levels 1 and 2."""


def level_words(level: int, levels: Sequence[int]) -> str:
    """``"highly relevant (2)"``; `levels` are those of the assessment, a negative `level` says there is none."""
    if level < 0:
        return "no assessment"
    if level == 0:
        return "not relevant"
    if tuple(levels) == (1,):
        return "relevant"
    if tuple(levels) == (1, 2):
        return f"{_THREE_LEVELS[level]} ({level})"
    return f"relevance level {level}"


def class_words(benchmark: Benchmark, label: int) -> str:
    """Name of a class, "" for none."""
    if benchmark.classification is None or label < 0:
        return ""
    return benchmark.classification.names[label]


def model_class(benchmark: Benchmark, item: int) -> str:
    """Class name of a model of the collection, "" for none and for what is not in it."""
    if benchmark.classification is None or item < 0:
        return ""
    return class_words(benchmark, int(benchmark.classification.labels[item]))


def distance_words(distance: float) -> str:
    """A distance or similarity as cards, status bar and tool tips print it alike; "" for NaN.

    Examples
    --------
    >>> distance_words(1.04349), distance_words(123.456), distance_words(0.0000123), distance_words(98765.4)
    ('1.0435', '123.46', '1.2e-05', '98765')
    """
    if math.isnan(distance):
        return ""
    size = abs(distance)
    if size and not 1e-4 <= size < 1e7:
        return f"{distance:.1e}"
    decimals = 4 if size < 10 else 2 if size < 1000 else 0
    return f"{distance:.{decimals}f}"


def is_counted(measure: ResolvedMeasure, values: NDArray[np.float64]) -> bool:
    """Whether these values of a measure are counts, which have no decimals: unbounded above, and whole throughout."""
    whole = values[np.isfinite(values)]
    return math.isinf(measure.range[1]) and bool((whole == np.floor(whole)).all())


def value_words(value: float, *, counted: bool = False, signed: bool = False) -> str:
    """A value of a measure as lists and the status bar print it; "–" for undefined.

    Parameters
    ----------
    counted : see `is_counted`.
    signed : with a sign, for a difference; none before what prints as zero.

    Examples
    --------
    >>> value_words(0.98765), value_words(float("nan")), value_words(18.0, counted=True), value_words(1234.5)
    ('0.988', '–', '18', '1,234.5')
    >>> value_words(0.5, signed=True), value_words(-0.00001, signed=True), value_words(3.0, counted=True, signed=True)
    ('+0.500', '0.000', '+3')
    """
    if math.isnan(value):
        return "–"
    decimals = 0 if counted else 3 if abs(value) < 10 else 2 if abs(value) < 100 else 1
    rounded = round(value, decimals) + 0.0
    sign = "+" if signed and rounded > 0 else ""
    return f"{rounded:{sign},.{decimals}f}"


def share_words(share: float) -> str:
    """A share in three digits without the zero before the point: ``".583"``, ``"1.000"``, "–" for undefined."""
    return "–" if math.isnan(share) else f"{share:.3f}".removeprefix("0")


def count_words(count: int, one: str, many: str = "") -> str:
    """``"1 finding"``, ``"1,814 models"``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def collection_words(benchmark: Benchmark) -> tuple[str, str]:
    """``("122 models", "no queries")``: what there is, and what is lacking for a ranked list."""
    lacking = "no queries" if not len(benchmark.queries) else "no runs"
    return count_words(len(benchmark.collection), "model"), lacking


def missing_words(profile: Profile) -> str:
    """What the conventions in force make of a query that a run has no answer to."""
    if profile.missing_query == "zero":
        return f"Under {profile.title} it counts as an empty list: 0 in the means."
    return f"Under {profile.title} it is left out of this run's means."


def trouble_words(benchmark: Benchmark) -> str:
    """What stands in the way of looking at a benchmark just opened, as a sentence; "" for nothing.

    Errors among the findings first, because numbers are wrong or missing; then the absence of runs.
    """
    errors = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    if errors:
        return f"{count_words(len(errors), 'error')} in '{benchmark.name}': {errors[0].place}: {errors[0].message}"
    if not benchmark.runs:
        models = count_words(len(benchmark.collection), "model")
        return f"'{benchmark.name}' has {models}, but no run: they are shown without ranks"
    if not len(benchmark.queries):
        return f"'{benchmark.name}' has no queries: its models are shown without ranks"
    return ""
