"""Read 3MF files: objects, build transforms, colours and textures."""

import io
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.errors import FormatError
from shrec_viewer.formats.io.archive import UNPACK_ERRORS
from shrec_viewer.formats.io.files import check_unpacked
from shrec_viewer.formats.io.limits import limit_error
from shrec_viewer.formats.meshes.images import TextureSet, open_texture
from shrec_viewer.formats.meshes.parts import MIN_SATURATION, RawMesh, join_meshes, textured_mesh, valid_faces
from shrec_viewer.formats.meshes.resolver import MAX_MESH_BYTES, MeshSource

# Compared with trimesh 5.2.0, which needs lxml and networkx: trimesh reads no colours and no textures, fails on
# damaged objects and unpacks all members of the archive without a limit on their size. meshes_odd has no 3MF file; one
# of a million triangles takes 7.7 s here and 4.5 s there.

#: End of the name of the member with the objects; its folder varies.
_MODEL_SUFFIX = "3dmodel.model"

#: Nesting depth of objects that is followed; deeper ones are circular.
_MAX_DEPTH = 16

#: Unpacked size of a texture; larger ones are ignored. 8,192 x 8,192 pixels as PNG have up to 200 MB, seldom 50.
MAX_IMAGE_BYTES = 100_000_000

#: Uses of objects in one file. Components multiply with each level: 16 levels of 10 components would be 10^16 uses.
_MAX_USES = 100_000

#: Vertices and triangles of second and further uses together; each takes about 150 bytes while it is read.
_MAX_REPEATED = 3_000_000


def read_3mf(source: MeshSource) -> RawMesh:
    """Read all built objects with their transforms, colours and textures; all objects if the build is empty.

    Raises
    ------
    FormatError
        It is not a 3MF file, is too large, or contains no geometry.
    """
    texture_set = TextureSet()
    try:
        with zipfile.ZipFile(io.BytesIO(source.data)) as archive:
            parts, has_source = _parts_of_build(_Documents(source.path, archive, texture_set))
    except (*UNPACK_ERRORS, ElementTree.ParseError, OSError) as error:
        raise FormatError(source.path, f"cannot be read as 3MF ({error})") from error
    if not parts:
        raise FormatError(source.path, "contains no geometry")
    return replace(join_meshes(parts, texture_set.notes), has_source=has_source)


#: Member of the archive, and id of an object in it.
_ObjectKey = tuple[str, str]


class _Documents:
    """Models of a file, read when they are used: that of the build, and those of the production extension.

    Parameters
    ----------
    path, archive : the file.
    texture_set : opens and decodes the images.
    """

    def __init__(self, path: Path, archive: zipfile.ZipFile, texture_set: TextureSet) -> None:
        self._path, self._archive, self._texture_set = path, archive, texture_set
        self._members = {info.filename.lower(): info for info in archive.infolist()}
        self._objects: dict[str, tuple[dict[str, ElementTree.Element], _Materials]] = {}
        self._n_bytes = 0
        first = next((name for name in self._members if name.endswith(_MODEL_SUFFIX)), None)
        if first is None:
            raise ValueError("it contains no model")
        root, objects = self._read(first)
        self.build = [(_key(item, first), _transform(item)) for item in root.iter("item")]
        self.build = self.build or [((first, name), np.eye(4)) for name in objects]

    def object(self, key: _ObjectKey) -> "tuple[ElementTree.Element, _Materials] | None":
        """An object and the materials of its document; None if there is none."""
        member, name = key
        if member not in self._objects:
            if member not in self._members:
                return None
            self._read(member)
        objects, materials = self._objects[member]
        return (objects[name], materials) if name in objects else None

    def _read(self, name: str) -> tuple[ElementTree.Element, dict[str, ElementTree.Element]]:
        member = self._members[name]
        self._n_bytes += member.file_size
        check_unpacked(self._path, member.compress_size, member.file_size, MAX_MESH_BYTES)
        if self._n_bytes > MAX_MESH_BYTES:
            raise limit_error(MAX_MESH_BYTES, "bytes of models", self._path)
        root = ElementTree.fromstring(self._archive.read(member))
        for element in root.iter():  # without namespaces, `iter(name)` finds elements in C
            element.tag = element.tag.rpartition("}")[2]
        objects = {node.get("id", ""): node for node in root.iter("object")}
        self._objects[name] = objects, _Materials(root, name, self._archive, self._texture_set)
        return root, objects


def _key(node: ElementTree.Element, member: str) -> _ObjectKey:
    """The object that an item or component of a document refers to, which may be in another one."""
    path = next((value for name, value in node.attrib.items() if name.endswith("}path")), "")
    return path.lstrip("/").lower() or member, node.get("objectid", "")


def _parts_of_build(documents: _Documents) -> tuple[list[RawMesh], bool]:
    """Parts of all uses, and whether they are those of one mesh."""
    parts: list[RawMesh] = []
    own_parts: dict[int, list[RawMesh]] = {}
    n_repeated = n_meshes = 0
    for node, materials, transform in _uses(documents):
        if id(node) not in own_parts:
            own_parts[id(node)] = [part for mesh in node.iter("mesh") for part in materials.split(node, mesh)]
        else:
            n_repeated += sum(len(part.vertices) + len(part.faces) for part in own_parts[id(node)])
            if n_repeated > _MAX_REPEATED:
                raise ValueError(f"it repeats more than {_MAX_REPEATED:,} vertices and triangles of its objects")
        n_meshes += sum(1 for _ in node.iter("mesh"))
        for part in own_parts[id(node)]:
            parts.append(replace(part, vertices=part.vertices @ transform[:3, :3].T + transform[:3, 3]))
    return parts, n_meshes == 1


class _Materials:
    """Colour and texture groups of a file by their ids.

    Parameters
    ----------
    root : the document.
    member : its name in the archive.
    archive : contains the images.
    texture_set : opens and decodes the images.
    """

    def __init__(
        self, root: ElementTree.Element, member: str, archive: zipfile.ZipFile, texture_set: TextureSet
    ) -> None:
        self._colours = {node.get("id", ""): _base_colours(node) for node in root.iter("basematerials")}
        self._colours |= {node.get("id", ""): _group_colours(node) for node in root.iter("colorgroup")}
        self._uv = {node.get("id", ""): _texture_coordinates(node) for node in root.iter("texture2dgroup")}
        names = {node.get("id", ""): node.get("path", "") for node in root.iter("texture2d")}
        textures = {node.get("id", ""): node.get("texid", "") for node in root.iter("texture2dgroup")}
        members = {info.filename.lower(): info for info in archive.infolist() if info.file_size <= MAX_IMAGE_BYTES}
        for texture in dict.fromkeys(textures.values()):
            name = names.get(texture, "")
            image = members.get(name.lstrip("/").lower())
            if image is None:
                texture_set.add_failure(name, "was not found in the file")
                continue
            try:
                texture_set.add((member, texture), name, open_texture(archive.read(image)))
            except (*UNPACK_ERRORS, OSError) as error:
                texture_set.add_failure(name, f"cannot be read ({error})")
        texture_set.read()
        self._images = {group: texture_set.get((member, texture)) for group, texture in textures.items()}

    def split(self, node: ElementTree.Element, mesh: ElementTree.Element) -> list[RawMesh]:
        """Faces of a mesh, one part for each group; vertices of coloured and textured faces are not shared.

        Parameters
        ----------
        node : the object, with the default group of its triangles.
        mesh : its mesh.
        """
        vertices = _attributes(mesh, "vertex", ("x", "y", "z"))
        with np.errstate(invalid="ignore"):  # missing indices are NaN and become negative, out of range
            faces = _attributes(mesh, "triangle", ("v1", "v2", "v3")).astype(np.int64)
        if not self._colours and not self._uv:
            return [RawMesh(vertices, faces)]
        triangles = list(mesh.iter("triangle"))
        groups = [triangle.get("pid", node.get("pid", "")) for triangle in triangles]
        inside = valid_faces(faces, len(vertices), [])
        parts, is_plain, counts = [], np.ones(len(faces), bool), (len(vertices), len(faces))
        rows_of: dict[str, list[int]] = {}
        for row in np.flatnonzero(inside).tolist():
            rows_of.setdefault(groups[row], []).append(row)
        for group, rows in rows_of.items():
            members = np.array([_group_indices(triangles[row], node) for row in rows], np.int64)
            part = self._part(group, members, vertices[faces[rows]].reshape(-1, 3))
            if part is not None:
                source = faces[rows].ravel()
                parts.append(replace(part, source_vertex=source, source_face=np.array(rows), source_counts=counts))
                is_plain[rows] = False
        plain = RawMesh(vertices, faces[is_plain], source_face=np.flatnonzero(is_plain), source_counts=counts)
        return [plain, *parts] if is_plain.any() else parts

    def _part(self, group: str, members: NDArray[np.int64], corners: NDArray[np.float64]) -> RawMesh | None:
        """Coloured or textured faces with vertices (3 F, 3), given indices (F, 3) into the group; None for others."""
        table = self._colours.get(group, self._uv.get(group, np.empty((0, 2))))
        image = self._images.get(group)
        if not ((members >= 0) & (members < len(table))).all() or (group in self._uv and image is None):
            return None
        values = table[members.ravel()]
        faces = np.arange(len(corners)).reshape(-1, 3)
        if image is not None:
            return textured_mesh(corners, faces, None, values, image)
        return None if np.isnan(values).all() else RawMesh(corners, faces, values)


def _group_indices(triangle: ElementTree.Element, node: ElementTree.Element) -> list[int]:
    """Index of each corner in its group; -1 if missing or invalid."""
    first = triangle.get("p1", node.get("pindex", ""))
    texts = [first, triangle.get("p2", first), triangle.get("p3", first)]
    return [int(text) if text.isdecimal() and len(text) < 10 else -1 for text in texts]


def _base_colours(group: ElementTree.Element) -> NDArray[np.float64]:
    """(n, 4) in 0..255; NaN for grey, the default of many exporters."""
    colours = np.array([_colour(node.get("displaycolor", "")) for node in group.iter("base")]).reshape(-1, 4)
    if len(colours):
        colours[~(np.ptp(colours[:, :3], axis=1) >= MIN_SATURATION)] = np.nan
    return colours


def _group_colours(group: ElementTree.Element) -> NDArray[np.float64]:
    return np.array([_colour(node.get("color", "")) for node in group.iter("color")]).reshape(-1, 4)


def _colour(text: str) -> list[float]:
    """``#rrggbb`` or ``#rrggbbaa`` in 0..255; NaN for other notations."""
    try:
        values = list(bytes.fromhex(text.strip().removeprefix("#")))
    except ValueError:
        values = []
    return [float(value) for value in [*values[:3], 255]] if len(values) in (3, 4) else [np.nan] * 4


def _texture_coordinates(group: ElementTree.Element) -> NDArray[np.float64]:
    """(n, 2): u, and v upwards from the lower left corner."""
    found = []
    for node in group.iter("tex2coord"):
        try:
            found.append([float(node.get("u", "nan")), float(node.get("v", "nan"))])
        except ValueError:
            found.append([np.nan, np.nan])
    return np.array(found, np.float64).reshape(-1, 2)


def _uses(documents: _Documents) -> Iterator[tuple[ElementTree.Element, _Materials, NDArray[np.float64]]]:
    """Each use of an object with its materials and transform (4, 4): the build, and below each item its components.

    Raises
    ------
    ValueError
        More than `_MAX_USES`.
    """
    stack = [(key, transform, 1) for key, transform in reversed(documents.build)]
    count = 0
    while stack:
        if count + len(stack) > _MAX_USES:
            raise ValueError(f"it uses its objects more than {_MAX_USES:,} times")
        key, transform, depth = stack.pop()
        count += 1
        found = documents.object(key)
        if found is None:
            continue
        node, materials = found
        yield node, materials, transform
        if depth < _MAX_DEPTH:
            components = reversed(list(node.iter("component")))
            stack += [(_key(child, key[0]), transform @ _transform(child), depth + 1) for child in components]


def _attributes(mesh: ElementTree.Element, name: str, columns: tuple[str, str, str]) -> NDArray[np.float64]:
    """Attributes of the elements of a name as numbers, (n, 3)."""
    one, two, three = columns
    values = [float(node.get(column, "nan")) for node in mesh.iter(name) for column in (one, two, three)]
    return np.array(values, np.float64).reshape(-1, 3)


def _transform(node: ElementTree.Element) -> NDArray[np.float64]:
    """(4, 4) of the attribute ``transform``: the first three columns of a matrix for row vectors, row by row."""
    matrix = np.eye(4)
    values = node.get("transform", "").split()
    if len(values) == 12:
        matrix[:3] = np.array(values, np.float64).reshape(4, 3).T
    return matrix
