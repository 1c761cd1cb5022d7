"""Read OFF files of all known dialects."""

import re
import warnings
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes.parts import ENDS_EARLY, RawMesh, triangle_fan
from shrec_viewer.formats.meshes.resolver import MeshSource

Number = TypeVar("Number", np.float64, np.int64)

#: Prefixes for additional vertex columns, in the order that Geomview prescribes: texture, colour, normal, 4D, nD.
_HEADER = re.compile(r"\s*(ST)?(C)?(N)?(4)?(n)?OFF", re.IGNORECASE)

_BINARY = re.compile(r"\s*BINARY", re.IGNORECASE)

#: RGB or RGBA after a face; a single column is an index into a colour map, which files do not include.
_COLOUR_COLUMNS = (3, 4)

#: Larger counts are damaged; they can have thousands of digits, which a message would repeat.
_MAX_COUNT = 10**15


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
    return _read_tables(path, [line for line in rest if line.strip()], n_vertices, n_faces, extras)


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


def _read_tables(path: Path, lines: list[str], n_vertices: int, n_faces: int, extras: _Extras) -> RawMesh:
    notes: list[str] = []
    counts = n_vertices, n_faces
    numbers, face_lines = _vertex_table(path, lines, n_vertices, extras, notes)
    first = 3
    colours = None
    if extras.normal:
        first += 3
    if extras.colour and numbers.shape[1] >= first + 3:
        colours = numbers[:, first : first + (4 if numbers.shape[1] >= first + 4 and not extras.texture else 3)]
    table = _load_table(face_lines[:n_faces], np.int64) if len(face_lines) >= n_faces else None
    if table is not None and table.shape[1] > 3 and (table[:, 0] == table.shape[1] - 1).all():  # as contests exchange
        triangles = table[:, 1:][:, triangle_fan(table.shape[1] - 1)].reshape(-1, 3)
        face = np.repeat(np.arange(n_faces), table.shape[1] - 3)
        return RawMesh(numbers[:, :3], triangles, colours, notes=notes, source_face=face, source_counts=counts)
    polygons, tails = _faces(face_lines, n_faces)
    if len(polygons) < n_faces:
        notes.append(f"{ENDS_EARLY} {len(polygons)} of {n_faces} faces")
    if n_dropped := sum(len(polygon) < 3 for polygon in polygons):
        notes.append(f"{n_dropped} faces with fewer than three corners were ignored")
    triangles, face = _triangles(polygons)
    rgba = _face_colours(tails)[face]
    return RawMesh(
        vertices=numbers[:, :3],
        faces=triangles,
        vertex_colours=colours,
        face_colours=None if np.isnan(rgba).all() else rgba,
        notes=notes,
        source_face=face,
        source_counts=counts,
    )


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
        notes.append(f"{ENDS_EARLY} {complete} of {n_vertices} vertices")
    rest = tokens[n_vertices * width :]
    return flat[: complete * width].reshape(complete, width), [" ".join(rest)] if rest else []


def _faces(lines: list[str], n_faces: int) -> tuple[list[list[int]], list[list[str]]]:
    """Corners of each face, and the words after them, from the layout that gives most faces."""
    by_line = _faces_by_line(lines, n_faces)
    polygons, tails = by_line or ([], [])
    if by_line is None or (len(polygons) < n_faces and any(tails)):
        stream = _faces_by_token(lines, n_faces)
        if by_line is None or len(stream) > len(polygons):  # several faces on a line, or a face on several lines
            return stream, [[]] * len(stream)
    return polygons, tails


def _faces_by_line(lines: list[str], n_faces: int) -> tuple[list[list[int]], list[list[str]]] | None:
    """One face per line, with the words after it; None for other layouts. The last line may be cut off."""
    polygons, tails = [], []
    for number, line in enumerate(lines[:n_faces], 1):
        words = line.split()
        try:
            end = int(words[0]) + 1
            corners = list(map(_corner, words[1:end]))
        except (ValueError, OverflowError):
            return None
        if end > len(words) and number == min(n_faces, len(lines)):
            break
        if not 1 <= end <= len(words):
            return None
        polygons.append(corners)
        tails.append(words[end:])
    return polygons, tails


def _faces_by_token(lines: list[str], n_faces: int) -> list[list[int]]:
    """Faces from a stream of integers, ignoring line breaks, up to the first token that is not one."""
    polygons: list[list[int]] = []
    tokens = " ".join(lines).split()
    position = 0
    while len(polygons) < n_faces and position < len(tokens):
        try:
            end = position + 1 + int(tokens[position])
            corners = list(map(_corner, tokens[position + 1 : end]))
        except (ValueError, OverflowError):
            break
        if not position < end <= len(tokens):
            break
        polygons.append(corners)
        position = end
    return polygons


def _corner(word: str) -> int:
    """Index of a vertex, which some writers print as ``12.0``; another one out of range for one beyond 64 bits."""
    return int(word) if len(word) < 10 and word.isdigit() else int(min(max(float(word), -1.0), 2.0**62))


def _triangles(polygons: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Triangles (F, 3) that polygons are split into, in their order, and the polygon (F,) of each."""
    sizes = np.array(list(map(len, polygons)), np.int64)
    corners = np.fromiter(chain.from_iterable(polygons), np.int64, int(sizes.sum()))
    n_triangles = np.maximum(sizes - 2, 0)
    face = np.repeat(np.arange(len(sizes)), n_triangles)
    first = (np.cumsum(sizes) - sizes)[face]
    second = first + 1 + np.arange(len(face)) - (np.cumsum(n_triangles) - n_triangles)[face]
    return corners[np.stack([first, second, second + 1], axis=1)], face


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
