"""Find truncated and damaged meshes by their headers and sizes, without building the meshes."""

import re
import struct
from pathlib import Path

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.io.compressed import check_regular_file
from shrec_viewer.formats.meshes.mesh_reader import MESH_READERS, MESH_SUFFIXES, read_mesh

HEADER_BYTES = 4096
"""Bytes at the beginning of a file that contain its header; headers of scans have comments."""

TAIL_BYTES = 1024
"""Bytes at the end of a file that contain the last tag of an XML document."""

STL_HEADER_BYTES, STL_TRIANGLE_BYTES = 84, 50

_OFF_COUNTS = re.compile(rb"\s*(?:ST)?C?N?4?n?OFF\s*(?:#[^\n]*\n\s*)*([0-9]+)\s+([0-9]+)", re.IGNORECASE)
_PLY_COUNT = re.compile(rb"^element\s+\S+\s+([0-9]+)", re.MULTILINE)


def find_mesh_fault(path: Path) -> str:
    """Why a mesh cannot be drawn as declared; "" for a mesh whose header agrees with its size.

    A mesh that seems to be incomplete is read as a whole, so that the message is that of drawing it. Compressed meshes
    are not checked.
    """
    suffix = path.suffix.lower()
    try:
        if suffix not in MESH_READERS:
            is_compressed = suffix in (".gz", ".bz2") or suffix in MESH_SUFFIXES
            return "" if is_compressed else f"has the format '{suffix}', which cannot be drawn"
        check_regular_file(path)
        if _is_complete(path, suffix):
            return ""
        notes = read_mesh(path).notes
    except FormatError as error:
        return error.reason
    except OSError as error:
        return f"cannot be opened ({error.strerror or error})"
    return next(iter(notes), "")


def _is_complete(path: Path, suffix: str) -> bool:
    """Whether the counts in the header fit the size of the file; True for formats without counts."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(HEADER_BYTES)
        if not head.strip():
            return False
        if suffix == ".off":
            counts = _OFF_COUNTS.match(head)
            if counts is None:
                return False
            n_header_lines = 1 + head[: counts.end()].count(b"\n")
            if _count_lines(path) - n_header_lines < sum(map(int, counts.groups())):
                return False
            file.seek(max(0, size - TAIL_BYTES))
            return _is_whole_face(file.read().split(b"\n")[-1])
        if suffix == ".ply":
            end = head.find(b"end_header")
            n_elements = sum(map(int, _PLY_COUNT.findall(head)))
            lines = _count_lines(path) if b"format ascii" in head else size - end
            return end >= 0 and lines >= n_elements
        if suffix == ".stl" and not head.lstrip().startswith(b"solid"):
            n_triangles = struct.unpack("<I", head[80:84])[0] if len(head) >= STL_HEADER_BYTES else size
            return size >= STL_HEADER_BYTES + STL_TRIANGLE_BYTES * n_triangles
        if suffix == ".glb":
            return len(head) >= 12 and head[:4] == b"glTF" and struct.unpack("<I", head[8:12])[0] <= size
        if suffix in (".dae", ".gltf", ".3mf"):
            file.seek(max(0, size - TAIL_BYTES))
            last = {".dae": b"</COLLADA>", ".gltf": b"}", ".3mf": b"PK\x05\x06"}[suffix]
            return last in file.read()
    return True


def _is_whole_face(line: bytes) -> bool:
    """Whether the last line of an OFF file, after the last line end, is empty or has all its vertices."""
    words = line.split()
    return not words or (words[0].isdigit() and len(words) > int(words[0]))


def _count_lines(path: Path) -> int:
    """Number of lines of a text, which a truncated file has too few of; the whole file is read, not parsed."""
    n_lines, last = 0, b"\n"
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            n_lines += block.count(b"\n")
            last = block[-1:]
    return n_lines + (last != b"\n")
