"""The collection of models and the queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


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

    ids: tuple[str, ...]
    paths: tuple[Path | None, ...]

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.paths):
            raise ValueError(f"{len(self.ids)} ids but {len(self.paths)} paths")
        if len(self.index) != len(self.ids):
            raise ValueError("an id is repeated in the collection")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Index of each id in `ids`."""
        return {name: index for index, name in enumerate(self.ids)}


NOT_A_MEMBER = -1
"""`Queries.member` of a query that is not in the collection."""


class QueryKind(StrEnum):
    """Type of the file of a query."""

    MODEL = "model"
    IMAGE = "image"
    NONE = "none"


@dataclass(frozen=True, eq=False)
class Queries:
    """The queries; query indices in the program refer to their order.

    Attributes
    ----------
    ids : (Q,) distinct ids.
    paths : (Q,) mesh or image of each query, or None.
    kinds : (Q,) type of each path.
    member : (Q,) int32, index of the query in the collection, or `NOT_A_MEMBER`.
    labels : (Q,) int32, class of the query in the classification of the benchmark, or -1; for class means and captions.
    """

    ids: tuple[str, ...]
    paths: tuple[Path | None, ...]
    kinds: tuple[QueryKind, ...]
    member: NDArray[np.int32]
    labels: NDArray[np.int32]

    def __post_init__(self) -> None:
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
        return {name: index for index, name in enumerate(self.ids)}

    @property
    def are_members(self) -> bool:
        """Whether every query is a member of the collection (self-retrieval)."""
        return len(self.ids) > 0 and bool(np.all(self.member >= 0))
