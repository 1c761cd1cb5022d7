"""Start-up time of the window as a ratio to a minimal one of PySide6 and pyqtgraph, measured alternately.

    python tests/bench/bench_startup.py [--rounds 5] [--benchmark ../shared/data/shrec06]

"Usable" is the welcome page with session and views behind it, so that anything can be opened at once; it has to stay
below twice a bare window with one empty plot. Set QT_QPA_PLATFORM=offscreen, or use xvfb-run, where there is no screen.
"""

import argparse
import json
import sys
from pathlib import Path

from timing import print_line, run_process

LIMIT = 2.0
"""Ratio of our usable window to the bare one."""

BARE = """
import time
start = time.perf_counter()
import os
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QMainWindow
import pyqtgraph as pg

class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Expose:
            QTimer.singleShot(0, self.report)
        return False

    def report(self):
        print((time.perf_counter() - start) * 1000, flush=True)
        app.exit()

app = QApplication([])
window = QMainWindow()
window.setCentralWidget(pg.PlotWidget())
window.resize(1280, 800)
window.show()
watch = Watch()
window.windowHandle().installEventFilter(watch)
app.exec()
"""


def main() -> int:
    """Measure, print, and return 1 where the ratio is above the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--benchmark", type=Path, help="also the milestones of opening this")
    options = parser.parse_args()
    ours = [sys.executable, "-m", "shrec_viewer"]
    bare, shown, usable = [], [], []
    for _ in range(options.rounds):
        bare.append(float(run_process([sys.executable, "-c", BARE]).output))
        cost = run_process([*ours, "--selftest"])
        shown.append(json.loads(cost.output)["window_ms"])
        usable.append(1000 * cost.seconds)
    whole = [1000 * run_process([sys.executable, "-c", BARE]).seconds for _ in range(options.rounds)]
    print_line(f"bare window, first picture     {min(bare):7.0f} ms   whole process {min(whole):7.0f} ms")
    print_line(
        f"our window, first picture      {min(shown):7.0f} ms   {min(shown) / min(bare):5.2f} times the bare one"
    )
    print_line(
        f"our window, usable, and closed {min(usable):7.0f} ms   {min(usable) / min(whole):5.2f} times the bare one"
    )
    if options.benchmark is not None:
        cost = run_process([*ours, str(options.benchmark), "--selftest"])
        print_line(f"{options.benchmark}: {cost.output.strip()}   {cost.megabytes:.0f} MB")
    return 0 if min(usable) / min(whole) <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
