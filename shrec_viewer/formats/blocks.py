"""Large texts in pieces of whole lines, so that no more than a piece of them stands in memory."""

from codecs import getincrementaldecoder
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.packed import opened
from shrec_viewer.formats.text import is_utf16, looks_like_text, reason
from shrec_viewer.formats.watch import Watch

BLOCK = 2**19
"""Bytes of a piece: what is made of it while it is parsed stays in the cache of the processor."""

PIECE = 2**24
"""Bytes of a binary file between two looks at whoever waits: a hundredth of a second."""

LONGEST_LINE = 2**24
"""Bytes of a line that is held whole: a row of a million numbers. A longer one is cut at a blank."""


@dataclass(frozen=True)
class Block:
    """Some lines of a text.

    Attributes
    ----------
    data : their bytes; UTF-8 where the file is UTF-16.
    is_cut : it ends in the middle of a line, between two words.
    """

    data: bytes
    is_cut: bool = False


def blocks(path: Path, size: int, watch: Watch) -> Iterator[Block]:
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
    with opened(path) as stream:
        for block in _whole_lines(_utf8(stream)):
            if not looks_like_text(block.data):
                raise FormatError(path, "is not a text file")
            yield block
            done += len(block.data)
            watch.step(path, done, size)


def whole(path: Path, size: int, watch: Watch) -> bytes:
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
        with opened(path) as stream:
            while data := stream.read(PIECE):
                pieces.append(data)
                done += len(data)
                watch.step(path, done, size)
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    return b"".join(pieces)


def _utf8(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream, a piece after the other."""
    start = stream.read(BLOCK)
    if not is_utf16(start):
        while start:
            yield start
            start = stream.read(BLOCK)
        return
    words = getincrementaldecoder("utf-16")(errors="replace")
    while start:
        yield words.decode(start).encode()
        start = stream.read(BLOCK)
    yield words.decode(b"", final=True).encode()


def _whole_lines(pieces: Iterator[bytes]) -> Iterator[Block]:
    left = b""
    for data in pieces:
        end = data.rfind(b"\n") + 1
        if end:
            yield Block(left + data[:end])
            left = data[end:]
            continue
        left += data
        if len(left) > LONGEST_LINE and (cut := max(left.rfind(b" "), left.rfind(b"\t"))) > 0:
            yield Block(left[:cut], is_cut=True)
            left = left[cut:]
    if left:
        yield Block(left)
