"""Time and memory of scoring feature vectors, compared with their matrix product and the scores of their distances.

Run it by hand: ``python tests/bench/bench_vectors.py [queries, 2000] [models, 50000] [dimensions, 512]``. The limits
are 1.5 times the processor time of the product plus that of the same run from its ``.npy`` file; 1 GB; equal scores.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

MAX_RATIO, MAX_MEGABYTES = 1.5, 1024
CLASS_SIZE = 50

PRODUCT = """
import sys, numpy
queries, models = (numpy.load(path) for path in sys.argv[1:])
queries @ models.T
"""
LOADING = PRODUCT.replace("queries @ models.T", "")


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def measure(arguments: list[str]) -> tuple[float, float, str]:
    """Processor seconds, peak of memory in MB, and the output of a Python process."""
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, *arguments], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": root}
    )
    assert process.stdout is not None
    answer = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"failed: {arguments}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, answer


def write_contest(folder: Path, n_queries: int, n_models: int, width: int) -> None:
    """Classes, queries, and a run as vectors and as distances."""
    random = np.random.default_rng(0)
    n_classes = n_models // CLASS_SIZE
    centres = random.random((n_classes, width), np.float32)
    for name, count in (("query", n_queries), ("target", n_models)):
        kinds = np.arange(count) % n_classes
        letter = name[0]
        lines = [f"PSB 1\n{n_classes} {count}\n"]
        for kind in range(n_classes):
            members = np.flatnonzero(kinds == kind).tolist()
            lines.append(f"\nc{kind} 0 {len(members)}\n" + "".join(f"{letter}{member:05d}\n" for member in members))
        (folder / f"{name}.cla").write_text("".join(lines))
        (folder / "vectors").mkdir(exist_ok=True)
        np.save(folder / "vectors" / f"{name}.npy", centres[kinds] + random.random((count, width), np.float32))


def main() -> None:
    """Print times, memory and whether the scores are equal; exit with 1 beyond the limits."""
    n_queries, n_models, width = (int(word) for word in (*sys.argv[1:], *("2000", "50000", "512")[len(sys.argv) - 1 :]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_contest(folder, n_queries, n_models, width)
        score = ["-m", "shrec_viewer", "evaluate", name, "--classification", str(folder / "target.cla")]
        score += ["--queries", str(folder / "query.cla"), "--order", "names", "--measure", "all", "--format", "csv"]
        written = folder / "vectors.npy"
        paths = [str(folder / "vectors" / f"{side}.npy") for side in ("query", "target")]
        product = measure(["-c", PRODUCT, *paths])[0] - measure(["-c", LOADING, *paths])[0]
        print_line(f"product of the vectors   {product:6.1f} s")
        vectors, memory, answer = measure([*score, "--runs", str(folder / "vectors")])
        print_line(f"scores of the vectors    {vectors:6.1f} s, {memory:5.0f} MB")
        measure(["-c", WRITING, name, str(written)])
        distances, _, expected = measure([*score, "--runs", str(written)])
        print_line(f"scores of the distances  {distances:6.1f} s")
        ratio = vectors / (product + distances)
        print_line(f"ratio {ratio:.2f}; scores {'equal' if answer == expected else 'DIFFER'}")
        if ratio > MAX_RATIO or memory > MAX_MEGABYTES or answer != expected:
            raise SystemExit("beyond the limits")


WRITING = """
import sys
from pathlib import Path
import numpy
from shrec_viewer.formats.discovery.benchmark import BenchmarkParts, read_benchmark
folder = Path(sys.argv[1])
parts = BenchmarkParts(folder / "target.cla", folder / "query.cla", runs=folder / "vectors")
numpy.save(sys.argv[2], numpy.asarray(read_benchmark(folder, parts).runs[0].ranking.values))
"""


if __name__ == "__main__":
    main()
