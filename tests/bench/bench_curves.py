"""Time of `evaluate --curves` on a collection of 200,000 models that queries itself, of which 20 queries have lists.

    python tests/bench/bench_curves.py                     in all, and without curves
    python tests/bench/bench_curves.py --models 20000

Prints seconds of wall clock and of the processor, and a digest of the output, which must not change.
"""

import argparse
import hashlib
import subprocess
import sys
import time
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from tempfile import TemporaryDirectory

import numpy as np
from timing import print_line

PER_CLASS, LISTS, SEED = 10, 20, 2006


def write_contest(folder: Path, n_models: int) -> Path:
    """Classes of ten models, and a run with complete lists of a few random queries in random order."""
    random = np.random.default_rng(SEED)
    ids = np.array([f"m{number:06d}" for number in range(n_models)])
    lines = ["PSB 1", f"{n_models // PER_CLASS} {n_models}"]
    for label, members in enumerate(ids.reshape(-1, PER_CLASS)):
        lines += [f"c{label} 0 {PER_CLASS}", *members]
    (folder / "runs" / "A").mkdir(parents=True)
    (folder / "models.cla").write_text("\n".join(lines) + "\n")
    for query in random.choice(n_models, LISTS, replace=False):
        order = random.permutation(n_models)
        order = np.concatenate([[query], order[order != query]])
        (folder / "runs" / "A" / ids[query]).write_text("\n".join(ids[order]) + "\n")
    return folder


def main() -> None:
    """Evaluate with and without curves, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--models", type=int, default=200_000)
    options = parser.parse_args()
    with TemporaryDirectory(prefix="shrec-curves-") as scratch:
        folder = write_contest(Path(scratch) / "contest", options.models)
        for words in (["--curves"], []):
            command = [sys.executable, "-m", "shrec_viewer", "evaluate", str(folder), "--format", "json", *words]
            start, used = time.perf_counter(), getrusage(RUSAGE_CHILDREN)
            output = subprocess.run(command, capture_output=True, check=True).stdout
            now = getrusage(RUSAGE_CHILDREN)
            processor = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
            digest = hashlib.sha256(output.replace(scratch.encode(), b"")).hexdigest()[:16]
            seconds = f"{time.perf_counter() - start:.1f} s, {processor:.1f} s of the processor"
            print_line(f"{' '.join(words) or 'without curves'}: {seconds}, {len(output):,} bytes, {digest}")


if __name__ == "__main__":
    main()
