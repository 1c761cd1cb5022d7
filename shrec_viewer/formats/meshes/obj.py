"""Read Wavefront OBJ files with their MTL materials and textures."""

import re
import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.meshes.images import TextureSet
from shrec_viewer.formats.meshes.parts import (
    MIN_SATURATION,
    RawMesh,
    join_meshes,
    scale_to_255,
    textured_mesh,
    triangle_fan,
    valid_faces,
)
from shrec_viewer.formats.meshes.resolver import FileResolver, MeshSource

# Compared with trimesh 5.2.0 (figures of one run): the 30 OBJ files of meshes_odd give the same triangles and take
# about the same time (1 million faces: 1.5 to 4.6 s here, 1.5 to 4.6 s there), but trimesh loses the vertex colours of
# quadknot.obj and does not report the missing material files of eight. It fails 28 tests: corners counted
# backwards within the vertices, faces whose corners differ in form, texture options (-s, -o, -mm), several material
# files, and the limits of texture size. With `maintain_order` it fails on negative_indices.obj and loses texture seams.

#: Options before the name of a texture and the maximum number of their arguments (specification of 1995).
_OPTIONS = {
    **dict.fromkeys(("-blendu", "-blendv", "-boost", "-texres", "-clamp", "-imfchan", "-bm", "-cc", "-type"), 1),
    "-mm": 2,
    "-o": 3,
    "-s": 3,
    "-t": 3,
}


@dataclass
class ObjMaterial:
    """Colour and texture of a material.

    Attributes
    ----------
    colour : ``Kd``, sRGB in 0..1, or None.
    texture : file name of ``map_Kd`` as written, or "".
    scale, offset : options ``-s`` and ``-o``: the texture is sampled at ``scale * uv + offset``.
    """

    colour: tuple[float, float, float] | None = None
    texture: str = ""
    scale: tuple[float, float] = (1.0, 1.0)
    offset: tuple[float, float] = (0.0, 0.0)


def parse_mtl(text: str) -> dict[str, ObjMaterial]:
    """Materials by name; invalid lines and other properties are ignored."""
    materials: dict[str, ObjMaterial] = {}
    current = ObjMaterial()  # collects properties before the first name
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
    except ValueError:  # a spectral curve, stored in a separate file
        return None
    values *= 3 if len(values) == 1 else 1
    if len(values) != 3 or not all(isfinite(value) for value in values):
        return None
    red, green, blue = (min(max(value, 0.0), 1.0) for value in values)
    return red, green, blue


def _parse_texture_map(material: ObjMaterial, rest: str) -> None:
    """Parse the options and the name of ``map_Kd``; names may contain spaces."""
    words = rest.split(" ")
    while words and words[0].lower() in _OPTIONS:
        option, words = words[0].lower(), words[1:]
        values, words = _values(words, _OPTIONS[option])
        if option == "-s" and values:
            material.scale = (values[0], values[1] if len(values) > 1 else 1.0)
        elif option == "-o" and values:
            material.offset = (values[0], values[1] if len(values) > 1 else 0.0)
    material.texture = " ".join(words).strip()


def _values(words: list[str], max_count: int) -> tuple[list[float], list[str]]:
    """Arguments of an option, 0 for those that are not numbers, and the remaining words.

    Options with three arguments need only the first; the first word that is not a number ends them.
    """
    values: list[float] = []
    while words and len(values) < max_count:
        try:
            values.append(float(words[0]))
        except ValueError:
            if values or max_count == 3:
                break
            values.append(0.0)
        words = words[1:]
    return values, words


#: Index of missing texture coordinates of a corner, or of a missing material of a face.
NO_INDEX = -1

#: Words of a line ``v x y z r g b``; a shorter line has at most a weight.
_COLOURED_COLUMNS = 7


@dataclass(frozen=True, eq=False)
class ObjContent:
    """Contents of an OBJ file before validation.

    Attributes
    ----------
    mesh : vertices, NaN for invalid lines; faces; colours (V, 3), NaN for vertices without colour.
    uv : (T, 2) float64, texture coordinates; NaN for invalid lines.
    face_uv : (F, 3) int64, 0-based indices into `uv`, `NO_INDEX` for corners without; may be out of range.
    materials : (F,) int64, indices into `names`, or `NO_INDEX`.
    names : names of the materials in use.
    libraries : names of the material files.
    skipped : number of faces with fewer than three valid corners.
    """

    mesh: RawMesh
    uv: NDArray[np.float64]
    face_uv: NDArray[np.int64]
    materials: NDArray[np.int64]
    names: tuple[str, ...]
    libraries: tuple[str, ...]
    skipped: int = 0


def parse_obj(data: bytes) -> ObjContent:
    """Parse vertices, texture coordinates, faces and materials; other lines and invalid ones are ignored.

    An invalid vertex keeps its index, so that later indices stay correct. Negative indices count backwards from the
    line of the face; a backslash continues a line of numbers. Never raises.
    """
    lines = _lines(data)
    points, coordinates, faces, uses, libraries = _line_numbers(lines)
    has_colours = bool(points) and len(lines[points[0]].split()) >= _COLOURED_COLUMNS
    table = _table([lines[k] for k in points], 6 if has_colours else 3)
    corners, rows, skipped = _corners(lines, points, coordinates, faces)
    names = {name: index for index, name in enumerate(dict.fromkeys(_rest(lines[k]) for k in uses))}
    used = np.array([NO_INDEX, *(names[_rest(lines[k])] for k in uses)], np.int64)
    mesh = RawMesh(
        vertices=table[:, :3],
        faces=corners[:, :, 0],
        vertex_colours=table[:, 3:] if has_colours else None,
        source_face=np.searchsorted(np.array(faces, np.int64), rows),
        source_counts=(len(points), len(faces)),
    )
    return ObjContent(
        mesh=mesh,
        uv=_table([lines[k] for k in coordinates], 2),
        face_uv=corners[:, :, 1],
        materials=used[np.searchsorted(np.array(uses, np.int64), rows)],
        names=tuple(names),
        libraries=tuple(_rest(lines[k]) for k in libraries),
        skipped=skipped,
    )


_CONTINUATION = re.compile(r"\\[ \t]*\n")
#: Lines of numbers that continue; names of materials and comments may end in a backslash as well.
_CONTINUED = re.compile(r"^[ \t]*(?:v[tn]?|f)[ \t](?:[^\n#]*\\[ \t]*\n)+", re.MULTILINE)


def _lines(data: bytes) -> list[str]:
    text = _decode(data).replace("\r\n", "\n").replace("\r", "\n")
    if "\\" in text:
        text = _CONTINUED.sub(lambda found: _CONTINUATION.sub(" ", found[0]), text)
    text = text.replace("\t", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return [line.strip() for line in text.split("\n")]


def _line_numbers(lines: list[str]) -> tuple[list[int], ...]:
    """0-based line numbers of vertices, texture coordinates, faces, ``usemtl`` and ``mtllib``."""
    numbers: dict[str, list[int]] = {"v": [], "vt": [], "f": [], "usemtl": [], "mtllib": []}
    for number, line in enumerate(lines):
        key, _, rest = line.partition(" ")
        if rest and key in numbers:
            numbers[key].append(number)
    return tuple(numbers.values())


def _rest(line: str) -> str:
    return line.partition(" ")[2].strip()


def _table(lines: Sequence[str], columns: int) -> NDArray[np.float64]:
    """Numbers after the first word of each line, (n, columns); NaN for missing or invalid ones."""
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


# faces -----------------------------------------------------------------------------------------------------------


def _corners(
    lines: list[str], points: list[int], coordinates: list[int], faces: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Vertex and texture coordinate indices of triangles (F, 3, 2), 0-based; the line (F,) of each; skipped lines.

    Lines with equally many spaces and slashes are parsed together, irregular ones one by one.
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
            found = _triangles(polygons, numbers, points, coordinates)
            triangles.append(found)
            rows.append(np.repeat(numbers, polygons.shape[1] - 2))
            continue
        for number in numbers:
            polygon = _polygon(lines[number])
            if polygon is None:
                skipped += 1
                continue
            found = _triangles(polygon[None], [number], points, coordinates)
            triangles.append(found)
            rows.append(np.full(len(found), number))
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    return np.concatenate(triangles)[order], row[order], skipped


_DIGITS = {ord(digit): None for digit in "+-0123456789"}


def _uniform(lines: list[str], spaces: int, slashes: int) -> NDArray[np.int64] | None:
    """Indices (n, corners, 2) as written, for lines of the same form; None for others.

    A missing second index is 0, which is not a valid index.
    """
    text = "\n".join(lines)
    corners = spaces
    if corners < 3 or slashes % corners or "#" in text:
        return None
    fields = slashes // corners + 1
    marks = text.translate(_DIGITS)
    if marks != "\n".join([f"f{(' ' + '/' * (fields - 1)) * corners}"] * len(lines)):
        return None  # corners of different forms whose counts agree
    if "//" in text:
        if fields != 3:
            return None
        text = text.replace("//", "/0/")
    if fields > 3:
        return None
    columns = range(1, corners * fields + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # about numbers that are not integers
            values = np.loadtxt(text.replace("/", " ").split("\n"), np.int64, usecols=columns, ndmin=2)
    except (ValueError, OverflowError, DeprecationWarning):
        return None
    polygons = values.reshape(len(lines), corners, fields)[:, :, :2]
    return polygons if fields > 1 else np.concatenate([polygons, np.zeros_like(polygons)], axis=2)


def _polygon(line: str) -> NDArray[np.int64] | None:
    """Indices (corners, 2) of one polygon as written; None without three valid corners."""
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


def _triangles(
    polygons: NDArray[np.int64], numbers: Sequence[int], points: list[int], coordinates: list[int]
) -> NDArray[np.int64]:
    """Triangles (n * (corners - 2), 3, 2) of polygons with equally many corners, in order, and 0-based indices.

    Negative indices count backwards from the line of the face.
    """
    based = polygons - 1
    for column, before in enumerate((points, coordinates)):
        written = polygons[:, :, column]
        if (written < 0).any():
            counts = np.array([bisect_right(before, number) for number in numbers], np.int64)
            based[:, :, column] = np.where(written < 0, counts[:, None] + written, based[:, :, column])
    missing = polygons[:, :, 1] == 0
    is_invalid = (based[:, :, 1] < 0) & ~missing
    based[:, :, 1] = np.where(is_invalid, len(coordinates), based[:, :, 1])  # out of range, not `NO_INDEX`
    return based[:, triangle_fan(polygons.shape[1])].reshape(-1, 3, 2)


def read_obj(source: MeshSource) -> RawMesh:
    """Read the mesh with the colours and textures of its materials.

    A texture replaces the colour of its material, which many exporters write as black or grey. Colours of vertices
    take precedence over those of materials.

    Raises
    ------
    FormatError
        It contains no vertex.
    """
    resolver = source.resolver
    content = parse_obj(source.data)
    if len(content.mesh.vertices) == 0:
        raise FormatError(source.path, "contains no geometry")
    notes: list[str] = []
    if content.skipped:
        notes.append(f"{content.skipped} faces with fewer than three corners were ignored")
    texture_set = TextureSet()
    materials = _materials(content, resolver, notes)
    for material in materials:
        if material.texture:
            texture_set.open(material.texture, resolver.get)
    texture_set.read()
    mesh = _build_mesh(content, materials, texture_set, notes)
    return replace(mesh, notes=[*notes, *mesh.notes])


def _materials(content: ObjContent, resolver: FileResolver, notes: list[str]) -> list[ObjMaterial]:
    """Material of each name, without colour and texture if it is not defined."""
    if not content.names:
        return []
    known: dict[str, ObjMaterial] = {}
    parsed: set[bytes] = set()
    for library in dict.fromkeys(content.libraries):
        try:
            data = _read_library(library, resolver)
            if data not in parsed:  # a file can have any number of names, such as a.mtl, ./a.mtl and ././a.mtl
                parsed.add(data)
                known |= parse_mtl(_decode(data))
        except OSError:
            notes.append(f"material file '{library}' was not found in the folder of the model")
        except ValueError as error:
            notes.append(f"material file '{library}' cannot be read ({error})")
    return [known.get(name, ObjMaterial()) for name in content.names]


def _read_library(library: str, resolver: FileResolver) -> bytes:
    """Contents of a ``mtllib`` line: one name, which may contain spaces, or several names."""
    try:
        return resolver.get(library)
    except OSError:
        names = library.split()
        if len(names) < 2:
            raise
        return b"\n".join(resolver.get(name) for name in names)


def _decode(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _build_mesh(
    content: ObjContent, materials: list[ObjMaterial], texture_set: TextureSet, notes: list[str]
) -> RawMesh:
    """The mesh, split by material if a material has a colour or texture."""
    images = [texture_set.get(material.texture) for material in materials]
    colours = [
        None if content.mesh.vertex_colours is not None else _material_colour(material) for material in materials
    ]
    mesh = replace(content.mesh, notes=texture_set.notes)
    if all(image is None for image in images) and all(colour is None for colour in colours):
        return mesh
    faces = np.flatnonzero(valid_faces(mesh.faces, len(mesh.vertices), notes))
    if not len(faces):
        return replace(mesh, faces=mesh.faces[faces], source_face=faces)
    if mesh.vertex_colours is not None:
        content = replace(content, mesh=replace(mesh, vertex_colours=scale_to_255(mesh.vertex_colours)))
    material = content.materials[faces]
    # The last element serves faces without material, whose index is -1.
    is_textured = np.array([*(image is not None for image in images), False])[material]
    is_textured &= (content.face_uv[faces] != NO_INDEX).all(axis=1)
    parts = []
    kinds, kind_of_face = np.unique(2 * material + is_textured, return_inverse=True)
    order = np.argsort(kind_of_face, kind="stable")
    ends = np.cumsum(np.bincount(kind_of_face))[:-1]
    for kind, selected in zip(kinds.tolist(), np.split(faces[order], ends), strict=True):
        image = images[kind // 2] if kind % 2 else None
        if image is None:
            parts.append(_untextured_part(content.mesh, selected, None if kind < 0 else colours[kind // 2]))
        else:
            parts.append(_textured_part(content, selected, materials[kind // 2], image))
    joined = join_meshes(parts, texture_set.notes)
    return replace(joined, source_counts=mesh.source_counts, has_source=True)


def _untextured_part(mesh: RawMesh, faces: NDArray[np.int64], colour: NDArray[np.float64] | None) -> RawMesh:
    """Faces with vertex colours, or the colour of their material."""
    used, corners = np.unique(mesh.faces[faces], return_inverse=True)
    colours = None if colour is None else np.tile(colour, (len(used), 1))
    if mesh.vertex_colours is not None:
        colours = np.column_stack([mesh.vertex_colours[used], np.full(len(used), 255.0)])
    index = None if mesh.source_face is None else mesh.source_face[faces]
    return RawMesh(mesh.vertices[used], corners.reshape(-1, 3), colours, source_vertex=used, source_face=index)


def _textured_part(
    content: ObjContent, faces: NDArray[np.int64], material: ObjMaterial, image: NDArray[np.uint8]
) -> RawMesh:
    """Faces with a texture; vertices with several texture coordinates are duplicated."""
    count = len(content.uv)
    table = np.concatenate([content.uv, [[np.nan, np.nan]]])
    uv = np.clip(content.face_uv[faces], 0, count)  # `count`: out of range
    pairs, corners = np.unique(content.mesh.faces[faces] * (count + 1) + uv, return_inverse=True)
    points, coordinates = np.divmod(pairs, count + 1)
    uv_of_points = table[coordinates] * material.scale + material.offset
    part = textured_mesh(content.mesh.vertices[points], corners.reshape(-1, 3), None, uv_of_points, image)
    index = None if content.mesh.source_face is None else content.mesh.source_face[faces]
    return replace(part, source_vertex=points, source_face=index)


def _material_colour(material: ObjMaterial) -> NDArray[np.float64] | None:
    """Colour (4,) in 0..255; None for grey, the default of many exporters."""
    if material.colour is None or max(material.colour) - min(material.colour) < MIN_SATURATION / 255:
        return None
    return np.array([*(255 * channel for channel in material.colour), 255.0])
