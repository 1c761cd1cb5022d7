"""Surface of precision over recall and generality."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Surface:
    """A surface of precision over recall and generality.

    Attributes
    ----------
    title : in the metadata of the file only.
    doublings : (X,) float64, -log2 of the generality, ascending.
    recall, precision : (X, A) float64 in [0, 1]; NaN outside of the surface. Columns have one relevant scope each.
    diagonal : column of relevant scope 1, where recall equals precision.
    level : -log2 of the generality of a highlighted line; None for none.
    azimuth, elevation : direction of view in degrees.
    """

    title: str
    doublings: NDArray[np.float64]
    recall: NDArray[np.float64]
    precision: NDArray[np.float64]
    diagonal: int
    level: float | None = None
    azimuth: float = -38.0
    elevation: float = 24.0
