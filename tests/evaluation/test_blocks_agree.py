"""A run in blocks has the hits, scores, curves, lists and exports of the same matrix in memory, whatever the blocks."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from independent_loaders import collection_of, pairs_of, queries_of

from shrec_viewer.domain import Benchmark, DistanceMatrix, Run
from shrec_viewer.evaluation import evaluate as evaluation
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ListHeads, ranked_list
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.matrices import matrix
from shrec_viewer.formats.matrices.matrix_blocks import BlockMatrix
from shrec_viewer.formats.runs.writers import write_npy, write_trec
from shrec_viewer.metrics import PROFILES, curve_table
from shrec_viewer.metrics.ranking import matrix_ranking

N_QUERIES, N_MODELS = 4, 9
VALUES = st.sampled_from([0.0, 0.5, 0.5, 1.0, 1.5, 2.0, np.nan, np.inf])


@st.composite
def benchmarks(draw) -> Benchmark:
    """One matrix as run `whole` in memory and as run `blocks`."""
    cells = st.lists(VALUES, min_size=N_QUERIES * N_MODELS, max_size=N_QUERIES * N_MODELS)
    values = np.array(draw(cells), np.float32).reshape(N_QUERIES, N_MODELS)
    axis = draw(st.integers(0, 1))
    cuts = sorted(draw(st.sets(st.integers(1, values.shape[axis] - 1))))
    rows, columns = np.arange(N_QUERIES, dtype=np.int32), draw(st.permutations(range(N_MODELS)))
    blocks = BlockMatrix(tuple(np.split(values, cuts, axis)), axis)
    is_similarity = draw(st.booleans())
    runs = tuple(
        Run(name, name, Path(name), DistanceMatrix(matrix, rows, np.array(columns, np.int32), is_similarity))
        for name, matrix in (("whole", values), ("blocks", blocks))
    )
    level = st.dictionaries(st.integers(0, N_MODELS - 1), st.integers(1, 2), max_size=4)
    return Benchmark(
        name="blocks",
        root=Path("blocks"),
        collection=collection_of([f"m{index}" for index in range(N_MODELS)]),
        queries=queries_of(
            [f"q{index}" for index in range(N_QUERIES)], np.full(N_QUERIES, -1), np.array([0, 1, -1, 8])
        ),
        assessment=pairs_of([draw(level) for _ in range(N_QUERIES)]),
        runs=runs,
    )


@given(
    benchmarks(),
    st.sampled_from(PROFILES),
    st.integers(1, 40),
    st.integers(1, 3),
    st.integers(0, 10),
    st.integers(0, N_QUERIES - 1),
)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_everything_shown_is_the_same(tmp_path, benchmark, profile, block_values, jobs, count, chosen):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(matrix_ranking.hits_from_matrix.__kwdefaults__, "block_values", block_values)
        patch.setattr(evaluation, "MIN_THREADED", 0)
        scores = evaluate(benchmark, profile, jobs=jobs)
    whole, blocks = scores.hits
    for name in ("indptr", "ranks", "levels", "list_length", "class_sizes", "collection_size"):
        np.testing.assert_array_equal(getattr(blocks, name), getattr(whole, name))
    np.testing.assert_array_equal(scores.values[1], scores.values[0])
    for curve in curve_table():
        for query in (None, chosen):
            one, other = (scores.curve(curve.key, run, query, 5) for run in range(2))
            np.testing.assert_array_equal(other.y, one.y)
    heads = ListHeads(benchmark, benchmark.runs[1], profile)
    for query in range(N_QUERIES):
        head, full = heads.head(query, count), ranked_list(benchmark, benchmark.runs[0], query, profile)
        for name in ("items", "distances", "levels"):
            np.testing.assert_array_equal(getattr(head, name), getattr(full, name)[:count])
    for write in (write_trec, write_npy):
        texts = []
        for run in benchmark.runs:
            write(replace(run, name="run"), benchmark, tmp_path / "export", FindingsLog(tmp_path))
            texts.append((tmp_path / "export").read_bytes())
        assert texts[0] == texts[1]


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("n_blocks", [2, 3, 8])
@pytest.mark.parametrize("in_memory", [False, True])
def test_a_folder_of_blocks_has_the_scores_of_one_file(tmp_path, monkeypatch, axis, n_blocks, in_memory):
    values = np.random.default_rng(3).random((12, 40), np.float32)
    for name, ids in (("classification", [f"m{n}" for n in range(40)]), ("queries", [f"q{n}" for n in range(12)])):
        classes = [ids[start::4] for start in range(4)] if name == "queries" else np.split(np.array(ids), 4)
        text = "".join(
            f"\nc{label} 0 {len(ids)}\n" + "".join(f"{name}\n" for name in ids) for label, ids in enumerate(classes)
        )
        (tmp_path / f"{name}.cla").write_text(f"PSB 1\n4 {len(ids)}\n{text}")
    (tmp_path / "runs" / "blocks").mkdir(parents=True)
    np.save(tmp_path / "runs" / "whole.npy", values)
    for number, block in enumerate(np.array_split(values, n_blocks, axis)):
        np.save(tmp_path / "runs" / "blocks" / f"{number:02d}.npy", block)
    if not in_memory:
        monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", values.nbytes - 1)
    benchmark = read_benchmark(tmp_path)
    assert [run.name for run in benchmark.runs] == ["blocks", "whole"]
    assert isinstance(benchmark.runs[0].ranking.values, np.ndarray if in_memory else BlockMatrix)
    scores = evaluate(benchmark, PROFILES[0])
    np.testing.assert_array_equal(scores.values[0], scores.values[1])
