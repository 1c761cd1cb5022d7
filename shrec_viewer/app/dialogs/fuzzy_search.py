"""Fuzzy text matching with scores."""

from collections.abc import Iterable
from typing import NamedTuple

#: Score of a character at the start of a word and of a character that follows the previous match; subtracted for each
#: skipped character, and for each character of the text, so that shorter texts are listed first.
WORD_START, CONSECUTIVE, GAP_PENALTY, LENGTH_PENALTY = 8.0, 5.0, 0.15, 0.02


class FuzzyMatch(NamedTuple):
    """Score of a match, larger is better, and the indices of the matched characters."""

    score: float
    indices: tuple[int, ...]


def fuzzy_match(pattern: str, text: str, details: str = "") -> FuzzyMatch | None:
    """Match the words of a pattern in any order; None if one of them does not match.

    A word matches as part of the text or of the details (with score 0 and without indices), or character by character:
    each follows the previous one or starts a word of the text. Characters anywhere would match nearly every text.

    Examples
    --------
    >>> fuzzy_match("prr", "Precision, recall").indices
    (0, 1, 11)
    >>> fuzzy_match("theme dark", "Dark theme") is not None, fuzzy_match("xyz", "Dark theme")
    (True, None)
    """
    lowered, lowered_details = text.lower(), details.lower()
    score, indices = 0.0, set[int]()
    for word in pattern.lower().split():
        found = _match_word(word, lowered, lowered_details)
        if found is None:
            return None
        score += found.score
        indices.update(found.indices)
    return FuzzyMatch(score - LENGTH_PENALTY * len(text), tuple(sorted(indices)))


def _match_word(word: str, text: str, details: str) -> FuzzyMatch | None:
    """Match a word as a substring, preferably at the start of a word; else in the details or by characters."""
    index = _find_substring(word, text)
    if index is not None:
        is_at_start = index == 0 or not text[index - 1].isalnum()
        score = len(word) * CONSECUTIVE + (WORD_START if is_at_start else 0) - GAP_PENALTY * min(index, 20)
        return FuzzyMatch(score, tuple(range(index, index + len(word))))
    return FuzzyMatch(0.0, ()) if word in details else _match_characters(word, text)


def _find_substring(word: str, text: str) -> int | None:
    """Index of the first occurrence at the start of a word, else of the first occurrence."""
    index, first = text.find(word), None
    while index >= 0:
        first = index if first is None else first
        if index == 0 or not text[index - 1].isalnum():
            return index
        index = text.find(word, index + 1)
    return first


def _match_characters(word: str, text: str) -> FuzzyMatch | None:
    """Match character by character; the score is reduced, so that substrings rank before scattered characters."""
    indices: list[int] = []
    score, index = 0.0, -1
    for character in word:
        next_index = _next_character(character, text, index + 1)
        if next_index is None:
            return None
        if next_index == index + 1 and indices:
            score += CONSECUTIVE
        elif next_index == 0 or not text[next_index - 1].isalnum():
            score += WORD_START
        score -= GAP_PENALTY * (next_index - index - 1)
        index = next_index
        indices.append(index)
    return FuzzyMatch(score - CONSECUTIVE, tuple(indices))


def _next_character(character: str, text: str, start: int) -> int | None:
    """Index of a character: at `start`, else the next one at the start of a word."""
    if text[start : start + 1] == character:
        return start
    index = text.find(character, start)
    while index >= 0:
        if not text[index - 1].isalnum():
            return index
        index = text.find(character, index + 1)
    return None


def contains_all_words(pattern: str, text: str) -> bool:
    """Whether a text contains every word of the pattern, ignoring case.

    Examples
    --------
    >>> contains_all_words("theme DARK", "Dark theme"), contains_all_words("drk", "Dark theme")
    (True, False)
    """
    lowered = text.lower()
    return all(word in lowered for word in pattern.lower().split())


def best_matches(pattern: str, texts: Iterable[tuple[str, str]], limit: int) -> list[tuple[int, FuzzyMatch]]:
    """Index and match of the best matching texts with their details, best first; equal scores in the given order."""
    matches = [
        (index, match)
        for index, (text, details) in enumerate(texts)
        if (match := fuzzy_match(pattern, text, details)) is not None
    ]
    return sorted(matches, key=_by_score)[:limit]


def _by_score(match: tuple[int, FuzzyMatch]) -> tuple[float, int]:
    return -match[1].score, match[0]
