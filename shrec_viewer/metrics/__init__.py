"""Measures, curves, profiles and statistics of shape retrieval on arrays; imports only numpy."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from shrec_viewer.metrics.curves.curve import Curve, CurveAverage, CurveValues
    from shrec_viewer.metrics.generality.expected_measures import expected_by_generality, random_baseline
    from shrec_viewer.metrics.generality.practical import bounds, estimate, sample
    from shrec_viewer.metrics.generality.surface import generality_surface
    from shrec_viewer.metrics.measures.calculation import CalculationSteps
    from shrec_viewer.metrics.measures.measure import Measure, ResolvedMeasure, UnknownKeyError
    from shrec_viewer.metrics.profiles.conventions import (
        CONVENTIONS,
        TEXTBOOK_SUFFIX,
        Convention,
        evaluator_bugs_of,
        find_convention,
        parse_convention,
        textbook_profile,
        with_convention,
        with_conventions,
    )
    from shrec_viewer.metrics.profiles.profile import Profile
    from shrec_viewer.metrics.ranking.hit_table import HitTable, TieOrder
    from shrec_viewer.metrics.ranking.list_ranking import ListArrays, hits_from_lists
    from shrec_viewer.metrics.ranking.matrix_ranking import hits_from_matrix
    from shrec_viewer.metrics.ranking.truth import Truth, classes_as_truth, pairs_as_truth
    from shrec_viewer.metrics.statistics.bootstrap import bootstrap_interval
    from shrec_viewer.metrics.statistics.rank_correlation import kendall_tau, tau_ap
    from shrec_viewer.metrics.statistics.significance import group_runs, holm, randomisation_test, randomised_tukey
    from shrec_viewer.metrics.tables import (
        CURVES,
        FAMILIES,
        MEASURES,
        PROFILE_KEYS,
        PROFILES,
        curve_table,
        extra_measure_keys,
        find_curve,
        find_measure,
        find_profile,
        measure_table,
        profile_table,
        set_extra_rows,
    )
else:

    def __getattr__(name: str) -> Any:
        """Import the modules in order until one has the name: evaluating needs neither statistics nor estimates."""
        for module in MODULES if name in __all__ else ():
            if (found := getattr(import_module(f"{__name__}.{module}"), name, None)) is not None:
                return globals().setdefault(name, found)
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")


#: Modules of the public names, those that an evaluation needs first.
MODULES = (
    "profiles.profile", "profiles.conventions", "measures.measure", "measures.calculation", "ranking.hit_table",
    "ranking.truth", "ranking.list_ranking", "ranking.matrix_ranking", "curves.curve", "tables",
    "generality.expected_measures", "generality.surface", "generality.practical", "statistics.bootstrap",
    "statistics.rank_correlation", "statistics.significance",
)  # fmt: skip

# What other layers use, and for notebooks: relevance (classes_as_truth, pairs_as_truth, Truth), ranks
# (hits_from_matrix, hits_from_lists), rows by key (find_measure, find_curve, find_profile), conventions
# (with_convention), generality (expected_by_generality, generality_surface, random_baseline), significance
# (randomisation_test, holm, randomised_tukey, bootstrap_interval, group_runs), and estimates from incomplete relevance
# assessments (sample, bounds, estimate).
__all__ = [
    "CONVENTIONS", "CURVES", "FAMILIES", "MEASURES", "PROFILES", "PROFILE_KEYS", "TEXTBOOK_SUFFIX", "CalculationSteps",
    "Convention", "Curve", "CurveAverage", "CurveValues", "HitTable", "ListArrays", "Measure", "Profile",
    "ResolvedMeasure", "TieOrder", "Truth", "UnknownKeyError", "bootstrap_interval", "bounds", "classes_as_truth",
    "curve_table", "estimate", "evaluator_bugs_of", "expected_by_generality", "extra_measure_keys", "find_convention",
    "find_curve", "find_measure", "find_profile", "generality_surface", "group_runs", "hits_from_lists",
    "hits_from_matrix", "holm", "kendall_tau", "measure_table", "pairs_as_truth", "parse_convention", "profile_table",
    "random_baseline", "randomisation_test", "randomised_tukey", "sample", "set_extra_rows", "tau_ap",
    "textbook_profile", "with_convention", "with_conventions",
]  # fmt: skip
