"""Split text into tables: comma-, semicolon- or tab-separated rows, and columns of large files with numpy."""

import csv
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.limits import MAX_ENTRIES, limit_error
from shrec_viewer.formats.io.text import HEAD_LINES, NO_ROWS, FileHead, has_rows, read_list_text

RUN_COLUMNS = ("run", "code", "run id", "run_id", "runid", "name")
PARTICIPANT_COLUMNS = ("participant", "team", "group", "author", "authors")


@dataclass(frozen=True, eq=False)
class TextTable:
    """Rows of a table as text.

    Attributes
    ----------
    path : the file.
    rows : cells of all rows including the header, stripped; without blank rows.
    lines : 1-based line of each row.
    """

    path: Path
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]

    def column(self, index: int, *, header: bool) -> list[str]:
        """Cells of one column, "" for shorter rows; without the first row if it is a header."""
        return [row[index] if index < len(row) else "" for row in self.rows[header:]]

    def find(self, names: tuple[str, ...]) -> int | None:
        """Index of the first column whose header is one of `names`, or None; see `header_key`."""
        header = map(header_key, self.rows[0]) if self.rows else ()
        keys = set(map(header_key, names))
        return next((index for index, key in enumerate(header) if key in keys), None)

    @property
    def width(self) -> int:
        """Number of cells of the first row."""
        return len(self.rows[0]) if self.rows else 0

    def summary(self) -> str:
        """Number of rows and columns."""
        counts = ((len(self.rows), "row"), (self.width, "column"))
        return "table of " + " and ".join(f"{count:,} {name}{'s' * (count != 1)}" for count, name in counts)


QUERY_NAMES = (
    *("query id", "query", "qid", "q id", "query name", "query model", "topic", "topic id"),
    *("sketch query id", "text query id", "sketch id", "text id", "image id"),
)
MODEL_NAMES = (
    *("model id", "model", "model name", "obj id", "object id", "object", "target id", "target", "target name"),
    *("corpus id", "doc id", "document id", "docno", "pid", "passage id", "item id", "shape id"),
)
RESULT_NAMES = (
    *("retrieved", "retrieved id", "result", "result id", "item", "shape", "candidate", "candidate id", "doc", "image"),
    *("neighbor", "neighbour", "match", "hit"),
)
LIST_NAMES = (
    *("models", "results", "retrieved", "retrieved ids", "ranking", "ranked", "ranked list", "hits", "matches", "list"),
    *("neighbors", "neighbours", "candidates", "items", "ids", "model ids", "docs", "doc ids", "targets", "images"),
    *("shapes", "objects", "predictions", "top k", "results ids"),
)
DISTANCE_NAMES = ("distance", "distances", "dist", "dissimilarity", "d")
SIMILARITY_NAMES = (
    *("similarity", "similarities", "sim", "score", "scores", "cosine", "cosine similarity", "cos", "cos sim"),
    "inner product",
)
RANK_NAMES = ("rank", "ranking", "position")
LEVEL_NAMES = ("relevance", "level", "rel", "gain")
"""Headers of columns, and keys of JSON, by role, most specific first; compared by `header_key`.

`RESULT_NAMES` are models in ranked lists only: a table of queries and images can hold the pictures of the queries.
"""

BEIR_HEADER = ("query-id", "corpus-id", "score")
"""Header of the relevance assessments of BEIR, whose scores are levels, not those of ranked lists."""


def header_key(name: str) -> str:
    """A header without case, blanks, hyphens and underscores: ``"queryid"`` for `Query-ID`; without marks of comments.

    Examples
    --------
    >>> header_key("# query_id")
    'queryid'
    """
    return _NOT_IN_KEYS.sub("", name).casefold()


_NOT_IN_KEYS = re.compile(r"[\s_\-#%]+")


def find_name(names: Sequence[str], header: Sequence[str], taken: Collection[int] = ()) -> int | None:
    """Index of the column of the first of `names` that is in a header; None for none, without those `taken`."""
    keys = [None if index in taken else header_key(cell) for index, cell in enumerate(header)]
    return next((keys.index(key) for name in names if (key := header_key(name)) in keys), None)


def is_beir_header(header: Sequence[str]) -> bool:
    """Whether a header is `BEIR_HEADER`."""
    return tuple(map(header_key, header)) == tuple(map(header_key, BEIR_HEADER))


def is_table(head: FileHead) -> bool:
    """Whether all lines have the same number of cells, at least two, separated by commas, semicolons or tabs."""
    return bool(head_rows(head))


def head_rows(head: FileHead) -> list[list[str]]:
    """Cells of the first lines; empty if they are not a table."""
    separator = separator_of(head.lines[0]) if head.lines else None
    if separator is None:
        return []
    try:
        rows = [[cell.strip() for cell in row] for row in csv.reader(head.lines, delimiter=separator)]
    except csv.Error:
        return []
    widths = {len(row) for row in rows}
    return rows if len(widths) == 1 and widths.pop() > 1 else []


_DECIMAL_COMMA_AFTER_BLANK = re.compile(r"[^,]*\s[-+]?[0-9]+,[0-9]+(\s[^,]*)?")

MIN_CELLS = 3
"""Cells of a row that are separated by blanks or colons."""


def separator_of_rows(lines: Sequence[str]) -> str | None:
    """Separator of the cells of all lines: a comma, semicolon or tab, else a blank or a colon; None for none.

    Blanks and colons separate cells only if all lines have as many, three at least.
    """
    separator = separator_of(lines[0]) if lines else None
    if separator not in (None, ",") or (separator and not all(map(_DECIMAL_COMMA_AFTER_BLANK.fullmatch, lines[1:]))):
        return separator
    for other in (" ", ":"):
        widths = {len(split_row(line, other)) for line in lines}
        if len(widths) == 1 and widths.pop() >= MIN_CELLS:
            return other
    return separator


def split_row(line: str, separator: str) -> list[str]:
    """Cells of a row, stripped; cells in quotation marks may contain the separator, other than a blank."""
    if separator == " ":
        return line.split()
    if '"' in line:
        with suppress(csv.Error):
            return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
    return [cell.strip() for cell in line.split(separator)]


def separator_of(line: str) -> str | None:
    """Separator of a line: the most frequent of comma, semicolon and tab, or None."""
    separator = max(",;\t", key=line.count)
    return separator if separator in line else None


def read_table(path: Path) -> TextTable:
    """All rows of a table.

    Raises
    ------
    FormatError
        When it is not text, has no rows, or has an unterminated quotation.
    """
    return split_table(path, read_list_text(path))


def split_table(path: Path, text: str, width: int = 0) -> TextTable:
    """All rows of a text; FormatError as for `read_table`.

    Parameters
    ----------
    width : number of columns, by which the separator is chosen; 0 if unknown.
    """
    head = list(islice((line for line in text.split("\n") if line.strip()), HEAD_LINES))
    separator = separator_of_rows(head)
    if width > 1:
        fit = (mark for mark in "\t;,| :" if all(len(split_row(line, mark)) >= width for line in head))
        separator = next(fit, separator)
    if separator is None:
        raise FormatError(path, "is not a table: it contains no comma, semicolon or tab", 1)
    if text.count(separator) > MAX_ENTRIES:
        raise limit_error(MAX_ENTRIES, "cells", path)
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    if separator == " ":
        numbered = [(tuple(line.split()), number) for number, line in enumerate(text.split("\n"), 1) if has_rows(line)]
        if not numbered:
            raise FormatError(path, NO_ROWS)
        return TextTable(path, *zip(*numbered, strict=True))
    reader = csv.reader(text.split("\n"), delimiter=separator, skipinitialspace=True, strict=False)
    before = 0
    try:
        for row in reader:
            if reader.line_num > before + 1 and text.count('"') % 2:
                raise FormatError(path, "a quotation mark in this line is not closed", before + 1)
            before = reader.line_num
            if any(map(has_rows, row)):
                rows.append(tuple(cell.strip() for cell in row))
                lines.append(reader.line_num)
    except csv.Error as error:
        raise FormatError(path, f"is not a table: {error}", reader.line_num) from error
    if not rows:
        raise FormatError(path, NO_ROWS)
    return TextTable(path, tuple(rows), tuple(lines))


def read_participants(table: TextTable) -> dict[str, str]:
    """Participant of each run by its name; empty if the table has no columns for both."""
    run, participant = table.find(RUN_COLUMNS), table.find(PARTICIPANT_COLUMNS)
    if run is None or participant is None or run == participant:
        return {}
    names = table.column(run, header=True)
    participants = table.column(participant, header=True)
    return {name: team for name, team in zip(names, participants, strict=True) if name and team}


def read_query_classes(table: TextTable, queries: set[str], classes: set[str]) -> dict[str, str]:
    """Class of each query by its id, from a table with a column of query ids and one of class names.

    Empty unless exactly one column contains each query once, and exactly one contains class names only.
    """
    columns = [table.column(index, header=True) for index in range(table.width)]
    keys = [cells for cells in columns if queries <= set(cells) and len(set(cells)) == len(cells)]
    values = [cells for cells in columns if cells and set(cells) <= classes]
    return dict(zip(keys[0], values[0], strict=True)) if len(keys) == 1 and len(values) == 1 and queries else {}


MAX_TOKEN_BYTES = 64
"""Bytes of tokens that are copied into one array; ids are shorter. Others are separate objects."""


@dataclass(frozen=True, eq=False)
class TokenColumns:
    """Byte offsets of the tokens of a text in which every line has the same number of tokens.

    Attributes
    ----------
    data : (bytes,) uint8, the text.
    starts, ends : (n, width) intp, offsets of each token.
    lines : (n,) int32, 1-based line numbers.
    n_lines : lines of the text, including blank ones.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    lines: NDArray[np.int32]
    n_lines: int

    def tokens(self, column: int) -> NDArray[Any]:
        """Tokens of a column, (n,) bytes; objects for more than `MAX_TOKEN_BYTES`."""
        starts, ends = self.starts[:, column], self.ends[:, column]
        lengths = ends - starts
        if int(lengths.max()) > MAX_TOKEN_BYTES:
            pairs = zip(starts.tolist(), ends.tolist(), strict=True)
            return np.array([bytes(self.data[start:end]) for start, end in pairs], object)
        offsets = starts[:, np.newaxis] + np.arange(lengths.max())
        codes = np.where(offsets < ends[:, np.newaxis], self.data.take(offsets, mode="clip"), np.uint8(0))
        return codes.view(f"S{codes.shape[1]}")[:, 0]

    def integers(self, column: int) -> NDArray[np.uint64] | None:
        """Numbers of digits alone of a column, (n,) uint64; None for others, also for numbers with a sign."""
        tokens = self.tokens(column)
        return tokens.astype(np.uint64) if tokens.dtype != object and np.all(np.strings.isdigit(tokens)) else None

    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """Numbers of a column, (n,) float64; None if a token is not a number."""
        tokens = self.tokens(column)
        if tokens.dtype == object or np.any(tokens.view(np.uint8) == ord("_")):  # numpy accepts 1_000
            return None
        try:
            return tokens.astype(np.float64)
        except ValueError:
            return None


def token_columns(text: bytes, width: int) -> TokenColumns | None:
    """Tokens of an ASCII text whose lines have `width` tokens or none; None for other texts.

    Any white space is accepted; comments, control characters and lines of another width need a slower reader.
    A million lines of a TREC run take 0.5 s by offsets, 1 s by `str.split`, 3 s line by line (numpy 2.4, one core): a
    run of SHREC'17 has ten million lines.
    """
    if b"#" in text or not text.isascii():
        return None
    data = np.frombuffer(text + b"\n", np.uint8)
    blank = data <= ord(" ")
    breaks, returns = data == ord("\n"), data == ord("\r")
    if np.count_nonzero(data < ord(" ")) != sum(map(np.count_nonzero, (breaks, returns, data == ord("\t")))):
        return None
    if np.any(returns[:-1] & ~breaks[1:]):  # a CR that ends a line without LF
        return None
    edges = np.flatnonzero(blank[1:] != blank[:-1]) + 1
    if not blank[0]:
        edges = np.concatenate([np.zeros(1, edges.dtype), edges])
    if not len(edges) or len(edges) % (2 * width):
        return None
    tokens = edges.reshape(-1, width, 2)
    starts, ends = tokens[:, :, 0], tokens[:, :, 1]
    line_ends = np.flatnonzero(breaks)
    first, last = np.searchsorted(line_ends, starts[:, 0]), np.searchsorted(line_ends, ends[:, -1])
    if np.any(first != last) or np.any(first[1:] == first[:-1]):
        return None
    return TokenColumns(data, starts, ends, (first + 1).astype(np.int32), len(line_ends) - text.endswith(b"\n"))


class TokenCodes(dict[bytes, int]):
    """Integer codes of tokens in the order of their first occurrence."""

    def __missing__(self, token: bytes) -> int:
        """The code of a new token, which is added."""
        self[token] = code = len(self)
        return code

    def names(self) -> tuple[str, ...]:
        """Tokens in the order of their numbers."""
        return tuple(token.decode() for token in self)

    def encode(self, tokens: Sequence[bytes]) -> NDArray[np.int32]:
        """Number of each token, (n,) int32; new tokens are added."""
        return np.fromiter(map(self.__getitem__, tokens), np.int32, len(tokens))

    def encode_column(self, columns: TokenColumns, column: int) -> NDArray[np.int32]:
        """Number of each token of a column, (n,) int32; new tokens are added. Equal neighbours are looked up once."""
        tokens = columns.tokens(column)
        first = np.flatnonzero(np.append(True, tokens[1:] != tokens[:-1]))
        return np.repeat(self.encode(tokens[first].tolist()), np.diff(first, append=len(tokens)))
