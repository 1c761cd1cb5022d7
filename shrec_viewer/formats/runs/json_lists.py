"""Ranked lists in JSON and JSON Lines, by the roles of their keys."""

import json
import math
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.findings_log import count_of
from shrec_viewer.formats.io.documents import parse_json
from shrec_viewer.formats.io.limits import MAX_ENTRIES, MAX_NAME_BYTES, limit_error
from shrec_viewer.formats.io.tables import LIST_NAMES, MODEL_NAMES, QUERY_NAMES, RESULT_NAMES, find_name
from shrec_viewer.formats.runs.pair_table import NUMBER_NAMES, PADDING, guess_direction
from shrec_viewer.formats.runs.trec import TrecFile, trec_file_of_pairs

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
    lists : line and entries of each query: id, number or None for a list without numbers, and line.
    nearer : "smaller" or "larger" numbers are of more similar models; "" if no key says so.
    findings : repeated queries.
    """

    path: Path
    lists: dict[str, tuple[int, list[tuple[str, float | None, int]]]] = field(default_factory=dict)
    nearer: str = ""
    findings: list[Finding] = field(default_factory=list)

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
        inner = [(key, value) for key, value in content if isinstance(value, list)]
        if len(inner) == 1 and _are_results(*inner[0]):
            self.add(inner[0][1], lines)  # a method and its results
            return
        for name, value in content:
            line = lines.next_line(name)
            self._add_list(name, value, line, lines)

    def _add_record(self, record: JsonObject, lines: _KeyLines) -> bool:
        """Add an object with keys for the query and its models; False for other objects."""
        results = record.find((*LIST_NAMES, *RESULT_NAMES, *MODEL_NAMES), list)
        query = record.find((*QUERY_NAMES, *(("id", "name") if results is not None else ())), (str, int))
        if query is None:
            return False
        line = lines.next_line(query)
        if results is None:
            model, number = self._entry(record, line)
            self.lists.setdefault(str(query), (line, []))[1].append((model, number, line))
            return True
        for names, nearer in NUMBER_NAMES:
            numbers = record.find(names, list)
            if numbers is not None and numbers is not results and len(numbers) == len(results):
                self.nearer = nearer
                results = [[model, number] for model, number in zip(results, numbers, strict=True)]
                break
        self._add_list(str(query), results, line, lines)
        return True

    def _add_list(self, name: str, value: Any, line: int, lines: _KeyLines) -> None:
        entries: list[tuple[str, float | None, int]]
        if isinstance(value, JsonObject) and all(_is_score(number) for _, number in value):
            self.nearer = "larger"
            entries = [(model, _score(number), lines.next_line(model)) for model, number in value]
        elif isinstance(value, list) and not isinstance(value, JsonObject):
            entries = [(*self._entry(entry, line), line) for entry in value if str(entry) != PADDING]
        else:
            raise self._fault(name, line)
        longest = max((name, *(model for model, _, _ in entries)), key=len)
        if len(longest) > MAX_NAME_BYTES:
            raise limit_error(MAX_NAME_BYTES, "characters in an id", self.path, lines.next_line(longest))
        self.put(name, line, entries)

    def put(self, name: str, line: int, entries: list[tuple[str, float | None, int]]) -> None:
        """Add the list of a query; a finding for a second one."""
        if name in self.lists:
            message = f"duplicate list of '{name[:40]}' (first in line {self.lists[name][0]})"
            self.findings.append(Finding(Severity.ERROR, str(self.path), line, message, "the first list is used"))
        else:
            self.lists[name] = line, entries

    def _entry(self, entry: Any, line: int) -> tuple[str, float | None]:
        """Id and number of an entry of a list."""
        if type(entry) in (str, int):
            return str(entry), None
        if isinstance(entry, JsonObject):
            model = entry.find(ENTRY_NAMES, (str, int))
            for names, nearer in NUMBER_NAMES if model is not None else ():
                if (number := entry.find(names, (int, float, type(None)))) is not None:
                    self.nearer = nearer
                    return str(model), _score(number)
            if model is not None:
                return str(model), None
        elif isinstance(entry, list) and len(entry) == 2 and type(entry[0]) in (str, int) and _is_score(entry[1]):
            return str(entry[0]), _score(entry[1])
        raise self._fault(entry, line)

    def _fault(self, found: object, line: int) -> FormatError:
        name = found if isinstance(found, str) else json.dumps(found)
        message = f"'{name[:40]}' is neither a list of ids nor an object of numbers by id; {ACCEPTED}"
        return FormatError(self.path, message, line)

    def numbered(self) -> TrecFile | None:
        """The run if its lists have numbers, else None; FormatError if some have and others have none."""
        rows = [(name, model, number, line) for name, (_, found) in self.lists.items() for model, number, line in found]
        numbered = [row for row in rows if row[2] is not None]
        if not numbered:
            return None
        if len(numbered) < len(rows):
            other = next(row for row in rows if row[2] is None)
            message = f"'{other[0][:40]}' is a list, '{numbered[0][0][:40]}' an object of numbers"
            raise FormatError(self.path, message, other[3])
        queries, models, numbers, lines = zip(*numbered, strict=True)
        scores = np.array(numbers, np.float64)
        nearer = self.nearer or guess_direction(queries, scores.tolist())
        title = f"JSON with the numbers of {count_of(len(self.lists), 'query', 'queries')}"
        has_direction = bool(self.nearer)
        return trec_file_of_pairs(
            self.path, queries, models, scores, lines, self.findings, title, nearer, has_direction=has_direction
        )


def _are_results(key: str, value: list[Any]) -> bool:
    """Whether the only list of an object holds all results, not those of one query."""
    is_record = bool(value) and isinstance(value[0], JsonObject) and find_name(QUERY_NAMES, value[0].keys) is not None
    return is_record or find_name(LIST_NAMES, [key]) is not None


def is_json(text: str) -> bool:
    """Whether a text begins like an object or a list."""
    return text.lstrip("\ufeff \t\r\n").startswith(("{", "["))


def starts_like_lists(text: str) -> bool:
    """Whether the beginning of a JSON text is that of ranked lists, by reading it up to its last comma."""
    found = KeyedLists(Path())
    with suppress(FormatError):
        first, _, rest = text.strip().partition("\n")
        text = first if rest.strip() and _is_complete(first) else _closed(text)
        found.add(parse_json(Path(), text, JsonObject), _KeyLines(text))
        lists = list(found.lists.values())
        return bool(lists) and (len(lists[0][1]) >= MIN_ENTRIES or (rest.strip() != "" and len(lists[0][1]) == 1))
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


def read_json_lists(path: Path, text: str) -> KeyedLists:
    """Lists of a text; JSON Lines if its first line is a whole object.

    Raises
    ------
    FormatError
        With the line, when it is not valid, or has other content.
    """
    if text.count(",") > MAX_ENTRIES:
        raise limit_error(MAX_ENTRIES, "entries", path)
    found = KeyedLists(path)
    first, _, rest = text.lstrip().partition("\n")
    if not rest.strip() or not _is_complete(first):
        found.add(parse_json(path, text, JsonObject), _KeyLines(text))
        return found
    for number, line in enumerate(text.split("\n"), 1):
        try:
            content = parse_json(path, line, JsonObject) if line.strip() else []
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
