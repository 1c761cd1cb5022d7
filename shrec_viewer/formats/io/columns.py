"""Vectorised splitting of large texts into columns of tokens, numbers and integer codes."""

from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.io.text import decode


@dataclass(frozen=True, eq=False)
class UniformTokens:
    """All words of a text whose lines have `width` words each, but the first line perhaps only one.

    Attributes
    ----------
    first : the only word of the first line, where the others have more; else None.
    words : the words of the other lines, line after line.
    width : words in each of these lines.
    """

    first: str | None
    words: list[str]
    width: int

    @property
    def n_lines(self) -> int:
        """Number of lines, not counting a first line with one word."""
        return len(self.words) // self.width


def uniform_tokens(data: bytes) -> UniformTokens | None:
    """Words of a text without blank lines, comments or doubled blanks; None where it is not so plain.

    The positions of blanks and line ends show that every line has the same number of words, so one split of the whole
    text (five times faster than one of each line) cannot shift words from one line into another.
    """
    data = data.replace(b"\r\n", b"\n")
    if not data or b"#" in data or b"\r" in data:
        return None
    data = data if data.endswith(b"\n") else data + b"\n"
    codes = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(codes == ord("\n"))
    blanks = np.flatnonzero((codes == ord(" ")) | (codes == ord("\t")))
    first = int(len(blanks) > 0 and len(ends) > 1 and blanks[0] > ends[0])
    n_lines = len(ends) - first
    if len(blanks) % n_lines:
        return None
    width = len(blanks) // n_lines + 1
    if first and width == 1:
        return None
    # Edges of the words of each line: its start, its blanks, its end; no word may be empty.
    starts = np.concatenate([[-1], ends[:-1]])
    if first and starts[0] + 1 >= ends[0]:
        return None
    edges = np.column_stack([starts[first:], blanks.reshape(n_lines, width - 1), ends[first:]])
    if np.any(np.diff(edges, axis=1) < 2):
        return None
    words = decode(data).split()
    if len(words) != first + n_lines * width:  # white space of other kinds
        return None
    return UniformTokens(words.pop(0) if first else None, words, width)


WORD_BYTES = 8
"""Bytes that are compared in one go: those of an integer."""

_BYTE_MASKS = np.array(
    [(1 << (8 * count)) - 1 if count < WORD_BYTES else 2**64 - 1 for count in range(WORD_BYTES + 1)], np.uint64
)
"""The first bytes of a little-endian integer."""

MAX_EXACT_DIGITS = 15
"""So many digits, and the power of ten below their point, are exact in a float64: their quotient is rounded once."""

MAX_NUMBER_BYTES = MAX_EXACT_DIGITS + 2
"""Bytes of a number with no more digits, its sign and its point."""

_POWERS_OF_TEN = 10.0 ** np.arange(MAX_EXACT_DIGITS + 1)
_ZEROS, _SIX, _HIGH = (np.uint64(0x0101010101010101 * byte) for byte in (ord("0"), 0x06, 0xF0))
_PAIRS, _TEN = np.uint64(0x000000FF000000FF), np.uint64(10)
_JOIN = np.uint64(100 + (1_000_000 << 32)), np.uint64(1 + (10_000 << 32))
"""Eight digits in one integer become their number in three steps, each of which joins neighbours."""

_SENTINEL = 65537.5
"""A number behind the last one of a text: where it comes out last, all before it was read to its end."""


@dataclass(frozen=True, eq=False)
class TokenColumns:
    """Where the words of a text stand: n lines with the same number of words each.

    Attributes
    ----------
    data : bytes of the text, with `WORD_BYTES` more behind it.
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
        found = parse_decimals(self.data[inside].tobytes())
        return found if found is not None and len(found) == len(self.lines) else None

    def decimals(self, column: int) -> NDArray[np.float64] | None:
        """Numbers of a column written like ``-1.25`` or ``7``, (n,), exactly rounded; None where one is not.

        Digit by digit for all lines at once. A mantissa of so few digits, and the power of ten below its point, are
        exact doubles: their quotient is rounded once.
        """
        starts, lengths = self.starts[:, column], self.ends[:, column] - self.starts[:, column]
        if int(lengths.max()) > MAX_NUMBER_BYTES:
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
        if np.any((digits == 0) | (digits > MAX_EXACT_DIGITS) | (points > 1)):
            return None
        values = mantissa / _POWERS_OF_TEN[below]
        return np.where(first == ord("-"), -values, values)

    def whole_numbers(self, column: int) -> NDArray[np.uint64] | None:
        """Whole numbers of a column, (n,) uint64, where all are digits and no longer than `WORD_BYTES`; else None."""
        starts, lengths = self.starts[:, column], self.ends[:, column] - self.starts[:, column]
        if int(lengths.max()) > WORD_BYTES:
            return None
        return _parse_integers(self.data, starts, lengths)


def _parse_integers(
    data: NDArray[np.uint8], starts: NDArray[np.intp], lengths: NDArray[np.intp]
) -> NDArray[np.uint64] | None:
    """Numbers of up to eight digits each, 0 for none; None where something else is among them."""
    missing = WORD_BYTES - lengths
    word = (_load_uint64(data, starts) << (8 * missing % 64).astype(np.uint64)) | (_BYTE_MASKS[missing] & _ZEROS)
    word = np.where(lengths > 0, word, _ZEROS) if not lengths.all() else word
    if np.any((word & _HIGH) != _ZEROS) or np.any(((word + _SIX) & _HIGH) != _ZEROS):
        return None
    word -= _ZEROS
    word = word * _TEN + (word >> np.uint64(8))  # each digit with the one behind it
    word = (word & _PAIRS) * _JOIN[0] + ((word >> np.uint64(16)) & _PAIRS) * _JOIN[1]
    return word >> np.uint64(32)


def token_columns(text: bytes, width: int) -> TokenColumns | None:
    """Words of an ASCII text whose lines have `width` words or none; None where it is not so plain.

    White space is free, but comments, other control characters and lines of another length are not plain.
    """
    if b"#" in text or not text.isascii():
        return None
    data = np.frombuffer(text + b"\n" + bytes(WORD_BYTES), np.uint8)
    plain = _single_space_columns(data, len(text) - text.endswith(b"\n"), width)
    if plain is not None:
        return plain
    body = data[:-WORD_BYTES]
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
    return TokenColumns(data, starts, ends, (first + 1).astype(np.int32), len(at) - text.endswith(b"\n"))


def _single_space_columns(data: NDArray[np.uint8], size: int, width: int) -> TokenColumns | None:
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
    return TokenColumns(data, starts.reshape(-1, width), blanks.reshape(-1, width), lines, len(kinds))


def parse_decimals(text: bytes) -> NDArray[np.float64] | None:
    """Numbers between white space, (n,) float64, exactly rounded; None where something is no number.

    A number that begins where another one ends (``1.5-2.5``) counts as two here: whoever asks knows how many there are.
    """
    if b"_" in text:
        return None
    try:
        found = np.fromstring(text + f" {_SENTINEL}".encode(), sep=" ")
    except (ValueError, DeprecationWarning):
        return None
    return found[:-1] if len(found) and found[-1] == _SENTINEL else None


def pack_tokens(
    data: NDArray[np.uint8], starts: NDArray[np.intp], lengths: NDArray[np.intp]
) -> list[NDArray[np.uint64]]:
    """Words as integers of eight bytes, zeros behind their end."""
    found = []
    for before in range(0, int(lengths.max()), WORD_BYTES):
        left = np.clip(lengths - before, 0, WORD_BYTES)
        found.append(_load_uint64(data, starts + before if before else starts) & _BYTE_MASKS[left])
    return found


def _load_uint64(data: NDArray[np.uint8], starts: NDArray[np.intp]) -> NDArray[np.uint64]:
    """The eight bytes from each place on, as integers; at the end of the data, the last eight."""
    at_each: NDArray[Any] = np.ndarray((len(data) - WORD_BYTES + 1,), "<u8", data, strides=(1,))
    return at_each[np.minimum(starts, len(at_each) - 1)]


MAX_TOKEN_BYTES = 64
"""Bytes of a word that is compared piece by piece; ids are shorter."""

MIN_SLOTS = 2**16
SLOTS_PER_TOKEN = 32
"""So few words share a slot that the search for the others costs nothing."""

LOOKUP_BATCH = 2**12
"""Unknown words searched for at a time: one list names most models, so that those behind it are known then."""

_HASH_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5,
     0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3],
    np.uint64,
)  # fmt: skip
"""Odd numbers with well-mixed bits; the hash only finds a word quickly, bytes are compared all the same."""


@dataclass(eq=False)
class TokenCodes:
    """Numbers words in the order in which they are met.

    Attributes
    ----------
    places : number of each word met so far.
    """

    places: dict[bytes, int] = field(default_factory=dict)
    _slots: NDArray[np.int32] = field(default_factory=lambda: np.full(MIN_SLOTS, -1, np.int32))
    _pieces: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((64, len(_HASH_FACTORS)), np.uint64))
    _lengths: NDArray[np.int64] = field(default_factory=lambda: np.zeros(64, np.int64))
    _names: list[str] = field(default_factory=list)

    def names(self) -> tuple[str, ...]:
        """The words in order."""
        self._names += [word.decode() for word in islice(self.places, len(self._names), None)]
        return tuple(self._names)

    def codes(self, columns: TokenColumns, column: int) -> NDArray[np.int32]:
        """Number of each word of a column, (n,) int32; new words are added. Equal neighbours are looked up once."""
        starts, ends = columns.starts[:, column], columns.ends[:, column]
        lengths = ends - starts
        if int(lengths.max()) > MAX_TOKEN_BYTES:
            return self._one_by_one(columns.data, starts, ends)
        pieces = pack_tokens(columns.data, starts, lengths)
        opens = np.ones(len(starts), np.bool_)
        opens[1:] = lengths[1:] != lengths[:-1]
        for piece in pieces:
            opens[1:] |= piece[1:] != piece[:-1]
        first = np.flatnonzero(opens)
        if 2 * len(first) > len(starts):
            return self._look_up(columns.data, starts, ends, pieces)
        found = self._look_up(columns.data, starts[first], ends[first], [piece[first] for piece in pieces])
        return np.repeat(found, np.diff(first, append=len(starts)))

    def _look_up(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.intp],
        ends: NDArray[np.intp],
        pieces: list[NDArray[np.uint64]],
    ) -> NDArray[np.int32]:
        """Number of each word, (n,) int32; new ones are added."""
        lengths = ends - starts
        mixed = pieces[0] * _HASH_FACTORS[0]
        for piece, factor in zip(pieces[1:], _HASH_FACTORS[1:], strict=False):
            mixed ^= piece * factor
        mixed ^= mixed >> np.uint64(29)
        found = self._slots[self._slot(mixed)]
        wrong = np.flatnonzero(~self._are(found, pieces, lengths))
        while len(wrong):
            few = wrong[:LOOKUP_BATCH]
            found[few] = self._search(data, starts[few], ends[few], mixed[few])
            few = few[~self._are(found[few], [piece[few] for piece in pieces], lengths[few])]
            found[few] = self._one_by_one(data, starts[few], ends[few])
            wrong = wrong[LOOKUP_BATCH:]
            found[wrong] = self._slots[self._slot(mixed[wrong])]
            wrong = wrong[~self._are(found[wrong], [piece[wrong] for piece in pieces], lengths[wrong])]
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
        if SLOTS_PER_TOKEN * len(self.places) > len(self._slots):
            self._slots = np.full(4 * len(self._slots), -1, np.int32)  # it fills again as words are met
        self._slots[self._slot(mixed[first])] = numbers
        return numbers[inverse]

    def _slot(self, mixed: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return mixed >> np.uint64(64 - len(self._slots).bit_length() + 1)

    def _one_by_one(
        self, data: NDArray[np.uint8], starts: NDArray[np.intp], ends: NDArray[np.intp]
    ) -> NDArray[np.int32]:
        text, known = data.data, len(self.places)
        words = [bytes(text[start:end]) for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        numbers = [self.places.setdefault(word, len(self.places)) for word in words]
        self._note(known)
        return np.array(numbers, np.int32)

    def place(self, word: bytes) -> int:
        """Number of a word; a new one is added."""
        known = len(self.places)
        number = self.places.setdefault(word, known)
        self._note(known)
        return number

    def _note(self, known: int) -> None:
        """Keep the bytes of all words but the first `known` ones, to compare others with."""
        new = list(islice(self.places, known, None))
        if not new:
            return
        while len(self.places) > len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
            self._pieces = np.concatenate([self._pieces, np.zeros_like(self._pieces)])
        behind = slice(known, known + len(new))
        self._lengths[behind] = [len(word) for word in new]
        padded = b"".join([word[:MAX_TOKEN_BYTES].ljust(MAX_TOKEN_BYTES, b"\0") for word in new])
        self._pieces[behind] = np.frombuffer(padded, "<u8").reshape(len(new), -1)


def first_seen_order(codes: NDArray[np.int32], count: int) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
    """Which of `count` words some codes name, in the order in which they do so first, and the codes counted so.

    Examples
    --------
    >>> met, own = in_order_met(np.array([7, 2, 7, 5], np.int32), 9)
    >>> met.tolist(), own.tolist()
    ([7, 2, 5], [0, 1, 0, 2])
    """
    first = np.full(count, len(codes), np.int64)
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)  # of several, the last one assigned stays
    present = np.flatnonzero(first < len(codes))
    met = present[np.argsort(first[present])]
    own = np.zeros(count, np.int32)
    own[met] = np.arange(len(met), dtype=np.int32)
    return met, own[codes]
