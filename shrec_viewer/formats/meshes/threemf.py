"""Read 3MF files: objects, build transforms, colours and textures."""

import io
import zipfile
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.meshes.images import NO_TEXTURE, TextureSet, open_texture
from shrec_viewer.formats.meshes.parts import MeshPart, valid_faces

_MIN_SATURATION = 24
"""Of 255, between the strongest and the weakest channel, from which on a material has a colour: greys are defaults."""


def elements_named(node: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    """Elements of that name, whatever their namespace."""
    return [child for child in node.iter() if child.tag.rpartition("}")[2] == name]


class ThreeMfMaterials:
    """The groups of one file by their numbers.

    Parameters
    ----------
    root : the document.
    archive : where its pictures are.
    most : bytes that a picture may have unpacked.
    album : takes in the pictures, and reads them.
    """

    def __init__(self, root: ElementTree.Element, archive: zipfile.ZipFile, most: int, texture_set: TextureSet) -> None:
        self._colours = {node.get("id", ""): _base_colours(node) for node in elements_named(root, "basematerials")}
        self._colours |= {node.get("id", ""): _colours(node) for node in elements_named(root, "colorgroup")}
        self._places = {
            node.get("id", ""): _texture_coordinates(node) for node in elements_named(root, "texture2dgroup")
        }
        names = {node.get("id", ""): node.get("path", "") for node in elements_named(root, "texture2d")}
        textures = {node.get("id", ""): node.get("texid", "") for node in elements_named(root, "texture2dgroup")}
        for texture in dict.fromkeys(textures.values()):
            _open_texture_member(texture_set, texture, names.get(texture, ""), archive, most)
        texture_set.read()
        self._pictures = {group: texture_set.number(texture) for group, texture in textures.items()}

    def painted(
        self,
        node: ElementTree.Element,
        triangles: list[ElementTree.Element],
        vertices: NDArray[np.float64],
        faces: NDArray[np.int64],
    ) -> list[MeshPart]:
        """The faces of an object, those of one group together; corners are split where they are painted.

        Parameters
        ----------
        node : the object, which says what triangles have that do not say it themselves.
        triangles : one for each of the faces.
        """
        if not self._colours and not self._places:
            return [MeshPart(vertices, faces)]
        groups = np.array([triangle.get("pid", node.get("pid", "")) for triangle in triangles], object)
        inside = valid_faces(faces, len(vertices), [])
        parts, plain = [], np.ones(len(faces), bool)
        for group in dict.fromkeys(groups[inside]):
            chosen = (groups == group) & inside
            members = np.array([_members(triangles[k], node) for k in np.flatnonzero(chosen)], np.int64)
            part = self._part(group, members, vertices[faces[chosen]].reshape(-1, 3))
            if part is not None:
                parts.append(part)
                plain &= ~chosen
        return [MeshPart(vertices, faces[plain]), *parts] if plain.any() else parts

    def _part(self, group: str, members: NDArray[np.int64], corners: NDArray[np.float64]) -> MeshPart | None:
        """Faces with corners (3 F, 3) of their own, of which each names a member (F, 3) of the group; None if plain."""
        table = self._colours.get(group, self._places.get(group, np.empty((0, 2))))
        picture = self._pictures.get(group, NO_TEXTURE)
        if not ((members >= 0) & (members < len(table))).all() or (group in self._places and picture == NO_TEXTURE):
            return None
        values = table[members.ravel()]
        faces = np.arange(len(corners)).reshape(-1, 3)
        if picture != NO_TEXTURE:
            return MeshPart(corners, faces, places=values, picture=picture)
        return None if np.isnan(values).all() else MeshPart(corners, faces, colours=values)


def _open_texture_member(texture_set: TextureSet, key: str, name: str, archive: zipfile.ZipFile, most: int) -> None:
    members = {info.filename.lower(): info for info in archive.infolist() if info.file_size <= most}
    member = members.get(name.lstrip("/").lower())
    if member is None:
        texture_set.fail(name, "is not in the file")
        return
    try:
        texture_set.add(key, name, open_texture(archive.read(member)))
    except ValueError as error:
        texture_set.fail(name, f"cannot be read ({error})")


def _members(triangle: ElementTree.Element, node: ElementTree.Element) -> list[int]:
    """Which member of its group each corner has; -1 where that is not said, or not understood."""
    first = triangle.get("p1", node.get("pindex", ""))
    words = [first, triangle.get("p2", first), triangle.get("p3", first)]
    return [int(word) if word.isdecimal() and len(word) < 10 else -1 for word in words]


def _base_colours(group: ElementTree.Element) -> NDArray[np.float64]:
    """(n, 4) in 0..255; NaN for greys, which say no more than clay."""
    colours = np.array([_colour(node.get("displaycolor", "")) for node in elements_named(group, "base")]).reshape(-1, 4)
    grey = ~(np.ptp(colours[:, :3], axis=1) >= _MIN_SATURATION) if len(colours) else []
    colours[grey] = np.nan
    return colours


def _colours(group: ElementTree.Element) -> NDArray[np.float64]:
    return np.array([_colour(node.get("color", "")) for node in elements_named(group, "color")]).reshape(-1, 4)


def _colour(word: str) -> list[float]:
    """``#rrggbb`` or ``#rrggbbaa`` in 0..255; NaN where it is neither."""
    try:
        values = list(bytes.fromhex(word.strip().removeprefix("#")))
    except ValueError:
        values = []
    return [float(value) for value in [*values[:3], 255]] if len(values) in (3, 4) else [np.nan] * 4


def _texture_coordinates(group: ElementTree.Element) -> NDArray[np.float64]:
    """(n, 2): u, and v upwards from the lower left corner."""
    found = []
    for node in elements_named(group, "tex2coord"):
        try:
            found.append([float(node.get("u", "nan")), float(node.get("v", "nan"))])
        except ValueError:
            found.append([np.nan, np.nan])
    return np.array(found, np.float64).reshape(-1, 2)


_MODEL_SUFFIX = "3dmodel.model"
"""End of the name of the part that holds the objects; its folder may differ."""

_MAX_DEPTH = 16
"""Levels of objects within objects that are followed; deeper ones are a circle."""


def parse_3mf(data: bytes, most: int, texture_set: TextureSet) -> list[MeshPart]:
    """Every built object of a 3MF file at its place; all objects where nothing says which are built.

    Parameters
    ----------
    most : bytes that the model, and each of its pictures, may have unpacked.
    album : takes in the pictures, and reads them.

    Raises
    ------
    ValueError
        It is no 3MF file, or larger than that; the text says what is wrong.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            part = next((info for info in archive.infolist() if info.filename.lower().endswith(_MODEL_SUFFIX)), None)
            if part is None:
                raise ValueError("there is no model in it")
            if part.file_size > most:
                raise ValueError(f"its model has more than {most // 1_000_000} MB")
            root = ElementTree.fromstring(archive.read(part))
            paints = ThreeMfMaterials(root, archive, most, texture_set)
    except (zipfile.BadZipFile, ElementTree.ParseError, NotImplementedError, RuntimeError) as error:
        raise ValueError(str(error)) from error
    objects = {node.get("id", ""): node for node in elements_named(root, "object")}
    built = [(item.get("objectid", ""), _transform(item)) for item in elements_named(root, "item")]
    found: list[MeshPart] = []
    for key, place in built or [(key, np.eye(4)) for key in objects]:
        found += _flatten_objects(objects, paints, key, place, _MAX_DEPTH)
    return found


def _flatten_objects(
    objects: dict[str, ElementTree.Element], paints: ThreeMfMaterials, key: str, place: NDArray[np.float64], depth: int
) -> list[MeshPart]:
    if depth == 0 or key not in objects:
        return []
    node = objects[key]
    found: list[MeshPart] = []
    for mesh in elements_named(node, "mesh"):
        vertices = _table(mesh, "vertex", ("x", "y", "z")) @ place[:3, :3].T + place[:3, 3]
        faces = _table(mesh, "triangle", ("v1", "v2", "v3")).astype(np.int64)
        found += paints.painted(node, elements_named(mesh, "triangle"), vertices, faces)
    for component in elements_named(node, "component"):
        child = component.get("objectid", "")
        found += _flatten_objects(objects, paints, child, place @ _transform(component), depth - 1)
    return found


def _table(mesh: ElementTree.Element, name: str, columns: tuple[str, ...]) -> NDArray[np.float64]:
    rows = [[node.get(column, "nan") for column in columns] for node in elements_named(mesh, name)]
    return np.array(rows, np.float64).reshape(-1, len(columns))


def _transform(node: ElementTree.Element) -> NDArray[np.float64]:
    """(4, 4) of the attribute ``transform``: twelve numbers, column after column of a matrix for row vectors."""
    matrix = np.eye(4)
    words = node.get("transform", "").split()
    if len(words) == 12:
        matrix[:3] = np.array(words, np.float64).reshape(4, 3).T
    return matrix
