"""Class labels by id (`LabelTable`) or by position (`LabelVector`)."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, ROOT, Classification, Finding, FormatError
from shrec_viewer.formats.io.npy_header import NpyHeaderError, read_npy_header
from shrec_viewer.formats.io.text import FileHead, read_bytes, read_file_head, read_lines


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Ids with their classes in a tree.

    Attributes
    ----------
    path : the file.
    ids : (n,) distinct, in file order.
    labels : (n,) int32, class of each id.
    names : (C,) distinct names of the classes, parents first.
    parents : (C,) int32, -1 at the top.
    splits : (n,) part of the data (such as test) of each id; None if the file has no such column.
    graded : relevance levels of models by class: "same" class 1; "sisters" same class 2 and sister classes 1
        (SHREC'18 RGB-D); "shapenet" the levels 3, 2, 1 of SHREC'16/'17.
    findings : `file` is the full path.
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
        """Number of classes that contain ids."""
        return len(np.unique(self.labels))

    def classification(self, other: "LabelTable | None" = None) -> Classification:
        """Classification of the ids; classes that only `other` has (the table of the queries) are appended.

        A class of a query may have no models, but sister classes.
        """
        names, parents = list(self.names), self.parents.tolist()
        if other is not None:
            label_of = {name: label for label, name in enumerate(names)}
            for name, parent in zip(other.names, other.parents.tolist(), strict=True):
                if name not in label_of:
                    label_of[name] = len(names)
                    names.append(name)
                    parents.append(label_of[other.names[parent]] if parent >= 0 else ROOT)
        return Classification(self.labels, tuple(names), np.array(parents, np.int32))

    def labels_in(self, tree: Classification) -> NDArray[np.int32]:
        """Classes of the ids in another tree, matched by name; -1 for classes that it does not have."""
        label_of = {name: label for label, name in enumerate(tree.names)}
        labels = np.array([label_of.get(name, NO_CLASS) for name in self.names], np.int32)
        return labels[self.labels] if len(labels) else np.zeros(0, np.int32)


LABEL_NPY_MAGIC = b"\x93NUMPY"

MIN_LABELS = 8
"""Minimum number of lines; shorter files are ambiguous."""

LABEL_HEADERS = ("label", "labels", "class", "classes", "category", "target", "y")


@dataclass(frozen=True, eq=False)
class LabelVector:
    """Class names of models or queries, by position."""

    path: Path
    labels: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.labels)


def is_label_vector(head: FileHead) -> bool:
    """Whether each line is one token and most tokens are repeated, unlike ranked lists; or an array of these."""
    if head.data.startswith(LABEL_NPY_MAGIC):
        return _labels_of_array(head.data) is not None and head.size < 2**22
    rows = head.rows[bool(head.rows) and head.rows[0][0].casefold() in LABEL_HEADERS :]
    if len(rows) < MIN_LABELS or any(len(row) != 1 or set(row[0]) & set(",;:") for row in rows):
        return False
    return 2 * len({row[0] for row in rows}) <= len(rows)


def read_label_vector(path: Path) -> LabelVector:
    """Labels in file order.

    Raises
    ------
    FormatError
        When a line has several tokens, or an array is not one-dimensional or not of integers.
    """
    if read_file_head(path).data.startswith(LABEL_NPY_MAGIC):
        found = _labels_of_array(read_bytes(path))
        if found is None:
            raise FormatError(path, "is not a one-dimensional array of repeated integers")
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
        raise FormatError(path, "contains no entries")
    return LabelVector(path, tuple(labels))


def _labels_of_array(data: bytes) -> tuple[str, ...] | None:
    """Integers of a one-dimensional array as text, as far as `data` reach; None for other arrays."""
    stream = BytesIO(data)
    try:
        shape, _, dtype = read_npy_header(stream)
    except NpyHeaderError:
        return None
    if len(shape) != 1 or dtype.kind not in "iu" or shape[0] < MIN_LABELS:
        return None
    body = data[stream.tell() :]
    values = np.frombuffer(body[: len(body) // dtype.itemsize * dtype.itemsize], dtype)[: shape[0]]
    return tuple(map(str, values.tolist())) if 2 * len(np.unique(values)) <= len(values) else None
