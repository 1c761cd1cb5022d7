"""Input of the descriptors: evenly distributed surface points and silhouettes from fixed directions."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from demo_benchmark.solid import Solid
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.render.scene.camera import Camera
from shrec_viewer.render.scene.render_mesh import make_render_mesh
from shrec_viewer.render.software.raster import NO_FACE, rasterise

POINTS = 4096
"""Points on each surface: histograms of 64 bins then vary by about 2 %."""

MASK = 64
"""Side of a silhouette in pixels."""

STEPS = np.array([0.8191725133961645, 0.6710436067037893, 0.5497004779019703])
"""Steps of the quasi-random sequence in three dimensions (M. Roberts' R3, powers of the root of x^4 = x + 1)."""

SKETCH_VIEW = Camera(field_of_view=0, fit="tight")
"""View of the sketches: the three-quarter view of the thumbnails."""

VIEWS = (
    SKETCH_VIEW,
    Camera(azimuth=0, elevation=0, field_of_view=0, fit="tight"),
    Camera(azimuth=90, elevation=0, field_of_view=0, fit="tight"),
    Camera(azimuth=0, elevation=89.9, field_of_view=0, fit="tight"),
)
"""Three-quarter, front, side and top."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Descriptor input of one shape.

    Attributes
    ----------
    points : (POINTS, 3) float64 on the surface, about its centroid, in units of the mean distance from it.
    masks : (V, MASK, MASK) bool, silhouettes from `VIEWS`; only the first one where the shape is a sketch.
    numbers : (6,) float64, sides of the box (ascending, over the longest), share of the box filled, surface over box,
        mean over largest distance from the centroid. NaN where a flat shape has none.
    """

    points: NDArray[np.float64]
    masks: NDArray[np.bool_]
    numbers: NDArray[np.float64]

    @property
    def is_sketch(self) -> bool:
        """Whether there is one view only."""
        return len(self.masks) == 1


def sample_solid(solid: Solid) -> Sample:
    """Measure a model."""
    corners = solid.vertices[solid.faces]
    doubled = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(doubled, axis=1) / 2
    first, second, third = np.modf((np.arange(POINTS)[:, None] + 1) * STEPS)[0].T
    edges = np.cumsum(areas) / areas.sum()
    face = np.minimum(np.searchsorted(edges, first, side="right"), len(areas) - 1)
    root = np.sqrt(second)
    weights = np.column_stack([1 - root, root * (1 - third), root * third])
    points = np.einsum("nk,nkd->nd", weights, corners[face])
    masks = np.array([silhouette(solid, view) for view in VIEWS])
    centred = points - points.mean(axis=0)
    distance = np.linalg.norm(centred, axis=1)
    box = np.sort(np.ptp(solid.vertices, axis=0))
    numbers = np.array(
        [
            box[0] / box[2],
            box[1] / box[2],
            abs(solid.volume) / np.prod(box),
            areas.sum() / (2 * (box[0] * box[1] + box[1] * box[2] + box[0] * box[2])),
            distance.mean() / distance.max(),
            distance.std() / distance.mean(),
        ]
    )
    return Sample(centred / distance.mean(), masks, numbers)


def sample_sketch(ink: NDArray[np.bool_]) -> Sample:
    """Measure a drawing: fill its outline, and take the filled area for a flat shape.

    Parameters
    ----------
    ink : (H, W) bool, where the lines are.
    """
    inside = filled(ink)
    rows, columns = np.nonzero(inside)
    chosen = np.linspace(0, len(rows) - 1, POINTS).astype(int)
    points = np.column_stack([columns[chosen], -rows[chosen], np.zeros(POINTS)]).astype(float)
    centred = points - points.mean(axis=0)
    distance = np.linalg.norm(centred, axis=1)
    high, wide = np.ptp(rows) + 1, np.ptp(columns) + 1
    box = np.sort([high, wide]) / max(high, wide)
    numbers = np.array(
        [np.nan, box[0], np.nan, np.nan, distance.mean() / distance.max(), distance.std() / distance.mean()]
    )
    return Sample(centred / distance.mean(), np.array([_fitted(inside)]), numbers)


def silhouette(solid: Solid, view: Camera) -> NDArray[np.bool_]:
    """(MASK, MASK) bool, the shadow of a model, fitted to the picture."""
    body = make_render_mesh(Mesh(solid.vertices.astype(np.float32), solid.faces.astype(np.int32)))
    fitted_view = view.fitted_view(body.points, MASK, MASK)
    clip = body.points @ fitted_view.clip[:, :3].T + fitted_view.clip[:, 3]
    screen = (clip[:, :3] / clip[:, 3:] * (1, -1, 1) + 1) / 2 * (MASK, MASK, 1)
    index, _ = rasterise(screen, body.faces, MASK, MASK)
    return index != NO_FACE


def filled(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """All that cannot be reached from the border without crossing a line."""
    free = np.pad(~ink, 1, constant_values=True)
    outside = np.zeros_like(free)
    outside[0] = outside[-1] = True
    outside[:, 0] = outside[:, -1] = True
    while True:
        grown = outside.copy()
        for axis in (0, 1):
            for step in (-1, 1):
                grown |= np.roll(outside, step, axis)
        grown &= free
        if np.array_equal(grown, outside):
            return np.asarray(~outside[1:-1, 1:-1])
        outside = grown


def _fitted(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The same shape, its longer side spanning 94 % of a small square as in `silhouette`."""
    rows, columns = np.nonzero(inside)
    middle = np.array([rows.min() + rows.max(), columns.min() + columns.max()]) / 2
    step = (max(np.ptp(rows), np.ptp(columns)) + 1) / (0.94 * MASK)
    places = (np.arange(MASK) - (MASK - 1) / 2) * step
    at_rows = np.clip(np.rint(middle[0] + places).astype(int), 0, inside.shape[0] - 1)
    at_columns = np.clip(np.rint(middle[1] + places).astype(int), 0, inside.shape[1] - 1)
    return inside[np.ix_(at_rows, at_columns)]
