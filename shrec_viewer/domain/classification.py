"""A tree of classes and the class of each model."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

NO_CLASS = -1
"""Label of a model that belongs to no class."""

ROOT = -1
"""Parent of a class that hangs from the root."""


@dataclass(frozen=True, eq=False)
class Classification:
    """A classification tree (``.cla``) over a collection.

    Attributes
    ----------
    labels : (N,) int32, class of each model of the collection; `NO_CLASS` for none.
    names : (C,) class names as written, unique over the tree. The name alone identifies a class.
    parents : (C,) int32, class above each class; `ROOT` at the top. Parents stand before their children.

    Notes
    -----
    A class may have models of its own and children as well (PSB: ``human`` and ``human_arms_out``). Subclasses are not
    relevant to each other unless an assessment says so.

    Source: Princeton Shape Benchmark, "classification file format".
    """

    labels: NDArray[np.int32]
    names: tuple[str, ...]
    parents: NDArray[np.int32]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.parents):
            raise ValueError(f"{len(self.names)} class names but {len(self.parents)} parents")
        if len(self.labels) and int(self.labels.max()) >= len(self.names):
            raise ValueError("a label points outside the table of classes")
        if np.any(self.parents >= np.arange(len(self.parents))):
            raise ValueError("a class stands before its parent")

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(C,) int64, number of own models of each class (children not counted)."""
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.names))

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """Classes that have models of their own, in file order."""
        return np.flatnonzero(self.sizes).astype(np.int32)

    @cached_property
    def _by_class(self) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        order = np.argsort(self.labels, kind="stable").astype(np.int32)
        bounds = np.searchsorted(self.labels[order], np.arange(len(self.names) + 1))
        return order, bounds

    def members(self, label: int) -> NDArray[np.int32]:
        """Models whose class is exactly `label`, ascending; empty for `NO_CLASS`."""
        if label < 0:
            return np.zeros(0, np.int32)
        order, bounds = self._by_class
        return order[bounds[label] : bounds[label + 1]]

    def sisters(self, label: int) -> NDArray[np.int32]:
        """Classes with the same parent as `label`, itself left out; none for a class under the root.

        Top-level classes share only the root, which says nothing about likeness (SHREC 2006).
        """
        if label < 0 or self.parents[label] == ROOT:
            return np.zeros(0, np.int32)
        found = np.flatnonzero(self.parents == self.parents[label]).astype(np.int32)
        return found[found != label]

    @cached_property
    def tops(self) -> NDArray[np.int32]:
        """(C,) int32, the class at the top of each class's branch; itself where it hangs from the root."""
        tops = np.arange(len(self.names), dtype=np.int32)
        for label, parent in enumerate(self.parents):
            if parent != ROOT:
                tops[label] = tops[parent]
        return tops

    def path(self, label: int, separator: str = "___") -> str:
        """Full name from the top, ``aircraft___airplane___biplane`` as Princeton prints it; "" for `NO_CLASS`."""
        parts: list[str] = []
        while label >= 0:
            parts.append(self.names[label])
            label = int(self.parents[label])
        return separator.join(reversed(parts))
