"""Rank lists, one file per query: lines ``id``, ``id distance`` or ``distance id``, best first."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count, pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.ids import without_extension
from shrec_viewer.formats.io.tables import require_columns, split_row, split_table
from shrec_viewer.formats.io.text import (
    FileHead,
    decode,
    has_rows,
    is_comment,
    is_number,
    read_list_bytes,
    read_list_text,
    with_point,
)
from shrec_viewer.formats.runs.trec import parse_numbers

#: Columns of a list, an id and a number, without extra columns such as a count or the query.
MAX_LIST_COLUMNS = 2

#: Maximum number of columns of a line, as in TREC runs: query, Q0, id, rank, score and tag.
MAX_LINE_COLUMNS = 6

#: Separators of columns besides spaces. The last two only before a number.
SEPARATORS = "\t;,|:"

#: Minimum share of valid lines for a file to be of this format.
VALID_LINE_SHARE = 0.75

#: Words of a header line.
HEADER_WORDS = {
    *("rank", "ranking", "position", "no", "nr", "query", "id", "ids", "name", "model", "models", "target", "item"),
    *("object", "shape", "file", "filename", "docid", "model_id", "modelid", "target_id", "targetid", "shape_id"),
    *("object_id", "distance", "dist", "dissimilarity", "similarity", "score", "scores", "value"),
}

#: Words before the query's name in a first line.
QUERY_WORDS = ("query:", "query", "query=")

LINE_COUNT_COLUMN = "a count in each line"
QUERY_COLUMN = "the query before each line"
CONSTANT_COLUMN = "the same word in each line"
SINGLE_LINE = "all ids in one line"
HEADER_LINE = "a header line"
QUOTED_CELLS = "quotation marks"
DECIMAL_COMMAS = "decimal commas"
CRLF = "CR LF line ends"

#: Action for notes about lines; the others are ignored.
NOTE_ACTIONS = {CRLF: "no effect", SINGLE_LINE: "read from left to right", DECIMAL_COMMAS: "read as decimal points"}

_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+(?:[eE][-+]?[0-9]+)?")
_COUNT = re.compile(r"([0-9]+)[.):]?")


#: Number of lines from which the separator of ids with spaces is detected.
SAMPLED_LINES = 50


@dataclass(frozen=True, eq=False)
class SplitLines:
    """Some lines as cells.

    Attributes
    ----------
    rows : cells of each line.
    header : the first line only names the columns.
    notes : extra columns that were removed, and unusual notations.
    commas : commas or semicolons separate the columns.
    """

    rows: list[list[str]]
    header: bool
    notes: tuple[str, ...]
    commas: bool


def is_list_number(word: str) -> bool:
    """Whether a word is a number, also with a decimal comma."""
    return is_number(word) or _DECIMAL_COMMA.fullmatch(word) is not None


def parse_list_numbers(words: Sequence[str]) -> tuple[NDArray[np.float64], str | None]:
    """Numbers of a column, (n,) float64, NaN for words that are not numbers, and their notation if it is unusual.

    Commas are decimal commas if all numbers that are not whole have one; a single comma is a fault of its line.
    """
    values = parse_numbers(list(words))
    malformed = [word for index in np.flatnonzero(np.isnan(values)).tolist() if not is_number(word := words[index])]
    if not malformed:
        return values, None
    if all(map(_DECIMAL_COMMA.fullmatch, malformed)) and not any("." in word for word in words):
        return parse_numbers(list(map(with_point, words))), DECIMAL_COMMAS
    return values, None


def split_lines(
    lines: Sequence[str], stem: str = "", known: Callable[[Sequence[str]], float] | None = None
) -> SplitLines:
    """Split lines into cells.

    Parameters
    ----------
    lines : without blank lines and comments; the first may hold only the name of the query.
    stem : name of the file, which is that of the query.
    known : share of words that are known ids, for ids with spaces: lines are then split so that the share is largest.
    """
    found = _split_by(lines, separator_of_list(lines), stem)
    if known is None or not lines:
        return found
    others = [[line.strip()] for line in lines], _split_at_blank(lines, str.rsplit), _split_at_blank(lines, str.split)
    ways = [
        *(_strip_extra_columns(list(rows), stem, commas=False) for rows in others),
        found,
        _split_by(lines, ",", stem),
    ]
    return max(ways, key=lambda way: _known_id_share(way, known))  # the first of equal ones


def separator_of_list(lines: Sequence[str]) -> str | None:
    """Separator of the columns: ",;" for either, one of SEPARATORS, or None for white space."""
    body = lines[1:] or lines
    if not body:
        return None
    if all(
        len(parts) == MAX_LIST_COLUMNS and max(len(part.split()) for part in parts) < 2
        for parts in map(_split_at_commas, body)
    ):
        return ",;"
    for separator in SEPARATORS:
        if separator not in body[0]:
            continue
        counts = Counter(line.strip().rstrip(separator).count(separator) for line in body)
        count, n_same = counts.most_common(1)[0]
        if separator == "," and any(map(_has_decimal_comma, body)):
            continue
        if separator in "|:" and not all(is_list_number(line.rsplit(separator, 1)[-1].strip()) for line in body):
            continue
        if (0 < count < MAX_LINE_COLUMNS or len(body) == 1) and n_same >= VALID_LINE_SHARE * len(body):
            return separator
    return None


def _split_at_commas(line: str) -> list[str]:
    return [part.strip() for part in re.split("[,;]", line)] if line.strip() else []


def _has_decimal_comma(line: str) -> bool:
    """Whether a line is a few words with a decimal comma in one of them."""
    words = line.split()
    return 1 < len(words) <= MAX_LIST_COLUMNS + 1 and any(map(_DECIMAL_COMMA.fullmatch, words))


def _split_by(lines: Sequence[str], separator: str | None, stem: str) -> SplitLines:
    quoted = sum('"' in line for line in lines) > VALID_LINE_SHARE * max(0, len(lines) - 1)
    if separator is None:
        rows = [line.split() for line in lines]
    elif separator == ",;" and not quoted:
        rows = [_split_at_commas(line) for line in lines]
    else:
        mark = max(separator, key=lambda mark: sum(mark in line for line in lines))
        lines = [line.strip().rstrip(mark) for line in lines]
        rows = [[cell.strip() for cell in (split_row(line, mark) if quoted else line.split(mark))] for line in lines]
    if quoted:
        rows = [[cell.strip('"') for cell in row] or [""] for row in rows]
    found = _strip_extra_columns(rows, stem, commas=separator is not None and separator != "\t")
    return found if not quoted else SplitLines(found.rows, found.header, (*found.notes, QUOTED_CELLS), found.commas)


def _strip_extra_columns(rows: list[list[str]], stem: str, *, commas: bool) -> SplitLines:
    """Rows without header and extra columns."""
    notes = []
    if len(rows) > 1 and is_query_line(rows[0]):
        rows = [rows[0][1:], *rows[1:]]
    header = len(rows) > 1 and is_header(rows[0])
    if header:
        notes.append(HEADER_LINE)
    body = rows[header:]
    width = Counter(map(len, body)).most_common(1)[0][0] if body else 0
    if MAX_LIST_COLUMNS < width <= MAX_LINE_COLUMNS and sum(
        len(row) == width for row in body
    ) >= VALID_LINE_SHARE * len(body):
        while width > MAX_LIST_COLUMNS and (
            found := _find_extra_column([row for row in rows[header:] if len(row) == width], stem)
        ):
            drop, note = found
            rows = [row[:drop] + row[drop + 1 :] if len(row) == width else row for row in rows]
            notes += [note] if note not in notes else []
            width -= 1
    return SplitLines(rows, header, tuple(notes), commas)


def is_header(row: Sequence[str]) -> bool:
    """Whether a row is a header."""
    return len(row) > 1 and all(cell.casefold().replace(" ", "_") in HEADER_WORDS for cell in row)


def is_query_line(row: Sequence[str]) -> bool:
    """Whether a row is ``query`` and the name of one."""
    return len(row) == MAX_LIST_COLUMNS and row[0].casefold() in QUERY_WORDS


def _find_extra_column(rows: Sequence[Sequence[str]], stem: str) -> tuple[int, str] | None:
    """A column that holds neither ids nor distances, and its content: the query, a count, or a constant word."""
    columns = list(zip(*rows, strict=True))
    if not any(all(map(is_list_number, column)) for column in columns):
        return None  # prose
    same = [index for index, column in enumerate(columns) if len(set(column)) == 1]
    for index in same:
        if columns[index][0] == stem:
            return index, QUERY_COLUMN
    for index, column in enumerate(columns):
        if len(rows) > 1 and _is_line_count(column):
            return index, LINE_COUNT_COLUMN
    for index in same:
        if len(rows) > 1:
            return index, QUERY_COLUMN if index == 0 else CONSTANT_COLUMN
    return None


def _is_line_count(column: Sequence[str]) -> bool:
    """Whether the cells are 1, 2, 3 ..., or start with 0."""
    found = [_COUNT.fullmatch(cell) for cell in column]
    if not all(found):
        return False
    values = [int(match[1]) for match in found if match is not None]
    return values[0] in (0, 1) and all(after == before + 1 for before, after in pairwise(values))


def _split_at_blank(lines: Sequence[str], split: Callable[..., list[str]]) -> list[list[str]]:
    return [[cell.strip() for cell in split(line.strip(), None, 1)] for line in lines]


def _known_id_share(found: SplitLines, known: Callable[[Sequence[str]], float]) -> float:
    rows = found.rows[found.header :][:SAMPLED_LINES]
    return max(known([row[index] for row in rows if len(row) > index]) for index in range(MAX_LIST_COLUMNS))


#: Share of words that are known ids, in [0, 1].
KnownShare = Callable[[Sequence[str]], float]

UNDECIDED_COLUMNS = "the columns are ambiguous, the usual order is assumed"


@dataclass(frozen=True, eq=False)
class RankListFile:
    """One rank list as written; which column contains the ids is decided by `find_id_column` for a whole run.

    Attributes
    ----------
    path : the file.
    first : the first line, if it has fewer columns than the others (the name of the query); else None.
    columns : one or two lists of n words: the columns of the other lines, in file order.
    lines : (n,) int32, 1-based line of each.
    blank, comments : blank lines, and comments.
    malformed : lines with more than two columns or fewer than the others, and ellipses.
    commas : the columns are separated by commas or semicolons.
    notes : extra columns and unusual notations, see `SplitLines`.
    lacks_line_end : no line end follows the last line.
    """

    path: Path
    first: str | None
    columns: tuple[Sequence[str], ...]
    lines: NDArray[np.int32]
    blank: tuple[int, ...] = ()
    comments: tuple[int, ...] = ()
    malformed: tuple[int, ...] = ()
    commas: bool = False
    notes: tuple[str, ...] = ()
    lacks_line_end: bool = False

    def __len__(self) -> int:
        return len(self.lines)

    def summary(self) -> str:
        """Number of lines, and their columns."""
        return f"list of {count_of(len(self), 'line')}: {'id and number' if len(self.columns) == 2 else 'id'}"

    @property
    def first_line(self) -> int:
        """1-based line of `first`."""
        skipped = {*self.blank, *self.comments}
        return next(line for line in count(1) if line not in skipped)


def is_rank_list(head: FileHead) -> bool:
    """Whether lines have one or two columns, and one of two contains only numbers."""
    if _is_uniform(head):
        return True
    found = split_lines(head.lines, head.path.stem)
    rows = [row for row in found.rows[found.header :] if not _is_ellipsis(row)]
    if not rows or sum(len(row) <= MAX_LIST_COLUMNS for row in rows) < VALID_LINE_SHARE * len(rows):
        return False
    if len(rows[0]) < len(rows[-1]):
        rows = rows[1:]
    pairs = [row for row in rows if len(row) == MAX_LIST_COLUMNS]
    if not pairs:
        # A backslash begins commands of LaTeX, whose comments are those of lists.
        return all(len(row) == 1 and not set(row[0]) & set(",;") and not row[0].startswith("\\") for row in rows)
    enough = VALID_LINE_SHARE * len(rows)
    return any(sum(is_list_number(row[column]) for row in pairs) >= enough for column in (0, 1))


def _is_uniform(head: FileHead) -> bool:
    """Fast check for the usual case: all lines are an id and a number, or a number and an id."""
    rows = head.rows
    if not rows or head.text is None or any(mark in head.text for mark in ',;|:"'):
        return False
    body = rows[1:] if len(rows[0]) == 1 else rows
    if not body or any(len(row) != MAX_LIST_COLUMNS for row in body) or is_header(rows[0]) or is_query_line(rows[0]):
        return False
    return all(is_number(row[1]) for row in body) or all(is_number(row[0]) for row in body)


def read_rank_list(path: Path, known: KnownShare | None = None) -> RankListFile:
    """Read one rank list.

    Blank lines and comments are ignored; line ends and white space are free. Malformed lines are listed in
    `RankListFile.malformed` and ignored.

    Parameters
    ----------
    path : the file.
    known : share of words that are known ids, for ids with spaces; None: ids have no spaces.

    Raises
    ------
    FormatError
        When the file is not text, or most of its lines are malformed (with the first such line).
    """
    data = read_list_bytes(path, keep_comments=True)
    plain = _read_uniform(path, data) if known is None and b"%" not in data else None
    found = plain or _read_general(path, decode(data).split("\n"), known)
    lacks_line_end = len(data) > 0 and not data.rstrip(b"\0").endswith((b"\n", b"\r"))
    notes = (CRLF, *found.notes) if b"\r" in data else found.notes
    return replace(found, lacks_line_end=lacks_line_end, notes=notes)


def read_list_of_roles(path: Path, roles: Sequence[str]) -> RankListFile:
    """Read one rank list by the roles of its columns, see COLUMN_ROLES; other lines are malformed.

    A word alone in the first line is the name of the query. A first line without a number, before one, is a header.

    Raises
    ------
    FormatError
        When it is no table, or no line has these columns.
    """
    table = split_table(path, read_list_text(path), len(roles))
    require_columns(table, roles)
    used = [roles.index(role) for role in ("model", "distance", "score") if role in roles][:MAX_LIST_COLUMNS]
    rows = dict(zip(table.lines, table.rows, strict=True))
    first = table.rows[0][0] if table.width == 1 else None
    if first is not None:
        del rows[table.lines[0]]
    found = {
        line: [row[column] for column in used]
        for line, row in rows.items()
        if len(row) > max(used) and all(map(is_list_number, [row[column] for column in used[1:]]))
    }
    if min(found, default=0) == min(rows) and found[min(rows)][0].casefold() in HEADER_WORDS:
        del found[min(rows)]
    if not found:
        raise FormatError(path, f"no line has the columns '{','.join(roles)}'", table.lines[0])
    malformed = tuple(line for line in rows if line not in found and (line > min(rows) or first is not None))
    lines = np.array([*found], np.int32)
    return RankListFile(path, first, tuple(zip(*found.values(), strict=True)), lines, malformed=malformed)


def _read_uniform(path: Path, data: bytes) -> RankListFile | None:
    """Lines of uniform width without empty cells, comments and other notations; None for other files.

    One `str.split` of the whole text is a fifth of the time of keeping the words of each line: folders have thousands
    of rank lists.
    """
    if any(mark in data for mark in (b"#", b",", b";", b"|", b":", b"..", b'"')):
        return None
    text = decode(data)
    text = text if text.endswith("\n") else f"{text}\n"
    words = text.split()
    codes = np.frombuffer(text.encode(), np.uint8)
    separators = codes[codes <= ord(" ")]
    if not words or len("".join(words)) + len(words) != len(text) or len(separators) != len(words):
        return None  # one character follows each word, and no wide one
    widths = np.diff(np.flatnonzero(separators == ord("\n")), prepend=-1).tolist()
    width, start = widths[-1], int(len(widths) > 1 and widths[0] == 1 < widths[1])
    if width > MAX_LIST_COLUMNS or len({*widths[start:]}) > 1:
        return None
    if is_header(words[start : start + width]) or is_query_line(words[start : start + width]):
        return None
    columns = tuple(words[start + column :: width] for column in range(width))
    lines = np.arange(start + 1, len(widths) + 1, dtype=np.int32)
    return RankListFile(path, words[0] if start else None, columns, lines)


def _read_general(path: Path, lines: list[str], known: KnownShare | None) -> RankListFile:
    if lines and not lines[-1]:
        lines = lines[:-1]
    comments = [i for i, line in enumerate(lines) if is_comment(line)]
    blank = [i for i, line in enumerate(lines) if not has_rows(line)]
    skipped = {*comments, *blank}
    content = [i for i in range(len(lines)) if i not in skipped]
    found = split_lines([lines[i] for i in content], without_extension(path.name), known)
    rows = dict(zip(content, found.rows, strict=True))
    content = content[found.header :]
    if (only := _single_line_list([rows[i] for i in content])) is not None:
        name, words = only
        at = np.full(len(words), content[-1] + 1, np.int32)
        notes = (*found.notes, SINGLE_LINE)
        return RankListFile(
            path, name, (words,), at, _line_numbers(blank), _line_numbers(comments), (), found.commas, notes
        )
    widths = Counter(len(rows[i]) for i in content if len(rows[i]) <= MAX_LIST_COLUMNS and not _is_ellipsis(rows[i]))
    # A list with one line after the query's name has as many lines of one column as of two.
    width = max(widths, key=lambda columns: (widths[columns], columns)) if widths else 1
    first = None
    if content and width == MAX_LIST_COLUMNS and len(rows[content[0]]) == 1:
        first = rows[content.pop(0)][0]
    valid = [i for i in content if len(rows[i]) == width and not _is_ellipsis(rows[i])]
    malformed = sorted({*content} - {*valid})
    if len(malformed) > len(valid):
        why = f"a line 'id', 'id distance' or 'distance id' is expected, found {_count_words(len(rows[malformed[0]]))}"
        raise FormatError(path, why, malformed[0] + 1)
    columns = tuple([rows[i][column] for i in valid] for column in range(width))
    line_numbers = _line_numbers(blank), _line_numbers(comments), _line_numbers(malformed)
    return RankListFile(path, first, columns, np.array(valid, np.int32) + 1, *line_numbers, found.commas, found.notes)


def _single_line_list(rows: Sequence[Sequence[str]]) -> tuple[str | None, Sequence[str]] | None:
    """Ids of a list in a single line, with the name of the query if it is in a line before; None for other lists."""
    if not rows or len(rows) > 2 or len(rows[-1]) <= MAX_LIST_COLUMNS or (len(rows) == 2 and len(rows[0]) != 1):
        return None
    words = rows[-1]
    return (rows[0][0] if len(rows) == 2 else None, words) if len(set(words)) == len(words) else None


def _line_numbers(indices: Sequence[int]) -> tuple[int, ...]:
    return tuple(index + 1 for index in indices)


def _count_words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"


def _is_ellipsis(row: Sequence[str]) -> bool:
    return len(row) == 1 and len(row[0]) > 1 and not row[0].strip(".…")


def find_id_column(lists: Sequence[RankListFile], known_share: KnownShare) -> tuple[int, str]:
    """Column of a run's lists that contains the ids, and the reason for messages.

    Decided by (1) the share of known ids, (2) words that are not numbers, (3) ascending numbers, (4) fractions.

    Parameters
    ----------
    lists : some lists of one run, two columns each.
    known_share : share of words that are known ids, in [0, 1].
    """
    sides = [list(chain.from_iterable(found.columns[column] for found in lists)) for column in (0, 1)]
    numeric = [all(map(is_list_number, side)) for side in sides]
    found = _decided([known_share(side) for side in sides], "holds known ids", of_ids=True)
    found = found or _decided(numeric, "holds numbers", of_ids=False)
    if found is None and all(numeric):
        rising = [all(_is_ascending(found.columns[column]) for found in lists) for column in (0, 1)]
        whole = [all(word.isdigit() for word in side) for side in sides]
        found = _decided(rising, "is ascending, so it holds the distances", of_ids=False)
        found = found or _decided(whole, "holds whole numbers", of_ids=True)
    return found or (0, UNDECIDED_COLUMNS)


def _decided(values: Sequence[float], property_text: str, *, of_ids: bool) -> tuple[int, str] | None:
    """Column of the ids by a property of the columns that is one of ids, or of distances; None if both have it."""
    if values[0] == values[1]:
        return None
    column = int(values[1] > values[0])
    return column if of_ids else 1 - column, f"the {('first', 'second')[column]} column {property_text}"


def _is_ascending(words: Sequence[str]) -> bool:
    values, _ = parse_list_numbers(words)
    values = values[~np.isnan(values)]
    return bool(np.all(values[1:] >= values[:-1]))
