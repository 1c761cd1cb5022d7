"""The conventions that a person may change, with a sentence about each value: one row a field of `Profile`."""

from dataclasses import dataclass
from typing import Literal

Value = str | int | None

Group = Literal["lists", "means", "measures"]
"""What a convention decides: the ranks in a list, what enters a mean, or what a measure computes."""


@dataclass(frozen=True)
class Allowed:
    """One value of a convention: what stands in `Profile`, a word or two for a menu, and a sentence."""

    value: Value
    label: str
    explanation: str


@dataclass(frozen=True)
class Choice:
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
    group: Group
    explanation: str
    values: tuple[Allowed, ...]
    least: int | None = None

    def words_of(self, value: Value) -> str:
        """Label of a value; a number that has none is its own."""
        return next((allowed.label for allowed in self.values if allowed.value == value), word(value))


def word(value: Value) -> str:
    """A value as one word, for keys and for the command line."""
    return "none" if value is None else str(value).replace(" ", "-")


CHOICES: tuple[Choice, ...] = (
    Choice(
        "self_match",
        "Query in its own list",
        "lists",
        "What happens to the query itself where it is a model of the collection.",
        (
            Allowed("drop", "Left out", "It is taken out of its own list and out of what there is to find."),
            Allowed("keep", "Kept", "It is a model like any other, and usually the first one found."),
        ),
    ),
    Choice(
        "ties",
        "Equal distances",
        "lists",
        "In which order models at the same distance stand.",
        (
            Allowed("file", "As in the file", "In the order of the lines or columns of the submitted file."),
            Allowed("index", "As in the collection", "In the order of the collection, that of its classification."),
            Allowed("trec", "As trec_eval", "Scores compared in single precision, then the ids, descending."),
        ),
    ),
    Choice(
        "relevant_from",
        "Relevant from level",
        "lists",
        "Which levels of relevance count; lower ones are not relevant, in gains, too.",
        (
            Allowed(1, "1: all relevant", "Marginally and highly relevant models count."),
            Allowed(2, "2: highly relevant", "Only highly relevant models count."),
            Allowed(3, "3: highest only", "Only models of level 3 and up count, as in ShapeNet the same subclass."),
        ),
        least=1,
    ),
    Choice(
        "unknown",
        "Unknown ids",
        "lists",
        "What happens to ids in a list that are not in the collection.",
        (
            Allowed("drop", "Removed", "They are removed before ranking, and later models move up."),
            Allowed("keep", "Keep their place", "They keep their place as models that are not relevant."),
        ),
    ),
    Choice(
        "not_a_number",
        "Distances that are not a number",
        "lists",
        "Where models stand whose distance is not a number.",
        (
            Allowed("last", "Last", "Behind all others, after those at infinity."),
            Allowed("drop", "Not retrieved", "They are not in the list."),
        ),
    ),
    Choice(
        "infinite",
        "Infinite distances",
        "lists",
        "Where models stand whose distance is plus infinity.",
        (
            Allowed("rank", "Behind the finite ones", "They rank behind all finite distances."),
            Allowed("drop", "Not retrieved", "They are not in the list, as some matrices mean it."),
        ),
    ),
    Choice(
        "list_cut",
        "Length of lists",
        "lists",
        "After how many places a list is cut.",
        (
            Allowed(None, "Whole", "Lists are as long as they were submitted."),
            Allowed(100, "First 100", "What stands behind place 100 is not retrieved."),
            Allowed(1000, "First 1000", "What stands behind place 1000 is not retrieved, as in ShapeNet."),
        ),
        least=1,
    ),
    Choice(
        "cut_counts",
        "Cut counts",
        "lists",
        "Whether lists are cut before they are cleaned up, or after.",
        (
            Allowed("places", "Places", "After the clean-up: what was removed takes no place."),
            Allowed("lines", "Lines", "Before the clean-up: what is removed afterwards was counted."),
        ),
    ),
    Choice(
        "missing_query",
        "Queries without a list",
        "means",
        "How a query that a run does not answer enters the means of that run.",
        (
            Allowed("zero", "As an empty list", "It counts as an empty list, 0 for every share."),
            Allowed("skip", "Left out", "The mean goes over the other queries."),
        ),
    ),
    Choice(
        "no_relevant",
        "Queries with nothing to find",
        "means",
        "How a query to which nothing is relevant enters the means.",
        (
            Allowed("skip", "Left out", "The mean goes over the other queries."),
            Allowed("zero", "As zero", "It counts 0."),
        ),
    ),
    Choice(
        "min_class_size",
        "Smallest class in means",
        "means",
        "How many models, the query counted, a class must have for its queries to enter the means.",
        (
            Allowed(0, "Any", "Queries of all classes enter the means."),
            Allowed(3, "3 models", "Queries of classes of one or two models are left out, as psbTable does."),
        ),
        least=0,
    ),
    Choice(
        "average",
        "Means",
        "means",
        "Which means are shown.",
        (
            Allowed("queries", "Over queries", "Every query counts alike (micro)."),
            Allowed("both", "Over queries and over classes", "Beside it the mean of the means of classes (macro)."),
        ),
    ),
    Choice(
        "classes",
        "Classes of means",
        "means",
        "Which classes the mean over classes goes over.",
        (
            Allowed("own", "The query's own", "The class that the query itself stands in."),
            Allowed("top", "Top of the branch", "The class at the top of its branch, such as ShapeNet's synset."),
        ),
    ),
    Choice(
        "tiers",
        "First and second tier",
        "measures",
        "What the tiers divide by, and where they stop.",
        (
            Allowed("psb", "Recalls", "V(C)/C and V(2C)/C, the share of the class found."),
            Allowed("shrec2006", "Precisions, short lists", "V(d)/d with d = min(Va, C) and min(Va, 2C), as in 2006."),
            Allowed("literal", "As printed in 2006", "The relevant tiers take Ch instead of Cr, a slip of the report."),
            Allowed("precision", "Precisions", "V(C)/C and V(2C)/2C, as in the partial retrieval of 2013."),
            Allowed("rgbd", "Recall and precision", "V(C)/C and V(2C)/min(Va, 2C), as in RGB-D of 2017."),
            Allowed("shrec2021", "One too many", "(V(C)+1)/C and (V(2C)+1)/2C, the mistake of the program of 2021."),
        ),
    ),
    Choice(
        "ap_divisor",
        "Average precision divides by",
        "measures",
        "How many precisions average precision is the mean of.",
        (
            Allowed("relevant", "All relevant", "All relevant models; what is not retrieved adds 0."),
            Allowed("retrieved", "The relevant retrieved", "Only those in the list, which favours short lists."),
            Allowed("reachable", "What a list can hold", "All relevant models, at most the length of a cut list."),
            Allowed("largest class", "The largest class", "The most that any query has, as the sketch toolkits do."),
        ),
    ),
    Choice(
        "relevant",
        "Recall counts",
        "measures",
        "How many relevant models recall, F-measure and the ideal list count.",
        (
            Allowed("all", "All relevant", "All relevant models of the truth."),
            Allowed("reachable", "What a list can hold", "At most as many as a cut list has places."),
        ),
    ),
    Choice(
        "adr",
        "Average dynamic recall stops at",
        "measures",
        "How many ranks average dynamic recall looks at.",
        (
            Allowed("typke", "All relevant", "At rank Cr, however short the list (Typke et al.)."),
            Allowed("shrec2006", "The end of the list", "At rank min(Va, Cr), which spares short lists."),
        ),
    ),
    Choice(
        "gain",
        "Gain of a level",
        "measures",
        "What a model of each level is worth to the gains.",
        (
            Allowed("linear", "The level", "Level 2 is worth 2, level 1 is worth 1."),
            Allowed("binary", "1", "Every relevant model is worth 1."),
            Allowed("exponential", "2^level - 1", "Level 2 is worth 3, level 1 is worth 1."),
        ),
    ),
    Choice(
        "discount",
        "Discount of a rank",
        "measures",
        "What a gain is divided by at each rank.",
        (
            Allowed("jarvelin", "log2(rank)", "Rank 1 and rank 2 count in full, as in most of the field."),
            Allowed("log2(i+1)", "log2(rank + 1)", "Only rank 1 counts in full, as in text retrieval."),
            Allowed("rgbd", "Off by one", "The first gain counts twice, the last one never: the program of 2017."),
        ),
    ),
    Choice(
        "ideal",
        "The ideal list",
        "measures",
        "What normalised gains are compared with.",
        (
            Allowed("truth", "All relevant", "The best list of all relevant models."),
            Allowed("retrieved", "The relevant retrieved", "The best order of those in the list."),
        ),
    ),
    Choice(
        "past_end",
        "Curves beyond a list's end",
        "measures",
        "Precision and recall by rank beyond the end of a list.",
        (
            Allowed("hold", "Nothing more is found", "V(k)/k and V(k)/C go on."),
            Allowed("zero", "Zero", "Both are 0, as in ShapeNet."),
        ),
    ),
)
"""Every convention that may be changed, in the order in which they are offered."""
