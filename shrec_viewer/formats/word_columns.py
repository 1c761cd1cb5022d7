"""Splits large texts whose lines all have the same number of words by looking at bytes, without a Python word."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIECE = 8
"""Bytes that are compared in one go: those of an integer."""

_KEPT = np.array([(1 << (8 * count)) - 1 if count < PIECE else 2**64 - 1 for count in range(PIECE + 1)], np.uint64)
"""The first bytes of a little-endian integer."""

EXACT_DIGITS = 15
"""So many digits, and the power of ten below their point, are exact in a float64: their quotient is rounded once."""

LONGEST_NUMBER = EXACT_DIGITS + 2
"""Bytes of a number with no more digits, its sign and its point."""

_TENS = 10.0 ** np.arange(EXACT_DIGITS + 1)
_ZEROS, _SIX, _HIGH = (np.uint64(0x0101010101010101 * byte) for byte in (ord("0"), 0x06, 0xF0))
_PAIRS, _TEN = np.uint64(0x000000FF000000FF), np.uint64(10)
_JOIN = np.uint64(100 + (1_000_000 << 32)), np.uint64(1 + (10_000 << 32))
"""Eight digits in one integer become their number in three steps, each of which joins neighbours."""

_END = 65537.5
"""A number behind the last one of a text: where it comes out last, all before it was read to its end."""


@dataclass(frozen=True, eq=False)
class WordColumns:
    """Where the words of a text stand: n lines with the same number of words each.

    Attributes
    ----------
    data : bytes of the text, with `PIECE` more behind it.
    starts, ends : (n, width) int, edges of each word.
    lines : (n,) int32, 1-based line of each.
    n_lines : lines of the text, blank ones too.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    lines: NDArray[np.int32]
    n_lines: int

    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """Numbers of a column, (n,); None where a word is none."""
        wanted = np.zeros(len(self.data) + 1, np.int8)
        wanted[self.starts[:, column]] = 1
        wanted[self.ends[:, column] + 1] -= 1  # with what follows the word, so that two never touch
        inside = np.cumsum(wanted[:-1], dtype=np.int8).view(bool)
        found = decimal_numbers(self.data[inside].tobytes())
        return found if found is not None and len(found) == len(self.lines) else None

    def decimals(self, column: int) -> NDArray[np.float64] | None:
        """Numbers of a column written like ``-1.25`` or ``7``, (n,), exactly rounded; None where one is not.

        Digit by digit for all lines at once. A mantissa of so few digits, and the power of ten below its point, are
        exact doubles: their quotient is rounded once.
        """
        starts, lengths = self.starts[:, column], self.ends[:, column] - self.starts[:, column]
        if int(lengths.max()) > LONGEST_NUMBER:
            return None
        mantissa = np.zeros(len(starts))
        digits, below, points = (np.zeros(len(starts), np.int8) for _ in range(3))
        first = self.data[starts]
        signed = (first == ord("-")) | (first == ord("+"))
        for place in range(int(lengths.max())):
            code = self.data[np.minimum(starts + place, len(self.data) - 1)]
            inside = place < lengths
            digit = code - np.uint8(ord("0"))
            is_digit, is_point = inside & (digit <= 9), inside & (code == ord("."))
            others = inside & ~is_digit & ~is_point
            if np.any(others & ~signed if place == 0 else others):
                return None
            mantissa = np.where(is_digit, mantissa * 10.0 + digit, mantissa)
            digits += is_digit
            below += is_digit & (points > 0)
            points += is_point
        if np.any((digits == 0) | (digits > EXACT_DIGITS) | (points > 1)):
            return None
        values = mantissa / _TENS[below]
        return np.where(first == ord("-"), -values, values)

    def whole_numbers(self, column: int) -> NDArray[np.uint64] | None:
        """Whole numbers of a column, (n,) uint64, where all are digits and no longer than `PIECE`; else None."""
        starts, lengths = self.starts[:, column], self.ends[:, column] - self.starts[:, column]
        if int(lengths.max()) > PIECE:
            return None
        return _whole(self.data, starts, lengths)


def _whole(data: NDArray[np.uint8], starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> NDArray[np.uint64] | None:
    """Numbers of up to eight digits each, 0 for none; None where something else is among them."""
    missing = PIECE - lengths
    word = (_piece(data, starts) << (8 * missing % 64).astype(np.uint64)) | (_KEPT[missing] & _ZEROS)
    word = np.where(lengths > 0, word, _ZEROS) if not lengths.all() else word
    if np.any((word & _HIGH) != _ZEROS) or np.any(((word + _SIX) & _HIGH) != _ZEROS):
        return None
    word -= _ZEROS
    word = word * _TEN + (word >> np.uint64(8))  # each digit with the one behind it
    word = (word & _PAIRS) * _JOIN[0] + ((word >> np.uint64(16)) & _PAIRS) * _JOIN[1]
    return word >> np.uint64(32)


def word_columns(text: bytes, width: int) -> WordColumns | None:
    """Words of an ASCII text whose lines have `width` words or none; None where it is not so plain.

    White space is free, but comments, other control characters and lines of another length are not plain.
    """
    if b"#" in text or not text.isascii():
        return None
    data = np.frombuffer(text + b"\n" + bytes(PIECE), np.uint8)
    plain = _single_blanks(data, len(text) - text.endswith(b"\n"), width)
    if plain is not None:
        return plain
    body = data[:-PIECE]
    blank = body <= ord(" ")
    breaks, returns = body == ord("\n"), body == ord("\r")
    if np.count_nonzero(body < ord(" ")) != sum(map(np.count_nonzero, (breaks, returns, body == ord("\t")))):
        return None
    if np.any(returns[:-1] & ~breaks[1:]):  # a CR that ends a line alone
        return None
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if not blank[0]:
        edges = np.concatenate([np.zeros(1, edges.dtype), edges])
    if not len(edges) or len(edges) % (2 * width):
        return None
    words = edges.reshape(-1, width, 2)
    starts, ends = words[:, :, 0], words[:, :, 1]
    at = np.flatnonzero(breaks)
    first, last = np.searchsorted(at, starts[:, 0]), np.searchsorted(at, ends[:, -1])
    if np.any(first != last) or np.any(first[1:] == first[:-1]):
        return None
    return WordColumns(data, starts, ends, (first + 1).astype(np.int32), len(at) - text.endswith(b"\n"))


def _single_blanks(data: NDArray[np.uint8], size: int, width: int) -> WordColumns | None:
    """The words where one blank parts two of them and one line feed two lines, as programs write them; else None."""
    blanks = np.flatnonzero(data[: size + 1] <= ord(" "))
    if len(blanks) % width or blanks[0] == 0 or np.any(np.diff(blanks) < 2):
        return None
    kinds = data[blanks].reshape(-1, width)
    parts = kinds[:, :-1]
    if not (np.all(kinds[:, -1] == ord("\n")) and np.all((parts == ord(" ")) | (parts == ord("\t")))):
        return None
    starts = np.concatenate([np.zeros(1, blanks.dtype), blanks[:-1] + 1])
    lines = np.arange(1, len(kinds) + 1, dtype=np.int32)
    return WordColumns(data, starts.reshape(-1, width), blanks.reshape(-1, width), lines, len(kinds))


def decimal_numbers(text: bytes) -> NDArray[np.float64] | None:
    """Numbers between white space, (n,) float64, exactly rounded; None where something is no number.

    A number that begins where another one ends (``1.5-2.5``) counts as two here: whoever asks knows how many there are.
    """
    if b"_" in text:
        return None
    try:
        found = np.fromstring(text + f" {_END}".encode(), sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return found[:-1] if len(found) and found[-1] == _END else None


def pieces_of(data: NDArray[np.uint8], starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> list[NDArray[np.uint64]]:
    """Words as integers of eight bytes, zeros behind their end."""
    found = []
    for before in range(0, int(lengths.max()), PIECE):
        left = np.clip(lengths - before, 0, PIECE)
        found.append(_piece(data, starts + before if before else starts) & _KEPT[left])
    return found


def _piece(data: NDArray[np.uint8], starts: NDArray[np.intp]) -> NDArray[np.uint64]:
    """The eight bytes from each place on, as integers; at the end of the data, the last eight."""
    at_each: NDArray[Any] = np.ndarray((len(data) - PIECE + 1,), "<u8", data, strides=(1,))
    return at_each[np.minimum(starts, len(at_each) - 1)]
