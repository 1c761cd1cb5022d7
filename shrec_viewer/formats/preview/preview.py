"""Preview of how a file is interpreted, with the alternatives."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from shrec_viewer.domain import Benchmark, FormatError
from shrec_viewer.formats.core.findings_log import FindingsLog
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.core.read_context import ReadContext, read_context_of
from shrec_viewer.formats.core.read_options import BY_NAME, BY_NEAREST, DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import (
    COLUMN_MEANINGS,
    FormatReader,
    ParsedRun,
    Preview,
    PreviewColumn,
    PreviewContent,
    PreviewRequest,
    PreviewRow,
    Question,
    QuestionOption,
)
from shrec_viewer.formats.discovery.listing import list_folder
from shrec_viewer.formats.discovery.reader_table import all_readers, find_reader
from shrec_viewer.formats.discovery.recognition import recognise_format
from shrec_viewer.formats.io.files import read_unchanged
from shrec_viewer.formats.io.parse_cache import ParseCache
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import FileHead, read_file_head
from shrec_viewer.formats.matrices.zarr_store import ZARR, is_zarr
from shrec_viewer.formats.preview.rows import SET_EXPLICITLY, plain_lines
from shrec_viewer.formats.runs.checks import index_with_affix
from shrec_viewer.formats.runs.rank_list_folder import MAX_SAMPLED_LISTS

__all__ = ["COLUMN_MEANINGS", "Preview", "PreviewColumn", "PreviewRow", "Question", "QuestionOption", "preview"]

LARGE_FILE_TEXT = "Large file: only the first lines were inspected."

MAX_LISTED_FILES = 40
"""Files of a folder among which its first lists are looked for: some can be notes, some empty."""

SMALL_FILE_BYTES = 2**20
"""Size up to which a file is read by every reader to show what each would read: about 0.1 s."""


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
    """The first lines of a file as interpreted with the given options, and the alternatives.

    Of a large text only the first lines are read, unless `cache` has it parsed.

    Parameters
    ----------
    path : a file, or a folder of rank lists, of which the first that is not empty is shown.
    choice : options of the user; `format` can be the key of any reader here.
    benchmark : what is open; its ids, orders and assessment determine what each option would give.
    rows, cells : number of rows and of cells per row.
    cancelled, cache : see `read_benchmark`.

    Raises
    ------
    FormatError
        When the file cannot be opened, or the folder has no rank list. A file that cannot be read with these options
        is not an error but the preview's `problem`.
    """
    context = read_context_of(benchmark, FindingsLog(benchmark.root)) if benchmark is not None else None
    is_folder = path.is_dir() and not is_zarr(path)
    files = _lists_in(path, context) if is_folder else [path]
    head = FileHead(path, 0, b"") if path.is_dir() and not is_folder else read_file_head(files[0])
    key = "rank_list" if is_folder else choice.format or (ZARR if path.is_dir() else recognise_format(head) or "")
    reader = find_reader(key)
    progress = ReadProgress(cancelled, None, cache)
    request = PreviewRequest(path, tuple(files), head, choice, context, rows, cells, progress)
    problem = ""
    try:
        content = read_unchanged(head.path, partial(_content, reader, request))
    except FormatError as error:
        problem = str(error)
        content = _plain_content(request)
    label = reader.label if reader is not None else "unknown format"
    summary = problem or content.summary or (LARGE_FILE_TEXT if reader is not None else "unknown format")
    questions = content.questions if is_folder else (_format_question(key, request), *content.questions)
    if benchmark is not None and (by_query := _queries_question(request, benchmark)) is not None:
        questions = (*questions, by_query)
    return Preview(
        path, files[0], key, label, content.columns, content.rows, summary, questions, problem, content.hidden
    )


def _content(reader: FormatReader | None, request: PreviewRequest) -> PreviewContent:
    if reader is None:
        return _plain_content(request)
    if reader.preview is not None:
        return reader.preview(request)
    content = _plain_content(request)
    if request.head.size < LARGE_TEXT_BYTES:
        parsed = reader.read(request.head.path)
        content = replace(content, summary=parsed.summary() if isinstance(parsed, ParsedRun) else "")
    return content


def _plain_content(request: PreviewRequest) -> PreviewContent:
    try:
        return plain_lines(request)
    except FormatError:  # not a text file
        return PreviewContent((), ())


def _lists_in(folder: Path, context: ReadContext | None) -> list[Path]:
    """The first rank lists of a folder that are not empty, or else files named after queries."""
    names = [path.name for path in list_folder(folder)]
    files = [folder / name for name in names[:MAX_LISTED_FILES]]
    files = [path for path in files if _has_content(path)]
    found = [path for path in files if recognise_format(read_file_head(path)) == "rank_list"]
    if not found and context is not None:
        index, _ = index_with_affix([without_extension(name) for name in names], context.query_ids)
        found = [path for path in files if index.index_of(path.name) >= 0]
    if not found:
        raise FormatError(folder, "holds no rank list")
    return found[:MAX_SAMPLED_LISTS]


def _has_content(path: Path) -> bool:
    """Whether a file is not empty; False for a temporary file that was removed since the folder was listed."""
    try:
        return path.stat().st_size > 0
    except OSError:
        return False


def _format_question(key: str, request: PreviewRequest) -> Question:
    is_small = request.head.size <= SMALL_FILE_BYTES
    options = []
    for reader in all_readers():
        outcome, fits = "", bool(reader.match(request.head))
        if is_small:
            try:
                outcome, fits = _summary(reader, request), True
            except FormatError as error:
                line = f"line {error.line}: " if error.line else ""
                outcome, fits = line + error.reason, False
        text = outcome or ("matches" if fits else "does not match")
        options.append(QuestionOption(reader.key, reader.label, text, fits))
    why = "set explicitly" if request.options.format else "the first lines match" if key else ""
    return Question("format", "Format", tuple(options), key, bool(key), why)


QUERIES_OPTION = "--queries-by"
"""Option that findings about runs whose lists do not begin with their query suggest."""


def _queries_question(request: PreviewRequest, benchmark: Benchmark) -> Question | None:
    """Whose lists those of a run are, if a finding doubts it or it is set; None for other files."""
    name = FindingsLog(benchmark.root).name_of(request.path)
    doubts = (
        (finding.message, finding.setting.option)
        for finding in benchmark.findings
        if finding.file == name and finding.setting is not None and finding.setting.option.startswith(QUERIES_OPTION)
    )
    (doubt, suggested), chosen = next(doubts, ("", "")), request.options.queries_by
    if not doubt and chosen is None:
        return None
    options = (
        QuestionOption(BY_NAME, "The one that the order, ids or file names give", "read as written"),
        QuestionOption(BY_NEAREST, "The one that is nearest in it", "each list is moved to the query nearest to it"),
    )
    reason = SET_EXPLICITLY if chosen is not None else doubt
    # None is chosen: settings of other questions are written without accepting the doubtful lists.
    is_sure = chosen is not None or not suggested.endswith(BY_NEAREST)
    return Question("queries_by", "Query of each row or list", options, chosen or "", is_sure, reason)


def _summary(reader: FormatReader, request: PreviewRequest) -> str:
    content = reader.read(request.head.path)
    if isinstance(content, ParsedRun):
        return content.summary()
    if reader.preview is None:
        return ""
    # Without a benchmark: only the contents of the file, not how they fit.
    return reader.preview(replace(request, context=None, n_rows=1, options=DETECT_ALL)).summary
