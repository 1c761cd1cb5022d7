"""Numbers the words of a text by comparing their bytes, eight at a time, without a Python word for each line."""

from dataclasses import dataclass, field
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.word_columns import WordColumns, pieces_of

LONGEST = 64
"""Bytes of a word that is compared piece by piece; ids are shorter."""

FEWEST_SLOTS = 2**16
SLOTS_PER_WORD = 32
"""So few words share a slot that the search for the others costs nothing."""

BATCH = 2**12
"""Unknown words searched for at a time: one list names most models, so that those behind it are known then."""

_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5,
     0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3],
    np.uint64,
)  # fmt: skip
"""Odd numbers with well-mixed bits; the hash only finds a word quickly, bytes are compared all the same."""


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
    _names: list[str] = field(default_factory=list)

    def names(self) -> tuple[str, ...]:
        """The words in order."""
        self._names += [word.decode() for word in islice(self.places, len(self._names), None)]
        return tuple(self._names)

    def codes(self, columns: WordColumns, column: int) -> NDArray[np.int32]:
        """Number of each word of a column, (n,) int32; new words are added. Equal neighbours are looked up once."""
        starts, ends = columns.starts[:, column], columns.ends[:, column]
        lengths = ends - starts
        if int(lengths.max()) > LONGEST:
            return self._one_by_one(columns.data, starts, ends)
        pieces = pieces_of(columns.data, starts, lengths)
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
        mixed = pieces[0] * _FACTORS[0]
        for piece, factor in zip(pieces[1:], _FACTORS[1:], strict=False):
            mixed ^= piece * factor
        mixed ^= mixed >> np.uint64(29)
        found = self._slots[self._slot(mixed)]
        wrong = np.flatnonzero(~self._are(found, pieces, lengths))
        while len(wrong):
            few = wrong[:BATCH]
            found[few] = self._search(data, starts[few], ends[few], mixed[few])
            few = few[~self._are(found[few], [piece[few] for piece in pieces], lengths[few])]
            found[few] = self._one_by_one(data, starts[few], ends[few])
            wrong = wrong[BATCH:]
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
        if SLOTS_PER_WORD * len(self.places) > len(self._slots):
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
        padded = b"".join([word[:LONGEST].ljust(LONGEST, b"\0") for word in new])
        self._pieces[behind] = np.frombuffer(padded, "<u8").reshape(len(new), -1)


def in_order_met(codes: NDArray[np.int32], count: int) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
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
