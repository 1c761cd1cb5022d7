"""Render style: samples, shading, wireframe, and the bounding box and axes drawn around a mesh."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.value_scale import ValueScale
from shrec_viewer.render.scene.camera import FittedView

Shading = Literal["flat", "smooth", "normals"]


@dataclass(frozen=True)
class RenderStyle:
    """How a mesh is drawn.

    Attributes
    ----------
    samples : along each side of a pixel, 1 or 2; 1 only while the view moves.
    colours : whether the colours and textures of the file are used instead of `lighting.BASE_COLOUR`.
    ambient_occlusion : whether cavities, ridges and outlines are shaded; a fifth of the time of an image, so not while
        the view moves.
    shading : "flat"; "smooth" interpolates normals across edges below `render_mesh.CREASE_ANGLE`; "normals" colours
        each face by its normal (red x, green y, blue z), which shows flipped faces.
    wireframe : whether the edges of the triangles are drawn.
    box : whether the bounding box along the mesh's axes is drawn; the view is fitted to it.
    marks : places in the unit sphere that are marked before the mesh, and joined by a line if there are two.
    point_size : factor on the size of the points of a cloud.
    axes : whether a small axis cross is drawn in the lower left corner.
    values : quantity drawn as colours instead of those of the file; a mesh without it has the colour of undefined
        values. None for none.
    """

    samples: int = 2
    colours: bool = True
    ambient_occlusion: bool = True
    shading: Shading = "flat"
    wireframe: bool = False
    box: bool = False
    axes: bool = False
    point_size: float = 1.0
    marks: tuple[tuple[float, float, float], ...] = ()
    values: ValueScale | None = None

    @property
    def shown_values(self) -> ValueScale | None:
        """The quantity whose colours are visible."""
        return None if self.shading == "normals" else self.values

    @property
    def shows_file_colours(self) -> bool:
        """Whether colours and textures of the file are visible."""
        return self.colours and self.shading != "normals" and self.values is None


#: For thumbnails, and the 3D view at rest.
FINE_STYLE = RenderStyle()


#: sRGB of the box: visible on the backgrounds of both themes, cooler than the base colour of meshes.
BOX = (0.36, 0.40, 0.46)

#: sRGB of x, y and z, as in other 3D programs.
AXES = ((0.86, 0.22, 0.20), (0.24, 0.62, 0.22), (0.20, 0.45, 0.92))

#: Pixels.
_BOX_WIDTH, _AXIS_WIDTH = 1.4, 2.0

#: sRGB of marks and of their outline, visible on all surfaces; half the side of a mark, and widths, in pixels.
MARK, MARK_OUTLINE = (0.09, 0.09, 0.11), (1.0, 1.0, 1.0)
_MARK_SIZE, _MARK_WIDTH, _MARK_OUTLINE_WIDTH = 3.0, 1.6, 4.0

#: Depth by which the box is moved towards the eye, so that faces of the mesh that it touches do not hide it.
_DEPTH_OFFSET = 0.0008

#: Length of an axis of the cross: relative to the smaller side of the image, and its minimum in pixels.
_CROSS, _MIN_CROSS = 0.085, 22.0

#: Half height of a letter, in lengths of an axis.
_LETTER = 0.17

#: Strokes of X, Y and Z in half heights, (right, up) to (right, up). Text would need a font in the renderer.
_STROKES: tuple[tuple[tuple[float, float, float, float], ...], ...] = (
    ((-0.7, -1, 0.7, 1), (-0.7, 1, 0.7, -1)),
    ((-0.7, 1, 0, 0), (0.7, 1, 0, 0), (0, 0, 0, -1)),
    ((-0.7, 1, 0.7, 1), (0.7, 1, -0.7, -1), (-0.7, -1, 0.7, -1)),
)

#: Pairs of corners; the bits of a corner's index are its x, y and z.
_EDGES = np.array([(a, b) for a in range(8) for b in range(8) if a < b and (a ^ b).bit_count() == 1])


@dataclass(frozen=True, eq=False)
class Overlay:
    """Coloured triangles in screen coordinates, drawn by both renderers.

    Attributes
    ----------
    corners : (T, 3, 3) float64: right and up in [-1, 1] over the image, depth in [-1, 1], as in OpenGL.
    colours : (T, 3) float32, sRGB in [0, 1].
    """

    corners: NDArray[np.float64]
    colours: NDArray[np.float32]


def make_overlay(
    corners: NDArray[np.float32], fitted_view: FittedView, width: int, height: int, style: RenderStyle
) -> Overlay | None:
    """The lines of a style; None if it has none.

    Parameters
    ----------
    corners : (8, 3) of the box, see `RenderMesh.corners`.
    width, height : of the image in pixels.
    """
    ribbons: list[tuple[NDArray[np.float64], tuple[float, float, float]]] = []
    size = np.array([width, height], np.float64)
    if style.box:
        clip = corners @ fitted_view.clip[:, :3].T + fitted_view.clip[:, 3]
        ends = (clip[:, :3] / clip[:, 3:])[_EDGES]
        ends[:, :, 2] -= _DEPTH_OFFSET
        ribbons.append((_line_triangles(ends, size, _BOX_WIDTH), BOX))
    if style.axes:
        for axis, lines in enumerate(_axis_cross(fitted_view, size)):
            ribbons.append((_line_triangles(lines, size, _AXIS_WIDTH), AXES[axis]))
    if style.marks:
        lines = _mark_lines(np.array(style.marks), fitted_view, size)
        for width_px, colour, depth in ((_MARK_OUTLINE_WIDTH, MARK_OUTLINE, -0.9985), (_MARK_WIDTH, MARK, -0.9995)):
            lines[:, :, 2] = depth
            ribbons.append((_line_triangles(lines, size, width_px), colour))
    if not ribbons:
        return None
    colours = [np.broadcast_to(np.array(colour, np.float32), (len(part), 3)) for part, colour in ribbons]
    return Overlay(np.concatenate([part for part, _ in ribbons]), np.concatenate(colours))


def _line_triangles(ends: NDArray[np.float64], size: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """Triangles (2 N, 3, 3) of N lines (N, 2, 3), `width` pixels wide, extended by half the width at both ends."""
    along = (ends[:, 1, :2] - ends[:, 0, :2]) * size / 2
    length = np.linalg.norm(along, axis=1, keepdims=True)
    along = along / np.where(length > 0, length, 1) * (width / 2)
    normal = np.stack([-along[:, 1], along[:, 0]], axis=1)
    corners = np.repeat(ends[:, :, None, :], 2, axis=2).reshape(-1, 4, 3)  # start twice, end twice
    shift = np.stack([-along + normal, -along - normal, along + normal, along - normal], axis=1) * 2 / size
    corners[:, :, :2] += shift
    return corners[:, [[0, 1, 2], [2, 1, 3]]].reshape(-1, 3, 3)


def _mark_lines(places: NDArray[np.float64], fitted_view: FittedView, size: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lines (N, 2, 3): a cross at each place, and the line from the first to the second one; depths are undefined."""
    clip = places @ fitted_view.clip[:, :3].T + fitted_view.clip[:, 3]
    centres = clip[:, :2] / clip[:, 3:]
    arms = np.array([[[-1, -1], [1, 1]], [[-1, 1], [1, -1]]]) * _MARK_SIZE * 2 / size
    flat = [centre + arms for centre in centres] + ([centres[None, :2]] if len(centres) == 2 else [])
    lines = np.concatenate(flat)
    return np.concatenate([lines, np.zeros((*lines.shape[:2], 1))], axis=2)


def _axis_cross(fitted_view: FittedView, size: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Lines (N, 2, 3) of each axis and its letter, in front of the mesh."""
    length = max(_CROSS * float(size.min()), _MIN_CROSS)
    centre = np.array([-1.0, -1.0]) + 1.75 * length * 2 / size
    lines = []
    for axis, strokes in enumerate(_STROKES):
        towards = fitted_view.rotation[:, axis]
        tip = centre + towards[:2] * length * 2 / size
        letter = centre + towards[:2] * 1.38 * length * 2 / size
        segments = [(*centre, *tip)]
        for right, up, right_end, up_end in strokes:
            start = letter + np.array([right, up]) * _LETTER * length * 2 / size
            end = letter + np.array([right_end, up_end]) * _LETTER * length * 2 / size
            segments.append((*start, *end))
        flat = np.array(segments).reshape(-1, 2, 2)
        depth = np.full(
            (len(flat), 2, 1), -0.999 + 0.0005 * (1 - towards[2])
        )  # axes towards the eye in front of the others
        lines.append(np.concatenate([flat, depth], axis=2))
    return lines
