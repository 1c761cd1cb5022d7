"""Groups of runs that cannot be told apart, and the letters that tables mark them with."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Marks of the first groups; later ones are numbers in brackets."""

SIGNIFICANT = 0.05
"""Largest p that counts as a difference, as papers of the field have it."""


@dataclass(frozen=True)
class Groups:
    """Sets of runs none of whose members differ significantly, each as large as can be.

    Attributes
    ----------
    members : runs of each group, the best first; groups in the order of their best members.
    letters : (R,) marks of each run, one letter a group it is in: ``"ab"``. Two runs share a letter exactly where they
        cannot be told apart. Empty for a run without a mean.
    """

    members: tuple[tuple[int, ...], ...]
    letters: tuple[str, ...]


def group_runs(
    means: ArrayLike, p: ArrayLike, *, significant: float = SIGNIFICANT, higher_is_better: bool = True
) -> Groups:
    """The groups of runs that the p values of all pairs leave together (compact letter display).

    A run may be in several groups: A and B, B and C may each look alike while A and C do not.

    Parameters
    ----------
    means : (R,) float64, only for the order; NaN is a run that was not measured and belongs to no group.
    p : (R, R) float64, symmetric; NaN is a pair that was not tested and so was not told apart.
    significant : largest p of a difference.

    Source: Piepho: An algorithm for a letter-based representation of all-pairwise comparisons. Journal of Computational
    and Graphical Statistics 13, 2004 (insert and absorb).

    Examples
    --------
    >>> group_runs([0.9, 0.8, 0.7], [[1, 0.3, 0.01], [0.3, 1, 0.4], [0.01, 0.4, 1]]).letters
    ('a', 'ab', 'b')
    """
    heights = np.asarray(means, np.float64)
    measured = np.flatnonzero(~np.isnan(heights))
    order = measured[np.argsort((-heights if higher_is_better else heights)[measured], kind="stable")]
    differ = (np.asarray(p, np.float64) <= significant)[np.ix_(order, order)]
    groups = sorted(tuple(sorted(group)) for group in _groups(differ))
    marks = [LETTERS[i] if i < len(LETTERS) else f"({i + 1})" for i in range(len(groups))]
    letters = [""] * len(heights)
    for mark, group in zip(marks, groups, strict=True):
        for place in group:
            letters[order[place]] += mark
    return Groups(tuple(tuple(int(order[place]) for place in group) for group in groups), tuple(letters))


def _groups(differ: NDArray[np.bool_]) -> list[frozenset[int]]:
    """Every largest set of places of which no two differ."""
    groups = [frozenset(range(len(differ)))] if len(differ) else []
    for one, other in np.argwhere(np.triu(differ, 1)).tolist():
        torn = [group for group in groups if one in group and other in group]
        whole = [group for group in groups if not (one in group and other in group)]
        for part in sorted((group - {gone} for group in torn for gone in (one, other)), key=len, reverse=True):
            if not any(part <= group for group in whole):
                whole.append(part)
        groups = whole
    return groups
