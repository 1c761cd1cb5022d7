"""Read PLY, STL, glTF, COLLADA and other meshes with trimesh, including their materials and glTF texture transforms."""

import io
import json
import logging
import os
import struct
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from logging.handlers import BufferingHandler
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import MeshValues
from shrec_viewer.formats.meshes.images import TextureSet
from shrec_viewer.formats.meshes.instances import JSON_CHUNK, MeshLimitError, check_dae, check_gltf, gltf_text
from shrec_viewer.formats.meshes.parts import MIN_SATURATION, RawMesh, join_meshes, textured_mesh
from shrec_viewer.formats.meshes.ply import Polygons, with_equal_lists
from shrec_viewer.formats.meshes.resolver import MeshSource


def read_with_trimesh(source: MeshSource) -> RawMesh:
    """Read all geometries of a file in scene coordinates.

    Raises
    ------
    FormatError
        If trimesh cannot read the file, or it contains no geometry.
    """
    import trimesh  # imported when needed, as it takes 0.5 s if scipy is installed

    data, file_type = source.data, source.suffix[1:]
    notes: list[str] = []
    polygons: Polygons | None = None
    texture_set = TextureSet()
    transforms: dict[str, TextureTransform] = {}
    try:
        if file_type in ("glb", "gltf"):
            check_gltf(data, source.resolver.get)
            data, transforms = extract_texture_transforms(data)
        elif file_type == "dae":
            check_dae(data)
        elif file_type == "stl":
            data = _with_count_of_triangles(data, notes)
        elif file_type == "ply":  # trimesh makes a path of edges, without the faces, for which it needs scipy
            data, polygons = with_equal_lists(data.replace(b"\nelement edge ", b"\nelement unread_edge ", 1))
        with _capture_trimesh_log() as log, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            any_resolver: Any = source.resolver
            # Without these options trimesh merges, reorders and drops vertices.
            scene = trimesh.load_scene(io.BytesIO(data), file_type, any_resolver, process=False, maintain_order=True)
            geometries = _geometries(scene)
            parts = _parts(geometries, texture_set, transforms)
            parts = parts if polygons is None else [_with_polygons(part, polygons) for part in parts]
    except MeshLimitError as error:
        raise FormatError(source.path, f"cannot be read as {file_type.upper()} ({error})") from error
    except Exception as error:  # trimesh and the packages it uses raise any type on damaged files
        raise FormatError(source.path, f"cannot be read as {file_type.upper()} ({_reason(error)})") from error
    if not parts:
        raise FormatError(source.path, "contains no geometry")
    lacks_images = any(text in str(record.msg) for record in log for text in ("image", "base texture"))
    if lacks_images and any(_lacks_texture(geometry) for geometry, _ in geometries):
        texture_set.add_failure("", "was not found or cannot be read")
    mesh = join_meshes(parts, [*notes, *texture_set.notes])
    # pycollada repeats the vertices of each triangle, and does not say which they were
    return replace(mesh, has_source=mesh.has_source and file_type != "dae")


def _reason(error: Exception) -> str:
    """What is missing, or wrong in the file; texts of libraries are about their own code."""
    if isinstance(error, ImportError):
        is_of_extra = (error.name or "").split(".")[0] in ("collada", "networkx")
        return "it needs the extra 'meshes': pip install 'shrec-viewer[meshes]'" if is_of_extra else DAMAGED
    if isinstance(error, OSError) and error.filename:
        return f"it refers to '{os.path.basename(error.filename)}', which cannot be opened"
    return "it needs more memory than there is" if isinstance(error, MemoryError) else DAMAGED


DAMAGED = "it is damaged or truncated: its data do not agree with what its header declares"

_STL_HEADER_BYTES, _STL_TRIANGLE_BYTES = 84, 50


def _with_count_of_triangles(data: bytes, notes: list[str]) -> bytes:
    """A binary STL file with the count of the triangles that it contains, and nothing after them.

    trimesh reads a file whose size does not agree with its count as text. Text contains no zero bytes.

    Raises
    ------
    MeshLimitError
        The count is larger.
    """
    n_declared, n_bytes = int.from_bytes(data[80:84], "little"), len(data) - _STL_HEADER_BYTES
    if n_bytes < _STL_TRIANGLE_BYTES or b"\0" not in data or n_bytes == n_declared * _STL_TRIANGLE_BYTES:
        return data
    n_found, n_more = divmod(n_bytes, _STL_TRIANGLE_BYTES)
    if n_declared > n_found:
        raise MeshLimitError(f"it declares {n_declared:,} triangles but contains {n_found:,}: it may be truncated")
    n_triangles = n_declared if n_more and n_declared else n_found
    if n_triangles != n_declared:
        notes.append(f"declares {n_declared:,} triangles but contains {n_triangles:,}")
    end = _STL_HEADER_BYTES + n_triangles * _STL_TRIANGLE_BYTES
    return data[:80] + n_triangles.to_bytes(4, "little") + data[_STL_HEADER_BYTES:end]


def _faces_of_strips(geometry: Any) -> NDArray[np.int64]:
    """Faces (F, 3) of the element ``tristrips`` of a PLY file, in which negative indices begin another strip."""
    data = geometry.metadata.get("_ply_raw", {}).get("tristrips", {}).get("data")
    if data is None:
        return np.empty((0, 3), np.int64)
    lists = data if isinstance(data, dict) else {name: data[name]["f1"] for name in data.dtype.names}
    faces = [np.empty((0, 3), np.int64)]
    for row in next(iter(lists.values())):
        indices = np.asarray(row, np.int64).ravel()
        for strip in np.split(indices, np.flatnonzero(indices < 0)):
            corners = strip[strip >= 0]
            found = np.stack([corners[:-2], corners[1:-1], corners[2:]], axis=1) if len(corners) > 2 else faces[0]
            found[1::2] = found[1::2, [1, 0, 2]]  # every second triangle is in the other direction
            faces.append(found[(found != np.roll(found, 1, axis=1)).all(axis=1)])
    return np.concatenate(faces)


@contextmanager
def _capture_trimesh_log() -> Iterator[list[logging.LogRecord]]:
    """Keep messages of trimesh, such as tracebacks for missing images, off standard error, and collect them.

    trimesh 5.2 replaces an image that it cannot load by a grey square and reports that only in its log.
    """
    log, handler = logging.getLogger("trimesh"), BufferingHandler(sys.maxsize)
    log.propagate = False
    log.setLevel(logging.DEBUG)
    log.addHandler(handler)
    try:
        yield handler.buffer
    finally:
        log.removeHandler(handler)
        log.setLevel(logging.CRITICAL)


#: Geometry of trimesh and its transform (4, 4) to scene coordinates.
_PlacedGeometry = tuple[Any, NDArray[np.float64]]


def _geometries(scene: Any) -> list[_PlacedGeometry]:
    placed = ((scene.geometry[scene.graph[node][1]], scene.graph[node][0]) for node in scene.graph.nodes_geometry)
    return [(geometry, transform) for geometry, transform in placed if len(geometry.vertices)]


def _parts(
    geometries: list[_PlacedGeometry], texture_set: TextureSet, transforms: "dict[str, TextureTransform]"
) -> list[RawMesh]:
    """Geometries in scene coordinates.

    Parameters
    ----------
    transforms : texture transform of each material, by its name.
    """
    for geometry, _ in geometries:
        if (image := _texture_image(geometry)) is not None:
            texture_set.add(_texture_key(geometry), "", image, is_opaque=_is_opaque(geometry))
    texture_set.read()
    parts = []
    for geometry, transform in geometries:
        vertices = np.asarray(geometry.vertices, np.float64).reshape(len(geometry.vertices), -1)
        if vertices.shape[1] == 2:
            vertices = np.column_stack([vertices, np.zeros(len(vertices))])
        vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
        faces = getattr(geometry, "faces", None)
        faces = _faces_of_strips(geometry) if faces is None else np.asarray(faces, np.int64).reshape(-1, 3)
        image = None if _texture_image(geometry) is None else texture_set.get(_texture_key(geometry))
        colours = _vertex_colours(geometry, len(vertices), has_texture=image is not None)
        if image is None:
            part = RawMesh(vertices, faces, colours)
        else:
            texture_transform = transforms.get(geometry.visual.material.name, TextureTransform())
            uv = texture_transform.apply(np.asarray(geometry.visual.uv, float))
            part = textured_mesh(vertices, faces, colours, uv, image)
        if "_ply_raw" in geometry.metadata:
            part = _with_ply_values(part, geometry.metadata["_ply_raw"])
        else:
            values = _attribute_values(getattr(geometry, "vertex_attributes", {}), len(vertices))
            part = replace(part, values=values)
        parts.append(part)
    return parts


# values ------------------------------------------------------------------------------------------------------------

#: Properties of PLY files that are no quantities: position, normal, colour and texture coordinates.
_GEOMETRY_PROPERTIES = {
    *("x", "y", "z", "nx", "ny", "nz", "red", "green", "blue", "alpha", "diffuse_red", "diffuse_green"),
    *("diffuse_blue", "diffuse_alpha", "texture_u", "texture_v", "u", "v", "s", "t", "texnumber"),
}

#: Components of an attribute that are shown; matrices have more.
_MAX_COMPONENTS = 4


def _with_ply_values(part: RawMesh, elements: Mapping[str, Any]) -> RawMesh:
    """A part with its index in the file, which trimesh drops, and the properties of its vertices and polygons.

    trimesh 5.2 takes triangles first, then both halves of quadrilaterals, then the fans of larger polygons, and
    duplicates vertices at the seams of a texture.
    """
    from trimesh.geometry import triangulate_quads

    n_vertices, n_polygons = (int(elements.get(name, {}).get("length", 0)) for name in ("vertex", "face"))
    vertex, face = np.arange(len(part.vertices)), np.arange(len(part.faces))
    lists = dict(_columns(elements, "face", is_list=True))
    polygons = next((lists[name] for name in ("vertex_index", "vertex_indices", *lists) if name in lists), None)
    if polygons is not None:
        shape = np.shape(polygons)
        sizes = np.full(*shape) if len(shape) == 2 else np.array([np.size(polygon) for polygon in polygons])
        large = np.flatnonzero(sizes > 4)
        halves = np.tile(np.flatnonzero(sizes == 4), 2)
        face = np.concatenate([np.flatnonzero(sizes == 3), halves, np.repeat(large, sizes[large] - 2)])
        written = triangulate_quads(polygons)
        if written.shape == part.faces.shape and not np.array_equal(written, part.faces):
            vertex = np.zeros(len(part.vertices), np.int64)
            vertex[part.faces.ravel()] = written.ravel()
    elif not n_polygons:  # strips
        n_polygons = len(face)
    if len(face) != len(part.faces) or vertex.max() >= n_vertices or face.max(initial=-1) >= n_polygons:
        return replace(part, has_source=False)
    indices: dict[Literal["vertex", "face"], NDArray[np.int64]] = {"vertex": vertex, "face": face}
    values = [
        MeshValues(name, place, _as_numbers(column)[index])
        for place, index in indices.items()
        for name, column in _columns(elements, place)
        if name.lower() not in _GEOMETRY_PROPERTIES
    ]
    counts = n_vertices, n_polygons
    return replace(part, source_vertex=vertex, source_face=face, source_counts=counts, values=tuple(values))


def _with_polygons(part: RawMesh, polygons: Polygons) -> RawMesh:
    """A part of triangles into which polygons were cut, with the indices of these."""
    if part.source_face is None or part.source_counts is None:
        return part
    counts = part.source_counts[0], polygons.count
    return replace(part, source_face=polygons.of_triangle[part.source_face], source_counts=counts)


def _columns(elements: Mapping[str, Any], element: str, *, is_list: bool = False) -> Iterator[tuple[str, NDArray[Any]]]:
    """Name and column of each property of an element of a PLY file that is a list, or a number."""
    content = elements.get(element, {})
    data, n_rows = content.get("data"), content.get("length", 0)
    for name, kind in content.get("properties", {}).items():
        if data is None or ("," in kind) != is_list or not (name in data if isinstance(data, dict) else True):
            continue
        column = data[name]["f1"] if is_list and not isinstance(data, dict) else np.asarray(data[name])
        if n_rows and len(column) == n_rows and (is_list or column.size == n_rows):
            yield name, column if is_list else column.reshape(n_rows)


def _attribute_values(attributes: Mapping[str, Any], n_vertices: int) -> tuple[MeshValues, ...]:
    """Attributes ``_NAME`` of glTF, without the underscore; those of vectors by component: ``NAME[0]``, ``NAME[1]``."""
    values = []
    for key, attribute in attributes.items():
        table = np.asarray(attribute)
        if table.dtype.kind not in "fiu" or len(table) != n_vertices or not key.startswith("_"):
            continue
        table = table.reshape(n_vertices, -1)
        names = [key[1:]] if table.shape[1] == 1 else [f"{key[1:]}[{k}]" for k in range(table.shape[1])]
        if len(names) <= _MAX_COMPONENTS:
            values += [
                MeshValues(name, "vertex", _as_numbers(column)) for name, column in zip(names, table.T, strict=True)
            ]
    return tuple(values)


def _as_numbers(column: NDArray[Any]) -> NDArray[np.float32]:
    """As float32, with NaN for what is not finite there."""
    with np.errstate(over="ignore"):
        numbers = column.astype(np.float32)
    return np.where(np.isfinite(numbers), numbers, np.float32(np.nan))


# glTF texture transforms -------------------------------------------------------------------------------------------

_TEXTURE_TRANSFORM = "KHR_texture_transform"


@dataclass(frozen=True)
class TextureTransform:
    """`KHR_texture_transform` of a material: texture coordinates are scaled, rotated, then translated.

    Attributes
    ----------
    offset, scale : in units of the image size, v downwards.
    rotation : radians.
    """

    offset: tuple[float, float] = (0.0, 0.0)
    scale: tuple[float, float] = (1.0, 1.0)
    rotation: float = 0.0

    def apply(self, uv: NDArray[np.float64]) -> NDArray[np.float64]:
        """Transformed texture coordinates (V, 2), v upwards before and after."""
        u, v = uv[:, 0] * self.scale[0], (1 - uv[:, 1]) * self.scale[1]
        cosine, sine = np.cos(self.rotation), np.sin(self.rotation)
        across, down = cosine * u + sine * v + self.offset[0], cosine * v - sine * u + self.offset[1]
        return np.stack([across, 1 - down], axis=1)


def extract_texture_transforms(data: bytes) -> tuple[bytes, dict[str, TextureTransform]]:
    """Work around what trimesh 5.2 ignores in glTF materials: `KHR_texture_transform` and ``texCoord``.

    Parameters
    ----------
    data : content of a GLB or GLTF file.

    Returns
    -------
    data : the same file with renamed materials, and the texture coordinates in use as ``TEXCOORD_0``. Files without
        these features, and damaged ones, are returned unchanged.
    transforms : texture transform of each material, by its new name.
    """
    text = gltf_text(data)
    if _TEXTURE_TRANSFORM.encode() not in text and b'"texCoord"' not in text:
        return data, {}
    try:
        document = json.loads(text)
        transforms = _rewrite_materials(document)
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return data, {}
    json_chunk = json.dumps(document).encode()
    if text is data:
        return json_chunk, transforms
    json_chunk += b" " * (-len(json_chunk) % 4)
    other_chunks = data[20 + len(text) :]
    return struct.pack(
        "<4sIIII", b"glTF", 2, 20 + len(json_chunk) + len(other_chunks), len(json_chunk), JSON_CHUNK
    ) + json_chunk + other_chunks, transforms


def _rewrite_materials(document: Any) -> dict[str, TextureTransform]:
    transforms, coordinate_sets = {}, {}
    for index, material in enumerate(document.get("materials", [])):
        info = material.get("pbrMetallicRoughness", {}).get("baseColorTexture", {})
        extension = info.get("extensions", {}).get(_TEXTURE_TRANSFORM, {})
        material["name"] = f"material {index}"
        offset, scale = extension.get("offset", (0, 0)), extension.get("scale", (1, 1))
        transforms[material["name"]] = TextureTransform(
            (float(offset[0]), float(offset[1])),
            (float(scale[0]), float(scale[1])),
            float(extension.get("rotation", 0)),
        )
        coordinate_sets[index] = int(extension.get("texCoord", info.get("texCoord", 0)))
    for mesh in document.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            coordinate_set = coordinate_sets.get(primitive.get("material"), 0)
            attributes = primitive.get("attributes", {})
            if coordinate_set and f"TEXCOORD_{coordinate_set}" in attributes:
                attributes["TEXCOORD_0"] = attributes[f"TEXCOORD_{coordinate_set}"]
    return transforms


# materials ---------------------------------------------------------------------------------------------------------


#: Side of the grey square by which trimesh replaces a missing texture.
_PLACEHOLDER_SIDE = 2


def _is_textured(geometry: Any) -> bool:
    visual = getattr(geometry, "visual", None)
    return visual is not None and visual.kind == "texture"


def _lacks_texture(geometry: Any) -> bool:
    """Whether a geometry has texture coordinates but no image."""
    return _is_textured(geometry) and geometry.visual.uv is not None and _texture_image(geometry) is None


def _texture_image(geometry: Any) -> Any:
    """Image (Pillow's) of a geometry, not decoded yet; None without image or texture coordinates."""
    if not _is_textured(geometry) or np.shape(geometry.visual.uv) != (len(geometry.vertices), 2):
        return None
    material = geometry.visual.material
    images = (getattr(material, name, None) for name in ("image", "baseColorTexture"))
    image = next((found for found in images if found is not None), None)
    is_placeholder = image is not None and max(image.size) <= _PLACEHOLDER_SIDE and image.format is None
    return None if is_placeholder else image


def _texture_key(geometry: Any) -> tuple[int, bool]:
    """Identifies the image of a geometry."""
    return id(_texture_image(geometry)), _is_opaque(geometry)


def _is_opaque(geometry: Any) -> bool:
    """Whether alpha is ignored: the default of glTF."""
    material = geometry.visual.material
    return hasattr(material, "alphaMode") and material.alphaMode in (None, "OPAQUE")


def _vertex_colours(geometry: Any, count: int, *, has_texture: bool) -> NDArray[np.float64] | None:
    """Vertex colours (V, 4) in 0..255 from vertices, faces or the material; None without colours."""
    visual = getattr(geometry, "visual", None)
    try:
        if visual is None or not visual.defined:
            raw = getattr(geometry, "colors", None)
        elif visual.kind != "texture":
            raw = visual.vertex_colors
        elif not has_texture:
            raw = (
                _vertex_attribute_colours(visual)
                if "color" in visual.vertex_attributes
                else _material_colours(visual.material, count)
            )
        else:
            raw = _texture_tint(visual, count)
        colours = None if raw is None else np.asarray(raw, np.float64)
    except Exception:  # trimesh fails on colours of unexpected shape or type
        return None
    if colours is None or colours.shape != (count, 4) or not np.isfinite(colours).all():
        return None
    return colours


def _vertex_attribute_colours(visual: Any) -> NDArray[np.float64]:
    """Colours (V, 4) in 0..255 of vertices that also have a material."""
    raw = np.asarray(visual.vertex_attributes["color"])
    full = np.iinfo(raw.dtype).max if raw.dtype.kind in "ui" else 1.0
    colours = np.full((len(raw), 4), 255.0)
    colours[:, : raw.shape[1]] = raw * (255.0 / full)
    return colours


def _texture_tint(visual: Any, count: int) -> NDArray[np.float64] | None:
    """Factors (V, 4) in 0..255 of a glTF texture: `baseColorFactor` times the vertex colours; None for white."""
    factor = getattr(visual.material, "baseColorFactor", None)
    tint = np.full((count, 4), 255.0) if factor is None else np.tile(_linear_to_srgb(np.asarray(factor)), (count, 1))
    if "color" in visual.vertex_attributes:
        tint = tint * _vertex_attribute_colours(visual) / 255.0
    return None if (tint[:, :3] >= 254.5).all() else tint


def _material_colours(material: Any, count: int) -> NDArray[np.float64] | None:
    """Vertex colours (V, 4) of a material; None for a grey one, which is the default of many exporters."""
    colour = np.asarray(material.main_color, np.float64)
    if hasattr(material, "baseColorFactor"):
        colour = _linear_to_srgb(colour)
    if np.ptp(colour[:3]) < MIN_SATURATION:
        return None
    return np.tile(colour, (count, 1))


def _linear_to_srgb(colour: NDArray[Any]) -> NDArray[np.float64]:
    """Convert linear light (glTF) to sRGB; both (4,) in 0..255."""
    linear = np.asarray(colour, np.float64) / 255
    encoded: NDArray[np.float64] = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.rint(255 * encoded)
