"""Match run ids that share a common prefix or suffix, or are numbered from 0 instead of 1."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.core.read_context import ReadContext

MIN_IDS = 4
"""Minimum number of ids; fewer numbers can match by chance."""

_TRAILING_NUMBER = re.compile(r"[^0-9]*([0-9]{1,18})$")


class ZeroBasedIds:
    """Detects ids of a run that are numbered from 0, while those of the benchmark are numbered from 1.

    Parameters
    ----------
    index : the ids.
    """

    def __init__(self, index: IdIndex) -> None:
        self._index = index
        self._numbers = index.numbers_from_1 if len(index) >= MIN_IDS else []
        self._last = self._numbers.index(len(index)) if self._numbers else -1
        self.zeros = 0
        self.zero = ""

    @property
    def is_possible(self) -> bool:
        """Whether the ids of the benchmark are numbered from 1 without gaps."""
        return bool(self._numbers)

    def count(self, unknown: Iterable[str]) -> None:
        """Count unknown ids with number 0."""
        for word in unknown:
            found = _TRAILING_NUMBER.match(word)
            if found is not None and int(found[1]) == 0:
                self.zeros += 1
                self.zero = self.zero or word

    def shifted(self, indices: Iterable[NDArray[np.int32]], fewest: int = 2) -> IdIndex | None:
        """Index that matches an id to the one with the next number; None if the run is not numbered from 0.

        Parameters
        ----------
        indices : indices of the ids as written.
        fewest : minimum number of occurrences of 0; a single one can be a fault.
        """
        if not self.is_possible or self.zeros < fewest or any(np.any(some == self._last) for some in indices):
            return None
        return IdIndex([str(number - 1) for number in self._numbers])

    def note(self, path: Path, context: ReadContext, *, noun: str) -> None:
        """Add a finding."""
        count = len(self._numbers)
        first = self._index.ids[self._numbers.index(1)]
        message = f"the numbers of the {noun} go from 0 to {count - 1:,}, those of the ids from 1 to {count:,}"
        action = f"read as counted from 0: '{self.zero}' is '{first}'"
        context.findings_log.warning(path, message, action, count=self.zeros)


QUERY_NAME_SHARE = 0.5
"""Share of names that match queries from which no common affix is looked for."""

AFFIX_SHARE = 0.9
"""Minimum share of names that match queries without their common affix."""


def index_with_affix(names: Sequence[str], queries: IdIndex) -> tuple[IdIndex, str]:
    """Index that matches names to queries, and the common prefix or suffix of the names; "" for none.

    Examples
    --------
    >>> index_with_affix(["Q1_result", "Q2_result"], IdIndex(["Q1", "Q2"]))[1]
    '_result'
    """
    if len(names) < 2 or queries.share(names) >= QUERY_NAME_SHARE:
        return queries, ""
    behind = _common_prefix([name[::-1] for name in names])[::-1]
    before = _common_prefix(names)
    first = re.search(r"[^0-9A-Za-z].*", behind, re.DOTALL)
    last = re.match(r".*[^0-9A-Za-z]", before, re.DOTALL)
    for start, end in (("", first[0] if first else ""), (last[0] if last else "", "")):
        if start or end:
            index = IdIndex([start + name + end for name in queries.ids])
            if index.share(names) >= AFFIX_SHARE:
                return index, start or end
    return queries, ""


def _common_prefix(names: Sequence[str]) -> str:
    """Common prefix of all names."""
    first, last = min(names), max(names)
    return first[: next((index for index, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def index_from_zero(names: Sequence[str], queries: IdIndex) -> tuple[IdIndex, ZeroBasedIds | None]:
    """Index that matches names to queries, also if the names are numbered from 0 and the queries from 1."""
    if len(names) != len(queries) or not (zero_based := ZeroBasedIds(queries)).is_possible:
        return queries, None
    indices = queries.indices_of(names)
    zero_based.count(names[index] for index in np.flatnonzero(indices < 0).tolist())
    shifted = zero_based.shifted([indices], fewest=1)
    return (shifted, zero_based) if shifted is not None else (queries, None)
