"""How long evaluation takes beside trec_eval and beside sorting whole rows: ratios within one run, best of five.

Run it by hand: ``python tests/bench/bench_evaluation.py``. It needs the real data beside the project.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytrec_eval

sys.path.insert(0, str(Path(__file__).parents[1] / "evaluation"))

from independent_loaders import load_psb, load_shrec06

from shrec_viewer.domain import Benchmark, DistanceMatrix
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.metrics import find_profile
from shrec_viewer.metrics.matrix_ranking import hits_from_matrix
from shrec_viewer.metrics.truth import Truth

ROUNDS = 5
TREC_MEASURES = {"map", "P.10", "recall.100", "ndcg_cut.100", "Rprec"}


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def best_of(*actions: Callable[[], object]) -> list[float]:
    """Seconds of each action, the best of several rounds in which they take turns."""
    seconds = [float("inf")] * len(actions)
    for _ in range(ROUNDS):
        for place, action in enumerate(actions):
            start = time.perf_counter()
            action()
            seconds[place] = min(seconds[place], time.perf_counter() - start)
    return seconds


def peak(action: Callable[[], object]) -> float:
    """Megabytes that numpy and Python hold at most during the action, beyond what they held before."""
    tracemalloc.start()
    action()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def qrels_of(benchmark: Benchmark) -> dict[str, dict[str, int]]:
    ids = benchmark.collection.ids
    found = {}
    for query, name in enumerate(benchmark.queries.ids):
        items, levels = benchmark.assessment.relevant(query)
        found[name] = {ids[item]: int(level) for item, level in zip(items, levels, strict=True)}
    return found


def trec_runs_of(benchmark: Benchmark) -> list[dict[str, dict[str, float]]]:
    """The lists as trec_eval takes them: minus the rank as score."""
    profile = find_profile(benchmark.profile)
    ids = benchmark.collection.ids
    runs = []
    for run in benchmark.runs:
        lists = {}
        for query, name in enumerate(benchmark.queries.ids):
            items = ranked_list(benchmark, run, query, profile).items
            lists[name] = {ids[item]: -float(rank) for rank, item in enumerate(items)}
        runs.append(lists)
    return runs


def matrix_to_dicts(benchmark: Benchmark) -> dict[str, dict[str, float]]:
    """What has to be done before trec_eval can see a matrix; the query itself left out."""
    ids, values = benchmark.collection.ids, benchmark.runs[0].ranking.values
    return {
        name: {ids[item]: -float(value) for item, value in enumerate(values[query]) if item != query}
        for query, name in enumerate(ids)
    }


def bench_contest() -> None:
    benchmark = load_shrec06()
    profile = find_profile("shrec2006")
    runs = trec_runs_of(benchmark)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels_of(benchmark), TREC_MEASURES)
    ours, theirs = best_of(lambda: evaluate(benchmark, profile), lambda: [evaluator.evaluate(lists) for lists in runs])
    n_measures = len(profile.measures)
    say(f"shrec06, 13 runs: {n_measures} measures {ours * 1e3:.0f} ms; pytrec_eval, 5 measures {theirs * 1e3:.0f} ms")
    say(f"   ratio {theirs / ours:.1f}; peak {peak(lambda: evaluate(benchmark, profile)):.0f} MB")
    scores = evaluate(benchmark, profile)
    (curves,) = best_of(lambda: [scores.curve(key, run, None) for key in profile.curves for run in range(13)])
    say(f"   all {len(profile.curves)} mean curves of 13 runs {curves * 1e3:.0f} ms")


def bench_matrix() -> None:
    benchmark = load_psb()
    profile = find_profile("psb")
    evaluator = pytrec_eval.RelevanceEvaluator(qrels_of(benchmark), TREC_MEASURES)
    ours, theirs = best_of(lambda: evaluate(benchmark, profile), lambda: evaluator.evaluate(matrix_to_dicts(benchmark)))
    say(f"psb_d2, 907 x 907: {len(profile.measures)} measures {ours * 1e3:.0f} ms; pytrec_eval {theirs * 1e3:.0f} ms")
    say(f"   ratio {theirs / ours:.1f}; peak {peak(lambda: evaluate(benchmark, profile)):.0f} MB")


def bench_large_matrix(n_queries: int = 300, n_models: int = 50_000, relevant: int = 50) -> None:
    random = np.random.default_rng(1)
    values = random.random((n_queries, n_models), np.float32)
    items = np.sort(np.argsort(random.random((n_queries, n_models), np.float32), axis=1)[:, :relevant], axis=1)
    truth = Truth(
        group=np.arange(n_queries),
        indptr=np.arange(n_queries + 1, dtype=np.int64) * relevant,
        items=items.ravel().astype(np.int32),
        levels=np.ones(items.size, np.uint8),
        members=np.full(n_queries, -1, np.int32),
        n_models=n_models,
    )
    rows, columns = np.arange(n_queries, dtype=np.int32), np.arange(n_models, dtype=np.int32)
    matrix = DistanceMatrix(values, rows, columns)
    ours, sorting = best_of(
        lambda: hits_from_matrix(truth, matrix.values, rows, columns, find_profile("default")),
        lambda: [np.argsort(row, kind="stable") for row in values],
    )
    say(f"{n_queries} x {n_models}: ranks {ours * 1e3:.0f} ms; a stable sort of the models {sorting * 1e3:.0f} ms")
    say(f"   ratio {sorting / ours:.1f}")


if __name__ == "__main__":
    bench_contest()
    bench_matrix()
    bench_large_matrix()
