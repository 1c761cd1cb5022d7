"""Soak test: random events on the demo while its files change, without exceptions, memory growth or long pauses.

    python tests/bench/soak.py --minutes 10 --seed 1
    xvfb-run -a python tests/bench/soak.py --platform xcb
    python tests/bench/soak.py --only theme,dock --census      which objects one kind of action leaves behind
    python tests/bench/soak.py --alternate ../shared/data/shrec06 --minutes 2
                          projects of the demo and of shrec06 are opened in turn; the files of the demo change

Errors are printed as they occur, at the end a line for each fault and one line of JSON. Faults (exit status 1) are an
exception or an error in the log, a Qt warning, growing memory, and a blocked main thread: longer than 100 ms for
frequent actions, 400 ms for rare ones (themes, opening, panels shown first). Blocking is measured in processor time of
the main thread, so that other load on the machine does not count.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
import tracemalloc
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from statistics import fmean

from timing import print_line

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

PERSPECTIVE = "query"
"""Perspective shown while memory is measured."""

PAUSE = 15
"""Milliseconds between two actions, on average."""

WARM_UP = 0.4
"""Share of the session before memory is compared: caches fill until then, and `Tour` has shown everything once."""

REST, UNDER_WAY, CALM = 20.0, 300, 3000
"""Seconds between two measurements of memory; milliseconds between the actions that restore the initial state, and
after the last of them."""

GROWTH = 1.0
"""Allowed growth of memory in megabytes per minute; growth below its confidence interval (±) is not a fault."""


def main() -> int:
    """Run the session and print the result."""
    options = _options()
    os.environ["QT_QPA_PLATFORM"] = options.platform
    os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
    with tempfile.TemporaryDirectory(prefix="shrec-soak-", ignore_cleanup_errors=True) as scratch:
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[variable] = str(Path(scratch) / variable)
        from PySide6.QtWidgets import QApplication
        from soak_memory import import_matplotlib, shrink_caches

        app = QApplication(sys.argv[:1])
        import_matplotlib()
        shrink_caches()  # after QApplication, which resets the limits
        if options.trace:
            tracemalloc.start(12)
        soak = Soak(options, Path(scratch))
        soak.start()
        app.exec()
        return soak.report()


class Soak:
    """The window, the random input and the monitors."""

    def __init__(self, options, scratch: Path) -> None:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication
        from soak_dialogs import DialogStubs, copy_folder, write_projects
        from soak_file_changes import FileChanges
        from soak_monitor import Errors

        from shrec_viewer.app.startup.application import EventLoopCollector
        from shrec_viewer.app.startup.settings import SettingsFile
        from shrec_viewer.app.startup.theme import ThemeSelector
        from shrec_viewer.app.window.main_window import MainWindow

        self.options = options
        self.done: deque[str] = deque(maxlen=12)
        self.counts: Counter[str] = Counter()
        self.errors = Errors(self.context)
        app = QApplication.instance()
        self.folder = copy_folder(options.folder, scratch)
        self.rng = random.Random(options.seed)
        saved = scratch / "saved"
        saved.mkdir()
        self.answers = DialogStubs(self.rng, saved, [self.folder, self.folder / "benchmark.toml", saved])
        self.projects = (
            write_projects(scratch / "projects", [self.folder, options.alternate]) if options.alternate else ()
        )
        self.file_changes = FileChanges(self.folder, scratch / "keep", options.seed)
        self.window = MainWindow(
            ThemeSelector(app), SettingsFile(scratch / "settings.ini"), thumbnails=not options.no_pictures
        )
        self.window.painted.connect(self.window.assemble)
        self.window.assembled.connect(self._begin)
        self.window.close = self._stay  # what the palette and menus call; the end is `_end`
        self.collector = EventLoopCollector(self.window)
        self.before: Counter[str] = Counter()
        self.random_input = self.monitor = self.memory = self.snapshot = None
        self.began = 0.0
        self.depth = 0
        self.rested, self.is_calm = 0.0, False
        self.tour = None
        self.ways_back: list[Callable[[], object]] = []
        self.next = QTimer(self.window, singleShot=True)
        self.next.timeout.connect(self._step)  # once: PySide keeps 120 bytes for each connection to a plain object

    def context(self) -> str:
        """The last actions, for error messages."""
        return " | ".join(list(self.done)[-4:])

    def start(self) -> None:
        self.window.resize(1280, 800)
        self.window.show()
        self.window.activateWindow()

    def _begin(self) -> None:
        from soak_input import NOT_BY_KEY, RandomInput
        from soak_memory import Memory
        from soak_monitor import Causes, EventLoopMonitor
        from soak_tour import Tour

        self.first = self.window.settings
        only = set(self.options.only.split(",")) - {""}
        self.random_input = RandomInput(
            self.window, self.folder, self.rng, self.answers, only, self.note, self.projects
        )
        self.window.open_path(self.folder)
        self.tour = None if only else Tour(self.window, NOT_BY_KEY, self.note)
        self.began = time.monotonic()
        self.memory = Memory()
        self.monitor = EventLoopMonitor(self.context, Causes(self.window), by_clock=self.options.by_clock)
        if not self.options.still:
            self.file_changes.start()
        self.next.start(2000)

    @property
    def share(self) -> float:
        """Elapsed share of the session."""
        return (time.monotonic() - self.began) / (60 * self.options.minutes)

    def _step(self) -> None:
        from PySide6.QtWidgets import QApplication
        from soak_tour import MOMENT

        # Started first: the action may run a nested event loop, as menus do.
        if self.share >= 1:
            self._end()
            return
        if self.tour is not None:
            self.next.start(MOMENT)
            if not self.tour.step():
                self.tour, self.ways_back = None, self._way_back()
            return
        self.next.start(self.rng.randint(1, 2 * PAUSE))
        if self.depth and QApplication.activePopupWidget() is None and QApplication.activeModalWidget() is None:
            return  # events are let through between press and release
        if not self.before and self.share > WARM_UP:
            self._look()
        if self._rests():
            return
        self.depth += 1
        try:
            self.random_input.act()
        finally:
            self.depth -= 1

    def _rests(self) -> bool:
        """Periodically restore the initial state and measure memory, which otherwise includes what is open."""
        from PySide6.QtWidgets import QApplication

        if QApplication.activePopupWidget() is not None or QApplication.activeModalWidget() is not None:
            return False
        if self.ways_back:
            self.note(f"rest {len(self.ways_back)}")
            self.ways_back.pop(0)()
            self.next.start(CALM if not self.ways_back else UNDER_WAY)
            self.is_calm = not self.ways_back
            return True
        if self.is_calm:
            self.is_calm = False
            self.memory.take()
            self.monitor.skip()
            self.rested = time.monotonic()
            return False
        if time.monotonic() - max(self.rested, self.began) < REST:
            return False
        self.note("rest")
        self.ways_back = self._way_back()
        return True

    def _way_back(self) -> list[Callable[[], object]]:
        """Actions that restore the initial state, one per step."""
        from PySide6.QtWidgets import QApplication

        window = self.window
        return [
            *(
                partial(self._restore_setting, row.name)
                for row in fields(self.first)
                if getattr(window.settings, row.name) != getattr(self.first, row.name)
            ),
            partial(window.set_card_size, self.first.card_size),
            partial(window.resize, 1280, 800),
            partial(window.workspace.apply_layouts, {}),
            partial(window.workspace.show_perspective, PERSPECTIVE),
            partial(window.open_path, self.folder),
            QApplication.clipboard().clear,
        ]

    def _restore_setting(self, name: str) -> None:
        """One at a time, as the user changes them: themes, text sizes and contrasts each restyle all widgets."""
        window = self.window
        window.change_settings(replace(window.settings, **{name: getattr(self.first, name)}))

    def note(self, words: str) -> None:
        """Record the next action."""
        self.done.append(words)
        self.counts[words.split()[0]] += 1
        if self.options.verbose:
            print_line(f"{time.monotonic() - self.began:7.2f} {words}")

    def _look(self) -> None:
        from soak_monitor import count_objects

        if self.options.census or self.options.trace:
            self.before = count_objects()
        else:
            self.before = Counter(looked=1)
        if self.options.trace:
            self.snapshot = tracemalloc.take_snapshot()
        self.monitor.skip()

    def _end(self) -> None:
        from PySide6.QtWidgets import QApplication
        from soak_monitor import count_objects, grown_classes

        if QApplication.activePopupWidget() is not None or QApplication.activeModalWidget() is not None:
            for window in QApplication.topLevelWidgets():
                if window is not self.window:
                    window.close()
            from PySide6.QtCore import QTimer

            QTimer.singleShot(50, self._end)
            return
        self.monitor.end()
        if not self.options.still:
            self.file_changes.end()
        if self.options.census:
            for name, before, after in grown_classes(self.before, count_objects(), self.options.least):
                print_line(f"{before:7} -> {after:7}  {name}")
        if self.snapshot is not None:
            rows = tracemalloc.take_snapshot().compare_to(self.snapshot, "traceback")
            for row in [row for row in rows if row.size_diff > 0][:15]:
                print_line(
                    "\n".join([f"{row.size_diff / 1024:9.0f} KB in {row.count_diff}", *row.traceback.format()[-8:]])
                )
        del self.window.close  # the stub set in the constructor
        self.window.close_now()
        QApplication.quit()

    def _stay(self) -> bool:
        return False

    def report(self) -> int:
        """Print the results; returns the exit status."""
        from shrec_viewer.app.startup.application import clear_clipboard

        clear_clipboard()
        if self.share < 1:
            print_line(f"the window was closed after {self.context()}")
        for block in self.monitor.blocks:
            kind = block.cause or "the action"
            times = f"{1000 * block.work:5.0f} ms of work, {1000 * block.wall:5.0f} ms by the clock"
            print_line(f"{times}, {kind}, after {block.context}")
            print_line("          " + "\n          ".join(block.stacks))
        for (cause, action), (number, worst) in sorted(self.monitor.worst.items()):
            print_line(f"blocked by {cause or action}{f' after {action}' * bool(cause)}: {number} times, {worst} ms")
        resident, rests = self.memory.resident, self.memory.rests
        pauses, loops = sorted(self.monitor.pauses), self.memory.calibrations
        document = {
            "seed": self.options.seed,
            "minutes": self.options.minutes,
            "actions": sum(self.counts.values()),
            "changes_on_disk": sum(self.file_changes.changes.values()),
            "exceptions": len(self.errors.found),
            "qt_warnings": sum(self.errors.warnings.values()),
            "memory_mb": {
                "start": round(resident[0]),
                "prestart": round(resident[int(len(resident) * WARM_UP)]),
                "end": round(resident[-1]),
                "most": round(max(resident)),
                "growth_a_minute": self.memory.growth("own", WARM_UP),
                "growth_in_use": self.memory.growth("in_use", WARM_UP),
                "growth_blocks": self.memory.growth("blocks", WARM_UP),
                "processes": round(rests[-1].processes) if rests else 0,
            },
            "standstill_ms": {
                "work": round(1000 * self.monitor.work),
                "clock": round(1000 * self.monitor.wall),
                "frequent_over_100": self.monitor.count(rare=False),
                "rare_over_400": self.monitor.count(rare=True),
                "over_100_by_clock": self.monitor.long,
                "calibration": [
                    round(ms) for ms in (min(loops, default=0), fmean(loops or [0]), max(loops, default=0))
                ],
                "over_50": sum(pause > 0.05 for pause in pauses),
            },
        }
        if self.options.rows:
            for row in rests:
                print_line("  ".join(f"{name} {value:.1f}" for name, value in row._asdict().items()))
        if self.options.verbose or self.options.only:
            print_line(f"{dict(self.counts)} {self.file_changes.changes}")
        faults = self._faults(document)
        print_line("\n".join([*faults, json.dumps(document)]))
        return 1 if faults else 0

    def _faults(self, seen: dict) -> list[str]:
        """One line per fault."""
        (grown, doubt), still = seen["memory_mb"]["growth_a_minute"], seen["standstill_ms"]
        blocked = still["frequent_over_100"] + still["rare_over_400"]
        words = f"Memory grew by {grown} ± {doubt} MB a minute after warm-up; {GROWTH} are allowed."
        rows = (
            (seen["exceptions"], f"{seen['exceptions']} exceptions, or errors in the log."),
            (seen["qt_warnings"], f"Qt warned {seen['qt_warnings']} times."),
            (grown > GROWTH and grown > doubt, words),
            (blocked, f"The main thread was blocked {blocked} times, {still['work']} ms at worst."),
        )
        return [f"FAULT: {words}" for is_so, words in rows if is_so]


def _options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--platform", default=os.environ.get("QT_QPA_PLATFORM", "offscreen"))
    parser.add_argument("--folder", type=Path, default=ROOT / "resources" / "demo")
    parser.add_argument("--alternate", type=Path, help="second benchmark; projects of both are opened in turn")
    parser.add_argument("--only", default="", help="names of actions, separated by commas")
    parser.add_argument("--still", action="store_true", help="leave the files alone")
    parser.add_argument("--no-pictures", action="store_true")
    parser.add_argument("--census", action="store_true", help="classes with more objects at the end than after warm-up")
    parser.add_argument("--least", type=int, default=5, help="smallest growth listed by --census")
    parser.add_argument("--trace", action="store_true", help="where Python's memory grew; slow")
    parser.add_argument("--rows", action="store_true", help="print every measurement of memory")
    parser.add_argument("--by-clock", action="store_true", help="also list pauses without processor time")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
