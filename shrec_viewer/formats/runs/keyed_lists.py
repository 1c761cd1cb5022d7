"""Runs in one file keyed by query: lines ``query: model model`` or a JSON object."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from shrec_viewer.domain import Finding, FormatError, RankedLists, Severity
from shrec_viewer.formats.core.found_files import Match
from shrec_viewer.formats.core.read_context import ReadContext
from shrec_viewer.formats.core.read_options import DETECT_ALL, ReadOptions
from shrec_viewer.formats.io.documents import parse_json
from shrec_viewer.formats.io.limits import MAX_ENTRIES, MAX_NAME_BYTES, beyond
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress, never_cancelled
from shrec_viewer.formats.io.text import FileHead, check_lines, read_text
from shrec_viewer.formats.runs.list_run import ListRun, rank_lists
from shrec_viewer.formats.runs.submission import MIN_MODELS
from shrec_viewer.formats.runs.trec import TrecFile, read_trec_run, trec_file_of_pairs

MIN_LINES = 3
"""Minimum number of lines; fewer lines ``word: words`` are notes."""

_JSON_START = re.compile(r'\s*\{\s*"[^"\n]+"\s*:\s*(?:\[\s*("[^"\n]+"|[0-9]+)\s*,\s*("[^"\n]+"|[0-9]+)\s*[,\]]|'
                   r'\{\s*"[^"\n]+"\s*:\s*(?:[-+0-9.eE]+|-?Infinity|NaN|null)\s*[,}])')  # fmt: skip
"""Beginning of an object whose first value is a list of ids or an object of numbers."""


def is_keyed_lists(head: FileHead) -> bool:
    """Whether it begins like an object of lists, or all lines are a word with a colon and several distinct ids."""
    if head.text is None:
        return False
    if head.text.lstrip("\ufeff \t\r\n").startswith("{"):
        return _JSON_START.match(head.text.removeprefix("\ufeff")) is not None
    rows = [_split_key(line) for line in head.lines]
    if len(rows) == 1 and not head.is_complete:
        rows.clear()
    if not head.is_complete and len(rows) > MIN_LINES:
        rows.pop()
    good = [words for name, words in rows if name and len(words) >= MIN_MODELS and len(set(words)) == len(words)]
    numbered = sum(any(letter.isdigit() for letter in word) for words in good for word in words)
    return len(rows) >= MIN_LINES and len(good) == len(rows) and 2 * numbered > sum(map(len, good))


def match_keyed_lists(head: FileHead) -> Match:
    """`Match.IF_IDS_KNOWN`, as settings are written in the same way."""
    return Match.IF_IDS_KNOWN if is_keyed_lists(head) else Match.NO


def _split_key(line: str) -> tuple[str, list[str]]:
    name, colon, rest = line.partition(":")
    is_name = bool(colon) and len(name.split()) == 1 and rest[:1].isspace()
    return (name.strip() if is_name else ""), rest.replace(",", " ").replace(";", " ").split()


def read_keyed_lists(path: Path, progress: ReadProgress = NO_PROGRESS) -> ListRun | TrecFile:
    """The list of each query, best first, or a TREC run for scores.

    In JSON, a value is a list of ids, or an object of similarities by id, as used by trec_eval bindings: the largest
    comes first. ``null`` is NaN. Of repeated keys the first is used.

    Raises
    ------
    FormatError
        When it is neither, or has no ids.
    """
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return _from_json(path, text)
    check_lines(path, text.encode())
    rows = [(number, *_split_key(line)) for number, line in enumerate(text.split("\n"), 1)]
    rows = [row for row in rows if row[1] or row[2]]
    for number, name, words in rows:
        if not name or not words:
            raise FormatError(path, "'query: model model ...' is expected", number)
    return _list_run(path, [(name, tuple(words), number) for number, name, words in rows])


def rank_keyed_lists(
    run: ListRun | TrecFile,
    context: ReadContext,
    options: ReadOptions = DETECT_ALL,
    cancelled: Callable[[], bool] = never_cancelled,
) -> RankedLists | None:
    """Ranked lists of a run, ordered by score if it has scores; see `rank_lists` and `read_trec_run`."""
    rank = read_trec_run if isinstance(run, TrecFile) else rank_lists
    return rank(run, context, options, cancelled)  # type: ignore[arg-type]


class _JsonObject(list[tuple[str, Any]]):
    """Pairs of a key and a value, also repeated ones."""


class _KeyLines:
    """Lines of the keys of a JSON text, which are looked up in their order: `json` returns none."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._line = 1

    def next_line(self, key: str) -> int:
        """1-based line of the next occurrence of a key; that of the previous one if it is written with escapes."""
        for word in (json.dumps(key, ensure_ascii=False), json.dumps(key)):
            found = self._text.find(word, self._position)
            if found >= 0:
                self._line += self._text.count("\n", self._position, found)
                self._position = found + len(word)
                break
        return self._line


def _from_json(path: Path, text: str) -> ListRun | TrecFile:
    if text.count(",") > MAX_ENTRIES:
        raise beyond(MAX_ENTRIES, "entries", path)
    content: Any = parse_json(path, text, _JsonObject)
    lines = _KeyLines(text)
    lists: list[tuple[str, tuple[str, ...], int]] = []
    pairs: list[tuple[str, str, float, int]] = []
    for name, value in content if isinstance(content, _JsonObject) else ():
        line = lines.next_line(name)
        if isinstance(value, _JsonObject) and all(_is_score(number) for _, number in value):
            pairs += [(name, model, _score(number), lines.next_line(model)) for model, number in value]
        elif isinstance(value, list) and all(type(word) in (str, int) for word in value):
            lists.append((name, tuple(map(str, value)), line))
        else:
            raise FormatError(path, f"'{name[:40]}' is neither a list of ids nor an object of numbers by id", line)
        words = [key for key, _ in value] if isinstance(value, _JsonObject) else lists[-1][1]
        longest = max((name, *words), key=len)
        if len(longest) > MAX_NAME_BYTES:
            line = text.count("\n", 0, max(text.find(longest), 0)) + 1
            raise beyond(MAX_NAME_BYTES, "characters in an id", path, line)
    if lists and pairs:
        raise FormatError(
            path, f"'{lists[0][0][:40]}' is a list, '{pairs[0][0][:40]}' an object of numbers", lists[0][2]
        )
    return _score_run(path, content, pairs) if pairs else _list_run(path, lists)


def _is_score(value: object) -> bool:
    return value is None or type(value) in (int, float)


def _score(value: float | None) -> float:
    try:
        return math.nan if value is None else float(value)
    except OverflowError:  # an integer beyond 1e308
        return math.copysign(math.inf, value or 0)


def _score_run(path: Path, content: _JsonObject, pairs: list[tuple[str, str, float, int]]) -> TrecFile:
    findings = []
    names = [name for name, _ in content]
    first_size = {name: len(value) for name, value in reversed(content)}
    if len(set(names)) < len(names):
        pairs, repeated = _without_repeated(pairs, first_size)
        findings = [_repeated_finding(path, name, line) for name, line in repeated]
    queries, models, scores, lines = zip(*pairs, strict=True)
    title = f"JSON object with the similarities of {len(first_size):,} queries"
    return trec_file_of_pairs(
        path, queries, models, np.array(scores), lines, findings, title, "larger", has_direction=True
    )


def _without_repeated(
    pairs: list[tuple[str, str, float, int]], sizes: dict[str, int]
) -> tuple[list[tuple[str, str, float, int]], list[tuple[str, int]]]:
    """Pairs of the first object of each query, and the name and line of each other one."""
    kept: list[tuple[str, str, float, int]] = []
    repeated: list[tuple[str, int]] = []
    left = dict(sizes)
    for pair in pairs:
        if left[pair[0]] > 0:
            left[pair[0]] -= 1
            kept.append(pair)
        elif not repeated or repeated[-1][0] != pair[0]:
            repeated.append((pair[0], pair[3]))
    return kept, repeated


def _repeated_finding(path: Path, name: str, line: int) -> Finding:
    message = f"'{name[:40]}' is a key twice"
    return Finding(Severity.ERROR, str(path), line, message, "the first list is used")


def _list_run(path: Path, rows: list[tuple[str, tuple[str, ...], int]]) -> ListRun:
    if not any(words for _, words, _ in rows):
        raise FormatError(path, "lists nothing")
    first: dict[str, tuple[tuple[str, ...], int]] = {}
    findings = []
    for name, words, line in rows:
        if name in first:
            findings.append(_repeated_finding(path, name, line))
        else:
            first[name] = words, line
    lines = np.array([line for _, line in first.values()], np.int32)
    return ListRun(path, tuple(first), tuple(words for words, _ in first.values()), lines, tuple(findings))
