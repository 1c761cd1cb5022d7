"""Read OFF files of all known dialects, with a fast path for regular files."""

import re
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes.parts import RawMesh, triangle_fan
from shrec_viewer.formats.meshes.resolver import MeshSource

Number = TypeVar("Number", np.float64, np.int64)

_HEADER = re.compile(r"\s*(ST)?(C)?(N)?(4)?(n)?OFF", re.IGNORECASE)
"""Prefixes for additional vertex columns, in the order that Geomview prescribes: texture, colour, normal, 4D, nD."""

_BINARY = re.compile(r"\s*BINARY", re.IGNORECASE)

_COLOUR_COLUMNS = (3, 4)
"""RGB or RGBA after a face; a single column is an index into a colour map, which files do not include."""

_MAX_COUNT = 10**15
"""Larger counts are damaged; they can have thousands of digits, which a message would repeat."""


def read_off(source: MeshSource) -> RawMesh:
    """Read vertices, faces and colours.

    Accepts a header on the line of the counts (``OFF490 518 0``), lower case, blank lines, comments, missing edge
    counts, COFF and NOFF, polygons of any size, colours after faces, faces that span lines, and truncated files.

    Raises
    ------
    FormatError
        No header, no counts, a binary or four-dimensional file, or too few numbers for one vertex.
    """
    path = source.path
    # latin-1 decodes any byte: comments in other encodings must not make a mesh unreadable, and numbers are ASCII.
    text = source.data.decode("latin-1").removeprefix("ï»¿")  # byte order mark of UTF-8 in latin-1
    header = _HEADER.match(text)
    if header is None:
        text = "\n".join(_lines_without_comments(text))
        header = _HEADER.match(text)
    if header is None:
        raise FormatError(path, "does not start with 'OFF'", 1)
    if header[4] or header[5]:
        raise FormatError(path, "has more than three dimensions, which cannot be drawn", 1)
    body = text[header.end() :]
    if _BINARY.match(body):
        raise FormatError(path, "is a binary OFF file; only text is supported", 1)
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
    # Only now, as removing comments takes as long as parsing a regular file.
    if counts is None or "#" in body:
        lines = _lines_without_comments(body)
        counts, rest = _counts(lines)
    if counts is None:
        raise FormatError(path, "has no counts of vertices and faces")
    n_vertices, n_faces = counts
    if n_vertices < 0 or n_faces < 0:
        raise FormatError(path, f"declares {n_vertices} vertices and {n_faces} faces")
    if max(n_vertices, n_faces) > _MAX_COUNT:
        raise FormatError(path, f"declares more than {_MAX_COUNT:,} vertices or faces")
    content = _read_regular(rest, n_vertices, n_faces)
    # Exactly three numbers per line although the header promises more: the header decides, so it is read tolerantly.
    if content is not None and not (extras.colour or extras.normal or extras.texture):
        return content
    return _read_tolerant(path, [line for line in rest if line.strip()], n_vertices, n_faces, extras)


def _lines_without_comments(text: str) -> list[str]:
    bare = (line.split("#", 1)[0] for line in text.splitlines())
    return [line for line in bare if line.strip()]


def _counts(lines: list[str]) -> tuple[tuple[int, int] | None, list[str]]:
    """Vertex and face counts, and the lines after them; the edge count is ignored and often missing."""
    for index, line in enumerate(lines[:3]):
        tokens = line.split()
        if not tokens:
            continue
        after = index + 1
        while len(tokens) < 3 and len(words := "".join(lines[after : after + 1]).split()) in range(1, 4 - len(tokens)):
            tokens, after = tokens + words, after + 1  # counts on several lines
        try:
            counts = int(tokens[0]), int(tokens[1])
        except (ValueError, IndexError):
            break
        rest = [" ".join(tokens[3:])] if len(tokens) > 3 else []
        return counts, rest + lines[after:]
    return None, []


def _load_table(lines: list[str], dtype: type[Number]) -> NDArray[Number] | None:
    """Lines with equally many numbers as an array (lines, columns); None for other lines."""
    if not lines:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of loadtxt about empty input
            table = np.loadtxt(lines, dtype, comments=None, ndmin=2)
    except (ValueError, OverflowError):
        return None
    return table if len(table) == len(lines) else None


def _read_regular(lines: list[str], n_vertices: int, n_faces: int) -> RawMesh | None:
    """Read a file with lines ``x y z`` and ``3 a b c`` only, as contests exchange them; None for other files."""
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
    if faces is None or (faces.count < n_faces and faces.n_unread):
        stream = _faces_by_token(face_lines, n_faces)
        if faces is None or stream.count > faces.count:  # several faces on a line, or a face on several lines
            faces, face_colours = stream, None
    if faces.count < n_faces:
        notes.append(f"the file ends after {faces.count} of {n_faces} faces")
    if faces.dropped:
        notes.append(f"{faces.dropped} faces with fewer than three corners were ignored")
    return RawMesh(numbers[:, :3], faces.triangles, colours, face_colours, notes)


def _vertex_table(
    path: Path, lines: list[str], n_vertices: int, extras: _Extras, notes: list[str]
) -> tuple[NDArray[np.float64], list[str]]:
    """Columns of the vertices (V, at least 3), and the lines after them."""
    if n_vertices == 0:
        return np.empty((0, 3)), lines
    if len(lines) >= n_vertices:
        table = _load_table(lines[:n_vertices], np.float64)
        if table is not None and table.shape[1] >= 3:
            return table, lines[n_vertices:]
    width = 3 + 3 * extras.normal + 4 * extras.colour + 2 * extras.texture  # of one vertex, independent of line breaks
    tokens = " ".join(lines).split()
    try:
        flat = np.array(tokens[: n_vertices * width], np.float64)
    except ValueError as error:
        raise FormatError(path, f"has vertices that are not numbers ({error})") from error
    complete = len(flat) // width
    if complete == 0:
        raise FormatError(path, f"declares {n_vertices} vertices but contains none")
    if complete < n_vertices:
        notes.append(f"the file ends after {complete} of {n_vertices} vertices")
    rest = tokens[n_vertices * width :]
    return flat[: complete * width].reshape(complete, width), [" ".join(rest)] if rest else []


@dataclass
class _FaceTable:
    """Triangles of faces.

    Attributes
    ----------
    triangles : (F, 3) vertex indices.
    count : number of polygons that they come from.
    dropped : how many of these have fewer than three corners.
    n_unread : words on their lines that are not indices of corners.
    """

    triangles: NDArray[np.int64]
    count: int
    dropped: int
    n_unread: int = 0


def _faces_by_line(lines: list[str], n_faces: int) -> tuple[_FaceTable | None, NDArray[np.float64] | None]:
    """Read one face per line, with colours; None for other layouts."""
    split = [line.split() for line in lines[:n_faces]]
    try:
        sizes = np.array([int(tokens[0]) for tokens in split], np.int64)
    except (ValueError, OverflowError):  # not an integer, or beyond 64 bits
        return None, None
    widths = np.array([len(tokens) for tokens in split], np.int64)
    if len(sizes) and (sizes < 0).any():
        return None, None
    # Only the last line may be cut off; any other short line is another layout.
    is_complete = widths >= sizes + 1
    if not is_complete[:-1].all():
        return None, None
    n_unread = int(widths.sum() - (sizes[is_complete] + 1).sum())
    split, sizes = split[: is_complete.sum()], sizes[is_complete]
    order, parts, colours = [], [], []
    for size in np.unique(sizes[sizes >= 3]):
        rows = np.flatnonzero(sizes == size)
        try:
            # By way of float64, because some writers print indices as `12.0`.
            numbers = np.array([split[row][1 : size + 1] for row in rows], np.float64)
            with np.errstate(invalid="ignore"):  # indices beyond 64 bits become negative, out of range
                polygons = numbers.astype(np.int64)
        except ValueError:
            return None, None
        order.append(np.repeat(rows, size - 2))
        parts.append(polygons[:, triangle_fan(size)].reshape(-1, 3))
        colours.append(np.repeat(_face_colours([split[row][size + 1 :] for row in rows]), size - 2, axis=0))
    if not parts:
        return _FaceTable(np.empty((0, 3), np.int64), len(sizes), int((sizes < 3).sum()), n_unread), None
    # Polygons were read by size; colours of faces are in the order of the file.
    in_order = np.argsort(np.concatenate(order), kind="stable")
    face_colours = np.concatenate(colours)[in_order]
    triangles = np.concatenate(parts)[in_order]
    table = _FaceTable(triangles, len(sizes), int((sizes < 3).sum()), n_unread)
    return table, None if np.isnan(face_colours).all() else face_colours


def _face_colours(tails: list[list[str]]) -> NDArray[np.float64]:
    """Colours (n, 4) in 0..255 from the columns after each face; NaN for a face without a valid colour."""
    colours = np.full((len(tails), 4), np.nan)
    for row, tail in enumerate(tails):
        if len(tail) not in _COLOUR_COLUMNS:
            continue
        try:
            values = [float(token) for token in tail]
        except ValueError:
            continue
        # Geomview has both ranges: `1 0 0` is nearly black in 0..255, `1.0 0 0` is red in 0..1.
        scale = 255.0 if any("." in token for token in tail) and max(values) <= 1.0 else 1.0
        colours[row, 3] = 255.0
        colours[row, : len(values)] = np.array(values) * scale
    return colours


def _faces_by_token(lines: list[str], n_faces: int) -> _FaceTable:
    """Read faces as a stream of integers, ignoring line breaks, up to the first token that is not one."""
    polygons: dict[int, list[list[int]]] = {}
    tokens = " ".join(lines).split()
    position, count, dropped = 0, 0, 0
    while count < n_faces and position < len(tokens):
        try:
            size = int(tokens[position])
            corners = [int(token) for token in tokens[position + 1 : position + 1 + size]]
        except ValueError:
            break
        if size < 0 or len(corners) < size or any(abs(corner) >= 2**63 for corner in corners):
            break
        position += 1 + size
        count += 1
        if size < 3:
            dropped += 1
        else:
            polygons.setdefault(size, []).append(corners)
    parts = [np.array(group, np.int64)[:, triangle_fan(size)].reshape(-1, 3) for size, group in polygons.items()]
    triangles = np.concatenate(parts) if parts else np.empty((0, 3), np.int64)
    return _FaceTable(triangles, count, dropped)
