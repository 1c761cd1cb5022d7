"""The record of a curve: its values, axes, averaging and random baseline."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable


@dataclass(frozen=True, eq=False)
class CurveValues:
    """Points of a curve.

    Attributes
    ----------
    x : (K,) float64, the same for all queries; (Q, K) where each query has its own abscissae.
    y : (Q, K) float64 for one curve per query, (K,) for one curve. NaN where undefined; drawn as a gap.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]


def rank_axis(points: int) -> NDArray[np.float64]:
    """The ranks 1 … `points`, x of curves by rank."""
    return np.arange(1, points + 1, dtype=np.float64)


CurveFunction = Callable[[HitTable, Profile, int], CurveValues]
"""(hits, profile, points) -> values; `points` is the number of ranks shown, for curves by rank."""


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
    averaging : how the curve of a run is averaged, for the tool tip; None for the mean at each value of `x`.
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

    @property
    def is_precision_recall(self) -> bool:
        """Whether the curve is of precision over recall."""
        return self.x == "recall" and self.y == "precision"

    def evaluate(self, hits: HitTable, profile: Profile, points: int = 100) -> CurveValues:
        """One curve per query; a missing query has the curve of an empty list."""
        return self.function(hits, profile, points)

    def to_average(self, hits: HitTable, profile: Profile, points: int = 100) -> CurveValues:
        """Curves of all queries in the form that is averaged over queries."""
        return (self.average or self.function)(hits, profile, points)
