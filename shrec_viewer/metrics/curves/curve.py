"""The record of a curve: its values, axes and averaging."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shrec_viewer.metrics.profiles.profile import Profile
from shrec_viewer.metrics.ranking.hit_table import HitTable


@dataclass(frozen=True, eq=False)
class CurveValues:
    """Points of a curve.

    Attributes
    ----------
    x : (K,) float64, shared by all queries; (Q, K) where each query has its own abscissae.
    y : (Q, K) float64 for a curve of each query, (K,) for one curve. NaN where undefined: draw a gap, or nothing.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]


CurveFunction = Callable[[HitTable, Profile, int], CurveValues]
"""(hits, profile, points) -> values; `points` is how many ranks to show where the curve runs along ranks."""


@dataclass(frozen=True)
class Curve:
    """One kind of curve, with all its words.

    Attributes
    ----------
    key : ``"PR20"``.
    label : for people.
    x_label, y_label : axis titles with their units.
    x_range : what the abscissa covers; None where it is the number of points asked for.
    y_range : what the ordinate covers; None where it is as high as the data.
    definition : one or two sentences that a reader of papers accepts.
    source : paper or program.
    function : see `CurveFunction`.
    average : gives the points whose mean over queries is the curve of a run, where that is not `function`. Points at
        the same place of different lists may then differ in both coordinates, and both are averaged.
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

    def evaluate(self, hits: HitTable, profile: Profile, points: int = 100) -> CurveValues:
        """A curve of every query; a missing query answers as an empty list would."""
        return self.function(hits, profile, points)

    def to_average(self, hits: HitTable, profile: Profile, points: int = 100) -> CurveValues:
        """A curve of every query in the form whose mean over queries means something."""
        return (self.average or self.function)(hits, profile, points)
