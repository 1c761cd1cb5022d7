"""Read matrices with ids in the first line, the first column, or both."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.blocks import read_blocks
from shrec_viewer.formats.io.compressed import open_unpacked
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, decode, is_number, os_error_text, read_file_head, read_text
from shrec_viewer.formats.matrices.matrix import MatrixFile
from shrec_viewer.formats.runs.trec import parse_numbers

MIN_COLUMNS = 3
"""Fewer numbers beside an id are a list, a curve or scores."""

MIN_ROWS = 2

MIN_NUMERIC_SHARE = 0.95
"""Share of words that are numbers where numbers should be; the others then get a sentence."""

MIN_DISTINCT_SHARE = 0.7
"""Share of the words of a side that must be different: one that comes again is a fault."""

MAX_HEAD_BYTES = 2**20
"""Bytes in which the first lines must end: ids of 50,000 models, and a line of their distances."""

CORNERS = (
    "",
    "id",
    "ids",
    "index",
    "name",
    "model",
    "query",
    "object",
    "shape",
    "file",
    "filename",
    "row",
    "unnamed: 0",
)
"""What stands above a column of numbers that are ids; above words anything may."""

GAPS = ("", "NA", "N/A", "NULL")
"""What stands where there is no number."""

SHOWN_LINES = 6
"""Lines that tell the layout."""


@dataclass(frozen=True, eq=False)
class LabelledMatrix(MatrixFile):
    """A matrix that says what its rows and columns are.

    Attributes
    ----------
    rows, columns : (R,) and (M,) words; empty where the file has none for them.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()

    def matrix_shape(self) -> tuple[int, ...] | None:
        """Shape of the values if rows and columns are only counted; None if they have ids."""
        return self.values.shape if self.has_counter_labels else None

    def query_ids(self) -> Sequence[str]:
        """Ids of the rows."""
        return () if self.has_counter_labels else self.rows

    def id_columns(self) -> Sequence[Sequence[str]]:
        """Ids of the columns."""
        return () if self.has_counter_labels else (self.columns,)

    def model_ids(self) -> Sequence[str]:
        """Ids of the columns, or of the rows if only these have some; empty if they look like names of measures."""
        return (self.columns or self.rows) if self.looks_like_ids and not self.has_counter_labels else ()

    @property
    def looks_like_ids(self) -> bool:
        """Whether they are ids rather than names of measures: rows and columns share some, or most are numbered."""
        if set(self.rows) & set(self.columns):
            return True
        words = self.columns or self.rows
        return 2 * sum(any(letter.isdigit() for letter in word) for word in words) >= len(words)

    @property
    def has_counter_labels(self) -> bool:
        """Whether the words only count rows and columns from 0 or 1, as pandas does where it knows no names."""
        return all(_is_count(words) for words in (self.rows, self.columns) if words)


@dataclass(frozen=True)
class _LabelLayout:
    """How the file is written.

    Attributes
    ----------
    separator : "" for white space.
    skipped : lines before the first of the table: `sep=;`.
    header, index : whether there are ids in the first line, and in the first column.
    corner : the first line has a cell above the first column.
    trailing : each line ends in a separator that separates nothing.
    size : (R, M) as the first line says; empty where it does not.
    """

    separator: str
    skipped: int
    header: bool
    index: bool
    corner: bool
    trailing: bool = False
    size: tuple[int, ...] = ()


def is_labelled_matrix(head: FileHead) -> bool:
    """Whether lines are three or more numbers beside an id, or under a line of as many ids, or of how many follow."""
    return _layout(_first_lines(head)) is not None


def read_labelled_matrix(path: Path, watch: ReadProgress = NO_PROGRESS) -> LabelledMatrix:
    """A matrix with its words.

    Raises
    ------
    FormatError
        With the line, where a line has another number of cells, or a cell is no number.
    Cancelled
        When `watch` no longer waits.
    """
    head = read_file_head(path)
    layout = _layout(_first_lines(head))
    if layout is None:
        read_text(path)  # says why, where it is no text
        raise FormatError(path, "has no ids in its first line or column, or no numbers beside them")
    rows: list[str] = []
    pieces = []
    columns: tuple[str, ...] = ()
    width, seen, skipped = 0, 0, layout.skipped
    try:
        for block in read_blocks(path, head.size, watch):
            kept = []
            text = decode(block.data)
            for number, line in enumerate(text.split("\n"), seen + 1):
                if not line.strip() or line.startswith("#"):
                    continue
                if skipped:
                    skipped -= 1
                    continue
                cells = _cells(line, layout.separator)
                if layout.trailing and len(cells) > 1 and not cells[-1]:
                    cells.pop()
                if layout.header and not width:
                    columns = tuple(cells[layout.corner :])
                    width = len(columns)
                    continue
                name, words = (cells[0], cells[1:]) if layout.index else ("", cells)
                width = width or len(words)
                rows.append(name)
                kept.append(_numbers(path, number, words, width))
            seen += text.count("\n")
            if kept:
                pieces.append(np.array(kept))
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    if not pieces:
        raise FormatError(path, "holds no numbers")
    values = np.concatenate(pieces)
    findings = _size_finding(path, layout.size, values.shape) if layout.size else ()
    return LabelledMatrix(path, values, "text", findings, tuple(rows) if layout.index else (), columns)


def _size_finding(path: Path, said: tuple[int, ...], found: tuple[int, ...]) -> tuple[Finding, ...]:
    message = f"the first line says how large the matrix is: {said[0]:,} x {said[1]:,}"
    if said == found:
        return (Finding(Severity.INFO, str(path), 1, message, "passed over"),)
    action = f"{found[0]:,} x {found[1]:,} are read"
    return (Finding(Severity.WARNING, str(path), 1, f"{message}, but {found[0]:,} rows follow", action),)


def _numbers(path: Path, line: int, words: list[str], width: int) -> NDArray[np.float64]:
    if len(words) != width:
        raise FormatError(path, f"{len(words):,} numbers in this line, {width:,} are expected", line)
    found = parse_numbers([word.replace(",", ".") for word in words])
    for place in np.flatnonzero(np.isnan(found)).tolist():
        if not is_number(words[place]) and words[place].upper() not in GAPS:
            raise FormatError(path, f"'{words[place][:40]}' is no number", line)
    return found


def _first_lines(head: FileHead) -> list[str]:
    """The first lines that say something, whole; more of the file is read where one is longer than a head."""
    if head.text is None or not head.lines:
        return []
    if head.is_complete or len(head.lines) > MIN_ROWS:
        return list(head.lines[:SHOWN_LINES])
    first = _cells(head.lines[0], _separator(head.lines[0]))[1:-1]
    if len(first) < MIN_COLUMNS or len(set(first)) < len(first) * MIN_NUMERIC_SHARE:
        return []
    try:
        with open_unpacked(head.path) as stream:
            data = stream.read(MAX_HEAD_BYTES)
    except (OSError, FormatError):
        return []
    lines = decode(data[: data.rfind(b"\n") + 1]).split("\n")
    return list(islice((line for line in lines if line.strip() and not line.startswith("#")), SHOWN_LINES))


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
    width = len(rows[-1])
    body = rows[1:]
    if any(len(row) != width for row in body):
        return None
    size = _size(rows[0], width)
    if size and len(body) >= MIN_ROWS and all(_is_cell(cell) for row in body for cell in row):
        return _LabelLayout(
            separator, skipped + 1, header=False, index=False, corner=False, trailing=trailing, size=size
        )
    if len(rows[0]) not in (width - 1, width):
        return None
    index = _is_index(body, has_corner=len(rows[0]) == width and rows[0][0].casefold() in CORNERS)
    header = _is_header(rows[0], width, index=index)
    if not header and len(rows[0]) == width:  # the first line is one of the matrix
        body, index = rows, _is_index(rows, has_corner=False)
    if not (header or index) or width - index < MIN_COLUMNS:
        return None
    cells = [cell for row in body for cell in row[index:]]
    n_numbers, n_gaps = sum(map(_is_cell, cells)), sum(cell.upper() in GAPS for cell in cells)
    if n_numbers + n_gaps < MIN_NUMERIC_SHARE * len(cells) or n_gaps > n_numbers:
        return None
    is_of_itself = header and index and bool({row[0] for row in body} & set(rows[0][-(width - 1) :]))
    if not is_of_itself and not any("." in cell or "," in cell for cell in cells):
        return None  # whole numbers beside ids are tables of something else
    corner = header and index and len(rows[0]) == width
    return _LabelLayout(separator, skipped, header, index, corner, trailing)


def _size(row: list[str], width: int) -> tuple[int, ...]:
    """Rows and columns as a first line `34` or `34 34` says; empty where it is no such line."""
    is_whole = all(word.isascii() and word.isdigit() and len(word) < 10 for word in row)
    if len(row) not in (1, 2) or width < MIN_COLUMNS or not is_whole or int(row[-1]) != width:
        return ()
    return int(row[0]), width


def _is_index(body: list[list[str]], *, has_corner: bool) -> bool:
    """Whether the first cells are names: words, all different; or a count under an empty corner."""
    names = [row[0] for row in body]
    if len(set(names)) < MIN_DISTINCT_SHARE * len(names):
        return False
    return has_corner or not any(map(_is_cell, names))


def _is_header(row: list[str], width: int, *, index: bool) -> bool:
    """Whether the first line names columns: words, all different; or a count beside an empty corner."""
    names = row[index:] if len(row) == width else row
    if len(names) != width - index or len(set(names)) < MIN_DISTINCT_SHARE * len(names) or not all(names):
        return False
    if not any(map(_is_cell, names)):
        return True
    is_beside = index and (len(row) < width or not _is_cell(row[0]))
    return is_beside and all(name.isdigit() for name in names)


def _is_cell(word: str) -> bool:
    return bool(word) and is_number(word.replace(",", "."))


def _is_count(words: tuple[str, ...]) -> bool:
    return words in (tuple(map(str, range(len(words)))), tuple(map(str, range(1, len(words) + 1))))


def _separator(line: str) -> str:
    """Of ";", tab and ",", what stands in the line; "" for white space."""
    if ";" in line:
        return ";"
    if "\t" in line:
        return "\t"
    return "," if line.count(",") >= MIN_COLUMNS and (" " not in line.strip() or ", " in line) else ""


def _cells(line: str, separator: str) -> list[str]:
    if not separator:
        words = line.split()
        return [word.strip('"') for word in words] if '"' in line else words
    line = line.rstrip("\r\n")
    if '"' in line:
        try:
            cells = next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
        except csv.Error:
            cells = line.split(separator)
    else:
        cells = line.split(separator)
    return [cell.strip() for cell in cells]
