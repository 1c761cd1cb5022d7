"""Time and memory of reading large text compared with numpy.loadtxt, and with polars if installed.

Run it by hand: ``python tests/bench/bench_formats.py [MB of TREC, 200] [MB of matrix, 100]``. Every reading is a
separate process, so that peak memory is its own; ratios are of processor times within one run, so that other load does
not count. ``SHREC_VIEWER_PEERS`` names another Python that has numpy and polars.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

OURS_TREC = """
from shrec_viewer.formats.runs.trec import read_trec
found = read_trec(path)
result = found.lines.base.nbytes
"""
OURS_MATRIX = """
from shrec_viewer.formats.matrices.matrix import read_matrix
result = read_matrix(path).values.nbytes
"""
CACHED = """
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.{module} import {read}
progress = ReadProgress(cache=ParseCache(Path(sys.argv[2])))
found = {read}(path, progress)
result = 0
"""
NUMPY_TREC = """
import numpy as np
kinds = [("query", "U8"), ("zero", "U2"), ("model", "U8"), ("rank", "f4"), ("score", "f8"), ("tag", "U8")]
result = np.loadtxt(path, kinds, comments=None).nbytes
"""
NUMPY_MATRIX = """
import numpy as np
result = np.loadtxt(path, comments=None).nbytes
"""
POLARS = """
import polars
result = polars.read_csv(path, separator=" ", has_header=False).estimated_size()
"""
AROUND = """
import resource, sys, time
from pathlib import Path
import numpy
path = Path(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start, busy = time.perf_counter(), time.process_time()
{work}
seconds, busy = time.perf_counter() - start, time.process_time() - busy
print(seconds, busy, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, result)
"""


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def measure(work: str, *arguments: Path) -> tuple[float, float, float, float] | None:
    """Seconds, seconds of all processors, peak of memory in MB beyond the imports, and MB of the result.

    None where a library is missing.
    """
    python = os.environ.get("SHREC_VIEWER_PEERS", sys.executable) if "shrec_viewer" not in work else sys.executable
    command = [python, "-c", AROUND.format(work=work), *map(str, arguments)]
    root = str(Path(__file__).parents[2])
    answer = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": root})
    if answer.returncode:
        return None
    seconds, busy, kilobytes, result = map(float, answer.stdout.split())
    return seconds, busy, kilobytes / 1024, result / 2**20


def write_trec(path: Path, megabytes: int) -> None:
    """Queries with 10,000 models each, in random order, scores of full precision."""
    random = np.random.default_rng(1)
    names = np.array([f"M{number:05}" for number in range(10_000)])
    with path.open("w") as stream:
        query = 0
        while stream.tell() < megabytes * 2**20:
            scores = (-np.sort(random.random(10_000))).tolist()
            lines = zip(random.permutation(names).tolist(), range(1, 10_001), scores, strict=True)
            stream.writelines(f"Q{query:04} Q0 {name} {rank} {score!r} bench\n" for name, rank, score in lines)
            query += 1


def write_matrix(path: Path, megabytes: int) -> None:
    """A square matrix as ``%.6f`` writes it."""
    size = int((megabytes * 2**20 / 9) ** 0.5)
    random = np.random.default_rng(2)
    with path.open("w") as stream:
        for _ in range(size):
            stream.write(" ".join(f"{value:.6f}" for value in random.random(size).tolist()) + "\n")


def compare(title: str, path: Path, cache: Path, readings: dict[str, str]) -> None:
    size = path.stat().st_size / 2**20
    print_line(f"{title}, {size:.0f} MB")
    first: float | None = None
    for name, work in readings.items():
        found = measure(work, path, cache)
        if found is None:
            print_line(f"   {name:24} is not installed, or failed")
            continue
        seconds, busy, peak, result = found
        first = first or busy
        of_result = f"{peak / result:5.1f} times the result of {result:.0f} MB" if result else f"{peak:.0f} MB"
        speed = f"{seconds:6.1f} s, {busy:5.1f} s busy: {size / busy:6.0f} MB/s, {busy / first:5.2f} times ours"
        print_line(f"   {name:24} {speed}; peak {of_result}")


def main() -> None:
    sizes = [int(word) for word in sys.argv[1:]]
    trec, matrix = [*sizes, *(200, 100)[len(sizes) :]]
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        files = Path(folder) / "run.trec", Path(folder) / "matrix.txt"
        write_trec(files[0], trec)
        write_matrix(files[1], matrix)
        print_line(f"written in {time.perf_counter() - start:.0f} s")
        cache = Path(folder) / "cache"
        kept = {"module": "trec", "read": "read_trec"}, {"module": "matrix", "read": "read_matrix"}
        for title, path, ours, theirs, words in (
            ("TREC run", files[0], OURS_TREC, NUMPY_TREC, kept[0]),
            ("text matrix", files[1], OURS_MATRIX, NUMPY_MATRIX, kept[1]),
        ):
            again = CACHED.format(**words)
            readings = {"ours": ours, "numpy.loadtxt": theirs, "polars.read_csv": POLARS}
            compare(title, path, cache, {**readings, "ours, filling the cache": again, "ours, from the cache": again})


if __name__ == "__main__":
    main()
