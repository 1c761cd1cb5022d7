"""Class labels, by id or by position, as truth files list them."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, ROOT, Classification, Finding, FormatError
from shrec_viewer.formats.io.text import FileHead, read_bytes, read_file_head, read_lines


@dataclass(frozen=True, eq=False)
class LabelTable:
    """A list of ids, each with its class in a tree.

    Attributes
    ----------
    path : the file.
    ids : (n,) distinct, in file order.
    labels : (n,) int32, class of each id.
    names : (C,) distinct names of the classes, parents first.
    parents : (C,) int32, -1 at the top.
    splits : (n,) which part of the data each id belongs to, None where the file does not say.
    graded : what follows from sharing a class: "same" only the same class counts; "sisters" the same class 2 and
        sister classes 1 (SHREC'18 RGB-D); "shapenet" the levels 3, 2, 1 of SHREC'16/'17.
    findings : what was noticed; their `file` is the full path.
    """

    path: Path
    ids: tuple[str, ...]
    labels: NDArray[np.int32]
    names: tuple[str, ...]
    parents: NDArray[np.int32]
    splits: tuple[str, ...] | None = None
    graded: str = "same"
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_nonempty_classes(self) -> int:
        """Number of classes that have models of their own."""
        return len(np.unique(self.labels))

    def classification(self, other: "LabelTable | None" = None) -> Classification:
        """The tree over the ids in their order, with the classes that only `other` has (of queries) behind its own.

        A query's class without models still has sister classes.
        """
        names, parents = list(self.names), self.parents.tolist()
        if other is not None:
            place = {name: label for label, name in enumerate(names)}
            for name, parent in zip(other.names, other.parents.tolist(), strict=True):
                if name not in place:
                    place[name] = len(names)
                    names.append(name)
                    parents.append(place[other.names[parent]] if parent >= 0 else ROOT)
        return Classification(self.labels, tuple(names), np.array(parents, np.int32))

    def labels_in(self, tree: Classification) -> NDArray[np.int32]:
        """Classes of the ids in another tree, matched by name; -1 where that has none of the name."""
        place = {name: label for label, name in enumerate(tree.names)}
        own = np.array([place.get(name, NO_CLASS) for name in self.names], np.int32)
        return own[self.labels] if len(own) else np.zeros(0, np.int32)


LABEL_NPY_MAGIC = b"\x93NUMPY"

MIN_LABELS = 8
"""Fewer lines may be anything."""

LABEL_HEADERS = ("label", "labels", "class", "classes", "category", "target", "y")


@dataclass(frozen=True, eq=False)
class LabelVector:
    """The class of each of some models or queries, as words."""

    path: Path
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def is_label_vector(head: FileHead) -> bool:
    """Whether each line is one word, and most words come again, as in no ranked list; or it is such an array."""
    if head.data.startswith(LABEL_NPY_MAGIC):
        return _labels_of_array(head.data) is not None and head.size < 2**22
    rows = head.rows[bool(head.rows) and head.rows[0][0].casefold() in LABEL_HEADERS :]
    if len(rows) < MIN_LABELS or any(len(row) != 1 or set(row[0]) & set(",;:") for row in rows):
        return False
    return 2 * len({row[0] for row in rows}) <= len(rows)


def read_label_vector(path: Path) -> LabelVector:
    """The labels, in their order.

    Raises
    ------
    FormatError
        When a line has several words, or an array is none of whole numbers with one axis.
    """
    if read_file_head(path).data.startswith(LABEL_NPY_MAGIC):
        found = _labels_of_array(read_bytes(path))
        if found is None:
            raise FormatError(path, "is no array of whole numbers that come again, with one axis")
        return LabelVector(path, found)
    labels: list[str] = []
    for number, line in enumerate(read_lines(path), 1):
        words = line.split()
        if not words or words[0].startswith("#") or (not labels and words[0].casefold() in LABEL_HEADERS):
            continue
        if len(words) > 1:
            raise FormatError(path, f"one label is expected, found '{line.strip()[:40]}'", number)
        labels.append(words[0])
    if not labels:
        raise FormatError(path, "lists nothing")
    return LabelVector(path, tuple(labels))


def _labels_of_array(data: bytes) -> tuple[str, ...] | None:
    """Whole numbers of an array with one axis as words, as far as the data go; None for any other array."""
    stream = BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
    except Exception:  # numpy lets SyntaxError, TokenError, TypeError and more through for broken headers
        return None
    if len(shape) != 1 or dtype.kind not in "iu" or shape[0] < MIN_LABELS:
        return None
    there = data[stream.tell() :]
    values = np.frombuffer(there[: len(there) // dtype.itemsize * dtype.itemsize], dtype)[: shape[0]]
    return tuple(map(str, values.tolist())) if 2 * len(np.unique(values)) <= len(values) else None
