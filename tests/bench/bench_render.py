"""Thumbnails per second compared with f3d and VTK (pyvista), reading OFF compared with trimesh, and response times.

Run by hand: ``python tests/bench/bench_render.py [--full]``. All programs render the same 200 models of SHREC 2006 with
two processes, from their start to the last image, alternating within one run, because other load disturbs the machine;
only ratios count. The others get binary PLY, which they read faster than OFF, and need not encode their images.
``SHREC_VIEWER_PEERS`` names another Python with f3d and pyvista. ``--full`` also renders the whole collection.
"""

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import best_of, compiled, print_line

from shrec_viewer.formats.meshes.images import read_image
from shrec_viewer.formats.meshes.mesh_reader import read_mesh
from shrec_viewer.render.renderer import open_renderer
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.style import FINE_STYLE, RenderStyle
from shrec_viewer.render.thumbnails.cache import ThumbnailCache
from shrec_viewer.render.thumbnails.thumbnail import ThumbnailRequest
from shrec_viewer.render.workers.thumbnail_pool import ThumbnailPool

QUICK_STYLE = RenderStyle(samples=1, ambient_occlusion=False)

SHREC06 = Path(__file__).parents[2] / "../shared/data/shrec06"
PEERS = os.environ.get("SHREC_VIEWER_PEERS", sys.executable)
COUNT = 200
ROUNDS = 3
PEAKS = []
"""Peak memory of the largest worker process in each call of `ours`, megabytes."""

SCREEN = 50
"""Cards in a window of 1280 x 900 pixels."""


def ours(paths, prefer, cache=None):
    """Seconds until all thumbnails are rendered."""
    start = time.perf_counter()
    left = len(paths)
    with ThumbnailPool(read_mesh, read_image, cache, 2, prefer=prefer, lower_priority=False) as workers:
        workers.request([ThumbnailRequest(path) for path in paths])
        while left:
            answers = workers.wait(5)
            assert all(thumbnail.problem is None for _, thumbnail in answers)
            left -= len(answers)
        took = time.perf_counter() - start
        PEAKS.append(max((peak(worker.process.pid) for worker in workers._workers._workers), default=0.0))
        return took


def peak(process):
    """Peak memory of a process in megabytes; 0 if unknown."""
    try:
        words = (Path("/proc") / str(process) / "status").read_text().split()
    except OSError:
        return 0.0
    return int(words[words.index("VmHWM:") + 1]) / 1024


def peer(name, paths):
    """Seconds of two processes that share the files; RuntimeError where the peer is missing or shows nothing."""
    script = Path(__file__).with_name("peer_render.py")
    start = time.perf_counter()
    halves = [
        subprocess.Popen(
            [PEERS, str(script), name, *map(str, paths[half::2])],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for half in (0, 1)
    ]
    answers = [half.communicate() for half in halves]
    seconds = time.perf_counter() - start
    if any(half.returncode for half in halves):
        raise RuntimeError(answers[0][1].strip().split("\n")[-1])
    shown = sum(int(out) for out, _ in answers)
    if shown < 0.98 * len(paths):
        raise RuntimeError(f"{name} shows {shown} of {len(paths)}")
    return seconds


def pictures_per_second(models, folder):
    """Alternate all programs; print thumbnails per second and ratios."""
    import trimesh  # not at the top: worker processes import this file

    as_ply = []
    for path in models:
        mesh = read_mesh(path)
        as_ply.append(folder / f"{path.stem}.ply")
        trimesh.Trimesh(mesh.vertices, mesh.faces, process=False).export(as_ply[-1])
    walls, busy, missing = {}, {}, {}
    for _ in range(ROUNDS):
        for name in ("gl", "software", "f3d", "f3d-plain", "pyvista"):
            if name in missing:
                continue
            before = cpu_seconds()
            try:
                took = ours(models, name) if name in ("gl", "software") else peer(name, as_ply)
            except RuntimeError as error:
                missing[name] = str(error)
                continue
            walls[name] = min(walls.get(name, np.inf), took)
            busy[name] = min(busy.get(name, np.inf), cpu_seconds() - before)
    print_line(f"{len(models)} models, two processes, start included; by wall time, and by CPU time:")
    for name, took in walls.items():
        others = [other for other in ("f3d", "f3d-plain", "pyvista") if other in walls and other != name]
        clock = ", ".join(f"{walls[other] / took:.1f} x {other}" for other in others)
        work = ", ".join(f"{busy[other] / busy[name]:.1f} x {other}" for other in others)
        each = 1e3 * busy[name] / len(models)
        print_line(f"  {name:9} {len(models) / took:6.1f} thumbnails/s  {clock}; {each:5.1f} ms CPU each  {work}")
    for name, why in missing.items():
        print_line(f"  {name:9} left out: {why}")


def cpu_seconds():
    """CPU seconds of worker processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def loading(folder):
    """Reading OFF with 100,000 faces compared with trimesh."""
    import trimesh  # not at the top: worker processes import this file

    ball = trimesh.creation.uv_sphere(count=[159, 159])
    path = folder / "ball.off"
    ball.export(path)
    took = best_of(
        {"ours": lambda: read_mesh(path), "trimesh": lambda: trimesh.load(path, process=False)},
        3,
    )
    ratio = took["trimesh"] / took["ours"]
    print_line(
        f"OFF of {len(ball.faces):,} faces: ours {1e3 * took['ours']:.0f} ms, "
        f"trimesh {1e3 * took['trimesh']:.0f} ms: {ratio:.1f} x"
    )


def waiting(models, folder, *, full):
    """Time until a screen of cards is complete, without and with cache; of the collection; of pages from the cache."""
    page = models[:SCREEN]
    cold = ours(page, "auto", folder / "cache")
    warm = min(ours(page, "auto", folder / "cache") for _ in range(3))
    print_line(f"first {SCREEN} cards: cold {cold:.2f} s, warm {1e3 * warm:.0f} ms")
    if full:
        files = sorted((SHREC06 / "models").glob("*.off")) + sorted((SHREC06 / "queries").glob("*.off"))
        for prefer in ("gl", "software"):
            before = cpu_seconds()
            seconds = ours(files, prefer, folder / f"full-{prefer}")
            print_line(
                f"all {len(files):,} pictures by {prefer}, cold: {seconds:.1f} s "
                f"({cpu_seconds() - before:.1f} s of work); "
                f"largest process {PEAKS[-1]:.0f} MB"
            )
    cache = ThumbnailCache(folder / "many")
    pictures = {number.to_bytes(16, "big"): os.urandom(5000) for number in range(10_000)}
    cache.put(pictures)
    keys = list(pictures)
    random.Random(1).shuffle(keys)
    start, slowest = time.perf_counter(), 0.0
    for first in range(0, len(keys), SCREEN):
        before = time.perf_counter()
        assert len(cache.get_many(keys[first : first + SCREEN])) == SCREEN
        slowest = max(slowest, time.perf_counter() - before)
    seconds = time.perf_counter() - start
    print_line(
        f"10,000 pictures out of the cache, {SCREEN} at once: {seconds:.2f} s in all, "
        f"slowest page {1e3 * slowest:.1f} ms"
    )
    cache.close()


def frames():
    """Milliseconds per frame of 600 x 600 pixels of a rotating mesh."""
    import trimesh  # not at the top: worker processes import this file

    for faces, count in (("10,000", 51), ("100,000", 159)):
        ball = trimesh.creation.uv_sphere(count=[count, count])
        path = Path(tempfile.gettempdir()) / "ball.ply"
        ball.export(path)
        mesh = read_mesh(path)
        words = []
        for name in ("gl", "software"):
            try:
                renderer = open_renderer(name)
            except RuntimeError:
                continue
            held = renderer.prepare(mesh)
            for style, what in ((QUICK_STYLE, "moving"), (FINE_STYLE, "at rest")):
                renderer.draw(held, Camera(fit="sphere"), 600, 600, style)
                took = []
                for step in range(7):
                    start = time.perf_counter()
                    renderer.draw(held, Camera(fit="sphere").orbited(5 * step, step), 600, 600, style)
                    took.append(time.perf_counter() - start)
                words.append(f"{name} {what} {1e3 * float(np.median(took)):.0f}")
            renderer.close()
        print_line(f"{faces} faces, ms a frame: {', '.join(words)}")


if __name__ == "__main__":
    if not SHREC06.is_dir():
        print_line("left out: needs the collection of SHREC 2006 in ../shared/data/shrec06")
        sys.exit()
    if "PYTHONPYCACHEPREFIX" not in os.environ:  # compiled modules, as in an installed program
        os.execve(sys.executable, [sys.executable, *sys.argv], compiled())
    models = random.Random(6).sample(sorted((SHREC06 / "models").glob("*.off")), COUNT)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pictures_per_second(models, folder)
        loading(folder)
        waiting(models, folder, full="--full" in sys.argv)
        frames()
