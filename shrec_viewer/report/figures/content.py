"""Contents of figures as they are drawn on paper: lines with widths and marks, and recorded drawings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.chart import Chart

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
    ends : the label is right of the axes instead, at the end of the line.
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
    ends: bool = False
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


Box = tuple[float, float, float, float]
"""Left, top, right and bottom in pixels."""


@dataclass(frozen=True, eq=False)
class DrawnShape:
    """A path that is filled, or has a line, or both.

    Attributes
    ----------
    vertices : (K, 2) float64 in pixels.
    codes : (K,) uint8: 1 to move, 2 for a line, 4 for a point of a cubic Bézier curve.
    fill, line : ``#rrggbb``; "" for none.
    fill_opacity, line_opacity : in [0, 1].
    line_width : in pixels.
    dash : lengths of dashes and gaps relative to the width; () for a solid line.
    clip : outside of it, nothing is visible.
    """

    vertices: Floats
    codes: NDArray[np.uint8]
    fill: str = ""
    fill_opacity: float = 1.0
    line: str = ""
    line_opacity: float = 1.0
    line_width: float = 1.0
    dash: tuple[float, ...] = ()
    clip: Box = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True)
class DrawnText:
    """A line of text.

    Attributes
    ----------
    x, y : left end of the baseline in pixels.
    size, width : of the font and of the text in pixels.
    angle : in degrees, counterclockwise.
    fill, opacity : colour and opacity.
    clip : see `DrawnShape`.
    """

    text: str
    x: float
    y: float
    size: float
    width: float
    angle: float
    fill: str
    opacity: float
    is_bold: bool
    clip: Box


@dataclass(frozen=True, eq=False)
class DrawnImage:
    """An image.

    Attributes
    ----------
    pixels : (h, w, 4) uint8, straight alpha.
    box : its position.
    clip : see `DrawnShape`.
    """

    pixels: NDArray[np.uint8]
    box: Box
    clip: Box


DrawnPart = DrawnShape | DrawnText | DrawnImage


@dataclass(frozen=True)
class FigureDrawing:
    """Shapes, texts and images with their positions, such as a panel as the window draws it.

    Attributes
    ----------
    title : in the metadata of the file only.
    width, height : in pixels.
    parts : from the back.
    """

    title: str
    width: float
    height: float
    parts: tuple[DrawnPart, ...]


FigureContent = Chart | FigureSpec | FigureDrawing
"""What a figure shows; each kind is drawn by a function of `figures.drawing`."""
