"""Reads Wavefront OBJ: points, faces of any size, colours behind points, texture coordinates, names of materials."""

import warnings
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

NONE = -1
"""Where a corner has no texture coordinates, or a face no material."""

_COLOURED = 7
"""Words of a line ``v x y z r g b``; with fewer there is a weight at most."""


@dataclass(frozen=True, eq=False)
class ObjContent:
    """What stands in an OBJ file, not yet checked.

    Attributes
    ----------
    vertices : (V, 3) float64; NaN where a line holds no three numbers.
    colours : (V, 3) float64 in the file's own scale, NaN where a vertex has none, or None.
    places : (T, 2) float64, texture coordinates; NaN where a line holds no two numbers.
    faces : (F, 3) int64, 0-based places in `vertices`, polygons cut into fans; may point anywhere.
    face_places : (F, 3) int64, the same in `places`; `NONE` where a corner has none, otherwise it may point anywhere.
    materials : (F,) int64, places in `names`, or `NONE`.
    names : of the materials, as the faces use them.
    libraries : names of the files that describe them.
    skipped : lines of faces with fewer than three corners that can be understood.
    """

    vertices: NDArray[np.float64]
    colours: NDArray[np.float64] | None
    places: NDArray[np.float64]
    faces: NDArray[np.int64]
    face_places: NDArray[np.int64]
    materials: NDArray[np.int64]
    names: tuple[str, ...]
    libraries: tuple[str, ...]
    skipped: int = 0


def parse_obj(data: bytes) -> ObjContent:
    """All of an OBJ file that is drawn; lines that cannot be understood are passed over.

    A bad point keeps its number, so that the faces after it stay right. Corners may count backwards from the last line
    before them; lines may be joined by a backslash. Normals, curves and groups are not looked at. Never fails, but may
    find nothing.
    """
    lines = _lines(data)
    points, places, faces, uses, libraries = _numbers_of(lines)
    has_colours = bool(points) and len(lines[points[0]].split()) >= _COLOURED
    table = _table([lines[k] for k in points], 6 if has_colours else 3)
    corners, rows, skipped = _corners(lines, points, places, faces)
    names = {name: place for place, name in enumerate(dict.fromkeys(_rest(lines[k]) for k in uses))}
    used = np.array([NONE, *(names[_rest(lines[k])] for k in uses)], np.int64)
    return ObjContent(
        vertices=table[:, :3],
        colours=table[:, 3:] if has_colours else None,
        places=_table([lines[k] for k in places], 2),
        faces=corners[:, :, 0],
        face_places=corners[:, :, 1],
        materials=used[np.searchsorted(np.array(uses, np.int64), rows)],
        names=tuple(names),
        libraries=tuple(_rest(lines[k]) for k in libraries),
        skipped=skipped,
    )


def _lines(data: bytes) -> list[str]:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\\\n" in text:
        text = text.replace("\\\n", " ")
    text = text.replace("\t", " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return [line.strip() for line in text.split("\n")]


def _numbers_of(lines: list[str]) -> tuple[list[int], ...]:
    """Numbers of the lines with points, texture coordinates, faces, the use of a material and names of libraries."""
    points, places, faces, uses, libraries = [], [], [], [], []
    for number, line in enumerate(lines):
        head = line[:2]
        if head == "v ":
            points.append(number)
        elif head == "f ":
            faces.append(number)
        elif head == "vt":
            places.append(number)
        elif head == "us" and line.startswith("usemtl "):
            uses.append(number)
        elif head == "mt" and line.startswith("mtllib "):
            libraries.append(number)
    return points, places, faces, uses, libraries


def _rest(line: str) -> str:
    return line.partition(" ")[2].strip()


def _table(lines: Sequence[str], columns: int) -> NDArray[np.float64]:
    """Numbers behind the first word of each line (n, columns); NaN where they are missing or none."""
    if not lines:
        return np.empty((0, columns))
    try:
        return np.loadtxt(lines, usecols=range(1, columns + 1), ndmin=2)
    except ValueError:
        return np.array([_row(line, columns) for line in lines])


def _row(line: str, columns: int) -> list[float]:
    row = []
    for word in line.partition("#")[0].split()[1 : columns + 1]:
        try:
            row.append(float(word))
        except ValueError:
            row.append(np.nan)
    return row + [np.nan] * (columns - len(row))


# ── faces ────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _corners(
    lines: list[str], points: list[int], places: list[int], faces: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Triangles (F, 3, 2): point and texture coordinates of each corner, 0-based; the line (F,) of each; lines skipped.

    Lines of one shape are read at once, those without a clear one by themselves.
    """
    skipped = 0
    shapes: dict[tuple[int, int, bool], list[int]] = {}
    for number in faces:
        line = lines[number]
        shapes.setdefault((line.count(" "), line.count("/"), "//" in line), []).append(number)
    triangles = [np.empty((0, 3, 2), np.int64)]
    rows = [np.empty(0, np.int64)]
    for (spaces, slashes, _), numbers in shapes.items():
        polygons = _uniform([lines[k] for k in numbers], spaces, slashes)
        if polygons is not None:
            found = _fans(_zero_based(polygons, numbers, points, places))
            triangles.append(found)
            rows.append(np.repeat(numbers, polygons.shape[1] - 2))
            continue
        for number in numbers:
            polygon = _polygon(lines[number])
            if polygon is None:
                skipped += 1
                continue
            found = _fans(_zero_based(polygon[None], [number], points, places))
            triangles.append(found)
            rows.append(np.full(len(found), number))
    row = np.concatenate(rows)
    order = np.argsort(row, kind="stable")
    return np.concatenate(triangles)[order], row[order], skipped


_DIGITS = {ord(digit): None for digit in "+-0123456789"}


def _uniform(lines: list[str], spaces: int, slashes: int) -> NDArray[np.int64] | None:
    """Polygons (n, corners, 2) of lines that all have one shape, as written; None where they have not.

    A missing second number is 0, which no corner is written as.
    """
    text = "\n".join(lines)
    corners = spaces
    if corners < 3 or slashes % corners or "#" in text:
        return None
    fields = slashes // corners + 1
    marks = text.translate(_DIGITS)
    if marks != "\n".join([f"f{(' ' + '/' * (fields - 1)) * corners}"] * len(lines)):
        return None  # corners of several shapes, which add up
    if "//" in text:
        if fields != 3:
            return None
        text = text.replace("//", "/0/")
    if fields > 3:
        return None
    columns = range(1, corners * fields + 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # of numbers that are no integers
            values = np.loadtxt(text.replace("/", " ").split("\n"), np.int64, usecols=columns, ndmin=2)
    except (ValueError, OverflowError, DeprecationWarning):
        return None
    polygons = values.reshape(len(lines), corners, fields)[:, :, :2]
    return polygons if fields > 1 else np.concatenate([polygons, np.zeros_like(polygons)], axis=2)


def _polygon(line: str) -> NDArray[np.int64] | None:
    """One polygon (corners, 2), as written; None where it has no three corners that can be understood."""
    corners = []
    for word in line.partition("#")[0].split()[1:]:
        first, _, rest = word.partition("/")
        second = rest.partition("/")[0]
        try:
            corners.append((int(first), int(second) if second else 0))
        except ValueError:
            return None
    if len(corners) < 3 or max(abs(number) for corner in corners for number in corner) >= 2**62:
        return None
    return np.array(corners, np.int64)


def _zero_based(
    polygons: NDArray[np.int64], numbers: Sequence[int], points: list[int], places: list[int]
) -> NDArray[np.int64]:
    """Polygons as places in tables; negative numbers count back from the last line before."""
    based = polygons - 1
    for column, before in enumerate((points, places)):
        written = polygons[:, :, column]
        if (written < 0).any():
            counts = np.array([bisect_right(before, number) for number in numbers], np.int64)
            based[:, :, column] = np.where(written < 0, counts[:, None] + written, based[:, :, column])
    missing = polygons[:, :, 1] == 0
    lost = (based[:, :, 1] < 0) & ~missing
    based[:, :, 1] = np.where(lost, len(places), based[:, :, 1])  # before the first: nowhere, but not missing
    return based


def _fans(polygons: NDArray[np.int64]) -> NDArray[np.int64]:
    """Triangles (n * (corners - 2), 3, 2) of polygons with equally many corners, those of one after the other."""
    count = polygons.shape[1] - 2
    fan = np.stack([np.zeros(count, int), np.arange(1, count + 1), np.arange(2, count + 2)], axis=1)
    triangles: NDArray[np.int64] = polygons[:, fan].reshape(-1, 3, 2)
    return triangles
