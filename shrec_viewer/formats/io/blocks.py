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
"""Bytes of a piece: what is made of it while it is parsed stays in the cache of the processor."""

CHUNK_BYTES = 2**24
"""Bytes of a binary file between two looks at whoever waits: a hundredth of a second."""

MAX_LINE_BYTES = 2**24
"""Bytes of a line that is held whole: a row of a million numbers. A longer one is cut at a blank."""


@dataclass(frozen=True)
class TextBlock:
    """Some lines of a text.

    Attributes
    ----------
    data : their bytes; UTF-8 where the file is UTF-16.
    is_cut : it ends in the middle of a line, between two words.
    """

    data: bytes
    is_cut: bool = False


def read_blocks(path: Path, size: int, watch: ReadProgress) -> Iterator[TextBlock]:
    """A text in pieces, `watch` told after each of them.

    Parameters
    ----------
    size : bytes of the text, for `watch`.

    Raises
    ------
    FormatError
        When it is no text.
    Cancelled
        When nobody waits any more.
    """
    done = 0
    with open_unpacked(path) as stream:
        for block in _whole_lines(_utf8(stream)):
            if not looks_like_text(block.data):
                raise FormatError(path, "is not a text file")
            yield block
            done += len(block.data)
            watch.step(path, done, size)


def read_whole_file(path: Path, size: int, watch: ReadProgress) -> bytes:
    """All bytes of a file, unpacked where it is packed, with `watch` told on the way.

    Raises
    ------
    FormatError
        When the system does not give it.
    Cancelled
        When nobody waits any more.
    """
    pieces, done = [], 0
    try:
        with open_unpacked(path) as stream:
            while data := stream.read(CHUNK_BYTES):
                pieces.append(data)
                done += len(data)
                watch.step(path, done, size)
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    return b"".join(pieces)


def _utf8(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream, a piece after the other."""
    start = stream.read(BLOCK_BYTES)
    if not is_utf16(start):
        while start:
            yield start
            start = stream.read(BLOCK_BYTES)
        return
    words = getincrementaldecoder("utf-16")(errors="replace")
    while start:
        yield words.decode(start).encode()
        start = stream.read(BLOCK_BYTES)
    yield words.decode(b"", final=True).encode()


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
