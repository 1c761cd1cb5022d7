"""Reads a mesh or point cloud of any common format into a Mesh, or says in a sentence why not."""

import bz2
import gzip
import io
import logging
import warnings
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.domain.mesh import Mesh
from shrec_viewer.formats.obj import counts_backwards, parse_obj
from shrec_viewer.formats.off import OffContent, parse_off
from shrec_viewer.formats.threemf import parse_3mf

MESH_SUFFIXES = (".off", ".obj", ".ply", ".stl", ".glb", ".gltf", ".dae", ".3mf", ".xyz", ".zip")
"""What `read_mesh` knows; each also with ``.gz`` or ``.bz2`` behind it."""

_UNPACK: dict[str, Callable[[io.BytesIO], IO[bytes]]] = {".gz": gzip.open, ".bz2": bz2.open}  # type: ignore[dict-item]

MOST_BYTES = 500_000_000
"""Of a file, unpacked; ten times the largest scan of any contest. Reading more takes minutes and several gigabytes."""

_FAR_AWAY = 1e3
"""Extents between a mesh and the origin beyond which float32 leaves fewer than 1:16,000 of its size: it is moved."""

_STAND_IN = 2
"""Pixels of the grey square that trimesh puts in the place of a missing texture."""

_COLOURFUL = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour."""


def read_mesh(path: Path) -> Mesh:
    """Vertices and triangles of a file, clean enough to draw.

    OFF is read by `parse_off`, 3MF by `parse_3mf`, everything else by trimesh. Several geometries of one scene become
    one mesh, each at its place. What cannot be drawn (corners that are not numbers, faces that point nowhere) is left
    out and named in `Mesh.notes`; a mesh whose faces all vanish so becomes a point cloud.

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
    mesh = _clean(_content(path, data, suffix))
    if mesh.is_empty:
        raise FormatError(path, "holds no point that could be drawn")
    return mesh


def _content(path: Path, data: bytes, suffix: str) -> OffContent:
    if suffix == ".off":
        return parse_off(path, data)
    if suffix == ".obj" and counts_backwards(data):  # trimesh takes such corners for others without a word
        return OffContent(*parse_obj(data))
    if suffix == ".3mf":  # trimesh needs lxml for it
        return _by_3mf(path, data)
    return _by_trimesh(path, data, suffix)


def _by_3mf(path: Path, data: bytes) -> OffContent:
    try:
        parts: list[_Part] = [(vertices, faces, None) for vertices, faces in parse_3mf(data, MOST_BYTES)]
    except ValueError as error:
        raise FormatError(path, f"cannot be read as 3MF ({error})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    return _joined(parts)


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

    logging.getLogger("trimesh").setLevel(logging.CRITICAL)  # it prints tracebacks for textures that are missing
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            # A file beside others finds its materials and buffers only by its own path.
            source: Any = str(path) if path.suffix.lower() == suffix else io.BytesIO(data)
            scene = trimesh.load_scene(source, file_type=suffix[1:], process=False, maintain_order=True)
            parts = _parts(scene)
    except Exception as error:  # trimesh and its helpers raise whatever they meet
        if suffix == ".obj":
            vertices, faces = parse_obj(data)
            if len(vertices):
                return OffContent(vertices, faces, notes=[f"only its geometry could be read ({_reason(error)})"])
        raise FormatError(path, f"cannot be read as {suffix[1:].upper()} ({_reason(error)})") from error
    if not parts:
        raise FormatError(path, "holds no geometry")
    return _joined(parts)


def _reason(error: Exception) -> str:
    return str(error).strip().split("\n")[0] or type(error).__name__


_Part = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64] | None]


def _parts(scene: Any) -> list[_Part]:
    """Vertices, faces and colours of each geometry of a trimesh scene, at its place."""
    parts: list[_Part] = []
    for node in scene.graph.nodes_geometry:
        transform, name = scene.graph[node]
        geometry = scene.geometry[name]
        vertices = np.asarray(geometry.vertices, np.float64).reshape(len(geometry.vertices), -1)
        if len(vertices) == 0:
            continue
        if vertices.shape[1] == 2:
            vertices = np.column_stack([vertices, np.zeros(len(vertices))])
        vertices = vertices @ transform[:3, :3].T + transform[:3, 3]
        faces = getattr(geometry, "faces", None)
        faces = np.empty((0, 3), np.int64) if faces is None else np.asarray(faces, np.int64).reshape(-1, 3)
        parts.append((vertices, faces, _colours(geometry, len(vertices))))
    return parts


def _colours(geometry: Any, count: int) -> NDArray[np.float64] | None:
    """(V, 4) in 0..255 where the file paints its vertices, faces or a texture; None where it does not."""
    visual = getattr(geometry, "visual", None)
    try:
        if visual is None or not visual.defined:
            own = getattr(geometry, "colors", None)
        elif visual.kind == "texture":
            own = visual.to_color().vertex_colors if _has_picture(visual) else _plain(visual.material, count)
        else:
            own = visual.vertex_colors
        colours = None if own is None else np.asarray(own, np.float64)
    except Exception:  # a texture that is missing or damaged costs the colours only
        return None
    if colours is None or colours.shape != (count, 4) or not np.isfinite(colours).all():
        return None
    return colours


def _has_picture(visual: Any) -> bool:
    """Whether there is a texture, and not the grey square that trimesh puts in the place of a missing one."""
    pictures = (getattr(visual.material, name, None) for name in ("image", "baseColorTexture"))
    picture = next((found for found in pictures if found is not None), None)
    return picture is not None and (max(picture.size) > _STAND_IN or np.ptp(np.asarray(picture.convert("RGB"))) > 0)


def _plain(material: Any, count: int) -> NDArray[np.uint8] | None:
    """(V, 4) in the one colour of a material; None for greys, which say no more than clay and are often a default."""
    colour = np.asarray(material.main_color, np.uint8)
    if hasattr(material, "baseColorFactor"):  # glTF has linear light there, not sRGB as everywhere else
        share = colour / 255
        encoded = np.where(share <= 0.0031308, 12.92 * share, 1.055 * share ** (1 / 2.4) - 0.055)
        colour = np.rint(255 * encoded).astype(np.uint8)
    if np.ptp(colour[:3].astype(int)) < _COLOURFUL:
        return None
    return np.tile(colour, (count, 1))


def _joined(parts: list[_Part]) -> OffContent:
    starts = np.cumsum([0] + [len(vertices) for vertices, _, _ in parts])[:-1]
    colours = None
    if any(part[2] is not None for part in parts):
        grey = 190.0  # parts without paint beside painted ones; near the renderer's clay
        colours = np.concatenate([np.full((len(v), 4), grey) if c is None else c for v, _, c in parts])
        colours[:, 3] = 255.0
    return OffContent(
        vertices=np.concatenate([vertices for vertices, _, _ in parts]),
        faces=np.concatenate([faces + start for (_, faces, _), start in zip(parts, starts, strict=True)]),
        vertex_colours=colours,
    )


# ── what may be drawn ────────────────────────────────────────────────────────────────────────────────────────────────


def _clean(content: OffContent) -> Mesh:
    notes = list(content.notes)
    vertices, faces, paint = content.vertices, content.faces, content.face_colours
    outside = ((faces < 0) | (faces >= len(vertices))).any(axis=1)
    if outside.any():
        notes.append(f"{outside.sum()} of {len(faces)} faces point to vertices that do not exist and were left out")
        faces, paint = faces[~outside], None if paint is None else paint[~outside]
    with np.errstate(over="ignore"):
        finite = np.logical_and.reduce(np.isfinite(vertices.astype(np.float32)), axis=1)
    if not finite.all():
        notes.append(
            f"{(~finite).sum()} of {len(vertices)} vertices are not numbers and were left out with their faces"
        )
        whole = finite[faces].all(axis=1)
        faces, paint = (np.cumsum(finite) - 1)[faces[whole]], None if paint is None else paint[whole]
        vertices = vertices[finite]
    colours = content.vertex_colours
    if colours is not None:
        colours = colours[finite]
        if colours.size and colours.max() <= 1.0:
            colours = colours * 255.0
    if paint is not None and len(faces):
        vertices, faces, colours = vertices[faces.ravel()], np.arange(3 * len(faces)).reshape(-1, 3), paint.repeat(3, 0)
    return Mesh(
        vertices=_near_origin(vertices, notes).astype(np.float32),
        faces=np.ascontiguousarray(faces, dtype=np.int32),
        colours=_as_bytes(colours),
        notes=tuple(notes),
    )


def _near_origin(vertices: NDArray[np.float64], notes: list[str]) -> NDArray[np.float64]:
    if len(vertices) == 0:
        return vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle, extent = (low + high) / 2, float((high - low).max())
    if extent > 0 and float(np.abs(middle).max()) > _FAR_AWAY * extent:
        notes.append("it lies far from the origin and was moved there, so that no detail is lost")
        return vertices - middle
    return vertices


def _as_bytes(colours: NDArray[np.float64] | None) -> NDArray[np.uint8] | None:
    if colours is None:
        return None
    opaque = np.full((len(colours), 4), 255.0)
    opaque[:, : colours.shape[1]] = np.where(np.isnan(colours), 190.0, colours)
    return np.clip(np.rint(opaque), 0, 255).astype(np.uint8)
