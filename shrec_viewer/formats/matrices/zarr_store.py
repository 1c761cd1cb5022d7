"""Read distance matrices of Zarr arrays and groups (versions 2 and 3); requires the extra "cluster"."""

import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.io.documents import parse_json
from shrec_viewer.formats.io.files import check_regular_file, check_unpacked
from shrec_viewer.formats.io.limits import MAX_ARRAY_BYTES, MAX_IDS, MAX_STATE_BYTES, check_counts, limit_error
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import MODEL_NAMES, QUERY_NAMES
from shrec_viewer.formats.io.text import library_errors, os_errors, read_text
from shrec_viewer.formats.matrices.labelled_matrix import with_ids
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.stored_matrix import EXTRA, MAX_BAND_BYTES, StoredMatrix, band_edges, read_dtype

ZARR = "zarr"
"""Key of the format in the table READERS."""

METADATA = ("zarr.json", ".zarray", ".zgroup")
"""Files that make a folder a Zarr array or group: of version 3, and an array and a group of version 2."""

ATTRIBUTES = ".zattrs"
"""File of the attributes of version 2."""

CODECS = frozenset(
    {
        *("bytes", "transpose", "sharding_indexed", "crc32c", "vlen-utf8", "blosc", "gzip", "zlib", "zstd", "lz4"),
        *("bz2", "lzma", "shuffle", "delta", "fixedscaleoffset", "bitround", "quantize", "packbits", "astype"),
        *("crc32", "adler32", "fletcher32", "jenkins_lookup3", "zfpy"),
    }
)
"""Codecs that only convert numbers and texts. numcodecs (0.16) has others: ``pickle`` runs code of the file."""

ROW_NAMES = (*QUERY_NAMES, "row", "q", "y")
COLUMN_NAMES = (*MODEL_NAMES, "column", "id", "m", "x", "item")
"""Names of arrays of ids in a group, without ``s`` or ``_ids`` at the end."""

N_GROUP_ARRAYS = 2**10
"""Arrays of a group that are looked at."""


@dataclass(frozen=True)
class ZarrNode:
    """Metadata of an array or a group.

    Attributes
    ----------
    path : its folder.
    version : of the format, 2 or 3.
    shape, chunks : of an array; empty for a group. A chunk is the part that is decoded at once.
    stored_chunks : the part that is one file: a chunk, or a shard of several.
    dtype : type of the numbers, or of other items.
    dimensions : names of the axes; empty without names.
    """

    path: Path
    version: int
    is_array: bool
    shape: tuple[int, ...] = ()
    chunks: tuple[int, ...] = ()
    stored_chunks: tuple[int, ...] = ()
    dtype: str = ""
    dimensions: tuple[str, ...] = ()

    @property
    def is_matrix(self) -> bool:
        """Whether it has two axes of numbers."""
        return self.is_array and len(self.shape) == 2 and _number_type(self.dtype) is not None


def is_zarr(folder: Path) -> bool:
    """Whether a folder is a Zarr array or group, by the names of its files."""
    return any((folder / name).is_file() for name in METADATA)


def zarr_matrices(folder: Path) -> list[Path]:
    """Folders of the matrices of an array or group: itself if it holds one, as a group of one matrix and its ids.

    An array or group that cannot be read is a matrix as well, so that reading it is an error.
    """
    try:
        node = read_node(folder)
        if node.is_array:
            return [folder] if node.is_matrix or not is_zarr(folder.parent) else []
        matrices = [child.path for child in _children(folder) if child.is_matrix]
    except FormatError:
        return [folder]
    return [folder] if len(matrices) == 1 else matrices


def read_node(folder: Path) -> ZarrNode:
    """Metadata of an array or group.

    Raises
    ------
    FormatError
        When it is damaged, or uses a codec that is not in `CODECS`.
    """
    name = next((name for name in METADATA if (folder / name).is_file()), None)
    if name is None:
        with os_errors(folder):
            check_regular_file(folder)
        raise FormatError(folder, "is not a Zarr array or group")
    data = _read_object(folder / name)
    if data.get("zarr_format") != (3 if name == METADATA[0] else 2):
        raise FormatError(folder, f"has damaged Zarr metadata: '{name}' names no version")
    if name == ".zgroup" or data.get("node_type") == "group":
        return ZarrNode(folder, data["zarr_format"], is_array=False)
    try:
        _check_codecs(folder, data)
        shape = _lengths(data["shape"])
        if name == METADATA[0]:
            dtype = data["data_type"] if isinstance(data["data_type"], str) else "object"
            stored_chunks = _lengths(data["chunk_grid"]["configuration"]["chunk_shape"])
            chunks = _inner_chunks(data)
            names = data.get("dimension_names") or ()
        else:
            dtype = data["dtype"] if isinstance(data["dtype"], str) else "object"
            chunks = stored_chunks = _lengths(data["chunks"])
            attributes = folder / ATTRIBUTES
            names = _read_object(attributes).get("_ARRAY_DIMENSIONS", ()) if attributes.is_file() else ()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise FormatError(folder, f"has damaged Zarr metadata: {type(error).__name__} {error}"[:200]) from error
    if len(chunks) != len(shape) or len(stored_chunks) != len(shape) or not all((*chunks, *stored_chunks)):
        raise FormatError(folder, "has damaged Zarr metadata: the chunks have another number of axes than the array")
    dimensions = tuple(map(str, names)) if isinstance(names, list | tuple) and len(names) == len(shape) else ()
    return ZarrNode(folder, data["zarr_format"], True, shape, chunks, stored_chunks, dtype, dimensions)


def _read_object(path: Path) -> dict[str, Any]:
    found = parse_json(path, read_text(path, MAX_STATE_BYTES))
    if not isinstance(found, dict):
        raise FormatError(path, "is not a JSON object")
    return found


def _lengths(values: object) -> tuple[int, ...]:
    if not isinstance(values, list) or not all(type(value) is int and 0 <= value < 2**40 for value in values):
        raise ValueError(f"'{str(values)[:40]}' is not a list of lengths")
    return tuple(values)


def _inner_chunks(data: Mapping[str, Any]) -> tuple[int, ...]:
    """Chunks of an array of version 3; with shards, those inside of them, which are decoded one by one."""
    chunks = data["chunk_grid"]["configuration"]["chunk_shape"]
    for codec in data["codecs"]:
        if isinstance(codec, dict) and codec.get("name") == "sharding_indexed":
            chunks = codec["configuration"]["chunk_shape"]
    return _lengths(chunks)


def _check_codecs(folder: Path, data: Mapping[str, Any]) -> None:
    """Refuse codecs that could run code of the file."""
    for name in _codec_names([data.get("codecs"), data.get("compressor"), data.get("filters")]):
        if name.removeprefix("numcodecs.").lower() not in CODECS:
            raise FormatError(folder, f"uses the codec '{name[:40]}', which is not supported")


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


def _number_type(name: str) -> np.dtype[Any] | None:
    """Type of real numbers of at most 8 bytes; None for another."""
    try:
        dtype = np.dtype(name)
    except (TypeError, ValueError):
        return None
    return dtype if dtype.kind in "fiub" and dtype.itemsize <= 8 else None


def _children(group: Path) -> Iterator[ZarrNode]:
    """Arrays of a group, in the order of their names; unreadable ones are left out."""
    with os_errors(group), os.scandir(group) as entries:
        folders = [Path(entry.path) for entry in islice(entries, N_GROUP_ARRAYS) if entry.is_dir()]
    for folder in sorted(folders):
        try:
            if is_zarr(folder):
                yield read_node(folder)
        except FormatError:
            continue


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
    zarr_format : version of the format.
    version : of the files, when it was opened.
    """

    zarr_format: int
    version: ZarrVersion

    def read_band(self, first: int, last: int) -> NDArray[Any]:
        """See `StoredMatrix.read_band`."""
        with library_errors(self.path, f"has a damaged chunk in rows {first + 1:,} to {last:,}"):
            self._check_version()
            found = np.asarray(_open_array(self.path, self.zarr_format)[first:last])
            self._check_version()
        return found.astype(self.dtype, copy=False)

    def _check_version(self) -> None:
        if zarr_version(self.path) != self.version:
            raise FormatError(self.path, "changed after it was opened; its new content is not used")


def _open_array(folder: Path, zarr_format: int) -> Any:
    try:
        import zarr
    except ImportError as error:
        raise FormatError(folder, f"is a Zarr array, which requires {EXTRA}") from error
    # By its path, not by its group: consolidated metadata of a group would replace those that were checked.
    return zarr.open_array(os.fspath(folder), mode="r", zarr_format=3 if zarr_format == 3 else 2)


def read_zarr(path: Path, _progress: ReadProgress = NO_PROGRESS) -> MatrixFile:
    """Read a Zarr array, or a group with one matrix: a `LabelledMatrix` if arrays next to it hold its ids.

    Raises
    ------
    FormatError
        When the extra is not installed, it is damaged, or it contains no matrix of real numbers.
    """
    node = read_node(path)
    if not node.is_array:
        found = [child for child in _children(path) if child.is_matrix]
        if not found:
            raise FormatError(path, "is a Zarr group without a matrix of real numbers")
        node = max(found, key=lambda child: prod(child.shape))
    if not node.is_matrix or not all(0 < length < 2**31 for length in node.shape):
        size = " x ".join(map(str, node.shape)) or "a single number"
        raise FormatError(path, f"contains '{node.dtype}' of shape {size}, a matrix of real numbers is expected")
    check_counts(path, *node.shape)
    stored = _number_type(node.dtype)
    assert stored is not None
    if prod(node.chunks) * stored.itemsize > MAX_ARRAY_BYTES:
        raise limit_error(MAX_ARRAY_BYTES, "bytes in a chunk", path)
    rows, columns = node.shape
    findings: list[Finding] = []
    with library_errors(path, "is not a readable Zarr array", with_text=True):
        version = zarr_version(node.path)
        check_unpacked(path, version.n_bytes, prod(node.shape) * stored.itemsize, sys.maxsize)
        array = _open_array(node.path, node.version)
    # zarr (3.1) lists all possible chunks to count those that are stored.
    n_chunks = prod(-(-length // chunk) for length, chunk in zip(node.shape, node.stored_chunks, strict=True))
    if version.n_chunks < n_chunks:
        message = f"{n_chunks - version.n_chunks:,} of its {count_of(n_chunks, 'chunk')} are not stored"
        findings.append(
            Finding(Severity.ERROR, str(path), None, message, f"their values are the fill value, {array.fill_value}")
        )
    dtype = read_dtype(stored)
    height = min(node.chunks[0], rows)
    edges = band_edges(rows, columns * dtype.itemsize, height)
    values = ZarrMatrix(node.path, (rows, columns), dtype, edges, node.version, version)
    if height * columns * dtype.itemsize > MAX_BAND_BYTES:
        band_rows = int(edges[1])
        message = f"chunks of {height:,} rows, each of which is decoded {-(-height // band_rows)} times"
        action = f"chunks of at most {band_rows:,} rows are decoded once"
        findings.append(Finding(Severity.INFO, str(path), None, message, action))
    return with_ids(MatrixFile(path, values, "npy", tuple(findings)), *_ids(node))


def _ids(node: ZarrNode) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the rows and of the columns, in arrays next to a matrix in its group; empty without such arrays.

    They are named like the axes of the matrix, as xarray does, or after queries and models.
    """
    group = node.path.parent
    try:
        if not is_zarr(group) or read_node(group).is_array:
            return (), ()
        vectors = {child.path.name: child for child in _children(group) if len(child.shape) == 1}
    except FormatError:
        return (), ()
    found = []
    for axis, names in enumerate((ROW_NAMES, COLUMN_NAMES)):
        named = [node.dimensions[axis]] if node.dimensions else []
        named += [name for name in vectors if _singular(name) in names]
        fitting = [name for name in named if name in vectors and vectors[name].shape[0] == node.shape[axis]]
        found.append(_read_ids(vectors[fitting[0]]) if fitting else ())
    return found[0], found[1]


def _singular(name: str) -> str:
    """``query`` for ``queries``, ``Query_IDs`` and ``query id``."""
    words = name.casefold().replace("_", " ").removesuffix("s").removesuffix(" id").removesuffix(" name")
    return f"{words[:-2]}y" if words.endswith("ie") else words


def _read_ids(node: ZarrNode) -> tuple[str, ...]:
    if prod(node.shape) > MAX_IDS:
        raise limit_error(MAX_IDS, "ids", node.path)
    with library_errors(node.path, "contains no readable ids", with_text=True):
        found = np.asarray(_open_array(node.path, node.version)[:])
    if found.dtype.kind not in "iuOSUT":
        return ()
    return tuple(item.decode(errors="replace") if isinstance(item, bytes) else str(item) for item in found.tolist())
