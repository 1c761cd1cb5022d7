"""What a picture depends on: the content of its file, the camera, the style and the renderer."""

from collections.abc import Iterable
from hashlib import blake2b
from os.path import abspath
from pathlib import Path
from stat import S_ISREG

from shrec_viewer.render.cache import ThumbnailCache
from shrec_viewer.render.renderer import RENDERER_VERSION
from shrec_viewer.render.thumbnail import ThumbnailRequest

_DIGEST = 16
"""Bytes of a key; among 10**9 pictures two share one by chance once in 10**20 collections."""

_CHUNK = 1 << 20
"""Bytes read at once."""

_HEAD = 4096
"""Bytes in which a PLY file names its texture, if it has one."""

_COMPANIONS = frozenset({".obj", ".gltf", ".dae"})
"""Formats whose look also depends on files beside them, so that the same content elsewhere may look different."""


def place_of(path: Path) -> bytes | None:
    """Digest of where a file is, how long and how old: as long as that is the same, so is its content.

    Of an OBJ file also how old the materials of the same name are; pictures that change alone are not noticed. None
    while the file cannot be seen, and for what is no file: reading a pipe would never end. Costs no reading.
    """
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    if not S_ISREG(status.st_mode):
        return None
    known: tuple[object, ...] = (abspath(path), status.st_size, status.st_mtime_ns)
    if path.suffix.lower() == ".obj":
        known = (*known, _age(path.with_suffix(".mtl")))
    return _digest(repr(known).encode())


def _age(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except (OSError, ValueError):
        return 0


def content_of(path: Path, place: bytes) -> bytes | None:
    """Digest of what stands in a file; None where it cannot be read. A copy elsewhere has the same.

    Parameters
    ----------
    place : see `place_of`; tells apart files whose look depends on their neighbours.
    """
    digest = blake2b(digest_size=_DIGEST)
    if path.suffix.lower() in _COMPANIONS:
        digest.update(place)
    try:
        with path.open("rb") as file:
            chunk = file.read(_CHUNK)
            if path.suffix.lower() == ".ply" and b"texturefile" in chunk[:_HEAD].lower():
                digest.update(place)
            while chunk:
                digest.update(chunk)
                chunk = file.read(_CHUNK)
    except OSError:
        return None
    return digest.digest()


def picture_key(request: ThumbnailRequest, content: bytes) -> bytes:
    """Key of the picture that a request asks for of a file with this content."""
    suffix = request.path.suffix.lower()  # the same bytes are another mesh under another name
    parts = (content, suffix, RENDERER_VERSION, request.size, request.camera, request.style)
    return _digest(repr(parts).encode())


def picture_keys(batch: Iterable[ThumbnailRequest], cache: ThumbnailCache) -> dict[ThumbnailRequest, bytes | None]:
    """Key of each picture, None for files that cannot be read; digests of files seen before come from the cache."""
    places = {request: place_of(request.path) for request in batch}
    contents = cache.contents({place for place in places.values() if place is not None})
    new: dict[bytes, bytes] = {}
    keys: dict[ThumbnailRequest, bytes | None] = {}
    for request, place in places.items():
        content = None if place is None else contents.get(place) or new.get(place)
        if content is None and place is not None:
            content = content_of(request.path, place)
            if content is not None:
                new[place] = content
        keys[request] = None if content is None else picture_key(request, content)
    cache.put_contents(new)
    return keys


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()
