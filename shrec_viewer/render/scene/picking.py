"""The value of a quantity at a place of an image."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.render_mesh import PreparedMesh, RenderMesh
from shrec_viewer.render.scene.style import RenderStyle
from shrec_viewer.render.scene.values import label_text, mesh_quantities
from shrec_viewer.render.software.raster import sprite_radius


@dataclass(frozen=True)
class PickedValue:
    """The value of a vertex or face under the pointer.

    Attributes
    ----------
    value : NaN if it is undefined.
    label : its text, of a label; "" otherwise.
    place : what has the value: "vertex" or "face".
    index : of it in the file, from 0; in the mesh as it was read where that is not known.
    """

    value: float
    label: str
    place: Literal["vertex", "face"]
    index: int


def picked_value(
    prepared: PreparedMesh, camera: Camera, width: int, height: int, style: RenderStyle, x: float, y: float
) -> PickedValue | None:
    """Value of the nearest corner, or of the face, that is visible at a place of an image.

    Parameters
    ----------
    width, height, style : of the image; the quantity is that of the style.
    x, y : pixels from the upper left corner.

    Returns
    -------
    PickedValue | None
        None beside the mesh, and if it does not have the quantity.
    """
    scale, mesh, render_mesh = style.shown_values, prepared.mesh, prepared.shown(camera)
    values = None if scale is None else mesh_quantities(mesh).get(scale.name)
    if values is None or not len(render_mesh.points):
        return None
    fitted = prepared.render_mesh.fitted_view(camera, width, height, box=style.box)
    clip = render_mesh.points @ fitted.clip[:, :3].T + fitted.clip[:, 3]
    screen = (clip[:, :3] / clip[:, 3:] * (1, -1, 1) + 1) / 2 * (width, height, 1) - (x, y, 0)
    if not len(render_mesh.faces):
        n_points = len(prepared.render_mesh.points)
        radius = style.point_size * sprite_radius(n_points, min(width, height) * camera.zoom)
        near = np.flatnonzero((screen[:, :2] ** 2).sum(axis=1) < radius**2)
        if not len(near) or values.place == "face":
            return None
        vertex = int(near[screen[near, 2].argmin()])
    else:
        face, vertex = _visible_corner(render_mesh, screen, clip[:, 3])
        if face < 0:
            return None
        if values.place == "face":
            index = face if render_mesh.source_faces is None else int(render_mesh.source_faces[face])
            source = index if mesh.source_face is None else int(mesh.source_face[index])
            return _picked(float(values.numbers[index]), values.labels, "face", source)
    index = vertex if render_mesh.source_vertices is None else int(render_mesh.source_vertices[vertex])
    source = index if mesh.source_vertex is None else int(mesh.source_vertex[index])
    return _picked(float(values.numbers[index]), values.labels, "vertex", source)


def _picked(value: float, labels: tuple[str, ...] | None, place: Literal["vertex", "face"], index: int) -> PickedValue:
    text = "" if labels is None or not np.isfinite(value) else label_text(labels, round(value))
    return PickedValue(value if np.isfinite(value) else float("nan"), text, place, index)


def _visible_corner(render_mesh: RenderMesh, screen: NDArray[np.float64], w: NDArray[np.float64]) -> tuple[int, int]:
    """The face at the origin of the screen and its nearest corner, both -1 for none."""
    faces = render_mesh.faces
    # Faces around the origin only: 400,000 faces take 15 instead of 40 ms.
    right, below = screen[:, 0] > 0, screen[:, 1] > 0
    around = np.ones(len(faces), bool)
    for side in (right, below):
        count = side[faces[:, 0]].astype(np.int8) + side[faces[:, 1]] + side[faces[:, 2]]
        around &= (count > 0) & (count < 3)
    candidates = np.flatnonzero(around)
    a, b, c = np.moveaxis(screen[faces[candidates]], 1, 0)
    weights = np.stack([_area(b, c), _area(c, a), _area(a, b)], axis=1)
    total = weights.sum(axis=1)
    inside = (total != 0) & ((weights >= 0).all(axis=1) | (weights <= 0).all(axis=1))
    if not inside.any():
        return -1, -1
    weights = weights[inside] / total[inside, None]
    depth = (weights * np.stack([a[inside, 2], b[inside, 2], c[inside, 2]], axis=1)).sum(axis=1)
    nearest = int(depth.argmin())
    face = int(candidates[inside][nearest])
    corner = int((weights[nearest] / w[faces[face]]).argmax())  # in perspective, as labels are drawn
    return face, int(faces[face, corner])


def _area(one: NDArray[np.float64], two: NDArray[np.float64]) -> NDArray[np.float64]:
    return one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]
