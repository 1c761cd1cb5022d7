"""Decode text files: byte order marks, encodings, line ends, and the head used to recognise formats."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import ParamSpec, TypeVar

import numpy as np

from shrec_viewer.domain import Cancelled, FormatError
from shrec_viewer.formats.io.files import (
    check_regular_file,
    is_gzip,
    open_unpacked,
    read_unchanged,
    unpacked_head,
    unpacked_size,
)
from shrec_viewer.formats.io.limits import (
    MAX_LINE_BYTES,
    MAX_LINE_TOKENS,
    MAX_LINES,
    MAX_NAME_BYTES,
    MAX_TEXT_BYTES,
    limit_error,
)

#: Number of first bytes by which a format is recognised: about two hundred lines of a list, one page of a disk.
HEAD_BYTES = 4096

#: Share of control characters above which a file is not text; Latin-1 and UTF-8 texts contain white space only.
CONTROL_SHARE = 0.02

#: Lines of the head that are examined.
HEAD_LINES = 40

#: Bytes from which a text is recognised as UTF-16 without a byte order mark: four characters.
MIN_UTF16_BYTES = 8

#: Bytes that are read or examined at a time.
READ_BYTES = 2**22

#: Whether a byte separates words or cells; NUL occurs in UTF-16.
_SEPARATES = np.isin(np.arange(256), np.frombuffer(b" \t\n\v\f\r\x00,;", np.uint8))

UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


P = ParamSpec("P")
Content = TypeVar("Content")


def os_error_text(error: OSError, action: str = "opened") -> str:
    """Message for a file that cannot be opened or written, without its path: ``does not exist``."""
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, IsADirectoryError):
        return "is a folder, not a file"
    return f"cannot be {action}: {(error.strerror or type(error).__name__).lower()}"


@contextmanager
def library_errors(path: Path, reason: str, *, with_text: bool = False) -> Iterator[None]:
    """Context in which all errors are FormatErrors: packages that read files raise many types on damaged ones.

    Parameters
    ----------
    path : the file that is named.
    reason : what is wrong with the file, unless the operating system says it.
    with_text : whether the beginning of the text of the error follows the reason.
    """
    try:
        yield
    except (FormatError, Cancelled):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno is not None:  # bz2 and pyarrow raise others for damaged data
            raise FormatError(path, os_error_text(error)) from error
        text = " ".join(str(error).splitlines()[:1]) or type(error).__name__
        raise FormatError(path, f"{reason}: {text[:200]}" if with_text else reason) from error


@contextmanager
def os_errors(path: Path) -> Iterator[None]:
    """Context in which errors of the operating system are FormatErrors of a file."""
    try:
        yield
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error


def read_or_none(read: Callable[P, Content], *args: P.args, **kwargs: P.kwargs) -> Content | None:
    """The result of a function that reads a file; None where it raises FormatError."""
    try:
        return read(*args, **kwargs)
    except FormatError:
        return None


def read_bytes(path: Path, max_bytes: int = MAX_TEXT_BYTES) -> bytes:
    """Content of a file, decompressed if it is a gzip file.

    Raises
    ------
    FormatError
        When it cannot be read, or has more than `max_bytes` bytes.
    """
    return read_unchanged(path, partial(_read_bytes, path, max_bytes))


def _read_bytes(path: Path, max_bytes: int) -> bytes:
    try:
        with os_errors(path), open_unpacked(path) as stream:
            # In pieces: `read(n)` allocates n bytes at once, and the size of a gzip file is not known.
            pieces, n_bytes = [], 0
            while data := stream.read(READ_BYTES):
                pieces.append(data)
                n_bytes += len(data)
                if n_bytes > max_bytes:
                    raise FormatError(path, f"is larger than {max_bytes / 2**20:.0f} MiB, the limit of this format")
            return b"".join(pieces)
    except ValueError as error:  # such as a NUL in the name
        raise FormatError(path, "is not a valid file name") from error


def looks_like_text(data: bytes) -> bool:
    """Whether bytes look like text: UTF-16, or no NUL and almost no control characters."""
    if is_utf16(data):
        return True
    if b"\0" in data:
        return False
    codes = np.frombuffer(data, np.uint8)
    # Subtraction wraps around, so that one comparison finds the codes from TAB (9) to CR (13).
    n_controls = np.count_nonzero(codes < ord(" ")) - np.count_nonzero(codes - np.uint8(ord("\t")) <= 4)
    limit = CONTROL_SHARE * len(data)
    return int(n_controls) <= limit or int(n_controls) - data.count(b"\x1a") <= limit


def utf16_codec(data: bytes) -> str | None:
    """Codec of UTF-16, by its byte order mark or as every second byte is zero and the others are text; else None."""
    if data.startswith(_UTF16_MARKS):
        return "utf-16"
    head = data[: HEAD_BYTES // 2 * 2]
    if b"\0" not in head or len(head) < MIN_UTF16_BYTES:
        return None
    texts = {"utf-16-le": head[::2], "utf-16-be": head[1::2]}
    zeros = {"utf-16-le": head[1::2], "utf-16-be": head[::2]}
    return next((codec for codec, text in texts.items() if not any(zeros[codec]) and looks_like_text(text)), None)


def is_utf16(data: bytes) -> bool:
    """Whether bytes are the beginning of a text in UTF-16."""
    return utf16_codec(data) is not None


def decode(data: bytes) -> str:
    """Decode text with LF line ends: UTF-16, UTF-8 if valid, else Latin-1."""
    if (codec := utf16_codec(data)) is not None:
        text = data.decode(codec, errors="replace")
    else:
        data = data.removeprefix(UTF8_MARK)
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def read_text(path: Path, max_bytes: int = MAX_TEXT_BYTES) -> str:
    """Text of a file with LF line ends; FormatError when it cannot be read, is not text or is too large."""
    data = read_bytes(path, max_bytes)
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    return decode(data)


#: First characters of comments: of most programs, and of MATLAB and LaTeX.
COMMENT_MARKS = ("#", "%")


def is_comment(line: str) -> bool:
    """Whether a line of a list, a table or a matrix is a comment."""
    return line.lstrip().startswith(COMMENT_MARKS)


_COMMENT_LINE = re.compile(rb"(?:\A|(?<=[\r\n]))[ \t]*[#%][^\r\n]*")
_FORTRAN_NUMBER = re.compile(rb"(?<![^\s,;|:\"])([-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+))[dD]([-+][0-9]{1,3})(?![^\s,;|:\"])")
_QUOTED_WORD = re.compile(rb'(?<![^\s,;])"([^"\s,;]+)"(?![^\s,;])')
_PER_CENT = re.compile(
    rb'(?<![^\s,;|:"])([-+]?(?:[0-9]++(?:[.,][0-9]++)?|\.[0-9]++))(?:%(?![^\s,;|"])|[ \t]%(?=[ \t]*+(?:[,;|\r\n"]|\Z)))'
)

#: The header of a table in Markdown, and the row of hyphens below it.
_MARKDOWN = re.compile(
    rb"(\s*+[^\r\n|]*+\|[^\r\n]*+\r?\n)[ \t]*+\|?(?:[ \t]*+:?-++:?[ \t]*+\|)++(?:[ \t]*+:?-++:?[ \t]*+)?(?=[\r\n]|\Z)"
)
_MARKDOWN_ENDS = re.compile(rb"^[ \t]*+\|[ \t]*+|(?<![ \t])[ \t]*+\|[ \t]*+(?=\r?$)", re.MULTILINE)
_MARKDOWN_MARK = re.compile(rb"(?<![ \t])[ \t]*+\|[ \t]*+")


def _has_signs_after_d(data: bytes) -> bool:
    """Whether a sign follows a D somewhere; with numpy, as ids may begin with a D in each of a million lines."""
    codes = np.frombuffer(data, np.uint8)
    signs = (codes[1:] == ord("+")) | (codes[1:] == ord("-"))
    return bool(np.any(signs & ((codes[:-1] | 0x20) == ord("d"))))


def in_plain_notation(data: bytes, *, keep_comments: bool = False) -> bytes:
    """Whole lines of a list, a table or a matrix, in the notation that all readers know; lines keep their numbers.

    Comments become blank lines, exponents of Fortran those of C (``1.5D-03``), numbers in per cent hundredths
    (``87.5e-2``), tables in Markdown those with tabs, and words lose their quotation marks: what can only mean one
    thing is read without a finding.

    Parameters
    ----------
    data : in UTF-8 or Latin-1.
    keep_comments : for formats in which ids begin like comments.
    """
    # The tests for single bytes are much faster than the expressions, and most files have none.
    if not keep_comments and (b"#" in data or b"%" in data):
        data = _COMMENT_LINE.sub(b"", data)
    if (b"D" in data or b"d" in data) and _has_signs_after_d(data):
        data = _FORTRAN_NUMBER.sub(rb"\1e\2", data)
    if b"%" in data:
        data = _PER_CENT.sub(rb"\1e-2", data)
    if b"|" in data and (rule := _MARKDOWN.match(data)) is not None:
        data = _MARKDOWN_MARK.sub(b"\t", _MARKDOWN_ENDS.sub(b"", rule[1] + data[rule.end() :]))
    return _QUOTED_WORD.sub(rb"\1", data) if b'"' in data else data


def read_list_bytes(path: Path, *, keep_comments: bool = False) -> bytes:
    """Content of a list or table `in_plain_notation`, without UTF-16 and byte order marks.

    Raises
    ------
    FormatError
        When it is not text, or exceeds the limits of `check_lines`.
    """
    data = read_bytes(path)
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    codec = utf16_codec(data)
    data = data.removeprefix(UTF8_MARK) if codec is None else data.decode(codec, errors="replace").encode()
    check_lines(path, data)
    return in_plain_notation(data, keep_comments=keep_comments)


def read_list_text(path: Path, *, keep_comments: bool = False) -> str:
    """Text of a list or table with LF line ends; see `read_list_bytes`."""
    return decode(read_list_bytes(path, keep_comments=keep_comments))


def read_lines(path: Path, *, keep_comments: bool = False) -> list[str]:
    """Lines of a list without line ends; see `read_list_bytes`."""
    return split_lines(read_list_text(path, keep_comments=keep_comments))


def split_lines(text: str) -> list[str]:
    """Lines of a text of `decode` without line ends."""
    lines = text.split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return lines


def count_line_ends(data: bytes) -> int:
    """Number of LF; 5 times as fast as `bytes.count` where lines are short (numpy 2.4)."""
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == ord("\n")))


def check_lines(path: Path, data: bytes, n_lines: int = 0, *, has_names: bool = True) -> None:
    """FormatError, with the line, if a text has too many or too long lines, words in a line, or too long words.

    The data are examined in blocks with numpy, which takes 4 ns per byte.

    Parameters
    ----------
    data : whole lines.
    n_lines : number of lines before `data`.
    has_names : whether words are ids, not numbers, which may have no space between them.
    """
    if n_lines + count_line_ends(data) > MAX_LINES:
        raise limit_error(MAX_LINES, "lines", path, MAX_LINES + 1)
    if len(data) > MAX_LINE_TOKENS:  # otherwise no line can be beyond the limits
        start = 0
        while start < len(data):
            end = (data.find(b"\n", start) + 1) or len(data)
            if end - start > MAX_LINE_TOKENS:
                _check_line(path, data[start:end], n_lines + data.count(b"\n", 0, start) + 1)
            start = max(end, data.rfind(b"\n", end, start + MAX_LINE_TOKENS) + 1)
    if has_names and (offset := _long_word(data)) is not None:
        line = n_lines + data.count(b"\n", 0, offset) + 1
        raise FormatError(path, f"has a word of more than {MAX_NAME_BYTES:,} bytes, the limit", line)


def _check_line(path: Path, line: bytes, number: int) -> None:
    if len(line) > MAX_LINE_BYTES:
        raise limit_error(MAX_LINE_BYTES, "bytes in this line", path, number)
    n_words = 0
    for start in range(0, len(line), READ_BYTES):
        separates = _SEPARATES[np.frombuffer(line[start : start + READ_BYTES], np.uint8)]
        n_words += int(np.count_nonzero(separates[1:] > separates[:-1])) + 1
    n_words = max(n_words, line.count(b","), line.count(b";"), line.count(b"\t"))  # cells may be empty
    if n_words > MAX_LINE_TOKENS:
        raise limit_error(MAX_LINE_TOKENS, "words in this line", path, number)


def _long_word(data: bytes) -> int | None:
    """Offset in a word of more than `MAX_NAME_BYTES` bytes; None for none."""
    half = MAX_NAME_BYTES // 2  # a longer word covers at least one aligned piece of this length
    for start in range(0, len(data) - half, READ_BYTES):
        block = data[start : start + READ_BYTES]
        pieces = _SEPARATES[np.frombuffer(block[: len(block) // half * half], np.uint8)].reshape(-1, half)
        for piece in np.flatnonzero(~pieces.any(axis=1)).tolist():
            offset = start + piece * half
            around = data[max(0, offset - MAX_NAME_BYTES) : offset + MAX_NAME_BYTES]
            if any(len(word) > MAX_NAME_BYTES for word in re.split(rb"[\s,;]", around)):
                return offset
    return None


#: Fault of a table of separators, quotes and blanks alone, such as a spreadsheet that was saved empty.
NO_ROWS = "has no rows"


_WORD = re.compile(r"""[^\s,;|"'\ufeff\u200b-\u200d\u2060]""")


def has_rows(text: str) -> bool:
    """Whether a text has anything but separators, quotes, white space, also of no width, and byte order marks."""
    return _WORD.search(text) is not None


@dataclass(frozen=True)
class FileHead:
    """The first bytes of a file, by which its format is recognised.

    Attributes
    ----------
    path : the file.
    size : bytes of the whole file; decompressed size of a gzip file.
    data : its first `HEAD_BYTES` bytes, decompressed.
    packed : whether it is a gzip file.
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
        """`data` as text up to the last complete word; None for binary data."""
        if not looks_like_text(self.data):
            return None
        if self.is_complete or is_utf16(self.data):
            return decode(self.data)
        end = max(self.data.rfind(b" "), self.data.rfind(b"\n"), self.data.rfind(b"\t"))
        return decode(self.data[: end + 1] if end >= 0 else self.data)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The first complete lines with words, `in_plain_notation`; if there is none, an incomplete line."""
        if self.text is None:
            return ()
        lines = decode(in_plain_notation(self.text.encode(errors="replace"))).split("\n")
        if not self.is_complete and len(lines) > 1:
            lines.pop()
        content = (line for line in lines if has_rows(line))
        return tuple(islice(content, HEAD_LINES))

    @cached_property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """White-space separated tokens of `lines`."""
        return tuple(tuple(line.split()) for line in self.lines)


def read_file_head(path: Path, n_bytes: int = HEAD_BYTES) -> FileHead:
    """Head of a file, with its first `n_bytes` as `data`; FormatError when it cannot be read."""
    with os_errors(path):
        check_regular_file(path)
        with path.open("rb") as stream:
            data = stream.read(n_bytes)
        if is_gzip(data):
            inside = unpacked_head(data, n_bytes)
            return FileHead(path, unpacked_size(path, len(inside)), inside, packed=True)
        size = path.stat().st_size if len(data) == n_bytes else len(data)
        return FileHead(path, size, data)


def with_point(word: str) -> str:
    """A number with its decimal comma as a point."""
    return word.replace(",", ".")


def is_number(token: str) -> bool:
    """Whether a token is a decimal number, ``nan`` or ``inf``; ``1_000`` is not."""
    try:
        float(token)
    except ValueError:
        return False
    return "_" not in token
