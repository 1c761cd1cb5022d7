"""Runs in one file keyed by query: lines ``query: model model`` or a JSON object."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.core.found_files import Match
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, read_lines, read_text
from shrec_viewer.formats.runs.list_run import ListRun
from shrec_viewer.formats.runs.submission import MIN_MODELS

MIN_LINES = 3
"""Minimum number of lines; fewer lines ``word: words`` are notes."""

_JSON_START = re.compile(r'\s*\{\s*"[^"\n]+"\s*:\s*(?:\[\s*("[^"\n]+"|[0-9]+)\s*,\s*("[^"\n]+"|[0-9]+)\s*[,\]]|'
                   r'\{\s*"[^"\n]+"\s*:\s*[-+0-9.eE]+\s*[,}])')  # fmt: skip
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


def read_keyed_lists(path: Path, progress: ReadProgress = NO_PROGRESS) -> ListRun:
    """The list of each query, best first.

    In JSON, a value is a list of ids, or an object of similarities by id, as used by trec_eval bindings: the largest
    comes first, and equal ones are in file order.

    Raises
    ------
    FormatError
        When it is neither, or has no ids.
    """
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return _from_json(path, text)
    rows = [(number, *_split_key(line)) for number, line in enumerate(read_lines(path), 1)]
    rows = [row for row in rows if row[1] or row[2]]
    for number, name, words in rows:
        if not name or not words:
            raise FormatError(path, "'query: model model ...' is expected", number)
    return _submission_file(path, [(name, tuple(words), number) for number, name, words in rows])


def _from_json(path: Path, text: str) -> ListRun:
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        raise FormatError(path, "is not valid JSON", line) from error
    rows = []
    for name, value in content.items() if isinstance(content, dict) else ():
        if isinstance(value, dict) and all(isinstance(number, int | float) for number in value.values()):
            value = sorted(value, key=lambda word: -value[word])
        if not isinstance(value, list) or not all(isinstance(word, str | int) for word in value):
            raise FormatError(path, f"'{name[:40]}' is neither a list of ids nor an object of numbers by id")
        rows.append((name, tuple(map(str, value)), 1))
    return _submission_file(path, rows)


def _submission_file(path: Path, rows: list[tuple[str, tuple[str, ...], int]]) -> ListRun:
    names = [name for name, _, _ in rows]
    if not any(words for _, words, _ in rows):
        raise FormatError(path, "lists nothing")
    again = next((row for index, row in enumerate(rows) if row[0] in names[:index]), None)
    if again is not None:
        raise FormatError(path, f"duplicate list for '{again[0]}'", again[2])
    lines = np.array([line for _, _, line in rows], np.int32)
    return ListRun(path, tuple(names), tuple(words for _, words, _ in rows), lines)
