"""Known bugs of official evaluators, and profiles without them."""

from dataclasses import dataclass, replace

from shrec_viewer.metrics.profiles.conventions import with_conventions
from shrec_viewer.metrics.profiles.profile import Profile

TEXTBOOK_SUFFIX = "-textbook"
"""Suffix of the key of a profile without the bugs of its evaluator."""


@dataclass(frozen=True)
class EvaluatorBug:
    """One bug of the program whose values a profile reproduces.

    Attributes
    ----------
    profile : key of the profile that reproduces it.
    convention : field of `Profile`.
    official : value of the field with the bug.
    textbook : value of the field that the program's documentation, or the literature, defines.
    measures : names of the measures that it affects.
    message : description of the bug, for a note with the scores.
    """

    profile: str
    convention: str
    official: str
    textbook: str
    measures: tuple[str, ...]
    message: str


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
        "Until 2017-02-23 the evaluator divided the gain by that of the retrieved relevant models in the best "
        "order, not by that of the ideal ranking.",
    ),
    EvaluatorBug(
        "shrec2017rgbd",
        "discount",
        "rgbd",
        "jarvelin",
        ("DCG", "NDCG"),
        "The loop of the program is off by one: the discounted gain counts the first model twice and the last one "
        "never.",
    ),
    EvaluatorBug(
        "shrec2017rgbd",
        "ideal",
        "retrieved",
        "truth",
        ("NDCG", "NCG"),
        "The program divides the gain by that of the retrieved relevant models in the best order, not by that of "
        "the ideal ranking.",
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
"""Every bug that a profile reproduces."""


def evaluator_bugs_of(profile: Profile) -> tuple[EvaluatorBug, ...]:
    """Bugs that a profile, or a profile modified from it, reproduces; empty if they are all corrected."""
    key = (profile.changed_from or profile).key
    return tuple(
        bug for bug in EVALUATOR_BUGS if bug.profile == key and getattr(profile, bug.convention) == bug.official
    )


def textbook_profile(profile: Profile) -> Profile | None:
    """The profile without the bugs of its evaluator, with its own key and title; None if it reproduces none.

    Conventions that the user changed stay changed.
    """
    if not evaluator_bugs_of(profile):
        return None
    origin = profile.changed_from or profile
    corrected = {bug.convention: bug.textbook for bug in evaluator_bugs_of(origin)}
    summary = f"{origin.title} without the bugs of the official program."
    textbook = replace(
        origin,
        key=f"{origin.key}{TEXTBOOK_SUFFIX}",
        title=f"{origin.title} (corrected)",
        description=f"{summary} {origin.description}",
        **corrected,  # type: ignore[arg-type]  # tests check that each value is one of its convention
    )
    return with_conventions(textbook, profile.changes)
