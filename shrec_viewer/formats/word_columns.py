"""Splits large texts whose lines all have the same number of words by looking at bytes, without a Python word."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

PIECE = 8
"""Bytes that are compared in one go: those of an integer."""

LONGEST = 64
"""Bytes of a word that is compared piece by piece; ids are shorter."""

FEWEST_SLOTS = 2**16
SLOTS_PER_WORD = 32
"""So few words share a slot that the search for the others costs nothing."""

_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5,
     0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3],
    np.uint64,
)  # fmt: skip
"""Odd numbers with well-mixed bits; the hash only finds a word quickly, bytes are compared all the same."""

_KEPT = np.array([(1 << (8 * count)) - 1 if count < PIECE else 2**64 - 1 for count in range(PIECE + 1)], np.uint64)
"""The first bytes of a little-endian integer."""

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


@dataclass(eq=False)
class WordCodes:
    """Numbers words in the order in which they are met.

    Attributes
    ----------
    places : number of each word met so far.
    """

    places: dict[bytes, int] = field(default_factory=dict)
    _slots: NDArray[np.int32] = field(default_factory=lambda: np.full(FEWEST_SLOTS, -1, np.int32))
    _pieces: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((64, len(_FACTORS)), np.uint64))
    _lengths: NDArray[np.int64] = field(default_factory=lambda: np.zeros(64, np.int64))

    def names(self) -> tuple[str, ...]:
        """The words in order."""
        return tuple(word.decode() for word in self.places)

    def codes(self, columns: WordColumns, column: int) -> NDArray[np.int32]:
        """Number of each word of a column, (n,) int32; new words are added."""
        starts, ends = columns.starts[:, column], columns.ends[:, column]
        lengths = ends - starts
        if int(lengths.max()) > LONGEST:
            return self._one_by_one(columns.data, starts, ends)
        pieces = _pieces(columns.data, starts, lengths)
        mixed = pieces[0] * _FACTORS[0]
        for piece, factor in zip(pieces[1:], _FACTORS[1:], strict=False):
            mixed ^= piece * factor
        mixed ^= mixed >> np.uint64(29)
        found = self._slots[self._slot(mixed)]
        wrong = np.flatnonzero(~self._are(found, pieces, lengths))
        if len(wrong):
            found[wrong] = self._search(columns.data, starts[wrong], ends[wrong], mixed[wrong])
            wrong = wrong[~self._are(found[wrong], [piece[wrong] for piece in pieces], lengths[wrong])]
            found[wrong] = self._one_by_one(columns.data, starts[wrong], ends[wrong])
        return found

    def _are(
        self, found: NDArray[np.int32], pieces: list[NDArray[np.uint64]], lengths: NDArray[np.intp]
    ) -> NDArray[np.bool_]:
        """Whether words are those with some numbers, byte by byte."""
        same = (found >= 0) & (self._lengths[found] == lengths)
        for place, piece in enumerate(pieces):
            same &= self._pieces[found, place] == piece
        return same

    def _search(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.intp],
        ends: NDArray[np.intp],
        mixed: NDArray[np.uint64],
    ) -> NDArray[np.int32]:
        """Numbers of words that no slot knows: one look-up for each different one, in the order of the text."""
        _, first, inverse = np.unique(mixed, return_index=True, return_inverse=True)
        numbers = np.zeros(len(first), np.int32)
        order = np.argsort(first, kind="stable")
        chosen = first[order]
        numbers[order] = self._one_by_one(data, starts[chosen], ends[chosen])
        if SLOTS_PER_WORD * len(self.places) > len(self._slots):
            self._slots = np.full(4 * len(self._slots), -1, np.int32)  # it fills again as words are met
        self._slots[self._slot(mixed[first])] = numbers
        return numbers[inverse]

    def _slot(self, mixed: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return mixed >> np.uint64(64 - len(self._slots).bit_length() + 1)

    def _one_by_one(
        self, data: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]
    ) -> NDArray[np.int32]:
        numbers = np.zeros(len(starts), np.int32)
        for place, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
            numbers[place] = self.place(data[start:end].tobytes())
        return numbers

    def place(self, word: bytes) -> int:
        """Number of a word; a new one is added."""
        number = self.places.setdefault(word, len(self.places))
        if number == len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
            self._pieces = np.concatenate([self._pieces, np.zeros_like(self._pieces)])
        if not self._lengths[number]:
            self._lengths[number] = len(word)
            padded = word[:LONGEST].ljust(LONGEST, b"\0")
            self._pieces[number] = np.frombuffer(padded, "<u8")
        return number


def _pieces(data: NDArray[np.uint8], starts: NDArray[np.intp], lengths: NDArray[np.intp]) -> list[NDArray[np.uint64]]:
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
