"""The models that are searched."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


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
