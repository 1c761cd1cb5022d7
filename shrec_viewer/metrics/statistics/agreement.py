"""Agreement of two assessors: Cohen's kappa, plain and weighted."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike


def cohen_kappa(first: ArrayLike, second: ArrayLike, weights: Literal["none", "linear"] = "none") -> float:
    """Agreement beyond chance of two lists of levels: 1 for equal lists, 0 for independent ones.

    Parameters
    ----------
    first, second : (n,) int, levels of the same items.
    weights : disagreements all count the same, or in proportion to the difference of the levels, by their order among
        the levels that occur.

    Returns
    -------
    float
        At most 1; NaN without items, or if both use one level only.

    Sources: Cohen: A coefficient of agreement for nominal scales. Educational and Psychological Measurement 20, 1960;
    Cohen: Weighted kappa. Psychological Bulletin 70, 1968.

    Examples
    --------
    >>> round(cohen_kappa([0, 0, 1, 2], [0, 1, 1, 2]), 4), round(cohen_kappa([0, 0, 1, 2], [0, 1, 1, 2], "linear"), 4)
    (0.6364, 0.7143)
    """
    x, y = np.asarray(first), np.asarray(second)
    levels, cells = np.unique(np.concatenate([x, y]), return_inverse=True)
    n = len(levels)
    counts = np.bincount(cells[: len(x)] * n + cells[len(x) :], minlength=n * n).reshape(n, n).astype(np.float64)
    index = np.arange(n)
    cost = np.abs(index[:, None] - index[None, :]).astype(np.float64)
    if weights == "none":
        cost = (cost > 0).astype(np.float64)
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / max(counts.sum(), 1.0)
    by_chance = float((cost * expected).sum())
    return 1.0 - float((cost * counts).sum()) / by_chance if by_chance > 0 else float("nan")
