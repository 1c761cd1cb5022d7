"""Location of a finding: its file, run and query, and an excerpt of the file."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from shrec_viewer.domain import Benchmark, Cancelled, Finding, FormatError
from shrec_viewer.formats.core.ids import IdIndex, natural_key
from shrec_viewer.formats.io.files import open_unpacked
from shrec_viewer.formats.io.text import decode, is_utf16, looks_like_text, os_error_text, read_file_head
from shrec_viewer.viewmodels.tasks.tasks import Task

#: Lines shown before and after the line of the finding; so many are read and displayed at once.
CONTEXT_LINES = 1000

#: Characters shown of one line; a row of a matrix may have a hundred thousand.
MAX_LINE_LENGTH = 2000

#: Lines between two checks for cancellation.
CANCEL_CHECK_LINES = 4096

#: Maximum number of entries listed of a folder.
MAX_FOLDER_ENTRIES = 5000


@dataclass(frozen=True)
class FindingLocation:
    """File, run and query of a finding.

    Attributes
    ----------
    path : file or folder, None where it no longer exists.
    line : 1-based line number, or None.
    run, query : indices of its run and its query in the benchmark, or None.
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
    first : 1-based number of the first line.
    lines : text of the lines, cut at `MAX_LINE_LENGTH` characters.
    mark : number of the line of the finding, or None.
    note : remark shown above the lines, e.g. which part of the file they are; "" for none.
    numbered : whether to show line numbers; False for the entries of a folder.
    """

    path: Path
    first: int
    lines: tuple[str, ...]
    mark: int | None
    note: str = ""
    numbered: bool = True


def finding_path(benchmark: Benchmark, finding: Finding) -> Path:
    """Path that a finding is about; it may lie inside an archive, or not exist."""
    return Path(os.path.normpath(benchmark.root / finding.file))


def run_at(benchmark: Benchmark, path: Path) -> int | None:
    """Index of the run that is read from the file `path` or from a folder that contains it, or None."""
    runs = ((index, run) for index, run in enumerate(benchmark.runs) if not run.expression)
    return next((index for index, run in runs if path.is_relative_to(run.source)), None)


def locate_finding(benchmark: Benchmark, finding: Finding) -> FindingLocation:
    """File, run and query of a finding."""
    path = finding_path(benchmark, finding)
    if not os.path.exists(path):
        path = _unpacked_path(benchmark, path) or path
    run = run_at(benchmark, path)
    query = None
    if run is not None and path != benchmark.runs[run].source:
        index = IdIndex(benchmark.queries.ids).index_of(path.name)
        query = index if index >= 0 else None
    return FindingLocation(path if os.path.exists(path) else None, finding.line, run, query)


def read_excerpt(path: Path, line: int | None, task: Task) -> Excerpt:
    """The lines of a file around `line`, or the entries of a folder.

    Raises
    ------
    FormatError
        When the file cannot be opened, or is not a text file.
    Cancelled
        When the task was cancelled.
    """
    if os.path.isdir(path):
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
    notes = []
    if first > 1 or more:
        notes.append(f"Lines {first:,} to {first + len(found) - 1:,}")
    if line is not None and mark is None:
        notes.append(f"The file no longer has a line {line:,}")
    return Excerpt(path, first, tuple(found), mark, ". ".join(notes))


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
        else f"{line[:MAX_LINE_LENGTH]} … {len(line) - MAX_LINE_LENGTH:,} more characters"
    )


def _folder_excerpt(folder: Path) -> Excerpt:
    try:
        with os.scandir(folder) as listing:
            names = sorted((entry.name + ("/" if entry.is_dir() else "") for entry in listing), key=natural_key)
    except OSError as error:
        raise FormatError(folder, os_error_text(error)) from error
    note = f"Folder with {len(names):,} {'entry' if len(names) == 1 else 'entries'}"
    if len(names) > MAX_FOLDER_ENTRIES:
        note += f", the first {MAX_FOLDER_ENTRIES:,} are shown"
    return Excerpt(folder, 1, tuple(names[:MAX_FOLDER_ENTRIES]), None, note, numbered=False)


def _unpacked_path(benchmark: Benchmark, path: Path) -> Path | None:
    """Path that a file in an archive was unpacked to; the archive where that is not known."""
    archive = next((above for above in path.parents if os.path.exists(above)), None)
    if archive is None or not os.path.isfile(archive):
        return None
    inner = path.relative_to(archive).parts
    for run in (run for run in benchmark.runs if not run.expression):
        for cut in range(len(inner)):
            candidate = run.source.joinpath(*inner[cut:])
            if run.source.name in (*inner[:cut], archive.name.split(".")[0]) and os.path.exists(candidate):
                return candidate
        if run.source.name == inner[-1] and os.path.exists(run.source):
            return run.source
    return archive
