"""Profiles that follow the program of one contest, mistakes included, so that its published numbers come out again."""

from shrec_viewer.metrics.profile import Profile
from shrec_viewer.metrics.sources import SHREC_2013, SHREC_2016, SHREC_2017, SHREC_2017_RGBD, SHREC_2021

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
