"""The first rows of a file as cells whose columns have a meaning: of its lines, or of what its reader returned."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from shrec_viewer.domain import FormatError, Severity
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.core.reader import (
    CLASS_COLUMN,
    IGNORED_COLUMN,
    MODEL_COLUMN,
    QUERY_COLUMN,
    FormatReader,
    PreviewColumn,
    list_columns,
)
from shrec_viewer.formats.io.files import open_unpacked
from shrec_viewer.formats.io.progress import never_cancelled
from shrec_viewer.formats.io.tables import split_table
from shrec_viewer.formats.io.text import decode, is_utf16, looks_like_text, os_error_text, split_lines
from shrec_viewer.formats.matrices.labelled_matrix import LabelledMatrix
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.matrix_blocks import MatrixFolder, join_blocks
from shrec_viewer.formats.matrices.matrix_runs import BY_IDS, MatrixReading, interpret_matrix
from shrec_viewer.formats.preview.questions import (
    Question,
    columns_question,
    direction_of_lists,
    direction_of_matrix,
    direction_of_scores,
    matrix_questions,
    query_line_question,
)
from shrec_viewer.formats.runs.checks import (
    LIST_CHECKS,
    CheckedList,
    are_similarities,
    check_swapped_columns,
    index_with_affix,
)
from shrec_viewer.formats.runs.list_run import ListRun
from shrec_viewer.formats.runs.rank_list import RankListFile
from shrec_viewer.formats.runs.rank_list_folder import read_list_with_ids, read_lists
from shrec_viewer.formats.runs.trec import TrecFile
from shrec_viewer.formats.truth.class_tables import LabelVector

MAX_SHOWN_BYTES = 2**18
"""Maximum number of bytes shown of a file: twelve lines of a matrix of 1,200 columns."""


@dataclass(frozen=True)
class PreviewRow:
    """One line as interpreted.

    Attributes
    ----------
    line : 1-based; None for files without lines.
    cells : at most as many as there are columns.
    note : why the line is ignored, or what is wrong with it; "" for a line that is read.
    """

    line: int | None
    cells: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class PreviewContent:
    """The first rows of a file, the questions about its options (not about its format), and a short description."""

    columns: tuple[PreviewColumn, ...]
    rows: tuple[PreviewRow, ...]
    questions: tuple[Question, ...] = ()
    summary: str = ""


@dataclass(frozen=True, eq=False)
class PreviewRequest:
    """What a file is read for.

    Attributes
    ----------
    context : ids and assessment of the open benchmark; without ids if none is open.
    options : options chosen by the user; None in a field: detected.
    n_rows, n_cells : maximum number of rows and of cells per row.
    cancelled : see `RunReader.rank`.
    is_part : only the first lines of the file are read, so that the number of its rows is not known.
    """

    context: ReadContext
    options: ReadOptions = DETECT_ALL
    n_rows: int = 12
    n_cells: int = 12
    cancelled: Callable[[], bool] = never_cancelled
    is_part: bool = False

    def row(
        self, line: int | None, cells: Sequence[str], columns: Sequence[PreviewColumn], note: str = ""
    ) -> PreviewRow:
        """A row; without a note, that of its first id that the benchmark does not have."""
        shown = tuple(cells[: len(columns)])
        notes = (self._note_of_id(column, word) for column, word in zip(columns, shown, strict=False))
        return PreviewRow(line, shown, note or next(filter(None, notes), ""))

    def _note_of_id(self, column: PreviewColumn, word: str) -> str:
        context = self.context
        if column == QUERY_COLUMN and len(context.queries) and context.query_ids.index_of(word) < 0:
            return f"'{word}' is not a query"
        if column.meaning == "id" and len(context.collection) and context.items.index_of(word) < 0:
            return f"'{word}' is not a model of the collection"
        return ""


def first_bytes(path: Path, count: int) -> bytes:
    """The first lines of a file, at most `count` bytes; the beginning of a longer first line. FormatError for none."""
    try:
        with open_unpacked(path) as stream:
            data = stream.read(count)
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    end = data.rfind(b"\n") + 1
    return data if len(data) < count or not end or is_utf16(data) else data[:end]


def first_lines(path: Path) -> list[str]:
    """The first lines of a text, without line ends. FormatError for binary files."""
    data = first_bytes(path, MAX_SHOWN_BYTES)
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    return split_lines(decode(data))


def plain_lines(path: Path, request: PreviewRequest) -> PreviewContent:
    """Lines without interpretation; no rows for a binary file."""
    try:
        lines = first_lines(path)[: request.n_rows] if not path.is_dir() else []
    except FormatError:
        lines = []
    return PreviewContent(
        (PreviewColumn("text", "Text"),) if lines else (),
        tuple(PreviewRow(number, (line,)) for number, line in enumerate(lines, 1)),
    )


def content_of(parsed: Any, reader: FormatReader, path: Path, request: PreviewRequest) -> PreviewContent:
    """The first rows of what a reader read from a file.

    Raises
    ------
    FormatError
        When it is a run that cannot be used with these options.
    """
    if reader.columns:
        question = direction_of_scores(parsed, request.options) if isinstance(parsed, TrecFile) else None
        return _lines_of(parsed, reader, path, request, question)
    if isinstance(parsed, TrecFile):
        return _pairs(parsed, request)
    if isinstance(parsed, ListRun):
        columns = list_columns(1 + max(map(len, parsed.rows), default=0))[: request.n_cells]
        lists = zip(parsed.lines.tolist(), parsed.queries, parsed.rows, strict=True)
        rows = [request.row(line, (name, *words), columns) for line, name, words in list(lists)[: request.n_rows]]
        return PreviewContent(columns, tuple(rows))
    if isinstance(parsed, MatrixFolder):
        parsed = _usable(join_blocks(parsed, request.context, request.options), request.context)
    if isinstance(parsed, MatrixFile):
        return _matrix(parsed, request)
    if isinstance(parsed, RankListFile):
        return rank_lists_content([path], request)
    if isinstance(parsed, LabelVector):
        labels = enumerate(parsed.labels[: request.n_rows], 1)
        return PreviewContent((CLASS_COLUMN,), tuple(PreviewRow(number, (word,)) for number, word in labels))
    return plain_lines(path, request)


def _ignored_reason(line: str) -> str:
    """Why a line is ignored in every text format; "" for a line that is not."""
    if not line.strip():
        return "blank line"
    return "comment" if line.lstrip().startswith("#") else ""


def _lines_of(
    parsed: Any, reader: FormatReader, path: Path, request: PreviewRequest, question: Question | None
) -> PreviewContent:
    """Lines as cells, with the columns of their reader and what it found in them."""
    lines = first_lines(path)
    shown = range(1, min(len(lines), request.n_rows) + 1)
    findings = {
        finding.line: f"{finding.message}; {finding.action}"
        for finding in reversed(getattr(parsed, "findings", ()))
        if finding.line is not None
    }
    if callable(reader.columns):
        table = split_table(path, "\n".join(lines))
        known, has_header = reader.columns(table)
        cells = {line: row for line, row in zip(table.lines, table.rows, strict=True) if line in shown}
        width = max((index for row in cells.values() for index, cell in enumerate(row, 1) if cell), default=0)
        columns = [known.get(index, IGNORED_COLUMN) for index in range(min(width, request.n_cells))]
        header = {table.lines[0]: "header"} if has_header else {}
        notes = {number: "blank line" for number in shown if number not in cells} | findings | header
    else:
        columns = list(reader.columns)
        cells = {number: tuple(lines[number - 1].split()) for number in shown}
        kinds: Mapping[int, str] = getattr(parsed, "line_kinds", {})
        widths = {number: len(words) for number, words in cells.items() if len(words) != len(columns) and not kinds}
        misfits = {
            number: f"ignored: {len(columns)} columns are expected, found {width}" for number, width in widths.items()
        }
        skipped = {number: note for number in shown if (note := _ignored_reason(lines[number - 1]))}
        notes = {**kinds, **findings, **misfits, **skipped}
    rows = [request.row(number, cells.get(number, ()), columns, notes.get(number, "")) for number in shown]
    return PreviewContent(tuple(columns), tuple(rows), () if question is None else (question,))


def _pairs(run: TrecFile, request: PreviewRequest) -> PreviewContent:
    columns = (
        QUERY_COLUMN,
        MODEL_COLUMN,
        PreviewColumn("score" if run.nearer == "larger" else "distance", "Number"),
    )
    rows = [
        request.row(int(run.lines[at]), (run.queries[run.query[at]], run.models[run.model[at]], number), columns)
        for at, number in enumerate(f"{score:.6g}" for score in run.scores[: request.n_rows].tolist())
    ]
    return PreviewContent(columns, tuple(rows), (direction_of_scores(run, request.options),))


def _matrix(file: MatrixFile, request: PreviewRequest) -> PreviewContent:
    """Rows of a matrix, with the queries and models that they were read as if a benchmark is open."""
    context, options = request.context, request.options
    if request.is_part or not len(context.collection):
        rows, columns = (file.rows, file.columns) if isinstance(file, LabelledMatrix) else ((), ())
        return _numbers(file, rows, columns, request, [direction_of_matrix(None, context, options)])
    reading: MatrixReading = _usable(interpret_matrix(file, context, options, request.cancelled), context)
    order, ranking = reading.order, reading.ranking
    is_named = order.key == BY_IDS
    queries, models = order.rows[: request.n_rows].tolist(), order.columns[: request.n_cells].tolist()
    names = [context.queries.ids[query] if query >= 0 else "no query" for query in queries]
    titles = [
        context.collection.ids[model] if model >= 0 else "".join(ranking.column_ids[at : at + 1]) or "no model"
        for at, model in enumerate(models)
    ]
    questions = [] if is_named else matrix_questions(reading, context, options)
    questions.append(direction_of_matrix(reading, context, options))
    read = replace(file, values=ranking.values)
    content = _numbers(read, names, titles, request, questions, "Query" if is_named else "Query (not in the file)")
    return replace(content, summary=read.summary())


def _numbers(
    file: MatrixFile,
    names: Sequence[str],
    titles: Sequence[str],
    request: PreviewRequest,
    questions: Sequence[Question],
    title: str = "Query",
) -> PreviewContent:
    """Numbers with the names of rows and the titles of columns, as far as there are any."""
    values = file.values
    shown = values[: request.n_rows] if values.ndim == 2 else values[: request.n_cells][np.newaxis]
    shown = np.asarray(shown)[:, : request.n_cells]
    titles = titles or [f"Column {number}" for number in range(1, shown.shape[1] + 1)]
    columns = [PreviewColumn("query", title)] if names else []
    columns += [PreviewColumn("model", name) for name in titles[: shown.shape[1]]]
    lines: Sequence[int | None] = [None] * len(shown)
    if file.kind == "text":
        lines = file.row_lines if isinstance(file, LabelledMatrix) else range(1, len(shown) + 1)
    rows = [
        request.row(line, (*names[index : index + 1], *(f"{value:.6g}" for value in row)), columns)
        for index, (line, row) in enumerate(zip(lines, shown.tolist(), strict=False))
    ]
    return PreviewContent(tuple(columns), tuple(rows), tuple(questions))


def _usable(found: Any, context: ReadContext) -> Any:
    """What a reader returned; FormatError with its last error finding for None."""
    if found is None:
        log = context.findings_log
        finding = next(finding for finding in reversed(log.findings) if finding.severity is Severity.ERROR)
        raise FormatError(log.root / finding.file, finding.message, finding.line)
    return found


def rank_lists_content(paths: Sequence[Path], request: PreviewRequest) -> PreviewContent:
    """Lines of the first of some lists of one run, which are read as those of a whole run.

    Raises
    ------
    FormatError
        When a list cannot be read.
    """
    index, _ = index_with_affix([without_extension(path.name) for path in paths], request.context.query_ids)
    context = replace(request.context, query_ids=index)
    queries = {}
    for number, path in enumerate(paths):
        query = index.index_of(path.name)
        queries[query if query >= 0 and query not in queries else -2 - number] = path
    (dialect, lists, failures), _, items = read_lists(queries, context, request.cancelled, request.options)
    if failures:
        raise failures[0]
    request = replace(request, context=replace(context, items=items))
    found = [read_list_with_ids(path, context.items) for path in queries.values()]
    checked = list(lists.values())
    is_similarity = are_similarities(lists) if request.options.similarity is None else request.options.similarity
    value = PreviewColumn("score", "Similarity") if is_similarity else PreviewColumn("distance", "Distance")
    value = IGNORED_COLUMN if dialect.columns == "id" else value
    is_exchanged = checked[0].faults[LIST_CHECKS.index(check_swapped_columns)] is not None
    columns: Sequence[PreviewColumn] = (MODEL_COLUMN, value)[: len(found[0].columns)]
    columns = columns[::-1] if dialect.column != is_exchanged else columns
    questions = (
        columns_question(found, dialect, context, request.options),
        direction_of_lists(found, checked, request.options),
        query_line_question(found, checked, context, request.options),
    )
    rows = _list_rows(found[0], checked[0], columns, request)
    return PreviewContent(tuple(columns), rows, tuple(filter(None, questions)), found[0].summary())


def _list_rows(
    found: RankListFile, checked: CheckedList, columns: Sequence[PreviewColumn], request: PreviewRequest
) -> tuple[PreviewRow, ...]:
    words = dict(zip(found.lines[: request.n_rows].tolist(), zip(*found.columns, strict=True), strict=False))
    lines = dict(enumerate(first_lines(found.path)[: request.n_rows], 1))
    notes = {number: _ignored_reason(line) for number, line in lines.items()}
    notes |= dict.fromkeys(found.malformed, "ignored: neither an id nor an id and its distance")
    heads = [number for number in lines if number not in words and not notes[number]]
    notes |= dict.fromkeys(heads, "header")
    if found.first is not None and heads:  # the last line above the list, which may be set to be a result
        notes[heads[-1]] = "" if checked.name is None else "the query's name"
    elif checked.name is not None:
        notes[min(words)] = "the query's name"
    return tuple(
        request.row(number, words.get(number) or line.split(), columns, notes[number]) for number, line in lines.items()
    )
