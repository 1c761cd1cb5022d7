"""Conventions that users may change, their allowed values, and changed profiles."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from shrec_viewer.metrics.measures.measure import UnknownKeyError, suggestion
from shrec_viewer.metrics.profiles.profile import Profile

ConventionSetting = str | int | None

ConventionGroup = Literal["lists", "means", "measures"]
"""What a convention decides: the ranks in a list, what enters a mean, or what a measure computes."""


@dataclass(frozen=True)
class ConventionValue:
    """One value of a convention: what stands in `Profile`, a word or two for a menu, and a sentence."""

    value: ConventionSetting
    label: str
    explanation: str


@dataclass(frozen=True)
class Convention:
    """A convention that a person may change.

    Attributes
    ----------
    field : of `Profile`.
    label : for a menu.
    group : under which heading.
    explanation : one sentence, the question that is decided.
    values : what it may be, each in words.
    least : where any whole number from this one on is allowed beside `values`; else None.
    """

    field: str
    label: str
    group: ConventionGroup
    explanation: str
    values: tuple[ConventionValue, ...]
    least: int | None = None

    def words_of(self, value: ConventionSetting) -> str:
        """Label of a value; a number that has none is its own."""
        return next((allowed.label for allowed in self.values if allowed.value == value), value_key(value))


def value_key(value: ConventionSetting) -> str:
    """A value as one word, for keys and for the command line."""
    return "none" if value is None else str(value).replace(" ", "-")


CONVENTIONS: tuple[Convention, ...] = (
    Convention(
        "self_match",
        "Query in its own list",
        "lists",
        "What happens to the query itself where it is a model of the collection.",
        (
            ConventionValue("drop", "Left out", "It is taken out of its own list and out of what there is to find."),
            ConventionValue("keep", "Kept", "It is a model like any other, and usually the first one found."),
        ),
    ),
    Convention(
        "ties",
        "Equal distances",
        "lists",
        "In which order models at the same distance stand.",
        (
            ConventionValue("file", "As in the file", "In the order of the lines or columns of the submitted file."),
            ConventionValue(
                "index", "As in the collection", "In the order of the collection, that of its classification."
            ),
            ConventionValue("trec", "As trec_eval", "Scores compared in single precision, then the ids, descending."),
        ),
    ),
    Convention(
        "relevant_from",
        "Relevant from level",
        "lists",
        "Which levels of relevance count; lower ones are not relevant, in gains, too.",
        (
            ConventionValue(1, "1: all relevant", "Marginally and highly relevant models count."),
            ConventionValue(2, "2: highly relevant", "Only highly relevant models count."),
            ConventionValue(
                3, "3: highest only", "Only models of level 3 and up count, as in ShapeNet the same subclass."
            ),
        ),
        least=1,
    ),
    Convention(
        "unknown",
        "Unknown ids",
        "lists",
        "What happens to ids in a list that are not in the collection.",
        (
            ConventionValue("drop", "Removed", "They are removed before ranking, and later models move up."),
            ConventionValue("keep", "Keep their place", "They keep their place as models that are not relevant."),
        ),
    ),
    Convention(
        "not_a_number",
        "Distances that are not a number",
        "lists",
        "Where models stand whose distance is not a number.",
        (
            ConventionValue("last", "Last", "Behind all others, after those at infinity."),
            ConventionValue("drop", "Not retrieved", "They are not in the list."),
        ),
    ),
    Convention(
        "infinite",
        "Infinite distances",
        "lists",
        "Where models stand whose distance is plus infinity.",
        (
            ConventionValue("rank", "Behind the finite ones", "They rank behind all finite distances."),
            ConventionValue("drop", "Not retrieved", "They are not in the list, as some matrices mean it."),
        ),
    ),
    Convention(
        "list_cut",
        "Length of lists",
        "lists",
        "After how many places a list is cut.",
        (
            ConventionValue(None, "Whole", "Lists are as long as they were submitted."),
            ConventionValue(100, "First 100", "What stands behind place 100 is not retrieved."),
            ConventionValue(1000, "First 1000", "What stands behind place 1000 is not retrieved, as in ShapeNet."),
        ),
        least=1,
    ),
    Convention(
        "cut_counts",
        "Cut counts",
        "lists",
        "Whether lists are cut before they are cleaned up, or after.",
        (
            ConventionValue("places", "Places", "After the clean-up: what was removed takes no place."),
            ConventionValue("lines", "Lines", "Before the clean-up: what is removed afterwards was counted."),
        ),
    ),
    Convention(
        "missing_query",
        "Queries without a list",
        "means",
        "How a query that a run does not answer enters the means of that run.",
        (
            ConventionValue("zero", "As an empty list", "It counts as an empty list, 0 for every share."),
            ConventionValue("skip", "Left out", "The mean goes over the other queries."),
        ),
    ),
    Convention(
        "no_relevant",
        "Queries with nothing to find",
        "means",
        "How a query to which nothing is relevant enters the means.",
        (
            ConventionValue("skip", "Left out", "The mean goes over the other queries."),
            ConventionValue("zero", "As zero", "It counts 0."),
        ),
    ),
    Convention(
        "min_class_size",
        "Smallest class in means",
        "means",
        "How many models, the query counted, a class must have for its queries to enter the means.",
        (
            ConventionValue(0, "Any", "Queries of all classes enter the means."),
            ConventionValue(3, "3 models", "Queries of classes of one or two models are left out, as psbTable does."),
        ),
        least=0,
    ),
    Convention(
        "average",
        "Means",
        "means",
        "Which means are shown.",
        (
            ConventionValue("queries", "Over queries", "Every query counts alike (micro)."),
            ConventionValue(
                "both", "Over queries and over classes", "Beside it the mean of the means of classes (macro)."
            ),
        ),
    ),
    Convention(
        "classes",
        "Classes of means",
        "means",
        "Which classes the mean over classes goes over.",
        (
            ConventionValue("own", "The query's own", "The class that the query itself stands in."),
            ConventionValue(
                "top", "Top of the branch", "The class at the top of its branch, such as ShapeNet's synset."
            ),
        ),
    ),
    Convention(
        "tiers",
        "First and second tier",
        "measures",
        "What the tiers divide by, and where they stop.",
        (
            ConventionValue("psb", "Recalls", "V(C)/C and V(2C)/C, the share of the class found."),
            ConventionValue(
                "shrec2006", "Precisions, short lists", "V(d)/d with d = min(Va, C) and min(Va, 2C), as in 2006."
            ),
            ConventionValue(
                "literal", "As printed in 2006", "The relevant tiers take Ch instead of Cr, a slip of the report."
            ),
            ConventionValue("precision", "Precisions", "V(C)/C and V(2C)/2C, as in the partial retrieval of 2013."),
            ConventionValue("rgbd", "Recall and precision", "V(C)/C and V(2C)/min(Va, 2C), as in RGB-D of 2017."),
            ConventionValue(
                "shrec2021", "One too many", "(V(C)+1)/C and (V(2C)+1)/2C, the mistake of the program of 2021."
            ),
        ),
    ),
    Convention(
        "ap_divisor",
        "Average precision divides by",
        "measures",
        "How many precisions average precision is the mean of.",
        (
            ConventionValue("relevant", "All relevant", "All relevant models; what is not retrieved adds 0."),
            ConventionValue(
                "retrieved", "The relevant retrieved", "Only those in the list, which favours short lists."
            ),
            ConventionValue(
                "reachable", "What a list can hold", "All relevant models, at most the length of a cut list."
            ),
            ConventionValue(
                "largest class", "The largest class", "The most that any query has, as the sketch toolkits do."
            ),
        ),
    ),
    Convention(
        "relevant",
        "Recall counts",
        "measures",
        "How many relevant models recall, F-measure and the ideal list count.",
        (
            ConventionValue("all", "All relevant", "All relevant models of the truth."),
            ConventionValue("reachable", "What a list can hold", "At most as many as a cut list has places."),
        ),
    ),
    Convention(
        "adr",
        "Average dynamic recall stops at",
        "measures",
        "How many ranks average dynamic recall looks at.",
        (
            ConventionValue("typke", "All relevant", "At rank Cr, however short the list (Typke et al.)."),
            ConventionValue("shrec2006", "The end of the list", "At rank min(Va, Cr), which spares short lists."),
        ),
    ),
    Convention(
        "gain",
        "Gain of a level",
        "measures",
        "What a model of each level is worth to the gains.",
        (
            ConventionValue("linear", "The level", "Level 2 is worth 2, level 1 is worth 1."),
            ConventionValue("binary", "1", "Every relevant model is worth 1."),
            ConventionValue("exponential", "2^level - 1", "Level 2 is worth 3, level 1 is worth 1."),
        ),
    ),
    Convention(
        "discount",
        "Discount of a rank",
        "measures",
        "What a gain is divided by at each rank.",
        (
            ConventionValue("jarvelin", "log2(rank)", "Rank 1 and rank 2 count in full, as in most of the field."),
            ConventionValue("log2(i+1)", "log2(rank + 1)", "Only rank 1 counts in full, as in text retrieval."),
            ConventionValue(
                "rgbd", "Off by one", "The first gain counts twice, the last one never: the program of 2017."
            ),
        ),
    ),
    Convention(
        "ideal",
        "The ideal list",
        "measures",
        "What normalised gains are compared with.",
        (
            ConventionValue("truth", "All relevant", "The best list of all relevant models."),
            ConventionValue("retrieved", "The relevant retrieved", "The best order of those in the list."),
        ),
    ),
    Convention(
        "past_end",
        "Curves beyond a list's end",
        "measures",
        "Precision and recall by rank beyond the end of a list.",
        (
            ConventionValue("hold", "Nothing more is found", "V(k)/k and V(k)/C go on."),
            ConventionValue("zero", "Zero", "Both are 0, as in ShapeNet."),
        ),
    ),
)
"""Every convention that may be changed, in the order in which they are offered."""


CHANGE_PATTERN = re.compile(r"\+(?=[a-z_]+=)")
"""Where a change begins in a key such as ``psb+ties=trec``; the plus sign in ``log2(i+1)`` is none."""


def find_convention(name: str) -> Convention:
    """The row of `CONVENTIONS` for a field of `Profile`; UnknownKeyError when nobody may change such a field."""
    for choice in CONVENTIONS:
        if choice.field == name:
            return choice
    raise UnknownKeyError(
        f"there is no convention '{name}'{suggestion(name, [choice.field for choice in CONVENTIONS])}"
    )


def parse_convention(text: str) -> tuple[str, ConventionSetting]:
    """Field and value of ``"ties=trec"``, ``"list_cut=none"`` or ``"relevant_from=2"``.

    Raises
    ------
    UnknownKeyError
        When there is no such field, or it does not allow that.

    Examples
    --------
    >>> parse_convention("list_cut=1000")
    ('list_cut', 1000)
    """
    name, sign, said = text.partition("=")
    if not sign:
        raise UnknownKeyError(f"a convention is changed by NAME=VALUE, such as ties=index, not by '{text}'")
    choice = find_convention(name.strip().replace("-", "_"))
    for allowed in choice.values:
        if said.strip() in (value_key(allowed.value), str(allowed.value)):
            return choice.field, allowed.value
    if choice.least is not None and said.strip().isdecimal() and int(said) >= choice.least:
        return choice.field, int(said)
    raise UnknownKeyError(f"{choice.field} is {_allowed_text(choice)}, not '{said}'")


def with_convention(profile: Profile, field: str, value: ConventionSetting) -> Profile:
    """The profile with one convention changed, under a key and a title that say so.

    Changed back, it is the profile of the contest again. `find_profile` knows the new key: ``psb+ties=trec``.

    Raises
    ------
    UnknownKeyError
        When nobody may change that field, or it does not allow that value.

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
    found = replace(origin, changed_from=origin, **changed)
    if not found.changes:
        return origin
    rows = [(find_convention(field), value) for field, value in found.changes.items()]
    key = origin.key + "".join(f"+{row.field}={value_key(value)}" for row, value in rows)
    said = "; ".join(f"{row.label.lower()}: {row.words_of(value)}" for row, value in rows)
    description = f"{origin.title} with other conventions ({said}). {origin.description}"
    return replace(found, key=key, title=f"{origin.title}, changed", description=description)


def check_convention(field: str, value: ConventionSetting) -> None:
    """UnknownKeyError where a convention may not be changed to `value`."""
    choice = find_convention(field)
    if any(type(allowed.value) is type(value) and allowed.value == value for allowed in choice.values):
        return
    if choice.least is None or not isinstance(value, int) or isinstance(value, bool) or value < choice.least:
        raise UnknownKeyError(f"{field} is {_allowed_text(choice)}, not {value!r}")


def split_profile_key(key: str) -> tuple[str, Sequence[str]]:
    """Key of a profile and the changes behind it.

    Examples
    --------
    >>> split_profile_key("trec+discount=log2(i+1)+ties=file")
    ('trec', ['discount=log2(i+1)', 'ties=file'])
    """
    first, *changes = CHANGE_PATTERN.split(key)
    return first, changes


def _allowed_text(choice: Convention) -> str:
    words = [value_key(allowed.value) for allowed in choice.values]
    if choice.least is not None:
        words = [*(text for text in words if not text.isdecimal()), f"a whole number from {choice.least} on"]
    return f"{', '.join(words[:-1])} or {words[-1]}" if len(words) > 1 else words[0]
