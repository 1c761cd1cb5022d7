"""Fuzzy text matching with scores."""

from collections.abc import Iterable
from typing import NamedTuple

WORD_START, CONSECUTIVE, GAP_PENALTY = 8.0, 5.0, 0.15
"""What a letter is worth at the start of a word and behind the letter before it, and what each letter skipped costs."""


class FuzzyMatch(NamedTuple):
    """How well a text fits, larger is better, and which of its letters were meant."""

    score: float
    places: tuple[int, ...]


def fuzzy_match(wanted: str, text: str) -> FuzzyMatch | None:
    """How well `text` fits the letters `wanted`, in their order but not side by side; None where it does not.

    Words may be given in any order; every one of them must be found.

    Examples
    --------
    >>> fuzzy("prl", "Precision, recall").places
    (0, 1, 15)
    >>> fuzzy("theme dark", "Dark theme") is not None, fuzzy("xyz", "Dark theme")
    (True, None)
    """
    low = text.lower()
    score, places = 0.0, set[int]()
    for word in wanted.lower().split():
        found = _match_word(word, low)
        if found is None:
            return None
        score += found.score
        places.update(found.places)
    return FuzzyMatch(score - 0.02 * len(text), tuple(sorted(places)))


def _match_word(word: str, text: str) -> FuzzyMatch | None:
    """The best of: the word as it stands, at the start of a word if possible; its letters one by one."""
    place = _find_substring(word, text)
    if place is not None:
        at_start = place == 0 or not text[place - 1].isalnum()
        score = len(word) * CONSECUTIVE + (WORD_START if at_start else 0) - GAP_PENALTY * min(place, 20)
        return FuzzyMatch(score, tuple(range(place, place + len(word))))
    return _match_letters(word, text)


def _find_substring(word: str, text: str) -> int | None:
    place, first = text.find(word), None
    while place >= 0:
        first = place if first is None else first
        if place == 0 or not text[place - 1].isalnum():
            return place
        place = text.find(word, place + 1)
    return first


def _match_letters(word: str, text: str) -> FuzzyMatch | None:
    """Letters at the starts of words where there are any, else the next ones."""
    places: list[int] = []
    score, place = 0.0, -1
    for letter in word:
        following = _next_letter(letter, text, place + 1)
        if following is None:
            return None
        if following == place + 1 and places:
            score += CONSECUTIVE
        elif following == 0 or not text[following - 1].isalnum():
            score += WORD_START
        score -= GAP_PENALTY * (following - place - 1)
        place = following
        places.append(place)
    return FuzzyMatch(score - CONSECUTIVE, tuple(places))


def _next_letter(letter: str, text: str, start: int) -> int | None:
    """The letter right here, else at the start of a word from here on, else anywhere from here on."""
    if text[start : start + 1] == letter:
        return start
    any_place = text.find(letter, start)
    place = any_place
    while place >= 0:
        if not text[place - 1].isalnum():
            return place
        place = text.find(letter, place + 1)
    return any_place if any_place >= 0 else None


def contains_all_words(wanted: str, text: str) -> bool:
    """Whether a text has every word that is looked for; for pages that a person reads through.

    Examples
    --------
    >>> holds("theme DARK", "Dark theme"), holds("drk", "Dark theme")
    (True, False)
    """
    low = text.lower()
    return all(word in low for word in wanted.lower().split())


def best_matches(wanted: str, texts: Iterable[str], most: int) -> list[tuple[int, FuzzyMatch]]:
    """Places of the texts that fit best, at most so many; of equals the first."""
    matches = [(place, match) for place, text in enumerate(texts) if (match := fuzzy_match(wanted, text)) is not None]
    return sorted(matches, key=_by_score)[:most]


def _by_score(found: tuple[int, FuzzyMatch]) -> tuple[float, int]:
    return -found[1].score, found[0]
