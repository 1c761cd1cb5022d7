"""The models that are searched and the queries that search them."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Collection:
    """All models of a benchmark, in one fixed order that every index in the program refers to.

    Attributes
    ----------
    ids : (N,) distinct ids, as written in the truth (``"1119"``, ``"N0001"``).
    paths : (N,) the mesh or ready-made picture of each model; None where there is no file. A model without a file,
        or with a broken one, stays a member.

    Raises
    ------
    ValueError
        When the lengths differ or an id stands twice; readers turn that into a sentence before it happens.
    """

    ids: tuple[str, ...]
    paths: tuple[Path | None, ...]

    def __post_init__(self) -> None:
        if len(self.ids) != len(self.paths):
            raise ValueError(f"{len(self.ids)} ids but {len(self.paths)} paths")
        if len(self.index) != len(self.ids):
            raise ValueError("an id stands twice in the collection")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Place of each id in `ids`."""
        return {name: place for place, name in enumerate(self.ids)}


NOT_A_MEMBER = -1
"""`Queries.member` of a query from outside the collection."""


class QueryKind(StrEnum):
    """What stands behind a query."""

    MODEL = "model"
    IMAGE = "image"
    NONE = "none"


@dataclass(frozen=True, eq=False)
class Queries:
    """The queries, in the order in which every table lists them.

    Attributes
    ----------
    ids : (Q,) distinct ids.
    paths : (Q,) mesh or picture of each query, None where there is none.
    kinds : (Q,) what the path is.
    member : (Q,) int32, place of the query itself in the collection, or `NOT_A_MEMBER`.
    labels : (Q,) int32, class of the query in the benchmark's classification, or -1. Used for class means and captions.
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
            raise ValueError("an id stands twice among the queries")

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Place of each id in `ids`."""
        return {name: place for place, name in enumerate(self.ids)}

    @property
    def are_the_collection(self) -> bool:
        """Whether every query is a member of the collection (self-retrieval)."""
        return len(self.ids) > 0 and bool(np.all(self.member >= 0))
