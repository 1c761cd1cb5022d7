"""Colours and pictures of 3MF, as its materials extension of 2015 has them: groups whose members corners name."""

import zipfile
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.album import NO_PICTURE, Album
from shrec_viewer.formats.images import open_texture
from shrec_viewer.formats.parts import Part, within

_COLOURFUL = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour: greys are defaults."""


def named(node: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    """Elements of that name, whatever their namespace."""
    return [child for child in node.iter() if child.tag.rpartition("}")[2] == name]


class Paints:
    """The groups of one file by their numbers.

    Parameters
    ----------
    root : the document.
    archive : where its pictures are.
    most : bytes that a picture may have unpacked.
    album : takes in the pictures, and reads them.
    """

    def __init__(self, root: ElementTree.Element, archive: zipfile.ZipFile, most: int, album: Album) -> None:
        self._colours = {node.get("id", ""): _base_colours(node) for node in named(root, "basematerials")}
        self._colours |= {node.get("id", ""): _colours(node) for node in named(root, "colorgroup")}
        self._places = {node.get("id", ""): _places(node) for node in named(root, "texture2dgroup")}
        names = {node.get("id", ""): node.get("path", "") for node in named(root, "texture2d")}
        textures = {node.get("id", ""): node.get("texid", "") for node in named(root, "texture2dgroup")}
        for texture in dict.fromkeys(textures.values()):
            _open(album, texture, names.get(texture, ""), archive, most)
        album.read()
        self._pictures = {group: album.number(texture) for group, texture in textures.items()}

    def painted(
        self,
        node: ElementTree.Element,
        triangles: list[ElementTree.Element],
        vertices: NDArray[np.float64],
        faces: NDArray[np.int64],
    ) -> list[Part]:
        """The faces of an object, those of one group together; corners are split where they are painted.

        Parameters
        ----------
        node : the object, which says what triangles have that do not say it themselves.
        triangles : one for each of the faces.
        """
        if not self._colours and not self._places:
            return [Part(vertices, faces)]
        groups = np.array([triangle.get("pid", node.get("pid", "")) for triangle in triangles], object)
        inside = within(faces, len(vertices), [])
        parts, plain = [], np.ones(len(faces), bool)
        for group in dict.fromkeys(groups[inside]):
            chosen = (groups == group) & inside
            members = np.array([_members(triangles[k], node) for k in np.flatnonzero(chosen)], np.int64)
            part = self._part(group, members, vertices[faces[chosen]].reshape(-1, 3))
            if part is not None:
                parts.append(part)
                plain &= ~chosen
        return [Part(vertices, faces[plain]), *parts] if plain.any() else parts

    def _part(self, group: str, members: NDArray[np.int64], corners: NDArray[np.float64]) -> Part | None:
        """Faces with corners (3 F, 3) of their own, of which each names a member (F, 3) of the group; None if plain."""
        table = self._colours.get(group, self._places.get(group, np.empty((0, 2))))
        picture = self._pictures.get(group, NO_PICTURE)
        if not ((members >= 0) & (members < len(table))).all() or (group in self._places and picture == NO_PICTURE):
            return None
        values = table[members.ravel()]
        faces = np.arange(len(corners)).reshape(-1, 3)
        if picture != NO_PICTURE:
            return Part(corners, faces, places=values, picture=picture)
        return None if np.isnan(values).all() else Part(corners, faces, colours=values)


def _open(album: Album, key: str, name: str, archive: zipfile.ZipFile, most: int) -> None:
    members = {info.filename.lower(): info for info in archive.infolist() if info.file_size <= most}
    member = members.get(name.lstrip("/").lower())
    if member is None:
        album.fail(name, "is not in the file")
        return
    try:
        album.add(key, name, open_texture(archive.read(member)))
    except ValueError as error:
        album.fail(name, f"cannot be read ({error})")


def _members(triangle: ElementTree.Element, node: ElementTree.Element) -> list[int]:
    """Which member of its group each corner has; -1 where that is not said, or not understood."""
    first = triangle.get("p1", node.get("pindex", ""))
    words = [first, triangle.get("p2", first), triangle.get("p3", first)]
    return [int(word) if word.isdecimal() and len(word) < 10 else -1 for word in words]


def _base_colours(group: ElementTree.Element) -> NDArray[np.float64]:
    """(n, 4) in 0..255; NaN for greys, which say no more than clay."""
    colours = np.array([_colour(node.get("displaycolor", "")) for node in named(group, "base")]).reshape(-1, 4)
    grey = ~(np.ptp(colours[:, :3], axis=1) >= _COLOURFUL) if len(colours) else []
    colours[grey] = np.nan
    return colours


def _colours(group: ElementTree.Element) -> NDArray[np.float64]:
    return np.array([_colour(node.get("color", "")) for node in named(group, "color")]).reshape(-1, 4)


def _colour(word: str) -> list[float]:
    """``#rrggbb`` or ``#rrggbbaa`` in 0..255; NaN where it is neither."""
    try:
        values = list(bytes.fromhex(word.strip().removeprefix("#")))
    except ValueError:
        values = []
    return [float(value) for value in [*values[:3], 255]] if len(values) in (3, 4) else [np.nan] * 4


def _places(group: ElementTree.Element) -> NDArray[np.float64]:
    """(n, 2): u, and v upwards from the lower left corner."""
    found = []
    for node in named(group, "tex2coord"):
        try:
            found.append([float(node.get("u", "nan")), float(node.get("v", "nan"))])
        except ValueError:
            found.append([np.nan, np.nan])
    return np.array(found, np.float64).reshape(-1, 2)
