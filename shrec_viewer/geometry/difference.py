"""A mesh aligned with another one and coloured by the distance of the surfaces."""

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.geometry.alignment import align_meshes, surface_distances

#: Percentile of the distances that has the last colour; larger ones have it, too.
LAST_PERCENTILE = 98.0

#: Colours of distances in sRGB: none, half, and the last one; the hue of losses, which no other surface has.
COLOURS = np.array([[236, 238, 240], [255, 159, 112], [166, 61, 0]], np.float64)


def coloured_difference(mesh: Mesh, reference: Mesh) -> tuple[Mesh, str]:
    """The mesh in the place of the reference, coloured by the distance of its vertices to it, and a sentence on both.

    Shapes that are the same within sampling have the first colour everywhere: their distances mean nothing.

    Raises
    ------
    ValueError
        If a mesh has no extent.
    """
    alignment = align_meshes(mesh, reference, may_mirror=True)
    vertices = alignment.transformed(mesh.vertices)
    faces = mesh.faces[:, ::-1] if alignment.is_mirrored else mesh.faces
    distances = surface_distances(vertices, reference) / np.float32(alignment.radius)
    last = float(np.percentile(distances, LAST_PERCENTILE))
    sentence = alignment.sentence()
    if alignment.is_same or not last > 0.0:
        shares = np.zeros(len(distances), np.float32)
    else:
        shares = np.minimum(distances / np.float32(last), 1.0)
        sentence += f"; colours from 0 to {last:.2f} radii, worst {float(distances.max()):.2f}"
    colours = np.stack([np.interp(shares, (0.0, 0.5, 1.0), column) for column in COLOURS.T], axis=1)
    rgba: NDArray[np.uint8] = np.concatenate([colours.round(), np.full((len(colours), 1), 255.0)], axis=1).astype(
        np.uint8
    )
    return Mesh(vertices, np.ascontiguousarray(faces), rgba, mesh.notes), sentence
