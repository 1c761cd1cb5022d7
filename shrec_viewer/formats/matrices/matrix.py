"""Read distance matrices: ASCII, also with ids in the first line or column, `.npy`, `.npz` and MATLAB files."""

import re
import struct
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from io import BytesIO
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceRows, Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.core.ids import COLLECTION_WORDS, QUERY_WORDS
from shrec_viewer.formats.core.reader import ParsedRun
from shrec_viewer.formats.io.array_files import DiskArray, FileMatrix, NpyHeaderError, read_dtype, read_npy_header
from shrec_viewer.formats.io.files import FileVersion, check_unpacked, version_of
from shrec_viewer.formats.io.limits import MAX_ARRAY_BYTES, MAX_IDS, check_counts
from shrec_viewer.formats.io.progress import CHUNK_BYTES, NO_PROGRESS, ReadProgress, read_blocks, read_whole_file
from shrec_viewer.formats.io.tables import split_row
from shrec_viewer.formats.io.text import (
    HEAD_BYTES,
    FileHead,
    decode,
    is_number,
    library_errors,
    os_error_text,
    os_errors,
    read_file_head,
    read_or_none,
    read_text,
    with_point,
)
from shrec_viewer.formats.matrices.text_matrix import is_text_matrix, read_text_matrix
from shrec_viewer.formats.runs.trec import parse_numbers

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo


#: `Finding.key`: only one of the matrices of a file is read.
SEVERAL_MATRICES = "several-matrices"

#: Bytes of the header of a MATLAB file of level 5.
HEADER = 128

#: Byte order by the last two bytes of that header.
ENDIAN = {b"IM": "<", b"MI": ">"}

HDF_MAGIC = b"\x89HDF"
MAT73_TITLE = b"MATLAB 7.3"

#: Types of data elements (miINT8 and so on); a matrix may be stored in a smaller type than its own.
ELEMENT_TYPES = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}

#: Types miMATRIX and miCOMPRESSED.
MATRIX, COMPRESSED = 14, 15

#: mxDOUBLE_CLASS to mxUINT64_CLASS, dense arrays; smaller values are text, cells, structures and sparse arrays.
NUMERIC_CLASSES = range(6, 16)

COMPLEX_FLAG = 0x0800

#: Bytes of an array before the element of its shape, and of a shape of two axes.
SHAPE_AT, SHAPE_BYTES = 16, 8

STRUCTURE_CLASS = 2
#: Elements of a structure before its fields: flags, shape, name, length of field names, field names.
FIELDS_AT = 5

MAT4_HEADER = 20
MAX_NAME_BYTES = 64
#: Types of dense matrices in version 4, little-endian.
MAT4_TYPES = {0: "<f8", 10: "<f4", 20: "<i4", 30: "<i2", 40: "<u2", 50: "u1"}


def is_mat(head: FileHead) -> bool:
    """Whether a file starts like one of MATLAB, including version 7.3, which `read_mat` rejects with a message."""
    if head.data.startswith(MAT73_TITLE) or (head.data.startswith(HDF_MAGIC) and head.path.suffix.lower() == ".mat"):
        return True
    return (head.data.startswith(b"MATLAB") and head.data[126:128] in ENDIAN) or _is_mat4(head.data)


@dataclass(frozen=True, eq=False)
class NamedArray:
    """An array of a file with several, with the ids of its rows, and of its columns, if the file has them."""

    name: str
    values: DistanceRows
    ids: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()


def read_mat(path: Path, progress: ReadProgress = NO_PROGRESS) -> tuple[list["NamedArray"], list[Finding]]:
    """Matrices of a file, (R, M) float.

    Raises
    ------
    FormatError
        When the file has another version, is damaged, or contains no matrix of real numbers.

    Notes
    -----
    Source: The MathWorks, "MAT-File Format", level 5.
    """
    head = read_file_head(path)
    if head.data.startswith((MAT73_TITLE, HDF_MAGIC)):
        raise FormatError(path, "is a MATLAB 7.3 file, which is not supported; save it with the option -v7")
    if shape := _declared_shape(head.data):
        check_counts(path, *shape)
    data = read_whole_file(path, head.size, progress)
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
    return matrices, []


def _declared_shape(data: bytes) -> tuple[int, int] | None:
    """Shape of the first matrix of a file, by its first bytes; None where they do not show it."""
    if _is_mat4(data):
        return struct.unpack_from("<5I", data)[1:3]
    order = ENDIAN.get(data[126:128], "<")
    with suppress(struct.error, zlib.error):
        (kind,) = struct.unpack_from(f"{order}I", data, HEADER)
        content = data[HEADER + 8 :]
        if kind == COMPRESSED:
            content = zlib.decompressobj().decompress(content, HEAD_BYTES)[8:]
        _, n_axes, *shape = struct.unpack_from(f"{order}IIii", content, SHAPE_AT)
        return (shape[0], shape[1]) if n_axes == SHAPE_BYTES else None
    return None


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


def _arrays(path: Path, data: memoryview, order: str, progress: ReadProgress) -> Iterator[NamedArray]:
    for kind, content in _elements(data, order):
        if kind == COMPRESSED:
            yield from _arrays(path, memoryview(_decompress(path, content, progress)), order, progress)
        elif kind == MATRIX:
            yield from _matrix(content, order)


def _matrix(content: memoryview, order: str) -> Iterator[NamedArray]:
    """A dense array of real numbers, or those among the fields of a structure."""
    parts = list(_elements(content, order))
    (flags,) = struct.unpack_from(f"{order}I", parts[0][1] if parts else b"")
    if flags & 0xFF == STRUCTURE_CLASS:
        names = bytes(parts[4][1]) if len(parts) > FIELDS_AT else b""
        width = struct.unpack_from(f"{order}i", parts[3][1])[0] if len(parts) > FIELDS_AT else 0
        for index, (kind, part) in enumerate(parts[FIELDS_AT:]):
            name = names[index * width : (index + 1) * width].split(b"\0")[0].decode("latin-1")
            for found in _matrix(part, order) if kind == MATRIX else ():
                yield NamedArray(f"{name}.{found.name}".strip("."), found.values)
    elif flags & 0xFF in NUMERIC_CLASSES and not flags & COMPLEX_FLAG:
        (_, lengths), (_, text), (kind, numbers) = parts[1:4]
        shape = np.frombuffer(lengths, f"{order}i4").tolist()
        if kind not in ELEMENT_TYPES or any(length < 0 for length in shape):
            raise ValueError("an array contains no numbers")
        values = np.frombuffer(numbers, f"{order}{ELEMENT_TYPES[kind]}")
        is_single = flags & 0xFF == NUMERIC_CLASSES[1] and values.dtype.itemsize <= 4  # doubles could overflow
        dtype = np.float32 if is_single else np.float64
        values = values.reshape(shape, order="F").astype(dtype, copy=False)
        yield NamedArray(bytes(text).decode("latin-1"), values)


def _is_mat4(data: bytes) -> bool:
    """Whether data start like a file of version 4: five integers and a zero-terminated name."""
    if len(data) < MAT4_HEADER:
        return False
    kind, rows, columns, imaginary, length = struct.unpack_from("<5I", data)
    if kind not in MAT4_TYPES or imaginary > 1 or not 1 < length <= MAX_NAME_BYTES or not (rows and columns):
        return False
    name = data[MAT4_HEADER : MAT4_HEADER + length]
    return name[-1:] == b"\0" and name[:-1].decode("latin-1").isidentifier()


def _read_mat4(path: Path, data: bytes) -> tuple[list[NamedArray], list[Finding]]:
    """The matrices of a file of version 4, little-endian; bytes after the last one are an error finding."""
    found: list[NamedArray] = []
    position = 0
    while _is_mat4(data[position : position + MAT4_HEADER + MAX_NAME_BYTES]):
        kind, rows, columns, imaginary, length = struct.unpack_from("<5I", data, position)
        dtype = np.dtype(MAT4_TYPES[kind])
        start, size = position + MAT4_HEADER + length, rows * columns * dtype.itemsize
        if start + size > len(data):
            raise FormatError(path, "is a damaged MATLAB file")
        if min(rows, columns) > 1 and not imaginary:
            values = np.frombuffer(data, dtype, rows * columns, start).reshape((rows, columns), order="F")
            found.append(NamedArray(data[position + MAT4_HEADER : start - 1].decode("latin-1"), values))
        position = start + size * (1 + imaginary)
    if not found:
        raise FormatError(path, "contains no matrix of real numbers")
    findings = []
    if position < len(data):
        message = f"{count_of(len(data) - position, 'byte')} after the last matrix, beyond what its header declares"
        findings.append(Finding(Severity.ERROR, str(path), None, message, "ignored"))
    return found, findings


def _decompress(path: Path, content: memoryview, progress: ReadProgress) -> bytes:
    decompressor = zlib.decompressobj()
    pieces: list[bytes] = []
    done = 0
    remaining: bytes | memoryview = content
    while remaining and not decompressor.eof:
        pieces.append(decompressor.decompress(remaining, CHUNK_BYTES))
        remaining = decompressor.unconsumed_tail
        done += len(pieces[-1])
        check_unpacked(path, len(content), done, MAX_ARRAY_BYTES)
        progress.step(path, len(content) - len(remaining), len(content))
    if not decompressor.eof:  # the end with the checksum was not reached
        raise ValueError("a compressed element is truncated")
    return b"".join(pieces)


ZIP_MAGIC = b"PK\x03\x04"
#: Offset of the name of the first member of a zip file; its length is four bytes before.
NAME_OFFSET = 30


def is_npz(head: FileHead) -> bool:
    """Whether a file is a zip whose first member is a ``.npy`` file."""
    length = int.from_bytes(head.data[26:28], "little")
    return head.data.startswith(ZIP_MAGIC) and head.data[NAME_OFFSET : NAME_OFFSET + length].endswith(b".npy")


def read_npz(path: Path, progress: ReadProgress = NO_PROGRESS) -> tuple[list[NamedArray], list[Finding]]:
    """Matrices of a file, with the ids of their rows if there is a list of as many texts.

    Raises
    ------
    FormatError
        When the file is damaged, or contains no matrix of real numbers.
    """
    from zipfile import ZipFile

    head = read_file_head(path)
    findings: list[Finding] = []
    with library_errors(path, "is a damaged .npz file"):
        source = BytesIO(read_whole_file(path, head.size, progress)) if head.packed else path
        with ZipFile(source) as archive, catch_warnings():
            simplefilter("ignore")  # about headers written by Python 2
            found = _npz_matrices(path, archive, findings, progress)
    if not found:
        raise FormatError(path, "contains no matrix of real numbers")
    return found, findings


def _npz_matrices(path: Path, archive: "ZipFile", findings: list[Finding], progress: ReadProgress) -> list[NamedArray]:
    """Each array of real numbers with two axes longer than 1; the first array of each name."""
    found: dict[str, NDArray[np.generic]] = {}
    ids: dict[str, tuple[str, ...]] = {}
    done = 0
    for member in archive.infolist():
        check_unpacked(path, member.compress_size, member.file_size, MAX_ARRAY_BYTES)
        with archive.open(member) as stream:
            shape, fortran, dtype = read_npy_header(stream)
            if len(shape) == 2 and min(shape) > 1 and dtype.kind in "fiub" and dtype.itemsize <= 8:
                check_counts(path, *shape)
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
            elif len(shape) == 1 and 0 < shape[0] <= MAX_IDS and (dtype.kind in "US" or _names_ids(member, dtype)):
                texts = np.frombuffer(stream.read(), dtype, shape[0]).astype(str).tolist()
                if dtype.kind in "US" or len({*texts}) == len(texts):
                    ids[member.filename.removesuffix(".npy")] = tuple(texts)
        done += member.file_size
        progress.step(path, done, done)
    return [NamedArray(name, values, *_ids_of(name, values.shape, ids)) for name, values in found.items()]


#: Names of arrays of whole numbers that are ids.
_ID_ARRAY = re.compile(r"(?<![a-z])(ids?|quer(y|ies)|models?|targets?|names?)(?![a-z])", re.IGNORECASE)


def _names_ids(member: "ZipInfo", dtype: np.dtype[np.generic]) -> bool:
    """Whether an array of whole numbers holds ids, by its name."""
    return dtype.kind in "iu" and _ID_ARRAY.search(member.filename.removesuffix(".npy").replace("_", " ")) is not None


def _ids_of(name: str, shape: tuple[int, ...], ids: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Ids of the rows and of the columns of a matrix: the list of as many texts; empty for none.

    Of several, that whose name says queries or models, then the one whose name is most like that of the matrix.
    """
    for count, words in zip(shape, (QUERY_WORDS, COLLECTION_WORDS), strict=True):
        fitting = [key for key, texts in ids.items() if len(texts) == count]
        said = [key for key in fitting if words.search(key)] if shape[0] == shape[1] else []
        best = max(
            said or fitting, key=lambda key: SequenceMatcher(None, key.lower(), name.lower()).ratio(), default=None
        )
        yield () if best is None else ids[best]


NPY_MAGIC = b"\x93NUMPY"

#: Range of absolute values of distances. Of float32 values with random bits, 40 % are in it.
PLAUSIBLE_RANGE = (1e-15, 1e15)

#: Minimum share of values in `PLAUSIBLE_RANGE` for a type to be recognised, among those that are not placeholders.
MIN_PLAUSIBLE_SHARE = 0.99

#: Absolute value from which a number is a placeholder for a missing distance, such as FLT_MAX and inf; NaN is, too.
MIN_PLACEHOLDER = 1e38

#: Minimum share of values that are not placeholders; bytes that are all 255 are NaN in every type.
MIN_KNOWN_SHARE = 0.5

#: Minimum share of zeros among the lower halves of float64 values that are short decimals; others have digits there.
MIN_ZERO_SHARE = 0.9

#: Size up to which the matrix of a run is loaded into memory: 20 matrices of 1,814 models take half a gigabyte.
#:
#: Larger ones are read by blocks of rows whenever they are ranked, so that memory does not limit the number of runs. A
#: file is not loaded before its run is known: it may be one of a thousand blocks.
MAX_LOADED_BYTES = 2**25

#: Types in the order in which they are tried; the tools of Princeton write float32 in native byte order.
BINARY_TYPES = ("<f4", "<f8", ">f4", ">f8")


@dataclass(frozen=True, eq=False)
class MatrixFile(ParsedRun):
    """A matrix, perhaps with labels of its rows or columns.

    Attributes
    ----------
    path : the file.
    values : (R, M) float, or (n,) if the file does not define rows; a `DiskArray` is read by `in_memory`.
    kind : "text", "npy", "mat" or "binary"; "npy" also for Zarr and Parquet.
    findings : `file` is the full path.
    rows, columns : (R,) and (M,) labels; empty if the file has none.
    row_lines, column_lines : 1-based line of each label; empty for a file that is no text.
    arrays : all matrices of a file or folder in which they have names; empty for others.

    Raises
    ------
    FormatError
        For more rows or columns than a run may have queries or models.
    """

    path: Path
    values: DistanceRows
    kind: str
    findings: tuple[Finding, ...] = ()
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    row_lines: tuple[int, ...] = ()
    column_lines: tuple[int, ...] = ()
    arrays: tuple[NamedArray, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        if self.values.ndim == 2:
            check_counts(self.path, *self.values.shape)

    def matrix_shape(self) -> tuple[int, ...] | None:
        """Shape of the values if rows and columns have no labels or are only counted; None if they have ids."""
        return self.values.shape if self.has_counter_labels else None

    def query_ids(self) -> Sequence[str]:
        """Ids of the rows."""
        return () if self.has_counter_labels else self.rows

    def id_columns(self) -> Sequence[Sequence[str]]:
        """Ids of the columns."""
        return () if self.has_counter_labels else (self.columns,)

    def model_ids(self) -> Sequence[str]:
        """Ids of the columns, or of the rows if only rows have ids; empty if they look like names of measures."""
        return (self.columns or self.rows) if self.looks_like_ids and not self.has_counter_labels else ()

    @property
    def has_labels(self) -> bool:
        """Whether rows or columns have labels."""
        return bool(self.rows or self.columns)

    @property
    def looks_like_ids(self) -> bool:
        """Whether labels are ids, not names of measures: rows and columns share some, or most contain digits."""
        if set(self.rows) & set(self.columns):
            return True
        labels = self.columns or self.rows
        return 2 * sum(any(letter.isdigit() for letter in label) for label in labels) >= len(labels)

    @property
    def has_counter_labels(self) -> bool:
        """Whether all labels are consecutive numbers from 0 or 1, which pandas writes by default; True for none."""
        return all(_is_count(labels) for labels in (self.rows, self.columns) if labels)

    def summary(self) -> str:
        """Shape of the values."""
        if self.values.ndim == 2:
            return f"matrix of {self.values.shape[0]:,} x {self.values.shape[1]:,} numbers"
        return f"{count_of(self.values.size, 'number')} in one sequence"


def _is_count(labels: tuple[str, ...]) -> bool:
    return labels in (tuple(map(str, range(len(labels)))), tuple(map(str, range(1, len(labels) + 1))))


#: First bytes of HDF5 files, and of old spreadsheets and other files of Office.
OTHER_MAGIC = (HDF_MAGIC, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")


def is_npy(head: FileHead) -> bool:
    """Whether the file starts with the magic bytes of ``.npy``."""
    return head.data.startswith(NPY_MAGIC)


def is_binary_matrix(head: FileHead) -> bool:
    """Whether the bytes are plausible floating-point numbers, and not the beginning of a file of another program."""
    return (
        not head.data.startswith(OTHER_MAGIC)
        and head.size >= 8
        and head.size % 4 == 0
        and head.text is None
        and _guess_type(head) is not None
    )


def is_matrix(head: FileHead) -> bool:
    """Whether the file looks like a matrix of any format."""
    return is_array(head) or is_text_matrix(head) or is_binary_matrix(head)


def is_array(head: FileHead) -> bool:
    """Whether the file is one of numpy or MATLAB, whose arrays have shapes."""
    return is_npy(head) or is_npz(head) or is_mat(head)


def read_matrix(path: Path, progress: ReadProgress = NO_PROGRESS) -> MatrixFile:
    """Read a matrix of any format, with ids if its first lines contain some, else without.

    Recognised by content: tools of SHREC 2012 write ASCII into `.matrix` files.

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
        return _largest(path, "npy", *read_npz(path, progress))
    if is_mat(head):
        return _largest(path, "mat", *read_mat(path, progress))
    if is_labelled_matrix(head):
        return read_labelled_matrix(path, progress)
    if head.text is not None:
        values, findings = read_text_matrix(path, progress)
        return MatrixFile(path, values, "text", tuple(findings))
    return _read_binary(path, head, version, progress)


def _largest(path: Path, kind: str, matrices: Sequence[NamedArray], findings: Sequence[Finding]) -> MatrixFile:
    """The largest of the matrices of a file, with a finding; the others are kept, as they may be feature vectors."""
    arrays = tuple(replace(one, values=np.asarray(one.values, read_dtype(one.values.dtype))) for one in matrices)
    size = max(one.values.size for one in matrices)
    largest = [one for one in arrays if one.values.size == size]
    # Of equal ones the whole numbers: FAISS returns numbers of models beside their distances.
    whole = [one for one in largest if len(largest) > 1 and np.array_equal(one.values, np.floor(one.values))]
    chosen = (whole or largest)[0]
    if len(arrays) > 1:
        names = [f"'{one.name}' ({one.values.shape[0]:,} x {one.values.shape[1]:,})" for one in arrays]
        message = f"contains {len(arrays)} matrices: {join_some(names)}"
        action = f"the {'largest' if len(largest) == 1 else 'first of the largest'}, '{chosen.name}', is read"
        if 0 < len(whole) < len(largest):
            action = f"'{chosen.name}' is read: whole numbers, such as numbers of models beside their distances"
        findings = (*findings, Finding(Severity.WARNING, str(path), None, message, action, key=SEVERAL_MATRICES))
    ids = (chosen.ids, chosen.columns) if chosen.ids and chosen.columns else ((), ())
    return MatrixFile(path, chosen.values, kind, tuple(findings), *ids, arrays=arrays)


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
    if len(shape) == 2:
        check_counts(path, *shape)
    count = prod(shape)
    needed = offset + count * dtype.itemsize
    if size < needed:
        raise FormatError(path, f"is truncated: {count_of(size, 'byte')}, its header declares {needed:,}")
    if size > needed:
        findings += (_surplus_finding(path, size - needed),)
    # Integers as float64, which is exact up to 2^53; float16 as float32.
    returned = np.dtype(np.float64) if dtype.kind != "f" else np.dtype(np.float32) if dtype.itemsize < 4 else dtype
    if head.packed:
        unpacked = np.frombuffer(data, dtype, count, offset).reshape(shape, order="F" if fortran else "C")
        return MatrixFile(path, np.asarray(unpacked, returned), "npy", findings)
    is_transposed = fortran and len(shape) == 2
    stored = FileMatrix(path, dtype, offset, shape[::-1] if is_transposed else shape, version, returned)
    return MatrixFile(path, _values(stored, is_transposed=is_transposed), "npy", findings)


def _surplus_finding(path: Path, n_bytes: int, name: str = "the matrix") -> Finding:
    """Finding about bytes after a matrix, whose header declares another type or shape than was written."""
    message = f"{count_of(n_bytes, 'byte')} after {name}, beyond what its header declares"
    return Finding(Severity.ERROR, str(path), None, message, "ignored")


def in_memory(values: DistanceRows) -> DistanceRows:
    """The values of a run; read-only and in memory up to `MAX_LOADED_BYTES`."""
    if not isinstance(values, DiskArray) or values.nbytes > MAX_LOADED_BYTES:
        return values
    loaded = np.asarray(values)
    loaded.flags.writeable = False
    return loaded


def _values(stored: FileMatrix, *, is_transposed: bool = False) -> DistanceRows:
    """The values of a file, or of its transpose, which is read now."""
    if not is_transposed:
        return stored
    return stored.transposed() if stored.nbytes > MAX_LOADED_BYTES else np.asarray(in_memory(stored)).T


def _guess_type(head: FileHead) -> np.dtype[np.floating] | None:
    """Type for which the head of a file contains plausible distances, or None."""
    for name in BINARY_TYPES:
        dtype: np.dtype[np.floating] = np.dtype(name)
        if head.size % dtype.itemsize:
            continue
        values = np.frombuffer(head.data, dtype, len(head.data) // dtype.itemsize)
        with np.errstate(invalid="ignore"):
            size = np.abs(values.astype(np.float64))
        is_mark = ~(size < MIN_PLACEHOLDER)
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


def _read_binary(path: Path, head: FileHead, version: FileVersion | None, progress: ReadProgress) -> MatrixFile:
    dtype = _guess_type(head)
    if dtype is None:
        raise FormatError(path, "is neither text nor a sequence of plausible float32 or float64 numbers")
    values: DistanceRows
    if head.packed:
        data = read_whole_file(path, head.size, progress)
        values = np.frombuffer(data, dtype, len(data) // dtype.itemsize)
    else:
        values = _values(FileMatrix(path, dtype, 0, (head.size // dtype.itemsize,), version, dtype))
    findings = []
    if dtype.str.startswith(">"):
        message = "the values are plausible in big-endian byte order only"
        findings.append(Finding(Severity.WARNING, str(path), None, message, "read as big-endian"))
    return MatrixFile(path, values, "binary", tuple(findings))


#: Minimum number of columns; fewer are a list, a curve or scores.
MIN_COLUMNS = 3

MIN_ROWS = 2

#: Minimum share of numbers among the cells; other cells are then reported.
MIN_NUMERIC_SHARE = 0.95

#: Minimum share of distinct ids among the rows or columns; repeated ones are then reported.
MIN_DISTINCT_SHARE = 0.7

#: Maximum bytes of the first lines: ids of 50,000 models and a row of distances.
MAX_HEAD_BYTES = 2**20

#: Headers of a first column of numeric ids; above other ids any header is accepted.
CORNERS = (
    *("", "id", "ids", "index", "name", "model", "query", "object", "shape", "file", "filename", "row", "unnamed: 0"),
)

#: Cells that mean a missing number.
GAPS = ("", "NA", "N/A", "NULL")

#: Minimum share of the examined lines with the same number of cells: three of five.
MIN_SAME_WIDTH_SHARE = 0.6

#: Lines that are examined to recognise the layout.
LAYOUT_LINES = 6


@dataclass(frozen=True)
class _LabelLayout:
    """Layout of a file.

    Attributes
    ----------
    separator : "" for white space.
    skipped : lines before the table, such as `sep=;`.
    header, index : whether the first line, and the first column, contain ids.
    corner : whether the first line has a cell above the first column.
    trailing : whether lines end in a separator.
    size : (R, M) according to the first line, or empty.
    """

    separator: str
    skipped: int
    header: bool
    index: bool
    corner: bool
    trailing: bool = False
    size: tuple[int, ...] = ()


def is_labelled_matrix(head: FileHead) -> bool:
    """Whether lines have at least three numbers, after an id each or below a first line with ids or the size."""
    return _layout(_first_lines(head)) is not None


def read_labelled_matrix(path: Path, progress: ReadProgress = NO_PROGRESS) -> MatrixFile:
    """Read a matrix with its labels.

    Raises
    ------
    FormatError
        With the line, for a wrong number of cells or a cell that is not a number.
    Cancelled
        When `progress` is cancelled.
    """
    head = read_file_head(path)
    layout = _layout(_first_lines(head))
    if layout is None:
        read_text(path)  # raises FormatError for binary files
        raise FormatError(path, "has no ids in its first line or column, or no numbers")
    rows: list[str] = []
    lines: list[int] = []
    header_line = 0
    blocks = []
    columns: tuple[str, ...] = ()
    width, n_lines, skipped = 0, 0, layout.skipped
    with os_errors(path):
        for block in read_blocks(path, head.size, progress, has_names=True):
            block_rows = []
            text = decode(block)
            for number, line in enumerate(text.split("\n"), n_lines + 1):
                if not line.strip():
                    continue
                if skipped:
                    skipped -= 1
                    header_line = number
                    continue
                cells = _cells(line, layout.separator)
                if layout.trailing and len(cells) > 1 and not cells[-1]:
                    cells.pop()
                if layout.header and not width:
                    columns = tuple(cells[layout.corner :])
                    width, header_line = len(columns), number
                    continue
                name, values = (cells[0], cells[1:]) if layout.index else ("", cells)
                width = width or len(values)
                rows.append(name)
                lines.append(number)
                block_rows.append(_numbers(path, number, values, width))
            n_lines += text.count("\n")
            if block_rows:
                blocks.append(np.array(block_rows))
    if not blocks:
        raise FormatError(path, "contains no numbers")
    matrix = np.concatenate(blocks)
    findings = _size_finding(path, header_line, layout.size, matrix.shape) if layout.size else ()
    labels = tuple(rows) if layout.index else ()
    column_lines = (header_line,) * len(columns)
    return MatrixFile(path, matrix, "text", findings, labels, columns, tuple(lines), column_lines)


def _size_finding(path: Path, line: int, declared: tuple[int, ...], found: tuple[int, ...]) -> tuple[Finding, ...]:
    message = f"the first line declares the size {declared[0]:,} x {declared[1]:,}"
    if declared == found:
        return (Finding(Severity.INFO, str(path), line, message, "ignored"),)
    action = f"{found[0]:,} x {found[1]:,} are read"
    return (Finding(Severity.WARNING, str(path), line, f"{message}, but {found[0]:,} rows follow", action),)


def _numbers(path: Path, line: int, cells: list[str], width: int) -> NDArray[np.float64]:
    if len(cells) != width:
        raise FormatError(path, f"{len(cells):,} numbers in this line, {width:,} are expected", line)
    found = parse_numbers([with_point(cell) for cell in cells])
    for index in np.flatnonzero(np.isnan(found)).tolist():
        if not is_number(cells[index]) and cells[index].upper() not in GAPS:
            raise FormatError(path, f"'{cells[index][:40]}' is not a number", line)
    return found


def _first_lines(head: FileHead) -> list[str]:
    """The first complete lines that are not blank; reads beyond the head if a line is longer."""
    if head.text is None or not head.lines:
        return []
    if head.is_complete or len(head.lines) > MIN_ROWS:
        return list(head.lines[:LAYOUT_LINES])
    first = _cells(head.lines[0], _separator(head.lines[0]))[1:-1]
    if len(first) < MIN_COLUMNS or len(set(first)) < len(first) * MIN_NUMERIC_SHARE:
        return []
    longer = read_or_none(read_file_head, head.path, MAX_HEAD_BYTES)
    return list(longer.lines[:LAYOUT_LINES]) if longer is not None else []


def _layout(lines: list[str]) -> _LabelLayout | None:
    skipped = 0
    if lines and lines[0].lower().startswith("sep="):
        lines, skipped = lines[1:], 1
    if len(lines) < MIN_ROWS:
        return None
    separator = _separator(lines[-1])
    rows = [_cells(line, separator) for line in lines]
    trailing = all(len(row) > 1 and not row[-1] for row in rows[1:])
    rows = [row[:-1] if trailing and not row[-1] else row for row in rows]
    width, n_same = Counter(map(len, rows[1:])).most_common(1)[0]
    if n_same < MIN_SAME_WIDTH_SHARE * (len(rows) - 1):
        return None
    rows = [rows[0], *(row for row in rows[1:] if len(row) == width)]  # the reader reports lines of other lengths
    body = rows[1:]
    size = _size(rows[0], width)
    if size and len(body) >= MIN_ROWS and all(_is_cell(cell) for row in body for cell in row):
        return _LabelLayout(
            separator, skipped + 1, header=False, index=False, corner=False, trailing=trailing, size=size
        )
    if len(rows[0]) not in (width - 1, width):
        return None
    index = _is_index(body, has_corner=len(rows[0]) == width and rows[0][0].casefold() in CORNERS)
    header = _is_header(rows[0], width, index=index)
    if not header and len(rows[0]) == width:  # the first line is a row of the matrix
        body, index = rows, _is_index(rows, has_corner=False)
    if not (header or index) or width - index < MIN_COLUMNS:
        return None
    cells = [cell for row in body for cell in row[index:]]
    n_numbers, n_gaps = sum(map(_is_cell, cells)), sum(cell.upper() in GAPS for cell in cells)
    if n_numbers + n_gaps < MIN_NUMERIC_SHARE * len(cells) or n_gaps > n_numbers:
        return None
    shares_ids = header and index and bool({row[0] for row in body} & set(rows[0][-(width - 1) :]))
    if not shares_ids and not any("." in cell or "," in cell for cell in cells):
        return None  # ids with integers only are tables of another kind
    corner = header and index and len(rows[0]) == width
    return _LabelLayout(separator, skipped, header, index, corner, trailing)


def _size(row: list[str], width: int) -> tuple[int, ...]:
    """Rows and columns according to a first line `34` or `34 34`; empty for other lines."""
    are_integers = all(cell.isascii() and cell.isdigit() and len(cell) < 10 for cell in row)
    if len(row) not in (1, 2) or width < MIN_COLUMNS or not are_integers or int(row[-1]) != width:
        return ()
    return int(row[0]), width


def _is_index(body: list[list[str]], *, has_corner: bool) -> bool:
    """Whether the first cells are ids: distinct and not numbers, or numbers below a known header."""
    names = [row[0] for row in body]
    if len(set(names)) < MIN_DISTINCT_SHARE * len(names):
        return False
    return has_corner or not any(map(_is_cell, names))


def _is_header(row: list[str], width: int, *, index: bool) -> bool:
    """Whether the first line contains ids: distinct and not numbers, or integers next to an index column."""
    names = row[index:] if len(row) == width else row
    if len(names) != width - index or len(set(names)) < MIN_DISTINCT_SHARE * len(names) or not all(names):
        return False
    if not any(map(_is_cell, names)):
        return True
    has_corner = index and (len(row) < width or not _is_cell(row[0]))
    return has_corner and all(name.isdigit() for name in names)


def _is_cell(text: str) -> bool:
    return bool(text) and is_number(text.replace(",", "."))


def _separator(line: str) -> str:
    """Separator of a line: semicolon, tab or comma; "" for white space."""
    if ";" in line:
        return ";"
    if "\t" in line:
        return "\t"
    return "," if line.count(",") >= MIN_COLUMNS and (" " not in line.strip() or ", " in line) else ""


def _cells(line: str, separator: str) -> list[str]:
    if not separator:
        return [token.strip('"') for token in line.split()]
    return split_row(line.rstrip("\r\n"), separator)
