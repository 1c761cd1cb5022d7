"""Read the partiality of each query (SHREC'13 partial retrieval)."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.io.text import FileHead, is_number, read_lines


@dataclass(frozen=True, eq=False)
class PartialityFile:
    """Partiality of each query; not used by a measure, but recognised as a part of the benchmark.

    Attributes
    ----------
    path : the file.
    shares : (Q,) float64 in [0, 1].
    """

    path: Path
    shares: NDArray[np.float64]


def is_partiality(head: FileHead) -> bool:
    """Whether the first line is a count and the others are at most as many shares."""
    if not head.rows or any(len(row) != 1 for row in head.rows):
        return False
    count, *shares = (row[0] for row in head.rows)
    if (
        not (count.isascii() and count.isdigit())
        or len(shares) < 2
        or not all(map(_is_share, shares))
        or "." not in "".join(shares)
    ):
        return False
    return len(shares) <= int(count) and int(count) > 1


def read_partiality(path: Path) -> PartialityFile:
    """Read the shares of all queries.

    Raises
    ------
    FormatError
        When a value is not in [0, 1], or the count is wrong.
    """
    lines = [(number, line.strip()) for number, line in enumerate(read_lines(path), 1) if line.strip()]
    if not lines or not (lines[0][1].isascii() and lines[0][1].isdigit()):
        raise FormatError(path, "does not begin with the number of queries", lines[0][0] if lines else None)
    for number, token in lines[1:]:
        if not _is_share(token):
            raise FormatError(path, f"'{token[:40]}' is not a number from 0 to 1", number)
    if int(lines[0][1][:18]) != len(lines) - 1:
        raise FormatError(path, f"declares {lines[0][1][:18]} shares but lists {len(lines) - 1:,}", lines[0][0])
    return PartialityFile(path, np.array([float(token) for _, token in lines[1:]], np.float64))


def _is_share(token: str) -> bool:
    return is_number(token) and 0 <= float(token) <= 1
