"""Short texts about classes, relevance levels and counts, shared by all views."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Benchmark, Severity
from shrec_viewer.metrics import Profile, ResolvedMeasure

_THREE_LEVELS = ("not relevant", "marginally relevant", "highly relevant")
"""SHREC 2006's words, for an assessment with the levels 1 and 2."""


def level_name(level: int, levels: Sequence[int]) -> str:
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


def class_label(benchmark: Benchmark, label: int) -> str:
    """Name of a class, "" for none."""
    if benchmark.classification is None or label < 0:
        return ""
    return benchmark.classification.names[label]


def model_class(benchmark: Benchmark, item: int) -> str:
    """Class name of a model of the collection, "" for none and for what is not in it."""
    if benchmark.classification is None or item < 0:
        return ""
    return class_label(benchmark, int(benchmark.classification.labels[item]))


def is_count(measure: ResolvedMeasure, values: NDArray[np.float64]) -> bool:
    """Whether these values of a measure are counts, which have no decimals: unbounded above, and whole throughout."""
    whole = values[np.isfinite(values)]
    return math.isinf(measure.range[1]) and bool((whole == np.floor(whole)).all())


def count_text(count: int, one: str, many: str = "") -> str:
    """``"1 finding"``, ``"1,814 models"``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def collection_summary(benchmark: Benchmark) -> tuple[str, str]:
    """``("122 models", "no queries")``: what there is, and what is lacking for a ranked list."""
    lacking = "no queries" if not len(benchmark.queries) else "no runs"
    return count_text(len(benchmark.collection), "model"), lacking


def missing_query_text(profile: Profile) -> str:
    """What the conventions in force make of a query that a run has no answer to."""
    if profile.missing_query == "zero":
        return f"Under {profile.title} it counts as an empty list: 0 in the means."
    return f"Under {profile.title} it is left out of this run's means."


def opening_problem(benchmark: Benchmark) -> str:
    """What stands in the way of looking at a benchmark just opened, as a sentence; "" for nothing.

    Errors among the findings first, because numbers are wrong or missing; then the absence of runs.
    """
    errors = [finding for finding in benchmark.findings if finding.severity is Severity.ERROR]
    if errors:
        return f"{count_text(len(errors), 'error')} in '{benchmark.name}': {errors[0].place}: {errors[0].message}"
    if not benchmark.runs:
        models = count_text(len(benchmark.collection), "model")
        return f"'{benchmark.name}' has {models}, but no run: they are shown without ranks"
    if not len(benchmark.queries):
        return f"'{benchmark.name}' has no queries: its models are shown without ranks"
    return ""
