"""First lines of a file as cells with a known meaning."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.ids import IdIndex
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.io.compressed import open_unpacked
from shrec_viewer.formats.io.tables import TextTable, read_table, separator_of
from shrec_viewer.formats.io.text import decode, looks_like_text, os_error_text
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.matrices.orders import MatrixOrder
from shrec_viewer.formats.matrices.text_matrix import split_cells
from shrec_viewer.formats.preview.records import PreviewColumn, PreviewRow
from shrec_viewer.formats.runs.rank_list import HEADER_LINE
from shrec_viewer.formats.runs.rank_list_folder import RankListDialect, read_list_with_ids
from shrec_viewer.formats.runs.submission import QUERY_COLUMN_HEADERS
from shrec_viewer.formats.truth.class_tables import class_csv_layout
from shrec_viewer.formats.truth.labels import read_label_vector
from shrec_viewer.formats.truth.qrels import LEVEL_NAMES, MODEL_NAMES, QUERY_NAMES

MAX_SHOWN_BYTES = 2**18
"""How much of a file is shown at most: twelve lines of a matrix of 1,200 columns."""

ShownTable = tuple[tuple[PreviewColumn, ...], tuple[PreviewRow, ...], int]
"""Columns, rows, and how many more columns there are."""

IGNORED_COLUMN = PreviewColumn("ignored", "ignored")
LEVEL_COLUMN = PreviewColumn("level", "Level")
MODEL_COLUMN = PreviewColumn("id", "Model")
QUERY_COLUMN = PreviewColumn("query", "Query")


@dataclass(frozen=True, eq=False)
class PreviewPage:
    """What is shown, and what is known about it.

    Attributes
    ----------
    path : the file.
    n_rows, n_cells : most rows and cells that are shown.
    context : the open benchmark; None where nothing is open.
    dialect : how the lists of the run are written, for rank lists.
    similarity : larger is nearer.
    matrix, order : the numbers and what they are in the order of, for matrices that can be read.
    """

    path: Path
    n_rows: int
    n_cells: int
    context: ReadContext | None = None
    dialect: RankListDialect | None = None
    similarity: bool = False
    matrix: MatrixFile | None = None
    order: MatrixOrder | None = None

    def known_model(self, word: str) -> str:
        """What is odd about the id of a model."""
        is_odd = self.context is not None and self.context.items.place(word) < 0
        return f"'{word}' is no model of the collection" if is_odd else ""

    def known_query(self, word: str) -> str:
        """What is odd about the id of a query."""
        is_odd = self.context is not None and len(self.context.queries) and self.context.query_ids.place(word) < 0
        return f"'{word}' is no query" if is_odd else ""


def first_lines(path: Path, count: int) -> list[str]:
    """The first lines of a text, without their ends; a long last one may be cut. FormatError where it is no text."""
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


def plain_rows(page: PreviewPage) -> ShownTable:
    """Lines as they stand."""
    rows = tuple(PreviewRow(number, (line,)) for number, line in enumerate(first_lines(page.path, page.n_rows), 1))
    return (PreviewColumn("text", "Text"),), rows, 0


def label_rows(page: PreviewPage) -> ShownTable:
    """Labels in their order, of a text or an array."""
    labels = read_label_vector(page.path).labels[: page.n_rows]
    return (
        (PreviewColumn("class", "Class"),),
        tuple(PreviewRow(number, (word,)) for number, word in enumerate(labels, 1)),
        0,
    )


def trec_rows(page: PreviewPage) -> ShownTable:
    """Lines ``query Q0 model rank score tag``."""
    columns = (
        QUERY_COLUMN,
        IGNORED_COLUMN,
        MODEL_COLUMN,
        PreviewColumn("rank", "Rank (the score counts)"),
        PreviewColumn("score", "Score"),
        IGNORED_COLUMN,
    )
    return columns, _by_width(page, columns, lambda row: page.known_query(row[0]) or page.known_model(row[2])), 0


def qrels_rows(page: PreviewPage) -> ShownTable:
    """Lines ``query 0 model level``."""
    columns = (QUERY_COLUMN, IGNORED_COLUMN, MODEL_COLUMN, LEVEL_COLUMN)
    return columns, _by_width(page, columns, lambda row: page.known_query(row[0]) or page.known_model(row[2])), 0


def class_rows(page: PreviewPage) -> ShownTable:
    """Lines ``name class subclass``."""
    columns = (MODEL_COLUMN, PreviewColumn("class", "Class"), PreviewColumn("class", "Subclass"))
    return columns, _by_width(page, columns, lambda row: ""), 0


def _by_width(
    page: PreviewPage, columns: Sequence[PreviewColumn], odd: Callable[[Sequence[str]], str]
) -> tuple[PreviewRow, ...]:
    rows = []
    for number, line in enumerate(first_lines(page.path, page.n_rows), 1):
        words = line.split()
        note = _skipped_reason(line)
        if not note and len(words) != len(columns):
            note = f"left out: {len(columns)} columns are expected, found {len(words)}"
        elif not note:
            note = odd(words)
        rows.append(PreviewRow(number, tuple(words[: len(columns)]), note))
    return tuple(rows)


def _skipped_reason(line: str) -> str:
    if not line.strip():
        return "blank line"
    return "comment" if line.lstrip().startswith("#") else ""


def cla_rows(page: PreviewPage) -> ShownTable:
    """Lines of a classification; its words could as well stand in one line."""
    columns = (
        PreviewColumn("class", "Class or model"),
        PreviewColumn("class", "Parent"),
        PreviewColumn("text", "Models"),
    )
    rows = []
    for number, line in enumerate(first_lines(page.path, page.n_rows), 1):
        words = line.split()
        note = _skipped_reason(line) or {1: "model", 3: "class"}.get(len(words), "")
        note = {1: "version", 2: "classes and models that follow"}.get(number, note) if number < 3 else note
        rows.append(PreviewRow(number, tuple(words[:3]), note))
    return columns, tuple(rows), 0


def table_rows(page: PreviewPage, kind: str) -> ShownTable:
    """Rows of a table: classes ("truth"), pairs ("pairs") or any other."""
    lines = first_lines(page.path, page.n_rows)
    separator = separator_of(next((line for line in lines if line.strip()), "")) or ","
    cells = [tuple(cell.strip() for cell in row) for row in csv.reader(lines, delimiter=separator)]
    width = max(map(len, cells), default=0)
    columns = _table_columns(page.path, kind, cells[0] if cells else (), width)
    has_header = kind == "pairs" or (kind == "truth" and class_csv_layout(read_table(page.path))[1])
    rows = []
    for number, (row, line) in enumerate(zip(cells, lines, strict=False), 1):
        note = "header" if number == 1 and has_header else ("" if line.strip() else "blank line")
        rows.append(PreviewRow(number, row[: page.n_cells], note))
    return columns[: page.n_cells], tuple(rows), max(0, width - page.n_cells)


def _table_columns(path: Path, kind: str, header: Sequence[str], width: int) -> tuple[PreviewColumn, ...]:
    columns = [IGNORED_COLUMN] * width
    if kind == "truth":
        places, _, _ = class_csv_layout(read_table(path))
        meanings = (
            MODEL_COLUMN,
            PreviewColumn("class", "Class"),
            PreviewColumn("class", "Subclass"),
            PreviewColumn("text", "Split"),
        )
        for place, meant in zip(places, meanings, strict=True):
            if place is not None and place < width:
                columns[place] = meant
    elif kind == "pairs":
        table = TextTable(path, (tuple(header),), (1,))
        for names, meant in ((QUERY_NAMES, QUERY_COLUMN), (MODEL_NAMES, MODEL_COLUMN), (LEVEL_NAMES, LEVEL_COLUMN)):
            if (place := table.find(names)) is not None:
                columns[place] = meant
    return tuple(columns)


def submission_rows(page: PreviewPage) -> ShownTable:
    """Rows of a query and its models."""
    lines = first_lines(page.path, page.n_rows)
    separator = separator_of(next((line for line in lines if line.strip()), "")) or ","
    rows, width = [], 0
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().rstrip(separator).split(separator)]
        width = max(width, len(cells))
        note = "" if line.strip() else "blank line"
        if number == 1 and cells[0].casefold() in QUERY_COLUMN_HEADERS:
            note = "header"
        note = note or page.known_query(cells[0]) or next(filter(None, map(page.known_model, cells[1:6])), "")
        rows.append(PreviewRow(number, tuple(cells[: page.n_cells]), note))
    columns = (QUERY_COLUMN, *(PreviewColumn("id", f"Model at rank {place}") for place in range(1, width)))
    return columns[: page.n_cells], tuple(rows), max(0, width - page.n_cells)


def list_rows(page: PreviewPage) -> ShownTable:
    """Lines of a rank list."""
    found = read_list_with_ids(page.path, page.context.items if page.context is not None else IdIndex(()))
    dialect = page.dialect or RankListDialect(0, "")
    far = IGNORED_COLUMN if dialect.told == "id" else PreviewColumn("distance", "Distance")
    if page.similarity and far is not IGNORED_COLUMN:
        far = PreviewColumn("score", "Similarity")
    columns = ((MODEL_COLUMN, far), (far, MODEL_COLUMN))[dialect.column] if len(found.columns) == 2 else (MODEL_COLUMN,)
    place = columns.index(MODEL_COLUMN)
    understood = dict(zip(found.lines[: page.n_rows].tolist(), zip(*found.columns, strict=True), strict=False))
    rows = []
    for number, line in enumerate(first_lines(page.path, page.n_rows), 1):
        words = understood.get(number) or tuple(line.split())
        note = _skipped_reason(line)
        if not note and number in found.odd:
            note = "left out: neither an id nor an id and its distance"
        elif not note and number not in understood and HEADER_LINE in found.notes:
            note = "header"
        elif not note and number == 1 and _is_name(words, found.first, page):
            note = "the query's name"
        elif not note and place < len(words):
            note = page.known_model(words[place])
        rows.append(PreviewRow(number, words[: len(columns)], note))
    return columns, tuple(rows), 0


def _is_name(words: Sequence[str], first: str | None, page: PreviewPage) -> bool:
    if first is not None or page.context is None or len(words) != 1:
        return first is not None
    return page.context.items.place(words[0]) < 0 <= page.context.query_ids.place(words[0])


def matrix_rows(page: PreviewPage) -> ShownTable:
    """Rows of a matrix, with the queries and models that they and the columns stand for, where that is known."""
    if page.matrix is None:
        lines = first_lines(page.path, page.n_rows)
        cells = [split_cells(line) for line in lines]
        width = max(map(len, cells), default=0)
        columns = tuple(PreviewColumn("distance", f"Column {place + 1}") for place in range(width))
        rows = tuple(PreviewRow(number, tuple(row[: page.n_cells])) for number, row in enumerate(cells, 1))
        return columns[: page.n_cells], rows, max(0, width - page.n_cells)
    values = np.atleast_2d(page.matrix.values)
    has_lines = page.matrix.kind == "text"
    shown = values[: page.n_rows, : page.n_cells]
    columns = tuple(PreviewColumn("model", _column_title(page, place)) for place in range(shown.shape[1]))
    rows = tuple(
        PreviewRow(
            place + 1 if has_lines else None, (*_query_of(page, place), *(f"{value:.6g}" for value in row.tolist()))
        )
        for place, row in enumerate(shown)
    )
    if page.order is not None:
        columns = (PreviewColumn("query", "Query (not in the file)"), *columns)
    return columns, rows, max(0, values.shape[1] - page.n_cells)


def _column_title(page: PreviewPage, place: int) -> str:
    if page.order is None or page.context is None:
        return f"Column {place + 1}"
    model = int(page.order.columns[place])
    return page.context.collection.ids[model] if model >= 0 else "no model"


def _query_of(page: PreviewPage, place: int) -> tuple[str, ...]:
    if page.order is None or page.context is None:
        return ()
    query = int(page.order.rows[place])
    return (page.context.queries.ids[query] if query >= 0 else "no query",)
