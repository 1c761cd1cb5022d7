"""Longest event-loop iteration of the main thread for every user action: commands, views, themes, folders, tool tips.

    python tests/bench/bench_main_thread.py                               on the demo
    python tests/bench/bench_main_thread.py --folder ../shared/data/shrec06 --least 30
    python tests/bench/bench_main_thread.py --only theme,perspective --trace
    python tests/bench/bench_main_thread.py --folder ../shared/data/shrec06 --only edit --edits 30 --platform xcb

The last one prints how long each edit of a relevance level takes until all panels show it, from the key press on.

An iteration is the time between two events of a 2 ms timer, in processor time of the main thread, which does not depend
on other load. Every action runs twice, as the first run fills caches. Exit status 1 if an iteration exceeds the limit.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from timing import print_line

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

LIMIT = 0.1
"""Longest acceptable iteration in seconds."""

TICK_MS, POLL_MS = 2, 20
"""Milliseconds between two timer events, and between two checks whether the program is idle."""

WORK_MS = 1.5
"""Processor time of an iteration that shows something; shorter ones are timers of an idle window."""

REST_MS, LIMIT_MS = 240, 4000
"""Shortest observation of a step (debounced work starts within 200 ms) and longest, milliseconds."""


@dataclass(frozen=True)
class Step:
    """An action and its name, ``kind: object``."""

    name: str
    act: object
    values: tuple = ()


def main() -> int:
    """Run all steps and print the longest iterations."""
    options = _options()
    os.environ["QT_QPA_PLATFORM"] = options.platform
    os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"
    with tempfile.TemporaryDirectory(prefix="shrec-standstill-", ignore_cleanup_errors=True) as scratch:
        for variable in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
            os.environ[variable] = str(Path(scratch) / variable)
        from PySide6.QtWidgets import QApplication

        app = QApplication(sys.argv[:1])
        round_trip = RoundTrip(options, Path(scratch))
        app.exec()
        return round_trip.report()


class RoundTrip:
    """The window and the steps performed in it."""

    def __init__(self, options, scratch: Path) -> None:
        from PySide6.QtCore import QTimer
        from PySide6.QtWidgets import QApplication
        from soak_dialogs import DialogStubs, copy_folder

        from shrec_viewer.app.startup.application import EventLoopCollector
        from shrec_viewer.app.startup.settings import SettingsFile
        from shrec_viewer.app.startup.theme import ThemeSelector
        from shrec_viewer.app.window.main_window import MainWindow

        self.options = options
        self.rows: list[tuple[float, str, int, list[str]]] = []
        self.edits: list[float] = []
        self.scratch = scratch
        saved = scratch / "saved"
        saved.mkdir()
        self.folder = copy_folder(options.folder, scratch) if options.copy else options.folder
        DialogStubs(random.Random(1), saved, [self.folder])
        settings = SettingsFile(scratch / "settings.ini")
        self.window = MainWindow(ThemeSelector(QApplication.instance()), settings, thumbnails=not options.no_pictures)
        self.window.painted.connect(self.window.assemble)
        self.window.assembled.connect(self._begin)
        self.collector = EventLoopCollector(self.window)
        self.step = Step("start", None)
        self.round, self.waited, self.acting = 0, 0, False
        self.monitor = None
        self.looks = QTimer(self.window, interval=POLL_MS)
        self.looks.timeout.connect(self._sample)
        self.window.resize(*options.size)
        self.window.show()
        self.window.activateWindow()

    def _begin(self) -> None:
        self.monitor = _heart()
        self.plan = [*steps(self.window, self.folder, self.scratch, self.options.edits)]
        self.left = self._chosen(0)
        self.looks.start()

    def _chosen(self, round_: int) -> list[Step]:
        only = {word for word in self.options.only.split(",") if word}
        kinds = {"open"} | only
        chosen = [step for step in self.plan if not only or step.name.split(":")[0] in kinds]
        return [step for step in chosen if round_ == 0 or step.name.split(":")[0] != "open" or not only]

    def _sample(self) -> None:
        from PySide6.QtCore import QTimer

        self.waited += POLL_MS
        if self.acting:
            self._leave()
            return
        if self.waited < REST_MS or (self._is_busy() and self.waited < LIMIT_MS):
            return
        self._note()
        self._leave()
        if not self.left:
            self.round += 1
            if self.round >= self.options.rounds:
                self._end()
                return
            self.left = self._chosen(self.round)
        self.step, *self.left = self.left
        self.waited, self.acting = 0, True
        if self.options.verbose:
            print_line(self.step.name)
        QTimer.singleShot(0, self._act)  # not here: a timer is silent in an event loop of its own, as menus have one

    def _act(self) -> None:
        self.monitor.begin()
        try:
            self.step.act(*self.step.values)
        finally:
            self.acting = False

    def _is_busy(self) -> bool:
        from shrec_viewer.app.startup.selftest import is_drawn

        session = self.window.session
        if session.tasks.is_busy() or session.is_opening:
            return True
        return session.is_open and not is_drawn(self.window)

    def _leave(self) -> None:
        """Close popups and dialogs after they were painted."""
        from PySide6.QtWidgets import QApplication

        if self.waited < REST_MS:
            return
        for window in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if window is not None:
                window.close()
        for window in QApplication.topLevelWidgets():
            if window is not self.window and window.isVisible() and window.inherits("QDialog"):
                window.close()

    def _note(self) -> None:
        work, stacks, shown = self.monitor.taken()
        if self.step.name.startswith("edit"):
            self.edits.append(1000 * shown)
        self.rows.append((1000 * work, self.step.name, self.round, stacks))
        if self.options.trace and 1000 * work >= self.options.least:
            print_line(f"{1000 * work:6.0f} ms  {self.step.name} ({self.round + 1})\n    " + "\n    ".join(stacks))

    def _end(self) -> None:
        from PySide6.QtWidgets import QApplication

        self.looks.stop()
        self.monitor.end()
        self.window.close_now()
        QApplication.quit()

    def report(self) -> int:
        """Print a line for each step, longest first; returns the exit status."""
        names = dict.fromkeys(row[1] for row in self.rows)
        table = {name: [round(row[0], 1) for row in self.rows if row[1] == name] for name in names}
        for name in sorted(table, key=lambda name: -max(table[name])):
            if max(table[name]) >= self.options.least:
                print_line(f"{' '.join(f'{work:7.1f}' for work in table[name])}  {name}")
        longest = max(row[0] for row in self.rows)
        over = {limit: sum(max(table[name]) > limit for name in table) for limit in (60, 100)}
        found = {"steps": len(table), "longest_ms": longest, "over_60": over[60], "over_100": over[100]}
        if self.edits:
            found["edits"] = len(self.edits)
            found["edit_shown_ms"] = {"median": round(median(self.edits), 1), "most": round(max(self.edits), 1)}
        print_line(json.dumps(found))
        return 1 if longest > 1000 * LIMIT else 0


def steps(window, folder: Path, scratch: Path, edits: int):
    """All steps, in an order in which most are possible; `edits` is the number of edits of relevance levels."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from shrec_viewer.app.commands import COMMANDS
    from shrec_viewer.metrics import CONVENTIONS, MEASURES, PROFILES, with_convention
    from shrec_viewer.panels import PANELS, PERSPECTIVES

    session, space = window.session, window.workspace

    def settings(**values):
        window.change_settings(replace(window.settings, **values))

    def dock(key):
        next(row for row in space.dock_actions() if row.data() == key).trigger()

    def select(**values):
        session.select(**values)

    def floating(key):
        space.dock(key).setFloating(not space.dock(key).isFloating())

    def typed(words):
        from PySide6.QtWidgets import QApplication

        QTest.keyClicks(QApplication.focusWidget(), words)

    def convention(choice, value):
        session.set_conventions(with_convention(session.profile, choice.field, value.value))

    yield Step("open: folder", window.open_path, (folder,))
    yield Step("open: demo", window.open_demo)
    yield Step("open: folder again", window.open_path, (folder,))
    for theme in ("dark", "light"):
        yield Step(f"theme: {theme}, one perspective seen", window.set_theme_choice, (theme,))
    for row in PERSPECTIVES[1:]:
        yield Step(f"perspective: {row.key}", space.show_perspective, (row.key,))
    yield Step("perspective: query", space.show_perspective, ("query",))
    for theme in ("dark", "light"):
        yield Step(f"theme: {theme}, all perspectives seen", window.set_theme_choice, (theme,))
    for query, run in ((1, 0), (2, 1), (3, 1), (0, 0)):
        yield Step(f"select: query {query} of run {run}", lambda q=query, r=run: select(query=q, run=r))
    yield Step("select: rank", lambda: select(rank=2))
    for number in range(edits):
        yield Step(f"rank: {3 + number} for an edit", lambda n=number: select(rank=3 + n))
        yield Step(f"edit: level at rank {3 + number}", _edit_level, (window, 3 + number))
    for row in PERSPECTIVES:
        yield Step(f"perspective: {row.key} again", space.show_perspective, (row.key,))
        for panel in PANELS:
            if panel.area != "centre":
                yield Step(f"dock: {panel.key} in {row.key}", space.show_panel, (panel.key,))
        for key in ("queries", "precision_recall", "leaderboard"):
            yield Step(f"float: {key} in {row.key}", floating, (key,))
            yield Step(f"float: {key} in {row.key}, back", floating, (key,))
        yield Step(f"dock: close in {row.key}", dock, ("queries",))
        yield Step(f"dock: open in {row.key}", dock, ("queries",))
        for query, run in ((1, 0), (2, 1), (0, 0)):
            yield Step(f"select: {query} of {run} in {row.key}", lambda q=query, r=run: select(query=q, run=r))
        for size in ((1920, 1080), window.size().toTuple()):
            yield Step(f"resize: {size} in {row.key}", window.resize, size)
        yield Step(f"reset: {row.key}", window.menus.actions["reset_layout"].trigger)
        for theme in ("dark", "light"):
            yield Step(f"theme: {theme} in {row.key}", window.set_theme_choice, (theme,))
        for percent in (130, 115, 100):
            yield Step(f"text: {percent} % in {row.key}", lambda p=percent: settings(text_size=p))
        for preset in ("strict", "contrast", "classic", "ordinal"):
            yield Step(f"preset: {preset} in {row.key}", lambda p=preset: settings(relevance=p))
        yield Step(f"reload: {row.key}", session.reload)
        yield Step(f"open: folder in {row.key}", window.open_path, (folder,))
        for number in (1, 2):
            yield Step(f"hide: run {number} in {row.key}", window.menus.actions["hide_run"].trigger)
        yield Step(f"hide: none in {row.key}", window.menus.actions["show_all_runs"].trigger)
    yield Step("perspective: query for commands", space.show_perspective, ("query",))
    for profile in (*PROFILES, PROFILES[0]):
        yield Step(f"profile: {profile.key}", session.set_profile, (profile.key,))
    for choice in CONVENTIONS:
        for value in choice.values:
            yield Step(f"convention: {choice.field}={value.value}", convention, (choice, value))
    yield Step("profile: back", session.set_profile, (session.profile.key,))
    for measure in MEASURES:
        yield Step(f"measure: {measure.name}", window.show_measures, (measure.name,))
    yield Step("window: palette", window.show_palette)
    yield Step("window: error", window.show_error_dialog, ("Unexpected error.", "Traceback"))
    for row in COMMANDS:
        if row.key not in ("quit", "close", "full_screen"):
            yield Step(f"command: {row.key}", window.menus.actions[row.key].trigger)
    for menu in window.menuBar().actions():
        yield Step(f"menu: {menu.text()}", lambda m=menu: m.menu().popup(window.mapToGlobal(window.rect().center())))
    for key in ("ranked_list", "queries", "leaderboard", "precision_recall", "measures"):
        yield Step(f"panel: {key}", space.show_panel, (key,))
        for name in ("PageDown", "End", "Home"):
            yield Step(f"key: {name} in {key}", lambda k=key, n=name: _press_key(space.panel(k), Qt.Key[f"Key_{n}"]))
    project = scratch / "saved" / "kept.shrec"
    yield Step("project: save", window.projects.write, (project,))
    yield Step("perspective: campaign for the project", space.show_perspective, ("campaign",))
    yield Step("dock: score for the project", dock, ("calculation",))
    yield Step("project: open", window.open_path, (project,))
    yield Step("open: demo at the end", window.open_demo)
    yield Step("command: close", window.menus.actions["close"].trigger)


def _edit_level(window, rank: int) -> None:
    """Change the level of the model at a rank by a key, as 0 to 2 do."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    window.activateWindow()
    grid = window.workspace.ranked_list.grid
    grid.setFocus()
    level = int(window.session.ranked_list.levels[rank - 1])
    QTest.keyClick(grid, Qt.Key.Key_2 if level == 0 else Qt.Key.Key_0)


def _press_key(panel, key) -> None:
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QAbstractScrollArea

    for view in panel.findChildren(QAbstractScrollArea)[:1]:
        view.setFocus()
        QTest.keyClick(view, key)


def _heart():
    import soak_monitor

    class EventLoopMonitor(soak_monitor.EventLoopMonitor):
        """Records the longest iteration since `begin` and its stacks."""

        def __init__(self) -> None:
            self.longest, self.at = 0.0, []
            self.began = self.shown = 0.0
            super().__init__(str, None)
            self._timer.start(TICK_MS)

        def _on_tick(self) -> None:
            import time

            now = (time.perf_counter(), time.thread_time())
            work = now[1] - self._last_tick[1]
            self._last_tick = now
            if 1000 * work > WORK_MS:
                self.shown = now[0] - self.began
            if work > self.longest:
                stacks = Counter(soak_monitor.stack_of_thread(dump, self._main) for dump in tuple(self._dumps))
                self.longest = work
                self.at = [line for stack, count in stacks.most_common(4) for line in (f"{count} x", *stack)]
            self._dumps.clear()

        def begin(self) -> None:
            import time

            self._on_tick()
            self.longest, self.at = 0.0, []
            self.began, self.shown = time.perf_counter(), 0.0

        def taken(self):
            return self.longest, self.at, self.shown

    return EventLoopMonitor()


def _options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=Path, default=ROOT / "resources" / "demo")
    parser.add_argument("--copy", action="store_true", help="work on a copy: the folder may be written to")
    parser.add_argument("--platform", default=os.environ.get("QT_QPA_PLATFORM", "offscreen"))
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 800))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", default="", help="kinds of steps, separated by commas")
    parser.add_argument("--least", type=float, default=40.0, help="milliseconds of the shortest printed iteration")
    parser.add_argument("--edits", type=int, default=4, help="number of edits of relevance levels")
    parser.add_argument("--no-pictures", action="store_true")
    parser.add_argument("--trace", action="store_true", help="what the main thread was at in long turns")
    parser.add_argument("--verbose", action="store_true")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
