"""Match ids and file names: natural order, extensions, case, prefixes and leading zeros."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

EXACT = "exact"
EXTENSION = "without the extension"
UNICODE_NFC = "with accents written as one letter"
CASE = "in another case"
PREFIX = "without the prefix"
ZEROS = "with other leading zeros"
PREFIX_AND_ZEROS = "without the prefix and with other leading zeros"
AMBIGUOUS = "ambiguous"
NUMBER_RULES = (PREFIX, ZEROS, PREFIX_AND_ZEROS)

_DIGITS = re.compile(r"([0-9]+)")
_NUMBERED = re.compile(r"([^0-9]*)([0-9]+)")
_MODEL_ENDING = re.compile(r"\.(?:off|obj|ply|stl|glb|gltf|dae|wrl|3ds|png|jpe?g|bmp|gif)$", re.IGNORECASE)
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}(?:\.gz)?$", re.IGNORECASE)


def natural_key(name: str) -> tuple[object, ...]:
    """Sort key under which ``m9`` stands before ``m10``: runs of digits compare as numbers of any length.

    Equal numbers with other leading zeros are told apart by the plain text, so that the order is total.

    Examples
    --------
    >>> sorted(["T10", "T9", "T09", "S1"], key=natural_key)
    ['S1', 'T09', 'T9', 'T10']
    """
    parts: list[object] = list(_DIGITS.split(name))
    for place in range(1, len(parts), 2):
        digits = str(parts[place]).lstrip("0")
        parts[place] = (len(digits), digits)
    return (tuple(parts), name)


def natural_order(names: Sequence[str]) -> NDArray[np.int32]:
    """Places of `names` in natural order, (n,) int32: ``[names[i] for i in natural_order(names)]`` is sorted."""
    return np.array(sorted(range(len(names)), key=lambda place: natural_key(names[place])), np.int32)


def trailing_numbers(names: Iterable[str]) -> NDArray[np.int64] | None:
    """The number at the end of each name, (n,) int64; None where one has none, or two have the same."""
    found = []
    for name in names:
        match = re.search(r"([0-9]{1,18})$", name)
        if match is None:
            return None
        found.append(int(match[1]))
    return np.array(found, np.int64) if len(set(found)) == len(found) else None


def without_extension(name: str) -> str:
    """Name of a file without folder and extension. Only what begins with a letter is one: ``snn.087`` stays.

    What says that it is packed goes too: ``Q01.txt.gz`` is ``Q01``.

    Examples
    --------
    >>> without_extension("models/N0001.off"), without_extension("snn.087_1845118")
    ('N0001', 'snn.087_1845118')
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return _EXTENSION.sub("", base) or base


def _nfc(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def _folded(name: str) -> str:
    return _nfc(_nfc(name).casefold())


NORMALISATIONS: tuple[tuple[str, Callable[[str], str]], ...] = ((EXTENSION, str), (UNICODE_NFC, _nfc), (CASE, _folded))
"""Rules under which names are alike that become the same."""


@dataclass(frozen=True, slots=True)
class IdMatch:
    """Which id a word means, and by which rule; `place` is -1 where it means none."""

    place: int
    rule: str


RuleCounts = dict[str, tuple[int, str]]
"""How many words each rule matched, and the first of them."""

NO_MATCH = IdMatch(-1, EXACT)


class IdIndex:
    """Finds the place of an id, however a run writes it.

    Rules, the first that applies: exact; base name without extension; letters and accents composed (some systems take
    them apart in the names of files); in another case; with or without an alphabetic prefix (``m665`` = ``665``); with
    other leading zeros (``34670`` = ``034670``). Two different prefixes never match (``Q01`` is not ``N0001``). A word
    that could mean two ids means none.

    Parameters
    ----------
    ids : distinct ids.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = tuple(ids)
        self.exact: dict[str, int] = {name: place for place, name in enumerate(self.ids)}
        self._known: dict[str, IdMatch] = {}
        self._written: dict[str, dict[str, list[int]]] = {}
        self._numbers: dict[str, list[int]] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def _bases(self) -> list[str]:
        return [without_extension(name) for name in self.ids]

    @cached_property
    def _are_ascii(self) -> bool:
        return all(map(str.isascii, self.ids))

    @cached_property
    def numbers_from_1(self) -> list[int]:
        """The number at the end of each id, where these are 1 to their count in any order; else empty."""
        numbers = trailing_numbers(self.ids)
        fits = numbers is not None and len(numbers) > 0 and numbers.min() == 1 and numbers.max() == len(numbers)
        return numbers.tolist() if fits and numbers is not None else []

    @cached_property
    def has_blanks(self) -> bool:
        """Whether ids have blanks in them, so that blanks in a line need not separate columns."""
        return any(" " in name for name in self.ids)

    def match(self, word: str) -> IdMatch:
        """The id that `word` means."""
        place = self.exact.get(word)
        if place is not None:
            return IdMatch(place, EXACT)
        if word not in self._known:
            self._known[word] = self._loose(word)
        return self._known[word]

    def place(self, word: str) -> int:
        """Place of the id that `word` means, -1 for none."""
        return self.match(word).place

    def places(self, words: Sequence[str], used: RuleCounts | None = None) -> NDArray[np.int32]:
        """Places of many words, (n,) int32, -1 for none. Exact ones cost one look-up.

        Words that another rule matched (or refused as ambiguous) are counted in `used`.
        """
        get = self.exact.get
        found = np.fromiter(map(get, words, repeat(-1)), np.int32, len(words))
        for missed in np.flatnonzero(found < 0).tolist():
            match = self.match(words[missed])
            found[missed] = match.place
            if used is not None and match.rule != EXACT:
                count, first = used.get(match.rule, (0, words[missed]))
                used[match.rule] = (count + 1, first)
        return found

    def share(self, words: Sequence[str], *, exact: bool = False) -> float:
        """Share of `words` that mean an id, in [0, 1]; 0 for no words."""
        if not words:
            return 0.0
        known = sum(word in self.exact for word in words)
        if not exact and known < len(words):
            known = sum(self.match(word).place >= 0 for word in words)
        return known / len(words)

    def weighted_share(self, words: Sequence[str]) -> float:
        """The same, but a word that has no more than the number of an id counts half."""
        rules = [match.rule for match in map(self.match, words) if match.place >= 0]
        return sum(0.5 if rule in NUMBER_RULES else 1.0 for rule in rules) / len(words) if words else 0.0

    def _loose(self, word: str) -> IdMatch:
        base = without_extension(word)
        match = self._by_name(base)
        if match is NO_MATCH and (inner := _MODEL_ENDING.sub("", base)) != base:  # `Q3.off.txt` is the list of `Q3.off`
            match = self._by_name(inner)
        return match

    def _by_name(self, base: str) -> IdMatch:
        is_ascii = base.isascii() and self._are_ascii
        for rule, key in NORMALISATIONS:
            if rule is UNICODE_NFC and is_ascii:  # nothing to compose
                continue
            if found := self._written_so(rule, key).get(key(base)):
                return IdMatch(found[0], rule) if len(found) == 1 else IdMatch(-1, AMBIGUOUS)
        return self._by_number(base)

    def _written_so(self, rule: str, key: Callable[[str], str]) -> dict[str, list[int]]:
        if rule not in self._written:
            places: dict[str, list[int]] = {}
            for place, base in enumerate(self._bases):
                places.setdefault(key(base), []).append(place)
            self._written[rule] = places
        return self._written[rule]

    def _by_number(self, word: str) -> IdMatch:
        if self._numbers is None:
            self._numbers = {}
            for place, base in enumerate(self._bases):
                if parts := _NUMBERED.fullmatch(base):
                    self._numbers.setdefault(parts[2].lstrip("0"), []).append(place)
        parts = _NUMBERED.fullmatch(word)
        if parts is None:
            return NO_MATCH
        prefix, digits = parts.groups()
        found: dict[str, list[int]] = {}
        for place in self._numbers.get(digits.lstrip("0"), []):
            rule = self._rule(prefix, digits, self._bases[place])
            if rule:
                found.setdefault(rule, []).append(place)
        for rule in NUMBER_RULES:
            if rule in found:
                return IdMatch(found[rule][0], rule) if len(found[rule]) == 1 else IdMatch(-1, AMBIGUOUS)
        return NO_MATCH

    @staticmethod
    def _rule(prefix: str, digits: str, name: str) -> str | None:
        parts = _NUMBERED.fullmatch(name)
        assert parts is not None
        own_prefix, own_digits = parts.groups()
        if prefix == own_prefix:
            return ZEROS
        if prefix and own_prefix:
            return None
        return PREFIX if digits == own_digits else PREFIX_AND_ZEROS
