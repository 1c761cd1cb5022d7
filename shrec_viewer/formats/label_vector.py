"""Classes without ids: one label a line, or whole numbers in a NumPy array, in the order of rows or columns."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np

from shrec_viewer.domain import FormatError
from shrec_viewer.formats.text import Head, read_bytes, read_head, read_lines

NPY_MAGIC = b"\x93NUMPY"

FEWEST = 8
"""Fewer lines may be anything."""

HEADERS = ("label", "labels", "class", "classes", "category", "target", "y")


@dataclass(frozen=True, eq=False)
class LabelVector:
    """The class of each of some models or queries, as words."""

    path: Path
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def is_label_vector(head: Head) -> bool:
    """Whether each line is one word, and most words come again, as in no ranked list; or it is such an array."""
    if head.data.startswith(NPY_MAGIC):
        return _in_array(head.data) is not None and head.size < 2**22
    rows = head.rows[bool(head.rows) and head.rows[0][0].casefold() in HEADERS :]
    if len(rows) < FEWEST or any(len(row) != 1 or set(row[0]) & set(",;:") for row in rows):
        return False
    return 2 * len({row[0] for row in rows}) <= len(rows)


def read_label_vector(path: Path) -> LabelVector:
    """The labels, in their order.

    Raises
    ------
    FormatError
        When a line has several words, or an array is none of whole numbers with one axis.
    """
    if read_head(path).data.startswith(NPY_MAGIC):
        found = _in_array(read_bytes(path))
        if found is None:
            raise FormatError(path, "is no array of whole numbers that come again, with one axis")
        return LabelVector(path, found)
    labels: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        words = line.split()
        if not words or words[0].startswith("#") or (not labels and words[0].casefold() in HEADERS):
            continue
        if len(words) > 1:
            raise FormatError(path, f"one label is expected, found '{line.strip()[:40]}'", number)
        labels.append(words[0])
    if not labels:
        raise FormatError(path, "lists nothing")
    return LabelVector(path, tuple(labels))


def _in_array(data: bytes) -> tuple[str, ...] | None:
    """Whole numbers of an array with one axis as words, as far as the data go; None for any other array."""
    stream = BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
    except Exception:  # numpy lets SyntaxError, TokenError, TypeError and more through for broken headers
        return None
    if len(shape) != 1 or dtype.kind not in "iu" or shape[0] < FEWEST:
        return None
    there = data[stream.tell() :]
    values = np.frombuffer(there[: len(there) // dtype.itemsize * dtype.itemsize], dtype)[: shape[0]]
    return tuple(map(str, values.tolist())) if 2 * len(np.unique(values)) <= len(values) else None
