"""Read a mesh or point cloud of any supported format, and why a damaged one cannot be drawn."""

import io
import re
import struct
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.io.archive import UNPACK_ERRORS
from shrec_viewer.formats.io.files import check_unpacked
from shrec_viewer.formats.io.limits import limit_error
from shrec_viewer.formats.io.text import read_bytes
from shrec_viewer.formats.meshes.obj import read_obj
from shrec_viewer.formats.meshes.off import read_off
from shrec_viewer.formats.meshes.parts import FAULTS, RawMesh, clean_mesh, join_meshes
from shrec_viewer.formats.meshes.resolver import MAX_MESH_BYTES, FolderResolver, MeshSource, ZipResolver
from shrec_viewer.formats.meshes.threemf import read_3mf
from shrec_viewer.formats.meshes.trimesh_scene import read_with_trimesh

#: Reader of each file name extension. A reader raises FormatError only.
MESH_READERS: Mapping[str, Callable[[MeshSource], RawMesh]] = {
    **{".off": read_off, ".obj": read_obj, ".3mf": read_3mf},
    **dict.fromkeys((".ply", ".stl", ".glb", ".gltf", ".dae", ".xyz"), read_with_trimesh),
}

#: Extensions that `read_mesh` accepts, also followed by ``.gz`` or ``.bz2``.
MESH_SUFFIXES = (*MESH_READERS, ".zip")

PACKED_SUFFIXES = (".gz", ".bz2")

#: Models of an archive that are drawn as one; assemblies of CAD systems have some tens of parts.
_MAX_MODELS = 100


def read_mesh(path: Path) -> Mesh:
    """Read the vertices and triangles of a file, ready to be drawn.

    The geometries of a scene are joined into one mesh. What cannot be drawn (vertices that are not finite, faces out
    of range, missing or damaged textures) is dropped and noted in `Mesh.notes`; a mesh without valid faces becomes a
    point cloud.

    Raises
    ------
    FormatError
        The file cannot be opened, has an unknown format, is damaged, or contains no vertex.
    """
    try:
        return _read_mesh(Path(path))
    except MemoryError as error:
        raise FormatError(path, "needs more memory than there is") from error


def _read_mesh(path: Path) -> Mesh:
    name = path.with_suffix("") if path.suffix.lower() in PACKED_SUFFIXES else path
    data, suffix = read_bytes(path, MAX_MESH_BYTES), name.suffix.lower()
    if suffix not in MESH_SUFFIXES:
        raise FormatError(path, f"is not of a supported mesh format ('{suffix or path.name}')")
    if not data.strip():
        raise FormatError(path, "is an empty file")
    if suffix == ".zip":
        content = _read_zip(path, data)
    else:
        content = MESH_READERS[suffix](MeshSource(path, suffix, data, FolderResolver(path)))
    mesh = clean_mesh(content)
    if mesh.is_empty:
        raise FormatError(path, "contains no vertex that can be drawn")
    return mesh


def _read_zip(path: Path, data: bytes) -> RawMesh:
    """Read the models of an archive with their companion files, and join them; damaged ones of several are noted.

    Each one is read by the reader of its format, not by trimesh, which would drop damaged models silently, expand
    scenes of any size, and read the archives inside.
    """
    contents: list[RawMesh] = []
    failures: list[str] = []
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = [info for info in archive.infolist() if not info.is_dir() and "__MACOSX/" not in info.filename]
        check_unpacked(path, len(data), sum(info.file_size for info in members), MAX_MESH_BYTES)
        models = [info.filename for info in members if Path(info.filename).suffix.lower() in MESH_READERS]
        if len(models) > _MAX_MODELS:
            raise FormatError(path, f"contains more than {_MAX_MODELS} models, which cannot be drawn as one")
        for model in models:
            suffix = Path(model).suffix.lower()
            source = MeshSource(path, suffix, archive.read(model), ZipResolver(archive, model))
            try:
                contents.append(MESH_READERS[suffix](source))
            except FormatError as error:
                if len(models) == 1:
                    raise
                failures.append(f"'{model}' in the archive was ignored: it {error.reason}")
    except (*UNPACK_ERRORS, OSError) as error:
        raise FormatError(path, f"cannot be unpacked ({error})") from error
    if not contents:
        raise FormatError(path, failures[0] if failures else "contains no model")
    if sum(content.vertices.nbytes + content.faces.nbytes for content in contents) > MAX_MESH_BYTES:
        raise limit_error(MAX_MESH_BYTES, "bytes of vertices and faces", path)
    return join_meshes(contents, failures)


def find_mesh_fault(path: Path) -> str:
    """Why a mesh cannot be drawn as declared; "" for a mesh without such a fault.

    It is read as a whole, so that the message is that of drawing it, which takes 15 ms per megabyte of a regular OFF
    file. Compressed meshes are not checked, and missing textures are no fault.
    """
    suffix = path.suffix.lower()
    if suffix not in MESH_READERS:
        return (
            "" if suffix in (*PACKED_SUFFIXES, *MESH_SUFFIXES) else f"has the format '{suffix}', which cannot be drawn"
        )
    try:
        notes = read_mesh(path).notes
    except FormatError as error:
        return error.reason
    return next((note for note in notes if any(fault in note for fault in FAULTS)), "")


#: Size of the largest file that is read, 40,000 faces: a third of a second.
MAX_BYTES = 4_000_000

#: Formats whose meshes are not larger than their files.
PLAIN_SUFFIXES = (".off", ".obj", ".ply", ".stl")


def box_sides(path: Path) -> NDArray[np.float64] | None:
    """(3,) sides along x, y and z; None for a flat mesh, and for a file that is large, compressed or cannot be read.

    Examples
    --------
    >>> box_sides(Path("no file.off")) is None
    True
    """
    try:
        if path.suffix.lower() not in PLAIN_SUFFIXES or path.stat().st_size > MAX_BYTES:
            return None
        sides = np.ptp(read_mesh(path).vertices.astype(np.float64), axis=0)
    except (OSError, FormatError):
        return None
    return sides if (sides > 0).all() else None


#: Part of a file that is read; headers are shorter.
HEAD_BYTES = 4096

_OFF = re.compile(rb"\s*(?:ST)?C?N?OFF\s*\d+\s+(\d+)", re.IGNORECASE)
_PLY = re.compile(rb"^element\s+face\s+(\d+)\s*$", re.MULTILINE)
_COMMENTS = re.compile(rb"#[^\n]*")

#: Bytes before the faces of a binary STL file, and of each face.
_STL_HEAD, _STL_FACE = 84, 50


def face_count(path: Path) -> int | None:
    """Number of faces that an OFF, PLY or binary STL file announces; None for other files, and without one.

    Examples
    --------
    >>> face_count(Path("no file.off")) is None
    True
    """
    try:
        with path.open("rb") as file:
            head, size = file.read(HEAD_BYTES), path.stat().st_size
    except OSError:
        return None
    suffix, found = path.suffix.lower(), None
    if suffix == ".off":
        found = _OFF.match(_COMMENTS.sub(b"", head))
    elif suffix == ".ply" and head.startswith(b"ply"):
        found = _PLY.search(head.replace(b"\r", b"\n"))
    elif suffix == ".stl" and len(head) >= _STL_HEAD:
        (count,) = struct.unpack_from("<I", head, _STL_HEAD - 4)
        return int(count) if size == _STL_HEAD + _STL_FACE * count else None
    return None if found is None or len(found[1]) > 9 else int(found[1])
