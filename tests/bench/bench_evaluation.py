"""Time and memory of evaluation compared with pytrec_eval, ir_measures and ranx, on contests of realistic size.

Run it by hand: ``python tests/bench/bench_evaluation.py a b c d``. Peers that the interpreter given by ``--peers`` does
not have are named and left out; it may be one of a virtual environment of its own, outside the tree.
"""

import argparse
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from shrec_viewer.cli.cpu_features import avoid_slow_sort

avoid_slow_sort()  # as the command line does, before numpy is imported

# ruff: noqa: E402
# isort: split
import numpy as np
import pytrec_eval
from timing import MEGABYTE, Cost, best_of, best_processes, print_line
from workloads import Workload, contest, core55, large_matrix, self_retrieval

from shrec_viewer.domain import Benchmark
from shrec_viewer.evaluation.evaluate import evaluate
from shrec_viewer.evaluation.ranked_list import ranked_list
from shrec_viewer.evaluation.scores import Scores
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.metrics import Profile, find_profile

PEERS = ("pytrec_eval", "ir_measures", "ranx")
TREC_MEASURES = {"map", "P.10", "recall.100", "ndcg", "Rprec"}
THREADS = {1: "", 2: " (at most 7)", 4: " (at most 4)"}
"""Numbers of threads for the largest matrix, and the bars of their times as multiples of reading the file."""

SAMPLE = 120
"""Queries of the largest matrix that a peer gets; its time is scaled, because its dicts of all would not fit."""


def installed(python: str) -> tuple[str, ...]:
    """The peers that an interpreter can import."""
    found = []
    for name in PEERS:
        known = subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0
        found += [name] if known else []
        print_line(f"peer {name}: {'there' if known else 'not installed, left out'}")
    return tuple(found)


def whole_processes(work: Workload, python: str, peers: tuple[str, ...], rounds: int, *, cold: bool) -> None:
    """From files to printed means, everything included; `cold`: with an empty cache of parsed files."""
    commands = {"ours": [sys.executable, "-m", "shrec_viewer", "evaluate", str(work.folder), "--profile", work.profile]}
    commands["ours"] += ["--format", "json"]
    if work.qrels is not None:
        script = str(Path(__file__).parent / "peer.py")
        for name in peers:
            commands[name] = [python, script, name, str(work.qrels), *map(str, work.trec_runs)]
    with TemporaryDirectory(prefix="shrec-bench-cache-") as cache:
        costs = best_processes(commands, rounds, Path(cache) if cold else None)
    state = "empty cache" if cold else "parsed files in the cache after the first round"
    print_line(f"({work.key}) {work.title}; whole process from files, {state}, best of {rounds}")
    matrices = sum(path.stat().st_size for path in work.matrices) / MEGABYTE
    if matrices:
        print_line(f"    matrices: {matrices:.0f} MB, which ours reads by blocks of rows")
    for name, cost in costs.items():
        ratio = f", {cost.seconds / costs['ours'].seconds:.1f} times ours" if name != "ours" else ""
        seconds = f"{cost.seconds:7.2f} s, {cost.processor_seconds:6.2f} s of processor time"
        print_line(f"    {name:12} {seconds}  {cost.megabytes:6.0f} MB  MAP {_mean_ap(name, cost):.6f}{ratio}")


def _mean_ap(name: str, cost: Cost) -> float:
    document = json.loads(cost.output)
    return document["runs"][0]["mean"]["AP"] if name == "ours" else document["map"]


def in_process(work: Workload, rounds: int) -> None:
    """From objects in memory: ours, and pytrec_eval where its dicts fit."""
    benchmark, profile = read_benchmark(work.folder), find_profile(work.profile)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels_of(benchmark), TREC_MEASURES)
    actions: dict[str, Callable[[], object]] = {"ours": lambda: evaluate(benchmark, profile)}
    if work.matrices:
        run = benchmark.runs[0].name
        actions["ours, 1 run"] = lambda: evaluate(benchmark, profile, runs=[run])
        actions["pytrec_eval, 1 run"] = lambda: evaluator.evaluate(dicts_of_matrix(benchmark, len(benchmark.queries)))
    else:
        lists = [dicts_of_lists(benchmark, run) for run in range(len(benchmark.runs))]
        actions["pytrec_eval, dicts made before"] = lambda: [evaluator.evaluate(run) for run in lists]
    seconds = best_of(actions, rounds)
    n_measures = len(evaluate(benchmark, profile, runs=[]).measures)
    print_line(f"({work.key}) {work.title}; in process, {n_measures} measures to pytrec_eval's {len(TREC_MEASURES)}")
    for name, took in seconds.items():
        print_line(f"    {name:32} {took * 1e3:8.0f} ms")
    if work.matrices:
        print_line(f"    ratio for one run {seconds['pytrec_eval, 1 run'] / seconds['ours, 1 run']:.1f}")


def profile_changes(work: Workload, rounds: int) -> None:
    """From one profile to another and back, with the hits at hand where both rank alike."""
    benchmark = read_benchmark(work.folder)
    pairs = [
        ("psb", "default"),
        ("default", "shrec2006"),
        ("default", "shrec2021"),
        ("psb", "trec"),
        ("psb", "shrec2017"),
    ]
    print_line(f"({work.key}) {work.title}; change of profile, best of {rounds}")
    for before, after in pairs:
        scores = evaluate(benchmark, find_profile(before))
        expected = find_profile(after)
        again = evaluate(benchmark, find_profile(after), previous=scores)
        kept = sum(one.ranks is other.ranks for one, other in zip(again.hits, scores.hits, strict=True))
        change = partial(change_profile, benchmark, expected, scores)
        (took,) = best_of({"change": change}, rounds).values()
        print_line(
            f"    {before:9} to {after:9} {took * 1e3:6.0f} ms   hits of {kept} of {len(again.hits)} runs at hand"
        )


def change_profile(benchmark: Benchmark, expected: Profile, scores: Scores) -> None:
    """What a window does when another profile is chosen."""
    changed = evaluate(benchmark, expected, previous=scores)
    changed.mean(), changed.class_mean()


def one_large_matrix(work: Workload, rounds: int) -> None:
    """(d) with 1, 2 and 4 threads, against reading the file once, and against pytrec_eval on some of its rows."""
    benchmark, profile = read_benchmark(work.folder), find_profile(work.profile)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels_of(benchmark), TREC_MEASURES)
    path = work.matrices[0]
    seconds = best_of(
        {
            "reading the file": lambda: read_once(path),
            **{f"ours, {jobs} threads": partial(evaluate, benchmark, profile, jobs=jobs) for jobs in THREADS},
            "pytrec_eval": lambda: evaluator.evaluate(dicts_of_matrix(benchmark, SAMPLE)),
        },
        rounds,
    )
    theirs = seconds["pytrec_eval"] * len(benchmark.queries) / SAMPLE
    print_line(f"({work.key}) {work.title}; in process, best of {rounds}")
    print_line(f"    reading the file once            {seconds['reading the file'] * 1e3:8.0f} ms")
    for jobs, bar in THREADS.items():
        took = seconds[f"ours, {jobs} threads"]
        ratio = took / seconds["reading the file"]
        print_line(f"    ours, {jobs} threads                  {took * 1e3:8.0f} ms, {ratio:4.1f} times reading{bar}")
    print_line(f"    pytrec_eval, {SAMPLE} queries scaled     {theirs * 1e3:8.0f} ms")
    print_line(f"    pytrec_eval is {theirs / seconds['ours, 1 threads']:.0f} times ours with one thread")


def read_once(path: Path) -> int:
    """Every byte of a file, through one buffer."""
    buffer, total = bytearray(1 << 24), 0
    with path.open("rb", buffering=0) as file:
        while size := file.readinto(buffer):
            total += size
    return total


def qrels_of(benchmark: Benchmark) -> dict[str, dict[str, int]]:
    ids = benchmark.collection.ids
    found = {}
    for query, name in enumerate(benchmark.queries.ids):
        items, levels = benchmark.assessment.relevant(query)
        found[name] = {ids[item]: int(level) for item, level in zip(items, levels, strict=True)}
    return found


def dicts_of_lists(benchmark: Benchmark, run: int) -> dict[str, dict[str, float]]:
    """The lists as trec_eval takes them: minus the rank as score."""
    ids, profile = benchmark.collection.ids, find_profile("trec")
    return {
        name: {ids[item]: -float(rank) for rank, item in enumerate(listed.items) if item >= 0}
        for query, name in enumerate(benchmark.queries.ids)
        for listed in [ranked_list(benchmark, benchmark.runs[run], query, profile)]
    }


def dicts_of_matrix(benchmark: Benchmark, n_queries: int) -> dict[str, dict[str, float]]:
    """What has to be done before trec_eval can see a matrix; the query itself left out."""
    matrix = benchmark.runs[0].ranking
    columns = [benchmark.collection.ids[model] for model in matrix.columns]
    found = {}
    for query in range(n_queries):
        scores = (-np.asarray(matrix.values[matrix.rows[query]], np.float64)).tolist()
        lists = dict(zip(columns, scores, strict=True))
        lists.pop(benchmark.queries.ids[query], None)
        found[benchmark.queries.ids[query]] = lists
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", choices=["a", "b", "c", "d"])
    parser.add_argument("--peers", default=sys.executable, help="interpreter that has the peers")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cold", action="store_true", help="empty the cache of parsed files before each process")
    arguments = parser.parse_args()
    peers = installed(arguments.peers)
    with TemporaryDirectory(prefix="shrec-bench-") as name:
        root = Path(name)
        for case in arguments.cases:
            if case == "b":
                matrices, text = self_retrieval(root, text=False), self_retrieval(root, text=True)
                whole_processes(matrices, arguments.peers, (), arguments.rounds, cold=arguments.cold)
                whole_processes(text, arguments.peers, peers, 1, cold=arguments.cold)
                in_process(matrices, arguments.rounds)
                profile_changes(matrices, arguments.rounds)
                continue
            work = {"a": contest, "c": core55, "d": large_matrix}[case](root)
            rounds = arguments.rounds if case == "a" else 1
            whole_processes(work, arguments.peers, peers, rounds, cold=arguments.cold)
            if case == "d":
                one_large_matrix(work, arguments.rounds)
            else:
                in_process(work, arguments.rounds if case == "a" else 1)


if __name__ == "__main__":
    main()
