"""Known bugs of official evaluators, and profiles without them."""

from dataclasses import dataclass, replace

from shrec_viewer.metrics.profiles.conventions import with_conventions
from shrec_viewer.metrics.profiles.profile import Profile

TEXTBOOK_SUFFIX = "-textbook"
"""Behind the key of a profile: the same without its mistakes."""


@dataclass(frozen=True)
class EvaluatorBug:
    """One mistake of the program behind a profile.

    Attributes
    ----------
    profile : key of the profile that repeats it.
    convention : field of `Profile`.
    official : what the program does.
    textbook : what its own text, or the field, means.
    measures : names of the measures that it changes.
    sentence : what is wrong, for a note beside the numbers.
    """

    profile: str
    convention: str
    official: str
    textbook: str
    measures: tuple[str, ...]
    sentence: str


EVALUATOR_BUGS: tuple[EvaluatorBug, ...] = (
    EvaluatorBug(
        "shrec2013sketch",
        "ap_divisor",
        "largest class",
        "relevant",
        ("AP",),
        "The toolkit pads the precisions of every query with zeros to the size of the largest class and averages all "
        "of them, so average precision is too small for queries of smaller classes.",
    ),
    EvaluatorBug(
        "shrec2016shapenet",
        "ap_divisor",
        "retrieved",
        "relevant",
        ("AP",),
        "Until 2017-02-23 the evaluator divided average precision by the relevant models retrieved, not by all of "
        "them, which favours short lists.",
    ),
    EvaluatorBug(
        "shrec2016shapenet",
        "ideal",
        "retrieved",
        "truth",
        ("NDCG", "NCG"),
        "Until 2017-02-23 the evaluator compared the gain with that of the same models in the best order, not with "
        "that of the best list.",
    ),
    EvaluatorBug(
        "shrec2017rgbd",
        "discount",
        "rgbd",
        "jarvelin",
        ("DCG", "NDCG"),
        "The program's loop is off by one: the discounted gain counts the first model twice and the last one never.",
    ),
    EvaluatorBug(
        "shrec2017rgbd",
        "ideal",
        "retrieved",
        "truth",
        ("NDCG", "NCG"),
        "The program compares the gain with that of the same models in the best order, not with that of the best list.",
    ),
    EvaluatorBug(
        "shrec2021",
        "tiers",
        "shrec2021",
        "psb",
        ("FT", "ST"),
        "The program counts one relevant model too many in both tiers, so that the first tier can exceed 1, and "
        "divides the second tier by 2C.",
    ),
)
"""Every mistake that a profile repeats."""


def evaluator_bugs_of(profile: Profile) -> tuple[EvaluatorBug, ...]:
    """The mistakes that a profile repeats, or one changed from it; none once they are mended."""
    key = (profile.changed_from or profile).key
    return tuple(
        slip for slip in EVALUATOR_BUGS if slip.profile == key and getattr(profile, slip.convention) == slip.official
    )


def textbook_profile(profile: Profile) -> Profile | None:
    """The profile without its mistakes, under a key and title of its own; None where it repeats none.

    What somebody changed in the profile stays changed.
    """
    if not evaluator_bugs_of(profile):
        return None
    origin = profile.changed_from or profile
    mended = {slip.convention: slip.textbook for slip in evaluator_bugs_of(origin)}
    said = f"{origin.title} without the mistakes of the official program."
    textbook = replace(
        origin,
        key=f"{origin.key}{TEXTBOOK_SUFFIX}",
        title=f"{origin.title}, textbook",
        description=f"{said} {origin.description}",
        **mended,  # type: ignore[arg-type]  # each value is one of its convention's, which a test checks
    )
    return with_conventions(textbook, profile.changes)
