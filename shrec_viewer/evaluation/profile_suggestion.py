"""Suggest a profile from the structure of a benchmark."""

import numpy as np

from shrec_viewer.domain import Benchmark, ClassAssessment, DistanceMatrix
from shrec_viewer.metrics import PROFILES, Profile, find_profile

DEFAULT_PROFILE_KEY = PROFILES[0].key
"""`Benchmark.profile` of a benchmark that names no profile."""

LEVELS_2006 = (1, 2)
"""Levels of SHREC 2006: marginally and highly relevant."""

MAX_QUERIES_2006 = 100
"""Maximum number of queries of a benchmark like SHREC 2006, which had 30. The RGB-D tracks of 2017 and 2018 have the
same two levels but other conventions, and had 1,240 and 2,101 queries.
"""

CLASS_SIZE_2012 = 20
"""Number of models of every class of SHREC 2012."""


def suggest_profile(benchmark: Benchmark) -> Profile | None:
    """Profile of the contest that a benchmark resembles; None if it names a profile or resembles none.

    Only the structure is compared, so the profile is displayed as a suggestion and not applied. SHREC 2017 for
    ShapeNet: relevance from a table of synsets. SHREC 2006: at most 100 queries, none in the collection, and the levels
    1 and 2. Princeton Shape Benchmark: every model is a query, relevance is by class, and every run is a square matrix.
    SHREC 2012: the same with 20 models in every class. The default profile evaluates all of them differently (tiers,
    ties, small classes).
    """
    if benchmark.profile != DEFAULT_PROFILE_KEY or benchmark.assessment is None or not len(benchmark.queries):
        return None
    if isinstance(benchmark.assessment, ClassAssessment) and benchmark.assessment.graded == "synsets":
        return find_profile("shrec2017")
    if _is_like_2006(benchmark):
        return find_profile("shrec2006")
    if _is_like_princeton(benchmark):
        return find_profile("shrec2012" if _all_classes_have_size(benchmark, CLASS_SIZE_2012) else "psb")
    return None


def _is_like_2006(benchmark: Benchmark) -> bool:
    assert benchmark.assessment is not None
    are_external = not np.any(benchmark.queries.member >= 0)
    return are_external and len(benchmark.queries) <= MAX_QUERIES_2006 and benchmark.assessment.levels == LEVELS_2006


def _is_like_princeton(benchmark: Benchmark) -> bool:
    assert benchmark.assessment is not None
    size = len(benchmark.collection)
    if not benchmark.queries.are_members or len(benchmark.queries) != size:
        return False
    if benchmark.classification is None or benchmark.assessment.levels != (1,) or not benchmark.runs:
        return False
    matrices = [run.ranking for run in benchmark.runs if isinstance(run.ranking, DistanceMatrix)]
    return len(matrices) == len(benchmark.runs) and all(matrix.values.shape == (size, size) for matrix in matrices)


def _all_classes_have_size(benchmark: Benchmark, size: int) -> bool:
    """Whether every model has a class and all classes have `size` models."""
    classification = benchmark.classification
    if classification is None or np.any(classification.labels < 0):
        return False
    return bool(np.all(classification.sizes[classification.leaves] == size))
