"""The record of a profile: the conventions of one contest."""

from dataclasses import dataclass, fields
from typing import Any, Literal


@dataclass(frozen=True)
class Profile:
    """The conventions of one contest, each a switch, and the table it prints.

    Every switch names in brackets who counts so; `source` says where that was read. Where nobody is named, all do.

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
        the list and of the truth, wherever it stands (psbTable, SHREC'12). ``"keep"``: it is a model like any other
        (trec_eval; SHREC'16/'17 ShapeNet, by the organisers' own answer).
    ties : equal distances in a matrix, equal scores in a list that is ordered by score. ``"file"``: the order of
        columns and lines (a stable sort: the evaluator of SHREC'21). ``"index"``: the order of the collection, that is
        of its classification file (psbTable; SHREC'12 reorders its matrices so first). ``"trec"``: scores are compared
        in single precision and ties are broken by id, descending (trec_eval). See `RankedHits` for the best and the
        worst order. Where the lines of a list are its order, distances beside them say nothing (all evaluators of rank
        lists).
    unknown : ids in a list that are not in the collection. ``"drop"``: removed before ranking, later models move up
        (ShapeNet, RGB-D). ``"keep"``: they occupy their place and are not relevant (trec_eval).
    duplicates : ids that stand twice in a list. ``"first"``: the first one counts, the others are removed (ShapeNet);
        trec_eval refuses such lists.
    not_a_number : models whose distance is not a number, in a matrix or a list ordered by score. ``"last"``: worst of
        all, after +inf, in the order of ties (numpy's sort). ``"drop"``: not retrieved. Nobody documents this: in
        psbTable and trec_eval their place is undefined. Lists in the order of their lines need no distances.
    infinite : models at the distance +inf, in the same files. ``"rank"``: behind all finite ones. ``"drop"``: not
        retrieved; some matrices say so. The distance -inf is always the nearest.
    unjudged : models without a level. ``"not relevant"``, as in every contest and in trec_eval.
    relevant_from : lowest level that counts as relevant; models below count as not relevant in every measure, gains
        included. 1 in every contest; 2 judges strictly, by the highly relevant models alone (``trec_eval -l 2``, which
        leaves gains as they are).
    truncated : relevant models that a list does not reach. ``"not retrieved"``: they count in what there is to find and
        are never found (SHREC'06, ShapeNet, trec_eval); other programs refuse short lists.
    list_cut : places after which a list is cut, None for never. (ShapeNet, RGB-D: 1000.)
    cut_counts : ``"places"``: the cut comes after the clean-up. ``"lines"``: before it, so removed lines count
        (ShapeNet, RGB-D).
    missing_query : a query that a run has no answer to enters means as an empty list (``"zero"``; ``trec_eval -c``) or
        not (``"skip"``; trec_eval, ShapeNet, RGB-D).
    no_relevant : a query with nothing to find is left out of means (``"skip"``; psbTable) or counts 0 (``"zero"``;
        pytrec_eval).
    tiers : ``"psb"``: First Tier V(C)/C, Second Tier V(2C)/C, both recalls (psbTable, SHREC'12, the sketch tracks).
        ``"shrec2006"``: V(d)/d with d = min(Va, C) and min(Va, 2C), a precision (SHREC'06). ``"literal"``: as printed
        in 2006, where the relevant (level 1) tiers take Ch instead of Cr; the printed worked example proves that a
        slip. ``"precision"``: V(C)/C and V(2C)/2C (SHREC'13 partial retrieval). ``"rgbd"``: V(C)/C and V(2C)/min(Va,
        2C) (SHREC'17/'18 RGB-D). ``"shrec2021"``: (V(C)+1)/C and (V(2C)+1)/2C, one hit too many, but a Second Tier of
        1 where all stand within the first 2C-1 places (SHREC'21 cultural heritage).
    ap_divisor : what average precision divides by. ``"relevant"``: all relevant models (trec_eval, SHREC'12, '17, '21).
        ``"retrieved"``: those in the list (SHREC'06; ShapeNet until 2017-02-23). ``"reachable"``: all, but at most as
        many as a cut list can hold. ``"largest class"``: the relevant models of the query that has most (SHREC'13 to
        '19 sketch toolkits, which pad with zeros).
    relevant : how many relevant models recall, F-measure and the ideal list count. ``"all"``. ``"reachable"``: at most
        `list_cut` (ShapeNet).
    adr : how many ranks the average dynamic recall looks at: ``"shrec2006"`` min(Va, Cr), ``"typke"`` always Cr (Typke
        et al.).
    gain : ``"linear"``: the level (SHREC'06, trec_eval, ShapeNet). ``"binary"``: 1 for any level above 0 (SHREC'17
        RGB-D). ``"exponential"``: 2^level - 1 (SHREC'21).
    discount : ``"jarvelin"``: rank 1 by 1, rank i by log2(i), so that ranks 1 and 2 count in full (SHREC'06, psbTable,
        ShapeNet). ``"log2(i+1)"`` (trec_eval, SHREC'21). ``"rgbd"``: the sum of log2(i+1) up to the last place but one,
        and the first gain once more (SHREC'17/'18 RGB-D).
    ideal : the best list is made of the whole truth (``"truth"``) or of the relevant models retrieved
        (``"retrieved"``; RGB-D, ShapeNet until 2017-02-23).
    past_end : precision and recall by rank beyond the end of a list. ``"hold"``: nothing more is found, V(k)/k and
        V(k)/C (RGB-D). ``"zero"``: 0 (ShapeNet).
    min_class_size : queries with fewer relevant models than this, themselves counted, are left out of means. (psbTable:
        3.)
    left_out_classes : names of classes whose queries are left out of means; Princeton's ``-1`` holds the unclassified.
    average : the means to show: over ``"queries"`` (micro), or ``"both"`` over queries and over classes (macro).
    classes : classes that class means go over: each query's own (``"own"``; psbTable) or the one at the top of its
        branch (``"top"``; ShapeNet's synsets).
    changed_from : the profile of a contest of which somebody changed a convention (see `with_convention`), else None.
    """

    key: str
    title: str
    source: str
    description: str
    measures: tuple[str, ...]
    headline: str
    curves: tuple[str, ...]
    self_match: Literal["drop", "keep"] = "drop"
    ties: Literal["file", "index", "trec"] = "file"
    unknown: Literal["drop", "keep"] = "drop"
    duplicates: Literal["first"] = "first"
    not_a_number: Literal["last", "drop"] = "last"
    infinite: Literal["rank", "drop"] = "rank"
    unjudged: Literal["not relevant"] = "not relevant"
    relevant_from: int = 1
    truncated: Literal["not retrieved"] = "not retrieved"
    list_cut: int | None = None
    cut_counts: Literal["places", "lines"] = "places"
    missing_query: Literal["zero", "skip"] = "zero"
    no_relevant: Literal["skip", "zero"] = "skip"
    tiers: Literal["psb", "shrec2006", "literal", "precision", "rgbd", "shrec2021"] = "psb"
    ap_divisor: Literal["relevant", "retrieved", "reachable", "largest class"] = "relevant"
    relevant: Literal["all", "reachable"] = "all"
    adr: Literal["shrec2006", "typke"] = "typke"
    gain: Literal["linear", "binary", "exponential"] = "linear"
    discount: Literal["jarvelin", "log2(i+1)", "rgbd"] = "jarvelin"
    ideal: Literal["truth", "retrieved"] = "truth"
    past_end: Literal["hold", "zero"] = "hold"
    min_class_size: int = 0
    left_out_classes: tuple[str, ...] = ()
    average: Literal["queries", "both"] = "queries"
    classes: Literal["own", "top"] = "own"
    changed_from: "Profile | None" = None

    @property
    def ranking(self) -> tuple[object, ...]:
        """The conventions that decide ranks: two profiles that agree in them have the same hits."""
        return tuple(getattr(self, name) for name in RANKING_CONVENTIONS)

    @property
    def conventions(self) -> dict[str, Any]:
        """Every convention by its name, in the order of the record."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in DESCRIPTIVE_FIELDS}

    @property
    def changes(self) -> dict[str, Any]:
        """The conventions in which it differs from `changed_from`; none for the profile of a contest."""
        usual = {} if self.changed_from is None else self.changed_from.conventions
        return {name: value for name, value in self.conventions.items() if usual.get(name, value) != value}


DESCRIPTIVE_FIELDS = ("key", "title", "source", "description", "measures", "headline", "curves", "changed_from")
"""Fields of a profile that are not conventions."""

RANKING_CONVENTIONS = (
    "self_match", "ties", "unknown", "duplicates", "not_a_number", "infinite", "unjudged", "relevant_from", "truncated",
    "list_cut", "cut_counts",
)  # fmt: skip
"""Conventions of a profile that are settled while lists and matrices become hits; all others are settled later."""
