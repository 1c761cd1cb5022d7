"""Text without control characters for terminals, of errors, and separated text that is safe in a spreadsheet; names."""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from types import FrameType
from typing import TextIO, cast

#: Control characters, line breaks, characters that change the writing direction, and surrogates.
_UNPRINTABLE = r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]"

#: The same without tab and line feed, which text of several lines consists of.
_UNPRINTABLE_IN_LINES = _UNPRINTABLE.replace(r"\x00-\x1f", r"\x00-\x08\x0b-\x1f")

#: Surrogates by which Python represents bytes of file names that are not UTF-8 (PEP 383): 0xdc00 + byte.
_SURROGATE_BYTES = range(0xDC80, 0xDD00)


def printable(text: str) -> str:
    r"""Escape control characters and undecodable bytes, which names in files may contain.

    Examples
    --------
    >>> print(printable("red\x1b[31m\n"), printable("caf\udce9"))
    red\x1b[31m\n caf\xe9
    """
    return text if text.isprintable() else re.sub(_UNPRINTABLE, _escape, text)


def printable_lines(text: str) -> str:
    r"""Escape the same characters except tab and line feed.

    Examples
    --------
    >>> print(printable_lines("red\x1b[31m\nblue\r"))
    red\x1b[31m
    blue\r
    """
    return _replace_in_lines(text, _escape)


def printable_json(document: str) -> str:
    r"""Escape the same characters in a JSON document, whose strings keep their values.

    Examples
    --------
    >>> print(printable_json('{"run": "A\x9b1"}'))
    {"run": "A\u009b1"}
    """
    return _replace_in_lines(document, _escape_json)


def _replace_in_lines(text: str, escape: Callable[[re.Match[str]], str]) -> str:
    is_printable = text.replace("\n", "").isprintable()  # the usual case, which needs no regular expression
    return text if is_printable else re.sub(_UNPRINTABLE_IN_LINES, escape, text)


def _escape_json(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if code in _SURROGATE_BYTES else found[0].encode("unicode_escape").decode()


class PrintableStream(TextIOBase):
    """Text stream that writes `printable_lines` to another one.

    It has no `buffer`: code that writes bytes has to use that of `stream`.

    Parameters
    ----------
    stream : where the text is written.
    """

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def write(self, text: str) -> int:
        """Write the text with control characters escaped."""
        self.stream.write(printable_lines(text))
        return len(text)

    def flush(self) -> None:
        """Flush the stream, if it is open: the base class flushes when this object is deleted."""
        if not self.stream.closed:
            self.stream.flush()

    def isatty(self) -> bool:
        """Whether the stream is a terminal."""
        return self.stream.isatty()

    def fileno(self) -> int:
        """File descriptor of the stream."""
        return self.stream.fileno()

    def writable(self) -> bool:
        """True."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]  # read-only here
        """Encoding of the stream."""
        return self.stream.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """How the stream handles characters that it cannot encode."""
        return self.stream.errors


#: Packages that print for their caller.
_PRINTERS = ("click", "rich")


class _ResultStream(PrintableStream):
    """Standard output for results alone: what other packages print, such as plug-ins, goes to standard error."""

    def write(self, text: str) -> int:
        """Write the text where this program prints it."""
        caller = sys._getframe(1)
        while caller.f_back is not None and _package_of(caller) in _PRINTERS:
            caller = caller.f_back
        if _package_of(caller) == _package_of(sys._getframe()):
            return super().write(text)
        return sys.stderr.write(text)


def _package_of(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


@contextmanager
def printable_streams() -> Iterator[None]:
    """Escape control characters in all that Python code prints: messages, warnings, log records, tracebacks."""
    out, err = cast(TextIO, _ResultStream(sys.stdout)), cast(TextIO, PrintableStream(sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        yield


def unfiltered(stream: TextIO) -> TextIO:
    """The stream below a `PrintableStream`, for code that prints colours."""
    while isinstance(stream, PrintableStream):
        stream = stream.stream
    return stream


#: First characters of cells that spreadsheets evaluate as a formula or a command.
#:
#: With white space that they skip, and the full-width signs, which Excel accepts in East Asian locales.
_FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?(inf|nan)", re.ASCII)


#: Parts of a text that a spreadsheet takes for a cell if its separator is not that of the file.
#:
#: It ignores quotation marks within what it takes for a cell: ``A,"b;=1+1"`` has the cell ``=1+1"`` between semicolons.
_INNER_CELLS = re.compile(f'([,;\t\r\n])(?="*[{re.escape("".join(_FORMULA_STARTS))}])([^,;\t\r\n]*)')


def separated_text(rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    r"""Rows as separated text; cells that contain the separator, quotes or line breaks are quoted, None is empty.

    Texts that a spreadsheet would run as a formula begin with an apostrophe, as names in files may be anything; so do
    their parts after a comma, a semicolon, a tab or a line break, as the spreadsheet may separate cells there. Numbers
    are never changed, also not those written as text. Control characters except tab and line feed are escaped.

    Examples
    --------
    >>> separated_text([("run", "AP"), ("=1+1", -0.5), ("-2", None), ("A, B;=C", "-0.25")])
    'run,AP\n\'=1+1,-0.5\n-2,\n"A, B;\'=C",-0.25\n'
    """
    return "".join(separator.join(_cell_text(cell, separator) for cell in row) + "\n" for row in rows)


def _cell_text(cell: object, separator: str) -> str:
    text = "" if cell is None else printable_lines(_without_formulas(cell) if isinstance(cell, str) else str(cell))
    if any(sign in text for sign in (separator, '"', "\n", "\t", ";")):  # programs may take any of these as separator
        quoted = text.replace('"', '""')
        return f'"{quoted}"'
    return text


def _without_formulas(text: str) -> str:
    inner = _INNER_CELLS.sub(_without_inner_formula, text)
    return f"'{inner}" if text.startswith(_FORMULA_STARTS) and _NUMBER.fullmatch(text) is None else inner


def _without_inner_formula(part: re.Match[str]) -> str:
    return part[0] if _NUMBER.fullmatch(part[2]) is not None else f"{part[1]}'{part[2]}"


#: Characters of a file name: with four bytes each and a suffix, below 255 bytes, the limit of file systems.
MAX_FILE_NAME = 60

#: Names of devices on Windows, also with a suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def file_name(*parts: str) -> str:
    r"""Name for a file made of parts that may be any text, such as names of benchmarks and queries; without suffix.

    Letters and digits of all scripts are kept, other characters become hyphens; empty parts are left out. A name does
    not begin with a hyphen or a dot and is none of a device.

    Examples
    --------
    >>> file_name("Heat map", "SHREC 2006", "AP(rel=2)"), file_name("../a/b", "=1+1", "<x>"), file_name("nul")
    ('Heat-map_SHREC-2006_AP(rel=2)', 'a-b_1-1_x', '_nul')
    """
    words = (re.sub(r"[^\w()=]+", "-", part.strip()).strip("-=") for part in parts)
    kept = [word for word in words if word]
    limit = (MAX_FILE_NAME + 1) // max(len(kept), 1) - 1  # if the name is too long: the last part may be the query
    if sum(map(len, kept)) + len(kept) - 1 > MAX_FILE_NAME:
        spare = sum(max(limit - len(word), 0) for word in kept) // max(sum(len(word) > limit for word in kept), 1)
        kept = [word[: max(limit, 1) + spare].rstrip("-") for word in kept]
    name = "_".join(kept)[:MAX_FILE_NAME].rstrip("-_") or "_"
    return f"_{name}" if _RESERVED.fullmatch(name) else name


class ExitError(Exception):
    """`SystemExit` of other packages while the window is open; an ordinary exception, which does not end the process.

    PySide 6.10.3 ends the process with a segmentation fault after `SystemExit` in whatever Qt calls.
    """


ExitError.__name__ = "SystemExit"  # in messages


def fault_text(error: BaseException) -> str:
    """Type and text of an exception of other packages on one line; only the type if ``str(error)`` raises."""
    try:
        text = str(error)
    except KeyboardInterrupt:
        raise
    except BaseException:  # as of `str` of an exception of a plug-in
        text = ""
    return " ".join(f"{type(error).__name__}: {text}".split())
