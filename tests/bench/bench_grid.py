"""Frame times of a grid of 51,000 cards under wheel events, of a rotating view, and of the theme switch.

    python tests/bench/bench_grid.py                       Qt's offscreen platform
    python tests/bench/bench_grid.py --only matrix         30 runs x 50 ranks
    xvfb-run -a python tests/bench/bench_grid.py --platform xcb

A frame is one event of the wheel with all that follows from it: scrolling, painting, asking for pictures and taking
those that have come. Pictures come from a source that serves 300 a second, as the drawing processes do with a warm
cache. The orbit is timed while an event loop runs; its longest iteration is printed, as drawing must not block the
window.
"""

import argparse
import json
import os
import resource
import sys
import tempfile
import time
from collections import deque
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

CARDS, FRAMES, PER_SECOND = 51_000, 400, 300
FRAME = 16.0
"""Milliseconds of one frame of a 60 Hz screen: the bar for 95 of 100."""


def main() -> int:
    """Measure what the command line asks for and print it as JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--platform", default="offscreen")
    parser.add_argument("--only", choices=("grid", "mesh_view_state", "matrix"))
    parser.add_argument("--frames", type=int, default=FRAMES, help="wheel events in each way of scrolling")
    options = parser.parse_args()
    os.environ["QT_QPA_PLATFORM"] = options.platform
    os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
    from PySide6.QtWidgets import QApplication

    from shrec_viewer.widgets.style.theme import LIGHT, apply_theme

    app = QApplication(sys.argv[:1])
    apply_theme(app, LIGHT)
    reported = {}
    if options.only in (None, "grid"):
        reported |= grid(app, options.frames)
    if options.only in (None, "matrix"):
        reported |= matrix(app, options.frames)
    if options.only in (None, "mesh_view_state"):
        reported |= mesh_view_state(app)
    sys.stdout.write(json.dumps(reported, indent=1) + "\n")
    return 0


def memory() -> float:
    """Resident megabytes now."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


class SlowSource:
    """Returns images of a few colours at a constant rate, latest requests first."""

    def __init__(self):
        from shrec_viewer.render.thumbnails.thumbnail import encode_webp

        self._wanted, self._open = deque(), True
        colours = ((0xD8, 0xCF, 0xC4, 255), (0xB4, 0xA8, 0x98, 255), (0x88, 0x99, 0xAA, 255))
        self._images = [encode_webp(np.full((256, 256, 4), colour, np.uint8)) for colour in colours]

    def request(self, paths, size):
        self._wanted = deque(paths)

    def wait(self, timeout):
        time.sleep(10 / PER_SECOND)
        answers = []
        for _ in range(10):
            if self._wanted:
                path = self._wanted.popleft()
                answers.append((path, self._images[hash(path) % 3], ""))
        return answers

    def close(self):
        self._open = False

    def noticed(self):
        return 0

    def problems(self):
        return ()

    def set_renderer(self, prefer):
        """No-op."""

    def clear_findings(self):
        """No-op."""


def benchmark():
    """51,000 models that are all in one list."""
    from shrec_viewer.domain import Benchmark, Collection, Queries

    ids = tuple(f"M{place:05}" for place in range(CARDS))
    paths = tuple(Path("/nowhere") / f"{name}.off" for name in ids)
    empty = np.zeros(0, np.int32)
    queries = Queries((), (), (), empty, empty)
    return Benchmark("Grid", Path("/nowhere"), Collection(ids, paths), queries)


def grid(app, count: int) -> dict:
    """Milliseconds per frame of ``count`` frames while scrolling and jumping, and memory."""
    from PySide6.QtCore import QPoint, QPointF, Qt
    from PySide6.QtGui import QWheelEvent
    from PySide6.QtWidgets import QApplication

    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
    from shrec_viewer.panels.ranking.ranked_list import RankedListPanel
    from shrec_viewer.viewmodels.session.document import OpenRequest, opened
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

    session = Session(Thumbnails(SlowSource))
    panel = RankedListPanel(session)
    panel.resize(1280, 900)
    panel.show()
    before = memory()
    made = benchmark()
    session.apply(
        opened(OpenRequest(Path("/nowhere"), BenchmarkParts(), None, 0.0), made, session.profile, session.document)
    )
    settle(app, 0.5)
    viewport, bar = panel.grid.viewport(), panel.grid.verticalScrollBar()

    def wheel(notches):
        at = QPointF(400, 300)
        event = QWheelEvent(
            at, viewport.mapToGlobal(at), QPoint(), QPoint(0, -120 * notches), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        return frame(lambda: (QApplication.sendEvent(viewport, event), app.processEvents()))

    reported = {}
    for name, notches, pause in (("steady", 1, 0.012), ("fling", 12, 0.004), ("slow", 1, 0.06)):
        bar.setValue(0)
        settle(app, 0.3)
        frames = []
        for _ in range(count if name != "slow" else min(count, 120)):
            frames.append(wheel(notches))
            end = time.perf_counter() + pause
            while time.perf_counter() < end:
                if (took := frame(app.processEvents))[0] > 0.5:
                    frames.append(took)  # pictures that came, and their painting
                time.sleep(0.001)
        reported[f"grid_{name}"] = spreads(frames)
    frames = []
    for place in np.random.default_rng(3).integers(0, bar.maximum(), min(count, 100)):
        frames.append(frame(lambda place=place: (bar.setValue(int(place)), app.processEvents())))
    reported["grid_jumps"] = spreads(frames)
    reported["grid_memory_mb"] = {
        "before": round(before),
        "after": round(memory()),
        "pictures": session.thumbnails.count,
    }
    reported["visible_cards"] = panel.grid.visible_rows()[1] - panel.grid.visible_rows()[0] + 1
    panel.close()
    session.shut_down()
    return reported


def matrix(app, count: int) -> dict:
    """Milliseconds per frame of a matrix of 30 runs and 50 ranks: scrolled in both directions, and under the mouse."""
    from PySide6.QtCore import QPoint
    from PySide6.QtTest import QTest

    from shrec_viewer.domain import Benchmark, Collection, Queries, QueryKind, RankedLists, Run
    from shrec_viewer.formats.discovery.benchmark import BenchmarkParts
    from shrec_viewer.panels.ranking.list_matrix import ListMatrixPanel
    from shrec_viewer.viewmodels.session.document import OpenRequest, opened
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails

    random, n_models = np.random.default_rng(5), 400
    ids = tuple(f"M{place:03}" for place in range(n_models))
    paths = tuple(Path("/nowhere") / f"{name}.off" for name in ids)
    no_class = np.full(1, -1, np.int32)
    queries = Queries(("Q",), (None,), (QueryKind.NONE,), no_class, no_class)
    indptr, present = np.array([0, 50], np.int64), np.ones(1, np.bool_)
    lists = [RankedLists(indptr, random.permutation(n_models)[:50].astype(np.int32), None, present) for _ in range(30)]
    runs = tuple(Run(f"R{place:02}", "R", Path("/nowhere"), ranking) for place, ranking in enumerate(lists))
    made = Benchmark("Matrix", Path("/nowhere"), Collection(ids, paths), queries, runs=runs)
    session = Session(Thumbnails(SlowSource))
    panel = ListMatrixPanel(session)
    panel.resize(1280, 700)
    panel.show()
    session.apply(
        opened(OpenRequest(Path("/nowhere"), BenchmarkParts(), None, 0.0), made, session.profile, session.document)
    )
    settle(app, 2.5)
    reported = {}
    for name, bar in (("rows", panel.view.verticalScrollBar()), ("ranks", panel.view.horizontalScrollBar())):
        frames = []
        for step in range(count):
            place = abs((step * 24) % (2 * bar.maximum()) - bar.maximum())
            frames.append(frame(lambda bar=bar, place=place: (bar.setValue(place), app.processEvents())))
        reported[f"matrix_{name}"] = spreads(frames)
    frames = []
    for x, y in random.integers((250, 40), (1200, 600), (count, 2)):
        QTest.mouseMove(panel.view.viewport(), QPoint(int(x), int(y)))
        frames.append(frame(app.processEvents))
    reported["matrix_mouse"] = spreads(frames)
    (first, last), (left, right) = panel.view.visible_rows(), panel.view.visible_ranks()
    reported["matrix_cells"] = (last - first + 1) * (right - left + 1)
    panel.close()
    session.shut_down()
    return reported


def frame(action) -> tuple[float, float]:
    """Elapsed milliseconds, and processor time of this thread, which excludes other load."""
    start, used = time.perf_counter(), time.thread_time()
    action()
    return (time.perf_counter() - start) * 1000, (time.thread_time() - used) * 1000


def spreads(frames) -> dict:
    """Elapsed and processor time."""
    clock, processor = zip(*frames, strict=True)
    return {"ms": spread(clock), "processor_ms": spread(processor)}


def mesh_view_state(app) -> dict:
    """Frames per second of a rotating view of 600 x 600 for both renderers, and the longest pause of the window."""
    from shrec_viewer.render.scene.camera import Camera
    from shrec_viewer.render.workers.model_readers import ModelSource
    from shrec_viewer.viewmodels.mesh_view.rendering import RenderService
    from shrec_viewer.viewmodels.mesh_view.scene import CameraController, PaneContent

    reported = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sphere.off"
        path.write_text(bumpy_sphere(10_000))
        for prefer in ("gl", "software"):
            source = RenderService()
            source.set_preference(prefer)
            stage = CameraController(source, "bench ")
            drawn, pauses = [], []
            stage.rendered.connect(lambda _pane, answer, drawn=drawn: drawn.append((time.perf_counter(), answer)))
            stage.show({"a": PaneContent(ModelSource(path), 600, 600)})
            until(app, lambda drawn=drawn: bool(drawn), pauses)
            stage.set_camera(Camera(fit="sphere", azimuth=1))
            drawn.clear()
            start = time.perf_counter()
            while time.perf_counter() - start < 4:
                count = len(drawn)
                stage.set_camera(stage.camera.orbited(3, 0.2))
                until(app, lambda drawn=drawn, count=count: len(drawn) > count, pauses)
            ends = [at for at, _ in drawn]
            half = len(ends) // 2
            reported[f"orbit_{prefer}"] = {
                "frames_per_second": round((len(ends) - half - 1) / (ends[-1] - ends[half]), 1),
                "drawing_ms": spread([answer.seconds * 1000 for _, answer in drawn[half:]]),
                "pixels": drawn[-1][1].request.width,
                "samples": drawn[-1][1].request.style.samples,
                "window_pause_ms": spread(pauses),
                "description": source.description,
            }
            source.close()
    return reported


def until(app, holds, pauses) -> None:
    """Process events as a window does; records the duration of each iteration beyond its sleep of 1 ms."""
    while not holds():
        start = time.perf_counter()
        app.processEvents()
        time.sleep(0.001)
        pauses.append((time.perf_counter() - start) * 1000 - 1)


def bumpy_sphere(faces: int) -> str:
    """OFF file of a sphere with bumps and about `n` triangles."""
    rings = round((faces / 4) ** 0.5)
    across, down = np.meshgrid(np.linspace(0, 2 * np.pi, 2 * rings, endpoint=False), np.linspace(0.05, 3.09, rings))
    radius = 1 + 0.08 * np.sin(7 * across) * np.sin(5 * down)
    points = np.stack([np.sin(down) * np.cos(across), np.cos(down), np.sin(down) * np.sin(across)], -1)
    points *= radius[..., None]
    cells = np.arange(2 * rings * rings).reshape(rings, 2 * rings)
    a, b, c, d = cells[:-1], cells[1:], np.roll(cells, -1, 1)[:-1], np.roll(cells, -1, 1)[1:]
    triangles = np.concatenate([np.stack([a, c, b], -1).reshape(-1, 3), np.stack([c, d, b], -1).reshape(-1, 3)])
    lines = ["OFF", f"{points.size // 3} {len(triangles)} 0"]
    lines += [f"{x:.5f} {y:.5f} {z:.5f}" for x, y, z in points.reshape(-1, 3)]
    return "\n".join([*lines, *(f"3 {i} {j} {k}" for i, j, k in triangles)]) + "\n"


def settle(app, seconds: float) -> None:
    """Process events."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.002)


def spread(values) -> dict:
    """Median, 95th percentile and maximum."""
    middle, most, worst = np.percentile(values, [50, 95, 100])
    return {"median": round(float(middle), 2), "p95": round(float(most), 2), "max": round(float(worst), 1)}


if __name__ == "__main__":
    sys.exit(main())
