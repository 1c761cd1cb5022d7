"""Orthographic drawing of a surface of precision over recall and generality."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.charts.surface import Surface
from shrec_viewer.number_format import format_generality
from shrec_viewer.report.figures.drawing.style import FONT_SIZE, SMALL_FONT_SIZE, Drawing
from shrec_viewer.report.figures.palettes import ACCENT, INK, MUTED, OUTLINE, RULE

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Floats = NDArray[np.float64]

#: Height of the figure relative to its width.
ASPECT = 0.85

#: Width of the drawing in millimetres, at most: a wider figure has margins.
MAX_WIDTH_MM = 130.0


class _Projection:
    """Projection of the unit box: recall to the right, generality to the back, precision up."""

    def __init__(self, content: Surface) -> None:
        self._angles = math.radians(content.azimuth), math.radians(content.elevation)
        last = float(content.doublings[-1]) if len(content.doublings) else 1.0
        self._span = last if last > 0 else 1.0

    def back(self, doublings: ArrayLike) -> Floats:
        """Position of -log2 g in the unit box."""
        return np.asarray(doublings, np.float64) / self._span

    def __call__(self, x: ArrayLike, y: ArrayLike, z: ArrayLike) -> tuple[Floats, Floats, Floats]:
        """Right, up and distance from the viewer of points of the unit box."""
        azimuth, elevation = self._angles
        across, back, height = (np.asarray(values, np.float64) - 0.5 for values in (x, y, z))
        right = across * math.cos(azimuth) - back * math.sin(azimuth)
        away = across * math.sin(azimuth) + back * math.cos(azimuth)
        up = height * math.cos(elevation) + away * math.sin(elevation)
        return right, up, away * math.cos(elevation) - height * math.sin(elevation)


def draw_surface(content: Surface, drawing: Drawing) -> "Figure":
    """The surface, its line of equal recall and precision, and that of random rankings."""
    width = min(drawing.width, MAX_WIDTH_MM)
    figure, axes = drawing.page(width * ASPECT)
    # The box is at most 1.42 wide and 1.42 high when rotated; labels take the rest.
    margin = 0.95 * (drawing.width / width - 1.0)
    axes.set_xlim(-0.9 - margin, 1.0 + margin)
    axes.set_ylim(-0.98, 0.86)
    project = _Projection(content)
    _draw_floor(axes, content, project)
    _draw_faces(axes, content, project, drawing)
    _draw_lines(axes, content, project, drawing)
    _draw_labels(axes, content, project)
    return figure


def _draw_floor(axes: "Axes", content: Surface, project: _Projection) -> None:
    ends, zeros = np.array([0.0, 1.0]), np.zeros(2)
    style: dict[str, Any] = {"color": RULE, "linewidth": 0.5, "zorder": 1}
    for recall in (0.0, 0.25, 0.5, 0.75, 1.0):
        axes.plot(*project(np.full(2, recall), ends, zeros)[:2], **style)
    last = float(content.doublings[-1]) if len(content.doublings) else 0.0
    for share in project.back(np.arange(math.floor(last) + 1.0)).tolist():
        axes.plot(*project(ends, np.full(2, share), zeros)[:2], **style)
    x, y = _vertical_edge(project)
    axes.plot(*project(np.full(2, x), np.full(2, y), ends)[:2], color=OUTLINE, linewidth=0.6, zorder=1)


def _vertical_edge(project: _Projection) -> tuple[float, float]:
    """X and y of the leftmost vertical edge of the box."""
    corners = [(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]
    return min(corners, key=lambda corner: float(project(corner[0], corner[1], 0.0)[0]))


def _draw_faces(axes: "Axes", content: Surface, project: _Projection, drawing: Drawing) -> None:
    """Quadrilaterals between adjacent points, the farthest first, more opaque for higher precision."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    y = np.broadcast_to(project.back(content.doublings)[:, None], content.recall.shape)
    right, up, depth = project(content.recall, y, content.precision)

    def corners(values: Floats) -> Floats:
        return np.stack([values[:-1, :-1], values[:-1, 1:], values[1:, 1:], values[1:, :-1]], axis=-1).reshape(-1, 4)

    rights, ups, heights, depths = (corners(values) for values in (right, up, content.precision, depth))
    drawn = np.asarray(np.isfinite(rights).all(axis=1))
    order = np.argsort(-np.where(drawn, depths.mean(axis=1), np.inf), kind="stable")
    order = order[drawn[order]]
    accent = drawing.palette.colour(ACCENT)
    faces = PolyCollection(
        np.stack([rights[order], ups[order]], axis=-1).tolist(),
        facecolors=[to_rgba(accent, 0.12 + 0.5 * float(height)) for height in heights[order].mean(axis=1)],
        edgecolors=to_rgba(drawing.palette.colour(OUTLINE), 0.6),
        linewidths=0.3,
        zorder=2,
        gid="surface",
    )
    axes.add_collection(faces, autolim=False)


def _draw_lines(axes: "Axes", content: Surface, project: _Projection, drawing: Drawing) -> None:
    y = project.back(content.doublings)
    chance = np.exp2(-content.doublings)
    muted, accent = drawing.palette.colour(MUTED), drawing.palette.colour(ACCENT)
    axes.plot(
        *project(chance, y, chance)[:2], color=muted, linewidth=0.6, linestyle=(0, (5, 2.5)), zorder=3, gid="random"
    )
    recall, precision = content.recall[:, content.diagonal], content.precision[:, content.diagonal]
    axes.plot(*project(recall, y, precision)[:2], color=INK, linewidth=1.3, zorder=4, gid="recall-equals-precision")
    if content.level is not None:
        row = float(np.interp(content.level, content.doublings, np.arange(len(content.doublings))))
        below = int(row)
        above, share = min(below + 1, len(content.doublings) - 1), row - below
        x, z = ((1 - share) * values[below] + share * values[above] for values in (content.recall, content.precision))
        back = np.full(len(x), float(project.back(content.level)))
        axes.plot(*project(x, back, z)[:2], color=accent, linewidth=1.5, zorder=5, gid="generality")


def _draw_labels(axes: "Axes", content: Surface, project: _Projection) -> None:
    """Ticks and titles at the lower front edges and at the leftmost vertical edge."""
    azimuth = math.radians(content.azimuth)
    front_y = 0.0 if math.cos(azimuth) >= 0 else 1.0
    front_x = 0.0 if math.sin(azimuth) >= 0 else 1.0

    def write(text: str, at: tuple[float, float, float], offset: tuple[float, float], **style: Any) -> None:
        right, up, _ = project(*at)
        axes.annotate(text, (float(right), float(up)), xytext=offset, textcoords="offset points", **style)

    ticks: dict[str, Any] = {"fontsize": SMALL_FONT_SIZE, "color": MUTED, "va": "top"}
    titles: dict[str, Any] = {"fontsize": FONT_SIZE, "color": INK, "va": "top"}
    for recall in (0.0, 0.5, 1.0):
        write(f"{recall:g}", (recall, front_y, 0.0), (0, -3), ha="center", **ticks)
    write("Recall", (0.5, front_y, 0.0), (0, -14), ha="center", **titles)
    last = math.floor(float(content.doublings[-1])) if len(content.doublings) else 0
    is_right = float(project(front_x, 0.5, 0.0)[0]) > 0
    side = {"ha": "left" if is_right else "right"}
    sign = 1 if is_right else -1
    for level in range(0, last + 1, max(1, last // 4)):
        text = format_generality(float(level))
        text = text if level == 0 else text.removeprefix("g = ")
        write(text, (front_x, float(project.back(level)), 0.0), (8 * sign, -2), **side, **ticks)
    write("Generality g", (front_x, 0.5, 0.0), (22 * sign, -12), **side, **titles)
    x, y = _vertical_edge(project)
    for precision in (0.5, 1.0):
        write(f"{precision:g}", (x, y, precision), (-3, 3), ha="right", **ticks)
    write("Precision", (x, y, 1.0), (0, 12), ha="center", **titles)
