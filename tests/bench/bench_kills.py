"""SIGKILL at random moments while a note is typed, a project saved, results exported, caches built.

    python tests/bench/bench_kills.py                      100 kills of each kind
    python tests/bench/bench_kills.py --kills 3 --only typing,exporting

Prints one line of JSON for each kind; status 1 for more than a second of lost typing, a torn file or a leftover.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timing import print_line

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

KINDS = ("typing", "saving", "exporting", "caching")

WINDOW_KINDS = KINDS[:2]
"""Kinds whose process has a window."""

KEY_MS = 30
"""Milliseconds between two keys: 33 a second, faster than people type."""

MAX_START_S = 60.0
"""Seconds until the first step of a process; one that takes longer, or ends before the kill, is a fault."""


def main() -> int:
    """Run the kinds, or be the process that is killed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--minutes", type=float, default=60.0, help="end of each kind, even with fewer kills")
    parser.add_argument("--longest", type=float, default=2.5, help="seconds from the first step to the kill, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default=",".join(KINDS))
    parser.add_argument("--child", nargs=3, metavar=("KIND", "SCRATCH", "NUMBER"), help="be the process")
    options = parser.parse_args()
    if options.child:
        kind, scratch, number = options.child
        return CHILDREN[kind](Path(scratch), int(number))
    status = 0
    for kind in options.only.split(","):
        with tempfile.TemporaryDirectory(prefix="shrec-kills-") as scratch:
            found = Kills(kind, Path(scratch), options, random.Random(options.seed)).run(options.minutes)
        print_line(json.dumps(found))
        faults = [found[name] for name in ("torn", "leftovers", "lost", "not_killed")]
        status |= any(faults) or found["lost_seconds"] > 1
    return status


class Kills:
    """Starts a process again and again, kills it, and checks what it left."""

    def __init__(self, kind: str, scratch: Path, options: argparse.Namespace, rng: random.Random) -> None:
        from sample_benchmark import write_sample_benchmark

        self._kind, self._scratch, self._rng = kind, scratch, rng
        self._kills, self._longest = options.kills, options.longest
        self._environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
        for name in ("CACHE", "CONFIG", "DATA", "STATE"):
            self._environment[f"XDG_{name}_HOME"] = str(scratch / name.lower())
        self._environment["TMPDIR"] = str(scratch)
        (scratch / "out").mkdir()
        write_sample_benchmark(scratch / "sample_benchmark", meshes=False)
        self._lost_seconds, self._torn, self._leftovers, self._lost = 0.0, [], [], []
        self._written, self._not_killed = set(), []

    def run(self, minutes: float) -> dict:
        """The result as JSON."""
        end = time.monotonic() + 60 * minutes
        for number in range(self._kills):
            if time.monotonic() > end:
                self._kills = number
                break
            self._kill_once(number)
            self._start_again()
            self._check(number)
        if self._kind in WINDOW_KINDS:
            self._check_windows()
        if self._kind == "typing":
            self._check_all_notes()
        return {
            "kind": self._kind, "kills": self._kills, "lost_seconds": round(self._lost_seconds, 3),
            "lost": self._lost[:5], "torn": self._torn[:5], "leftovers": sorted(set(self._leftovers))[:5],
            "not_killed": self._not_killed[:5],
        }  # fmt: skip

    def _kill_once(self, number: int) -> None:
        log = self._scratch / "log"
        log.write_text("")
        command = [sys.executable, __file__, "--child", self._kind, str(self._scratch), str(number)]
        with subprocess.Popen(
            command, env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as child:
            end = time.monotonic() + MAX_START_S
            while not log.read_text() and child.poll() is None and time.monotonic() < end:
                time.sleep(0.01)
            time.sleep(self._rng.random() * self._longest)
            if not log.read_text() or child.poll() is not None:
                self._not_killed.append(f"{number}: status {child.poll()} before the kill")
            child.kill()

    def _start_again(self) -> None:
        """The next start of the program."""
        subprocess.run(
            [sys.executable, "-m", "shrec_viewer", "cache"], env=self._environment, capture_output=True, check=True
        )

    def _check(self, number: int) -> None:
        self._leftovers += [
            path.name for path in self._scratch.rglob("*") if ".part" in path.name or path.suffix == ".temporary"
        ]
        getattr(self, f"_check_{self._kind}")(number)

    def _check_typing(self, number: int) -> None:
        typed = [line.split() for line in (self._scratch / "log").read_text().splitlines()]
        kept = max((text for text in self._kept_notes() if text.startswith(f"{number}:")), key=len, default="")
        if kept:
            self._written.add(number)
        unsaved = [float(at) for at, length in typed if int(length) > len(kept)]
        if unsaved:
            # To the last key, not to the kill: a busy machine may stop the process for seconds before it.
            self._lost_seconds = max(self._lost_seconds, max(unsaved) - min(unsaved))

    def _kept_notes(self) -> list[str]:
        found = []
        for file in (self._scratch / "data").rglob("unsaved/*.json"):
            try:
                found += json.loads(file.read_text())["edited"]["notes"].values()
            except ValueError:
                self._torn.append(file.name)
        return found

    def _check_windows(self) -> None:
        """A window that is opened and closed afterwards removes what the killed ones have left, except journals."""
        command = [sys.executable, __file__, "--child", "closing", str(self._scratch), "0"]
        subprocess.run(command, env=self._environment, capture_output=True, check=True, timeout=MAX_START_S)
        for name in ("windows", "running"):
            for folder in self._scratch.rglob(name):
                self._leftovers += [path.name for path in folder.rglob("*")]

    def _check_all_notes(self) -> None:
        """No journal of an earlier kill was overwritten or deleted by a later window."""
        kept = self._kept_notes()
        self._lost += [n for n in self._written if not any(text.startswith(f"{n}:") for text in kept)]

    def _check_saving(self, number: int) -> None:
        from shrec_viewer.domain import ShrecViewerError
        from shrec_viewer.formats.manifest.project import read_project

        path = self._scratch / "out" / "mine.shrec"
        saved = [
            int(line.split()[1])
            for line in (self._scratch / "log").read_text().splitlines()
            if line.startswith("saved")
        ]
        try:
            texts = list(read_project(path).edits.notes.values()) if path.exists() else []
        except ShrecViewerError:
            self._torn.append(number)
            return
        found = max((int(text.split(":")[1]) for text in texts if text.startswith(f"{number}:")), default=-1)
        if saved and found < max(saved):
            self._lost.append(number)

    def _check_exporting(self, number: int) -> None:
        out = self._scratch / "out"
        try:
            if (out / "scores.json").exists():
                assert len(json.loads((out / "scores.json").read_text())["runs"]) == 3
            if (out / "a.run").exists():
                assert (out / "a.run").read_text().endswith("A1\n")
        except (ValueError, AssertionError):
            self._torn.append(number)

    def _check_caching(self, number: int) -> None:
        from shrec_viewer.formats.io.parse_cache import read_cached
        from shrec_viewer.render.thumbnails.cache import ThumbnailCache

        for path in (self._scratch / "cache").rglob("*.parsed"):
            try:
                array, _ = read_cached(path)
                assert (array == array[0]).all()
            except (OSError, ValueError, AssertionError):
                self._torn.append(path.name)
        folder = self._scratch / "cache" / "shrec-viewer" / "thumbnails"
        cache = ThumbnailCache(folder)
        found = cache.get_many(bytes([n]) for n in range(10))
        if cache.problem or any(webp != key * 50_000 for key, webp in found.items()):
            self._torn.append(f"thumbnails {number}")
        cache.close()


def _log(scratch: Path, text: str) -> None:
    with (scratch / "log").open("a") as log:
        log.write(text + "\n")


def _window(scratch: Path, number: int, step_name: str) -> int:
    """The real program; a timer takes the steps once the benchmark is shown."""
    from PySide6.QtCore import QObject, QTimer, Slot
    from PySide6.QtTest import QTest

    from shrec_viewer.app.startup import application
    from shrec_viewer.cli.program import run

    class Driver(QObject):
        """Types or saves at every tick of the timer."""

        def __init__(self, window) -> None:
            super().__init__(window)
            self._window, self._count, self._saved = window, 0, -1
            self._timer = QTimer(self, interval=KEY_MS)
            self._timer.timeout.connect(self._step)
            self._timer.start()

        @Slot()
        def _step(self) -> None:
            session = self._window.session
            if session is None or not session.is_open or session.tasks.is_busy():
                return
            getattr(self, step_name)(session)

        def type(self, session) -> None:
            field = self._window.workspace.panel("notes").field
            if not self._count:
                self._window.workspace.show_panel("notes")
                session.select(query=number % len(session.benchmark.queries))
                field.insertPlainText(f"{number}:")
            self._count += 1
            QTest.keyClick(field, "x")
            _log(scratch, f"{time.monotonic()} {len(field.toPlainText())}")

        def close(self, _session) -> None:
            self._timer.stop()
            self._window.close_now()

        def save(self, session) -> None:
            path = scratch / "out" / "mine.shrec"
            projects = self._window.projects
            if self._saved < self._count and projects.path == path and session.edits.stack.isClean():
                self._saved = self._count
                _log(scratch, f"saved {self._count}")
            self._count += 1
            session.edits.set_note("q1", f"{number}:{self._count}")
            projects.write(path)

    original = application.Application.run

    def with_driver(self):
        self.driver = Driver(self.window)
        return original(self)

    application.Application.run = with_driver
    return run(["open", str(scratch / "sample_benchmark")])


def type_notes(scratch: Path, number: int) -> int:
    """Type a note, a key at a time."""
    return _window(scratch, number, "type")


def save_projects(scratch: Path, number: int) -> int:
    """Change a note and save the project, over and over."""
    return _window(scratch, number, "save")


def close_window(scratch: Path, number: int) -> int:
    """Open the benchmark and close the window."""
    return _window(scratch, number, "close")


def export_results(scratch: Path, _number: int) -> int:
    """Write scores and a converted run, over and over."""
    from shrec_viewer.cli.program import run

    folder, out = str(scratch / "sample_benchmark"), scratch / "out"
    while True:
        run(["evaluate", folder, "--per-query", "--format", "json", "--output", str(out / "scores.json")])
        run(["convert", folder, "--run", "A1", "--to", "trec", "--output", str(out / "a.run")])
        _log(scratch, "exported")


def build_caches(scratch: Path, _number: int) -> int:
    """Store arrays and thumbnails, over and over."""
    import numpy as np

    from shrec_viewer.cli.benchmark import parse_cache
    from shrec_viewer.cli.program import run
    from shrec_viewer.formats.io.parse_cache import GrowingArray
    from shrec_viewer.render.thumbnails.cache import ThumbnailCache, cache_folder

    run(["cache"])
    parsed, thumbnails = parse_cache(), ThumbnailCache(cache_folder())
    while True:
        for key in range(10):
            values, name = np.full(2_000_000, random.random()), f"k-{key}"
            with GrowingArray(values.dtype, parsed, name) as array:
                array.append(values)
                array.finish(values.shape, {}, name)
            thumbnails.put({bytes([key]): bytes([key]) * 50_000})
            _log(scratch, f"stored {key}")


CHILDREN = {
    "typing": type_notes, "saving": save_projects, "exporting": export_results, "caching": build_caches,
    "closing": close_window,
}  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
