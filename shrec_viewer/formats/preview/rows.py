"""First lines of files as cells with a known meaning, and the options with which a run may be read."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import DistanceMatrix, DistanceRows, FormatError
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import CELL_VALUES, LIST_COLUMNS, MATRIX_ORDERS
from shrec_viewer.formats.core.reader import (
    ParsedRun,
    PreviewColumn,
    PreviewContent,
    PreviewRequest,
    PreviewRow,
    Question,
    QuestionOption,
)
from shrec_viewer.formats.io.files import open_unpacked
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES
from shrec_viewer.formats.io.tables import TextTable, read_table, separator_of
from shrec_viewer.formats.io.text import decode, is_number, looks_like_text, os_error_text
from shrec_viewer.formats.manifest.manifest import read_manifest
from shrec_viewer.formats.matrices.interpretation import (
    CLEAR_Z,
    DISTANCE_CELLS,
    MODEL_NUMBER_CELLS,
    NUMBERED_REASON,
    MatrixOrder,
    has_numbered_columns,
    permutation_base,
    possible_orders,
    relevant_rank_shares,
    z_score,
)
from shrec_viewer.formats.matrices.labelled_matrix import LabelledMatrix, read_labelled_matrix
from shrec_viewer.formats.matrices.matrix import MatrixFile, read_matrix
from shrec_viewer.formats.matrices.matrix_runs import (
    OWN_VALUE_LARGEST,
    interpret_matrix,
    is_own_value_largest,
    read_matrix_run,
)
from shrec_viewer.formats.matrices.parquet import read_parquet
from shrec_viewer.formats.matrices.text_matrix import split_cells
from shrec_viewer.formats.matrices.zarr_store import read_zarr
from shrec_viewer.formats.runs.list_run import (
    QUERY_COLUMN_HEADERS,
    ListRun,
    read_keyed_lists,
    read_long_table,
    read_submission,
)
from shrec_viewer.formats.runs.rank_list import HEADER_LINE, UNDECIDED_COLUMNS, RankListFile, parse_list_numbers
from shrec_viewer.formats.runs.rank_list_folder import (
    RankListDialect,
    detect_dialect,
    is_query_name,
    read_list_with_ids,
)
from shrec_viewer.formats.runs.trec import TrecFile, read_trec
from shrec_viewer.formats.truth.cla import read_cla
from shrec_viewer.formats.truth.class_tables import (
    LabelTable,
    class_csv_layout,
    read_class_csv,
    read_class_lines,
    read_label_vector,
)
from shrec_viewer.formats.truth.id_lists import read_id_list, read_partiality
from shrec_viewer.formats.truth.qrels import (
    LEVEL_NAMES,
    MODEL_NAMES,
    QUERY_NAMES,
    QrelsFile,
    read_pair_table,
    read_qrels,
)
from shrec_viewer.number_format import format_percent

MAX_SHOWN_BYTES = 2**18
"""Maximum number of bytes shown of a file: twelve lines of a matrix of 1,200 columns."""

IGNORED_COLUMN = PreviewColumn("ignored", "ignored")
LEVEL_COLUMN = PreviewColumn("level", "Level")
MODEL_COLUMN = PreviewColumn("id", "Model")
QUERY_COLUMN = PreviewColumn("query", "Query")


def first_lines(path: Path, count: int) -> list[str]:
    """The first lines of a text, without line ends; a long last one may be cut. FormatError for binary files."""
    try:
        with open_unpacked(path) as stream:
            data = stream.read(MAX_SHOWN_BYTES)
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    lines = decode(data).split("\n")
    if len(data) == MAX_SHOWN_BYTES and len(lines) > 1:
        lines.pop()
    if lines and not lines[-1]:
        lines.pop()
    return lines[:count]


def is_large(request: PreviewRequest) -> bool:
    """Whether a file is too large to be read as a whole for a preview."""
    return request.head.size >= LARGE_TEXT_BYTES


def plain_lines(request: PreviewRequest) -> PreviewContent:
    """Lines without interpretation."""
    lines = first_lines(request.head.path, request.n_rows)
    rows = tuple(PreviewRow(number, (line,)) for number, line in enumerate(lines, 1))
    return PreviewContent((PreviewColumn("text", "Text"),), rows)


def ignored_reason(line: str) -> str:
    """Why a line is ignored in every text format; "" for a line that is not."""
    if not line.strip():
        return "blank line"
    return "comment" if line.lstrip().startswith("#") else ""


def rows_by_width(
    request: PreviewRequest, columns: Sequence[PreviewColumn], note_of: Callable[[Sequence[str]], str]
) -> tuple[PreviewRow, ...]:
    """Lines of words; a note for lines with another number of words than there are columns."""
    rows = []
    for number, line in enumerate(first_lines(request.head.path, request.n_rows), 1):
        words = line.split()
        note = ignored_reason(line)
        if not note and len(words) != len(columns):
            note = f"ignored: {len(columns)} columns are expected, found {len(words)}"
        elif not note:
            note = note_of(words)
        rows.append(PreviewRow(number, tuple(words[: len(columns)]), note))
    return tuple(rows)


def _classes_summary(table: LabelTable) -> str:
    return f"{count_of(len(table), 'id')} in {count_of(table.n_nonempty_classes, 'class', 'classes')}"


def _pairs_summary(file: QrelsFile) -> str:
    return f"{count_of(len(file.models), 'pair')} for {count_of(len(file.queries), 'query', 'queries')}"


def preview_cla(request: PreviewRequest) -> PreviewContent:
    """Lines of a PSB classification; notes assume the usual layout, as line breaks have no meaning in the format."""
    columns = (
        PreviewColumn("class", "Class or model"),
        PreviewColumn("class", "Parent"),
        PreviewColumn("text", "Models"),
    )
    rows = []
    summary = "" if is_large(request) else _classes_summary(read_cla(request.head.path))
    for number, line in enumerate(first_lines(request.head.path, request.n_rows), 1):
        words = line.split()
        note = ignored_reason(line) or {1: "model", 3: "class"}.get(len(words), "")
        note = {1: "version", 2: "number of classes and models"}.get(number, note) if number < 3 else note
        rows.append(PreviewRow(number, tuple(words[:3]), note))
    return PreviewContent(columns, tuple(rows), 0, summary)


def preview_qrels(request: PreviewRequest) -> PreviewContent:
    """Lines ``query 0 model level``."""
    columns = (QUERY_COLUMN, IGNORED_COLUMN, MODEL_COLUMN, LEVEL_COLUMN)
    summary = "" if is_large(request) else _pairs_summary(read_qrels(request.head.path))
    rows = rows_by_width(request, columns, lambda row: request.query_note(row[0]) or request.model_note(row[2]))
    return PreviewContent(columns, rows, 0, summary)


def preview_class_lines(request: PreviewRequest) -> PreviewContent:
    """Lines ``name class subclass``."""
    columns = (MODEL_COLUMN, PreviewColumn("class", "Class"), PreviewColumn("class", "Subclass"))
    summary = "" if is_large(request) else _classes_summary(read_class_lines(request.head.path))
    return PreviewContent(columns, rows_by_width(request, columns, lambda row: ""), 0, summary)


def preview_labels(request: PreviewRequest) -> PreviewContent:
    """Labels in file order, of a text or an array."""
    labels = read_label_vector(request.head.path).labels[: request.n_rows]
    rows = tuple(PreviewRow(number, (word,)) for number, word in enumerate(labels, 1))
    return PreviewContent((PreviewColumn("class", "Class"),), rows)


def preview_ids(request: PreviewRequest) -> PreviewContent:
    """Lines of a list of ids."""
    summary = "" if is_large(request) else f"list of {count_of(len(read_id_list(request.head.path).ids), 'id')}"
    return replace(plain_lines(request), summary=summary)


def preview_partiality(request: PreviewRequest) -> PreviewContent:
    """Lines of a partiality file."""
    count = len(read_partiality(request.head.path).shares)
    return replace(plain_lines(request), summary=f"partiality of {count_of(count, 'query', 'queries')}")


def preview_manifest(request: PreviewRequest) -> PreviewContent:
    """Lines of a benchmark.toml."""
    count = len(read_manifest(request.head.path).runs)
    return replace(plain_lines(request), summary=f"description with {count_of(count, 'run')}")


def preview_class_table(request: PreviewRequest) -> PreviewContent:
    """Rows of a table of ids and classes."""
    if is_large(request):
        return _table_content(request, (), "", has_header=False)
    path = request.head.path
    indices, has_header, _ = class_csv_layout(read_table(path))
    meanings = (
        MODEL_COLUMN,
        PreviewColumn("class", "Class"),
        PreviewColumn("class", "Subclass"),
        PreviewColumn("text", "Split"),
    )
    known = [(index, meaning) for index, meaning in zip(indices, meanings, strict=True) if index is not None]
    return _table_content(request, known, _classes_summary(read_class_csv(path)), has_header=has_header)


def preview_pairs(request: PreviewRequest) -> PreviewContent:
    """Rows of a table of relevant pairs."""
    summary = "" if is_large(request) else _pairs_summary(read_pair_table(request.head.path))
    rows = _cells(request)
    header = TextTable(request.head.path, (rows[0] if rows else (),), (1,))
    names = ((QUERY_NAMES, QUERY_COLUMN), (MODEL_NAMES, MODEL_COLUMN), (LEVEL_NAMES, LEVEL_COLUMN))
    known = [(index, meaning) for words, meaning in names if (index := header.find(words)) is not None]
    return _table_content(request, known, summary, has_header=True)


def preview_long_table(request: PreviewRequest) -> PreviewContent:
    """Rows of a run as a table of pairs."""
    summary = "" if is_large(request) else read_long_table(request.head.path).summary()
    return _table_content(request, (), summary, has_header=False)


def preview_table(request: PreviewRequest) -> PreviewContent:
    """Rows of any table."""
    summary = ""
    if not is_large(request):
        table = read_table(request.head.path)
        summary = f"table of {count_of(len(table.rows), 'row')} and {count_of(table.width, 'column')}"
    return _table_content(request, (), summary, has_header=False)


def _cells(request: PreviewRequest) -> list[tuple[str, ...]]:
    lines = first_lines(request.head.path, request.n_rows)
    separator = separator_of(next((line for line in lines if line.strip()), "")) or ","
    return [tuple(cell.strip() for cell in row) for row in csv.reader(lines, delimiter=separator)]


def _table_content(
    request: PreviewRequest, known: Sequence[tuple[int, PreviewColumn]], summary: str, *, has_header: bool
) -> PreviewContent:
    cells = _cells(request)
    width = max(map(len, cells), default=0)
    columns = [IGNORED_COLUMN] * width
    for index, meaning in known:
        if index < width:
            columns[index] = meaning
    rows = []
    for number, row in enumerate(cells, 1):
        note = "header" if number == 1 and has_header else ("" if any(row) else "blank line")
        rows.append(PreviewRow(number, row[: request.n_cells], note))
    hidden = max(0, width - request.n_cells)
    return PreviewContent(tuple(columns[: request.n_cells]), tuple(rows), hidden, summary)


MIN_ASCENDING_SHARE = 0.9
"""Share of ascending steps from which numbers are distances: a list can have a few faulty lines."""

SET_EXPLICITLY = "set explicitly"
"""`Question.reason` of an option that the user or benchmark.toml chose."""


def preview_trec(request: PreviewRequest) -> PreviewContent:
    """Lines ``query Q0 model rank score tag``."""
    columns = (
        QUERY_COLUMN,
        IGNORED_COLUMN,
        MODEL_COLUMN,
        PreviewColumn("rank", "Rank (ordered by score)"),
        PreviewColumn("score", "Score"),
        IGNORED_COLUMN,
    )
    summary = "" if is_large(request) else read_trec(request.head.path, request.progress).summary()
    rows = rows_by_width(request, columns, lambda row: request.query_note(row[0]) or request.model_note(row[2]))
    outcomes = ("the smallest score comes first, against the format", "the largest score comes first")
    is_similarity = request.options.similarity is not False
    question = _direction_question(
        request, outcomes, is_similarity=is_similarity, is_certain=True, reason="defined by the format"
    )
    return PreviewContent(columns, rows, 0, summary, (question,))


def preview_submission(request: PreviewRequest) -> PreviewContent:
    """Rows of a query and its models."""
    summary = "" if is_large(request) else read_submission(request.head.path).summary()
    lines = first_lines(request.head.path, request.n_rows)
    separator = separator_of(next((line for line in lines if line.strip()), "")) or ","
    rows, width = [], 0
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().rstrip(separator).split(separator)]
        width = max(width, len(cells))
        note = "" if line.strip() else "blank line"
        if number == 1 and cells[0].casefold() in QUERY_COLUMN_HEADERS:
            note = "header"
        note = note or request.query_note(cells[0]) or next(filter(None, map(request.model_note, cells[1:6])), "")
        rows.append(PreviewRow(number, tuple(cells[: request.n_cells]), note))
    columns = (QUERY_COLUMN, *(PreviewColumn("id", f"Model at rank {rank}") for rank in range(1, width)))
    return PreviewContent(columns[: request.n_cells], tuple(rows), max(0, width - request.n_cells), summary)


def preview_keyed_lists(request: PreviewRequest) -> PreviewContent:
    """Lines of lists keyed by their query."""
    summary = "" if is_large(request) else read_keyed_lists(request.head.path).summary()
    return replace(plain_lines(request), summary=summary)


def preview_labelled_matrix(request: PreviewRequest) -> PreviewContent:
    """Lines of a matrix with ids."""
    summary = "" if is_large(request) else read_labelled_matrix(request.head.path, request.progress).summary()
    return replace(plain_lines(request), summary=summary)


def preview_rank_list(request: PreviewRequest) -> PreviewContent:
    """Lines of the first rank list of a run."""
    items = request.context.items if request.context is not None else IdIndex(())
    lists = [read_list_with_ids(path, items) for path in request.files]
    dialect = detect_dialect(request.files, items, request.options.columns)
    descends = direction_of(lists, dialect)
    is_similarity = bool(descends) if request.options.similarity is None else request.options.similarity
    columns, rows = _list_rows(request, lists[0], dialect, is_similarity=is_similarity)
    questions = [_columns_question(request, lists, dialect)]
    if dialect.columns != "id" and any(len(found.columns) == 2 for found in lists):
        outcomes = ("ranked in the order of the lines",) * 2
        reason = "" if descends is None else f"numbers in {'descending' if descends else 'ascending'} order"
        is_certain = descends is not None
        questions.append(
            _direction_question(request, outcomes, is_similarity=is_similarity, is_certain=is_certain, reason=reason)
        )
    questions.append(_query_line_question(request, lists))
    n_columns = "id and number" if len(lists[0].columns) == 2 else "id"
    summary = f"list of {count_of(len(lists[0]), 'line')}: {n_columns}"
    return PreviewContent(columns, rows, 0, summary, tuple(filter(None, questions)))


def _list_rows(
    request: PreviewRequest, found: RankListFile, dialect: RankListDialect, *, is_similarity: bool
) -> tuple[tuple[PreviewColumn, ...], tuple[PreviewRow, ...]]:
    value = IGNORED_COLUMN if dialect.columns == "id" else PreviewColumn("distance", "Distance")
    if is_similarity and value is not IGNORED_COLUMN:
        value = PreviewColumn("score", "Similarity")
    pair = ((MODEL_COLUMN, value), (value, MODEL_COLUMN))[dialect.column]
    columns = pair if len(found.columns) == 2 else (MODEL_COLUMN,)
    id_column = columns.index(MODEL_COLUMN)
    parsed = dict(zip(found.lines[: request.n_rows].tolist(), zip(*found.columns, strict=True), strict=False))
    rows = []
    for number, line in enumerate(first_lines(found.path, request.n_rows), 1):
        words = parsed.get(number) or tuple(line.split())
        note = ignored_reason(line)
        if not note and number in found.malformed:
            note = "ignored: neither an id nor an id and its distance"
        elif not note and number not in parsed and HEADER_LINE in found.notes:
            note = "header"
        elif not note and number == 1 and _has_query_name(request, found):
            note = "the query's name"
        elif not note and id_column < len(words):
            note = request.model_note(words[id_column])
        rows.append(PreviewRow(number, words[: len(columns)], note))
    return columns, tuple(rows)


def _has_query_name(request: PreviewRequest, found: RankListFile) -> bool:
    """Whether the first line of a list is the name of its query."""
    context, words = request.context, found.columns[0]
    if len(found.columns) == 2 and request.options.query_line is not None:
        return request.options.query_line
    if found.first is not None or context is None or len(found.columns) != 1 or not len(words):
        return found.first is not None
    query = context.query_ids.index_of(found.path.name)
    return is_query_name(words, query, context, request.options.query_line)


def _query_line_question(request: PreviewRequest, lists: Sequence[RankListFile]) -> Question | None:
    """Whether the first lines are queries; None if no list of models without numbers starts with its query."""
    context = request.context
    own = [
        found
        for found in lists
        if context is not None
        and len(found.columns) == 1
        and len(found.columns[0])
        and 0 <= context.query_ids.index_of(found.columns[0][0]) == context.query_ids.index_of(found.path.name)
    ]
    if not own:
        return None
    options = (
        QuestionOption("true", "The name of the query", "ranks start at the second line"),
        QuestionOption("false", "The first result", "ranks start at the first line"),
    )
    is_set = request.options.query_line is not None
    is_header = _has_query_name(request, own[0])
    reason = "the query occurs again below" if is_header else "the query does not occur again below"
    chosen = str(is_header).lower()
    return Question("query_line", "First line", options, chosen, True, SET_EXPLICITLY if is_set else reason)


def _columns_question(
    request: PreviewRequest, lists: Sequence[RankListFile], dialect: RankListDialect
) -> Question | None:
    pairs = [found for found in lists if len(found.columns) == 2]
    if not pairs:
        return None
    ids = [_known_ids_text(pairs, column, request.context) for column in (0, 1)]
    outcomes = dict(zip(LIST_COLUMNS, (f"{ids[0]}; second column ignored", ids[0], ids[1]), strict=True))
    labels = dict(zip(LIST_COLUMNS, ("Model only", "Model, then distance", "Distance, then model"), strict=True))
    chosen = dialect.columns or LIST_COLUMNS[1 + dialect.column]
    options = tuple(
        QuestionOption(key, labels[key], outcomes[key]) for key in (LIST_COLUMNS[1], LIST_COLUMNS[2], LIST_COLUMNS[0])
    )
    is_certain = bool(dialect.columns) or dialect.reason != UNDECIDED_COLUMNS
    return Question("columns", "Columns", options, chosen, is_certain, dialect.reason or SET_EXPLICITLY)


def _known_ids_text(lists: Sequence[RankListFile], column: int, context: ReadContext | None) -> str:
    words = [word for found in lists for word in found.columns[column]]
    if context is not None and len(context.items):
        known = int((context.items.indices_of(words) >= 0).sum())
        return f"{known:,} of {count_of(len(words), 'id')} are models of the collection"
    return "numbers" if all(map(is_number, words)) else f"names such as '{words[0]}'"


def direction_of(lists: Sequence[RankListFile], dialect: RankListDialect) -> bool | None:
    """Whether the numbers of all lists descend; None if they neither descend nor, in most steps, ascend."""
    seen = []
    for found in lists:
        if len(found.columns) == 2 and dialect.columns != "id":
            values, _ = parse_list_numbers(found.columns[1 - dialect.column])
            steps = np.diff(values[~np.isnan(values)])
            if np.any(steps != 0):
                is_ascending = float(np.mean(steps[steps != 0] > 0)) > MIN_ASCENDING_SHARE
                seen.append((not np.any(steps > 0), is_ascending))
    if not seen or not (all(descends for descends, _ in seen) or all(ascends for _, ascends in seen)):
        return None
    return seen[0][0]


def _direction_question(
    request: PreviewRequest, outcomes: tuple[str, str], *, is_similarity: bool, is_certain: bool, reason: str
) -> Question:
    options = (
        QuestionOption("false", "Distances (smaller = more similar)", outcomes[0]),
        QuestionOption("true", "Similarities (larger = more similar)", outcomes[1]),
    )
    is_set = request.options.similarity is not None
    chosen = str(is_similarity).lower()
    return Question(
        "similarity", "Direction", options, chosen, is_set or is_certain, SET_EXPLICITLY if is_set else reason
    )


def preview_matrix(request: PreviewRequest) -> PreviewContent:
    """Rows of a matrix, with the queries and models of rows and columns if they are known."""
    is_similarity = bool(request.options.similarity)
    if is_large(request) and looks_like_text(request.head.data) and not _is_cached(request):
        question = _direction_question(request, ("", ""), is_similarity=is_similarity, is_certain=False, reason="")
        return replace(_text_rows(request), questions=(question,))
    return _matrix_content(request, read_matrix(request.head.path, request.progress))


def preview_zarr(request: PreviewRequest) -> PreviewContent:
    """Rows of a Zarr array, as those of any matrix."""
    return _stored_content(request, read_zarr(request.path))


def preview_parquet(request: PreviewRequest) -> PreviewContent:
    """Rows of a Parquet file: pairs of a query and a model, lists, or those of a matrix."""
    return _stored_content(request, read_parquet(request.head.path))


def _stored_content(request: PreviewRequest, run: ParsedRun) -> PreviewContent:
    """Rows of a run whose ids are in the file, or of a matrix without ids."""
    if isinstance(run, TrecFile):
        value = PreviewColumn("score" if run.nearer == "larger" else "distance", "Number")
        shown = range(min(request.n_rows, len(run.lines)))
        cells = [(run.queries[run.query[at]], run.models[run.model[at]], f"{run.scores[at]:.6g}") for at in shown]
        rows = tuple(PreviewRow(int(run.lines[at]), cells[at], request.model_note(cells[at][1])) for at in shown)
        return PreviewContent((QUERY_COLUMN, MODEL_COLUMN, value), rows, 0, run.summary())
    if isinstance(run, ListRun):
        width = max(map(len, run.rows), default=0)
        lists = zip(run.queries[: request.n_rows], run.rows, run.lines.tolist(), strict=False)
        rows = tuple(PreviewRow(line, (name, *words)[: request.n_cells]) for name, words, line in lists)
        columns = (QUERY_COLUMN, *(PreviewColumn("id", f"Model {rank}") for rank in range(1, width + 1)))
        return PreviewContent(columns[: request.n_cells], rows, max(0, width + 1 - request.n_cells), run.summary())
    assert isinstance(run, MatrixFile)
    if not isinstance(run, LabelledMatrix):
        return _matrix_content(request, run)
    values = run.values[: request.n_rows][:, : request.n_cells]
    named = bool(run.rows)
    rows = tuple(
        PreviewRow(None, (*run.rows[index : index + 1], *(f"{value:.6g}" for value in row.tolist())))
        for index, row in enumerate(values)
    )
    titles = run.columns[: values.shape[1]] or tuple(f"Column {number}" for number in range(1, values.shape[1] + 1))
    columns = (*((QUERY_COLUMN,) if named else ()), *(PreviewColumn("model", title) for title in titles))
    return PreviewContent(columns, rows, run.values.shape[1] - len(titles), run.summary())


def _matrix_content(request: PreviewRequest, file: MatrixFile) -> PreviewContent:
    if request.context is None:
        is_similarity = bool(request.options.similarity)
        question = _direction_question(request, ("", ""), is_similarity=is_similarity, is_certain=False, reason="")
        content = _value_rows(request, file, None)
        return replace(content, summary=file.summary(), questions=(question,))
    return _MatrixPreview(request, file, request.context).content()


def _is_cached(request: PreviewRequest) -> bool:
    cache = request.progress.cache
    return cache is not None and cache.get(cache.key("matrix", request.head.path)) is not None


def _text_rows(request: PreviewRequest) -> PreviewContent:
    cells = [split_cells(line) for line in first_lines(request.head.path, request.n_rows)]
    width = max(map(len, cells), default=0)
    columns = tuple(PreviewColumn("distance", f"Column {number}") for number in range(1, width + 1))
    rows = tuple(PreviewRow(number, tuple(row[: request.n_cells])) for number, row in enumerate(cells, 1))
    return PreviewContent(columns[: request.n_cells], rows, max(0, width - request.n_cells))


def _value_rows(request: PreviewRequest, matrix: MatrixFile, order: MatrixOrder | None) -> PreviewContent:
    values = matrix.values
    width = values.shape[1] if values.ndim == 2 else len(values)
    has_lines = matrix.kind == "text"
    first = values[: request.n_rows] if values.ndim == 2 else values[: request.n_cells][np.newaxis]
    shown = first[:, : request.n_cells]
    context = request.context
    columns = tuple(PreviewColumn("model", _column_title(context, order, at)) for at in range(shown.shape[1]))
    rows = tuple(
        PreviewRow(
            index + 1 if has_lines else None,
            (*_query_cell(context, order, index), *(f"{value:.6g}" for value in row.tolist())),
        )
        for index, row in enumerate(shown)
    )
    if order is not None:
        columns = (PreviewColumn("query", "Query (not in the file)"), *columns)
    return PreviewContent(columns, rows, max(0, width - request.n_cells))


def _column_title(context: ReadContext | None, order: MatrixOrder | None, column: int) -> str:
    if order is None or context is None:
        return f"Column {column + 1}"
    model = int(order.columns[column])
    return context.collection.ids[model] if model >= 0 else "no model"


def _query_cell(context: ReadContext | None, order: MatrixOrder | None, row: int) -> tuple[str, ...]:
    if order is None or context is None:
        return ()
    query = int(order.rows[row])
    return (context.queries.ids[query] if query >= 0 else "no query",)


def _are_equal(values: DistanceRows, others: DistanceRows) -> bool:
    """Whether two matrices are equal, compared row by row."""
    if values.shape != others.shape:
        return False
    return values is others or all(np.array_equal(values[row], others[row]) for row in range(len(values)))


class _MatrixPreview:
    """A matrix read for an open benchmark, and what each order and direction would give."""

    def __init__(self, request: PreviewRequest, file: MatrixFile, context: ReadContext) -> None:
        values = interpret_matrix(file, context, request.options)
        if values is None:
            raise self._last_error(request, context)
        self._request = request
        self._context = context
        self._matrix = MatrixFile(file.path, values, file.kind, file.findings)
        self._base = permutation_base(file.values) if file.values.ndim == 2 else None
        self._is_ranked = self._base is not None and not _are_equal(values, file.values)
        shape = (values.shape[0], values.shape[1])
        self._orders = possible_orders(shape, context)
        ranking = read_matrix_run(file, context, request.options)
        if not isinstance(ranking, DistanceMatrix):
            raise self._last_error(request, context)
        wanted = possible_orders(shape, context, request.options.order) if request.options.order else self._orders
        self._order, self._is_similarity = applied_order(ranking, wanted), ranking.similarity

    @staticmethod
    def _last_error(request: PreviewRequest, context: ReadContext) -> FormatError:
        finding = context.findings_log.findings[-1]
        return FormatError(request.path, finding.message, finding.line)

    def content(self) -> PreviewContent:
        """Rows and questions."""
        questions = (self._cells_question(), self._order_question(), self._direction_question())
        content = _value_rows(self._request, self._matrix, self._order)
        return replace(content, summary=self._matrix.summary(), questions=tuple(filter(None, questions)))

    def _cells_question(self) -> Question | None:
        """Meaning of the values, if they could be model numbers."""
        base = self._base
        if base is None:
            return None
        ranked = (f"Model numbers from {first}, best first" for first in (1, 0))
        labels = ("Distances, or ranks of the models", *ranked)
        fits = (True, base == 1, base == 0)
        outcomes = ("smaller = more similar", *("" if fit else f"the numbers begin with {base}" for fit in fits[1:]))
        found = zip(CELL_VALUES, labels, outcomes, fits, strict=True)
        options = tuple(QuestionOption(key, label, outcome, fit) for key, label, outcome, fit in found)
        chosen = MODEL_NUMBER_CELLS[base] if self._is_ranked else DISTANCE_CELLS
        is_set = self._request.options.cells is not None
        reason = SET_EXPLICITLY if is_set else f"each row is a permutation of the numbers from {base}"
        return Question("cells", "Cell values", options, chosen, is_set, reason)

    def _order_question(self) -> Question | None:
        if self._matrix.values.ndim != 2:
            return None
        shape = (self._matrix.values.shape[0], self._matrix.values.shape[1])
        labels = ("Order of the classification", "Natural order of the ids", "Numeric order of the ids")
        options = []
        for key, label in zip(MATRIX_ORDERS, labels, strict=True):
            found = possible_orders(shape, self._context, key)
            outcome = self._order_outcome(found[0]) if found else f"does not fit {count_of(shape[1], 'column')}"
            options.append(QuestionOption(key, label, outcome, bool(found)))
        chosen = self._order.key if self._order is not None else ""
        is_set = self._request.options.order is not None
        is_certain = is_set or len(self._orders) == 1
        are_equal = sum(option.is_available for option in options) > 1
        single = "the orders that fit are the same" if are_equal else "only one order fits"
        reason = SET_EXPLICITLY if is_set else single if is_certain else "orders cannot be distinguished"
        if not is_certain and self._order is not None and (own := self._shares(self._order)) is not None:
            others = [self._shares(order) for order in self._orders if order is not self._order]
            is_certain = all(other is not None and z_score(own, other) > CLEAR_Z for other in others)
            reason = "relevant models have better ranks than in any other order" if is_certain else reason
            if not is_certain and has_numbered_columns(self._matrix, self._order, self._context):
                reason = NUMBERED_REASON
        return Question("order", "Row and column order", tuple(options), chosen, is_certain, reason)

    def _direction_question(self) -> Question:
        outcomes, is_certain, reason = ("", ""), False, ""
        context = self._context
        if context.assessment is not None and self._order is not None:
            shares = relevant_rank_shares(self._matrix.values, self._order, context.assessment, context.queries.member)
            if np.any(shares >= 0):
                mean = float(np.nanmean(shares))
                outcomes = (_rank_text(mean), _rank_text(1 - mean))
                z = z_score(1 - shares if self._is_similarity else shares)
                is_certain, reason = z > CLEAR_Z, outcomes[self._is_similarity]
                if z < -CLEAR_Z:
                    reason = "relevant models rank worse than by chance; they rank better in the other direction"
                elif not is_certain:
                    reason = "neither direction is significantly better than chance"
        order = self._order if self._is_similarity and not is_certain else None
        if order is not None and is_own_value_largest(self._matrix.values, order, context):
            reason = OWN_VALUE_LARGEST
        return _direction_question(
            self._request, outcomes, is_similarity=self._is_similarity, is_certain=is_certain, reason=reason
        )

    def _shares(self, order: MatrixOrder) -> NDArray[np.float64] | None:
        if self._context.assessment is None:
            return None
        member = self._context.queries.member
        shares = relevant_rank_shares(self._matrix.values, order, self._context.assessment, member)
        return 1 - shares if self._is_similarity else shares

    def _order_outcome(self, order: MatrixOrder) -> str:
        shares = self._shares(order)
        if shares is None or not np.any(shares >= 0):
            return order.description
        return f"{order.description}; {_rank_text(float(np.nanmean(shares)))}"


def _rank_text(share: float) -> str:
    return f"mean relative rank of relevant models: {format_percent(share, 1)}"


def applied_order(ranking: DistanceMatrix, orders: Sequence[MatrixOrder]) -> MatrixOrder | None:
    """The order in which a matrix was read, among some; None for another one."""
    for order in orders:
        answered = np.flatnonzero(ranking.rows >= 0)
        same_rows = np.array_equal(order.rows[ranking.rows[answered]], answered)
        if same_rows and np.array_equal(order.columns, ranking.columns):
            return order
    return None
