"""Planted errors that are among the first 40 suspects: wrong levels in SHREC 2006, swapped labels in SHREC 2021.

Also the time of examining the robustness of 13 runs.

Run it by hand: ``python tests/bench/bench_suspects.py [SEEDS, 10] [FIRST SEED, 0]``.
"""

import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np

TESTS = Path(__file__).parents[1]
sys.path.append(str(TESTS / "diagnosis"))
DATA = TESTS.parent / "../shared/data"


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    from planted_errors import with_swapped_labels, with_wrong_levels

    from shrec_viewer.diagnosis.robustness import examine_robustness
    from shrec_viewer.diagnosis.suspects import find_suspects
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.metrics import find_profile

    number, first = (
        (int(word) for word in (*sys.argv[1:], "10", "0")[:2]) if len(sys.argv) != 2 else (int(sys.argv[1]), 0)
    )
    profile = find_profile("default")
    shrec06, culture = read_benchmark(DATA / "shrec06"), read_benchmark(DATA / "shrec2021_culture")
    found: dict[str, list[int]] = {"levels, with classification": [], "levels, without": [], "labels": []}
    start = time.perf_counter()
    for seed in range(first, first + number):
        planted, pairs = with_wrong_levels(shrec06, seed)
        for name, benchmark in (
            ("levels, with classification", planted),
            ("levels, without", replace(planted, classification=None)),
        ):
            queue = find_suspects(benchmark, profile, limit=40)
            found[name].append(len({(suspect.query, suspect.model) for suspect in queue.suspects} & pairs))
        planted, models = with_swapped_labels(culture, seed)
        queue = find_suspects(planted, profile, by="model", limit=40)
        found["labels"].append(len({suspect.model for suspect in queue.suspects} & models))
    for name, counts in found.items():
        print_line(f"{name}: {np.mean(counts):.1f} of 20 on average, {min(counts)} to {max(counts)}")
    print_line(f"{(time.perf_counter() - start) / (3 * number):.2f} s each")
    start = time.perf_counter()
    robustness = examine_robustness(shrec06, find_profile("shrec2006"))
    seconds = time.perf_counter() - start
    print_line(f"{len(robustness.runs)} runs under {len(robustness.variants)} changes of conventions: {seconds:.2f} s")
    return int(min(np.mean(found["levels, with classification"]), np.mean(found["labels"])) < 18)


if __name__ == "__main__":
    sys.exit(main())
