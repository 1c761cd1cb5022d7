"""Read unlabelled distance matrices: ASCII, `.npy`, `.npz`, `.mat` and headerless binary."""

import zipfile
from dataclasses import dataclass
from io import BytesIO
from math import prod
from pathlib import Path
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Cancelled, DistanceRows, Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.core.reader import ParsedRun
from shrec_viewer.formats.io.blocks import read_whole_file
from shrec_viewer.formats.io.compressed import MAX_RATIO, UNCHECKED_BYTES
from shrec_viewer.formats.io.file_matrix import FileMatrix
from shrec_viewer.formats.io.file_version import FileVersion, version_of
from shrec_viewer.formats.io.limits import MAX_ARRAY_BYTES
from shrec_viewer.formats.io.npy_header import NpyHeaderError, read_npy_header
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, looks_like_text, os_error_text, read_file_head
from shrec_viewer.formats.matrices.mat import is_mat, read_mat
from shrec_viewer.formats.matrices.text_matrix import is_text_matrix, read_text_matrix

ZIP_MAGIC = b"PK\x03\x04"
NAME_OFFSET = 30
"""Offset of the name of the first member of a zip file; its length is four bytes before."""


def is_npz(head: FileHead) -> bool:
    """Whether a file is a zip whose first member is a ``.npy`` file."""
    length = int.from_bytes(head.data[26:28], "little")
    return head.data.startswith(ZIP_MAGIC) and head.data[NAME_OFFSET : NAME_OFFSET + length].endswith(b".npy")


def read_npz(path: Path, progress: ReadProgress = NO_PROGRESS) -> tuple[NDArray[np.floating], list[Finding]]:
    """Matrix of a file, (R, M) float; of several the largest, with a finding.

    Raises
    ------
    FormatError
        When the file is damaged, or contains no matrix of real numbers.
    """
    head = read_file_head(path)
    findings: list[Finding] = []
    try:
        source = BytesIO(read_whole_file(path, head.size, progress)) if head.packed else path
        with zipfile.ZipFile(source) as archive, catch_warnings():
            simplefilter("ignore")  # about headers written by Python 2
            found = _npz_matrices(path, archive, findings, progress)
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    except (FormatError, Cancelled):
        raise
    except Exception as error:  # zipfile and numpy raise many types on damaged files
        raise FormatError(path, "is a damaged .npz file") from error
    if not found:
        raise FormatError(path, "contains no matrix of real numbers")
    name, values = max(found, key=lambda item: item[1].size)
    if len(found) > 1:
        names = [f"'{other}' ({matrix.shape[0]:,} x {matrix.shape[1]:,})" for other, matrix in found]
        message = f"contains {len(found)} matrices: {join_some(names)}"
        findings.append(Finding(Severity.WARNING, str(path), None, message, f"the largest, '{name}', is read"))
    dtype = np.float32 if values.dtype in (np.float16, np.float32) else np.float64
    return np.asarray(values, dtype), findings


def _npz_matrices(
    path: Path, archive: zipfile.ZipFile, findings: list[Finding], progress: ReadProgress
) -> list[tuple[str, NDArray[np.generic]]]:
    """Name and values of each array of real numbers with two axes longer than 1, the first of those with one name."""
    found: dict[str, NDArray[np.generic]] = {}
    done = 0
    for member in archive.infolist():
        if member.file_size > min(MAX_ARRAY_BYTES, max(UNCHECKED_BYTES, MAX_RATIO * member.compress_size)):
            raise FormatError(path, f"'{member.filename}' is beyond the decompression limit")
        with archive.open(member) as stream:
            shape, fortran, dtype = read_npy_header(stream)
            if len(shape) == 2 and min(shape) > 1 and dtype.kind in "fiub" and dtype.itemsize <= 8:
                data = stream.read()
                values = np.frombuffer(data, dtype, shape[0] * shape[1])
                if len(data) > values.nbytes:
                    findings.append(_surplus_finding(path, len(data) - values.nbytes, f"'{member.filename}'"))
                values = values.reshape(shape, order="F" if fortran else "C")
                name = member.filename.removesuffix(".npy")
                if name in found:
                    message = f"'{name}' is in the file twice"
                    findings.append(Finding(Severity.ERROR, str(path), None, message, "the first one is used"))
                found.setdefault(name, values)
        done += member.file_size
        progress.step(path, done, done)
    return list(found.items())


NPY_MAGIC = b"\x93NUMPY"

PLAUSIBLE_RANGE = (1e-15, 1e15)
"""Range of absolute values of distances. Of float32 values with random bits, 40 % are in it."""

MIN_PLAUSIBLE_SHARE = 0.99
"""Minimum share of values in `PLAUSIBLE_RANGE` for a type to be recognised, among those that are no mark."""

MIN_MARK = 1e38
"""Absolute value from which a number is a mark for a distance that is not computed, such as FLT_MAX, inf and NaN."""

MIN_KNOWN_SHARE = 0.5
"""Minimum share of values that are no mark; bytes that are all 255 are NaN in every type."""

MIN_ZERO_SHARE = 0.9
"""Minimum share of zeros among the lower halves of float64 values that are short decimals; others have digits there."""

MAX_LOADED_BYTES = 2**25
"""Size up to which a matrix is loaded into memory: 20 matrices of 1,814 models take half a gigabyte.

Larger ones are read by blocks of rows whenever they are ranked, so that memory does not limit the number of runs.
"""

BINARY_TYPES = ("<f4", "<f8", ">f4", ">f8")
"""Types in the order in which they are tried; the tools of Princeton write float32 in native byte order."""


@dataclass(frozen=True, eq=False)
class MatrixFile(ParsedRun):
    """A matrix without row and column names.

    Attributes
    ----------
    path : the file.
    values : (R, M) float, or (n,) if the file does not define rows. Of large files a `FileMatrix`.
    kind : "text", "npy", "mat" or "binary".
    findings : `file` is the full path.
    """

    path: Path
    values: DistanceRows
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
    """Whether the file begins with the magic bytes of ``.npy``."""
    return head.data.startswith(NPY_MAGIC)


def is_binary_matrix(head: FileHead) -> bool:
    """Whether the bytes are plausible floating-point numbers."""
    return head.size >= 8 and head.size % 4 == 0 and not looks_like_text(head.data) and _guess_type(head) is not None


def is_matrix(head: FileHead) -> bool:
    """Whether the file looks like a matrix of any format."""
    return is_npy(head) or is_npz(head) or is_mat(head) or is_text_matrix(head) or is_binary_matrix(head)


def read_matrix(path: Path, progress: ReadProgress = NO_PROGRESS) -> MatrixFile:
    """Read a matrix of any format, recognised by content: tools of SHREC 2012 write ASCII into `.matrix` files.

    Raises
    ------
    FormatError
        When the file does not contain numbers, or is truncated.
    """
    version = version_of(path)
    head = read_file_head(path)
    if head.size == 0:
        raise FormatError(path, "is empty")
    if is_npy(head):
        return _read_npy(path, head, version, progress)
    if is_npz(head):
        numbers, notes = read_npz(path, progress)
        return MatrixFile(path, numbers, "npy", tuple(notes))
    if is_mat(head):
        numbers, notes = read_mat(path, progress)
        return MatrixFile(path, numbers, "mat", tuple(notes))
    if looks_like_text(head.data):
        values, findings = read_text_matrix(path, progress)
        return MatrixFile(path, values, "text", tuple(findings))
    return _read_binary(path, head, version, progress)


def _read_npy(path: Path, head: FileHead, version: FileVersion | None, progress: ReadProgress) -> MatrixFile:
    data = read_whole_file(path, head.size, progress) if head.packed else b""
    size = len(data) if head.packed else head.size
    findings: tuple[Finding, ...] = ()
    try:
        with BytesIO(data) if head.packed else path.open("rb") as stream, catch_warnings(record=True) as warned:
            simplefilter("always")
            shape, fortran, dtype = read_npy_header(stream)
            offset = stream.tell()
        if warned:  # `(34L, 34L)`
            message = "its header was written by Python 2"
            findings = (Finding(Severity.INFO, str(path), None, message, "read normally"),)
    except NpyHeaderError as error:
        raise FormatError(path, str(error)) from error
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    if dtype.hasobject or dtype.kind not in "fiub" or dtype.itemsize > 8:
        raise FormatError(path, f"contains '{dtype}', a matrix of real numbers is expected")
    if len(shape) not in (1, 2) or not all(0 < length < 2**31 for length in shape):
        size_text = " x ".join(map(str, shape)) or "a single number"
        raise FormatError(path, f"contains an array of shape {size_text}, a matrix with rows and columns is expected")
    count = prod(shape)
    needed = offset + count * dtype.itemsize
    if size < needed:
        raise FormatError(path, f"is truncated: {size:,} bytes, its header declares {needed:,}")
    if size > needed:
        findings += (_surplus_finding(path, size - needed),)
    # Integers as float64, which is exact up to 2^53; float16 as float32.
    read_dtype = np.dtype(np.float64) if dtype.kind != "f" else np.dtype(np.float32) if dtype.itemsize < 4 else dtype
    if head.packed:
        unpacked = np.frombuffer(data, dtype, count, offset).reshape(shape, order="F" if fortran else "C")
        return MatrixFile(path, np.asarray(unpacked, read_dtype), "npy", findings)
    is_transposed = fortran and len(shape) == 2
    stored = FileMatrix(path, dtype, offset, shape[::-1] if is_transposed else shape, version, read_dtype)
    return MatrixFile(path, _values(stored, is_transposed=is_transposed), "npy", findings)


def _surplus_finding(path: Path, n_bytes: int, name: str = "the matrix") -> Finding:
    """Error about bytes after a matrix: its header declares another type or shape than was written."""
    message = f"{count_of(n_bytes, 'byte')} after {name}, beyond what its header declares"
    return Finding(Severity.ERROR, str(path), None, message, "ignored")


def _values(stored: FileMatrix, *, is_transposed: bool = False) -> DistanceRows:
    """Read-only values of a file, or of its transpose; loaded up to `MAX_LOADED_BYTES`."""
    if stored.nbytes > MAX_LOADED_BYTES:
        return stored.transposed() if is_transposed else stored
    loaded = np.asarray(stored)
    loaded.flags.writeable = False
    return loaded.T if is_transposed else loaded


def _guess_type(head: FileHead) -> np.dtype[np.floating] | None:
    """Type for which the head of a file contains plausible distances, or None."""
    for name in BINARY_TYPES:
        dtype: np.dtype[np.floating] = np.dtype(name)
        if head.size % dtype.itemsize:
            continue
        values = np.frombuffer(head.data[: len(head.data) // dtype.itemsize * dtype.itemsize], dtype)
        with np.errstate(invalid="ignore"):
            size = np.abs(values.astype(np.float64))
        is_mark = ~(size < MIN_MARK)
        plausible = (size == 0) | ((size > PLAUSIBLE_RANGE[0]) & (size < PLAUSIBLE_RANGE[1]))
        n_known = int(np.count_nonzero(~is_mark))
        is_known = n_known > MIN_KNOWN_SHARE * len(values)
        if is_known and plausible.sum() >= MIN_PLAUSIBLE_SHARE * n_known and not _looks_like_float64(values):
            return dtype
    return None


def _looks_like_float64(values: NDArray[np.floating]) -> bool:
    """Whether float32 values are halves of float64 values: the lower halves of short decimals are zero."""
    if values.itemsize != 4 or len(values) < 4 or len(values) % 2:
        return False
    low, high = (values[0::2], values[1::2]) if values.dtype.str[0] in "<=" else (values[1::2], values[0::2])
    return bool(np.mean(low == 0) >= MIN_ZERO_SHARE and np.mean(high != 0) > 1 - MIN_ZERO_SHARE)


def _whole_values(data: bytes, dtype: np.dtype[np.floating]) -> bytes:
    """Bytes up to the last complete number."""
    return data[: len(data) // dtype.itemsize * dtype.itemsize]


def _read_binary(path: Path, head: FileHead, version: FileVersion | None, progress: ReadProgress) -> MatrixFile:
    dtype = _guess_type(head)
    if dtype is None:
        raise FormatError(path, "is neither text nor a sequence of plausible float32 or float64 numbers")
    values: DistanceRows
    if head.packed:
        values = np.frombuffer(_whole_values(read_whole_file(path, head.size, progress), dtype), dtype)
    else:
        values = _values(FileMatrix(path, dtype, 0, (head.size // dtype.itemsize,), version, dtype))
    findings = []
    if dtype.str.startswith(">"):
        message = "the values are plausible in big-endian byte order only"
        findings.append(Finding(Severity.WARNING, str(path), None, message, "read as big-endian"))
    return MatrixFile(path, values, "binary", tuple(findings))
