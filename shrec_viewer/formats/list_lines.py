"""Lines of ranked lists to columns: what separates them, what stands before the ids, how numbers are written."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.formats.text import is_number
from shrec_viewer.formats.trec import numbers

MOST_COLUMNS = 2
"""Columns of a list, an id and a number, once a count or the query before them is taken away."""

MOST_CELLS = 6
"""Columns of a line as programs write them for TREC: query, Q0, id, rank, score and tag."""

SEPARATORS = "\t;,|:"
"""What may separate columns besides blanks. The last two only where a number stands behind them."""

GOOD_SHARE = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""

HEADER_WORDS = {
    *("rank", "ranking", "position", "no", "nr", "query", "id", "ids", "name", "model", "models", "target", "item"),
    *("object", "shape", "file", "filename", "docid", "model_id", "modelid", "target_id", "targetid", "shape_id"),
    *("object_id", "distance", "dist", "dissimilarity", "similarity", "score", "scores", "value"),
}
"""Words that a first line is made of where it names the columns."""

QUERY_WORDS = ("query:", "query", "query=")
"""Words before the query's name in a first line."""

NUMBERED = "a count in each line"
QUERIED = "the query before each line"
SAME = "a word that is the same in each line"
IN_ONE_LINE = "all ids in one line"
HEADED = "a first line that names the columns"
QUOTED = "quotation marks"
COMMAS = "decimal commas"
FORTRAN = "exponents such as '1.5D+00'"

ACTIONS = {IN_ONE_LINE: "read from left to right", COMMAS: "read as decimal points", FORTRAN: "read as those with an E"}
"""What is done about what is odd in lines; all else is passed over."""

_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+(?:[eE][-+]?[0-9]+)?")
_FORTRAN = re.compile(r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+))[dD]([-+]?[0-9]+)")
_COUNT = re.compile(r"([0-9]+)[.):]?")


SAMPLED_LINES = 50
"""Lines from which is told how ids with blanks in them are separated from numbers."""


@dataclass(frozen=True, eq=False)
class Lines:
    """Some lines as cells.

    Attributes
    ----------
    rows : cells of each line.
    header : the first line only names the columns.
    notes : what was taken away, or was odd.
    commas : commas or semicolons separate the columns.
    """

    rows: list[list[str]]
    header: bool
    notes: tuple[str, ...]
    commas: bool


def is_list_number(word: str) -> bool:
    """Whether a word is a number, also with a decimal comma, or as Fortran writes it."""
    return is_number(word) or _COMMA.fullmatch(word) is not None or _FORTRAN.fullmatch(word) is not None


def list_numbers(words: Sequence[str]) -> tuple[NDArray[np.float64], str | None]:
    """Numbers of a column, (n,) float64, NaN for words that are none, and how they are written where that is odd.

    A comma is a decimal one where it is in all numbers that are not whole, so that a slip of one line stays one.
    """
    values = numbers(list(words))
    odd = [word for place in np.flatnonzero(np.isnan(values)).tolist() if not is_number(word := words[place])]
    if not odd:
        return values, None
    if any(map(_FORTRAN.fullmatch, odd)):
        return numbers([_FORTRAN.sub(r"\1e\2", word) for word in words]), FORTRAN
    if all(map(_COMMA.fullmatch, odd)) and not any("." in word for word in words):
        return numbers([word.replace(",", ".") for word in words]), COMMAS
    return values, None


def split_lines(lines: Sequence[str], stem: str = "", known: Callable[[Sequence[str]], float] | None = None) -> Lines:
    """Cells of lines that say something.

    Parameters
    ----------
    lines : neither blank nor comments; the first may hold the query's name only.
    stem : name of the file, which is the query's.
    known : share of words that are known ids, where ids have blanks in them: then lines are split so that most are.
    """
    found = _split_by(lines, separator_of_list(lines), stem)
    if known is None or not lines:
        return found
    others = [[line.strip()] for line in lines], _around_blank(lines, str.rsplit), _around_blank(lines, str.split)
    ways = [*(_columns_of(list(rows), stem, commas=False) for rows in others), found, _split_by(lines, ",", stem)]
    return max(ways, key=lambda way: _share_known(way, known))  # of equals the first


def separator_of_list(lines: Sequence[str]) -> str | None:
    """What separates the columns: ",;" where both may, one of tab, semicolon and comma, or None for white space."""
    body = lines[1:] or lines
    if not body:
        return None
    if all(len(parts) == MOST_COLUMNS and max(len(part.split()) for part in parts) < 2 for parts in map(_cut, body)):
        return ",;"
    for separator in SEPARATORS:
        if separator not in body[0]:
            continue
        counts = Counter(line.strip().rstrip(separator).count(separator) for line in body)
        count, often = counts.most_common(1)[0]
        if separator == "," and any(map(_has_decimal, body)):
            continue
        if separator in "|:" and not all(is_list_number(line.rsplit(separator, 1)[-1].strip()) for line in body):
            continue
        if (0 < count < MOST_CELLS or len(body) == 1) and often >= GOOD_SHARE * len(body):
            return separator
    return None


def _cut(line: str) -> list[str]:
    return [part.strip() for part in re.split("[,;]", line)] if line.strip() else []


def _has_decimal(line: str) -> bool:
    """Whether blanks separate a few words, one of which has a decimal comma."""
    words = line.split()
    return 1 < len(words) <= MOST_COLUMNS + 1 and any(map(_COMMA.fullmatch, words))


def _split_by(lines: Sequence[str], separator: str | None, stem: str) -> Lines:
    quoted = sum('"' in line for line in lines) > GOOD_SHARE * max(0, len(lines) - 1)
    if separator is None:
        rows = [line.split() for line in lines]
    elif separator == ",;" and not quoted:
        rows = [_cut(line) for line in lines]
    else:
        mark = max(separator, key=lambda mark: sum(mark in line for line in lines))
        lines = [line.strip().rstrip(mark) for line in lines]
        rows = [[cell.strip() for cell in (_unquoted(line, mark) if quoted else line.split(mark))] for line in lines]
    if quoted:
        rows = [[cell.strip('"') for cell in row] or [""] for row in rows]
    found = _columns_of(rows, stem, commas=separator is not None and separator != "\t")
    return found if not quoted else Lines(found.rows, found.header, (*found.notes, QUOTED), found.commas)


def _unquoted(line: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])
    except csv.Error:
        return line.split(separator)


def _columns_of(rows: list[list[str]], stem: str, *, commas: bool) -> Lines:
    """Rows without the count or the query before each."""
    notes = []
    if len(rows) > 1 and names_query(rows[0]):
        rows = [rows[0][1:], *rows[1:]]
    header = len(rows) > 1 and is_header(rows[0])
    if header:
        notes.append(HEADED)
    body = rows[header:]
    width = Counter(map(len, body)).most_common(1)[0][0] if body else 0
    if MOST_COLUMNS < width <= MOST_CELLS and sum(len(row) == width for row in body) >= GOOD_SHARE * len(body):
        while width > MOST_COLUMNS and (
            found := _beside_ids([row for row in rows[header:] if len(row) == width], stem)
        ):
            drop, note = found
            rows = [row[:drop] + row[drop + 1 :] if len(row) == width else row for row in rows]
            notes += [note] if note not in notes else []
            width -= 1
    return Lines(rows, header, tuple(notes), commas)


def is_header(row: Sequence[str]) -> bool:
    """Whether some cells name columns."""
    return len(row) > 1 and all(cell.casefold().replace(" ", "_") in HEADER_WORDS for cell in row)


def names_query(row: Sequence[str]) -> bool:
    """Whether two cells are a word for queries and the name of one."""
    return len(row) == MOST_COLUMNS and row[0].casefold() in QUERY_WORDS


def _beside_ids(rows: Sequence[Sequence[str]], stem: str) -> tuple[int, str] | None:
    """A column that is neither ids nor distances, and what it is: the query, a count, or one word in all lines."""
    columns = list(zip(*rows, strict=True))
    if not any(all(map(is_list_number, column)) for column in columns):
        return None  # a sentence
    same = [place for place, column in enumerate(columns) if len(set(column)) == 1]
    for place in same:
        if columns[place][0] == stem:
            return place, QUERIED
    for place, column in enumerate(columns):
        if len(rows) > 1 and _counts(column):
            return place, NUMBERED
    for place in same:
        if len(rows) > 1:
            return place, QUERIED if place == 0 else SAME
    return None


def _counts(column: Sequence[str]) -> bool:
    """Whether the cells are 1, 2, 3 ..., or begin with 0."""
    found = [_COUNT.fullmatch(cell) for cell in column]
    if not all(found):
        return False
    values = [int(match[1]) for match in found if match is not None]
    return values[0] in (0, 1) and all(after == before + 1 for before, after in pairwise(values))


def _around_blank(lines: Sequence[str], split: Callable[..., list[str]]) -> list[list[str]]:
    return [[cell.strip() for cell in split(line.strip(), None, 1)] for line in lines]


def _share_known(found: Lines, known: Callable[[Sequence[str]], float]) -> float:
    rows = found.rows[found.header :][:SAMPLED_LINES]
    return max(known([row[place] for row in rows if len(row) > place]) for place in range(MOST_COLUMNS))
