"""Read ASCII matrices separated by blanks, commas or semicolons, or of fixed width."""

import re
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.blocks import TextBlock, read_blocks
from shrec_viewer.formats.io.parse_cache import GrowingArray
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, NO_PROGRESS, ReadProgress
from shrec_viewer.formats.io.text import FileHead, decode, is_number, os_error_text, read_file_head

MIN_COLUMNS = 3
"""One or two columns of numbers are a list, a curve or a score, no matrix of distances."""

NUMERIC_SHARE = 0.95
"""Share of words that are numbers from which a text was meant as a matrix; a wrong word then gets a sentence."""

_NUMBERS = re.compile(r"[-+]?[0-9]+,[0-9]+|(?:[-+]?[0-9]*+\.[0-9]++)+")
"""Numbers with a decimal comma, or that touch each other; digits are never given back, which would take for ever."""

_WINDOWS = re.compile(rb"([-+]?)1\.#(IND|QNAN|SNAN|INF)0*(?=[\s,;]|$)")
"""How C programs on Windows wrote what is no number, or none beyond all."""

CACHE_KIND = "matrix"
RAGGED_ACTION = "the lines are read as one sequence of numbers"
TOUCHING_MESSAGE = "numbers touch each other"
POINT_ACTION = "read as a decimal point"
GROWING_LINES, SHRINKING_LINES = (f"each line has one number {kind} than the line before" for kind in ("more", "less"))
"""Lines of a triangle."""

_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+([eE][-+]?[0-9]+)?")


def is_text_matrix(head: FileHead) -> bool:
    """Whether lines of three or more words are numbers, but for a few faulty ones; of a long line its beginning."""
    first = head.lines[0] if head.lines else ""
    if _is_triangle(head.lines):
        return True
    if max(len(split_cells(first)), first.count(".")) < MIN_COLUMNS:
        return False
    rows = [split_cells(line) for line in head.lines]
    if len(rows) == 1 and not head.is_complete:
        rows[0].pop()
    words = [word for row in rows for word in row]
    numeric = sum(is_number(word) or _NUMBERS.fullmatch(word) is not None for word in words)
    return numeric >= NUMERIC_SHARE * len(words)


def _is_triangle(lines: tuple[str, ...]) -> bool:
    """Whether each line has one number more than the line before, from one or two on."""
    if len(lines) <= MIN_COLUMNS or len(split_cells(lines[0])) >= MIN_COLUMNS:
        return False
    if any(
        len(split_cells(after)) != len(split_cells(line)) + 1 for line, after in pairwise(lines)
    ):  # mostly the first two
        return False
    return all(is_number(word) for line in lines for word in split_cells(line))


def read_text_matrix(path: Path, watch: ReadProgress = NO_PROGRESS) -> tuple[NDArray[np.float64], list[Finding]]:
    """Numbers of an ASCII matrix, parsed in pieces; mapped from the cache of `watch` where they are many.

    Returns
    -------
    values : (R, M) float64, or (n,) where the lines differ in length: to the formats' own readers line breaks mean
        nothing, so such a matrix is whole if its total fits.
    findings : how it was understood, where that was not plain.

    Raises
    ------
    FormatError
        With the line of the first word that is no number.
    Cancelled
        When `watch` no longer waits.

    Notes
    -----
    Read as float64: six decimals of a distance do not survive in float32, and distances that differ would tie.
    """
    try:
        size = read_file_head(path).size
        cache = watch.cache if size >= LARGE_TEXT_BYTES else None
        key = cache.key(CACHE_KIND, path) if cache is not None else None
        if cache is not None and (kept := cache.get(key)) is not None:
            return kept[0], [Finding(Severity(how), str(path), *rest) for how, *rest in kept[1]["findings"]]
        with GrowingArray(np.dtype(np.float64), cache, key) as numbers:
            reading = _TextMatrixParser(path, numbers)
            for block in read_blocks(path, size, watch):
                reading.take(block)
            shape, findings = reading.shape(), reading.findings
            noticed = [[f.severity.value, f.line, f.message, f.action, f.count] for f in findings]
            values = numbers.finish(
                shape, {"findings": noticed}, cache.key(CACHE_KIND, path) if cache is not None else None
            )
    except OSError as error:
        raise FormatError(path, os_error_text(error)) from error
    return (values, findings) if values is not None else read_text_matrix(path, replace(watch, cache=None))


@dataclass(eq=False)
class _TextMatrixParser:
    """The lines read so far.

    Attributes
    ----------
    width : numbers of the first line.
    separator : of the first line with words, "" for white space.
    has_commas : its numbers have decimal commas.
    last_width, steps : numbers of the line before, and by how many more lines had than theirs before.
    layout : where the decimal points of the first line stand, and where it ends, if blanks need not separate columns.
    """

    path: Path
    numbers: GrowingArray
    findings: list[Finding] = field(default_factory=list)
    width: int = 0
    separator: str = ""
    has_commas: bool = False
    layout: tuple[list[int], int] | None = None
    n_lines: int = 0
    n_rows: int = 0
    is_ragged: bool = False
    has_cut_lines: bool = False
    last_width: int = 0
    steps: set[int] = field(default_factory=set)

    def take(self, block: TextBlock) -> None:
        """Take in some lines."""
        self.has_cut_lines |= block.is_cut
        data = _WINDOWS.sub(_blank_comment, block.data) if b"#" in block.data else block.data
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        data = data if self.width else self._first(data)
        if data and not self._quickly(data):
            self._carefully(decode(data).split("\n"))
        self.n_lines -= block.is_cut

    def _first(self, data: bytes) -> bytes:
        """Read up to the first line that says something, and tell from it how the others are read; these others."""
        end = 0
        while not self.width and end < len(data):
            start, end = end, (data.find(b"\n", end) + 1) or len(data)
            self._carefully([decode(data[start:end]).strip("\n")])
        return data[end:]

    def shape(self) -> tuple[int, ...]:
        """Shape of all numbers; FormatError where there are none."""
        if not len(self.numbers):
            raise FormatError(self.path, "holds no numbers")
        if self.is_ragged and self.steps in ({1}, {-1}):
            said = [finding for finding in self.findings if finding.action == RAGGED_ACTION]
            self.findings.remove(said[0])
            self._note(said[0].line or 1, GROWING_LINES if self.steps == {1} else SHRINKING_LINES, RAGGED_ACTION)
        if self.has_cut_lines:
            return (1, len(self.numbers)) if self.n_lines == 1 else (len(self.numbers),)
        return (len(self.numbers),) if self.is_ragged else (self.n_rows, self.width)

    def _quickly(self, data: bytes) -> bool:
        """Whether all lines are as long as the first, and read; nothing is taken in otherwise.

        By numpy's reader, which checks every word and the number of words in every line.
        """
        if b"#" in data or not data.isascii() or not data.strip():
            return False
        text = data.decode("ascii")
        if self.separator:  # at the end of a line it separates nothing
            text = text.replace(f"{self.separator}\n", "\n")
        if self.has_commas and "." not in text:
            text = text.replace(",", ".")
        try:
            values = np.loadtxt(StringIO(text), ndmin=2, delimiter=self.separator or None, comments=None)
        except (ValueError, OverflowError):
            return False
        if values.shape[1] != self.width:
            return False
        self.numbers.append(values.reshape(-1))
        self.steps.add(0)
        self.n_rows += len(values)
        self.n_lines += data.count(b"\n") + (not data.endswith(b"\n"))
        return True

    def _carefully(self, lines: list[str]) -> None:
        """Line by line; the first one tells how the others are read."""
        if len(lines) > 1 and not lines[-1]:
            lines.pop()
        rows: list[list[float]] = []
        for number, line in enumerate(lines, self.n_lines + 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            if not self.width and not rows:
                self._meet(line)
            words = split_cells(line)
            row = self._touching(number, line, words) if self.layout is not None else None
            rows.append(self._row(number, words) if row is None else row)
            self.width = self.width or len(rows[0])
            if self.last_width:
                self.steps.add(len(rows[-1]) - self.last_width)
            self.last_width = len(rows[-1])
            if len(rows[-1]) != self.width and not self.is_ragged and not self.has_cut_lines:
                message = f"{len(rows[-1]):,} numbers in this line, {self.width:,} in the first"
                self._note(number, message, RAGGED_ACTION)
                self.is_ragged = True
        self.n_lines += len(lines)
        self.n_rows += len(rows)
        if rows:
            self.numbers.append(np.concatenate([np.array(row, np.float64) for row in rows]))

    def _meet(self, line: str) -> None:
        self.has_commas = all(map(_DECIMAL_COMMA.fullmatch, split_cells(line)))
        is_blank = self.has_commas and ";" not in line
        self.separator = "" if is_blank else separator_of_numbers(line)
        points = [place for place, letter in enumerate(line) if letter == "."]
        if len(points) > 1 and not any(separator in line for separator in ",;\t"):
            self.layout = points, len(line.rstrip())

    def _touching(self, number: int, line: str, words: list[str]) -> list[float] | None:
        """Numbers in columns of one width, as ``%10.6f`` writes them when they need all ten places; None for others.

        Only where blanks do not separate them already, and the decimal points stand where those of the first line do.
        """
        assert self.layout is not None
        points, end = self.layout
        width = points[1] - points[0]
        line = line.rstrip()
        if len(words) == len(points) or len(line) != end or width < 2:
            return None
        if [place for place, letter in enumerate(line) if letter == "."] != points:
            return None
        start = end - width * len(points)
        cells = [line[max(cut, 0) : cut + width].strip() for cut in range(start, end, width)]
        if line[: max(start, 0)].strip() or not all(map(is_number, cells)):
            return None
        if not any(finding.message == TOUCHING_MESSAGE for finding in self.findings):
            self._note(number, TOUCHING_MESSAGE, "columns of fixed width, cut where the decimal points say")
        return [float(cell) for cell in cells]

    def _row(self, number: int, words: list[str]) -> list[float]:
        row = []
        for word in words:
            if _DECIMAL_COMMA.fullmatch(word):
                if not any(finding.action == POINT_ACTION for finding in self.findings):
                    self._note(number, f"decimal comma in '{word}'", POINT_ACTION)
                word = word.replace(",", ".")
            if not is_number(word):
                raise FormatError(self.path, f"'{word[:40]}' is no number", number)
            row.append(float(word))
        return row

    def _note(self, line: int, message: str, action: str) -> None:
        self.findings.append(Finding(Severity.WARNING, str(self.path), line, message, action))


def _blank_comment(found: re.Match[bytes]) -> bytes:
    """What C programs on Windows wrote, as all others read it."""
    return found[1] + b"inf" if found[2] == b"INF" else b"nan"


def separator_of_numbers(line: str) -> str:
    """What separates the numbers of a line, "" for white space."""
    return ";" if ";" in line else "," if re.search(r",\s|,.*,", line) and "\t" not in line else ""


def split_cells(line: str) -> list[str]:
    """Numbers of one line as words; commas separate, unless semicolons or blanks do and they are decimal commas."""
    if ";" in line:
        return [word.strip() for word in line.strip().strip(";").split(";")]
    words = line.split()
    if len(words) > 1 and all(_DECIMAL_COMMA.fullmatch(word) for word in words):
        return words
    return [word.strip() for word in line.strip().rstrip(",").split(",")] if "," in line else words
