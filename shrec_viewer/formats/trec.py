"""TREC runs: ``query Q0 model rank score tag``, ordered by score whatever the lines and ranks say."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.text import Head, decode, is_number, looks_like_text, read_bytes
from shrec_viewer.formats.uniform import uniform_words

COLUMNS = 6

GOOD_SHARE = 0.75
"""Share of lines that must be right for the others to be faults, and the file not of another format."""


@dataclass(frozen=True, eq=False)
class TrecFile:
    """A TREC run as it stands, in file order.

    Attributes
    ----------
    path : the file.
    queries : (n,) query id of each line.
    models : (n,) model id of each line.
    ranks : (n,) float64, the rank column; NaN where it is no number. Evaluators ignore it.
    scores : (n,) float64, larger is nearer; NaN where it is no number.
    lines : (n,) int32, 1-based line of each.
    tags : distinct run tags, in file order.
    findings : lines that could not be used.
    """

    path: Path
    queries: tuple[str, ...]
    models: tuple[str, ...]
    ranks: NDArray[np.float64]
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


def read_trec(path: Path) -> TrecFile:
    """All lines of a TREC run.

    A line without six columns is a finding and left out; a score that is no number becomes NaN, with a finding.

    Raises
    ------
    FormatError
        When no line can be used.
    """
    data = read_bytes(path)
    if not looks_like_text(data):
        raise FormatError(path, "is not a text file")
    findings: list[Finding] = []
    plain = uniform_words(data)
    if plain is not None and plain.width == COLUMNS and plain.first is None:
        words, lines = plain.words, np.arange(1, plain.n_lines + 1, dtype=np.int32)
    else:
        words, lines = _careful(path, decode(data).split("\n"), findings)
    scores = numbers(words[4::COLUMNS])
    bad = [place for place in np.flatnonzero(np.isnan(scores)) if not is_number(words[4 + COLUMNS * place])]
    if bad:
        message = f"the score '{words[4 + COLUMNS * bad[0]][:40]}' is no number"
        action = "the model goes to the end of its list"
        findings.append(Finding(Severity.ERROR, str(path), int(lines[bad[0]]), message, action, len(bad)))
    return TrecFile(
        path,
        tuple(words[0::COLUMNS]),
        tuple(words[2::COLUMNS]),
        numbers(words[3::COLUMNS]),
        scores,
        lines,
        tuple(dict.fromkeys(words[5::COLUMNS])),
        tuple(findings),
    )


def _careful(path: Path, text: list[str], findings: list[Finding]) -> tuple[list[str], NDArray[np.int32]]:
    """Words of the lines with six columns, and these lines; others that say something are a finding."""
    rows = [[] if line.lstrip().startswith("#") else line.split() for line in text]
    good = [number for number, row in enumerate(rows, 1) if len(row) == COLUMNS]
    odd = [number for number, row in enumerate(rows, 1) if row and len(row) != COLUMNS]
    if odd:
        message = f"{COLUMNS} columns 'query Q0 model rank score tag' are expected, found {len(rows[odd[0] - 1])}"
        if not good:
            raise FormatError(path, message, odd[0])
        findings.append(Finding(Severity.ERROR, str(path), odd[0], message, "left out", len(odd)))
    if not good:
        raise FormatError(path, "lists nothing")
    return list(chain.from_iterable(rows[number - 1] for number in good)), np.array(good, np.int32)


def numbers(words: list[str]) -> NDArray[np.float64]:
    """Decimal numbers of words, (n,) float64; NaN for words that are none (and for ``nan``)."""
    try:
        found = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return np.array([float(word) if is_number(word) else np.nan for word in words], np.float64)
    if "_" in "".join(words):
        found[[not is_number(word) for word in words]] = np.nan
    return found
