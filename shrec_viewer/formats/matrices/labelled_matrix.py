"""Read text matrices with ids in the first line, the first column, or both."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress, read_blocks
from shrec_viewer.formats.io.tables import split_row
from shrec_viewer.formats.io.text import FileHead, decode, is_number, os_errors, read_file_head, read_or_none, read_text
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.runs.trec import parse_numbers

#: Minimum number of columns; fewer are a list, a curve or scores.
MIN_COLUMNS = 3

MIN_ROWS = 2

#: Minimum share of numbers among the cells; other cells are then reported.
MIN_NUMERIC_SHARE = 0.95

#: Minimum share of distinct ids among the rows or columns; repeated ones are then reported.
MIN_DISTINCT_SHARE = 0.7

#: Maximum bytes of the first lines: ids of 50,000 models and a row of distances.
MAX_HEAD_BYTES = 2**20

#: Headers of a first column of numeric ids; above other ids any header is accepted.
CORNERS = (
    *("", "id", "ids", "index", "name", "model", "query", "object", "shape", "file", "filename", "row", "unnamed: 0"),
)

#: Cells that mean a missing number.
GAPS = ("", "NA", "N/A", "NULL")

#: Minimum share of the examined lines with the same number of cells: three of five.
MIN_SAME_WIDTH_SHARE = 0.6

#: Lines that are examined to recognise the layout.
LAYOUT_LINES = 6


@dataclass(frozen=True)
class _LabelLayout:
    """Layout of a file.

    Attributes
    ----------
    separator : "" for white space.
    skipped : lines before the table, such as `sep=;`.
    header, index : whether the first line, and the first column, contain ids.
    corner : whether the first line has a cell above the first column.
    trailing : whether lines end in a separator.
    size : (R, M) according to the first line, or empty.
    """

    separator: str
    skipped: int
    header: bool
    index: bool
    corner: bool
    trailing: bool = False
    size: tuple[int, ...] = ()


def is_labelled_matrix(head: FileHead) -> bool:
    """Whether lines have at least three numbers, after an id each or below a first line with ids or the size."""
    return _layout(_first_lines(head)) is not None


def read_labelled_matrix(path: Path, progress: ReadProgress = NO_PROGRESS) -> MatrixFile:
    """Read a matrix with its labels.

    Raises
    ------
    FormatError
        With the line, for a wrong number of cells or a cell that is not a number.
    Cancelled
        When `progress` is cancelled.
    """
    head = read_file_head(path)
    layout = _layout(_first_lines(head))
    if layout is None:
        read_text(path)  # raises FormatError for binary files
        raise FormatError(path, "has no ids in its first line or column, or no numbers")
    rows: list[str] = []
    lines: list[int] = []
    header_line = 0
    blocks = []
    columns: tuple[str, ...] = ()
    width, n_lines, skipped = 0, 0, layout.skipped
    with os_errors(path):
        for block in read_blocks(path, head.size, progress, has_names=True):
            block_rows = []
            text = decode(block)
            for number, line in enumerate(text.split("\n"), n_lines + 1):
                if not line.strip():
                    continue
                if skipped:
                    skipped -= 1
                    header_line = number
                    continue
                cells = _cells(line, layout.separator)
                if layout.trailing and len(cells) > 1 and not cells[-1]:
                    cells.pop()
                if layout.header and not width:
                    columns = tuple(cells[layout.corner :])
                    width, header_line = len(columns), number
                    continue
                name, values = (cells[0], cells[1:]) if layout.index else ("", cells)
                width = width or len(values)
                rows.append(name)
                lines.append(number)
                block_rows.append(_numbers(path, number, values, width))
            n_lines += text.count("\n")
            if block_rows:
                blocks.append(np.array(block_rows))
    if not blocks:
        raise FormatError(path, "contains no numbers")
    matrix = np.concatenate(blocks)
    findings = _size_finding(path, header_line, layout.size, matrix.shape) if layout.size else ()
    labels = tuple(rows) if layout.index else ()
    column_lines = (header_line,) * len(columns)
    return MatrixFile(path, matrix, "text", findings, labels, columns, tuple(lines), column_lines)


def _size_finding(path: Path, line: int, declared: tuple[int, ...], found: tuple[int, ...]) -> tuple[Finding, ...]:
    message = f"the first line declares the size {declared[0]:,} x {declared[1]:,}"
    if declared == found:
        return (Finding(Severity.INFO, str(path), line, message, "ignored"),)
    action = f"{found[0]:,} x {found[1]:,} are read"
    return (Finding(Severity.WARNING, str(path), line, f"{message}, but {found[0]:,} rows follow", action),)


def _numbers(path: Path, line: int, cells: list[str], width: int) -> NDArray[np.float64]:
    if len(cells) != width:
        raise FormatError(path, f"{len(cells):,} numbers in this line, {width:,} are expected", line)
    found = parse_numbers([cell.replace(",", ".") for cell in cells])
    for index in np.flatnonzero(np.isnan(found)).tolist():
        if not is_number(cells[index]) and cells[index].upper() not in GAPS:
            raise FormatError(path, f"'{cells[index][:40]}' is not a number", line)
    return found


def _first_lines(head: FileHead) -> list[str]:
    """The first complete lines that are not blank; reads beyond the head if a line is longer."""
    if head.text is None or not head.lines:
        return []
    if head.is_complete or len(head.lines) > MIN_ROWS:
        return list(head.lines[:LAYOUT_LINES])
    first = _cells(head.lines[0], _separator(head.lines[0]))[1:-1]
    if len(first) < MIN_COLUMNS or len(set(first)) < len(first) * MIN_NUMERIC_SHARE:
        return []
    longer = read_or_none(read_file_head, head.path, MAX_HEAD_BYTES)
    return list(longer.lines[:LAYOUT_LINES]) if longer is not None else []


def _layout(lines: list[str]) -> _LabelLayout | None:
    skipped = 0
    if lines and lines[0].lower().startswith("sep="):
        lines, skipped = lines[1:], 1
    if len(lines) < MIN_ROWS:
        return None
    separator = _separator(lines[-1])
    rows = [_cells(line, separator) for line in lines]
    trailing = all(len(row) > 1 and not row[-1] for row in rows[1:])
    rows = [row[:-1] if trailing and not row[-1] else row for row in rows]
    width, n_same = Counter(map(len, rows[1:])).most_common(1)[0]
    if n_same < MIN_SAME_WIDTH_SHARE * (len(rows) - 1):
        return None
    rows = [rows[0], *(row for row in rows[1:] if len(row) == width)]  # the reader reports lines of other lengths
    body = rows[1:]
    size = _size(rows[0], width)
    if size and len(body) >= MIN_ROWS and all(_is_cell(cell) for row in body for cell in row):
        return _LabelLayout(
            separator, skipped + 1, header=False, index=False, corner=False, trailing=trailing, size=size
        )
    if len(rows[0]) not in (width - 1, width):
        return None
    index = _is_index(body, has_corner=len(rows[0]) == width and rows[0][0].casefold() in CORNERS)
    header = _is_header(rows[0], width, index=index)
    if not header and len(rows[0]) == width:  # the first line is a row of the matrix
        body, index = rows, _is_index(rows, has_corner=False)
    if not (header or index) or width - index < MIN_COLUMNS:
        return None
    cells = [cell for row in body for cell in row[index:]]
    n_numbers, n_gaps = sum(map(_is_cell, cells)), sum(cell.upper() in GAPS for cell in cells)
    if n_numbers + n_gaps < MIN_NUMERIC_SHARE * len(cells) or n_gaps > n_numbers:
        return None
    shares_ids = header and index and bool({row[0] for row in body} & set(rows[0][-(width - 1) :]))
    if not shares_ids and not any("." in cell or "," in cell for cell in cells):
        return None  # ids with integers only are tables of another kind
    corner = header and index and len(rows[0]) == width
    return _LabelLayout(separator, skipped, header, index, corner, trailing)


def _size(row: list[str], width: int) -> tuple[int, ...]:
    """Rows and columns according to a first line `34` or `34 34`; empty for other lines."""
    are_integers = all(cell.isascii() and cell.isdigit() and len(cell) < 10 for cell in row)
    if len(row) not in (1, 2) or width < MIN_COLUMNS or not are_integers or int(row[-1]) != width:
        return ()
    return int(row[0]), width


def _is_index(body: list[list[str]], *, has_corner: bool) -> bool:
    """Whether the first cells are ids: distinct and not numbers, or numbers below a known header."""
    names = [row[0] for row in body]
    if len(set(names)) < MIN_DISTINCT_SHARE * len(names):
        return False
    return has_corner or not any(map(_is_cell, names))


def _is_header(row: list[str], width: int, *, index: bool) -> bool:
    """Whether the first line contains ids: distinct and not numbers, or integers next to an index column."""
    names = row[index:] if len(row) == width else row
    if len(names) != width - index or len(set(names)) < MIN_DISTINCT_SHARE * len(names) or not all(names):
        return False
    if not any(map(_is_cell, names)):
        return True
    has_corner = index and (len(row) < width or not _is_cell(row[0]))
    return has_corner and all(name.isdigit() for name in names)


def _is_cell(text: str) -> bool:
    return bool(text) and is_number(text.replace(",", "."))


def _separator(line: str) -> str:
    """Separator of a line: semicolon, tab or comma; "" for white space."""
    if ";" in line:
        return ";"
    if "\t" in line:
        return "\t"
    return "," if line.count(",") >= MIN_COLUMNS and (" " not in line.strip() or ", " in line) else ""


def _cells(line: str, separator: str) -> list[str]:
    if not separator:
        return [token.strip('"') for token in line.split()]
    return split_row(line.rstrip("\r\n"), separator)
