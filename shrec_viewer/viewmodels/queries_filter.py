"""Which queries a text means: part of an id or a class, several words of one, or several of them."""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

BREAKS = re.compile("[,;\n\r\u2028\u2029]+")
"""What stands between the parts of a text; lines that are pasted into a field may arrive as U+2028."""


def meant(text: str, ids: Sequence[str], classes: Sequence[str]) -> NDArray[np.bool_]:
    """(n,) bool, whether each query is meant by `text`; case does not matter.

    What an id or class contains as it stands is meant. Otherwise each part between commas, semicolons or line breaks
    means something of its own: the queries that hold all its words in id or class, or where there is none, those that
    hold any. Of several names, one that is an id as a whole means that query alone.

    Examples
    --------
    >>> ids, classes = ["Q1", "Q2", "Q10"], ["chair", "mug", "chair"]
    >>> [meant(text, ids, classes).tolist() for text in ("q1", "Q1 Q2", "Q1, mug")]
    [[True, False, True], [True, True, False], [True, True, False]]
    >>> meant("Q2 mug", ids, classes).tolist(), meant("Q2 chair q1", ids, classes).tolist()
    ([False, True, False], [True, True, True])
    """
    text, names = text.strip().casefold(), [name.casefold() for name in ids]
    rows = [f"{name}\n{label.casefold()}" for name, label in zip(names, classes, strict=True)]
    whole = _holding(text, rows)
    if whole.any() or not (parts := [part.strip() for part in BREAKS.split(text) if part.strip()]):
        return whole
    known: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        known.setdefault(name, []).append(place)
    for part in parts:
        if len(parts) > 1 and part in known:
            whole[known[part]] = True
        else:
            whole |= _part(part, known, rows)
    return whole


def _part(part: str, known: dict[str, list[int]], rows: list[str]) -> NDArray[np.bool_]:
    found, words = _holding(part, rows), part.split()
    if found.any() or len(words) < 2:
        return found
    if sum(word in known for word in words) < 2:  # no query has two ids, though one may contain the other: Q1, Q10
        found = np.logical_and.reduce([_holding(word, rows) for word in words])
    if not found.any():
        for word in words:
            if word in known:
                found[known[word]] = True
            else:
                found |= _holding(word, rows)
    return found


def _holding(word: str, rows: list[str]) -> NDArray[np.bool_]:
    return np.array([word in row for row in rows], np.bool_)
