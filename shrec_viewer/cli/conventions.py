"""Messages about the profile behind the numbers and its treatment of missing lists."""

from typing import TYPE_CHECKING

from shrec_viewer.cli.terminal import print_message

if TYPE_CHECKING:
    from shrec_viewer.domain import Benchmark
    from shrec_viewer.evaluation.scores import Scores


TIE_ORDER_TEXT = {
    "profile": "",
    "optimistic": ", equal distances in the best order for the run",
    "pessimistic": ", equal distances in the worst order for the run",
}
"""What follows the profile where equal distances do not stand as it has them."""


def provenance(scores: "Scores") -> str:
    """Under which conventions the numbers are what they are: ``SHREC 2006 (shrec2006)``."""
    return f"{scores.profile.title} ({scores.profile.key}){TIE_ORDER_TEXT[scores.ties]}"


def missing_lists_text(scores: "Scores") -> str:
    """Half a sentence about queries without a list under this profile; "" where every run answered everything."""
    number = int(scores.missing.sum())
    if not number:
        return ""
    does = "counts as an empty list" if scores.profile.missing_query == "zero" else "is left out of the means"
    return f"a query without a list ({number:,} here) {does}"


def missing_levels_text(scores: "Scores") -> str:
    """Half a sentence about measures that start at a level the truth does not have; "" where none does."""
    levels = () if scores.benchmark.assessment is None else scores.benchmark.assessment.levels
    keys = [measure.key for measure in scores.measures if measure.level > max(levels, default=0)]
    if not keys:
        return ""
    number = {0: "no relevant model at all", 1: f"level {', '.join(map(str, levels))} only"}
    words = number.get(len(levels), f"levels {', '.join(map(str, levels))}")
    return f"nothing is relevant to {', '.join(keys)}: the truth has {words}"


def print_conventions(scores: "Scores", *, is_titled: bool = False) -> None:
    """Tell a person on standard error what is not in the numbers.

    Parameters
    ----------
    is_titled : the result itself says profile and missing queries.
    """
    if not is_titled:
        missing = missing_lists_text(scores)
        print_message(f"evaluated under {provenance(scores)}{'; ' if missing else ''}{missing}")
    if lacking := missing_levels_text(scores):
        print_message(lacking)


def print_suggestion(benchmark: "Benchmark") -> None:
    """Name the contest that a benchmark looks like, where it states no conventions of its own."""
    from shrec_viewer.evaluation.profile_suggestion import suggest_profile

    found = suggest_profile(benchmark)
    if found is not None:
        print_message(f"no conventions stated; this looks like {found.title}: --profile {found.key}")
