"""The record of a curve: its values, axes, averaging and random baseline."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.curves.averaging import AVERAGING_LABELS, CurveAveraging
from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable


@dataclass(frozen=True, eq=False)
class CurveValues:
    """Points of a curve.

    Attributes
    ----------
    x : (K,) float64, ascending, the same for all queries; (Q, K) where each query has its own abscissae.
    y : (Q, K) float64 for one curve per query, (K,) for one curve. NaN where undefined; drawn as a gap.
    lower, upper : as `y`, bounds of `y` where lists end before their relevant models; None where `y` is certain.
    relevant_scopes : (K,) s_r, where points are at the same relevant scope: x is s_r times y, also of the bounds.
    doublings : -log2 of the common generality of the queries; None where it is not the same.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    lower: NDArray[np.float64] | None = None
    upper: NDArray[np.float64] | None = None
    relevant_scopes: NDArray[np.float64] | None = None
    doublings: float | None = None

    @property
    def is_bounded(self) -> bool:
        """Whether the bounds differ from each other."""
        return self.lower is not None and self.upper is not None and bool(np.any(self.upper - self.lower > ROUNDING))


#: Largest difference of two bounds that is rounding error.
ROUNDING = 1e-12


def rank_axis(points: int) -> NDArray[np.float64]:
    """The ranks 1 … `points`, x of curves by rank."""
    return np.arange(1, points + 1, dtype=np.float64)


#: (hits, profile, points) -> values; `points` is the number of ranks shown, for curves by rank.
CurveFunction = Callable[[HitTable, Profile, int], CurveValues]


#: (hits, doublings) -> curves of all queries in collections with the generality ``2 ** -doublings``; None for the
#: smallest one that all of them have.
CurveAtGenerality = Callable[[HitTable, float | None], CurveValues]


@dataclass(frozen=True)
class CurveAverage:
    """One way of averaging a kind of curve over queries.

    Attributes
    ----------
    way : which one.
    function : curves of all queries whose mean over queries is the curve of a run. If their `x` is (Q, K), both
        coordinates are averaged.
    detail : further text about it, such as the number of recall levels; "" for none.
    """

    way: CurveAveraging
    function: CurveFunction
    detail: str = ""

    @property
    def label(self) -> str:
        """Text for the axis: ``"equal recall, 20 points"``."""
        return f"{AVERAGING_LABELS[self.way]}, {self.detail}" if self.detail else AVERAGING_LABELS[self.way]

    @property
    def keeps_scopes(self) -> bool:
        """Whether mean points are on the line of their relevant scope; the ideal system then reaches (1, 1)."""
        return self.way == "generality"


@dataclass(frozen=True)
class Curve:
    """One kind of curve: a row of the table CURVES.

    Attributes
    ----------
    key : ``"PR20"``.
    label : for display.
    x_label, y_label : axis titles with their units.
    x_range : range of the abscissa; None where it is the number of ranks shown.
    y_range : range of the ordinate; None where it follows the data.
    definition : one or two sentences.
    source : paper or program.
    function : one curve per query, see `CurveFunction`.
    average : curves of all queries whose mean over queries is the curve of a run; None where that is `function`. If its
        `x` is (Q, K), both coordinates are averaged.
    random : expected curve of a random ranking for each query; None if unknown, NaN where unknown under a profile. It
        is called with the ideal ranking and depends on the sizes in it only.
    x : quantity of the abscissa. A rank can be marked on curves by rank, and on those by recall at the recall reached
        at that rank. Curves by generality are shown in the Generality panel.
    y : quantity of the ordinate. On precision over recall, all rankings reach a rank on the same line through the
        origin (constant scope).
    counts_query : whether the query itself counts as a relevant model.
    common : for curves by rank, whether the status bar displays the value at the current rank.
    short_label : for narrow fields; None for key and label.
    averaging : how the curve of a run is averaged, for the tooltip; None for the mean at each value of `x`.
    averages : ways of averaging that are offered, the default first; empty for that of `average`.
    at_generality : the curve in a random part of the collection; None if it is not known.
    """

    key: str
    label: str
    x_label: str
    y_label: str
    x_range: tuple[float, float] | None
    y_range: tuple[float, float] | None
    definition: str
    source: str
    function: CurveFunction
    average: CurveFunction | None = None
    random: CurveFunction | None = None
    x: Literal["rank", "recall", "generality", "other"] = "other"
    y: Literal["precision", "recall", "gain", "other"] = "other"
    counts_query: bool = False
    common: bool = False
    short_label: str | None = None
    averaging: str | None = None
    averages: tuple[CurveAverage, ...] = ()
    at_generality: CurveAtGenerality | None = None

    @property
    def is_precision_recall(self) -> bool:
        """Whether the curve is of precision over recall."""
        return self.x == "recall" and self.y == "precision"

    def evaluate(self, hits: HitTable, profile: Profile, points: int = 100) -> CurveValues:
        """One curve per query; a missing query has the curve of an empty list."""
        return self.function(hits, profile, points)

    @property
    def ways(self) -> tuple[CurveAverage, ...]:
        """Ways of averaging, the default first, without that over classes."""
        # The names of the abscissae by rank, recall and generality are also those of the ways of averaging.
        way: CurveAveraging = self.x if self.x != "other" else "rank"
        return self.averages or (CurveAverage(way, self.average or self.function),)

    @property
    def has_points_of_queries(self) -> bool:
        """Whether the curve of a query has its own abscissae, unlike the mean."""
        return any(way.function is not self.function for way in self.ways)

    def averaged(self, way: CurveAveraging | None = None) -> CurveAverage:
        """The given way of averaging; the default for None, ``"class"``, and ways that this curve does not have."""
        return next((average for average in self.ways if average.way == way), self.ways[0])
