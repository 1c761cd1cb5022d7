"""Array files: the header of `.npy` files, and matrices that are read by blocks of rows."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from tempfile import TemporaryFile
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


STRIPE_BYTES = 2**26
"""Bytes in memory while a matrix is transposed: a matrix of 650 MB is then read in ten passes."""


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

    def reshaped(self, rows: int, columns: int) -> "FileMatrix":
        """The first ``rows * columns`` values with another shape."""
        return FileMatrix(self.path, self.stored, self.offset, (rows, columns), self.version, self.dtype)

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
