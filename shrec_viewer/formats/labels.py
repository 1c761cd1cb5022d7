"""Ids with their classes, as a `.cla` or a CSV truth lists them, before a collection exists."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain import NO_CLASS, ROOT, Classification, Finding


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
    def n_filled(self) -> int:
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
