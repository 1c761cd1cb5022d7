"""Contents of figures as frozen records: plots, matrices, intervals, bars, surfaces and images."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.intervals import IntervalRow
from shrec_viewer.charts.matrix import Matrix

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


@dataclass(frozen=True)
class FigureIntervals:
    """Runs with intervals on a common scale, from the top.

    Attributes
    ----------
    title : in the metadata of the file only.
    x_label : of the scale.
    rows : from the top.
    """

    title: str
    x_label: str
    rows: tuple[IntervalRow, ...]


@dataclass(frozen=True)
class FigureBar:
    """A bar with its name and value; NaN is drawn as a dash."""

    name: str
    value: float
    colour: str


@dataclass(frozen=True)
class FigureBars:
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
    bars: tuple[FigureBar, ...]
    limits: tuple[float, float]
    decimals: int = 3


@dataclass(frozen=True, eq=False)
class FigureChanges:
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
    changes: Floats
    inverted: bool
    gains: str
    losses: str


@dataclass(frozen=True, eq=False)
class FigureSurface:
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
    doublings: Floats
    recall: Floats
    precision: Floats
    diagonal: int
    level: float | None = None
    azimuth: float = -38.0
    elevation: float = 24.0


@dataclass(frozen=True, eq=False)
class FigureTile:
    """An image of a model or query.

    Attributes
    ----------
    pixels : (h, w, 4) uint8, straight alpha; None without an image.
    problem : why there is no image.
    caption, detail : lines below it; "" for none.
    level : relevance level; `UNJUDGED` without an assessment; None for no frame.
    is_query : whether it has the double frame of a query.
    """

    pixels: NDArray[np.uint8] | None
    problem: str = ""
    caption: str = ""
    detail: str = ""
    level: int | None = None
    is_query: bool = False


UNJUDGED = -1
"""Relevance level of a model without an assessment."""


@dataclass(frozen=True)
class FigureStrip:
    """The first models of a ranked list.

    Attributes
    ----------
    tiles : best first.
    note : below them, such as the ranks of the relevant models that follow; "" for none.
    """

    tiles: tuple[FigureTile, ...]
    note: str = ""


@dataclass(frozen=True)
class FigureStripRow:
    """A query with the strip of each method."""

    query: FigureTile
    strips: tuple[FigureStrip, ...]


@dataclass(frozen=True)
class FigureStrips:
    """Strips of several queries (rows) and methods.

    Attributes
    ----------
    title : in the metadata of the file only.
    methods : name of each strip of a row.
    rows : queries.
    length : tiles of a strip.
    is_binary : whether the assessment has one level only; level 1 then looks like level 2.
    """

    title: str
    methods: tuple[str, ...]
    rows: tuple[FigureStripRow, ...]
    length: int
    is_binary: bool = False


@dataclass(frozen=True)
class FigureSheet:
    """Images in rows.

    Attributes
    ----------
    title : in the metadata of the file only.
    tiles : row by row.
    across : number in a row.
    is_binary : see `FigureStrips`.
    """

    title: str
    tiles: tuple[FigureTile, ...]
    across: int
    is_binary: bool = False


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


FigureContent = (
    FigureSpec
    | Matrix
    | FigureIntervals
    | FigureBars
    | FigureChanges
    | FigureSurface
    | FigureStrips
    | FigureSheet
    | FigureDrawing
)
"""What a figure shows; each kind is drawn by a function of `figures.drawing`."""
