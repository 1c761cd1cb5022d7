"""Arrays on disk: the header of `.npy` files, matrices in files, and those of other formats in bands of rows."""

from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from tempfile import TemporaryFile
from threading import RLock
from typing import IO, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from shrec_viewer.domain import DistanceRows
from shrec_viewer.formats.io.files import FileVersion, check_version
from shrec_viewer.formats.io.text import os_errors


class NpyHeaderError(ValueError):
    """The header is damaged; the text is the reason."""


def read_npy_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether the order is Fortran's, and type; the stream is then at the first value.

    numpy (2.4) limits headers to 10,000 bytes, but accepts ``True`` as a length, and raises many types of exceptions.

    Raises
    ------
    NpyHeaderError
        When it is not a header of an array with a shape of integers above -1.
    """
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, is_fortran, dtype = read(stream)
    except Exception as error:  # SyntaxError, TokenError, TypeError, RecursionError, MemoryError and more
        raise NpyHeaderError("has a damaged NumPy header") from error
    if not all(type(length) is int and length >= 0 for length in shape):
        raise NpyHeaderError(f"has a damaged NumPy header: the shape {str(shape)[:80]} is not one of integers above -1")
    return shape, bool(is_fortran), dtype


#: Bytes in memory while a matrix is transposed: a matrix of 650 MB is then read in ten passes.
STRIPE_BYTES = 2**26


class DiskArray:
    """What arrays that are not in memory have in common with those of numpy; indexing reads rows.

    Attributes
    ----------
    shape : length of each axis.
    dtype : type of the numbers that are returned.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def parts(self) -> tuple[DistanceRows, ...]:
        """The arrays that this one is composed of or computed from; empty for one in a file."""
        return ()

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of values."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of all values in memory."""
        return self.size * self.dtype.itemsize

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[row] for row in range(len(self)))

    def __getitem__(self, rows: Any) -> NDArray[Any]:
        """Rows in memory: (M,) for an integer, (n, M) for a slice or an array of integers."""
        if isinstance(rows, int | np.integer):
            return self.read_rows(np.array([range(len(self))[int(rows)]]))[0]
        return self.read_rows(np.arange(len(self))[rows])

    def read_rows(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Rows in memory, (n, M), by their indices, (n,) in [0, R)."""
        raise NotImplementedError

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """All values in memory, for functions of numpy."""
        if copy is False:
            raise ValueError("an array on disk is always copied")
        return self[:].astype(dtype or self.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class FileMatrix(DiskArray):
    """Read-only matrix in a file; indexing reads rows.

    Not memory-mapped: a mapped file that another program truncates ends this process by SIGBUS. Rows can be indexed by
    an integer, a slice or an array of integers. Evaluating two matrices of 256 MB takes 5 % more processor time than
    mapped ones, and 140 instead of 640 MB of memory (numpy 2.4).

    Attributes
    ----------
    path : the file.
    stored : type of the numbers in the file.
    offset : bytes before the first number.
    shape : (R, M), or (n,) if rows are not known; rows follow one another in the file.
    version : version of the file when it was opened.
    dtype : type of the numbers that are returned.

    Raises
    ------
    FormatError
        On access, when the file has changed since it was opened, or cannot be read.
    """

    path: Path
    stored: np.dtype[Any]
    offset: int
    shape: tuple[int, ...]
    version: FileVersion | None
    dtype: np.dtype[Any]

    def transposed(self) -> NDArray[Any]:
        """(M, R) array with the axes exchanged, in a temporary file of this process, else in memory.

        Reading rows of the transpose directly takes one access for each of its numbers.
        """
        rows, columns = self.shape
        step = max(1, STRIPE_BYTES // max(1, rows * self.dtype.itemsize))
        stripes = (
            np.ascontiguousarray(self.read_rows(np.arange(rows), slice(start, min(start + step, columns))).T)
            for start in range(0, columns, step)
        )
        try:
            with TemporaryFile(prefix="shrec-viewer-") as stream:
                for stripe in stripes:
                    stream.write(stripe.data)
                stream.flush()
                # Only this process has the file, which is deleted when the array is: it cannot be truncated.
                return np.memmap(stream, self.dtype, "r", 0, (columns, rows))
        except OSError:  # no space in the folder of temporary files
            return np.ascontiguousarray(np.asarray(self).T)

    def read_rows(self, rows: NDArray[np.intp], columns: slice = slice(None)) -> NDArray[Any]:
        """Rows by index, or a range of their columns; consecutive whole rows are read at once."""
        row_values = prod(self.shape[1:])
        first, last, _ = columns.indices(row_values)
        width, size = last - first, self.stored.itemsize
        values = np.empty((len(rows), width), self.stored)
        is_block = width == row_values and len(rows) > 0 and bool(np.all(np.diff(rows) == 1))
        starts, pieces = (rows[:1], values[np.newaxis]) if is_block else (rows, values)
        with self._open() as stream:
            for row, piece in zip(starts.tolist(), pieces, strict=True):
                stream.seek(self.offset + (row * row_values + first) * size)
                self._fill(stream, piece.reshape(-1).view(np.uint8).data)
        return (values if self.ndim == 2 else values[:, 0]).astype(self.dtype, copy=False)

    def _fill(self, stream: IO[bytes], data: memoryview) -> None:
        """Fill a buffer; FormatError at the end of the file."""
        while len(data):
            count = stream.readinto(data)  # type: ignore[attr-defined]
            if not count:
                check_version(self.path, self.version, stream.fileno(), "it is truncated")
            data = data[count:]

    @contextmanager
    def _open(self) -> Iterator[IO[bytes]]:
        """Open the file, and check its version before and after it is read.

        It is not left open: Windows does not let other programs replace open files.
        """
        with os_errors(self.path), self.path.open("rb", buffering=0) as stream:
            check_version(self.path, self.version, stream.fileno())
            yield stream
            check_version(self.path, self.version, stream.fileno())


#: What the readers of Zarr and Parquet require.
EXTRA = "the extra 'cluster': pip install 'shrec-viewer[cluster]'"

#: Bytes of a band; a chunk or a row group is decoded once if it has at most `MAX_BAND_BYTES`.
BAND_BYTES = 2**26

#: Maximum bytes of a band: chunks with more are decoded several times.
MAX_BAND_BYTES = 2**28

#: Maximum bytes of the bands in memory, of all matrices: at least the current bands of two runs.
MAX_CACHED_BYTES = 2**29


class BandCache:
    """The most recently read bands of all matrices of this process; threads rank neighbouring rows of one band."""

    def __init__(self) -> None:
        self._lock = RLock()  # a matrix may be computed from others
        self._bands: OrderedDict[tuple[StoredMatrix, int], NDArray[Any]] = OrderedDict()

    def get(self, matrix: "StoredMatrix", number: int) -> NDArray[Any]:
        """The rows of a band; read under a lock, so that two threads never decode the same chunks."""
        key = (matrix, number)
        with self._lock:
            if key not in self._bands:
                found = matrix.read_band(int(matrix.edges[number]), int(matrix.edges[number + 1]))
                self._bands[key] = found
                while len(self._bands) > 1 and sum(band.nbytes for band in self._bands.values()) > MAX_CACHED_BYTES:
                    self._bands.popitem(last=False)
            self._bands.move_to_end(key)
            return self._bands[key]

    def clear(self) -> None:
        """Release all bands."""
        with self._lock:
            self._bands.clear()


BANDS = BandCache()


@dataclass(frozen=True, eq=False)
class StoredMatrix(DiskArray):
    """Read-only matrix of a file or folder; indexing reads the bands that contain the rows.

    Attributes
    ----------
    path : file, or folder of a Zarr array.
    shape : (R, M).
    dtype : type of the numbers that are returned.
    edges : (B + 1,) int64, first row of each band, and R.
    """

    path: Path
    shape: tuple[int, int]
    dtype: np.dtype[Any]
    edges: NDArray[np.int64]

    def read_band(self, first: int, last: int) -> NDArray[Any]:
        """Rows `first` to ``last - 1`` of type `dtype`, which are one band.

        Raises
        ------
        FormatError
            When they cannot be read, or the file has changed since it was opened.
        """
        raise NotImplementedError

    def read_rows(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """See `DiskArray.read_rows`."""
        bands = np.searchsorted(self.edges, rows, "right") - 1
        values = np.empty((len(rows), self.shape[1]), self.dtype)
        for band in np.unique(bands).tolist():
            inside = np.flatnonzero(bands == band)
            values[inside] = BANDS.get(self, band)[rows[inside] - self.edges[band]]
        return values


def band_edges(n_rows: int, row_bytes: int, chunk_rows: int) -> NDArray[np.int64]:
    """First row of each band, and the number of rows: whole chunks, unless one exceeds `MAX_BAND_BYTES`."""
    if chunk_rows * row_bytes > MAX_BAND_BYTES:
        height = max(1, MAX_BAND_BYTES // row_bytes)
    else:
        height = chunk_rows * max(1, BAND_BYTES // (chunk_rows * row_bytes))
    return np.append(np.arange(0, n_rows, height, dtype=np.int64), n_rows)


def read_dtype(stored: np.dtype[Any]) -> np.dtype[Any]:
    """Type in which numbers are read: float16 as float32; integers as float64, which is exact up to 2^53."""
    if stored.kind != "f":
        return np.dtype(np.float64)
    return np.dtype(np.float32) if stored.itemsize <= 4 else np.dtype(np.float64)
