"""Verbs on arrays: every measure, curve and profile of shape-retrieval evaluation; numpy only."""

from shrec_viewer.metrics.contingency import FN, FP, TN, TP
from shrec_viewer.metrics.curve import CurveKind, CurveValues
from shrec_viewer.metrics.gain import CG, DCG, NCG, NDCG
from shrec_viewer.metrics.gain_curves import CG_CURVE, DCG_CURVE, NCG_CURVE, NDCG_CURVE
from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.measure import Measure, ResolvedMeasure, UnknownKeyError, resolve, suggestion
from shrec_viewer.metrics.precision import AP, F1, RR, E, P
from shrec_viewer.metrics.precision_recall import PR, PR11, PR20, PR20_WITH_QUERY
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.profiles import DEFAULT, PSB, SHREC2006, SHREC2012, SHREC2019, TREC
from shrec_viewer.metrics.recall import ADR, R
from shrec_viewer.metrics.tiers import FT, GR1, GR2, NN, RPREC, ST

MEASURES: tuple[Measure, ...] = (
    NN,
    FT,
    ST,
    E,
    AP,
    ADR,
    NDCG,
    NCG,
    DCG,
    CG,
    P,
    R,
    F1,
    RPREC,
    RR,
    GR1,
    GR2,
    TP,
    FP,
    TN,
    FN,
)
"""Every measure, in the order in which they are offered."""

CURVES: tuple[CurveKind, ...] = (PR20, PR20_WITH_QUERY, PR11, PR, NDCG_CURVE, NCG_CURVE, DCG_CURVE, CG_CURVE)
"""Every kind of curve, in the order in which they are offered."""

PROFILES: tuple[Profile, ...] = (DEFAULT, SHREC2006, SHREC2012, SHREC2019, PSB, TREC)
"""Every set of conventions; the first one is used where nothing is said."""


def find_measure(key: str) -> ResolvedMeasure:
    """The measure of a key such as ``"AP(rel=2)"`` or ``"NDCG@5"``.

    Raises
    ------
    UnknownKeyError
        A KeyError whose text is a sentence with the nearest name.

    Examples
    --------
    >>> find_measure("AP(rel=2)").label
    'Average precision (highly relevant)'
    >>> find_measure("E").key
    'E@32'
    >>> find_measure("nDGC@5")
    Traceback (most recent call last):
    shrec_viewer.metrics.measure.UnknownKeyError: there is no measure 'nDGC@5'; do you mean 'NDCG'?
    """
    return resolve(key, MEASURES)


def find_curve(key: str) -> CurveKind:
    """The kind of curve of a key such as ``"PR20"``; UnknownKeyError when there is none."""
    for kind in CURVES:
        if kind.key == key:
            return kind
    raise UnknownKeyError(f"there is no curve '{key}'{suggestion(key, [kind.key for kind in CURVES])}")


def find_profile(key: str) -> Profile:
    """The profile of a key such as ``"shrec2006"``; UnknownKeyError when there is none."""
    for profile in PROFILES:
        if profile.key == key:
            return profile
    raise UnknownKeyError(f"there is no profile '{key}'{suggestion(key, [profile.key for profile in PROFILES])}")


__all__ = [
    "CURVES",
    "MEASURES",
    "PROFILES",
    "CurveKind",
    "CurveValues",
    "HitTable",
    "Measure",
    "Profile",
    "ResolvedMeasure",
    "UnknownKeyError",
    "find_curve",
    "find_measure",
    "find_profile",
]
