"""Messages about the profile used and how it treats missing lists."""

from typing import TYPE_CHECKING

from shrec_viewer.cli.terminal import print_message

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores
    from shrec_viewer.metrics import Profile


#: Suffix of the profile where another order of equal distances was requested.
TIE_ORDER_TEXT = {
    "profile": "",
    "optimistic": ", equal distances in the best order for the run",
    "pessimistic": ", equal distances in the worst order for the run",
}


def provenance(scores: "Scores") -> str:
    """The profile used: ``SHREC 2006 (shrec2006)``."""
    return f"{scores.profile.title} ({scores.profile.key}){TIE_ORDER_TEXT[scores.ties]}"


def query_notes(scores: "Scores") -> list[str]:
    """How queries without a list, of excluded classes and without relevant models are scored, where there are any."""
    from shrec_viewer.evaluation.evaluate import excluded_classes_text

    profile, excluded = scores.profile, int(scores.excluded.sum())
    is_missing_zero, is_empty_zero = profile.missing_query == "zero", profile.no_relevant == "zero"
    left_out, is_common = "are excluded from the means", profile.missing_query == "common"
    classes = excluded_classes_text(scores.benchmark, profile, scores.excluded) if excluded else ""
    notes = (
        ("queries without a list", 0 if is_common else int(scores.missing.sum()), is_missing_zero),
        (f"queries of {classes}", excluded, False),
        ("queries without relevant models", int((scores.without_relevant & ~scores.excluded).sum()), is_empty_zero),
    )
    texts = [f"{what} ({count:,}) {'score 0' if is_zero else left_out}" for what, count, is_zero in notes if count]
    if is_common:
        texts.insert(0, f"means are over the {int(scores.benchmark.common_queries.sum()):,} queries common to all runs")
    return texts


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
        print_message("; ".join((f"profile used: {provenance(scores)}", *query_notes(scores))))
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
