"""Ranked lists of several runs as rows of images, and the links between the same models."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.notes import Notes
from shrec_viewer.charts.strips import Tile, TileKey


@dataclass(frozen=True, eq=False)
class RankRow:
    """Ranked list of a run.

    Attributes
    ----------
    name, note : of the run, and its value for the query, such as ``"ADR 0.921"``; "" for none.
    items : (n,) int32, models, best first; -1 for one that is not in the collection.
    levels : (n,) int8, relevance of each; -1 if not assessed.
    distances : (n,) float64, NaN for none.
    missing : why there is no ranked list, "" otherwise.
    value_name : what the distances are: distance or similarity.
    colour, dash, marker : style of the run; see `PlotCurve`.
    """

    name: str
    note: str
    items: NDArray[np.int32]
    levels: NDArray[np.int8]
    distances: NDArray[np.float64]
    missing: str = ""
    value_name: str = "distance"
    colour: str = ""
    dash: str = "solid"
    marker: str = ""

    def __len__(self) -> int:
        return len(self.items)


@dataclass(frozen=True, eq=False)
class RankRows(Notes):
    """The lists of several runs for one query: a row for each run, ranks from left to right.

    Attributes
    ----------
    title : in the metadata of the file only.
    query : its image.
    rows : the complete lists.
    first : 1-based rank of the first images.
    tiles : images of the ranks from `first` on, for each row.
    key : of the images.
    every_line : whether models that are not relevant are linked, too.
    sentence : what the comparison shows; "" for none.
    """

    title: str
    query: Tile
    rows: tuple[RankRow, ...]
    first: int
    tiles: tuple[tuple[Tile, ...], ...]
    key: TileKey = field(default_factory=TileKey)
    every_line: bool = False
    sentence: str = ""


def first_indices(row: RankRow) -> NDArray[np.int32]:
    """(m,) int32, 0-based index in a list of each model up to the last one that it contains; -1 for the others."""
    # The last element serves models that are not in the collection, whose index is -1.
    found = np.full(int(row.items.max(initial=-1)) + 2, -1, np.int32)
    # Backwards, so that the first index of a repeated model is kept.
    found[row.items[::-1]] = np.arange(len(row) - 1, -1, -1, dtype=np.int32)
    found[-1] = -1
    return found


def indices_of(items: NDArray[np.int32], first_indices: NDArray[np.int32]) -> NDArray[np.int32]:
    """0-based indices of models in another list, -1 for those that it does not contain.

    For the visible models only: all models of two lists of a million take 2 s.

    Parameters
    ----------
    first_indices : see `first_indices` of the other list.

    Examples
    --------
    >>> other = RankRow("", "", np.array([9, 4], np.int32), np.zeros(2, np.int8), np.zeros(2))
    >>> indices_of(np.array([4, 2, 9, -1], np.int32), first_indices(other)).tolist()
    [1, -1, 0, -1]
    """
    is_known = (items >= 0) & (items < len(first_indices))
    return np.where(is_known, first_indices[np.where(is_known, items, 0)], np.int32(-1))


@dataclass(frozen=True)
class RowLink:
    """A model in one or both of two neighbouring rows.

    Attributes
    ----------
    row : index of the upper row.
    upper, lower : 0-based indices in both lists; -1 in one that does not contain the model.
    level : the higher of its levels.
    item : the model.
    """

    row: int
    upper: int
    lower: int
    level: int
    item: int


def row_links(rows: Sequence[RankRow], known: Sequence[NDArray[np.int32]], visible: range) -> Iterator[RowLink]:
    """Links between neighbouring rows of all models with an index within `visible` in one of both.

    Parameters
    ----------
    known : `first_indices` of each list.
    """
    for number, (one, other) in enumerate(pairwise(rows)):
        # A missing list has no links: its row says why it is empty.
        if one.missing or other.missing:
            continue
        part = slice(visible.start, visible.stop)
        down = indices_of(one.items[part], known[number + 1]).tolist()
        pairs = {(visible.start + place, index) for place, index in enumerate(down)}
        up = indices_of(other.items[part], known[number]).tolist()
        pairs |= {(index, visible.start + place) for place, index in enumerate(up) if index not in visible}
        for upper, lower in sorted(pairs):
            found = [(row, index) for row, index in ((one, upper), (other, lower)) if index >= 0]
            level = max(int(row.levels[index]) for row, index in found)
            yield RowLink(number, upper, lower, level, int(found[0][0].items[found[0][1]]))


def link_end_text(index: int, *, is_lower: bool) -> str:
    """Where the link of a model leads that is not visible at its other end.

    Parameters
    ----------
    index : 0-based index in the other list, -1 for none.
    is_lower : whether the model is in the lower row.

    Examples
    --------
    >>> link_end_text(22, is_lower=False), link_end_text(1097, is_lower=True), link_end_text(-1, is_lower=True)
    ('to 23', 'from 1,098', 'not listed')
    """
    return "not listed" if index < 0 else f"{'from' if is_lower else 'to'} {index + 1:,}"
