"""Runs whose distance matrix is stored in several files of a folder, as blocks of queries or of models."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, DistanceRows, Finding, FormatError, RankedLists
from shrec_viewer.formats.core.decisions import Alternative, Decision
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.core.ids import natural_key, natural_sorted
from shrec_viewer.formats.core.read_choices import BLOCKS_OF_MODELS, BLOCKS_OF_QUERIES
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import FoundFile, ParsedRun
from shrec_viewer.formats.io.array_files import DiskArray
from shrec_viewer.formats.io.progress import NO_PROGRESS, CancelCheck, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import FileHead, looks_like_text, read_file_head, read_or_none
from shrec_viewer.formats.matrices.matrix import MatrixFile, NamedArray, read_labelled_matrix, read_matrix
from shrec_viewer.formats.matrices.matrix_runs import (
    accept_matrix,
    are_number_lists,
    possible_shapes,
    rank_matrix,
    with_shape,
)
from shrec_viewer.formats.matrices.parquet import PARQUET, is_parquet_matrix, read_parquet
from shrec_viewer.formats.matrices.vectors import are_pair_names, find_vectors, has_role
from shrec_viewer.formats.matrices.zarr_store import ZARR, read_zarr

#: Bytes of one number: float64 and float16.
MAX_VALUE_BYTES, MIN_VALUE_BYTES = 8, 2

#: Bytes of a file besides its numbers.
MAX_HEADER_BYTES = 2**12


#: Files with model numbers and their distances.
N_LIST_FILES = 2


@dataclass(frozen=True, eq=False)
class BlockMatrix(DiskArray):
    """Read-only matrix whose blocks are in several files; indexing reads rows.

    Attributes
    ----------
    blocks : at least one, each (R, m) or (r, M) float.
    axis : 0 if the blocks have different rows (queries), 1 if they have different columns (models).
    shape : (R, M).
    dtype : type of the numbers that are returned.
    """

    blocks: tuple[DistanceRows, ...]
    axis: int
    shape: tuple[int, ...] = field(init=False)
    dtype: np.dtype[Any] = field(init=False)

    def __post_init__(self) -> None:
        shape = list(self.blocks[0].shape)
        shape[self.axis] = sum(block.shape[self.axis] for block in self.blocks)
        object.__setattr__(self, "shape", tuple(shape))
        object.__setattr__(self, "dtype", np.result_type(*(block.dtype for block in self.blocks)))

    @property
    def parts(self) -> tuple[DistanceRows, ...]:
        """The blocks."""
        return self.blocks

    def read_rows(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """See `DiskArray.read_rows`."""
        if self.axis == 1:
            return np.concatenate([np.asarray(block[rows], self.dtype) for block in self.blocks], axis=-1)
        values = np.empty((len(rows), self.shape[1]), self.dtype)
        start = 0
        for block in self.blocks:
            inside = np.flatnonzero((rows >= start) & (rows < start + len(block)))
            if len(inside):
                values[inside] = block[rows[inside] - start]
            start += len(block)
        return values


@dataclass(frozen=True, eq=False)
class MatrixFolder(ParsedRun):
    """A folder whose files may be blocks of one matrix. They are opened when the run is recognised or ranked.

    Attributes
    ----------
    path : the folder.
    files : its matrices, in natural order of their names.
    """

    path: Path
    files: tuple[FoundFile, ...]

    def file_paths(self) -> tuple[Path, ...]:
        """Paths of the blocks."""
        return tuple(file.path for file in self.files)

    def summary(self) -> str:
        """Number of files."""
        return count_of(len(self.files), "matrix", "matrices")


def is_no_file(_head: FileHead) -> bool:
    """False: a single file is never a matrix in several files."""
    return False


def read_matrix_folder(
    path: Path, files: Sequence[FoundFile], _progress: ReadProgress = NO_PROGRESS
) -> MatrixFolder | None:
    """The matrices of one format among the files of a folder; None for fewer than two, or if the first is text.

    Two files that are named after queries and models are the only ones: they may be feature vectors. Other text files
    of numbers are rank lists of models whose ids are numbers, or complete matrices.
    """
    pair = [file for file in files if file.kind in _READ and has_role(file.path.stem)]
    if are_pair_names([file.path.stem for file in pair]):
        return MatrixFolder(path, tuple(pair))
    files = [file for file in files if file.kind != LABELLED_MATRIX]
    matrices = sorted((file for file in files if file.kind in _READ), key=lambda file: natural_key(file.path.name))
    suffix, count = Counter(file.path.suffix.lower() for file in matrices).most_common(1)[0] if matrices else ("", 0)
    if count > 1:  # else numbers after a dot; without `Thumbs.db` and drafts, whose bytes may be read as numbers
        matrices = [file for file in matrices if file.path.suffix.lower() == suffix]
    if len(matrices) < 2 or len({file.kind for file in matrices}) > 1:
        return None
    kind, first = matrices[0].kind, matrices[0].path
    if kind == "matrix" and looks_like_text(read_file_head(first).data):
        return None
    if kind == PARQUET and not is_parquet_matrix(first):
        return None
    return MatrixFolder(path, tuple(matrices))


def accept_matrix_folder(folder: MatrixFolder, context: ReadContext) -> bool:
    """Whether the matrices of a folder are blocks of one run: their heights or widths add up to those of a run."""
    n_values = max((rows * columns for rows, columns in possible_shapes(context)), default=0)
    if folder.files[0].kind == "matrix" and len(folder.files) > N_LIST_FILES:
        total = sum(file.size for file in folder.files)
        # Before opening any file: several complete runs in one folder are much larger.
        slack = MAX_HEADER_BYTES * len(folder.files)
        if not MIN_VALUE_BYTES * n_values <= total <= MAX_VALUE_BYTES * n_values + slack:
            return False
    if (files := read_or_none(_read_blocks, folder)) is None:  # an error of that file
        return False
    if _vectors_of(folder, files, context) is not None or _number_lists(folder, files, context) is not None:
        return True
    joined = _joined_by_ids(folder.path, files)
    if joined is not None and n_values:
        return accept_matrix(joined, context)
    return bool(_arrangements(files, context))


def _number_lists(folder: MatrixFolder, files: Sequence[MatrixFile], context: ReadContext) -> MatrixFile | None:
    """The model numbers of two files with model numbers and their distances, as FAISS returns them; None for others."""
    if len(files) != N_LIST_FILES or any(file.kind != "matrix" for file in folder.files):
        return None
    lists = [file for file in files if are_number_lists(file.values, context, DETECT_ALL)]
    return lists[0] if len(lists) == 1 and files[0].values.shape == files[1].values.shape else None


def rank_matrix_folder(
    folder: MatrixFolder,
    context: ReadContext,
    read_options: ReadOptions = DETECT_ALL,
    cancelled: CancelCheck = never_cancelled,
) -> DistanceMatrix | RankedLists:
    """Join the blocks and convert them to a run; see `join_blocks`."""
    return rank_matrix(join_blocks(folder, context, read_options), context, read_options, cancelled)


def join_blocks(folder: MatrixFolder, context: ReadContext, read_options: ReadOptions = DETECT_ALL) -> MatrixFile:
    """The blocks as one matrix.

    Raises
    ------
    FormatError
        When a block cannot be read, or the blocks do not add up to a run (`RunIgnoredError`).
    """
    log = context.findings_log
    for file in folder.files:
        log.mention(file.path)
    files = _read_blocks(folder)
    if (vectors := _vectors_of(folder, files, context, read_options.cells)) is not None:
        return vectors
    if (lists := _number_lists(folder, files, context)) is not None:
        log.info(folder.path, "model numbers and their distances", f"'{lists.path.name}' is read")
        return replace(lists, path=folder.path)
    if (by_ids := _joined_by_ids(folder.path, files)) is not None:
        span = f"{files[0].path.name} to {files[-1].path.name}"
        log.info(folder.path, f"{count_of(len(files), 'matrix', 'matrices')}, {span}", "joined by their ids")
        return by_ids
    arrangements = _arrangements(files, context)
    names = [file.path.name for file in files]
    if read_options.blocks is not None:
        arrangements = [found for found in arrangements if found[0] == read_options.blocks]
    if not arrangements:
        shapes = {file.path: file.values.shape for file in files}
        ignore_incomplete_blocks(folder.path, shapes, context, read_options.blocks)
    key, blocks = arrangements[0]
    problem = f"{count_of(len(files), 'matrix', 'matrices')}, {names[0]} to {names[-1]}"
    if len(arrangements) > 1:
        problem += f", which fit as blocks of {key} and of {arrangements[1][0]}"
    action = "joined in the order of their names, as blocks of"
    fitting = tuple(Alternative(one, f"{action} {one}") for one, _ in arrangements)
    log.decide(folder.path, Decision("blocks", fitting, key, problem=problem))
    findings: list[Finding] = [finding for file in files for finding in file.findings]
    values = BlockMatrix(blocks, 0 if key == BLOCKS_OF_QUERIES else 1)
    return MatrixFile(folder.path, values, files[0].kind, tuple(findings))


def _vectors_of(
    folder: MatrixFolder, files: Sequence[MatrixFile], context: ReadContext, cells: str | None = None
) -> MatrixFile | None:
    """Two matrices that are the vectors of the queries and of the models; None for others."""
    if len(files) != 2:
        return None
    arrays = tuple(NamedArray(file.path.stem, file.values, file.rows) for file in files)
    findings = tuple(finding for file in files for finding in file.findings)
    joined = MatrixFile(folder.path, files[0].values, files[0].kind, findings, arrays=arrays)
    return joined if find_vectors(joined, context, cells) else None


def _read_blocks(folder: MatrixFolder) -> list[MatrixFile]:
    return [_READ[file.kind](file.path) for file in folder.files]


def _read_parquet_matrix(path: Path) -> MatrixFile:
    file = read_parquet(path)
    if not isinstance(file, MatrixFile):
        raise FormatError(path, "contains no matrix, unlike the first file of its folder")
    return file


#: Key of the format in the table READERS; its files are no blocks, but may be vectors.
LABELLED_MATRIX = "labelled_matrix"

#: Readers of files that can be blocks, by their format.
_READ: Mapping[str, Callable[[Path], MatrixFile]] = {
    "matrix": read_matrix,
    LABELLED_MATRIX: read_labelled_matrix,
    ZARR: read_zarr,
    PARQUET: _read_parquet_matrix,
}


def _joined_by_ids(path: Path, files: Sequence[MatrixFile]) -> MatrixFile | None:
    """Blocks with ids as one matrix; None if some have none, or ids do not make them blocks of queries or models."""
    if any(file.has_counter_labels for file in files):
        return None
    first, blocks = files[0], tuple(file.values for file in files)
    findings = tuple(finding for file in files for finding in file.findings)
    rows = tuple(name for file in files for name in file.rows)
    columns = tuple(name for file in files for name in file.columns)
    if all(file.columns == first.columns and file.rows for file in files) and len(set(rows)) == len(rows):
        values, columns = BlockMatrix(blocks, 0), first.columns
    elif all(file.rows == first.rows and file.columns for file in files) and len(set(columns)) == len(columns):
        values, rows = BlockMatrix(blocks, 1), first.rows
    else:
        return None
    return MatrixFile(path, values, first.kind, findings, rows, columns)


def are_blocks(shapes: Sequence[tuple[int, ...]], n_queries: int, n_models: int) -> bool:
    """Whether matrices are the blocks of queries or of models of one with this many queries and models.

    Parameters
    ----------
    shapes : ``(R, M)``, or ``(n,)`` where rows are not known.
    """
    if len(shapes) < 2 or sum(map(prod, shapes)) != n_queries * n_models:
        return False
    return any(all(_fits(shape, axis, (n_queries, n_models)) for shape in shapes) for axis in (0, 1))


def _fits(shape: tuple[int, ...], axis: int, full: tuple[int, int]) -> bool:
    """Whether a matrix has the height (axis 0) or the width (1) of a run."""
    return shape[axis] == full[axis] if len(shape) == 2 else shape[0] % full[axis] == 0


def are_incomplete_blocks(shapes: Mapping[Path, tuple[int, ...]], context: ReadContext) -> bool:
    """Whether at least half of the matrices of a folder have the height or the width of a run, and none is complete.

    Parameters
    ----------
    shapes : ``(R, M)``, or ``(n,)`` where rows are not known, of each file.
    """
    for rows, columns in possible_shapes(context):
        # If they add up, a file of another kind or without numbers is why they are no run.
        sizes = [prod(shape) for shape in shapes.values()]
        if any(size >= rows * columns for size in sizes) or sum(sizes) == rows * columns:
            return False
    return len(shapes) > 1 and 2 * len(_misfits(shapes, context)) <= len(shapes)


def _misfits(shapes: Mapping[Path, tuple[int, ...]], context: ReadContext, axes: Sequence[int] = (0, 1)) -> list[Path]:
    """The matrices that have neither the height nor the width that most have, which is that of a run."""
    found = (
        [path for path, shape in shapes.items() if not _fits(shape, axis, full)]
        for full in possible_shapes(context)
        for axis in axes
    )
    return min(found, key=len, default=[*shapes])


def ignore_incomplete_blocks(
    folder: Path, shapes: Mapping[Path, tuple[int, ...]], context: ReadContext, blocks: str | None = None
) -> NoReturn:
    """RunIgnoredError for a folder whose matrices do not add up to a run, with the shape of each file.

    The files that are no blocks are named: those of another height or width, and those of the same extension that are
    no matrices.

    Parameters
    ----------
    blocks : see `ReadOptions.blocks`.
    """
    log = context.findings_log
    sizes = " or ".join(f"{rows:,} x {columns:,}" for rows, columns in possible_shapes(context))
    names = sorted(shapes, key=lambda path: natural_key(path.name))
    each = join_some([f"{path.name} {' x '.join(f'{length:,}' for length in shapes[path])}" for path in names])
    message = f"its {len(shapes)} matrices ({each}) do not add up to {sizes} (queries x models)"
    if blocks is not None:
        message += f" as blocks of {blocks}"
    axes = {BLOCKS_OF_QUERIES: (1,), BLOCKS_OF_MODELS: (0,)}.get(blocks or "", (0, 1))
    misfits = {*_misfits(shapes, context, axes)}
    suffixes = {path.suffix.lower() for path in shapes}
    others = [path for path in folder.glob("[!.]*") if path.suffix.lower() in suffixes and path not in shapes]
    faulty = natural_sorted([path.name for path in (*others, *(misfits if len(misfits) < len(shapes) else ()))])
    if faulty:
        message += f"; {join_some(faulty)} {'is no block' if len(faulty) == 1 else 'are no blocks'} of it"
    for path in (*shapes, *others):
        log.mention(path)
    log.ignore_run(folder, message)


def _arrangements(files: Sequence[MatrixFile], context: ReadContext) -> list[tuple[str, tuple[DistanceRows, ...]]]:
    """Ways in which the blocks add up to a run: `ReadOptions.blocks`, and the blocks with two axes."""
    if any(file.has_labels for file in files):
        return []
    values = [file.values for file in files]
    found: dict[str, tuple[DistanceRows, ...]] = {}
    for shape in possible_shapes(context):
        if sum(block.size for block in values) != prod(shape):
            continue
        for key, axis in ((BLOCKS_OF_QUERIES, 1), (BLOCKS_OF_MODELS, 0)):
            blocks = [_with_length(block, axis, shape[axis]) for block in values]
            if all(block is not None for block in blocks):
                found.setdefault(key, tuple(block for block in blocks if block is not None))
    return list(found.items())


def _with_length(block: DistanceRows, axis: int, length: int) -> DistanceRows | None:
    """The block with this many rows (axis 0) or columns (1); None if it has another number."""
    if block.ndim == 1 and block.size % length == 0:
        rest = block.size // length
        return with_shape(block, *((rest, length) if axis else (length, rest)))
    return block if block.ndim == 2 and block.shape[axis] == length else None
