"""Contents of figures: lines, areas and points as frozen records."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class FigureLine:
    """A curve of a figure.

    Attributes
    ----------
    label : in the legend; "" for none.
    x, y : (K,) float64; NaN interrupts the line.
    colour : ``#rrggbb``.
    dash, marker : keys of `DASHES` and `MARKERS`; the marker may be followed by a space and a key of `FILL_STYLES`.
    width : in points.
    dotted : whether every sample has a marker.
    spread : (2, K) float64, interval around each sample; None for none.
    mark, at : label next to sample `at`; "" for none.
    level : 1 and more for a line drawn over an equal one; both must stay visible.
    upon : dash of such a line, a key of `DASHES`, if it differs from the legend; "" if not.
    wider : points by which such a line is wider than in the legend.
    groove : width in points of the white line below its dashes, for a thin line within a wide one; 0 for none.
    """

    label: str
    x: Floats
    y: Floats
    colour: str
    dash: str = "solid"
    marker: str = ""
    width: float = 1.0
    dotted: bool = False
    spread: Floats | None = None
    mark: str = ""
    at: int = -1
    level: int = 0
    upon: str = ""
    wider: float = 0.0
    groove: float = 0.0


@dataclass(frozen=True, eq=False)
class FigureArea:
    """A filled polygon with corners x, y (K,) float64."""

    x: Floats
    y: Floats
    colour: str
    opacity: float = 0.12


@dataclass(frozen=True)
class FigurePoint:
    """A labelled point."""

    label: str
    x: float
    y: float
    colour: str


@dataclass(frozen=True, eq=False)
class FigureSpec:
    """Contents of a figure.

    Attributes
    ----------
    title : in the metadata of the file only, as papers have captions.
    x_label, y_label : of the axes, with units.
    x_range, y_range : lower and upper limits.
    lines : of runs, in the order of the legend.
    references : lines behind them, without legend.
    areas, points : further contents.
    x_ticks : ``"number"``; ``"percent"``; ``"halves"`` if x is the exponent of 1 / 2**x.
    """

    title: str
    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    lines: tuple[FigureLine, ...]
    references: tuple[FigureLine, ...] = ()
    areas: tuple[FigureArea, ...] = ()
    points: tuple[FigurePoint, ...] = ()
    x_ticks: str = "number"
