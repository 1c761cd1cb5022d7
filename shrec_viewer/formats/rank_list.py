"""Rank lists, one file per query: lines ``id``, ``id distance`` or ``distance id``, best first."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.list_lines import (
    GOOD_SHARE,
    IN_ONE_LINE,
    MOST_COLUMNS,
    is_header,
    is_list_number,
    list_numbers,
    names_query,
    split_lines,
)
from shrec_viewer.formats.naming import without_extension
from shrec_viewer.formats.text import Head, decode, is_number, looks_like_text, read_bytes
from shrec_viewer.formats.uniform import uniform_words

Known = Callable[[Sequence[str]], float]
"""Share of words that are known ids, in [0, 1]."""

ODD_MARKS = (b",", b";", b"|", b":", b"..", b'"')
"""What stands in lists that need a closer look at each line."""

UNTOLD = "nothing tells the columns apart and this is the usual order"


@dataclass(frozen=True, eq=False)
class RankListFile:
    """One rank list as it stands; which column holds the ids is decided by `id_column` for a whole run.

    Attributes
    ----------
    path : the file.
    first : words of the first line, where it has fewer columns than the rest (the name of the query stands there);
        else None.
    columns : one or two lists of n words: the columns of the other lines, in file order.
    lines : (n,) int32, 1-based line of each.
    blank, comments : lines that say nothing, and lines beginning with ``#``.
    odd : lines with more columns than two, or with fewer than the rest, or dots that stand for lines left out.
    commas : the columns are separated by commas or semicolons.
    crlf : lines end in CR LF.
    notes : what stands in the lines besides, or how: see `list_lines`.
    """

    path: Path
    first: str | None
    columns: tuple[Sequence[str], ...]
    lines: NDArray[np.int32]
    blank: tuple[int, ...] = ()
    comments: tuple[int, ...] = ()
    odd: tuple[int, ...] = ()
    commas: bool = False
    crlf: bool = False
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lines)


def is_rank_list(head: Head) -> bool:
    """Whether lines have one or two columns, and where they have two, one of them holds numbers only."""
    if _is_plain(head):
        return True
    found = split_lines(head.lines, head.path.stem)
    rows = [row for row in found.rows[found.header :] if not _is_ellipsis(row)]
    if not rows or sum(len(row) <= MOST_COLUMNS for row in rows) < GOOD_SHARE * len(rows):
        return False
    if len(rows[0]) < len(rows[-1]):
        rows = rows[1:]
    pairs = [row for row in rows if len(row) == MOST_COLUMNS]
    if not pairs:
        return all(len(row) == 1 and not set(row[0]) & set(",;") for row in rows)
    enough = GOOD_SHARE * len(rows)
    return any(sum(is_list_number(row[column]) for row in pairs) >= enough for column in (0, 1))


def _is_plain(head: Head) -> bool:
    """Whether all lines are an id and a number, or a number and an id, as most are: quickly told."""
    rows = head.rows
    if not rows or head.text is None or any(mark in head.text for mark in ',;|:"'):
        return False
    body = rows[1:] if len(rows[0]) == 1 else rows
    if not body or any(len(row) != MOST_COLUMNS for row in body) or is_header(rows[0]) or names_query(rows[0]):
        return False
    return all(is_number(row[1]) for row in body) or all(is_number(row[0]) for row in body)


def read_rank_list(path: Path, known: Known | None = None) -> RankListFile:
    """Lines of one rank list.

    Blank lines and ``#`` comments mean nothing; ends of lines and white space are free. Faulty lines are listed in
    `RankListFile.odd` and left out.

    Parameters
    ----------
    path : the file.
    known : share of words that are known ids, where ids have blanks in them; None: no id has.

    Raises
    ------
    FormatError
        When the file is no text, or most of its lines are not of the format: then the first such line.
    """
    data = read_bytes(path)
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    plain = _plain(path, data) if known is None else None
    return plain or _general(path, decode(data).split("\n"), b"\r" in data, known)


def _plain(path: Path, data: bytes) -> RankListFile | None:
    """The usual case, without a loop over lines; None where it is not."""
    found = uniform_words(data)
    if (
        found is None
        or found.width > MOST_COLUMNS
        or any(mark in data for mark in (b",", b";", b"|", b":", b"..", b'"'))
    ):
        return None
    if is_header(found.words[: found.width]) or names_query(found.words[: found.width]):
        return None
    columns = tuple(found.words[column :: found.width] for column in range(found.width))
    start = 1 if found.first is None else 2
    lines = np.arange(start, start + found.n_lines, dtype=np.int32)
    return RankListFile(path, found.first, columns, lines, crlf=b"\r" in data)


def _general(path: Path, lines: list[str], crlf: bool, known: Known | None) -> RankListFile:
    if lines and not lines[-1]:
        lines = lines[:-1]
    comments = [i for i, line in enumerate(lines) if line.lstrip().startswith("#")]
    blank = [i for i, line in enumerate(lines) if not line.strip()]
    skipped = {*comments, *blank}
    told = [i for i in range(len(lines)) if i not in skipped]
    found = split_lines([lines[i] for i in told], without_extension(path.name), known)
    rows = dict(zip(told, found.rows, strict=True))
    told = told[found.header :]
    if (only := _in_one_line([rows[i] for i in told])) is not None:
        name, words = only
        at = np.full(len(words), told[-1] + 1, np.int32)
        notes = (*found.notes, IN_ONE_LINE)
        return RankListFile(
            path, name, (words,), at, _numbers(blank), _numbers(comments), (), found.commas, crlf, notes
        )
    widths = Counter(len(rows[i]) for i in told if len(rows[i]) <= MOST_COLUMNS and not _is_ellipsis(rows[i]))
    # A list of one line besides the query's name has as many lines of one column as of two.
    width = max(widths, key=lambda columns: (widths[columns], columns)) if widths else 1
    first = None
    if told and width == MOST_COLUMNS and len(rows[told[0]]) == 1:
        first = rows[told.pop(0)][0]
    kept = [i for i in told if len(rows[i]) == width and not _is_ellipsis(rows[i])]
    odd = sorted({*told} - {*kept})
    if len(odd) > len(kept):
        why = f"a line 'id', 'id distance' or 'distance id' is expected, found {_words(len(rows[odd[0]]))}"
        raise FormatError(path, why, odd[0] + 1)
    columns = tuple([rows[i][column] for i in kept] for column in range(width))
    told_of = _numbers(blank), _numbers(comments), _numbers(odd)
    return RankListFile(path, first, columns, np.array(kept, np.int32) + 1, *told_of, found.commas, crlf, found.notes)


def _in_one_line(rows: Sequence[Sequence[str]]) -> tuple[str | None, Sequence[str]] | None:
    """The ids of a list that stands in one line, perhaps below the name of the query; None for other lists."""
    if not rows or len(rows) > 2 or len(rows[-1]) <= MOST_COLUMNS or (len(rows) == 2 and len(rows[0]) != 1):
        return None
    words = rows[-1]
    return (rows[0][0] if len(rows) == 2 else None, words) if len(set(words)) == len(words) else None


def _numbers(places: Sequence[int]) -> tuple[int, ...]:
    return tuple(place + 1 for place in places)


def _words(count: int) -> str:
    return "1 word" if count == 1 else f"{count} words"


def _is_ellipsis(row: Sequence[str]) -> bool:
    return len(row) == 1 and len(row[0]) > 1 and not row[0].strip(".…")


def id_column(lists: Sequence[RankListFile], share_known: Known) -> tuple[int, str]:
    """Which column of a run's lists holds the ids, and why, as part of a sentence.

    Decided by (1) which column's words are known ids, (2) which column is no number, (3) which column never falls, (4)
    which column has fractions.

    Parameters
    ----------
    lists : some lists of one run, two columns each.
    share_known : share of words that are known ids, in [0, 1].
    """
    sides = [list(chain.from_iterable(found.columns[column] for found in lists)) for column in (0, 1)]
    known = [share_known(side) for side in sides]
    if known[0] != known[1]:
        column = int(known[1] > known[0])
        return column, f"the {('first', 'second')[column]} column holds known ids"
    numeric = [all(map(is_list_number, side)) for side in sides]
    if numeric[0] != numeric[1]:
        column = int(numeric[0])
        return column, f"the {('second', 'first')[column]} column holds numbers"
    if not all(numeric):
        return 0, UNTOLD
    rising = [all(_rises(found.columns[column]) for found in lists) for column in (0, 1)]
    if rising[0] != rising[1]:
        column = int(rising[0])
        return column, f"the {('second', 'first')[column]} column never falls, so it holds the distances"
    whole = [all(word.isdigit() for word in side) for side in sides]
    if whole[0] != whole[1]:
        column = int(whole[1])
        return column, f"the {('first', 'second')[column]} column holds whole numbers"
    return 0, UNTOLD


def _rises(words: Sequence[str]) -> bool:
    values, _ = list_numbers(words)
    return bool(np.all(values[1:] >= values[:-1]))
