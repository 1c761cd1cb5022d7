"""TREC runs: ``query Q0 model rank score tag``, ordered by score whatever the lines and ranks say."""

from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.text import Head, is_number, read_lines

COLUMNS = 6


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
    """Whether lines have six columns, the second never changes, rank and score are numbers."""
    rows = head.rows
    return (
        bool(rows)
        and all(len(row) == COLUMNS and is_number(row[3]) and is_number(row[4]) for row in rows)
        and len({row[1] for row in rows}) == 1
        and (rows[0][1].upper() in ("Q0", "0") or not is_number(rows[0][1]))
    )


def read_trec(path: Path) -> TrecFile:
    """All lines of a TREC run.

    A line without six columns is a finding and left out; a score that is no number becomes NaN, with a finding.

    Raises
    ------
    FormatError
        When no line can be used.
    """
    rows = [line.split() for line in read_lines(path)]
    lines, odd = _usable(rows)
    findings = []
    if len(odd):
        message = f"{COLUMNS} columns 'query Q0 model rank score tag' are expected, found {len(rows[odd[0] - 1])}"
        if not len(lines):
            raise FormatError(path, message, int(odd[0]))
        action = "left out"
        findings.append(Finding(Severity.ERROR, str(path), int(odd[0]), message, action, len(odd)))
    if not len(lines):
        raise FormatError(path, "lists nothing")
    words = list(chain.from_iterable(rows[line - 1] for line in lines))
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


def _usable(rows: list[list[str]]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Lines with six columns, and lines with another number that are neither blank nor comments; 1-based."""
    lengths = np.fromiter(map(len, rows), np.int32, len(rows))
    odd = [i + 1 for i in np.flatnonzero((lengths != COLUMNS) & (lengths > 0)) if not rows[i][0].startswith("#")]
    good = np.flatnonzero(lengths == COLUMNS) + 1
    comments = [place for place, line in enumerate(good) if rows[line - 1][0].startswith("#")]
    return np.delete(good, comments).astype(np.int32), np.array(odd, np.int32)


def numbers(words: list[str]) -> NDArray[np.float64]:
    """Decimal numbers of words, (n,) float64; NaN for words that are none (and for ``nan``)."""
    try:
        found = np.fromiter(map(float, words), np.float64, len(words))
    except ValueError:
        return np.array([float(word) if is_number(word) else np.nan for word in words], np.float64)
    if "_" in "".join(words):
        found[[not is_number(word) for word in words]] = np.nan
    return found
