"""Files of a run that are named after the queries, but for what all their names have in common, or where they count."""

import re
from collections.abc import Sequence

import numpy as np

from shrec_viewer.formats.naming import IdIndex
from shrec_viewer.formats.zero_based import ZeroSigns

NAMED_SHARE = 0.5
"""Share of names that must be those of queries for them not to be looked at any closer."""

SURE_SHARE = 0.9
"""Share of names that must be those of queries without what they have in common."""


def affixed(names: Sequence[str], queries: IdIndex) -> tuple[IdIndex, str]:
    """What finds the query of each name, and what stands before or behind all of them; "" where nothing does.

    Examples
    --------
    >>> affixed(["Q1_result", "Q2_result"], IdIndex(["Q1", "Q2"]))[1]
    '_result'
    """
    if len(names) < 2 or queries.share(names) >= NAMED_SHARE:
        return queries, ""
    behind = _beginning([name[::-1] for name in names])[::-1]
    before = _beginning(names)
    first = re.search(r"[^0-9A-Za-z].*", behind, re.DOTALL)
    last = re.match(r".*[^0-9A-Za-z]", before, re.DOTALL)
    for start, end in (("", first[0] if first else ""), (last[0] if last else "", "")):
        if start or end:
            index = IdIndex([start + name + end for name in queries.ids])
            if index.share(names) >= SURE_SHARE:
                return index, start or end
    return queries, ""


def _beginning(names: Sequence[str]) -> str:
    """What all names begin with."""
    first, last = min(names), max(names)
    return first[: next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), len(first))]


def counted_from_zero(names: Sequence[str], queries: IdIndex) -> tuple[IdIndex, ZeroSigns | None]:
    """What finds the query of each name: all of them may be numbered from 0, where the queries are from 1."""
    if len(names) != len(queries) or not (signs := ZeroSigns(queries)).is_possible:
        return queries, None
    places = queries.places(names)
    signs.meet(names[place] for place in np.flatnonzero(places < 0).tolist())
    shifted = signs.shifted([places], fewest=1)
    return (shifted, signs) if shifted is not None else (queries, None)
