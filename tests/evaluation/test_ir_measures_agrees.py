"""Agreement with ir_measures, which calls gdeval, cwl_eval and its own programs: measures that trec_eval lacks."""

import numpy as np
import pytest
from test_pytrec_agrees import made_up, random_scores

from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import find_profile

ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is an oracle here, not a dependency")

#: Ours, theirs, and the largest difference: gdeval, of the provider of ERR, prints five digits; cwl_eval six.
PAIRS = [
    ("ERR(max=4)@10", "ERR@10", 6e-6),
    ("ERR(max=4)@20", "ERR@20", 6e-6),
    ("RBP(p=0.8)", "RBP(p=0.8,rel=1)", 1e-6),
    ("RBP(p=0.5,rel=2)", "RBP(p=0.5,rel=2)", 1e-6),
    ("Bpref", "Bpref", 1e-12),
    ("Bpref(rel=2)", "Bpref(rel=2)", 1e-12),
    ("Success@1", "Success@1", 1e-12),
    ("Success(rel=2)@10", "Success(rel=2)@10", 1e-12),
    ("Judged@10", "Judged@10", 1e-12),
    ("AP@20", "AP@20", 1e-12),
    ("NDCG@10", "nDCG@10", 1e-12),
]


@pytest.mark.parametrize("kind", ["all different", "short lists"])
@pytest.mark.parametrize(("ours", "theirs", "exact"), PAIRS)
def test_each_query(ours, theirs, exact, kind):
    random = np.random.default_rng(7)
    scores = random_scores(kind, random)
    benchmark, levels = made_up(scores, random)
    ids = benchmark.collection.ids
    qrels = {str(q): {ids[i]: int(row[i]) for i in range(len(ids))} for q, row in enumerate(levels)}
    run = {
        str(q): {ids[i]: float(row[i]) for i in range(len(ids)) if not np.isnan(row[i])} for q, row in enumerate(scores)
    }
    measure = ir_measures.parse_measure(theirs)
    if not ir_measures.DefaultPipeline.supports(measure):
        pytest.skip(f"the package that ir_measures computes {theirs} with is not installed")
    found = {int(one.query_id): one.value for one in ir_measures.iter_calc([measure], qrels, run)}
    evaluated = evaluate(benchmark, find_profile("trec"), measures=[ours])
    values = np.nan_to_num(evaluated.values[0, :, 0])
    assert len(found) == len(values)
    np.testing.assert_allclose(values, [found[query] for query in range(len(values))], rtol=0, atol=exact)
