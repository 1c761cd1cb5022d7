"""Progress and cancellation of readers, and large text files in blocks of whole lines."""

from codecs import iterdecode
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, TypedDict

from shrec_viewer.domain import Cancelled, FormatError
from shrec_viewer.formats.io.files import open_unpacked
from shrec_viewer.formats.io.limits import MAX_ARRAY_BYTES, MAX_LINE_BYTES, limit_error
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.text import (
    UTF8_MARK,
    check_lines,
    count_line_ends,
    in_plain_notation,
    looks_like_text,
    os_errors,
    utf16_codec,
)

#: Called between steps of work, which ends with `Cancelled` when it returns True.
CancelCheck = Callable[[], bool]


def never_cancelled() -> bool:
    """Default callback: never cancelled."""
    return False


#: Size from which a text file is cached and its progress is shown: parsing takes about a second.
LARGE_TEXT_BYTES = 2**23

MIB = 2**20

#: Called with (done, total, text).
ProgressCallback = Callable[[int, int, str], None]


#: `map`, which may call the function in another thread while earlier results are used.
BlockMap = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]

#: Calls an importable function with each of several tasks, and a report with the number of finished ones.
ProcessRunner = Callable[[Callable[[Any], object], Sequence[Any], Callable[[int], None]], None]


@dataclass(frozen=True)
class ReadProgress:
    """Cancellation, progress report and cache of a reader.

    Attributes
    ----------
    cancelled : polled while reading; when it returns True, the reader raises `Cancelled`.
    progress : called with the MiB read of large files.
    cache : stores parsed large files.
    run_in_processes : ``run_in_processes(function, tasks, report)`` calls a function with each task in worker
        processes; None: files are parsed one after the other.
    map_blocks : splits the blocks of a large file, the next ones while one is used, if there is a second core.
    """

    cancelled: CancelCheck = never_cancelled
    progress: ProgressCallback | None = None
    cache: ParseCache | None = None
    run_in_processes: ProcessRunner | None = None
    map_blocks: BlockMap = map

    def check(self) -> None:
        """Raise `Cancelled` if reading was cancelled."""
        if self.cancelled():
            raise Cancelled

    def report(self, done: int, total: int, text: str) -> None:
        """Report that `done` of `total` things were read, unless reading was cancelled."""
        self.check()
        if self.progress is not None:
            self.progress(done, total, text)

    def step(self, path: Path, done: int, total: int) -> None:
        """Report that `done` of `total` bytes of a file were read."""
        self.check()
        if self.progress is not None and total >= LARGE_TEXT_BYTES:
            self.progress(min(done, total) // MIB, total // MIB, f"{path.name}, MiB")


NO_PROGRESS = ReadProgress()


class ReadHooks(TypedDict, total=False):
    """Fields of `ReadProgress` that callers of a reader set."""

    cancelled: Callable[[], bool]
    progress: ProgressCallback | None
    cache: ParseCache | None
    run_in_processes: ProcessRunner | None
    map_blocks: BlockMap


#: Bytes of a block of text: with half of them Python takes a fifth more time; the arrays of twice as many do not fit
#: the processor cache (numpy 2.4).
BLOCK_BYTES = 2**20

#: Bytes of a binary file between two progress reports, about 10 ms.
CHUNK_BYTES = 2**24


def read_blocks(path: Path, size: int, progress: ReadProgress, *, has_names: bool = False) -> Iterator[bytes]:
    """Read a text file in blocks of whole lines `in_plain_notation`, reporting progress after each block.

    UTF-16 is converted to UTF-8.

    Parameters
    ----------
    size : bytes of the text.
    has_names : see `check_lines`.

    Raises
    ------
    FormatError
        When the file is not text, or a line exceeds a limit of `formats.io.limits`.
    Cancelled
        When `progress` is cancelled.
    """
    done, n_lines = 0, 0
    with open_unpacked(path) as stream:
        for block in _whole_lines(path, _utf8(stream)):
            if not looks_like_text(block):
                raise FormatError(path, "is not a text file")
            check_lines(path, block, n_lines, has_names=has_names)
            yield in_plain_notation(block)
            done += len(block)
            n_lines += count_line_ends(block)
            progress.step(path, done, size)


def read_whole_file(path: Path, size: int, progress: ReadProgress) -> bytes:
    """Read a whole file, decompressed if it is a gzip file, reporting progress.

    Raises
    ------
    FormatError
        When the file cannot be read, or has more than `MAX_ARRAY_BYTES` bytes.
    Cancelled
        When `progress` is cancelled.
    """
    pieces, done = [], 0
    with os_errors(path), open_unpacked(path) as stream:
        for data in iter(partial(stream.read, CHUNK_BYTES), b""):
            pieces.append(data)
            done += len(data)
            if done > MAX_ARRAY_BYTES:
                raise limit_error(MAX_ARRAY_BYTES, "bytes", path)
            progress.step(path, done, size)
    return b"".join(pieces)


def _utf8(stream: BinaryIO) -> Iterator[bytes]:
    """Bytes of a stream in pieces, without byte order mark; UTF-16 is converted to UTF-8."""
    pieces = iter(partial(stream.read, BLOCK_BYTES), b"")
    start = next(pieces, b"")
    if (codec := utf16_codec(start)) is None:
        return chain([start.removeprefix(UTF8_MARK)], pieces)
    return map(str.encode, iterdecode(chain([start], pieces), codec, errors="replace"))


def _whole_lines(path: Path, pieces: Iterator[bytes]) -> Iterator[bytes]:
    left, n_lines = b"", 0
    for data in pieces:
        left += data
        end = left.rfind(b"\n", len(left) - len(data)) + 1
        if end:
            yield left[:end]
            n_lines += count_line_ends(left[:end])
            left = left[end:]
        if len(left) > MAX_LINE_BYTES:
            raise limit_error(MAX_LINE_BYTES, "bytes in this line", path, n_lines + 1)
    if left:
        yield left
