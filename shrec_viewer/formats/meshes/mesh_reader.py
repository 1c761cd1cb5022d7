"""Read a mesh or point cloud of any supported format, and why a damaged one cannot be drawn."""

import bz2
import gzip
import io
import os
import zipfile
import zlib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import IO

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.io.archive import UNPACK_ERRORS
from shrec_viewer.formats.io.files import MAX_RATIO, UNCHECKED_BYTES, check_regular_file, read_unchanged
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

_DECOMPRESSORS: dict[str, Callable[[io.BytesIO], IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open}  # type: ignore[dict-item]


#: Bytes that are unpacked at a time.
_CHUNK_BYTES = 2**22


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
    suffixes = [suffix.lower() for suffix in path.suffixes]
    data = read_unchanged(path, partial(_read_bytes, path))
    if suffixes and suffixes[-1] in _DECOMPRESSORS:
        data = _decompress(path, data, suffixes.pop())
    suffix = suffixes[-1] if suffixes else ""
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
        n_bytes = sum(info.file_size for info in members)
        if n_bytes > MAX_MESH_BYTES:
            raise _too_large(path)
        if n_bytes > _max_unpacked(data):
            raise _beyond_ratio(path, n_bytes)
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
        raise _too_large(path)
    return join_meshes(contents, failures)


def _read_bytes(path: Path) -> bytes:
    try:
        check_regular_file(path)  # opening a pipe would block
        with path.open("rb") as file:
            # No more than the size of the file: read(n) allocates n bytes at once.
            data = file.read(min(MAX_MESH_BYTES, os.fstat(file.fileno()).st_size) + 1)
    except OSError as error:
        raise FormatError(path, f"cannot be opened ({error.strerror or error})") from error
    if len(data) > MAX_MESH_BYTES:
        raise _too_large(path)
    return data


def _decompress(path: Path, data: bytes, suffix: str) -> bytes:
    try:
        # Read in pieces: `read(n)` allocates n bytes at once.
        with _DECOMPRESSORS[suffix](io.BytesIO(data)) as stream:
            chunks, n_bytes = [], 0
            while chunk := stream.read(_CHUNK_BYTES):
                chunks.append(chunk)
                n_bytes += len(chunk)
                if n_bytes > _max_unpacked(data):
                    raise _too_large(path) if n_bytes > MAX_MESH_BYTES else _beyond_ratio(path, n_bytes)
            return b"".join(chunks)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise FormatError(path, f"cannot be unpacked ({error})") from error


def _max_unpacked(data: bytes) -> int:
    return min(MAX_MESH_BYTES, max(UNCHECKED_BYTES, MAX_RATIO * len(data)))


def _beyond_ratio(path: Path, n_bytes: int) -> FormatError:
    return FormatError(path, f"would unpack to {n_bytes / 2**20:.0f} MiB or more, beyond the decompression limit")


def _too_large(path: Path) -> FormatError:
    return FormatError(path, f"contains more than {MAX_MESH_BYTES // 1_000_000} MB, which takes minutes to draw")


def find_mesh_fault(path: Path) -> str:
    """Why a mesh cannot be drawn as declared; "" for a mesh without such a fault.

    It is read as a whole, so that the message is that of drawing it, which takes 15 ms per megabyte of a regular OFF
    file. Compressed meshes are not checked, and missing textures are no fault.
    """
    suffix = path.suffix.lower()
    if suffix not in MESH_READERS:
        is_compressed = suffix in (".gz", ".bz2") or suffix in MESH_SUFFIXES
        return "" if is_compressed else f"has the format '{suffix}', which cannot be drawn"
    try:
        check_regular_file(path)
        notes = read_mesh(path).notes
    except FormatError as error:
        return error.reason
    except OSError as error:
        return f"cannot be opened ({error.strerror or error})"
    return next((note for note in notes if any(fault in note for fault in FAULTS)), "")
