"""Read large text files in blocks of whole lines."""

from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.compressed import open_unpacked
from shrec_viewer.formats.io.progress import ReadProgress
from shrec_viewer.formats.io.text import is_utf16, looks_like_text, os_error_text

BLOCK_BYTES = 2**19
"""Bytes of a block of text: its tokens and numbers fit into the processor cache."""

CHUNK_BYTES = 2**24
"""Bytes of a binary file between two progress reports, about 10 ms."""

MAX_LINE_BYTES = 2**24
"""Maximum bytes of a line in memory, a row of a million numbers; longer lines are split at a blank."""


@dataclass(frozen=True)
class TextBlock:
    """Consecutive lines of a text.

    Attributes
    ----------
    data : their bytes; UTF-16 is converted to UTF-8.
    is_cut : whether it ends within a line, between two tokens.
    """

    data: bytes
    is_cut: bool = False


def read_blocks(path: Path, size: int, progress: ReadProgress) -> Iterator[TextBlock]:
    """Read a text file in blocks of whole lines, reporting progress after each block.

    Parameters
    ----------
    size : bytes of the text.

    Raises
    ------
    FormatError
        When the file is not text.
    Cancelled
        When `progress` is cancelled.
    """
    done = 0
    with open_unpacked(path) as stream:
        for block in _whole_lines(_utf8(stream)):
            if not looks_like_text(block.data):
                raise FormatError(path, "is not a text file")
            yield block
            done += len(block.data)
            progress.step(path, done, size)


def read_whole_file(path: Path, size: int, progress: ReadProgress) -> bytes:
    """Read a whole file, decompressed if it is a gzip file, reporting progress.

    Raises
    ------
    FormatError
        When the file cannot be read.
    Cancelled
        When `progress` is cancelled.
    """
    pieces, done = [], 0
    try:
        with open_unpacked(path) as stream:
            while data := stream.read(CHUNK_BYTES):
                pieces.append(data)
                done += len(data)
                progress.step(path, done, size)
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    return b"".join(pieces)


def _utf8(stream: BinaryIO) -> Iterator[bytes]:
    """Bytes of a stream in pieces; UTF-16 is converted to UTF-8."""
    start = stream.read(BLOCK_BYTES)
    if not is_utf16(start):
        while start:
            yield start
            start = stream.read(BLOCK_BYTES)
        return
    decoder = getincrementaldecoder("utf-16")(errors="replace")
    while start:
        yield decoder.decode(start).encode()
        start = stream.read(BLOCK_BYTES)
    yield decoder.decode(b"", final=True).encode()


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[TextBlock]:
    left = b""
    for data in pieces:
        end = data.rfind(b"\n") + 1
        if end:
            yield TextBlock(left + data[:end])
            left = data[end:]
            continue
        left += data
        if len(left) > MAX_LINE_BYTES and (cut := max(left.rfind(b" "), left.rfind(b"\t"))) > 0:
            yield TextBlock(left[:cut], is_cut=True)
            left = left[cut:]
    if left:
        yield TextBlock(left)
