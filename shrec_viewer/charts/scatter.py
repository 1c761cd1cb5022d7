"""Models as points of a plane, of one run or of several side by side."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.notes import Notes
from shrec_viewer.read_only import ReadOnlyArrays

#: Token of points that belong to no other group.
REST = "rest"


@dataclass(frozen=True, eq=False)
class Cloud(ReadOnlyArrays):
    """The points of one run.

    Attributes
    ----------
    name : of the run.
    models : (n,) int32, rows of the names and colours of the chart, ascending.
    points : (n, 2) float64.
    neighbours : (n, k) int32, the nearest models of each, nearest first; k may be 0.
    note : what positions come from.
    """

    name: str
    models: NDArray[np.int32]
    points: NDArray[np.float64]
    neighbours: NDArray[np.int32]
    note: str


@dataclass(frozen=True)
class PointGroup:
    """Points of one colour.

    Attributes
    ----------
    label : text of the legend.
    token : `REST`, ``"level 2"`` for a relevance level, or ``"series 3"`` for the fourth colour of runs.
    """

    label: str
    token: str


@dataclass(frozen=True, eq=False)
class Scatter(Notes, ReadOnlyArrays):
    """Models as points. Axes have no meaning; only distances do.

    Attributes
    ----------
    title : in the metadata of the file only.
    clouds : side by side.
    names, classes : (N,) ids and classes of models; "" for no class.
    groups : colours, the points drawn last at the end.
    colours : (N,) int32, group of each model.
    values : (N,) float64 in [0, high] instead of groups, NaN for none; None with groups.
    high : end of the scale of `values`.
    value_label : of the scale of `values`.
    marked : models with a ring and lines to their nearest neighbours, on paper.
    """

    title: str
    clouds: tuple[Cloud, ...]
    names: tuple[str, ...]
    classes: tuple[str, ...]
    groups: tuple[PointGroup, ...]
    colours: NDArray[np.int32]
    values: NDArray[np.float64] | None = None
    value_label: str = ""
    high: float = 1.0
    marked: tuple[int, ...] = ()

    def has_points_of(self, other: "Scatter | None") -> bool:
        """Whether all runs and points are the same as in another chart."""
        return other is not None and len(self.clouds) == len(other.clouds) and all(
            a.name == b.name and np.array_equal(a.models, b.models) and np.array_equal(a.points, b.points)
            for a, b in zip(self.clouds, other.clouds, strict=True)
        )  # fmt: skip

    def text(self, model: int) -> str:
        """Id and class of a model."""
        return f"{self.names[model]} {self.classes[model]}".rstrip()
