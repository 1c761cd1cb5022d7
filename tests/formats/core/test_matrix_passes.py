"""Opening matrices in files reads each of them once, apart from the sample of rows that shows their order."""

from collections import Counter

import numpy as np
import pytest
from made_folders import npy, write

from shrec_viewer.formats.core.run_checks import are_usual
from shrec_viewer.formats.discovery.benchmark import read_benchmark
from shrec_viewer.formats.io.array_files import FileMatrix
from shrec_viewer.formats.matrices import matrix

N_MODELS = 1500
"""Models of a collection whose samples of rows, for the order and the ties, are a small part of the rows."""


def square(seed):
    points = np.random.default_rng(seed).normal(size=N_MODELS).astype(np.float32)
    return np.abs(points[:, None] - points[None])


def test_each_matrix_is_read_once(tmp_path, monkeypatch):
    n_rows = Counter()
    read = FileMatrix.read_rows

    def counting(values, rows, *columns):
        n_rows[values.path.name] += len(rows)
        return read(values, rows, *columns)

    monkeypatch.setattr(FileMatrix, "read_rows", counting)
    monkeypatch.setattr(matrix, "MAX_LOADED_BYTES", 0)
    names = [f"M{k:04d}" for k in range(N_MODELS)]
    half = N_MODELS // 2
    classes = "".join(
        f"\n{name} 0 {half}\n" + "\n".join(ids) for name, ids in (("a", names[:half]), ("b", names[half:]))
    )
    files = {
        "test.cla": f"PSB 1\n2 {N_MODELS}\n{classes}\n",
        "runs/A.npy": npy(square(1)),
        "runs/B.npy": npy(square(2)),
    }
    benchmark = read_benchmark(write(tmp_path, files))
    assert [run.name for run in benchmark.runs] == ["A", "B"]
    # One pass, and samples for the order of the models, for ties, and for other readings of runs near chance.
    assert N_MODELS <= max(n_rows.values()) < 4 * N_MODELS


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("value", "expected"),
    [(0, True), (1e30, True), (-1e30, True), (np.nan, False), (np.inf, False), (-np.inf, False)],
)
def test_usual_distances_are_finite_numbers(dtype, value, expected):
    distances = np.ones((3, 4), dtype)
    distances[1, 2] = value
    assert are_usual(distances) == expected
    assert are_usual(distances[:0])
    assert not are_usual(np.array([[1e300, 0.0]]))
