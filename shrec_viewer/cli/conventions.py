"""Messages about the profile used and how it treats missing lists."""

from typing import TYPE_CHECKING

from shrec_viewer.cli.terminal import print_message

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.metrics import Profile


TIE_ORDER_TEXT = {
    "profile": "",
    "optimistic": ", equal distances in the best order for the run",
    "pessimistic": ", equal distances in the worst order for the run",
}
"""Suffix of the profile where another order of equal distances was requested."""


def provenance(scores: "Scores") -> str:
    """The profile used: ``SHREC 2006 (shrec2006)``."""
    return f"{scores.profile.title} ({scores.profile.key}){TIE_ORDER_TEXT[scores.ties]}"


def missing_lists_text(scores: "Scores") -> str:
    """How queries without a list are scored, without punctuation; "" if no run lacks a list."""
    number = int(scores.missing.sum())
    if scores.profile.missing_query == "common":
        return f"means are over the {int(scores.benchmark.common_queries.sum()):,} queries common to all runs"
    if not number:
        return ""
    treatment = "score 0" if scores.profile.missing_query == "zero" else "are excluded from the means"
    return f"queries without a list ({number:,}) {treatment}"


def excluded_queries_text(scores: "Scores") -> str:
    """Which queries the conventions exclude from every mean, without punctuation; "" if they exclude none."""
    from shrec_viewer.evaluation.evaluate import excluded_classes_text

    number = int(scores.excluded.sum())
    if not number:
        return ""
    classes = excluded_classes_text(scores.benchmark, scores.profile, scores.excluded)
    return f"queries of {classes} ({number:,}) are excluded from the means"


def without_relevant_text(scores: "Scores") -> str:
    """How queries without relevant models are scored, without punctuation; "" if there are none in the means."""
    number = int((scores.without_relevant & ~scores.excluded).sum())
    if not number:
        return ""
    treatment = "score 0" if scores.profile.no_relevant == "zero" else "are excluded from the means"
    return f"queries without relevant models ({number:,}) {treatment}"


def missing_levels_text(scores: "Scores") -> str:
    """Which measures need a relevance level that no assessment has, without punctuation; "" if none does."""
    levels = scores.benchmark.levels
    keys = [measure.key for measure in scores.measures if measure.level > max(levels, default=0)]
    if not keys:
        return ""
    listed = ", ".join(map(str, levels))
    found = {0: "no relevant models", 1: f"level {listed} only"}.get(len(levels), f"levels {listed}")
    return f"no relevant models for {', '.join(keys)}: the assessments have {found}"


def print_conventions(scores: "Scores", *, is_titled: bool = False) -> None:
    """Print the profile used and its effects on standard error.

    Parameters
    ----------
    is_titled : whether the result states the profile and missing queries itself.
    """
    if not is_titled:
        texts = (missing_lists_text(scores), excluded_queries_text(scores), without_relevant_text(scores))
        notes = [text for text in texts if text]
        print_message("; ".join((f"profile used: {provenance(scores)}", *notes)))
    if lacking := missing_levels_text(scores):
        print_message(lacking)


def print_conventions_of(profile: "Profile") -> None:
    """Print the profile of a result that is no table of scores on standard error."""
    print_message(f"profile used: {profile.title} ({profile.key})")


def print_suggestion(benchmark: "Benchmark") -> None:
    """Suggest a profile for a benchmark that states none."""
    from shrec_viewer.evaluation.evaluate import suggest_profile

    found = suggest_profile(benchmark)
    if found is not None:
        print_message(f"no profile given; this looks like {found.title}: --profile {found.key}")
