"""Conventions that users can change, modified profiles, and profiles without known bugs of official evaluators."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from shrec_viewer.metrics.measures.measure import UnknownKeyError, suggestion
from shrec_viewer.metrics.profiles.profile import Profile

ConventionSetting = str | int | None

#: What a convention affects: the ranks in a list, which queries enter a mean, or the value of a measure.
ConventionGroup = Literal["lists", "means", "measures"]


@dataclass(frozen=True)
class ConventionValue:
    """One value of a convention: the value in `Profile`, its label in a menu, and an explanation."""

    value: ConventionSetting
    label: str
    explanation: str


@dataclass(frozen=True)
class Convention:
    """A convention that users can change.

    Attributes
    ----------
    field : of `Profile`.
    label : for a menu.
    group : heading of the menu.
    explanation : one sentence.
    values : allowed values.
    least : smallest allowed integer, if integers other than `values` are allowed; else None.
    """

    field: str
    label: str
    group: ConventionGroup
    explanation: str
    values: tuple[ConventionValue, ...]
    least: int | None = None

    def label_of(self, value: ConventionSetting) -> str:
        """Label of a value; the number itself if it has none."""
        return next((allowed.label for allowed in self.values if allowed.value == value), value_key(value))


def value_key(value: ConventionSetting) -> str:
    """A value as one word, for keys and the command line."""
    return "none" if value is None else str(value).replace(" ", "-")


#: Every convention that users can change, in display order.
CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "self_match",
        "Self-match",
        "lists",
        "How the query itself is treated if it is a model of the collection.",
        (
            ConventionValue("drop", "Exclude", "Removed from its own list and from its relevant models."),
            ConventionValue("keep", "Include", "Treated as any other model; usually it has rank 1."),
        ),
    ),
    Convention(
        "ties",
        "Ties",
        "lists",
        "Order of models at the same distance.",
        (
            ConventionValue("file", "Order of the file", "In the order of the lines or columns of the submitted file."),
            ConventionValue(
                "index", "Order of the collection", "In the order of the collection, that of its classification file."
            ),
            ConventionValue("trec", "As in trec_eval", "Scores compared in single precision, then ids, descending."),
        ),
    ),
    Convention(
        "relevant_from",
        "Relevance threshold",
        "lists",
        "Lowest level that counts as relevant; lower levels are not relevant and add no gain.",
        (
            ConventionValue(1, "1: all relevant", "Marginally and highly relevant models count."),
            ConventionValue(2, "2: highly relevant", "Only highly relevant models count."),
            ConventionValue(
                3, "3: highest only", "Only models of level 3 and above count; in ShapeNet, those of the same subclass."
            ),
        ),
        least=1,
    ),
    Convention(
        "junk",
        "Junk models",
        "lists",
        "How models of level -1, which were judged but are not to be counted, are treated.",
        (
            ConventionValue("not relevant", "Not relevant", "Models that are not relevant, as in trec_eval."),
            ConventionValue(
                "removed", "Remove", "Removed before ranking, as in Oxford and Paris Buildings, and in Market-1501."
            ),
        ),
    ),
    Convention(
        "difficulty",
        "Difficulty",
        "lists",
        "Which relevant models are junk, as in the revisited Oxford and Paris Buildings.",
        (
            ConventionValue("easy", "Easy", "Models of level 1, the hard ones, are junk."),
            ConventionValue("medium", "Medium", "All relevant models count."),
            ConventionValue("hard", "Hard", "Models of level 2 and above, the easy ones, are junk."),
        ),
    ),
    Convention(
        "unknown",
        "Unknown ids",
        "lists",
        "How ids in a list that are not in the collection are treated.",
        (
            ConventionValue("drop", "Remove", "Removed before ranking; the models after them move up."),
            ConventionValue("keep", "Keep as not relevant", "Kept at their rank as models that are not relevant."),
        ),
    ),
    Convention(
        "not_a_number",
        "NaN distances",
        "lists",
        "Rank of models whose distance is NaN.",
        (
            ConventionValue("last", "Last", "After all other models, including those at infinity."),
            ConventionValue("drop", "Not retrieved", "Not in the list."),
        ),
    ),
    Convention(
        "infinite",
        "Infinite distances",
        "lists",
        "Rank of models whose distance is +inf.",
        (
            ConventionValue("rank", "After finite distances", "Ranked after all finite distances."),
            ConventionValue("drop", "Not retrieved", "Not in the list, which is the meaning in some matrices."),
        ),
    ),
    Convention(
        "list_cut",
        "List cutoff",
        "lists",
        "Rank after which lists are cut off.",
        (
            ConventionValue(None, "None", "Lists have the length submitted."),
            ConventionValue(100, "100", "Models after rank 100 are not retrieved."),
            ConventionValue(1000, "1000", "Models after rank 1000 are not retrieved, as in ShapeNet."),
        ),
        least=1,
    ),
    Convention(
        "cut_counts",
        "Cutoff applied",
        "lists",
        "Whether lists are cut off before or after clean-up (removal of unknown and repeated ids).",
        (
            ConventionValue("places", "After clean-up", "Removed lines do not count."),
            ConventionValue("lines", "Before clean-up", "Lines that are removed afterwards count."),
        ),
    ),
    Convention(
        "missing_query",
        "Missing queries",
        "means",
        "How a query for which a run has no results enters the means of that run.",
        (
            ConventionValue(
                "zero", "Score 0", "Evaluated as an empty list: score 0 for every measure that is a share."
            ),
            ConventionValue("skip", "Exclude", "Excluded from the means."),
            ConventionValue("common", "Common queries", "Only queries that all runs have enter the means."),
        ),
    ),
    Convention(
        "no_relevant",
        "Queries without relevant models",
        "means",
        "How a query without relevant models enters the means.",
        (
            ConventionValue("skip", "Exclude", "Excluded from the means."),
            ConventionValue("zero", "Score 0", "Score 0 for every measure."),
        ),
    ),
    Convention(
        "min_class_size",
        "Minimum class size",
        "means",
        "Number of models, including the query, that a class must have for its queries to enter the means.",
        (
            ConventionValue(0, "Any", "Queries of all classes enter the means."),
            ConventionValue(3, "3 models", "Queries of classes of one or two models are excluded, as in psbTable."),
        ),
        least=0,
    ),
    Convention(
        "average",
        "Averaging",
        "means",
        "Which means are displayed.",
        (
            ConventionValue("queries", "Micro", "Mean over all queries."),
            ConventionValue("both", "Micro and macro", "Mean over all queries, and mean over the means of classes."),
        ),
    ),
    Convention(
        "classes",
        "Classes of macro averages",
        "means",
        "Classes over which macro averages are computed.",
        (
            ConventionValue("own", "Class of the query", "The class that contains the query."),
            ConventionValue(
                "top", "Top-level class", "The class at the top of its branch, such as the synset in ShapeNet."
            ),
        ),
    ),
    Convention(
        "tiers",
        "First and second tier",
        "measures",
        "Divisor and depth of the tiers.",
        (
            ConventionValue("psb", "Recall", "V(C)/C and V(2C)/C, the share of the class retrieved."),
            ConventionValue(
                "shrec2006", "Precision, short lists", "V(d)/d with d = min(Va, C) and min(Va, 2C), as in 2006."
            ),
            ConventionValue(
                "literal", "As printed in 2006", "The relevant tiers use Ch instead of Cr, an error of the report."
            ),
            ConventionValue(
                "precision", "Precision", "V(C)/C and V(2C)/2C, as in the partial retrieval track of 2013."
            ),
            ConventionValue(
                "rgbd", "Recall and precision", "V(C)/C and V(2C)/min(Va, 2C), as in the RGB-D track of 2017."
            ),
            ConventionValue(
                "shrec2021",
                "SHREC 2021 evaluator",
                "(V(C)+1)/C and (V(2C)+1)/2C, one hit too many, but ST = 1 where V(2C-1) = C: a bug of the program.",
            ),
        ),
    ),
    Convention(
        "precision_divisor",
        "Divisor of precision at a rank",
        "measures",
        "Number that the relevant models within the first k ranks are divided by.",
        (
            ConventionValue("cutoff", "k", "The cutoff k; unused ranks of a short list are not relevant."),
            ConventionValue(
                "last relevant",
                "At most the last relevant rank",
                "The rank of the last relevant model where that is before k, a bug of the revisited Oxford Buildings.",
            ),
        ),
    ),
    Convention(
        "ap_divisor",
        "Divisor of average precision",
        "measures",
        "Number that the sum of precisions is divided by.",
        (
            ConventionValue("relevant", "All relevant", "Number of relevant models; those not retrieved add 0."),
            ConventionValue(
                "retrieved", "Relevant retrieved", "Number of relevant models in the list, which favours short lists."
            ),
            ConventionValue("reachable", "At most the cutoff", "Number of relevant models, at most the list cutoff."),
            ConventionValue(
                "largest class",
                "Largest class",
                "Largest number of relevant models of any query, as in the sketch toolkits.",
            ),
        ),
    ),
    Convention(
        "relevant",
        "Relevant models in recall",
        "measures",
        "Number of relevant models in recall, F-measure and the ideal ranking.",
        (
            ConventionValue("all", "All relevant", "All relevant models."),
            ConventionValue("reachable", "At most the cutoff", "All relevant models, at most the list cutoff."),
        ),
    ),
    Convention(
        "adr",
        "Average dynamic recall",
        "measures",
        "Last rank considered by average dynamic recall, and its levels.",
        (
            ConventionValue(
                "typke",
                "Number of relevant models",
                "Rank Cr, however long the list is, and any number of levels.",
            ),
            ConventionValue(
                "shrec2006", "At most the list length", "Rank min(Va, Cr), which favours short lists, and two levels."
            ),
            ConventionValue(
                "protein2021",
                "SHREC 2021 protein evaluator",
                "The query itself counts, at the highest level; models of level 3 are not added among the ranks of "
                "level 2, a bug of the evaluator.",
            ),
        ),
    ),
    Convention(
        "anmrr",
        "Ranks of ANMRR",
        "measures",
        "Ranks at which the normalised modified retrieval rank looks for relevant models.",
        (
            ConventionValue("mpeg7", "As in MPEG-7", "The first D = min(4C, 2 max C); others count as at rank 1.25 D."),
            ConventionValue("shrec2022", "SHREC 2022 evaluator", "The first C; others count as at rank D + 1."),
        ),
    ),
    Convention(
        "gain",
        "Gain of a level",
        "measures",
        "Gain of a model of each relevance level.",
        (
            ConventionValue("linear", "Level", "Gain 2 for level 2, gain 1 for level 1."),
            ConventionValue("binary", "1", "Gain 1 for every relevant model."),
            ConventionValue("exponential", "2^level - 1", "Gain 3 for level 2, gain 1 for level 1."),
        ),
    ),
    Convention(
        "discount",
        "Discount of a rank",
        "measures",
        "Divisor of the gain at each rank.",
        (
            ConventionValue("jarvelin", "log2(rank)", "Ranks 1 and 2 are not discounted, as in most of the field."),
            ConventionValue("log2(i+1)", "log2(rank + 1)", "Only rank 1 is not discounted, as in text retrieval."),
            ConventionValue(
                "rgbd",
                "SHREC 2017 RGB-D evaluator",
                "The first gain counts twice and the last one never: a bug of the evaluator.",
            ),
        ),
    ),
    Convention(
        "ideal",
        "Ideal ranking",
        "measures",
        "Ranking that normalised gains are divided by.",
        (
            ConventionValue("truth", "All relevant", "Ideal ranking of all relevant models."),
            ConventionValue("retrieved", "Relevant retrieved", "Ideal ranking of the relevant models in the list."),
            ConventionValue(
                "targets", "Highest gain at every rank", "Below 1 where there are fewer relevant models than ranks."
            ),
        ),
    ),
    Convention(
        "past_end",
        "Curves beyond the end of the list",
        "measures",
        "Precision and recall by rank beyond the end of a list.",
        (
            ConventionValue("hold", "No further hits", "V(k)/k and V(k)/C continue with V(k) constant."),
            ConventionValue("zero", "Zero", "Both are 0, as in ShapeNet."),
        ),
    ),
)


#: Start of a change in a key such as ``psb+ties=trec``; does not match the plus sign in ``log2(i+1)``.
CHANGE_PATTERN = re.compile(r"\+(?=[a-z_]+=)")


def find_convention(name: str) -> Convention:
    """Row of `CONVENTIONS` for a field of `Profile`; UnknownKeyError if the field cannot be changed."""
    for convention in CONVENTIONS:
        if convention.field == name:
            return convention
    raise UnknownKeyError(f"there is no convention '{name}'{suggestion(name, [row.field for row in CONVENTIONS])}")


def parse_convention(text: str) -> tuple[str, ConventionSetting]:
    """Field and value of ``"ties=trec"``, ``"list_cut=none"`` or ``"relevant_from=2"``.

    Raises
    ------
    UnknownKeyError
        If there is no such field, or the value is not allowed.

    Examples
    --------
    >>> parse_convention("list_cut=1000")
    ('list_cut', 1000)
    """
    name, sign, setting = text.partition("=")
    if not sign:
        raise UnknownKeyError(f"expected NAME=VALUE, such as ties=index, not '{text}'")
    convention = find_convention(name.strip().replace("-", "_"))
    for allowed in convention.values:
        if setting.strip() in (value_key(allowed.value), str(allowed.value)):
            return convention.field, allowed.value
    if convention.least is not None and setting.strip().isdecimal() and int(setting) >= convention.least:
        return convention.field, int(setting)
    raise UnknownKeyError(f"{convention.field} must be {_allowed_text(convention)}, not '{setting}'")


def with_convention(profile: Profile, field: str, value: ConventionSetting) -> Profile:
    """The profile with one convention changed, under a key and a title that contain the change.

    Setting the convention back gives the original profile. `find_profile` accepts the new key: ``psb+ties=trec``.

    Raises
    ------
    UnknownKeyError
        If the field cannot be changed, or the value is not allowed.

    Examples
    --------
    >>> from shrec_viewer.metrics import find_profile
    >>> changed = with_convention(find_profile("psb"), "ties", "trec")
    >>> changed.key, changed.ties
    ('psb+ties=trec', 'trec')
    >>> with_convention(changed, "ties", "index") == find_profile("psb")
    True
    """
    return with_conventions(profile, {field: value})


def with_conventions(profile: Profile, changes: Mapping[str, ConventionSetting]) -> Profile:
    """The profile with several conventions changed; see `with_convention`."""
    origin = profile.changed_from or profile
    for field, value in changes.items():
        check_convention(field, value)
    changed: Any = {**profile.changes, **changes}
    modified = replace(origin, changed_from=origin, **changed)
    if not modified.changes:
        return origin
    rows = [(find_convention(field), value) for field, value in modified.changes.items()]
    key = origin.key + "".join(f"+{row.field}={value_key(value)}" for row, value in rows)
    changes_text = "; ".join(f"{row.label.lower()}: {row.label_of(value)}" for row, value in rows)
    description = f"{origin.title} with modified conventions ({changes_text}). {origin.description}"
    return replace(modified, key=key, title=f"{origin.title} (modified)", description=description)


def check_convention(field: str, value: ConventionSetting) -> None:
    """Raise UnknownKeyError if a convention may not have `value`."""
    convention = find_convention(field)
    if any(type(allowed.value) is type(value) and allowed.value == value for allowed in convention.values):
        return
    least = convention.least
    if least is None or not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise UnknownKeyError(f"{field} must be {_allowed_text(convention)}, not {value!r}")


def split_profile_key(key: str) -> tuple[str, Sequence[str]]:
    """Key of a profile and the changes after it.

    Examples
    --------
    >>> split_profile_key("trec+discount=log2(i+1)+ties=file")
    ('trec', ['discount=log2(i+1)', 'ties=file'])
    """
    first, *changes = CHANGE_PATTERN.split(key)
    return first, changes


def _allowed_text(convention: Convention) -> str:
    keys = [value_key(allowed.value) for allowed in convention.values]
    if convention.least is not None:
        keys = [*(key for key in keys if not key.isdecimal()), f"a whole number >= {convention.least}"]
    return f"{', '.join(keys[:-1])} or {keys[-1]}" if len(keys) > 1 else keys[0]


#: Suffix of the key of a profile without the bugs of its evaluator.
TEXTBOOK_SUFFIX = "-textbook"


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


#: Every bug that a profile reproduces.
EVALUATOR_BUGS: tuple[EvaluatorBug, ...] = (
    EvaluatorBug(
        "shrec2013sketch",
        "ap_divisor",
        "largest class",
        "relevant",
        ("AP", "GMAP"),
        "The toolkit pads the precisions of every query with zeros to the size of the largest class and averages all "
        "of them, so average precision is too small for queries of smaller classes.",
    ),
    EvaluatorBug(
        "shrec2016shapenet",
        "ap_divisor",
        "retrieved",
        "relevant",
        ("AP", "GMAP"),
        "Until 2017-02-23 the evaluator divided average precision by the relevant models retrieved, not by all of "
        "them, which favours short lists.",
    ),
    EvaluatorBug(
        "shrec2016shapenet",
        "ideal",
        "retrieved",
        "truth",
        ("NDCG", "NCG", "DCG(wasted)", "CG(wasted)"),
        "Until 2017-02-23 the evaluator divided the gain by that of the retrieved relevant models in the best "
        "order, not by that of the ideal ranking.",
    ),
    EvaluatorBug(
        "shrec2017rgbd",
        "discount",
        "rgbd",
        "jarvelin",
        ("DCG", "NDCG", "DCG(wasted)"),
        "The loop of the program is off by one: the discounted gain counts the first model twice and the last one "
        "never.",
    ),
    EvaluatorBug(
        "shrec2017rgbd",
        "ideal",
        "retrieved",
        "truth",
        ("NDCG", "NCG", "DCG(wasted)", "CG(wasted)"),
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
        "divides the second tier by 2C; where all relevant models are within 2C - 1 ranks the second tier is 1.",
    ),
    EvaluatorBug(
        "shrec2022",
        "anmrr",
        "shrec2022",
        "mpeg7",
        ("ANMRR",),
        "The program looks for relevant models at the first C ranks only, and counts the others as at rank D + 1.",
    ),
    EvaluatorBug(
        "shrec2022",
        "ideal",
        "targets",
        "truth",
        ("NDCG", "NCG", "DCG(wasted)", "CG(wasted)"),
        "The ideal list of the program is relevant at all of the first 100 ranks, so that NDCG cannot reach 1 for "
        "queries with fewer relevant models.",
    ),
    EvaluatorBug(
        "shrec2023",
        "ideal",
        "retrieved",
        "truth",
        ("NDCG", "NCG", "DCG(wasted)", "CG(wasted)"),
        "The program divides the gain by that of the retrieved relevant models in the best order, which differs from "
        "the ideal ranking for truncated lists.",
    ),
    EvaluatorBug(
        "shrec2021protein",
        "adr",
        "protein2021",
        "typke",
        ("ADR",),
        "Among the ranks of level 2 of the ideal list the program does not add models of level 3; it also counts the "
        "query itself, at level 3.",
    ),
    EvaluatorBug(
        "oxford",
        "precision_divisor",
        "last relevant",
        "cutoff",
        ("P",),
        "The program divides precision at rank k by the rank of the last relevant model where that is before k.",
    ),
)


def evaluator_bugs_of(profile: Profile) -> tuple[EvaluatorBug, ...]:
    """Bugs that a profile reproduces, also if it was modified by the user; empty if all of them are corrected."""
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
        **corrected,  # type: ignore[arg-type]  # tests check that each value is allowed
    )
    return with_conventions(textbook, profile.changes)
