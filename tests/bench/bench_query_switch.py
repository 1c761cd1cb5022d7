"""Time to open the window, switch the query, follow the cursor, scroll and filter, on SHREC 2006 and large benchmarks.

Run it by hand: ``python tests/bench/bench_query_switch.py shrec06 large sharded``. The large benchmark, 51,000 models x
1,000 queries x 3 runs, is made up in a temporary folder (0.7 GB) and deleted afterwards; so is the sharded one, a
million models x 2,000 queries x 2 runs in blocks (12 GB; ``--models`` and ``--queries`` for fewer). ``--keep FOLDER``
makes it there once.

Sharded, a million models with meshes, 2,000 queries, at a load of 4 to 12 on 4 cores: names after 53 s, scores of both
runs after 172 s; a switch of the query takes 163 ms, of which 77 are of the main thread, in blocks of at most 52 ms;
moving the cursor 5, scrolling 12 and filtering 4 ms (medians); at most 1,240 MB.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import print_line
from workloads import CHUNK, sharded_contest, write_classification, write_meshes

ROOT = Path(__file__).resolve().parents[2]
SHREC06 = ROOT.parent / "shared" / "data" / "shrec06"

N_MODELS, N_QUERIES, N_CLASSES, N_RUNS = 51_000, 1000, 1000, 3
BAR_MS = 100.0
"""Longest time for which a query switch or a move of the cursor may block the main thread."""

MEMORY_BAR_MB = 2000.0
"""Highest memory of the whole program while it is used."""

SWITCHES, MOVES = 40, 200
SCROLLED = ("ranked_list", "queries", "leaderboard")
FILTERS = ("class", "class5", "Q00", "zzz", "")
SEED = 2006


def large(folder: Path) -> Path:
    """A collection of 51,000 meshes in 1,000 classes, 1,000 queries from outside, 3 runs as float32 matrices."""
    if (folder / "queries.cla").exists():
        return folder
    random = np.random.default_rng(SEED)
    names, queries = [f"T{i:05d}" for i in range(N_MODELS)], [f"Q{i:04d}" for i in range(N_QUERIES)]
    labels = np.repeat(np.arange(N_CLASSES), N_MODELS // N_CLASSES)
    query_labels = np.sort(random.integers(0, N_CLASSES, N_QUERIES))
    for part in ("runs", "models"):
        (folder / part).mkdir(parents=True)
    write_meshes(folder / "models", names)
    for run in range(N_RUNS):
        values = np.lib.format.open_memmap(folder / "runs" / f"M{run}.npy", "w+", np.float32, (N_QUERIES, N_MODELS))
        for start in range(0, N_QUERIES, CHUNK):
            block = random.random((min(CHUNK, N_QUERIES - start), N_MODELS), np.float32)
            block -= (0.2 + 0.1 * run) * (query_labels[start : start + CHUNK, None] == labels[None, :])
            values[start : start + CHUNK] = block
        values.flush()
    write_classification(folder / "classification.cla", names, labels)
    write_classification(folder / "queries.cla", queries, query_labels)
    return folder


class TimedWindow:
    """The window with one open benchmark, and timers."""

    def __init__(self, folder: Path, started: float) -> None:
        os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")
        from PySide6.QtWidgets import QApplication

        from shrec_viewer.app.startup.settings import SettingsFile
        from shrec_viewer.app.startup.theme import ThemeSelector
        from shrec_viewer.app.window.main_window import MainWindow

        self.started = started
        self.times: dict[str, float] = {}
        self.longest = 0.0
        self.app = QApplication(sys.argv[:1])
        self.window = MainWindow(ThemeSelector(self.app), SettingsFile(None))
        self.window.painted.connect(self.window.assemble)
        self.window.resize(1280, 800)
        self.window.show()
        self.until(lambda: self.window.session is not None)
        self.note("window")
        self.window.open_path(folder)
        session = self.window.session
        self.until(lambda: session.is_open)
        self.note("benchmark")
        self.until(lambda: session.scores is not None)
        self.note("scores")
        from shrec_viewer.app.startup.selftest import is_drawn

        self.until(lambda: is_drawn(self.window))
        self.note("first pictures")
        self.session = session

    def note(self, name: str) -> None:
        self.times[name] = 1000 * (time.perf_counter() - self.started)

    def turn(self) -> None:
        """Process events of the main thread; records the longest iteration in processor time, without other load."""
        start = time.thread_time()
        self.app.processEvents()
        self.longest = max(self.longest, time.thread_time() - start)

    def until(self, holds, timeout_s: float = 1800.0) -> None:
        end = time.perf_counter() + timeout_s
        while not holds():
            self.turn()
            time.sleep(0.0002)
            if time.perf_counter() > end:
                raise TimeoutError("gave up")

    def rest(self, seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.turn()
            time.sleep(0.001)

    def switch(self, query: int) -> tuple[float, float]:
        """Process events until all views show the query: lists, curves and numbers painted."""
        clock = Clock()
        self.session.select(query=query)
        self.until(lambda: not self.session.tasks.is_busy())
        self.turn()
        self.turn()
        return clock.read()

    def move(self, rank: int) -> tuple[float, float]:
        """Process events until all views mark the rank under the cursor."""
        clock = Clock()
        self.session.cursor_state.hover(rank)
        self.turn()
        self.turn()
        return clock.read()

    def walk(self, rank: int) -> tuple[float, float]:
        """Process events until all views show the selected rank."""
        clock = Clock()
        self.session.select(rank=rank)
        self.turn()
        self.turn()
        return clock.read()

    def press(self, panel: str, key: str) -> tuple[float, float]:
        """Process events until a panel is painted after a key."""
        from PySide6.QtCore import Qt
        from PySide6.QtTest import QTest
        from PySide6.QtWidgets import QAbstractScrollArea

        view = self.window.workspace.panel(panel).findChildren(QAbstractScrollArea)[0]
        view.setFocus()
        clock = Clock()
        QTest.keyClick(view, Qt.Key[f"Key_{key}"])
        self.turn()
        self.turn()
        return clock.read()

    def filter(self, text: str) -> tuple[float, float]:
        """Process events until the list of queries shows those with a text."""
        from PySide6.QtWidgets import QLineEdit

        lines = self.window.workspace.panel("queries").findChildren(QLineEdit)
        clock = Clock()
        next(line for line in lines if line.isVisible()).setText(text)
        self.turn()
        self.turn()
        return clock.read()


class Clock:
    """Elapsed milliseconds, and processor time of the main thread, which excludes other load."""

    def __init__(self) -> None:
        self._wall, self._thread = time.perf_counter(), time.thread_time()

    def read(self) -> tuple[float, float]:
        return 1000 * (time.perf_counter() - self._wall), 1000 * (time.thread_time() - self._thread)


def one(folder: Path) -> None:
    """Measure one benchmark in this process and print the results."""
    started = time.perf_counter()
    timed = TimedWindow(folder, started)
    random = np.random.default_rng(SEED)
    count = len(timed.session.benchmark.queries)
    queries = [int(query) for query in random.permutation(np.resize(np.arange(count), SWITCHES + 4))]
    timed.rest(0.5)
    for query in queries[:4]:
        timed.switch(query)
    timed.longest = 0.0
    switches = []
    for query in queries[4:]:
        switches.append(timed.switch(query))
        timed.rest(0.08)  # as a person would: pictures come meanwhile
    stretch = 1000 * timed.longest
    timed.rest(0.5)
    moves = [timed.move(rank) for rank in range(1, MOVES + 1)]
    walks = [timed.walk(rank) for rank in range(1, MOVES + 1)]
    scrolls = []
    for panel in SCROLLED:
        timed.window.workspace.show_panel(panel)
        timed.rest(0.5)
        for key in ("PageDown", "PageDown", "End", "PageUp", "Home"):
            scrolls.append(timed.press(panel, key))
            timed.rest(0.08)
    timed.window.workspace.show_panel("queries")
    timed.rest(0.5)
    filters = [timed.filter(text) for text in FILTERS]
    memory = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    found = {"times": timed.times, "switch": spread(switches), "cursor": spread(moves), "walk": spread(walks)}
    found |= {"scroll": spread(scrolls), "filter": spread(filters), "peak": int(memory["VmHWM"].split()[0]) / 1e3}
    found |= {"stretch": stretch, "megabytes": [int(memory[name].split()[0]) / 1e3 for name in ("RssAnon", "RssFile")]}
    timed.window.close_now()
    sys.stdout.write(json.dumps(found) + "\n")


def spread(pairs: list[tuple[float, float]]) -> list[float]:
    """Median, 95th percentile and maximum of elapsed milliseconds; median of the main thread."""
    wall, thread = np.array(pairs).T
    return [float(value) for value in (*np.percentile(wall, [50, 95]), wall.max(), np.median(thread))]


def report(name: str, folder: Path) -> bool:
    """Measure in a separate process and print; returns whether all limits hold."""
    environment = {"QT_QPA_PLATFORM": "offscreen", **os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, __file__, "--one", str(folder)]
    answer = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if answer.returncode:
        print_line(f"{name}: failed\n{answer.stderr[-2000:]}")
        return False
    found = json.loads(answer.stdout.splitlines()[-1])
    print_line(f"{name}: " + ", ".join(f"{what} after {ms:,.0f} ms" for what, ms in found["times"].items()))
    for what in ("switch", "cursor", "walk", "scroll", "filter"):
        median, late, most, own = found[what]
        words = f"median {median:6.1f} ms, 95 % below {late:6.1f}, highest {most:6.1f}; main thread {own:6.1f}"
        print_line(f"    {what:7} {words}")
    own, mapped = found["megabytes"]
    longest = max(found["stretch"], found["cursor"][1], found["scroll"][1], found["filter"][1])
    held = longest < BAR_MS and found["peak"] < MEMORY_BAR_MB
    verdict = "held" if held else "MISSED"
    print_line(f"    longest block of the main thread {longest:.1f} ms (bar {BAR_MS:.0f}: {verdict})")
    print_line(f"    memory at most {found['peak']:.0f} MB; at the end {own:.0f} MB, and {mapped:.0f} MB of programs")
    return held


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", nargs="*", default=["shrec06", "large"], help="shrec06, large, sharded")
    parser.add_argument("--keep", type=Path, help="folder to make the large benchmark in, or to find it in")
    parser.add_argument("--models", type=int, default=1_000_000, help="of the sharded benchmark")
    parser.add_argument("--queries", type=int, default=2000, help="of the sharded benchmark")
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        one(options.one)
        return 0
    held = True
    for name in options.which:
        if name == "shrec06":
            held &= report(name, SHREC06)
            continue
        with tempfile.TemporaryDirectory(prefix="shrec-viewer-bench-") as folder:
            root = options.keep or Path(folder)
            if name == "large":
                held &= report(name, large(root))
            elif not (root / "e").exists():
                held &= report(name, sharded_contest(root, options.models, options.queries).folder)
            else:
                held &= report(name, root / "e")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
