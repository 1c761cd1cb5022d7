"""Combine the parts of a model and clean the result for rendering."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh, Texture
from shrec_viewer.formats.meshes.images import NO_TEXTURE, TextureSet
from shrec_viewer.formats.meshes.off import RawMesh

_MAX_OFFSET_RATIO = 1e3
"""Extents between a mesh and the origin beyond which float32 leaves fewer than 1:16,000 of its size: it is moved."""

_DEFAULT_GREY = 190.0
"""Parts without paint beside painted ones; near the renderer's clay."""

_MAX_TEXTURE_COORDINATE = 2.0**16
"""Texture coordinates beyond are rubbish: float32 cannot tell the pixels of a picture apart there."""


@dataclass(frozen=True, eq=False)
class MeshPart:
    """Some faces of a model.

    Attributes
    ----------
    vertices : (V, 3) float64, at their place in the model.
    faces : (F, 3) int64 into `vertices`.
    colours : (V, 4) float64 in 0..255, or None; tints the picture.
    places : (V, 2) float64 on the picture, as in `Texture`; None without a picture.
    picture : number in the album, or `NO_TEXTURE`.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    colours: NDArray[np.float64] | None = None
    places: NDArray[np.float64] | None = None
    picture: int = NO_TEXTURE


def join_parts(parts: Sequence[MeshPart], texture_set: TextureSet) -> RawMesh:
    """All parts as one mesh, in their order; at least one."""
    starts = np.cumsum([0] + [len(part.vertices) for part in parts])[:-1]
    colours = texture = None
    if any(part.colours is not None for part in parts):
        colours = np.concatenate([_colours(part) for part in parts])
        colours[:, 3] = 255.0
    if any(part.picture != NO_TEXTURE for part in parts):
        none = [np.zeros((len(part.vertices), 2)) if part.places is None else part.places for part in parts]
        numbers = np.repeat([part.picture for part in parts], [len(part.faces) for part in parts])
        texture = Texture(np.concatenate(none), tuple(texture_set.pictures), numbers.astype(np.int16))
    return RawMesh(
        vertices=np.concatenate([part.vertices for part in parts]),
        faces=np.concatenate([_offset_faces(part, start) for part, start in zip(parts, starts, strict=True)]),
        vertex_colours=colours,
        texture=texture,
        notes=texture_set.notes,
    )


def _offset_faces(part: MeshPart, start: int) -> NDArray[np.int64]:
    """Faces of a part among all vertices; corners that it does not have are nowhere, rather than in another part."""
    nowhere = (part.faces < 0) | (part.faces >= len(part.vertices))
    return np.where(nowhere, -1, part.faces + start)


def _colours(part: MeshPart) -> NDArray[np.float64]:
    if part.colours is not None:
        return part.colours
    return np.full((len(part.vertices), 4), _DEFAULT_GREY if part.picture == NO_TEXTURE else 255.0)


def valid_faces(faces: NDArray[np.int64], count: int, notes: list[str]) -> NDArray[np.bool_]:
    """Which faces (F,) point to vertices that exist; the others are noted."""
    if faces.size and faces.min() >= 0 and faces.max() < count:  # nearly always, and much sooner seen
        return np.ones(len(faces), bool)
    outside: NDArray[np.bool_] = np.logical_or.reduce((faces < 0) | (faces >= count), axis=1)
    if outside.any():
        notes.append(f"{outside.sum()} of {len(faces)} faces point to vertices that do not exist and were left out")
    return ~outside


def clean_mesh(content: RawMesh) -> Mesh:
    """What of a file can be drawn; what cannot is left out and noted."""
    notes = list(content.notes)
    vertices, faces = content.vertices, content.faces
    inside = valid_faces(faces, len(vertices), notes)
    with np.errstate(over="ignore"):
        numbers = np.isfinite(vertices.astype(np.float32))
    finite: NDArray[np.bool_] = (
        np.ones(len(vertices), bool) if numbers.all() else np.logical_and.reduce(numbers, axis=1)
    )
    if not finite.all():
        notes.append(
            f"{(~finite).sum()} of {len(vertices)} vertices are not numbers and were left out with their faces"
        )
    kept = inside.copy()
    if not (inside.all() and finite.all()):
        kept[inside] = np.logical_and.reduce(finite[faces[inside]], axis=1)
        faces, vertices = (np.cumsum(finite) - 1)[faces[kept]], vertices[finite]
    colours = None if content.vertex_colours is None else scale_to_255(content.vertex_colours[finite])
    texture = None if content.texture is None else _valid_texture(content.texture.part(finite, kept), notes)
    paint = None if content.face_colours is None else content.face_colours[kept]
    if paint is not None and len(faces):
        corners = faces.ravel()
        vertices, faces, colours = vertices[corners], np.arange(len(corners)).reshape(-1, 3), paint.repeat(3, 0)
        texture = None if texture is None else replace(texture, places=texture.places[corners])
    return Mesh(
        vertices=_move_to_origin(vertices, notes).astype(np.float32),
        faces=np.ascontiguousarray(faces, dtype=np.int32),
        colours=_as_bytes(colours),
        notes=tuple(notes),
        texture=texture if len(faces) else None,
    )


def _valid_texture(texture: Texture, notes: list[str]) -> Texture:
    """Places that are numbers, as float32."""
    with np.errstate(invalid="ignore"):
        usable: NDArray[np.bool_] = np.logical_and.reduce(
            np.abs(texture.places) <= _MAX_TEXTURE_COORDINATE, axis=1
        )  # NaN is not
    places = np.where(usable[:, None], texture.places, 0.0).astype(np.float32)
    if not usable.all():
        lost = (~usable).sum()
        notes.append(f"{lost} of {len(usable)} texture coordinates are not numbers that can be used; 0 is taken")
    return replace(texture, places=places)


def scale_to_255(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colours in 0..255, which may be written in 0..1."""
    known = colours[np.isfinite(colours)]
    return colours * 255.0 if known.size and known.max() <= 1.0 else colours


def _move_to_origin(vertices: NDArray[np.float64], notes: list[str]) -> NDArray[np.float64]:
    if len(vertices) == 0:
        return vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    middle, extent = (low + high) / 2, float((high - low).max())
    if extent > 0 and float(np.abs(middle).max()) > _MAX_OFFSET_RATIO * extent:
        notes.append("it lies far from the origin and was moved there, so that no detail is lost")
        return vertices - middle
    return vertices


def _as_bytes(colours: NDArray[np.float64] | None) -> NDArray[np.uint8] | None:
    if colours is None:
        return None
    opaque = np.full((len(colours), 4), 255.0)
    opaque[:, : colours.shape[1]] = np.where(np.isnan(colours), _DEFAULT_GREY, colours)
    return np.clip(np.rint(opaque), 0, 255).astype(np.uint8)
