"""Agreement with trec_eval (pytrec_eval): random runs with ties, and the runs of 2006."""

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval
from independent_loaders import collection_of, data_folder, lists_of, load_shrec06, pairs_of, queries_of

from shrec_viewer.domain import Benchmark, DistanceMatrix, Run
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.metrics import find_profile

N_MODELS, N_QUERIES = 90, 40
PAIRS = {
    "AP": "map",
    "AP@20": "map_cut_20",
    "P@5": "P_5",
    "P@100": "P_100",
    "R@10": "recall_10",
    "R@100": "recall_100",
    "Rprec": "Rprec",
    "RR": "recip_rank",
    "NN": "success_1",
    "P": "set_P",
    "R": "set_recall",
    "F1": "set_F",
    "NDCG": "ndcg",
    "NDCG@10": "ndcg_cut_10",
    "Bpref": "bpref",
    "Success@5": "success_5",
}
SUPPORTED = ["map", "map_cut.20", "P.5,100,32", "recall.10,100,32", "Rprec", "Rprec_mult.2.00", "recip_rank"]
SUPPORTED += [
    "success.1,5",
    "bpref",
    "gm_map",
    "set_P",
    "set_recall",
    "set_F",
    "ndcg",
    "ndcg_cut.10",
    "iprec_at_recall",
]


def made_up(scores: np.ndarray, random: np.random.Generator) -> tuple[Benchmark, np.ndarray]:
    """A benchmark whose runs, as list and as matrix, have these scores (Q, N); NaN is not in the list."""
    ids = tuple(random.permutation([f"m{i}" for i in range(N_MODELS // 2)] + [str(i) for i in range(N_MODELS // 2)]))
    queries = tuple(f"q{i}" for i in range(N_QUERIES))
    levels = random.integers(0, 4, scores.shape) * (random.random(scores.shape) < 0.2)
    levels[3] = 0
    rows, distances = [], []
    for row in scores:
        there = random.permutation(np.flatnonzero(~np.isnan(row)))
        rows.append(there.tolist())
        distances.append((-row[there]).tolist())
    lists = lists_of(rows, distances, by_score=True)
    everything = np.arange(N_QUERIES, dtype=np.int32)
    matrix = DistanceMatrix(scores, everything, np.arange(N_MODELS, dtype=np.int32), similarity=True)
    runs = [Run("lists", "made up", Path("lists"), lists)]
    if not np.isnan(scores).any():
        runs.append(Run("matrix", "made up", Path("matrix"), matrix))
    benchmark = Benchmark(
        name="made up",
        root=Path(),
        collection=collection_of(ids),
        queries=queries_of(queries, np.full(N_QUERIES, -1), np.full(N_QUERIES, -1)),
        assessment=pairs_of([{int(i): int(row[i]) for i in np.flatnonzero(row)} for row in levels]),
        runs=tuple(runs),
    )
    return benchmark, levels


def by_trec_eval(benchmark: Benchmark, levels: np.ndarray, scores: np.ndarray, level: int) -> dict:
    ids, queries = benchmark.collection.ids, benchmark.queries.ids
    qrels = {
        q: {ids[i]: int(row[i]) for i in range(N_MODELS)} for q, row in zip(queries, levels, strict=True)
    }  # judged not relevant, so that a query with nothing to find is evaluated, too
    run = {
        q: {ids[i]: float(row[i]) for i in range(N_MODELS) if not np.isnan(row[i])}
        for q, row in zip(queries, scores, strict=True)
    }
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, SUPPORTED, relevance_level=level)
    return evaluator.evaluate(run)


def random_scores(kind: str, random: np.random.Generator) -> np.ndarray:
    shape = (N_QUERIES, N_MODELS)
    if kind == "few values":
        return random.integers(0, 6, shape).astype(float)
    if kind == "nearly equal":  # differ in double, not in single precision
        return 1.0 + random.integers(0, 1000, shape) * 1e-9
    values = random.random(shape)
    if kind == "short lists":
        values[random.random(shape) < 0.7] = np.nan
        values[:, 0] = 0.5
    return values


@pytest.mark.parametrize("kind", ["all different", "few values", "nearly equal", "short lists"])
@pytest.mark.parametrize("level", [1, 2, 3])
def test_random_runs(kind, level):
    random = np.random.default_rng(level)
    scores = random_scores(kind, random)
    benchmark, levels = made_up(scores, random)
    expected = by_trec_eval(benchmark, levels, scores, level)
    graded = ("NDCG", "NDCG@10")
    keys = {key if key in graded else with_level(key, level): name for key, name in PAIRS.items()}
    ours = evaluate(benchmark, find_profile("trec"), measures=list(keys))
    for run in range(len(ours.runs)):
        for key, name in keys.items():
            values = np.nan_to_num(ours.values[run, :, ours.column(key)])
            theirs = [expected[query][name] for query in benchmark.queries.ids]
            np.testing.assert_allclose(values, theirs, rtol=0, atol=1e-12, err_msg=f"{key} {ours.runs[run]}")
            assert ours.mean()[run, ours.column(key)] == pytest.approx(np.mean(theirs), abs=1e-12)
    logarithms = [expected[query]["gm_map"] for query in benchmark.queries.ids]
    geometric = evaluate(benchmark, find_profile("trec"), measures=[with_level("GMAP", level)])
    assert geometric.mean()[:, 0] == pytest.approx(np.exp(np.mean(logarithms)), abs=1e-12)


@pytest.mark.parametrize("kind", ["all different", "short lists"])
@pytest.mark.parametrize("level", [1, 2])
def test_models_judged_in_part(kind, level):
    """Every second model is judged, some at a negative level; the qrels of a third query list relevant models only."""
    random = np.random.default_rng(level)
    scores = random_scores(kind, random)
    benchmark, levels = made_up(scores, random)
    ids = benchmark.collection.ids
    is_zero, is_junk = ((levels == 0) & (random.random(levels.shape) < share) for share in (0.4, 0.05))
    is_zero[2], is_junk[2] = False, False
    rows = [np.flatnonzero(zero | junk) for zero, junk in zip(is_zero, is_junk, strict=True)]
    junk = [np.flatnonzero(row) for row in is_junk]
    assessment = replace(
        benchmark.assessment,
        zero_indptr=np.concatenate([[0], np.cumsum([len(row) for row in rows])]),
        zero_items=np.concatenate(rows).astype(np.int32),
        junk_indptr=np.concatenate([[0], np.cumsum([len(row) for row in junk])]),
        junk_items=np.concatenate(junk).astype(np.int32),
    )
    benchmark = replace(benchmark, assessment=assessment)
    judged = np.where(is_junk, -1, levels)
    known = (levels > 0) | is_zero | is_junk
    qrels = {
        query: {ids[i]: int(judged[row, i]) for i in np.flatnonzero(known[row])}
        for row, query in enumerate(benchmark.queries.ids)
    }
    run = {
        query: {ids[i]: float(values[i]) for i in np.flatnonzero(~np.isnan(values))}
        for query, values in zip(benchmark.queries.ids, scores, strict=True)
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrels, {"bpref", "recall"}, relevance_level=level).evaluate(run)
    key = with_level("Bpref", level)
    found = evaluate(benchmark, find_profile("trec"), measures=["AP"])
    # Hits without judged models are not reused.
    found = evaluate(benchmark, find_profile("trec"), measures=[key, with_level("R", level)], previous=found)
    for run_index in range(len(found.runs)):
        values = np.nan_to_num(found.values[run_index])
        expected = [theirs[query]["bpref"] for query in benchmark.queries.ids]
        np.testing.assert_allclose(values[:, 0], expected, rtol=0, atol=1e-12)
        if level == 1:
            assert values[2, 0] == values[2, 1]  # relevant models only: recall


def with_level(key: str, level: int) -> str:
    name, _, cutoff = key.partition("@")
    return name + (f"(rel={level})" if level > 1 else "") + (f"@{cutoff}" if cutoff else "")


@pytest.mark.parametrize("kind", ["all different", "few values", "short lists"])
def test_eleven_points_and_equivalent_measures(kind):
    random = np.random.default_rng(5)
    scores = random_scores(kind, random)
    benchmark, levels = made_up(scores, random)
    expected = by_trec_eval(benchmark, levels, scores, 1)
    ours = evaluate(benchmark, find_profile("trec"), measures=["FT", "ST", "E@32"])
    for query, name in enumerate(benchmark.queries.ids):
        curve = ours.curve("PR11", 0, query)
        theirs = [expected[name][f"iprec_at_recall_{recall:.2f}"] for recall in curve.x]
        np.testing.assert_allclose(np.nan_to_num(curve.y), theirs, rtol=0, atol=1e-12)
        precision, recall = expected[name]["P_32"], expected[name]["recall_32"]
        e_measure = 2 * precision * recall / (precision + recall) if precision else 0.0
        found = np.nan_to_num(ours.values[0, query])
        np.testing.assert_allclose(
            found, [expected[name]["Rprec"], 2 * expected[name]["Rprec_mult_2.00"], e_measure], rtol=0, atol=1e-12
        )


def test_the_runs_of_2006():
    """The reference ranks by minus the rank, so the lists as they are; a missing query counts 0 in `mean`."""
    benchmark = load_shrec06()
    profile = replace(find_profile("default"), discount="log2(i+1)")
    columns = {
        "map_rel1": "AP",
        "map_rel2": "AP(rel=2)",
        "P_10_rel1": "P@10",
        "P_10_rel2": "P(rel=2)@10",
        "recall_100_rel1": "R@100",
        "recall_100_rel2": "R(rel=2)@100",
        "ndcg_cut_100": "NDCG@100",
    }
    ours = evaluate(benchmark, profile, measures=list(columns.values()))
    present = evaluate(benchmark, replace(profile, missing_query="skip"), measures=list(columns.values()))
    compared = 0
    with (data_folder("shrec06") / "reference_scores.csv").open() as file:
        for row in csv.DictReader(file):
            run = ours.run_index(row["run"])
            if row["query"] in ours.queries:
                values = ours.values[run, ours.queries.index(row["query"])]
            else:
                values = {"mean": ours, "mean_present": present}[row["query"]].mean()[run]
            expected = [float(row[name]) for name in columns]
            np.testing.assert_allclose(values, expected, rtol=0, atol=1e-10)
            compared += 1
    assert compared == 13 * 32 - 2  # K2 answers neither Q07 nor Q23
