"""Read relevance judgements: TREC qrels, tables of pairs, matrices of levels; levels from them, or from classes."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import JUNK, JUNK_ACTION, FindingsLog, count_of, join_some
from shrec_viewer.formats.core.ids import natural_sorted, without_extension
from shrec_viewer.formats.core.reader import LEVEL_COLUMN, MODEL_COLUMN, QUERY_COLUMN, UsedColumns
from shrec_viewer.formats.io.progress import BLOCK_BYTES
from shrec_viewer.formats.io.tables import (
    BEIR_HEADER,
    DISTANCE_NAMES,
    LEVEL_NAMES,
    MODEL_NAMES,
    QUERY_NAMES,
    RANK_NAMES,
    RELEVANT_NAMES,
    RESULT_NAMES,
    SIMILARITY_NAMES,
    TextTable,
    TokenCodes,
    find_name,
    head_rows,
    header_key,
    index_of_role,
    is_beir_header,
    read_table,
    token_columns,
)
from shrec_viewer.formats.io.text import (
    FileHead,
    decode,
    is_number,
    read_lines,
    read_list_bytes,
    split_lines,
    with_point,
)
from shrec_viewer.formats.truth.class_tables import is_header_of_words

QRELS_COLUMNS = 4

#: Minimum share of valid lines for a file to be qrels; the other lines are then reported.
MIN_VALID_SHARE = 0.75

#: Levels are stored as uint8; contests have at most three.
MAX_LEVEL = 255

#: Level of models that were judged but are not to be counted.
JUNK_LEVEL = -1

#: Digits of a level, also with leading zeros, up to which lines are parsed as columns.
MAX_LEVEL_DIGITS = 3


#: Minimum number of queries with equal numbers of pairs from which a last query with fewer is reported.
MIN_COMPARED_QUERIES = 3


@dataclass(frozen=True, eq=False)
class QrelsFile:
    """Relevance levels by query and model id.

    Attributes
    ----------
    path : the file.
    queries : distinct query ids, in file order, including queries with level 0 only.
    query : (n,) int32, index of the query of each pair.
    models : (n,) model ids.
    level : (n,) uint8, above 0; pairs with level 0 are in `zero_query` and `zero_models`.
    lines : (n,) int32, 1-based line number of each pair.
    findings : invalid and repeated lines.
    zero_query : (z,) int32, index of the query of each pair with level 0.
    zero_models : (z,) model ids of these pairs.
    is_junk : (z,) bool, whether the level of these pairs is -1.
    profile : profile with the conventions of the evaluator that a format comes from.
    shape : rows and columns of a matrix without ids, whose places are the ids; None for other files.
    """

    path: Path
    queries: tuple[str, ...]
    query: NDArray[np.int32]
    models: tuple[str, ...]
    level: NDArray[np.uint8]
    lines: NDArray[np.int32]
    findings: tuple[Finding, ...]
    zero_query: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    zero_models: tuple[str, ...] = ()
    is_junk: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    profile: str = "default"
    shape: tuple[int, int] | None = None

    def with_ids(self, queries: Sequence[str], models: Sequence[str]) -> "QrelsFile":
        """The levels of a matrix without ids for the queries of its rows and the models of its columns."""
        name_of = dict(zip(map(str, range(len(models))), models, strict=True))
        models_of_pairs, zero_models = (tuple(map(name_of.__getitem__, of)) for of in (self.models, self.zero_models))
        return replace(self, queries=tuple(queries), models=models_of_pairs, zero_models=zero_models, shape=None)

    def summary(self) -> str:
        """Number of pairs of relevant models, and of queries."""
        return f"{count_of(len(self.models), 'pair')} for {count_of(len(self.queries), 'query', 'queries')}"

    def short_last_query(self) -> tuple[int, int]:
        """Numbers of pairs of the last query, and of each other query if those are equal and larger; else zeros."""
        counts = np.bincount(self.query, minlength=len(self.queries))
        counts += np.bincount(self.zero_query, minlength=len(self.queries))
        others, last = counts[:-1], int(counts[-1])
        is_short = len(others) >= MIN_COMPARED_QUERIES and others.min() == others.max() > last
        return (last, int(others[0])) if is_short else (0, 0)


def is_qrels(head: FileHead) -> bool:
    """Whether nearly all lines have four columns, the second is constant and the last is a number.

    An incomplete line is not counted: cut off, a line of a TREC run may be `Q1 Q0 m1 1`. Lines whose last number is no
    integer are counted where an id is no number, as a matrix may have four columns. Or the first line names columns of
    query, model and level, and the last of these has numbers.
    """
    if not set(head.data) & set(b"\r\n"):
        return False
    if named := _named_columns(head.rows[0] if head.rows else ()):
        n_columns, *_, level = named
        n_valid = sum(len(row) == n_columns and is_number(row[level]) for row in head.rows[1:])
        return n_valid >= max(1, MIN_VALID_SHARE * (len(head.rows) - 1)) and not is_pair_table(head)
    rows = (row for row in head.rows if len(row) == QRELS_COLUMNS and is_number(row[3]))
    valid = [row for row in rows if row[3].lstrip("-").isdecimal() or not (is_number(row[0]) and is_number(row[2]))]
    return (
        len(valid) >= max(1, MIN_VALID_SHARE * len(head.rows))
        and len({row[1] for row in valid}) == 1
        and valid[0][1].upper() in ("0", "Q0", "1")
    )


def read_qrels(path: Path) -> QrelsFile:
    """Read the relevance levels of a qrels file.

    Invalid lines are findings. Of several lines for one pair the first is used. Level -1 is junk, lower ones are read
    as 0, as trec_eval does for gains. The second column may be missing. A first line that names query, model and level
    says which columns these are.

    Raises
    ------
    FormatError
        When no line is valid.
    """
    data = read_list_bytes(path)
    if (uniform := _uniform_qrels(path, data)) is not None:
        return uniform
    parser = QrelsParser(path)
    lines = split_lines(decode(data))
    n_short = sum(len(line.split()) == QRELS_COLUMNS - 1 for line in lines)
    first = next((number for number, line in enumerate(lines, 1) if line.strip()), 0)
    named = _named_columns(lines[first - 1].split() if first else ())
    if named:
        message = "this line names the columns"
        parser.findings.append(Finding(Severity.INFO, str(path), first, message, "read by these names"))
    for number, line in enumerate(lines, 1):
        tokens = line.split()
        if named and number == first:
            continue
        if named and len(tokens) == named[0]:
            query, model, level = (tokens[column] for column in named[1:])
            tokens = [query, "0", model, level]
        elif 2 * n_short > len(lines) and len(tokens) == QRELS_COLUMNS - 1:
            tokens.insert(1, "0")
        parser.add_line(number, tokens)
    return parser.result()


def _named_columns(header: Sequence[str]) -> tuple[int, ...]:
    """Number of columns, and those of query, model and level, in a line that names these; empty for other lines."""
    roles = (QUERY_NAMES, (*MODEL_NAMES, *RESULT_NAMES), LEVEL_NAMES)
    found = [column for names in roles if (column := find_name(names, header)) is not None]
    is_complete = len(found) == len(roles) and not RANKING_NAMES & set(map(header_key, header))
    return (len(header), *found) if is_complete else ()


def _uniform_qrels(path: Path, data: bytes) -> QrelsFile | None:
    """`read_qrels` of an ASCII text of valid lines with distinct pairs and no level below 0; None for other texts.

    Lines take a seventh of the time of `QrelsParser`, and a fifth of its memory (two million lines, numpy 2.4).
    """
    queries, models = TokenCodes(), TokenCodes()
    parts: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int32]]] = []
    start, n_lines = 0, 0
    while start < len(data):
        # The rest if no line ends in the block.
        end = data.rfind(b"\n", start, start + BLOCK_BYTES) + 1 or len(data)
        found = token_columns(data[start:end], QRELS_COLUMNS)
        if found is None or int((found.ends[:, 3] - found.starts[:, 3]).max()) > MAX_LEVEL_DIGITS:
            return None
        levels = found.integers(3)
        if levels is None or int(levels.max()) > MAX_LEVEL:
            return None
        of_query, of_model = queries.encode_column(found, 0), models.encode_column(found, 2)
        parts.append((of_query, of_model, levels.astype(np.uint8), found.lines + np.int32(n_lines)))
        start, n_lines = end, n_lines + found.n_lines
    if not parts:
        return None
    query, model, level, line = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    pairs = np.sort(query.astype(np.int64) * len(models) + model)
    if np.any(pairs[1:] == pairs[:-1]):
        return None
    names = models.names()
    return qrels_of_columns(path, queries.names(), query, [names[at] for at in model.tolist()], level, line)


def level_of(token: str) -> int | None:
    """Level of a number without a fraction, such as ``2``, ``2.0`` or ``2,0``; None for other words."""
    word = with_point(token)
    value = float(word) if is_number(word) else math.nan
    return int(value) if value.is_integer() else None


def is_level(token: str) -> bool:
    """Whether a word is a level."""
    level = level_of(token)
    return level is not None and 0 <= level <= MAX_LEVEL


#: Levels that are words.
LEVEL_WORDS = {
    **dict.fromkeys(("yes", "true", "relevant", "marginally relevant", "partially relevant"), "1"),
    **dict.fromkeys(("no", "false", "not relevant", "irrelevant", "non-relevant"), "0"),
    "highly relevant": "2",
}


class QrelsParser:
    """Parses the lines of a qrels file; repeated pairs and invalid lines become findings."""

    def __init__(self, path: Path, junk: Severity = Severity.WARNING) -> None:
        self.path = path
        self.junk = junk
        self.queries: dict[str, int] = {}
        self.pairs: dict[tuple[str, str], tuple[int, int]] = {}
        self.findings: list[Finding] = []
        self.negative: list[int] = []
        self.decimals: list[int] = []
        self.words: dict[str, tuple[str, int]] = {}

    def add_line(self, number: int, tokens: list[str]) -> None:
        """Add the pair of a line ``query 0 model level``."""
        if not tokens:
            return
        if (word := tokens[-1].casefold()) in LEVEL_WORDS and len(tokens) == QRELS_COLUMNS:
            self.words.setdefault(tokens[-1], (LEVEL_WORDS[word], number))
            tokens = [*tokens[:-1], LEVEL_WORDS[word]]
        if len(tokens) != QRELS_COLUMNS:
            message = f"{QRELS_COLUMNS} columns 'query 0 model level' are expected, found {len(tokens)}"
            self.reject(number, message)
        elif (level := level_of(tokens[3])) is None:
            self.reject(number, f"the level '{tokens[3][:40]}' is not an integer")
        elif level > MAX_LEVEL:
            self.reject(number, f"the level {tokens[3][:40]} is above {MAX_LEVEL}")
        else:
            if not tokens[3].lstrip("+-").isdecimal():
                self.decimals.append(number)
            self._add_pair(number, tokens[0], tokens[2], level)

    def _add_pair(self, number: int, query: str, model: str, level: int) -> None:
        self.queries.setdefault(query, len(self.queries))
        if level < JUNK_LEVEL:
            self.negative.append(number)
            level = 0
        first = self.pairs.setdefault((query, model), (level, number))
        if first[1] != number:
            message = f"'{model}' is assessed twice for '{query}' (first in line {first[1]}"
            if first[0] == level:
                self._add_finding(
                    Severity.WARNING, number, f"{message}, with the same level)", "the first line is used"
                )
            else:
                message += f", with level {first[0]} instead of {level})"
                self._add_finding(Severity.ERROR, number, message, "the first line is used")

    def reject(self, number: int, message: str) -> None:
        """Add a finding about a line that is ignored."""
        self._add_finding(Severity.ERROR, number, message, "the line is ignored")

    def _add_finding(self, severity: Severity, line: int, message: str, action: str, count: int = 1) -> None:
        self.findings.append(Finding(severity, str(self.path), line, message, action, count))

    def result(self) -> QrelsFile:
        """What was read; FormatError, with the first fault, when no line is valid."""
        if not self.queries:
            first = self.findings[0] if self.findings else None
            message = first.message if first else "contains no relevance levels"
            raise FormatError(self.path, message, first.line if first else None)
        junk = [line for level, line in self.pairs.values() if level == JUNK_LEVEL]
        if junk:
            setting = FindingsLog(self.path.parent).setting("junk", "removed")
            found = Finding(self.junk, str(self.path), junk[0], "a level is -1", JUNK_ACTION, len(junk), JUNK, setting)
            self.findings.append(found)
        if self.negative:
            message = "a level is below -1"
            self._add_finding(Severity.WARNING, self.negative[0], message, "read as not relevant", len(self.negative))
        if self.decimals:
            message = "a level is written with decimals"
            self._add_finding(Severity.INFO, self.decimals[0], message, "read as an integer", len(self.decimals))
        if self.words:
            read_as = join_some([f"'{word}' as {level}" for word, (level, _) in self.words.items()])
            self._add_finding(
                Severity.INFO, min(line for _, line in self.words.values()), "levels are words", f"read {read_as}"
            )
        return qrels_of_pairs(self.path, self.pairs, self.queries, self.findings)


#: Headers of ranked lists, which are not relevance assessments.
RANKING_NAMES = {header_key(name) for name in (*DISTANCE_NAMES, *SIMILARITY_NAMES, *RANK_NAMES)}


def is_pair_table(head: FileHead) -> bool:
    """Whether a table has headers of queries and models, but none of ranked lists (`RANKING_NAMES`), or is of BEIR."""
    rows = head_rows(head)
    if not rows:
        return False
    query = find_name(QUERY_NAMES, rows[0])
    has_both = query is not None and find_name(MODEL_NAMES, rows[0], (query,)) is not None
    return is_beir_header(rows[0]) or (has_both and not RANKING_NAMES & set(map(header_key, rows[0])))


def read_pair_table(path: Path, columns: str = "") -> QrelsFile:
    """Relevance levels from a table of pairs: those of a level column, else 1.

    If several columns are queries (a sketch and a text for one model), the first is used, with a finding. Rows without
    a query or a model, and repeated pairs, are findings.

    Parameters
    ----------
    columns : the role of each column, see TRUTH_ROLES; "" for those that the header names.

    Raises
    ------
    FormatError
        When the columns of queries and models are not known, or no row is valid.

    Notes
    -----
    The evaluator of ANIMAR uses the connected components of the pairs; in its published tables each component is one
    pair.
    """
    table = read_table(path, columns)
    query_keys = set(map(header_key, QUERY_NAMES))
    query_columns = [index for index, cell in enumerate(table.rows[0]) if header_key(cell) in query_keys]
    query_column, model_column, level_column, has_header = _pair_layout(table, columns)
    parser = QrelsParser(path)
    if len(query_columns) > 1 and not columns:
        names = " and ".join(f"'{table.rows[0][index]}'" for index in query_columns)
        message, action = f"the columns {names} contain queries", f"'{table.rows[0][query_column]}' is used"
        parser.findings.append(Finding(Severity.WARNING, str(path), table.lines[0], message, action))
    is_named = is_beir_header(table.rows[0]) or find_name(LEVEL_NAMES, table.rows[0]) is not None
    if has_header and not columns and level_column is not None and not is_named:
        message = f"the column '{table.rows[0][level_column]}' has levels by its numbers"
        action = "read so; to read other columns, name all: --truth-columns"
        parser.findings.append(Finding(Severity.INFO, str(path), table.lines[0], message, action))
    for row, line in zip(table.rows[has_header:], table.lines[has_header:], strict=True):
        query, model = (row[index] if index < len(row) else "" for index in (query_column, model_column))
        has_level = level_column is not None and level_column < len(row)
        if query and model:
            parser.add_line(line, [query, "0", model, row[level_column or 0] if has_level else "1"])
        else:
            parser.reject(line, "the row has no query or no model")
    return parser.result()


#: Values of the column ``Usage`` of a solution, which leaderboards on the web use.
USAGES = {"public", "private", "ignored"}


def is_solution(head: FileHead) -> bool:
    """Whether a table has a column ``Usage`` after the relevant models of each query: ``id,images,Usage``.

    Or only these two columns, whose header says so.
    """
    rows = head_rows(head)
    if len(rows) > 1 and _is_relevant_header(rows[0]):
        return True
    if len(rows) < 2 or len(rows[0]) < QRELS_COLUMNS - 1 or header_key(rows[0][-1]) != "usage":
        return False
    return all(row[-1].casefold() in USAGES for row in rows[1:] if len(row) == len(rows[0]))


def read_solution(path: Path) -> QrelsFile:
    """The relevant models of each query, from a cell of ids separated by blanks; ``None`` for none.

    Raises
    ------
    FormatError
        When no query has a relevant model.
    """
    table = read_table(path)
    parser = QrelsParser(path)
    usages: Counter[str] = Counter()
    has_usage = not _is_relevant_header(table.rows[0])
    for row, line in zip(table.rows[1:], table.lines[1:], strict=True):
        if len(row) < 2 + has_usage:
            parser.reject(
                line, f"the row has no query{',' if has_usage else ' and'} relevant models{' and usage' * has_usage}"
            )
            continue
        usages.update([row[-1].casefold()] * has_usage)
        parser.queries.setdefault(row[0], len(parser.queries))
        for model in row[1].split():
            if model.casefold() != "none":
                parser.add_line(line, [row[0], "0", model, "1"])
    if not parser.pairs:
        raise FormatError(path, "contains no relevance levels")
    message = f"queries by usage: {join_some(f'{count:,} {usage}' for usage, count in usages.items())}"
    if usages:
        parser.findings.append(Finding(Severity.INFO, str(path), table.lines[0], message, "all are used"))
    return parser.result()


def _is_relevant_header(header: Sequence[str]) -> bool:
    """Whether a header names a column of queries and one of lists of relevant models, and no other."""
    return (
        len(header) == 2
        and find_name((*QUERY_NAMES, "id"), header[:1]) is not None
        and find_name(RELEVANT_NAMES, header[1:]) is not None
    )


#: Level of the models in a file ``NAME_good.txt`` …
LEVEL_OF_PART = {"good": 2, "ok": 1, "junk": JUNK_LEVEL}


def is_query_part(head: FileHead) -> bool:
    """Whether a file is named ``NAME_good``, ``_ok``, ``_junk`` or ``_query``, and ``NAME_good`` and another exist."""
    name, _, own = without_extension(head.path.name).rpartition("_")
    parts, ending = ("query", *LEVEL_OF_PART), head.path.name.removeprefix(f"{name}_{own}")
    if not name or own not in parts:
        return False
    beside = [part for part in parts if head.path.with_name(f"{name}_{part}{ending}").is_file()]
    return "good" in beside and len(beside) > 1


def read_query_parts(path: Path) -> QrelsFile:
    """Relevance levels of the files of good, ok and junk models of all queries in the folder of one of them.

    Raises
    ------
    FormatError
        When there is no such file, or one cannot be read.

    Notes
    -----
    Source: the ground truth of the Oxford Buildings and its ``compute_ap.cpp``: good and ok models are relevant, junk
    is skipped in lists.
    """
    read_lines(path)  # reports a file that cannot be read
    parser = QrelsParser(path, Severity.INFO)
    for good in natural_sorted([file.name for file in path.parent.glob("*_good.*")]):
        query = without_extension(good).removesuffix("_good")
        ending = good.removeprefix(f"{query}_good")
        parser.queries.setdefault(query, len(parser.queries))
        for part, level in LEVEL_OF_PART.items():
            file = path.parent / f"{query}_{part}{ending}"
            for number, line in enumerate(read_lines(file) if file.is_file() else (), 1):
                if model := line.strip().strip('"'):
                    parser.add_line(number, [query, "0", model, str(level)])
    return replace(parser.result(), profile="default+junk=removed")


#: Maximum number of distinct levels in the beginning of a file; a run has as many ranks or scores as models.
MAX_LEVELS = 4


def _layout_by_content(table: TextTable) -> tuple[int, int, int, bool] | None:
    """Columns of query, model and level of a table without known headers, and whether it has one; None for others.

    The last column has the levels. Of two others that are not constant, that of the queries has longer blocks.
    """
    body = [row for row in table.rows[1:] if len(row) == table.width]
    level, cells = table.width - 1, [*zip(*body, strict=True)]
    ids = [index for index in range(level) if cells and len({*cells[index]}) > 1]
    if len(ids) != 2 or any(level_of(word) is None for word in cells[level]):
        return None
    query, model = sorted(ids, key=lambda index: sum(one != other for one, other in pairwise(cells[index])))
    return query, model, level, level_of(table.rows[0][level]) is None


def _pair_layout(table: TextTable, columns: str = "") -> tuple[int, int, int | None, bool]:
    """Columns of query, model and level, and whether there is a header; see `read_pair_table`."""
    if columns:
        query, model, level = (index_of_role(columns, role) for role in ("query", "model", "level"))
        if query is None or model is None:
            raise FormatError(table.path, f"'{columns}' are columns of classes, not of relevance levels")
        is_level_column = level is not None and [level_of(row[level]) is None for row in table.rows[:2]] == [
            True,
            False,
        ]
        return query, model, level, is_level_column or is_header_of_words(table, (query, model))
    query, model = table.find(QUERY_NAMES), table.find(MODEL_NAMES)
    if query is None or model is None:
        if (found := _layout_by_content(table)) is not None:
            return found
        raise FormatError(table.path, "has no headers of a column of queries and one of models", 1)
    level = table.find(BEIR_HEADER[-1:] if is_beir_header(table.rows[0]) else LEVEL_NAMES)
    level = _column_of_levels(table, {query, model}) if level is None else level
    if level is None and (ranking := [name for name in table.rows[0] if header_key(name) in RANKING_NAMES]):
        raise FormatError(table.path, f"has no column of levels, but '{ranking[0]}', as ranked lists have", 1)
    return query, model, level, True


def _column_of_levels(table: TextTable, ids: set[int]) -> int | None:
    """The only column of a table besides `ids` whose cells are few different levels, some 0; None for none."""
    cells = [{*table.column(index, header=True)} for index in range(table.width)]
    words = [{LEVEL_WORDS.get(word.casefold(), word) for word in column} for column in cells]
    are_levels = ("0" in found and 1 < len(found) <= MAX_LEVELS and all(map(is_level, found)) for found in words)
    found = [index for index, is_one in enumerate(are_levels) if is_one and index not in ids]
    return found[0] if len(found) == 1 else None


def pair_columns(table: TextTable, columns: str = "") -> UsedColumns:
    """Columns of query, model and level; `columns` as of `read_pair_table`."""
    query, model, level, has_header = _pair_layout(table, columns)
    return {level: LEVEL_COLUMN, query: QUERY_COLUMN, model: MODEL_COLUMN}.get, has_header


def qrels_of_columns(
    path: Path,
    queries: Sequence[str],
    query: ArrayLike,
    models: Sequence[str],
    level: ArrayLike,
    lines: ArrayLike,
    findings: Iterable[Finding] = (),
) -> QrelsFile:
    """Pairs of any level as a `QrelsFile`.

    Parameters
    ----------
    queries : distinct query ids.
    query, models, level, lines : (n,) index of the query, model id, level and line of each pair.
    """
    query, level, lines = np.asarray(query, np.int32), np.asarray(level, np.int16), np.asarray(lines, np.int32)
    is_relevant = level > 0
    relevant, others = (tuple(compress(models, rows.tolist())) for rows in (is_relevant, ~is_relevant))
    return QrelsFile(
        path,
        tuple(queries),
        query[is_relevant],
        relevant,
        level[is_relevant].astype(np.uint8),
        lines[is_relevant],
        tuple(findings),
        query[~is_relevant],
        others,
        level[~is_relevant] == JUNK_LEVEL,
    )


def qrels_of_pairs(
    path: Path,
    pairs: Mapping[tuple[str, str], tuple[int, int]],
    queries: Mapping[str, int],
    findings: Iterable[Finding],
) -> QrelsFile:
    """Levels and lines by query and model, and the index of each query, as a `QrelsFile`."""
    query, models = [queries[query] for query, _ in pairs], [model for _, model in pairs]
    level, lines = np.array(list(pairs.values()), np.int32).reshape(-1, 2).T
    return qrels_of_columns(path, tuple(queries), query, models, level, lines, findings)


#: Columns of the smallest matrix: ids, and two models or classes.
MIN_COLUMNS = 3


#: Columns of the smallest matrix without ids: lines of qrels have four.
MIN_BARE_COLUMNS = 5


def read_level_matrix(path: Path) -> QrelsFile:
    """Levels of the cells: rows are queries, columns models, or both are classes (see `levels_of_classes`).

    Raises
    ------
    FormatError
        When a cell is no level, or a small matrix has no ids of rows and columns.
    """
    table = read_table(path, has_blanks=True)
    width = len(table.rows[-1])
    is_bare = width >= MIN_BARE_COLUMNS and len(table.rows) > 1 and all(map(is_number, table.rows[0]))
    n_ids = 0 if is_bare else 1
    n_columns = width - n_ids
    columns = () if is_bare else table.rows[0][-n_columns:]
    lines, body = table.lines[n_ids:], table.rows[n_ids:]
    if width < MIN_COLUMNS or (not is_bare and (table.width not in (n_columns, width) or any(map(is_number, columns)))):
        raise FormatError(path, "has no ids of rows and of columns")
    values = np.zeros((len(body), n_columns), np.int64)
    for index, (line, row) in enumerate(zip(lines, body, strict=True)):
        found = map(level_of, row[n_ids:])
        levels = [level for level in found if level is not None and JUNK_LEVEL <= level <= MAX_LEVEL]
        if len(levels) != n_columns:
            raise FormatError(path, f"{'' if is_bare else 'an id and '}{n_columns:,} levels are expected", line)
        values[index] = levels
    queries = () if is_bare else tuple(row[0] for row in body)
    return qrels_of_levels(path, values, queries, () if is_bare else columns, lines)


def qrels_of_levels(
    path: Path, values: NDArray[Any], queries: Sequence[str], columns: Sequence[str], lines: Sequence[int]
) -> QrelsFile:
    """A matrix of levels, (R, M), with the ids of its rows and columns and the line of each row; () for none.

    Raises
    ------
    FormatError
        When a value is no level, all are 0, or ids are repeated.
    """
    if not np.all((values == np.floor(values)) & (values >= JUNK_LEVEL) & (values <= MAX_LEVEL)):
        raise FormatError(path, f"holds no relevance levels, which are whole numbers from {JUNK_LEVEL} to {MAX_LEVEL}")
    is_bare = not queries
    if is_bare:
        queries, columns = (tuple(map(str, range(length))) for length in values.shape)
    if not np.any(values > 0) or len({*queries}) < len(queries) or len({*columns}) < len(columns):
        raise FormatError(path, "contains no relevance levels, or ids are repeated")
    query, model = np.nonzero(values)
    names = [columns[index] for index in model.tolist()]
    line_of = np.array(lines or range(1, len(values) + 1))
    file = qrels_of_columns(path, queries, query, names, values[query, model], line_of[query])
    return replace(file, shape=(len(values), len(columns))) if is_bare else file
