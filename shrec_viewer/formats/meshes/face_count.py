"""Number of faces of a mesh from the head of its file, without reading the mesh."""

import re
import struct
from pathlib import Path

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
