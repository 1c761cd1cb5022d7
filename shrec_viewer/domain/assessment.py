"""Relevance levels per query: by pair (qrels) or derived from classes."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.classification import Classification


class Assessment(ABC):
    """Relevance level of each model for each query; levels have no fixed maximum.

    A query that is a member of the collection is relevant to itself. Whether self-matches count is a convention of the
    profile, applied when ranked lists are converted to hits.
    """

    @abstractmethod
    def relevant(self, query: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Models with a level above 0, (r,) int32, ascending and distinct, and their levels, (r,) uint8."""

    @property
    @abstractmethod
    def levels(self) -> tuple[int, ...]:
        """Distinct levels above 0 that can occur, ascending: (1, 2) for SHREC 2006."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of queries."""

    def judged(self, query: int) -> NDArray[np.int32] | None:
        """Models whose relevance to a query was judged, (j,) int32, ascending; None if that is known of all models."""
        return None

    def gains(self, query: int, n_models: int) -> NDArray[np.uint8]:
        """Level of every model of the collection for one query, (N,) uint8."""
        items, levels = self.relevant(query)
        dense = np.zeros(n_models, np.uint8)
        dense[items] = levels
        return dense


@dataclass(frozen=True, eq=False)
class PairAssessment(Assessment):
    """Levels per query and model (qrels), as compressed sparse rows.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the pairs of query q are ``indptr[q]:indptr[q + 1]``.
    items : (nnz,) int32, models, ascending and distinct within a query.
    level : (nnz,) uint8, all above 0.
    zero_indptr : (Q + 1,) int64 or None; the models judged not relevant to query q are
        ``zero_items[zero_indptr[q]:zero_indptr[q + 1]]``. None if no model has level 0 in the file: then all models
        that it does not list are not relevant.
    zero_items : (n,) int32, models judged not relevant, ascending and distinct within a query.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    level: NDArray[np.uint8]
    zero_indptr: NDArray[np.int64] | None = None
    zero_items: NDArray[np.int32] | None = None

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def relevant(self, query: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """See `Assessment.relevant`."""
        rows = slice(int(self.indptr[query]), int(self.indptr[query + 1]))
        return self.items[rows], self.level[rows]

    def judged(self, query: int) -> NDArray[np.int32] | None:
        """See `Assessment.judged`."""
        if self.zero_indptr is None or self.zero_items is None:
            return None
        zeros = self.zero_items[int(self.zero_indptr[query]) : int(self.zero_indptr[query + 1])]
        return np.union1d(zeros, self.relevant(query)[0])

    @cached_property
    def _levels(self) -> tuple[int, ...]:
        return tuple(int(level) for level in np.unique(self.level) if level > 0)

    @property
    def levels(self) -> tuple[int, ...]:
        """See `Assessment.levels`."""
        return self._levels


@dataclass(frozen=True, eq=False)
class ClassAssessment(Assessment):
    """Levels derived from classes, without expanding them to pairs (5.1 million for Core55).

    Attributes
    ----------
    classification : classes of the collection.
    query_labels : (Q,) int32, class of each query; -1 for a query without class, for which no model is relevant.
    graded : levels of the other models. False: 1 for the same class. True: 2 for the same class, 1 for sister classes
        (SHREC 2006). ``"synsets"``: 3 for the same class, 2 for models labelled with the top class of the query's
        branch only, 1 for all others of that branch (ShapeNet: subsynset, synset only, sibling subsynset).

    Source: SHREC 2006 report, section 3; the evaluator of SHREC'16/'17 for ShapeNet.
    """

    classification: Classification
    query_labels: NDArray[np.int32]
    graded: bool | Literal["synsets"] = False

    def __len__(self) -> int:
        return len(self.query_labels)

    @cached_property
    def _relevant_by_class(self) -> dict[int, tuple[NDArray[np.int32], NDArray[np.uint8]]]:
        return {}

    def relevant(self, query: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """See `Assessment.relevant`; the arrays are shared by all queries of a class."""
        label = int(self.query_labels[query])
        if label not in self._relevant_by_class:
            self._relevant_by_class[label] = self._levels_for_class(label)
        return self._relevant_by_class[label]

    def _levels_for_class(self, label: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        classes = self.classification
        if label < 0:
            return np.zeros(0, np.int32), np.zeros(0, np.uint8)
        levels_of_classes = {label: 1}
        if self.graded == "synsets":
            top = classes.tops[label]
            levels_of_classes = dict.fromkeys(np.flatnonzero(classes.tops == top).tolist(), 1) | {int(top): 2, label: 3}
        elif self.graded:
            levels_of_classes = dict.fromkeys(classes.sisters(label).tolist(), 1) | {label: 2}
        members = [classes.members(class_label) for class_label in levels_of_classes]
        items = np.concatenate(members)
        levels = np.repeat(np.array(list(levels_of_classes.values()), np.uint8), [len(models) for models in members])
        order = np.argsort(items)
        return items[order], levels[order]

    @property
    def levels(self) -> tuple[int, ...]:
        """See `Assessment.levels`."""
        if self.graded == "synsets":
            return (1, 2, 3)
        return (1, 2) if self.graded else (1,)
