"""Reads the geometry of OBJ files that trimesh refuses or misreads: corners that count backwards above all."""

import re

import numpy as np
from numpy.typing import NDArray

_BACKWARDS = re.compile(rb"^f[ \t](?:[^\n]*[ \t])?-\d", re.MULTILINE)


def counts_backwards(data: bytes) -> bool:
    """Whether some face names a corner by a negative number."""
    return _BACKWARDS.search(data) is not None


def parse_obj(data: bytes) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Vertices (V, 3) and triangles (F, 3), 0-based, of every line that can be understood; the others are passed over.

    Negative corners count back from the last vertex before their line; polygons are cut into fans. Materials, normals
    and texture coordinates are not looked at. Both may be empty.
    """
    vertices: list[list[float]] = []
    triangles: list[tuple[int, int, int]] = []
    text = data.decode("latin-1").replace("\\\r\n", " ").replace("\\\n", " ")  # a backslash joins two lines
    for line in text.splitlines():
        kind, *fields = line.split("#", 1)[0].split() or [""]
        try:
            if kind == "v" and len(fields) >= 3:
                vertices.append([float(field) for field in fields[:3]])
            elif kind == "f":
                corners = [_corner(field, len(vertices)) for field in fields]
                triangles += [(corners[0], corners[k], corners[k + 1]) for k in range(1, len(corners) - 1)]
        except ValueError:
            continue
    return np.array(vertices, np.float64).reshape(-1, 3), np.array(triangles, np.int64).reshape(-1, 3)


def _corner(field: str, count: int) -> int:
    number = int(field.split("/", 1)[0])
    return number - 1 if number > 0 else count + number
