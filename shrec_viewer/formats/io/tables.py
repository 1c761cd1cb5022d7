"""Split text into tables: comma-, semicolon- or tab-separated rows, and columns of large files with numpy."""

import csv
import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.read_choices import split_roles
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
    *("anfrage", "anfrage id", "requete", "consulta", "interrogazione"),
)
MODEL_NAMES = (
    *("model id", "model", "model name", "obj id", "object id", "object", "target id", "target", "target name"),
    *("corpus id", "doc id", "document id", "docno", "pid", "passage id", "item id", "shape id"),
    *("modell", "modell id", "objekt", "modele", "objet", "modelo", "objeto", "modello", "oggetto"),
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
DISTANCE_NAMES = (
    *("distance", "distances", "dist", "dissimilarity", "d", "distanz", "abstand", "distancia", "distanza"),
)
SIMILARITY_NAMES = (
    *("similarity", "similarities", "sim", "score", "scores", "cosine", "cosine similarity", "cos", "cos sim"),
    *("inner product", "ähnlichkeit", "similarite", "similitud", "similarita"),
)
RANK_NAMES = ("rank", "ranking", "position", "rang", "rango")
#: Headers of columns, and keys of JSON, by role, most specific first; compared by `header_key`.
#:
#: `RESULT_NAMES` are models in ranked lists only: a table of queries and images can hold the pictures of the queries.
LEVEL_NAMES = (
    *("relevance", "level", "rel", "gain", "relevant", "is relevant", "relevance level", "relevancy", "grade"),
    *("judgment", "judgement", "relevanz", "pertinence", "relevancia", "rilevanza"),
)
#: Lists of relevant models, and objects of all levels, in truth.
RELEVANT_NAMES = (
    *("relevant", "relevant ids", "relevant models", "positives", "positive", "positive ids", "answers", "truth"),
    *("ground truth", "gt", "qrels", "judgments", "judgements", "assessments"),
)

#: Header of the relevance assessments of BEIR, whose scores are levels, not those of ranked lists.
BEIR_HEADER = ("query-id", "corpus-id", "score")


def header_key(name: str) -> str:
    """A header without case, accents, blanks, hyphens and underscores: ``"queryid"`` for `Query-ID`.

    Marks of comments are left out as well.

    Examples
    --------
    >>> header_key("# query_id"), header_key("Requête")
    ('queryid', 'requete')
    """
    key = _NOT_IN_KEYS.sub("", name).casefold()
    return key if key.isascii() else "".join(filter(str.isalnum, normalize("NFKD", key)))


def column_name(cell: str) -> str:
    """A header in lower case, with blanks in place of underscores."""
    return cell.casefold().replace("_", " ").strip()


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
    rows = [] if separator is None else [split_row(line, separator) for line in head.lines]
    return rows if len({len(row) for row in rows}) == 1 < len(rows[0]) else []


_DECIMAL_COMMA_AFTER_BLANK = re.compile(r"[^,]*\s[-+]?[0-9]+,[0-9]+(\s[^,]*)?")

#: Cells of a row that are separated by blanks or colons.
MIN_CELLS = 3


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


def read_table(path: Path, columns: str = "", *, has_blanks: bool = False) -> TextTable:
    """All rows of a table.

    Parameters
    ----------
    columns : roles of the columns, by whose number the separator is chosen; "" if they are not set.
    has_blanks : see `split_table`.

    Raises
    ------
    FormatError
        When it is not text, has no rows, another number of columns, or an unterminated quotation.
    """
    table = split_table(path, read_list_text(path), len(split_roles(columns)), has_blanks=has_blanks)
    if columns:
        require_columns(table, split_roles(columns), is_exact=True)
    return table


def split_table(path: Path, text: str, width: int = 0, *, has_blanks: bool = False) -> TextTable:
    """All rows of a text; FormatError as for `read_table`.

    Parameters
    ----------
    width : number of columns, by which the separator is chosen; 0 if unknown.
    has_blanks : whether blanks separate the cells if nothing else does.
    """
    head = list(islice((line for line in text.split("\n") if line.strip()), HEAD_LINES))
    separator = separator_of_rows(head)
    if width > 1:
        fewest = {mark: min(len(split_row(line, mark)) for line in head) for mark in "\t;,| :"} if head else {}
        if separator is None:  # which may give fewer cells than there are roles
            separator = max((mark for mark, cells in fewest.items() if cells > 1), key=fewest.__getitem__, default=None)
        fit = [mark for mark, cells in fewest.items() if cells >= width]
        separator = next((mark for mark in fit if fewest[mark] == width), next(iter(fit), separator))
    if separator is None and not head:
        raise FormatError(path, NO_ROWS)
    separator = separator or (" " if has_blanks else None)
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


def require_columns(table: TextTable, roles: Sequence[str], *, is_exact: bool = False) -> None:
    """Raise FormatError if each row has more cells than there are roles: a missing one would shift those after it.

    `is_exact`: also if the first row has fewer.
    """
    if is_exact and table.width < len(roles):
        message = f"has {table.width:,} column{'s' * (table.width != 1)}, fewer than the {len(roles)} of "
        raise FormatError(table.path, f"{message}'{','.join(roles)}'", table.lines[0])
    if (fewest := min(map(len, table.rows))) > len(roles):
        message = f"has {fewest} columns, more than the {len(roles)} of '{','.join(roles)}'"
        raise FormatError(table.path, f"{message}; a column that is not read is '-'", table.lines[0])


def index_of_role(columns: str, role: str) -> int | None:
    """Index of the column of a role; None for none."""
    roles = split_roles(columns)
    return roles.index(role) if role in roles else None


def read_participants(table: TextTable) -> dict[str, str]:
    """Participant of each run by its name; empty if the table has no columns for both."""
    run, participant = table.find(RUN_COLUMNS), table.find(PARTICIPANT_COLUMNS)
    if run is None or participant is None or run == participant:
        return {}
    names = table.column(run, header=True)
    participants = table.column(participant, header=True)
    return {name: team for name, team in zip(names, participants, strict=True) if name and team}


#: Bytes that are compared at a time: those of a uint64.
WORD_BYTES = 8

#: Masks of the first 0 to 8 bytes of a little-endian uint64.
_BYTE_MASKS = np.array([*((1 << (8 * count)) - 1 for count in range(WORD_BYTES)), 2**64 - 1], np.uint64)

#: A number of at most this many digits, and the power of ten of its decimals, are exact in float64, so that their
#: quotient is rounded only once.
MAX_EXACT_DIGITS = 15

#: Bytes of such a number with sign and decimal point.
MAX_NUMBER_BYTES = MAX_EXACT_DIGITS + 2

_POWERS_OF_TEN = 10.0 ** np.arange(MAX_EXACT_DIGITS + 1)


@dataclass(frozen=True, eq=False)
class TokenColumns:
    """Byte offsets of the tokens of a text in which every line has the same number of tokens.

    Attributes
    ----------
    data : (bytes + `WORD_BYTES`,) uint8, the text and zeros.
    starts, ends : (n, width) intp, offsets of each token.
    lines : (n,) int32, 1-based line numbers.
    n_lines : lines of the text, including blank ones.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.intp]
    ends: NDArray[np.intp]
    lines: NDArray[np.int32]
    n_lines: int

    def tokens(self, column: int) -> list[bytes]:
        """Tokens of a column, one `bytes` object each."""
        text = self.data.data
        offsets = zip(self.starts[:, column].tolist(), self.ends[:, column].tolist(), strict=True)
        return [bytes(text[start:end]) for start, end in offsets]

    def integers(self, column: int) -> NDArray[np.uint64] | None:
        """Numbers of at most 8 digits of a column, (n,) uint64; None for others, also for numbers with a sign."""
        starts, counts = self.starts[:, column], self.ends[:, column] - self.starts[:, column]
        return None if int(counts.max()) > WORD_BYTES else _parse_digits(_words_at_offsets(self.data)[starts], counts)

    def numbers(self, column: int) -> NDArray[np.float64] | None:
        """Numbers of a column, (n,) float64; None if a token is not a number.

        Plain decimals are parsed by `decimals`, which saves 0.3 s per million numbers against `np.fromstring`.
        """
        plain = self.decimals(column)
        if plain is not None:
            return plain
        tokens = self.tokens(column)
        if any(b"_" in token for token in tokens):  # float() accepts 1_000
            return None
        try:
            return np.fromiter(map(float, tokens), np.float64, len(tokens))
        except ValueError:
            return None

    def decimals(self, column: int) -> NDArray[np.float64] | None:
        """Numbers such as ``-1.25`` or ``7`` of a column, (n,) float64, correctly rounded; None for other notations.

        Numbers with different numbers of decimals are parsed in parallel: the first character of all tokens, then the
        second, and so on.
        """
        fixed = self._fixed_decimals(column)
        return self._mixed_decimals(column) if fixed is None else fixed

    def _fixed_decimals(self, column: int) -> NDArray[np.float64] | None:
        """`decimals` of at most 8 digits before and after the point, all with as many decimals; None for others.

        Parses 8 digits at a time, in a third of the time of `_mixed_decimals`.
        """
        starts, ends = self.starts[:, column], self.ends[:, column]
        first_point = bytes(self.data[starts[0] : ends[0]]).rfind(b".")
        n_decimals = int(ends[0] - starts[0]) - first_point - 1 if first_point >= 0 else 0
        point_bytes = n_decimals + 1 if first_point >= 0 else 0
        first = self.data[starts]
        signed = (first == ord("-")) | (first == ord("+"))
        n_whole = ends - starts - signed - point_bytes
        most = int(n_whole.max())
        if int(n_whole.min()) < 1 or max(most, n_decimals) > WORD_BYTES or most + n_decimals > MAX_EXACT_DIGITS:
            return None
        words = _words_at_offsets(self.data)
        mantissa = _parse_digits(words[starts + signed], n_whole)
        if mantissa is None:
            return None
        if point_bytes:
            if n_decimals == 0 or np.any(self.data[ends - point_bytes] != ord(".")):
                return None
            decimals = _parse_digits(words[ends - n_decimals], n_decimals)
            if decimals is None:
                return None
            mantissa = mantissa * np.uint64(10**n_decimals) + decimals
        values = mantissa.astype(np.float64) / _POWERS_OF_TEN[n_decimals]
        return np.where(first == ord("-"), -values, values)

    def _mixed_decimals(self, column: int) -> NDArray[np.float64] | None:
        starts, lengths = self.starts[:, column], self.ends[:, column] - self.starts[:, column]
        if int(lengths.max()) > MAX_NUMBER_BYTES:
            return None
        mantissa = np.zeros(len(starts))
        digits, n_decimals, points = (np.zeros(len(starts), np.int8) for _ in range(3))
        first = self.data[starts]
        signed = (first == ord("-")) | (first == ord("+"))
        for index in range(int(lengths.max())):
            code = self.data[np.minimum(starts + index, len(self.data) - 1)]
            inside = index < lengths
            digit = code - np.uint8(ord("0"))
            is_digit, is_point = inside & (digit <= 9), inside & (code == ord("."))
            others = inside & ~is_digit & ~is_point
            if np.any(others & ~signed if index == 0 else others):
                return None
            mantissa = np.where(is_digit, mantissa * 10.0 + digit, mantissa)
            digits += is_digit
            n_decimals += is_digit & (points > 0)
            points += is_point
        if np.any((digits == 0) | (digits > MAX_EXACT_DIGITS) | (points > 1)):
            return None
        values = mantissa / _POWERS_OF_TEN[n_decimals]
        return np.where(first == ord("-"), -values, values)


def _words_at_offsets(data: NDArray[np.uint8]) -> NDArray[Any]:
    """The 8 bytes at each offset as uint64, a view."""
    return np.ndarray((len(data) - WORD_BYTES + 1,), "<u8", data, strides=(1,))


def _parse_digits(words: NDArray[np.uint64], counts: NDArray[np.intp] | int) -> NDArray[np.uint64] | None:
    """Numbers of the first digits of 8 bytes, (n,) uint64; None if there is another character.

    Adjacent digits are combined to numbers of two digits, then of four and of eight, all in one multiplication each
    (Lemire, "Quickly parsing eight digits", 2018).

    Parameters
    ----------
    words : (n,) uint64, little-endian: the first character is the lowest byte.
    counts : number of digits, 1 to 8; (n,), or one for all.

    Examples
    --------
    >>> _parse_digits(np.frombuffer(b"1234.678", np.uint64), 4)
    array([1234], dtype=uint64)
    """
    unused = np.uint64(8) * np.asarray(WORD_BYTES - counts).astype(np.uint64)
    digits = (words ^ np.uint64(0x3030303030303030)) << unused  # characters behind are shifted out, zeros are inserted
    above_9 = (digits + np.uint64(0x7676767676767676)) | digits
    if np.any(above_9 & np.uint64(0x8080808080808080)):
        return None
    pairs = (digits * np.uint64(10 * 2**8 + 1)) >> np.uint64(8)
    fours = ((pairs & np.uint64(0x00FF00FF00FF00FF)) * np.uint64(100 * 2**16 + 1)) >> np.uint64(16)
    return ((fours & np.uint64(0x0000FFFF0000FFFF)) * np.uint64(10**4 * 2**32 + 1)) >> np.uint64(32)


def token_columns(text: bytes, width: int) -> TokenColumns | None:
    """Tokens of an ASCII text whose lines have `width` tokens or none; None for other texts.

    Any white space is accepted; comments, control characters and lines of another width need a slower reader.
    A million lines of a TREC run take 0.5 s by offsets, 2 s by `str.split` and a dict, 3 s line by line
    (numpy 2.4, one core): a run of SHREC'17 has ten million lines.
    """
    if b"#" in text or not text.isascii():
        return None
    data = np.frombuffer(text + b"\n" + bytes(WORD_BYTES), np.uint8)
    plain = _single_space_columns(data, len(text) - text.endswith(b"\n"), width)
    if plain is not None:
        return plain
    body = data[:-WORD_BYTES]
    blank = body <= ord(" ")
    breaks, returns = body == ord("\n"), body == ord("\r")
    if np.count_nonzero(body < ord(" ")) != sum(map(np.count_nonzero, (breaks, returns, body == ord("\t")))):
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


def _single_space_columns(data: NDArray[np.uint8], size: int, width: int) -> TokenColumns | None:
    """Tokens of a text with one blank between tokens and one line feed between lines, as programs write them."""
    is_blank = data[: size + 1] <= ord(" ")
    if is_blank[0] or np.any(is_blank[1:] & is_blank[:-1]):
        return None
    blanks = np.flatnonzero(is_blank)
    n_lines, rest = divmod(len(blanks), width)
    if rest:
        return None
    kinds = data[blanks]
    is_line_end = kinds == ord("\n")
    n_separators = np.count_nonzero(kinds == ord(" ")) + np.count_nonzero(kinds == ord("\t"))
    if not np.all(is_line_end[width - 1 :: width]) or n_separators != len(blanks) - n_lines:
        return None
    starts = np.empty_like(blanks)  # not np.concatenate: each new array of a megabyte takes 0.5 ms of page faults
    starts[0] = 0
    np.add(blanks[:-1], 1, out=starts[1:])
    lines = np.arange(1, n_lines + 1, dtype=np.int32)
    return TokenColumns(data, starts.reshape(-1, width), blanks.reshape(-1, width), lines, n_lines)


#: Bytes of a token in the hash table; ids are shorter. Longer ones are looked up in the dict.
MAX_TOKEN_BYTES = 64

MIN_SLOTS = 2**16
#: Slots of the hash table for each token: at most 3 % collide and are looked up in the dict.
SLOTS_PER_TOKEN = 32

#: Odd numbers with well-mixed bits, one for each 8 bytes of a token.
_HASH_FACTORS = np.array(
    [0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5,
     0xD6E8FEB86659FD93, 0xA0761D6478BD642F, 0xE7037ED1A0B428DB, 0x8EBC6AF09C88C6E3],
    np.uint64,
)  # fmt: skip


@dataclass(eq=False)
class TokenCodes:
    """Assigns integer codes to tokens in the order of their first occurrence.

    A vectorised hash table in front of a dict saves 0.2 s per million lines of a TREC run. A slot may hold another
    token with the same hash, so the bytes are compared.

    Attributes
    ----------
    codes : code of each token.
    longest : bytes of the longest token.
    """

    codes: dict[bytes, int] = field(default_factory=dict)
    longest: int = 0
    _slots: NDArray[np.int32] = field(default_factory=lambda: np.full(MIN_SLOTS, -1, np.int32))
    _words: NDArray[np.uint64] = field(default_factory=lambda: np.zeros((64, len(_HASH_FACTORS)), np.uint64))

    def __len__(self) -> int:
        """Number of different tokens."""
        return len(self.codes)

    def names(self) -> tuple[str, ...]:
        """Tokens in the order of their numbers."""
        return tuple(token.decode() for token in self.codes)

    def encode(self, tokens: Sequence[bytes]) -> NDArray[np.int32]:
        """Number of each token, (n,) int32; new tokens are added."""
        n_known = len(self.codes)
        found = np.array([self.codes.setdefault(token, len(self.codes)) for token in tokens], np.int32)
        if n_new := len(self.codes) - n_known:
            while len(self.codes) > len(self._words):
                self._words = np.concatenate([self._words, np.zeros_like(self._words)])
            new = list(islice(reversed(self.codes), n_new))[::-1]
            self.longest = max(self.longest, *map(len, new))
            short = (token if len(token) <= MAX_TOKEN_BYTES else b"" for token in new)
            padded = b"".join(token.ljust(MAX_TOKEN_BYTES, b"\0") for token in short)
            self._words[n_known : len(self.codes)] = np.frombuffer(padded, "<u8").reshape(n_new, -1)
        return found

    def encode_column(self, columns: TokenColumns, column: int) -> NDArray[np.int32]:
        """Number of each token of a column, (n,) int32; new tokens are added. Equal neighbours are looked up once."""
        starts, ends = columns.starts[:, column], columns.ends[:, column]
        lengths = ends - starts
        if int(lengths.max()) > MAX_TOKEN_BYTES:
            return self.encode(columns.tokens(column))
        words = _pack_tokens(columns.data, starts, lengths)
        is_first = np.ones(len(starts), np.bool_)
        is_first[1:] = words[0][1:] != words[0][:-1]
        for word in words[1:]:
            is_first[1:] |= word[1:] != word[:-1]
        first = np.flatnonzero(is_first)
        if len(first) < len(starts):
            words = [word[first] for word in words]
        hashes = words[0] * _HASH_FACTORS[0]
        for word, factor in zip(words[1:], _HASH_FACTORS[1:], strict=False):
            hashes ^= word * factor
        # Without the second product, the ids of N0001 to N1814 share ten times as many slots.
        hashes = (hashes ^ (hashes >> np.uint64(32))) * _HASH_FACTORS[1]
        if SLOTS_PER_TOKEN * len(self.codes) > len(self._slots):
            self._slots = np.full(4 * len(self._slots), -1, np.int32)  # refilled by later look-ups
        table = self._slots
        slots = hashes >> np.uint64(64 - len(table).bit_length() + 1)
        found, missing = self._look_up(table[slots], words)
        for is_last in (False, True):
            if not len(missing):
                break
            # First each distinct token once: a file begins with many new ones. Then those whose slots are taken.
            rows = missing if is_last else missing[np.sort(np.unique(hashes[missing], return_index=True)[1])]
            text = columns.data.data
            offsets = zip(starts[first[rows]].tolist(), ends[first[rows]].tolist(), strict=True)
            found[rows] = self.encode([bytes(text[start:end]) for start, end in offsets])
            table[slots[rows]] = found[rows]
            if not is_last:
                found, missing = self._look_up(table[slots], words)
        return found if len(first) == len(starts) else np.repeat(found, np.diff(first, append=len(starts)))

    def _look_up(
        self, found: NDArray[np.int32], words: list[NDArray[np.uint64]]
    ) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
        """Codes as found in slots, (n,) int32, and the indices of those that are not the codes of the `words`."""
        is_same = found >= 0
        n_words = max(len(words), -(-min(self.longest, MAX_TOKEN_BYTES) // WORD_BYTES))
        for index in range(n_words):
            is_same &= self._words[found, index] == (words[index] if index < len(words) else 0)
        return found, np.flatnonzero(~is_same)


def _pack_tokens(
    data: NDArray[np.uint8], starts: NDArray[np.intp], lengths: NDArray[np.intp]
) -> list[NDArray[np.uint64]]:
    """Bytes 0 to 7, 8 to 15, ... of each token as (n,) uint64, zeros after its end."""
    words_at_offsets = _words_at_offsets(data)
    found = []
    for offset in range(0, int(lengths.max()), WORD_BYTES):
        n_bytes = np.clip(lengths - offset, 0, WORD_BYTES)
        found.append(words_at_offsets[np.minimum(starts + offset, len(words_at_offsets) - 1)] & _BYTE_MASKS[n_bytes])
    return found
