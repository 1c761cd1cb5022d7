"""Puts an OBJ file together with the materials and pictures that it names."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.album import NO_PICTURE, Album
from shrec_viewer.formats.mtl import Material, parse_mtl
from shrec_viewer.formats.neighbours import Neighbourhood
from shrec_viewer.formats.obj import NONE, ObjContent, parse_obj
from shrec_viewer.formats.off import OffContent
from shrec_viewer.formats.parts import Part, joined, of_255, within

_COLOURFUL = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour: greys are defaults."""


def obj_content(path: Path, data: bytes, neighbours: Neighbourhood) -> OffContent:
    """The mesh of an OBJ file, painted as its materials say.

    A face with a picture shows that alone: many writers put black or grey beside it. Without a picture, colours behind
    the points come before those of materials.

    Raises
    ------
    FormatError
        It holds no point.
    """
    content = parse_obj(data)
    if len(content.vertices) == 0:
        raise FormatError(path, "holds no geometry")
    notes: list[str] = []
    if content.skipped:
        notes.append(f"{content.skipped} faces with fewer than three corners were left out")
    album = Album()
    materials = _materials(content, neighbours, notes)
    for material in materials:
        if material.picture:
            album.open(material.picture, neighbours.get)
    album.read()
    drawn = _drawn(content, materials, album, notes)
    return OffContent(drawn.vertices, drawn.faces, drawn.vertex_colours, None, [*notes, *drawn.notes], drawn.texture)


def _materials(content: ObjContent, neighbours: Neighbourhood, notes: list[str]) -> list[Material]:
    """One for each name in the file, in their order; plain where nothing describes it."""
    if not content.names:
        return []
    known: dict[str, Material] = {}
    for written in content.libraries:
        try:
            known |= parse_mtl(_text(_library(written, neighbours)))
        except OSError:
            notes.append(f"the material file '{written}' is not beside the model")
    return [known.get(name, Material()) for name in content.names]


def _library(written: str, neighbours: Neighbourhood) -> bytes:
    """The file that a line names: all of the line, or several names with spaces between."""
    try:
        return neighbours.get(written)
    except OSError:
        names = written.split()
        if len(names) < 2:
            raise
        return b"\n".join(neighbours.get(name) for name in names)


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _drawn(content: ObjContent, materials: list[Material], album: Album, notes: list[str]) -> OffContent:
    """The mesh, cut by materials where any of them shows."""
    pictures = np.array([*(album.number(material.picture) for material in materials), NO_PICTURE])
    colours = [None if content.colours is not None else _colour(material) for material in materials]
    if (pictures == NO_PICTURE).all() and not any(colour is not None for colour in colours):
        return OffContent(content.vertices, content.faces, content.colours, notes=album.notes)
    faces = np.flatnonzero(within(content.faces, len(content.vertices), notes))
    material = content.materials[faces]
    bare = (content.face_places[faces] == NONE).any(axis=1)
    shown = np.where(bare, NO_PICTURE, pictures[material])  # the last picture stands for no material
    parts = []
    for number, picture in np.unique(np.stack([material, shown], axis=1), axis=0):
        chosen = faces[(material == number) & (shown == picture)]
        if picture == NO_PICTURE:
            parts.append(_plain(content, chosen, None if number == NONE else colours[number]))
        else:
            parts.append(_textured(content, chosen, materials[number], int(picture)))
    if not parts:
        return OffContent(content.vertices, content.faces[faces], content.colours, notes=album.notes)
    return joined(parts, album)


def _plain(content: ObjContent, faces: NDArray[np.int64], colour: NDArray[np.float64] | None) -> Part:
    """Faces in the colour of their material, or those of their points."""
    used, corners = np.unique(content.faces[faces], return_inverse=True)
    colours = None if colour is None else np.tile(colour, (len(used), 1))
    if content.colours is not None:
        colours = np.column_stack([of_255(content.colours)[used], np.full(len(used), 255.0)])
    return Part(content.vertices[used], corners.reshape(-1, 3), colours)


def _textured(content: ObjContent, faces: NDArray[np.int64], material: Material, picture: int) -> Part:
    """Faces with a picture; a point is split where it has several texture coordinates."""
    count = len(content.places)
    places = np.clip(content.face_places[faces], 0, count)  # `count` is nowhere
    pairs, corners = np.unique(content.faces[faces] * (count + 1) + places, return_inverse=True)
    points, spots = np.divmod(pairs, count + 1)
    table = np.concatenate([content.places, [[np.nan, np.nan]]])
    return Part(
        content.vertices[points],
        corners.reshape(-1, 3),
        places=table[spots] * material.scale + material.offset,
        picture=picture,
    )


def _colour(material: Material) -> NDArray[np.float64] | None:
    """(4,) in 0..255; None for greys, which say no more than clay."""
    if material.colour is None or max(material.colour) - min(material.colour) < _COLOURFUL / 255:
        return None
    return np.array([*(255 * share for share in material.colour), 255.0])
