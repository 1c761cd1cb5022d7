"""Location of a finding: file, run, query, and the lines around it."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError
from shrec_viewer.formats.core.ids import natural_key
from shrec_viewer.formats.io.compressed import open_unpacked
from shrec_viewer.formats.io.text import decode, is_utf16, looks_like_text, os_error_text, read_file_head
from shrec_viewer.viewmodels.tasks.tasks import Task

CONTEXT_LINES = 1000
"""Lines shown before and behind the place: enough to see how a file goes on, and at once on the screen."""

MAX_LINE_LENGTH = 2000
"""Letters shown of one line; a row of a matrix has a hundred thousand, and no screen shows more."""

CANCEL_CHECK_LINES = 4096
"""Lines between two questions whether anybody still waits."""

MAX_FOLDER_ENTRIES = 5000
"""Entries of a folder that are listed."""


@dataclass(frozen=True)
class FindingLocation:
    """Where a finding is.

    Attributes
    ----------
    path : file or folder, None where it is nowhere on the disk any more.
    line : 1-based, or None.
    run, query : places in the benchmark of the run and the query that it is about, or None.
    """

    path: Path | None
    line: int | None
    run: int | None
    query: int | None


@dataclass(frozen=True)
class Excerpt:
    """Lines of a file.

    Attributes
    ----------
    path : the file or folder.
    first : number of the first line, from 1.
    lines : what stands there, cut at `MAX_LINE_LENGTH` letters.
    mark : the line that matters, or None.
    said : what a reader should know beside the lines; "" for nothing.
    numbered : whether lines have numbers: not the entries of a folder.
    """

    path: Path
    first: int
    lines: tuple[str, ...]
    mark: int | None
    said: str = ""
    numbered: bool = True


def locate_finding(benchmark: Benchmark, finding: Finding) -> FindingLocation:
    """Where a finding is."""
    path = Path(os.path.normpath(benchmark.root / finding.file))
    if not os.path.exists(path):
        path = _in_an_archive(benchmark, path) or path
    run = next((place for place, run in enumerate(benchmark.runs) if _is_within(path, run.source)), None)
    query = None
    if run is not None and path != benchmark.runs[run].source:
        index = benchmark.queries.index
        query = next((index[name] for name in (path.name, path.stem) if name in index), None)
    return FindingLocation(path if os.path.exists(path) else None, finding.line, run, query)


def read_excerpt(path: Path, line: int | None, task: Task) -> Excerpt:
    """The lines around a place, or the entries of a folder.

    Raises
    ------
    FormatError
        When the file cannot be opened, or is no text.
    Cancelled
        When nobody waits any more.
    """
    if path.is_dir():
        return _folder_excerpt(path)
    head = read_file_head(path)
    if not looks_like_text(head.data):
        raise FormatError(path, "is not a text file, so there are no lines to show")
    first = max(1, (line or 1) - CONTEXT_LINES)
    last = (line or 1) + CONTEXT_LINES
    found: list[str] = []
    more = False
    for number, text in enumerate(_lines(path, is_utf16(head.data)), 1):
        if number % CANCEL_CHECK_LINES == 0 and task.cancelled():
            raise Cancelled
        if number > last:
            more = True
            break
        if number >= first:
            found.append(_shorten(text))
    mark = line if line is not None and first <= line < first + len(found) else None
    said = []
    if first > 1 or more:
        said.append(f"Lines {first:,} to {first + len(found) - 1:,}")
    if line is not None and mark is None:
        said.append(f"The file has no line {line:,} any more")
    return Excerpt(path, first, tuple(found), mark, ". ".join(said))


def _lines(path: Path, wide: bool) -> Iterator[str]:
    try:
        with open_unpacked(path) as stream:
            if wide:
                yield from decode(stream.read()).split("\n")
                return
            for data in stream:
                yield decode(data.rstrip(b"\r\n"))
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error


def _shorten(line: str) -> str:
    return (
        line
        if len(line) <= MAX_LINE_LENGTH
        else f"{line[:MAX_LINE_LENGTH]} … {len(line) - MAX_LINE_LENGTH:,} letters more"
    )


def _folder_excerpt(folder: Path) -> Excerpt:
    try:
        with os.scandir(folder) as listing:
            names = sorted((entry.name + ("/" if entry.is_dir() else "") for entry in listing), key=natural_key)
    except OSError as error:
        raise FormatError(folder, os_error_text(error)) from error
    said = f"A folder with {len(names):,} {'entry' if len(names) == 1 else 'entries'}"
    if len(names) > MAX_FOLDER_ENTRIES:
        said += f", the first {MAX_FOLDER_ENTRIES:,} of them"
    return Excerpt(folder, 1, tuple(names[:MAX_FOLDER_ENTRIES]), None, said, numbered=False)


def _in_an_archive(benchmark: Benchmark, path: Path) -> Path | None:
    """What a place inside an archive was unpacked to; the archive where that is not known."""
    archive = next((above for above in path.parents if os.path.exists(above)), None)
    if archive is None or not archive.is_file():
        return None
    inner = path.relative_to(archive).parts
    for run in benchmark.runs:
        for cut in range(len(inner)):
            candidate = run.source.joinpath(*inner[cut:])
            if run.source.name in (*inner[:cut], archive.name.split(".")[0]) and candidate.exists():
                return candidate
        if run.source.name == inner[-1] and run.source.exists():
            return run.source
    return archive


def _is_within(path: Path, source: Path) -> bool:
    return path == source or source in path.parents
