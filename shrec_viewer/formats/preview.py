"""The beginning of a file as it is understood, how else it could be read, and what each way would give."""

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Benchmark, DistanceMatrix, FormatError
from shrec_viewer.formats.cells import first_number
from shrec_viewer.formats.context import Context, context_of
from shrec_viewer.formats.folder import recognise
from shrec_viewer.formats.journal import Journal
from shrec_viewer.formats.list_runs import SAMPLED_LISTS, dialect_of, read_list
from shrec_viewer.formats.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.matrix_runs import read_matrix_run, understood
from shrec_viewer.formats.naming import IdIndex, natural_key, without_extension
from shrec_viewer.formats.orders import fitting_orders
from shrec_viewer.formats.parse_cache import ParseCache
from shrec_viewer.formats.preview_parts import MEANINGS, Column, Option, Preview, Question, Row
from shrec_viewer.formats.preview_questions import Look, direction_of, questions_of, taken_order, told
from shrec_viewer.formats.preview_rows import (
    Page,
    Shown,
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
from shrec_viewer.formats.query_names import affixed
from shrec_viewer.formats.rank_list import RankListFile
from shrec_viewer.formats.reader import never
from shrec_viewer.formats.readers import READERS
from shrec_viewer.formats.reading import UNSAID, Reading
from shrec_viewer.formats.text import looks_like_text, read_head
from shrec_viewer.formats.watch import LARGE, Watch

__all__ = ["MEANINGS", "Column", "Option", "Preview", "Question", "Row", "preview"]

LARGE_FILE = "a large file: only its first lines were looked at"

FEW_FILES = 40
"""Files of a folder among which its first lists are looked for: some may be notes, some empty."""

BY_LINE: dict[str, Callable[[Page], Shown]] = {
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
    choice: Reading = UNSAID,
    benchmark: Benchmark | None = None,
    *,
    rows: int = 12,
    cells: int = 12,
    cancelled: Callable[[], bool] = never,
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
    context = context_of(benchmark, Journal(benchmark.root)) if benchmark is not None else None
    files = _lists_in(path, context) if path.is_dir() else [path]
    head = read_head(files[0])
    key = "rank_list" if path.is_dir() else choice.format or recognise(head) or ""
    look = Look(path, choice, context, head, key)
    problem = ""
    try:
        _understand(look, files, Watch(cancelled, None, cache))
        shown = _shown(look, rows, cells)
    except FormatError as error:
        problem = str(error)
        shown = _plain(look, rows)
    label = next((reader.label for reader in READERS if reader.key == key), "not recognised")
    said = problem or told(look.noun) or (LARGE_FILE if key else "no reader recognises it")
    columns, lines, hidden = shown
    return Preview(path, files[0], key, label, columns, lines, said, questions_of(look), problem, hidden)


def _lists_in(folder: Path, context: Context | None) -> list[Path]:
    """The first rank lists of a folder that are not empty, or else files named after queries."""
    try:
        with os.scandir(folder) as listing:
            names = sorted((entry.name for entry in listing if entry.is_file()), key=natural_key)
    except OSError as error:
        raise FormatError(folder, f"cannot be listed: {(error.strerror or '').lower()}") from error
    files = [folder / name for name in names[:FEW_FILES] if not name.startswith(".")]
    files = [path for path in files if _has_content(path)]
    found = [path for path in files if recognise(read_head(path)) == "rank_list"]
    if not found and context is not None:
        index, _ = affixed([without_extension(name) for name in names], context.query_ids)
        found = [path for path in files if index.place(path.name) >= 0]
    if not found:
        raise FormatError(folder, "holds no rank list")
    return found[:SAMPLED_LISTS]


def _has_content(path: Path) -> bool:
    """Whether it holds anything; who writes runs makes files of other names for a moment, which are gone then."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _understand(look: Look, files: list[Path], watch: Watch) -> None:
    """Read as much as a look needs."""
    reader = next((reader for reader in READERS if reader.key == look.key), None)
    if look.key == "matrix":
        _understand_matrix(look, watch)
    elif look.key == "rank_list":
        items = look.context.items if look.context is not None else IdIndex(())
        look.lists = [read_list(path, items) for path in files]
        look.noun = look.lists[0]
        look.dialect = dialect_of(files, items, look.choice.columns)
        falls = direction_of(look.lists, look.dialect)
        look.similarity = bool(falls) if look.choice.similarity is None else look.choice.similarity
    elif reader is not None and look.head.size < LARGE:
        look.noun = reader.read(look.path)
    if look.key == "trec":
        look.similarity = look.choice.similarity is not False


def _understand_matrix(look: Look, watch: Watch) -> None:
    is_text = looks_like_text(look.head.data)
    if is_text and look.head.size >= LARGE and (watch.cache is None or watch.cache.get(_key(look, watch)) is None):
        look.similarity = bool(look.choice.similarity)
        return
    file = look.noun = read_matrix(look.path, watch)
    if look.context is None:
        look.similarity = bool(look.choice.similarity)
        return
    values = understood(file, look.context, look.choice)
    if values is None:
        raise _as_error(look)
    look.noun = MatrixFile(file.path, values, file.kind, file.findings)
    look.first = first_number(file.values) if file.values.ndim == 2 else None
    look.is_ranked = look.first is not None and not np.array_equal(values, file.values)
    shape = (values.shape[0], values.shape[1])
    look.orders = fitting_orders(shape, look.context)
    ranking = read_matrix_run(file, look.context, look.choice)
    if not isinstance(ranking, DistanceMatrix):
        raise _as_error(look)
    wanted = fitting_orders(shape, look.context, look.choice.order) if look.choice.order else look.orders
    look.order, look.similarity = taken_order(ranking, wanted), ranking.similarity


def _key(look: Look, watch: Watch) -> str | None:
    return watch.cache.key("matrix", look.path) if watch.cache is not None else None


def _as_error(look: Look) -> FormatError:
    assert look.context is not None
    finding = look.context.journal.findings[-1]
    return FormatError(look.path, finding.message, finding.line)


def _shown(look: Look, rows: int, cells: int) -> Shown:
    matrix = look.noun if isinstance(look.noun, MatrixFile) else None
    sample: RankListFile | None = look.noun if isinstance(look.noun, RankListFile) else None
    path = sample.path if sample is not None else look.head.path
    page = Page(path, rows, cells, look.context, look.dialect, look.similarity, matrix, look.order)
    if look.key in ("table", "truth", "pairs", "long"):
        return table_rows(page, look.key)
    return BY_LINE.get(look.key, plain_rows)(page)


def _plain(look: Look, rows: int) -> Shown:
    try:
        return plain_rows(Page(look.head.path, rows, 1))
    except FormatError:  # no text
        return (), (), 0
