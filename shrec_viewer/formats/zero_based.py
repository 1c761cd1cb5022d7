"""Numbers that count from 0 what ids count from 1: told by a 0 that no id has, and a last number that never comes."""

import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.context import Context
from shrec_viewer.formats.naming import IdIndex

FEWEST_IDS = 4
"""Fewer numbers are an accident."""

_NUMBER = re.compile(r"[^0-9]*([0-9]{1,18})$")


class ZeroSigns:
    """Whether words count from 0 what ids count from 1.

    Parameters
    ----------
    index : the ids.
    """

    def __init__(self, index: IdIndex) -> None:
        self._index = index
        self._numbers = index.numbers_from_1 if len(index) >= FEWEST_IDS else []
        self._last = self._numbers.index(len(index)) if self._numbers else -1
        self.zeros = 0
        self.zero = ""

    @property
    def is_possible(self) -> bool:
        """Whether the ids are numbered from 1 on without a gap."""
        return bool(self._numbers)

    def meet(self, unknown: Iterable[str]) -> None:
        """Count words that mean no id."""
        for word in unknown:
            found = _NUMBER.match(word)
            if found is not None and int(found[1]) == 0:
                self.zeros += 1
                self.zero = self.zero or word

    def shifted(self, places: Iterable[NDArray[np.int32]], fewest: int = 2) -> IdIndex | None:
        """The index under which words mean the id with the next number; None where they do not count from 0.

        Parameters
        ----------
        places : what the words mean as they stand.
        fewest : how often 0 must come; once alone may be a slip.
        """
        if not self.is_possible or self.zeros < fewest or any(np.any(some == self._last) for some in places):
            return None
        return IdIndex([str(number - 1) for number in self._numbers])

    def note(self, path: Path, context: Context, *, noun: str) -> None:
        """Write it down."""
        count = len(self._numbers)
        first = self._index.ids[self._numbers.index(1)]
        message = f"the numbers of the {noun} go from 0 to {count - 1:,}, those of the ids from 1 to {count:,}"
        action = f"read as counted from 0: '{self.zero}' is '{first}'"
        context.journal.warning(path, message, action, count=self.zeros)
