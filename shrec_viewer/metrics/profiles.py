"""The conventions of each contest, one row a profile."""

from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.sources import PSB_TABLE, SHREC_2006, SHREC_2012, SHREC_2019, TREC_EVAL

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
