"""Bars of values, and bars of differences between two runs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Bar:
    """A bar with its name and value; NaN is drawn as a dash. `run` is the run that it belongs to, "" for none."""

    name: str
    value: float
    colour: str
    run: str = ""


@dataclass(frozen=True)
class Bars:
    """Horizontal bars from the top, with their values.

    Attributes
    ----------
    title : in the metadata of the file only.
    x_label : of the scale.
    bars : in order.
    limits : of the scale.
    decimals : of the values.
    """

    title: str
    x_label: str
    bars: tuple[Bar, ...]
    limits: tuple[float, float]
    decimals: int = 3


@dataclass(frozen=True, eq=False)
class Differences:
    """Differences between two runs for each query, as vertical bars.

    Attributes
    ----------
    title : in the metadata of the file only.
    y_label : of the scale.
    names : (Q,) queries.
    changes : (Q,) float64; NaN where one run has no value.
    inverted : whether negative differences are gains.
    gains, losses : texts of the legend.
    """

    title: str
    y_label: str
    names: tuple[str, ...]
    changes: NDArray[np.float64]
    inverted: bool
    gains: str
    losses: str
