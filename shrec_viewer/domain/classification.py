"""A class tree and the class of each model."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

NO_CLASS = -1
"""Label of a model without class."""

ROOT = -1
"""Parent of a top-level class."""


@dataclass(frozen=True, eq=False)
class Classification:
    """A classification tree (``.cla``) over a collection.

    Attributes
    ----------
    labels : (N,) int32, class of each model of the collection; `NO_CLASS` for none.
    names : (C,) class names as written, unique in the tree.
    parents : (C,) int32, parent of each class; `ROOT` for top-level classes. Parents precede their children.

    Notes
    -----
    A class may have both models and children (PSB: ``human`` and ``human_arms_out``). Subclasses are relevant to each
    other only if the assessment defines it.

    Source: Princeton Shape Benchmark, "classification file format".
    """

    labels: NDArray[np.int32]
    names: tuple[str, ...]
    parents: NDArray[np.int32]

    def __post_init__(self) -> None:
        if len(self.names) != len(self.parents):
            raise ValueError(f"{len(self.names)} class names but {len(self.parents)} parents")
        if len(self.labels) and int(self.labels.max()) >= len(self.names):
            raise ValueError("a label is not an index of a class")
        if np.any(self.parents >= np.arange(len(self.parents))):
            raise ValueError("a class precedes its parent")

    @cached_property
    def sizes(self) -> NDArray[np.int64]:
        """(C,) int64, number of models of each class, without those of its children."""
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.names))

    @cached_property
    def leaves(self) -> NDArray[np.int32]:
        """Classes that contain models, in file order."""
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
        """Other classes with the same parent; none for top-level classes.

        The root is not a class: top-level classes are not similar to each other (SHREC 2006).
        """
        if label < 0 or self.parents[label] == ROOT:
            return np.zeros(0, np.int32)
        siblings = np.flatnonzero(self.parents == self.parents[label]).astype(np.int32)
        return siblings[siblings != label]

    @cached_property
    def tops(self) -> NDArray[np.int32]:
        """(C,) int32, top-level ancestor of each class; of a top-level class, itself."""
        tops = np.arange(len(self.names), dtype=np.int32)
        for label, parent in enumerate(self.parents):
            if parent != ROOT:
                tops[label] = tops[parent]
        return tops

    def path(self, label: int, separator: str = "___") -> str:
        """Names from the top, ``aircraft___airplane___biplane`` as Princeton prints them; "" for `NO_CLASS`."""
        parts: list[str] = []
        while label >= 0:
            parts.append(self.names[label])
            label = int(self.parents[label])
        return separator.join(reversed(parts))
