"""Reads a mesh or point cloud of any common format into a Mesh, or says in a sentence why not."""

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
from shrec_viewer.formats.album import NO_PICTURE, Album
from shrec_viewer.formats.gltf_maps import TextureMap, with_plain_maps
from shrec_viewer.formats.neighbours import Neighbourhood, Neighbours, PackedNeighbours
from shrec_viewer.formats.obj_materials import obj_content
from shrec_viewer.formats.off import OffContent, parse_off
from shrec_viewer.formats.parts import Part, clean, joined
from shrec_viewer.formats.threemf import parse_3mf
from shrec_viewer.formats.visuals import colours_of, is_opaque, lacks_picture, picture_key, picture_of

MESH_SUFFIXES = (".off", ".obj", ".ply", ".stl", ".glb", ".gltf", ".dae", ".3mf", ".xyz", ".zip")
"""What `read_mesh` knows; each also with ``.gz`` or ``.bz2`` behind it."""

_UNPACK: dict[str, Callable[[io.BytesIO], IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open}  # type: ignore[dict-item]

MOST_BYTES = 500_000_000
"""Of a file, unpacked; ten times the largest scan of any contest. Reading more takes minutes and several gigabytes."""


def read_mesh(path: Path) -> Mesh:
    """Vertices and triangles of a file, clean enough to draw.

    OFF is read by `parse_off`, OBJ by `obj_content`, 3MF by `parse_3mf`, everything else by trimesh. Several geometries
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
    data = _bytes(path)
    if suffixes and suffixes[-1] in _UNPACK:
        data = _unpacked(path, data, suffixes.pop())
    suffix = suffixes[-1] if suffixes else ""
    if suffix not in MESH_SUFFIXES:
        raise FormatError(path, f"is of no mesh format known here ('{suffix or path.name}')")
    if not data.strip():
        raise FormatError(path, "is an empty file")
    mesh = clean(_content(path, data, suffix))
    if mesh.is_empty:
        raise FormatError(path, "holds no point that could be drawn")
    return mesh


def _content(path: Path, data: bytes, suffix: str) -> OffContent:
    if suffix == ".zip":
        return _by_zip(path, data)
    return _by_name(path, data, suffix, Neighbours(path))


def _by_name(path: Path, data: bytes, suffix: str, neighbours: Neighbourhood) -> OffContent:
    if suffix == ".off":
        return parse_off(path, data)
    if suffix == ".obj":  # trimesh loses pictures behind options, in other letter case, and corners counted backwards
        return obj_content(path, data, neighbours)
    if suffix == ".3mf":  # trimesh needs lxml for it
        return _by_3mf(path, data)
    return _by_trimesh(path, data, suffix, neighbours)


def _by_zip(path: Path, data: bytes) -> OffContent:
    """The one model of an archive, with the files beside it there; of several, what trimesh makes of them."""
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [info for info in archive.infolist() if not info.is_dir() and "__MACOSX/" not in info.filename]
        if sum(info.file_size for info in members) > MOST_BYTES:
            raise _too_large(path)
        models = [info.filename for info in members if Path(info.filename).suffix.lower() in MESH_SUFFIXES[:-1]]
        if len(models) == 1:
            suffix = Path(models[0]).suffix.lower()
            return _by_name(path, archive.read(models[0]), suffix, PackedNeighbours(archive, models[0]))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, OSError, EOFError) as error:
        raise FormatError(path, f"cannot be unpacked ({error})") from error
    return _by_trimesh(path, data, ".zip", None)


def _by_3mf(path: Path, data: bytes) -> OffContent:
    album = Album()
    try:
        parts = parse_3mf(data, MOST_BYTES, album)
    except ValueError as error:
        raise FormatError(path, f"cannot be read as 3MF ({error})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    return joined(parts, album)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(min(MOST_BYTES, os.fstat(file.fileno()).st_size) + 1)  # room for no more than there is
    except OSError as error:
        raise FormatError(path, f"cannot be opened ({error.strerror or error})") from error
    return _bounded(path, data)


def _unpacked(path: Path, data: bytes, suffix: str) -> bytes:
    try:
        with _UNPACK[suffix](io.BytesIO(data)) as stream:
            return _bounded(path, stream.read(MOST_BYTES + 1))
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise FormatError(path, f"cannot be unpacked ({error})") from error


def _bounded(path: Path, data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise _too_large(path)
    return data


def _too_large(path: Path) -> FormatError:
    return FormatError(path, f"holds more than {MOST_BYTES // 1_000_000} MB, which would take minutes to draw")


# ── what trimesh reads ───────────────────────────────────────────────────────────────────────────────────────────────


def _by_trimesh(path: Path, data: bytes, suffix: str, neighbours: Neighbourhood | None) -> OffContent:
    import trimesh  # half a second where scipy is installed: only when a file needs it

    album = Album()
    maps: dict[str, TextureMap] = {}
    if suffix in (".glb", ".gltf"):
        data, maps = with_plain_maps(data)
    try:
        with _listening() as heard, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            source = io.BytesIO(data)
            resolver: Any = neighbours
            scene = trimesh.load_scene(source, suffix[1:], resolver, process=False, maintain_order=True)
            geometries = _geometries(scene)
            parts = _parts(geometries, album, maps)
    except Exception as error:  # trimesh and its helpers raise whatever they meet
        raise FormatError(path, f"cannot be read as {suffix[1:].upper()} ({_reason(error)})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    if heard.pictures and any(lacks_picture(geometry) for geometry, _ in geometries):
        album.fail("", "cannot be found or read")
    return joined(parts, album)


def _reason(error: Exception) -> str:
    return str(error).strip().split("\n")[0] or type(error).__name__


class _Heard(logging.Handler):
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
def _listening() -> Iterator[_Heard]:
    """Hears what trimesh would print, tracebacks for missing textures among it."""
    log, heard = logging.getLogger("trimesh"), _Heard()
    log.propagate = False
    log.setLevel(logging.DEBUG)
    log.addHandler(heard)
    try:
        yield heard
    finally:
        log.removeHandler(heard)
        log.setLevel(logging.CRITICAL)


_Placed = tuple[Any, NDArray[np.float64]]
"""A geometry of trimesh with the matrix (4, 4) of its place."""


def _geometries(scene: Any) -> list[_Placed]:
    placed = ((scene.geometry[scene.graph[node][1]], scene.graph[node][0]) for node in scene.graph.nodes_geometry)
    return [(geometry, place) for geometry, place in placed if len(geometry.vertices)]


def _parts(geometries: list[_Placed], album: Album, maps: dict[str, TextureMap]) -> list[Part]:
    """Each geometry of a trimesh scene, at its place.

    Parameters
    ----------
    maps : how materials move texture coordinates, by their names.
    """
    for geometry, _ in geometries:
        if (picture := picture_of(geometry)) is not None:
            album.add(picture_key(geometry), "", picture, is_opaque=is_opaque(geometry))
    album.read()
    parts = []
    for geometry, place in geometries:
        vertices = np.asarray(geometry.vertices, np.float64).reshape(len(geometry.vertices), -1)
        if vertices.shape[1] == 2:
            vertices = np.column_stack([vertices, np.zeros(len(vertices))])
        vertices = vertices @ place[:3, :3].T + place[:3, 3]
        faces = getattr(geometry, "faces", None)
        faces = np.empty((0, 3), np.int64) if faces is None else np.asarray(faces, np.int64).reshape(-1, 3)
        number = NO_PICTURE if picture_of(geometry) is None else album.number(picture_key(geometry))
        spots = None
        if number != NO_PICTURE:
            spots = maps.get(geometry.visual.material.name, TextureMap()).moved(np.asarray(geometry.visual.uv, float))
        parts.append(Part(vertices, faces, colours_of(geometry, len(vertices), number), spots, number))
    return parts
