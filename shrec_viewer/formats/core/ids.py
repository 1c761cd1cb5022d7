"""Match ids and file names: natural order, extensions, case, and prefixes."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NumberedIds, places_of


def _word_pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    """Pattern for one of the words: in lower case at the beginning of a word, capitalised or in upper case anywhere."""
    lower, capitalised, upper = ("|".join(map(change, words)) for change in (str.lower, str.capitalize, str.upper))
    return re.compile(rf"(?<![A-Za-z])(?:{lower})|{capitalised}|(?<![A-Z])(?:{upper})")


CERTAIN_QUERY_WORDS = _word_pattern(("query", "queries", "sketch", "probe"))
#: Words in the names of query files: `queryCulture.cla`, `SHREC13_SBR_Sketch.cla`, `rgbd.csv`.
#:
#: Words that are not in `CERTAIN_QUERY_WORDS` also occur in names of folders with images of models.
QUERY_WORDS = _word_pattern(
    ("query", "queries", "sketch", "probe", "photo", "image", "scan", "kinect", "range", "rgbd")
)

#: Words in the names of collection files: `SHREC13_SBR_Model.cla`, `datasetCulture.cla`, `targets.csv`.
COLLECTION_WORDS = re.compile(r"model|target|dataset|database|collection|gallery|(?<![a-z])cad", re.IGNORECASE)

MODEL = "model"
QUERY = "query"


EXACT = "exact"
EXTENSION = "without the extension"
UNICODE_NFC = "in Unicode normal form NFC"
CASE = "case-insensitively"
PREFIX = "without the prefix"
ZEROS = "with different leading zeros"
PREFIX_AND_ZEROS = "without the prefix and with different leading zeros"
AMBIGUOUS = "ambiguous"
NUMBER_RULES = (PREFIX, ZEROS, PREFIX_AND_ZEROS)

_ASCII_DIGITS = "0123456789"
_DIGITS = re.compile(r"([0-9]+)")
_NUMBERED = re.compile(r"([^0-9]*)([0-9]+)")
_MODEL_ENDING = re.compile(r"\.(?:off|obj|ply|stl|glb|gltf|dae|wrl|3ds|png|jpe?g|bmp|gif)$", re.IGNORECASE)
_EXTENSION = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,4}(?:\.gz)?$", re.IGNORECASE)


def natural_key(name: str) -> tuple[object, ...]:
    """Sort key for natural order, ``m9`` before ``m10``: sequences of digits compare as numbers of any length.

    Equal numbers with different leading zeros are ordered by the plain text, so that the order is total.

    Examples
    --------
    >>> sorted(["T10", "T9", "T09", "S1"], key=natural_key)
    ['S1', 'T09', 'T9', 'T10']
    """
    parts: list[object] = list(_DIGITS.split(name))
    for index in range(1, len(parts), 2):
        digits = str(parts[index]).lstrip("0")
        # Length first, then text: the order of the numbers, without int(), which Python limits to 4,300 digits
        # (3.10.7).
        parts[index] = (len(digits), digits)
    return (tuple(parts), name)


def natural_order(names: Sequence[str]) -> NDArray[np.int32]:
    """Indices of `names` in natural order, (n,) int32: ``[names[i] for i in natural_order(names)]`` is sorted."""
    if (numbers := _numbers_after_prefix(names)) is not None:
        return np.argsort(numbers).astype(np.int32)
    return np.array(sorted(range(len(names)), key=[*map(natural_key, names)].__getitem__), np.int32)


def _numbers_after_prefix(names: Sequence[str]) -> NDArray[np.int64] | None:
    """Distinct numbers after a prefix that all names have, (n,) int64; None for other names.

    Most ids are so; a million take 0.5 s in this way, and 8 s by `natural_key`.
    """
    if isinstance(names, NumberedIds):
        return trailing_numbers(names)
    prefix = names[0].rstrip(_ASCII_DIGITS) if names else ""
    is_plain = all(name.rstrip(_ASCII_DIGITS) == prefix for name in names)
    return trailing_numbers(names) if is_plain and max(map(len, names), default=99) - len(prefix) <= 18 else None


def natural_sorted(names: Sequence[str]) -> list[str]:
    """The names in natural order."""
    return [names[index] for index in natural_order(names).tolist()]


def trailing_numbers(names: Sequence[str]) -> NDArray[np.int64] | None:
    """Number at the end of each name, (n,) int64; None if a name has none or two have the same."""
    if isinstance(names, NumberedIds):
        return names.values
    found = []
    for name in names:
        # 18 digits fit into int64. Without a regular expression, a million names take 0.4 instead of 2 s.
        digits = name[len(name.rstrip(_ASCII_DIGITS)) :][-18:]
        if not digits:
            return None
        found.append(int(digits))
    return np.array(found, np.int64) if len(set(found)) == len(found) else None


def are_positions(names: Sequence[str]) -> bool:
    """Whether the names are the numbers 0 ... n - 1, or 1 ... n, in any order, as those of rows or columns."""
    if isinstance(names, NumberedIds):
        low, high = sorted((*names.numbers[:1], *names.numbers[-1:])) or (-1, -1)
        return not names.prefix and low in (0, 1) and high - low == len(names) - 1
    # 18 digits, as above: `int` refuses more than 4,300.
    if not all(name.isascii() and name.isdigit() and len(name) <= 18 for name in names):
        return False
    numbers = sorted(map(int, names))
    return bool(numbers) and numbers[0] in (0, 1) and numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def without_extension(name: str) -> str:
    """Name of a file without folder and extension. An extension starts with a letter: ``snn.087`` has none.

    The extension of a compressed file is removed as well: ``Q01.txt.gz`` is ``Q01``.

    Examples
    --------
    >>> without_extension("models/N0001.off"), without_extension("snn.087_1845118")
    ('N0001', 'snn.087_1845118')
    """
    base = name.replace("\\", "/").rsplit("/", 1)[-1]
    return _EXTENSION.sub("", base) or base


_PUNCTUATION = re.compile(r"[\W_]+")

#: Differences between the numbers of two notations, and their words for a message.
NUMBER_STEPS = {"": 0, " plus 1": 1, " minus 1": -1}

#: Share of unknown ids that a notation must explain.
MIN_NOTATION_SHARE = 0.9


def _nfc(name: str) -> str:
    return name if name.isascii() else unicodedata.normalize("NFC", name)


def folded(name: str) -> str:
    """Name by which spellings that differ in case or in Unicode normal form are equal."""
    return _nfc(_nfc(name).casefold())


def _number_of(name: str) -> int | None:
    found = _DIGITS.findall(without_extension(name))
    return int(found[-1][-18:]) if found else None


#: Rules that map names to a normal form; names match if their normal forms are equal.
NORMALISATIONS: tuple[tuple[str, Callable[[str], str]], ...] = ((EXTENSION, str), (UNICODE_NFC, _nfc), (CASE, folded))


@dataclass(frozen=True, slots=True)
class IdMatch:
    """Index of the id that a word matches, -1 for none, and the rule of the match."""

    index: int
    rule: str


#: Number of words matched by each rule, and the first of them.
RuleCounts = dict[str, tuple[int, str]]

NO_MATCH = IdMatch(-1, EXACT)


class IdIndex:
    """Finds ids from their different spellings in runs and file names.

    Rules, the first that applies: exact; base name without extension; Unicode NFC (some systems store
    file names decomposed); case-insensitive; with or without an alphabetic prefix (``m665`` = ``665``); with different
    leading zeros (``34670`` = ``034670``). Two different prefixes never match (``Q01`` is not ``N0001``). A word that
    matches two ids is ambiguous and matches none.

    Parameters
    ----------
    ids : distinct ids.
    """

    def __init__(self, ids: Sequence[str]) -> None:
        self.ids = ids if isinstance(ids, NumberedIds) else tuple(ids)
        self.exact: Mapping[str, int] = places_of(self.ids)
        self._known: dict[str, IdMatch] = {}
        self._written: dict[str, dict[str, list[int]]] = {}
        self._numbers: dict[str, list[int]] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def _bases(self) -> Sequence[str]:
        return self.ids if isinstance(self.ids, NumberedIds) else [without_extension(name) for name in self.ids]

    @cached_property
    def _are_ascii(self) -> bool:
        return isinstance(self.ids, NumberedIds) or all(map(str.isascii, self.ids))

    @cached_property
    def numbers_from_1(self) -> Sequence[int]:
        """Number at the end of each id, if these are 1 to the number of ids in any order; else empty."""
        numbers = trailing_numbers(self.ids)
        fits = numbers is not None and len(numbers) > 0 and numbers.min() == 1 and numbers.max() == len(numbers)
        if not fits or numbers is None:
            return ()
        return self.ids.numbers if isinstance(self.ids, NumberedIds) else numbers.tolist()

    @cached_property
    def has_blanks(self) -> bool:
        """Whether ids contain spaces, so that spaces in a line do not always separate columns."""
        return any(" " in name for name in (self.ids[:1] if isinstance(self.ids, NumberedIds) else self.ids))

    def match(self, word: str) -> IdMatch:
        """Match of a word."""
        index = self.exact.get(word)
        if index is not None:
            return IdMatch(index, EXACT)
        # A matrix with ids repeats the same words in every row.
        if word not in self._known:
            self._known[word] = self._loose(word)
        return self._known[word]

    def index_of(self, word: str) -> int:
        """Index of the id that a word matches, -1 for none."""
        return self.match(word).index

    def indices_of(self, words: Sequence[str], used: RuleCounts | None = None) -> NDArray[np.int32]:
        """Indices of the ids that words match, (n,) int32, -1 for none.

        Words matched by another rule than `EXACT` (or ambiguous) are counted in `used`.
        """
        get = self.exact.get
        # Most words are ids as they are; only the others are matched by rules, which takes longer.
        found = np.fromiter(map(get, words, repeat(-1)), np.int32, len(words))
        for missed in np.flatnonzero(found < 0).tolist():
            match = self.match(words[missed])
            found[missed] = match.index
            if used is not None and match.rule != EXACT:
                count, first = used.get(match.rule, (0, words[missed]))
                used[match.rule] = (count + 1, first)
        return found

    def share(self, words: Sequence[str], *, exact: bool = False) -> float:
        """Share of words that match an id, in [0, 1]; 0 for no words."""
        if not words:
            return 0.0
        known = sum(word in self.exact for word in words)
        if not exact and known < len(words):
            known = sum(self.match(word).index >= 0 for word in words)
        return known / len(words)

    def weighted_share(self, words: Sequence[str]) -> float:
        """`share`, with weight 0.5 for words that match only the number of an id."""
        rules = [match.rule for match in map(self.match, words) if match.index >= 0]
        return sum(0.5 if rule in NUMBER_RULES else 1.0 for rule in rules) / len(words) if words else 0.0

    def notation_hint(self, words: Sequence[str]) -> str:
        """Notation in which nearly all of some unknown words would be ids, for a message; "" for none.

        Without punctuation, or by the last number in them: ``; by the number in it 'T8' would be 'N8'``.
        """
        distinct, ids = list(dict.fromkeys(words)), self.ids
        if isinstance(ids, NumberedIds):  # may be millions, of which only those with the numbers of the words can fit
            numbers = (number for word in distinct if (number := _number_of(word)) is not None)
            near = dict.fromkeys(f"{ids.prefix}{number + step}" for number in numbers for step in NUMBER_STEPS.values())
            ids = tuple(filter(self.exact.__contains__, near))
        plain = {_PUNCTUATION.sub("", folded(name)): name for name in ids}
        numbered = {_number_of(name): name for name in ids}
        ways = {"without punctuation": [plain.get(_PUNCTUATION.sub("", folded(word))) for word in distinct]}
        if len(numbered) == len(ids):  # otherwise the numbers are no ids
            of_words = [_number_of(word) for word in distinct]
            for text, step in NUMBER_STEPS.items():
                found = [None if number is None else numbered.get(number + step) for number in of_words]
                ways[f"by the number in it{text}"] = found
        text, found = max(ways.items(), key=lambda way: len(set(way[1]) - {None}))  # the first of equal ones
        if len(set(found) - {None}) < max(2, MIN_NOTATION_SHARE * len(distinct)):
            return ""
        word, name = next((word, name) for word, name in zip(distinct, found, strict=True) if name is not None)
        return f"; {text} '{word}' would be '{name}'"

    def _loose(self, word: str) -> IdMatch:
        base = without_extension(word)
        match = self._by_name(base)
        # Without the extension of a model only if nothing matches with it, as ids may contain dots.
        if match is NO_MATCH and (inner := _MODEL_ENDING.sub("", base)) != base:  # `Q3.off.txt` is the list of `Q3.off`
            match = self._by_name(inner)
        return match

    def _by_name(self, base: str) -> IdMatch:
        is_ascii = base.isascii() and self._are_ascii
        for rule, key in NORMALISATIONS:
            if rule is UNICODE_NFC and is_ascii:  # NFC of ASCII is the text itself
                continue
            # A word that two ids match equally well is ambiguous; a weaker rule could only guess between them.
            if found := self._written_so(rule, key, base):
                return IdMatch(found[0], rule) if len(found) == 1 else IdMatch(-1, AMBIGUOUS)
        return self._by_number(base)

    def _written_so(self, rule: str, key: Callable[[str], str], base: str) -> list[int]:
        """Indices of the ids with a normal form of a word; of numbered ids it is the id itself."""
        if isinstance(self.ids, NumberedIds):
            return [self.exact[name]] if (name := key(base)) in self.exact else []
        if rule not in self._written:
            indices: dict[str, list[int]] = {}
            for index, name in enumerate(self._bases):
                indices.setdefault(key(name), []).append(index)
            self._written[rule] = indices
        return self._written[rule].get(key(base), [])

    def _with_number(self, digits: str) -> list[int]:
        """Indices of the ids that end in a number, without leading zeros."""
        if isinstance(self.ids, NumberedIds):
            return [self.exact[name]] if (name := f"{self.ids.prefix}{digits or 0}") in self.exact else []
        if self._numbers is None:
            self._numbers = {}
            for index, base in enumerate(self._bases):
                if parts := _NUMBERED.fullmatch(base):
                    # All zeros become "", which is a key like any other.
                    self._numbers.setdefault(parts[2].lstrip("0"), []).append(index)
        return self._numbers.get(digits, [])

    def _by_number(self, word: str) -> IdMatch:
        parts = _NUMBERED.fullmatch(word)
        if parts is None:
            return NO_MATCH
        prefix, digits = parts.groups()
        found: dict[str, list[int]] = {}
        for index in self._with_number(digits.lstrip("0")):
            rule = self._rule(prefix, digits, self._bases[index])
            if rule:
                found.setdefault(rule, []).append(index)
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
        # `Q01` and `N0001` have one number but two prefixes: in SHREC 2006 a query and a model.
        if prefix and own_prefix:
            return None
        return PREFIX if digits == own_digits else PREFIX_AND_ZEROS
