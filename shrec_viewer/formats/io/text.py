"""Decode text files: byte order marks, encodings, line ends, and the head used to recognise formats."""

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.compressed import check_regular_file, is_gzip, open_unpacked, unpacked_head, unpacked_size

HEAD_BYTES = 4096
"""How much of a file is looked at to recognise it: two hundred lines of a list, and one page of a disk."""

CONTROL_SHARE = 0.02
"""Share of control characters above which a file is no text; Latin-1 and UTF-8 texts have none but white space."""

HEAD_LINES = 40
"""Lines of it that are looked at: more only cost time."""

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_CONTROLS = bytes(code for code in range(32) if code not in b"\t\n\v\f\r\x1a")


def os_error_text(error: OSError) -> str:
    """Why a file could not be opened, as part of a sentence: ``permission denied``."""
    if isinstance(error, FileNotFoundError):
        return "is not there"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    return f"cannot be opened: {(error.strerror or type(error).__name__).lower()}"


def read_bytes(path: Path) -> bytes:
    """The whole file, unpacked where it is packed; FormatError where the system does not give it."""
    try:
        with open_unpacked(path) as stream:
            return stream.read()
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    except ValueError as error:  # a NUL in the name
        raise FormatError(path, "is no name of a file") from error


def looks_like_text(data: bytes) -> bool:
    """Whether bytes can be a text: no NUL (but in UTF-16) and next to no control characters."""
    if data.startswith(_UTF16_MARKS):
        return True
    if b"\0" in data:
        return False
    return len(data) - len(data.translate(None, _CONTROLS)) <= CONTROL_SHARE * len(data)


def is_utf16(data: bytes) -> bool:
    """Whether bytes begin with a mark of UTF-16."""
    return data.startswith(_UTF16_MARKS)


def decode(data: bytes) -> str:
    """Text of bytes: UTF-16 and UTF-8 by their marks, UTF-8 where valid, else Latin-1 (which every byte sequence is).

    Line ends become LF.
    """
    if data.startswith(_UTF16_MARKS):
        text = data.decode("utf-16", errors="replace")
    else:
        data = data.removeprefix(_UTF8_MARK)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_text(path: Path) -> str:
    """The text of a file with LF line ends; FormatError where it cannot be opened or is no text."""
    data = read_bytes(path)
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    return decode(data)


def read_lines(path: Path) -> list[str]:
    """Lines of a text file, without line ends; line ``n`` of an editor is element ``n - 1``."""
    lines = read_text(path).split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


@dataclass(frozen=True)
class FileHead:
    """The beginning of a file, enough to recognise it.

    Attributes
    ----------
    path : the file.
    size : bytes of the whole file; of what it holds, where it is packed.
    data : its first `HEAD_BYTES` bytes.
    packed : it is packed with gzip; `data` is unpacked.
    """

    path: Path
    size: int
    data: bytes
    packed: bool = False

    @property
    def is_complete(self) -> bool:
        """Whether `data` is the whole file."""
        return len(self.data) >= self.size

    @cached_property
    def text(self) -> str | None:
        """`data` as text, None for binary data. A character cut in half at the end does not matter."""
        if not looks_like_text(self.data):
            return None
        if self.is_complete or self.data.startswith(_UTF16_MARKS):
            return decode(self.data)
        end = max(self.data.rfind(b" "), self.data.rfind(b"\n"), self.data.rfind(b"\t"))
        return decode(self.data[: end + 1] if end >= 0 else self.data)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The first complete lines that are neither blank nor ``#`` comments; of a long first line its part."""
        if self.text is None:
            return ()
        lines = self.text.split("\n")
        if not self.is_complete and len(lines) > 1:
            lines.pop()
        told = (line for line in lines if line.strip() and not line.lstrip().startswith("#"))
        return tuple(islice(told, HEAD_LINES))

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """White-space separated columns of `lines`."""
        return tuple(tuple(line.split()) for line in self.lines)


def read_file_head(path: Path) -> FileHead:
    """Head of a file; FormatError where the system does not give it."""
    try:
        check_regular_file(path)
        with path.open("rb") as stream:
            data = stream.read(HEAD_BYTES)
        if is_gzip(data):
            inside = unpacked_head(data, HEAD_BYTES)
            return FileHead(path, unpacked_size(path, len(inside)), inside, packed=True)
        size = path.stat().st_size if len(data) == HEAD_BYTES else len(data)
        return FileHead(path, size, data)
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error


def is_number(token: str) -> bool:
    """Whether a word is a decimal number (``nan`` and ``inf`` are; ``1_000`` is not)."""
    try:
        float(token)
    except ValueError:
        return False
    return "_" not in token
