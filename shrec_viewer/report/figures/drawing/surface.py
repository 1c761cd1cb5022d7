"""Orthographic drawing of a surface of precision over recall and generality."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.charts.surface import Surface, SurfaceLine, front_edges, project, vertical_edge
from shrec_viewer.number_format import format_generality
from shrec_viewer.report.figures.drawing.plot import DASHES, legend_row_order, svg_id
from shrec_viewer.report.figures.drawing.style import FONT_SIZE, LINE_MM, SMALL_FONT_SIZE, Drawing
from shrec_viewer.report.figures.palettes import ACCENT, INK, MUTED, OUTLINE, RULE, TOKENS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Height of the figure relative to its width.
ASPECT = 0.85

#: Width of the drawing in millimetres, at most: a wider figure has margins.
MAX_WIDTH_MM = 130.0

#: Columns of the legend: two names fit into a column of a page.
LEGEND_COLUMNS = 2

PLANE_OPACITY = 0.12

#: Right and up of points of the unit box.
Place = Callable[[ArrayLike, ArrayLike, ArrayLike], tuple[Floats, Floats]]


def draw_surface(content: Surface, drawing: Drawing) -> "Figure":
    """The surface with its lines and planes, which the legend names."""
    width = min(drawing.width, MAX_WIDTH_MM)
    height, legend = width * ASPECT, LINE_MM * -(-len(content.lines) // LEGEND_COLUMNS)
    figure, axes = drawing.page(height + legend)
    # The box is at most 1.42 wide and 1.42 high when rotated; labels take the rest.
    margin = 0.95 * (drawing.width / width - 1.0)
    axes.set_xlim(-0.9 - margin, 1.0 + margin)
    axes.set_ylim(-0.98 - 1.84 * legend / height, 0.86)
    angles = content.azimuth, content.elevation

    def place(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> tuple[Floats, Floats]:
        return project(x, y, z, angles)[:2]

    _draw_floor(axes, content, place)
    _draw_faces(axes, content, drawing)
    handles = [_draw_line(axes, content, line, place, drawing) for line in content.lines]
    _draw_labels(axes, content, place)
    if handles:
        names = [line.label for line in content.lines]
        figure.legend(
            legend_row_order(handles, LEGEND_COLUMNS), legend_row_order(names, LEGEND_COLUMNS),
            loc="lower center", ncols=LEGEND_COLUMNS, handlelength=2.2, columnspacing=1.2,
        )  # fmt: skip
    return figure


def _draw_floor(axes: "Axes", content: Surface, place: Place) -> None:
    ends, zeros = np.array([0.0, 1.0]), np.zeros(2)
    style: dict[str, Any] = {"color": RULE, "linewidth": 0.5, "zorder": 1}
    for recall in (0.0, 0.25, 0.5, 0.75, 1.0):
        axes.plot(*place(np.full(2, recall), ends, zeros), **style)
    last = float(content.doublings[-1]) if len(content.doublings) else 0.0
    for share in content.back(np.arange(math.floor(last) + 1.0)).tolist():
        axes.plot(*place(ends, np.full(2, share), zeros), **style)
    x, y = vertical_edge((content.azimuth, content.elevation))
    axes.plot(*place(np.full(2, x), np.full(2, y), ends), color=OUTLINE, linewidth=0.6, zorder=1)


def _draw_faces(axes: "Axes", content: Surface, drawing: Drawing) -> None:
    """The faces of the surface, more opaque for higher precision."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    rights, ups, heights = content.faces((content.azimuth, content.elevation))
    accent = drawing.palette.colour(ACCENT)
    faces = PolyCollection(
        np.stack([rights, ups], axis=-1).tolist(),
        facecolors=[to_rgba(accent, 0.12 + 0.5 * height) for height in heights.tolist()],
        edgecolors=to_rgba(drawing.palette.colour(OUTLINE), 0.6),
        linewidths=0.3,
        zorder=2,
        gid="surface",
    )
    axes.add_collection(faces, autolim=False)


def _draw_line(axes: "Axes", content: Surface, line: SurfaceLine, place: Place, drawing: Drawing) -> Any:
    """Draw a line, or a plane behind the surface; returns what the legend shows."""
    colour = drawing.palette.colour(TOKENS[line.token])
    right, up = place(line.recall, content.back(line.doublings), line.precision)
    if line.filled:
        (drawn,) = axes.fill(right, up, facecolor=colour, alpha=PLANE_OPACITY, edgecolor=colour, linewidth=0.5)
        drawn.set(zorder=1.5, gid=svg_id(line.label))
        return drawn
    style: dict[str, Any] = {"linestyle": DASHES[line.dash], "linewidth": 0.6 * line.width, "gid": svg_id(line.label)}
    return axes.plot(right, up, color=colour, zorder=3, **style)[0]


def _draw_labels(axes: "Axes", content: Surface, place: Place) -> None:
    """Ticks and titles at the lower front edges and at the leftmost vertical edge."""
    front_x, front_y = front_edges((content.azimuth, content.elevation))

    def write(text: str, at: tuple[float, float, float], offset: tuple[float, float], **style: Any) -> None:
        right, up = place(*at)
        axes.annotate(text, (float(right), float(up)), xytext=offset, textcoords="offset points", **style)

    ticks: dict[str, Any] = {"fontsize": SMALL_FONT_SIZE, "color": MUTED, "va": "top"}
    titles: dict[str, Any] = {"fontsize": FONT_SIZE, "color": INK, "va": "top"}
    for recall in (0.0, 0.5, 1.0):
        write(f"{recall:g}", (recall, front_y, 0.0), (0, -3), ha="center", **ticks)
    write("Recall", (0.5, front_y, 0.0), (0, -14), ha="center", **titles)
    last = math.floor(float(content.doublings[-1])) if len(content.doublings) else 0
    is_right = float(place(front_x, 0.5, 0.0)[0]) > 0
    side = {"ha": "left" if is_right else "right"}
    sign = 1 if is_right else -1
    for level in range(0, last + 1, max(1, last // 4)):
        text = format_generality(float(level))
        text = text if level == 0 else text.removeprefix("g = ")
        write(text, (front_x, float(content.back(level)), 0.0), (8 * sign, -2), **side, **ticks)
    write("Generality g", (front_x, 0.5, 0.0), (22 * sign, -12), **side, **titles)
    x, y = vertical_edge((content.azimuth, content.elevation))
    for precision in (0.5, 1.0):
        write(f"{precision:g}", (x, y, precision), (-3, 3), ha="right", **ticks)
    write("Precision", (x, y, 1.0), (0, 12), ha="center", **titles)
