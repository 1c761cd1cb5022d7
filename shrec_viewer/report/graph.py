"""What a printed graph consists of: plain arrays, colours and words."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Line:
    """A curve.

    Attributes
    ----------
    label : in the legend; "" for none.
    x, y : (K,) float64; NaN interrupts it.
    colour : ``#rrggbb``.
    dash, marker : keys of `plots.DASHES` and `plots.MARKERS`.
    width : in points.
    dotted : whether every sample is marked.
    spread : (2, K) float64, interval around each sample; None for none.
    mark, at : words beside sample `at`; "" for none.
    level : 1 and more for a line upon an equal one, which has to stay in sight.
    upon : dash of such a line, a key of `plots.DASHES`, where it is not the one in the legend; "" for that one.
    wider : points by which such a line is wider than in the legend.
    groove : width in points of the ground's colour below its dashes, for a thin line in a wide one; 0 for none.
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
class Area:
    """A filled area with corners x, y (K,) float64."""

    x: Floats
    y: Floats
    colour: str
    opacity: float = 0.12


@dataclass(frozen=True)
class Point:
    """A named place."""

    label: str
    x: float
    y: float
    colour: str


@dataclass(frozen=True, eq=False)
class Graph:
    """All that is printed.

    Attributes
    ----------
    title : of the file, not in the picture; a paper has its caption.
    x_label, y_label : of the axes, with units.
    x_range, y_range : low and high ends.
    lines : of runs, in the order of the legend.
    references : lines behind them, without entries in the legend.
    x_ticks : ``"number"``; ``"percent"`` of a share; ``"halves"``, x standing for 2 to the power of -x.
    """

    title: str
    x_label: str
    y_label: str
    x_range: tuple[float, float]
    y_range: tuple[float, float]
    lines: tuple[Line, ...]
    references: tuple[Line, ...] = ()
    areas: tuple[Area, ...] = ()
    points: tuple[Point, ...] = ()
    x_ticks: str = "number"
