"""Read Wavefront OBJ files with their MTL materials and textures."""

import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes.images import NO_TEXTURE, TextureSet
from shrec_viewer.formats.meshes.off import RawMesh
from shrec_viewer.formats.meshes.parts import MeshPart, join_parts, scale_to_255, valid_faces
from shrec_viewer.formats.meshes.resolver import FileResolver

_OPTIONS = {
    **dict.fromkeys(("-blendu", "-blendv", "-boost", "-texres", "-clamp", "-imfchan", "-bm", "-cc", "-type"), 1),
    **{"-mm": 2, "-o": 3, "-s": 3, "-t": 3},
}
"""Options before the name of a picture and how many words may follow each, by the specification of 1995."""


@dataclass
class ObjMaterial:
    """What of a material is drawn.

    Attributes
    ----------
    colour : sRGB in 0..1, of ``Kd``; None where it has none.
    picture : name of the file of ``map_Kd``, as written; "" without.
    scale, offset : of texture coordinates, ``-s`` and ``-o``: the picture is looked up at ``scale * uv + offset``.
    """

    colour: tuple[float, float, float] | None = None
    picture: str = ""
    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)


def parse_mtl(text: str) -> dict[str, ObjMaterial]:
    """Materials by name; lines that cannot be understood are passed over, as those for light and shine are."""
    materials: dict[str, ObjMaterial] = {}
    current = ObjMaterial()  # what stands before the first name belongs to none
    for line in text.replace("\r", "\n").split("\n"):
        key, _, rest = line.strip().replace("\t", " ").partition(" ")
        rest = rest.strip()
        if key.lower() == "newmtl" and rest:
            current = materials.setdefault(rest, ObjMaterial())
        elif key.lower() == "kd":
            current.colour = _parse_colour(rest) or current.colour
        elif key.lower() == "map_kd":
            _parse_texture_map(current, rest)
    return materials


def _parse_colour(rest: str) -> tuple[float, float, float] | None:
    try:
        values = [float(word) for word in rest.split("#")[0].split()[:3]]
    except ValueError:  # a spectral curve in a file of its own
        return None
    values *= 3 if len(values) == 1 else 1
    if len(values) != 3 or not all(isfinite(value) for value in values):
        return None
    red, green, blue = (min(max(value, 0.0), 1.0) for value in values)
    return red, green, blue


def _parse_texture_map(material: ObjMaterial, rest: str) -> None:
    """Name and options of a line ``map_Kd``; names may hold spaces."""
    words = rest.split(" ")
    while words and words[0].lower() in _OPTIONS:
        option, words = words[0].lower(), words[1:]
        values, words = _values(words, _OPTIONS[option])
        if option == "-s" and values:
            material.scale = (values[0], values[1] if len(values) > 1 else 1.0)
        elif option == "-o" and values:
            material.offset = (values[0], values[1] if len(values) > 1 else 0.0)
    material.picture = " ".join(words).strip()


def _values(words: list[str], most: int) -> tuple[list[float], list[str]]:
    """Up to `most` words that belong to an option, as numbers where they are some (0 otherwise), and what follows.

    Of options with three numbers only the first must stand; the name of the picture is no number.
    """
    values: list[float] = []
    while words and len(values) < most:
        try:
            values.append(float(words[0]))
        except ValueError:
            if values or most == 3:
                break
            values.append(0.0)
        words = words[1:]
    return values, words


NO_INDEX = -1
"""Where a corner has no texture coordinates, or a face no material."""

_COLOURED_COLUMNS = 7
"""Words of a line ``v x y z r g b``; with fewer there is a weight at most."""


@dataclass(frozen=True, eq=False)
class ObjContent:
    """What stands in an OBJ file, not yet checked.

    Attributes
    ----------
    vertices : (V, 3) float64; NaN where a line holds no three numbers.
    colours : (V, 3) float64 in the file's own scale, NaN where a vertex has none, or None.
    places : (T, 2) float64, texture coordinates; NaN where a line holds no two numbers.
    faces : (F, 3) int64, 0-based places in `vertices`, polygons cut into fans; may point anywhere.
    face_places : (F, 3) int64, the same in `places`; `NO_INDEX` where a corner has none, otherwise it may point anywhere.
    materials : (F,) int64, places in `names`, or `NO_INDEX`.
    names : of the materials, as the faces use them.
    libraries : names of the files that describe them.
    skipped : lines of faces with fewer than three corners that can be understood.
    """

    vertices: NDArray[np.float64]
    colours: NDArray[np.float64] | None
    places: NDArray[np.float64]
    faces: NDArray[np.int64]
    face_places: NDArray[np.int64]
    materials: NDArray[np.int64]
    names: tuple[str, ...]
    libraries: tuple[str, ...]
    skipped: int = 0


def parse_obj(data: bytes) -> ObjContent:
    """All of an OBJ file that is drawn; lines that cannot be understood are passed over.

    A bad point keeps its number, so that the faces after it stay right. Corners may count backwards from the last line
    before them; lines may be joined by a backslash. Normals, curves and groups are not looked at. Never fails, but may
    find nothing.
    """
    lines = _lines(data)
    points, places, faces, uses, libraries = _numbers_of(lines)
    has_colours = bool(points) and len(lines[points[0]].split()) >= _COLOURED_COLUMNS
    table = _table([lines[k] for k in points], 6 if has_colours else 3)
    corners, rows, skipped = _corners(lines, points, places, faces)
    names = {name: place for place, name in enumerate(dict.fromkeys(_rest(lines[k]) for k in uses))}
    used = np.array([NO_INDEX, *(names[_rest(lines[k])] for k in uses)], np.int64)
    return ObjContent(
        vertices=table[:, :3],
        colours=table[:, 3:] if has_colours else None,
        places=_table([lines[k] for k in places], 2),
        faces=corners[:, :, 0],
        face_places=corners[:, :, 1],
        materials=used[np.searchsorted(np.array(uses, np.int64), rows)],
        names=tuple(names),
        libraries=tuple(_rest(lines[k]) for k in libraries),
        skipped=skipped,
    )


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\\\n" in text:
        text = text.replace("\\\n", " ")
    text = text.replace("\t", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return [line.strip() for line in text.split("\n")]


def _numbers_of(lines: list[str]) -> tuple[list[int], ...]:
    """Numbers of the lines with points, texture coordinates, faces, the use of a material and names of libraries."""
    points, places, faces, uses, libraries = [], [], [], [], []
    for number, line in enumerate(lines):
        head = line[:2]
        if head == "v ":
            points.append(number)
        elif head == "f ":
            faces.append(number)
        elif head == "vt":
            places.append(number)
        elif head == "us" and line.startswith("usemtl "):
            uses.append(number)
        elif head == "mt" and line.startswith("mtllib "):
            libraries.append(number)
    return points, places, faces, uses, libraries


def _rest(line: str) -> str:
    return line.partition(" ")[2].strip()


def _table(lines: Sequence[str], columns: int) -> NDArray[np.float64]:
    """Numbers behind the first word of each line (n, columns); NaN where they are missing or none."""
    if not lines:
        return np.empty((0, columns))
    try:
        return np.loadtxt(lines, usecols=range(1, columns + 1), ndmin=2)
    except ValueError:
        return np.array([_row(line, columns) for line in lines])


def _row(line: str, columns: int) -> list[float]:
    row = []
    for word in line.partition("#")[0].split()[1 : columns + 1]:
        try:
            row.append(float(word))
        except ValueError:
            row.append(np.nan)
    return row + [np.nan] * (columns - len(row))


# ── faces ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _corners(
    lines: list[str], points: list[int], places: list[int], faces: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Triangles (F, 3, 2): point and texture coordinates of each corner, 0-based; the line (F,) of each; lines skipped.

    Lines of one shape are read at once, those without a clear one by themselves.
    """
    skipped = 0
    shapes: dict[tuple[int, int, bool], list[int]] = {}
    for number in faces:
        line = lines[number]
        shapes.setdefault((line.count(" "), line.count("/"), "//" in line), []).append(number)
    triangles = [np.empty((0, 3, 2), np.int64)]
    rows = [np.empty(0, np.int64)]
    for (spaces, slashes, _), numbers in shapes.items():
        polygons = _uniform([lines[k] for k in numbers], spaces, slashes)
        if polygons is not None:
            found = _triangulate_fans(_zero_based(polygons, numbers, points, places))
            triangles.append(found)
            rows.append(np.repeat(numbers, polygons.shape[1] - 2))
            continue
        for number in numbers:
            polygon = _polygon(lines[number])
            if polygon is None:
                skipped += 1
                continue
            found = _triangulate_fans(_zero_based(polygon[None], [number], points, places))
            triangles.append(found)
            rows.append(np.full(len(found), number))
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    return np.concatenate(triangles)[order], row[order], skipped


_DIGITS = {ord(digit): None for digit in "+-0123456789"}


def _uniform(lines: list[str], spaces: int, slashes: int) -> NDArray[np.int64] | None:
    """Polygons (n, corners, 2) of lines that all have one shape, as written; None where they have not.

    A missing second number is 0, which no corner is written as.
    """
    text = "\n".join(lines)
    corners = spaces
    if corners < 3 or slashes % corners or "#" in text:
        return None
    fields = slashes // corners + 1
    marks = text.translate(_DIGITS)
    if marks != "\n".join([f"f{(' ' + '/' * (fields - 1)) * corners}"] * len(lines)):
        return None  # corners of several shapes, which add up
    if "//" in text:
        if fields != 3:
            return None
        text = text.replace("//", "/0/")
    if fields > 3:
        return None
    columns = range(1, corners * fields + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of numbers that are no integers
            values = np.loadtxt(text.replace("/", " ").split("\n"), np.int64, usecols=columns, ndmin=2)
    except (ValueError, OverflowError, DeprecationWarning):
        return None
    polygons = values.reshape(len(lines), corners, fields)[:, :, :2]
    return polygons if fields > 1 else np.concatenate([polygons, np.zeros_like(polygons)], axis=2)


def _polygon(line: str) -> NDArray[np.int64] | None:
    """One polygon (corners, 2), as written; None where it has no three corners that can be understood."""
    corners = []
    for word in line.partition("#")[0].split()[1:]:
        first, _, rest = word.partition("/")
        second = rest.partition("/")[0]
        try:
            corners.append((int(first), int(second) if second else 0))
        except ValueError:
            return None
    if len(corners) < 3 or max(abs(number) for corner in corners for number in corner) >= 2**62:
        return None
    return np.array(corners, np.int64)


def _zero_based(
    polygons: NDArray[np.int64], numbers: Sequence[int], points: list[int], places: list[int]
) -> NDArray[np.int64]:
    """Polygons as places in tables; negative numbers count back from the last line before."""
    based = polygons - 1
    for column, before in enumerate((points, places)):
        written = polygons[:, :, column]
        if (written < 0).any():
            counts = np.array([bisect_right(before, number) for number in numbers], np.int64)
            based[:, :, column] = np.where(written < 0, counts[:, None] + written, based[:, :, column])
    missing = polygons[:, :, 1] == 0
    lost = (based[:, :, 1] < 0) & ~missing
    based[:, :, 1] = np.where(lost, len(places), based[:, :, 1])  # before the first: nowhere, but not missing
    return based


def _triangulate_fans(polygons: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles (n * (corners - 2), 3, 2) of polygons with equally many corners, those of one after the other."""
    count = polygons.shape[1] - 2
    fan = np.stack([np.zeros(count, int), np.arange(1, count + 1), np.arange(2, count + 2)], axis=1)
    triangles: NDArray[np.int64] = polygons[:, fan].reshape(-1, 3, 2)
    return triangles


_MIN_SATURATION = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour: greys are defaults."""


def read_obj(path: Path, data: bytes, neighbours: FileResolver) -> RawMesh:
    """The mesh of an OBJ file, painted as its materials say.

    A face with a picture shows that alone: many writers put black or grey beside it. Without a picture, colours behind
    the points come before those of materials.

    Raises
    ------
    FormatError
        It holds no point.
    """
    content = parse_obj(data)
    if len(content.vertices) == 0:
        raise FormatError(path, "holds no geometry")
    notes: list[str] = []
    if content.skipped:
        notes.append(f"{content.skipped} faces with fewer than three corners were left out")
    texture_set = TextureSet()
    materials = _materials(content, neighbours, notes)
    for material in materials:
        if material.picture:
            texture_set.open(material.picture, neighbours.get)
    texture_set.read()
    drawn = _build_mesh(content, materials, texture_set, notes)
    return RawMesh(drawn.vertices, drawn.faces, drawn.vertex_colours, None, [*notes, *drawn.notes], drawn.texture)


def _materials(content: ObjContent, neighbours: FileResolver, notes: list[str]) -> list[ObjMaterial]:
    """One for each name in the file, in their order; plain where nothing describes it."""
    if not content.names:
        return []
    known: dict[str, ObjMaterial] = {}
    for written in content.libraries:
        try:
            known |= parse_mtl(_decode_mtl(_library(written, neighbours)))
        except OSError:
            notes.append(f"the material file '{written}' is not beside the model")
    return [known.get(name, ObjMaterial()) for name in content.names]


def _library(written: str, neighbours: FileResolver) -> bytes:
    """The file that a line names: all of the line, or several names with spaces between."""
    try:
        return neighbours.get(written)
    except OSError:
        names = written.split()
        if len(names) < 2:
            raise
        return b"\n".join(neighbours.get(name) for name in names)


def _decode_mtl(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _build_mesh(
    content: ObjContent, materials: list[ObjMaterial], texture_set: TextureSet, notes: list[str]
) -> RawMesh:
    """The mesh, cut by materials where any of them shows."""
    pictures = np.array([*(texture_set.number(material.picture) for material in materials), NO_TEXTURE])
    colours = [None if content.colours is not None else _material_colour(material) for material in materials]
    if (pictures == NO_TEXTURE).all() and not any(colour is not None for colour in colours):
        return RawMesh(content.vertices, content.faces, content.colours, notes=texture_set.notes)
    faces = np.flatnonzero(valid_faces(content.faces, len(content.vertices), notes))
    material = content.materials[faces]
    bare = (content.face_places[faces] == NO_INDEX).any(axis=1)
    shown = np.where(bare, NO_TEXTURE, pictures[material])  # the last picture stands for no material
    parts = []
    for number, picture in np.unique(np.stack([material, shown], axis=1), axis=0):
        chosen = faces[(material == number) & (shown == picture)]
        if picture == NO_TEXTURE:
            parts.append(_untextured_part(content, chosen, None if number == NO_INDEX else colours[number]))
        else:
            parts.append(_textured_part(content, chosen, materials[number], int(picture)))
    if not parts:
        return RawMesh(content.vertices, content.faces[faces], content.colours, notes=texture_set.notes)
    return join_parts(parts, texture_set)


def _untextured_part(content: ObjContent, faces: NDArray[np.int64], colour: NDArray[np.float64] | None) -> MeshPart:
    """Faces in the colour of their material, or those of their points."""
    used, corners = np.unique(content.faces[faces], return_inverse=True)
    colours = None if colour is None else np.tile(colour, (len(used), 1))
    if content.colours is not None:
        colours = np.column_stack([scale_to_255(content.colours)[used], np.full(len(used), 255.0)])
    return MeshPart(content.vertices[used], corners.reshape(-1, 3), colours)


def _textured_part(content: ObjContent, faces: NDArray[np.int64], material: ObjMaterial, picture: int) -> MeshPart:
    """Faces with a picture; a point is split where it has several texture coordinates."""
    count = len(content.places)
    places = np.clip(content.face_places[faces], 0, count)  # `count` is nowhere
    pairs, corners = np.unique(content.faces[faces] * (count + 1) + places, return_inverse=True)
    points, spots = np.divmod(pairs, count + 1)
    table = np.concatenate([content.places, [[np.nan, np.nan]]])
    return MeshPart(
        content.vertices[points],
        corners.reshape(-1, 3),
        places=table[spots] * material.scale + material.offset,
        picture=picture,
    )


def _material_colour(material: ObjMaterial) -> NDArray[np.float64] | None:
    """(4,) in 0..255; None for greys, which say no more than clay."""
    if material.colour is None or max(material.colour) - min(material.colour) < _MIN_SATURATION / 255:
        return None
    return np.array([*(255 * share for share in material.colour), 255.0])
