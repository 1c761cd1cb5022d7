"""Measures, curves, profiles and statistics of shape retrieval on arrays; numpy only."""

from collections.abc import Collection, Iterator

from shrec_viewer.metrics.curves.curve import Curve, CurveValues
from shrec_viewer.metrics.curves.gain_curves import (
    CG_BY_RECALL,
    CG_CURVE,
    DCG_BY_RECALL,
    DCG_CURVE,
    NCG_CURVE,
    NDCG_CURVE,
)
from shrec_viewer.metrics.curves.generality_curves import GR2P_CURVE, GRIP_CURVE
from shrec_viewer.metrics.curves.precision_recall import PR, PR11, PR20, PR20_WITH_QUERY
from shrec_viewer.metrics.curves.rank_curves import ADR_CURVE, P_CURVE, R_CURVE
from shrec_viewer.metrics.generality.embedding import Embedding, embedding_of
from shrec_viewer.metrics.generality.expected_measures import (
    ExpectedByGenerality,
    RandomBaseline,
    common_levels,
    expected_by_generality,
    last_doubling_loss,
    loss_per_doubling,
    random_baseline,
    tris_deficit,
)
from shrec_viewer.metrics.generality.practical import (
    Bounds,
    Estimate,
    bounds,
    confidence_range,
    estimate,
    estimate_from_whole,
    judgements_needed,
    rule_of_three,
    sample,
)
from shrec_viewer.metrics.generality.scope_graph import (
    CONFOUNDED,
    TRIS,
    average_by_generality,
    by_class_size,
    default_scopes,
    ideal_curve,
    points_on_scopes,
    random_curve,
    reachable_region,
    scope_lines,
)
from shrec_viewer.metrics.generality.surface import GeneralitySurface, generality_surface
from shrec_viewer.metrics.measures.calculation import CalculationSteps, MeasureInputs
from shrec_viewer.metrics.measures.contingency import FN, FP, TN, TP
from shrec_viewer.metrics.measures.gain import CG, DCG, NCG, NDCG
from shrec_viewer.metrics.measures.measure import (
    Measure,
    MeasureFamily,
    ResolvedMeasure,
    UnknownKeyError,
    resolve_measure,
    suggestion,
)
from shrec_viewer.metrics.measures.precision import AP, F1, RR, E, P
from shrec_viewer.metrics.measures.recall import ADR, R
from shrec_viewer.metrics.measures.tiers import FT, GR1, GR2, GR_FAMILY, GRP2, GRP_FAMILY, NN, RPREC, ST
from shrec_viewer.metrics.profiles.contests import (
    DEFAULT,
    PSB,
    SHREC2006,
    SHREC2012,
    SHREC2013,
    SHREC2016,
    SHREC2017,
    SHREC2017RGBD,
    SHREC2019,
    SHREC2021,
    TREC,
)
from shrec_viewer.metrics.profiles.conventions import (
    CONVENTIONS,
    Convention,
    ConventionValue,
    find_convention,
    parse_convention,
    split_profile_key,
    with_convention,
    with_conventions,
)
from shrec_viewer.metrics.profiles.evaluator_bugs import (
    EVALUATOR_BUGS,
    TEXTBOOK_SUFFIX,
    EvaluatorBug,
    evaluator_bugs_of,
    textbook_profile,
)
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable
from shrec_viewer.metrics.ranking.list_ranking import ListArrays, hits_from_lists
from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix
from shrec_viewer.metrics.ranking.ranked_hits import ListAnomalies, RankedHits, TieOrder, order_of_row
from shrec_viewer.metrics.ranking.truth import Truth, classes_as_truth, pairs_as_truth
from shrec_viewer.metrics.statistics.bootstrap import ConfidenceInterval, bootstrap_interval, resampling_unit
from shrec_viewer.metrics.statistics.rank_correlation import kendall_tau, tau_ap
from shrec_viewer.metrics.statistics.significance import (
    AllPairs,
    PairedTest,
    SignificanceGroups,
    WinTieLoss,
    effect_size,
    group_runs,
    holm,
    randomisation_test,
    randomisation_tests,
    randomised_tukey,
    win_tie_loss,
)

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
    GRP2,
    TP,
    FP,
    TN,
    FN,
)
"""Every measure, in the order in which they are offered."""

FAMILIES: tuple[MeasureFamily, ...] = (GR_FAMILY, GRP_FAMILY)
"""Measures with a number in their name, of which MEASURES lists the usual ones: GR3 and GRP4 exist, too."""

CURVES: tuple[Curve, ...] = (
    PR20,
    PR20_WITH_QUERY,
    PR11,
    PR,
    P_CURVE,
    R_CURVE,
    NDCG_CURVE,
    NCG_CURVE,
    DCG_CURVE,
    CG_CURVE,
    ADR_CURVE,
    CG_BY_RECALL,
    DCG_BY_RECALL,
    GRIP_CURVE,
    GR2P_CURVE,
)
"""Every kind of curve, in the order in which they are offered."""

PROFILES: tuple[Profile, ...] = (
    DEFAULT,
    SHREC2006,
    SHREC2012,
    SHREC2019,
    PSB,
    TREC,
    SHREC2017,
    SHREC2021,
    SHREC2013,
    SHREC2016,
    SHREC2017RGBD,
)
"""Every set of conventions; the first one is used where nothing is said."""


def find_measure(key: str) -> ResolvedMeasure:
    """The measure of a key such as ``"AP(rel=2)"``, ``"NDCG@5"`` or ``"GR3"``.

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
    shrec_viewer.metrics.measures.measure.UnknownKeyError: there is no measure 'nDGC@5'; do you mean 'NDCG'?
    """
    return resolve_measure(key, MEASURES, FAMILIES)


def find_curve(key: str) -> Curve:
    """The kind of curve of a key such as ``"PR20"``; UnknownKeyError when there is none."""
    for kind in CURVES:
        if kind.key == key:
            return kind
    raise UnknownKeyError(f"there is no curve '{key}'{suggestion(key, [kind.key for kind in CURVES])}")


def find_profile(key: str) -> Profile:
    """The profile of a key such as ``"shrec2006"``; UnknownKeyError when there is none.

    Behind the key of a profile that repeats mistakes of an official program, ``-textbook`` names the same without them.
    Behind any key, ``+ties=trec`` changes a convention; see `CONVENTIONS`.

    Examples
    --------
    >>> find_profile("shrec2021").tiers, find_profile("shrec2021-textbook").tiers
    ('shrec2021', 'psb')
    >>> find_profile("psb+ties=trec+list_cut=1000").list_cut
    1000
    """
    name, changes = split_profile_key(key)
    for profile in PROFILES:
        mended = textbook_profile(profile)
        for found in (profile, mended):
            if found is not None and found.key == name:
                return with_conventions(found, dict(map(parse_convention, changes)))
    raise UnknownKeyError(f"there is no profile '{name}'{suggestion(name, [profile.key for profile in PROFILES])}")


class ProfileKeys(Collection[str]):
    """The keys that `find_profile` knows: those of the table to go through, and those with changes or mended, too.

    Examples
    --------
    >>> "psb" in PROFILE_KEYS, "psb+ties=trec" in PROFILE_KEYS, "shrec2021-textbook" in PROFILE_KEYS
    (True, True, True)
    >>> "psb+ties=lottery" in PROFILE_KEYS
    False
    """

    def __contains__(self, key: object) -> bool:
        try:
            find_profile(str(key))
        except UnknownKeyError:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return (profile.key for profile in PROFILES)

    def __len__(self) -> int:
        return len(PROFILES)


PROFILE_KEYS = ProfileKeys()
"""For readers of files that name a profile."""


# What a notebook needs: a truth (classes_as_truth, pairs_as_truth, Truth), ranks (hits_from_matrix, hits_from_lists),
# the rows of the tables by their keys (find_measure, find_curve, find_profile), conventions (with_choice), generality
# (sweep, surface, random_band), significance (randomisation_test, holm, randomised_tukey, bootstrap_interval,
# group_runs), and estimates without a complete truth (bounds, estimate).
__all__ = [
    "CONFOUNDED",
    "CONVENTIONS",
    "CURVES",
    "EVALUATOR_BUGS",
    "FAMILIES",
    "MEASURES",
    "PROFILES",
    "PROFILE_KEYS",
    "TEXTBOOK_SUFFIX",
    "TRIS",
    "AllPairs",
    "Bounds",
    "CalculationSteps",
    "ConfidenceInterval",
    "Convention",
    "ConventionValue",
    "Curve",
    "CurveValues",
    "Embedding",
    "Estimate",
    "EvaluatorBug",
    "ExpectedByGenerality",
    "GeneralitySurface",
    "HitTable",
    "ListAnomalies",
    "ListArrays",
    "Measure",
    "MeasureFamily",
    "MeasureInputs",
    "PairedTest",
    "Profile",
    "ProfileKeys",
    "RandomBaseline",
    "RankedHits",
    "ResolvedMeasure",
    "SignificanceGroups",
    "TieOrder",
    "Truth",
    "UnknownKeyError",
    "WinTieLoss",
    "average_by_generality",
    "bootstrap_interval",
    "bounds",
    "by_class_size",
    "classes_as_truth",
    "common_levels",
    "confidence_range",
    "default_scopes",
    "effect_size",
    "embedding_of",
    "estimate",
    "estimate_from_whole",
    "evaluator_bugs_of",
    "expected_by_generality",
    "find_convention",
    "find_curve",
    "find_measure",
    "find_profile",
    "generality_surface",
    "group_runs",
    "hits_from_lists",
    "hits_from_matrix",
    "holm",
    "ideal_curve",
    "judgements_needed",
    "kendall_tau",
    "last_doubling_loss",
    "loss_per_doubling",
    "order_of_row",
    "pairs_as_truth",
    "parse_convention",
    "points_on_scopes",
    "random_baseline",
    "random_curve",
    "randomisation_test",
    "randomisation_tests",
    "randomised_tukey",
    "reachable_region",
    "resampling_unit",
    "rule_of_three",
    "sample",
    "scope_lines",
    "split_profile_key",
    "tau_ap",
    "textbook_profile",
    "tris_deficit",
    "win_tie_loss",
    "with_convention",
    "with_conventions",
]
