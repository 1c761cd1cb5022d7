"""Verbs on arrays: every measure, curve and profile of shape-retrieval evaluation; numpy only."""

from collections.abc import Collection, Iterator

from shrec_viewer.metrics.choices import CHOICES, Allowed, Choice
from shrec_viewer.metrics.contingency import FN, FP, TN, TP
from shrec_viewer.metrics.conventions import find_choice, parse_choice, split_key, with_choice, with_choices
from shrec_viewer.metrics.curve import CurveKind, CurveValues
from shrec_viewer.metrics.embedding import Embedding, embedding_of
from shrec_viewer.metrics.evaluator_profiles import SHREC2013, SHREC2016, SHREC2017, SHREC2017RGBD, SHREC2021
from shrec_viewer.metrics.gain import CG, DCG, NCG, NDCG
from shrec_viewer.metrics.gain_curves import CG_CURVE, DCG_CURVE, NCG_CURVE, NDCG_CURVE
from shrec_viewer.metrics.generality import (
    RandomBand,
    Sweep,
    common_levels,
    last_doubling_loss,
    loss_per_doubling,
    random_band,
    sweep,
    tris_deficit,
)
from shrec_viewer.metrics.generality_curves import GR2P_CURVE, GRIP_CURVE
from shrec_viewer.metrics.generality_graph import (
    CONFOUNDED,
    TRIS,
    average_by_generality,
    by_class_size,
    ideal_curve,
    points_on_scopes,
    random_curve,
    reachable_wedge,
    scope_lines,
    usual_scopes,
)
from shrec_viewer.metrics.generality_surface import Surface, surface
from shrec_viewer.metrics.hits import HitTable
from shrec_viewer.metrics.list_ranking import Lists, hits_from_lists
from shrec_viewer.metrics.matrix_ranking import hits_from_matrix
from shrec_viewer.metrics.measure import Family, Measure, ResolvedMeasure, UnknownKeyError, resolve, suggestion
from shrec_viewer.metrics.practical import (
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
from shrec_viewer.metrics.precision import AP, F1, RR, E, P
from shrec_viewer.metrics.precision_recall import PR, PR11, PR20, PR20_WITH_QUERY
from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.profiles import DEFAULT, PSB, SHREC2006, SHREC2012, SHREC2019, TREC
from shrec_viewer.metrics.rank_correlation import kendall_tau, tau_ap
from shrec_viewer.metrics.rank_curves import ADR_CURVE, P_CURVE, R_CURVE
from shrec_viewer.metrics.ranking import Noticed, RankedHits, TieOrder, order_of_row
from shrec_viewer.metrics.recall import ADR, R
from shrec_viewer.metrics.recall_gain_curves import CG_BY_RECALL, DCG_BY_RECALL
from shrec_viewer.metrics.relevant_scope import GR1, GR2, GR_FAMILY, GRP2, GRP_FAMILY
from shrec_viewer.metrics.resampling import Interval, bootstrap_interval, resampling_unit
from shrec_viewer.metrics.significance_groups import Groups, group_runs
from shrec_viewer.metrics.slips import SLIPS, TEXTBOOK, Slip, slips_of, textbook_of
from shrec_viewer.metrics.statistics import (
    AllPairs,
    PairedTest,
    Tally,
    holm,
    randomisation_test,
    randomisation_tests,
    randomised_tukey,
    standardised,
    win_tie_loss,
)
from shrec_viewer.metrics.tiers import FT, NN, RPREC, ST
from shrec_viewer.metrics.truth import Truth, classes_as_truth, pairs_as_truth

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

FAMILIES: tuple[Family, ...] = (GR_FAMILY, GRP_FAMILY)
"""Measures with a number in their name, of which MEASURES lists the usual ones: GR3 and GRP4 exist, too."""

CURVES: tuple[CurveKind, ...] = (
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
    shrec_viewer.metrics.measure.UnknownKeyError: there is no measure 'nDGC@5'; do you mean 'NDCG'?
    """
    return resolve(key, MEASURES, FAMILIES)


def find_curve(key: str) -> CurveKind:
    """The kind of curve of a key such as ``"PR20"``; UnknownKeyError when there is none."""
    for kind in CURVES:
        if kind.key == key:
            return kind
    raise UnknownKeyError(f"there is no curve '{key}'{suggestion(key, [kind.key for kind in CURVES])}")


def find_profile(key: str) -> Profile:
    """The profile of a key such as ``"shrec2006"``; UnknownKeyError when there is none.

    Behind the key of a profile that repeats mistakes of an official program, ``-textbook`` names the same without them.
    Behind any key, ``+ties=trec`` changes a convention; see `CHOICES`.

    Examples
    --------
    >>> find_profile("shrec2021").tiers, find_profile("shrec2021-textbook").tiers
    ('shrec2021', 'psb')
    >>> find_profile("psb+ties=trec+list_cut=1000").list_cut
    1000
    """
    name, changes = split_key(key)
    for profile in PROFILES:
        mended = textbook_of(profile)
        for found in (profile, mended):
            if found is not None and found.key == name:
                return with_choices(found, dict(map(parse_choice, changes)))
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
    "CHOICES",
    "CONFOUNDED",
    "CURVES",
    "FAMILIES",
    "MEASURES",
    "PROFILES",
    "PROFILE_KEYS",
    "SLIPS",
    "TEXTBOOK",
    "TRIS",
    "AllPairs",
    "Allowed",
    "Bounds",
    "Choice",
    "CurveKind",
    "CurveValues",
    "Embedding",
    "Estimate",
    "Family",
    "Groups",
    "HitTable",
    "Interval",
    "Lists",
    "Measure",
    "Noticed",
    "PairedTest",
    "Profile",
    "ProfileKeys",
    "RandomBand",
    "RankedHits",
    "ResolvedMeasure",
    "Slip",
    "Surface",
    "Sweep",
    "Tally",
    "TieOrder",
    "Truth",
    "UnknownKeyError",
    "average_by_generality",
    "bootstrap_interval",
    "bounds",
    "by_class_size",
    "classes_as_truth",
    "common_levels",
    "confidence_range",
    "embedding_of",
    "estimate",
    "estimate_from_whole",
    "find_choice",
    "find_curve",
    "find_measure",
    "find_profile",
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
    "parse_choice",
    "points_on_scopes",
    "random_band",
    "random_curve",
    "randomisation_test",
    "randomisation_tests",
    "randomised_tukey",
    "reachable_wedge",
    "resampling_unit",
    "rule_of_three",
    "sample",
    "scope_lines",
    "slips_of",
    "split_key",
    "standardised",
    "surface",
    "sweep",
    "tau_ap",
    "textbook_of",
    "tris_deficit",
    "usual_scopes",
    "win_tie_loss",
    "with_choice",
    "with_choices",
]
