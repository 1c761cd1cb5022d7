"""Time of generality, significance and intervals: best of five, and ratio to random subsets.

Run it by hand: ``python tests/bench/bench_generality.py``. It needs no data.
"""

import sys
import time
import tracemalloc
from collections.abc import Callable

import numpy as np

from shrec_viewer.metrics import HitTable, find_profile
from shrec_viewer.metrics.generality.expected_measures import expected_by_generality
from shrec_viewer.metrics.generality.practical import estimate
from shrec_viewer.metrics.generality.surface import generality_surface
from shrec_viewer.metrics.statistics.bootstrap import bootstrap_interval
from shrec_viewer.metrics.statistics.significance import randomisation_test, randomised_tukey

ROUNDS = 5
DEFAULT = find_profile("default")


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")


def best_of(action: Callable[[], object]) -> float:
    """Milliseconds of the fastest of several rounds."""
    seconds = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds) * 1e3


def peak(action: Callable[[], object]) -> float:
    """Megabytes that numpy and Python hold at most during the action, beyond what they held before."""
    tracemalloc.start()
    action()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most / 1e6


def lists_of(sizes: np.ndarray, models: int, kept: int, seed: int = 1) -> HitTable:
    """Lists of `models`, cut after `kept`, in which relevant models have lower ranks than by chance."""
    random = np.random.default_rng(seed)
    rows = []
    for size in sizes:
        keys = random.random(models)
        keys[:size] **= 2.5
        ranks = np.flatnonzero(np.argsort(keys) < size) + 1
        rows.append(ranks[ranks <= kept])
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return HitTable(
        indptr=indptr,
        ranks=np.concatenate(rows).astype(np.int32),
        levels=np.ones(int(indptr[-1]), np.uint8),
        list_length=np.full(len(sizes), min(models, kept), np.int64),
        class_sizes=np.asarray(sizes, np.int64)[:, None],
        collection_size=np.full(len(sizes), models, np.int64),
        missing=np.zeros(len(sizes), np.bool_),
    )


def bench_ranges() -> None:
    hits = lists_of(np.full(1200, 19), 1199, 1199)
    levels = np.linspace(0, np.log2(1199 / 19), 20)
    whole = best_of(lambda: expected_by_generality(hits, DEFAULT, doublings=levels))
    print_line(f"1,200 queries x 20 levels, c = 19, d = 1,199: GRiP {whole:.0f} ms (bar 500)")
    print_line(f"   peak {peak(lambda: expected_by_generality(hits, DEFAULT, doublings=levels)):.0f} MB")
    twice = best_of(lambda: expected_by_generality(hits, DEFAULT, relevant_scope=2.0, doublings=levels))
    print_line(f"   GR2P {twice:.0f} ms")
    for measure in ("AP", "NDCG"):
        spent = best_of(lambda measure=measure: expected_by_generality(hits, DEFAULT, measure, doublings=levels))
        print_line(f"   E[{measure}] {spent:.0f} ms")
    print_line(f"   GReP surface {best_of(lambda: generality_surface(hits, doublings=levels)):.0f} ms")
    sampled = best_of(lambda: one_subset(hits, 1199, 300))
    print_line(
        f"   one random subset, one level: {sampled:.0f} ms; 1,000 of each level would take {sampled * 20:.0f} s"
    )

    random = np.random.default_rng(3)
    mixed = lists_of(random.integers(4, 60, 1200), 1814, 200)
    print_line("1,200 queries, classes of 4 to 59, lists cut at 200 of 1,814, both bounds:")
    print_line(
        f"   GRiP, 20 levels {best_of(lambda: expected_by_generality(mixed, DEFAULT, doublings=np.linspace(0, 4.9, 20))):.0f} ms"
    )
    large = lists_of(np.full(200, 50), 50_000, 50_000)
    print_line("200 queries x 50,000 models, c = 50:")
    spent = best_of(lambda: expected_by_generality(large, DEFAULT, doublings=np.linspace(0, 9.9, 20)))
    print_line(f"   GRiP, 20 levels {spent:.0f} ms")


def one_subset(hits: HitTable, models: int, kept: int) -> float:
    """What sampling would have to do once: draw the irrelevant models that stay and count."""
    random = np.random.default_rng(0)
    size = int(hits.class_sizes[0, 0])
    found = 0
    for query in range(len(hits)):
        ranks = hits.ranks[hits.indptr[query] : hits.indptr[query + 1]]
        ahead = ranks - np.arange(1, size + 1)
        stay = np.sort(random.choice(models - size, kept, replace=False))
        found += int(np.sum(np.arange(1, size + 1) + np.searchsorted(stay, ahead) <= size))
    return found / size / len(hits)


def bench_statistics() -> None:
    random = np.random.default_rng(2)
    for queries in (30, 1200):
        a = random.random(queries)
        b = a + random.normal(0.01, 0.1, queries)
        labels = np.repeat(np.arange(queries // 10), 10)
        print_line(f"{queries} queries:")
        print_line(
            f"   randomisation test, 100,000 patterns {best_of(lambda b=b, a=a: randomisation_test(b - a)):.0f} ms"
        )
        print_line(f"   bootstrap, 10,000 resamples {best_of(lambda a=a: bootstrap_interval(a)):.0f} ms")
        spent = best_of(lambda a=a, labels=labels: bootstrap_interval(a, labels))
        print_line(f"   the same by class {spent:.0f} ms")
        values = random.random((15, queries)) + random.random(queries)
        print_line(
            f"   randomised Tukey, 15 runs, 10,000 shuffles {best_of(lambda v=values: randomised_tukey(v)):.0f} ms"
        )
    spent = best_of(lambda: estimate(22, 100, 1814, judged=300, relevant=2))
    print_line(f"practical: one estimate with its exact interval {spent:.1f} ms")


if __name__ == "__main__":
    bench_ranges()
    bench_statistics()
