"""Submissions in one table, one row per query: ``query,model1,...,modelN``, best first."""

import csv
import re
from pathlib import Path

import numpy as np

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.core.found_files import Match
from shrec_viewer.formats.io.limits import MAX_ENTRIES, beyond
from shrec_viewer.formats.io.progress import NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.tables import separator_of
from shrec_viewer.formats.io.text import FileHead, is_number, read_list_text
from shrec_viewer.formats.runs.list_run import ListRun

MIN_MODELS = 3
"""Minimum number of models in a row; shorter rows are other tables."""

MIN_CERTAIN_LENGTH = 20
"""Number of distinct whole numbers in a row from which they are ids: distances repeat or have fractions."""

VALID_ROW_SHARE = 0.75
"""Minimum share of valid rows for a file to be of this format."""

_FRACTION = re.compile(r"[-+]?[0-9]*[.,][0-9]*(?:[eE][-+]?[0-9]+)?|[-+][0-9]+")
"""Numbers that are not ids."""

QUERY_COLUMN_HEADERS = ("query", "queryid", "query id", "query_id", "qid")


def is_submission(head: FileHead) -> bool:
    """Whether the first cells are distinct, and the others are ids: with a digit, without blanks, distinct in a row.

    Whole numbers can be distances; they are ids if every row has the same ones, or so many that distances would repeat.
    """
    rows = _head_rows(head)
    good = [row for row in rows if len(row) > MIN_MODELS and _are_ids(row[1:])]
    if len({row[0] for row in good}) < max(1, VALID_ROW_SHARE * len(rows)):
        return False
    if not all(word.isdigit() for row in good for word in row[1:]):
        return True
    complete = good if head.is_complete or len(head.lines) > 1 else []
    if len(complete) > 1:
        models = set(complete[0][1:])
        same = sum(set(row[1:]) == models for row in complete)
        is_matrix_of_ranks = all(set(row) == {complete[0][0], *models} for row in complete)
        return same >= VALID_ROW_SHARE * len(complete) and not is_matrix_of_ranks
    return len(good[0]) > MIN_CERTAIN_LENGTH


def match_submission(head: FileHead) -> Match:
    """Certain for a table of ids; for a table that could hold results as well, only if it is named as a run."""
    if is_submission(head):
        return Match.CERTAIN
    return Match.IF_NAMED if may_be_submission(head) else Match.NO


def may_be_submission(head: FileHead) -> bool:
    """Whether most rows begin with a distinct word that is not a number, followed by distinct ids.

    Tables of results can match as well, so that this is used only for files that are named as runs.
    """
    rows = _head_rows(head)
    good = [row for row in rows if len(row) > MIN_MODELS and _are_ids(row[1:]) and not is_number(row[0])]
    return len({row[0] for row in good}) >= max(1, VALID_ROW_SHARE * len(rows))


def _head_rows(head: FileHead) -> list[list[str]]:
    separator = separator_of(head.lines[0]) if head.lines else None
    if separator is None:
        return []
    rows = [_cells(line.strip().rstrip(separator), separator) for line in head.lines]
    if len(rows) == 1 and not head.is_complete:
        rows[0].pop()  # the last cell is incomplete
    if len(rows) > 1 and rows[0][0].casefold() in QUERY_COLUMN_HEADERS:
        rows.pop(0)
    return rows


def _cells(line: str, separator: str) -> list[str]:
    if '"' in line:
        try:
            return [cell.strip() for cell in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
        except csv.Error:
            pass
    return [cell.strip() for cell in line.split(separator)]


def _are_ids(words: list[str]) -> bool:
    return len(set(words)) == len(words) and all(map(_is_id, words))


def _is_id(word: str) -> bool:
    has_digit = any(letter.isdigit() for letter in word)
    return has_digit and not set(word) & set(" \t,;") and not _FRACTION.fullmatch(word)


def read_submission(path: Path, progress: ReadProgress = NO_PROGRESS) -> ListRun:
    """Read all rows of a submission; a header is ignored, and a duplicate query is a finding.

    Raises
    ------
    FormatError
        When it is not a table, or has no rows.
    """
    text = read_list_text(path)
    separator = separator_of(next((line for line in text.split("\n") if line.strip()), ""))
    if separator is None:
        raise FormatError(path, "is not a table: it contains no comma, semicolon or tab", 1)
    if text.count(separator) > MAX_ENTRIES:
        raise beyond(MAX_ENTRIES, "cells", path)
    found: dict[str, tuple[int, tuple[str, ...]]] = {}
    findings = []
    reader = csv.reader(text.split("\n"), delimiter=separator, skipinitialspace=True)
    before = 0
    try:
        for row in reader:
            if reader.line_num > before + 1:
                raise FormatError(path, "a quotation mark in this line is not closed", before + 1)
            before = reader.line_num
            cells = [cell.strip() for cell in row]
            while cells and not cells[-1]:
                cells.pop()
            if not cells or (not found and cells[0].casefold() in QUERY_COLUMN_HEADERS):
                continue
            if cells[0] in found:
                message = f"duplicate row for '{cells[0]}' (first in line {found[cells[0]][0]})"
                findings.append(Finding(Severity.ERROR, str(path), reader.line_num, message, "first occurrence used"))
                continue
            found[cells[0]] = (reader.line_num, tuple(cells[1:]))
    except csv.Error as error:
        raise FormatError(path, f"is not a table: {error}", reader.line_num) from error
    if not any(words for _, words in found.values()):
        raise FormatError(path, "lists nothing")
    lines = np.array([line for line, _ in found.values()], np.int32)
    return ListRun(path, tuple(found), tuple(words for _, words in found.values()), lines, tuple(findings))
