"""Meshes whose pictures are known beforehand."""

import numpy as np

from shrec_viewer.domain.mesh import Mesh


def mesh_of(vertices: object, faces: object, colours: object = None) -> Mesh:
    return Mesh(
        np.asarray(vertices, np.float32).reshape(-1, 3),
        np.asarray(faces, np.int32).reshape(-1, 3),
        None if colours is None else np.asarray(colours, np.uint8),
    )


def sphere(rings: int = 48) -> Mesh:
    """A unit sphere, its poles on the Y axis."""
    polar, around = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, 2 * rings + 1))
    points = np.stack([np.sin(polar) * np.cos(around), np.cos(polar), np.sin(polar) * np.sin(around)], axis=-1)
    index = np.arange(points[..., 0].size).reshape(polar.shape)
    a, b, c, d = index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]
    return mesh_of(points, np.concatenate([np.stack([a, b, c], -1), np.stack([a, c, d], -1)]).reshape(-1, 3))


CUBE_FACES = {
    "right": [1, 3, 7, 5],
    "left": [0, 4, 6, 2],
    "top": [2, 6, 7, 3],
    "bottom": [0, 1, 5, 4],
    "front": [4, 5, 7, 6],
    "back": [0, 2, 3, 1],
}
"""Corners of each side: corner k has the coordinates of k's bits, x first."""


def cube(sides: tuple[str, ...] = tuple(CUBE_FACES)) -> Mesh:
    corners = [[k & 1, k >> 1 & 1, k >> 2] for k in range(8)]
    faces = []
    for side in sides:
        a, b, c, d = CUBE_FACES[side]
        faces += [[a, b, c], [a, c, d]]
    return mesh_of(np.array(corners) * 2.0 - 1, faces)


def flipped(mesh: Mesh) -> Mesh:
    """The same surface, its faces turned inside out."""
    return Mesh(mesh.vertices, np.ascontiguousarray(mesh.faces[:, ::-1]), mesh.colours)


def soup(count: int, seed: int) -> Mesh:
    """Triangles anywhere, through each other."""
    random = np.random.default_rng(seed)
    middle = random.uniform(-1, 1, (count, 1, 3))
    corners = middle + random.normal(0, 0.2, (count, 3, 3))
    return mesh_of(corners, np.arange(3 * count))


def scattered_sphere(count: int) -> np.ndarray:
    """Points (count, 3) spread evenly over the unit sphere, along a golden spiral."""
    place = np.arange(count) + 0.5
    height = 1 - 2 * place / count
    turn = np.pi * (1 + 5**0.5) * place
    radius = np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(turn), height, radius * np.sin(turn)], axis=1)
