"""Contents of figures: charts, and recorded drawings."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.chart import Chart

Floats = NDArray[np.float64]


#: Left, top, right and bottom in pixels.
Box = tuple[float, float, float, float]


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


#: What a figure shows; each kind is drawn by a function of `figures.drawing`.
FigureContent = Chart | FigureDrawing
