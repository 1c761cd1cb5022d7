"""Images of models and queries: strips of ranked lists, and sheets."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.notes import Notes
from shrec_viewer.domain.value_scale import ValueLegend

#: Relevance level of a model without an assessment.
UNJUDGED = -1


@dataclass(frozen=True)
class TileKey:
    """What the frames and the colours of images mean.

    Attributes
    ----------
    is_binary : whether the assessment has one level only; level 1 then looks like level 2.
    legend : what the colours of the models mean; None for those of the files.
    """

    is_binary: bool = False
    legend: ValueLegend | None = None


@dataclass(frozen=True, eq=False)
class Tile:
    """An image of a model or query.

    Attributes
    ----------
    pixels : (h, w, 4) uint8, straight alpha; None without an image.
    problem : why there is no image.
    caption, detail : lines below it; "" for none.
    level : relevance level; `UNJUDGED` without an assessment; None for no frame.
    is_query : whether it has the double frame of a query.
    note, rank : right of the detail, such as a distance, and 1-based before the caption; on sheets with cards. In
        figures, the note is below the detail.
    path : file of the image, for views that have thumbnails of their own; None for none.
    index : of the model or query; -1 for none.
    legend : what the colours of this image mean; None for those of the chart.
    """

    pixels: NDArray[np.uint8] | None
    problem: str = ""
    caption: str = ""
    detail: str = ""
    level: int | None = None
    is_query: bool = False
    note: str = ""
    rank: int | None = None
    path: Path | None = None
    index: int = -1
    legend: ValueLegend | None = None


@dataclass(frozen=True)
class Strip:
    """The first models of a ranked list.

    Attributes
    ----------
    tiles : best first.
    note : below them, such as the ranks of the relevant models that follow; "" for none.
    """

    tiles: tuple[Tile, ...]
    note: str = ""


@dataclass(frozen=True)
class StripRow:
    """A query with the strip of each method."""

    query: Tile
    strips: tuple[Strip, ...]


@dataclass(frozen=True)
class Strips(Notes):
    """Strips of several queries (rows) and methods.

    Attributes
    ----------
    title : in the metadata of the file only.
    methods : name of each strip of a row.
    rows : queries.
    length : tiles of a strip.
    key : of the images.
    """

    title: str
    methods: tuple[str, ...]
    rows: tuple[StripRow, ...]
    length: int
    key: TileKey = field(default_factory=TileKey)


@dataclass(frozen=True)
class Sheet(Notes):
    """Images in rows.

    Attributes
    ----------
    title : in the metadata of the file only.
    tiles : row by row.
    across : number in a row.
    key : of the images.
    """

    title: str
    tiles: tuple[Tile, ...]
    across: int
    key: TileKey = field(default_factory=TileKey)
