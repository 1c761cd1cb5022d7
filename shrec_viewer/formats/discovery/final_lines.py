"""Findings about text files without a line end after the last line, which may be truncated."""

import re
from collections.abc import Iterable
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog, join_some
from shrec_viewer.formats.io.text import is_number, is_utf16, looks_like_text, os_error_text

TAIL_BYTES = 4096
"""Bytes at the end of a file that are looked at: several lines of a list, some numbers of a matrix."""

MIN_NUMBERS = 3
"""Minimum number of numbers that the last one is compared with."""

_DECIMALS = re.compile(r"[-+]?[0-9]*(?:[.,]([0-9]*))?(?:[eE][-+]?([0-9]*))?")
_SEPARATORS = re.compile(r"[\s,;]+")


def log_final_lines(paths: Iterable[Path], findings_log: FindingsLog) -> None:
    """One finding for the files without a final line end; an error for those whose last number is cut.

    The last number of a file is cut if it has fewer digits than all numbers before it.
    """
    without = []
    for path in paths:
        try:
            tail = _tail(path)
        except OSError as error:
            findings_log.failed(FormatError(path, os_error_text(error)), "ignored")
            continue
        is_complete = not tail or tail.endswith((b"\n", b"\r")) or path.suffix.lower() == ".json"
        if is_complete or is_utf16(tail) or not looks_like_text(tail):
            continue
        last = cut_number(tail.decode("utf-8", "replace"))
        if last:
            message = f"the last number, '{last}', has fewer digits than the others, and no line end follows"
            findings_log.error(path, f"{message}: the file is probably truncated", "read as it is")
        else:
            without.append(path)
    if without:
        names = join_some([findings_log.mention(path) for path in without])
        findings_log.info(without[0], f"no line end after the last line: {names}", "read as complete")


def _tail(path: Path) -> bytes:
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - TAIL_BYTES))
        tail = stream.read()
    return tail if size <= TAIL_BYTES else tail[tail.find(b" ") + 1 :]  # without half a word


def cut_number(text: str) -> str:
    """The last number of a text if it has fewer digits than all numbers before it, else "".

    Examples
    --------
    >>> cut_number("0.125 0.250 0.375 0.5"), cut_number("1.5e-05 2.5e-06 3.5e-07 4.5e-0"), cut_number("1.25 2.5 3 0.5")
    ('0.5', '4.5e-0', '')
    """
    words = [word for word in _SEPARATORS.split(text)[-200:] if word]
    if not words or not is_number(words[-1]) or words[-1].strip("-+") == "0":
        return ""
    others = [word for word in words[:-1] if is_number(word) and _DECIMALS.fullmatch(word)]
    if len(others) < MIN_NUMBERS or not _DECIMALS.fullmatch(words[-1]):
        return ""
    decimals, exponent = _n_digits(words[-1])
    least = [min(digits) for digits in zip(*map(_n_digits, others), strict=True)]
    return words[-1] if decimals < least[0] or exponent < least[1] else ""


def _n_digits(word: str) -> tuple[int, int]:
    """Digits after the decimal point and of the exponent; -1 for a number without one."""
    found = _DECIMALS.fullmatch(word)
    assert found is not None
    return tuple(-1 if digits is None else len(digits) for digits in found.groups())  # type: ignore[return-value]
