"""Matrices of formats that are read in bands of rows: chunks of Zarr arrays, row groups of Parquet files."""

from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.io.array_files import DiskArray

EXTRA = "the extra 'cluster': pip install 'shrec-viewer[cluster]'"
"""What the readers of Zarr and Parquet require."""

BAND_BYTES = 2**26
"""Bytes of a band; a chunk or a row group is decoded once if it has at most `MAX_BAND_BYTES`."""

MAX_BAND_BYTES = 2**28
"""Maximum bytes of a band: chunks with more are decoded several times."""

MAX_CACHED_BYTES = 2**29
"""Maximum bytes of the bands in memory, of all matrices: at least the current bands of two runs."""


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
