"""Median time from mouse event to painted rank cursor in all graphs, and from query switch to painted graphs.

Run it by hand: ``python tests/bench/bench_cursor.py [BENCHMARK | 25]``; without a benchmark SHREC 2006 next to the
project, with 25 as many runs of 1,200 queries that are made up.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPoint
from workloads import self_retrieval

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

SHREC06 = Path(__file__).parents[2] / "../shared/data/shrec06"
MOVES = 200
SWITCHES = 60
FRAME_MS, SWITCH_MS = 100.0, 100.0
"""Bars of a frequent action in milliseconds of the main thread."""


def print_line(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def reported(name: str, spent: list[tuple[float, float]], most: float) -> None:
    """Say how long something took by the clock, and how long the main thread computed for it.

    On a machine that does other things too the second number says what the first would be alone.
    """
    (median, busy), (late, _) = np.percentile(np.array(spent), [50, 95], axis=0)
    verdict = "holds" if median < most else "holds but for other work" if busy < most else "MISSED"
    print_line(f"{name}: median {median:.1f} ms, 95 of 100 below {late:.1f} ms, computing {busy:.1f} ms")
    print_line(f"   median below {most:.0f} ms {verdict}")


def main() -> int:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication, QGridLayout, QWidget

    from shrec_viewer.panels.plots.curves import GainPanel, PrecisionRecallPanel
    from shrec_viewer.panels.plots.generality import GeneralityPanel
    from shrec_viewer.viewmodels.session.session import Session
    from shrec_viewer.viewmodels.thumbnails.thumbnails import Thumbnails
    from shrec_viewer.widgets.style.theme import LIGHT, apply_theme

    app = QApplication(sys.argv[:1])
    apply_theme(app, LIGHT)
    session = Session(Thumbnails(None))
    window = QWidget()
    layout = QGridLayout(window)
    panels = [PrecisionRecallPanel(session), GainPanel(session), GeneralityPanel(session)]
    for place, panel in enumerate(panels):
        layout.addWidget(panel, place // 2, place % 2)
    window.resize(1280, 900)
    window.show()
    source = sys.argv[1] if len(sys.argv) > 1 else str(SHREC06)
    made = tempfile.TemporaryDirectory()
    session.open(
        self_retrieval(Path(made.name), text=False, n_runs=int(source)).folder if source.isdigit() else Path(source)
    )

    def settle() -> None:
        end = time.monotonic() + 0.1
        while session.tasks.is_busy() or time.monotonic() < end:
            app.processEvents()
            time.sleep(0.001)

    def timed(action) -> tuple[float, float]:
        start, begun = time.perf_counter(), time.thread_time()
        action()
        return (time.perf_counter() - start) * 1e3, (time.thread_time() - begun) * 1e3

    settle()
    canvases = [panel.plot._canvas for panel in panels]
    print_line(f"{len(session.benchmark.runs)} runs, {len(session.benchmark.queries)} queries, {len(canvases)} graphs")

    def repaint_all() -> None:
        for canvas in canvases:
            canvas.viewport().repaint()

    def from_elsewhere(rank: int) -> None:
        session.cursor_state.hover(rank)
        repaint_all()

    random = np.random.default_rng(1)
    ranks = random.integers(1, len(session.ranked_list), MOVES).tolist()
    reported(
        "cursor moved elsewhere -> graphs repainted", [timed(lambda r=r: from_elsewhere(r)) for r in ranks], FRAME_MS
    )

    frame = canvases[1].frame()
    places = random.uniform(0.02, 0.98, (MOVES, 2)) * [frame.rect.width(), frame.rect.height()]
    spots = [QPoint(round(frame.rect.left() + x), round(frame.rect.top() + y)) for x, y in places.tolist()]
    paints = _Paints(canvases)

    def with_mouse(spot: QPoint) -> None:
        before = session.cursor_state.cursor
        paints.seen.clear()
        QTest.mouseMove(canvases[1].viewport(), spot)
        app.processEvents()
        moved = session.cursor_state.cursor not in (None, before)
        while moved and len(paints.seen) < len(canvases):
            app.processEvents()

    moves = []
    for spot in spots:
        moves.append(timed(lambda spot=spot: with_mouse(spot)))
        time.sleep(0.011)  # pyqtgraph takes a hundred moves a second
        app.processEvents()
    reported("mouse moved in a graph -> graphs repainted", moves, FRAME_MS)
    session.cursor_state.hover(None)

    def draw_again() -> None:
        for canvas in canvases:
            canvas.redraw()
        repaint_all()

    drawn = np.median([timed(draw_again)[1] for _ in range(20)])
    print_line(f"all curves drawn again: {drawn:.1f} ms of computing for {len(canvases)} graphs")

    heard: list[int] = []
    counter = _Counter(heard)
    for panel in panels[:2]:
        panel.computation.changed.connect(counter.count)

    def switch(query: int) -> None:
        heard.clear()
        session.select(query=query)
        while len(heard) < 2:
            app.processEvents()
        for canvas in canvases[:2]:
            canvas.viewport().repaint()

    for hidden in (False, True):
        panels[2].setHidden(hidden)
        settle()
        spent = []
        for number in range(SWITCHES):
            query = (session.selection.query + 1 + number % 5) % len(session.benchmark.queries)
            if query != session.selection.query:
                spent.append(timed(lambda query=query: switch(query)))
                settle()
        reported(f"another query -> two graphs drawn{'' if hidden else ', the third one looked at'}", spent, SWITCH_MS)
    panels[2].show()
    settle()
    for means in (True, False):
        start = last = time.perf_counter()
        gaps = [0.0]
        session.select(means=means)
        while session.tasks.is_busy():
            app.processEvents()
            now = time.perf_counter()
            gaps.append(now - last)
            last = now
            time.sleep(0.001)
        words = "means of all queries" if means else "one query"
        taken = time.perf_counter() - start
        print_line(f"{words}: all three graphs after {taken:.1f} s, main thread away {max(gaps) * 1e3:.0f} ms at most")
    session.shut_down()
    return 0


class _Paints(QObject):
    """Knows which viewports were painted."""

    def __init__(self, canvases: list) -> None:
        super().__init__()
        self.seen: set[int] = set()
        for canvas in canvases:
            canvas.viewport().installEventFilter(self)

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.seen.add(id(watched))
        return False


class _Counter:
    """Counts the calls."""

    def __init__(self, heard: list) -> None:
        self._heard = heard

    def count(self) -> None:
        self._heard.append(1)


if __name__ == "__main__":
    status = main()
    sys.stdout.flush()
    os._exit(status)
