"""Read unlabelled distance matrices: ASCII, `.npy`, `.npz`, `.mat` and headerless binary."""

import zipfile
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from typing import Any, Literal
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.core.readers import ParsedRun
from shrec_viewer.formats.io.blocks import read_whole_file
from shrec_viewer.formats.io.compressed import MAX_RATIO, MAX_UNPACKED_BYTES, UNCHECKED_BYTES
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, looks_like_text, os_error_text, read_file_head
from shrec_viewer.formats.matrices.mat import is_mat, read_mat
from shrec_viewer.formats.matrices.text_matrix import is_text_matrix, read_text_matrix

ZIP_MAGIC = b"PK\x03\x04"
NAME_AT = 30
"""Where the name of the first member stands in a zip; its length stands four bytes before."""


def is_npz(head: FileHead) -> bool:
    """Whether it is a zip whose first member is called an array."""
    length = int.from_bytes(head.data[26:28], "little")
    return head.data.startswith(ZIP_MAGIC) and head.data[NAME_AT : NAME_AT + length].endswith(b".npy")


def read_npz(path: Path, watch: ReadProgress = NO_PROGRESS) -> tuple[NDArray[np.floating], list[Finding]]:
    """The matrix of a file, (R, M) float; the largest where there are several, with a finding.

    Raises
    ------
    FormatError
        When the file is damaged, or holds no matrix of real numbers.
    """
    head = read_file_head(path)
    try:
        source = BytesIO(read_whole_file(path, head.size, watch)) if head.packed else path
        with zipfile.ZipFile(source) as archive, catch_warnings():
            simplefilter("ignore")  # of headers that Python 2 wrote
            found = _npz_matrices(path, archive, watch)
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    except (FormatError, Cancelled):
        raise
    except Exception as error:  # zipfile and numpy let nearly anything through for broken files
        raise FormatError(path, "is a damaged .npz file") from error
    if not found:
        raise FormatError(path, "holds no matrix of real numbers")
    name, values = max(found, key=lambda item: item[1].size)
    findings = []
    if len(found) > 1:
        names = [f"'{other}' ({matrix.shape[0]:,} x {matrix.shape[1]:,})" for other, matrix in found]
        message = f"holds {len(found)} matrices: {join_some(names)}"
        findings.append(Finding(Severity.WARNING, str(path), None, message, f"'{name}' is read, the largest"))
    wide = np.float32 if values.dtype in (np.float16, np.float32) else np.float64
    return np.asarray(values, wide), findings


def _npz_matrices(path: Path, archive: zipfile.ZipFile, watch: ReadProgress) -> list[tuple[str, NDArray[np.generic]]]:
    """Name and values of each array with two axes longer than 1 that holds real numbers."""
    found = []
    done = 0
    for member in archive.infolist():
        if member.file_size > min(MAX_UNPACKED_BYTES, max(UNCHECKED_BYTES, MAX_RATIO * member.compress_size)):
            raise FormatError(path, f"'{member.filename}' would unpack to far more than real data does")
        with archive.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = header(stream)
            if len(shape) == 2 and min(shape) > 1 and dtype.kind in "fiub" and dtype.itemsize <= 8:
                values = np.frombuffer(stream.read(), dtype, shape[0] * shape[1])
                values = values.reshape(shape, order="F" if fortran else "C")
                found.append((member.filename.removesuffix(".npy"), values))
        done += member.file_size
        watch.step(path, done, done)
    return found


NPY_MAGIC = b"\x93NUMPY"

PLAUSIBLE_RANGE = (1e-15, 1e15)
"""Sizes of distances that anybody writes. Random bytes read as float32 lie within only in 4 cases of 10."""

MIN_PLAUSIBLE_SHARE = 0.99
"""Share of plausible numbers from which bytes count as numbers of a type; a few may be NaN."""

MMAP_FROM_BYTES = 2**25
"""Bytes from which a file is mapped, not loaded: below, 20 matrices of 1,814 models fit into half a gigabyte, and a
program that writes such a file anew cannot pull it away from under ours."""

BINARY_TYPES = ("<f4", "<f8", ">f4", ">f8")
"""Types that are tried, in this order; Princeton's tools write float32 in the machine's byte order."""


@dataclass(frozen=True, eq=False)
class MatrixFile(ParsedRun):
    """A matrix as it stands, its rows and columns without names.

    Attributes
    ----------
    path : the file.
    values : (R, M) float, or (n,) where the file does not say where a row ends. Mapped from the file where it is large.
    kind : "text", "npy", "mat" or "binary".
    findings : what was noticed; their `file` is the full path.
    """

    path: Path
    values: NDArray[np.floating]
    kind: str
    findings: tuple[Finding, ...] = ()

    def matrix_shape(self) -> tuple[int, ...] | None:
        """Shape of the values."""
        return self.values.shape

    def summary(self) -> str:
        """Shape of the values."""
        if self.values.ndim == 2:
            return f"matrix of {self.values.shape[0]:,} x {self.values.shape[1]:,} numbers"
        return f"{count_of(self.values.size, 'number')} in one sequence"


def is_npy(head: FileHead) -> bool:
    """Whether the file begins with NumPy's magic bytes."""
    return head.data.startswith(NPY_MAGIC)


def is_binary_matrix(head: FileHead) -> bool:
    """Whether the bytes are nothing but plausible floating-point numbers."""
    return head.size >= 8 and head.size % 4 == 0 and not looks_like_text(head.data) and _type(head) is not None


def is_matrix(head: FileHead) -> bool:
    """Whether the file looks like any kind of matrix."""
    return is_npy(head) or is_npz(head) or is_mat(head) or is_text_matrix(head) or is_binary_matrix(head)


def read_matrix(path: Path, watch: ReadProgress = NO_PROGRESS) -> MatrixFile:
    """A matrix in any of these kinds, told apart by content: SHREC 2012's tools write ASCII into `.matrix` files.

    Raises
    ------
    FormatError
        When the bytes are no numbers, or not enough of them.
    """
    head = read_file_head(path)
    if head.size == 0:
        raise FormatError(path, "is empty")
    if is_npy(head):
        return _read_npy(path, head, watch)
    if is_npz(head):
        numbers, notes = read_npz(path, watch)
        return MatrixFile(path, numbers, "npy", tuple(notes))
    if is_mat(head):
        numbers, notes = read_mat(path, watch)
        return MatrixFile(path, numbers, "mat", tuple(notes))
    if looks_like_text(head.data):
        values, findings = read_text_matrix(path, watch)
        return MatrixFile(path, values, "text", tuple(findings))
    return _read_binary(path, head, watch)


def _read_npy(path: Path, head: FileHead, watch: ReadProgress) -> MatrixFile:
    data = read_whole_file(path, head.size, watch) if head.packed else b""
    size = len(data) if head.packed else head.size
    findings: tuple[Finding, ...] = ()
    try:
        with BytesIO(data) if head.packed else path.open("rb") as stream, catch_warnings(record=True) as warned:
            simplefilter("always")
            version = np.lib.format.read_magic(stream)
            header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
            shape, fortran, dtype = header(stream)
            offset = stream.tell()
        if warned:  # `(34L, 34L)`
            message = "its header was written by Python 2"
            findings = (Finding(Severity.INFO, str(path), None, message, "read all the same"),)
    except Exception as error:  # numpy lets SyntaxError, TokenError, TypeError and more through for broken headers
        raise FormatError(path, "has a broken NumPy header") from error
    if dtype.hasobject or dtype.kind not in "fiub" or dtype.itemsize > 8:
        raise FormatError(path, f"holds '{dtype}', a matrix of real numbers is expected")
    if len(shape) not in (1, 2) or not all(0 < length < 2**31 for length in shape):
        written = " x ".join(map(str, shape)) or "a single number"
        raise FormatError(path, f"holds an array of shape {written}, a matrix with rows and columns is expected")
    count = prod(shape)
    needed = offset + count * dtype.itemsize
    if size < needed:
        raise FormatError(path, f"ends too early: {size:,} bytes, its header declares {needed:,}")
    try:
        order: Literal["F", "C"] = "F" if fortran else "C"
        if head.packed:
            values = np.frombuffer(data, dtype, count, offset).reshape(shape, order=order)
        else:
            values = _values(path, dtype, offset, shape, order)
    except (OSError, ValueError) as error:
        raise FormatError(path, "cannot be mapped into memory") from error
    if dtype.kind != "f" or dtype.itemsize < 4:
        return MatrixFile(path, np.asarray(values, np.float64 if dtype.kind != "f" else np.float32), "npy", findings)
    return MatrixFile(path, values, "npy", findings)


def _values(
    path: Path, dtype: np.dtype[Any], at: int = 0, shape: tuple[int, ...] | None = None, order: Literal["F", "C"] = "C"
) -> NDArray[Any]:
    """Numbers of a file, mapped where they are many. What is loaded cannot be written to, either."""
    mapped = np.memmap(path, dtype, "r", at, shape, order)
    if mapped.nbytes >= MMAP_FROM_BYTES:
        return mapped
    loaded = np.array(mapped, order=order)
    loaded.flags.writeable = False
    return loaded


def _type(head: FileHead) -> np.dtype[np.floating] | None:
    """Type under which the beginning of a file holds plausible distances."""
    for name in BINARY_TYPES:
        dtype: np.dtype[np.floating] = np.dtype(name)
        if head.size % dtype.itemsize:
            continue
        values = np.frombuffer(head.data[: len(head.data) // dtype.itemsize * dtype.itemsize], dtype)
        with np.errstate(invalid="ignore"):
            size = np.abs(values.astype(np.float64))
        plausible = (size == 0) | ((size > PLAUSIBLE_RANGE[0]) & (size < PLAUSIBLE_RANGE[1]))
        if plausible.size and plausible.mean() >= MIN_PLAUSIBLE_SHARE and not _looks_like_float64(values):
            return dtype
    return None


def _looks_like_float64(values: NDArray[np.floating]) -> bool:
    """Whether float32 values look like halves of float64 ones: the low halves of short numbers are zero."""
    if values.itemsize != 4 or len(values) < 4 or len(values) % 2:
        return False
    low, high = (values[0::2], values[1::2]) if values.dtype.str[0] in "<=" else (values[1::2], values[0::2])
    return not low.any() and bool(high.any())


def _whole_values(data: bytes, dtype: np.dtype[np.floating]) -> bytes:
    """Bytes without what is left over of the last number."""
    return data[: len(data) // dtype.itemsize * dtype.itemsize]


def _read_binary(path: Path, head: FileHead, watch: ReadProgress) -> MatrixFile:
    dtype = _type(head)
    if dtype is None:
        raise FormatError(path, "is no text and no sequence of plausible float32 or float64 numbers")
    try:
        values = (
            np.frombuffer(_whole_values(read_whole_file(path, head.size, watch), dtype), dtype)
            if head.packed
            else _values(path, dtype)
        )
    except (OSError, ValueError) as error:
        raise FormatError(path, "cannot be mapped into memory") from error
    findings = []
    if dtype.str.startswith(">"):
        message = "the numbers make sense in the other byte order only (big-endian)"
        findings.append(Finding(Severity.WARNING, str(path), None, message, "read in that byte order"))
    return MatrixFile(path, values, "binary", tuple(findings))
