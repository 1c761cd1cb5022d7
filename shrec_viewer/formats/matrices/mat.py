"""Read the largest numeric matrix of a MATLAB file, versions 4 to 7 (`scipy.io` is not a dependency)."""

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
from shrec_viewer.formats.io.compressed import MAX_RATIO, UNCHECKED_BYTES
from shrec_viewer.formats.io.limits import MAX_ARRAY_BYTES
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, read_file_head

HEADER = 128
ENDIAN = {b"IM": "<", b"MI": ">"}
HDF_MAGIC = b"\x89HDF"
MAT73_TITLE = b"MATLAB 7.3"

ELEMENT_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
"""Types of data elements (miINT8 and so on); a matrix may be stored in a smaller type than its own."""

MATRIX, COMPRESSED = 14, 15
NUMERIC_CLASSES = range(6, 16)
"""mxDOUBLE_CLASS to mxUINT64_CLASS, dense arrays; smaller values are text, cells, structures and sparse arrays."""

COMPLEX_FLAG = 0x0800

STRUCTURE_CLASS = 2
FIELDS_AT = 5
"""Elements of a structure before its fields: flags, shape, name, length of field names, field names."""

MAT4_HEADER = 20
MAX_NAME_BYTES = 64
MAT4_TYPES = {0: "<f8", 10: "<f4", 20: "<i4", 30: "<i2", 40: "<u2", 50: "u1"}
"""Types of dense matrices in version 4, little-endian."""


def is_mat(head: FileHead) -> bool:
    """Whether a file begins like one of MATLAB, including version 7.3, which `read_mat` rejects with a message."""
    if head.data.startswith(MAT73_TITLE) or (head.data.startswith(HDF_MAGIC) and head.path.suffix.lower() == ".mat"):
        return True
    return (head.data.startswith(b"MATLAB") and head.data[126:128] in ENDIAN) or _is_mat4(head.data)


@dataclass(frozen=True, eq=False)
class _MatArray:
    name: str
    values: NDArray[np.generic]


def read_mat(path: Path, progress: ReadProgress = NO_PROGRESS) -> tuple[NDArray[np.floating], list[Finding]]:
    """Matrix of a file, (R, M) float; of several the largest, with a finding.

    Raises
    ------
    FormatError
        When the file has another version, is damaged, or contains no matrix of real numbers.

    Notes
    -----
    Source: The MathWorks, "MAT-File Format", level 5.
    """
    data = read_whole_file(path, read_file_head(path).size, progress)
    if data.startswith((MAT73_TITLE, HDF_MAGIC)):
        raise FormatError(path, "is a MATLAB 7.3 file, which is not supported; save it with the option -v7")
    if _is_mat4(data):
        return _read_mat4(path, data)
    order = ENDIAN.get(data[126:128])
    if order is None or len(data) < HEADER:
        raise FormatError(path, "has no header of a MATLAB file")
    try:
        arrays = list(_arrays(path, memoryview(data)[HEADER:], order, progress))
    except (struct.error, ValueError, zlib.error, OverflowError, RecursionError) as error:
        raise FormatError(path, "is a damaged MATLAB file") from error
    matrices = [found for found in arrays if found.values.ndim == 2 and min(found.values.shape) > 1]
    if not matrices:
        raise FormatError(path, "contains no matrix of real numbers")
    chosen = max(matrices, key=lambda found: found.values.size)
    findings = []
    if len(matrices) > 1:
        names = [f"'{found.name}' ({found.values.shape[0]} x {found.values.shape[1]})" for found in matrices]
        message = f"contains {len(matrices)} matrices: {join_some(names)}"
        findings.append(Finding(Severity.WARNING, str(path), None, message, f"the largest, '{chosen.name}', is read"))
    dtype = np.float32 if chosen.values.dtype == np.float32 else np.float64
    return np.asarray(chosen.values, dtype), findings


def _elements(data: memoryview, order: str) -> Iterator[tuple[int, memoryview]]:
    """Type and content of each data element."""
    position = 0
    while position + 8 <= len(data):
        kind, size = struct.unpack_from(f"{order}II", data, position)
        if kind >> 16:  # small element: type, size and up to four bytes of data in eight bytes
            kind, size, start, end = kind & 0xFFFF, kind >> 16, position + 4, position + 8
            if size > 4:
                raise ValueError("a small element is too large")
        else:
            start = position + 8
            end = start + size if kind == COMPRESSED else start + (size + 7) // 8 * 8
        if start + size > len(data):
            raise ValueError("an element exceeds the file")
        yield kind, data[start : start + size]
        position = end


def _arrays(path: Path, data: memoryview, order: str, progress: ReadProgress) -> Iterator[_MatArray]:
    for kind, content in _elements(data, order):
        if kind == COMPRESSED:
            yield from _arrays(path, memoryview(_decompress(path, content, progress)), order, progress)
        elif kind == MATRIX:
            yield from _matrix(content, order)


def _matrix(content: memoryview, order: str) -> Iterator[_MatArray]:
    """A dense array of real numbers, or those among the fields of a structure."""
    parts = list(_elements(content, order))
    if parts and struct.unpack_from(f"{order}I", parts[0][1])[0] & 0xFF == STRUCTURE_CLASS:
        names = bytes(parts[4][1]) if len(parts) > FIELDS_AT else b""
        width = struct.unpack_from(f"{order}i", parts[3][1])[0] if len(parts) > FIELDS_AT else 0
        for index, (kind, part) in enumerate(parts[FIELDS_AT:]):
            name = names[index * width : (index + 1) * width].split(b"\0")[0].decode("latin-1")
            for found in _matrix(part, order) if kind == MATRIX else ():
                yield _MatArray(f"{name}.{found.name}".strip("."), found.values)
    elif (single := _array(content, order)) is not None:
        yield single


def _is_mat4(data: bytes) -> bool:
    """Whether data begin like a file of version 4: five integers and a zero-terminated name."""
    if len(data) < MAT4_HEADER:
        return False
    kind, rows, columns, imaginary, length = struct.unpack_from("<5I", data)
    if kind not in MAT4_TYPES or imaginary > 1 or not 1 < length <= MAX_NAME_BYTES or not (rows and columns):
        return False
    name = data[MAT4_HEADER : MAT4_HEADER + length]
    return name[-1:] == b"\0" and name[:-1].decode("latin-1").isidentifier()


def _read_mat4(path: Path, data: bytes) -> tuple[NDArray[np.floating], list[Finding]]:
    """The largest matrix of a file of version 4, little-endian; bytes after the last one are an error finding."""
    found: list[NDArray[np.generic]] = []
    position = 0
    while _is_mat4(data[position : position + MAT4_HEADER + MAX_NAME_BYTES]):
        kind, rows, columns, imaginary, length = struct.unpack_from("<5I", data, position)
        dtype = np.dtype(MAT4_TYPES[kind])
        start, size = position + MAT4_HEADER + length, rows * columns * dtype.itemsize
        if start + size > len(data):
            raise FormatError(path, "is a damaged MATLAB file")
        if min(rows, columns) > 1 and not imaginary:
            found.append(np.frombuffer(data, dtype, rows * columns, start).reshape((rows, columns), order="F"))
        position = start + size * (1 + imaginary)
    if not found:
        raise FormatError(path, "contains no matrix of real numbers")
    chosen = max(found, key=lambda values: values.size)
    findings = []
    if position < len(data):
        message = f"{len(data) - position:,} bytes after the last matrix, beyond what its header declares"
        findings.append(Finding(Severity.ERROR, str(path), None, message, "ignored"))
    return np.asarray(chosen, np.float32 if chosen.dtype == np.float32 else np.float64), findings


def _decompress(path: Path, content: memoryview, progress: ReadProgress) -> bytes:
    max_bytes = min(MAX_ARRAY_BYTES, max(UNCHECKED_BYTES, MAX_RATIO * len(content)))
    decompressor = zlib.decompressobj()
    pieces: list[bytes] = []
    done = 0
    remaining: bytes | memoryview = content
    while remaining and not decompressor.eof:
        pieces.append(decompressor.decompress(remaining, CHUNK_BYTES))
        remaining = decompressor.unconsumed_tail
        done += len(pieces[-1])
        if done > max_bytes:
            message = f"would unpack to more than {max_bytes / 2**20:.0f} MiB, beyond the decompression limit"
            raise FormatError(path, message)
        progress.step(path, len(content) - len(remaining), len(content))
    if not decompressor.eof:  # the checksum at the end was not compared
        raise ValueError("a compressed element is truncated")
    return b"".join(pieces)


def _array(content: memoryview, order: str) -> _MatArray | None:
    """A dense array of real numbers; None for other elements."""
    parts = _elements(content, order)
    (flags,) = struct.unpack_from(f"{order}I", next(parts, (0, content[:0]))[1])
    if flags & 0xFF not in NUMERIC_CLASSES or flags & COMPLEX_FLAG:
        return None
    shape = np.frombuffer(next(parts, (0, content[:0]))[1], f"{order}i4").tolist()
    name = bytes(next(parts, (0, content[:0]))[1]).decode("latin-1")
    kind, numbers = next(parts, (0, content[:0]))
    if kind not in ELEMENT_TYPES or any(length < 0 for length in shape):
        raise ValueError("an array contains no numbers")
    values = np.frombuffer(numbers, f"{order}{ELEMENT_TYPES[kind]}")
    is_single = flags & 0xFF == NUMERIC_CLASSES[1] and values.dtype.itemsize <= 4  # doubles could overflow
    return _MatArray(name, values.reshape(shape, order="F").astype(np.float32 if is_single else np.float64, copy=False))
