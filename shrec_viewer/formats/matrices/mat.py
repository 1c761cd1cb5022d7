"""Read the numeric matrix of a MATLAB file, versions 4 to 7."""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import join_some
from shrec_viewer.formats.io.blocks import CHUNK_BYTES, read_whole_file
from shrec_viewer.formats.io.compressed import MAX_RATIO, MAX_UNPACKED_BYTES, UNCHECKED_BYTES
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, read_file_head

HEADER = 128
ENDIAN = {b"IM": "<", b"MI": ">"}
HDF_MAGIC = b"\x89HDF"
MAT73_TITLE = b"MATLAB 7.3"

ELEMENT_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""Types of data elements (miINT8 and so on); a matrix may be stored in a smaller type than it has."""

MATRIX, COMPRESSED = 14, 15
NUMERIC_CLASSES = range(6, 16)
"""mxDOUBLE_CLASS to mxUINT64_CLASS: full arrays of numbers. Text, cells, structures and sparse arrays are below."""

COMPLEX_FLAG = 0x0800

STRUCTURE_CLASS = 2
FIELDS_AT = 5
"""Elements of a structure before its fields: flags, shape, name, length of the names of fields, these names."""

MAT4_HEADER = 20
MAX_NAME_BYTES = 64
MAT4_TYPES = {0: "<f8", 10: "<f4", 20: "<i4", 30: "<i2", 40: "<u2", 50: "u1"}
"""Types of full matrices in version 4, little-endian."""


def is_mat(head: FileHead) -> bool:
    """Whether the file begins as MATLAB's do; those of version 7.3 as well, to be refused with a sentence."""
    if head.data.startswith(MAT73_TITLE) or (head.data.startswith(HDF_MAGIC) and head.path.suffix.lower() == ".mat"):
        return True
    return (head.data.startswith(b"MATLAB") and head.data[126:128] in ENDIAN) or _is_mat4(head.data)


@dataclass(frozen=True, eq=False)
class _MatArray:
    name: str
    values: NDArray[np.generic]


def read_mat(path: Path, watch: ReadProgress = NO_PROGRESS) -> tuple[NDArray[np.floating], list[Finding]]:
    """The matrix of a file, (R, M) float; the largest where there are several, with a finding.

    Raises
    ------
    FormatError
        When the file is of another version, is damaged, or holds no matrix of real numbers.

    Notes
    -----
    Source: The MathWorks, "MAT-File Format", level 5.
    """
    data = read_whole_file(path, read_file_head(path).size, watch)
    if data.startswith((MAT73_TITLE, HDF_MAGIC)):
        raise FormatError(path, "is a MATLAB 7.3 file; save it with the option -v7 to have it read")
    if _is_mat4(data):
        return _read_mat4(path, data), []
    order = ENDIAN.get(data[126:128])
    if order is None or len(data) < HEADER:
        raise FormatError(path, "has no header of a MATLAB file")
    try:
        arrays = list(_arrays(path, memoryview(data)[HEADER:], order, watch))
    except (struct.error, ValueError, zlib.error, OverflowError, RecursionError) as error:
        raise FormatError(path, "is a damaged MATLAB file") from error
    matrices = [found for found in arrays if found.values.ndim == 2 and min(found.values.shape) > 1]
    if not matrices:
        raise FormatError(path, "holds no matrix of real numbers")
    chosen = max(matrices, key=lambda found: found.values.size)
    findings = []
    if len(matrices) > 1:
        names = [f"'{found.name}' ({found.values.shape[0]} x {found.values.shape[1]})" for found in matrices]
        message = f"holds {len(matrices)} matrices: {join_some(names)}"
        findings.append(Finding(Severity.WARNING, str(path), None, message, f"'{chosen.name}' is read, the largest"))
    wide = np.float32 if chosen.values.dtype == np.float32 else np.float64
    return np.asarray(chosen.values, wide), findings


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Type and content of one element after the other."""
    at = 0
    while at + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, at)
        if kind >> 16:  # a small element: type, size and up to four bytes in eight
            kind, size, start, end = kind & 0xFFFF, kind >> 16, at + 4, at + 8
            if size > 4:
                raise ValueError("a small element is too large")
        else:
            start = at + 8
            end = start + size if kind == COMPRESSED else start + (size + 7) // 8 * 8
        if start + size > len(data):
            raise ValueError("an element ends behind the file")
        yield kind, data[start : start + size]
        at = end


def _arrays(path: Path, data: memoryview, order: str, watch: ReadProgress) -> Iterator[_MatArray]:
    for kind, content in _elements(data, order):
        if kind == COMPRESSED:
            yield from _arrays(path, memoryview(_decompress(path, content, watch)), order, watch)
        elif kind == MATRIX:
            yield from _matrix(content, order)


def _matrix(content: memoryview, order: str) -> Iterator[_MatArray]:
    """A full array of real numbers, or those among the fields of a structure."""
    parts = list(_elements(content, order))
    if parts and struct.unpack_from(f"{order}I", parts[0][1])[0] & 0xFF == STRUCTURE_CLASS:
        names = bytes(parts[4][1]) if len(parts) > FIELDS_AT else b""
        width = struct.unpack_from(f"{order}i", parts[3][1])[0] if len(parts) > FIELDS_AT else 0
        for place, (kind, part) in enumerate(parts[FIELDS_AT:]):
            name = names[place * width : (place + 1) * width].split(b"\0")[0].decode("latin-1")
            for found in _matrix(part, order) if kind == MATRIX else ():
                yield _MatArray(f"{name}.{found.name}".strip("."), found.values)
    elif (single := _array(content, order)) is not None:
        yield single


def _is_mat4(data: bytes) -> bool:
    """Whether it begins as files of version 4 do: five whole numbers, and a name that ends in a zero."""
    if len(data) < MAT4_HEADER:
        return False
    kind, rows, columns, imaginary, length = struct.unpack_from("<5I", data)
    if kind not in MAT4_TYPES or imaginary > 1 or not 1 < length <= MAX_NAME_BYTES or not (rows and columns):
        return False
    name = data[MAT4_HEADER : MAT4_HEADER + length]
    return name[-1:] == b"\0" and name[:-1].decode("latin-1").isidentifier()


def _read_mat4(path: Path, data: bytes) -> NDArray[np.floating]:
    """The largest matrix of a file of version 4, little-endian."""
    found: list[NDArray[np.generic]] = []
    at = 0
    while _is_mat4(data[at : at + MAT4_HEADER + MAX_NAME_BYTES]):
        kind, rows, columns, imaginary, length = struct.unpack_from("<5I", data, at)
        dtype = np.dtype(MAT4_TYPES[kind])
        start, size = at + MAT4_HEADER + length, rows * columns * dtype.itemsize
        if start + size > len(data):
            raise FormatError(path, "is a damaged MATLAB file")
        if min(rows, columns) > 1 and not imaginary:
            found.append(np.frombuffer(data, dtype, rows * columns, start).reshape((rows, columns), order="F"))
        at = start + size * (1 + imaginary)
    if not found:
        raise FormatError(path, "holds no matrix of real numbers")
    chosen = max(found, key=lambda values: values.size)
    return np.asarray(chosen, np.float32 if chosen.dtype == np.float32 else np.float64)


def _decompress(path: Path, content: memoryview, watch: ReadProgress) -> bytes:
    most = min(MAX_UNPACKED_BYTES, max(UNCHECKED_BYTES, MAX_RATIO * len(content)))
    unpacking = zlib.decompressobj()
    pieces: list[bytes] = []
    done = 0
    left: bytes | memoryview = content
    while left and not unpacking.eof:
        pieces.append(unpacking.decompress(left, CHUNK_BYTES))
        left = unpacking.unconsumed_tail
        done += len(pieces[-1])
        if done > most:
            raise FormatError(path, f"would unpack to more than {most / 2**20:.0f} MiB, beyond the decompression limit")
        watch.step(path, len(content) - len(left), len(content))
    return b"".join(pieces)


def _array(content: memoryview, order: str) -> _MatArray | None:
    """A full array of real numbers; None for anything else."""
    parts = _elements(content, order)
    (flags,) = struct.unpack_from(f"{order}I", next(parts, (0, content[:0]))[1])
    if flags & 0xFF not in NUMERIC_CLASSES or flags & COMPLEX_FLAG:
        return None
    shape = np.frombuffer(next(parts, (0, content[:0]))[1], f"{order}i4").tolist()
    name = bytes(next(parts, (0, content[:0]))[1]).decode("latin-1")
    kind, numbers = next(parts, (0, content[:0]))
    if kind not in ELEMENT_TYPES or any(length < 0 for length in shape):
        raise ValueError("an array has no numbers")
    values = np.frombuffer(numbers, f"{order}{ELEMENT_TYPES[kind]}")
    single = flags & 0xFF == NUMERIC_CLASSES[1]
    return _MatArray(name, values.reshape(shape, order="F").astype(np.float32 if single else np.float64, copy=False))
