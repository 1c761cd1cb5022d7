"""The record of a profile: the conventions of one contest."""

from dataclasses import dataclass, fields
from typing import Any, Literal

Ties = Literal["file", "index", "trec"]
Difficulty = Literal["easy", "medium", "hard"]
MissingQuery = Literal["zero", "skip", "common"]


@dataclass(frozen=True)
class Profile:
    """The conventions of one contest, each a field, and the table of measures that it prints.

    The names in brackets are the programs and contests that use a convention; `source` is where it was read. A
    convention without a name is common to all.

    Attributes
    ----------
    key : ``"shrec2006"``.
    title : name for display, ``"SHREC 2006"``.
    source : paper and program from which the conventions were read.
    description : what distinguishes this contest, in a few sentences.
    measures : keys of the default table, in order. Keys of a relevance level that the assessment does not use are
        skipped.
    headline : key of the main measure, for runs ordered or summarised by one number.
    curves : keys of the curves, in order of importance.
    self_match : treatment of the query itself if it is a model of the collection. ``"drop"``: removed from the list and
        from the relevant models, at whatever rank (psbTable, SHREC'12). ``"keep"``: treated as any other model
        (trec_eval; SHREC'16/'17 ShapeNet, as confirmed by the organisers).
    ties : order of equal distances in a matrix, and of equal scores in a list that is ordered by score. ``"file"``:
        order of columns or lines (a stable sort: the evaluator of SHREC'21). ``"index"``: order of the collection, that
        is of its classification file (psbTable; SHREC'12 reorders its matrices so first). ``"trec"``: scores are
        compared in single precision and ties are broken by id, descending (trec_eval). For the best and the worst order
        see `RankedHits`. If the lines of a list are its order, distances in it are ignored (all evaluators of rank
        lists).
    unknown : ids in a list that are not in the collection. ``"drop"``: removed before ranking, later models move up
        (ShapeNet, RGB-D). ``"keep"``: kept at their rank as not relevant (trec_eval).
    duplicates : ids that occur twice in a list. ``"first"``: the first one counts, the others are removed (ShapeNet);
        trec_eval rejects such lists.
    not_a_number : models whose distance is NaN, in a matrix or a list ordered by score. ``"last"``: after all others,
        also after +inf, in the order of `ties` (numpy's sort). ``"drop"``: not retrieved. Not documented anywhere: in
        psbTable and trec_eval their rank is undefined. Lists in the order of their lines need no distances.
    infinite : models at the distance +inf, in the same files. ``"rank"``: after all finite distances. ``"drop"``: not
        retrieved; the meaning in some matrices. The distance -inf is always the nearest.
    unjudged : models without a level. ``"not relevant"``, as in every contest and in trec_eval.
    junk : models of level -1, judged but not to be counted. ``"not relevant"`` (trec_eval: any level below 1).
        ``"removed"``: removed from lists before ranking, later models move up, and not in the collection of the query
        (``compute_ap.cpp`` of the Oxford Buildings, which skips the models of ``_junk.txt``; Paris, Market-1501).
    difficulty : which relevant models are junk: none (``"medium"``), those of level 1 (``"easy"``) or those of higher
        levels (``"hard"``). The protocols of the revisited Oxford and Paris Buildings, where level 2 is an easy model
        and 1 a hard one.
    relevant_from : lowest level that counts as relevant; models below are not relevant in every measure, gains
        included. 1 in every contest; 2 counts the highly relevant models only (``trec_eval -l 2``, which does not
        change gains).
    truncated : relevant models after the end of a list. ``"not retrieved"``: they count as relevant and are never found
        (SHREC'06, ShapeNet, trec_eval); other programs reject short lists.
    list_cut : rank after which a list is cut off; None for no cutoff. (ShapeNet, RGB-D: 1000.)
    cut_counts : what `list_cut` counts: ``"places"`` of a list after clean-up, or ``"lines"`` of its file, so that
        lines that are removed afterwards count (ShapeNet, RGB-D).
    missing_query : a query for which a run has no results enters means as an empty list (``"zero"``; ``trec_eval -c``)
        or not at all (``"skip"``; trec_eval, ShapeNet, RGB-D). ``"common"``: a query that any run of the benchmark
        lacks enters the mean of no run.
    no_relevant : a query without relevant models is excluded from means (``"skip"``; psbTable) or counts 0 (``"zero"``;
        pytrec_eval).
    tiers : ``"psb"``: First Tier V(C)/C, Second Tier V(2C)/C, both recalls (psbTable, SHREC'12, the sketch tracks).
        ``"shrec2006"``: V(d)/d with d = min(Va, C) and min(Va, 2C), a precision (SHREC'06). ``"literal"``: as printed
        in 2006, where the relevant (level 1) tiers use Ch instead of Cr; the printed worked example shows that this is
        an error. ``"precision"``: V(C)/C and V(2C)/2C (SHREC'13 partial retrieval). ``"rgbd"``: V(C)/C and
        V(2C)/min(Va, 2C) (SHREC'17/'18 RGB-D). ``"shrec2021"``: (V(C)+1)/C and (V(2C)+1)/2C, one hit too many, except a
        Second Tier of 1 where all relevant models are within the first 2C-1 ranks (SHREC'21 cultural heritage).
    precision_divisor : divisor of precision at rank k: ``"cutoff"`` k (trec_eval), ``"last relevant"`` the rank of the
        last relevant model of the list where that is before k (revisited Oxford and Paris Buildings).
    ap_divisor : divisor of average precision. ``"relevant"``: all relevant models (trec_eval, SHREC'12, '17, '21).
        ``"retrieved"``: those in the list (SHREC'06; ShapeNet until 2017-02-23). ``"reachable"``: all, at most
        `list_cut`. ``"largest class"``: the relevant models of the query that has most (SHREC'13 to '19 sketch
        toolkits, which pad with zeros).
    relevant : number of relevant models in recall, F-measure and the ideal ranking. ``"all"``. ``"reachable"``: at most
        `list_cut` (ShapeNet).
    adr : last rank considered by the average dynamic recall, and its levels: ``"shrec2006"`` min(Va, Cr) and two
        levels, those above 2 counting as 2; ``"typke"`` always Cr and any number of levels (Typke et al.).
        ``"protein2021"``: the same, but among the ranks of level 2 of the ideal list only models of exactly that level
        are added, and the query itself counts, at the highest level (SHREC'21 protein surfaces).
    anmrr : ranks considered by ANMRR, with D = min(4C, 2 max C): ``"mpeg7"`` the first D, a model that is not among
        them counts as at 1.25 D; ``"shrec2022"`` the first C, others count as at D + 1.
    gain : ``"linear"``: the level (SHREC'06, trec_eval, ShapeNet). ``"binary"``: 1 for any level above 0 (SHREC'17
        RGB-D). ``"exponential"``: 2^level - 1 (SHREC'21).
    discount : ``"jarvelin"``: rank 1 by 1, rank i by log2(i), so that ranks 1 and 2 are not discounted (SHREC'06,
        psbTable, ShapeNet). ``"log2(i+1)"`` (trec_eval, SHREC'21). ``"rgbd"``: log2(i+1) for all ranks but the last
        one, plus the first gain a second time (SHREC'17/'18 RGB-D).
    ideal : the ideal ranking consists of all relevant models (``"truth"``), of those retrieved (``"retrieved"``;
        RGB-D, ShapeNet until 2017-02-23, ANIMAR), or has a model of the highest gain at every rank (``"targets"``;
        SHREC'22), so that NDCG@k is below 1 for fewer than k relevant models.
    past_end : precision and recall by rank beyond the end of a list. ``"hold"``: V(k) is constant, V(k)/k and V(k)/C
        (RGB-D). ``"zero"``: 0 (ShapeNet).
    min_class_size : queries with fewer relevant models than this, including the query itself, are excluded from means.
        (psbTable: 3.)
    excluded_classes : names of classes whose queries are excluded from means; Princeton's ``-1`` contains the
        unclassified models.
    average : means displayed: over ``"queries"`` (micro), or ``"both"`` over queries and over classes (macro).
    classes : classes of macro averages: that of each query (``"own"``; psbTable) or the one at the top of its branch
        (``"top"``; ShapeNet's synsets).
    changed_from : the original profile, if conventions were changed (see `with_convention`); else None.
    """

    key: str
    title: str
    source: str
    description: str
    measures: tuple[str, ...]
    headline: str
    curves: tuple[str, ...]
    self_match: Literal["drop", "keep"] = "drop"
    ties: Ties = "file"
    unknown: Literal["drop", "keep"] = "drop"
    duplicates: Literal["first"] = "first"
    not_a_number: Literal["last", "drop"] = "last"
    infinite: Literal["rank", "drop"] = "rank"
    unjudged: Literal["not relevant"] = "not relevant"
    junk: Literal["not relevant", "removed"] = "not relevant"
    difficulty: Difficulty = "medium"
    relevant_from: int = 1
    truncated: Literal["not retrieved"] = "not retrieved"
    list_cut: int | None = None
    cut_counts: Literal["places", "lines"] = "places"
    missing_query: MissingQuery = "zero"
    no_relevant: Literal["skip", "zero"] = "skip"
    tiers: Literal["psb", "shrec2006", "literal", "precision", "rgbd", "shrec2021"] = "psb"
    precision_divisor: Literal["cutoff", "last relevant"] = "cutoff"
    ap_divisor: Literal["relevant", "retrieved", "reachable", "largest class"] = "relevant"
    relevant: Literal["all", "reachable"] = "all"
    adr: Literal["shrec2006", "typke", "protein2021"] = "typke"
    anmrr: Literal["mpeg7", "shrec2022"] = "mpeg7"
    gain: Literal["linear", "binary", "exponential"] = "linear"
    discount: Literal["jarvelin", "log2(i+1)", "rgbd"] = "jarvelin"
    ideal: Literal["truth", "retrieved", "targets"] = "truth"
    past_end: Literal["hold", "zero"] = "hold"
    min_class_size: int = 0
    excluded_classes: tuple[str, ...] = ()
    average: Literal["queries", "both"] = "queries"
    classes: Literal["own", "top"] = "own"
    changed_from: "Profile | None" = None

    @property
    def ranking(self) -> tuple[object, ...]:
        """The conventions that determine ranks: profiles that agree in them have the same hits."""
        return tuple(getattr(self, name) for name in RANKING_CONVENTIONS)

    @property
    def conventions(self) -> dict[str, Any]:
        """Every convention by its name, in the order of the fields."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name not in DESCRIPTIVE_FIELDS}

    @property
    def changes(self) -> dict[str, Any]:
        """The conventions that differ from `changed_from`; empty if nothing was changed."""
        original = {} if self.changed_from is None else self.changed_from.conventions
        return {name: value for name, value in self.conventions.items() if original.get(name, value) != value}


#: Fields of a profile that are not conventions.
DESCRIPTIVE_FIELDS = ("key", "title", "source", "description", "measures", "headline", "curves", "changed_from")

#: Conventions that are applied when lists and matrices are converted to hits; the others are applied later.
RANKING_CONVENTIONS = (
    "self_match", "ties", "unknown", "duplicates", "not_a_number", "infinite", "unjudged", "junk", "difficulty",
    "relevant_from", "truncated", "list_cut", "cut_counts",
)  # fmt: skip
