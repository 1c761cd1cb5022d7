"""The records of a benchmark: collection, queries, classification, assessment, runs and findings."""

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import chain, islice, repeat
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.domain.mesh import MeshPlace
from shrec_viewer.read_only import ReadOnlyArrays, read_only, shared_array


class NumberedIds(Sequence[str]):
    """Ids that the program gives: consecutive numbers after a prefix, made when they are accessed.

    Eight million texts take 460 MB, and a dictionary of their indices 770 MB more.

    Parameters
    ----------
    numbers : not negative.
    prefix : does not end in a digit.

    Examples
    --------
    >>> ids = NumberedIds(range(1, 12), "row ")
    >>> ids[0], list(ids[9:]), ids.places["row 11"], "row 011" in ids.places
    ('row 1', ['row 10', 'row 11'], 10, False)
    """

    def __init__(self, numbers: range, prefix: str = "") -> None:
        self.numbers, self.prefix = numbers, prefix

    def __repr__(self) -> str:
        names = [repr(name) for name in self[:3]]
        return f"NumberedIds({', '.join(names)}{', ...' if len(self) > len(names) else ''})"

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int, /) -> str: ...

    @overload
    def __getitem__(self, index: slice, /) -> "NumberedIds": ...

    def __getitem__(self, index: int | slice, /) -> "str | NumberedIds":
        numbers = self.numbers[index]
        return NumberedIds(numbers, self.prefix) if isinstance(numbers, range) else f"{self.prefix}{numbers}"

    def __iter__(self) -> Iterator[str]:
        return (f"{self.prefix}{number}" for number in self.numbers)

    def __contains__(self, name: object) -> bool:
        return name in self.places

    def __eq__(self, other: object) -> bool:
        if isinstance(other, NumberedIds):
            return (self.numbers, self.prefix) == (other.numbers, other.prefix)
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]

    @property
    def values(self) -> NDArray[np.int64]:
        """(n,) int64, the numbers."""
        return np.arange(self.numbers.start, self.numbers.stop, self.numbers.step, dtype=np.int64)

    @property
    def places(self) -> Mapping[str, int]:
        """Index of each id."""
        return _NumberedPlaces(self)


class _NumberedPlaces(Mapping[str, int]):
    def __init__(self, ids: NumberedIds) -> None:
        self._ids = ids

    def __getitem__(self, name: object) -> int:
        ids = self._ids
        digits = name.removeprefix(ids.prefix) if isinstance(name, str) else ""
        # 18 digits: `int` refuses more than 4,300.
        if digits.isascii() and digits.isdigit() and len(digits) <= 18 and name == f"{ids.prefix}{int(digits)}":
            number = int(digits)
            if number in ids.numbers:
                return ids.numbers.index(number)
        raise KeyError(name)

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)


def places_of(ids: Sequence[str]) -> Mapping[str, int]:
    """Index of each id, of the last one of equal ones."""
    return ids.places if isinstance(ids, NumberedIds) else {name: index for index, name in enumerate(ids)}


class FilePaths(Sequence[Path | None]):
    """Paths of files, and None where there is none, stored as names in shared folders.

    Elements are created when they are accessed: a million of them take 100 instead of 320 MB, and the two million
    objects that they consist of would take 0.1 s of each garbage collection (Python 3.11).

    Examples
    --------
    >>> paths = FilePaths([Path("models/a.off"), None, Path("models/b.off")])
    >>> paths[2].name, paths[1], paths.has_file.tolist(), [folder.name for folder in paths.folders]
    ('b.off', None, [True, False, True], ['models'])

    Parameters
    ----------
    paths : of the first items.
    count : number of items, those without a path at the end included; None for that of the paths.
    """

    def __init__(self, paths: Iterable[Path | None], count: int | None = None) -> None:
        indices: dict[str, int] = {}
        names: list[str] = []
        of_names: list[int] = []
        for path in paths:
            folder, name = ("", "") if path is None else os.path.split(path)
            names.append(name)
            of_names.append(-1 if path is None else indices.setdefault(folder, len(indices)))
        self._names = tuple(names)
        self._folder_of = np.full(len(names) if count is None else count, -1, np.int32)
        self._folder_of[: len(names)] = of_names
        self.folders = tuple(Path(folder) for folder in indices)

    @property
    def has_file(self) -> NDArray[np.bool_]:
        """(n,) bool, whether each element is a path."""
        return self._folder_of >= 0

    def __len__(self) -> int:
        return len(self._folder_of)

    @overload
    def __getitem__(self, index: int, /) -> Path | None: ...

    @overload
    def __getitem__(self, index: slice, /) -> tuple[Path | None, ...]: ...

    def __getitem__(self, index: int | slice, /) -> Path | tuple[Path | None, ...] | None:
        if isinstance(index, slice):
            return tuple(self[row] for row in range(*index.indices(len(self))))
        folder = int(self._folder_of[index])
        return None if folder < 0 else self.folders[folder] / self._names[index]

    def __iter__(self) -> Iterator[Path | None]:
        folders = self.folders
        named = zip(self._folder_of.tolist(), self._names, strict=False)
        found = (None if folder < 0 else folders[folder] / name for folder, name in named)
        return chain(found, repeat(None, len(self) - len(self._names)))

    def files(self) -> Iterator[Path]:
        """The elements that are paths."""
        return (path for path in islice(self, len(self._names)) if path is not None)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Collection:
    """All models of a benchmark; model indices in the program refer to their order.

    Attributes
    ----------
    ids : (N,) distinct ids, as written in the relevance assessment (``"1119"``, ``"N0001"``).
    paths : (N,) mesh or image of each model, or None. Models without a file or with a damaged one remain members.

    Raises
    ------
    ValueError
        When the lengths differ or an id is repeated. Readers check this first and report it as a finding.
    """

    ids: Sequence[str]
    paths: Sequence[Path | None]

    def __post_init__(self) -> None:
        object.__setattr__(self, "paths", self.paths if isinstance(self.paths, FilePaths) else FilePaths(self.paths))
        if len(self.ids) != len(self.paths):
            raise ValueError(f"{len(self.ids)} ids but {len(self.paths)} paths")
        if len(self.index) != len(self.ids):
            raise ValueError("an id is repeated in the collection")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Index of each id in `ids`."""
        return places_of(self.ids)

    @shared_array
    def has_file(self) -> NDArray[np.bool_]:
        """(N,) bool, models that have a mesh or image."""
        assert isinstance(self.paths, FilePaths)
        return self.paths.has_file

    def files(self) -> Iterator[Path]:
        """Meshes and images."""
        assert isinstance(self.paths, FilePaths)
        return self.paths.files()

    @property
    def folders(self) -> tuple[Path, ...]:
        """Folders of the meshes and images."""
        assert isinstance(self.paths, FilePaths)
        return self.paths.folders

    @shared_array
    def descending_ranks(self) -> NDArray[np.int64]:
        """(N,) int64, rank of each id from 0 on in descending order of its bytes; see `descending_ranks`."""
        return descending_ranks(self.ids)


def descending_ranks(names: Sequence[str]) -> NDArray[np.int64]:
    """(n,) int64, rank of each name from 0 on in descending order of its UTF-8 bytes, as strcmp compares them.

    Examples
    --------
    >>> descending_ranks(["m10", "m9", "M9"]).tolist()
    [1, 0, 2]
    """
    order: Sequence[int] | NDArray[np.int64]
    if isinstance(names, NumberedIds):  # by the digits from the left, of two that begin alike the longer one first
        n_digits = np.searchsorted(10 ** np.arange(1, 18), names.values, side="right")
        aligned = names.values * 10 ** (n_digits.max(initial=0) - n_digits)
        order = np.lexsort((n_digits, aligned))[::-1]
    else:  # the order of code points, which Python compares, is that of the bytes in UTF-8
        order = sorted(range(len(names)), key=names.__getitem__, reverse=True)
    ranks = np.empty(len(names), np.int64)
    ranks[order] = np.arange(len(names))
    return ranks


#: `Queries.member` of a query that is not in the collection.
NOT_A_MEMBER = -1


class QueryKind(StrEnum):
    """Type of the file of a query."""

    MODEL = "model"
    IMAGE = "image"
    NONE = "none"


@dataclass(frozen=True, eq=False)
class Queries(ReadOnlyArrays):
    """The queries; query indices in the program refer to their order.

    Attributes
    ----------
    ids : (Q,) distinct ids.
    paths : (Q,) mesh or image of each query, or None.
    kinds : (Q,) type of each path.
    member : (Q,) int32, index of the query in the collection, or `NOT_A_MEMBER`.
    labels : (Q,) int32, class of the query in the classification of the benchmark, or -1; for class means and captions.
    """

    ids: Sequence[str]
    paths: tuple[Path | None, ...]
    kinds: tuple[QueryKind, ...]
    member: NDArray[np.int32]
    labels: NDArray[np.int32]

    def __post_init__(self) -> None:
        super().__post_init__()
        lengths = {len(self.ids), len(self.paths), len(self.kinds), len(self.member), len(self.labels)}
        if len(lengths) != 1:
            raise ValueError("the columns of the queries differ in length")
        if len(self.index) != len(self.ids):
            raise ValueError("an id is repeated in the queries")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Index of each id in `ids`."""
        return places_of(self.ids)

    @property
    def are_members(self) -> bool:
        """Whether every query is a member of the collection (self-retrieval)."""
        return len(self.ids) > 0 and bool(np.all(self.member >= 0))


#: Label of a model without class.
NO_CLASS = -1

#: Parent of a top-level class.
ROOT = -1


@dataclass(frozen=True, eq=False)
class Classification(ReadOnlyArrays):
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
        super().__post_init__()
        if len(self.names) != len(self.parents):
            raise ValueError(f"{len(self.names)} class names but {len(self.parents)} parents")
        if len(self.labels) and int(self.labels.max()) >= len(self.names):
            raise ValueError("a label is not an index of a class")
        if np.any(self.parents >= np.arange(len(self.parents))):
            raise ValueError("a class precedes its parent")

    @shared_array
    def sizes(self) -> NDArray[np.int64]:
        """(C,) int64, number of models of each class, without those of its children."""
        return np.bincount(self.labels[self.labels >= 0], minlength=len(self.names))

    @shared_array
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

    @shared_array
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

    @property
    def has_junk(self) -> bool:
        """Whether any model is junk for a query."""
        return False

    def junk(self, query: int) -> NDArray[np.int32]:
        """Models of level -1, (j,) int32, ascending: judged, but the profile may remove them from lists."""
        return np.zeros(0, np.int32)

    def gains(self, query: int, n_models: int) -> NDArray[np.uint8]:
        """Level of every model of the collection for one query, (N,) uint8."""
        items, levels = self.relevant(query)
        dense = np.zeros(n_models, np.uint8)
        dense[items] = levels
        return dense


@dataclass(frozen=True, eq=False)
class PairAssessment(ReadOnlyArrays, Assessment):
    """Levels per query and model (qrels), as compressed sparse rows.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the pairs of query q are ``indptr[q]:indptr[q + 1]``.
    items : (nnz,) int32, models, ascending and distinct within a query.
    level : (nnz,) uint8, all above 0.
    zero_indptr : (Q + 1,) int64 or None; the models judged not relevant to query q are
        ``zero_items[zero_indptr[q]:zero_indptr[q + 1]]``. None if no model has level 0 in the file: then all models
        that it does not list are not relevant.
    zero_items : (n,) int32, models judged not relevant, ascending and distinct within a query, including junk.
    junk_indptr : (Q + 1,) int64 or None; the models of level -1 are ``junk_items[junk_indptr[q]:junk_indptr[q + 1]]``.
    junk_items : (j,) int32, ascending and distinct within a query; None if no model has that level.
    lists_relevant : whether the file may list relevant models only, as qrels without level 0 do: to measures of judged
        models those that it does not list are unjudged.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    level: NDArray[np.uint8]
    zero_indptr: NDArray[np.int64] | None = None
    zero_items: NDArray[np.int32] | None = None
    junk_indptr: NDArray[np.int64] | None = None
    junk_items: NDArray[np.int32] | None = None
    lists_relevant: bool = False

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

    @property
    def has_junk(self) -> bool:
        """See `Assessment.has_junk`."""
        return self.junk_items is not None and len(self.junk_items) > 0

    def junk(self, query: int) -> NDArray[np.int32]:
        """See `Assessment.junk`."""
        if self.junk_indptr is None or self.junk_items is None:
            return np.zeros(0, np.int32)
        return self.junk_items[int(self.junk_indptr[query]) : int(self.junk_indptr[query + 1])]

    @cached_property
    def _levels(self) -> tuple[int, ...]:
        # Not np.unique, which imports numpy.ma (numpy 2.4): 5 % of the time of a short command.
        return tuple(level for level in np.flatnonzero(np.bincount(self.level)).tolist() if level > 0)

    @property
    def levels(self) -> tuple[int, ...]:
        """See `Assessment.levels`."""
        return self._levels


@dataclass(frozen=True, eq=False)
class ClassAssessment(ReadOnlyArrays, Assessment):
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
            items, levels = self._levels_for_class(label)
            self._relevant_by_class[label] = read_only(items), read_only(levels)
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


@dataclass(frozen=True, eq=False)
class EditedAssessment(Assessment):
    """An assessment with other levels for some pairs; the original is unchanged.

    Attributes
    ----------
    original : the assessment as read.
    edits : new level by model, by query; level 0 is not relevant.
    """

    original: Assessment
    edits: Mapping[int, Mapping[int, int]]

    def __len__(self) -> int:
        return len(self.original)

    def relevant(self, query: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """See `Assessment.relevant`."""
        items, levels = self.original.relevant(query)
        edits = self.edits.get(query)
        if not edits:
            return items, levels
        kept = ~np.isin(items, list(edits))
        added = {model: level for model, level in edits.items() if level > 0}
        items = np.concatenate([items[kept], np.array(list(added), np.int32)]).astype(np.int32)
        levels = np.concatenate([levels[kept], np.array(list(added.values()), np.uint8)]).astype(np.uint8)
        order = np.argsort(items)
        return items[order], levels[order]

    def judged(self, query: int) -> NDArray[np.int32] | None:
        """See `Assessment.judged`."""
        judged = self.original.judged(query)
        return None if judged is None else np.union1d(judged, list(self.edits.get(query, ()))).astype(np.int32)

    @property
    def has_junk(self) -> bool:
        """See `Assessment.has_junk`."""
        return self.original.has_junk

    def junk(self, query: int) -> NDArray[np.int32]:
        """See `Assessment.junk`; an edited model is junk no more."""
        junk = self.original.junk(query)
        return junk[~np.isin(junk, list(self.edits.get(query, ())))]

    @cached_property
    def _levels(self) -> tuple[int, ...]:
        edited = {level for edits in self.edits.values() for level in edits.values() if level > 0}
        return tuple(sorted(edited.union(self.original.levels)))

    @property
    def levels(self) -> tuple[int, ...]:
        """See `Assessment.levels`."""
        return self._levels


#: `RankedLists.items` of an id that is not in the collection.
UNKNOWN_ITEM = -1


@dataclass(frozen=True, eq=False)
class RankedLists(ReadOnlyArrays):
    """Ranked lists as submitted, as compressed sparse rows, including unknown and repeated ids.

    Attributes
    ----------
    indptr : (Q + 1,) int64; the list of query q is ``indptr[q]:indptr[q + 1]``, best first.
    items : (nnz,) int32, models; `UNKNOWN_ITEM` for ids outside the collection. The profile defines how these and
        repeated ids are treated (see `metrics.ranking`).
    distances : (nnz,) float64 or None; smaller is more similar. NaN for missing values.
    present : (Q,) bool; False if the run has no list for the query, which differs from an empty list.
    by_score : True if the format defines the ranking by score (TREC), False if by line.
    unknown : (nnz,) int32, index in `unknown_ids` of each item that is `UNKNOWN_ITEM`, else -1; None where equal scores
        are not ordered by id, as in rank lists.
    unknown_ids : distinct ids outside the collection, in file order.
    similarity : True if the run has similarities, of which `distances` are the negatives.
    """

    indptr: NDArray[np.int64]
    items: NDArray[np.int32]
    distances: NDArray[np.float64] | None
    present: NDArray[np.bool_]
    by_score: bool = False
    unknown: NDArray[np.int32] | None = None
    unknown_ids: tuple[str, ...] = ()
    similarity: bool = False

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def rows(self, query: int) -> slice:
        """Slice of `items` and `distances` with the list of a query."""
        return slice(int(self.indptr[query]), int(self.indptr[query + 1]))


class DistanceRows(Protocol):
    """Rows of distances: an array in memory, or an object that reads rows from a file when they are indexed."""

    @property
    def shape(self) -> tuple[int, ...]:
        """(R, M)."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the distances."""

    @property
    def ndim(self) -> int:
        """Number of axes."""

    @property
    def size(self) -> int:
        """Number of distances."""

    def __len__(self) -> int: ...

    def __getitem__(self, rows: Any, /) -> Any:
        """Rows in memory, for an integer, a slice or an array of integers."""

    def __array__(self) -> NDArray[Any]:
        """All rows in memory."""


#: `DistanceMatrix.columns` of a column that is NaN for every query.
NO_VALUES = -2


@dataclass(frozen=True, eq=False)
class DistanceMatrix(ReadOnlyArrays):
    """A matrix of distances, in memory or read from its file by blocks of rows.

    Attributes
    ----------
    values : (R, M) float; row r holds the distances of one query to M models. Index rows only, not columns: a matrix
        in a file raises FormatError when the file has changed since it was opened.
    rows : (Q,) int32, row of each query, or -1.
    columns : (M,) int32, model of each column; -1 for columns that are not models of the collection, -2 (`NO_VALUES`)
        for those without a number, which are in no list.
    similarity : True if larger values are more similar.
    column_ids : (M,) ids of the columns as written, of files with ids; else empty.
    metric : key of the metric of feature vectors that the distances are computed from; "" for others.
    """

    values: DistanceRows
    rows: NDArray[np.int32]
    columns: NDArray[np.int32]
    similarity: bool = False
    column_ids: tuple[str, ...] = ()
    metric: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def present(self) -> NDArray[np.bool_]:
        """(Q,) bool, whether the matrix has a row for each query."""
        return self.rows >= 0


@dataclass(frozen=True, eq=False)
class Run:
    """A submitted run, or a virtual run computed from others.

    Attributes
    ----------
    name : unique in the benchmark (``"M2"``).
    participant : who submitted it (``"Makadia"``); if unknown, the name without its number.
    source : file or folder of the run.
    ranking : results for the queries of the benchmark, in their order.
    expression : of a virtual run, the expression that it is computed from, such as ``rrf(A1, B2)``; "" for others.
        Virtual runs have no file: their `source` is the empty path.
    """

    name: str
    participant: str
    source: Path
    ranking: RankedLists | DistanceMatrix
    expression: str = ""

    @property
    def present(self) -> NDArray[np.bool_]:
        """(Q,) bool, whether the run has results for each query."""
        return self.ranking.present


class Severity(StrEnum):
    """Severity of a finding; with an `ERROR`, the command ``check`` exits with status 1."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"

    @property
    def rank(self) -> int:
        """Sort key: 0 for errors, 2 for information."""
        return (Severity.ERROR, Severity.WARNING, Severity.INFO).index(self)


@dataclass(frozen=True, slots=True)
class Setting:
    """Option of the command line, and lines of benchmark.toml, that settle a finding.

    Attributes
    ----------
    option : ``--order names``; "" where no option settles it.
    place : where the lines belong: ``in benchmark.toml``, ``in benchmark.toml below line 4``; "" where none settle it.
    lines : lines to paste there; without a line number, at the end of the file.
    table, key, value : what the lines set, for code that writes them: "runs" and an option for reading the run of the
        finding, or another table of benchmark.toml; "conventions" and a field of the profile. "" for none. Without
        lines for a run that benchmark.toml cannot name, such as one in an archive.
    """

    option: str = ""
    place: str = ""
    lines: tuple[str, ...] = ()
    table: str = field(default="", compare=False)
    key: str = field(default="", compare=False)
    value: str | bool | Path = field(default="", compare=False)

    @property
    def toml(self) -> str:
        """The place and the lines as text; "" for none."""
        return f"{self.place}:\n" + "\n".join(f"    {line}" for line in self.lines) if self.lines else ""


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem or decision about an input file.

    Attributes
    ----------
    severity : info (how content was interpreted), warning (unusual, handled), error (results are affected or missing).
    file : path relative to the folder of the benchmark with forward slashes; absolute for files elsewhere.
    line : 1-based line number, or None.
    message : the problem, without location.
    action : how it was handled.
    count : number of occurrences in this file; `line` is the first one.
    key : kind of finding, for code that handles it (see `formats.core.findings_log`); "" for most.
    setting : how to settle it; `action` ends with what it does, ``to set it``. None for most.
    """

    severity: Severity
    file: str
    line: int | None
    message: str
    action: str = ""
    count: int = 1
    key: str = field(default="", compare=False)
    setting: Setting | None = field(default=None, compare=False)

    @property
    def location(self) -> str:
        """``file:line``, or ``file`` without a line number."""
        return self.file if self.line is None else f"{self.file}:{self.line}"

    @property
    def action_with_option(self) -> str:
        """The action and how to settle the finding, with the option of the command line; may have several lines."""
        if self.setting is None:
            return self.action
        ways = [way for way in (self.setting.option, self.setting.toml) if way]
        return f"{self.action}: {', or '.join(ways)}" if ways else self.action

    @property
    def action_with_lines(self) -> str:
        """The action and how to settle the finding in benchmark.toml, for the window; may have several lines."""
        has_lines = self.setting is not None and self.setting.lines
        return f"{self.action} {self.setting.toml}" if has_lines and self.setting is not None else self.action

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        action = f"; {self.action}" if self.action else ""
        return f"{self.location}: {self.severity}: {self.message}{times}{action}"


@dataclass(frozen=True)
class PublishedTable:
    """A table of scores from another source as it is printed: a row per run or method, a column per measure.

    Attributes
    ----------
    source : its file, as findings name it.
    titles : (C,) headings of the columns of scores.
    names : (R,) runs or methods, distinct.
    cells : (R, C) texts.
    lines : (R + 1,) lines of the heading and of the rows in the file.
    """

    source: str
    titles: tuple[str, ...]
    names: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]


#: Number of a column, counted from 1.
ColumnNumber = Annotated[int, "number of a column"]


@dataclass(frozen=True)
class Quantity:
    """Values on the vertices or faces of models, in a file for each, that benchmark.toml names in ``[values]``.

    Attributes
    ----------
    path : folder that contains the files.
    unit : ``"1/m"``, or "".
    zero : number that both sides of a scale begin at, or None.
    run : name of the run whose method computed the values, or "".
    place : what the values belong to, or None: by their number.
    column : of files with several columns, or None.
    labels : whether the values are numbers of classes; in ``[values]`` not needed with `names`.
    names : of the classes 0, 1, 2, …
    correspondence : id of the model whose vertices the values number, or "" for other quantities.
    base : number of its first vertex; None: by the numbers in the file.
    name : key in ``[values]``, for titles: ``"curvature"``; "" as the table is read.
    files : the file for each mesh; meshes without one are missing.
    reference : mesh of the model of the correspondence.
    """

    path: Path
    unit: str = ""
    zero: float | None = None
    run: str = ""
    place: MeshPlace | None = None
    column: ColumnNumber | None = None
    labels: bool = False
    names: tuple[str, ...] = ()
    correspondence: str = ""
    base: Literal[0, 1] | None = None
    name: str = field(default="", metadata={"key": None})
    files: Mapping[Path, Path] = field(default_factory=dict, hash=False, metadata={"key": None})
    reference: Path | None = field(default=None, metadata={"key": None})

    def __post_init__(self) -> None:
        if self.zero is not None and not isfinite(self.zero):
            raise ValueError("has a 'zero' that is not finite")

    def of_mesh(self, mesh: Path) -> "Quantity":
        """The quantity with the file of one mesh only, for a job of another process."""
        return replace(self, files={mesh: self.files[mesh]} if mesh in self.files else {})


@dataclass(frozen=True, eq=False)
class Benchmark:
    """A benchmark read from a folder.

    Attributes
    ----------
    name : for titles, ``"SHREC 2006"``.
    root : folder that relative paths and findings refer to.
    profile : key of the profile set by the benchmark (``"shrec2006"``), else ``"default"``.
    collection, queries : may be empty.
    assessment : None without relevance assessment; then rankings can be shown, but not measured.
    classification : None without class tree.
    runs : in the order of the manifest, else in natural order of their names.
    findings : in reading order.
    camera : camera settings of the benchmark, as `render.scene.camera.Camera.as_settings` returns them; empty for the
        default.
    sources : files, and folders of lists, that it was read from: runs, truth, tables, benchmark.toml and archives;
        without meshes, images and files in archives.
    other_truth : files with relevance levels or classes that were found, but that the assessment is not from.
    archives : archive that was unpacked into each temporary folder.
    slices : sets of queries that the benchmark names, each (n,) int64, indices of queries, ascending.
    published : tables of scores from other sources.
    quantities : values on the vertices or faces of the models.
    """

    name: str
    root: Path
    collection: Collection
    queries: Queries
    assessment: Assessment | None = None
    classification: Classification | None = None
    runs: tuple[Run, ...] = ()
    profile: str = "default"
    findings: tuple[Finding, ...] = field(default=())
    camera: Mapping[str, str | float] = field(default_factory=dict)
    sources: tuple[Path, ...] = ()
    other_truth: tuple[Path, ...] = ()
    archives: Mapping[Path, Path] = field(default_factory=dict)
    slices: Mapping[str, NDArray[np.int64]] = field(default_factory=dict)
    published: tuple[PublishedTable, ...] = ()
    quantities: tuple[Quantity, ...] = ()

    def __repr__(self) -> str:
        counts = f"{len(self.collection):,} models, {len(self.queries):,} queries, {len(self.runs)} runs"
        return f"<Benchmark '{self.name[:80]}': {counts}>"

    def stored_path(self, path: Path) -> Path:
        """Where a file is stored: for one that was unpacked, its path below the archive, ``team.zip/A.run``."""
        for folder, archive in self.archives.items():
            if path.is_relative_to(folder):
                return self.stored_path(archive / path.relative_to(folder))
        return path

    def files(self) -> Iterator[Path]:
        """Meshes and images of the models and of the queries."""
        return chain(self.collection.files(), (path for path in self.queries.paths if path is not None))

    def run(self, name: str) -> Run:
        """The run of that name; KeyError if there is none."""
        for run in self.runs:
            if run.name == name:
                return run
        raise KeyError(name)

    @property
    def levels(self) -> tuple[int, ...]:
        """Levels of the assessment, see `Assessment.levels`; () without one."""
        return () if self.assessment is None else self.assessment.levels

    @property
    def is_binary(self) -> bool:
        """Whether the assessment has one level only; False without one."""
        return self.levels == (1,)

    @shared_array
    def common_queries(self) -> NDArray[np.bool_]:
        """(Q,) bool, queries for which all runs have results; virtual runs do not count."""
        found = [run.present for run in self.runs if not run.expression]
        return np.all([np.ones(len(self.queries), np.bool_), *found], axis=0)

    @property
    def has_errors(self) -> bool:
        """Whether a finding is an error."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)
