"""Runs as long lists: tables with a query, a model and a number in each row, by the roles of their columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import isnan
from pathlib import Path

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of, join_some
from shrec_viewer.formats.core.read_choices import split_roles
from shrec_viewer.formats.core.reader import MODEL_COLUMN, QUERY_COLUMN, Match, PreviewColumn, UsedColumns
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import (
    DISTANCE_NAMES,
    LEVEL_NAMES,
    MODEL_NAMES,
    QUERY_NAMES,
    RANK_NAMES,
    RESULT_NAMES,
    SIMILARITY_NAMES,
    TextTable,
    find_name,
    is_beir_header,
    require_columns,
    separator_of_rows,
    split_row,
    split_table,
)
from shrec_viewer.formats.io.text import FileHead, is_comment, is_number, read_file_head, read_list_text, with_point
from shrec_viewer.formats.runs.listed_run import ListedRun, listed_run
from shrec_viewer.formats.runs.trec import parse_numbers
from shrec_viewer.formats.truth.qrels import is_level

#: Headers of the number, with the direction; ranks only if there is no other number.
NUMBER_NAMES = ((DISTANCE_NAMES, "smaller"), (SIMILARITY_NAMES, "larger"), (RANK_NAMES, "smaller"))

#: Rows and columns of a table without a header.
MIN_ROWS = 3

#: Id of a place without a model, as FAISS fills lists.
PADDING = "-1"

#: Bytes in which a second query is looked for.
LARGER_HEAD_BYTES = 2**18

ROLE_NAMES = {
    "queries": QUERY_NAMES,
    "models": (*MODEL_NAMES, *RESULT_NAMES),
    "distances": DISTANCE_NAMES,
    "similarities": SIMILARITY_NAMES,
    "ranks": RANK_NAMES,
    "levels": LEVEL_NAMES,
}
#: What a table needs, for findings.
ACCEPTED = "a header such as 'query,model,score', '... distance' or '... rank' names them, or --list-columns does"


@dataclass(frozen=True)
class Roles:
    """Columns of a table.

    Attributes
    ----------
    query, model : index of the column.
    value : that of the numbers; -1 for a table in the order of the lists.
    header : the first row only names the columns.
    nearer : "smaller" or "larger", which numbers are of more similar models; "" if that is unknown.
    rank : column of ranks beside other numbers, or None.
    """

    query: int
    model: int
    value: int
    header: bool
    nearer: str
    rank: int | None = None


def find_roles(rows: Sequence[Sequence[str]]) -> Roles | None:
    """Columns by the header, else by their contents; None if one is missing."""
    return (_roles_by_header(rows) or _roles_by_content(rows)) if rows else None


def _roles_by_header(rows: Sequence[Sequence[str]]) -> Roles | None:
    header = rows[0]
    query = find_name(QUERY_NAMES, header)
    model = None if query is None else find_name((*MODEL_NAMES, *RESULT_NAMES), header, (query,))
    if query is None or model is None or len(rows) < 2:
        return None
    rank = find_name(RANK_NAMES, header, (query, model))
    for names, nearer in NUMBER_NAMES:
        if (value := find_name(names, header, (query, model))) is not None:
            return Roles(query, model, value, True, nearer, None if value == rank else rank)
    # A number of another name: levels of relevance have no fractions.
    level = find_name(LEVEL_NAMES, header, (query, model))
    body = [row for row in rows[1:] if len(row) == len(header)]
    others = [index for index in range(len(header)) if index not in (query, model, level) and _are_values(body, index)]
    return Roles(query, model, others[0], True, "") if len(others) == 1 else None


def _set_roles(table: TextTable, columns: str) -> Roles:
    """Columns that are set explicitly, with a header line if the first number is none, but the second."""
    names = columns.split(",")
    require_columns(table, names, is_exact=True)
    number = next((name for name in ("distance", "score", "rank") if name in names), "")
    value, rank = (names.index(name) if name in names else -1 for name in (number, "rank"))
    numbers = [[row[value]] if 0 <= value < len(row) else [] for row in table.rows[:2]]
    header = _roles_by_header(table.rows[:1] * 2) is not None
    header |= [_are_numbers(words) for words in numbers] == [False, True]
    nearer = "larger" if number == "score" else "smaller"
    return Roles(
        names.index("query"), names.index("model"), value, header, nearer, None if rank in (value, -1) else rank
    )


def _are_numbers(words: Sequence[str]) -> bool:
    return bool(words) and all(map(is_number, map(with_point, words)))


def _are_values(rows: Sequence[Sequence[str]], column: int) -> bool:
    """Whether all cells of a column are numbers, some with a fraction or below 0."""
    words = [row[column] for row in rows]
    return _are_numbers(words) and not all(map(is_level, map(with_point, words)))


def _roles_by_content(rows: Sequence[Sequence[str]]) -> Roles | None:
    """Columns of rows without a header: constant ones are ignored, ranks ascend by 1, other numbers have fractions.

    Of the two columns of ids, that of the queries has longer blocks of equal cells. Ids can be whole numbers if there
    are ranks, or numbers in order for each query.
    """
    width, rows = len(rows[0]), [row for row in rows if PADDING not in row]
    if width < MIN_ROWS or len(rows) < MIN_ROWS:
        return None
    columns = list(zip(*rows, strict=True))
    varying = [index for index in range(width) if index == 0 or len(set(columns[index])) > 1]
    ids = [index for index in varying if not any(map(is_number, columns[index]))]
    whole = [index for index in varying if all(word.isdecimal() for word in columns[index])]
    rank = next((index for index in reversed(whole) if index and _are_ranks(columns, index)), None)
    ids = sorted([*ids, *[index for index in whole if index != rank]][:2])
    if len(ids) != 2:
        return None
    query, model = sorted(ids, key=lambda index: sum(one != other for one, other in pairwise(columns[index])))
    values = [index for index in varying if index not in (*ids, rank) and _are_values(rows, index)]
    if len(set(zip(columns[query], columns[model], strict=True))) < len(rows):
        return None
    if 2 * len(set(columns[query])) > len(rows) or (not values and rank is None):
        return None
    if not values:
        return Roles(query, model, rank or 0, False, "smaller")
    found = Roles(query, model, values[0], False, "", rank)
    return None if rank is None and columns[query][0].isdecimal() and not _are_in_order(rows, found) else found


def _are_ranks(columns: Sequence[Sequence[str]], column: int) -> bool:
    """Whether numbers count from 0 or 1 on, and start again wherever a column before them changes."""
    numbers = list(map(int, columns[column]))
    starts = [index for index, number in enumerate(numbers) if index == 0 or number != numbers[index - 1] + 1]
    if numbers[0] not in (0, 1) or any(numbers[index] != numbers[0] for index in starts) or len(numbers) < MIN_ROWS:
        return False
    blocks = [[0, *(at for at in range(1, len(words)) if words[at] != words[at - 1])] for words in columns]
    return starts in [block for index, block in enumerate(blocks) if index != column]


def _are_in_order(rows: Sequence[Sequence[str]], roles: Roles) -> bool:
    """Whether the numbers of each query are in one direction, in one block of rows."""
    names = [row[roles.query] for row in rows]
    n_blocks = 1 + sum(one != other for one, other in pairwise(names))
    numbers = parse_numbers([with_point(row[roles.value]) for row in rows])
    return n_blocks == len(set(names)) and len(_steps(names, numbers.tolist())) == 1


def _steps(queries: Sequence[str], values: Sequence[float]) -> set[int]:
    """Signs of the differences, 1 or -1, between successive numbers of one query."""
    known = [(query, value) for query, value in zip(queries, values, strict=True) if not isnan(value)]
    return {1 if b > a else -1 for (one, a), (other, b) in pairwise(known) if one == other and a != b}


def guess_direction(queries: Sequence[str], values: Sequence[float]) -> str:
    """Direction from the rows of each query: "larger" if the numbers are in descending order."""
    return "larger" if _steps(queries, values) == {-1} else "smaller"


def match_long_table(head: FileHead) -> Match:
    """Certain by a header; without one, if the ids are known where numbers are in order, else only if named as a run.

    Other tables of three columns look the same.
    """
    rows = table_rows(head)
    roles = find_roles(rows)
    if roles is None:
        return Match.NO
    if roles.header:
        is_truth = is_beir_header(rows[0]) and not _are_values(rows[1:], roles.value)
        return Match.NO if is_truth else Match.CERTAIN
    if len({row[roles.query] for row in rows}) == 1:
        if rows[0][roles.query] == head.path.stem:  # a rank list with the query in each line
            return Match.NO
        if head.is_complete or len(head.data) >= LARGER_HEAD_BYTES:
            return Match.IF_NAMED
        return match_long_table(read_file_head(head.path, LARGER_HEAD_BYTES))
    is_ordered = bool(roles.nearer) or roles.rank is not None or _are_in_order(rows, roles)
    return Match.IF_IDS_KNOWN if is_ordered else Match.IF_NAMED


def table_rows(head: FileHead) -> list[list[str]]:
    """Cells of the first lines, with a header that is written as a comment; empty if their numbers differ."""
    header = _commented_header(head)
    lines = [*([header[1]] if header else []), *head.lines]
    separator = separator_of_rows(lines)
    rows = [] if separator is None else [split_row(line, separator) for line in lines]
    return rows if len(set(map(len, rows))) == 1 else []


def _commented_header(head: FileHead) -> tuple[int, str] | None:
    """Index and text of a first line ``# query model score``; None for other comments, and for no comment."""
    lines = enumerate((head.text or "").split("\n"))
    index, line = next(((index, line) for index, line in lines if line.strip()), (0, ""))
    line = line.lstrip("#% \t")
    if not is_comment(head.text or "") or not head.lines:
        return None
    separator = separator_of_rows([line, head.lines[0]])
    return (index, line) if separator and _roles_by_header([split_row(line, separator)] * 2) else None


def is_header_of_pairs(head: FileHead) -> bool:
    """Whether a file is the header of such a table without rows, as a truncated one is."""
    rows = table_rows(head)
    return len(rows) == 1 and head.is_complete and _roles_by_header(rows * 2) is not None


def read_long_table(path: Path, progress: ReadProgress = NO_PROGRESS, *, columns: str = "") -> ListedRun:
    """Read all rows as those of a TREC run, with the direction in `ListedRun.nearer`.

    Without a header, numbers are distances, or similarities if they are in descending order for each query.

    Parameters
    ----------
    columns : the role of each column, see `ReadOptions.columns`; "" for those of the header or of the contents. Without
        a number the lines of each query are in the order of its list.

    Raises
    ------
    FormatError
        When it is not such a table, or no row can be used.
    """
    lines_of_text = read_list_text(path).split("\n")
    if (header := _commented_header(read_file_head(path))) and not columns:
        lines_of_text[header[0]] = header[1]
    table = split_table(path, "\n".join(lines_of_text), len(split_roles(columns)))
    roles = _roles_of(table, columns)
    rows = [
        (row[roles.query], row[roles.model], str(line) if roles.value < 0 else row[roles.value], line)
        for row, line in zip(table.rows[roles.header :], table.lines[roles.header :], strict=True)
        if len(row) > max(roles.query, roles.model, roles.value) and row[roles.query] and row[roles.model]
    ]
    findings = _row_findings(path, table, roles, rows)
    rows = [row for row in rows if row[1] != PADDING]
    if not rows:
        raise FormatError(path, "lists nothing")
    queries, models, words, lines = zip(*rows, strict=True)
    scores = parse_numbers(list(map(with_point, words)))
    nearer = roles.nearer or guess_direction(queries, scores.tolist())
    title = f"table of {count_of(len(rows), 'pair')} of a query and a model"
    title += f", columns '{columns}' set explicitly" if columns else ""
    has_direction = bool(roles.nearer)
    return listed_run(path, queries, models, scores, lines, findings, title, nearer, has_direction=has_direction)


def long_table_columns(table: TextTable, columns: str = "") -> UsedColumns:
    """Columns of query, model and number; `columns` as of `read_long_table`."""
    roles = _roles_of(table, columns)
    number = PreviewColumn("score", "Similarity") if roles.nearer == "larger" else PreviewColumn("distance", "Number")
    return {roles.query: QUERY_COLUMN, roles.model: MODEL_COLUMN, roles.value: number}.get, roles.header


def _roles_of(table: TextTable, columns: str) -> Roles:
    if columns:
        return _set_roles(table, columns)
    roles = find_roles([row for row in table.rows if len(row) == table.width])
    if roles is None:
        message = f"is not a table with a query, a model and a number in each row{taken_for(table.rows)}"
        raise FormatError(table.path, message, 1)
    return roles


def taken_for(rows: Sequence[Sequence[str]], accepted: str = ACCEPTED) -> str:
    """What the columns of a table without `Roles` were taken for, and the accepted forms; "" for one line or column."""
    if len(rows) < 2 or len(rows[0]) < 2:
        return ""
    found = []
    for index, head in enumerate(rows[0]):
        words = [with_point(row[index]) for row in rows[1:] if len(row) > index]
        kind = "whole numbers" if all(word.isdecimal() for word in words) else "numbers"
        kind = kind if words and all(map(is_number, words)) else "one word" if len(set(words)) == 1 else "words"
        named = (name for name, names in ROLE_NAMES.items() if find_name(names, [head]) is not None)
        found.append(f"'{head[:20]}': {next(named, kind)}")
    return f"; its columns were taken for {join_some(found)}; {accepted}"


def _row_findings(
    path: Path, table: TextTable, roles: Roles, rows: Sequence[tuple[str, str, str, int]]
) -> list[Finding]:
    n_incomplete = len(table.rows) - roles.header - len(rows)
    several = f"{n_incomplete:,} rows lack a query, a model or a number"
    incomplete = several if n_incomplete > 1 else "a row lacks one of its cells"
    surplus = [line for row, line in zip(table.rows, table.lines, strict=True) if len(row) > table.width]
    padding = [line for _, model, _, line in rows if model == PADDING]
    words = [(word, line) for _, model, word, line in rows if model != PADDING and not is_number(with_point(word))]
    faults = (
        (Severity.ERROR, [None] * (n_incomplete > 0), incomplete, "ignored"),
        (Severity.ERROR, surplus, f"more than {table.width} cells in this line", "the others are ignored"),
        (Severity.INFO, padding, f"the model is {PADDING}", "no model is listed"),
        (
            Severity.ERROR,
            [line for _, line in words],
            f"'{words[0][0][:40]}' is not a number" if words else "",
            "the model is last in its list",
        ),
    )
    return [Finding(kind, str(path), at[0], message, action, len(at)) for kind, at, message, action in faults if at]
