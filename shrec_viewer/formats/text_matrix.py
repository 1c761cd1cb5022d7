"""ASCII matrices: numbers between blanks, commas or semicolons, or in columns of fixed width."""

import math
import re
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.packed import opened
from shrec_viewer.formats.text import Head, is_number, read_lines, reason
from shrec_viewer.formats.watch import LARGE, NOBODY, Watch

STEP = 2**21
"""Letters between two looks at whoever waits: a hundredth of a second."""

FEWEST_COLUMNS = 3
"""One or two columns of numbers are a list, a curve or a score, no matrix of distances."""

NUMERIC_SHARE = 0.95
"""Share of words that are numbers from which a text was meant as a matrix; a wrong word then gets a sentence."""

_NUMBERS = re.compile(r"[-+]?[0-9]+,[0-9]+|(?:[-+]?[0-9]*+\.[0-9]++)+")
"""Numbers with a decimal comma, or that touch each other; digits are never given back, which would take for ever."""

_WINDOWS_NAN = re.compile(r"[-+]?1\.#(?:IND|QNAN|SNAN|INF)0*")
"""How C programs on Windows wrote what is no number."""

_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+([eE][-+]?[0-9]+)?")


def is_text_matrix(head: Head) -> bool:
    """Whether lines of three or more words are numbers, but for a few faulty ones; of a long line its beginning."""
    first = head.lines[0] if head.lines else ""
    if max(len(words_of(first)), first.count(".")) < FEWEST_COLUMNS:
        return False
    rows = [words_of(line) for line in head.lines]
    if len(rows) == 1 and not head.is_complete:
        rows[0].pop()
    words = [word for row in rows for word in row]
    numeric = sum(is_number(word) or _NUMBERS.fullmatch(word) is not None for word in words)
    return numeric >= NUMERIC_SHARE * len(words)


def read_text_matrix(path: Path, watch: Watch = NOBODY) -> tuple[NDArray[np.float64], list[Finding]]:
    """Numbers of an ASCII matrix.

    Returns
    -------
    values : (R, M) float64, or (n,) where the lines differ in length: to the formats' own readers line breaks mean
        nothing, so such a matrix is whole if its total fits.
    findings : how it was understood, where that was not plain.

    Raises
    ------
    FormatError
        With the line of the first word that is no number.

    Notes
    -----
    Read as float64: six decimals of a distance do not survive in float32, and distances that differ would tie.
    """
    try:
        size = path.stat().st_size
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    cache = watch.cache if size >= LARGE else None
    key = cache.key("matrix", path) if cache is not None else None
    if cache is not None and (kept := cache.get(key)) is not None:
        return kept[0]["values"], [Finding(Severity(how), str(path), *rest) for how, *rest in kept[1]["findings"]]
    values = _quick(path, watch, size)
    values, findings = (values, []) if values is not None else _careful(path)
    if cache is not None and key == cache.key("matrix", path):  # it did not change meanwhile
        noticed = [[f.severity.value, f.line, f.message, f.action, f.count] for f in findings]
        if cache.put(key, {"values": values}, {"findings": noticed}) and (kept := cache.get(key)) is not None:
            values = kept[0]["values"]  # mapped: the memory is free for others
    return values, findings


def _lines(text: TextIO, path: Path, watch: Watch, size: int) -> Iterator[str]:
    """Lines of a text, with a step after each piece that takes long enough to be noticed."""
    done = since = 0
    for line in text:
        since += len(line)
        if since >= STEP:
            done, since = done + since, 0
            watch.step(path, done, size)
        yield line


def _quick(path: Path, watch: Watch, size: int) -> NDArray[np.float64] | None:
    """The reader of numpy, which checks every word and the number of words in every line; None where it finds fault."""
    separator = _separator(path)
    if separator is None:
        return None
    try:
        # A `#` may stand inside a number: Windows wrote NaN as 1.#IND. Comments are left to the careful way.
        with opened(path) as stream, TextIOWrapper(stream, "utf-8-sig") as text:
            lines = _lines(text, path, watch, size)
            values = np.loadtxt(lines, ndmin=2, delimiter=separator or None, comments=None)
    except (ValueError, OSError, OverflowError):
        return None
    return values if values.size else None


def _separator(path: Path) -> str | None:
    """The separator of the first line with words, "" for white space, None where there is no such line to go by."""
    try:
        with opened(path) as stream, TextIOWrapper(stream, "utf-8-sig", errors="replace") as text:
            for line in text:
                if line.strip() and not line.lstrip().startswith("#"):
                    return ";" if ";" in line else "," if re.search(r",\s|,.*,", line) and "\t" not in line else ""
    except OSError as error:
        raise FormatError(path, reason(error)) from error
    return None


def words_of(line: str) -> list[str]:
    """Numbers of one line as words; commas separate, unless semicolons or blanks do and they are decimal commas."""
    if ";" in line:
        return [word.strip() for word in line.strip().strip(";").split(";")]
    words = line.split()
    if len(words) > 1 and all(_DECIMAL_COMMA.fullmatch(word) for word in words):
        return words
    return [word.strip() for word in line.strip().rstrip(",").split(",")] if "," in line else words


def _careful(path: Path) -> tuple[NDArray[np.float64], list[Finding]]:
    numbered = [(number, line) for number, line in enumerate(read_lines(path), 1) if line.strip()]
    numbered = [(number, line) for number, line in numbered if not line.lstrip().startswith("#")]
    if not numbered:
        raise FormatError(path, "holds no numbers")
    fixed = _fixed_width([line for _, line in numbered])
    if fixed is not None:
        action = "columns of fixed width, cut where the decimal points say"
        return fixed, [_finding(path, numbered[0][0], "numbers touch each other", action)]
    findings: list[Finding] = []
    rows = [_row(path, number, words_of(line), findings) for number, line in numbered]
    lengths = {len(row) for row in rows}
    if len(lengths) == 1:
        return np.array(rows, np.float64), findings
    line, length = next((numbered[i][0], len(rows[i])) for i in range(len(rows)) if len(rows[i]) != len(rows[0]))
    message = f"{length:,} numbers in this line, {len(rows[0]):,} in the first"
    findings.append(_finding(path, line, message, "the lines are read as one sequence of numbers"))
    return np.concatenate([np.array(row, np.float64) for row in rows]), findings


def _row(path: Path, number: int, words: list[str], findings: list[Finding]) -> list[float]:
    row = []
    for word in words:
        if _DECIMAL_COMMA.fullmatch(word):
            if not findings:
                findings.append(_finding(path, number, f"decimal comma in '{word}'", "read as a decimal point"))
            word = word.replace(",", ".")
        if not is_number(word) and not _WINDOWS_NAN.fullmatch(word):
            raise FormatError(path, f"'{word[:40]}' is no number", number)
        row.append(float(word) if is_number(word) else math.nan)
    return row


def _fixed_width(lines: list[str]) -> NDArray[np.float64] | None:
    """Numbers in columns of one width, as ``%10.6f`` writes them when they need all ten places.

    Only where blanks do not separate them already, and the decimal points of every line stand at equal distances.
    """
    if any(separator in lines[0] for separator in ",;\t"):
        return None
    points = [place for place, letter in enumerate(lines[0]) if letter == "."]
    width = points[1] - points[0] if len(points) > 1 else 0
    if width < 2 or len(points) == len(lines[0].split()):
        return None
    end = points[-1] + len(lines[0].rstrip()) - points[-1]
    rows = []
    for line in lines:
        line = line.rstrip()
        if len(line) != end or [place for place, letter in enumerate(line) if letter == "."] != points:
            return None
        cuts = range(end - width * len(points), end, width)
        words = [line[max(cut, 0) : cut + width].strip() for cut in cuts]
        if line[: max(end - width * len(points), 0)].strip() or not all(map(is_number, words)):
            return None
        rows.append([float(word) for word in words])
    return np.array(rows, np.float64)


def _finding(path: Path, line: int, message: str, action: str) -> Finding:
    return Finding(Severity.WARNING, str(path), line, message, action)
