"""Read distance matrices of Zarr arrays and groups (versions 2 and 3); requires the extra "cluster"."""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.io.array_files import EXTRA, MAX_BAND_BYTES, StoredMatrix, band_edges, read_dtype
from shrec_viewer.formats.io.documents import parse_json
from shrec_viewer.formats.io.files import check_regular_file, check_unpacked
from shrec_viewer.formats.io.limits import MAX_ARRAY_BYTES, MAX_IDS, MAX_STATE_BYTES, check_counts, limit_error
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import MODEL_NAMES, QUERY_NAMES
from shrec_viewer.formats.io.text import library_errors, os_errors, read_or_none, read_text
from shrec_viewer.formats.matrices.matrix import MatrixFile

#: Key of the format in the table READERS.
ZARR = "zarr"

#: Files that make a folder a Zarr array or group: of version 3, and an array and a group of version 2.
METADATA = ("zarr.json", ".zarray", ".zgroup")

#: Codecs that only convert numbers and texts. numcodecs (0.16) has others: ``pickle`` runs code of the file.
CODECS = frozenset(
    {
        *("bytes", "transpose", "sharding_indexed", "crc32c", "vlen-utf8", "blosc", "gzip", "zlib", "zstd", "lz4"),
        *("bz2", "lzma", "shuffle", "delta", "fixedscaleoffset", "bitround", "quantize", "packbits", "astype"),
        *("crc32", "adler32", "fletcher32", "jenkins_lookup3", "zfpy"),
    }
)

ROW_NAMES = (*QUERY_NAMES, "row", "q", "y")
#: Names of arrays of ids in a group, without ``s`` or ``_ids`` at the end.
COLUMN_NAMES = (*MODEL_NAMES, "column", "id", "m", "x", "item")

#: Arrays of a group that are looked at.
N_GROUP_ARRAYS = 2**10


def is_zarr(folder: Path) -> bool:
    """Whether a folder is a Zarr array or group, by the names of its files."""
    return any((folder / name).is_file() for name in METADATA)


def zarr_matrices(folder: Path) -> list[Path]:
    """Folders of the matrices of an array or group: itself if it holds one, as a group of one matrix and its ids.

    An array or group that cannot be read is a matrix as well, so that reading it is an error.
    """
    try:
        node = _open_node(folder)
        if hasattr(node, "shape"):
            return [folder] if _is_matrix(node) or not is_zarr(folder.parent) else []
        matrices = [path for path, array in _arrays_of(folder).items() if _is_matrix(array)]
    except FormatError:
        return [folder]
    return [folder] if len(matrices) == 1 else matrices


def _open_node(folder: Path) -> Any:
    """An array of the package zarr, which has a `shape`, or a group, which has none.

    Raises
    ------
    FormatError
        When the extra is not installed, or it is damaged or uses a codec that is not in `CODECS`.
    """
    name = next((name for name in METADATA if (folder / name).is_file()), None)
    if name is None:
        with os_errors(folder):
            check_regular_file(folder)
        raise FormatError(folder, "is not a Zarr array or group")
    data = parse_json(folder / name, read_text(folder / name, MAX_STATE_BYTES))
    if not isinstance(data, dict):
        raise FormatError(folder / name, "is not a JSON object")
    for codec in _codec_names([data.get("codecs"), data.get("compressor"), data.get("filters")]):
        if codec.removeprefix("numcodecs.").lower() not in CODECS:
            raise FormatError(folder, f"uses the codec '{codec[:40]}', which is not supported")
    try:
        import zarr
    except ImportError as error:
        raise FormatError(folder, f"is a Zarr array, which requires {EXTRA}") from error
    version: Any = 3 if name == METADATA[0] else 2
    with library_errors(folder, "has damaged Zarr metadata", with_text=True):
        # Consolidated metadata of a group would replace those that were checked.
        options: dict[str, Any] = (
            {} if name == ".zarray" or data.get("node_type") == "array" else {"use_consolidated": False}
        )
        return zarr.open(os.fspath(folder), mode="r", zarr_format=version, **options)


def _is_matrix(node: Any) -> bool:
    """Whether an array has two axes of real numbers of at most 8 bytes."""
    return len(node.shape) == 2 and node.dtype.kind in "fiub" and node.dtype.itemsize <= 8


def _codec_names(value: object) -> Iterator[str]:
    """Names of codecs in a list, also of those in their configurations."""
    for codec in value if isinstance(value, list) else [value]:
        if isinstance(codec, list):
            yield from _codec_names(codec)
        elif isinstance(codec, str):
            yield codec
        elif isinstance(codec, dict):
            yield str(codec.get("name", codec.get("id", "")))
            configuration = codec.get("configuration", codec)
            if isinstance(configuration, dict):
                yield from _codec_names([configuration.get("codecs"), configuration.get("index_codecs")])


def _arrays_of(group: Path) -> dict[Path, Any]:
    """Arrays of a group by their folders, in the order of their names; unreadable ones are left out."""
    with os_errors(group), os.scandir(group) as entries:
        folders = sorted(Path(entry.path) for entry in islice(entries, N_GROUP_ARRAYS) if entry.is_dir())
    nodes = {folder: read_or_none(_open_node, folder) for folder in folders if is_zarr(folder)}
    return {folder: node for folder, node in nodes.items() if hasattr(node, "shape")}


@dataclass(frozen=True)
class ZarrVersion:
    """Number of stored chunks of an array, bytes of all files, and the latest modification."""

    n_chunks: int
    n_bytes: int
    modified_ns: int


def zarr_version(folder: Path) -> ZarrVersion:
    """Present version of an array: takes about 3 µs for each chunk."""
    n_chunks = n_bytes = modified = 0
    pending = [os.fspath(folder)]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if entry.is_dir():
                    pending.append(entry.path)
                else:
                    status = entry.stat()
                    n_bytes += status.st_size
                    n_chunks += not entry.name.startswith((".z", METADATA[0]))
                    modified = max(modified, status.st_mtime_ns)
    return ZarrVersion(n_chunks, n_bytes, modified)


@dataclass(frozen=True, eq=False)
class ZarrMatrix(StoredMatrix):
    """A Zarr array whose chunks are decoded when rows are read; it is opened for each band, so that it can be pickled.

    Attributes
    ----------
    version : of the files, when it was opened.
    """

    version: ZarrVersion

    def read_band(self, first: int, last: int) -> NDArray[Any]:
        """See `StoredMatrix.read_band`."""
        with library_errors(self.path, f"has a damaged chunk in rows {first + 1:,} to {last:,}"):
            self._check_version()
            found = np.asarray(_open_node(self.path)[first:last])
            self._check_version()
        return found.astype(self.dtype, copy=False)

    def _check_version(self) -> None:
        if zarr_version(self.path) != self.version:
            raise FormatError(self.path, "changed after it was opened; its new content is not used")


def read_zarr(path: Path, _progress: ReadProgress = NO_PROGRESS) -> MatrixFile:
    """Read a Zarr array, or a group with one matrix: with its ids if arrays next to it hold them.

    Raises
    ------
    FormatError
        When the extra is not installed, it is damaged, or it contains no matrix of real numbers.
    """
    folder, array = path, _open_node(path)
    if not hasattr(array, "shape"):
        found = {child: inner for child, inner in _arrays_of(path).items() if _is_matrix(inner)}
        if not found:
            raise FormatError(path, "is a Zarr group without a matrix of real numbers")
        folder, array = max(found.items(), key=lambda item: prod(item[1].shape))
    if not _is_matrix(array) or not all(0 < length < 2**31 for length in array.shape):
        size = " x ".join(map(str, array.shape)) or "a single number"
        raise FormatError(path, f"contains '{array.dtype}' of shape {size}, a matrix of real numbers is expected")
    check_counts(path, *array.shape)
    if prod(array.chunks) * array.dtype.itemsize > MAX_ARRAY_BYTES:
        raise limit_error(MAX_ARRAY_BYTES, "bytes in a chunk", path)
    rows, columns = array.shape
    findings: list[Finding] = []
    with library_errors(path, "is not a readable Zarr array", with_text=True):
        version = zarr_version(folder)
        check_unpacked(path, version.n_bytes, array.size * array.dtype.itemsize, sys.maxsize)
        # zarr (3.1) lists all possible chunks to count those that are stored.
        stored_chunks = zip(array.shape, array.shards or array.chunks, strict=True)
        n_chunks = prod(-(-length // chunk) for length, chunk in stored_chunks)
    if version.n_chunks < n_chunks:
        message = f"{n_chunks - version.n_chunks:,} of its {count_of(n_chunks, 'chunk')} are not stored"
        action = f"their values are the fill value, {array.fill_value}"
        findings.append(Finding(Severity.ERROR, str(path), None, message, action))
    dtype = read_dtype(array.dtype)
    height = min(array.chunks[0], rows)
    edges = band_edges(rows, columns * dtype.itemsize, height)
    if height * columns * dtype.itemsize > MAX_BAND_BYTES:
        band_rows = int(edges[1])
        message = f"chunks of {height:,} rows, each of which is decoded {-(-height // band_rows)} times"
        action = f"chunks of at most {band_rows:,} rows are decoded once"
        findings.append(Finding(Severity.INFO, str(path), None, message, action))
    values = ZarrMatrix(folder, (rows, columns), dtype, edges, version)
    return MatrixFile(path, values, "npy", tuple(findings), *_ids(folder, array))


def _ids(folder: Path, array: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the rows and of the columns, in arrays next to a matrix in its group; empty without such arrays.

    They are named like the axes of the matrix, as xarray does, or after queries and models.
    """
    if not is_zarr(folder.parent) or hasattr(read_or_none(_open_node, folder.parent), "shape"):
        return (), ()
    vectors = {path.name: one for path, one in _arrays_of(folder.parent).items() if len(one.shape) == 1}
    dimensions = getattr(array.metadata, "dimension_names", None) or array.attrs.get("_ARRAY_DIMENSIONS") or ()
    found = []
    for axis, names in enumerate((ROW_NAMES, COLUMN_NAMES)):
        named = [*map(str, dimensions[axis : axis + 1]), *(name for name in vectors if _singular(name) in names)]
        fitting = [name for name in named if name in vectors and vectors[name].shape[0] == array.shape[axis]]
        found.append(_read_ids(folder.parent / fitting[0], vectors[fitting[0]]) if fitting else ())
    return found[0], found[1]


def _singular(name: str) -> str:
    """``query`` for ``queries``, ``Query_IDs`` and ``query id``."""
    words = name.casefold().replace("_", " ").removesuffix("s").removesuffix(" id").removesuffix(" name")
    return f"{words[:-2]}y" if words.endswith("ie") else words


def _read_ids(path: Path, array: Any) -> tuple[str, ...]:
    if array.size > MAX_IDS:
        raise limit_error(MAX_IDS, "ids", path)
    with library_errors(path, "contains no readable ids", with_text=True):
        found = np.asarray(array[:])
    if found.dtype.kind not in "iuOSUT":
        return ()
    return tuple(item.decode(errors="replace") if isinstance(item, bytes) else str(item) for item in found.tolist())
