"""Read a mesh or point cloud of any supported format into a Mesh."""

import bz2
import gzip
import io
import logging
import os
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.meshes.images import NO_TEXTURE, TextureSet
from shrec_viewer.formats.meshes.obj import read_obj
from shrec_viewer.formats.meshes.off import RawMesh, parse_off
from shrec_viewer.formats.meshes.parts import MeshPart, clean_mesh, join_parts
from shrec_viewer.formats.meshes.resolver import FileResolver, FolderResolver, ZipResolver
from shrec_viewer.formats.meshes.threemf import parse_3mf
from shrec_viewer.formats.meshes.trimesh_materials import (
    TextureTransform,
    extract_texture_transforms,
    is_opaque,
    lacks_texture,
    texture_key,
    texture_of,
    vertex_colours_of,
)

MESH_SUFFIXES = (".off", ".obj", ".ply", ".stl", ".glb", ".gltf", ".dae", ".3mf", ".xyz", ".zip")
"""What `read_mesh` knows; each also with ``.gz`` or ``.bz2`` behind it."""

_DECOMPRESSORS: dict[str, Callable[[io.BytesIO], IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open}  # type: ignore[dict-item]

MAX_MESH_BYTES = 500_000_000
"""Of a file, unpacked; ten times the largest scan of any contest. Reading more takes minutes and several gigabytes."""


def read_mesh(path: Path) -> Mesh:
    """Vertices and triangles of a file, clean enough to draw.

    OFF is read by `parse_off`, OBJ by `read_obj`, 3MF by `parse_3mf`, everything else by trimesh. Several geometries
    of one scene become one mesh, each at its place and with its picture. What cannot be drawn (corners that are not
    numbers, faces that point nowhere, pictures that are missing or damaged) is left out and named in `Mesh.notes`; a
    mesh whose faces all vanish so becomes a point cloud.

    Raises
    ------
    FormatError
        The file cannot be opened, is of no known format, is damaged beyond use or holds no point at all.
    """
    path = Path(path)
    suffixes = [suffix.lower() for suffix in path.suffixes]
    data = _read_bytes(path)
    if suffixes and suffixes[-1] in _DECOMPRESSORS:
        data = _decompress(path, data, suffixes.pop())
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in MESH_SUFFIXES:
        raise FormatError(path, f"is of no mesh format known here ('{suffix or path.name}')")
    if not data.strip():
        raise FormatError(path, "is an empty file")
    mesh = clean_mesh(_read_content(path, data, suffix))
    if mesh.is_empty:
        raise FormatError(path, "holds no point that could be drawn")
    return mesh


def _read_content(path: Path, data: bytes, suffix: str) -> RawMesh:
    if suffix == ".zip":
        return _read_zip(path, data)
    return _read_by_suffix(path, data, suffix, FolderResolver(path))


def _read_by_suffix(path: Path, data: bytes, suffix: str, neighbours: FileResolver) -> RawMesh:
    if suffix == ".off":
        return parse_off(path, data)
    if suffix == ".obj":  # trimesh loses pictures behind options, in other letter case, and corners counted backwards
        return read_obj(path, data, neighbours)
    if suffix == ".3mf":  # trimesh needs lxml for it
        return _read_3mf(path, data)
    return _read_with_trimesh(path, data, suffix, neighbours)


def _read_zip(path: Path, data: bytes) -> RawMesh:
    """The one model of an archive, with the files beside it there; of several, what trimesh makes of them."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [info for info in archive.infolist() if not info.is_dir() and "__MACOSX/" not in info.filename]
        if sum(info.file_size for info in members) > MAX_MESH_BYTES:
            raise _too_large(path)
        models = [info.filename for info in members if Path(info.filename).suffix.lower() in MESH_SUFFIXES[:-1]]
        if len(models) == 1:
            suffix = Path(models[0]).suffix.lower()
            return _read_by_suffix(path, archive.read(models[0]), suffix, ZipResolver(archive, models[0]))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise FormatError(path, f"cannot be unpacked ({error})") from error
    return _read_with_trimesh(path, data, ".zip", None)


def _read_3mf(path: Path, data: bytes) -> RawMesh:
    texture_set = TextureSet()
    try:
        parts = parse_3mf(data, MAX_MESH_BYTES, texture_set)
    except ValueError as error:
        raise FormatError(path, f"cannot be read as 3MF ({error})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    return join_parts(parts, texture_set)


def _read_bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(min(MAX_MESH_BYTES, os.fstat(file.fileno()).st_size) + 1)  # room for no more than there is
    except OSError as error:
        raise FormatError(path, f"cannot be opened ({error.strerror or error})") from error
    return _check_size(path, data)


def _decompress(path: Path, data: bytes, suffix: str) -> bytes:
    try:
        with _DECOMPRESSORS[suffix](io.BytesIO(data)) as stream:
            return _check_size(path, stream.read(MAX_MESH_BYTES + 1))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise FormatError(path, f"cannot be unpacked ({error})") from error


def _check_size(path: Path, data: bytes) -> bytes:
    if len(data) > MAX_MESH_BYTES:
        raise _too_large(path)
    return data


def _too_large(path: Path) -> FormatError:
    return FormatError(path, f"holds more than {MAX_MESH_BYTES // 1_000_000} MB, which would take minutes to draw")


# ── what trimesh reads ───────────────────────────────────────────────────────────────────────────────────────────────


def _read_with_trimesh(path: Path, data: bytes, suffix: str, neighbours: FileResolver | None) -> RawMesh:
    import trimesh  # half a second where scipy is installed: only when a file needs it

    texture_set = TextureSet()
    maps: dict[str, TextureTransform] = {}
    if suffix in (".glb", ".gltf"):
        data, maps = extract_texture_transforms(data)
    try:
        with _capture_trimesh_log() as heard, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            source = io.BytesIO(data)
            resolver: Any = neighbours
            scene = trimesh.load_scene(source, suffix[1:], resolver, process=False, maintain_order=True)
            geometries = _geometries(scene)
            parts = _parts(geometries, texture_set, maps)
    except Exception as error:  # trimesh and its helpers raise whatever they meet
        raise FormatError(path, f"cannot be read as {suffix[1:].upper()} ({_first_line(error)})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    if heard.pictures and any(lacks_texture(geometry) for geometry, _ in geometries):
        texture_set.fail("", "cannot be found or read")
    return join_parts(parts, texture_set)


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0] or type(error).__name__


class _TrimeshLogHandler(logging.Handler):
    """What trimesh says of pictures, as it goes on without them.

    Attributes
    ----------
    pictures : how many it could not load.
    """

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.pictures = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Count a complaint; nothing is printed."""
        self.pictures += any(word in str(record.msg) for word in ("image", "base texture"))


@contextmanager
def _capture_trimesh_log() -> Iterator[_TrimeshLogHandler]:
    """Hears what trimesh would print, tracebacks for missing textures among it."""
    log, heard = logging.getLogger("trimesh"), _TrimeshLogHandler()
    log.propagate = False
    log.setLevel(logging.DEBUG)
    log.addHandler(heard)
    try:
        yield heard
    finally:
        log.removeHandler(heard)
        log.setLevel(logging.CRITICAL)


_PlacedGeometry = tuple[Any, NDArray[np.float64]]
"""A geometry of trimesh with the matrix (4, 4) of its place."""


def _geometries(scene: Any) -> list[_PlacedGeometry]:
    placed = ((scene.geometry[scene.graph[node][1]], scene.graph[node][0]) for node in scene.graph.nodes_geometry)
    return [(geometry, place) for geometry, place in placed if len(geometry.vertices)]


def _parts(
    geometries: list[_PlacedGeometry], texture_set: TextureSet, maps: dict[str, TextureTransform]
) -> list[MeshPart]:
    """Each geometry of a trimesh scene, at its place.

    Parameters
    ----------
    maps : how materials move texture coordinates, by their names.
    """
    for geometry, _ in geometries:
        if (picture := texture_of(geometry)) is not None:
            texture_set.add(texture_key(geometry), "", picture, is_opaque=is_opaque(geometry))
    texture_set.read()
    parts = []
    for geometry, place in geometries:
        vertices = np.asarray(geometry.vertices, np.float64).reshape(len(geometry.vertices), -1)
        if vertices.shape[1] == 2:
            vertices = np.column_stack([vertices, np.zeros(len(vertices))])
        vertices = vertices @ place[:3, :3].T + place[:3, 3]
        faces = getattr(geometry, "faces", None)
        faces = np.empty((0, 3), np.int64) if faces is None else np.asarray(faces, np.int64).reshape(-1, 3)
        number = NO_TEXTURE if texture_of(geometry) is None else texture_set.number(texture_key(geometry))
        spots = None
        if number != NO_TEXTURE:
            spots = maps.get(geometry.visual.material.name, TextureTransform()).moved(
                np.asarray(geometry.visual.uv, float)
            )
        parts.append(MeshPart(vertices, faces, vertex_colours_of(geometry, len(vertices), number), spots, number))
    return parts
