"""Runs in a single file: tables with one row per query or per pair, and lines or JSON keyed by query."""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.core.reader import Match, RunReader, UsedColumns, list_column
from shrec_viewer.formats.io.documents import parse_json
from shrec_viewer.formats.io.limits import MAX_ENTRIES, MAX_NAME_BYTES, limit_error
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import (
    LIST_NAMES,
    MODEL_NAMES,
    QUERY_NAMES,
    RESULT_NAMES,
    TextTable,
    find_name,
    read_table,
    separator_of,
    split_row,
)
from shrec_viewer.formats.io.text import (
    HEAD_LINES,
    FileHead,
    is_number,
    library_errors,
    read_lines,
    read_text,
)
from shrec_viewer.formats.runs.listed_run import ListedRun, listed_run, rank_listed_run
from shrec_viewer.formats.runs.pair_table import NUMBER_NAMES, PADDING, guess_direction
from shrec_viewer.formats.runs.trec import parse_numbers

#: What is read, for findings.
ACCEPTED = (
    "read are {query: [ids]}, {query: {id: score}}, {query: [{id, score}]}, [{query, results}], [{query, id, score}] "
    "and one of these in each line"
)

#: Keys of the model in an entry of a list.
ENTRY_NAMES = (*MODEL_NAMES, *RESULT_NAMES, "id", "name", "key")

#: Models of the first list, or pairs, by which a file is recognised.
MIN_ENTRIES = 2


class JsonObject(list[tuple[str, Any]]):
    """Pairs of a key and a value, also repeated ones."""

    @property
    def keys(self) -> list[str]:
        """The keys."""
        return [key for key, _ in self]

    def find(self, names: Sequence[str], kind: type | tuple[type, ...]) -> Any:
        """Value of the first of `names` that is a key with a value of a type; None for none."""
        typed = JsonObject((key, value) for key, value in self if isinstance(value, kind))
        found = find_name(names, typed.keys)
        return None if found is None else typed[found][1]


class _KeyLines:
    """Lines of the keys of a JSON text, which are looked up in their order: `json` returns none."""

    def __init__(self, text: str, line: int = 1) -> None:
        self._text = text
        self._position = 0
        self._line = line

    def next_line(self, key: object) -> int:
        """1-based line of the next occurrence of a key; that of the previous one if it is written with escapes."""
        for word in (json.dumps(key, ensure_ascii=False), json.dumps(key)):
            found = self._text.find(word, self._position)
            if found >= 0:
                self._line += self._text.count("\n", self._position, found)
                self._position = found + len(word)
                break
        return self._line


@dataclass(eq=False)
class KeyedLists:
    """Lists by query, of a JSON text or of lines. In JSON, ids are texts or integers, and ``-1`` fills lists.

    Attributes
    ----------
    path : the file.
    lists : line of each list by its query.
    entries : columns of query, model, number and line; a number is None in lists without numbers.
    nearer : "smaller" or "larger" numbers are of more similar models; "" if no key says so.
    findings : repeated queries.
    list_names, number_names : keys of lists and of numbers.
    are_levels : numbers may be any words, which are kept, and no key may be twice in an object.
    form : of the file, for findings.
    """

    path: Path
    lists: dict[str, int] = field(default_factory=dict)
    entries: tuple[list[str], list[str], list[Any], list[int]] = field(default_factory=lambda: ([], [], [], []))
    nearer: str = ""
    findings: list[Finding] = field(default_factory=list)
    list_names: Sequence[str] = LIST_NAMES
    number_names: Sequence[tuple[Sequence[str], str]] = NUMBER_NAMES
    are_levels: bool = False
    form: str = "JSON"

    def parse(self, text: str) -> Any:
        """Content of a JSON text with objects as `JsonObject`; FormatError for invalid ones."""
        return parse_json(self.path, text, self._object)

    def _object(self, pairs: list[tuple[str, Any]]) -> JsonObject:
        keys = Counter(key for key, _ in pairs)
        if self.are_levels and len(keys) < len(pairs):
            raise FormatError(self.path, f"'{keys.most_common(1)[0][0][:40]}' is a key twice")
        return JsonObject(pairs)

    def _is_number(self, value: object) -> bool:
        return _is_score(value) or (self.are_levels and not isinstance(value, list))

    def _number(self, value: Any) -> Any:
        return str(value) if self.are_levels else _score(value)

    def add(self, content: Any, lines: _KeyLines) -> None:
        """Add an object by query, an object with keys of roles, or a list of those.

        Raises
        ------
        FormatError
            With the line, for other content.
        """
        if isinstance(content, list) and not isinstance(content, JsonObject):
            for entry in content:
                if not isinstance(entry, JsonObject):
                    raise self._fault(entry, lines.next_line(entry))
                self.add(entry, lines)
            return
        if not isinstance(content, JsonObject) or self._add_record(content, lines):
            return
        first = content[0][1] if len(content) == 1 else None
        if isinstance(first, JsonObject) and first and all(isinstance(value, list) for _, value in first):
            self.add(first, lines)  # a method and the lists of its queries
            return
        inner = [(key, value) for key, value in content if isinstance(value, list)]
        if len(inner) == 1 and self._are_results(*inner[0]):
            self.add(inner[0][1], lines)  # a method and its results
            return
        for name, value in content:
            line = lines.next_line(name)
            self._add_list(name, value, line, lines)

    def _add_record(self, record: JsonObject, lines: _KeyLines) -> bool:
        """Add an object with keys for the query and its models; False for other objects."""
        results = record.find((*self.list_names, *RESULT_NAMES, *MODEL_NAMES), list)
        query = record.find((*QUERY_NAMES, *(("id", "name") if results is not None else ())), (str, int))
        if query is None:
            return False
        line = lines.next_line(query)
        if results is None:
            model, number = self._entry(record, line)
            self.lists.setdefault(str(query), line)
            self._extend(str(query), [model], [number], [line])
            return True
        for names, nearer in self.number_names:
            numbers = record.find(names, list)
            if numbers is not None and numbers is not results and len(numbers) == len(results):
                self.nearer = nearer
                results = [[model, number] for model, number in zip(results, numbers, strict=True)]
                break
        self._add_list(str(query), results, line, lines)
        return True

    def _add_list(self, name: str, value: Any, line: int, lines: _KeyLines) -> None:
        entries: list[tuple[str, float | None]]
        if isinstance(value, JsonObject) and all(self._is_number(number) for _, number in value):
            self.nearer = "larger"
            entries = [(model, self._number(number)) for model, number in value]
            at = [lines.next_line(model) for model, _ in value]
        elif isinstance(value, list) and not isinstance(value, JsonObject):
            entries = [self._entry(entry, line) for entry in value if str(entry) != PADDING]
            at = [line] * len(entries)
        else:
            raise self._fault(name, line)
        models = [model for model, _ in entries]
        longest = max((name, *models), key=len)
        if len(longest) > MAX_NAME_BYTES:
            raise limit_error(MAX_NAME_BYTES, "characters in an id", self.path, lines.next_line(longest))
        self.put(name, line, models, [number for _, number in entries], at)

    def put(
        self, name: str, line: int, models: list[str], numbers: list[float | None] | None = None, at: Sequence[int] = ()
    ) -> None:
        """Add the list of a query, by default without numbers, in one line; a finding for a second one."""
        if name in self.lists:
            message = f"duplicate list of '{name[:40]}' (first in line {self.lists[name]})"
            self.findings.append(Finding(Severity.ERROR, str(self.path), line, message, "the first list is used"))
            return
        self.lists[name] = line
        self._extend(name, models, numbers or [None] * len(models), at or [line] * len(models))

    def _extend(self, name: str, models: list[str], numbers: list[float | None], lines: Sequence[int]) -> None:
        self.entries[0].extend([name] * len(models))
        self.entries[1].extend(models)
        self.entries[2].extend(numbers)
        self.entries[3].extend(lines)

    def _entry(self, entry: Any, line: int) -> tuple[str, float | None]:
        """Id and number of an entry of a list."""
        if type(entry) in (str, int):
            return str(entry), None
        if isinstance(entry, JsonObject):
            model = entry.find(ENTRY_NAMES, (str, int))
            for names, nearer in self.number_names if model is not None else ():
                number = entry.find(names, object if self.are_levels else (int, float, type(None)))
                if number is not None or (self.are_levels and find_name(names, entry.keys) is not None):
                    self.nearer = nearer
                    return str(model), self._number(number)
            if model is not None:
                return str(model), None
        elif isinstance(entry, list) and len(entry) == 2 and type(entry[0]) in (str, int) and self._is_number(entry[1]):
            return str(entry[0]), self._number(entry[1])
        raise self._fault(entry, line)

    def _are_results(self, key: str, value: list[Any]) -> bool:
        """Whether the only list of an object holds all results, not those of one query."""
        first = value[0] if value else None
        is_record = isinstance(first, JsonObject) and find_name(QUERY_NAMES, first.keys) is not None
        return is_record or find_name(self.list_names, [key]) is not None

    def _fault(self, found: object, line: int) -> FormatError:
        name = found if isinstance(found, str) else json.dumps(found)
        message = f"'{name[:40]}' is neither a list of ids nor an object of numbers by id; {ACCEPTED}"
        return FormatError(self.path, message, line)

    def run(self, ordered: str = "") -> ListedRun:
        """The run; FormatError if nothing is listed, or some lists have numbers and others have none.

        `ordered`: title of lists that are in their order, also if they have numbers; else "".
        """
        queries, models, numbers, lines = self.entries
        if not models:
            raise FormatError(self.path, "lists nothing")
        known = [number for number in numbers if number is not None]
        columns = self.path, queries, models, known, lines, self.findings
        if not known or ordered:
            return listed_run(*columns, ordered, list_lines=self.lists)
        if None in numbers:
            bare = numbers.index(None)
            other = next(query for query, number in zip(queries, numbers, strict=True) if number is not None)
            message = f"'{queries[bare][:40]}' is a list, '{other[:40]}' an object of numbers"
            raise FormatError(self.path, message, lines[bare])
        title = f"{self.form} with the numbers of {count_of(len(self.lists), 'query', 'queries')}"
        nearer = self.nearer or guess_direction(queries, known)
        return listed_run(*columns, title, nearer, has_direction=bool(self.nearer))


def is_json(text: str) -> bool:
    """Whether a text begins like an object or a list."""
    return text.lstrip("\ufeff \t\r\n").startswith(("{", "["))


def complete_part(text: str) -> str:
    """The beginning of a JSON text without what is incomplete: whole lines, or up to its last comma."""
    first, _, rest = text.strip().partition("\n")
    whole, _, last = text.rpartition("\n")
    return (text if _is_complete(last) else whole) if rest.strip() and _is_complete(first) else _closed(text)


def starts_like_lists(text: str) -> bool:
    """Whether the beginning of a JSON text is that of ranked lists, by reading it up to its last comma."""
    found = KeyedLists(Path())
    with suppress(FormatError):
        first, _, rest = text.strip().partition("\n")
        text = first if rest.strip() and _is_complete(first) else _closed(text)
        found.add(found.parse(text), _KeyLines(text))
        n_models = found.entries[0].count(next(iter(found.lists), ""))
        return n_models >= (1 if rest.strip() else MIN_ENTRIES)
    return False


def _is_complete(text: str) -> bool:
    with suppress(ValueError, RecursionError):
        return isinstance(json.loads(text), dict)
    return False


_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{},]')


def _closed(text: str) -> str:
    """A JSON text; of an incomplete one, the part before its last comma with the brackets that are missing.

    The comma is one after a bracket if there are any: the entry after it may lack keys.
    """
    end, closing = len(text), ""
    is_after_bracket, previous = False, ""
    open_brackets: list[str] = []
    for token in _JSON_TOKEN.finditer(text):
        if token[0] in "[{":
            open_brackets.append("]" if token[0] == "[" else "}")
        elif token[0] in "]}" and open_brackets:
            open_brackets.pop()
        elif token[0] == "," and (previous in ("]", "}") or not is_after_bracket):
            is_after_bracket = previous in ("]", "}")
            end, closing = token.start(), "".join(reversed(open_brackets))
        previous = token[0]
    return text if not open_brackets else text[:end] + closing


def read_json_lists(path: Path, text: str, found: KeyedLists | None = None) -> KeyedLists:
    """Lists of a text, added to `found`; JSON Lines if its first line is a whole object.

    Raises
    ------
    FormatError
        With the line, when it is not valid, or has other content.
    """
    if text.count(",") > MAX_ENTRIES:
        raise limit_error(MAX_ENTRIES, "entries", path)
    found = found or KeyedLists(path)
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip() or not _is_complete(first):
        found.add(found.parse(text), _KeyLines(text))
        return found
    for number, line in enumerate(text.split("\n"), 1):
        try:
            content = found.parse(line) if line.strip() else []
        except FormatError as error:
            raise FormatError(path, error.reason, number) from error
        found.add(content, _KeyLines(line, number))
    return found


def _is_score(value: object) -> bool:
    return value is None or type(value) in (int, float)


def _score(value: float | None) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:  # an integer beyond 1e308
        return -math.inf if value is not None and value < 0 else math.inf  # copysign converts the integer


#: Models of each query, best first: ids, or pairs of id and distance.
RankedIds = Mapping[str, Sequence[str] | Sequence[tuple[str, float]]]


def ranked_list_reader(
    key: str,
    label: str,
    recognise: Callable[[bytes, str], Match | bool],
    read: Callable[[Path], RankedIds],
    suffixes: tuple[str, ...] = (),
) -> RunReader:
    """A run format from two functions.

    Parameters
    ----------
    key, label, suffixes : as in `RunReader`.
    recognise : ``recognise(data, name)``: whether a file is of this format, from its first bytes (64 KiB at most) and
        its name; True if it is a run whatever its ids, `Match.IF_IDS_KNOWN` if other files can look the same.
    read : ``read(path)``: the models of each query, best first, as ids or as pairs of id and distance.
        `FormatError`, `OSError`, `ValueError`, `KeyError` and `TypeError` become a finding.

    Examples
    --------
    >>> import json
    >>> def read(path):
    ...     rows = map(json.loads, path.read_text().splitlines())
    ...     return {row["query"]: row["results"] for row in rows}
    >>> ranked_list_reader("jsonl", "JSON lines", lambda data, name: data.startswith(b'{"query"'), read).key
    'jsonl'
    """
    return RunReader(
        key,
        label,
        suffixes,
        partial(_recognise_head, recognise),
        partial(_read_lists, read, label),
        rank=rank_listed_run,
    )


def _recognise_head(recognise: Callable[[bytes, str], Match | bool], head: FileHead) -> Match | bool:
    return recognise(head.data, head.path.name)


def _read_lists(
    read: Callable[[Path], RankedIds], label: str, path: Path, progress: ReadProgress = NO_PROGRESS
) -> ListedRun:
    others = (str, bytes, Set, Mapping)
    with library_errors(path, f"cannot be read as {label}", with_text=True):
        found = {str(query): one if isinstance(one, others) else list(one) for query, one in read(path).items()}
    if not any(found.values()):
        raise FormatError(path, "holds no ranked list")
    has_distances = any(isinstance(entry, tuple | list) for models in found.values() for entry in models)
    lists = KeyedLists(path)
    for line, (query, models) in enumerate(found.items(), 1):
        try:
            if isinstance(models, others) or (has_distances and any(isinstance(entry, str) for entry in models)):
                raise TypeError("neither ids nor pairs with distances")
            words = [str(entry[0] if has_distances else entry) for entry in models]
            lists.put(query, line, words, [float(entry[1]) for entry in models] if has_distances else None)
        except (TypeError, ValueError, IndexError) as error:
            raise FormatError(path, f"the list of '{query}' is not a list of ids or of (id, distance)") from error
    return lists.run(f"{label}:")


#: Minimum number of models in a row; shorter rows are other tables.
MIN_MODELS = 3

#: Number of distinct whole numbers in a row from which they are ids: distances repeat or have fractions.
MIN_CERTAIN_LENGTH = 20

#: Minimum share of valid rows for a file to be of this format.
VALID_ROW_SHARE = 0.75

#: Numbers that are not ids.
_FRACTION = re.compile(r"[-+]?[0-9]*[.,][0-9]*(?:[eE][-+]?[0-9]+)?|[-+][0-9]+")


def _is_header(row: Sequence[str]) -> bool:
    """Whether the first row of a table is a header: a name of queries, or ``id`` and a name of lists."""
    if len(row) == 2 and find_name(["id"], row[:1]) is not None:
        return find_name(LIST_NAMES, row[1:]) is not None
    return find_name(QUERY_NAMES, row[:1]) is not None


def _list_cells(cells: list[str]) -> list[str]:
    """A query and its models, which may be in one cell, without empty cells and padding at the end.

    A cell may be a list as Python writes it: ``['m1', 'm2']``.
    """
    if len(cells) == 2:
        text = cells[1]
        is_list = text.startswith("[") and text.endswith("]")
        cells = [cells[0], *(re.findall(r"[^\s,'\"]+", text[1:-1]) if is_list else text.split())]
    while cells and cells[-1] in ("", PADDING):
        cells.pop()
    return cells


def match_submission(head: FileHead) -> Match:
    """Whether the first cells are distinct, and the others are ids: with a digit, without spaces, distinct in a row.

    Only if it is named as a run where tables of results match as well: whole numbers can be distances; they are ids if
    every row has the same ones, or so many that distances would repeat. Lines of words can be of anything, so that
    their queries must be known, and several lines must name the same models.
    """
    rows = _head_rows(head)
    good = [row for row in rows if len(row) > MIN_MODELS and _are_ids(row[1:])]
    fewest = max(1, VALID_ROW_SHARE * len(rows))
    has_blanks = separator_of_lists(head.lines) == " "
    if has_blanks and len(rows) < MIN_LINES:
        return Match.NO
    are_distinct = len({row[0] for row in good}) >= fewest
    if are_distinct and _have_certain_ids(good) and (not has_blanks or _share_models(good)):
        return Match.IF_IDS_KNOWN if has_blanks else Match.CERTAIN
    named = {row[0] for row in good if not is_number(row[0])}
    return Match.IF_NAMED if len(named) >= fewest else Match.NO


def _share_models(rows: Sequence[Sequence[str]]) -> bool:
    """Whether models are in several rows and at several ranks, unlike the words of a column of a table."""
    cells = {(rank, model) for row in rows for rank, model in enumerate(row[1:])}
    models = Counter(model for _, model in cells)
    return 2 * sum(count > 1 for count in models.values()) > len(models)


def separator_of_lists(lines: Sequence[str]) -> str:
    """Separator of a query and its models: comma, semicolon or tab, else a blank."""
    return (separator_of(lines[0]) if lines else None) or " "


def _have_certain_ids(rows: Sequence[Sequence[str]]) -> bool:
    if not all(word.isdigit() for row in rows for word in row[1:]):
        return True
    if len(rows) == 1:
        return len(rows[0]) > MIN_CERTAIN_LENGTH
    models = set(rows[0][1:])
    same = sum(set(row[1:]) == models for row in rows)
    is_matrix_of_ranks = all(set(row) == {rows[0][0], *models} for row in rows)
    return same >= VALID_ROW_SHARE * len(rows) and not is_matrix_of_ranks


def _head_rows(head: FileHead) -> list[list[str]]:
    separator = separator_of_lists(head.lines)
    rows = [_list_cells(split_row(line, separator)) for line in head.lines]
    if len(rows) == 1 and not head.is_complete:
        rows[0].pop()  # the last cell is incomplete
    if len(rows) > 1 and _is_header(rows[0]):
        rows.pop(0)
    return rows


def _are_ids(words: list[str]) -> bool:
    return len(set(words)) == len(words) and all(map(_is_id, words))


def _is_id(word: str) -> bool:
    has_digit = any(letter.isdigit() for letter in word)
    return has_digit and not set(word) & set(" \t,;") and not _FRACTION.fullmatch(word)


def read_submission(path: Path, progress: ReadProgress = NO_PROGRESS) -> ListedRun:
    """Read all rows of a submission; a header is ignored, and a duplicate query is a finding.

    Raises
    ------
    FormatError
        When it is not a table, or has no rows.
    """
    table = read_table(path, has_blanks=True)
    found = KeyedLists(path)
    for row, line in zip(table.rows, table.lines, strict=True):
        name, *words = _list_cells(list(row)) or [""]
        if name and (found.lists or not _is_header((name, *words))):
            found.put(name, line, words)
    return found.run()


def submission_columns(table: TextTable) -> UsedColumns:
    """Columns of a query and its models."""
    return list_column, table.width > 0 and _is_header(table.rows[0])


#: Minimum number of lines; fewer lines ``word: words`` are notes.
MIN_LINES = 3


def is_keyed_lists(head: FileHead) -> bool:
    """Whether it starts like lists in JSON, or all lines are a word with a colon and several distinct ids."""
    if head.text is None or is_json(head.text):
        return head.text is not None and starts_like_lists(head.text)
    rows, pairs = [*map(_split_key, head.lines)], [*map(_split_pairs, head.lines)]
    if have_pairs := _have_pairs(pairs):
        rows = pairs
    if len(rows) == 1 and not head.is_complete:
        rows.clear()
    if not head.is_complete and len(rows) > MIN_LINES:
        rows.pop()
    fewest = 0 if have_pairs else MIN_MODELS
    good = [words for name, words in rows if name and len(words) >= fewest and len(set(words)) == len(words)]
    numbered = sum(any(letter.isdigit() for letter in word) for words in good for word in words)
    return len(rows) >= MIN_LINES and len(good) == len(rows) and 2 * numbered > sum(map(len, good))


def match_keyed_lists(head: FileHead) -> Match:
    """`Match.IF_IDS_KNOWN`, as settings are written in the same way."""
    return Match.IF_IDS_KNOWN if is_keyed_lists(head) else Match.NO


def _split_key(line: str) -> tuple[str, list[str]]:
    name, colon, rest = line.partition(":")
    is_name = bool(colon) and len(name.split()) == 1 and rest[:1].isspace()
    return (name.strip() if is_name else ""), rest.replace(",", " ").replace(";", " ").split()


def _have_pairs(rows: Sequence[tuple[str, list[str]]]) -> bool:
    """Whether nearly all words after the queries are pairs ``model:number``, two a line on average."""
    words = [word for _, pairs in rows for word in pairs]
    good = sum(":" in word and is_number(word.rpartition(":")[2]) for word in words)
    return good >= max(1, VALID_ROW_SHARE * len(words)) and len(words) >= 2 * len(rows)


def _split_pairs(line: str) -> tuple[str, list[str]]:
    name, *pairs = re.split(r"\s*:\s+|[\s,;]+", line.strip(" \t,;:"))
    return name, pairs


def read_keyed_lists(path: Path, progress: ReadProgress = NO_PROGRESS) -> ListedRun:
    """The list of each query, best first, or a TREC run for scores.

    Of repeated keys the first is used; see `KeyedLists`.

    Raises
    ------
    FormatError
        When it is neither, or has no ids.
    """
    text = read_text(path)
    found = read_json_lists(path, text) if is_json(text) else _keyed_lines(path)
    return found.run()


def _keyed_lines(path: Path) -> KeyedLists:
    found, lines = KeyedLists(path, form="lines"), read_lines(path)
    if _have_pairs([_split_pairs(line) for line in lines[:HEAD_LINES] if line.strip()]):
        for number, line in enumerate(lines, 1):
            name, pairs = _split_pairs(line)
            models, marks, words = ([pair.rpartition(":")[at] for pair in pairs] for at in range(3))
            faults = [word for word, mark in zip(words, marks, strict=True) if not (mark and is_number(word))]
            for word in faults:
                message = f"'{word[:40]}' is not a number"
                action = "the model is last in its list"
                found.findings.append(Finding(Severity.ERROR, str(path), number, message, action))
            if name:
                found.put(name, number, models, [*parse_numbers(words).tolist()])
        return found
    for number, line in enumerate(lines, 1):
        name, words = _split_key(line)
        if (name or words) and not (name and words):
            raise FormatError(path, "'query: model model ...' is expected", number)
        if name:
            found.put(name, number, words)
    return found
