"""TREC runs: ``query Q0 model rank score tag``, ordered by score whatever the lines and ranks say."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.blocks import blocks
from shrec_viewer.formats.growing import Growing
from shrec_viewer.formats.text import Head, decode, is_number, read_head, reason
from shrec_viewer.formats.watch import LARGE, NOBODY, Watch
from shrec_viewer.formats.word_codes import WordCodes, in_order_met
from shrec_viewer.formats.word_columns import WordColumns, word_columns

COLUMNS = 6

GOOD_SHARE = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""

KIND = "trec"

RECORD = np.dtype([("query", "<i4"), ("model", "<i4"), ("ranks", "<f4"), ("scores", "<f8"), ("lines", "<i4")])
"""What is kept of a line, the names those of `TrecFile`: half of the text or less."""


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
    title : what it is, where it is no TREC run but a table of pairs.
    nearer : "larger" or "smaller" scores.
    is_told : the file itself says which.
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
    title: str = ""
    nearer: str = "larger"
    is_told: bool = True


def is_trec(head: Head) -> bool:
    """Whether nearly all lines have six columns, the second never changes, rank and score are numbers."""
    good = [row for row in head.rows if len(row) == COLUMNS and is_number(row[3]) and is_number(row[4])]
    return (
        len(good) >= max(1, GOOD_SHARE * len(head.rows))
        and len({row[1] for row in good}) == 1
        and (good[0][1].upper() in ("Q0", "0") or not is_number(good[0][1]))
    )


def read_trec(path: Path, watch: Watch = NOBODY, models: WordCodes | None = None) -> TrecFile:
    """All lines of a TREC run, parsed in pieces; mapped from the cache of `watch` where they are many.

    A line without six columns is a finding and left out; a score that is no number becomes NaN, with a finding.

    Parameters
    ----------
    models : ids met in other runs of the same contest, which need not be learnt anew; more are added.

    Raises
    ------
    FormatError
        When no line can be used.
    Cancelled
        When `watch` no longer waits.
    """
    try:
        size = read_head(path).size
        cache = watch.cache if size >= LARGE else None
        key = cache.key(KIND, path) if cache is not None else None
        if cache is not None and (kept := cache.get(key)) is not None:
            return _file(path, *kept)
        known = models if size < LARGE else None  # what is mapped is written once
        with Growing(RECORD, cache, key) as records:
            reading = _Reading(path, records) if known is None else _Reading(path, records, models=known)
            for block in blocks(path, size, watch):
                reading.take(block.data)
            words = reading.words()
            found = records.finish((len(records),), words, cache.key(KIND, path) if cache is not None else None)
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    if found is None:
        return read_trec(path, replace(watch, cache=None), models)
    if known is not None:
        met, found["model"] = in_order_met(found["model"], len(known.places))
        words["models"] = [words["models"][place] for place in met]
    return _file(path, found, words)


def _file(path: Path, records: NDArray[Any], words: Mapping[str, Any]) -> TrecFile:
    findings = tuple(
        Finding(Severity(severity), str(path), line, message, action, count)
        for severity, line, message, action, count in words["findings"]
    )
    names: dict[str, Any] = {name: tuple(words[name]) for name in ("queries", "models", "tags")}
    columns: dict[str, Any] = {name: records[name] for name in RECORD.names or ()}
    return TrecFile(path=path, findings=findings, **names, **columns)


@dataclass(eq=False)
class _Reading:
    """The blocks read so far."""

    path: Path
    records: Growing
    queries: WordCodes = field(default_factory=WordCodes)
    models: WordCodes = field(default_factory=WordCodes)
    tags: WordCodes = field(default_factory=WordCodes)
    n_lines: int = 0
    odd: tuple[int, int, int] = (0, 0, 0)
    """How many lines have not six columns, the first of them, and how many columns that has."""
    bad: tuple[int, int, str] = (0, 0, "")
    """How many scores are no number, the line of the first, and its word."""

    def take(self, data: bytes) -> None:
        """Take in some whole lines."""
        if not self._quickly(data):
            self._carefully(decode(data).split("\n"))

    def _quickly(self, data: bytes) -> bool:
        """Whether all lines have six columns and numbers where they should be; nothing is taken in otherwise."""
        found = word_columns(data, COLUMNS)
        if found is None:
            return False
        scores, ranks = _scores(found), _ranks(found)
        if scores is None or ranks is None:
            return False
        self.tags.codes(found, 5)
        query, model = self.queries.codes(found, 0), self.models.codes(found, 2)
        self._append(query, model, ranks, scores, found.lines)
        self.n_lines += found.n_lines
        return True

    def _append(
        self,
        query: NDArray[np.int32],
        model: NDArray[np.int32],
        ranks: NDArray[Any],
        scores: NDArray[np.float64],
        lines: NDArray[np.int32],
    ) -> None:
        records = np.empty(len(query), RECORD)
        records["query"], records["model"], records["scores"] = query, model, scores
        records["lines"] = lines + np.int32(self.n_lines)
        with np.errstate(over="ignore"):  # a rank beyond all float32 is infinite
            records["ranks"] = ranks
        self.records.append(records)

    def _carefully(self, text: list[str]) -> None:
        """Line by line: those with six columns, and others that say something are counted."""
        text[0] = text[0].removeprefix("\ufeff")
        rows = [[] if line.lstrip().startswith("#") else line.split() for line in text]
        good = [number for number, row in enumerate(rows, 1) if len(row) == COLUMNS]
        odd = [number for number, row in enumerate(rows, 1) if row and len(row) != COLUMNS]
        if odd:
            count, line, width = self.odd
            first = (line, width) if count else (odd[0] + self.n_lines, len(rows[odd[0] - 1]))
            self.odd = (count + len(odd), *first)
        if good:
            self._words(list(chain.from_iterable(rows[number - 1] for number in good)), np.array(good, np.int32))
        self.n_lines += len(text) - (not text[-1])

    def _words(self, words: list[str], lines: NDArray[np.int32]) -> None:
        scores = numbers(words[4::COLUMNS])
        bad = [place for place in np.flatnonzero(np.isnan(scores)) if not is_number(words[4 + COLUMNS * place])]
        if bad:
            count, line, word = self.bad
            first = (line, word) if count else (int(lines[bad[0]]) + self.n_lines, words[4 + COLUMNS * bad[0]])
            self.bad = (count + len(bad), *first)
        _codes(words[5::COLUMNS], self.tags)
        query, model = _codes(words[0::COLUMNS], self.queries), _codes(words[2::COLUMNS], self.models)
        self._append(query, model, numbers(words[3::COLUMNS]), scores, lines)

    def words(self) -> dict[str, Any]:
        """Ids, tags and findings, as the cache keeps them; FormatError where no line can be used."""
        findings = []
        count, line, width = self.odd
        if count:
            message = f"{COLUMNS} columns 'query Q0 model rank score tag' are expected, found {width}"
            if not len(self.records):
                raise FormatError(self.path, message, line)
            findings.append([Severity.ERROR.value, line, message, "left out", count])
        if not len(self.records):
            raise FormatError(self.path, "lists nothing")
        count, line, word = self.bad
        if count:
            message, action = f"the score '{word[:40]}' is no number", "the model goes to the end of its list"
            findings.append([Severity.ERROR.value, line, message, action, count])
        names = {name: getattr(self, name).names() for name in ("queries", "models", "tags")}
        return {**names, "findings": findings}


def _scores(found: WordColumns) -> NDArray[np.float64] | None:
    plain = found.decimals(4)
    return plain if plain is not None else found.numbers(4)


def _ranks(found: WordColumns) -> NDArray[Any] | None:
    whole = found.whole_numbers(3)
    return whole if whole is not None else found.numbers(3)


def _codes(words: list[str], known: WordCodes) -> NDArray[np.int32]:
    """Number of each word among the known ones, (n,) int32; new ones are added."""
    places = {word: known.place(word.encode()) for word in dict.fromkeys(words)}
    return np.fromiter(map(places.__getitem__, words), np.int32, len(words))


def numbers(words: list[str]) -> NDArray[np.float64]:
    """Decimal numbers of words, (n,) float64; NaN for words that are none (and for ``nan``)."""
    try:
        found = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return np.array([float(word) if is_number(word) else np.nan for word in words], np.float64)
    if "_" in "".join(words):
        found[[not is_number(word) for word in words]] = np.nan
    return found
