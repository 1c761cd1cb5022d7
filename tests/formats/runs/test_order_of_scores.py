"""Lists of a TREC run that are sorted one by one are in the order in which all lines are sorted together."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_folders import benchmark_files, write

from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.runs.listed_run import _orders

SCORES = st.sampled_from([0.0, -0.0, 1.0, 2.5, -3.0, np.inf, -np.inf, np.nan])


@given(st.lists(st.tuples(st.integers(-1, 3), SCORES), min_size=1, max_size=40))
def test_order_is_that_of_all_lines_sorted_together(lines):
    queries, scores = (np.array(column) for column in zip(*lines, strict=True))
    if queries.max() < 0:
        return
    by_line, order = _orders(-scores.astype(np.float64), queries.astype(np.int32))
    known = np.flatnonzero(queries >= 0)
    together = known[np.lexsort((known, -scores[known], queries[known]))]
    assert order.tolist() == together.tolist()
    assert by_line.tolist() == known[np.lexsort((known, queries[known]))].tolist()


@pytest.mark.parametrize("header", ["", "query Q0 model rank score tag\n", "qid iter docno rank sim run\n"])
@pytest.mark.parametrize("comma", [".", ","])
def test_a_header_and_decimal_commas_change_no_score(tmp_path, header, comma):
    rows = [("Q1", "N1", "0.5"), ("Q1", "N2", "0.75"), ("Q2", "N3", "1e-3"), ("Q2", "N1", "7")]
    text = "".join(f"{query} Q0 {model} 1 {score.replace('.', comma)} t\n" for query, model, score in rows)
    benchmark = read_benchmark(write(tmp_path, {**benchmark_files(), "A.run": header + text}))
    (run,) = benchmark.runs
    ids = np.array(benchmark.collection.ids)[run.ranking.items].tolist()
    assert (ids, (-run.ranking.distances).tolist()) == (["N2", "N1", "N1", "N3"], [0.75, 0.5, 7.0, 0.001])
    assert not any("is not a number" in found.message for found in benchmark.findings)
    assert not any("unknown" in found.message for found in benchmark.findings)
