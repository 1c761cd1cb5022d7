"""Read OFF files, with a fast path for regular ones."""

import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Texture

Number = TypeVar("Number", np.float64, np.int64)

_HEADER = re.compile(r"\s*(ST)?(C)?(N)?(4)?(n)?OFF", re.IGNORECASE)
"""Optional vertex extras in the order in which Geomview fixes them: texture, colour, normal, 4D, nD."""

_BINARY = re.compile(r"\s*BINARY", re.IGNORECASE)

_COLOUR_COLUMNS = (3, 4)
"""RGB or RGBA behind a face; one column is an index into a colour map that nobody ships."""


@dataclass
class RawMesh:
    """What stands in an OFF file, not yet checked.

    Attributes
    ----------
    vertices : (V, 3) float64, as written; may hold NaN.
    faces : (F, 3) int64, as written, polygons cut into fans; may point anywhere.
    vertex_colours : (V, 3 or 4) float64 or None, in the file's own scale.
    face_colours : (F, 4) float64 or None, in 0..255; NaN where that face has none.
    notes : sentences about what was missing.
    texture : pictures upon the faces, its places not yet checked; no OFF file has any.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    vertex_colours: NDArray[np.float64] | None = None
    face_colours: NDArray[np.float64] | None = None
    notes: list[str] = field(default_factory=list)
    texture: Texture | None = None


def parse_off(path: Path, data: bytes) -> RawMesh:
    """Numbers of an OFF file; every dialect that FORMATS lists.

    A header on the same line as the counts (``OFF490 518 0``), lower case, blank lines, comments, missing edge counts,
    COFF and NOFF, polygons of any size, colours behind faces, faces wrapped over lines, and files that end early.

    Raises
    ------
    FormatError
        No header, no counts, a binary or four-dimensional file, or fewer numbers than one vertex needs.
    """
    text = data.decode("latin-1").removeprefix("ï»¿")  # a byte order mark, seen as latin-1
    header = _HEADER.match(text)
    if header is None:
        text = "\n".join(_lines_without_comments(text))
        header = _HEADER.match(text)
    if header is None:
        raise FormatError(path, "does not start with 'OFF'", 1)
    if header[4] or header[5]:
        raise FormatError(path, "holds more than three dimensions, which cannot be drawn", 1)
    body = text[header.end() :]
    if _BINARY.match(body):
        raise FormatError(path, "is a binary OFF file; only the text form can be read", 1)
    extras = _Extras(texture=bool(header[1]), colour=bool(header[2]), normal=bool(header[3]))
    return _parse_body(path, body, extras)


@dataclass(frozen=True)
class _Extras:
    texture: bool
    colour: bool
    normal: bool


def _parse_body(path: Path, body: str, extras: _Extras) -> RawMesh:
    lines = body.split("\n")
    counts, rest = _counts(lines)
    if counts is None or "#" in body:
        lines = _lines_without_comments(body)
        counts, rest = _counts(lines)
    if counts is None:
        raise FormatError(path, "does not say how many vertices and faces follow")
    n_vertices, n_faces = counts
    if n_vertices < 0 or n_faces < 0:
        raise FormatError(path, f"announces {n_vertices} vertices and {n_faces} faces")
    content = _read_regular(rest, n_vertices, n_faces)
    if content is not None and not (extras.colour or extras.normal or extras.texture):
        return content
    return _read_tolerant(path, [line for line in rest if line.strip()], n_vertices, n_faces, extras)


def _lines_without_comments(text: str) -> list[str]:
    bare = (line.split("#", 1)[0] for line in text.splitlines())
    return [line for line in bare if line.strip()]


def _counts(lines: list[str]) -> tuple[tuple[int, int] | None, list[str]]:
    """Vertex and face counts, and the lines after them; the edge count is not needed and often absent."""
    for number, line in enumerate(lines[:3]):
        tokens = line.split()
        if not tokens:
            continue
        try:
            counts = int(tokens[0]), int(tokens[1])
        except (ValueError, IndexError):
            break
        rest = [" ".join(tokens[3:])] if len(tokens) > 3 else []
        return counts, rest + lines[number + 1 :]
    return None, []


def _load_table(lines: list[str], dtype: type[Number]) -> NDArray[Number] | None:
    """Regular lines as an array (lines, columns), or None where one is different or no numbers."""
    if not lines:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # loadtxt warns about blank input
            table = np.loadtxt(lines, dtype, comments=None, ndmin=2)
    except (ValueError, OverflowError):
        return None
    return table if len(table) == len(lines) else None


def _read_regular(lines: list[str], n_vertices: int, n_faces: int) -> RawMesh | None:
    """The whole file where every line is ``x y z`` and then ``3 a b c``, which is what contests exchange."""
    if n_faces == 0 or len(lines) < n_vertices + n_faces:
        return None
    vertices = _load_table(lines[:n_vertices], np.float64)
    if vertices is None or vertices.shape[1] != 3:
        return None
    faces = _load_table(lines[n_vertices : n_vertices + n_faces], np.int64)
    if faces is None or faces.shape[1] != 4 or (faces[:, 0] != 3).any():
        return None
    return RawMesh(vertices, faces[:, 1:])


def _read_tolerant(path: Path, lines: list[str], n_vertices: int, n_faces: int, extras: _Extras) -> RawMesh:
    notes: list[str] = []
    numbers, face_lines = _vertex_table(path, lines, n_vertices, extras, notes)
    first = 3
    colours = None
    if extras.normal:
        first += 3
    if extras.colour and numbers.shape[1] >= first + 3:
        colours = numbers[:, first : first + (4 if numbers.shape[1] >= first + 4 and not extras.texture else 3)]
    faces, face_colours = _faces_by_line(face_lines, n_faces)
    if faces is None or faces.count < n_faces:
        stream = _faces_by_token(face_lines, n_faces)
        if faces is None or stream.count > faces.count:  # several on one line, or one over several
            faces, face_colours = stream, None
    found = faces.count
    if found < n_faces:
        notes.append(f"the file ends after {found} of {n_faces} faces")
    if faces.dropped:
        notes.append(f"{faces.dropped} faces with fewer than three corners were left out")
    return RawMesh(numbers[:, :3], faces.triangles, colours, face_colours, notes)


def _vertex_table(
    path: Path, lines: list[str], n_vertices: int, extras: _Extras, notes: list[str]
) -> tuple[NDArray[np.float64], list[str]]:
    """Numbers of each vertex (V, at least 3), and the lines that follow them."""
    if n_vertices == 0:
        return np.empty((0, 3)), lines
    if len(lines) >= n_vertices:
        table = _load_table(lines[:n_vertices], np.float64)
        if table is not None and table.shape[1] >= 3:
            return table, lines[n_vertices:]
    width = 3 + 3 * extras.normal + 4 * extras.colour + 2 * extras.texture  # wherever the lines break
    tokens = " ".join(lines).split()
    try:
        flat = np.array(tokens[: n_vertices * width], np.float64)
    except ValueError as error:
        raise FormatError(path, f"has something that is not a number among its vertices ({error})") from error
    complete = len(flat) // width
    if complete == 0:
        raise FormatError(path, f"announces {n_vertices} vertices but holds none")
    if complete < n_vertices:
        notes.append(f"the file ends after {complete} of {n_vertices} vertices")
    return flat[: complete * width].reshape(complete, width), [" ".join(tokens[n_vertices * width :])] if len(
        tokens
    ) > n_vertices * width else []


@dataclass
class _FaceTable:
    triangles: NDArray[np.int64]
    count: int
    dropped: int


def _triangulate_fan(polygons: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles (n, k - 2, 3) of polygons (n, k), all from the first corner."""
    corners = polygons.shape[1]
    second = np.arange(1, corners - 1)
    fan = np.stack([np.zeros_like(second), second, second + 1], axis=1)
    return polygons[:, fan]


def _faces_by_line(lines: list[str], n_faces: int) -> tuple[_FaceTable | None, NDArray[np.float64] | None]:
    """Faces where each stands on its own line, with colours; None where they are wrapped."""
    split = [line.split() for line in lines[:n_faces]]
    try:
        sizes = np.array([int(tokens[0]) for tokens in split], np.int64)
    except ValueError:
        return None, None
    widths = np.array([len(tokens) for tokens in split], np.int64)
    if len(sizes) and (sizes < 0).any():
        return None, None
    whole = widths >= sizes + 1
    if not whole[:-1].all():
        return None, None
    split, sizes, widths = split[: whole.sum()], sizes[whole], widths[whole]
    order, parts, colours = [], [], []
    for size in np.unique(sizes[sizes >= 3]):
        rows = np.flatnonzero(sizes == size)
        try:
            polygons = np.array([split[row][1 : size + 1] for row in rows], np.float64).astype(np.int64)
        except ValueError:
            return None, None
        order.append(np.repeat(rows, size - 2))
        parts.append(_triangulate_fan(polygons).reshape(-1, 3))
        colours.append(np.repeat(_face_colours([split[row][size + 1 :] for row in rows]), size - 2, axis=0))
    if not parts:
        return _FaceTable(np.empty((0, 3), np.int64), len(sizes), int((sizes < 3).sum())), None
    in_order = np.argsort(np.concatenate(order), kind="stable")
    paint = np.concatenate(colours)[in_order]
    triangles = np.concatenate(parts)[in_order]
    return _FaceTable(triangles, len(sizes), int((sizes < 3).sum())), None if np.isnan(paint).all() else paint


def _face_colours(tails: list[list[str]]) -> NDArray[np.float64]:
    """(n, 4) in 0..255; NaN where a face has no colour or one that cannot be understood."""
    colours = np.full((len(tails), 4), np.nan)
    for row, tail in enumerate(tails):
        if len(tail) not in _COLOUR_COLUMNS:
            continue
        try:
            values = [float(token) for token in tail]
        except ValueError:
            continue
        scale = 255.0 if any("." in token for token in tail) and max(values) <= 1.0 else 1.0
        colours[row, 3] = 255.0
        colours[row, : len(values)] = np.array(values) * scale
    return colours


def _faces_by_token(lines: list[str], n_faces: int) -> _FaceTable:
    """Faces as a stream of numbers, wherever the lines break; stops at the first thing that is not a number."""
    polygons: dict[int, list[list[int]]] = {}
    tokens = " ".join(lines).split()
    place, count, dropped = 0, 0, 0
    while count < n_faces and place < len(tokens):
        try:
            size = int(tokens[place])
            corners = [int(token) for token in tokens[place + 1 : place + 1 + size]]
        except ValueError:
            break
        if size < 0 or len(corners) < size:
            break
        place += 1 + size
        count += 1
        if size < 3:
            dropped += 1
        else:
            polygons.setdefault(size, []).append(corners)
    parts = [_triangulate_fan(np.array(group, np.int64)).reshape(-1, 3) for group in polygons.values()]
    triangles = np.concatenate(parts) if parts else np.empty((0, 3), np.int64)
    return _FaceTable(triangles, count, dropped)
