"""Changes to the files of an open benchmark, as another program would make them."""

import os
import random
import shutil
import time
from pathlib import Path
from threading import Event, Thread

from timing import print_line

PAUSES = (0.3, 2.0)
"""Shortest and longest time between two changes in seconds; long enough to be read in between."""


class FileChanges:
    """Rewrites, replaces, deletes and restores files of `folder` in a separate thread.

    Parameters
    ----------
    folder : a copy that may be damaged; what it holds now is what is restored.
    keep : an empty folder for the files as they were.
    seed : decides what happens to which file; when depends on the machine.
    """

    def __init__(self, folder: Path, keep: Path, seed: int) -> None:
        self._folder, self._keep = folder, keep
        shutil.copytree(folder, keep, dirs_exist_ok=True)
        files = sorted(path for path in keep.rglob("*") if path.is_file())
        self._runs = [path.relative_to(keep) for path in files if "runs" in path.parts]
        self._others = [path.relative_to(keep) for path in files if "runs" not in path.parts]
        self._rng = random.Random(seed)
        self._stop = Event()
        self._thread = Thread(target=self._live, name="disk of the soak", daemon=True)
        self.changes: dict[str, int] = {}

    def start(self) -> None:
        self._thread.start()

    def end(self) -> None:
        self._stop.set()
        self._thread.join()

    def _live(self) -> None:
        ways = (self._rewrite, self._replace, self._disturb, self._cut, self._delete)
        while not self._stop.wait(self._rng.uniform(*PAUSES)):
            name = self._rng.choice(self._runs if self._rng.random() < 0.8 else self._others)
            way = self._rng.choices(ways, (3, 3, 3, 1, 1))[0]
            self.changes[way.__name__[1:]] = self.changes.get(way.__name__[1:], 0) + 1
            try:
                way(name)
                if way in (self._cut, self._delete):
                    self._stop.wait(self._rng.uniform(0.5, 6.0))
                    self._replace(name)
            except OSError as error:  # the window reads it at this moment, which some systems forbid
                print_line(f"disk: {error}")

    def _rewrite(self, name: Path) -> None:
        """The same content, written in two parts with a pause, as by a program that writes line by line."""
        content = (self._keep / name).read_bytes()
        with open(self._folder / name, "wb") as file:
            file.write(content[: len(content) // 2])
            file.flush()
            time.sleep(self._rng.uniform(0, 0.2))
            file.write(content[len(content) // 2 :])

    def _replace(self, name: Path) -> None:
        """The same content, written to a temporary file and renamed."""
        draft = self._folder / f"{name}.soak"
        shutil.copyfile(self._keep / name, draft)
        os.replace(draft, self._folder / name)

    def _disturb(self, name: Path) -> None:
        """Two lines exchanged, so that scores change."""
        lines = (self._keep / name).read_bytes().splitlines(keepends=True)
        if len(lines) > 1 and name.suffix != ".npy":
            first, second = self._rng.sample(range(len(lines)), 2)
            lines[first], lines[second] = lines[second], lines[first]
        draft = self._folder / f"{name}.soak"
        draft.write_bytes(b"".join(lines))
        os.replace(draft, self._folder / name)

    def _cut(self, name: Path) -> None:
        """The second half removed."""
        content = (self._keep / name).read_bytes()
        (self._folder / name).write_bytes(content[: len(content) // 2])

    def _delete(self, name: Path) -> None:
        (self._folder / name).unlink(missing_ok=True)
