"""TREC runs: ``query Q0 model rank score tag``, ordered by score whatever the lines and ranks say."""

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.packed import opened
from shrec_viewer.formats.text import Head, decode, is_number, is_utf16, looks_like_text, read_bytes, reason
from shrec_viewer.formats.uniform import uniform_words
from shrec_viewer.formats.watch import LARGE, NOBODY, Watch

COLUMNS = 6

GOOD_SHARE = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""

BLOCK = 2**22
"""Bytes whose words are held at the same time; Python's words take twenty times the space of the text."""

ARRAYS = ("query", "model", "ranks", "scores", "lines")


@dataclass(frozen=True, eq=False)
class TrecFile:
    """A TREC run as it stands, in file order.

    Attributes
    ----------
    path : the file.
    queries, models : distinct ids, in file order.
    query, model : (n,) int32, which of them each line names.
    ranks : (n,) float32, the rank column; NaN where it is no number. Evaluators ignore it.
    scores : (n,) float64, larger is nearer; NaN where it is no number.
    lines : (n,) int32, 1-based line of each.
    tags : distinct run tags, in file order.
    findings : lines that could not be used.
    """

    path: Path
    queries: tuple[str, ...]
    models: tuple[str, ...]
    query: NDArray[np.int32]
    model: NDArray[np.int32]
    ranks: NDArray[np.float32]
    scores: NDArray[np.float64]
    lines: NDArray[np.int32]
    tags: tuple[str, ...]
    findings: tuple[Finding, ...]


def is_trec(head: Head) -> bool:
    """Whether nearly all lines have six columns, the second never changes, rank and score are numbers."""
    good = [row for row in head.rows if len(row) == COLUMNS and is_number(row[3]) and is_number(row[4])]
    return (
        len(good) >= max(1, GOOD_SHARE * len(head.rows))
        and len({row[1] for row in good}) == 1
        and (good[0][1].upper() in ("Q0", "0") or not is_number(good[0][1]))
    )


def read_trec(path: Path, watch: Watch = NOBODY) -> TrecFile:
    """All lines of a TREC run, read in blocks: the words of a large file never stand in memory together.

    A line without six columns is a finding and left out; a score that is no number becomes NaN, with a finding.

    Raises
    ------
    FormatError
        When no line can be used.
    """
    try:
        size = path.stat().st_size
        cache = watch.cache if size >= LARGE else None
        key = cache.key("trec", path) if cache is not None else None
        if cache is not None and (kept := cache.get(key)) is not None:
            return _from_cache(path, *kept)
        reading = _Reading(path)
        for done, block in _blocks(path):
            watch.step(path, done, size)
            reading.block(block)
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    found = reading.result()
    if cache is not None and key == cache.key("trec", path):  # it did not change meanwhile
        words = {"queries": found.queries, "models": found.models, "tags": found.tags}
        noticed = [[f.severity.value, f.line, f.message, f.action, f.count] for f in found.findings]
        cache.put(key, {name: getattr(found, name) for name in ARRAYS}, {**words, "findings": noticed})
    return found


def _from_cache(path: Path, arrays: Any, words: dict[str, Any]) -> TrecFile:
    findings = tuple(
        Finding(Severity(severity), str(path), line, message, action, count)
        for severity, line, message, action, count in words["findings"]
    )
    names: dict[str, Any] = {name: tuple(words[name]) for name in ("queries", "models", "tags")}
    return TrecFile(path=path, findings=findings, **names, **{name: arrays[name] for name in ARRAYS})


def _blocks(path: Path) -> Iterator[tuple[int, bytes]]:
    """Whole lines, a few million bytes at a time, with how much of the file was read for them."""
    with opened(path) as stream:
        start = stream.read(2)
    if is_utf16(start):
        whole = io.BytesIO(decode(read_bytes(path)).encode())
        yield from _whole_lines(whole)
        return
    with opened(path) as stream:
        yield from _whole_lines(stream)


def _whole_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    left = b""
    done = 0
    while data := stream.read(BLOCK):
        done += len(data)
        left += data
        end = left.rfind(b"\n") + 1
        if end:
            yield done, left[:end]
            left = left[end:]
    if left:
        yield done, left


@dataclass(eq=False)
class _Reading:
    """The blocks read so far."""

    path: Path
    queries: dict[str, int] = field(default_factory=dict)
    models: dict[str, int] = field(default_factory=dict)
    tags: dict[str, None] = field(default_factory=dict)
    parts: list[tuple[NDArray[Any], ...]] = field(default_factory=list)
    n_lines: int = 0
    odd: tuple[int, int, int] = (0, 0, 0)
    """How many lines have not six columns, the first of them, and how many columns that has."""
    bad: tuple[int, int, str] = (0, 0, "")
    """How many scores are no number, the line of the first, and its word."""

    def block(self, data: bytes) -> None:
        """Take in some whole lines."""
        if not looks_like_text(data):
            raise FormatError(self.path, "is not a text file")
        plain = uniform_words(data)
        if plain is not None and plain.width == COLUMNS and plain.first is None:
            words, lines = plain.words, np.arange(1, plain.n_lines + 1, dtype=np.int32)
            count = plain.n_lines
        else:
            text = decode(data).split("\n")
            words, lines = self._careful(text)
            count = len(text) - (not text[-1])
        if words:
            words[0] = words[0].removeprefix("\ufeff") or words[0]
            self._words(words, lines + np.int32(self.n_lines))
        self.n_lines += count

    def _words(self, words: list[str], lines: NDArray[np.int32]) -> None:
        scores = numbers(words[4::COLUMNS])
        bad = [place for place in np.flatnonzero(np.isnan(scores)) if not is_number(words[4 + COLUMNS * place])]
        if bad:
            count, line, word = self.bad
            first = (line, word) if count else (int(lines[bad[0]]), words[4 + COLUMNS * bad[0]])
            self.bad = (count + len(bad), *first)
        self.tags.update(dict.fromkeys(words[5::COLUMNS]))
        query, model = _codes(words[0::COLUMNS], self.queries), _codes(words[2::COLUMNS], self.models)
        with np.errstate(over="ignore"):  # a rank beyond all float32 is infinite
            ranks = numbers(words[3::COLUMNS]).astype(np.float32)
        self.parts.append((query, model, ranks, scores, lines))

    def _careful(self, text: list[str]) -> tuple[list[str], NDArray[np.int32]]:
        """Words of the lines with six columns, and these lines; others that say something are counted."""
        rows = [[] if line.lstrip().startswith("#") else line.split() for line in text]
        good = [number for number, row in enumerate(rows, 1) if len(row) == COLUMNS]
        odd = [number for number, row in enumerate(rows, 1) if row and len(row) != COLUMNS]
        if odd:
            count, line, width = self.odd
            first = (line, width) if count else (odd[0] + self.n_lines, len(rows[odd[0] - 1]))
            self.odd = (count + len(odd), *first)
        return list(chain.from_iterable(rows[number - 1] for number in good)), np.array(good, np.int32)

    def result(self) -> TrecFile:
        findings = []
        count, line, width = self.odd
        if count:
            message = f"{COLUMNS} columns 'query Q0 model rank score tag' are expected, found {width}"
            if not self.parts:
                raise FormatError(self.path, message, line)
            findings.append(Finding(Severity.ERROR, str(self.path), line, message, "left out", count))
        if not self.parts:
            raise FormatError(self.path, "lists nothing")
        count, line, word = self.bad
        if count:
            message, action = f"the score '{word[:40]}' is no number", "the model goes to the end of its list"
            findings.append(Finding(Severity.ERROR, str(self.path), line, message, action, count))
        columns: dict[str, Any] = {
            name: np.concatenate([part[place] for part in self.parts]) for place, name in enumerate(ARRAYS)
        }
        names: dict[str, Any] = {name: tuple(getattr(self, name)) for name in ("queries", "models", "tags")}
        return TrecFile(path=self.path, findings=tuple(findings), **names, **columns)


def _codes(words: list[str], known: dict[str, int]) -> NDArray[np.int32]:
    """Place of each word among the known ones, (n,) int32; new ones are added."""
    for word in dict.fromkeys(words):
        known.setdefault(word, len(known))
    return np.fromiter(map(known.__getitem__, words), np.int32, len(words))


def numbers(words: list[str]) -> NDArray[np.float64]:
    """Decimal numbers of words, (n,) float64; NaN for words that are none (and for ``nan``)."""
    try:
        found = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return np.array([float(word) if is_number(word) else np.nan for word in words], np.float64)
    if "_" in "".join(words):
        found[[not is_number(word) for word in words]] = np.nan
    return found
