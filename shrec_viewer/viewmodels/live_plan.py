"""Which files of a benchmark are worth watching, and what it means when they change."""

import os
from collections.abc import Iterable
from pathlib import Path

from shrec_viewer.domain import Benchmark, Cancelled, FormatError
from shrec_viewer.formats.archive import is_archive, is_called_archive
from shrec_viewer.formats.folder import RUN_KINDS, recognise
from shrec_viewer.formats.manifest import MANIFEST_NAME, PROJECT_SUFFIX
from shrec_viewer.formats.plan import Parts
from shrec_viewer.formats.text import read_head
from shrec_viewer.viewmodels.live_watch import REST, Watched
from shrec_viewer.viewmodels.tasks import Task

_FILE = "file "
"""Keys of what is no run begin so: description, classes, queries, relevance, archives."""

NEWCOMERS = "newcomers"
"""Key of the folders that hold runs; new names in them may be new runs."""

_RUN = "run "

MOST_LOOKED_AT = 8
"""Files of a new folder that are looked at to see whether it holds rank lists."""


def plan_of(benchmark: Benchmark, path: Path | None, parts: Parts) -> dict[str, Watched]:
    """What to watch, by key.

    Parameters
    ----------
    path : what was opened.
    parts : where parts lie elsewhere.
    """
    if path is not None and is_called_archive(path):
        return {f"{_FILE}{path}": Watched((path,))}  # what was unpacked from it never changes
    named_places = {place for found in _paths_named(benchmark) for place in (found, *found.parents)}
    # What lies in an archive was unpacked elsewhere, while findings name the archive: there is nothing to watch there.
    runs = {place: run.source for place, run in enumerate(benchmark.runs) if run.source in named_places}
    plan = {f"{_RUN}{place}": Watched((source,)) for place, source in runs.items()}
    opened = path if path is not None and path.is_file() and path.suffix.lower() != PROJECT_SUFFIX else None
    named = [benchmark.root / MANIFEST_NAME, opened]  # a project is written by ourselves
    named += [part for part in (parts.classification, parts.queries, parts.assessment) if part and not part.is_dir()]
    sources = set(runs.values())
    files = dict.fromkeys(file for file in (*named, *files_named(benchmark)) if file is not None)
    plan |= {f"{_FILE}{file}": Watched((file,)) for file in files if file not in sources}
    homes = [home for home in (benchmark.root, parts.runs) if home is not None]
    packed = (file for file in files if is_called_archive(file))
    folders = dict.fromkeys(file.parent for file in sorted({*sources, *packed}))
    inside = tuple(folder for folder in folders if any(folder.is_relative_to(home) for home in homes))
    if inside:
        plan[NEWCOMERS] = Watched(inside, names_only=True)
    return plan


def runs_of(keys: Iterable[str]) -> set[int]:
    """Places of the runs that some keys of the plan stand for."""
    return {int(key.removeprefix(_RUN)) for key in keys if key.startswith(_RUN)}


def files_of(keys: Iterable[str]) -> list[Path]:
    """Files that some keys of the plan stand for, those of runs left out."""
    return sorted(Path(key.removeprefix(_FILE)) for key in keys if key.startswith(_FILE))


def files_named(benchmark: Benchmark) -> Iterable[Path]:
    """Files that findings are about: every file that was taken for something is named there.

    Not those of runs, models and queries; of what lies in an archive, the archive.
    """
    sources = {run.source for run in benchmark.runs}
    pictured = {path for path in (*benchmark.collection.paths, *benchmark.queries.paths) if path is not None}
    for path in _paths_named(benchmark):
        if path in sources or path in pictured or any(above in sources for above in path.parents):
            continue
        file = next((place for place in (path, *path.parents) if os.path.exists(place)), path)
        if os.path.isfile(file):
            yield file


def _paths_named(benchmark: Benchmark) -> list[Path]:
    names = dict.fromkeys(finding.file for finding in benchmark.findings)
    return [Path(os.path.normpath(benchmark.root / name)) for name in names]


def entries_of(folders: Iterable[Path]) -> frozenset[Path]:
    """What lies in these folders."""
    found: set[Path] = set()
    for folder in folders:
        try:
            found |= {folder / name for name in os.listdir(folder)}
        except OSError:
            continue
    return frozenset(found)


def newcomers(folders: tuple[Path, ...], known: frozenset[Path], task: Task) -> tuple[Path, ...]:
    """What is new in these folders and looks like a run, once nobody writes it any more."""
    new = sorted(path for path in entries_of(folders) - known if not path.name.startswith("."))
    runs = [path for path in new if _is_run(path)]
    before: list[object] = [None]
    while runs and (now := [_sizes(path) for path in runs]) != before:
        before = list(now)
        if task.wait(REST):
            raise Cancelled
    return tuple(path for path in runs if path.exists())


def _is_run(path: Path) -> bool:
    if not path.is_dir():
        return _kind(path) in (*RUN_KINDS, "archive")
    inside = sorted(entry for entry in entries_of((path,)) if not entry.name.startswith(".") and entry.is_file())
    return any(_kind(file) in (*RUN_KINDS, "rank_list") for file in inside[:MOST_LOOKED_AT])


def _kind(path: Path) -> str | None:
    try:
        head = read_head(path)
    except FormatError:
        return None
    return "archive" if is_archive(head) else recognise(head)


def _sizes(path: Path) -> object:
    try:
        if not path.is_dir():
            return path.stat().st_size
        return sorted((entry.name, entry.stat().st_size) for entry in os.scandir(path))
    except OSError:
        return None
