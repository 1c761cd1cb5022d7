"""TREC runs: ``query Q0 model rank score tag``, ordered by score; ties keep file order."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.limits import MAX_IDS, MAX_NAME_BYTES, limit_error
from shrec_viewer.formats.io.parse_cache import GrowingArray
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, NO_PROGRESS, ReadProgress, read_blocks
from shrec_viewer.formats.io.tables import TokenCodes, TokenColumns, token_columns
from shrec_viewer.formats.io.text import FileHead, check_lines, decode, is_number, os_errors, read_file_head, with_point
from shrec_viewer.formats.runs.listed_run import ListedRun

N_COLUMNS = 6

#: Minimum share of valid lines for a file to be of this format.
VALID_LINE_SHARE = 0.75

TREC_CACHE_KIND = "trec"

#: Record of a line, with fields of `ListedRun`; half the size of the text or less.
RECORD = np.dtype([("query", "<i4"), ("model", "<i4"), ("ranks", "<f4"), ("scores", "<f8"), ("lines", "<i4")])

#: Tokens, ranks and scores of lines.
UniformColumns = tuple[TokenColumns, NDArray[np.float64], NDArray[np.float64]]


def is_trec(head: FileHead) -> bool:
    """Whether nearly all lines have six columns, the second is constant, and rank and score are numbers."""
    rows = [row for row in head.rows if len(row) == N_COLUMNS]
    good = [row for row in rows if is_number(row[3]) and is_number(with_point(row[4]))]
    return (
        len(good) >= max(1, VALID_LINE_SHARE * len(head.rows))
        and len({row[1] for row in good}) == 1
        and (good[0][1].upper() in ("Q0", "0") or not is_number(good[0][1]))
    )


def read_trec(path: Path, progress: ReadProgress = NO_PROGRESS) -> ListedRun:
    """All lines of a TREC run, parsed in blocks; mapped from the cache of `progress` if the file is large.

    A line without six columns is a finding and ignored; a score that is not a number becomes NaN, with a finding.

    Raises
    ------
    FormatError
        When no line can be used.
    Cancelled
        When ``progress.cancelled()`` becomes true.
    """
    with os_errors(path):
        size = read_file_head(path).size
        cache = progress.cache if size >= LARGE_TEXT_BYTES else None
        key = cache.key(TREC_CACHE_KIND, path) if cache is not None else None
        if cache is not None and (cached := cache.get(key)) is not None:
            with suppress(KeyError, TypeError, ValueError, IndexError):  # another content than was stored: parsed again
                return _trec_file(path, *cached)
        with GrowingArray(RECORD, cache, key) as records:
            parser = _TrecParser(path, records)
            map_blocks = progress.map_blocks if size >= LARGE_TEXT_BYTES else map
            for block, columns in map_blocks(_uniform_columns, read_blocks(path, size, progress)):
                parser.parse(block, columns)
            words = parser.words()
            found = records.finish(
                (len(records),), words, cache.key(TREC_CACHE_KIND, path) if cache is not None else None
            )
    if found is None:  # the cache was cleared before the file could be mapped
        return read_trec(path, replace(progress, cache=None))
    return _trec_file(path, found, words)


def _trec_file(path: Path, records: NDArray[Any], words: Mapping[str, Any]) -> ListedRun:
    findings = tuple(Finding(Severity(severity), str(path), *rest) for severity, *rest in words["findings"])
    names: dict[str, Any] = {name: tuple(words[name]) for name in ("queries", "models", "tags")}
    columns: dict[str, Any] = {name: records[name] for name in RECORD.names or ()}
    return ListedRun(path=path, findings=findings, **names, **columns)


def _uniform_columns(data: bytes) -> tuple[bytes, UniformColumns | None]:
    """Whole lines, and their columns if all have six and numbers."""
    found = token_columns(data, N_COLUMNS)
    scores = found.numbers(4) if found is not None else None
    ranks = found.numbers(3) if found is not None and scores is not None else None
    return data, None if found is None or ranks is None or scores is None else (found, ranks, scores)


@dataclass(eq=False)
class _TrecParser:
    """Parser of a TREC run, block by block."""

    path: Path
    records: GrowingArray
    queries: TokenCodes = field(default_factory=TokenCodes)
    models: TokenCodes = field(default_factory=TokenCodes)
    tags: TokenCodes = field(default_factory=TokenCodes)
    n_lines: int = 0
    #: Severity, line, message, action and count of malformed ``"lines"`` and of ``"scores"`` that are no numbers.
    faults: dict[str, list[Any]] = field(default_factory=dict)

    def parse(self, data: bytes, columns: UniformColumns | None) -> None:
        """Add some whole lines; `columns` if they are uniform."""
        before = self.n_lines
        if columns is None:
            self._parse_general(decode(data).split("\n"))
        else:
            self._add_columns(*columns)
        for codes in (self.queries, self.models, self.tags):
            if len(codes) > MAX_IDS:
                raise limit_error(MAX_IDS, "different ids", self.path, self.n_lines)
            if codes.longest > MAX_NAME_BYTES:
                check_lines(self.path, data, before)  # raises, with the line

    def _add_columns(self, found: TokenColumns, ranks: NDArray[np.float64], scores: NDArray[np.float64]) -> None:
        self.tags.encode_column(found, 5)
        query, model = self.queries.encode_column(found, 0), self.models.encode_column(found, 2)
        self._append(found.lines, query, model, ranks, scores)
        self.n_lines += found.n_lines

    def _append(self, lines: NDArray[np.int32], *columns: NDArray[Any]) -> None:
        """Append lines with the columns query, model, ranks and scores."""
        records = np.empty(len(lines), RECORD)
        with np.errstate(over="ignore"):  # ranks beyond the range of float32 become inf
            for name, column in zip(RECORD.names or (), (*columns, lines + np.int32(self.n_lines)), strict=True):
                records[name] = column
        self.records.append(records)

    def _parse_general(self, text: list[str]) -> None:
        """Parse line by line; other lines than those with six columns are counted."""
        text[0] = text[0].removeprefix("\ufeff")
        rows = [line.split() for line in text]
        if not self.n_lines and len(rows[0]) == N_COLUMNS and not any(map(is_number, map(with_point, rows[0][3:5]))):
            rows[0] = []  # a header
        good = [number for number, row in enumerate(rows, 1) if len(row) == N_COLUMNS]
        malformed = [number for number, row in enumerate(rows, 1) if row and len(row) != N_COLUMNS]
        if malformed:
            width = len(rows[malformed[0] - 1])
            message = f"{N_COLUMNS} columns 'query Q0 model rank score tag' are expected, found {width}"
            self._count("lines", malformed, message, "ignored")
        if good:
            self._parse_words(list(chain.from_iterable(rows[number - 1] for number in good)), np.array(good, np.int32))
        self.n_lines += len(text) - (not text[-1])

    def _parse_words(self, words: list[str], lines: NDArray[np.int32]) -> None:
        numbers = list(map(with_point, words[4::N_COLUMNS]))
        scores = parse_numbers(numbers)
        bad = [index for index in np.flatnonzero(np.isnan(scores)) if not is_number(numbers[index])]
        if bad:
            message = f"the score '{words[4 + N_COLUMNS * bad[0]][:40]}' is not a number"
            self._count("scores", lines[bad].tolist(), message, "the model is last in its list")
        query, model, _ = (
            codes.encode(list(map(str.encode, words[column::N_COLUMNS])))
            for codes, column in ((self.queries, 0), (self.models, 2), (self.tags, 5))
        )
        self._append(lines, query, model, parse_numbers(words[3::N_COLUMNS]), scores)

    def _count(self, kind: str, lines: Sequence[int], message: str, action: str) -> None:
        """Count lines with a fault, of which the first is a finding."""
        fault = self.faults.setdefault(kind, [Severity.ERROR.value, lines[0] + self.n_lines, message, action, 0])
        fault[-1] += len(lines)

    def words(self) -> dict[str, Any]:
        """Ids, tags and findings, as stored in the cache; FormatError if no line can be used."""
        if not len(self.records):
            _, line, message, *_ = self.faults.get("lines", (None, None, "lists nothing"))
            raise FormatError(self.path, message, line)
        names = {name: getattr(self, name).names() for name in ("queries", "models", "tags")}
        return {**names, "findings": [fault for _, fault in sorted(self.faults.items())]}


def parse_numbers(words: list[str]) -> NDArray[np.float64]:
    """Decimal numbers of words, (n,) float64; NaN for words that are not numbers (and for ``nan``)."""
    try:
        found = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return np.array([float(word) if is_number(word) else np.nan for word in words], np.float64)
    if "_" in "".join(words):
        found[[not is_number(word) for word in words]] = np.nan
    return found
