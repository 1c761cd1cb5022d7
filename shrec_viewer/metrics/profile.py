"""A profile: the set of conventions under which one contest computed its numbers."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Profile:
    """The conventions of one contest, each a switch, and the table it prints.

    Attributes
    ----------
    key : ``"shrec2006"``.
    title : for people, ``"SHREC 2006"``.
    source : paper and program the conventions were read from.
    description : what sets this contest apart, in a few sentences.
    measures : keys of the default table, in order. Keys of a level that the truth does not have are left out of it.
    headline : key of the one measure to show where there is room for one.
    curves : keys of the curves, in order of usefulness.
    self_match : what happens to the query itself where it is a member of the collection. ``"drop"``: it is taken out of
        the list and of the truth, wherever it stands. ``"keep"``: it is a model like any other.
    ties : equal distances in a matrix, equal scores in a list that is ordered by score. ``"index"``: the order of the
        file (columns, lines). ``"trec"``: scores are compared in single precision and ties are broken by id,
        descending, as trec_eval does.
    unknown : ids in a list that are not in the collection. ``"drop"``: removed before ranking, later models move up.
        ``"keep"``: they occupy their place and are not relevant.
    duplicates : ids that stand twice in a list. ``"first"``: the first one counts, the others are removed.
    list_cut : places after which a list is cut, None for never.
    cut_counts : ``"places"``: the cut comes after the clean-up. ``"lines"``: before it, so removed lines count.
    missing_query : a query that a run has no answer to enters means as an empty list (``"zero"``) or not (``"skip"``).
    no_relevant : a query with nothing to find is left out of means (``"skip"``) or counts 0 (``"zero"``).
    tiers : ``"psb"``: First Tier V(C)/C, Second Tier V(2C)/C, both recalls. ``"shrec2006"``: V(d)/d with d = min(Va, C)
        and min(Va, 2C), a precision. ``"literal"``: as printed in 2006, where the relevant (level 1) tiers take Ch
        instead of Cr; the printed worked example proves that a slip. ``"precision"``: V(C)/C and V(2C)/2C.
    ap_divisor : average precision divides by all relevant models (``"relevant"``) or by those in the list
        (``"retrieved"``).
    adr : how many ranks the average dynamic recall looks at: ``"shrec2006"`` min(Va, Cr), ``"typke"`` always Cr.
    gain : ``"linear"``: the level. ``"exponential"``: 2^level - 1.
    discount : ``"jarvelin"``: rank 1 by 1, rank i by log2(i), so that ranks 1 and 2 count in full. ``"log2(i+1)"``.
    ideal : the best list is made of the whole truth (``"truth"``) or of the relevant models retrieved
        (``"retrieved"``).
    min_class_size : queries with fewer relevant models than this, themselves counted, are left out of means.
    left_out_classes : names of classes whose queries are left out of means; Princeton's ``-1`` holds the unclassified.
    average : the means to show: over ``"queries"`` (micro), or ``"both"`` over queries and over classes (macro).
    """

    key: str
    title: str
    source: str
    description: str
    measures: tuple[str, ...]
    headline: str
    curves: tuple[str, ...]
    self_match: Literal["drop", "keep"] = "drop"
    ties: Literal["index", "trec"] = "index"
    unknown: Literal["drop", "keep"] = "drop"
    duplicates: Literal["first"] = "first"
    list_cut: int | None = None
    cut_counts: Literal["places", "lines"] = "places"
    missing_query: Literal["zero", "skip"] = "zero"
    no_relevant: Literal["skip", "zero"] = "skip"
    tiers: Literal["psb", "shrec2006", "literal", "precision"] = "psb"
    ap_divisor: Literal["relevant", "retrieved"] = "relevant"
    adr: Literal["shrec2006", "typke"] = "typke"
    gain: Literal["linear", "exponential"] = "linear"
    discount: Literal["jarvelin", "log2(i+1)"] = "jarvelin"
    ideal: Literal["truth", "retrieved"] = "truth"
    min_class_size: int = 0
    left_out_classes: tuple[str, ...] = ()
    average: Literal["queries", "both"] = "queries"
