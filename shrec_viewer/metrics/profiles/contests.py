"""The profiles of all contests and of their official evaluation programs."""

from shrec_viewer.metrics.measures.sources import (
    ANIMAR,
    OXFORD,
    PSB_TABLE,
    REVISITED,
    SHREC_2006,
    SHREC_2012,
    SHREC_2013,
    SHREC_2016,
    SHREC_2017,
    SHREC_2017_RGBD,
    SHREC_2019,
    SHREC_2021,
    SHREC_2021_PROTEIN,
    SHREC_2022,
    TREC_EVAL,
)
from shrec_viewer.metrics.profiles.profile import Profile

#: Cutoffs for which the report of 2006 prints CG, DCG, NCG and NDCG.
CUTOFFS_2006 = (5, 10, 25, 50, 100)

#: Used if neither the benchmark nor the user selects a profile.
DEFAULT = Profile(
    key="default",
    title="Viewer default",
    source="The source of each measure, as interpreted by most of the field",
    description="The most common conventions: the query itself is excluded if it is a model of the collection, "
    "average precision divides by all relevant models, tiers are recalls, gains are discounted by log2(rank), and a "
    "missing query scores 0.",
    measures=(
        "NN", "FT", "ST", "E@32", "AP", "NDCG", "ADR", "P@10", "R@100",
        "AP(rel=2)", "FT(rel=2)", "ST(rel=2)", "NDCG@5", "NDCG@10", "NDCG@25", "NDCG@50", "NDCG@100",
    ),
    headline="AP",
    curves=(
        "PR", "PR20", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "ADR", "CG(recall)", "DCG(recall)", "F1(recall)",
        "GRiP", "GR2P", "GR4P", "GR8P", "GR16P", "GR32P", "E(generality)",
    ),
    average="both",
)  # fmt: skip

SHREC2006 = Profile(
    key="shrec2006",
    title="SHREC 2006",
    source=SHREC_2006,
    description="External queries and three relevance levels: highly relevant (2), marginally relevant (1), not "
    "relevant. First and second tier divide by the ranks considered, average precision by the relevant models "
    "retrieved, and the average dynamic recall stops at the end of a short list, so short lists are favoured. "
    "Models rank in the order of the submitted lines.",
    measures=(
        "ADR", "AP(rel=2)", "AP", "FT(rel=2)", "FT", "ST(rel=2)", "ST",
        *(f"NDCG@{k}" for k in CUTOFFS_2006),
        *(f"NCG@{k}" for k in CUTOFFS_2006),
        *(f"DCG@{k}" for k in CUTOFFS_2006),
        *(f"CG@{k}" for k in CUTOFFS_2006),
        "P(rel=2)", "P", "R(rel=2)", "R",
        "TP(rel=2)", "TP", "FP(rel=2)", "FP", "TN(rel=2)", "TN", "FN(rel=2)", "FN",
    ),
    headline="ADR",
    curves=(
        "NDCG", "NCG", "DCG", "CG", "ADR", "CG(recall)", "DCG(recall)", "PR", "PR20", "PR11", "P", "R", "GRiP", "GR2P",
    ),
    tiers="shrec2006",
    ap_divisor="retrieved",
    adr="shrec2006",
)  # fmt: skip

PSB = Profile(
    key="psb",
    title="Princeton Shape Benchmark",
    source=PSB_TABLE,
    description="Every model is a query and is excluded from its own list. Equal distances rank in the order of the "
    "classification, which is that of the matrix. Classes of one or two models and the class of the unclassified, "
    "-1, are excluded from all means. Both means are printed: over models (micro) and over classes (macro). The "
    "column DCG of psbTable is NDCG here. The released psbPlot counts the query itself: that is the curve "
    "PR20(self); PR20 excludes it, as its documentation says.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR20(self)", "PR", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "F1(recall)", "GRiP", "GR2P"),
    ties="index",
    min_class_size=3,
    excluded_classes=("-1",),
    average="both",
)

SHREC2012 = Profile(
    key="shrec2012",
    title="SHREC 2012, generic 3D shape retrieval",
    source=f"{SHREC_2012}; psbTable for what it does not specify",
    description="Every model is a query and is excluded from its own list; K = |C| - 1 and 2(|C| - 1) for the "
    "tiers. All classes have 20 models, so means over queries and over classes are equal. The published text gives "
    "E = 1 - F; the programs compute the F-measure of the first 32, and so does this profile. Equal distances rank "
    "in the order of the classification; the organisers' program first reorders every matrix accordingly.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR20(self)", "PR", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "F1(recall)", "GRiP", "GR2P"),
    ties="index",
)

SHREC2019 = Profile(
    key="shrec2019",
    title="SHREC 2019, sketch-based 3D scene retrieval",
    source=SHREC_2019,
    description="The queries are sketches or images and the collection scenes, so no query is in it: C is the "
    "number of scenes of the query's class, and the tiers consider the first C and 2C ranks of full lists. The "
    "toolkit's average precision divides by the largest class, which matters if classes differ in size: "
    "shrec2013sketch does so, this profile does not.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "F1(recall)", "GRiP", "GR2P"),
)

TREC = Profile(
    key="trec",
    title="Text retrieval (trec_eval)",
    source=TREC_EVAL,
    description="The values that trec_eval prints: scores are compared in single precision, ties rank by id, "
    "descending; the query is treated as any other model; gains are discounted by log2(rank + 1); a query without "
    "relevant models scores 0, a missing query is excluded.",
    measures=("AP", "Rprec", "RR", "P@5", "P@10", "P@20", "R@100", "NDCG", "NDCG@10", "NDCG@100"),
    headline="AP",
    curves=("PR11", "PR", "PR20", "P", "R", "NDCG", "NCG", "DCG", "CG", "GRiP", "GR2P"),
    self_match="keep",
    ties="trec",
    unknown="keep",
    missing_query="skip",
    no_relevant="zero",
    discount="log2(i+1)",
)


SHREC2013 = Profile(
    key="shrec2013sketch",
    title="SHREC 2013, sketch-based retrieval, as published",
    source=SHREC_2013,
    description="The queries are sketches and the collection models, so no query is in it. As shrec2019, but "
    "average precision as the toolkit computes it: divided by the size of the largest class, so that queries of "
    "smaller classes score too low. The corrected profile is shrec2013sketch-textbook. The toolkit reads full lists "
    "only.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR", "PR11", "NDCG", "NCG", "DCG", "CG"),
    ap_divisor="largest class",
)

SHREC2017 = Profile(
    key="shrec2017",
    title="SHREC 2017, ShapeNet Core55",
    source=SHREC_2017,
    description="Every model is a query, and is relevant to itself and included in its own list. Lists are cut off at "
    "1000 lines; ids that repeat, then ids that are not in the collection (another split) are removed. Precision, "
    "recall, F-measure of the whole list and average precision count models of the same synset as relevant; NDCG "
    "has the gains 3 (same subsynset), 2 (labelled with the synset only) and 1 (sibling subsynset). Missing queries "
    "are excluded; means are over queries (micro) and over synsets (macro). Read from the evaluator of 2017, whose "
    "file of metrics is not public. Two conventions can therefore not be verified: recall (as in the file of 2016) and "
    "the ideal ranking count at most 1000 models of a synset, and average precision divides by all of them (the "
    "alternative is ap_divisor = reachable). Both matter only for synsets of more than 1000 models.",
    measures=("P", "R", "F1", "AP", "NDCG"),
    headline="AP",
    curves=("P", "R", "PR", "PR11", "PR20", "NDCG", "NCG", "DCG", "CG"),
    self_match="keep",
    list_cut=1000,
    cut_counts="lines",
    missing_query="skip",
    relevant="reachable",
    past_end="zero",
    average="both",
    classes="top",
)

SHREC2016 = Profile(
    key="shrec2016shapenet",
    title="SHREC 2016, ShapeNet Core55, as published",
    source=SHREC_2016,
    description="As shrec2017, but average precision divides by the relevant models retrieved and the ideal ranking "
    "of NDCG consists of them, as in the evaluator until it was corrected on 2017-02-23. Published numbers of 2016 "
    "therefore are not comparable with later ones; those of shrec2016shapenet-textbook are.",
    measures=("P", "R", "F1", "AP", "NDCG"),
    headline="AP",
    curves=("P", "R", "PR", "PR11", "PR20", "NDCG", "NCG", "DCG", "CG"),
    self_match="keep",
    list_cut=1000,
    cut_counts="lines",
    missing_query="skip",
    ap_divisor="retrieved",
    relevant="reachable",
    ideal="retrieved",
    past_end="zero",
    average="both",
    classes="top",
)

SHREC2017RGBD = Profile(
    key="shrec2017rgbd",
    title="SHREC 2017, RGB-D object to CAD, as published",
    source=SHREC_2017_RGBD,
    description="The queries are scanned objects, the collection CAD models. Lists are cut off at 1000 lines, "
    "unknown ids are removed, missing queries are excluded. All relevant models have the same gain, also in NDCG, "
    "which the program computes with a sum that is off by one and an ideal ranking of the models retrieved; "
    "shrec2017rgbd-textbook corrects both. The second tier (NNT2) is a precision. An id that repeats counts once "
    "here; the program counts it every time.",
    measures=("P", "R", "F1", "AP", "NDCG", "FT", "ST"),
    headline="AP",
    curves=("PR", "P", "R", "PR11", "PR20", "NDCG", "NCG", "DCG", "CG"),
    list_cut=1000,
    cut_counts="lines",
    missing_query="skip",
    tiers="rgbd",
    gain="binary",
    discount="rgbd",
    ideal="retrieved",
)

SHREC2021 = Profile(
    key="shrec2021",
    title="SHREC 2021, cultural heritage, as published",
    source=SHREC_2021,
    description="The queries are not in the collection; equal distances rank in the order of the columns. First and "
    "second tier as the organisers' program computes them: one relevant model too many, so that the first tier can "
    "exceed 1, and the second divided by 2C (1 where all have a rank below 2C). shrec2021-textbook gives V(C)/C and "
    "V(2C)/C. Gains are discounted by log2(rank + 1). Precision-recall has 11 points.",
    measures=("NN", "FT", "ST", "AP", "NDCG"),
    headline="AP",
    curves=("PR11", "PR", "PR20", "NDCG", "NCG", "DCG", "CG"),
    tiers="shrec2021",
    gain="exponential",
    discount="log2(i+1)",
    average="both",
)

SHREC2022 = Profile(
    key="shrec2022",
    title="SHREC 2022, open-set 3D object retrieval, as published",
    source=SHREC_2022,
    description="The queries are not in the collection, and lists are full. The ideal list of NDCG@100 is relevant at "
    "all of the 100 ranks, so that queries with fewer relevant models cannot reach 1 (0.217 with ten): the ceiling "
    "says how far. ANMRR looks at the first C ranks only. shrec2022-textbook corrects both. The program sorts equal "
    "distances in no defined order: the range of ties says how much that matters.",
    measures=("NN", "AP", "NDCG@100", "ANMRR"),
    headline="AP",
    curves=("PR", "PR20", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG"),
    gain="binary",
    discount="log2(i+1)",
    ideal="targets",
    anmrr="shrec2022",
)

SHREC2023 = Profile(
    key="shrec2023",
    title="SHREC 2023, animal retrieval (ANIMAR), as published",
    source=ANIMAR,
    description="The queries are sketches or texts, the collection models. NDCG divides by the gain of the retrieved "
    "relevant models in the best order; lists of the contest are full, and there it is the usual NDCG, which "
    "shrec2023-textbook computes for truncated ones, too. The contest scores the queries that a file lists: public = "
    '{ file = "…" } below [slices] in benchmark.toml makes them a slice.',
    measures=("NN", "P@10", "NDCG", "AP"),
    headline="AP",
    curves=("PR", "PR20", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG"),
    gain="binary",
    discount="log2(i+1)",
    ideal="retrieved",
)

SHREC2021PROTEIN = Profile(
    key="shrec2021protein",
    title="SHREC 2021, protein surfaces, as published",
    source=SHREC_2021_PROTEIN,
    description="Every model is a query and is excluded from its own list, as in psbTable; equal distances rank in "
    "the order of the classification. The column mAP of the report is AUC(PR20). Average dynamic recall has three "
    "levels and counts the query itself at level 3; it has a bug, and shrec2021protein-textbook corrects both. The "
    "graphs of NDCG in the report also have the query in its list: shrec2021protein+self_match=keep.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AUC(PR20)", "ADR"),
    headline="NN",
    curves=("PR20", "PR20(self)", "PR", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "ADR"),
    ties="index",
    adr="protein2021",
)

OXFORD_BUILDINGS = Profile(
    key="oxford",
    title="Oxford and Paris Buildings",
    source=f"{OXFORD}; {REVISITED}",
    description="Junk models, level -1, are removed from lists before ranks are counted. Good and ok models are "
    "relevant. In the revisited truth level 2 is an easy and 1 a hard model: oxford+difficulty=easy removes the hard "
    "ones, oxford+difficulty=hard the easy ones. Average precision is the area by trapezoids. Precision at rank k "
    "divides by the rank of the last relevant model where that is before k; oxford-textbook divides by k. Queries "
    "without relevant models are excluded.",
    measures=("AP(trapezoid)", "P@1", "P@5", "P@10"),
    headline="AP(trapezoid)",
    curves=("PR", "PR20", "PR11", "P", "R"),
    self_match="keep",
    junk="removed",
    precision_divisor="last relevant",
)
