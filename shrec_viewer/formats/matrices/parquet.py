"""Read runs of Parquet files: tables of pairs, ranked lists, and distance matrices; requires the extra "cluster"."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, Finding, FormatError, RankedLists, Severity
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.ids import natural_key
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import FoundFile, Match, ParsedRun
from shrec_viewer.formats.io.array_files import BAND_BYTES, EXTRA, StoredMatrix, read_dtype
from shrec_viewer.formats.io.files import FileVersion, check_unpacked, check_version, version_of
from shrec_viewer.formats.io.limits import MAX_ARRAY_BYTES, MAX_ENTRIES, MAX_IDS, check_counts, limit_error
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress, never_cancelled
from shrec_viewer.formats.io.tables import (
    DISTANCE_NAMES,
    LIST_NAMES,
    MODEL_NAMES,
    QUERY_NAMES,
    RESULT_NAMES,
    SIMILARITY_NAMES,
    find_name,
)
from shrec_viewer.formats.io.text import FileHead, library_errors, read_file_head, read_or_none
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.matrix_runs import accept_matrix, rank_matrix
from shrec_viewer.formats.runs.listed_run import ListedRun, listed_run, rank_listed_run
from shrec_viewer.formats.runs.pair_table import NUMBER_NAMES

NumberNames = Sequence[tuple[Sequence[str], str]]

#: Key of the format in the table READERS.
PARQUET = "parquet"

#: First and last bytes of a file.
MAGIC = b"PAR1"

#: Columns whose values are counted: a file has at most three columns of lists, or columns of one length.
MAX_SAMPLED_COLUMNS = 4

#: Bytes of a value in memory, at least.
VALUE_BYTES = 4

#: Columns of a file; each takes about 0.1 ms and 1 KB of metadata. Wider matrices are stored as lists.
MAX_COLUMNS = 2**18

#: Further names of a column with the ids of the rows of a matrix; pandas writes ``__index_level_0__``.
INDEX_NAMES = ("index", "level 0", "unnamed: 0", "row", "id", "name", "")


def match_parquet(head: FileHead) -> Match:
    """Whether a file starts like a Parquet file, which may also be a table of another kind."""
    return Match.IF_IDS_KNOWN if head.data.startswith(MAGIC) else Match.NO


@dataclass(frozen=True)
class ParquetLayout:
    """Meanings of the columns of a file, by their names and types.

    Attributes
    ----------
    kind : "pairs", "lists", "matrix" (a column for each model) or "vectors" (a list of distances in each row).
    query : column of the ids of the queries; None if rows have no ids.
    model : column of the ids of the models, for pairs and lists.
    values : columns of the numbers; empty for lists without distances.
    nearer : which numbers are more similar, "smaller" or "larger".
    """

    kind: str
    query: str | None
    model: str | None
    values: tuple[str, ...]
    nearer: str = "smaller"


def _pyarrow(path: Path) -> Any:
    """The package ``pyarrow``, with ``parquet`` and ``compute``; FormatError without it."""
    try:
        import pyarrow
        import pyarrow.compute
        import pyarrow.parquet
    except ImportError as error:
        raise FormatError(path, f"is a Parquet file, which requires {EXTRA}") from error
    return pyarrow


@contextmanager
def _opened(path: Path, version: FileVersion | None = None) -> Iterator[Any]:
    """Context with an open file, a ``pyarrow.parquet.ParquetFile``; FormatError for all errors, and for a new version.

    Parameters
    ----------
    version : of the file, when it was opened first; None for the first time.
    """
    arrow = _pyarrow(path)
    check_version(path, version)
    damage = library_errors(path, "is a damaged Parquet file", with_text=True)
    with damage, arrow.parquet.ParquetFile(path, memory_map=False) as file:
        yield file
    check_version(path, version)


def parquet_layout(path: Path, schema: Any, numbers_of_pairs: NumberNames = NUMBER_NAMES) -> ParquetLayout:
    """Layout of a file with a schema of pyarrow.

    Parameters
    ----------
    numbers_of_pairs : headers of the number of a pair, with the direction.

    Raises
    ------
    FormatError
        When no columns could be those of a run.
    """
    types = _pyarrow(path).types
    if len(schema) > MAX_COLUMNS:
        raise limit_error(MAX_COLUMNS, "columns", path)
    names = [name if isinstance(name, str) else str(name) for name in schema.names]
    if len(set(names)) < len(names):
        raise FormatError(path, "has several columns of one name")
    kinds = dict(zip(names, (_kind_of(field.type, types) for field in schema), strict=True))
    ids = [name for name in names if kinds[name] in ("text", "integer")]

    def find(headers: Sequence[str], candidates: Sequence[str]) -> str | None:
        found = find_name(headers, candidates)
        return None if found is None else candidates[found]

    query = find((*QUERY_NAMES, "q"), ids)
    lists = [name for name in names if kinds[name] == "list of ids"]
    vectors = [name for name in names if kinds[name] in ("list of numbers", "list of integers")]
    model_names = (*MODEL_NAMES, *RESULT_NAMES)
    model = find(
        (*model_names, *LIST_NAMES), [*lists, *(name for name in vectors if kinds[name] == "list of integers")]
    )
    if query is not None and (model or lists):
        distances = [name for name in vectors if name != model]
        value = find((*DISTANCE_NAMES, *SIMILARITY_NAMES), distances)
        return ParquetLayout("lists", query, model or lists[0], (value,) if value else ())
    model = find(model_names, [name for name in ids if name != query])
    if query is not None and model is not None:
        numbers = [name for name in names if kinds[name] in ("number", "integer") and name not in (query, model)]
        for headers, nearer in numbers_of_pairs:
            if value := find(headers, numbers):
                return ParquetLayout("pairs", query, model, (value,), nearer)
        message = "has columns of queries and models, but no column of numbers named 'distance', 'score' or 'rank'"
        raise FormatError(path, message)
    if len(vectors) == 1 and len(names) <= 2:
        others = [name for name in ids if name != vectors[0]]
        return ParquetLayout("vectors", others[0] if others else None, None, (vectors[0],))
    texts = [name for name in names if kinds[name] == "text"]
    index = query or (texts[0] if len(texts) == 1 else None)
    if index is None and (found := find(INDEX_NAMES, ids)) is not None and kinds[found] == "integer":
        index = found
    values = tuple(name for name in names if name != index)
    found_kinds = {kinds[name] for name in values}
    # One column of integers would be a table of classes or of levels.
    if found_kinds == {"number"} or (found_kinds <= {"number", "integer"} and len(values) > 1):
        return ParquetLayout("matrix", index, None, values)
    shown = ", ".join(f"'{name}'" for name in names[:6]) + (", …" if len(names) > 6 else "")
    expected = "'query', 'model' and 'distance', or a column of distances for each model"
    raise FormatError(path, f"has the columns {shown}; a run has {expected}")


def _kind_of(kind: Any, types: Any) -> str:
    """One of "text", "integer", "number", "list of ids", "list of integers", "list of numbers" and "other"."""
    if types.is_dictionary(kind):
        kind = kind.value_type
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        inner = _kind_of(kind.value_type, types)
        return {"text": "list of ids", "integer": "list of integers", "number": "list of numbers"}.get(inner, "other")
    if types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view":
        return "text"
    if types.is_integer(kind):
        return "integer"
    return "number" if types.is_floating(kind) or types.is_boolean(kind) else "other"


@dataclass(frozen=True, eq=False)
class ParquetMatrix(StoredMatrix):
    """A matrix whose row groups are decoded when rows are read; the file is opened for each band.

    Attributes
    ----------
    columns : of the file, that hold the numbers.
    groups : (B + 1,) first row group of each band, and the number of groups.
    version : of the file, when it was opened.
    """

    columns: tuple[str, ...]
    groups: NDArray[np.int64]
    version: FileVersion | None

    def read_band(self, first: int, last: int) -> NDArray[Any]:
        """See `StoredMatrix.read_band`."""
        band = int(np.searchsorted(self.edges, first))
        groups = range(int(self.groups[band]), int(self.groups[band + 1]))
        with _opened(self.path, self.version) as file:
            table = file.read_row_groups(list(groups), columns=list(self.columns))
            return _numbers(self.path, table.select(self.columns), (last - first, self.shape[1]), self.dtype)


def _numbers(path: Path, table: Any, shape: tuple[int, int], dtype: np.dtype[Any]) -> NDArray[Any]:
    """(n, M) numbers of columns, or of one column of lists; missing ones are NaN."""
    arrow = _pyarrow(path)
    values = np.empty(shape, dtype)
    if table.num_rows != shape[0]:
        raise FormatError(path, f"has {table.num_rows:,} rows instead of {shape[0]:,}")
    if table.num_columns == shape[1] and _kind_of(table.schema.field(0).type, arrow.types) in ("number", "integer"):
        for index, column in enumerate(table.itercolumns()):
            values[:, index] = column.cast(arrow.float64()).to_numpy()
        return values
    start = 0
    for piece in table.column(0).chunks:
        lengths = arrow.compute.list_value_length(piece).to_numpy(zero_copy_only=False)
        wrong = np.flatnonzero(~(lengths == shape[1]))  # NaN, too: a missing list
        if len(wrong):
            row = start + int(wrong[0]) + 1
            raise FormatError(path, f"the list in row {row:,} has another length than the first, {shape[1]:,} numbers")
        flat = piece.flatten().cast(arrow.float64()).to_numpy(zero_copy_only=False)
        values[start : start + len(piece)] = flat.reshape(len(piece), shape[1])
        start += len(piece)
    return values


def read_parquet(
    path: Path, _progress: ReadProgress = NO_PROGRESS, numbers_of_pairs: NumberNames = NUMBER_NAMES
) -> ListedRun | MatrixFile:
    """Read a run: a `ListedRun`, or a `MatrixFile`; `numbers_of_pairs` as of `parquet_layout`.

    Raises
    ------
    FormatError
        When the extra is not installed, the file is damaged, or its columns are not those of a run.
    """
    version = version_of(path)
    if not match_parquet(read_file_head(path)):
        raise FormatError(path, "is not a Parquet file")
    with _opened(path, version) as file:
        layout = parquet_layout(path, file.schema_arrow, numbers_of_pairs)
        if not file.metadata.num_rows:
            raise FormatError(path, "has no rows")
        _check_values(path, file.metadata)
        if layout.kind == "pairs":
            return _read_pairs(path, file, layout)
        if layout.kind == "lists":
            return _read_lists(path, file, layout)
        return _read_matrix(path, file, layout, version)


def _check_values(path: Path, metadata: Any) -> None:
    """FormatError for far more values than so few bytes hold: equal ones are stored once, whatever their number."""
    n_columns = metadata.num_columns
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    longest = max(
        sum(group.column(index).num_values for group in groups) for index in range(min(n_columns, MAX_SAMPLED_COLUMNS))
    )
    check_unpacked(path, path.stat().st_size, longest * n_columns * VALUE_BYTES, sys.maxsize)


def is_parquet_matrix(path: Path) -> bool:
    """Whether the columns of a file are those of a matrix; False for a file that cannot be read."""
    try:
        with _opened(path) as file:
            return parquet_layout(path, file.schema_arrow).kind in ("matrix", "vectors")
    except FormatError:
        return False


def _read_ids(path: Path, file: Any, column: str) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Index of the id of each row, (n,) int32, -1 where it is missing; and the distinct ids, in file order."""
    arrow = _pyarrow(path)
    values = file.read(columns=[column]).column(column)
    if arrow.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    encoded = values.cast(arrow.large_string()).combine_chunks().dictionary_encode()
    if isinstance(encoded, arrow.ChunkedArray):
        encoded = encoded.combine_chunks()
    if len(encoded.dictionary) > MAX_IDS:
        raise limit_error(MAX_IDS, "different ids", path)
    names = tuple(encoded.dictionary.to_pylist())
    return encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int32, copy=False), names


def _read_pairs(path: Path, file: Any, layout: ParquetLayout) -> ListedRun:
    n_rows = file.metadata.num_rows
    if n_rows > MAX_ENTRIES:
        raise limit_error(MAX_ENTRIES, "rows of pairs", path)
    assert layout.query is not None
    assert layout.model is not None
    query, queries = _read_ids(path, file, layout.query)
    model, models = _read_ids(path, file, layout.model)
    column = file.read(columns=[layout.values[0]]).column(0)
    scores = column.cast(_pyarrow(path).float64()).to_numpy()
    complete = np.flatnonzero((query >= 0) & (model >= 0))
    findings = []
    if len(complete) < n_rows:
        message = f"{count_of(n_rows - len(complete), 'row lacks', 'rows lack')} a query or a model"
        findings.append(Finding(Severity.ERROR, str(path), None, message, "ignored"))
    if not len(complete):
        raise FormatError(path, "lists nothing")
    title = f"table of {count_of(len(complete), 'pair')} of a query and a model"
    columns = query[complete], model[complete], scores[complete].astype(np.float64), (complete + 1).astype(np.int32)
    return ListedRun(path, queries, models, *columns, tuple(findings), title, layout.nearer)


def _read_lists(path: Path, file: Any, layout: ParquetLayout) -> ListedRun:
    arrow = _pyarrow(path)
    assert layout.query is not None
    assert layout.model is not None
    query, names = _read_ids(path, file, layout.query)
    lists = file.read(columns=[layout.model]).column(0)
    n_entries = arrow.compute.sum(arrow.compute.list_value_length(lists)).as_py() or 0
    if n_entries > MAX_ENTRIES:
        raise limit_error(MAX_ENTRIES, "entries of lists", path)
    rows = [tuple("" if item is None else str(item) for item in row or ()) for row in lists.to_pylist()]
    distances: list[NDArray[np.float64]] = []
    findings = []
    if layout.values:
        found = file.read(columns=[layout.values[0]]).column(0).to_pylist()
        distances = [np.array(row or (), np.float64) for row in found]
        if any(len(one) != len(other) for one, other in zip(rows, distances, strict=True)):
            message = f"'{layout.values[0]}' and '{layout.model}' have lists of different lengths"
            findings.append(Finding(Severity.ERROR, str(path), None, message, "the distances are ignored"))
            distances = []
    _, first = np.unique(query, return_index=True)
    kept = [index for index in np.sort(first).tolist() if query[index] >= 0]
    if len(kept) < len(rows):
        message = f"{count_of(len(rows) - len(kept), 'row has', 'rows have')} no query, or that of an earlier row"
        findings.append(Finding(Severity.ERROR, str(path), None, message, "ignored"))
    lines = np.repeat(np.array(kept, np.int32) + 1, [len(rows[index]) for index in kept])
    queries, models = (
        [names[query[line - 1]] for line in lines.tolist()],
        [word for index in kept for word in rows[index]],
    )
    numbers = np.concatenate([np.zeros(0), *(distances[index] for index in kept if distances)])
    list_lines = {names[query[index]]: index + 1 for index in kept}
    return listed_run(path, queries, models, numbers, lines, findings, "table of", list_lines=list_lines)


def _read_matrix(path: Path, file: Any, layout: ParquetLayout, version: FileVersion | None) -> MatrixFile:
    arrow = _pyarrow(path)
    n_rows = file.metadata.num_rows
    heights = [file.metadata.row_group(index).num_rows for index in range(file.metadata.num_row_groups)]
    schema = file.schema_arrow  # made from all columns each time
    kind = schema.field(layout.values[0]).type
    names: tuple[str, ...] = layout.values
    n_columns = len(names)
    if layout.kind == "vectors":
        first = next(file.iter_batches(1, columns=[layout.values[0]])).column(0)
        n_columns = arrow.compute.list_value_length(first).to_pylist()[0] or 0
        kind, names = kind.value_type, ()
        if n_columns == 0:
            raise FormatError(path, "its first row has no list of distances")
    check_counts(path, n_rows, n_columns)
    floats = {schema.field(name).type for name in layout.values} if names else {kind}
    is_single = all(arrow.types.is_float16(kind) or arrow.types.is_float32(kind) for kind in floats)
    dtype = read_dtype(np.dtype(np.float32 if is_single else np.float64))
    if max(heights) * n_columns * dtype.itemsize > MAX_ARRAY_BYTES:
        raise limit_error(MAX_ARRAY_BYTES, "bytes in a row group", path)
    groups, edges = _bands(heights, n_columns * dtype.itemsize)
    values = ParquetMatrix(path, (n_rows, n_columns), dtype, edges, layout.values, groups, version)
    rows: tuple[str, ...] = ()
    if layout.query is not None:
        index, ids = _read_ids(path, file, layout.query)
        rows = tuple(ids[number] if number >= 0 else "" for number in index.tolist())
    return MatrixFile(path, values, "npy", (), rows, names)


def _bands(heights: Sequence[int], row_bytes: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row groups and rows at which bands of about `BAND_BYTES` start."""
    starts = np.cumsum([0, *heights])
    groups = [0]
    for group in range(1, len(heights)):
        if (starts[group + 1] - starts[groups[-1]]) * row_bytes > BAND_BYTES:
            groups.append(group)
    groups.append(len(heights))
    found = np.array(groups, np.int64)
    return found, starts[found].astype(np.int64)


def rank_parquet(
    file: ParsedRun, context: ReadContext, options: ReadOptions = DETECT_ALL, cancelled: Any = never_cancelled
) -> RankedLists | DistanceMatrix | None:
    """Convert a run as it was read; None, with an error finding, if it does not fit the benchmark."""
    if isinstance(file, MatrixFile):
        return rank_matrix(file, context, options, cancelled)
    assert isinstance(file, ListedRun)
    return rank_listed_run(file, context, options, cancelled)


def accept_parquet(file: ParsedRun, context: ReadContext) -> bool:
    """Whether a file is a run of the benchmark: by its ids, or the shape of its matrix."""
    if isinstance(file, MatrixFile):
        return accept_matrix(file, context)
    return context.query_ids.share(file.query_ids()) > 0


def read_parquet_folder(
    path: Path, files: Sequence[FoundFile], progress: ReadProgress = NO_PROGRESS
) -> ListedRun | None:
    """The tables of pairs of a folder if they are parts of one run: no pair is in two of them.

    None for a folder with fewer than two, for one whose files are runs, which rank the same models for a query, and if
    a file cannot be read, which is an error of that file.
    """
    paths = sorted((file.path for file in files if file.kind == PARQUET), key=lambda path: natural_key(path.name))
    if len(paths) < 2:
        return None
    parts: list[ListedRun] = []
    for part_path in paths:
        part = read_or_none(read_parquet, part_path, progress)
        if not isinstance(part, ListedRun):
            return None
        parts.append(part)
        if len(parts) == 2 and _joined(path, parts) is None:  # before the others are read, which may be large runs
            return None
    return _joined(path, parts)


def _joined(path: Path, parts: Sequence[ListedRun]) -> ListedRun | None:
    """The rows of all parts, as Dask and Spark write them; None if they contain a pair twice."""
    queries = np.concatenate([np.array(part.queries, object)[part.query] for part in parts])
    models = np.concatenate([np.array(part.models, object)[part.model] for part in parts])
    scores, lines = np.concatenate([part.scores for part in parts]), range(1, len(queries) + 1)
    findings = [finding for part in parts for finding in part.findings]
    title = f"table of {count_of(len(queries), 'pair')} of a query and a model, in {len(parts)} files"
    found = listed_run(path, queries.tolist(), models.tolist(), scores, lines, findings, title, parts[0].nearer)
    keys = np.sort(found.query.astype(np.int64) * len(found.models) + found.model)
    return None if np.any(keys[1:] == keys[:-1]) else replace(found, files=tuple(part.path for part in parts))
