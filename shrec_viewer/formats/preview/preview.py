"""Preview of how a file is interpreted, with the alternatives."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from shrec_viewer.domain import Benchmark, Collection, FormatError, Queries
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.ids import IdIndex, without_extension
from shrec_viewer.formats.core.read_context import ReadContext, read_context_of
from shrec_viewer.formats.core.read_options import BY_NAME, BY_NEAREST, DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import EMPTY, FormatReader, PreviewColumn, RunReader
from shrec_viewer.formats.discovery.reader_table import all_readers, find_reader
from shrec_viewer.formats.discovery.reading import open_run
from shrec_viewer.formats.discovery.recognition import recognise_folder, recognise_format
from shrec_viewer.formats.io.files import read_unchanged
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import FileHead, looks_like_text, read_file_head
from shrec_viewer.formats.matrices.zarr_store import ZARR, is_zarr
from shrec_viewer.formats.preview.questions import SET_EXPLICITLY, Question, QuestionOption, question_about
from shrec_viewer.formats.preview.rows import (
    PreviewContent,
    PreviewRequest,
    PreviewRow,
    content_of,
    first_bytes,
    plain_lines,
    rank_lists_content,
)
from shrec_viewer.formats.runs.checks import index_with_affix
from shrec_viewer.formats.runs.rank_list_folder import MAX_SAMPLED_LISTS, RankListFolder

LARGE_FILE_TEXT = "Large file: only the first lines were inspected."

MAX_INSPECTED_BYTES = 2**20
"""Bytes of a large text that its reader gets: 0.1 s, as for `SMALL_FILE_BYTES`."""

MAX_LISTED_FILES = 40
"""Files of a folder among which its first lists are looked for: some can be notes, some empty."""

SMALL_FILE_BYTES = 2**20
"""Size up to which a file is read by every reader to show what each would read: about 0.1 s."""


@dataclass(frozen=True)
class Preview:
    """The beginning of a file as interpreted, and the alternatives.

    Attributes
    ----------
    path : what is previewed: a file, or a folder that is a run.
    sample : the file whose lines are shown.
    format : key of the reader used; "" if no reader recognises the file.
    label : of the reader.
    columns : of the cells shown.
    rows : the first lines; the plain lines if there is a `problem`.
    summary : short description of the contents, or the `problem`.
    questions : aspects that the user can change, in display order.
    problem : why the file cannot be read with these options; "" if it can.
    """

    path: Path
    sample: Path
    format: str
    label: str
    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]
    summary: str
    questions: tuple[Question, ...]
    problem: str = ""


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
    """The first lines of a file as its reader interprets them with the given options, and the alternatives.

    Of a large text the reader gets the first `MAX_INSPECTED_BYTES`, unless `cache` has it parsed; of a folder of rank
    lists, the first `MAX_SAMPLED_LISTS` that are not empty, of which one is shown.

    Parameters
    ----------
    path : a file, or a folder that is a run.
    choice : options of the user; `format` can be the key of any reader here.
    benchmark : what is open; its ids, orders and assessment determine what each option would give.
    rows, cells : number of rows and of cells per row.
    cancelled, cache : see `read_benchmark`.

    Raises
    ------
    FormatError
        When the file cannot be opened, or the folder is no run. A file that cannot be read with these options is not an
        error but the preview's `problem`.
    """
    context = _no_context(path) if benchmark is None else read_context_of(benchmark, FindingsLog(benchmark.root))
    request = PreviewRequest(context, choice, rows, cells, cancelled)
    progress = ReadProgress(cancelled, None, cache)
    questions: tuple[Question, ...] = ()
    reader: FormatReader | None
    read: Callable[[], PreviewContent]
    if path.is_dir() and not is_zarr(path):
        reader, sample, read = _open_folder(path, request, progress)
        key = reader.key
    else:
        head = FileHead(path, 0, b"") if path.is_dir() else read_file_head(path)
        key = choice.format or (ZARR if path.is_dir() else recognise_format(head) or "")
        reader, sample = find_reader(key), path
        read = partial(_read_file, reader, head, request, progress)
        questions = (_format_question(key, head, choice),)
    problem = ""
    try:
        content = read_unchanged(sample, read)
    except FormatError as error:
        problem = str(error)
        content = replace(plain_lines(sample, request), summary=problem)
    questions += content.questions
    if benchmark is not None and (by_query := _queries_question(path, benchmark, choice)) is not None:
        questions += (by_query,)
    label = "unknown format" if reader is None else reader.label
    return Preview(path, sample, key, label, content.columns, content.rows, content.summary, questions, problem)


def _no_context(path: Path) -> ReadContext:
    """The context without an open benchmark."""
    nothing = np.zeros(0, np.int32)
    collection, queries = Collection((), ()), Queries((), (), (), nothing, nothing)
    return ReadContext(collection, queries, None, FindingsLog(path.parent), IdIndex(()), IdIndex(()))


def _open_folder(
    path: Path, request: PreviewRequest, progress: ReadProgress
) -> tuple[RunReader, Path, Callable[[], PreviewContent]]:
    """Reader of a folder, the file that is shown, and the function that reads it."""
    run = open_run(path, recognise_folder(path, MAX_LISTED_FILES), request.options, progress)
    if isinstance(run.parsed, RankListFolder):
        lists = _sampled_lists(run.parsed, request.context)
        return run.reader, lists[0], partial(rank_lists_content, lists, request)
    if run.parsed.file_paths():  # the run needs all of its files
        run = open_run(path, recognise_folder(path), request.options, progress)
    return run.reader, path, partial(_show, run.parsed, run.reader, path, request)


def _sampled_lists(run: RankListFolder, context: ReadContext) -> list[Path]:
    """The first lists of a folder that are not empty, or else files named after queries."""
    found = [file.path for file in run.files if file.kind == "rank_list"]
    if not found:
        index, _ = index_with_affix([without_extension(file.path.name) for file in run.files], context.query_ids)
        named = (file for file in run.files if index.index_of(file.path.name) >= 0)
        found = [file.path for file in named if file.kind != EMPTY]
    if not found:
        raise FormatError(run.path, "holds no rank list")
    return found[:MAX_SAMPLED_LISTS]


def _show(parsed: Any, reader: FormatReader, path: Path, request: PreviewRequest) -> PreviewContent:
    content = content_of(parsed, reader, path, request)
    return content if content.summary else replace(content, summary=parsed.summary())


def _read_file(
    reader: FormatReader | None, head: FileHead, request: PreviewRequest, progress: ReadProgress
) -> PreviewContent:
    """The first rows of a file."""
    path = head.path
    if reader is None:
        return replace(plain_lines(path, request), summary="unknown format")
    # That of one of several files of a run takes no progress.
    arguments = [progress] if isinstance(reader, RunReader) and reader.read_folder is None else []
    if head.size < LARGE_TEXT_BYTES or not looks_like_text(head.data) or _is_cached(reader, path, progress.cache):
        return _show(reader.read(path, *arguments), reader, path, request)
    with TemporaryDirectory() as folder:
        part = Path(folder, path.name)
        part.write_bytes(first_bytes(path, MAX_INSPECTED_BYTES))
        try:
            content = content_of(reader.read(part, *arguments), reader, part, replace(request, is_part=True))
        except FormatError:  # half of a document
            content = plain_lines(part, request)
    return replace(content, summary=LARGE_FILE_TEXT)


def _is_cached(reader: FormatReader, path: Path, cache: ParseCache | None) -> bool:
    kind = reader.cache_kind if isinstance(reader, RunReader) else None
    return cache is not None and kind is not None and cache.get(cache.key(kind, path)) is not None


def _format_question(key: str, head: FileHead, choice: ReadOptions) -> Question:
    options = []
    for reader in all_readers():
        outcome, fits = "", bool(reader.match(head))
        if head.size <= SMALL_FILE_BYTES:
            try:
                outcome, fits = reader.read(head.path).summary(), True
            except FormatError as error:
                line = f"line {error.line}: " if error.line else ""
                outcome, fits = line + error.reason, False
        text = outcome or ("matches" if fits else "does not match")
        options.append(QuestionOption(reader.key, reader.label, text, fits))
    why = SET_EXPLICITLY if choice.format else "the first lines match" if key else ""
    return Question("format", "Format", tuple(options), key, bool(key), why)


QUERIES_OPTION = "--queries-by"
"""Option that findings about runs whose lists do not begin with their query suggest."""


def _queries_question(path: Path, benchmark: Benchmark, choice: ReadOptions) -> Question | None:
    """Whose lists those of a run are, if a finding doubts it or it is set; None for other files."""
    name = FindingsLog(benchmark.root).name_of(path)
    doubts = (
        (finding.message, finding.setting.option)
        for finding in benchmark.findings
        if finding.file == name and finding.setting is not None and finding.setting.option.startswith(QUERIES_OPTION)
    )
    (doubt, suggested), chosen = next(doubts, ("", "")), choice.queries_by
    if not doubt and chosen is None:
        return None
    outcomes = {BY_NAME: "read as written", BY_NEAREST: "each list is moved to the query nearest to it"}
    # None is chosen: settings of other questions are written without accepting the doubtful lists.
    is_sure = not suggested.endswith(BY_NEAREST)
    return question_about("queries_by", choice, chosen or "", outcomes, doubt, is_sure=is_sure)
