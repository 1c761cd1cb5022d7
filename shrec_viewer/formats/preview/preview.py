"""Preview of how a file is interpreted, with the alternatives."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, DistanceMatrix, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.ids import IdIndex, natural_key, without_extension
from shrec_viewer.formats.core.read_context import ReadContext, read_context_of
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.discovery.benchmark import recognise_format
from shrec_viewer.formats.discovery.readers import READERS
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import looks_like_text, read_file_head
from shrec_viewer.formats.matrices.cell_values import permutation_base
from shrec_viewer.formats.matrices.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.matrices.matrix_runs import interpret_matrix, read_matrix_run
from shrec_viewer.formats.matrices.orders import possible_orders
from shrec_viewer.formats.preview.questions import (
    FileInspection,
    applied_order,
    build_questions,
    content_summary,
    direction_of,
)
from shrec_viewer.formats.preview.records import (
    COLUMN_MEANINGS,
    Preview,
    PreviewColumn,
    PreviewRow,
    Question,
    QuestionOption,
)
from shrec_viewer.formats.preview.rows import (
    PreviewPage,
    ShownTable,
    cla_rows,
    class_rows,
    label_rows,
    list_rows,
    matrix_rows,
    plain_rows,
    qrels_rows,
    submission_rows,
    table_rows,
    trec_rows,
)
from shrec_viewer.formats.runs.id_matching import index_with_affix
from shrec_viewer.formats.runs.rank_list import RankListFile
from shrec_viewer.formats.runs.rank_list_folder import MAX_SAMPLED_LISTS, detect_dialect, read_list_with_ids

__all__ = ["COLUMN_MEANINGS", "Preview", "PreviewColumn", "PreviewRow", "Question", "QuestionOption", "preview"]

LARGE_FILE_TEXT = "a large file: only its first lines were looked at"

MAX_LISTED_FILES = 40
"""Files of a folder among which its first lists are looked for: some may be notes, some empty."""

ROW_BUILDERS: dict[str, Callable[[PreviewPage], ShownTable]] = {
    "cla": cla_rows,
    "trec": trec_rows,
    "qrels": qrels_rows,
    "classes": class_rows,
    "submission": submission_rows,
    "matrix": matrix_rows,
    "rank_list": list_rows,
    "labels": label_rows,
}
"""What shows the lines of a format; tables have their own, and the others are shown as they stand."""


def preview(
    path: Path,
    choice: ReadOptions = DETECT_ALL,
    benchmark: Benchmark | None = None,
    *,
    rows: int = 12,
    cells: int = 12,
    cancelled: Callable[[], bool] = never_cancelled,
    cache: ParseCache | None = None,
) -> Preview:
    """The first lines of a file as they are understood under a choice, and the other choices there are.

    Quick enough for every click: a large text is looked at by its first lines only, unless `cache` has it parsed.

    Parameters
    ----------
    path : a file, or a folder of rank lists, of which the first that is not empty is shown.
    choice : what the person says; `format` may be the key of any reader here.
    benchmark : what is open; its ids, orders and truth then say what each choice would give.
    rows, cells : how much is shown.
    cancelled, cache : see `read_benchmark`.

    Raises
    ------
    FormatError
        When the file cannot be opened, or the folder has no rank list. What cannot be read as it is chosen is no error
        but the preview's `problem`.
    """
    context = read_context_of(benchmark, FindingsLog(benchmark.root)) if benchmark is not None else None
    files = _lists_in(path, context) if path.is_dir() else [path]
    head = read_file_head(files[0])
    key = "rank_list" if path.is_dir() else choice.format or recognise_format(head) or ""
    look = FileInspection(path, choice, context, head, key)
    problem = ""
    try:
        _inspect(look, files, ReadProgress(cancelled, None, cache))
        shown = _build_rows(look, rows, cells)
    except FormatError as error:
        problem = str(error)
        shown = _plain_rows(look, rows)
    label = next((reader.label for reader in READERS if reader.key == key), "not recognised")
    said = problem or content_summary(look.noun) or (LARGE_FILE_TEXT if key else "no reader recognises it")
    columns, lines, hidden = shown
    return Preview(path, files[0], key, label, columns, lines, said, build_questions(look), problem, hidden)


def _lists_in(folder: Path, context: ReadContext | None) -> list[Path]:
    """The first rank lists of a folder that are not empty, or else files named after queries."""
    try:
        with os.scandir(folder) as listing:
            names = sorted((entry.name for entry in listing if entry.is_file()), key=natural_key)
    except OSError as error:
        raise FormatError(folder, f"cannot be listed: {(error.strerror or '').lower()}") from error
    files = [folder / name for name in names[:MAX_LISTED_FILES] if not name.startswith(".")]
    files = [path for path in files if _has_content(path)]
    found = [path for path in files if recognise_format(read_file_head(path)) == "rank_list"]
    if not found and context is not None:
        index, _ = index_with_affix([without_extension(name) for name in names], context.query_ids)
        found = [path for path in files if index.place(path.name) >= 0]
    if not found:
        raise FormatError(folder, "holds no rank list")
    return found[:MAX_SAMPLED_LISTS]


def _has_content(path: Path) -> bool:
    """Whether it holds anything; who writes runs makes files of other names for a moment, which are gone then."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _inspect(look: FileInspection, files: list[Path], watch: ReadProgress) -> None:
    """Read as much as a look needs."""
    reader = next((reader for reader in READERS if reader.key == look.key), None)
    if look.key == "matrix":
        _inspect_matrix(look, watch)
    elif look.key == "rank_list":
        items = look.context.items if look.context is not None else IdIndex(())
        look.lists = [read_list_with_ids(path, items) for path in files]
        look.noun = look.lists[0]
        look.dialect = detect_dialect(files, items, look.choice.columns)
        falls = direction_of(look.lists, look.dialect)
        look.similarity = bool(falls) if look.choice.similarity is None else look.choice.similarity
    elif reader is not None and look.head.size < LARGE_TEXT_BYTES:
        look.noun = reader.read(look.path)
    if look.key == "trec":
        look.similarity = look.choice.similarity is not False


def _inspect_matrix(look: FileInspection, watch: ReadProgress) -> None:
    is_text = looks_like_text(look.head.data)
    if (
        is_text
        and look.head.size >= LARGE_TEXT_BYTES
        and (watch.cache is None or watch.cache.get(_cache_key(look, watch)) is None)
    ):
        look.similarity = bool(look.choice.similarity)
        return
    file = look.noun = read_matrix(look.path, watch)
    if look.context is None:
        look.similarity = bool(look.choice.similarity)
        return
    values = interpret_matrix(file, look.context, look.choice)
    if values is None:
        raise _last_finding_error(look)
    look.noun = MatrixFile(file.path, values, file.kind, file.findings)
    look.first = permutation_base(file.values) if file.values.ndim == 2 else None
    look.is_ranked = look.first is not None and not np.array_equal(values, file.values)
    shape = (values.shape[0], values.shape[1])
    look.orders = possible_orders(shape, look.context)
    ranking = read_matrix_run(file, look.context, look.choice)
    if not isinstance(ranking, DistanceMatrix):
        raise _last_finding_error(look)
    wanted = possible_orders(shape, look.context, look.choice.order) if look.choice.order else look.orders
    look.order, look.similarity = applied_order(ranking, wanted), ranking.similarity


def _cache_key(look: FileInspection, watch: ReadProgress) -> str | None:
    return watch.cache.key("matrix", look.path) if watch.cache is not None else None


def _last_finding_error(look: FileInspection) -> FormatError:
    assert look.context is not None
    finding = look.context.findings_log.findings[-1]
    return FormatError(look.path, finding.message, finding.line)


def _build_rows(look: FileInspection, rows: int, cells: int) -> ShownTable:
    matrix = look.noun if isinstance(look.noun, MatrixFile) else None
    sample: RankListFile | None = look.noun if isinstance(look.noun, RankListFile) else None
    path = sample.path if sample is not None else look.head.path
    page = PreviewPage(path, rows, cells, look.context, look.dialect, look.similarity, matrix, look.order)
    if look.key in ("table", "truth", "pairs", "long"):
        return table_rows(page, look.key)
    return ROW_BUILDERS.get(look.key, plain_rows)(page)


def _plain_rows(look: FileInspection, rows: int) -> ShownTable:
    try:
        return plain_rows(PreviewPage(look.head.path, rows, 1))
    except FormatError:  # no text
        return (), (), 0
