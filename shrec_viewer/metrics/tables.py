"""Tables of measures, curves and profiles, with the rows of other packages, and look-up by key."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from shrec_viewer.metrics.curves.curve import Curve
from shrec_viewer.metrics.curves.gain_curves import (
    CG_BY_RECALL,
    CG_CURVE,
    DCG_BY_RECALL,
    DCG_CURVE,
    NCG_CURVE,
    NDCG_CURVE,
)
from shrec_viewer.metrics.curves.generality_curves import E_CURVE, GR2P_CURVE, GRIP_CURVE, GRNP_CURVES
from shrec_viewer.metrics.curves.precision_recall import (
    ADR_CURVE,
    F_BY_RECALL,
    P_CURVE,
    PR,
    PR11,
    PR20,
    PR20_WITH_QUERY,
    R_CURVE,
)
from shrec_viewer.metrics.measures.areas import AP_AT_R, AP_TRAPEZOID, AUC_PR, AUC_PR20, AUC_RANK, F_OF_CURVE
from shrec_viewer.metrics.measures.classification import ACCURACY, BALANCED_ACCURACY, MACRO_F1, MCC
from shrec_viewer.metrics.measures.gain import CG, CG_WASTED, DCG, DCG_WASTED, NCG, NDCG
from shrec_viewer.metrics.measures.judged import BPREF, JUDGED
from shrec_viewer.metrics.measures.measure import (
    Measure,
    MeasureFamily,
    ResolvedMeasure,
    UnknownKeyError,
    resolve_measure,
    suggestion,
)
from shrec_viewer.metrics.measures.precision_recall import (
    ADR,
    AP,
    COST,
    COST_FAMILY,
    E_RIJSBERGEN,
    F1,
    F2,
    F_FAMILY,
    FN,
    FP,
    GMAP,
    RR,
    SUCCESS,
    TN,
    TP,
    E,
    P,
    R,
)
from shrec_viewer.metrics.measures.retrieval_rank import ANMRR
from shrec_viewer.metrics.measures.tiers import BEP, FT, GR1, GR2, GR_FAMILY, GRP2, GRP_FAMILY, NN, RPREC, ST
from shrec_viewer.metrics.measures.user_models import (
    ERR,
    ERR_FAMILY,
    RBP,
    RBP_FAMILY,
    RBP_RESIDUAL,
    RESIDUAL_FAMILY,
)
from shrec_viewer.metrics.profiles.contests import (
    DEFAULT,
    OXFORD_BUILDINGS,
    PSB,
    SHREC2006,
    SHREC2012,
    SHREC2013,
    SHREC2016,
    SHREC2017,
    SHREC2017RGBD,
    SHREC2019,
    SHREC2021,
    SHREC2021PROTEIN,
    SHREC2022,
    SHREC2023,
    TREC,
)
from shrec_viewer.metrics.profiles.conventions import (
    parse_convention,
    split_profile_key,
    textbook_profile,
    with_conventions,
)
from shrec_viewer.metrics.profiles.profile import Profile

#: Measures of this package, in display order; `measure_table` has those of other packages, too.
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
    DCG_WASTED,
    CG_WASTED,
    P,
    R,
    F1,
    F2,
    F_OF_CURVE,
    E_RIJSBERGEN,
    RPREC,
    RR,
    SUCCESS,
    GMAP,
    AP_AT_R,
    AP_TRAPEZOID,
    AUC_PR,
    AUC_PR20,
    AUC_RANK,
    ANMRR,
    ERR,
    RBP,
    RBP_RESIDUAL,
    BPREF,
    JUDGED,
    ACCURACY,
    BALANCED_ACCURACY,
    MACRO_F1,
    MCC,
    GR1,
    GR2,
    GRP2,
    BEP,
    TP,
    FP,
    TN,
    FN,
    COST,
)

#: Measures with a number in their name or with a parameter. MEASURES has the common ones, but every number is valid:
#: GR3, GRP4, F(beta=0.5), Cost(alpha=0.2), ERR(max=4), RBP(p=0.5).
FAMILIES: tuple[MeasureFamily, ...] = (
    GR_FAMILY,
    GRP_FAMILY,
    F_FAMILY,
    COST_FAMILY,
    ERR_FAMILY,
    RBP_FAMILY,
    RESIDUAL_FAMILY,
)

#: Curves of this package, in display order; `curve_table` has those of other packages, too.
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
    F_BY_RECALL,
    GRIP_CURVE,
    GR2P_CURVE,
    *GRNP_CURVES,
    E_CURVE,
)

#: Profiles of this package, in display order, the default first; `profile_table` has those of other packages, too.
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
    SHREC2022,
    SHREC2023,
    SHREC2021PROTEIN,
    OXFORD_BUILDINGS,
)


@dataclass(frozen=True)
class ExtraRows:
    """Rows of other packages, appended to the tables.

    Attributes
    ----------
    measures, curves, profiles : rows with unique keys, which `shrec_viewer.plugins` checks.
    """

    measures: tuple[Measure, ...] = ()
    curves: tuple[Curve, ...] = ()
    profiles: tuple[Profile, ...] = ()


_extra_rows = ExtraRows()


def set_extra_rows(
    measures: Sequence[Measure] = (), curves: Sequence[Curve] = (), profiles: Sequence[Profile] = ()
) -> ExtraRows:
    """Replace the rows of other packages; returns the previous ones.

    Called once at program start, before any look-up. Nothing is registered at import: a notebook that needs more rows
    calls this itself.
    """
    global _extra_rows
    previous, _extra_rows = _extra_rows, ExtraRows(tuple(measures), tuple(curves), tuple(profiles))
    return previous


def measure_table() -> tuple[Measure, ...]:
    """All measures: `MEASURES`, then those of other packages."""
    return (*MEASURES, *_extra_rows.measures)


def curve_table() -> tuple[Curve, ...]:
    """All curves: `CURVES`, then those of other packages."""
    return (*CURVES, *_extra_rows.curves)


def profile_table() -> tuple[Profile, ...]:
    """All profiles: `PROFILES`, then those of other packages."""
    return (*PROFILES, *_extra_rows.profiles)


def extra_measure_keys() -> tuple[str, ...]:
    """Keys of the measures of other packages, without parameters."""
    return tuple(measure.at().key for measure in _extra_rows.measures)


def find_measure(key: str) -> ResolvedMeasure:
    """Measure of a key such as ``"AP(rel=2)"``, ``"NDCG@5"`` or ``"GR3"``.

    Other names lead to the same measures: ``"MAP"``, ``"First tier"``, ``"nDCG@5"``.

    Raises
    ------
    UnknownKeyError
        A KeyError; its message suggests the nearest name.

    Examples
    --------
    >>> find_measure("MADR").key, find_measure("F(beta=0.5, rel=2)@20").key
    ('ADR', 'F(beta=0.5,rel=2)@20')
    >>> find_measure("AP(rel=2)").label
    'Average precision (highly relevant)'
    >>> find_measure("E").key
    'E@32'
    >>> find_measure("nDGC@5")
    Traceback (most recent call last):
    shrec_viewer.metrics.measures.measure.UnknownKeyError: there is no measure 'nDGC@5'; do you mean 'NDCG'?
    """
    return resolve_measure(key, measure_table(), FAMILIES)


def find_curve(key: str) -> Curve:
    """Curve of a key such as ``"PR20"``; UnknownKeyError if there is none."""
    for curve in curve_table():
        if curve.key == key:
            return curve
    raise UnknownKeyError(f"there is no curve '{key}'{suggestion(key, [curve.key for curve in curve_table()])}")


def find_profile(key: str) -> Profile:
    """Profile of a key such as ``"shrec2006"``; UnknownKeyError if there is none.

    After the key of a profile that reproduces bugs of an official evaluator, ``-textbook`` selects the same profile
    without them. After any key, ``+ties=trec`` changes a convention; see `CONVENTIONS`.

    Examples
    --------
    >>> find_profile("shrec2021").tiers, find_profile("shrec2021-textbook").tiers
    ('shrec2021', 'psb')
    >>> find_profile("psb+ties=trec+list_cut=1000").list_cut
    1000
    """
    name, changes = split_profile_key(key)
    for profile in profile_table():
        for candidate in (profile, textbook_profile(profile)):
            if candidate is not None and candidate.key == name:
                return with_conventions(candidate, dict(map(parse_convention, changes)))
    raise UnknownKeyError(f"there is no profile '{name}'{suggestion(name, list(PROFILE_KEYS))}")


class ProfileKeys(Collection[str]):
    """Keys of profiles for readers of files: iterates over the table; ``in`` accepts every key of `find_profile`.

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
        return (profile.key for profile in profile_table())

    def __len__(self) -> int:
        return len(profile_table())


#: The keys that readers of files accept as that of a profile.
PROFILE_KEYS = ProfileKeys()
