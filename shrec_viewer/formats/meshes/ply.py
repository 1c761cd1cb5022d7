"""Rewrite PLY files for trimesh: as binary, with lists of equal length."""

import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.meshes.parts import triangle_fan

PLY_TYPES = {
    **{"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4"},
    **{"float": "f4", "double": "f8", "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4"},
    **{"uint32": "u4", "float32": "f4", "float64": "f8"},
}

#: Rows of an element whose lists have the same length, and their indices.
_Rows = tuple[NDArray[np.int64], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Polygons:
    """The polygons of a file that were cut into triangles: their count, and the one of each triangle."""

    count: int
    of_triangle: NDArray[np.int64]


@dataclass(frozen=True)
class _Element:
    """An element in the header of a file.

    Attributes
    ----------
    types : type of each property; of a list those of its length and of its numbers.
    """

    name: str
    count: int
    types: tuple[tuple[str, ...], ...]

    @property
    def lists(self) -> list[int]:
        """Indices of the properties that are lists."""
        return [place for place, types in enumerate(self.types) if len(types) == 2]

    def dtype(self, lengths: Sequence[int], end: int | None = None) -> np.dtype[Any]:
        """Type of a row with lists of these lengths, or of its properties before one."""
        fields, ahead = list[Any](), iter(lengths)
        for place, types in enumerate(self.types[:end]):
            if len(types) == 2:
                fields += [(f"length {place}", types[0]), (f"list {place}", types[1], (next(ahead),))]
            else:
                fields.append((f"number {place}", types[0]))
        return np.dtype(fields)


def with_equal_lists(data: bytes) -> tuple[bytes, Polygons | None]:
    """A file as binary, with lists of equal length, and the polygons that were cut into triangles.

    trimesh 5.2 takes the length of the first list of a binary element for that of all, and reads text line by line. A
    text that does not agree with its header is unchanged; lists of other elements that differ in length become text.

    Raises
    ------
    struct.error, ValueError, IndexError
        The lists are longer than the file.
    """
    head, mark, body = data.partition(b"end_header\n")
    is_text, order = b"\nformat ascii" in head, ">" if b"big_endian" in head else "<"
    if not mark or not (is_text or b"\nproperty list" in head):
        return data, None
    try:
        elements = _elements(head.decode("latin-1"), order)
        # Of a text, numbers take the place of bytes.
        cells = np.fromstring(body, sep=" ") if is_text else np.frombuffer(body, np.uint8)
        parts, polygons, at = list[NDArray[Any]](), None, 0
        for element in elements:
            groups, at = _read_element(cells, at, element)
            if len(groups) != 1 and (element.name != "face" or not groups):
                return (data if is_text else _as_text(head + mark, elements, body)), None
            rows = groups[0][1]
            if len(groups) > 1:
                rows, polygons = _triangles(element, groups)
                head = re.sub(rb"\nelement face \d+", b"\nelement face %d" % len(rows), head, count=1)
            parts.append(rows)
    except (KeyError, ValueError, IndexError, OverflowError):
        if not is_text:
            raise
        return data, None
    if at != len(cells) or (polygons is None and not is_text):
        return data, None
    head = re.sub(rb"\nformat ascii", b"\nformat binary_little_endian", head, count=1)
    return b"".join([head, mark, *(rows.tobytes() for rows in parts)]), polygons


def _elements(head: str, order: str) -> list[_Element]:
    elements = []
    for element in head.split("\nelement ")[1:]:
        name, count = element.split()[:2]
        kinds = [line.split()[1:-1][-2:] for line in element.split("\n") if line.startswith("property ")]
        elements.append(_Element(name, int(count), tuple(tuple(order + PLY_TYPES[k] for k in kind) for kind in kinds)))
    return elements


def _read_element(cells: NDArray[Any], at: int, element: _Element) -> tuple[list[_Rows], int]:
    """Rows by the length of their list, and the index of the cell after them; no rows if several lists differ."""
    lengths = list[int]()
    for place in element.lists if element.count else ():
        before = _width(cells, element.dtype(lengths, place))
        lengths.append(_length_reader(cells, element.types[place][0])(at + before))
    dtype = element.dtype(lengths or [0] * len(element.lists))
    width = _width(cells, dtype)
    end = at + element.count * width
    if end <= len(cells):
        rows = _structured(cells[at:end].reshape(element.count, width), dtype)
        if all((rows[f"length {place}"] == rows[f"length {place}"][:1]).all() for place in element.lists):
            return [(np.arange(element.count), rows)], end
    return ([], at) if len(element.lists) != 1 else _read_unequal(cells, at, element, element.lists[0])


def _read_unequal(cells: NDArray[Any], at: int, element: _Element, place: int) -> tuple[list[_Rows], int]:
    """As `_read_element`, of an element with one list, at this place."""
    before, fixed = _width(cells, element.dtype([], place)), _width(cells, element.dtype([0]))
    step = _width(cells, element.dtype([1])) - fixed
    read_length = _length_reader(cells, element.types[place][0])
    starts, lengths = list[int](), list[int]()
    for _ in range(element.count):
        length = read_length(at + before)
        starts.append(at)
        lengths.append(length)
        at += fixed + step * length
    found = []
    for length in sorted(set(lengths)):
        chosen = np.flatnonzero(np.array(lengths) == length)
        index = np.add.outer(np.array(starts)[chosen], np.arange(fixed + step * length))
        found.append((chosen, _structured(cells[index], element.dtype([length]))))
    return found, at


def _length_reader(cells: NDArray[Any], kind: str) -> Callable[[int], int]:
    """Returns the length of a list, which is at the index of a cell."""
    if cells.dtype.kind == "f":
        return lambda at: max(0, int(cells[at]))
    unpack, view = struct.Struct(kind[0] + np.dtype(kind).char).unpack_from, cells.data
    return lambda at: max(0, int(unpack(view, at)[0]))


def _width(cells: NDArray[Any], dtype: np.dtype[Any]) -> int:
    """Cells of a row: bytes, or numbers."""
    return dtype.itemsize if cells.dtype.kind == "u" else sum(_size(dtype, name) for name in dtype.names or ())


def _size(dtype: np.dtype[Any], name: str) -> int:
    return sum(dtype[name].shape) if dtype[name].subdtype else 1


def _structured(cells: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Rows of cells as rows of this type."""
    if cells.dtype.kind == "u" and cells.size:
        return np.ascontiguousarray(cells).view(dtype)[:, 0]
    rows, at = np.empty(len(cells), dtype), 0
    with np.errstate(all="ignore"):
        for name in dtype.names or ():
            size = _size(dtype, name)
            rows[name] = cells[:, at : at + size].reshape(rows[name].shape)
            at += size
    return rows


def _triangles(element: _Element, groups: list[_Rows]) -> tuple[NDArray[Any], Polygons]:
    """Triangles of polygons, in the order of these, each with the other properties of its polygon."""
    dtype, (place,) = element.dtype([3]), element.lists
    name = f"list {place}"
    parts, numbers = [np.empty(0, dtype)], [np.empty(0, np.int64)]
    for chosen, rows in groups:
        corners = rows[name]
        if (length := corners.shape[1]) < 3:
            continue
        part = np.empty(len(rows) * (length - 2), dtype)
        for other in (one for one in dtype.names or () if one.startswith("number")):
            part[other] = np.repeat(rows[other], length - 2)
        part[f"length {place}"], part[name] = 3, corners[:, triangle_fan(length)].reshape(-1, 3)
        parts.append(part)
        numbers.append(np.repeat(chosen, length - 2))
    of_triangle = np.concatenate(numbers)
    order = np.argsort(of_triangle, kind="stable")
    triangles = np.concatenate(parts, dtype=dtype)  # else in the order of bytes of this machine
    return triangles[order], Polygons(element.count, of_triangle[order])


def _as_text(header: bytes, elements: Sequence[_Element], body: bytes) -> bytes:
    """A binary file as text."""
    lines, offset = list[str](), 0
    for element in elements:
        for _ in range(element.count):
            words = list[float]()
            for types in element.types:
                order, codes, n_numbers = types[0][0], [np.dtype(kind).char for kind in types], 1
                if len(codes) == 2:
                    (n_numbers,) = struct.unpack_from(order + codes[0], body, offset)
                    offset += struct.calcsize(order + codes[0])
                    words.append(n_numbers)
                numbers = f"{order}{max(0, n_numbers)}{codes[-1]}"
                words += struct.unpack_from(numbers, body, offset)
                offset += struct.calcsize(numbers)
            lines.append(" ".join(map(str, words)))
    return re.sub(rb"\nformat \w+", b"\nformat ascii", header, count=1) + "\n".join([*lines, ""]).encode()
