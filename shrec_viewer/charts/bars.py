"""Bars of values, and bars of differences between two runs."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.charts.notes import Notes


@dataclass(frozen=True)
class Bar:
    """A bar with its name and value.

    Attributes
    ----------
    value : length; NaN is drawn as a dash.
    run : run that it belongs to, "" for none.
    start : where it begins; the bars of a waterfall begin where others end.
    parts : lengths of its parts, drawn one after the other and paler each; () for one part.
    low, high : ends of the whisker as lengths from `start`; NaN for none.
    mark : length that is marked by a line, such as what chance gives; NaN for none.
    key : what a click on it selects, "" for nothing.
    members : which of `Bars.columns` it is an intersection of; () for a bar that is none.
    decimals : of its value; None for those of the chart.
    """

    name: str
    value: float
    colour: str
    run: str = ""
    start: float = 0.0
    parts: tuple[float, ...] = ()
    low: float = float("nan")
    high: float = float("nan")
    mark: float = float("nan")
    key: str = ""
    members: tuple[bool, ...] = ()
    decimals: int | None = None

    @property
    def segments(self) -> tuple[tuple[float, float, float], ...]:
        """Start, end and opacity of each part; () for a NaN."""
        if self.value != self.value:
            return ()
        found, start = [], self.start
        for length, opacity in zip(self.parts or (self.value,), PART_OPACITIES, strict=False):
            found.append((start, start + length, opacity))
            start += length
        return tuple(found)


#: Opacity of the parts of a bar; there are at most three.
PART_OPACITIES = (1.0, 0.65, 0.35)


@dataclass(frozen=True)
class Bars(Notes):
    """Horizontal bars from the top, with their values.

    Attributes
    ----------
    title : in the metadata of the file only.
    x_label : of the scale.
    bars : in order.
    limits : of the scale.
    decimals : of the values.
    note : further text of the window, after `x_label`.
    columns : names of sets; with them, dots in place of the names say which sets a bar is the intersection of (UpSet).
    """

    title: str
    x_label: str
    bars: tuple[Bar, ...]
    limits: tuple[float, float]
    decimals: int = 3
    columns: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, eq=False)
class Differences(Notes):
    """Differences between two runs for each query, as vertical bars.

    Attributes
    ----------
    title : in the metadata of the file only.
    y_label : of the scale.
    names : (Q,) queries.
    changes : (Q,) float64; NaN where one run has no value.
    inverted : whether negative differences are gains.
    gains, losses : texts of the legend.
    """

    title: str
    y_label: str
    names: tuple[str, ...]
    changes: NDArray[np.float64]
    inverted: bool
    gains: str
    losses: str
