"""Read ASCII matrices with spaces, commas or semicolons between numbers, or with columns of fixed width."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import Finding, FormatError, Severity
from shrec_viewer.formats.io.limits import MAX_NUMBERS, limit_error
from shrec_viewer.formats.io.parse_cache import GrowingArray
from shrec_viewer.formats.io.progress import LARGE_TEXT_BYTES, NO_PROGRESS, ReadProgress, read_blocks
from shrec_viewer.formats.io.text import FileHead, decode, is_number, os_errors, read_file_head

#: Minimum number of columns; one or two are a list, a curve or scores.
MIN_COLUMNS = 3

#: Minimum share of numbers among the tokens of a matrix; other tokens are then reported.
NUMERIC_SHARE = 0.95

#: Numbers with a decimal comma, or without space between them; possessive quantifiers avoid exponential time.
_NUMBERS = re.compile(r"[-+]?[0-9]+,[0-9]+|(?:[-+]?[0-9]*+\.[0-9]++)+")

#: NaN and infinity as written by older C libraries of Windows.
_WINDOWS_NAN = re.compile(rb"([-+]?)1\.#(IND|QNAN|SNAN|INF)0*(?=[\s,;]|$)")

MATRIX_CACHE_KIND = "matrix"
RAGGED_ACTION = "read as one sequence of numbers"
DAMAGED_ACTION = "the matrix is damaged"
TOUCHING_MESSAGE = "no space between numbers"
POINT_ACTION = "read as a decimal point"
#: Findings about the lines of a triangle.
GROWING_LINES, SHRINKING_LINES = (f"each line has one number {kind} than the line before" for kind in ("more", "less"))

_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]+,[0-9]+([eE][-+]?[0-9]+)?")
_INTEGER = re.compile(r"[-+]?[0-9]+")


def is_text_matrix(head: FileHead) -> bool:
    """Whether lines of at least three tokens are numbers, except for a few invalid tokens."""
    first = head.lines[0] if head.lines else ""
    if _is_triangle(head.lines):
        return True
    if max(len(split_cells(first)), first.count(".")) < MIN_COLUMNS:
        return False
    rows = [split_cells(line) for line in head.lines]
    # The first bytes end within the only line, and perhaps within its last number.
    if len(rows) == 1 and not head.is_complete:
        rows[0].pop()
    tokens = [token for row in rows for token in row]
    numeric = sum(is_number(token) or _NUMBERS.fullmatch(token) is not None for token in tokens)
    return numeric >= NUMERIC_SHARE * len(tokens)


def _is_triangle(lines: tuple[str, ...]) -> bool:
    """Whether each line has one number more than the previous one, starting with one or two."""
    if len(lines) <= MIN_COLUMNS or len(split_cells(lines[0])) >= MIN_COLUMNS:
        return False
    if any(len(split_cells(after)) != len(split_cells(line)) + 1 for line, after in pairwise(lines)):
        return False
    return all(is_number(token) for line in lines for token in split_cells(line))


def read_text_matrix(path: Path, progress: ReadProgress = NO_PROGRESS) -> tuple[NDArray[np.float64], list[Finding]]:
    """Numbers of an ASCII matrix, parsed in blocks; memory-mapped from the parse cache for large files.

    Returns
    -------
    values : (R, M) float64, or (n,) if the lines differ in length: tools of the contests ignore line breaks, so such a
        matrix is complete if its size fits.
    findings : how unusual notations were interpreted.

    Raises
    ------
    FormatError
        With the line of the first token that is not a number.
    Cancelled
        When `progress` is cancelled.

    Notes
    -----
    float64, because float32 cannot represent six decimals of a distance, and different distances would be tied.
    """
    with os_errors(path):
        size = read_file_head(path).size
        # Small files are parsed in milliseconds.
        cache = progress.cache if size >= LARGE_TEXT_BYTES else None
        key = cache.key(MATRIX_CACHE_KIND, path) if cache is not None else None
        if cache is not None and (cached := cache.get(key)) is not None:
            with suppress(KeyError, TypeError, ValueError):  # unexpected content of the cache: the file is parsed again
                records = cached[1]["findings"]
                return cached[0], [Finding(Severity(severity), str(path), *rest) for severity, *rest in records]
        with GrowingArray(np.dtype(np.float64), cache, key) as numbers:
            parser = _TextMatrixParser(path, numbers)
            for block in read_blocks(path, size, progress):
                parser.add(block)
            shape, findings = parser.shape(), parser.findings
            records = [[f.severity.value, f.line, f.message, f.action, f.count] for f in findings]
            # Compute the key again after reading: a file that changed during the read is not cached.
            values = numbers.finish(
                shape, {"findings": records}, cache.key(MATRIX_CACHE_KIND, path) if cache is not None else None
            )
    return (values, findings) if values is not None else read_text_matrix(path, replace(progress, cache=None))


@dataclass(eq=False)
class _TextMatrixParser:
    """Parses blocks of lines; the first line defines the notation.

    Attributes
    ----------
    separator : separator of the first line, "" for white space.
    has_commas : whether its numbers have decimal commas.
    runs_of_widths : run-length code of the lines: pairs of numbers per line and number of consecutive lines.
    ragged : line and message of the first line with another number of numbers than the first.
    layout : positions of the decimal points of the first line and its length, for columns of fixed width.
    """

    path: Path
    numbers: GrowingArray
    findings: list[Finding] = field(default_factory=list)
    separator: str = ""
    has_commas: bool = False
    layout: tuple[list[int], int] | None = None
    n_lines: int = 0
    runs_of_widths: list[list[int]] = field(default_factory=list)
    ragged: tuple[int, str] = (0, "")

    @property
    def width(self) -> int:
        """Number of numbers in the first line; 0 before it."""
        return self.runs_of_widths[0][0] if self.runs_of_widths else 0

    def add(self, data: bytes) -> None:
        """Parse some whole lines."""
        # The test for one byte is much faster than the expression, and most files have none.
        if b"#" in data:
            data = _WINDOWS_NAN.sub(_standard_nan, data)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        data = data if self.width else self._parse_first(data)
        if data and not self._parse_regular(data):
            self._parse_lines(decode(data).split("\n"))
        if len(self.numbers) > MAX_NUMBERS:
            raise limit_error(MAX_NUMBERS, "numbers", self.path, self.n_lines)

    def _parse_first(self, data: bytes) -> bytes:
        """Parse up to the first line with numbers; returns the rest."""
        end = 0
        while not self.width and end < len(data):
            start, end = end, (data.find(b"\n", end) + 1) or len(data)
            self._parse_lines([decode(data[start:end]).strip("\n")])
        return data[end:]

    def shape(self) -> tuple[int, ...]:
        """Shape of all numbers; FormatError if there are none."""
        if not len(self.numbers):
            raise FormatError(self.path, "contains no numbers")
        runs = self.runs_of_widths
        if len(runs) == 1:
            return runs[0][1], runs[0][0]
        line, message = self.ragged
        severity, action = Severity.WARNING, RAGGED_ACTION
        steps = {after - width for (width, _), (after, _) in pairwise(runs)} | {0 for _, count in runs if count > 1}
        if steps in ({1}, {-1}):
            message = GROWING_LINES if steps == {1} else SHRINKING_LINES
        elif not self._is_wrapped():
            severity, action = Severity.ERROR, DAMAGED_ACTION
        self.findings.append(Finding(severity, str(self.path), line, message, action))
        return (len(self.numbers),)

    def _count_widths(self, width: int, line: int, n_lines: int = 1) -> None:
        runs = self.runs_of_widths
        if runs and runs[-1][0] == width:
            runs[-1][1] += n_lines
            return
        runs.append([width, n_lines])
        if len(runs) == 2:
            self.ragged = line, f"{width:,} numbers in this line, {self.width:,} in the first"

    def _is_wrapped(self) -> bool:
        """Whether lines of different widths are a plausible matrix with other line breaks.

        That is, each line has one or several whole rows, or each row is wrapped into lines of one width and a shorter
        last one.
        """
        runs = self.runs_of_widths
        usual = max(runs, key=itemgetter(1))[0]
        if all(width % usual == 0 for width, _ in runs):
            return True
        is_period = runs[1][0] < runs[0][0] and runs[1][1] == 1
        return is_period and len(runs) % 2 == 0 and all(found == runs[i % 2] for i, found in enumerate(runs))

    def _parse_regular(self, data: bytes) -> bool:
        """Parse lines of equal length with `np.loadtxt`; False, without effect, for other lines."""
        if not data.isascii():
            return False
        text = data.decode("ascii")
        if self.separator:  # ignored at the end of a line
            text = text.replace(f"{self.separator}\n", "\n")
        if not text.strip():  # loadtxt warns for empty input
            return False
        if self.has_commas and "." not in text:
            text = text.replace(",", ".")
        try:
            values = np.loadtxt(StringIO(text), ndmin=2, delimiter=self.separator or None, comments=None)
        except (ValueError, OverflowError):
            return False
        # Lines of this block agree with each other, but not with the first line of the file.
        if values.shape[1] != self.width:
            return False
        self.numbers.append(values.reshape(-1))
        self._count_widths(self.width, self.n_lines + 1, len(values))
        self.n_lines += data.count(b"\n") + (not data.endswith(b"\n"))
        return True

    def _parse_lines(self, lines: list[str]) -> None:
        """Parse line by line."""
        if len(lines) > 1 and not lines[-1]:
            lines.pop()
        rows: list[list[float]] = []
        for number, line in enumerate(lines, self.n_lines + 1):
            if not line.strip():
                continue
            if not self.width:
                self._detect_notation(line)
            # Fixed columns touch where a number fills its field; such a line has fewer tokens than decimal points.
            tokens = split_cells(line)
            row = self._fixed_width_row(number, line, tokens) if self.layout is not None else None
            rows.append(self._row(number, tokens) if row is None else row)
            self._count_widths(len(rows[-1]), number)
        self.n_lines += len(lines)
        if rows:
            self.numbers.append(np.concatenate([np.array(row, np.float64) for row in rows]))

    def _detect_notation(self, line: str) -> None:
        self.has_commas = _have_decimal_commas(split_cells(line))
        has_spaces = self.has_commas and ";" not in line
        self.separator = "" if has_spaces else separator_of_numbers(line)
        points = [index for index, letter in enumerate(line) if letter == "."]
        # Columns of fixed width (%10.6f) are recognised by their decimal points; one number per line has too few.
        if len(points) > 1 and not any(separator in line for separator in ",;\t"):
            self.layout = points, len(line.rstrip())

    def _fixed_width_row(self, number: int, line: str, tokens: list[str]) -> list[float] | None:
        """Numbers without space between them, as ``%10.6f`` writes those of ten characters; None for other lines.

        The decimal points must be at the positions of those in the first line.
        """
        assert self.layout is not None
        points, end = self.layout
        width = points[1] - points[0]
        line = line.rstrip()
        if len(tokens) == len(points) or len(line) != end or width < 2:
            return None
        if [index for index, letter in enumerate(line) if letter == "."] != points:
            return None
        start = end - width * len(points)
        cells = [line[max(cut, 0) : cut + width].strip() for cut in range(start, end, width)]
        if line[: max(start, 0)].strip() or not all(map(is_number, cells)):
            return None
        if not any(finding.message == TOUCHING_MESSAGE for finding in self.findings):
            self._note(number, TOUCHING_MESSAGE, "read as columns of fixed width, according to the decimal points")
        return [float(cell) for cell in cells]

    def _row(self, number: int, tokens: list[str]) -> list[float]:
        row = []
        for token in tokens:
            if _DECIMAL_COMMA.fullmatch(token):
                if not any(finding.action == POINT_ACTION for finding in self.findings):
                    self._note(number, f"decimal comma in '{token}'", POINT_ACTION)
                token = token.replace(",", ".")
            if not is_number(token):
                raise FormatError(self.path, f"'{token[:40]}' is not a number", number)
            row.append(float(token))
        return row

    def _note(self, line: int, message: str, action: str) -> None:
        self.findings.append(Finding(Severity.WARNING, str(self.path), line, message, action))


def _standard_nan(found: re.Match[bytes]) -> bytes:
    """NaN or infinity of Windows in standard notation."""
    return found[1] + b"inf" if found[2] == b"INF" else b"nan"


def separator_of_numbers(line: str) -> str:
    """Separator of the numbers of a line, "" for white space."""
    return ";" if ";" in line else "," if re.search(r",\s|,.*,", line) and "\t" not in line else ""


def _have_decimal_commas(tokens: Sequence[str]) -> bool:
    """Whether all numbers have a decimal comma, but for whole ones: the distance of a model to itself may be ``0``."""
    others = [token for token in tokens if _DECIMAL_COMMA.fullmatch(token) is None]
    return len(others) < len(tokens) and all(map(_INTEGER.fullmatch, others))


def split_cells(line: str) -> list[str]:
    """Tokens of a line, separated by semicolons, commas or white space; a comma may be a decimal comma."""
    if ";" in line:
        return [token.strip() for token in line.strip().strip(";").split(";")]
    tokens = line.split()
    if len(tokens) > 1 and _have_decimal_commas(tokens):
        return tokens
    return [token.strip() for token in line.strip().rstrip(",").split(",")] if "," in line else tokens
