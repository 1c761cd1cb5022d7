"""Rigid geometry of SHREC 2006: time and average precision of `geometry()`, and the time of an alignment.

Run it by hand: ``python tests/bench/bench_geometry.py``.
"""

import tempfile
import time
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from timing import best_of, print_line

DATA = Path(__file__).parents[1] / "../../shared/data"


def main() -> int:
    from shrec_viewer.evaluation.evaluate import evaluate
    from shrec_viewer.evaluation.rigid_distances import rigid_distances
    from shrec_viewer.evaluation.virtual_runs import virtual_run
    from shrec_viewer.formats.discovery.benchmark import read_benchmark
    from shrec_viewer.formats.meshes.mesh_reader import read_mesh
    from shrec_viewer.geometry.alignment import PointGrid, align_meshes
    from shrec_viewer.geometry.difference import mesh_of_difference
    from shrec_viewer.geometry.shape import surface_samples
    from shrec_viewer.metrics import find_profile
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache

    benchmark, profile = read_benchmark(DATA / "shrec06"), find_profile("default")
    with tempfile.TemporaryDirectory() as folder:
        seconds = []
        for _ in range(2):
            cache = ThumbnailCache(Path(folder))
            start = time.perf_counter()
            rigid_distances(benchmark, read_mesh, partial(int), cache=cache)
            seconds.append(time.perf_counter() - start)
            cache.close()
    print_line(f"30 x 1,809 files: {seconds[0]:.1f} s, from the cache {seconds[1]:.2f} s (bars 90 and 2)")
    run = virtual_run(benchmark, "geometry()", profile)
    scores = evaluate(replace(benchmark, runs=(*benchmark.runs, run)), profile, measures=["AP(rel=2)"])
    means = dict(zip(scores.runs, scores.mean()[:, 0].tolist(), strict=True))
    value, best = means["geometry()"], max((name for name in means if name != "geometry()"), key=means.__getitem__)
    print_line(f"AP of the highly relevant: {value:.3f} (at least .40); best run {best}: {means[best]:.3f}")
    files = [path for path in benchmark.collection.paths if path is not None][::100]
    meshes = [read_mesh(path) for path in files]
    pairs = list(pairwise(meshes))
    points = np.random.default_rng(0).normal(size=(1024, 3)).astype(np.float32)
    times = best_of(
        {
            "alignment": lambda: [align_meshes(one, other) for one, other in pairs],
            "difference": lambda: [mesh_of_difference(one, other, may_mirror=False) for one, other in pairs],
            "floor": lambda: [[points @ points.T for _ in range(20)] for _ in pairs],
        },
        3,
    )
    each = times["alignment"] / len(pairs) * 1000.0
    print_line(f"alignment: {each:.0f} ms a pair (bar 150), {times['alignment'] / times['floor']:.1f} x 20 products")
    each = times["difference"] / len(pairs) * 1000.0
    print_line(
        f"difference, drawn: {each:.0f} ms a pair (bar 150), {times['difference'] / times['floor']:.1f} x 20 products"
    )
    vertices = np.resize(meshes[0].vertices, (200_000, 3))
    start = time.perf_counter()
    PointGrid(surface_samples(meshes[1], 50_000), vertices).nearest(vertices)
    print_line(f"distances of 200,000 vertices: {time.perf_counter() - start:.2f} s (bar 1.5)")
    return int(value < 0.4)


if __name__ == "__main__":
    raise SystemExit(main())
