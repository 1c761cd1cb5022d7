"""Meshes whose pictures are known beforehand."""

from dataclasses import replace

import numpy as np

from shrec_viewer.domain.mesh import Mesh, Texture


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


QUARTERS = np.array([[[220, 40, 40], [40, 180, 60]], [[50, 80, 220], [240, 210, 50]]], np.uint8)
"""Red left of green, above blue and yellow."""


def letter(size: int = 64) -> np.ndarray:
    """An F upon four quarters: whichever way it is turned or mirrored, it is another picture."""
    pixels = QUARTERS.repeat(size // 2, 0).repeat(size // 2, 1)
    unit = size // 16
    for top, bottom, left, right in ((3, 13, 5, 7), (3, 5, 5, 12), (7, 9, 5, 10)):
        pixels[top * unit : bottom * unit, left * unit : right * unit] = 255
    return np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])


def textured(mesh: Mesh, places: object, *pictures: np.ndarray, of_faces: object = 0, **changes: object) -> Mesh:
    numbers = np.broadcast_to(np.asarray(of_faces, np.int16), len(mesh.faces))
    return replace(mesh, texture=Texture(np.asarray(places, np.float32), pictures, numbers.copy()), **changes)


SPOTS = [[0, 0], [1, 0], [1, 1], [0, 1]]
UPRIGHT = {"right": [5, 1, 3, 7], "left": [0, 4, 6, 2], "top": [6, 7, 3, 2]}
UPRIGHT |= {"bottom": [0, 1, 5, 4], "front": [4, 5, 7, 6], "back": [1, 0, 2, 3]}
"""Corners of each side of the cube, from the lower left one of its picture counterclockwise."""


def lettered_cube(picture: np.ndarray | None = None) -> Mesh:
    """The letter on every side, each with corners of its own."""
    corners = np.array([cube().vertices[side] for side in UPRIGHT.values()]).reshape(-1, 3)
    faces = [[4 * k, 4 * k + i, 4 * k + i + 1] for k in range(6) for i in (1, 2)]
    return textured(mesh_of(corners, faces), SPOTS * 6, letter() if picture is None else picture)
