"""Reads 3MF files: a zip with XML, whose objects have triangles, or other objects at their places, and their paint."""

import io
import zipfile
from xml.etree import ElementTree

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.album import Album
from shrec_viewer.formats.parts import Part
from shrec_viewer.formats.threemf_paint import Paints, named

_MODEL = "3dmodel.model"
"""End of the name of the part that holds the objects; its folder may differ."""

_DEEPEST = 16
"""Levels of objects within objects that are followed; deeper ones are a circle."""


def parse_3mf(data: bytes, most: int, album: Album) -> list[Part]:
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
            part = next((info for info in archive.infolist() if info.filename.lower().endswith(_MODEL)), None)
            if part is None:
                raise ValueError("there is no model in it")
            if part.file_size > most:
                raise ValueError(f"its model has more than {most // 1_000_000} MB")
            root = ElementTree.fromstring(archive.read(part))
            paints = Paints(root, archive, most, album)
    except (zipfile.BadZipFile, ElementTree.ParseError, NotImplementedError, RuntimeError) as error:
        raise ValueError(str(error)) from error
    objects = {node.get("id", ""): node for node in named(root, "object")}
    built = [(item.get("objectid", ""), _transform(item)) for item in named(root, "item")]
    found: list[Part] = []
    for key, place in built or [(key, np.eye(4)) for key in objects]:
        found += _placed(objects, paints, key, place, _DEEPEST)
    return found


def _placed(
    objects: dict[str, ElementTree.Element], paints: Paints, key: str, place: NDArray[np.float64], depth: int
) -> list[Part]:
    if depth == 0 or key not in objects:
        return []
    node = objects[key]
    found: list[Part] = []
    for mesh in named(node, "mesh"):
        vertices = _table(mesh, "vertex", ("x", "y", "z")) @ place[:3, :3].T + place[:3, 3]
        faces = _table(mesh, "triangle", ("v1", "v2", "v3")).astype(np.int64)
        found += paints.painted(node, named(mesh, "triangle"), vertices, faces)
    for component in named(node, "component"):
        child = component.get("objectid", "")
        found += _placed(objects, paints, child, place @ _transform(component), depth - 1)
    return found


def _table(mesh: ElementTree.Element, name: str, columns: tuple[str, ...]) -> NDArray[np.float64]:
    rows = [[node.get(column, "nan") for column in columns] for node in named(mesh, name)]
    return np.array(rows, np.float64).reshape(-1, len(columns))


def _transform(node: ElementTree.Element) -> NDArray[np.float64]:
    """(4, 4) of the attribute ``transform``: twelve numbers, column after column of a matrix for row vectors."""
    matrix = np.eye(4)
    words = node.get("transform", "").split()
    if len(words) == 12:
        matrix[:3] = np.array(words, np.float64).reshape(4, 3).T
    return matrix
