"""First lines of truth files and tables as cells with a known meaning."""

import csv
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.preview_records import PreviewColumn, PreviewContent, PreviewRequest, PreviewRow
from shrec_viewer.formats.io.compressed import open_unpacked
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES
from shrec_viewer.formats.io.tables import TextTable, read_table, separator_of
from shrec_viewer.formats.io.text import decode, looks_like_text, os_error_text
from shrec_viewer.formats.manifest.manifest import read_manifest
from shrec_viewer.formats.runs.long_table import read_long_table
from shrec_viewer.formats.truth.cla import read_cla
from shrec_viewer.formats.truth.class_tables import class_csv_layout, read_class_csv, read_class_lines
from shrec_viewer.formats.truth.id_lists import read_id_list
from shrec_viewer.formats.truth.labels import LabelTable, read_label_vector
from shrec_viewer.formats.truth.partiality import read_partiality
from shrec_viewer.formats.truth.qrels import (
    LEVEL_NAMES,
    MODEL_NAMES,
    QUERY_NAMES,
    QrelsFile,
    read_pair_table,
    read_qrels,
)

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
