"""Raw contents of mesh files, and their clean-up for rendering."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import Mesh, MeshValues, Texture

#: Minimum difference between the largest and smallest channel (0..255) for a material colour to be used.
#:
#: Grey is the default of many exporters and is drawn in the colour of the renderer instead.
MIN_SATURATION = 24

#: Distance to the origin, in extents of the mesh, beyond which it is centred.
#:
#: At this distance float32 resolves 1/16,000 of the extent.
_MAX_OFFSET_RATIO = 1e3

#: Colour of parts without colour in a coloured model; close to the renderer's default.
_DEFAULT_GREY = 190.0

#: Larger texture coordinates are invalid: float32 cannot address single pixels there.
_MAX_TEXTURE_COORDINATE = 2.0**16


#: `Texture.face_images` of faces without texture.
NO_TEXTURE = -1


@dataclass
class RawMesh:
    """Contents of a mesh file before validation.

    Attributes
    ----------
    vertices : (V, 3) float64, as written; may contain NaN.
    faces : (F, 3) int64, as written, polygons triangulated; may be out of range.
    vertex_colours : (V, 3 or 4) float64 or None, in the scale of the file.
    face_colours : (F, 4) float64 or None, in 0..255; NaN for faces without colour.
    notes : messages about contents that are missing or ignored.
    texture : texture images of the faces, `uv` not yet validated.
    source_vertex : (V,) index in the file of each vertex, or None if it is that of the vertex here.
    source_face : (F,) index in the file of the polygon of each face, or None likewise.
    source_counts : numbers of vertices and polygons in the file, or None if there are as many as here.
    has_source : whether the indices above have a meaning, as they do not for scenes of several parts.
    values : quantities on the vertices and faces.
    """

    vertices: NDArray[np.float64]
    faces: NDArray[np.int64]
    vertex_colours: NDArray[np.float64] | None = None
    face_colours: NDArray[np.float64] | None = None
    notes: list[str] = field(default_factory=list)
    texture: Texture | None = None
    source_vertex: NDArray[np.int64] | None = None
    source_face: NDArray[np.int64] | None = None
    source_counts: tuple[int, int] | None = None
    has_source: bool = True
    values: tuple[MeshValues, ...] = ()


def triangle_fan(n_corners: int) -> NDArray[np.int64]:
    """Corner indices (n_corners - 2, 3) that split a polygon into triangles, all from its first corner."""
    second = np.arange(1, n_corners - 1)
    return np.stack([np.zeros_like(second), second, second + 1], axis=1)


def textured_mesh(
    vertices: NDArray[np.float64],
    faces: NDArray[np.int64],
    colours: NDArray[np.float64] | None,
    uv: NDArray[np.float64],
    image: NDArray[np.uint8],
) -> RawMesh:
    """Faces with one texture image, and texture coordinates (V, 2) as in `Texture`."""
    texture = Texture(uv.astype(np.float64), (image,), np.zeros(len(faces), np.int16))
    return RawMesh(vertices, faces, colours, texture=texture)


def join_meshes(contents: Sequence[RawMesh], notes: Sequence[str] = ()) -> RawMesh:
    """Concatenate at least one mesh, with `notes` and those of all; vertices of untextured meshes become grey.

    Several meshes have no index in one file, unless the caller knows better: parts of one keep theirs.
    """
    starts = np.cumsum([0] + [len(content.vertices) for content in contents])[:-1]
    colours = face_colours = texture = None
    if any(content.vertex_colours is not None for content in contents):
        colours = np.concatenate([_rgba_or_default(content) for content in contents])
    if any(content.face_colours is not None for content in contents):
        no_colour = [np.full((len(content.faces), 4), np.nan) for content in contents]
        own = [content.face_colours for content in contents]
        face_colours = np.concatenate([none if has is None else has for none, has in zip(no_colour, own, strict=True)])
    if any(content.texture is not None for content in contents):
        textures = [content.texture or _no_texture(content) for content in contents]
        images = {id(image): image for item in textures for image in item.images}
        place_of = {key: place for place, key in enumerate(images)}
        places = [np.array([*(place_of[id(image)] for image in item.images), NO_TEXTURE]) for item in textures]
        used = [place[item.face_images] for place, item in zip(places, textures, strict=True)]
        uv = np.concatenate([item.uv for item in textures])
        texture = Texture(uv, tuple(images.values()), np.concatenate(used).astype(np.int16))
    return RawMesh(
        vertices=np.concatenate([content.vertices for content in contents]),
        faces=np.concatenate([_offset_faces(content, start) for content, start in zip(contents, starts, strict=True)]),
        vertex_colours=colours,
        face_colours=face_colours,
        notes=[*notes, *(note for content in contents for note in content.notes)],
        texture=texture,
        source_vertex=np.concatenate([_index(item.source_vertex, len(item.vertices)) for item in contents]),
        source_face=np.concatenate([_index(item.source_face, len(item.faces)) for item in contents]),
        source_counts=contents[0].source_counts or (len(contents[0].vertices), len(contents[0].faces)),
        has_source=len(contents) == 1 and contents[0].has_source,
        values=_joined_values(contents),
    )


def _index(source: NDArray[np.int64] | None, count: int) -> NDArray[np.int64]:
    return np.arange(count) if source is None else source


def _joined_values(contents: Sequence[RawMesh]) -> tuple[MeshValues, ...]:
    """Quantities of all meshes by name and place; NaN for the meshes without."""
    joined = []
    for first in {(item.name, item.place): item for content in contents for item in content.values}.values():
        parts = []
        for content in contents:
            undefined = np.full(len(content.vertices if first.place == "vertex" else content.faces), np.nan, np.float32)
            same = (item.numbers for item in content.values if (item.name, item.place) == (first.name, first.place))
            parts.append(next(same, undefined))
        joined.append(replace(first, numbers=np.concatenate(parts)))
    return tuple(joined)


def _rgba_or_default(content: RawMesh) -> NDArray[np.float64]:
    """Opaque vertex colours (V, 4) in 0..255."""
    rgba = np.full((len(content.vertices), 4), 255.0)
    if content.vertex_colours is not None:
        rgba[:, :3] = scale_to_255(content.vertex_colours)[:, :3]
    elif content.texture is None:
        rgba[:, :3] = _DEFAULT_GREY
    return rgba


def _no_texture(content: RawMesh) -> Texture:
    n_vertices, n_faces = len(content.vertices), len(content.faces)
    return Texture(np.zeros((n_vertices, 2), np.float32), (), np.full(n_faces, NO_TEXTURE, np.int16))


def _offset_faces(content: RawMesh, start: int) -> NDArray[np.int64]:
    """Faces indexed over all meshes; indices out of range become -1, so that they cannot reach another mesh."""
    invalid = (content.faces < 0) | (content.faces >= len(content.vertices))
    return np.where(invalid, -1, content.faces + start)


#: Parts of the notes about faces whose indices are out of range, and about truncated files.
MISSING_VERTICES, ENDS_EARLY = FAULTS = ("refer to missing vertices", "the file ends after")


def valid_faces(faces: NDArray[np.int64], n_vertices: int, notes: list[str]) -> NDArray[np.bool_]:
    """Mask (F,) of faces whose indices are in range; the number of others is added to `notes`."""
    if faces.size and faces.min() >= 0 and faces.max() < n_vertices:  # the usual case, without a mask of all corners
        return np.ones(len(faces), bool)
    outside: NDArray[np.bool_] = np.logical_or.reduce((faces < 0) | (faces >= n_vertices), axis=1)
    if outside.any():
        notes.append(f"{outside.sum()} of {len(faces)} faces {MISSING_VERTICES} and were ignored")
    return ~outside


def clean_mesh(content: RawMesh) -> Mesh:
    """Remove invalid faces, vertices and texture coordinates, with a note for each kind, and convert to a `Mesh`."""
    notes = list(content.notes)
    vertices, faces = content.vertices, content.faces
    in_range = valid_faces(faces, len(vertices), notes)
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(vertices.astype(np.float32))
    finite: NDArray[np.bool_] = (
        np.ones(len(vertices), bool) if is_finite.all() else np.logical_and.reduce(is_finite, axis=1)
    )
    if not finite.all():
        notes.append(f"{(~finite).sum()} of {len(vertices)} vertices are not finite and were ignored with their faces")
    is_drawn = in_range.copy()
    kept_vertices = None if finite.all() else np.flatnonzero(finite)
    if not (in_range.all() and finite.all()):
        is_drawn[in_range] = np.logical_and.reduce(finite[faces[in_range]], axis=1)
        faces, vertices = (np.cumsum(finite) - 1)[faces[is_drawn]], vertices[finite]
    colours = None if content.vertex_colours is None else scale_to_255(content.vertex_colours[finite])
    texture = None if content.texture is None else _valid_texture(content.texture.subset(finite, is_drawn), notes)
    face_colours = None if content.face_colours is None else content.face_colours[is_drawn]
    if face_colours is not None and len(faces):
        corners = faces.ravel()  # faces of different colours cannot share vertices
        vertices, faces, colours = vertices[corners], np.arange(len(corners)).reshape(-1, 3), face_colours.repeat(3, 0)
        kept_vertices = corners if kept_vertices is None else kept_vertices[corners]
        texture = None if texture is None else replace(texture, uv=texture.uv[corners])
    kept_faces = None if is_drawn.all() else np.flatnonzero(is_drawn)
    kept = {"vertex": kept_vertices, "face": kept_faces}
    return Mesh(
        vertices=_move_to_origin(vertices, notes).astype(np.float32),
        faces=np.ascontiguousarray(faces, dtype=np.int32),
        colours=_as_bytes(colours),
        notes=tuple(notes),
        texture=texture if len(faces) else None,
        source_vertex=_kept_index(content.source_vertex, kept_vertices),
        source_face=_kept_index(content.source_face, kept_faces),
        values=tuple(
            item if kept[item.place] is None else replace(item, numbers=item.numbers[kept[item.place]])
            for item in content.values
        ),
        source_counts=(content.source_counts or (len(content.vertices), len(content.faces)))
        if content.has_source
        else None,
    )


def _kept_index(source: NDArray[np.int64] | None, kept: NDArray[np.intp] | None) -> NDArray[np.int32] | None:
    """Index in the file of the kept vertices or faces; None if all of them are there in order."""
    index = source if kept is None else kept if source is None else source[kept]
    if index is None or (kept is None and np.array_equal(index, np.arange(len(index)))):
        return None
    return index.astype(np.int32)


def _valid_texture(texture: Texture, notes: list[str]) -> Texture:
    """Texture coordinates as float32; invalid ones become 0."""
    with np.errstate(invalid="ignore"):  # comparisons with NaN are False
        valid: NDArray[np.bool_] = np.logical_and.reduce(np.abs(texture.uv) <= _MAX_TEXTURE_COORDINATE, axis=1)
    uv = np.where(valid[:, None], texture.uv, 0.0).astype(np.float32)
    if not valid.all():
        notes.append(f"{(~valid).sum()} of {len(valid)} texture coordinates are not valid numbers and were set to 0")
    return replace(texture, uv=uv)


def scale_to_255(colours: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colours in 0..255; values that are all at most 1 are taken as 0..1."""
    finite = colours[np.isfinite(colours)]
    return colours * 255.0 if finite.size and finite.max() <= 1.0 else colours


def _move_to_origin(vertices: NDArray[np.float64], notes: list[str]) -> NDArray[np.float64]:
    if len(vertices) == 0:
        return vertices
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    centre, extent = (low + high) / 2, float((high - low).max())
    if extent > 0 and float(np.abs(centre).max()) > _MAX_OFFSET_RATIO * extent:
        notes.append("far from the origin: moved there to preserve precision")
        return vertices - centre
    return vertices


def _as_bytes(colours: NDArray[np.float64] | None) -> NDArray[np.uint8] | None:
    if colours is None:
        return None
    opaque = np.full((len(colours), 4), 255.0)
    opaque[:, : colours.shape[1]] = colours
    default = (_DEFAULT_GREY, _DEFAULT_GREY, _DEFAULT_GREY, 255.0)
    opaque = np.where(np.isnan(opaque), default, opaque)
    return np.clip(np.rint(opaque), 0, 255).astype(np.uint8)
