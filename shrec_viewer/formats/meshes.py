"""Reads a mesh or point cloud of any common format into a Mesh, or says in a sentence why not."""

import bz2
import gzip
import io
import logging
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
from shrec_viewer.formats.neighbours import Neighbours
from shrec_viewer.formats.obj_materials import obj_content
from shrec_viewer.formats.off import OffContent, parse_off
from shrec_viewer.formats.parts import Part, clean, joined
from shrec_viewer.formats.threemf import parse_3mf

MESH_SUFFIXES = (".off", ".obj", ".ply", ".stl", ".glb", ".gltf", ".dae", ".3mf", ".xyz", ".zip")
"""What `read_mesh` knows; each also with ``.gz`` or ``.bz2`` behind it."""

_UNPACK: dict[str, Callable[[io.BytesIO], IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open}  # type: ignore[dict-item]

MOST_BYTES = 500_000_000
"""Of a file, unpacked; ten times the largest scan of any contest. Reading more takes minutes and several gigabytes."""

_STAND_IN = 2
"""Pixels of the grey square that trimesh puts in the place of a missing texture."""

_COLOURFUL = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour."""


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
    if suffix == ".off":
        return parse_off(path, data)
    if suffix == ".obj":  # trimesh loses pictures behind options, in other letter case, and corners counted backwards
        return obj_content(path, data)
    if suffix == ".3mf":  # trimesh needs lxml for it
        return _by_3mf(path, data)
    return _by_trimesh(path, data, suffix)


def _by_3mf(path: Path, data: bytes) -> OffContent:
    try:
        parts = [Part(vertices, faces) for vertices, faces in parse_3mf(data, MOST_BYTES)]
    except ValueError as error:
        raise FormatError(path, f"cannot be read as 3MF ({error})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    return joined(parts, Album())


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
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
        raise FormatError(path, f"holds more than {MOST_BYTES // 1_000_000} MB, which would take minutes to draw")
    return data


# ── what trimesh reads ───────────────────────────────────────────────────────────────────────────────────────────────


def _by_trimesh(path: Path, data: bytes, suffix: str) -> OffContent:
    import trimesh  # half a second where scipy is installed: only when a file needs it

    if suffix == ".zip":
        _refuse_bombs(path, data)
    album = Album()
    neighbours: Any = None if suffix == ".zip" else Neighbours(path)
    try:
        with _listening() as heard, warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            source = io.BytesIO(data)
            scene = trimesh.load_scene(source, suffix[1:], neighbours, process=False, maintain_order=True)
            geometries = _geometries(scene)
            parts = _parts(geometries, album)
    except Exception as error:  # trimesh and its helpers raise whatever they meet
        raise FormatError(path, f"cannot be read as {suffix[1:].upper()} ({_reason(error)})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    if heard.pictures and any(_lacks_picture(geometry) for geometry, _ in geometries):
        album.fail("", "cannot be found or read")
    return joined(parts, album)


def _refuse_bombs(path: Path, data: bytes) -> None:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            size = sum(info.file_size for info in archive.infolist())
    except (zipfile.BadZipFile, NotImplementedError, ValueError) as error:
        raise FormatError(path, f"cannot be unpacked ({error})") from error
    if size > MOST_BYTES:
        raise FormatError(path, f"holds more than {MOST_BYTES // 1_000_000} MB, which would take minutes to draw")


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


def _parts(geometries: list[_Placed], album: Album) -> list[Part]:
    """Each geometry of a trimesh scene, at its place."""
    for geometry, _ in geometries:
        if (picture := _picture(geometry)) is not None:
            album.add(_picture_key(geometry), "", picture, is_opaque=_is_opaque(geometry))
    album.read()
    parts = []
    for geometry, place in geometries:
        vertices = np.asarray(geometry.vertices, np.float64).reshape(len(geometry.vertices), -1)
        if vertices.shape[1] == 2:
            vertices = np.column_stack([vertices, np.zeros(len(vertices))])
        vertices = vertices @ place[:3, :3].T + place[:3, 3]
        faces = getattr(geometry, "faces", None)
        faces = np.empty((0, 3), np.int64) if faces is None else np.asarray(faces, np.int64).reshape(-1, 3)
        number = NO_PICTURE if _picture(geometry) is None else album.number(_picture_key(geometry))
        spots = None if number == NO_PICTURE else np.asarray(geometry.visual.uv, np.float64)
        parts.append(Part(vertices, faces, _colours(geometry, len(vertices), number), spots, number))
    return parts


# ── what lies upon them ──────────────────────────────────────────────────────────────────────────────────────────────


def _is_textured(geometry: Any) -> bool:
    visual = getattr(geometry, "visual", None)
    return visual is not None and visual.kind == "texture"


def _lacks_picture(geometry: Any) -> bool:
    return _is_textured(geometry) and geometry.visual.uv is not None and _picture(geometry) is None


def _picture(geometry: Any) -> Any:
    """The picture (Pillow's) upon a geometry, not yet read; None where it has none or does not say where it lies."""
    if not _is_textured(geometry) or np.shape(geometry.visual.uv) != (len(geometry.vertices), 2):
        return None
    material = geometry.visual.material
    pictures = (getattr(material, name, None) for name in ("image", "baseColorTexture"))
    picture = next((found for found in pictures if found is not None), None)
    # trimesh puts a small grey square in the place of a missing texture
    return None if picture is not None and max(picture.size) <= _STAND_IN and picture.format is None else picture


def _picture_key(geometry: Any) -> tuple[int, bool]:
    return id(_picture(geometry)), _is_opaque(geometry)


def _is_opaque(geometry: Any) -> bool:
    """Whether alpha means nothing, as in glTF unless it says otherwise."""
    material = geometry.visual.material
    return hasattr(material, "alphaMode") and material.alphaMode in (None, "OPAQUE")


def _colours(geometry: Any, count: int, picture: int) -> NDArray[np.float64] | None:
    """(V, 4) in 0..255 where the file paints its vertices, faces or material; None where it does not."""
    visual = getattr(geometry, "visual", None)
    try:
        if visual is None or not visual.defined:
            own = getattr(geometry, "colors", None)
        elif visual.kind != "texture":
            own = visual.vertex_colors
        elif picture == NO_PICTURE:
            own = _beside(visual) if "color" in visual.vertex_attributes else _plain(visual.material, count)
        else:
            own = _tint(visual, count)
        colours = None if own is None else np.asarray(own, np.float64)
    except Exception:  # colours of a kind that trimesh does not bring into shape
        return None
    if colours is None or colours.shape != (count, 4) or not np.isfinite(colours).all():
        return None
    return colours


def _beside(visual: Any) -> NDArray[np.float64]:
    """Colours (V, 4) of vertices that have a material as well."""
    from trimesh.visual.color import to_rgba

    return np.asarray(to_rgba(visual.vertex_attributes["color"]), np.float64)


def _tint(visual: Any, count: int) -> NDArray[np.float64] | None:
    """(V, 4) by which glTF has a picture multiplied: the factor of the material and the colours of the vertices."""
    factor = getattr(visual.material, "baseColorFactor", None)
    tint = np.full((count, 4), 255.0) if factor is None else np.tile(_encoded(np.asarray(factor)), (count, 1))
    if "color" in visual.vertex_attributes:
        tint = tint * _beside(visual) / 255.0
    return None if (tint[:, :3] >= 254.5).all() else tint


def _plain(material: Any, count: int) -> NDArray[np.float64] | None:
    """(V, 4) in the one colour of a material; None for greys, which say no more than clay and are often a default."""
    colour = np.asarray(material.main_color, np.float64)
    if hasattr(material, "baseColorFactor"):
        colour = _encoded(colour)
    if np.ptp(colour[:3]) < _COLOURFUL:
        return None
    return np.tile(colour, (count, 1))


def _encoded(colour: NDArray[Any]) -> NDArray[np.float64]:
    """A colour of glTF, which is linear light, as sRGB; both (4,) in 0..255."""
    share = np.asarray(colour, np.float64) / 255
    encoded: NDArray[np.float64] = np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1 / 2.4) - 0.055)
    return np.rint(255 * encoded)
