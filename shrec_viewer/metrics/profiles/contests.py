"""The profiles of all contests and of their official evaluation programs."""

from shrec_viewer.metrics.measures.sources import (
    PSB_TABLE,
    SHREC_2006,
    SHREC_2012,
    SHREC_2013,
    SHREC_2016,
    SHREC_2017,
    SHREC_2017_RGBD,
    SHREC_2019,
    SHREC_2021,
    TREC_EVAL,
)
from shrec_viewer.metrics.profiles.profile import Profile

CUTOFFS_2006 = (5, 10, 25, 50, 100)
"""Ranks at which the report of 2006 prints the four gains."""

DEFAULT = Profile(
    key="default",
    title="Viewer default",
    source="The source of each measure, read the way most of the field reads it",
    description="What most readers expect: the query itself is left out where it is a member of the collection, "
    "average precision divides by all relevant models, tiers are recalls, gains are discounted by log2(rank), and a "
    "query that a run does not answer counts as an empty list.",
    measures=(
        "NN", "FT", "ST", "E@32", "AP", "NDCG", "ADR", "P@10", "R@100",
        "AP(rel=2)", "FT(rel=2)", "ST(rel=2)", "NDCG@5", "NDCG@10", "NDCG@25", "NDCG@50", "NDCG@100",
    ),
    headline="AP",
    curves=(
        "PR", "PR20", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "ADR", "CG(recall)", "DCG(recall)", "GRiP", "GR2P",
    ),
    average="both",
)  # fmt: skip
"""Used wherever a benchmark asks for nothing else."""

SHREC2006 = Profile(
    key="shrec2006",
    title="SHREC 2006",
    source=SHREC_2006,
    description="External queries and a ternary truth: highly relevant (2), marginally relevant (1), not relevant. "
    "First and second tier divide by the places looked at, average precision by the relevant models retrieved, and the "
    "average dynamic recall stops at the end of a short list, so lists that stop early are flattered. Lists count in "
    "the order submitted.",
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
    description="Every model is a query and is left out of its own list. Equal distances rank in the order of the "
    "classification, which is that of the matrix. Classes of one or two models and the class of the unclassified, -1, "
    "are left out of all means. Both means are printed: over models (micro) and over classes (macro). The column DCG "
    "of psbTable is NDCG here. The released psbPlot counts the query itself: that is the curve PR20(self); PR20 leaves "
    "it out, as its documentation says.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR20(self)", "PR", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "GRiP", "GR2P"),
    ties="index",
    min_class_size=3,
    left_out_classes=("-1",),
    average="both",
)

SHREC2012 = Profile(
    key="shrec2012",
    title="SHREC 2012, generic 3D shape retrieval",
    source=f"{SHREC_2012}; where it is silent, psbTable",
    description="Every model is a query and is left out of its own list; K = |C| - 1 and 2(|C| - 1) for the tiers. All "
    "classes have 20 models, so means over queries and over classes are equal. The published text gives E = 1 - F; the "
    "programs compute the F-measure of the first 32, and so does this. Equal distances rank in the order of the "
    "classification, into which the organisers' program brings every matrix first.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR20(self)", "PR", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "GRiP", "GR2P"),
    ties="index",
)

SHREC2019 = Profile(
    key="shrec2019",
    title="SHREC 2019, sketch-based 3D scene retrieval",
    source=SHREC_2019,
    description="Sketches or images ask for scenes, so no query is in the collection: C is the number of scenes of the "
    "query's class, and the tiers look at the first C and 2C places of full lists. The toolkit's average precision "
    "divides by the largest class, which matters where classes differ in size: shrec2013sketch does so, this does not.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR", "PR11", "P", "R", "NDCG", "NCG", "DCG", "CG", "GRiP", "GR2P"),
)

TREC = Profile(
    key="trec",
    title="Text retrieval (trec_eval)",
    source=TREC_EVAL,
    description="What trec_eval prints: scores are compared in single precision, ties rank by id, descending; the "
    "query is a model like any other; gains are discounted by log2(rank + 1); a query with nothing to find counts 0, a "
    "query that a run does not answer is skipped.",
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
    description="Sketches ask for models, so no query is in the collection. As shrec2019, but average precision as the "
    "toolkit computes it: divided by the size of the largest class, so that queries of smaller classes score too low. "
    "The textbook value stands under shrec2013sketch-textbook. The toolkit reads full lists only.",
    measures=("NN", "FT", "ST", "E@32", "NDCG", "AP"),
    headline="FT",
    curves=("PR20", "PR", "PR11", "NDCG", "NCG", "DCG", "CG"),
    ap_divisor="largest class",
)

SHREC2017 = Profile(
    key="shrec2017",
    title="SHREC 2017, ShapeNet Core55",
    source=SHREC_2017,
    description="Every model is a query and stays in its own list and truth. Lists are cut at 1000 lines; ids that "
    "repeat, then ids from outside (another split) go. Precision, recall, F-measure of the whole list and average "
    "precision take a model of the same synset as relevant; NDCG has the gains 3 same subsynset, 2 labelled with the "
    "synset only, 1 sibling. A query without a list is not averaged; means are over queries (micro) and over synsets "
    "(macro). Read in the evaluator of 2017, whose file of metrics is not public. Not verifiable, therefore: that "
    "recall, as in the file of 2016, and the ideal list count at most 1000 models of a synset, and that average "
    "precision divides by all of them (ap_divisor reachable would be the other reading); both matter only for synsets "
    "of more than 1000 models.",
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
    description="As shrec2017, but average precision divides by the relevant models retrieved and the ideal list of "
    "NDCG is made of them, as the evaluator did until it was mended on 2017-02-23. Published numbers of 2016 therefore "
    "do not compare with later ones; shrec2016shapenet-textbook gives those that do.",
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
    description="Scanned objects ask for CAD models of their category. Lists are cut at 1000 lines, unknown ids go, a "
    "query without a list is not averaged. All relevant models count alike, in NDCG too, which the program computes "
    "with a sum that is off by one and an ideal made of what was retrieved; shrec2017rgbd-textbook mends both. The "
    "second tier (NNT2) is a precision. An id that repeats counts once here; the program counts it every time.",
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
    description="Queries stand outside the collection; equal distances rank in the order of the columns. First and "
    "second tier as the organisers' program computes them: one relevant model too many, so that the first tier can "
    "exceed 1, and the second divided by 2C (1 where all stand before rank 2C). shrec2021-textbook gives V(C)/C and "
    "V(2C)/C. Gains are discounted by log2(rank + 1). Precision-recall has 11 points.",
    measures=("NN", "FT", "ST", "AP", "NDCG"),
    headline="AP",
    curves=("PR11", "PR", "PR20", "NDCG", "NCG", "DCG", "CG"),
    tiers="shrec2021",
    gain="exponential",
    discount="log2(i+1)",
    average="both",
)
