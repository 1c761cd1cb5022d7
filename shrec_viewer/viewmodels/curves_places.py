"""Places on a drawn line: every one of them lies on it, so that a dot put there marks the line and not the paper."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NEARLY = 1e-12
"""By so much a sample may be off by rounding and still be a meeting: else the first and the last one would get lost."""

NOWHERE = (float("nan"), float("nan"))
"""The place of what is not on the line."""


def height_at(x: Floats, y: Floats, at: float) -> float:
    """The line's height at `at`; NaN beyond its ends and where it is interrupted.

    Parameters
    ----------
    x, y : (K,) float64, `x` ascending; NaN where there is no sample.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 0.5, np.nan, 0.0])
    >>> height_at(x, y, 0.5), height_at(x, y, 1.5), height_at(x, y, 3.0), height_at(x, y, 4.0)
    (0.75, nan, 0.0, nan)
    """
    kept = np.isfinite(x)
    x, y = x[kept], y[kept]
    if not len(x) or not x[0] <= at <= x[-1]:
        return float("nan")
    exact = y[np.searchsorted(x, at, "left") : np.searchsorted(x, at, "right")]
    exact = exact[np.isfinite(exact)]
    return float(exact.max()) if len(exact) else float(np.interp(at, x, y))


def on_ray(x: Floats, y: Floats, slope: float, near: float) -> tuple[float, float]:
    """Where the line meets the ray ``y = slope x``; of several places the one whose x is nearest to `near`.

    Precision is recall times class size over rank, so that a rank is a ray in a precision-recall graph, whatever the
    curves are made of. `NOWHERE` where they do not meet.

    Examples
    --------
    >>> x, y = np.array([0.5, 1.0]), np.array([1.0, 0.5])
    >>> on_ray(x, y, 1.0, 0.7), on_ray(x, y, 4.0, 0.7)
    ((0.75, 0.75), (nan, nan))
    """
    return _meeting(x, y, y - slope * x, near)


def on_level(x: Floats, y: Floats, level: float) -> tuple[float, float]:
    """Where the line has the height `level`, the rightmost such place; `NOWHERE` where it never has.

    Examples
    --------
    >>> x, y = np.array([0.0, 1.0, 2.0]), np.array([1.0, 0.5, 0.5])
    >>> on_level(x, y, 0.75), on_level(x, y, 0.5), on_level(x, y, 0.4)
    ((0.5, 0.75), (2.0, 0.5), (nan, nan))
    """
    return _meeting(x, y, y - level, float("inf"))


def _meeting(x: Floats, y: Floats, above: Floats, near: float) -> tuple[float, float]:
    """Places of the line where `above`, which is linear along its pieces, is 0."""
    finite = np.isfinite(x) & np.isfinite(above)
    ends = np.flatnonzero(finite & (np.abs(above) <= NEARLY))
    joined = finite[:-1] & finite[1:]
    first = np.flatnonzero(joined & (np.sign(above[:-1]) * np.sign(above[1:]) < 0))
    share = above[first] / (above[first] - above[first + 1])
    xs = np.concatenate([x[ends], x[first] + share * (x[first + 1] - x[first])])
    ys = np.concatenate([y[ends], y[first] + share * (y[first + 1] - y[first])])
    if not len(xs) or np.isnan(near):
        return NOWHERE
    place = int(np.argmax(xs)) if np.isinf(near) else int(np.argmin(np.abs(xs - near)))
    return float(xs[place]), float(ys[place])
